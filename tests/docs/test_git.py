"""docs/guides/git.md is true: its commands are run in real repositories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.krm.git.repository import Repository
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("git")
TESTED = {"The merge driver": "sh text text", "The cascade": "text", "Conflicts": "yaml", "After a merge": "sh text"}
(INSTALL, INSTALLED, TOLD) = PAGE.blocks("The merge driver")
(SILENT,) = PAGE.blocks("The cascade")
(CONFLICT,) = PAGE.blocks("Conflicts")
(SOLVE, SOLVED) = PAGE.blocks("After a merge")

ORIGIN = "kind: Deployment\nspec:\n  replicas: 1\n  paused: false\n"
FEATURE = ORIGIN.replace("replicas: 1", "replicas: 3")
MAIN = ORIGIN.replace("paused: false", "paused: true")


def arguments(block: str) -> list[str]:
    """Return the arguments of the command in a block."""
    program, *words = block.split()
    assert program == "krm"
    return words


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def test_the_set_up_and_a_merge(repository: Repository) -> None:
    assert repository.krm(*arguments(INSTALL.text)).stdout == INSTALLED.text
    repository.branches({"web": ORIGIN}, {"web": FEATURE}, {"web": MAIN})
    assert repository.git("merge", "-q", "feature").stderr == TOLD.text


def test_a_conflict_is_written_with_these_markers(repository: Repository) -> None:
    repository.krm(*arguments(INSTALL.text))
    main = MAIN.replace("replicas: 1", "replicas: 2")
    repository.branches({"web": ORIGIN}, {"web": FEATURE}, {"web": main})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert repository.text("web") == f"kind: Deployment\n{CONFLICT.text}"


def test_what_git_alone_would_merge_in_silence(repository: Repository) -> None:
    """A Deployment of type Recreate has no `rollingUpdate`: git puts both into one file, two lines apart."""
    repository.krm(*arguments(INSTALL.text))
    rolling = "    rollingUpdate: {maxSurge: 1}\n"
    origin = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  strategy:\n    type: RollingUpdate\n"
    )
    origin += f"    # one\n    # two\n{rolling}"
    sides = origin.replace("type: RollingUpdate", "type: Recreate"), origin.replace("maxSurge: 1", "maxSurge: 2")
    repository.branches({"web": origin}, *({"web": side} for side in sides))
    told = repository.git("merge", "-q", "feature")
    assert (told.stderr, told.returncode) == (SILENT.text, 1)


def test_solving_after_a_merge(repository: Repository) -> None:
    repository.branches({"web": ORIGIN}, {"web": FEATURE}, {"web": MAIN})
    repository.git("merge", "-q", "feature")
    answer = repository.krm(*arguments(SOLVE.text))
    assert (answer.stdout, answer.returncode) == (SOLVED.text, 0)
