"""New items: the layout of a YAML document among the items of a text.

Comments, order and quotes stay as they are written, unless the text has no place for them: in JSON and in brackets.
Each function raises FnError, which calls the item `label`, if the document is not exactly one mapping.
"""

from __future__ import annotations

import re

from krm.encoding import split_bom
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import lines, parser, positions, sameness, scalars, style
from krm.yamltree.nodes import Mapping, placed
from krm.yamltree.parser import ParseError
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_ODD = "it is written in a way that cannot be moved"
_START = r"(?m)^---(?:[ \t]+|$)"
_END = r"(?m)^\.\.\.(?:[ \t]+|$)"
# Comments may stand above a document's own `---`.
_OWN_START = r"(?:[ \t\r]*(?:#[^\n]*)?\n)*---(?:\s|\Z)"


def element(text: str, label: str, *, is_yaml: bool = False) -> Resource:
    """Return the item as a block list at column 0 that has this one element. One that `is_yaml` need not be parsed."""
    is_known = is_yaml and _is_laid_out(text)
    document, root = (text, None) if is_known else _document(text, label)
    first, *others = document.removesuffix("\n").split("\n")
    item = Resource.alone("\n".join([f"- {first}", *style.indented(others, 2), ""]), label, (0,))
    # A move to the right may change a text in brackets or quotes: only a parse shows that.
    if not (is_known or (item.is_readable and sameness.same(root, item.root))):
        raise _error(label, _ODD)
    return item


def document(text: str, label: str, newline: str, *, is_yaml: bool = False) -> Resource:
    """Return the item as a document whose lines end with `newline`. One that `is_yaml` need not be parsed."""
    laid_out = text if is_yaml and _is_laid_out(text) else _document(text, label)[0]
    return Resource.alone(laid_out.replace("\n", newline), label)


def kyaml(text: str, label: str, newline: str) -> Resource:
    """Return the item as a document of KYAML, or as `document` does if brackets cannot hold it."""
    laid_out, root = _document(text, label)
    try:
        if not has_comments(laid_out, label):
            laid_out = style.document(style.as_written(root, laid_out), Layout(style.KYAML))
    except ValueError:
        pass  # a tag that a value has not
    return Resource.alone(laid_out.replace("\n", newline), label)


def json(text: str, label: str) -> Resource:
    """Return the item as JSON, without its comments."""
    laid_out, root = _document(text, label)
    odd = next((place for place, node in placed(root, ()) if scalars.is_ambiguous(node)), None)
    if odd is not None:
        problem = f"{label} cannot be added: it has {scalars.NOT_JSON}"
        raise FnError(Resource.alone(laid_out, label).result(problem, ERROR, "InvalidInput", odd))
    written = style.inline(scalars.exact(root), Layout(style.JSON))
    return Resource.alone(f"{written}\n", label, json=True)


def has_comments(text: str, label: str) -> bool:
    """True if the item has comments, which JSON and brackets cannot hold."""
    root = _parsed(text, label)
    return "#" in text[: root.start] + text[root.end :] or lines.has_comments(text, root)


def joined(documents: Iterable[str], between: str) -> str:
    """Return a text of documents. The line `between` is above each but the first, unless it has its own `---`."""
    pieces: list[str] = []
    for document in filter(None, documents):
        if pieces:
            pieces[-1] = positions.ended(pieces[-1]) + ("" if re.match(_OWN_START, document) else between)
        pieces.append(document)
    return "".join(pieces)


def _document(text: str, label: str) -> tuple[str, Mapping]:
    """Return the lines of a document from column 0, without `---` and `...`, and their tree."""
    text = split_bom(text)[1].replace("\r\n", "\n")
    root = _parsed(text, label)
    above, written, below = text[: root.start], text[root.start : root.end], text[root.end :]
    # A directive would change the other documents of the stream.
    if above.startswith("%") or "\n%" in above:
        raise _error(label, "it must have no directives")
    alone = re.sub(_START, "", above) + written + re.sub(_END, "", below)
    # Without the `---` all positions change. Most documents need no new layout and are parsed only once.
    given = root if alone == text else _parsed(alone, label)
    # Blank lines at the end are text only if a block scalar keeps them.
    end = lines.next_line(alone, max(lines.content_end(alone, given), len(alone.rstrip())))
    moved = [style.moved_left(line, given.column) for line in positions.ended(alone[:end]).split("\n")]
    first = next(number for number, line in enumerate(moved) if line.strip())
    laid_out = "\n".join(moved[first:])
    moved_root = given if laid_out == alone else _parsed(laid_out, label)
    if not ((moved_root is root or sameness.same(root, moved_root)) and lines.odd_break(laid_out, moved_root) is None):
        raise _error(label, _ODD)
    return laid_out, moved_root


def _is_laid_out(text: str) -> bool:
    """True if the lines of a text of YAML mean the same at any column: each closes what it opens."""
    from krm.yamltree.outline import outline  # noqa: PLC0415 - the filter does without it

    cut = None if text.startswith(("---", "\n")) or text.endswith("\n\n") else outline(text, is_element=False)
    return cut is not None and cut.spans(()) is not None and not cut.margin(())


def _parsed(text: str, label: str) -> Mapping:
    try:
        document = parser.parse(text)
    except ParseError as error:
        raise _error(label, str(error)) from None
    if not isinstance(document.root, Mapping):
        raise _error(label, "it must be a mapping")
    if any(alias.target is None for alias in document.aliases):
        raise _error(label, "an alias of it names no anchor")
    return document.root


def _error(label: str, problem: str) -> FnError:
    return FnError(Result(f"{label} cannot be added: {problem}", ERROR, "InvalidInput"))
