"""A text, its tree, and changes that are proven before they are made."""

from __future__ import annotations

from functools import wraps

from krm.yamltree import aliases, edits, entries, lines, parser, places, proof, splices, style
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence
from krm.yamltree.places import NotSpliceable
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document
    from krm.yamltree.style import Value

    Path: TypeAlias = "tuple[str | int, ...]"
    Plan: TypeAlias = "Callable[[Layout], Edit]"
    Copy: TypeAlias = Any  # a dict or a list
    P = ParamSpec("P")
    R = TypeVar("R")
    D = TypeVar("D", bound="Draft")

IN_A_KEY = "this alias is a key, or is below one that is no scalar"


class EditError(Exception):
    """The change cannot be made without losing something of the author's. `line` counts from 1."""

    def __init__(self, problem: str, line: int) -> None:
        super().__init__(f"line {line}: {problem}")
        self.problem = problem
        self.line = line


def whole_or_not_at_all(change: Callable[Concatenate[D, P], R]) -> Callable[Concatenate[D, P], R]:
    """Make a change of several steps leave the text as it was where one of them fails."""

    @wraps(change)
    def wrapped(draft: D, /, *args: P.args, **kwargs: P.kwargs) -> R:
        before = draft.text, draft.parsed
        try:
            return change(draft, *args, **kwargs)
        except Exception:
            draft.text, draft.parsed = before
            raise

    return wrapped


class Draft:
    """A text with the changes made to it so far, and its tree, `parsed` when it is asked for."""

    def __init__(self, text: str, *, json: bool = False, document: Document | None = None) -> None:
        self.text = text
        self.json = json
        self.parsed = document

    @property
    def document(self) -> Document:
        """The tree of the text as it now is."""
        if self.parsed is None:
            self.parsed = parser.parse(self.text)
        return self.parsed

    def at(self, path: Path) -> tuple[Collection | None, Node]:
        """Return the node that is written at `path`, and the collection that it is in. KeyError where there is none."""
        parent, node = None, self.document.root
        for step in path:
            parent, node = collection(node), aliases.kid(node, step)
        if node is None:
            raise KeyError(path)
        return parent, node

    def scalar(self, path: Path) -> tuple[Collection | None, Scalar]:
        """Return the scalar that is written at `path`, as `at` does. KeyError where something else is."""
        parent, node = self.at(path)
        if not isinstance(node, Scalar):
            raise KeyError(path)
        return parent, node

    def splice(self, plan: Plan, gone: list[Node], path: Path = (), values: list[Value] | None = None) -> None:
        """Make the edit that `plan` answers, proven to take away `gone`, put `values` at `path`, and do nothing else.

        Several values are elements, the first of them at `path`. What does not work with a literal block may with
        quotes. NotSpliceable, and nothing changed, where nothing does.
        """
        root = self.document.root
        layout = Layout(json=self.json, wide=bool(style.is_wide(root)))
        for attempt in (layout, layout.quoted()):
            edit = plan(attempt)
            if "\n" in edit.text + self.text[edit.start : edit.end] and not lines.are_plain(self.text, root):
                raise NotSpliceable("lines end in other ways than LF and CRLF")
            text = edits.apply(self.text, [edit])
            try:
                document = parser.parse(text)
            except parser.ParseError:
                continue
            added = _added(document.root, path, len(values or ()), with_key=not gone)
            if proof.same_but(root, gone, document.root, added) and proof.ends_with(added, values or [], text):
                self.text, self.parsed = text, document
                return
        raise NotSpliceable(places.ODD)

    def append(self, path: Path, elements: str, edit: Edit) -> None:
        """Make the edit that is to put `elements`, a list of them, behind those at `path`, proven to do that alone.

        NotSpliceable or ParseError, and nothing changed, where it does something else.
        """
        text = edits.apply(self.text, [edit])
        document = parser.parse(text)
        alone = collection(parser.parse(elements).root).kids
        new = collection(aliases.at(document.root, path)).kids[-len(alone) :]
        is_whole = lines.are_plain(text, document.root) and all(map(proof.same, alone, new))
        is_all = proof.same_but(self.document.root, [], document.root, new)
        if not (is_whole and is_all) or aliases.affected(document, [], new[0].start, new[-1].end):
            raise NotSpliceable(places.ODD)
        self.text, self.parsed = text, document

    def edit_scalars(self, made: list[Edit]) -> None:
        """Make edits that leave the tree its shape, which is looked at, at the speed of C, but not parsed."""
        text = edits.apply(self.text, made)
        if parser.check(text) != self.document.events:
            raise self.error(self.at(())[1], places.ODD)
        self.text, self.parsed = text, None

    def own(self, path: Path, *, outlived: bool = True) -> None:
        """Make copies until nothing on the way to `path` is shown from elsewhere, and nothing elsewhere shows it.

        Unless what is at `path` is `outlived` by its parts, none of these are shown elsewhere either.
        """
        while (place := self._shared(path, outlived=outlived)) is not None:
            self.write_copy(place)

    def write_copy(self, path: Path) -> None:
        """Write what is shown at `path` there: in the place of the alias, or for the key that is merged in."""
        parent, node = self.at(path)
        copy = self.copy(aliases.read(self.document.root, path) or node, "what an alias shows here has ")
        try:
            if isinstance(node, Alias):
                self.splice(lambda layout: splices.replace(self.text, parent, node, copy, layout), [node], path, [copy])
            else:
                mapping, name = collection(self.at(path[:-1])[1]), key(path[-1])
                self.splice(lambda layout: entries.add(self.text, mapping, name, copy, layout), [], path, [copy])
        except NotSpliceable as reason:
            raise self.error(node, str(reason)) from None

    def copy(self, node: Node, otherwise: str) -> Copy:
        """Return the value of `node` as it is written. EditError, `otherwise` and the reason, where it cannot be."""
        try:
            return style.as_written(node, self.text)
        except ValueError as error:
            raise self.error(node, f"{otherwise}{error}") from None

    def error(self, node: Node, problem: str) -> EditError:
        """Return the error that says in which line `node` is."""
        return EditError(problem, self.text.count("\n", 0, node.start) + 1)

    def _shared(self, path: Path, *, outlived: bool) -> Path | None:
        root = self.document.root
        place = aliases.shown(root, path)
        if place is not None:
            return place
        way = [self.at(path[:depth])[1] for depth in range(len(path) + 1)]
        start, end = (0, 0) if outlived else self._extent(path)
        alias = aliases.affected(self.document, way, start, end)
        if alias is None:
            return None
        place = aliases.place(root, alias)
        if place is None:
            raise self.error(alias, IN_A_KEY)
        return place

    def _extent(self, path: Path) -> tuple[int, int]:
        """Return the span of the node at `path`, its key included."""
        parent, node = self.at(path)
        entry = [node] if parent is None else places.entry(parent, places.index_of(parent, node))
        return entry[0].start, node.end


def collection(node: Node | Collection | None) -> Collection:
    """Return `node` if it is a mapping or a list. KeyError else."""
    if not isinstance(node, Collection):
        raise KeyError("neither a mapping nor a list")
    return node


def key(step: str | int) -> str:
    """Return a step of a path if it is a key. KeyError else."""
    if not isinstance(step, str):
        raise KeyError(step)
    return step


def _added(root: Node | None, path: Path, count: int, *, with_key: bool) -> list[Node]:
    """Return the nodes of the new tree that stand for `count` values at `path`, and for the key of the first."""
    node = aliases.at(root, path)
    parent = aliases.at(root, path[:-1]) if path else None
    if count == 0 or node is None:
        return []
    if isinstance(parent, Sequence) and with_key:
        index = places.index_of(parent, node)
        return parent.kids[index : index + count]
    if isinstance(parent, Mapping) and with_key:
        return places.entry(parent, places.index_of(parent, node))
    return [node]
