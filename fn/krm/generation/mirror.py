"""The mirror of a resource: its fields, each with a short hash in the place of its value.

The state keeps one of each generated resource. It has one key for a key, in sorted order, and one for an element: no
list is in it, and a collection of scalars alone takes one line. So git merges it as it merges the resource.

    replicas: 2                 containers:
    containers:                   name=web: {image: plhkfi, name: gmdcno}
    - name: web                 replicas: nehdfj
      image: nginx
"""

from __future__ import annotations

from functools import lru_cache

from krm import hashes
from krm.fieldpath import WILDCARD
from krm.generation.settings import is_note
from krm.merge import trees
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Wildcard
    from krm.generation.identities import Identity
    from krm.yamltree.nodes import Node

    Mirror: TypeAlias = "dict[str, str | Mirror]"
    Part: TypeAlias = tuple[str, str | Wildcard, Node]

# YAML takes no simple key of more than 1,024 characters: such a field has no origin.
_LONGEST_KEY = 1000
_LONGEST_NAME = 253
_SECRET_FIELDS = (("data",), ("stringData",))
# By these the state knows the resource in clear text.
_IDENTITY: dict[FieldPath, tuple[str, ...]] = {(): ("apiVersion", "kind"), ("metadata",): ("name", "namespace")}
# Letters alone: no reader takes a hash for a number. In capitals it is one of a secret.
_PLAIN, _SECRET = (str.maketrans("0123456789abcdef", letters) for letters in ("abcdefghijklmnop", "ABCDEFGHIJKLMNOP"))
_LENGTH = 6


class Mirroring:
    """The hashes of the fields of one resource. Something secret was inserted at `secrets`, whatever the element."""

    def __init__(self, identity: Identity, secrets: Collection[FieldPath] = ()) -> None:
        self._identity = "/".join(identity)
        self._is_secret = identity[:2] == ("", "Secret")
        self._secrets = secrets

    def of(self, root: Node | None) -> Mirror:
        """Return the mirror of a resource."""
        return {key: self._part(node, (at,)) for key, at, node in self.parts(root, ())}

    def parts(self, node: Node | None, path: FieldPath) -> list[Part]:
        """Return what is in a collection: its key in the mirror, the step to it, and its node; [] for a leaf."""
        found = resolved(node)
        if isinstance(found, Sequence) and found.tag is None:
            return [(key, WILDCARD, kid) for key, kid in zip(self._keys(found.kids, path), found.kids, strict=True)]
        if not isinstance(found, Mapping) or found.tag is not None:
            return []
        left_out = _IDENTITY.get(path, ())
        entries = trees.entries(found)
        return [
            (f".{key}" if _is_element(key.lstrip(".")) else key, key, node)
            for key, node in sorted(entries.items())
            if key not in left_out and self._is_kept(key, node, path)
        ]

    def leaf(self, node: Node | None, path: FieldPath) -> str:
        """Return the hash of a scalar, or of a collection that is empty or has a tag; of a text those of its lines."""
        found = resolved(node)
        if not isinstance(found, Scalar):
            return self._hash(f"\0{type(found).__name__}\0{_canonical(found)}", path)
        kind, value = trees.typed(found)
        if kind is not str:
            return self._hash(f"\0{kind}\0{value}", path)
        if "\n" in found.value and not self._has_secret(path):
            return " ".join(map(_plain, found.value.split("\n")))
        return self._hash(found.value, path)

    def _part(self, node: Node, path: FieldPath) -> str | Mirror:
        parts = self.parts(node, path)
        if not parts:
            return self.leaf(node, path)
        return {key: self._part(kid, (*path, at)) for key, at, kid in parts}

    def _is_kept(self, key: str, node: Node, path: FieldPath) -> bool:
        if path == trees.ANNOTATIONS and is_note(key):
            return False
        # What says nothing but the identity, or notes of others, is no field that somebody generates.
        is_outer = (*path, key) in (trees.ANNOTATIONS, trees.ANNOTATIONS[:1])
        return len(key) <= _LONGEST_KEY and (not is_outer or bool(self.parts(node, (*path, key))))

    def _keys(self, kids: list[Node], path: FieldPath) -> list[str]:
        """Return what the elements of a list are called: by their names where each has one, else by their numbers."""
        names = [scalars.string_at(kid, "name") or "" for kid in kids]
        is_named = len({*names}) == len(names) and all(0 < len(name) <= _LONGEST_NAME for name in names)
        if not is_named or self._has_secret((*path, WILDCARD, "name")):
            return [str(number) for number in range(len(kids))]
        return [f"name={name}" for name in names]

    def _hash(self, text: str, path: FieldPath) -> str:
        if not self._has_secret(path):
            return _plain(text)
        # Over the identity too, so that two Secrets with one password do not show it.
        return hashes.digest(self._identity, path, text)[:_LENGTH].translate(_SECRET)

    def _has_secret(self, path: FieldPath) -> bool:
        if self._is_secret and path[:1] in _SECRET_FIELDS:
            return True
        return any(one[: len(path)] == path or path[: len(one)] == one for one in self._secrets)


def is_list(fields: Mirror) -> bool:
    """True if what is mirrored is a list."""
    return all(map(_is_element, fields))


def step(key: str) -> str:
    """Return the key in a mapping that a key of its mirror stands for."""
    return key[1:] if key.startswith(".") and _is_element(key.lstrip(".")) else key


def written(mirror: Mirror) -> str:
    """Return the text of a mirror."""
    lines = _lines(mirror, "")
    return lines if isinstance(lines, str) else "\n".join(lines)


def of_node(node: Node | None) -> str | Mirror | None:
    """Return the mirror, or the hash, that a node is; None where it is none: somebody has edited it."""
    if isinstance(node, Scalar):
        return node.value if node.value and node.value.replace(" ", "").isalpha() else None
    if not isinstance(node, Mapping):
        return None
    found = {key: of_node(value) for key, value in trees.entries(node).items()}
    return None if None in found.values() else found  # type: ignore[return-value]  # see the condition


def read(text: str) -> Mirror:
    """Return the mirror that was `written` as a text."""
    return of_node(parser.parse(text).root)  # type: ignore[return-value]  # no other text is given


def is_secret(leaf: str) -> bool:
    """True for the hash of a secret."""
    return leaf.isupper()


def _lines(mirror: Mirror, margin: str) -> list[str] | str:
    """Return the lines of a mirror, or what stands behind its key where it holds hashes alone."""
    if all(isinstance(value, str) for value in mirror.values()):
        return f"{{{', '.join(f'{_quoted(key, flow=True)}: {value}' for key, value in mirror.items())}}}"
    lines: list[str] = []
    for key, value in mirror.items():
        head = f"{margin}{_quoted(key, flow=False)}:"
        below = value if isinstance(value, str) else _lines(value, f"{margin}  ")
        lines += [f"{head} {below}"] if isinstance(below, str) else [head, *below]
    return lines


def _canonical(node: Node | None) -> str:
    """Return a text that two nodes have in common if and only if they are the same data."""
    found = resolved(node)
    if isinstance(found, Mapping):
        entries = sorted((key, _canonical(value)) for key, value in trees.entries(found).items())
        return f"{found.tag}{entries}"
    if isinstance(found, Sequence):
        return f"{found.tag}{[_canonical(kid) for kid in found.kids]}"
    return "" if found is None else f"{trees.typed(found)}"


def _is_element(key: str) -> bool:
    """True if a key may be that of an element. One of a mapping that looks so gets a dot in front."""
    return key.isdecimal() or key.startswith("name=")


@lru_cache(8192)  # most values of a thousand resources are the same
def _plain(text: str) -> str:
    return hashes.of_text(text)[:_LENGTH].translate(_PLAIN)


@lru_cache(4096)
def _quoted(text: str, *, flow: bool) -> str:
    return scalars.leaf(text, flow=flow)
