"""What an item was generated as the last time, in an annotation of its own: the origin of the next merge.

Every line of the annotation is a JSON object with one field of the resource, `{"spec": {...}}`. A secret, a text over
128 bytes, and what JSON has no word for is `{"sha256": HEX}`, over the identity as generated, the path and the text:
equality is all that a merge needs. What the object is called is kept as it is. No line holds a `$`: kustomize's `vars`
expands annotations.
"""

from __future__ import annotations

from krm import hashes
from krm.fieldpath import WILDCARD
from krm.merge import trees
from krm.merge.trees import Tree
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.generation.tracking import Tracking
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Fields: TypeAlias = dict[str, Any]
    Identity: TypeAlias = tuple[str, str, str, str]

_SHA256 = "sha256"
_SECRET_FIELDS = ("data", "stringData")
# By these an item is found again: they are remembered as they are, however long.
_IDENTITY = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))
# What JSON has a word for; any other scalar is remembered by its hash.
_JSON = (bool, int, float)


class Origin:
    """What an item was generated as."""

    __slots__ = ("_fields",)

    def __init__(self, fields: Fields) -> None:
        self._fields = fields

    @property
    def identity(self) -> Identity:
        """Group, kind, namespace and name as they were generated."""
        metadata = self._fields["metadata"]
        group = self._fields["apiVersion"].rpartition("/")[0]
        return group, self._fields["kind"], namespace(metadata.get("namespace") or ""), metadata["name"]

    def tree(self, *sides: Tree) -> Tree:
        """Return it as a side of a merge with `sides`: where one of them has what was hashed, that stands there.

        A hash that none of them explains is no data that any of them has.
        """
        hashed = set(_hashed(self._fields, ()))
        texts = [leaf for side in sides if hashed for leaf in _leaves(side.root, ()) if leaf[0] in hashed]
        known = {_digest(self.identity, path, scalar): _flow_scalar(scalar) for path, scalar in texts}
        text = _flow(self._fields, known)
        return Tree(text, parser.parse(text).root)


def identity(resource: Resource) -> Identity:
    """Return what an object is called. One without a namespace is in the default one."""
    return resource.group, resource.kind, namespace(resource.namespace), resource.name


def namespace(name: str) -> str:
    """Return the name of a namespace, nothing for the one that needs not be named."""
    return "" if name == "default" else name


def read(item: Resource, tracking: Tracking) -> Origin | None:
    """Return what an item that tells it was generated as, None where the annotation is damaged."""
    import json  # noqa: PLC0415 - only for an item that was generated

    fields: Fields = {}
    try:
        for line in item.annotations[tracking.last_generated].splitlines():
            ((key, value),) = json.loads(line).items()
            fields[key] = value
        origin = Origin(fields)
        is_whole = all(isinstance(part, str) for part in origin.identity)
    except (ValueError, RecursionError, AttributeError, KeyError, TypeError):
        return None
    return origin if is_whole else None


def text(update: Resource, secrets: Collection[Place] = ()) -> str:
    """Return the annotation for what is generated now. At `secrets` of it something secret was inserted."""
    import json  # noqa: PLC0415 - as above

    remembering = _Remembering(update, secrets)
    fields = remembering.of_mapping(update.root, ())
    lines = (json.dumps({key: value}, sort_keys=True) for key, value in sorted(fields.items()))
    # A `$` is always inside of a string there.
    return "".join(f"{line}\n" for line in lines).replace("$", r"\u0024")


class _Remembering:
    """What is remembered of one resource."""

    def __init__(self, update: Resource, secrets: Collection[Place]) -> None:
        self._identity = identity(update)
        self._is_secret = update.kind == "Secret"
        self._secrets = secrets

    def of_mapping(self, node: Node | None, place: Place) -> Fields:
        """Return the fields of a mapping without bookkeeping (docs/architecture.md, "Bookkeeping is no data")."""
        found = {
            key: self._of(value, (*place, key))
            for key, value in trees.entries(node).items()
            if place != trees.ANNOTATIONS or not trees.is_bookkeeping(key)
        }
        if place == trees.ANNOTATIONS[:1] and found.get("annotations") == {}:
            del found["annotations"]
        return found

    def _of(self, node: Node, place: Place) -> object:
        found = resolved(node)
        if isinstance(found, Mapping):
            return self.of_mapping(found, place)
        if isinstance(found, Sequence):
            return [self._of(kid, (*place, index)) for index, kid in enumerate(found.kids)]
        return None if found is None else self._of_scalar(found, place)

    def _of_scalar(self, scalar: Scalar, place: Place) -> object:
        kind, value = _typed(scalar)
        # An object with this one key would be taken for a hash, if what it has there were a text.
        is_short = kind is str and len(scalar.value.encode()) <= hashes.LONGEST and place[-1] != _SHA256
        is_kept = is_short or kind in _JSON or place in _IDENTITY
        if is_kept and not (self._is_secret and place[0] in _SECRET_FIELDS) and place not in self._secrets:
            return value
        return {_SHA256: _digest(self._identity, _path(place), scalar)}


def _typed(scalar: Scalar) -> tuple[Any, Any]:
    """Return the type and the value of a scalar, as a merge compares them."""
    kind, value = trees.typed(scalar)
    if isinstance(value, float) and value - value != 0:  # JSON knows no infinity
        return None, scalar.value
    return kind, value


def _path(place: Place) -> FieldPath:
    """Return the path of all elements of a list: the next time an element may be the next one."""
    return tuple(WILDCARD if isinstance(step, int) else step for step in place)


def _digest(identity: Identity, path: FieldPath, scalar: Scalar) -> str:
    """Return the hash of a scalar. One that is no string is told from the string that is written like it."""
    kind, _ = _typed(scalar)
    said = scalar.value if kind is str else f"\0{kind}\0{scalar.value}"
    return hashes.digest("/".join(identity), path, said)


def _is_hash(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {_SHA256} and isinstance(value[_SHA256], str)


def _hashed(value: object, path: FieldPath) -> Iterator[FieldPath]:
    """Yield the path of everything that is remembered by its hash."""
    if _is_hash(value):
        yield path
    elif isinstance(value, dict):
        for key, of_key in value.items():
            yield from _hashed(of_key, (*path, key))
    elif isinstance(value, list):
        for element in value:
            yield from _hashed(element, (*path, WILDCARD))


def _leaves(node: Node | None, path: FieldPath) -> Iterator[tuple[FieldPath, Scalar]]:
    found = resolved(node)
    if isinstance(found, Scalar):
        yield path, found
    elif isinstance(found, Sequence):
        for kid in found.kids:
            yield from _leaves(kid, (*path, WILDCARD))
    else:
        for key, value in trees.entries(found).items():
            yield from _leaves(value, (*path, key))


def _flow(value: Any, known: dict[str, str]) -> str:  # noqa: ANN401 - whatever JSON has
    """Return what was remembered as YAML in brackets, with the `known` text of each hash, else a tag of its own."""
    if _is_hash(value):
        hexadecimal = value[_SHA256]
        return known.get(hexadecimal) or f"{trees.HASHED} {scalars.double_quoted(hexadecimal)}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{scalars.double_quoted(key)}: {_flow(value[key], known)}" for key in value) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(element, known) for element in value) + "]"
    return scalars.double_quoted(value) if isinstance(value, str) else scalars.leaf(value, flow=True)


def _flow_scalar(scalar: Scalar) -> str:
    """Return a scalar in a form that stands in brackets: its type stays."""
    if scalar.tag is None and not scalar.style and scalars.is_retyped(scalar.value):
        return scalar.value
    tag = "" if scalar.tag is None else f"!<{scalar.tag}> "
    return tag + scalars.double_quoted(scalar.value)
