"""The editor: a YAML text changes at paths of its tree, and all else stays as it was written.

Reading follows aliases and merge keys. Writing never does: the alias or `<<` is first replaced by a copy, so that a
change has an effect at one place only. It stays if all places that show the node get the same change:
docs/reference/lossless-yaml.md, "Anchors, aliases and merge keys".
"""

from __future__ import annotations

from krm.yamltree import edits, events, lines, nodes, parser, positions, style
from krm.yamltree.edits import Edit, EditError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.parser import ParseError
from krm.yamltree.positions import Excerpts, NotSpliceable
from krm.yamltree.style import BLOCK, JSON, Layout
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, Rewritten, is_unchanged

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.yamltree.changes import Changes
    from krm.yamltree.edits import EditsByPlace
    from krm.yamltree.nodes import Node, Place
    from krm.yamltree.parser import Document
    from krm.yamltree.style import PlainData
    from krm.yamltree.target import Target

__all__ = ["EditError", "Editor"]

_SHOWN = "what an alias shows here has"


class Editor:
    """A text and the changes made to it so far. With `json` every new value is written as JSON.

    Each method raises EditError if a change would lose a comment or cannot be written. Then the text does not change.
    """

    def __init__(self, text: str, *, json: bool = False, document: Document | None = None) -> None:
        self.text = text
        self.json = json
        self.parsed = document

    @property
    def document(self) -> Document:
        """The tree of the present text."""
        if self.parsed is None:
            self.parsed = parser.parse(self.text)
        return self.parsed

    def get(self, place: Place) -> Node | None:
        """Return the node at `place`, through aliases and merge keys, or None if there is none."""
        return nodes.at(self.document.root, *place)

    def at(self, place: Place) -> tuple[Collection | None, Node]:
        """Return the collection and the node that is written at `place` in it. KeyError if there is none."""
        parent, node = (nodes.written_at(self.document.root, one) for one in (place[:-1], place))
        # Aliases are not followed: comments belong to the place of the alias.
        if node is None:
            raise KeyError(place)
        return (parent if place and isinstance(parent, Collection) else None), node

    def alone(self, place: Place) -> str:
        """Return the mapping or list at `place`, below the root, as a document with its comments. The text stays.

        Its lines end in LF. If it cannot be copied as it is written, its value is written, without comments. EditError
        if neither is possible.
        """
        from krm.yamltree import comments  # noqa: PLC0415 - a run that takes nothing out starts without it
        from krm.yamltree.outline import is_closed  # noqa: PLC0415 - as above
        from krm.yamltree.sameness import same_data  # noqa: PLC0415 - as above

        node: Any = self.get(place)
        if not isinstance(node, Mapping | Sequence):
            raise KeyError(place)
        # An alias has no lines of its own to take.
        if nodes.written_at(self.document.root, place) is not node:
            return style.document(_value(self.text, node, _SHOWN))
        copy = Editor(self.text, json=self.json, document=self.document)
        if self.document.shares:
            copy.amend(place, _written_out(node, self.text))
        parent: Any = copy.get(place[:-1])
        node = copy.get(place)
        try:
            anchors = _anchors(copy.text, node) if "&" in copy.text else ()
            own = comments.of(copy.text, parent, node)
            # A comment behind brackets comes with them.
            above = filter(None, (*own.above, "" if node.flow else own.behind))
            text = "".join(f"{line}\n" for line in (*above, *Excerpts(copy.text, [*anchors]).alone(parent, node)))
            if is_closed(text):
                return text
            found = parser.parse(text)
            # The lines were moved and their anchors removed: only a parse shows that their data are the same.
            if same_data(node, found.root) and not found.aliases:
                return text
        except (NotSpliceable, ParseError):
            pass
        return style.document(_value(copy.text, node))

    def changes(self) -> Changes:
        """Return changes to be gathered, and made by `make`, all of them or none."""
        # Most runs change only parts of scalars, and need no module that plans and proves a change of the tree.
        from krm.yamltree.changes import Changes  # noqa: PLC0415

        return Changes(self.document.root)

    def make(self, changes: Changes) -> None:
        """Make gathered changes of this text, as one."""
        from krm.yamltree import plan  # noqa: PLC0415 - as for `changes`

        layout = Layout(JSON if self.json else BLOCK, root=self.document.root, text=self.text)
        self.text, self.parsed = plan.new_text(self.text, self.document, changes.target, layout)

    def amend(self, place: Place, target: Target) -> None:
        """Make `target` stand at `place`, with as few changes of the text as that takes.

        The nodes in `target` are those of `document`. KeyError where no way leads to `place`.
        """
        changes = self.changes()
        changes.put(place, target)
        self.make(changes)

    def set(self, place: Place, value: PlainData) -> None:
        """Make `value` stand at `place`, with the mappings on the way made where they are missing.

        `set(("a", "x"), [2, 1])` and `set(("b",), "y")` make

            a:              a:
              x:              x:
              - 1 # one       - 2
              - 2             - 1 # one
            b: 'x'          b: 'y'

        Equal parts stay as they are written. A new entry is inserted behind the others of its mapping. KeyError if a
        list has no such element, or something on the way is neither a mapping nor a list.
        """
        changes = self.changes()
        changes.set(place, value)
        self.make(changes)

    def extend(self, place: Place, values: list[PlainData]) -> None:
        """Put `values` behind the elements of the list at `place`, as one change. KeyError where there is no list."""
        changes = self.changes()
        changes.elements(place).extend(values)
        self.make(changes)

    def graft(self, place: Place, elements: str) -> None:
        """Put the elements of the block list `elements` behind those of the list at `place`, as they are written.

        Comments, quotes and anchors come with them. KeyError where no list is written, or an empty one.
        """
        # A list that an alias shows is written at its anchor. What is added there would be shown at every alias.
        listed = nodes.written_at(self.document.root, place)
        coming = parser.parse(elements).root
        if not isinstance(listed, Sequence) or not isinstance(coming, Sequence) or not listed.kids:
            raise KeyError(place)
        changes = self.changes()
        changes.elements(place).extend(Graft(elements, coming, kid, verbatim=True) for kid in coming.kids)
        try:
            self.make(changes)
        except EditError:
            line = lines.number(self.text, listed.kids[-1].start)
            raise EditError(f"nothing can be put behind this: {positions.ODD}", line) from None

    def delete(self, *places: Place) -> bool:
        """Take entries and elements away, with their comments, as one change. True if one of them was there.

        `delete(("a", "x"))` makes

            a:              a:
              # of x          y: 2
              x: 1
              y: 2

        A collection that loses its only entry becomes `{}` or `[]`. A key that `<<` merges in can only be deleted where
        it is written. KeyError for the root.
        """
        changes = self.changes()
        # From the end: each deletion moves the elements behind it.
        found = [changes.delete(place) for place in sorted(places, reverse=True)]
        if any(found):
            self.make(changes)
        return any(found)

    def rewrite(self, asked: EditsByPlace) -> None:
        """Change parts of the scalars at several places at once. The positions of edits count in the value.

        Scalars keep their type: a text that would be read as a number or as YAML syntax gets quotes. `$(P)` replaced by
        `80` in both values makes

            a: "http://x:$(P)" # c      a: "http://x:80" # c
            b: $(P)                     b: "80"

        KeyError where a place does not lead to a scalar.
        """
        # Without aliases only the edits inside of scalars are needed: no target, no plan, no tree afterwards.
        made = None if self.document.shares else self._in_place(asked)
        if made is not None:
            self.splice(made)
            return
        gathered = self.changes()
        for place, wanted in asked.items():
            gathered.rewrite(place, wanted)
        self.make(gathered)

    def _in_place(self, asked: EditsByPlace) -> list[Edit] | None:
        """Return the edits that make all changes within the written scalars, None if one cannot be made so."""
        from krm.yamltree import splices  # noqa: PLC0415 - as for `changes`

        made: list[Edit] = []
        for place, wanted in asked.items():
            parent, scalar = self.at(place)
            if not isinstance(scalar, Scalar):
                raise KeyError(place)
            in_brackets = parent is not None and parent.flow
            found = splices.in_place(self.text, Rewritten(scalar, wanted), flow=in_brackets)
            if found is None:
                return None
            made += found
        return made

    def splice(self, made: list[Edit]) -> None:
        """Make edits inside of scalars and comments, each of which is right by itself.

        It is left to prove that the tree keeps its shape. The number of events proves it at the speed of C, without a
        parse in Python.
        """
        text = edits.apply(self.text, made)
        if text == self.text:
            return
        if events.check(text) != self.document.events:
            raise EditError(positions.ODD, lines.number(self.text, min(edit.start for edit in made)))
        self.text, self.parsed = text, None


# A part of the text as a document, in which aliases are written out.


def _value(text: str, node: Any, otherwise: str = "it has") -> PlainData:  # noqa: ANN401 - a node, as the place told
    try:
        return style.as_written(node, text)
    except ValueError as error:
        raise EditError(f"{otherwise} {error}", lines.number(text, node.start)) from None


def _written_out(node: Node, text: str) -> Target:
    """Return `node` with copies in the place of all aliases and merge keys below it."""
    if isinstance(node, Alias):
        return _value(text, resolved(node) or node, _SHOWN)
    if isinstance(node, Mapping):
        merges = node.merge_key() is not None
        entries = {key: _written_out(node.entries.get(key) or value, text) for key, value in node.items()}
        stays = not merges and all(entries[key] is node.entries.get(key) for key in entries)
        return node if stays else AmendedMapping(node, entries, unmerged=merges)
    if isinstance(node, Sequence):
        elements = [_written_out(kid, text) for kid in node.kids]
        return node if is_unchanged(elements, node.kids) else AmendedSequence(node, elements)
    return node


def _anchors(text: str, node: Mapping | Sequence) -> Iterator[Edit]:
    """Yield the edits that delete the anchors below `node`: another text may have anchors of the same names."""
    for kid in node.kids:
        if kid.anchor is not None:
            start = text.index(f"&{kid.anchor}", kid.start)
            end = start + len(f"&{kid.anchor}")
            behind = lines.past_blanks(text, end)
            # `key: &a` is followed by lines, and blanks at the end of a line would be left.
            is_last = behind == lines.line_end(text, behind)
            yield Edit(len(text[:start].rstrip(" \t")), end, "") if is_last else Edit(start, behind, "")
        if isinstance(kid, Mapping | Sequence):
            yield from _anchors(text, kid)
