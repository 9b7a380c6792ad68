"""Print fn/krm/merge/kinds/list_facts.py: how the lists and mappings of the built-in kinds merge, as a table of types.

    python scripts/list_facts.py | ruff format - > fn/krm/merge/kinds/list_facts.py

list_semantics.json, beside this file, names every list by its path from each kind, read off the Go types of
Kubernetes, and atomic_maps.json every mapping that is one value, read off its OpenAPI. Here paths that lead to the same
facts become one type, named after the shortest of them.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TypeAlias

Fact: TypeAlias = dict[str, str | list[str]]
Shape: TypeAlias = tuple[tuple[str, "Shape", str], ...]
"""A type by what is in it: each field with the shape of its value, or of its elements, and the name of its fact."""

LISTS = Path(__file__).with_name("list_semantics.json")
ATOMIC_MAPS = Path(__file__).with_name("atomic_maps.json")
HEAD = '''\
"""The rules by which lists and mappings of the built-in kinds merge. Printed by scripts/list_facts.py.

A fact is in the words of the Go types, but for `mapType`, which is `x-kubernetes-map-type` of the OpenAPI. A type is
named after a place where it is found. Each of its fields that leads to a fact has the type of its value, or of its
elements, and the name of its own fact, empty where there is none.
"""

from __future__ import annotations
'''


class Tree:
    """A field with what is known below it. A list and its elements are one."""

    def __init__(self) -> None:
        self.fact: Fact = {}
        self.kids: dict[str, Tree] = {}

    def at(self, path: str) -> Tree:
        """Return the field at `path`, made where it is not there yet."""
        tree = self
        for step in path.split("."):
            tree = tree.kids.setdefault(step.removesuffix("[]"), Tree())
        return tree

    def shape(self) -> Shape:
        """Return what is below, without names."""
        return tuple((field, kid.shape(), fact_name(kid.fact)) for field, kid in sorted(self.kids.items()))


def fact_name(fact: Fact) -> str:
    """Return a name for a fact that says all of it."""
    keys = "+".join(fact.get("listMapKeys", ())) or fact.get("patchMergeKey", "")
    whole = "whole" if "mapType" in fact else ""
    words = (fact.get("listType", ""), keys, fact.get("patchStrategy", ""), whole)
    return " ".join(word for word in words if isinstance(word, str) and word)


def source() -> dict[str, dict[str, Fact]]:
    """Return the facts of each kind by path: those of a list are those of its elements too."""
    kinds: dict[str, dict[str, Fact]] = json.loads(LISTS.read_text(encoding="utf-8"))
    for kind, paths in json.loads(ATOMIC_MAPS.read_text(encoding="utf-8")).items():
        for path in paths:
            kinds[kind][path] = {**kinds[kind].get(path, {}), "mapType": "atomic"}
    return kinds


def trees(source: dict[str, dict[str, Fact]]) -> dict[str, Tree]:
    """Return every kind as a tree."""
    kinds = {kind: Tree() for kind in source}
    for kind, paths in source.items():
        for path, fact in paths.items():
            kinds[kind].at(path).fact = fact
    return kinds


def type_names(kinds: dict[str, Tree]) -> dict[Shape, str]:
    """Return a name for every shape: the path to it with the fewest steps, from the kind with the shortest name."""
    level = sorted(((kind.rpartition("/")[2], tree) for kind, tree in kinds.items()), key=lambda kind: len(kind[0]))
    names: dict[Shape, str] = {}
    while level:
        for name, tree in level:
            names.setdefault(tree.shape(), name)
        level = [(f"{name}.{field}", kid) for name, tree in level for field, kid in sorted(tree.kids.items())]
    return names | {(): ""}


def printed(source: dict[str, dict[str, Fact]]) -> str:
    """Return the module."""
    kinds = trees(source)
    names = type_names(kinds)
    facts = {fact_name(fact): fact for paths in source.values() for fact in paths.values()}
    lines = [HEAD, "FACTS: dict[str, dict[str, str | list[str]]] = {"]
    for name, fact in sorted(facts.items()):
        lines += [f'    "{name}": {{', *(f'        "{key}": {json.dumps(fact[key])},' for key in fact), "    },"]
    lines += ["}", "", "TYPES: dict[str, dict[str, tuple[str, str]]] = {"]
    for shape, name in sorted(names.items(), key=lambda item: item[1]):
        if shape:
            fields = (f'        "{field}": ("{names[kid]}", "{fact}"),' for field, kid, fact in shape)
            lines += [f'    "{name}": {{', *fields, "    },"]
    lines += ["}", "", "KINDS = {", *(f'    "{kind}": "{names[kinds[kind].shape()]}",' for kind in sorted(kinds)), "}"]
    return "\n".join(lines)


if __name__ == "__main__":
    print(printed(source()))
