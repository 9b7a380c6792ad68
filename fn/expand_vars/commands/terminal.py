"""Standard output as a terminal: whether tables that fit it, and colours, can be written there."""

from __future__ import annotations

import os
from importlib.util import find_spec

_STDOUT = 1


def is_there() -> bool:
    """True if standard output is a terminal, and `rich` is here to write for it. The image does without `rich`."""
    return os.isatty(_STDOUT) and find_spec("rich") is not None
