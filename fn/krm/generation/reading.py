"""The resources in a text that a program or a function made: YAML documents, JSON, or a List of resources."""

from __future__ import annotations

from krm.generation.model import Generated
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts, extracting, scalars
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Sequence, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.yamltree.nodes import Node

REASON = "NoResource"


def read(text: str, place: str, folder: str | None = None) -> list[Generated]:
    """Return the resources in a text, for `folder` if they are new; `place` is what to call the text in messages.

    Documents that hold nothing are left out. FnError where the text is not YAML, or something in it is no resource.
    """
    try:
        parts = cuts.documents(text)
    except ParseError as error:
        raise FnError(Result(f"{place} is not YAML: {error}", ERROR, REASON)) from None
    json = cuts.is_json(text)
    found = []
    for number, (span, _) in enumerate(parts, start=1):
        called = f"{place}, document {number}" if len(parts) > 1 else place
        document = Resource(text, span, called, json=json)
        found += [Generated(one, at, folder) for one, at in _resources(document)]
    return found


def _resources(document: Resource) -> Iterator[tuple[str, str]]:
    """Yield the text of each resource in a document, and what to call it."""
    root = resolved(document.root)
    if not isinstance(root, Mapping):
        if scalars.data(root) is not None:
            raise _mistake(document.label, root)
        return
    items = resolved(root.get("items"))
    if document.kind == "ResourceList":
        message = f"{document.label} is a ResourceList; wanted are resources, those alone that are generated"
        raise FnError(Result(message, ERROR, REASON))
    if document.kind != "List" or not isinstance(items, Sequence):
        yield document.source, document.label
        return
    for number, item in enumerate(items.kids):
        place = f"{document.label}, items[{number}]"
        yield _alone(document, number, item, place), place


def _alone(listed: Resource, number: int, item: Node, place: str) -> str:
    """Return the text of an element of a List."""
    if not isinstance(resolved(item), Mapping):
        raise _mistake(place, item)
    try:
        return extracting.document(listed.editor, ("items", number))
    except EditError as error:
        raise FnError(Result(f"{place}: {error}", ERROR, REASON)) from None


def _mistake(place: str, node: Node | None) -> FnError:
    found = "a list" if isinstance(resolved(node), Sequence) else "text"
    return FnError(Result(f"{place} is {found}, it must be a resource: a mapping", ERROR, REASON))
