"""Calls of Python functions, counted: a measure of work that is the same on every machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from krm.yamltree import edits, parser

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType


def counted(run: Callable[[], object], of: CodeType | None = None) -> int:
    """Return how many functions are called in a run, or how often the one with the code `of`."""
    found = 0

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal found
        found += event == "call" and of in (None, frame.f_code)

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def parsed(run: Callable[[], object]) -> int:
    """Return how many characters are parsed in a run: texts as a whole, and lines that are read alone."""
    return _characters(run, parser.parse_all.__code__, "text")


def edited(run: Callable[[], object]) -> int:
    """Return how many characters the texts have to which edits are made in a run."""
    return _characters(run, edits.apply.__code__, "source")


def _characters(run: Callable[[], object], of: CodeType, parameter: str) -> int:
    found = 0

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal found
        if event == "call" and frame.f_code is of:
            found += len(frame.f_locals[parameter])

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found
