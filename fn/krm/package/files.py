"""One file of a directory: its text, its documents, and which of them are resources."""

from __future__ import annotations

import re

from krm import encoding, envelope
from krm.encoding import NotUtf8Error
from krm.merge.files.file import is_template
from krm.package import wire
from krm.resource import DocumentResource
from krm.results import FnError
from krm.yamltree import cuts
from krm.yamltree.nodes import Mapping
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from krm.yamltree.cuts import Span

_BYTE_ORDER_MARK = "\ufeff"
_HELM = "it is a template of Helm"


class NotRead(Exception):  # noqa: N818 - it is no error: the file is left alone
    """A file is left alone: a clause that says why."""


class SeveralError(FnError):
    """A document is several, of files that were joined without `---`."""


class Document:
    """One resource of a file: where it stands in the text, and its index among the documents that hold something."""

    __slots__ = ("element", "index", "number", "resource")

    def __init__(self, resource: DocumentResource, number: int, index: int, path: str) -> None:
        """Take the document `number` of a file. FnError where it cannot be an element of a list."""
        self.resource = resource
        self.number = number
        self.index = index
        self.element = wire.element(resource, path, index)
        resource.release()


class File:
    """A file as it was read: `data` is all of it, `state` what the system says of it.

    `spans` are its documents, together all of `text`; `documents` are those of them that are resources.
    """

    __slots__ = ("data", "documents", "is_json", "mark", "path", "spans", "state", "text")

    def __init__(self, path: str, data: bytes, state: os.stat_result) -> None:
        """Read a file. NotRead where it is not YAML that can be split into documents and put together again."""
        self.path = path
        self.data = data
        self.state = state
        text = _decoded(data)
        self.mark = _BYTE_ORDER_MARK if text.startswith(_BYTE_ORDER_MARK) else ""
        self.text = text.removeprefix(_BYTE_ORDER_MARK)
        self.is_json = cuts.is_json(self.text)
        try:
            parts = cuts.documents(self.text)
            self.spans = [span for span, _ in parts]
            self.documents = [*self._resources(parts)]
        except ParseError as error:
            raise NotRead(_HELM if "{{" in self.text else f"it is not YAML: {error}") from None
        except SeveralError:
            raise
        except FnError as error:
            raise NotRead(error.results[0].message) from None

    def _resources(self, parts: list[tuple[Span, bool]]) -> Iterator[Document]:
        # kpt counts documents that are no resources, and does not count what holds nothing.
        index = 0
        for number, (span, holds_more) in enumerate(parts):
            if not holds_more:
                continue
            resource = DocumentResource(self.text, span, f"document {number + 1}", json=self.is_json)
            self._refuse_several(resource)
            if _is_resource(resource):
                yield Document(resource, number, index, self.path)
            resource.release()
            index += 1

    def _refuse_several(self, resource: DocumentResource) -> None:
        """Refuse a document that is several, of files that were joined without `---`. It is no file to leave alone."""
        found = [] if "{{" in resource.source else [*envelope.unless_one(resource, resource.span[0])]
        for result in found:
            result.file = self.path
        if found:
            raise SeveralError(*found)


def _decoded(data: bytes) -> str:
    try:
        return encoding.decoded(data)
    except NotUtf8Error as error:
        raise NotRead(f"it {error}") from None


_MAY_BE_TEMPLATE = re.compile(r"\{\s*\{")


def _is_resource(resource: DocumentResource) -> bool:
    """True if a document says what it is. Any other stays in its file, and is nobody's item."""
    # Asked of the text first: values files and settings of other tools are then never parsed.
    if not (resource.may_contain("apiVersion") and resource.may_contain("kind")):
        return False
    if _MAY_BE_TEMPLATE.search(resource.source) and is_template(resource.root):
        raise NotRead(_HELM)
    return isinstance(resource.root, Mapping) and bool(resource.api_version and resource.kind)
