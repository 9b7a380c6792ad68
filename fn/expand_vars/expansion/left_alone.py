"""What no run changes, and why: whole items, and free text, which `All` takes (docs/reference/expansion.md).

Free text is in the fields that may hold any text ("Further fields: targets"). A `$(NAME)` there may be somebody else's,
so it is expanded only where somebody asked for that.
"""

from __future__ import annotations

import posixpath
from itertools import pairwise

from expand_vars.functionconfig import GROUP
from krm import fields
from krm.fieldpath import WILDCARD
from krm.generation import DOMAIN, GENERATED_BY
from krm.resource import BOOKKEEPING, KUSTOMIZATIONS
from krm.selector import is_selected
from krm.workloads import CONTAINERS, has_own_syntax
from krm.yamltree.nodes import Mapping, Scalar, Sequence, mapping_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.workloads import PodSpecs

SKIP = f"{GROUP}/skip"
"""The annotation of an item that is not to be touched."""

_GENERATED_BY = f"{DOMAIN}/{GENERATED_BY}"
ANNOTATIONS = ("skip", GENERATED_BY)
"""The annotations of our group that items have."""

_DEFINITION = ("apiextensions.k8s.io", "CustomResourceDefinition")
_OF_KUSTOMIZE = "kustomize.config.k8s.io"
_NOT_TAKEN = frozenset((("", "Kptfile"), _DEFINITION))
_GROUPS_NOT_TAKEN = frozenset((GROUP, "kpt.dev", _OF_KUSTOMIZE))
_MAKEFILES = (".mk", "Makefile")
_SCRIPTS = (".sh", ".bash", *_MAKEFILES)
_WORDS = ("args", "command", "env")


def why(item: Resource, config: Config) -> str:
    """Return why expansion leaves an item alone, a clause about it; empty for an item that it may change."""
    # What configures tools has `$(...)` of its own, and documents that say nothing pass as they are.
    if item.is_state or item.kind == "Kptfile" or item.group == GROUP or not isinstance(item.root, Mapping):
        return "it configures a tool"
    if item.is_local_config:
        return "it is `local-config`"
    return "it is the functionConfig" if is_config(item, config) else why_unselected(item, config)


def why_unselected(item: Resource, config: Config) -> str:
    """Return why expansion and generation leave an item alone though it is of a kind that they change."""
    if item.inherited(SKIP) == "true":
        return f"it has the annotation `{SKIP}`"
    return "" if is_selected(item, config.selectors, config.exclude) else "`selectors` or `exclude` leave it out"


def is_config(item: Resource, config: Config) -> bool:
    """True if an item is the functionConfig of a run."""
    return config.ref is not None and config.ref.kind == item.kind and config.ref.as_data() == item.ref.as_data()


def is_anothers(item: Resource, generated: Collection[int]) -> bool:
    """True if an ExpandVars has generated an item, but not in this run: it takes its variables from that one alone."""
    # So its expanded fields and those in the final form always agree, and an item that is no longer generated stays as
    # it is (docs/reference/runs-in-place.md, "What a name gets").
    if id(item) in generated or not item.may_contain(_GENERATED_BY):
        return False
    item.cut()
    return (item.annotation(_GENERATED_BY) or "").startswith("ExpandVars/")


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
    above = (mapping_at(node) for length in range(1, len(place)) for _, node in resource.find(place[:length]))
    containers = (node for node in above if node is not None and isinstance(node.get("image"), Scalar))
    return any(isinstance(node.get(key), Sequence) for node in containers for key in _WORDS)
