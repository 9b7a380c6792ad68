"""Packages, and the files of new resources in them (docs/reference/generated-resources.md, "Packages").

`kpt fn render` runs the functions of a package also over the items of its subpackages, and notes the package of each
item. Other orchestrators note only the files: there the nearest directory with a Kptfile is the package.
"""

from __future__ import annotations

from krm.resource import FORMS, FUNCTION_INPUT, INDEX, KPTFILE, NUMBERS, PACKAGE, PATH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from krm.resource import Resource
    from krm.results import ResourceRef

# The functionConfig that kpt makes of `-- NAME=VALUE`. Two runs with it have nothing in common.
_NAMELESS = ("ConfigMap", FUNCTION_INPUT)


class Packages:
    """The packages of a run. `root` is the one around all others."""

    def __init__(self, items: Iterable[Resource]) -> None:
        items = [item for item in items if item.may_contain(KPTFILE) or PACKAGE in item.text]
        paths = {item.annotation(PACKAGE) or "" for item in items} - {""}
        kptfiles = (item for item in items if item.kind == KPTFILE)
        files = (item.file for item in kptfiles if item.annotation(PACKAGE) is None)
        self._directories = {file.rpartition("/")[0] for file in files if file is not None}
        # The package that all others are in, if there is one: else it is the directory around them.
        first = min(paths, key=len, default="")
        self.root = first if all(f"{one}/".startswith(f"{first}/") for one in paths) else ""

    def of(self, item: Resource) -> str:
        """Return the package of an item. One without a file, which a function has added, is in the root package."""
        # `kpt fn render` notes it. Then the paths are relative to each package, and do not show it.
        path = item.annotation(PACKAGE)
        if path:
            return path
        directory = item.file
        while directory:
            directory = directory.rpartition("/")[0]
            if directory in self._directories:
                return directory
        return self.root

    def path(self, item: Resource) -> str | None:
        """Return the file of an item, relative to the root package, None if no orchestrator gave it one."""
        inside = (item.annotation(PACKAGE) or "").removeprefix(self.root).lstrip("/")
        return f"{inside}/{item.file}" if inside and item.file is not None else item.file

    def of_config(self, function_config: Resource | None, items: Sequence[Resource]) -> str:
        """Return the package of a functionConfig.

        `kpt fn eval --fn-config` gives no file, but the functionConfig may be among the items. Of several with its name
        it is the uppermost. A functionConfig from outside belongs to the root package.
        """
        if function_config is None:
            return self.root
        if function_config.file is not None or function_config.annotation(PACKAGE) is not None:
            return self.of(function_config)
        # A subpackage may be a copy of this one, with a functionConfig of the same name.
        twins = sorted(map(self.of, configs(items, owner_text(function_config))), key=len)
        return twins[0] if twins else self.root

    def directory(self, package: str) -> str:
        """Return the directory of a package inside of the run, empty for the root.

        It is empty for `kpt fn render`, too: that runs each package by itself, and puts new items into it.
        """
        return package if package != self.root and package in self._directories else ""


def hides_items(items: Iterable[Resource], function_config: Resource | None) -> bool:
    """True if kpt's `selectors` may keep items from this function (docs/reference/generated-resources.md, "Packages").

    kpt numbers items only for a function with selectors. The numbers do not show which items are hidden: those behind
    the last one leave no gap.
    """
    given = (*items, *filter(None, [function_config]))
    return any(item.annotation(key) is not None for item in given for key in NUMBERS)


def configs(items: Iterable[Resource], owner: str) -> list[Resource]:
    """Return the items that are the functionConfig of this name: the same kind, namespace and name.

    A generated item names it only in its mark, as `KIND/...`. So thousands of items are left out without being parsed.
    """
    kind, _, name = owner.partition("/")
    found = []
    for item in items if name else ():
        if item.may_contain(kind) and (
            item.pending is not None or "\\" in item.text or item.text.count(kind) > item.text.count(f"{kind}/")
        ):
            item.cut()
            if owner_text(item) == owner:
                found.append(item)
            item.release()  # many items may have been parsed
    return found


def owner_text(function_config: Resource | ResourceRef) -> str:
    """Return the name by which a functionConfig owns what it generates, empty for one that owns nothing.

    A blank in it would end it in a mark.
    """
    name = function_config.name or ""
    if len(name.split()) != 1 or (function_config.kind, name) == _NAMELESS:
        return ""
    return "/".join(filter(None, (function_config.kind, function_config.namespace, name)))


class NewFile:
    """The file of a new resource. `folder` is the directory of one that names no file itself.

    `chosen` has the file and the index there, if we have to choose them. All is read from the resource at once, so that
    its tree can be released.
    """

    def __init__(self, resource: Resource, folder: str | None) -> None:
        stated, self.index = resource.file, resource.index
        self._is_stated = stated is not None
        self.folder = folder
        self.chosen: tuple[str, int | None] | None = None
        # kpt writes an item without a path to `[NAMESPACE/]KIND_NAME.yaml`. Two items with one such name are an error
        # there, so we have to know it.
        self._name = stated or resource.default_file
        if stated is None and folder is not None:
            name = f"{resource.name}_{resource.kind}.yaml".lower()
            self._name = f"{folder}/{name}" if folder else name

    def file(self, directory: str) -> str:
        """Return the file: in `directory`, if that is not empty and neither the resource nor the folder names one."""
        goes_by_itself = not self._is_stated and self.folder is None
        return f"{directory}/{self._name}" if directory and goes_by_itself else self._name

    def annotations(self, prefixes: Iterable[str]) -> dict[str, str]:
        """Return the annotations with the file and the index, without those that the resource already has."""
        file, index = self.chosen or (None, None)
        values = {PATH: None if self._is_stated else file, INDEX: index if self.index is None else None}
        return {
            f"{prefix}{key}": str(value) for key, value in values.items() if value is not None for prefix in prefixes
        }


def choose_files(new: Iterable[NewFile], directory: str, items: Iterable[Resource]) -> None:
    """Give new resources a file beside the `items`, if the orchestrator would choose a wrong one.

    `directory` is that of the package, empty if an orchestrator puts new items there anyway.
    """
    files: dict[str, list[NewFile]] = {}
    for one in new:
        files.setdefault(one.file(directory), []).append(one)
    # The last index in each file of several, as kpt refuses two items with one index.
    last: dict[str | None, int] = {file: -1 for file, together in files.items() if len(together) > 1}
    for item in items if last else ():
        if item.file in last:
            last[item.file] = max(last[item.file], item.index or 0)
    # If the orchestrator's choice is right, it chooses: a path of ours would be one more thing to keep true.
    for file, together in files.items():
        for index, one in enumerate(together, last.get(file, 0) + 1):
            if one.folder is not None or directory or file in last:
                one.chosen = file, index if file in last else None


def prefixes(items: Iterable[Resource], function_config: Resource | None) -> list[str]:
    """Return the prefixes of the annotations in which the items have their files, none if they have no files.

    Without items the functionConfig is asked, in which kpt has such annotations, too.
    """
    # kpt writes both forms, so a path in one of them alone would contradict the other.
    for item in (*items, *filter(None, [function_config])):
        if FORMS[-1] in item.source:
            forms = [form for form in FORMS if any(item.annotation(f"{form}{key}") for key in (PATH, INDEX))]
            if forms:
                return forms
    return []
