"""examples/fleet: its manifests are valid, and each shard does its part, run as the engine would run it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import kubernetes_validate
import pytest
import yaml

from tests.e2e import container, tekton
from tests.expand_vars.commands.test_fleet import git
from tests.krm.package.directories import contents

if TYPE_CHECKING:
    import docker

pytestmark = [pytest.mark.e2e]

EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet"
TASK, PIPELINE = yaml.safe_load_all((EXAMPLE / "pipeline.yaml").read_text())
ALONE = yaml.safe_load((EXAMPLE.parent / "tekton" / "task.yaml").read_text())
JOB = yaml.safe_load((EXAMPLE / "job.yaml").read_text())
GIT_JOB = yaml.safe_load((EXAMPLE / "git-job.yaml").read_text())
README = EXAMPLE / "README.md"


@pytest.fixture
def fleet(tmp_path: Path) -> Path:
    """Copy the packages to where the user of the image may write."""
    copy = shutil.copytree(EXAMPLE / "packages", tmp_path / "fleet")
    for path in (tmp_path, copy, *copy.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    return copy


def test_the_job_is_valid() -> None:
    kubernetes_validate.validate(JOB, "1.33", strict=True)


def asked(oracle: str, kind: str, manifest: dict, folder: Path) -> str:
    """Return what the types of the program that reads a manifest have against it."""
    (folder / "manifest.yaml").write_text(yaml.safe_dump(manifest))
    command = [oracle, kind, str(folder / "manifest.yaml")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


def test_the_api_takes_the_jobs(manifest_oracle: str, tmp_path: Path) -> None:
    assert asked(manifest_oracle, "job", JOB, tmp_path) == ""
    assert asked(manifest_oracle, "job", GIT_JOB, tmp_path) == ""
    unlimited = {key: value for key, value in JOB["spec"].items() if key != "backoffLimitPerIndex"}
    found = asked(manifest_oracle, "job", {**JOB, "spec": unlimited}, tmp_path)
    assert found.endswith('Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set\n')


@pytest.mark.parametrize("manifest", [TASK, PIPELINE, ALONE], ids=["Task", "Pipeline", "a Task of one package"])
def test_tekton_takes_them(manifest: dict, manifest_oracle: str, tmp_path: Path) -> None:
    kind = manifest["kind"].lower()
    assert asked(manifest_oracle, kind, manifest, tmp_path) == ""
    unknown = {**manifest, "spec": {**manifest["spec"], "shards": 4}}
    assert 'unknown field "shards"' in asked(manifest_oracle, kind, unknown, tmp_path)


def test_a_shard_that_fails_ends_no_other() -> None:
    """The first rule that fits counts; `FailIndex` needs a limit per index, `maxFailedIndexes` would end all."""
    spec = JOB["spec"]
    rules = [(rule["action"], rule.get("onExitCodes", {}).get("values")) for rule in spec["podFailurePolicy"]["rules"]]
    assert rules == [("Ignore", None), ("FailIndex", [1]), ("FailJob", [2])]
    assert (spec["backoffLimitPerIndex"], spec["template"]["spec"]["restartPolicy"]) == (2, "Never")
    assert "maxFailedIndexes" not in spec


@pytest.mark.usefixtures("image")
def test_the_pipeline(fleet: Path, tmp_path: Path, engine: docker.DockerClient) -> None:
    tasks = {TASK["metadata"]["name"]: TASK}
    check(fleet, tekton.run_pipeline(engine, PIPELINE, tasks, fleet, tmp_path))


@pytest.mark.usefixtures("image")
def test_the_job(fleet: Path, engine: docker.DockerClient) -> None:
    check(fleet, [run_pod(JOB["spec"], index, fleet, engine) for index in range(JOB["spec"]["completions"])])


def run_pod(spec: dict, index: int, fleet: Path, engine: docker.DockerClient) -> container.Exit:
    """Run the one container of a Pod of an Indexed Job, with its index as the kubelet puts it in."""
    pod: Any = spec["template"]["spec"]
    (one,) = pod["containers"]
    (mount,) = one["volumeMounts"]
    arguments = [argument.replace("$(JOB_COMPLETION_INDEX)", str(index)) for argument in one["args"]]
    return container.run(
        engine,
        one["image"],
        command=arguments,
        working_dir=one["workingDir"],
        volumes={str(fleet): {"bind": mount["mountPath"]}},
        user=str(pod["securityContext"]["runAsUser"]),
    )


def check(fleet: Path, ended: list[container.Exit]) -> None:
    """Check that every package was expanded once, and that the logs are those of the README."""
    assert [(one.code, one.stderr) for one in ended] == [(0, b"")] * 4
    logs = "".join(one.stdout.decode() for one in ended)
    assert f"```text\n{logs}```\n" in README.read_text()
    for path, text in contents(fleet).items():
        if path.endswith("deploy.yaml"):
            assert "args: [--region=eu-west-1]\n" in text
            assert logs.count(path) == 1


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    """Make a repository with the packages on its one branch."""
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "origin.git")
    git(tmp_path, "clone", "-q", "origin.git", "clone")
    shutil.copytree(EXAMPLE / "packages", tmp_path / "clone" / "packages")
    for arguments in ("add -A", "commit -qm start", "push -q origin HEAD:main"):
        git(tmp_path / "clone", *arguments.split())
    return tmp_path / "origin.git"


def run_git_pod(index: int, origin: Path, folder: Path) -> int:
    """Run the containers of a Pod one after the other, as processes with its variables; the volume is a folder."""
    spec = GIT_JOB["spec"]["template"]["spec"]
    folder.mkdir()
    code = 0
    for one in [*spec["initContainers"], *spec["containers"]]:
        values = {entry["name"]: entry.get("value", str(origin)) for entry in one.get("env", ())}
        values |= {"PATH": os.environ["PATH"], "JOB_COMPLETION_INDEX": str(index)}
        environment = {name: str(folder) if value == "/fleet" else value for name, value in values.items()}
        where = one["workingDir"].replace("/fleet", str(folder))
        done = subprocess.run(
            [*one["command"], *one["args"]], cwd=where, env=environment, capture_output=True, text=True, check=False
        )
        code = done.returncode
        if code:
            break
    return code


def test_the_job_on_git_pushes_a_branch_for_each_shard(origin: Path, tmp_path: Path) -> None:
    for attempt in ("first", "second"):
        codes = [run_git_pod(index, origin, tmp_path / f"{attempt}-{index}") for index in range(4)]
        assert codes == [0, 0, 0, 0]
        branches = git(origin, "for-each-ref", "--format=%(refname:short) %(tree)", "refs/heads")
    clone = tmp_path / "clone"
    git(clone, "fetch", "-q")
    git(clone, "merge", "-q", *(f"origin/expand-{index}" for index in range(4)))
    expanded = [text for path, text in contents(clone / "packages").items() if path.endswith("deploy.yaml")]
    assert len(expanded) == 4
    assert all("args: [--region=eu-west-1]\n" in text for text in expanded)
    names = [line.split()[0] for line in branches.splitlines()]
    assert names == ["expand-0", "expand-1", "expand-2", "expand-3", "main"]


def test_a_package_that_fails_is_not_pushed_and_its_shard_ends_as_failed(origin: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    broken = clone / "packages" / "blog" / "deploy.yaml"
    broken.write_text(broken.read_text() + "kind: Deployment\n")
    for arguments in ("commit -qam break", "push -q origin HEAD:main"):
        git(clone, *arguments.split())
    assert run_git_pod(2, origin, tmp_path / "pod") == 3
    assert git(origin, "diff", "--name-only", "main", "expand-2") == "packages/eu/web/deploy.yaml\n"
