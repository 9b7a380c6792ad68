"""The record and the fields of an object: which templates still hold, and what the next run has to know."""

from __future__ import annotations

from collections import Counter

from expand_vars.functionconfig import GROUP
from expand_vars.record import KEY, alignment, entries
from expand_vars.record.entries import Entry, Given, Record
from krm import fieldpath, hashes
from krm.fieldpath import WILDCARD
from krm.generation import room
from krm.resource import IDS
from krm.textslice import holding
from krm.yamltree import edits
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.scalars import data, is_json_value, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from expand_vars.functionconfig.model import Options
    from expand_vars.record.entries import Template
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

_ANNOTATIONS = ("metadata", "annotations")
_PATH = "config.kubernetes.io/path"
_SMALL = 1024  # there is room for so much on any object
_LONGEST = 1024


class Memory:
    """The record of an object, as far as it still holds.

    `templates` are those of the fields that still hold what was rendered, `rendered` their texts; `lost` the entries
    whose field no longer does. `options` are those with which the fields were expanded. `secrets` are all fields that
    something secret was rendered in or beside. `damaged` are the numbers of the record's lines that say nothing.
    `unreadable` is the message about a record that is no text: nothing of it holds.
    """

    __slots__ = ("damaged", "lost", "options", "rendered", "secrets", "templates", "unreadable", "values")

    def __init__(self) -> None:
        self.damaged: list[int] = []
        self.lost: list[Entry] = []
        self.options: Options = {}
        self.rendered: dict[Place, str] = {}
        self.secrets: set[Place] = set()
        self.templates: dict[Place, Template] = {}
        self.unreadable = ""
        self.values: dict[str, Given] = {}

    @property
    def shown(self) -> dict[Place, Scalar]:
        """The templates, each as a scalar that is shown in the place of the rendered one."""
        return {place: template.shown for place, template in self.templates.items()}

    def move(self, item: Resource, places: dict[Place, Place]) -> None:
        """Write the record of an item whose fields stand at other places now; one without a new place is gone."""
        templates = {places[old]: template for old, template in self.templates.items() if old in places}
        secrets = [places[old] for old in self.secrets if old in places]
        write(item, entries.to_text(new_record(item, templates, self.values, secrets, self.options)))


def restore(resource: Resource) -> list[Entry]:
    """Put the templates back into an object, and remove its record: the undo of all runs in place.

    Return the entries whose fields were changed by hand since: these stay as they are.
    """
    memory = remembered(resource)
    if memory is None:
        return []
    # As differences: what stands around the reference keeps its quotes and escapes.
    found = memory.templates.items()
    resource.rewrite({place: edits.difference(memory.rendered[place], template.text) for place, template in found})
    write(resource, "")
    return memory.lost


def is_in_place(items: Sequence[Resource]) -> bool:
    """True if the output is written over the input: an orchestrator named the file of an item, and the item.

    What it writes it writes as it is, so that the text tells most items apart without parsing.
    """
    return any(
        item.spells(_PATH) and item.annotation(key) is not None and item.file is not None
        for key in IDS
        for item in holding(items, key)
    )


def has_record(resource: Resource) -> bool:
    """True if an object has a record. We have written that, so the text tells without parsing."""
    return resource.spells(KEY) and KEY in resource.annotations


def remembered(resource: Resource) -> Memory | None:
    """Return what an object remembers, None for one that has no record."""
    if has_record(resource):
        return read(resource)
    memory = Memory()
    memory.unreadable = resource.unreadable(KEY) if resource.spells(KEY) else ""
    return memory if memory.unreadable else None


def read(resource: Resource, text: str | None = None) -> Memory:
    """Return what an object that has a record remembers, or what it would remember with the record `text`."""
    memory = Memory()
    record = entries.read(resource.annotations[KEY] if text is None else text)
    memory.damaged, memory.values, memory.options = record.damaged, record.values, record.options
    columns: dict[FieldPath, list[Entry]] = {}
    for entry in record.entries:
        columns.setdefault(fieldpath.general(entry.path), []).append(entry)
    # A list is read as a whole: which element is which shows only beside its neighbours.
    for path, column in columns.items():
        column.sort(key=lambda entry: [step for step in entry.path if isinstance(step, int)])
        found = _holding(resource, path, column, record.identity)
        held = {id(entry) for entry in found.values()}
        memory.lost += [entry for entry in column if entry.template is not None and id(entry) not in held]
        for place, entry in found.items():
            if entry.template is not None:
                memory.rendered[place] = text_at(resource, place)
                memory.templates[place] = entry.template.filled(memory.rendered[place])
        if any(entry.is_secret for entry in column):
            memory.secrets.update(place for place, _ in _find(resource, path))
    return memory


def new_record(
    resource: Resource,
    templates: dict[Place, Template],
    values: dict[str, Given],
    secrets: Collection[Place],
    options: Options,
) -> Record:
    """Return the record of an object that shows what was rendered from these templates.

    What stands at one of `secrets`, or beside it in a list, has a hash over identity and path: all of a column in which
    one is, and of another column that has a field of it too, as the column of all entries has the one that is alone
    with its name. In a Secret every text is secret, also the values of the variables that were inserted there.
    """
    record = Record()
    record.identity = _identity(resource)
    record.was_empty = _was_empty(resource)
    record.options = options
    is_secret = _is_secret(resource)
    record.values = {name: hidden(resource, name, given) for name, given in values.items()}
    paths = {fieldpath.to_text(path): path for path in (_path(resource, place) for place in templates)}
    found = [(paths[name], dict(_find(resource, paths[name]))) for name in sorted(paths)]
    # A hash over the text alone, beside one over a secret, would be compared with it: so a column is of one form.
    secret = _spread({*secrets}, [fields.keys() for _, fields in found])
    for path, fields in found:
        hides = is_secret or not secret.isdisjoint(fields)
        for place, node in fields.items():
            digest = _hashed(path, node, record.identity, is_secret=hides)
            element = tuple(step if segment is WILDCARD else segment for segment, step in zip(path, place, strict=True))
            record.entries.append(Entry(element, digest, templates.get(place), is_secret=hides))
    _fit(record, resource)
    return record


def write(resource: Resource, text: str) -> None:
    """Make a text the record of an object, or delete the one that it has, with `annotations:` that came with it."""
    if text:
        resource.set_annotation(KEY, text)
    elif has_record(resource):
        came_with_it = resource.annotation_keys == [KEY] and not _was_empty(resource)
        resource.delete(_ANNOTATIONS if came_with_it else (*_ANNOTATIONS, KEY))


def _was_empty(resource: Resource) -> bool:
    """True if an object has `annotations: {}`, or had it before it had a record, and has no other annotation since."""
    keys = resource.annotation_keys
    return keys == [] or (keys == [KEY] and entries.read(resource.annotations.get(KEY, "")).was_empty)


def _fit(record: Record, resource: Resource) -> None:
    """Take out of a record the largest of its columns for which there is no room.

    A long list with a few references is such a column: most of its entries only tell where the others stand.
    """
    whole = len(entries.to_text(record))
    if whole <= _SMALL or whole <= (largest := _room(resource)):
        return
    sizes: Counter[FieldPath] = Counter()
    for entry in record.entries:
        sizes[fieldpath.general(entry.path)] += len(entries.of_entry(entry))
    # The smallest columns first: most fields are kept, and which ones stays the same from run to run.
    left = largest - (whole - sizes.total())
    kept: set[FieldPath] = set()
    for path, size in reversed(sizes.most_common()):
        left -= size
        if left >= 0:
            kept.add(path)
    gone = (entry for entry in record.entries if fieldpath.general(entry.path) not in kept)
    record.dropped = [entry.path for entry in gone if entry.template is not None]
    record.entries = [entry for entry in record.entries if fieldpath.general(entry.path) in kept]


def _room(resource: Resource) -> int:
    """Return how many bytes the record of an object may take beside our other annotations."""
    import json  # noqa: PLC0415 - few records are so large

    ours = {key: text for key, text in resource.annotations.items() if key.startswith(f"{GROUP}/")}
    size = len(json.dumps(data(resource.root), default=str)) - len(json.dumps(ours))
    return room(size) - sum(len(key) + len(text) for key, text in ours.items() if key != KEY)


def _holding(resource: Resource, path: FieldPath, column: Sequence[Entry], identity: str) -> dict[Place, Entry]:
    """Return the entries of a column whose fields still hold what was rendered, by the place of the field."""
    found = _find(resource, path)
    # One secret entry makes all of its column secret: the record was written so.
    is_secret = any(entry.is_secret for entry in column)
    now = [_hashed(path, node, identity, is_secret=is_secret) for _, node in found]
    same = alignment.pairs([entry.digest for entry in column], now)
    there = ((place, node, column[same[index]]) for index, (place, node) in enumerate(found) if index in same)
    return {
        place: entry
        for place, node, entry in there
        if entry.template is None or (isinstance(node, Scalar) and _has_type_of(node, entry.template))
    }


def _hashed(path: FieldPath, node: Node | None, identity: str, *, is_secret: bool) -> str | None:
    """Return the hash of the text of a scalar, None for anything else."""
    if node is None or node.value is None:
        return None
    return entries.secret_hash(identity, path, node.value) if is_secret else hashes.of_text(node.value)


def hidden(resource: Resource, name: str, given: Given) -> Given:
    """Return the value of a variable as a record shows it: in a Secret, and if it is long, by its hash."""
    # A long text would fill the annotation, and is seldom asked for: it is there where the variable is declared.
    if given.text is None or not (_is_secret(resource) or len(given.text) > _LONGEST):
        return given
    return Given(None, entries.secret_hash(_identity(resource), (name,), given.text))


def text_at(resource: Resource, place: Place) -> str:
    """Return the text of the scalar at a place, empty where there is none."""
    return next((scalar.value for _, node in resource.find(place) if isinstance(scalar := resolved(node), Scalar)), "")


def _is_secret(resource: Resource) -> bool:
    return (resource.group, resource.kind) == ("", "Secret")


def _identity(resource: Resource) -> str:
    return f"{resource.group}/{resource.kind}/{resource.namespace}/{resource.name}"


def _has_type_of(scalar: Scalar, template: Template) -> bool:
    """True if a scalar is of the type that its template gives to its value: a string, but for an open one."""
    is_string = string(scalar) is not None
    return is_string is not (template.is_open and is_json_value(scalar.value))


def _find(resource: Resource, path: FieldPath) -> list[tuple[Place, Node | None]]:
    """Return the fields that a path leads to, `[*]` being the elements of lists, and not the values of mappings."""
    return [
        (place, resolved(node))
        for place, node in resource.find(path)
        if all(isinstance(step, int) for step, segment in zip(place, path, strict=True) if segment is WILDCARD)
    ]


def _path(resource: Resource, place: Place) -> FieldPath:
    """Return the path of a column: where an element has no name of its own, all elements of its list are in it."""
    root = resource.root
    return () if root is None else fieldpath.general(fieldpath.named(root, place))


def _spread(secrets: set[Place], columns: Sequence[Collection[Place]]) -> set[Place]:
    """Return all fields of the columns in which something is secret, and of those that share one with these."""
    while True:
        reached = [column for column in columns if not secrets.isdisjoint(column) and not secrets.issuperset(column)]
        if not reached:
            return secrets
        secrets = secrets.union(*reached)
