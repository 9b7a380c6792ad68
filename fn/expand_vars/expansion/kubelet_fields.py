"""The edits of the fields that the kubelet expands, container by container (docs/expansion.md, "Which fields")."""

from __future__ import annotations

from expand_vars.expansion import containers
from expand_vars.expansion.environment import Environment, ProbeEnvironment, Raw
from expand_vars.expansion.reports import Reports
from expand_vars.expansion.resolution import KNOWN, UNKNOWN, Value
from expand_vars.functionconfig.model import LITERALS, VARIABLES
from krm import syntax
from krm.yamltree import edits
from krm.yamltree.nodes import mapping_at, resolved, text_at
from krm.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.explanation import Met
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.run import Run
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.edits import EditsByPlace
    from krm.yamltree.nodes import Mapping


def expand(resource: Resource, run: Run) -> EditsByPlace:
    """Return the edits of the containers of a workload, none for any other resource."""
    found: EditsByPlace = {}
    workload = run.pod_specs.of(resource)
    if workload is None:
        return found
    for container in containers.of_workload(resource, workload, run.pod_specs.paths_of(resource)):
        expanded = _ExpandedContainer(container, run)
        expanded.expand()
        if run.explanation is not None:
            run.explanation.meet(container, expanded.met)
        else:
            resource.secrets |= expanded.secrets
        found |= expanded.edits
    return found


class _ExpandedContainer:
    """One container: its fields are expanded in the kubelet's order, and their edits collected.

    `met` are the fields with references: each with its place, its text, and what its names are there.
    """

    def __init__(self, container: Container, run: Run) -> None:
        self.edits: EditsByPlace = {}
        self.met: list[Met] = []
        self.secrets: set[Place] = set()
        self._container = container
        self._run = run
        self._environment = Environment(container, run)
        self._reports = Reports(container, self._environment, run)

    def expand(self) -> None:
        """Collect the edits of the container's fields."""
        # The order of the kubelet: an entry sees those above it, everything else sees all of `env`.
        for index, name, entry in self._container.entries:
            self._environment.declare(self._expand_entry(index, name, entry))
        for place, text in self._container.words():
            self._expand_field(place, text)
        # The kubelet refuses to start a container with an empty variable in here: "missing value for".
        for place, text in self._container.sub_paths():
            self._expand_field(place, text, may_be_empty=False)
        self._expand_probes()
        self._reports.report_unexpanded()

    def _expand_entry(self, index: int, name: str, entry: Mapping) -> Value | Mapping:
        """Expand an entry of `env`, and return its value, or its source."""
        # An entry with `valueFrom` is left alone: the API refuses any value beside it that is not empty.
        text, source, called = _written(entry), entry.get("valueFrom"), f"entry `{name}` of `env`"
        if not name:
            self._reports.report_name(index, text_at(entry, "name"))
        has_source = source is not None and data(source) is not None
        # The API takes a source beside an empty value, which some tools write.
        if text == "" and has_source:
            return mapping_at(source) or Value(UNKNOWN, LITERALS, f"{called} has a source that is none")
        if text is None or has_source:
            self._reports.report_refused(index, name, entry, has_source=has_source)
            return Value(UNKNOWN, LITERALS, f"{called} has a value that the API refuses")
        # Most values have none, and need no lookup.
        if "$" not in text:
            return Value(KNOWN, LITERALS, called, text)
        place = (*self._container.place, "env", index, "value")
        commuted = self._expand_field(place, text)
        return self._environment.evaluated(name, commuted, is_secret=place in self.secrets)

    def _expand_field(self, place: Place, text: str, *, may_be_empty: bool = True) -> str:
        """Collect the change of one field, report on its references, and return its commuting form."""
        if "$" not in text:
            return text
        met = {name: self._environment.resolve(name) for name in dict.fromkeys(syntax.names(text))}
        self.met.append((place, text, met))
        empty = {} if may_be_empty else {name: here.empty for name, here in met.items() if here.empty is not None}
        whole = {name: here for name, here in met.items() if name not in empty} if empty else met
        commuted = self._note(place, text, whole)
        self._reports.report_met(met, place)
        for name, empty_name in empty.items():
            self._reports.report_empty(name, empty_name, place)
        # Only what stays is worth a word: a name that got its value is nobody's problem.
        if "$(" in commuted:
            self._reports.report_left(self._without_kept(place, text, met), place)
            self._reports.report_escapes(text, place)
        return commuted

    def _expand_probes(self) -> None:
        """Expand the commands of exec probes, which see the values of `env` as written."""
        seen: ProbeEnvironment | None = None
        for command in self._container.probes():
            for place, text in command:
                if "$" in text:
                    seen = seen or ProbeEnvironment(self._raw_values(), self._container, self._run)
                    met = {name: seen.resolve(name) for name in dict.fromkeys(syntax.names(text))}
                    self.met.append((place, text, met))
                    self._note(place, text, met)
                    left = {name: here for name, here in met.items() if self._kept(place, name, here) is None}
                    self._reports.report_probe(left, seen, place, [word for _, word in command])
                    self._reports.report_escapes(text, place)

    def _raw_values(self) -> dict[str, Raw]:
        """Return the values of `env` as written, the last of each name, but of those that come in front of `env`."""
        raw: dict[str, Raw] = {}
        in_front = self._container.pod.facts.in_front
        for index, name, entry in (one for one in self._container.entries if one[1] not in in_front):
            text = _written(entry) if data(entry.get("valueFrom")) is None else None
            place = (*self._container.place, "env", index, "value")
            raw[name] = Raw(text, is_rewritten=place in self.edits)
        return raw

    def _note(self, place: Place, text: str, met: dict[str, Resolution]) -> str:
        """Collect the change that the known names make to a field, and return its commuting form."""
        known: dict[str, str] = {}
        kept: dict[str, str] = {}
        for name, here in met.items():
            if here.text is not None:
                known[name] = here.text
                if here.value.is_secret:
                    self.secrets.add(place)
            elif (stands := self._kept(place, name, here)) is not None:
                kept[name] = stands
        known |= kept
        own = {name for name, here in met.items() if here.value.state == KNOWN and here.value.source != VARIABLES}
        if self._run.leaves(place, known, met, own):
            return text
        # docs/expansion.md, "The two forms": the kubelet expands once more behind us.
        commuting = syntax.commuting_edits(text, known.get)
        made = commuting
        if self._run.config.escapes != "Keep":
            # What stands there stands in that form already.
            values = {name: syntax.value(of_name) for name, of_name in known.items()} | kept
            made = syntax.final_edits(text, values.get)
        # The commuting form is what later entries see, whichever form is written.
        if made:
            self.edits[place] = made
        return edits.apply(text, commuting)

    def _without_kept(self, place: Place, text: str, met: dict[str, Resolution]) -> str:
        """Return the commuting form of a field without the texts that stay: what looks like a name there is none."""
        kept = {name for name, here in met.items() if self._kept(place, name, here) is not None}
        return syntax.commute(text, lambda name: "" if name in kept else met[name].text)

    def _kept(self, place: Place, name: str, here: Resolution) -> str | None:
        """Return the text that stays for a name without a value (docs/runs-in-place.md, "What a name gets")."""
        text, value = self._run.kept(place, name), here.value
        # An entry that refers to its own name has no other value than the one that stands there.
        if text is None or here.text is not None or self._environment.is_further_down(name):
            return None
        if value.state == KNOWN or value.source == VARIABLES:
            # `inline` leaves the value out. Whoever writes that word wants the reference back.
            if "inline" in self._run.config.stated:
                return None
            return syntax.doubled(value.text) if value.source == LITERALS and not value.is_secret else text
        return None if self._environment.is_own(name) else text


def _written(entry: Mapping) -> str | None:
    """Return the `value` of an entry of `env`, empty where it has none, None for one that is no string."""
    value = resolved(entry.get("value"))
    return "" if data(value) is None else string(value)
