"""`krm new`: a function to start from, with its test and its image (docs/guides/sdk.md)."""

from __future__ import annotations

import importlib.util
import keyword
import os

from krm import stdio
from krm.commands.options import Parser
from krm.commands.table import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = """\
Make a directory with a function on the package `krm`: NAME.py, its golden test, and a Dockerfile.

`pytest` in it passes at once. `./NAME.py DIR` changes files, `kpt fn eval DIR --exec ./NAME.py` runs it under kpt.
"""
_EPILOG = "exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage\n"

_INPUT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web # the shop
spec:
  paused: true
"""
_FILES = {
    "{name}.py": """\
#!/usr/bin/env python3
import krm


def {name}(resource_list: krm.ResourceList) -> None:
    \"""Run every Deployment twice that does not say how often.\"""
    for item in resource_list.where("Deployment"):
        if "spec.replicas" not in item:
            item.set("spec.replicas", 2)


if __name__ == "__main__":
    krm.run({name})
""",
    "test_{name}.py": """\
from pathlib import Path

import krm.testing
from {name} import {name}

# UPDATE=1 pytest writes what is expected: read the difference.
test_{name} = krm.testing.golden({name}, Path(__file__).with_name("testdata"))
""",
    "testdata/replicas/input.yaml": _INPUT,
    "testdata/replicas/expected.yaml": _INPUT + "  replicas: 2\n",
    "Dockerfile": """\
FROM python:3.13-slim
RUN pip install --no-cache-dir krm-expand-vars
COPY {name}.py /
USER 65534:65534
ENTRYPOINT ["python3", "/{name}.py"]
""",
}


def main(argv: Sequence[str]) -> int:
    """Make the files of a function and return the exit code. SystemExit for help and wrong usage."""
    parser = Parser(PROGRAM, "new", _DESCRIPTION, _EPILOG)
    folder = parser.parsed(argv[1:]).name
    name = os.path.basename(folder).replace("-", "_")
    if not name.isidentifier():
        parser.error(f"`{folder}` is no name for a function: it has letters, digits, `-` and `_`, such as `set-team`")
    # A directory that is no package has a spec without an origin.
    if keyword.iskeyword(name) or getattr(importlib.util.find_spec(name), "origin", None):
        parser.error(f"`{name}` is a word or a module of Python already: take another name, such as `set-{name}`")
    try:
        # Nothing of somebody else's is overwritten.
        os.mkdir(folder)
        os.makedirs(os.path.join(folder, "testdata", "replicas"))
        for file, text in _FILES.items():
            with open(os.path.join(folder, file.format(name=name)), "w", encoding="utf-8", newline="\n") as made:
                made.write(text.format(name=name))
        os.chmod(os.path.join(folder, f"{name}.py"), 0o755)  # noqa: S103 - a program that all may run
    except OSError as error:
        return stdio.fail(f"{folder}: {error.strerror}")
    return int(not stdio.write(f"{os.path.join(folder, file.format(name=name))}\n" for file in _FILES))
