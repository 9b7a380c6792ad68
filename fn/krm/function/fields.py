"""Fields that are edited by path: `Fields`, and the parts of an object, `Part` and `PodSpec`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext

from krm import fieldpath
from krm.function.object_changes import DATAS, unfit
from krm.function.owner import wrote
from krm.function.reader import Reader
from krm.yamltree import embedded, field_comments, scalars, style
from krm.yamltree.changes import NoSuchPlaceError
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.scalars import Verbatim
from krm.yamltree.target import elements_of, is_list, is_mapping, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.function.reader import Path
    from krm.yamltree.field_comments import Where
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target
else:
    Any = object  # `typing` takes milliseconds to import

Value: TypeAlias = str | int | float | bool | Mapping[str, object] | list[Any] | tuple[object, ...] | None
"""What YAML can hold. What is inside of a mapping, a list or a tuple is checked at run time."""


class Fields(Reader):
    """Fields below one place of an object, to be read and edited."""

    __slots__ = ()

    def part(self, path: Path) -> Part | None:
        """Return the first field that a path leads to, to read and edit the fields below it; None if it is absent.

        >>> deployment.part("spec.template.spec.containers[name=web]").get("image")
        'nginx:1.27'
        """
        return next(iter(self._parts(path, of_lists=False)), None)

    def parts(self, path: Path) -> list[Part]:
        """Return every field that a path leads to; for a list, its elements. A Part follows its element as it moves.

        >>> [container.name for container in deployment.parts("spec.template.spec.containers")]
        ['web', 'cache']
        """
        return self._parts(path, of_lists=True)

    def _parts(self, path: Path, *, of_lists: bool) -> list[Part]:
        """Return every field that a path leads to, or the elements `of_lists`."""
        whole = (*self._place, *self._parsed(path))
        ask = self._owner.ask
        places = [] if self._is_lost else ask(whole, lambda sections: sections.parts(whole, of_lists=of_lists))
        if places is None:
            places = []
            for place, target in self._targets(path):
                listed = shown(target)
                steps = [(n,) for n, _ in enumerate(elements_of(listed))] if of_lists and is_list(listed) else [()]
                places += [place + step for step in steps]
        return [Part(self._owner, place) for place in places]

    def walk(self, path: Path = "", *, leaves: bool = False) -> Iterator[Part]:
        """Yield what stands at a path and all that stands below, in the order of the text; scalars alone if `leaves`.

        The fields are those at the start. Each Part follows its element, so a loop may edit, add, move and delete: what
        is deleted or replaced before its turn is left out, and what is added is not met.

        >>> [(part.path, part.text) for part in config_map.walk("data", leaves=True)]
        [('data.tag', '1.10'), ('data.replicas', '3')]
        """
        found = self._find((*self._parsed(path), fieldpath.BELOW))  # type: ignore[arg-type]  # a path that is parsed
        # The object itself is no field of it.
        parts = [Part(self._owner, place) for place, node in found if place and not (leaves and _has_kids(node))]
        for part in parts:
            if not part._is_lost:
                yield part

    def set(self, path: Path, value: Value) -> None:
        """Make `value` the value of every field that a path leads to.

        A mapping or list is set as a difference: what is the same keeps its comments, order and style, and elements of
        a list are paired by their `name` or another key. An absent field is added, with the mappings on the way;
        `[name=x]` adds an element with that name to a list whose elements have one. A comment that would go, a list
        that is too short on the way, a scalar on the way, or a name, label or annotation that no cluster takes is an
        FnError. TypeError for a value that YAML does not have.

        >>> deployment.set("spec.template.spec.containers[name=web].image", "nginx:1.28")

        Behind `::` a path leads into a file of JSON or YAML, which keeps its comments, order and style as well.
        """
        new = style.plain(value)
        outside, inside = self._parted(path)
        if inside is not None:
            self._set_inside(path, outside, inside, new)
            return
        with self._step(path):
            for place in self._places(path):
                self._set(path, place, new)

    def _set_inside(self, path: Path, outside: Any, inside: FieldPath, value: Any) -> None:
        with self._step(outside):
            files = {place: self._file(path, place, node, inside, value) for place, node in self._find(outside)}
            if not files:
                raise self._refused(path, "its file is absent")
            for place, text in files.items():
                self._set(path, place, text)

    def _file(self, path: Path, place: Place, node: Node, inside: FieldPath, value: Any) -> str:
        """Return the text of a file with a value at a path in it."""
        text, key = getattr(resolved(node), "value", None) or "", str(place[-1])
        roots = embedded.content(key, text).roots
        if len(roots) != 1:
            raise self._refused(path, "no file of one document in JSON or YAML is there")
        editor = Editor(text, json=key.endswith(".json"))
        try:
            for one in [one for one, _ in fieldpath.find(roots[0], inside)] or [_place(inside)]:
                editor.set(one, value)
        except NoSuchPlaceError as error:
            raise self._refused(path, str(error)) from None
        except EditError as error:
            raise self._refused(path, error.problem) from None
        return editor.text

    def _set(self, path: Path, place: Place, value: Any) -> None:
        self._require_fit(place, value, is_new=False)
        wrote(self._owner, place, value)
        if type(value) is str and self._owner.set_word(place, value):
            return
        # A comment that would go is looked for in the text: what was gathered for this field has to be in it.
        if self._owner.gather(place).is_amended(place):
            self._owner.commit()
        changes = self._owner.gather(place)
        had_kids = _has_kids(changes.get(place))
        self._make(path, changes.set, place, value)
        # The parts follow the elements of the lists that were set, those of inner lists first.
        moved = changes.careful.moved
        for there in sorted(moved, key=len, reverse=True):
            self._owner.rearrange(there, moved.pop(there).get)
        if had_kids:
            self._owner.lose(place, changes)

    def set_text(self, path: Path, text: str) -> None:
        """Write the text of a scalar. A string stays a string; elsewhere YAML takes `3` for a number, `true` for true.

        >>> deployment.set_text("spec.replicas", "5")
        """
        if not isinstance(text, str):
            raise TypeError(f"the text of a scalar is a str, found {text!r}")
        # YAML 1.1 reads more texts as numbers than 1.2: those of JSON are numbers to all.
        value = Verbatim(text) if scalars.is_json_value(text) or text == "null" else text
        found = {place: resolved(node) for place, node in self._find(path)}
        with self._step(path):
            for place in self._places(path):
                there = found.get(place)
                # A text that is there stays as it is written: `0777` gets no quotes.
                if not (isinstance(there, Scalar) and there.value == text):
                    self._set(path, place, text if scalars.string(there) is not None else value)

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
        owner = self._owner
        with self._step(path):
            places = self._gathered(path)
            # The place of an item in its list is for the list to free.
            if () in places:
                raise ValueError("an object is removed by `ResourceList.remove`, not by `delete`")
            # From the end, so that the indexes of those above still hold.
            for place in reversed(places):
                changes = owner.gather(place)
                wrote(owner, place, None)
                self._make(path, changes.delete, place)
                if isinstance(place[-1], int):
                    owner.rearrange(place[:-1], _without(place[-1]))
                else:
                    owner.lose(place, changes)
        return bool(places)

    def append(self, path: Path, value: Value) -> None:
        """Add an element at the end of a list, which is added if it is absent or null. FnError if it is no list.

        >>> deployment.append("spec.template.spec.containers", {"name": "sidecar", "image": "fluentd"})
        """
        with self._step(path):
            places = self._places(path)
            self._append(path, places, [value] * len(places))

    def insert(self, path: Path, index: int, value: Value) -> None:
        """Add an element before the one at `index` of a list. FnError if it is no list, or shorter.

        >>> deployment.insert("spec.template.spec.containers", 0, {"name": "first", "image": "fluentd"})
        """
        with self._step(path):
            for place in self._places(path):
                self._insert(path, place, index, value)

    def move(self, path: Path, index: int) -> None:
        """Move the element that a path leads to, with its comments, to `index` of its list. FnError if there is none.

        >>> deployment.move("spec.template.spec.containers[name=cache]", 0)
        """
        # Of several elements each would move the places of the others.
        found = self._gathered(path)
        if len(found) != 1 or not isinstance(found[0][-1], int):
            raise self._refused(path, "it leads to no element of a list, or to several")
        place, old = found[0][:-1], found[0][-1]
        with self._step(path):
            changes = self._owner.gather(found[0])
            self._make(path, changes.move, found[0], index)
            order = [*range(changes.length(place))]
            order.insert(index, order.pop(int(old)))
            self._owner.rearrange(place, order.index)

    def set_comment(self, path: Path, text: str, where: Where = "behind") -> None:
        """Write the comment of a field, which replaces the one that is there; "" removes it.

        `where` is as for `comment`; above and below a text may have several lines. A line that starts with `#` is
        written as it is. FnError if the field is absent, if the text has no place for a comment there, as JSON has
        none, or if a comment at the head of a document would go, such as a licence: `add_comment` adds to that.

        >>> deployment.set_comment("spec.replicas", "kpt-set: ${replicas}")
        """
        self._comment(path, text, where, field_comments.write)

    def add_comment(self, path: Path, text: str, where: Where = "above") -> None:
        """Add a comment to the one that is there: lines below its lines, words behind its words.

        One that holds the text already stays as it is. FnError as for `set_comment`.

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
        self._owner.commit()
        found = self._find(path)
        if not found:
            raise self._refused(path, "it is absent")
        item = self._owner.item
        for place, _ in found:
            if self._written(place)[0] is None:
                raise self._refused(path, "an object has no comment of its own, give the path of a field")
            try:
                write(item.editor, item.base + place, text, where)
            except EditError as error:
                raise self._owner.refused(error.line, error.problem, place) from None

    def edit(self) -> AbstractContextManager[object]:
        """Gather the edits of a `with` block and make them at once: one parse and one proof for all of them.

        An FnError at the end of the block means that none of them was made. Edits from before the block are made first.

        >>> with deployment.edit():
        ...     for number in range(6):
        ...         deployment.set(f"metadata.labels.l{number}", "x")
        """
        self._require()
        return self._owner.batch()

    def _step(self, path: Path) -> AbstractContextManager[object]:
        """Return what gathers the edits of one call: all of them or none, where there may be several."""
        self._require()
        is_one = all(isinstance(segment, str | int) for segment in self._parsed(path))
        return nullcontext() if is_one else self._owner.batch()

    def _require(self) -> None:
        if self._owner.closed:
            raise ValueError(f"{self._owner.item.ref} {self._owner.closed}: it cannot be edited")
        if self._is_lost:
            raise ValueError("the field was deleted or replaced, it cannot be edited: ask for it again")

    def _gathered(self, path: Path) -> list[Place]:
        """Return every place that a path leads to, with the gathered edits."""
        return [place for place, _ in self._targets(path)]

    def _places(self, path: Path) -> list[Place]:
        """Return every place that a path leads to, those of absent fields and elements included."""
        parsed = self._parsed(path)
        # Keys alone lead to one place, whether it is there or not, but for those that may be an index.
        if all(isinstance(segment, str) and not segment.isdecimal() for segment in parsed) and not self._is_lost:
            return [self._place + parsed]  # type: ignore[operator]  # keys alone
        if found := self._gathered(path):
            return found
        # Behind the last wildcard keys alone say what to add.
        depth = max((n for n, segment in enumerate(parsed, 1) if not isinstance(segment, str | int)), default=0)
        rest: Place = tuple(segment for segment in parsed[depth:] if isinstance(segment, str | int))
        parents = self._gathered(parsed[:depth]) if depth else [self._place]  # type: ignore[arg-type]
        new = parsed[depth - 1]
        if not parents and isinstance(new, fieldpath.Match):
            # `[name=x]` says what a new element must have, and nothing else does.
            lists = self._places(parsed[: depth - 1])  # type: ignore[arg-type]
            elements = [self._make(path, self._owner.gather(place).new_element, place, new) for place in lists]
            parents = self._append(path, lists, elements)
        if not parents:
            raise self._refused(path, "it leads to no field, and only a path of keys and indexes can add one")
        return [parent + rest for parent in parents]

    def _append(self, path: Path, lists: list[Place], elements: list[Value]) -> list[Place]:
        """Add to each list an element at its end, and return the places of these."""
        counts = [self._make(path, self._owner.gather(place).length, place) for place in lists]
        for place, count, element in zip(lists, counts, elements, strict=True):
            self._insert(path, place, count, element)
        return [(*place, count) for place, count in zip(lists, counts, strict=True)]

    def _require_fit(self, place: Place, value: Any, *, is_new: bool = True) -> None:
        """Raise FnError for what a cluster would refuse. Unless it `is_new`, what is there already may stay."""
        # A kind has rules for its name and its texts, and its own edit may wait.
        if isinstance(value, dict | list) or "metadata" in place or not DATAS.isdisjoint(place[:1]):
            self._owner.item_for(("apiVersion",), ("kind",))
        for there, one, problem in unfit(self._owner.item, place, value):
            if is_new or not self._owner.gather(there).is_there(there, one):
                raise self._refused(there, problem)

    def _insert(self, path: Path, place: Place, index: int, value: Value) -> None:
        new = style.plain(value)
        self._require_fit((*place, index), new)
        wrote(self._owner, place, value)
        self._make(path, self._owner.gather(place).insert, place, index, new)
        self._owner.rearrange(place, lambda old: old + (old >= index))

    def _make(self, path: Path, change: Any, *given: Any) -> Any:
        """Gather one change. FnError if it cannot be made."""
        try:
            return change(*given)
        except NoSuchPlaceError as error:
            where = f"at `{fieldpath.to_text(error.above)}` " if error.above else ""
            raise self._refused(path, where + str(error)) from None
        except EditError as error:
            raise self._owner.refused(error.line + change.__self__.lines_above, error.problem) from None


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
        return fieldpath.printed(self._owner.root(), self._place)

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
        return Part(self._owner, self._place[:-1]) if self._place[1:] else None

    @property
    def text(self) -> str:
        """The text of a scalar as it is written, without quotes. FnError for a mapping or a list.

        An assignment writes it, as `set_text` does.

        >>> image = deployment.part("spec.template.spec.containers[name=web].image")
        >>> image.text = image.text.replace("1.27", "1.28")
        >>> image.text
        'nginx:1.28'
        """
        node = resolved(self._node(""))
        if not isinstance(node, Scalar | None):
            raise self._wrong(self.place, node, "a text")
        return "" if node is None else node.value

    @text.setter
    def text(self, text: str) -> None:
        self.set_text("", text)

    @property
    def is_string(self) -> bool:
        """True for a string; False for what YAML reads as a number, a boolean, null or a date, and for a collection.

        >>> [part.is_string for part in config_map.walk("data")]
        [False, False, True]
        """
        return scalars.string(resolved(self._node(""))) is not None

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


def _leaves(value: Value, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Value]]:
    """Yield what mappings in mappings hold, each with its keys."""
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, (*place, key))
    else:
        yield place, value


def _has_kids(target: Target) -> bool:
    there = shown(target)
    return is_mapping(there) or is_list(there)


def _without(gone: int) -> Callable[[int], int | None]:
    """Return what gives each element of a list its index after the one at `gone` went, that one None."""
    return lambda old: None if old == gone else old - (old > gone)


def _place(path: FieldPath) -> Place:
    """Return a path of keys and indexes as a place. NoSuchPlaceError for any other, which leads to nothing."""
    steps = tuple(step for step in path if isinstance(step, str | int))
    if len(steps) != len(path):
        raise NoSuchPlaceError("it leads to no field, and only a path of keys and indexes can add one")
    return steps
