"""Expand the fields of a workload that the kubelet expands (spec/expansion.md, 2.5 and 4): what to change, no more."""

from __future__ import annotations

from fn.expansion import environment, findings, syntax
from fn.expansion.environment import FORWARD, UNDEFINED, Environment
from fn.expansion.podspecs import CONTAINERS, PROBES
from fn.yamltree import edits
from fn.yamltree.nodes import Mapping, Sequence, resolved
from fn.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from fn.expansion.findings import Findings
    from fn.expansion.variables import Variables
    from fn.functionconfig.model import Config
    from fn.krm.fieldpath import FieldPath, Place
    from fn.krm.resource import Resource
    from fn.yamltree.edits import Edit

    Changes: TypeAlias = dict[Place, list[Edit]]


def expand(resource: Resource, pod_spec: FieldPath, variables: Variables, config: Config, found: Findings) -> Changes:
    """Return the changes of the scalars of a workload whose pod spec is at `pod_spec`."""
    changes: Changes = {}
    for place, container in containers(resource, pod_spec):
        changes |= _Container(resource, place, container, variables, config, found).expand()
    return changes


def containers(resource: Resource, pod_spec: FieldPath) -> Iterator[tuple[Place, Mapping]]:
    """Yield every container of a workload with its place: init containers, containers, ephemeral ones."""
    for place, node in resource.find(pod_spec):
        spec = resolved(node)
        for key in CONTAINERS:
            listed = resolved(spec.get(key)) if isinstance(spec, Mapping) else None
            for index, kid in enumerate(listed.kids if isinstance(listed, Sequence) else ()):
                container = resolved(kid)
                if isinstance(container, Mapping):
                    yield (*place, key, index), container


class _Container:
    """One container while its fields are expanded, in the order in which the kubelet does."""

    def __init__(  # noqa: PLR0913 - what a container is expanded with
        self,
        resource: Resource,
        place: Place,
        container: Mapping,
        variables: Variables,
        config: Config,
        found: Findings,
    ) -> None:
        self._resource = resource
        self._place = place
        self._container = container
        self._variables = variables
        self._config = config
        self._found = found
        self._name = string(resolved(container.get("name"))) or str(place[-1])
        self._environment = Environment(container, variables, config)
        self._changes: Changes = {}

    def expand(self) -> Changes:
        """Return the changes of the container's fields."""
        probed = _probed_names(self._container)
        for index, entry in environment.entries(self._container):
            self._environment.declare(self._expand_entry(index, entry, probed))
        for key in ("command", "args"):
            words = resolved(self._container.get(key))
            for index, word in enumerate(words.kids if isinstance(words, Sequence) else ()):
                self._expand_field((*self._place, key, index), string(resolved(word)))
        return self._changes

    def _expand_entry(self, index: int, entry: Mapping, probed: set[str]) -> str | None:
        """Expand the value of an entry of `env`, and return its EnvVar text, None where only the kubelet will know it.

        One with `valueFrom` is left alone: a value beside it must be empty, or the API refuses it. So is one that an
        exec probe names: the probe sees what is written there, and would see the change (decision 26).
        """
        value = resolved(entry.get("value"))
        text = "" if data(value) is None else string(value)
        if text is None or data(entry.get("valueFrom")) is not None:
            return None
        place = (*self._place, "env", index, "value")
        commuted = self._expand_field(place, text)
        name = string(resolved(entry.get("name"))) or ""
        if name in probed and place in self._changes:
            del self._changes[place]
            message = f"a probe of container `{self._name}` sees `{name}` as it is written, so that is left alone"
            self._tell(findings.PROBE_USES_RAW_VALUE, name, message, place)
            return None
        return None if syntax.names(commuted) else syntax.doubled(syntax.value(commuted))

    def _expand_field(self, place: Place, text: str | None) -> str:
        """Note the change of one field, tell what there is to tell, and return its commuting form."""
        if text is None or "$" not in text:
            return text or ""
        known = {name: self._environment.resolve(name).text for name in syntax.names(text)}
        commuting = syntax.commuting_edits(text, known.get)
        if self._config.escapes == "Keep":
            made = commuting
        else:
            values = {name: syntax.value(of_name) for name, of_name in known.items() if of_name is not None}
            made = syntax.final_edits(text, values.get)
        if made:
            self._changes[place] = made
        commuted = edits.apply(text, commuting)
        self._tell_met(known, place)
        if "$(" in commuted:
            self._tell_left(commuted, place)
            self._tell_escapes(text, place)
        return commuted

    def _tell_met(self, met: Iterable[str], place: Place) -> None:
        """Tell of variables over which the container's own declaration wins."""
        for name in met:
            self._variables.mention(name)
            if self._environment.shadows(name):
                message = f"container `{self._name}` declares `{name}` itself, which wins over the variable"
                self._tell(findings.SHADOWED, name, message, place)

    def _tell_left(self, text: str, place: Place) -> None:
        """Tell of the references in an expanded text that the kubelet will leave as they are, as far as is known."""
        for name in dict.fromkeys(syntax.names(text)):
            state = self._environment.resolve(name).state
            if state == FORWARD:
                self._tell_forward(name, place)
            elif state == UNDEFINED and self._is_meant(name):
                message = f"nothing defines `$({name})` in container `{self._name}`: it stays as it is written"
                self._tell(findings.UNRESOLVED_REFERENCE, name, message, place)

    def _is_meant(self, name: str) -> bool:
        """Say whether `$(name)` is meant as a reference: no other syntax, and no command of a shell (decision 27)."""
        return environment.is_name(name) and not (name.islower() and environment.starts_shell(self._container))

    def _tell_forward(self, name: str, place: Place) -> None:
        entry = string(next((node for _, node in self._resource.find((*place[:-1], "name"))), None))
        if entry == name:
            message = f"`$({name})` refers to itself, and nothing above it in container `{self._name}` declares it"
        else:
            message = f"container `{self._name}` declares `{name}` below `{entry}`: move `{name}` above it"
        self._tell(findings.FORWARD_REFERENCE, name, f"{message}; the kubelet leaves it as it is written", place)

    def _tell_escapes(self, text: str, place: Place) -> None:
        """Tell of `$$(NAME)` that is kept, where NAME is a variable: who wrote that may have wanted its value."""
        for name in syntax.escaped_names(text):
            if name in self._variables and self._config.escapes == "Keep":
                message = f"`$$({name})` is an escape: container `{self._name}` gets the text `$({name})`"
                self._tell(findings.ESCAPE_KEPT, name, message, place)

    def _tell(self, reason: str, name: str, message: str, place: Place) -> None:
        self._found.add(self._resource, reason, name, message, place, container=self._name)


def _probed_names(container: Mapping) -> set[str]:
    """Return the names that the exec probes of a container refer to: they see raw values (spec/expansion.md, 2.5)."""
    names: set[str] = set()
    for probe in PROBES:
        node = resolved(container.get(probe))
        for key in ("exec", "command"):
            node = resolved(node.get(key)) if isinstance(node, Mapping) else None
        for word in node.kids if isinstance(node, Sequence) else ():
            names.update(syntax.names(string(resolved(word)) or ""))
    return names
