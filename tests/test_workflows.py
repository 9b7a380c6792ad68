"""The workflows of GitHub: two programs read them for mistakes and for rights. What a release promises stands here."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
import yaml

from tests.e2e.test_alpine import ALPINE
from tests.pages import ROOT

FOLDER = ROOT / ".github" / "workflows"
CI, RELEASE = (yaml.safe_load((FOLDER / name).read_text())["jobs"] for name in ("ci.yml", "release.yml"))


def test_zizmor_finds_nothing() -> None:
    assert read("zizmor", "--offline", "--quiet", ".") == ""


@pytest.mark.e2e
def test_actionlint_finds_nothing(actionlint: str) -> None:
    assert read(actionlint) == ""


def read(*command: str) -> str:
    """Return what a program that reads the workflows has to say."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return "" if not done.returncode else done.stdout + done.stderr


def test_the_tests_run_on_each_system() -> None:
    run = {name: scripts(job)[-1] for name, job in CI.items()}
    assert run["run"] == ".ci/run"
    assert run["macos"].endswith("make test-fast")
    assert run["windows"] == "python -m pytest --noconftest tests/expand_vars/test_windows.py"
    assert run["alpine"].startswith(f"docker pull --quiet {ALPINE} && ")
    assert run["alpine"].endswith(" tests/e2e/test_alpine.py")
    assert CI["python"]["strategy"]["matrix"] == {"python-version": ["3.12", "3.13", "3.14"]}


def test_the_bot_renews_each_module_of_go() -> None:
    updates = yaml.safe_load((FOLDER.parent / "dependabot.yml").read_text())["updates"]
    (renewed,) = [one["directories"] for one in updates if one["package-ecosystem"] == "gomod"]
    assert renewed == sorted(f"/{path.parent.relative_to(ROOT)}" for path in ROOT.glob("tests/*/go.mod"))
    assert {one["package-ecosystem"] for one in updates} == {"github-actions", "pip", "gomod"}


def test_wheels_are_compiled_on_native_runners() -> None:
    assert RELEASE["wheels"]["strategy"]["matrix"]["runner"] == ["ubuntu-24.04", "ubuntu-24.04-arm", "macos-15"]
    assert "python -m cibuildwheel --output-dir compiled" in scripts(RELEASE["wheels"])


def test_each_job_of_a_release_comes_after_the_one_before() -> None:
    assert RELEASE["test"]["uses"] == "./.github/workflows/ci.yml"
    needs = {name: job.get("needs") for name, job in RELEASE.items()}
    assert needs == {"test": None, "wheels": "test", "build": "wheels", "publish": "build", "site": "publish"}


def test_what_builds_has_no_rights_and_what_has_rights_builds_nothing() -> None:
    assert [name for name, job in {**CI, **RELEASE}.items() if "permissions" in job or "environment" in job] == [
        "publish",
        "site",
    ]
    used = {step["uses"].partition("@")[0] for step in RELEASE["publish"]["steps"] if "uses" in step}
    taken = {"actions/download-artifact", "actions/attest-build-provenance", "actions/attest-sbom"}
    assert used == taken | {"pypa/gh-action-pypi-publish"}
    assert [step["uses"].partition("@")[0] for step in RELEASE["site"]["steps"]] == ["actions/deploy-pages"]
    ran = "\n".join(scripts(RELEASE["publish"]))
    assert [word for word in ("make", "pip", "python", "npm", "curl", "apt-get") if f"{word} " in ran] == []


def test_both_images_are_attested_by_digest() -> None:
    attested = [step["with"] for step in RELEASE["publish"]["steps"] if "attest" in step.get("uses", "")]
    assert [one.get("subject-digest") for one in attested] == [
        None,
        "${{ steps.images.outputs.digest }}",
        "${{ steps.images.outputs.digest-shell }}",
        "${{ steps.images.outputs.digest }}",
    ]
    assert (attested[0], attested[-1]["sbom-path"]) == ({"subject-path": "dist/*"}, "dist/sbom.json")


def test_a_candidate_moves_nothing_that_people_follow() -> None:
    images, release = (step["run"] for step in RELEASE["publish"]["steps"] if "run" in step)
    assert """[[ $GITHUB_REF_NAME == *rc* ]] || tags+=("${GITHUB_REF_NAME%.*}")""" in images
    assert "[[ $GITHUB_REF_NAME != *rc* ]] || candidate=(--prerelease)" in release
    assert RELEASE["site"]["if"] == "${{ !contains(github.ref_name, 'rc') }}"


def scripts(job: dict[str, Any]) -> list[str]:
    """Return what the steps of a job run."""
    return [step["run"] for step in job["steps"] if "run" in step]
