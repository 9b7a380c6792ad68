"""The input of `explain`: files, directories, standard input, and the functionConfig among them."""

from __future__ import annotations

import os

from expand_vars.commands import discovery
from krm import resourcelist, stdio
from krm.envelope import RESOURCE_LIST
from krm.package import files, paths
from krm.package.folder import Folder
from krm.resource import DocumentResource
from krm.results import ERROR, FnError, Result
from krm.stdio import InputError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.resource import Resource

STDIN = "-"
_BYTE_ORDER_MARK = "\ufeff"


class Input:
    """One file: its items that are KRM resources, and the mistakes in it.

    `twins` has the unchanged copy of each item by the `id` of the item, with the number of lines above it: these tell
    where something stands. `is_configured` if its ExpandVars are no functionConfig of this run, because a ResourceList,
    or a tool that runs this function on the directory, says what is.
    """

    __slots__ = ("function_config", "is_configured", "items", "kind", "name", "results", "twins")

    def __init__(self, name: str, text: str = "") -> None:
        """Read the text of a file."""
        self.name = name
        self.results: list[Result] = []
        # Twice: a run changes the items, and the tables show their lines and names as they are in the file.
        listed, twins = self._read(text), self._read(text).items
        self.kind = listed.kind
        self.is_configured = listed.kind == RESOURCE_LIST
        self.function_config = listed.function_config
        for result in listed.results:
            result.file = result.file or (None if name == STDIN else name)
        self.results += listed.results
        for item in listed.items:
            document = item.document
            if isinstance(document, DocumentResource) and name != STDIN:
                document.path = name
        self.items = [item for item in listed.items if self._is_resource(item)]
        self.twins = dict(zip(map(id, listed.items), _numbered(twins, text), strict=True))

    def _read(self, text: str) -> resourcelist.ResourceList:
        try:
            return resourcelist.read(text)
        except ParseError as error:
            # One broken file must not hide what the others say.
            nothing = resourcelist.read("")
            nothing.results.append(Result(str(error), ERROR, "InvalidInput", file=self.name))
            return nothing

    def _is_resource(self, item: Resource) -> bool:
        try:
            return bool(item.api_version and item.kind)
        except FnError as error:
            for result in error.results:
                result.file = result.file or self.name
            self.results += error.results
            return False
        finally:
            item.release()


def read(given: Iterable[str]) -> list[Input]:
    """Return the files that paths name. InputError, FnError where one cannot be read.

    A file of a directory that is named, too, is read once.
    """
    given = [*dict.fromkeys(given)]
    directories = [os.path.realpath(path) for path in given if os.path.isdir(path)]
    found = []
    for path in given:
        if path == STDIN:
            found.append(Input(path, stdio.read()))
        elif not _is_below(path, directories):
            found += _of_directory(path) if os.path.isdir(path) else [Input(_shown(path), stdio.read_file(path))]
    return found


def function_config(inputs: Iterable[Input]) -> Resource | None:
    """Return the functionConfig among the inputs. InputError if there are several.

    That of a ResourceList or of a tool that runs this function on a directory; else the only ExpandVars.
    """
    inputs = [*inputs]
    own = [(one, one.function_config) for one in inputs if one.function_config is not None]
    found = own or [
        (one, item) for one in inputs if not one.is_configured for item in one.items if discovery.is_config(item)
    ]
    if len(found) > 1:
        named = ", ".join(f"{item.kind} `{item.name}` in {one.name}" for one, item in found)
        raise InputError(f"there are {len(found)} functionConfigs, choose one with --fn-config: {named}")
    return found[0][1] if found else None


def _of_directory(path: str) -> list[Input]:
    """Read the files of a directory as `eval` does: `.krmignore` counts, and results name the files left alone."""
    with Folder(path) as directory:
        try:
            package = files.read(directory)
        except FnError as error:
            _name_below(path, error.results)
            raise
        for name, reason in package.odd(package.files).items():
            package.leave_alone(name, str(reason), reason.noun)
        try:
            # Kptfiles and kustomizations name files by their paths in the directory, as these items have them.
            of_tools = discovery.of_tools(directory, [""], package.items)
        except FnError as error:
            _name_below(path, error.results)
            raise
    whole = Input(_shown(path))
    whole.results = package.left_alone
    _name_below(path, package.left_alone)
    found = [Input(_shown(os.path.join(path, name)), file.text) for name, file in package.files.items()]
    if of_tools:
        whole.function_config = of_tools[0]
        for one in found:
            one.is_configured = True
    return [whole, *found]


def _name_below(path: str, found: Iterable[Result]) -> None:
    """Let results about files of the directory at `path` call them as the user would."""
    for result in found:
        result.file = _shown(os.path.join(path, result.file or ""))


def _is_below(path: str, directories: Iterable[str]) -> bool:
    """True if one of `directories` holds the file or directory at `path`."""
    real = os.path.realpath(path)
    return any(real != above and os.path.commonpath([real, above]) == above for above in directories)


def _shown(path: str) -> str:
    return paths.visible(os.path.normpath(path))


def _numbered(items: Iterable[Resource], text: str) -> Iterator[tuple[int, Resource]]:
    """Yield items with the number of lines above each. Every line is counted once."""
    text, number, position = text.removeprefix(_BYTE_ORDER_MARK), 0, 0
    for item in items:
        number += text.count("\n", position, item.span[0])
        position = item.span[0]
        yield number, item
