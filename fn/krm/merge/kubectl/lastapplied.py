"""The annotation in which `kubectl apply` keeps what it applied last (docs/reference/merge.md, "Without an origin")."""

from __future__ import annotations

from krm.merge.kubectl import godata
from krm.merge.outcome import Refused
from krm.merge.trees import ANNOTATIONS, Tree
from krm.resource import LAST_APPLIED
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.merge.kubectl.godata import Fields

_PATH = (*ANNOTATIONS, LAST_APPLIED)


def origin(local: Tree) -> Tree:
    """Return what was applied last by what local says of it, a tree without a root where it says nothing."""
    written = at(local.root, *_PATH)
    if written is None:
        return Tree("", None)
    text = written.value or ""
    try:
        root = parser.parse(text).root
    except parser.ParseError:
        root = None
    if not isinstance(root, Mapping):
        raise Refused(_PATH, "this is no JSON object: take the annotation away, or apply the object again", local)
    return Tree(text, root)


def authored(origin: Tree, update: Tree) -> Tree:
    """Return what was applied last as its author wrote it, for a merge with `update`.

    kubectl adds annotations, if none, and the namespace that it applies to: no author of update took those away.
    """
    applied = godata.data(origin.root)
    metadata = applied.get("metadata")
    if not isinstance(metadata, dict):
        return origin
    if metadata.get("annotations") == {}:
        del metadata["annotations"]
    if at(update.root, "metadata", "namespace") is None:
        metadata.pop("namespace", None)
    text = godata.json(applied)
    return Tree(text, parser.parse(text).root)


def text(applied: Fields, before: Fields) -> str:
    """Return the annotation for what is applied now, byte for byte as kubectl writes it.

    An object that is in no namespace was applied to one: that is the one to be kept.
    """
    namespace = {key: value for key, value in before["metadata"].items() if key == "namespace"}
    applied = {**applied, "metadata": {**namespace, **applied["metadata"]}}
    return f"{godata.json(applied)}\n"
