"""The merge of three directories: read, merged by `krm.merge.files.directories`, and what becomes of local's files.

A directory with a Kptfile is a package of its own, in which objects are matched only with each other, and which comes
and goes as a whole, as with `kpt pkg update` (docs/reference/merge.md, "Directories").
"""

from __future__ import annotations

import posixpath

from krm.encoding import visible
from krm.merge import policy
from krm.merge.files.directories import MergedDirectory
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.outcome import UPDATED_BY_ITSELF, verdict
from krm.merge.policy import FieldPolicy
from krm.package import folder, paths
from krm.package.file_changes import EXECUTABLE, FileChange
from krm.package.listing import Directory
from krm.resource import KPTFILE, Resource
from krm.results import CONFLICT, FnError, Result, notice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.merge.files.matching import Side
    from krm.merge.files.object_merge import Merge, Secrets
    from krm.merge.policy import OnConflict
    from krm.package.folder import Folder

_OF_A_PACKAGE: tuple[tuple[str, ...], ...] = (("metadata", "name"), ("upstream",), ("upstreamLock",))


class PackageMerge:
    """The outcome: the changes of local's files, local as it was read, and results that call files as the user does."""

    def __init__(self, changes: list[FileChange], results: list[Result], local: Directory) -> None:
        self.changes = changes
        self.results = results
        self.local = local

    def everything(self) -> list[FileChange]:
        """Return the whole of the merged directory as new files."""
        local = self.local
        new = {path: FileChange(path, None, data, local.states[path]) for path, data in local.contents.items()}
        new |= {one.path: FileChange(one.path, None, one.after, one.state, one.mode) for one in self.changes}
        return [new[path] for path in sorted(new) if new[path].after is not None]


def read(folders: dict[Side, Folder]) -> dict[Side, Directory]:
    """Read three directories. FnError, with the whole path of a file, if one cannot be read."""
    found = {}
    for side, opened in folders.items():
        with folder.naming(opened.name):
            found[side] = Directory(opened)
    return found


def merge(
    sides: dict[Side, Directory], decide: Merge, on_conflict: OnConflict, secrets: Secrets = lambda _: set()
) -> PackageMerge:
    """Merge three directories. FnError if something in them cannot be merged. No result quotes `secrets`."""
    found = [*_check_links(sides)]
    for side in sides.values():
        found += (folder.left_alone(side.named(path), reason) for path, reason in side.left_alone.items())
    # By the patterns of all sides: else a file that update leaves out from now on would count as deleted by it.
    for side in sides.values():
        side.forget_left_out(sides.values())
    files = (posixpath.split(path) for side in sides.values() for path in side.contents)
    packages = {directory for directory, name in files if name == KPTFILE}
    for package in sorted(packages - {""}):
        found += _settle_package(sides, package, on_conflict)
    merged = MergedDirectory(
        {side: read.contents for side, read in sides.items()},
        _with_kptfiles(decide, on_conflict) if isinstance(decide, BaseRule) else decide,
        on_conflict,
        package_of=lambda path: _package_of(path, packages),
        named=lambda side, path: sides[side].named(path),
        secrets=secrets,
    )
    merged.merge()
    changes = [*_changes(sides, merged.contents)]
    _check_places(changes, sides["local"])
    return PackageMerge(changes, [*found, *merged.results], sides["local"])


def _with_kptfiles(decide: BaseRule, on_conflict: OnConflict) -> BaseRule:
    """Return a merge that lets a package keep its own name, and where it is from."""
    own = [FieldPolicy(path, on_conflict="KeepLocal") for path in _OF_A_PACKAGE]
    return BaseRule(decide.policy, {KPTFILE: policy.of_fields(on_conflict, own)})


def _check_links(sides: dict[Side, Directory]) -> Iterator[Result]:
    """Yield what to tell of symbolic links that stay. FnError if update brings or changes one."""
    # A link that came in could lead the next program that writes out of the directory.
    before, after = sides["origin"].links, sides["update"].links
    for path, target in after.items():
        if before.get(path) != target:
            problem = f"it is a symbolic link to `{visible(target)}`, and links are not followed"
            raise FnError(paths.refused(sides["update"].named(path), f"{problem}: put a file in its place"))
    for path in sides["local"].links:
        yield folder.left_alone(sides["local"].named(path), folder.IS_LINK)


def _settle_package(sides: dict[Side, Directory], package: str, on_conflict: OnConflict) -> Iterator[Result]:
    """Let a package stay as local has it, or stay deleted, where kpt does so: update's files become those of origin."""
    origin, update, local = (sides[side].below(package) for side in SIDES)
    message = ""
    if not origin:
        return
    if update and not local and update != origin:
        message = "this package was deleted here, and update changed it: it stays deleted"
    elif local and not update and local != origin:
        message = "update deleted this package, and it was changed here: it stays"
    elif not (update and local) or _upstream(origin, package) == _upstream(local, package):
        return
    for path in update:
        del sides["update"].contents[path]
    sides["update"].contents |= origin
    file = sides["local"].named(package)
    if message:
        yield Result(message, verdict(on_conflict)[0], CONFLICT, file=file)
    else:
        yield notice("this package was updated by itself: it stays as it is", UPDATED_BY_ITSELF, file=file)


def _upstream(contents: dict[str, bytes], package: str) -> object:
    """Return where a package is from, as its Kptfile says, None if it says nothing."""
    try:
        return Resource.alone(contents.get(f"{package}/{KPTFILE}", b"").decode(), package).get("upstream")
    except (UnicodeDecodeError, FnError):
        return None


def _changes(sides: dict[Side, Directory], contents: dict[str, bytes | None]) -> Iterator[FileChange]:
    """Yield the changes of local's files, with those of their permissions to execute them."""
    local, update = sides["local"], sides["update"]
    for path in sorted({*local.contents, *contents}):
        before = local.contents.get(path)
        after = contents.get(path, before)
        state = local.states.get(path) or update.states.get(path)
        mode = _mode(sides, path)
        if after != before or mode is not None:
            yield FileChange(path, before, after, state, mode)


def _check_places(changes: list[FileChange], local: Directory) -> None:
    """FnError for each file that is to come where local has a directory, or the other way round, or a name like it."""
    going = {change.path for change in changes if change.after is None}
    new = {change.path for change in changes if change.before is None}
    mistakes = [*paths.clashes(new, {*local.contents, *new} - going, going, "rename one of the two, then merge again")]
    if mistakes:
        raise FnError(*folder.name_below(local.name, mistakes))


def _mode(sides: dict[Side, Directory], path: str) -> int | None:
    """Return who may execute a file from now on, None if update did not change that."""
    if not all(path in read.states for read in sides.values()):
        return None
    origin, update, local = (sides[side].states[path].st_mode & EXECUTABLE for side in SIDES)
    return update if origin == local != update else None


def _package_of(path: str, packages: set[str]) -> str | None:
    """Return the innermost package that a path is in, None for a file that holds no resources."""
    if not paths.is_resource_file(posixpath.basename(path)):
        return None
    return next(filter(packages.__contains__, reversed(paths.folders_above(path))), "")
