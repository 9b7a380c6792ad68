"""The text of a record: its entries, read and written (docs/runs-in-place.md, "The record").

An entry takes two lines, its key and its indented value. The key line of a field stays the same when its value changes,
so git merges two neighbours that two branches changed.

    entry     = key ":" NEWLINE "  " value NEWLINE
    key       = path | "variable " name | "option " name | "secrets of" | "empty before"
    value     = of a path: [ "secret " ] ( hash | "-" ) [ " " [ "plain " ] ( template | "cut " pieces ) ]
                of a variable: text | "secret" [ " " hash ]
                of an option: text, its words with spaces between; of "secrets of": text
                of "empty before": text, the path of a mapping that stays when the record goes
    template, text = a string in JSON
    pieces    = a list in JSON: the length of each literal part, and each name with the length of its value; the value
                of the last name is what is left, so that the length of a single one does not show

A path or a name that has other characters than printable ASCII, or a `$`, is a string in JSON too.
"""

from __future__ import annotations

import re

from expand_vars.functionconfig.model import REMEMBERED
from krm import fieldpath, hashes
from krm.yamltree.nodes import Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from expand_vars.functionconfig.model import Options
    from krm.fieldpath import FieldPath

    Pieces: TypeAlias = tuple[tuple[str | None, int | None], ...]
    """The parts of a rendered text: the name that a value is of, None for a literal part, and its length.

    The last value has None for its length: it takes what is left.
    """

_VARIABLE, _OPTION, _SECRETS_OF, _EMPTY = "variable ", "option ", "secrets of", "empty before"
_ANNOTATIONS = "metadata.annotations"
# Without `$`, which the `vars` of kustomize expand in annotations, and without a space at an end: a line that starts
# with one is a value. A key that starts with a quote is a string in JSON.
_PLAIN_KEY = re.compile(r"[!#%-~]([ -#%-~]*[!#%-~])?")
_FIELD = re.compile(
    r"(?P<secret>secret )?(?:(?P<hash>[0-9a-f]{10})|-)"
    r'(?: (?P<plain>plain )?(?:(?P<template>".*")|cut (?P<pieces>\[.*\])))?'
)
_VALUE = re.compile(r'(?P<text>".*")|secret(?: (?P<hash>[0-9a-f]{10}))?')


class Template:
    """A text that holds references. An open one, a plain scalar that is one reference, takes the type of its value.

    In the data of a Secret the text around the references is secret too: the record has its `pieces` alone, and until
    `filled` puts the literal ones back, the text is the references.
    """

    __slots__ = ("is_open", "pieces", "text")

    def __init__(self, text: str, *, is_open: bool = False, pieces: Pieces | None = None) -> None:
        self.text = text
        self.is_open = is_open
        self.pieces = pieces

    def filled(self, rendered: str) -> Template:
        """Return the template with the literal parts of what was rendered from it."""
        if self.pieces is None:
            return self
        parts, position = [], 0
        rest = len(rendered) - sum(length for _, length in self.pieces if length is not None)
        # A `$` of the rendered text may have been one or two: two mean one in every field that is in the final form.
        for name, length in self.pieces:
            end = position + (rest if length is None else length)
            parts.append(rendered[position:end].replace("$", "$$") if name is None else f"$({name})")
            position = end
        return Template("".join(parts), is_open=self.is_open, pieces=self.pieces)

    @property
    def shown(self) -> Scalar:
        """The scalar that takes the place of the rendered one: a string, unless its type is open."""
        return Scalar(0, 0, self.text, "" if self.is_open else '"', None, None)


class Entry:
    """The entry of a field: the template, and the hash of the rendered text, None where that is no scalar.

    An element of a list stands in the record with its neighbours, of which some have no template: they tell where it
    is when the list changes. The hash of a secret one is over the object's identity and the path as well.
    """

    __slots__ = ("digest", "is_secret", "path", "template")

    def __init__(
        self, path: FieldPath, digest: str | None, template: Template | None, *, is_secret: bool = False
    ) -> None:
        self.path = path
        self.digest = digest
        self.template = template
        self.is_secret = is_secret


class Given:
    """The EnvVar text that a variable had, None for one that must not be shown; of a text in a Secret its hash."""

    __slots__ = ("digest", "text")

    def __init__(self, text: str | None, digest: str | None = None) -> None:
        self.text = text
        self.digest = digest


class Record:
    """The entries of an object. The lines that say nothing are `damaged`, by their numbers.

    `was_empty` is true if the object had `annotations: {}` before it had a record. The fields of `dropped` have no
    entry, since the annotation has no room for it.
    """

    __slots__ = ("damaged", "dropped", "entries", "identity", "options", "values", "was_empty")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.values: dict[str, Given] = {}
        self.options: Options = {}
        self.identity = ""
        self.was_empty = False
        self.dropped: list[FieldPath] = []
        self.damaged: list[int] = []


def secret_hash(identity: str, path: FieldPath, text: str) -> str:
    """Return the hash of a secret text. It shows neither the text nor where else the same one stands."""
    return hashes.digest(identity, path, text)[: hashes.SHORT]


def read(text: str) -> Record:
    """Return what the lines of a record say.

    A key that is there twice, as after a merge with conflicts, says nothing.
    """
    import json  # noqa: PLC0415 - only for an object that has a record

    record = Record()
    # Without blank lines, which kpt's printer puts into a folded text.
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    found: dict[str, list[int]] = {}
    at = 0
    while at < len(lines):
        (number, key), (_, value) = lines[at], lines[at + 1] if at + 1 < len(lines) else (0, "")
        if not key.startswith(" ") and key.endswith(":") and value.startswith("  "):
            found.setdefault(key, []).append(at)
            at += 2
        else:
            record.damaged.append(number)
            at += 1
    # All keys first: of one that is there twice neither is right, as both sides of a conflict are still there.
    for key, places in found.items():
        try:
            (at,) = places
            _add(record, json.loads(key[:-1]) if key.startswith('"') else key[:-1], lines[at + 1][1][2:])
        # RecursionError is for JSON with very many brackets: anybody can edit an annotation.
        except (ValueError, RecursionError):
            record.damaged += [number for at in places for number, _ in lines[at : at + 2]]
    record.damaged.sort()
    return record


def to_text(record: Record) -> str:
    """Return the text of a record, always in the same order; empty for one without fields."""
    # Values are there for the fields: without one nobody will ask for them.
    if not record.entries:
        return ""
    values = ((f"{_VARIABLE}{name}", _given(given)) for name, given in sorted(record.values.items()))
    options = ((f"{_OPTION}{name}", _string(" ".join(words))) for name, words in sorted(record.options.items()))
    is_secret = any(entry.is_secret for entry in record.entries)
    of = [(_SECRETS_OF, _string(record.identity))] if is_secret else []
    of += [(_EMPTY, _string(_ANNOTATIONS))] if record.was_empty else []
    rest = (f"{_key(key)}:\n  {value}\n" for key, value in (*values, *options, *of))
    return "".join((*map(of_entry, record.entries), *rest))


def of_entry(entry: Entry) -> str:
    """Return the two lines of an entry."""
    return f"{_key(fieldpath.to_text(entry.path))}:\n  {_said(entry)}\n"


def _add(record: Record, key: str, value: str) -> None:
    """Add what an entry says. ValueError where that is nothing."""
    if key.startswith(_VARIABLE):
        record.values[key.removeprefix(_VARIABLE)] = _read_given(value)
    elif key.startswith(_OPTION):
        record.options |= _read_option(key.removeprefix(_OPTION), _loaded(value).split())
    elif key == _SECRETS_OF:
        record.identity = _loaded(value)
    elif key == _EMPTY:
        record.was_empty = _loaded(value) == _ANNOTATIONS
    else:
        record.entries.append(_read_field(fieldpath.parse(key), value))


def _read_field(path: FieldPath, value: str) -> Entry:
    match = _FIELD.fullmatch(value)
    if match is None:
        raise ValueError(value)
    text = match["template"]
    is_open = match["plain"] is not None
    template = None if text is None else Template(_loaded(text), is_open=is_open)
    if match["pieces"] is not None:
        pieces = _read_pieces(match["pieces"])
        names = "".join(f"$({name})" for name, _ in pieces if name is not None)
        template = Template(names, is_open=is_open, pieces=pieces)
    return Entry(path, match["hash"], template, is_secret=match["secret"] is not None)


def _read_pieces(value: str) -> Pieces:
    import json  # noqa: PLC0415 - as above

    pieces: list[tuple[str | None, int | None]] = []
    for piece in json.loads(value):
        match piece:
            case [str(name), int(length)]:
                pieces.append((name, length))
            case int(length):
                pieces.append((None, length))
            case str(name):
                pieces.append((name, None))
            case _:
                raise ValueError(value)
    lengths = [length for _, length in pieces]
    # Anybody can edit an annotation: more than one value that takes what is left could not be told apart.
    if lengths.count(None) != 1 or any(length is not None and length < 0 for length in lengths):
        raise ValueError(value)
    return tuple(pieces)


def _read_given(value: str) -> Given:
    match = _VALUE.fullmatch(value)
    if match is None:
        raise ValueError(value)
    return Given(None if match["text"] is None else _loaded(match["text"]), match["hash"])


def _read_option(name: str, words: list[str]) -> Options:
    """Return the words of an option. ValueError for one that this version does not know: guessing would expand."""
    if not set(words) <= set(REMEMBERED.get(name, ())) or not (words or name == "inline"):
        raise ValueError(name)
    return {name: tuple(words)}


def _loaded(value: str) -> str:
    import json  # noqa: PLC0415 - as above

    text = json.loads(value)
    if not isinstance(text, str):
        raise ValueError(value)  # noqa: TRY004 - the same error as for what is no JSON
    return text


def _said(entry: Entry) -> str:
    words = ["secret"] if entry.is_secret else []
    words.append(entry.digest or "-")
    template = entry.template
    if template is not None:
        words += ["plain"] if template.is_open else []
        words += [_string(template.text)] if template.pieces is None else ["cut", _cut(template.pieces)]
    return " ".join(words)


def _cut(pieces: Pieces) -> str:
    parts = (
        str(length) if name is None else _string(name) if length is None else f"[{_string(name)}, {length}]"
        for name, length in pieces
    )
    return f"[{', '.join(parts)}]"


def _given(given: Given) -> str:
    if given.text is not None:
        return _string(given.text)
    return "secret" if given.digest is None else f"secret {given.digest}"


def _string(text: str) -> str:
    """Return a text as a string in JSON, in ASCII and without `$`: kustomize's `vars` expands annotations."""
    import json  # noqa: PLC0415 - as above

    # One line whatever the text: a line break in it is an escape, so that each entry stays two lines.
    return json.dumps(text).replace("$", r"\u0024")


def _key(key: str) -> str:
    return key if _PLAIN_KEY.fullmatch(key) and not key.startswith('"') else _string(key)
