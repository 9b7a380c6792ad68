"""A real repository of git with two branches, `main` and `feature`, that a test merges."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import TypeAlias

    Files: TypeAlias = Mapping[str, str | None]

_ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_EDITOR": "true",
}


class Repository:
    """A repository in a folder, or the folder alone."""

    def __init__(self, folder: Path, *, is_made: bool = True) -> None:
        self.folder = folder
        if is_made:
            self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run git, and return what it says. The exit code is the test's to judge."""
        command = ["git", *arguments]
        given = {**os.environ, **_ENVIRONMENT, **environment}
        return subprocess.run(command, cwd=self.folder, env=given, capture_output=True, text=True, check=False)

    def krm(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run our command line in the folder."""
        given = {**os.environ, **_ENVIRONMENT}
        command = ["krm", *arguments]
        return subprocess.run(command, cwd=self.folder, env=given, capture_output=True, text=True, check=False)

    def write(self, **files: str | None) -> None:
        """Write files, each named by its stem, as they are; delete those that are None."""
        for stem, text in files.items():
            path = self.folder / f"{stem}.yaml"
            if text is None:
                path.unlink()
            else:
                path.write_bytes(text.encode())

    def commit(self, message: str, **files: str | None) -> None:
        """Write files, and commit all that there is."""
        self.write(**files)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def branches(self, origin: Files, feature: Files, main: Files) -> None:
        """Commit `origin`, then let each branch change it; `main` is checked out."""
        self.commit("origin", **origin)
        self.git("checkout", "-q", "-b", "feature")
        self.commit("of the feature", **feature)
        self.git("checkout", "-q", "main")
        self.commit("of main", **main)

    def text(self, stem: str = "a") -> str:
        """Return a file as it stands in the folder."""
        return (self.folder / f"{stem}.yaml").read_bytes().decode()

    def unmerged(self) -> list[str]:
        """Return the files that git has not merged."""
        return self.git("diff", "--name-only", "--diff-filter=U").stdout.split()
