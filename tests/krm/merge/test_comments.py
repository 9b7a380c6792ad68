"""Comments come with the lines of both sides, and what does not come is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.krm.merge.sides import written

KEPT = "update has another comment here: local's stays"

# Origin, update and local, what comes of them, and what is told.
TRIPLES = {
    "a comment has no place in brackets": (
        "a:\n  b: 1\n", "a:\n  b: 1 # new\n", "a: {b: 1}\n", "a: {b: 1}\n", [f"a.b {KEPT}"]
    ),
    "nor above an object in brackets": ("a: 1\n", "# new\na: 1\n", "{a: 1}\n", "{a: 1}\n", [f"a {KEPT}"]),
    "one of the file above an object in brackets": (
        "a: 1\n", "# new\n\na: 1\n", "{a: 1}\n", "# new\n\n{a: 1}\n", []
    ),
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
        "a: 1 # o\n", "a: 2 # u\n", "a: 1 # l\n", "a: 2 # l\n", [f"a {KEPT}"]
    ),
    "update took one away that local wrote elsewhere too": (
        "a: 1 # x\nb: 1 # o\nc: 1\nd: 1 # o\n",
        "a: 2 # y\nb: 1 # u\nc: 1\nd: 1 # o\n",
        "a: 1 # x\nb: 1 # l\nc: 1\nd: 1 # x\n",
        "a: 2 # y\nb: 1 # l\nc: 1\nd: 1 # x\n",
        [f"b {KEPT}"],
    ),
    "local's stays behind an element without a key that update changed": (
        "a:\n- 1\n- 2\n- 3\n", "a:\n- 1\n- 4\n- 3\n", "a:\n- 1\n- 2 # l\n- 3\n", "a:\n- 1\n- 4 # l\n- 3\n", []
    ),
    "and beside one that update added": (
        "a:\n- 1\n- 3\n", "a:\n- 1\n- 2\n- 3\n", "a:\n- 1\n# l\n- 3\n", "a:\n- 1\n- 2\n# l\n- 3\n", []
    ),
    "a value in the place of a mapping": (
        "a:\n  b: 1\n  # below\n", "a: 2\n  # other\n", "a:\n  b: 1\n  # below\n", "a: 2\n  # other\n", []
    ),
    "and a mapping in the place of a value": (
        "a: 1\nz: 1\n", "a:\n  b: 1\n  # below\nz: 1\n", "a: 1\nz: 1\n", "a:\n  b: 1\n  # below\nz: 1\n", []
    ),
    "a mapping of which nothing is left": (
        "a:\n  b: 1\nz: 1\n", "a: {} # new\nz: 1\n", "a:\n  b: 1\n  # mine\nz: 1\n",
        "a: {} # new\n  # mine\nz: 1\n", [],
    ),
    "without an origin a comment above both is one": (
        "", "# Head.\nnew: 1\na: 1\n", "# Head.\na: 1\n", "# Head.\na: 1\nnew: 1\n", []
    ),
    "with an origin local's comment stays above what it is about": (
        "a: 1\n", "# Head.\nnew: 1\na: 1 # x\n", "# Head.\na: 1\n", "# Head.\nnew: 1\na: 1 # x\n", []
    ),
    "in a list too": (
        "l:\n- name: a\n", "l:\n# New.\n- name: new\n- name: a # x\n", "l:\n# New.\n- name: a\n",
        "l:\n# New.\n- name: new\n- name: a # x\n", [],
    ),
    "what local writes itself was merged in before": (
        "a: &x\n  k: 1 # o\nb:\n  <<: *x\n", "a: &x\n  k: 1 # o\nb:\n  k: 2 # u\n",
        "a:\n  k: 1 # o\nb:\n  k: 1 # o\n", "a:\n  k: 1 # o\nb:\n  k: 2 # o\n", [f"b.k {KEPT}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TRIPLES.values(), ids=TRIPLES)
def test_comments_of_three_sides(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    assert written(origin, update, local) == (expected, told)


def test_the_elements_of_a_list_of_objects_are_merged_one_by_one() -> None:
    head = "apiVersion: v1\nkind: List\nitems:\n"
    objects = "- kind: A\n  metadata:\n    name: y\n- kind: A\n  metadata:\n    name: z{}\n"
    local = objects.replace("- kind: A\n  metadata:\n    name: z", "- b: 1\n  kind: A\n  metadata:\n    name: z")
    sides = (head + one for one in (objects.format(""), objects.format(" # new"), local.format("")))
    assert written(*sides) == (head + local.format(" # new"), [])


def merged(local: str, update: str) -> str:
    """Return what comes of an update where local is still what origin was."""
    return written(local, update, local)[0]


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
