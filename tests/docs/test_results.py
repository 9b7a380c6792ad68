"""docs/reference/results.md is true: its tables are those of the code and of what comes out."""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import pipeline
from expand_vars.expansion import findings
from krm.commands import git_merge, printing
from krm.results import ERROR, INFO, ResourceRef, Result, as_line, by_field, locate, severity_of
from tests import pages, process
from tests.pages import ROOT, Page, as_list, quoted

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = Page("results")
FAILURES = "Exit codes, and what a failure leaves"
TESTED = {"Results": "text yaml sh text", "Strict runs": "sh"}


def test_the_result_that_is_shown() -> None:
    line, entry, *_ = PAGE.blocks("Results")
    given = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  template:\n    spec:\n"
    given += "      containers: [{name: web, image: web:1, args: [$(REGIO)]}]\n"
    output = pipeline.run(as_list(given), None)
    assert [f"{as_line(result)}\n" for result in output.results] == [line.text]
    assert output.text == as_list(given) + entry.text


def test_an_annotation_of_a_workflow(tmp_path: Path) -> None:
    *_, script, shown = PAGE.blocks("Results")
    made = process.run("-euc", script.text, command=("bash",), stdin=b"", folder=tmp_path)
    assert made == (shown.text.encode(), "", 0)


def test_what_a_result_has() -> None:
    ref = ResourceRef("apps/v1", "Deployment", "shop", "web")
    more = {"field": "spec", "current": "1", "proposed": "2", "origin": "3", "file": "a.yaml"}
    result = Result("a sentence", ERROR, "Conflict", ref=ref, index=0, **more)
    result.further = (("spec.a", ("spec", "a")),)
    result.tags = {"name": "TAG"}
    locate(result, lambda _: (1, 1))
    paths = {
        f"{key}.{inner}" if isinstance(value, dict) and key != "resourceRef" else key
        for one in (result.as_data(), *by_field(result))
        for key, value in one.items()
        for inner in (value if isinstance(value, dict) else [""])
    }
    assert paths == {path for row in PAGE.tables("What a result has")[0] for path in quoted(row[0])}


def test_the_reasons_are_those_of_the_code() -> None:
    told = {quoted(reason)[0]: severity for severity, reason, *_ in Page("merge").tables("What a merge tells")[0]}
    told |= {quoted(reason)[0]: severity for severity, reason, *_ in pages.reason_rows()}
    errors, words = reasons()
    assert told.keys() == errors | words
    of_policy = {name for name in words if findings.severity(name, "Error") != findings.severity(name, "Warn")}
    more = dict.fromkeys(of_policy, ", or as `unresolved` says") | {"Conflict": ", or as `--on-conflict` says"}
    # The one table of the code: no place that reports anything says how serious it is.
    graded = {name: f"{severity_of(name)}{more.get(name, '')}" for name in words}
    assert told == graded | dict.fromkeys(errors, ERROR)


def test_no_place_in_the_code_grades_what_it_tells() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {ast.unparse(node)}"
        for path in ROOT.glob("fn/**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and is_result(node)
        for severity, reason in zip(node.args[1:2], node.args[2:3], strict=False)
        if re.search(r"\b(INFO|WARNING)\b", ast.unparse(severity)) and ast.unparse(reason) != "''"
    ]
    assert found == []


def test_every_reason_has_one_row_with_a_cause_an_example_and_a_remedy() -> None:
    rows = {quoted(reason)[0]: [severity, *rest] for severity, reason, *rest in pages.reason_rows()}
    assert len(rows) == len(pages.reason_rows())
    for name, cells in rows.items():
        assert [bool(cell) for cell in cells] == [True] * 4, name
        assert not any(cell.endswith(".") for cell in cells), name


def assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Yield the name and the value of an assignment, with or without a type."""
    if isinstance(node, ast.Assign):
        yield ast.unparse(node.targets[0]), node.value
    elif isinstance(node, ast.AnnAssign) and node.value is not None:
        yield ast.unparse(node.target), node.value


def is_result(call: ast.Call) -> bool:
    """True for a call that makes a result with a severity of its own."""
    return ast.unparse(call.func).rpartition(".")[2].lower() == "result"


def reasons() -> tuple[set[str], set[str]]:
    """Return the reasons in the code: those of results that fail a run, and those that the one table grades."""
    words: dict[str, str] = {}
    errors: set[str] = set()
    others: set[str] = set()
    trees = {path: ast.parse(path.read_text()) for path in ROOT.glob("fn/**/*.py")}
    for path, tree in trees.items():
        of_path = {name: word for node in ast.walk(tree) for name, value in assigned(node) if (word := reason(value))}
        words |= of_path
        others |= {*of_path.values()} if path.stem in ("findings", "outcome", "reasons") else set()
        # A table of messages by their reasons.
        tables = (value for node in ast.walk(tree) for name, value in assigned(node) if name == "_KEPT")
        others |= {
            of_path[ast.unparse(key)] for table in tables if isinstance(table, ast.Dict) for key in table.keys if key
        }
    for node in (node for tree in trees.values() for node in ast.walk(tree) if isinstance(node, ast.Call)):
        called = ast.unparse(node.func).rpartition(".")[2]
        is_third = is_result(node) or called == "left_alone"
        given = node.args[1:2] if called in ("notice", "result_at") else node.args[2:3] if is_third else []
        for argument in given:
            of_argument = [argument.body, argument.orelse] if isinstance(argument, ast.IfExp) else [argument]
            named = {reason(one) or words.get(ast.unparse(one).rpartition(".")[2]) for one in of_argument} - {None}
            severities = [node.args[1]] if is_result(node) else [one.value for one in node.keywords]
            kept = errors if any(ast.unparse(one).endswith("ERROR") for one in severities) else others
            kept |= {str(one) for one in named}
    return errors, others - errors


def reason(value: ast.expr) -> str | None:
    """Return the reason that stands in the code, None where something else does."""
    text = value.value if isinstance(value, ast.Constant) else None
    return text if isinstance(text, str) and re.fullmatch("([A-Z][a-z]+)+", text) else None


DOCUMENT = b"apiVersion: v1\nkind: Pod\nspec: {containers: [{args: [$(REGION)]}]}\n"
LIST = as_list(DOCUMENT.decode()).encode()
INPUTS = [
    [LIST, json.dumps(yaml.safe_load(LIST)).encode()],
    [
        LIST.replace(b"Resource", b""),
        DOCUMENT,
        DOCUMENT + b"---\n" + DOCUMENT,
        json.dumps(yaml.safe_load(DOCUMENT)).encode(),
    ],
    [b"{", b"\xff", b""],
]
SHAPES = list(zip(PAGE.tables(FAILURES)[1], INPUTS, strict=True))


@pytest.mark.parametrize(("cells", "texts"), SHAPES, ids=[cells[0] for cells, _ in SHAPES])
def test_what_comes_out(cells: list[str], texts: list[bytes]) -> None:
    _, made, left = cells
    for text in texts:
        if made:
            expected = text.replace(b"$(REGION)", b"eu-west-1")
            assert process.run("REGION=eu-west-1", stdin=text) == (expected, "", 0)
        failed = process.run("=", stdin=text)
        assert (failed.code, failed.stderr.count("\n")) == (1, 1)
        if left == "nothing":
            assert failed.stdout == b""
        else:
            assert failed.stdout.startswith(text.removesuffix(b"}"))
            assert yaml.safe_load(failed.stdout)["results"][0]["severity"] == ERROR


def test_the_exit_codes() -> None:
    codes = [int(code) for code, _ in PAGE.tables(FAILURES)[0]]
    with_a_warning, *others = (process.run(*given, stdin=DOCUMENT) for given in ((), ("=",), ("neither",)))
    assert "[warning]" in with_a_warning.stderr
    assert [with_a_warning.code, *(answer.code for answer in others)] == codes[:3]
    assert codes[3:] == [printing.DIFFERS, git_merge.FAILED]


def test_the_reasons_of_strict_runs_are_those_of_the_code() -> None:
    with_a_star = {quoted(reason)[0] for _, reason, *_ in pages.reason_rows() if reason.endswith("\\*")}
    (of_a_merge,) = re.findall(r"with a star, and of a `(\w+)`", PAGE.sections()["Strict runs"])
    assert {*with_a_star, of_a_merge} == {name for name in findings.STRICT if severity_of(name) != INFO}


def test_a_ci_fails_of_an_image_that_nobody_declares(tmp_path: Path) -> None:
    (line,) = PAGE.blocks("Strict runs")
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {containers: [{name: c, image: 'nginx:$(TAG)'}]}\n"
    (tmp_path / "pod.yaml").write_text(pod)
    _, *given = line.text.split()
    answer = process.run(*given, stdin=b"", folder=tmp_path)
    assert (answer.code, answer.stderr.split(":")[0]) == (1, "[error] pod.yaml")
    assert (tmp_path / "pod.yaml").read_text() == pod
    assert process.run(*given, "TAG=7", stdin=b"", folder=tmp_path).code == 3
