"""Where the time of a run goes: `phases.py LIST` prints the share of each phase as JSON.

It runs in the environment of the wheel. A timer of the processor's time looks at the stack; the innermost module that
stands for a phase has the moment.
"""

from __future__ import annotations

import json
import signal
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from expand_vars import pipeline

if TYPE_CHECKING:
    from types import FrameType

PHASES = {
    "krm/yamltree/parser.py": "trees of the items that may change, on libyaml's events",
    "krm/yamltree/cuts.py": "the cut of the list into items, and its proof by a bare parse",
    "krm/yamltree/editor.py": "the edits, and their proof by a bare parse",
    "expand_vars/expansion/": "references and their values",
}
REST = "the rest: choice of items, output"
INTERVAL = 0.001


def main() -> None:
    """Run the function on a list, and look where it is."""
    text = Path(sys.argv[1]).read_text()
    seen = Counter[str]()

    def look(_: int, frame: FrameType | None) -> None:
        seen[phase(frame)] += 1

    signal.signal(signal.SIGPROF, look)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    pipeline.run(text)
    signal.setitimer(signal.ITIMER_PROF, 0)
    json.dump({name: seen[name] / seen.total() for name in (*PHASES.values(), REST)}, sys.stdout)


def phase(frame: FrameType | None) -> str:
    """Return the phase to which a moment belongs."""
    while frame is not None:
        for part, name in PHASES.items():
            if part in frame.f_code.co_filename:
                return name
        frame = frame.f_back
    return REST


if __name__ == "__main__":
    main()
