"""The schema of one resource: how its lists and maps merge (docs/reference/merge.md, "Keyed lists").

For a list the first of these sources counts that has a rule:

    mergeKeys of the functionConfig > CustomResourceDefinitions > the built-in types > its elements > none

A place is keys and indexes from the root of the resource. An element may also be a Match there. An index may be the one
of any side, since no rule depends on it.
"""

from __future__ import annotations

import re

from krm.fieldpath import leads
from krm.resource import DOMAIN, EXPAND_VARS, KPTFILE, OF_KIND
from krm.workloads import AUTHORED_MAPS, STRING_MAPS, PodSpecs
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, at, list_elements, mapping_at, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Sequence as Listed

    from krm.fieldpath import FieldPath, Segment
    from krm.merge.kinds.facts import Fact
    from krm.merge.policy import MergeKeys
    from krm.resource import Resource
    from krm.yamltree.nodes import Node


DEFINITION_KIND = "CustomResourceDefinition"
KUSTOMIZE = "kustomize.config.k8s.io"

# The keys by which an unknown list may merge, in this order: so an element with a name and a type has its name as key.
_INFERRED = ("mountPath", "devicePath", "ip", "topologyKey", "name", "variable", "host", "id", "containerPort", "type")

# The values that the API server sets for missing keys.
_DEFAULTS = {"protocol": "TCP"}

_BUILT_IN = PodSpecs()
_METADATA = (("metadata",), ("metadata", "annotations"), ("metadata", "labels"))


class ListRule:
    """The rule for one list: it merges by the `keys` of its elements, or by value if it `is_set`.

    Without either it merges as the lines of a text do. An element without any of the `keys` is identified by the keys
    in `otherwise`. `defaults` has the text of a key that an element leaves out.
    """

    def __init__(
        self,
        keys: tuple[str, ...] = (),
        *,
        otherwise: tuple[str, ...] = (),
        is_set: bool = False,
        defaults: dict[str, str] | None = None,
    ) -> None:
        self.keys = keys
        self.otherwise = otherwise
        self.is_set = is_set
        self.defaults = {key: _DEFAULTS[key] for key in keys if key in _DEFAULTS} | (defaults or {})

    @property
    def is_keyless(self) -> bool:
        """True if only their order identifies the elements of the list."""
        return not self.keys and not self.is_set


KEYLESS = ListRule()
SET = ListRule(is_set=True)
_WITHOUT_KEYS = {"atomic": KEYLESS, "set": SET}

# To kpt, functions without a name are the same if they run the same program with the same configuration.
_FUNCTIONS = ListRule(("name",), otherwise=("image", "exec", "configPath"))
# A template is identified by the object in it, as it is written: two with one name differ in kind or namespace.
_TEMPLATES = ListRule(("kind", "apiVersion", "metadata.namespace", "metadata.name"))

_LISTS_OF_TOOLS: dict[tuple[str, str], dict[FieldPath, ListRule]] = {
    ("kpt.dev", KPTFILE): {("pipeline", "mutators"): _FUNCTIONS, ("pipeline", "validators"): _FUNCTIONS},
    (DOMAIN, EXPAND_VARS): {
        ("spec", "kustomizeVars"): ListRule(("name",)),
        ("spec", "podTemplates"): ListRule(("group", "kind", "fieldPath", "container")),
        ("spec", "targets"): SET,
        ("spec", "templates"): _TEMPLATES,
        ("spec", "variables"): ListRule(("name",)),
    },
}
"""The lists of the tools' own kinds, by group, kind and place."""

# Lists of paths in a Kustomization, none of which may be there twice. Patches are no such list, as their order counts.
_LISTS_OF_PATHS = {("resources",), ("bases",), ("components",), ("crds",)}


class Definitions:
    """The schemas in CustomResourceDefinitions. A later definition wins.

    A definition is parsed when a schema is asked of a kind whose name it spells: most merges ask for few.
    """

    def __init__(self, definitions: Iterable[Resource]) -> None:
        self._definitions = [*definitions]
        self._schemas: dict[tuple[str, str, str], Mapping | None] = {}

    def schema(self, group: str, version: str, kind: str, place: FieldPath) -> Mapping | None:
        """Return the schema of the field at `place`, None if there is none."""
        asked = group, version, kind
        if asked not in self._schemas:
            self._schemas[asked] = self._found(*asked)
        schema = self._schemas[asked]
        for step in place:
            schema = _below(schema, step)
        return schema

    def _found(self, group: str, version: str, kind: str) -> Mapping | None:
        # No definition is about definitions, though each of them spells the word.
        for resource in reversed(self._definitions) if kind != DEFINITION_KIND else ():
            is_spelled = resource.spells(group) and re.search(rf"{OF_KIND}{re.escape(kind)}\b", resource.source)
            root = resource.root if is_spelled and resource.is_readable else None
            if (text_at(root, "spec", "group"), text_at(root, "spec", "names", "kind")) == (group, kind):
                schemas = dict(_versions(mapping_at(root, "spec")))
                if version in schemas:
                    return schemas[version]
        return None


class Schema:
    """The rules for the fields of resources of one group, version and kind."""

    def __init__(  # noqa: PLR0913 - the sources of a schema
        self,
        group: str,
        version: str,
        kind: str,
        *,
        configured: Iterable[MergeKeys] = (),
        definitions: Definitions | None = None,
        pod_specs: PodSpecs = _BUILT_IN,
        infer: bool = True,
    ) -> None:
        self.group = group
        self.version = version
        self.kind = kind
        self._configured = [keys for keys in configured if keys.kind == kind and keys.group in (None, group)]
        self._definitions = definitions
        self._pod_specs = pod_specs
        self._infer = infer

    def list_rule(self, place: FieldPath, sides: Iterable[Listed[Node]]) -> ListRule:
        """Return how the list at `place` merges; `sides` are its elements in each tree that has it."""
        found = self._of_user(place) or rule_of_definition(self._defined(place)) or rule_of_fact(self.fact(place))
        return found or self._of_tools(place, sides) or (inferred(sides) if self._infer else KEYLESS)

    def is_string_map(self, place: FieldPath, sides: Iterable[Mapping]) -> bool:
        """True if the keys of the mapping at `place` are the author's own: labels, data, limits."""
        defined = self._defined(place)
        # A definition may have no answer, as with `x-kubernetes-preserve-unknown-fields`: then its name decides.
        if defined is not None and ("additionalProperties" in defined.entries or "properties" in defined.entries):
            return "additionalProperties" in defined.entries
        return (
            bool(place)
            and place[-1] in (AUTHORED_MAPS if self.kind else STRING_MAPS)
            and all(isinstance(resolved(value), Scalar) for side in sides for _, value in side.items())
        )

    def keeps_additions(self, place: FieldPath, sides: Listed[Mapping]) -> bool:
        """True if the keys of a mapping are its author's own, or it holds only such mappings: a label selector.

        It is true of `metadata` and its mappings, too, whatever is there: an author who deletes the last label does
        not mean the name, nor the note of a function.
        """
        if place in _METADATA or self.is_string_map(place, sides):
            return True
        below = [(key, resolved(value)) for side in sides for key, value in side.items()]
        return bool(below) and all(
            isinstance(mapping, Mapping) and mapping.is_plain() and self.is_string_map((*place, key), [mapping])
            for key, mapping in below
        )

    def fact(self, place: FieldPath) -> Fact:
        """Return the fact that the built-in type declares of a field."""
        from krm.merge.kinds import facts  # noqa: PLC0415 - see there

        return facts.fact(self.group, self.kind, place, self._pod_specs)

    def below_pod_spec(self, place: FieldPath) -> FieldPath | None:
        """Return the rest of `place` from its pod spec on, None if it is outside of any pod spec."""
        from krm.merge.kinds import facts  # noqa: PLC0415 - see there

        return facts.below_pod_spec(self.group, self.kind, place, self._pod_specs)

    def _of_user(self, place: FieldPath) -> ListRule | None:
        for keys in self._configured:
            if len(keys.field_path) == len(place) and leads(keys.field_path, place):
                return ListRule(keys.keys, is_set=not keys.keys)
        return None

    def _of_tools(self, place: FieldPath, sides: Iterable[Listed[Node]]) -> ListRule | None:
        if self.group == KUSTOMIZE and place in _LISTS_OF_PATHS:
            return rule_of_paths(sides)
        return _LISTS_OF_TOOLS.get((self.group, self.kind), {}).get(place)

    def _defined(self, place: FieldPath) -> Mapping | None:
        if self._definitions is None:
            return None
        return self._definitions.schema(self.group, self.version, self.kind, place)


def rule_of_fact(fact: Fact) -> ListRule | None:
    """Return the rule of a list by its built-in type, None if no type is known. It is keyless if the type has none."""
    if not fact.is_known:
        return None
    return ListRule(fact.keys) if fact.keys else SET if fact.is_set else KEYLESS


def rule_of_definition(schema: Mapping | None) -> ListRule | None:
    """Return the rule of a list by a CustomResourceDefinition, None if that has none.

    `x-kubernetes-list-*` counts before `x-kubernetes-patch-*`.
    """
    list_type = text_at(schema, "x-kubernetes-list-type")
    if list_type in _WITHOUT_KEYS:
        return _WITHOUT_KEYS[list_type]
    # A structural schema may have only list-type and list-map-keys. kyaml reads only the patch-* extensions.
    merges = "merge" in (text_at(schema, "x-kubernetes-patch-strategy") or "").split(",")
    patch_key = text_at(schema, "x-kubernetes-patch-merge-key")
    keys = texts(schema, "x-kubernetes-list-map-keys") or ((patch_key,) if patch_key is not None else ())
    if keys and (list_type == "map" or merges):
        defaults = {key: text_at(schema, "items", "properties", key, "default") for key in keys}
        return ListRule(keys, defaults={key: text for key, text in defaults.items() if text is not None})
    return SET if merges else None


def rule_of_paths(sides: Iterable[Listed[Node]]) -> ListRule:
    """Return the rule of paths in a Kustomization: a set, unless both sides may have renamed one of them."""
    paths = [{text_at(node) for node in side} for side in sides]
    if len(paths) < len(("origin", "update", "local")):
        return SET
    origin, update, local = paths
    is_renamed = all((origin - update - local, update - origin - local, local - origin - update))
    return KEYLESS if is_renamed else SET


def inferred(sides: Iterable[Listed[Node]]) -> ListRule:
    """Return a rule for a list without a schema, given its elements on each side.

    Its key is the first of `_INFERRED` that each element of each side has, with a value that is unique on the side.
    """
    sides = list(sides)
    for key in _INFERRED if any(sides) else ():
        if all(_tells_apart(key, side) for side in sides):
            return ListRule((key,))
    return KEYLESS


def _tells_apart(key: str, elements: Listed[Node]) -> bool:
    values = [at(element, key) for element in elements]
    texts = {value.value for value in values if isinstance(value, Scalar) and not scalars.is_null(value)}
    return len(texts) == len(values)


def _versions(spec: Mapping | None) -> Iterator[tuple[str | None, Mapping]]:
    """Yield each version with its schema. In v1 each version has its own, in v1beta1 all of them may share one."""
    shared = mapping_at(spec, "validation", "openAPIV3Schema")
    for version in list_elements(at(spec, "versions")):
        schema = mapping_at(version, "schema", "openAPIV3Schema") or shared
        if schema is not None and isinstance(resolved(version), Mapping):
            yield text_at(version, "name"), schema


def _below(schema: Mapping | None, step: Segment) -> Mapping | None:
    if not isinstance(step, str):
        return mapping_at(schema, "items")
    return mapping_at(schema, "properties", step) or mapping_at(schema, "additionalProperties")


def texts(mapping: Mapping | None, key: str) -> tuple[str, ...]:
    """Return the texts of the scalars in the list under `key`."""
    found = map(text_at, list_elements(at(mapping, key)))
    return tuple(text for text in found if text is not None)
