"""The picture of a terminal in the README: the commands below, run in a copy of examples/eval on a terminal of its own.

python -m scripts.terminal > docs/terminal.svg
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
from io import StringIO
from pathlib import Path

from rich import _export_format, terminal_theme
from rich.console import Console
from rich.text import Text

EXAMPLE = Path(__file__).parents[1] / "examples" / "eval"
COMMANDS = (
    "expand-vars eval . REGION=eu-west-1 TAG=1.4.2",
    "expand-vars eval . --diff TAG=1.5.0",
    "expand-vars eval . --check --strict TAG=1.5.0 REGION=eu-west-1",
)
WIDTH = 92

# rich's own form names a font of another host. Whoever looks at the picture has a font of one width.
FORM = re.sub(r"@font-face \{\{.*?\}\}\s*", "", _export_format.CONSOLE_SVG_FORMAT, flags=re.DOTALL).replace(
    "font-family: Fira Code, monospace", "font-family: ui-monospace, Menlo, Consolas, monospace"
)
# What a slow run shows of its progress, and takes away again.
PROGRESS = re.compile(r"[^\n]*\r\x1b\[K")


def on_a_terminal(command: str, folder: Path) -> str:
    """Return what a command prints on a terminal, with its colours."""
    ours, theirs = pty.openpty()
    environment = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "TERM": "xterm-256color"}
    subprocess.run(command.split(), cwd=folder, env=environment, stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    return PROGRESS.sub("", read(ours).decode().replace("\r\n", "\n"))


def read(terminal: int) -> bytes:
    """Return all that was written to a terminal that nobody writes to any more."""
    made = b""
    try:
        while part := os.read(terminal, 65536):
            made += part
    except OSError:  # how Linux says that this is all
        pass
    os.close(terminal)
    return made


def picture() -> str:
    """Return the picture."""
    console = Console(record=True, width=WIDTH, file=StringIO(), force_terminal=True, color_system="truecolor")
    with tempfile.TemporaryDirectory() as copy:
        folder = Path(shutil.copytree(EXAMPLE, copy, dirs_exist_ok=True))
        for command in COMMANDS:
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(Text.from_ansi(on_a_terminal(command, folder)))
    theme = terminal_theme.MONOKAI
    made = console.export_svg(title="expand-vars", theme=theme, code_format=FORM, unique_id="terminal")
    return re.sub(r" +$", "", made, flags=re.MULTILINE)


if __name__ == "__main__":
    sys.stdout.write(picture())
