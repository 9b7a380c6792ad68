"""Change a YAML text at paths of its tree; everything that is not changed stays as it was written.

A path is a tuple of keys and list indices from the root. Reading goes through aliases and merge keys. Writing never
does: what an alias or `<<` shows becomes a copy of its own first, so that a change shows in one place only, except in
`rewrite`, which changes the anchored node itself where all who show it want the same (decisions.md, 9).
"""

from __future__ import annotations

from fn.yamltree import aliases, edits, lines, parser, rewriting, scalars, splices, style
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from fn.yamltree.splices import NotSpliceable
from fn.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node
    from fn.yamltree.parser import Document
    from fn.yamltree.style import Value

    Path: TypeAlias = "tuple[str | int, ...]"
    Plan: TypeAlias = "Callable[[Collection | None, Node], Edit]"


class EditError(Exception):
    """The change cannot be made without losing something of the author's. `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


class Editor:
    """A text and the changes made to it so far. `json` says that all that is written must be JSON.

    Every method raises EditError where a change would lose a comment or cannot be written; the text is then as before.
    """

    def __init__(self, text: str, *, json: bool = False, document: Document | None = None) -> None:
        self.text = text
        self._json = json
        self._parsed = document

    @property
    def document(self) -> Document:
        """The tree of the text as it now is."""
        if self._parsed is None:
            self._parsed = parser.parse(self.text)
        return self._parsed

    def get(self, path: Path) -> Node | None:
        """Return the node at `path`, aliases and merge keys followed, or None where there is none."""
        node = self.document.root
        for step in path:
            node = aliases.kid(resolved(node), step)
        return resolved(node)

    def set(self, path: Path, value: Value) -> None:
        """Make `value` stand at `path`, with the mappings on the way made where they are missing.

        Nothing happens where it stands there already. A new entry goes behind the others of its mapping. KeyError
        where a list has no such element, or something on the way is neither mapping nor list.
        """
        there = self.get(path)
        if there is not None:
            if not _is(there, value, self.text):
                self._replace(path, value)
            return
        depth = len(path) - 1
        while depth and self.get(path[:depth]) is None:
            depth -= 1
        for step in reversed(path[depth + 1 :]):
            value = {_key(step): value}
        self._add_entry(path[:depth], _key(path[depth]), value)

    def insert(self, path: Path, index: int, value: Value) -> None:
        """Make `value` the element at `index` of the list at `path`, behind the others where `index` is their number.

        KeyError where there is no list.
        """
        there = self.get(path)
        if not isinstance(there, Sequence):
            raise KeyError(path)
        if not there.kids:
            self._replace(path, [value])
            return

        def plan(_: Collection | None, node: Node) -> Edit:
            return splices.insert(self.text, _collection(node), index, None, value, self._layout())

        self._perform(path, plan, path, lambda copy: copy.insert(index, value))

    def delete(self, path: Path) -> bool:
        """Take the entry or element at `path` away, with its comments, and say whether it was there.

        What it was the only one of becomes `{}` or `[]`. A key that `<<` merges in can only be deleted where it is.
        """
        there = self.get(path)
        if there is None:
            return False
        parent = _collection(self.get(path[:-1]))
        if isinstance(parent, Mapping) and parent.own(_key(path[-1])) is None:
            raise self._error(parent, f"`{path[-1]}` is merged in by `<<` and can only be deleted where it is written")
        if splices.size(parent) == 1:
            self._replace(path[:-1], [] if isinstance(parent, Sequence) else {})
            return True

        self._own(path, whole=True)
        self._perform(path, self._deletion, path[:-1], lambda copy: copy.pop(path[-1]))
        return True

    def rewrite(self, changes: dict[Path, list[Edit]]) -> None:
        """Change parts of the scalars at several paths at once; the edits of each count in its value."""
        while (shared := aliases.disputed(self.document, changes)) is not None:
            self._own(shared, whole=False)
        made = []
        for path, wanted in changes.items():
            if aliases.first_alias(self._root(), path) is None:
                parent, scalar = self._at(path)
                made += rewriting.rewrite(self.text, parent, scalar, wanted, self._layout())
        self._commit(made)

    def _add_entry(self, path: Path, key: str, value: Value) -> None:
        there = self.get(path)
        if not isinstance(there, Mapping) and (not isinstance(there, Scalar) or scalars.typed(there) is not None):
            raise KeyError(path)
        if not isinstance(there, Mapping) or not there.kids:
            self._replace(path, {key: value})
            return

        def plan(_: Collection | None, node: Node) -> Edit:
            mapping = _collection(node)
            return splices.insert(self.text, mapping, splices.size(mapping), key, value, self._layout())

        self._perform(path, plan, path, lambda copy: copy.update({key: value}))

    def _replace(self, path: Path, value: Value) -> None:
        def plan(parent: Collection | None, node: Node) -> Edit:
            return splices.replace(self.text, parent, node, value, self._layout())

        self._own(path, whole=True)
        self._perform(path, plan, path[:-1], lambda copy: copy.__setitem__(path[-1], value))

    def _deletion(self, parent: Collection | None, node: Node) -> Edit:
        kids = _collection(parent).kids
        return splices.delete(self.text, parent, kids.index(node) * splices.size(parent) // len(kids))

    def _perform(self, path: Path, plan: Plan, enclosing: Path, redo: Callable[[Any], object]) -> None:
        """Make the edit that `plan` answers for the node at `path`, once no alias shows or names what it changes.

        Where it cannot be spliced, the collection at `enclosing` is written anew, `redo` having changed a copy of it.
        """
        self._own(path)
        parent, node = self._at(path)
        try:
            self._commit([plan(parent, node)])
        except NotSpliceable as reason:
            if path == enclosing == ():
                raise self._error(node, str(reason)) from None
            self._write_anew(enclosing, redo, str(reason))

    def _write_anew(self, path: Path, redo: Callable[[Any], object], reason: str) -> None:
        _, node = self._at(path)
        if lines.has_comments(self.text, node):
            raise self._error(node, f"{reason}: writing what is around it anew would lose a comment")
        try:
            copy = style.as_written(node, self.text)
        except ValueError as error:
            raise self._error(node, f"{reason}, and {error}") from None
        redo(copy)
        self._replace(path, copy)

    def _own(self, path: Path, *, whole: bool = False) -> None:
        """Make copies until no alias stands on the way to `path` and none elsewhere names a node on it.

        With `whole`, none elsewhere names a node below it either.
        """
        while (alias := self._alias_in_the_way(path, whole=whole)) is not None:
            self._write_copy(*alias)

    def _alias_in_the_way(self, path: Path, *, whole: bool) -> tuple[Path, Alias] | None:
        root = self._root()
        crossing = aliases.first_alias(root, path)
        if crossing is not None:
            alias, depth = crossing
            _, holder = self._at(path[:depth])
            return path[: depth + isinstance(holder, Mapping)], alias
        chain = [self._at(path[:depth])[1] for depth in range(len(path) + 1)]
        found = aliases.affected(self.document, chain, chain[-1] if whole else None)
        return None if found is None else (aliases.path_to(root, found), found)

    def _write_copy(self, path: Path, alias: Alias) -> None:
        """Write what is shown at `path` there: in the place of `alias`, or for the key that it merges in."""
        try:
            copy = style.as_written(self.get(path) or alias, self.text)
        except ValueError as error:
            raise self._error(alias, str(error)) from None
        parent, node = self._at(path)
        try:
            if node is alias:
                self._commit([splices.replace(self.text, parent, alias, copy, self._layout())])
            else:
                mapping = _collection(self._at(path[:-1])[1])
                key = _key(path[-1])
                self._commit([splices.insert(self.text, mapping, splices.size(mapping), key, copy, self._layout())])
        except NotSpliceable as reason:
            raise self._error(alias, str(reason)) from None

    def _at(self, path: Path) -> tuple[Collection | None, Node]:
        """Return the node at `path` and the collection that it is in. No alias may stand on the way."""
        parent: Collection | None = None
        node: Node = self._root()
        for step in path:
            parent = _collection(node)
            node = aliases.kid(parent, step)
        return parent, node

    def _root(self) -> Node:
        root = self.document.root
        if root is None:
            raise KeyError(())
        return root

    def _layout(self) -> Layout:
        return Layout(json=self._json, wide=style.is_wide(self.document.root))

    def _commit(self, made: list[Edit]) -> None:
        """Make the edits. NotSpliceable, and nothing is changed, where the result would not be YAML."""
        text = edits.apply(self.text, made)
        try:
            parsed = parser.parse(text)
        except parser.ParseError:
            raise NotSpliceable("what is around it") from None
        self.text, self._parsed = text, parsed

    def _error(self, node: Node, problem: str) -> EditError:
        return EditError(problem, self.text.count("\n", 0, node.start) + 1)


def _is(node: Node, value: Value, text: str) -> bool:
    """Say whether `node` already has `value`, of the same type to every reader."""
    if isinstance(value, scalars.Verbatim):
        return text[node.start : node.end] == value
    if isinstance(value, str):
        return scalars.string(node) == value
    return repr(scalars.data(node)) == repr(value)


def _collection(node: Node | None) -> Collection:
    if not isinstance(node, Collection):
        raise KeyError("neither a mapping nor a list")
    return node


def _key(step: str | int) -> str:
    if not isinstance(step, str):
        raise KeyError(step)
    return step
