"""Following: the fields of an item that still say what a template has given them, and what they follow.

The state knows of each field what was written there, and its template where that is another text. A field that says the
one or the other is nobody's edit: a merge shows its template, and what expands the item gives it the value of today.
"""

from __future__ import annotations

from krm import secrets
from krm.fieldpath import WILDCARD, Match
from krm.generation import mirror
from krm.generation.updates import text_of
from krm.merge import trees
from krm.references import memory as references
from krm.references.comments import MARK
from krm.references.matching import Pattern
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath, Place, Segment
    from krm.generation.state import StateEntry
    from krm.generation.updates import Update
    from krm.resource import Resource
    from krm.yamltree.nodes import Node


class FollowedTemplate:
    """A text with references that a generator gives: where it stands in what is generated, and in the mirror of that.

    `lines` has the lines of the template by the hashes of what may stand for them. `was` has what stood for each line
    the last time, by the hash of the line.
    """

    __slots__ = ("is_secret", "keys", "lines", "node", "path", "place", "was")

    def __init__(self, place: Place, keys: tuple[str, ...], path: FieldPath, node: Scalar, *, is_secret: bool) -> None:
        self.place = place
        self.keys = keys
        self.path = path
        self.node = node
        self.is_secret = is_secret
        self.lines: dict[str, list[str]] = {}
        self.was: dict[str, list[str]] = {}

    @property
    def units(self) -> Iterator[tuple[str, str]]:
        """The lines, each behind its hash."""
        return zip(mirror.plain(self.node).split(" "), self.node.value.split("\n"), strict=True)

    def leaf(self, shown: Scalar | None, node: Node | None) -> str:
        """Return the leaf of the state for a field that showed a text, and was written then; None where none follows.

        What was written for a line that the field does not show is what it was the last time.
        """
        if shown is not None and node is not None and shown.value == self.node.value:
            return mirror.pair(node, self.node)
        hashes = [] if node is None else mirror.plain(node).split(" ")
        lines = [] if shown is None else shown.value.split("\n")
        left: dict[str, list[str]] = {}
        if len(hashes) == len(lines):  # else nobody can tell which of them are a value's
            for one, line in zip(reversed(hashes), reversed(lines), strict=True):
                left.setdefault(line, []).append(one)
        was = {own: found[::-1] for own, found in self.was.items()}
        made = [(left.get(line) or was.get(own) or [own], own) for own, line in self.units]
        return " ".join(own if found[-1] == own else f"{found.pop()}/{own}" for found, own in made)


class Followed:
    """A field that follows a template: the `scalar` is what it shows, which stands in the text `source`."""

    __slots__ = ("scalar", "source", "template")

    def __init__(self, template: FollowedTemplate, scalar: Scalar, source: str) -> None:
        self.template = template
        self.scalar = scalar
        self.source = source


class Following:
    """The templates of what is generated as one resource, with what the state remembers of them."""

    def __init__(self, update: Update, entry: StateEntry | None) -> None:
        self.text = update.resource.source
        self._mirrored = update.mirrored
        self._origin = entry.origin if entry is not None and update.is_as_before(entry) else None
        self._seen: str | None = None
        self._lines: list[str] = []
        self._followed: dict[Place, Followed] = {}
        self.templates: list[FollowedTemplate] = []
        self._by: dict[tuple[FieldPath, str], list[FollowedTemplate]] = {}
        self._named: set[FieldPath] = set()
        self._ways: set[FieldPath] = set()
        self._find(update)
        left: dict[tuple[FieldPath, str], list[FollowedTemplate]] = {}
        for template in self.templates[::-1]:
            left.setdefault((template.path, mirror.plain(template.node)), []).append(template)
        for path, leaf in mirror.leaves({} if entry is None else entry.fields):
            if "/" in leaf and not mirror.has_persons(leaf):
                there = left.get((path, mirror.template_of(leaf)))
                known = there.pop() if there else self._changed(path, leaf)
                if known is not None:
                    for one, own in self._take(known, leaf):
                        known.was.setdefault(own, []).append(one)

    def learn(self, rendered: Resource) -> None:
        """Take what the templates become today for what was written, too: a field that says it already is no edit."""
        self._seen = self._origin = None
        for template in self.templates:
            for _, node in () if template.is_secret else rendered.find(template.place):
                self._take(template, mirror.pair(node, template.node))

    def fields(self, root: Node | None) -> dict[Place, Followed]:
        """Return the fields of an item that follow a template: they show that, or what was written for it."""
        taken: set[int] = set()
        waiting = {key: found[::-1] for key, found in self._by.items()}
        found: dict[Place, Followed] = {}
        for place, path, node in self._scalars(root):
            one = self._match(path, node, waiting, taken)
            if one is not None:
                found[place] = one
                taken.add(id(one.template))
        return found

    def follow(self, item: Resource) -> dict[Place, Followed]:
        """Return the fields of an item that follow a template from now on, until it is remembered what they say."""
        # A comment may show another template.
        if self._seen != item.text or MARK in item.text:
            self._seen, self._lines = item.text, (text_of(item) or "").split("\n")
            self._followed = self.fields(item.root)
        return self._followed

    def is_shown(self, item: Resource, template: str) -> bool:
        """True if an item says what a template does and what stands for its references, and nothing else."""
        found, lines = self.follow(item).values(), template.split("\n")
        return (
            len(found) == len(self.templates)
            and all(one.scalar is one.template.node for one in found)
            and len(self._lines) == len(lines)
            and all(one == other or _is_filled(one, other) for one, other in zip(self._lines, lines, strict=True))
        )

    def remembered(self, item: Resource) -> str:
        """Return what the state is to remember: the hashes of templates, and of what stands in what follows them.

        Of what is secret, and of what has its template in a comment, it has the template alone.
        """
        if self._origin is not None and not item.is_changed:
            return self._origin
        memory = references.read(item, lambda _: False)
        commented = () if memory is None else memory.fields
        is_secret = secrets.finder(item)
        written = {
            id(one.template): (one.scalar, None if place in commented or is_secret(place) else node)
            for place, one in self._followed.items()
            for _, node in item.find(place)
        }
        for template in self.templates:
            shown, node = written.get(id(template), (None, None))
            if not template.is_secret and (shown is None or node is not None):
                below = self._mirrored
                for key in template.keys[:-1]:
                    below = below[key]  # type: ignore[assignment]  # the way to a leaf
                if not mirror.has_persons(below[template.keys[-1]]):
                    below[template.keys[-1]] = template.leaf(shown, node)
        return mirror.written(self._mirrored)

    def _find(self, update: Update) -> None:
        """Find the templates of an update, in the order in which they stand there."""
        mirroring = update.mirroring
        root, text = update.resource.root, update.resource.editor.text
        is_plain = "*" not in text
        waiting: list[tuple[Node, Place, tuple[str, ...], FieldPath]] = [] if root is None else [(root, (), (), ())]
        while waiting:
            node, place, keys, path = waiting.pop()
            below: list[tuple[Node, Place, tuple[str, ...], FieldPath]] = []
            for number, (key, step, kid) in enumerate(mirroring.parts(node, place)):
                at = step if isinstance(step, str) else mirror.element(key)
                if isinstance(at, Match):
                    self._named.add((*path, at))
                # Most of what is generated has no reference.
                if not is_plain or text.find("$", kid.start, kid.end) >= 0:
                    here = step if isinstance(step, str) else number
                    below.append((kid, (*place, here), (*keys, key), (*path, at)))
            waiting += below[::-1]
            if isinstance(node, Scalar) and "$" in node.value:
                template = FollowedTemplate(place, keys, path, node, is_secret=mirroring.is_secret(place))
                self.templates.append(template)
                self._ways.update(path[:length] for length in range(1, len(path) + 1))
                for own, line in template.units:
                    self._add(template, own, line)
                # A text that somebody put back may stand in quotes.
                self._add(template, mirror.plain(Scalar(0, 0, node.value, '"', None, None)), node.value)

    def _add(self, template: FollowedTemplate, one: str, line: str) -> None:
        """Let a line of a template have a hash. Those without references tell nothing."""
        template.lines.setdefault(one, []).append(line)
        if "$" in line:
            self._by.setdefault((template.path, one), []).append(template)

    def _changed(self, path: FieldPath, leaf: str) -> FollowedTemplate | None:
        """Return the template that has another text than the state knows, and a line that it knows."""
        units = (unit.partition("/") for unit in leaf.split(" ") if "/" in unit)
        found = (template for _, _, own in units for template in self._by.get((path, own), ()))
        return next((template for template in found if not template.was), None)

    def _take(self, template: FollowedTemplate, leaf: str) -> list[tuple[str, str]]:
        """Let what a leaf says was written stand for the lines of a template, and return these hashes in pairs."""
        lines = dict(template.units)
        units = ((unit.partition("/")[0], unit.rpartition("/")[2]) for unit in leaf.split(" "))
        pairs = [(one, own) for one, own in units if own in lines]
        for one, own in pairs:
            self._add(template, one, lines[own])
        return pairs

    def _scalars(self, root: Node | None) -> Iterator[tuple[Place, FieldPath, Scalar]]:
        """Yield the scalars of an item at the paths of templates, behind their places and paths."""
        waiting: list[tuple[Node, Place, FieldPath]] = [] if root is None or not self._by else [(root, (), ())]
        while waiting:
            node, place, path = waiting.pop()
            if isinstance(node, Mapping):
                entries = ((key, kid, (*path, key)) for key, kid in trees.entries(node).items())
                kept = [(kid, (*place, key), here) for key, kid, here in entries if here in self._ways]
                waiting += kept[::-1]
            elif isinstance(node, Sequence):
                kids = ((number, kid, (*path, self._step(path, kid))) for number, kid in enumerate(node.kids))
                kept = [(kid, (*place, number), here) for number, kid, here in kids if here in self._ways]
                waiting += kept[::-1]
            elif isinstance(node, Scalar):
                yield place, path, node

    def _step(self, path: FieldPath, element: Node) -> Segment:
        name = scalars.string_at(element, "name")
        named = None if name is None else Match("name", name)
        return named if named is not None and (*path, named) in self._named else WILDCARD

    def _match(
        self,
        path: FieldPath,
        node: Scalar,
        waiting: dict[tuple[FieldPath, str], list[FollowedTemplate]],
        taken: set[int],
    ) -> Followed | None:
        hashes, whole = mirror.plain(node).split(" "), mirror.whole(node)
        found: dict[int, FollowedTemplate] = {}
        votes: dict[int, int] = {}
        for one in dict.fromkeys((whole, *hashes)):
            there = waiting.get((path, one), [])
            while there and id(there[-1]) in taken:
                there.pop()
            if there:
                found[id(there[-1])] = there[-1]
                votes[id(there[-1])] = votes.get(id(there[-1]), 0) + 1
        if not found:
            return None
        return self._shown(found[max(votes, key=votes.__getitem__)], node, hashes, whole)

    def _shown(self, template: FollowedTemplate, node: Scalar, hashes: list[str], whole: str) -> Followed:
        """Return what a field shows that follows a template: lines that somebody edited stay."""
        text = template.node.value
        is_whole = whole in template.lines and ("\n" in node.value or "\n" not in text)
        if not is_whole:
            left = {one: [*lines[::-1]] for one, lines in template.lines.items()}
            there = zip(hashes, node.value.split("\n"), strict=True)
            text = "\n".join(_next(left[one]) if one in left else line for one, line in there)
        if text == template.node.value:
            return Followed(template, template.node, self.text)
        style = "|" if template.node.style == "|" else '"'
        source = text if style == "|" else scalars.double_quoted(text)
        scalar = parser.parse(source).root if style == '"' else Scalar(0, len(text), text, "|", None, None)
        assert isinstance(scalar, Scalar)  # noqa: S101 - a text in quotes
        return Followed(template, scalar, source)


def _is_filled(line: str, template: str) -> bool:
    """True if a line is one of a template with a text in the place of its only reference."""
    pattern = Pattern(template)
    return len(pattern.names) == 1 and bool(pattern.readings(line))


def _next(lines: list[str]) -> str:
    return lines.pop() if len(lines) > 1 else lines[0]
