"""The comments that fields get, and templates that go back into their fields.

    image: nginx:$(TAG)         becomes     image: nginx:1.27 # expand: nginx:$(TAG)
    command: [sh, "$(X)"]       becomes     # expand: command: [sh, "$(X)"]
                                            command: [sh, "x"]

docs/runs-in-place.md, "The comment".
"""

from __future__ import annotations

import json
from functools import lru_cache

from krm.references import comments
from krm.references.comments import Entry
from krm.yamltree import aliases, edits, lines, nodes, scalars, splices
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, is_block_scalar, resolved
from krm.yamltree.scalars import Verbatim
from krm.yamltree.target import Rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection as Set
    from collections.abc import Iterable

    from krm.fieldpath import Place
    from krm.references.comments import Reference
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

_LONGEST = 20
"""The lines of a folded text, or of one in quotes, that a comment may have: longer ones nobody compares."""


_ESCAPES = {0x2028: r"\L", 0x2029: r"\P"}
"""What a text in double quotes has for line breaks that would end a comment."""


class NoRoomError(Exception):
    """The field can have no comment. The message says why."""


class OwnedError(Exception):
    """Another tool reads a comment in the line of the field."""


class Rendered:
    """The new text of a field: what `changes` make of its template, a scalar of the text `source`.

    One that is no string is written `verbatim`.
    """

    __slots__ = ("changes", "source", "template", "text", "verbatim")

    def __init__(self, source: str, template: Scalar, changes: list[Edit], verbatim: Verbatim | None) -> None:
        self.source = source
        self.template = template
        self.changes = changes
        self.text = edits.apply(template.value, changes) if changes else template.value
        self.verbatim = verbatim

    @property
    def scalar(self) -> Scalar:
        """The field as readers see it. Nobody edits it, so that it stands nowhere."""
        return Scalar(0, 0, self.text, '"' if self.verbatim is None else "", None, None)

    def written(self, *, flow: bool) -> str:
        """Return the text as its template is written, with its quotes and escapes."""
        if self.verbatim is not None:
            return self.verbatim
        template = self.template
        if template.style == "|":
            return scalars.leaf(self.text, flow=flow)
        made = splices.spelled(self.source, Rewritten(template, self.changes), flow=flow)
        # Of the template alone: the source may be the text of an object with thousands of fields.
        start = lines.body(self.source, template)
        here = [Edit(one.start - start, one.end - start, one.text) for one in made]
        return edits.apply(self.source[start : lines.ink_end(self.source, template)], here)


def units(item: Resource, places: Iterable[Place]) -> dict[Place, Entry]:
    """Return what the comment of each field is about: the field alone, or the entry around it that begins its line.

    Fields in one such entry have one comment, but where its author's comments stand inside. An object on one line has
    no such entry: it is the outermost one, which has no place for a comment.
    """
    text, found = item.editor.text, {}
    for place in places:
        around = _around(item.root, place)
        found[place] = next((one for one in around if one.ends_line(text) or one.begins_line(text)), around[-1])
    taken = {one.place: one for one in found.values() if not lines.has_comments(text, one.value)}
    for place, one in found.items():
        above = (taken.get(place[:length]) for length in range(1, len(place)))
        found[place] = next(filter(None, above), one)
    return found


def _around(root: Node | None, place: Place) -> list[Entry]:
    """Return the entry of a field and those around it: where an alias shows it, those of the anchor."""
    found: list[Entry] = []
    node = resolved(root)
    for length, step in enumerate(place, 1):
        kid, parent = aliases.kid(node, step), node
        while isinstance(parent, Mapping) and parent.own(str(step)) is None:
            parent = next(one for one in parent.merged() if one.get(str(step)) is kid)
        assert isinstance(parent, Collection)  # noqa: S101 - the place was found
        assert kid is not None  # noqa: S101 - as above
        found.append(Entry(place[:length], parent, kid))
        node = resolved(kid)
    return found[::-1]


def comment(item: Resource, of: Entry, written: Iterable[str]) -> list[str]:
    """Return the comment of a unit whose template is the text that stands there: one line, or those above its entry.

    Of a literal block the template has the lines of `written` alone. NoRoomError where a template has no place in a
    comment, OwnedError where another tool reads one.
    """
    text = item.editor.text
    if _is_json(item):
        raise NoRoomError("JSON has no comments")
    if not (of.ends_line(text) or of.begins_line(text)):
        raise NoRoomError("the whole object stands on one line: write its fields on lines of their own")
    node, ink = of.value, of.ink(text)
    body, end, head = lines.body(text, node), lines.ink_end(text, node), text[ink : of.node.start]
    if comments.is_owned(text, ink, node):
        raise OwnedError
    # In double quotes a reader takes U+0085 for a space between words, and the other two for themselves.
    odd = {ord(found[0]) for found in lines.ODD_BREAKS.finditer(text, body, end)}
    if odd and not (odd <= _ESCAPES.keys() and isinstance(node, Scalar) and node.style == '"'):
        raise NoRoomError("a line break of another kind than LF and CRLF stands in it, which would end the comment")
    written_here = text[body:end].translate(_ESCAPES)
    if of.ends_line(text):
        return [f"{comments.MARK} {written_here}"]
    margin = lines.column(text, ink)
    if isinstance(node, Scalar) and node.style == "|":
        deeper = " " * (lines.margin(text, node) - margin)
        return [f"{comments.MARK} {head}{lines.header(text, node)}", *(f"# {deeper}{line}" for line in written)]
    if isinstance(node, Collection) and any(map(comments.is_shared, comments.every(node))):
        raise NoRoomError("brackets with an alias, an anchor, a tag or `<<` cannot be repeated in a comment")
    if "#" in head or (isinstance(node, Collection) and lines.has_comments(text, node)):
        raise NoRoomError("a comment stands inside of it")
    found = (head + written_here).replace("\r", "").split("\n")
    if isinstance(node, Scalar) and len(found) > _LONGEST:
        raise NoRoomError(f"it has more than {_LONGEST} lines: write it as a block with `|`")
    return [f"{comments.MARK} {found[0]}", *(_commented(line, margin) for line in found[1:])]


def _is_json(item: Resource) -> bool:
    """True if an item is JSON, by the name of its file or by its text."""
    if (item.file or "").endswith(".json"):
        return True
    root = item.root
    return isinstance(root, Collection) and root.flow and _reads_as_json(item.editor.text[root.start : root.end])


@lru_cache(1)  # each field of an item asks
def _reads_as_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def write(
    item: Resource,
    fields: dict[Place, Rendered],
    given: dict[Place, list[str]],
    gone: Set[Place] = frozenset(),
    kept: Set[Place] = frozenset(),
) -> None:
    """Write the new texts of fields, and give entries the comments of `given`.

    The comments of the entries `gone` go, and those of the entries `kept` stay.
    """
    fields = {place: field for place, field in fields.items() if not _says(item, place, field)}
    entries = units(item, given)
    above = {place for place, of in entries.items() if not of.ends_line(item.editor.text)}
    made = _edits(item, fields)
    if made is None:
        # An alias, or a text in a style that cannot hold the new one: the text may be another one behind that.
        whole = _on_one_line(item, fields, {*given, *kept})
        item.rewrite({place: _difference(item, place, one) for place, one in fields.items() if place not in whole})
        for place, written in whole.items():
            item.set(place, written)
        made, entries = [], units(item, given)
    if given or gone:
        made += _comments(item, {place: (entries[place], given[place]) for place in given}, above, gone)
    item.splice(made)
    if item.pending is not None:
        # The text of a list that is parsed whole changes once, at the end. A container reads a ConfigMap before that.
        item.show({place: field.scalar for place, field in fields.items()})
    # kpt and kustomize would put a comment back that they know from the input.
    if gone:
        item.drop_ids()


def shown(item: Resource) -> dict[int, list[Place]]:
    """Return the places that show each scalar, by its `id`: with aliases there may be several."""
    found: dict[int, list[Place]] = {}
    for place, node in nodes.placed(item.root, ()):
        if isinstance(node, Scalar):
            found.setdefault(id(node), []).append(place)
    return found


def _on_one_line(item: Resource, fields: dict[Place, Rendered], with_comments: Set[Place]) -> dict[Place, Verbatim]:
    """Return the texts of fields whose template is on one line, and so its comment.

    The editor would choose a style by the text, and behind a text over several lines there is no room for the comment.
    """
    alone = {places[0] for places in shown(item).values() if len(places) == 1}
    found = {place: field.verbatim for place, field in fields.items() if field.verbatim is not None}
    for place, field in fields.items():
        if place not in alone or place not in with_comments or place in found:
            continue
        parent, node = item.editor.at((*item.base, *place))
        is_written = node.start < node.end and comments.is_on_one_line(item.editor.text, node)
        if parent is not None and is_written:
            found[place] = Verbatim(field.written(flow=parent.flow))
    return found


def restored(item: Resource, reference: Reference, template: str) -> list[Edit] | None:
    """Return the edits that put a template back into its field, and take its comment away.

    `template` is the whole text of a literal block. None where the field cannot hold that as it is written.
    """
    text, node = item.editor.text, reference.node
    if isinstance(node, Scalar) and reference.lines is not None:
        made = _of_block(text, node, template)
        return None if made is None else [reference.removal, *made]
    if node.start == node.end:
        return [reference.removal, Edit(node.end, node.end, f" {reference.source}")]
    start = reference.end if reference.is_above else lines.line_start(text, node.start)
    of = reference.template
    written = reference.source[of.start : None if is_block_scalar(of) else of.end].rstrip("\n")
    return [reference.removal, Edit(lines.body(text, node), lines.ink_end(text, node), _below(text, start, written))]


def _below(text: str, start: int, written: str) -> str:
    """Return the lines of a template as they stand in the entry whose line starts at `start`."""
    margin, (first, *others) = text[start : lines.past_blanks(text, start)], written.split("\n")
    return lines.newline(text, start).join([first, *(margin + line if line else line for line in others)])


def _says(item: Resource, place: Place, field: Rendered) -> bool:
    """True if a field has its text already. Then it keeps its type, too: a run edits a field for a value alone."""
    return any(isinstance(one := resolved(node), Scalar) and one.value == field.text for _, node in item.find(place))


def _edits(item: Resource, fields: dict[Place, Rendered]) -> list[Edit] | None:
    """Return the edits of the text that write these fields, None where a field has to be written in another way."""
    editor, made = item.editor, []
    if editor.document.shares:
        return None
    for place, field in fields.items():
        parent, node = editor.at((*item.base, *place))
        if not isinstance(node, Scalar) or parent is None or node.start == node.end:
            return None
        found = _of_scalar(editor.text, Entry(place, parent, node), node, field)
        if found is None:
            return None
        made += found
    return made


def _of_scalar(text: str, entry: Entry, node: Scalar, field: Rendered) -> list[Edit] | None:
    flow = entry.parent.flow
    if comments.is_on_one_line(text, node):
        return [Edit(lines.body(text, node), node.end, field.written(flow=flow))]
    if field.verbatim is not None:
        return None
    if node.style == "|":
        return _of_block(text, node, field.text)
    # From the text that stands there: the other lines keep their bytes.
    changes = field.changes if field.template is node else edits.difference(node.value, field.text)
    found = splices.in_place(text, Rewritten(node, changes), flow=flow)
    if found is None and field.template is not node and not flow:
        # Words that stand in two lines are found in the template alone.
        written = _below(text, lines.line_start(text, entry.ink(text)), field.written(flow=flow).rstrip("\n"))
        return [Edit(lines.body(text, node), lines.ink_end(text, node), written)]
    return found


def _of_block(text: str, node: Scalar, new: str) -> list[Edit] | None:
    """Return the edits of lines that make a literal block say `new`; None where a block of as many cannot say it."""
    before, after = node.value.split("\n"), new.split("\n")
    ink = next((line for line in after if line), " ")
    is_indented = ink[0] in " \t" and lines.header(text, node).strip("|+-") == ""
    is_written = all(line.replace("\t", "").isprintable() for line in after)
    if node.style != "|" or is_indented or not is_written or len(before) != len(after):
        return None
    margin = " " * lines.margin(text, node)
    position, made = lines.next_line(text, lines.body(text, node)), []
    for one, other in zip(before, after, strict=True):
        if one != other:
            made.append(Edit(position, lines.line_end(text, position), margin + other if other else ""))
        position = lines.next_line(text, position)
    return made


def _difference(item: Resource, place: Place, field: Rendered) -> list[Edit]:
    found = next(resolved(node) for _, node in item.find(place))
    if found is field.template:
        return field.changes
    return edits.difference(found.value or "", field.text) if isinstance(found, Scalar) else []


def _comments(
    item: Resource, given: dict[Place, tuple[Entry, list[str]]], above: Set[Place], gone: Set[Place]
) -> list[Edit]:
    """Return the edits that give entries comments, and take those of others away."""
    text, root = item.editor.text, item.root
    references = comments.read(text, root).references
    there = {id(one.node): one for one in references}
    made = [one.removal for one in references if one.place in gone]
    blanks = _gap(text, root) if given else 1
    # What an alias shows has its comment where its anchor stands, whatever place leads there.
    put: dict[int, Edit] = {}
    for place, (of, written) in given.items():
        if not isinstance(of.node, Alias):
            old = there.get(id(of.node))
            edit = _above(text, of, written) if place in above else _behind(text, of, written[0], old, blanks)
            put |= {one.start: one for one in (edit, *([] if old is None else [old.removal]))}
    return [*made, *put.values()]


def _above(text: str, of: Entry, written: list[str]) -> Edit:
    """Return the edit that puts the lines of a comment above an entry, below its author's."""
    ink = of.ink(text)
    start, newline = lines.line_start(text, ink), lines.newline(text, ink)
    return Edit(start, start, "".join(f"{text[start:ink]}{line}{newline}" for line in written))


def _behind(text: str, of: Entry, written: str, old: Reference | None, blanks: int) -> Edit:
    """Return the edit that puts a comment behind a value, and behind its author's."""
    if old is not None and not old.is_above:
        return Edit(old.end, old.end, text[old.start : lines.past_blanks(text, old.start)] + written)
    end = of.end(text)
    behind = lines.comment_at(text, end).rstrip()
    position = end + len(behind)
    return Edit(position, position, (" " if behind else " " * blanks) + written)


def _gap(text: str, root: Node | None) -> int:
    """Return how many spaces stand before the first comment that is behind a value, 1 where none is."""
    for leaf in nodes.leaves(root) if " #" in text and root is not None else ():
        found = "" if is_block_scalar(leaf) else lines.comment_at(text, leaf.end)
        if found.startswith(" "):
            return len(found) - len(found.lstrip(" "))
    return 1


def _commented(line: str, margin: int) -> str:
    """Return a line of a template as one of its comment, without the margin of its entry."""
    if line[:margin].strip(" "):
        raise NoRoomError("its lines are not indented as its entry is")
    return f"# {line[margin:]}" if line[margin:] else "#"
