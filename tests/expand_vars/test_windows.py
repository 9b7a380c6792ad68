"""Windows: what runs there, and what says that it does not (docs/reference/versions.md, "Windows").

On other systems the modules, functions and constants that Windows lacks are taken away first. It needs no fixture, so
that `pytest --noconftest` runs it where the other tests' helpers cannot be imported.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE_ROOT = Path(__file__).parents[2] / "fn"
PROGRAM = """\
import os, signal, sys
KRM = ("git-merge", "merge2", "merge3", "sink", "solve", "source", "wrap")
if sys.platform != "win32":
    sys.platform = "win32"
    for name in ("fcntl", "grp", "pwd", "resource", "termios", "_posixsubprocess"):
        sys.modules[name] = None
    for module, names in (
        (os, "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK fchmod fchown fwalk geteuid getuid killpg setsid"),
        (signal, "SIGALRM SIGHUP SIGKILL SIGPIPE pthread_sigmask"),
    ):
        for name in names.split():
            delattr(module, name)
if sys.argv[1:2] and sys.argv[1] in KRM:
    from krm.__main__ import main
else:
    from expand_vars.__main__ import main
sys.exit(main())
"""
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {containers: [{name: c, args: [$(REGION)]}]}\n"
ELSEWHERE = "use WSL, or the image in a container"


def run(folder: Path, *arguments: str) -> tuple[int, str, str]:
    """Return the exit code of a command, and what it writes to both streams."""
    environment = {**os.environ, "PYTHONPATH": str(SOURCE_ROOT)}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    given = POD.encode()
    done = subprocess.run(command, input=given, capture_output=True, cwd=folder, env=environment, check=False)
    return done.returncode, done.stdout.decode(), done.stderr.decode().replace("\r\n", "\n")


def test_the_filter_runs(tmp_path: Path) -> None:
    assert run(tmp_path, "REGION=eu") == (0, POD.replace("$(REGION)", "eu"), "")
    code, _, said = run(tmp_path, "--fn-config", "absent.yaml")
    problem = "absent.yaml: No such file or directory; name a file that is there"
    assert (code, said) == (1, f"[error] {problem} (InvalidInput)\n")


@pytest.mark.parametrize("command", ["schema", "completion bash"])
def test_what_tools_read_is_printed(command: str, tmp_path: Path) -> None:
    code, shown, said = run(tmp_path, *command.split())
    assert (code, bool(shown), said) == (0, True, "")


def test_explain_reads_standard_input(tmp_path: Path) -> None:
    code, shown, said = run(tmp_path, "explain", "-", "REGION=eu")
    assert (code, said) == (0, "")
    assert "eu" in shown


def test_merges_of_files_print(tmp_path: Path) -> None:
    for name, region in (("origin", "a"), ("update", "b"), ("local", "a")):
        (tmp_path / f"{name}.yaml").write_bytes(POD.replace("$(REGION)", region).encode())
    merged = POD.replace("$(REGION)", "b")
    assert run(tmp_path, "merge3", "origin.yaml", "update.yaml", "local.yaml") == (0, merged, "")
    assert run(tmp_path, "merge2", "update.yaml", "local.yaml") == (0, merged, "")


@pytest.mark.parametrize("command", ["eval .", "source .", "sink .", "git-merge --install", "solve --all", "wrap -- a"])
def test_what_does_not_run_says_so(command: str, tmp_path: Path) -> None:
    name = command.partition(" ")[0]
    program = "expand-vars" if name == "eval" else "krm"
    message = f"[error] `{program} {name}` does not run on Windows: {ELSEWHERE} (InvalidInput)\n"
    assert run(tmp_path, *command.split()) == (1, "", message)


def test_a_directory_is_refused_by_name(tmp_path: Path) -> None:
    message = f"[error] .: on Windows no directory is read or written: {ELSEWHERE} (InvalidPath)\n"
    assert run(tmp_path, "explain", ".") == (1, "", message)
    (tmp_path / "dev").mkdir()
    assert run(tmp_path, "explain", "dev") == (1, "", message.replace(".:", "dev:"))
