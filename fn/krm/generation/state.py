"""The state: an object beside a functionConfig, which remembers what the functionConfig has generated.

It has an entry for each template: the identity and the file of the resource, and its mirror. The key of an entry is the
identity as the template writes it (docs/reference/generated-resources.md, "The state", "The state in git", "A damaged
state").
"""

from __future__ import annotations

import posixpath
import re

from krm import fieldpath
from krm.generation import mirror, settings
from krm.merge import trees
from krm.resource import IDS, INDEX, LOCAL_CONFIG, OF_STATE, PATH, STATE, STATE_FILE, Resource
from krm.results import DAMAGED_STATE, ERROR, FnError, locate
from krm.yamltree import outline, parser, scalars, style
from krm.yamltree.nodes import Mapping, Scalar, mapping_at
from krm.yamltree.parser import ParseError
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.generation.mirror import Mirror
    from krm.generation.settings import GeneratedMark, Identity, ItemList
    from krm.results import Result
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import PlainData

    Called: TypeAlias = tuple[str, str, str, str]


_VERSION = "v1alpha1"
_RESOURCES = ("spec", "resources")
# The line above the entries, and the margin of an entry. A new state has no entries yet.
_ABOVE = re.compile(r"( *)resources: *\n(?:(?: *(?:#.*)?\n)*(\1 +)(?=\S))?")
_IDS = re.compile(rf"^ +(?:{'|'.join(map(re.escape, IDS))}): .*\n", re.MULTILINE)
# An entry as we write it. Its fields are read when a merge asks for them.
_ENTRY = re.compile(rf"(?P<head>\S.*:\n  {mirror.GENERATED}: \{{.*\}}\n)(?P<fields>(?:  .*\n)*)")
# In a state only keys and comments have these. An outline would fear anchors and the like.
_REACHES = re.compile(r"[\t&*!?%|>]")
_ADOPTED = "adopted"
_SECRET = re.compile(r"[ /][A-Z]{6}\b")
_LOST = "so it counts as lost: a new one is written, by what agrees with the templates now"


class StateEntry:
    """The resource that was generated from one template: its identity, its file, and the text of its mirror.

    `called` are its apiVersion, kind, namespace and name. It `is_adopted` if it was there before it was generated.
    """

    def __init__(self, called: Called, file: str, mirror_text: str, *, is_adopted: bool = False) -> None:
        self.called = called
        api_version, kind, namespace, name = called
        self.identity: Identity = api_version.rpartition("/")[0], kind, settings.namespace(namespace), name
        self.file = file
        self.mirror_text = mirror_text
        self.is_adopted = is_adopted

    @property
    def fields(self) -> Mirror:
        """The mirror. What is damaged in it counts as a person's."""
        return mirror.read(self.mirror_text)[0]

    @property
    def secrets(self) -> frozenset[FieldPath]:
        """The paths of the fields whose generated text was secret, with a wildcard for each element of a list."""
        if not _SECRET.search(self.mirror_text):
            return frozenset()
        leaves = mirror.leaves(self.fields)
        return frozenset(fieldpath.general(path) for path, leaf in leaves if mirror.is_secret(leaf))

    def text(self, template_name: str, margin: str) -> str:
        """Return the lines of the entry, its key first."""
        api_version, kind, namespace, name = self.called
        names = {"apiVersion": api_version, "kind": kind, "name": name, "namespace": namespace, "file": self.file}
        generated = ", ".join(f"{key}: {scalars.leaf(text, flow=True)}" for key, text in names.items() if text)
        generated += f", {_ADOPTED}: true" if self.is_adopted else ""
        fields = [f"  {line}" for line in self.mirror_text.split("\n") if line]
        lines = [f"{scalars.leaf(template_name, flow=False)}:", f"  {mirror.GENERATED}: {{{generated}}}", *fields]
        return "".join(f"{margin}{line}\n" for line in lines)


class State:
    """The entries of one functionConfig, by their templates. `item` is the state's object, None for a new state."""

    def __init__(self, owner: str, item: Resource | None = None) -> None:
        self.owner = owner
        self.item = item
        self.entries: dict[str, StateEntry] = {}
        self.damaged: list[str] = []
        template_name = ""
        for template_name, entry in () if item is None else _entries(item):
            # A merge by git may leave two entries of one template. Nobody can tell which of them is right.
            if entry is None or self.entries.pop(template_name, None) is not None or template_name in self.damaged:
                self.damaged.append(template_name)
            else:
                self.entries[template_name] = entry
        # If a file ends within a line that is indented, its last entry is not whole. A list may lack a line end, and
        # an object in brackets has an end of its own.
        text = "" if item is None or item.base or item.source[:1] == "{" else item.source
        if template_name and text.rpartition("\n")[2].startswith(" "):
            self.entries.pop(template_name, None)
            self.damaged.append(template_name)
        self._read = _digest(self.entries)

    @property
    def is_changed(self) -> bool:
        """True if the entries differ from those in the item."""
        return bool(self.damaged) or self._read != _digest(self.entries)

    def put(self, template_name: str, entry: StateEntry | None) -> None:
        """Replace the entry of a template, None to delete it. Note if somebody has damaged the old one."""
        before = self.entries.pop(template_name, None)
        if before is not None and mirror.read(before.mirror_text)[1]:
            self.damaged.append(template_name)
        if entry is not None:
            self.entries[template_name] = entry

    def write(self, item: Resource) -> None:
        """Write the entries into the item, in the place of the old ones.

        The rest of the item stays: kpt writes a comment and an annotation there, which it needs to update a package.
        Only the ids of orchestrators are removed, since they would copy comments by them.
        """
        text, (start, end), margin = _block(item) or ("", (0, 0), "")
        entries = "".join(entry.text(template_name, margin) for template_name, entry in sorted(self.entries.items()))
        if not margin:  # the list is JSON, or in brackets
            item.set(_RESOURCES, scalars.exact(parser.parse(entries).root))
        else:
            text = "".join([_IDS.sub("", text[:start]), entries, _IDS.sub("", text[end:])])
            item.become(text.replace("\n", "\r\n") if "\r\n" in item.text else text)
        item.release()


class States:
    """The states of a package. `lost` are the states of this functionConfig that cannot be read, and why."""

    def __init__(self, items: Iterable[Resource], owner: str, domain: str) -> None:
        self._domain = domain
        self._api_version = f"{domain}/{_VERSION}"
        self.of: dict[str, State] = {}
        self.lost: list[tuple[Resource, str]] = []
        self._owner = owner
        for item in items:
            if item.group in ("", domain):
                self._add(item)
                item.release()  # the tree of all entries at once would take more memory than all else in a run
        self.own = self.of.setdefault(owner, State(owner))

    def _add(self, item: Resource) -> None:
        owner = scalars.string(item.at("spec", "generatedBy")) or ""
        is_own = owner == self._owner if owner else item.name in ("", _name(self._owner))
        if item.api_version not in ("", self._api_version):
            problem = f"this state is of `{item.api_version}`, and this program reads `{self._api_version}`"
        elif not (owner and item.api_version and _has_room(item)):
            problem = "this state lacks its `apiVersion`, its `generatedBy` or its `resources`"
        elif owner in self.of:
            problem = f"{owner} has two states, and nobody can tell which is right"
            other = self.of.pop(owner).item
            self.lost += [(other, problem)] if is_own and other is not None else []
        else:
            self.of[owner] = State(owner, item)
            return
        if is_own:
            self.lost.append((item, problem))

    def entry(self, mark: GeneratedMark) -> StateEntry | None:
        """Return the entry of what has this mark, None if no state has one."""
        owner, template_name = mark
        return self.of[owner].entries.get(template_name) if owner in self.of else None

    def put(self, mark: GeneratedMark, entry: StateEntry | None = None) -> None:
        """Replace the entry of what has this mark, if its owner has a state; without another one, delete it."""
        owner, template_name = mark
        if owner in self.of:
            self.of[owner].put(template_name, entry)

    def results(self) -> Iterator[Result]:
        """Yield the warnings about lost states, and about those with damaged entries."""
        told = [(item, f"{problem}, {_LOST}") for item, problem in self.lost]
        for state in self.of.values():
            if state.item is not None and state.damaged:
                state.item.cut()  # a state with a key twice has no tree
                named = ", ".join(f"`{template_name}`" for template_name in dict.fromkeys(state.damaged))
                message = f"these entries are damaged, and written anew by what agrees with the templates now: {named}"
                told.append((state.item, message))
        for item, message in told:
            result = item.notice(message, DAMAGED_STATE)
            locate(result, None)  # a state with a key twice has no tree to find the line in
            yield result

    def write(self, items: ItemList, config: Resource | None, prefixes: Iterable[str]) -> None:
        """Write each state that has changed, a new one beside the file of `config`. Remove those without entries.

        FnError if another object is in the file of a new state.
        """
        items.remove(*(item for item, _ in self.lost))
        for state in self.of.values():
            if state.entries and state.is_changed:
                state.write(state.item or self._new(state.owner, items, config, prefixes))
            elif state.item is not None and not state.entries:
                items.remove(state.item)

    def _new(self, owner: str, items: ItemList, config: Resource | None, prefixes: Iterable[str]) -> Resource:
        """Return the item of a new state, without entries."""
        name = _name(owner) if config is None or config.file is None else posixpath.splitext(config.file)[0]
        path, index = f"{name}{STATE_FILE}", 0
        for item in items.items:
            is_there = item.file == path
            is_state = is_there and item.is_state and item.group in ("", self._domain)
            item.release()
            if is_there and not is_state:
                message = f"`{path}` is the file of the state of {owner}: move this to another file"
                raise FnError(item.result(message, ERROR, "InvalidState"))
            index += is_there
        forms = prefixes if items.place is None else ()
        annotations = {f"{form}{key}": text for form in forms for key, text in ((PATH, path), (INDEX, f"{index}"))}
        item = items.add(_head(owner, self._api_version, annotations), is_yaml=True)
        if items.place is not None:
            items.place(item, path, index)
        return item


def _has_room(item: Resource) -> bool:
    """True if a state has a mapping of entries, or an empty field for one."""
    if _block(item) is not None:
        return True
    resources = item.at(*_RESOURCES)
    return isinstance(resources, Mapping) or scalars.is_null(resources)


def _digest(entries: dict[str, StateEntry]) -> set[int]:
    """Return hashes that show whether an entry has changed: so no text is kept twice."""
    return {hash((name, *one.called, one.file, one.mirror_text, one.is_adopted)) for name, one in entries.items()}


def _name(owner: str) -> str:
    """Return the name of the state of a functionConfig."""
    return owner.rpartition("/")[2].lower()


def _head(owner: str, api_version: str, annotations: dict[str, str]) -> str:
    """Return the lines above the entries of a new state, with the `annotations` of orchestrators."""
    head: PlainData = {
        "apiVersion": api_version,
        "kind": STATE,
        "metadata": {"name": _name(owner), "annotations": {LOCAL_CONFIG: "true", **annotations}},
        "spec": {"generatedBy": owner},
    }
    return f"# What {owner} {OF_STATE}\n{style.document(head, Layout(literals=False))}  resources:\n"


def _block(item: Resource) -> tuple[str, tuple[int, int], str] | None:
    """Return the text of a state, the span of its entries, and their margin; None if only a tree has the entries.

    The text has LF as line ends, and one behind its last line.
    """
    text = item.text.replace("\r\n", "\n")
    text = text if text.endswith("\n") else f"{text}\n"
    plain = _REACHES.sub("_", text)
    cut = outline.outline(plain, is_element=bool(item.base)) if item.pending is None else None
    span = None if cut is None else cut.entries("spec").get("resources")
    above = None if span is None else _ABOVE.match(text, *span)
    if above is None or span is None:
        return None
    return text, (above.start(2) if above[2] else above.end(), span[1]), above[2] or f"{above[1]}  "


def _entries(item: Resource) -> Iterator[tuple[str, StateEntry | None]]:
    """Yield the templates of a state with their entries, None for a damaged entry.

    Entries with lines of their own are read one by one: a tree of all entries would take more memory than all else in a
    run.
    """
    block = _block(item)
    if block is None:
        yield from _of_nodes(item.at(*_RESOURCES))
        return
    text, span, margin = block
    for piece in re.split(rf"^(?={margin}[^\s#])", text[slice(*span)], flags=re.MULTILINE)[1:]:
        written = re.sub(rf"^{margin}", "", piece, flags=re.MULTILINE)
        entry = _ENTRY.fullmatch(written)
        # If the entry is as we write it, only its head is parsed.
        mirror_text = None if entry is None else entry["fields"][2:-1].replace("\n  ", "\n")
        try:
            yield from _of_nodes(parser.parse(written if entry is None else entry["head"]).root, mirror_text)
        except ParseError:
            yield written.partition(":\n")[0], None


def _of_nodes(resources: Node | None, mirror_text: str | None = None) -> Iterator[tuple[str, StateEntry | None]]:
    for template_name, node in trees.entries(resources).items():
        fields = {key: mirror.of_node(value) for key, value in trees.entries(node).items() if key != mirror.GENERATED}
        generated = trees.entries(mapping_at(node, mirror.GENERATED))
        texts = {key: one.value for key, one in generated.items() if isinstance(one, Scalar)}
        api_version, kind, namespace, name, file = (
            texts.get(key) or "" for key in ("apiVersion", "kind", "namespace", "name", "file")
        )
        called = api_version, kind, namespace, name
        written = mirror.written(fields) if mirror_text is None else mirror_text
        is_adopted = texts.get(_ADOPTED) == "true"
        is_whole = api_version and kind and name
        yield template_name, StateEntry(called, file, written, is_adopted=is_adopted) if is_whole else None
