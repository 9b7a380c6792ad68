"""Sections of an object's text: the lines of one field, which are parsed alone, below their frame.

    apiVersion: v1
    metadata:           metadata:
      name: web
      labels:             labels:
        app: web            app: web
    spec: {}

To the right is the section of `metadata.labels`. A text with an `Outline` has sections. A scalar that is one word in
its line is read and edited without a parser.
"""

from __future__ import annotations

from krm import fieldpath
from krm.fieldpath import BELOW, WILDCARD, Match, as_index
from krm.yamltree import edits, lines, outline, parser, scalars
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.fieldpath import FieldPath, Place
    from krm.yamltree.nodes import Mapping, Node, Sequence
    from krm.yamltree.outline import Outline, Spans


class Sections:
    """The sections of a text that has an `outline`, and the `edits` of words in it, by their places."""

    def __init__(self, found: Outline) -> None:
        self.text = found.text
        self.outline = found
        self.edits: dict[Place, Edit] = {}
        self._parsed: dict[Place, Node] = {}
        self._words: dict[Place, Scalar] = {}
        self._ends: dict[int, Place] = {}
        # What stands ahead of the value of a new field: its key, below those of the mappings that it needs.
        self._heads: dict[Place, str] = {}

    def at(self, *keys: str) -> Scalar | Mapping | Sequence | None:
        """Return the node at the path of `keys`, None where there is none. ParseError as for `section`."""
        if keys in self._words:
            return self._words[keys]
        found = self.find(keys)
        return resolved(found[0][1]) if found else None

    def find(self, path: FieldPath) -> list[tuple[Place, Node]]:
        """Return every place that a path of at least one segment leads to, each with its node. ParseError as above."""
        found: list[tuple[Place, Node]] = []
        for place, rest in self.follow(path):
            # Most kinds and names are one word, which takes no parser.
            word = None if rest else self.word(place)
            found += [(place, word)] if word else fieldpath.find(self.section(place), (*place, *rest))
        return found

    def follow(self, path: FieldPath) -> list[tuple[Place, FieldPath]]:
        """Return the places of the innermost sections that a path leads into, each with the rest of the path."""
        known = self._section_above(path)
        return self._followed(known, path[len(known) :])

    def parts(self, path: FieldPath, *, of_lists: bool) -> list[Place] | None:
        """Return the places of the fields that a path leads to, or those of the elements `of_lists`.

        None if it takes a tree.
        """
        found: list[Place] = []
        for place, rest in self.follow(path):
            kids = self.kids(place)
            if rest or (kids is None and self.word(place) is None):
                return None
            found += [(*place, kid) for kid in kids] if of_lists and kids and 0 in kids else [place]
        return found

    def kids(self, place: Place) -> Spans | None:
        """Return the keys or indices of the block at a place; None if it takes a tree."""
        # A tree that is there has all that is below it.
        return None if place in self._parsed else self.outline.spans(place)

    def word(self, place: Place) -> Scalar | None:
        """Return the scalar at a place if it is one word in its line, None if it takes a tree."""
        found = self._words.get(place)
        if found is None and place and place not in self._parsed:
            found = outline.word(self.text, self.outline.span(place))
            if found is not None:
                self._words[place] = found
        return found

    def set_word(self, place: Place, value: str | int) -> bool:
        """Put a value at a place, in a scalar or in a new field. False if it takes a tree."""
        known = self._section_above(place)
        if known == place:
            there = self.word(place)
            if there is None or _holds(there, value):
                return there is not None
            return self._make(place, value, there)
        kids = self.kids(known)
        return kids is not None and self._add_word(place, value, known, kids)

    def _add_word(self, place: Place, value: str | int, known: Place, kids: Spans) -> bool:
        """Add an entry with a value, and the mappings around it, behind the last one of the mapping that is `known`.

        False if that takes a tree.
        """
        keys = [key for key in place[len(known) :] if isinstance(key, str) and outline.is_key(key)]
        if 0 in kids or len(known) + len(keys) < len(place):
            return False
        end = self.outline.span(known)[1]
        first = lines.past_blanks(self.text, lines.line_start(self.text, end - 1))
        # A comment behind the last entry may belong to it. Two mappings may end there, and the inner one comes first.
        if self.text[first] in "#\n" or self._ends.get(end, known) != known:
            return False
        margins = [self.outline.margin(known) + "  " * depth for depth, _ in enumerate(keys)]
        head = ":\n".join([margin + key for margin, key in zip(margins, keys, strict=True)])
        self._heads[place] = f"{head}: "
        if not self._make(place, value, Scalar(end, end, "", "", None, None)):
            return False
        self._ends[end] = known
        kids[keys[0]] = end, end
        return True

    def _make(self, place: Place, value: str | int, there: Scalar) -> bool:
        """Keep the edit that puts a value at a place, if a line with it is read by the same rule again."""
        # The present value decides about the quotes, as the edit counts in the present text.
        written = scalars.leaf(value, flow=False, style=there.style)
        line = f"- {written}\n"
        new = outline.word(line, (0, len(line)))
        # That is the proof.
        if new is None or not _holds(new, value) or (type(value) is str and scalars.string(new) is None):
            return False
        new.start, new.end = there.start, there.end
        self._words[place] = new
        if there.start == there.end:
            written = f"{self._heads[place]}{written}\n"
        self.edits[place] = Edit(there.start, there.end, written)
        return True

    def section(self, place: Place) -> Node:
        """Return the tree of the section at a place that `follow` found, with the new texts of its words.

        ParseError if its lines cannot be read.
        """
        if place not in self._parsed:
            inside = [edit for at, edit in self.edits.items() if at[: len(place)] == place]
            text = edits.part(self.text, *self.outline.span(place), inside)
            root = parser.parse(self.outline.frame(place) + text).root
            assert root is not None, "there is a key"  # noqa: S101 - for mypy
            self._parsed[place] = root
        return self._parsed[place]

    def _section_above(self, path: FieldPath) -> Place:
        """Return the longest part of a path that is the place of a section."""
        # A tree that is there has all that is below it.
        if self._parsed:
            for depth in range(len(path)):
                if path[:depth] in self._parsed:
                    return path[:depth]  # type: ignore[return-value]  # the place of a section
        return self.outline.deepest(path)

    def _followed(self, place: Place, path: FieldPath) -> list[tuple[Place, FieldPath]]:
        """Return the places of the innermost sections that a path from a place leads into, each with the rest of it."""
        kids = None if not path or path[0] is BELOW else self.kids(place)
        if kids is None:
            return [(place, path)]
        steps: Iterable[str | int] = kids
        segment = path[0]
        if isinstance(segment, Match):
            names = [next(iter(self.find((*place, step, segment.key))), None) for step in kids if 0 in kids]
            steps = [n for n, name in enumerate(names) if name is not None and name[1].value == segment.value]
        elif segment is not WILDCARD:
            step = segment if segment in kids else as_index(segment)
            steps = [step] if step in kids else ()
        return [one for step in steps for one in self._followed((*place, step), path[1:])]


def _holds(word: Scalar, value: str | int) -> bool:
    """True if `get` returns a value for a word. In Python 1 == True."""
    return repr(scalars.typed(word)) == repr(value)


def sections(text: str, *, is_element: bool) -> Sections | None:
    """Return the sections of a text that is known to be YAML, a document or an element of a list; None without any."""
    found = outline.outline(text, is_element=is_element)
    return None if found is None else Sections(found)
