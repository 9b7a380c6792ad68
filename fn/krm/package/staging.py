"""One file on its way to another content: staged beside its target, then put in the place of that one.

The name of a staged file holds the hashes of the new content and of the old one. So a later run, which knows nothing of
a run that was killed, can tell what that one wrote or replaced from what somebody else wrote, and removes only the
former (docs/reference/packages.md, "What is promised").

`os.rename` overwrites whatever has come to a name since it was looked at, and no look before it closes that gap.
renameat2(2) of Linux loses nothing: two names change places, so that what was there comes out under the other name and
can be compared then; or a name is taken only while nobody has it. Python has no call for it, so the C library is asked.
Where that, the kernel or the file system has none, `os.rename` is what remains (docs/reference/packages.md, "What is
promised").
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from functools import cache

from krm.package import folder, paths
from krm.results import FnError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.package.changes import Change
    from krm.package.folder import Folder

CHANGED = "it was changed while this ran"
_NEW_FILE = 0o666
_PERMISSIONS = 0o7777  # with setuid, setgid and sticky bits, which a copy would lose
_THEIRS = ".theirs"
_NO_REPLACE, _EXCHANGE = 1, 2  # of <linux/fs.h>
# EPERM is what a filter of system calls answers. Where it is the file's own, the plain rename says so again.
_UNABLE = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


class Kept(OSError):  # noqa: N818 - the file is written: it tells of somebody else's
    """A file is replaced, and what came out of its place is not what was read. The text says where that is kept."""


class Staged:
    """A change whose new content is on the disk already, beside the file that it is for."""

    def __init__(self, directory: Folder, change: Change, number: int) -> None:
        """Stage a change. OSError, FnError where that cannot be done: nothing is left then."""
        self.path = change.path
        self._directory = directory
        self._change = change
        # Beside the target, as a rename works in one file system alone. The process is in the name: a run that was
        # killed may have left such files, and O_EXCL would fail on them.
        hashes = f"{_hash(change.after or b'')}-{_hash(change.before or b'')}"
        self._name = f".{os.getpid()}-{number}-{hashes}{paths.STAGED}"
        if change.after is not None:
            self._stage(change.after)

    def discard(self) -> None:
        """Remove the staged file, if it is still there."""
        discard(self._directory, f"{self.path.rpartition('/')[0]}/{self._name}".removeprefix("/"))

    def is_current(self) -> bool:
        """True if nobody has changed the file since it was read. OSError, FnError where that cannot be seen."""
        with self._directory.parent(self.path) as (parent, name):
            return self._is_current(parent, name)

    def replace(self) -> None:
        """Put the new file in the place of the old one.

        OSError, FnError where that fails, or where somebody has changed the file: the file is as it was then. Kept
        where that comes to light only afterwards: the new one is there then, and so is what they wrote.
        """
        with self._directory.parent(self.path) as (parent, name):
            if not self._is_current(parent, name):
                raise OSError(errno.EBUSY, CHANGED)
            if self._change.before is None:
                take(self._name, name, parent)
            elif self._change.after is None:
                os.rename(name, self._name, src_dir_fd=parent, dst_dir_fd=parent)
                self._compare(parent, name)
            elif exchange(self._name, name, parent):
                self._compare(parent, name)
            else:
                self._follow(parent, self._name, name, os.stat(name, dir_fd=parent, follow_symlinks=False))
                os.rename(self._name, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _is_current(self, parent: int, name: str) -> bool:
        try:
            return folder.read(name, parent)[0] == self._change.before
        except FileNotFoundError:
            return self._change.before is None

    def _compare(self, parent: int, name: str) -> None:
        """Remove what came out of the place of the file. Kept where it is not what was read."""
        try:
            problem: str | None = CHANGED
            content, state = folder.read(self._name, parent)
            if content == self._change.before:
                if self._change.after is not None:
                    self._follow(parent, name, self._name, state)
                os.unlink(self._name, dir_fd=parent)
                return
        except OSError as error:  # of a link, say, or of a file that may not be read: somebody put it there
            problem = error.strerror
        kept = paths.visible(_kept(self._name, name, parent))
        raise Kept(errno.EBUSY, f"{problem}, and what was there is `{kept}` beside it now")

    def _follow(self, parent: int, new: str, old: str, state: os.stat_result) -> None:
        """Give the new file the permissions, owner and attributes that somebody gave the old one since it was read."""
        was = self._change.state
        if was is not None and (state.st_mode, state.st_uid, state.st_gid) != (was.st_mode, was.st_uid, was.st_gid):
            descriptor = os.open(new, folder.FILE, dir_fd=parent)
            try:
                self._take_over(descriptor, parent, old, state, state.st_mode)
            finally:
                os.close(descriptor)

    def _stage(self, content: bytes) -> None:
        with self._directory.parent(self.path) as (parent, name):
            descriptor = os.open(self._name, folder.NEW_FILE, _NEW_FILE, dir_fd=parent)
            try:
                if (state := self._change.state) is not None:
                    mode = state.st_mode if self._change.mode is None else self._change.mode
                    self._take_over(descriptor, parent, name, state, mode)
                left = memoryview(content)
                while left:
                    left = left[os.write(descriptor, left) :]
                # Renamed without this, a file could be empty after a loss of power.
                os.fsync(descriptor)
            except BaseException:
                os.unlink(self._name, dir_fd=parent)
                raise
            finally:
                os.close(descriptor)

    def _take_over(self, descriptor: int, parent: int, name: str, state: os.stat_result, mode: int) -> None:
        """Give a file what the one that it replaces has besides its content: that has the `name` and the `state`."""
        # A new file is the user's: its state tells only its permissions. Only root may give a file away.
        if self._change.before is not None:
            with suppress(PermissionError):
                os.fchown(descriptor, state.st_uid, state.st_gid)
            _copy_attributes(parent, name, descriptor)
        # Last, as an owner and an access control list change it.
        os.fchmod(descriptor, mode & _PERMISSIONS)


def discard(directory: Folder, path: str) -> bool:
    """Remove a staged file whose content is ours. False if it stays."""
    try:
        with directory.parent(path) as (parent, name):
            content, _ = folder.read(name, parent)
            # A run that is killed at once leaves a file with nothing in it.
            if content and _hash(content) not in name:
                return False
            os.unlink(name, dir_fd=parent)
    except FileNotFoundError:
        return True
    except (OSError, FnError):
        return False
    return True


def _hash(content: bytes) -> str:
    from hashlib import sha256  # noqa: PLC0415 - most runs write nothing

    return sha256(content).hexdigest()[: paths.HASH]


def _kept(staged: str, name: str, parent: int) -> str:
    """Give what somebody else wrote a name beside the file, and return that."""
    kept, number = f"{name}{_THEIRS}", 1
    while True:
        try:
            take(staged, kept, parent)
        except FileExistsError:
            number += 1
            kept = f"{name}{_THEIRS}-{number}"
        except OSError:  # of a full disk, say: it is kept under the name that it has
            return staged
        else:
            return kept


def _copy_attributes(parent: int, name: str, target: int) -> None:
    """Give an open file the extended attributes of another one, those that the user may give it, and no others.

    Access control lists are such attributes.
    """
    if not hasattr(os, "listxattr"):  # Python has them on Linux alone
        return
    source = os.open(name, folder.FILE, dir_fd=parent)
    try:
        wanted, present = _attributes(source), _attributes(target)
    finally:
        os.close(source)
    with suppress(PermissionError):
        # A new file may have got an access control list of its directory, which the one that it replaces has not.
        for key in present.keys() - wanted.keys():
            os.removexattr(target, key)
    for key, value in wanted.items():
        with suppress(PermissionError):
            os.setxattr(target, key, value)


def _attributes(descriptor: int) -> dict[str, bytes]:
    try:
        return {key: os.getxattr(descriptor, key) for key in os.listxattr(descriptor)}
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return {}


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
