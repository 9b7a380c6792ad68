"""Functions of one's own on `fn.sdk`: only the product reaches standard output, and every failure shows."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from fn import sdk
from tests.process import ROOT, Answer, run

if TYPE_CHECKING:
    from pathlib import Path

GIVEN = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: # the shop
    name: web
- apiVersion: v1
  kind: Service
  metadata: {name: web}
"""
LABELLED = GIVEN.replace("    name: web\n", "    name: web\n    labels:\n      team: storefront\n")


def example() -> str:
    """Return the function in the docstring of `fn.sdk`."""
    found = re.search(r"```python\n(.*)```", sdk.__doc__ or "", re.DOTALL)
    assert found
    return found[1]


def started(code: str, stdin: str = GIVEN) -> Answer:
    return run(stdin=stdin.encode(), command=(sys.executable, "-c", dedent(code)))


def test_the_example_works() -> None:
    assert started(example()) == (LABELLED.encode(), "", 0)


@pytest.mark.e2e
def test_the_example_works_under_kpt(kpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = tmp_path / "label"
    function.write_text(example().replace("/usr/bin/env python3", sys.executable))
    function.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    package = tmp_path / "package"
    package.mkdir()
    deployment = package / "web.yaml"
    deployment.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: # the shop\n  name: web\n")
    subprocess.run([kpt, "fn", "eval", package, "--exec", function], check=True, capture_output=True)
    assert deployment.read_text() == (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: # the shop\n  name: web\n  labels:\n    team: storefront\n"
    )


PACKED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: init # the first
        image: init:1 # of init
      - name: web
        image: web:1
      # the last
      - name: side
        image: side:1 # of side
"""
SETTINGS = """\
# for web
apiVersion: v1
kind: ConfigMap # of ours
metadata:
  name: settings
data:
  b: '1'
  # the other
  a: x
"""


def program(directory: Path, *lines: str) -> Path:
    """Write an executable function with these lines for its body."""
    path = directory / "function"
    body = "\n".join(f"    {line}" for line in lines)
    found = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom fn import sdk\n"
    path.write_text(f"#!{sys.executable}\n{found}\ndef process(resource_list):\n{body}\n\nsdk.run(process)\n")
    path.chmod(0o755)
    return path


@pytest.mark.e2e
def test_comments_stay_where_they_belong_under_kpt(kpt: str, tmp_path: Path) -> None:
    """What kpt copies by position it would put on the wrong elements, were it to find the item again."""
    function = program(
        tmp_path,
        "for item in resource_list.items:",
        '    item.delete("spec.template.spec.containers[name=init]")',
        f"resource_list.add({SETTINGS!r})",
    )
    package = tmp_path / "package"
    package.mkdir()
    (package / "web.yaml").write_text(PACKED)
    subprocess.run([kpt, "fn", "eval", package, "--exec", function], check=True, capture_output=True)
    assert {path.name: path.read_text() for path in package.iterdir()} == {
        "web.yaml": PACKED.replace("      - name: init # the first\n        image: init:1 # of init\n", ""),
        "configmap_settings.yaml": SETTINGS,
    }


@pytest.mark.e2e
def test_a_generator_of_kustomize(kustomize: str, tmp_path: Path) -> None:
    program(tmp_path, "resource_list.remove(*resource_list.items)", f"resource_list.add({SETTINGS!r})")
    (tmp_path / "kustomization.yaml").write_text("generators:\n- generator.yaml\n")
    (tmp_path / "generator.yaml").write_text(
        "apiVersion: example.org/v1\nkind: Settings\nmetadata:\n  name: settings\n  annotations:\n"
        "    config.kubernetes.io/function: |\n      exec: {path: ./function}\n"
    )
    build = (kustomize, "build", "--enable-alpha-plugins", "--enable-exec", str(tmp_path))
    built = subprocess.run(build, check=True, capture_output=True, text=True).stdout
    assert built == 'apiVersion: v1\ndata:\n  a: x\n  b: "1"\nkind: ConfigMap\nmetadata:\n  name: settings\n'


def test_whatever_a_function_prints_goes_to_stderr() -> None:
    stdout, stderr, code = started("""
        import os, subprocess, sys
        from sys import stdout
        from fn import sdk

        def process(resource_list):
            print("print")
            sys.stdout.write("sys.stdout\\n")
            stdout.write("stdout\\n")
            os.write(1, b"descriptor\\n")
            subprocess.run(["echo", "program"])

        sdk.run(process)
    """)
    assert (stdout, code) == (GIVEN.encode(), 0)
    assert sorted(stderr.splitlines()) == ["descriptor", "print", "program", "stdout", "sys.stdout"]


def test_an_exception_is_a_traceback_and_nothing_comes_out() -> None:
    stdout, stderr, code = started("""
        from fn import sdk

        def process(resource_list):
            resource_list.items[0].set("metadata.name", "api")
            raise KeyError("of theirs")

        sdk.run(process)
    """)
    assert (stdout, code) == (b"", 1)
    assert stderr.startswith("Traceback (most recent call last):\n")
    assert stderr.endswith("KeyError: 'of theirs'\n")


def test_an_exit_of_theirs_is_theirs() -> None:
    assert started("from fn import sdk; sdk.run(lambda _: exit(3))") == (b"", "", 3)


FAILING = """
    from fn import sdk

    def process(resource_list):
        item = resource_list.items[0]
        item.set("metadata.name", "api")
        {fail}

    sdk.run(process)
"""


@pytest.mark.parametrize(
    "fail",
    [
        'raise sdk.FnError(sdk.Result("no", sdk.ERROR, "Never"))',
        'resource_list.results.append(sdk.Result("no", sdk.ERROR, "Never"))',
    ],
)
def test_an_error_gives_the_items_back_as_they_were(fail: str) -> None:
    results = 'results:\n- message: "no"\n  severity: error\n  tags:\n    reason: Never\n'
    assert started(FAILING.format(fail=fail)) == ((GIVEN + results).encode(), "[error] no\n", 1)


def test_an_error_in_the_other_shapes_lets_nothing_out() -> None:
    failing = FAILING.format(fail='raise sdk.FnError(sdk.Result("no", sdk.ERROR, "Never"))')
    assert started(failing, "kind: Pod\nmetadata: {name: a}\n") == (b"", "[error] no\n", 1)


def test_transform_is_run_without_streams() -> None:
    def tell(resource_list: sdk.ResourceList) -> None:
        for item in resource_list.items:
            resource_list.results.append(item.result(f"met {item.name}", sdk.INFO, "Met", ("metadata", "name")))

    output = sdk.transform(GIVEN, tell)
    assert output.exit_code == 0
    assert [str(result) for result in output.results] == [
        "[info] apps/v1/Deployment/web metadata.name: met web",
        "[info] v1/Service/web metadata.name: met web",
    ]
    assert output.text.startswith(f"{GIVEN}results:\n- message: met web\n  severity: info\n")


def test_all_that_is_offered_is_there() -> None:
    assert [name for name in sdk.__all__ if not hasattr(sdk, name)] == []
