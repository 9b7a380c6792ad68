"""The object whose fields are edited: the edits that are gathered, and the parts that follow their elements."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import contextmanager
from itertools import takewhile
from weakref import WeakValueDictionary

from krm import fieldpath
from krm.function.object_changes import ObjectChanges, size_of_string_map
from krm.results import ERROR, WARNING, FnError
from krm.yamltree import edits
from krm.yamltree.edits import EditError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource as Item
    from krm.results import Result
    from krm.sections import Sections
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    T = TypeVar("T")


HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNS: list[Copies] = []


class Copies:
    """The copies of fields that a run of a function got, with their places, and what it wrote.

    A copy that was changed is what its author wanted to write: nobody would see that it was not.
    """

    def __init__(self) -> None:
        self.got: list[tuple[EditedObject, Place, Any, int | None, int, str]] = []
        self.written: list[tuple[EditedObject | None, Place, Any]] = []

    def lost(self) -> list[Result]:
        """Return a warning for each copy that was changed, while its field, and all in it, was not written since."""
        places: dict[int, list[tuple[int, Place]]] = {}
        values: dict[int, int] = {}
        for number, (writer, place, value) in enumerate(self.written):
            places.setdefault(id(writer), []).append((number, place))
            values |= dict.fromkeys(map(id, _collections(value)), number)
        found: list[Result] = []
        for owner, place, copy, digest, count, line in self.got:
            since = [there for number, there in places.get(id(owner), ()) if number >= count]
            is_written = any(place[: len(there)] == there[: len(place)] for there in since)
            is_given = any(values.get(id(one), -1) >= count for one in _collections(copy))
            if not (owner.closed or _digest(copy) == digest or is_written or is_given):
                message = f"{line}: the copy that it got was changed and is not written: give it back with `set`"
                found.append(owner.item.result(message, WARNING, "", *[place][: len(place)]))
        return found


@contextmanager
def watched() -> Iterator[Copies]:
    """Watch the copies that are got in a block."""
    _RUNS.append(Copies())
    try:
        yield _RUNS[-1]
    finally:
        _RUNS.pop()


def got(owner: EditedObject, place: Place, copy: object) -> None:
    """Note a copy that the author gets, how it is now, and the author's line."""
    if _RUNS and isinstance(copy, dict | list):
        frame = sys._getframe(2)
        while frame.f_code.co_filename.startswith(HERE) and frame.f_back is not None:
            frame = frame.f_back
        line = f"{os.path.basename(frame.f_code.co_filename)} line {frame.f_lineno}"
        _RUNS[-1].got.append((owner, place, copy, _digest(copy), len(_RUNS[-1].written), line))


def wrote(owner: EditedObject | None, place: Place, value: object) -> None:
    """Note what is written to a place, or into a new object."""
    if _RUNS and _RUNS[-1].got:
        _RUNS[-1].written.append((owner, place, value))


def _collections(value: object) -> Iterator[object]:
    if isinstance(value, dict | list | tuple):
        yield value
        for kid in value.values() if isinstance(value, dict) else value:
            yield from _collections(kid)


def _digest(copy: Any) -> int | None:  # noqa: ANN401 - whatever the author makes of it
    """Return a number that is another one once a copy has changed, None for one that holds what no copy has."""
    try:
        return hash(marshal.dumps(copy, 2))  # in this form equal values are equal bytes
    except ValueError:
        return None


class EditedObject:
    """The object whose fields are edited, the edits that are gathered, and the parts that point into it.

    Edits of fields in different sections of the text are `edited` one by one, by the places of these. `refusal` is the
    error of edits that could not be made. `closed` says why there can be none.
    """

    __slots__ = ("closed", "edited", "is_open", "item", "readers", "refusal")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.edited: dict[tuple[str, ...], ObjectChanges] = {}
        self.is_open = False
        self.closed = ""
        self.refusal: FnError | None = None
        # By identity: two parts of one place are equal, and each follows its element.
        self.readers: WeakValueDictionary[int, Any] = WeakValueDictionary()

    def find(self, path: FieldPath) -> Sequence[tuple[Place, Target]]:
        """Return what the gathered edits make of every field that a path leads to, with its place."""
        changes = self._gathered(path)
        if changes is not None:
            return changes.find(path)
        found = self.ask(path, lambda sections: sections.find(path))
        root = self.root() if found is None else None
        return found or ([] if root is None else [*fieldpath.find(root, path)])

    def set_word(self, place: Place, text: str) -> bool:
        """Make a text the value of a scalar that is one word in its line. False if that takes a tree."""
        # Below the texts of a map of strings nothing is set, whatever stands there.
        is_too_deep = 0 < size_of_string_map(self.item, place) < len(place) - 1
        return not is_too_deep and bool(self.ask(place, lambda sections: sections.set_word(place, text)))

    def root(self) -> Node | None:
        """Return the tree of the object with all edits made."""
        if self.edited or self._has_words:
            self.commit()
        return self.item.root

    def may_contain(self, text: str) -> bool:
        """True if a text can be part of a key or value, as `TextSlice.may_contain` says, or of an edit."""
        return bool(self.edited) or self._has_words or self.item.may_contain(text)

    def item_for(self, *fields: tuple[str, ...]) -> Item:
        """Return the item, in which the fields at these keys are as the gathered edits leave them."""
        # An edit of other fields can wait, as making it costs a parse: but not one that takes the ids away.
        if any(changes.careful.moves for changes in self.edited.values()):
            self.commit()
        for field in fields if self.edited else ():
            changes = self._gathered(field)
            if changes is not None and changes.has_changed(field):
                self.commit()
        self.item.cut()
        return self.item

    def gather(self, place: Place) -> ObjectChanges:
        """Return the edits that are gathered so far where one of the field at a place belongs."""
        keys = _keys(place[:-1])
        there = self._gathered(keys)
        if there is not None:
            return there
        section = self.ask(keys, lambda sections: sections.to_edit(keys))
        root = self.root() if section is None else section.root
        if root is None:
            raise self.failed("an empty document has no fields")
        start = () if section is None else _keys(section.place)
        # What was edited in these lines has to be in their text.
        if any(other[: len(start)] == start for other in self.edited):
            self.commit()
            return self.gather(place)
        self.edited[start] = ObjectChanges(self.item, section, root)
        return self.edited[start]

    def commit(self) -> None:
        """Make the gathered edits. FnError if one would lose a comment or an anchor in use; then none is made."""
        # Taken away first: edits that are refused must not be tried again by whoever reads next.
        edited, self.edited = self.edited, {}
        item = self.item
        changed = {changes.section: changes.target for changes in edited.values() if changes.has_changed(())}
        try:
            made = [section.edit(target) for section, target in changed.items() if section is not None]
            if item.sections is not None:
                made += item.sections.edits_outside({section.place for section in changed if section is not None})
            # One parse and one proof, however many edits there are.
            if None in changed:
                item.editor.amend(item.base, changed[None])
            if made:
                item.become(edits.apply(item.text, made))
            # docs/guides/sdk.md, "Comments and orchestrators": kpt would put comments on the wrong elements.
            if any(changes.careful.moves for changes in edited.values()):
                item.drop_ids()
        except EditError as error:
            self.refusal = self.refused(error.line, error.problem)
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
        text, parts = self.item.text, [(part, part._place, part._is_lost) for part in self.readers.values()]
        self.is_open = True
        try:
            yield
            self.commit()
            # A read in the block may have met it, and its author may have gone on: the edits are not made.
            if self.refusal is not None:
                raise self.refusal  # noqa: TRY301 - it ends the block as an exception in it does
        except BaseException:
            self.edited, self.item.sections = {}, None
            if self.item.text != text:  # reading in the block made the edits above it
                # The tree belongs to the text that goes, so it is parsed again when somebody asks for it.
                self.item.editor.text, self.item.editor.parsed = text, None
            for part, place, is_lost in parts:
                part._place, part._is_lost = place, is_lost
            raise
        finally:
            self.is_open = False

    def refused(self, line: int, problem: str, *places: Place) -> FnError:
        """Return the error for an edit that cannot be made."""
        return self.failed(f"the field cannot be changed: line {line + self.item.lines_above}: {problem}", *places)

    def failed(self, message: str, *places: Place, reason: str = "NotEditable") -> FnError:
        """Return an error about the object, whose name may have been edited, or about fields of it."""
        self.commit()
        return FnError(self.item.result(message, ERROR, reason, *places))

    def rearrange(self, place: Place, index_of: Callable[[int], int | None]) -> None:
        """Let the parts below the list at a place follow their elements, by old index. Those of None are lost."""
        depth = len(place)
        for part in self._below(place):
            if len(part._place) > depth:
                index = index_of(part._place[depth])
                part._is_lost = index is None
                part._place = (*place, part._place[depth] if index is None else index, *part._place[depth + 1 :])

    def lose(self, place: Place, changes: ObjectChanges) -> None:
        """Let the parts at a place and below be lost where nothing is any more."""
        for part in self._below(place):
            part._is_lost = not changes.has(part._place)

    def lose_all(self) -> None:
        """Let every part be lost: nobody knows where its field went."""
        for part in self._below(()):
            part._is_lost = part._place != ()

    def _below(self, place: Place) -> list[Any]:
        """Return the parts at a place and below that are not lost."""
        depth = len(place)
        return [part for part in self.readers.values() if part._place[:depth] == place and not part._is_lost]

    def _gathered(self, path: FieldPath) -> ObjectChanges | None:
        """Return the edits that are gathered around the fields at a path, None for none. Those inside are made."""
        if not self.edited:
            return None
        keys = _keys(path)
        found = next((keys[:n] for n in range(len(keys) + 1) if keys[:n] in self.edited), None)
        if found is not None:
            return self.edited[found]
        if any(other[: len(keys)] == keys for other in self.edited):
            self.commit()
        return None

    @property
    def _has_words(self) -> bool:
        return self.item.sections is not None and bool(self.item.sections.edits_outside(()))

    def ask(self, path: FieldPath, question: Callable[[Sections], T]) -> T | None:
        """Return what the sections of the text say of a path, None where it takes the whole tree to tell."""
        # `**` asks for all: then the whole tree is the quickest way to tell.
        is_below = bool(path) and path[0] is not fieldpath.BELOW
        sections = self.item.cut() if is_below and self._gathered(path) is None else None
        try:
            return None if sections is None else question(sections)
        except ParseError:
            return None  # told by its line in the whole text


def _keys(path: FieldPath) -> tuple[str, ...]:
    """Return the keys that a path starts with."""
    return tuple(takewhile(lambda step: isinstance(step, str), path))  # type: ignore[arg-type]  # str by the test
