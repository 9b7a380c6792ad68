"""The choice between two merges of a file: git's, by lines, and ours, by fields (docs/guides/git.md, "The cascade")."""

from __future__ import annotations

from collections import Counter

from krm.file import File
from krm.git import line_merge
from krm.git.line_merge import FileMerge
from krm.merge import trees
from krm.merge.files.document_lines import DocumentLines
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import Hunk
from krm.merge.text import settled
from krm.results import FnError
from krm.yamltree.nodes import text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from krm.git.labels import Labels
    from krm.git.line_merge import Texts
    from krm.merge.lines.pieces import Piece
    from krm.yamltree.nodes import Node


class NotMergeableError(Exception):
    """The texts cannot be merged field by field: one is no YAML, say."""


class Structured:
    """A merge field by field: its pieces, and its text if local's lines, or update's, are taken at each conflict."""

    __slots__ = ("guesses", "local", "pieces", "update")

    def __init__(self, pieces: list[Piece], guesses: Sequence[str] = ()) -> None:
        """Take the pieces, and the objects that were taken for one by their content, as each side calls them."""
        self.pieces = pieces
        self.guesses = guesses
        self.local = "".join(piece.local if isinstance(piece, Hunk) else piece for piece in pieces).encode()
        self.update = "".join(piece.update if isinstance(piece, Hunk) else piece for piece in pieces).encode()


def merge(texts: Texts, name: str, labels: Labels, size: int) -> FileMerge:
    """Merge three texts of a file for git. LineMergeError if even git cannot."""
    # The base rule for whole files first: they come byte for byte, whatever is in them.
    whole = settled(texts.origin, texts.update, texts.local)
    if whole is not None:
        return FileMerge(whole, 0)
    texts = line_merge.with_ends_of_one(texts)
    # Git's own merge first: whatever happens to ours, a user has at least what git alone would have given.
    by_lines = line_merge.merge(texts, labels, size)
    try:
        by_fields = _by_fields(texts, name)
    except NotMergeableError as error:
        by_lines.obstacle = str(error)
        return by_lines
    found = _better(by_lines, by_fields, texts, labels, size)
    guesses = [f"taken for one object by its content: {named}" for named in by_fields.guesses]
    found.note = "; ".join([*filter(None, [found.note]), *guesses])
    return found


def _by_fields(texts: Texts, name: str) -> Structured:
    """Merge three texts field by field. `name` is the file's, for messages. NotMergeableError if that cannot be."""
    try:
        origin, update, local = (File(text.decode(), name) for text in (texts.origin, texts.update, texts.local))
        for file in (origin, update, local):
            file.require_plain_lines()
        merging = DocumentLines({"origin": origin, "update": update, "local": local})
        pieces = merging.merged()
    except FnError as error:
        raise NotMergeableError(error.results[0].message) from None
    except (OddError, ParseError, UnicodeDecodeError) as error:
        raise NotMergeableError(str(error)) from None
    return Structured([local.mark, *pieces], merging.guesses)


def _better(by_lines: FileMerge, by_fields: Structured, texts: Texts, labels: Labels, size: int) -> FileMerge:
    """Return the merge by lines or that by fields."""
    if by_fields.local == by_fields.update:
        return _clean(by_lines, by_fields.local)
    # Ours is strict about lists without keys. Where git's text has what both sides did, nobody needs to decide.
    if not by_lines.conflicts and _holds_both(by_lines.text, by_fields, texts):
        return by_lines
    return _marked(by_lines, by_fields, labels, size)


def _clean(by_lines: FileMerge, text: bytes) -> FileMerge:
    """Return our merge, which has no conflict, or git's with the same data."""
    if by_lines.conflicts:
        return FileMerge(text, 0, f"{_counted(by_lines.conflicts, 'conflict')} of lines solved by fields")
    # Clean lines are no proof: git joins two env entries of one name, added in two places, without a word.
    if by_lines.text == text or trees.same_documents(by_lines.text.decode(), text.decode()):
        return by_lines
    return FileMerge(text, 0, "merged by fields: the merge by lines is clean, but says something else")


def _holds_both(by_lines: bytes, by_fields: Structured, texts: Texts) -> bool:
    """Return True if a text holds the changes of both sides, also where our merge sees a conflict.

    Each value is there as often as our merge has it, or as the changes of both sides ask for: so it is where git put
    the elements that both added to a list, or where one side renamed what the other side changed.
    """
    sides = by_lines, by_fields.local, by_fields.update, texts.origin, texts.update, texts.local
    found, *answers, origin, update, local = map(_values, sides)
    # By numbers, not by places: git puts the elements that both sides added to a list in one order or the other.
    for value in found | origin | update | local:
        before, new, own = origin[value], update[value], local[value]
        if all(found[value] == answer[value] for answer in answers):
            continue
        # What both added may be one thing or two.
        if min(new, own) > before or found[value] != new + own - before:
            return False
    return True


def _values(text: bytes) -> Counter[Hashable]:
    """Return how often each value is there, with its key and its object; of a text each line."""
    found = ((_named(root), leaf) for root in trees.roots(text.decode()) for leaf in trees.leaves(root))
    # A line of a text by itself: one side may have renamed the key of the text.
    return Counter((name, leaf[1] if isinstance(leaf[1], str) else (leaf[0][-1:], leaf[1])) for name, leaf in found)


def _named(root: Node | None) -> Hashable:
    """Return what an object is called: lines that come to another one say something else there."""
    return text_at(root, "kind"), text_at(root, "metadata", "namespace"), text_at(root, "metadata", "name")


def _marked(by_lines: FileMerge, by_fields: Structured, labels: Labels, size: int) -> FileMerge:
    """Return our merge with its conflicts between markers, or git's where that has fewer lines between them."""
    from krm.git import markers  # noqa: PLC0415 - most merges have no conflict

    git = markers.Marked(by_lines.text, size)
    found = markers.marked(by_fields.pieces, labels, size, shows_origin=git.shows_origin)
    marked = markers.Marked(found.text, size)
    if not by_lines.conflicts:
        fields = markers.Named(marked).of_all(marked.hunks)
        of_fields = f"{_counted(found.conflicts, 'conflict')} of fields"
        found.note = f"{of_fields}, which the merge by lines decides in silence: {fields}"
    elif marked.lines > git.lines:
        return by_lines
    # One conflict of git's can hold several of ours: then there is nothing to boast of.
    elif by_lines.conflicts > found.conflicts:
        found.note = f"{_counted(by_lines.conflicts - found.conflicts, 'conflict')} of lines solved by fields"
    return found


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
