"""What the kustomizations of a package expand by themselves, and the files that they make ConfigMaps and Secrets of.

docs/expansion.md, "What is reported". kustomize expands the names of `vars` in all that it builds with them, and writes
the fields that `replacements` name. Nobody expands a file that a generator names: it comes as it is.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

from expand_vars.expansion import findings, free_text
from krm import syntax
from krm.results import FnError, Result, locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from typing import Any, Protocol

    from krm.fieldpath import Place
    from krm.generation.settings import Listed
    from krm.resource import Resource

    class Package(Protocol):
        """What has kustomizations, and can read the files that these name."""

        @property
        def kustomizations(self) -> Iterable[Resource]:
            """The kustomizations, those among them that say no `kind`, too."""

        def text_of(self, path: str) -> str | None:
            """Return the text of a file, None where it has none."""

    class Read(Package, Protocol):
        """The items that are explained, what they were read from, and the results of that."""

        results: list[Result]

        @property
        def items(self) -> Sequence[Resource]:
            """The items."""

    class Listing(Listed, Package, Protocol):
        """The items of a run, which come and go, and what they were read from."""


_BUILT = ("resources", "bases", "components", "patchesStrategicMerge", "patches", "patchesJson6902", "transformers")
_GENERATORS = ("configMapGenerator", "secretGenerator")
_STAYS = "`$({})` stays: a file that a generator names is not expanded: put it into a manifest, or write the value"


class Kustomize:
    """The kustomizations of a package, which are read when something is asked."""

    def __init__(self, package: Package) -> None:
        self._package = package

    def expands(self, name: str, item: Resource, place: Place) -> str:
        """Return what expands a name where an item is built, a clause; empty where nothing does."""
        for build in self._builds:
            if item.file in build.files:
                if name in build.names:
                    return f"`vars` of {build.names[name]} define it, and kustomize expands it"
                if build.replaces(item, place):
                    return f"`replacements` below {build.top} write this field"
        return ""

    def left(self, declared: Collection[str], severity: str) -> Iterator[Result]:
        """Yield a result for each declared name in a file that a generator names, at its first line there."""
        for path in dict.fromkeys(self._generated_from()):
            text = self._package.text_of(path) or ""
            if free_text.is_script(path, text):
                continue
            lines: dict[str, int] = {}
            for token in syntax.tokens(text):
                if token.name is not None and token.name in declared:
                    lines.setdefault(token.name, text.count("\n", 0, token.start) + 1)
            for name, line in lines.items():
                result = Result(_STAYS.format(name), severity, findings.UNTARGETED_REFERENCE, file=path)
                locate(result, lambda _, line=line: line)  # type: ignore[misc]  # the default binds it
                yield result

    @cached_property
    def _kustomizations(self) -> dict[str, Resource]:
        return {posixpath.dirname(one.file or ""): one for one in self._package.kustomizations if _is_read(one)}

    @cached_property
    def _builds(self) -> list[_Build]:
        return [self._build(directory) for directory in self._kustomizations]

    def _build(self, top: str) -> _Build:
        build = _Build(str(self._kustomizations[top].file))
        waiting, seen = [top], {top}
        while waiting:
            directory = waiting.pop()
            kustomization = self._kustomizations[directory]
            build.take(kustomization)
            for path in (_below(directory, named) for key in _BUILT for named in _named(kustomization, key)):
                if path not in self._kustomizations:
                    build.files.add(path)
                elif path not in seen:
                    seen.add(path)
                    waiting.append(path)
        return build

    def _generated_from(self) -> Iterator[str]:
        """Yield the files that generators name."""
        for directory, kustomization in self._kustomizations.items():
            for generator in (one for key in _GENERATORS for one in _mappings(kustomization, key)):
                named = [*_texts(generator.get("files")), *_texts(generator.get("envs"))]
                # A file may have a key of its own in front: `app.yaml=files/app.prod.yaml`.
                yield from (
                    _below(directory, one.rpartition("=")[2]) for one in [*named, *_texts([generator.get("env")])]
                )


class _Build:
    """The `files` that one build reads, the `names` of all of its `vars`, and the targets of its replacements.

    The `vars` of a base count for all that is built on it.
    """

    def __init__(self, top: str) -> None:
        self.top = top
        self.files: set[str] = set()
        self.names: dict[str, str] = {}
        self._targets: list[tuple[dict[str, Any], list[str]]] = []

    def take(self, kustomization: Resource) -> None:
        """Take what a kustomization of the build says."""
        self.names |= {str(one.get("name")): str(kustomization.file) for one in _mappings(kustomization, "vars")}
        for replacement in _mappings(kustomization, "replacements"):
            targets = replacement.get("targets")
            for target in targets if isinstance(targets, list) else ():
                self._targets.append((target.get("select") or {}, _texts(target.get("fieldPaths"))))

    def replaces(self, item: Resource, place: Place) -> bool:
        """True if a target of a replacement leads to a field of an item."""
        about = {"kind": item.kind, "name": item.name}
        return any(
            all(select.get(key, text) == text for key, text in about.items())
            and any(_leads(_keys(path), place) for path in paths)
            for select, paths in self._targets
        )


def _is_read(kustomization: Resource) -> bool:
    """True if a kustomization can be read. One that cannot is nobody's to fail of."""
    try:
        return kustomization.root is not None
    except FnError:
        return False


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


def _below(directory: str, named: str) -> str:
    """Return the path of what a kustomization names; that of the top is empty."""
    path = posixpath.normpath(posixpath.join(directory, named))
    return "" if path == "." else path


def _named(kustomization: Resource, key: str) -> list[str]:
    """Return the files and directories that a list of a kustomization names."""
    return _texts(kustomization.get((key,))) + _texts([one.get("path") for one in _mappings(kustomization, key)])


def _mappings(kustomization: Resource, key: str) -> list[dict[str, Any]]:
    listed = kustomization.get((key,))
    return [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, dict)]


def _texts(listed: object) -> list[str]:
    return [one for one in (listed if isinstance(listed, list) else ()) if isinstance(one, str)]
