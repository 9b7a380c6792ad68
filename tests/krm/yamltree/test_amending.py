"""What is wanted of a text, to the byte: what local says, what the update does, and the text that comes out.

    === what the case shows
    a: 1  # mine
    +++
    a: 2
    >>>
    a: 2  # mine

`!!!` is the EditError that has to come instead. `<EOF>` ends a text that has no final line end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple
from unittest.mock import Mock, call

import pytest

from krm.yamltree import Verbatim, nodes, parser
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence
from krm.yamltree.positions import Excerpts, NotSpliceable
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, Rewritten, in_its_place
from tests.krm.yamltree import amendments

if TYPE_CHECKING:
    from krm.yamltree.target import Target

AMENDED = """\
=== a scalar keeps its comment, its quotes and all around it
# top
a:   'x'   # why
b: 1
+++
a: "y"
b: 1
>>>
# top
a:   'y'   # why
b: 1

=== a comment of the update's own takes the place of local's
a: 1  # mine
b: 2  # mine
c: 3
+++
a: 2 # yours
b: 3
c: 4   # new
>>>
a: 2 # yours
b: 3  # mine
c: 4   # new

=== an entry behind a block that has no final line end
a: |
  x<EOF>
+++
a: |-
  x
b: 1
>>>
a: |-
  x
b: 1<EOF>

=== an entry behind a mapping that ends in a block of no final line end
a:
  b: >+ # of b
    x<EOF>
+++
a:
  b: x
c: 1
>>>
a:
  b: >- # of b
    x
c: 1<EOF>

=== an entry behind a block of no final line end that goes
a:
  b: |
    x<EOF>
+++
a:
  b: 1
c: 1
>>>
a:
  b: 1
c: 1<EOF>

=== an element that is a block of no final line end moves
-
- |
  x<EOF>
+++
- x
-
- |
  x<EOF>
>>>
- |-
  x
-
- |-
  x

=== an element that ends in a block of no final line end moves, and the block goes
- 1
- name: a
  b: |
    x<EOF>
+++
- name: a
  b: 2
- 1
>>>
- name: a
  b: 2
- 1

=== comments that stand above the next element already do not come twice
- a
# of b
- c
+++
- a
# of b
- b
- c
>>>
- a
# of b
- b
- c

=== an entry comes below a part of the comments above the first one
# of b
# of c
c: 1
+++
# of b
b: 1
c: 1
>>>
# of b
b: 1
# of c
c: 1

=== the same comment stays as it is written
a: 1    # why
+++
a: 2 # why
>>>
a: 2    # why

=== a string keeps local's quotes, another type comes as it is written
a: 'x'
b: "x"
c: x
d: "1"
e: 1
f: 1
+++
a: y
b: 'y'
c: "8080"
d: 0x1F
e: '1'
f: 1_000
>>>
a: y
b: "y"
c: "8080"
d: 0x1F
e: '1'
f: 1_000

=== numbers keep their form
a: 1
+++
a: 1.50
>>>
a: 1.50

=== a null comes and goes
a:
b:  # c
c: ~
d: 1
+++
a: 1
b: x
c: {x: 1}
d:
>>>
a: 1
b: x  # c
c: {x: 1}
d: null

=== a literal block in the place of another
a: |  # c
    one
    two
b: 1
+++
a: |
  one
  three
b: 1
>>>
a: |  # c
  one
  three
b: 1

=== a block scalar in the place of a plain one, as it is written
a: x  # mine
b: 1
+++
a: >-  # folded
    one
    two

    three
b: 1
>>>
a: >-  # folded
    one
    two

    three
b: 1

=== a line in the place of a block
a: |
  one
  two
b: 1
+++
a: x
b: 1
>>>
a: |-
  x
b: 1

=== a plain scalar of several lines
a:
  b: x
+++
a:
    b: one
      two
>>>
a:
  b: one
    two

=== quotes of several lines
a:
  b: x  # c
+++
a:
    b: "one
      two"
>>>
a:
  b: "one
    two"  # c

=== a mapping in the place of a scalar, with its comments
a: 1  # mine
z: 1
+++
a:  # yours
  # of b
  b: 1  # in b
  # below
z: 1
>>>
a:  # yours
  # of b
  b: 1  # in b
  # below
z: 1

=== a mapping in the place of a scalar takes its comment over
a: 1  # mine
z: 1
+++
a:
    b: 1
z: 1
>>>
a:  # mine
    b: 1
z: 1

=== a scalar in the place of a mapping
a:  # mine
  # of b
  b: 1
z: 1
+++
a: 1
z: 1
>>>
a: 1  # mine
z: 1

=== a list in the place of a scalar, indented as local's are
x:
- 1
a: 1
z:
  a: 1
+++
x:
  - 1
a:
  # of 1
  - 1
z:
  a:
    - b: 1
>>>
x:
- 1
a:
# of 1
- 1
z:
  a:
  - b: 1

=== a list in the place of a mapping, indented as local's are
x:
  - 1
a:
  b: 1
+++
x:
- 1
a:
- c: 1
  d:
  - 2
>>>
x:
  - 1
a:
  - c: 1
    d:
      - 2

=== brackets in the place of a scalar
a: 1 # c
b: 2
+++
a: {x: 1,   y: [1]}
b: [  ]
>>>
a: {x: 1,   y: [1]} # c
b: [  ]

=== brackets of several lines
a:
  b: 1
+++
a:
    b: {
      x: 1, # c
      y: 2
    }
>>>
a:
  b: {
    x: 1, # c
    y: 2
  }

=== new entries come behind the one before them
b: 1
# of d
d: 1
+++
a: 1
b: 1
# of c
c: 1  # in c
d: 1
e: 1
>>>
a: 1
b: 1
# of c
c: 1  # in c
# of d
d: 1
e: 1

=== a new first entry with comments, behind a dash
- # of b
  b: 1
+++
- # of a
  a: 1
  b: 1
>>>
- # of b
  a: 1
  b: 1

=== a new first element with comments
a:
  # of 2
  - 2
+++
a:
- 1 # in 1
- 2
>>>
a:
  - 1 # in 1
  # of 2
  - 2

=== new entries where blank lines part the others
a: 1

b: 1

# of d
d: 1
+++
a: 1
b: 1
c: 1
d: 1
>>>
a: 1

b: 1
c: 1

# of d
d: 1

=== new entries behind nested ones with comments below
a:
  b: 1
  # below b
    # deeper
# of z
z: 1
+++
a:
  b: 1
  c: 1
y: 1
z: 1
>>>
a:
  b: 1
  c: 1
  # below b
    # deeper
y: 1
# of z
z: 1

=== an entry with all that is in it
spec:
  a: 1
+++
# not mine
spec:
    # head
    b:   # in the line of b
        # inside
        - "x"   # of x
        - y:   'z'
          # below y
        # below the list
      # below b
    # head of a
    a: 1
>>>
spec:
  # head
  b:   # in the line of b
      # inside
      - "x"   # of x
      - y:   'z'
        # below y
      # below the list
    # below b
  a: 1

=== lists that come in are indented as those of local
spec:
  list:
  - 1
+++
spec:
  list:
    - 1
  new:
    # head
    - a:
        - b:
            - |
              text
            - {c: [
                1]}
      # deep
    - d
>>>
spec:
  list:
  - 1
  new:
  # head
  - a:
    - b:
      - |
        text
      - {c: [
          1]}
    # deep
  - d

=== lists that come in are indented as those of local: wide ones
spec:
  list:
    - 1
+++
spec:
  list:
  - 1
  new:
  # head
  - a:
    - b:
      - |
        text
    # deep
  - d
>>>
spec:
  list:
    - 1
  new:
    # head
    - a:
        - b:
            - |
              text
      # deep
    - d

=== an entry of a deeper place, with a block and its indicator
a:
    b:
        c: 1
+++
a:
  b:
    c: 1
    d: |2-
       leading

      text
    e: |+
      kept

    f: 1
>>>
a:
    b:
        c: 1
        d: |2-
           leading

          text
        e: |+
          kept

        f: 1

=== into an empty mapping and an empty list
a: {}  # of a
b: []
c:
  d: {}
+++
a:
  # head
  x: 1
b:
- 1
- y: 1
c:
  d:
    e: 1
>>>
a:  # of a
  # head
  x: 1
b:
- 1
- y: 1
c:
  d:
    e: 1

=== into empty brackets at the root
{}
+++
a:
  b: 1
>>>
a:
  b: 1

=== what becomes empty
a:  # of a
  b: 1
  c: 2
d:
  - 1
  - 2
e: {f: 1}
+++
a: {}
d: []
e: {}
>>>
a: {}  # of a
d: []
e: {}

=== entries go with their comments
# of a
a: 1
# of b
b:
  c: 1
  # below c
# of d
d: 1 # in d
e: 1

# of f
f: 1
+++
a: 1
e: 1
>>>
# of a
a: 1
e: 1


=== entries behind a dash go
- a: 1
  b: 2
  c: 3
- a: 1
  b: 2
- d: 1
  e: 2
+++
- c: 3
- b: 2
- x: 1
  e: 2
>>>
- c: 3
- b: 2
- x: 1
  e: 2

=== the first entry behind a dash is exchanged
- a: 1  # of a
  b: 2
+++
- # of x
  x: 1
  b: 2
>>>
- x: 1
  b: 2

=== every entry is exchanged
- a: 1
- z:
    a: 1
+++
- x: 1
  y: 2
- z:
    # of b
    b: 1
>>>
- x: 1
  y: 2
- z:
    # of b
    b: 1

=== elements come, go and stay
a:
- 1  # one
# of 2
- 2
- 3  # three
+++
a:
- 0  # zero
- 1
- 3
- 4
>>>
a:
- 0  # zero
- 1  # one
- 3  # three
- 4

=== every element is exchanged
args:  # why
- a
# of b
- b
x: 1
+++
args:
  - c  # of c
  - d
x: 1
>>>
args:  # why
- c  # of c
# of b
- d
x: 1

=== elements move with their comments, and change on the way
list:
# of a
- name: a  # a
  value: 1
  # below a
# of b
- name: b  # b
  value: 1

- name: c
  value: 1
+++
list:
- name: c
  value: 2
- name: b
  value: 1
- name: a
  value: 2
  new: 1
>>>
list:
- name: c
  value: 2
# of b
- name: b  # b
  value: 1
# of a
- name: a  # a
  value: 2
  new: 1
  # below a


=== a list behind a dash
- - 1
  - 2
- - a: 1
    b: 2
  - 3
+++
- - 2
  - 1
- - b: 2
    c: 1
  - 4
>>>
- - 2
  - 1
- - b: 2
    c: 1
  - 4

=== into brackets
a: {b: 1, c: [x, y]}  # c
d: [1, 2, 3]
+++
a:
  new: # lost
    x: [1]
  b: 1
  c:
  - x
  - "z"
  - y
d: [3, 2]
>>>
a: {new: {x: [1]}, b: 1, c: [x, "z", y]}  # c
d: [3, 2]

=== into brackets of several lines
a: {
  b: 1,
  c: 2
}
+++
a: {b: 1, n: {x: 'y'}, c: 3, d: 4}
>>>
a: {
  b: 1,
  "n": {x: 'y'},
  c: 3,
  d: 4
}

=== brackets with comments, one change
a: [
  1, # one
  2 # two
]
+++
a: [1, 2, 3]
>>>
a: [
  1, # one
  2, # two
  3
]

=== brackets with comments, several changes
a: [
  1, # one
  2, # two
  3
]
+++
a: [0, 2, 3, 4]
>>>
a: [
  0, # one
  2, # two
  3,
  4
]

=== elements between brackets move with their comments
[a, # of a
 b, # of b
 {c: 1}]
+++
[{c: 1}, b, a]
>>>
[{c: 1},
 b, # of b
 a # of a
 ]

=== elements move with their comments where something is shared
a: &x 1
b: *x
l:
- {c: 1}  # of c
- {d: 1}  # of d
+++
a: 2
b: 1
l: [{d: 1}, {c: 1}]
>>>
a: 2
b: 1
l:
- {d: 1}  # of d
- {c: 1}  # of c

=== to the end of a text without a final line end
a:
  b: 1<EOF>
+++
a:
  b: 1
  c: 2
d: 3
>>>
a:
  b: 1
  c: 2
d: 3<EOF>

=== the end of a text without a final line end goes
a: 1
b: 1<EOF>
+++
a: 1
>>>
a: 1

=== aliases follow what all of them want
a: &x {b: 1}
c: *x
+++
a: {b: 2}
c: {b: 2}
>>>
a: &x {b: 2}
c: *x

=== an alias that wants something else
a: &x {b: 1}
c: *x
d: *x
+++
a: {b: 1}
c: {b: 2}
d: {b: 1}
>>>
a: &x {b: 1}
c: {b: 2}
d: *x

=== what an alias shows stays where the anchor changes
a: &x
  b: 1
c: *x
+++
a: {b: 2}
c: {b: 1}
>>>
a: &x
  b: 2
c:
  b: 1

=== what an alias shows stays where the anchor goes
a: &x
  b: 1
c: *x
+++
c: {b: 1}
>>>
c:
  b: 1

=== a merge key stays, its keys follow, or get one of their own
a: &x
  b: 1
  c: 1
d:
  <<: *x
  e: 1
f:
  <<: *x
+++
a:
  b: 1
  c: 2
d:
  b: 1
  c: 2
  e: 2
f:
  b: 2
  c: 2
>>>
a: &x
  b: 1
  c: 2
d:
  <<: *x
  e: 2
f:
  <<: *x
  b: 2

=== what shares comes in resolved
a: 1
+++
x: &x {b: 1}
a: 1
y: # lost
  <<: *x
  c: *x
>>>
x:
  b: 1
a: 1
"y":
  c:
    b: 1
  b: 1

=== an explicit key stays where it is
? a
: 1
b: 2
+++
a: 1
b: 3
c: 4
>>>
? a
: 1
b: 3
c: 4

=== an explicit key goes
? a
: 1
b: 2
+++
b: 2
>>>
!!! line 1: its key is written with `?`: change it by hand

=== a value below its key
a:
  x
b:
  "y"
+++
a: y
b:
  c: 1
>>>
a:
  y
b:
  c: 1

=== tags
a: !!str 1
b: 1
c: 1
+++
a: !!str 2
b: !!str 1
c: !!map {d: 1}
>>>
a: "2"
b: !!str 1
c: !!map {d: 1}

=== a block before comments that stand deeper
a: 1
    # deep
b: 1
+++
a: |
  x
b: 1
c: >
  y
>>>
a: "x\\n"
    # deep
b: 1
c: "y\\n"

=== the document start stays
--- # c
a: 1
+++
a: 2
b: 1
>>>
--- # c
a: 2
b: 1

=== a root of another kind
# top
- 1
+++
a:
  b: 1
>>>
# top
a:
  b: 1

=== a string keeps local's quotes in brackets too
a: {b: 'x', c: y, d: "1"}
+++
a:
  b: z
  c: 'w'
  d: 1
>>>
a: {b: 'z', c: 'w', d: 1}

=== a scalar of a list that gives way leaves its comment
args:
- --port=80  # public
# why
- --v=1
- last
+++
args: [--port=81, --v=2, last]
>>>
args:
- --port=81  # public
# why
- --v=2
- last

=== as many scalars behind one that stays
a:
- x
- y # why
- z
b: 1
+++
a:
- x
- v
- w # new
b: 1
>>>
a:
- x
- v # why
- w # new
b: 1

=== other scalars than before, at the same places or not
a:
- x # of x
- y
- z
b:
- x # of x
- y # of y
+++
a:
- y
- w
- z
b:
- 1
- y
- 2
>>>
a:
- y
- w
- z
b:
- 1 # of x
- y # of y
- 2

=== a list that comes in is indented as local's are already
a:
  - 1
+++
a:
- 1
b:
  - c:
      - 1
>>>
a:
  - 1
b:
  - c:
      - 1

=== entries behind a dash go, and a comment stands between them
- a: 1
 # between
  b: 2
  c: 3
+++
- c: 3
>>>
-
 # between
  c: 3

=== a scalar below comments gives way to a mapping
a: # of a
  # why
  x
b: 1
+++
a:
  c: 1
  d: 2
b: 1
>>>
a: # of a
  # why
  c: 1
  d: 2
b: 1

=== into empty brackets with a comment
a: { # of a
  }
+++
a: {b: 1}
>>>
a: {b: 1 # of a
  }

=== an anchor that nothing names goes with what becomes empty
a: &x {b: 1}
+++
a: {}
>>>
a: {}

=== what changes where an alias stays is made step by step
a: &x {b: 1}
c: *x
d: {e: 1}
l: [1]
m: [*x, 1, 2, {e: 1}]
n: [1]
+++
a: {b: 2}
c: {b: 1}
d: {}
l: []
m: [2, {b: 1}, {e: 2}]
n: [{}]
>>>
a: &x {b: 2}
c:
  b: 1
d: {}
l: []
m: [2, {b: 1}, {e: 2}]
n: [{}]

=== an explicit key gets another value, with a comment below it
a:
  ? b
  : 1
  # below b
+++
a:
  b:
    d: 1
>>>
!!! line 3: its key is written with `?`: change it by hand

=== an entry that comes from brackets
a: 1
+++
{a: 1, b: {c: x}}
>>>
a: 1
b:
  c: x

=== a root that is a block
- a
+++
|
  a
  b
>>>
|
  a
  b

=== a block of no final line end comes in above others
a: x
+++
b:
  # of c
  c: |  # behind c
    x<EOF>
>>>
b:
  # of c
  c: |-  # behind c
    x
"""


class Case(NamedTuple):
    """One entry of the table."""

    local: str
    update: str
    after: str


def cases() -> dict[str, Case]:
    """Return the cases of the table by their names."""
    found = {}
    for block in AMENDED.split("=== ")[1:]:
        name, _, rest = block.partition("\n")
        local, _, rest = rest.partition("+++\n")
        update, _, after = rest.partition(">>>\n")
        assert name not in found, f"two cases are called {name!r}"
        found[name] = Case(
            text(local), text(update), text(after.removesuffix("\n") if after.endswith("\n\n") else after)
        )
    return found


def text(shown: str) -> str:
    """Return the text that is shown in a table."""
    found, marker, _ = shown.partition("<EOF>\n")
    return found if marker else shown


@pytest.mark.parametrize("case", cases().values(), ids=cases())
def test_amended(case: Case) -> None:
    try:
        after = amendments.amended(case.local, case.update)
    except EditError as error:
        after = f"!!! {error}\n"
    assert after == case.after


JSON = {
    "on one line": (
        '{"a": 1, "b": {"c": [1, 2]}}\n',
        "a: 2\nb:\n  c: [2, 0x1f, 'x', x, ~]\n  d: 1.50\n",
        '{"a": 2, "b": {"c": [2, 31, "x", "x", null], "d": 1.50}}\n',
    ),
    "a line for each": (
        '{\n  "a": 1,\n  "b": [\n    {"name": "k"},\n    {"name": "l", "v": 1}\n  ],\n  "c": {}\n}\n',
        "b: [{name: l, v: 2}, {name: m}, {name: k}]\nc: {x: [1]}\n",
        '{\n  "b": [\n    {"name": "l", "v": 2},\n    {"name": "m"},\n    {"name": "k"}\n  ],\n  "c": {"x": [1]}\n}\n',
    ),
    "what becomes empty": ('{"a": {"b": 1}, "c": [1]}', "{a: {}, c: []}", '{"a": {}, "c": []}'),
}


@pytest.mark.parametrize(("local", "update", "after"), JSON.values(), ids=JSON)
def test_json_stays_json(local: str, update: str, after: str) -> None:
    assert amendments.amended(local, update, json=True) == after


LINE_ENDS = {
    "LF comes into CRLF": (
        "a: 1\r\nb:\r\n- 1\r\n",
        "a: |\n  x\n  y\nb:\n  - 2\n  # c\n  - c: 1\n    d: 1\n",
        "a: |\r\n  x\r\n  y\r\nb:\r\n- 2\r\n# c\r\n- c: 1\r\n  d: 1\r\n",
    ),
    "CRLF comes into LF": (
        "a: 1\nb:\n- 1\n",
        "a: |\r\n  x\r\n  y\r\nb:\r\n  - 2\r\n  # c\r\n  - c: 'x\r\n      y'\r\n",
        "a: |\n  x\n  y\nb:\n- 2\n# c\n- c: 'x\n    y'\n",
    ),
    "other line breaks in a value come in as they are": (
        "a: 1\n",
        "a: 1\nb: # c\n  c: 'x\u2028y'\n",
        "a: 1\nb: # c\n  c: 'x\u2028y'\n",
    ),
    "other line breaks elsewhere come in as a value alone": (
        "a: 1\n",
        "a: 1\nb: # c\u2028\n  c: 2\n",
        "a: 1\nb:\n  c: 2\n",
    ),
}


@pytest.mark.parametrize(("local", "update", "after"), LINE_ENDS.values(), ids=LINE_ENDS)
def test_line_ends_are_those_of_where_it_comes_in(local: str, update: str, after: str) -> None:
    assert amendments.amended(local, update) == after


def texts_of(local: str, update: str, path: tuple[str | int, ...]) -> tuple[Editor, Graft]:
    """Return an editor of `local`, and what stands at `path` in `update`."""
    root = parser.parse(update).root
    parent, node = nodes.written_at(root, path[:-1]), nodes.written_at(root, path)
    assert isinstance(parent, Collection)
    assert node is not None
    return Editor(local), Graft(update, parent, node)


PLACES = {
    "an entry": ("a:\n  b: 1  # c\n", ("a", "b"), "x: y\n", "a:\n  b: y  # c\n"),
    "an entry that is not there": (
        "a:\n  b: 1\nc: 1\n",
        ("a", "x"),
        "x: # x\n  y: 1\n",
        "a:\n  b: 1\n  x: # x\n    y: 1\nc: 1\n",
    ),
    "an element": ("a:\n- 1\n- b: 1 # c\n", ("a", 1, "b"), "x: 2\n", "a:\n- 1\n- b: 2 # c\n"),
    "a list in the place of an element": (
        "a:\n- []\n- b\n",
        ("a", 0),
        "- - 1\n  - 2\n",
        "a:\n-\n  - 1\n  - 2\n- b\n",
    ),
    "the value of another key": ("a: 1\n", ("b",), "x: # x\n  c: 1\n", "a: 1\nb:\n  c: 1\n"),
    "an element in the place of an entry": (
        "a: 1 # a\n",
        ("a",),
        "- b: 1\n  # of c\n  c: 1\n",
        "a: # a\n  b: 1\n  # of c\n  c: 1\n",
    ),
    "below an alias": ("a: &x {b: 1}\nc: *x\n", ("c", "b"), "b: 2\n", "a: &x {b: 1}\nc:\n  b: 2\n"),
    "what `<<` merges in": (
        "a: &x\n  b: {c: 1}\nd:\n  <<: *x\n",
        ("d", "b", "c"),
        "c: 2\n",
        "a: &x\n  b: {c: 1}\nd:\n  <<: *x\n  b:\n    c: 2\n",
    ),
}


@pytest.mark.parametrize(("local", "path", "update", "after"), PLACES.values(), ids=PLACES)
def test_amended_at_a_place(local: str, path: tuple[str | int, ...], update: str, after: str) -> None:
    editor, graft = texts_of(local, update, (0 if update.startswith("-") else update[0],))
    editor.amend(path, graft)
    assert editor.text == after


@pytest.mark.parametrize("path", [("b", "c"), ("a", "b"), ("l", 1), ("l", "x")])
def test_no_way_leads_to_a_place(path: tuple[str | int, ...]) -> None:
    editor, graft = texts_of("a: 1\nl: [1]\n", "x: 1\n", ("x",))
    with pytest.raises(KeyError):
        editor.amend(path, graft)
    assert editor.text == "a: 1\nl: [1]\n"


VALUES = {
    "scalars": ({"a": None, "b": "8080"}, 'a: null # of a\nb: "8080"\n'),
    "collections": ({"a": {"x": ["y", {}]}, "b": ["y", []]}, 'a: # of a\n  x:\n  - "y"\n  - {}\nb:\n- "y"\n- []\n'),
    "a block": ({"a": "one\ntwo\n", "b": 1}, "a: | # of a\n  one\n  two\nb: 1\n"),
}


@pytest.mark.parametrize(("values", "after"), VALUES.values(), ids=VALUES)
def test_values_that_stand_in_no_text(values: dict[str, Any], after: str) -> None:
    editor = Editor("a: 1 # of a\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    editor.amend((), AmendedMapping(root, values))
    assert editor.text == after


def test_a_scalar_that_stands_in_no_text_takes_the_place_of_one() -> None:
    editor = Editor("- 1 # of 1\n- a: 1\n")
    root = editor.document.root
    assert isinstance(root, Sequence)
    editor.amend((), AmendedSequence(root, [in_its_place(root.kids[0], "x"), root.kids[1]]))
    assert editor.text == "- x # of 1\n- a: 1\n"


def test_elements_that_stand_in_no_text() -> None:
    editor = Editor("- a: 1 # of a\n- 2\n")
    root = editor.document.root
    assert isinstance(root, Sequence)
    editor.amend((), AmendedSequence(root, [root.kids[0], {"b": 1, "c": [2]}, "x", root.kids[1]]))
    assert editor.text == "- a: 1 # of a\n- b: 1\n  c:\n  - 2\n- x\n- 2\n"


def test_elements_that_move_where_an_alias_shows_them() -> None:
    editor = Editor("a: &x\n- p: 1\n- q: 2\nb: *x\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    shown = root.get("a")
    assert isinstance(shown, Sequence)
    moved = AmendedSequence(shown, [shown.kids[1], shown.kids[0]])
    editor.amend((), AmendedMapping(root, {"a": shown, "b": moved}))
    assert editor.text == "a: &x\n- p: 1\n- q: 2\nb:\n- q: 2\n- p: 1\n"


UPDATE = """\
env:
  # of A
  - name: A # in A
    value: 1
    other: 2  # goes
  # of B
  - name: B
map: # of map
    # of x
    x: 1
    y: 2
"""


def test_of_a_graft_only_some_comes_in() -> None:
    editor, graft = texts_of("list: []\nz: 1\n", UPDATE, ("env",))
    env = graft.node
    assert isinstance(env, Sequence)
    first = env.kids[0]
    assert isinstance(first, Mapping)
    entries: dict[str, Target] = {key: first.entries[key] for key in ("name", "value")}
    amended = AmendedSequence(env, [AmendedMapping(first, entries)])
    editor.amend(("env",), Graft(graft.text, graft.parent, env, amended))
    assert editor.text == "list: []\nz: 1\nenv:\n  # of A\n  - name: A # in A\n    value: 1\n"


def test_of_a_graft_only_some_comes_in_as_json() -> None:
    _, graft = texts_of("", UPDATE, ("env",))
    env = graft.node
    assert isinstance(env, Sequence)
    editor = Editor('{"env": 1}', json=True)
    editor.amend(("env",), Graft(graft.text, graft.parent, env, AmendedSequence(env, [env.kids[1]])))
    assert editor.text == '{"env": [{"name": "B"}]}'


@pytest.mark.parametrize(
    ("local", "after"),
    [
        ("map: 1\n", "map: # of map\n    y: 2\n"),
        ("{map: 1}\n", '{map: {"y": 2}}\n'),
        ("a: 1\n", "a: 1\nmap: # of map\n    y: 2\n"),
    ],
)
def test_of_a_graft_only_some_takes_a_place(local: str, after: str) -> None:
    editor, graft = texts_of(local, UPDATE, ("map",))
    assert isinstance(graft.node, Mapping)
    amended = AmendedMapping(graft.node, {"y": graft.node.entries["y"]})
    editor.amend(("map",), Graft(graft.text, graft.parent, graft.node, amended))
    assert editor.text == after


@pytest.mark.pure
def test_all_that_changes_is_proven_by_one_parse(monkeypatch: pytest.MonkeyPatch) -> None:
    local = "a: 1\nb: [x]\nl:\n- name: x\n- name: y1\nd: 1\n"
    update = "n: 1\na: 2\nb: [z, y1]\nl:\n- name: y1\n- name: x\n  v: |\n    x\n"
    editor = Editor(local)
    wanted = amendments.difference(editor.document.root, update)
    parse = Mock(wraps=parser.parse)
    monkeypatch.setattr(parser, "parse", parse)
    editor.amend((), wanted)
    assert parse.mock_calls == [call(editor.text)]


REFUSED = {
    "an explicit key and comments": (
        "? a\n: 1 # c\n? b\n: 1\n",
        "a: 1\n",
        "line 1: its key is written with `?`: change it by hand",
    ),
    "the tag of a block would be lost": (
        "a: 1\n",
        "a: !x\n  b: 1\n",
        "line 1: what comes in here has a tag on a collection",
    ),
    "the tag of a new entry would be lost in brackets": (
        "{b: 1}\n",
        "b: 1\na: !x {c: 1}\n",
        "line 1: what comes in here has a tag on a collection",
    ),
    "the tag of a new element would be lost in brackets": (
        "a: 1\nb: [1]\n",
        "a: 1\nb:\n- 1\n- !x {c: 1}\n",
        "line 2: what comes in here has a tag on a collection",
    ),
    "the tag of what an alias shows would be lost": (
        "a: &x\n  b: !x {c: 1}\n  d: 1\ne: *x\n",
        "a:\n  b: !x {c: 1}\n  d: 2\ne:\n  b: !x {c: 1}\n  d: 1\n",
        "line 1: what an alias shows here has a tag on a collection",
    ),
    "an explicit key and a tag": (
        "a: 1\nb:\n  ? x\n  : 1\n  y: !x [2]\n",
        "a: 1\nb:\n  y: !x [2]\n",
        "line 3: its key is written with `?`: change it by hand",
    ),
    "a tag would be lost": (
        "a: {b: 1}\n",
        "a: {b: !x {c: 1}}\n",
        "line 1: what comes in here has a tag on a collection",
    ),
}


@pytest.mark.parametrize(("local", "update", "problem"), REFUSED.values(), ids=REFUSED)
def test_what_would_lose_something_is_refused(local: str, update: str, problem: str) -> None:
    editor = Editor(local)
    wanted = amendments.difference(editor.document.root, update)
    with pytest.raises(EditError) as error:
        editor.amend((), wanted)
    assert str(error.value) == problem
    assert editor.text == local


@pytest.mark.parametrize("update", ["a: 1\nb: 1_000\n", "a: 1\nb: 2\nc: {d: [on]}\n", "a: 1\nb: .inf\n"])
def test_into_json_goes_only_what_all_readers_take_for_one_value(update: str) -> None:
    editor = Editor('{"a": 1,\n "b": 2}', json=True)
    wanted = amendments.difference(editor.document.root, update)
    told = (
        "a value that JSON cannot say as all readers of YAML take it: put a text in quotes, write a number in decimal"
    )
    with pytest.raises(EditError, match=rf"^line [12]: what comes in here has {told}$"):
        editor.amend((), wanted)


def test_a_key_that_is_an_alias_stands_in_the_way_of_what_it_shows() -> None:
    editor = Editor("a: &x 1\n? *x\n: 1\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    with pytest.raises(EditError, match=r"^line 2: this alias is a key, or is below one that is no scalar$"):
        editor.amend((), AmendedMapping(root, {**dict(root.items()), "a": 2}))
    assert editor.text == "a: &x 1\n? *x\n: 1\n"


def test_a_merge_key_stays_with_what_it_merges_in() -> None:
    editor = Editor("a: &x\n  b: 1\nc:\n  <<: *x\n  d: 1\n  e: 1\n")
    mapping = editor.get(("c",))
    assert isinstance(mapping, Mapping)
    entries: dict[str, Target] = {"b": mapping.get("b"), "d": 2}
    editor.amend(("c",), AmendedMapping(mapping, entries))
    assert editor.text == "a: &x\n  b: 1\nc:\n  <<: *x\n  d: 2\n"


def test_a_merge_key_stays_where_an_alias_of_its_mapping_is_written_out() -> None:
    editor = Editor("x: &x\n  b: 1\ny: &y\n  <<: *x\n  d: 1\nz: *y\n")
    root, mapping = editor.document.root, editor.get(("y",))
    assert isinstance(root, Mapping)
    assert isinstance(mapping, Mapping)
    amended = AmendedMapping(mapping, {"b": mapping.get("b")})
    editor.amend((), AmendedMapping(root, {"x": root.entries["x"], "y": amended, "z": root.entries["z"]}))
    assert editor.text == "x: &x\n  b: 1\ny: &y\n  <<: *x\nz:\n  d: 1\n  b: 1\n"


def test_an_empty_text_has_no_place() -> None:
    with pytest.raises(KeyError):
        Editor("").amend((), 1)


def test_elements_move_one_by_one() -> None:
    editor = Editor("a: &x {b: 1}\nc: *x\nl: [{d: 1}, 2]\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    sequence = root.entries["l"]
    assert isinstance(sequence, Sequence)
    entries: dict[str, Target] = {
        "a": {"b": 2},
        "c": root.entries["c"],
        "l": AmendedSequence(sequence, [*reversed(sequence.kids)]),
    }
    editor.amend((), AmendedMapping(root, entries))
    assert editor.text == "a: {b: 2}\nc:\n  b: 1\nl: [2, {d: 1}]\n"


def test_a_key_that_no_path_can_name_stays() -> None:
    editor = Editor("? [x]\n: 1\na: 1\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    editor.amend((), AmendedMapping(root, {"a": 2}))
    assert editor.text == "? [x]\n: 1\na: 2\n"


def test_a_change_across_the_end_of_an_excerpt_cannot_come_in() -> None:
    excerpts = Excerpts("[a, b]", [Edit(1, 5, "c")])
    assert excerpts.part(0, 6) == "[c]"
    with pytest.raises(NotSpliceable):
        excerpts.part(1, 2)


def test_a_value_that_takes_in_what_is_behind_it_is_refused() -> None:
    editor = Editor("{z: 1, l: [2, 3], s: x}\n")
    root = editor.document.root
    assert isinstance(root, Mapping)
    sequence, scalar = root.entries["l"], root.entries["s"]
    assert isinstance(sequence, Sequence)
    assert isinstance(scalar, Scalar)
    entries: list[dict[str, Target]] = [
        {"l": AmendedSequence(sequence, [sequence.kids[0]]), "z": Verbatim("5, l: 6} #")},
        {"s": Rewritten(scalar, [Edit(0, 1, "y")]), "z": Verbatim("5, s: 6} #")},
    ]
    for wanted in entries:
        with pytest.raises(EditError, match=r"^line 1: it cannot be changed in place: change it by hand$"):
            editor.amend((), AmendedMapping(root, wanted))
    assert editor.text == "{z: 1, l: [2, 3], s: x}\n"


def test_an_element_that_is_wanted_twice_comes_again_as_a_value() -> None:
    editor = Editor("- 1 # one\n- 2\n")
    root = editor.document.root
    assert isinstance(root, Sequence)
    editor.amend((), AmendedSequence(root, [root.kids[0], root.kids[0], root.kids[1]]))
    assert editor.text == "- 1 # one\n- 1\n- 2\n"


def test_what_of_a_graft_comes_in_can_be_asked_for() -> None:
    editor, graft = texts_of("a: 1\n", "n:\n  x: 'y' # x\n  z: 1\n", ("n",))
    assert isinstance(graft.node, Mapping)
    amended = AmendedMapping(graft.node, {"x": graft.node.entries["x"]})
    changes = editor.changes()
    changes.put(("n",), graft)
    assert [changes.has(("n", key)) for key in "xyz"] == [True, False, True]
    changes.put(("n",), Graft(graft.text, graft.parent, graft.node, amended))
    assert [changes.has(("n", key)) for key in "xyz"] == [True, False, False]
    editor.make(changes)
    assert editor.text == "a: 1\nn:\n  x: 'y' # x\n"


def test_the_tag_of_what_is_written_elsewhere_would_be_lost() -> None:
    editor = Editor("a: 1\nb: !x {c: 1}\n")
    tagged = editor.get(("b",))
    assert isinstance(tagged, Mapping)
    with pytest.raises(EditError, match=r"^line 1: what comes in here has a tag on a collection$"):
        editor.amend(("a",), tagged)
    assert editor.text == "a: 1\nb: !x {c: 1}\n"
