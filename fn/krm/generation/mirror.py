"""The mirror of a generated resource: the text of the annotation that the next run reads as its origin.

It is YAML with the lines of the resource, without comments, in the order that they have in the item. So git merges it
wherever it merges the item. `origins` reads it.

    spec:
      replicas: 2
      template: !sha256 0123456789
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm import fieldpath, hashes
from krm.generation import origins, room
from krm.generation.settings import is_note
from krm.merge import trees
from krm.merge.lists import order
from krm.yamltree import scalars
from krm.yamltree.nodes import Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

_LONGEST_KEY = 1000  # YAML takes no simple key of more than 1,024 characters
_SECRET_FIELDS = ("data", "stringData")
# By these an item is found again: they are kept as they are, however long.
_IDENTITY: tuple[Place, ...] = (("apiVersion",), ("kind",), ("metadata", "namespace"), ("metadata", "name"))
_OUTER: tuple[Place, ...] = (("metadata",),)
_KEYS = re.compile("^[^:\n]*", re.MULTILINE)
_HASH_OF_A_PART = f"{trees.HASHED} 0123456789"


def text(update: Resource, secrets: Collection[Place] = (), before: Node | None = None) -> str:
    """Return the annotation for a generated resource. At `secrets` of it something secret was inserted.

    Keys that the annotation had `before` keep their order, as they do in the item when the template is merged into it.
    What is too large for an annotation loses detail: its largest parts become hashes, each as deep as there is room.
    Half of the room is for the references that the object may get later.
    """
    mirror = _Mirror(update, secrets, before)
    written = mirror.text()
    # By the size of the template alone, and not of the item: else each label that the user adds would write it anew.
    largest = room(len(update.source)) // 2
    if len(written) > largest:
        mirror.shorten(largest)
        written = mirror.text()
    return written


def is_moved(mirror: str, before: str) -> bool:
    """True if the keys that two mirrors have in common are in another order in each, by a look at the texts alone."""
    new, old = _KEYS.findall(mirror), _KEYS.findall(before)
    common = {*new} & {*old}
    return new != old and [key for key in new if key in common] != [key for key in old if key in common]


class _Mirror:
    """The lines that mirror one resource. The parts at `_short` are hashes."""

    def __init__(self, update: Resource, secrets: Collection[Place], before: Node | None) -> None:
        self._update = update
        self._before = before
        self._identity = origins.identity(update)
        self._is_secret = update.kind == "Secret"
        self._secrets = secrets
        self._short: set[Place] = set()

    def text(self) -> str:
        """Return the lines."""
        return "".join(f"{line}\n" for line in self._lines(self._update.root, (), self._before))

    def shorten(self, largest: int) -> None:
        """Let parts become hashes until the rest has room: from the top down, the smallest parts are kept first."""
        from heapq import heappop, heappush  # noqa: PLC0415 - most resources are small

        # What is near the top and small is what people change: replicas, an image, a port. A schema or a script is
        # large, and loses least as one hash: a part that only one side changed still merges.
        root = _Part(self, self._update.root, (), 0)
        left = largest - root.own
        waiting: list[tuple[int, int, _Part]] = []
        count = 0
        for part in root.parts:
            heappush(waiting, (0 if part.place in _OUTER else part.size, count := count + 1, part))
        while waiting:
            _, _, part = heappop(waiting)
            if part.own > left and part.place not in _OUTER:
                self._short.add(part.place)
                continue
            left -= part.own
            for below in part.parts:
                heappush(waiting, (below.size, count := count + 1, below))

    def _lines(self, node: Node | None, place: Place, before: Node | None, margin: str = "") -> list[str]:
        """Return the lines of a collection that is not empty, each behind `margin`."""
        lines = []
        for step, value, was in _ordered(self.below(node, place), resolved(before)):
            here = (*place, step)
            head = f"{margin}{_head(step)}"
            leaf = self.leaf(value, here)
            if leaf is not None:
                lines.append(f"{head} {leaf}")
            elif isinstance(step, int):
                first, *others = self._lines(value, here, was, f"{margin}  ")
                lines += [f"{head} {first[len(head) + 1 :]}", *others]
            else:
                # A list stands at the margin of its key, as kpt and kubectl print it: git sees no other indentation.
                inner = margin if isinstance(resolved(value), Sequence) else f"{margin}  "
                lines += [head, *self._lines(value, here, was, inner)]
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
        # A tag has no short text of its own (`!!binary` may be long), and equality is all that a merge asks for.
        if is_secret or scalar.tag is not None or len(scalar.value.encode(errors="replace")) > hashes.LONGEST:
            return self._hash(scalar, place)
        return _quoted(scalar.value) if is_text else scalar.value or "null"

    def _hash(self, node: Node, place: Place) -> str:
        # Not by its index: the next time an element may stand elsewhere.
        plain, secret = origins.digests(self._identity, fieldpath.general(place), node)
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


def _ordered(parts: list[tuple[str | int, Node]], before: Node | None) -> list[tuple[str | int, Node, Node | None]]:
    """Return the entries of a mapping in the order that they had before, or the elements of a list.

    Each has what was there, None for what is new. Elements of lists are told apart by their names alone.
    """
    if isinstance(before, Sequence):
        named = {name: kid for kid in before.kids if (name := scalars.string_at(kid, "name"))}
        return [(step, value, named.get(scalars.string_at(value, "name") or "")) for step, value in parts]
    new, old = dict(parts), trees.entries(before)
    keys: Iterable[str | int] = order.inserted(new, old, new) if old else new
    return [(key, new[key], old.get(key)) for key in keys]  # type: ignore[arg-type]  # a list has no entry


def _head(step: str | int) -> str:
    return "-" if isinstance(step, int) else f"{_quoted(step)}:"


@lru_cache(4096)  # the keys and most of the values of a thousand resources are the same
def _quoted(text: str) -> str:
    """Return a string in ASCII and without `$`, since kustomize's `vars` expands annotations; in quotes if it must."""
    if text.isascii() and "$" not in text:
        return scalars.leaf(text, flow=False)
    quoted = scalars.double_quoted(text).replace("$", r"\u0024")
    return "".join(one if one.isascii() else _escape(one) for one in quoted)


def _escape(character: str) -> str:
    code = ord(character)
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"  # noqa: PLR2004 - the plane that `\u` reaches
