"""The kustomizations that one build reads: their `vars`, and copies of them that kubectl builds without `vars`.

A copy can also have a probe: a resource into which kustomize writes the value of each variable, and the final name of
the variable's object. Only kustomize knows these: prefixes, hashes and patches of every layer change them.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

from expand_vars.expansion.kustomize import listed, named_in
from expand_vars.functionconfig import API_VERSION
from krm import resourcelist, stdio
from krm.git import repository
from krm.package import paths
from krm.resource import KUSTOMIZATIONS as FILES
from krm.resource import Resource
from krm.stdio import InputError
from krm.vocabulary import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.yamltree.style import PlainData

# What kustomize takes for a repository: it has a scheme, a user at a host, a query, or a known host in front.
_REMOTE = re.compile(r"://|^[\w.-]+@[\w.-]+:|\?(?:ref|version|timeout|submodules)=|^(?:www\.)?git(?:hub|lab)\.com[/:]")
_PROBE = "ExpandVarsProbe"
_BASES = ("resources", "bases", "components")
_PROBE_FILE, _FIELDS_FILE = "expand-vars-probe.yaml", "expand-vars-fields.yaml"


class KustomizeVar:
    """An element of `vars`, with its value in a build, and the final name of its object there."""

    def __init__(self, entry: dict[str, Any]) -> None:
        # kustomize reads `objRef` as `objref`, and null as if it were not there.
        self.entry: dict[str, Any] = json.loads(
            json.dumps(entry), object_pairs_hook=lambda read: {key.lower(): one for key, one in read if one is not None}
        )
        self.name = str(self.entry.get("name", ""))
        self.final_name = ""
        self.value: object = None


class Kustomization:
    """A kustomization file, and the directory that it is in."""

    def __init__(self, directory: str) -> None:
        self.directory = directory
        called = os.path.relpath(directory)
        found = [name for name in FILES if os.path.isfile(os.path.join(directory, name))]
        if not found:
            raise InputError(f"{called}: there is no kustomization here: no file is called {quoted(FILES)}")
        if len(found) > 1:
            raise InputError(f"{called}: {quoted(found, 'and')} are kustomizations: kustomize takes one of a directory")
        self.path = os.path.join(directory, found[0])
        self.resource = Resource.alone(stdio.read_file(self.path), self.path)

    @property
    def variables(self) -> list[KustomizeVar]:
        """The elements of `vars`."""
        return [*map(KustomizeVar, listed(self.resource.get(("vars",)), dict))]

    @property
    def directories(self) -> Iterator[str]:
        """The local directories that this kustomization builds on. A remote base is no directory."""
        return map(os.path.realpath, filter(os.path.isdir, self._paths(*_BASES)))

    @property
    def files(self) -> Iterator[str]:
        """The local files with resources and patches."""
        found = self._paths("resources", "patchesStrategicMerge", "patches")
        return map(os.path.realpath, filter(os.path.isfile, found))

    @property
    def remote(self) -> Iterator[str]:
        """The remote bases, which kubectl fetches: bases with a remote name that are no local file."""
        found = (name for key in _BASES for name in named_in(self.resource, key) if _REMOTE.search(name))
        return (name for name in found if not os.path.exists(os.path.join(self.directory, name)))

    def _paths(self, *keys: str) -> Iterator[str]:
        return (os.path.join(self.directory, name) for key in keys for name in named_in(self.resource, key))

    def add(self, key: str, *elements: PlainData) -> None:
        """Add elements to a list of the kustomization."""
        there: list[Any] = listed(self.resource.get((key,)), object)
        self.resource.set((key,), [*there, *elements])

    def add_probe(self, data: dict[str, str]) -> None:
        """Add the probe, and let kustomize expand the references in its `data`."""
        probe = {"apiVersion": API_VERSION, "kind": _PROBE, "metadata": {"name": "probe"}, "data": data}
        _write(os.path.join(self.directory, _PROBE_FILE), json.dumps(probe))
        fields = {"varReference": [{"kind": _PROBE, "path": "data"}]}
        _write(os.path.join(self.directory, _FIELDS_FILE), json.dumps(fields))
        self.add("resources", _PROBE_FILE)
        self.add("configurations", _FIELDS_FILE)


class Kustomizations:
    """The kustomization in a directory, `top`, and those that it builds on, each once."""

    def __init__(self, directory: str) -> None:
        found: dict[str, Kustomization] = {}
        waiting = [os.path.realpath(directory)]
        while waiting:
            path = waiting.pop()
            found[path] = Kustomization(path)
            waiting += (below for below in found[path].directories if below not in found)
        self.top, *_ = self.all = [*found.values()]
        self.variables = [variable for one in self.all for variable in one.variables]
        self.remote = [(one.path, name) for one in self.all for name in one.remote]

    def without_vars(self, room: str) -> Kustomizations:
        """Copy all kustomizations, without `vars`, into the empty directory `room`, and return the copy."""
        copy = self._copied(room)
        for one in copy.all:
            one.resource.delete(("vars",))
            _write(one.path, one.resource.text)
        return copy

    @property
    def files(self) -> list[str]:
        """The files of all kustomizations. A copy has them in the same order."""
        return [path for one in self.all for path in one.files]

    def with_files(self, room: str, texts: dict[str, str]) -> Kustomizations:
        """Copy all kustomizations into the empty directory `room`, some files with new texts, and return the copy."""
        copy = self._copied(room)
        for path, copied in zip(self.files, copy.files, strict=True):
            if path in texts:
                _write(copied, texts[path])
        return copy

    def build(self) -> str:
        """Return the output of `kubectl kustomize`. InputError if it fails."""
        try:
            done = subprocess.run(["kubectl", "kustomize", self.top.directory], capture_output=True, check=False)  # noqa: S603, S607 - the one that the user has
        except OSError as error:
            raise InputError(f"`kubectl` cannot be started: {error.strerror}") from None
        if done.returncode:
            # The message is behind warnings about deprecated fields, and behind the time that older versions print.
            said = done.stderr.decode(errors="backslashreplace").strip().rpartition("\n")[2].rpartition(" err=")[2]
            said = said.removeprefix("error: ").strip('"')
            raise InputError(f"`kubectl kustomize` fails: {said}")
        return stdio.decoded(done.stdout, "what `kubectl kustomize` prints")

    def probe(self, room: str) -> None:
        """Build a copy with the probe in the empty directory `room`, and set value and final name of each variable."""
        top = self._copied(room)
        # The new entry is in the layer of the variable: there kustomize finds the object by the name in `objref`.
        for one in top.all:
            entries = [{"name": _final(var.name), "objref": var.entry["objref"]} for var in one.variables]
            if entries:
                one.add("vars", *entries)
        names = [name for one in self.variables for name in (one.name, _final(one.name))]
        # The probe is in the top layer, which has every prefix, suffix and hash of the layers below.
        top.top.add_probe({name: f"$({name})" for name in names})
        for one in top.all:
            _write(one.path, one.resource.text)
        (probe,) = (item for item in resourcelist.read(top.build()).items if item.kind == _PROBE)
        for variable in self.variables:
            variable.value = probe.get(("data", variable.name))
            variable.final_name = str(probe.get(("data", _final(variable.name))))

    def _copied(self, room: str) -> Kustomizations:
        """Return a copy of all directories, with the same relative paths."""
        directories = {one.directory for one in self.all}
        base = os.path.commonpath(directories)
        # A directory inside another comes with it.
        for path in (one for one in directories if directories.isdisjoint(paths.folders_above(one))):
            copy = os.path.join(room, os.path.relpath(path, base))
            # Links stay links: kustomize refuses a link that leads out of its root, also in the copy.
            shutil.copytree(path, copy, symlinks=True, dirs_exist_ok=True, ignore=_unread)
        return Kustomizations(os.path.join(room, os.path.relpath(self.top.directory, base)))


def around(directory: str) -> Iterator[str]:
    """Yield the directories with a kustomization in the repository of a directory, or in the directory without one."""
    try:
        top = repository.top(directory)
    except repository.GitError:
        top = directory
    for path, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name != ".git")
        if not {*names}.isdisjoint(FILES):
            yield path


def _unread(folder: str, names: list[str]) -> set[str]:
    """Return the names in a folder that no build reads: git's own, sockets and the like, and what may not be read."""
    there = {name: os.path.join(folder, name) for name in names if name != ".git"}
    usual = (name for name, path in there.items() if os.path.isfile(path) or os.path.isdir(path))
    return {*names} - {name for name in usual if os.access(there[name], os.R_OK)}


def _final(name: str) -> str:
    """Return the name of the variable of the probe whose value is the final name of an object."""
    return f"EXPAND_VARS_FINAL_{name}"


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
