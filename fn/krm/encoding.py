"""The text of bytes in UTF-8, with a clause about other bytes; and how a text is shown."""

from __future__ import annotations

_BYTE_ORDER_MARK = "\ufeff"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_FIRST = 4
# Not control characters alone: a format character (Cf) can turn the rest of a line around, so that a message shows
# another path than the one that is meant.
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


class NotUtf8Error(ValueError):
    """Bytes are no text in UTF-8. The message is a clause that follows their name."""


def decoded(data: bytes) -> str:
    """Return bytes as text. NotUtf8Error if they are not UTF-8."""
    # ASCII as UTF-16 without a mark is valid UTF-8, with a zero in each second byte. No YAML starts so.
    if data.startswith(_UTF_16_MARKS) or data[:_FIRST].count(0) >= _FIRST // 2:
        raise NotUtf8Error("is UTF-16 or UTF-32: convert it to UTF-8")
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"byte 0x{data[error.start]:02x} in line {line}"
        raise NotUtf8Error(f"is not UTF-8: {found}; convert it to UTF-8") from None


def split_bom(text: str) -> tuple[str, str]:
    """Return the byte order mark that a text starts with, "" if it has none, and the text behind it."""
    rest = text.removeprefix(_BYTE_ORDER_MARK)
    return text[: len(text) - len(rest)], rest


def visible(text: str) -> str:
    """Return a text with what a terminal would obey, or not show, as escapes."""
    if text.isprintable():
        return text
    from unicodedata import category  # noqa: PLC0415 - nearly all texts need no look into the tables of Unicode

    return "".join(one.encode("unicode_escape").decode() if category(one) in _UNSEEN else one for one in text)
