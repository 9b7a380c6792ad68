"""Edits of one object, gathered as a target tree and made at once: one parse and one proof for all of them.

They are the changes of any text, for authors who cannot see it: no comment goes without an error that names it, and
orchestrators learn of lists that were rearranged.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import chain

from krm import fieldpath
from krm.fieldpath import Match, Wildcard, as_index
from krm.workloads import PodSpecs
from krm.yamltree import scalars
from krm.yamltree.changes import Changes, NoSuchPlaceError, has_kid, kid_of
from krm.yamltree.difference import Difference
from krm.yamltree.edits import EditError
from krm.yamltree.field_comments import refuse_loss
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, resolved
from krm.yamltree.scalars import Verbatim
from krm.yamltree.target import AmendedMapping, elements_of, entries_of, is_list, is_mapping, shown, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place, Step
    from krm.resource import Resource as Item
    from krm.sections import Section
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target

    Steps: TypeAlias = Iterable[tuple[str | int, Target]]


_STRING_MAPS = (("metadata", "labels"), ("metadata", "annotations"))
_NAMES = (("metadata", "name"), ("metadata", "namespace"))
_DATA = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}
"""The fields of Kubernetes' own kinds that map keys to texts."""
DATAS = frozenset(chain.from_iterable(_DATA.values()))
_GRAMMARS: dict[Place, str] = {}


class _Careful(Difference):
    """The difference that a value makes, or the refusal to lose a comment by it. EditError for that.

    `moves` becomes True if an element moves, comes or goes elsewhere than at a list's end, or a node changes its kind.
    `moved` has, for each list by its place, the new index of each element that stays by its old one.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.moves = False
        self.moved: dict[Place, dict[int, int]] = {}

    def is_same(self, node: Node, value: Value) -> bool:
        """True if `value` is what `get` returns for `node`: to set it again changes no byte."""
        return _as_read(node) == _as_read(value) or super().is_same(node, value)

    def meaning(self, target: Target) -> object:
        """Return what `get` returns for a target."""
        return _as_read(target)

    def on_remove(self, parent: Target, kid: Target) -> None:
        """Refuse to lose the comments of an entry or element."""
        if (
            isinstance(parent, Mapping | Sequence)
            and isinstance(kid, Scalar | Alias | Mapping | Sequence)
            and parent.start <= kid.start  # what `<<` merges in is written above
        ):
            refuse_loss(self._text, parent, kid)

    def on_replace(self, there: Target, value: Value) -> None:
        """Refuse to lose the comments in a node of another kind: nothing of it can stay."""
        if not isinstance(there, Scalar | Mapping | Sequence):
            return
        if not isinstance(there, Scalar) or isinstance(value, dict | list):
            refuse_loss(self._text, None, there)
            self.moves = self.moves or not scalars.is_null(there)

    def on_reorder(self, place: Place, partners: list[int | None], size: int) -> None:
        """Note what moves, and where to."""
        self.moves = self.moves or partners[:size] != [*range(size)][: len(partners)]
        self.moved[place] = {old: new for new, old in enumerate(partners) if old is not None}

    def is_alike(self, there: Target, value: Value) -> bool:
        """True if both are scalars. A mapping or list without a key of its own is another one, not a changed one."""
        return isinstance(shown(there), Scalar) and not isinstance(value, dict | list)


class ObjectChanges(Changes):
    """The edits of `item`, or of a `section` of it, whose tree has this `root`, as the `target` that they amount to."""

    __slots__ = ("_item", "_root", "careful", "section")

    def __init__(self, item: Item, section: Section | None, root: Node) -> None:
        self.careful = _Careful(item.text if section is None else section.text)
        super().__init__(root, self.careful)
        self._item = item
        self._root = root
        self.section = section

    @property
    def lines_above(self) -> int:
        """The number of lines above those that errors count."""
        return 0 if self.section is None else self.section.lines_above

    def find(self, path: FieldPath) -> list[tuple[Place, Target]]:
        """Return every place that a path leads to, each with its target."""
        return fieldpath.follow(self.target, path, _steps)

    def has_changed(self, keys: tuple[str, ...]) -> bool:
        """True if edits are gathered for the field at the path of `keys`."""
        return self.get(keys) is not at(self._root, *keys)

    def is_there(self, place: Place, value: Value) -> bool:
        """True if `get` would return a value for a place."""
        return self.has(place) and _as_read(self.get(place)) == _as_read(value)

    def is_amended(self, place: Place) -> bool:
        """True if edits are gathered for something in the collection at a place."""
        there = self.get(place)
        return (is_mapping(there) or is_list(there)) and not isinstance(there, Mapping | Sequence)

    def set(self, place: Place, value: Value) -> None:
        """Make `value` stand at a place. NoSuchPlaceError and TypeError for what no map of strings has."""
        if size := size_of_string_map(self._item, place):
            name, key = place[size - 1], ".".join(map(str, place[size:]))
            if len(place) > size + 1:
                problem = f"there are texts by keys, and the key `{key}` is written `{name}['{key}']`"
                raise NoSuchPlaceError(problem, place[:size])
            self._require_texts(place, value if len(place) == size else {key: value}, size)
        moves = self.careful.moves
        try:
            super().set(place, value)
        except EditError:
            # It is refused as a whole: nothing has moved.
            self.careful.moves, self.careful.moved = moves, {}
            raise

    def _require_texts(self, place: Place, value: Value, size: int) -> None:
        """Raise TypeError for an entry of a map of strings that is no string. One that is there already may stay."""
        for key, one in value.items() if isinstance(value, dict) else ():
            if not isinstance(one, str) and not self.is_there((*place[:size], key), one):
                raise TypeError(f"the value of `{key}` in `{place[size - 1]}` is a str, found {one!r}")

    def delete(self, place: Place) -> bool:
        """Delete the entry or element at a place, with its comments."""
        parent, step = self.get(place[:-1]), place[-1]
        if is_list(parent):
            # What stands below moves up, and kpt would copy comments by the old positions.
            self.careful.moves |= step != len(elements_of(parent)) - 1
        elif _is_merged_in(parent, str(step)):
            raise NoSuchPlaceError(f"`{step}` is merged in by `<<` and can only be deleted where it is written")
        return super().delete(place)

    def insert(self, place: Place, index: int, value: Value) -> None:
        """Insert an element into the list at a place. NoSuchPlaceError if there is no list of that length."""
        size = self.length(place)
        # `containers:` with nothing behind it is a list without elements to its author.
        if size == 0 == index and not is_list(self.get(place)):
            self.set(place, [])
        super().insert(place, index, value)
        # At the end nothing moves, and kpt may copy comments by position.
        self.careful.moves |= index != size

    def move(self, place: Place, index: int) -> None:
        """Move the element at a place to `index` of its list, with its comments."""
        super().move(place, index)
        self.careful.moves |= index != place[-1]

    def new_element(self, place: Place, new: Match) -> dict[str, str]:
        """Return the element with the text that a path asks for and a list lacks, as a number where such texts are.

        NoSuchPlaceError if its key is not the one that tells the elements of the list apart.
        """
        from krm import fields  # noqa: PLC0415 - few functions add an element by its key, and the tables are large
        from krm.merge.kinds import facts  # noqa: PLC0415 - as above

        there = shown(self.get(place))
        elements = elements_of(there) if is_list(there) else []
        fact = facts.fact(self._item.group, self._item.kind, place, PodSpecs({}))
        if new.key not in (fact.keys[:1] or _apart_by(elements, new.key)):
            by = f"`{fact.keys[0]}`" if fact.keys else "a key that all have, no two the same" if elements else "`name`"
            raise NoSuchPlaceError(f"no element has `{new.key}: {new.value}`, and elements are added by {by}", place)
        values = [_value(kid_of(shown(one), new.key)) for one in elements]
        grammar = fields.grammar(self._item, (*place, 0, new.key), PodSpecs({}))
        is_number = all(type(value) is int for value in values) if values else grammar == "integer"
        return {new.key: Verbatim(new.value) if is_number and as_index(new.value) >= 0 else new.value}

    def length(self, place: Place) -> int:
        """Return the number of elements of the list at a place, 0 for null or nothing."""
        there = self.get(place)
        return 0 if there is None or scalars.is_null(there) else len(self.elements(place))


def size_of_string_map(item: Item, place: Place) -> int:
    """Return the length of the place of the map of strings that a place is, or is in; 0 for none."""
    if place and place[0] in DATAS and place[0] in _DATA.get(item.kind, ()):
        return 1
    # Most places are of none, which takes one look to tell.
    if "metadata" not in place:
        return 0
    if place in _NAMES:
        return 1
    end = place.index("metadata") + 2
    return end if place[end - 2 : end] in _STRING_MAPS else 0


def unfit(item: Item, place: Place, value: Value) -> Iterator[tuple[Place, Value, str]]:
    """Yield what a cluster would refuse of a value for a place: the place, what is to stand there, and a sentence."""
    if isinstance(value, dict | list):
        for step, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from unfit(item, (*place, step), one)
    elif isinstance(value, float) and not math.isfinite(value):
        yield place, value, f"`{value}` cannot stand there, JSON has no such number"
    elif isinstance(value, str):
        size = size_of_string_map(item, place)
        if "\0" in value:
            yield place, value, "a text with a NUL character cannot stand there, no program reads it"
        elif size and len(place) == size + 1 and (problem := _unfit_text(item, place, value)):
            yield place, value, problem


def _unfit_text(item: Item, place: Place, text: str) -> str | None:
    """Return why a cluster would refuse a name, or an entry of a map of strings; None if it takes it."""
    is_data = place[0] in DATAS
    wanted = None
    # What is a label of DNS can stand in each of them but in data: to ask for the kind takes longer than the edit.
    if is_data or _wanted("label", text):
        # All entries of a map have one grammar, and those of an object's own labels have it in every kind.
        asked = place if place in _NAMES else (*place[:-1], "")
        known = asked if asked[0] == "metadata" and place not in _NAMES else (item.group, item.kind, *asked)
        if known not in _GRAMMARS:
            from krm import fields  # noqa: PLC0415 - few functions write names and maps of strings

            _GRAMMARS[known] = fields.grammar(item, asked, PodSpecs({}))
        wanted = _wanted(_GRAMMARS[known], text)
    # Secrets are never quoted.
    found = "this" if is_data else f"`{text}`"
    if not wanted and place[-3:-1] in _STRING_MAPS:
        key = str(place[-1])
        found = f"the key `{key}`"
        # The domain in the key of an annotation may have capital letters.
        wanted = _wanted("label-key", key.lower() if place[-2] == "annotations" else key)
    return f"{found} cannot stand there, it has to be {wanted}" if wanted else None


@lru_cache(4096)  # a function writes the same few texts into every item
def _wanted(held: str, text: str) -> str | None:
    """Return what a field with a grammar takes, None if it takes a text, or one that waits for its variables."""
    from krm import fields  # noqa: PLC0415 - as above

    return None if "$(" in text else fields.wanted(held, text)


def _apart_by(elements: list[Target], key: str) -> tuple[str, ...]:
    """Return a key that tells elements apart of which no type is known, nothing if it does not."""
    texts = {text_of(element, key) for element in elements}
    is_apart = len(texts) == len(elements) and None not in texts if elements else key == "name"
    return (key,) if is_apart else ()


def _as_read(target: Target) -> object:
    """Return what `get` returns for a target, to be compared: 1, 1.0 and True are three values."""
    there = shown(target)
    if isinstance(there, Mapping) and None in there.entries:
        return there  # `get` leaves out keys that are no scalars
    if is_mapping(there):
        return frozenset((key, _as_read(one)) for key, one in entries_of(there).items())
    if is_list(there):
        return tuple(map(_as_read, elements_of(there)))
    value = _value(there)
    return type(value), repr(value)


def _value(target: Target) -> object:
    """Return what `get` returns for a scalar."""
    there = shown(target)
    return scalars.typed(there) if isinstance(there, Scalar) else there


def _is_merged_in(target: Target, key: str) -> bool:
    """True if a mapping has `key` by `<<` alone."""
    node = target.node if isinstance(target, AmendedMapping) else target
    merged = node.get(key) if isinstance(node, Mapping) and node.own(key) is None else None
    return merged is not None and shown(entries_of(target).get(key)) is resolved(merged)  # type: ignore[arg-type]  # a mapping


def _steps(target: Target, segment: Step) -> Steps:
    """Return the targets below one that `segment` leads to, each with its key or index."""
    target = shown(target)
    if isinstance(segment, Wildcard) and is_mapping(target):
        return entries_of(target).items()
    if isinstance(segment, Wildcard | Match):
        found = [*enumerate(elements_of(target))] if is_list(target) else []
        return [one for one in found if isinstance(segment, Wildcard) or text_of(one[1], segment.key) == segment.value]
    # A path may have the index as a key too: `args.0`.
    step = as_index(segment) if is_list(target) else segment
    return [(step, kid_of(target, step))] if has_kid(target, step) else ()
