"""docs/reference/merge.md, "What is data": in git, too, a value and the template in its comment are one."""

from __future__ import annotations

import pytest

from krm.git import cascade
from krm.git.line_merge import MARKER_SIZE, Labels, ThreeTexts

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"
RAN = "  a: x-1 # expand: x-$(A)\n"
BRACKETS = "  # expand: a: [x-$(A), w, y]\n  a: [x-1, w, y]\n"
TOGETHER = {
    "one template, and other brackets": (
        BRACKETS,
        BRACKETS.replace("x-1", "x-2"),
        BRACKETS.replace("x-1, w, y", "x-1, w, z"),
        BRACKETS.replace("x-1, w, y", "x-2, w, z"),
    ),
    "another template from one side": (
        f"{RAN}  b: 1\n",
        f"{RAN.replace('x-', 'y-')}  b: 1\n",
        f"{RAN}  b: 2\n",
        f"{RAN.replace('x-', 'y-')}  b: 2\n",
    ),
    "an entry that is gone": (f"{BRACKETS}  b: 1\n", "  b: 2\n", f"{BRACKETS}  b: 1\n", "  b: 2\n"),
}
APART = {
    "a template and a value": (RAN, RAN.replace("x-$", "x$"), RAN.replace("x-1", "x-2")),
    "a template of brackets and their value": (
        BRACKETS,
        BRACKETS.replace("$(A)", "$(B)"),
        BRACKETS.replace("x-1", "x-2"),
    ),
    "two values of one template": (RAN, RAN.replace("x-1", "x-2"), RAN.replace("x-1", "x-3")),
}


@pytest.mark.parametrize("case", TOGETHER)
def test_they_come_together(case: str) -> None:
    origin, update, local, expected = TOGETHER[case]
    assert merged(origin, update, local) == (expected, 0)


@pytest.mark.parametrize("case", APART)
def test_one_from_each_side_is_a_conflict(case: str) -> None:
    origin, update, local = APART[case]
    assert merged(origin, update, local) == (f"<<<<<<< HEAD\n{local}=======\n{update}>>>>>>> update\n", 1)


def merged(origin: str, update: str, local: str) -> tuple[str, int]:
    texts = ThreeTexts((HEAD + origin).encode(), (HEAD + update).encode(), (HEAD + local).encode())
    merge = cascade.merge(texts, "a.yaml", Labels(), MARKER_SIZE)
    return merge.text.decode().removeprefix(HEAD), merge.conflicts
