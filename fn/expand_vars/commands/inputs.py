"""The input of a command: files, the files of directories, standard input, and the functionConfig among them."""

from __future__ import annotations

import os

from expand_vars.functionconfig import GROUP, KIND
from krm import resourcelist, stdio
from krm.envelope import RESOURCE_LIST
from krm.resource import DocumentResource
from krm.results import ERROR, FnError, Result
from krm.stdio import InputError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.resource import Resource
    from krm.resourcelist import ResourceList

STDIN = "-"
_ENDINGS = (".yaml", ".yml", ".json")
_BYTE_ORDER_MARK = "\ufeff"


class Input:
    """One file: its items that are KRM resources, and the mistakes in it.

    A file that was named and cannot be read is an InputError. Text that cannot be parsed is a mistake in a file that
    was named, and in any other if it may hold a reference. `twins` has the unchanged copy of each item by the `id` of
    the item, with the number of lines above it: these tell where something stands.
    """

    __slots__ = ("_is_named", "function_config", "items", "kind", "name", "results", "twins")

    def __init__(self, path: str, *, is_named: bool) -> None:
        self.name = path.encode(errors="backslashreplace").decode()
        self._is_named = is_named
        self.results: list[Result] = []
        text = self._text(path)
        listed, read = self._read(text), self._read(text)
        self.kind = listed.kind
        self.function_config = listed.function_config
        self.results += listed.results
        for item in listed.items:
            if isinstance(item, DocumentResource) and path != STDIN:
                item.path = self.name
        self.items = [item for item in listed.items if self._is_resource(item)]
        self.twins = dict(zip(map(id, listed.items), _numbered(read.items, text), strict=True))

    def _text(self, path: str) -> str:
        try:
            return stdio.read() if path == STDIN else stdio.read_file(path)
        except InputError as error:
            if self._is_named:
                raise
            self.results.append(Result(str(error), ERROR, "InvalidInput"))
            return ""

    def _read(self, text: str) -> ResourceList:
        try:
            return resourcelist.read(text)
        except ParseError as error:
            nothing = resourcelist.read("")
            if self._is_named or "$(" in text:
                nothing.results.append(Result(str(error), ERROR, "InvalidInput", file=self.name))
            return nothing

    def _is_resource(self, item: Resource) -> bool:
        try:
            return bool(item.api_version and item.kind)
        except FnError as error:
            if self._is_named or item.may_contain("$("):
                self.results += map(self._in_here, error.results)
            return False
        finally:
            item.release()

    def _in_here(self, result: Result) -> Result:
        result.file = result.file or self.name
        return result


def _numbered(items: Iterable[Resource], text: str) -> Iterator[tuple[int, Resource]]:
    """Yield items with the number of lines above each. Every line is counted once."""
    text, number, position = text.removeprefix(_BYTE_ORDER_MARK), 0, 0
    for item in items:
        number += text.count("\n", position, item.span[0])
        position = item.span[0]
        yield number, item


def files(paths: Iterable[str]) -> list[str]:
    """Return the files that paths name, and those below directories in order. InputError if one cannot be read.

    Hidden folders are left out. So is a name that is no file, such as the broken link by which an editor locks a file.
    """
    return [*dict.fromkeys(file for path in paths for file in (_below(path) if os.path.isdir(path) else [path]))]


def function_config(inputs: Iterable[Input]) -> Resource | None:
    """Return the functionConfig among the inputs: that of a ResourceList, or the only ExpandVars of a package.

    InputError if there are several.
    """
    inputs = [*inputs]
    own = [(one, one.function_config) for one in inputs if one.function_config is not None]
    found = own or [(one, item) for one in inputs if one.kind != RESOURCE_LIST for item in one.items if is_config(item)]
    if len(found) > 1:
        named = ", ".join(f"{item.kind} `{item.name}` in {one.name}" for one, item in found)
        raise InputError(f"there are {len(found)} functionConfigs, choose one with --fn-config: {named}")
    return found[0][1] if found else None


def _below(folder: str) -> list[str]:
    found: list[str] = []
    for above, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += (os.path.normpath(os.path.join(above, name)) for name in names if name.endswith(_ENDINGS))
    return sorted(filter(os.path.isfile, found))


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename}: {error.strerror}")


def is_config(item: Resource) -> bool:
    """True if an item is an ExpandVars."""
    return item.may_contain(GROUP) and (item.group, item.kind) == (GROUP, KIND)
