"""Labels: what the markers of a conflict call the two sides, as git would (docs/guides/git.md, "Labels")."""

from __future__ import annotations

import os

_HEAD = "HEAD"
_ORIGIN = "origin"
_UPDATE = "update"

# Git passes the names of the branches by these letters since 2.44. Before that it passes the letters as they are.
_LETTERS = ("%X", "%S", "%Y")
_VARIABLE = "GITHEAD_"
_STEPS_OF_A_REBASE = ("rebase-merge", "done")


class Labels:
    """The names of local, origin and update in markers."""

    __slots__ = ("local", "origin", "update")

    def __init__(self, local: str = _HEAD, origin: str = _ORIGIN, update: str = _UPDATE) -> None:
        self.local = local
        self.origin = origin
        self.update = update

    def in_order(self) -> tuple[str, str, str]:
        """Return the names in the order in which `git merge-file` takes them: local, origin, update."""
        return self.local, self.origin, self.update


def of_a_merge(*named: str) -> Labels:
    """Return the labels of the merge that git runs now. `named` are those that git passes, if it does: local first."""
    if len(named) == len(_LETTERS) and not set(named) & set(_LETTERS):
        return Labels(*named)
    # Git sets such a variable for each head of a merge; an octopus has several, and then no one name is right.
    merged = [name for variable, name in os.environ.items() if variable.startswith(_VARIABLE)]
    if len(merged) == 1:
        return Labels(update=merged[0])
    return Labels(update=_commit_of_a_rebase() or _UPDATE)


def _commit_of_a_rebase() -> str | None:
    """Return the commit that a rebase applies now, as git names it: `0a1b2c3 (its subject)`."""
    try:
        with open(os.path.join(os.environ.get("GIT_DIR", ".git"), *_STEPS_OF_A_REBASE), encoding="utf-8") as steps:
            words = steps.read().splitlines()[-1].split(maxsplit=2)
    except (OSError, UnicodeDecodeError, IndexError):
        return None
    return f"{words[1][:7]} ({words[2].removeprefix('# ')})" if len(words) == 3 else None  # noqa: PLR2004 - verb, commit, subject
