"""What runs cost in counts, which are the same on every machine, beside a committed budget: `make bench-check`.

A time fails where a machine is busy. A count fails where the work grew: calls of Python functions, parses, and
characters that are parsed or that functions return, each for an item or for a character of the input. Counts depend on
the Python, so the budget names the one for which it holds: that of CI. UPDATE=1 writes the budget.
"""

from __future__ import annotations

import compileall
import gc
import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from expand_vars import pipeline
from expand_vars.functionconfig import decoding
from krm.package import file_changes, files, transaction
from krm.package.folder import Folder
from krm.yamltree import events, parser
from tests.bench import inside, workloads

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from types import FrameType

    Costs = dict[str, float]

BUDGET = Path(__file__).with_name("budget.json")
HEADROOM = 1.05
"""By what factor a count may exceed its budget: a feature may cost a little, and a habit may not."""
ITEMS = 200
OURS = tuple(str(Path(__file__).parents[2] / "fn" / package) for package in ("expand_vars", "krm"))
READS = (parser.parse_all.__code__, events.check.__code__)
START = """
import sys
calls = 0
def count(frame, event, argument):
    global calls
    calls += event == "call"
sys.setprofile(count)
from krm import process
process.postpone_yaml()
from expand_vars import __main__ as cli
sys.argv = ["expand-vars", *sys.argv[1:]]
cli.run(sys.argv[1:])
sys.setprofile(None)
print(calls, len(sys.modules), file=sys.stderr)
"""


def main() -> int:
    """Print each count beside its budget, and return 1 if one is over it."""
    measured = {name: {what: round(cost, 2) for what, cost in costs.items()} for name, costs in measure().items()}
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    if "UPDATE" in os.environ:
        BUDGET.write_text(json.dumps({"python": python, "counts": measured}, indent=2) + "\n")
    budget = json.loads(BUDGET.read_text())
    if budget["python"] != python:
        sys.exit(f"the budget is that of Python {budget['python']}, and this is {python}")
    over = 0
    for name, costs in measured.items():
        for what, cost in costs.items():
            allowed = budget["counts"][name][what]
            over += cost > allowed * HEADROOM
            verdict = "OVER THE BUDGET" if cost > allowed * HEADROOM else ""
            print(f"{name:30} {what:36} {cost:12,.2f} of {allowed:12,.2f} {verdict}".rstrip())  # noqa: T201
    return int(over > 0)


def measure() -> dict[str, Costs]:
    """Return the costs of each kind of run."""
    gc.disable()
    compileall.compile_dir("fn", quiet=1)
    with TemporaryDirectory() as name:
        directory = Path(name)
        lists = {percent: workloads.resource_list(directory / str(percent), ITEMS, percent) for percent in (0, 1, 100)}
        few = {
            kind: workloads.resource_list(directory / kind, 2, 100, config)
            for kind, config in {"ConfigMap": workloads.CONFIG_MAP, "ExpandVars": workloads.EXPAND_VARS}.items()
        }
        plain = workloads.documents(directory / "documents", 2, 100)
        sides = {percent: workloads.sides(directory / f"sides-{percent}", ITEMS // 10, percent) for percent in (1, 100)}
        return {
            "start, ConfigMap": started(few["ConfigMap"]),
            "start, ExpandVars": started(few["ExpandVars"]),
            "start, NAME=VALUE": started(plain, "REGION=eu-west-1"),
            **{f"filter, {percent}% change": filtered(path.read_text()) for percent, path in lists.items()},
            **evaluations(directory / "package"),
            **generations(),
            **{f"merge3, {percent}% change": merged(paths) for percent, paths in sides.items()},
        }


def started(stdin: Path, *arguments: str) -> Costs:
    """Return the costs of a whole run, its imports included."""
    with stdin.open() as file:
        done = subprocess.run(
            [sys.executable, "-S", "-c", START, *arguments],
            stdin=file,
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONHASHSEED": "0"},
        )
    calls, modules = done.stderr.split()
    return {"calls": float(calls), "modules": float(modules)}


def filtered(text: str) -> Costs:
    return counted(lambda: pipeline.run(text, None, ()), ITEMS, len(text))


def evaluations(package: Path) -> dict[str, Costs]:
    """Return the costs of a package that is expanded in place, and of a second run, in which nothing changes."""
    package.mkdir()
    text = workloads.documents(package / "web.yaml", ITEMS, 100)
    return {
        run: counted(lambda: evaluate(package), ITEMS, text.stat().st_size) for run in ("eval, first", "eval, again")
    }


def evaluate(directory: Path) -> None:
    with Folder(str(directory)) as opened:
        package = files.read(opened)
        config = decoding.with_arguments(decoding.decode(None), [("REGION", workloads.VALUE)])
        pipeline.expand(package, config.in_place())
        transaction.commit(opened, file_changes.of(package))


def merged(sides: Iterable[Path]) -> Costs:
    texts = [path.read_text() for path in sides]
    return counted(lambda: inside.merge(texts), ITEMS // 10, sum(map(len, texts)))


def generations() -> dict[str, Costs]:
    """Return the costs of resources that are generated for the first time, again, and otherwise than before."""
    first = [workloads.named(workloads.ORIGIN, number) for number in range(ITEMS // 10)]
    changed = [text.replace("web:1.27", "web:1.28") for text in first]
    there = inside.generate("kind: ResourceList\nitems: []\n", first)
    runs = {"first": ("kind: ResourceList\nitems: []\n", first), "again": (there, first), "changed": (there, changed)}
    return {f"generation, {name}": generated(text, texts) for name, (text, texts) in runs.items()}


def generated(text: str, texts: Sequence[str]) -> Costs:
    return counted(lambda: inside.generate(text, texts), len(texts), sum(map(len, (text, *texts))))


def counted(run: Callable[[], object], items: int, size: int) -> Costs:
    """Return the costs of a run on so many items, of so many characters together."""
    counts: Counter[str] = Counter()

    def count(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            counts["calls"] += 1
            if frame.f_code in READS:
                counts["parses"] += 1
                counts["parsed"] += len(frame.f_locals["text"])
        elif event == "return" and isinstance(argument, str) and frame.f_code.co_filename.startswith(OURS):
            counts["returned"] += len(argument)

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return {
        "calls for an item": counts["calls"] / items,
        "parses for an item": counts["parses"] / items,
        "characters parsed for one": counts["parsed"] / size,
        "characters returned for one": counts["returned"] / size,
    }


if __name__ == "__main__":
    sys.exit(main())
