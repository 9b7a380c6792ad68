"""References: the comments in which fields keep their templates between runs that write over their input.

    image: nginx:1.27 # expand: nginx:$(TAG)

The comment is all that is remembered: no path, no hash, no value (docs/runs-in-place.md, "The comment").

`comments` finds the templates of an object and the fields that they belong to, `matching` reads a text beside its
template, `memory` says what each field of a package shows and keeps, `writing` gives fields their comments and puts
templates back, `current` tells which items need none of this, by their text alone, and `history` reports what becomes
of the values that stand there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Protocol

    class Variables(Protocol):
        """The variables of a run."""

        @property
        def names(self) -> Collection[str]:
            """The names that have a text."""

        def __contains__(self, name: str) -> bool:
            """True if a variable has a text."""

        def text(self, name: str) -> str:
            """Return the EnvVar text of a variable."""

        def use(self, name: str) -> str:
            """Return that text, and note that it is used."""

        def is_secret(self, name: str) -> bool:
            """True if that text is secret."""
