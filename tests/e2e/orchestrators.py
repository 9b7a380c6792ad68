"""Each way to run a function that the README names, as a function that prepares a package for it and runs it.

`config` is the functionConfig. What comes back is the resources as they then are, by file name.
"""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

import docker
import yaml

from tests.e2e import container

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path


class Program(NamedTuple):
    """A function: as a program, and as an image."""

    executable: str
    image: str


class Run(NamedTuple):
    """How a run ended: the resources, the exit code, and all that the user sees of it beside them."""

    resources: dict[str, bytes]
    code: int
    seen: str


def resources(package: Path) -> dict[str, bytes]:
    """Return the files of a package."""
    return {path.name: path.read_bytes() for path in sorted(package.glob("*.yaml"))}


def _run(*command: str | Path, cwd: Path, stdin: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*map(str, command)], cwd=cwd, input=stdin, capture_output=True, check=False)


def _in_place(package: Path, before: Mapping[str, bytes], done: subprocess.CompletedProcess[bytes]) -> Run:
    # Only the files that were resources before: not the functionConfig, which some want inside the package.
    after = {name: text for name, text in resources(package).items() if name in before}
    return Run(after, done.returncode, (done.stdout + done.stderr).decode())


def _write(path: Path, document: object) -> Path:
    path.write_text(yaml.safe_dump(document))
    return path


def _annotated(config: dict, function: dict) -> dict:
    annotations = {"config.kubernetes.io/function": yaml.safe_dump(function)}
    return config | {"metadata": config["metadata"] | {"annotations": annotations}}


def _kpt_eval(package: Path, config: dict, *program: str) -> Run:
    before = resources(package)
    config_file = _write(package.parent / "config.yaml", config)
    done = _run("kpt", "fn", "eval", ".", "--fn-config", config_file, *program, cwd=package)
    return _in_place(package, before, done)


def kpt_eval_exec(package: Path, program: Program, config: dict) -> Run:
    """`kpt fn eval --exec`."""
    return _kpt_eval(package, config, "--exec", program.executable)


def kpt_eval_image(package: Path, program: Program, config: dict) -> Run:
    """`kpt fn eval --image`."""
    return _kpt_eval(package, config, "--image", program.image)


def kpt_render(package: Path, program: Program, config: dict) -> Run:
    """`kpt fn render` with a pipeline in a Kptfile."""
    before = resources(package)
    _write(package / "config.yaml", config)
    kptfile = {
        "apiVersion": "kpt.dev/v1",
        "kind": "Kptfile",
        "metadata": {"name": "package"},
        "pipeline": {"mutators": [{"image": program.image, "configPath": "config.yaml"}]},
    }
    _write(package / "Kptfile", kptfile)
    return _in_place(package, before, _run("kpt", "fn", "render", cwd=package))


def _build(package: Path, config: dict, function: dict, *command: str) -> Run:
    names = [*resources(package)]
    _write(package / "config.yaml", _annotated(config, function))
    _write(package / "kustomization.yaml", {"resources": names, "transformers": ["config.yaml"]})
    done = _run(*command, ".", cwd=package)
    return Run({"built.yaml": done.stdout}, done.returncode, done.stderr.decode())


def kubectl_kustomize(package: Path, program: Program, config: dict) -> Run:
    """`kubectl kustomize` with a container as a transformer."""
    function = {"container": {"image": program.image}}
    return _build(package, config, function, "kubectl", "kustomize", "--enable-alpha-plugins")


def kustomize_build(package: Path, program: Program, config: dict) -> Run:
    """`kustomize build` with a program as a transformer."""
    # kustomize takes no path from outside the kustomization.
    wrapper = package / "function"
    wrapper.write_text(f'#!/bin/sh\nexec "{program.executable}"\n')
    wrapper.chmod(0o755)
    function = {"exec": {"path": "./function"}}
    return _build(package, config, function, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec")


def kustomize_fn_run(package: Path, program: Program, config: dict) -> Run:
    """`kustomize fn run` with a program."""
    before = resources(package)
    _write(package / "config.yaml", _annotated(config, {"exec": {"path": program.executable}}))
    return _in_place(package, before, _run("kustomize", "fn", "run", "--enable-exec", ".", cwd=package))


def docker_run(package: Path, program: Program, config: dict) -> Run:
    """`docker run -i` between `kpt fn source` and `kpt fn sink`."""
    config_file = _write(package.parent / "config.yaml", config)
    source = _run("kpt", "fn", "source", ".", "--fn-config", config_file, cwd=package)
    engine = docker.from_env()
    code, stdout, stderr = container.run(engine, program.image, source.stdout)
    engine.close()
    if code == 0:
        for path in package.glob("*.yaml"):
            path.unlink()
        _run("kpt", "fn", "sink", "sunk", cwd=package.parent, stdin=stdout)
        package = package.parent / "sunk"
    return Run(resources(package), code, stderr.decode())


class Orchestrator(NamedTuple):
    """A way to run a function, the fixtures that it needs, and whether it writes over its input."""

    run: Callable[[Path, Program, dict], Run]
    needs: tuple[str, ...]
    is_in_place: bool


ALL = (
    Orchestrator(kpt_eval_exec, ("kpt",), is_in_place=True),
    Orchestrator(kpt_eval_image, ("kpt", "image"), is_in_place=True),
    Orchestrator(kpt_render, ("kpt", "image"), is_in_place=True),
    Orchestrator(kubectl_kustomize, ("kubectl", "image"), is_in_place=False),
    Orchestrator(kustomize_build, ("kustomize",), is_in_place=False),
    Orchestrator(kustomize_fn_run, ("kustomize",), is_in_place=True),
    # What `source` gives is in place: nothing says where `sink` writes.
    Orchestrator(docker_run, ("kpt", "image"), is_in_place=True),
)
