"""Expand the fields of a workload that the kubelet expands (spec/expansion.md, 2.5 and 4): what to change, no more."""

from __future__ import annotations

from expand_vars.expansion import containers, syntax
from expand_vars.expansion.environment import Environment
from expand_vars.expansion.probes import ProbeEnvironment, Raw
from expand_vars.expansion.telling import Teller
from expand_vars.expansion.values import KNOWN, LITERALS, UNKNOWN, Value
from krm.yamltree import edits
from krm.yamltree.nodes import resolved
from krm.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.explaining import Explanation, Met
    from expand_vars.expansion.findings import Findings
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Mapping

    Changes: TypeAlias = dict[Place, list[Edit]]


class References:
    """Expands the references of workloads, as `config` says. Who wants an explanation gets all that was met."""

    def __init__(
        self, config: Config, cluster: Cluster, found: Findings, explanation: Explanation | None = None
    ) -> None:
        self._config = config
        self._cluster = cluster
        self._found = found
        self._explanation = explanation

    def expand(self, resource: Resource, pod_spec: FieldPath, variables: Variables) -> tuple[Changes, set[Place]]:
        """Return the changes of the scalars of a workload whose pod spec is at `pod_spec`, and which will be secret."""
        changes: Changes = {}
        secrets: set[Place] = set()
        for container in containers.of_workload(resource, pod_spec):
            environment = Environment(container, variables, self._config, self._cluster)
            teller = Teller(container, environment, variables, self._config, self._found)
            expansion = _Expansion(container, environment, variables, self._config, teller)
            expansion.expand()
            if self._explanation is not None:
                self._explanation.meet(container, expansion.met)
            changes |= expansion.changes
            secrets |= expansion.secrets
        return changes, secrets


class _Expansion:
    """One container while its fields are expanded, in the order in which the kubelet does."""

    def __init__(
        self, container: Container, environment: Environment, variables: Variables, config: Config, teller: Teller
    ) -> None:
        self.changes: Changes = {}
        self.met: list[Met] = []
        self.secrets: set[Place] = set()
        self._container = container
        self._environment = environment
        self._variables = variables
        self._config = config
        self._teller = teller

    def expand(self) -> None:
        """Gather the changes of the container's fields."""
        for index, name, entry in self._container.entries:
            self._environment.declare(self._expand_entry(index, name, entry))
        for place, text in self._container.words():
            self._expand_field(place, text)
        for place, text in self._container.sub_paths():
            self._expand_field(place, text, may_be_empty=False)
        self._expand_probes()
        self._teller.tell_unexpanded()

    def _expand_entry(self, index: int, name: str, entry: Mapping) -> Value | Mapping:
        """Expand the value of an entry of `env`, and return its value, or the source that it has.

        One with `valueFrom` is left alone: a value beside it must be empty, or the API refuses it.
        """
        text, source, called = _written(entry), entry.get("valueFrom"), f"entry `{name}` of `env`"
        if text == "" and data(source) is not None:
            return containers.mapping(source) or Value(UNKNOWN, LITERALS, f"{called} has a source that is none")
        if text is None or data(source) is not None:
            return Value(UNKNOWN, LITERALS, f"{called} has a value that the API refuses")
        if "$" not in text:
            return Value(KNOWN, LITERALS, called, text)
        place = (*self._container.place, "env", index, "value")
        commuted = self._expand_field(place, text)
        return self._environment.evaluated(name, commuted, is_secret=place in self.secrets)

    def _expand_field(self, place: Place, text: str, *, may_be_empty: bool = True) -> str:
        """Note the change of one field, tell what there is to tell, and return its commuting form."""
        if "$" not in text:
            return text
        met = {name: self._environment.resolve(name) for name in dict.fromkeys(syntax.names(text))}
        self.met.append((place, text, met))
        empty = [] if may_be_empty else [name for name, here in met.items() if here.text == ""]
        commuted = self._note(place, text, {name: here for name, here in met.items() if name not in empty})
        self._teller.tell_met(met, place)
        for name in empty:
            self._teller.tell_empty(name, place)
        if "$(" in commuted:
            self._teller.tell_left(commuted, place)
            self._teller.tell_escapes(text, place)
        return commuted

    def _expand_probes(self) -> None:
        """Expand the commands of exec probes, in which the values of `env` are as they are written."""
        seen: ProbeEnvironment | None = None
        for command in self._container.probes():
            for place, text in command:
                if "$" in text:
                    seen = seen or ProbeEnvironment(self._raw_values(), self._variables, self._config)
                    met = {name: seen.resolve(name) for name in dict.fromkeys(syntax.names(text))}
                    self.met.append((place, text, met))
                    self._note(place, text, met)
                    self._teller.tell_probe(met, seen, place, [word for _, word in command])
                    self._teller.tell_escapes(text, place)

    def _raw_values(self) -> dict[str, Raw]:
        raw: dict[str, Raw] = {}
        for index, name, entry in self._container.entries:
            text = _written(entry) if data(entry.get("valueFrom")) is None else None
            place = (*self._container.place, "env", index, "value")
            withheld = self._variables.withheld_in(text or "")
            raw[name] = Raw(text, is_rewritten=place in self.changes or bool(withheld))
        return raw

    def _note(self, place: Place, text: str, met: dict[str, Resolution]) -> str:
        """Note the change that what its names are to makes to a field, and return its commuting form."""
        known = {name: here.text for name, here in met.items() if here.text is not None}
        commuting = syntax.commuting_edits(text, known.get)
        made = commuting
        if self._config.escapes != "Keep":
            values = {name: syntax.value(of_name) for name, of_name in known.items()}
            made = syntax.final_edits(text, values.get)
        if made:
            self.changes[place] = made
        if any(met[name].value.is_secret for name in known):
            self.secrets.add(place)
        return edits.apply(text, commuting)


def _written(entry: Mapping) -> str | None:
    """Return the `value` of an entry of `env`, None for one that is no string."""
    value = resolved(entry.get("value"))
    return "" if data(value) is None else string(value)
