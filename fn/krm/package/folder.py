"""One directory, and the files in it, opened step by step from its descriptor so that no symbolic link is followed.

A path that was checked first and opened afterwards could have become a link in between. Here each step is opened
below the one before it, and refuses to be a link (docs/reference/packages.md, "Paths").

`os.rename` overwrites whatever has come to a name since it was looked at, and no look before it closes that gap.
renameat2(2) of Linux loses nothing: two names change places, so that what was there comes out under the other name and
can be compared then; or a name is taken only while nobody has it. Python has no call for it, so the C library is asked.
Where that, the kernel or the file system has none, `os.rename` is what remains (docs/reference/packages.md, "What is
promised").
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import closing, contextmanager, suppress
from functools import cache
from itertools import islice

from krm.encoding import visible
from krm.package import paths
from krm.results import ERROR, FnError, Result, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from typing import Self

LEFT_ALONE = "LeftAlone"
UNSEEN = "its name has control characters"
IS_LINK = "it is a symbolic link, and links are not followed"

# Windows has none of these flags, and nothing of what is done with them here (docs/reference/versions.md, "Windows").
_DIRECTORY, _NOFOLLOW, _NONBLOCK, _CLOEXEC = (
    getattr(os, f"O_{name}", 0) for name in ("DIRECTORY", "NOFOLLOW", "NONBLOCK", "CLOEXEC")
)
IS_SUPPORTED = _DIRECTORY != 0
"""True if the system can open a directory."""

_NO_DIRECTORIES = "on Windows no directory is read or written: use WSL, or the image in a container"

TOP = os.O_RDONLY | _DIRECTORY | _CLOEXEC
"""The flags to open a directory by its name."""

BELOW = TOP | _NOFOLLOW
"""The flags to open a directory inside of another one."""

FILE = os.O_RDONLY | _NOFOLLOW | _NONBLOCK | _CLOEXEC
"""The flags to open a file inside of a directory: a pipe must not wait for a writer."""

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
"""The flags to make a file inside of a directory."""

_NO_REPLACE, _EXCHANGE = 1, 2  # of <linux/fs.h>
# EPERM is what a filter of system calls answers. Where it is the file's own, the plain rename says so again.
_UNABLE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


class Folder:
    """An open directory. `name` is what to call it in messages; it may itself be named by a link."""

    def __init__(self, name: str, *, is_made: bool = False) -> None:
        """Open a directory, which `is_made` if it is not there. FnError if it cannot be."""
        self.name = name
        if not IS_SUPPORTED:
            raise FnError(paths.refused(name, _NO_DIRECTORIES))
        try:
            if is_made:
                os.makedirs(name, exist_ok=True)
            self.descriptor = os.open(name, TOP)
        except FileExistsError:
            raise FnError(
                paths.refused(name, "this is a file, and a directory is to be written: name another place")
            ) from None
        except OSError as error:
            raise failure(name, error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)

    def steps(self, path: str) -> Generator[tuple[int, str], None, None]:
        """Open the directories of a path, this one first; yield the descriptor and the path of each.

        A descriptor is open until the next one is asked for. OSError, FnError if a step cannot be opened.
        """
        # A copy, so that the walk may close each descriptor once it is below it.
        descriptor, place = os.dup(self.descriptor), ""
        try:
            yield descriptor, place
            for name in path.split("/")[:-1]:
                place = f"{place}/{name}".removeprefix("/")
                _refuse_link(name, descriptor, place, path)
                below = os.open(name, BELOW, dir_fd=descriptor)
                os.close(descriptor)
                descriptor = below
                yield descriptor, place
        finally:
            os.close(descriptor)

    @contextmanager
    def parent(self, path: str) -> Iterator[tuple[int, str]]:
        """Open the directory of a path; yield its descriptor, and the last part of the path. OSError, FnError."""
        depth = path.count("/")
        with closing(self.steps(path)) as steps:
            # Not to the end of the walk: that would close the last one, too.
            descriptor, _ = next(islice(steps, depth, None))
            yield descriptor, path.rpartition("/")[2]

    def read(self, path: str) -> tuple[bytes, os.stat_result] | None:
        """Return what a file holds, and its state; None if there is none. FnError if it cannot be read."""
        with failing(path), suppress(FileNotFoundError), self.parent(path) as (descriptor, name):
            _refuse_link(name, descriptor, path, path)
            return read(name, descriptor)
        return None


def read(name: str, parent: int) -> tuple[bytes, os.stat_result]:
    """Return what a regular file in an open directory holds, and its state. OSError if it is none."""
    if is_link(name, parent):
        raise OSError(errno.ELOOP, IS_LINK)
    descriptor = os.open(name, FILE, dir_fd=parent)
    try:
        state = os.fstat(descriptor)
        # Asked of the open file, not of its name: that could have become another file in between.
        if not stat.S_ISREG(state.st_mode):
            raise OSError(errno.EINVAL, "it is a directory" if stat.S_ISDIR(state.st_mode) else "it is no regular file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(), state
    finally:
        os.close(descriptor)


def failure(path: str, error: OSError) -> FnError:
    """Return what to say if the system refuses something about a file or directory."""
    return FnError(Result(error.strerror or str(error), ERROR, "InvalidInput", file=visible(path)))


@contextmanager
def failing(path: str) -> Iterator[None]:
    """Raise FnError if the system refuses something about a file or directory."""
    try:
        yield
    except OSError as error:
        raise failure(path, error) from None


def left_alone(path: str, problem: str, reason: str = LEFT_ALONE) -> Result:
    """Return the warning for a file that is neither read nor written."""
    return notice(f"left alone: {problem}", reason, file=visible(path))


def around(found: Sequence[str]) -> tuple[str, list[str]]:
    """Return the directory that holds all of some paths, and the paths in it: "" for the directory itself."""
    top = os.path.commonpath([path if os.path.isdir(path) else os.path.dirname(path) for path in found])
    below = (os.path.relpath(path, top) for path in found)
    return top, ["" if path == os.curdir else path for path in below]


def called(top: str, path: str) -> str:
    """Return how the user calls a file of the directory at `top`, which is "" for the directory itself."""
    return visible(os.path.normpath(os.path.join(top, path)))


def name_below(top: str, found: Iterable[Result]) -> list[Result]:
    """Give results the file names that the user knows, and return them."""
    results = [*found]
    for result in results:
        result.file = None if result.file is None else called(top, result.file)
    return results


@contextmanager
def naming(top: str) -> Iterator[None]:
    """Let errors about files of a directory call them as the user does."""
    try:
        yield
    except FnError as error:
        name_below(top, error.results)
        raise


def is_link(name: str, parent: int) -> bool:
    """True if a name in an open directory is that of a symbolic link."""
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=parent, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _refuse_link(name: str, parent: int, place: str, path: str) -> None:
    if is_link(name, parent):
        raise FnError(paths.refused(path, f"`{visible(place)}` is a symbolic link, and links are not followed"))


def exchange(one: str, other: str, parent: int) -> bool:
    """Let two names in an open directory change places. False if the system cannot. OSError if it refuses."""
    return _rename(one, other, parent, _EXCHANGE)


def take(old: str, new: str, parent: int) -> None:
    """Rename a file in an open directory to a name that nobody has. OSError if that fails, or somebody has it."""
    if not _rename(old, new, parent, _NO_REPLACE):
        # A link fails where the name is taken, too, but some file systems have none.
        if new in os.listdir(parent):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
        os.rename(old, new, src_dir_fd=parent, dst_dir_fd=parent)


def _rename(old: str, new: str, parent: int, flag: int) -> bool:
    call = renameat2()
    if call is None:
        return False
    import ctypes  # noqa: PLC0415 - loaded already, by the line above

    if call(parent, os.fsencode(old), parent, os.fsencode(new), flag) == 0:
        return True
    error = ctypes.get_errno()
    if error in _UNABLE:
        return False
    raise OSError(error, os.strerror(error))


@cache
def renameat2() -> Callable[[int, bytes, int, bytes, int], int] | None:
    """Return the call of the C library, None if Python or the library has none."""
    try:
        # Only for what is written: it takes a millisecond, and a Python without libffi lacks it.
        import ctypes  # noqa: PLC0415

        found: Callable[[int, bytes, int, bytes, int], int] = ctypes.CDLL(None, use_errno=True).renameat2
    except (ImportError, OSError, AttributeError):
        return None
    return found
