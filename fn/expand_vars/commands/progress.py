"""What a command is doing, on a terminal, when it takes longer than a second."""

from __future__ import annotations

import os
import threading
import time

from krm import stdio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

_STDERR = 2
_SILENT = 1.0
_PAUSE = 0.2
_CLEAR = b"\r\x1b[K"


class Progress:
    """A line on standard error that shows what is being done, and for how long, and goes when all is done."""

    def __init__(self) -> None:
        self._doing = ""
        self._is_done = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True) if os.isatty(_STDERR) else None

    def __enter__(self) -> Self:
        if self._thread is not None:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_done.set()
        if self._thread is not None:
            self._thread.join()

    def do(self, doing: str) -> None:
        """Say what is being done now."""
        self._doing = doing

    def _show(self) -> None:
        began = time.monotonic()
        if self._is_done.wait(_SILENT):
            return
        while not self._is_done.wait(_PAUSE):
            stdio.pass_on(_CLEAR + f"{self._doing}, {time.monotonic() - began:.0f} s".encode())
        stdio.pass_on(_CLEAR)
