"""The files that differ from those of a commit (docs/scale.md, "What changed")."""

from __future__ import annotations

import os

from expand_vars.git import program
from expand_vars.git.program import GitError


def since(commit: str, folder: str) -> set[str]:
    """Return the paths, without links, of what is not as in a commit, in the repository around a folder.

    New files that git does not ignore are among them, and deleted ones. GitError where there is no such commit.
    """
    top = _text("-C", folder, "rev-parse", "--show-toplevel").removesuffix("\n")
    name = _commit(commit, top)
    differ = _text("-C", top, "diff", "--name-only", "--no-renames", "-z", name, "--")
    new = _text("-C", top, "ls-files", "--others", "--exclude-standard", "-z")
    return {os.path.join(os.path.realpath(top), path) for path in (differ + new).split("\0") if path}


def _commit(commit: str, top: str) -> str:
    try:
        return _text("-C", top, "rev-parse", "--verify", "--end-of-options", f"{commit}^{{commit}}").strip()
    except GitError:
        problem = f"git has no commit `{commit}` here"
        if _text("-C", top, "rev-parse", "--is-shallow-repository").strip() == "true":
            problem += ", and this clone is shallow: clone it whole, with `fetch-depth: 0` in a workflow of GitHub"
        raise GitError(problem) from None


def _text(*arguments: str) -> str:
    return os.fsdecode(program.output(*arguments))
