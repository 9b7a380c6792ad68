"""Exhaustive `match` statements on the words of a `Literal`.

A vocabulary is a `Literal` under TYPE_CHECKING, so that it costs nothing at start-up. Each `match` on one ends with
`case _: assert_never(word)`: mypy then names every place that does not know a new word yet.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Never


def assert_never(word: Never) -> Never:
    """Raise AssertionError: mypy proves that no run comes here. `typing.assert_never` would cost its import."""
    raise AssertionError(f"`{word}` is no word of its vocabulary")
