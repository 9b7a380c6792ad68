"""Edits of the text that replace a value, or that change a part of a scalar.

Each function returns edits that are right for all but the oddest text, so the caller has to prove the result. It raises
NotSpliceable for a form that it cannot change. No function here follows aliases.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from krm.yamltree import Verbatim, edits, lines, parser, positions, scalars, style
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.lines import ODD_BREAKS
from krm.yamltree.nodes import Collection, Mapping, Scalar, Sequence, is_block_scalar, kid
from krm.yamltree.positions import NotSpliceable
from krm.yamltree.target import Rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Layout, PlainData

_SAME_IN_EVERY_STYLE = re.compile(r"[^\s'\"\\]+")
# The time of a comparison grows with the square of the text: this takes a tenth of a second at most.
_LONGEST_COMPARED = 20_000


def replace(text: str, parent: Collection | None, node: Node, value: PlainData, layout: Layout) -> Edit:
    """Return the edit that replaces `node` by `value`. `parent` is the collection around it, None for the root.

    A string gets the quotes or the block style of the old one, and a collection its brackets. Anchor and tag of `node`
    go, and a comment in its line stays.
    """
    layout = layout.inside(parent).inside(node if isinstance(node, Collection) and node.kids else None)
    old_style = node.style if isinstance(node, Scalar) else ""
    written = style.inline(value, layout, old_style.strip("|>"))
    # A Verbatim has one line.
    is_literal = isinstance(value, str) and not isinstance(value, Verbatim) and style.fits_literal(value)
    if written is not None and not (layout.literals and is_block_scalar(node) and is_literal):
        # A collection may be spread over several lines.
        return put_one_line(text, parent, node, positions.spread(text, node.start, written))
    return _replace_block(text, parent, node, value, layout)


def rewrite(text: str, parent: Collection | None, scalar: Scalar, value: str, layout: Layout) -> Edit:
    """Return the edit that makes `value` the text of `scalar`. An anchor and a comment stay."""
    if scalar.anchor is None:
        return replace(text, parent, scalar, value, layout)
    new = style.inline(value, layout.inside(parent).quoted(), scalar.style.strip("|>"))
    # An anchor stands before the header of a block, and the comment behind the header is the value's.
    comment = lines.comment_inside(text, scalar) if is_block_scalar(scalar) else ""
    return Edit(lines.body(text, scalar), lines.ink_end(text, scalar), f"{new}{comment}")


def spelled(text: str, target: Rewritten, *, flow: bool, json: bool = False) -> list[Edit]:
    """Return the edits that give a scalar its new text, in its author's spelling if possible, else in quotes.

    Its anchor and its tag stay. In JSON, if `json`, a text in the place of a value without quotes gets quotes.
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
    """Return the edit that replaces `node` by lines at `column`, below its key or dash.

    `head`, such as the header of a block scalar, comes behind the key, and then `comment`. If that is empty, a comment
    that is there stays.
    """
    opening = positions.opening(text, parent, node)
    if not _is_in_lines(node) and "#" in text[opening : node.start]:
        raise NotSpliceable(positions.ODD)
    kept, stop = _comment_of(text, parent, node, opening)
    return Edit(opening, stop, head + (comment or kept) + positions.below(text, opening, new, column))


def emptied(text: str, parent: Collection | None, node: Mapping | Sequence, layout: Layout) -> list[Edit]:
    """Return the edits that make a collection an empty pair of brackets. Comments that belong to no entry stay.

    A collection with a tag keeps the tag and an anchor.
    """
    empty: PlainData = {} if isinstance(node, Mapping) else []
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
    """Return the edit that replaces an empty pair of brackets by lines."""
    if parent is None:
        return Edit(node.start, node.end, positions.joined(text, node.start, new, 0))
    column = _column_in(text, parent, node, layout, is_list=isinstance(node, Sequence))
    return put_below(text, parent, node, "", new, column)


def _column_in(text: str, parent: Collection, node: Node, layout: Layout, *, is_list: bool) -> int:
    """Return the column of a new collection below the key or dash of `node` in `parent`."""
    indented = parent.column + 2
    if not is_list or not isinstance(parent, Mapping) or layout.indents_lists:
        return indented
    # Without another list in the text, the column is that of the key, as in kubectl and kyaml. But then deeper comments
    # below the key would belong to the last element.
    _, stop = _comment_of(text, parent, node, positions.opening(text, parent, node))
    below = lines.first_character(text, lines.next_line(text, stop))
    is_of_key = text.startswith("#", below) and parent.column < lines.column(text, below) <= indented
    return indented if is_of_key else parent.column


def with_comment(text: str, edit: Edit, comment: str) -> Edit:
    """Return `edit` with `comment` behind it, in the place of an old comment; `edit` itself if there is no room."""
    old = lines.comment_at(text, edit.end)
    end = edit.end + len(old)
    if "\n" in edit.text or comment.strip() == old.strip() or text[end : lines.line_end(text, end)].strip():
        return edit
    return Edit(edit.start, end, edit.text + comment)


def put_one_line(text: str, parent: Collection | None, node: Node, new: str) -> Edit:
    """Return the edit that replaces `node` by the text of a scalar or of a collection in brackets."""
    end = lines.ink_end(text, node)
    # The value moves up to the line of its key, and the comment there stays behind it.
    if parent is not None and _is_in_lines(node) and positions.stands_below(text, parent, node):
        opening = positions.opening(text, parent, node)
        end = lines.last_line_end(text, node, parent.column)
        return Edit(opening, end, f" {new}{lines.comment_in(text, opening)}")
    # An empty value has no characters to replace.
    if parent is not None and node.start == node.end:
        return _fill(text, parent, node, new)
    if isinstance(node, Scalar) and (comment := lines.comment_inside(text, node)):
        if text[end : lines.line_end(text, end)].strip():
            raise NotSpliceable(positions.ODD)  # the text behind the value would become a part of the comment
        new += comment
    return Edit(node.start, end, f"{new} " if text.startswith("#", end) else new)


def in_place(text: str, target: Rewritten, *, flow: bool) -> list[Edit] | None:
    r"""Return the edits of `text` for the changes of a scalar, which is in brackets if `flow`.

    The rest stays as its author wrote it: `"\u00e9 $(A)"` keeps its quotes and its escape, a folded block its lines.
    None if the scalar would get another value or type.
    """
    scalar, value = target.node, target.value
    # In brackets parsers differ in `a:b`. The readers of this file accept as many of these as it has, but no `:b`.
    odd = sum(map(value.count, "?:")) + value.startswith(("?", ":"))
    has_more = any(map(value.count, ",[]{}")) or odd > sum(map(scalar.value.count, "?:"))
    is_plain = scalar.value and scalars.fits_plain(value.replace("\n", " "), flow=flow and has_more)
    # A template that is put back stays as its author wrote it.
    if scalar.style == "" and not is_plain and (flow or target.edits):
        return None
    if is_block_scalar(scalar):
        if strange := ODD_BREAKS.search(text, lines.body(text, scalar), scalar.end):
            raise EditError(lines.ODD, lines.number(text, strange.start()))
        # A blank line at the end of a block has no margin: the next edit would not find it.
        ends = [len(one) - len(one.rstrip("\n")) for one in (scalar.value, value)]
        if ends[0] != ends[1] or ends[1] == len(value):
            return None
    made = _by_lines(text, scalar, value)
    if made:
        return made
    quotes = len(scalar.style) if scalar.style in ("'", '"') else 0
    start = lines.body(text, scalar) + quotes
    same = text[start : scalar.end - quotes] == scalar.value
    parts = None if same else _Parts(text, scalar)
    made = []
    for change in target.edits:
        span = (start + change.start, start + change.end) if parts is None else parts.found(change)
        new = _styled(change.text, text, scalar)
        if span is None or new is None or (made and span[0] < made[-1].end):
            return None
        made.append(Edit(*span, new))
    # A value without escapes and line breaks has the same characters as its text. Any other result is read to be sure.
    sure = same and "\n" not in scalar.value and ODD_BREAKS.search(scalar.value) is None
    return made if sure or _reads_as(value, text, scalar, made) else None


def reworded(text: str, scalar: Scalar, value: str, *, flow: bool) -> list[Edit] | None:
    """Return the edits that change the words of a text of several lines that differ.

    None if it is no such text, or cannot have the value where it stands.
    """
    source = text[scalar.start : scalar.end]
    is_in_lines = "\n" in source and scalar.anchor is None and scalars.string(scalar) is not None
    if not is_in_lines or ODD_BREAKS.search(source) or max(len(source), len(value)) > _LONGEST_COMPARED:
        return None
    from difflib import SequenceMatcher  # noqa: PLC0415 - few runs change a text of several lines

    # A word comes or goes with the blanks ahead of it, among which may be a line break of the source.
    before, after = (re.findall(r"\s*\S*", one) for one in (scalar.value, value))
    ends = [0, *accumulate(map(len, before))]
    made = []
    for kind, start, end, first, stop in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            continue
        is_found = kind == "replace" and _blanks(before[start]) == _blanks(after[first])
        ahead = 0 if is_found or start == 0 else 1
        old, new = "".join(before[start - ahead : end]), "".join(after[first - ahead : stop])
        same = len(_blanks(old)) if _blanks(old) == _blanks(new) else 0
        made.append(Edit(ends[start - ahead] + same, ends[end], new[same:]))
    return in_place(text, Rewritten(scalar, made), flow=flow)


def _blanks(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


def _by_lines(text: str, scalar: Scalar, value: str) -> list[Edit]:
    """Return an edit for each line of a literal block in which `value` differs; none if the block cannot have it."""
    before, after = scalar.value.split("\n"), value.split("\n")
    if scalar.style != "|" or len(before) != len(after):
        return []
    margin = " " * lines.margin(text, scalar)
    is_indented = value.lstrip("\n")[0] in " \t" and lines.header(text, scalar).strip("|+-") == ""
    is_printable = all(line.replace("\t", "").isprintable() for line in after)
    if not (margin and is_printable) or is_indented:
        return []
    position, made = lines.next_line(text, lines.body(text, scalar)), []
    for one, other in zip(before, after, strict=True):
        if one != other:
            made.append(Edit(position, lines.line_end(text, position), margin + other if other else ""))
        position = lines.next_line(text, position)
    return made


def _is_in_lines(node: Node) -> bool:
    """True for a block collection: a comment in the line of its key belongs to the key."""
    return isinstance(node, Collection) and not node.flow


def _fill(text: str, parent: Collection, node: Node, new: str) -> Edit:
    """Return the edit that puts `new` behind the colon or dash of an empty value."""
    if isinstance(parent, Mapping):
        key, _ = positions.entry(parent, positions.index_of(parent, node))
        if parser.lacks_colon(text, key, node):
            return Edit(key.end, key.end, f": {new}")
    opening = positions.opening(text, parent, node)
    stop = lines.past_blanks(text, opening)
    return Edit(opening, stop if text.startswith((",", "}", "]"), stop) else opening, f" {new}")


def _replace_block(text: str, parent: Collection | None, node: Node, value: PlainData, layout: Layout) -> Edit:
    """Return the edit that puts a value of several lines below the key or dash of `node`. A comment there stays."""
    new = style.literal(value) if isinstance(value, str) else style.block(value, layout)
    opening = node.start if parent is None else positions.opening(text, parent, node)
    # Comments between a key and its value stay, so the value cannot move up to the key.
    if parent is None or (not _is_in_lines(node) and "#" in text[opening : node.start]):
        return _replace_in_place(text, node, value, new)
    if isinstance(value, str):
        return put_below(text, parent, node, f" {new[0]}", new[1:], parent.column)
    comment, stop = _comment_of(text, parent, node, opening)
    if isinstance(parent, Sequence) and not comment:
        return Edit(opening, stop, " " + positions.joined(text, opening, new, parent.column + 2))
    column = _column_in(text, parent, node, layout, is_list=isinstance(value, list))
    return put_below(text, parent, node, "", new, column)


def _replace_in_place(text: str, node: Node, value: PlainData, new: list[str]) -> Edit:
    """Return the edit that puts lines where `node` starts. Comments are between it and its key, or it has no key."""
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
    """Return the comment that stays in the line of a key when its value changes, and the end of the old value."""
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

    `_next` has the positions at which the search for each text goes on, so that many changes take one pass.
    """

    def __init__(self, text: str, scalar: Scalar) -> None:
        self._text = text
        self._value = scalar.value
        self._start = lines.body(text, scalar)
        if scalar.style in ("|", ">"):
            self._start = lines.next_line(text, self._start)
        self._end = scalar.end
        self._next: dict[str, tuple[int, int]] = {}

    def found(self, change: Edit) -> tuple[int, int] | None:
        """Return the likely span of the part of the value that `change` replaces, None if in doubt."""
        # Blanks fold, so their text cannot be searched: the words at both ends are.
        words = self._value[change.start : change.end].split() or [""]
        start = self._place(words[0], change.start)
        last = self._place(words[-1], change.end - len(words[-1])) if len(words) > 1 else start
        return None if start is None or last is None else (start, last + len(words[-1]))

    def _place(self, word: str, start: int) -> int | None:
        """Return the position in the source of a word that starts in the value at `start`."""
        if word not in self._next:
            # Quotes and backslashes have several spellings, too.
            if not _SAME_IN_EVERY_STYLE.fullmatch(word):
                return None
            self._next[word] = 0, self._start
        in_value, in_text = self._next[word]
        while (there := self._value.find(word, in_value)) >= 0:
            position = self._text.find(word, in_text, self._end)
            if position < 0:
                return None
            in_value, in_text = there + len(word), position + len(word)
            if there >= start:
                self._next[word] = in_value, in_text
                return position if there == start else None
        return None


def _styled(new: str, text: str, scalar: Scalar) -> str | None:
    """Return `new` in the spelling of `scalar`, None if its style cannot hold it."""
    if scalar.style == '"':
        return scalars.double_quoted(new)[1:-1]
    if scalar.style == "|" and "\n" in new:
        return new.replace("\n", lines.newline(text, scalar.end) + " " * lines.margin(text, scalar))
    if not new.isprintable():
        return None
    return new.replace("'", "''") if scalar.style == "'" else new


def _reads_as(value: str, text: str, scalar: Scalar, made: list[Edit]) -> bool:
    """True if `scalar`, after the edits and read alone, has `value`."""
    found = parser.roots("k: " + edits.part(text, lines.body(text, scalar), scalar.end, made))
    alone = kid(found[0], "k") if len(found) == 1 else None
    return isinstance(alone, Scalar) and alone.value == value
