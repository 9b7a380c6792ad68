"""What becomes of an object that is merged: a document, or an element of a list."""

from __future__ import annotations

from krm import newitem
from krm.file import ITEMS, bare
from krm.merge.files.object_lines import WholeText
from krm.results import ERROR, FnError, locate
from krm.yamltree import extracting
from krm.yamltree.editor import Editor
from krm.yamltree.edits import EditError
from krm.yamltree.nodes import at
from krm.yamltree.target import Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.fieldpath import Place
    from krm.file import Object, Part
    from krm.merge.files.object_lines import Wanted
    from krm.resource import Resource
    from krm.yamltree.target import Target


class Becoming:
    """An object that comes out of a merge: one of local, or of update, with what is wanted of it."""

    __slots__ = ("_target", "_text", "found")

    def __init__(self, found: Object, wanted: Wanted = None) -> None:
        """Take an object and a target in its own tree, None to keep it. FnError if a document cannot be written so."""
        self.found = found
        self._target: Target = None
        self._text: str | None = None
        if isinstance(wanted, WholeText):
            self._text = wanted.text
        elif found.part.is_list:
            self._target = wanted  # it waits: all that happens to a list is one change of its text
        elif wanted is not None:
            self._text = bare(amended(found.resource, (), wanted).text)  # its tree is needed no longer

    def document(self) -> str:
        """Return the object as the text of a document, without `---`. FnError if it cannot be written."""
        resource = self.found.resource
        if self._text is None and self.found.part.is_list:
            return extracting.document(amended(resource, resource.base, self._wanted), resource.base)
        return self.found.text if self._text is None else self._text

    def element(self, part: Part) -> Target:
        """Return the object as an element of a list. FnError if it cannot be written."""
        resource = self.found.resource
        if self._text is None and self.found.part is part:
            return self._wanted
        if self._text is None and self.found.part.is_list:
            items = at(resource.editor.document.root, *ITEMS)
            changed = None if self._wanted is resource.root else self._wanted
            return Graft(resource.editor.text, items, resource.root, changed)  # type: ignore[arg-type]  # it is in a list
        item = newitem.element(self.document(), resource.label)
        listed = item.editor.document.root
        return Graft(item.editor.text, listed, listed.kids[0])  # type: ignore[arg-type, union-attr]  # a list of one

    @property
    def _wanted(self) -> Target:
        return self.found.resource.root if self._target is None else self._target


def amended(resource: Resource, place: Place, wanted: Target) -> Editor:
    """Return the document of a resource with what is wanted at a place. FnError if the author would lose something."""
    own = resource.editor
    editor = Editor(own.text, json=own.json, document=own.document)
    try:
        if wanted is not editor.get(place):
            editor.amend(place, wanted)
    except EditError as error:
        result = resource.result(f"{resource.label}: {error}", ERROR, "NotEditable")
        locate(result, None)  # the error names the line
        raise FnError(result) from None
    return editor
