"""A text read into items, and emitted with its changes in the shape that it came in.

The shapes are a ResourceList of any version, a List, YAML documents, and JSON of those.
"""

from __future__ import annotations

from itertools import chain, filterfalse

from krm import lists, newitem, shapes
from krm.envelope import RESOURCE_LIST
from krm.results import ERROR, INFO, FnError, Output, Result, capped, failed
from krm.shapes import Documents
from krm.yamltree.editor import EditError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.envelope import Pieces
    from krm.resource import Resource
    from krm.shapes import Shape

_BYTE_ORDER_MARK = "\ufeff"
# A list that is larger than the items, with one line for each, is of no use to anybody.
MOST_OF_A_REASON = 1000


class ResourceList:
    """The items of a text, its functionConfig, and the results of this run.

    `items` are changed in place; they come and go by `add` and `remove`. Those of a List are items of their own;
    `entries` are the items as they stand in the text, with their Lists. `kind` is that of the envelope, "" for plain
    documents. `results` starts with an error for each item that is no mapping. Results of earlier functions stay in
    the text.
    """

    place = None  # an item of a text says its file in annotations

    def __init__(self, shape: Shape, byte_order_mark: str) -> None:
        self._shape = shape
        self._byte_order_mark = byte_order_mark
        self.kind = shape.kind
        self.entries = shape.items
        self.items = lists.opened(shape.items)
        self.function_config = shape.function_config
        self.results: list[Result] = list(shape.mistakes())

    def add(self, text: str) -> Resource:
        """Add a YAML document behind the other items, with its comments, order and quotes.

        JSON and lists in brackets have no place for comments: an info tells that they are lost. FnError if the text is
        not exactly one mapping.
        """
        label = f"the new item {len(self.items) + 1}"
        item = self._shape.add(text, label)
        if not self._shape.keeps_comments and newitem.has_comments(text, label):
            self.results.append(
                item.result("its comments are lost: the list has no place for them", INFO, "CommentsLost")
            )
        self.items += (item,)
        self.entries += (item,)
        return item

    def remove(self, *items: Resource) -> None:
        """Remove items, each with the comments that belong to it. ValueError for an item of another list.

        A List stays where it is when its last element goes.
        """
        gone = set(map(id, items))
        staying = tuple(item for item in self.items if id(item) not in gone)
        # By identity, so an equal item of another list is not taken for one of these.
        if len(staying) + len(gone) != len(self.items):
            raise ValueError("an item that is not in the list cannot be taken out of it")
        self.items = staying
        outside = set(map(id, filterfalse(lists.remove, items)))
        self.entries = tuple(item for item in self.entries if id(item) not in outside)

    def emit(self) -> Output:
        """Return the text with every change of its items, in the shape that it came in.

        If a result is an error, a ResourceList comes out with its items byte for byte as they were read, and with its
        results. Every other shape has no place for results, so its text is empty then: nobody's pipe applies it.
        """
        # Asked twice: what cannot be written is an error that only emitting finds.
        pieces = () if failed(self.results) else self._emitted()
        # What cannot be read is found by each step that asks for it.
        self.results = [*{id(result): result for result in self.results}.values()]
        self.results.sort(key=Result.order)
        if failed(self.results):
            if isinstance(self._shape, Documents) or self.kind != RESOURCE_LIST:
                return Output((), self.results)
            pieces = self._shape.emit_unchanged(self._data())
        return Output(chain((self._byte_order_mark,), pieces), self.results)

    def _emitted(self) -> Pieces:
        """Return the changed text. If it cannot be made, add an error and return nothing."""
        try:
            return self._shape.emit(self._data(), self.entries)
        except FnError as error:
            self.results += error.results
        except EditError as refused:
            self.results.append(Result(f"an item cannot be added or removed: {refused}", ERROR, "NotEditable"))
        return ()

    def _data(self) -> list[dict[str, object]]:
        found = capped(sorted(self.results, key=Result.order), MOST_OF_A_REASON)
        return [result.as_data() for result in found] if self.kind == RESOURCE_LIST else []


def read(text: str) -> ResourceList:
    """Read a ResourceList, a List, or YAML documents, as YAML or JSON. ParseError if the text is not YAML."""
    # It is kept apart, as it is no part of the first item, and comes out again in front of all.
    mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
    return ResourceList(shapes.of(text.removeprefix(mark)), mark)
