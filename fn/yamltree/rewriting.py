"""Change parts of a scalar's value where they stand in its source, the rest of it kept as the author wrote it.

`"\\u00e9 $(A)"` with `$(A)` replaced stays in its quotes with its escape; a folded block keeps its folds. Where a part
cannot be found in the source, or does not fit the scalar's style, the whole scalar is written anew.
"""

from __future__ import annotations

import re

from fn.yamltree import edits, lines, parser, scalars, splices
from fn.yamltree.edits import Edit
from fn.yamltree.nodes import Mapping, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from fn.yamltree.nodes import Collection
    from fn.yamltree.style import Layout

_SAME_IN_EVERY_STYLE = re.compile(r"[^\s'\"\\]+")


def rewrite(
    text: str, parent: Collection | None, scalar: Scalar, changes: Sequence[Edit], layout: Layout
) -> list[Edit]:
    """Return the edits of `text` that make `changes`, whose positions count in the value of `scalar`.

    Its type stays what it is: a plain scalar that would read as a number or as YAML syntax gets quotes.
    """
    value = edits.apply(scalar.value, changes)
    found = _in_source(text, scalar, changes)
    flow = layout.flow or (parent is not None and parent.flow)
    if found is not None and _reads_as(value, text, scalar, found, flow=flow):
        return found
    return [splices.replace(text, parent, scalar, value, layout)]


def _in_source(text: str, scalar: Scalar, changes: Sequence[Edit]) -> list[Edit] | None:
    """Return `changes` at their places in `text`, or None where a place or the text to put there is in doubt.

    The n-th occurrence in the value is the n-th in the source if both have as many.
    """
    start = lines.body(text, scalar)
    if scalar.style in ("|", ">"):
        start = lines.next_line(text, start)
    found = []
    for change in changes:
        old = scalar.value[change.start : change.end]
        new = _styled(change.text, text, scalar)
        count = scalar.value.count(old)
        if new is None or not _SAME_IN_EVERY_STYLE.fullmatch(old) or text.count(old, start, scalar.end) != count:
            return None
        position = start
        for _ in range(scalar.value.count(old, 0, change.start)):
            position = text.index(old, position) + len(old)
        position = text.index(old, position)
        found.append(Edit(position, position + len(old), new))
    return found


def _styled(new: str, text: str, scalar: Scalar) -> str | None:
    """Return `new` as it is written inside of `scalar`, None where its style cannot hold it."""
    if scalar.style == '"':
        return scalars.double_quoted(new)[1:-1]
    if scalar.style == "|" and "\n" in new:
        return new.replace("\n", lines.newline(text, scalar.end) + _margin(text, scalar))
    if not new.isprintable():
        return None
    return new.replace("'", "''") if scalar.style == "'" else new


def _margin(text: str, scalar: Scalar) -> str:
    """Return the indentation of a literal block's text: what its lines have before those of the value."""
    for line in text[lines.next_line(text, lines.body(text, scalar)) : scalar.end].splitlines():
        if line.strip():
            return line[: len(line) - len(line.lstrip(" "))]
    return ""


def _reads_as(value: str, text: str, scalar: Scalar, found: list[Edit], *, flow: bool) -> bool:
    """Say whether `scalar`, edited, is one whose value is `value`, and no other type than it was."""
    if scalar.style == "" and not scalars.fits_plain(value.replace("\n", " "), flow=flow):
        return False
    written = text[scalar.start : scalar.end]
    if "\n" not in written and scalar.style in ("", "'", '"'):
        return True
    start = lines.body(text, scalar)
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in found]
    try:
        root = parser.parse("k: " + edits.apply(text[start : scalar.end], moved)).root
    except parser.ParseError:
        return False
    alone = root.own("k") if isinstance(root, Mapping) else None
    return isinstance(alone, Scalar) and alone.value == value
