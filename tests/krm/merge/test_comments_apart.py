"""Comments between blank lines, at another column, or around `---` are merged as all others: each has an owner."""

from __future__ import annotations

import pytest

from tests.krm.merge.sides import written

KEPT = "update has another comment here: local's stays"
LOST = "this is deleted, and a comment of local's with it"

# Origin and update, then local and what comes of it, then what is told.
TRIPLES: dict[str, tuple[str, str, str, str, list[str]]] = {
    "a comment between blank lines that changes": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# New\n\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\n# New\n\nc: 1\nz: 1\n",
        [],
    ),
    "one that goes": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\nc: 1\nz: 1\n",
        [],
    ),
    "one that comes": (
        "a: 1\nc: 1\n", "a: 1\n\n# Section\n\nc: 1\n",
        "a: 1\nc: 1\nz: 1\n", "a: 1\n\n# Section\n\nc: 1\nz: 1\n",
        [],
    ),
    "one that comes between blank lines": (
        "a: 1\n\nc: 1\n", "a: 1\n\n# Section\n\nc: 1\n",
        "a: 1\n\nc: 1\nz: 1\n", "a: 1\n\n# Section\n\nc: 1\nz: 1\n",
        [],
    ),
    "of two the blank line between them stays": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# One\n\n# Two\n\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\n# One\n\n# Two\n\nc: 1\nz: 1\n",
        [],
    ),
    "one that comes to stand above a new entry": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# Section\n\nb: 2\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\n# Section\n\nb: 2\nc: 1\nz: 1\n",
        [],
    ),
    "a new entry brings one": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# New\n\n# of b\nb: 2\n\n# Section\n\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\n# New\n\n# of b\nb: 2\n\n# Section\n\nc: 1\nz: 1\n",
        [],
    ),
    "an entry that goes takes it along": (
        "a: 1\n\n# Section\n\nc: 1\nd: 1\n", "a: 1\nd: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\nd: 1\n", "a: 1\nz: 1\nd: 1\n",
        [],
    ),
    "unless local changed it": (
        "a: 1\n\n# Section\n\nc: 1\nd: 1\n", "a: 1\nd: 1\n",
        "a: 1\n\n# Mine\n\nc: 1\nz: 1\nd: 1\n", "a: 1\n\n# Mine\n\nz: 1\nd: 1\n",
        [],
    ),
    "or it is another's then": (
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\n\n# Section\n\nz: 1\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\ny: 1\n", "a: 1\n\n# Section\n\nz: 1\ny: 1\n",
        [],
    ),
    "both changed what is apart": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# New\n\nc: 1\n",
        "a: 1\n\n# Mine\n\nc: 1\nz: 1\n", "a: 1\n\n# Mine\n\nc: 1\nz: 1\n",
        [f"c {KEPT}"],
    ),
    "a new element above one with a comment apart": (
        "l:\n- name: a\n\n# Section\n\n- name: c\n", "l:\n- name: a\n- name: b\n\n# Section\n\n- name: c\n",
        "l:\n- name: a\n\n# Section\n\n- name: c\nz: 1\n",
        "l:\n- name: a\n- name: b\n\n# Section\n\n- name: c\nz: 1\n",
        [],
    ),
    "a list in another order": (
        "l:\n- name: a\n\n# Section\n\n- name: c\n- name: d\n",
        "l:\n\n# Section\n\n- name: c\n- name: d\n- name: a\n",
        "l:\n- name: a\n\n# Section\n\n- name: c\n- name: d\nz: 1\n",
        "l:\n\n# Section\n\n- name: c\n- name: d\n- name: a\nz: 1\n",
        [],
    ),
    "an element that moves takes what is apart along": (
        "l:\n- name: a\n\n# Section\n\n- name: c\n- name: d\n",
        "l:\n- name: a\n- name: d\n\n# Section\n\n- name: c\n",
        "l:\n- name: a\n\n# Section\n\n- name: c\n- name: d\nz: 1\n",
        "l:\n- name: a\n- name: d\n\n# Section\n\n- name: c\nz: 1\n",
        [],
    ),
    "a new element above all, and what is above the list": (
        "l:\n# All.\n\n- name: a\n", "l:\n# All of them.\n\n- name: b\n- name: a\n",
        "l:\n# All.\n\n- name: a\nz: 1\n", "l:\n# All of them.\n\n- name: b\n- name: a\nz: 1\n",
        [],
    ),
    "a comment at another column": (
        "s:\n# x\n  a: 1\n", "s:\n# y\n  a: 1\n",
        "s:\n# x\n  a: 1\nz: 1\n", "s:\n# y\n  a: 1\nz: 1\n",
        [],
    ),
    "a comment below all": (
        "a: 1\n\n# x\n\n# y\n", "a: 1\n\n# x\n\n# z\n",
        "a: 1\nb: 1\n\n# x\n\n# y\n", "a: 1\nb: 1\n\n# x\n\n# z\n",
        [],
    ),
    "comments above and below `---`": (
        "# license\n---\n# x\n\na: 1\n", "# License\n---\n# X\n\na: 1\n",
        "# license\n---\n# x\n\na: 1\nz: 1\n", "# License\n---\n# X\n\na: 1\nz: 1\n",
        [],
    ),
    "one behind `---`": (
        "--- # x\na: 1\n", "--- # y\na: 1\n",
        "--- # x\na: 1\nz: 1\n", "--- # y\na: 1\nz: 1\n",
        [],
    ),
    "and none where local has none": (
        "--- # x\na: 1\n", "--- # y\na: 1\n",
        "a: 1\n", "a: 1\n",
        [f" {KEPT}"],
    ),
    "and none above it": (
        "---\na: 1\n", "# x\n---\na: 1\n",
        "a: 1\n", "# x\n---\na: 1\n",
        [],
    ),
    "what stood between an entry that goes and another comment that goes": (
        "d:\n  h: 1\n  # x\n\n    # o\n\n  f: 1\n", "d:\n  # x\n\n    # o\n\n  f: 1\n",
        "d:\n  h: 1\n\n    # o\n\n  f: 1\n",
        "d:\n\n  f: 1\n", [f"d.h {LOST}"],
    ),
    "what stood first in a document goes": (
        "# x\n\na: 1\n\n# Section\n\nb: 1\n", "# y\n\nb: 1\n",
        "# x\n\na: 1\n\n# Section\n\nb: 1\nz: 1\n", "# y\n\nb: 1\nz: 1\n",
        [],
    ),
    "a licence comes though another entry stands first": (
        "# x\n\na: 1\nb: 1\n", "# y\n\nb: 1\n",
        "# x\n\na: 1\nb: 1\nz: 1\n", "# y\n\nb: 1\nz: 1\n",
        [],
    ),
    "a licence of a list": (
        "# x\n\n- a\n", "# y\n\n- a\n- b\n",
        "# x\n\n- a\n", "# y\n\n- a\n- b\n",
        [],
    ),
    "below what is left of an entry that goes there is no place": (
        "m:\n  a: 1\n  b: 1\n", "m:\n  a: 1\n# new\n",
        "m:\n  a: 1\n\n# mine\n\n  b: 1\n", "m:\n  a: 1\n\n# mine\n\n# new\n",
        [],
    ),
    "and what is above an entry comes though another stands first": (
        "# x\n\na: 1\nb: 1\n\n# s\n\nc: 1\n", "# x\n\n# new\nb: 1\n\n# s\n\nc: 1\n",
        "# x\n\na: 1\nb: 1\n\n# s\n\nc: 1\nz: 1\n", "# x\n\n# new\nb: 1\n\n# s\n\nc: 1\nz: 1\n",
        [],
    ),
    "behind a dash is no place for it": (
        "- b: 1\n", "-\n  # x\n\n  b: 1\n",
        "- b: 1\n- z: 1\n", "-\n  # x\n\n  b: 1\n- z: 1\n",
        [],
    ),
    "without an origin a comment apart from both is one": (
        "", "a: 1\n\n# Section\n\nb: 1\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# Section\n\nc: 1\nb: 1\n",
        [],
    ),
    "and another one comes": (
        "", "a: 1\n\n# New\n\nb: 1\nc: 1\n",
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\n\n# Section\n\nc: 1\n# New\nb: 1\n",
        [],
    ),
    "an entry with both": (
        "a: 1\n\n# Section\n\nc: 1\n", "a: 1\nb: 1\n\n# Section\n\n# of c\nc: 1 # new\n",
        "a: 1\n\n# Section\n\nc: 1\nz: 1\n", "a: 1\nb: 1\n\n# Section\n\n# of c\nc: 1 # new\nz: 1\n",
        [],
    ),
    "a comment apart goes with the mapping that it is in": (
        "a:\n  b: 1\nc: 1\n", "a: 2\nc: 1\n",
        "a:\n\n  # mine\n\n  b: 1\nc: 1\n", "a: 2\nc: 1\n",
        [f"a.b {LOST}"],
    ),
    "beside what local wrote above an entry that goes, none comes": (
        "d:\n  a: 1\n  b: 1\n", "d:\n\n  # new\n\n  b: 1\n",
        "d:\n\n  # mine\n\n  a: 1\n  b: 1\n", "d:\n\n  # mine\n\n\n  # new\n\n  b: 1\n",
        [],
    ),
    "one that came below another entry when the line between them went": (
        "a: 1\n# x\n  # y\nk: 1\n", "a: 1\n  # y\nk: 1\n",
        "a: 1\n  # mine\n# x\n  # y\nk: 1\n", "a: 1\n  # mine\nk: 1\n",
        ["k update's value comes, and a comment of local's is deleted"],
    ),
    "a document's comment at another column": (
        "  # x\na: 1\n", "# new\n\n  # x\na: 1\n",
        "  # x\na: 1\nz: 1\n", "# new\n\n  # x\na: 1\nz: 1\n",
        [],
    ),
    "both put an entry below a comment": (
        "m:\n  x: 1\n  # c\n  a: 1\n", "m:\n  x: 1\n  # c\n  u: 1\n  a: 1\n",
        "m:\n  x: 1\n  # c\n  l: 1\n  a: 1\n", "m:\n  x: 1\n  # c\n  l: 1\n  u: 1\n  a: 1\n",
        [],
    ),
    "both put an element below the heading of a group": (
        "k:\n- name: x\n\n# Section\n\n- name: a\n", "k:\n- name: x\n\n# Section\n\n- name: u\n- name: a\n",
        "k:\n- name: x\n\n# Section\n\n- name: l\n- name: a\n",
        "k:\n- name: x\n\n# Section\n\n- name: l\n- name: u\n- name: a\n",
        [],
    ),
    "local put an entry below a comment of what update deleted": (
        "m:\n  x: 1\n  # c\n  a: 1\n  b: 1\n", "m:\n  x: 1\n  # c\n  b: 1\n",
        "m:\n  x: 1\n  # c\n  l: 1\n  a: 1\n  b: 1\n", "m:\n  x: 1\n  # c\n  l: 1\n  b: 1\n",
        [],
    ),
    "a comment that update took away and local parted": (
        "m:\n  x: 1\n  # c\n  a: 1\n", "m:\n  x: 1\n  a: 1\n",
        "m:\n  x: 1\n\n  # c\n\n  # mine\n  a: 1\n", "m:\n  x: 1\n\n\n  # mine\n  a: 1\n",
        [],
    ),
    "one that local took away and update parted": (
        "m:\n  x: 1\n  # c\n  a: 1\n", "m:\n  x: 1\n\n  # c\n\n  # new\n\n  a: 1\n",
        "m:\n  x: 1\n  a: 1\nz: 1\n", "m:\n  x: 1\n\n\n  # new\n\n  a: 1\nz: 1\n",
        [],
    ),
    "a first entry that comes below another licence": (
        "a: 1\nb: 1\n", "# l\n\n# of n\nn: 1\na: 1\nb: 1\n",
        "a: 1\nb: 1\nz: 1\n", "# l\n\n# of n\nn: 1\na: 1\nb: 1\nz: 1\n",
        [],
    ),
    "and above a comment": (
        "# of a\na: 1\nb: 1\n", "# l\n\n# of n\nn: 1\n# of a\na: 1\nb: 1\n",
        "# of a\na: 1\nb: 1\nz: 1\n", "# l\n\n# of n\nn: 1\n# of a\na: 1\nb: 1\nz: 1\n",
        [],
    ),
    "one that update took away and local parted, beside another": (
        "m:\n  x: 1\n  # c\n  a: 1\n", "m:\n  x: 1\n  a: 1\n",
        "m:\n  x: 1\n\n  # mine\n\n  # c\n\n  a: 1\n", "m:\n  x: 1\n\n  # mine\n\n\n  a: 1\n",
        [],
    ),
    "an entry comes in front of a deeper comment": (
        "s:\n  a: 1\n", "s:\n  n: 1\n  a: 1\n",
        "s:\n    # mine\n  a: 1\n", "s:\n    # mine\n  n: 1\n  a: 1\n",
        [],
    ),
    "both put an entry below a comment, and below another one": (
        "m:\n  x: 1\n\n  # s\n\n  # c\n  a: 1\n", "m:\n  x: 1\n\n  # s\n\n  # c\n  u: 1\n  a: 1\n",
        "m:\n  x: 1\n\n  # s\n\n  # c\n  l: 1\n\n  # mine\n\n  a: 1\n",
        "m:\n  x: 1\n\n  # s\n\n  # c\n  l: 1\n\n  # mine\n\n  u: 1\n  a: 1\n",
        [],
    ),
    "both changed the comment above an entry that local moved": (
        "#a\na: 1\n#b\nb: 1\n#c\nc: 1\n", "#a\na: 1\n#x\nb: 1\n#c\nc: 1\n",
        "#y\nb: 1\n#a\na: 1\n#c\nc: 1\n", "#y\nb: 1\n#a\na: 1\n#c\nc: 1\n",
        [f"b {KEPT}"],
    ),
    "both changed the comment above an entry that update moved": (
        "#a\na: 1\n#b\nb: 1\n#c\nc: 1\n", "#x\nb: 1\n#a\na: 1\n#c\nc: 1\n",
        "#a\na: 1\n#y\nb: 1\n#c\nc: 1\n", "#y\nb: 1\n#a\na: 1\n#c\nc: 1\n",
        [f"b {KEPT}"],
    ),
    "and it stands below the comment of another entry": (
        "#a\na: 1\n#b\nb: 1\nc: 1\n", "#a\na: 1\n#x\nb: 1\nc: 1\n",
        "#a\n#y\nb: 1\na: 1\nc: 1\n", "#a\n#y\nb: 1\na: 1\nc: 1\n",
        [f"b {KEPT}"],
    ),
    "a deeper comment comes below a text": (
        "s:\n  e: |\n    t\n  f: 1\n# o\n  z: 1\n", "s:\n  e: |\n    t\n  z: 1\n",
        "s:\n  e: |\n    t\n  f: 1\n# o\n    # mine\n  z: 1\n", "s:\n  e: |\n    t\n  # mine\n  z: 1\n",
        [],
    ),
    "what parted a deeper comment from a text goes": (
        "s:\n  e: |\n    t\n# o\n  z: 1\n", "s:\n  e: |\n    t\n  z: 1\n",
        "s:\n  e: |\n    t\n# o\n\n    # mine\n  z: 1\n", "s:\n  e: |\n    t\n\n  # mine\n  z: 1\n",
        [],
    ),
    "the text above a comment moves to the left of it": (
        "s:\n  e: |\n      t\n  z: 1\n", "s:\n  e: |\n    t\n    u\n  z: 1\n",
        "s:\n  e: |\n      t\n     # mine\n  z: 1\n", "s:\n  e: |\n    t\n    u\n   # mine\n  z: 1\n",
        [],
    ),
    "both wrote a comment below the one that parted it from a text": (
        "s:\n  e: |\n    t\n# o\n\n  z: 1\n", "s:\n  e: |\n    t\n\n# u\n  z: 1\n",
        "s:\n  e: |\n    t\n# o\n\n    # mine\n  z: 1\n", "s:\n  e: |\n    t\n\n  # mine\n  z: 1\n",
        [f"s.z {KEPT}"],
    ),
    "what parted a line of blanks from a text goes": (
        "s:\n  e: |\n    t\n# o\n  z: 1\n", "s:\n  e: |\n    t\n  z: 1\n",
        "s:\n  e: |\n    t\n# o\n      \n  z: 1\n", "s:\n  e: |\n    t\n\n  z: 1\n",
        [],
    ),
    "a blank line comes below a text that takes it": (
        "s:\n  e: |+\n    t\n  f: 1\n  z: 1\n", "s:\n  e: |+\n    t\n  z: 1\n",
        "s:\n  e: |+\n    t\n  f: 1\n\n  z: 2\n", "s:\n  e: |+\n    t\n  z: 2\n",
        [],
    ),
    "what is above `---` goes, and local wrote more there": (
        "# x\n---\na: 1\n", "---\na: 2\n",
        "# mine\n# x\n---\na: 1\n", "# mine\n# x\n---\na: 2\n",
        [" update changed the comments in line 1 of origin, and local changed it too: local's stays"],
    ),
    "both put an entry first": (
        "# l\n\na: 1\n", "# l\n\nu: 1\na: 1\n",
        "# l\n\nx: 1\na: 1\n", "# l\n\nx: 1\nu: 1\na: 1\n",
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TRIPLES.values(), ids=TRIPLES)
def test_comments_apart(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    assert written(origin, update, local) == (expected, told)
