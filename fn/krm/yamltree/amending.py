"""Make a text say what is wanted of it: a tree that tells what stays, what comes in from another text, what goes.

All edits are planned on the text as it is, made at once, and proven by one parse of what comes out. Where that does not
work, in odd text, `steps` makes one change after the other.
"""

from __future__ import annotations

from krm.yamltree import edits, lines, parser, places, proof, steps, style
from krm.yamltree.nodes import Alias, Mapping, Sequence
from krm.yamltree.places import NotSpliceable
from krm.yamltree.plan import Plan
from krm.yamltree.style import Layout
from krm.yamltree.target import AmendedMapping, AmendedSequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.draft import Draft, Path
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


def amend(draft: Draft, path: Path, wanted: Target) -> None:
    """Make what is `wanted` stand at `path`, with as few changes of the text as that takes.

    The nodes in `wanted` are those of `draft.document`. EditError where something of the author's would be lost; the
    text is then as before. KeyError where no way leads to `path`.
    """
    document = draft.document
    wide = style.is_wide(document.root)
    layout = Layout(json=draft.json, wide=bool(wide))
    plans = [Plan(draft.text, attempt, wide=wide) for attempt in (layout, layout.quoted())]
    if document.shares:
        plans.insert(0, Plan(draft.text, layout, wide=wide, follows=True))
    if not any(_make(draft, plan, path, wanted) for plan in plans):
        steps.amend(draft, path, wanted)


def _from_root(node: Node | None, path: Path, wanted: Target) -> Target:
    """Return what is wanted of `node` where `wanted` is wanted of what is at `path` below it.

    NotSpliceable where an alias or a merge key stands on the way.
    """
    if not path:
        return wanted
    step, below = path[0], path[1:]
    if isinstance(node, Mapping) and isinstance(step, str) and (not below or step in node.entries):
        kid = _from_root(node.own(step), below, wanted)
        return AmendedMapping(node, {**node.entries, step: kid})  # type: ignore[dict-item]
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        kid = _from_root(node.kids[step], below, wanted)
        return AmendedSequence(node, [*node.kids[:step], kid, *node.kids[step + 1 :]])
    if isinstance(node, Alias) or (isinstance(node, Mapping) and node.get(str(step)) is not None):
        raise NotSpliceable(places.ODD)
    raise KeyError(path)


def _make(draft: Draft, plan: Plan, path: Path, wanted: Target) -> bool:
    """Make the edits of a plan if they are proven to make of the text what is wanted, and nothing else."""
    before, document = draft.text, draft.document
    try:
        wanted = _from_root(document.root, path, wanted)
        plan.amend(None, document.root, wanted)
        if plan.made and not lines.are_plain(before, document.root):
            return False
        text = edits.apply(before, plan.made)
        after = parser.parse(text) if plan.made else document
    except (NotSpliceable, parser.ParseError, ValueError):
        return False
    stays = proof.stays_in(before, text, shares=document.shares)
    if not proof.amounts_to(after.root, wanted, text, stays):
        return False
    draft.text, draft.parsed = text, after
    return True
