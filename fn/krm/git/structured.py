"""Our merge of three texts, field by field, for git: one text if no field is in conflict, else one for each answer."""

from __future__ import annotations

from krm.file import File
from krm.merge.files.document_lines import DocumentLines
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import Hunk
from krm.merge.outcome import Refused
from krm.results import FnError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.git.line_merge import Texts
    from krm.merge.lines.pieces import Piece


class NotMergeableError(Exception):
    """The texts cannot be merged field by field: one is no YAML, say, or holds `$patch`."""


class Structured:
    """A merge field by field: its pieces, and its text if local's lines, or update's, are taken at each conflict."""

    __slots__ = ("guesses", "local", "pieces", "update")

    def __init__(self, pieces: list[Piece], guesses: Sequence[str] = ()) -> None:
        """Take the pieces, and the objects that were taken for one by their content, as each side calls them."""
        self.pieces = pieces
        self.guesses = guesses
        self.local = "".join(piece.local if isinstance(piece, Hunk) else piece for piece in pieces).encode()
        self.update = "".join(piece.update if isinstance(piece, Hunk) else piece for piece in pieces).encode()


def merge(texts: Texts, name: str) -> Structured:
    """Merge three texts field by field. `name` is the file's, for messages. NotMergeableError if that cannot be."""
    try:
        origin, update, local = (File(text.decode(), name) for text in (texts.origin, texts.update, texts.local))
        merging = DocumentLines({"origin": origin, "update": update, "local": local})
        pieces = merging.merged()
    except FnError as error:
        raise NotMergeableError(error.results[0].message) from None
    except (OddError, ParseError, Refused, UnicodeDecodeError) as error:
        raise NotMergeableError(str(error)) from None
    return Structured([local.mark, *pieces], merging.guesses)
