"""Secrets: what no message, result, `explain` or diff shows (docs/reference/results.md, "What a result has").

The kind of an object makes it a Secret, also a kind written with escapes, and so does a SecretList around it. Every
field of a Secret is secret but `apiVersion`, `kind` and `metadata`; in `metadata` kubectl's copy of the object is. A
text that holds a Secret is secret as a whole: kubectl's copy in an annotation, or a file in a ConfigMap. A field of any
object is secret if a run has put a secret into it.
"""

from __future__ import annotations

from krm import fieldpath, syntax, validation
from krm.resource import LAST_APPLIED, written_text
from krm.yamltree import nodes, parser
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, mapping_at, placed, resolved, text_at
from krm.yamltree.parser import HEAD, ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from krm.fieldpath import FieldPath
    from krm.resource import Resource
    from krm.yamltree.nodes import Node, Place

KIND = "Secret"
_LEVELS = 4
FIELDS: tuple[str, ...] = ("data", "stringData")
_GIVING = ("secretKeyRef", "secretRef", "objref")
_LIST = "SecretList"
_COPY = ("metadata", "annotations", LAST_APPLIED)
_OF_AN_OBJECT = (*FIELDS, "metadata")


def is_secret(resource: Resource, path: FieldPath, *nodes: Node | None) -> bool:
    """True if an object has or holds a secret at a path. `nodes` are what other versions of the object have there."""
    return any(True for node in nodes for _ in parts(node)) or finder(resource)(path)


def finder(resource: Resource) -> Callable[[FieldPath], bool]:
    """Return a function that is true for the paths at which an object has, or holds, a secret.

    The object is searched once: a search for each field would take time that grows with the square of its size.
    """
    is_one = _is_one(resource)
    places = {*resource.secrets, *(place for place, _ in secret_nodes(resource))}
    if not (is_one or places):
        return lambda _: False
    meets, meets_any = _meeting(places), _meeting({*map(fieldpath.general, places)})

    def is_found(path: FieldPath) -> bool:
        if is_one and (not path or path[0] not in HEAD or path == _COPY[: len(path)]):
            return True
        of_any = fieldpath.general(path)
        # A path through any element of a list, or through one by its name, is compared with those of all elements.
        return meets(path) or meets(of_any) if fieldpath.is_place(path) else meets_any(of_any)

    return is_found


def secret_nodes(resource: Resource) -> Iterator[tuple[Place, Node]]:
    """Yield the secret nodes of an object, which may be an element of a SecretList."""
    is_one = _is_one(resource)
    # Most texts do not mention a Secret, and a search of the text takes less time than a walk.
    if is_one or resource.may_contain("ecret"):
        yield from parts(resource.root, is_one=is_one)


def parts(root: Node | None, *, is_one: bool = False, level: int = 0) -> Iterator[tuple[Place, Node]]:
    """Yield the secret nodes of a tree with their places, at which there may be an alias of the node.

    With `is_one` the root is a Secret, whatever its kind is. `level` counts the texts around the tree's own text.
    """
    waiting: list[tuple[Place, Node | None, bool | None]] = [((), root, is_one)]
    aliased: list[tuple[Place, Node]] = []
    found: list[Node] = []
    while waiting:
        place, written, is_object = waiting.pop()
        node = resolved(written)
        if node is None:
            continue
        if is_object is None or (isinstance(node, Scalar) and holds_secret(node.value, level)):
            found.append(node)
            yield place, node
        elif isinstance(written, Alias):
            aliased.append((place, node))
        if is_object is not None:
            waiting += _below(place, node, is_one=is_object)
    inside = {id(one) for part in found if aliased for _, one in placed(part, ())}
    yield from ((place, node) for place, node in aliased if id(node) in inside)


def _below(place: Place, node: Node, *, is_one: bool) -> Iterator[tuple[Place, Node | None, bool | None]]:
    """Yield each value in a collection with its place: True if it is a Secret, None if all of it is secret."""
    if isinstance(node, Sequence):
        yield from (((*place, number), kid, False) for number, kid in enumerate(node.kids))
    if not isinstance(node, Mapping):
        return
    kind = text_at(node, "kind")
    # A reference to a Secret has `kind: Secret`, too, but none of these fields.
    is_one = is_one or (kind == KIND and any(node.get(key) is not None for key in _OF_AN_OBJECT))
    yield from ((place, one, is_one) for one in node.merged())
    for key, value in node.pairs():
        below = (*place, key.value or "")
        if key.value == "items" and kind == _LIST and not is_one and isinstance(listed := resolved(value), Sequence):
            # In a list of the API server the items have no kind.
            yield from (((*below, number), kid, True) for number, kid in enumerate(listed.kids))
        elif key.value != "<<":
            yield below, value, None if is_one and key.value not in HEAD else False
    if is_one:
        yield (*place, *_COPY), at(node, *_COPY), None


def holds_secret(text: str, level: int = 0) -> bool:
    """True if a text is YAML or JSON that holds a Secret, or cannot be read and mentions one.

    `level` counts the texts around it. It has a bound, as a text may hold a text that holds a text, and so on.
    """
    # So few texts are parsed. An escape can hide the word.
    if ":" not in text or not ("ecret" in text or "\\" in text):
        return False
    try:
        documents = parser.parse_all(text) if level < _LEVELS else None
    except ParseError:
        documents = None
    if documents is None:
        return KIND in text and "kind" in text
    return any(True for document in documents for _ in parts(document.root, level=level + 1))


def texts(secret: Resource) -> dict[str, str | None]:
    """Return the texts of a Secret by key, `data` decoded. None for a value that is no text."""
    # `stringData` wins over `data`, as when the API server writes a Secret.
    encoded = {key: decoded(text) for key, text in _strings(secret, "data").items()}
    return encoded | _strings(secret, "stringData")


def _strings(secret: Resource, field: str) -> dict[str, str | None]:
    """Return the scalars under `data` or `stringData` by key."""
    mapping = mapping_at(secret.root, field)
    # The API refuses a number such as `080` in `stringData`: its text is the best answer.
    return {} if mapping is None else {key: written_text(resolved(node)) for key, node in mapping.items()}


def decoded(text: str | None) -> str | None:
    """Return the UTF-8 text that is in a base64 text, None if there is none."""
    found = None if text is None else validation.decoded(text)
    try:
        return None if found is None else found.decode()
    except ValueError:
        return None


class NamesOfSecrets:
    """The variables of containers whose values may come from a Secret, in some items. No message shows these values."""

    def __init__(self, items: Iterable[Resource]) -> None:
        """Search the items for the variables that containers read from Secrets, and for the keys of Secrets."""
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
        """True if a Secret may give the value of any variable."""
        return bool(self._names or self._whole)

    def __contains__(self, name: str) -> bool:
        """True if a Secret may give the value of the variable `name`. A Secret that is not here may have any key."""
        waiting, seen = [name], set[str]()
        while waiting:
            one = waiting.pop()
            if one in self._names or any(self._gives(one, *whole) for whole in self._whole):
                return True
            # A value that refers to a secret variable is secret. The references may form a circle.
            seen.add(one)
            waiting += self._built.get(one, set()) - seen
        return False

    def build(self, name: str, names: Iterable[str]) -> None:
        """Let the value of a variable refer to other variables."""
        self._built.setdefault(name, set()).update(names)

    def _add(self, node: Node) -> None:
        name = text_at(node, "name")
        if mapping_at(node, "valueFrom", "secretKeyRef") is not None or text_at(node, "objref", "kind") == KIND:
            self._names.add(name)
        elif name is not None and "$(" in (text := text_at(node, "value") or ""):
            self.build(name, syntax.names(text))
        if mapping_at(node, "secretRef") is not None:
            self._whole.append((text_at(node, "prefix") or "", text_at(node, "secretRef", "name")))

    def _gives(self, name: str, prefix: str, secret: str | None) -> bool:
        keys = self._keys.get(secret)
        return name.startswith(prefix) and (keys is None or name.removeprefix(prefix) in keys)


def _meeting(paths: set[FieldPath]) -> Callable[[FieldPath], bool]:
    """Return a function that is true for the given paths, and for each path above or below one of them."""
    above = {path[:length] for path in paths for length in range(len(path))}
    return lambda path: path in above or any(path[:length] in paths for length in range(1, len(path) + 1))


def _is_one(resource: Resource) -> bool:
    """True if an object is a Secret by its own kind, or by the kind of the list around it."""
    around = None if resource.outer is None else resource.outer.root
    if resource.base:
        around = nodes.at(resource.editor.document.root, *resource.base[:-2])
    return resource.kind == KIND or text_at(around, "kind") == _LIST
