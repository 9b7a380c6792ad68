"""Template comments: the comments in which fields keep their templates between runs that write over their input.

    image: nginx:1.27 # expand: nginx:$(TAG)

A program that merges, compares or shows such a field has to know the template of its value. This package reads and
writes the templates. It does not expand them.

The comment is all that is remembered: no path, no hash, no value (docs/reference/runs-in-place.md, "The comment").

`reading` finds the templates of an object and the fields that they belong to. `patterns` reads a text beside its
template. `memory` decides which fields of a package show their template, and which keep their text. `writing` gives
fields their comments, and puts templates back.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    # It stands here, since mypyc takes no class in a block: the modules beside are compiled.
    class VariableTexts(Protocol):
        """The variables of a run."""

        def __contains__(self, name: str) -> bool:
            """True if a variable has a text."""

        def text(self, name: str) -> str:
            """Return the EnvVar text of a variable."""

        def may_be_secret(self, name: str) -> bool:
            """True if that text is secret, or was in another run."""
