"""Free text: the fields that may hold any text, and which of them the target `All` takes.

docs/reference/expansion.md, "Further fields: targets". A `$(NAME)` there may be somebody else's, so it is expanded only
where somebody asked for that.
"""

from __future__ import annotations

import posixpath
from itertools import pairwise

from expand_vars.functionconfig import GROUP
from krm import fields
from krm.fieldpath import WILDCARD
from krm.resource import BOOKKEEPING, KUSTOMIZATIONS
from krm.selector import is_selected
from krm.workloads import CONTAINERS, has_own_syntax
from krm.yamltree.nodes import Scalar, Sequence, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.workloads import PodSpecs

_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_OF_KUSTOMIZE = "kustomize.config.k8s.io"
_NOT_TAKEN = frozenset((("", "Kptfile"), _DEFINITION))
_GROUPS_NOT_TAKEN = frozenset((GROUP, "kpt.dev", _OF_KUSTOMIZE))
_MAKEFILES = (".mk", "Makefile")
_SCRIPTS = (".sh", ".bash", *_MAKEFILES)
_WORDS = ("args", "command", "env")


def is_taken(resource: Resource, place: Place, pod_specs: PodSpecs) -> bool:
    """True if `All` and `**` take the text at a place. What somebody else reads or expands there they leave."""
    if _is_of_tools(resource) or has_own_syntax(resource) or is_bookkeeping(place) or is_makefile(place):
        return False
    if pod_specs.is_expanded(resource, place) or fields.grammar(resource, place, pod_specs):
        return False
    # A text that no type has there is a mistake, which a value would only hide.
    if not fields.may_be_text(resource, place, pod_specs):
        return False
    return fields.is_kubernetes_own(resource, place, pod_specs) or not _is_in_container(resource, place)


def is_of_all(resource: Resource, config: Config) -> bool:
    """True if a target `All` selects a resource."""
    alls = (target for target in config.targets if target.preset)
    return any(is_selected(resource, target.select, target.reject) for target in alls)


def _is_of_tools(resource: Resource) -> bool:
    """True if tools read an object before anything is applied, or it describes what others may write."""
    is_named = posixpath.basename(resource.file or "") in KUSTOMIZATIONS
    return is_named or resource.group in _GROUPS_NOT_TAKEN or (resource.group, resource.kind) in _NOT_TAKEN


def is_makefile(place: Place) -> bool:
    """True if a text is a Makefile by its key: a `$(NAME)` in it is a variable of make."""
    return str(place[-1]).endswith(_MAKEFILES)


def is_bookkeeping(place: Place) -> bool:
    """True if a field is an annotation in which tools keep their own data."""
    key = place[-1]
    return place[:-1] == ("metadata", "annotations") and isinstance(key, str) and key.startswith(BOOKKEEPING)


def explained(resource: Resource, place: Place, text: str) -> str:
    """Return why a reference in a free text is not this run's, a clause; empty where nothing explains it."""
    key = str(place[-1])
    if resource.group == _OF_KUSTOMIZE:
        return "kustomize puts it as it is into what it builds, where it can be expanded"
    if (resource.group, resource.kind) == _DEFINITION and key == "description":
        return "it describes what others may write"
    return "a script has `$(...)` of its own" if is_script(key, text) else ""


def is_script(name: str, text: str) -> bool:
    """True if a text is a script by its first line, or by the name that it has as a file."""
    return text.startswith("#!") or name.endswith(_SCRIPTS)


def of_kustomize(resource: Resource, pod_specs: PodSpecs) -> list[FieldPath]:
    """Return the free texts among the fields of kustomize's default varReference."""
    paths: list[FieldPath] = [("metadata", "annotations", WILDCARD)]
    if resource.kind == "Deployment":
        paths.append(("spec", "template", "metadata", "annotations", WILDCARD))
    # As api/internal/konfig/builtinpluginconsts of kustomize lists them, for every kind with Pods.
    return paths + [
        (*above, key, WILDCARD, "volumeMounts", WILDCARD, "mountPath")
        for above in pod_specs.paths_of(resource)
        for key in ("containers", "initContainers")
    ]


def _is_in_container(resource: Resource, place: Place) -> bool:
    """True if a place is in a container of a kind that is not known to have any: its own `env` may expand it."""
    if any(step in CONTAINERS and isinstance(below, int) for step, below in pairwise(place)):
        return True
    return any(_is_container(resource, place[:length]) for length in range(1, len(place)))


def _is_container(resource: Resource, place: Place) -> bool:
    node = next((mapping_at(node) for _, node in resource.find(place)), None)
    if node is None or not isinstance(node.get("image"), Scalar):
        return False
    return any(isinstance(node.get(key), Sequence) for key in _WORDS)
