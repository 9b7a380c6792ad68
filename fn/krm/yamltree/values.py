"""What is wanted as a plain value, for where it cannot come in as it is written: in brackets, in JSON, step by step."""

from __future__ import annotations

from krm.yamltree import scalars, style
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, resolved
from krm.yamltree.scalars import Verbatim
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.yamltree.nodes import Node
    from krm.yamltree.style import Value
    from krm.yamltree.target import Target


def of(wanted: Target, text: str, *, json: bool) -> Value:
    """Return the value of what is wanted in `text`: aliases and merge keys resolved, comments left out.

    ValueError where a tag would be lost, or an anchor or a key cannot be told.
    """
    if isinstance(wanted, Graft):
        return of(wanted.amended or wanted.node, wanted.text, json=json)
    if isinstance(wanted, AmendedMapping):
        return {key: of(of_key, text, json=json) for key, of_key in wanted.entries.items()}
    if isinstance(wanted, AmendedSequence):
        return [of(element, text, json=json) for element in wanted.elements]
    if isinstance(wanted, Scalar | Alias | Collection):
        written = style.as_written(wanted, text)
        return _as_json(wanted) if json else written
    return wanted


def _as_json(node: Node | None) -> Value:
    """Return the value of a node with its numbers as they are written, as far as JSON can have them so."""
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: _as_json(value) for key, value in node.items()}
    if isinstance(node, Collection):
        return [_as_json(kid) for kid in node.kids]
    if not isinstance(node, Scalar) or scalars.string(node) is not None:
        return scalars.string(node)
    return Verbatim(node.value) if scalars.is_json_value(node.value) else scalars.typed(node)
