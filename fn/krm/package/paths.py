"""The path and index annotations of a resource: which file it is written to, and where in it.

Paths come from programs and packages that nobody has read, so each rule here keeps a run inside of its directory
(docs/reference/packages.md, "Paths").
"""

from __future__ import annotations

import posixpath
import re

from krm.encoding import visible
from krm.resource import FORMAT, FORMS, INDEX, KPTFILE, PATH
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from krm.resource import Resource

ENDINGS = (".yaml", ".yml", ".json")

STAGED = ".krm-staged"
"""What the name of a staged file ends with: no reader of directories takes it for a file of resources."""

HASH = 16
"""The digits of each of the two hashes in the name of a staged file."""

MOST_STEPS = 50
"""The most steps of a path, its file among them. The work for one path grows with these."""

KEYS = (*(f"{form}{key}" for form in reversed(FORMS) for key in (INDEX, PATH)), FORMAT)
"""The annotations that say where a resource is from. They are never part of a file."""

_NOWHERE: Mapping[int, tuple[str, int | None]] = {}
_LONGEST = 100  # of a path that a message shows
_GIT = ".git"
_UNSEEN_BY_HFS = frozenset(map(chr, (*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF)))
_OURS = re.compile(rf"\.\d+-\d+-[0-9a-f]{{{HASH}}}-[0-9a-f]{{{HASH}}}{re.escape(STAGED)}")


class FilePlace:
    """The destination of one resource of a list: a file, and an index in it, None for behind the others."""

    def __init__(self, item: Resource, path: str, index: int | None) -> None:
        self.item = item
        self.path = path
        self.index = index

    def order(self) -> tuple[bool, int]:
        """Return the key by which the resources of a file are sorted."""
        return self.index is None, self.index or 0

    def take(self, taken: dict[tuple[str, int], Resource]) -> None:
        """Add the resource to those that have an index in a file. FnError if another one has this index."""
        other = self.item if self.index is None else taken.setdefault((self.path, self.index), self.item)
        if other is not self.item:
            problem = f"index {self.index} of `{self.path}` is also that of {other.ref}: give it another"
            raise FnError(_refused(self.item, problem))


def places(items: Iterable[Resource], placed: Mapping[int, tuple[str, int | None]] = _NOWHERE) -> list[FilePlace]:
    """Return where each item goes. FnError, with one result for each mistake, if a path or index is refused.

    `placed` has the paths and indexes of some, by their `id()`; the others say theirs in annotations.
    """
    found: list[FilePlace] = []
    mistakes: list[Result] = []
    taken: dict[tuple[str, int], Resource] = {}
    for item in items:
        try:
            found.append(_place(item, *placed.get(id(item), ("", None))))
            found[-1].take(taken)
        except FnError as error:
            mistakes += error.results
    if mistakes:
        raise FnError(*mistakes)
    return found


def is_resource_file(name: str) -> bool:
    """True if a file of this name may hold resources: the names that kpt reads."""
    return name.endswith(ENDINGS) or name == KPTFILE


def is_staged(name: str) -> bool:
    """True if a file of this name is one that a run staged: no other file that ends so is ours to remove."""
    return _OURS.fullmatch(name) is not None


def unread(path: str) -> str | None:
    """Return why nothing at a path is read, whatever the directory has there; None if it may be."""
    steps = path.split("/")
    # Branches are files in `.git`, and one may be called `a.yaml`.
    may_be_git = "git" in path.casefold() or not path.isascii()
    if may_be_git and (step := next(filter(_is_git, steps), None)) is not None:
        as_git = "" if step == _GIT else f", which some systems take for `{_GIT}`"
        return f"has `{visible(step)}` in it{as_git}, and nothing in there is read again"
    if len(steps) > MOST_STEPS:
        return f"has {len(steps)} steps, and more than {MOST_STEPS} are not read"
    return None


def _is_git(step: str) -> bool:
    """True if a file system takes a name for `.git`: git refuses these names, too.

    NTFS leaves out blanks and dots at the end, has a short name, and streams behind a colon. HFS+ leaves out characters
    that nobody sees.
    """
    plain = "".join(sign for sign in step if sign not in _UNSEEN_BY_HFS).casefold()
    return plain.partition(":")[0].rstrip(" .") in (_GIT, "git~1")


def clashes(
    new: Iterable[str], staying: Iterable[str], going: Iterable[str] = (), advice: str = "choose another one"
) -> Iterator[Result]:
    """Yield an error for each new path that some systems take for another one, and for each that is a directory too.

    The new ones are among those `staying`. A file that is `going` makes no room for a directory: each goes for itself.
    """
    new = {*new}
    if not new:
        return
    # Those that are there first: it is the new one that is refused.
    ordered = sorted(staying, key=lambda path: (path in new, path))
    folded: dict[str, str] = {}
    for path in ordered:
        other = folded.setdefault(path.casefold(), path)
        if other != path and path in new:
            problem = f"differs from `{visible(other)}` in case alone, and some systems have one file for both"
            yield refused(path, f"this path {problem}: {advice}")
    ordered += going
    folders = {above: path for path in ordered for above in folders_above(path)}
    for path in sorted({*ordered} & folders.keys()):
        yield refused(path, f"this path is a directory as well, by `{visible(folders[path])}`: {advice}")


def folders_above(path: str) -> list[str]:
    """Return the directories that a path is in."""
    steps = path.rstrip("/").split("/")
    return ["/".join(steps[:end]) or "/" for end in range(1, len(steps))]


def _place(item: Resource, known_path: str, known_index: int | None) -> FilePlace:
    # Of what was generated the text tells that it has no such annotation.
    path, index = item.noted(PATH), item.noted(INDEX)
    # int() would take `1_0`, ` 1` and digits of other scripts, which no other tool reads as the same index.
    if index and not (index.isascii() and index.isdecimal()):
        raise FnError(_refused(item, f"its index `{visible(index)}` is no number"))
    path = path or known_path
    if not path:
        item.cut()
        if not item.name:
            raise FnError(_refused(item, "it has no path annotation, and no name to make a file name of"))
        path = item.default_file
    return FilePlace(item, _checked(item, path), int(index) if index else known_index)


def _checked(item: Resource, path: str) -> str:
    """Return a path in its shortest form. FnError if it leads out of the directory, or to no file of resources."""
    parts = path.split("/")
    if visible(path) != path:
        problem: str | None = "has control characters"
    elif path.startswith("/"):
        problem = "is absolute"
    # Refused even where it would stay inside, as in `a/../b.yaml`: `a` may become a link.
    elif ".." in parts:
        problem = "has `..` in it"
    elif not is_resource_file(parts[-1]):
        problem = f"must end with {', '.join(ENDINGS)}, or be a {KPTFILE}"
    else:
        problem = unread(posixpath.normpath(path))
    if problem is not None:
        shown = visible(path)
        shown = shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
        raise FnError(_refused(item, f"its path `{shown}` {problem}"))
    return posixpath.normpath(path)


def refused(path: str, problem: str) -> Result:
    """Return the error for a path that is not written to."""
    return Result(problem, ERROR, "InvalidPath", file=visible(path))


def _refused(item: Resource, problem: str) -> Result:
    result = item.result(f"it cannot be written: {problem}", ERROR, "InvalidPath")
    result.file = None  # it is what is refused: no annotation of a CI system should point there
    return result
