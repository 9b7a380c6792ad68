"""A document of someone's own, laid out to stand among the items of a list: as it is written, or a clear refusal."""

from __future__ import annotations

import pytest

from krm import newitem, resourcelist
from krm.results import FnError
from krm.yamltree import parser, positions, scalars

ELEMENTS = {
    "plain": ("kind: A\nx: 1\n", "- kind: A\n  x: 1\n"),
    "comments above, inside and below": (
        "# a\n\n# b\nkind: A # c\n# d\nx:\n  # e\n  - 1\n  # f\n# g\n",
        "- # a\n\n  # b\n  kind: A # c\n  # d\n  x:\n    # e\n    - 1\n    # f\n  # g\n",
    ),
    "order, quotes, numbers": ("b: 'x'\nkind: \"\\u0041\"\nn: 1.10\n", "- b: 'x'\n  kind: \"\\u0041\"\n  n: 1.10\n"),
    "indented": ("\n    kind: A\n    x:\n      y: 1\n  # z\n    ", "- kind: A\n  x:\n    y: 1\n  # z\n"),
    "start and end": ("# a\n--- # b\nkind: A\n... # c\n", "- # a\n  # b\n  kind: A\n  # c\n"),
    "behind the start": ("--- {kind: A,\n x: 1}\n...\n", "- {kind: A,\n   x: 1}\n"),
    "byte order mark and CRLF": ("\ufeffkind: A\r\nx: |\r\n  a\r\n\r\n  b\r\n", "- kind: A\n  x: |\n    a\n\n    b\n"),
    "a block, open": ("kind: A\nx: |\n  a", "- kind: A\n  x: |-\n    a\n"),
    "a block that keeps, open": ("kind: A\nx: >+\n  a", "- kind: A\n  x: >-\n    a\n"),
    "a block that keeps": ("kind: A\nx: |+\n  a\n\n\n", "- kind: A\n  x: |+\n    a\n\n\n"),
    "a block that ends in blank lines": ("kind: A\nx: |\n  a\n\n\n", "- kind: A\n  x: |\n    a\n"),
    "a block, its indentation told": ("kind: A\nx: |1\n   a\n  b\n", "- kind: A\n  x: |1\n     a\n    b\n"),
    "quotes on several lines": ('kind: A\nx: "a\n# b\n  \\  c"\n', '- kind: A\n  x: "a\n  # b\n    \\  c"\n'),
    "anchors and tags": ("&r\nkind: !!str A\nx: &x [1]\ny: *x\n", "- &r\n  kind: !!str A\n  x: &x [1]\n  y: *x\n"),
    "no final line end": ("kind: A", "- kind: A\n"),
}
REFUSED = {
    "nothing": ("", "it must be a mapping"),
    "comments": ("# a\n", "it must be a mapping"),
    "a list": ("- kind: A\n", "it must be a mapping"),
    "two documents": (
        "a: 1\n---\nb: 2\n",
        "line 2, column 1: a second document starts here, where there may be only one",
    ),
    "no YAML": ("a: [\n", "line 2, column 1: a value is missing here, or a bracket above is not closed"),
    "a key twice": ("a: 1\na: 2\n", "line 2, column 1: the key `a` is here again, first in line 1"),
    "an alias of something else": ("a: *x\n", "an alias of it names no anchor"),
    "directives": ("%YAML 1.1\n---\na: 1\n", "it must have no directives"),
    "odd line ends, in a margin": ("  a: |\n    x\x85    y\n", "it is written in a way that cannot be moved"),
    "odd line ends, in a block": ("a: |\n  x\x85  y\n", "it is written in a way that cannot be moved"),
    "odd line ends": ("a: 1 # \x85b: |\n  x\x85  y\n", "it is written in a way that cannot be moved"),
}


@pytest.mark.parametrize(("text", "expected"), ELEMENTS.values(), ids=ELEMENTS.keys())
def test_an_item_as_it_is_written(text: str, expected: str) -> None:
    item = newitem.element(text, "it")
    assert (item.text, item.kind, item.is_changed) == (expected, "A", False)


@pytest.mark.parametrize(("text", "problem"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_item_is_refused(text: str, problem: str) -> None:
    resource_list = resourcelist.read("kind: ResourceList\nitems: []\n")
    with pytest.raises(FnError) as error:
        resource_list.add(text)
    assert str(error.value) == f"[error] the new item 1 cannot be added: {problem}"
    assert resource_list.items == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a: 1.10\nb: 0x10\nc: 'yes'\nd: ~\ne: 1e3\nf: .5\ng: True\nh: 0400\n",
            '{"a": 1.10, "b": 16, "c": "yes", "d": null, "e": 1e3, "f": 0.5, "g": true, "h": 256}\n',
        ),
        ("x: &x {y: [1]}\nz: {<<: *x, w: *x}\n", '{"x": {"y": [1]}, "z": {"w": {"y": [1]}, "y": [1]}}\n'),
        ("x: |\n  \u00e9\n\n'y': !!str 1\n", '{"x": "\u00e9\\n", "y": "1"}\n'),
    ],
)
def test_an_item_as_json(text: str, expected: str) -> None:
    assert newitem.json(text, "it").text == expected


@pytest.mark.parametrize("value", ["yes", "n", "0899", "0o17", "1_000", "1:30", "2024-01-01", ".inf", "! 1", "!x a"])
def test_json_cannot_say_what_readers_of_yaml_take_differently(value: str) -> None:
    told = (
        "a value that JSON cannot say as all readers of YAML take it: put a text in quotes, write a number in decimal"
    )
    with pytest.raises(FnError) as caught:
        newitem.json(f"a: [1, {value}]\n", "it")
    assert list(map(str, caught.value.results)) == [f"[error] a[1]: it cannot be added: it has {told}"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1 # c\n", True),
        ("# c\na: 1\n", True),
        ("a: 1\n# c\n", True),
        ("a: '# c'\nb: x#y\n", False),
        ("a: |\n  # text\n", False),
        ("a: | # c\n  text\n", True),
    ],
)
def test_what_has_comments(text: str, expected: bool) -> None:  # noqa: FBT001
    assert newitem.has_comments(text, "it") is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: b", "a: b\n"),
        ("a: |\n  b", "a: |-\n  b\n"),
        ("a: >2+\n   b", "a: >2-\n   b\n"),
        ("a: |-2\n   b", "a: |-2\n   b\n"),
        ("- x\r\n- y", "- x\r\n- y\r\n"),
        ("# nothing", "# nothing\n"),
    ],
)
def test_a_line_end_at_its_end_changes_no_value(text: str, expected: str) -> None:
    assert positions.ended(text) == expected
    before, after = (scalars.data(parser.parse(one).root) for one in (text, expected))
    assert before == after
