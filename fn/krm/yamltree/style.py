"""The text of a new value: the layout of a mapping, a list, or a string of several lines.

A value is a str, int, float, bool, None, Verbatim, or a dict or list of these. All functions return lines, or text
without a final line end, that start at column 0. The editor indents them.
"""

from __future__ import annotations

import re

from krm.yamltree import Verbatim, events, scalars
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence, leaves, resolved
from krm.yamltree.scalars import leaf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final, Literal, TypeAlias

    from krm.yamltree.nodes import Node

    Form: TypeAlias = Literal["block", "JSON", "brackets in one line", "KYAML", "KYAML in one line"]
    PlainData: TypeAlias = "scalars.Leaf | dict[str, PlainData] | list[PlainData]"

# Python itself prints no whole number of more than 4,300 digits.
_LONGEST = 14_000
# Readers of Go take these for true and false.
_NO_KEYS = frozenset("tfTF")
_ANCHOR = r"&[\w-]+[ \t]*"


BLOCK: Final = "block"
JSON: Final = "JSON"
LINE: Final = "brackets in one line"
KYAML: Final = "KYAML"
KYAML_LINE: Final = "KYAML in one line"


class Layout:
    """The style of the text around a new value.

    `form` is one of the words above: KYAML is brackets with an entry on each line, and its strings are in double
    quotes. `flow` is true for all forms in brackets, and `kyaml` for KYAML on one line or on several. With `literals` a
    string of several lines is a block, else it is in quotes. `root` is that of `text`: the first list there decides
    whether the text `indents_lists`. That is None for a text without a list below a key.
    """

    def __init__(
        self,
        form: Form = BLOCK,
        *,
        root: Node | None = None,
        text: str = "",
        literals: bool = True,
    ) -> None:
        self.form: Form = form
        self.flow = form != BLOCK
        self.json = form == JSON
        self.kyaml = form in (KYAML, KYAML_LINE)
        self.root = root
        self.text = text
        self.literals = literals
        self.indents_lists = _has_indented_lists(root)

    def inside(self, parent: Collection | None) -> Layout:
        """Return the layout of a value in `parent`: brackets cannot hold a block."""
        if parent is None or not parent.flow or self.form in (JSON, LINE):
            return self
        form: Form = LINE
        if self.kyaml or is_kyaml(self.text, self.root, parent):
            is_spread = not parent.kids or "\n" in self.text[parent.first : parent.end]
            form = KYAML if is_spread else KYAML_LINE
        return Layout(form, root=self.root, text=self.text)

    def quoted(self) -> Layout:
        """Return this layout without literal blocks."""
        return Layout(self.form, root=self.root, text=self.text, literals=False)


def inline(value: PlainData, layout: Layout, style: str = "") -> str | None:
    """Return the text of `value` behind a key or a comma, None if block style puts it below. A string keeps `style`.

    It is one line, except for a collection of KYAML.
    """
    if isinstance(value, dict | list):
        return _flow(value, layout) if layout.flow or not value else None
    # The author who put the old value in quotes has strings of several lines in quotes too.
    if isinstance(value, str) and style == "" and layout.literals and not layout.flow and is_literal(value):
        return None
    return _scalar(value, layout, style)


def is_kyaml(text: str, root: Node | None, inner: Collection) -> bool:
    """True if brackets are a part of KYAML: their outermost keys start a line below, their first text is in `"`."""
    node = root
    while isinstance(node, Collection) and not node.flow:
        node = next((kid for kid in node.kids if kid.start <= inner.start < kid.end), None)
    if not isinstance(node, Mapping) or not node.kids or "\n" not in text[node.first : node.kids[0].start]:
        return False
    written = next((kid for kid in leaves(node) if isinstance(kid, Scalar) and kid.style), None)
    return isinstance(node.kids[0], Scalar) and not node.kids[0].style and written is not None and written.style == '"'


def key(name: str, layout: Layout) -> str:
    """Return a key for brackets. In KYAML a key is in quotes, unless it is a word, perhaps with `-./` inside."""
    is_quoted = layout.kyaml and (name in _NO_KEYS or re.fullmatch(r"\w(?:[\w./-]*\w)?", name) is None)
    return leaf(name, flow=True, style='"' if is_quoted else "", json=layout.json)


def spread(brackets: str, parts: list[str]) -> str:
    """Return a collection in KYAML: an entry on each line, but the collections of a list side by side."""
    if brackets == "[]" and all(part[0] in "[{" for part in parts):
        return f"[{', '.join(parts)}]"
    inner = indented("\n".join(f"{part}," for part in parts).split("\n"), 2)
    return "\n".join([brackets[0], *inner, brackets[1]])


def block(value: PlainData, layout: Layout) -> list[str]:
    """Return the lines of `value` in block style."""
    if layout.flow:
        return _flow(value, layout).split("\n")
    if isinstance(value, dict) and value:
        return [line for key, of_key in value.items() for line in pair(key, of_key, layout)]
    if isinstance(value, list) and value:
        return [line for element in value for line in item(element, layout)]
    text = inline(value, layout)
    return literal(str(value)) if text is None else [text]


def document(value: PlainData, layout: Layout | None = None) -> str:
    """Return `value` as a document of its own."""
    return "".join(f"{line}\n" for line in block(value, layout or Layout()))


def plain(value: Any, depth: int = 0) -> PlainData:  # noqa: ANN401 - checked here
    """Return a value as dicts, lists and scalars. TypeError for a type that YAML does not have.

    ValueError for a text that no file can hold, for a number that no program reads, and for endless nesting.
    """
    if depth > events.MAX_DEPTH:
        raise ValueError(f"a value has {events.TOO_DEEP}, or holds itself")
    if value is None or isinstance(value, bool | Verbatim):
        return value
    # A member of an Enum, such as `class Size(str, Enum)`, becomes its text or its number.
    if isinstance(value, str):
        return _text(str.__str__(value))
    if isinstance(value, int):
        return _whole(int(value))
    if isinstance(value, float):
        return float(value)
    # Any mapping will do, also a class of the author's own.
    is_part = hasattr(value, "to_yaml")
    if isinstance(value, dict) or (not is_part and hasattr(value, "keys") and hasattr(value, "__getitem__")):
        if wrong := [key for key in value if not isinstance(key, str)]:
            raise TypeError(f"a key of a mapping is a str, found {wrong[0]!r} of type `{type(wrong[0]).__name__}`")
        return {key: plain(value[key], depth + 1) for key in value}
    # Other iterables are refused: a set has no order, and a generator would be empty the second time.
    if isinstance(value, list | tuple):
        return [plain(element, depth + 1) for element in value]
    # An author who copies a field may pass the object that `part` returned.
    instead = "give what its `get()` returns" if is_part else "write it as a str"
    raise TypeError(f"YAML has no values of type `{type(value).__name__}`: {instead}")


def _text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{text[error.start]!r} is no text that UTF-8 can write") from None
    return text


def _whole(number: int) -> int:
    if number.bit_length() > _LONGEST:
        raise ValueError(f"a whole number of more than {_LONGEST} bits is no value that programs read: write a text")
    return number


def pair(name: str, value: PlainData, layout: Layout) -> list[str]:
    """Return the lines of one entry of a block mapping."""
    head = leaf(name, flow=False) + ":"
    text = inline(value, layout)
    if text is not None:
        return [f"{head} {text}"]
    lines = block(value, layout)
    if isinstance(value, str):
        return [f"{head} {lines[0]}", *lines[1:]]
    return [head, *(lines if isinstance(value, list) and not layout.indents_lists else indented(lines, 2))]


def item(value: PlainData, layout: Layout) -> list[str]:
    """Return the lines of one element of a block sequence."""
    lines = block(value, layout)
    return [f"- {lines[0]}", *(lines[1:] if isinstance(value, str) else indented(lines[1:], 2))]


def literal(text: str) -> list[str]:
    """Return the lines of a literal block scalar, its content indented by two. `is_literal` must hold."""
    # `|+` would make blank lines below the block, also those of a later edit, a part of the text.
    header = "|" if text.endswith("\n") else "|-"
    return [header, *indented(text.removesuffix("\n").split("\n"), 2)]


def is_literal(text: str) -> bool:
    """True if a new string is written as a literal block: it has a line end, and no line of it ends in a blank."""
    return "\n" in text and " \n" not in f"{text}\n" and fits_literal(text)


def fits_literal(text: str) -> bool:
    """True if a literal block can have `text`.

    It has no blank first line and no leading space, which need an indentation indicator, and at most one final line
    end: `|+` would take in the blank lines below it.
    """
    if text == "" or text[0] in " \t\n" or text.endswith("\n\n"):
        return False
    # An editor that trims lines would delete the blanks of a line that has nothing else.
    return all(line.replace("\t", " ").isprintable() and not line.isspace() for line in text.split("\n"))


def indented(lines: list[str], columns: int) -> list[str]:
    """Return `lines` moved to the right. Empty lines stay empty."""
    margin = " " * columns
    return [margin + line if line else line for line in lines]


def moved_left(line: str, columns: int) -> str:
    """Return `line` with so many fewer blanks at its start, or with none if it has not as many."""
    margin = " " * columns
    return line[columns:] if line.startswith(margin) else line.lstrip(" ")


def shifted(line: str, columns: int) -> str:
    """Return a line that is moved by some columns to the right, or to the left as far as its indentation allows."""
    is_still = not columns or not line.strip("\r\n")
    return line if is_still else " " * columns + line if columns > 0 else moved_left(line, -columns)


def _has_indented_lists(node: Node | None) -> bool | None:
    """True if the first block list below `node` is indented more than its key, None if there is no list."""
    kids = node.kids if isinstance(node, Collection) else []
    for kid in (kid for kid in kids if isinstance(kid, Collection) and not kid.flow):
        if isinstance(node, Mapping) and isinstance(kid, Sequence):
            return kid.column > node.column
        indents_lists = _has_indented_lists(kid)
        if indents_lists is not None:
            return indents_lists
    return None


def as_written(node: Node, text: str) -> PlainData:
    """Return the value of `node`, to be written elsewhere in its author's style.

    A scalar of one line becomes a Verbatim. Aliases and merge keys are resolved, and anchors and comments are lost.
    ValueError if a key is no scalar, an anchor is outside of the text, or a tag would be lost.
    """
    target = resolved(node)
    if isinstance(target, Collection):
        require_plain(target)
    if isinstance(target, Mapping):
        return {key: as_written(value, text) for key, value in target.items()}
    if isinstance(target, Sequence):
        return [as_written(kid, text) for kid in target.kids]
    if not isinstance(target, Scalar):
        raise ValueError("an alias whose anchor is elsewhere")  # noqa: TRY004 - what is wrong is the text, not a type
    return _scalar_as_written(target, text[target.start : target.end])


def require_plain(node: Mapping | Sequence) -> None:
    """Raise ValueError if a collection is more than a value: it has a tag, or a key that is no scalar."""
    if node.tag is not None:
        raise ValueError("a tag on a collection")
    if isinstance(node, Mapping) and not node.is_plain():
        raise ValueError("a key that is no scalar")


def _scalar_as_written(scalar: Scalar, written: str) -> PlainData:
    if scalar.anchor is not None:
        written = re.sub(_ANCHOR, "", written, count=1)
    single_line = scalar.style in ("", "'", '"') and "\n" not in written and "\r" not in written
    plain_string = scalar.style == "" and scalars.string(scalar) is not None
    if not single_line and scalars.string(scalar) is None:
        raise ValueError("a tag on a scalar of several lines")
    # The new place may be in brackets, where a plain scalar can have fewer characters.
    if not single_line or (plain_string and not scalars.fits_plain(scalar.value, flow=True)):
        return scalar.value
    return Verbatim(written or "null")


def _flow(value: PlainData, layout: Layout) -> str:
    if not isinstance(value, dict | list):
        return _scalar(value, layout)
    brackets, parts = "[]", []
    if isinstance(value, dict):
        brackets = "{}"
        parts = [f"{key(name, layout)}: {_flow(of_key, layout)}" for name, of_key in value.items()]
    else:
        parts = [_flow(element, layout) for element in value]
    return (
        spread(brackets, parts) if layout.form == KYAML and parts else f"{brackets[0]}{', '.join(parts)}{brackets[1]}"
    )


def _scalar(value: scalars.Leaf, layout: Layout, style: str = "") -> str:
    if layout.kyaml:
        style = style or '"'
        value = scalars.read(value) if isinstance(value, Verbatim) else value
        if layout.form == KYAML and isinstance(value, str) and "\n" in value:
            return _folded(value)
    return leaf(value, flow=layout.flow, style=style, json=layout.json)


def _folded(text: str) -> str:
    """Return a text of several lines in KYAML: each line on its own, below the opening quote."""
    pieces = ['"\\']
    *ended, last = text.split("\n")
    for written, end in [*((line, "\\n") for line in ended), *([(last, "")] if last else [])]:
        # A blank at the start of a line belongs to the text only behind a backslash.
        sign = "\\" if written.startswith(" ") else " "
        pieces.append(f"  {sign}{scalars.double_quoted(written)[1:-1]}{end}\\")
    return "\n".join([*pieces, '  "'])
