"""Secrets: what one holds, and which fields may hold it (docs/expansion.md, "Secrets")."""

from __future__ import annotations

from krm.yamltree.nodes import Scalar, mapping_at, resolved
from krm.yamltree.scalars import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

KIND = "Secret"
FIELDS = ("data", "stringData")


def holds(resource: Resource, place: Place) -> bool:
    """True if a field belongs to `data` or `stringData` of a Secret."""
    return (resource.group, resource.kind) == ("", KIND) and place[0] in FIELDS


def may_hold(resource: Resource, place: Place) -> bool:
    """True if a secret may be written into a field whatever `inline` says.

    `data` is not such a field: it is base64, and a text with a reference is not.
    """
    return holds(resource, place) and place[0] != "data"


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
