"""Comments stay with what they are about, to the byte: origin and local, the update, and the text that comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge.merge3 import Rules, merge3
from krm.merge.trees import Tree
from krm.yamltree.editor import Editor
from tests.krm.merge.sides import CUSTOM, tree

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
# cpu, mine
- {k: 1, t: r}
# mem, mine
- {k: 2, t: s}
# net, mine
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

=== nor the comment at the head of a document, nor one that local goes on with
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
# Mine.
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


def written(entries: list[tuple[int, str]], *, in_list: bool) -> str:
    """Return entries, each with so many comments above it, as a list or as a mapping."""
    parts = [
        "".join(f"# {name}{number}\n" for number in range(comments))
        + (f"- name: {name}\n" if in_list else f"{name}: 1\n")
        for comments, name in entries
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
    update = written(local, in_list=in_list).splitlines(keepends=True)
    for (index, comments, is_between), name in zip(coming, "xyz", strict=False):
        new = written([(comments, name)], in_list=in_list).removeprefix("l:\n")
        starts = [number for number, line in enumerate(update) if not line.startswith(("#", "l:"))]
        at = starts[index % len(starts)]
        if is_between:
            update.insert(at, new.splitlines(keepends=True)[-1])
            continue
        while update[at - 1].startswith("#") and at:
            at -= 1
        update[at:at] = new.splitlines(keepends=True)
    assert merged(written(local, in_list=in_list), "".join(update)) == "".join(update)
