"""Comments inside of a node: in brackets, or between a key and its value (docs/merge.md, "Comments").

No rule says whose a comment between commas is. So brackets are merged as the lines of a text, which is taken where it
has the data that are wanted. No other comment inside of a node can be given to it.
"""

from __future__ import annotations

from krm.merge import text
from krm.merge.outcome import COMMENT_GONE, COMMENT_KEPT
from krm.yamltree import parser, sameness
from krm.yamltree.comments import of
from krm.yamltree.excerpts import Excerpts, is_self_contained
from krm.yamltree.nodes import Collection
from krm.yamltree.parser import ParseError
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.proof import Proof
from krm.yamltree.target import Graft, Replaced, uncommented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.merge.comments.counterparts import Sides
    from krm.merge.outcome import NoteReason
    from krm.yamltree.comments import CommentedNode, Comments
    from krm.yamltree.target import Target

    Remarks: TypeAlias = list[tuple[NoteReason, str]]


def merged(wanted: Target, sides: Sides, comments: list[Comments]) -> tuple[Target, Remarks]:
    """Return what is wanted of a node of local with the comments inside of it, and what there is to tell of these.

    Where both sides changed a line of brackets, local's stays.
    """
    origin, update, local = (one.inside for one in comments)
    comes = isinstance(uncommented(wanted), Graft)
    is_brought = comes and _is_in_brackets(sides[1])
    is_left = update not in (origin, local) and not is_brought
    arriving = update if is_brought else () if comes and _is_in_brackets(sides[2]) else local
    is_lost = not {one for one in local if one in update or one not in origin} <= {*arriving}
    if not (is_left or is_lost):
        return wanted, []
    graft, is_conflict = _by_lines(wanted, sides)
    if graft is not None:
        wanted, is_lost = Replaced(sides[2].node, graft), False
        is_left = not {*update} - {*origin, *local} <= {*of(graft.text, None, graft.node).inside}
    remarks: Remarks = []
    if is_conflict:
        detail = "both sides changed lines in these brackets, with comments: local's stay"
        remarks.append((COMMENT_KEPT, detail))
    elif is_left:
        detail = "update has another comment inside of this, and there is no place for it: local's stays"
        remarks.append((COMMENT_KEPT, detail))
    if is_lost:
        remarks.append((COMMENT_GONE, "update's value comes, and a comment of local's in the old one is deleted"))
    return wanted, remarks


def _by_lines(wanted: Target, sides: Sides) -> tuple[Graft | None, bool]:
    """Return the merge of three collections in brackets, and whether both sides changed a line of them.

    None for the merge where it is local's, or where it is not what is wanted.
    """
    try:
        written = ["\n".join(_written(side)) for side in sides]
        lines = text.merged(*written, winner="local")
        root = parser.parse(lines.text).root
    except (NotSpliceable, ParseError):
        return None, False
    if not Proof(lines.text, sameness.same_data).amounts_to(root, wanted):
        return None, False
    return None if lines.text == written[2] else Graft(lines.text, None, root), lines.is_conflict  # type: ignore[arg-type]  # brackets


def _written(side: CommentedNode | None) -> list[str]:
    """Return the lines of a collection in brackets. NotSpliceable for anything else."""
    if side is None or not _is_in_brackets(side):
        raise NotSpliceable("there are no brackets")
    return Excerpts(side.text, []).beside_key(side.parent, side.node)


def _is_in_brackets(side: CommentedNode | None) -> bool:
    """Return True for a collection in brackets that comes with its comments where it comes in."""
    node = None if side is None else side.node
    return isinstance(node, Collection) and node.flow and is_self_contained(node)
