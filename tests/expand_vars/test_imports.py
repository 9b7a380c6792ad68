"""What a run of the filter may import: its start is part of the product, as orchestrators start it for each package.

A module that comes in unseen costs every run. One that is meant is added here, with a look at `make bench`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.process import SOURCE_ROOT

PROGRAM = """\
import sys
before = {{*sys.modules}}
from krm import process
process.postpone_yaml()
from {module} import {main}
{main}(sys.argv[1:])
print(*{{*sys.modules}} - before, file=sys.stderr)
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{args: [$(REGION)]}]}\n"
LIST = "kind: ResourceList\nitems:\n- " + POD.replace("\n", "\n  ").rstrip(" ") + "functionConfig: "
CONFIG_MAP = "{apiVersion: v1, kind: ConfigMap, data: {REGION: eu-west-1}}"
SPEC = "{variables: [{name: REGION, value: eu-west-1}]}"
EXPAND_VARS = f"{{apiVersion: expandvars.dev/v1alpha1, kind: ExpandVars, metadata: {{name: vars}}, spec: {SPEC}}}"

# Of our packages these alone, and of the modules beside them all but those that have to wait until they are needed.
PACKAGES = {"expand_vars.expansion", "expand_vars.functionconfig", "krm.template_comments", "krm.yamltree"}
LATER = {
    *("expand_vars.commands", "expand_vars.templates", "krm.commands", "krm.function", "krm.generation", "krm.git"),
    *("krm.merge", "krm.package", "krm.sdk", "krm.testing"),
}
# The libyaml binding, json, re, and all that they import; `atexit` is part of the interpreter. Python 3.14 imports
# `abc` and `errno` with them, and not before them.
FOREIGN = {
    *("abc", "atexit", "errno"),
    *("bisect", "collections", "copyreg", "enum", "functools", "gc", "genericpath", "itertools", "json", "keyword"),
    *("operator", "os", "posixpath", "re", "reprlib", "stat", "types", "yaml", "cython_runtime"),
}
# Modules of those packages that wait: what changes the tree of a text, where most runs change parts of scalars alone.
WAITING = {"krm.yamltree.changes", "krm.yamltree.comments", "krm.yamltree.plan"}
# These import nothing more: the names of annotations, and the words of conflict policies, which a functionConfig takes.
BOOKS = {"krm.generation", "krm.merge", "krm.merge.policy"}


def unexpected(stdin: str, *arguments: str, besides: set[str]) -> set[str]:
    """Return the modules that a run imports and that none of the lists above has, without private ones of others."""
    libraries = str(Path(yaml.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM.format(module="expand_vars.__main__", main="run"), *arguments],
        env={"PYTHONPATH": os.pathsep.join([str(SOURCE_ROOT), libraries])},
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "eu-west-1]" in done.stdout
    imported = {*done.stderr.split()}
    ours = {name for name in imported if name.partition(".")[0] in ("expand_vars", "krm")}
    late = {name for name in ours if ".".join(name.split(".")[:2]) in LATER or name in WAITING}
    packages = {name.rpartition(".")[0] for name in ours if name.count(".") > 1}
    assert packages - {".".join(name.split(".")[:2]) for name in late} <= PACKAGES
    foreign = {name.partition(".")[0] for name in imported - ours}
    return late - besides | {name for name in foreign - FOREIGN - besides if not name.startswith("_")}


def test_a_run_with_a_configmap_imports_no_more() -> None:
    assert unexpected(LIST + CONFIG_MAP, besides=BOOKS) == set()


def test_a_run_with_arguments_imports_no_more() -> None:
    assert unexpected(POD, "REGION=eu-west-1", besides=BOOKS) == set()


def test_a_run_with_an_expandvars_imports_no_more() -> None:
    its_own = {name for name in WAITING if name.startswith("expand_vars.functionconfig.")}
    assert unexpected(LIST + EXPAND_VARS, besides=BOOKS | its_own) == set()


# A rebase calls the driver of git once for each file.
OF_A_MERGE = {
    *("krm.commands", "krm.git"),
    *("krm.merge", "krm.merge.files", "krm.merge.kinds", "krm.merge.lines", "krm.merge.lists", "krm.yamltree"),
}


# Those of a merge of one mapping, packages included: a new one takes a two-hundredth of the time.
MODULES_OF_A_MERGE = 53
# Those that a conflict adds: the facts about its kind, and the markers.
MODULES_OF_A_CONFLICT = 2
MARKED = "<<<<<<< HEAD\n  a: 2\n=======\n  a: 3\n>>>>>>> update\n  b: 1\n"


@pytest.mark.parametrize(
    ("update", "merged", "most"),
    [
        ("  a: 1\n  b: 2\n", "  a: 2\n  b: 2\n", MODULES_OF_A_MERGE),
        # Markers tell the conflict: no result is made of it, which would need what is known of secrets.
        ("  a: 3\n  b: 1\n", MARKED, MODULES_OF_A_MERGE + MODULES_OF_A_CONFLICT),
    ],
    ids=["clean", "conflict"],
)
def test_the_driver_of_git_imports_the_merge_and_not_the_expansion(
    tmp_path: Path, update: str, merged: str, most: int
) -> None:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
    for name, data in {"origin": "  a: 1\n  b: 1\n", "local": "  a: 2\n  b: 1\n", "update": update}.items():
        (tmp_path / name).write_text(head + data)
    libraries = str(Path(yaml.__file__).parents[1])
    sides = [str(tmp_path / name) for name in ("origin", "local", "update")]
    done = subprocess.run(
        [
            sys.executable,
            "-S",
            "-c",
            PROGRAM.format(module="krm.__main__", main="run"),
            "git-merge",
            *sides,
            "7",
            "a.yaml",
        ],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(SOURCE_ROOT), libraries])},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (tmp_path / "local").read_text() == head + merged
    imported = {*done.stderr.split()}
    assert {name for name in imported if name.startswith("expand_vars")} == set()
    ours = {name for name in imported if name.startswith("krm.")}
    packages = {name for name in ours if name.count(".") > 1}
    assert {name for name in packages if name not in OF_A_MERGE and name.rpartition(".")[0] not in OF_A_MERGE} == set()
    assert imported.isdisjoint(
        {"argparse", "typing", "subprocess", "dataclasses", "pathlib", "difflib", "tempfile", "importlib"}
    )
    # What only lists of items need.
    assert imported.isdisjoint({"krm.resourcelist", "krm.lists"})
    assert imported.isdisjoint({"krm.yamltree.comments", "krm.yamltree.plan", "krm.yamltree.sameness"})
    # The process takes three times as long as Python alone, and two thirds of that are imports.
    assert len(ours) <= most
