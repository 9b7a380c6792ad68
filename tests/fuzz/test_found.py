"""What `make fuzz` found, tried again with every run of the tests; and a few random texts for each law."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.fuzz import cases, laws

if TYPE_CHECKING:
    from pathlib import Path

FOUND = sorted(path for path in cases.FOUND.iterdir() if path.name.partition("-")[0] in laws.LAWS)
FEW = 25


@pytest.mark.parametrize("path", FOUND, ids=lambda path: path.stem)
def test_what_was_found(path: Path) -> None:
    """The name of a file is that of a law and, behind it, what was wrong."""
    text = path.read_bytes().decode()
    laws.LAWS[path.name.partition("-")[0]](text, cases.die(text))


@pytest.mark.parametrize("law", laws.LAWS)
def test_a_few_random_texts(law: str) -> None:
    dice, texts = random.Random(law), cases.corpus(law)  # noqa: S311 - no secret is made of it
    for _ in range(FEW):
        text = cases.changed(texts, dice)
        laws.LAWS[law](text, cases.die(text))


def test_what_takes_too_long_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laws, "SECONDS", 0.0)
    with pytest.raises(laws.SlowError, match=r"^0\.\d\d s for 0 bytes, and 0\.00 s are allowed$"), laws.timed(""):
        sum(range(1000))
