"""Lists that are written in an unusual way: they are cut like any other, and come out as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import krm
from krm import resourcelist
from krm.lists import SlicedList
from krm.results import INFO, Result

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = """\
kind: ResourceList
items:
- kind: A
  metadata: {name: a}
  text: $(X)
# of b
- kind: B
  more:
  - c
functionConfig: {kind: F}
"""

WAYS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "without a final newline": lambda text: text.removesuffix("\n"),
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "with CRLF, without the last": lambda text: text.replace("\n", "\r\n").removesuffix("\r\n"),
    "with a comment behind the key": lambda text: text.replace("items:\n", "items:  # all: of them\n"),
    "with a dash alone": lambda text: text.replace("- kind: ", "-\n  kind: "),
    "with the list at the end": lambda text: text.replace("functionConfig: {kind: F}\n", ""),
}
ways = pytest.mark.parametrize("way", WAYS)


@ways
def test_it_is_cut(way: str) -> None:
    assert isinstance(resourcelist.read(WAYS[way](PLAIN))._shape, SlicedList)  # noqa: SLF001 - what nobody sees but by time


@ways
def test_what_changes_nothing_keeps_every_byte(way: str) -> None:
    text = WAYS[way](PLAIN)
    assert resourcelist.read(text).emit().text == text


@ways
def test_a_change_is_made_in_the_same_way(way: str) -> None:
    found = resourcelist.read(WAYS[way](PLAIN))
    found.items[0].set(("text",), "x")
    assert found.emit().text == WAYS[way](PLAIN.replace("$(X)", "x"))


@ways
def test_an_item_is_added_in_the_same_way(way: str) -> None:
    found = resourcelist.read(WAYS[way](PLAIN))
    found.add("kind: C\nlist:\n- c\n")
    made = PLAIN.replace("  - c\n", "  - c\n- kind: C\n  list:\n  - c\n")
    expected = WAYS[way](made)
    assert found.emit().text == expected.replace("-\n  kind: C", "- kind: C").replace("-\r\n  kind: C", "- kind: C")


@ways
def test_an_item_is_removed_in_the_same_way(way: str) -> None:
    found = resourcelist.read(WAYS[way](PLAIN))
    found.remove(found.items[1])
    assert found.emit().text == WAYS[way](PLAIN.replace("# of b\n- kind: B\n  more:\n  - c\n", ""))


def test_where_line_ends_are_mixed_the_list_is_parsed_whole() -> None:
    text = "kind: ResourceList\r\nitems:\n- a: 1\n"
    found = resourcelist.read(text)
    assert not isinstance(found._shape, SlicedList)  # noqa: SLF001 - as above
    assert found.emit().text == text


def test_several_items_change_in_a_list_without_a_final_newline() -> None:
    text = "kind: ResourceList\nitems:\n- kind: A\n  metadata: {name: a}\n- kind: A\n  metadata: {name: b}"
    found = krm.load(text)
    for item in found.items:
        item.set_label("app", "web")
    assert found.emit().text == text.replace("}", ", labels: {app: web}}")


def test_a_block_above_results_keeps_its_text_without_a_final_newline() -> None:
    text = "kind: ResourceList\nitems:\n- a: |\n    x"
    found = resourcelist.read(text)
    assert found.emit().text == text
    found.results.append(Result("m", INFO))
    results = "results:\n- message: m\n  severity: info\n"
    assert found.emit().text == f"kind: ResourceList\nitems:\n- a: |-\n    x\n{results}"


def test_an_item_that_nobody_reads_may_be_broken_without_a_final_newline() -> None:
    text = "kind: ResourceList\nitems:\n- {a: 1, a: 2}\n- kind: B"
    found = resourcelist.read(text)
    found.items[1].set(("x",), 1)
    found.results.append(Result("m", INFO))
    assert found.emit().text == f"{text}\n  x: 1\nresults:\n- message: m\n  severity: info\n"


def test_several_items_change_in_a_list_that_is_parsed_whole() -> None:
    text = "kind: ResourceList\nitems:\n- metadata: {name: &a a}\n- metadata: {name: b, was: *a}\n"
    found = krm.load(text)
    for item in found.items:
        item.set("spec.list", [1])
    for item in found.items:
        item.append("spec.list", 2)
    spec = "  spec:\n    list:\n    - 1\n    - 2\n"
    assert found.emit().text == text.replace("}\n", f"}}\n{spec}")


def test_blocks_of_several_items_in_a_list_that_is_parsed_whole() -> None:
    head = '{"kind": "ResourceList", "items": [&a '
    found = krm.load(f'{head}{{"name": "a", "list": [1]}}, {{"name": "b", "list": [1]}}]}}')
    first, second = found.items

    def fails() -> None:
        with second.edit():
            second.append("list", 3)
            first.append("list", 3)
            raise ValueError("boom")

    with first.edit():
        first.append("list", 2)
        second.set("name", "longer")
        with second.edit():
            second.append("list", 2)
            first.set("name", "even longer")
            second.append("list", 4)
        with pytest.raises(ValueError, match="boom"):
            fails()
    expected = '{"name": "even longer", "list": [1, 2]}, {"name": "longer", "list": [1, 2, 4]}]}'
    assert found.emit().text == head + expected
