"""Packages: the directories with a Kptfile that the items of a run belong to (docs/generated-resources.md, "Packages").

`kpt fn render` runs a package's functions over the items of its subpackages too, and says of each item which package
it is from. Other orchestrators show the files alone: there the nearest directory with a Kptfile is the package.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from krm.resource import Resource

_PACKAGE_PATH = "internal.config.kubernetes.io/package-path"
_KPTFILE = "Kptfile"


class Packages:
    """The packages of a run. `root` is the one around all others."""

    __slots__ = ("_directories", "root")

    def __init__(self, items: Iterable[Resource]) -> None:
        items = [item for item in items if item.may_contain(_KPTFILE) or _PACKAGE_PATH in item.text]
        paths = {item.annotations.get(_PACKAGE_PATH, "") for item in items} - {""}
        kptfiles = (item for item in items if item.kind == _KPTFILE)
        files = (item.file for item in kptfiles if _PACKAGE_PATH not in item.annotations)
        directories = {file.rpartition("/")[0] for file in files if file is not None}
        self._directories = sorted(directories, key=len, reverse=True)
        self.root = _around(paths or directories)

    def of(self, item: Resource) -> str:
        """Return the package of an item. One without a file, which a function has added, is in the root package."""
        path = item.annotations.get(_PACKAGE_PATH)
        if path:
            return path
        file = item.file
        if file is None:
            return self.root
        return next((one for one in self._directories if not one or file.startswith(f"{one}/")), self.root)

    def of_config(self, function_config: Resource | None, items: Sequence[Resource]) -> str:
        """Return the package of a functionConfig.

        `kpt fn eval --fn-config` names no file, but the functionConfig may be among the items: of several that are
        called the same it is the uppermost. One from outside belongs to the root package.
        """
        if function_config is None:
            return self.root
        if function_config.file is not None or _PACKAGE_PATH in function_config.annotations:
            return self.of(function_config)
        twins = sorted(map(self.of, same_configs(function_config, items)), key=len)
        return twins[0] if twins else self.root


def same_configs(function_config: Resource, items: Iterable[Resource]) -> list[Resource]:
    """Return the items that are this functionConfig, by apiVersion, kind, namespace and name."""
    name, ref = function_config.name, function_config.ref.as_data()
    return [item for item in items if name and item.may_contain(name) and item.ref.as_data() == ref]


def _around(packages: Collection[str]) -> str:
    """Return the package that all others are in, empty where none is: then it is the directory around them."""
    first = min(packages, key=len, default="")
    return first if all(f"{one}/".startswith(f"{first}/") for one in packages) else ""
