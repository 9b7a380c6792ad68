"""The envelope of the items of a text: the kind of list, its functionConfig, its results, and the text between items.

The shapes of `resourcelist` and `lists` share these functions, and files have some of them.
"""

from __future__ import annotations

from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.vocabulary import nearest
from krm.yamltree import lines, style
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Sequence, at, resolved
from krm.yamltree.scalars import data, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Node
    from krm.yamltree.outline import Span

    Items: TypeAlias = tuple[Resource, ...]
    Pieces: TypeAlias = Iterable[str]

RESOURCE_LIST = "ResourceList"
LIST = "List"

ITEMS = ("items",)
_FUNCTION_CONFIG = ("functionConfig",)
_RESULTS = ("results",)
_KEYS = ("apiVersion", "kind", "metadata", "items", "functionConfig", "results")
_WRAPPED_RESULTS = ("results", "items")
_CHUNK = 1 << 16


def kind(root: Node | None) -> str:
    """Return ResourceList or List if `root` is the envelope of items, else "". As in kyaml, kind and content decide.

    A List is an envelope if it has a functionConfig. Any other List is an item, and is opened (`krm.lists`).
    """
    has_config = at(root, "functionConfig") is not None
    if at(root, "items") is None and not has_config:
        return ""
    found = string_at(root, "kind")
    return found if found == RESOURCE_LIST or (found == LIST and has_config) else ""


def is_list(root: Node | None) -> bool:
    """True if the kind of an object ends in `List`."""
    return (string_at(root, "kind") or "").endswith("List")


def elements(root: Node | None) -> Sequence | None:
    """Return the elements of a List, None for another object."""
    items = at(root, *ITEMS)
    if not isinstance(items, Sequence) or not is_list(root):
        return None
    return items if all(isinstance(resolved(kid), Mapping) for kid in items.kids) else None


def described(node: Node | None) -> str:
    """Return the noun for a node in a message."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    return "empty" if data(node) is None else "a scalar"


def unless_mapping(item: Resource) -> Iterator[Result]:
    """Yield an error for an item that is no mapping."""
    try:
        if not isinstance(item.root, Mapping):
            yield Result(f"`{item.label}` is {described(item.root)}, it must be a mapping", ERROR, "InvalidInput")
    except FnError as error:
        yield from error.results


def unless_one(item: Resource, first: int) -> Iterator[Result]:
    """Yield an error for an item that is several, of files that were joined without `---`; `first` is its first key."""
    # One reader takes the first of two equal keys, another the second, so no output would be right.
    if item.spells_a_head_twice(first):
        try:
            item.editor  # noqa: B018 - it reads the text
        except FnError as error:
            yield from error.results
        item.release()


def unless_config(frame: Editor) -> Iterator[Result]:
    """Yield an error for a functionConfig that is no mapping, or whose key is misspelled: the run would ignore it."""
    node, root = frame.get(_FUNCTION_CONFIG), frame.get(())
    if not isinstance(node, Mapping) and data(node) is not None:
        yield Result(f"`functionConfig` is {described(node)}, it must be a mapping", ERROR, "InvalidInput")
    if node is not None or not isinstance(root, Mapping):
        return
    for key in [str(key) for key, value in root.entries.items() if key not in _KEYS and isinstance(value, Mapping)]:
        if nearest(key, _FUNCTION_CONFIG, 0.8):
            message = f"`functionConfig` is not there, and `{key}` is a mapping: write `functionConfig`"
            yield Result(message, ERROR, "InvalidInput")


def function_config(frame: Editor) -> Resource | None:
    """Return the functionConfig of a list, None if it has none."""
    node = frame.get(_FUNCTION_CONFIG)
    return Resource.within(frame, _FUNCTION_CONFIG, "functionConfig") if isinstance(node, Mapping) else None


def append_results(frame: Editor, found: list[Any]) -> None:
    """Write results behind those of earlier functions."""
    if not found:
        return
    # Older functions wrap their results: `results: {name: f, items: [...]}`.
    place = _WRAPPED_RESULTS if isinstance(frame.get(_RESULTS), Mapping) else _RESULTS
    # Earlier results are of other functions: a list is extended, anything else has no element to follow.
    try:
        if isinstance(frame.get(place), Sequence):
            frame.extend(place, found)
        else:
            frame.set(place, found)
    except EditError:
        # The results of earlier functions cannot be replaced without a loss. Ours are on standard error too.
        return


def added_and_removed(read: Items, present: Items) -> tuple[list[Resource], dict[int, Resource]]:
    """Return the present items that were not read, and the items that were read and are absent, by their index."""
    if present is read:
        return [], {}
    # By identity: two items may be equal in every character.
    were, are = set(map(id, read)), set(map(id, present))
    come = [item for item in present if id(item) not in were]
    return come, {number: item for number, item in enumerate(read) if id(item) not in are}


def element_line(frame: Editor) -> Span:
    """Return the span of the line with the one element in the place of all items of a block list."""
    items: Any = frame.get(ITEMS)
    element = items.kids[0]
    return lines.line_start(frame.text, element.start), lines.next_line(frame.text, element.end)


def indented(item: Resource, column: int, newline: str) -> str:
    """Return the lines of a new item of a block list, moved from column 0 to the column of the other items."""
    return newline.join(style.indented(item.text.split("\n"), column))


def changes(items: Items, gone: Container[int] = ()) -> Iterator[Edit]:
    """Yield the edit that replaces each changed item by its new text, and each that is gone, by its index, by none."""
    for number, item in enumerate(items):
        if number in gone or item.is_changed:
            yield Edit(*item.span, "" if number in gone else item.text)


def spliced(text: str, region: Span, made: Iterable[Edit]) -> Iterator[str]:
    """Yield the text at `region` with edits made, which come in the order of the text.

    Unchanged text comes in chunks, so that a long text is never in memory twice.
    """
    # In pieces, as the whole may be hundreds of megabytes and is written once.
    position, end = region
    for edit in made:
        yield from _chunks(text, position, edit.start)
        yield edit.text
        position = edit.end
    yield from _chunks(text, position, end)


def _chunks(text: str, start: int, end: int) -> Iterator[str]:
    for position in range(start, end, _CHUNK):
        yield text[position : min(position + _CHUNK, end)]
