"""The merge of an object by lines, where that says what its merge by fields wants (docs/merge.md, "Lines first").

Comments, blank lines, quotes and order are then as git leaves them.
"""

from __future__ import annotations

from krm.merge import text, trees
from krm.merge.trees import Tree
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft, uncommented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence as Listed

    from krm.merge.outcome import Merged
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target


class WholeText:
    """The target of an object that is all of its text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def merged(texts: Listed[str], update: Tree, local: Tree, by_fields: Merged) -> WholeText | None:
    """Return the merge of three texts of an object by lines, None where it is not clean or says something else."""
    if by_fields.conflicts or by_fields.fields is None:
        return None
    # Line ends and the lines that part documents are the file's, and not this object's alone.
    if len({"\r" in each for each in texts}) > 1 or any("\n---" in f"\n{each}" for each in texts):
        return None
    origin, new, own = texts
    lines = text.merged(origin, new, own, winner="local")
    if lines.is_conflict or lines.text == own:
        return None
    try:
        tree = update if lines.text == new else Tree(lines.text, parser.parse(lines.text).root)
    except ParseError:
        return None
    return WholeText(lines.text) if _says(local.text, by_fields.fields, tree, tree.root) else None


def _says(source: str, wanted: Target, tree: Tree, node: Node | None) -> bool:
    """Return True if a node of the merge by lines is what is wanted there. Nodes in `wanted` are of `source`."""
    bare = uncommented(wanted)
    if isinstance(bare, Graft):
        return _says(bare.text, bare.amended or bare.node, tree, node)
    if isinstance(bare, AmendedMapping):
        return isinstance(node, Mapping) and _has_entries(source, bare, tree, node)
    if isinstance(bare, AmendedSequence):
        kids = node.kids if isinstance(node, Sequence) and node.tag == bare.node.tag else ()
        return len(bare.elements) == len(kids) and all(
            _says(source, element, tree, kid) for element, kid in zip(bare.elements, kids, strict=True)
        )
    if isinstance(bare, str):
        return isinstance(node, Scalar) and trees.typed(node) == (str, bare)
    return trees.same_by_name(Tree(source, None), bare, tree, node)  # type: ignore[arg-type]  # else a node


def _has_entries(source: str, wanted: AmendedMapping, tree: Tree, node: Mapping) -> bool:
    found = trees.entries(node)
    return (
        node.tag == wanted.node.tag
        and trees.is_plain(node)
        and found.keys() == wanted.entries.keys()
        and all(_says(source, below, tree, found[key]) for key, below in wanted.entries.items())
    )
