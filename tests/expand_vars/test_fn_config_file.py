"""Mistakes in the file of `--fn-config` name the file and the line, and come in the order of its lines."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import process

if TYPE_CHECKING:
    from pathlib import Path

CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: f}
spec:
  varables: []
  unresolved: Sometimes
"""


def test_each_mistake_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "fn.yaml"
    path.write_text(CONFIG)
    answer = process.run("--fn-config", str(path), stdin=b"kind: A\n")
    of_config = "expandvars.dev/v1alpha1/ExpandVars/f"
    allowed = "found `Sometimes`, but only `Ignore`, `Warn` or `Error` is allowed here"
    unknown = "unknown key `varables`; did you mean `variables`?"
    assert answer.stderr.splitlines() == [
        f"[error] {path}:5: {of_config} spec.varables: {unknown} (InvalidFunctionConfig)",
        f"[error] {path}:6: {of_config} spec.unresolved: {allowed} (InvalidFunctionConfig)",
    ]
    assert (answer.stdout, answer.code) == (b"", 1)


@pytest.mark.parametrize(("text", "line"), [(f"{CONFIG}---\na: `x\n", 8), (f"a: `x\n---\n{CONFIG}", 1)])
def test_a_file_of_several_documents_that_is_no_yaml_is_named(text: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "fn.yaml"
    path.write_text(text)
    for given in (str(path), f"{path}#f"):
        answer = process.run("--fn-config", given, stdin=b"kind: A\n")
        told = f"{path}: line {line}, column 4: a text may not start with a backtick: put it in quotes"
        assert (answer.stderr, answer.stdout, answer.code) == (f"[error] {told} (InvalidInput)\n", b"", 1)
