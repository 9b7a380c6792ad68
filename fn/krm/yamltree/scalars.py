"""Scalars: the value that their text has for a reader, and the text that is written for a value.

YAML 1.1 (PyYAML, kubectl) and 1.2 (newer parsers) give some plain scalars different types. A string that we write must
be a string to both, so it is quoted if either gives it another type: docs/reference/lossless-yaml.md, "What stays".
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from krm.yamltree import Verbatim
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Node

    Leaf: TypeAlias = "str | int | float | bool | None"

_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
WORDS_OF_1_1: dict[str, bool | None] = {
    spelled: value
    for value, words in ((None, ("", "~", "null")), (True, ("true", "yes", "on")), (False, ("false", "no", "off")))
    for word in words
    for spelled in (word, word.upper(), word.capitalize())
}
"""The value of each word of YAML 1.1. Each has three spellings: `yes`, `YES` and `Yes`, while `yEs` is a string."""

_WORDS_OF_1_1_ALONE = frozenset(("y", "n", "yes", "no", "on", "off", "=", "<<"))
NOT_JSON = (
    "a value that JSON cannot say as all readers of YAML take it: put a text in quotes, write a number in decimal"
)
_STRING_TAG = "tag:yaml.org,2002:str"
TAGS_OF_PLAIN = frozenset((None, *(f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float"))))
_NUMERIC_STARTS = frozenset("0123456789+-.")
LONGEST = 4300
_OCTAL = frozenset("01234567_")
_INDICATORS = frozenset(",[]{}#&*!|>'\"%@` ")
_SHORT_ESCAPES = {"\b": r"\b", "\t": r"\t", "\n": r"\n", "\f": r"\f", "\r": r"\r", '"': r"\"", "\\": r"\\"}


def string(node: Node | None) -> str | None:
    """Return the text of `node` if it is a string to every reader, else None."""
    if not isinstance(node, Scalar):
        return None
    # `!!str 8080` is a string to every reader. `! 8080` is one to YAML 1.2, and a number to PyYAML and kubectl.
    if node.tag is not None and node.tag != "!":
        return node.value if node.tag == _STRING_TAG else None
    return None if node.style == "" and is_typed(node.value) else node.value


def string_at(node: Node | None, *keys: str) -> str | None:
    """Return the text of the scalar that `nodes.at` finds, if it is a string to every reader, else None.

    `"8080"` and `'on'` are strings. `8080`, `~`, an empty value and `on` (true in YAML 1.1) are not: `nodes.text_at`
    returns the text of those too.
    """
    return string(at(node, *keys))


def typed(node: Scalar) -> Leaf:
    """Return the value of a scalar by the core schema of YAML 1.2, by which `on` is a string.

    But `0777` is 511, as it is to kubectl, to the other programs in Go, and to PyYAML.
    """
    text = node.value
    # In quotes, or with the tag of a string, it is a string to every reader. With another tag quotes do not count.
    if node.tag not in TAGS_OF_PLAIN or (node.style and node.tag is None):
        return text
    lower = text.lower()
    if lower in _WORDS and text in (lower, lower.upper(), lower.capitalize()):
        return _WORDS[lower]
    if text[:1] in _NUMERIC_STARTS:
        return _number(text)
    return text


def is_null(node: object) -> bool:
    """True if a node is there and is null."""
    found = resolved(node) if isinstance(node, Alias) else node
    return isinstance(found, Scalar) and typed(found) is None


def data(node: Node | None, leaf: Callable[[Scalar], Any] = typed) -> Any:  # noqa: ANN401 - whatever the text says
    """Return `node` as dicts, lists and what `leaf` returns. Aliases and merge keys are followed. None without a node.

    A key that is no scalar is left out: no path leads to it, and no field of a resource has such a name.
    """
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: data(value, leaf) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [data(kid, leaf) for kid in node.kids]
    return None if node is None else leaf(node)


def typed_by_1_1(node: Scalar) -> tuple[object, object]:
    """Return the type and the value that YAML 1.1 reads in a scalar."""
    text = node.value
    if node.tag not in TAGS_OF_PLAIN:
        return (str if node.tag in (_STRING_TAG, "!") else node.tag), text
    if (node.style and node.tag is None) or not is_typed(text):
        return str, text
    if text in WORDS_OF_1_1:
        return bool, WORDS_OF_1_1[text]
    number = _number_of_1_1(text)
    # Any other word has no type: a date, a number in base 60, a word that readers take for different values.
    return (None, text) if number is None else (type(number), number)


def is_ambiguous(node: Node) -> bool:
    """True for a scalar that readers of YAML take for different values, or for one that JSON does not have.

    >>> [text for text in ("n", "1_000", ".inf", "0777", "~") if is_ambiguous(Scalar(0, 0, text, "", None, None))]
    ['n', '1_000', '.inf']
    """
    if not isinstance(node, Scalar) or string(node) is not None:
        return False
    value = typed(node)
    return isinstance(value, str) or not (is_json_value(node.value) or typed_by_1_1(node)[1] == value)


def exact(node: Node | None) -> Any:  # noqa: ANN401 - as above
    """Return what `data` does, but with each number as it is written if it is the same number to every reader.

    ValueError for a scalar that is ambiguous.
    """
    return data(node, _exact)


def _exact(scalar: Scalar) -> Leaf:
    if is_ambiguous(scalar):
        raise ValueError(NOT_JSON)
    is_same = string(scalar) is None and is_json_value(scalar.value)
    return Verbatim(scalar.value) if is_same else typed(scalar)


def read(written: Verbatim) -> str:
    """Return the text of a scalar without an anchor, or the scalar as written if it is no string to every reader."""
    if written[0] == "'":
        return written[1:-1].replace("''", "'")
    return written if written[0] in '"!' or is_typed(written) else str(written)


def is_retyped(text: str) -> bool:
    """True if the plain scalar `text` needs quotes to be a string by the letter of YAML 1.1 and 1.2.

    By the letter of 1.1 `1.2.3` is a number, but it is a string to every reader: `is_typed` compares as readers do.
    """
    return is_typed(text) or (text[:1] in _NUMERIC_STARTS and re.fullmatch(_WITH_DOTS, text) is not None)


def is_typed(text: str) -> bool:
    """True if the plain scalar `text` is no string to some reader of YAML.

    >>> is_typed("1.2"), is_typed("1.2.3"), is_typed("192.168.0.1")
    (True, False, False)
    """
    if text[:1] in _NUMERIC_STARTS:
        return _number_or_time().fullmatch(text) is not None
    # `on`, `yes` and `y` are true to kubectl's YAML 1.1, and strings to readers of 1.2.
    lower = text.lower()
    return lower in _WORDS or lower in _WORDS_OF_1_1_ALONE


def is_read_alike(text: str, other: str) -> bool:
    """True if two plain scalars, neither of which is a plain word, have the same type to each reader of YAML.

    >>> is_read_alike("0644", "0640"), is_read_alike("4.4.0", "4.5.0"), is_read_alike("4.4.0", "4.5")
    (True, True, False)
    """
    return is_retyped(text) and is_retyped(other) and _readings(text) == _readings(other)


def is_json_value(text: str) -> bool:
    """True if `text` is a JSON number, true or false: these have the same value to every reader."""
    return text in ("true", "false") or re.fullmatch(_JSON_NUMBER, text) is not None


@lru_cache  # a run has few values: a tag, a region, a label
def fits_plain(text: str, *, flow: bool) -> bool:
    """True if `text`, written without quotes, is this string to every reader."""
    # A character that nobody sees is written as an escape.
    if text == "" or not text.isprintable() or is_retyped(text):
        return False
    # A word `---` at the start of a line ends the document, and the value of a root is at the start of its line.
    if text[0] in _INDICATORS or text[-1] in " :" or text.startswith(("--- ", "... ")) or text in ("---", "..."):
        return False
    if text[0] in "-?:" and (len(text) == 1 or text[1] in " ,[]{}"):
        return False
    if ": " in text or " #" in text:
        return False
    # `a:b` and `a?b` are one scalar in a block. In brackets parsers differ.
    return not flow or not any(indicator in text for indicator in ",[]{}?:")


def leaf(value: Leaf, *, flow: bool, style: str = "", json: bool = False) -> str:
    """Return the text for `value` on one line, a string in `style` if that can hold it.

    ValueError for a number that JSON does not have, if `json`.
    """
    if isinstance(value, Verbatim):
        return value
    if isinstance(value, str):
        return double_quoted(value) if json else _quoted(value, flow, style)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        return str(value)
    if json and value - value != 0:  # infinite, or no number
        raise ValueError("a number that JSON does not have")
    return _float(value)


def double_quoted(text: str) -> str:
    """Return `text` in double quotes, in a form that is both YAML and JSON."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _quoted(text: str, flow: bool, style: str) -> str:  # noqa: FBT001 - private to `leaf`
    if style == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    if style == "" and fits_plain(text, flow=flow):
        return text
    return double_quoted(text)


def _escaped(character: str) -> str:
    if character in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[character]
    if character.isprintable() or character > "\uffff":
        return character
    return f"\\u{ord(character):04x}"


def _number(text: str) -> Leaf:
    """Return the number that `typed` reads in `text`, or `text`."""
    match = _core_number().fullmatch(text)
    # Python refuses a longer integer, and no reader of YAML has a type for it.
    if match is None or len(text) > LONGEST:
        return text
    if match["special"]:
        return float(text.replace(".", ""))
    return float(text) if match["real"] else int(text, 0 if match["based"] else 8 if match["octal"] else 10)


def _number_of_1_1(text: str) -> int | float | None:
    """Return the number that readers of YAML 1.1 agree on, None where there is none."""
    # YAML 1.1 allows `_` between digits, and reads `010` as 8.
    match = _number_by_1_1().fullmatch(text.replace("_", ""))
    if match is None or len(text) > LONGEST:
        return None
    sign = -1 if match["sign"] == "-" else 1
    digits = match["digits"]
    if match["real"]:
        return sign * float(digits)
    return sign * int(digits, 8 if match["octal"] else 0)


def _readings(text: str) -> tuple[object, ...]:
    """Return what decides the type of a plain scalar in YAML 1.1, in 1.2, and in Go's reader of both."""
    lower = text.lower()
    if text[:1] not in _NUMERIC_STARTS:
        return type(_WORDS.get(lower, text)), lower in _WORDS_OF_1_1_ALONE
    digits = lower.lstrip("+-")
    # `0644` is octal, `0x1F` hexadecimal, `1:30` sexagesimal, `2024-01-01` a date.
    base = digits[:2] if digits[:2] in ("0x", "0b", "0o") else digits[:1] == "0" and {*digits} <= _OCTAL
    return type(_number(text)), is_typed(text), base, *(sign in digits[2:] for sign in ".:-e_")


def _float(value: float) -> str:
    """Return the text of a float. YAML 1.1 reads an exponent only behind a dot."""
    text = repr(value)
    if "e" in text and "." not in text:
        text = text.replace("e", ".0e")
    return {"inf": ".inf", "-inf": "-.inf", "nan": ".nan"}.get(text, text)


# These patterns are compiled at their first use. At the start they would take longer than to read a small ResourceList.
_JSON_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?"
# A float by the letter of YAML 1.1, with any number of dots and digits.
_WITH_DOTS = r"[-+]?(?:[0-9][0-9_]*(?::[0-5]?[0-9])*)?\.[0-9_.]*(?:[eE][-+]?[0-9]+)?"


@cache
def _core_number() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<based> 0o[0-7]+ | 0x[0-9a-fA-F]+ )
          | (?P<special> [-+]?\.(?:inf|Inf|INF) | \.(?:nan|NaN|NAN) )
          | (?P<octal> [-+]?0[0-7]+ )
          | [-+]?[0-9]+
          | (?P<real> [-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)? )""",
        re.VERBOSE,
    )


@cache
def _number_by_1_1() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<sign> [-+]? )
            (?P<digits> (?P<octal> 0[0-7]+ ) | 0[xX][0-9a-fA-F]+ | 0[bB][01]+ | 0 | [1-9][0-9]*
                      | (?P<real> (?:[0-9]+\.[0-9]* | \.[0-9]+)(?:[eE][-+]?[0-9]+)? | [0-9]+[eE][-+]?[0-9]+ ) )""",
        re.VERBOSE,
    )


@cache
def _number_or_time() -> re.Pattern[str]:
    """Return the pattern of a text that starts like a number and is no string to YAML 1.1, to 1.2 or to Go's reader."""
    return re.compile(
        r"""[-+]?(?: [0-9][0-9_]*(?::[0-5]?[0-9])*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?
                   | \._*[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?
                   | 0[xX][0-9a-fA-F_]+ | 0[bB][01_]+ | 0[oO][0-7_]+
                   | \.(?:inf|Inf|INF) )
          | \.(?:nan|NaN|NAN)
          | [0-9]{4}-[0-9][0-9]?-[0-9][0-9]?
            (?: (?:[Tt]|[ \t]+)[0-9][0-9]?:[0-9][0-9]:[0-9][0-9](?:\.[0-9]*)?
                (?:[ \t]*(?:Z|[-+][0-9][0-9]?(?::?[0-9][0-9])?))? )?""",
        re.VERBOSE,
    )
