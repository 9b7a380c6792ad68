"""One item: expanded from the templates of its record, and written with a new record (docs/runs-in-place.md)."""

from __future__ import annotations

from expand_vars.expansion import findings, references, secrets, syntax
from expand_vars.expansion.targets import Targets
from expand_vars.functionconfig.model import DOWNWARD, RESOURCES
from expand_vars.record import KEY, entries
from expand_vars.record import fields as records
from expand_vars.record.entries import Given, Record, Template
from krm import fieldpath
from krm.results import INFO, WARNING
from krm.yamltree import edits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from expand_vars.expansion.run import Run
    from expand_vars.expansion.targets import Fields
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Options
    from expand_vars.record.entries import Entry
    from expand_vars.record.fields import Memory
    from expand_vars.record.history import History
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.edits import EditsByPlace


_SHOWN = 20


class Expansion:
    """Expands the items of a run. `is_recorded` says which of them carry a record (docs/runs-in-place.md)."""

    def __init__(self, run: Run, is_recorded: Callable[[Resource], bool], history: History) -> None:
        self._run = run
        self._is_recorded = is_recorded
        self.targets = Targets(run)
        self._history = history

    def expand(self, item: Resource, memory: Memory) -> None:
        """Expand the fields of an item that shows the templates of its record, and write the new record."""
        run = self._run
        # A tool has parsed it. Our own text would take the place of what may be all that tells the references.
        if memory.unreadable:
            run.results.append(item.result(memory.unreadable, WARNING, findings.DAMAGED_RECORD))
            return
        # A variable that this run declares has this run's value, whoever gave it the last one.
        kept = {name: given for name, given in memory.values.items() if name not in run.variables}
        # No run but this one expands what it generates, so that neither keeps an option for the other.
        is_generated = id(item) in run.generated
        options = {} if is_generated else memory.options
        seen = run.seen_by({name: given.text for name, given in kept.items()}, options)
        if run.explanation is not None:
            run.explanation.remember(item, kept, seen.config.inline)
        fields, made, secret = self._made(item, memory, seen)
        withheld = _withheld(item, memory, seen.variables)
        # Another functionConfig of the pipeline may own the field: its template must not go with our record.
        carried = {place for place in withheld if withheld[place] or not self._is_expanded(item, place, fields)}
        expanded = _ExpandedItem(item, memory, carried, made | fields.edits, fields)
        used = seen.variables.used
        values = {name: kept.get(name) or _given(name, seen.variables) for name in used}
        self._note(item, memory, values, used.intersection(kept).union(*withheld.values()), options)
        record = Record()
        if self._is_recorded(item):
            remembered = {} if is_generated else seen.config.remembered_options
            record = expanded.record(values, secret | memory.secrets, remembered)
        # The record compares templates with what they become, so it is made before the texts are written.
        expanded.write()
        records.write(item, entries.to_text(record))
        run.results += [*_results(item, memory), *_without_room(item, record)]
        self.targets.report_untargeted(item, fields)

    def leave(self, item: Resource) -> None:
        """Leave an item as it is that takes its variables from another functionConfig, which generates it."""
        variables = self._run.variables
        for name, given in records.read(item).values.items() if records.has_record(item) else ():
            variables.mention(name)
            if given.text is not None and name in variables and not variables.is_secret(name):
                self._history.refuse(name, item, given.text, variables.text(name))

    def _made(self, item: Resource, memory: Memory, seen: Run) -> tuple[Fields, EditsByPlace, set[Place]]:
        """Return the targets in an item, the edits of the kubelet's fields, and all fields that become secret.

        The downward API reads labels and annotations of the pod template as its targets leave them.
        """
        # Targets first: a container may read a label of its Pod template, as this run leaves it.
        fields = self.targets.expand(item, seen)
        if fields.edits and not seen.config.inline.isdisjoint((DOWNWARD, RESOURCES)):
            _show_targets(item, memory, fields)
        pod_spec = seen.pod_specs.path_of(item)
        made, secret = ({}, set()) if pod_spec is None else references.expand(item, pod_spec, seen)
        if seen.explanation is not None:
            seen.explanation.meet_targets(item, fields.met, seen.variables)
        return fields, made, secret | fields.secrets

    def _is_expanded(self, item: Resource, place: Place, fields: Fields) -> bool:
        """True if this functionConfig expands a field. Any other field is left to the functionConfig that does."""
        return place in fields.places or self._run.pod_specs.is_expanded(item, place)

    def _note(
        self, item: Resource, memory: Memory, values: dict[str, Given], kept: Iterable[str], options: Options
    ) -> None:
        """Note what becomes of the values and options in the record of an item: they are kept, or changed."""
        for name in kept:
            self._history.keep(name, item)
        for name in options.keys() - set(self._run.config.stated):
            self._history.keep_option(name, item)
        for name in [name for name in values if name in memory.values and name in self._run.variables]:
            self._history.change(name, item, memory.values[name], records.hidden(item, name, values[name]))


class _ExpandedItem:
    """The new texts of the fields of one item, which shows the templates of its record until then.

    The fields of `carried` keep their texts and their templates: another functionConfig expands them, or a run that has
    the secret that they need.
    """

    def __init__(
        self, item: Resource, memory: Memory, carried: Collection[Place], made: EditsByPlace, fields: Fields
    ) -> None:
        self._item = item
        self._memory = memory
        self._carried = carried
        self._edits = made
        self._fields = fields
        item.show({})

    def record(self, values: dict[str, Given], secret: Collection[Place], options: Options) -> Record:
        """Return the new record: the templates of all fields whose text is another one."""
        new = {place: self._template(place) for place in self._edits}
        templates = new | self._memory.templates
        texts = {place: self._text(place, template) for place, template in templates.items()}
        self._item.show({place: Template(text).shown for place, text in texts.items()})
        record = records.new_record(
            self._item,
            {
                place: _hidden(self._item, place, template, texts[place])
                for place, template in templates.items()
                if texts[place] != template.text
            },
            self._memory.values | values if self._carried else values,
            secret,
            options,
        )
        self._item.show({})
        return record

    def write(self) -> None:
        """Write the new texts into the item, with the smallest changes."""
        found = self._memory.templates.items()
        # From the text that stands there, not from the template: what stays equal keeps its bytes.
        made = self._edits | {
            place: edits.difference(records.text_at(self._item, place), self._text(place, one)) for place, one in found
        }
        made = {place: of_place for place, of_place in made.items() if of_place and place not in self._fields.retyped}
        # All at once: each rewrite would cost a parse of the item.
        if made:
            self._item.rewrite(made)
        # A rewrite keeps the type of a scalar. These become numbers or booleans, so they are set.
        for place, value in self._fields.retyped.items():
            self._item.set(place, value)

    def _template(self, place: Place) -> Template:
        """Return the template of a field that had none: its text."""
        return Template(records.text_at(self._item, place), is_open=place in self._fields.open)

    def _text(self, place: Place, template: Template) -> str:
        """Return the new text of a field."""
        if place in self._carried:
            return records.text_at(self._item, place)
        return edits.apply(template.text, self._edits.get(place, ()))


def _hidden(item: Resource, place: Place, template: Template, rendered: str) -> Template:
    """Return the template as the record of an item keeps it: in a Secret without the text around its references.

    That text stands in the field, whose readers may see it. Who may read the annotations alone may not.
    """
    if not secrets.holds(item, place):
        return template
    literals, names, position = [""], [], 0
    for token in syntax.tokens(template.text):
        literals[-1] += template.text[position : token.start]
        position = token.end
        if token.name is None:
            literals[-1] += "$"
        else:
            names.append(token.name)
            literals.append("")
    literals[-1] += template.text[position:]
    return Template(template.text, is_open=template.is_open, pieces=(*_pieces(literals, names, rendered),))


def _pieces(literals: list[str], names: list[str], rendered: str) -> Iterator[tuple[str | None, int | None]]:
    """Yield the parts of a rendered text: each literal stands where it is found first, and the last one at the end."""
    position = 0
    for literal, name, following in zip(literals[:-2], names[:-1], literals[1:-1], strict=True):
        start = position + len(literal)
        position = rendered.index(following, start)
        yield None, len(literal)
        yield name, position - start
    yield None, len(literals[-2])
    yield names[-1], None
    yield None, len(literals[-1])


def _withheld(item: Resource, memory: Memory, variables: Variables) -> dict[Place, set[str]]:
    """Return the withheld variables that each recorded field needs, directly or through its container's `env`."""
    needed = {place: variables.withheld_in(template.text) for place, template in memory.templates.items()}
    # An argument needs a secret also where only the entry that it refers to does: the two must agree.
    for entry in sorted(place for place in needed if place[-3:-2] == ("env",)):
        name = item.get((*entry[:-1], "name"))
        for place, template in memory.templates.items():
            if needed[entry] and place[: len(entry) - 3] == entry[:-3] and name in syntax.names(template.text):
                needed[place] |= needed[entry]
    return needed


def _given(name: str, variables: Variables) -> Given:
    """Return what the record says of a variable: its text, unless that is secret."""
    return Given(None if variables.is_secret(name) else variables.text(name))


def _results(item: Resource, memory: Memory) -> Iterator[Result]:
    """Yield the results about the record of an item."""
    if memory.damaged:
        lines = ", ".join(map(str, memory.damaged))
        message = (
            f"the annotation `{KEY}` is damaged, and these of its lines are ignored: {lines}; bring back what it was, "
            "or delete it and write the references again"
        )
        yield item.result(message, WARNING, findings.DAMAGED_RECORD)
    if memory.lost:
        result = item.result(_edited(memory.lost), INFO, findings.EDITED_BY_HAND)
        result.field = ", ".join(fieldpath.to_text(entry.path) for entry in memory.lost)
        result.place = memory.lost[0].path
        yield result


def _without_room(item: Resource, record: Record) -> Iterator[Result]:
    """Yield the warning about the references of an item that its record has no room for."""
    if record.dropped:
        count = len(record.dropped)
        message = (
            f"the annotation `{KEY}` has no room for {count} of the references in here: their fields have today's "
            "values, and follow no variable any more; to keep them, split the object"
        )
        result = item.result(message, WARNING, findings.RECORD_FULL)
        shown = [fieldpath.to_text(path) for path in record.dropped[:_SHOWN]]
        result.field = ", ".join((*shown, f"and {count - _SHOWN} more") if count > _SHOWN else shown)
        yield result


def _edited(lost: Iterable[Entry]) -> str:
    """Return what became of fields that somebody changed. It shows names alone: a template may hold secret text."""
    found = [name for entry in lost if entry.template is not None for name in syntax.names(entry.template.text)]
    references = " and ".join(f"`$({name})`" for name in dict.fromkeys(found)) or "its text"
    were = "were" if len(set(found)) > 1 else "was"
    return (
        f"this was changed or removed by hand since {references} {were} expanded here: it stays as it is, and follows "
        f"no variable any more; to get that back, write {references} here again"
    )


def _show_targets(item: Resource, memory: Memory, fields: Fields) -> None:
    """Let the containers of an item read its targets as this run leaves them: a label of the pod template, say."""
    texts = {place: edits.apply(records.text_at(item, place), made) for place, made in fields.edits.items()}
    leaving = {place: Template(text, is_open=place in fields.open).shown for place, text in texts.items()}
    item.show(memory.shown | leaving)
