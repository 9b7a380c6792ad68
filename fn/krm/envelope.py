"""What stands around the items of a ResourceList or a List: its kind, its functionConfig, its results."""

from __future__ import annotations

from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.nodes import Mapping, Sequence, resolved
from krm.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.yamltree.nodes import Node

RESOURCE_LIST = "ResourceList"
LIST = "List"

_FUNCTION_CONFIG = ("functionConfig",)
_RESULTS = ("results",)
_WRAPPED_RESULTS = ("results", "items")


def kind(root: Node | None) -> str:
    """Return ResourceList or List if `root` is one, as kyaml tells them: by kind and by what it holds."""
    root = resolved(root)
    if not isinstance(root, Mapping) or (root.get("items") is None and root.get("functionConfig") is None):
        return ""
    found = string(resolved(root.get("kind")))
    return found if found in (RESOURCE_LIST, LIST) else ""


def described(node: Node | None) -> str:
    """Return what a node is, for a message."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    return "empty" if data(node) is None else "a scalar"


def unless_mapping(item: Resource) -> Iterator[Result]:
    """Yield an error for an item that is none."""
    try:
        root = item.root
    except FnError as error:
        yield from error.results
        return
    if not isinstance(root, Mapping):
        message = f"`{item.place}` is {described(root)}, it must be a mapping"
        yield Result(message, ERROR, "InvalidInput")


def unless_config(frame: Editor) -> Iterator[Result]:
    """Yield an error for a functionConfig that is none."""
    node = frame.get(_FUNCTION_CONFIG)
    if not isinstance(node, Mapping) and data(node) is not None:
        yield Result(f"`functionConfig` is {described(node)}, it must be a mapping", ERROR, "InvalidInput")


def function_config(frame: Editor) -> Resource | None:
    """Return the functionConfig, if there is one."""
    node = frame.get(_FUNCTION_CONFIG)
    return Resource.within(frame, _FUNCTION_CONFIG, "functionConfig") if isinstance(node, Mapping) else None


def append_results(frame: Editor, found: list[Any]) -> None:
    """Put results behind those of earlier functions."""
    if not found:
        return
    place = _WRAPPED_RESULTS if isinstance(frame.get(_RESULTS), Mapping) else _RESULTS
    try:
        if isinstance(frame.get(place), Sequence):
            frame.extend(place, found)
        else:
            frame.set(place, found)
    except EditError:
        # They are told on standard error too: what earlier functions found is worth more than their copy.
        return
