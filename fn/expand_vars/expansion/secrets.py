"""What a Secret holds, and where that may be written (decision 25)."""

from __future__ import annotations

from krm.yamltree.nodes import Mapping, Scalar, resolved
from krm.yamltree.scalars import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

KIND = "Secret"
FIELDS = ("data", "stringData")


def holds(resource: Resource, place: Place) -> bool:
    """Say whether a field is one of those in which a Secret has what it holds."""
    return (resource.group, resource.kind) == ("", KIND) and place[0] in FIELDS


def refusal(name: str) -> str:
    """Return why a reference to a secret variable stays as it is written."""
    return (
        f"variable `{name}` is secret: it is written only into `stringData` of a Secret, or with `Secrets` in `inline`"
    )


def texts(secret: Resource) -> dict[str, str | None]:
    """Return what a Secret holds by key: `data` decoded, `stringData` over it; None for what is no text."""
    encoded = {key: _decoded(text) for key, text in _strings(secret, "data").items()}
    return encoded | _strings(secret, "stringData")


def may_hold(resource: Resource, place: Place) -> bool:
    """Say whether a field may hold what a Secret holds, whatever `inline` says.

    Those of `data` may not: they are in base64, which a text with a reference is not.
    """
    return holds(resource, place) and place[0] != "data"


def _strings(secret: Resource, field: str) -> dict[str, str | None]:
    found = secret.find((field,))
    mapping = resolved(found[0][1]) if found else None
    return {key: _string(node) for key, node in mapping.items()} if isinstance(mapping, Mapping) else {}


def _string(node: Node) -> str | None:
    """Return the text of a scalar, None for null and for what is no scalar."""
    scalar = resolved(node)
    return scalar.value if isinstance(scalar, Scalar) and typed(scalar) is not None else None


def _decoded(text: str | None) -> str | None:
    """Return what a text in base64 says in UTF-8, None where it does not. Line breaks in it mean nothing."""
    from base64 import b64decode  # noqa: PLC0415 - only for a Secret that is read

    if text is None:
        return None
    try:
        return b64decode("".join(text.splitlines()), validate=True).decode()
    except ValueError:
        return None
