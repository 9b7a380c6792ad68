r"""Change parts of a scalar's value where they stand in its source, the rest of it kept as the author wrote it.

`"\u00e9 $(A)"` with `$(A)` replaced stays in its quotes with its escape; a folded block keeps its folds. Where a part
cannot be found in the source, or does not fit the scalar's style, the whole scalar has to be written anew.
"""

from __future__ import annotations

import re

from krm.yamltree import edits, lines, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.lines import ODD_BREAKS
from krm.yamltree.nodes import Mapping, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.target import Rewritten

_SAME_IN_EVERY_STYLE = re.compile(r"[^\s'\"\\]+")


def in_place(text: str, target: Rewritten, *, flow: bool) -> list[Edit] | None:
    """Return the edits of `text` that make the changes of a scalar, in brackets if `flow`.

    None where its value, or its type, would not be what they make of it.
    """
    scalar, value = target.node, target.value
    if scalar.style == "" and not (scalar.value and scalars.fits_plain(value.replace("\n", " "), flow=flow)):
        return None
    quotes = len(scalar.style) if scalar.style in ("'", '"') else 0
    start = lines.body(text, scalar) + quotes
    same = text[start : scalar.end - quotes] == scalar.value
    parts = None if same else _Parts(text, scalar)
    made: list[Edit] = []
    for change in target.changes:
        position = start + change.start if parts is None else parts.found(change)
        new = _styled(change.text, text, scalar)
        if position is None or new is None or (made and position < made[-1].end):
            return None
        made.append(Edit(position, position + change.end - change.start, new))
    sure = same and "\n" not in scalar.value and ODD_BREAKS.search(scalar.value) is None
    return made if sure or _reads_as(value, text, scalar, made) else None


class _Parts:
    """Finds parts of a scalar's value in its source: the n-th occurrence of a text in both.

    `_next` holds where to go on for each text, so that many changes in their order take one pass.
    """

    __slots__ = ("_end", "_next", "_start", "_text", "_value")

    def __init__(self, text: str, scalar: Scalar) -> None:
        self._text = text
        self._value = scalar.value
        self._start = lines.body(text, scalar)
        if scalar.style in ("|", ">"):
            self._start = lines.next_line(text, self._start)
        self._end = scalar.end
        self._next: dict[str, tuple[int, int]] = {}

    def found(self, change: Edit) -> int | None:
        """Return where the part of the value that `change` replaces is likely to stand, None if in doubt."""
        old = self._value[change.start : change.end]
        if old not in self._next:
            if not _SAME_IN_EVERY_STYLE.fullmatch(old):
                return None
            self._next[old] = 0, self._start
        in_value, in_text = self._next[old]
        while (there := self._value.find(old, in_value)) >= 0:
            position = self._text.find(old, in_text, self._end)
            if position < 0:
                return None
            in_value, in_text = there + len(old), position + len(old)
            if there >= change.start:
                self._next[old] = in_value, in_text
                return position if there == change.start else None
        return None


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
    written = text[lines.next_line(text, lines.body(text, scalar)) : scalar.end].splitlines()
    first = next((line for line in written if line.strip()), "")
    return first[: len(first) - len(first.lstrip(" "))]


def _reads_as(value: str, text: str, scalar: Scalar, made: list[Edit]) -> bool:
    """Return whether `scalar`, edited and read alone, has `value`."""
    start = lines.body(text, scalar)
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in made]
    try:
        root = parser.parse("k: " + edits.apply(text[start : scalar.end], moved)).root
    except parser.ParseError:
        return False
    alone = root.own("k") if isinstance(root, Mapping) else None
    return isinstance(alone, Scalar) and alone.value == value
