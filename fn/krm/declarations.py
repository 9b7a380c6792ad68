"""The kinds of values that a functionConfig holds. Each kind is a JSON Schema and a reader, which take the same data.

A reader returns a value of the program (a field path, a selector, a dataclass of an author), and adds each mistake in
the data to a list: the wrong value, and what would be right.

In that data no scalar is re-typed. `1.10` is a number to one reader of YAML, `0777` an octal number to another, `yes` a
boolean to a third. The value of such a scalar would depend on the orchestrator, so it is kept as `Retyped` and refused.
"""

from __future__ import annotations

from krm.vocabulary import nearest, quoted, unknown
from krm.yamltree import scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.fieldpath import Place
    from krm.yamltree.nodes import Node, Scalar

    Untyped: TypeAlias = "str | int | Retyped | None"
    ConfigData: TypeAlias = "dict[str, ConfigData] | list[ConfigData] | Untyped"
    JsonSchema: TypeAlias = dict[str, Any]
    Read: TypeAlias = Callable[[str], object]
    Constructor: TypeAlias = Callable[[Place, dict[str, Any]], object]

A_LIST = "a list"
A_MAPPING = "a mapping"
_SHOWN = 40

NOT_GIVEN = object()
"""The default of a field that has none."""


class Mistake:
    """What is wrong at a place, as a sentence. `unquoted` says it of a secret value, which it does not quote."""

    def __init__(self, place: Place, sentence: str, unquoted: str = "") -> None:
        self.place = place
        self.sentence = sentence
        self.unquoted = unquoted or sentence


class Retyped:
    """A plain scalar that is not its text to every reader: `1.10`, `0777`, `1e3`, `yes`."""

    def __init__(self, text: str) -> None:
        self.text = text


def read(node: Node | None) -> ConfigData:
    """Return `node` as data, aliases and `<<` followed.

    A scalar is a str, an int or a bool only if every reader and writer of YAML keeps its text.
    """
    found: ConfigData = scalars.data(node, _leaf)
    return found


def written(value: Untyped) -> str:
    """Return the text from which `read` made a leaf."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Retyped) else scalars.leaf(value, flow=False)


def _leaf(scalar: Scalar) -> Untyped:
    text = scalars.string(scalar)
    if text is not None:
        return text
    value = scalars.typed(scalar)
    if value is None or (isinstance(value, int) and written(value) == scalar.value):
        return value
    return Retyped(scalar.value)


def is_leaf(data: ConfigData) -> bool:
    """True for a scalar in data, except null."""
    return not isinstance(data, dict | list | None)


def not_allowed(place: Place, found: ConfigData, allowed: str, hint: str = "") -> Mistake:
    """Return the mistake of a wrong value. If a string would be right, it says how to write one.

    The value is quoted as it was written, shortened. A collection is not: it may hold a secret.
    """
    start, rest = "found ", f", but only {allowed} is allowed here"
    if isinstance(found, dict | list):
        noun = shown = A_MAPPING if isinstance(found, dict) else A_LIST
    else:
        noun, text = "a scalar", written(found)
        shown = f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
        if "a string" in allowed and isinstance(found, Retyped):
            start, rest = "", " is not the same text to every reader of YAML: write it in quotes"
        elif "a string" in allowed:
            rest += ': write `""` for an empty text' if found is None else ": write it in quotes"
    return Mistake(place, f"{start}{shown}{rest}{hint}", f"{start}{noun}{rest}{hint}")


class Kind:
    """A kind of values: a JSON Schema, and a reader of the data that the kind `accepts`. `allowed` names these data.

    The reader raises ValueError for data of another form, with or without a sentence. A kind with a name is in the
    schema once, in `$defs`, with its description.
    """

    takes_none = False
    """True if null is a value, too: None."""

    hint = ""
    """How to write a value of this kind. It follows the sentence about a wrong value."""

    def __init__(  # noqa: PLR0913 - one parameter for each property
        self,
        schema: JsonSchema,
        allowed: str,
        accepts: Callable[[Any], bool],
        read: Callable[[Any], Any] = lambda data: data,
        *,
        name: str = "",
        description: str = "",
    ) -> None:
        self._own = schema
        self.allowed = allowed
        self.accepts = accepts
        self._reader = read
        self.name = name
        self._described = {"description": description} if description else {}

    def schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        """Return the JSON Schema. The schemas of the kinds with names are put into `named`."""
        if not self.name:
            return self._described | self._schema(named)
        if self.name not in named:
            named[self.name] = self._described | self._schema(named)
        return {"$ref": f"#/$defs/{self.name}"}

    def read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        """Return the value of `data` at a place, and add the mistakes. A part with a mistake has no value."""
        if data is None and self.takes_none:
            return None
        if self.accepts(data):
            return self._read(data, place, found)
        found.append(not_allowed(place, data, self.allowed, self.hint or self._form(data)))
        return None

    def entry(self, key: str) -> str:
        """Return the start of a value for a key that somebody wrote without a value."""
        return f"{key}: ..." if self.allowed == A_MAPPING else key

    def _schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        return self._own

    def _read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        try:
            return self._reader(data)
        except ValueError as error:
            sentence = str(error)
            found.append(Mistake(place, sentence) if sentence else not_allowed(place, data, self.allowed))
            return None

    def _form(self, data: ConfigData) -> str:
        """Return how to write the wrong value in the right form, "" if nobody can tell."""
        return ""


class Text(Kind):
    """A string. `read` is the reader of its `form`."""

    def __init__(self, form: str = "", read: Read = str, *, name: str = "", description: str = "") -> None:
        schema = {"type": "string", **({"format": form} if form else {})}
        accepts = lambda data: isinstance(data, str)  # noqa: E731
        super().__init__(schema, "a string", accepts, read, name=name, description=description)
        self.form = form


TEXT = Text()
"""Any string."""


class Word(Kind):
    """One of a few words. They may include true and false, which are read as the words `true` and `false`."""

    def __init__(self, words: collections.abc.Sequence[str | bool], *, name: str = "") -> None:
        # The types too, as True equals 1 in Python.
        accepts = lambda data: any(data == word and type(data) is type(word) for word in words)  # noqa: E731
        super().__init__({"enum": [*words]}, quoted([*map(written, words)]), accepts, written, name=name)
        self.words = words


LEAF = Kind(
    {"type": ["string", "integer", "boolean"]},
    "a string, an integer, true or false",
    lambda data: isinstance(data, str | int),
    written,
)
"""The text of a string, an integer or a boolean, as it was written."""

FLAG = Kind({"type": "boolean"}, "true or false", lambda data: isinstance(data, bool))
"""True or false."""

WHOLE = Kind({"type": "object"}, A_MAPPING, lambda data: isinstance(data, dict))
"""A mapping with any entries."""


class ListOf(Kind):
    """A list of elements of one kind. `make` returns the value for the elements."""

    def __init__(  # noqa: PLR0913 - as above
        self,
        kind: Kind,
        *,
        make: Callable[[list[Any]], object] = tuple,
        least: int = 0,
        unique: bool = False,
        name: str = "",
        description: str = "",
    ) -> None:
        accepts = lambda data: isinstance(data, list)  # noqa: E731
        super().__init__({}, A_LIST, accepts, name=name, description=description)
        self._kind = kind
        self._make = make
        self._least = least
        self._unique = unique

    def _schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        least = {"minItems": self._least} if self._least else {}
        return {"type": "array", "items": self._kind.schema(named), **least} | (
            {"uniqueItems": True} if self._unique else {}
        )

    def _read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        before = len(found)
        made = [self._kind.read(one, (*place, index), found) for index, one in enumerate(data)]
        if len(data) < self._least:
            found.append(Mistake(place, "at least one element is needed"))
        again = [index for index, one in enumerate(data) if one in data[:index]] if self._unique else []
        if again:
            first = data.index(data[again[0]])
            found.append(Mistake((*place, again[0]), f"this is here again, first in element {first}"))
        return self._make(made) if len(found) == before else None

    def _form(self, data: ConfigData) -> str:
        if isinstance(data, dict) and data:
            return f": write each entry behind a dash, `- {self._kind.entry(next(iter(data)))}`"
        return ""


class OneOrMore(ListOf):
    """A list of elements of one kind, or one such element without a list."""

    def _schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        one = self._kind.schema(named)
        return {"if": {"type": "array"}, "then": {"items": one}, "else": one}

    def read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        """Return the list that `data` means."""
        if isinstance(data, list):
            return super().read(data, place, found)
        return (self._kind.read(data, place, found),)


class MapOf(Kind):
    """A mapping of keys of one kind to values of another."""

    def __init__(self, kind: Kind, keys: Kind = TEXT) -> None:
        super().__init__({}, A_MAPPING, lambda data: isinstance(data, dict))
        self._kind = kind
        self._keys = keys

    def _schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        return {"type": "object", "additionalProperties": self._kind.schema(named)}

    def _read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        return {
            self._keys.read(key, (*place, key), found): self._kind.read(one, (*place, key), found)
            for key, one in data.items()
        }


class Field:
    """A key of a mapping: the kind of its value, what it is for, its default as data, and whether it must be there.

    With `in_annotation` an annotation of a ConfigMap sets it, too. A kind with a name may describe the field itself.
    """

    def __init__(
        self,
        kind: Kind,
        description: str = "",
        *,
        default: object = NOT_GIVEN,
        required: bool = False,
        in_annotation: bool = False,
    ) -> None:
        self.kind = kind
        self.required = required
        self.in_annotation = in_annotation
        self._described = {"description": description} if description else {}
        self.default_as_data = default

    def schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        """Return the schema of the value, with the description of the field."""
        default = {} if self.default_as_data is NOT_GIVEN else {"default": self.default_as_data}
        return self._described | self.kind.schema(named) | default

    @property
    def default(self) -> Any:
        """The value of an absent field. For a mapping it is None, so that the module of its type is not imported."""
        data = self.default_as_data
        return None if data is NOT_GIVEN or data == {} else self.kind.read(data, (), [])


class Record(Kind):
    """A mapping with these keys and no others. `make` gets its place, and the value of each field by its key.

    Without it these values are the value. Of the fields in `one_of` exactly one is there.
    """

    def __init__(
        self,
        fields: dict[str, Field],
        make: Constructor = lambda _, given: given,
        *,
        one_of: collections.abc.Sequence[str] = (),
        name: str = "",
        description: str = "",
    ) -> None:
        accepts = lambda data: isinstance(data, dict)  # noqa: E731
        super().__init__({}, A_MAPPING, accepts, name=name, description=description)
        self.fields = fields
        self._make = make
        self._one_of = one_of

    def entry(self, key: str) -> str:
        """Return the start of a value that somebody wrote as a key: that is its name, or its first field."""
        return f"name: {key}" if "name" in self.fields and key not in self.fields else super().entry(key)

    def _schema(self, named: dict[str, JsonSchema]) -> JsonSchema:
        required = [key for key, field in self.fields.items() if field.required]
        return {
            "type": "object",
            **({"required": required} if required else {}),
            **({"oneOf": [{"required": [key]} for key in self._one_of]} if self._one_of else {}),
            "additionalProperties": False,
            "properties": {key: field.schema(named) for key, field in self.fields.items()},
        }

    def _read(self, data: Any, place: Place, found: list[Mistake]) -> Any:
        before = len(found)
        # Unknown keys come first: one of them is often the missing key, misspelt.
        found += [Mistake((*place, key), self._unknown(key)) for key in data if key not in self.fields]
        required = (key for key, field in self.fields.items() if field.required and key not in data)
        found += [Mistake(place, f"`{key}` is missing") for key in required]
        here = [key for key in self._one_of if key in data]
        # A misspelt key is not reported as missing again.
        meant = {nearest(key, self.fields) for key in data if key not in self.fields}
        if self._one_of and len(here) != 1 and (here or meant.isdisjoint(self._one_of)):
            listed = quoted(here, "and") if here else "none"
            sentence = f"exactly one of {quoted(self._one_of, 'and')} is needed, found {listed}"
            found.append(Mistake(place, sentence))
        given = {
            key: field.kind.read(data[key], (*place, key), found) for key, field in self.fields.items() if key in data
        }
        return self._made(place, given) if len(found) == before else None

    def _made(self, place: Place, given: dict[str, Any]) -> Any:
        absent = {key: field.default for key, field in self.fields.items() if key not in given}
        return self._make(place, given | absent)

    def _unknown(self, key: str) -> str:
        """Return the sentence about an unknown key. A key of `spec` that is beside `spec` belongs into it."""
        spec = self.fields["spec"].kind if "spec" in self.fields else None
        if isinstance(spec, Record) and key in spec.fields:
            return f"unknown key `{key}`: it belongs below `spec`"
        return unknown(key, self.fields)

    def _form(self, data: ConfigData) -> str:
        words = {key: field.kind.words for key, field in self.fields.items() if isinstance(field.kind, Word)}
        keys = [key for key in words if data in words[key] and not self.fields[key].kind.name]
        return f": write `{{{keys[0]}: {written(data)}}}`" if keys and not isinstance(data, dict | list) else ""
