r"""Surrogate pairs: JSON writes an astral character as `\ud83d\ude00`, which libyaml refuses to read.

Each pair is hidden behind two escapes of private-use characters, of the same length, so that every position stays.
"""

from __future__ import annotations

import re

_PAIR = re.compile(r"\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)", re.DOTALL | re.IGNORECASE)
_HIDDEN = re.compile(r"\\(?:u(e[89ab][0-9a-f]{2})\\u(e[c-f][0-9a-f]{2})|.)", re.DOTALL | re.IGNORECASE)
_HIDE = str.maketrans("dD", "eE")
_SHOW = str.maketrans("eE", "dD")


def hidden(text: str) -> str:
    """Return `text` as libyaml can read it, of the same length; the very same object where there is nothing to hide.

    A text that has pairs and also what would hide them stays as it is: `shown` could not tell them apart.
    """
    if "\\ud" not in text and "\\uD" not in text:
        return text
    if any(escape[1] for escape in _HIDDEN.finditer(text)):
        return text
    return _PAIR.sub(_hide, text)


def shown(value: str) -> str:
    """Return the value of a scalar without escapes, as it was before pairs were hidden in its text."""
    return _HIDDEN.sub(_show, value)


def joined(written: str) -> str:
    """Return a scalar in double quotes with each pair written as the one escape that YAML has for it."""
    return _PAIR.sub(_join, written)


def _hide(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    return rf"\u{_first_changed(escape[1], _HIDE)}\u{_first_changed(escape[2], _HIDE)}"


def _show(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    return rf"\u{_first_changed(escape[1], _SHOW)}\u{_first_changed(escape[2], _SHOW)}"


def _join(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return escape[0]
    character = 0x10000 + ((int(escape[1], 16) - 0xD800) << 10) + (int(escape[2], 16) - 0xDC00)
    return rf"\U{character:08x}"


def _first_changed(digits: str, table: dict[int, int]) -> str:
    return digits[0].translate(table) + digits[1:]
