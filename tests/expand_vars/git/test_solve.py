"""`solve` on what a plain `git merge` left unmerged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.expand_vars.git.repository import Repository

if TYPE_CHECKING:
    from pathlib import Path

ORIGIN = "kind: Deployment\nspec:\n  replicas: 1\n  paused: false\n"
FEATURE = ORIGIN.replace("replicas: 1", "replicas: 3")
MAIN = ORIGIN.replace("paused: false", "paused: true")
MERGED = "kind: Deployment\nspec:\n  replicas: 3\n  paused: true\n"
SOLVED = """\
a.yaml:3: `paused` of HEAD and `replicas` of the other side are no conflict: both are kept
a.yaml: 1 conflict of lines solved by fields
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def merged(repository: Repository, origin: str, feature: str | None, main: str | None) -> None:
    """Let git merge a file and leave it unmerged."""
    repository.branches({"a": origin}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 1


@pytest.mark.parametrize("argument", ["a.yaml", "--all"])
def test_a_conflict_of_lines_is_solved(repository: Repository, argument: str) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    answer = repository.expand_vars("solve", argument)
    assert (answer.stdout, answer.stderr, answer.returncode) == (SOLVED, "", 0)
    assert (repository.text(), repository.unmerged()) == (MERGED, ["a.yaml"])


def test_what_both_changed_is_left_with_markers(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN.replace("replicas: 1", "replicas: 2"))
    answer = repository.expand_vars("solve", "a.yaml")
    assert (answer.stdout, answer.returncode) == ("a.yaml: 1 left, where both sides changed the same fields\n", 1)


def test_a_file_that_somebody_edited_stays(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    repository.write(a=f"# mine\n{repository.text()}")
    answer = repository.expand_vars("solve", "a.yaml")
    problem = "a.yaml: it has changed since git left it: `git checkout --merge a.yaml` brings git's text back\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)
    repository.git("checkout", "--merge", "a.yaml")
    assert repository.expand_vars("solve", "a.yaml").returncode == 0
    assert repository.text() == MERGED


def test_a_file_that_one_side_deleted_is_the_users_to_decide(repository: Repository) -> None:
    merged(repository, ORIGIN, None, MAIN)
    answer = repository.expand_vars("solve", "--all")
    problem = "a.yaml: one side deleted it: keep it with `git add`, or take it away with `git rm`\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)


def test_a_binary_file_cannot_be_solved(repository: Repository) -> None:
    merged(repository, "\0a: 1\n", "\0a: 2\n", "\0a: 3\n")
    answer = repository.expand_vars("solve", "a.yaml")
    problem = "a.yaml: git cannot merge these texts line by line\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)


def test_a_merged_file_needs_nothing(repository: Repository) -> None:
    repository.commit("origin", a=ORIGIN)
    answer = repository.expand_vars("solve", "a.yaml")
    assert (answer.stdout, answer.returncode) == ("a.yaml: git has it merged: there is nothing to solve\n", 1)
    answer = repository.expand_vars("solve", "--all")
    assert (answer.stdout, answer.returncode) == ("git left no YAML file unmerged below this folder\n", 0)


def test_the_mode_of_a_file_stays(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    (repository.folder / "a.yaml").chmod(0o755)
    repository.expand_vars("solve", "a.yaml")
    assert (repository.folder / "a.yaml").stat().st_mode & 0o777 == 0o755


def test_no_value_is_shown(repository: Repository) -> None:
    origin = "kind: Secret\nstringData:\n  one: planted-1\n  two: planted-2\n"
    merged(repository, origin, origin.replace("-1", "-3"), origin.replace("-2", "-4"))
    answer = repository.expand_vars("solve", "a.yaml")
    assert answer.returncode == 0
    assert "planted" not in answer.stdout + answer.stderr


def test_outside_of_a_repository(tmp_path: Path) -> None:
    answer = Repository(tmp_path, is_made=False).expand_vars("solve", "--all")
    assert (answer.stdout, answer.returncode) == ("", 1)
    assert answer.stderr.startswith("[error] ")


@pytest.mark.parametrize("arguments", [(), ("a.yaml", "--all")], ids=["neither", "both"])
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    answer = Repository(tmp_path, is_made=False).expand_vars("solve", *arguments)
    assert answer.stderr.endswith("expand-vars solve: error: name files, or give --all\n")
    assert answer.returncode == 2
