"""Updates: the resources that a generator makes. They are given as texts, or read from the output of a program."""

from __future__ import annotations

import copy
import re
from functools import cached_property, lru_cache, reduce

from krm import envelope, fieldpath, secrets
from krm.generation import mirror
from krm.generation.mirror import Mirroring
from krm.generation.packages import NewFile
from krm.generation.settings import forget, identity, is_of_tools, may_be
from krm.generation.state import StateEntry
from krm.merge import trees
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.template_comments import reading
from krm.yamltree import cuts, edits, lines, parser, scalars, splices
from krm.yamltree.editor import EditError
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence, at, resolved, written_at
from krm.yamltree.parser import ParseError
from krm.yamltree.target import Rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from krm.fieldpath import FieldPath, Place
    from krm.generation.mirror import Mirror, Mirrored
    from krm.generation.settings import CurrentTexts, Identity
    from krm.generation.state import Called
    from krm.yamltree.nodes import Node

NO_RESOURCE = "NoResource"

_IN_BRACKETS = re.compile(r"^metadata: *\{", re.MULTILINE)
_FIELDS = ("apiVersion", "kind", "metadata.name")
_TEXTS = (*_FIELDS, "metadata.namespace")
# What stands ahead of a value in its line.
_HEAD = re.compile(r" *(?:- +)?(?:[\w./-]+: +)?")


class Update:
    """A resource as it is generated now, as a side of a merge.

    `folder` is the directory of its file, if it is new and names no file (docs/guides/wrap.md); with None that is left
    open. `template_name` is the identity as its template writes it, and is the same after a variable in the name
    changes. `text` is compared with that of an item; it is None if only a tree can be compared. `keys` are the places
    of keys with a reference, each with the key as its template writes it. `shown` has the same tree, if its maker has
    one.
    """

    def __init__(
        self,
        resource: Resource,
        folder: str | None = None,
        template_name: str = "",
        keys: dict[Place, str] | None = None,
        shown: Resource | None = None,
    ) -> None:
        # Before the merge, which parses it, only its identity is needed: so it is parsed once.
        self.text = text_of(resource)
        self.resource = resource
        self._shown = shown or resource
        self._keys = keys or {}
        self.new = NewFile(resource, folder)
        self.identity = identity(resource)
        self.template_name = template_name or "/".join(self.identity)
        self._called = resource.api_version, resource.kind, resource.namespace, resource.name

    @property
    def secrets(self) -> frozenset[FieldPath]:
        """The paths at which something secret was inserted, whatever the element: an item may have it elsewhere."""
        return frozenset(map(fieldpath.general, self.resource.secrets))

    @cached_property
    def mirroring(self) -> Mirroring:
        """The maker of its mirror."""
        return Mirroring(self.identity, secrets.finder(self.resource))

    @cached_property
    def mirrored(self) -> Mirrored:
        """Its mirror."""
        return self.mirroring.of(self.resource.root)

    def entry(self, file: str, *, is_adopted: bool = False) -> StateEntry:
        """Return its entry for the state."""
        return StateEntry(self._called, file, mirror.written(self.mirrored.fields), is_adopted=is_adopted)

    def _remembered(self, spelled: Callable[[str], str]) -> tuple[Called, str]:
        """Return its identity and mirror for a state, if the references in it are written as `spelled`."""
        mirrored, text = self.mirroring.of(self._shown.root), self._shown.editor.text
        for _, below, key, _, node in mirrored.references:
            value = None if mirror.is_secret(below[key]) else _scalar(spelled(text[node.start : node.end]))
            below[key] = below[key] if value is None else mirror.pair(value, node)
        return self._called, mirror.written(mirrored.fields)

    def is_current(self, item: Resource, entry: StateEntry, current: CurrentTexts) -> bool:
        """True if an item, and its entry in the state, have what this run generates: then nothing is to be done.

        The two texts are compared line by line, with present values for references. So the item is not parsed.
        """
        shown, templates = ((text or "").split("\n") for text in (text_of(item), self.text))
        if len(shown) != len(templates):
            return False
        for number, (line, template) in enumerate(zip(shown, templates, strict=True)):
            if line != template:
                head = _HEAD.match(template)
                # A line with another key has no value of the template.
                if head is None or not line.startswith(head[0]):
                    return False
                shown[number] = f"{line} {reading.MARK} {template[head.end() :]}"
        is_remembered = self._remembered(current.spelled) == (entry.called, entry.mirror_text)
        return is_remembered and current.take(item, "\n".join(shown))

    def rename_keys(self, entry: StateEntry, item: Resource) -> None:
        """Rename the keys of an entry and of its item that another value of a variable gives another name.

        A key is known by its template, as a resource is. Keys below an element of a list are not renamed.
        """
        fields = copy.deepcopy(entry.fields) if self._keys else {}  # what an entry has read is kept, and stays as it is
        for place, written in self._keys.items():
            steps = [step for step in place if isinstance(step, str)]
            path = [mirror.of_key(step) or "" for step in steps]
            known, present = (reduce(mirror.below, path[:-1], one) for one in (fields, self.mirrored.fields))
            former = [key for key in known if key not in present and may_be(written, mirror.step(key))]
            around = written_at(item.root, place[:-1])
            keys = {key.value: key for key in around.kids[::2]} if isinstance(around, Mapping) else {}
            # It has its name already, or nobody can tell which key it was, or another field shows it.
            if path[-1] in known or steps[-1] in keys or len(former) != 1 or isinstance(around, Alias):
                continue
            known[path[-1]] = known.pop(former[0])
            key = keys.get(mirror.step(former[0]))
            if isinstance(key, Scalar) and isinstance(around, Mapping):
                renamed, text = Rewritten(key, [Edit(0, len(key.value), steps[-1])]), item.editor
                item.splice(splices.spelled(text.text, renamed, flow=around.flow, json=text.json))
            entry.mirror_text = mirror.written(fields)

    def known(self, entry: StateEntry | None, local: Node | None) -> Mirror:
        """Return what an entry says. What else an adopted item has, or one without an entry, is a person's."""
        if entry is not None and not entry.is_adopted:
            return entry.fields
        return mirror.with_persons({} if entry is None else entry.fields, self._of_local(local))

    def mark_persons(self, entry: StateEntry | None, local: Node | None) -> None:
        """Mark fields of the mirror as a person's: those in which local differs, and that were not generated."""
        if entry is None or entry.is_adopted or mirror.has_persons(entry.fields):
            mirror.mark_persons(self.mirrored.fields, self.known(entry, local), self._of_local(local))

    def _of_local(self, local: Node | None) -> Mirror:
        return self.mirroring.of(local, self.mirrored.fields).fields

    def release(self) -> None:
        """Drop the trees and the mirror, which take many times the memory of the text."""
        self._shown.release()
        self._shown = self.resource
        if self.resource.is_parsed:
            self.resource.release()
        self.__dict__.pop("mirrored", None)


def generated(text: str, label: str, secrets: Collection[Place] = ()) -> Resource:
    """Return the resource in a YAML document. `secrets` are the places into which a secret was inserted."""
    json = cuts.is_json(text)
    resource = Resource(text, (0, len(text)), label, json=json)
    forget(resource)
    if resource.is_changed:  # a merge compares texts as they were read
        resource = Resource(resource.text, (0, len(resource.text)), label, json=json)
    resource.secrets = frozenset(secrets)
    return resource


@lru_cache(1024)  # the templates of a run have the same variables
def _scalar(written: str) -> Scalar | None:
    """Return the scalar in a YAML text, None if there is none."""
    root = parser.parse(written).root
    return root if isinstance(root, Scalar) else None


def text_of(item: Resource) -> str | None:
    """Return the text of an item without the annotations of tools and its margin, None if that needs a tree.

    Most generated items never change: then two texts are compared, and nothing is parsed.
    """
    sections = item.cut()
    if sections is None:
        return None
    cut = sections.outline
    annotations = cut.entries(*trees.ANNOTATIONS)
    gone = [start for key, (start, _) in annotations.items() if is_of_tools(str(key))]
    if annotations and len(gone) == len(annotations):
        gone = [cut.span(trees.ANNOTATIONS)[0], *gone]
    text = edits.apply(cut.text, [Edit(start, lines.next_line(cut.text, start), "") for start in gone])
    text = text.removeprefix("---\n")
    margin = len(cut.margin(()))
    return "\n".join(line[margin:] for line in text.split("\n")) if margin else text


def unfold(resource: Resource) -> None:
    """Give metadata in brackets on one line a line for each key, so that there is room for annotations.

    kpt writes the name of a published resource as a comment behind `metadata:`. With brackets the comment would get to
    the next key, and kpt would not find it: an update of the package would leave the resource out, and bring the state.
    """
    text, root = resource.text, resource.root if _IN_BRACKETS.search(resource.text) else None
    metadata = at(root, "metadata")
    is_inside = isinstance(root, Mapping) and root.flow
    if is_inside or not isinstance(metadata, Mapping) or "\n" in text[metadata.start : metadata.end]:
        return
    start = text.rindex("metadata:", 0, metadata.start) + len("metadata:")
    written = ""
    for key, value in zip(metadata.kids[::2], metadata.kids[1::2], strict=True):
        # In brackets, a colon behind a key in quotes needs no blank.
        shown = text[key.end : value.end].partition(":")[2].strip()
        written += f"\n  {text[key.start : key.end]}: {shown}".rstrip()
    resource.splice([Edit(start, metadata.end, written)])


def read(text: str, label: str, folder: str | None = None) -> list[Update]:
    """Return the resources in a text. `folder` is for new ones, `label` is the name of the text in messages.

    Empty documents are left out. FnError if the text is not YAML, or something in it is no resource.
    """
    try:
        parts = cuts.documents(text)
    except ParseError as error:
        raise FnError(Result(f"{label} is not YAML: {error}", ERROR, NO_RESOURCE)) from None
    json = cuts.is_json(text)
    updates = []
    for number, (span, _) in enumerate(parts, start=1):
        called = f"{label}, document {number}" if len(parts) > 1 else label
        document = Resource(text, span, called, json=json)
        updates += [Update(generated(resource, at), folder) for resource, at in _resources(document)]
    return updates


def _resources(document: Resource) -> Iterator[tuple[str, str]]:
    """Yield the text of each resource in a document, and its name in messages."""
    root = resolved(document.root)
    if not isinstance(root, Mapping):
        if scalars.data(root) is not None:
            raise _mistake(document.label, root)
        return
    items = resolved(root.get("items"))
    if document.kind == "ResourceList":
        message = f"{document.label} is a ResourceList: give the generated resources alone"
        raise FnError(Result(message, ERROR, NO_RESOURCE))
    # Also a ConfigMapList, as clients print it, is a list. A resource has a name, a list has none.
    if not document.kind.endswith("List") or not isinstance(items, Sequence) or document.name:
        yield document.source, document.label
        return
    for number, item in enumerate(items.kids):
        label = f"{document.label}, items[{number}]"
        if not isinstance(resolved(item), Mapping):
            raise _mistake(label, item)
        try:
            text = document.editor.alone(("items", number))
        except EditError as error:
            raise FnError(Result(f"{label}: {error}", ERROR, NO_RESOURCE)) from None
        yield text, label


def _mistake(label: str, node: Node | None) -> FnError:
    noun = "a list" if isinstance(resolved(node), Sequence) else "text"
    return FnError(Result(f"{label} is {noun}, it must be a resource: a mapping", ERROR, NO_RESOURCE))


def mistakes(updates: Iterable[Update], labels: dict[Identity, str]) -> Iterator[Result]:
    """Yield the mistakes in updates. `labels` are the names in messages of all resources before, by identity."""
    for update in updates:
        yield from _mistakes(update, labels)
        if update.resource.is_parsed:  # the trees of all of them would take more memory than all else
            update.release()


def _mistakes(update: Update, labels: dict[Identity, str]) -> Iterator[Result]:
    """Yield what makes an update no resource, or the same as one before."""
    resource = update.resource
    named = {field: resource.at(*field.split(".")) for field in _TEXTS}
    lacking = [field for field in _FIELDS if scalars.data(named[field]) in (None, "")]
    # A number, and what only some readers take for a string.
    wrong = [field for field, node in named.items() if scalars.data(node) is not None and scalars.string(node) is None]
    if lacking or wrong:
        problem = "it has no" if lacking else "it has no string as"
        fields = ", ".join(f"`{field}`" for field in lacking or wrong)
        hint = ", and with `generateName` no run would know it again" if resource.get("metadata.generateName") else ""
        yield Result(f"{resource.label} is no resource: {problem} {fields}{hint}", ERROR, NO_RESOURCE)
    elif resource.kind.endswith("List") and envelope.elements(resource.root) is not None:
        # The next run would find its elements, and no List of this name.
        message = "each element of a List is a resource of its own: generate its elements instead"
        yield resource.result(message, ERROR, NO_RESOURCE)
    elif update.identity in labels:
        message = f"{labels[update.identity]} and {resource.label} are the same resource: only one can be generated"
        yield resource.result(message, ERROR, "GeneratedTwice")
    else:
        labels[update.identity] = resource.label
