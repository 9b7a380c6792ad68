"""Fields of setters beside fields with `# expand:`: kyaml's setters, as kpt and Flux have them, and runs in place."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n"
POD = "  template:\n    spec:\n      containers:\n      - name: web\n"
ARGS = f"{POD}        args:\n"
COUNT = '  replicas: COUNT # {"$openapi":"count"}\n'
IMAGE = '        image: IMAGE # {"$imagepolicy": "flux-system:web"}\n'
WORD = '# {"$openapi":"word"}'

FIELDS = {
    "a setter's field beside ours": (
        f"{COUNT}{ARGS}        - --r=$(TAG)\n",
        f"{COUNT}{ARGS}        - --r=VALUE # expand: --r=$(TAG)\n",
    ),
    "Flux's image beside brackets": (
        f"{POD}{IMAGE}        args: [$(TAG)]\n",
        f"{POD}{IMAGE}        # expand: args: [$(TAG)]\n        args: [VALUE]\n",
    ),
    "a setter's field beside a block": (
        f"{COUNT}{ARGS}        - |\n          echo $(TAG)\n",
        f"{COUNT}{ARGS}        # expand: - |\n        #   echo $(TAG)\n        - |\n          echo VALUE\n",
    ),
    "a reference in a setter's field": (f"{ARGS}        - WORD {WORD}\n",) * 2,
    "a reference below a setter": (f"{ARGS}        - x\n        {WORD}\n        - WORD\n",) * 2,
    "comments of both behind a value": (f"{POD}{IMAGE[:-1]} # expand: x:$(TAG)\n".replace("IMAGE", "web:1"),) * 2,
}
SET = {"$openapi": ("count=5", "word=set"), "$imagepolicy": ("flux-system:web=web:2",)}


def said(text: str, tag: str, *, is_set: bool) -> str:
    words = {"- WORD": ("- $(TAG)", "- set"), "COUNT": "35", "IMAGE": ("web:1", "web:2"), "VALUE": (tag, tag)}
    for word, values in words.items():
        text = text.replace(word, values[is_set])
    return HEAD + text


@pytest.mark.parametrize("case", FIELDS)
def test_no_setter_and_no_run_damages_what_is_the_others(case: str, setters_oracle: str, tmp_path: Path) -> None:
    (source, ran), path = FIELDS[case], tmp_path / "web.yaml"
    path.write_text(said(source, "", is_set=False))
    cli.run(["eval", str(tmp_path), "TAG=a"])
    assert path.read_text() == said(ran, "a", is_set=False)
    for mark, values in SET.items():
        subprocess.run([setters_oracle, mark, tmp_path, *values], check=True)
    assert path.read_text() == said(ran, "a", is_set=True)
    cli.run(["eval", str(tmp_path), "TAG=b"])
    assert path.read_text() == said(ran, "b", is_set=True)
    cli.run(["eval", str(tmp_path), "--restore"])
    assert path.read_text() == said(source, "", is_set=True)
