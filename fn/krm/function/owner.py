"""The object whose fields are edited: the edits that are gathered, and the parts that follow their elements."""

from __future__ import annotations

from itertools import takewhile
from weakref import WeakValueDictionary

from krm import fieldpath
from krm.function.object_changes import ObjectChanges, size_of_string_map
from krm.resource import IDS
from krm.results import ERROR, FnError
from krm.yamltree import edits
from krm.yamltree.edits import EditError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import NoReturn, SupportsIndex

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource as Item
    from krm.sections import Section
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


class Pointer:
    """A place in an object. It follows its element of a list, until that is deleted."""

    __slots__ = ("__weakref__", "_is_lost", "_owner", "_place")

    def __init__(self, owner: Owner, place: Place) -> None:
        self._owner = owner
        self._place = place
        self._is_lost = False

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pointer):
            return NotImplemented
        return (id(self._owner), self._place) == (id(other._owner), other._place)

    def __hash__(self) -> int:
        return id(self._owner)  # places change

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # It points into a text that goes on without its copy: edits of that would be lost.
        raise TypeError("an object cannot be copied or pickled: `text` has its YAML, and `ResourceList.add` copies it")


class Owner:
    """The object whose fields are edited, the edits that are gathered, and the parts that point into it.

    Edits of fields in different sections of the text are `edited` one by one, by the places of these: of most objects
    no more is parsed than the lines that a path leads to. `refusal` is the error of edits that could not be made.
    """

    __slots__ = ("depth", "edited", "has_committed", "is_removed", "item", "parts", "refusal")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.edited: dict[tuple[str, ...], ObjectChanges] = {}
        self.depth = 0
        self.has_committed = False
        self.is_removed = False
        self.refusal: FnError | None = None
        # By identity: two parts of one place are equal, and each follows its element.
        self.parts: WeakValueDictionary[int, Pointer] = WeakValueDictionary()

    def require(self) -> None:
        """Raise ValueError if the object was removed from its list."""
        if self.is_removed:
            raise ValueError(f"{self.item.ref} was removed from the list: it cannot be edited")

    def find(self, path: FieldPath) -> Sequence[tuple[Place, Target]]:
        """Return what the gathered edits make of every field that a path leads to, with its place."""
        changes = self._gathered(path)
        if changes is not None:
            return changes.find(path)
        sections = self.item.cut() if path else None
        try:
            if sections is not None:
                return sections.find(path)
        except ParseError:
            pass  # told by its line in the whole text
        root = self._whole()
        return [] if root is None else [*fieldpath.find(root, path)]

    def parts_at(self, path: FieldPath) -> list[Place] | None:
        """Return the places of the parts that a path leads to, of a list those of its elements; None for a tree."""
        sections = self.item.cut() if self._gathered(path) is None else None
        return None if sections is None else sections.parts(path)

    def set_word(self, place: Place, text: str) -> bool:
        """Make a text the value of a scalar that is one word in its line. False if that takes a tree."""
        sections = self.item.cut() if self._gathered(place) is None else None
        # Below the texts of a map of strings nothing is set, whatever stands there.
        is_too_deep = 0 < size_of_string_map(self.item, place) < len(place) - 1
        return sections is not None and not is_too_deep and sections.set_word(place, text)

    def root(self) -> Node | None:
        """Return the tree of the object with all edits made."""
        self.commit()
        return self.item.root

    def may_contain(self, text: str) -> bool:
        """True if a text can be part of a key or value, as `TextSlice.may_contain` says, or of an edit."""
        return bool(self.edited) or self._has_words or self.item.may_contain(text)

    def item_for(self, *fields: tuple[str, ...]) -> Item:
        """Return the item, in which the fields at these keys are as the gathered edits leave them."""
        # An edit of other fields can wait, as making it costs a parse: but not one that takes the ids away.
        if any(changes.moves for changes in self.edited.values()):
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
        section, root, text = self._to_edit(keys)
        start = () if section is None else _keys(section.place)
        # What was edited in these lines has to be in their text.
        if any(other[: len(start)] == start for other in self.edited):
            self.commit()
            return self.gather(place)
        self.edited[start] = ObjectChanges(self.item, section, root, text)
        return self.edited[start]

    def commit(self) -> None:
        """Make the gathered edits. FnError if one would lose a comment or an anchor in use; then none is made."""
        # Taken away first: edits that are refused must not be tried again by whoever reads next.
        edited, self.edited = self.edited, {}
        try:
            self._make([*edited.values()])
            # docs/sdk.md, "Comments and orchestrators": kpt would put comments on the wrong elements.
            if any(changes.moves for changes in edited.values()):
                self._forget_ids()
        except EditError as error:
            self.refusal = self.refused(error.line, error.problem)
            raise self.refusal from None

    def follow(self, changes: ObjectChanges) -> None:
        """Let the parts follow the elements of the lists that were set, those of inner lists first."""
        moved = changes.moved
        for place in sorted(moved, key=len, reverse=True):
            self.rearrange(place, moved.pop(place).get)

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
        for part in self.parts.values():
            if len(part._place) > depth and part._place[:depth] == place:
                index = index_of(int(part._place[depth]))
                part._is_lost = part._is_lost or index is None
                part._place = (*place, part._place[depth] if index is None else index, *part._place[depth + 1 :])

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

    def _whole(self) -> Node | None:
        """Return the tree of the text, with the new words in it."""
        if self._has_words:
            self.commit()
        return self.item.root

    @property
    def _has_words(self) -> bool:
        sections = self.item.sections
        return sections is not None and bool(sections.edits_outside(()))

    def _to_edit(self, keys: tuple[str, ...]) -> tuple[Section | None, Node, str]:
        """Return the section in which an entry of the mapping at `keys` is edited, its tree and its text."""
        sections = self.item.cut()
        try:
            section = None if sections is None else sections.to_edit(keys)
            if section is not None:
                return section, section.root, section.text
        except ParseError:
            pass  # told by its line in the whole text
        root = self._whole()
        if root is None:
            raise self.failed("an empty document has no fields")
        return None, root, self.item.text

    def _make(self, edited: list[ObjectChanges]) -> None:
        changed = [changes for changes in edited if not changes.is_empty]
        found = [(changes.section, changes.target) for changes in changed]
        made = [section.edit(target) for section, target in found if section is not None]
        sections = self.item.sections
        if sections is not None:
            made += sections.edits_outside({section.place for section, _ in found if section is not None})
        # One parse and one proof, however many edits there are.
        for changes in changed:
            if changes.section is None:
                self.item.editor.amend(self.item.base, changes.target)
        if made:
            self.item.become(edits.apply(self.item.text, made))
        self.has_committed = self.has_committed or bool(changed or made)

    def _forget_ids(self) -> None:
        """Delete the ids by which kpt and kustomize find an object again: they copy comments by the old positions."""
        for key in IDS:
            place = ("metadata", "annotations", key)
            if self.find(place):
                self.gather(place).delete(place)
        edited, self.edited = self.edited, {}
        self._make([*edited.values()])


class Batch:
    """A `with` block whose edits are made at its end, none of them if it ends with an exception."""

    __slots__ = ("_owner", "_parts", "_text")

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        # Only the outermost block knows the text from before all of its edits, and with those before it.
        if owner.depth == 0:
            owner.commit()
            owner.has_committed = False
            owner.refusal = None
            self._text = owner.item.text
            self._parts = [(part, part._place, part._is_lost) for part in owner.parts.values()]

    def __enter__(self) -> Owner:
        self._owner.depth += 1
        return self._owner

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        owner = self._owner
        owner.depth -= 1
        # An inner block is part of the outer one, which makes all edits or none.
        if owner.depth > 0:
            return
        try:
            if kind is None:
                owner.commit()
                # A read in the block may have met it, and its author may have gone on: the edits are not made.
                if owner.refusal is not None:
                    raise owner.refusal
        except FnError:
            self._undo()
            raise
        if kind is not None:
            self._undo()

    def _undo(self) -> None:
        owner = self._owner
        owner.edited = {}
        owner.item.sections = None
        if owner.has_committed:  # reading in the block made the edits above it
            # The tree belongs to the text that goes, so it is parsed again when somebody asks for it.
            editor = owner.item.editor
            editor.text, editor.parsed = self._text, None
        for part, place, is_lost in self._parts:
            part._place, part._is_lost = place, is_lost


def _keys(path: FieldPath) -> tuple[str, ...]:
    """Return the keys that a path starts with."""
    return tuple(takewhile(lambda step: isinstance(step, str), path))  # type: ignore[arg-type]  # str by the test
