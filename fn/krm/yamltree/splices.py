"""Values that take the place of others, and parts of scalars that change, as edits of the text.

Each function answers with the edit that fits all but the oddest text, which the caller has to prove, or raises
NotSpliceable for the few forms that it knows it cannot change. None reads through aliases.
"""

from __future__ import annotations

import re
from itertools import pairwise

from krm.yamltree import Verbatim, edits, lines, parser, positions, scalars, style
from krm.yamltree.edits import Edit
from krm.yamltree.lines import ODD_BREAKS
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence, is_block_scalar
from krm.yamltree.positions import NotSpliceable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, Value
    from krm.yamltree.target import Rewritten

_SAME_IN_EVERY_STYLE = re.compile(r"[^\s'\"\\]+")


def replace(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Return the edit that puts `value` in the place of `node`, a kid of `parent` (None: the root).

    A string keeps the quotes or the block style of the one before it, a collection its brackets. Anchor and tag of
    `node` go, a comment in its line stays.
    """
    layout = layout.inside(parent).inside(node if isinstance(node, Collection) and node.kids else None)
    old_style = node.style if isinstance(node, Scalar) else ""
    written = style.inline(value, layout, old_style.strip("|>"))
    if written is not None and not (layout.literals and is_block_scalar(node) and _stays_block(value)):
        # A collection may be spread over several lines.
        return put_one_line(text, parent, node, positions.spread(text, node.start, written))
    return _replace_block(text, parent, node, value, layout)


def rewrite(text: str, parent: Collection | None, scalar: Scalar, value: str, layout: Layout) -> Edit:
    """Return the edit that makes `value` the text of `scalar`, which keeps an anchor and what is around it."""
    if scalar.anchor is None:
        return replace(text, parent, scalar, value, layout)
    new = style.inline(value, layout.inside(parent).quoted(), scalar.style.strip("|>"))
    # An anchor stands before the header of a block, and the comment behind the header is the value's.
    comment = lines.comment_inside(text, scalar) if is_block_scalar(scalar) else ""
    return Edit(lines.body(text, scalar), lines.ink_end(text, scalar), f"{new}{comment}")


def spelled(text: str, target: Rewritten, *, flow: bool, json: bool = False) -> list[Edit]:
    """Return the edits after which a scalar says what it is to say: as its author wrote it, else in quotes.

    Its anchor and its tag stay. In `json` what stands without quotes gets them, as a text.
    """
    scalar = target.node
    made = None if json and not scalar.style else in_place(text, target, flow=flow)
    if made is None:
        new = scalars.leaf(target.value, flow=flow, style=scalar.style.strip("|>"), json=json)
        made = [Edit(lines.body(text, scalar), lines.ink_end(text, scalar), new)]
    return made


def put_below(  # noqa: PLR0913 - all that the lines of an entry are made of
    text: str, parent: Collection, node: Node, head: str, new: list[str], column: int, comment: str = ""
) -> Edit:
    """Return the edit that puts lines, at `column`, below the key or dash of `node`, in the place of that.

    Behind the key comes `head`, as the header of a block scalar, and `comment`; without one, that which is there stays.
    """
    opening = positions.opening(text, parent, node)
    if not _is_in_lines(node) and "#" in text[opening : node.start]:
        raise NotSpliceable(positions.ODD)
    kept, stop = _comment_of(text, parent, node, opening)
    return Edit(opening, stop, head + (comment or kept) + positions.below(text, opening, new, column))


def emptied(text: str, parent: Collection | None, node: Mapping | Sequence, layout: Layout) -> list[Edit]:
    """Return the edits that leave nothing in a collection but its brackets, and comments that are of no entry.

    It keeps its tag, and so its anchor.
    """
    empty: Value = {} if isinstance(node, Mapping) else []
    if node.tag is not None:
        return [Edit(lines.body(text, node), lines.ink_end(text, node), str(empty))]
    if parent is None or node.flow or node.anchor is not None:
        return [replace(text, parent, node, empty, layout)]
    gone = [positions.extent(text, node, number) for number in range(positions.size(node))]
    opening = positions.opening(text, parent, node)
    if not positions.stands_below(text, parent, node):
        start, stop = gone.pop(0)
        newline = lines.newline(text, start) if text.endswith("\n", 0, stop) else ""
        return [Edit(start, stop, f"{empty}{newline}"), *(Edit(*span, "") for span in gone)]
    stop = lines.past_deeper_comments(text, gone[-1][1], parent.column)
    spans = [(0, lines.next_line(text, opening)), *gone, (stop, 0)]
    if "#" in "".join(text[above:below] for (_, above), (below, _) in pairwise(spans)):
        return [Edit(opening, opening, f" {empty}"), *(Edit(*span, "") for span in gone)]
    return [replace(text, parent, node, empty, layout)]


def filled(text: str, parent: Collection | None, node: Mapping | Sequence, new: list[str], layout: Layout) -> Edit:
    """Return the edit that puts lines in the place of an empty pair of brackets."""
    if parent is None:
        return Edit(node.start, node.end, positions.joined(text, node.start, new, 0))
    column = _column_in(text, parent, node, layout, is_list=isinstance(node, Sequence))
    return put_below(text, parent, node, "", new, column)


def _column_in(text: str, parent: Collection, node: Node, layout: Layout, *, is_list: bool) -> int:
    """Return the column of a new collection below the key or dash of `node` in `parent`."""
    indented = parent.column + 2
    if not is_list or not isinstance(parent, Mapping) or layout.indents_lists:
        return indented
    # kubectl and kyaml write lists at the column of their key: so does a text that has no list to follow. But deeper
    # comments below the key would become those of the last element.
    _, stop = _comment_of(text, parent, node, positions.opening(text, parent, node))
    below = lines.first_character(text, lines.next_line(text, stop))
    is_of_key = text.startswith("#", below) and parent.column < lines.column(text, below) <= indented
    return indented if is_of_key else parent.column


def with_comment(text: str, edit: Edit, comment: str) -> Edit:
    """Return `edit` with `comment` put behind it, in the place of one that is there; as it is where it does not fit."""
    old = lines.comment_at(text, edit.end)
    end = edit.end + len(old)
    if "\n" in edit.text or comment.strip() == old.strip() or text[end : lines.line_end(text, end)].strip():
        return edit
    return Edit(edit.start, end, edit.text + comment)


def put_one_line(text: str, parent: Collection | None, node: Node, new: str) -> Edit:
    """Return the edit that puts a scalar or a flow collection, as it is written, in the place of `node`."""
    end = lines.ink_end(text, node)
    # The value comes up to the line of its key, and the comment there stays behind it.
    if parent is not None and _is_in_lines(node) and positions.stands_below(text, parent, node):
        opening = positions.opening(text, parent, node)
        end = lines.last_line_end(text, node, parent.column)
        return Edit(opening, end, f" {new}{lines.comment_in(text, opening)}")
    # An empty value has no characters that could be replaced.
    if parent is not None and node.start == node.end:
        return _fill(text, parent, node, new)
    if isinstance(node, Scalar) and (comment := lines.comment_inside(text, node)):
        if text[end : lines.line_end(text, end)].strip():
            raise NotSpliceable(positions.ODD)  # what is behind the value would become a part of the comment
        new += comment
    return Edit(node.start, end, f"{new} " if text.startswith("#", end) else new)


def in_place(text: str, target: Rewritten, *, flow: bool) -> list[Edit] | None:
    r"""Return the edits of `text` that make the changes of a scalar, in brackets if `flow`.

    The rest stays as its author wrote it: `"\u00e9 $(A)"` keeps its quotes and its escape, a folded block its lines.
    None where its value, or its type, would not be what they make of it.
    """
    scalar, value = target.node, target.value
    # In brackets parsers differ in `a:b`. Who reads this file reads as many of these as its author wrote.
    has_more = any(map(value.count, ",[]{}")) or sum(map(value.count, "?:")) > sum(map(scalar.value.count, "?:"))
    is_plain = scalar.value and scalars.fits_plain(value.replace("\n", " "), flow=flow and has_more)
    if scalar.style == "" and not is_plain:
        return None
    made = _by_lines(text, scalar, value)
    if made:
        return made
    quotes = len(scalar.style) if scalar.style in ("'", '"') else 0
    start = lines.body(text, scalar) + quotes
    same = text[start : scalar.end - quotes] == scalar.value
    parts = None if same else _Parts(text, scalar)
    made = []
    for change in target.made:
        position = start + change.start if parts is None else parts.found(change)
        new = _styled(change.text, text, scalar)
        if position is None or new is None or (made and position < made[-1].end):
            return None
        made.append(Edit(position, position + change.end - change.start, new))
    # What is written as it is read is spliced as it is found. Escapes and folded lines are read once more to be sure.
    sure = same and "\n" not in scalar.value and ODD_BREAKS.search(scalar.value) is None
    return made if sure or _reads_as(value, text, scalar, made) else None


def _by_lines(text: str, scalar: Scalar, value: str) -> list[Edit]:
    """Return the edits of lines after which a literal block has `value`, none where these lines cannot say it."""
    before, after = scalar.value.split("\n"), value.split("\n")
    if scalar.style != "|" or len(before) != len(after) or not any(after):
        return []
    margin = " " * lines.margin(text, scalar)
    is_indented = value.lstrip("\n")[0] in " \t" and lines.header(text, scalar).strip("|+-") == ""
    ends = {len(one) - len(one.rstrip("\n")) for one in (scalar.value, value)}
    is_printable = all(line.replace("\t", "").isprintable() for line in after)
    if not (margin and is_printable) or is_indented or len(ends) > 1:
        return []
    position, made = lines.next_line(text, lines.body(text, scalar)), []
    for one, other in zip(before, after, strict=True):
        if one != other:
            made.append(Edit(position, lines.line_end(text, position), margin + other if other else ""))
        position = lines.next_line(text, position)
    return made


def _is_in_lines(node: Node) -> bool:
    """True for a block collection, whose key has a comment of its own in its line."""
    return isinstance(node, Collection) and not node.flow


def _fill(text: str, parent: Collection, node: Node, new: str) -> Edit:
    """Put `new` where nothing is written yet, behind a colon or a dash."""
    if isinstance(parent, Mapping):
        key, _ = positions.entry(parent, positions.index_of(parent, node))
        if parser.lacks_colon(text, key, node):
            return Edit(key.end, key.end, f": {new}")
    opening = positions.opening(text, parent, node)
    stop = lines.past_blanks(text, opening)
    return Edit(opening, stop if text.startswith((",", "}", "]"), stop) else opening, f" {new}")


def _stays_block(value: Value) -> bool:
    """True if what comes in the place of a block scalar is one too: what is written verbatim is not."""
    return isinstance(value, str) and not isinstance(value, Verbatim) and style.fits_literal(value)


def _replace_block(text: str, parent: Collection | None, node: Node, value: Value, layout: Layout) -> Edit:
    """Put a value of several lines below the key or dash of `node`, the comment in that line kept."""
    new = style.literal(value) if isinstance(value, str) else style.block(value, layout)
    opening = node.start if parent is None else positions.opening(text, parent, node)
    # Comments between a key and its value stay, so the value cannot come up to the key.
    if parent is None or (not _is_in_lines(node) and "#" in text[opening : node.start]):
        return _replace_in_place(text, node, value, new)
    if isinstance(value, str):
        return put_below(text, parent, node, f" {new[0]}", new[1:], parent.column)
    comment, stop = _comment_of(text, parent, node, opening)
    if isinstance(parent, Sequence) and not comment:
        return Edit(opening, stop, " " + positions.joined(text, opening, new, parent.column + 2))
    column = _column_in(text, parent, node, layout, is_list=isinstance(value, list))
    return put_below(text, parent, node, "", new, column)


def _replace_in_place(text: str, node: Node, value: Value, new: list[str]) -> Edit:
    """Put lines where `node` starts: comments stand between it and its key, or there is no key."""
    end = lines.ink_end(text, node)
    column = lines.column(text, node.start)
    if not isinstance(value, str):
        return Edit(node.start, end, positions.joined(text, node.start, new, column))
    inside = lines.comment_inside(text, node) if isinstance(node, Scalar) else ""
    behind = lines.comment_at(text, end)
    return Edit(
        node.start, end + len(behind), f"{new[0]}{inside or behind}{positions.below(text, end, new[1:], column)}"
    )


def _comment_of(text: str, parent: Collection, node: Node, opening: int) -> tuple[str, int]:
    """Return the comment that a new value keeps in the line of its key, and where what it replaces ends."""
    end = lines.ink_end(text, node)
    if positions.stands_below(text, parent, node):
        stop = lines.last_line_end(text, node, parent.column) if isinstance(node, Collection) else end
        return lines.comment_in(text, opening), stop
    inside = lines.comment_inside(text, node) if isinstance(node, Scalar) else ""
    comment = inside or lines.comment_at(text, end)
    stop = end if inside else end + len(comment)
    if isinstance(parent, Sequence) and "\t" in comment:
        inked = comment.lstrip(" \t")
        comment = " " * (len(comment) - len(inked)) + inked  # no tab may follow a dash
    return comment, stop


class _Parts:
    """Finds parts of a scalar's value in its source: the n-th occurrence of a text in both.

    `_next` holds where to go on for each text, so that many changes in their order take one pass.
    """

    __slots__ = ("_end", "_next", "_start", "_text", "_value")

    def __init__(self, text: str, scalar: Scalar) -> None:
        self._text = text
        self._value = scalar.value
        self._start = lines.body(text, scalar)
        if scalar.style in ("|", ">"):
            self._start = lines.next_line(text, self._start)
        self._end = scalar.end
        self._next: dict[str, tuple[int, int]] = {}

    def found(self, change: Edit) -> int | None:
        """Return where the part of the value that `change` replaces is likely to stand, None if in doubt."""
        old = self._value[change.start : change.end]
        if old not in self._next:
            # Blanks fold, and quotes and backslashes are written in several ways: these cannot be looked for.
            if not _SAME_IN_EVERY_STYLE.fullmatch(old):
                return None
            self._next[old] = 0, self._start
        in_value, in_text = self._next[old]
        while (there := self._value.find(old, in_value)) >= 0:
            position = self._text.find(old, in_text, self._end)
            if position < 0:
                return None
            in_value, in_text = there + len(old), position + len(old)
            if there >= change.start:
                self._next[old] = in_value, in_text
                return position if there == change.start else None
        return None


def _styled(new: str, text: str, scalar: Scalar) -> str | None:
    """Return `new` as it is written inside of `scalar`, None where its style cannot hold it."""
    if scalar.style == '"':
        return scalars.double_quoted(new)[1:-1]
    if scalar.style == "|" and "\n" in new:
        return new.replace("\n", lines.newline(text, scalar.end) + " " * lines.margin(text, scalar))
    if not new.isprintable():
        return None
    return new.replace("'", "''") if scalar.style == "'" else new


def _reads_as(value: str, text: str, scalar: Scalar, made: list[Edit]) -> bool:
    """Return whether `scalar`, edited and read alone, has `value`."""
    try:
        root = parser.parse("k: " + edits.part(text, lines.body(text, scalar), scalar.end, made)).root
    except parser.ParseError:
        return False
    alone = root.own("k") if isinstance(root, Mapping) else None
    return isinstance(alone, Scalar) and alone.value == value
