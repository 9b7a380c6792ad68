"""What the function says of itself to others: the KRMFunctionDefinition, and the files for kpt's catalog."""

from __future__ import annotations

import json
import re
import subprocess
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from expand_vars.functionconfig.config import definition, schema_text
from tests.pages import ROOT
from tests.process import run

if TYPE_CHECKING:
    from pathlib import Path

DEFINITION: Any = yaml.safe_load(definition())
(VERSION,) = DEFINITION["spec"]["versions"]
SCHEMA = VERSION["schema"]["openAPIV3Schema"]
CATALOG = ROOT / "packaging" / "catalog"
METADATA = yaml.safe_load((CATALOG / "metadata.yaml").read_text())
README = (CATALOG / "README.md").read_text()
# Those of OpenAPI 3.0 alone, and one of Kubernetes' own.
WORDS = {
    *("additionalProperties", "default", "description", "enum", "items", "minItems", "oneOf", "properties", "required"),
    *("type", "x-kubernetes-preserve-unknown-fields"),
}
CONFIGS = sorted(path for path in ROOT.glob("examples/*/expand-vars.yaml") if "kind: ExpandVars" in path.read_text())
assert CONFIGS
GOOD = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: a}\n"


def words(schema: dict[str, Any]) -> set[str]:
    """Return the keywords of a schema and of all in it."""
    below = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return {*schema}.union(*map(words, below))


def test_the_command_prints_the_definition() -> None:
    assert run("schema", "--definition", stdin=b"") == (definition().encode(), "", 0)


def test_its_schema_has_the_words_of_openapi_alone() -> None:
    assert words(SCHEMA) <= WORDS


def test_what_the_schema_of_the_function_takes_the_definition_takes() -> None:
    fields = json.loads(schema_text())["properties"]["spec"]["properties"]
    assert SCHEMA["properties"]["spec"]["properties"].keys() == fields.keys()
    for path in CONFIGS:
        jsonschema.validate(yaml.safe_load(path.read_text()), SCHEMA)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(yaml.safe_load(f"{GOOD}spec: {{variabls: []}}"), SCHEMA)


@pytest.mark.e2e
def test_kyaml_reads_it_and_checks_by_it(manifest_oracle: str, tmp_path: Path) -> None:
    made, bad = tmp_path / "definition.yaml", tmp_path / "bad.yaml"
    made.write_text(definition())
    bad.write_text(f"{GOOD}spec: {{variabls: []}}")
    for config in CONFIGS:
        subprocess.run([manifest_oracle, "definition", made, config], check=True)
    done = subprocess.run([manifest_oracle, "definition", made, bad], capture_output=True, text=True, check=False)
    assert done.stderr == "validation failure list:\nspec.variabls in body is a forbidden property\n"


def test_the_catalog_gets_its_fields() -> None:
    assert [*METADATA] == ["image", "description", "tags", "sourceURL", "examplePackageURLs", "emails", "license"]


def test_the_catalog_and_the_definition_say_the_same() -> None:
    spec = DEFINITION["spec"]
    assert VERSION["runtime"]["container"]["image"].partition(":")[0] == METADATA["image"]
    assert (spec["description"], spec["tags"], spec["home"], VERSION["license"], VERSION["examples"]) == tuple(
        METADATA[key] for key in ("description", "tags", "sourceURL", "license", "examplePackageURLs")
    )
    for url in METADATA["examplePackageURLs"]:
        assert (ROOT / url.partition("/tree/main/")[2] / "README.md").is_file()


def test_the_readme_has_the_catalog_s_parts() -> None:
    short, long, examples = re.findall(r"<!--mdtogo:(\w+)-->\n\n(.*?)<!--mdtogo-->", README, re.DOTALL)
    assert (short[0], long[0], examples[0]) == ("Short", "Long", "Examples")
    assert short[1].strip() == METADATA["description"]
    assert f"--image {VERSION['runtime']['container']['image']} " in examples[1]


def test_the_example_of_the_readme_is_true(tmp_path: Path) -> None:
    config, before, after = re.findall(r"```yaml\n(.*?)```", README, re.DOTALL)
    for name, text in (("place.yaml", config), ("package/web.yaml", before)):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert run("eval", "package", "--fn-config", "place.yaml", stdin=b"", folder=tmp_path).code == 0
    assert (tmp_path / "package" / "web.yaml").read_text() == after


def test_the_help_which_kpt_shows_as_the_page_of_the_function_has_a_function_config_and_an_example(
    tmp_path: Path,
) -> None:
    shown = run("--help", stdin=b"").stdout.decode()
    [config] = re.findall(r"^  apiVersion: expandvars.*?(?=^\S|\n\n)", shown, re.MULTILINE | re.DOTALL)
    (tmp_path / "config.yaml").write_text(config)
    pod = b"apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: '$(REGION)'}]}\n"
    done = run("--fn-config", "config.yaml", stdin=pod, folder=tmp_path)
    assert done == (pod.replace(b"$(REGION)", b"eu-west-1"), "", 0)
    assert f"  kpt fn eval PACKAGE --image {VERSION['runtime']['container']['image']} -- REGION=eu-west-1" in shown
