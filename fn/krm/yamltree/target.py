"""What a text shall become, as a tree: what stays where it is, what comes in from another text, what is made anew.

A merge answers with such a tree and knows nothing of text; `amending` makes the edits. What is wanted in a place is

- a node of the text itself: it stays, or moves to here with its comments if it is an element of the same list;
- a `Graft`: an entry, an element or a root of another text, which comes in as it is written there;
- an `Amended`: a collection of the text itself whose entries change;
- a plain value, for what stands in neither text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.nodes import Collection, Mapping, Node, Sequence
    from krm.yamltree.style import Value

    Target: TypeAlias = "Node | Graft | AmendedMapping | AmendedSequence | Value"


class Graft:
    """What stands at `node` in `text`, to come in as it is written there: order, quotes, comments.

    `parent` is the collection that it is an entry or element of, None for the root of the text. `amended` is what of
    it is to come in where that is not all of it: then its nodes are those of `text`.
    """

    __slots__ = ("amended", "node", "parent", "text")

    def __init__(
        self,
        text: str,
        parent: Collection | None,
        node: Node,
        amended: AmendedMapping | AmendedSequence | None = None,
    ) -> None:
        self.text = text
        self.parent = parent
        self.node = node
        self.amended = amended


class AmendedMapping:
    """A mapping with these entries in the place of its own; a key that is not among them goes.

    Those that it has keep their order. A new one comes behind the one before it in `entries`, first without one.
    """

    __slots__ = ("entries", "node")

    def __init__(self, node: Mapping, entries: dict[str, Target]) -> None:
        self.node = node
        self.entries = entries


class AmendedSequence:
    """A list with these elements, in this order; an element of its own that is not among them goes."""

    __slots__ = ("elements", "node")

    def __init__(self, node: Sequence, elements: list[Target]) -> None:
        self.node = node
        self.elements = elements
