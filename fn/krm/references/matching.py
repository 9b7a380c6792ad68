"""A text beside its template: what it has for each name (docs/reference/runs-in-place.md, "What becomes of your edit").

    template  http://$(HOST):$(PORT)/        text  http://db:80/        HOST db, PORT 80

A text may be read in several ways. Two are ever made, the one that takes each literal where it stands first and the one
that takes it where it stands last: if these agree there is no other. Each takes one pass over the text for each name.
"""

from __future__ import annotations

from itertools import chain

from krm import syntax
from krm.yamltree import embedded
from krm.yamltree.nodes import Mapping, Scalar, Sequence, kid, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from collections.abc import Sequence as List
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.yamltree.embedded import Line
    from krm.yamltree.nodes import Node

    Texts: TypeAlias = dict[str, str]
    Form: TypeAlias = Callable[[str], str]
    """What a text between the names of a template is beside it: escapes may be gone there."""
    Row: TypeAlias = "Callable[[str | Line], list[Texts]]"


_BETWEEN = "\0"
"""What stands between the scalars of a line of a file: no file has it, and no reading goes over it."""


class Pattern:
    """A template in parts: `names` with `literals` around them, one more than names."""

    __slots__ = ("literals", "names")

    def __init__(self, literals: List[str], names: List[str]) -> None:
        self.literals = literals
        self.names = names

    @classmethod
    def of(cls, text: str, form: Form = str) -> Pattern:
        """Return the parts of a template, with its texts between names in the form that they have beside it."""
        tokens = [token for token in syntax.tokens(text) if token.name is not None]
        starts = [0, *(token.end for token in tokens)]
        ends = [*(token.start for token in tokens), len(text)]
        literals = [form(text[start:end]) for start, end in zip(starts, ends, strict=True)]
        return cls(literals, [token.name for token in tokens if token.name is not None])

    def filled(self, known: Texts) -> Pattern:
        """Return the pattern with the texts of some names in their places."""
        if known.keys().isdisjoint(self.names):
            return self
        literals, names = [self.literals[0]], []
        for name, literal in zip(self.names, self.literals[1:], strict=True):
            if name in known:
                literals[-1] += known[name] + literal
            else:
                names.append(name)
                literals.append(literal)
        return Pattern(literals, names)

    def readings(self, text: str) -> list[Texts]:
        """Return what the names stand for in a text: one reading, two if there are more, or none."""
        found = [_first(self, text)]
        if len(set(self.names)) > 1:
            # From its end to its beginning, what stands first is what stands last.
            mirrored = Pattern([literal[::-1] for literal in reversed(self.literals)], self.names[::-1])
            last = _first(mirrored, text[::-1])
            found += [None if last is None else {name: of_name[::-1] for name, of_name in last.items()}]
        made = [one for one in found if one is not None]
        return made[:1] if made[:1] == made[1:] else made


def _first(pattern: Pattern, text: str) -> Texts | None:
    """Return the reading with each literal where it stands first. A name that has been read is a literal, too."""
    found: Texts = {}
    while len(set(pattern.names)) > 1:
        start, literal = len(pattern.literals[0]), pattern.literals[1]
        end = text.find(literal, start)
        if end < 0:
            return None
        found[pattern.names[0]] = text[start:end]
        pattern = pattern.filled(found)
    of_rest = _of_one_name(pattern, text)
    return None if of_rest is None else found | of_rest


def _of_one_name(pattern: Pattern, text: str) -> Texts | None:
    """Return the reading of a pattern with one name at most, which has one text wherever it stands."""
    start, names = len(pattern.literals[0]), pattern.names
    length, rest = divmod(len(text) - sum(map(len, pattern.literals)), len(names) or 1)
    if length < 0 or rest:
        return None
    found = dict.fromkeys(names, text[start : start + length])
    return found if pattern.filled(found).literals == [text] else None


class Reading:
    """The lines of a template in the lines of a text: the number of each, and what its names are."""

    __slots__ = ("numbers", "texts")

    def __init__(self, numbers: list[int], texts: Texts) -> None:
        self.numbers = numbers
        self.texts = texts

    def template(self, lines: List[str], written: List[str]) -> str:
        """Return the text with the lines of its template in the place of what they were expanded to."""
        found = [*lines]
        for number, line in zip(self.numbers, written, strict=True):
            found[number] = line
        return "\n".join(found)


class MatchedText:
    """A text beside its template, with its lines `apart` where the template has lines of a block."""

    __slots__ = ("_found", "lines", "text")

    def __init__(self, key: str | int, text: str, *, apart: bool) -> None:
        """Take the text under a key, whose language the key may name."""
        self.text = text
        self.lines = text.split("\n") if apart else [text]
        self._found = embedded.content(key, text).lines(apart=apart)

    def readings(self, written: List[str], known: Texts) -> Iterator[list[Reading]]:
        """Yield where the lines of a template stand, in their order, in each form that does: one way, or two of more.

        With what is known of some names.
        """
        # Behind the last line end there is no line.
        found = self._found[:-1] if len(self._found) > 1 and not self._found[-1] else self._found
        for form in _forms(written, self.text):
            rows = [_row(line, form, known) for line in written]
            ways = (_aligned(rows, found, is_last=is_last) for is_last in (False, True))
            made = [one for one in ways if one is not None]
            if made:
                first, last = made[0], made[-1]
                yield [first] if (first.numbers, first.texts) == (last.numbers, last.texts) else made

    def holds(self, written: List[str]) -> bool:
        """True if these lines of a template stand in the text."""
        return any(self.readings(written, {}))

    def tells(self, written: List[str], template: str) -> bool:
        """True if some lines of a template tell what the whole of it is, beside the text that it was expanded to."""
        found = next(self.readings(written, {}), None)
        is_one = found is not None and found[0].numbers == found[-1].numbers
        return found is not None and is_one and found[0].template(self.lines, written) == template

    def missing(self, written: List[str]) -> str:
        """Return the first line of a template that no line fits behind those of the lines above it."""
        rest = iter(self._found)
        rows = {line: [_row(line, form, {}) for form in _forms(written, self.text)] for line in written}
        return next(
            (line for line in written if not any(one(found) for found in rest for one in rows[line])),
            written[-1],
        )


def _row(text: str, form: Form, known: Texts) -> Row:
    """Return what tells what the names of a line of a template stand for in a line of a text: of a file by scalars."""
    pattern = Pattern.of(text, form).filled(known)

    def readings(line: str | Line) -> list[Texts]:
        if isinstance(line, str):
            return pattern.readings(line)
        values = line.values_of(text)
        if values is None:
            return []
        return Pattern.of(_BETWEEN.join(values), form).filled(known).readings(_BETWEEN.join(line.values))

    return readings


def gone_escapes(written: List[str], text: str) -> set[str]:
    """Return each NAME of a template's `$$(NAME)` that stands in no `$$(NAME)` of the text: `$(NAME)` may be there."""
    return {name for line in written for name in syntax.escaped_names(line) if f"$$({name})" not in text}


def _forms(written: List[str], text: str) -> list[Form]:
    """Return the forms of a template in a text: escapes as written, those of some names gone, all gone."""
    gone = gone_escapes(written, text)
    plain = [lambda literal: syntax.unescaped(literal, gone)] if gone else []
    return [str, *plain, syntax.value] if any("$$" in line for line in written) else [str]


def _aligned(rows: List[Row], found: List[str | Line], *, is_last: bool) -> Reading | None:
    """Return the lines that these rows fit first, or last; None where one fits none."""
    texts: Texts = {}
    numbers: list[int] = []
    step = -1 if is_last else 1
    rest = iter(range(len(found))[::step])
    for row in rows[::step]:
        for number in rest:
            read = row(found[number])
            # Of two readings each order takes its own, so that the two ways differ.
            of_line = read[-1 if is_last else 0] if read else {}
            if read and all(texts.get(name, one) == one for name, one in of_line.items()):
                texts |= of_line
                numbers.append(number)
                break
        else:
            return None
    return Reading(numbers[::step], texts)


def pairs(template: Node | None, node: Node | None, place: Place) -> list[tuple[Place, Scalar, Scalar]] | None:
    """Return each scalar of a template that has a reference, behind its place, with that in the field.

    None where the field is not of the template's shape: it has other keys, elements or texts.
    """
    there = resolved(node)
    if isinstance(template, Scalar) and isinstance(there, Scalar):
        if syntax.refers(template.value):
            return [(place, template, there)]
        return [] if (template.value, template.style == "") == (there.value, there.style == "") else None
    if isinstance(template, Mapping) and isinstance(there, Mapping) and template.entries.keys() == there.entries.keys():
        steps: Iterable[str | int] = [key for key, _ in template.items()]
    elif isinstance(template, Sequence) and isinstance(there, Sequence) and len(template.kids) == len(there.kids):
        steps = range(len(template.kids))
    else:
        return None
    found = [pairs(kid(template, step), kid(there, step), (*place, step)) for step in steps]
    return None if None in found else [*chain.from_iterable(filter(None, found))]
