"""The merge driver in real repositories: never worse than git, and better where fields tell more than lines."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from krm.git import repository as git_repository
from tests.krm.git.repository import Repository
from tests.process import refusal

if TYPE_CHECKING:
    from pathlib import Path

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web  # the shop
spec:
  replicas: 1
  paused: false
  template:
    spec:
      containers:
      - name: web
        image: web:1
"""
ORIGIN = "kind: Deployment\nspec:\n  replicas: 1\n  paused: false\n"
FEATURE = ORIGIN.replace("replicas: 1", "replicas: 3")
MAIN = ORIGIN.replace("paused: false", "paused: true")
MERGED = "kind: Deployment\nspec:\n  replicas: 3\n  paused: true\n"
CHART = "{{- if .Values.on }}\na: 1\n{{- end }}\nb: 1\nc: 1\nd: 1\n"
INSTALLED = """\
git config merge.krm.name is set
git config merge.krm.driver is set
.gitattributes has the line `*.yaml merge=krm`
.gitattributes has the line `*.yml merge=krm`
.gitattributes has the line `Kptfile merge=krm`
.gitattributes has the line `.yamllint merge=krm`
"""


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    found = Repository(tmp_path)
    assert found.krm("git-merge", "--install").stdout == INSTALLED
    return found


def changed(*changes: tuple[str, str], text: str = DEPLOYMENT) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return text


def test_neighbouring_fields_merge(repository: Repository) -> None:
    """Git alone sees one conflict of lines."""
    feature, main = changed(("replicas: 1", "replicas: 3")), changed(("paused: false", "paused: true"))
    repository.branches({"a": DEPLOYMENT}, {"a": feature}, {"a": main})
    answer = repository.git("merge", "-q", "feature")
    assert (answer.returncode, repository.unmerged()) == (0, [])
    assert answer.stderr == "krm: a.yaml: 1 conflict of lines solved by fields\n"
    assert repository.text() == changed(("replicas: 1", "replicas: 3"), ("paused: false", "paused: true"))


def test_a_conflict_has_markers_around_its_field_alone(repository: Repository) -> None:
    feature = changed(("replicas: 1", "replicas: 3"), ("web:1", "web:2"))
    main = changed(("replicas: 1", "replicas: 2"), ("paused: false", "paused: true"))
    repository.branches({"a": DEPLOYMENT}, {"a": feature}, {"a": main})
    answer = repository.git("merge", "-q", "feature")
    assert (answer.returncode, repository.unmerged()) == (1, ["a.yaml"])
    marked = "<<<<<<< HEAD\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> feature"
    merged = changed(("  replicas: 1", marked), ("paused: false", "paused: true"), ("web:1", "web:2"))
    assert repository.text() == merged


def test_a_conflict_is_in_no_commit_without_its_markers(repository: Repository) -> None:
    """Even `git commit -a` right after the merge loses no side in silence."""
    repository.branches({"a": "a: 1\n"}, {"a": "a: 2\n"}, {"a": "a: 3\n"})
    repository.git("merge", "-q", "feature")
    repository.git("commit", "-q", "-a", "-m", "merged")
    assert repository.git("show", "HEAD:a.yaml").stdout == "<<<<<<< HEAD\na: 3\n=======\na: 2\n>>>>>>> feature\n"


@pytest.mark.parametrize(
    ("command", "label"),
    [("merge", "feature"), ("rebase", "{commit} (of main)"), ("cherry-pick", "update|{picked} (of the feature)")],
)
def test_markers_name_the_commits_of_both_sides(repository: Repository, command: str, label: str) -> None:
    repository.branches({"a": "a: 1\n"}, {"a": "a: 2\n"}, {"a": "a: 3\n"})
    commit, picked = (repository.git("rev-parse", branch).stdout[:7] for branch in ("main", "feature"))
    assert repository.git(command, "feature").returncode == 1
    sides = ("a: 2", "a: 3") if command == "rebase" else ("a: 3", "a: 2")
    # Newer versions of git tell a driver what a pick is called.
    assert repository.text() in [
        "<<<<<<< HEAD\n{}\n=======\n{}\n>>>>>>> {}\n".format(*sides, one)
        for one in label.format(commit=commit, picked=picked).split("|")
    ]


LEFT_TO_GIT = {
    "a chart": (CHART, ("a: 1", "a: 2"), ("d: 1", "d: 2"), 0),
    "broken YAML": ("a: [1\nb: 1\nc: 1\nd: 1\n", ("a: [1", "a: [2"), ("d: 1", "d: 2"), 0),
    "a chart in conflict": (CHART, ("a: 1", "a: 2"), ("a: 1", "a: 3"), 1),
}


@pytest.mark.parametrize("case", LEFT_TO_GIT)
def test_what_has_no_fields_is_merged_as_git_does(repository: Repository, tmp_path: Path, case: str) -> None:
    origin, of_feature, of_main, code = LEFT_TO_GIT[case]
    sides = {"a": origin}, {"a": changed(of_feature, text=origin)}, {"a": changed(of_main, text=origin)}
    (tmp_path / "plain").mkdir()
    plain = Repository(tmp_path / "plain")
    for one in (plain, repository):
        one.branches(*sides)
        answer = one.git("merge", "feature")
        assert answer.returncode == code
        assert "krm: " not in answer.stderr
    assert repository.text() == plain.text()


def test_lists_to_which_both_added_are_as_git_merges_them(repository: Repository) -> None:
    """Where git's merge is clean and has both sides' elements, it is the result."""
    origin = "args:\n- a\n- b\n- c\n- d\n- e\n"
    repository.branches(
        {"a": origin}, {"a": origin.replace("- a\n", "- a\n- new\n")}, {"a": origin.replace("- e\n", "- e\n- last\n")}
    )
    answer = repository.git("merge", "-q", "feature")
    assert (answer.stderr, answer.returncode) == ("", 0)
    assert repository.text() == "args:\n- a\n- new\n- b\n- c\n- d\n- e\n- last\n"


def test_the_order_of_documents_is_no_conflict(repository: Repository) -> None:
    one, other = (f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  k: o\n" for name in "ab")
    feature = f"{one}---\n{other.replace('k: o', 'k: f')}"
    main = f"{other}---\n{one.replace('k: o', 'k: m')}"
    repository.branches({"a": f"{one}---\n{other}"}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 0
    assert repository.text() == f"{other.replace('k: o', 'k: f')}---\n{one.replace('k: o', 'k: m')}"


def test_documents_that_no_name_tells_apart_are_gits_to_merge(repository: Repository) -> None:
    """Else each side's would be another document, and all of them would stay."""
    repository.branches({"a": "a: 1\n---\nc: 1\n"}, {"a": "a: 2\n---\nc: 2\n"}, {"a": "a: 3\n---\nc: 3\n"})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert repository.text() == "<<<<<<< HEAD\na: 3\n---\nc: 3\n=======\na: 2\n---\nc: 2\n>>>>>>> feature\n"


def test_line_ends_stay(repository: Repository) -> None:
    origin = DEPLOYMENT.replace("\n", "\r\n")
    feature, main = origin.replace("replicas: 1", "replicas: 3"), origin.replace("replicas: 1", "replicas: 2")
    repository.git("config", "core.autocrlf", "false")
    repository.branches({"a": origin}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 1
    marked = "<<<<<<< HEAD\r\n  replicas: 2\r\n=======\r\n  replicas: 3\r\n>>>>>>> feature"
    assert repository.text() == origin.replace("  replicas: 1", marked)


@pytest.mark.parametrize("side", ["feature", "main"])
def test_a_side_that_changed_all_line_ends(repository: Repository, side: str) -> None:
    """It is a change like others: what the other side did comes into it."""
    sides = {"feature": FEATURE, "main": MAIN}
    sides[side] = sides[side].replace("\n", "\r\n")
    repository.branches({"a": ORIGIN}, {"a": sides["feature"]}, {"a": sides["main"]})
    assert repository.git("merge", "-q", "feature").returncode == 0
    assert repository.text() == MERGED.replace("\n", "\r\n")


def test_line_ends_that_differ_within_a_side_stay(repository: Repository) -> None:
    mixed = MAIN.replace("\n", "\r\n", 1)
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": mixed})
    repository.git("merge", "-q", "feature")
    assert repository.text() == MERGED.replace("\n", "\r\n", 1)


def test_a_byte_order_mark(repository: Repository) -> None:
    mark = "\ufeff"
    repository.branches({"a": mark + ORIGIN}, {"a": mark + FEATURE}, {"a": mark + MAIN})
    assert repository.git("merge", "-q", "feature").returncode == 0
    assert repository.text() == mark + MERGED


@pytest.mark.parametrize("style", ["diff3", "zdiff3"])
def test_markers_show_origin_where_git_is_to_show_it(repository: Repository, style: str) -> None:
    repository.git("config", "merge.conflictStyle", style)
    main = MAIN.replace("replicas: 1", "replicas: 2")
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 1
    hunk = "<<<<<<< HEAD\n  replicas: 2\n||||||| origin\n  replicas: 1\n=======\n  replicas: 3\n>>>>>>> feature\n"
    # Newer versions of git tell a driver which commit origin is.
    text = re.sub(r"^\|{7} [0-9a-f]{7,}$", "||||||| origin", repository.text(), flags=re.MULTILINE)
    assert text == f"kind: Deployment\nspec:\n{hunk}  paused: true\n"


def test_what_git_does_to_a_file_itself(repository: Repository) -> None:
    """A mode, another name, and a name that a shell would not leave alone."""
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    name = '$(touch broken) `id` it\'s "a";.yaml'
    (repository.folder / "a.yaml").chmod(0o755)
    repository.git("mv", "a.yaml", name)
    repository.commit("renamed")
    answer = repository.git("merge", "-q", "feature")
    assert (answer.stderr, answer.returncode) == (f"krm: {name}: 1 conflict of lines solved by fields\n", 0)
    path = repository.folder / name
    assert (path.read_text(), path.stat().st_mode & 0o111) == (MERGED, 0o111)
    assert not (repository.folder / "broken").exists()


def test_a_stash_and_a_revert(repository: Repository) -> None:
    repository.commit("origin", a=ORIGIN)
    repository.write(a=FEATURE)
    repository.git("stash", "-q")
    repository.commit("main", a=MAIN)
    assert repository.git("stash", "pop").returncode == 0
    assert repository.text() == MERGED
    repository.commit("both")
    assert repository.git("revert", "--no-edit", "HEAD~1").returncode == 0
    assert repository.text() == FEATURE


def test_several_branches_at_once_are_gits_to_merge(repository: Repository) -> None:
    """Git does not ask a driver there, and refuses what it cannot merge by lines."""
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    repository.git("checkout", "-q", "-b", "third", "main~1")
    repository.commit("third", b=ORIGIN)
    repository.git("checkout", "-q", "main")
    answer = repository.git("merge", "-q", "feature", "third")
    assert "Should not be doing an octopus." in answer.stdout + answer.stderr
    assert (repository.text(), repository.unmerged()) == (MAIN, [])


def test_a_program_that_is_killed_leaves_markers(repository: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    (folder / "krm").write_text("#!/bin/sh\nkill -9 $$\n")
    (folder / "krm").chmod(0o755)
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN})
    answer = repository.git("merge", "-q", "feature", PATH=f"{folder}:{os.environ['PATH']}")
    assert (answer.returncode, repository.unmerged()) == (1, ["a.yaml"])
    assert "<<<<<<< HEAD\n" in repository.text()


@pytest.mark.parametrize("signal", ["TERM", "INT", "KILL"])
def test_a_driver_that_is_killed_leaves_no_file(repository: Repository, tmp_path: Path, signal: str) -> None:
    """Git takes its own files away, and merges by lines."""
    programs = tmp_path / "programs"
    ours = f'PATH={programs}/git:$PATH exec {shutil.which("krm")} "$@"\n'
    for path, script in {"krm": ours, "git/git": f"kill -{signal} $PPID\nsleep 1\n"}.items():
        (programs / path).parent.mkdir(exist_ok=True, parents=True)
        (programs / path).write_text(f"#!/bin/sh\n{script}")
        (programs / path).chmod(0o755)
    repository.branches({"a": "a: 1\n"}, {"a": "a: 2\n"}, {"a": "a: 3\n"})
    answer = repository.git("merge", "-q", "feature", PATH=f"{programs}:{os.environ['PATH']}")
    assert (answer.returncode, "Traceback" in answer.stderr) == (1, False)
    assert repository.text() == "<<<<<<< HEAD\na: 3\n=======\na: 2\n>>>>>>> update\n"
    assert repository.git("status", "--short").stdout == "UU a.yaml\n"


def test_a_branch_whose_name_is_not_utf_8(repository: Repository) -> None:
    name = os.fsdecode(b"caf\xe9")
    repository.branches({"a": ORIGIN}, {"a": FEATURE}, {"a": MAIN.replace("replicas: 1", "replicas: 2")})
    repository.git("branch", "-m", "feature", name)
    assert repository.git("merge", "-q", name).stderr == ""
    left = (repository.folder / "a.yaml").read_bytes()
    assert left.endswith(b"=======\n  replicas: 3\n>>>>>>> caf\xe9\n  paused: true\n")


PAUSED, OTHER = ("paused: false", "paused: true"), ("  template:", "  minReadySeconds: 5\n  template:")


def crossed(repository: Repository, main: str, feature: str) -> None:
    """Let both branches merge each other, and decide a conflict: then git has no one origin, and merges the two."""
    ours = changed(("replicas: 1", "replicas: 2"))
    repository.branches({"a": DEPLOYMENT}, {"a": changed(("replicas: 1", "replicas: 3"))}, {"a": ours})
    repository.git("branch", "first")
    for branch, other, decided in (("main", "feature", main), ("feature", "first", feature)):
        repository.git("checkout", "-q", branch)
        assert repository.git("merge", "-q", other).returncode == 1
        repository.commit("decided", a=decided)
    repository.git("checkout", "-q", "main")


@pytest.mark.parametrize("style", ["merge", "diff3"])
@pytest.mark.parametrize("is_driver", [True, False])
def test_an_origin_in_conflict_is_one_if_each_of_its_answers_gives_the_same(
    repository: Repository,
    style: str,
    is_driver: bool,  # noqa: FBT001
) -> None:
    repository.git("config", "merge.conflictStyle", style)
    main, feature = (changed(("replicas: 1", "replicas: 2"), change) for change in (PAUSED, OTHER))
    crossed(repository, main, feature)
    if is_driver:
        answer = repository.git("merge", "-q", "feature")
        said = "krm: a.yaml: 1 conflict of lines solved by fields\n"
        assert (answer.stderr, answer.returncode) == (said, 0)
    else:
        repository.git("merge", "-q", "feature", KRM_MERGE="0")
        answer = repository.krm("solve", "a.yaml")
        said = "a.yaml: 1 conflict of lines solved by fields\n"
        assert (answer.stdout.endswith(said), answer.returncode) == (True, 0)
    assert repository.text() == changed(("replicas: 1", "replicas: 2"), PAUSED, OTHER)


def test_an_origin_in_conflict_that_both_sides_decided_is_no_origin(repository: Repository) -> None:
    """What one side decided is no change of its own beside one of the two answers."""
    main, feature = (changed(("replicas: 1", f"replicas: {count}")) for count in (2, 3))
    crossed(repository, main, feature)
    assert repository.git("merge", "-q", "feature", "--no-commit").returncode == 1
    answer = repository.krm("solve", "a.yaml")
    problem = "git merged the origin from several, and that has conflicts"
    assert answer.stdout == f"a.yaml: it cannot be merged by fields, so git's markers stay: {problem}\n"
    assert "<<<<<<< HEAD\n  replicas: 2\n=======\n  replicas: 3\n>>>>>>> feature\n" in repository.text()


def test_a_last_line_without_an_end(repository: Repository) -> None:
    repository.branches({"a": "a: 1\nb: 1"}, {"a": "a: 1\nb: 2"}, {"a": "a: 1\nb: 3"})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert repository.text() == "a: 1\n<<<<<<< HEAD\nb: 3\n=======\nb: 2\n>>>>>>> feature\n"


def test_both_sides_add_the_same_file(repository: Repository) -> None:
    repository.branches({"other": "a: 1\n"}, {"a": "a: 1\nb: 2\n"}, {"a": "a: 1\nc: 3\n"})
    answer = repository.git("merge", "-q", "feature")
    assert (answer.returncode, repository.text()) == (0, "a: 1\nc: 3\nb: 2\n")


def test_a_file_that_one_side_deleted_is_left_to_git(repository: Repository) -> None:
    repository.branches({"a": "a: 1\n"}, {"a": None}, {"a": "a: 2\n"})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert (repository.text(), repository.unmerged()) == ("a: 2\n", ["a.yaml"])


def test_the_switch_leaves_the_merge_to_git(repository: Repository) -> None:
    feature, main = changed(("replicas: 1", "replicas: 3")), changed(("paused: false", "paused: true"))
    repository.branches({"a": DEPLOYMENT}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature", KRM_MERGE="0").returncode == 1
    marked = "<<<<<<< HEAD\n  replicas: 1\n  paused: true\n=======\n  replicas: 3\n  paused: false\n>>>>>>> feature\n"
    assert marked in repository.text()


def test_a_program_that_is_missing_leaves_markers(repository: Repository) -> None:
    repository.branches({"a": "a: 1\n"}, {"a": "a: 2\n"}, {"a": "a: 3\n"})
    git = repository.git("--exec-path").stdout.strip()
    answer = repository.git("merge", "-q", "feature", PATH=f"{git}:/usr/bin:/bin")
    assert "krm" in answer.stderr
    assert (answer.returncode, repository.unmerged()) == (1, ["a.yaml"])
    assert repository.text() == "<<<<<<< HEAD\na: 3\n=======\na: 2\n>>>>>>> update\n"


def test_our_markers_are_never_more_than_gits(repository: Repository) -> None:
    """Whole lists in conflict are longer than the lines in which they differ."""
    origin = "args: [\n  a,\n  b,\n  c,\n  d,\n  e,\n]\n"
    feature, main = origin.replace("  c,", "  f,"), origin.replace("  c,", "  m,")
    repository.branches({"a": origin}, {"a": feature}, {"a": main})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert repository.text() == origin.replace("  c,", "<<<<<<< HEAD\n  m,\n=======\n  f,\n>>>>>>> feature")


@pytest.mark.parametrize(
    "arguments",
    [(), ("a", "b", "c"), ("a", "b", "c", "seven", "a.yaml")],
    ids=["none", "too few", "no number"],
)
def test_wrong_usage_makes_git_fall_back(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    answer = Repository(tmp_path).krm("git-merge", *arguments)
    assert (answer.stdout, answer.returncode) == ("", 129)
    assert answer.stderr.startswith("usage: krm git-merge --install [--local] | --uninstall\n")


def test_a_file_that_is_not_there_makes_git_fall_back(tmp_path: Path) -> None:
    answer = Repository(tmp_path).krm("git-merge", "o", "l", "u", "7", "shop/a.yaml")
    problem = "FileNotFoundError: [Errno 2] No such file or directory: 'o': git's own merge is taken"
    assert (answer.stdout, answer.returncode) == ("", 129)
    assert answer.stderr == f"krm: shop/a.yaml: {problem}\n"


def test_a_binary_file_makes_git_fall_back(repository: Repository) -> None:
    repository.branches({"a": "\0a: 1\n"}, {"a": "\0a: 2\n"}, {"a": "\0a: 3\n"})
    assert repository.git("merge", "-q", "feature").returncode == 1
    assert (repository.text(), repository.unmerged()) == ("\0a: 3\n", ["a.yaml"])


def test_what_even_git_refuses_is_a_conflict_and_not_the_end_of_the_merge(repository: Repository) -> None:
    """An exit code above 128 ends the merge of all files, in newer versions of git."""
    repository.write(o="\0a: 1\n", l="\0a: 2\n", u="\0a: 3\n")
    command = repository.git("config", "merge.krm.driver").stdout
    for place, given in {"%O": "o.yaml", "%A": "l.yaml", "%B": "u.yaml", "%L": "7", "%P": "shop/a.yaml"}.items():
        command = command.replace(place, given)
    done = subprocess.run(["sh", "-c", command], cwd=repository.folder, capture_output=True, check=False)
    assert done.returncode == 1


def test_what_is_installed_can_be_taken_back(repository: Repository) -> None:
    assert repository.krm("git-merge", "--install").stdout == INSTALLED.replace("has the", "had the")
    assert "krm git-merge %O" in repository.git("config", "merge.krm.driver").stdout
    answer = repository.krm("git-merge", "--uninstall")
    assert answer.stdout == ("git config merge.krm is removed\n.gitattributes no longer names the driver\n")
    assert not (repository.folder / ".gitattributes").exists()
    assert repository.krm("git-merge", "--uninstall").stdout == "git config merge.krm was not set\n"


def test_a_clone_alone(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    own = INSTALLED.replace(".gitattributes", ".git/info/attributes")
    assert repository.krm("git-merge", "--install", "--local").stdout == own
    assert repository.git("check-attr", "merge", "a.yaml").stdout == "a.yaml: merge: krm\n"
    assert not (tmp_path / ".gitattributes").exists()
    taken_back = "git config merge.krm is removed\n.git/info/attributes no longer names the driver\n"
    assert repository.krm("git-merge", "--uninstall").stdout == taken_back
    assert repository.git("check-attr", "merge", "a.yaml").stdout == "a.yaml: merge: unspecified\n"


def test_another_merge_of_the_same_files_is_told(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    (tmp_path / ".gitattributes").write_bytes(b"*.yaml text merge=union\n\n*.yml text\n")
    above = "`*.yaml` had the merge `union`, which no longer counts\n"
    assert repository.krm("git-merge", "--install").stdout == f"{INSTALLED}{above}"
    with (tmp_path / ".gitattributes").open("ab") as file:
        file.write(b"Kptfile -merge\n")
    (tmp_path / ".git" / "info" / "attributes").write_text("*.yml merge=ours\n")
    told = "`{}` still has the merge `{}`: take it out of the attributes that count more\n"
    again = INSTALLED.replace("has the", "had the")
    counting = told.format("*.yml", "ours") + told.format("Kptfile", "unset")
    assert repository.krm("git-merge", "--install").stdout == again + counting


def test_a_driver_that_stays_set_is_not_said_to_be_unset(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    repository.krm("git-merge", "--install")
    (tmp_path / ".git" / "config.lock").touch()
    answer = repository.krm("git-merge", "--uninstall")
    assert (answer.returncode, answer.stdout) == (1, "")
    assert answer.stderr == "[error] error: could not lock config file .git/config (InvalidInput)\n"


def test_a_program_that_git_will_not_find_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    repository = Repository(tmp_path)
    monkeypatch.chdir(tmp_path)
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    told = "PATH has no `krm`, so git merges by lines: put its directory there"
    assert [*git_repository.install_driver()] == [*INSTALLED.splitlines(), told]
    assert repository.git("check-attr", "merge", "a.yaml").stdout == "a.yaml: merge: krm\n"


OWN_LINES = {
    "one": b"*.png binary\n",
    "CRLF": b"# mine\r\n*.png binary\r\n",
    "no line end": b"*.png binary",
}


@pytest.mark.parametrize("written", OWN_LINES.values(), ids=OWN_LINES)
def test_attributes_of_the_user_stay(tmp_path: Path, written: bytes) -> None:
    repository = Repository(tmp_path)
    attributes = tmp_path / ".gitattributes"
    attributes.write_bytes(written)
    repository.krm("git-merge", "--install")
    end = b"\r\n" if b"\r\n" in written else b"\n"
    above = written if written.endswith(end) else written + end
    ours = b"*.yaml merge=krm\n*.yml merge=krm\nKptfile merge=krm\n.yamllint merge=krm\n"
    assert attributes.read_bytes() == above + ours.replace(b"\n", end)
    assert repository.git("check-attr", "merge", "x/a.yml").stdout == "x/a.yml: merge: krm\n"
    repository.krm("git-merge", "--uninstall")
    assert attributes.read_bytes() == above


def test_attributes_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    attributes, repository = tmp_path / ".gitattributes", Repository(tmp_path)
    problem = "is a directory or a link, in which git reads nothing: put a file in its place"
    refused = "", f"[error] .gitattributes {problem} (InvalidInput)\n", 1
    attributes.symlink_to(tmp_path / "elsewhere")
    answer = repository.krm("git-merge", "--install")
    assert (answer.stdout, answer.stderr, answer.returncode) == refused
    attributes.unlink()
    attributes.mkdir()
    answer = repository.krm("git-merge", "--install")
    assert (answer.stdout, answer.stderr, answer.returncode) == refused
    assert {path.name for path in tmp_path.iterdir()} == {".git", ".gitattributes"}
    answer = repository.krm("git-merge", "--uninstall")
    assert (answer.stderr, answer.returncode) == (f"[error] {attributes.resolve()}: Is a directory (InvalidInput)\n", 1)


@pytest.mark.parametrize("word", ["--install", "--uninstall"])
def test_outside_of_a_repository_there_is_nothing_to_set_up(tmp_path: Path, word: str) -> None:
    answer = Repository(tmp_path, is_made=False).krm("git-merge", word)
    assert (answer.stdout, answer.returncode) == ("", 1)
    assert answer.stderr.startswith("[error] git finds no repository here")


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help(tmp_path: Path, word: str) -> None:
    answer = Repository(tmp_path).krm("git-merge", word)
    assert answer.stdout.startswith("usage: krm git-merge --install [--local] | --uninstall\n")
    assert answer.returncode == 0


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--global"], "`--global` is no option of `krm git-merge`"),
        (["--install", "--uninstall"], "give --install or --uninstall"),
        (["--uninstall", "--local"], "--local has no effect without --install: give both"),
        (["--install", "a"], "`a` is one argument too many"),
    ],
)
def test_wrong_options_set_nothing_up(tmp_path: Path, words: list[str], problem: str) -> None:
    answer = Repository(tmp_path).krm("git-merge", *words)
    expected = refusal("krm git-merge", "--install [--local] | --uninstall", problem)
    assert (answer.stderr, answer.returncode) == (expected, 2)
