"""The examples of kpt's catalog of functions, rendered by kpt with those of examples/sdk in place of its images.

A line for each example says whether the objects that come out have the data of the catalog's expected files. `same` is
equality of all objects and comments; files, order and quotes are not compared.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[1]
OURS = ROOT / "examples" / "sdk"


def main(clone: str) -> int:
    """Render every example of a function that one of ours is named after; 1 if a result differs."""
    commit = git(clone, "rev-parse", "--short", "HEAD").decode().strip()
    with tempfile.TemporaryDirectory() as folder:
        # Those alone: a clone without its largest files has no archive of the others.
        paths = [
            path for path in git(clone, "ls-tree", "--name-only", "HEAD", "examples/").decode().split() if name(path)
        ]
        subprocess.run(["tar", "-x", "-C", folder], input=git(clone, "archive", "HEAD", *paths), check=True)
        found = {Path(path).name: outcome(Path(folder, path)) for path in paths}
    for example, problem in found.items():
        print(f"{example}: {problem or 'same'}")
    good = sum(not problem for problem in found.values())
    print(f"{good} of {len(found)} at {commit}")
    return int(good != len(found))


def git(clone: str, *arguments: str) -> bytes:
    """Return what git prints."""
    return subprocess.run(["git", "-C", clone, *arguments], check=True, capture_output=True).stdout


def name(path: str) -> str:
    """Return the name of our function for an example, "" if there is none."""
    wanted = Path(path).name.replace("-", "_")
    return next((one.stem for one in OURS.glob("*.py") if wanted.startswith(one.stem)), "")


def pipeline(example: Path) -> list[str]:
    """Return the images of an example's pipeline."""
    path = example / "Kptfile"
    steps = yaml.safe_load(path.read_text()).get("pipeline", {}) if path.exists() else {}
    return [step["image"] for kind in ("mutators", "validators") for step in steps.get(kind, ()) if "image" in step]


def config(example: Path) -> dict[str, Any]:
    """Return how the catalog's runner runs an example."""
    path = example / ".expected" / "config.yaml"
    return (yaml.safe_load(path.read_text()) or {}) if path.exists() else {}


def outcome(example: Path) -> str:
    """Return how the result of an example differs from what is expected; "" for equal data."""
    expected = example.with_name(f"{example.name}.expected")
    shutil.copytree(example, expected)
    patch = example / ".expected" / "diff.patch"
    if patch.exists():
        # Outside of any repository, where git would look for the paths of the patch.
        subprocess.run(
            ["git", "apply", str(patch)], cwd=expected, check=True, env=os.environ | {"GIT_DIR": "/dev/null"}
        )
    done = render(example)
    if done.returncode:
        return f"exit code {done.returncode}: {' '.join((done.stderr or done.stdout).split())[-300:]}"
    ours, theirs = objects(example), objects(expected)
    return " ".join([*(f"+{one}" for one in ours - theirs), *(f"-{one}" for one in theirs - ours)])


def render(example: Path) -> subprocess.CompletedProcess[str]:
    """Run our function on an example as the catalog runs its own."""
    program = example.with_name(f"{example.name}.function")
    program.write_text(f"#!/bin/sh\nexec {sys.executable} {OURS / name(str(example))}.py\n")
    program.chmod(0o755)
    kptfile = example / "Kptfile"
    command = ["kpt", "fn", "render", str(example), "--allow-exec"]
    script = example / ".expected" / "exec.sh"
    if script.exists():
        text = script.read_text().replace("--image-pull-policy never", "")
        command = [
            "bash",
            "-c",
            re.sub(r"--image \S+", f"--exec {program}", text).replace("render", "render --allow-exec"),
        ]
    if config(example).get("testType") == "eval":
        options = config(example)
        given = ["--fn-config", str(apart(example, options["fnConfig"]))] if "fnConfig" in options else []
        values = [f"{key}={value}" for key, value in options.get("args", {}).items()]
        command = ["kpt", "fn", "eval", str(example), "--exec", str(program), *given, "--", *values]
    else:
        for image in pipeline(example):
            kptfile.write_text(kptfile.read_text().replace(f"image: {image}", f"exec: {program}"))
    return subprocess.run(command, check=False, capture_output=True, text=True, cwd=example)


def apart(example: Path, path: str) -> Path:
    """Return a functionConfig outside of the package: kpt would send it as an item, which the catalog's did not."""
    found = example.with_name(f"{example.name}.config.yaml")
    (example.with_name(f"{example.name}.expected") / ".expected" / path).unlink()
    return (example / ".expected" / path).resolve().rename(found)


def objects(folder: Path) -> Counter[str]:
    """Return the data of every object below a folder but a Kptfile, and every comment, with how often it is there."""
    texts = [path.read_text() for path in sorted(folder.rglob("*.yaml")) if ".expected" not in path.parts]
    found = (one for text in texts for one in yaml.safe_load_all(text) if isinstance(one, dict))
    data = (json.dumps(one, sort_keys=True, default=str) for one in found if one.get("kind") != "Kptfile")
    return Counter([*data, *(comment for text in texts for comment in re.findall("(?<= )#.*", text))])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
