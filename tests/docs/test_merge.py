"""docs/reference/merge.md is true: its commands are run, its tables are those of the code and of the cases."""

from __future__ import annotations

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml

from krm.commands import merge
from krm.merge import outcome
from krm.merge.outcome import Merged, Note
from krm.results import CONFLICT, ERROR, INFO
from tests import process
from tests.krm.merge.test_rules import arguments
from tests.pages import ROOT, Block, Page, quoted, resource

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Page("merge")
OVERLAYS, DIFFERENCES = "Overlays", "Where kyaml gives another answer"
(
    (SIMPLE, SIDES),
    (CONFLICTING,),
    (COMMENTED,),
    (BESIDE,),
    (OF_DIRECTORIES,),
    (APPLIED,),
    (OVERLAID,),
) = map(
    PAGE.blocks,
    (
        "Merge",
        "Policies",
        "Comments",
        "Neighbours",
        "Directories",
        "As kubectl apply does",
        OVERLAYS,
    ),
)
TESTED = {
    "Merge": "sh text",
    "Policies": "text",
    "Comments": "text",
    "Neighbours": "text",
    "Directories": "sh",
    "As kubectl apply does": "sh",
    OVERLAYS: "sh",
}
CASES = ROOT / "testdata" / "krm" / "merge3"
HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n"


def run(script: str, folder: Path) -> process.Answer:
    """Run commands of the section in a folder."""
    defined = f'expand-vars() {{ "{sys.executable}" -m expand_vars "$@"; }}; cd "{folder}"\n'
    return process.run("-euc", defined + script, command=("bash",), stdin=b"")


def columns(block: Block) -> dict[str, str]:
    """Return the texts that stand side by side, by what stands above them."""
    headings, *lines = block.text.splitlines()
    starts = [match.start() for match in re.finditer("# ", headings)]
    spans = [slice(*span) for span in zip(starts, [*starts[1:], None], strict=True)]
    texts = ["".join(f"{line[span].rstrip()}\n" for line in lines if line[span].strip()) for span in spans]
    return {headings[span].strip("# "): HEAD + text for span, text in zip(spans, texts, strict=True)}


@pytest.mark.parametrize("sides", [SIDES, COMMENTED], ids=["values", "comments"])
def test_what_comes_out(sides: Block, tmp_path: Path) -> None:
    made = columns(sides).pop("comes out")
    for name, text in columns(sides).items():
        (tmp_path / name).write_text(text)
    assert run(SIMPLE.text, tmp_path) == (made.encode(), "", 0)


EXAMPLE = f"""{HEAD}spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        image: web:1
        args:
        - --log
        - --port
"""
REPLICAS, PORT = "  replicas: 1\n", "        - --port\n"
TAGGED, SIDECAR = EXAMPLE.replace("web:1", "$(TAG)"), "      - name: side\n        image: side:1\n"
LONGER = EXAMPLE + SIDECAR
MINE, WORDS = EXAMPLE + "        - --mine\n", EXAMPLE.replace("--", "")
# Of each row: origin, local and update.
EXAMPLES = {
    ("comments a value", "changes it"): (
        EXAMPLE, EXAMPLE.replace(": 1\n", ": 1 # mine\n"), EXAMPLE.replace(": 1\n", ": 2\n"),
    ),
    ("comments a value", "deletes it"): (
        EXAMPLE, EXAMPLE.replace(": 1\n", ": 1 # mine\n"), EXAMPLE.replace(REPLICAS, ""),
    ),
    ("deletes a field", "changes it"): (EXAMPLE, EXAMPLE.replace(REPLICAS, ""), EXAMPLE.replace(": 1\n", ": 2\n")),
    ("changes a container", "deletes it"): (LONGER, LONGER.replace("side:1", "side:2"), EXAMPLE),
    ("adds a container", "adds another"): (EXAMPLE, LONGER, EXAMPLE + SIDECAR.replace("side", "other")),
    ("appends an argument", "changes the first"): (EXAMPLE, MINE, EXAMPLE.replace("--log", "--loud")),
    ("appends an argument", "changes the last"): (WORDS, WORDS + "        - mine\n", WORDS.replace("port", "ports")),
    ("appends an option, such as `--b`", "changes the last"): (EXAMPLE, MINE, EXAMPLE.replace("--port", "--ports")),
    ("appends an argument", "adds the same, and one more"): (EXAMPLE, MINE, MINE + "        - --more\n"),
    ("expands `$(TAG)` in place", "makes `v$(TAG)` of it"): (
        TAGGED, TAGGED.replace("$(TAG)", '"1" # expand: $(TAG)'), TAGGED.replace("$(TAG)", "v$(TAG)"),
    ),
}  # fmt: skip
BOTH = {
    "changes it": EXAMPLE.replace(": 1\n", ": 2 # mine\n"),
    "deletes it": EXAMPLE.replace(REPLICAS, ""),
    "adds another": LONGER + SIDECAR.replace("side", "other"),
    "changes the last": WORDS.replace("port", "ports") + "        - mine\n",
    "changes the first": MINE.replace("--log", "--loud"),
    "makes `v$(TAG)` of it": TAGGED.replace("$(TAG)", "v$(TAG)"),
}


@pytest.mark.parametrize("row", PAGE.tables("The base rule")[1], ids=lambda row: f"{row[0]}, {row[1]}")
def test_each_example_of_the_base_rule(row: list[str], tmp_path: Path) -> None:
    origin, local, update = EXAMPLES[row[0], row[1]]
    for name, text in {"origin": origin, "local": local, "update": update}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    answer = run(SIMPLE.text, tmp_path)
    is_conflict = row[2] == "`Conflict`"
    assert answer.stdout.decode() == (local if is_conflict else BOTH[row[1]])
    assert re.findall(r"\((\w+)\)\n", answer.stderr) == [one for one in quoted(row[2]) if one.isalpha()]
    assert answer.code == is_conflict


def test_neighbours_are_both_kept_and_reported(tmp_path: Path) -> None:
    made = columns(BESIDE).pop("comes out")
    for name, text in columns(BESIDE).items():
        (tmp_path / name).write_text(text)
    answer = run(f"{SIMPLE.text.strip()} --on-conflict TakeUpdate", tmp_path)
    assert (answer.stdout, answer.code) == (made.encode(), 0)
    assert answer.stderr.endswith(": these lie side by side, and both are kept (Conflict)\n")
    answer = run(SIMPLE.text, tmp_path)
    assert (answer.stdout.decode(), answer.code) == (columns(BESIDE)["local.yaml"], 1)


def test_three_directories_are_merged_in_place(tmp_path: Path) -> None:
    made = columns(SIDES).pop("comes out")
    for name, text in columns(SIDES).items():
        side = tmp_path / name.removesuffix(".yaml")
        side.mkdir()
        (side / "web.yaml").write_text(text)
    answer = run(OF_DIRECTORIES.text, tmp_path)
    assert (answer.stderr, answer.code) == ("", 0)
    assert answer.stdout.decode().endswith("changed  local/web.yaml  +2 -1\n1 changed\n")
    assert (tmp_path / "local" / "web.yaml").read_text() == made


def test_a_conflict_is_told() -> None:
    assert CONFLICTING.text == (CASES / "conflict-Error" / "stderr.txt").read_text().replace("./", "")


def test_what_kubectl_would_make_of_it() -> None:
    folder = ROOT / "testdata" / "krm" / "apply" / "nginx"
    answer = run(APPLIED.text, folder)
    assert (answer.stdout, answer.code) == ((folder / "expected.yaml").read_bytes(), 0)


def test_an_overlay_deletes_and_replaces(tmp_path: Path) -> None:
    assert "null deletes a field, and `$patch: delete` and\n`$patch: replace`" in PAGE.sections()[OVERLAYS]
    (tmp_path / "local.yaml").write_text(HEAD + "spec: {paused: true, strategy: {type: Recreate}, template: {a: 1}}\n")
    overlay = "spec: {paused: null, strategy: {$patch: delete}, template: {$patch: replace, b: 2}}\n"
    (tmp_path / "update.yaml").write_text(HEAD + overlay)
    assert run(OVERLAID.text, tmp_path) == (f"{HEAD}spec: {{template: {{b: 2}}}}\n".encode(), "", 0)


def test_git_merges_with_it(tmp_path: Path) -> None:
    origin, update, local, made = columns(SIDES).values()
    settings = {"user.name": "a", "user.email": "a@example.com", "core.attributesFile": "/dev/null"}
    script = f"""\
commit() {{ printf %s "$1" > web.yaml; git add .; git commit --quiet --message a; }}
export HOME="$PWD" PATH="$PWD/bin:$PATH"
mkdir bin package
printf '#!/bin/sh\\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" -m krm "$@"\\n' > bin/krm
chmod +x bin/krm
cd package
git init --quiet
{"".join(f"git config {key} {value}; " for key, value in settings.items())}
krm git-merge --install
commit {shlex.quote(origin)}
git tag origin
commit {shlex.quote(local)}
git checkout --quiet -b upstream origin
commit {shlex.quote(update)}
git checkout --quiet -
git merge --quiet --message merged upstream
"""
    answer = run(script, tmp_path)
    assert (answer.stderr, answer.code) == ("krm: web.yaml: 1 conflict of lines solved by fields\n", 0)
    assert (tmp_path / "package" / "web.yaml").read_text() == made


def told(case: Path, folder: Path) -> set[str]:
    """Return the reasons of all that is told of a case."""
    sides = [case / f"{side}.yaml" for side in ("origin", "update", "local")]
    if not sides[0].exists():
        sides[0] = Path(os.devnull)
    given = ["--strategy", "Apply"] if case.parent.name == "apply" else arguments(case)
    merge.main(["merge3", *map(str, sides), *given, "--output", os.devnull, "--results", str(folder / "results.yaml")])
    return {result["tags"]["reason"] for result in yaml.safe_load((folder / "results.yaml").read_text())["results"]}


def test_the_reasons_are_those_of_the_code_and_of_the_cases(tmp_path: Path) -> None:
    severities = {quoted(reason)[0]: severity for severity, reason, _ in PAGE.tables("What a merge tells")[0]}
    constants = [str(word) for name, word in vars(outcome).items() if name.isupper()]
    words: list[Any] = [word for word in constants if re.fullmatch("[A-Z][A-Za-z]+", word) and word != "False"]
    notes = [Note(word, (), "") for word in words if word not in (CONFLICT, outcome.MATCHED, outcome.REFUSED)]
    graded = {each.reason: each.severity for each in outcome.results(resource(HEAD), Merged(None, [], notes))}
    by_policy: dict[str, str] = {CONFLICT: "warning, or as `--on-conflict` says"}
    assert severities == {outcome.REFUSED: ERROR, outcome.MATCHED: INFO, **by_policy, **graded}
    apply = ROOT / "testdata" / "krm" / "apply"
    shown = [told(case, tmp_path) for case in (*CASES.iterdir(), *apply.iterdir())]
    # Those of overlays have tests of their own, in tests/krm/commands/test_merge.py.
    assert severities.keys() == set().union(
        *shown, {outcome.NOT_PLACED, outcome.NOTHING_TO_DELETE, outcome.REFUSED, outcome.UPDATED_BY_ITSELF}
    )


ROWS = PAGE.tables(DIFFERENCES)[0]


class Cell(NamedTuple):
    """What a cell shows: YAML of a part of a text, or nothing of it, and a word on what is told."""

    code: str
    word: str

    def is_in(self, text: str, *, as_lines: bool) -> bool:
        if as_lines:
            return self.code in [re.sub("  +#", " #", line.strip()) for line in text.splitlines()]
        parts = [json.dumps(part) for document in yaml.safe_load_all(text) for part in parts_of(document)]
        return json.dumps(yaml.safe_load(self.code)) in parts


def parts_of(data: Any) -> Iterator[Any]:
    """Yield what is in some data: each value, and each entry of a mapping as one of its own."""
    yield data
    for key, value in data.items() if isinstance(data, dict) else ():
        yield {key: value}
    for value in data.values() if isinstance(data, dict) else data if isinstance(data, list) else ():
        yield from parts_of(value)


def cell(text: str) -> Cell:
    (code,) = quoted(text) or [""]
    return Cell(code, re.sub("`.*`(, )?", "", text))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_how_kyaml_differs(row: list[str]) -> None:
    """What a cell shows is in its text, and not in the other one. Lines are compared where a comment counts."""
    folder = PAGE.linked(re.findall(r"\]\((.*)\)", row[0])[0])
    theirs, ours = map(cell, row[1:3])
    expected = (folder / "expected.yaml").read_text()
    told = (folder / "stderr.txt").read_text() if (folder / "stderr.txt").exists() else ""
    assert ("a conflict" in ours.word, "[error]" in told) == ("both sides changed this" in told, False)
    kyaml = (folder / "kyaml.yaml").read_text()
    as_lines = "#" in ours.code
    for one, text, other in ((theirs, kyaml, expected), (ours, expected, kyaml)):
        if one.code:
            assert one.is_in(text, as_lines=as_lines)
            assert not one.is_in(other, as_lines=as_lines)
        else:
            assert one.word.startswith("gone")
    assert theirs.code or ours.code


@pytest.mark.parametrize("tool", ["kyaml", "kubectl"])
def test_the_answer_of_another_tool_stands_beside_ours(tool: str) -> None:
    assert f"`{tool}.yaml`" in PAGE.text
    cases = {path.parent for path in CASES.glob(f"*/{tool}.*")}
    assert len(cases) > 20
    assert {path for path in cases if not (path / "expected.yaml").exists()} == set()
