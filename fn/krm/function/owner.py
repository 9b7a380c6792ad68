"""The object whose fields are edited: the edits that are gathered, and the parts that follow their elements."""

from __future__ import annotations

from weakref import WeakValueDictionary

from krm.function.object_changes import ObjectChanges
from krm.resource import IDS
from krm.results import ERROR, FnError
from krm.yamltree.editor import EditError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import NoReturn, SupportsIndex

    from krm.fieldpath import Place
    from krm.resource import Resource as Item
    from krm.yamltree.nodes import Node


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

    `refusal` is the error of gathered edits that could not be made, None if there was none in this block.
    """

    __slots__ = ("changes", "depth", "has_committed", "is_removed", "item", "parts", "refusal")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.changes: ObjectChanges | None = None
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

    def root(self) -> Node | None:
        """Return the tree of the object, with all edits made."""
        # Reading sees what the block has written so far, which is what its author expects.
        self.commit()
        return self.item.root

    def item_for(self, *fields: tuple[str, ...]) -> Item:
        """Return the item, in which the fields at these keys are as the gathered edits leave them."""
        # An edit of other fields can wait for the end of the block: each time that edits are made costs a parse.
        if self.changes is not None and any(map(self.changes.has_changed, fields)):
            self.commit()
        return self.item

    def gather(self) -> ObjectChanges:
        """Return the edits that are gathered so far."""
        if self.changes is None:
            root = self.item.root
            if root is None:
                raise FnError(self.item.result("an empty document has no fields", ERROR, "NotEditable"))
            self.changes = ObjectChanges(root, self.item.text)
        return self.changes

    def commit(self) -> None:
        """Make the gathered edits. FnError if one would lose a comment or an anchor in use; then none is made."""
        # Taken away first: edits that are refused must not be tried again by whoever reads next.
        changes, self.changes = self.changes, None
        if changes is None or changes.is_empty:
            return
        # docs/sdk.md, "Comments and orchestrators": kpt would put comments on the wrong elements.
        if changes.moves:
            _forget_ids(changes)
        item = self.item
        try:
            # One parse and one proof, however many edits there are.
            item.editor.amend(item.base, changes.target)
        except EditError as error:
            self.refusal = self.refused(error.line, error.problem)
            raise self.refusal from None
        self.has_committed = True

    def follow(self) -> None:
        """Let the parts follow the elements of the lists that were set, those of inner lists first."""
        moved = self.gather().moved
        for place in sorted(moved, key=len, reverse=True):
            self.rearrange(place, moved.pop(place).get)

    def refused(self, line: int, problem: str, place: Place = ()) -> FnError:
        """Return the error for an edit that cannot be made."""
        message = f"the field cannot be changed: line {line + self.item.lines_above}: {problem}"
        return FnError(self.item.result(message, ERROR, "NotEditable", *([place] if place else [])))

    def rearrange(self, place: Place, index_of: Callable[[int], int | None]) -> None:
        """Let the parts below the list at a place follow their elements, by old index. Those of None are lost."""
        depth = len(place)
        for part in self.parts.values():
            if len(part._place) > depth and part._place[:depth] == place:
                index = index_of(int(part._place[depth]))
                part._is_lost = part._is_lost or index is None
                part._place = (*place, part._place[depth] if index is None else index, *part._place[depth + 1 :])


class Batch:
    """A `with` block whose edits are made at its end, none of them if it ends with an exception."""

    __slots__ = ("_owner", "_parts", "_text")

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        # Only the outermost block knows the text from before all of its edits.
        if owner.depth == 0:
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
        owner.changes = None
        if owner.has_committed:  # reading in the block made the edits above it
            # The tree belongs to the text that goes, so it is parsed again when somebody asks for it.
            editor = owner.item.editor
            editor.text, editor.parsed = self._text, None
        for part, place, is_lost in self._parts:
            part._place, part._is_lost = place, is_lost


def _forget_ids(changes: ObjectChanges) -> None:
    """Delete the ids by which kpt and kustomize find an object again: they copy comments by the old positions."""
    for key in IDS:
        place = ("metadata", "annotations", key)
        if changes.has(place):
            changes.delete(place)
