"""Which file of origin a file of another side was: by its base name, or by its lines, as git finds renames."""

from __future__ import annotations

import posixpath
from collections import Counter
from itertools import product

from krm.merge.lists.alike import HALF

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from krm.file import File
    from krm.merge.files.matching import Homes, Side

    Pair = tuple[str, str]

# To compare each of many files with each other one would take longer than all else.
_MOST_COMPARED = 10_000


def homes(files: Mapping[Side, Mapping[str, File]]) -> Homes:
    """Return the path in origin of each file of update and local that has another path there."""
    found: dict[tuple[Side, str], str] = {}
    sides: tuple[Side, Side] = ("update", "local")
    for side in sides:
        gone = {path: file for path, file in files["origin"].items() if path not in files[side]}
        new = {path: file for path, file in files[side].items() if path not in files["origin"]}
        for pairs in (_of_one_name(gone, new), _alike(gone, new)):
            for was, path in [*pairs]:
                if was in gone and path in new:
                    found[side, path] = was
                    del gone[was], new[path]
    return found


def _of_one_name(gone: Iterable[str], new: Iterable[str]) -> Iterator[Pair]:
    """Yield the paths of one base name, where there is no second one of it."""
    ones, others = (Counter(map(posixpath.basename, paths)) for paths in (gone, new))
    known = {posixpath.basename(path): path for path in new}
    for path in gone:
        name = posixpath.basename(path)
        if ones[name] == others[name] == 1:
            yield path, known[name]


def _alike(gone: Mapping[str, File], new: Mapping[str, File]) -> Iterator[Pair]:
    """Yield the paths of files of which half of the lines are the same, those that are most alike first."""
    if len(gone) * len(new) > _MOST_COMPARED:
        return
    lines = {id(file): Counter(file.text.splitlines()) for file in (*gone.values(), *new.values())}
    found = [(_likeness(lines[id(gone[was])], lines[id(new[path])]), was, path) for was, path in product(gone, new)]
    yield from ((was, path) for likeness, was, path in sorted(found, reverse=True) if likeness >= HALF)


def _likeness(ones: Counter[str], others: Counter[str]) -> float:
    return (ones & others).total() / max(ones.total(), others.total(), 1)
