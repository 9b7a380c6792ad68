"""The functionConfig of a directory (docs/reference/functionconfig.md, "Which one a run takes").

A Kptfile names it in its pipeline, a kustomization among its transformers; else it is the ExpandVars in the
nearest directory at or above a manifest.
"""

from __future__ import annotations

import os
import posixpath
import shlex

from expand_vars.expansion.findings import NO_EFFECT, NO_FUNCTION_CONFIG
from expand_vars.expansion.kustomize import Kustomize, listed
from expand_vars.functionconfig import is_config
from krm.commands.options import STDIN
from krm.package.files import PackagePart
from krm.package.folder import called
from krm.package.paths import folders_above
from krm.resource import FUNCTION_INPUT, KPTFILE, Resource
from krm.results import ERROR, FnError, notice
from krm.stdio import InputError
from krm.textslice import holding
from krm.yamltree import scalars, style
from krm.yamltree.nodes import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any

    from krm.fieldpath import Place
    from krm.package.files import Package
    from krm.results import Result

_NAME = "expand-vars"
_INVALID = "InvalidInput"
_STRAYS = (
    "several functionConfigs are there, and none is beside these files or above them, so that they stay as they are: "
    "{}. Name one for all with `--fn-config FILE#NAME`"
)
_ARGUMENTS = "the arguments in `exec` do not count here: put their values into a functionConfig, which all runs take"
_NO_ITEMS = "kustomize gives a generator no resources, so that this expands nothing: name it in `transformers`"
MUTATORS = "pipeline.mutators[*]"
_FUNCTION = ("config.kubernetes.io/function", "config.k8s.io/function")


def parts(tops: Sequence[str], package: Package) -> Iterator[tuple[Package | PackagePart, Resource | None]]:
    """Yield the functionConfigs for the items of the directories `tops`, each behind what it is for.

    The one that kpt or kustomize gives to this function is for all items, and so is a single one. One of several is for
    those of which it is in the nearest directory at or above them. InputError where several could be meant for one.
    """
    package.results += _of_generators(package)
    for find in (_of_kptfile, _of_kustomization):
        found = [one for top in tops for one in find(package, top)]
        # Several of their runs cannot be one run here.
        if len(found) > 1:
            raise InputError(f"this function is run {len(found)} times: choose a functionConfig with --fn-config")
        if found:
            yield package, found[0]
            return
    top = os.path.relpath(package.root)
    folders: dict[str, list[Resource]] = {}
    for config in filter(is_config, package.items):
        folders.setdefault(posixpath.dirname(config.file or ""), []).append(config)
    configs = {folder: one for folder, there in folders.items() if (one := the_only(there, top))}
    if len(configs) <= 1:
        yield package, next(iter(configs.values()), None)
        return
    items, kustomizations = (_by_folder(found, configs) for found in (package.items, package.kustomizations))
    package.results += _in_none(items.get(None, []), top)
    for folder, config in configs.items():
        yield PackagePart(package, items[folder], kustomizations.get(folder, ())), config


def _of_generators(package: Package) -> Iterator[Result]:
    """Yield a warning for each functionConfig that a kustomization has among its generators, and that makes nothing."""
    for one in filter(lambda one: one.is_readable, package.kustomizations):
        for index, entry in enumerate(listed(one.get("generators"), object)):
            configs = of_transformer(str(entry), str(one.file), package.items)
            if any(not config.get("spec.templates") for config in configs):
                yield one.notice(_NO_ITEMS, NO_EFFECT, ("generators", index))


def _by_folder(found: Iterable[Resource], folders: Collection[str]) -> dict[str | None, list[Resource]]:
    """Return resources by the nearest of several directories at or above them, None if none of them is."""
    groups: dict[str | None, list[Resource]] = {}
    for one in found:
        above = reversed(("", *folders_above(one.file or "")))
        groups.setdefault(next(filter(folders.__contains__, above), None), []).append(one)
    return groups


def _in_none(items: Sequence[Resource], top: str) -> Iterator[Result]:
    """Yield the warning about files with references that have no functionConfig in a directory at or above them."""
    manifests = (item for item in holding(items, "$(") if item.kind != KPTFILE and not item.is_local_config)
    if strays := sorted({str(item.file) for item in manifests}):
        named = ", ".join(called(top, path) for path in strays)
        yield notice(_STRAYS.format(named), NO_FUNCTION_CONFIG, file=strays[0])


def the_only(found: Sequence[Resource], top: str = "") -> Resource | None:
    """Return the functionConfig that was found below `top`, None without one. InputError for several."""
    if len(found) > 1:
        named = ", ".join(f"`{called(top, item.file or STDIN)}#{item.name}`" for item in found)
        raise InputError(f"there are {len(found)} functionConfigs, choose one with --fn-config: {named}")
    return found[0] if found else None


def _of_kptfile(package: Package, top: str) -> Iterator[Resource | None]:
    """Yield the functionConfig of each entry for this function in the pipeline of a Kptfile, None for one without."""
    for kptfile in _of_file(KPTFILE, posixpath.join(top, KPTFILE), package.items):
        for place, _node in kptfile.find(MUTATORS):
            entry = kptfile.get(place)
            if is_ours(entry):
                if _words(entry)[1:]:
                    package.results.append(kptfile.notice(_ARGUMENTS, NO_EFFECT, (*place, "exec")))
                yield _of_entry(kptfile, place, entry, package.items)


def _of_entry(kptfile: Resource, place: Place, entry: dict[str, Any], items: Sequence[Resource]) -> Resource | None:
    """Return the functionConfig of one entry of a pipeline. FnError where it has none that can be used here."""
    # With these kpt hides items from the function. A run without them would expand too much.
    for key in ("selectors", "exclude"):
        if entry.get(key):
            message = f"`{key}` of a pipeline is not followed here: use `{key}` of the ExpandVars"
            raise FnError(kptfile.result(message, ERROR, _INVALID, (*place, key)))
    if "configPath" in entry:
        return _at(kptfile, (*place, "configPath"), items)
    # kpt makes a ConfigMap of it, in which every value is a string: the text as it is written, and none for a null.
    given = at(kptfile.root, *place, "configMap")
    data = scalars.data(given, lambda one: "" if scalars.is_null(one) else one.value) or {}
    if not isinstance(data, dict) or any(isinstance(value, dict | list) for value in data.values()):
        message = "only a mapping of names to texts is allowed here"
        raise FnError(kptfile.result(message, ERROR, _INVALID, (*place, "configMap")))
    made: Any = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": FUNCTION_INPUT}, "data": data}
    return Resource.alone(style.document(made), str(kptfile.file)) if data else None


def _of_kustomization(package: Package, top: str) -> Iterator[Resource | None]:
    """Yield the transformers of a kustomization that are functionConfigs of this function."""
    found = Kustomize(package).at(top)
    if found is not None:
        for entry in listed(found.get("transformers"), object):
            yield from of_transformer(str(entry), str(found.file), package.items)


def of_transformer(entry: str, path: str, items: Sequence[Resource]) -> Iterator[Resource]:
    """Yield the functionConfigs of this function that an entry of `transformers` in the kustomization at `path` has."""
    # kustomize takes a transformer for YAML if it is no path, and a path has no line break.
    found = [Resource.alone(entry, f"a transformer in {path}")] if "\n" in entry else _of_file(entry, path, items)
    for config in found:
        given = ((key, text) for key in _FUNCTION if (text := config.annotations.get(key)))
        noted = (Resource.alone(text, f"{config.file or path}: `{key}` of {config.ref}") for key, text in given)
        named = ({"image": one.get("container.image"), "exec": one.get("exec.path")} for one in noted)
        if is_config(config) or any(map(is_ours, named)):
            yield config


def is_ours(entry: Any) -> bool:  # noqa: ANN401 - what the author wrote
    """True if an image, by its last part without tag and digest, or a program is called expand-vars."""
    if not isinstance(entry, dict):
        return False
    image = str(entry.get("image") or "").rpartition("/")[2].partition("@")[0].partition(":")[0]
    return image == _NAME or any(posixpath.basename(word) == _NAME for word in _words(entry)[:1])


def _words(entry: dict[str, Any]) -> list[str]:
    """Return the words of `exec`, as kpt splits it: like a shell. A path with blanks is quoted, arguments follow."""
    try:
        return shlex.split(str(entry.get("exec") or ""))
    except ValueError:  # a quote that is not closed: kpt cannot start it, and it is nobody's program
        return []


def _of_file(named: str, path: str, items: Sequence[Resource]) -> list[Resource]:
    """Return the items of the file that the one at `path` names."""
    file = posixpath.normpath(posixpath.join(posixpath.dirname(path), named))
    return [item for item in items if item.file == file]


def _at(kptfile: Resource, place: Place, items: Sequence[Resource]) -> Resource:
    """Return the resource of the file that `configPath`, at `place`, names. FnError where it has none or several."""
    named = kptfile.get(place)
    if not isinstance(named, str):
        raise FnError(kptfile.result("this must be the name of a file", ERROR, _INVALID, place))
    found = _of_file(named, str(kptfile.file), items)
    if len(found) == 1:
        return found[0]
    several = f"has {len(found)} resources: a functionConfig has a file of its own"
    problem = several if found else "is not there, or has no resource: name the file of the functionConfig"
    raise FnError(kptfile.result(f"`{named}` {problem}", ERROR, _INVALID, place))
