"""Measure expand-vars against what else there is, in one run: `make bench`, or `python -m tests.bench [--full]`.

All figures are of whole processes, start included, as users have them, but for one of a merge, which says so. Beside a
ratio stands the target for it; nothing fails that misses one, as on a busy machine it may.
"""

from __future__ import annotations

import argparse
import compileall
import filecmp
import math
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import indent
from typing import TYPE_CHECKING

from tests.bench import odd_shapes, workloads
from tests.bench.measuring import Task, side_by_side
from tests.bench.report import Line, at_least, at_most, show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.bench.measuring import Measure

BARE = (sys.executable, "-c", "pass")
EXPAND_VARS = (sys.executable, "-m", "expand_vars")
KRM = (sys.executable, "-m", "krm")
RAW_PARSE = (sys.executable, "-c", "import sys, yaml.cyaml; yaml.cyaml.CParser(sys.stdin.read()).raw_parse()")
LOAD_AND_DUMP = (
    sys.executable,
    "-c",
    "import sys, yaml; yaml.dump(yaml.load(sys.stdin, yaml.CSafeLoader), sys.stdout, yaml.CSafeDumper)",
)
LOAD_AND_DUMP_ALL = """
import sys, yaml
for name in sys.argv[1:]:
    with open(name) as file:
        loaded = [*yaml.load_all(file, yaml.CSafeLoader)]
yaml.dump_all(loaded, sys.stdout, yaml.CSafeDumper)
"""
INSIDE = (sys.executable, "-m", "tests.bench.inside")
KUSTOMIZES = (("kubectl", "kustomize"), ("kustomize", "build"))

FEW, SOME, MANY, FULL = 2, 2_000, 20_000, 200_000
ROUNDS = {FEW: 21, SOME: 5, MANY: 3, FULL: 1}
ROUNDS_OF_MERGES = {1: 21, 100: 5, 1_000: 3}
ROUNDS_OF_KPT = {1: 5, 100: 2, 1_000: 1}
WORK = {0: "nothing changes", 1: "1% of the workloads change", 100: "all workloads change"}
PARSING, LOADING, BUILDING = "CParser.raw_parse", "safe_load + dump", "kustomize with vars"
MERGING, LOADING_THREE, UPDATING = "merge3", "3 x safe_load + dump", "kpt pkg update"

START_TARGETS = {
    "ConfigMap": at_most(3.2),
    "ExpandVars": at_most(4.5),
    "NAME=VALUE, plain documents": at_most(3.5),
    "--version": at_most(2),
    "git-merge": at_most(3.5),
}
TIME_TARGETS = {
    (MANY, 0, PARSING): at_least(0.45),
    (MANY, 1, PARSING): at_least(0.45),
    (MANY, 0, LOADING): at_least(25),
    (MANY, 1, LOADING): at_least(25),
    (MANY, 100, LOADING): at_least(6),
    (SOME, 100, BUILDING): at_least(20),
}
MEMORY_TARGETS = {0: at_most(4), 1: at_most(4), 100: at_most(6)}
TEMPLATES_TARGET = at_most(2)
MERGED_TARGETS = {"for the first time": None, "again": at_most(10), "otherwise": at_most(10)}
INSIDE_TARGET = at_most(1)
FEW_CHANGES_TARGET = at_most(0.2)
MERGE_MEMORY_TARGET = at_most(12)
GROWTH_TARGET = at_most(12)  # linear, give or take what is noise
EXPONENT_TARGET = at_most(1.2)
FORM_TARGET = at_most(1.3)
LISTED = 4_000
FLEETS = {FEW: 200, 50: 40, 200: 20}
"""How many packages of how many resources."""
VALUE = "REGION=eu-west-1"
GENERATED = 2_000
TEMPLATES = 300
SHORTEST = 0.02  # seconds: less is noise


def main() -> None:
    """Measure it all, and print each table as soon as its figures are known."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Time and memory, as ratios.")
    parser.add_argument("--full", action="store_true", help=f"{FULL:,} resources, too: some minutes more")
    counts = (SOME, MANY, FULL) if parser.parse_args().full else (SOME, MANY)
    with TemporaryDirectory() as name:
        directory = Path(name)
        make_ready(directory)
        show(f"Processor time and memory of whole processes that take turns, on Python {platform.python_version()}")
        start = measure_start(directory)
        ours = {count: measure(directory, count) for count in counts}
        show("Growth from a tenth of the resources, the start not counted", growth(start, ours))
        measure_eval(directory)
        measure_fleet(directory)
        measure_odd_shapes(directory, start)
        measure_generation(directory)
        measure_templates(directory)
        measure_merges(directory)


def make_ready(directory: Path) -> None:
    """Compile the function, and see that it does what is to be measured: texts become those that they should."""
    compileall.compile_dir("fn", quiet=1)
    expected, actual = workloads.resource_list(directory / "expected", SOME, 0), directory / "actual"
    with workloads.resource_list(directory / "input", SOME, 100).open() as stdin, actual.open("w") as stdout:
        subprocess.run(EXPAND_VARS, stdin=stdin, stdout=stdout, check=True)
    merged = directory / "merged.yaml"
    subprocess.run((*KRM, "merge3", *workloads.sides(directory / "merge", 1), "--output", merged), check=True)
    if not filecmp.cmp(expected, actual, shallow=False) or merged.read_text() != workloads.named(workloads.MERGED, 0):
        sys.exit("expand-vars does not make the text that it should: there is nothing to measure")


def measure_start(directory: Path) -> float:
    """Measure runs with next to nothing to do, and return the seconds of one."""
    configs = {"ConfigMap": workloads.CONFIG_MAP, "ExpandVars": workloads.EXPAND_VARS}
    inputs = {kind: workloads.resource_list(directory / kind, FEW, 100, config) for kind, config in configs.items()}
    tasks = {kind: Task(EXPAND_VARS, ROUNDS[FEW], text) for kind, text in inputs.items()}
    plain = workloads.documents(directory / "documents", FEW, 100)
    tasks["NAME=VALUE, plain documents"] = Task((*EXPAND_VARS, "REGION=eu-west-1"), ROUNDS[FEW], plain)
    words = (*workloads.sides(directory / "driver", 1), "7", "web.yaml")
    # The driver writes what it makes of local to where that was: all rounds but the first have little left to merge.
    tasks["git-merge"] = Task((*KRM, "git-merge", *(str(words[at]) for at in (0, 2, 1, 3, 4))), ROUNDS[FEW], plain)
    tasks["--version"] = Task((*EXPAND_VARS, "--version"), ROUNDS[FEW], plain)
    seconds = {name: run.seconds for name, run in side_by_side({"": Task(BARE, ROUNDS[FEW]), **tasks}).items()}
    other = f"the time of python -c pass, {seconds[''] * 1e3:.0f} ms"
    show(
        f"Start: {FEW} resources",
        [
            Line(kind, f"{seconds[kind] * 1e3:.0f} ms", seconds[kind] / seconds[""], other, target)
            for kind, target in START_TARGETS.items()
        ],
    )
    return seconds["ConfigMap"]


def measure(directory: Path, count: int) -> dict[int, Measure]:
    """Measure time and memory for a number of resources, and return what expand-vars took for each work."""
    texts = {percent: workloads.resource_list(directory / str(percent), count, percent) for percent in WORK}
    tasks = {WORK[percent]: Task(EXPAND_VARS, ROUNDS[count], text) for percent, text in texts.items()}
    measured = side_by_side(tasks | others(directory, count, texts[100]))
    ours = {percent: measured.pop(work) for percent, work in WORK.items()}
    size = texts[100].stat().st_size
    show(f"Time: {count:,} resources, {size / 1e6:.1f} MB", times(count, ours, measured))
    show(f"Peak memory: {count:,} resources, {size / 1e6:.1f} MB", peaks(count, size, ours, measured))
    return ours


def others(directory: Path, count: int, text: Path) -> dict[str, Task]:
    """Return what to compare with, on the same resources.

    What takes too long is left out. The time of kustomize grows with the square of their number, to more than nine
    minutes for 20,000; to load and dump 200,000 takes about as long, and seven gigabytes.
    """
    tasks = {PARSING: Task(RAW_PARSE, ROUNDS[count], text)}
    if count <= MANY:
        tasks[LOADING] = Task(LOAD_AND_DUMP, 3 if count == SOME else 2, text)
    kustomize = next((command for command in KUSTOMIZES if shutil.which(command[0])), None)
    if count == SOME and kustomize is not None:
        package = workloads.kustomization(directory / "package", workloads.resources(count, 100))
        tasks[BUILDING] = Task((*kustomize, str(package)), 3)
    return tasks


def times(count: int, ours: dict[int, Measure], measured: dict[str, Measure]) -> Iterator[Line]:
    """Yield how fast each work is done, in terms of the others: all but kustomize do the same for each."""
    for percent, mine in ours.items():
        for name, other in measured.items():
            if name != BUILDING or percent == 100:
                of = f"the speed of {name}, {other.seconds:.2f} s"
                target = TIME_TARGETS.get((count, percent, name))
                yield Line(WORK[percent], f"{mine.seconds:.2f} s", other.seconds / mine.seconds, of, target)


def peaks(count: int, size: int, ours: dict[int, Measure], measured: dict[str, Measure]) -> Iterator[Line]:
    """Yield how much memory each work took, in terms of the input."""
    for percent, mine in ours.items():
        target = MEMORY_TARGETS[percent] if count >= MANY else None
        yield Line(WORK[percent], f"{mine.peak / 1e6:.0f} MB", mine.peak / size, "the input", target)
    for name, other in measured.items():
        yield Line(name, f"{other.peak / 1e6:.0f} MB", other.peak / size, "the input")


def growth(start: float, ours: dict[int, dict[int, Measure]]) -> Iterator[Line]:
    """Yield how much longer each work took for ten times the resources."""
    for count in list(ours)[1:]:
        for percent, work in WORK.items():
            more, less = ours[count][percent].seconds, ours[count // 10][percent].seconds
            of = f"the time for {count // 10:,} resources"
            yield Line(work, f"{more:.2f} s", (more - start) / (less - start), of, GROWTH_TARGET)


def measure_eval(directory: Path) -> None:
    """Measure a package that is expanded in place, and then again, beside the function on the same documents."""
    text = workloads.documents(directory / "package.yaml", SOME, 100)
    first, again = (directory / f"package-{number}" for number in range(2))
    for package in (first, again):
        package.mkdir()
        shutil.copy(text, package)
    evaluated = (*EXPAND_VARS, "eval")
    subprocess.run((*evaluated, str(again), VALUE), stdout=subprocess.DEVNULL, check=True)
    anew = ("sh", "-c", 'cp "$0" "$1" && shift && exec "$@"', str(text), str(first), *evaluated, str(first), VALUE)
    tasks = {
        "function": Task((*EXPAND_VARS, VALUE), ROUNDS[SOME], text),
        "eval": Task(anew, ROUNDS[SOME]),
        "again": Task((*evaluated, str(again), VALUE), ROUNDS[SOME]),
    }
    ran = {name: run.seconds for name, run in side_by_side(tasks).items()}
    pairs = ("eval", "function", at_most(2)), ("again", "eval", at_most(0.5))
    lines = [
        Line(name, f"{ran[name]:.2f} s", ran[name] / ran[other], f"the time of {other}", target)
        for name, other, target in pairs
    ]
    show(f"In place: {SOME:,} resources in one file", lines)


def measure_fleet(directory: Path) -> None:
    """Measure what one of many packages takes: in a shard, again, where git sees no change; in a process of its own."""
    bare = side_by_side({"": Task(BARE, ROUNDS[FEW])})[""].seconds
    other = f"the time of python -c pass, {bare * 1e3:.0f} ms"
    for size, count in FLEETS.items():
        fleet = workloads.fleet(directory / f"fleet-{size}", count, size)
        shard = (*EXPAND_VARS, "eval", str(fleet), "--shard", "0/1", "REGION=eu-west-1")
        took = {name: side_by_side({"": Task(shard, 1)})[""].seconds for name in ("for the first time", "again")}
        for step in ("init -q", "add -A", "-c user.name=a -c user.email=a@b commit -qm one"):
            subprocess.run(["git", "-C", str(fleet), *step.split()], check=True)
        took["unchanged since"] = side_by_side({"": Task((*shard, "--changed-since", "HEAD"), 1)})[""].seconds
        if size == FEW:
            each = 'find "$0" -name Kptfile -printf "%h\\0" | xargs -0 -I PACKAGE "$@"'
            alone = ("sh", "-c", each, str(fleet), *EXPAND_VARS, "eval", "PACKAGE", "REGION=eu-west-1")
            took["again, in a process of its own"] = side_by_side({"": Task(alone, 1)})[""].seconds
        show(
            f"One of {count} packages of {size} resources, in a shard",
            [
                Line(name, f"{seconds / count * 1e3:.1f} ms", seconds / count / bare, other)
                for name, seconds in took.items()
            ],
        )


def measure_generation(directory: Path) -> None:
    """Measure resources that are generated into a list: for the first time, again, and otherwise than before."""
    there = directory / "there"
    there.write_text("kind: ResourceList\nitems: []\nfunctionConfig:\n" + indent(workloads.CONFIG_MAP, "  "))
    before, after = (workloads.generated(directory / tag, GENERATED, tag) for tag in ("1.27", "1.28"))
    for work, made in (("for the first time", before), ("again", before), ("otherwise", after)):
        wrap = (*KRM, "wrap", "--", "cat", str(made))
        measured = side_by_side({"": Task(wrap, 3, there)})[""]
        size = there.stat().st_size + made.stat().st_size
        each = measured.seconds / GENERATED
        show(
            f"Generation: {GENERATED:,} Deployments, {work}",
            [
                Line("time", f"{measured.seconds:.2f} s", each * 1e3, "a millisecond for each"),
                Line(
                    "memory", f"{measured.peak / 1e6:.0f} MB", measured.peak / size, "the input", MERGED_TARGETS[work]
                ),
            ],
        )
        if made is before:
            with there.open() as stdin:
                done = subprocess.run(wrap, stdin=stdin, capture_output=True, check=True)
            there.write_bytes(done.stdout)


def measure_templates(directory: Path) -> None:
    """Measure a package with templates in place, where a state file remembers what was generated."""
    config = "--fn-config", "fn.yaml"
    lines = []
    for work, tag in (("for the first time", "1.27"), ("again", "1.27"), ("otherwise", "1.28")):
        package = workloads.templates(directory / "templates", TEMPLATES, tag)
        tasks = {
            "eval": Task(("sh", "-c", 'cd "$0" && exec "$@"', str(package), *EXPAND_VARS, "eval", ".", *config), 1),
            LOADING: Task(LOAD_AND_DUMP, 3, package / "fn.yaml"),
        }
        ran = {name: run.seconds for name, run in side_by_side(tasks).items()}
        other = f"{LOADING} of its templates"
        lines.append(Line(work, f"{ran['eval']:.2f} s", ran["eval"] / ran[LOADING], other, TEMPLATES_TARGET))
    show(f"In place: {TEMPLATES:,} Deployments of 200 lines, generated from templates", lines)


def measure_odd_shapes(directory: Path, start: float) -> None:
    """Measure items that grow in one direction, and lists that are written in an unusual way."""
    lines = []
    for name, (count, made) in odd_shapes.GROWING.items():
        less, more = (measure_text(directory, made(size)) - start for size in (count, 10 * count))
        exponent = math.log10(max(more, SHORTEST) / max(less, SHORTEST))
        lines.append(
            Line(name, f"{more:.2f} s", exponent, f"linear growth, {count:,} to {10 * count:,}", EXPONENT_TARGET)
        )
    show("Odd shapes: the exponent by which processor time grows, the start not counted", lines)
    seconds = {name: measure_text(directory, made(LISTED)) for name, made in odd_shapes.WRITTEN.items()}
    usual, *others = seconds.items()
    show(
        f"Odd lists: {LISTED:,} Deployments, of which none changes",
        [Line(name, f"{took:.2f} s", took / usual[1], f"a list {usual[0]}", FORM_TARGET) for name, took in others],
    )


def measure_text(directory: Path, text: str) -> float:
    """Return the seconds that expand-vars takes for a text."""
    path = directory / "odd"
    path.write_text(text, newline="")
    return side_by_side({"": Task((*EXPAND_VARS, "A=1"), 3, path)})[""].seconds


def measure_merges(directory: Path) -> None:
    """Measure merges of one resource and of many, the first inside of a process too."""
    ours = {count: measure_merge(directory / f"merge-{count}", count) for count in ROUNDS_OF_MERGES}
    files = (directory / "merge-1" / f"{side}.yaml" for side in ("origin", "update", "local"))
    done = subprocess.run((*INSIDE, *files), check=True, capture_output=True, text=True)
    mine, other = map(float, done.stdout.split())
    of = f"the time of {LOADING_THREE}, {other * 1e3:.1f} ms"
    inside = Line("1 resource, in a process", f"{mine * 1e3:.1f} ms", mine / other, of, INSIDE_TARGET)
    one, less, more = ours.values()
    of = "the time for 100 resources"
    show(
        "Merge: inside of a process, and growth from a tenth of the resources, the start not counted",
        [inside, Line("1,000 resources", f"{more:.2f} s", (more - one) / (less - one), of, GROWTH_TARGET)],
    )
    measure_few_changes(directory)


def measure_few_changes(directory: Path) -> None:
    """Measure the merge of many resources of which few changed, and the memory that merges take."""
    count = max(ROUNDS_OF_MERGES)
    files = {percent: workloads.sides(directory / f"few-{percent}", count, percent) for percent in (1, 100)}
    largest = max(path.stat().st_size for path in files[100])
    tasks = {
        WORK[percent]: Task((*KRM, "merge3", *map(str, sides)), ROUNDS_OF_MERGES[count])
        for percent, sides in files.items()
    }
    measured = side_by_side(tasks)
    few, every = measured[WORK[1]], measured[WORK[100]]
    of = f"the time if all change, {every.seconds:.2f} s"
    show(
        f"Merge: {count:,} of 200 lines, {largest / 1e6:.1f} MB",
        [
            Line(WORK[1], f"{few.seconds:.2f} s", few.seconds / every.seconds, of, FEW_CHANGES_TARGET),
            *(
                Line(work, f"{one.peak / 1e6:.0f} MB", one.peak / largest, "the largest side", MERGE_MEMORY_TARGET)
                for work, one in measured.items()
            ),
        ],
    )


def measure_merge(directory: Path, count: int) -> float:
    """Measure a merge of `count` resources, and return the seconds that expand-vars takes."""
    files = tuple(map(str, workloads.sides(directory, count)))
    tasks = {
        MERGING: Task((*KRM, "merge3", *files), ROUNDS_OF_MERGES[count]),
        LOADING_THREE: Task((sys.executable, "-c", LOAD_AND_DUMP_ALL, *files), ROUNDS_OF_MERGES[count]),
    }
    if shutil.which("kpt"):
        tasks[UPDATING] = Task(workloads.kpt_update(directory), ROUNDS_OF_KPT[count])
    seconds = {name: measure.seconds for name, measure in side_by_side(tasks).items()}
    mine = seconds.pop(MERGING)
    lines = [
        Line(MERGING, f"{mine:.2f} s", other / mine, f"the speed of {name}, {other:.2f} s")
        for name, other in seconds.items()
    ]
    show(f"Merge: {count:,} of 200 lines", lines)
    return mine


if __name__ == "__main__":
    main()
