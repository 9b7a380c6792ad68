"""The lines of a record: what they say, how they are written, and what says nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.record import entries
from expand_vars.record.entries import Column, Given, Record, Template
from krm import fieldpath

DAMAGED = [
    "",
    "<<<<<<< HEAD",
    "{",
    "[" * 100_000,
    "null",
    "[]",
    "{}",
    '{"path": "a", "rendered": "b"}',
    '{"path": "a", "rendered": "b", "template": "c", "more": 1}',
    '{"path": "a..b", "rendered": "b", "template": "c"}',
    '{"path": 1, "rendered": "b", "template": "c"}',
    '{"path": "a", "rendered": ["b"], "template": ["c"]}',
    '{"path": "a[*]", "rendered": "b", "template": "c"}',
    '{"path": "a[*]", "rendered": ["b"], "template": "c"}',
    '{"path": "a[*]", "rendered": ["b"], "template": ["c", "d"]}',
    '{"path": "a", "rendered": 1, "template": "c"}',
    '{"path": "a", "rendered": {"sha256": 1}, "template": "c"}',
    '{"path": "a", "rendered": {"sha256": "1", "more": 1}, "template": "c"}',
    '{"path": "a", "rendered": "b", "template": 1}',
    '{"path": "a", "rendered": "b", "template": {"plain": 1}}',
    '{"path": "a", "rendered": "b", "template": {"plain": "c", "more": 1}}',
    '{"path": "a", "rendered": "b", "secret": false, "template": "c"}',
    '{"path": "a", "rendered": "b", "secret": true, "template": "c", "more": 1}',
    '{"from": "f", "variable": 1}',
    '{"from": "f", "value": null, "variable": "A"}',
    '{"from": "f", "value": 1, "variable": "A"}',
    '{"from": "f", "value": "v", "variable": "A", "more": 1}',
    '{"identity": 1}',
    '{"identity": "a", "more": 1}',
]
LINES = r"""
{"path": "a.b[*]", "rendered": ["x", null, {"sha256": "00"}], "template": ["\u0024(A)", null, {"plain": "\u0024(B)"}]}
{"path": "a.c", "rendered": "back\\\u0024slash \u00e9", "template": "\u0024(A)"}
{"path": "a.d[*]", "rendered": [{"sha256": "01"}, {"sha256": "02"}], "secret": true, "template": [null, "\u0024(C)"]}
{"path": "a.e", "rendered": {"sha256": "03"}, "secret": true, "template": "\u0024(C)"}
{"from": "ExpandVars/f", "value": "\u0024\u0024", "variable": "A"}
{"from": "", "value": "1", "variable": "B"}
{"from": "f", "variable": "C"}
{"identity": "apps/Deployment/shop/web"}
""".lstrip()

texts = st.text("$\\\"'\n\x85()éa\U0001f600", max_size=9)


def described(record: Record) -> list[object]:
    """Return what a record says, to compare."""
    columns = [
        (
            fieldpath.to_text(one.path),
            [*one.rendered],
            [one and (one.text, one.is_open) for one in one.templates],
            *(["secret"] if one.is_secret else []),
        )
        for one in record.columns
    ]
    return [columns, {name: (one.text, one.giver) for name, one in record.values.items()}, record.identity]


@pytest.mark.parametrize("line", DAMAGED)
def test_a_line_that_says_nothing_is_told_by_its_number(line: str) -> None:
    record, damaged = entries.read(f'{{"identity": "a"}}\n{line}\n{{"identity": "b"}}\n')
    assert (damaged, described(record)) == ([2], [[], {}, "b"])


def test_what_lines_say() -> None:
    record, damaged = entries.read(LINES)
    assert damaged == []
    assert described(record) == [
        [
            ("a.b[*]", ["x", None, ("sha256", "00")], [("$(A)", False), None, ("$(B)", True)]),
            ("a.c", ["back\\$slash é"], [("$(A)", False)]),
            ("a.d[*]", [("sha256", "01"), ("sha256", "02")], [None, ("$(C)", False)], "secret"),
            ("a.e", [("sha256", "03")], [("$(C)", False)], "secret"),
        ],
        {"A": ("$$", "ExpandVars/f"), "B": ("1", ""), "C": (None, "f")},
        "apps/Deployment/shop/web",
    ]
    assert entries.to_text(record) == LINES


def test_lines_are_in_one_order() -> None:
    record, _ = entries.read("\n".join(LINES.splitlines()[::-1]))
    assert entries.to_text(record) == LINES


def test_without_fields_there_is_nothing_to_remember() -> None:
    record, _ = entries.read('{"from": "f", "value": "v", "variable": "A"}')
    assert entries.to_text(record) == ""


def test_the_identity_is_only_for_hashes() -> None:
    record, _ = entries.read('{"path": "a", "rendered": "b", "template": "c"}\n{"identity": "i"}')
    assert entries.to_text(record) == '{"path": "a", "rendered": "b", "template": "c"}\n'


@given(st.lists(texts), texts, texts)
def test_whatever_is_written_is_read_again(values: list[str], name: str, giver: str) -> None:
    record = Record()
    record.columns = [
        Column(fieldpath.parse("a.b[*]"), [*values, None], [*map(Template, values), None]),
        Column(fieldpath.parse("a.c"), [name], [Template(giver, is_open=True)]),
    ]
    record.values = {name: Given(giver, name), f"secret {name}": Given(None, name)}
    written = entries.to_text(record)
    again, damaged = entries.read(written)
    assert (described(again), damaged) == (described(record), [])
    assert written.isascii()
    assert "$" not in written
    assert all(isinstance(json.loads(line), dict) for line in written.splitlines())


@pytest.mark.parametrize(("text", "is_long"), [("a" * 128, False), ("a" * 129, True), ("é" * 65, True)])
def test_a_long_text_is_hashed(text: str, is_long: bool) -> None:  # noqa: FBT001
    path = fieldpath.parse("a")
    expected = entries.digest("i", path, text) if is_long else text
    assert entries.kept("i", path, text, is_secret=False) == expected


def test_a_secret_text_is_hashed() -> None:
    path = fieldpath.parse("a")
    assert entries.kept("i", path, "a", is_secret=True) == entries.digest("i", path, "a")


def test_a_hash_shows_no_equal_text_elsewhere() -> None:
    hashes = {entries.digest(identity, fieldpath.parse(path), "t") for identity in "ij" for path in "ab"}
    assert len(hashes) == 4
