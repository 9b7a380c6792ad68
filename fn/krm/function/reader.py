"""Fields that are read by path, never re-typed: `Reader`, which a Resource and a Part of one share."""

from __future__ import annotations

from krm import fieldpath
from krm.function.owner import got
from krm.results import FnError, Result, locate, position
from krm.yamltree import extracting, field_comments, scalars
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, NoReturn, SupportsIndex, TypeAlias, TypeVar

    from krm.fieldpath import FieldPath, Place
    from krm.function.owner import EditedObject
    from krm.yamltree.field_comments import Where
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    T = TypeVar("T")

Path: TypeAlias = str | tuple[str | int, ...]
"""A field path as text, or its keys and indexes."""


def _whole(text: str) -> int:
    # Not `int()` alone, which takes `1_000` and blanks as well.
    if not (text.isascii() and text.removeprefix("-").isdecimal()):
        raise ValueError(text)
    return int(text)


def _number(text: str) -> float:
    # Nor `float()` alone, which takes those too, and the text `nan`.
    if text.strip("+-.eE0123456789"):
        raise ValueError(text)
    return float(text)


SCALARS: dict[object, tuple[str, Callable[[str], Any]]] = {
    str: ("a text", str),
    int: ("a whole number", _whole),
    float: ("a number", _number),
    bool: ("true or false", {"true": True, "false": False}.__getitem__),
}
"""The name in a sentence of each type that a scalar is read as, and what reads it from its text."""


class Reader:
    """Fields below one place of an object, from where a path counts. It follows its element of a list.

    Paths are text, `spec.containers[name=web].image`, or tuples of keys and indexes. ValueError says
    where a text is no path. FnError is raised if the object is not YAML.
    """

    __slots__ = ("__weakref__", "_is_lost", "_owner", "_place")

    def __init__(self, owner: EditedObject, place: Place) -> None:
        self._owner = owner
        self._place = place
        self._is_lost = False
        owner.readers[id(self)] = self

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reader):
            return NotImplemented
        return (id(self._owner), self._place) == (id(other._owner), other._place)

    def __hash__(self) -> int:
        return id(self._owner)  # places change

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # It points into a text that goes on without its copy: edits of that would be lost.
        raise TypeError("an object cannot be copied or pickled: `text` has its YAML, and `ResourceList.add` copies it")

    def get(self, path: Path = "", default: Any = None) -> Any:  # noqa: ANN401 - what the author wrote
        """Return a copy of the value of a field: dict, list, str, int, float, bool or None.

        `set` gives a changed one back. `default` is returned for an absent field alone: a field that is null gives
        None. If the path leads to several fields, the value is that of the first. `1.10` is a number here; `get_str`
        keeps its text.

        >>> deployment.get("spec.replicas")
        3
        >>> deployment.get("spec.paused", "absent")
        'absent'
        """
        found = self._first(path)
        return default if found is None else self._copy(*found)

    def __getitem__(self, path: Path) -> Any:  # noqa: ANN401 - what the author wrote
        """Return what `get` returns. A key of the mapping itself needs no quotes. KeyError if the field is absent.

        >>> deployment["spec.replicas"]
        3
        """
        found = (self._first((path,)) if isinstance(path, str) else None) or self._first(path)
        if found is None:
            raise KeyError(_text(path))
        return self._copy(*found)

    def keys(self) -> list[str]:
        """Return the keys of a mapping. FnError for anything else.

        >>> deployment.part("metadata.labels").keys()
        ['app']
        """
        return [*self]

    def get_str(self, path: Path = "", default: str = "") -> str:
        """Return the text of a scalar as it is written, without quotes: `1.10` and `0777` keep every digit.

        `default` is returned if the field is absent or null. FnError if it is a mapping or a list.

        >>> config_map.get_str("data.tag")
        '1.10'
        """
        return self._read(path, default, str)

    def get_int(self, path: Path = "", default: int = 0) -> int:
        """Return the whole number in a field, in quotes or not: the values of a ConfigMap are strings.

        `default` is returned if the field is absent or null. FnError if it holds anything else.

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
        """Return a copy of a list, its elements as `get` returns them; [] if it is absent or null. FnError for others.

        >>> deployment.get_list("spec.template.spec.containers[name=web].args")
        ['--a', '--b']
        """
        found = self.get(path)
        if found is not None and not isinstance(found, list):
            raise self._wrong(path, self._node(path), "a list")
        return found or []

    def string_map(self, path: Path = "") -> dict[str, str]:
        """Return the entries of a mapping of strings, each value as `get_str` returns it; {} if it is absent.

        An entry that is null is left out. FnError if the field is no mapping, or a value is a mapping or a list.

        >>> config_map.string_map("data")
        {'tag': '1.10', 'replicas': '3'}
        """
        found = self._first(path)
        node = None if found is None else resolved(found[1])
        if found is None or scalars.is_null(node):
            return {}
        if not isinstance(node, Mapping):
            raise self._wrong(path, node, "a mapping")
        texts: dict[str, str] = {}
        for key, value in node.items():
            scalar = resolved(value)
            if not isinstance(scalar, Scalar):
                raise self._wrong(path, value, f"a text under `{key}`")
            # As Kubernetes reads a map of strings: an entry without a value is not there.
            if scalars.typed(scalar) is not None:
                texts[key] = scalar.value
        got(self._owner, found[0], texts)
        return texts

    def __contains__(self, path: object) -> bool:
        """True if a path leads to a field."""
        return self._node(path) is not None  # type: ignore[arg-type]  # it is parsed as a path

    def __iter__(self) -> Iterator[str]:
        """Yield the keys of a mapping. FnError for anything else."""
        node = self._node("")
        if not isinstance(found := resolved(node), Mapping):
            raise self._wrong(fieldpath.to_text(self._place), node, "a mapping")
        return iter([key for key, _ in found.items()])

    def comment(self, path: Path = "", where: Where = "behind") -> str:
        """Return the comment of a field without its `#`, "" if there is none.

        `where` is `above` (the lines directly above the field), `behind` (in its line) or `below` (lines that are
        indented deeper than it, directly below). ValueError for any other word.

        >>> deployment.comment("spec.replicas")
        'two for each zone'
        """
        field_comments.require(where)
        self._owner.commit()
        for place, _ in self._find(path):
            parent, node = self._written(place)
            if parent is not None:
                return field_comments.read(self._owner.item.text, parent, node, where)
        return ""

    def to_yaml(self, path: Path = "") -> str:
        r"""Return the mapping or list at a path as a YAML document of its own, with its comments; "" if it is absent.

        FnError if it is a scalar.

        >>> deployment.part("spec.template.spec").to_yaml("containers[name=cache]")
        '# the cache\nname: cache\nimage: redis # kpt-set: ${redis}\n'
        """
        self._owner.commit()
        for place, node in self._find(path):
            item, whole = self._owner.item, self._owner.item.base + place
            if not isinstance(resolved(node), Mapping | Sequence):
                raise self._wrong(path, node, "a mapping or a list")
            try:
                return extracting.document(item.editor, whole) if whole else item.text
            except EditError as error:
                raise self._owner.refused(error.line, error.problem, place) from None
        return ""

    def _copy(self, place: Place, node: Node) -> Any:  # noqa: ANN401 - what the author wrote
        """Return a copy of what stands at a place, whose changes somebody may take for edits."""
        copy = scalars.data(node)
        got(self._owner, place, copy)
        return copy

    def _result(self, message: str, path: Path, severity: str, reason: str) -> Result:
        """Return a result about the object, or about the field at a path."""
        parsed = self._parsed(path)
        # An object has no path of its own: a result about it names no field.
        is_of_field = bool(parsed or self._place)
        self._owner.commit()
        places = [place for place, _ in self._find(path)] if is_of_field else []
        found = self._owner.item.result(message, severity, reason, *places[:1])
        if is_of_field and not places:
            above = fieldpath.named(self._owner.root(), self._place)
            # The line is that of the nearest field around an absent one.
            found.field = fieldpath.to_text((*above, *parsed))
            locate(found, position(found)[0], (*self._place, *parsed))
        return found

    def _read(self, path: Path, default: T, kind: Callable[[Any], T]) -> T:
        """Return the value of a scalar as a type of `SCALARS`."""
        node = resolved(self._node(path))
        # Null and absent are one to Kubernetes. Who has to tell them apart asks `get`.
        if node is None or scalars.is_null(node):
            return default
        wanted, read = SCALARS[kind]
        try:
            if isinstance(node, Scalar):
                return kind(read(node.value))
        except (KeyError, ValueError):
            pass  # told as what is no scalar
        raise self._wrong(path, node, wanted)

    def _parsed(self, path: Path) -> FieldPath:
        """Return a path within the object. ValueError for one that leads into a file."""
        outside, inside = self._parted(path)
        if inside is not None:
            raise ValueError(f"`{_text(path)}` leads into a file: only `set` does, and what reads one value")
        return outside

    def _parted(self, path: Path) -> tuple[FieldPath, FieldPath | None]:
        """Return a path up to the file that it leads into, and the path in there, None where it leads into none."""
        if isinstance(path, str):
            return fieldpath.parted(fieldpath.parse(path)) if path else ((), None)
        given: object = path
        if not isinstance(given, tuple) or None in given:
            raise TypeError(f"a path is a str, or a tuple of keys and indexes, found {path!r}")
        return path, None

    def _find(self, path: Path) -> collections.abc.Sequence[tuple[Place, Node]]:
        """Return every field that a path leads to, with its place in the object, as the gathered edits leave it."""
        found = self._targets(path)
        # A node of the text says the same before and after edits of other fields, so these need not be made.
        if not all(isinstance(target, Scalar | Alias | Mapping | Sequence) for _, target in found):
            self._owner.commit()
            found = self._targets(path)
        return found  # type: ignore[return-value]  # nodes

    def _targets(self, path: Path) -> collections.abc.Sequence[tuple[Place, Target]]:
        """Return what the gathered edits make of every field that a path leads to, with its place in the object."""
        # A part whose element was deleted reads as empty, so that a loop over parts ends well.
        # From the root each time: an edit makes a new tree, and nodes of the old one are of another text.
        return [] if self._is_lost else self._owner.find((*self._place, *self._parsed(path)))

    def _first(self, path: Path) -> tuple[Place, Node] | None:
        """Return the first field that a path leads to, with its place; of one in a file, the place of the file."""
        outside, inside = self._parted(path)
        found: Iterable[tuple[Place, Node]] = self._find(outside)  # type: ignore[arg-type]  # a path that is parsed
        if inside is not None:
            found = ((at, kid) for at, node in found for kid in fieldpath.inside(at[-1], node, inside))
        return next(iter(found), None)

    def _node(self, path: Path) -> Node | None:
        found = self._first(path)
        return None if found is None else found[1]

    def _written(self, place: Place) -> tuple[Any, Node]:
        """Return the node at a place as it is written in the text, and the collection around it."""
        item = self._owner.item
        try:
            parent, node = item.editor.at(item.base + place)
        # Both say that nothing is written there: an alias shows it, or a merge key.
        except (KeyError, AttributeError):
            raise self._refused(place, "an alias or `<<` shows it: it is written elsewhere") from None
        return (parent if place else None), node

    def _refused(self, path: Path, problem: str) -> FnError:
        return self._owner.failed(f"the field `{_text(path)}` cannot be changed: {problem}")

    def _wrong(self, path: Path, node: Node | None, wanted: str) -> FnError:
        return self._owner.failed(f"`{_text(path)}` is {told(node)}, it must be {wanted}", reason="InvalidInput")


def told(node: Node | None) -> str:
    """Return what a sentence says of a node: the text of a scalar, or what the node is."""
    found = resolved(node)
    return f"`{found.value}`" if isinstance(found, Scalar) else "a mapping" if isinstance(found, Mapping) else "a list"


def _text(path: Path) -> str:
    return path if isinstance(path, str) else fieldpath.to_text(path)
