"""A change of a text, made or refused: its edits are planned, applied, parsed once and proven.

Where the proof fails in odd text the change is refused: docs/reference/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from itertools import product

from krm.yamltree import commenting, edits, lines, parser, positions, proof
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
    # Known before anything is written: to YAML such a line is two, and nobody can tell what stands where.
    odd = lines.odd_break(text, document.root)
    if odd is not None:
        raise EditError(lines.ODD, lines.number(text, odd))
    are_asked = commenting.are_asked(target)
    written, tree = _first_proven(text, document, target, layout, are_asked=are_asked)
    # Comments are no part of the data that was proven: docs/reference/lossless-yaml.md, "Which comment belongs to which
    # node".
    if not are_asked:
        return written, tree
    return _commented(written, tree or parser.parse(written), target, layout)


def _first_proven(
    text: str, document: Document, target: Target, layout: Layout, *, are_asked: bool
) -> tuple[str, Document | None]:
    """Return the text, and its tree if it was parsed, of the first plan that is proven. EditError where none is."""
    # A literal block may take what stands below it in; quotes do not. A value may come in where its comment is to
    # stand: then the comment is given when the value is there.
    for gives_comments, style in product((True, False) if are_asked else (True,), (layout, layout.quoted())):
        plan = Plan(text, document, target, style, gives_comments=gives_comments)
        try:
            return _carried_out(plan)
        except NotSpliceable as reason:
            refused = reason
    raise EditError(f"{refused}: change it by hand", lines.number(text, refused.start))


def _commented(written: str, tree: Document, target: Target, layout: Layout) -> tuple[str, Document]:
    """Return a text with the comments that it may still lack: their nodes were emptied or are new."""
    lacking = commenting.to_give(written, None, tree.root, target)
    problem = "there is no place for it"
    try:
        if lacking is not tree.root:
            written, found = _first_proven(written, tree, lacking, layout, are_asked=False)
            tree = found or parser.parse(written)
            lacking = commenting.to_give(written, None, tree.root, target)
    except EditError as error:
        problem = error.problem
    if lacking is tree.root:
        return written, tree
    line = lines.number(written, tree.root.start if tree.root else 0)
    raise EditError(f"the comment `{commenting.first(lacking)}` would be lost: {problem}", line)


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
