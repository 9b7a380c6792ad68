"""Expand fields that the kubelet does not, where a functionConfig names them: in the final form (decisions 22, 23)."""

from __future__ import annotations

import re

from expand_vars.expansion import finalform, findings, presets, secrets, syntax
from expand_vars.expansion.finalform import FinalForm
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.resource import BOOKKEEPING
from krm.results import ERROR, Result
from krm.selector import any_matches
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.scalars import Verbatim, double_quoted, is_json_value, leaf, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import TypeAlias

    from expand_vars.expansion.findings import Findings
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config, Target
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.workloads import PodSpecs
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node

    Changes: TypeAlias = dict[Place, list[Edit]]


class Fields:
    """The fields of a resource that are targets, and what changes in them, with the variables that it sees.

    `met` are those that hold references, each with its text and the values of its names, None for one that stays.
    `open` are those of which the type is that of their value, whatever that is; `retyped` those that are no string;
    `secrets` those that get something secret.
    """

    __slots__ = ("changes", "met", "open", "places", "resource", "retyped", "secrets", "variables")

    def __init__(self, resource: Resource, variables: Variables, places: Collection[Place]) -> None:
        self.resource = resource
        self.variables = variables
        self.places = places
        self.changes: Changes = {}
        self.met: list[tuple[Place, str, dict[str, str | None]]] = []
        self.open: set[Place] = set()
        self.retyped: dict[Place, Verbatim] = {}
        self.secrets: set[Place] = set()

    def change(self, place: Place, scalar: Scalar, made: list[Edit]) -> None:
        """Note the change of a field. What a Secret holds is secret."""
        self.changes[place] = made
        if secrets.holds(self.resource, place):
            self.secrets.add(place)
        elif finalform.is_open(self.resource, place, scalar, made):
            self.open.add(place)
            if is_json_value(made[0].text):
                self.retyped[place] = Verbatim(made[0].text)


class Targets:
    """The targets of a functionConfig, and which of those that are required have led to a field."""

    def __init__(self, config: Config, variables: Variables, pod_specs: PodSpecs, found: Findings) -> None:
        self._config = config
        self._pod_specs = pod_specs
        self._variables = variables
        self._found = found
        self._reached: set[str] = set()
        self._refused: list[Result] = []

    def expand(self, resource: Resource, variables: Variables) -> Fields:
        """Return what is to change in the fields of a resource. Where no reference is replaced nothing does."""
        scalars = self._scalars(resource)
        fields = Fields(resource, variables, scalars.keys())
        form = FinalForm(resource, variables, self._config, self._found)
        for place, scalar in scalars.items():
            text = string(scalar)
            if text is None or "$" not in text:
                continue
            known = {name: form.value(name, place) for name in dict.fromkeys(syntax.names(text))}
            fields.met.append((place, text, known))
            if any(value is not None for value in known.values()):
                fields.change(place, scalar, syntax.final_edits(text, known.get))
        fields.secrets |= form.secrets
        return fields

    def errors(self) -> list[Result]:
        """Return what is wrong with the targets, once all items were met."""
        message = "this target is required, and leads to no field of any item"
        missing = [one.path for one in self._config.targets if one.required and one.path not in self._reached]
        return [
            *self._refused,
            *(Result(message, ERROR, "RequiredTarget", ref=self._config.ref, field=path) for path in missing),
        ]

    def tell_untargeted(self, resource: Resource, fields: Fields) -> None:
        """Tell of variables that are referred to in fields that are neither targets nor expanded by the kubelet."""
        if not self._variables.may_be_in(resource.text):
            return
        entries: dict[str, dict[Place, str]] = {}
        for place, text in _texts(resource.root, ()):
            if place in fields.places or is_bookkeeping(place) or self._pod_specs.is_expanded(resource, place):
                continue
            for name in syntax.names(text):
                if name in self._variables:
                    entries.setdefault(name, {})[place] = self._entry_for(resource, place)
        for name, of_name in entries.items():
            self._variables.mention(name)
            listed = ", ".join(dict.fromkeys(of_name.values()))
            message = f"`$({name})` stays: this field is expanded only as a target, `targets: [{listed}]`"
            self._found.add(resource, findings.UNTARGETED_REFERENCE, name, message, *of_name)

    def _scalars(self, resource: Resource) -> dict[Place, Scalar]:
        """Return the scalars that targets lead to, but for the books that are kept in annotations."""
        found: dict[Place, Scalar] = {}
        for target in self._config.targets:
            if (not target.select or any_matches(target.select, resource)) and not any_matches(target.reject, resource):
                preset = presets.PRESETS[target.preset] if target.preset else None
                paths = preset(resource, self._pod_specs) if preset else target.field_paths
                of_target = dict(node for path in paths for node in resource.find(path))
                self._note(target, resource, of_target)
                found |= _expandable(of_target)
        if self._config.kustomize_vars:
            found |= _expandable(
                dict(node for path in presets.kustomize_vars(resource, self._pod_specs) for node in resource.find(path))
            )
        return found

    def _note(self, target: Target, resource: Resource, places: Iterable[Place]) -> None:
        """Note that a target has led to some fields; it is an error if the kubelet expands them (decision 22)."""
        refused = [place for place in places if self._pod_specs.is_expanded(resource, place)]
        if places:
            self._reached.add(target.path)
        if refused:
            message = f"the kubelet expands this, so it is expanded anyway and cannot be a target: see `{target.path}`"
            self._refused.append(resource.result(message, ERROR, "InvalidTarget", *refused))

    def _entry_for(self, resource: Resource, place: Place) -> str:
        """Return the entry of `targets` that makes the field at `place` one, for all objects of its kind."""
        path = tuple(WILDCARD if isinstance(step, int) else step for step in place)
        for name, preset in presets.PRESETS.items():
            if any(_covers(other, path) for other in preset(resource, self._pod_specs)):
                return f"{{preset: {name}}}"
        # A kind by the name of a workload's, in another group, has other fields than that.
        foreign = resource.group and self._pod_specs.path_of(resource) is None
        group = f"group: {leaf(re.escape(resource.group), flow=True)}, " if foreign else ""
        kind = leaf(re.escape(resource.kind), flow=True)
        return f"{{select: {{{group}kind: {kind}}}, fieldPaths: [{double_quoted(fieldpath.to_text(path))}]}}"


def is_bookkeeping(place: Place) -> bool:
    """Say whether a field is an annotation by which tools keep their books (decision 34)."""
    key = place[-1]
    return place[:-1] == ("metadata", "annotations") and isinstance(key, str) and key.startswith(BOOKKEEPING)


def _texts(node: Node | None, place: Place) -> Iterator[tuple[Place, str]]:
    """Yield every string below `node` that may refer to something, with its place."""
    node = resolved(node)
    if isinstance(node, Scalar):
        if "$(" in node.value:
            yield place, node.value
    elif isinstance(node, Mapping):
        for key, value in node.items():
            yield from _texts(value, (*place, key))
    elif isinstance(node, Sequence):
        for index, element in enumerate(node.kids):
            yield from _texts(element, (*place, index))


def _expandable(nodes: dict[Place, Node]) -> dict[Place, Scalar]:
    scalars = {place: resolved(node) for place, node in nodes.items() if not is_bookkeeping(place)}
    return {place: scalar for place, scalar in scalars.items() if isinstance(scalar, Scalar)}


def _covers(preset: FieldPath, path: FieldPath) -> bool:
    return len(preset) == len(path) and all(
        step in (WILDCARD, of_path) for step, of_path in zip(preset, path, strict=True)
    )
