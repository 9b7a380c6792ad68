"""Runs in place under real orchestrators: what is in the files follows the variables, run after run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests import process

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
KEY = "expandvars.dev/references"
DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the storefront
spec:
  template:
    spec:
      containers:
      - name: web
        image: nginx:1.27
        args:
        - --region=$(REGION) # where we are
        - "--page=$(REGION) $(TAG)"
        env:
        - name: HOST
          value: "cache.$(REGION).internal"
"""
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata: {name: package}
pipeline: {mutators: [{exec: FUNCTION, configPath: config.yaml}]}
"""
CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: place
  annotations:
    config.kubernetes.io/local-config: "true"
    config.kubernetes.io/function: "exec: {path: FUNCTION}"
spec: {variables: [{name: REGION, value: eu-west-1}, {name: TAG, value: "1.10"}], unresolved: Ignore}
"""
KUSTOMIZATION = """\
resources: [deploy.yaml]
vars: [{name: REGION, objref: {apiVersion: apps/v1, kind: Deployment, name: web}}]
"""


def at(region: str, tag: str) -> str:
    """Return the Deployment as it is there."""
    return DEPLOYMENT.replace("$(REGION)", region).replace("$(TAG)", tag)


class Package:
    """A directory with the Deployment, and the function beside it."""

    def __init__(self, directory: Path) -> None:
        self.function = directory / "function"
        self.function.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" -m expand_vars\n')
        self.function.chmod(0o755)
        self.path = directory / "package"
        self.path.mkdir()
        self.write("deploy.yaml", DEPLOYMENT)

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text.replace("FUNCTION", str(self.function)))

    def run(self, *command: str) -> str:
        """Run a command in the package, and return what it prints."""
        done = subprocess.run(command, cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def deployment(self) -> str:
        return (self.path / "deploy.yaml").read_text()

    @property
    def without_record(self) -> str:
        """The Deployment as a pipe gives it: the record honoured, and gone."""
        return process.run(stdin=self.deployment.encode()).stdout.decode()


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return Package(tmp_path)


def follows(package: Package, *command: str) -> None:
    """Run, and run again with other values: the file has these then, whatever was edited apart from them."""
    package.write("config.yaml", CONFIG)
    package.run(*command)
    assert package.without_record == at("eu-west-1", "1.10")
    once = package.deployment
    assert f"    {KEY}: |\n      spec.template." in once
    package.run(*command)
    assert package.deployment == once
    package.write("config.yaml", CONFIG.replace("eu-west-1", "us").replace("1.10", "2.0"))
    package.write(
        "deploy.yaml", once.replace('value: "cache.eu-west-1', 'value: "redis').replace("nginx:1.27", "nginx:1.28")
    )
    package.run(*command)
    edited = at("us", "2.0").replace("cache.us", "redis").replace("nginx:1.27", "nginx:1.28")
    assert package.without_record == edited


@pytest.mark.usefixtures("kpt")
def test_the_file_follows_under_kpt_fn_render(package: Package) -> None:
    package.write("Kptfile", KPTFILE)
    follows(package, "kpt", "fn", "render", "--allow-exec")


@pytest.mark.usefixtures("kpt")
def test_a_record_that_kpt_has_formatted_is_read(package: Package) -> None:
    """It writes each file anew that it sends through any function, in a style of its own."""
    expand = ("kpt", "fn", "eval", ".", "--exec", str(package.function), "--")
    package.run(*expand, "REGION=eu-west-1", "TAG=1.10")
    text = package.deployment
    record = yaml.safe_load(text)["metadata"]["annotations"][KEY]
    start, end = text.index(f"    {KEY}: |"), text.index("spec:\n")
    for written in (text[start + len(f"    {KEY}: ") : end], f"{json.dumps(record)}\n"):
        package.write("deploy.yaml", f"{text[:start]}    {KEY}: {written}{text[end:]}")
        package.run("kpt", "fn", "eval", ".", "--exec", "cat")
        package.run(*expand, "REGION=us", "TAG=2.0")
        assert package.without_record == at("us", "2.0")


@pytest.mark.usefixtures("kustomize")
def test_the_file_follows_under_kustomize_fn_run(package: Package) -> None:
    follows(package, "kustomize", "fn", "run", "--enable-exec", ".")


@pytest.mark.usefixtures("kpt")
def test_values_that_are_given_one_after_the_other_stay_under_kpt_fn_eval(package: Package) -> None:
    command = ("kpt", "fn", "eval", ".", "--exec", str(package.function), "--")
    package.run(*command, "REGION=eu-west-1")
    assert package.without_record == at("eu-west-1", "$(TAG)")
    package.run(*command, "TAG=1.10")
    assert package.without_record == at("eu-west-1", "1.10")
    package.run(*command, "REGION=us")
    assert package.without_record == at("us", "1.10")


@pytest.mark.usefixtures("kpt", "kubectl")
def test_a_record_is_not_harmed_by_kubectl_kustomize_with_vars(package: Package) -> None:
    package.run("kpt", "fn", "eval", ".", "--exec", str(package.function), "--", "REGION=eu-west-1", "TAG=1.10")
    record = yaml.safe_load(package.deployment)["metadata"]["annotations"][KEY]
    package.write("kustomization.yaml", KUSTOMIZATION)
    built = yaml.safe_load(package.run("kubectl", "kustomize", "."))
    assert built["metadata"]["annotations"] == {KEY: record}
    assert built["spec"] == yaml.safe_load(at("eu-west-1", "1.10"))["spec"]


@pytest.mark.usefixtures("kustomize")
def test_kustomize_build_writes_no_record(package: Package) -> None:
    package.write("config.yaml", CONFIG.replace("FUNCTION", "./function"))
    package.write("kustomization.yaml", "resources: [deploy.yaml]\ntransformers: [config.yaml]\n")
    package.function.rename(package.path / "function")
    built = package.run("kustomize", "build", "--enable-alpha-plugins", "--enable-exec", ".")
    assert yaml.safe_load(built) == yaml.safe_load(at("eu-west-1", "1.10"))
