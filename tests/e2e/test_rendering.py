"""`eval --output` under the real kustomize: a kustomization builds where it was rendered to."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.e2e]

CASE = ROOT / "testdata" / "expand_vars" / "eval" / "output"


def test_a_kustomization_builds_where_it_was_rendered_to(tmp_path: Path, kustomize: str) -> None:
    arguments = (CASE / "arguments.txt").read_text().splitlines()
    arguments[-1] = str(tmp_path / "shop")
    subprocess.run(["expand-vars", "eval", *arguments], cwd=CASE / "input", check=True, capture_output=True)
    built = subprocess.run([kustomize, "build", tmp_path / "shop"], check=True, capture_output=True, text=True).stdout
    assert built.count("- --region=eu\n") == len(["two", "web"])
    assert "\nkind: ConfigMap\nmetadata:\n  name: page-" in built
    # The package itself does not build without the plugin that its transformer is.
    assert subprocess.run([kustomize, "build", "shop"], cwd=CASE / "input", check=False, capture_output=True).returncode
