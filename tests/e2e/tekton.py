"""Run the steps of a Tekton Task as Tekton runs them: one container each, on one workspace."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tests.e2e import container

if TYPE_CHECKING:
    from pathlib import Path

    import docker


def run(engine: docker.DockerClient, task: dict, workspace: Path, scratch: Path) -> list[container.Exit]:
    """Run every step of `task`, whose one workspace is `workspace`, with its parameters at their defaults."""
    spec = task["spec"]
    (name,) = [declared["name"] for declared in spec["workspaces"]]
    values = {f"params.{param['name']}": param["default"] for param in spec["params"]}
    values[f"workspaces.{name}.path"] = f"/workspace/{name}"
    mounts = {str(workspace): {"bind": f"/workspace/{name}"}, str(scratch): {"bind": "/tekton/scripts"}}
    return [_run_step(engine, step, mounts, scratch) for step in _replaced(spec["steps"], values)]


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
