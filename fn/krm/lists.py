"""Lists among the items, whose elements are items of their own (docs/expansion.md, "Lists").

A List is an object of a kind that ends in `List`, with mappings as its `items`. An element knows the List that it is in
(`outer`); a change of it shows in the text of that List. So whoever writes the List writes its elements.
"""

from __future__ import annotations

import re
from itertools import chain

from krm import envelope, slicedlist
from krm.resource import Resource
from krm.results import FnError
from krm.textslice import Pending
from krm.yamltree.nodes import Sequence, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.slicedlist import BlockList, JsonList
    from krm.yamltree.editor import Editor


_ITEMS = ("items",)
# That of a ResourceList is the envelope of all items, and there is one in most texts.
_OF_A_LIST = re.compile(r"""kind['"]?: *['"]?(?!ResourceList\b)\w*List\b""")


def opened(items: tuple[Resource, ...]) -> tuple[Resource, ...]:
    """Return items with the elements of each List in its place, those of Lists among these elements too.

    What cannot be parsed stays as it is: it is an error as soon as somebody asks for a field of it.
    """
    # Every text is searched once: most have no List, and thousands of items.
    texts = {id(item.whole): item.whole for item in items}
    if not any(map(_OF_A_LIST.search, texts.values())):
        return items
    return (*chain.from_iterable(map(_opened, items)),)


def remove(item: Resource) -> bool:
    """Remove an item from the List that it is in, which may be empty afterwards. False if it is in none."""
    if item.outer is None:
        return False
    item.is_gone = True
    if item.pending is not None:
        item.pending.remove(item.base)
    listed = at(item.outer.root, *_ITEMS)
    if isinstance(listed, Sequence) and item.number < len(listed.kids) - 1:
        item.outer.drop_ids()
    return True


def members(resource: Resource, count: int, pending: Pending) -> Iterator[Resource]:
    """Yield the first elements of `items` of an object, which share its text."""
    for number in range(count):
        place = (*resource.base, *_ITEMS, number)
        member = Resource(resource.whole, resource.span, f"items[{number}]", place)
        node = resource.editor.get(place)
        assert node is not None, "the element was counted"  # noqa: S101 - for mypy
        member.share(resource, node, pending)
        member.number = number
        yield member


def _opened(resource: Resource) -> Iterable[Resource]:
    """Yield a resource, or the elements of a List. They do not know the List itself: no object is in a circle."""
    found = _cut(resource) or _shared(resource) if _OF_A_LIST.search(resource.whole, *resource.span) else None
    if found is None:
        return (resource,)
    editor, items = found
    outer = resource.as_read(editor)
    for item in items:
        item.outer = outer
    return chain.from_iterable(map(_opened, items))


def _cut(resource: Resource) -> tuple[Editor, tuple[Resource, ...]] | None:
    """Return the elements of a List that can be cut, and the text around them. No tree is built of a long List."""
    alone = not resource.base and resource.pending is None
    found = slicedlist.of(resource.whole, resource.span, envelope.is_list) if alone else None
    if found is None or not found.holds_mappings:
        return None
    resource.elements = _Slices(found)
    return found.frame, found.items


def _shared(resource: Resource) -> tuple[Editor, tuple[Resource, ...]] | None:
    """Return the elements of a List in a text that is parsed whole: it is in a list itself, or is written oddly."""
    try:
        listed = envelope.elements(resource.root)
    except FnError:
        return None
    if listed is None:
        return None
    pending = resource.pending or Pending(resource.editor)
    resource.elements = pending
    return resource.editor, (*members(resource, len(listed.kids), pending),)


class _Slices:
    """The elements of a List that can be cut: each is parsed alone, if at all."""

    __slots__ = ("_cut", "_frame")

    def __init__(self, cut: BlockList | JsonList) -> None:
        self._cut = cut
        self._frame = cut.frame.text

    @property
    def is_changed(self) -> bool:
        """True if the text is no longer the one that was read."""
        is_same = self._cut.frame.text == self._frame
        return not is_same or any(item.is_gone or item.is_changed for item in self._cut.items)

    @property
    def text(self) -> str:
        """The text of the List with the changes of its elements."""
        items = self._cut.items
        is_whole = not any(item.is_gone for item in items)
        return "".join(self._cut.emit([], items if is_whole else tuple(item for item in items if not item.is_gone)))
