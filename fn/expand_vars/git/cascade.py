"""The choice between two merges of a file: git's, by lines, and ours, by fields (docs/git.md, "The cascade")."""

from __future__ import annotations

from expand_vars.git import line_merge, markers, structured
from expand_vars.git.line_merge import FileMerge
from expand_vars.git.structured import NotMergeableError
from krm.merge.trees import same_documents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.git.labels import Labels
    from expand_vars.git.line_merge import Texts
    from expand_vars.git.structured import Structured


def merge(texts: Texts, name: str, labels: Labels, size: int) -> FileMerge:
    """Merge three texts of a file for git. LineMergeError if even git cannot."""
    texts = line_merge.with_ends_of_one(texts)
    # Git's own merge first: whatever happens to ours, a user has at least what git alone would have given.
    by_lines = line_merge.merge(texts, labels, size)
    try:
        by_fields = structured.merge(texts, name, by_lines.text)
    except NotMergeableError as error:
        by_lines.obstacle = str(error)
        return by_lines
    if by_lines.conflicts == 0:
        return _beside_clean_lines(texts, by_lines, by_fields, labels, size)
    result = _by_fields(by_lines, by_fields, labels, size)
    # A longer conflict than git's is more to read than git would ask for.
    is_short = not result.conflicts or _marked_lines(result.text, size) <= _marked_lines(by_lines.text, size)
    return result if is_short else by_lines


def _beside_clean_lines(
    texts: Texts, by_lines: FileMerge, by_fields: Structured, labels: Labels, size: int
) -> FileMerge:
    """Return git's merge, which is clean, if its data are right, and ours otherwise."""
    is_clean = by_fields.local == by_fields.update
    # Clean lines are no proof: git joins two env entries of one name, added in two places, without a word.
    if is_clean and (
        by_lines.text == by_fields.local or same_documents(by_lines.text.decode(), by_fields.local.decode())
    ):
        return by_lines
    # Ours is strict about lists without keys. Where git's text has what both sides did, nobody needs to decide.
    if not is_clean and structured.holds_both(by_lines.text, by_fields, texts):
        return by_lines
    if is_clean:
        return FileMerge(by_fields.local, 0, "merged by fields: the merge by lines is clean, but says something else")
    marked = _marked(by_lines, by_fields, labels, size)
    marked.note = f"{_counted(marked.conflicts, 'conflict')} of fields, which the merge by lines decides in silence"
    return marked


def _by_fields(by_lines: FileMerge, by_fields: Structured, labels: Labels, size: int) -> FileMerge:
    """Return our merge, with markers if fields are in conflict."""
    if by_fields.local == by_fields.update:
        return FileMerge(by_fields.local, 0, f"{_counted(by_lines.conflicts, 'conflict')} of lines solved by fields")
    marked = _marked(by_lines, by_fields, labels, size)
    # One conflict of git's can hold several of ours: then there is nothing to boast of.
    solved = by_lines.conflicts - marked.conflicts
    marked.note = f"{_counted(solved, 'conflict')} of lines solved by fields" if solved > 0 else ""
    return marked


def _marked(by_lines: FileMerge, by_fields: Structured, labels: Labels, size: int) -> FileMerge:
    """Return the merge with markers, with origin's lines between them where git shows these."""
    return markers.marked(by_fields.pieces, labels, size, shows_origin=markers.shows_origin(by_lines.text, size))


def _marked_lines(text: bytes, size: int) -> int:
    """Return how many lines stand in conflicts: a reader has that much to look at."""
    return sum(len(hunk.local) + len(hunk.update) for hunk in markers.hunks(text, size))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
