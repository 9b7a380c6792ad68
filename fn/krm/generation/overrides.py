"""Where an item keeps something else than what is generated for it."""

from __future__ import annotations

from krm.generation import DOMAIN
from krm.merge import pairing, trees
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath
    from krm.merge.schema import Schema
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node


_OURS = f"{DOMAIN}/"


def found(update: Tree, local: Tree, schema: Schema) -> list[FieldPath]:
    """Return the paths of the smallest fields of update that local lacks or has otherwise."""
    return list(_Comparing(update, local, schema).differing((), update.root, local.root))


class _Comparing:
    def __init__(self, update: Tree, local: Tree, schema: Schema) -> None:
        self._update = update
        self._local = local
        self._schema = schema

    def differing(self, path: FieldPath, update: Node | None, local: Node | None) -> Iterator[FieldPath]:
        new, old = resolved(update), resolved(local)
        if isinstance(new, Mapping) and isinstance(old, Mapping):
            there = trees.entries(old)
            for key, value in trees.entries(new).items():
                if path != trees.ANNOTATIONS or not is_note(key):
                    yield from self.differing((*path, key), value, there.get(key))
        elif isinstance(new, Sequence) and isinstance(old, Sequence):
            yield from self._in_list(path, new, old)
        elif not trees.same(self._update, update, self._local, local) and not _is_nothing(update, local):
            yield path

    def _in_list(self, path: FieldPath, update: Sequence, local: Sequence) -> Iterator[FieldPath]:
        rule = self._schema.list_rule(path, [update.kids, local.kids])
        if rule.is_atomic:
            if not trees.same(self._update, update, self._local, local):
                yield path
            return
        new, old = pairing.keyed(rule, update.kids), pairing.keyed(rule, local.kids)
        segments = pairing.segments(rule, pairing.indexes(old, new))
        for key, element in new.items():
            yield from self.differing((*path, segments[key]), element, old.get(key))


def is_note(key: str) -> bool:
    """Return True if an annotation is nothing that is generated: a note of an orchestrator, or one of ours."""
    return trees.is_bookkeeping(key) or key.startswith(_OURS)


def _is_nothing(update: Node | None, local: Node | None) -> bool:
    """True if what is generated is null, which takes a field away, and local has none."""
    return local is None and trees.is_null(update)
