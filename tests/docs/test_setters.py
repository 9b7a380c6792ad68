"""docs/guides/setters.md is true."""

from __future__ import annotations

from typing import TYPE_CHECKING

from expand_vars import __main__ as cli
from expand_vars import pipeline
from tests.expand_vars.expansion.running import Ran, config
from tests.pages import Page

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PAGE = Page("setters")
TESTED = {"Before": "yaml yaml", "After": "yaml yaml", "The command": "sh text"}
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: web}
pipeline: {mutators: [{image: "gcr.io/kpt-fn/apply-setters:v0.2", configPath: setters.yaml}]}
"""
BEFORE, SETTERS = (block.text for block in PAGE.blocks("Before"))
AFTER, AGAIN = (block.text for block in PAGE.blocks("After"))


def run(text: str, setters: str) -> Ran:
    return Ran(pipeline.run(text, config(setters)))


def test_the_same_configmap_gives_the_values() -> None:
    assert run(AFTER, SETTERS).text == AFTER
    assert run(AFTER, SETTERS.replace("1.27", "1.28")).text == AGAIN


def test_the_comments_alone_differ() -> None:
    assert BEFORE.replace("# kpt-set:", "# expand:").replace("${", "$(").replace("}", ")") == AFTER


def test_the_command_makes_the_one_of_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in {"Kptfile": KPTFILE, "web.yaml": BEFORE, "setters.yaml": SETTERS}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    command, told = (block.text for block in PAGE.blocks("The command"))
    assert cli.run(command.split()[1:]) == 0
    assert capfd.readouterr().err == told
    assert (tmp_path / "web.yaml").read_text() == AFTER
    assert "expand-vars/expand-vars:" in (tmp_path / "Kptfile").read_text()
    assert cli.run(["eval", ".", "--fn-config", "setters.yaml", "--check"]) == 0


def test_a_line_with_comments_of_both_stays() -> None:
    both = AFTER.replace(" # expand: nginx", " # kpt-set: nginx:${tag} # expand: nginx")
    ran = run(both, SETTERS.replace("1.27", "1.28"))
    assert (ran.text, "OwnedByOther" in ran.reasons) == (both, True)


def test_one_of_two_names_has_a_value() -> None:
    two = AFTER.replace("nginx:1.27 # expand: nginx", "nginx:1.27 # expand: $(image)")
    ran = run(two, SETTERS.replace("1.27", "1.28"))
    assert ran.text == two.replace("nginx:1.27", "nginx:1.28")
    assert "KeptLastValue" in ran.reasons
    dashes = two.replace("$(image)", "$(web-image.name)")
    assert run(dashes, SETTERS.replace("tag:", "web-image.name: httpd\n  tag:")).text == dashes.replace(
        "nginx:1", "httpd:1"
    )
