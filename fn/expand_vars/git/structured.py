"""Our merge of three texts, field by field, for git: one text if no field is in conflict, else one for each answer."""

from __future__ import annotations

from expand_vars.expansion import syntax
from krm.merge import documents, merge3, outcome
from krm.merge.files import File
from krm.merge.merge3 import Rules
from krm.merge.policy import Policy
from krm.merge.trees import entries, frozen
from krm.results import FnError
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from expand_vars.git.lines import Texts
    from krm.merge.policy import OnConflict
    from krm.resourcelist import Output
    from krm.yamltree.nodes import Node


class NotMergeableError(Exception):
    """The texts cannot be merged field by field: one is no YAML, say, or holds `$patch`."""


class Structured:
    """A merge field by field.

    `local` is the text in which local's value stays at each conflict, `update` the one in which update's is taken.
    Both hold all changes that are in no conflict. Without a conflict they are the same.
    """

    __slots__ = ("comments_kept", "conflicts", "local", "update")

    def __init__(self, local: bytes, update: bytes, conflicts: int, *, comments_kept: bool) -> None:
        self.local = local
        self.update = update
        self.conflicts = conflicts
        self.comments_kept = comments_kept


def merge(texts: Texts, name: str) -> Structured:
    """Merge three texts field by field. `name` is the file's, for messages. NotMergeableError if that cannot be."""
    try:
        kept = _merged(texts, name, "KeepLocal")
        reasons = [result.reason for result in kept.results]
        conflicts = reasons.count(outcome.CONFLICT)
        taken = _merged(texts, name, "TakeUpdate") if conflicts else kept
    except (ParseError, FnError, UnicodeDecodeError) as error:
        raise NotMergeableError(str(error)) from None
    comments_kept = "CommentKept" in reasons
    return Structured(_text(kept), _text(taken), conflicts, comments_kept=comments_kept)


def same_data(one: bytes, other: bytes) -> bool:
    """Return True if a reader gets the same documents from two texts. Comments and layout are no data."""
    return [frozen(root) for root in _roots(one)] == [frozen(root) for root in _roots(other)]


def holds_both(merged: bytes, structured: Structured, origin: bytes) -> bool:
    """Return True if a text holds the data of both sides, those in which our merge sees a conflict included.

    So it is where two sides added elements to one list, or changed lines of one text, and git put both in: a list that
    is in conflict has each element as often as both sides' changes ask for, and a text each line.
    """
    sides = [_roots(text) for text in (merged, structured.local, structured.update, origin)]
    if len({len(side) for side in sides}) > 1:
        return False
    return all(_holds_both(*documents) for documents in zip(*sides, strict=True))


def _merged(texts: Texts, name: str, on_conflict: OnConflict) -> Output:
    origin_file, update_file, local_file = (
        File(text.decode(), name) for text in (texts.origin, texts.update, texts.local)
    )
    return documents.merge(
        origin_file,
        update_file,
        local_file,
        lambda origin, update, local, schema: merge3.merge3(
            origin, update, local, Rules(schema, Policy(on_conflict), syntax.names)
        ),
    )


def _text(output: Output) -> bytes:
    return "".join(output.pieces).encode()


def _roots(text: bytes) -> list[Node | None]:
    """Return the documents of a text, none if it is no YAML."""
    try:
        return [document.root for document in parser.parse_all(text.decode())]
    except (ParseError, UnicodeDecodeError):
        return []


def _holds_both(merged: Node | None, local: Node | None, update: Node | None, origin: Node | None) -> bool:
    """Compare what stands at one place of the merged text with what the answers of our merge and origin have there."""
    if frozen(local) == frozen(update):
        return frozen(merged) == frozen(local)
    nodes = [resolved(node) for node in (merged, local, update, origin)]
    if all(isinstance(node, Mapping) for node in nodes):
        sides = [entries(node) for node in nodes]
        keys = {key for side in sides[:3] for key in side}
        return all(_holds_both(*(side.get(key) for side in sides)) for key in keys)
    counts = [_counts(node) for node in nodes]
    if any(not count for count in counts):
        return False
    wanted, mine, others, before = counts
    parts = {part for count in counts for part in count}
    return all(wanted.get(p, 0) == mine.get(p, 0) + others.get(p, 0) - before.get(p, 0) for p in parts)


def _counts(node: Node | None) -> dict[Hashable, int]:
    """Return how often each element of a list, or each line of a text of several lines, is there."""
    parts: Iterable[Hashable] = ()
    if isinstance(node, Sequence):
        parts = map(frozen, node.kids)
    elif isinstance(node, Scalar) and "\n" in node.value:
        parts = node.value.splitlines()
    counts: dict[Hashable, int] = {}
    for part in parts:
        counts[part] = counts.get(part, 0) + 1
    return counts
