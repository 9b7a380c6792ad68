"""How the fields of one resource merge.

What tells how a list merges, the first that says something about it (spec/merge.md, 4.15):

    mergeKeys of the functionConfig > CustomResourceDefinitions > the built-in types > its elements > atomic

A place is keys and indexes from the root of the resource; an element may stand there as a Match too, and in which
of the sides an index counts is of no matter.
"""

from __future__ import annotations

from krm.fieldpath import WILDCARD
from krm.merge import lists
from krm.merge.lists import ListRule
from krm.yamltree.nodes import Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from krm.fieldpath import FieldPath
    from krm.merge.definitions import Definitions
    from krm.merge.facts import Fact
    from krm.merge.options import MergeKeys
    from krm.yamltree.nodes import Mapping, Node

# The maps whose keys are the author's own (decision 29). One of them with anything but scalars in it is another thing
# of that name, such as the `selector` of a Deployment.
_STRING_MAPS = frozenset(
    (
        "annotations",
        "binaryData",
        "capacity",
        "data",
        "hard",
        "labels",
        "limits",
        "matchLabels",
        "nodeSelector",
        "overhead",
        "parameters",
        "requests",
        "selector",
        "stringData",
        "volumeAttributes",
    )
)


class Schema:
    """What there is to know about the fields of a resource of this group, version and kind."""

    __slots__ = ("_configured", "_definitions", "_infer", "group", "kind", "version")

    def __init__(  # noqa: PLR0913 - all that one can know
        self,
        group: str,
        version: str,
        kind: str,
        *,
        configured: Iterable[MergeKeys] = (),
        definitions: Definitions | None = None,
        infer: bool = True,
    ) -> None:
        self.group = group
        self.version = version
        self.kind = kind
        self._configured = [keys for keys in configured if keys.kind == kind and keys.group in (None, group)]
        self._definitions = definitions
        self._infer = infer

    def list_rule(self, place: FieldPath, sides: Iterable[Sequence[Node]]) -> ListRule:
        """Return how the list at `place` merges; `sides` are its elements in each tree that has it."""
        for configured in self._configured:
            if _leads_to(configured.field_path, place):
                return ListRule(configured.keys)
        defined = lists.of_schema(self._defined(place))
        if defined is not None:
            return defined
        fact = self._fact(place)
        if fact is not None:
            return lists.of_fact(fact)
        return lists.inferred(sides) if self._infer else lists.ATOMIC

    def is_string_map(self, place: FieldPath, sides: Iterable[Mapping]) -> bool:
        """Say whether the mapping at `place` is one whose keys are the author's own: labels, data, limits."""
        defined = self._defined(place)
        if defined is not None and ("additionalProperties" in defined.entries or "properties" in defined.entries):
            return "additionalProperties" in defined.entries
        return bool(place) and place[-1] in _STRING_MAPS and all(map(_has_only_scalars, sides))

    def fact(self, place: FieldPath) -> Fact:
        """Return what the built-in type declares of a field, in its own words; an element has the fact of its list."""
        return self._fact(place) or {}

    def below_pod_spec(self, place: FieldPath) -> FieldPath | None:
        """Return `place` from the pod spec on that it lies in, None where it lies in none."""
        from krm.merge import facts  # noqa: PLC0415 - see there

        return facts.below_pod_spec(self.group, self.kind, place)

    def _fact(self, place: FieldPath) -> Fact | None:
        from krm.merge import facts  # noqa: PLC0415 - see there

        return facts.fact(self.group, self.kind, place)

    def _defined(self, place: FieldPath) -> Mapping | None:
        if self._definitions is None:
            return None
        return self._definitions.schema(self.group, self.version, self.kind, place)


def _leads_to(path: FieldPath, place: FieldPath) -> bool:
    return len(path) == len(place) and all(
        segment in (step, WILDCARD) for segment, step in zip(path, place, strict=True)
    )


def _has_only_scalars(mapping: Mapping) -> bool:
    return all(isinstance(resolved(value), Scalar) for _, value in mapping.items())
