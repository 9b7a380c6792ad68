"""expand-vars beside its peers: `make bench-peers` writes the tables and the plot of docs/reference/performance.md.

Each gets the same Deployments in the form that it reads and replaces three values in each of them; set-labels sets a
label; PyYAML and ruamel.yaml load and write. Figures are ratios of processor time and of peak memory, medians of
processes that take turns. Go's parallel collector counts as processor time, so a Go program runs with `GOMAXPROCS=1`
and as it comes. *Bytes kept* is the share of the bytes, in lines that need no change, that are in the output in such
lines.

`python -m tests.bench.peers --most COUNT` measures as many Deployments and prints, and leaves the page alone.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tests.bench import workloads
from tests.bench.measuring import side_by_side
from tests.bench.peers import page, programs
from tests.bench.peers.page import WORK, Figure, Run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.bench.measuring import Measure, Task
    from tests.bench.peers.programs import Job, Peer

ROUNDS = {2: 9, 200: 3, 2_000: 3, 20_000: 2}
PATIENCE = 18
"""The seconds that one run may take: another peer for which it would take longer, growing linearly, is left out."""
SLOW = 3
"""The seconds from which on a run that no aim is about is done once, and on one processor alone."""
WATCHED = 2_000
"""The number of Deployments in the run of which the phases are told."""
CHANGED = (workloads.REFERENCE, "REGION", ".Values.region", workloads.VALUE, "labels: {")
"""What is in the lines that a peer is to change."""


def main() -> None:
    """Measure all, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.peers")
    parser.add_argument("--most", type=int, default=max(ROUNDS), help="the number of Deployments to stop at")
    most: int = parser.parse_args().most
    run = measure(most)
    lines = [*page.table(run, 100), "", *page.table(run, 0), "", *page.aims(run), "", *page.phases(run)]
    print(*lines, sep="\n")  # noqa: T201 - what the program is for
    if most >= max(ROUNDS):
        page.write(run)


def measure(most: int) -> Run:
    """Measure each peer for each number of Deployments up to which it is fast enough."""
    figures: dict[Figure, Measure] = {}
    kept: dict[str, float] = {}
    sizes: dict[tuple[int, int], int] = {}
    left = [peer for peer in programs.ALL if programs.is_there(peer)]
    with TemporaryDirectory() as name:
        for count in [count for count in ROUNDS if count <= most]:
            jobs = prepared(Path(name) / str(count), count, left)
            for figure, job in jobs.items():
                if job.text is not None and figure.percent == 100 and count == 200 and not figure.is_parallel:
                    kept[figure.name] = bytes_kept(job.task, job.text)
                if figure.name == programs.OURS:
                    sizes[count, figure.percent] = job.task.stdin.stat().st_size
            done = measured(jobs, ROUNDS[count])
            figures |= done
            left = fast_enough(left, done)
        return Run(figures, kept, sizes, phases(Path(name)))


def fast_enough(peers: list[Peer], done: Mapping[Figure, Measure]) -> list[Peer]:
    """Return the peers that stay for ten times as many Deployments: ours always, all others are ratios to it."""
    slow = {figure.name for figure, one in done.items() if one.seconds * 10 > PATIENCE}
    return [peer for peer in peers if peer.name == programs.OURS or peer.name not in slow]


def phases(directory: Path) -> dict[str, float]:
    """Return what the time of a run is spent on in which all Deployments change."""
    path = programs.resource_list(directory, WATCHED, 100)
    command = (programs.PURE, Path(__file__).with_name("phases.py"), path)
    shares: dict[str, float] = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return shares


def prepared(directory: Path, count: int, peers: list[Peer]) -> dict[Figure, Job]:
    """Write the inputs of all peers, and return their jobs."""
    jobs = {}
    for number, peer in enumerate(peers):
        if peer.most < count:
            continue
        for percent in WORK:
            own = directory / f"{number}-{percent}"
            own.mkdir(parents=True)
            job = peer.prepare(own, count, percent)
            jobs[Figure(peer.name, count, percent)] = job
            if peer.is_go:
                alone = job.task._replace(environment={**job.task.environment, "GOMAXPROCS": "1"})
                jobs[Figure(peer.name, count, percent)] = job._replace(task=alone)
                jobs[Figure(peer.name, count, percent, is_parallel=True)] = job
    return jobs


def measured(jobs: Mapping[Figure, Job], rounds: int) -> dict[Figure, Measure]:
    """Measure jobs in turns, but each slow one once."""
    first = side_by_side({figure: job.task for figure, job in jobs.items() if not figure.is_parallel})
    tell(first)
    aims = {Figure(name, aim.number, aim.percent) for aim in page.AIMS for name in (aim.ours, aim.other)}
    fast = {figure for figure, one in first.items() if one.seconds < SLOW or figure in aims}
    again = side_by_side(
        {
            figure: job.task._replace(rounds=1 if figure.is_parallel else rounds)
            for figure, job in jobs.items()
            if figure._replace(is_parallel=False) in fast
        }
    )
    tell(again)
    return first | again


def tell(done: Mapping[Figure, Measure]) -> None:
    """Print figures as they are, so that a long run is seen to go on."""
    for figure, one in done.items():
        what = f"{figure.number:>6} {WORK[figure.percent]:>13} {figure.name}{' in parallel' * figure.is_parallel}"
        print(f"{what}: {one.seconds:.3f} s, {one.peak / 1e6:.0f} MB", flush=True)  # noqa: T201 - what the program is for


def bytes_kept(task: Task, text: Path) -> float:
    """Return which share of the bytes in the lines of a text that are to stay is in the output, in such lines.

    RuntimeError if the output has no new value: a peer that does not do its work has nothing to be measured.
    """
    with task.stdin.open() as stdin:
        environment = {**os.environ, **task.environment}
        done = subprocess.run(task.command, stdin=stdin, capture_output=True, text=True, check=True, env=environment)
    if done.stdout.count(workloads.VALUE) < 3 * text.read_text().count("serviceAccountName: "):
        raise RuntimeError(f"{' '.join(task.command)} does not write what it should")
    out = Counter(done.stdout.splitlines())
    stay = Counter(line for line in text.read_text().splitlines() if not any(mark in line for mark in CHANGED))
    return _bytes(stay & out) / _bytes(stay)


def _bytes(lines: Counter[str]) -> int:
    return sum(times * len(f"{line}\n".encode()) for line, times in lines.items())


if __name__ == "__main__":
    os.chdir(programs.ROOT)
    main()
