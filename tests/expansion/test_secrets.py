"""Secrets: what is in them, where it may be written, and that it is nowhere else."""

from __future__ import annotations

import pytest

from fn.expansion import secrets
from fn.krm.resource import Resource

# What a Secret holds, and the texts in it.
TEXTS: dict[str, dict[str, str | None]] = {
    "data: {a: eA==}": {"a": "x"},
    "data: {a: ''}": {"a": ""},
    "data: {a: w6k=}": {"a": "é"},
    "data:\n  a: |\n    aGlk\n    ZGVu\n": {"a": "hidden"},
    "data: {a: eA}": {"a": None},
    "data: {a: e===}": {"a": None},
    "data: {a: eA==eA==}": {"a": None},
    "data: {a: 'e A=='}": {"a": None},
    "data: {a: é}": {"a": None},
    "data: {a: gIGC}": {"a": None},
    "data: {a: [eA==]}": {"a": None},
    "data: {a: 1234}": {"a": None},
    "data: {a: }": {"a": None},
    "stringData: {a: eA==, b: 080, c: , d: {}}": {"a": "eA==", "b": "080", "c": None, "d": None},
    "data: {a: eA==, b: eQ==}\nstringData: {b: own}": {"a": "x", "b": "own"},
    "data: {a: eA==}\nstringData: {a: }": {"a": None},
    "data: [eA==]": {},
    "stringData: text": {},
    "": {},
}


def _resource(kind: str, rest: str) -> Resource:
    text = f"{kind}\nmetadata: {{name: s}}\n{rest}\n"
    return Resource(text, (0, len(text)), "items[0]")


@pytest.mark.parametrize("rest", TEXTS)
def test_what_a_secret_holds(rest: str) -> None:
    assert secrets.texts(_resource("apiVersion: v1\nkind: Secret", rest)) == TEXTS[rest]


@pytest.mark.parametrize(
    ("kind", "place", "may_hold"),
    [
        ("apiVersion: v1\nkind: Secret", ("stringData", "a"), True),
        ("apiVersion: v1\nkind: Secret", ("data", "a"), False),
        ("apiVersion: v1\nkind: Secret", ("metadata", "annotations", "stringData"), False),
        ("apiVersion: a.io/v1\nkind: Secret", ("stringData", "a"), False),
        ("apiVersion: v1\nkind: ConfigMap", ("stringData", "a"), False),
    ],
)
def test_where_a_secret_may_be_written_whatever_inline_says(kind: str, place: tuple[str, ...], may_hold: bool) -> None:  # noqa: FBT001
    assert secrets.may_hold(_resource(kind, ""), place) is may_hold
