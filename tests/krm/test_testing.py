"""Golden folders of functions of others: they compare bytes, results and the second run, and write what is expected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import krm
from krm import testing

if TYPE_CHECKING:
    from pathlib import Path

INPUT = "kind: Pod # the only one\n"
CONFIG = "apiVersion: v1\nkind: ConfigMap\ndata: {name: web}\n"


def name(resource_list: krm.ResourceList) -> None:
    config = resource_list.function_config
    for item in resource_list.items:
        if config is None:
            raise krm.FnError("no name", item)
        item.set("metadata.name", config.get_str("data.name"))
        resource_list.info("named", item, "metadata.name")


def case(folder: Path, **files: str) -> Path:
    (folder / "case").mkdir()
    for file, text in files.items():
        (folder / "case" / f"{file.replace('_', '-')}.yaml").write_text(text)
    return folder / "case"


def run(process: Any, folder: Path) -> None:
    testing.golden(process, folder)(folder / "case")


NAMED = "kind: Pod # the only one\nmetadata:\n  name: web\n"
RESULTS = """\
- message: named
  severity: info
  resourceRef:
    kind: Pod
    name: web
  field:
    path: metadata.name
"""


def test_a_case_passes(tmp_path: Path) -> None:
    case(tmp_path, input=INPUT, function_config=CONFIG, expected=NAMED, results=RESULTS)
    run(name, tmp_path)


def test_update_writes_what_is_expected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = case(tmp_path, input=INPUT, function_config=CONFIG)
    monkeypatch.setenv("UPDATE", "1")
    run(name, tmp_path)
    assert ((folder / "expected.yaml").read_text(), (folder / "results.yaml").read_text()) == (NAMED, RESULTS)
    (folder / "function-config.yaml").unlink()
    run(name, tmp_path)
    assert not (folder / "expected.yaml").exists()
    assert (folder / "results.yaml").read_text().startswith("- message: no name\n  severity: error\n")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"expected": INPUT, "results": RESULTS}, "this is not what expected.yaml holds\n--- expected.yaml\n"),
        ({"expected": NAMED}, "this is not what results.yaml holds"),
    ],
)
def test_what_differs_fails(tmp_path: Path, files: dict[str, str], message: str) -> None:
    case(tmp_path, input=INPUT, function_config=CONFIG, **files)
    with pytest.raises(AssertionError, match=message):
        run(name, tmp_path)


def test_a_second_run_that_changes_something_fails(tmp_path: Path) -> None:
    def grow(resource_list: krm.ResourceList) -> None:
        for item in resource_list.items:
            item.append("list", len(item.get("list", [])))

    case(tmp_path, input=INPUT, expected=f"{INPUT}list:\n- 0\n")
    with pytest.raises(AssertionError, match="a second run changes the output of the first"):
        run(grow, tmp_path)


def test_no_case_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"^no folder below `.*` holds an `input.yaml`$"):
        testing.golden(name, tmp_path)
