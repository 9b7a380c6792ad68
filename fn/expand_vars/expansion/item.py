"""Expand one item and write it, with the templates of its fields in comments (docs/reference/runs-in-place.md)."""

from __future__ import annotations

from itertools import chain

from expand_vars.expansion import findings, kubelet_fields
from expand_vars.expansion.targets import Targets
from expand_vars.functionconfig.model import DOWNWARD, RESOURCES
from krm import secrets
from krm.template_comments import patterns, reading, writing
from krm.template_comments.memory import OWNED, OWNED_BY_OTHER, unmatched
from krm.template_comments.writing import NoRoomError, OwnedError, Rendered
from krm.yamltree import Verbatim, edits, embedded, lines, nodes, scalars
from krm.yamltree.nodes import Alias, Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from expand_vars.expansion.run import Run
    from expand_vars.expansion.targets import TargetFields
    from expand_vars.functionconfig.model import RecordWord
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.template_comments.memory import Memory
    from krm.template_comments.reading import FieldEntry, TemplateComment
    from krm.yamltree.edits import EditsByPlace


_NO_ROOM = (
    "no comment can keep the reference of this field, which stays as it is: {}; or expand it with `record: Never`"
)
_NAMESPACE = ("metadata", "namespace")
_SOURCES = frozenset(("envFrom", "valueFrom"))
_PARTED = "an alias shows its value elsewhere, so it would be written out"
_NOT_TEXT = (
    "this was text, and is a number or a boolean by its new value: if it is to be text, put the template in quotes, "
    '`# expand: "$(NAME)"`'
)
_TEXT = "this was a number or a boolean, and is text by its new value: mend the value, or put the template in quotes"


class Expansion:
    """Expands the items of a run. `record` says which get comments (docs/reference/runs-in-place.md, "The comment")."""

    def __init__(self, run: Run, record: Callable[[Resource], RecordWord]) -> None:
        self._run = run
        self._record = record
        self.targets = Targets(run)

    def expand(self, item: Resource, memory: Memory) -> None:
        """Expand the fields of an item. Its tree has the templates of its comments as values."""
        run = self._run
        # Targets come first: a container may read the new namespace, a new label, or the new name of a ConfigMap.
        fields = self.targets.expand(item, memory)
        is_any_read = not run.config.inline.isdisjoint((DOWNWARD, RESOURCES))
        read = [at for at in fields.edits if is_any_read or at == _NAMESPACE or not _SOURCES.isdisjoint(at)]
        if memory.followed or read:
            _show_targets(item, memory, fields)
        changes = kubelet_fields.expand(item, memory, run, fields.free)
        if run.explanation is not None:
            run.explanation.meet_targets(item, fields.met, run.variables)
        expanded = _ExpandedItem(item, memory, changes | fields.edits, fields)
        record = self._record(item)
        if expanded.changes and record != "Never":
            run.results += expanded.make_room(record)
        run.results += expanded.retyped()
        # The new text will have these names in comments, too. So the fields are searched before it is written.
        self.targets.report_untargeted(item, fields.free)
        expanded.write(record)
        if memory.fields or memory.results:
            self._note(item, memory)

    def _note(self, item: Resource, memory: Memory) -> None:
        """Note in the history which texts in the fields of an item are kept, and which are changed."""
        variables, history = self._run.variables, self._run.history
        is_secret = secrets.finder(item)
        for place, given in memory.new_texts.items():
            for name, text in given.items():
                before = memory.present_text(place, name)
                if before is None:
                    continue
                if name in variables or before != text:
                    is_hidden = is_secret(place) or not variables.shows(name, text)
                    history.change(name, item, place, before, text, is_secret=is_hidden)
                else:
                    history.keep(name, item, place)
        self._run.results += memory.results
        for place in memory.unread:
            self._run.results += unmatched(item, memory.fields[place], variables)


class _ExpandedItem:
    """The fields of one item with their new texts. `write` puts these into the item in place of the templates."""

    def __init__(self, item: Resource, memory: Memory, changes: EditsByPlace, fields: TargetFields) -> None:
        self._item = item
        self._memory = memory
        self.changes = changes
        self._fields = fields
        self.comments: dict[Place, tuple[FieldEntry, list[str]]] = {}
        # The entries whose fields all have a template. This is found once: brackets may have thousands of fields.
        parts = memory.parts.items()
        self._whole = {place for place, fields in parts if all(field.substitute is not None for field in fields)}
        unread = {*memory.unread}
        self._substitutes = {place: one for place, one in memory.substitutes.items() if place not in unread}
        item.show({})

    def make_room(self, record: RecordWord) -> list[Result]:
        """Make the comments that fields need. Return a warning for the fields without a place for one, which stay."""
        found = reading.places(self._item).values()
        shared = [places for places in found if len(places) > 1 and not self.changes.keys().isdisjoint(places)]
        alike = {place: places for places in shared for place in places}
        left: dict[Place, tuple[str, str]] = {}
        if record == "Always" or self._memory.comments:
            no_room = findings.NO_ROOM_FOR_REFERENCE, _NO_ROOM.format(_PARTED)
            left |= dict.fromkeys(self._parted(shared), no_room)
        bare = [place for place in self.changes if not (place in left or self._is_covered(place))]
        bare = [place for place in bare if record == "Always" or self._memory.comment(place) is not None]
        for place, entry in writing.commented_entries(self._item, bare).items():
            try:
                self._make(place, entry)
            except NoRoomError as error:
                told = findings.NO_ROOM_FOR_REFERENCE, _NO_ROOM.format(error)
                # A node that an alias repeats stays at all its places.
                left |= dict.fromkeys(alike.get(place, [place]), told)
            except OwnedError:
                left |= dict.fromkeys(alike.get(place, [place]), (OWNED_BY_OTHER, OWNED))
        warnings = []
        for reason, message in dict.fromkeys(left.values()):
            of_message = [place for place, told in left.items() if told == (reason, message) and place in self.changes]
            warnings.append(self._item.notice(message, reason, *of_message))
        for place in left:
            for of_places in (self.changes, self._substitutes, self._memory.new_texts):
                of_places.pop(place, None)
        return warnings

    def _parted(self, shared: list[list[Place]]) -> Iterator[Place]:
        """Yield the fields in brackets or over several lines that an alias repeats, if their new texts differ.

        They would be written in another form, which has no place for their comment. The fields beside them stay, too.
        What is written in another item stays, too: all of it in an item that is an alias.
        """
        item = self._item
        # What an alias shows of another object would get its comment there.
        written = nodes.written_at(item.editor.document.root, item.base)
        own = range(written.start, written.end + 1) if written is not None else ()
        yield from (place for place in self.changes if self._written(place).start not in own)
        entries = writing.commented_entries(item, chain(self.changes, *shared)) if shared else {}
        parted: set[Place] = set()
        for places in shared:
            changed = [place for place in places if place in self.changes]
            made = {edits.apply(self._written(place).value, self.changes[place]) for place in changed}
            is_one = len(made) == 1 and len(changed) == len(places)
            is_plain = all(entries[place].ends_line(item.editor.text) for place in places)
            if changed and not is_one and not (is_plain and all(text.isprintable() for text in made)):
                parted |= {entries[place].place for place in places}
        yield from (place for place in self.changes if place in entries and entries[place].place in parted)

    def retyped(self) -> Iterator[Result]:
        """Yield a warning for each text that its new value makes a number or a boolean, and the other way round."""
        for place in self._substitutes.keys() & self._fields.open.keys() & self.changes.keys():
            there, verbatim = self._written(place), self._verbatim(place)
            was_text = isinstance(scalars.typed(there), str)
            is_text = verbatim is None or isinstance(scalars.typed(Scalar(0, 0, verbatim, "", None, None)), str)
            # Without a new value, a run does not edit the field.
            is_new = there.value != self._new_text(place)
            if was_text is not is_text and is_new and not self._memory.fields[place].has_reference_again:
                yield self._item.notice(_NOT_TEXT if was_text else _TEXT, findings.TYPE_CHANGED, place)

    def write(self, record: RecordWord) -> None:
        """Write the new texts and the comments. With `record: Never` the comments of the item are removed."""
        places = dict.fromkeys((*self._substitutes, *self.changes))
        rendered = {place: self._rendered(place, self._template(place)) for place in places}
        gone = {one.place for one in self._memory.comments.values() if self._is_gone(one, rendered, record)}
        if rendered:
            writing.write(self._item, rendered, self._memory.comments, gone, self.comments.values())

    def _make(self, place: Place, entry: FieldEntry) -> None:
        """Make the comment of a field, or of the entry around it. NoRoomError or OwnedError if it can have none."""
        # The comment of an aliased value of several lines is at its anchor.
        text, known = self._item.editor.text, self._memory.comment(place)
        is_elsewhere = isinstance(entry.node, Alias) and not entry.ends_line(text)
        if not (is_elsewhere or entry.place in self.comments):
            parts = self._memory.parts.get(entry.place, ())
            if any(one.place in self._substitutes for one in parts if one.place != place):
                raise NoRoomError("the comment there is the template of what stands beside it, too: mend it by hand")
            behind = lines.comment_at(text, entry.end(text)) if entry.ends_line(text) else ""
            if known is None and not parts and reading.MARK in behind:
                raise NoRoomError(f"the comment `{reading.MARK}` behind it is no template: mend or delete it")
            old = known if place in self._substitutes else None
            told_apart = self._told_apart(place, self._template(place), old)
            self.comments[entry.place] = entry, writing.comment(self._item, entry, told_apart, old)

    def _told_apart(self, place: Place, template: Scalar, old: TemplateComment | None) -> list[str]:
        """Return the lines of a template that its comment needs: the lines that change, and perhaps lines around them.

        If a line such as `$(A) {` is in the text several times, the lines around it identify it.
        """
        held = {*(old.lines or ())} if old is not None else set()
        text, parts = template.value, template.value.removesuffix("\n").split("\n")
        changed = {
            lines.number(text, one.start) - 1 for one in self.changes[place] if text[one.start : one.end] != one.text
        }
        needed = changed | {number for number, line in enumerate(parts) if line in held}
        is_block = template.style == "|"
        rendered = patterns.MatchedText(place[-1], edits.apply(text, self.changes[place]), apart=is_block)
        around = 0
        while around <= len(parts):
            near = {at for number in needed for at in range(number - around, number + around + 1)}
            found = [one for at, one in enumerate(parts) if at in near]
            if not is_block or rendered.tells(found, text):
                return found
            around = 2 * around + 1
        raise NoRoomError("its lines cannot be told from others, or a value has several lines")

    def _written(self, place: Place) -> Scalar:
        found = nodes.at(self._item.root, *place)
        assert isinstance(found, Scalar)  # noqa: S101 - the place of a field that changes
        return found

    def _template(self, place: Place) -> Scalar:
        return self._substitutes[place] if place in self._substitutes else self._written(place)

    def _new_text(self, place: Place) -> str:
        return edits.apply(self._template(place).value, self.changes[place])

    def _rendered(self, place: Place, template: Scalar) -> Rendered:
        changes, verbatim = self.changes.get(place, []), self._verbatim(place)
        source = self._memory.fields[place].source if place in self._substitutes else self._item.editor.text
        rendered = Rendered(source, template, changes, verbatim)
        # A value that stays the same keeps its quotes, whatever they are.
        if embedded.is_file(place[-1]):
            there = self._written(place)
            rendered.text = embedded.content(place[-1], there.value).requoted(rendered.text, apart=there.style == "|")
        return rendered

    def _verbatim(self, place: Place) -> Verbatim | None:
        """Return the new text of a field that takes the type of its value, None if that is a string.

        A plain scalar stays plain if every reader takes the old and the new text for one type: `0644` and `0640`.
        """
        if place not in self._fields.open or place not in self.changes:
            return None
        there, text = self._written(place), self._new_text(place)
        is_alike = there.style == "" and there.tag is None and scalars.is_read_alike(there.value, text)
        # An octal number such as `0644`, which JSON has not.
        is_octal = self._fields.open[place] and scalars.is_typed(text) and not self._item.editor.json
        return Verbatim(text) if is_alike or is_octal or scalars.is_json_value(text) else None

    def _is_covered(self, place: Place) -> bool:
        """True if a field has the comment that it needs. One that the state remembers needs none."""
        if self._memory.followed.get(place):
            return True
        # The state has no text of a secret field, and no reference of a person. The comment must tell its template.
        comment = self._memory.comment(place)
        if comment is None:
            return place in self._memory.followed and not self._memory.fields[place].has_reference_again
        if comment.lines is None:
            return comment.place in self._whole or place in self._substitutes
        if place not in self._substitutes:
            return False
        shown = self._substitutes[place].value
        text = patterns.MatchedText(place[-1], edits.apply(shown, self.changes[place]), apart=True)
        return text.tells(comment.lines, shown)

    def _is_gone(self, comment: TemplateComment, rendered: dict[Place, Rendered], record: RecordWord) -> bool:
        """True if a comment is to be removed: there is no template to keep, or the template is in the field again."""
        fields = [field.place for field in self._memory.parts[comment.place]]
        if not fields or any(place not in self._substitutes for place in fields):
            return False
        if record == "Never":
            return True
        is_remembered = all(map(self._memory.followed.get, fields))
        is_back = all(rendered[place].text == self._substitutes[place].value for place in fields)
        is_changed = any(self._written(place).value != rendered[place].text for place in fields)
        return is_changed and (is_remembered or is_back)


def _show_targets(item: Resource, memory: Memory, fields: TargetFields) -> None:
    """Give the tree of an item the new texts of its targets, so that its containers read them: a new label, say."""
    shown = memory.substitutes
    for place, made in fields.edits.items():
        scalar = next(one for _, node in item.find(place) if isinstance(one := resolved(node), Scalar))
        # This scalar is never edited, so its positions are never read.
        style = scalar.style if place in fields.open else '"'
        shown[place] = Scalar(0, 0, edits.apply(scalar.value, made), style, None, None)
    item.show(shown)
