"""The file of a new resource, for where two would get the same name.

Else the orchestrator names it (docs/architecture.md, "Orchestrators name new files").
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from krm.resource import Resource

_PATH, _INDEX = "path", "index"
_PREFIXES = ("internal.config.kubernetes.io/", "config.kubernetes.io/")


class New:
    """A new resource among the items. `folder` is where its file goes if it does not say that itself."""

    __slots__ = ("folder", "item")

    def __init__(self, item: Resource, folder: str | None) -> None:
        self.item = item
        self.folder = folder

    @property
    def file(self) -> str:
        """The file that it goes to."""
        item = self.item
        if item.file is not None:
            return item.file
        if self.folder is not None:
            name = f"{item.name}_{item.kind}.yaml".lower()
            return f"{self.folder}/{name}" if self.folder else name
        namespace = f"{item.namespace}/" if item.namespace else ""
        return f"{namespace}{item.kind.lower()}_{item.name}.yaml"


def place(new: Sequence[New], items: Iterable[Resource]) -> None:
    """Let new resources say their file and their place in it, where none but we can tell it; `items` are all others."""
    prefixes = _prefixes(items)
    files: dict[str, list[New]] = {}
    for one in new:
        files.setdefault(one.file, []).append(one)
    for file, together in files.items():
        for index, one in enumerate(together):
            if prefixes and (one.folder is not None or len(together) > 1):
                _place(one.item, prefixes, file, index if len(together) > 1 else None)


def _place(item: Resource, prefixes: Sequence[str], file: str, index: int | None) -> None:
    if item.file is None:
        for prefix in prefixes:
            item.set_annotation(f"{prefix}{_PATH}", file)
    if item.index is None and index is not None:
        for prefix in prefixes:
            item.set_annotation(f"{prefix}{_INDEX}", str(index))


def _prefixes(items: Iterable[Resource]) -> list[str]:
    """Return the forms in which the items name their files: none where nobody will read them."""
    found: set[str] = set()
    for item in items:
        if f"{_PREFIXES[-1]}{_PATH}" in item.source:
            found.update(prefix for prefix in _PREFIXES if f"{prefix}{_PATH}" in item.annotations)
        if found:
            break
    return [prefix for prefix in _PREFIXES if prefix in found]
