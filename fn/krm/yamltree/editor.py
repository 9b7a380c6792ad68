"""Change a YAML text at paths of its tree; everything that is not changed stays as it was written.

A path is a tuple of keys and list indices from the root. Reading goes through aliases and merge keys. Writing never
does: what an alias or `<<` shows becomes a copy of its own first, so that a change shows in one place only, except in
`rewrite`, which changes the anchored node itself where all who show it want the same.
"""

from __future__ import annotations

from krm.yamltree import aliases, edits, entries, lines, places, proof, rewriting, scalars, splices
from krm.yamltree.draft import IN_A_KEY, Draft, EditError, collection, key, whole_or_not_at_all
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.places import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.yamltree.draft import Copy, Path
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value

__all__ = ["EditError", "Editor"]


class Editor(Draft):
    """A text and the changes made to it so far. `json` says that all that is written must be JSON.

    Every method raises EditError where a change would lose a comment or cannot be written; the text is then as before.
    """

    def get(self, path: Path) -> Node | None:
        """Return the node at `path`, aliases and merge keys followed, or None where there is none."""
        return aliases.read(self.document.root, path)

    @whole_or_not_at_all
    def set(self, path: Path, value: Value) -> None:
        """Make `value` stand at `path`, with the mappings on the way made where they are missing.

        Nothing happens where it stands there already. A new entry goes behind the others of its mapping. KeyError
        where a list has no such element, or something on the way is neither mapping nor list.
        """
        there = self.get(path)
        if there is None:
            self._add(path, value)
        elif not proof.has(there, value, self.text):
            self._replace(path, value)

    @whole_or_not_at_all
    def insert(self, path: Path, index: int, value: Value) -> None:
        """Make `value` the element at `index` of the list at `path`, behind the others where `index` is their number.

        KeyError where there is no list, or it is shorter than that.
        """
        if not 0 <= index <= len(self._elements(path)):
            raise KeyError(path)
        self._insert(path, index, [value])

    @whole_or_not_at_all
    def extend(self, path: Path, values: list[Value]) -> None:
        """Put `values` behind the elements of the list at `path`, as one change. KeyError where there is no list."""
        count = len(self._elements(path))
        if values:
            self._insert(path, count, values)

    @whole_or_not_at_all
    def graft(self, path: Path, elements: str) -> None:
        """Put the elements of the block list that `elements` is behind those of the one at `path`, as they are written.

        Comments, quotes and anchors come with them. KeyError where there is no list, or an empty one.
        """
        self.own(path)
        parent = collection(self.at(path)[1])
        try:
            self.append(path, elements, entries.append(self.text, parent, elements.removesuffix("\n").split("\n")))
        except (NotSpliceable, ParseError):
            raise self.error(parent.kids[-1], f"nothing can be put behind this: {places.ODD}") from None

    @whole_or_not_at_all
    def delete(self, path: Path) -> bool:
        """Take the entry or element at `path` away, with its comments, and say whether it was there.

        What it was the only one of becomes `{}` or `[]`. A key that `<<` merges in can only be deleted where it is.
        KeyError for the root.
        """
        if self.get(path) is None:
            return False
        if path == ():
            raise KeyError(path)
        parent = collection(self.get(path[:-1]))
        if isinstance(parent, Mapping) and any(source.get(key(path[-1])) for source in parent.merged()):
            raise self.error(parent, f"`{path[-1]}` is merged in by `<<` and can only be deleted where it is written")
        if places.size(parent) == 1:
            self._replace(path[:-1], [] if isinstance(parent, Sequence) else {})
        else:
            self._delete(path)
        return True

    @whole_or_not_at_all
    def rewrite(self, changes: dict[Path, list[Edit]]) -> None:
        """Change parts of the scalars at several paths at once; the edits of each count in its value.

        Their type stays what it is: one that would read as a number or as YAML syntax gets quotes.
        """
        while (place := aliases.disputed(self.document, changes)) is not None:
            self.write_copy(place)
        for alias in aliases.in_keys(self.document):
            raise self.error(alias, IN_A_KEY)
        document = self.document
        made, anew = [], {}
        for path, wanted in changes.items():
            if not document.shares or aliases.shown(document.root, path) is None:
                parent, scalar = self.scalar(path)
                in_place = rewriting.in_place(self.text, scalar, wanted, flow=parent is not None and parent.flow)
                if in_place is None:
                    anew[path] = edits.apply(scalar.value, wanted)
                else:
                    made += in_place
        self.edit_scalars(made)
        for path, value in anew.items():
            self._rewrite_whole(path, value)

    def _elements(self, path: Path) -> list[Node]:
        there = self.get(path)
        if not isinstance(there, Sequence):
            raise KeyError(path)
        return there.kids

    # Each of these makes one change where it is written, or writes what is around it anew.

    def _add(self, path: Path, value: Value) -> None:
        """Add an entry to the last mapping that there is on the way to `path`."""
        depth = len(path) - 1
        while depth > 0 and self.get(path[:depth]) is None:
            depth -= 1
        for step in reversed(path[depth + 1 :]):
            value = {key(step): value}
        path, name = path[:depth], key(path[depth] if path else 0)
        there = self.get(path)
        if isinstance(there, Mapping) and (there.kids or lines.has_comments(self.text, there)):
            self._add_entry(path, name, value)
        elif isinstance(there, Mapping) or (isinstance(there, Scalar) and scalars.typed(there) is None):
            self._replace(path, {name: value})
        else:
            raise KeyError(path)

    def _add_entry(self, path: Path, name: str, value: Value) -> None:
        self.own(path)
        mapping = collection(self.at(path)[1])
        try:
            self.splice(lambda layout: entries.add(self.text, mapping, name, value, layout), [], (*path, name), [value])
        except NotSpliceable as reason:
            self._write_anew(path, lambda copy: copy.__setitem__(name, value), reason)

    def _insert(self, path: Path, index: int, values: list[Value]) -> None:
        self.own(path)
        node = self.at(path)[1]
        parent = collection(node)
        if not parent.kids and not lines.has_comments(self.text, node):
            self._replace(path, values)
            return
        place = (*path, index)
        try:
            self.splice(lambda layout: entries.insert(self.text, parent, index, values, layout), [], place, values)
        except NotSpliceable as reason:
            self._write_anew(path, lambda copy: copy.__setitem__(slice(index, index), values), reason)

    def _replace(self, path: Path, value: Value) -> None:
        self.own(path, outlived=False)
        parent, node = self.at(path)
        try:
            self.splice(lambda layout: splices.replace(self.text, parent, node, value, layout), [node], path, [value])
        except NotSpliceable as reason:
            if path == ():
                raise self.error(node, str(reason)) from None
            self._write_anew(path[:-1], lambda copy: copy.__setitem__(path[-1], value), reason)

    def _rewrite_whole(self, path: Path, value: str) -> None:
        """Write a string anew behind its anchor: what shows it shall show the new one."""
        parent, old = self.scalar(path)
        try:
            self.splice(lambda layout: splices.rewrite(self.text, parent, old, value, layout), [old], path, [value])
        except NotSpliceable as reason:
            if self.document.shares:
                raise self.error(old, str(reason)) from None
            self._replace(path, value)

    def _delete(self, path: Path) -> None:
        self.own(path, outlived=False)
        node = self.at(path)[1]
        parent = collection(self.at(path[:-1])[1])
        index = places.index_of(parent, node)
        try:
            self.splice(lambda _: entries.delete(self.text, parent, index), places.entry(parent, index))
        except NotSpliceable as reason:
            self._write_anew(path[:-1], lambda copy: copy.pop(path[-1]), reason)

    def _write_anew(self, path: Path, redo: Callable[[Copy], object], reason: NotSpliceable) -> None:
        """Write the collection at `path` anew, `redo` having changed a copy of it, if no comment is lost by that."""
        _, node = self.at(path)
        if lines.has_comments(self.text, node):
            raise self.error(node, f"{reason}, and writing what is around it anew would lose a comment")
        copy = self.copy(node, f"{reason}, and what is around it has ")
        redo(copy)
        self._replace(path, copy)
