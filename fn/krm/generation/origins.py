"""The origin of an item: what it was generated as the last time (docs/generated-resources.md, "The origin").

An annotation holds it, which `mirror` writes. A secret, and a text over 128 bytes, is a hash there: equality is all
that a merge needs.
"""

from __future__ import annotations

from krm import hashes
from krm.fieldpath import WILDCARD
from krm.merge import trees
from krm.merge.trees import Tree
from krm.yamltree import edits, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Wildcard
    from krm.generation.settings import Tracking
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Identity: TypeAlias = tuple[str, str, str, str]


# An alias that names nothing is null, and not the text `None`: that is a string which somebody may have written.
_NULL = f"\0{bool}\0None"


class Origin:
    """The resource as which an item was generated, as far as its annotation tells."""

    __slots__ = ("identity", "root", "text")

    def __init__(self, text: str, tree: Mapping) -> None:
        self.text = text
        self.root = tree
        group = (scalars.string_at(tree, "apiVersion") or "").rpartition("/")[0]
        kind, name = scalars.string_at(tree, "kind") or "", scalars.string_at(tree, "metadata", "name") or ""
        self.identity: Identity = (group, kind, namespace(scalars.string_at(tree, "metadata", "namespace") or ""), name)

    def tree(self, *sides: Tree) -> Tree:
        """Return it as a side of a merge with `sides`: where one of them has what was hashed, that stands there.

        A hash that none of them explains is no data that any of them has: if both changed that, it is one conflict.
        """
        # As text, parsed once more: a merge compares spans of a text, and a hash is shorter than what it stands for.
        made = []
        for path, scalar in _hashed(self.root, ()):
            known = next((text for side in sides if (text := self._explained(side, path, scalar)) is not None), None)
            if known is not None:
                made.append(Edit(scalar.start, scalar.end, known))
        if not made:
            return Tree(self.text, self.root)
        text = edits.apply(self.text, made)
        return Tree(text, parser.parse(text).root)

    def _explained(self, side: Tree, path: FieldPath, hashed: Scalar) -> str | None:
        """Return the text of the node of a side that has a hash, None where none has it."""
        found = (node for node in _at(side.root, path) if hashed.value in digests(self.identity, path, node))
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
    text = tracking.origin(item)
    try:
        document = parser.parse(text)
    except ParseError:
        return None
    root = document.root
    # We write no alias and no `<<`. Whoever adds one could let a small text stand for a huge one.
    if not isinstance(root, Mapping) or document.aliases or not trees.is_plain(root):
        return None
    origin = Origin(text, root)
    version = scalars.string_at(root, "apiVersion")
    return origin if version and origin.identity[1] and origin.identity[3] else None


def digests(identity: Identity, path: FieldPath, node: Node) -> tuple[str, str]:
    """Return the hash of the data of a node, and the one that it has as a secret: over identity and path as well."""
    data = _canonical(node)
    # Over the identity too, so that two Secrets with one password do not show it
    # (docs/runs-in-place.md, "What nobody can keep").
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
        return _NULL
    kind, value = trees.typed(found)
    # The text alone of a string: the hash of what stands in a file can be told without this program.
    return found.value if kind is str else f"\0{kind}\0{value}"


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
