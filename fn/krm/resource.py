"""One object: what it is called, its fields, and its text with the changes made to them."""

from __future__ import annotations

from fn.krm import fieldpath
from fn.krm.results import ERROR, FnError, ResourceRef, Result
from fn.yamltree import parser, scalars
from fn.yamltree.editor import EditError, Editor
from fn.yamltree.nodes import Mapping, Scalar, resolved
from fn.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from fn.krm.fieldpath import FieldPath, Place
    from fn.yamltree.edits import Edit
    from fn.yamltree.nodes import Node
    from fn.yamltree.parser import Document
    from fn.yamltree.style import Value

    Field: TypeAlias = "str | FieldPath"

# The prefixes of the annotations by which orchestrators and functions keep their books (decision 34, spec/wire.md).
_INTERNAL = "internal.config.kubernetes.io/"
_LEGACY = "config.kubernetes.io/"
LOCAL_CONFIG = f"{_LEGACY}local-config"
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
BOOKKEEPING = (
    _LEGACY,
    _INTERNAL,
    "config.k8s.io/",
    "kustomize.config.k8s.io/",
    "internal.kpt.dev/",
    LAST_APPLIED,
    "expandvars.dev/",
)


class Resource:
    """One object of a ResourceList: a part of a long text, parsed when something is asked of it.

    `place` says which part, for messages about what cannot be parsed; `base` where the object is in that part.
    """

    __slots__ = ("_document", "_editor", "_end", "_json", "_root", "_start", "_whole", "base", "place")

    def __init__(self, whole: str, span: tuple[int, int], place: str, base: Place = (), *, json: bool = False) -> None:
        """Take the object at `base` of the YAML document that stands at `span` of `whole`."""
        self._whole = whole
        self._start, self._end = span
        self.base = base
        self._json = json
        self._editor: Editor | None = None
        self._document: Document | None = None
        self._root: Node | None = None
        self.place = place

    @classmethod
    def within(cls, editor: Editor, base: Place, place: str) -> Resource:
        """Return the object at `base` of a text that other objects are in too."""
        resource = cls(editor.text, (0, len(editor.text)), place, base)
        resource._editor = editor
        return resource

    def may_contain(self, text: str) -> bool:
        """Say whether `text` may be part of a key or value, without parsing: an escape can hide anything."""
        find = self._whole.find
        return find(text, self._start, self._end) >= 0 or find("\\", self._start, self._end) >= 0

    @property
    def source(self) -> str:
        """The text that was read."""
        return self._whole[self._start : self._end]

    @property
    def text(self) -> str:
        """The text with every change made to it."""
        return self.source if self._editor is None else self._editor.text

    @property
    def is_changed(self) -> bool:
        """Whether the text is no longer what was read."""
        return self._editor is not None and self._editor.text != self.source

    @property
    def editor(self) -> Editor:
        """The editor of the text that the object is in. FnError where that is not YAML."""
        if self._editor is None:
            try:
                source = self.source
                self._editor = Editor(source, json=self._json, document=parser.parse(source))
            except ParseError as error:
                moved = error.moved(self._whole.count("\n", 0, self._start))
                raise FnError(Result(f"{self.place}: {moved}", ERROR, "InvalidInput")) from None
        return self._editor

    @property
    def root(self) -> Node | None:
        """The object's tree, None for an empty document."""
        document = self.editor.document
        if document is not self._document:
            self._document, self._root = document, self.editor.get(self.base)
        return self._root

    @property
    def api_version(self) -> str:
        """The apiVersion, empty where there is none; likewise for kind, name and namespace."""
        return self._text("apiVersion")

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
        return self._text("kind")

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
        """The labels; a change of the dict changes nothing."""
        return self._texts("metadata", "labels")

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations; a change of the dict changes nothing."""
        return self._texts("metadata", "annotations")

    @property
    def identities(self) -> tuple[tuple[str, str], ...]:
        """Every (namespace, name) that the object has or had in this build, its present one first (decision 17)."""
        annotations = self.annotations
        names = annotations.get(f"{_INTERNAL}previousNames", "").split(",")
        namespaces = annotations.get(f"{_INTERNAL}previousNamespaces", "").split(",")
        previous = zip(namespaces, names, strict=False) if names != [""] else ()
        return (self.namespace, self.name), *previous

    @property
    def is_local_config(self) -> bool:
        """Whether the object is configuration of tools, never applied to a cluster."""
        return self.annotations.get(LOCAL_CONFIG) == "true"

    @property
    def file(self) -> str | None:
        """The path of the file that the object is from, where an orchestrator said so."""
        annotations = self.annotations
        return annotations.get(f"{_INTERNAL}path") or annotations.get(f"{_LEGACY}path")

    @property
    def index(self) -> int | None:
        """The position of the object in its file."""
        annotations = self.annotations
        index = annotations.get(f"{_INTERNAL}index") or annotations.get(f"{_LEGACY}index") or ""
        return int(index) if index.isdecimal() else None

    @property
    def ref(self) -> ResourceRef:
        """What a result says of which object it is about."""
        return ResourceRef(self.api_version, self.kind, self.namespace, self.name)

    def get(self, field: Field) -> Any:
        """Return the value of a field as dict, list, str, int, float, bool or None; None where it is not there.

        `field` is a field path, `spec.containers[name=web].image`; the first place is meant where it has several.
        """
        return scalars.data(next((node for _, node in self.find(field)), None))

    def find(self, field: Field) -> list[tuple[Place, Node]]:
        """Return the places that a field path leads to, each with its node."""
        root = self.root
        path = fieldpath.parse(field) if isinstance(field, str) else field
        return [] if root is None else list(fieldpath.find(root, path))

    def set(self, field: Field, value: Value) -> None:
        """Make `value` the value of a field, with the mappings on the way made where they are missing.

        FnError where that would lose something of the author's, or a part of the path that is no key leads nowhere.
        """
        path = fieldpath.parse(field) if isinstance(field, str) else field
        for place in [place for place, _ in self.find(path)] or [_new_place(path)]:
            self._change(place, lambda editor, whole: editor.set(whole, value))

    def delete(self, field: Field) -> bool:
        """Take a field or a list element away, with its comments, and say whether it was there. FnError as for `set`."""
        places = [place for place, _ in self.find(field)]
        for place in reversed(places):
            self._change(place, lambda editor, whole: editor.delete(whole))
        return bool(places)

    def set_annotation(self, key: str, value: str) -> None:
        """Make `value` the annotation `key`."""
        self.set(("metadata", "annotations", key), value)

    def rewrite(self, changes: dict[Place, list[Edit]]) -> None:
        """Change parts of the scalars at several places; the edits of each count in its value. FnError as for `set`."""
        self._change((), lambda editor, base: editor.rewrite({base + place: changes[place] for place in changes}))

    def release(self) -> None:
        """Forget the tree, which is parsed anew when it is needed again."""
        self._document = self._root = None
        if not self.is_changed:
            self._editor = None

    def result(self, message: str, severity: str, reason: str, *places: Place) -> Result:
        """Return a finding about this object, or about the fields at `places` of it."""
        root = self.root
        fields = [] if root is None else [fieldpath.printed(root, place) for place in places]
        field = ", ".join(dict.fromkeys(fields)) or None
        return Result(message, severity, reason, ref=self.ref, field=field, file=self.file, index=self.index)

    def _change(self, place: Place, make: Callable[[Editor, Place], object]) -> None:
        try:
            make(self.editor, self.base + place)
        except EditError as error:
            raise FnError(self.result(f"the field cannot be changed: {error}", ERROR, "NotEditable", place)) from None
        except KeyError:
            message = f"the field `{fieldpath.to_text(place)}` cannot be made: there is no such list or mapping"
            raise FnError(self.result(message, ERROR, "NotEditable")) from None

    def _text(self, *path: str) -> str:
        node: Node | None = self.root
        for key in path:
            node = resolved(node.get(key)) if isinstance(node, Mapping) else None
        return node.value if isinstance(node, Scalar) else ""

    def _texts(self, *path: str) -> dict[str, str]:
        node: Node | None = self.root
        for key in path:
            node = resolved(node.get(key)) if isinstance(node, Mapping) else None
        pairs = ((key, resolved(value)) for key, value in node.items()) if isinstance(node, Mapping) else ()
        return {key: value.value for key, value in pairs if isinstance(value, Scalar)}


def _new_place(path: FieldPath) -> Place:
    """Return a path of keys and indices as a place. FnError where it has anything else."""
    for segment in path:
        if not isinstance(segment, str | int):
            message = f"`{fieldpath.to_text(path)}` leads to no field, and only a path of keys can make one"
            raise FnError(Result(message, ERROR, "NotEditable"))
    return path  # type: ignore[return-value]  # checked above
