"""Hashes that take the place of texts which an annotation does not show: long ones, and secrets."""

from __future__ import annotations

from krm import fieldpath

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import FieldPath

LONGEST = 128
"""The bytes of a text up to which an annotation keeps the text itself: beyond that equality is all that is needed."""


def digest(identity: str, path: FieldPath, text: str) -> str:
    """Return the hash of the text of a field, over identity and path as well, so that equal texts do not show."""
    from hashlib import sha256  # noqa: PLC0415 - only long and secret texts need it

    return sha256("\0".join((identity, fieldpath.to_text(path), text)).encode()).hexdigest()
