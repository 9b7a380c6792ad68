"""The function on whole texts: every folder of testdata/expand_vars/function, byte for byte.

`input.yaml` becomes `expected.yaml`, nothing where there is none, with `stderr.txt` said about it; the exit code is 1
if that tells an error.
`config.yaml` is a functionConfig in the place of the list's own, and `arguments.txt` has a NAME=VALUE in each line.
A second run changes nothing, unless `again.yaml` shows what it does. `UPDATE=1 pytest` writes what is expected anew.
"""

from __future__ import annotations

import gc
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from expand_vars import pipeline
from krm.resource import Resource
from krm.results import INFO
from krm.yamltree.editor import Editor

if TYPE_CHECKING:
    from krm.results import Output

ROOT = Path(__file__).parents[2]
CASES = sorted(path.parent for path in ROOT.glob("testdata/expand_vars/function/*/input.yaml"))
assert CASES, "no cases under testdata/expand_vars/function"

every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


def text_of(path: Path) -> str:
    return path.read_bytes().decode() if path.exists() else ""


def run(case: Path, text: str) -> Output:
    config = text_of(case / "config.yaml")
    function_config = Resource(config, (0, len(config)), "config.yaml") if config else None
    arguments = [line.partition("=")[::2] for line in text_of(case / "arguments.txt").splitlines()]
    return pipeline.run(text, function_config, arguments)


def told(output: Output) -> str:
    return "".join(f"{result}\n" for result in output.results if result.severity != INFO)


def without_results(text: str) -> str:
    """Return a ResourceList as orchestrators give it to a second run."""
    if text.startswith("{"):
        editor = Editor(text, json=True)
        editor.delete(("results",))
        return editor.text
    return re.sub(r"^results:.*\n?(?:[ -].*\n?)*", "", text, flags=re.MULTILINE)


def expect(path: Path, actual: str) -> None:
    """Compare bytes: in text mode CRLF would be lost unseen."""
    if "UPDATE" in os.environ and actual:
        path.write_bytes(actual.encode())
    elif "UPDATE" in os.environ:
        path.unlink(missing_ok=True)
    assert actual == text_of(path)


@every_case
def test_output_is_as_expected(case: Path) -> None:
    output = run(case, text_of(case / "input.yaml"))
    expect(case / "expected.yaml", output.text)
    expect(case / "stderr.txt", told(output))
    assert output.exit_code == ("[error]" in text_of(case / "stderr.txt"))


@every_case
def test_second_run_changes_nothing(case: Path) -> None:
    """But for what `again.yaml` shows: `escapes: Unescape` is for those who know that nothing expands the result."""
    once = without_results(run(case, text_of(case / "input.yaml")).text)
    again = without_results(run(case, once).text) if once else ""
    assert again == (text_of(case / "again.yaml") or once)


@every_case
def test_a_failed_list_comes_back_as_it_was(case: Path) -> None:
    given = text_of(case / "input.yaml")
    output = run(case, given)
    if output.exit_code and output.text:
        assert without_results(output.text) == without_results(given)


def test_an_item_that_is_a_text_is_an_error_whatever_it_says() -> None:
    output = pipeline.run("kind: ResourceList\nitems:\n- x $(REGION:-1)\n", None, [("REGION", "a")])
    assert [str(result) for result in output.results] == [
        "[error] `items[0]` is a scalar, it must be a mapping",
        "[warning] `REGION` is given, and nothing that may be changed refers to it: mend the name, or leave it out",
    ]


def test_a_run_leaves_nothing_to_collect() -> None:
    """Runs have no garbage collection, so what is part of a cycle stays in memory until the process ends."""
    left = {}
    gc.freeze()
    try:
        for case in CASES:
            output = run(case, text_of(case / "input.yaml"))  # what the first run imports, stays
            if output.exit_code:
                continue  # tracebacks have cycles, and are the last of a run
            gc.collect()
            run(case, text_of(case / "input.yaml"))
            left[case.name] = gc.collect()
    finally:
        gc.unfreeze()
    assert {name: count for name, count in left.items() if count} == {}


@pytest.mark.parametrize("is_strict", [False, True])
def test_a_run_without_items_is_told_as_a_generator_of_kustomize_has_none(is_strict: bool) -> None:  # noqa: FBT001 - of a table
    spec = f"strict: {str(is_strict).lower()}, variables: [{{name: A, value: b}}]"
    config = f"apiVersion: expandvars.dev/v1alpha1\n  kind: ExpandVars\n  metadata: {{name: v}}\n  spec: {{{spec}}}"
    output = pipeline.run(f"kind: ResourceList\nfunctionConfig:\n  {config}\nitems: []\n")
    (result,) = (one for one in output.results if one.reason == "NoEffect")
    assert (result.severity, result.message) == (
        "error" if is_strict else "warning",
        (
            "there is no resource, so nothing is expanded: each has an `apiVersion` and a `kind`, and kustomize gives "
            "them to `transformers`, not to `generators`"
        ),
    )
