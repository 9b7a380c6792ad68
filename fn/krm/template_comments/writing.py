"""Writing: fields get comments with their templates, behind or above them, or get the templates back.

    image: nginx:$(TAG)         becomes     image: nginx:1.27 # expand: nginx:$(TAG)
    command: [sh, "$(X)"]       becomes     # expand: command: [sh, "$(X)"]
                                            command: [sh, "x"]

docs/reference/runs-in-place.md, "The comment", "Undo".
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

from krm import syntax
from krm.template_comments import reading
from krm.template_comments.memory import EDITED_BY_HAND, Memory
from krm.template_comments.reading import FieldEntry
from krm.yamltree import Verbatim, cuts, edits, lines, nodes, positions, scalars, splices, style
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, is_block_scalar
from krm.yamltree.target import Rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Collection as Set

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.template_comments.memory import TemplateField
    from krm.template_comments.reading import TemplateComment
    from krm.yamltree.nodes import Node

_LONGEST = 20
"""How many lines of a folded text, or of one in quotes, a comment may have. Nobody would compare more of them."""

_ESCAPES = {0x2028: r"\L", 0x2029: r"\P"}
"""The escapes of double quotes for the line breaks that would end a comment."""

_STAYS = "this cannot be read beside the template in its comment: it stays as it is, with its comment"

_reads_as_json = lru_cache(1)(cuts.is_json)  # each field of an item asks


class NoRoomError(Exception):
    """The field can have no comment. The message says why."""


class OwnedError(Exception):
    """Another tool reads a comment in the line of the field."""


class Rendered:
    """The new text of a field: its template, a scalar of the text `source`, with `changes`.

    A text that is no string is written `verbatim`.
    """

    def __init__(self, source: str, template: Scalar, changes: list[Edit], verbatim: Verbatim | None = None) -> None:
        self.source = source
        self.template = template
        self.changes = changes
        self.text = edits.apply(template.value, changes) if changes else template.value
        self.verbatim = verbatim

    def changes_of(self, entry: FieldEntry) -> list[Edit]:
        """Return the changes that turn the text of an entry into the new text."""
        return self.changes if entry.value is self.template else edits.difference(entry.text, self.text)

    def edits(self, text: str, entry: FieldEntry) -> list[Edit]:
        """Return the edits that write the new text into a field: line by line, or in the style of its template."""
        node, flow = entry.node, entry.parent.flow
        if not isinstance(node, Scalar):
            return []  # it is an alias, and the text is written at its anchor
        if self.verbatim is None and not reading.is_on_one_line(text, node):
            # The lines in which nothing changes keep their bytes. A change over several is written as the template is.
            found = splices.in_place(text, Rewritten(node, self.changes_of(entry)), flow=flow)
            if found and not any("\n" in text[one.start : one.end] for one in found):
                return found
        written: str | None = self.verbatim
        # No block can stand in brackets, and one with `+` takes in the blank lines below, be they its text or not.
        if written is None and is_block_scalar(self.template) and (flow or self._ends_otherwise(text, node)):
            written = scalars.leaf(self.text, flow=flow)
        if written is None:
            made = splices.spelled(self.source, Rewritten(self.template, self.changes), flow=flow)
            # Only the part with the template is copied: the source may be an object with thousands of fields.
            start, end = lines.body(self.source, self.template), lines.ink_end(self.source, self.template)
            written = edits.part(self.source, start, end, made)
        if node.start == node.end:
            return [splices.put_one_line(text, entry.parent, node, written)]
        start, end = lines.body(text, node), lines.ink_end(text, node)
        # The template in a comment is at column 0, and that of a generated resource at its margin there.
        is_below = lines.is_first(self.source, self.template.start)
        margin = 0 if is_below else lines.indentation(self.source, self.template.start)
        first, *others = [style.moved_left(line, margin) for line in written.split("\n")]
        old, new = lines.header(text, node), lines.header(self.source, self.template) if others else ""
        if old or new:
            # What stands behind the header of a block stands behind a text in quotes, and the other way round.
            at = start + len(old) if old else end
            behind = text[at : lines.line_end(text, at)]
            first, end = (new or first) + behind, max(end, at + len(behind))
        ink = entry.ink(text)
        return [Edit(start, end, positions.joined(text, ink, [first, *others], lines.column(text, ink)))]

    def _ends_otherwise(self, text: str, node: Scalar) -> bool:
        """True for a block that keeps the blank lines below it, if those below `node` are not the end of its text."""
        end = lines.line_end(text, lines.ink_end(text, node))
        kept, below = self.text.rstrip("\n"), text.count("\n", end, lines.first_character(text, end))
        return lines.keeps_blank_lines(self.source, self.template) and self.text != kept + below * "\n"


def commented_entries(item: Resource, places: Iterable[Place]) -> dict[Place, FieldEntry]:
    """Return the entry that gets the comment of each field: its own, or the one around it that begins the line.

    Fields in one such entry share its comment, unless comments of an author stand inside. An object on one line has no
    such entry. Then it is the outermost entry, which has no place for a comment.
    """
    text, found = item.editor.text, {}
    for place in places:
        for one in _around(item.root, place):
            found[place] = one
            if one.ends_line(text) or one.begins_line(text):
                break
    # Each is searched once: brackets on one line may be around thousands of fields.
    entries = {one.place: one for one in found.values()}
    taken = {place: one for place, one in entries.items() if not lines.has_comments(text, one.value)}
    ways = {place: [taken.get(place[:length]) for length in range(1, len(place))] for place in found}
    return {place: next(filter(None, ways[place]), one) for place, one in found.items()}


def _around(root: Node | None, place: Place) -> Iterator[FieldEntry]:
    """Yield the entry of a field, and then the entries around it. For a field behind an alias they are the anchor's."""
    for length in range(len(place), 0, -1):
        parent, step = nodes.at(root, *place[: length - 1]), place[length - 1]
        kid = nodes.kid(parent, step)
        while isinstance(parent, Mapping) and parent.entries.get(str(step)) is None:
            parent = next(one for one in parent.merged() if one.get(str(step)) is kid)
        assert isinstance(parent, Collection) and kid is not None  # noqa: S101, PT018 - the place was found
        yield FieldEntry(place[:length], parent, kid)


def comment(item: Resource, of: FieldEntry, written: Iterable[str], old: TemplateComment | None) -> list[str]:
    """Return the comment of an entry whose value is still the template: one line behind it, or lines above it.

    The template of a literal block has only its lines `written`, also if the block stands in quotes beside its `old`
    template. NoRoomError if the template cannot stand in a comment, OwnedError if another tool reads a comment there.
    """
    text, root = item.editor.text, item.root
    in_brackets = text[root.start : root.end] if isinstance(root, Collection) and root.flow else ""
    if (item.file or "").endswith(".json") or _reads_as_json(in_brackets):
        raise NoRoomError("JSON has no comments")
    node, ink = of.value, of.ink(text)
    # The comment above the dash of an object in a list belongs to the list, not to the object.
    if not of.ends_line(text) and (root is None or ink < root.start or not of.begins_line(text)):
        raise NoRoomError("its object begins on the same line: write its fields on lines of their own")
    body, end, head = lines.body(text, node), lines.ink_end(text, node), text[ink : of.node.start]
    if reading.is_owned(text, ink, node):
        raise OwnedError
    _require_breaks(item, of, body, end)
    written_here = text[body:end].translate(_ESCAPES)
    if isinstance(node, Scalar) and node.style == ">" and lines.keeps_blank_lines(text, node):
        written_here += "\n" * (len(node.value) - len(node.value.rstrip("\n")) - 1)
    if isinstance(node, Scalar) and node.style == "|":
        if "\n" in head:
            raise NoRoomError("the block begins below the line of its key")
        deeper = " " * (lines.margin(text, node) - lines.column(text, ink))
        first, below = head + lines.header(text, node), [f"# {deeper}{line}" for line in written]
    elif old is not None and old.lines is not None:
        first, below = old.source, [f"# {' ' * old.margin}{line}" for line in written]
    elif of.ends_line(text):
        first, below = written_here, []
    else:
        first, below = _whole(text, of, head + written_here)
    if not syntax.refers("\n".join([first, *below])):
        raise NoRoomError("an escape of its quotes spells its `$(`, and no comment would show that: write `$(` there")
    # A reader would take such a line for another template.
    if any(reading.MARK in line for line in below):
        raise NoRoomError(f"one of its lines has `{reading.MARK}`, which begins another template")
    return [f"{reading.MARK} {first}", *below]


def _require_breaks(item: Resource, of: FieldEntry, body: int, end: int) -> None:
    """Refuse, by NoRoomError, line breaks other than LF and CRLF in a value, and on a line that goes on behind it."""
    text, node = item.editor.text, of.value
    # In double quotes U+0085 is read as a space between words. The other two are read as they are.
    odd = {ord(found[0]) for found in lines.ODD_BREAKS.finditer(text, body, end)}
    if odd and not (odd <= _ESCAPES.keys() and isinstance(node, Scalar) and node.style == '"'):
        raise NoRoomError("a line break of another kind than LF and CRLF stands in it, which would end the comment")
    line, root = (lines.line_start(text, of.ink(text)), lines.line_end(text, end)), item.editor.document.root
    if not of.ends_line(text) and lines.ODD_BREAKS.search(text, *line) and lines.odd_break(text, root) is not None:
        raise NoRoomError(lines.ODD)


def _whole(text: str, of: FieldEntry, written: str) -> tuple[str, list[str]]:
    """Return the lines of an entry that is repeated as it is written."""
    node, margin = of.value, lines.column(text, of.ink(text))
    if isinstance(node, Collection) and not reading.is_repeatable(node):
        raise NoRoomError("brackets with an alias, an anchor, a tag, `<<` or a `$(` in a key cannot stand in a comment")
    if "#" in text[of.ink(text) : of.node.start] or (isinstance(node, Collection) and lines.has_comments(text, node)):
        raise NoRoomError("a comment stands inside of it")
    first, *others = written.replace("\r", "").split("\n")
    if isinstance(node, Scalar) and len(others) >= _LONGEST:
        raise NoRoomError(f"it has more than {_LONGEST} lines: write it as a block with `|`")
    if any(line[:margin].strip(" ") for line in others):
        raise NoRoomError("its lines are not indented as its entry is")
    return first, [f"# {line[margin:]}" if line[margin:] else "#" for line in others]


def write(
    item: Resource,
    fields: dict[Place, Rendered],
    there: dict[Place, TemplateComment],
    gone: Set[Place],
    given: Iterable[tuple[FieldEntry, list[str]]] = (),
) -> None:
    """Write the new texts of fields, and the lines of the comments that entries are `given`, in one edit.

    Of the comments that are `there`, those of the entries `gone` are removed. A RuntimeError if a comment that is
    written or kept is not read as a template again.
    """
    parted = _free_aliases(item, fields) if item.editor.document.shares else {}
    if parted:
        # The text was parsed again: each node is a new one, and an alias may have become a text.
        there = reading.templates(item.editor.text, item.root).templates
        given = [(next(_around(item.root, of.place)), new) for of, new in given]
    # The comment of a shared value stands at its anchor, and not at its aliases.
    given = {id(of.node): (of, new) for of, new in given if not isinstance(of.node, Alias)}.values()
    text = item.editor.text
    entries = {place: next(_around(item.root, place)) for place in fields}
    # A field that has its new text is not edited: so it also keeps its type.
    fields = {place: field for place, field in fields.items() if entries[place].text != field.text}
    made: list[Edit] = []
    # In a list that is parsed as a whole, the values that were shared are written at its end.
    for place in [place for place in fields if item.pending is None or place not in parted]:
        try:
            made += fields[place].edits(text, entries[place])
        except EditError as error:
            raise item.refused(error, place) from None
    made += [there[place].removal for place in gone]
    before = {one.node.start: one for one in there.values()} if given else {}
    blanks = _gap(text, item.root) if given else 1
    for of, new in given:
        made += of.commented(text, new, before.get(of.node.start), blanks)
    item.splice([*dict.fromkeys(made)])
    # kpt and kustomize would put a comment back that they know from the input.
    if gone:
        item.drop_ids()
    if item.pending is not None:
        # A list that is parsed as a whole is written once, at the end. A container may read this ConfigMap before that.
        styles = {place: '"' if field.verbatim is None else "" for place, field in fields.items()}
        item.show({place: Scalar(0, 0, fields[place].text, style, None, None) for place, style in styles.items()})
    # For edits within a line `splice` has counted the events: they are values and comments, and nothing else.
    elif any("\n" in edit.text for edit in made):
        _prove(item, [new for _, new in given], there.keys() - gone)


def rewrite_comment(item: Resource, own: TemplateComment, fields: dict[Place, TemplateField]) -> None:
    """Write the comment of brackets again, in which more has changed than the texts of `fields`.

    The templates are put into the text, so that it says what the comment has to say, and then the present texts again.
    Brackets that have no place for a comment any more lose it.
    """
    present = {place: next(_around(item.root, place)).value for place in fields}
    shown = {place: Rendered(one.source, one.substitute or one.template, []) for place, one in fields.items()}
    write(item, shown, {own.place: own}, [own.place])
    entries = {of.place: of for of in commented_entries(item, fields).values()}
    try:
        given = [(of, comment(item, of, (), None)) for of in entries.values()]
    except (NoRoomError, OwnedError):
        given = []
    back: dict[Place, Rendered] = {}
    for place, was in present.items():
        there: Scalar = next(_around(item.root, place)).value  # type: ignore[assignment]  # a template is a scalar
        verbatim = None if isinstance(scalars.data(was), str) else Verbatim(was.value)
        back[place] = Rendered(item.editor.text, there, edits.difference(there.value, was.value or ""), verbatim)
    write(item, back, {}, (), given)


def _free_aliases(item: Resource, fields: dict[Place, Rendered]) -> dict[Place, None]:
    """Write out the values that fields share with another field, object or key that does not get the same text.

    Return these fields.
    """
    parted: dict[Place, None] = {}
    entries = {place: next(_around(item.root, place)) for place in fields}
    document = item.editor.document
    own = _below([item.root])
    outside: list[Node | None] = [one.target for one in document.aliases if not {id(one), id(one.target)} <= own]
    elsewhere = _below(outside, follows=True)
    for places in reading.places(item).values():
        changed = [place for place in places if place in fields and entries[place].text != fields[place].text]
        texts = {(fields[place].text, fields[place].verbatim) for place in changed}
        is_own = any(not isinstance(entries[place].node, Alias) for place in changed)
        is_elsewhere = any(id(entries[place].value) in elsewhere for place in changed)
        if changed and (len(texts) > 1 or len(changed) < len(places) or not is_own or is_elsewhere):
            parted |= dict.fromkeys(changed)
    rewritten = {place: fields[place].changes_of(entries[place]) for place in parted if fields[place].verbatim is None}
    if rewritten:
        item.rewrite(rewritten)
    for place in parted:
        if (verbatim := fields[place].verbatim) is not None:
            item.set(place, verbatim)
    return parted


def _prove(item: Resource, given: Iterable[list[str]], kept: Set[Place]) -> None:
    """Raise a RuntimeError if a comment that was `given`, or one that is `kept`, is not read as a template again."""
    text = item.editor.text
    found = reading.templates(text, item.root).templates
    texts = Counter(" ".join(text[one.start : one.end].split()) for one in found.values())
    missing = Counter(" ".join(" ".join(written).split()) for written in given) - texts
    if missing or not {*kept} <= found.keys():
        raise RuntimeError("a template is not read as it was written")


def _below(waiting: list[Node | None], *, follows: bool = False) -> set[int]:
    """Return the `id` of nodes, of the values below them, and of what aliases show if it `follows` these."""
    found: set[int] = set()
    while waiting:
        node = waiting.pop()
        if id(node) not in found:
            found.add(id(node))
            shown = [node.target] if follows and isinstance(node, Alias) else []
            waiting += node.kids[1::2] if isinstance(node, Mapping) else getattr(node, "kids", shown)
    return found


def restore(items: Iterable[Resource], note: Callable[[str, Resource, Place, str], None]) -> list[Result]:
    """Put the templates of items back, and return a warning for each field that does not match its template.

    `note` is called with each name that is put back into a field, and with the text that it replaces.
    """
    results: list[Result] = []
    for item in reading.marked(items):
        memory = Memory.of(item)
        results += memory.results
        fields: dict[Place, Rendered] = {}
        gone: set[Place] = set()
        for own in memory.comments.values():
            parts = memory.parts[own.place]
            back = {one.place: Rendered(one.source, one.substitute, []) for one in parts if one.substitute is not None}
            if len(back) < len(parts):
                results.append(item.notice(_STAYS, EDITED_BY_HAND, own.place))
                continue
            fields |= back
            gone.add(own.place)
            for one in parts:
                for name, text in one.texts.items():
                    note(name, item, one.place, text)
        write(item, fields, memory.comments, gone)
        item.release()
    return results


def forget(items: Iterable[Resource]) -> None:
    """Remove the comments that are templates. Each field keeps its text."""
    for item in reading.marked(items):
        found = reading.templates(item.editor.text, item.root).templates
        item.splice([one.removal for one in found.values()])
        item.release()


def _gap(text: str, root: Node | None) -> int:
    """Return how many spaces an object has before its first comment behind a value, 1 if it has none."""
    leaves = nodes.leaves(root) if " #" in text and root is not None else ()
    found = (lines.comment_at(text, leaf.end) for leaf in leaves if not is_block_scalar(leaf))
    return next((len(one) - len(one.lstrip(" ")) for one in found if one.startswith(" ")), 1)
