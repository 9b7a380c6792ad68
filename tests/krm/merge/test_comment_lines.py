"""Comments of which both sides changed lines, and comments that have no place in the result, which is told."""

from __future__ import annotations

import pytest

from tests.krm.merge.sides import written

KEPT = "update has another comment here: local's stays"
LEFT = "update has another comment for this, which is gone"
LOST = "this is deleted, and a comment of local's with it"

# Origin, update, local and what comes of it, then what is told.
CASES: dict[str, tuple[str, str, str, str, list[str]]] = {
    "of a list without keys an element that local changed is the one that it was": (
        "l:\n- e: 1\n  f: 1\n- e: 2\n",
        "l:\n- e: 1\n  # new\n  f: 1\n- e: 2\n",
        "l:\n- e: 1\n  f: 2\n- e: 2\n",
        "l:\n- e: 1\n  # new\n  f: 2\n- e: 2\n",
        [],
    ),
    "and one with a comment behind it": (
        "l:\n- e: 1\n- e: 2\n",
        "l:\n- e: 1 # new\n- e: 2\n",
        "l:\n- e: 3\n- e: 2\n",
        "l:\n- e: 3\n- e: 2\n",
        [f"l[0].e {KEPT}"],
    ),
    "one that each side moved elsewhere stands where local has it": (
        "a: 1\nz: 1\n# one\nb: 1\nc: 1\n",
        "# one\na: 2\nz: 1\nb: 1\nc: 1\n",
        "a: 1\nz: 1\nb: 1\nc: 3\n# one\n",
        "a: 2\nz: 1\nb: 1\nc: 3\n# one\n",
        [],
    ),
    "sections between equal lines, one of which local moved, with other words above it": (
        "l:\n#\n# a\n#\n- name: a\n  e: 1\n#\n# w\n#\n- name: w\n  f: 1\n  g: 1\n#\n# c\n#\n- name: c\n  h: 1\n",
        "l:\n#\n# a\n#\n- name: a\n  e: 1\n#\n# w\n#\n- name: w\n  f: 1\n  g: 1\n#\n# c\n#\n- name: c\n  h: 2\n",
        "l:\n#\n# mine\n#\n- name: w\n  f: 1\n#\n# a\n#\n- name: a\n  e: 1\n#\n# c\n#\n- name: c\n  h: 1\n  i: 1\n",
        "l:\n#\n# mine\n#\n- name: w\n  f: 1\n#\n# a\n#\n- name: a\n  e: 1\n#\n# c\n#\n- name: c\n  h: 2\n  i: 1\n",
        [],
    ),
    "other lines of one comment": (
        "# one\n# two\n# three\n# four\na: 1\n",
        "# ONE\n# two\n# three\n# four\na: 1\n",
        "# one\n# two\n# three\n# FOUR\na: 1\n",
        "# ONE\n# two\n# three\n# FOUR\na: 1\n",
        [],
    ),
    "lines of a comment that touch": (
        "# one\n# two\n# three\n# four\na: 1\n",
        "# one\n# TWO\n# three\n# four\na: 1\n",
        "# one\n# two\n# THREE\n# four\na: 1\n",
        "# one\n# TWO\n# THREE\n# four\na: 1\n",
        [],
    ),
    "a blank line parts what was above": (
        "z: 1\n# one\n# two\n# three\n# four\na: 1\n",
        "z: 1\n# one\n# two\n\n# three\n# four\na: 1\n",
        "z: 1\n# ONE\n# two\n# three\n# four\na: 1\n",
        "z: 1\n# ONE\n# two\n\n# three\n# four\na: 1\n",
        [],
    ),
    "and what was above a document": (
        "# one\n# two\n# three\n# four\na: 1\n",
        "# one\n# two\n\n# three\n# four\na: 1\n",
        "# ONE\n# two\n# three\n# four\na: 1\n",
        "# ONE\n# two\n\n# three\n# four\na: 1\n",
        [],
    ),
    "other lines below a field": (
        "a:\n  b: 1\n  # one\n\n  # two\n  # three\n",
        "a:\n  b: 1\n  # ONE\n\n  # two\n  # three\n",
        "a:\n  b: 1\n  # one\n\n  # two\n  # THREE\n",
        "a:\n  b: 1\n  # ONE\n\n  # two\n  # THREE\n",
        [],
    ),
    "a line that one side moved and the other took away": (
        "a:\n  b: 1\n  # one\n  # two\n",
        "a:\n  b: 1\n  # two\n  # one\n",
        "a:\n  b: 1\n  # one\n",
        "a:\n  b: 1\n  # one\n",
        [],
    ),
    "the same line below a field": (
        "a:\n  b: 1\n  # one\n",
        "a:\n  b: 1\n  # ONE\n",
        "a:\n  b: 1\n  # mine\n",
        "a:\n  b: 1\n  # mine\n",
        [f"a {KEPT}"],
    ),
    "a comment below a block is no text of that": (
        "l:\n- |-\n  x\n- y\n",
        "l:\n- |-\n  x\n # new\n- y\n",
        "l:\n- |-\n  x\n- y\n- z\n",
        "l:\n- |-\n  x\n # new\n- y\n- z\n",
        [],
    ),
    "where all would be text there is no place": (
        "a: |\n x\nb: 1\n",
        "a: |\n  x\n # new\nb: 1\n",
        "a: |\n x\nb: 2\n",
        "a: |\n  x\n # new\nb: 2\n",
        [],
    ),
    "apart from what follows a block": (
        "l:\n- |-\n  x\n- y\n",
        "l:\n- |-\n  x\n\n# new\n\n- y\n",
        "l:\n- |-\n  x\n- y\n- z\n",
        "l:\n- |-\n  x\n\n# new\n\n- y\n- z\n",
        [],
    ),
    "at the top of a list": (
        "l:\n- name: a\n",
        "l:\n\n# new\n\n- name: a\n",
        "l:\n- name: a\nz: 1\n",
        "l:\n\n# new\n\n- name: a\nz: 1\n",
        [],
    ),
}

GONE: dict[str, tuple[str, str, str, str, list[str]]] = {
    "at an entry that local deleted": (
        "a: 1\nb: 1\n",
        "a: 1\n# new\nb: 1\n",
        "a: 1\n",
        "a: 1\n# new\n",
        [],
    ),
    "at one that local deleted as a whole": (
        "a: 1\nb:\n  c: 1\n",
        "a: 1\nb:\n  # new\n  c: 1\n",
        "a: 1\n",
        "a: 1\n",
        [f"b {LEFT}"],
    ),
    "none at one whose comment went": (
        "a: 1\n# old\nb: 1\n",
        "a: 1\nb: 1\n",
        "a: 1\n",
        "a: 1\n",
        [],
    ),
    "at an element": (
        "l:\n- name: a\n- name: b\n",
        "l:\n- name: a\n- name: b # new\n",
        "l:\n- name: a\n",
        "l:\n- name: a\n",
        [f"l[name=b] {LEFT}"],
    ),
    "at an element without a key": (
        "l:\n- 1\n- 2\n",
        "l:\n- 1\n- 2 # new\n",
        "l:\n- 1\n",
        "l:\n- 1\n",
        [f"l[1] {LEFT}"],
    ),
    "below what is no mapping now": (
        "a:\n  b: 1\n",
        "a:\n  # new\n  b: 1\n",
        "a: 1\n",
        "a: 1\n",
        [f"a.b {LEFT}"],
    ),
    "below what is no list now": (
        "a:\n- b: 1\n",
        "a:\n- b: 1 # new\n",
        "a: 1\n",
        "a: 1\n",
        [f"a[0] {LEFT}"],
    ),
    "local's goes with what update deleted": (
        "a: 1\nb: 1\n",
        "a: 1\n",
        "a: 1\nb: 1 # mine\n",
        "a: 1\n",
        [f"b {LOST}"],
    ),
    "local's goes with an element": (
        "l:\n- name: a\n- name: b\n",
        "l:\n- name: a\n",
        "l:\n- name: a\n# mine\n- name: b\n",
        "l:\n- name: a\n# mine\n",
        [],
    ),
    "a conflict of a list is told as such": (
        "l:\n- 1\n",
        "l:\n- 2\n",
        "l:\n- 3\n- 4 # mine\n",
        "l:\n- 2\n",
        [f"l[1] {LOST}"],
    ),
    "local's goes with a mapping that gives way to a value": (
        "a:\n  b: 1\n",
        "a: 2\n",
        "a:\n  # mine\n  b: 1\n",
        "a: 2\n",
        [f"a.b {LOST}"],
    ),
    "nothing is told of a comment that both had": (
        "a: 1\nb: 1 # old\n",
        "a: 1\n",
        "a: 1\nb: 1 # old\n",
        "a: 1\n",
        [],
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), CASES.values(), ids=CASES)
def test_lines_of_comments(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    assert written(origin, update, local) == (expected, told)


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), GONE.values(), ids=GONE)
def test_a_comment_at_what_is_gone_is_told(
    origin: str, update: str, local: str, expected: str, told: list[str]
) -> None:
    assert written(origin, update, local) == (expected, told)
