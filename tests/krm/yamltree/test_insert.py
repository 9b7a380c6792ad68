"""Elements that are inserted: before another, with its comments, or behind them all."""

from __future__ import annotations

from tests.krm.yamltree import tables

INSERT = """\
=== before, between and behind
a:
- 1
- 2
b: 3
>>> insert a.0 'x'
>>> insert a.2 'z'
>>> insert a.4 0
a:
- x
- 1
- z
- 2
- 0
b: 3

=== below the key and indented
a:
  - 1 # c
b: 2
>>> insert a.1 {'x': 1, 'z': 2}
>>> insert a.0 ['x']
a:
  - - x
  - 1 # c
  - x: 1
    z: 2
b: 2

=== comments above an element are its own
a:
# of 1
- 1
# of 2
- 2

# of nothing
>>> insert a.1 'x'
>>> insert a.0 'z'
>>> insert a.4 0
a:
- z
# of 1
- 1
- x
# of 2
- 2
- 0

# of nothing

=== a comment at another column is apart from the next element
a:
  - 1
 # what
  - 2
>>> insert a.1 'x'
a:
  - 1
  - x
 # what
  - 2

=== a list of lists
- - 1
  - 2
- 3
>>> insert 0.0 'x'
>>> insert 0.3 'z'
>>> insert 0 0
- 0
- - x
  - 1
  - 2
  - z
- 3

=== into a mapping in a list
- a: 1
  # of b
  b: 2
>>> set 0.c 3
>>> insert 0 {'x': 1}
- x: 1
- a: 1
  # of b
  b: 2
  c: 3

=== behind a mapping, with what is deeper
- a:
    b: 1
    # of b
- c
>>> insert 1 'x'
- a:
    b: 1
    # of b
- x
- c

=== behind a block
- |
  one

- two
>>> insert 1 'x'
- |
  one

- x
- two

=== behind a block that keeps its blank lines
- |+
  one

- two
>>> insert 1 'x'
- |+
  one

- x
- two

=== behind a block with a comment deeper than its text
- a: |
    one
      # two
  # three
- b
>>> insert 1 'x'
>>> set 0.c 1
- a: |
    one
      # two
  c: 1
  # three
- x
- b

=== behind a block at the end of a text without a line end
- |
  one<EOF>
>>> insert 1 'x'
- |-
  one
- x<EOF>

=== behind a plain scalar at the end of a text without a line end
- one<EOF>
>>> insert 1 'x'
>>> insert 2 {'a': 1, 'b': 2}
- one
- x
- a: 1
  b: 2<EOF>

=== behind a scalar of several lines
- one
  two
- "three
  four"
>>> insert 1 'x'
>>> insert 3 'z'
- one
  two
- x
- "three
  four"
- z

=== a block that would take a comment in
- a
    # deep
- b
>>> insert 1 'one\\ntwo'
- a
    # deep
- |-
  one
  two
- b

=== into a flow list
a: [1, 2] # c
b: []
c: [ 1, 2 ]
>>> insert a.0 'x'
>>> insert a.2 'z'
>>> insert a.4 'a, b'
>>> insert b.0 'x'
>>> insert c.2 3
a: [x, 1, z, 2, "a, b"] # c
b:
- x
c: [ 1, 2, 3 ]

=== into a flow list over several lines
a: [
  1, # of 1
  # of 2
  2  # of 2
]
>>> insert a.0 'x'
>>> insert a.2 {'k': 'v'}
>>> insert a.4 0
a: [
  x,
  1, # of 1
  {k: v},
  # of 2
  2,  # of 2
  0
]

=== into a flow list with a trailing comma
[1, 2,]
>>> insert 2 3
>>> insert 0 0
[0, 1, 2, 3,]

=== into a flow mapping
a: {b: 1, "c":}
>>> set a.d 2
a: {b: 1, "c": , d: 2}

=== into an empty list with a comment
a: [
  # c
]
>>> insert a.0 1
a: [1
  # c
]

=== a string that is plain in a block but not in brackets
- a
- [b]
>>> insert 1 'x, y'
>>> insert 2.1 'x, y'
- a
- x, y
- [b, "x, y"]

=== an empty element
-
- # c
-
>>> insert 1 'x'
>>> insert 4 'z'
-
- x
- # c
-
- z

=== explicit keys
? - a
: - b
>>> set c 1
? - a
: - b
c: 1

=== before a list that is the value of an explicit key
? a
: - b
>>> insert a.0 'x'
? a
: - x
  - b

=== behind `---` and before `...`
---
- a
...
>>> insert 1 'b'
>>> insert 0 'c'
---
- c
- a
- b
...

=== behind `---` in its line
--- # c
a: 1
>>> set b 2
--- # c
a: 1
b: 2

=== wide characters
- 😀: é # 😀
  b: 1
>>> set 0.ü '😀'
>>> insert 1 '😀'
- 😀: é # 😀
  b: 1
  ü: 😀
- 😀
"""


@tables.every_case(INSERT)
def test_insert(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)
