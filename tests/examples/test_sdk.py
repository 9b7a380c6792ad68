"""The functions in examples/sdk do what the catalog's do, byte for byte as their golden folders have it."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from krm import testing
from tests.process import ROOT, SOURCE_ROOT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = ROOT / "examples" / "sdk"
FUNCTIONS = sorted(path.stem for path in FOLDER.glob("*.py"))


def function(name: str) -> Callable[[Any], None]:
    """Return the function of an example, which has the name of its file."""
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found: Callable[[Any], None] = getattr(module, name)
    return found


CASES = [
    (name, case.parent) for name in FUNCTIONS for case in sorted((FOLDER / "testdata" / name).glob("*/input.yaml"))
]
assert {name for name, _ in CASES} == set(FUNCTIONS)


@pytest.mark.parametrize(("name", "case"), CASES, ids=lambda value: value if isinstance(value, str) else value.name)
def test_golden(name: str, case: Path) -> None:
    testing.golden(function(name), case.parent)(case)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_example_is_short(name: str) -> None:
    assert 10 < len((FOLDER / f"{name}.py").read_text().splitlines()) <= 120


UNDER_KPT = [case for case in CASES if (case[1] / "expected.yaml").exists()]


@pytest.mark.e2e
@pytest.mark.parametrize(("name", "case"), UNDER_KPT, ids=lambda value: value if isinstance(value, str) else value.name)
def test_under_kpt(name: str, case: Path, kpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What kpt writes with the function is what it writes with `cat`, applied to what is expected."""
    program = tmp_path / name
    program.write_text((FOLDER / f"{name}.py").read_text().replace("/usr/bin/env python3", sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE_ROOT))
    config = case / "function-config.yaml"
    given = ["--fn-config", str(config)] if config.exists() else []

    def written(folder: str, text: str, executable: str, *arguments: str) -> dict[str, str]:
        package = tmp_path / folder
        package.mkdir()
        (package / "all.yaml").write_text(text)
        subprocess.run([kpt, "fn", "eval", package, "--exec", executable, *arguments], check=True, capture_output=True)
        return {path.name: path.read_text() for path in package.rglob("*.yaml")}

    ours = written("ours", (case / "input.yaml").read_text(), str(program), *given)
    expected = written("cat", (case / "expected.yaml").read_text(), "/bin/cat")
    added = {name: text for name, text in ours.items() if name != "all.yaml"}
    assert "---\n".join([ours["all.yaml"], *added.values()]) == expected["all.yaml"]
