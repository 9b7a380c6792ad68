"""Files written so that none is ever seen half: staged and synced first, checked, and then replaced one by one.

No file changes until all contents are staged and checked. Then each file is compared again, and replaced as a whole. A
run that stops early leaves each file old or new. The same run again removes what is left, and gives the undisturbed
result (docs/reference/packages.md, "What is promised").

The name of a staged file holds the hashes of the new content and of the old one. So a later run can tell the files of a
killed run from the files of others, and removes only the former.
"""

from __future__ import annotations

import errno
import os
import posixpath
import time
from contextlib import ExitStack, closing, contextmanager, suppress

from krm.encoding import visible
from krm.package import folder, paths
from krm.package.file_changes import EXECUTABLE, FileChange
from krm.package.folder import Folder
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_CHANGED = "it was changed while this ran"
_NEW_FILE = 0o666
_PERMISSIONS = 0o7777  # with setuid, setgid and sticky bits, which a copy would lose
_THEIRS = ".theirs"
_WAIT = 10.0
_PAUSE = 0.05
_BUSY = "another program is writing to this directory, or to one in it, and has not finished: try again later"
_NOT_OURS = (
    "a run that was cut short left it here, and it is neither all of what that run wrote nor what it replaced: "
    "look into it, then delete it"
)


@contextmanager
def locked(directories: Iterable[Folder], wait: float = _WAIT) -> Iterator[None]:
    """Hold the locks of directories, which one writer has at a time. FnError if another does not let go in time.

    A writer in a directory above or below waits, too; writers side by side do not. The locks are on the directories
    themselves: no file stays behind, and they end with the process, however that ends.
    """
    until = time.monotonic() + wait
    own = {os.path.realpath(one.name): one.name for one in directories}
    around = {above for path in own for above in paths.folders_above(path)} - own.keys()
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
            _wait_for(descriptor, until, own.get(path, path), is_alone=is_own)
        yield


def clean(directory: Folder, leftovers: Iterable[str]) -> list[Result]:
    """Remove the staged files that a run which was killed left behind; the caller holds the lock.

    Return a warning for each that stays: it has neither what that run wrote nor what it replaced.
    """
    return [folder.left_alone(path, _NOT_OURS) for path in leftovers if not discard(directory, path)]


def commit(
    directory: Folder,
    changes: Iterable[FileChange],
    *,
    last: str = "",
    over: Callable[[list[FileChange]], Iterable[FileChange]] = iter,
) -> None:
    """Make every change. FnError if one cannot be made; the caller holds the lock. `over` yields them, and counts.

    No file has changed then, unless the error says how many have. New files come first and deletions last, so that a
    resource that moves from one file to another is never in none. States are written behind the resources, and files
    called `last` behind these: with a newer state the next run would take old values for edits.
    """
    # Sorts are stable: within each group the files keep the order of the list, and messages with it.
    ordered = sorted(changes, key=lambda one: (one.before is not None, one.after is None))
    ordered.sort(key=lambda one: (posixpath.basename(one.path) == last, one.has_state))
    with ExitStack() as undo:
        staged: list[Staged] = []
        for number, change in enumerate(over(ordered)):
            with folder.failing(change.path):
                _make_folders(directory, change.path, undo)
                staged.append(Staged(directory, change, number))
            undo.callback(staged[-1].discard)
        for one in staged:
            one.check()
        for done, one in enumerate(staged):
            try:
                one.replace()
            except (OSError, FnError) as error:
                raise _unfinished(error, one.path, done + isinstance(error, Kept), len(staged)) from None
        undo.pop_all()  # there is nothing left to take back
    _sync_folders(directory, ordered)


def replace(path: str, content: bytes) -> None:
    """Give a file another content, as a whole. FnError if that cannot be done: it is as it was then."""
    above, name = os.path.split(os.path.realpath(path))
    try:
        with Folder(above) as directory, locked([directory]):
            before, state = directory.read(name) or (None, None)
            commit(directory, [FileChange(name, before, content, state)])
    except FnError as error:
        for result in error.results:
            result.file = path
        raise


def _wait_for(descriptor: int, until: float, name: str, *, is_alone: bool) -> None:
    """Wait for a lock. FnError if it does not come in time."""
    import fcntl  # noqa: PLC0415 - Windows has none, and no directory to lock

    while True:
        try:
            return fcntl.flock(descriptor, (fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                raise FnError(Result(_BUSY, ERROR, "Busy", file=visible(name))) from None
        time.sleep(_PAUSE)


def _make_folders(directory: Folder, path: str, undo: ExitStack) -> None:
    """Make the directories that a file is in; `undo` gets the calls that remove them."""
    folders = path.split("/")[:-1]
    with closing(directory.steps(path)) as steps:
        # The walk opens a step only when it is asked for it: by then it is made.
        for (descriptor, above), name in zip(steps, folders, strict=False):
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=descriptor)
                undo.callback(remove_folder, directory, f"{above}/{name}".removeprefix("/"))


def remove_emptied(directory: Folder, changes: Iterable[FileChange]) -> None:
    """Remove the directories that deleted files have left empty: git has none of these either."""
    for path in (change.path for change in changes if change.after is None):
        for above in reversed(paths.folders_above(path)):
            remove_folder(directory, above)


def remove_folder(directory: Folder, path: str) -> None:
    """Remove a directory if nothing is in it."""
    with suppress(OSError, FnError), directory.parent(path) as (parent, name):
        os.rmdir(name, dir_fd=parent)  # which fails where something is in it


def _sync_folders(directory: Folder, changes: list[FileChange]) -> None:
    """Write to the disk what the directories of the changed files, and those around them, now have in them."""
    synced: set[str] = set()
    # One walk for the files of one directory.
    for path in {change.path.rpartition("/")[0]: change.path for change in changes}.values():
        place = ""
        try:
            with closing(directory.steps(path)) as steps:
                for descriptor, place in steps:
                    if place not in synced:
                        _sync(descriptor)
                    synced.add(place)
        except OSError as error:
            raise _unfinished(error, place, len(changes), len(changes)) from None


def _sync(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # of a file system that cannot do that for a directory
            raise


def _unfinished(error: OSError | FnError, path: str, done: int, total: int) -> FnError:
    problem = error.results[0].message if isinstance(error, FnError) else error.strerror
    so_far = f"{done} of {total} files are written, each as a whole" if done else "nothing is written"
    return FnError(Result(f"{problem}: {so_far}; run this again", ERROR, "Unfinished", file=visible(path)))


# One file on its way: staged beside its target, then put in the place of that one.


class Kept(OSError):  # noqa: N818 - the file is written: it tells of somebody else's
    """A file is replaced, and what came out of its place is not what was read. The text says where that is kept."""


class Staged:
    """A change whose new content is on the disk already, beside the file that it is for."""

    def __init__(self, directory: Folder, change: FileChange, number: int) -> None:
        """Stage a change. OSError, FnError if that cannot be done: nothing is left then."""
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

    def check(self) -> None:
        """FnError if somebody else has changed the file since it was read: while no file is replaced."""
        with folder.failing(self.path), self._directory.parent(self.path) as (parent, name):
            is_current = self._is_current(parent, name)
        if not is_current:
            message = f"{_CHANGED}: nothing is written"
            raise FnError(Result(message, ERROR, "FileChanged", file=visible(self.path)))

    def replace(self) -> None:
        """Put the new file in the place of the old one.

        OSError or FnError if this fails or somebody changed the file, which then stays as it is. Kept if that shows
        only afterwards: then both contents are there.
        """
        with self._directory.parent(self.path) as (parent, name):
            if not self._is_current(parent, name):
                raise OSError(errno.EBUSY, _CHANGED)
            if self._change.before is None:
                folder.take(self._name, name, parent)
            elif self._change.after is None:
                os.rename(name, self._name, src_dir_fd=parent, dst_dir_fd=parent)
                self._remove_replaced(parent, name)
            elif folder.exchange(self._name, name, parent):
                self._remove_replaced(parent, name)
            else:
                self._take_over_newer(parent, self._name, name, os.stat(name, dir_fd=parent, follow_symlinks=False))
                os.rename(self._name, name, src_dir_fd=parent, dst_dir_fd=parent)

    def _is_current(self, parent: int, name: str) -> bool:
        try:
            return folder.read(name, parent)[0] == self._change.before
        except FileNotFoundError:
            return self._change.before is None

    def _remove_replaced(self, parent: int, name: str) -> None:
        """Remove the file that was replaced. Kept if it is not the one that was read."""
        try:
            problem: str | None = _CHANGED
            content, state = folder.read(self._name, parent)
            if content == self._change.before:
                if self._change.after is not None:
                    self._take_over_newer(parent, name, self._name, state)
                os.unlink(self._name, dir_fd=parent)
                return
        except OSError as error:  # of a link, say, or of a file that may not be read: somebody put it there
            problem = error.strerror
        kept = visible(_kept(self._name, name, parent))
        raise Kept(errno.EBUSY, f"{problem}, and what was there is `{kept}` beside it now")

    def _take_over_newer(self, parent: int, new: str, old: str, state: os.stat_result) -> None:
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
                    kept, given = state.st_mode, self._change.mode
                    mode = kept if given is None else kept & ~EXECUTABLE | given
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
        with suppress(FileNotFoundError), directory.parent(path) as (parent, name):
            content, _ = folder.read(name, parent)
            # A run that is killed at once leaves a file with nothing in it.
            if content and _hash(content) not in name:
                return False
            os.unlink(name, dir_fd=parent)
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
            folder.take(staged, kept, parent)
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
