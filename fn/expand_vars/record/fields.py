"""Between a record and the fields of an object: which templates still hold, and what is to be remembered."""

from __future__ import annotations

from expand_vars.record import KEY, alignment, entries
from expand_vars.record.entries import Column, Record
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.yamltree.nodes import Mapping, Scalar, resolved
from krm.yamltree.scalars import is_json_value, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from expand_vars.record.entries import Given, Rendered, Template
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

_ANNOTATIONS = ("metadata", "annotations")
_PATH = "config.kubernetes.io/path"
_IDS = ("internal.config.kubernetes.io/id", "config.k8s.io/id")


class Memory:
    """What an object remembers, and what of that still holds.

    `templates` are those of the fields that still say what was rendered; `lost` the paths where one no longer does;
    `secrets` all fields that something secret was rendered in or beside. `damaged` are the numbers of the record's
    lines that say nothing.
    """

    __slots__ = ("damaged", "lost", "secrets", "templates", "values")

    def __init__(self) -> None:
        self.damaged: list[int] = []
        self.lost: list[str] = []
        self.secrets: set[Place] = set()
        self.templates: dict[Place, Template] = {}
        self.values: dict[str, Given] = {}

    @property
    def shown(self) -> dict[Place, Scalar]:
        """The templates, each as a scalar that is shown in the place of the rendered one."""
        return {place: template.shown for place, template in self.templates.items()}

    def move(self, item: Resource, places: dict[Place, Place]) -> None:
        """Write the record of an item whose fields stand at other places now; one without a new place is gone."""
        templates = {places[old]: template for old, template in self.templates.items() if old in places}
        secrets = [places[old] for old in self.secrets if old in places]
        write(item, text(item, templates, self.values, secrets))


def is_in_place(items: Iterable[Resource]) -> bool:
    """Say whether the output is written over the input: an orchestrator named the file of an item, and the item.

    What it writes it writes as it is, so that the text tells most items apart without parsing.
    """
    return any(
        _PATH in item.source
        and any(key in item.source for key in _IDS)
        and item.file is not None
        and any(key in item.annotations for key in _IDS)
        for item in items
    )


def has_record(resource: Resource) -> bool:
    """Say whether an object has a record. We have written that, so the text tells without parsing."""
    return KEY in resource.source and KEY in resource.annotations


def remembered(resource: Resource) -> Memory | None:
    """Return what an object remembers, None for one that has no record."""
    return read(resource) if has_record(resource) else None


def read(resource: Resource) -> Memory:
    """Return what an object that has a record remembers."""
    memory = Memory()
    record, memory.damaged = entries.read(resource.annotations[KEY])
    memory.values = record.values
    for column in record.columns:
        templates = _holding(resource, column, record.identity)
        if len(templates) < sum(template is not None for template in column.templates):
            memory.lost.append(fieldpath.to_text(column.path))
        memory.templates |= templates
        if column.is_secret:
            memory.secrets.update(place for place, _ in _find(resource, column.path))
    return memory


def text(
    resource: Resource, templates: dict[Place, Template], values: dict[str, Given], secrets: Collection[Place]
) -> str:
    """Return the record of an object of which these fields, as it shows them, are what was made of these templates.

    What stands at one of `secrets`, or beside it in a list, is kept as a hash: all of a column in which one is, and of
    another column that has a field of it too, as that of all entries has the one that is alone with its name.
    """
    record = Record()
    record.identity = f"{resource.group}/{resource.kind}/{resource.namespace}/{resource.name}"
    record.values = values
    paths = {fieldpath.to_text(path): path for path in (_path(resource, place) for place in templates)}
    found = [(path, dict(_find(resource, path))) for path in paths.values()]
    secret = _spread({*secrets}, [fields.keys() for _, fields in found])
    record.columns = [
        _column(path, fields, templates, record.identity, is_secret=not secret.isdisjoint(fields))
        for path, fields in found
    ]
    return entries.to_text(record)


def write(resource: Resource, record: str) -> None:
    """Make `record` the record of an object, or take away the one that it has, with `annotations:` if that is all."""
    if record:
        resource.set_annotation(KEY, record)
    elif has_record(resource):
        annotations = [resolved(node) for _, node in resource.find(_ANNOTATIONS)]
        alone = all(isinstance(one, Mapping) and [key for key, _ in one.items()] == [KEY] for one in annotations)
        resource.delete(_ANNOTATIONS if alone else (*_ANNOTATIONS, KEY))


def hand_over(resource: Resource, giver: str, receiver: str) -> None:
    """Let the variables that one functionConfig gave to an object be those of another, which takes its place."""
    import json  # noqa: PLC0415 - only for an object that gets another owner

    if has_record(resource):
        # Inside of a string the quotes are escaped: this is the key of an entry alone.
        former, present = (f'"from": {json.dumps(name)}' for name in (giver, receiver))
        resource.set_annotation(KEY, resource.annotations[KEY].replace(former, present))


def _holding(resource: Resource, column: Column, identity: str) -> dict[Place, Template]:
    """Return the templates of the fields of a column that still say what was rendered, as far as they are the same."""
    found = _find(resource, column.path)
    digests = {value for value in column.rendered if isinstance(value, tuple)}

    def known(node: Node | None) -> Rendered:
        value = None if node is None else node.value
        hashed = entries.digest(identity, column.path, value) if digests and value is not None else None
        return hashed if hashed in digests else value

    same = alignment.pairs(column.rendered, [known(node) for _, node in found])
    return {
        place: template
        for index, (place, node) in enumerate(found)
        if index in same
        and (template := column.templates[same[index]]) is not None
        and isinstance(node, Scalar)
        and _has_type_of(node, template)
    }


def _has_type_of(scalar: Scalar, template: Template) -> bool:
    """Say whether a scalar is of the type that its template gives to its value: a string, but for an open one."""
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
    path = () if root is None else fieldpath.named(root, place)
    return tuple(WILDCARD if isinstance(step, int) else step for step in path)


def _spread(secrets: set[Place], columns: Sequence[Collection[Place]]) -> set[Place]:
    """Return all fields of the columns in which something is secret, and of those that share one with these."""
    while True:
        reached = [column for column in columns if not secrets.isdisjoint(column) and not secrets.issuperset(column)]
        if not reached:
            return secrets
        secrets = secrets.union(*reached)


def _column(
    path: FieldPath,
    fields: dict[Place, Node | None],
    templates: dict[Place, Template],
    identity: str,
    *,
    is_secret: bool,
) -> Column:
    texts = [None if node is None else node.value for node in fields.values()]
    return Column(
        path,
        [None if text is None else entries.kept(identity, path, text, is_secret=is_secret) for text in texts],
        [templates.get(place) for place in fields],
        is_secret=is_secret,
    )
