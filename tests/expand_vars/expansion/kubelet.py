"""What the kubelet makes of a pod, written from docs/reference/expansion.md alone, without knowing the code.

A functionConfig's variables may be given to it as if the kubelet knew them too. Then what it makes of a container is
what the function owes its user, who runs the function once and then the real kubelet, which knows none.
What a pod reads of its cluster is in `kubelet_sources`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tests.expand_vars.expansion.kubelet_sources import (
    CannotStartError,
    entry_value,
    env_from,
    is_skipped,
    service_variables,
)
from tests.grammar import expand

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.expand_vars.expansion.kubelet_sources import Cluster, Pod

    Lookup = Callable[[str], str | None]

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


class Variable(NamedTuple):
    """A variable of a functionConfig: a literal is its value, any other text may hold references."""

    name: str
    text: str
    literal: bool


class Started(NamedTuple):
    """A container as it was started, or why it was not. A sub-path or probe that there is none of is None."""

    error: str
    environment: dict[str, str]
    command: list[str]
    args: list[str]
    sub_paths: list[str | None]
    probes: list[list[str] | None]


def names(text: str) -> set[str]:
    """Return the names that a text refers to."""
    found: set[str] = set()

    def lookup(name: str) -> None:
        found.add(name)

    expand(text, lookup)
    return found


def start(pod: Pod, cluster: Cluster, variables: list[Variable], lookup: list[str]) -> list[Started]:
    """Start every container of a pod."""
    declared = Declared(variables)
    return [_started(pod, container, cluster, declared, lookup) for container in pod.containers]


def _started(pod: Pod, container: dict[str, Any], cluster: Cluster, declared: Declared, lookup: list[str]) -> Started:
    """Start a container as section 2.1 says."""
    services = service_variables(pod, cluster)
    entries = container.get("env", [])
    try:
        known = env_from(container, cluster)
        for number, entry in enumerate(entries):
            if entry.get("value"):
                above, below = _declared(entries[:number], cluster), _declared(entries[number + 1 :], cluster)
                scope = _Scope(known, services, above | known.keys(), below)
                known[entry["name"]] = expand(entry["value"], declared.seen(lookup, scope))
            else:
                value = entry_value(entry, pod, container, cluster)
                known |= {} if value is None else {entry["name"]: value}
    except CannotStartError as error:
        return Started(str(error), {}, [], [], [], [])
    all_of_it = _Scope(known, cluster.devices | services, _declared(entries, cluster) | known.keys(), set())
    final = declared.seen(lookup, all_of_it)
    raw = {entry["name"]: entry.get("value") or "" for entry in entries}
    probed = declared.seen(lookup, _Scope(raw, {}, {*raw}, set()))
    return Started(
        "",
        services | known,
        [expand(word, final) for word in container.get("command", [])],
        [expand(word, final) for word in container.get("args", [])],
        [
            _sub_path(mount.get("subPathExpr"), declared, lookup, all_of_it)
            for mount in container.get("volumeMounts", [])
        ],
        [_probe(container.get(kind), probed) for kind in PROBES],
    )


def _declared(entries: list[dict[str, Any]], cluster: Cluster) -> set[str]:
    return {entry["name"] for entry in entries if not is_skipped(entry, cluster)}


class _Undecided(str):
    """A sub-path that may be any: a variable in it refers to an empty one, and the cluster defines its name, too.

    The function leaves such a variable if it knows that the other is empty, and the kubelet then finds the cluster's.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


def _sub_path(text: str | None, declared: Declared, places: list[str], scope: _Scope) -> str | None:
    """Expand a sub-path, in which every name must have a value that is not empty."""
    if not text:
        return None
    found = {name: _strict(name, declared, places, scope) for name in names(text)}
    if any(isinstance(value, _Undecided) for value in found.values()):
        return _Undecided()
    return expand(text, found.get) if all(found.values()) else "missing value"


def _strict(name: str, declared: Declared, places: list[str], scope: _Scope) -> str | None:
    """Return the value of a name in a sub-path, None for one that is made of what is missing or empty.

    A variable that is empty is never written there: the kubelet looks for what has that name.
    """
    missing: list[str] = []
    value = declared.seen(places, scope, missing.append)(name)
    of_cluster = scope.known.get(name, scope.services.get(name))
    if missing:
        return _Undecided() if of_cluster else None
    return value or of_cluster


def _probe(probe: dict[str, Any] | None, lookup: Lookup) -> list[str] | None:
    if probe is None or "exec" not in probe:
        return None
    return [expand(word, lookup) for word in probe["exec"]["command"]]


class _Scope(NamedTuple):
    """What a text can see: the container's own variables, those beside it, and which names it declares where."""

    known: dict[str, str]
    services: dict[str, str]
    above: set[str]
    below: set[str]


class Declared:
    """The variables, each of which sees those above it; any other reference in a text is read where it is used."""

    def __init__(self, variables: list[Variable]) -> None:
        self._variables = variables
        self._usable = {one.name for one in variables if not self._circles(one.name, set())}

    def seen(self, places: list[str], scope: _Scope, miss: Callable[[str], object] = lambda _: None) -> Lookup:
        """Return what a text sees: the first of the places that declares a name has its value.

        The kubelet, which looks for what is left, asks the container before the Services, whatever the places say.
        `miss` is told of what it does not find or finds empty.
        """

        def lookup(name: str) -> str | None:
            for place in places:
                if place == "Variables" and name in self._usable:
                    return self._value(name, lookup)
                if place == "Container" and name in scope.above | scope.below:
                    break
                if place == "Services" and name in scope.services.keys() - scope.known.keys():
                    break
            found = scope.known.get(name, scope.services.get(name))
            if not found:
                miss(name)
            return found

        return lookup

    def _value(self, name: str, live: Lookup) -> str:
        number = self._number(name)
        if self._variables[number].literal:
            return self._variables[number].text
        above = {one.name for one in self._variables[:number]}
        return expand(
            self._variables[number].text, lambda inner: self._value(inner, live) if inner in above else live(inner)
        )

    def _number(self, name: str) -> int:
        return next(number for number, one in enumerate(self._variables) if one.name == name)

    def _live(self, name: str) -> set[str]:
        """Return the names that are live in the text of a variable once those above it are in it."""
        number = self._number(name)
        if self._variables[number].literal:
            return set()
        above = {one.name for one in self._variables[:number]}
        found = names(self._variables[number].text)
        return (found - above).union(*(self._live(inner) for inner in found & above))

    def _circles(self, name: str, way: set[str]) -> bool:
        """Say whether a way of live references leads from a variable into a circle."""
        if name in way:
            return True
        declared = {one.name for one in self._variables}
        return any(self._circles(inner, way | {name}) for inner in self._live(name) & declared)
