"""Change parts of a text and leave every other character as it was."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Edit:
    """Put `text` in place of the characters from `start` up to, not including, `end`."""

    __slots__ = ("end", "start", "text")

    def __init__(self, start: int, end: int, text: str) -> None:
        self.start = start
        self.end = end
        self.text = text

    def __repr__(self) -> str:
        return f"Edit({self.start}, {self.end}, {self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Edit) and (self.start, self.end, self.text) == (other.start, other.end, other.text)

    def __hash__(self) -> int:
        return hash((self.start, self.end, self.text))


def apply(source: str, edits: Iterable[Edit]) -> str:
    """Return `source` with every edit made; positions count from the original text.

    ValueError where two edits overlap, for then no order of them is right.
    """
    pieces: list[str] = []
    end = 0
    for edit in sorted(edits, key=_position):
        if edit.start < end:
            raise ValueError(f"two edits overlap at character {edit.start}")
        pieces += source[end : edit.start], edit.text
        end = edit.end
    pieces.append(source[end:])
    return "".join(pieces)


def _position(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end
