"""Generated resources under real orchestrators, each run three times with something changed in between."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs import test_generated_resources as page
from tests.docs.test_generate import CONFIG as TEMPLATES_CONFIG
from tests.pages import quoted

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: storefront
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/function: "exec: {path: FUNCTION}"
spec:
  variables:
  - {name: REGION, value: eu}
  - {name: REPLICAS, value: "2"}
  templates:
  - apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web # the storefront
    spec:
      replicas: $(REPLICAS)
      template:
        spec:
          containers:
          - name: web
            image: nginx:1.27
            args: ["--region=$(REGION)"]
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: web
    data:
      region: $(REGION)
"""
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: package}
pipeline: {mutators: [{exec: FUNCTION, configPath: config.yaml}]}
"""
LATER_FUNCTIONS = """\
import krm

def set_all(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        if item.kind in ("Deployment", "ConfigMap"):
            item.set("metadata.namespace", "prod")
            item.set("metadata.labels.env", "prod")
            item.set("metadata.name", "eu-" + item.name.removeprefix("eu-"))

krm.run(set_all)
"""
GENERATOR = """\
import krm

def make(resource_list: krm.ResourceList) -> None:
    resource_list.add("apiVersion: v1\\nkind: ConfigMap\\nmetadata: {name: colors}\\ndata: {sky: SKY, sea: green}\\n")

krm.run(make)
"""
RUN_BY = {
    "kpt": ("kpt", "fn", "render", "--allow-exec"),
    "kustomize": ("kustomize", "fn", "run", "--enable-exec", "."),
}
BUILD = ("kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
# kustomize gives files to the items that a function returns, and they look like those of a run in place.
PLACES_IN_BUILD = {
    "generator": "generators: [config.yaml]",
    "transformer": "transformers: [config.yaml]",
    "transformer behind another": "transformers: [cat.yaml, config.yaml]",
}
CAT = """\
apiVersion: example.com/v1
kind: Cat
metadata: {name: cat, annotations: {config.kubernetes.io/function: "exec: {path: ./cat}"}}
"""


class Package:
    """A directory with a functionConfig, and the function beside it."""

    def __init__(self, directory: Path) -> None:
        self.function = directory / "function"
        self._script(self.function, "-m expand_vars")
        self.path = directory / "package"
        self.path.mkdir()

    def script(self, name: str, text: str) -> Path:
        """Write a function of one's own, and return what to run it by."""
        program = self.path.parent / f"{name}.py"
        program.write_text(text)
        self._script(program.with_suffix(""), str(program))
        return program.with_suffix("")

    def _script(self, path: Path, arguments: str) -> None:
        path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" {arguments}\n')
        path.chmod(0o755)

    def write(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_text(text.replace("FUNCTION", str(self.function)))

    def run(self, *command: str) -> str:
        """Run a command in the package, and return what it prints."""
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def read(self, name: str) -> str:
        return (self.path / name).read_text()

    @property
    def files(self) -> dict[str, str]:
        paths = sorted(path for path in self.path.rglob("*") if path.is_file())
        return {str(path.relative_to(self.path)): path.read_text() for path in paths}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


@pytest.mark.parametrize("tool", RUN_BY)
def test_files_in_place(package: Package, tool: str, request: pytest.FixtureRequest) -> None:
    """The files come, keep what the user changes, follow the templates, and go with them."""
    request.getfixturevalue(tool)
    package.write("Kptfile", KPTFILE)
    package.write("config.yaml", CONFIG)
    package.run(*RUN_BY[tool])
    assert [*package.files] == [
        "Kptfile", "config.generated.yaml", "config.yaml", "configmap_web.yaml", "deployment_web.yaml",
    ]  # fmt: skip
    deployment = package.read("deployment_web.yaml")
    assert "  name: web # the storefront\n" in deployment
    assert "  replicas: 2\n" in deployment
    assert "region=eu" in deployment
    once = package.files
    package.run(*RUN_BY[tool])
    assert package.files == once

    assert deployment.count("  replicas: 2\n") == 1
    package.write(
        "deployment_web.yaml", deployment.replace("  replicas: 2\n", "  replicas: 2 # enough\n  paused: true\n")
    )
    package.write("config.yaml", CONFIG.replace("value: eu", "value: us").replace('"2"', '"3"'))
    package.run(*RUN_BY[tool])
    deployment = package.read("deployment_web.yaml")
    assert "  replicas: 3 # enough\n  paused: true\n" in deployment
    assert "region=us" in deployment
    assert yaml.safe_load(package.read("configmap_web.yaml"))["data"] == {"region": "us"}

    package.write("config.yaml", CONFIG.partition("  - apiVersion: v1")[0])
    package.run(*RUN_BY[tool])
    assert [*package.files] == ["Kptfile", "config.generated.yaml", "config.yaml", "deployment_web.yaml"]


@pytest.mark.usefixtures("kustomize")
@pytest.mark.parametrize("place", PLACES_IN_BUILD)
def test_kustomize_build(package: Package, place: str) -> None:
    """Nothing is remembered: each run makes what the functionConfig says, in what kustomize does to it then."""
    package.function.rename(package.path / "function")
    package.write("cat.yaml", CAT)
    package.write("cat", "#!/bin/sh\nexec cat\n")
    (package.path / "cat").chmod(0o755)
    package.write("kustomization.yaml", f"{PLACES_IN_BUILD[place]}\nresources: [mine.yaml]\n")
    package.write("mine.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n")
    for region in ("eu", "us", "us"):
        config = CONFIG.replace("FUNCTION", "./function").replace("value: eu", f"value: {region}")
        package.write("config.yaml", config)
        made = {
            item["kind"]: item for item in yaml.safe_load_all(package.run(*BUILD)) if item["metadata"]["name"] == "web"
        }
        assert made["ConfigMap"] == {
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "web"}, "data": {"region": region},
        }  # fmt: skip
        assert made["Deployment"]["metadata"] == {"name": "web"}
        assert made["Deployment"]["spec"]["template"]["spec"]["containers"][0]["args"] == [f"--region={region}"]


@pytest.mark.usefixtures("kpt")
def test_later_functions_of_a_pipeline(package: Package) -> None:
    """A namespace, labels and a name prefix are set behind the generator: three renders, no second copy; and pruned."""
    later = package.script("later", LATER_FUNCTIONS)
    package.write("Kptfile", KPTFILE.replace("}]}", f"}}, {{exec: {later}}}]}}"))
    for region in ("eu", "us", "us"):
        package.write("config.yaml", CONFIG.replace("value: eu", f"value: {region}"))
        package.run(*RUN_BY["kpt"])
        made = [yaml.safe_load(text) for name, text in package.files.items() if name.endswith("_web.yaml")]
        assert [item["metadata"]["name"] for item in made] == ["eu-web", "eu-web"]
        assert made[0]["data"] == {"region": region}
    package.write("config.yaml", CONFIG.partition("  - apiVersion: v1")[0])
    package.run(*RUN_BY["kpt"])
    assert [name for name in package.files if name.endswith("_web.yaml")] == ["deployment_web.yaml"]


@pytest.mark.usefixtures("kpt")
def test_a_file_behind_later_functions_is_moved_into_a_subpackage(package: Package) -> None:
    """It is generated again, and a warning names the file, whatever the later functions call what is in it."""
    later = package.script("later", LATER_FUNCTIONS)
    package.write("Kptfile", KPTFILE.replace("}]}", f"}}, {{exec: {later}}}]}}"))
    package.write(
        "config.yaml", CONFIG.replace("      name: web\n    data", "      name: web\n      namespace: a\n    data")
    )
    package.run(*RUN_BY["kpt"])
    (made,) = (name for name in package.files if name.endswith("configmap_web.yaml"))
    package.write("sub/Kptfile", KPTFILE.partition("pipeline")[0])
    (package.path / made).rename(package.path / "sub" / "web.yaml")
    package.run(*RUN_BY["kpt"], "--results-dir", "../results")
    told = yaml.safe_load((package.path.parent / "results" / "results.yaml").read_text())["items"][0]["results"]
    assert [one["message"] for one in told if one["tags"]["reason"] == "InOtherPackage"] == [
        "other packages have this as well, in `sub/web.yaml`: this one is added to them"
    ]
    assert {made, "sub/web.yaml"} <= package.files.keys()


@pytest.mark.usefixtures("kpt")
def test_instances_of_a_package(package: Package) -> None:
    """A blueprint is cloned into two subpackages, with one name of the functionConfig: each has its own resources."""
    package.write("Kptfile", "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: all}\n")
    for region in ("eu", "us"):
        package.write(f"{region}/Kptfile", KPTFILE)
        package.write(f"{region}/config.yaml", CONFIG.replace("value: eu", f"value: {region}"))
    for _ in range(3):
        package.run(*RUN_BY["kpt"])
        made = {name: yaml.safe_load(text) for name, text in package.files.items() if "configmap" in name}
        assert {name: item["data"]["region"] for name, item in made.items()} == {
            "eu/configmap_web.yaml": "eu",
            "us/configmap_web.yaml": "us",
        }
    package.write("us/config.yaml", CONFIG.partition("  - apiVersion: v1")[0])
    package.run(*RUN_BY["kpt"])
    assert [name for name in package.files if "configmap" in name] == ["eu/configmap_web.yaml"]


@pytest.mark.usefixtures("kpt")
def test_behind_another_generator(package: Package) -> None:
    """It appends what it makes, and `duplicates: Later` merges that into the file that is there."""
    package.write("config.yaml", CONFIG.partition("  templates:")[0] + "  merge: {duplicates: Later}\n")
    for sky in ("blue", "grey"):
        generator = package.script("generator", GENERATOR.replace("SKY", sky))
        package.write("Kptfile", KPTFILE.replace("[{exec", f"[{{exec: {generator}}}, {{exec"))
        package.run(*RUN_BY["kpt"])
        if sky == "blue":
            package.run(*RUN_BY["kpt"])
            made = package.read("configmap_colors.yaml")
            package.write("configmap_colors.yaml", made.replace("sea: green}", "sea: mine}"))
    assert yaml.safe_load(package.read("configmap_colors.yaml"))["data"] == {"sky": "grey", "sea": "mine"}
    assert [name for name in package.files if "colors" in name] == ["configmap_colors.yaml"]


@pytest.mark.usefixtures("kpt")
def test_two_that_would_get_one_file(package: Package) -> None:
    """kpt refuses that: they come with an index each."""
    other = "  - apiVersion: example.com/v1\n    kind: ConfigMap\n    metadata: {name: web}\n"
    package.write("Kptfile", KPTFILE)
    package.write("config.yaml", CONFIG + other)
    for _ in range(3):
        package.run(*RUN_BY["kpt"])
        made = [item["apiVersion"] for item in yaml.safe_load_all(package.read("configmap_web.yaml"))]
        assert made == ["v1", "example.com/v1"]


@pytest.mark.usefixtures("kpt")
@pytest.mark.parametrize("what", page.FATES)
def test_what_happens_to_a_generated_resource(package: Package, what: str) -> None:
    """As the page says: what `eval` does and tells, the real kpt does and tells."""
    edits, names = page.FATES[what]
    package.write("Kptfile", KPTFILE.replace("config.yaml", "store.yaml"))
    package.write("store.yaml", TEMPLATES_CONFIG + page.B)
    package.run(*RUN_BY["kpt"])
    config = page.edit(package.path, edits)
    package.write("Kptfile", KPTFILE.replace("config.yaml", config))
    render = [*RUN_BY["kpt"], "--results-dir", "../results"]
    done = subprocess.run(render, cwd=package.path, capture_output=True, text=True, check=False)
    told = yaml.safe_load((package.path.parent / "results" / "results.yaml").read_text())["items"][0].get("results", [])
    (row,) = (row for row in page.rows("Whose an item is") if row[0] == what)
    assert (page.reasons(told), done.returncode) == (quoted(row[2]), int("TwoOwners" in row[2]))
    assert [one["metadata"]["name"] for one in page.deployments(package.path)] == names
