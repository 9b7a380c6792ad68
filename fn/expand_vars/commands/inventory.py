"""The list of the files that `eval --output` has written to a directory, in that directory: their paths and hashes.

It has the form of `sha256sum`. By it a later run tells its own files from those of somebody else (docs/packages.md,
"Another directory").
"""

from __future__ import annotations

import re

from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = ".expand-vars"
"""Its name: kubectl, Argo CD, Flux and this program itself read no hidden file as manifests."""

_HEAD = "# What `expand-vars eval --output` has written here: `sha256sum --check .expand-vars` finds what was edited.\n"
# No step of a path starts with a dot, so that none leads out of the directory.
_LINE = re.compile(r"([0-9a-f]{64})  ((?:[^./\n][^/\n]*/)*[^./\n][^/\n]*)")
_DAMAGED = (
    "line {} is no hash and path of a rendered file: take either side if this is a conflict, or delete this list and "
    "what was rendered, and run again"
)


def text(files: Mapping[str, bytes]) -> str:
    """Return the list for files, by their paths."""
    return _HEAD + "".join(f"{digest(files[path])}  {path}\n" for path in sorted(files))


def read(data: bytes) -> dict[str, str]:
    """Return the hashes that a list has, by the paths of the files. FnError where a line of it is damaged."""
    hashes = {}
    for number, line in enumerate(data.decode(errors="replace").splitlines(), start=1):
        found = _LINE.fullmatch(line)
        if found is not None:
            hashes[found[2]] = found[1]
        elif not line.startswith("#"):
            raise FnError(Result(_DAMAGED.format(number), ERROR, "InvalidInput", file=FILE))
    return hashes


def digest(data: bytes) -> str:
    """Return the hash of a file."""
    from hashlib import sha256  # noqa: PLC0415 - `eval` without an output does without it

    return sha256(data).hexdigest()
