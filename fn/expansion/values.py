"""What a source gives a name, as far as configuration tells (spec/expansion.md, 3)."""

from __future__ import annotations

KNOWN = "known"
ABSENT = "absent"
UNKNOWN = "unknown"


class Value:
    """What a name has: *known* with its literal `text`, *absent*, or *unknown* until the container starts.

    `source` is the word of `inline` that allows to write it down. `reason` is a phrase for people: where a known one
    comes from, why any other is not known. A secret one must not be shown.
    """

    __slots__ = ("is_secret", "reason", "source", "state", "text")

    def __init__(self, state: str, source: str, reason: str, text: str = "", *, is_secret: bool = False) -> None:
        self.state = state
        self.source = source
        self.reason = reason
        self.text = text
        self.is_secret = is_secret
