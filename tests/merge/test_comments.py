"""Comments stay with what they are about, to the byte: origin and local, the update, and the text that comes out."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest

from fn.merge.merge3 import Rules, merge3
from fn.merge.trees import Tree
from fn.yamltree.amending import amend
from fn.yamltree.editor import Editor
from tests.merge.sides import CUSTOM, tree

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
    editor = Editor(case.local)
    local = Tree(editor.text, editor.document.root)
    wanted = merge3(tree(case.local), tree(case.update), local, Rules(CUSTOM)).wanted
    assert wanted is not None
    amend(editor, (), wanted)
    assert editor.text == case.expected
