"""Thousands of entries that come into a text at once: what one more of them costs, in calls of Python functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, SupportsIndex

import pytest

from krm.yamltree import parser
from krm.yamltree.editor import Editor
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft
from tests.calls import counted

if TYPE_CHECKING:
    from krm.yamltree.target import Target

ADDED = {
    "elements": ("a:\n- x\n- y\nb: 2\n", "- name: n{0}\n  value: v{0}\n"),
    "elements with a comment behind": ("a:\n- x\n- y\nb: 2\n", "- name: n{0}\n  value: v{0} # {0}\n"),
    "elements with a comment above": ("a:\n- x\n- y\nb: 2\n", "# {0}\n- name: n{0}\n  value: v{0}\n"),
    "strings": ("a:\n- x\n- y\nb: 2\n", "- x{0}\n"),
    "entries": ("a:\n  x: 1\nb: 2\n", "  k{0}: x{0}\n"),
}
"""A text, and what one entry of `a` is in the other text."""

MOST = 200
"""The calls that it may cost to bring one more entry over."""


@pytest.mark.parametrize(("text", "line"), ADDED.values(), ids=ADDED)
def test_one_more_costs_few_calls_however_many_come(text: str, line: str) -> None:
    costs = {number: calls(text, line, number) for number in (200, 400, 1600)}
    assert (costs[400] - costs[200]) / 200 < MOST
    assert (costs[1600] - costs[400]) / 1200 < MOST


def calls(text: str, line: str, number: int) -> int:
    """Return how many functions are called when so many entries come in."""
    editor = Editor(text)
    update = "a:\n" + "".join(map(line.format, range(number)))
    target = with_all(editor, update)
    found = counted(lambda: editor.amend(("a",), target))
    root = parser.parse(editor.text).root
    assert isinstance(root, Mapping)
    assert len(getattr(root.entries.get("a"), "kids", ())) >= number
    return found


class Looked(str):
    """A text that counts the characters of it that somebody looks at, in searches and in parts."""

    __slots__ = ("count_of",)
    count_of: list[int]

    def __new__(cls, text: str, count_of: list[int]) -> Self:
        found = super().__new__(cls, text)
        found.count_of = count_of
        return found

    def find(self, what: str, *within: SupportsIndex | None) -> int:
        found = super().find(what, *within)
        start, stop, _ = slice(*within, *[None] * (2 - len(within))).indices(len(self))
        self.count_of[0] += (found if found >= 0 else stop) - start
        return found

    def __getitem__(self, part: SupportsIndex | slice) -> str:
        found = super().__getitem__(part)
        self.count_of[0] += len(found)
        return found


@pytest.mark.pure
def test_of_entries_with_comments_above_each_looks_at_a_part_of_the_text_however_many_come() -> None:
    looked = {number: characters(number) for number in (200, 400, 1600)}
    assert looked[400] < 2.1 * looked[200]
    assert looked[1600] < 4.2 * looked[400]


def characters(number: int) -> int:
    """Return how many characters of a text are looked at when so many entries come from it."""
    editor, count = Editor("a:\n- x\n- y\nb: 2\n"), [0]
    update = "a:\n" + "".join(f"# {one:05}\n- name: n{one:05}\n  value: v\n" for one in range(number))
    target = with_all(editor, Looked(update, count))
    count[0] = 0
    editor.amend(("a",), target)
    assert editor.text == update.replace("a:\n", "a:\n- x\n") + "- y\nb: 2\n"
    return count[0]


def with_all(editor: Editor, update: str) -> Target:
    """Return `a` of a text with the entries of another one between its own."""
    # A parser takes a plain string alone.
    there, coming = editor.get(("a",)), Editor(str(update)).get(("a",))
    if isinstance(there, Sequence) and isinstance(coming, Sequence):
        first, *others = there.kids
        return AmendedSequence(there, [first, *(Graft(update, coming, kid) for kid in coming.kids), *others])
    assert isinstance(there, Mapping)
    assert isinstance(coming, Mapping)
    return AmendedMapping(there, dict(there.items()) | {key: Graft(update, coming, of) for key, of in coming.items()})


def test_what_comes_in_another_order_comes_in_that_order() -> None:
    editor = Editor("a:\n- x\n")
    update = "a:\n- 1\n- 2\n\n- 3 # three\n"
    there, coming = editor.get(("a",)), Editor(update).get(("a",))
    assert isinstance(there, Sequence)
    assert isinstance(coming, Sequence)
    grafts = [Graft(update, coming, coming.kids[number]) for number in (1, 2, 0)]
    editor.amend(("a",), AmendedSequence(there, [*grafts, *there.kids]))
    assert editor.text == "a:\n- 2\n\n- 3 # three\n- 1\n- x\n"


def test_an_entry_under_another_key_comes_in_as_a_value() -> None:
    editor = Editor("a:\n  x: 1\n")
    update = "a:\n  b: {c: 1} # of b\n"
    there, coming = editor.get(("a",)), Editor(update).get(("a",))
    assert isinstance(there, Mapping)
    assert isinstance(coming, Mapping)
    editor.amend(("a",), AmendedMapping(there, dict(there.items()) | {"z": Graft(update, coming, coming.entries["b"])}))
    assert editor.text == "a:\n  x: 1\n  z:\n    c: 1\n"
