"""The edits of the fields of containers that the kubelet expands (docs/reference/expansion.md, "Which fields")."""

from __future__ import annotations

from expand_vars.expansion import containers, findings, target_values
from expand_vars.expansion.environment import Environment, ProbeEnvironment, Raw
from expand_vars.expansion.resolution import FORWARD, KNOWN, UNDEFINED, UNKNOWN, EnvValue
from expand_vars.functionconfig.model import LITERALS, VARIABLES
from krm import syntax
from krm.syntax import TooLongError
from krm.workloads import SEE_ENV, SEE_RAW
from krm.yamltree import edits
from krm.yamltree.nodes import Scalar, mapping_at, resolved, text_at
from krm.yamltree.scalars import data, double_quoted, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.explanation import Met
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.run import Run
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.template_comments.memory import Memory
    from krm.yamltree.edits import EditsByPlace
    from krm.yamltree.nodes import Mapping

_IN_A_PATCH = "a kustomization names this file as a patch, and the object that it changes may declare the name"


def expand(resource: Resource, memory: Memory, run: Run, free: Sequence[tuple[Place, str]]) -> EditsByPlace:
    """Return the edits of the containers of a workload, none for any other resource.

    `free` are the texts with references that neither the kubelet nor this run expands.
    """
    found: EditsByPlace = {}
    for container in containers.of_workload(resource, run.pod_specs):
        expanded = _ExpandedContainer(container, memory, run)
        try:
            expanded.expand([(place, text) for place, text in free if place[: len(container.place)] == container.place])
        except TooLongError as error:
            raise findings.too_long(resource, expanded.place, error) from None
        if run.explanation is not None:
            run.explanation.meet(container, expanded.met, memory)
        else:
            resource.secrets |= expanded.secrets
        found |= expanded.edits
    return found


class _ExpandedContainer:
    """One container: its fields are expanded in the kubelet's order, and their edits collected.

    `met` are the fields with references: each with its place, its text, and what its names are there. `place` is the
    place of the field that is being expanded.
    """

    def __init__(self, container: Container, memory: Memory, run: Run) -> None:
        self.edits: EditsByPlace = {}
        self.met: list[Met] = []
        self.secrets: set[Place] = set()
        self.place: Place = ()
        self._container = container
        self._memory = memory
        self._run = run
        self._environment = Environment(container, run)
        self._reports = Reports(container, self._environment, run)

    def expand(self, free: Iterable[tuple[Place, str]]) -> None:
        """Collect the edits of the container's fields, and report on its texts that nobody expands."""
        # The order of the kubelet: an entry sees those above it, everything else sees all of `env`.
        for place, name, entry in self._container.entries:
            self._environment.declare(self._expand_entry(place, name, entry))
        for path in SEE_ENV:
            for place, text in self._container.texts(path):
                self._expand_field(place, text)
        self._expand_probes()
        self._reports.report_unexpanded(free)

    def _expand_entry(self, above: Place, name: str, entry: Mapping) -> EnvValue | Mapping:
        """Expand an entry of `env`, and return its value, or its source."""
        self.place = place = (*above, "value")
        # An entry with `valueFrom` is left alone: the API refuses any value beside it that is not empty.
        text, source, called = _written(entry), entry.get("valueFrom"), f"entry `{name}` of `env`"
        if not name:
            self._reports.report_name((*above, "name"), text_at(entry, "name"))
        has_source = source is not None and data(source) is not None
        # The API takes a source beside an empty value, which some tools write.
        if text == "" and has_source:
            return mapping_at(source) or EnvValue(UNKNOWN, f"{called} has a source that is none")
        if text is None or has_source:
            self._reports.report_refused(place, name, entry, has_source=has_source)
            return EnvValue(UNKNOWN, f"{called} has a value that the API refuses")
        # Most values have none, and need no lookup.
        if "$" not in text:
            return EnvValue(KNOWN, called, LITERALS, text)
        commuted = self._expand_field(place, text)
        return self._environment.evaluated(name, commuted, is_secret=place in self.secrets)

    def _expand_field(self, place: Place, text: str) -> str:
        """Collect the change of one field, report on its references, and return its commuting form."""
        if "$" not in text:
            return text
        self.place = place
        met = {name: self._environment.resolve(name) for name in dict.fromkeys(syntax.names(text))}
        self.met.append((place, text, met))
        empty: dict[str, str] = {}
        # The kubelet refuses to start a container with an empty variable in here: "missing value for".
        if place[-1] == "subPathExpr":
            empty = {name: here.empty for name, here in met.items() if here.empty is not None}
        whole = {name: here for name, here in met.items() if name not in empty} if empty else met
        commuted, kept = self._note(place, text, whole)
        self._reports.report_met(met, place)
        for name, empty_name in empty.items():
            self._reports.report_empty(name, empty_name, place)
        # Only a name that stays is reported.
        if "$(" in commuted:
            # The texts that stay are taken out, as they have no references.
            text_left = syntax.commute(text, lambda name: "" if name in kept else met[name].text)
            self._reports.report_left(text_left, place)
            self._reports.report_escapes(text, place)
        return commuted

    def _expand_probes(self) -> None:
        """Expand the commands of exec probes, which see the values of `env` as written."""
        seen: ProbeEnvironment | None = None
        for path in SEE_RAW:
            command = [*self._container.texts(path)]
            for place, text in command:
                if "$" in text:
                    self.place = place
                    seen = seen or ProbeEnvironment(self._raw_values(), self._environment, self._run)
                    met = {name: seen.resolve(name) for name in dict.fromkeys(syntax.names(text))}
                    self.met.append((place, text, met))
                    _, kept = self._note(place, text, met)
                    # An inserted text may refer to names, too.
                    live = [name for here in met.values() for name in syntax.names(here.text or "")]
                    left = {name: seen.resolve(name) for name in (*met, *live) if name not in kept}
                    self._reports.report_probe(left, seen, place, [word for _, word in command])
                    self._reports.report_escapes(text, place)

    def _raw_values(self) -> dict[str, Raw]:
        """Return the values of `env` as written, the last of each name, but of those that come in front of `env`."""
        raw: dict[str, Raw] = {}
        in_front = self._container.pod.facts.in_front
        # A text that cannot be read stays, as another run has rewritten it.
        rewritten = {*self.edits, *self._memory.unread}
        for place, name, entry in (one for one in self._container.entries if one[1] not in in_front):
            text = _written(entry) if data(entry.get("valueFrom")) is None else None
            raw[name] = Raw(text, is_rewritten=(*place, "value") in rewritten)
        return raw

    def _note(self, place: Place, text: str, met: dict[str, Resolution]) -> tuple[str, dict[str, str]]:
        """Collect what the known names change in a field. Return its commuting form, and the texts that others keep."""
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
        if not self._memory.note(place, known, own):
            return text, kept
        # docs/reference/expansion.md, "The three forms": the kubelet expands once more behind us.
        commuting = syntax.commuting_edits(text, known.get)
        made = commuting
        if self._run.config.escapes != "Keep":
            # The present text has that form already.
            values = {name: syntax.value(of_name) for name, of_name in known.items()} | kept
            made = syntax.final_edits(text, values.get)
        # The commuting form is what later entries see, whichever form is written.
        if made:
            self.edits[place] = made
        return edits.apply(text, commuting), kept

    def _kept(self, place: Place, name: str, here: Resolution) -> str | None:
        """Return what stays for a name without a value (docs/reference/runs-in-place.md, "What a name gets")."""
        text, value = self._memory.present_text(place, name), here.value
        # An entry that refers to its own name has no other value than the one that stands there.
        if text is None or here.text is not None or self._environment.is_further_down(name):
            return None
        if value.state == KNOWN or value.source == VARIABLES:
            # `inline` leaves the value out: its author wants the reference back.
            if "inline" in self._run.config.stated:
                return None
            return syntax.doubled(value.text) if value.source == LITERALS and not value.is_secret else text
        return None if self._environment.is_own(name) else text


def _written(entry: Mapping) -> str | None:
    """Return the `value` of an entry of `env`, empty where it has none, None for one that is no string."""
    value = resolved(entry.get("value"))
    return "" if data(value) is None else string(value)


class Reports:
    """Reports on the references of one container, at the point that its environment has come to."""

    def __init__(self, container: Container, environment: Environment, run: Run) -> None:
        self._container = container
        self._environment = environment
        self._run = run
        self._in = f"container `{container.name}`"
        self._no_texts: set[str] = set()

    def report_met(self, met: dict[str, Resolution], place: Place) -> None:
        """Report the variables over which the container's own declaration wins."""
        for name, here in met.items():
            self._run.variables.mention(name)
            # Where the variable itself has won, which is nearly everywhere, nothing is in front of it.
            if here.value.source != VARIABLES and self._environment.shadows(name):
                if set_later := self._environment.set_at_run_time(name):
                    who, remedy = f"`{name}` of {self._in}: {set_later.reason}", ""
                else:
                    who, remedy = f"{self._in} declares `{name}` itself", ", or change `lookup`"
                wins = "and that value wins over the variable's: rename the variable if both are meant"
                self._add(findings.SHADOWED, name, f"{who}, {wins}{remedy}", place)

    def report_left(self, text: str, place: Place) -> None:
        """Report the references in an expanded text that, as far as is known, the kubelet will leave as written."""
        for name in dict.fromkeys(syntax.names(text)):
            here = self._environment.resolve(name)
            if here.state == FORWARD:
                self._report_forward(name, place)
            # A name that the cluster will define is as it should be, and is not reported.
            elif here.value.finding == findings.RUNTIME_NAME:
                self._report_value(name, here, place)
            elif here.state == UNDEFINED or here.value.finding:
                self._report_undefined(name, here, place, self._container.words())

    def report_refused(self, place: Place, name: str, entry: Mapping, *, has_source: bool) -> None:
        """Report the value of an entry of `env` that the API refuses: one that is no text, or beside a source."""
        what = f"entry `{name}` of `env` in {self._in} has"
        if has_source:
            message = f"{what} a `value` beside its `valueFrom`, which the API refuses: remove one of the two"
        else:
            value = resolved(entry.get("value"))
            quoted = f"write `value: {double_quoted(value.value)}`" if isinstance(value, Scalar) else ""
            remedy = quoted or "put the whole value in quotes"
            message = f"{what} a value that is no text, which the API refuses: {remedy}"
        self._add(findings.REFUSED_VALUE, name, message, place)

    def report_name(self, place: Place, name: str | None) -> None:
        """Report the name of an entry of `env` that is no text to every reader, where it is not absent."""
        if name:
            self._no_texts.add(name)
            what = f"entry `{name}` of `env` in {self._in} has a name that is no text, which the API refuses"
            self._add(findings.REFUSED_VALUE, name, f"{what}: write `name: {double_quoted(name)}`", place)

    def report_empty(self, name: str, empty: str, place: Place) -> None:
        """Report an empty value in a `subPathExpr`. It is not inserted: the kubelet has to refuse it."""
        what = f"`{name}`" if name == empty else f"`{empty}`, to which variable `{name}` refers,"
        message = f"{what} is empty, and with an empty variable in here {self._in} does not start: give it a value"
        self._add(findings.EMPTY_SUB_PATH, name, message, place)

    def report_escapes(self, text: str, place: Place) -> None:
        """Report a kept `$$(NAME)` where NAME is a variable: its author may have wanted the value."""
        for name in syntax.escaped_names(text):
            # In the final form the reader sees the `$(NAME)` in the file, and needs no hint.
            if name in self._run.variables and self._run.config.escapes == "Keep":
                message = (
                    f"`$$({name})` is an escape: {self._in} gets the text `$({name})`; write `$({name})` if the value "
                    "of the variable is meant"
                )
                self._add(findings.ESCAPE_KEPT, name, message, place)

    def report_probe(self, met: dict[str, Resolution], seen: ProbeEnvironment, place: Place, words: list[str]) -> None:
        """Report the names that an exec probe sees otherwise than its container."""
        for name, here in met.items():
            self._run.variables.mention(name)
            raw = None if here.value.source == VARIABLES else seen.raw.get(name)
            # A mistake in the value is reported first, and then it does not matter that a probe sees it raw.
            if here.value.finding:
                self._report_value(name, here, place)
            elif raw is not None and raw.text is None:
                self._report_raw(name, f"sees an empty `{name}`, as the kubelet reads no `valueFrom` for it", place)
            elif raw is not None and (raw.is_rewritten or raw.is_expanded):
                how = "so that text was kept for it" if raw.is_rewritten else "with nothing in it expanded"
                self._report_raw(name, f"sees `{name}` as `env` has it, {how}", place)
            # The container may well know a name that its probe does not see, so "nothing defines it" would be wrong.
            elif here.state == UNDEFINED and (own := self._environment.resolve(name)).state == UNDEFINED:
                self._report_undefined(name, own, place, words)
            elif here.state == UNDEFINED and _is_meant(name, words):
                self._report_raw(name, f"does not see `{name}`, which is no entry of `env` with a `value`", place)

    def report_unexpanded(self, free: Iterable[tuple[Place, str]]) -> None:
        """Report references to the container's own names in fields that the kubelet does not expand."""
        for place, text in free:
            for name in dict.fromkeys(syntax.names(text)):
                # A variable of the functionConfig in such a field is reported as a target that is missing.
                if name not in self._run.variables and self._environment.is_own(name):
                    why = f"the kubelet does not expand this field of {self._in}"
                    # Only a command may start a shell.
                    instead = _of_shell(name) if "exec" in place else "write the value itself"
                    message = f"`$({name})` stays: {why}; {instead}"
                    self._add(findings.UNEXPANDED_REFERENCE, name, message, place)

    def _report_value(self, name: str, here: Resolution, place: Place) -> None:
        self._add(here.value.finding, name, f"`$({name})` in {self._in}: {here.value.reason}", place)

    def _report_raw(self, name: str, message: str, place: Place) -> None:
        what = f"an exec probe of {self._in} {message}; {_of_shell(name)}"
        self._add(findings.PROBE_USES_RAW_VALUE, name, what, place)

    def _report_undefined(self, name: str, here: Resolution, place: Place, words: Iterable[str]) -> None:
        """Report a name that has no value, unless it is text for a shell."""
        if here.value.finding == findings.UNKNOWN_SERVICE:
            # A warning if it looks like the misspelling of another name.
            near = self._environment.near(name)
            hint = f"did you mean `{near}`?" if near else "that is right if the Service is in the cluster"
            message = f"nothing among the items defines `$({name})` in {self._in}: {here.value.reason}; {hint}"
            self._add(findings.NEAR_NAME if near else findings.UNKNOWN_SERVICE, name, message, place)
        elif here.value.finding:
            self._report_value(name, here, place)
        elif name in self._no_texts or not _is_meant(name, words):
            return
        elif str(self._container.pod.workload.file) in self._run.kustomize.patches:
            self._add(findings.OF_KUSTOMIZE, name, f"`$({name})` stays: {_IN_A_PATCH}", place)
        elif not self._run.leave_to_kustomize(name, self._container.pod.workload, place):
            self._report_unresolved(name, here, place)

    def _report_unresolved(self, name: str, here: Resolution, place: Place) -> None:
        if self._environment.is_without_links(name) and not self._run.declaring(name):
            hint = "`enableServiceLinks: false` keeps the variables of Services away: remove it, or write the address"
        else:
            is_own = id(self._container.pod.workload) in self._run.generated
            hint = target_values.why_undefined(name, self._run, self._environment.near, is_own=is_own)
        hint = hint or f"declare it, or write `$$({name})` if it is text"
        skipped = f", since {here.value.reason}" if here.value.source else ""
        message = f"nothing defines `$({name})` in {self._in}{skipped}, so it stays: {hint}"
        self._add(findings.UNRESOLVED_REFERENCE, name, message, place)

    def _report_forward(self, name: str, place: Place) -> None:
        entry = self._environment.entry
        if self._environment.is_put_behind(name):
            kind = self._container.pod.workload.kind
            message = (
                f"the controller of `{kind}` puts `{name}` behind the `env` of {self._in}, where "
                f"`{entry}` does not find it: refer to it in `command` or `args`"
            )
        # `PATH: $(PATH):/x` is the commonest of these: "move it above itself" would be no help.
        elif entry == name:
            message = (
                f"`$({name})` refers to itself, and nothing above it in {self._in} declares it: rename one of the two"
            )
        else:
            message = (
                f"{self._in} declares `{name}` below `{entry}`, where the kubelet does not find it: move `{name}` above"
            )
        self._add(findings.FORWARD_REFERENCE, name, message, place)

    def _add(self, reason: str, name: str, message: str, place: Place) -> None:
        workload, container = self._container.pod.workload, self._container.name
        self._run.findings.add(workload, reason, name, message, place, container=container)


def _of_shell(name: str) -> str:
    return f"a shell (`sh -c`) would read it as `${name}`"


def _is_meant(name: str, words: Iterable[str]) -> bool:
    """True if `$(name)` is meant as a reference: it is no other syntax, and no command of a shell."""
    # `$(date)` behind `sh -c` is a command. In capitals it is meant for us in a shell too.
    return syntax.is_name(name) and not (name.islower() and containers.starts_shell(words))
