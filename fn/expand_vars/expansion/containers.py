"""The containers of a workload, and their texts that may have references."""

from __future__ import annotations

import re

from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.workloads import CONTAINERS, is_expanded_below
from krm.yamltree.nodes import Mapping, Scalar, list_elements, mapping_at, placed, resolved
from krm.yamltree.scalars import string, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.workloads import PodSpecs, Workload
    from krm.yamltree.nodes import Node

_SHELLS = frozenset(("sh", "ash", "bash", "dash", "ksh", "zsh"))
# `-c`, also together with other options, as in `sh -euc` and `bash -ecx`.
_SHELL_COMMAND = re.compile(r"-[a-z]*c[a-z]*")


class Pod:
    """A pod of a workload: the workload with the facts of its kind, and the pod's spec with its place."""

    def __init__(self, workload: Resource, facts: Workload, place: Place, spec: Mapping) -> None:
        self.workload = workload
        self.facts = facts
        self.place = place
        self.spec = spec

    @property
    def metadata(self) -> Mapping | None:
        """The metadata of the pod template, or of the Pod itself. None if there is no template.

        Without a template the metadata of the Pods is unknown: the controller makes it from the object.
        """
        is_of_template = self.place[-1:] == ("spec",) and (len(self.place) > 1 or self.workload.kind == "Pod")
        if not is_of_template:
            return None
        return next((mapping_at(node) for _, node in self.workload.find((*self.place[:-1], "metadata"))), None)


class Container:
    """One container. `entries` are the mappings of its `env`, each with its place and its name."""

    def __init__(self, pod: Pod, place: Place, node: Mapping) -> None:
        self.pod = pod
        self.place = place
        self.node = node
        self.name = string_at(node, "name") or str(place[-1])
        elements = map(mapping_at, list_elements(node.get("env")))
        listed = (((*place, "env", index), entry) for index, entry in enumerate(elements))
        # An element that is no mapping is left out, but counts in the indexes, as places in the text do.
        self.entries = [(at, string_at(entry, "name") or "", entry) for at, entry in listed if entry is not None]
        # A controller that puts names in front of `env` writes a new list, with the first entry of each name.
        if pod.facts.in_front:
            self.entries = [*{name: one for one in reversed(self.entries) if (name := one[1])}.values()][::-1]

    def words(self) -> Iterator[str]:
        """Yield the strings of `command` and `args`."""
        return (text for key in ("command", "args") for _, text in self.texts((key, WILDCARD)))

    def texts(self, path: FieldPath) -> Iterator[tuple[Place, str]]:
        """Yield the strings at a path with their places. The kubelet reads none of a mapping in the place of a list."""
        if self.node.get(str(path[0])) is not None:  # most containers have few of these fields
            texts = (((*self.place, *at), string(resolved(node))) for at, node in fieldpath.find(self.node, path))
            yield from ((at, text) for at, text in texts if text is not None and is_expanded_below(at, len(self.place)))


def of_workload(resource: Resource, pod_specs: PodSpecs) -> Iterable[Container]:
    """Return the containers of a workload, none for any other resource."""
    facts = pod_specs.of(resource)
    if facts is None:
        return ()
    found: dict[Place, Container] = {}
    for path in pod_specs.containers.get((resource.group, resource.kind), ()):
        for place, node in (*_mappings(resource, path), *_mappings(resource, (*path, WILDCARD))):
            if pod_specs.container_above(resource, place) == place:
                # The mapping of a container outside a pod spec has all known fields of its pod, too.
                found[place] = Container(Pod(resource, facts, place, node), place, node)
    for path in pod_specs.paths_of(resource):
        for pod in (Pod(resource, facts, place, spec) for place, spec in _mappings(resource, path)):
            found |= {place: Container(pod, place, node) for place, node in _in_pod(pod)}
    return found.values()


def _mappings(resource: Resource, path: FieldPath) -> Iterator[tuple[Place, Mapping]]:
    found = ((place, mapping_at(node)) for place, node in resource.find(path))
    return ((place, node) for place, node in found if node is not None)


def _in_pod(pod: Pod) -> Iterator[tuple[Place, Mapping]]:
    for key in CONTAINERS:
        for index, kid in enumerate(list_elements(pod.spec.get(key))):
            container = mapping_at(kid)
            if container is not None:
                yield (*pod.place, key, index), container


def boolean(node: Node | None) -> bool | None:
    """Return the boolean that kubectl sends for a field, None for anything else: `no` is one, by YAML 1.1."""
    from krm.merge.kubectl import godata  # noqa: PLC0415 - most pods state none

    found = None if node is None else godata.data(node)
    return found if isinstance(found, bool) else None


def starts_shell(words: Iterable[str]) -> bool:
    """True if a command starts a shell with `-c`. Then `$(date)` in it is for that shell."""
    words = [*words]
    shells = [index for index, word in enumerate(words) if word.rpartition("/")[2] in _SHELLS]
    # Without a shell, the entry point of the image may be one. Then `-c` is the first of `args`.
    rest = words[shells[0] + 1 :] if shells else words[:1]
    return any(_SHELL_COMMAND.fullmatch(word) for word in rest)


def referring(resource: Resource) -> Iterator[tuple[Place, Scalar]]:
    """Yield the scalars of an item that have `$(`, with their places."""
    text, root = resource.editor.text, resource.root
    # A branch without `$(` in its text is skipped, unless a backslash may hide it, or an alias may lead to it.
    hides = resource.editor.document.shares or (root is not None and text.find("\\", root.start, root.end) >= 0)
    waiting: list[tuple[Place, Node | None]] = [((), root)]
    while waiting:
        place, node = waiting.pop()
        shown = resolved(node)
        if isinstance(shown, Scalar):
            if "$(" in shown.value:
                yield place, shown
        elif shown is not None:
            kids = shown.items() if isinstance(shown, Mapping) else enumerate(shown.kids)
            waiting += [((*place, key), kid) for key, kid in kids if hides or text.find("$(", kid.start, kid.end) >= 0][
                ::-1
            ]


def scalars(root: Node | None) -> Iterator[tuple[Place, Scalar]]:
    """Yield all scalars of a tree, with their places."""
    return ((at, one) for at, one in placed(root, ()) if isinstance(one, Scalar))
