"""expand-vars beside its peers, in one run: `make bench-peers`, which writes the table and plot of docs/performance.md.

Each gets the same resources in the form that it reads and replaces one value in them; PyYAML and ruamel.yaml load and
write them. Figures are ratios of processor time and of peak memory, medians of processes that take turns. Go's parallel
collector counts as processor time, so Go programs run with `GOMAXPROCS=1`. *Lines kept* is the share of lines that need
no change and are in the output as they were.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple

from tests.bench import workloads
from tests.bench.measuring import Measure, Task, side_by_side

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ROOT = Path(__file__).parents[2]
PEERS = ROOT / ".tools" / "peers"
PAGE, PLOT = ROOT / "docs" / "performance.md", ROOT / "docs" / "performance.svg"
START, END = "<!-- peers: written by `make bench-peers` -->\n", "<!-- end of peers -->\n"
ROUNDS = {2: 11, 200: 5, 2_000: 3, 20_000: 1}
PATIENCE = 30
"""The seconds that one run may take: a peer for which it would take longer, growing linearly, is left out."""
SLOW = 5
"""The seconds from which on a run is done once, not in turns."""
EXPAND_VARS = (sys.executable, "-m", "expand_vars")
COMPILED = (str(ROOT / "build" / "compiled" / "venv" / "bin" / "python"), "-m", "expand_vars")
OURS, OURS_IDLE = "expand-vars", "expand-vars, nothing changes"

REPLACEMENTS = """\
replacements:
- source: {kind: ConfigMap, name: place, fieldPath: data.REGION}
  targets:
  - select: {kind: Deployment}
    fieldPaths: ["spec.template.spec.containers.[name=web].env.[name=BUCKET].value"]
    options: {delimiter: "-", index: 1}
"""
LOAD_AND_DUMP = """
import sys, yaml
yaml.dump_all(yaml.load_all(sys.stdin, yaml.CSafeLoader), sys.stdout, yaml.CSafeDumper)
"""
ROUND_TRIP = """
import sys
from ruamel.yaml import YAML
yaml = YAML()
yaml.dump_all(yaml.load_all(sys.stdin), sys.stdout)
"""
YQ = '(.. | select(tag == "!!str")) |= envsubst'


class Peer(NamedTuple):
    """A program, and what prepares its input: the task, and the text whose lines it should keep."""

    name: str
    prepare: Callable[[Path, int], tuple[Task, Path]]
    most: int = 20_000
    """The number of resources up to which it can be measured."""


def main() -> None:
    """Measure all, and write the table and the plot."""
    rows: dict[str, dict[int, Measure]] = {}
    kept: dict[str, float] = {}
    left = {peer.name: peer for peer in PEERS_OF_ALL_KINDS}
    with TemporaryDirectory() as name:
        for count, rounds in ROUNDS.items():
            tasks = {}
            for peer in [one for one in left.values() if one.most >= count]:
                directory = Path(name) / f"{peer.name} {count}"
                directory.mkdir()
                task, text = peer.prepare(directory, count)
                tasks[peer.name] = task._replace(rounds=rounds)
                if count == 200:
                    kept[peer.name] = lines_kept(task, text)
            for peer_name, measure in measured(tasks).items():
                rows.setdefault(peer_name, {})[count] = measure
                if measure.seconds * 10 > PATIENCE:
                    del left[peer_name]
                print(count, peer_name, f"{measure.seconds:.3f} s", flush=True)  # noqa: T201 - what the program is for
    write(rows, kept)


def measured(tasks: dict[str, Task]) -> dict[str, Measure]:
    """Measure tasks in turns, but each slow one once."""
    first = side_by_side({name: task._replace(rounds=1) for name, task in tasks.items()})
    fast = {name: task for name, task in tasks.items() if first[name].seconds < SLOW and task.rounds > 1}
    return first | (side_by_side(fast) if fast else {})


def lines_kept(task: Task, text: Path) -> float:
    """Return which share of the lines of a text that hold no value to replace are in the output."""
    with task.stdin.open() as stdin:
        done = subprocess.run(task.command, stdin=stdin, capture_output=True, text=True, check=True)
    written, out = Counter(text.read_text().splitlines()), Counter(done.stdout.splitlines())
    stay = Counter({line: times for line, times in written.items() if not any(mark in line for mark in MARKS)})
    return (stay & out).total() / stay.total()


MARKS = ("REGION", ".Values.region", "eu-west-1")


def write(rows: dict[str, dict[int, Measure]], kept: dict[str, float]) -> None:
    """Write the table into the page, and the plot beside it."""
    counts = [*ROUNDS]
    head = "| | " + " | ".join(f"{count:,}" for count in counts) + " | lines kept |\n"
    lines = [head, "| --- |" + " --: |" * (len(counts) + 1) + "\n"]
    for name, row in rows.items():
        cells = [cell(row.get(count), rows[OURS][count]) for count in counts]
        lines.append(f"| {name} | {' | '.join(cells)} | {percent(kept[name])} |\n")
    text = PAGE.read_text()
    before, _, rest = text.partition(START)
    PAGE.write_text(before + START + "".join(lines) + END + rest.partition(END)[2])
    data = {name: {count: measure.seconds for count, measure in row.items()} for name, row in rows.items()}
    python = PEERS / "venv" / "bin" / "python"
    plot = [python, Path(__file__).with_name("plot.py"), PLOT]
    subprocess.run(plot, input=json.dumps(data), text=True, check=True)


def cell(measure: Measure | None, ours: Measure) -> str:
    """Return time and memory in terms of ours."""
    if measure is None:
        return "-"
    return f"{measure.seconds / ours.seconds:.2g} / {measure.peak / ours.peak:.2g}"


def percent(share: float) -> str:
    return "all" if share == 1 else f"{share:.0%}" if share < 0.995 else "nearly all"


def _lines(count: int, reference: str, share: int = 100) -> Iterable[str]:
    """Yield the resources with a reference in the syntax of a peer."""
    for text in workloads.resources(count, share):
        yield text.replace(workloads.REFERENCE, reference)


def _documents(directory: Path, count: int, reference: str) -> Path:
    path = directory / "documents.yaml"
    with path.open("w") as file:
        file.writelines(text if number == 0 else f"---\n{text}" for number, text in enumerate(_lines(count, reference)))
    return path


def _ours(percent_of: int, command: tuple[str, ...] = EXPAND_VARS) -> Callable[[Path, int], tuple[Task, Path]]:
    def prepare(directory: Path, count: int) -> tuple[Task, Path]:
        path = workloads.resource_list(directory / "list.yaml", count, percent_of)
        return Task(command, 1, path), path

    return prepare


def _kyaml(change: str) -> Callable[[Path, int], tuple[Task, Path]]:
    """Return what prepares a function on kyaml: `set` finds its fields by comments, as apply-setters does."""

    def prepare(directory: Path, count: int) -> tuple[Task, Path]:
        path = workloads.resource_list(directory / "list.yaml", count, 100)
        lines = path.read_text().splitlines()
        path.write_text("".join(f"{line}{_setter(line)}\n" for line in lines))
        return Task((*GO, str(PEERS / "kyaml"), change, f"region={workloads.VALUE}"), 1, path), path

    return prepare


def _setter(line: str) -> str:
    if workloads.REFERENCE not in line:
        return ""
    value = re.sub(r"^ *(?:- |value: )|'", "", line)
    return f" # kpt-set: {value.replace(workloads.REFERENCE, '${region}')}"


GO = ("env", "GOMAXPROCS=1", "REGION=eu-west-1")


def _stream(reference: str, *command: str) -> Callable[[Path, int], tuple[Task, Path]]:
    def prepare(directory: Path, count: int) -> tuple[Task, Path]:
        path = _documents(directory, count, reference)
        return Task((*GO, *command), 1, path), path

    return prepare


def _helm(directory: Path, count: int) -> tuple[Task, Path]:
    (directory / "templates").mkdir()
    (directory / "Chart.yaml").write_text("apiVersion: v2\nname: web\nversion: 1.0.0\n")
    (directory / "values.yaml").write_text("region: eu-west-1\n")
    path = _documents(directory, count, "{{ .Values.region }}").rename(directory / "templates" / "all.yaml")
    return Task((*GO, str(PEERS / "helm"), "template", str(directory)), 1), path


def _kustomize(more: str) -> Callable[[Path, int], tuple[Task, Path]]:
    def prepare(directory: Path, count: int) -> tuple[Task, Path]:
        package = workloads.kustomization(directory / "package", count, 100)
        if more:
            (package / "kustomization.yaml").write_text("resources:\n- resources.yaml\n" + more)
        kustomize = str(ROOT / ".tools" / "bin" / "kustomize")
        return Task((*GO, kustomize, "build", str(package)), 1), package / "resources.yaml"

    return prepare


PEERS_OF_ALL_KINDS = (
    Peer(OURS, _ours(100)),
    Peer(OURS_IDLE, _ours(0)),
    Peer("expand-vars, compiled", _ours(100, COMPILED)),
    Peer("expand-vars, compiled, nothing changes", _ours(0, COMPILED)),
    Peer("a function on kyaml, setters", _kyaml("set")),
    Peer("a function on kyaml, one label", _kyaml("label")),
    Peer("kustomize, `vars`", _kustomize("")),
    Peer("kustomize, replacements", _kustomize(REPLACEMENTS)),
    Peer("helm template", _helm, most=2_000),  # it refuses a file of more than 5 MiB
    Peer("yq, envsubst on each string", _stream("${REGION}", str(PEERS / "yq"), YQ)),
    Peer("envsubst", _stream("${REGION}", str(PEERS / "envsubst"))),
    Peer("PyYAML, load and dump", _stream("x", sys.executable, "-c", LOAD_AND_DUMP)),
    Peer("ruamel.yaml, round trip", _stream("x", str(PEERS / "venv" / "bin" / "python"), "-c", ROUND_TRIP)),
)


if __name__ == "__main__":
    os.chdir(ROOT)
    main()
