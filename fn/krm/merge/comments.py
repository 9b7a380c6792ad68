"""Comments in a merge of fields: which stay beside a value that comes, and which are told since they go.

The merge of lines has the comments of both sides (docs/merge.md, "Comments").
"""

from __future__ import annotations

import re
from collections import Counter

from krm import fieldpath
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT, Note
from krm.merge.trees import Tree, frozen
from krm.yamltree import comments
from krm.yamltree.editor import Editor
from krm.yamltree.lines import TEMPLATE
from krm.yamltree.nodes import Mapping
from krm.yamltree.target import AmendedMapping, AmendedSequence, Commented, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.yamltree.comments import CommentedNode
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    _Found: TypeAlias = tuple[tuple[Place, Node], Tree]
    """A field of a side: its place, its node, and the side."""

_COMMENT = re.compile(r"(?:(?<=\s)|^)#[^\r\n]*")
# kpt notes in a comment which namespace and name a resource has upstream.
_KPTS = "# kpt-merge:"
_ITEMS = ("items",)
_DELETED = "this is deleted, and a comment of local's with it"
_REPLACED = "update's value comes, and a comment of local's is deleted"
_LEFT_OUT = "update has another comment for this, which is gone"
_KEPT = "update has another comment here: local's stays"


def lost(
    origin: Tree, update: Tree, local: Tree, after: Tree, counts: Callable[[Place], bool] = lambda _: True
) -> Iterator[Note]:
    """Yield a note for each field with comments that update or local wrote since origin and that are not in `after`.

    Of those that do not count nothing is told.
    """
    # Most merges lose none, which is quick to see by the spelling: to ask each node takes longer than the merge.
    spelled = _spelled(origin) | _spelled(after)
    if _spelled(update) <= spelled and _spelled(local) <= spelled:
        return
    known = Counter(text for _, text in _of(origin)) | Counter(text for _, text in _of(after))
    for path, is_gone in _lost(local, after, known, counts):
        yield Note(COMMENT_GONE, path, _DELETED if is_gone else _REPLACED)
    for path, is_gone in _lost(update, after, known, counts):
        yield Note(COMMENT_KEPT, path, _LEFT_OUT if is_gone else _KEPT)


def is_apart(place: Place, same: Container[int]) -> bool:
    """Return True for what is no part of an object of a list. Those that are the `same` on all sides are not merged."""
    return place[:1] != _ITEMS or place == _ITEMS or (place[:-1] == _ITEMS and place[-1] in same)


def are_doubled(origin: Tree, update: Tree, local: Tree, after: Tree) -> bool:
    """Return True if a comment is there more often than the sides account for."""
    sides = origin, update, local, after
    return _is_more(*map(_spelled, sides)) and _is_more(*(Counter(text for _, text in _of(side)) for side in sides))


def _is_more(origin: Counter[str], update: Counter[str], local: Counter[str], after: Counter[str]) -> bool:
    return any(
        count > max(origin[text], update[text], local[text], update[text] + local[text] - origin[text])
        for text, count in after.items()
    )


def _spelled(side: Tree) -> Counter[str]:
    """Return what is written as comments are, in texts too."""
    return Counter(_COMMENT.findall(side.text))


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


def stay(target: Target, text: str) -> None:
    """Let the comments behind values of a text stay where other values take the place of these."""
    if isinstance(target, AmendedMapping):
        for key, part in target.entries.items():
            own = target.node.own(key)
            if own is not None and isinstance(part, Graft):
                target.entries[key] = _beside(part, text, target.node, own)
            else:
                stay(part, text)
    elif isinstance(target, AmendedSequence):
        for element in target.elements:
            stay(element, text)


def _beside(coming: Graft, text: str, parent: Mapping, own: Node) -> Target:
    behind = comments.of(text, parent, own).behind
    return Commented(coming, behind=behind) if behind else coming


def with_templates(update: Tree, local: Tree, after: Tree) -> Tree:
    """Return a text in which a value and its template are of one side (docs/merge.md, "What is data")."""
    sides = update, local, after
    if not any(TEMPLATE in side.text for side in sides):
        return after
    templates = [(side, place) for side in sides for place, text in _of(side) if text.startswith(TEMPLATE)]
    editor = Editor(after.text)
    for path in {fieldpath.named(side.root, place): None for side, place in templates}:
        found = [_at(side, path) for side in (update, local, Tree(editor.text, editor.document.root))]
        if None not in found:
            _take_template(editor, *zip(found, sides, strict=True))  # type: ignore[arg-type]  # none is None
    return Tree(editor.text, editor.document.root)


def _take_template(editor: Editor, update: _Found, local: _Found, after: _Found) -> None:
    """Give a field the comments of update or of local if these have other values there, and it has one of the two."""
    new, own, value = (frozen(node) for (_, node), _ in (update, local, after))
    side = local if value == own else update
    if new == own or value not in (new, own):
        return
    (place, _), tree = side
    wanted = Editor(tree.text).comments(place)
    editor.comment(after[0][0], above=wanted.above, behind=wanted.behind)


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
