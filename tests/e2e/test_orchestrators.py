"""The function under each orchestrator: its promises hold for the files that the user then has."""

from __future__ import annotations

import shutil
import subprocess
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.conftest import CAT_IMAGE, IMAGE
from tests.e2e import orchestrators
from tests.e2e.orchestrators import Orchestrator, Program

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.e2e.orchestrators import Run

pytestmark = pytest.mark.e2e

PACKAGE = Path(__file__).parent / "package"
CONFIG = {
    "apiVersion": "expandvars.dev/v1alpha1",
    "kind": "ExpandVars",
    "metadata": {"name": "place"},
    # What a run in place remembers is tested in test_record.py.
    "spec": {
        "variables": [{"name": "REGION", "value": "eu-west-1"}, {"name": "TAG", "value": "1.10"}],
        "record": "Never",
    },
}
EXPANDED = (
    (b"nc -z cache.$(REGION).internal", b"nc -z cache.eu-west-1.internal"),
    (b"--region=$(REGION)", b"--region=eu-west-1"),
    (b"--page=$(REGION) $(TAG)", b"--page=eu-west-1 1.10"),
    (b"value: cache.$(REGION).internal", b"value: cache.eu-west-1.internal"),
    (b"value: $(TAG)", b'value: "1.10"'),
    (b"# $(REGION), and what only the shell knows", b"# eu-west-1, and what only the shell knows"),
    (b"report --from $(REGION)", b"report --from eu-west-1"),
)
# In place the kubelet follows what a container names itself.
LITERAL = (b"redis://$(CACHE):6379", b"redis://cache.eu-west-1.internal:6379")


def expanded(files: dict[str, bytes], *, in_place: bool) -> dict[str, bytes]:
    """Return `files` with nothing but the fields expanded that the function should expand."""
    for reference, value in EXPANDED if in_place else (*EXPANDED, LITERAL):
        assert any(reference in text for text in files.values()), reference
        files = {name: text.replace(reference, value) for name, text in files.items()}
    return files


@pytest.fixture(params=orchestrators.ALL, ids=lambda orchestrator: orchestrator.run.__name__)
def orchestrator(request: pytest.FixtureRequest) -> Orchestrator:
    for fixture in request.param.needs:
        request.getfixturevalue(fixture)
    chosen: Orchestrator = request.param
    return chosen


@pytest.fixture
def run(orchestrator: Orchestrator, tmp_path: Path) -> Callable[..., Run]:
    """Run the orchestrator on a fresh package of these files."""
    numbers = count(1)

    def run(program: Program, files: dict[str, bytes], config: dict = CONFIG) -> Run:
        package = tmp_path / str(next(numbers)) / "package"
        package.mkdir(parents=True)
        for name, text in files.items():
            (package / name).write_bytes(text)
        return orchestrator.run(package, program, config)

    return run


@pytest.fixture(scope="session")
def cat() -> Program:
    return Program(shutil.which("cat") or "cat", CAT_IMAGE)


@pytest.fixture(scope="session")
def ours() -> Program:
    return Program(shutil.which("expand-vars") or "expand-vars", IMAGE)


def test_changes_exactly_what_expands(
    orchestrator: Orchestrator, run: Callable[..., Run], cat: Program, ours: Program
) -> None:
    files = orchestrators.resources(PACKAGE)
    plain = run(cat, files)
    assert plain.code == 0, plain.seen
    actual = run(ours, files)
    assert actual.code == 0, actual.seen
    assert actual.resources == expanded(plain.resources, in_place=orchestrator.is_in_place)


def test_second_run_changes_nothing(run: Callable[..., Run], ours: Program) -> None:
    once = run(ours, orchestrators.resources(PACKAGE))
    assert run(ours, once.resources).resources == once.resources


def test_error_reaches_the_user(run: Callable[..., Run], ours: Program) -> None:
    files = orchestrators.resources(PACKAGE)
    failed = run(ours, files, CONFIG | {"spec": {"variabels": []}})
    assert failed.code != 0
    assert "variabels" in failed.seen
    # What writes in place must have left the files alone; what prints must have printed nothing.
    assert failed.resources in (files, {"built.yaml": b""})


def test_each_warning_is_seen_once(run: Callable[..., Run], ours: Program) -> None:
    pod = b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, args: [$(NOPE)]}]}\n"
    seen = run(ours, {"pod.yaml": pod}).seen
    assert seen.count("nothing defines `$(NOPE)` in container `c`") == 1, seen


@pytest.mark.usefixtures("kpt", "image")
@pytest.mark.parametrize("way", [orchestrators.kpt_eval_exec, orchestrators.kpt_eval_image, orchestrators.kpt_render])
def test_kpt_leaves_every_comment_and_every_byte(
    way: Callable[[Path, Program, dict], Run], ours: Program, tmp_path: Path
) -> None:
    """The package is in kpt's own form, so here the diff to the original is the one that counts."""
    package = tmp_path / "package"
    shutil.copytree(PACKAGE, package)
    assert way(package, ours, CONFIG).resources == expanded(orchestrators.resources(PACKAGE), in_place=True)


@pytest.mark.usefixtures("kpt")
def test_what_kpt_eval_is_given_and_nothing_uses_is_a_warning(ours: Program, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: []}\n")
    command = ["kpt", "fn", "eval", ".", "--exec", ours.executable, "--", "REGION=eu"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "[warning]: `REGION` is given, and nothing that may be changed refers to it" in done.stderr
