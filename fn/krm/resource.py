"""One object: its identity, its fields, and its text with the changes made to them."""

from __future__ import annotations

import re

from krm import fieldpath
from krm.results import ERROR, FnError, ResourceRef, Result, locate, severity_of
from krm.textslice import TextSlice, holding
from krm.yamltree import lines, parser, scalars
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Scalar, Sequence, at, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.results import Spot
    from krm.sections import Sections
    from krm.textslice import Pending
    from krm.yamltree.changes import Changes
    from krm.yamltree.editor import Editor
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import PlainData

    FieldOrPath: TypeAlias = "str | FieldPath"

KPTFILE = "Kptfile"
EXPAND_VARS = "ExpandVars"

DOMAIN = "expandvars.dev"
"""The domain of the mark and the state, for a function that has none of its own."""

GENERATED_BY = "generated-by"
"""The annotation, below the domain, with the functionConfig that generated an item, and its template."""

GENERATED_MARK = f"{DOMAIN}/{GENERATED_BY}"

FORMS = ("internal.config.kubernetes.io/", "config.kubernetes.io/")
"""The prefixes of orchestrators' annotations, the present one first: a program may read only one of the two."""

_INTERNAL, _LEGACY = FORMS
LOCAL_CONFIG = f"{_LEGACY}local-config"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
UPSTREAM = "internal.kpt.dev/upstream-identifier"
"""The annotation in which kpt notes what a resource is called upstream."""

FOR_TOOLS = (*FORMS, "config.k8s.io/", "kustomize.config.k8s.io/", "internal.kpt.dev/", LAST_APPLIED, f"{DOMAIN}/")
"""Prefixes of annotations for tools: their own notes, and what an author tells them, such as `local-config`."""

_LONG = 1 << 16  # characters

ABOVE_KEYS = r"(?:(?:---)?[ \t\r]*(?:#[^\n]*)?\n)*"
"""The pattern of the lines above the first key of a document: comments and a `---`."""

# Compiled at their first use: git's driver starts without them.
_STARTS_WITH_KEY = rf"{ABOVE_KEYS}[A-Za-z_][\w.-]*:[ \r\n]"
_VALUE = r"[ \t]+(?!null\b)([A-Za-z][\w./-]*)[ \t]*(?:#.*)?\r?$"
_KEY_AT_MARGIN = rf"(?m)^({'|'.join(parser.HEAD)}):(?:{_VALUE})?"

STATE = "GeneratedResources"
"""The kind of the object in which a functionConfig remembers what it has generated."""

OF_STATE = "has generated, for its next merge. Written by a program: commit it, do not edit it."
"""The end of the comment above a state, behind the functionConfig."""

STATE_FILE = ".generated.yaml"
"""The ending of the file of a state."""

PERSONS = "yours"
"""The word in a state for a field that may not be generated."""

IDS = ("internal.config.kubernetes.io/id", "config.k8s.io/id")
"""The annotations by which kpt and kustomize recognise an item in the output, in the present and in the old form."""

OF_BUILD = "kustomize.config.k8s.io/id"
"""The annotation by which `kustomize build` does. It also gives files to what a function returned, and writes none."""

PACKAGE = f"{_INTERNAL}package-path"
"""The annotation in which `kpt fn render` says which package an item is from."""

OF_KIND = r"kind\W++"
"""The pattern of the characters in front of a kind: quotes, blanks, a colon, the start of a block."""

KUSTOMIZATION = "Kustomization"
KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", KUSTOMIZATION)
"""The names of the file that kustomize reads in a directory. A file without a `kind` is known by them."""

FUNCTION_INPUT = "function-input"
"""The name of the ConfigMap that kpt makes of arguments and of `configMap`. No file holds it."""

FORMAT = f"{_INTERNAL}seqindent"
"""The annotation in which kpt and `source` note how a file is indented. Only kpt's runs have it together with `IDS`."""

NUMBERS = ("internal.config.k8s.io/kpt-resource-id", f"{_INTERNAL}kpt-resource-id")
"""The numbers that kpt gives all items before its selectors hide some: in the first form up to 1.0.0-beta.66."""

PATH, INDEX = "path", "index"
PLACES = (*(f"{form}{key}" for form in FORMS for key in (PATH, INDEX, "package-path")), *NUMBERS)
"""The annotations that say where an item was read: a copy of it must not have them, or two items claim one place."""

_OF_BUILDS = ("annotations-migration-resource-id", "buildAnnotations", "prefixes", "refBy", "seqindent", "suffixes")
_BOOKKEEPING = frozenset(
    (*PLACES, *IDS, OF_BUILD, f"{_LEGACY}merge-source", LAST_APPLIED, *(f"{_INTERNAL}{name}" for name in _OF_BUILDS))
)


class Resource(TextSlice):
    """One object of a ResourceList, or a document of the user's own text, which `has_lines` that results name.

    A field is named by a field path, `spec.containers[name=web].image`, or by a tuple of keys and indexes. What
    looks into the tree raises FnError if the text cannot be parsed. What searches the text alone does not.

    `path` is the file of a document, None for standard input and where annotations name files; `file_index` is that of
    the object in the file, None where nobody counts. An element of a List has this `number` in `outer`, which is None
    for others. It `is_gone` if it was removed. `secrets` are the paths of fields into which a run has put what is
    secret.
    """

    __slots__ = ("_written", "file_index", "has_lines", "is_gone", "number", "outer", "path", "secrets")

    def __init__(  # noqa: PLR0913 - the text, and what it is
        self,
        whole: str,
        span: tuple[int, int],
        label: str,
        base: Place = (),
        *,
        json: bool = False,
        has_lines: bool = False,
    ) -> None:
        """Take the object at `base` of the YAML document that stands at `span` of `whole`."""
        super().__init__(whole, span, label, base, json=json)
        self.has_lines = has_lines
        self.path: str | None = None
        self.file_index: int | None = None
        self._written: Resource | None = None
        self.number = 0
        self.is_gone = False
        self.outer: Resource | None = None
        self.secrets: frozenset[FieldPath] = frozenset()

    @property
    def document(self) -> Resource:
        """The outermost object: this one, or the List around it, or the List around that."""
        return self if self.outer is None else self.outer.document

    @property
    def place_in_document(self) -> Place:
        """The place of the object in its document, which is the root unless it is an element of a List."""
        return () if self.outer is None else (*self.outer.place_in_document, "items", self.number)

    def as_read(self, editor: Editor | None = None) -> Resource:
        """Return the object without its changes. `editor` is that of the List that it shares a text with."""
        read = Resource(self.whole, self.span, self.label, self.base, json=self._json, has_lines=self.has_lines)
        read.number, read.outer, read.path, read.file_index = self.number, self.outer, self.path, self.file_index
        read.numbers_keys = self.numbers_keys
        shared = None if self.pending is None else self.pending.as_read
        read._editor = editor or shared
        return read

    @property
    def written(self) -> Resource:
        """The object as it was read, with its fields and their lines. It is kept for the next question."""
        if self._written is None:
            self._written = self.as_read()
        return self._written

    @property
    def api_version(self) -> str:
        """The apiVersion, "" if it is absent; so are kind, name and namespace."""
        return self._text("apiVersion") or self._implied("apiVersion")

    @property
    def group(self) -> str:
        """The group of apiVersion, empty for the core group."""
        return self.api_version.rpartition("/")[0]

    @property
    def version(self) -> str:
        """The version of apiVersion."""
        return self.api_version.rpartition("/")[2]

    @property
    def kind(self) -> str:
        """The kind."""
        return self._text("kind") or self._implied("kind").removesuffix("List")

    @property
    def name(self) -> str:
        """The name."""
        return self._text("metadata", "name")

    @property
    def namespace(self) -> str:
        """The namespace."""
        return self._text("metadata", "namespace")

    @property
    def labels(self) -> dict[str, str]:
        """A copy of the labels."""
        return self._texts("metadata", "labels")

    @property
    def annotations(self) -> dict[str, str]:
        """A copy of the annotations."""
        return self._texts("metadata", "annotations")

    def annotation(self, key: str) -> str | None:
        """Return the text of one annotation, None if it is absent. A text that cannot hold its key is not parsed."""
        # A tree that is there answers at once. A search of a long text for each finding would take quadratic time.
        if self.is_parsed or self.may_contain(key):
            return written_text(self.at("metadata", "annotations", key))
        return None

    def inherited(self, key: str) -> str | None:
        """Return the text of an annotation of the object, or else of the List that it is in."""
        own = self.annotation(key)
        return own if own is not None or self.outer is None else self.outer.inherited(key)

    @property
    def annotation_keys(self) -> list[str]:
        """The keys of the annotations, also of those that are no text."""
        mapping = at(self.root, "metadata", "annotations")
        return [key for key, _ in mapping.items()] if isinstance(mapping, Mapping) else []

    @property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Every (namespace, name) of the object, the present one first.

        The others are those it had earlier in this kustomize build. A reference to it may still use one of them.
        """
        # kustomize writes one entry for each renaming of a build, the oldest first, in three lists of one length.
        names, namespaces = (
            (self.annotation(f"{_INTERNAL}{key}") or "").split(",") for key in ("previousNames", "previousNamespaces")
        )
        previous = zip(namespaces, names, strict=False) if names != [""] else ()
        return (self.namespace, self.name), *previous

    @property
    def is_local_config(self) -> bool:
        """True if the object is configuration for tools, which is never applied to a cluster."""
        return self.inherited(LOCAL_CONFIG) == "true"

    @property
    def is_state(self) -> bool:
        """True if it is the state of what a function has generated, in whatever form."""
        if not self.may_contain(STATE):
            return False
        self.cut()  # a state is the longest of all texts, and one with a repeated key has no tree
        return self.kind == STATE

    @property
    def file(self) -> str | None:
        """The path of the object's file, None if it is unknown."""
        # An annotation may have come in with a copy, so the path that was read counts.
        above = self.path if self.outer is None else self.outer.file
        return above or self.noted(PATH) or None

    @property
    def index(self) -> int | None:
        """The position of the object in its file."""
        above = self.file_index if self.outer is None else self.outer.index
        if above is not None:
            return above
        index = self.noted(INDEX)
        return int(index) if index.isascii() and index.isdecimal() else None

    def noted(self, key: str) -> str:
        """Return what an annotation says of the object's place, empty if none does."""
        # Orchestrators write the present form, the one before it, or both.
        return next(filter(None, (self.annotation(f"{form}{key}") for form in FORMS)), "")

    @property
    def default_file(self) -> str:
        """The path to which kpt writes an object that names none."""
        folder = f"{self.namespace}/" if self.namespace else ""
        return f"{folder}{self.kind.lower()}_{self.name}.yaml"

    @property
    def ref(self) -> ResourceRef:
        """The reference by which a result names this object."""
        return ResourceRef(self.api_version, self.kind, self.namespace, self.name)

    def get(self, field: FieldOrPath) -> Any:  # noqa: ANN401 - what the author wrote
        """Return a copy of a field's value: dict, list, str, int, float, bool, or None if the field is absent.

        If the path leads to several fields, the value is that of the first.
        """
        return scalars.data(next((node for _, node in self.find(field)), None))

    def find(self, field: FieldOrPath) -> list[tuple[Place, Node]]:
        """Return every place that a field path leads to, each with its node."""
        root = self.root
        path = fieldpath.parse(field) if isinstance(field, str) else field
        return [] if root is None else list(fieldpath.find(root, path))

    def set(self, place: Place, value: PlainData) -> None:
        """Write `value` to a field. One that is not there is added, with the mappings on the way.

        FnError if a list on the way has no such element, or if a comment or an anchor in use would be lost.
        """
        self._change([place], lambda changes, whole: changes.set(whole, value))

    def delete(self, *fields: FieldOrPath) -> bool:
        """Delete every field or list element that the paths lead to, with its comments. True if there was one.

        FnError if an anchor in use would be lost.
        """
        places = [place for field in fields for place, _ in self.find(field)]
        if places:
            # From the end, so that the indexes of what is still to be deleted stay right.
            self._change(places[::-1], lambda changes, whole: changes.delete(whole))
        return bool(places)

    def drop_ids(self) -> None:
        """Remove the ids by which kpt and kustomize recognise the object in the output.

        They copy comments from the input to a recognised item, list elements by position. After an element has moved
        its comments would come out on the wrong element, and where a node has changed its kind the run would fail. The
        text has all its comments, so an item that is not recognised loses none.
        """
        self.delete(*(("metadata", "annotations", key) for key in filter(self.may_contain, IDS)))
        if self.outer is not None:
            self.outer.drop_ids()

    def set_annotations(self, values: dict[str, str]) -> None:
        """Write several annotations as one change. One that has its value already stays as it is written."""
        present = self.annotations
        changed = {key: value for key, value in values.items() if present.get(key) != value}
        if changed:
            places: list[Place] = [("metadata", "annotations", key) for key in changed]
            self._change(places, lambda changes, whole: changes.set(whole, changed[str(whole[-1])]))

    def rewrite(self, changes: dict[Place, list[Edit]]) -> None:
        """Change parts of scalars; each edit counts characters of its scalar's value. FnError as for `set`."""
        placed = {self.base + place: changes[place] for place in changes}
        self._edit(lambda text: text.rewrite(placed), *changes)

    def splice(self, made: list[Edit]) -> None:
        """Make edits of the text that holds the object, which change no more than scalars and comments.

        FnError if they would give the text another shape.
        """
        self._edit(lambda text: text.splice(made))

    def _edit(self, edit: Callable[[Editor | Pending], None], *places: Place) -> None:
        """Edit the text that holds the object, at once or together with those who share it."""
        try:
            edit(self.pending or self.editor)
        except EditError as error:
            raise self.refused(error, *places) from None

    def result(self, message: str, severity: str, reason: str, *places: Place) -> Result:
        """Return a result about this object, or about the fields at `places` in it."""
        return self._about(message, severity, reason, {self.path_of(place): place for place in places})

    def result_at(self, message: str, reason: str, *paths: FieldPath, severity: str = "") -> Result:
        """Return a result about the fields at paths of a merge, which may have templates that the text has not."""
        found = {path: self.find(path) if self._substitutes else [] for path in paths if path}
        named = [fieldpath.named(self._written_root, at[0][0]) if at else path for path, at in found.items()]
        fields = {fieldpath.to_text((*self.place_in_document, *path)): path for path in named}
        return self._about(message, severity or severity_of(reason), reason, fields)

    def _about(self, message: str, severity: str, reason: str, fields: dict[str, FieldPath]) -> Result:
        above = self.place_in_document
        (field, place), *further = [(name, (*above, *path)) for name, path in fields.items()] or [("", above)]
        result = Result(message, severity, reason, ref=self.ref, field=field or None, file=self.file, index=self.index)
        result.further = (*further,)
        locate(result, self.document.spot_of, place)
        return result

    def notice(self, message: str, reason: str, *places: Place) -> Result:
        """Return a result as `result` does, of which the reason alone says how serious it is."""
        return self.result(message, severity_of(reason), reason, *places)

    def path_of(self, place: Place) -> str:
        """Return the path of a field in messages: its path in the document."""
        return fieldpath.to_text((*self.place_in_document, *fieldpath.named(self._written_root, place)))

    @property
    def _written_root(self) -> Node | None:
        """The tree of the text, without the templates that readers may see in it."""
        return self.editor.get(self.base) if self._substitutes else self.root

    @property
    def spot_of(self) -> Callable[[FieldPath], Spot] | None:
        """The function that returns the line and column of a field; None for a text that is not the user's own."""
        return self.spot if self.has_lines else None

    def spot(self, place: FieldPath) -> Spot:
        """Return the line and the column of a field, each counted from 1 in the whole text as it was read.

        For a field that was added later they are those of the field around it.
        """
        written = self.written
        # An alias has its own line. Its anchor is above, in another field.
        starts = (node.start for length in range(len(place) + 1) for _, node in written.find(place[:length]))
        position = self.span[0] + max(starts, default=0)
        return lines.number(self.whole, position), lines.column(self.whole, position) + 1

    def _change(self, places: list[Place], gather: Callable[[Changes, Place], object]) -> None:
        """Make the changes that are gathered for some places, all of them or none."""
        place: Place = ()
        try:
            if self.pending is not None:
                self.pending.make_splices()
            changes = self.editor.changes()
            for place in places:
                gather(changes, self.base + place)
            self.editor.make(changes)
            if changes.moves:
                self.drop_ids()
        except EditError as error:
            raise self.refused(error, *places) from None
        except KeyError:
            message = f"the field `{fieldpath.to_text(place)}` cannot be made: there is no such list or mapping"
            raise FnError(self.result(message, ERROR, "NotEditable")) from None

    def refused(self, error: EditError | parser.ParseError, *places: Place) -> FnError:
        """Return the error for an edit that cannot be made."""
        # A list of an orchestrator has other lines than the user's files.
        line = f"line {error.line + self.lines_above}: " if self.document.has_lines else ""
        message = f"the field cannot be changed: {line}{error.problem}"
        return FnError(self.result(message, ERROR, "NotEditable", *places))

    @property
    def _written_file(self) -> str | None:
        # One that is alone in its file has that for its label.
        return super()._written_file if self.file_index is None else self.path

    def cut(self) -> Sections | None:
        """Cut the text, so that no question about a part of it needs the whole tree. None if it has to be read whole.

        That is the case if it is parsed already, if other objects share it, and if it has no outline.
        """
        found = self.sections
        is_shared = found is None and (self.outer is not None or self.pending is not None or self.elements is not None)
        if found is None and not (self.is_parsed or is_shared or self._json):
            from krm.sections import sections  # noqa: PLC0415 - the filter does without it

            found = self.sections = sections(self.text, is_element=bool(self.base))
        return found

    def at(self, *keys: str) -> Scalar | Mapping | Sequence | None:
        """Return the node at the path of `keys`, as `nodes.at` does, from a section of the text if it was cut."""
        sections = self.sections
        if sections is None:
            return at(self.root, *keys)
        try:
            return sections.at(*keys)
        except parser.ParseError:
            return at(self.root, *keys)  # the parser of the whole text names the line of the error

    def spelled(self) -> dict[str, str | None]:
        """Return the head of a document by its lines at the margin. A value that is no plain word is None.

        Nothing is returned if a key is there twice: one of the two may be a line of a text.
        """
        if not re.compile(_STARTS_WITH_KEY).match(self.whole, self.span[0]):
            return {}
        found = [(key[1], key[2]) for key in re.compile(_KEY_AT_MARGIN).finditer(self.whole, *self.span)]
        return dict(found) if len(dict(found)) == len(found) else {}

    def _text(self, *keys: str) -> str:
        # Many callers ask for the name of a long text, and its tree is dropped in between. So only a long text is cut.
        if self._editor is None and self.span[1] - self.span[0] > _LONG:
            self.cut()
        return written_text(at(self.root, *keys) if self._sections is None else self.at(*keys)) or ""

    def _implied(self, key: str) -> str:
        """Return the value that a List of one kind, such as a PodList, has for all of its elements."""
        outer = self.outer
        return "" if outer is None or outer.kind == "List" else outer._text(key)  # noqa: SLF001 - an object of the same class

    def _texts(self, *keys: str) -> dict[str, str]:
        node = self.at(*keys)
        pairs = node.items() if isinstance(node, Mapping) else ()
        return {key: text for key, value in pairs if (text := written_text(resolved(value))) is not None}


def written_text(node: Scalar | Mapping | Sequence | None) -> str | None:
    """Return the text of a scalar, None for null and for anything else."""
    return node.value if isinstance(node, Scalar) and scalars.typed(node) is not None else None


def is_bookkeeping(key: str) -> bool:
    """True if an annotation is an orchestrator's or kubectl's own note. No author writes them: they are no data."""
    return key in _BOOKKEEPING or key.startswith(f"{_INTERNAL}previous")


def are_in_place(items: Collection[Resource], function_config: Resource | None) -> bool:
    """True if what becomes of the items is written over them: one has a file, and an orchestrator's id or a format.

    `source` and `kpt fn source` note the format. A directory without any items has none to show that. Then a
    functionConfig tells that kpt has read it.
    """
    if not items:
        return function_config is not None and function_config.annotation(FORMAT) is not None
    # A List may have the annotations for its elements.
    documents = dict.fromkeys([*items, *(item.document for item in items if item.outer is not None)])
    # What it writes it writes as it is, so that the text tells most items apart without parsing.
    return any(
        item.annotation(key) is not None and item.file is not None
        for key in (FORMAT, *IDS)
        for item in holding(documents, key)
        if item.spells(f"{_LEGACY}path") and item.is_readable and not item.annotation(OF_BUILD)
    )
