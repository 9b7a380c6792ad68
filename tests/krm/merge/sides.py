"""The sides of a merge from text, and what a merge wants as data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from krm import fieldpath
from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds.schema import Definitions, Schema
from krm.merge.policy import Policy
from krm.merge.trees import Tree
from krm.merge.value_walk import merge_values
from krm.resource import Resource
from krm.results import CONFLICT
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Alias, Mapping, Scalar, Sequence
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, without_place

if TYPE_CHECKING:
    from krm.merge.outcome import Merged
    from krm.yamltree.target import Target

DEPLOYMENT = Schema("apps", "v1", "Deployment")
CUSTOM = Schema("example.com", "v1", "Widget")


def declared(properties: str) -> Definitions:
    """Return the definition of a Widget whose fields have these properties, as YAML."""
    fields = "".join(f"          {line}\n" for line in properties.splitlines())
    text = (
        "spec:\n  group: example.com\n  names: {kind: Widget}\n  versions:\n  - name: v1\n    schema:\n"
        f"      openAPIV3Schema:\n        properties:\n{fields}"
    )
    return Definitions([Resource(text, (0, len(text)), "crd.yaml")])


def tree(text: str | None) -> Tree:
    return Tree("", None) if text is None else Tree(text, parser.parse(text).root)


def merged(
    origin: str | None, update: str | None, local: str | None, *, schema: Schema = CUSTOM, policy: Policy | None = None
) -> Merged:
    """Merge three texts, None where there is none."""
    return merge_values(tree(origin), tree(update), tree(local), schema, policy or Policy())


def written(origin: str, update: str, local: str) -> tuple[str, list[str]]:
    """Return the text that a merge makes of local's, and what it tells; an empty origin is none."""
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    told = [result for result in output.results if result.reason != CONFLICT]
    return output.text, [f"{result.field or ''} {result.message}" for result in told]


def data(wanted: Target) -> Any:
    """Return what is wanted as data, with the order of keys and elements that it has."""
    wanted = without_place(wanted)
    if isinstance(wanted, Graft):
        return data(wanted.node if wanted.amended is None else wanted.amended)
    if isinstance(wanted, AmendedMapping):
        return {key: data(value) for key, value in wanted.entries.items()}
    if isinstance(wanted, AmendedSequence):
        return [data(element) for element in wanted.elements]
    if isinstance(wanted, (Scalar, Alias, Mapping, Sequence)):
        return scalars.data(wanted)
    return wanted


def places(result: Merged) -> list[str]:
    """Return where the conflicts are."""
    return [fieldpath.to_text(conflict.path) for conflict in result.conflicts]
