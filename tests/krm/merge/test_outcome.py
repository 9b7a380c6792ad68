"""How messages show the values of a conflict."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from krm import secrets
from krm.merge import outcome
from krm.merge.outcome import Conflict, Merged
from krm.merge.trees import Triple
from krm.yamltree.parser import parse
from tests.pages import resource

LONG = "x" * 61
OBJECT = "apiVersion: v1\nkind: {}\nmetadata: {{name: a}}\n"

SHOWN = {
    "short ones": ("1", "[a, {b: c}]", "{}", 'origin `1`, update `["a", {"b": "c"}]`, local `{}`'),
    "a type": ("1", '"2"', "2", 'origin `1`, update `"2"`, local `2`'),
    "no quotes where texts differ": ('"1"', '"2"', '"3"', "origin `1`, update `2`, local `3`"),
    "the line that is another on each side": (
        "|\n  a\n  b\n", "|\n  A\n  c\n", "|\n  a\n  d\n",
        "origin a text with line 2 `b`, update a text with line 2 `c`, local a text with line 2 `d`",
    ),
    "else one that differs": (
        "|\n  a\n  b\n", "|\n  a\n  c\n", "|\n  a\n  c\n  d\n",
        "origin a text with line 2 `b`, update a text with line 2 `c`, local a text with line 2 `c`",
    ),
    "a side that ends before": (
        "|\n  a\n  b\n", "|\n  a\n  b\n  c\n", "|\n  a\n",
        "origin a text with line 2 `b`, update a text with line 3 `c`, local a text without line 2",
    ),
    "neighbours": (
        "|\n  a\n  b\n", "|\n  a\n  b\n  c\n", "|\n  a\n  d\n",
        "origin a text with line 2 `b`, update a text with line 3 `c`, local a text with line 2 `d`",
    ),
    "long lines": (LONG, "1", f"y{LONG}", (f"origin a text with line 1 `{LONG[:60]}...`, update `1`, "
        f"local a text with line 1 `y{LONG[:59]}...`")),
    "long lines that differ late": (f"{LONG}abc{LONG}", f"{LONG}d{LONG}", f"{LONG}ef", (
        f"origin a text with line 1 `...{LONG[:20]}abc{LONG[:37]}...`, "
        f"update a text with line 1 `...{LONG[:20]}d{LONG[:39]}...`, local a text with line 1 `...{LONG[:20]}ef`")),
    "long lines that do not differ": (
        f"|\n  a\n  {LONG}\n", f"|\n  a\n  {LONG}\n  c\n", "|\n  a\n",
        f"origin a text with line 2 `{LONG[:60]}...`, update a text with line 3 `c`, local a text without line 2",
    ),
    "empty ones of two types": ("|\n  a\n  b\n", "~", '""', "origin a text with line 1 `a`, update `~`, local ``"),
    "an element": (
        f"[a, {LONG}]", f"[a, b, {LONG}]", "[a]",
        f'origin a list with `[1]: {LONG[:55]}...`, update a list with `[1]: b`, local `["a"]`',
    ),
    "an entry": (f"{{a: 1, b: {LONG}}}", "", f"{{a: 2, b: {LONG}}}",
        "origin a mapping with `a: 1`, update deleted it, local a mapping with `a: 2`"),
    "a field below": (f"{{a: {LONG}, b: {{c: [{{d: 1}}]}}}}", f"{{a: {LONG}, b: {{c: [{{d: 2}}]}}}}", "",
        "origin a mapping with `b.c[0].d: 1`, update a mapping with `b.c[0].d: 2`, local deleted it"),
    "one that a side lacks": (f"{{a: {LONG}, b: {{c: [], d: {{}}}}}}", f"{{a: {LONG}, b: {{c: []}}}}", "",
        "origin a mapping with `b.d: {}`, update a mapping without `b.d`, local deleted it"),
}  # fmt: skip


def told(kind: str, *sides: str) -> str:
    origin, update, local = (parse(side).root for side in sides)
    conflict = Conflict(("data",), Triple(origin, update, local), "KeepLocal")
    (result,) = outcome.results(resource(OBJECT.format(kind)), Merged(None, [conflict], []))
    return result.message


@pytest.mark.parametrize(("origin", "update", "local", "shown"), SHOWN.values(), ids=SHOWN)
def test_values_are_shown(origin: str, update: str, local: str, shown: str) -> None:
    assert told("ConfigMap", origin, update, local) == f"both sides changed this, {shown}: local's stays"


@pytest.mark.parametrize("sides", [row[:3] for row in SHOWN.values()], ids=SHOWN)
def test_none_of_a_secret_is(sides: tuple[str, str, str]) -> None:
    message = told("Secret", *sides)
    assert "`" not in message
    assert "x" * 5 not in message


def test_an_object_is_searched_for_secrets_once(monkeypatch: pytest.MonkeyPatch) -> None:
    finder = Mock(side_effect=secrets.finder)
    monkeypatch.setattr(secrets, "finder", finder)
    sides = Triple(*(parse(text).root for text in ("a", "b", "c")))
    conflicts = [Conflict(("data", str(number)), sides, "Error") for number in range(9)]
    assert len([*outcome.results(resource("kind: A\n"), Merged(None, conflicts, []))]) == 9
    assert finder.call_count == 1
