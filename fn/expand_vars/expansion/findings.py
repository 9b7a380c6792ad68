"""The findings of an expansion about references, collected field by field.

There is one result for each object, container, name and reason (docs/reference/expansion.md, "What is reported").
"""

from __future__ import annotations

from krm.results import (
    BROKEN_MANIFEST,
    CONFLICT,
    ERROR,
    UNPLACED_TEMPLATE,
    WARNING,
    FnError,
    Result,
    locate,
    severity_of,
)
from krm.template_comments import memory
from krm.vocabulary import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

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
UNKNOWN_SERVICE = "UnknownService"
UNKNOWN_SERVICES = "UnknownServices"
NEAR_NAME = "NearName"
RUNTIME_NAME = "RuntimeName"
AMBIGUOUS_SERVICE_VARIABLE = "AmbiguousServiceVariable"
SECRET_REFERENCE = "SecretReference"  # noqa: S105 - a word
NAME_NOT_FINAL = "NameNotFinal"
SHADOWED = "Shadowed"
ESCAPE_KEPT = "EscapeKept"
UNUSED_VARIABLE = "UnusedVariable"
UNUSED_ARGUMENT = "UnusedArgument"
OWN_SYNTAX = "OwnSyntax"
NO_EFFECT = "NoEffect"
REFUSED_VALUE = "RefusedValue"
UNUSED_FUNCTION_CONFIG = "UnusedFunctionConfig"
NO_FUNCTION_CONFIG = "NoFunctionConfig"
NO_ROOM_FOR_REFERENCE = "NoRoomForReference"
TYPE_CHANGED = "TypeChanged"
UNFIT_VALUE = "UnfitValue"
ODD_VALUE = "OddValue"
TAKEN = "Taken"
OF_KUSTOMIZE = "OfKustomize"
MISSPELT_REFERENCE = "MisspeltReference"
OTHER_SYNTAX = "OtherSyntax"

_SEVERITIES = {"Ignore": None, "Warn": WARNING, "Error": ERROR}
_WHY_IT_STAYS = (
    *(MISSING_KEY, AMBIGUOUS_SERVICE_VARIABLE, SERVICE_WITHOUT_ADDRESS, FORWARD_REFERENCE),
    *(NEAR_NAME, UNKNOWN_SERVICE, UNRESOLVED_REFERENCE),
)
"""The reasons why nothing gives a name a value, the most specific first."""

COMPARISONS = 50_000
"""The most names that a run compares for its hints."""

_NEAR = 0.7
_OF_SERVICES = ("_service_", "_port")
_BY_POLICY = frozenset(
    (UNRESOLVED_REFERENCE, FORWARD_REFERENCE, UNTARGETED_REFERENCE, UNKNOWN_SERVICES, MISSPELT_REFERENCE, OTHER_SYNTAX)
)

STRICT = frozenset(
    (
        *_WHY_IT_STAYS,
        *(LITERAL_REFERENCE, UNTARGETED_REFERENCE, UNEXPANDED_REFERENCE, PROBE_USES_RAW_VALUE, EMPTY_SUB_PATH),
        *(SECRET_REFERENCE, NAME_NOT_FINAL, REFUSED_VALUE, UNUSED_ARGUMENT, NO_EFFECT),
        *(UNUSED_FUNCTION_CONFIG, NO_FUNCTION_CONFIG),
        *(UNKNOWN_SERVICES, MISSPELT_REFERENCE, CONFLICT, BROKEN_MANIFEST, UNPLACED_TEMPLATE, NO_ROOM_FOR_REFERENCE),
        *(memory.OWNED_BY_OTHER, memory.AMBIGUOUS_TEXT, memory.TEMPLATE_DOUBLED, memory.EDITED_BY_HAND),
    )
)
"""The reasons whose warnings fail a strict run: a reference or a template that stays, what had no effect, conflicts."""


def severity(reason: str, unresolved: str) -> str | None:
    """Return the severity of a reason, None for one that the functionConfig's `unresolved` ignores."""
    # Any other reason is about something that is there, so the policy on missing names does not hold for it.
    if reason in _BY_POLICY:
        return _SEVERITIES[unresolved]
    return severity_of(reason)


class Finding:
    """A finding about `name`, in the fields at `places` of one object, in one container where it is about one.

    One in a comment has no field, but a `position` in the text that the object was read from.
    """

    def __init__(
        self, resource: Resource, reason: str, name: str, message: str, severity: str | None, *places: Place
    ) -> None:
        self.resource = resource
        self.reason = reason
        self.name = name
        self.message = message
        self.severity = severity
        self.places = [*places]
        self.position: int | None = None

    def result(self) -> Result:
        """Return the finding as a result that names all its fields. Its severity must not be None."""
        return self.resource.result(self.message, str(self.severity), self.reason, *self.places)


class Findings:
    """The findings about items. `unresolved` is the functionConfig's word for the severity of unresolved references.

    `templates` has the fields that show a template of the functionConfig, each with the place in the template. `found`
    has all findings, with a severity of None for those that the functionConfig ignores.
    """

    def __init__(self, unresolved: str) -> None:
        self.templates: dict[tuple[Resource, Place], Place] = {}
        self._unresolved = unresolved
        self.found: dict[tuple[Resource, str, str, str], Finding] = {}
        self._comparisons = COMPARISONS

    def add(  # noqa: PLR0913 - what is found, and where
        self,
        resource: Resource,
        reason: str,
        name: str,
        message: str,
        *places: Place,
        container: str = "",
        is_certain: bool = False,
    ) -> None:
        """Add a finding about `name` at `places`. One that `is_certain` is told whatever `unresolved` says.

        Findings with the same name, reason and container are one, with all fields and the first message. So are those
        with a reason of `_WHY_IT_STAYS`: the most specific of them stays.
        """
        rank = _WHY_IT_STAYS.index(reason) if reason in _WHY_IT_STAYS else None
        # Containers apart: one may declare the name that another lacks.
        key = resource, container, name, reason if rank is None else ""
        finding = self.found.get(key)
        # A name may be headless to the arguments and unknown to a probe: the reason that helps more is told.
        if finding is None or (rank is not None and rank < _WHY_IT_STAYS.index(finding.reason)):
            grade, above = severity(reason, self._unresolved), () if finding is None else finding.places
            grade = WARNING if grade is None and is_certain else grade
            finding = self.found[key] = Finding(resource, reason, name, message, grade, *above)
        finding.places += places

    def results(self) -> Iterator[Result]:
        """Yield the result of each finding that the functionConfig does not ignore, and one about absent Services."""
        yield from (self._located(finding) for finding in self.found.values() if finding.severity is not None)
        names = sorted({one.name for one in self.found.values() if one.reason == UNKNOWN_SERVICE})
        grade = severity(UNKNOWN_SERVICES, self._unresolved)
        if names and grade is not None:
            listed = ", ".join(f"`{name}`" for name in names)
            counted = f"{len(names)} names are" if len(names) > 1 else "one name is"
            message = f"{counted} left to Services that are not among the items: {listed}"
            yield Result(f"{message}; that is right if the cluster has them", grade, UNKNOWN_SERVICES)

    def _located(self, finding: Finding) -> Result:
        """Return the result of a finding. One about a template has the places there, and no file yet."""
        result, item = finding.result(), finding.resource
        if finding.places and all((item, place) in self.templates for place in finding.places):
            # In this order the first place of each path counts, as in `finding.result`.
            named = {item.path_of(place): self.templates[item, place] for place in reversed(finding.places)}
            result.file = result.index = None
            locate(result, None, named[result.field or ""])
            result.further = tuple((path, named[path]) for path, _ in result.further)
        return result

    def near(self, name: str, known: Collection[str]) -> str | None:
        """Return the known name that somebody may have meant who wrote `name`, in any case.

        None if none is near enough, or if the run has compared so many names that its hints would take long.
        """
        # Thousands of unknown names beside thousands of known ones would take minutes to compare.
        self._comparisons -= len(known)
        if self._comparisons < 0:
            return None
        # Sorted, so that each run shows the same of two names that are equally near.
        folded = {one.casefold(): one for one in sorted(known)}
        # The commonest mistake, `DB_HOST` for `DB_SERVICE_HOST`, is less alike than `DB_PORT`.
        of_service = name.casefold().removesuffix("_host") + "_service_host"
        if of_service in folded:
            return folded[of_service]
        # A name that is declared further down is known too, and is no hint for itself.
        others = [one for one in folded if folded[one] != name]
        # The names of Services are alike by their ends alone.
        stem = _stem(name.casefold())
        near = nearest(stem, map(_stem, others), _NEAR)
        fitting = (one for one in others if name.casefold() == stem or _stem(one) in (one, near))
        return folded.get(nearest(name.casefold(), fitting, _NEAR))


def too_long(item: Resource, place: Place, error: ValueError) -> FnError:
    """Return the error about a field whose expanded text is too long."""
    return FnError(item.result(f"this is too long: {error}", ERROR, "TooLong", place))


def _stem(name: str) -> str:
    """Return the part of a name that is a Service's, or all of it if it is no name of a Service."""
    return next((one for end in _OF_SERVICES if (one := name.partition(end)[0]) != name), name)


def near_key(key: str, keys: Iterable[str]) -> str:
    """Return a hint with the key that is most like a missing one. The keys of a Secret are no secret."""
    folded = {one.casefold(): one for one in sorted(keys)}
    near = nearest(key.casefold(), folded, _NEAR)
    return f"did you mean `{folded[near]}`?" if near else "add it, or say `optional: true`"


IN_A_NAME = "what a resource is called cannot be secret"


def of_a_secret(name: str) -> str:
    """Return the reason why a reference to a secret variable stays as written."""
    return (
        f"variable `{name}` is secret: it is written only into `stringData` of a Secret, or with `Secrets` in "
        "`inline`; a container reads it by `secretKeyRef`"
    )
