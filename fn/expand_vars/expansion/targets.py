"""Targets: fields that a functionConfig names, by path or by preset, and that are expanded in the final form.

docs/expansion.md, "Further fields: targets".
"""

from __future__ import annotations

from functools import partial

from expand_vars.expansion import containers, findings, presets, target_values
from expand_vars.expansion.run import holds
from expand_vars.expansion.target_values import TargetValues
from krm import syntax
from krm.resource import BOOKKEEPING
from krm.results import ERROR, Result, notice
from krm.selector import is_selected
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from expand_vars.expansion.explanation import MetTarget
    from expand_vars.expansion.run import Run
    from expand_vars.functionconfig.model import Target
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.edits import Edit, EditsByPlace
    from krm.yamltree.nodes import Node


class Fields:
    """The targets in one resource, and their edits.

    `met` are the fields with references; a name without a value stays.
    `open` are the fields that take the type of their value.
    """

    __slots__ = ("edits", "met", "open", "places", "resource")

    def __init__(self, resource: Resource, places: Collection[Place]) -> None:
        self.resource = resource
        self.places = places
        self.edits: EditsByPlace = {}
        self.met: list[MetTarget] = []
        self.open: set[Place] = set()

    def change(self, place: Place, scalar: Scalar, made: list[Edit]) -> None:
        """Collect the change of a field."""
        self.edits[place] = made
        if target_values.is_open(self.resource, place, scalar, made):
            self.open.add(place)


class Targets:
    """The targets of a functionConfig, and which of them have led to a field."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reached: set[str] = set()
        self._refused: list[Result] = []

    def expand(self, resource: Resource) -> Fields:
        """Return the targets in a resource. A text without a known name never changes."""
        scalars = self._scalars(resource) | self._in_comments(resource)
        fields = Fields(resource, scalars.keys())
        form = TargetValues(resource, self._run)
        for place, scalar in scalars.items():
            text = string(scalar)
            # A number, a boolean and null hold no reference.
            if text is None or "$" not in text:
                continue
            known = {name: form.value(name, place) for name in dict.fromkeys(syntax.names(text))}
            given = {name: value for name, value in known.items() if value is not None}
            if self._run.leaves(place, given, known):
                continue
            fields.met.append((place, text, known, place in form.secrets))
            made = syntax.plain_edits(text, known.get, partial(self._is_unescaped, place))
            if made:
                fields.change(place, scalar, made)
        if self._run.explanation is None:  # which writes nothing
            resource.secrets |= form.secrets
        return fields

    def _is_unescaped(self, place: Place, name: str) -> bool:
        """True if `$$(NAME)` becomes `$(NAME)` in a field: the name is declared, or that stands there already."""
        field = None if self._run.memory is None else self._run.memory.fields.get(place)
        if name in self._run.variables:
            self._run.variables.mention(name)
        return name in self._run.variables or (field is not None and name in field.unescaped)

    def errors(self) -> list[Result]:
        """Return the errors of the targets, once all items are expanded."""
        message = "this target is required, and leads to no field of any item: mend its path or its selector"
        missing = [one.path for one in self._run.config.targets if one.required and one.path not in self._reached]
        return [
            *self._refused,
            *(Result(message, ERROR, "RequiredTarget", ref=self._run.config.ref, field=path) for path in missing),
        ]

    def report_untargeted(self, resource: Resource, fields: Fields) -> None:
        """Report references to variables in fields that are neither targets nor expanded by the kubelet."""
        # Most items mention no variable: they need no walk through their scalars.
        if not self._run.variables.may_be_in(resource.own_text):
            return
        places: dict[str, list[Place]] = {}
        for place, text in containers.texts(resource.root, ()):
            if place in fields.places or is_bookkeeping(place) or self._run.pod_specs.is_expanded(resource, place):
                continue
            for name in syntax.names(text):
                if name in self._run.variables:
                    places.setdefault(name, []).append(place)
        if not places:
            return
        from expand_vars.expansion import suggestions  # noqa: PLC0415 - most runs have nothing to suggest

        for name, of_name in places.items():
            self._run.variables.mention(name)
            if suggestions.has_own_syntax(resource):
                own = f"`$(...)` is syntax of `{resource.kind}` itself, and the variable `{name}` is not inserted there"
                reason, why = findings.OWN_SYNTAX, own
            else:
                reason = findings.UNTARGETED_REFERENCE
                why = suggestions.advice(resource, of_name, self._run.pod_specs, self._run.config.ref)
            message = f"`$({name})` stays: {why}"
            self._run.findings.add(resource, reason, name, message, *of_name)

    def _scalars(self, resource: Resource) -> dict[Place, Scalar]:
        """Return the scalars that targets lead to, without the annotations in which tools keep their own data."""
        found: dict[Place, Scalar] = {}
        for target in self._run.config.targets:
            if is_selected(resource, target.select, target.reject):
                of_target = self._nodes(target, resource)
                self._note(target, resource, of_target)
                found |= _expandable(of_target)
        if self._run.config.kustomize_vars:
            found |= _expandable(
                dict(
                    node for path in presets.of_kustomize(resource, self._run.pod_specs) for node in resource.find(path)
                )
            )
        return found

    def _in_comments(self, resource: Resource) -> dict[Place, Scalar]:
        """Return the scalars with a template in a comment, but for those that the kubelet expands."""
        places = () if self._run.memory is None else self._run.memory.fields
        found = (place for place in places if not self._run.pod_specs.is_expanded(resource, place))
        return _expandable(dict(node for place in found for node in resource.find(place)))

    def _nodes(self, target: Target, resource: Resource) -> dict[Place, Node]:
        """Return the nodes that a target leads to in a resource that it selects."""
        preset = presets.PRESETS[target.preset] if target.preset else None
        paths = preset(resource, self._run.pod_specs) if preset else target.field_paths
        return dict(node for path in paths for node in resource.find(path))

    def without_effect(self) -> Iterator[Result]:
        """Yield a warning for each target that leads to no field of any item, also of those without a reference."""
        for target in self._run.config.targets:
            if target.required or target.path in self._reached:
                continue
            if not any(holds(item, partial(self._leads, target)) for item in self._run.items):
                message = (
                    "this target leads to no field of any item, so it has no effect: mend its path or its selector"
                )
                yield notice(message, findings.NO_EFFECT, ref=self._run.config.ref, field=target.path)

    def _leads(self, target: Target, item: Resource) -> bool:
        """True if a target leads to a field of an item."""
        return is_selected(item, target.select, target.reject) and bool(self._nodes(target, item))

    def _note(self, target: Target, resource: Resource, places: Iterable[Place]) -> None:
        """Note that a target leads to some fields. It is an error if the kubelet expands them."""
        refused = [place for place in places if self._run.pod_specs.is_expanded(resource, place)]
        # A field that is refused was found all the same: the path is no misspelling.
        if places:
            self._reached.add(target.path)
        # Both forms in one field: the kubelet would take one more layer off every `$$`.
        if refused:
            message = (
                f"the kubelet expands this, so it is expanded anyway and is no target: remove it from `{target.path}`"
            )
            self._refused.append(resource.result(message, ERROR, "InvalidTarget", *refused))


def is_bookkeeping(place: Place) -> bool:
    """True if a field is an annotation in which tools keep their own data."""
    key = place[-1]
    return place[:-1] == ("metadata", "annotations") and isinstance(key, str) and key.startswith(BOOKKEEPING)


def _expandable(nodes: dict[Place, Node]) -> dict[Place, Scalar]:
    """Return the nodes that are scalars, without the annotations in which tools keep their own data."""
    scalars = {place: resolved(node) for place, node in nodes.items() if not is_bookkeeping(place)}
    return {place: scalar for place, scalar in scalars.items() if isinstance(scalar, Scalar)}
