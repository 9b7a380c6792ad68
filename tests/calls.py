"""Calls of Python functions, counted: a measure of work that is the same on every machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from krm.yamltree import parser

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
    found = 0

    def note(frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal found
        if event == "call" and frame.f_code is parser.parse_all.__code__:
            found += len(frame.f_locals["text"])

    sys.setprofile(note)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found
