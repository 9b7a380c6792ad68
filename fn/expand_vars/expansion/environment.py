"""The environment of a container as the kubelet builds it, and the environment of its exec probes.

docs/reference/expansion.md, "Whose value", and docs/reference/expansion.md, "Exec probes". Lookup is by position: at an
entry of `env` the container has declared what stands above that entry.
"""

from __future__ import annotations

from expand_vars.expansion import cluster, env_sources, resolution
from expand_vars.expansion.containers import boolean
from expand_vars.expansion.env_sources import EnvFrom
from expand_vars.expansion.findings import UNKNOWN_SERVICE
from expand_vars.expansion.resolution import ABSENT, FORWARD, KNOWN, LEFT, UNDEFINED, UNKNOWN, EnvValue, Resolution
from expand_vars.functionconfig.model import CONTAINER, LITERALS, SERVICES, VARIABLES
from krm import syntax, workloads
from krm.yamltree.nodes import mapping_at, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.run import Run
    from expand_vars.functionconfig.model import Inline
    from krm.yamltree.nodes import Mapping

_LONGEST_REASON = 1000
"""The length from which on a reason is not quoted by the next one: entries may refer to one another without end."""


class Environment:
    """The names of one container, at the point that `declare` has come to: at first above all of `env`."""

    def __init__(self, container: Container, run: Run) -> None:
        self._container = container
        self._run = run
        self._env_from: EnvFrom | None = None
        self._names = [name for _, name, _ in container.entries]
        self._positions: dict[str, list[int]] = {}
        for position, name in enumerate(self._names):
            self._positions.setdefault(name, []).append(position)
        self._declared: dict[str, list[EnvValue | Mapping]] = {}
        self._position = 0
        self._resolved: dict[str, Resolution] = {}

    def declare(self, declared: EnvValue | Mapping) -> None:
        """Go below the next entry of `env`. It has this value, or this source, which is read when it is asked for."""
        self._declared.setdefault(self._names[self._position], []).append(declared)
        self._position += 1
        self._resolved.clear()

    @property
    def entry(self) -> str:
        """The name of the entry of `env` at this point."""
        return self._names[self._position]

    def resolve(self, name: str) -> Resolution:
        """Return the resolution of `name` here: the first in the functionConfig's `lookup` that has it wins."""
        # All words of a container are at one point, and refer to few names.
        if name not in self._resolved:
            self._resolved[name] = self._looked_up(name)
        return self._resolved[name]

    def _looked_up(self, name: str) -> Resolution:
        run = self._run
        # Nothing in the manifest wins over what the controller puts there.
        set_later = resolution.of_controller(self._container.pod, name)
        if set_later is not None and not self.is_put_behind(name):
            return Resolution(LEFT, set_later)
        is_overridable = self._container.pod.facts.overridable
        if is_overridable and (self.is_own(name) or self.is_further_down(name)):
            reason = f"it is a default here: what is made of this `{self._container.pod.workload.kind}` may override it"
            return Resolution(LEFT, EnvValue(UNKNOWN, reason))
        # A variable is never taken for a name that the container declares, above or below: the kubelet's value differs.
        is_declared = resolution.of_runtime_names(run.config, name) is not None
        for source in run.config.lookup:
            if source == VARIABLES and not is_declared and name in run.variables:
                return resolution.of_variable(name, run.variables, run.config.inline, self.resolve)
            value = None
            if source == CONTAINER:
                value = self._own(name)
                is_declared = is_declared or _is_given(value) or self.is_further_down(name)
            # Only where the container has no value the kubelet looks at the Services.
            elif source == SERVICES and not self.is_own(name):
                value = self._of_service(name)
            if value is not None and value.state != ABSENT:
                return resolution.of_value(name, value, run.config.inline)
        return self._unresolved(name)

    def evaluated(self, name: str, commuted: str, *, is_secret: bool) -> EnvValue:
        """Return the value of the entry `name`, whose commuting form is given, and which that may have made secret.

        It is known if every name left in it is. Its source is then that of such a name: what is made of a value that
        may not be written down may not be written down either.
        """
        left = {one: self.resolve(one).value for one in syntax.names(commuted)}
        for one, value in left.items():
            if value.state != KNOWN or value.source == VARIABLES:
                why = f": {value.reason}" if len(value.reason) < _LONGEST_REASON else ""
                return EnvValue(UNKNOWN, f"entry `{name}` of `env` refers to `{one}`{why}")
        source: Inline | None = next((value.source for value in left.values()), LITERALS)
        known = {one: value.text for one, value in left.items()}
        text = syntax.expand(commuted, known.get)
        is_secret = is_secret or any(value.is_secret for value in left.values())
        return EnvValue(KNOWN, f"entry `{name}` of `env`", source, text, is_secret=is_secret)

    def shadows(self, name: str) -> bool:
        """True if the container wins the name of a variable, and has or may have another value for it."""
        if name in self._run.variables and self.set_at_run_time(name):
            return True
        # Whoever writes another `lookup` has said which of the two wins.
        lookup = [source for source in self._run.config.lookup if source != SERVICES]
        if name not in self._run.variables or lookup != [CONTAINER, VARIABLES]:
            return False
        value = self._own(name)
        if value is None or value.state != KNOWN:
            return _is_given(value)
        return value.text != resolution.inserted(name, self._run.variables, self.resolve).value.text

    def near(self, name: str) -> str | None:
        """Return the defined name that is most like `name`, in any case; None if none is near enough."""
        # Names from a Service are offered only to a container that gets them. An entry that stands here or further down
        # is no hint: the kubelet would not find that one either.
        of_services = self._of_services() if self._has_links else ()
        declared = {*self._names[: self._position], *self._from_sources.declared}
        return self._run.findings.near(name, declared | {*self._run.variables.names, *of_services})

    def set_at_run_time(self, name: str) -> EnvValue | None:
        """Return the value of a name that the controller of the kind sets, or that is expected at run time."""
        pod, config = self._container.pod, self._run.config
        return resolution.of_controller(pod, name) or resolution.of_runtime_names(config, name)

    def is_put_behind(self, name: str) -> bool:
        """True if a name is not there yet at this point, as the controller of the kind puts it behind `env`."""
        return workloads.is_among(name, self._container.pod.facts.behind) and self._position < len(self._names)

    def is_own(self, name: str) -> bool:
        """True if the container itself has declared a name."""
        return _is_given(self._own(name))

    def _own(self, name: str) -> EnvValue | None:
        """Return what the container has declared of a name so far. An entry that the kubelet skips changes nothing."""
        # The last entry of a name counts. It is read from its source only now, as most names are never asked for.
        declared = self._declared.get(name, [])
        skipped = None
        while declared:
            value = declared.pop()
            if not isinstance(value, EnvValue):
                value = env_sources.value_from(value, self._container, self._run.cluster)
            if value.state != ABSENT:
                declared.append(value)
                return value
            skipped = skipped or value
        if skipped is not None:
            declared.append(skipped)  # one stands for all skipped entries, so that none is read again
        return self._from_sources.declared.get(name, skipped)

    def is_further_down(self, name: str, *, or_here: bool = False) -> bool:
        """True if an entry below the one at this point declares a name, and the kubelet does not skip that entry."""
        if self.is_put_behind(name):
            return True
        positions = (one for one in reversed(self._positions.get(name, ())) if one > self._position - or_here)
        return any(not self._is_skipped(self._container.entries[one][2]) for one in positions)

    def _is_skipped(self, entry: Mapping) -> bool:
        """True if the kubelet skips an entry of `env`, since its optional source is not there."""
        source = mapping_at(entry.get("valueFrom"))
        # The API refuses a value beside a source, so nobody knows what such an entry was meant to be.
        if source is None or text_at(entry, "value"):
            return False
        return env_sources.value_from(source, self._container, self._run.cluster).state == ABSENT

    def _of_service(self, name: str) -> EnvValue | None:
        """Return what the Services give a name, None where none of them is known to give anything."""
        if not self._may_be_of_service(name):
            return None
        value = self._of_services().get(name)
        return value if value is None or value.state == ABSENT else self._from_sources.taint(name) or value

    def _of_services(self) -> dict[str, EnvValue]:
        return self._run.cluster.service_variables(self._container.pod.workload)

    def _unresolved(self, name: str) -> Resolution:
        """Return the resolution of a name that `lookup` lacks. The kubelet asks the container and then the Services."""
        own, of_service = self._own(name), self._of_service(name)
        # `lookup` leaves the container or the Services out, but the kubelet asks both.
        for value in (own, of_service):
            if value is not None and value.state != ABSENT:
                reason = f"{value.reason}: `lookup` leaves that out"
                is_left_out = value.state == KNOWN
                return Resolution(LEFT, EnvValue(UNKNOWN, reason, value.source) if is_left_out else value)
        if expected := resolution.of_runtime_names(self._run.config, name):
            return Resolution(LEFT, expected)
        # A source of `envFrom` that is not among the items may hold any name: then nothing is certain.
        unknown = self._from_sources.taint(name) or (None if of_service else self._only_at_run_time(name))
        if unknown is not None:
            return Resolution(LEFT, unknown)
        if self.is_further_down(name, or_here=True):
            return Resolution(FORWARD, EnvValue(ABSENT, f"`{name}` is declared further down"))
        return Resolution(UNDEFINED, of_service or own or EnvValue(ABSENT, f"nothing defines `{name}`"))

    def _only_at_run_time(self, name: str) -> EnvValue | None:
        """Return the reason why the cluster may define a name that no item defines, None if nothing could."""
        # `enableServiceLinks: false` does not turn these off: the kubelet adds the API server's to every container.
        if cluster.is_of_api_server(name):
            return EnvValue(UNKNOWN, "it is that of the API server's own Service", SERVICES)
        if self._may_be_of_service(name):
            reason = "it is the name of a Service's variable, and that Service is not there"
            return EnvValue(UNKNOWN, reason, SERVICES, finding=UNKNOWN_SERVICE)
        return resolution.of_webhook(name)

    def _may_be_of_service(self, name: str) -> bool:
        """True if a Service could give the container that name. `enableServiceLinks: false` turns that off."""
        return cluster.may_give(name) and self._has_links

    def is_without_links(self, name: str) -> bool:
        """True if a Service among the items would give a name, and the pod wants none of Services."""
        return not self._has_links and name in self._of_services()

    @property
    def _has_links(self) -> bool:
        pod = self._container.pod
        stated = boolean(pod.spec.get("enableServiceLinks"))
        return pod.facts.has_links if stated is None else stated

    @property
    def _from_sources(self) -> EnvFrom:
        """The names that `envFrom` declares, read when one is first asked for."""
        if self._env_from is None:
            self._env_from = EnvFrom(self._container, self._run.cluster)
        return self._env_from


class Raw:
    """A value of `env` as written, None for an entry with a source, and whether this run rewrites it."""

    def __init__(self, text: str | None, *, is_rewritten: bool) -> None:
        self.text = text
        self.is_rewritten = is_rewritten

    @property
    def is_expanded(self) -> bool:
        """True if the container itself gets another text than the one that is written."""
        # `$$` counts as well: the container gets `$` of it, a probe both.
        return self.text is None or any(syntax.tokens(self.text))


class ProbeEnvironment:
    """The names that the exec probes of a container see.

    The kubelet gives a probe the values of `env` as written, the last of each name, neither expanded nor unescaped, and
    an empty one for `valueFrom`. It does not know `envFrom` and Services. Variables are resolved as in any other field.
    """

    def __init__(self, raw: dict[str, Raw], environment: Environment, run: Run) -> None:
        self.raw = raw
        self._environment = environment
        self._run = run

    def resolve(self, name: str) -> Resolution:
        """Return what `name` is to a probe.

        A value that this run rewrites is pinned to the text that the probe would have seen, whatever `inline` says.
        """
        raw = self.raw.get(name)
        here = self._won(name, raw)
        if here.text is None and raw is not None and raw.is_rewritten:
            return resolution.of_value(name, _raw_value(name, raw), [LITERALS])
        return here

    def _won(self, name: str, raw: Raw | None) -> Resolution:
        """Return what the first in `lookup` that has a name gives it."""
        # Where the probe sees another text than the container gets, the name is left: its author has to decide.
        run = self._run
        if raw is None and (set_later := self._environment.set_at_run_time(name)):
            return Resolution(LEFT, set_later)
        for source in run.config.lookup:
            if source == VARIABLES and name in run.variables:
                return resolution.of_variable(name, run.variables, run.config.inline, self.resolve)
            # The kubelet inserts the raw text, whatever else would have the name: no later source may win.
            if source == CONTAINER and raw is not None:
                inline = () if raw.is_expanded else run.config.inline
                return resolution.of_value(name, _raw_value(name, raw), inline)
        if raw is None:
            return Resolution(UNDEFINED, EnvValue(ABSENT, "a probe sees no more than the values in `env`"))
        return Resolution(LEFT, _raw_value(name, raw))


def _raw_value(name: str, raw: Raw) -> EnvValue:
    return EnvValue(KNOWN, f"entry `{name}` of `env`, as it is written", LITERALS, raw.text or "")


def _is_given(value: EnvValue | None) -> bool:
    """True if a source gives a name a value, known or unknown."""
    return value is not None and value.state != ABSENT
