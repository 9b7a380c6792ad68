"""Comments given to a node, above, behind and below it, each from its `#` on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from krm.yamltree import field_comments

if TYPE_CHECKING:
    from krm.yamltree.editor import Editor
    from krm.yamltree.field_comments import Where
    from krm.yamltree.nodes import Place


def give(editor: Editor, place: Place, **given: str | tuple[str, ...]) -> None:
    for where, lines in given.items():
        side: Where = where  # type: ignore[assignment]  # as the tables say
        field_comments.write(editor, place, lines if isinstance(lines, str) else "\n".join(lines), side)
