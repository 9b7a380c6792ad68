"""Hashes that take the place of texts in an annotation: a later run needs to know only if two are equal."""

from __future__ import annotations

from krm import fieldpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath

SHORT = 10
"""The hexadecimal digits of a hash that stands in an annotation: forty bits tell the texts of one object apart."""


def digest(identity: str, path: FieldPath, text: str) -> str:
    """Return the hash of the text of a field, over identity and path as well, so that equal texts do not show."""
    return _sha256("\0".join((identity, fieldpath.to_text(path), text)))


def of_text(text: str) -> str:
    """Return the short hash of a text that is no secret, over the text alone: it stays the same when a field moves."""
    return _sha256(text)[:SHORT]


def _sha256(text: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - most runs need none

    return sha256(text.encode(errors="surrogatepass")).hexdigest()
