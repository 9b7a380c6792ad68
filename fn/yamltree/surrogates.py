r"""Surrogate pairs: JSON writes an astral character as `\ud83d\ude00`, which libyaml refuses to read.

Each pair is hidden behind two private-use characters, escaped at the same length, so that every position stays.
"""

from __future__ import annotations

import re

_ESCAPES = re.compile(r"\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)", re.DOTALL | re.IGNORECASE)
_PRIVATE_USE = 0xE000 - 0xD800


def hidden(text: str) -> str:
    """Return `text` as libyaml can read it, of the same length; the very same object where it has no surrogates."""
    return _ESCAPES.sub(_hide, text) if "\\ud" in text or "\\uD" in text else text


def joined(text: str) -> str:
    """Return `text` with each pair written as the one escape that YAML has for it."""
    return _ESCAPES.sub(_join, text)


def _hide(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    return rf"\u{int(escape[1], 16) + _PRIVATE_USE:04x}\u{int(escape[2], 16) + _PRIVATE_USE:04x}"


def _join(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    character = 0x10000 + ((int(escape[1], 16) - 0xD800) << 10) + (int(escape[2], 16) - 0xDC00)
    return rf"\U{character:08x}"
