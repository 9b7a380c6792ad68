"""A change of a text, made or refused: its edits are planned, applied, parsed once and proven.

Where the proof fails in odd text, the smallest collection around the failure is written again, if no comment and no
anchor in use is lost by that; else the change is refused: docs/reference/lossless-yaml.md, "One way to edit".
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise

from krm.yamltree import commenting, edits, lines, parser, positions, proof
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import Collection
from krm.yamltree.parser import ParseError
from krm.yamltree.plan import Plan
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.proof import Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.draft import NeedsSecondPass
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.parser import Document
    from krm.yamltree.style import Layout
    from krm.yamltree.target import Target


def made(
    text: str, document: Document, target: Target, layout: Layout, *, may_write_again: bool = True
) -> tuple[str, Document | None]:
    """Return the text that has `target` as its root, and its tree if it was parsed. EditError where something is lost.

    KeyError where the text has no root.
    """
    if document.root is None:
        raise KeyError("an empty document")
    # Known before anything is written: to YAML such a line is two, and nobody can tell what stands where.
    odd = lines.odd_break(text, document.root)
    if odd is not None:
        raise EditError(lines.ODD, lines.number(text, odd))
    try:
        product, tree = _spliced(Plan(text, document, target, layout))
    except NotSpliceable as reason:
        product, tree = _written_again(text, document, target, layout, reason if not may_write_again else None)
    # Comments are no part of the data that was proven: docs/reference/lossless-yaml.md, "Which comment belongs to which
    # node".
    if not commenting.are_asked(target):
        return product, tree
    return _commented(product, tree or parser.parse(product), target, layout)


def _spliced(plan: Plan) -> tuple[str, Document | None]:
    """Return the text and the tree that a plan makes. NotSpliceable where they are not what is wanted."""
    try:
        return _carried_out(plan)
    except NotSpliceable:
        # A literal block may take what stands below it in; quotes do not.
        return _carried_out(plan.in_quotes())


def _written_again(
    text: str, document: Document, target: Target, layout: Layout, refused: NotSpliceable | None
) -> tuple[str, Document | None]:
    """Return the text and its tree, with as little of it written again as that takes. It has no new comments yet."""
    # A comment is never a reason to write a value again that nobody changed.
    # Each round adds one collection, from the failure outwards, so this ends at the root.
    second_pass: NeedsSecondPass = {}
    while True:
        try:
            return _spliced(Plan(text, document, target, layout, second_pass=second_pass))
        except NotSpliceable as reason:
            blamed = _to_write_again(text, document, refused or reason, None if refused else second_pass)
            second_pass[id(blamed)] = str(reason)


def _commented(product: str, tree: Document, target: Target, layout: Layout) -> tuple[str, Document]:
    """Return a text with the comments that it may still lack: their nodes were emptied or written again."""
    lacking = commenting.to_give(product, None, tree.root, target)
    problem = "there is no place for it"
    try:
        if lacking is not tree.root:
            product, found = _spliced(Plan(product, tree, lacking, layout))
            tree = found or parser.parse(product)
            lacking = commenting.to_give(product, None, tree.root, target)
    except (EditError, NotSpliceable) as error:
        problem = error.problem if isinstance(error, EditError) else str(error)
    if lacking is tree.root:
        return product, tree
    line = lines.number(product, tree.root.start if tree.root else 0)
    raise EditError(f"the comment `{commenting.first(lacking)}` would be lost: {problem}", line)


def _carried_out(plan: Plan) -> tuple[str, Document | None]:
    """Return the text with the edits of a plan made, and its tree if it was parsed as a whole."""
    # NotSpliceable where it is not what is wanted.
    plan.amend_root()
    # Nearly every edit ends here. What follows is for odd texts, and finds the collection to blame.
    if proof.is_proven_by_regions(plan):
        return edits.apply(plan.text, plan.made), None
    text, document = plan.text, plan.document
    try:
        text = edits.apply(plan.text, plan.made)
        document = parser.parse(text) if plan.made else document
    except ValueError:
        raise _blaming(plan, _overlap(plan)) from None
    except ParseError as error:
        raise _blaming(plan, _behind(plan, text, error)) from None
    stays = proof.stays_in(plan.text, text, plan.sharing.stale, shares=plan.document.shares)
    proven = Proof(text, stays, plan.second_pass.keys())
    if not proven.amounts_to(document.root, plan.target):
        raise NotSpliceable(positions.ODD, next(iter(proven.blamed), None))
    return text, document


# What failed: an edit, and the collection whose text it is a part of.


def _blaming(plan: Plan, edit: Edit) -> NotSpliceable:
    return NotSpliceable(positions.ODD, plan.owner(edit))


def _overlap(plan: Plan) -> Edit:
    """Return the first edit that overlaps with the one before it."""
    made = sorted(plan.made, key=edits.position)
    return next(one for above, one in pairwise(made) if one.start < above.end)


def _behind(plan: Plan, text: str, error: ParseError) -> Edit:
    """Return the last edit above the place in the changed text where it can no longer be parsed."""
    # A parser fails at the first token that it cannot place, which is behind its cause: an open quote is found at the
    # next one, or at the end of the text.
    position = sum(len(line) + 1 for line in text.split("\n")[: error.line - 1]) + error.column
    made = sorted(plan.made, key=edits.position)
    moved, starts = 0, []
    for edit in made:
        starts.append(edit.start + moved)
        moved += len(edit.text) - (edit.end - edit.start)
    return made[max(bisect_right(starts, position) - 1, 0)]


def _to_write_again(
    text: str, document: Document, failure: NotSpliceable, second_pass: NeedsSecondPass | None
) -> Collection:
    """Return the smallest collection around a failure that is not written again yet. EditError where none can be."""
    parents = _parents(document.root)
    blamed = failure.blame
    while second_pass is not None and blamed is not None and id(blamed) in second_pass:
        blamed = parents.get(id(blamed))
    if second_pass is None or blamed is None:
        raise EditError(str(failure), lines.number(text, document.root.start if document.root else 0))
    line = lines.number(text, blamed.start)
    # Values carry no comments, so writing this again would lose them in silence.
    if lines.has_comments(text, blamed) or "#" in _behind_last(text, parents.get(id(blamed)), blamed):
        raise EditError(f"{failure}, and writing what is around it anew would lose a comment", line)
    # An anchor goes with the collection it is written in, and readers of its aliases would fail.
    for alias in document.aliases:
        if alias.target is not None and blamed.start <= alias.target.start < blamed.end:
            raise EditError(
                f"{failure}, and writing what is around it anew would lose the anchor `&{alias.name}`", line
            )
    return blamed


def _behind_last(text: str, parent: Collection | None, node: Collection) -> str:
    """Return what goes of the text behind `node` where that is written again: comments of its last entry."""
    if parent is None or node.flow or not positions.stands_below(text, parent, node):
        return ""
    return text[node.end : lines.last_line_end(text, node, parent.column)]


def _parents(root: Node | None) -> dict[int, Collection]:
    found: dict[int, Collection] = {}
    stack = [root] if isinstance(root, Collection) else []
    while stack:
        node = stack.pop()
        found.update((id(kid), node) for kid in node.kids)
        stack += [kid for kid in node.kids if isinstance(kid, Collection)]
    return found
