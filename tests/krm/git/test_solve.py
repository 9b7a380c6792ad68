"""`solve` on what a plain `git merge` left unmerged."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from krm.commands import solve
from krm.git import line_merge, markers
from krm.git.line_merge import Labels, ThreeTexts
from krm.git.markers import Marked
from tests.krm.git.repository import Repository
from tests.krm.package.directories import contents
from tests.krm.package.test_transaction import Failing
from tests.process import refusal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ORIGIN = "kind: Deployment\nspec:\n  replicas: 1\n  paused: false\n"
FEATURE = ORIGIN.replace("replicas: 1", "replicas: 3")
MAIN = ORIGIN.replace("paused: false", "paused: true")
MERGED = "kind: Deployment\nspec:\n  replicas: 3\n  paused: true\n"
SOLVED = """\
a.yaml:3: `spec.paused` of HEAD and `spec.replicas` of the other side are no conflict: both changes are made
a.yaml: 1 conflict of lines solved by fields
"""
OF_GIT = "git alone merges symbolic links and submodules: choose a side, then `git add` it\n"
BY_HAND = "if a filter of git writes this file, merge it by hand\n"


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


def merged(repository: Repository, origin: str, feature: str | None, main: str | None) -> None:
    """Let git merge a file and leave it unmerged."""
    repository.branches({"a": origin}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 1


@pytest.mark.parametrize("variable", ["GIT_OPTIONAL_LOCKS", "GIT_LITERAL_PATHSPECS", "GIT_GLOB_PATHSPECS"])
@pytest.mark.parametrize("argument", ["a.yaml", "--all"])
def test_a_conflict_of_lines_is_solved(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, argument: str, variable: str
) -> None:
    """Whatever the environment says of patterns: files of git's index are asked for by their names."""
    merged(repository, ORIGIN, FEATURE, MAIN)
    monkeypatch.setenv(variable, "1")
    answer = repository.krm("solve", argument)
    assert (answer.stdout, answer.stderr, answer.returncode) == (SOLVED, "", 0)
    assert (repository.text(), repository.unmerged()) == (MERGED, ["a.yaml"])


def test_all_are_the_files_that_the_driver_merges(repository: Repository) -> None:
    names = ["x/.yamllint", "x/Kptfile"]
    (repository.folder / "x").mkdir()
    for text, branch in ((ORIGIN, "main"), (FEATURE, "feature"), (MAIN, "main")):
        repository.git("checkout", "-q", "-B" if branch == "feature" else "-q", branch)
        for name in names:
            (repository.folder / name).write_text(text)
        repository.commit("one side")
    assert repository.git("merge", "-q", "feature").returncode == 1
    answer = repository.krm("solve", "--all")
    told = [SOLVED.replace("a.yaml", name) for name in names]
    assert (answer.stdout, answer.stderr, answer.returncode) == ("".join(told), "", 0)


def test_what_both_changed_is_left_with_markers(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN.replace("replicas: 1", "replicas: 2"))
    answer = repository.krm("solve", "a.yaml")
    left = "a.yaml:3: both sides changed `spec.replicas`: choose one of the two\n"
    left += "a.yaml: 1 left, where both sides changed the same fields\n"
    assert (answer.stdout, answer.returncode) == (left, 1)


# `git merge` has a conflict of other lines here than `git merge-file`, which compares lines in another way.
OTHERWISE = [
    f"l:\n{''.join(f'- {one}{chr(10)}' for one in found)}end: 1\n" for found in ("aaaccabcb", "dabaacabc", "aaadcacbcb")
]


def test_git_itself_says_what_it_has_left(repository: Repository) -> None:
    merged(repository, *OTHERWISE)
    left, size = repository.text(), 7
    by_lines = line_merge.merge(ThreeTexts(*(text.encode() for text in OTHERWISE)), Labels(), size).text  # type: ignore[arg-type]
    assert Marked(left.encode(), size).sides != Marked(by_lines, size).sides
    changed = "it has changed since git left it"
    assert changed not in repository.krm("solve", "a.yaml").stdout
    (repository.folder / ".git" / "AUTO_MERGE").unlink()  # as an older git leaves none
    (repository.folder / "a.yaml").write_text(left)
    assert changed in repository.krm("solve", "a.yaml").stdout


LONG = "kind: Deployment\nspec:\n  replicas: 1\n  paused: false\n  a: 1\n  b: 1\n  c: 1\n  f: 1\n  d: 1\n  e: 1\n"


def test_what_is_solved_and_what_is_left_has_a_line_each(repository: Repository) -> None:
    feature = LONG.replace("replicas: 1", "replicas: 3").replace("d: 1", "d: 2")
    main = LONG.replace("paused: false", "paused: true").replace("d: 1", "d: 3")
    merged(repository, LONG, feature, main)
    answer = repository.krm("solve", "a.yaml")
    assert answer.stdout == (
        "a.yaml:3: `spec.paused` of HEAD and `spec.replicas` of the other side are no conflict: both changes are made\n"
        "a.yaml:9: both sides changed `spec.d`: choose one of the two\n"
        "a.yaml: 1 conflict of lines solved by fields, 1 left, where both sides changed the same fields\n"
    )
    marked = "<<<<<<< HEAD\n  d: 3\n=======\n  d: 2\n>>>>>>> feature\n"
    solved = LONG.replace("replicas: 1", "replicas: 3").replace("paused: false", "paused: true")
    assert repository.text() == solved.replace("  d: 1\n", marked)


POD = """\
kind: Pod
metadata:
  name: web
spec:
  containers:
  - name: web
    image: web:1
    ports: []
    env:
    - {name: A, value: a}
    args:
    - a
    - b
    - c
    - d
    - e
---
kind: ConfigMap
metadata:
  name: web
data:
  text: |
    one
    two
"""


def test_fields_are_named_by_their_paths(repository: Repository) -> None:
    feature = POD.replace("web:1", "web:2").replace("- b\n", "- u\n").replace("two", "2")
    main = POD.replace("ports: []", "tty: true").replace("- b\n", "- l\n").replace("one", "1")
    merged(repository, POD, feature, main)
    answer = repository.krm("solve", "--all")
    web = "spec.containers[name=web]"
    assert answer.stdout == (
        f"a.yaml:7: `{web}.tty` of HEAD and `{web}.image` of the other side are no conflict: both changes are made\n"
        f"a.yaml:13: both sides changed `{web}.args[1]`: choose one of the two\n"
        "a.yaml:27: both sides changed `data.text`: choose one of the two\n"
        "a.yaml: 1 conflict of lines solved by fields, 2 left, where both sides changed the same fields\n"
    )


def test_what_is_no_yaml_by_itself_has_no_fields() -> None:
    assert (
        markers.paths_by_line(b"a: {{ .Values.a }\n"),
        markers.paths_by_line(b"\xff"),
        markers.paths_by_line(b"# a\n"),
    ) == ({}, {}, {})


def test_the_fields_of_lines() -> None:
    lines = """\
# comment
a: 1 # one
b: {c: 1,
  d: 2}
e:
- - x
- f: |
    1

  g: y
---
h: 1
"""
    found = ["", "a", "b", "b", "e", "e[0]", "e[1]", "e[1].f", "e[1].f", "e[1].g", "", "h"]
    assert markers.paths_by_line(lines.encode()) == {number: path for number, path in enumerate(found, 1) if path}


LEFT = """\
a.yaml:3: both sides changed `spec.replicas`: choose one of the two
a.yaml: 1 left, where both sides changed the same fields
"""


@pytest.mark.parametrize(
    ("replicas", "answer", "code"), [("1", "a.yaml: it is merged: `git add` it\n", 0), ("2", LEFT, 1)]
)
def test_what_is_solved_already_stays(repository: Repository, replicas: str, answer: str, code: int) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN.replace("replicas: 1", f"replicas: {replicas}"))
    repository.krm("solve", "--all")
    before = repository.text()
    done = repository.krm("solve", "--all")
    assert (done.stdout, done.returncode, repository.text()) == (answer, code, before)


def test_what_the_driver_has_left_is_told_and_stays(repository: Repository) -> None:
    repository.krm("git-merge", "--install")
    merged(repository, ORIGIN, FEATURE, MAIN.replace("replicas: 1", "replicas: 2"))
    before = repository.text()
    assert before.startswith("kind: Deployment\nspec:\n<<<<<<< HEAD\n  replicas: 2\n=======\n")
    answer = repository.krm("solve", "--all")
    assert (answer.stdout, answer.returncode, repository.text()) == (LEFT, 1, before)


def stopped_rebase(repository: Repository) -> None:
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    repository.git("checkout", "-q", "feature")
    repository.git("rebase", "-q", "main")


def stopped_cherry_pick(repository: Repository) -> None:
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    repository.git("cherry-pick", "feature")


def stash_that_does_not_fit(repository: Repository) -> None:
    repository.commit("origin", a=ORIGIN)
    repository.write(a=FEATURE)
    repository.git("stash", "-q")
    repository.commit("main", a=MAIN)
    repository.git("stash", "pop")


def stopped_revert(repository: Repository) -> None:
    for message, text in {"one": FEATURE, "two": ORIGIN, "three": MAIN}.items():
        repository.commit(message, a=text)
    repository.git("revert", "HEAD~1")


def renamed_on_one_side(repository: Repository) -> None:
    repository.branches({"z": ORIGIN}, {"z": FEATURE}, {"z": MAIN})
    repository.git("mv", "z.yaml", "a.yaml")
    repository.commit("renamed")
    repository.git("merge", "-q", "feature")


@pytest.mark.parametrize(
    "leave", [stopped_rebase, stopped_cherry_pick, stash_that_does_not_fit, stopped_revert, renamed_on_one_side]
)
@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_every_way_in_which_git_leaves_files(
    repository: Repository, leave: Callable[[Repository], None], style: str
) -> None:
    repository.git("config", "merge.conflictStyle", style)
    leave(repository)
    answer = repository.krm("solve", "--all")
    assert (answer.stdout, answer.returncode) == (SOLVED, 0)
    assert (repository.text(), repository.unmerged()) == (MERGED, ["a.yaml"])


@pytest.mark.parametrize("style", ["merge", "diff3", "zdiff3"])
def test_a_conflict_names_its_own_fields_alone(repository: Repository, style: str) -> None:
    repository.git("config", "merge.conflictStyle", style)
    merged(repository, ORIGIN, FEATURE, MAIN.replace("replicas: 1", "replicas: 2"))
    answer = repository.krm("solve", "--all")
    assert "both sides changed `spec.replicas`: choose" in answer.stdout
    assert repository.text().endswith(">>>>>>> feature\n  paused: true\n")


@pytest.mark.parametrize("style", ["diff3", "zdiff3"])
def test_conflicts_that_the_user_has_asked_to_see_in_another_style(repository: Repository, style: str) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    repository.git("checkout", f"--conflict={style}", "a.yaml")
    assert "||||||| base\n" in repository.text()
    answer = repository.krm("solve", "a.yaml")
    assert (answer.stdout, answer.returncode, repository.text()) == (SOLVED, 0, MERGED)


def test_a_branch_whose_name_is_not_utf_8(repository: Repository) -> None:
    name = os.fsdecode(b"caf\xe9")
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN.replace("replicas: 1", "replicas: 2")})
    repository.git("branch", "-m", "feature", name)
    repository.git("merge", "-q", name)
    assert repository.krm("solve", "a.yaml").stdout == LEFT
    left = (repository.folder / "a.yaml").read_bytes()
    assert left.endswith(b"=======\n  replicas: 3\n>>>>>>> caf\xe9\n  paused: true\n")


def test_a_branch_whose_name_is_no_text_of_the_locale(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN.replace("replicas: 1", "replicas: 2")})
    repository.git("branch", "-m", "feature", "zürich")
    repository.git("merge", "-q", "zürich")
    for name, value in {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}.items():
        monkeypatch.setenv(name, value)
    assert repository.krm("solve", "a.yaml").stdout == LEFT
    assert repository.text().endswith("=======\n  replicas: 3\n>>>>>>> zürich\n  paused: true\n")


def test_a_name_of_one_side_alone_may_hold_markers(repository: Repository) -> None:
    """Both sides renamed the file: git writes the merge, with its markers, to either name."""
    feature, main = (LONG.replace("replicas: 1", f"replicas: {count}") for count in (2, 3))
    repository.branches({"a": LONG}, {"a": None, "b": feature}, {"a": None, "c": main})
    repository.git("merge", "-q", "feature")
    assert "<<<<<<<" in repository.text("b")
    answer = repository.krm("solve", "--all")
    problem = "a side has it under another name, or as something else: take out its markers, if there are any, then "
    problem += "`git add` or `git rm` each name in `git status`\n"
    assert answer.stdout == "".join(f"{stem}.yaml: {problem}" for stem in "abc")
    assert (answer.stderr, answer.returncode) == ("", 1)


def test_a_file_outside_of_the_repository_does_not_end_the_run(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    answer = repository.krm("solve", "../other.yaml", "a.yaml")
    outside = "../other.yaml: git finds no repository here: go to a directory of a clone, and run this again\n"
    assert (answer.stdout, answer.stderr, answer.returncode) == (outside + SOLVED, "", 1)


@pytest.mark.parametrize("is_made", [True, False], ids=["a submodule", "from outside"])
def test_a_file_of_another_repository_is_solved_by_its_own(tmp_path: Path, *, is_made: bool) -> None:
    around = Repository(tmp_path, is_made=is_made)
    (tmp_path / "sub").mkdir()
    inner = Repository(tmp_path / "sub")
    (inner.folder / ".gitattributes").write_text("*.yaml conflict-marker-size=10\n")
    merged(inner, ORIGIN, FEATURE, MAIN)
    answer = around.krm("solve", "sub/a.yaml")
    assert (answer.stdout, answer.stderr, answer.returncode) == (SOLVED.replace("a.yaml", "sub/a.yaml"), "", 0)
    assert inner.text() == MERGED


def test_markers_of_another_size(repository: Repository) -> None:
    (repository.folder / ".gitattributes").write_text("*.yaml conflict-marker-size=10\n")
    merged(repository, ORIGIN, FEATURE, MAIN)
    assert "<<<<<<<<<< HEAD\n" in repository.text()
    assert repository.krm("solve", "--all").stdout == SOLVED
    assert repository.text() == MERGED


def test_line_ends_of_the_working_tree_stay(repository: Repository) -> None:
    repository.git("config", "core.autocrlf", "true")
    merged(repository, ORIGIN, FEATURE, MAIN)
    assert repository.krm("solve", "--all").stdout == SOLVED
    assert repository.text() == MERGED.replace("\n", "\r\n")


def test_one_side_changed_line_ends(repository: Repository) -> None:
    merged(repository, LONG, LONG.replace("\n", "\r\n"), LONG.replace("e: 1", "e: 2"))
    answer = repository.krm("solve", "--all")
    assert answer.stdout.endswith("a.yaml: one side changed line ends, and the other fields: both are kept\n")
    assert repository.text() == LONG.replace("e: 1", "e: 2").replace("\n", "\r\n")


def test_solve_works_in_a_worktree(repository: Repository, tmp_path_factory: pytest.TempPathFactory) -> None:
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    folder = tmp_path_factory.mktemp("other") / "tree"
    repository.git("worktree", "add", "-q", "-b", "other", str(folder), "main")
    other = Repository(folder, is_made=False)
    other.git("merge", "-q", "feature")
    assert other.krm("solve", "--all").stdout == SOLVED


def test_a_path_with_quotes_spaces_and_stars(repository: Repository) -> None:
    """A path is no pattern: the other file would be taken too."""
    name = "it's *.yaml"
    for text, branch in ((ORIGIN, None), (FEATURE, "feature"), (MAIN, "main")):
        repository.git("checkout", "-q", *(["-b", branch] if branch == "feature" else [branch or "main"]))
        for path in (name, "it's b.yaml"):
            (repository.folder / path).write_text(text)
        repository.commit(branch or "origin")
    repository.git("merge", "-q", "feature")
    assert repository.krm("solve", name).stdout == SOLVED.replace("a.yaml", name)
    (repository.folder / name).write_text("mine: 1\n")
    problem = "it has changed since git left it: `git checkout --merge -- 'it'\"'\"'s *.yaml'` brings git's text back; "
    problem += BY_HAND
    assert repository.krm("solve", name).stdout == f"{name}: {problem}"
    assert "<<<<<<<" in (repository.folder / "it's b.yaml").read_text()


def test_a_name_is_no_command_to_the_log_of_a_ci(repository: Repository) -> None:
    name = "::error::x\n::error::y.yaml"
    for text, branch in ((ORIGIN, "main"), (FEATURE, "feature"), (MAIN, "main")):
        repository.git("checkout", "-q", "-B" if branch == "feature" else "-q", branch)
        (repository.folder / name).write_text(text)
        repository.commit(branch)
    repository.git("merge", "-q", "feature")
    shown = r"\x3a:error::x\n::error::y.yaml"
    assert repository.krm("solve", "--all").stdout == SOLVED.replace("a.yaml", shown)
    (repository.folder / name).write_text("mine: 1\n")
    assert repository.krm("solve", "--all").stdout.startswith(f"{shown}: it has changed")


def test_a_filter_of_git_is_told(repository: Repository) -> None:
    (repository.folder / ".gitattributes").write_text("*.yaml ident\n")
    merged(repository, *(f"# $Id$\n{text}" for text in (ORIGIN, FEATURE, MAIN)))
    answer = repository.krm("solve", "a.yaml")
    assert (answer.stdout.endswith(BY_HAND), answer.returncode) == (True, 1)


def test_a_template_is_left_and_the_reason_is_told(repository: Repository) -> None:
    head = "{{ a }}\n"
    merged(repository, head + ORIGIN, head + FEATURE, head + MAIN)
    answer = repository.krm("solve", "a.yaml")
    reason = "origin:./a.yaml: line 2, column 1: a document starts here: put a line `---` above it"
    problem = f"a.yaml: it cannot be merged by fields, so git's markers stay: {reason}\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)


def test_it_is_told_whose_text_cannot_be_read(repository: Repository) -> None:
    merged(repository, ORIGIN, ORIGIN.replace("replicas: 1", "replicas: a: 1"), MAIN)
    reason = "feature:./a.yaml: line 3, column 14: a `:` may not stand here: put the text in quotes, or mend the "
    reason += "indentation"
    problem = f"a.yaml: it cannot be merged by fields, so git's markers stay: {reason}\n"
    assert repository.krm("solve", "a.yaml").stdout == problem


def test_a_symbolic_link(repository: Repository) -> None:
    for target, branch in (("x", "main"), ("y", "feature"), ("z", "main")):
        repository.git("checkout", "-q", *(["-b", branch] if branch == "feature" else [branch]))
        (repository.folder / "a.yaml").unlink(missing_ok=True)
        (repository.folder / "a.yaml").symlink_to(target)
        repository.commit(target)
    repository.git("merge", "-q", "feature")
    answer = repository.krm("solve", "--all")
    assert (answer.stdout, answer.stderr, answer.returncode) == (f"a.yaml: {OF_GIT}", "", 1)


def test_a_submodule(repository: Repository) -> None:
    """It is a directory, which git alone merges, also if its name is that of a file."""
    for number, branch in enumerate(("main", "feature", "main")):
        repository.git("checkout", "-q", *(["-b", branch] if branch == "feature" else [branch]))
        repository.git("update-index", "--add", "--cacheinfo", f"160000,{number}{'0' * 38}1,a.yaml")
        repository.git("commit", "-q", "-m", branch)
    (repository.folder / "a.yaml").mkdir(exist_ok=True)
    repository.git("merge", "-q", "feature")
    answer = repository.krm("solve", "--all")
    assert (answer.stdout, answer.stderr, answer.returncode) == (f"a.yaml: {OF_GIT}", "", 1)


def test_a_file_that_is_gone_a_directory_and_no_file(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    (repository.folder / "a.yaml").unlink()
    (repository.folder / "d").mkdir()
    answer = repository.krm("solve", "a.yaml", "d", "b.yaml", "no/c.yaml")
    assert answer.stdout == (
        "a.yaml: it is gone from the folder: `git checkout --merge -- a.yaml` brings git's text back\n"
        "d: it is a directory: name files, or give --all in it\n"
        "b.yaml: there is no such file\n"
        "no/c.yaml: there is no such file\n"
    )
    assert (answer.stderr, answer.returncode) == ("", 1)


def test_a_file_that_somebody_edited_stays(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    repository.write(a=f"# mine\n{repository.text()}")
    answer = repository.krm("solve", "a.yaml")
    problem = "a.yaml: it has changed since git left it: `git checkout --merge -- a.yaml` brings git's text back; "
    problem += BY_HAND
    assert (answer.stdout, answer.returncode) == (problem, 1)
    repository.git("checkout", "--merge", "a.yaml")
    assert repository.krm("solve", "a.yaml").returncode == 0
    assert repository.text() == MERGED


def test_a_file_that_one_side_deleted_is_the_users_to_decide(repository: Repository) -> None:
    merged(repository, ORIGIN, None, MAIN)
    answer = repository.krm("solve", "--all")
    problem = "a.yaml: one side deleted it: keep it with `git add`, or delete it with `git rm`\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)


def test_a_binary_file_cannot_be_solved(repository: Repository) -> None:
    merged(repository, "\0a: 1\n", "\0a: 2\n", "\0a: 3\n")
    answer = repository.krm("solve", "a.yaml")
    problem = "a.yaml: git cannot merge these texts line by line\n"
    assert (answer.stdout, answer.returncode) == (problem, 1)


def test_a_merged_file_needs_nothing(repository: Repository) -> None:
    repository.commit("origin", a=ORIGIN)
    answer = repository.krm("solve", "a.yaml")
    assert (answer.stdout, answer.returncode) == ("a.yaml: git has it merged: there is nothing to solve\n", 1)
    answer = repository.krm("solve", "--all")
    assert (answer.stdout, answer.returncode) == ("git left no YAML file unmerged below this folder\n", 0)


def test_the_mode_of_a_file_stays(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    (repository.folder / "a.yaml").chmod(0o755)
    repository.krm("solve", "a.yaml")
    assert (repository.folder / "a.yaml").stat().st_mode & 0o777 == 0o755


def test_a_full_disk_leaves_a_file_as_git_left_it(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    before = contents(repository.folder)
    monkeypatch.chdir(repository.folder)
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, 1))
    assert solve.main(["solve", "a.yaml"]) == 1
    assert capfd.readouterr() == ("a.yaml: No space left on device\n", "")
    assert contents(repository.folder) == before


def test_a_file_that_cannot_be_read_is_told(repository: Repository) -> None:
    merged(repository, ORIGIN, FEATURE, MAIN)
    (repository.folder / "a.yaml").unlink()
    os.mkfifo(repository.folder / "a.yaml")
    answer = repository.krm("solve", "a.yaml")
    assert (answer.stdout, answer.stderr, answer.returncode) == ("a.yaml: it is no regular file\n", "", 1)


def test_no_value_is_shown(repository: Repository) -> None:
    origin = "kind: Secret\nstringData:\n  one: planted-1\n  two: planted-2\n"
    merged(repository, origin, origin.replace("-1", "-3"), origin.replace("-2", "-4"))
    answer = repository.krm("solve", "a.yaml")
    assert answer.returncode == 0
    assert "planted" not in answer.stdout + answer.stderr


def test_outside_of_a_repository(tmp_path: Path) -> None:
    answer = Repository(tmp_path, is_made=False).krm("solve", "--all")
    assert (answer.stdout, answer.returncode) == ("", 1)
    assert answer.stderr.startswith("[error] ")


@pytest.mark.parametrize("arguments", [(), ("a.yaml", "--all")], ids=["neither", "both"])
def test_wrong_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    answer = Repository(tmp_path, is_made=False).krm("solve", *arguments)
    assert answer.stderr == refusal("krm solve", "FILE... | --all", "name files, or give --all")
    assert answer.returncode == 2


def test_outside_of_a_repository_there_is_nothing_to_solve(tmp_path: Path) -> None:
    answer = Repository(tmp_path, is_made=False).krm("solve", "--all")
    problem = "[error] git finds no repository here: go to a directory of a clone, and run this again (InvalidInput)\n"
    assert (answer.stdout, answer.stderr, answer.returncode) == ("", problem, 1)
