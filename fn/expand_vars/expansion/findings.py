"""The findings of an expansion about references, collected field by field.

There is one result for each object, container, name and reason (docs/expansion.md, "What is reported").
"""

from __future__ import annotations

from krm.results import ERROR, INFO, WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.resource import Resource

UNRESOLVED_REFERENCE = "UnresolvedReference"
FORWARD_REFERENCE = "ForwardReference"
LITERAL_REFERENCE = "LiteralReference"
UNTARGETED_REFERENCE = "UntargetedReference"
UNEXPANDED_REFERENCE = "UnexpandedReference"
PROBE_USES_RAW_VALUE = "ProbeUsesRawValue"
EMPTY_SUB_PATH = "EmptySubPath"
MISSING_KEY = "MissingKey"
SERVICE_WITHOUT_ADDRESS = "ServiceWithoutAddress"
AMBIGUOUS_SERVICE_VARIABLE = "AmbiguousServiceVariable"
SECRET_REFERENCE = "SecretReference"  # noqa: S105 - a word
NAME_NOT_FINAL = "NameNotFinal"
SHADOWED = "Shadowed"
ESCAPE_KEPT = "EscapeKept"
UNUSED_VARIABLE = "UnusedVariable"
EDITED_BY_HAND = "EditedByHand"
DAMAGED_RECORD = "DamagedRecord"

_SEVERITIES = {"Ignore": None, "Warn": WARNING, "Error": ERROR}
_INFOS = frozenset((SHADOWED, ESCAPE_KEPT, UNUSED_VARIABLE, EDITED_BY_HAND))
_BY_POLICY = frozenset((UNRESOLVED_REFERENCE, FORWARD_REFERENCE))


def severity(reason: str, unresolved: str) -> str | None:
    """Return the severity of a reason, None for one that the functionConfig's `unresolved` ignores."""
    if reason in _BY_POLICY:
        return _SEVERITIES[unresolved]
    return INFO if reason in _INFOS else WARNING


class Findings:
    """The findings about items. `unresolved` is the functionConfig's word for the severity of unresolved references."""

    def __init__(self, unresolved: str) -> None:
        self._unresolved = unresolved
        self._found: dict[tuple[Resource, str, str, str], list[Result]] = {}

    def add(
        self, resource: Resource, reason: str, name: str, message: str, *places: Place, container: str = ""
    ) -> None:
        """Add a finding about `name` at `places`, unless the functionConfig ignores its reason.

        Findings with the same name, reason and container are one result, with all fields and the first message.
        """
        grade = severity(reason, self._unresolved)
        if grade is not None:
            found = self._found.setdefault((resource, container, reason, name), [])
            found += (resource.result(message, grade, reason, place) for place in places)

    def results(self) -> Iterator[Result]:
        """Yield the result of each finding."""
        for first, *others in self._found.values():
            first.field = ", ".join(dict.fromkeys(str(result.field) for result in (first, *others)))
            yield first
