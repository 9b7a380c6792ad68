"""Trees: one side of a merge, and the comparison of two sides (docs/reference/merge.md, "What is data").

Two nodes are the same if a reader of YAML 1.1 gets the same data from both: `"1"` is not `1`. Comments, quotes and the
order of keys are no data. An alias or `<<` is the same as the values that it stands for.
"""

from __future__ import annotations

from collections import Counter

from krm.resource import KPTFILE, is_bookkeeping
from krm.yamltree import cuts, parser, scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, at, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection as Sized
    from collections.abc import Hashable, Iterable, Iterator
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath
    from krm.merge.policy import Policy, Winner
    from krm.yamltree.nodes import Node

    FieldComment: TypeAlias = tuple[FieldPath, str]

ANNOTATIONS = ("metadata", "annotations")

HASHED = "!sha256"
"""The tag of a scalar of which only the hash is known. It is equal to no data of another side."""

UNKNOWN = "\0"
"""The first character of the text of such a scalar, unless some of its lines are known. No file has it."""


class Tree:
    """A resource in its text: `root` is its node, None if there is no resource."""

    __slots__ = ("root", "text")

    def __init__(self, text: str, root: Node | None) -> None:
        self.text = text
        self.root = root


class Triple:
    """The nodes of the three sides of a merge at one place, None for a side that has nothing there."""

    __slots__ = ("local", "origin", "update")

    def __init__(self, origin: Node | None, update: Node | None, local: Node | None) -> None:
        self.origin = origin
        self.update = update
        self.local = local

    def __iter__(self) -> Iterator[Node | None]:
        return iter((self.origin, self.update, self.local))


class FieldSides(Triple):
    """A field on the three sides, with its path and the policy that holds there."""

    __slots__ = ("path", "policy")

    def __init__(self, path: FieldPath, policy: Policy, sides: Triple) -> None:
        super().__init__(sides.origin, sides.update, sides.local)
        self.path = path
        self.policy = policy


def same_spelling(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """True if two nodes are written alike. This test is quick: such nodes are the same, and others may be."""
    if a is None or b is None or a is b:
        return a is b
    kind = type(a)
    # The alias `*a` may stand for two things on two sides.
    if kind is Alias or kind is not type(b):
        return False
    if kind is Scalar:
        return a.value == b.value and a.style == b.style and a.tag == b.tag  # type: ignore[union-attr]  # see `kind`
    return _written_alike(one.text, a, other.text, b)  # type: ignore[arg-type]  # see `kind`


def same(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """True if a node of one tree and a node of the other are the same data. None stands for an absent node."""
    if same_spelling(one, a, other, b):
        return True
    ones, others = resolved(a), resolved(b)
    if not isinstance(ones, Collection) or type(ones) is not type(others) or ones.tag != others.tag:
        return frozen(a) == frozen(b)
    # Compared part by part, since most parts are written alike.
    parts, there = _parts(ones), _parts(others)
    return parts.keys() == there.keys() and all(same(one, part, other, there[key]) for key, part in parts.items())


def same_by_name(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """True if two nodes are the same, or are so if each alias counts as its name.

    An author who writes `*a` means "as there", whatever the value there is.
    """
    if same(one, a, other, b):
        return True
    return "*" in one.text and "*" in other.text and frozen(a, by_name=True) == frozen(b, by_name=True)


def same_resource(one: Tree, a: Node | None, other: Tree, b: Node | None, *others: str) -> bool:
    """True if whole resources are the same without their bookkeeping, and without the annotations `others`."""
    return same(one, a, other, b) or (None not in (a, b) and _authored(a, *others) == _authored(b, *others))


def frozen(node: Node | None, *, by_name: bool = False) -> Hashable:
    """Return the data of `node` as a value to compare: the values of two nodes are equal if and only if these are.

    With `by_name` an alias counts as its name, and `<<` as an entry like any other.
    """
    found = node if by_name else resolved(node)
    if isinstance(found, Scalar):
        return scalars.typed_by_1_1(found)
    if isinstance(found, Mapping) and (None not in found.entries if by_name else found.is_plain()):
        below = found.entries.items() if by_name else found.items()
        return found.tag, frozenset((key, frozen(value, by_name=by_name)) for key, value in below)
    if isinstance(found, Collection):
        return (type(found), found.tag, *(frozen(kid, by_name=by_name) for kid in found.kids))
    return None if node is None else (Alias, node.name)  # type: ignore[union-attr]  # an alias, of nothing or by name


def leaves(node: Node | None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Hashable]]:
    """Yield each scalar and empty collection below a node with its path. All elements of a list are called alike.

    A text of several lines is yielded line by line. A folded text is yielded word by word: its lines are layout.
    """
    found = resolved(node)
    if isinstance(found, Scalar):
        parts = found.value.split() if found.style == ">" else found.value.splitlines() if "\n" in found.value else ()
        yield from ((path, part) for part in parts) if parts else [(path, scalars.typed_by_1_1(found))]
    elif isinstance(found, Collection) and not found.kids:
        yield path, frozen(found)
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield from leaves(value, (*path, key))
    elif isinstance(found, Collection):
        for kid in found.kids:
            yield from leaves(kid, (*path, "[]"))


def lost_comments(
    own: Iterable[FieldComment], there: Sized[FieldComment], known: Counter[str]
) -> Iterator[FieldComment]:
    """Yield the comments of a side that are not `known`. `there` are those of the merge.

    Equal comments are counted: those that are still at their field are taken as the known ones.
    """
    left = Counter(known)
    for path, comment in sorted(own, key=lambda one: one not in there):
        left[comment] -= 1
        if left[comment] < 0:
            yield path, comment


def same_documents(one: str, other: str) -> bool:
    """True if a reader gets the same documents from two texts.

    Comments, layout, the order of documents, and empty documents are no data.
    """
    ones, others = (Counter(text[slice(*span)] for span in cuts.document_spans(text)) for text in (one, other))
    # Most documents are written alike on both sides, and need not be parsed.
    return _data(ones - others) == _data(others - ones)


def _data(documents: Counter[str]) -> Counter[Hashable]:
    """Return how often each data is among documents. The data of a document that is no YAML are its text."""
    found: Counter[Hashable] = Counter()
    for text, times in documents.items():
        data = [root and frozen(root) for root in parser.roots(text)] or [text]
        found.update({each: times for each in data if each is not None})
    return found


def holder(parent: Collection, node: Node) -> Collection:
    """Return the collection in which `node` is written: `parent`, or a mapping that `parent` merges in by `<<`."""
    if not isinstance(parent, Mapping) or "<<" not in parent.entries or any(kid is node for kid in parent.kids):
        return parent
    return next(holder(source, node) for source in parent.merged() if any(kid is node for _, kid in source.items()))


def entries(node: Node | None) -> dict[str, Node]:
    """Return the values of a mapping by key, also those that `<<` merges in; none for another node."""
    mapping = resolved(node)
    if not isinstance(mapping, Mapping):
        return {}
    own = mapping.entries
    # The parser's own dict saves a copy for each mapping of each side.
    return dict(mapping.items()) if "<<" in own or None in own else own  # type: ignore[return-value]  # no key is None


def plain_mapping(node: Node | None) -> Mapping | None:
    """Return `node` as a mapping, None for another node, or if it has odd keys, so that no path leads into it."""
    mapping = resolved(node)
    return mapping if isinstance(mapping, Mapping) and mapping.is_plain() else None


def has_bookkeeping(field: FieldSides) -> bool:
    """True for annotations with bookkeeping, and for metadata that has such annotations on both sides."""
    sides = [side for side in (field.update, field.local) if side is not None]
    if field.path == ANNOTATIONS[:1] and len(sides) == 2:  # noqa: PLR2004 - both
        sides = [written for side in sides if (written := at(side, *ANNOTATIONS[1:])) is not None]
    elif field.path != ANNOTATIONS:
        return False
    is_mapping = all(isinstance(resolved(side), Mapping) for side in sides)
    return is_mapping and any(is_bookkeeping(key) for side in sides for key in entries(side))


def bookkeeping(field: FieldSides) -> dict[str, Winner]:
    """Return the keys with bookkeeping, which stay local's: annotations, and the status of a Kptfile."""
    if not field.path and KPTFILE in (text_at(side, "kind") for side in field):
        return {"status": "local"}
    keys = entries(field.local) | entries(field.update) if field.path == ANNOTATIONS else ()
    return {key: "local" for key in keys if is_bookkeeping(key)}


def _parts(node: Collection) -> dict[Any, Node]:
    """Return the values of a mapping by their keys, the kids of any other collection by their numbers."""
    return entries(node) if isinstance(node, Mapping) and node.is_plain() else dict(enumerate(node.kids))


def _written_alike(text: str, a: Collection, other: str, b: Collection) -> bool:
    """True if two collections have the same text, apart from the indentation of the whole, and without an alias."""
    shift = 0 if a.flow else b.column - a.column
    if shift < 0:
        return _written_alike(other, b, text, a)
    # The lengths are compared first: most comparisons end there, without a copy of a text.
    longer = b.end - b.start - (a.end - a.start)
    if longer < 0 or (longer and not shift):
        return False
    written, there = text[a.start : a.end], other[b.start : b.end]
    if shift:
        # All lines are shifted alike, so the lines of a block scalar keep their indentation below its key.
        there = there.replace("\n" + " " * shift, "\n")
    return written == there and "*" not in written


def _authored(node: Node | None, *others: str, path: tuple[str, ...] = ()) -> Hashable:
    """Return the data at `path` of a resource without bookkeeping and the annotations `others`, None if empty."""
    mapping = resolved(node)
    if path != ANNOTATIONS[: len(path)] or not isinstance(mapping, Mapping) or not mapping.is_plain():
        return frozen(node)
    keys = [key for key, _ in mapping.items() if path != ANNOTATIONS or not (is_bookkeeping(key) or key in others)]
    below = ((key, _authored(entries(mapping)[key], *others, path=(*path, key))) for key in keys)
    return frozenset(entry for entry in below if entry[1] is not None) or None
