"""The judge of merges on histories: what it counts an answer as."""

from __future__ import annotations

import pytest

from scripts.histories import Answer, Triple, _rows

STEP = "- {name: shell, args: [test]}\n"
CLEAN = "- {name: shell, args: [clean]}\n"
MORE = "- {name: shell, args: [test], env: [A]}\n"
FIRST = "- {name: bash}\n"
CASES = {
    "both changes": ("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 2\nb: 2\n", "clean and right"),
    "a change less": ("a: 1\nb: 1\n", "a: 2\nb: 1\n", "a: 1\nb: 2\n", "a: 1\nb: 2\n", "clean, wrong"),
    "a document more on one side": ("a: 1\n", "a: 2\n", "a: 1\n---\nb: 1\n", "a: 2\n---\nb: 1\n", "clean and right"),
    "a document less than both leave": ("a: 1\n", "a: 2\n", "a: 1\n---\nb: 1\n", "a: 2\n", "clean, wrong"),
    "a name that one side has twice names nothing": (
        STEP,
        FIRST + MORE,
        CLEAN + STEP,
        FIRST + CLEAN + MORE,
        "decided in silence",
    ),
    "a target of an alias changes, and the alias goes": (
        "a: &a {x: 1}\nb: {<<: *a, y: *a}\n",
        "a: &a {x: 2}\nb: {<<: *a, y: *a}\n",
        "a: &a {x: 1}\n",
        "a: &a {x: 2}\n",
        "clean and right",
    ),
    "an alias without an anchor": ("a: &a 1\nb: 1\n", "a: &a 1\nb: *a\n", "b: 1\n", "b: *a\n", "clean, wrong"),
    "lines of a folded text": (
        "- >\n  a\n  b\n  c\n",
        "- >\n  x\n  b\n  c\n",
        "- >\n  a\n  b\n  y\n",
        "- >\n  x\n  b\n  y\n",
        "clean and right",
    ),
    "the end of the last line is no data": ("a: |\n  x", "a: |\n  x\n", "a: |\n  y", "a: |\n  y\n", "clean and right"),
    "no element that a side added may miss": (STEP, FIRST + MORE, CLEAN + STEP, FIRST + MORE, "clean, wrong"),
}


CONFLICTS = {
    "one added a comment to what the other deleted": ("a: 1\nb: 1\n", "a: 1\nb: 1 # why\n", "a: 1\n", "comments alone"),
    "both added one": ("a: 1\n", "a: 1 # u\n", "a: 1 # l\n", "comments alone"),
    "only one changed the value": ("a: 1\n", "a: 2\n", "a: 1\n", "nothing"),
    "only one changed the value, and has a comment": ("a: 1\n", "a: 2 # why\n", "a: 1\n", "nothing"),
}


@pytest.mark.parametrize(("origin", "update", "local", "row"), CONFLICTS.values(), ids=CONFLICTS)
def test_how_a_conflict_is_judged(origin: str, update: str, local: str, row: str) -> None:
    triple = Triple("repository: file.yaml", "commit", origin.encode(), update.encode(), local.encode())
    marked = f"<<<<<<< HEAD\n{local}=======\n{update}>>>>>>> update\n"
    assert _rows(Answer(marked.encode(), 1), triple) == {"triples", "conflict", f"conflict of {row}"}


@pytest.mark.parametrize(("origin", "update", "local", "answer", "row"), CASES.values(), ids=CASES)
def test_how_an_answer_is_judged(origin: str, update: str, local: str, answer: str, row: str) -> None:
    triple = Triple("repository: file.yaml", "commit", origin.encode(), update.encode(), local.encode())
    assert _rows(Answer(answer.encode(), 0), triple) == {"triples", row}
