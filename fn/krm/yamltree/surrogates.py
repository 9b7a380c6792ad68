r"""Surrogate pairs: JSON writes an astral character as `\ud83d\ude00`, which libyaml refuses to read.

Each pair is hidden behind two escapes of private-use characters, of the same length, so that every position stays.
"""

from __future__ import annotations

import re

_PAIR = re.compile(r"\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|.)", re.DOTALL | re.IGNORECASE)
_HIDDEN = re.compile(r"\\(?:u(e[89ab][0-9a-f]{2})\\u(e[c-f][0-9a-f]{2})|.)", re.DOTALL | re.IGNORECASE)
_BREAK = re.compile("[\x85\u2028\u2029]")
_HIDDEN_BREAK = re.compile("[\ue085\ue028\ue029]")
_HIDE_BREAKS = {0x85: "\ue085", 0x2028: "\ue028", 0x2029: "\ue029"}
_ESCAPED_BREAKS = {0x85: r"\N", 0x2028: r"\L", 0x2029: r"\P"}
_HIDE = str.maketrans("dD", "eE")
_SHOW = str.maketrans("eE", "dD")


def hidden(text: str) -> str:
    """Return `text` as libyaml can read it, of the same length; the very same object where there is nothing to hide.

    A text that has pairs and also what would hide them stays as it is: `shown` could not tell them apart. So does one
    with line breaks of YAML 1.1, unless it is JSON, to which these are no line breaks.
    """
    text = _without_breaks(text)
    if "\\ud" not in text and "\\uD" not in text:
        return text
    if any(escape[1] for escape in _HIDDEN.finditer(text)):
        return text
    return _PAIR.sub(_hide, text)


def _without_breaks(text: str) -> str:
    """Return JSON with each character that YAML 1.1 takes for a line break hidden behind a private-use character."""
    if text.isascii() or not _BREAK.search(text) or _HIDDEN_BREAK.search(text):
        return text
    import json  # noqa: PLC0415 - few texts have such a character

    try:
        json.loads(text.removeprefix("---"))
    except (ValueError, RecursionError):
        return text
    return text.translate(_HIDE_BREAKS)


def shown(value: str) -> str:
    """Return the value of a scalar without escapes, as it was before pairs were hidden in its text."""
    return _HIDDEN.sub(_show, value)


def hides_breaks(value: str) -> bool:
    """True if a value holds line breaks of YAML 1.1 that are hidden."""
    return _HIDDEN_BREAK.search(value) is not None


def with_escaped_breaks(written: str) -> str:
    """Return a scalar in double quotes with each line break of YAML 1.1 written as the escape that YAML has for it."""
    return written.translate(_ESCAPED_BREAKS)


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
