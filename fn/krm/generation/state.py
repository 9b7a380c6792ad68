"""The state: the object beside a functionConfig in which it remembers what it has generated.

It has an entry for each template, by the template's identity as it is written (docs/generated-resources.md, "The
state"): what was generated, in which file, and the mirror of it.
"""

from __future__ import annotations

import posixpath
import re

from krm import newitem
from krm.generation import identities, mirror
from krm.merge import trees
from krm.resource import IDS, LOCAL_CONFIG, STATE, Resource
from krm.results import ERROR, WARNING, FnError
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, at, mapping_at, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from krm.fieldpath import Place
    from krm.generation.identities import Identity
    from krm.generation.settings import Listed
    from krm.results import Result
    from krm.yamltree.nodes import Node

INVALID_STATE = "InvalidState"
DAMAGED_STATE = "DamagedState"

_VERSION = "v1alpha1"
_RESOURCES = ("spec", "resources")
# The line above the entries, which stand in lines of their own, each behind its third group. A new state has none yet.
_START = re.compile(r"^( *)resources:(\r?\n)(?:(?=(\1 +)[^\s#])|\Z)", re.MULTILINE)
_IDS = re.compile(rf"^ +(?:{'|'.join(map(re.escape, IDS))}): .*\n", re.MULTILINE)
# One as it is written: what it is called takes a tree, its mirror does not.
_ENTRY = re.compile(rf"(?P<head>\S.*:\n  {mirror.GENERATED}: \{{.*\}}\n)(?P<fields>(?:  .*\n)*)")
_AGAIN = "or delete it: the next run writes a new one, by what then agrees with the templates"


class Entry:
    """What was generated from one template: what it is called, its file, and the text of its mirror."""

    __slots__ = ("api_version", "file", "kind", "name", "namespace", "origin")

    def __init__(self, api_version: str, kind: str, namespace: str, name: str, file: str, origin: str) -> None:  # noqa: PLR0913 - a record
        self.api_version = api_version
        self.kind = kind
        self.namespace = namespace
        self.name = name
        self.file = file
        self.origin = origin

    @property
    def identity(self) -> Identity:
        """The identity as which it was generated."""
        return self.api_version.rpartition("/")[0], self.kind, identities.namespace(self.namespace), self.name

    def is_like(self, other: Entry) -> bool:
        """True if another one is of the same resource with the same fields, in whatever file."""
        return self._texts[:-1] == other._texts[:-1]

    def digest(self, template: str) -> int:
        """Return what tells whether the entry has changed: its text is not kept twice."""
        return hash((template, *self._texts))

    @property
    def _texts(self) -> tuple[str, ...]:
        return self.api_version, self.kind, self.namespace, self.name, self.origin, self.file

    def lines(self, template: str) -> Iterator[str]:
        """Yield the lines of the entry, its key first."""
        names = {"apiVersion": self.api_version, "kind": self.kind, "name": self.name}
        names |= {key: text for key, text in (("namespace", self.namespace), ("file", self.file)) if text}
        generated = ", ".join(f"{key}: {scalars.leaf(text, flow=True)}" for key, text in names.items())
        yield f"{scalars.leaf(template, flow=False)}:"
        yield f"  {mirror.GENERATED}: {{{generated}}}"
        yield from (f"  {line}" for line in self.origin.split("\n") if line)


class State:
    """The entries of one functionConfig, by their templates.

    `item` holds them, None for a state that is new. `head` is what stands above them there, None where we write it.
    """

    def __init__(self, owner: str, item: Resource | None = None, head: Resource | None = None) -> None:
        self.owner = owner
        self.item = item
        self.head = head
        self.entries: dict[str, Entry] = {}
        self.damaged: list[Place] = []
        if item is not None:
            self._take(item)
        self._read = _digest(self.entries)

    @property
    def is_changed(self) -> bool:
        """True if it is not what the item says."""
        return bool(self.damaged) or self._read != _digest(self.entries)

    def results(self) -> Iterator[Result]:
        """Yield the warning about entries that somebody has damaged."""
        if self.item is not None and self.damaged:
            message = "these entries are damaged, and are written anew: nothing is lost but what they remember"
            yield self.item.result(message, WARNING, DAMAGED_STATE, *self.damaged)

    def write(self, item: Resource) -> None:
        """Write the entries into the item.

        What stands above them stays as it is: kpt writes a comment and an annotation there, by which it updates a
        package. The ids by which it finds an item again go, as it would copy comments by them.
        """
        entries = [line for template in sorted(self.entries) for line in self.entries[template].lines(template)]
        start = _START.search(item.text)
        if start is None:  # the list is JSON, or in brackets
            item.set(_RESOURCES, newitem.value(parser.parse("\n".join(entries)).root))
        else:
            above = _IDS.sub("", item.text[: start.end()])
            item.become("".join([above, *(f"{start[1]}  {line}{start[2]}" for line in entries)]))
        self.item = item
        item.release()

    def _take(self, item: Resource) -> None:
        for template, entry in _entries(item, self.head):
            if entry is None:
                self.damaged.append((*_RESOURCES, template))
            else:
                self.entries[template] = entry
        item.release()


class States:
    """The states of a package. FnError where one cannot be read: none of it is changed then."""

    def __init__(self, items: Iterable[Resource], owner: str, domain: str) -> None:
        self._api_version = f"{domain}/{_VERSION}"
        self.of: dict[str, State] = {}
        for item in items:
            head = _head(item)
            root = head or item
            if root.kind == STATE and root.group in ("", domain):
                self._add(item, head)
        self.own = self.of.setdefault(owner, State(owner))

    def _add(self, item: Resource, head: Resource | None) -> None:
        root = head or item
        owner = text_at(root.root, "spec", "generatedBy")
        if root.api_version not in ("", self._api_version):
            problem = f"this state is of `{root.api_version}`, and this program reads `{self._api_version}`"
            raise _invalid(item, f"{problem}: use the program that wrote it, {_AGAIN}", ("apiVersion",))
        resources = root.at(*_RESOURCES)
        if not (owner and root.api_version and (isinstance(resources, Mapping) or trees.is_null(resources))):
            problem = "this state lacks its `apiVersion`, its `generatedBy` or its `resources`"
            raise _invalid(item, f"{problem}: restore it from git, {_AGAIN}", ("spec",))
        if owner in self.of:
            other = self.of[owner].item
            where = "" if other is None or other.file is None else f", in `{other.file}`"
            raise _invalid(item, f"{owner} has another state{where}: delete one of them", ("spec", "generatedBy"))
        self.of[owner] = State(owner, item, head)

    def results(self) -> Iterator[Result]:
        """Yield the warnings about damaged entries."""
        for state in self.of.values():
            yield from state.results()

    def write(self, items: Listed, new: Callable[[], tuple[str, int]], prefixes: Iterable[str]) -> None:
        """Write each state that has changed. `new` returns the place of one that is new; one without entries goes."""
        for state in self.of.values():
            if state.entries and state.is_changed:
                state.write(self._item(state, items, new, prefixes))
            elif state.item is not None and not state.entries:
                items.remove(state.item)

    def _item(
        self, state: State, items: Listed, new: Callable[[], tuple[str, int]], prefixes: Iterable[str]
    ) -> Resource:
        """Return the item to write a state into: its own, or one without entries where it has none that is as ours."""
        old = state.item
        if old is not None and state.head is not None:
            return old
        if old is None:
            place = new()
            names = dict(zip(("path", "index"), map(str, place), strict=True))
            notes = {f"{prefix}{key}": value for prefix in prefixes for key, value in names.items()}
        else:
            place = old.file or "", old.index or 0
            notes = {key: text for key, text in old.annotations.items() if trees.is_bookkeeping(key) and key not in IDS}
            items.remove(old)
        text = _head_of(state.owner, self._api_version, notes if items.place is None else {})
        item = items.add(text, is_yaml=True)
        if items.place is not None:
            items.place(item, *place)
        return item


def place(config: Resource | None, owner: str, items: Iterable[Resource], domain: str) -> tuple[str, int]:
    """Return the file of a new state, and its place in that. `config` is the functionConfig where it has a file.

    FnError where that file is another object's.
    """
    file = None if config is None else config.file
    name = owner.rpartition("/")[2].lower() if file is None else posixpath.splitext(file)[0]
    path = f"{name}.generated.yaml"
    there = [item for item in items if _is_in(path, item)]
    for item in there:
        if (item.group, item.kind) != (domain, STATE):
            message = f"`{path}` is the file of the state of {owner}: move this to another file"
            raise FnError(item.result(message, ERROR, INVALID_STATE))
    return path, len(there)


def _is_in(path: str, item: Resource) -> bool:
    is_there = item.file == path
    item.release()
    return is_there


def _digest(entries: dict[str, Entry]) -> set[int]:
    return {entry.digest(template) for template, entry in entries.items()}


def _head_of(owner: str, api_version: str, notes: dict[str, str]) -> str:
    """Return what stands above the entries of a new state, with the notes of orchestrators."""
    name = owner.rpartition("/")[2].lower()
    return "\n".join(
        [
            f"# What {owner} has generated, for its next merge. Written by a program: commit it, do not edit it.",
            f"apiVersion: {api_version}",
            f"kind: {STATE}",
            "metadata:",
            f"  name: {scalars.leaf(name, flow=False)}",
            "  annotations:",
            f'    {LOCAL_CONFIG}: "true"',
            *(f"    {key}: {scalars.leaf(text, flow=False)}" for key, text in notes.items()),
            "spec:",
            f"  generatedBy: {scalars.leaf(owner, flow=False)}",
            "  resources:",
            "",
        ]
    )


def _head(item: Resource) -> Resource | None:
    """Return what stands above the entries of a state, None where these have no lines of their own.

    So its tree is small. As an item of a ResourceList it stands further to the right, behind a dash.
    """
    # What stands in a List has its text in common with all of that.
    start = _START.search(item.text) if item.pending is None else None
    if start is None:
        return None
    text = re.sub("^- +", "", item.text[: start.end()]).replace("\r\n", "\n")
    margin = min(re.findall(r"\n( *)(?=\S)", text), default="")
    text = text.replace(f"\n{margin}", "\n")
    head = Resource(text, (0, len(text)), item.label)
    try:
        is_state = head.kind == STATE and text.endswith("\n  resources:\n") and trees.is_null(head.at(*_RESOURCES))
    except FnError:
        return None
    return head if is_state else None


def _entries(item: Resource, head: Resource | None) -> Iterator[tuple[str, Entry | None]]:
    """Yield the entries of a state, each behind its template; None for one that is damaged.

    They are read one by one where each has lines of its own: the tree of all of them at once would take more memory
    than all else in a run.
    """
    if head is not None:
        *_, margin, entries = _START.split(item.text.replace("\r\n", "\n"), 1)
        try:
            for piece in re.split(rf"^(?={margin or ''}[^\s#])", entries, flags=re.MULTILINE)[1:]:
                yield from _read(re.sub(rf"^{margin}", "", piece, flags=re.MULTILINE))
        except ParseError:  # somebody has edited it: an entry goes on where the next one might start
            head = None
    if head is None:
        yield from _of_nodes(at(item.root, *_RESOURCES))


def _read(text: str) -> Iterator[tuple[str, Entry | None]]:
    """Yield the entry that a text is, which takes a tree of its first lines alone where it is as we write it."""
    found = _ENTRY.fullmatch(text)
    origin = "" if found is None else found["fields"][2:-1].replace("\n  ", "\n")
    if found is not None and mirror.is_written(origin):
        yield from _of_nodes(parser.parse(found["head"]).root, origin)
    else:
        yield from _of_nodes(parser.parse(text).root)


def _of_nodes(resources: Node | None, origin: str | None = None) -> Iterator[tuple[str, Entry | None]]:
    for template, node in trees.entries(resources).items():
        yield template, _entry(mapping_at(node, mirror.GENERATED), _origin(node) if origin is None else origin)


def _origin(node: Node) -> str | None:
    """Return the text of the mirror in an entry, None where it is damaged."""
    nodes = {key: value for key, value in trees.entries(node).items() if key != mirror.GENERATED}
    found = {key: mirror.of_node(value) for key, value in nodes.items()}
    return None if None in found.values() else mirror.written(found)  # type: ignore[arg-type]  # see the condition


def _entry(generated: Node | None, origin: str | None) -> Entry | None:
    texts = {key: one.value for key, one in trees.entries(generated).items() if isinstance(one, Scalar)}
    api_version, kind, namespace, name, file = (
        texts.get(key) or "" for key in ("apiVersion", "kind", "namespace", "name", "file")
    )
    if origin is None or not (api_version and kind and name):
        return None
    return Entry(api_version, kind, namespace, name, file, origin)


def _invalid(item: Resource, message: str, place: Place) -> FnError:
    return FnError(item.result(message, ERROR, INVALID_STATE, place))
