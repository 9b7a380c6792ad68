"""The merge of an object by lines, where it says what the merge by fields wants (docs/merge.md, "Lines first")."""

from __future__ import annotations

import pytest

from krm.merge.files import documents
from krm.merge.files.file import File
from krm.merge.policy import Policy

A, B, C, D = (f"{key}: 1\n" for key in "abcd")
GROUPS = "x:\n  # --- group one\n  a: 1\n{}\n  # --- group two\n{}  b: 1\n"
ANCHOR = "defaults: &d\n  a: 1\nz: 1\n"
MINE = "mine:\n  <<: *d\n  b: 1\n"
HELM = "# -- prefix of the driver\nprefix:\n"
SIZE = "r:\n  # three at least\n"

# origin, update, local; what comes out.
MERGED = {
    "a key without a value": (A + B + C + D, A + HELM + B + C + D, A + B + C + "d: 2\n", A + HELM + B + C + "d: 2\n"),
    "a mapping of which a comment is left": (
        f"{SIZE}  size: 3\n{A}{B}{C}", f"{SIZE}{A}{B}{C}", f"{SIZE}  size: 3\n{A}{B}c: 2\n", f"{SIZE}{A}{B}c: 2\n"
    ),
    "two groups": (
        GROUPS.format("", ""),
        GROUPS.format("  u: 1\n", ""),
        GROUPS.format("", "  l: 1\n"),
        GROUPS.format("  u: 1\n", "  l: 1\n"),
    ),
    "an alias and a merge key": (
        ANCHOR, ANCHOR.replace("1", "2", 1), f"{ANCHOR}{MINE}w: *d\n", f"{ANCHOR.replace('1', '2', 1)}{MINE}w: *d\n"
    ),
    "a key and a comment between it and its value": (
        f"a: x\n{B}{C}", f"a: # new\n  x\n{B}{C}", f"a: x\n{B}c: 2\n", f"a: # new\n  x\n{B}c: 2\n"
    ),
    "quotes": ("a: 'x'\nb: 1\nc: 1\n", "a: x\nb: 1\nc: 1\n", "a: 'x'\nb: 1\nc: 2\n", "a: x\nb: 1\nc: 2\n"),
    "lines of a text, and a list": (
        "t: |\n  a\n  b\n  c\nl:\n- 1\n- 2\n- 3\n",
        "t: |\n  A\n  b\n  c\nl:\n- 0\n- 1\n- 2\n- 3\n",
        "t: |\n  a\n  b\n  C\nl:\n- 1\n- 2\n- 4\n",
        "t: |\n  A\n  b\n  C\nl:\n- 0\n- 1\n- 2\n- 4\n",
    ),
}  # fmt: skip
# Here the merge by lines says something else, or is none: fields decide.
BY_FIELDS = {
    "a key that both added": (A + B + C, f"x: 1\n{A}{B}{C}", f"{A}{B}{C}x: 1\n", f"{A}{B}{C}x: 1\n"),
    "elements that lines put in another order": (
        "l:\n- name: a\n- name: b\n- name: c\n- name: d\n",
        "l:\n- name: b\n- name: c\n- name: d\n- name: a\n",
        "l:\n- name: a\n- name: b\n- name: c\n- name: d\nm: 1\n",
        "l:\n- name: b\n- name: c\n- name: d\n- name: a\nm: 1\n",
    ),
    "a bookkeeping annotation": (
        f"{A}metadata:\n  annotations:\n    x: y\n{B}",
        f"{A}metadata:\n  annotations:\n    config.kubernetes.io/path: u\n    x: z\n{B}",
        f"{A}metadata:\n  annotations:\n    x: y\n{B}{C}",
        f"{A}metadata:\n  annotations:\n    x: z\n{B}{C}",
    ),
    "another list": (
        "l: [1, {a: 1}]\n",
        "l: [1, {a: 1}]\nb: 1\n",
        "c: 1\nl: [1, {a: 1}]\n",
        "c: 1\nl: [1, {a: 1}]\nb: 1\n",
    ),
    "lines that make no YAML": (
        "a:\n  b: 1\n  c: 1\n  d: 1\n",
        "a:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n",
        "a:\n    b: 1\n    c: 1\n    d: 1\n",
        "a:\n    b: 1\n    c: 1\n    d: 1\n    e: 1\n",
    ),
    "other line ends": (A + B + C, A + B + "c: 2\n", f"{A}{B}{C}".replace("\n", "\r\n"), "a: 1\r\nb: 1\r\nc: 2\r\n"),
}


def merged(origin: str, update: str, local: str) -> tuple[str, list[str]]:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = documents.merge(before, new, own, documents.by_fields(Policy()))
    return "".join(output.pieces), [result.message for result in output.results]


@pytest.mark.parametrize(("origin", "update", "local", "expected"), MERGED.values(), ids=MERGED)
def test_lines_come_as_both_sides_wrote_them(origin: str, update: str, local: str, expected: str) -> None:
    assert merged(origin, update, local) == (expected, [])
    assert merged(origin, local, update) == (expected, [])


@pytest.mark.parametrize(("origin", "update", "local", "expected"), BY_FIELDS.values(), ids=BY_FIELDS)
def test_fields_decide_where_lines_say_something_else(origin: str, update: str, local: str, expected: str) -> None:
    assert merged(origin, update, local) == (expected, [])


def test_a_comment_that_lines_keep_is_not_told_as_lost() -> None:
    text = "a:\n  b: 1\n  c: 1\n{}d: 1\n"
    made = merged(text.format(""), text.format("").replace("d: 1", "d: 2"), text.format("  # why\n"))
    assert made == (text.format("  # why\n").replace("d: 1", "d: 2"), [])
