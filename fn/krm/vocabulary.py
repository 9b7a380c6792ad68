"""Words that are known: exhaustive `match` statements on those of a `Literal`, and the word that a misspelt one was.

A vocabulary is a `Literal` under TYPE_CHECKING, so that it costs nothing at start-up. Each `match` on one ends with
`case _: assert_never(word)`: mypy then names every place that does not know a new word yet.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import Never


def assert_never(word: Never) -> Never:
    """Raise AssertionError: mypy proves that no run comes here. `typing.assert_never` would cost its import."""
    raise AssertionError(f"`{word}` is no word of its vocabulary")


def is_misspelt(word: str, other: str) -> bool:
    """True if two words differ in case alone, or by one letter that is another, missing, too much, or swapped.

    >>> is_misspelt("strcit", "strict"), is_misspelt("set", "stdout")
    (True, False)
    """
    word, other = word.casefold(), other.casefold()
    start = next((at for at, (one, two) in enumerate(zip(word, other, strict=False)) if one != two), -1)
    if start < 0:
        return abs(len(word) - len(other)) <= 1
    mine, yours = word[start:], other[start:]
    is_swapped = mine[:2] == yours[1::-1] and mine[2:] == yours[2:]
    return is_swapped or mine[1:] == yours[1:] or mine[1:] == yours or mine == yours[1:]


def nearest(word: str, known: Iterable[str], likeness: float = 0.6) -> str:
    """Return the known word that is most like one that is not known, empty where none is so much like it.

    >>> nearest("Deploymnt", ["DaemonSet", "Deployment"])
    'Deployment'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    return "".join(get_close_matches(word, known, n=1, cutoff=likeness))


def unknown(key: str, known: Collection[str]) -> str:
    """Return the sentence for an unknown key, with the known one that is most like it."""
    # All keys are listed only where none is near: a long list hides the one that helps.
    near = nearest(key, known)
    hint = f"; did you mean `{near}`?" if near else f": the keys here are {quoted(known, 'and')}"
    return f"unknown key `{key}`{hint}"


def quoted(words: Collection[str], conjunction: str = "or") -> str:
    """Return words as a list in a sentence: `a`, `b` or `c`; of one word, that word."""
    *most, last = (f"`{word}`" for word in words)
    return f"{', '.join(most)} {conjunction} {last}" if most else last


def counted(number: int, noun: str) -> str:
    """Return a number of things: `1 field`, `2 fields`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def key_of(attribute: str) -> str:
    """Return the key of Kubernetes for a name of Python: `variablesFrom` of `variables_from`."""
    first, *others = attribute.split("_")
    return first + "".join(word.capitalize() for word in others)


def attribute_of(key: str) -> str:
    """Return the name of Python for a key of Kubernetes: `variables_from` of `variablesFrom`."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in key)
