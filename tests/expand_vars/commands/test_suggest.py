"""`expand-vars explain --suggest`: what it prints can be pasted, and then every variable is expanded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.expansion import left_alone
from krm import resourcelist
from krm.resource import Resource
from krm.results import INFO
from tests.expand_vars.expansion.running import explained
from tests.krm.package.directories import write
from tests.process import ROOT, run

if TYPE_CHECKING:
    from pathlib import Path

CASES = sorted(path.parent for path in ROOT.glob("testdata/expand_vars/function/*/input.yaml"))
assert CASES, "no cases under testdata/expand_vars/function"

FILES = {
    "web.yaml": """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {stage: $(STAGE)}}
spec:
  replicas: $(COUNT)
  template: {spec: {containers: [{name: web, image: "web:$(TAG)"}, {name: log, image: "log:$(TAG)"}]}}
""",
    "others.yaml": """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {stage: $(STAGE), host: "web.$(STAGE).svc"}
---
apiVersion: example.com/v1
kind: Fleet
metadata: {name: fleet}
spec: {stage: $(STAGE), template: {spec: {containers: [{name: a, args: [$(STAGE)], image: "a:$(TAG)"}]}}}
---
apiVersion: tekton.dev/v1
kind: Task
metadata: {name: build}
spec: {steps: [{name: a, args: [$(TAG)]}]}
""",
}
MISSHAPEN = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec: {template: {spec: {containers: {web: {args: [$(STAGE)]}}}}}
"""
ARGUMENTS = ("STAGE=prod", "TAG=1.2", "COUNT=3")
SUGGESTED = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: vars
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  podTemplates:
  - group: example.com
    kind: Fleet
    fieldPath: spec.template
  targets:
  - select:
      kind: ConfigMap
    fieldPaths:
    - data.stage
    - data.host
  - select:
      group: example\\.com
      kind: Fleet
    fieldPaths:
    - spec.stage
"""


def suggested(folder: Path, *arguments: str) -> tuple[str, str]:
    answer = run("explain", ".", "--suggest", *arguments, stdin=b"", folder=folder)
    assert answer.code == 0
    return answer.stdout.decode(), answer.stderr


def test_without_an_expandvars_it_is_a_whole_one(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    assert suggested(tmp_path, *ARGUMENTS) == (SUGGESTED, "")
    write(tmp_path, {"vars.yaml": SUGGESTED})
    assert suggested(tmp_path, *ARGUMENTS) == ("", "there is nothing to add to the functionConfig\n")
    told = "1 note not shown (--verbose tells them)\n"
    assert run("eval", ".", *ARGUMENTS, stdin=b"", folder=tmp_path)[1:] == (told, 0)
    lines = (tmp_path / "web.yaml").read_text().splitlines()
    assert [line for line in lines if "$(" in line.partition("# expand:")[0]] == []


def test_for_a_field_of_the_wrong_shape_there_is_nothing_to_add(tmp_path: Path) -> None:
    write(tmp_path, {"web.yaml": MISSHAPEN})
    assert suggested(tmp_path, *ARGUMENTS) == ("", "there is nothing to add to the functionConfig\n")


def test_what_is_there_already_stays(tmp_path: Path) -> None:
    config = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: shop}
spec:
  variables: [{name: STAGE, value: prod}]
  targets:
  - preset: All
    select: {kind: Job}
  - select: {kind: ConfigMap}
    fieldPaths: [data.stage]
    required: true
  - select: {kind: ConfigMap}
    fieldPaths: [data.nothing]
"""
    write(tmp_path, {**FILES, "vars.yaml": config})
    printed, _ = suggested(tmp_path)
    first, block = printed.split("\n", 1)
    assert first == "# These keys of `spec` take the place of those that are there."
    spec = yaml.safe_load(block)
    assert spec["targets"][:3] == [
        {"preset": "All", "select": {"kind": "Job"}},
        {"select": {"kind": "ConfigMap"}, "fieldPaths": ["data.stage"], "required": True},
        {"select": {"kind": "ConfigMap"}, "fieldPaths": ["data.nothing", "data.host"]},
    ]
    pasted = config.partition("  targets:")[0] + "".join(f"  {line}\n" for line in block.splitlines())
    write(tmp_path, {"vars.yaml": pasted})
    assert suggested(tmp_path) == ("", "there is nothing to add to the functionConfig\n")


def test_with_mistakes_it_tells_these(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "vars.yaml": SUGGESTED + "  - preset: Labels\n"})
    answer = run("explain", ".", "--suggest", *ARGUMENTS, stdin=b"", folder=tmp_path)
    found = "found `Labels`, but only `All` is allowed here"
    place = "vars.yaml:23: expandvars.dev/v1alpha1/ExpandVars/vars spec.targets[2].preset"
    assert answer == (b"", f"[error] {place}: {found} (InvalidFunctionConfig)\n", 1)


def test_a_mistake_in_an_item_comes_first(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "twice.yaml": "apiVersion: v1\nkind: Pod\nkind: Pod\n"})
    answer = run("explain", "web.yaml", "twice.yaml", "--suggest", *ARGUMENTS, stdin=b"", folder=tmp_path)
    message = "twice.yaml: document 1: line 3, column 1: the key `kind` is here again"
    assert (answer.stdout, answer.code) == (b"", 1)
    assert message in answer.stderr


def test_files_that_are_left_alone_are_named(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "a: [\n"})
    message = "left alone: it is not YAML: line 2, column 1: a value is missing here, or a bracket above is not closed"
    expected = f"[warning] a.yaml: {message} (LeftAlone)\nthere is nothing to add to the functionConfig\n"
    assert suggested(tmp_path) == ("", expected)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_in_every_golden_case_what_is_printed_can_be_pasted(case: Path) -> None:
    given = (case / "input.yaml").read_bytes().decode()
    block = _block(given)
    if not block:
        return
    config = resourcelist.read(given).function_config
    pasted: Any = yaml.safe_load(block)
    if config is not None and config.kind == "ExpandVars":
        whole: Any = config.get(())
        whole["spec"].update(pasted)
    else:
        whole = pasted
        data = {} if config is None else config.get("data") or {}
        whole["spec"]["variables"] = [{"name": name, "value": value.replace("$", "$$")} for name, value in data.items()]
    text = yaml.safe_dump(whole)
    output = pipeline.run(given, Resource(text, (0, len(text)), "pasted"))
    assert [str(one) for one in output.results if one.reason == "UntargetedReference" and one.severity != INFO] == []
    assert [str(one) for one in output.results if one.reason in ("InvalidTarget", "InvalidFunctionConfig")] == []


def _block(given: str) -> str:
    """Return what would be printed for a text, "" where that cannot be explained."""
    try:
        listed = resourcelist.read(given)
        found = explained(listed, listed.function_config)
    except Exception:  # noqa: BLE001 - cases that fail are of other tests
        return ""
    return "".join(
        f"{line}\n" for line in left_alone.suggested_lines(found.untargeted(), found.pod_specs, listed.function_config)
    )
