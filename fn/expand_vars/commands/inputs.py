"""The input of `explain`: files, directories, standard input, and the functionConfig among them."""

from __future__ import annotations

import os

from expand_vars.commands import discovery
from expand_vars.functionconfig import is_config
from krm import resourcelist, stdio
from krm.envelope import RESOURCE_LIST
from krm.package import files, folder
from krm.package.folder import Folder
from krm.results import ERROR, FnError, Result
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.resource import Resource

STDIN = "-"


class Input:
    """One file: its items that are KRM resources, and the mistakes in it.

    `lines_above` has the number of lines above each item by its `id()`. `is_configured` if its ExpandVars are no
    functionConfig of this run, because a ResourceList, or a tool that runs this function on the directory, says it.
    """

    __slots__ = ("_as_read", "function_config", "is_configured", "items", "kind", "lines_above", "name", "results")

    def __init__(self, name: str, items: Iterable[Resource] = (), kind: str = "") -> None:
        """Take the items of a file, and the kind of the list that they are in."""
        self.name = name
        self.kind = kind
        self.is_configured = kind == RESOURCE_LIST
        self.function_config: Resource | None = None
        self.results: list[Result] = []
        self.items: list[Resource] = []
        self.lines_above: dict[int, int] = {}
        self._as_read: dict[int, Resource] = {}
        self._take(items)

    def as_read(self, item: Resource) -> Resource:
        """Return an item as it is in the file: a run changes items, and the tables show the lines and names there."""
        return self._as_read.setdefault(id(item), item.as_read())

    def _take(self, items: Iterable[Resource]) -> None:
        number = position = 0
        for item in items:
            # Every line is counted once.
            number += item.whole.count("\n", position, item.span[0])
            position = item.span[0]
            self.lines_above[id(item)] = number
            document = item.document
            if document.has_lines and self.name != STDIN:
                document.path, document.position = self.name, None
            if self._is_resource(item):
                self.items.append(item)

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
            found.append(_of_text(path, stdio.read()))
        elif not _is_below(path, directories):
            found += _of_directory(path) if os.path.isdir(path) else [_of_file(path)]
    return found


def function_config(inputs: Iterable[Input]) -> Resource | None:
    """Return the functionConfig among the inputs. InputError if there are several.

    That of a ResourceList or of a tool that runs this function on a directory; else the only ExpandVars.
    """
    inputs = [*inputs]
    own = [(one.name, one.function_config) for one in inputs if one.function_config is not None]
    others = ((one, item) for one in inputs if not one.is_configured for item in one.items)
    return discovery.the_only(own or [(one.name, item) for one, item in others if is_config(item)])


def _of_file(path: str) -> Input:
    return _of_text(folder.called("", path), stdio.read_file(path))


def _of_text(name: str, text: str) -> Input:
    try:
        listed = resourcelist.read(text)
    except ParseError as error:
        # One broken file must not hide what the others say.
        broken = Input(name)
        broken.results.append(Result(str(error), ERROR, "InvalidInput", file=name))
        return broken
    found = Input(name, listed.items, listed.kind)
    found.function_config = listed.function_config
    for result in listed.results:
        result.file = result.file or (None if name == STDIN else name)
    found.results = [*listed.results, *found.results]
    return found


def _of_directory(path: str) -> list[Input]:
    """Read the files of a directory as `eval` does: `.krmignore` counts, and results name the files left alone."""
    with Folder(path) as directory, folder.naming(path):
        package = files.read(directory)
        for name, reason in package.odd(package.files).items():
            package.leave_alone(name, str(reason), reason.noun)
        # Kptfiles and kustomizations name files by their paths in the directory, as these items have them.
        of_tools = discovery.of_tools(directory, [""], package.items)
    whole = Input(folder.called(path, ""))
    whole.results = folder.name_below(path, package.left_alone)
    by_file: dict[str, list[Resource]] = {}
    for item in package.items:
        by_file.setdefault(item.file or "", []).append(item)
    found = [Input(folder.called(path, name), items) for name, items in by_file.items()]
    if of_tools:
        whole.function_config = of_tools[0]
        for one in found:
            one.is_configured = True
    return [whole, *found]


def _is_below(path: str, directories: Iterable[str]) -> bool:
    """True if one of `directories` holds the file or directory at `path`."""
    real = os.path.realpath(path)
    return any(real != above and os.path.commonpath([real, above]) == above for above in directories)
