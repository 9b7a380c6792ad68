"""Reading: the comments of an object that are templates, and the field of each.

docs/reference/runs-in-place.md, "What is a template".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial

from krm import syntax
from krm.template_comments import patterns
from krm.yamltree import lines, nodes, parser, positions, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, is_block_scalar, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

MARK: str = lines.TEMPLATE
_OTHERWISE = f"it has to begin exactly with `{MARK} `"

_OF_OTHERS = re.compile(r"#[ \t]*(kpt-set:|kpt-merge:|from-param:|\{[ \t]*\")")
"""The begin of a comment of setters, kpt or Flux. These read their data up to the end of the line."""

NEARLY = re.compile(r"#(?<![^\s#]#)(?! expand:)[ \t]*+(?i:expand)(?:[ \t]*+:|[ \t]++[^\s#]++[ \t]*+\r?$)", re.MULTILINE)
"""A misspelt mark. Without the colon only one word may follow: `# expand the disk` is a remark."""

_ABOVE_NOTHING = "it stands above no entry: write it directly above one, or behind a value"
_ABOVE_ELSEWHERE = "its `#` is at column {}, and the entry below it at column {}: move it there"
_BEHIND_NOTHING = (
    "it stands behind no value of one line: for brackets, and for a text over several lines, write it above"
)

_USUAL = 2
"""The indentation that most authors give the text of a block."""

_HEADER = re.compile(r"(.*\|[-+0-9]*)[ \t]*")
_LEAD = re.compile(r"[ \t]*+(?:-[ \t]++)*+")
"""What may stand ahead of a comment above an entry: blanks, and the dash behind which a formatter has put it."""
_ABOVE = re.compile(r"[ \t]*#(?: (?P<text>[^\r\n]*)|[ \t]*)\r?(?:\n|\Z)")


class TemplateComment:
    """A template in a comment, and its field: the `node` at `place`.

    `template` is the parsed template, and its positions are those of the text `source`. For a literal block `source` is
    the header alone. The lines of such a block are indented by `margin` more than its entry. `start` and `end` are the
    span of the comment, with the blanks ahead of it or as whole lines.
    """

    __slots__ = ("end", "is_above", "margin", "node", "place", "source", "start", "template")

    def __init__(
        self, entry: FieldEntry, span: tuple[int, int], template: Node, source: str, *, is_above: bool
    ) -> None:
        self.place = entry.place
        self.node = entry.node
        self.start, self.end = span
        self.template = template
        self.source = source
        self.margin = 0
        self.is_above = is_above

    @property
    def lines(self) -> list[str] | None:
        """The lines of a template that is a literal block, None for any other template."""
        template = self.template
        return template.value.split("\n") if isinstance(template, Scalar) and template.style == "|" else None

    def literal(self, value: str) -> tuple[Scalar, str]:
        """Return a literal block with the text `value`, in the style of the template, and its source."""
        return literal(value, lines.header(self.source, self.template), self.margin)  # type: ignore[arg-type]  # a block

    @property
    def removal(self) -> Edit:
        """The edit that takes the comment away."""
        return Edit(self.start, self.end, "")


def literal(value: str, header: str = "", margin: int = _USUAL) -> tuple[Scalar, str]:
    """Return a literal block with the text `value`, and its source."""
    kept = ("-", "", "+")[min(len(value) - len(value.rstrip("\n")), 2)]
    written = (" " * margin + line if line else "" for line in value.split("\n"))
    source = "\n".join([header or f"|{kept}", *written])
    return Scalar(0, len(source), value, "|", None, None), source


class FieldEntry:
    """An entry of a mapping, or an element of a list: its value `node`, at `place`, in `parent`."""

    __slots__ = ("node", "parent", "place")

    def __init__(self, place: Place, parent: Collection, node: Node) -> None:
        self.place = place
        self.parent = parent
        self.node = node

    @property
    def value(self) -> Scalar | Mapping | Sequence:
        """The value, or what it is an alias of."""
        return resolved(self.node)  # type: ignore[return-value]  # a tree has no alias of nothing

    @property
    def text(self) -> str:
        """The text of a field."""
        return self.value.value or ""

    def start(self, text: str) -> int:
        """Return where the entry begins: its key, its dash or, in brackets, the element itself."""
        return positions.start(text, self.parent, positions.index_of(self.parent, self.node))

    def ink(self, text: str) -> int:
        """Return the position of the first character that is no blank in the line where the entry begins."""
        return lines.past_blanks(text, lines.line_start(text, self.start(text)))

    def end(self, text: str) -> int:
        """Return where the entry ends. In brackets this is behind its comma, if that is on the same line."""
        comma = lines.past_blanks(text, self.node.end)
        return comma + 1 if self.parent.flow and text.startswith(",", comma) else self.node.end

    def begins_line(self, text: str) -> bool:
        """True if the entry is the first in its line. In block style the dash or key of its parent may precede it."""
        return not self.parent.flow or lines.is_first(text, self.start(text))

    def ends_line(self, text: str) -> bool:
        """True if its value is on one line, and only a comma and a comment follow there."""
        end = self.end(text)
        behind = text[end : lines.line_end(text, end)].strip(" \t")
        return is_on_one_line(text, self.value) and (not behind or lines.comment_at(text, end) != "")

    def commented(self, text: str, written: list[str], old: TemplateComment | None, blanks: int) -> list[Edit]:
        """Return the edits that give the entry a comment in the place of the `old` one: below, or behind, its author's.

        A comment behind a value gets `blanks` spaces ahead of it.
        """
        made = [] if old is None else [old.removal]
        if len(written) > 1 or not self.ends_line(text):
            ink = self.ink(text)
            start, newline = lines.line_start(text, ink), lines.newline(text, ink)
            if old is not None and old.end == ink:  # the old comment is behind a dash
                return [Edit(old.start, ink, (newline + text[start:ink]).join([*written, ""]))]
            return [*made, Edit(start, start, "".join(f"{text[start:ink]}{line}{newline}" for line in written))]
        if old is not None and not old.is_above:
            return [*made, Edit(old.end, old.end, text[old.start : lines.past_blanks(text, old.start)] + written[0])]
        end = self.end(text)
        behind = lines.comment_at(text, end).rstrip()
        end += len(behind)
        return [*made, Edit(end, end, (" " if behind else " " * blanks) + written[0])]


class _NoTemplateError(Exception):
    """The comment has a reference, but it is no template. The message says why."""


def marked(items: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the objects whose text, as it was read, has the mark or a misspelt mark."""
    whole, is_nearly = None, False
    for item in items:
        # A text may hold thousands of objects without a mark: it is searched once for all of them.
        if item.whole is not whole:
            whole = item.whole
            is_nearly = NEARLY.search(whole) is not None
        if item.spells(MARK) or (is_nearly and is_marked(item)):
            yield item


def is_marked(item: Resource) -> bool:
    """True if the text of an object, as it was read, has the mark or a misspelt mark."""
    return item.spells(MARK) or NEARLY.search(item.whole, *item.span) is not None


def templates(text: str, root: Node | None) -> MarkedComments:
    """Return the comments of the object at `root` that have the mark or a misspelt mark."""
    # Most objects have none, and cost this search alone.
    is_marked = MARK in text or NEARLY.search(text)
    found = MarkedComments(text, root if is_marked else None)
    found.read()
    return found


def places(item: Resource) -> dict[int, list[Place]]:
    """Return the places of each node of an item, by its `id`: with aliases and `<<` it has several."""
    found: dict[int, list[Place]] = {}
    for place, node in nodes.placed(item.root, ()):
        found.setdefault(id(node), []).append(place)
    return found


def is_owned(text: str, ink: int, node: Node) -> bool:
    """True if another tool reads a comment directly above the entry at `ink`, or behind its value."""
    behind = lines.comment_inside(text, node) if is_block_scalar(node) else lines.comment_in(text, node.end)
    return is_owned_above(text, ink) or is_of_others(text[ink : node.start] + behind.partition(MARK)[0])


def is_owned_above(text: str, ink: int) -> bool:
    """True if another tool reads a comment directly above an entry. Setters read none that is beside one of ours."""
    above = lines.own_comments(text, ink, lines.column(text, ink), 0)
    # The lines below our mark belong to the template. JSON in them would look like a comment of Flux.
    return is_of_others(text[above : lines.line_start(text, ink)].partition(MARK)[0])


def is_of_others(comment: str) -> bool:
    """True if another tool reads a comment."""
    return _OF_OTHERS.search(comment) is not None


def is_on_one_line(text: str, node: Node | Collection) -> bool:
    """True if a node is a scalar that is written on one line."""
    return isinstance(node, Scalar) and not is_block_scalar(node) and "\n" not in text[node.start : node.end]


class MarkedComments:
    """The comments with a mark in the text of an object: `templates`, and those that are no template.

    The latter are `unplaced`: each is the field next to the comment, and what is wrong with it. `of_others` are the
    fields that have a comment of another tool, too.
    """

    def __init__(self, text: str, root: Node | None, mark: str = MARK) -> None:
        self.templates: list[TemplateComment] = []
        self.unplaced: list[tuple[Place, str]] = []
        self.of_others: list[Place] = []
        self._text = text
        self._root = root
        self._leaves = [] if root is None else [*nodes.leaves(root)]
        self._span = _span(text, root)
        self._marks = self._first(re.compile(re.escape(mark)))
        self._fields: dict[int, Place] = {}

    def read(self) -> None:
        """Read the comments as templates: fill `templates`, `unplaced` and `of_others`."""
        found: list[tuple[bool, int, int]] = []
        stop = 0
        for line, mark in sorted((self._first(NEARLY) | self._marks).items()):
            # A mark within a template, or below a misspelt mark, is a part of that template.
            if line < stop:
                continue
            is_above = _LEAD.fullmatch(self._text, line, mark) is not None
            stop = self._lines_below(lines.next_line(self._text, mark))[1] if is_above else stop
            found.append((is_above, line, mark))
        taken: set[Place] = set()
        # Comments behind a value come first: of two templates of one field, that one counts.
        for is_above, line, mark in sorted(found):
            try:
                self._take(line, mark, taken, is_above=is_above)
            except _NoTemplateError as error:
                self.unplaced.append((self._near(line), str(error)))

    def marked(self) -> Iterator[tuple[int, Place, FieldEntry | None]]:
        """Yield each comment that begins with the mark and is not alone on its line: its position, and the field there.

        The third value is the entry, if the comment is behind its value on one line. Else it is None.
        """
        for line, mark in self._marks.items():
            entry = self._in(line)
            written = lines.comment_in(self._text, line if entry is None else entry.node.end).lstrip()
            is_whole = len(written) == lines.line_end(self._text, mark) - mark
            if is_whole and not lines.is_first(self._text, mark):
                yield mark, self._near(line), entry

    def _first(self, pattern: re.Pattern[str]) -> dict[int, int]:
        """Return where a pattern is first found in the comment of each line, by the start of the line."""
        found: dict[int, int] = {}
        for one in pattern.finditer(self._text, *self._span):
            position = one.start()
            number = bisect_right(self._leaves, position, key=partial(_start, self._text))
            # Inside of a leaf `#` starts no comment.
            if not any(position < leaf.end for leaf in self._leaves[max(number - 1, 0) : number]):
                found.setdefault(lines.line_start(self._text, position), position)
        return found

    def _entries(self, stop: int) -> list[tuple[int, FieldEntry]]:
        """Return the last entry that begins at `stop` or before it, after the entries around it, with their starts."""
        found: list[tuple[int, FieldEntry]] = []
        node: Node | Collection | None = self._root
        while isinstance(node, Collection):
            start = partial(positions.start, self._text, node)
            number = bisect_right(range(positions.size(node)), stop, key=start) - 1
            if number < 0:
                break
            *key, kid = positions.entry(node, number)
            above = found[-1][1].place if found else ()
            place = (*above, (key[0].value or "") if key else number)
            found.append((start(number), FieldEntry(place, node, kid)))
            node = kid
        return found

    def _in(self, line: int) -> FieldEntry | None:
        """Return the last entry of a line, if its value begins and ends there. A comment may follow. Else None."""
        found = [entry for _, entry in self._entries(lines.line_end(self._text, line))[-1:]]
        found = [one for one in found if isinstance(one.node, Scalar) and one.ends_line(self._text)]
        return next((one for one in found if lines.line_start(self._text, one.node.end) == line), None)

    def _at(self, line: int) -> list[FieldEntry]:
        """Return the entries that begin in a line, the outer ones first. In brackets only the first one counts."""
        entries = self._entries(lines.line_end(self._text, line))
        found = [entry for start, entry in entries if start >= line and not entry.parent.flow]
        if not found:
            ink = lines.past_blanks(self._text, line)
            found = [entry for start, entry in self._entries(ink) if start == ink][:1]
        return found

    def _near(self, line: int) -> Place:
        """Return the field in a line, or in the next line below that has a field. No line is read twice."""
        entry, passed = self._in(line), []
        while entry is None and line < len(self._text) and line not in self._fields:
            passed.append(line)
            entry = next(reversed(self._at(line)), None)
            line = lines.next_line(self._text, line)
        place = self._fields.get(line, ()) if entry is None else entry.place
        self._fields |= dict.fromkeys(passed, place)
        return place

    def _take(self, line: int, mark: int, taken: set[Place], *, is_above: bool) -> None:
        """Add the comment at `mark`. _NoTemplateError if it refers to a name and is no template."""
        end = lines.line_end(self._text, mark)
        written, stop = self._text[mark + len(MARK) : end], end
        below: list[str] = []
        if is_above:
            stop = lines.next_line(self._text, mark)
            below, stop = self._lines_below(stop)
        if not syntax.refers("\n".join([self._text[mark:end], *below])):
            return
        if not self._text.startswith(MARK, mark):
            raise _NoTemplateError(_OTHERWISE)
        if written[:1] not in (" ", "\t"):
            raise _NoTemplateError(f"a blank is missing behind `{MARK}`")
        entry = self._in(line)
        entries = self._at(stop) if is_above else [entry] if entry is not None else []
        if not entries:
            raise _NoTemplateError(_ABOVE_NOTHING if is_above else _BEHIND_NOTHING)
        ink = lines.past_blanks(self._text, stop)
        if is_above and mark - line != ink - stop:
            raise _NoTemplateError(_ABOVE_ELSEWHERE.format(mark - line + 1, ink - stop + 1))
        place = entries[-1].place
        if is_owned(self._text, ink if is_above else lines.past_blanks(self._text, line), entries[-1].node):
            self.of_others.append(place)
            return
        if is_above:
            span = (line, stop) if lines.is_first(self._text, mark) else (mark, ink)
            comment = self._above(entries, span, [written.lstrip(" \t"), *below])
        else:
            # Blanks at the end of the line stay when the comment is removed.
            span = _blanks(self._text, mark), _blanks(self._text, end)
            comment = _comment_behind(entries[-1], span, written.strip())
        if any(place[:length] in taken for length in range(1, len(place) + 1)):
            raise _NoTemplateError("this field has another template: remove one of the two")
        if nodes.written_at(self._root, place) is not entries[-1].node:
            raise _NoTemplateError("no path leads to this field: it has a key that is an alias, or is no text")
        taken.add(place)
        self.templates.append(comment)

    def _lines_below(self, start: int) -> tuple[list[str], int]:
        """Return the comment lines from `start` on that continue a template, and the position behind them."""
        found: list[str] = []
        while start not in self._marks and (line := _ABOVE.match(self._text, start)) and line.end() > start:
            found.append(line["text"] or "")
            start = line.end()
        return found, start

    def _above(self, entries: list[FieldEntry], span: tuple[int, int], written: list[str]) -> TemplateComment:
        """Return the template in the comment lines above entries that begin on one line."""
        entry = entries[-1]
        header = _HEADER.fullmatch(written[0])
        if header is not None and isinstance(entry.node, Scalar):
            template = _inside(_parsed(header[1]), entries)
            if isinstance(template, Scalar) and template.style == "|":
                comment = TemplateComment(entry, span, template, header[1], is_above=True)
                comment.margin = self._margin(entry, lines.line_start(self._text, span[1]), written[1:])
                template.value = "\n".join(line[comment.margin :] for line in written[1:])
                return comment
        source = "\n".join(written).rstrip("\n") + "\n"
        template = _inside(_parsed(source), entries)
        # The template is the value alone, without its key or dash.
        start, end = template.start, template.end
        if is_block_scalar(template):
            end = len(source)
        _check(template, entry.node, source[start:end])
        if source[end:].strip():
            raise _NoTemplateError("something stands behind the template: write it above `# expand:`")
        return TemplateComment(entry, span, template, source, is_above=True)

    def _margin(self, entry: FieldEntry, line: int, written: list[str]) -> int:
        """Return by how many spaces the lines of a literal block's template are indented more than its entry.

        First the block's own indentation is tried, or the usual one for a text in quotes, and then any other that fits.
        """
        scalar = resolved(entry.node)
        assert isinstance(scalar, Scalar)  # noqa: S101 - a block's template is a text, and so is its field
        least: int = min((len(one) - len(one.lstrip(" ")) for one in written if one.strip()), default=0)
        indent = lines.past_blanks(self._text, line) - line
        likely: int = lines.margin(self._text, scalar) - indent if is_block_scalar(scalar) else _USUAL
        margins: list[int] = [one for one in (likely, *range(least + 1)) if 0 <= one <= least]
        text = patterns.MatchedText(entry.place[-1], scalar.value, apart=True)
        fitting = (one for one in margins if any(text.readings([line[one:] for line in written], {})))
        return next(fitting, margins[0])


def _span(text: str, root: Node | None) -> tuple[int, int]:
    """Return the lines of an object, with the comments above its first entry and below its last one."""
    if not isinstance(root, Collection):
        return 0, 0
    start = lines.line_start(text, root.start)
    start = lines.loose_above(text, start) if lines.is_first(text, root.start) else start
    return start, lines.past_deeper_comments(text, lines.line_below(text, root), root.column - 1)


def _start(text: str, leaf: Scalar | Alias) -> int:
    """Return where the text of a leaf starts: for a block, behind the line with its header."""
    return lines.next_line(text, lines.body(text, leaf)) if is_block_scalar(leaf) else leaf.start


def _blanks(text: str, position: int) -> int:
    """Return the start of the blanks that end at a position."""
    while text[position - 1] in " \t":
        position -= 1
    return position


def _comment_behind(entry: FieldEntry, span: tuple[int, int], source: str) -> TemplateComment:
    """Return the template in the comment behind the value of an entry."""
    # Most templates are plain scalars, which need no parser. There may be thousands.
    is_plain = scalars.fits_plain(source, flow=False)
    template = Scalar(0, len(source), source, "", None, None) if is_plain else _parsed(source)
    if isinstance(template, Collection) and not template.flow:
        raise _NoTemplateError("it is an entry, and the field is a text: write the value alone")
    _check(template, entry.node, source)
    return TemplateComment(entry, span, template, source, is_above=False)


def _parsed(source: str) -> Node:
    try:
        root = parser.parse(source).root
    except ParseError as error:
        raise _NoTemplateError(f"it cannot be read: {error.problem}") from None
    if root is None:
        raise _NoTemplateError("it cannot be read: nothing stands there")
    return root


def _inside(root: Node, entries: list[FieldEntry]) -> Node:
    """Return the value in a template that begins with the keys and dashes of `entries`, which share a line."""
    for entry in entries:
        step = entry.place[-1]
        if entry.parent.flow and isinstance(step, int):
            break  # in brackets no dash stands before an element
        key = next(iter(root.entries), None) if isinstance(root, Mapping) else 0 if isinstance(root, Sequence) else None
        is_one = isinstance(root, Collection) and not root.flow and len(root.kids) == (1 if key == 0 else 2)
        if not is_one or isinstance(step, int) is not isinstance(root, Sequence) or key not in (step, 0):
            there = "a dash" if isinstance(step, int) else f"`{step}:`"
            raise _NoTemplateError(f"it has to begin as the entry below it does, with {there}")
        assert isinstance(root, Collection)  # noqa: S101 - `is_one` is true
        root = root.kids[-1]
    return root


def _check(template: Node, node: Node, source: str) -> None:
    """Raise _NoTemplateError if `template` cannot be the template of `node`."""
    if any(is_shared(one) for one in every(template)):
        raise _NoTemplateError("a template has no alias, anchor, tag or `<<`: leave these to the field")
    if _kind(template) != _kind(node):
        raise _NoTemplateError(f"it is {_kind(template)}, and the field is {_kind(node)}")
    if isinstance(template, Scalar) and not is_block_scalar(template) and template.end - template.start != len(source):
        raise _NoTemplateError("something stands behind the template: write it in front of `# expand:`")
    keys = (key for one in every(template) if isinstance(one, Mapping) for key in one.kids[::2])
    if any("$(" in (key.value or "") for key in keys):
        raise _NoTemplateError("a key cannot have a reference")


def is_shared(node: Node | Collection) -> bool:
    """True if a node has an anchor or a tag, is an alias, or has `<<`."""
    is_merge = isinstance(node, Mapping) and "<<" in node.entries
    return isinstance(node, Alias) or node.anchor is not None or node.tag is not None or is_merge


def every(node: Node | Collection) -> Iterator[Node | Collection]:
    """Yield a node and all below it."""
    yield node
    for kid in node.kids if isinstance(node, Collection) else ():
        yield from every(kid)


def _kind(node: Node) -> str:
    if isinstance(node, Collection):
        shape = "a mapping" if isinstance(node, Mapping) else "a list"
        return f"{shape} in brackets" if node.flow else f"{shape} in block style"
    return "an alias" if isinstance(node, Alias) else "a text"
