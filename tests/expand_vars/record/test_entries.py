"""The lines of a record: what they say, how they are written, and what says nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.record import entries
from expand_vars.record.entries import Entry, Given, Record, Template
from krm import fieldpath

HASH = "0123456789"
DAMAGED = {
    "nothing but a key": ["a:"],
    "a value without a key": [f'  {HASH} "b"'],
    "a marker of a conflict": ["<<<<<<< HEAD"],
    "the form of an earlier version": ['{"path": "a", "rendered": "b", "template": "c"}'],
    "no field path": ["a..b:", f'  {HASH} "b"'],
    "a key and a blank line": ["a:", "  "],
    "no hash": ["a:", '  012 "b"'],
    "a hash and what is no string": ["a:", f"  {HASH} 1"],
    "a hash and what is no JSON": ["a:", f'  {HASH} "\\"'],
    "a hash and more": ["a:", f'  {HASH} "b" "c"'],
    "a word of a newer version": ["a:", f'  {HASH} folded "b"'],
    "a variable that is no string": ["variable A:", "  1"],
    "a variable of two strings": ["variable A:", '  "a" "b"'],
    "a secret variable with its text": ["variable A:", '  secret "a"'],
    "an identity that is a list": ["secrets of:", "  []"],
    "an identity that is no string": ["secrets of:", "  {}"],
    "a key that is no string": ['"a:', f"  {HASH}"],
    "pieces that are no lengths": ["a:", f"  {HASH} cut [null]"],
    "pieces of a negative length": ["a:", f'  {HASH} cut [-1, "A"]'],
    "pieces without a name": ["a:", f"  {HASH} cut [1, 2]"],
    "an option of a newer version": ["option colour:", '  "Red"'],
    "an option with an unknown word": ["option inline:", '  "Literals Everything"'],
    "an option without a word": ["option escapes:", '  ""'],
    "an endless depth": ["secrets of:", f"  {'[' * 100_000}"],
    "one key twice": ["a:", f'  {HASH} "b"', "a:", f'  {HASH} "c"'],
}
LINES = r"""
a.b[0]:
  0123456789 "\u0024(A)"
a.b[1]:
  -
a.b[2]:
  abcdefabcd plain "\u0024(B)"
"a['\u00e9\u0024']":
  0123456789 "back\\\u0024slash \u00e9"
a.e:
  secret 0123456789 "\u0024(C)"
a.f:
  secret 0123456789 cut [5, ["C", 4], 0, "D", 1]
variable A:
  "\u0024\u0024"
"variable A\u0024":
  "1"
variable C:
  secret
variable D:
  secret abcdefabcd
option inline:
  ""
option lookup:
  "Variables Container"
secrets of:
  "apps/Deployment/shop/web"
""".lstrip()

texts = st.text("$\\\"'\n\x85()éa\U0001f600", max_size=9)
names = st.text("!aA:- $", min_size=1, max_size=5)


def described(record: Record) -> list[object]:
    """Return what a record says, to compare."""
    found = [
        (
            fieldpath.to_text(one.path),
            one.digest,
            one.template and (one.template.text, one.template.is_open),
            one.is_secret,
        )
        for one in record.entries
    ]
    values = {name: (one.text, one.digest) for name, one in record.values.items()}
    return [found, values, record.options, record.identity, record.damaged]


@pytest.mark.parametrize("lines", DAMAGED.values(), ids=DAMAGED)
def test_a_line_that_says_nothing_is_told_by_its_number(lines: list[str]) -> None:
    record = entries.read("\n".join(['variable x:\n  "a"', *lines, 'variable y:\n  "b"']))
    damaged = [number for number, line in enumerate(lines, start=3) if line.strip()]
    assert described(record) == [[], {"x": ("a", None), "y": ("b", None)}, {}, "", damaged]


def test_blank_lines_say_nothing_and_are_no_damage() -> None:
    """kpt's printer puts one behind each key of a folded text."""
    record = entries.read('\nvariable x:\n\n  "a"\n \nvariable y:\n  "b"\n\n')
    assert described(record) == [[], {"x": ("a", None), "y": ("b", None)}, {}, "", []]


def test_what_lines_say() -> None:
    record = entries.read(LINES)
    assert described(record) == [
        [
            ("a.b[0]", "0123456789", ("$(A)", False), False),
            ("a.b[1]", None, None, False),
            ("a.b[2]", "abcdefabcd", ("$(B)", True), False),
            ("a['é$']", "0123456789", ("back\\$slash é", False), False),
            ("a.e", "0123456789", ("$(C)", False), True),
            ("a.f", "0123456789", ("$(C)$(D)", False), True),
        ],
        {"A": ("$$", None), "A$": ("1", None), "C": (None, None), "D": (None, "abcdefabcd")},
        {"inline": (), "lookup": ("Variables", "Container")},
        "apps/Deployment/shop/web",
        [],
    ]
    assert entries.to_text(record) == LINES


def test_without_fields_there_is_nothing_to_remember() -> None:
    assert entries.to_text(entries.read('variable A:\n  "v"\n')) == ""


def test_the_identity_is_only_for_secrets() -> None:
    record = entries.read('a:\n  0123456789 "c"\nsecrets of:\n  "i"\n')
    assert entries.to_text(record) == 'a:\n  0123456789 "c"\n'


@given(st.lists(texts), names, texts)
def test_whatever_is_written_is_read_again(values: list[str], name: str, text: str) -> None:
    record = Record()
    elements = [Entry(("a", "b", index), "0123456789", Template(value)) for index, value in enumerate(values)]
    record.entries = [*elements, Entry(("a", name), None, Template(text, is_open=True), is_secret=True)]
    record.values = {name: Given(text), f"secret {name}": Given(None)}
    record.identity = text
    written = entries.to_text(record)
    assert described(entries.read(written)) == described(record)
    assert written.isascii()
    assert "$" not in written
    assert all(line.startswith("  ") for line in written.splitlines()[1::2])


def test_the_hash_of_a_secret_shows_no_equal_text_elsewhere() -> None:
    hashes = {entries.secret_hash(identity, fieldpath.parse(path), "t") for identity in "ij" for path in "ab"}
    assert len(hashes) == 4
