"""How one list merges: which keys tell its elements apart, if any do (spec/merge.md, 4.15)."""

from __future__ import annotations

from krm.merge import definitions
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from krm.merge.facts import Fact
    from krm.yamltree.nodes import Node

# What keys are inferred from, in this order. An element with a name and a type is named, so type is the last.
INFERRED = ("mountPath", "devicePath", "ip", "topologyKey", "name", "containerPort", "type")

# What the API server fills in where a key of this name is left out.
_DEFAULTS = {"protocol": "TCP"}


class ListRule:
    """A list with `keys` merges element by element, one that `is_set` value by value, any other is taken whole.

    `defaults` has the text that a key stands for where an element leaves it out.
    """

    __slots__ = ("defaults", "is_set", "keys")

    def __init__(
        self, keys: tuple[str, ...] = (), *, is_set: bool = False, defaults: dict[str, str] | None = None
    ) -> None:
        self.keys = keys
        self.is_set = is_set
        self.defaults = {key: _DEFAULTS[key] for key in keys if key in _DEFAULTS} | (defaults or {})

    @property
    def is_atomic(self) -> bool:
        """Whether the list is one value."""
        return not self.keys and not self.is_set


ATOMIC = ListRule()
SET = ListRule(is_set=True)
_WITHOUT_KEYS = {"atomic": ATOMIC, "set": SET}


def of_fact(fact: Fact) -> ListRule:
    """Return what the declaration of a built-in type says. A list of which it says nothing is atomic."""
    keys = tuple(fact.get("listMapKeys", ())) or _key(fact.get("patchMergeKey"))
    if keys:
        return ListRule(keys)
    return SET if fact.get("listType") == "set" else ATOMIC


def of_schema(schema: Mapping | None) -> ListRule | None:
    """Return what a CustomResourceDefinition says, None where nothing: `x-kubernetes-list-*`, then `-patch-*`."""
    list_type = definitions.text(schema, "x-kubernetes-list-type")
    if list_type in _WITHOUT_KEYS:
        return _WITHOUT_KEYS[list_type]
    merges = "merge" in (definitions.text(schema, "x-kubernetes-patch-strategy") or "").split(",")
    keys = definitions.texts(schema, "x-kubernetes-list-map-keys")
    keys = keys or _key(definitions.text(schema, "x-kubernetes-patch-merge-key"))
    if keys and (list_type == "map" or merges):
        return ListRule(keys, defaults=_schema_defaults(schema, keys))
    return SET if merges else None


def inferred(sides: Iterable[Sequence[Node]]) -> ListRule:
    """Return the first key that every element of every side has, no two of a side alike; a side is its elements."""
    sides = list(sides)
    for key in INFERRED if any(sides) else ():
        if all(_tells_apart(key, side) for side in sides):
            return ListRule((key,))
    return ATOMIC


def _tells_apart(key: str, elements: Sequence[Node]) -> bool:
    found = [_key_text(key, element) for element in elements]
    return None not in found and len(set(found)) == len(found)


def _key_text(key: str, element: Node) -> str | None:
    mapping = resolved(element)
    value = resolved(mapping.get(key)) if isinstance(mapping, Mapping) else None
    return value.value if isinstance(value, Scalar) and scalars.typed(value) is not None else None


def _schema_defaults(schema: Mapping | None, keys: tuple[str, ...]) -> dict[str, str]:
    properties = definitions.at(definitions.at(schema, "items"), "properties")
    found = {key: definitions.text(definitions.at(properties, key), "default") for key in keys}
    return {key: text for key, text in found.items() if text is not None}


def _key(name: str | list[str] | None) -> tuple[str, ...]:
    return (name,) if isinstance(name, str) else ()
