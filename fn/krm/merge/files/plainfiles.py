"""The merge of one file without objects: line by line as `git merge-file` does, or whole where it is no text."""

from __future__ import annotations

from krm.merge import policy, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.merge.outcome import Resolution
    from krm.merge.policy import OnConflict


class MergedFile:
    """The contents that a file gets, None if it goes; and a sentence for each conflict, with what becomes of it."""

    __slots__ = ("conflicts", "data")

    def __init__(self, data: bytes | None, conflicts: Iterable[tuple[str, Resolution]] = ()) -> None:
        self.data = data
        self.conflicts = [*conflicts]


def merge(origin: bytes | None, update: bytes | None, local: bytes | None, on_conflict: OnConflict) -> MergedFile:
    """Merge the contents of a file, None where a side has none. In a conflict those of the policy's side come."""
    # The base rule, for whole files first: they come byte for byte, whatever is in them.
    if update in (origin, local):
        return MergedFile(local)
    if local == origin:
        return MergedFile(update)
    whole = policy.won(policy.winner(on_conflict), update=update, local=local)
    if update is None:
        return MergedFile(whole, [("update deleted this file, and local changed it", on_conflict)])
    if local is None:
        return MergedFile(whole, [("local deleted this file, and update changed it", on_conflict)])
    before, new, own = _text(origin or b""), _text(update), _text(local)
    if before is None or new is None or own is None:
        return MergedFile(whole, [("both sides changed this file, which is no text", on_conflict)])
    merged = text.merged(before, new, own, on_conflict=on_conflict)
    told: dict[int, Resolution] = dict.fromkeys(merged.conflicts, on_conflict)
    told |= dict.fromkeys(merged.neighbours, "KeepBoth")
    changes = ((f"line {line}: both sides changed these lines", told[line]) for line in sorted(told))
    return MergedFile(merged.text.encode(), changes)


def _text(data: bytes) -> str | None:
    """Return contents as text, None if git would not take them for one either, or they are not UTF-8."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
