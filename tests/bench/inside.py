"""What a merge takes inside of a process: `python -m tests.bench.inside ORIGIN UPDATE LOCAL`.

It prints the seconds of the processor that the merge takes, and those of three `safe_load` and one `dump` by libyaml of
the same: the least of many rounds, taken in turns.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import yaml

from krm import resourcelist
from krm.file import File
from krm.generation import generating, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


ROUNDS = 200


def main() -> None:
    """Measure with the files of the arguments."""
    texts = [path.read_text() for path in map(Path, sys.argv[1:])]
    loaded = yaml.load(texts[0], yaml.CSafeLoader)
    rounds = [(seconds(lambda: merge(texts)), seconds(lambda: load_and_dump(texts, loaded))) for _ in range(ROUNDS)]
    print(*map(min, zip(*rounds, strict=True)))  # noqa: T201 - what the program is for


def merge(texts: Sequence[str]) -> None:
    origin, update, local = (File(text, "") for text in texts)
    composition.merge(origin, update, local, BaseRule(Policy()))


def generate(text: str, generated: Iterable[str]) -> str:
    """Merge generated resources into the items of a list, and return the list."""
    listed = resourcelist.read(text)
    generating.generate(
        listed,
        [Update(updates.generated(one, "a template")) for one in generated],
        Settings(owner="shop", is_in_place=True),
    )
    return listed.emit().text


def load_and_dump(texts: Sequence[str], loaded: object) -> None:
    for text in texts:
        yaml.load(text, yaml.CSafeLoader)
    yaml.dump(loaded, Dumper=yaml.CSafeDumper)


def seconds(work: Callable[[], None]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
