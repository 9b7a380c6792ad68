"""Files written so that none is ever seen half: staged and synced first, checked, and then replaced one by one.

What is promised (docs/reference/packages.md, "What is promised"): until all contents are staged and checked no file
changes; each file is compared once more and replaced as a whole; a run that is cut short leaves every file old or new,
and the same run again, which removes what the first one left behind, gives what an undisturbed one would have given.
"""

from __future__ import annotations

import errno
import os
import posixpath
import time
from contextlib import ExitStack, closing, contextmanager, suppress

from krm.package import folder, paths, staging
from krm.package.changes import Change
from krm.package.folder import Folder
from krm.package.staging import Kept, Staged
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_WAIT = 10.0
_PAUSE = 0.05
_BUSY = "another program is writing to this directory, or to one in it, and has not finished: try again later"
_NOT_OURS = (
    "a run that was cut short left it here, and it is neither all of what that run wrote nor what it replaced: "
    "look into it, then delete it"
)


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
            _wait_for(descriptor, until, own.get(path, path), is_alone=is_own)
        yield


def clean(directory: Folder, leftovers: Iterable[str]) -> list[Result]:
    """Remove the staged files that a run which was killed left behind; the caller holds the lock.

    Return a warning for each that stays: it has neither what that run wrote nor what it replaced.
    """
    return [folder.left_alone(path, _NOT_OURS) for path in leftovers if not staging.discard(directory, path)]


def commit(
    directory: Folder,
    changes: Iterable[Change],
    *,
    last: str = "",
    over: Callable[[list[Change]], Iterable[Change]] = iter,
) -> None:
    """Make every change. FnError where one cannot be made; the caller holds the lock. `over` yields them, and counts.

    No file has changed then, unless the error says how many have. New files come first and deletions last, so that a
    resource that moves from one file to another is never in none. What tells of the others comes behind these: states,
    then files called `last`. Of a state ahead of its resources the next run would take their old values for edits.
    """
    # Sorts are stable: within each group the files keep the order of the list, and messages with it.
    ordered = sorted(changes, key=lambda one: (one.before is not None, one.after is None))
    ordered.sort(key=lambda one: (posixpath.basename(one.path) == last, one.has_state))
    with ExitStack() as undo:
        staged = [_staged(directory, change, number, undo) for number, change in enumerate(over(ordered))]
        for one in staged:
            _check(one)
        for done, one in enumerate(staged):
            try:
                one.replace()
            except (OSError, FnError) as error:
                raise _unfinished(error, one.path, done + isinstance(error, Kept), len(staged)) from None
        undo.pop_all()  # there is nothing left to take back
    _sync_folders(directory, ordered)


def replace(path: str, content: bytes) -> None:
    """Give a file another content, as a whole. FnError where that cannot be done: it is as it was then."""
    above, name = os.path.split(os.path.realpath(path))
    try:
        with Folder(above) as directory, locked([directory]):
            before, state = directory.read(name) or (None, None)
            commit(directory, [Change(name, before, content, state)])
    except FnError as error:
        for result in error.results:
            result.file = path
        raise


def _staged(directory: Folder, change: Change, number: int, undo: ExitStack) -> Staged:
    """Return a change that is staged; `undo` gets the calls that take it back. FnError where that cannot be done."""
    try:
        _make_folders(directory, change.path, undo)
        staged = Staged(directory, change, number)
    except OSError as error:
        raise folder.failure(change.path, error) from None
    undo.callback(staged.discard)
    return staged


def _check(staged: Staged) -> None:
    """FnError where somebody else has changed a file since it was read: while no file is replaced."""
    try:
        is_current = staged.is_current()
    except OSError as error:
        raise folder.failure(staged.path, error) from None
    if not is_current:
        message = f"{staging.CHANGED}: nothing is written"
        raise FnError(Result(message, ERROR, "FileChanged", file=paths.visible(staged.path)))


def _above(path: str) -> Iterator[str]:
    """Yield the directories around one, up to the root."""
    while (above := os.path.dirname(path)) != path:
        yield above
        path = above


def _wait_for(descriptor: int, until: float, name: str, *, is_alone: bool) -> None:
    """Wait for a lock. FnError where it does not come in time."""
    while not _locks(descriptor, is_alone=is_alone):
        if time.monotonic() > until:
            raise FnError(Result(_BUSY, ERROR, "Busy", file=paths.visible(name)))
        time.sleep(_PAUSE)


def _locks(descriptor: int, *, is_alone: bool) -> bool:
    import fcntl  # noqa: PLC0415 - Windows has none, and no directory to lock

    try:
        fcntl.flock(descriptor, (fcntl.LOCK_EX if is_alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_folders(directory: Folder, path: str, undo: ExitStack) -> None:
    """Make the directories of a path that are not there yet."""
    folders = path.split("/")[:-1]
    with closing(directory.steps(path)) as steps:
        # The walk opens a step only when it is asked for it: by then it is made.
        for (descriptor, above), name in zip(steps, folders, strict=False):
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=descriptor)
                undo.callback(_remove_folder, directory, f"{above}/{name}".removeprefix("/"))


def remove_emptied(directory: Folder, changes: Iterable[Change]) -> None:
    """Remove the directories that deleted files have left empty: git has none of these either."""
    for change in changes:
        path = change.path if change.after is None else ""
        while path := path.rpartition("/")[0]:
            _remove_folder(directory, path)


def _remove_folder(directory: Folder, path: str) -> None:
    with suppress(OSError, FnError), directory.parent(path) as (parent, name):
        os.rmdir(name, dir_fd=parent)  # which fails where something is in it


def _sync_folders(directory: Folder, changes: list[Change]) -> None:
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
    return FnError(Result(f"{problem}: {so_far}; run this again", ERROR, "Unfinished", file=paths.visible(path)))
