"""The files of the image without a system, as a list of paths for `tar` (Dockerfile, stage `files`).

They are the launchers, their packages, the interpreter, its standard library without what only developers use, and the
libraries that `ldd` names for all of these.
"""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from itertools import chain
from pathlib import Path

LAUNCHERS = {Path(f"/usr/local/bin/{program}") for program in ("expand-vars", "krm")}
PACKAGES = Path("/opt/expand-vars")
LEFT_OUT = re.compile(
    r"/(?:tests?|idlelib|tkinter|turtledemo|ensurepip|pydoc_data|(?:site|dist)-packages|config-[^/]*"
    # Extension modules for windows, terminals, NIS and old databases: they bring more libraries than all others.
    r"|(?:_tkinter|_curses|readline|nis|_dbm|_gdbm|_test|xx)[^/]*\.so)(?:/|$)"
)
LIBRARY = re.compile(r"(/\S+) \(0x")


def files(folder: Path) -> set[Path]:
    """Return the files below a folder that a function may need."""
    return {
        path for path in folder.rglob("*") if path.is_file() and not LEFT_OUT.search(f"/{path.relative_to(folder)}")
    }


def libraries(programs: set[Path]) -> set[Path]:
    """Return the shared libraries that programs and modules load, the loader among them."""
    named = subprocess.run(["ldd", *map(str, programs)], capture_output=True, text=True, check=False).stdout
    return {Path(name) for name in LIBRARY.findall(named)}


def steps(path: Path) -> set[Path]:
    """Return what a path leads through: each link by its own name, and the file at the end."""
    found = set()
    while True:
        folder = path.parent.resolve()
        # `/lib` is a link in many systems, and programs ask for their loader by it.
        if folder != path.parent:
            found |= {above for above in path.parents if above.is_symlink()}
        path = folder / path.name
        found.add(path)
        if not path.is_symlink():
            return found
        path = folder / path.readlink()


def main() -> None:
    """Print the list."""
    folders = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")} | {PACKAGES}
    found = {*LAUNCHERS, *chain.from_iterable(map(files, folders))}
    interpreter = Path(sys.executable)
    programs = {path for path in found if ".so" in path.suffixes} | {interpreter.resolve()}
    named = {interpreter, interpreter.with_name("python3"), *libraries(programs)}
    sys.stdout.writelines(f"{path}\n" for path in sorted(found.union(*map(steps, named))))


main()
