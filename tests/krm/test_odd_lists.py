"""Lists that are written in an unusual way: they are cut like any other, and come out as they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm import resourcelist
from krm.lists import SlicedList

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


@pytest.mark.parametrize("way", [way for way in WAYS if "without" not in way])
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


@pytest.mark.parametrize(
    "text",
    [
        "kind: ResourceList\nitems:\n- a: 1",
        "kind: ResourceList\nitems:\n- a: |\n    x",
        "kind: ResourceList\nitems:\n- a: >+\n    x",
        "kind: ResourceList\r\nitems:\n- a: 1\n",
    ],
)
def test_where_a_line_break_would_count_the_list_is_parsed_whole(text: str) -> None:
    found = resourcelist.read(text)
    assert not isinstance(found._shape, SlicedList)  # noqa: SLF001 - as above
    assert found.emit().text == text
