"""Files that git ignores: whoever clones the repository does not get them."""

from __future__ import annotations

from expand_vars.git import program


def is_ignored(directory: str, path: str) -> bool:
    """True if git ignores a file in a directory: never outside of a repository, or without git."""
    try:
        program.output("-C", directory, "check-ignore", "--quiet", "--", path)
    except program.GitError:
        return False
    return True
