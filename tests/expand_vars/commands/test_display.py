"""Where tables that fit and colours are written: on a terminal, with `rich`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from expand_vars.commands import display

if TYPE_CHECKING:
    import pytest


def test_without_rich_a_terminal_is_written_to_as_a_pipe_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    assert display.is_terminal()
    monkeypatch.setitem(sys.modules, "rich", None)
    assert not display.is_terminal()
