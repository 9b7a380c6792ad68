"""The program git, asked for what it prints."""

from __future__ import annotations

import subprocess


class GitError(Exception):
    """Git refuses what it was asked for: the message is git's own."""


def output(*arguments: str) -> bytes:
    """Return what `git ARGUMENTS` prints. GitError if git fails, or is missing."""
    try:
        done = subprocess.run(["git", *arguments], capture_output=True, check=False)  # noqa: S603, S607 - the user's git
    except OSError as error:
        raise GitError(f"git cannot be started: {error.strerror}") from None
    if done.returncode:
        raise GitError(done.stderr.decode(errors="replace").strip())
    return done.stdout
