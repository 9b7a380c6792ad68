"""Comments are merged node by node, to the byte: origin (which local still is), the update, and what comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge.merge3 import Rules, merge3
from krm.merge.trees import Tree
from krm.yamltree import parser
from krm.yamltree.editor import Editor
from krm.yamltree.nodes import Sequence, at
from tests.krm.merge.sides import CUSTOM, tree, written

CASES = """\
=== of an atomic list as many elements as go take their places
l:
# cpu, mine
- {k: 1, t: r}
# mem, mine
- {k: 2, t: r}
# net, mine
- {k: 3, t: r}
+++
l:
# cpu
- {k: 1, t: r}
# mem
- {k: 2, t: s}
# net
- {k: 3, t: r}
>>>
l:
# cpu
- {k: 1, t: r}
# mem
- {k: 2, t: s}
# net
- {k: 3, t: r}

=== where more come than go none takes a place, and each has the comment of the update
l:
# cpu
- {k: 1, t: r}
# mem
- {k: 2, t: r}
+++
l:
# cpu
- {k: 1, t: r}
# disk
- {k: 3, t: r}
# mem
- {k: 2, t: s}
>>>
l:
# cpu
- {k: 1, t: r}
# disk
- {k: 3, t: r}
# mem
- {k: 2, t: s}

=== what stays but moves takes its comment along, and is no place for another
l:
# cpu
- {k: 1, t: r}
# mem
- {k: 2, t: r}
+++
l:
# mem
- {k: 2, t: r}
# disk
- {k: 3, t: r}
>>>
l:
# mem
- {k: 2, t: r}
# disk
- {k: 3, t: r}

=== a comment does not come twice where an entry comes in between it and what it was above
l:
# The head,
# in two lines.
- name: a
+++
l:
# The head,
# in two lines.
- name: new
  v: 1
- name: a
>>>
l:
# The head,
# in two lines.
- name: new
  v: 1
- name: a

=== nor the comment at the head of a document, of which the rest goes
# Head.
# Mine.
a: 1
b: 2
+++
# Head.
new: 1
a: 1
b: 2
>>>
# Head.
new: 1
a: 1
b: 2

=== nor commented-out examples, with a blank line above and others that come in
a: 1

# x: 1
# y: 2
b: 2
+++
a: 1
# One.
one: 1

# x: 1
# y: 2
two: 2
# Three.
three: 3
b: 2
>>>
a: 1
# One.
one: 1

# x: 1
# y: 2
two: 2
# Three.
three: 3

b: 2

=== the blank lines above what comes in come too
a: 1
m:
  x: 1
l:
- name: a
- name: c
+++
a: 1

b: 2

m:
  x: 1

  # of y
  y: 2
l:
- name: a

- name: b
- name: c
>>>
a: 1

b: 2
m:
  x: 1

  # of y
  y: 2
l:
- name: a

- name: b
- name: c

=== a comment that the update has above both comes with each
# optional
b: 1
+++
# optional
a: 1
# required
c: 1
# optional
b: 1
>>>
# optional
a: 1
# required
c: 1
# optional
b: 1

=== an entry behind a dash has no comment of its own above it
l:
- x: 1
+++
l:
- # new
  z: 1
  x: 1
>>>
l:
- z: 1
  x: 1
"""


class Case(NamedTuple):
    """One entry of the table. Origin is what local is."""

    local: str
    update: str
    expected: str


def read(table: str) -> dict[str, Case]:
    blocks = (block.removesuffix("\n").partition("\n") for block in f"{table}\n".split("=== ")[1:])
    return {name: Case(*re.split(r"^(?:\+\+\+|>>>)\n", text, flags=re.MULTILINE)) for name, _, text in blocks}


TABLE = read(CASES)


NO_PLACE = "update has another comment here, and there is no place for it: local's stays"
BOTH = "both sides changed the comment {} this: local's stays"

# Origin, update and local, what comes of them, and what is told.
TRIPLES = {
    "a comment has no place in brackets": (
        "a:\n  b: 1\n", "a:\n  b: 1 # new\n", "a: {b: 1}\n", "a: {b: 1}\n", [f"a.b {NO_PLACE}"]
    ),
    "nor above an object in brackets": ("a: 1\n", "# new\n\na: 1\n", "{a: 1}\n", "{a: 1}\n", [f" {NO_PLACE}"]),
    "a value comes into brackets without one": (
        "a:\n  b: 1 # x\n", "a:\n  b: 2 # x\n", "a: {b: 1}\n", "a: {b: 2}\n", []
    ),
    "what an alias shows has its comments elsewhere": (
        "a: &x\n  k: 1\nb: *x\n", "a: &x\n  k: 1 # new\nb: *x\n", "a: &x\n  k: 1\nb: *x\nc: 1\n",
        "a: &x\n  k: 1 # new\nb: *x\nc: 1\n", [],
    ),
    "a comment behind a block": (
        "a: |\n  x\n  y\n", "a: | # new\n  x\n  y\n", "a: |\n  x\n  y\n  z\n", "a: | # new\n  x\n  y\n  z\n", []
    ),
    "and behind one of which both sides changed lines": (
        "a: |\n  x\n  y\n  z\n", "a: | # new\n  X\n  y\n  z\n", "a: |\n  x\n  y\n  Z\n",
        "a: | # new\n  X\n  y\n  Z\n", [],
    ),
    "both changed what is behind": (
        "a: 1 # o\n", "a: 2 # u\n", "a: 1 # l\n", "a: 2 # l\n", [f"a {BOTH.format('behind')}"]
    ),
    "a value in the place of a mapping": (
        "a:\n  b: 1\n  # below\n", "a: 2\n  # other\n", "a:\n  b: 1\n  # below\n", "a: 2\n  # other\n", []
    ),
    "and a mapping in the place of a value": (
        "a: 1\nz: 1\n", "a:\n  b: 1\n  # below\nz: 1\n", "a: 1\nz: 1\n", "a:\n  b: 1\n  # below\nz: 1\n", []
    ),
    "a mapping of which nothing is left": (
        "a:\n  b: 1\nz: 1\n", "a: {} # new\nz: 1\n", "a:\n  b: 1\n  # mine\nz: 1\n", "a: {} # new\n  # mine\nz: 1\n", []
    ),
    "without an origin a comment above both is one": (
        "", "# Head.\nnew: 1\na: 1\n", "# Head.\na: 1\n", "# Head.\nnew: 1\na: 1\n", []
    ),
    "with an origin local's comment stays above what it is about": (
        "a: 1\n", "# Head.\nnew: 1\na: 1 # x\n", "# Head.\na: 1\n", "# Head.\nnew: 1\n# Head.\na: 1 # x\n", []
    ),
    "in a list too": (
        "l:\n- name: a\n", "l:\n# New.\n- name: new\n- name: a # x\n", "l:\n# New.\n- name: a\n",
        "l:\n# New.\n- name: new\n# New.\n- name: a # x\n", [],
    ),
    "what local writes itself was merged in before": (
        "a: &x\n  k: 1 # o\nb:\n  <<: *x\n", "a: &x\n  k: 1 # o\nb:\n  k: 2 # u\n",
        "a:\n  k: 1 # o\nb:\n  k: 1 # o\n", "a:\n  k: 1 # o\nb:\n  k: 2 # u\n", [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TRIPLES.values(), ids=TRIPLES)
def test_comments_of_three_sides(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    assert written(origin, update, local) == (expected, told)


def test_the_elements_of_a_list_of_objects_are_merged_one_by_one() -> None:
    origin, update = "items:\n- a: 1\n- a: 2\n- a: 3\n", "items:\n- a: 1\n# new\n- a: 2\n- a: 3 # new\n"
    editor = Editor("items:\n- a: 1\n- a: 2\n- b: 1\n  a: 3\n")
    for number in range(3):
        sides = []
        for text, root in ((origin, parser.parse(origin).root), (update, parser.parse(update).root)):
            items = at(root, "items")
            assert isinstance(items, Sequence)
            sides.append(Tree(text, items.kids[number], items))
        items = at(editor.document.root, "items")
        assert isinstance(items, Sequence)
        before, new = sides
        merged = merge3(before, new, Tree(editor.text, items.kids[number], items), Rules(CUSTOM))
        assert merged.wanted is not None
        editor.amend(("items", number), merged.wanted)
    assert editor.text == "items:\n- a: 1\n# new\n- a: 2\n- b: 1\n  a: 3 # new\n"


@pytest.mark.parametrize("case", TABLE.values(), ids=TABLE)
def test_a_comment_stays_with_what_it_is_about(case: Case) -> None:
    assert merged(case.local, case.update) == case.expected


def merged(local: str, update: str) -> str:
    """Return what comes of an update where local is still what origin was."""
    editor = Editor(local)
    wanted = merge3(tree(local), tree(update), Tree(local, editor.document.root), Rules(CUSTOM)).wanted
    assert wanted is not None
    editor.amend((), wanted)
    return editor.text


def entries(named: list[tuple[int, str]], *, in_list: bool) -> str:
    """Return entries, each with so many comments above it, as a list or as a mapping."""
    parts = [
        "".join(f"# {name}{number}\n" for number in range(comments))
        + (f"- name: {name}\n" if in_list else f"{name}: 1\n")
        for comments, name in named
    ]
    return ("l:\n" if in_list else "") + "".join(parts)


@given(
    there=st.lists(st.integers(0, 2), min_size=1, max_size=4),
    coming=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.booleans()), max_size=3),
    in_list=st.booleans(),
)
def test_what_comes_in_anywhere_gives_the_text_of_the_update(
    *, there: list[int], coming: list[tuple[int, int, bool]], in_list: bool
) -> None:
    """Entries come in, with comments of their own, or between an entry and its comments: all is told apart."""
    local = [(comments, name) for comments, name in zip(there, "abcd", strict=False)]
    update = entries(local, in_list=in_list).splitlines(keepends=True)
    for (index, comments, is_between), name in zip(coming, "xyz", strict=False):
        new = entries([(comments, name)], in_list=in_list).removeprefix("l:\n")
        starts = [number for number, line in enumerate(update) if not line.startswith(("#", "l:"))]
        at = starts[index % len(starts)]
        if is_between:
            update.insert(at, new.splitlines(keepends=True)[-1])
            continue
        while update[at - 1].startswith("#") and at:
            at -= 1
        update[at:at] = new.splitlines(keepends=True)
    assert merged(entries(local, in_list=in_list), "".join(update)) == "".join(update)
