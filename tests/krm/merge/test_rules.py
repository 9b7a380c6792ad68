"""The rules of the 3-way merge (docs/reference/merge.md), each a folder of testdata/krm/merge3, byte for byte.

`origin.yaml`, `update.yaml` and `local.yaml`, an empty one for a file that is not there, become `expected.yaml`, and
`stderr.txt` is said about it; `arguments.txt` has further arguments. Update wins conflicts where these name no policy.
`UPDATE=1 pytest` writes what is expected anew.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from krm.commands import merge

ROOT = Path(__file__).parents[3] / "testdata" / "krm" / "merge3"
CASES = sorted(path.parent for path in ROOT.glob("*/origin.yaml"))
assert CASES, f"no cases under {ROOT}"

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def arguments(case: Path) -> list[str]:
    file = case / "arguments.txt"
    given = file.read_text().split() if file.exists() else []
    return given if {"--on-conflict", "--strategy"} & {*given} else ["--on-conflict", "TakeUpdate", *given]


def expect(path: Path, actual: bytes) -> None:
    if "UPDATE" in os.environ:
        path.write_bytes(actual) if actual or path.stem == "expected" else path.unlink(missing_ok=True)
    assert actual == (path.read_bytes() if path.exists() else b"")


@every_case
def test_the_merge_is_what_is_expected(case: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    sides = [str(case / f"{side}.yaml") for side in ("origin", "update", "local")]
    code = merge.main(["merge3", *sides, *arguments(case)])
    out, err = capfdbinary.readouterr()
    expect(case / "expected.yaml", out)
    expect(case / "stderr.txt", err.replace(str(case).encode(), b"."))
    assert code == (1 if b"[error]" in err else 0)


@every_case
def test_a_merge_repeated_changes_nothing(case: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """What was the update is the origin now, and what came of the merge is local."""
    update, merged = (str(case / f"{name}.yaml") for name in ("update", "expected"))
    merge.main(["merge3", update, update, merged, *arguments(case)])
    out, _ = capfdbinary.readouterr()
    assert out == (case / "expected.yaml").read_bytes()
