"""Merges of files: the record follows the fields, and the next run has every reference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.git import structured
from expand_vars.git.line_merge import Texts
from expand_vars.record import KEY
from tests import process
from tests.expand_vars.record.test_git import DEPLOYMENT, EU, config, container, run

if TYPE_CHECKING:
    from pathlib import Path

BASE = run(DEPLOYMENT, EU)
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
REGION, TAG = "--region=eu", "--tag=1"
NEW = "        - --new\n"


def ran(**values: str) -> str:
    return run(BASE, EU | values)


def with_new_first(text: str) -> str:
    return text.replace("        args:\n", f"        args:\n{NEW}")


EDITS = {
    "a variable, and another field": (ran(REGION="us"), BASE.replace("replicas: 2", "replicas: 3")),
    "two variables in one list": (ran(REGION="us"), ran(TAG="2")),
    "one variable on both sides": (ran(REGION="us"), ran(REGION="uk")),
    "a template, and its variable": (run(BASE.replace(REGION, "--zone=$(REGION)"), EU), ran(REGION="us")),
    "a variable, and its template": (ran(REGION="us"), run(BASE.replace(REGION, "--zone=$(REGION)"), EU)),
    "an element more, and a variable": (run(with_new_first(BASE), EU), ran(TAG="2")),
    "a variable, and an element more": (ran(TAG="2"), run(with_new_first(BASE), EU)),
    "an element less, and a variable": (run(BASE.replace(f"        - {REGION}\n", ""), EU), ran(TAG="2")),
}


def merged(directory: Path, command: str, update: str, local: str, *options: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the merge of files by the command line, and its results."""
    for name, text in {"origin": BASE, "update": update, "local": local}.items():
        (directory / name).write_text(text)
    sides = ["origin", "update", "local"] if command == "merge3" else ["update", "local"]
    told = directory / "results"
    line = [command, *(str(directory / side) for side in sides), "--results", str(told), *options]
    done = process.run(*line, stdin=b"")
    return done.stdout.decode(), yaml.safe_load(told.read_text())["results"] or []


def after(text: str, values: dict[str, str]) -> tuple[list[str], set[str]]:
    """Return the arguments after a further run, and the reasons of what it tells about the record."""
    output = pipeline.run(text, config(values))
    reasons = {result.reason for result in output.results}
    return container(output.text)["args"], reasons & {"EditedByHand", "DamagedRecord"}


@pytest.mark.parametrize("policy", ["TakeUpdate", "KeepLocal"])
@pytest.mark.parametrize(("update", "local"), EDITS.values(), ids=EDITS)
def test_no_reference_is_lost_and_none_goes_stale(tmp_path: Path, update: str, local: str, policy: str) -> None:
    text, results = merged(tmp_path, "merge3", update, local, "--on-conflict", policy)
    assert all(KEY not in result.get("field", {}).get("path", "") for result in results)
    args, told = after(text, {"REGION": "jp", "TAG": "9"})
    of_region = [one for one in args if one.startswith(("--region", "--zone"))]
    assert told == set()
    assert all(one.endswith("=jp") for one in of_region)
    assert [one for one in args if one.startswith("--tag")] == ["--tag=9"]


def test_applied_the_record_is_updates_where_both_sides_say_the_same_text(tmp_path: Path) -> None:
    sides = [run(BASE.replace(REGION, f"--zone=$({name})"), EU | {"ZONE": "eu"}) for name in ("REGION", "ZONE")]
    text, _ = merged(tmp_path, "merge3", *sides, "--strategy", "Apply")
    args, told = after(text, {"REGION": "jp", "ZONE": "uk", "TAG": "9"})
    assert (args[0], told) == ("--zone=jp", set())


def merged_directories(directory: Path, *sides: dict[str, str], policy: str = "TakeUpdate") -> dict[str, str]:
    """Return the files of a merge of directories, in which no conflict is one of the record."""
    for name, files in zip(("origin", "update", "local"), sides, strict=True):
        for path, text in files.items():
            (directory / name / path).parent.mkdir(parents=True, exist_ok=True)
            (directory / name / path).write_text(text)
    told = directory / "results"
    line = (str(directory / name) for name in ("origin", "update", "local"))
    process.run("merge3", *line, "--on-conflict", policy, "--results", str(told), stdin=b"")
    results = yaml.safe_load(told.read_text())["results"] or []
    assert all(KEY not in result.get("field", {}).get("path", "") for result in results)
    local = directory / "local"
    return {str(path.relative_to(local)): path.read_text() for path in local.rglob("*.yaml")}


@pytest.mark.parametrize("policy", ["TakeUpdate", "KeepLocal"])
@pytest.mark.parametrize(("update", "local"), EDITS.values(), ids=EDITS)
def test_directories(tmp_path: Path, update: str, local: str, policy: str) -> None:
    sides = ({"a.yaml": text} for text in (BASE, update, local))
    of_files, _ = merged(tmp_path, "merge3", update, local, "--on-conflict", policy)
    for name in ("origin", "update", "local"):
        (tmp_path / name).unlink()
    assert merged_directories(tmp_path, *sides, policy=policy) == {"a.yaml": of_files}


def test_directories_in_which_an_object_is_in_two_packages_and_moves(tmp_path: Path) -> None:
    """Each record is matched as its object is: in its own package, whatever its file is."""
    kptfile = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: k\n"
    packages = {f"{name}/Kptfile": kptfile for name in ("dev", "prod")}
    origin = packages | {"dev/a.yaml": BASE, "prod/a.yaml": BASE}
    update = packages | {"dev/moved.yaml": ran(REGION="us"), "prod/a.yaml": ran(REGION="uk")}
    local = packages | {"dev/a.yaml": ran(TAG="2"), "prod/a.yaml": ran(TAG="3")}
    files = merged_directories(tmp_path, origin, update, local)
    assert files.keys() == {*packages, "dev/moved.yaml", "prod/a.yaml"} - {"dev/Kptfile", "prod/Kptfile"}
    for path in ("dev/moved.yaml", "prod/a.yaml"):
        assert after(files[path], {"REGION": "jp", "TAG": "9"}) == (["--region=jp", "--tag=9"], set())


@pytest.mark.parametrize("policy", ["TakeUpdate", "KeepLocal"])
@pytest.mark.parametrize("side", ["update", "local"])
def test_a_record_with_markers_of_a_conflict(tmp_path: Path, policy: str, side: str) -> None:
    """What is not merged of it is told, as a run tells it."""
    marked = BASE.replace("references: |\n", "references: |\n      <<<<<<< HEAD\n")
    sides = {"update": ran(REGION="us"), "local": ran(REGION="us")} | {side: marked}
    text, results = merged(tmp_path, "merge3", sides["update"], sides["local"], "--on-conflict", policy)
    assert "<<<<" not in text
    (told,) = (result for result in results if result["tags"]["reason"] == "DamagedRecord")
    assert (told["severity"], told["message"]) == (
        "warning",
        f"the annotation `{KEY}` of {side} is damaged, and these of its lines are not merged: 1",
    )
    assert after(text, {"REGION": "jp", "TAG": "9"}) == (["--region=jp", "--tag=9"], set())


def test_a_record_that_one_side_took_away_stays_away(tmp_path: Path) -> None:
    """`eval --restore` does so."""
    text, results = merged(tmp_path, "merge3", DEPLOYMENT, BASE.replace("replicas: 2", "replicas: 3"))
    assert (text, results) == (DEPLOYMENT.replace("replicas: 2", "replicas: 3"), [])


def test_objects_that_were_renamed_keep_their_references(tmp_path: Path) -> None:
    text, _ = merged(tmp_path, "merge3", ran(REGION="us").replace("name: web\n", "name: shop\n", 1), ran(TAG="2"))
    assert "\n  name: shop\n" in text
    assert after(text, {"REGION": "jp", "TAG": "9"}) == (["--region=jp", "--tag=9"], set())


def listed(text: str) -> str:
    """Return a List of two Deployments, of which the first has no record."""
    items = (DEPLOYMENT.replace("name: web", "name: other", 1), text)
    elements = ("- " + one.strip().replace("\n", "\n  ") for one in items)
    return "apiVersion: v1\nkind: List\nitems:\n" + "\n".join(elements) + "\n"


def test_the_elements_of_a_list(tmp_path: Path) -> None:
    sides = {"origin": BASE, "update": ran(REGION="us"), "local": ran(TAG="2")}
    for name, text in sides.items():
        (tmp_path / name).write_text(listed(text))
    done = process.run("merge3", *(str(tmp_path / side) for side in sides), stdin=b"")
    record = yaml.safe_load(done.stdout)["items"][1]["metadata"]["annotations"][KEY]
    assert record.endswith('variable REGION:\n  "us"\nvariable TAG:\n  "2"\n')
    assert record.count("\u005cu0024") == 2


def test_a_variable_has_the_value_of_the_side_that_changed_it(tmp_path: Path) -> None:
    """A run that declares neither keeps both."""
    text, _ = merged(tmp_path, "merge3", ran(REGION="us"), ran(TAG="2"))
    record = yaml.safe_load(text)["metadata"]["annotations"][KEY]
    assert record.endswith('variable REGION:\n  "us"\nvariable TAG:\n  "2"\n')


def test_what_neither_side_expanded_to_loses_its_entry_and_that_is_told(tmp_path: Path) -> None:
    text, results = merged(tmp_path, "merge3", BASE.replace(REGION, "--region=mine"), ran(TAG="2"))
    conflict, edited = sorted(results, key=lambda one: str(one["tags"]["reason"]))
    assert (conflict["tags"]["reason"], conflict["severity"]) == ("Conflict", "warning")
    assert (edited["tags"]["reason"], edited["severity"]) == ("EditedByHand", "info")
    assert edited["field"] == {"path": "spec.template.spec.containers[name=web].args[0]"}
    assert after(text, {"REGION": "jp", "TAG": "9"}) == (["--region=mine", "--tag=9"], set())


def test_an_overlay(tmp_path: Path) -> None:
    text, _ = merged(tmp_path, "merge2", ran(REGION="us"), BASE)
    assert after(text, {"REGION": "jp", "TAG": "9"}) == (["--region=jp", "--tag=9"], set())


@pytest.mark.parametrize(("update", "local"), EDITS.values(), ids=EDITS)
def test_the_two_answers_of_the_git_driver(update: str, local: str) -> None:
    answers = structured.merge(Texts(BASE.encode(), update.encode(), local.encode()), "a.yaml")
    for answer in (answers.local, answers.update):
        args, told = after(answer.decode(), {"REGION": "jp", "TAG": "9"})
        assert (told, "--tag=9" in args) == (set(), True)


ODD = {
    "no resources": f"- {KEY}: a\n",
    "several of one name": f"{BASE}---\n{BASE}",
    "a list with what is no resource": f"kind: ResourceList\nitems:\n- {KEY}\n",
    "one side has none": DEPLOYMENT.replace("$(REGION)", "eu"),
}


def test_what_nobody_can_read_is_refused_by_the_merge(tmp_path: Path) -> None:
    (tmp_path / "same").write_text(f"{POD}---\n{BASE}kind: Deployment\n")
    done = process.run("merge3", *[str(tmp_path / "same")] * 3, stdin=b"")
    assert (done.code, done.stdout) == (1, b"")
    assert "the key `kind` is here again" in done.stderr


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_what_is_merged_without_a_record_to_write(tmp_path: Path, text: str) -> None:
    out, _ = merged(tmp_path, "merge2", text, text)
    assert out == text
