"""Expand fields that the kubelet never does, because a functionConfig names them: in the final form (decisions 22, 23)."""

from __future__ import annotations

from fn.expansion import environment, findings, podspecs, presets, syntax
from fn.krm import fieldpath
from fn.krm.fieldpath import WILDCARD
from fn.krm.resource import BOOKKEEPING
from fn.krm.results import ERROR, Result
from fn.krm.selector import any_matches
from fn.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from fn.yamltree.scalars import Verbatim, is_json_value, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TypeAlias

    from fn.expansion.findings import Findings
    from fn.expansion.variables import Variables
    from fn.functionconfig.model import Config, Target
    from fn.krm.fieldpath import FieldPath, Place
    from fn.krm.resource import Resource
    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node

    Changes: TypeAlias = dict[Place, list[Edit]]


class Targets:
    """The targets of a functionConfig, and which of those that are required have led to a field."""

    def __init__(self, config: Config, variables: Variables, found: Findings) -> None:
        self._config = config
        self._variables = variables
        self._found = found
        self._reached: set[str] = set()
        self._refused: list[Result] = []

    def expand(self, resource: Resource) -> tuple[Changes, dict[Place, Verbatim]]:
        """Return the changes of parts of scalars of a resource, and the scalars that get another type as a whole."""
        changes: Changes = {}
        retyped: dict[Place, Verbatim] = {}
        for place, scalar in self._scalars(resource):
            text = string(scalar)
            if text is None or "$" not in text or place in changes or place in retyped:
                continue
            known = {name: self._value(resource, name, place) for name in dict.fromkeys(syntax.names(text))}
            if all(value is None for value in known.values()):
                continue
            made = syntax.final_edits(text, known.get)
            whole = len(made) == 1 and (made[0].start, made[0].end) == (0, len(text))
            if whole and scalar.style == "" and is_json_value(made[0].text):
                retyped[place] = Verbatim(made[0].text)
            else:
                changes[place] = made
        return changes, retyped

    def errors(self) -> list[Result]:
        """Return what is wrong with the targets, once all items were met."""
        message = "this target is required, and leads to no field of any item"
        missing = [target.path for target in self._config.targets if target.required and target.path not in self._reached]
        return [
            *self._refused,
            *(Result(message, ERROR, "RequiredTarget", ref=self._config.ref, field=path) for path in missing),
        ]

    def tell_untargeted(self, resource: Resource, expanded: Collection[Place]) -> None:
        """Tell of variables that are still referred to once fields of a resource, those in `expanded`, were changed."""
        if not self._variables.may_be_in(resource.text):
            return
        pod_spec = podspecs.path_of(resource)
        for place, text in _texts(resource.root, ()):
            mine = [name for name in dict.fromkeys(syntax.names(text)) if name in self._variables]
            if not mine or place in expanded or is_bookkeeping(place):
                continue
            if pod_spec is not None and podspecs.is_expanded(place, pod_spec):
                continue
            entry = _entry_for(resource, place)
            for name in mine:
                self._variables.use(name)
                message = f"`$({name})` stays: this field is expanded only as a target, `targets: [{entry}]`"
                self._found.add(resource, findings.UNTARGETED_REFERENCE, name, message, place)

    def _scalars(self, resource: Resource) -> Iterator[tuple[Place, Scalar]]:
        """Yield the scalars that targets lead to, but for the books that are kept in annotations."""
        for path, target in self._paths(resource):
            for place, node in resource.find(path):
                if target is not None:
                    self._reached.add(target.path)
                scalar = resolved(node)
                if isinstance(scalar, Scalar) and not is_bookkeeping(place) and self._is_allowed(resource, place, target):
                    yield place, scalar

    def _paths(self, resource: Resource) -> Iterator[tuple[FieldPath, Target | None]]:
        """Yield every path into a resource with its target; None for what came with `kustomizeVars`."""
        for target in self._config.targets:
            if (not target.select or any_matches(target.select, resource)) and not any_matches(target.reject, resource):
                paths = presets.PRESETS[target.preset](resource) if target.preset else target.field_paths
                yield from ((path, target) for path in paths)
        if self._config.kustomize_vars:
            yield from ((path, None) for path in presets.kustomize_vars(resource))

    def _is_allowed(self, resource: Resource, place: Place, target: Target | None) -> bool:
        pod_spec = podspecs.path_of(resource)
        if target is None or pod_spec is None or not podspecs.is_expanded(place, pod_spec):
            return True
        message = f"the kubelet expands this field, so it is expanded anyway and cannot be a target: see `{target.path}`"
        self._refused.append(resource.result(message, ERROR, "InvalidTarget", place))
        return False

    def _value(self, resource: Resource, name: str, place: Place) -> str | None:
        """Return the value of a name, None for one that stays as it is written."""
        if name in self._variables:
            text = self._variables.use(name)
            return syntax.value(text) if environment.VARIABLES in self._config.inline else None
        if environment.is_name(name):
            message = f"no variable `{name}` is declared, so `$({name})` stays as it is written"
            self._found.add(resource, findings.UNRESOLVED_REFERENCE, name, message, place)
        return None


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


def _entry_for(resource: Resource, place: Place) -> str:
    """Return the entry of `targets` that makes the field at `place` one, for all objects of its kind."""
    path = tuple(WILDCARD if isinstance(step, int) else step for step in place)
    for name, preset in presets.PRESETS.items():
        if any(_covers(other, path) for other in preset(resource)):
            return f"{{preset: {name}}}"
    return f'{{select: {{kind: {resource.kind}}}, fieldPaths: ["{fieldpath.to_text(path)}"]}}'


def _covers(preset: FieldPath, path: FieldPath) -> bool:
    return len(preset) == len(path) and all(
        step in (WILDCARD, of_path) for step, of_path in zip(preset, path, strict=True)
    )
