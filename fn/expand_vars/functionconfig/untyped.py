"""A functionConfig as data in which no scalar is re-typed.

`1.10` is a number to one reader of YAML, `0777` an octal one to another, `yes` a boolean to a third. A value that comes
from such a scalar would depend on the orchestrator, so it is kept as `Retyped`, and the schema refuses it.
"""

from __future__ import annotations

from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from krm.yamltree.nodes import Node, Scalar

    Leaf: TypeAlias = "str | int | Retyped | None"
    Data: TypeAlias = "dict[str, Data] | list[Data] | Leaf"


class Retyped:
    """A plain scalar that not every reader takes for its text: `1.10`, `0777`, `1e3`, `yes`."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def read(node: Node | None) -> Data:
    """Return `node` as data, aliases and `<<` followed.

    A scalar is a str, an int or a bool only if every reader and writer of YAML keeps its text.
    """
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: read(value) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [read(element) for element in node.kids]
    return None if node is None else _leaf(node)


def written(value: Leaf) -> str:
    """Return the text from which `read` made a leaf."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Retyped) else scalars.leaf(value, flow=False)


def _leaf(scalar: Scalar) -> Leaf:
    text = scalars.string(scalar)
    if text is not None:
        return text
    value = scalars.typed(scalar)
    if value is None or (isinstance(value, int) and written(value) == scalar.value):
        return value
    return Retyped(scalar.value)
