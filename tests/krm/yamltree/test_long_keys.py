"""YAML takes no key of more than 1,024 characters in one line, JSON does: it is refused by name."""

from __future__ import annotations

import pytest
import yaml

from krm.yamltree import parser
from krm.yamltree.parser import ParseError

KEY = "k" * 1025


@pytest.fixture(params=[True, False], ids=["libyaml", "pure"])
def _either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", request.param)


@pytest.mark.usefixtures("_either_parser")
@pytest.mark.parametrize(
    ("text", "place"),
    [
        (f'{{"a": 1, "{KEY}": 2}}', "line 1, column 10"),
        (f'{{"a": [\n{{"{KEY}" : [1]}}]}}', "line 2, column 2"),
        (f"a:\n  {KEY}: 2\n", "line 2, column 3"),
        (f'- "{KEY}": 2\n', "line 1, column 3"),
        (f"a: 1\n{KEY}: 2\n", "line 2, column 1"),
    ],
)
def test_a_long_key_is_refused_by_name(text: str, place: str) -> None:
    with pytest.raises(ParseError, match=f"^{place}: a key of more than 1,024 characters$"):
        parser.parse(text)


@pytest.mark.parametrize("text", [f'["{KEY}"]', f"? {KEY}\n: a\n", f"a: {KEY}\n", f"{KEY[2:]}: a\n"])
def test_other_long_scalars_are_read(text: str) -> None:
    assert parser.parse(text).root is not None


@pytest.mark.parametrize(
    "text", ["a: b: c\n", "{a: 1, : b: c}", f"a: {KEY}\nb: c: d\n", f"a: {KEY} b\n  c: d\n", f"a: 1\n{KEY}\nb: 1\n"]
)
def test_what_else_is_wrong_with_a_colon_is_told_as_it_is(text: str) -> None:
    with pytest.raises(ParseError, match=r"^line [0-9]+, column [0-9]+: (?!a key of more than)"):
        parser.parse(text)
