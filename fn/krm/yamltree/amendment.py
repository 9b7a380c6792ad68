"""A change of a text, made or refused: its edits are planned, applied, parsed once and proven.

Where the proof fails in odd text the change is refused: docs/reference/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from krm.yamltree import edits, lines, parser, positions, proof
from krm.yamltree.edits import EditError
from krm.yamltree.parser import ParseError
from krm.yamltree.plan import Plan
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.proof import Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.parser import Document
    from krm.yamltree.style import Layout
    from krm.yamltree.target import Target


def made(text: str, document: Document, target: Target, layout: Layout) -> tuple[str, Document | None]:
    """Return the text that has `target` as its root, and its tree if it was parsed. EditError where something is lost.

    KeyError where the text has no root.
    """
    if document.root is None:
        raise KeyError("an empty document")
    positions.require_plain_lines(text, document.root)
    try:
        return _carried_out(Plan(text, document, target, layout))
    except NotSpliceable:
        pass
    try:
        # A literal block may take what stands below it in; quotes do not.
        return _carried_out(Plan(text, document, target, layout.quoted()))
    except NotSpliceable as refused:
        raise EditError(f"{refused}: change it by hand", lines.number(text, refused.start)) from None


def _carried_out(plan: Plan) -> tuple[str, Document | None]:
    """Return the text with the edits of a plan made, and its tree if it was parsed as a whole."""
    # NotSpliceable where it is not what is wanted.
    plan.amend_root()
    # Nearly every edit ends here. What follows is for odd texts.
    if proof.is_proven_by_regions(plan):
        return edits.apply(plan.text, plan.made), None
    text, document = plan.text, plan.document
    odd = NotSpliceable(positions.ODD, min((edit.start for edit in plan.made), default=0))
    try:
        text = edits.apply(plan.text, plan.made)
        document = parser.parse(text) if plan.made else document
    except (ValueError, ParseError):
        raise odd from None
    stays = proof.stays_in(plan.text, text, plan.sharing.stale, shares=plan.document.shares)
    if not Proof(text, stays).amounts_to(document.root, plan.target):
        raise odd
    return text, document
