"""The input of `explain`: files, directories, standard input, and the functionConfig among them."""

from __future__ import annotations

import os

from expand_vars.commands import discovery
from expand_vars.expansion.run import function_configs
from krm import resourcelist, stdio
from krm.commands.options import STDIN
from krm.envelope import RESOURCE_LIST
from krm.package import files, folder
from krm.package.folder import Folder
from krm.results import ERROR, FnError, Result
from krm.stdio import InputError
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.resource import Resource


class Input:
    """The items of what paths name, as the filter reads a text and `eval` a directory, and the mistakes in it."""

    def __init__(self, given: Iterable[str]) -> None:
        """Read what is at some paths. InputError, FnError where one cannot be read.

        A file of a directory that is named, too, is read once.
        """
        self.items: list[Resource] = []
        self.kustomizations: list[Resource] = []
        self.results: list[Result] = []
        # What a ResourceList, or a tool that runs this function on a directory, says; and the ExpandVars of the others.
        self._said: list[Resource] = []
        self._found: list[Resource] = []
        given = [*dict.fromkeys(given)]
        directories = [os.path.realpath(path) for path in given if os.path.isdir(path)]
        for path in given:
            if path == STDIN:
                self._read_text(None, stdio.read())
            elif not _is_below(path, directories) and os.path.isdir(path):
                self._read_directory(path)
            elif not _is_below(path, directories):
                self._read_text(folder.called("", path), stdio.read_file(path))

    @property
    def function_config(self) -> Resource | None:
        """The functionConfig that was said; else the only ExpandVars. InputError for several."""
        return discovery.the_only([(one.file or STDIN, one) for one in self._said or self._found])

    def text_of(self, path: str) -> str | None:
        """Return the text of a file that a kustomization names, None where it has none."""
        try:
            return stdio.read_file(path)
        except (InputError, FnError):
            return None

    def _read_text(self, name: str | None, text: str) -> None:
        """Read a text as the filter does."""
        try:
            listed = resourcelist.read(text)
        except ParseError as error:
            # One broken file must not hide what the others say.
            self.results.append(Result(str(error), ERROR, "InvalidInput", file=name or STDIN))
            return
        for result in listed.results:
            result.file = result.file or name
        self.results += listed.results
        self.kustomizations += listed.kustomizations
        said = [] if listed.function_config is None else [listed.function_config]
        for one in (*said, *listed.items):
            # The lines are those of this text, whatever an annotation says.
            one.document.path = name if one.document.has_lines else one.file or name
        self._take(listed.items, said, is_said=listed.kind == RESOURCE_LIST)

    def _read_directory(self, path: str) -> None:
        """Read a directory as `eval` does: `.krmignore` counts, and results name the files left alone."""
        with Folder(path) as directory, folder.naming(path):
            package = files.read(directory)
            for name, reason in package.odd(package.files).items():
                package.leave_alone(name, str(reason), reason.noun)
            # Kptfiles and kustomizations name files by their paths in the directory, as these items have them.
            of_tools = discovery.of_tools(directory, [""], package.items)
        self.results += folder.name_below(path, package.left_alone)
        said = [*filter(None, of_tools)]
        self.kustomizations += package.kustomizations
        # Once for each document: the elements of a List have one.
        for document in {
            id(one.document): one.document for one in (*package.items, *package.kustomizations, *said)
        }.values():
            document.path, document.position = folder.called(path, document.path or ""), None
        self._take(package.items, said, is_said=bool(of_tools))

    def _take(self, items: Iterable[Resource], said: Iterable[Resource], *, is_said: bool) -> None:
        """Take items. Where a functionConfig `is_said`, their ExpandVars are none of this run."""
        self.items += items
        self._said += said
        self._found += [] if is_said else function_configs(items)


def _is_below(path: str, directories: Iterable[str]) -> bool:
    """True if one of `directories` holds the file or directory at `path`."""
    real = os.path.realpath(path)
    return any(real != above and os.path.commonpath([real, above]) == above for above in directories)
