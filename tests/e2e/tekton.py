"""Run Tasks and Pipelines of Tekton as Tekton does: a container for each step, one workspace, a matrix fanned out."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, Any

from tests.e2e import container

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import docker


def run(engine: docker.DockerClient, task: dict, workspace: Path, scratch: Path, **given: str) -> list[container.Exit]:
    """Run every step of `task`, whose one workspace is `workspace`. `given` parameters win over defaults."""
    spec = task["spec"]
    (name,) = [declared["name"] for declared in spec["workspaces"]]
    values = {f"params.{key}": value for key, value in _parameters(spec, given).items()}
    values[f"workspaces.{name}.path"] = f"/workspace/{name}"
    values["context.taskRun.name"] = "-".join((task["metadata"]["name"], *values.values())).replace("/", "-")
    mounts = {str(workspace): {"bind": f"/workspace/{name}"}, str(scratch): {"bind": "/tekton/scripts"}}
    return [_run_step(engine, step, mounts, scratch) for step in _replaced(spec["steps"], values)]


def run_pipeline(
    engine: docker.DockerClient, pipeline: dict, tasks: dict[str, dict], workspace: Path, scratch: Path
) -> list[container.Exit]:
    """Run the tasks of a pipeline, each as often as its matrix says, and return how all their steps ended."""
    spec = pipeline["spec"]
    values = {f"params.{key}": value for key, value in _parameters(spec, {}).items()}
    (name,) = [declared["name"] for declared in spec["workspaces"]]
    ended = []
    for task in spec["tasks"]:
        assert task["workspaces"] == [{"name": name}]
        given = {param["name"]: _replaced(param["value"], values) for param in task["params"]}
        for combination in _matrix(task["matrix"]):
            ended += run(engine, tasks[task["taskRef"]["name"]], workspace, scratch, **given, **combination)
    return ended


def _parameters(spec: dict, given: dict[str, str]) -> dict[str, str]:
    values = {param["name"]: param["default"] for param in spec["params"] if "default" in param} | given
    assert values.keys() == {param["name"] for param in spec["params"]}, "Tekton refuses a run without a value for each"
    return values


def _matrix(matrix: dict) -> Iterator[dict[str, str]]:
    """Yield the combinations of a matrix."""
    names = [param["name"] for param in matrix["params"]]
    for values in product(*(param["value"] for param in matrix["params"])):
        yield dict(zip(names, values, strict=True))


def _run_step(engine: docker.DockerClient, step: dict, mounts: dict, scratch: Path) -> container.Exit:
    command = step.get("command")
    if "script" in step:
        script = scratch / step["name"]
        script.write_text(step["script"])
        script.chmod(0o755)
        command = [f"/tekton/scripts/{step['name']}"]
    # Without a command Tekton would have to ask the image's registry for its entrypoint.
    assert command, f"step {step['name']} has neither a command nor a script"
    return container.run(
        engine,
        step["image"],
        entrypoint=command,
        command=step.get("args"),
        environment={variable["name"]: variable["value"] for variable in step.get("env", [])},
        working_dir=step["workingDir"],
        volumes=mounts,
        user=None,
    )


def _replaced(value: Any, values: dict[str, str]) -> Any:
    """Replace Tekton's references. Any other is a mistake in the Task: the kubelet would take it."""
    if isinstance(value, dict):
        return {key: _replaced(child, values) for key, child in value.items()}
    if isinstance(value, list):
        return [_replaced(child, values) for child in value]
    return re.sub(r"\$\(([^)]*)\)", lambda found: values[found[1]], str(value))
