"""Comments that a merge leaves out, each of which is told.

The merge of lines has the comments of both sides (docs/reference/merge.md, "Comments").
"""

from __future__ import annotations

import re
from collections import Counter

from krm import fieldpath
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Note
from krm.merge.trees import Tree
from krm.yamltree import comments, parser
from krm.yamltree.nodes import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator

    from krm.fieldpath import FieldPath, Place
    from krm.yamltree.comments import CommentedNode
    from krm.yamltree.nodes import Node

_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*")
# kpt notes in a comment which namespace and name a resource has upstream.
_KPTS = "# kpt-merge:"
_ITEMS = ("items",)
_DELETED = "this is deleted, and a comment of local's with it"
_REPLACED = "update's value comes, and a comment of local's is deleted"
_LEFT_OUT = "update has another comment for this, which is gone"
_KEPT = "update has another comment here: local's stays"


def lost(
    origin: Tree, update: Tree, local: Tree, merged: str, counts: Callable[[Place], bool] = lambda _: True
) -> Iterator[Note]:
    """Yield a note for each field with comments of update or local that nobody took away, and that are not in `merged`.

    Of those that do not count nothing is told.
    """
    # Most merges lose none, which is quick to see by the spelling: to ask each node takes longer than the merge.
    before, new, own, there = (_spelled(text) for text in (origin.text, update.text, local.text, merged))
    if own <= there + (before - new) and new <= there + (before | own):
        return
    after = Tree(merged, parser.parse(merged).root)
    before, new, own, there = (Counter(text for _, text in _of(side)) for side in (origin, update, local, after))
    # What a side took away is not lost, and what both have is told once.
    for path, is_gone in _lost(local, after, there + (before - new), counts):
        yield Note(COMMENT_GONE, path, _DELETED if is_gone else _REPLACED)
    for path, is_gone in _lost(update, after, there + (before | own), counts):
        yield Note(COMMENT_KEPT, path, _LEFT_OUT if is_gone else _KEPT)


def is_apart(place: Place, same: Container[int]) -> bool:
    """Return True for what is no part of an object of a list. Those that are the `same` on all sides are not merged."""
    return place[:1] != _ITEMS or place == _ITEMS or (place[:-1] == _ITEMS and place[-1] in same)


def _spelled(text: str) -> Counter[str]:
    """Return what is written as comments are, in texts too."""
    return Counter(_COMMENT.findall(text))


def _lost(
    side: Tree, after: Tree, known: Counter[str], counts: Callable[[Place], bool]
) -> dict[tuple[FieldPath, bool], None]:
    """Return the fields of a side with comments that are not known, and whether they are gone. kpt's own are nobody's.

    Of fields in each other that are gone it is the outer one.
    """
    left = Counter(known)
    found: dict[tuple[FieldPath, bool], None] = {}
    for place, text in _of(side):
        left[text] -= 1
        if left[text] < 0 and counts(place) and not text.startswith(_KPTS):
            path = fieldpath.named(side.root, place)
            starts = (path[:number] for number in range(len(path) + 1))
            gone = next((start for start in starts if _at(after, start) is None), None)
            found[path if gone is None else gone, gone is not None] = None
    return found


def _at(side: Tree, path: FieldPath) -> tuple[Place, Node] | None:
    return None if side.root is None else next(fieldpath.find(side.root, path), None)


def _of(side: Tree) -> Iterator[tuple[Place, str]]:
    """Yield the comments of a document with the places of the nodes that they belong to."""
    if side.root is not None and "#" in side.text:
        yield from _below(comments.commented_root(side.text, side.root), ())


def _below(node: CommentedNode, place: Place) -> Iterator[tuple[Place, str]]:
    own = node.comments()
    yield from ((place, text) for text in (*own.apart, *own.above, own.behind, *own.inside, *own.below) if text)
    keys = [key.value or "" for key in node.node.kids[::2]] if isinstance(node.node, Mapping) else None
    for number, kid in enumerate(node.below()):
        yield from _below(kid, (*place, number if keys is None else keys[number]))
