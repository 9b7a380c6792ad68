"""`expand-vars migrate --from-setters`, beside what the real `apply-setters` v0.2.1 writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from expand_vars.functionconfig.config import IMAGE

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"
SETTERS = {"nginx-replicas": "3", "tag": "1.16.2", "none": "", "flag": "false", "name": "web", "a.b": "y z"}
# What stands there, its setters, what `apply-setters` made of it with these values, and the template.
FIELDS = [
    ("4", "${nginx-replicas}", "3", "$(nginx-replicas)"),
    ('"nginx:1.16.1"', "nginx:${tag}", '"nginx:1.16.2"', '"nginx:$(tag)"'),
    ("db-1.16.1:4", "${name}-${tag}:${nginx-replicas}", "web-1.16.2:3", "$(name)-$(tag):$(nginx-replicas)"),
    ("'x: 1.16.1'", "x: ${tag}", "'x: 1.16.2'", "'x: $(tag)'"),
    ('""', "${none}", '""', '"$(none)"'),
    ("true", "${flag}", "false", "$(flag)"),
    ('"true"', "${flag}", '"false"', '"$(flag)"'),
    ("4/4", "${nginx-replicas}/${nginx-replicas}", "3/3", "$(nginx-replicas)/$(nginx-replicas)"),
    ("us-4", "${region}-${nginx-replicas}", "us-3", "$(region)-$(nginx-replicas)"),
    ("x", "${a.b}", "y z", "$(a.b)"),
]
# What `apply-setters` reads as none of its comments.
REMARKS = """\
  null_:  # kpt-set: ${tag}
  # kpt-set: ${tag}
  above: 1.16.1
  mine: 1.16.1 # mine # kpt-set: ${tag}
  none: 1.16.1 # kpt-set: nothing
  text: |
    x # kpt-set: ${tag}
"""


def said(text: str) -> str:
    return re.sub(" # (kpt-set|expand): .*", "", text)


def test_it_writes_what_apply_setters_writes(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HEAD + "".join(f"  f{n}: {one[0]} # kpt-set: {one[1]}\n" for n, one in enumerate(FIELDS)) + REMARKS)
    assert cli.run(["migrate", str(tmp_path), "--from-setters"]) == 0
    told = capfd.readouterr().err
    assert told.endswith(f"1 changed\nrun `{IMAGE}` in the place of `apply-setters`, with the same values\n")
    migrated = "".join(f"  f{n}: {one[0]} # expand: {one[3]}\n" for n, one in enumerate(FIELDS))
    assert path.read_text() == HEAD + migrated + REMARKS
    assert cli.run(["eval", str(tmp_path), *(f"{name}={value}" for name, value in SETTERS.items())]) == 0
    applied = "".join(f"  f{n}: {one[2]}\n" for n, one in enumerate(FIELDS))
    assert said(path.read_text()) == said(HEAD + applied + REMARKS)


KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: example}
pipeline:
  mutators:
  - image: gcr.io/kpt-fn/set-namespace:v0.4
    configMap: {namespace: a}
  - image: gcr.io/kpt-fn/apply-setters:v0.2 # the values
    configPath: setters.yaml
"""


def test_its_step_in_a_kptfile_runs_this_function(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "a.yaml").write_text(f"{HEAD}  a: 1 # kpt-set: ${{n}}\n")
    assert cli.run(["migrate", str(tmp_path), "--from-setters"]) == 0
    assert (tmp_path / "Kptfile").read_text() == KPTFILE.replace("gcr.io/kpt-fn/apply-setters:v0.2", IMAGE)
    assert "run `" not in capfd.readouterr().err


LIST = "a template is of one text: give each element of a list its own comment"
BLOCK = "the template of a text over several lines is above it: write it by hand"
NAMES = "a name has letters, digits, `_`, `-` and `.`, and no other `$` stands in it: write the template by hand"
SHAPE = "the text is not of its shape: run `apply-setters` once, and then this again"
LEFT = {
    "  a: # kpt-set: ${a}\n  - x\n": ("a.yaml:7", "${a}", LIST),
    "  a: [x] # kpt-set: ${a}\n": ("a.yaml:6", "${a}", LIST),
    "  a: | # kpt-set: ${a}\n    x\n": ("a.yaml:6", "${a}", BLOCK),
    "  a: 'x\n    y' # kpt-set: ${a}\n": ("a.yaml:6", "${a}", BLOCK),
    "  a: x # kpt-set: ${a b}\n": ("a.yaml:6", "${a b}", NAMES),
    "  a: x # kpt-set: $(X)${a}\n": ("a.yaml:6", "$(X)${a}", NAMES),
    "  a: x # kpt-set: z${a}\n": ("a.yaml:6", "z${a}", SHAPE),
}


@pytest.mark.parametrize("spec", LEFT)
def test_what_has_no_template_stays_and_is_told(
    spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Kptfile").write_text(KPTFILE)
    (tmp_path / "a.yaml").write_text(HEAD + spec)
    place, written, problem = LEFT[spec]
    assert cli.run(["migrate", ".", "--from-setters"]) == 3
    assert (tmp_path / "a.yaml").read_text() == HEAD + spec
    assert (tmp_path / "Kptfile").read_text() == KPTFILE
    assert capfd.readouterr().err.splitlines() == [
        f"[warning] {place}: e.com/v1/Thing/a spec.a: `# kpt-set: {written}` stays: {problem}",
        "nothing changes",
        f"run `{IMAGE}` behind `apply-setters`, with the same values",
    ]


def test_objects_that_configure_tools_stay(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = f"{HEAD}  a: 1 # kpt-set: ${{n}}\n"
    local = text.replace("  name: a\n", '  name: a\n  annotations: {config.kubernetes.io/local-config: "true"}\n')
    (tmp_path / "a.yaml").write_text(local)
    assert cli.run(["migrate", str(tmp_path), "--from-setters"]) == 3
    assert (tmp_path / "a.yaml").read_text() == local
    assert "stays: this function changes no object that configures tools\n" in capfd.readouterr().err
