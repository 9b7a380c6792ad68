"""What the project says of itself: its targets, its lists of tools, its workflows."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.pages import ROOT

if TYPE_CHECKING:
    from pathlib import Path

MAKEFILE = (ROOT / "Makefile").read_text()
TARGETS = {*re.findall(r"^([a-z0-9-]+):", MAKEFILE, re.MULTILINE)}
LINT = re.findall(r"^\t(.*)$", re.findall(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[0], re.MULTILINE)


@pytest.mark.parametrize(
    "path", ["README.md", "CONTRIBUTING.md", ".ci/run", ".github/workflows/ci.yml", ".github/workflows/release.yml"]
)
def test_every_make_target_is_there(path: str) -> None:
    told = {*re.findall(r"(?:^|`|step |run: |^ +)make ([a-z0-9-]+)", (ROOT / path).read_text(), re.MULTILINE)}
    assert told <= TARGETS


def test_every_module_that_a_newcomer_is_sent_to_is_there() -> None:
    named = re.findall(r"`(fn/[\w/]+\.py)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).is_file()] == []


def test_every_word_of_the_glossary_has_its_name_in_the_code() -> None:
    """Each is a class, or an alias of a type."""
    named = re.findall(r"\| `(\w+)` in `(fn/[\w/]+\.py)` \|", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 10
    missing = [
        (name, path)
        for name, path in named
        if not re.search(rf"^(?:class {name}\b| +{name}: TypeAlias\b)", (ROOT / path).read_text(), re.MULTILINE)
    ]
    assert missing == []


def test_make_prints_what_it_would_run_and_runs_nothing(tmp_path: Path) -> None:
    """`make -n` runs a recipe that calls make: none may."""
    for name in ("Makefile", "setup.py", "pyproject.toml", "requirements.txt"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "fn").mkdir()
    before = sorted(tmp_path.iterdir())
    targets = sorted(TARGETS - {"help"})
    command = ["make", "-n", *targets, "WHEEL=compiled"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "docker build" in done.stdout
    assert "HYPOTHESIS_PROFILE=nightly" in done.stdout
    assert sorted(tmp_path.iterdir()) == before


def test_ci_runs_all_tests_once() -> None:
    run = (ROOT / ".ci" / "run").read_text()
    steps = re.findall(r"^step make ([^#\n]+?) *(?:#.*)?$", run, re.MULTILINE)
    assert steps == ["e2e-tools", "lint", "bench-check", "test-compiled", "test COVERAGE=1"]
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert {"run": ".ci/run"} in workflow["jobs"]["run"]["steps"]


def test_make_test_runs_every_test_once() -> None:
    assert pytest_runs("test") == ["-m pytest -n auto"]
    assert pytest_runs("test", "COVERAGE=1") == ["-m pytest -n auto -m 'not e2e'", "-m pytest -n auto -m e2e"]


def test_every_path_that_make_gives_to_pytest_is_there() -> None:
    """pytest runs nothing at all where one of its paths is gone."""
    paths = [path for target in sorted(TARGETS) for run in pytest_runs(target) for path in run.split() if "/" in path]
    assert "tests/krm/yamltree" in paths
    assert [path for path in paths if not list(ROOT.glob(path))] == []


def test_only_e2e_tools_changes_the_machine() -> None:
    """`make test` leaves out what needs Docker where no engine answers, and says so: it installs and starts nothing."""
    run = {target: planned(target) for target in sorted(TARGETS)}
    changing = re.compile(r"\b(?:apt-get|debootstrap|dockerd|sudo|docker-engine|base-image)\b")
    assert [target for target, lines in run.items() if changing.search(lines)] == ["e2e-tools"]
    tools = {path.name for path in (ROOT / "tests" / "tools").iterdir() if changing.search(path.read_text())}
    assert tools == {"docker-engine", "base-image", "envsubst", "shells"}


def test_without_docker_its_tests_are_left_out_by_name() -> None:
    without = {name: value for name, value in os.environ.items() if name != "CI"} | {"DOCKER_HOST": "unix:///no/engine"}
    command = [sys.executable, "-m", "pytest", "-q", "-k", "labels", "tests/e2e/test_image.py"]
    done = subprocess.run(command, cwd=ROOT, env=without, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    missing = "no Docker engine answers on this machine: `make e2e-tools` may bring one"
    if shutil.which("docker") is None:
        missing = "docker is not on this machine: `make e2e-tools` may bring it"
    assert f"{missing}\n2 skipped" in done.stdout


def test_the_images_take_the_base_that_was_found_first() -> None:
    """A tag may be another image a minute later: builds name the digest that the target `base` wrote down."""
    built = [
        line for line in planned("image", "image-multiarch", "WHEEL=pure").splitlines() if "--build-arg BASE=" in line
    ]
    assert len(built) == 2
    assert [line for line in built if "--build-arg BASE=$(cat build/base) " not in line] == []


def planned(*words: str) -> str:
    """Return what make would run."""
    return subprocess.run(["make", "-n", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def pytest_runs(*words: str) -> list[str]:
    """Return the runs of pytest that make would start."""
    return [run.strip() for run in re.findall(r"-m pytest.*", planned(*words))]


def test_a_commit_is_checked_by_the_tools_of_make_lint() -> None:
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    hooks = {" ".join(hook["entry"].removeprefix(".venv/bin/").split()[:2]) for hook in repository["hooks"]}
    assert hooks == {re.sub(r" (\.|--check.*)$", "", command) for command in LINT if not command.startswith("@")}


def test_the_changes_have_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"\n## {version.partition('rc')[0]}\n" in (ROOT / "CHANGELOG.md").read_text()


def test_make_writes_a_version_wherever_one_stands(tmp_path: Path) -> None:
    named = {path for path, text in texts().items() if re.search(r"version\S* ?[=:] \"?0\.1\.0\b", text)}
    written = {*re.findall(r"\S+", re.findall(r"^VERSIONED := (.*)$", MAKEFILE, re.MULTILINE)[0])}
    assert {path for path in named if not path.startswith(("docs/", "tests/"))} == written
    for path in (*written, "Makefile"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    command = ["make", "--silent", "version", "VERSION=0.1.0rc1"]
    subprocess.run(command, cwd=tmp_path, check=True)
    for path in written:
        assert (tmp_path / path).read_text() == re.sub(r"0\.1\.0\b", "0.1.0rc1", (ROOT / path).read_text())
    assert {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()} == {*written, "Makefile"}


# Documents that are not in the project, by the forms in which they were cited; paths of a machine, Argo CD's aside.
OUTSIDE = re.compile(
    r"\bspec/[a-z-]+[.,]\S*|\b(?:decisions|design|style)\.md\b|\bfindings/|\b[Dd]ecisions? \d+|\b[Tt]raps? \d+"
    r"|(?<!\w)\(4\.\d+[^()\n]*\)|(?<![\w.~])/(?:work|root|home(?!/argocd/)|tmp|Users)/\S+"
)


def test_both_names_have_one_version() -> None:
    ours, name = (
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"] for folder in (".", "packaging/krm")
    )
    assert (name["version"], name["dependencies"]) == (ours["version"], [f"{ours['name']}=={ours['version']}"])


def test_a_compiled_wheel_leaves_out_modules_by_their_whole_name(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    monkeypatch.setenv("COMPILED", "1")
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr("mypyc.build.mypycify", lambda arguments, **_: taken.extend(arguments))
    monkeypatch.setattr("setuptools.setup", lambda **_: None)
    setup = runpy.run_path("setup.py")
    left_out = setup["LEFT_OUT"]
    assert {"fn/krm/yamltree/parser.py", "fn/expand_vars/expansion/env_sources.py"} < set(taken)
    assert not {path.rpartition("/")[2] for path in taken} & set(left_out)
    assert {*left_out} <= {path.name for folder in setup["FOLDERS"] for path in (ROOT / folder).glob("*.py")}


def test_no_text_refers_to_what_is_not_in_the_project() -> None:
    found = {
        (path, match[0])
        for path, text in texts().items()
        for match in OUTSIDE.finditer(text)
        if path != "tests/test_project.py"
    }
    assert found == set()


def texts() -> dict[str, str]:
    """Return the text of each file of the project, by its path."""
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    paths = [path for path in listed.stdout.splitlines() if (ROOT / path).is_file()]
    return {path: (ROOT / path).read_text(errors="replace") for path in paths}
