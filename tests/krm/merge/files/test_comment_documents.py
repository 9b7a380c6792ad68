"""Documents of comments alone: each goes by the base rule, known by its text or by the object that it follows."""

from __future__ import annotations

import pytest

from krm.file import File
from krm.merge import merge2
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy


def config_map(name: str, more: str = "") -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{more}"


def joined(*texts: str) -> str:
    return "---\n".join(texts)


A, B, C = map(config_map, "abc")
MINE = config_map("a", "data: {}\n")
LIST = "apiVersion: v1\nkind: List\nitems:\n- " + A.replace("\n", "\n  ").rstrip(" ")
MY_LIST = "apiVersion: v1\nkind: List\nmetadata: {}\nitems:\n- " + A.replace("\n", "\n  ").rstrip(" ")
JSON, MY_JSON = '{"kind": "X"}\n', '{"kind": "X", "mine": 1}\n'
X, Y, Z = "# x\n", "# y\n", "# z\n"
CHANGED = "update changed the comments in line {} of {}, and local changed it too: local's stays"
LEFT = "update changed the comments in line 3 of update, and there is no place for it: local's stays"

# Origin, update and local, then what comes of it, and what is told.
TRIPLES: dict[str, tuple[str, str, str, str, list[str]]] = {
    "a file of comments": (X, Y, X, Y, []),
    "of which both changed other lines": (
        "# x\n\n# 2\n\n# 3\n", "# y\n\n# 2\n\n# 3\n", "# x\n\n# 2\n\n# z\n", "# y\n\n# 2\n\n# z\n", []
    ),
    "and of which both changed the same": (X, Y, Z, Z, [CHANGED.format(1, "update")]),
    "and that local emptied": (X, Y, "", "", [CHANGED.format(1, "update")]),
    "at the end": (joined(A, X), joined(A, Y), joined(MINE, X), joined(MINE, Y), []),
    "without a line end": (joined(A, "# x"), joined(A, "# y"), joined(MINE, "# x"), joined(MINE, "# y"), []),
    "with other line ends": (
        joined(A, X), joined(A, Y), joined(A, X).replace("\n", "\r\n"), joined(A, Y).replace("\n", "\r\n"), []
    ),
    "between objects": (joined(A, X, B), joined(A, Y, B), joined(MINE, X, B), joined(MINE, Y, B), []),
    "several at the start": (
        joined("# l\n", X, Z, A), joined("# l\n", Y, Z, A), joined("# l\n", X, Z, MINE), joined("# l\n", Y, Z, MINE), []
    ),
    "one that goes": (joined(A, X, B), joined(A, B), joined(MINE, X, B), joined(MINE, B), []),
    "one that goes on both sides": (joined(A, X), A, MINE, MINE, []),
    "one that goes, and that local changed": (
        joined(A, Y), A, joined(MINE, Z), joined(MINE, Z), [CHANGED.format(6, "origin")]
    ),
    "one that comes": (joined(A, B), joined(A, X, B), joined(MINE, B), joined(MINE, X, B), []),
    "one that comes on both sides": (A, joined(A, X), joined(MINE, X), joined(MINE, X), []),
    "one that comes first": (A, f"---\n{X}---\n{A}", MINE, f"---\n{X}---\n{MINE}", []),
    "one behind a list": (LIST, joined(LIST, X), f"{LIST}metadata: {{}}\n", joined(f"{LIST}metadata: {{}}\n", X), []),
    "one ahead of a list": (LIST, f"---\n{X}---\n{LIST}", LIST, f"---\n{X}---\n{LIST}", []),
    "one behind an object that comes": (A, joined(A, B, X), MINE, joined(MINE, B, X), []),
    "one behind a document that comes": (LIST, joined(LIST, B, X), MY_LIST, joined(MY_LIST, B, X), []),
    "beside an object that comes": (
        joined(A, C), joined(A, X, B, C), joined(MINE, C), joined(MINE, X, B, C), []
    ),
    "one that another object comes above": (joined(A, X), joined(A, B, X), joined(MINE, X), joined(MINE, B, X), []),
    "and that changes": (joined(A, X), joined(A, B, Y), joined(MINE, X), joined(MINE, B, Y), []),
    "one of which update changed the order": (
        joined(A, X, B), joined(B, A, X), joined(MINE, X, B), joined(B, MINE, X), []
    ),
    "one behind an object that local deleted": (
        joined(A, B, X), joined(A, B, Y), joined(A, X), joined(A, Y), []
    ),
    "one behind an object that local renamed": (
        joined(f"{A}data: {{k: 1, l: 2}}\n", X), joined(f"{A}data: {{k: 1, l: 2}}\n", Y),
        joined(f"{B}data: {{k: 1, l: 2}}\n", X), joined(f"{B}data: {{k: 1, l: 2}}\n", Y), []
    ),
    "a new one there": (joined(A, B), joined(A, B, Y), A, joined(A, Y), []),
    "one in one place that both added": (
        joined(A, B), joined(A, Y, B), joined(A, Z, B), joined(A, Z, B), [CHANGED.format(6, "update")]
    ),
    "one above all others that both changed": (
        f"# 1\n\n{A}", f"# 2\n\n{A}", f"# 3\n\n{A}", f"# 3\n\n{A}", [CHANGED.format(1, "update")]
    ),
    "that ends with the end mark": (
        f"---\n{X}---\n{A}", f"---\n{X}---\n{MINE}", f"---\n{X}...\n{Y}---\n{A}", f"---\n{X}...\n{Y}---\n{MINE}", [],
    ),
    "above the last object, which goes": (A, "", f"{X}---\n{A}", f"{X}---\n", []),
    "above the last object, with which it goes": (f"{X}---\n{A}", "", f"{X}---\n{A}", "", []),
    "JSON has no comments": (JSON, f"{JSON}---\n{Y}", MY_JSON, MY_JSON, [LEFT]),
    "behind the end mark of a document": (
        f"{A}...\n{X}", f"{A}x: 1\n...\n{Y}", f"{MINE}...\n{X}", f"{MINE}x: 1\n...\n{Y}", [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TRIPLES.values(), ids=TRIPLES)
def test_documents_of_comments(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    before, new, own = (File(text, "a.yaml", "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    found = [(result.message, result.reason, result.file) for result in output.results if result.reason != "Matched"]
    assert "".join(output.pieces) == expected
    assert found == [(message, "CommentKept", "a.yaml") for message in told]


def test_an_overlay_leaves_them_alone() -> None:
    update, local = (File(text, "a.yaml") for text in (joined(MINE, Y), joined(A, X)))
    output = composition.merge(File("", ""), update, local, lambda _, new, own, schema: merge2.merge2(new, own, schema))
    assert "".join(output.pieces) == joined(MINE, X)
