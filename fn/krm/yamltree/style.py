"""Text for new values: how a mapping, a list or a string of several lines is laid out where it is put.

Values are str, int, float, bool, None, Verbatim, and dict and list of these. All functions return lines or text without
a final line end, indented from column 0; the editor puts them into place.
"""

from __future__ import annotations

import re

from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.scalars import Verbatim, leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from krm.yamltree.nodes import Node

    Value: TypeAlias = "scalars.Leaf | dict[str, Value] | list[Value]"

# Python itself prints no whole number of more than 4,300 digits.
_LONGEST = 14_000
_ANCHOR = r"&[\w-]+[ \t]*"


class Layout:
    """The style of the text around a new value.

    `json` writes JSON; `flow` puts a value on one line, in brackets; `literals` writes a string of several lines as a
    block, not in quotes. `root` is that of the text, which may be a part of the one `around` it: the first list there
    says whether the text `indents_lists`.
    """

    __slots__ = ("_indents_lists", "around", "flow", "json", "literals", "root")

    def __init__(
        self,
        *,
        flow: bool = False,
        json: bool = False,
        root: Node | None = None,
        around: str = "",
        literals: bool = True,
    ) -> None:
        self.flow = flow or json
        self.json = json
        self.root = root
        self.around = around
        self.literals = literals
        self._indents_lists: bool | str | None = "unknown"

    @property
    def indents_lists(self) -> bool | None:
        """True if a list is indented below its key, None if the text has no list that says so."""
        if isinstance(self._indents_lists, str):
            # Few edits write a list, so few look for one.
            root = parser.parse(self.around).root if self.around else self.root
            self._indents_lists = _has_indented_lists(root)
        return self._indents_lists

    def inside(self, parent: Collection | None) -> Layout:
        """Return the layout of what stands in `parent`: flow style cannot hold block style."""
        if self.flow or parent is None or not parent.flow:
            return self
        return Layout(flow=True, root=self.root, around=self.around)

    def quoted(self) -> Layout:
        """Return this layout without literal blocks."""
        return Layout(flow=self.flow, json=self.json, root=self.root, around=self.around, literals=False)


def one_line(value: Value, layout: Layout, style: str = "") -> str | None:
    """Return `value` on one line, or None where block style has it on several. `style` is a string's to keep."""
    if isinstance(value, dict | list):
        return _flow(value, layout) if layout.flow or not value else None
    # Quotes of the value before say how its author writes strings, also those of several lines.
    if isinstance(value, str) and style == "" and layout.literals and not layout.flow and is_literal(value):
        return None
    return leaf(value, flow=layout.flow, style=style, json=layout.json)


def block(value: Value, layout: Layout) -> list[str]:
    """Return the lines of `value` in block style, its first one at column 0."""
    if isinstance(value, dict) and value:
        return [line for key, of_key in value.items() for line in pair(key, of_key, layout)]
    if isinstance(value, list) and value:
        return [line for element in value for line in item(element, layout)]
    text = one_line(value, layout)
    return literal(str(value)) if text is None else [text]


def document(value: Value) -> str:
    """Return `value` as a document of its own."""
    return "".join(f"{line}\n" for line in block(value, Layout()))


def plain(value: Any) -> Value:  # noqa: ANN401 - checked here
    """Return a value as dicts, lists and scalars. TypeError for a type that YAML does not have.

    ValueError for a text that no file can hold, and a number that no program reads.
    """
    if value is None or isinstance(value, bool | Verbatim):
        return value
    # A member of an Enum, such as `class Size(str, Enum)`, is the text or the number that it stands for.
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, int):
        return _whole(int(value))
    if isinstance(value, float):
        return float(value)
    # Any mapping will do, one of the author's own too. A str has no keys.
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        if wrong := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"a key of a mapping is a str, found {wrong[0]!r} of type `{type(wrong[0]).__name__}`")
        return {key: plain(value[key]) for key in value}
    # No other iterables: a set has no order, and a generator would be empty the second time.
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    # Whoever copies a field hands over what `part` returned.
    instead = "give what its `get()` returns" if hasattr(value, "to_yaml") else f"write {value!r} as a str"
    raise TypeError(f"YAML has no values of type `{type(value).__name__}`: {instead}")


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{text!r} is no text that UTF-8 can write") from None
    return text


def _whole(number: int) -> int:
    if number.bit_length() > _LONGEST:
        raise ValueError(f"a whole number of more than {_LONGEST} bits is no value that programs read: write a text")
    return number


def pair(key: str, value: Value, layout: Layout) -> list[str]:
    """Return the lines of one entry of a block mapping."""
    head = leaf(key, flow=False) + ":"
    text = one_line(value, layout)
    if text is not None:
        return [f"{head} {text}"]
    lines = block(value, layout)
    if isinstance(value, str):
        return [f"{head} {lines[0]}", *lines[1:]]
    return [head, *(lines if isinstance(value, list) and not layout.indents_lists else indented(lines, 2))]


def item(value: Value, layout: Layout) -> list[str]:
    """Return the lines of one element of a block sequence."""
    lines = block(value, layout)
    return [f"- {lines[0]}", *(lines[1:] if isinstance(value, str) else indented(lines[1:], 2))]


def literal(text: str) -> list[str]:
    """Return the lines of a literal block scalar, its content indented by two. `is_literal` must hold."""
    # Never `|+`: it would take in blank lines that come to stand below it later.
    header = "|" if text.endswith("\n") else "|-"
    return [header, *indented(text.removesuffix("\n").split("\n"), 2)]


def is_literal(text: str) -> bool:
    """True if a new string is written as a literal block: it has a line end, and none of its lines ends in a blank."""
    return "\n" in text and " \n" not in f"{text}\n" and fits_literal(text)


def fits_literal(text: str) -> bool:
    """True if `text` comes back from a literal block as it is.

    Not with blank first lines or a leading space (they need an indentation indicator), nor with two final line ends
    (`|+` would take the blank lines below it in).
    """
    if text == "" or text[0] in " \t\n" or text.endswith("\n\n"):
        return False
    # A line of blanks alone would lose them to editors that trim lines.
    return all(line.replace("\t", " ").isprintable() and not line.isspace() for line in text.split("\n"))


def indented(lines: list[str], columns: int) -> list[str]:
    """Return `lines` moved to the right, blank ones left blank."""
    margin = " " * columns
    return [margin + line if line else line for line in lines]


def _has_indented_lists(node: Node | None) -> bool | None:
    """True if block lists below `node` are indented more than their keys, as the first one is. None without one."""
    for kid in _block_kids(node):
        if isinstance(node, Mapping) and isinstance(kid, Sequence):
            return kid.column > node.column
        indents_lists = _has_indented_lists(kid)
        if indents_lists is not None:
            return indents_lists
    return None


def as_written(node: Node, text: str) -> Value:
    """Return the value of `node` as its author wrote it, ready to be written again elsewhere in the same style.

    Scalars of one line become Verbatim. Aliases are followed and merge keys resolved; anchors and comments are lost.
    ValueError where a key is no scalar, an anchor lies outside of the text, or a tag would be lost.
    """
    target = resolved(node)
    if isinstance(target, Collection) and target.tag is not None:
        raise ValueError("a tag on a collection")
    if isinstance(target, Mapping):
        if not target.is_plain():
            raise ValueError("a key that is no scalar")
        return {key: as_written(value, text) for key, value in target.items()}
    if isinstance(target, Collection):
        return [as_written(kid, text) for kid in target.kids]
    if not isinstance(target, Scalar):
        raise ValueError("an alias whose anchor is elsewhere")  # noqa: TRY004 - what is wrong is the text, not a type
    return _scalar_as_written(target, text[target.start : target.end])


def _block_kids(node: Node | None) -> list[Node]:
    kids = node.kids if isinstance(node, Collection) else []
    return [kid for kid in kids if isinstance(kid, Collection) and not kid.flow]


def _scalar_as_written(scalar: Scalar, written: str) -> Value:
    if scalar.anchor is not None:
        written = re.sub(_ANCHOR, "", written, count=1)
    single_line = scalar.style in ("", "'", '"') and "\n" not in written and "\r" not in written
    plain_string = scalar.style == "" and scalars.string(scalar) is not None
    if not single_line and scalars.string(scalar) is None:
        raise ValueError("a tag on a scalar of several lines")
    # A plain scalar may go to a place in brackets, where fewer characters fit.
    if not single_line or (plain_string and not scalars.fits_plain(scalar.value, flow=True)):
        return scalar.value
    return Verbatim(written or "null")


def _flow(value: Value, layout: Layout) -> str:
    if isinstance(value, dict):
        parts = [f"{leaf(key, flow=True, json=layout.json)}: {_flow(of_key, layout)}" for key, of_key in value.items()]
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_flow(element, layout) for element in value) + "]"
    return leaf(value, flow=True, json=layout.json)
