"""The merge of one file without objects: line by line as `git merge-file` does, or whole where it is no text."""

from __future__ import annotations

from krm.merge import policy, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.policy import Winner


class MergedFile:
    """The contents that a file gets, None if it goes; and a sentence for each conflict."""

    __slots__ = ("conflicts", "data")

    def __init__(self, data: bytes | None, *conflicts: str) -> None:
        self.data = data
        self.conflicts = conflicts


def merge(origin: bytes | None, update: bytes | None, local: bytes | None, *, winner: Winner) -> MergedFile:
    """Merge the contents of a file, None where a side has none. In a conflict the winner's come."""
    # The base rule, for whole files first: they come byte for byte, whatever is in them.
    if update in (origin, local):
        return MergedFile(local)
    if local == origin:
        return MergedFile(update)
    whole = policy.won(winner, update=update, local=local)
    if update is None:
        return MergedFile(whole, "update deleted this file, and local changed it")
    if local is None:
        return MergedFile(whole, "local deleted this file, and update changed it")
    before, new, own = _text(origin or b""), _text(update), _text(local)
    if before is None or new is None or own is None:
        return MergedFile(whole, "both sides changed this file, which is no text")
    merged = text.merged(before, new, own, winner=winner)
    return MergedFile(
        merged.text.encode(), *(f"line {line}: both sides changed these lines" for line in merged.conflicts)
    )


def _text(data: bytes) -> str | None:
    """Return contents as text, None if git would not take them for one either, or they are not UTF-8."""
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
