"""Which aliases stand in the way of a change: those that would show it, and those it would leave without an anchor."""

from __future__ import annotations

from fn.yamltree.nodes import Alias, Collection, Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node
    from fn.yamltree.parser import Document

    Path: TypeAlias = "tuple[str | int, ...]"
    Changes: TypeAlias = "dict[Path, list[Edit]]"


def affected(document: Document, chain: list[Node], changed: Node | None) -> Alias | None:
    """Return an alias elsewhere that names a node of `chain` (what the change is inside of) or a part of `changed`."""
    for alias in document.aliases:
        target = alias.target
        if target is None or (changed is not None and _contains(changed, alias)):
            continue
        if any(target is node for node in chain) or (changed is not None and _contains(changed, target)):
            return alias
    return None


def path_to(root: Node, node: Node) -> Path:
    """Return the path from `root` down to `node`, no alias followed."""
    for step, kid in _kids(root):
        if kid is node:
            return (step,)
        if kid.start <= node.start and node.end <= kid.end and isinstance(kid, Collection):
            return (step, *path_to(kid, node))
    return ()


def disputed(document: Document, changes: Changes) -> Path | None:
    """Return the path of what an alias shows and `changes` treat otherwise than the node it names, None without one.

    It ends at the alias or, where that is merged in by `<<`, at a key that the merge brings. Once nothing is disputed,
    changing the anchored nodes changes all that shows them as asked.
    """
    root = document.root
    if root is None or not document.aliases:
        return None
    shown = _by_alias(root, changes)
    for alias in document.aliases:
        place = path_to(root, alias)
        asked = shown.get(id(alias), {})
        wanted = {} if alias.target is None else _below(path_to(root, alias.target), changes)
        if "<<" in place[-2:]:
            holder = place[: -2 if place[-1] != "<<" else -1]
            keys = _disputed_keys(root, holder, asked, wanted)
            if keys:
                return *holder, keys[0]
        elif asked != wanted:
            return place
    return None


def first_alias(root: Node, path: Path) -> tuple[Alias, int] | None:
    """Return the first alias that reading `path` goes through, and how many steps lead to it; None without one."""
    node: Node | None = root
    for depth, step in enumerate(path):
        if isinstance(node, Alias):
            return node, depth
        if isinstance(node, Mapping) and isinstance(step, str) and node.own(step) is None:
            alias = _merging(node, step)
            if alias is not None:
                return alias, depth
        node = kid(node, step)
    return (node, len(path)) if isinstance(node, Alias) else None


def kid(node: Node | None, step: str | int) -> Node | None:
    """Return what one step of a path leads to, merge keys followed but `node` itself not."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and step < len(node.kids):
        return node.kids[step]
    return None


def _merging(mapping: Mapping, key: str) -> Alias | None:
    """Return the alias through which `<<` brings `key` into `mapping`."""
    source = mapping.own("<<")
    for node in source.kids if isinstance(source, Sequence) else [source]:
        target = resolved(node)
        if isinstance(node, Alias) and isinstance(target, Mapping) and target.get(key) is not None:
            return node
    return None


def _by_alias(root: Node, changes: Changes) -> dict[int, Changes]:
    """Return what each alias is asked to show, by the identity of the alias, paths counted from there."""
    shown: dict[int, Changes] = {}
    for path, wanted in changes.items():
        crossing = first_alias(root, path)
        if crossing is not None:
            alias, depth = crossing
            shown.setdefault(id(alias), {})[path[depth:]] = wanted
    return shown


def _below(place: Path, changes: Changes) -> Changes:
    return {path[len(place) :]: wanted for path, wanted in changes.items() if path[: len(place)] == place}


def _disputed_keys(root: Node, holder: Path, asked: Changes, wanted: Changes) -> list[str]:
    """Return the keys that a merge into the mapping at `holder` brings, and that differ in what is asked of them."""
    mapping: Node | None = root
    for step in holder:
        mapping = kid(mapping, step)
    keys = [path[0] for path in (*asked, *wanted) if path and asked.get(path) != wanted.get(path)]
    return [key for key in keys if isinstance(key, str) and isinstance(mapping, Mapping) and mapping.own(key) is None]


def _contains(outer: Node, inner: Node) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end


def _kids(node: Node) -> Iterator[tuple[str | int, Node]]:
    if isinstance(node, Sequence):
        yield from enumerate(node.kids)
    elif isinstance(node, Mapping):
        for key, value in node.pairs():
            if key.value is not None:
                yield key.value, value
