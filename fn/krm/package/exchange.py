"""renameat2(2) of Linux: two names change places, or a name is taken only while nobody has it.

`os.rename` overwrites whatever has come to a name since it was looked at, and no look before it closes that gap. An
exchange loses nothing: what was there comes out under the other name, and can be compared then. Python has no call for
it, so the C library is asked. Where that, the kernel or the file system has none, `os.rename` is what remains
(docs/packages.md, "What is promised").
"""

from __future__ import annotations

import errno
import os
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_NO_REPLACE, _EXCHANGE = 1, 2  # of <linux/fs.h>

# EPERM is what a filter of system calls answers. Where it is the file's own, the plain rename says so again.
_UNABLE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def exchange(one: str, other: str, folder: int) -> bool:
    """Let two names in an open directory change places. False where the system cannot. OSError where it refuses."""
    return _rename(one, other, folder, _EXCHANGE)


def take(old: str, new: str, folder: int) -> None:
    """Rename a file in an open directory to a name that nobody has. OSError where that fails, or somebody has it."""
    if not _rename(old, new, folder, _NO_REPLACE):
        # A link fails where the name is taken, too, but some file systems have none.
        if new in os.listdir(folder):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)


def _rename(old: str, new: str, folder: int, flag: int) -> bool:
    call = renameat2()
    if call is None:
        return False
    import ctypes  # noqa: PLC0415 - loaded already, by the line above

    if call(folder, os.fsencode(old), folder, os.fsencode(new), flag) == 0:
        return True
    error = ctypes.get_errno()
    if error in _UNABLE:
        return False
    raise OSError(error, os.strerror(error))


@cache
def renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return the call of the C library, None where Python or the library has none."""
    try:
        # Only for what is written: it takes a millisecond, and a Python without libffi lacks it.
        import ctypes  # noqa: PLC0415

        found: Callable[[int, bytes, int, bytes, int], int] = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError):
        return None
    return found
