"""Data as Go has them, which reads YAML and writes JSON for kubectl, and has its own rules for numbers and words.

So does the annotation with the object that kubectl applied last (docs/reference/merge.md, "Without an origin").
"""

from __future__ import annotations

import re
from functools import cache

from krm.merge.outcome import Refused
from krm.merge.trees import ANNOTATIONS, Tree
from krm.resource import LAST_APPLIED
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Node

    Data: TypeAlias = Any
    GoMap: TypeAlias = dict[str, Any]

_PATH = (*ANNOTATIONS, LAST_APPLIED)
# kubectl takes `y` and `n` for booleans, too.
_WORDS = scalars.WORDS_OF_1_1 | {"y": True, "Y": True, "n": False, "N": False}
_TYPED = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("null", "bool", "int", "float"))
# Go's int64 ends below it: kubectl has any larger number as a float64.
_LARGEST = 2**63
_BASES = {"0x": 16, "0b": 2, "0o": 8}
# Go's encoding/json escapes these, so that JSON can stand in HTML and in JavaScript.
_ESCAPES = str.maketrans({each: f"\\u{ord(each):04x}" for each in "<>&\u2028\u2029"})
_ROUND, _EXPONENTS = 1e21, 1e-6  # Go writes numbers from the first on, and those below the second, with an exponent


def data(node: Node | None) -> Data:
    """Return the data that kubectl reads in `node`. A whole number is an integer, however it is written."""
    return scalars.data(node, _typed)


def json(value: Data) -> str:
    """Return `value` as Go writes it: with sorted keys, without blanks, and with escapes for characters of HTML."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json(key)}:{json(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(json, value)) + "]"
    if isinstance(value, float):
        return _float(value)
    from json import dumps  # noqa: PLC0415 - only needed for kubectl's annotation

    return dumps(value, ensure_ascii=False).translate(_ESCAPES)


def last_applied(local: Tree) -> Tree:
    """Return the object that was applied last, by the annotation in local; a tree without a root if it has none."""
    written = at(local.root, *_PATH)
    if written is None:
        return Tree("", None)
    text = written.value or ""
    found = parser.roots(text)
    if len(found) != 1 or not isinstance(found[0], Mapping):
        raise Refused(_PATH, "this is no JSON object: take the annotation away, or apply the object again", local)
    return Tree(text, found[0])


def authored(origin: Tree, update: Tree) -> Tree:
    """Return the object that was applied last as its author wrote it, for a merge with `update`.

    kubectl adds empty annotations, and the namespace to which it applies. If update lacks these, its author did not
    delete them.
    """
    applied = data(origin.root)
    metadata = applied.get("metadata")
    if not isinstance(metadata, dict):
        return origin
    if metadata.get("annotations") == {}:
        del metadata["annotations"]
    if at(update.root, "metadata", "namespace") is None:
        metadata.pop("namespace", None)
    text = json(applied)
    return Tree(text, parser.parse(text).root)


def noted(applied: GoMap, before: GoMap) -> str:
    """Return the annotation for the object that is applied now, byte for byte as kubectl writes it.

    An object without a namespace keeps the one to which it was applied before.
    """
    namespace = {key: value for key, value in before["metadata"].items() if key == "namespace"}
    applied = {**applied, "metadata": {**namespace, **applied["metadata"]}}
    return f"{json(applied)}\n"


def _typed(node: Scalar) -> Data:
    text = node.value
    if node.tag not in _TYPED and (node.style or node.tag is not None):
        return text
    if text in _WORDS:
        return _WORDS[text]
    # Go's parser drops each `_` in a number: `1_000` is 1000.
    match = _number().fullmatch(text.replace("_", "")) if text[:1] in "+-.0123456789" else None
    return text if match is None else _value(match, text)


def _value(match: re.Match[str], text: str) -> Data:
    sign = -1 if match["sign"] == "-" else 1
    digits = match["digits"]
    if match["based"]:
        number = int(digits[2:], _BASES[digits[:2].lower()])
    elif match["octal"]:
        number = int(digits, 8)
    elif digits.isdigit():
        number = int(digits)
    else:
        return _whole(sign * float(digits), text)
    return sign * number if -_LARGEST <= sign * number < _LARGEST else float(sign * number)


def _whole(number: float, text: str) -> Data:
    if number - number != 0:  # too large for a float
        return text
    return int(number) if number.is_integer() and abs(number) < _LARGEST else number


def _float(number: float) -> str:
    text = repr(number)
    if _EXPONENTS <= abs(number) < _ROUND:
        from decimal import Decimal  # noqa: PLC0415 - a number like that is rare

        return format(Decimal(text), "f").removesuffix(".0")
    # Python writes 1e-07, and Go 1e-7.
    return text.replace("e-0", "e-").replace(".0e", "e")


@cache
def _number() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<sign> [-+]? )
            (?P<digits> (?P<based> 0[xX][0-9a-fA-F]+ | 0[bB][01]+ | 0[oO][0-7]+ )
                      | (?P<octal> 0[0-7]+ )
                      | (?: \.[0-9]+ | [0-9]+(?:\.[0-9]*)? )(?:[eE][-+]?[0-9]+)? )""",
        re.VERBOSE,
    )
