"""What is secret in an object: one answer for messages, results, `explain` and diffs (docs/packages.md, "Secrets").

A Secret is known by its kind, whatever escapes that is written with, or by the list that it is in. All of it is secret
but its `apiVersion`, `kind` and `metadata`, and in these kubectl's copy of what was applied. A text that holds a Secret
is secret as a whole: kubectl's copy in an annotation, and a file in a ConfigMap. So is a field of any object into which
a run has put what is secret.
"""

from __future__ import annotations

from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.resource import LAST_APPLIED
from krm.yamltree import aliases, parser
from krm.yamltree.nodes import Mapping, Scalar, Sequence, at, resolved, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from krm.fieldpath import FieldPath
    from krm.resource import Resource
    from krm.yamltree.nodes import Node, Place

KIND = "Secret"
_LIST = "SecretList"
_SHOWN = ("apiVersion", "kind", "metadata")
_COPY = ("metadata", "annotations", LAST_APPLIED)
# A reference to a Secret has its kind, too, and none of these.
_OF_AN_OBJECT = ("data", "stringData", "metadata")


def is_secret(resource: Resource, path: FieldPath, *nodes: Node | None) -> bool:
    """True if what an object has at a path is secret, or holds a secret. `nodes` may stand there in other versions."""
    return any(True for node in nodes for _ in parts(node)) or finder(resource)(path)


def finder(resource: Resource) -> Callable[[FieldPath], bool]:
    """Return a function that is true for the paths of an object at which something is, or holds, a secret.

    The object is searched once: of one that is searched for each of its fields the cost would be the square.
    """
    is_one, root = _is_one(resource), resource.root
    there = [*parts(root)]

    def is_found(path: FieldPath) -> bool:
        if is_one and (not path or path[0] not in _SHOWN or path == _COPY[: len(path)]):
            return True
        if any(_meet(one, path) for one in resource.secrets):
            return True
        found = fieldpath.find(root, path) if there and root is not None else ()
        # An alias shows what stands elsewhere, and a template that is shown stands nowhere in the text.
        return any(
            _meet(above, place) or (part.start < node.end and node.start < part.end)
            for place, node in found
            for above, part in there
        )

    return is_found


def parts(root: Node | None) -> Iterator[tuple[Place, Node]]:
    """Yield the secret nodes of a tree, none of them inside of another, each behind its place."""
    waiting: list[tuple[Place, Node | None, bool]] = [((), root, False)]
    while waiting:
        place, written, is_one = waiting.pop()
        node = resolved(written)
        if isinstance(node, Mapping):
            is_one = is_one or _is_object(node)
            is_list = text_at(node, "kind") == _LIST
            waiting += [(place, one, is_one) for one in node.merged()]
            for key, value in node.pairs():
                below = (*place, key.value or "")
                if key.value == "<<":
                    continue
                if is_one and key.value not in _SHOWN:
                    if (hidden := resolved(value)) is not None:
                        yield below, hidden
                elif is_list and key.value == "items" and isinstance(listed := resolved(value), Sequence):
                    # The API server gives them without their kind.
                    waiting += [((*below, number), kid, True) for number, kid in enumerate(listed.kids)]
                else:
                    waiting.append((below, value, False))
            if is_one and (copy := resolved(at(node, *_COPY))) is not None:
                yield (*place, *_COPY), copy
        elif isinstance(node, Sequence):
            waiting += [((*place, number), kid, False) for number, kid in enumerate(node.kids)]
        elif isinstance(node, Scalar) and holds_secret(node.value):
            yield place, node


def holds_secret(text: str) -> bool:
    """True if a text is YAML or JSON that holds a Secret, or cannot be read and speaks of one."""
    # An escape can hide the word. Few texts are parsed for this.
    if ":" not in text or not ("ecret" in text or "\\" in text):
        return False
    try:
        return any(True for document in parser.parse_all(text) for _ in parts(document.root))
    except ParseError:
        return KIND in text and "kind" in text


def _meet(one: FieldPath, path: FieldPath) -> bool:
    """True if one of two paths leads to something at or above the other, whatever the element of a list."""
    return all(step in (WILDCARD, other) for step, other in zip(one, path, strict=False))


def _is_one(resource: Resource) -> bool:
    """True if an object is a Secret by its kind, or by that of the list that it is in."""
    around = None if resource.outer is None else resource.outer.root
    if resource.base:
        around = aliases.read(resource.editor.document.root, resource.base[:-2])
    return resource.kind == KIND or text_at(around, "kind") == _LIST


def _is_object(node: Mapping) -> bool:
    return text_at(node, "kind") == KIND and any(node.get(key) is not None for key in _OF_AN_OBJECT)
