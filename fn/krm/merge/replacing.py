"""The replacement of values of local by those of update, as a target tree.

In the target a node of local stands for a value that does not change, `Amended` for one with a change inside, and a
`Graft` for a value from update.
"""

from __future__ import annotations

import re
from functools import reduce

from krm.merge import trees
from krm.merge.lists import likeness, pairing
from krm.yamltree import events, lines, sameness, scalars
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, is_block_scalar, list_elements, resolved
from krm.yamltree.partners import are_alike, partner_numbers
from krm.yamltree.target import (
    AmendedMapping,
    AmendedSequence,
    Graft,
    entries_of,
    in_its_place,
    is_unchanged,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Sequence as Listed
    from typing import Any, TypeAlias

    from krm.merge.trees import Tree, Triple
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Amended: TypeAlias = AmendedMapping | AmendedSequence
    Wanted: TypeAlias = Any
    """A node of update, or data that are in no text."""


class Replacing:
    """The replacement of values of local by wanted ones: with local's nodes if possible, else with update's."""

    def __init__(self, update: Tree, local: Tree) -> None:
        self._update = update
        self._local = local

    def root(self) -> Target:
        """Return the target of local's root, with the data of update's."""
        return self.laid(None, self._update.root, self._update.root, self._local.root)

    def graft(self, parent: Node | None, node: Node, amended: Amended | None = None) -> Graft:
        """Return the graft of a node of update. `parent` is its collection there, None for the root."""
        around = None if parent is None else trees.holder(resolved(parent), node)  # type: ignore[arg-type]  # it has kids
        return Graft(self._update.text, around, node, amended)

    def laid(self, parent: Node | None, wanted: Wanted, update: Node | None, local: Node | None) -> Target:
        """Return the target of a place in local, given the node that update has in its `parent`."""
        return self.placed(parent, update, local, self.replaced(wanted, update, local))

    def replaced(self, wanted: Wanted, update: Node | None, local: Node | None) -> Target:
        """Return a target with the data of `wanted`: with local's nodes where these are equal, then with update's."""
        if local is not None and self.is_same(wanted, self._local, local):
            return local
        amended = self.amended(wanted, update, local)
        if amended is not None or update is None:
            return wanted if amended is None else amended
        if self.is_same(wanted, self._update, update):
            return update
        amended = self.amended(wanted, None, update)
        return wanted if amended is None else amended

    def is_same(self, wanted: Wanted, tree: Tree, node: Node) -> bool:
        """True if a node of a side has the data of `wanted`, which is a node of update here."""
        return trees.same(self._update, wanted, tree, node)

    def is_alike(self, there: Target, wanted: Target) -> bool:
        """True if an element at the place of local's is that one with a change."""
        return are_alike(there, wanted)

    def amended(self, wanted: Wanted, update: Node | None, local: Node | None) -> Amended | None:
        """Return local's collection with the parts of `wanted`, None if that is no collection of the same kind."""
        node = wanted if isinstance(wanted, Scalar | Alias | Mapping | Sequence) else None
        own = wanted if isinstance(wanted, dict) else trees.plain_mapping(node)
        there: Any = trees.plain_mapping(local)
        if own is not None and there is not None:
            new, old, entries = trees.entries(update), trees.entries(local), entries_of(own)
            keys = pairing.ordered((), {**new, **dict.fromkeys(key for key in entries if key not in old)}, old, entries)
            kept = {key: self.laid(update, entries[key], new.get(key), old.get(key)) for key in keys}
            return AmendedMapping(there, kept)
        elements: list[Any] = wanted if isinstance(wanted, list) else list_elements(node)
        there = resolved(local)
        if not (elements and isinstance(there, Sequence) and there.kids):
            return None
        news = elements if wanted is update else partners(list_elements(update), elements)
        parts = zip(elements, news, partners(there.kids, elements, is_alike=self.is_alike), strict=True)
        return AmendedSequence(there, [in_its_place(old, self.laid(update, one, new, old)) for one, new, old in parts])

    def spliced(self, update: Sequence, local: Sequence, elements: list[Triple]) -> AmendedSequence:
        """Return local's list with these elements, in which local's nodes are kept."""
        wanted: list[Any] = [one.update if one.local is None else one.local for one in elements]
        # Local's nodes are themselves: no equal element of update stands for one of them.
        there = partners(local.kids, wanted, id)
        pairs = zip(wanted, there, strict=True)
        kept = [one if one is old else in_its_place(old, self.laid(update, one, one, old)) for one, old in pairs]
        return AmendedSequence(local, kept)

    def placed(self, parent: Node | None, update: Node | None, local: Node | None, kept: Target) -> Target:
        """Return a target for a place in local: a node of update becomes a graft. `parent` is its collection there."""
        # A generated item shows update's own template in a field that follows it: there local has its place.
        if update is None or kept is local:
            return kept
        amended = kept if isinstance(kept, (AmendedMapping, AmendedSequence)) else None
        is_of_update = kept is update if amended is None else amended.node is resolved(update)
        return self.graft(parent, update, amended) if is_of_update else kept

    def mapping(self, sides: Triple, kept: dict[str, Target]) -> Target:
        """Return the target of a mapping with the entries that are `kept`: None stands for a deleted one.

        Local's order stays: the order of keys is no data. A mapping that one side lacks goes if nothing is left of it.
        """
        kept = {key: target for key, target in kept.items() if target is not None}
        update, local = trees.entries(sides.update), trees.entries(sides.local)
        if not kept.keys() <= local.keys():
            kept = {key: kept[key] for key in pairing.ordered((), update, local, kept)}
        base, entries = (sides.update, update) if sides.local is None else (sides.local, local)
        if is_unchanged(kept.values(), entries.values()):
            return base
        if not kept and None in (sides.update, sides.local):
            return None
        return AmendedMapping(resolved(base), kept)  # type: ignore[arg-type]  # only of mappings do keys decide

    def sequence(self, sides: Triple, kept: list[Target]) -> Target:
        """Return the target of a list with these elements, None if one side lacks it, and nothing is left of it."""
        base = sides.update if sides.local is None else sides.local
        if is_unchanged(kept, list_elements(base)):
            return base
        if not kept and None in (sides.update, sides.local):
            return None
        return AmendedSequence(resolved(base), kept)  # type: ignore[arg-type]  # only of lists do elements decide


class Reprinted(Replacing):
    """A replacement by what a program has read and printed: a text stays that some program prints so."""

    def is_same(self, wanted: Wanted, tree: Tree, node: Node) -> bool:
        """True if a node has the data of a node that the program printed."""
        if super().is_same(wanted, tree, node):
            return True
        # In JSON each text has quotes, so that they say nothing.
        is_json = isinstance(self._update.root, Mapping) and self._update.root.flow
        return _may_be_same(wanted, resolved(node), is_json=is_json)

    def is_alike(self, there: Target, wanted: Target) -> bool:
        """True for an element with another name, too, that has half of its leaves as before, and more than one."""
        if super().is_alike(there, wanted):
            return True
        one, other = (likeness.leaves_of(node, ("name",)) for node in (there, wanted))  # type: ignore[arg-type]  # nodes
        return len(one & other) > 1 and likeness.common(one, other) >= likeness.HALF

    def placed(self, parent: Node | None, update: Node | None, local: Node | None, kept: Target) -> Target:
        """Return a target for a place in local, where a text keeps local's form."""
        if kept is update and isinstance(update, Scalar) and not self._is_taken(update):
            texts = [scalars.string(side) for side in (update, local)]
            if None not in texts:
                return texts[0]
        return super().placed(parent, update, local, kept)

    def _is_taken(self, node: Scalar) -> bool:
        """True for what is taken as it is printed: a program that prints a block, or a comment, has kept the form."""
        return is_block_scalar(node) or lines.comment_at(self._update.text, node.end) != ""


def partners(
    old: Listed[Node],
    new: Listed[Target],
    meaning: Callable[[Target], object] = sameness.meaning,
    is_alike: Callable[[Target, Target], bool] = are_alike,
) -> list[Node | None]:
    """Return for each new element the old one that it was, None for an added one."""
    return [None if number is None else old[number] for number in partner_numbers(old, new, meaning, is_alike)]


def _may_be_same(printed: Node | None, there: Node | None, *, is_json: bool) -> bool:
    """True if a scalar that a program printed may be one that it read: `there`.

    PyYAML prints the strings `"y"` and `"1e3"` without quotes, and the time `2025-09-30T00:00:00Z` as
    `2025-09-30 00:00:00+00:00`. Quotes that are new are a change, but in JSON.

    >>> plain, quoted = Scalar(0, 0, "y", "", None, None), Scalar(0, 0, "y", '"', None, None)
    >>> _may_be_same(plain, quoted, is_json=False), _may_be_same(quoted, plain, is_json=False)
    (True, False)
    """
    if not (isinstance(printed, Scalar) and isinstance(there, Scalar)) or (printed.style and not is_json):
        return False
    if not {printed.tag, there.tag} <= scalars.TAGS_OF_PLAIN:
        return False
    if printed.value == there.value:
        plain = there if printed.style else printed
        return isinstance(scalars.typed(plain), str) or events.is_string(plain.value)
    # The texts of values, since `.nan` is not equal to itself.
    if scalars.string(printed) is None and repr(scalars.typed(printed)) == repr(scalars.typed(there)):
        return True
    is_time = _time(printed.value) == _time(there.value) is not None
    return not there.style and (is_time or _may_be_read(printed, there))


def _may_be_read(printed: Scalar, there: Scalar) -> bool:
    """True if a number is what some readers take another text for: to YAML 1.2 `0775` is 775, to 1.1 `1:30` is 90."""
    number = scalars.typed(printed)
    if type(number) is not int or re.fullmatch(r"[0-9]{1,99}(?::[0-5]?[0-9])*", there.value) is None:
        return False
    return number == reduce(lambda above, part: 60 * above + part, map(int, there.value.split(":")))


def _time(text: str) -> object:
    """Return the time that a text is, None for any other text."""
    from datetime import datetime  # noqa: PLC0415 - most runs compare no times

    try:
        return datetime.fromisoformat(text) if scalars.is_typed(text) else None
    except ValueError:
        return None
