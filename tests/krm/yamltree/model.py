"""What a YAML text means and what a change makes of that, from PyYAML's events alone: the oracle of the laws.

A text is a tree of dict, list and Leaf in which aliases and merge keys are followed. A change of that tree shows in one
place only, which is what the editor has to make true in a text where several places share a node.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from yaml.nodes import ScalarNode

if TYPE_CHECKING:
    from collections.abc import Iterator

Path = tuple[str | int, ...]
Tree = Any

_RESOLVER_OF_1_1: Any = yaml.SafeLoader("")
_WORD_OF_1_1 = re.compile("[yYnN]")
_NO_STRING_IN_1_2 = re.compile(
    r"""~|null|Null|NULL|true|True|TRUE|false|False|FALSE
      |[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+
      |[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?
      |[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)|""",
    re.VERBOSE,
)
_NULLS = ("", "~", "null", "Null", "NULL")


class Leaf(NamedTuple):
    """A scalar: `kind` is "string" where both versions of YAML say so, "null", "plain" for all else, or its tag."""

    kind: str
    text: str


class Odd(NamedTuple):
    """A key that no path can name: a collection, an alias."""

    shown: str


def trees(text: str) -> list[Tree]:
    """Return what each document of `text` means, None for an empty one."""
    readable = text.replace(r"\ud83d\ude00", r"\U0001f600")  # the one surrogate pair that tests use; libyaml has none
    events = iter(yaml.parse(readable, Loader=yaml.CSafeLoader))
    return [_node(events, next(events), {}) for event in events if isinstance(event, yaml.DocumentStartEvent)]


def tree(text: str) -> Tree:
    """Return what the only document of `text` means."""
    (only,) = trees(text) or [Leaf("null", "")]
    return only


def leaf(value: object) -> Tree:
    """Return the tree of a value that a change writes."""
    if isinstance(value, dict):
        return {key: leaf(of_key) for key, of_key in value.items()}
    if isinstance(value, list):
        return [leaf(element) for element in value]
    if isinstance(value, str):
        return Leaf("string", value)
    return Leaf("null", "") if value is None else Leaf("plain", str(value).lower())


def find(root: Tree, path: Path) -> Tree:
    """Return what stands at `path`, None where there is nothing, or an alias whose anchor is elsewhere."""
    for step in path:
        root = _kid(root, step)
    return None if isinstance(root, Leaf) and root.kind == "alias" else root


def paths(root: Tree, at: Path = ()) -> Iterator[Path]:
    """Yield the path of everything in `root`, itself first."""
    yield at
    if isinstance(root, dict):
        for key, value in root.items():
            if isinstance(key, str) and key != "<<":
                yield from paths(value, (*at, key))
    elif isinstance(root, list):
        for index, value in enumerate(root):
            yield from paths(value, (*at, index))


def after_set(root: Tree, path: Path, value: object) -> Tree:
    """Return `root` with `value` at `path`. KeyError where a list has no such element or there is no way to it."""
    return after_put(root, path, leaf(value))


def after_put(root: Tree, path: Path, tree: Tree) -> Tree:
    """Return `root` with a tree at `path`. KeyError as above."""
    top: Any = [_copied(root)]
    holder = top
    at: str | int = 0
    for step in path:
        if holder[at] == Leaf("null", ""):
            holder[at] = {}
        is_there = _kid(holder[at], step) is not None
        if not is_there and isinstance(holder[at], dict) and isinstance(step, str):
            holder[at][step] = Leaf("null", "")
        elif find(holder[at], (step,)) is None:
            raise KeyError(path)
        holder, at = holder[at], step
    holder[at] = tree
    return top[0]


def after_insert(root: Tree, path: Path, index: int, value: object) -> Tree:
    """Return `root` with `value` as the element `index` of the list at `path`. KeyError where there is none."""
    root = _copied(root)
    there = find(root, path)
    if not isinstance(there, list) or not 0 <= index <= len(there):
        raise KeyError(path)
    there.insert(index, leaf(value))
    return root


def after_delete(root: Tree, path: Path) -> Tree:
    """Return `root` without what is at `path`."""
    root = _copied(root)
    parent = find(root, path[:-1])
    if path and find(root, path) is not None:
        del parent[path[-1]]
    return root


def _kid(root: Tree, step: str | int) -> Tree:
    if isinstance(root, dict) and isinstance(step, str):
        return root.get(step)
    return root[step] if isinstance(root, list) and isinstance(step, int) and 0 <= step < len(root) else None


def _node(events: Iterator[Any], event: Any, anchors: dict[str | None, Tree]) -> Tree:
    if isinstance(event, yaml.AliasEvent):
        return _copied(anchors.get(event.anchor, Leaf("alias", str(event.anchor))))
    if isinstance(event, yaml.ScalarEvent):
        made: Tree = _leaf(event)
        anchors[event.anchor] = made
        return made
    pending = anchors[event.anchor] = object()
    if isinstance(event, yaml.SequenceStartEvent):
        made = [_node(events, kid, anchors) for kid in _kids(events)]
    else:
        made = _mapping(events, anchors)
    if anchors[event.anchor] is pending:  # else a node inside of this one took the name
        anchors[event.anchor] = made
    return made


def _kids(events: Iterator[Any]) -> Iterator[Any]:
    for event in events:
        if isinstance(event, yaml.CollectionEndEvent):
            return
        yield event


def _mapping(events: Iterator[Any], anchors: dict[str | None, Tree]) -> Tree:
    """Return a mapping, what `<<` merges in behind its own keys, of several sources the first one first."""
    own: dict[Any, Tree] = {}
    merged: dict[Any, Tree] = {}
    for event in _kids(events):
        key = _node(events, event, anchors)
        value = _node(events, next(events), anchors)
        if isinstance(event, yaml.ScalarEvent) and _is_merge(event):
            sources = value if isinstance(value, list) else [value]
            for source in reversed(sources):
                merged.update(source if isinstance(source, dict) else {Odd("<<"): source})
        else:
            name = event.value if isinstance(event, yaml.ScalarEvent) else Odd(repr(key))
            assert name not in own or isinstance(name, Odd), "a duplicate key"
            own[name] = value
    return {**own, **{key: value for key, value in merged.items() if key not in own}}


def _is_merge(event: yaml.ScalarEvent) -> bool:
    by_tag = event.tag == "tag:yaml.org,2002:merge"
    return bool(event.value == "<<" and (by_tag or (event.tag is None and event.implicit[0])))


def _leaf(event: yaml.ScalarEvent) -> Leaf:
    if event.tag in ("tag:yaml.org,2002:str", "!"):
        return Leaf("string", event.value)
    if event.tag is not None:
        return Leaf(event.tag, event.value)
    if not event.implicit[0] or not _is_retyped(event.value):
        return Leaf("string", event.value)
    return Leaf("null", "") if event.value in _NULLS else Leaf("plain", event.value)


def _is_retyped(text: str) -> bool:
    tag = _RESOLVER_OF_1_1.resolve(ScalarNode, text, (True, False))
    return bool(tag != "tag:yaml.org,2002:str" or _WORD_OF_1_1.fullmatch(text) or _NO_STRING_IN_1_2.fullmatch(text))


def _copied(root: Tree) -> Tree:
    """Return a copy that shares nothing, not even within itself, as `copy.deepcopy` would."""
    if isinstance(root, dict):
        return {key: _copied(value) for key, value in root.items()}
    return [_copied(value) for value in root] if isinstance(root, list) else root
