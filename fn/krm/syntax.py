"""The grammar of `$(VAR)` references (docs/reference/expansion.md, "The grammar", "The three forms").

    text      = { escape | reference | any other character }
    escape    = "$$"                                  one literal `$`
    reference = "$(" name ")"                         name: everything up to the first `)`

A `$` before anything else, and a `$(` that is never closed, are plain characters. Inserted text is not read again.

The *final* form is that of `Expand` in Kubernetes' design document: `$$` becomes `$`. In the *commuting* form escapes
stay, and each inserted text is EnvVar text, from which the kubelet makes the value. So the kubelet expands the
commuting form and the original to the same text. In the *plain* form, that of a text that nobody else expands, every
`$` stays that is none of a declared name.

    text            variables           final form   commuting form   plain form
    $(A)-$$(A)      A is `x`            x-$(A)       x-$$(A)          x-$(A)
    $(PW)-$$        PW is `p$w`         p$w-$        p$$w-$$          p$w-$$
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm.yamltree import edits
from krm.yamltree.edits import Edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import TypeAlias

    Lookup: TypeAlias = "Callable[[str], str | None]"


LONGEST = 1 << 20
"""How many characters may be inserted into one text. Values of values can double with each line; etcd takes 1.5 MiB."""

_LONGEST_NAME = 1 << 12
_TOKEN = re.compile(r"\$(?:\$|\(([^)]*)(?:\)|\Z))")
_ESCAPE = re.compile(r"\$\$")
_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_VARIABLE = re.compile("[ -(*-<>-~]+")  # printable ASCII without `)` and `=`


class TooLongError(ValueError):
    """The expanded text would be longer than a cluster can store."""


class Token:
    """A reference to `name`, or an escape if `name` is None, from `start` to `end` of a text."""

    __slots__ = ("end", "name", "start")

    def __init__(self, start: int, end: int, name: str | None) -> None:
        self.start = start
        self.end = end
        self.name = name


@lru_cache(64)  # a text is read for its names, and then for its edits
def tokens(text: str) -> tuple[Token, ...]:
    """Return the escapes and references of a text, from left to right."""
    # Behind the last `)` no reference ends: to search there for the end of each `$(` would take quadratic time.
    last = text.rfind(")") + 1
    found = [Token(one.start(), one.end(), one[1]) for one in _TOKEN.finditer(text, 0, last)]
    return (*found, *[Token(one.start(), one.end(), None) for one in _ESCAPE.finditer(text, last)])


def names(text: str) -> list[str]:
    """Return the name of each reference in a text, in order, repeated names too."""
    return [token.name for token in tokens(text) if token.name is not None]


def is_name(text: str) -> bool:
    """True if every release of Kubernetes allows a variable of that name: no spaces, no shell syntax."""
    return _NAME.fullmatch(text) is not None


def is_variable(text: str) -> bool:
    """True if a variable can have that name: printable ASCII without `=`, and without `)`, which ends a reference."""
    return _VARIABLE.fullmatch(text) is not None


def escaped_names(text: str) -> list[str]:
    """Return the NAME of each `$$(NAME)` in a text whose `$$` is an escape."""
    return [name for token in tokens(text) if (name := _escaped_name(text, token)) is not None]


def expand(text: str, lookup: Lookup) -> str:
    """Return the final form of a text. ValueError if more than 1 MiB would be inserted.

    `lookup` returns the value of a name, or None. Without a value the reference stays as written.

    >>> expand("$(A)-$$(A)-$(B)", lookup_in({"A": "x"}))
    'x-$(A)-$(B)'
    """
    return edits.apply(text, final_edits(text, lookup))


def commute(text: str, lookup: Lookup) -> str:
    """Return the commuting form of a text. `lookup` returns EnvVar text, such as `doubled` makes of a value."""
    return edits.apply(text, commuting_edits(text, lookup))


def final_edits(text: str, lookup: Lookup) -> list[Edit]:
    """Return the edits that make the final form of `text`."""
    return _edits([(token, "$" if token.name is None else lookup(token.name)) for token in tokens(text)])


def plain_edits(text: str, lookup: Lookup, is_declared: Callable[[str], bool]) -> list[Edit]:
    """Return the edits of a text that the kubelet does not expand, where most `$` are of another syntax, such as sh.

    For a declared name, `$(NAME)` becomes the value and `$$(NAME)` becomes `$(NAME)`. Every other `$` stays.
    """

    def replaced(token: Token) -> str | None:
        if token.name is not None:
            return lookup(token.name)
        name = _escaped_name(text, token)
        return "$" if name is not None and is_declared(name) else None

    return _edits([(token, replaced(token)) for token in tokens(text)])


def commuting_edits(text: str, lookup: Lookup) -> list[Edit]:
    """Return the edits that make the commuting form of `text`."""
    return _edits([(token, lookup(token.name)) for token in tokens(text) if token.name is not None])


def unescaped(text: str, names: Collection[str]) -> str:
    """Return a text with `$(NAME)` for each `$$(NAME)` of these names, as `plain_edits` writes it."""
    return edits.apply(text, plain_edits(text, lookup_in(), names.__contains__))


def refers(text: str) -> bool:
    """True if a text has a reference or an escaped reference, `$$(NAME)`, with a name that a variable can have."""
    return any(map(is_variable, (*names(text), *escaped_names(text))))


def lookup_in(*maps: Mapping[str, str]) -> Lookup:
    """Return a lookup in several maps: the first map that has a name gives its value.

    >>> expand("$(A) $(B)", lookup_in({"A": "own"}, {"A": "default", "B": "default"}))
    'own default'
    """

    def lookup(name: str) -> str | None:
        return next((values[name] for values in maps if name in values), None)

    return lookup


def doubled(value: str) -> str:
    """Return the EnvVar text of a literal value: every `$` escaped."""
    return value.replace("$", "$$")


def closed(text: str) -> str:
    """Return EnvVar text that has the same value wherever it is inserted.

    A final `$` or an unclosed `$(` could become a token together with the text behind, so both are escaped.
    """
    pieces: list[str] = []
    position = 0
    for token in tokens(text):
        # The text behind the insertion may have the `)` that is missing here.
        pieces += text[position : token.start].replace("$(", "$$("), text[token.start : token.end]
        position = token.end
    rest = text[position:].replace("$(", "$$(")
    return "".join([*pieces, rest, "$" if rest.endswith("$") else ""])


def value(text: str) -> str:
    """Return the value of an EnvVar text. Its references stay as written."""
    return expand(text, lookup_in())


def _escaped_name(text: str, token: Token) -> str | None:
    """Return the NAME of `$$(NAME)` if a token is its `$$`, else None."""
    if token.name is not None or not text.startswith("(", token.end):
        return None
    # Without the bound, a text of many unclosed `$$(` would take time that grows with its square.
    close = text.find(")", token.end + 1, token.end + 1 + _LONGEST_NAME)
    return text[token.end + 1 : close] if close >= 0 else None


def _edits(found: Iterable[tuple[Token, str | None]]) -> list[Edit]:
    return bounded([Edit(token.start, token.end, text) for token, text in found if text is not None])


def bounded(made: list[Edit]) -> list[Edit]:
    """Return the edits of one text. TooLongError if they insert more than `LONGEST` characters."""
    # This is checked before the text is made: the text might not fit into memory.
    if sum([len(edit.text) for edit in made]) > LONGEST:
        raise TooLongError("its references expand to more than 1 MiB, which is more than a cluster can store")
    return made
