"""What `explain` shows of each reference, as the run that expands it has met it: nothing is resolved a second time."""

from __future__ import annotations

from expand_vars.expansion import findings, resolution, secrets, syntax
from expand_vars.expansion.findings import Findings
from expand_vars.expansion.resolution import LEFT, UNDEFINED
from expand_vars.expansion.values import KNOWN, VARIABLES
from krm.yamltree.nodes import Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.targets import Fields
    from expand_vars.functionconfig.model import Config
    from expand_vars.record.entries import Given
    from krm.fieldpath import Place
    from krm.resource import Resource

    Key: TypeAlias = tuple[int, Place, str]
    Met: TypeAlias = tuple[Place, str, dict[str, Resolution]]

# The states that a reference has beside those of its name.
ESCAPE = "escape"
SHELL = "shell"
UNEXPANDED = "unexpanded"

_NOT_INLINE = ": `{}` is not in `inline`"
_OF_SHELL = "nothing defines it: text for a shell"
_UNEXPANDED = (findings.UNEXPANDED_REFERENCE, findings.UNTARGETED_REFERENCE)


class Reference:
    """One reference to `name`, in the field at `place` of a resource, which says `text`; and what becomes of it.

    `value` is None where there is none, or it is secret; `text` is None in a field of what a Secret holds.
    `explanation` says where the value comes from, or why there is none. `live` are the names that the value refers to.
    """

    __slots__ = ("explanation", "is_secret", "live", "name", "place", "resource", "state", "text", "value")

    def __init__(self, resource: Resource, place: Place, text: str, name: str) -> None:
        self.resource = resource
        self.place = place
        self.text = None if secrets.holds(resource, place) else text
        self.name = name
        self.state = UNEXPANDED
        self.value: str | None = None
        self.is_secret = False
        self.live: list[str] = []
        self.explanation = ""


class Explanation(Findings):
    """The references that a run meets. Findings about them are no results here, but part of what explains them."""

    def __init__(self, config: Config) -> None:
        super().__init__(config.unresolved)
        self._inline = config.inline
        self._arguments = {variable.name for variable in config.variables if variable.path is None}
        self._kept: dict[int, dict[str, Given]] = {}
        self._references: list[Reference] = []
        self._told: dict[Key, dict[str, str]] = {}

    def add(
        self, resource: Resource, reason: str, name: str, message: str, *places: Place, container: str = ""
    ) -> None:
        """Keep what there is to tell of `name` at `places`: of what nobody expands that is all that will be known."""
        del container  # which one it is, each place says
        for place in places:
            if reason in _UNEXPANDED:
                self._references.append(Reference(resource, place, _text(resource, place), name))
            self._told.setdefault((id(resource), place, name), {})[reason] = message

    def remember(self, resource: Resource, kept: dict[str, Given]) -> None:
        """Keep which variables have another value in a resource than today, and who gave it."""
        self._kept[id(resource)] = kept

    def meet(self, container: Container, met: Iterable[Met]) -> None:
        """Keep the references in the fields of a container: each with its place, its text and what its names are."""
        for place, text, names in met:
            for name, here in names.items():
                reference = Reference(container.pod.workload, place, text, name)
                self._resolve(reference, here)
                self._references.append(reference)
            self._add_escapes(container.pod.workload, place, text)

    def meet_targets(self, fields: Fields) -> None:
        """Keep the references in the targets of a resource. What a Secret holds is no name, unless a variable's."""
        for place, text, values in fields.met:
            for name, value in values.items():
                if name in fields.variables or not secrets.holds(fields.resource, place):
                    reference = Reference(fields.resource, place, text, name)
                    self._resolve_target(reference, value, fields)
                    self._references.append(reference)
            if not secrets.holds(fields.resource, place):
                self._add_escapes(fields.resource, place, text)

    def references(self) -> list[Reference]:
        """Return all references, explained by all that was told of them: what nobody tells of is text for a shell."""
        for reference in self._references:
            told = self._told_of(reference, reference.name)
            if findings.EMPTY_SUB_PATH in told:
                reference.state = LEFT
            if reference.state == UNDEFINED and not told:
                reference.state, reference.explanation = SHELL, _OF_SHELL
            elif reference.state == KNOWN:
                of_live = (message for name in reference.live for message in self._told_of(reference, name).values())
                reference.explanation = "; ".join(dict.fromkeys((reference.explanation, *told.values(), *of_live)))
            elif reference.state != ESCAPE:
                reference.explanation = "; ".join(told.values()) or reference.explanation
        return self._references

    def _told_of(self, reference: Reference, name: str) -> dict[str, str]:
        """Return what there was to tell of a name in the field of a reference, by reason."""
        return self._told.get((id(reference.resource), reference.place, name), {})

    def _add_escapes(self, resource: Resource, place: Place, text: str) -> None:
        for name in dict.fromkeys(syntax.escaped_names(text)):
            reference = Reference(resource, place, text, name)
            reference.state = ESCAPE
            reference.explanation = f"`$$({name})` is an escape of the text `$({name})`"
            self._references.append(reference)

    def _resolve(self, reference: Reference, here: Resolution) -> None:
        """Say what a name is in a field of a container."""
        reference.state = here.state
        reference.is_secret = here.value.is_secret
        reference.live = syntax.names(here.text or "")
        is_known = here.value.state == KNOWN
        is_variable = is_known and here.value.source == VARIABLES
        reference.explanation = self._variable(reference) if is_variable else here.value.reason
        if here.state == LEFT and is_known and here.value.source not in self._inline:
            reference.explanation += _NOT_INLINE.format(here.value.source)
        if not here.value.is_secret and (is_known or here.state == KNOWN):
            reference.value = here.value.text

    def _resolve_target(self, reference: Reference, value: str | None, fields: Fields) -> None:
        """Say what a name is in a target: one of the variables, or nothing."""
        is_variable = reference.name in fields.variables
        reference.is_secret = reference.place in fields.secrets or fields.variables.is_secret(reference.name)
        reference.explanation = self._variable(reference)
        if value is not None:
            reference.state = KNOWN
            reference.value = None if reference.is_secret else value
        elif is_variable:
            reference.explanation += _NOT_INLINE.format(VARIABLES)
        elif fields.variables.is_withheld(reference.name):
            reference.explanation = resolution.withheld(reference.name).value.reason
        else:
            reference.state = UNDEFINED

    def _variable(self, reference: Reference) -> str:
        """Return which variable a reference means, and who has given it its value."""
        name, called = reference.name, f"variable `{reference.name}`"
        given = self._kept.get(id(reference.resource), {}).get(name)
        if given is not None:
            return f"{called}, as {given.giver or 'the command line'} gave it in an earlier run"
        return f"{called} of the {'command line' if name in self._arguments else 'functionConfig'}"


def _text(resource: Resource, place: Place) -> str:
    return next((scalar.value for _, node in resource.find(place) if isinstance(scalar := resolved(node), Scalar)), "")
