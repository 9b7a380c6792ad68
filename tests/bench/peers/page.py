"""What `make bench-peers` writes into docs/reference/performance.md: a table for each share, and the plot."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tests.bench.peers import programs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.bench.measuring import Measure

PAGE = programs.ROOT / "docs" / "reference" / "performance.md"
PLOT = PAGE.with_suffix(".svg")
END = "<!-- end -->\n"


class Figure(NamedTuple):
    """What was measured: a peer, how many Deployments, how many in 100 change, on one processor or on all."""

    name: str
    number: int
    percent: int
    is_parallel: bool = False


class Aim(NamedTuple):
    """A ratio that one of ours should not exceed: of its time to that of another, or of its memory to the input."""

    ours: str
    other: str
    number: int
    percent: int
    most: float


INPUT = "the memory, to the input"
WORK = {100: "all change", 0: "none changes"}
AIMS = (
    *(
        Aim(ours, programs.SETTERS, count, 100, most)
        for count in (2_000, 20_000)
        for ours, most in ((programs.OURS, 0.75), (programs.OURS_COMPILED, 0.5))
    ),
    Aim(programs.OURS_COMPILED, programs.HELM, 2_000, 100, 1),
    Aim(programs.OURS, programs.PARSER, 20_000, 0, 1.6),
    Aim(programs.LABELS, programs.SET_LABELS, 2_000, 100, 1.1),
    Aim(programs.LABELS_COMPILED, programs.SET_LABELS, 2_000, 100, 0.8),
    *(Aim(programs.OURS, INPUT, 20_000, percent, 10) for percent in WORK),
)


class Run(NamedTuple):
    """The figures of one run, the share of the bytes that each peer keeps, the bytes of our inputs, and our phases."""

    figures: Mapping[Figure, Measure]
    kept: Mapping[str, float]
    sizes: Mapping[tuple[int, int], int]
    phases: Mapping[str, float]

    def counts(self) -> list[int]:
        return sorted({figure.number for figure in self.figures})


def write(run: Run) -> None:
    """Write the tables into the page, and the plot beside it."""
    text = PAGE.read_text()
    for percent, work in WORK.items():
        text = _between(work, table(run, percent), text)
    PAGE.write_text(text)
    lines: dict[str, dict[int, float]] = {}
    for figure, measure in run.figures.items():
        if not figure.is_parallel and (figure.percent == 100 or figure.name == programs.OURS):
            name = figure.name if figure.percent else f"{figure.name}, none changes"
            lines.setdefault(name, {})[figure.number] = measure.seconds
    plot = [programs.OTHER, Path(__file__).with_name("plot.py"), PLOT]
    subprocess.run(plot, input=json.dumps(lines), text=True, check=True)


def _between(name: str, lines: Iterator[str], text: str) -> str:
    start = f"<!-- {name}: written by `make bench-peers` -->\n"
    before, _, rest = text.partition(start)
    return before + start + "".join(f"{line}\n" for line in lines) + END + rest.partition(END)[2]


def table(run: Run, percent: int) -> Iterator[str]:
    """Yield the lines of a table: the peers, and time and memory in terms of ours."""
    counts = run.counts()
    yield f"| {WORK[percent]} | {' | '.join(f'{count:,}' for count in counts)} | bytes kept |"
    yield "| --- |" + " --: |" * (len(counts) + 1)
    for peer in programs.ALL:
        cells = [cell(run.figures, peer.name, count, percent) for count in counts]
        if not programs.is_there(peer):
            cells = ["not built"] * len(counts)
        yield f"| {peer.name} | {' | '.join(cells)} | {share(run.kept.get(peer.name))} |"


def cell(figures: Mapping[Figure, Measure], name: str, count: int, percent: int) -> str:
    """Return time, time with all processors for Go, and memory."""
    ours = figures[Figure(programs.OURS, count, percent)]
    measure = figures.get(Figure(name, count, percent))
    parallel = figures.get(Figure(name, count, percent, is_parallel=True))
    if measure is None:
        return "-"
    beside = f" [{number(parallel.seconds / ours.seconds)}]" if parallel else ""
    return f"{number(measure.seconds / ours.seconds)}{beside} / {number(measure.peak / ours.peak)}"


def number(ratio: float) -> str:
    """Return a ratio with two digits, or as a whole number."""
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.2g}"


def share(kept: float | None) -> str:
    """Return a share as a reader wants it: what is all is said in a word."""
    if kept is None:
        return "-"
    return "all" if kept == 1 else f"{kept:.0%}" if kept < 0.995 else "nearly all"


def aims(run: Run) -> Iterator[str]:
    """Yield the lines of a table: each aim, the ratio of this run, and whether it is reached."""
    yield "| | beside | Deployments | aim | ratio | |"
    yield "| --- | --- | --- | --: | --: | --- |"
    for aim in AIMS:
        ratio = measured(run, aim)
        what = f"{aim.number:,}, {WORK[aim.percent]}"
        if ratio is not None:
            reached = "reached" if ratio <= aim.most else "missed"
            yield f"| {aim.ours} | {aim.other} | {what} | {aim.most:g} | {ratio:.2f} | {reached} |"


def phases(run: Run) -> Iterator[str]:
    """Yield the lines of a table: what our time is spent on."""
    yield "| phase | share |"
    yield "| --- | --: |"
    for name, part in run.phases.items():
        yield f"| {name} | {part:.0%} |"


def measured(run: Run, aim: Aim) -> float | None:
    """Return the ratio of an aim, None if one of its two was not measured."""
    ours = run.figures.get(Figure(aim.ours, aim.number, aim.percent))
    if ours is None:
        return None
    if aim.other == INPUT:
        return ours.peak / run.sizes[aim.number, aim.percent]
    other = run.figures.get(Figure(aim.other, aim.number, aim.percent))
    return ours.seconds / other.seconds if other else None
