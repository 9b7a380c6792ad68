"""Following: the fields of an item that still have the text of a template, and so follow the template.

The state has hashes of the text that was written into each field, and of its template. A field with one of these texts
was not edited: the merge shows its template, and the expansion of the item gives it the present value.
"""

from __future__ import annotations

from collections import Counter

from krm import syntax
from krm.fieldpath import WILDCARD, Match
from krm.generation import mirror
from krm.merge import trees
from krm.template_comments import reading
from krm.template_comments.memory import Memory
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place, Segment
    from krm.generation.mirror import TemplateLeaf
    from krm.generation.state import StateEntry
    from krm.generation.updates import Update
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Followed: TypeAlias = "tuple[FollowedTemplate, Scalar, str]"
    """The template of a field, the scalar that the field shows, and the text that holds the scalar."""


class FollowedTemplate:
    """A text with references in a generated resource, with its places there and in the mirror.

    `units` are its lines, each behind its hash. `lines` has the lines by the hash of each text that a field may have in
    their place; the hash of a whole text has `=` ahead. `was` has the hashes of the texts that the last run wrote, by
    the hash of the line.
    """

    def __init__(self, leaf: TemplateLeaf) -> None:
        self.place, self.holder, self.key, self.path, self.node = self.leaf = leaf
        self.is_secret = mirror.is_secret(self.holder[self.key])
        self.units = [*zip(mirror.plain(self.node).split(" "), self.node.value.split("\n"), strict=True)]
        self.lines: dict[str, list[str]] = {}
        self.was: dict[str, list[str]] = {}

    def has_all(self, shown: Scalar) -> bool:
        """True if it has all lines with references that a field shows: a person wrote none of them."""
        return {line for line in shown.value.split("\n") if syntax.names(line)} <= {*self.node.value.split("\n")}

    def written(self, shown: Scalar | None, node: Node | None) -> str:
        """Return the leaf of the state for a field that showed a text, and has `node` now; both are None without one.

        A line that the field does not show keeps the hash of its last text.
        """
        if shown is not None and node is not None and shown.value == self.node.value:
            return mirror.pair(node, self.node)
        hashes = [] if node is None else mirror.plain(node).split(" ")
        lines = [] if shown is None else shown.value.split("\n")
        present: dict[str, list[str]] = {}
        if len(hashes) == len(lines):  # else a value has several lines, and nobody can tell which ones
            for present_hash, line in zip(reversed(hashes), reversed(lines), strict=True):
                present.setdefault(line, []).append(present_hash)
        was = {own: former[::-1] for own, former in self.was.items()}
        units: list[str] = []
        for own, line in self.units:  # equal lines have the same hashes: each takes one
            before = was[own].pop() if was.get(own) else own
            text = present[line].pop() if present.get(line) else before
            units.append(own if text == own else f"{text}/{own}")
        return " ".join(units)


class Following:
    """The templates in one generated resource, with what the state remembers of them."""

    def __init__(self, update: Update, entry: StateEntry | None) -> None:
        self.text = update.resource.source
        self._mirrored = update.mirrored.fields
        # A text of the state that no template here has given is a number there: a field that has it follows none.
        self._by: dict[tuple[FieldPath, str], list[FollowedTemplate | int]] = {}
        self._named = update.mirrored.named
        self._ways: set[FieldPath] = set()
        self.templates = [*map(FollowedTemplate, update.mirrored.references)]
        for template in self.templates:
            self._register(template)
        if entry is not None:
            self._remember(entry)

    def _register(self, template: FollowedTemplate) -> None:
        """Register the texts that show a template, or a line of it."""
        self._ways.update(template.path[:length] for length in range(1, len(template.path) + 1))
        for own, line in template.units:
            self._add(template, own, line)
        # A merge keeps the quotes of the field, and somebody who writes a template back may take others.
        for style, text in (('"', template.node.value), ("", template.node.value)):
            self._add(template, f"={mirror.plain(Scalar(0, 0, text, style, None, None))}", text)

    def _remember(self, entry: StateEntry) -> None:
        """Register the texts that the last run wrote for the templates, as an entry of the state has them."""
        same: dict[tuple[FieldPath, str], list[FollowedTemplate]] = {}
        for template in self.templates[::-1]:
            same.setdefault((template.path, mirror.plain(template.node)), []).append(template)
        leaves = [*enumerate(mirror.leaves(entry.fields))]
        # One whose template has changed comes last: it has none that is still another's.
        leaves.sort(key=lambda one: "/" in one[1][1] and (one[1][0], mirror.template_of(one[1][1])) not in same)
        for number, (path, leaf) in leaves:
            is_of_template = "/" in leaf and not mirror.has_persons(leaf)
            followed = self._template_of(path, leaf, same) if is_of_template else None
            if followed is not None:
                for text, line in self._register_written(followed, leaf):
                    followed.was.setdefault(line, []).append(text)
            elif path in self._ways:
                written = " ".join(text for text, _ in mirror.units(leaf))
                self._by.setdefault((path, f"={written}"), []).append(number)

    def _template_of(
        self, path: FieldPath, leaf: str, same: dict[tuple[FieldPath, str], list[FollowedTemplate]]
    ) -> FollowedTemplate | None:
        """Return the template of a leaf of the state: the `same` one, or one that has changed since."""
        unchanged = same.get((path, mirror.template_of(leaf)))
        if unchanged:
            followed = unchanged.pop()
            if not unchanged:  # what the state has once more follows it as well
                unchanged.append(FollowedTemplate(followed.leaf))
            return followed
        # A changed one has a line that the state knows.
        lines = (line for text, line in mirror.units(leaf) if text != line)
        known = (one for line in lines for one in self._by.get((path, line), ()))
        return next((one for one in known if isinstance(one, FollowedTemplate) and not one.was), None)

    def learn(self, rendered: Resource) -> None:
        """Take the present texts of the templates for written ones, too: a field with such a text is no edit."""
        for template in self.templates:
            for _, node in () if template.is_secret else rendered.find(template.place):
                self._register_written(template, mirror.pair(node, template.node))

    def find(self, root: Node | None, is_final: Callable[[Place], bool] = lambda _: False) -> dict[Place, Followed]:
        """Return the fields of an item that follow a template, by their places.

        A field that `is_final` gets the final form, and shows `$$` for each `$` in the lines of a person.

        All whole texts are found before any line is: a text of one line may be like a line of another text. Those that
        may stand for one template come first: it may be one of the several that another text may stand for.
        """
        taken: set[FollowedTemplate | int] = set()
        waiting = {key: templates[::-1] for key, templates in self._by.items()}
        found: dict[Place, FollowedTemplate | int] = {}
        nodes = [*self._scalars(root)]
        for texts_of in (_whole, lambda node: mirror.plain(node).split(" ")):
            left = [one for one in nodes if one[0] not in found]
            texts = {place: [(path, text) for text in dict.fromkeys(texts_of(node))] for place, path, node in left}
            for place in sorted(texts, key=lambda one: sum(len(waiting.get(key, ())) for key in texts[one])):
                votes: list[FollowedTemplate | int] = []
                for key in texts[place]:
                    templates = waiting.get(key, [])
                    while templates and templates[-1] in taken:
                        templates.pop()
                    votes += templates[-1:]
                if votes:
                    found[place] = Counter(votes).most_common(1)[0][0]
                    taken.add(found[place])
        shown = ((at, one, node) for at, _, node in nodes if isinstance(one := found.get(at), FollowedTemplate))
        return {at: self._shown(one, node, "$$" if is_final(at) else "$") for at, one, node in shown}

    def remembered(self, item: Resource, followed: dict[Place, Followed]) -> str:
        """Return the mirror for the state: the hashes of templates, and of the texts of the fields that follow them.

        `followed` are these fields, found before they got their texts. For a secret field the mirror has the template's
        hash alone, and for one with its template in a comment, or marked as a person's, what it had.
        """
        commented = Memory.of(item).fields
        written = {
            template: (shown, None if place in item.secrets else node)
            for place, (template, shown, _) in followed.items()
            if place not in commented
            for _, node in item.find(place)
        }
        for template in self.templates:
            shown, node = written.get(template, (None, None))
            is_known = not (template.is_secret or mirror.has_persons(template.holder[template.key]))
            if is_known and (shown is None or node is not None):
                template.holder[template.key] = template.written(shown, node)
        return mirror.written(self._mirrored)

    def _add(self, template: FollowedTemplate, text: str, line: str, *, is_written: bool = False) -> None:
        """Register the hash of a text for a line of a template. A line without references identifies none itself."""
        template.lines.setdefault(text, []).append(line)
        if is_written or "$" in line:
            self._by.setdefault((template.path, text), []).append(template)

    def _register_written(self, template: FollowedTemplate, leaf: str) -> list[tuple[str, str]]:
        """Register the written hashes of a leaf for the lines of a template, and return both hashes in pairs."""
        lines, units = dict(template.units), mirror.units(leaf)
        # With all the lines that were written, a text is not edited, whatever lines are alike in it.
        self._add(template, f"={' '.join(text for text, _ in units)}", template.node.value)
        pairs = [(text, own) for text, own in units if own in lines]
        for text, own in pairs:
            # The whole of a value of several lines is written for the first line, which may have no reference.
            self._add(template, text, lines[own], is_written=text != own)
        return pairs

    def _scalars(self, root: Node | None) -> Iterator[tuple[Place, FieldPath, Scalar]]:
        """Yield the scalars of an item at the paths of templates, with their places and paths."""
        waiting: list[tuple[Node, Place, FieldPath]] = [] if root is None or not self._by else [(root, (), ())]
        while waiting:
            node, place, path = waiting.pop()
            steps: Iterable[tuple[str | int, Segment, Node]] = ()
            if isinstance(node, Scalar):
                yield place, path, node
            elif isinstance(node, Mapping):
                steps = ((key, key, kid) for key, kid in trees.entries(node).items())
            elif isinstance(node, Sequence):
                steps = ((number, self._step(path, kid), kid) for number, kid in enumerate(node.kids))
            below = [(kid, (*place, at), (*path, step)) for at, step, kid in steps if (*path, step) in self._ways]
            waiting += below[::-1]

    def _step(self, path: FieldPath, element: Node) -> Segment:
        named = Match("name", scalars.string_at(element, "name") or "")
        return named if (*path, named) in self._named else WILDCARD

    def _shown(self, template: FollowedTemplate, node: Scalar, dollar: str) -> Followed:
        """Return the text that a field shows by the template that it follows. Edited lines stay."""
        text = template.node.value
        if template.lines.keys().isdisjoint(_whole(node)):
            left = {one: [*lines[::-1]] for one, lines in template.lines.items()}
            pairs = zip(mirror.plain(node).split(" "), node.value.split("\n"), strict=True)
            shown = (left.get(one, [line.replace("$", dollar)]) for one, line in pairs)
            text = "\n".join(lines.pop() if len(lines) > 1 else lines[0] for lines in shown)
        if text == template.node.value:
            return template, template.node, self.text
        if template.node.style == "|":
            return template, *reading.literal(text)
        source = scalars.double_quoted(text)
        return template, Scalar(0, len(source), text, '"', None, None), source


def _whole(node: Scalar) -> list[str]:
    """Return what the whole text of a field is registered as. A value of several lines has its hash at a line."""
    whole = mirror.whole(node)
    return [f"={whole}", *([whole, f"={mirror.plain(node)}"] if "\n" in node.value else [])]
