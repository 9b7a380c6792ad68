"""What a source gives a name, as far as configuration tells (spec/expansion.md, 3)."""

from __future__ import annotations

KNOWN = "known"
ABSENT = "absent"
UNKNOWN = "unknown"

# The words of `inline`, one for each kind of source, and the one word of `lookup` that is none of them.
LITERALS = "Literals"
VARIABLES = "Variables"
SERVICES = "Services"
CONFIG_MAPS = "ConfigMaps"
DOWNWARD = "Downward"
RESOURCES = "Resources"
SECRETS = "Secrets"
CONTAINER = "Container"


class Value:
    """What a name has: *known* with its literal `text`, *absent*, or *unknown* until the container starts.

    `source` is the word of `inline` that allows to write it down. `reason` is a phrase for people: where a known one
    comes from, why any other is not known. A secret one must not be shown. `finding` is the reason word (`findings`)
    of what there is to tell to whoever refers to it, empty where there is nothing.
    """

    __slots__ = ("finding", "is_secret", "reason", "source", "state", "text")

    def __init__(  # noqa: PLR0913 - what there is to say of a value
        self, state: str, source: str, reason: str, text: str = "", *, is_secret: bool = False, finding: str = ""
    ) -> None:
        self.state = state
        self.source = source
        self.reason = reason
        self.text = text
        self.is_secret = is_secret
        self.finding = finding
