"""Two sides of the merge of a generated resource: local, which is the item, and origin, which the last run generated.

The tree of local shows the template of a field in place of its text, since update has templates. The state has only
hashes of the origin. Origin takes the value of update or local that has the same hash. If none has it, origin gets a
value that is equal to no other. `resource_merge` says what the origin is without a state.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property

from krm import fieldpath
from krm.generation import mirror
from krm.generation.mirror import Mirroring
from krm.merge import trees
from krm.merge.trees import Tree
from krm.resource import IDS
from krm.results import ERROR, FnError
from krm.template_comments import reading, writing
from krm.template_comments.memory import Memory
from krm.yamltree import comments, edits, lines, nodes, parser, scalars
from krm.yamltree.changes import Changes
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, elements_of, entries_of, is_list, is_mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.generation.following import Following
    from krm.generation.mirror import Mirror
    from krm.generation.settings import Settings
    from krm.generation.state import StateEntry
    from krm.merge.trees import FieldComment
    from krm.resource import Resource
    from krm.template_comments.memory import TemplateField
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

    MirroredNode: TypeAlias = tuple[Node | None, str | Mirror | None]

_NOTHING = None, None


class LocalItem:
    """The item into which an update is merged. Its `tree` shows templates, and its text has what they were expanded to.

    The templates are those in its comments, and those that its fields are `following`.
    """

    def __init__(self, item: Resource, settings: Settings, following: Following | None = None) -> None:
        item.show({})
        self._item = item
        self._written = item.root
        self._fields = Memory.of(item).fields
        self._is_secret = settings.is_secret
        # A text with a reference of the person is a new template: it is not replaced by the old one.
        held = (one for one in self._fields.values() if settings.rendered is None or not one.refers)
        self._substitutes = {field.place: field.substitute for field in held if field.substitute is not None}
        self._of_comments = {field.comment.source for field in self._fields.values()}
        if following is not None:
            item.show(self._substitutes)
            self._substitutes |= {place: shown for place, (_, shown, _) in following.find(item.root).items()}
        item.show(self._substitutes)
        # The text has no templates. A text of `$` replaces it: the quick comparison of spans must find no equal ones.
        self.tree = Tree("$" * len(item.editor.text) if self._substitutes else item.editor.text, item.root)

    @property
    def secrets(self) -> frozenset[FieldPath]:
        """The paths of the fields into which a secret was once inserted, with a wildcard for each element of a list."""
        secret = (place for place, field in self._fields.items() if any(map(self._is_secret, field.names)))
        return frozenset(map(fieldpath.general, secret))

    def amend(self, target: Target) -> list[FieldPath]:
        """Write the target of the tree into the text. FnError if something of the author's would be lost.

        Return the fields with comments that are deleted with what was there.
        """
        item, text = self._item, self._item.editor.text
        # The new places of the templates are found before the edit, which replaces all nodes.
        staying = {id(node): place for place, node in _staying_nodes(target, ())} if self._fields else {}
        fields = ((place, node) for place in self._fields for _, node in item.find(place))
        places = {place: staying[id(node)] for place, node in fields if id(node) in staying}
        target = _as_written(target, self._originals())
        item.show({})
        before = item.root
        changes = item.editor.changes()
        changes.put(item.base, target)
        try:
            item.editor.make(changes)
        except EditError as error:
            message = f"it cannot be merged: line {error.line + item.lines_above}: {error.problem}"
            raise FnError(item.result(message, ERROR, "NotEditable")) from None
        # kpt copies comments back by position: after a move they would get to other elements.
        if any(map(item.may_contain, IDS)):
            made = Changes(before)
            made.set((), scalars.data(item.root))
            if made.moves:
                item.drop_ids()
        # A comment is removed if it is at another field now, or if its template was replaced.
        if any(places.get(place) != place for place in self._fields):
            held = {place[:length] for place in places.values() for length in range(1, len(place) + 1)}
            present = reading.templates(item.editor.text, item.root)
            left = (one for one in present.templates.values() if one.source in self._of_comments)
            # Behind the header of a block that replaces a text in quotes, one is no template any more.
            replaced = self._fields.keys() - places.keys()
            gone = [removal for place, _, removal in present.unplaced if place in replaced]
            item.splice([*gone, *(one.removal for one in left if one.place not in held)])
        self._rewrite_comments(places)
        return self._uncommented(text, before)

    def _rewrite_comments(self, places: dict[Place, Place]) -> None:
        """Write the comments above changed brackets again. `places` has the new place of each field that stays."""
        fields: dict[Place, dict[Place, TemplateField]] = {}
        for place, one in self._fields.items():
            if isinstance(one.comment.node, Collection) and place in places and one.substitute is not None:
                fields.setdefault(one.comment.place, {})[places[place]] = one
        for at, of_comment in fields.items():
            memory = Memory.of(self._item)
            if any(one.substitute is None for one in memory.parts.get(at, ())):
                writing.rewrite_comment(self._item, memory.comments[at], of_comment)

    def _uncommented(self, text: str, root: Node | None) -> list[FieldPath]:
        """Return the fields with a comment in the old text that the item has no more."""
        now = self._item.editor.text
        # Most merges delete no comment, and are not parsed once more.
        if not Counter(re.findall(lines.COMMENT, text)) - Counter(re.findall(lines.COMMENT, now)):
            return []
        there = [*comments_of(self._item, now, self._item.root)]
        known = Counter(comment for _, comment in there)
        lost = trees.lost_comments(comments_of(self._item, text, root), {*there}, known)
        return [*dict.fromkeys(path for path, _ in lost)]

    def _originals(self) -> dict[int, Node | None]:
        """Return the written node for the `id()` of each shown node."""
        originals: dict[int, Node | None] = {}
        for place in self._substitutes:
            shown, written = self._item.root, self._written
            for step in place:
                originals[id(shown)] = written
                shown, written = (nodes.kid(resolved(node), step) for node in (shown, written))
            originals[id(shown)] = written
        return originals


def comments_of(item: Resource, text: str, root: Node | None) -> Iterator[FieldComment]:
    """Yield the comments in a text of an item that are no templates, each behind the path of its field."""
    bare = edits.apply(text, [one.removal for one in reading.templates(text, root).templates.values()])
    document, base = parser.parse(bare).root, item.base
    found = () if document is None else comments.by_place(bare, document)
    inside = ((place[len(base) :], comment) for place, comment in found if place[: len(base)] == base)
    yield from ((fieldpath.named(root, place), comment) for place, comment in inside)


def _staying_nodes(target: Target, place: Place) -> Iterator[tuple[Place, Node]]:
    """Yield the nodes of the old tree that are in a target, with their places there."""
    if isinstance(target, Mapping | Sequence | Scalar | Alias):
        yield place, target
    target = resolved(target) if isinstance(target, Alias) else target
    elements = enumerate(elements_of(target)) if is_list(target) else ()
    for step, below in entries_of(target).items() if is_mapping(target) else elements:
        yield from _staying_nodes(below, (*place, step))


def _as_written(target: Target, originals: dict[int, Node | None]) -> Target:
    """Return the target with the written nodes in place of those with templates."""
    if not isinstance(target, AmendedMapping | AmendedSequence):
        return originals.get(id(target), target)
    # A mapping is shown for a mapping, and a list for a list.
    node: Any = resolved(originals.get(id(target.node), target.node))
    if isinstance(target, AmendedSequence):
        return AmendedSequence(node, [_as_written(element, originals) for element in target.elements])
    return AmendedMapping(node, {key: _as_written(value, originals) for key, value in target.entries.items()})


def origin(entry: StateEntry, fields: Mirror, mirrored: Mirror, side: Tree, *others: Tree) -> Tree:
    """Return the origin: the `fields` of the state, with values of the sides of the merge.

    `mirrored` is the mirror of the first side. If a field has the same hashes there, the origin gets that node itself,
    and the merge sees at once that nothing changed. The last side is local. If it is the only side, it is compared with
    the origin, and the fields of a person count as changed.
    """
    values = _Values(Mirroring(entry.identity), side, *others)
    entries = values.mapping(fields, (), (side.root, mirrored))
    api_version, kind, namespace, name = map(_text, entry.called)
    named: dict[str, Node] = {"name": name, "namespace": namespace} if namespace.value else {"name": name}
    metadata = _mapping(named | trees.entries(entries.get("metadata")))
    return Tree(values.text, _mapping({"apiVersion": api_version, "kind": kind} | entries | {"metadata": metadata}))


class _Values:
    """The values of the sides of a merge, by their paths and hashes.

    `text` is that of the first side. It is empty if a quick comparison of texts would be wrong: with an alias in it, or
    with a collection of another side.
    """

    def __init__(self, mirroring: Mirroring, side: Tree, *others: Tree) -> None:
        self.text = "" if "*" in side.text else side.text
        self._mirroring = mirroring
        self._sides = side, *others
        self._has_update = bool(others)
        self._known: dict[tuple[FieldPath, bool, bool], dict[str, Node]] = {}

    def mapping(self, fields: Mirror, path: FieldPath, first: MirroredNode) -> dict[str, Node]:
        """Return the nodes of the fields of a mapping. `first` is the node of the first side, and its mirror."""
        below = self._below(first, path)
        steps = {mirror.step(key): key for key in fields}
        nodes = {step: self._node(fields[key], (*path, step), below.get(key, _NOTHING)) for step, key in steps.items()}
        return {step: node for step, node in nodes.items() if node is not None}

    def _below(self, first: MirroredNode, path: FieldPath) -> dict[str, MirroredNode]:
        node, mirrored = first
        fields = mirrored if isinstance(mirrored, dict) else {}
        return {key: (kid, fields.get(key)) for key, _, kid in self._mirroring.parts(node, path)}

    def _node(self, value: str | Mirror, path: FieldPath, first: MirroredNode) -> Node | None:
        """Return the node of a field, None for a field of a person that update lacks."""
        node, mirrored = first
        # If the template drops a collection in which a person changed a value, the person keeps the whole collection.
        is_persons = mirrored is None or mirror.is_one_value(value, mirrored)
        if self._has_update and is_persons and mirror.has_persons(value):
            return node
        # The same hashes in the same order. The metadata also have what tools wrote, which is not mirrored.
        if path not in mirror.PARTLY_MIRRORED and f"{value}" == f"{mirrored}":
            return node
        if isinstance(value, str):
            return self._leaf(value, path)
        if not mirror.is_list(value):
            return _mapping(self.mapping(value, path, first))
        below, elements = self._below(first, path), []
        # The keys are sorted as numbers: another program may have sorted them as texts.
        for key, kid in sorted(value.items(), key=lambda one: int(one[0]) if one[0].isdecimal() else 0):
            element = self._node(kid, (*path, mirror.element(key)), below.get(key, _NOTHING))
            name, known = key.removeprefix("name="), trees.entries(element).get("name")
            if isinstance(element, Mapping) and name != key and (known is None or known.tag == trees.HASHED):
                element = _mapping(trees.entries(element) | {"name": _text(name)})  # which no side has
            elements += [] if element is None else [element]
        return _sequence(elements)

    def _leaf(self, leaf: str, path: FieldPath) -> Node:
        units, template = mirror.units(leaf), mirror.template_of(leaf)
        anywhere = fieldpath.general(path)
        # The element with the same name comes first. Then any element with the text, which may be renamed.
        for place in (path, anywhere) if template != leaf and path != anywhere else (anywhere,):
            nodes = self._at(place, is_secret=mirror.is_secret(leaf))
            if template in nodes:
                return nodes[template]
            # Only local has the written text. One hash is for all lines of such a text.
            local = self._at(place, is_local=True) if template != leaf else {}
            for written in (" ".join(written for written, _ in units), units[0][0]):
                if written in local:
                    return local[written]
        if template in self._leaves:  # under a key that somebody has renamed, say
            return self._leaves[template]
        # A line with an unknown hash is that hash. So the text still merges line by line.
        texts = ((hashes.split(" "), node) for hashes, node in nodes.items() if " " in hashes)
        pairs = (zip(hashes, node.value.split("\n"), strict=True) for hashes, node in texts if isinstance(node, Scalar))
        known = {one: line for pair in pairs for one, line in pair}
        lines = [known.get(own) or known.get(written, own) for written, own in units]
        text = "\n".join(lines) if len(lines) > 1 else f"{trees.UNKNOWN}{lines[0]}"
        return Scalar(0, 0, text, "|" if len(lines) > 1 else "", None, trees.HASHED)

    @cached_property
    def _leaves(self) -> dict[str, Node]:
        """The leaves of all sides, by their hashes."""
        roots = (side.root for side in self._sides if side.root is not None)
        return {mirror.plain(leaf): leaf for root in roots for leaf in nodes.leaves(root)}

    def _at(self, path: FieldPath, *, is_secret: bool = False, is_local: bool = False) -> dict[str, Node]:
        """Return the nodes of the sides at a path, or of local alone, by their hashes."""
        key = path, is_secret, is_local
        if key not in self._known:
            # What was empty is known without a side that shows it.
            by_hash: dict[str, Node] = {mirror.plain(empty): empty for empty in (_mapping({}), _sequence([]))}
            for side in self._sides[-1:] if is_local else reversed(self._sides):
                for _, node in reversed([*fieldpath.find(side.root, path)] if side.root else []):
                    if side is not self._sides[0] and isinstance(resolved(node), Mapping | Sequence):
                        self.text = ""
                    if is_local:
                        by_hash[mirror.whole(node)] = node
                    by_hash[self._mirroring.secret(node, path) if is_secret else mirror.plain(node)] = node
            self._known[key] = by_hash
        return self._known[key]


def _text(value: str) -> Scalar:
    return Scalar(0, 0, value, '"', None, None)


def _mapping(entries: dict[str, Node]) -> Mapping:
    made = Mapping(0, 0, 0, False, None, None)  # noqa: FBT003 - as the parser calls it
    made.entries = dict(entries.items())
    made.kids = [node for key, value in entries.items() for node in (_text(key), value)]
    return made


def _sequence(kids: list[Node]) -> Sequence:
    made = Sequence(0, 0, 0, False, None, None)  # noqa: FBT003 - as the parser calls it
    made.kids = kids
    return made
