"""Print fn/krm/merge/kinds/list_facts.py: how the lists of the built-in kinds merge, field by field.

    python scripts/list_facts.py > fn/krm/merge/kinds/list_facts.py

list_semantics.json, beside this file, names every list by its path from each kind, read off the Go types of
Kubernetes. Here paths that lead to the same facts become one type, named after the shortest of them.
"""

from __future__ import annotations

import json
import textwrap
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

Fact: TypeAlias = dict[str, str | list[str]]
Shape: TypeAlias = tuple[tuple[str, "Shape", str], ...]
"""A type by what is in it: each field with the shape of its value, or of its elements, and the words of its fact."""

LISTS = Path(__file__).with_name("list_semantics.json")
HEAD = '''\
"""The rules by which lists of the built-in kinds merge. Printed by scripts/list_facts.py.

FACTS   of a field: the words of the Go types, with the keys of a list. What is not named here is known to have none.
SAME    fields in which is what another field has: a pod template is the same in a Job and in a Deployment.
KINDS   the kinds of each group. The `metadata` of all of them are those of a Pod.
"""

from __future__ import annotations
'''


class Tree:
    """A field with what is known below it. A list and its elements are one."""

    def __init__(self) -> None:
        self.words = ""
        self.kids: dict[str, Tree] = {}

    def at(self, path: str) -> Tree:
        """Return the field at `path`, made where it is not there yet."""
        tree = self
        for step in path.split("."):
            tree = tree.kids.setdefault(step.removesuffix("[]"), Tree())
        return tree

    def shape(self) -> Shape:
        """Return what is below, without names."""
        return tuple((field, kid.shape(), kid.words) for field, kid in sorted(self.kids.items()))

    def facts(self) -> int:
        """Return how many facts are below."""
        return sum(kid.facts() + bool(kid.words) for kid in self.kids.values())


def words(fact: Fact) -> str:
    """Return all that a fact says."""
    keys = fact.get("listMapKeys") or [str(fact.get("patchMergeKey", ""))]
    strategies = str(fact.get("patchStrategy", "")).split(",")
    said = (str(fact.get("listType", "")), *keys, *strategies)
    return " ".join(word for word in said if word)


def source() -> dict[str, dict[str, Fact]]:
    """Return the facts of each kind by path: those of a list are those of its elements too."""
    kinds: dict[str, dict[str, Fact]] = json.loads(LISTS.read_text(encoding="utf-8"))
    # All have metadata of one type.
    metadata = {path: fact for path, fact in kinds["Pod"].items() if path.startswith("metadata.")}
    return {kind: {**paths, **metadata} for kind, paths in kinds.items()}


def trees(source: dict[str, dict[str, Fact]]) -> dict[str, Tree]:
    """Return every kind as a tree, by the name of the kind alone, which no two groups have."""
    kinds = {kind.rpartition("/")[2]: Tree() for kind in source}
    assert len(kinds) == len(source)
    for kind, paths in source.items():
        for path, fact in paths.items():
            if kind == "Pod" or not path.startswith("metadata."):
                kinds[kind.rpartition("/")[2]].at(path).words = words(fact)
    return kinds


def type_names(kinds: dict[str, Tree]) -> dict[Shape, str]:
    """Return a name for every shape: the path to it with the fewest steps, from the kind with the shortest name."""
    level = sorted(kinds.items(), key=lambda kind: len(kind[0]))
    names: dict[Shape, str] = {}
    while level:
        for name, tree in level:
            names.setdefault(tree.shape(), name)
        level = [(f"{name}.{field}", kid) for name, tree in level for field, kid in sorted(tree.kids.items())]
    return names


def rows(name: str, tree: Tree, names: dict[Shape, str]) -> Iterator[tuple[str, str, str]]:
    """Yield each path with its words, and with the path that has the same, from a tree on."""
    same = names[tree.shape()]
    # One fact is as short as the name of where it is, too.
    is_same = same != name and tree.facts() > 1
    if tree.words or is_same:
        yield name, tree.words, same if is_same else ""
    for field, kid in () if is_same else sorted(tree.kids.items()):
        yield from rows(f"{name}.{field}", kid, names)


def kinds_by_group(source: dict[str, dict[str, Fact]]) -> Iterator[str]:
    """Yield the rows of the table of kinds; a long one in several lines."""
    names = sorted(kind.rpartition("/")[::2] for kind in source)
    for group, kinds in groupby(names, key=itemgetter(0)):
        parts = textwrap.wrap(" ".join(kind for _, kind in kinds), 108, drop_whitespace=False)
        if len(parts) == 1:
            yield f'    "{group}": "{parts[0]}",'
        else:
            yield from (f'    "{group}": (', *(f'        "{part}"' for part in parts), "    ),")


def printed(source: dict[str, dict[str, Fact]]) -> str:
    """Return the module."""
    kinds = trees(source)
    names = type_names(kinds)
    found = [row for kind in sorted(kinds) for row in rows(kind, kinds[kind], names)]
    lines = [HEAD, "FACTS = {", *(f'    "{name}": "{said}",' for name, said, _ in found if said), "}", ""]
    lines += ["SAME = {", *(f'    "{name}": "{same}",' for name, _, same in found if same), "}", ""]
    return "\n".join([*lines, "KINDS = {", *kinds_by_group(source), "}", ""])


if __name__ == "__main__":
    print(printed(source()), end="")
