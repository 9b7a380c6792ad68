"""The rendering of a package into another directory (docs/guides/eval.md, "Another directory")."""

from __future__ import annotations

import os
import posixpath
import re
from contextlib import ExitStack
from itertools import chain

from expand_vars.commands import arguments, discovery
from expand_vars.expansion.kustomize import listed
from expand_vars.functionconfig import GROUP
from krm.encoding import visible
from krm.package import file_changes, folder, paths, transaction, wire
from krm.package.file_changes import EXECUTABLE, FileChange
from krm.package.folder import Folder
from krm.package.listing import HIDDEN, Directory, Patterns, leftovers
from krm.resource import KPTFILE, KUSTOMIZATIONS, Resource
from krm.results import ERROR, FnError, Result, notice
from krm.stdio import InputError
from krm.template_comments import writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    from krm.fieldpath import Place
    from krm.package.files import Package

    Files: TypeAlias = dict[str, tuple[bytes, os.stat_result | None]]

_OF_TOOLS = (GROUP, "kpt.dev", "kustomize.config.k8s.io")
_LISTS = ("resources", "components", "generators", "transformers", "validators")
_OVERWRITTEN = "this was edited since it was rendered, and the edit is overwritten: change it in the package instead"
_DELETED = "this was edited since it was rendered, and it is deleted: the package no longer has it"
_NOT_OURS = "this is there, and no run has rendered it: move it away, or choose another directory"
_ONE = "`{}` and `{}` are one, or one of them is inside of the other: name a place beside the package"

_ELSEWHERE = (
    "`{}` is not below this directory, where several paths keep their places in --output: start above all of them"
)

INVENTORY = ".expand-vars"
"""The file in the output directory with the paths and hashes of the files that a run has written there.

It has the form of `sha256sum`. It shows a later run which files are its own. kubectl, Argo CD, Flux and this program
do not read hidden files as manifests.
"""

_LIST_HEAD = (
    "# What `expand-vars eval --output` has written here: `sha256sum --check .expand-vars` finds what was edited.\n"
)
# No step of a path starts with a dot, so no path leads out of the directory.
_LISTED = re.compile(r"([0-9a-f]{64})  ((?:[^./\n][^/\n]*/)*[^./\n][^/\n]*)")
_DAMAGED = (
    "line {} is no hash and path of a rendered file: take either side if this is a conflict, or delete this list and "
    "what was rendered, and run again"
)


class Rendering:
    """The output: a directory in which each rendered path has its place (`place`). A file has the place of a file."""

    def __init__(self, base: str, places: Mapping[str, str]) -> None:
        """Take the place of each path of the directory `base`. InputError for a file in the place of a directory."""
        outermost = [path for path in places if not any(top != path and _is_in(top, path) for top in places)]
        targets = {path: os.path.realpath(places[path]) for path in outermost}
        is_file = {path: os.path.isfile(os.path.join(base, path)) for path in outermost}
        for path, target in targets.items():
            if os.path.exists(target) and os.path.isfile(target) is not is_file[path]:
                there, wanted = ("directory", "file") if is_file[path] else ("file", "directory")
                source = os.path.relpath(os.path.join(base, path))
                raise InputError(f"`{places[path]}` is a {there}, and `{source}` is a {wanted}: name a {wanted}")
        folders = [os.path.dirname(one) if is_file[path] else one for path, one in targets.items()]
        self.directory = os.path.commonpath(folders)
        self._places = {path: _below(self.directory, target) for path, target in targets.items()}
        with_list = [path for path in outermost if not is_file[path]]
        self._lists = {path: posixpath.join(self._places[path], INVENTORY) for path in with_list}
        self._file_texts: dict[str, str] = {}

    def take(self, items: Iterable[Resource]) -> None:
        """Take the new texts of the files of generators. An item has each text in its data."""
        self._file_texts |= {str(one.file): one.get("data[*]") or one.get("stringData[*]") or "" for one in items}

    def render(self, directory: Folder, package: Package, *, is_written: bool) -> list[FileChange]:
        """Return the changes that the output needs, and make them if `is_written`. FnError with every refusal."""
        files = self._files(directory, package)
        with ExitStack() as stack, folder.naming(self.directory):
            if not is_written:
                there = os.path.isdir(self.directory)
                return self._changes(stack.enter_context(Folder(self.directory)) if there else None, package, files)
            output = stack.enter_context(Folder(self.directory, is_made=True))
            stack.enter_context(transaction.locked([output]))
            package.results += transaction.clean(output, leftovers(output))
            changed = self._changes(output, package, files)
            in_the_way = self._in_the_way(changed)
            first = [change for change in changed if change.after is None and change.path in in_the_way]
            transaction.commit(output, first)
            for path in sorted(in_the_way, reverse=True):
                transaction.remove_folder(output, path)
            # The list is written last: after an interrupted run, the next one still knows which files it must delete.
            transaction.commit(output, (change for change in changed if change not in first), last=INVENTORY)
            return changed

    def _files(self, directory: Folder, package: Package) -> Files:
        """Return the files that the output is to have. FnError if a file of the package cannot be read."""
        package.remove(*(item for item in package.items if item.is_local_config or item.group == GROUP))
        writing.forget(package.items)
        files: Files = {}
        for path in self._lists:
            files |= _other_files(directory, path, package)
        files |= {path: (one.data, one.state) for path, one in package.files.items()}
        files |= {path: (text.encode(), files[path][1]) for path, text in self._file_texts.items() if path in files}
        changed = file_changes.of(package)
        files |= {one.path: (one.after, one.state) for one in changed if one.after is not None}
        gone = {one.path for one in changed if one.after is None}
        for path in [path for path in files if posixpath.basename(path) in (*KUSTOMIZATIONS, KPTFILE)]:
            data, state = files[path]
            files[path] = _without(gone, path, data, package.items), state
        return self._placed({path: one for path, one in files.items() if path not in gone})

    def _placed(self, files: Files) -> Files:
        """Return the files by their places in the output, with the list of each directory."""
        placed: Files = {}
        for top, place in self._places.items():
            below = {_below(top, path): one for path, one in files.items() if _is_in(top, path)}
            shown = {path: one for path, one in below.items() if "/." not in f"/{path}"}
            placed |= {posixpath.join(place, path).rstrip("/"): one for path, one in shown.items()}
            if top in self._lists:
                lines = (f"{_digest(shown[path][0])}  {path}\n" for path in sorted(shown))
                placed[self._lists[top]] = "".join([_LIST_HEAD, *lines]).encode(), None
        return placed

    def _changes(self, output: Folder | None, package: Package, files: Files) -> list[FileChange]:
        """Return the changes of the output, which is None if it does not exist. FnError with every refusal."""
        hashes: dict[str, str] = {}
        for inventory in self._lists.values():
            hashes |= _hashes(inventory, None if output is None else output.read(inventory))
        changed: list[FileChange] = []
        for path in (*files, *sorted(hashes.keys() - files.keys())):
            before, state = (output.read(path) if output and self._is_file(path) else None) or (None, None)
            after, wanted = files.get(path, (None, None))
            is_script, mode = (None if one is None else one.st_mode & EXECUTABLE for one in (state, wanted))
            is_other = mode is not None and bool(mode) is not bool(is_script)
            if before != after or is_other:
                changed.append(FileChange(path, before, after, state or wanted, mode if is_other else None))
        replaced = {one.path: one for one in changed if one.before not in (None, one.after)}
        there = {*replaced, *filter(self._is_file, self._in_the_way(changed))}
        foreign = there - {*hashes, *self._lists.values(), *self._places.values()}
        if foreign:
            raise FnError(*(paths.refused(os.path.join(self.directory, path), _NOT_OURS) for path in sorted(foreign)))
        for path, change in replaced.items():
            if path in hashes and _digest(change.before or b"") != hashes[path]:
                message = _DELETED if change.after is None else _OVERWRITTEN
                package.results.append(notice(message, "OutputEdited", file=folder.called(self.directory, path)))
        return changed

    def _in_the_way(self, changed: Iterable[FileChange]) -> set[str]:
        """Return what is in the place of a new file, or of a directory around it."""
        new = [change.path for change in changed if change.before is None]
        around = {above for path in new for above in paths.folders_above(path)}
        walks = (os.walk(os.path.join(self.directory, path)) for path in new)
        inside = (os.path.join(top, name) for walk in walks for top, *names in walk for name in ("", *chain(*names)))
        return {*filter(self._is_file, around), *(os.path.relpath(path, self.directory) for path in inside)}

    def _is_file(self, path: str) -> bool:
        """True if something else than a directory is at a path, such as a link to one."""
        place = os.path.join(self.directory, path)
        return os.path.islink(place) or (os.path.exists(place) and not os.path.isdir(place))


def check(sources: Iterable[str], output: str) -> None:
    """Raise InputError if the output is inside a source, or a source is inside the output."""
    target = os.path.realpath(output)
    for source in sources:
        if os.path.commonpath([arguments.real(source), target]) in (arguments.real(source), target):
            raise InputError(_ONE.format(source, output))


def place(path: str, tops: Sequence[str], output: str) -> str:
    """Return the place of a path in the output, relative to the only top, or with several to the working directory.

    InputError if the path is not below that.
    """
    root = arguments.real(tops[0] if len(tops) == 1 else os.curdir)
    found = arguments.real(path)
    if os.path.commonpath([root, found]) != root:
        raise InputError(_ELSEWHERE.format(path))
    return output if found == root else os.path.join(output, os.path.relpath(found, root))


def for_a_cluster(package: Package) -> Iterator[str]:
    """Yield the objects of a package as documents, without those that only tools read."""
    package.remove(*filter(_is_for_tools, package.items))
    return (wire.body(item.text) for item in package.entries if not _is_for_tools(item))


def _is_for_tools(item: Resource) -> bool:
    return item.is_local_config or item.group in _OF_TOOLS


def _other_files(directory: Folder, top: str, package: Package) -> Files:
    """Return the files below a path that have no resources and are not hidden. FnError if one cannot be read."""
    known = {_below(top, path) for path in package.files if _is_in(top, path)}
    with Folder(os.path.join(directory.name, top)) as opened, folder.naming(top):
        read = Directory(opened, Patterns(HIDDEN), known)
    odd = {path for path in read.contents if visible(path) != path}
    told = dict.fromkeys(read.links, folder.IS_LINK) | dict.fromkeys(odd, folder.UNSEEN) | read.left_alone
    package.results += [
        notice(f"not rendered: {reason}", "NotRendered", file=folder.called(top, path)) for path, reason in told.items()
    ]
    found = ((path, data) for path, data in read.contents.items() if path not in odd)
    return {posixpath.join(top, path): (data, read.states[path]) for path, data in found}


def _is_in(top: str, path: str) -> bool:
    """True if `path` is `top` or below it. An empty `top` is the whole package."""
    return not top or path == top or path.startswith(f"{top}/")


def _below(top: str, path: str) -> str:
    """Return the part of `path` below `top`, "" for `top` itself."""
    return path[len(top) :].lstrip("/")


def _without(gone: Collection[str], path: str, data: bytes, items: Sequence[Resource]) -> bytes:
    """Return a kustomization or Kptfile without the files that are gone and without steps that run this function."""
    tool = Resource.alone(data.decode(errors="replace"), path)
    try:
        tool.delete(*_needless_entries(gone, path, tool, items))
    except FnError:
        return data  # the tool refuses it, too
    return tool.text.encode() if tool.is_changed else data


def _needless_entries(gone: Collection[str], path: str, tool: Resource, items: Sequence[Resource]) -> Iterator[Place]:
    """Yield the places of the entries that a kustomization or Kptfile no longer needs."""
    top = posixpath.dirname(path)
    if posixpath.basename(path) == KPTFILE:
        yield from (place for place, _ in tool.find(discovery.MUTATORS) if discovery.is_ours(tool.get(place)))
        return
    for key in _LISTS if gone or tool.may_contain("transformers") else ():
        for number, entry in enumerate(listed(tool.get(key), object)):
            is_gone = posixpath.normpath(posixpath.join(top, str(entry))) in gone
            if is_gone or (key == "transformers" and [*discovery.of_transformer(str(entry), path, items)]):
                yield key, number


def _hashes(path: str, read: tuple[bytes, os.stat_result] | None) -> dict[str, str]:
    """Return the hashes in the list of a directory, by the places of the files. FnError for a damaged line."""
    hashes = {}
    text = "" if read is None else read[0].decode(errors="replace")
    for number, line in enumerate(text.splitlines(), start=1):
        found = _LISTED.fullmatch(line)
        if found is not None:
            hashes[posixpath.join(posixpath.dirname(path), found[2])] = found[1]
        elif not line.startswith("#"):
            raise FnError(Result(_DAMAGED.format(number), ERROR, "InvalidInput", file=path))
    return hashes


def _digest(data: bytes) -> str:
    """Return the hash of a file."""
    from hashlib import sha256  # noqa: PLC0415 - `eval` without an output does not need it

    return sha256(data).hexdigest()
