"""The choice between two merges of a file: git's, by lines, and ours, by fields (docs/guides/git.md, "The cascade")."""

from __future__ import annotations

from krm.file import File
from krm.git import line_merge
from krm.git.line_merge import FileMerge, ThreeTexts
from krm.merge.files.composition import composed, for_lines
from krm.merge.files.object_merge import BaseRule, Merging
from krm.merge.outcome import GUESSED
from krm.merge.policy import Policy, base_rule
from krm.merge.text_merge import Hunk, answers, from_below, refined, text_of
from krm.results import FnError
from krm.vocabulary import counted
from krm.yamltree import parser
from krm.yamltree.nodes import text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.git.line_merge import Labels
    from krm.git.markers import Marked
    from krm.merge.files.matching import Side
    from krm.merge.text_merge import Piece


def merge(texts: ThreeTexts, name: str, labels: Labels, size: int) -> FileMerge:
    """Merge three texts of a file for git. LineMergeError if even git cannot."""
    # The base rule for whole files first: they come byte for byte, whatever is in them.
    whole = base_rule(texts.origin, texts.update, texts.local)
    if whole is not None:
        return FileMerge(whole, 0)
    alike = line_merge.written_alike(texts)
    try:
        sides = zip(
            (texts.origin, texts.update, texts.local), (labels.origin, labels.update, labels.local), strict=True
        )
        # Names as for `git show`: an error says whose text it is about.
        origin, update, local = (File(text.decode(), f"{label}:./{name}") for text, label in sides)
        pieces, by_lines, guesses = by_fields({"origin": origin, "update": update, "local": local})
    except (FnError, ParseError, UnicodeDecodeError) as error:
        found = line_merge.merge(alike, labels, size)
        found.obstacle = error.results[0].message if isinstance(error, FnError) else str(error)
        return _from_origin_in_conflict(alike, name, labels, size, found)
    theirs, ours = answers(pieces)
    if ours == theirs:
        found = FileMerge(ours.encode(), 0, _note(ours, by_lines))
    else:
        found = _marked(alike, pieces, labels, size)
    found.note = "; ".join([*filter(None, [found.note]), *guesses])
    return found


def _from_origin_in_conflict(texts: ThreeTexts, name: str, labels: Labels, size: int, git: FileMerge) -> FileMerge:
    """Return the clean merge that each answer to the conflicts in origin gives, git's if there is none."""
    from krm.git.markers import Marked  # noqa: PLC0415 - most merges have no conflict

    # Where branches merged each other git makes the origin by a merge, whose markers are longer.
    origin = Marked(texts.origin, size + 2)
    if origin.hunks:
        git.obstacle = "git merged the origin from several, and that has conflicts"
        sides = (ThreeTexts(answer, texts.update, texts.local) for answer in (origin.local, origin.update))
        one, other = (merge(side, name, labels, size) for side in sides)
        if one.text == other.text and git.conflicts and not one.conflicts:
            return FileMerge(one.text, 0, f"{counted(git.conflicts, 'conflict')} of lines solved by fields")
    return git


def by_fields(files: dict[Side, File]) -> tuple[list[Piece], list[Piece], list[str]]:
    """Return local's text with marked conflicts, the merge by lines, and what to tell of objects matched by a guess.

    FnError if an object cannot be merged, or cannot be written.
    """
    files = for_lines(files)
    merging = Merging(files.values(), BaseRule(Policy()), lambda _: set(), has_markers=True)
    composition = composed(files, merging)
    pieces, guesses = composition.pieces(), [one.message for one in merging.results if one.reason == GUESSED]
    return pieces, composition.by_lines, guesses


def _note(merged: str, by_lines: list[Piece]) -> str:
    """Return what the merge by lines would have been beside a clean merge by fields, nothing if it is the same."""
    conflicts = sum(isinstance(piece, Hunk) for piece in refined(by_lines))
    if conflicts:
        return f"{counted(conflicts, 'conflict')} of lines solved by fields"
    is_same = merged == text_of(by_lines)
    return "" if is_same else "merged by fields: the merge by lines is clean, but says something else"


def _names(text: bytes) -> set[tuple[str | None, ...]]:
    return {(text_at(root, "kind"), text_at(root, "metadata", "name")) for root in parser.roots(text.decode())}


def _lacks_object(texts: ThreeTexts, git: Marked, ours: Marked) -> bool:
    """True if git's text lacks an object of a side, if that is taken at each conflict, and ours has it."""
    sides = (texts.local, git.local, ours.local), (texts.update, git.update, ours.update)
    return any(_names(own) & _names(of_ours) - _names(of_git) for own, of_git, of_ours in sides)


def _marked(texts: ThreeTexts, pieces: list[Piece], labels: Labels, size: int) -> FileMerge:
    """Return our merge with its conflicts between markers, or git's if that has fewer lines between them."""
    from krm.git import markers  # noqa: PLC0415 - most merges have no conflict

    by_lines = line_merge.merge(texts, labels, size)
    git = markers.Marked(by_lines.text, size)
    found = markers.marked(pieces, labels, size, shows_origin=git.shows_origin)
    marked = markers.Marked(found.text, size)
    if not by_lines.conflicts:
        named = markers.ConflictFields(marked)
        fields = ", ".join(dict.fromkeys(named.fields(hunk, hunk.local, hunk.update) for hunk in marked.hunks))
        below = from_below(text.decode() for text in (texts.origin, texts.update, texts.local))
        cause = "" if below == by_lines.text.decode() else ", by one of several equal lines"
        of_fields = f"{counted(found.conflicts, 'conflict')} of fields"
        found.note = f"{of_fields}, which the merge by lines decides in silence{cause}: {fields}"
    # Equal lines may have led git into another object.
    elif marked.lines > git.lines and not _lacks_object(texts, git, marked):
        return by_lines
    # One conflict of git's can hold several of ours: then there is nothing to boast of.
    elif by_lines.conflicts > found.conflicts:
        found.note = f"{counted(by_lines.conflicts - found.conflicts, 'conflict')} of lines solved by fields"
    return found
