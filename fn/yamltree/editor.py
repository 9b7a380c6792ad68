"""Change a YAML text at paths of its tree; everything that is not changed stays as it was written.

A path is a tuple of keys and list indices from the root. Reading goes through aliases and merge keys. Writing never
does: what an alias or `<<` shows becomes a copy of its own first, so that a change shows in one place only, except in
`rewrite`, which changes the anchored node itself where all who show it want the same (decisions.md, 9).
"""

from __future__ import annotations

from functools import wraps

from fn.yamltree import aliases, edits, lines, parser, proof, rewriting, scalars, splices, style
from fn.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence
from fn.yamltree.splices import NotSpliceable
from fn.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node
    from fn.yamltree.parser import Document
    from fn.yamltree.style import Value

    Path: TypeAlias = "tuple[str | int, ...]"
    Plan: TypeAlias = "Callable[[Layout], Edit]"
    Copy: TypeAlias = Any  # a dict or a list
    P = ParamSpec("P")
    R = TypeVar("R")

_IN_A_KEY = "this alias is a key, or is below one that is no scalar"


class EditError(Exception):
    """The change cannot be made without losing something of the author's. `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


def _whole_or_not_at_all(change: Callable[Concatenate[Editor, P], R]) -> Callable[Concatenate[Editor, P], R]:
    """Make a change of several steps leave the text as it was where one of them fails."""

    @wraps(change)
    def wrapped(editor: Editor, /, *args: P.args, **kwargs: P.kwargs) -> R:
        before = editor.text, editor._parsed  # noqa: SLF001 - this is Editor's own
        try:
            return change(editor, *args, **kwargs)
        except Exception:
            editor.text, editor._parsed = before  # noqa: SLF001
            raise

    return wrapped


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
        return aliases.read(self.document.root, path)

    @_whole_or_not_at_all
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

    @_whole_or_not_at_all
    def insert(self, path: Path, index: int, value: Value) -> None:
        """Make `value` the element at `index` of the list at `path`, behind the others where `index` is their number.

        KeyError where there is no list, or it is shorter than that.
        """
        there = self.get(path)
        if not isinstance(there, Sequence) or not 0 <= index <= len(there.kids):
            raise KeyError(path)
        if there.kids or lines.has_comments(self.text, there):
            self._insert(path, index, None, value)
        else:
            self._replace(path, [value])

    @_whole_or_not_at_all
    def extend(self, path: Path, values: list[Value]) -> None:
        """Put `values` behind the elements of the list at `path`, as one change. KeyError where there is no list."""
        there = self.get(path)
        if not isinstance(there, Sequence):
            raise KeyError(path)
        if values and not there.kids:
            self.insert(path, 0, values[0])
            values = values[1:]
        if values:
            self._extend(path, values)

    @_whole_or_not_at_all
    def delete(self, path: Path) -> bool:
        """Take the entry or element at `path` away, with its comments, and say whether it was there.

        What it was the only one of becomes `{}` or `[]`. A key that `<<` merges in can only be deleted where it is.
        KeyError for the root.
        """
        if self.get(path) is None:
            return False
        if path == ():
            raise KeyError(path)
        parent = _collection(self.get(path[:-1]))
        if isinstance(parent, Mapping) and any(source.get(_key(path[-1])) for source in parent.merged()):
            raise self._error(parent, f"`{path[-1]}` is merged in by `<<` and can only be deleted where it is written")
        if splices.size(parent) == 1:
            self._replace(path[:-1], [] if isinstance(parent, Sequence) else {})
        else:
            self._delete(path)
        return True

    @_whole_or_not_at_all
    def rewrite(self, changes: dict[Path, list[Edit]]) -> None:
        """Change parts of the scalars at several paths at once; the edits of each count in its value.

        Their type stays what it is: one that would read as a number or as YAML syntax gets quotes.
        """
        while (place := aliases.disputed(self.document, changes)) is not None:
            self._write_copy(place)
        for alias in aliases.in_keys(self.document):
            raise self._error(alias, _IN_A_KEY)
        document = self.document
        made, anew = [], {}
        for path, wanted in changes.items():
            if not document.shares or aliases.shown(document.root, path) is None:
                parent, scalar = self._scalar(path)
                in_place = rewriting.in_place(self.text, scalar, wanted, flow=parent is not None and parent.flow)
                if in_place is None:
                    anew[path] = edits.apply(scalar.value, wanted)
                else:
                    made += in_place
        self._edit_scalars(made)
        for path, value in anew.items():
            self._rewrite_whole(path, value)

    # Each of these makes one change where it is written, or writes what is around it anew.

    def _add(self, path: Path, value: Value) -> None:
        """Add an entry to the last mapping that there is on the way to `path`."""
        depth = len(path) - 1
        while depth > 0 and self.get(path[:depth]) is None:
            depth -= 1
        for step in reversed(path[depth + 1 :]):
            value = {_key(step): value}
        path, key = path[:depth], _key(path[depth] if path else 0)
        there = self.get(path)
        if isinstance(there, Mapping) and (there.kids or lines.has_comments(self.text, there)):
            self._insert(path, splices.size(there), key, value)
        elif isinstance(there, Mapping) or (isinstance(there, Scalar) and scalars.typed(there) is None):
            self._replace(path, {key: value})
        else:
            raise KeyError(path)

    def _replace(self, path: Path, value: Value) -> None:
        self._own(path, outlived=False)
        parent, node = self._at(path)
        try:
            self._splice(lambda layout: splices.replace(self.text, parent, node, value, layout), [node], path, value)
        except NotSpliceable as reason:
            if path == ():
                raise self._error(node, str(reason)) from None
            self._write_anew(path[:-1], lambda copy: copy.__setitem__(path[-1], value), reason)

    def _rewrite_whole(self, path: Path, value: str) -> None:
        """Write a string anew behind its anchor: what shows it shall show the new one."""
        parent, scalar = self._scalar(path)
        try:
            self._splice(
                lambda layout: splices.rewrite(self.text, parent, scalar, value, layout), [scalar], path, value
            )
        except NotSpliceable as reason:
            if self.document.shares:
                raise self._error(scalar, str(reason)) from None
            self._replace(path, value)

    def _insert(self, path: Path, index: int, key: str | None, value: Value) -> None:
        self._own(path)
        parent = _collection(self._at(path)[1])
        place = (*path, index if key is None else key)
        try:
            self._splice(lambda layout: splices.insert(self.text, parent, index, key, value, layout), [], place, value)
        except NotSpliceable as reason:
            self._write_anew(path, lambda copy: _put(copy, index, key, value), reason)

    def _extend(self, path: Path, values: list[Value]) -> None:
        self._own(path)
        node = self._at(path)[1]
        longer = [*self._copy(node, "the list has "), *values]
        try:
            self._splice(
                lambda layout: splices.extend(self.text, _collection(node), values, layout), [node], path, longer
            )
        except NotSpliceable as reason:
            self._write_anew(path, lambda copy: copy.extend(values), reason)

    def _delete(self, path: Path) -> None:
        self._own(path, outlived=False)
        parent, node = self._at(path)
        parent = _collection(parent)
        index = parent.kids.index(node) * splices.size(parent) // len(parent.kids)
        try:
            self._splice(lambda _: splices.delete(self.text, parent, index), splices.entry(parent, index))
        except NotSpliceable as reason:
            self._write_anew(path[:-1], lambda copy: copy.pop(path[-1]), reason)

    def _write_anew(self, path: Path, redo: Callable[[Copy], object], reason: NotSpliceable) -> None:
        """Write the collection at `path` anew, `redo` having changed a copy of it, if no comment is lost by that."""
        _, node = self._at(path)
        if lines.has_comments(self.text, node):
            raise self._error(node, f"{reason}, and writing what is around it anew would lose a comment")
        copy = self._copy(node, f"{reason}, and what is around it has ")
        redo(copy)
        self._replace(path, copy)

    # Aliases

    def _own(self, path: Path, *, outlived: bool = True) -> None:
        """Make copies until nothing on the way to `path` is shown from elsewhere, and nothing elsewhere shows it.

        Unless what is at `path` is `outlived` by its parts, none of these are shown elsewhere either.
        """
        while (place := self._shared(path, outlived=outlived)) is not None:
            self._write_copy(place)

    def _shared(self, path: Path, *, outlived: bool) -> Path | None:
        root = self.document.root
        place = aliases.shown(root, path)
        if place is not None:
            return place
        way = [self._at(path[:depth])[1] for depth in range(len(path) + 1)]
        start, end = (0, 0) if outlived else self._extent(path)
        alias = aliases.affected(self.document, way, start, end)
        if alias is None:
            return None
        place = aliases.place(root, alias)
        if place is None:
            raise self._error(alias, _IN_A_KEY)
        return place

    def _extent(self, path: Path) -> tuple[int, int]:
        """Return the span of the node at `path`, its key included."""
        parent, node = self._at(path)
        if isinstance(parent, Mapping):
            return parent.kids[parent.kids.index(node) - 1].start, node.end
        return node.start, node.end

    def _write_copy(self, path: Path) -> None:
        """Write what is shown at `path` there: in the place of the alias, or for the key that is merged in."""
        parent, node = self._at(path)
        copy = self._copy(self.get(path) or node, "what an alias shows here has ")
        try:
            if isinstance(node, Alias):
                self._splice(lambda layout: splices.replace(self.text, parent, node, copy, layout), [node], path, copy)
            else:
                mapping, key = _collection(self._at(path[:-1])[1]), _key(path[-1])
                size = splices.size(mapping)
                self._splice(lambda layout: splices.insert(self.text, mapping, size, key, copy, layout), [], path, copy)
        except NotSpliceable as reason:
            raise self._error(node, str(reason)) from None

    def _copy(self, node: Node, otherwise: str) -> Copy:
        try:
            return style.as_written(node, self.text)
        except ValueError as error:
            raise self._error(node, f"{otherwise}{error}") from None

    # The text

    def _at(self, path: Path) -> tuple[Collection | None, Node]:
        """Return the node that is written at `path`, and the collection that it is in."""
        parent, node = None, self.document.root
        for step in path:
            parent, node = _collection(node), aliases.kid(node, step)
        if node is None:
            raise KeyError(path)
        return parent, node

    def _scalar(self, path: Path) -> tuple[Collection | None, Scalar]:
        parent, node = self._at(path)
        if not isinstance(node, Scalar):
            raise KeyError(path)
        return parent, node

    def _splice(self, plan: Plan, gone: list[Node], path: Path | None = None, value: Value = None) -> None:
        """Make the edit that `plan` answers, proven to change nothing but that `gone` goes and `value` is at `path`.

        What does not work with a literal block may with quotes. NotSpliceable, and nothing changed, where nothing does.
        """
        root = self.document.root
        layout = Layout(json=self._json, wide=style.is_wide(root))
        for attempt in (layout, layout.quoted()):
            edit = plan(attempt)
            if "\n" in edit.text + self.text[edit.start : edit.end] and not lines.are_plain(self.text, root):
                raise NotSpliceable("lines end in other ways than LF and CRLF")
            text = edits.apply(self.text, [edit])
            try:
                document = parser.parse(text)
            except parser.ParseError:
                continue
            added = _added(document.root, path, alone=bool(gone))
            if proof.same_but(root, gone, document.root, added) and (path is None or proof.has(added[-1], value, text)):
                self.text, self._parsed = text, document
                return
        raise NotSpliceable(splices.ODD)

    def _edit_scalars(self, made: list[Edit]) -> None:
        """Make edits that leave the tree its shape, which is looked at, at the speed of C, but not parsed."""
        text = edits.apply(self.text, made)
        if parser.check(text) != self.document.events:
            raise self._error(self._at(())[1], splices.ODD)
        self.text, self._parsed = text, None

    def _error(self, node: Node, problem: str) -> EditError:
        return EditError(problem, self.text.count("\n", 0, node.start) + 1)


def _added(root: Node | None, path: Path | None, *, alone: bool) -> list[Node]:
    """Return the node at `path` of the new tree, with its key unless that was there before; nothing for no path."""
    if path is None:
        return []
    parent, node = aliases.at(root, path[:-1]) if path else None, aliases.at(root, path)
    if node is None:
        return []
    if isinstance(parent, Mapping) and not alone:
        position = parent.kids.index(node)
        return parent.kids[position - 1 : position + 1]
    return [node]


def _put(copy: Copy, index: int, key: str | None, value: Value) -> None:
    if key is None:
        copy.insert(index, value)
    else:
        copy[key] = value


def _collection(node: Node | Collection | None) -> Collection:
    if not isinstance(node, Collection):
        raise KeyError("neither a mapping nor a list")
    return node


def _key(step: str | int) -> str:
    if not isinstance(step, str):
        raise KeyError(step)
    return step
