"""What the kubelet makes of a container, written from spec/expansion.md alone: nothing here knows the implementation.

A functionConfig's variables may be given to it as if the kubelet knew them too. Then what it makes of a container is
what the function owes its user, who runs the function once and then the real kubelet, which knows none (decision 43).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup = Callable[[str], str | None]


class Variable(NamedTuple):
    """A variable of a functionConfig: a literal is its value, any other text may hold references."""

    name: str
    text: str
    literal: bool


class Cluster(NamedTuple):
    """What only a running cluster knows: by key what `valueFrom` gives, what `envFrom` does, and the Services'."""

    sources: dict[str, str]
    env_from: dict[str, str]
    services: dict[str, str]


class Started(NamedTuple):
    """A container as it was started."""

    environment: dict[str, str]
    command: list[str]
    args: list[str]
    probe: list[str]


def expand(text: str, lookup: Lookup) -> str:
    """Expand as the table of section 1 says, row by row, character by character."""
    result, position = "", 0
    while position < len(text):
        rest = text[position:]
        if rest.startswith("$$"):
            result, position = result + "$", position + 2
        elif rest.startswith("$(") and ")" in rest:
            name = rest[2 : rest.index(")")]
            found = lookup(name)
            result += f"$({name})" if found is None else found
            position += len(name) + 3
        elif rest.startswith("$"):
            result, position = result + rest[:2], position + 2
        else:
            result, position = result + rest[0], position + 1
    return result


def names(text: str) -> set[str]:
    """Return the names that a text refers to."""
    found: set[str] = set()

    def lookup(name: str) -> None:
        found.add(name)

    expand(text, lookup)
    return found


def start(
    container: dict[str, Any], cluster: Cluster, variables: list[Variable], lookup: list[str], probed: set[str]
) -> Started:
    """Start a container as section 2.1 says.

    To the value of an entry in `probed` the variables are unknown: the function leaves it alone (decision 26).
    """
    declared = _Declared(variables)
    entries = container.get("env", [])
    known = dict(cluster.env_from) if container.get("envFrom") else {}
    for number, entry in enumerate(entries):
        own = {other["name"] for other in entries[:number]}, {other["name"] for other in entries[number + 1 :]}
        places = [place for place in lookup if place != "Variables" or entry["name"] not in probed]
        if entry.get("value"):
            known[entry["name"]] = expand(entry["value"], declared.seen(places, known, own, cluster))
        elif "valueFrom" in entry:
            value = cluster.sources.get(entry["valueFrom"]["configMapKeyRef"]["key"])
            known |= {} if value is None else {entry["name"]: value}
        else:
            known[entry["name"]] = ""
    final = declared.seen(lookup, known, ({entry["name"] for entry in entries}, set()), cluster)
    raw = {entry["name"]: entry.get("value") or "" for entry in entries}
    return Started(
        cluster.services | known,
        [expand(word, final) for word in container.get("command", [])],
        [expand(word, final) for word in container.get("args", [])],
        [expand(word, raw.get) for word in container.get("livenessProbe", {}).get("exec", {}).get("command", [])],
    )


class _Declared:
    """The variables, each of which sees those above it; any other reference in a text is read where it is used."""

    def __init__(self, variables: list[Variable]) -> None:
        self._variables = variables
        self._usable = {one.name for one in variables if not self._circles(one.name, set())}

    def seen(
        self, places: list[str], known: dict[str, str], own: tuple[set[str], set[str]], cluster: Cluster
    ) -> Lookup:
        """Return what a text sees in whose place `known` is known, and `own` is what env declares above and below."""
        above, below = own

        def lookup(name: str) -> str | None:
            for place in places:
                if place == "Variables" and name in self._usable:
                    return self._value(name, lookup)
                if place == "Container" and name in above | below:
                    break
            return known.get(name, cluster.services.get(name))

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
