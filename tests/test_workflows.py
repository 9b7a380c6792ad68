"""The workflows of GitHub: what they take from elsewhere, what they may do, and what a release does."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from tests.pages import ROOT

FOLDER = ROOT / ".github" / "workflows"
FILES = sorted(FOLDER.glob("*.yml"))
assert len(FILES) == 2
WORKFLOWS = {path.name: yaml.safe_load(path.read_text()) for path in FILES}
RELEASE = WORKFLOWS["release.yml"]["jobs"]
STEPS = RELEASE["release"]["steps"]

every_workflow = pytest.mark.parametrize("name", WORKFLOWS)


@every_workflow
def test_every_action_is_pinned_by_commit_and_says_its_version(name: str) -> None:
    used = re.findall(r"uses: (.*)", (FOLDER / name).read_text())
    assert used
    pinned = r"[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+|\./\.github/workflows/ci\.yml"
    assert [one for one in used if not re.fullmatch(pinned, one)] == []


@every_workflow
def test_an_action_has_one_pin(name: str) -> None:
    pins = [
        action.partition(" #")[0].split("@")
        for path in FILES
        for action in re.findall(r"uses: (\S+@\S+)", path.read_text())
    ]
    assert len({action for action, _ in pins}) == len({f"{action}@{pin}" for action, pin in pins}), name


@every_workflow
def test_a_job_may_read_and_no_more_unless_it_says_so(name: str) -> None:
    workflow = WORKFLOWS[name]
    assert workflow["permissions"] == {"contents": "read"}
    assert {one for one, job in workflow["jobs"].items() if "permissions" in job} <= {"release"}


@every_workflow
def test_nothing_that_others_write_is_put_into_a_script(name: str) -> None:
    run = [script for job in WORKFLOWS[name]["jobs"].values() for script in scripts(job.get("steps", []))]
    assert run
    assert [script for script in run if "${{" in script] == []


def test_the_tests_run_on_each_system() -> None:
    jobs = WORKFLOWS["ci.yml"]["jobs"]
    run = {name: [step["run"] for step in job["steps"] if "run" in step][-1] for name, job in jobs.items()}
    assert run["run"] == ".ci/run"
    assert run["macos"].endswith("make test-fast")
    assert run["windows"] == "python -m pytest --noconftest tests/expand_vars/test_windows.py"
    assert {jobs[name]["runs-on"].partition("-")[0] for name in run} == {"ubuntu", "macos", "windows"}


def test_wheels_are_compiled_on_native_runners() -> None:
    assert RELEASE["wheels"]["strategy"]["matrix"]["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"]
    assert "python -m cibuildwheel --output-dir compiled" in scripts(RELEASE["wheels"]["steps"])


def test_a_release_comes_after_the_tests_and_the_wheels() -> None:
    assert (RELEASE["wheels"]["needs"], RELEASE["release"]["needs"]) == ("test", "wheels")
    assert RELEASE["test"]["uses"] == "./.github/workflows/ci.yml"


def test_a_release_fails_before_anything_is_pushed_if_the_image_is_pure() -> None:
    """`make release` says so of the image of this machine, and `make image-push` of each architecture."""
    made, pushed = (index(f"make {target} WHEEL=given") for target in ("release", "image-push"))
    assert made < pushed < index("pypa/gh-action-pypi-publish") < index("gh release create")
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(
        r"^release: .*\n\tdocker run .* --version \| grep --quiet '\(compiled\)' \|\|", makefile, re.MULTILINE
    )
    assert re.search(r"buildx build .* --build-arg WHEEL=compiled,--push", makefile)


def test_a_release_signs_both_images_by_digest_without_a_key() -> None:
    script = STEPS[index("cosign sign")]["run"]
    assert "for target in '' -shell; do" in script
    assert 'cosign sign --yes "$NAME@$digest"' in script
    assert RELEASE["release"]["permissions"]["id-token"] == "write"


def test_a_release_attests_its_files_and_images_and_attaches_the_bill_of_materials() -> None:
    attested = [step["with"] for step in STEPS if "attest" in step.get("uses", "")]
    assert attested[0] == {"subject-path": "dist/*"}
    assert [one.get("sbom-path") for one in attested] == [None, None, "dist/sbom.json"]
    assert {one["subject-digest"] for one in attested[1:]} == {"${{ steps.images.outputs.digest }}"}
    assert STEPS[index("gh release create")]["run"].endswith(" dist/*")


def test_the_package_index_gets_wheels_and_source_distributions_alone() -> None:
    assert "cp dist/*.whl dist/*.tar.gz index" in STEPS[index("pypa/gh-action-pypi-publish") - 1]["run"]
    assert STEPS[index("pypa/gh-action-pypi-publish")]["with"] == {"packages-dir": "index"}


def scripts(steps: list[dict[str, Any]]) -> list[str]:
    """Return what steps run."""
    return [step["run"] for step in steps if "run" in step]


def index(text: str) -> int:
    """Return the number of the one step of the release that has a text."""
    (found,) = [number for number, step in enumerate(STEPS) if text in step.get("run", "") + step.get("uses", "")]
    return found
