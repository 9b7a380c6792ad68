"""The origin of an item: what it was generated as the last time (docs/generated-resources.md, "The origin").

It is an annotation, in YAML that mirrors the generated resource line by line and in its order, without comments. So git
merges it wherever it merges the resource. A secret, and a text over 128 bytes, is a hash: equality is all that a merge
needs.

    spec:
      replicas: 2
      template: !sha256 0123456789
"""

from __future__ import annotations

from krm import hashes
from krm.fieldpath import WILDCARD
from krm.generation.overrides import is_note
from krm.merge import trees
from krm.merge.trees import Tree
from krm.yamltree import edits, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place, Wildcard
    from krm.generation.tracking import Tracking
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Identity: TypeAlias = tuple[str, str, str, str]

LARGEST = 16 * 1024
"""The bytes of the annotation at most: the API server takes 256 KiB of all annotations of an object."""

_LONGEST_KEY = 1000  # YAML takes no simple key of more than 1,024 characters
_SECRET_FIELDS = ("data", "stringData")
# By these an item is found again: they are kept as they are, however long.
_IDENTITY: tuple[Place, ...] = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))
_OUTER: tuple[Place, ...] = (("metadata",),)
_HASH_OF_A_PART = f"{trees.HASHED} 0123456789"


class Origin:
    """What an item was generated as."""

    __slots__ = ("_text", "_tree", "identity")

    def __init__(self, text: str, tree: Mapping) -> None:
        self._text = text
        self._tree = tree
        group = (scalars.string_at(tree, "apiVersion") or "").rpartition("/")[0]
        kind, name = scalars.string_at(tree, "kind") or "", scalars.string_at(tree, "metadata", "name") or ""
        self.identity: Identity = (group, kind, namespace(scalars.string_at(tree, "metadata", "namespace") or ""), name)

    def tree(self, *sides: Tree) -> Tree:
        """Return it as a side of a merge with `sides`: where one of them has what was hashed, that stands there.

        A hash that none of them explains is no data that any of them has: if both changed that, it is one conflict.
        """
        made = []
        for path, scalar in _hashed(self._tree, ()):
            known = next((text for side in sides if (text := self._explained(side, path, scalar)) is not None), None)
            if known is not None:
                made.append(Edit(scalar.start, scalar.end, known))
        text = edits.apply(self._text, made)
        return Tree(text, parser.parse(text).root)

    def _explained(self, side: Tree, path: FieldPath, hashed: Scalar) -> str | None:
        """Return the text of the node of a side that has a hash, None where none has it."""
        found = (node for node in _at(side.root, path) if hashed.value in _digests(self.identity, path, node))
        node = next(found, None)
        return None if node is None else _flow(node)


def identity(resource: Resource) -> Identity:
    """Return the identity of an object. One without a namespace is in the default one."""
    return resource.group, resource.kind, namespace(resource.namespace), resource.name


def namespace(name: str) -> str:
    """Return the name of a namespace, empty for the one that needs no name."""
    return "" if name == "default" else name


def read(item: Resource, tracking: Tracking) -> Origin | None:
    """Return the origin of an item that has one, None where the annotation is damaged, by a merge say."""
    text = item.annotations[tracking.last_generated]
    try:
        document = parser.parse(text)
    except ParseError:
        return None
    root = document.root
    if not isinstance(root, Mapping) or document.aliases or not trees.is_plain(root):
        return None
    origin = Origin(text, root)
    version = scalars.string_at(root, "apiVersion")
    return origin if version and origin.identity[1] and origin.identity[3] else None


def text(update: Resource, secrets: Collection[Place] = ()) -> str:
    """Return the annotation for a generated resource. At `secrets` of it something secret was inserted.

    What is too large for an annotation loses detail: its largest parts become hashes, each as deep as there is room.
    """
    mirror = _Mirror(update, secrets)
    written = mirror.text()
    if len(written) > LARGEST:
        mirror.shorten()
        written = mirror.text()
    return written


class _Mirror:
    """The lines that mirror one resource. The parts at `_short` are hashes."""

    def __init__(self, update: Resource, secrets: Collection[Place]) -> None:
        self._update = update
        self._identity = identity(update)
        self._is_secret = update.kind == "Secret"
        self._secrets = secrets
        self._short: set[Place] = set()

    def text(self) -> str:
        """Return the lines."""
        return "".join(f"{line}\n" for line in self._lines(self._update.root, ()))

    def shorten(self) -> None:
        """Let parts become hashes until the rest has room: from the top down, the smallest parts are kept first."""
        from heapq import heappop, heappush  # noqa: PLC0415 - most resources are small

        root = _Part(self, self._update.root, (), 0)
        room = LARGEST - root.own
        waiting: list[tuple[int, int, _Part]] = []
        count = 0
        for part in root.parts:
            heappush(waiting, (0 if part.place in _OUTER else part.size, count := count + 1, part))
        while waiting:
            _, _, part = heappop(waiting)
            if part.own > room and part.place not in _OUTER:
                self._short.add(part.place)
                continue
            room -= part.own
            for below in part.parts:
                heappush(waiting, (below.size, count := count + 1, below))

    def _lines(self, node: Node | None, place: Place) -> list[str]:
        """Return the lines of a collection that is not empty."""
        lines = []
        for step, value in self.below(node, place):
            here = (*place, step)
            head = _head(step)
            leaf = self.leaf(value, here)
            if leaf is not None:
                lines.append(f"{head} {leaf}")
                continue
            below = self._lines(value, here)
            if isinstance(step, int):
                lines += [f"- {below[0]}", *(f"  {line}" for line in below[1:])]
            else:
                margin = "" if isinstance(resolved(value), Sequence) else "  "
                lines += [head, *(f"{margin}{line}" for line in below)]
        return lines

    def below(self, node: Node | None, place: Place) -> list[tuple[str | int, Node]]:
        """Return what is in a collection, but for the annotations in which other tools keep their books."""
        found = resolved(node)
        if isinstance(found, Sequence):
            return [*enumerate(found.kids)]
        entries = trees.entries(found)
        if place == trees.ANNOTATIONS:
            return [(key, value) for key, value in entries.items() if not is_note(key)]
        if place == trees.ANNOTATIONS[:1]:
            return [
                (key, one) for key, one in entries.items() if key != "annotations" or self.below(one, (*place, key))
            ]
        return [*entries.items()]

    def leaf(self, node: Node, place: Place) -> str | None:
        """Return what stands on the line of a key or a dash, None for a collection that takes lines of its own."""
        found = resolved(node)
        if isinstance(found, Scalar):
            return self._scalar(found, place)
        if place in self._short or any(len(key) > _LONGEST_KEY for key in trees.entries(found)):
            return self._hash(node, place)
        if self.below(node, place):
            return None
        return "[]" if isinstance(found, Sequence) else "{}"

    def _scalar(self, scalar: Scalar, place: Place) -> str:
        is_secret = self._has_secret(place)
        is_text = scalars.string(scalar) is not None
        if place in _IDENTITY and is_text:
            return _quoted(scalar.value)
        if is_secret or scalar.tag is not None or len(scalar.value.encode(errors="replace")) > hashes.LONGEST:
            return self._hash(scalar, place)
        return _quoted(scalar.value) if is_text else scalar.value or "null"

    def _hash(self, node: Node, place: Place) -> str:
        plain, secret = _digests(self._identity, _general(place), node)
        # A part that became one hash hides what is secret in it, too.
        return f"{trees.HASHED} {secret if self._has_secret(place) else plain}"

    def _has_secret(self, place: Place) -> bool:
        if self._is_secret and place[0] in _SECRET_FIELDS:
            return True
        return any(secret[: len(place)] == place or place[: len(secret)] == secret for secret in self._secrets)


class _Part:
    """A collection in a resource: the bytes of its own lines while each part below it is a hash, and of all lines."""

    __slots__ = ("own", "parts", "place", "size")

    def __init__(self, mirror: _Mirror, node: Node | None, place: Place, margin: int) -> None:
        self.place = place
        self.own = 0
        self.parts: list[_Part] = []
        for step, value in mirror.below(node, place):
            here = (*place, step)
            leaf = mirror.leaf(value, here)
            self.own += margin + len(_head(step)) + len(_HASH_OF_A_PART if leaf is None else leaf) + 2
            if leaf is None:
                self.parts.append(_Part(mirror, value, here, margin + 2))
        self.size: int = self.own + sum(part.size for part in self.parts)


def _head(step: str | int) -> str:
    return "-" if isinstance(step, int) else f"{_quoted(step)}:"


def _digests(identity: Identity, path: FieldPath, node: Node) -> tuple[str, str]:
    """Return the hash of the data of a node, and the one that it has as a secret: over identity and path as well."""
    data = _canonical(node)
    return hashes.of_text(data), hashes.digest("/".join(identity), path, data)[: hashes.SHORT]


def _canonical(node: Node | None) -> str:
    """Return a text that two nodes have in common if and only if they are the same data."""
    found = resolved(node)
    if isinstance(found, Mapping):
        entries = sorted((key, _canonical(value)) for key, value in trees.entries(found).items())
        return f"{found.tag}{entries}"
    if isinstance(found, Sequence):
        return f"{found.tag}{[_canonical(kid) for kid in found.kids]}"
    if not isinstance(found, Scalar):
        return "None"
    kind, value = trees.typed(found)
    # The text alone of a string: the hash of what stands in a file can be told without this program.
    return found.value if kind is str else f"\0{kind}\0{value}"


def _general(place: Place) -> FieldPath:
    """Return the path of all elements of the lists on the way: the next time an element may stand elsewhere."""
    return tuple(WILDCARD if isinstance(step, int) else step for step in place)


def _hashed(node: Node | None, path: FieldPath) -> Iterator[tuple[FieldPath, Scalar]]:
    """Yield every hash at and below a node, with its path."""
    found = resolved(node)
    if isinstance(found, Scalar) and found.tag == trees.HASHED:
        yield path, found
    for step, kid in _kids(found):
        yield from _hashed(kid, (*path, step))


def _at(node: Node | None, path: FieldPath) -> Iterator[Node]:
    """Yield the nodes below a node that a path with the elements of lists leads to."""
    first, *rest = path
    for step, kid in _kids(resolved(node)):
        if step == first:
            yield from _at(kid, tuple(rest)) if rest else (kid,)


def _kids(node: Node | None) -> Iterator[tuple[str | Wildcard, Node]]:
    if isinstance(node, Sequence):
        yield from ((WILDCARD, kid) for kid in node.kids)
    else:
        yield from trees.entries(node).items()


def _flow(node: Node | None) -> str:
    """Return a node as YAML in brackets: its types stay."""
    found = resolved(node)
    tag = "" if found is None or found.tag is None else f"!<{found.tag}> "
    if isinstance(found, Mapping):
        entries = (f"{scalars.double_quoted(key)}: {_flow(value)}" for key, value in trees.entries(found).items())
        return f"{tag}{{{', '.join(entries)}}}"
    if isinstance(found, Sequence):
        return f"{tag}[{', '.join(map(_flow, found.kids))}]"
    if not isinstance(found, Scalar):
        return "null"
    if found.tag is None and not found.style and scalars.is_retyped(found.value):
        return found.value or "null"
    return tag + scalars.double_quoted(found.value)


def _quoted(text: str) -> str:
    """Return a string in ASCII and without `$`, since kustomize's `vars` expands annotations; in quotes if it must."""
    if text.isascii() and "$" not in text:
        return scalars.leaf(text, flow=False)
    quoted = scalars.double_quoted(text).replace("$", r"\u0024")
    return "".join(one if one.isascii() else _escape(one) for one in quoted)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the plane that `\u` reaches
