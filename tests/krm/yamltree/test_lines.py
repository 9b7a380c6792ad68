"""Line ends: CRLF, mixed ones, those of YAML 1.1 alone, and none behind the last line."""

from __future__ import annotations

from tests.krm.yamltree import tables

LINES = """\
=== CRLF
a: 1  # c\r
b:\r
- x # of x\r
c: |\r
  one\r
  two\r
>>> set a {'k': 1, 'l': 'one\\ntwo\\n'}
>>> insert b.1 'z'
>>> set d 1
>>> rewrite c two 'three'
a:  # c\r
  k: 1\r
  l: |\r
    one\r
    two\r
b:\r
- x # of x\r
- z\r
c: |\r
  one\r
  three\r
d: 1\r

=== CRLF, a line taken in by a literal block
a: |\r
  one $(X)\r
  two\r
>>> rewrite a $(X) 'x\\nz'
a: |\r
  one x\r
  z\r
  two\r

=== CRLF, deleting
# of a\r
a: 1\r
# of b\r
b: # in b\r
  c: 1\r
d:\r
  - 1 # of 1\r
  - 2\r
>>> delete b
>>> delete d.0
>>> delete a
d:\r
  - 2\r

=== CRLF in brackets
a: [\r
  1, # of 1\r
  2\r
]\r
>>> insert a.1 'x'
>>> insert a.3 'z'
>>> delete a.0
a: [\r
  x,\r
  2,\r
  z\r
]\r

=== line ends are mixed: what is new takes that of the line above
a: 1\r
b: 2
c: 3
>>> set d 4
a: 1\r
b: 2
c: 3
d: 4

=== a value takes the line end above it
a:\r
  b: 1\r
c:
  d: 2
>>> set a.e {'k': 1}
>>> set c.e {'k': 1}
a:\r
  b: 1\r
  e:\r
    k: 1\r
c:
  d: 2
  e:
    k: 1

=== a line separator inside of a scalar does not matter
a: "x\u2028y"
b: 1
>>> set c 2
>>> delete b
>>> rewrite a y 'z'
a: "x\u2028z"
c: 2

=== NEL, between entries: nothing is changed
a: 1\x85b: 2
>>> set a 3
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== NEL, between entries, and lines to add
a: 1\x85b: 2 # c
>>> set c 3
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== NEL, between entries, and nothing to lose
a: 1\x85b: 2
>>> set c 3
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== a lone CR between entries
a: 1
b: 1\rc: 2
>>> set a 3
!!! line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== a lone CR behind the text of a block
a: |
  one\rb: 2
>>> delete a
!!! line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== a lone CR behind the header of a block
a: |\r  one
b: 2
>>> set b 3
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== a line separator inside of a block
a: |
  x\u2028  y
b: 1
>>> set c 2
>>> delete b
a: |
  x\u2028  y
c: 2

=== no final line end: a scalar
a: 1<EOF>
>>> set a 2
a: 2<EOF>

=== no final line end: a new entry
a: 1<EOF>
>>> set b 2
a: 1
b: 2<EOF>

=== no final line end: a comment
a: 1 # c<EOF>
>>> set b 2
a: 1 # c
b: 2<EOF>

=== no final line end: a block in another's place
a: 1
b: 2<EOF>
>>> set b {'c': 1}
a: 1
b:
  c: 1<EOF>

=== no final line end: a literal block's value has none
a: |
  one<EOF>
>>> rewrite a one 'two'
a: |
  two<EOF>

=== no final line end, behind a block: a line end would become its text
a: |
  one # no comment
b: |+
  two<EOF>
>>> set c 2
a: |
  one # no comment
b: |-
  two
c: 2<EOF>

=== blanks that are text of a block, and its last line
a: {x: 1}
b:
  c: |
    one
    \x20<EOF>
>>> set d 2
a: {x: 1}
b:
  c: |-
    one
    \x20
d: 2<EOF>

=== blanks that are text of a folded block, above others that are not
a: >
  one
 \x20\x20
\x20
>>> set d 2
a: >
  one
 \x20\x20
d: 2
\x20

=== blanks at the end that are no text of a block
a: |
  one
 \x20<EOF>
>>> set d 2
a: |
  one
d: 2
 \x20<EOF>

=== blanks at the end of a long text, below a new block
a: a long text of which the lines below are not the half, so that these are read alone, and none of those above
b: 1
    \x20<EOF>
>>> set c 'one\\ntwo'
a: a long text of which the lines below are not the half, so that these are read alone, and none of those above
b: 1
c: "one\\ntwo"
    \x20<EOF>

=== blank lines below a block, behind which an element comes
a:
- b: >-
    one
    two

- c: |
    one

d: 1
>>> insert a.2 'x'
a:
- b: >-
    one
    two

- c: |
    one
- x

d: 1

=== blanks at the end
a: 1
 \x20
>>> set b 2
a: 1
b: 2
 \x20

=== only blank lines and comments behind
a:
  b: 1


# c
>>> set a.d 2
a:
  b: 1
  d: 2


# c

=== blank lines that belong to a block
a:
  b: |+
    one


c: 1
>>> set a.d 2
a:
  b: |+
    one


  d: 2
c: 1

=== a line of blanks deeper than a block is its text
a: |
  one
   \x20
b: 1
>>> delete b
a: |
  one
   \x20

=== NEL before an element
a:
- 1\x85- 2
>>> delete a.1
!!! line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== NEL before an element that gets lines
a:
- b: 1\x85- b: 2
>>> set a.1.c 3
!!! line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== NEL between entries, and an alias that needs lines
a: &x [1]\x85b: *x
>>> insert b.1 2
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== a key with `?`, and the anchor below it
? a
: &x [1]
b: *x
>>> delete a
!!! line 1: its key is written with `?`: change it by hand

=== NEL between entries, and a block that shares
a: &x 1
b: *x\x85c: |
  $(X)
>>> rewrite c $(X) ' y'
!!! line 2: this line ends in another way than LF and CRLF: convert the line ends of the text first

=== NEL between entries, and a block
b: 1\x85c: |
  $(X)
>>> rewrite c $(X) ' y'
!!! line 1: this line ends in another way than LF and CRLF: convert the line ends of the text first
"""


@tables.every_case(LINES)
def test_lines(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)
