"""The comparison in the README, with the real programs: what they do with what expand-vars is made for.

Each test is one column. `apply-setters` is missing: its source cannot be built from the Go module proxy.
"""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.expand_vars.expansion.running import run

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

POD = """\
kind: Pod   # the simplest workload
apiVersion: v1
metadata: {name: web}
spec:
  containers:
  - name: web
    args: ["--region=$(REGION)", "--zone=REFERENCE"]   # beside REFERENCE
    env:
    - {name: REGION, value: eu}
"""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}
data: {zone: a}
"""
# kustomize sorts the keys, drops the comments and writes each list its own way. It does not look at `env`.
BUILT = """\
apiVersion: v1
data:
  zone: VALUE
kind: ConfigMap
metadata:
  name: settings
---
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  containers:
  - args:
    - --region=$(REGION)
    - VALUE
    env:
    - name: REGION
      value: eu
    name: web
"""


def _run(*command: str | Path, stdin: str = "", environment: dict[str, str] | None = None) -> tuple[int, str, str]:
    done = subprocess.run(
        [*map(str, command)], input=stdin, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return done.returncode, done.stdout, done.stderr


def _kustomization(path: Path, field: str) -> Path:
    (path / "pod.yaml").write_text(POD)
    (path / "settings.yaml").write_text(SETTINGS)
    (path / "kustomization.yaml").write_text(f"""\
resources: [settings.yaml, pod.yaml]
replacements:
- source: {{kind: ConfigMap, name: settings, fieldPath: {field}}}
  targets:
  - select: {{kind: Pod}}
    fieldPaths: [spec.containers.0.args.1]
""")
    return path


def test_replacements_write_the_listed_field_and_format_the_rest(kustomize: str, tmp_path: Path) -> None:
    package = _kustomization(tmp_path, "data.zone")
    assert _run(kustomize, "build", package) == (0, BUILT.replace("VALUE", "a"), "")
    (package / "settings.yaml").write_text(SETTINGS.replace("zone: a", "zone: b"))
    assert _run(kustomize, "build", package) == (0, BUILT.replace("VALUE", "b"), "")


def test_replacements_refuse_a_source_that_is_missing(kustomize: str, tmp_path: Path) -> None:
    code, product, message = _run(kustomize, "build", _kustomization(tmp_path, "data.region"))
    assert (code, product) == (1, "")
    assert "fieldPath `data.region` is missing for replacement source ConfigMap" in message


def test_envsubst_takes_any_text_for_a_reference_and_blanks_what_it_does_not_know(envsubst: str) -> None:
    text = POD.replace("REFERENCE", "${ZONE}")
    assert _run(envsubst, stdin=text, environment={"ZONE": "a"}) == (0, POD.replace("REFERENCE", "a"), "")
    assert _run(envsubst, stdin=text, environment={}) == (0, POD.replace("REFERENCE", ""), "")


def test_flux_does_the_same_with_defaults_and_a_strict_mode(flux_envsubst: str) -> None:
    text = POD.replace("REFERENCE", "${ZONE}")
    assert _run(flux_envsubst, stdin=text, environment={"ZONE": "a"}) == (0, POD.replace("REFERENCE", "a"), "")
    assert _run(flux_envsubst, stdin=text, environment={}) == (0, POD.replace("REFERENCE", ""), "")
    with_default = POD.replace("REFERENCE", "${ZONE:=z}")
    assert _run(flux_envsubst, stdin=with_default, environment={}) == (0, POD.replace("REFERENCE", "z"), "")
    refused = _run(flux_envsubst, "--strict", stdin=text, environment={})
    assert refused == (1, "", 'variable not set (strict mode): "ZONE"\n')


FILE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: file}
data:
  app.properties: "region=us"
"""


def test_replacements_write_a_part_of_a_file_between_delimiters_and_read_a_part_of_a_value(
    kustomize: str, tmp_path: Path
) -> None:
    (tmp_path / "file.yaml").write_text(FILE)
    (tmp_path / "settings.yaml").write_text(SETTINGS.replace("zone: a", "zone: eu-a"))
    (tmp_path / "kustomization.yaml").write_text("""\
resources: [settings.yaml, file.yaml]
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.zone, options: {delimiter: "-", index: 0}}
  targets:
  - select: {kind: ConfigMap, name: file}
    fieldPaths: ["data.[app.properties]"]
    options: {delimiter: "=", index: 1}
""")
    code, product, _ = _run(kustomize, "build", tmp_path)
    assert (code, "\n  app.properties: region=eu\n" in product) == (0, True)


FILES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: file}
data:
  app.json: '{"log": {"level": "LEVEL", "ratio": 1.0}, "b": 1, "a": [1.0]}'
  app.yaml: |
    log: {level: "LEVEL", ratio: 1.0} # kept
"""


def test_replacements_set_a_value_in_json_and_yaml_and_write_the_file_again(kustomize: str, tmp_path: Path) -> None:
    value = 'say "hi": yes'
    (tmp_path / "file.yaml").write_text(FILES)
    (tmp_path / "settings.yaml").write_text(SETTINGS.replace("zone: a", f"zone: '{value}'"))
    (tmp_path / "kustomization.yaml").write_text(r"""
resources: [settings.yaml, file.yaml]
replacements:
- source: {kind: ConfigMap, name: settings, fieldPath: data.zone}
  targets:
  - {select: {kind: ConfigMap, name: file}, fieldPaths: ['data.app\.json.log.level', 'data.app\.yaml.log.level']}
""")
    code, product, _ = _run(kustomize, "build", tmp_path)
    (file,) = (one for one in yaml.safe_load_all(product) if one["metadata"]["name"] == "file")
    written = json.dumps(value)
    # Sorted, `1.0` is `1`, and other quotes or no line end: what expand-vars leaves as it is.
    assert (code, file["data"]["app.json"]) == (0, f'{{"a":[1],"b":1,"log":{{"level":{written},"ratio":1}}}}')
    assert file["data"]["app.yaml"] == f"log: {{level: {written}, ratio: 1.0}} # kept"
    ours = run(FILES.replace("LEVEL", "$(ZONE)"), spec="targets: [{preset: All}]", arguments=[("ZONE", value)])
    (data,) = (one["data"] for one in yaml.safe_load_all(ours.text))
    assert data == {
        "app.json": f'{{"log": {{"level": {written}, "ratio": 1.0}}, "b": 1, "a": [1.0]}}',
        "app.yaml": f"log: {{level: {written}, ratio: 1.0}} # kept\n",
    }


def test_envsubst_takes_all_names_of_the_environment_or_those_that_are_listed(envsubst: str) -> None:
    environment = {"ZONE": "a", "HOME": "/root"}
    assert _run(envsubst, stdin="$ZONE $HOME", environment=environment)[1] == "a /root"
    assert _run(envsubst, "$ZONE", stdin="$ZONE $HOME", environment=environment)[1] == "a $HOME"


def test_flux_takes_a_part_of_a_value_by_its_string_functions(flux_envsubst: str) -> None:
    assert _run(flux_envsubst, stdin="${ZONE/eu-/}", environment={"ZONE": "eu-a"})[1] == "a"
