"""One object: what it is called, its fields, and its text with the changes made to them."""

from __future__ import annotations

from krm import fieldpath, ids
from krm.part import Part
from krm.results import ERROR, FnError, ResourceRef, Result
from krm.yamltree import scalars
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.nodes import Mapping, Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value

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


class Resource(Part):
    """One object of a ResourceList.

    Fields are named by field paths, `spec.containers[name=web].image`, or by tuples of keys and indexes. Everything
    but `may_contain`, `source` and `text` raises FnError where the text cannot be parsed.
    """

    __slots__ = ()

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

    def get(self, field: Field) -> Any:  # noqa: ANN401 - what the author wrote
        """Return the value of a field as dict, list, str, int, float, bool or None; None where it is not there.

        Where the path leads to several fields it is that of the first. A change of what is returned changes nothing.
        """
        return scalars.data(next((node for _, node in self.find(field)), None))

    def find(self, field: Field) -> list[tuple[Place, Node]]:
        """Return the places that a field path leads to, each with its node."""
        root = self.root
        path = fieldpath.parse(field) if isinstance(field, str) else field
        return [] if root is None else list(fieldpath.find(root, path))

    def set(self, field: Field, value: Value) -> None:
        """Make `value` the value of a field, or of every field that the path leads to.

        A field that is not there is made, with the mappings on the way, in every element that the path leads to.
        FnError where a list on the way has no such element, or where something of the author's would be lost.
        """
        path = fieldpath.parse(field) if isinstance(field, str) else field
        for place in self._places(path):
            there = next((node for _, node in self.find(place)), None)
            rearranges = ids.rearranges(there, value)
            self._change(place, lambda editor, whole: editor.set(whole, value))
            if rearranges:
                self.drop_ids()

    def delete(self, field: Field) -> bool:
        """Take away every field or list element that the path leads to, with its comments; say whether there was one.

        FnError where something else of the author's would be lost.
        """
        places = [place for place, _ in self.find(field)]
        for place in reversed(places):
            parent = next((node for _, node in self.find(place[:-1])), None)
            loses_place = ids.loses_place(parent, place)
            self._change(place, lambda editor, whole: editor.delete(whole))
            if loses_place:
                self.drop_ids()
        return bool(places)

    def drop_ids(self) -> None:
        """Keep orchestrators from copying comments by position, as elements of a list have moved (decision 10)."""
        for key in ids.KEYS:
            self.delete(("metadata", "annotations", key))

    def set_annotation(self, key: str, value: str) -> None:
        """Make `value` the annotation `key`."""
        self.set(("metadata", "annotations", key), value)

    def rewrite(self, changes: dict[Place, list[Edit]]) -> None:
        """Change parts of the scalars at several places; the edits of each count in its value. FnError as for `set`."""
        self._change((), lambda editor, base: editor.rewrite({base + place: changes[place] for place in changes}))

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
            message = f"the field cannot be changed: line {error.line + self.lines_above}: {error.problem}"
            raise FnError(self.result(message, ERROR, "NotEditable", place)) from None
        except KeyError:
            message = f"the field `{fieldpath.to_text(place)}` cannot be made: there is no such list or mapping"
            raise FnError(self.result(message, ERROR, "NotEditable")) from None

    def _places(self, path: FieldPath) -> list[Place]:
        """Return the places that a path leads to, also those of fields that are not there yet.

        FnError where that cannot be told: only keys and indexes say what to make.
        """
        depth = max((n for n, segment in enumerate(path, 1) if not isinstance(segment, str | int)), default=0)
        rest: Place = tuple(segment for segment in path[depth:] if isinstance(segment, str | int))
        parents = [place for place, _ in self.find(path[:depth])] if depth else [()]
        if not parents:
            message = f"`{fieldpath.to_text(path)}` leads to no field, and only a path of keys and indexes can make one"
            raise FnError(self.result(message, ERROR, "NotEditable"))
        wanted = [parent + rest for parent in parents]
        return [found for place in wanted for found in [there for there, _ in self.find(place)] or [place]]

    def _at(self, *path: str) -> Node | None:
        node = resolved(self.root)
        for key in path:
            node = resolved(node.get(key)) if isinstance(node, Mapping) else None
        return node

    def _text(self, *path: str) -> str:
        return _written(self._at(*path)) or ""

    def _texts(self, *path: str) -> dict[str, str]:
        node = self._at(*path)
        texts = ((key, _written(value)) for key, value in node.items()) if isinstance(node, Mapping) else ()
        return {key: text for key, text in texts if text is not None}


def _written(node: Node | None) -> str | None:
    """Return the text of a scalar as it is written, None for null and for anything else."""
    scalar = resolved(node)
    return scalar.value if isinstance(scalar, Scalar) and scalars.typed(scalar) is not None else None
