"""A package as a list of resources: a ResourceList for other programs (docs/reference/packages.md, "Packages")."""

from __future__ import annotations

from krm.package import files, wire
from krm.results import FnError
from krm.yamltree import style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.package.files import Package
    from krm.package.folder import Folder

_HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"


def read(directory: Folder, below: Iterable[str] = ("",)) -> Package:
    """Read a directory, or what is at some paths in it, as elements. FnError where one cannot be read.

    A file is left alone if one of its resources cannot be an element.
    """
    package = files.read(directory, below)
    for path, file in [*package.files.items()]:
        try:
            package.elements |= {id(one): wire.element(one) for one in file.resources.values()}
        except FnError as error:
            package.leave_alone(path, error.results[0].message, files.NOT_YAML)
    package.left_alone.sort(key=lambda result: result.file or "")
    return package


def text(package: Package, function_config: str = "") -> Iterator[str]:
    """Yield the ResourceList of a package, in pieces; `function_config` is a mapping in block style at column 0."""
    yield _HEAD
    yield "items:\n" if package.elements else "items: []\n"
    yield from package.elements.values()
    if function_config:
        yield "functionConfig:\n"
        yield "\n".join(style.indented(function_config.split("\n"), 2))
