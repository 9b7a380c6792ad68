"""A container's environment as the kubelet builds it, as far as configuration tells (spec/expansion.md, 2 and 3).

Lookup is by position (decision 16): at an entry of `env` the container has declared what stands above it. At each point
the state of a name is *known*, with the text to insert; *left* to the kubelet, which knows or may know it, or whose
value may not be written; *forward*, declared only at or below that point, which the kubelet never resolves; or
*undefined*.
"""

from __future__ import annotations

from expand_vars.expansion import names, resolution, syntax, value_from
from expand_vars.expansion.env_from import EnvFrom
from expand_vars.expansion.resolution import FORWARD, LEFT, UNDEFINED, Resolution
from expand_vars.expansion.values import ABSENT, CONTAINER, KNOWN, LITERALS, SERVICES, UNKNOWN, VARIABLES, Value
from krm.yamltree.scalars import data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.cluster import Cluster
    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from krm.yamltree.nodes import Mapping

_LONGEST_REASON = 1000
"""The characters of a reason up to which another one tells it too: entries may refer to one another without end."""


class Environment:
    """The names of one container, at the point that `declare` has come to: at first above all of `env`."""

    def __init__(self, container: Container, variables: Variables, config: Config, cluster: Cluster) -> None:
        self._container = container
        self._variables = variables
        self._config = config
        self._cluster = cluster
        self._env_from: EnvFrom | None = None
        self._names = [name for _, name, _ in container.entries]
        self._declared: dict[str, list[Value | Mapping]] = {}
        self._position = 0

    def declare(self, declared: Value | Mapping) -> None:
        """Go below the next entry of `env`, which has this value or, not read until it is asked for, this source."""
        self._declared.setdefault(self._names[self._position], []).append(declared)
        self._position += 1

    def resolve(self, name: str) -> Resolution:
        """Return what `name` is here: who comes first in the functionConfig's `lookup` and has it, wins."""
        is_declared = False
        for source in self._config.lookup:
            if source == VARIABLES and not is_declared:
                if name in self._variables:
                    return resolution.of_variable(name, self._variables, self._config.inline, self.resolve)
                if self._variables.is_withheld(name):
                    return resolution.withheld(name)
            value = None
            if source == CONTAINER:
                value = self._own(name)
                is_declared = value is not None or name in self._names[self._position + 1 :]
            elif source == SERVICES and self._is_missing(name):
                value = self._of_service(name)
            if value is not None and value.state != ABSENT:
                return resolution.of_value(value, self._config.inline)
        return self._unresolved(name)

    def evaluated(self, name: str, commuted: str, *, is_secret: bool) -> Value:
        """Return the value of the entry `name`, of which the commuting form is given, and whether that is secret.

        It is known if all that it refers to is. Made of what may not be written down, it may not be either.
        """
        left = {one: self.resolve(one).value for one in syntax.names(commuted)}
        for one, value in left.items():
            if value.state != KNOWN or value.source == VARIABLES:
                why = f": {value.reason}" if len(value.reason) < _LONGEST_REASON else ""
                return Value(UNKNOWN, LITERALS, f"entry `{name}` of `env` refers to `{one}`{why}")
        word = next((value.source for value in left.values()), LITERALS)
        known = {one: value.text for one, value in left.items()}
        text = syntax.expand(commuted, known.get)
        is_secret = is_secret or any(value.is_secret for value in left.values())
        return Value(KNOWN, word, f"entry `{name}` of `env`", text, is_secret=is_secret)

    def shadows(self, name: str) -> bool:
        """Say whether the container has declared the name of a variable, wins, and has or may have another value."""
        lookup = [source for source in self._config.lookup if source != SERVICES]
        if name not in self._variables or lookup != [CONTAINER, VARIABLES]:
            return False
        value = self._own(name)
        if value is None or value.state != KNOWN:
            return value is not None
        return value.text != resolution.variable(name, self._variables, self.resolve)[0].text

    def near(self, name: str) -> str | None:
        """Return the name that was meant by one that nothing defines, as far as that can be guessed."""
        return names.near(name, {*self._names, *self._from_sources.declared, *self._variables.names} - {name})

    def is_own(self, name: str) -> bool:
        """Say whether the container itself declares a name."""
        return self._own(name) is not None

    def _own(self, name: str) -> Value | None:
        """Return what the container has declared of a name so far; an entry that is skipped leaves it as it was."""
        declared = self._declared.get(name, [])
        skipped = None
        while declared:
            value = declared.pop()
            if not isinstance(value, Value):
                value = value_from.value_of(value, self._container, self._cluster)
            if value.state != ABSENT:
                declared.append(value)
                return value
            skipped = skipped or value
        if skipped is not None:
            declared.append(skipped)  # it stands for all those that were skipped, which need not be asked again
        return self._from_sources.declared.get(name, skipped)

    def _is_missing(self, name: str) -> bool:
        """Say whether the container has no value for a name: only then the kubelet looks at the Services."""
        own = self._own(name)
        return own is None or own.state == ABSENT

    def _of_service(self, name: str) -> Value | None:
        """Return what the Services give a name, None where none of them is known to give anything."""
        if not names.may_be_of_service(name) or not self._has_links:
            return None
        value = self._cluster.service_variables(self._container.pod.workload).get(name)
        return value if value is None or value.state == ABSENT else self._from_sources.taint(name) or value

    def _unresolved(self, name: str) -> Resolution:
        """Return what a name is that nobody in `lookup` has: the kubelet asks the container and then the Services."""
        own, of_service = self._own(name), self._of_service(name)
        for value in (own, of_service):
            if value is not None and value.state != ABSENT:
                return Resolution(LEFT, _outside_lookup(value))
        unknown = self._from_sources.taint(name) or (None if of_service else self._only_at_run_time(name))
        if unknown is not None:
            return Resolution(LEFT, unknown)
        if name in self._names[self._position :]:
            return Resolution(FORWARD, Value(ABSENT, LITERALS, f"`{name}` is declared further down"))
        return Resolution(UNDEFINED, of_service or own or Value(ABSENT, LITERALS, f"nothing defines `{name}`"))

    def _only_at_run_time(self, name: str) -> Value | None:
        """Return why a name may be defined that no item defines, None for one that nothing could define."""
        if names.is_of_api_server(name) or (names.may_be_of_service(name) and self._has_links):
            return Value(UNKNOWN, SERVICES, "it is that of a Service that is not among the items")
        if names.is_set_by_controllers(name):
            return Value(UNKNOWN, LITERALS, "a controller sets it")
        return None

    @property
    def _has_links(self) -> bool:
        return data(self._container.pod.spec.get("enableServiceLinks")) is not False

    @property
    def _from_sources(self) -> EnvFrom:
        """What `envFrom` declares, read when a name is first asked for."""
        if self._env_from is None:
            self._env_from = EnvFrom(self._container, self._cluster)
        return self._env_from


def _outside_lookup(value: Value) -> Value:
    """Return what a value is of which the functionConfig does not want to know."""
    return Value(UNKNOWN, value.source, f"{value.reason}: `lookup` leaves that out") if value.state == KNOWN else value
