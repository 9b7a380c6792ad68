"""The kinds of values that a functionConfig holds. Each kind is a JSON Schema and a reader, which take the same data.

A reader returns what the program works with (a field path, a selector, an object of `model`), and raises ValueError for
data that the schema refuses. It gives no reason: jsonschema finds every mistake, and is imported only then, since that
takes several times as long as a small run.

In that data no scalar is re-typed. `1.10` is a number to one reader of YAML, `0777` an octal one to another, `yes` a
boolean to a third. A value that comes from such a scalar would depend on the orchestrator, so it is kept as `Retyped`,
and the schema refuses it.
"""

from __future__ import annotations

from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.fieldpath import Place
    from krm.yamltree.nodes import Node, Scalar

    Untyped: TypeAlias = "str | int | Retyped | None"
    Data: TypeAlias = "dict[str, Data] | list[Data] | Untyped"
    Schema: TypeAlias = dict[str, Any]
    Read: TypeAlias = Callable[[str], object]
    Make: TypeAlias = Callable[[str, dict[str, Any]], object]

    Mistake: TypeAlias = tuple[Place, str]

A_LIST = "a list"
A_MAPPING = "a mapping"
_SHOWN = 40

NOT_GIVEN = object()
"""The default of a field that has none."""


class Retyped:
    """A plain scalar that not every reader takes for its text: `1.10`, `0777`, `1e3`, `yes`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def read(node: Node | None) -> Data:
    """Return `node` as data, aliases and `<<` followed.

    A scalar is a str, an int or a bool only if every reader and writer of YAML keeps its text.
    """
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: read(value) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [read(element) for element in node.kids]
    return None if node is None else _leaf(node)


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


def not_allowed(found: Data, allowed: str) -> str:
    """Return the sentence for a wrong value. If a string would be right, it says how to write one."""
    quotable = "a string" in allowed and not isinstance(found, dict | list)
    if quotable and isinstance(found, Retyped):
        return f"{_displayed(found)} is not the same text to every reader of YAML: write it in quotes"
    message = f"found {_displayed(found)}, but only {allowed} is allowed here"
    if not quotable:
        return message
    return f'{message}: write `""` for an empty text' if found is None else f"{message}: write it in quotes"


def _displayed(found: Data) -> str:
    """Return a value as it was written, shortened. A collection is not shown: it may hold a secret."""
    if isinstance(found, dict | list):
        return A_MAPPING if isinstance(found, dict) else A_LIST
    text = written(found)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"


class Kind:
    """What a value may be: the JSON Schema, and the reader of data, which asks `is_one` of them first.

    `words` are the values that are allowed, where they are few. A kind with a name stands once in the schema, in
    `$defs`, and is described there.
    """

    def __init__(  # noqa: PLR0913 - one parameter for each property
        self,
        schema: Schema,
        is_one: Callable[[Any], bool],
        read: Callable[[Any], Any] = lambda data: data,
        *,
        words: collections.abc.Sequence[str | bool] = (),
        name: str = "",
        description: str = "",
    ) -> None:
        self.words = words
        self._own = schema
        self._is_one = is_one
        self._reader = read
        self._name = name
        self._described = {"description": description} if description else {}

    def schema(self, named: dict[str, Schema]) -> Schema:
        """Return the JSON Schema. The schemas of the kinds with names are put into `named`."""
        if not self._name:
            return self._described | self._schema(named)
        if self._name not in named:
            named[self._name] = self._described | self._schema(named)
        return {"$ref": f"#/$defs/{self._name}"}

    def read(self, data: Any, path: str) -> Any:
        """Return what `data` means. `path` is its field path. ValueError if the schema refuses it."""
        if not self._is_one(data):
            raise ValueError
        return self._read(data, path)

    def of_words(self, words: collections.abc.Sequence[str], path: str) -> Any:
        """Return what the words of an annotation mean. Each is one of `words`, as it is written."""
        return self.read(next(one for one in self.words if written(one) == words[0]), path)

    def _schema(self, named: dict[str, Schema]) -> Schema:
        return self._own

    def _read(self, data: Any, path: str) -> Any:
        return self._reader(data)


class Text(Kind):
    """A string. `read` is the reader of its `form`: it raises ValueError for a string of another one."""

    def __init__(self, form: str = "", read: Read = str, *, name: str = "", description: str = "") -> None:
        schema = {"type": "string", **({"format": form} if form else {})}
        super().__init__(schema, lambda data: isinstance(data, str), read, name=name, description=description)
        self.form = form


class Word(Kind):
    """One of a few words. Among them true and false may be, which are read as the words `true` and `false`."""

    def __init__(self, words: collections.abc.Sequence[str | bool], *, name: str = "") -> None:
        # The types too, as True equals 1 in Python.
        is_one = lambda data: any(data == word and type(data) is type(word) for word in words)  # noqa: E731
        super().__init__({"enum": [*words]}, is_one, written, words=words, name=name)


LEAF = Kind({"type": ["string", "integer", "boolean"]}, lambda data: isinstance(data, str | int), written)
"""The text of a string, an integer or a boolean, as it was written."""

FLAG = Kind({"type": "boolean"}, lambda data: isinstance(data, bool), words=(True, False))
"""True or false."""

WHOLE = Kind({"type": "object"}, lambda data: isinstance(data, dict))
"""A mapping that is not looked into."""


class ListOf(Kind):
    """A list of elements of one kind. `make` is what becomes of the elements."""

    def __init__(
        self,
        kind: Kind,
        *,
        make: Callable[[list[Any]], object] = tuple,
        least: int = 0,
        unique: bool = False,
    ) -> None:
        super().__init__({}, self._fits, words=kind.words)
        self._kind = kind
        self._make = make
        self._least = least
        self._unique = unique

    def _schema(self, named: dict[str, Schema]) -> Schema:
        least = {"minItems": self._least} if self._least else {}
        return {"type": "array", "items": self._kind.schema(named), **least} | (
            {"uniqueItems": True} if self._unique else {}
        )

    def _fits(self, data: Any) -> bool:
        is_long = isinstance(data, list) and len(data) >= self._least
        return is_long and not (self._unique and any(one in data[:index] for index, one in enumerate(data)))

    def _read(self, data: Any, path: str) -> Any:
        return self._make([self._kind.read(element, f"{path}[{index}]") for index, element in enumerate(data)])

    def of_words(self, words: collections.abc.Sequence[str], path: str) -> Any:
        """Return what the words of an annotation mean, each of them an element."""
        return self._make([self._kind.of_words([word], path) for word in words])


class OneOrMore(ListOf):
    """A list of elements of one kind, or one such element, which stands for a list of one."""

    def __init__(self, kind: Kind, *, name: str, description: str) -> None:
        super().__init__(kind)
        self._name = name
        self._described = {"description": description}

    def _schema(self, named: dict[str, Schema]) -> Schema:
        one = self._kind.schema(named)
        return {"if": {"type": "array"}, "then": {"items": one}, "else": one}

    def read(self, data: Any, path: str) -> Any:
        """Return the list that `data` means."""
        return super().read(data if isinstance(data, list) else [data], path)


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

    def schema(self, named: dict[str, Schema]) -> Schema:
        """Return the schema of the value, with what is said of the field."""
        default = {} if self.default_as_data is NOT_GIVEN else {"default": self.default_as_data}
        return self._described | self.kind.schema(named) | default

    @property
    def default(self) -> Any:
        """What an absent field means. None for a mapping: the module that makes one is imported for a given one."""
        data = self.default_as_data
        return None if data is NOT_GIVEN or data == {} else self.kind.read(data, "")


class Record(Kind):
    """A mapping with these keys and no others. `make` gets its field path, and the value of each field by its key.

    Of the fields in `one_of` exactly one is there. A word of the first one stands for a mapping with that field alone.
    """

    def __init__(
        self,
        fields: dict[str, Field],
        make: Make,
        *,
        one_of: collections.abc.Sequence[str] = (),
        name: str = "",
        description: str = "",
    ) -> None:
        words = fields[one_of[0]].kind.words if one_of else ()
        super().__init__({}, self._fits, words=words, name=name, description=description)
        self.fields = fields
        self._make = make
        self._one_of = one_of

    def of_words(self, words: collections.abc.Sequence[str], path: str) -> Any:
        """Return what a word of an annotation means: a mapping with one field."""
        return self.read({self._one_of[0]: words[0]}, path)

    def _schema(self, named: dict[str, Schema]) -> Schema:
        required = [key for key, field in self.fields.items() if field.required]
        return {
            "type": "object",
            **({"required": required} if required else {}),
            **({"oneOf": [{"required": [key]} for key in self._one_of]} if self._one_of else {}),
            "additionalProperties": False,
            "properties": {key: field.schema(named) for key, field in self.fields.items()},
        }

    def _fits(self, data: Any) -> bool:
        is_known = isinstance(data, dict) and data.keys() <= self.fields.keys()
        is_one = is_known and (not self._one_of or sum(key in data for key in self._one_of) == 1)
        return is_one and all(key in data for key, field in self.fields.items() if field.required)

    def _read(self, data: Any, path: str) -> Any:
        values = {
            key: field.kind.read(data[key], f"{path}.{key}" if path else key) if key in data else field.default
            for key, field in self.fields.items()
        }
        return self._make(path, values)
