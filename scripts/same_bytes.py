"""Source distributions with the same bytes whoever makes them, and whenever: setuptools writes times, owners and modes.

`python scripts/same_bytes.py FILE.tar.gz...` writes each file anew: its members in the order of their names, of the
time that SOURCE_DATE_EPOCH gives in seconds, owned by nobody in particular, and with the modes that git knows.
"""

from __future__ import annotations

import gzip
import io
import os
import sys
import tarfile
from pathlib import Path


def same_bytes(archive: bytes, time: int) -> bytes:
    """Return a .tar.gz with the same files."""
    made = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as given,
        gzip.GzipFile(fileobj=made, mode="wb", filename="", mtime=time) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as taken,
    ):
        for member in sorted(given, key=lambda one: one.name):
            taken.addfile(_of_nobody(member, time), given.extractfile(member) if member.isfile() else None)
    return made.getvalue()


def _of_nobody(member: tarfile.TarInfo, time: int) -> tarfile.TarInfo:
    found = tarfile.TarInfo(member.name)
    found.type, found.size, found.linkname, found.mtime = member.type, member.size, member.linkname, time
    found.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
    return found


def main() -> None:
    """Write the files of the command line anew."""
    for path in map(Path, sys.argv[1:]):
        path.write_bytes(same_bytes(path.read_bytes(), int(os.environ["SOURCE_DATE_EPOCH"])))


main()
