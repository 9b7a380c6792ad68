"""What is written in a functionConfig, its texts kept: to every reader of YAML they must be the same (decision 13)."""

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
    """A plain scalar that not every reader takes for its text: `1.10`, `0777`, `1e3`, `yes` (decision 13)."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def data(node: Node | None) -> Data:
    """Return what `node` holds, aliases and `<<` seen through, to be judged.

    A scalar is a str, an int or a bool only where all readers and writers of YAML keep its text.
    """
    node = resolved(node)
    if isinstance(node, Mapping):
        return {key: data(value) for key, value in node.items()}
    if isinstance(node, Sequence):
        return [data(element) for element in node.kids]
    return None if node is None else _leaf(node)


def _leaf(scalar: Scalar) -> Leaf:
    text = scalars.string(scalar)
    if text is None and scalar.tag is None and scalar.value.count(".") > 1:
        # A number by the letter of YAML 1.1 only: every reader there is takes `1.2.3` and `10.0.0.1` for strings.
        text = scalar.value
    if text is not None:
        return text
    value = scalars.typed(scalar)
    if value is None or (isinstance(value, int) and written(value) == scalar.value):
        return value
    return Retyped(scalar.value)


def written(value: Leaf) -> str:
    """Return the text of which `data` made a leaf."""
    if isinstance(value, str):
        return value
    return value.text if isinstance(value, Retyped) else scalars.leaf(value, flow=False)


def text(node: Node) -> str | None:
    """Return the text of a scalar, quoted or plain, as it is written; None for one that cannot be seen from here."""
    scalar = resolved(node)
    return None if scalar is None else scalar.value
