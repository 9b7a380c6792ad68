"""Secrets: what one holds, and which fields may hold it (docs/expansion.md, "Secrets")."""

from __future__ import annotations

from krm import syntax
from krm.yamltree.nodes import Scalar, mapping_at, placed, resolved, text_at
from krm.yamltree.scalars import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

KIND = "Secret"
FIELDS = ("data", "stringData")
_GIVING = ("secretKeyRef", "secretRef", "objref")


def may_hold(resource: Resource, place: Place) -> bool:
    """True if a secret may be written into a field whatever `inline` says.

    `data` is not such a field: it is base64, and a text with a reference is not.
    """
    return (resource.group, resource.kind) == ("", KIND) and place[0] == "stringData"


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


NAMES = frozenset((("metadata", "name"), ("metadata", "namespace")))
"""The fields that messages name a resource by."""
IN_A_NAME = "what a resource is called cannot be secret"


def refusal(name: str) -> str:
    """Return why a reference to a secret variable stays as written."""
    return (
        f"variable `{name}` is secret: it is written only into `stringData` of a Secret, or with `Secrets` in "
        "`inline`; a container reads it by `secretKeyRef`"
    )


def texts(secret: Resource) -> dict[str, str | None]:
    """Return the texts of a Secret by key: `data` decoded, `stringData` over it. None for a value that is no text."""
    # As the API server does on writing: `stringData` wins.
    encoded = {key: _decoded(text) for key, text in _strings(secret, "data").items()}
    return encoded | _strings(secret, "stringData")


def _strings(secret: Resource, field: str) -> dict[str, str | None]:
    """Return the scalars under `data` or `stringData` by key."""
    mapping = mapping_at(secret.root, field)
    return {} if mapping is None else {key: _string(node) for key, node in mapping.items()}


def _string(node: Node) -> str | None:
    """Return the text of a scalar, None for null and for a collection."""
    # `080` in `stringData` is a mistake that the API refuses; its text is the best that can be said.
    scalar = resolved(node)
    return scalar.value if isinstance(scalar, Scalar) and typed(scalar) is not None else None


def _decoded(text: str | None) -> str | None:
    """Return base64 decoded as UTF-8, None where it is neither. Line breaks in base64 mean nothing."""
    from base64 import b64decode  # noqa: PLC0415 - only for a Secret that is read

    if text is None:
        return None
    try:
        return b64decode("".join(text.splitlines()), validate=True).decode()
    except ValueError:
        return None
