"""Fields that are read and edited by path: `Fields`, and a part of an object, `Part`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager, nullcontext

from krm import envelope, fieldpath, secrets
from krm.function.copies import note_read, note_written
from krm.function.edited_object import file_with, has_kids
from krm.results import ERROR, FnError, Result
from krm.yamltree import Verbatim, field_comments, nodes, scalars, style
from krm.yamltree.changes import NoSuchPlaceError
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, NoReturn, SupportsIndex, TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Place
    from krm.function.edited_object import EditedObject
    from krm.yamltree.field_comments import Where
    from krm.yamltree.nodes import Node

    T = TypeVar("T")
else:
    Any = object  # `typing` takes milliseconds to import

Path: TypeAlias = str | tuple[str | int, ...]
"""A field path as text, or its keys and indexes."""

Value: TypeAlias = str | int | float | bool | Mapping[str, object] | list[Any] | tuple[object, ...] | None
"""A value of YAML. The values in a mapping, a list or a tuple are checked at run time."""


def _as(*kinds: Callable[[Any], Any]) -> Callable[[str], Any]:
    """Return a reader of texts as the first of some types that a plain scalar of YAML with this text has."""

    def read(text: str) -> Any:
        found = scalars.typed(Scalar(0, len(text), text, "", None, None))
        if type(found) not in kinds:
            raise ValueError
        return kinds[0](found)

    return read


SCALARS: dict[object, tuple[str, Callable[[str], Any]]] = {
    str: ("a text", str),
    int: ("a whole number", _as(int)),
    float: ("a number", _as(float, int)),
    bool: ("true or false", _as(bool)),
}
"""The name in a sentence of each type that a scalar is read as, and what reads it from its text."""


class Fields:
    """Fields below one place of an object, from where a path counts. It follows its element of a list.

    Paths are text, `spec.containers[name=web].image`, or tuples of keys and indexes. ValueError says
    where a text is no path. FnError is raised if the object is not YAML.
    """

    __slots__ = ("__weakref__", "_is_lost", "_object", "_place")

    def __init__(self, edited: EditedObject, place: Place) -> None:
        self._object = edited
        self._place = place
        self._is_lost = False
        edited.parts[id(self)] = self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fields):
            return NotImplemented
        return (id(self._object), self._place) == (id(other._object), other._place)

    def __hash__(self) -> int:
        return id(self._object)  # places change

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # Edits of a copied object would not be in the text that the object points into.
        raise TypeError("an object cannot be copied or pickled: `text` has its YAML, and `ResourceList.add` copies it")

    def get(self, path: Path = "", default: Any = None) -> Any:
        """Return a copy of the value of a field: dict, list, str, int, float, bool or None.

        The first one, if the path leads to several. `default` is for an absent field alone: one that is null gives
        None. `1.10` is a number here; `get_str` keeps its text.

        >>> deployment.get("spec.replicas")
        3
        >>> deployment.get("spec.paused", "absent")
        'absent'
        """
        found = self._first(path)
        return default if found is None else self._copy(*found)

    def __getitem__(self, path: Path) -> Any:
        """Return what `get` returns. A key of the mapping itself needs no quotes. KeyError if the field is absent.

        >>> deployment["spec.replicas"]
        3
        """
        found = self._item(path)
        if found is None:
            raise KeyError(_text(path))
        return self._copy(*found)

    def keys(self) -> list[str]:
        """Return the keys of a mapping.

        >>> deployment.part("metadata.labels").keys()
        ['app']
        """
        return [*self]

    def get_str(self, path: Path = "", default: str = "") -> str:
        """Return the text of a scalar as it is written, without quotes: `1.10` and `0777` keep every digit.

        `default` is returned if the field is absent or null.

        >>> config_map.get_str("data.tag")
        '1.10'
        """
        return self._read(path, default, str)

    def get_int(self, path: Path = "", default: int = 0) -> int:
        """Return the whole number in a field, in quotes or not: the values of a ConfigMap are strings.

        `default` is returned if the field is absent or null.

        >>> config_map.get_int("data.replicas")
        3
        """
        return self._read(path, default, int)

    def get_float(self, path: Path = "", default: float = 0.0) -> float:
        """Return the number in a field, as `get_int` returns a whole one.

        >>> config_map.get_float("data.tag")
        1.1
        """
        return self._read(path, default, float)

    def get_bool(self, path: Path = "", default: bool = False) -> bool:  # noqa: FBT001, FBT002 - as `get_int` has it
        """Return the `true` or `false` in a field, in quotes or not, as `get_int` returns a whole number.

        >>> deployment.get_bool("spec.paused", True)
        True
        """
        return self._read(path, default, bool)

    def get_list(self, path: Path = "") -> list[Any]:
        """Return a copy of a list, its elements as `get` returns them; [] if it is absent or null.

        >>> deployment.get_list("spec.template.spec.containers[name=web].args")
        ['--a', '--b']
        """
        found = self.get(path)
        if found is not None and not isinstance(found, list):
            raise self._wrong(path, self._node(path), "a list")
        return found or []

    def string_map(self, path: Path = "") -> dict[str, str]:
        """Return the entries of a mapping of strings, each value as `get_str` returns it; {} if it is absent.

        An entry that is null is left out.

        >>> config_map.string_map("data")
        {'tag': '1.10', 'replicas': '3'}
        """
        first = self._first(path)
        if first is None or scalars.is_null(node := resolved(first[1])):
            return {}
        if not isinstance(node, nodes.Mapping):
            raise self._wrong(path, node, "a mapping")
        texts: dict[str, str] = {}
        for key, value in node.items():
            scalar = resolved(value)
            if not isinstance(scalar, Scalar):
                raise self._wrong((*first[0][len(self._place) :], key), value, "a text")
            # In a map of strings an entry without a value is absent to Kubernetes.
            if scalars.typed(scalar) is not None:
                texts[key] = scalar.value
        note_read(self._object, first[0], texts)
        return texts

    def __contains__(self, path: object) -> bool:
        """True if `[]` finds something at a path, or under a key of the mapping itself."""
        return self._item(path) is not None  # type: ignore[arg-type]  # it is parsed as a path

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of a mapping. FnError for anything else."""
        node = resolved(self._node(""))
        if not isinstance(node, nodes.Mapping):
            raise self._wrong("", node, "a mapping")
        return iter([key for key, _ in node.items()])

    def comment(self, path: Path = "", where: Where = "behind") -> str:
        """Return the comment of a field without its `#`, "" if there is none.

        `where` is `above` (the lines directly above the field), `behind` (in its line) or `below` (lines directly below
        that are indented deeper). ValueError for any other word.

        >>> deployment.comment("spec.replicas")
        'two for each zone'
        """
        field_comments.require(where)
        _ = self._object.root  # an edit of a word has parsed nothing
        for place, _ in self._find(self._parsed(path)):
            found = self._object.written(place)
            if place and found:
                return field_comments.read(self._object.item.text, *found, where)
        return ""

    def to_yaml(self, path: Path = "") -> str:
        r"""Return the mapping or list at a path as a YAML document of its own, with its comments; "" if it is absent.

        >>> deployment.part("spec.template.spec").to_yaml("containers[name=cache]")
        '# the cache\nname: cache\nimage: redis # kpt-set: ${redis}\n'
        """
        self._object.commit()
        for place, node in self._find(self._parsed(path)):
            item, whole = self._object.item, self._object.item.base + place
            if not isinstance(resolved(node), nodes.Mapping | nodes.Sequence):
                raise self._wrong(path, node, "a mapping or a list")
            try:
                return item.editor.alone(whole) if whole else item.text
            except (EditError, ParseError) as error:
                raise self._object.refused(error, place) from None
        return ""

    def part(self, path: Path) -> Part | None:
        """Return the first field that a path leads to, to read and edit the fields below it; None if it is absent.

        >>> deployment.part("spec.template.spec.containers[name=web]").get("image")
        'nginx:1.27'
        """
        return next(iter(self._parts(path)), None)

    def parts(self, path: Path) -> list[Part]:
        """Return every field that a path leads to; for a list, its elements. A Part follows its element as it moves.

        >>> [container.name for container in deployment.parts("spec.template.spec.containers")]
        ['web', 'cache']
        """
        return self._parts(path, of_lists=True)

    def walk(self, path: Path = "", *, leaves: bool = False) -> Iterator[Part]:
        """Yield what stands at a path and all that stands below, in the order of the text; scalars alone if `leaves`.

        A loop may edit, add, move and delete. What is deleted or replaced before its turn is left out, and so is what
        is added.

        >>> [(part.path, part.text) for part in config_map.walk("data", leaves=True)]
        [('data.tag', '1.10'), ('data.replicas', '3')]
        """
        found = self._find((*self._parsed(path), fieldpath.BELOW))
        # The object itself is no field of it.
        parts = [Part(self._object, place) for place, node in found if place and not (leaves and has_kids(node))]
        for part in parts:
            if not part._is_lost:
                yield part

    def set(self, path: Path, value: Value) -> None:
        """Make `value` the value of every field that a path leads to.

        A mapping or list is set as a difference: what is the same keeps its comments, order and style. Elements are
        paired by their `name` or another key. An absent field is added, with the mappings on the way; `[name=x]` adds
        an element to a list whose elements have names. Behind `::` a path leads into a file of JSON or YAML. FnError if
        a comment would go, a list on the way is too short, or no cluster takes a name, label or annotation. TypeError
        for a value that YAML does not have.

        >>> deployment.set("spec.template.spec.containers[name=web].image", "nginx:1.28")
        """
        new = style.plain(value)
        outside, inside = _parted(path)
        with self._step(path, outside):
            values = (
                dict.fromkeys(self._places(outside), new)
                if inside is None
                else {place: file_with(str(place[-1]), node, inside, new) for place, node in self._find(outside)}
            )
            if not values:
                raise NoSuchPlaceError("its file is absent")
            for place, one in values.items():
                note_written(self._object, place, value)
                self._object.set(place, one)

    def set_text(self, path: Path, text: str) -> None:
        """Write the text of a scalar. What `get` returns as a str stays one; elsewhere `3` comes as a number.

        `suspend: no` is a boolean to Kubernetes.

        >>> deployment.set_text("spec.replicas", "5")
        """
        if not isinstance(text, str):
            raise TypeError(f"the text of a scalar is a str, found a value of type `{type(text).__name__}`")
        # YAML 1.1 reads more texts as numbers than 1.2: those of JSON are numbers to all.
        value = Verbatim(text) if scalars.is_json_value(text) or text == "null" else text
        present = {place: resolved(node) for place, node in self._find(self._parsed(path))}
        with self._step(path, parsed := self._parsed(path)):
            for place in self._places(parsed):
                scalar = present.get(place)
                # An equal text stays as it is written: `0777` gets no quotes.
                if not (isinstance(scalar, Scalar) and scalar.value == text):
                    note_written(self._object, place, text)
                    self._object.set(place, text if self._object.holds_text(place, scalar) else value)

    def update(self, values: Mapping[str, Value]) -> None:
        """Set several fields by path, as one change. Each gets its value as a whole: `merge` goes into mappings.

        >>> deployment.update({"spec.replicas": 2, "metadata.labels.team": "shop"})
        """
        # One batch, so that all of them are made or none.
        with self.edit():
            for path, value in values.items():
                self.set(path, value)

    def merge(self, values: Mapping[str, Value]) -> None:
        """Set what mappings in mappings hold, key by key, as one change: keys that `values` lacks stay as they are.

        All else is set as a whole, a list too. Keys are no paths: one with dots needs no quotes.

        >>> deployment.merge({"spec": {"replicas": 2}, "metadata": {"annotations": {"example.com/owner": "shop"}}})
        >>> deployment.get("spec.replicas"), "spec.template" in deployment
        (2, True)
        """
        given = style.plain(values)
        if not isinstance(given, dict):
            raise TypeError(f"`merge` takes a mapping, found {values!r}")
        with self.edit():
            for place, value in _leaves(given):
                # Nothing is merged into a mapping: it stays.
                if value != {} or not isinstance(self.get(place), dict):
                    self.set(place, value)

    def delete(self, path: Path = "") -> bool:
        """Delete every field or list element that a path leads to, with its comments. False if there was none.

        >>> deployment.delete("spec.template.spec.containers[name=cache]")
        True
        """
        with self._step(path, parsed := self._parsed(path)):
            places = self._object.places((*self._place, *parsed))
            # An item is removed by its list alone.
            if () in places:
                raise ValueError("an object is removed by `ResourceList.remove`, not by `delete`")
            # From the end, so that the indexes of those above still hold.
            for place in reversed(places):
                note_written(self._object, place, None)
                self._object.delete(place)
        return bool(places)

    def append(self, path: Path, value: Value) -> None:
        """Add an element at the end of a list, which is added if it is absent or null.

        >>> deployment.append("spec.template.spec.containers", {"name": "sidecar", "image": "fluentd"})
        """
        self._insert(path, None, value)

    def insert(self, path: Path, index: int, value: Value) -> None:
        """Add an element before the one at `index` of a list. FnError if it is shorter.

        >>> deployment.insert("spec.template.spec.containers", 0, {"name": "first", "image": "fluentd"})
        """
        self._insert(path, index, value)

    def _insert(self, path: Path, index: int | None, value: Value) -> None:
        with self._step(path, parsed := self._parsed(path)):
            for place in self._places(parsed):
                note_written(self._object, place, value)
                self._object.insert(place, index, value)

    def move(self, path: Path, index: int) -> None:
        """Move the element that a path leads to, with its comments, to `index` of its list. FnError if there is none.

        >>> deployment.move("spec.template.spec.containers[name=cache]", 0)
        """
        with self._step(path, parsed := self._parsed(path)):
            places = self._object.places((*self._place, *parsed))
            # Of several elements each would move the places of the others.
            if len(places) != 1 or not isinstance(places[0][-1], int):
                raise NoSuchPlaceError("it leads to no element of a list, or to several")
            self._object.move(places[0], index)

    def set_comment(self, path: Path, text: str, where: Where = "behind") -> None:
        """Write the comment of a field, which replaces the one that is there; "" removes it.

        `where` is as for `comment`; above and below a text may have several lines. A line that starts with `#` is
        written as it is. FnError if the field is absent or has no place for a comment, as in JSON. Nor does one at the
        head of a document go, such as a licence: `add_comment` adds to that.

        >>> deployment.set_comment("spec.replicas", "kpt-set: ${replicas}")
        """
        self._comment(path, text, where, field_comments.write)

    def add_comment(self, path: Path, text: str, where: Where = "above") -> None:
        """Add a comment to the one that is there: lines below its lines, words behind its words.

        One that holds the text already stays as it is.

        >>> deployment.add_comment("spec.replicas", "ask first", "behind")
        >>> deployment.comment("spec.replicas")
        'two for each zone, ask first'
        """
        self._comment(path, text, where, field_comments.add)

    def _comment(self, path: Path, text: str, where: Where, write: Any) -> None:
        field_comments.require(where)
        if not isinstance(text, str):
            raise TypeError(f"a comment is a str, found {text!r}")
        self._require()
        _ = self._object.root  # as above
        fields = self._find(self._parsed(path))
        if not fields:
            raise self._refused(path, "it is absent")
        item = self._object.item
        for place, _ in fields:
            if not place:
                raise self._refused(path, "an object has no comment of its own, give the path of a field")
            if self._object.written(place) is None:
                raise self._object.refused_at(place, "an alias or `<<` shows it: it is written elsewhere")
            try:
                write(item.editor, item.base + place, text, where)
            except EditError as error:
                raise self._object.refused(error, place) from None

    def edit(self) -> AbstractContextManager[object]:
        """Gather the edits of a `with` block and make them at once: one parse and one proof for all of them.

        An FnError at the end of the block means that none was made. Edits from before the block are made first.

        >>> with deployment.edit():
        ...     for number in range(6):
        ...         deployment.set(f"metadata.labels.l{number}", "x")
        """
        self._require()
        return self._object.batch()

    @contextmanager
    def _step(self, path: Path, parsed: FieldPath) -> Iterator[None]:
        """Gather the edits of one call: all of them or none. FnError for one that cannot be made."""
        self._require()
        try:
            is_one = fieldpath.is_place(parsed) or len(self._object.find((*self._place, *parsed))) == 1
            # A block that fails puts back its text, and may not do so under edits of another object that wait.
            waits = is_one and self._object.item.pending is None
            with nullcontext() if waits else self._object.batch():
                yield
        except NoSuchPlaceError as error:
            where = f"at `{fieldpath.to_text(error.above)}` " if error.above else ""
            raise self._refused(path, f"{where}{error}") from None

    def _require(self) -> None:
        """Raise ValueError if no edit is possible."""
        if self._object.closed:
            raise ValueError(f"{self._object.item.ref} {self._object.closed}: it cannot be edited")
        if self._is_lost:
            raise ValueError("the field was deleted or replaced, it cannot be edited: ask for it again")

    def _places(self, parsed: FieldPath) -> list[Place]:
        """Return every place that a path leads to, those of absent fields and elements included."""
        whole: FieldPath = (*self._place, *parsed)
        # A path of keys alone, none of which may be an index, leads to one place, absent or not.
        if all(isinstance(segment, str) and not segment.isdecimal() for segment in parsed):
            return [whole]  # type: ignore[list-item]  # keys alone
        return self._object.places_to_set(whole)

    def _parts(self, path: Path, *, of_lists: bool = False) -> list[Part]:
        """Return every field that a path leads to, or the elements `of_lists`."""
        whole = (*self._place, *self._parsed(path))
        places = [] if self._is_lost else self._object.places(whole, of_lists=of_lists)
        return [Part(self._object, place) for place in places]

    def _copy(self, place: Place, node: Node) -> Any:
        """Return a copy of the value at a place. It is noted, as its author may take changes of it for edits."""
        copy = scalars.data(node)
        note_read(self._object, place, copy)
        return copy

    def _result(self, message: str, path: Path, severity: str, reason: str) -> Result:
        """Return a result about the object, or about the field at a path."""
        outside, inside = _parted(path)
        whole: Any = (*self._place, *outside)
        self._object.commit()
        # An object has no path of its own: a result about it names no field.
        places = [place for place, _ in self._find(outside)] or [whole] if whole else []
        result = self._object.item.result(message, severity, reason, *places[:1])
        if inside is not None:
            result.field = f"{result.field}::{fieldpath.to_text(inside)}"
        return result

    def _read(self, path: Path, default: T, kind: Callable[[Any], T]) -> T:
        """Return the value of a scalar as a type of `SCALARS`."""
        node = resolved(self._node(path))
        # Null and absent are the same to Kubernetes. Only `get` tells them apart.
        if node is None or scalars.is_null(node):
            return default
        wanted, read = SCALARS[kind]
        try:
            if isinstance(node, Scalar):
                return kind(read(node.value))
        except ValueError:
            pass  # the error below names the value
        raise self._wrong(path, node, wanted)

    def _parsed(self, path: Path) -> FieldPath:
        """Return a path within the object. ValueError for one that leads into a file."""
        outside, inside = _parted(path)
        if inside is not None:
            raise ValueError(f"`{_text(path)}` leads into a file: only `set` does, and what reads one value")
        return outside

    def _find(self, parsed: FieldPath) -> collections.abc.Sequence[tuple[Place, Node]]:
        """Return every field that a path leads to, with its place in the object, as the gathered edits leave it."""
        # A part whose element was deleted reads as empty, so that a loop over parts ends well.
        # The search starts at the root each time, as an edit makes a new tree.
        return [] if self._is_lost else self._object.nodes((*self._place, *parsed))

    def _first(self, path: Path) -> tuple[Place, Node] | None:
        """Return the first field that a path leads to, with its place; of one in a file, the place of the file."""
        outside, inside = _parted(path)
        found: Iterable[tuple[Place, Node]] = self._find(outside)
        if inside is not None:
            found = ((at, kid) for at, node in found for kid in fieldpath.inside(at[-1], node, inside))
        return next(iter(found), None)

    def _item(self, path: Path) -> tuple[Place, Node] | None:
        """Return what `[]` finds, with its place: a key of the mapping itself, else the first field of a path."""
        return (self._first((path,)) if isinstance(path, str) else None) or self._first(path)

    def _node(self, path: Path) -> Node | None:
        found = self._first(path)
        return None if found is None else found[1]

    def _refused(self, path: Path, problem: str) -> FnError:
        return FnError(self._result(f"the field cannot be changed: {problem}", path, ERROR, "NotEditable"))

    def _wrong(self, path: Path, node: Node | None, wanted: str) -> FnError:
        value = resolved(node)
        place = (*self._place, *_parted(path)[0])
        is_hidden = secrets.is_secret(self._object.item, place, value)
        shown = f"`{value.value}`" if isinstance(value, Scalar) and not is_hidden else envelope.described(value)
        return FnError(self._result(f"it is {shown}, and must be {wanted}", path, ERROR, "InvalidInput"))


class Part(Fields):
    """A field of an object, an element of a list say, whose fields are read and edited by paths from there.

    It follows its element as others come, go and move. ValueError for an edit after it was deleted or replaced.

    >>> deployment.part("metadata.labels")
    <Part metadata.labels of apps/v1/Deployment/shop/web>
    """

    __slots__ = ()

    @property
    def name(self) -> str:
        """The text under `name`, "" if there is none.

        >>> deployment.part("spec.template.spec.containers[0]").name
        'web'
        """
        return self.get_str("name")

    @property
    def path(self) -> str:
        """The field path from the object, for a result.

        >>> deployment.part("spec.template.spec.containers[0]").path
        'spec.template.spec.containers[name=web]'
        """
        return fieldpath.to_text(fieldpath.named(self._object.root, self._place))

    @property
    def place(self) -> Place:
        """The keys and indexes that lead from the object to the field: a path, too.

        >>> deployment.part("spec.template.spec.containers[name=web].image").place
        ('spec', 'template', 'spec', 'containers', 0, 'image')
        """
        return self._place

    @property
    def parent(self) -> Part | None:
        """The list or mapping that the field is in, None for a field of the object itself.

        >>> deployment.part("metadata.labels.app").parent
        <Part metadata.labels of apps/v1/Deployment/shop/web>
        """
        return Part(self._object, self._place[:-1]) if self._place[1:] else None

    @property
    def text(self) -> str:
        """The text of a scalar as it is written, without quotes.

        An assignment writes it, as `set_text` does.

        >>> image = deployment.part("spec.template.spec.containers[name=web].image")
        >>> image.text = image.text.replace("1.27", "1.28")
        >>> image.text
        'nginx:1.28'
        """
        node = resolved(self._node(""))
        if not isinstance(node, Scalar | None):
            raise self._wrong("", node, "a text")
        return "" if node is None else node.value

    @text.setter
    def text(self, text: str) -> None:
        self.set_text("", text)

    def __repr__(self) -> str:
        return f"<Part {self.path} of {self._object.item.ref}>"


def _text(path: Path) -> str:
    return path if isinstance(path, str) else fieldpath.to_text(path)


def _parted(path: Path) -> tuple[FieldPath, FieldPath | None]:
    """Return a path up to the file that it leads into, and the path in there, None where it leads into none."""
    if isinstance(path, str):
        return fieldpath.parted(fieldpath.parse(path)) if path else ((), None)
    given: object = path
    if not isinstance(given, tuple) or None in given:
        raise TypeError(f"a path is a str, or a tuple of keys and indexes, found {path!r}")
    return path, None


def _leaves(value: Value, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield each value in nested mappings that is no mapping, with its keys."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, (*place, key))
    else:
        yield place, value
