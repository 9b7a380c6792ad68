"""An entry whose parts are no lines, brackets in several lines, say: its fields are edited where they stand."""

from __future__ import annotations

from krm.merge.lines.blocks import Block, OddError, Source
from krm.merge.walk import Choice
from krm.yamltree.editor import Editor
from krm.yamltree.nodes import Collection, Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.lines.blocks import Entry
    from krm.merge.walk import Kept
    from krm.yamltree.nodes import Node, Place


def edited(entry: Entry, target: Kept) -> str:
    """Return the lines of an entry with a target in the place of its value. OddError if others change by that."""
    if target is Choice.GONE:
        return ""
    block, before = entry.block, entry.block.source
    editor = Editor(before.text, document=before.document)
    editor.amend(_place(before.document.root, entry.node), target)
    after = Source(editor.text, editor.document)
    more = len(after.lines) - len(before.lines)
    end = entry.end + more
    if before.lines[: entry.first] + before.lines[entry.end :] != after.lines[: entry.first] + after.lines[end:]:
        raise OddError
    moved = Block(after, block.node, block.first, block.end + more, block.shift, is_behind_dash=block.is_behind_dash)
    return moved.text(entry.first, end)


def _place(root: Node | None, node: Node | None) -> Place:
    """Return where a node stands below a root."""
    place: list[str | int] = []
    while isinstance(root, Collection) and root is not node:
        kids = [*root.pairs()] if isinstance(root, Mapping) else [*enumerate(root.kids)]
        step, root = [(key, kid) for key, kid in kids if kid.start <= node.start][-1]  # type: ignore[union-attr]  # it is below
        place.append(step if isinstance(step, int) else step.value or "")
    return tuple(place)
