"""Whole files: their documents matched by what they are called, and merged one by one (spec/merge.md, 4.19 to 4.21a).

An object is the same in all three files if group, kind, namespace and name are, at whatever version, in whatever order.
One that names no namespace may have been applied to one, which local names if it is what is live. Of several that are
called the same the first is matched with the first. A file without a document is not there.
"""

from __future__ import annotations

import re

from krm.merge import definitions, findings
from krm.merge.conflicts import Refused
from krm.merge.definitions import Definitions
from krm.merge.schema import Schema
from krm.merge.trees import Tree
from krm.resource import Resource
from krm.resourcelist import Output
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts, lines
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeAlias

    from krm.merge.walk import Merged
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    Identity: TypeAlias = tuple[str, ...]
    Called: TypeAlias = tuple[Identity, int]
    Documents: TypeAlias = dict[Called, Resource]
    Merge: TypeAlias = Callable[[Tree, Tree, Tree, Schema], Merged]

_UPSTREAM = "internal.kpt.dev/upstream-identifier"
# kpt's word for what it does not know, and the namespace of an object that names none.
_UNSAID = ("~C", "default")
_KPT_MERGE = re.compile(r"^metadata: *# *kpt-merge: *([^/\s]*)/(\S+)", re.MULTILINE)


class File:
    """The text of a file and its documents by identity. `name` is what to call it in messages."""

    __slots__ = ("documents", "is_json", "name", "parts", "text")

    def __init__(self, text: str, name: str) -> None:
        """Read a file. ParseError or FnError where it is not YAML, or an alias in it names nothing."""
        self.text = text
        self.name = name
        self.is_json = cuts.is_json(text)
        self.parts: list[tuple[str, Resource | None]] = []
        self.documents: Documents = {}
        spans = cuts.document_spans(text)
        for number, span in enumerate(spans, start=1):
            place = f"{name}: document {number}" if len(spans) > 1 else name
            document = Resource(text, span, place, json=self.is_json)
            is_object = isinstance(document.root, Mapping | Sequence)
            self.parts.append((document.source, document if is_object else None))
            if is_object:
                _check_aliases(document)
                self.documents[self._free(_identity(document))] = document

    def _free(self, identity: Identity) -> Called:
        """Return an identity with the number of those before that are called the same."""
        number = 0
        while (identity, number) in self.documents:
            number += 1
        return identity, number


def merge(origin: File, update: File, local: File, decide: Merge) -> Output:
    """Return local's text with what `decide` makes of each object, and what there is to tell about that.

    New objects come behind the others. FnError where an object cannot be merged.
    """
    merging = _Merging(origin, update, local, decide)
    for identity, document in merging.documents().items():
        merging.merge(identity, document)
    return Output((merging.text(),), sorted(merging.found, key=Result.order))


class _Merging:
    """Three files while they are merged: what was found, which of local's documents go, which of update's come."""

    def __init__(self, origin: File, update: File, local: File, decide: Merge) -> None:
        self.found: list[Result] = []
        self._sides = *_as_applied(local, origin, update), local.documents
        self._local = local
        self._decide = decide
        self._defined = Definitions(_definitions(local, origin, update))
        self._gone: set[Resource] = set()
        self._added: list[str] = []

    def documents(self) -> Documents:
        """Return local's documents and those of update that local has not got, in update's order."""
        _, update, local = self._sides
        return update | local

    def merge(self, identity: Called, document: Resource) -> None:
        """Merge what goes by `identity`: `document` is local's, or update's where local has none."""
        origin, update, local = (_tree(side.get(identity)) for side in self._sides)
        schema = Schema(document.group, document.version, document.kind, definitions=self._defined)
        try:
            merged = self._decide(origin, update, local, schema)
            self.found += findings.results(document, merged)
            self._write(document, merged.wanted, is_new=local.root is None)
        except Refused as reason:
            raise FnError(findings.refused(document, reason)) from None
        except EditError as error:
            raise FnError(document.result(f"{document.label}: {error}", ERROR, "NotEditable")) from None

    def text(self) -> str:
        """Return the text of local as it now is."""
        parts = [written if one is None else one.text for written, one in self._local.parts if one not in self._gone]
        text = "".join(parts)
        if not self._local.text.startswith("---"):
            text = text.removeprefix("---\n")
        if self._added and self._local.is_json and text:
            message = f"{self._local.name} is JSON, which holds one object: no other can be added to it"
            raise FnError(Result(message, ERROR, "NotEditable"))
        for added in self._added:
            text = f"{_ended(text)}---\n{added}" if text else added
        return text

    def _write(self, document: Resource, wanted: Target | None, *, is_new: bool) -> None:
        if is_new and isinstance(wanted, Graft):
            if wanted.amended is not None:
                document.editor.amend((), wanted.amended)
            self._added.append(document.text.removeprefix("---\n"))
        elif wanted is None and not is_new:
            self._gone.add(document)
        elif wanted is not None:
            document.editor.amend((), wanted)


def _as_applied(local: File, *authored: File) -> list[Documents]:
    """Return the documents of origin and update as local calls them.

    One without a namespace that local has not got is what local has under that name in a namespace, as `kubectl get`
    shows what was applied with `-n`: where that is one object, and neither origin nor update knows it by itself.
    """
    live: dict[Called, list[Called]] = {}
    for identity in local.documents:
        live.setdefault((_nowhere(identity[0]), 0), []).append(identity)
    known = {identity for file in authored for identity in file.documents}
    called = {name: found[0] for name, found in live.items() if len(found) == 1 and found[0] not in known}
    return [
        {identity if one.namespace else called.get(identity, identity): one for identity, one in file.documents.items()}
        for file in authored
    ]


def _nowhere(identity: Identity) -> Identity:
    """Return what an object is called that names no namespace."""
    return (*identity[:2], "", *identity[3:])


def _check_aliases(document: Resource) -> None:
    """Raise FnError for an alias without an anchor, which no other reader takes."""
    editor = document.editor
    for alias in editor.document.aliases:
        if alias.target is None:
            line = editor.text.count("\n", 0, alias.start) + document.lines_above + 1
            message = f"{document.label}: line {line}: the alias `*{alias.name}` names nothing above it"
            raise FnError(Result(message, ERROR, "InvalidInput"))


def _tree(document: Resource | None) -> Tree:
    """Return the tree of a document, one without a root for None."""
    return Tree("", None) if document is None else Tree(document.source, document.root)


def _identity(document: Resource) -> Identity:
    """Return what an object is called, by its upstream where kpt has noted that (spec/merge.md, 1.8)."""
    if not isinstance(document.root, Mapping):
        return ()
    upstream = document.annotations.get(_UPSTREAM)
    if upstream is None:
        noted = _KPT_MERGE.search(document.source) if "kpt-merge" in document.source else None
        namespace, name = (document.namespace, document.name) if noted is None else noted.groups()
        identity = [document.group, document.kind, namespace, name]
    else:
        identity = upstream.split("|")
    return tuple("" if part in _UNSAID else part for part in identity)


def _definitions(*files: File) -> Iterator[Node | None]:
    for file in files:
        for document in file.documents.values():
            if document.may_contain(definitions.KIND) and document.kind == definitions.KIND:
                yield document.root


def _ended(text: str) -> str:
    """Return a text whose last line ends."""
    return text if text.endswith("\n") else text + lines.newline(text, len(text))
