"""Entries and elements that are deleted: their comments go with them, all others stay."""

from __future__ import annotations

from tests.krm.yamltree import tables

DELETE = """\
=== the first, one between, the last
a: 1
b: 2
c: 3
d: 4
>>> delete a
>>> delete c
>>> delete d
b: 2

=== with its comments: above at its column, in its lines, below and deeper
# of a
a: 1
# of b
b: # in b
  # of c
  c: 1 # in c
  # below c
# of d
d: 2
>>> delete b
# of a
a: 1
# of d
d: 2

=== a comment above at another column stays
a: 1
 # what
b: 2
c: 3
>>> delete b
a: 1
 # what
c: 3

=== blank lines stay
a: 1

b: 2

c: 3
>>> delete b
a: 1


c: 3

=== the only entry, the only element
a: # of a
  b: 1 # of b
c:
- 1 # of 1
d: 2
>>> delete a.b
>>> delete c.0
a: {} # of a
c: []
d: 2

=== the only entry of the root
a: 1
>>> delete a
{}

=== elements
a:
- 1
- 2 # of 2
# of 3
- 3
>>> delete a.1
>>> delete a.1
a:
- 1

=== the first key of an element keeps the dash
- a: 1
  b: 2
- a: 1
  # of b
  b: 2
>>> delete 0.a
>>> delete 1.a
- b: 2
-
  # of b
  b: 2

=== the first element of an element keeps the dash
- - 1
  - 2
- 3
>>> delete 0.0
- - 2
- 3

=== an element that is a mapping
- a: 1
  b: 2

- c: 3
>>> delete 0

- c: 3

=== behind a block: a deeper comment would become its text
- |
  one
- 1
  # deep
- 2
>>> delete 1
- |
  one
- 2

=== behind a block that keeps its blank lines
- |+
  one

- 1
- 2
>>> delete 1
- |+
  one

- 2

=== a block with the blank lines that are its own
- |
  one

  two


- 1
>>> delete 0


- 1

=== the last one, without a final line end
a: 1
b: 2<EOF>
>>> delete b
a: 1

=== the last one, a block without a final line end
a: 1
b: |
  x<EOF>
>>> delete b
a: 1

=== blank lines below, that would be text of the block above
a: {x: 1}
b: |+
  one
c: 1

# d
d: 2
>>> delete c
a: {x: 1}
b: |+
  one
# d
d: 2

=== a line of blanks below, that would be text of the block above
a: {x: 1}
b: |
  one
c: 1
  \x20<EOF>
>>> delete c
a: {x: 1}
b: |
  one

=== blank lines below, that are no text of the block above
a: |
  one
b: 1

c: 2
>>> delete b
a: |
  one

c: 2

=== from a flow list
[1, 2, 3] # c
>>> delete 1
>>> delete 1
[1] # c

=== the first and the only one of a flow list
a: [ 1, 2 ]
>>> delete a.0
>>> delete a.0
a: []

=== from a flow mapping
{a: 1, b, "c":, d: 4}
>>> delete b
>>> delete c
>>> delete a
{d: 4}

=== from a flow list over several lines, with its comments
a: [
  # of 1
  1, # in 1
  # of 2
  2, # in 2
  # of 3
  3 # in 3
]
>>> delete a.1
>>> delete a.1
a: [
  # of 1
  1 # in 1
]

=== from a flow list over several lines with a trailing comma
a: [
  1, # in 1
  2, # in 2
]
>>> delete a.1
a: [
  1, # in 1
]

=== from a flow list whose elements share lines
a: [1, 2,
    3, 4]
>>> delete a.1
>>> delete a.1
>>> delete a.1
a: [1]

=== a comment behind an element goes with it
a: [1, # in 1
    2]
>>> delete a.0
a: [2]

=== an explicit key
? a
: 1
? b
: 2
>>> delete a
!!! line 1: its key is written with `?`: change it by hand

=== a single pair
[a: 1, b]
>>> delete 0.a
[{}, b]

=== an empty value
a:
b:
c: 1
>>> delete a
>>> delete b
c: 1

=== what is not there
a: 1
>>> set b 2
>>> delete b
a: 1
"""


@tables.every_case(DELETE)
def test_delete(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)
