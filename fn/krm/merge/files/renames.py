"""Renames: which file of update and of local is which one of origin, if it has another path there.

A renamed file is found by its base name, or by its lines, as git does it (docs/reference/merge.md, "Directories").
"""

from __future__ import annotations

import posixpath
from collections import Counter
from itertools import product

from krm.merge.files.matching import SIDES
from krm.merge.lists.likeness import HALF, MOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from krm.merge.files.matching import OriginPaths, Side

    PathPair: TypeAlias = tuple[str, str]
    PairsOfPaths: TypeAlias = Callable[[Mapping[str, str], Mapping[str, str]], Iterator[PathPair]]
    """Yields the pairs of paths, given the texts of files that are gone and of new ones."""


def origin_paths(texts: Mapping[Side, Mapping[str, str]], *ways: PairsOfPaths) -> OriginPaths:
    """Return the path in origin of each file of update and local that has another path there, found in these `ways`."""
    found: dict[tuple[Side, str], str] = {}
    for side in SIDES[1:]:
        gone = {path: text for path, text in texts["origin"].items() if path not in texts[side]}
        new = {path: text for path, text in texts[side].items() if path not in texts["origin"]}
        for way in ways:
            for was, path in [*way(gone, new)]:
                if was in gone and path in new:
                    found[side, path] = was
                    del gone[was], new[path]
    files = {path: {found.get((side, path), path) for side in SIDES[1:] if path in texts[side]} for _, path in found}
    # A path that the two sides have for two files is no new name of either.
    return {(side, path): was for (side, path), was in found.items() if len(files[path]) == 1}


def of_one_name(gone: Iterable[str], new: Iterable[str]) -> Iterator[PathPair]:
    """Yield the pairs of paths with the same base name, if there is no second path with it."""
    ones, others = (Counter(map(posixpath.basename, paths)) for paths in (gone, new))
    known = {posixpath.basename(path): path for path in new}
    for path in gone:
        name = posixpath.basename(path)
        if ones[name] == others[name] == 1:
            yield path, known[name]


def similar(gone: Mapping[str, str], new: Mapping[str, str]) -> Iterator[PathPair]:
    """Yield the pairs of paths of files that share half of their lines, the most similar ones first."""
    if len(gone) * len(new) > MOST:
        return
    ones, others = ({path: Counter(text.splitlines()) for path, text in texts.items()} for texts in (gone, new))
    found = [(_likeness(ones[was], others[path]), was, path) for was, path in product(ones, others)]
    yield from ((was, path) for likeness, was, path in sorted(found, reverse=True) if likeness >= HALF)


def _likeness(ones: Counter[str], others: Counter[str]) -> float:
    return (ones & others).total() / max(ones.total(), others.total(), 1)
