"""The file of a state: written last, told where git ignores it, and what one file of two in a commit gives."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import __main__ as cli
from krm.git import cascade
from krm.git.line_merge import MARKER_SIZE, Labels, ThreeTexts
from krm.package import folder
from tests.expand_vars.expansion.running import indented
from tests.krm.git.test_brackets_law import kyaml
from tests.krm.package.directories import contents, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STORE = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: store
spec:
  templates:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: colors
    data:
      sea: green
      sky: blue
"""
GREY = STORE.replace("blue", "grey")
MADE, STATE = "configmap_colors.yaml", "store.generated.yaml"
IGNORED = (
    "[warning] store.generated.yaml: git ignores this file, so nobody else's run knows what was generated: take it "
    "out of `.gitignore` and commit it (IgnoredState)\n"
)
MINE = (
    "[info] configmap_colors.yaml:9: v1/ConfigMap/colors data.sky: these fields have other values here than are "
    "generated: yours stay (LocalOverride)\n"
)
FULL = (
    "[error] store.generated.yaml: No space left on device: 1 of 2 files are written, each as a whole; run this again "
    "(Unfinished)\n"
)


def git(directory: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, *words], cwd=directory, check=True, capture_output=True)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package, in a repository of git, with what its functionConfig has generated."""
    folder = write(tmp_path / "package", {"store.yaml": STORE})
    monkeypatch.chdir(folder)
    git(folder, "init", "--quiet")
    assert evaluated() == 0
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "blue")
    return folder


def evaluated() -> int:
    return cli.run(["eval", ".", "--verbose"])


def data(package: Path) -> str:
    return (package / MADE).read_text().partition("\ndata:\n")[2]


def test_a_state_that_git_ignores_is_told(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One that is committed already is not ignored, whatever a `.gitignore` says."""
    write(package, {".gitignore": "*.generated.yaml\n", "store.yaml": GREY})
    capfd.readouterr()
    assert (evaluated(), capfd.readouterr().err) == (0, "")
    git(package, "rm", "--quiet", "--cached", STATE)
    write(package, {"store.yaml": STORE})
    assert (evaluated(), capfd.readouterr().err) == (0, IGNORED)


def test_a_resource_that_is_committed_without_its_state_is_up_to_date(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Whoever clones that has a state that is behind its resource: nothing is told, and the next change comes in."""
    write(package, {"store.yaml": GREY})
    evaluated()
    state = (package / STATE).read_text()
    git(package, "add", "store.yaml", MADE)
    git(package, "commit", "--quiet", "--message", "grey")
    git(package, "checkout", "--quiet", "--", STATE)
    capfd.readouterr()
    assert (evaluated(), capfd.readouterr().err) == (0, "")
    assert (package / STATE).read_text() == state


def test_a_resource_that_is_checked_out_alone_keeps_its_old_values_as_an_edit(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write(package, {"store.yaml": GREY})
    evaluated()
    git(package, "checkout", "--quiet", "--", MADE)
    capfd.readouterr()
    assert (evaluated(), capfd.readouterr().err) == (0, MINE)
    assert data(package) == "  sea: green\n  sky: blue\n"


@pytest.mark.parametrize(
    ("config", "state"),
    [
        ("elsewhere.yaml", "store.generated.yaml"),
        ("package/elsewhere/shop.yaml", "elsewhere/shop.generated.yaml"),
    ],
    ids=["outside of the package", "inside"],
)
def test_the_state_of_a_functionconfig_that_the_command_line_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], config: str, state: str
) -> None:
    """It stands in the package, from wherever the command is called. A mistake names the file as it is called there."""
    write(tmp_path, {"package/elsewhere/a.txt": "", config: STORE})
    monkeypatch.chdir(tmp_path)
    for path in (config, str(tmp_path / config)):
        assert cli.run(["eval", "package", "--fn-config", path]) == 0
        made = {path for path in contents(tmp_path) if path.endswith("s.yaml") or "generated" in path}
        beside = f"package/{state}".rpartition("/")[0]
        assert made == {f"{beside}/{MADE}", f"package/{state}"}
    write(tmp_path, {config: STORE.replace("templates:", "template:")})
    capfd.readouterr()
    for path in (config, str(tmp_path / config)):
        assert cli.run(["eval", "package", "--fn-config", path]) == 1
        assert capfd.readouterr().err.startswith(f"[error] {config}:7: ")


OBJECT = "expandvars.dev/v1alpha1/GeneratedResources/store"
SETTLED = (
    f"[warning] {STATE}: what is in conflict here counts as lost, and is written by what agrees with the templates "
    "now; `git add` the file then, if git takes it for unmerged (DamagedState)"
)
SIDES = "<<<<<<< ours\n{0}=======\n{0}>>>>>>> theirs\n", "<<<<<<< ours\n{0}||||||| base\n=======\n{0}>>>>>>> theirs\n"


@pytest.mark.parametrize("sides", SIDES, ids=["merge", "diff3"])
def test_a_state_in_conflict_asks_nobody(package: Path, capfd: pytest.CaptureFixture[str], sides: str) -> None:
    """What nobody has changed is as it was. A check fails until a run, which says that git still waits."""
    before = (package / STATE).read_text()
    (line,) = (line for line in before.splitlines(keepends=True) if line.startswith("      data: "))
    write(package, {STATE: before.replace(line, sides.format(line))})
    capfd.readouterr()
    assert cli.run(["eval", ".", "--check"]) == 1
    assert SETTLED in capfd.readouterr().err.splitlines()
    assert evaluated() == 0
    assert SETTLED in capfd.readouterr().err.splitlines()
    assert (package / STATE).read_text() == before
    assert (cli.run(["eval", ".", "--check"]), capfd.readouterr().err) == (0, "")


def test_a_state_in_conflict_of_which_no_entry_is_left(package: Path) -> None:
    before = (package / STATE).read_text()
    head, entries = before.split("  resources:\n")
    write(package, {STATE: f"{head}  resources:\n{SIDES[0].format(entries)}"})
    assert evaluated() == 0
    assert (package / STATE).read_text() == before


def test_a_conflict_of_a_person_beside_a_state_stays(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No run decides it: both sides are a person's work. The file is told, and not a byte of it changes."""
    mine = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\ndata:\n" + SIDES[0].format("  a: b\n") + "---\n"
    together = mine + (package / STATE).read_text()
    write(package, {STATE: together, "store.yaml": GREY})
    capfd.readouterr()
    evaluated()
    assert "store.generated.yaml" in capfd.readouterr().err
    assert (package / STATE).read_text() == together


@pytest.mark.parametrize(
    ("more", "is_settled"), [("---\n# nothing\n", True), ("---\na: b\n", False)], ids=["empty", "other"]
)
def test_a_file_of_states_alone_is_settled(package: Path, more: str, *, is_settled: bool) -> None:
    before = (package / STATE).read_text()
    (line,) = (line for line in before.splitlines(keepends=True) if line.startswith("      data: "))
    write(package, {STATE: before.replace(line, SIDES[0].format(line)) + more})
    evaluated()
    assert ("<<<<<<<" not in (package / STATE).read_text()) == is_settled


def test_a_state_of_another_functionconfig_stays_as_it_is(package: Path) -> None:
    """The one that is there keeps its state, byte for byte."""
    other = STORE.replace("store", "cart").replace("colors", "shades")
    write(package, {"cart.yaml": other, "store.yaml": GREY})
    assert cli.run(["eval", ".", "--fn-config", "cart.yaml"]) == 0
    state = (package / "cart.generated.yaml").read_text()
    assert cli.run(["eval", ".", "--fn-config", "store.yaml"]) == 0
    assert (package / "cart.generated.yaml").read_text() == state
    assert data(package) == "  sea: green\n  sky: grey\n"


def test_a_run_that_is_cut_short_before_the_state_is_put_right_by_the_next(
    package: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """No state is ahead of its resource, whose old values would then be an edit."""
    write(package, {"store.yaml": GREY})
    before = contents(package)
    assert evaluated() == 0
    after = contents(package)
    write(package, before)
    replace = folder.exchange

    def fails(staged: str, name: str, parent: int) -> bool:
        if name == STATE:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return replace(staged, name, parent)

    capfd.readouterr()
    with monkeypatch.context() as patch:
        patch.setattr(folder, "exchange", fails)
        assert evaluated() == 1
    assert capfd.readouterr().err == FULL
    assert contents(package)[STATE] == before[STATE]
    assert evaluated() == 0
    assert contents(package) == after


UNREADABLE = (
    f"[warning] {STATE}: this state cannot be read, so it counts as lost: a new one is written, by what agrees with "
    "the templates now (DamagedState)"
)
BROKEN: dict[str, Callable[[str], str | bytes]] = {
    "no YAML": lambda text: text.partition("/ConfigMap")[0] + '"\n',
    "no kind": lambda text: text.replace("kind: GeneratedResources\n", ""),
    "an empty kind": lambda text: text.replace("kind: GeneratedResources\n", "kind:\n"),
    "no head": lambda text: text[text.index("spec:") :],
    "cut off in its kind": lambda text: text.partition("Resources")[0],
    "cut off behind its comment": lambda text: text[: text.index("kind:")],
    "a line end that is lost": lambda text: text.partition("spec:")[0].replace("Resources\n", "Resources"),
    "a line end of another kind": lambda text: f"{text[:-1]}\r",
    "Latin-1": lambda text: f"{text}# café\n".encode("latin-1"),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-be"),
    "binary": lambda _: bytes(range(256)),
    "zeros": lambda text: b"\0" * len(text),
    "one bracket": lambda _: "{\n",
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_state_that_cannot_be_read_asks_nobody(case: str, package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What agrees with the template is as it was. Without the functionConfig not a byte of it changes."""
    before = (package / STATE).read_text()
    broken = BROKEN[case](before)
    broken = broken.encode() if isinstance(broken, str) else broken
    (package / STATE).write_bytes(broken)
    capfd.readouterr()
    assert cli.run(["eval", ".", "--check"]) == 1
    assert (evaluated(), capfd.readouterr().err.splitlines()) == (0, [UNREADABLE, UNREADABLE])
    assert (package / STATE).read_text() == before.replace("colors.yaml}", "colors.yaml, adopted: true}")
    assert (cli.run(["eval", ".", "--check"]), capfd.readouterr().err) == (0, "")
    (package / "store.yaml").unlink()
    (package / STATE).write_bytes(broken)
    assert evaluated() == 0
    assert (package / STATE).read_bytes() == broken


@pytest.mark.parametrize("text", ["apiVersion: v1\n- a\n", "{{- if .Values.a }}\na: b\n"])
def test_what_is_somebodys_in_the_file_of_a_state_is_left_alone(package: Path, text: str) -> None:
    (package / STATE).write_text(text)
    assert evaluated() == 1
    assert (package / STATE).read_text() == text


CUT_OFF = (
    f"[warning] {STATE}: {OBJECT}: these entries are damaged, and written anew by what agrees with the templates now: "
    "`/ConfigMap//colors` (DamagedState)"
)


@pytest.mark.parametrize("end", [" {sea: lkehii, sky: bgehhg}", "", "\n"])
def test_what_a_cut_off_state_lacks_is_a_persons(end: str, package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It is written with an end of its last line, so the next run finds nothing to say."""
    state = (package / STATE).read_text()
    made = package / "configmap_colors.yaml"
    made.write_text(made.read_text().replace("blue", "mine"))
    (package / STATE).write_text(state.partition(" {sea")[0] + end)
    capfd.readouterr()
    assert evaluated() == 0
    assert CUT_OFF in capfd.readouterr().err.splitlines()
    assert "mine" in made.read_text()
    written = (package / STATE).read_text()
    assert written.endswith("\n")
    assert evaluated() == 0
    assert CUT_OFF not in capfd.readouterr().err.splitlines()
    assert (package / STATE).read_text() == written


def test_a_merge_of_two_branches_that_each_drop_a_field_leaves_no_damage(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What the driver makes of the state then is `data: {}`, as it makes it of the template and of the resource."""
    versions = []
    for gone in ("", "      sky: blue\n", "      sea: green\n"):
        (package / "store.yaml").write_text(STORE.replace(gone, ""))
        assert evaluated() == 0
        versions.append({path.name: path.read_bytes() for path in package.glob("*.yaml")})
    capfd.readouterr()
    origin, local, update = versions
    for name in origin:
        texts = ThreeTexts(origin=origin[name], update=update[name], local=local[name])
        (package / name).write_bytes(cascade.merge(texts, name, Labels(), MARKER_SIZE).text)
    assert (package / STATE).read_text().endswith("\n      data: {}\n")
    assert (evaluated(), capfd.readouterr().err) == (0, "")
    assert (package / MADE).read_text().endswith("\ndata: {}\n")


NAMED = STORE.replace("name: colors", 'name: colors-$(TEAM)\n      labels: {"$(TEAM)": all}').replace(
    "  templates:", "  variables: [{name: TEAM, value: shop}]\n  templates:"
)
HEAD = "apiVersion: expandvars.dev/v1alpha1\nkind: GeneratedResources\n"
WITHOUT_HEAD = (
    f"[warning] {STATE}: GeneratedResources/store: this state lacks its `apiVersion`, its `generatedBy` or its "
    "`resources`, so it counts as lost: a new one is written, by what agrees with the templates now (DamagedState)"
)


def without_version(text: str) -> str:
    return text.replace("apiVersion: expandvars.dev/v1alpha1\n", "", 1)


FORMS: dict[str, tuple[Callable[[str], str], list[str]]] = {
    "as we write it": (str, []),
    "JSON": (lambda text: json.dumps(yaml.safe_load(text), indent=2), []),
    "KYAML": (lambda text: f"---\n{kyaml(yaml.safe_load(text))}\n", []),
    "on one line": (lambda text: yaml.safe_dump(yaml.safe_load(text), default_flow_style=True, width=9999), []),
    "with a byte order mark": (lambda text: f"\ufeff{text}", []),
    "CRLF": (lambda text: text.replace("\n", "\r\n"), []),
    "a comment of another tool": (lambda text: f"\n# yaml-language-server: $schema=$(TEAM)\n\n{text}", []),
    "a comment at its kind": (lambda text: text.replace(HEAD, f"{HEAD[:-1]} # $(TEAM)\n"), []),
    "its kind in quotes": (lambda text: text.replace(": GeneratedResources", ": 'GeneratedResources'"), []),
    "its kind first": (lambda text: text.replace(HEAD, "".join(HEAD.splitlines(keepends=True)[::-1])), []),
    "a directive": (lambda text: f"%YAML 1.1\n---\n{text}", []),
    "a person who closed it": (lambda text: text.replace("ions:\n", "ions:\n    expandvars.dev/skip: 'true'\n"), []),
    "without its version": (without_version, [WITHOUT_HEAD]),
    "JSON without its version": (lambda text: json.dumps(yaml.safe_load(without_version(text))), [WITHOUT_HEAD]),
    "in conflict": (lambda text: text.replace(HEAD, SIDES[0].format(HEAD)), [SETTLED]),
    "in conflict as KYAML": (
        lambda text: re.sub("(?m)^ *sky: .*\n", SIDES[0].format(r"\g<0>"), f"---\n{kyaml(yaml.safe_load(text))}\n"),
        [SETTLED],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("form", "expected"), FORMS.values(), ids=FORMS)
def test_a_state_is_one_in_any_form(
    package: Path, capfd: pytest.CaptureFixture[str], form: Callable[[str], str], expected: list[str]
) -> None:
    """Nothing else is told of it: no reference in a key of it, and no kind that has no effect."""
    write(package, {"store.yaml": NAMED})
    (package / MADE).unlink()
    assert evaluated() == 0
    write(package, {STATE: form((package / STATE).read_text())})
    capfd.readouterr()
    assert (evaluated(), capfd.readouterr().err.splitlines()) == (0, expected)
    assert (evaluated(), capfd.readouterr().err.splitlines()) == (0, [])


@pytest.mark.parametrize("sides", ["{0}{0}", *SIDES], ids=["joined", "merge", "diff3"])
@pytest.mark.parametrize(
    "line", ["apiVersion: expandvars.dev/v1alpha1\n", "spec:\n", "  generatedBy: ExpandVars/store\n"]
)
def test_a_key_of_its_head_that_is_there_twice_asks_nobody(
    package: Path, capfd: pytest.CaptureFixture[str], line: str, sides: str
) -> None:
    """As where a merge of lines keeps both sides."""
    before = (package / STATE).read_text()
    write(package, {STATE: before.replace(line, sides.format(line + line))})
    capfd.readouterr()
    assert cli.run(["eval", ".", "--check"]) == 1
    assert (evaluated(), capfd.readouterr().err.splitlines()) == (0, [UNREADABLE, UNREADABLE])
    assert (package / STATE).read_text() == before.replace("colors.yaml}", "colors.yaml, adopted: true}")
    assert (cli.run(["eval", ".", "--check"]), capfd.readouterr().err) == (0, "")


WITH_PARTS = STORE.replace("apiVersion: v1\n    kind: ConfigMap", "apiVersion: v1\n    kind: Part")
SIDES_OF_PARTS = """\
<<<<<<< ours
          a:
            b: {one: aaaaaa}
          c:
            d: {two: aaaaaa}
=======
          a:
            b: {one: bbbbbb}
            e: {three: bbbbbb}
>>>>>>> theirs
"""
OF_PARTS = "a: {b: {one: 1}, e: {three: 3}}, c: {d: {two: 2}}"


def test_a_line_between_markers_stays_below_its_own_parent(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What both sides wrote below one key is a person's there, and a change of the template comes in beside it."""
    parts = re.sub(r"    data:\n.*", f"    spec: {{parts: {{{OF_PARTS}}}}}\n", WITH_PARTS, flags=re.DOTALL)
    write(package, {"store.yaml": parts})
    evaluated()
    before = (package / STATE).read_text()
    above = before.partition("          a:")[0]
    assert above.endswith("        parts:\n")
    write(package, {STATE: above + SIDES_OF_PARTS})
    write(package, {"store.yaml": parts.replace("three: 3", "three: 4")})
    capfd.readouterr()
    assert evaluated() == 0
    assert "spec.parts.a.e.three: no state remembers" in capfd.readouterr().err
    assert "three: 3" in (package / "part_colors.yaml").read_text()


BOTH_SIDES = """\
      data:
<<<<<<< ours
        sea: aaaaaa
=======
        sea: bbbbbb
        wind: bbbbbb/cccccc
>>>>>>> theirs
        sky: {}
"""


def test_what_stands_between_markers_is_a_persons_and_the_rest_is_as_it_was(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Field by field, whichever side has it: what stands there may be an edit, and nobody knows."""
    wind = STORE.replace("      sea", "      wind: west\n      sea")
    write(package, {"store.yaml": wind})
    evaluated()
    before = (package / STATE).read_text()
    sky = re.search(r"sky: (\w+)", before)
    assert sky is not None
    write(package, {STATE: re.sub(r"      data: .*\n", BOTH_SIDES.format(sky[1]), before)})
    changed = wind.replace("green", "red").replace("west", "east").replace("blue", "grey")
    write(package, {"store.yaml": changed})
    capfd.readouterr()
    assert evaluated() == 0
    said = capfd.readouterr().err
    assert "data.wind and 1 more: no state remembers what was generated here" in said
    assert (data(package), "both sides" in said) == ("  wind: west\n  sea: green\n  sky: grey\n", False)
    (state,) = re.findall(r"data: .*", (package / STATE).read_text())
    assert re.sub("[a-p]{6}", "HASH", state) == "data: {sea: yours/HASH, sky: HASH, wind: yours/HASH}"
    capfd.readouterr()
    assert (cli.run(["eval", ".", "--check"]), "no state" in capfd.readouterr().err) == (0, False)


def test_no_change_of_a_template_takes_what_is_a_persons(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each change is told, until the person says the same."""
    write(package, {"other.yaml": MINE_BEFORE, "store.yaml": STORE.replace("name: colors", "name: mine")})
    for value, other, told in (("blue", "a", False), ("grey", "a", True), ("grey", "a", False), ("red", "red", False)):
        write(package, {"store.yaml": STORE.replace("name: colors", "name: mine").replace("blue", value)})
        made = (package / "other.yaml").read_text()
        write(package, {"other.yaml": re.sub(r"sky: \w+", f"sky: {other}", made)})
        capfd.readouterr()
        evaluated()
        assert (
            f"  sky: {other}\n" in (package / "other.yaml").read_text(),
            "the template has changed" in capfd.readouterr().err,
        ) == (
            True,
            told,
        )
    write(package, {"store.yaml": STORE.replace("name: colors", "name: mine")})
    evaluated()
    assert "  sky: blue\n" in (package / "other.yaml").read_text()


MINE_BEFORE = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  sky: a\n"


@pytest.mark.parametrize(("word", "sky"), [("KeepLocal", "a"), ("TakeUpdate", "blue"), ("Error", "a")])
def test_the_command_line_says_what_becomes_of_what_was_there_before(package: Path, word: str, sky: str) -> None:
    write(package, {"other.yaml": MINE_BEFORE, "store.yaml": STORE.replace("name: colors", "name: mine")})
    assert cli.run(["eval", ".", "--adopt", word]) == (word == "Error")
    assert f"  sky: {sky}\n" in (package / "other.yaml").read_text()


def test_the_command_line_says_nothing_of_it_where_kubectl_decides(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    applied = STORE.replace("name: colors", "name: mine").replace("spec:\n", "spec:\n  merge: {strategy: Apply}\n")
    write(package, {"other.yaml": MINE_BEFORE, "store.yaml": applied})
    assert cli.run(["eval", ".", "--adopt", "Error"]) == 1
    problem = "`strategy: Apply` does what kubectl does, which has no `adopt`: leave `--adopt` out (InvalidArgument)"
    assert problem in capfd.readouterr().err
    assert (package / "other.yaml").read_text() == MINE_BEFORE


def test_a_reference_in_what_a_person_keeps_follows_where_the_person_says_the_same(package: Path) -> None:
    """What differs is the person's, whatever the variable says; what agrees follows it from then on."""
    referring = STORE.replace("name: colors", "name: mine").replace("blue", "$(SKY)").replace("green", "$(SEA)")
    write(package, {"other.yaml": MINE_BEFORE + "  sea: deep\n", "store.yaml": referring})
    for sky, sea in (("blue", "deep"), ("grey", "deep"), ("grey", "flat")):
        assert cli.run(["eval", ".", f"SKY={sky}", f"SEA={sea}"]) == 0
        assert (package / "other.yaml").read_text().endswith(f"  sky: a\n  sea: {sea}\n")


def test_each_directory_is_run_by_its_own_functionconfig(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Each has its items, its state and what it prunes, though all are called the same; the root's has the rest."""
    more = "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: more}}\n"
    write(package, {"dev/store.yaml": STORE + more, "prod/a/store.yaml": STORE + more, "prod/a/b/store.yaml": GREY})
    capfd.readouterr()
    assert (evaluated(), capfd.readouterr().err) == (0, "")
    write(package, {"dev/store.yaml": STORE})
    assert evaluated() == 0
    assert sorted(path for path in contents(package) if path.endswith(("colors.yaml", "more.yaml"))) == [
        "configmap_colors.yaml",
        "dev/configmap_colors.yaml",
        "prod/a/b/configmap_colors.yaml",
        "prod/a/configmap_colors.yaml",
        "prod/a/configmap_more.yaml",
    ]
    assert "sky: grey" in (package / "prod/a/b/configmap_colors.yaml").read_text()
    assert cli.run(["eval", ".", "--check"]) == 0


def test_an_entry_that_git_has_joined_twice_asks_nobody(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = (package / STATE).read_text()
    write(package, {STATE: before + before.partition("  resources:\n")[2]})
    capfd.readouterr()
    assert evaluated() == 0
    assert capfd.readouterr().err.startswith(
        f"[warning] {STATE}: {OBJECT}: these entries are damaged, and written anew"
    )


def test_what_another_functionconfig_generates_from_now_on_says_how_its_value_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is generated has no comment that somebody could delete."""

    def config(name: str, value: str, *made: str) -> str:
        listed = [
            {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": one}, "data": {"r": "$(R)"}} for one in made
        ]
        spec = {"variables": [{"name": "R", "value": value}], "templates": listed}
        head = {"apiVersion": "expandvars.dev/v1alpha1", "kind": "ExpandVars", "metadata": {"name": name}}
        return yaml.safe_dump(head | {"spec": spec})

    monkeypatch.chdir(
        write(tmp_path / "package", {"a.yaml": config("a", "eu", "x"), "b.yaml": config("b", "us", "p", "q")})
    )
    for name in "ab":
        assert cli.run(["eval", ".", "--fn-config", f"{name}.yaml"]) == 0
    write(tmp_path / "package", {"a.yaml": config("a", "eu"), "b.yaml": config("b", "us", "x", "p", "q")})
    capfd.readouterr()
    assert cli.run(["eval", ".", "--fn-config", "b.yaml"]) == 0
    made = tmp_path / "package" / "configmap_x.yaml"
    assert capfd.readouterr().err.splitlines()[1] == (
        "[warning] configmap_x.yaml:3: v1/ConfigMap/x data.r: `R` was `eu` here, and `us` in most fields: it follows "
        "the variable; write the value here again if it is to differ (ValuesDiffered)"
    )
    made.write_text(made.read_text().replace("us", "eu"))
    assert cli.run(["eval", ".", "--fn-config", "b.yaml"]) == 0
    assert "  r: eu\n" in made.read_text()


def test_a_name_without_a_value_is_told_at_its_template_in_every_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """In the generated file a person would mend a mistake of the template. What a person writes is told there."""
    template = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: made}\nspec:\n  containers:\n  - name: web\n    image: web\n"
        "    args:\n    - x $(NOBODY)\n    - $(NOBODY)\n"
    )
    config = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: store}\nspec:\n  templates:\n"
    monkeypatch.chdir(write(tmp_path / "package", {"store.yaml": f"{config}  -{indented(template, 4)[3:]}"}))
    made = tmp_path / "package" / "pod_made.yaml"
    lines = []
    for text in ("x", "x", "y"):
        if text == "y":
            made.write_text(made.read_text().replace("x $", "y $"))
        assert cli.run(["eval", "."]) == 0
        lines.append(capfd.readouterr().err.partition(".args")[0])
    told = "[warning] store.yaml:14: v1/Pod/made spec.containers[name=web]"
    assert lines == [told, told, "[warning] pod_made.yaml:12: v1/Pod/made spec.containers[name=web]"]


def test_what_stands_below_a_conflict_without_an_end_is_in_conflict(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An edit by hand stays, as it does where the conflict ends."""
    head, leaves, fields = (package / STATE).read_text().partition("      data:")
    write(package, {STATE: f"{head}<<<<<<< HEAD\n{leaves}{fields}"})
    made = next(path for path in package.glob("*.yaml") if "blue" in path.read_text() and path.name != "store.yaml")
    made.write_text(made.read_text().replace("blue", "mine"))
    capfd.readouterr()
    assert evaluated() == 0
    assert "mine" in made.read_text()
    assert "(DamagedState)" in capfd.readouterr().err


def test_a_run_with_one_generated_file_says_that_its_function_config_is_in_another(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """An editor or a hook gives names of files. The functionConfig is not gone then: it is in no given file."""
    before = contents(package)
    assert cli.run(["eval", MADE, "REGION=us"]) == 0
    assert (
        f"[warning] {MADE}:1: v1/ConfigMap/colors: these were generated by functionConfigs that are not among the "
        "items of this run, and stay as they are: `v1/ConfigMap/colors` of ExpandVars/store. Run with the files of the "
        "functionConfigs, too. If they are gone, restore them, or delete the annotation `expandvars.dev/generated-by` "
        "of these and the state, and they are yours (Orphaned)\n"
    ) in capfd.readouterr().err
    assert contents(package) == before
