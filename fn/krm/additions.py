"""Items that come into a text: a YAML document of someone's own, laid out so that it can stand among the others.

Its comments, order and quotes stay as they are written, but for where a text has no place for them: in JSON and in
brackets. Each function raises FnError, which calls the item `place`, for a text that is no one mapping.
"""

from __future__ import annotations

import re

from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import lines, parser, proof, scalars, style
from krm.yamltree.nodes import Mapping, Scalar, Sequence, is_block_scalar, resolved
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import Verbatim
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value

_ODD = "it is written in a way that cannot be moved"
_BYTE_ORDER_MARK = "\ufeff"
_START = re.compile(r"^---(?:[ \t]+|$)", re.MULTILINE)
_END = re.compile(r"^\.\.\.(?:[ \t]+|$)", re.MULTILINE)


def element(text: str, place: str) -> Resource:
    """Return the item as the one element of a block list at column 0."""
    document = _document(text, place)
    first, *others = document.removesuffix("\n").split("\n")
    item = _resource("\n".join([f"- {first}", *style.indented(others, 2), ""]), place, (0,))
    try:
        is_same = proof.same(_parsed(document, place), item.root)
    except FnError:
        is_same = False
    if not is_same:
        raise _error(place, _ODD)
    return item


def document(text: str, place: str, newline: str) -> Resource:
    """Return the item as a document, its lines ended with `newline`."""
    return _resource(_document(text, place).replace("\n", newline), place)


def json(text: str, place: str) -> Resource:
    """Return the item as JSON; its comments are lost."""
    written = style.inline(value(_parsed(_document(text, place), place)), Layout(json=True))
    return _resource(f"{written}\n", place, json=True)


def has_comments(text: str, place: str) -> bool:
    """Say whether the item has comments that a text without a place for them would lose."""
    root = _parsed(text, place)
    return "#" in text[: root.start] + text[root.end :] or lines.has_comments(text, root)


def value(node: Node | None) -> Value:
    """Return the value of a node, its numbers as they are written as far as every reader takes them so."""
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: value(of_key) for key, of_key in node.items()}
    if isinstance(node, Sequence):
        return [value(kid) for kid in node.kids]
    if isinstance(node, Scalar) and scalars.string(node) is None and scalars.is_json_value(node.value):
        return Verbatim(node.value)
    return scalars.typed(node) if isinstance(node, Scalar) else None


def ended(text: str) -> str:
    """Return a document with a line end behind it, which becomes no part of a block that it ends with (trap 19)."""
    if text.endswith("\n"):
        return text
    documents = parser.parse_all(text)
    last = lines.last_leaf(documents[-1].root) if documents and documents[-1].root else None
    if last is not None and is_block_scalar(last) and last.end == len(text):
        start, header = lines.body(text, last), lines.header(text, last)
        text = text[:start] + header.rstrip("+-") + "-" + text[start + len(header) :]
    return text + lines.newline(text, len(text))


def _resource(text: str, place: str, base: tuple[int, ...] = (), *, json: bool = False) -> Resource:
    return Resource(text, (0, len(text)), place, base, json=json)


def _document(text: str, place: str) -> str:
    """Return the lines of a document from column 0, without the marks of its start and end."""
    text = text.removeprefix(_BYTE_ORDER_MARK).replace("\r\n", "\n")
    root = _parsed(text, place)
    above, written, below = text[: root.start], text[root.start : root.end], text[root.end :]
    if above.startswith("%") or "\n%" in above:
        raise _error(place, "it must have no directives")
    text = _START.sub("", above) + written + _END.sub("", below)
    given = _parsed(text, place)
    end = lines.next_line(text, max(lines.content_end(text, given), len(text.rstrip())))
    moved = [_moved_left(line, given.column) for line in ended(text[:end]).split("\n")]
    first = next(number for number, line in enumerate(moved) if line.strip())
    laid_out = "\n".join(moved[first:])
    moved_root = _parsed(laid_out, place)
    if not (proof.same(root, moved_root) and lines.are_plain(laid_out, moved_root)):
        raise _error(place, _ODD)
    return laid_out


def _moved_left(line: str, columns: int) -> str:
    """Return `line` without as much of its margin; of a smaller one nothing is left."""
    return line[columns:] if line.startswith(" " * columns) else line.lstrip(" ")


def _parsed(text: str, place: str) -> Mapping:
    try:
        document = parser.parse(text)
    except ParseError as error:
        raise _error(place, str(error)) from None
    if not isinstance(document.root, Mapping):
        raise _error(place, "it must be a mapping")
    if any(alias.target is None for alias in document.aliases):
        raise _error(place, "an alias of it names no anchor")
    return document.root


def _error(place: str, problem: str) -> FnError:
    return FnError(Result(f"{place} cannot be added: {problem}", ERROR, "InvalidInput"))
