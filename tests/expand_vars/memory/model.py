"""The promises about generated resources, on plain data: what a merge has to give, and what each field says.

It knows nothing of the code under test. A resource is a tree of dicts; a keyed list is one too, by its keys, and every
other list is a value. Each field keeps its template here, and `shown` is what stands in the file. What a user has
written into free text is `Own`: no run expands it.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Tree = Any
    Path = tuple[str, ...]

YAMLError = yaml.YAMLError
OURS = "expandvars.dev/"
DELTA = {"labels", "annotations", "matchLabels", "data", "stringData"}
# Mappings whose keys are their author's own: what is gone on one side goes entry by entry (docs/reference/merge.md,
# "Deletions").
AUTHORED = DELTA | {"limits", "requests"}
LISTS = {"containers": "name", "env": "name", "parts": "name", "ports": "containerPort"}
KUBELET = {"args", "value"}
# Fields that can hold no reference: whoever writes one there means a variable.
VALUES = {"image", "replicas"}
REFERENCE = re.compile(r"\$\((\w+)\)")


class _Nowhere(Enum):
    """What is not there: the same in each copy of a package."""

    NOWHERE = "nowhere"


NOWHERE = _Nowhere.NOWHERE


class Own(str):
    """A text that a user has written."""

    __slots__ = ()


class Keyed(dict):
    """A list whose elements are told apart by a key."""


class Conflict(NamedTuple):
    """A field that both sides changed, differently."""

    path: Path
    update: Tree
    local: Tree


def loaded(text: str) -> Any:
    return yaml.load(text, Loader=yaml.CSafeLoader)  # a safe one, in C


def tree(text: str) -> Tree:
    """Return a resource without what we remember of it."""
    return _without_ours(read(loaded(text)))


def read(value: Any, name: str = "") -> Tree:
    """Return data as a tree. What is empty is not there: a deletion takes with it what it leaves empty."""
    if isinstance(value, dict):
        below = {key: read(one, key) for key, one in value.items()}
        return {key: one for key, one in below.items() if one not in ({}, (), NOWHERE)}
    if isinstance(value, list) and name in LISTS:
        return Keyed({str(one[LISTS[name]]): read(one) for one in value})
    return tuple(map(read, value)) if isinstance(value, list) else value


def _without_ours(resource: Tree) -> Tree:
    metadata = dict(resource["metadata"])
    kept = {key: text for key, text in metadata.pop("annotations", {}).items() if not key.startswith(OURS)}
    return resource | {"metadata": metadata | ({"annotations": kept} if kept else {})}


def filled(template: Tree, values: Mapping[str, str]) -> Tree:
    """Return what a template generates: what it is called is known before all else."""
    metadata = {
        key: one if key == "annotations" else expanded(one, values) for key, one in template["metadata"].items()
    }
    return template | {"metadata": metadata}


def shown(resource: Tree, values: Mapping[str, str]) -> Tree:
    """Return what stands in the file: references are expanded."""
    return _mapped(resource, lambda text, at: _shown(resource, text, at, values), ())


def _shown(resource: Tree, text: str, path: Path, values: Mapping[str, str]) -> Any:
    if is_kubelet(resource, path):
        return expanded(text, values)
    return text if isinstance(text, Own) and path[-1] not in VALUES else _final(text, path, values)


def own(tree: Tree) -> Tree:
    """Return what a user has written."""
    return _mapped(tree, lambda text, _: Own(text), ())


def followed(now: Tree, before: Tree, kept: Tree) -> Tree:
    """Return what stands in a file with the templates of the fields that are as they were; all else is a user's."""
    if now == before:
        return kept
    if isinstance(now, dict) and isinstance(before, dict):
        found = {key: followed(one, before.get(key, NOWHERE), kept.get(key, NOWHERE)) for key, one in now.items()}
        return type(now)(found)
    if isinstance(now, tuple) and isinstance(before, tuple):
        left = [*zip(before, kept, strict=True)]
        return tuple(_taken(one, left) for one in now)
    return own(now)


def _taken(element: Tree, left: list[tuple[Tree, Tree]]) -> Tree:
    number = next((number for number, (before, _) in enumerate(left) if before == element), None)
    return own(element) if number is None else left.pop(number)[1]


def expanded(text: str, values: Mapping[str, str]) -> str:
    return REFERENCE.sub(lambda match: values.get(match[1], match[0]), text)


def _final(text: str, path: Path, values: Mapping[str, str]) -> Any:
    result = expanded(text, values)
    is_open = REFERENCE.fullmatch(text) and not DELTA & {*path}
    return int(result) if is_open and result.isdigit() else result


def is_kubelet(resource: Tree, path: Path) -> bool:
    return resource["kind"] == "Deployment" and path[-1] in KUBELET and "containers" in path


def _mapped(node: Tree, change: Any, path: Path) -> Tree:
    if isinstance(node, dict):
        return type(node)((key, _mapped(one, change, (*path, key))) for key, one in node.items())
    if isinstance(node, tuple):
        return tuple(change(one, path) if isinstance(one, str) else one for one in node)
    return change(node, path) if isinstance(node, str) else node


def merged(origin: Tree, update: Tree, local: Tree, conflicts: list[Conflict], path: Path = ()) -> Tree:
    """Return what comes of three sides. At a conflict it is update's, and the conflict is noted."""
    if update == origin:
        return local
    if local in (origin, update):
        return update
    if path and _is_divided(path[-1], origin, update, local):
        origin, update, local = ({} if one is NOWHERE else one for one in (origin, update, local))
    if not (isinstance(update, dict) and isinstance(local, dict)):
        lines = _lines(origin, update, local)
        if lines is not None:
            return lines
        if all(isinstance(side, tuple) for side in (origin, update, local)):
            update, local = _spliced(origin, update, local)
            if update == local:
                return update
        conflicts.append(Conflict(path, update, local))
        return update
    before = origin if isinstance(origin, dict) else {}
    found = {
        key: merged(
            before.get(key, NOWHERE), update.get(key, NOWHERE), local.get(key, NOWHERE), conflicts, (*path, key)
        )
        for key in {**local, **update}
    }
    kind = Keyed if isinstance(update, Keyed) or isinstance(local, Keyed) else dict
    return kind((key, one) for key, one in found.items() if one not in (NOWHERE, {}))


def _is_divided(key: str, *sides: Tree) -> bool:
    """True if what is gone on one side goes by its parts: entries of an author's own, and elements with keys."""
    if key in AUTHORED or any(isinstance(side, Keyed) for side in sides):
        return True
    below = {name for side in sides if isinstance(side, dict) for name in side}
    return bool(below) and below <= AUTHORED


def _lines(*sides: Tree) -> str | None:
    """Return a text of which each side changed other lines, None where it is none."""
    if not all(isinstance(side, str) and "\n" in side for side in sides):
        return None
    conflicts: list[Conflict] = []
    origin, update, local = (side.splitlines() for side in sides)
    found = [merged(*line, conflicts=conflicts) for line in zip(origin, update, local, strict=True)]
    return None if conflicts else "".join(f"{line}\n" for line in found)


def _spliced(origin: Tree, update: Tree, local: Tree) -> tuple[Tree, Tree]:
    """Return a list of which each side changed other stretches: if update wins what both changed, and if local does.

    No element is there twice, and no two have changed places: else it is not plain which is which.
    """
    anchors = [one for one in origin if one in update and one in local]
    by_update: tuple[str, ...] = ()
    by_local: tuple[str, ...] = ()
    stretches = zip(*(_between(side, anchors) for side in (origin, update, local)), strict=True)
    for (before, new, own), anchor in zip(stretches, [*((one,) for one in anchors), ()], strict=True):
        first, second = new, own
        if before in (new, own):
            first = second = new if own == before else own
        elif {*new, *own} <= {*before}:  # neither did more than take elements away
            first = second = ()
        by_update, by_local = (*by_update, *first, *anchor), (*by_local, *second, *anchor)
    return by_update or NOWHERE, by_local or NOWHERE


def _between(side: Tree, anchors: list[str]) -> list[Tree]:
    """Return what stands ahead of each anchor, and behind the last one."""
    ends = [side.index(one) for one in anchors]
    starts = [0, *(end + 1 for end in ends)]
    return [side[start:end] for start, end in zip(starts, [*ends, len(side)], strict=True)]


def put(resource: Tree, path: Path, value: Tree) -> Tree:
    """Return a resource with a value at a path, NOWHERE for none."""
    key, *rest = path
    before = resource.get(key, Keyed() if key in LISTS else {})
    below = put(before, tuple(rest), value) if rest else value
    kind = type(resource)
    return kind((one, old) for one, old in {**resource, key: below}.items() if old not in (NOWHERE, {}))


def data(node: Tree) -> Any:
    """Return a tree as the data that a file has."""
    if isinstance(node, Keyed):
        return [data(one) for one in node.values()]
    if isinstance(node, dict):
        return {key: data(one) for key, one in node.items()}
    return [*node] if isinstance(node, tuple) else node


def at(resource: Tree, path: Path) -> Tree:
    for key in path:
        resource = resource.get(key, NOWHERE) if isinstance(resource, dict) else NOWHERE
    return resource


def leaves(node: Tree, path: Path = ()) -> Iterator[tuple[Path, Tree]]:
    if isinstance(node, dict):
        for key, one in node.items():
            yield from leaves(one, (*path, key))
    else:
        yield path, node


def printed(path: Path) -> str:
    """Return a path as results have it."""
    text = ""
    for number, key in enumerate(path):
        name = LISTS.get(path[number - 1]) if number and path[number - 1] in LISTS else None
        plain = re.fullmatch(r"[\w-]+", key)
        text += f"[{name}={key}]" if name else f".{key}" if plain else f"['{key}']"
    return text.removeprefix(".")


def written(resource: Tree) -> str:
    """Return what a template is called as it is written."""
    return "/".join((resource["apiVersion"], resource["kind"], namespace(resource), resource["metadata"]["name"]))


def namespace(resource: Tree) -> str:
    """Return the namespace of a resource, empty for the one that needs no name."""
    name = resource["metadata"].get("namespace", "")
    return "" if name == "default" else str(name)


def names(node: Tree) -> set[str]:
    """Return the variables that a tree refers to."""
    texts = [one for _, leaf in leaves(node) for one in (leaf if isinstance(leaf, tuple) else (leaf,))]
    return {name for text in texts if isinstance(text, str) for name in REFERENCE.findall(text)}
