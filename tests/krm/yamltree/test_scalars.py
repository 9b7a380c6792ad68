"""Which value a scalar has, and how one is written so that every reader takes it for the same."""

from __future__ import annotations

import math
from typing import Any

import pytest
import yaml

from krm.yamltree import Verbatim, parser, scalars
from krm.yamltree.nodes import Scalar

# Plain, these are no strings to YAML 1.1, to 1.2 or to Go's reader of both.
RETYPED = [
    *("", "~", "null", "Null", "true", "True", "FALSE", "y", "Y", "n", "yes", "NO", "on", "Off", "=", "<<"),
    *("0", "-1", "+1", "0777", "0o17", "0x1F", "-0x1F", "0b1", "1_000", "12:30:45", "1:30", "190:20:30.15"),
    *("1.", ".5", "1e3", "-1.5E-3", "1_0.5", "6.8523015e+5", ".inf", "-.INF", "+.inf", ".nan", ".NaN"),
    *("10.0.0.1", "1.2.3", "2001-01-01", "2001-1-1 1:02:03", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43 Z"),
]
STRINGS = [
    *("a", "nul", "ye", "on1", "v1", "1.2.3-rc", "e3", "1e", "0x", "0xG", "0o8", "--1", "1-1"),
    *("2001-01", "10.0.0.1/8", "12:60:99x", "1 2", ".infinity", "1,5", "$1"),
]


@pytest.mark.parametrize("text", RETYPED)
def test_a_plain_scalar_that_is_no_string_to_some_reader(text: str) -> None:
    assert scalars.is_retyped(text)
    assert scalars.leaf(text, flow=False) == f'"{text}"'


NUMBERS_BY_LETTER = ("10.0.0.1", "1.2.3", "..", "-1.2.3e4", "1_0.0_1.")


@pytest.mark.parametrize("text", RETYPED)
def test_what_no_reader_takes_for_a_number_is_a_string_to_compare(text: str) -> None:
    assert scalars.is_typed(text) is (text not in NUMBERS_BY_LETTER)


@pytest.mark.parametrize("text", NUMBERS_BY_LETTER)
def test_what_is_a_number_by_the_letter_alone_gets_quotes(text: str) -> None:
    assert (scalars.is_typed(text), scalars.is_retyped(text)) == (False, True)
    assert yaml.safe_load(text) == text


@pytest.mark.parametrize("text", STRINGS)
def test_a_plain_scalar_that_is_a_string_to_every_reader(text: str) -> None:
    assert not scalars.is_retyped(text)
    assert text == yaml.safe_load(scalars.leaf(text, flow=False))


@pytest.mark.parametrize(
    ("text", "plain", "plain_in_flow"),
    [
        ("a b", True, True),
        ("a:b", True, False),
        ("a, b", True, False),
        ("a[0]", True, False),
        ("why?", True, False),
        ("-a", True, True),
        ("?a", True, False),
        ("a#b", True, True),
        ("-", False, False),
        ("- a", False, False),
        ("? a", False, False),
        (": a", False, False),
        ("a: b", False, False),
        ("a:", False, False),
        ("a #b", False, False),
        (" a", False, False),
        ("a ", False, False),
        ("--- a", False, False),
        ("...", False, False),
        ("...a", True, True),
        ("a\tb", False, False),
        ("a\nb", False, False),
        ("a\xa0b", False, False),
        ("a\u2028b", False, False),
        ("\ufeffa", False, False),
        *((f"{indicator}a", False, False) for indicator in ",[]{}#&*!|>'\"%@`"),
    ],
)
def test_what_can_be_written_plain(text: str, plain: bool, plain_in_flow: bool) -> None:  # noqa: FBT001 - a column
    assert (plain, plain_in_flow) == (scalars.fits_plain(text, flow=False), scalars.fits_plain(text, flow=True))


@pytest.mark.parametrize(
    ("value", "style", "text"),
    [
        (None, "", "null"),
        (True, "", "true"),
        (False, "'", "false"),
        (8080, '"', "8080"),
        (1.0, "", "1.0"),
        (1e-07, "", "1.0e-07"),
        (1e300, "", "1.0e+300"),
        (math.inf, "", ".inf"),
        (-math.inf, "", "-.inf"),
        (math.nan, "", ".nan"),
        ("it's", "'", "'it''s'"),
        ("it's", '"', '"it\'s"'),
        ("a\tb", "'", '"a\\tb"'),
        ("\x00\x1f\x7f\x85\xa0\u2028\ufeff", "", '"\\u0000\\u001f\\u007f\\u0085\\u00a0\\u2028\\ufeff"'),
        ('"\\\b\f\r\n', "", '"\\"\\\\\\b\\f\\r\\n"'),
        ("😀", "", "😀"),
        ("\U000e0001", "", '"\U000e0001"'),
        (Verbatim("!!str 1"), "'", "!!str 1"),
    ],
)
def test_how_a_value_is_written(value: Any, style: str, text: str) -> None:
    assert text == scalars.leaf(value, flow=False, style=style)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("0777", 511),
        ("0o17", 15),
        ("0x1f", 31),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("-.Inf", -math.inf),
        ("TRUE", True),
        ("tRUE", "tRUE"),
        ("~", None),
        ("12:30", "12:30"),
        ("1_000", "1_000"),
        ("2001-01-01", "2001-01-01"),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ("!!int 1", 1),
        ("!!int '1'", 1),
        ("!!null ''", None),
        ("!!binary 1", "1"),
        ("!x true", "true"),
        ("10.0.0.1", "10.0.0.1"),
        # Python reads no longer integer.
        ("1" * 5000, "1" * 5000),
    ],
)
def test_the_value_of_a_scalar(text: str, value: object) -> None:
    node = parser.parse(f"- {text}\n").root
    assert repr([value]) == repr(scalars.data(node))


@pytest.mark.parametrize(
    ("text", "string"), [("a", "a"), ("on", None), ("'on'", "on"), ("!!str on", "on"), ("!x a", None), ("[a]", None)]
)
def test_what_is_a_string_to_every_reader(text: str, string: str | None) -> None:
    assert string == scalars.string(parser.parse(text).root)


def test_the_data_of_a_tree_follows_aliases_and_merge_keys() -> None:
    text = "a: &x {k: [1, null]}\nb: {<<: *x, l: *x}\n[c]: 1\nd: *y\n"
    assert scalars.data(parser.parse(text).root) == {
        "a": {"k": [1, None]},
        "b": {"l": {"k": [1, None]}, "k": [1, None]},
        "d": None,
    }
    assert scalars.data(None) is None


@pytest.mark.parametrize(
    ("text", "is_json"),
    [("1", True), ("-0.5e+3", True), ("true", True), ("01", False), ("1.", False), ("null", False), ("+1", False)],
)
def test_what_is_a_json_number_or_boolean(text: str, is_json: bool) -> None:  # noqa: FBT001 - a column
    assert is_json == scalars.is_json_value(text)


def test_a_nan_is_not_equal_to_itself_but_read() -> None:
    node = parser.parse(".nan\n").root
    assert isinstance(node, Scalar)
    assert repr(scalars.typed(node)) == "nan"
