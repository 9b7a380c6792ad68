"""Patterns: the texts that the names of a template have (docs/reference/runs-in-place.md, "What becomes of your edit").

    template  http://$(HOST):$(PORT)/        text  http://db:80/        HOST db, PORT 80

A text may have several readings. Two show that it is ambiguous. Of a template without a repeated name, one takes each
literal at its first position, the other at its last: if the two agree, there is no third. Each takes one pass over the
text for each name. Where a name is repeated, each position of a literal is tried, up to a bound.
"""

from __future__ import annotations

from itertools import islice

from krm import syntax
from krm.yamltree import embedded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Sequence as List
    from typing import TypeAlias

    from krm.yamltree.embedded import Line

    TextsByName: TypeAlias = dict[str, str]
    Spelling: TypeAlias = Callable[[str], str]
    """What a literal of a template looks like in the text: a run may have taken its escapes away."""
    LineReadings: TypeAlias = "Callable[[str | Line, TextsByName], list[TextsByName]]"
    Reading: TypeAlias = tuple[list[int], TextsByName]
    """Where the lines of a template are in a text: the number of each line there, and the texts of the names."""


_BETWEEN = "\0"
"""Separates the scalars of a line of a file. No file holds it, so a name never stands for two scalars."""

_MOST_TRIES = 1_000
"""How many positions are tried in one text."""


class Pattern:
    """A template in parts: `names` with `literals` around them, one more than names."""

    def __init__(self, literals: List[str], names: List[str]) -> None:
        self.literals = literals
        self.names = names

    @classmethod
    def of(cls, text: str, form: Spelling = str) -> Pattern:
        """Return the parts of a template, with its literals in the form that they have in the text."""
        tokens = [token for token in syntax.tokens(text) if token.name is not None]
        starts = [0, *(token.end for token in tokens)]
        ends = [*(token.start for token in tokens), len(text)]
        literals = [form(text[start:end]) for start, end in zip(starts, ends, strict=True)]
        return cls(literals, [token.name for token in tokens if token.name is not None])

    def filled(self, known: TextsByName) -> Pattern:
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

    def readings(self, text: str) -> list[TextsByName]:
        """Return what the names stand for in a text: one reading, two if there are several or may be, or none."""
        tries = iter(range(_MOST_TRIES))
        found = [*islice(_readings(self, text, tries), 2)]
        return [*found, {}][:2] if found and next(tries, None) is None else found


def _readings(pattern: Pattern, text: str, tries: Iterator[int]) -> Iterator[TextsByName]:
    """Yield the readings of a text: all while a name is repeated, then the first one and the last one of the rest."""
    if len({*pattern.names}) == len(pattern.names):
        first = _first(pattern, text)
        yield from first
        # In reversed text the first position of a literal is its last one.
        mirrored = Pattern([literal[::-1] for literal in reversed(pattern.literals)], pattern.names[::-1])
        last = _first(mirrored, text[::-1]) if len(pattern.names) > 1 else []
        yield from (one for each in last if (one := {name: of[::-1] for name, of in each.items()}) not in first)
    elif text.startswith(pattern.literals[0]):
        for end, _ in zip(_ends(pattern, text), tries, strict=False):
            known = {pattern.names[0]: text[len(pattern.literals[0]) : end]}
            yield from (known | below for below in _readings(pattern.filled(known), text, tries))


def _first(pattern: Pattern, text: str) -> list[TextsByName]:
    """Return the reading with each literal at its first position; none if the text has none."""
    found: TextsByName = {}
    while pattern.names:
        end = next(_ends(pattern, text), -1)
        if end < 0:
            return []
        found[pattern.names[0]] = text[len(pattern.literals[0]) : end]
        pattern = pattern.filled(found)
    return [found] if pattern.literals == [text] else []


def _ends(pattern: Pattern, text: str) -> Iterator[int]:
    """Yield where the text of the first name may end.

    The last name has the same text at each of its positions, so the length of that is known.
    """
    start, names = len(pattern.literals[0]), pattern.names
    if len({*names}) == 1:
        length, rest = divmod(len(text) - sum(map(len, pattern.literals)), len(names))
        if not rest and length >= 0:
            yield start + length
        return
    end = text.find(pattern.literals[1], start)
    while end >= 0:
        yield end
        end = text.find(pattern.literals[1], end + 1)


class MatchedText:
    """A text that is read beside templates. For a template with lines of a block, its lines are read `apart`."""

    def __init__(self, key: str | int, text: str, *, apart: bool) -> None:
        """Take the text under a key. The key may name its language, as `app.json` does."""
        self._key = key
        self.text = text
        self.lines = text.split("\n") if apart else [text]
        self._all_lines = embedded.content(key, text).lines(apart=apart)

    def readings(self, written: List[str], known: TextsByName) -> Iterator[list[Reading]]:
        """Yield the readings of a template's lines in each form that fits: one reading, or two if there are more.

        The lines keep their order. The texts of some names may be known. A value such as that of `app.json: $(CONFIG)`
        makes a file of a plain text: beside such a template the text is plain, too.
        """
        # A text that ends with a line end has no further line behind it.
        behind = -1 if len(self.lines) > 1 and not self.lines[-1] else None
        for is_file, found in enumerate((self.lines, self._all_lines)[: 1 + embedded.is_file(self._key)]):
            for form in _forms(written, self.text):
                rows = [_row(line, form, known) for line in written]
                ways = [_aligned(rows, found[:behind], is_last=is_last) for is_last in (False, True)]
                made = [one for one in ways if len(one[0]) == len(rows)]
                if made and is_file == bool(embedded.content(self._key, self.template(made[0][0], written)).roots):
                    yield made[:1] if made[0] == made[-1] else made

    def template(self, numbers: list[int], written: List[str]) -> str:
        """Return the text with the lines of a template in the place of the lines with these numbers."""
        found = [*self.lines]
        for number, line in zip(numbers, written, strict=True):
            found[number] = line
        return "\n".join(found)

    def tells(self, written: List[str], template: str) -> bool:
        """True if the whole template can be made again from the text and these lines."""
        found = next(self.readings(written, {}), [])
        places = [numbers for numbers, _ in found]
        return places[:1] == places[-1:] != [] and self.template(places[0], written) == template

    def missing(self, written: List[str]) -> str:
        """Return the first line of a template that cannot be read behind those above it."""
        forms = ([_row(line, form, {}) for line in written] for form in _forms(written, self.text))
        read = max(len(_aligned(rows, self._all_lines, is_last=False)[0]) for rows in forms)
        return written[min(read, len(written) - 1)]


def _row(text: str, form: Spelling, known: TextsByName) -> LineReadings:
    """Return the function that reads a line of a text beside this line of a template: that of a file by its scalars."""
    pattern = Pattern.of(text, form).filled(known)

    def readings(line: str | Line, texts: TextsByName) -> list[TextsByName]:
        if isinstance(line, str):
            return pattern.filled(texts).readings(line)
        values = line.values_of(text)
        if values is None:
            return []
        return Pattern.of(_BETWEEN.join(values), form).filled(known | texts).readings(_BETWEEN.join(line.values))

    return readings


def gone_escapes(written: List[str], text: str) -> set[str]:
    """Return each name whose `$$(NAME)` is in the template and not in the text, which may have `$(NAME)` there."""
    return {name for line in written for name in syntax.escaped_names(line) if f"$$({name})" not in text}


def _forms(written: List[str], text: str) -> list[Spelling]:
    """Return the forms of a template in a text: with all escapes, without those that are gone, without any."""
    gone = gone_escapes(written, text)
    plain = [lambda literal: syntax.unescaped(literal, gone)] if gone else []
    return [str, *plain, syntax.value] if any("$$" in line for line in written) else [str]


def _aligned(rows: List[LineReadings], found: List[str | Line], *, is_last: bool) -> Reading:
    """Return the first lines that fit these rows, or the last ones: fewer than the rows if one fits no line."""
    texts: TextsByName = {}
    numbers: list[int] = []
    step = -1 if is_last else 1
    rest = iter(range(len(found))[::step])
    for row in rows[::step]:
        for number in rest:
            if read := row(found[number], texts):
                # Each direction takes another of two readings, so that the caller sees that there are two.
                texts |= read[-1 if is_last else 0]
                numbers.append(number)
                break
        else:
            break
    return numbers[::step], texts
