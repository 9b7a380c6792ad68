"""Files written so that none is ever seen half: staged and synced first, checked, and then replaced one by one.

What is promised (docs/packages.md, "What is promised"): until all contents are staged and checked no file changes;
each file is replaced as a whole; a run that is cut short leaves every file old or new, and the same run again, which
removes what the first one left behind, gives what an undisturbed one would have given.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from contextlib import ExitStack, contextmanager, suppress

from krm.package import folder, paths
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.package.folder import Folder
    from krm.package.sink import Change

_WAIT = 10.0
_PAUSE = 0.05
_BUSY = "another program is writing to this directory, or to one in it, and has not finished: try again later"
_CHANGED = "it was changed while this ran: nothing is written"
_NEW_FILE = 0o666
_PERMISSIONS = 0o7777  # with setuid, setgid and sticky bits, which a copy would lose
_STAGE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def locked(directories: Iterable[Folder], wait: float = _WAIT) -> Iterator[None]:
    """Hold the locks of directories, which one writer has at a time. FnError where another does not let go in time.

    A writer in a directory above or below waits, too; writers side by side do not. The locks are on the directories
    themselves: no file stays behind, and they end with the process, however that ends.
    """
    until = time.monotonic() + wait
    own = {os.path.realpath(one.name): one.name for one in directories}
    around = {above for path in own for above in _above(path)} - own.keys()
    with ExitStack() as held:
        # All in one order, so that two writers never wait for each other.
        for path in sorted(own.keys() | around):
            is_own = path in own
            try:
                # A copy of a descriptor would share its lock: two writers in one process would both have it.
                descriptor = os.open(path, folder.TOP)
            except OSError as error:
                if is_own:
                    raise folder.failure(own[path], error) from None
                continue  # nobody who may not look into it can be asked to wait
            held.callback(os.close, descriptor)
            _wait_for(descriptor, fcntl.LOCK_EX if is_own else fcntl.LOCK_SH, until, own.get(path, path))
        yield


def clean(directory: Folder, leftovers: Iterable[str]) -> None:
    """Remove the staged files that a run which was killed left behind; the caller holds the lock."""
    for path in leftovers:
        _remove(directory, path)


def commit(directory: Folder, changes: Iterable[Change]) -> None:
    """Make every change. FnError where one cannot be made; the caller holds the lock.

    No file has changed then, unless the error says how many have. New files come first and deletions last, so that a
    resource that moves from one file to another is never in none.
    """
    # The sort is stable: within each group the files keep the order of the list, and messages with it.
    ordered = sorted(changes, key=lambda change: (change.before is not None, change.after is None))
    with ExitStack() as undo:
        staged = [_Staged(directory, change, number, undo) for number, change in enumerate(ordered)]
        # As late as can be: what is changed after this is lost, as with every program that replaces files.
        for one in staged:
            one.check()
        for done, one in enumerate(staged):
            try:
                one.replace()
            except OSError as error:
                raise _unfinished(error, one.path, done, len(staged)) from None
        _sync_folders(directory, ordered)


class _Staged:
    """A change whose content is on the disk already, beside the file that it is for."""

    def __init__(self, directory: Folder, change: Change, number: int, undo: ExitStack) -> None:
        """Stage a change. FnError where that cannot be done; `undo` gets the calls that take it back."""
        self.path = change.path
        self._directory = directory
        self._change = change
        # Beside the target, as a rename works in one file system alone. The process is in the name: a run that was
        # killed may have left such files, and O_EXCL would fail on them.
        self._name = f".{os.getpid()}-{number}{paths.STAGED}"
        try:
            _make_folders(directory, change.path, undo)
            if change.after is not None:
                undo.callback(_remove, directory, f"{change.path.rpartition('/')[0]}/{self._name}".removeprefix("/"))
                self._stage(change.after)
        except OSError as error:
            raise folder.failure(change.path, error) from None

    def check(self) -> None:
        """FnError where somebody else has changed the file since it was read."""
        found = self._directory.read(self.path)
        if (None if found is None else found[0]) != self._change.before:
            raise FnError(Result(_CHANGED, ERROR, "FileChanged", file=paths.visible(self.path)))

    def replace(self) -> None:
        """Put the new file in the place of the old one. OSError where that fails; the old one is there then."""
        with self._directory.parent(self.path) as (parent, name):
            if self._change.after is None:
                os.unlink(name, dir_fd=parent)
            else:
                os.rename(self._name, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _stage(self, content: bytes) -> None:
        with self._directory.parent(self.path) as (parent, _):
            descriptor = os.open(self._name, _STAGE, _NEW_FILE, dir_fd=parent)
            try:
                self._take_over_owner(descriptor)
                left = memoryview(content)
                while left:
                    left = left[os.write(descriptor, left) :]
                # Renamed without this, a file could be empty after a loss of power.
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def _take_over_owner(self, descriptor: int) -> None:
        """Give the staged file the owner, where this may be done, and the permissions of the one that it replaces."""
        state = self._change.state
        if state is not None:
            # Before the mode, which a change of the owner may reset. Only root may give a file away. A new file is the
            # user's: its state tells only its permissions.
            with suppress(PermissionError):
                if self._change.before is not None:
                    os.fchown(descriptor, state.st_uid, state.st_gid)
            os.fchmod(descriptor, state.st_mode & _PERMISSIONS)


def _above(path: str) -> Iterator[str]:
    """Yield the directories around one, up to the root."""
    while (above := os.path.dirname(path)) != path:
        yield above
        path = above


def _wait_for(descriptor: int, kind: int, until: float, name: str) -> None:
    """Wait for a lock. FnError where it does not come in time."""
    while not _locks(descriptor, kind):
        if time.monotonic() > until:
            raise FnError(Result(_BUSY, ERROR, "Busy", file=paths.visible(name)))
        time.sleep(_PAUSE)


def _locks(descriptor: int, kind: int) -> bool:
    try:
        fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_folders(directory: Folder, path: str, undo: ExitStack) -> None:
    """Make the directories of a path that are not there yet."""
    folders = path.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        with directory.parent("/".join(folders[:depth])) as (parent, name), suppress(FileExistsError):
            os.mkdir(name, dir_fd=parent)
            undo.callback(_remove_folder, directory, "/".join(folders[:depth]))


def _remove(directory: Folder, path: str) -> None:
    with suppress(OSError, FnError), directory.parent(path) as (parent, name):
        os.unlink(name, dir_fd=parent)


def _remove_folder(directory: Folder, path: str) -> None:
    with suppress(OSError, FnError), directory.parent(path) as (parent, name):
        os.rmdir(name, dir_fd=parent)  # which fails where something is in it


def _sync_folders(directory: Folder, changes: list[Change]) -> None:
    """Write to the disk what the directories of the changed files, and those around them, now have in them."""
    folders = {
        "/".join(parts[:depth])
        for change in changes
        for parts in [change.path.split("/")]
        for depth in range(len(parts))
    }
    for path in sorted(folders):
        try:
            with directory.parent(f"{path}/." if path else ".") as (descriptor, _):
                os.fsync(descriptor)
        except OSError as error:
            if error.errno != errno.EINVAL:  # of a file system that cannot do that for a directory
                raise _unfinished(error, path or directory.name, len(changes), len(changes)) from None


def _unfinished(error: OSError, path: str, done: int, total: int) -> FnError:
    message = f"{error.strerror}: {done} of {total} files are written, each as a whole; run this again"
    return FnError(Result(message, ERROR, "Unfinished", file=paths.visible(path)))
