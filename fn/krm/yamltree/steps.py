"""What is wanted, made one change after the other: slower than all at once, and comments may stand in the way."""

from __future__ import annotations

from krm.yamltree import entries, lines, places, proof, values
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.nodes import Alias, Collection, Scalar, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.yamltree.draft import Draft, Path
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target


def amend(draft: Draft, path: Path, wanted: Target) -> None:
    """Make what is `wanted` stand at `path`. EditError, and nothing changed, where it cannot be made."""
    steps = _Steps(draft)
    there = steps.editor.get(path)
    steps.make(path, there, wanted)
    editor = steps.editor
    if not proof.amounts_to(editor.get(path), wanted, editor.text, proof.same_data):
        raise EditError(places.ODD, steps.line(there))
    draft.text, draft.parsed = editor.text, editor.document


class _Steps:
    """Changes at paths, made by an `editor` that starts with the `text` whose nodes are wanted."""

    __slots__ = ("editor", "text")

    def __init__(self, draft: Draft) -> None:
        self.text = draft.text
        self.editor = Editor(draft.text, json=draft.json, document=draft.document)

    def make(self, path: Path, there: Node | None, wanted: Target) -> None:
        """Make of what is `there`, at `path`, what is wanted."""
        if there is not None and resolved(there) is _node_of(wanted):
            if isinstance(wanted, AmendedMapping) and wanted.entries:
                self._entries(path, wanted)
            elif isinstance(wanted, AmendedSequence) and wanted.elements:
                self._elements(path, wanted)
            elif isinstance(wanted, AmendedMapping | AmendedSequence):
                self.editor.set(path, {} if isinstance(wanted, AmendedMapping) else [])
        else:
            self.editor.set(path, self._value(there, wanted))

    def line(self, node: Node | None) -> int:
        """Return the line of a node of the text."""
        return self.text.count("\n", 0, node.start if node else 0) + 1

    def _entries(self, path: Path, wanted: AmendedMapping) -> None:
        mapping = wanted.node
        for key, of_key in wanted.entries.items():
            if key != "<<" or mapping.merge_key() is None:
                self.make((*path, key), mapping.get(key), of_key)
        may_merge = "<<" in wanted.entries
        for key in dict(mapping.items()):
            if key not in wanted.entries and not (may_merge and mapping.own(key) is None):
                self.editor.delete((*path, key))

    def _elements(self, path: Path, wanted: AmendedSequence) -> None:
        stays = {id(_node_of(element)) for element in wanted.elements}
        now: list[Node | None] = [*map(resolved, wanted.node.kids)]
        if any(id(node) in stays for node in now):
            self._delete(path, now, [index for index, node in enumerate(now) if id(node) not in stays])
        for index, element in enumerate(wanted.elements):
            node = _node_of(element)
            if node is None or node not in now[index:]:
                self.editor.insert(path, index, self._value(None, element))
                now.insert(index, None)
                continue
            at = now.index(node, index)
            if at != index:
                self._move(path, at, index)
                now.insert(index, now.pop(at))
            self.make((*path, index), now[index], element)
        self._delete(path, now, range(len(wanted.elements), len(now)))

    def _delete(self, path: Path, now: list[Node | None], indexes: Iterable[int]) -> None:
        for index in sorted(indexes, reverse=True):
            self.editor.delete((*path, index))
            del now[index]

    def _move(self, path: Path, at: int, index: int) -> None:
        editor = self.editor
        editor.own(path)
        parent, node = editor.at((*path, at))
        if parent is None or _has_comments(editor.text, parent, at):
            raise editor.error(node, "this element would move, and a comment would be lost")
        editor.insert(path, index, editor.copy(node, "an element that moves has "))
        editor.delete((*path, at + 1))

    def _value(self, there: Node | None, wanted: Target) -> Value:
        try:
            return values.of(wanted, self.text, json=self.editor.json)
        except ValueError as error:
            raise EditError(f"what comes in here has {error}", self.line(there)) from None


def _node_of(wanted: Target) -> Node | None:
    """Return the node of the text that stays, as it is or with changes."""
    if isinstance(wanted, AmendedMapping | AmendedSequence):
        return wanted.node
    return resolved(wanted) if isinstance(wanted, Scalar | Alias | Collection) else None


def _has_comments(text: str, parent: Collection, index: int) -> bool:
    """Say whether comments belong to an element; in brackets, any before the next one is taken to."""
    node = parent.kids[index]
    if parent.flow:
        start = parent.kids[index - 1].end if index else parent.first
        stop = parent.kids[index + 1].start if index + 1 < len(parent.kids) else parent.end
    else:
        start, stop = entries.extent(text, parent, index)
    return "#" in text[start : node.start] + text[node.end : stop] or lines.has_comments(text, node)
