"""Comments that a node has, and that are given to it, each from its `#` on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from krm.yamltree import comments, field_comments

if TYPE_CHECKING:
    from krm.yamltree.editor import Editor
    from krm.yamltree.field_comments import Where
    from krm.yamltree.nodes import Place


class Comments(NamedTuple):
    """The comments of a node by their places, as `krm.yamltree.comments` has them."""

    above: tuple[str, ...] = ()
    behind: str = ""
    below: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()


def read(editor: Editor, place: Place) -> Comments:
    found = comments.of(editor.text, *editor.at(place))
    return Comments(found.above, found.behind, found.below, found.apart, found.inside)


def give(editor: Editor, place: Place, **given: str | tuple[str, ...]) -> None:
    for where, lines in given.items():
        side: Where = where  # type: ignore[assignment]  # as the tables say
        field_comments.write(editor, place, lines if isinstance(lines, str) else "\n".join(lines), side)
