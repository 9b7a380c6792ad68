"""The references that the kustomizations of a package expand, and the files of their generators.

docs/reference/expansion.md, "What is reported". kustomize expands the names of `vars` in all that it builds with them,
and writes the fields that `replacements` name. Nobody expands a file that a generator names: it comes as it is.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from expand_vars.expansion import findings, left_alone
from krm import syntax
from krm.resource import KUSTOMIZATIONS, Resource
from krm.results import ERROR, Result, locate
from krm.yamltree import parser, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterable, Iterator, Mapping
    from typing import Any, TypeAlias, TypeVar

    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.package.files import Package, PackagePart
    from krm.resourcelist import ResourceList

    T = TypeVar("T")
    RunItems: TypeAlias = Package | PackagePart | ResourceList
    """The items of a run, which come and go, and what they were read from."""

_PATCHES = ("patches", "patchesStrategicMerge", "patchesJson6902")
_BUILT = ("resources", "bases", "components", *_PATCHES, "transformers")
_GENERATORS = (("ConfigMap", "configMapGenerator"), ("Secret", "secretGenerator"))
_STAYS = (
    "`$({})` stays: a file that a generator names is not expanded in place: write the value, or render the package: "
    "`--output DIRECTORY --target All`"
)
_SEVERAL_LINES = (
    "the value of `{}` has several lines, and each line of a file in `envs` is an entry: give it one line, or a file "
    "of its own in `files`"
)


class Kustomize:
    """The kustomizations of a package, which are read when something is asked."""

    def __init__(self, package: RunItems) -> None:
        self._package = package
        self.file_objects: list[Resource] = []
        self._found: dict[str, Resource | None] = {}
        self._builds: dict[str, _Build] = {}
        self._found_around: dict[str, list[_Build]] = {}

    def expands(self, name: str, item: Resource, place: Place) -> str:
        """Return a clause that says what expands a name when an item is built; "" if nothing does."""
        for build in self._around(posixpath.dirname(item.file or "")):
            if item.file in build.files:
                if name in build.names:
                    return f"`vars` of {self._called(build.names[name])} define it, and kustomize expands it"
                if build.replaces(item, place):
                    return f"`replacements` below {self._called(build.top)} write this field"
        return ""

    def file_results(self, declared: Collection[str], severity: str) -> Iterator[Result]:
        """Yield a result for each declared name in a file that a generator names, at its first line there."""
        made = {one.file for one in self.file_objects}
        for path in dict.fromkeys(path for path, *_ in self._generated_from() if path not in made):
            text = self._package.text_of(path) or ""
            if not left_alone.is_script(path, text):
                for name, line in _first_lines(text, declared):
                    yield _result_in(path, line, _STAYS.format(name), severity, findings.UNTARGETED_REFERENCE)

    def broken_entries(self, path: str, text: str, values: Mapping[str, str]) -> Iterator[Result]:
        """Yield an error for each value of several lines in a file of entries."""
        several = [name for name, value in values.items() if "\n" in value]
        if several and path in self._env_files:
            for name, line in _first_lines(text, several):
                yield _result_in(path, line, _SEVERAL_LINES.format(name), ERROR, findings.UNFIT_VALUE)

    def bare(self, items: Iterable[Resource]) -> list[Resource]:
        """Return the kustomizations that say no `kind`, so that they are no items."""
        listed = {*map(id, items)}
        return [one for one in self._kustomizations.values() if id(one) not in listed]

    @property
    def patches(self) -> Iterator[str]:
        """The files that kustomizations name as patches."""
        return (path for one in self._kustomizations.values() for path in self._named(one, _PATCHES))

    @property
    def has_files(self) -> bool:
        """True if a generator names a file."""
        return any(self._generated_from())

    def make(self, config: Config) -> list[Resource]:
        """Return the object of each file that a generator names and `All` selects, with the path of the file."""
        found: dict[str, Resource] = {}
        for path, key, kind, generator, _ in self._generated_from():
            text = self._package.text_of(path)
            if text is not None:
                found[path] = _file_object(path, text, key, kind, generator)
        taken = (one for one in found.values() if left_alone.is_of_all(one, config))
        self.file_objects = [one for one in taken if not left_alone.why(one, config)]
        return self.file_objects

    @cached_property
    def _env_files(self) -> set[str]:
        return {path for path, *_, is_env in self._generated_from() if is_env}

    @cached_property
    def _kustomizations(self) -> dict[str, Resource]:
        return {posixpath.dirname(one.file or ""): one for one in self._package.kustomizations if one.is_readable}

    def at(self, directory: str) -> Resource | None:
        """Return the kustomization in a directory, None without one that can be read."""
        if directory not in self._found:
            self._found[directory] = self._read(directory)
        return self._found[directory]

    def _read(self, directory: str) -> Resource | None:
        named = (posixpath.join(directory, name) for name in KUSTOMIZATIONS if directory not in self._kustomizations)
        for path, text in ((path, self._package.text_of(path)) for path in named):
            if text is not None:
                found = Resource.alone(text, path)
                found.path = path
                return found if found.is_readable else None
        return self._kustomizations.get(directory)

    def _around(self, directory: str) -> list[_Build]:
        """Return what the listed kustomizations build, and those in a directory and above it."""
        if directory not in self._found_around:
            tops, above = [*self._kustomizations, directory], posixpath.join(self._package.root, directory)
            while above not in ("", "/"):
                above = posixpath.dirname(above)
                tops.append(self._below(above, ""))
            around = filter(None, map(self.at, dict.fromkeys(tops)))
            self._found_around[directory] = [self._builds.get(str(top.file)) or self._build(top) for top in around]
        return self._found_around[directory]

    def _build(self, top: Resource) -> _Build:
        build = self._builds[str(top.file)] = _Build(str(top.file))
        waiting = [posixpath.dirname(build.top)]
        while waiting:
            directory = waiting.pop()
            if directory in build.files:
                continue
            build.files.add(directory)
            kustomization = self.at(directory)
            if kustomization is not None:
                build.files.add(str(kustomization.file))
                build.take(kustomization, self._replacements(kustomization))
                waiting += self._named(kustomization, _BUILT)
        return build

    def _replacements(self, kustomization: Resource) -> list[dict[str, Any]]:
        """Return the replacements of a kustomization, and of the files that it names for them."""
        texts = filter(None, map(self._package.text_of, self._named(kustomization, ["replacements"])))
        found = [scalars.data(root) for text in texts for root in parser.roots(text)]
        inside = [each for one in found for each in (one if isinstance(one, list) else [one])]
        return listed([*listed(kustomization.get(("replacements",)), dict), *inside], dict)

    def _named(self, kustomization: Resource, keys: Iterable[str]) -> Iterator[str]:
        """Yield the paths that lists of a kustomization name."""
        directory = posixpath.dirname(str(kustomization.file))
        return (self._below(directory, named) for key in keys for named in named_in(kustomization, key))

    def _called(self, path: str) -> str:
        return posixpath.relpath(posixpath.join(self._package.root, path))

    def _below(self, directory: str, named: str) -> str:
        """Return the path of what is named in a directory; that of the top is empty."""
        path = posixpath.relpath(posixpath.join(self._package.root, directory, named), self._package.root)
        return "" if path == "." else path

    def _generated_from(self) -> Iterator[tuple[str, str, str, dict[str, Any], bool]]:
        """Yield the files that generators name, each with its key, and the kind and the entry of the generator.

        The last part is True if the file has a line for each entry.
        """
        for directory, kustomization in self._kustomizations.items():
            found = ((kind, kustomization.get((key,))) for kind, key in _GENERATORS)
            for kind, generator in ((kind, one) for kind, value in found for one in listed(value, dict)):
                files, envs = (listed(generator.get(key), str) for key in ("files", "envs"))
                envs += listed([generator.get("env")], str)
                for one, is_env in [*((one, False) for one in files), *((one, True) for one in envs)]:
                    # A file may have a key of its own in front: `app.yaml=files/app.prod.yaml`.
                    key, _, path = one.rpartition("=")
                    yield self._below(directory, path), key or posixpath.basename(path), kind, generator, is_env


class _Build:
    """The `files` that one build reads, the `names` of all of its `vars`, and the targets of its replacements.

    The `vars` of a base count for all that is built on it.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.files: set[str] = set()
        self.names: dict[str, str] = {}
        self._targets: list[tuple[dict[str, Any], list[str]]] = []

    def take(self, kustomization: Resource, replacements: Iterable[dict[str, Any]]) -> None:
        """Add a kustomization with its replacements to the build."""
        declared = listed(kustomization.get(("vars",)), dict)
        self.names |= {str(one.get("name")): str(kustomization.file) for one in declared}
        for replacement in replacements:
            for target in listed(replacement.get("targets"), dict):
                select = target.get("select")
                paths = listed(target.get("fieldPaths"), str)
                self._targets.append((select if isinstance(select, dict) else {}, paths))

    def replaces(self, item: Resource, place: Place) -> bool:
        """True if a target of a replacement leads to a field of an item."""
        about = {"kind": item.kind, "name": item.name}
        targets = (one for one in self._targets if about == {key: one[0].get(key, text) for key, text in about.items()})
        return any(_leads(_keys(path), place) for _, paths in targets for path in paths)


def _first_lines(text: str, names: Container[str]) -> Iterable[tuple[str, int]]:
    """Return those of the names that a text refers to, each with its first line there."""
    lines: dict[str, int] = {}
    for token in syntax.tokens(text):
        if token.name is not None and token.name in names:
            lines.setdefault(token.name, text.count("\n", 0, token.start) + 1)
    return lines.items()


def _result_in(path: str, line: int, message: str, severity: str, reason: str) -> Result:
    """Return a result about a line of a file that is no resource."""
    result = Result(message, severity, reason, file=path)
    locate(result, lambda _: (line, 1))
    return result


def _file_object(path: str, text: str, key: str, kind: str, generator: dict[str, Any]) -> Resource:
    """Return the object that a generator makes of a file."""
    import json  # noqa: PLC0415 - most runs take no file of a generator

    metadata = {name: generator[name] for name in ("name", "namespace") if name in generator}
    head = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
    whole = json.dumps(head | {"data" if kind == "ConfigMap" else "stringData": {key: text}})
    made = Resource.alone(whole, path, json=True)
    made.path = path
    return made


def _leads(path: list[str], place: Place) -> bool:
    """True if a path of kustomize leads to a place: `*` and `[key=value]` are any element."""
    pairs = zip(path, place, strict=False)
    return len(path) == len(place) and all(key in ("*", str(step)) or "=" in key for key, step in pairs)


def _keys(path: str) -> list[str]:
    """Return the keys of a path of kustomize: there are dots between them, or brackets around them."""
    first, *rest = path.replace("\\.", "\0").split("[")
    keys = first.split(".")
    for one in rest:
        key, _, below = one.partition("]")
        keys += [key, *below.split(".")]
    return [key.replace("\0", ".") for key in keys if key]


def named_in(kustomization: Resource, key: str) -> list[str]:
    """Return the files and directories that a list of a kustomization names."""
    found = kustomization.get((key,))
    return listed(found, str) + listed([one.get("path") for one in listed(found, dict)], str)


def listed(value: object, of: type[T]) -> list[T]:
    """Return the elements of one type in a list of a kustomization, none of anything else."""
    return [one for one in value if isinstance(one, of)] if isinstance(value, list) else []
