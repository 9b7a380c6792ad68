"""Fields that are read and edited by path: `Fields`, which a Resource and a Part of one share."""

from __future__ import annotations

from weakref import WeakSet

from krm import fieldpath
from krm.function import comments
from krm.function.changes import Changes, NoSuchPlaceError
from krm.function.comments import RefusedError
from krm.resource import IDS
from krm.results import ERROR, FnError
from krm.yamltree import extracting, scalars
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved
from krm.yamltree.places import NotSpliceable
from krm.yamltree.scalars import Verbatim

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.function.comments import Where
    from krm.resource import Resource as Item
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value as Plain

    Value: TypeAlias = (
        "str | int | float | bool | collections.abc.Mapping[str, object] | collections.abc.Sequence[object] | None"
    )
    """What YAML can hold. What is inside of a mapping or sequence is checked at run time."""

    Path: TypeAlias = "str | tuple[str | int, ...]"
    """A field path as text, or its keys and indexes."""


class Leaf:
    """A scalar that `walk` found: its `path`, and its `text` as it is written, without quotes.

    `is_string` is False for what YAML reads as a number, a boolean, null or a date.

    >>> next(deployment.walk("spec"))
    Leaf('spec.replicas', '3')
    """

    __slots__ = ("is_string", "path", "text")

    def __init__(self, path: str, text: str, *, is_string: bool) -> None:
        self.path = path
        self.text = text
        self.is_string = is_string

    def __repr__(self) -> str:
        return f"Leaf({self.path!r}, {self.text!r})"


class Owner:
    """The object whose fields are edited, the edits that are gathered, and the parts that point into it."""

    __slots__ = ("changes", "depth", "is_removed", "item", "parts")

    def __init__(self, item: Item) -> None:
        self.item = item
        self.changes: Changes | None = None
        self.depth = 0
        self.is_removed = False
        self.parts: WeakSet[Part] = WeakSet()

    def require(self) -> None:
        """Raise ValueError if the object was removed from its list."""
        if self.is_removed:
            raise ValueError(f"{self.item.ref} was removed from the list: it cannot be edited")

    def root(self) -> Node | None:
        """Return the tree of the object, with all edits made."""
        self.commit()
        return self.item.root

    def gather(self) -> Changes:
        """Return the edits that are gathered so far."""
        if self.changes is None:
            root = self.item.root
            if root is None:
                raise FnError(self.item.result("an empty document has no fields", ERROR, "NotEditable"))
            self.changes = Changes(root, self.item.text)
        return self.changes

    def commit(self) -> None:
        """Make the gathered edits. FnError if one would lose a comment or an anchor in use; then none is made."""
        changes, self.changes = self.changes, None
        if changes is None or changes.is_empty:
            return
        if changes.moves:
            _forget_ids(changes)
        item = self.item
        try:
            item.editor.amend(item.base, changes.target)
        except EditError as error:
            raise self.refused(error.line, error.problem) from None

    def follow(self) -> None:
        """Let the parts follow the elements of the lists that were set, those of inner lists first."""
        moved = self.gather().moved
        for place in sorted(moved, key=len, reverse=True):
            self.rearrange(place, moved.pop(place))

    def refused(self, line: int, problem: str, place: Place = ()) -> FnError:
        """Return the error for an edit that cannot be made."""
        message = f"the field cannot be changed: line {line + self.item.lines_above}: {problem}"
        return FnError(self.item.result(message, ERROR, "NotEditable", *([place] if place else [])))

    def rearrange(self, place: Place, indexes: dict[int, int]) -> None:
        """Let the parts below the list at a place follow their elements. Those of elements that went are lost."""
        depth = len(place)
        for part in self.parts:
            if len(part._place) > depth and part._place[:depth] == place:
                index = indexes.get(int(part._place[depth]))
                part._is_lost = part._is_lost or index is None
                part._place = (*place, part._place[depth] if index is None else index, *part._place[depth + 1 :])


class Fields:
    """Fields below one place of an object. A path counts from there.

    Paths are text, `spec.containers[name=web].image`, or tuples of keys and indexes. FieldPathError, a ValueError, says
    where a text is no path. FnError is raised if the object is not YAML.
    """

    __slots__ = ("__weakref__", "_is_lost", "_owner", "_place")

    def __init__(self, owner: Owner, place: Place) -> None:
        self._owner = owner
        self._place = place
        self._is_lost = False

    # Reading.

    def get(self, path: Path = "", default: Any = None) -> Any:  # noqa: ANN401 - what the author wrote
        """Return a copy of the value of a field: dict, list, str, int, float, bool or None.

        `default` is returned for an absent field alone: a field that is null gives None. If the path leads to several
        fields, the value is that of the first. `1.10` is a number here; `get_str` keeps its text.

        >>> deployment.get("spec.replicas")
        3
        >>> deployment.get("spec.paused", "absent")
        'absent'
        """
        node = self._node(path)
        return default if node is None else scalars.data(node)

    def get_str(self, path: Path = "", default: str = "") -> str:
        """Return the text of a scalar as it is written, without quotes: `1.10` and `0777` keep every digit.

        `default` is returned if the field is absent or null. FnError if it is a mapping or a list.

        >>> config_map.get_str("data.tag")
        '1.10'
        """
        node = resolved(self._node(path))
        if node is None or (isinstance(node, Scalar) and scalars.typed(node) is None):
            return default
        if not isinstance(node, Scalar):
            raise self._wrong(path, node, "a text")
        return node.value

    def get_int(self, path: Path = "", default: int = 0) -> int:
        """Return the whole number in a field, in quotes or not: the values of a ConfigMap are strings.

        `default` is returned if the field is absent or null. FnError if it holds anything else.

        >>> config_map.get_int("data.replicas")
        3
        """
        text = self.get_str(path, "")
        if not text:
            return default
        if not text.removeprefix("-").isdecimal():
            raise self._wrong(path, self._node(path), "a whole number")
        return int(text)

    def string_map(self, path: Path = "") -> dict[str, str]:
        """Return the entries of a mapping of strings, each value as `get_str` returns it; {} if it is absent.

        An entry that is null is left out. FnError if the field is no mapping, or a value is a mapping or a list.

        >>> config_map.string_map("data")
        {'tag': '1.10', 'replicas': '3'}
        """
        found = self._node(path)
        node = resolved(found)
        if node is None or (isinstance(node, Scalar) and scalars.typed(node) is None):
            return {}
        if not isinstance(node, Mapping):
            raise self._wrong(path, found, "a mapping")
        texts: dict[str, str] = {}
        for key, value in node.items():
            scalar = resolved(value)
            if not isinstance(scalar, Scalar):
                raise self._wrong(path, value, f"a text under `{key}`")
            if scalars.typed(scalar) is not None:
                texts[key] = scalar.value
        return texts

    def walk(self, path: Path = "") -> Iterator[Leaf]:
        """Yield every scalar below a field, in the order of the text, with its path from here.

        >>> [(leaf.path, leaf.text) for leaf in config_map.walk("data")]
        [('data.tag', '1.10'), ('data.replicas', '3')]
        """
        root = self._node("")
        for place, node in self._find(path):
            for below, scalar in _scalars(node):
                whole = (*place, *below)
                shown = fieldpath.to_text(whole) if root is None else fieldpath.printed(root, whole)
                yield Leaf(shown, scalar.value, is_string=scalars.string(scalar) is not None)

    def part(self, path: Path) -> Part | None:
        """Return the first field that a path leads to, to read and edit the fields below it; None if it is absent.

        >>> deployment.part("spec.template.spec.containers[name=web]").get("image")
        'nginx:1.27'
        """
        return next(iter(self.parts(path)), None)

    def parts(self, path: Path) -> list[Part]:
        """Return every field that a path leads to; for a list, its elements. A Part follows its element as it moves.

        >>> [container.name for container in deployment.parts("spec.template.spec.containers")]
        ['web', 'cache']
        """
        found: list[Part] = []
        for place, node in self._find(path):
            listed = resolved(node)
            whole = self._place + place
            if isinstance(listed, Sequence):
                found += [Part(self._owner, (*whole, index)) for index in range(len(listed.kids))]
            else:
                found.append(Part(self._owner, whole))
        return found

    def comment(self, path: Path = "", where: Where = "behind") -> str:
        """Return the comment of a field without its `#`, "" if there is none.

        `where` is `above` (the lines directly above the field), `behind` (in its line) or `below` (lines that are
        indented deeper than it, directly below). ValueError for any other word.

        >>> deployment.comment("spec.replicas")
        'two for each zone'
        """
        _require_where(where)
        for place, _ in self._find(path):
            parent, node = self._written(place)
            if parent is not None:
                try:
                    return comments.read(self._owner.item.text, parent, node, where)
                except NotSpliceable:
                    return ""
        return ""

    def to_yaml(self, path: Path = "") -> str:
        r"""Return the mapping or list at a path as a YAML document of its own, with its comments; "" if it is absent.

        FnError if it is a scalar.

        >>> deployment.part("spec.template.spec").to_yaml("containers[name=cache]")
        '# the cache\nname: cache\nimage: redis # kpt-set: ${redis}\n'
        """
        for place, node in self._find(path):
            whole = self._owner.item.base + self._place + place
            if not isinstance(resolved(node), Mapping | Sequence):
                raise self._wrong(path, node, "a mapping or a list")
            if not whole:
                return self._owner.item.text
            try:
                return extracting.document(self._owner.item.editor, whole)
            except EditError as error:
                raise self._owner.refused(error.line, error.problem, place) from None
        return ""

    # Editing.

    def set(self, path: Path, value: Value) -> None:
        """Make `value` the value of every field that a path leads to.

        A mapping or list is set as a difference: what is the same keeps its comments, order and style, and elements of
        a list are told apart by their `name` or another key. An absent field is added, with the mappings on the way;
        `[name=x]` at the end of a path adds an element with that name. A comment that would go, a list that is too
        short on the way, or a scalar on the way is an FnError. TypeError for a value that YAML does not have.

        >>> deployment.set("spec.template.spec.containers[name=web].image", "nginx:1.28")
        """
        new = plain(value)
        if isinstance(new, dict | list) and self._owner.changes is not None:
            # The difference is that from the text: what was gathered for this field has to be in it.
            self._owner.commit()
        with self._batch():
            for place in self._places(path):
                self._make(path, lambda changes, place=place: changes.set(place, new))
                self._owner.follow()

    def set_text(self, path: Path, text: str) -> None:
        """Write the text of a scalar. A string stays a string; elsewhere YAML takes `3` for a number, `true` for true.

        >>> deployment.set_text("spec.replicas", "5")
        """
        value = Verbatim(text) if scalars.is_json_value(text) or text == "null" else text
        found = self._find(path)
        with self._batch():
            for place, node in found:
                self.set(place, text if scalars.string(resolved(node)) is not None else value)
            if not found:
                self.set(path, value)

    def update(self, values: collections.abc.Mapping[str, Value]) -> None:
        """Set several fields by path, as one change.

        >>> deployment.update({"spec.replicas": 2, "metadata.labels.team": "shop"})
        """
        with self._batch():
            for path, value in values.items():
                self.set(path, value)

    def delete(self, path: Path = "") -> bool:
        """Delete every field or list element that a path leads to, with its comments. False if there was none.

        >>> deployment.delete("spec.template.spec.containers[name=cache]")
        True
        """
        with self._batch() as owner:
            places = [self._whole(place) for place in self._gathered(path)]
            if () in places:
                raise ValueError("an object is removed by `ResourceList.remove`, not by `delete`")
            for place in reversed(places):
                self._make(path, lambda changes, place=place: changes.delete(place))
                if isinstance(place[-1], int):
                    count = owner.gather().length(place[:-1])
                    gone = place[-1]
                    owner.rearrange(place[:-1], {old: old - (old > gone) for old in range(count + 1) if old != gone})
        return bool(places)

    def append(self, path: Path, value: Value) -> None:
        """Add an element at the end of a list, which is added if it is absent or null. FnError if it is no list.

        >>> deployment.append("spec.template.spec.containers", {"name": "sidecar", "image": "fluentd"})
        """
        for place in self._places(path):
            count = self._make(path, lambda changes, place=place: changes.length(place))
            self._insert(path, place, count, value)

    def insert(self, path: Path, index: int, value: Value) -> None:
        """Add an element before the one at `index` of a list. FnError if it is no list, or shorter.

        >>> deployment.insert("spec.template.spec.containers", 0, {"name": "first", "image": "fluentd"})
        """
        for place in self._places(path):
            self._insert(path, place, index, value)

    def move(self, path: Path, index: int) -> None:
        """Move the element that a path leads to, with its comments, to `index` of its list. FnError if there is none.

        >>> deployment.move("spec.template.spec.containers[name=cache]", 0)
        """
        found = [self._whole(place) for place in self._gathered(path)]
        if len(found) != 1 or not isinstance(found[0][-1], int):
            raise self._refused(path, "it leads to no element of a list, or to several")
        place, old = found[0][:-1], found[0][-1]
        with self._batch() as owner:
            self._make(path, lambda changes: changes.move(found[0], index))
            order = [*range(owner.gather().length(place))]
            order.insert(index, order.pop(int(old)))
            owner.rearrange(place, {before: after for after, before in enumerate(order)})

    def set_comment(self, path: Path, text: str, where: Where = "behind") -> None:
        """Write the comment of a field, which replaces the one that is there; "" removes it.

        `where` is as for `comment`; above and below a text may have several lines. FnError if the field is absent, or
        the text has no place for a comment there, as JSON has none.

        >>> deployment.set_comment("spec.replicas", "kpt-set: ${replicas}")
        """
        _require_where(where)
        self._owner.require()
        found = self._find(path)
        if not found:
            raise self._refused(path, "it is absent")
        for place, _ in found:
            parent, node = self._written(place)
            if parent is None:
                raise self._refused(path, "name a field of the object")
            try:
                comments.write(self._owner.item.editor, parent, node, text, where)
            except RefusedError as error:
                raise self._owner.refused(error.line, error.problem, self._whole(place)) from None

    def edit(self) -> AbstractContextManager[object]:
        """Gather the edits of a `with` block and make them at once: one parse and one proof for all of them.

        An FnError at the end of the block means that none of them was made.

        >>> with deployment.edit():
        ...     for number in range(6):
        ...         deployment.set(f"metadata.labels.l{number}", "x")
        """
        return self._batch()

    # What the rest is made of.

    def _batch(self) -> _Batch:
        self._owner.require()
        if self._is_lost:
            raise ValueError("the element was deleted: it cannot be edited")
        return _Batch(self._owner)

    def _parsed(self, path: Path) -> FieldPath:
        if path == "":
            return ()
        return fieldpath.parse(path) if isinstance(path, str) else path

    def _whole(self, place: Place) -> Place:
        return self._place + place

    def _find(self, path: Path) -> list[tuple[Place, Node]]:
        root = self._owner.root()
        if self._is_lost or root is None:
            return []
        node = next((node for _, node in fieldpath.find(root, self._place)), None)
        return [] if node is None else [*fieldpath.find(node, self._parsed(path))]

    def _node(self, path: Path) -> Node | None:
        return next((node for _, node in self._find(path)), None)

    def _written(self, place: Place) -> tuple[Any, Node]:
        """Return the node at a place as it is written in the text, and the collection around it."""
        item = self._owner.item
        try:
            parent, node = item.editor.at(item.base + self._place + place)
        except (KeyError, AttributeError):
            raise self._refused(
                fieldpath.to_text(place), "an alias or `<<` shows it: it is written elsewhere"
            ) from None
        return (parent if self._place + place else None), node

    def _gathered(self, path: Path) -> list[Place]:
        """Return every place that a path leads to, with the gathered edits, from here."""
        changes = self._owner.changes
        if changes is None:
            return [place for place, _ in self._find(path)]
        depth = len(self._place)
        return [place[depth:] for place in changes.places((*self._place, *self._parsed(path)))]

    def _places(self, path: Path) -> list[Place]:
        """Return every place that a path leads to, those of absent fields and elements included."""
        parsed = self._parsed(path)
        found = self._gathered(path)
        if found:
            return [self._whole(place) for place in found]
        depth = max((n for n, segment in enumerate(parsed, 1) if not isinstance(segment, str | int)), default=0)
        rest: Place = tuple(segment for segment in parsed[depth:] if isinstance(segment, str | int))
        parents = self._gathered(parsed[:depth]) if depth else [()]  # type: ignore[arg-type]
        if not parents and isinstance(parsed[depth - 1], fieldpath.Match):
            parents = self._added(path, parsed[: depth - 1], parsed[depth - 1])
        if not parents:
            raise self._refused(path, "it leads to no field, and only a path of keys and indexes can add one")
        return [self._whole(parent + rest) for parent in parents]

    def _added(self, path: Path, above: FieldPath, match: Any) -> list[Place]:  # noqa: ANN401 - a Match
        """Add an element with the key and value of a match to each list that `above` leads to."""
        with self._batch():
            places = self._places(above) if above else [self._place]  # type: ignore[arg-type]
            added: list[Place] = []
            for place in places:
                count = self._make(path, lambda changes, place=place: changes.length(place))
                self._insert(path, place, count, {match.key: match.value})
                added.append((*place[len(self._place) :], count))
        return added

    def _insert(self, path: Path, place: Place, index: int, value: Value) -> None:
        new = plain(value)
        with self._batch() as owner:
            self._make(path, lambda changes: changes.insert(place, index, new))
            count = owner.gather().length(place)
            owner.rearrange(place, {old: old + (old >= index) for old in range(count)})

    def _make(self, path: Path, change: Any) -> Any:  # noqa: ANN401 - a function of Changes
        """Gather one change. FnError if it cannot be made."""
        try:
            return change(self._owner.gather())
        except NoSuchPlaceError as error:
            raise self._refused(path, str(error)) from None
        except RefusedError as error:
            raise self._owner.refused(error.line, error.problem) from None

    def _refused(self, path: Path, problem: str) -> FnError:
        text = path if isinstance(path, str) else fieldpath.to_text(path)
        message = f"the field `{text}` cannot be changed: {problem}"
        return FnError(self._owner.item.result(message, ERROR, "NotEditable"))

    def _wrong(self, path: Path, node: Node | None, wanted: str) -> FnError:
        found = resolved(node)
        shown = (
            f"`{found.value}`" if isinstance(found, Scalar) else "a mapping" if isinstance(found, Mapping) else "a list"
        )
        text = path if isinstance(path, str) else fieldpath.to_text(path)
        return FnError(self._owner.item.result(f"`{text}` is {shown}, it must be {wanted}", ERROR, "InvalidInput"))


class Part(Fields):
    """A field of an object, an element of a list say, whose fields are read and edited by paths from there.

    It follows its element as others come, go and move. ValueError for an edit after the element was deleted.

    >>> deployment.part("metadata.labels")
    <Part metadata.labels of apps/v1/Deployment/shop/web>
    """

    __slots__ = ()

    def __init__(self, owner: Owner, place: Place) -> None:
        super().__init__(owner, place)
        owner.parts.add(self)

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
        root = self._owner.root()
        return fieldpath.to_text(self._place) if root is None else fieldpath.printed(root, self._place)

    def __repr__(self) -> str:
        return f"<Part {self.path} of {self._owner.item.ref}>"


class PodSpec(Part):
    """The pod spec of a workload.

    >>> for container in deployment.pod_spec.containers:
    ...     container.set("imagePullPolicy", "Always")
    """

    __slots__ = ()

    @property
    def containers(self) -> list[Part]:
        """The containers, in the order of the text.

        >>> deployment.pod_spec.containers[0].get_str("image")
        'nginx:1.27'
        """
        return self.parts("containers")

    @property
    def init_containers(self) -> list[Part]:
        """The init containers, in the order of the text.

        >>> deployment.pod_spec.init_containers
        []
        """
        return self.parts("initContainers")

    @property
    def all_containers(self) -> list[Part]:
        """The init containers, the containers and the ephemeral containers.

        >>> len(deployment.pod_spec.all_containers)
        2
        """
        return [*self.init_containers, *self.containers, *self.parts("ephemeralContainers")]


class _Batch:
    """A `with` block whose edits are made at its end, none of them if it ends with an exception."""

    __slots__ = ("_before", "_owner")

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self._before = [(part, part._place, part._is_lost) for part in owner.parts] if owner.depth == 0 else []

    def __enter__(self) -> Owner:
        self._owner.depth += 1
        return self._owner

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        owner = self._owner
        owner.depth -= 1
        if owner.depth > 0:
            return
        try:
            if kind is None:
                owner.commit()
        except FnError:
            self._undo()
            raise
        if kind is not None:
            self._undo()

    def _undo(self) -> None:
        self._owner.changes = None
        for part, place, is_lost in self._before:
            part._place, part._is_lost = place, is_lost


def plain(value: Any) -> Plain:  # noqa: ANN401 - checked here
    """Return a value as dicts, lists and scalars. TypeError for a type that YAML does not have."""
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, dict) or (hasattr(value, "keys") and hasattr(value, "__getitem__")):
        if wrong := next((key for key in value if not isinstance(key, str)), None):
            raise TypeError(f"a key of a mapping is a str, found {wrong!r} of type `{type(wrong).__name__}`")
        return {key: plain(value[key]) for key in value}
    if isinstance(value, list | tuple):
        return [plain(element) for element in value]
    raise TypeError(f"YAML has no values of type `{type(value).__name__}`: write {value!r} as a str")


def _require_where(where: str) -> None:
    if where not in comments.WHERES:
        raise ValueError(f"a comment is `above`, `behind` or `below` a field, found `{where}`")


def _forget_ids(changes: Changes) -> None:
    """Delete the ids by which kpt and kustomize find an object again: they copy comments by the old positions."""
    for key in IDS:
        for place in changes.places(("metadata", "annotations", key)):
            changes.delete(place)


def _scalars(node: Node, place: Place = ()) -> Iterator[tuple[Place, Scalar]]:
    found = resolved(node)
    if isinstance(found, Scalar):
        yield place, found
    elif found is not None:
        kids = found.items() if isinstance(found, Mapping) else enumerate(found.kids)
        for step, kid in kids:
            yield from _scalars(kid, (*place, step))
