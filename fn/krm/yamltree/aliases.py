"""Which aliases and merge keys stand in the way of a change: what shows a node that is written elsewhere."""

from __future__ import annotations

from krm.yamltree.nodes import Alias, Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document

    Path: TypeAlias = "tuple[str | int, ...]"
    Changes: TypeAlias = "dict[Path, list[Edit]]"


def kid(node: Node | None, step: str | int) -> Node | None:
    """Return what one step of a path leads to, merge keys followed but `node` itself not."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        return node.kids[step]
    return None


def at(root: Node | None, path: Path) -> Node | None:
    """Return the node that is written at `path`, no alias followed, None where there is none."""
    for step in path:
        root = kid(root, step)
    return root


def read(root: Node | None, path: Path) -> Node | None:
    """Return the node at `path`, aliases and merge keys followed, None where there is none."""
    node = resolved(root)
    for step in path:
        node = resolved(kid(node, step))
    return node


def shown(root: Node | None, path: Path) -> Path | None:
    """Return the first place on `path` that shows what is written elsewhere, by an alias or `<<`; None without one."""
    node = root
    for depth, step in enumerate(path):
        if isinstance(node, Alias):
            return path[:depth]
        if isinstance(node, Mapping) and isinstance(step, str) and node.own(step) is None and node.get(step):
            return path[: depth + 1]
        node = kid(node, step)
    return path if isinstance(node, Alias) else None


def affected(document: Document, way: list[Node], start: int, end: int) -> Alias | None:
    """Return an alias that would show a change it should not, or lose its anchor by it; None without one.

    The change is inside of the nodes on `way`, and nothing between `start` and `end` outlives it.
    """
    for alias in document.aliases:
        target = alias.target
        if target is None or start <= alias.start < end:
            continue
        if start <= target.start < end or any(target is node for node in way):
            return alias
    return None


def place(root: Node | None, alias: Alias) -> Path | None:
    """Return the path of `alias`, None where it is, or is below, a key that is no scalar."""
    return next((path for path, node in _written((), root) if node is alias), None)


def in_keys(document: Document) -> list[Alias]:
    """Return the aliases that no path leads to."""
    if not document.aliases:
        return []
    found = {id(node) for _, node in _written((), document.root)}
    return [alias for alias in document.aliases if id(alias) not in found]


def disputed(document: Document, changes: Changes) -> Path | None:
    """Return a place that shows a scalar which `changes` treat otherwise at another place, None without one.

    Once nothing is disputed, changing scalars where they are written changes all that shows them as asked.
    """
    root = document.root
    if not document.shares:
        return None
    readers: dict[int, list[Path]] = {}
    for path, node in _read((), root):
        readers.setdefault(id(node), []).append(path)
    for path, wanted in changes.items():
        # The readers of a node agree or not, whichever of them asks: each node is looked at once.
        places = {reader: shown(root, reader) for reader in readers.pop(id(read(root, path)), ())}
        agreed = all(changes.get(reader) == wanted for reader in places)
        if places and not (agreed and None in places.values()):
            return next(shown_at for shown_at in places.values() if shown_at is not None)
    return None


def _written(path: Path, node: Node | None) -> Iterator[tuple[Path, Node | None]]:
    """Yield `node` and every node below it with its path, no alias followed."""
    yield path, node
    if isinstance(node, Sequence):
        for index, element in enumerate(node.kids):
            yield from _written((*path, index), element)
    elif isinstance(node, Mapping):
        for key, value in node.pairs():
            if key.value is not None:
                yield from _written((*path, key.value), value)


def _read(path: Path, node: Node | None) -> Iterator[tuple[Path, Node]]:
    """Yield every node below `node` with its path, as often as aliases and merge keys show it."""
    node = resolved(node)
    if node is not None:
        yield path, node
    if isinstance(node, Sequence):
        for index, element in enumerate(node.kids):
            yield from _read((*path, index), element)
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _read((*path, key), value)
        if not node.is_plain():
            yield from _read((*path, "<<"), node.merge_key())
