"""Reading: the comments of an object that are templates, and the field of each.

docs/reference/runs-in-place.md, "What is a template".
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import partial

from krm import syntax
from krm.template_comments import patterns
from krm.yamltree import lines, nodes, parser, positions, scalars, style
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

OF_OTHERS = re.compile(r"#[ \t]*(kpt-set:|kpt-merge:|from-param:|\{[ \t]*\")")
"""The begin of a comment of setters, kpt or Flux. These read their data up to the end of the line."""

NEARLY = re.compile(r"#(?<![^\s#]#)(?! expand:)[ \t]*+(?i:expand)(?:[ \t]*+:|[ \t]++[^\s#]++[ \t]*+\r?$)", re.MULTILINE)
"""A misspelt mark. Without the colon only one word may follow: `# expand the disk` is a remark."""
_MARKED = re.compile(f"{MARK}|{NEARLY.pattern}", re.MULTILINE)

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
    span of the comment, with the blanks ahead of it or as whole lines, and `removal` is the edit that takes it away.
    """

    def __init__(self, place: Place, node: Node, span: tuple[int, int], template: Node, source: str) -> None:
        self.place = place
        self.node = node
        self.start, self.end = span
        self.removal = Edit(*span, "")
        self.template = template
        self.source = source
        self.margin = _USUAL

    @property
    def lines(self) -> list[str] | None:
        """The lines of a template that is a literal block, None for any other template."""
        template = self.template
        return template.value.split("\n") if isinstance(template, Scalar) and template.style == "|" else None

    def literal(self, value: str) -> tuple[Scalar, str]:
        """Return a literal block with the text `value`, in the style of the template, and its source."""
        return literal(value, lines.header(self.source, self.template), self.margin)  # type: ignore[arg-type]  # a block


def literal(value: str, header: str = "", margin: int = _USUAL) -> tuple[Scalar, str]:
    """Return a literal block with the text `value`, and its source."""
    kept = ("-", "", "+")[min(len(value) - len(value.rstrip("\n")), 2)]
    source = "\n".join([header or f"|{kept}", *style.indented(value.split("\n"), margin)])
    return Scalar(0, len(source), value, "|", None, None), source


class FieldEntry:
    """An entry of a mapping, or an element of a list: its value `node`, at `place`, in `parent`.

    `value` is the value, or what it is an alias of.
    """

    def __init__(self, place: Place, parent: Collection, node: Node) -> None:
        self.place = place
        self.parent = parent
        self.node = node
        self.value: Scalar | Mapping | Sequence = resolved(node)  # type: ignore[assignment]  # no alias is of nothing

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
        if old is not None and old.start > self.node.start:
            return [*made, Edit(old.end, old.end, text[old.start : lines.past_blanks(text, old.start)] + written[0])]
        end = self.end(text)
        behind = lines.comment_at(text, end).rstrip(" \t")
        end += len(behind)
        return [*made, Edit(end, end, (" " if behind else " " * blanks) + written[0])]


class _NoTemplateError(Exception):
    """The comment has a reference, but it is no template. The message says why."""


def marked(items: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the objects whose text, as it was read, has the mark or a misspelt mark."""
    return (item for item in items if item.matches(_MARKED))


def templates(text: str, root: Node | None) -> MarkedComments:
    """Return the comments of the object at `root` that have the mark or a misspelt mark."""
    # Most objects have none, and cost this search alone.
    return MarkedComments(text, root if _MARKED.search(text) else None).read()


def places(item: Resource) -> dict[int, list[Place]]:
    """Return the places of each node of an item with aliases or `<<`, by its `id`: by these it has several."""
    found: dict[int, list[Place]] = {}
    for place, node in nodes.placed(item.editor.get(item.base), ()) if item.editor.document.shares else ():
        found.setdefault(id(node), []).append(place)
    return found


def is_owned(text: str, ink: int, node: Node | None = None) -> bool:
    """True if another tool reads a comment directly above the entry at `ink`, or behind its value `node`."""
    above = text[lines.own_comments(text, ink, lines.column(text, ink), 0) : lines.line_start(text, ink)]
    behind = ""
    if node is not None:
        behind = lines.comment_inside(text, node) if is_block_scalar(node) else lines.comment_in(text, node.end)
        behind = text[ink : node.start] + behind
    # Setters read no comment that is beside one of ours. JSON in a template would look like a comment of Flux.
    return OF_OTHERS.search(f"{above.partition(MARK)[0]}\n{behind.partition(MARK)[0]}") is not None


def is_on_one_line(text: str, node: Node | Collection) -> bool:
    """True if a node is a scalar that is written on one line."""
    return isinstance(node, Scalar) and not is_block_scalar(node) and "\n" not in text[node.start : node.end]


class MarkedComments:
    """The comments with a mark in the text of an object: `templates`, by the places of their fields, and the others.

    Those that are no template are `unplaced`: the field next to each, what is wrong with it, and the edit that removes
    it. `of_others` are the fields that have a comment of another tool, too. `marks` has the position of the mark in
    each line with one, by the start of the line.
    """

    def __init__(self, text: str, root: Node | None, mark: str = MARK) -> None:
        self.templates: dict[Place, TemplateComment] = {}
        self.unplaced: list[tuple[Place, str, Edit]] = []
        self.of_others: list[Place] = []
        self._text = text
        self._root = root
        self._comments = [*lines.loose_comments(text, *_span(text, root), root)] if isinstance(root, Collection) else []
        self.marks = self._first(re.compile(re.escape(mark)))
        self._fields: dict[int, Place] = {}

    def read(self) -> MarkedComments:
        """Read the comments as templates: fill `templates`, `unplaced` and `of_others`."""
        found: list[tuple[bool, int, int, list[str], int]] = []
        stop = 0
        for line, mark in sorted((self._first(NEARLY) | self.marks).items()):
            # A mark within a template, or below a misspelt mark, is a part of that template.
            if line < stop:
                continue
            below: list[str] = []
            is_above = _LEAD.fullmatch(self._text, line, mark) is not None
            if is_above:
                below, stop = self._lines_below(lines.next_line(self._text, mark))
            found.append((is_above, line, mark, below, stop))
        # Comments behind a value come first: of two templates of one field, that one counts.
        for is_above, line, mark, below, stop in sorted(found):
            try:
                self._add(line, mark, below, stop, is_above=is_above)
            except _NoTemplateError as error:
                start = line if is_above else line + len(self._text[line:mark].rstrip(" \t"))
                removal = Edit(start, stop if is_above else lines.line_end(self._text, mark), "")
                self.unplaced.append((self.near(line), str(error), removal))
        return self

    def ending_in(self, line: int) -> list[FieldEntry]:
        """Return the last entry of a line, if its value begins and ends there. A comment may follow."""
        found = [entry for _, entry in self._entries(lines.line_end(self._text, line))[-1:]]
        found = [one for one in found if isinstance(one.node, Scalar) and one.ends_line(self._text)]
        return [one for one in found if lines.line_start(self._text, one.node.end) == line]

    def near(self, line: int) -> Place:
        """Return the field in a line or around it; for a line without any, that of the next one. None is read twice."""
        found, passed = self.ending_in(line), []
        while not found and line < len(self._text) and line not in self._fields:
            passed.append(line)
            ink = lines.past_blanks(self._text, line)
            # The last line of a text of several lines, or of brackets, is a part of their field.
            is_within = self._text[ink : ink + 1] not in ("#", "\r", "\n", "")
            around = [entry for _, entry in self._entries(ink) if is_within and not entry.parent.flow]
            found = self._at(line) or around[-1:]
            line = lines.next_line(self._text, line)
        place = found[-1].place if found else self._fields.get(line, ())
        self._fields |= dict.fromkeys(passed, place)
        return place

    def _first(self, pattern: re.Pattern[str]) -> dict[int, int]:
        """Return where a pattern is first found in the comment of each line, by the start of the line."""
        found: dict[int, int] = {}
        for start, comment in self._comments:
            if one := pattern.search(self._text, start, start + len(comment)):
                found.setdefault(lines.line_start(self._text, start), one.start())
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

    def _at(self, line: int) -> list[FieldEntry]:
        """Return the entries that begin in a line, the outer ones first. In brackets only the first one counts."""
        end, ink = lines.line_end(self._text, line), lines.past_blanks(self._text, line)
        found = [entry for start, entry in self._entries(end) if start >= line and not entry.parent.flow]
        return found or [entry for start, entry in self._entries(ink) if start == ink][:1]

    def _add(self, line: int, mark: int, below: list[str], stop: int, *, is_above: bool) -> None:
        """Add the comment at `mark`. _NoTemplateError if it refers to a name and is no template.

        A comment above entries goes on with the lines `below`, and the entries begin at `stop`.
        """
        text, end = self._text, lines.line_end(self._text, mark)
        if not syntax.refers("\n".join([text[mark:end], *below])):
            return
        if not text.startswith(MARK, mark):
            raise _NoTemplateError(f"it has to begin exactly with `{MARK} `")
        written = text[mark + len(MARK) : end].lstrip(" \t")
        if text[mark:end] == MARK + written:
            raise _NoTemplateError(f"a blank is missing behind `{MARK}`")
        entries = self._at(stop) if is_above else self.ending_in(line)
        if not entries:
            raise _NoTemplateError(_ABOVE_NOTHING if is_above else _BEHIND_NOTHING)
        ink = lines.past_blanks(text, stop if is_above else line)
        if is_above and mark - line != ink - stop:
            raise _NoTemplateError(_ABOVE_ELSEWHERE.format(mark - line + 1, ink - stop + 1))
        place, node = entries[-1].place, entries[-1].node
        if is_owned(text, ink, node):
            self.of_others.append(place)
            return
        # Blanks at the end of the line stay when a comment behind a value is removed.
        span = line + len(text[line:mark].rstrip(" \t")), line + len(text[line:end].rstrip(" \t"))
        if is_above:
            span = (line, stop) if lines.is_first(text, mark) else (mark, ink)
        comment = self._comment(entries, [written, *below], span, is_above=is_above)
        if any(place[:length] in self.templates for length in range(1, len(place) + 1)):
            raise _NoTemplateError("this field has another template: remove one of the two")
        if nodes.written_at(self._root, place) is not node:
            raise _NoTemplateError("no path leads to this field: it has a key that is an alias, or is no text")
        self.templates[place] = comment

    def _lines_below(self, start: int) -> tuple[list[str], int]:
        """Return the comment lines from `start` on that continue a template, and the position behind them."""
        found: list[str] = []
        while start not in self.marks and (line := _ABOVE.match(self._text, start)) and line.end() > start:
            found.append(line["text"] or "")
            start = line.end()
        return found, start

    def _comment(
        self, entries: list[FieldEntry], written: list[str], span: tuple[int, int], *, is_above: bool
    ) -> TemplateComment:
        """Return the template that is `written` in the lines of a comment above entries, or behind the value of one."""
        place, node = entries[-1].place, entries[-1].node
        if is_above and isinstance(node, Scalar) and (header := _HEADER.fullmatch(written[0])):
            try:
                template = _inside(_parsed(header[1]), entries)
                if isinstance(template, Scalar) and template.style == "|":
                    comment = TemplateComment(place, node, span, template, header[1])
                    comment.margin = self._margin(comment, node, written[1:])
                    template.value = "\n".join(line[comment.margin :] for line in written[1:])
                    return comment
            except _NoTemplateError:
                pass  # a text in quotes, whose first line ends like this, is no header, and cannot be read alone
        # At the end of a text without a line end a folded block has none, either.
        end = "\n" if node.end < len(self._text) or self._text.endswith("\n") else ""
        source = "\n".join(written) + end if is_above else written[0].rstrip(" \t")
        # The template is the value alone: above an entry its key or dash is ahead of it.
        template = _inside(_parsed(source), entries if is_above else [])
        if isinstance(template, Collection) and not template.flow and not is_above:
            raise _NoTemplateError("it is an entry, and the field is a text: write the value alone")
        if not is_repeatable(template):
            raise _NoTemplateError("a template has no alias, anchor, tag or `<<`, and no reference in a key")
        if _kind(template) != _kind(node):
            raise _NoTemplateError(f"it is {_kind(template)}, and the field is {_kind(node)}")
        if not is_block_scalar(template) and source[template.end :].strip():
            where = "above" if is_above else "in front of"
            raise _NoTemplateError(f"something stands behind the template: write it {where} `{MARK}`")
        return TemplateComment(place, node, span, template, source)

    def _margin(self, comment: TemplateComment, scalar: Scalar, written: list[str]) -> int:
        """Return by how many spaces the lines of a literal block's template are indented more than its entry.

        First the block's own indentation is tried, or the usual one for a text in quotes, and then any other that fits.
        """
        least: int = min((len(one) - len(one.lstrip(" ")) for one in written if one.strip()), default=0)
        indent = lines.indentation(self._text, comment.end)
        likely: int = lines.margin(self._text, scalar) - indent if is_block_scalar(scalar) else _USUAL
        margins: list[int] = [one for one in (likely, *range(least + 1)) if 0 <= one <= least]
        text = patterns.MatchedText(comment.place[-1], scalar.value, apart=True)
        # No other block begins with a blank.
        is_numbered = comment.source.rstrip("+-")[-1:].isdigit()
        for margin in margins:
            template = [line[margin:] for line in written]
            readings = next(text.readings(template, {}), [])
            if readings and (is_numbered or text.template(readings[0][0], template).lstrip("\n")[:1] != " "):
                return margin
        return margins[0]


def _span(text: str, root: Collection) -> tuple[int, int]:
    """Return the lines of an object, with the comments above its first entry and below its last one."""
    start = lines.line_start(text, root.start)
    start = lines.loose_above(text, start) if lines.is_first(text, root.start) else start
    return start, lines.past_deeper_comments(text, lines.line_below(text, root), root.column - 1)


def _parsed(source: str) -> Node:
    # Most templates are plain scalars, which need no parser. There may be thousands.
    if scalars.fits_plain(source, flow=False):
        return Scalar(0, len(source), source, "", None, None)
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
        found = positions.entries(root) if isinstance(root, Collection) and not root.flow else []
        if [0 if len(one) == 1 else one[0].value for one in found] != [0 if isinstance(step, int) else step]:
            there = "a dash" if isinstance(step, int) else f"`{step}:`"
            raise _NoTemplateError(f"it has to begin as the entry below it does, with {there}")
        root = found[0][-1]
    return root


def is_repeatable(node: Node) -> bool:
    """True if a node may be a template: it has no alias, anchor, tag or `<<`, and no reference in a key."""
    is_odd = any(one.tag is not None or "$(" in str(place[-1:]) for place, one in nodes.placed(node, ()))
    return positions.is_self_contained(node) and not is_odd


def _kind(node: Node) -> str:
    if isinstance(node, Collection):
        shape = "a mapping" if isinstance(node, Mapping) else "a list"
        return f"{shape} in brackets" if node.flow else f"{shape} in block style"
    return "an alias" if isinstance(node, Alias) else "a text"
