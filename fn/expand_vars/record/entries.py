"""The lines of a record, and what they say."""

from __future__ import annotations

from krm import fieldpath, hashes
from krm.fieldpath import WILDCARD
from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath

    Digest: TypeAlias = tuple[str, str]
    Rendered: TypeAlias = "str | Digest | None"

_SHA256 = "sha256"


class Template:
    """A text that holds references. An open one, a plain scalar that is one reference, takes the type of its value."""

    __slots__ = ("is_open", "text")

    def __init__(self, text: str, *, is_open: bool = False) -> None:
        self.text = text
        self.is_open = is_open

    @property
    def shown(self) -> Scalar:
        """The scalar that takes the place of the rendered one: a string, unless its type is open."""
        return Scalar(0, 0, self.text, "" if self.is_open else '"', None, None)


class Given:
    """The EnvVar text that a variable had, None for a secret one, and the functionConfig that gave it."""

    __slots__ = ("giver", "text")

    def __init__(self, text: str | None, giver: str) -> None:
        self.text = text
        self.giver = giver


class Column:
    """The fields that one path leads to: what each said, and of which template, None where of none.

    In a secret one every text is a digest.
    """

    __slots__ = ("is_secret", "path", "rendered", "templates")

    def __init__(
        self,
        path: FieldPath,
        rendered: Sequence[Rendered],
        templates: Sequence[Template | None],
        *,
        is_secret: bool = False,
    ) -> None:
        self.path = path
        self.rendered = rendered
        self.templates = templates
        self.is_secret = is_secret


class Record:
    """What an object remembers."""

    __slots__ = ("columns", "identity", "values")

    def __init__(self) -> None:
        self.columns: list[Column] = []
        self.values: dict[str, Given] = {}
        self.identity = ""


def digest(identity: str, path: FieldPath, text: str) -> Digest:
    """Return what is kept in the place of a text: it shows neither the text nor where else the same one stands."""
    return _SHA256, hashes.digest(identity, path, text)


def kept(identity: str, path: FieldPath, text: str, *, is_secret: bool) -> Rendered:
    """Return what is kept of a rendered text: of a long or secret one its digest."""
    return digest(identity, path, text) if is_secret or len(text.encode()) > hashes.LONGEST else text


def read(text: str) -> tuple[Record, list[int]]:
    """Return what the lines of a record say, and the numbers of those that say nothing."""
    import json  # noqa: PLC0415 - only for an object that has a record

    record, damaged = Record(), []
    for number, line in enumerate(text.splitlines(), start=1):
        try:
            _add(record, json.loads(line))
        except (ValueError, RecursionError):
            damaged.append(number)
    return record, damaged


def to_text(record: Record) -> str:
    """Return the lines of a record, always in the same order; nothing for one without columns."""
    import json  # noqa: PLC0415 - as above

    # What JSON has no word for is written as `\u0024` inside of a string, and there is no `$` outside of one.
    lines = (json.dumps(entry, sort_keys=True).replace("$", r"\u0024") for entry in _entries(record))
    return "".join(f"{line}\n" for line in lines) if record.columns else ""


def _add(record: Record, entry: object) -> None:
    """Add what an entry says. ValueError where that is nothing."""
    match entry:
        case {"path": str(path), "rendered": rendered, "template": template, **rest} if not rest:
            record.columns.append(_column(fieldpath.parse(path), rendered, template))
        case {"path": str(path), "rendered": rendered, "secret": True, "template": template, **rest} if not rest:
            record.columns.append(_column(fieldpath.parse(path), rendered, template, is_secret=True))
        case {"from": str(giver), "variable": str(name), **rest} if not rest:
            record.values[name] = Given(None, giver)
        case {"from": str(giver), "value": str(text), "variable": str(name), **rest} if not rest:
            record.values[name] = Given(text, giver)
        case {"identity": str(identity), **rest} if not rest:
            record.identity = identity
        case _:
            raise ValueError(entry)


def _column(path: FieldPath, rendered: object, template: object, *, is_secret: bool = False) -> Column:
    if WILDCARD not in path:
        rendered, template = [rendered], [template]
    if not isinstance(rendered, list) or not isinstance(template, list) or len(rendered) != len(template):
        raise ValueError(path)
    return Column(path, [*map(_rendered, rendered)], [*map(_template, template)], is_secret=is_secret)


def _rendered(value: Any) -> Rendered:  # noqa: ANN401 - whatever stands there
    match value:
        case str() | None:
            return value
        case {"sha256": str(hexadecimal), **rest} if not rest:
            return _SHA256, hexadecimal
    raise ValueError(value)


def _template(value: object) -> Template | None:
    match value:
        case None:
            return None
        case str():
            return Template(value)
        case {"plain": str(text), **rest} if not rest:
            return Template(text, is_open=True)
    raise ValueError(value)


def _entries(record: Record) -> Iterator[dict[str, object]]:
    columns = sorted((fieldpath.to_text(column.path), column) for column in record.columns)
    for path, column in columns:
        yield {"path": path, **_said(column)}
    for name, given in sorted(record.values.items()):
        entry: dict[str, object] = {"from": given.giver, "variable": name}
        yield entry if given.text is None else entry | {"value": given.text}
    if any(isinstance(value, tuple) for _, column in columns for value in column.rendered):
        yield {"identity": record.identity}


def _said(column: Column) -> dict[str, object]:
    """Return what an entry says of the fields of a column, which is one field where its path is no list's."""
    said: dict[str, Any] = {
        "rendered": [dict([value]) if isinstance(value, tuple) else value for value in column.rendered],
        "template": [*map(_written, column.templates)],
    }
    if WILDCARD not in column.path:
        said = {key: value for key, (value,) in said.items()}
    return said | {"secret": True} if column.is_secret else said


def _written(template: Template | None) -> object:
    if template is None:
        return None
    return {"plain": template.text} if template.is_open else template.text
