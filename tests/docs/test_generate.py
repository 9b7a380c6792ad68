"""docs/guides/generate.md is true: its commands are run. tests/docs/test_generated_resources.py runs its example."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.krm.package.directories import write
from tests.pages import Page

PAGE = Page("generate")
ENVIRONMENTS = "Three environments of one template"
TESTED = {"Generate resources": "yaml yaml", ENVIRONMENTS: "sh sh"}
CONFIG, ABOVE = (block.text for block in PAGE.blocks("Generate resources"))


def test_three_environments_of_one_template(tmp_path: Path) -> None:
    """The commands of the page are run, and give what the page says."""
    loop, edits = (block.text for block in PAGE.blocks(ENVIRONMENTS))
    values = {f"{name}/values.env": f"REGION={name}\nREPLICAS={len(name)}\n" for name in ("dev", "staging", "prod")}
    write(tmp_path, {"store.yaml": CONFIG, **values})
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}

    def sh(command: str) -> str:
        done = subprocess.run(["bash", "-euc", command], cwd=tmp_path, env=environment, capture_output=True, check=True)
        return done.stderr.decode()

    assert sh(loop) == ""
    sh(edits)
    sh(loop)
    made = {name: (tmp_path / f"{name}/deployment_web-{name}.yaml").read_text() for name in ("dev", "staging", "prod")}
    assert [re.findall(r"image: (\S+)|value: (open)", text) for text in made.values()] == [
        [("web:1.10", ""), ("", "open")],
        [("web:1.10", ""), ("", "open")],
        [("web:1.9", ""), ("", "open")],
    ]
    assert [re.findall(r"replicas: (\d)", text) for text in made.values()] == [["3"], ["7"], ["4"]]
    told = sh("sed -i s/web:1.10/web:1.11/ store.yaml\n" + loop)
    assert "both sides changed this" in told
    assert "image: web:1.11\n" in (tmp_path / "prod/deployment_web-prod.yaml").read_text()
