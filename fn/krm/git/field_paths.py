"""The paths of fields by the lines that they are written in: a sentence about a conflict names fields, not lines."""

from __future__ import annotations

from krm import fieldpath
from krm.yamltree import lines, parser
from krm.yamltree.nodes import Collection, Mapping, Sequence
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.yamltree.nodes import Node


def by_line(text: bytes) -> dict[int, str]:
    """Return the path of the outermost field that starts in a line, or has it in its text, by the number of the line.

    ```
    1  spec:                    spec
    2    containers:            spec.containers
    3    - name: web            spec.containers[name=web]
    4      image: web:1         spec.containers[name=web].image
    ```

    Nothing for a text that is no YAML, as of a Helm template.
    """
    found: dict[int, str] = {}
    try:
        source = text.decode()
        documents = parser.parse_all(source)
    except (ParseError, UnicodeDecodeError):
        return found
    for root in (document.root for document in documents if document.root is not None):
        for place, first, last in _below(root, ()):
            path = fieldpath.to_text(fieldpath.named(root, place))
            for number in range(lines.number(source, first), lines.number(source, last) + 1):
                found.setdefault(number, path)
    return found


def _below(node: Node, place: Place) -> Iterator[tuple[Place, int, int]]:
    """Yield what stands in a block collection, the outer one first: its place, and where its lines start and end."""
    if not isinstance(node, Collection) or node.flow:
        return
    parts: list[tuple[str | int, int, Node]]
    if isinstance(node, Mapping):
        parts = [
            (key.value or "", key.start, value) for key, value in zip(node.kids[::2], node.kids[1::2], strict=True)
        ]
    else:
        parts = [(number, kid.start, kid) for number, kid in enumerate(node.kids)]
    for step, start, kid in parts:
        is_block = isinstance(kid, Mapping | Sequence) and not kid.flow
        yield (*place, step), start, start if is_block else max(start, kid.end - 1)
        yield from _below(kid, (*place, step))
