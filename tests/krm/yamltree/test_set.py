"""Values that are set: the new text is only what changes, in the style of what was there."""

from __future__ import annotations

from krm.yamltree.editor import Editor
from tests.krm.yamltree import tables

SET = """\
=== a plain value; the comment in its line stays
a: 1  # c
>>> set a 2
a: 2  # c

=== a new entry in empty brackets behind `---`, where no line can start
--- {} # c
>>> set a.b [1]
--- {a: {b: [1]}} # c

=== a new entry in empty brackets behind a tag, which is theirs
a: !t {}
b: 1
>>> set a.x 'z'
a: !t {x: z}
b: 1

=== a new entry in empty brackets with an anchor
a: &x {} # c
b: 1
>>> set a.x 2
a: &x {x: 2} # c
b: 1

=== a text in the place of a mapping behind an explicit key
? a
: b: 1
c: 2
>>> set a 'x'
? a
: x
c: 2

=== an element of another name is another element, though it stands in the same place
- {name: a, v: 1} # a
- b
>>> set . [{'name': 'c', 'v': 1}, 'b']
- name: c
  v: 1
- b

=== a value in single quotes keeps them
a: 'it''s'
>>> set a "isn't"
a: 'isn''t'

=== a value in single quotes that cannot hold the new one
a: 'x'
>>> set a 'a\\tb'
a: "a\\tb"

=== a value in double quotes keeps them
a: "x"
>>> set a 'y'
a: "y"

=== quotes are a string's: a number has none
a: "1"
>>> set a 2
a: 2

=== a string that would read as a number gets quotes
a: x
b: x
c: x
>>> set a '8080'
>>> set b '1e3'
>>> set c '10.0.0.1'
a: "8080"
b: "1e3"
c: "10.0.0.1"

=== a string that YAML 1.1 would re-type gets quotes
a: x
b: x
c: x
d: x
>>> set a 'on'
>>> set b '12:30:45'
>>> set c '0777'
>>> set d '='
a: "on"
b: "12:30:45"
c: "0777"
d: "="

=== a string that YAML 1.2 would re-type gets quotes
a: x
>>> set a '0o17'
a: "0o17"

=== a string that reads as syntax gets quotes
a: x
b: x
c: x
d: x
e: x
>>> set a 'k: v'
>>> set b 'v #c'
>>> set c '- v'
>>> set d 'v:'
>>> set e '*v'
a: "k: v"
b: "v #c"
c: "- v"
d: "v:"
e: "*v"

=== an empty string
a: x
>>> set a ''
a: ""

=== null, true, a float and a small one
a: x
b: x
c: x
d: x
>>> set a None
>>> set b True
>>> set c 1.5
>>> set d 1e-07
a: null
b: true
c: 1.5
d: 1.0e-07

=== the same value changes nothing
a: 'x'   # c
b: {c: [1, 2]}
c: 0x10
>>> set a 'x'
>>> set b {'c': [1, 2]}
>>> set c 16
a: 'x'   # c
b: {c: [1, 2]}
c: 0x10

=== a number in place of a string of the same text, and back
a: '1'
b: 1
>>> set a 1
>>> set b '1'
a: 1
b: "1"

=== a new key goes behind the others, at their column
a:
  b: 1  # c
# d
e: 2
>>> set a.x 3
a:
  b: 1  # c
  x: 3
# d
e: 2

=== a new key that needs quotes
a: 1
>>> set on 1
>>> set k: 2
a: 1
"on": 1
"k:": 2

=== a key of several lines
a: 1
>>> set . {'a': 1, 'x\\ny': 2}
a: 1
"x\\ny": 2

=== the mappings on the way are made
a: 1
>>> set b.c.d 2
a: 1
b:
  c:
    d: 2

=== null is a mapping without keys
a:
b: ~ # c
>>> set a.x 1
>>> set b.x 2
a:
  x: 1
b: # c
  x: 2

=== behind a nested block
a:
  b:
    c: 1
  # of a
# of the root
d: 2
>>> set a.b.x 3
>>> set a.y 4
a:
  b:
    c: 1
    x: 3
  "y": 4
  # of a
# of the root
d: 2

=== an empty value, one with a comment, one in a list
a:
b: # c
c:
- # c
-
>>> set a 1
>>> set b 2
>>> set c.0 3
>>> set c.1 4
a: 1
b: 2 # c
c:
- 3 # c
- 4

=== a mapping in place of a scalar; the comment stays in the key's line
a: 1  # c
b: 2
>>> set a {'x': 1, 'y': {'z': 2}}
a:  # c
  x: 1
  "y":
    z: 2
b: 2

=== a mapping in place of an empty value
a: # c
b: 2
>>> set a {'x': 1}
a: # c
  x: 1
b: 2

=== a scalar in place of a mapping; what is inside goes with it
a: # of a
  # of b
  b: 1 # of 1
  # below b
c: 2
>>> set a 'x'
a: x # of a
c: 2

=== a list in place of a scalar, below its key as other lists are
a: 1
b:
- 2
>>> set a [1, {'x': 2, 'y': [3]}]
a:
- 1
- x: 2
  "y":
  - 3
b:
- 2

=== a list in the place of brackets, above comments that stay those of the key
tolerations: []
  # - key: spot
# of b
b: 1
>>> set tolerations [{'key': 'gpu'}]
tolerations:
  - key: gpu
  # - key: spot
# of b
b: 1

=== a list in the place of a scalar, above a comment that stays the key's
a: 1

 # of a
b: []
>>> set a ['x']
a:
  - x

 # of a
b: []

=== a list in place of a scalar, indented as other lists are
a: 1
b:
  - 2
>>> set a [1, {'x': 2, 'y': [3]}]
a:
  - 1
  - x: 2
    "y":
      - 3
b:
  - 2

=== a mapping in place of a mapping
a:
  b: 1
c: 2
>>> set a {'x': 1}
a:
  x: 1
c: 2

=== a mapping in a list
- a
- b # c
>>> set 0 {'x': 1, 'y': 2}
>>> set 1 {'x': 1, 'y': 2}
- x: 1
  "y": 2
- # c
  x: 1
  "y": 2

=== a list in a list
- a
- b
>>> set 0 ['x', 'y']
- - x
  - "y"
- b

=== a scalar in place of a mapping in a list
- a: 1
  b: 2
- c: 3
>>> set 0 'x'
- x
- c: 3

=== flow style
{a: 1, b: [x, y], c: {}} # c
>>> set a 'z, z'
>>> set b.0 {'k': 'v'}
>>> set c.d 1
>>> set b.1 'on'
{a: "z, z", b: [{k: v}, "on"], c: {d: 1}} # c

=== flow style, values that are missing
{a, b: , "c":, d: }
>>> set a 1
>>> set b 2
>>> set c 3
>>> set d 4
{a: 1, b: 2, "c": 3, d: 4}

=== flow style, a new key behind a colon
{a: 1, "b":}
>>> set c 1
{a: 1, "b": , c: 1}

=== flow style over several lines
a: {
  b: 1, # of b
  c: 2  # of c
}
>>> set a.b 'x'
>>> set a.d 3
a: {
  b: x, # of b
  c: 2,  # of c
  d: 3
}

=== flow style with a trailing comma
a: {
  b: 1, # of b
}
>>> set a.c 2
a: {
  b: 1, # of b
  c: 2,
}

=== a comment in empty brackets stays
a: {
  # c
}
>>> set a.b 1
a: {b: 1
  # c
}

=== a value that is glued to its colon
{"a":1,"b":"x"}
>>> set a 2
>>> set b 'y'
{"a":2,"b":"y"}

=== a comment that is glued to the value gets a blank
a: "v"#c
>>> set a 'x'
a: "x" #c

=== a value below its key stays there
a:
  # why
  x # c
b: 1
>>> set a 'y'
a:
  # why
  "y" # c
b: 1

=== a plain scalar of several lines
a: one
  two # c
b: 1
>>> set a 'x'
a: x # c
b: 1

=== a quoted scalar of several lines
a: "one
  two" # c
b: 1
>>> set a 'x'
a: "x" # c
b: 1

=== a string of several lines, where it fits
a: x # c
b: 1
>>> set a 'one\\ntwo\\n'
a: | # c
  one
  two
b: 1

=== a string of several lines without a final one
a: x
>>> set a 'one\\n\\ntwo'
a: |-
  one

  two

=== two final line ends: no block, it would take the blank lines below it in
a: x

b: 1
>>> set a 'one\\n\\n'
a: "one\\n\\n"

b: 1

=== a leading blank or line end needs quotes
a: x
b: x
>>> set a ' one\\ntwo'
>>> set b '\\none\\ntwo'
a: " one\\ntwo"
b: "\\none\\ntwo"

=== trailing blanks need quotes
a: x
>>> set a 'one \\ntwo'
a: "one \\ntwo"

=== a tab inside of a block is fine, at its start it is not
a: x
b: x
>>> set a 'one\\n\\ttwo\\n'
>>> set b '\\tone\\ntwo\\n'
a: |
  one
  \ttwo
b: "\\tone\\ntwo\\n"

=== a literal block stays one
a: |  # c
  one

b: 1
>>> set a 'two\\n'
a: |  # c
  two

b: 1

=== a literal block that cannot hold the new value
a: |  # c
  one

b: 1
>>> set a 'two\\n\\n'
a: "two\\n\\n"  # c

b: 1

=== a literal block with an indicator
a: |2-  # c
    one
b: 1
>>> set a 'two'
a: |2-  # c
  two
b: 1

=== the words of a folded block that change
a: >-  # c
  one two
  three

  four
b: 1
>>> set a 'one 2 three\\nfour five'
a: >-  # c
  one 2
  three

  four five
b: 1

=== the words of a folded block that come and go
a: >- # c
  one two
  three four

  five
b: 1
>>> set a 'zero one three 3 four\\nfive six'
a: >- # c
  zero one
  three 3 four

  five six
b: 1

=== the words of a quoted text that come and go
a: "one two
  \\"three\\" four"
b: 1
>>> set a 'zero one two "three" 4'
a: "zero one two
  \\"three\\" 4"
b: 1

=== a literal block that keeps its blank lines
a: |+
  one

b: 1
>>> set a 'two\\n'
a: |
  two

b: 1

=== a folded block becomes a literal one
a: >-
  one
  two
b: 1
>>> set a 'three\\nfour'
a: |-
  three
  four
b: 1

=== a block becomes a number, its header's comment stays
a: |- # c
  one
b: 1
>>> set a 2
a: 2 # c
b: 1

=== no block where a comment below would become its text
a: x
      # deep
b: 1
>>> set a 'one\\ntwo\\n'
a: "one\\ntwo\\n"
      # deep
b: 1

=== no block where a line of blanks would become its text
a: x
   \x20
b: 1
>>> set a 'one\\ntwo\\n'
a: "one\\ntwo\\n"
   \x20
b: 1

=== no block where the text ends without a line end
a: x<EOF>
>>> set a 'one\\ntwo\\n'
a: "one\\ntwo\\n"<EOF>

=== an anchor and a tag go with the value
a: &x !!str 1 # c
b: &y
  c: 1
>>> set a 2
>>> set b.c 3
>>> set b 4
a: 2 # c
b: 4

=== an anchor above the value
a: &x # c
  b: 1
>>> set a.b 2
>>> set a.c 3
a: &x # c
  b: 2
  c: 3

=== explicit keys
? a
: 1
? b # c
: - x
? [k]
: 2
>>> set a 3
>>> set b.0 'y'
>>> set c 4
? a
: 3
? b # c
: - "y"
? [k]
: 2
c: 4

=== an explicit key without a value
? a
? b
>>> set a 1
!!! line 1: it cannot be changed in place: change it by hand

=== a single pair in a list
[a: 1, b]
>>> set 0.a 2
[a: 2, b]

=== a single pair in a list, with a comment
[a: 1, # c
 b]
>>> set 0.c 3
!!! line 1: it is a single pair in a flow list: change it by hand

=== the root
# above
x # c
# below
>>> set . 'y'
# above
"y" # c
# below

=== the root becomes a mapping
x
>>> set . {'a': 1, 'b': [2]}
a: 1
b:
- 2

=== the root behind a document's start
--- x
...
>>> set . 'y'
--- "y"
...

=== characters outside of the basic plane
a: 😀 # 😀
b: 1 # 😀
>>> set a '😀😀'
>>> set b 2
a: 😀😀 # 😀
b: 2 # 😀

=== a line separator and a byte order mark are escaped
a: x
>>> set a 'a\\u2028b\\ufeff'
a: "a\\u2028b\\ufeff"

=== directives and document marks stay
%YAML 1.1
---
a: 1
...
>>> set a 2
>>> set b 3
%YAML 1.1
---
a: 2
b: 3
...

=== a tag that would be lost
? a # c
: !x {b: 1}
>>> set a.c 2
? a # c
: !x {b: 1, c: 2}

=== a tag of the author's own is not lost
x: !Sub foo
>>> set x 'new'
!!! line 1: its tag `!Sub` would be lost

=== what becomes empty keeps its tag
x: !Sub {a: b}
>>> set x {}
x: !Sub {}

=== a list that is set keeps what stays of it
a: # why
# of x
- name: x # x
  v: 1
- two # two
- {name: z}
>>> set a [{'name': 'z'}, {'name': 'x', 'v': 2}, 'two']
a: # why
- {name: z}
# of x
- name: x # x
  v: 2
- two # two

=== elements of one name that another key tells apart
- name: dns
  port: 53 # tcp
- name: dns
  port: 54 # udp
>>> set . [{"name": "dns", "port": 54, "x": 1}, {"name": "dns", "port": 53, "x": 2}]
- name: dns
  port: 54 # udp
  x: 1
- name: dns
  port: 53 # tcp
  x: 2

=== the only element of a name is the same where others share one
- name: dns
  port: 53
- name: dns
  port: 53
- name: web # of web
  port: 80
>>> set . [{"name": "web", "port": 81}, {"name": "dns", "port": 53}, {"name": "dns", "port": 53}]
- name: web # of web
  port: 81
- name: dns
  port: 53
- name: dns
  port: 53

=== brackets stay, empty ones do not
a: [1, 2]
b: {c: 1}
c: []
>>> set a ['x', 'z']
>>> set b {'d': {'e': 1}}
>>> set c ['x']
a: [x, z]
b: {d: {e: 1}}
c:
- x

=== a comment behind an anchor
a: &x # c
  v
b: 1
>>> set a 'w'
a: w # c
b: 1

=== a comment in a block's header or behind an anchor is not lost
? a
: |  # c
  x
? b
>>> set b 1
!!! line 4: it cannot be changed in place: change it by hand

=== a block below its key's comment
a: # of a
  # why
  |- # of x
    x
b: 1
>>> set a 'one\\ntwo'
a: # of a
  # why
  |- # of x
    one
    two
b: 1

=== a plain value below its key's comment
a: # of a
  # why
  x
b: 1
>>> set a 'one\\ntwo'
>>> set a {'k': 1, 'l': 2}
a: # of a
  # why
  k: 1
  l: 2
b: 1

=== brackets below their key's comment
a: # of a
  # why
  [x, # of x
   y] # behind
b: 1
>>> set a 1
a: # of a
  # why
  1 # behind
b: 1

=== a mapping in the place of brackets below their key's comment
a: # of a
  # why
  [x]
b: 1
>>> set a {'k': 1, 'l': 2}
a: # of a
  # why
  {k: 1, l: 2}
b: 1

=== a block whose last line ends in a blank
a: |
  one\x20
b: 1
>>> set c 2
>>> set a 'two \\n'
a: |
  two\x20
b: 1
c: 2

=== a comment behind an anchor, and something behind the value
a: [&x # c
  v, w]
>>> set a.0 1
!!! line 1: it cannot be changed in place: change it by hand
"""


@tables.every_case(SET)
def test_set(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)


def test_a_long_text_is_one_change() -> None:
    editor = Editor("a: >- # c\n  one\n  two\nb: |\n  one\n")
    editor.set(("a",), "2 " * 10_000 + "2")
    editor.set(("b",), "2\n" * 10_001)
    assert editor.text == "a: |- # c\n  " + "2 " * 10_000 + "2\nb: |\n" + "  2\n" * 10_001


def test_a_block_with_an_odd_line_break_gets_a_new_text() -> None:
    editor = Editor("a: | # c\n  one\u2028\n  two\nb: 1\n")
    editor.set(("a",), "one\nthree\n")
    assert editor.text == "a: | # c\n  one\n  three\nb: 1\n"
