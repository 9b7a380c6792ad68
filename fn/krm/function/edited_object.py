"""The object whose fields are edited: the edits are gathered, and then made in its text at once.

The author does not see the text. So an edit that would lose a comment is an error that names it, orchestrators learn of
rearranged lists, and the parts that point into the object follow their elements.
"""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from weakref import WeakValueDictionary

from krm import fieldpath, validation
from krm.fieldpath import WILDCARD, Match, Sign, as_index
from krm.results import ERROR, FnError
from krm.workloads import PodSpecs
from krm.yamltree import Verbatim, edits, embedded, scalars, style
from krm.yamltree.changes import Changes, NoSuchPlaceError, has_kid, kid_of
from krm.yamltree.difference import Difference
from krm.yamltree.editor import Editor
from krm.yamltree.edits import EditError
from krm.yamltree.field_comments import refuse_loss
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, resolved
from krm.yamltree.parser import ParseError
from krm.yamltree.target import AmendedMapping, dereferenced, elements_of, entries_of, is_list, is_mapping, text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    from krm.fieldpath import FieldPath, Place, Segment
    from krm.resource import Resource as Item
    from krm.sections import Sections
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import PlainData
    from krm.yamltree.target import Target

    T = TypeVar("T")

_NO_FIELD = "it leads to no field, and only a path of keys and indexes can add one"


class _Careful(Difference):
    """The difference of a node and a new value. EditError if a comment would be lost."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def meaning(self, target: Target) -> object:
        """Return what `get` returns for a target: to set that again changes no byte."""
        return _as_read(target)

    def on_remove(self, parent: Target, kid: Target) -> None:
        """Refuse to lose the comments of an entry or element, or in a node of another kind: nothing of it can stay."""
        if (
            isinstance(parent, Mapping | Sequence | None)
            and isinstance(kid, Scalar | Alias | Mapping | Sequence)
            and (parent is None or parent.start <= kid.start)  # what `<<` merges in is written above
        ):
            refuse_loss(self._text, parent, kid)

    def is_alike(self, there: Target, value: Target) -> bool:
        """True if both are scalars. A mapping or list without a key of its own is new, and not a changed one."""
        return isinstance(dereferenced(there), Scalar) and not isinstance(value, dict | list)


class EditedObject:
    """The object whose fields are edited, the gathered edits, and the parts that point into it.

    A scalar that is one word in its line is edited there (`krm.sections`), and all else in the tree: `gathered` has the
    edits of that, None without any. `refusal` is the error of edits that could not be made. `closed` is the reason why
    no edit is possible. NoSuchPlaceError for an edit at a missing place.
    """

    def __init__(self, item: Item) -> None:
        self.item = item
        self.gathered: Changes | None = None
        self.is_open = False
        self.closed = ""
        self.refusal: FnError | None = None
        # Each follows its element for as long as somebody holds it. By identity: two parts of one place are equal.
        self.parts: WeakValueDictionary[int, Any] = WeakValueDictionary()

    @property
    def root(self) -> Node | None:
        """The tree of the object with all edits made."""
        self.commit()
        return self.item.root

    def may_contain(self, text: str) -> bool:
        """True if a text can be part of a key or value, as `TextSlice.may_contain` says, or of an edit."""
        return self.gathered is not None or bool(self._words) or self.item.may_contain(text)

    def item_for(self, *fields: tuple[str, ...]) -> Item:
        """Return the item with the gathered edits of the fields at these keys made."""
        for field in fields:
            # An edit of other fields costs a parse and can wait. One that moves elements deletes the ids.
            if changes := self.gathered:
                moves = changes.moves and field[-1] == "annotations"
                if moves or changes.get(field) is not at(changes.root, *field):
                    self.commit()
        self.item.cut()
        return self.item

    def find(self, path: FieldPath) -> collections.abc.Sequence[tuple[Place, Target]]:
        """Return the target of every field that a path leads to, with its place."""
        if self.gathered is not None:
            return fieldpath.follow(self.gathered.target, path, _steps)
        found = self._ask(path, lambda sections: sections.find(path))
        if found is not None:
            return found
        root = self.root
        return [] if root is None else [*fieldpath.find(root, path)]

    def nodes(self, path: FieldPath) -> collections.abc.Sequence[tuple[Place, Node]]:
        """Return the node of every field that a path leads to, with its place, after the gathered edits."""
        found = self.find(path)
        # Edits of other fields do not change these nodes, so they can wait.
        if not all(isinstance(target, Scalar | Alias | Mapping | Sequence) for _, target in found):
            self.commit()
            found = self.find(path)
        return found  # type: ignore[return-value]  # nodes

    def places(self, path: FieldPath, *, of_lists: bool = False) -> list[Place]:
        """Return the place of every field that a path leads to, or of each element `of_lists`."""
        places = self._ask(path, lambda sections: sections.parts(path, of_lists=of_lists))
        if places is not None:
            return places
        places = []
        for place, target in self.find(path):
            listed = dereferenced(target)
            steps = [(n,) for n, _ in enumerate(elements_of(listed))] if of_lists and is_list(listed) else [()]
            places += [place + step for step in steps]
        return places

    def places_to_set(self, path: FieldPath) -> list[Place]:
        """Return every place that a path leads to, those of absent fields and elements included."""
        if found := [place for place, _ in self.find(path)]:
            return found
        # Behind the last wildcard a field can be added only if the path has keys alone.
        depth = max((n for n, segment in enumerate(path, 1) if not isinstance(segment, str | int)), default=0)
        rest: Place = tuple(segment for segment in path[depth:] if isinstance(segment, str | int))
        parents = [place for place, _ in self.find(path[:depth])] if depth else [()]
        new = path[depth - 1]
        if not parents and isinstance(new, Match):
            # Only `[name=x]` has the text of a new element.
            lists = self.places_to_set(path[: depth - 1])
            elements = [self._new_element(place, new) for place in lists]
            parents = [self.insert(place, None, element) for place, element in zip(lists, elements, strict=True)]
        if not parents or new is fieldpath.BELOW:
            raise NoSuchPlaceError(_NO_FIELD)
        return [parent + rest for parent in parents]

    def set(self, place: Place, value: PlainData) -> None:
        """Put `value` at a place. TypeError for a value that a map of strings, or an object, cannot have."""
        if not (place or isinstance(value, dict)):
            raise TypeError(f"an object is a mapping, found {value!r}")
        self.require_fit(place, value, is_new=False)
        # A scalar that is one word in its line needs no tree.
        if isinstance(value, str | int) and self._ask(place, lambda sections: sections.set_word(place, value)):
            return
        # The edit counts in the present text, with its comments and quotes.
        if self._is_edited(place):
            self.commit()
        changes = self._changes
        had_kids = has_kids(changes.get(place))
        try:
            moved = changes.set(place, value)
        except EditError as error:
            raise self.refused(error) from None
        # The parts follow the elements of the lists that were set, those of inner lists first.
        for listed in sorted(moved, key=len, reverse=True):
            self._rearrange(listed, moved[listed].get)
        if had_kids:
            self._lose(place, changes)

    def delete(self, place: Place) -> None:
        """Delete the entry or element at a place, with its comments."""
        changes = self._changes
        parent, step = changes.get(place[:-1]), place[-1]
        if not is_list(parent) and _is_merged_in(parent, str(step)):
            raise NoSuchPlaceError(f"`{step}` is merged in by `<<` and can only be deleted where it is written")
        changes.delete(place)
        if isinstance(step, int):
            self._rearrange(place[:-1], lambda old: None if old == step else old - (old > step))
        else:
            self._lose(place, changes)
            left = changes.get(place[:-1])
            if is_mapping(left) and not entries_of(left):
                self.commit()  # the next entry goes into the brackets that are left

    def insert(self, place: Place, index: int | None, value: Any) -> Place:  # noqa: ANN401 - of the author
        """Insert an element into the list at a place, None for behind all others. Return the place of the element."""
        listed = self._changes.get(place)
        # To its author `containers:` without a value is a list without elements.
        is_absent = listed is None or scalars.is_null(listed)
        if index is None:
            index = 0 if is_absent else len(self._changes.elements(place))
        new = style.plain(value)
        self.require_fit((*place, index), new)
        if is_absent and index == 0:
            self.set(place, [])
        self._changes.insert(place, index, new)
        self._rearrange(place, lambda old: old + (old >= index))
        return (*place, index)

    def move(self, place: Place, index: int) -> None:
        """Move the element at a place to `index` of its list, with its comments."""
        changes = self._changes
        changes.move(place, index)
        order = [*range(len(changes.elements(place[:-1])))]
        order.insert(index, order.pop(int(place[-1])))
        self._rearrange(place[:-1], order.index)

    def require_fit(self, place: Place, value: PlainData, *, is_new: bool = True) -> None:
        """Raise FnError for a value that a cluster would refuse, TypeError for one in the place of a text.

        Unless it `is_new`, an old value may stay. A null in what is new is an empty text.
        """
        # The rules for a name and for texts depend on the kind, of which there may be an edit.
        is_entry = place[-2:-1] in validation.SELECTORS or not validation.DATAS.isdisjoint(place[:1])
        if isinstance(value, dict | list) or "metadata" in place or is_entry:
            self.item_for(("apiVersion",), ("kind",))
        size = validation.size_of_string_map(self.item, place)
        if not is_new and 0 < size < len(place) - 1:
            name, key = place[size - 1], ".".join(map(str, place[size:]))
            above = f"there are texts by keys, and the key `{key}` is written `{name}['{key}']`"
            raise NoSuchPlaceError(above, place[:size])
        for there, one, problem in validation.unfit(self.item, place, value):
            if one is not None if is_new else not self._is_there(there, one):
                raise problem if isinstance(problem, TypeError) else self.refused_at(there, problem)

    def holds_text(self, place: Place, node: Node | None) -> bool:
        """True if `get` returns a str for a node, but for `suspend: no`: a field that holds a number or a boolean."""
        if not (isinstance(node, Scalar) and isinstance(scalars.typed(node), str)):
            return False
        if scalars.string(node) is not None:
            return True
        self.item_for(("apiVersion",), ("kind",))
        held = validation.grammar(self.item, place, PodSpecs({}))
        return held != "boolean" and not validation.is_number(held)

    def _is_there(self, place: Place, value: PlainData) -> bool:
        """True if `get` would return a value for a place."""
        changes = self._changes
        return changes.has(place) and _as_read(changes.get(place)) == _as_read(value)

    def _new_element(self, place: Place, new: Match) -> dict[str, PlainData]:
        """Return a new element with the text of a path, which is a number if the other elements have numbers.

        NoSuchPlaceError if its key is not the one that tells the elements of the list apart.
        """
        from krm.merge.kinds import facts  # noqa: PLC0415 - few functions add an element by its key

        there = dereferenced(self._changes.get(place))
        elements = elements_of(there) if is_list(there) else []
        fact = facts.fact(self.item.group, self.item.kind, place, PodSpecs({}))
        texts = {text_of(element, new.key) for element in elements}
        # The key of an unknown list tells its elements apart.
        is_apart = len(texts) == len(elements) and None not in texts if elements else new.key == "name"
        if not (new.key == fact.keys[0] if fact.keys else is_apart):
            by = f"`{fact.keys[0]}`" if fact.keys else "a key that all have, no two the same" if elements else "`name`"
            raise NoSuchPlaceError(f"no element has `{new.key}: {new.value}`, and elements are added by {by}", place)
        values = [_value(kid_of(dereferenced(one), new.key)) for one in elements]
        grammar = validation.grammar(self.item, (*place, 0, new.key), PodSpecs({}))
        is_number = all(type(value) is int for value in values) if values else validation.is_number(grammar)
        return {new.key: Verbatim(new.value) if is_number and as_index(new.value) >= 0 else new.value}

    def written(self, place: Place) -> tuple[Any, Node] | None:
        """Return the node written at a place, and the collection around it; None where an alias or `<<` shows it."""
        try:
            return self.item.editor.at(self.item.base + place)
        except KeyError:
            return None

    def commit(self) -> None:
        """Make the gathered edits. FnError if one would lose a comment or an anchor in use; then none is made."""
        # The edits are taken out first, so that the next reader does not try refused edits again.
        gathered, self.gathered = self.gathered, None
        item = self.item
        if item.pending is not None:
            waiting, item.pending.waiting = item.pending.waiting, None
            if waiting is not None and waiting is not self:
                waiting.commit()
        if words := self._words:
            item.become(edits.apply(item.text, words.values()))
        if gathered is None or gathered.target is gathered.root:
            return
        try:
            # All edits together have one parse and one proof.
            item.editor.amend(item.base, gathered.target)
            # docs/guides/sdk.md, "Comments and orchestrators": kpt would put comments on the wrong elements.
            if gathered.moves:
                item.drop_ids()
        except EditError as error:
            self.refusal = self.item.refused(error)
            raise self.refusal from None

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Make the edits of a `with` block at its end, none of them if it ends with an exception."""
        # An inner block is part of the outer one, which makes all edits or none.
        if self.is_open:
            yield
            return
        self.commit()
        self.refusal = None
        text, parts = self.item.text, [(part, part._place, part._is_lost) for part in self.parts.values()]
        self.is_open = True
        try:
            yield
            self.commit()
            # A read in the block has raised this error, and the author has caught it. The edits are not made.
            if self.refusal is not None:
                raise self.refusal  # noqa: TRY301 - it ends the block as an exception in it does
        except BaseException:
            self.gathered = self.item.sections = None
            # Where objects share the text, the edits of others since then are undone with it.
            if self.item.pending is not None and self.item.pending.waiting is not None:
                self.item.pending.waiting.gathered = None
            if self.item.text != text:  # reading in the block made the edits above it
                # The tree of the discarded text is dropped, and the old text is parsed when a field is read.
                self.item.editor.text, self.item.editor.parsed = text, None
            for part, place, is_lost in parts:
                part._place, part._is_lost = place, is_lost
            raise
        finally:
            self.is_open = False

    def refused(self, error: EditError | ParseError, *places: Place) -> FnError:
        """Return the error for an edit that cannot be made."""
        self.commit()
        return self.item.refused(error, *places)

    def refused_at(self, place: Place, problem: str) -> FnError:
        """Return the error for a place that cannot get a value or a comment."""
        self.commit()  # the name of the object may have been edited
        return FnError(self.item.result(f"the field cannot be changed: {problem}", ERROR, "NotEditable", place))

    def _rearrange(self, place: Place, index_of: Callable[[int], int | None]) -> None:
        """Let the parts below the list at a place follow their elements, by old index. Those of None are lost."""
        depth = len(place)
        for part in self._below(place):
            if len(part._place) > depth:
                index = index_of(part._place[depth])
                part._is_lost = index is None
                part._place = (*place, part._place[depth] if index is None else index, *part._place[depth + 1 :])

    def _lose(self, place: Place, changes: Changes) -> None:
        """Mark the parts at a place and below as lost if their field is gone."""
        for part in self._below(place):
            part._is_lost = not changes.has(part._place)

    def _below(self, place: Place) -> list[Any]:
        """Return the parts at a place and below that are not lost."""
        return [part for part in self.parts.values() if part._place[: len(place)] == place and not part._is_lost]

    @property
    def _changes(self) -> Changes:
        """The gathered edits, to be added to."""
        if self.gathered is None:
            # The edits of words have to be in the text.
            root = self.root
            if root is None:
                raise self.refused_at((), "an empty document has no fields")
            self.gathered = Changes(root, partial(_Careful, self.item.editor.text))
            if self.item.pending is not None:
                self.item.pending.waiting = self
        return self.gathered

    def _is_edited(self, place: Place) -> bool:
        """True if there is an edit of the field at a place, or of one that was there before."""
        changes = self._changes
        if changes.has(place):
            return not isinstance(changes.get(place), Scalar | Mapping | Sequence)
        return at(changes.root, *place) is not None

    @property
    def _words(self) -> dict[Place, Edit]:
        return {} if self.item.sections is None else self.item.sections.edits

    def _ask(self, path: FieldPath, question: Callable[[Sections], T]) -> T | None:
        """Return the answer of the sections of the text about a path, None if the whole tree has to answer."""
        # For `**` the whole tree is the quickest way.
        is_below = bool(path) and path[0] is not fieldpath.BELOW
        sections = self.item.cut() if is_below and self.gathered is None else None
        try:
            return None if sections is None else question(sections)
        except ParseError:
            return None  # the parser of the whole text names the line of the error


def file_with(key: str, node: Node, inside: FieldPath, value: PlainData) -> str:
    """Return the text of the file under a key with a value at a path in it."""
    text = getattr(resolved(node), "value", None) or ""
    roots = embedded.content(key, text).roots
    if len(roots) != 1:
        raise NoSuchPlaceError("no file of one document in JSON or YAML is there")
    editor = Editor(text, json=key.endswith(".json"))
    places: list[Any] = [place for place, _ in fieldpath.find(roots[0], inside)]
    if not (places or fieldpath.is_place(inside)):
        raise NoSuchPlaceError(_NO_FIELD)
    try:
        for place in places or [inside]:
            editor.set(place, value)
    except NoSuchPlaceError as error:
        raise NoSuchPlaceError(str(error)) from None  # its `above` is a place in the file, not in the object
    except EditError as error:
        raise NoSuchPlaceError(error.problem) from None
    return editor.text


def has_kids(target: Target) -> bool:
    """True for a mapping and a list."""
    there = dereferenced(target)
    return is_mapping(there) or is_list(there)


def _as_read(target: Target) -> object:
    """Return what `get` returns for a target, in a form in which 1, 1.0 and True differ."""
    there = dereferenced(target)
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
    there = dereferenced(target)
    return scalars.typed(there) if isinstance(there, Scalar) else there


def _is_merged_in(target: Target, key: str) -> bool:
    """True if a mapping has `key` by `<<` alone."""
    node = target.node if isinstance(target, AmendedMapping) else target
    merged = node.get(key) if isinstance(node, Mapping) and node.entries.get(key) is None else None
    return merged is not None and dereferenced(entries_of(target).get(key)) is resolved(merged)  # type: ignore[arg-type]  # a mapping


def _steps(target: Target, segment: Segment) -> Iterable[tuple[str | int, Target]]:
    """Return the targets below one that `segment` leads to, each with its key or index."""
    target = dereferenced(target)
    if segment is WILDCARD and is_mapping(target):
        return entries_of(target).items()
    if isinstance(segment, str | int):
        # A path may have the index as a key too: `args.0`.
        step = as_index(segment) if is_list(target) else segment
        return [(step, kid_of(target, step))] if has_kid(target, step) else ()
    found = [*enumerate(elements_of(target))] if is_list(target) else []
    return [one for one in found if isinstance(segment, Sign) or text_of(one[1], segment.key) == segment.value]
