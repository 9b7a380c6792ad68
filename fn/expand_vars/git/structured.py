"""Our merge of three texts, field by field, for git: one text if no field is in conflict, else one for each answer."""

from __future__ import annotations

from expand_vars.functionconfig import KIND
from krm.file import File
from krm.merge import unions
from krm.merge.files.document_lines import DocumentLines
from krm.merge.lines.blocks import OddError
from krm.merge.lines.pieces import Hunk
from krm.merge.outcome import Refused
from krm.merge.trees import entries, frozen, roots
from krm.results import FnError
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator
    from typing import TypeAlias

    from expand_vars.git.line_merge import Texts
    from krm.merge.lines.pieces import Piece
    from krm.merge.options import MergeKeys
    from krm.yamltree.nodes import Node

    Counts: TypeAlias = dict[Hashable, int]


class NotMergeableError(Exception):
    """The texts cannot be merged field by field: one is no YAML, say, or holds `$patch`."""


class Structured:
    """A merge field by field: its pieces, and its text if local's lines, or update's, are taken at each conflict."""

    __slots__ = ("local", "pieces", "update")

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces
        self.local = "".join(piece.local if isinstance(piece, Hunk) else piece for piece in pieces).encode()
        self.update = "".join(piece.update if isinstance(piece, Hunk) else piece for piece in pieces).encode()


def merge(texts: Texts, name: str, by_lines: bytes) -> Structured:
    """Merge three texts field by field. `name` is the file's, for messages. NotMergeableError if that cannot be."""
    try:
        origin, update, local = (File(text.decode(), name) for text in (texts.origin, texts.update, texts.local))
        has_lists = any(KIND in file.text for file in (origin, update, local))
        lists = _lists_of_expandvars() if has_lists else []
        pieces = DocumentLines({"origin": origin, "update": update, "local": local}, lists, _names).merged()
        found = Structured([local.mark, *pieces])
        # What is git's text as well is the result either way.
        for text in {found.local, found.update} - {by_lines}:
            if any(unions.has_odd_node_port(document.root) for document in parser.parse_all(text.decode())):
                raise NotMergeableError("a port of a Service would have a `nodePort`, which its `type` has not")
    except FnError as error:
        raise NotMergeableError(error.results[0].message) from None
    except (OddError, ParseError, Refused, UnicodeDecodeError) as error:
        raise NotMergeableError(str(error)) from None
    return found


def holds_both(merged: bytes, structured: Structured, texts: Texts) -> bool:
    """Return True if a text holds the changes of both sides, also where our merge sees a conflict.

    Where our merge sees none, the text has to say the same. At a conflict, each value has to be there as often as the
    changes of both sides ask for: so it is where git put the elements that both added to a list, or where one side
    renamed what the other side changed.
    """
    # Documents are compared by their numbers here, which is safe: this is a check of a text, and no way to make one.
    answers = [roots(text.decode()) for text in (merged, structured.local, structured.update)]
    sides = [roots(text.decode()) for text in (texts.origin, texts.local, texts.update)]
    if len({len(documents) for documents in (*answers, *sides)}) == 1:
        return all(_holds_both(*documents) for documents in zip(*answers, *sides, strict=True))
    return _has_all_changes(*(_counted(documents) for documents in (answers[0], *sides)))


def _lists_of_expandvars() -> list[MergeKeys]:
    from expand_vars.functionconfig import merge_lists  # noqa: PLC0415 - as above, of functionConfigs

    return merge_lists.of_expandvars()


def _names(text: str) -> list[str]:
    from expand_vars.expansion import syntax  # noqa: PLC0415 - of an `env` that refers to something

    return syntax.names(text)


def _holds_both(*nodes: Node | None) -> bool:
    """Compare what stands at one place of the merged text, of the two answers of our merge, and of the three sides."""
    merged, local_answer, update_answer, *sides = nodes
    if frozen(merged) == frozen(local_answer) == frozen(update_answer):
        return True
    return _holds_below(*nodes) or _has_all_changes(*(_counted([node]) for node in (merged, *sides)))


def _holds_below(*nodes: Node | None) -> bool:
    """Compare mappings key by key."""
    if not all(isinstance(resolved(node), Mapping) for node in nodes):
        return False
    places = [entries(node) for node in nodes]
    keys = {key: None for place in places for key in place}
    return all(_holds_both(*(place.get(key) for place in places)) for key in keys)


def _has_all_changes(merged: Counts, origin: Counts, local: Counts, update: Counts) -> bool:
    """Return True if each value is there as often as the changes of both sides ask for.

    What both sides added may be one thing or two. It is one where both have it as often as the merged text.
    """
    # By numbers, not by places: git puts the elements that both sides added to a list in one order or the other.
    for value in {**merged, **origin, **local, **update}:
        before, mine, others = origin.get(value, 0), local.get(value, 0), update.get(value, 0)
        if mine == others == merged.get(value, 0):
            continue
        if min(mine, others) > before or merged.get(value, 0) != mine + others - before:
            return False
    return True


def _counted(nodes: Iterable[Node | None]) -> Counts:
    """Return how often each value is there below some nodes, with its key; of a text each line."""
    counts: Counts = {}
    for leaf in (leaf for node in nodes for leaf in _leaves("", node)):
        counts[leaf] = counts.get(leaf, 0) + 1
    return counts


def _leaves(key: str, node: Node | None) -> Iterator[Hashable]:
    found = resolved(node)
    if isinstance(found, Mapping):
        for name, below in entries(found).items():
            yield from _leaves(name, below)
    elif isinstance(found, Sequence):
        for below in found.kids:
            yield from _leaves(key, below)
    elif isinstance(found, Scalar) and "\n" in found.value:
        yield from found.value.splitlines()  # whatever the key is called: one side may have renamed it
    elif found is not None:
        yield key, frozen(found)
