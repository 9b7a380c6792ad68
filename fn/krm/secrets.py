"""What is secret in an object: for messages, results, `explain` and diffs (docs/reference/packages.md, "Secrets").

A Secret is known by its kind, whatever escapes that is written with, or by the list that it is in. All of it is secret
but its `apiVersion`, `kind` and `metadata`, and in these kubectl's copy of what was applied. A text that holds a Secret
is secret as a whole: kubectl's copy in an annotation, and a file in a ConfigMap. So is a field of any object into which
a run has put what is secret.
"""

from __future__ import annotations

from krm import fieldpath, syntax, validation
from krm.resource import LAST_APPLIED, written_text
from krm.yamltree import nodes, parser
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, mapping_at, placed, resolved, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.resource import Resource
    from krm.yamltree.nodes import Node, Place

    _Waiting: TypeAlias = tuple[Place, Node | None, bool]

KIND = "Secret"
_LEVELS = 4
FIELDS: tuple[str, ...] = ("data", "stringData")
_GIVING = ("secretKeyRef", "secretRef", "objref")
_LIST = "SecretList"
_SHOWN = ("apiVersion", "kind", "metadata")
_COPY = ("metadata", "annotations", LAST_APPLIED)
# A reference to a Secret has its kind, too, and none of these.
_OF_AN_OBJECT = (*FIELDS, "metadata")


def is_secret(resource: Resource, path: FieldPath, *nodes: Node | None) -> bool:
    """True if what an object has at a path is secret, or holds a secret. `nodes` may stand there in other versions."""
    return any(True for node in nodes for _ in parts(node)) or finder(resource)(path)


def finder(resource: Resource) -> Callable[[FieldPath], bool]:
    """Return a function that is true for the paths of an object at which something is, or holds, a secret.

    The object is searched once: of one that is searched for each of its fields the cost would be the square.
    """
    is_one = _is_one(resource)
    there = {*resource.secrets}
    # Most texts have no word of a Secret, and one search is cheaper than a walk.
    if _may_tell(resource.editor.text):
        there |= {place for place, _ in parts(resource.root)}
    if not (is_one or there):
        return lambda _: False
    meets, meets_any = _meeting(there), _meeting({*map(fieldpath.general, there)})

    def is_found(path: FieldPath) -> bool:
        if is_one and (not path or path[0] not in _SHOWN or path == _COPY[: len(path)]):
            return True
        of_any = fieldpath.general(path)
        # What is asked of any element of a list, or of one by its name, is told of all of them.
        return meets(path) or meets(of_any) if fieldpath.is_place(path) else meets_any(of_any)

    return is_found


def secret_nodes(resource: Resource) -> Iterator[tuple[Place, Node]]:
    """Yield the secret nodes of an object, which may be an element of a SecretList."""
    return parts(resource.root, is_one=_is_one(resource))


def parts(root: Node | None, *, is_one: bool = False, level: int = 0) -> Iterator[tuple[Place, Node]]:
    """Yield the secret nodes of a tree, each behind its place; what stands there may be an alias of another one.

    The object at the root `is_one`, a Secret, whatever its kind says. The tree is of a text in so many others.
    """
    waiting: list[_Waiting] = [((), root, is_one)]
    aliased: list[tuple[Place, Node]] = []
    found: list[Node] = []
    while waiting:
        place, written, is_one = waiting.pop()
        node = resolved(written)
        if isinstance(written, Alias) and node is not None:
            aliased.append((place, node))
        hidden: list[tuple[Place, Node | None]] = []
        if isinstance(node, Mapping):
            hidden = [*_of_mapping(place, node, waiting, is_one=is_one or _is_object(node))]
        elif isinstance(node, Sequence):
            waiting += [((*place, number), kid, False) for number, kid in enumerate(node.kids)]
        elif isinstance(node, Scalar) and holds_secret(node.value, level):
            hidden = [(place, node)]
        for below, part in hidden:
            if part is not None:
                found.append(part)
                yield below, part
    inside = {id(one) for part in found if aliased for _, one in placed(part, ())}
    yield from ((place, node) for place, node in aliased if id(node) in inside)


def _of_mapping(
    place: Place, node: Mapping, waiting: list[_Waiting], *, is_one: bool
) -> Iterator[tuple[Place, Node | None]]:
    """Yield what is secret of a mapping by its kind, and append all else to what is waiting."""
    is_list = text_at(node, "kind") == _LIST
    waiting += [(place, one, is_one) for one in node.merged()]
    for key, value in node.pairs():
        below = (*place, key.value or "")
        if key.value == "<<":
            continue
        if is_one and key.value not in _SHOWN:
            yield below, resolved(value)
        elif is_list and key.value == "items" and isinstance(listed := resolved(value), Sequence):
            # The API server gives them without their kind.
            waiting += [((*below, number), kid, True) for number, kid in enumerate(listed.kids)]
        else:
            waiting.append((below, value, False))
    if is_one:
        yield (*place, *_COPY), resolved(at(node, *_COPY))


def _may_tell(text: str) -> bool:
    """True if a text has the word, or an escape, which can hide it."""
    return "ecret" in text or "\\" in text


def holds_secret(text: str, level: int = 0) -> bool:
    """True if a text is YAML or JSON that holds a Secret, or cannot be read and speaks of one.

    It stands in so many other texts: one may hold the next without an end, as each scalar that is its own text does.
    """
    # Few texts are parsed for this.
    if ":" not in text or not _may_tell(text):
        return False
    try:
        documents = parser.parse_all(text) if level < _LEVELS else None
    except ParseError:
        documents = None
    if documents is None:
        return KIND in text and "kind" in text
    return any(True for document in documents for _ in parts(document.root, level=level + 1))


def texts(secret: Resource) -> dict[str, str | None]:
    """Return the texts of a Secret by key: `data` decoded, `stringData` over it. None for a value that is no text."""
    # As the API server does on writing: `stringData` wins.
    encoded = {key: decoded(text) for key, text in _strings(secret, "data").items()}
    return encoded | _strings(secret, "stringData")


def _strings(secret: Resource, field: str) -> dict[str, str | None]:
    """Return the scalars under `data` or `stringData` by key."""
    mapping = mapping_at(secret.root, field)
    # `080` in `stringData` is a mistake that the API refuses; its text is the best that can be said.
    return {} if mapping is None else {key: written_text(resolved(node)) for key, node in mapping.items()}


def decoded(text: str | None) -> str | None:
    """Return base64 decoded as UTF-8, None where it is neither."""
    found = None if text is None else validation.decoded(text)
    try:
        return None if found is None else found.decode()
    except ValueError:
        return None


class NamesOfSecrets:
    """The names that a Secret may give to a container, in any of some items. No message shows what stands for them."""

    def __init__(self, items: Iterable[Resource]) -> None:
        """Search the items for what a container reads from a Secret, and for the keys of Secrets."""
        self._names: set[str | None] = set()
        self._whole: list[tuple[str, str | None]] = []
        self._keys: dict[str | None, set[str]] = {}
        self._built: dict[str, set[str]] = {}
        for item in items:
            if item.may_contain(KIND) and item.kind == KIND:
                self._keys.setdefault(item.name, set()).update(texts(item))
            if any(map(item.may_contain, _GIVING)):
                for _, node in placed(item.root, ()):
                    self._add(node)

    def __bool__(self) -> bool:
        """True if a Secret may give any name at all."""
        return bool(self._names or self._whole)

    def __contains__(self, name: str) -> bool:
        """True if a Secret may give the name: by a key that is read, or by all keys of one that may not be here."""
        waiting, seen = [name], set[str]()
        while waiting:
            one = waiting.pop()
            if one in self._names or any(self._gives(one, *whole) for whole in self._whole):
                return True
            # What a text is built of makes it secret. A name may refer to itself, by way of others.
            seen.add(one)
            waiting += self._built.get(one, set()) - seen
        return False

    def add(self, name: str) -> None:
        """Take a name for one that a Secret gives."""
        self._names.add(name)

    def _add(self, node: Node) -> None:
        name = text_at(node, "name")
        if mapping_at(node, "valueFrom", "secretKeyRef") is not None or text_at(node, "objref", "kind") == KIND:
            self._names.add(name)
        elif name is not None and "$(" in (text := text_at(node, "value") or ""):
            self._built.setdefault(name, set()).update(syntax.names(text))
        if mapping_at(node, "secretRef") is not None:
            self._whole.append((text_at(node, "prefix") or "", text_at(node, "secretRef", "name")))

    def _gives(self, name: str, prefix: str, secret: str | None) -> bool:
        keys = self._keys.get(secret)
        return name.startswith(prefix) and (keys is None or name.removeprefix(prefix) in keys)


def _meeting(paths: set[FieldPath]) -> Callable[[FieldPath], bool]:
    """Return a function that is true for a path at, above or below one of some paths."""
    above = {path[:length] for path in paths for length in range(len(path))}
    return lambda path: path in above or any(path[:length] in paths for length in range(1, len(path) + 1))


def _is_one(resource: Resource) -> bool:
    """True if an object is a Secret by its kind, or by that of the list that it is in."""
    around = None if resource.outer is None else resource.outer.root
    if resource.base:
        around = nodes.at(resource.editor.document.root, *resource.base[:-2])
    return resource.kind == KIND or text_at(around, "kind") == _LIST


def _is_object(node: Mapping) -> bool:
    return text_at(node, "kind") == KIND and any(node.get(key) is not None for key in _OF_AN_OBJECT)
