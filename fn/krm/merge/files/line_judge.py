"""The judge of a merge by lines, which may be wrong without a conflict (docs/reference/merge.md, "Lines first").

Lines may keep two env entries of one name that were added at two places, or lose a comment of an object that moved to
another file. So beside a merge of ours without a conflict, that by lines may only have other blank lines.

Lines that a text has several times can lead a change into another element. So beside a conflict of ours, the merge by
lines must be the same from below, and have the changes of both sides, each in its own key and element. If it is the
text of one side, or says what one answer to our conflicts says, all that the other side did must be done in it. A
conflict by a rule of the kind stays: a mixture of both sides is wrong, such as a Deployment of type Recreate with a
`rollingUpdate`.
"""

from __future__ import annotations

from collections import Counter
from itertools import product

from krm.merge import text_merge, trees
from krm.merge.lists.likeness import MOST
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, list_elements, placed, resolved, text_at
from krm.yamltree.nodes import Sequence as ListNode
from krm.yamltree.parser import RAISED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence
    from typing import TypeAlias

    from krm.merge.text_merge import Piece
    from krm.yamltree.nodes import Node

    _Parts: TypeAlias = frozenset[Hashable]


def is_right(
    by_lines: str, ours: Sequence[Piece], sides: Sequence[str], *, has_one_value: bool, is_split: bool
) -> bool:
    """True if the merge of three texts by lines is at least as good as `ours`.

    `has_one_value` is true if a conflict of ours is one by a rule of the kind. `is_split` is true if ours keeps what
    one side added to a field that the other side deleted: that field may have another name now.
    """
    update, local = answers = text_merge.answers(ours)
    if local == update and not is_split:
        have_same_lines = _without_blank_lines(by_lines) == _without_blank_lines(local)
        return by_lines == local or (have_same_lines and trees.same_documents(by_lines, local))
    if has_one_value or by_lines != text_merge.from_below(sides):
        return False
    found, *read = map(_Reading, (by_lines, *sides))
    has_done_all = _has_done_all(found, *read)
    if by_lines in sides[1:]:
        return has_done_all
    # Lines lose the deletion of an entry if the other side moved and changed it: then they say what one answer says.
    is_one_side = any(trees.same_documents(by_lines, answer) for answer in answers)
    return (has_done_all or not is_one_side) and _holds_both(found, [*map(_Reading, answers)], read)


def _without_blank_lines(text: str) -> list[str]:
    return [*filter(str.strip, text.splitlines())]


def _has_done_all(found: _Reading, origin: _Reading, update: _Reading, local: _Reading) -> bool:
    """True if a text has each value that a side added, and no value or key that a side took away."""
    for side in (update, local):
        for value in origin.values | side.values:
            before, new, own = (one.values[value] for one in (origin, side, found))
            if new != before and (own < new if new > before else own > new):
                return False
        if not found.fields.keys().isdisjoint(origin.fields.keys() - side.fields.keys()):
            return False
    return True


def _holds_both(found: _Reading, ours: list[_Reading], read: list[_Reading]) -> bool:
    """True if a text has the changes of both sides, even if our merge has a conflict.

    The count of each value must be that of our merge, or `update + local - origin`. This is so if git has joined the
    elements that both sides added to a list, or a rename by one side and a change by the other.
    """
    origin, update, local = read
    made = found.fields.keys() - update.fields.keys() - local.fields.keys()
    # Each side may have added the same key, in two places.
    if any(key[-1] in RAISED for _, path in made for key in path if key):
        return False
    # The places of values do not count: git chooses the order of elements that both sides added.
    for value in found.values | origin.values | update.values | local.values:
        before, new, own = (side.values[value] for side in read)
        if all(found.values[value] == answer.values[value] for answer in ours):
            continue
        # Once or twice may be right if both sides added a value, and each copy if one changed what the other copied.
        if max(new, own) > before != min(new, own) or found.values[value] != new + own - before:
            return False
    return _is_as_agreed(found, ours, origin) and not _mixes_elements(found, *read)


class _Reading:
    """What a reader finds in the documents of a text.

    `values` tells how often it has each value, with its key and its object. A text value counts line by line, without
    its key, which one side may have renamed. `fields` has the data below keys and named elements, any other list as a
    whole. `elements` has the parts of each element of all lists, by its data: the paths in it, one of which a side may
    have renamed, and the values, each with its last key.
    """

    def __init__(self, text: str) -> None:
        self.values: Counter[Hashable] = Counter()
        self.fields: dict[tuple[Hashable, tuple[str, ...]], Hashable] = {}
        self.elements: dict[Hashable, _Parts] = {}
        for root in parser.roots(text, numbers_keys=True):
            # A line means something else in another object.
            name = text_at(root, "kind"), text_at(root, "metadata", "namespace"), text_at(root, "metadata", "name")
            leaves = trees.leaves(root)
            self.values.update((name, one if isinstance(one, str) else (path[-1:], one)) for path, one in leaves)
            self.fields.update({(name, path): trees.frozen(node) for path, node in _fields(root)})
            for _, node in placed(root, ()):
                for kid in node.kids if isinstance(node, ListNode) else ():
                    parts = ({path, (path[-1:], one)} for path, one in trees.leaves(kid))
                    self.elements[trees.frozen(kid)] = frozenset().union(*parts)


def _fields(node: Node | None) -> Iterator[tuple[tuple[str, ...], Node]]:
    """Yield the fields of a value: what stands under its keys, and in its lists under the names of elements."""
    found = resolved(node)
    kids = list_elements(found)
    named = {name: kid for kid in kids if (name := text_at(kid, "name")) is not None}
    is_named = bool(kids) and len(named) == len(kids)
    for name, kid in found.items() if isinstance(found, Mapping) else named.items() if is_named else ():
        yield from (((name, *path), each) for path, each in _fields(kid))
    if found is not None and not (is_named or isinstance(found, Mapping)):
        yield (), found


def _is_as_agreed(found: _Reading, answers: list[_Reading], origin: _Reading) -> bool:
    """True if a text has each field of origin as our merge has it, where that has no conflict: keys are names.

    A key that origin lacks may be another one with a new name.
    """
    merged, update, local = (one.fields for one in (found, *answers))
    return all(merged.get(at) == local[at] for at in origin.fields if local.get(at) == update.get(at) is not None)


def _mixes_elements(*texts: _Reading) -> bool:
    """True if an element of a list is mixed of two others: lines alone lead a change to where an element has been.

    An element that no side has must be made of one that update changed, and of one that local changed. What these two
    have in common is in one element of origin alone, or one side changed all such elements alike. Of very many elements
    nobody looks for the two.
    """
    found, origin, update, local = (one.elements for one in texts)
    sides = [[side[data] for data in side.keys() - origin.keys()] for side in (update, local)]
    made = [found[data] for data in found.keys() - origin.keys() - update.keys() - local.keys()]
    pairs = [] if len(made) * len(sides[0]) * len(sides[1]) > MOST else [*product(*sides)]
    return not all(any(_is_made_of(each, pair, origin.values(), sides) for pair in pairs) for each in made)


def _is_made_of(made: _Parts, pair: Sequence[_Parts], origin: Collection[_Parts], sides: list[list[_Parts]]) -> bool:
    """True if an element has parts of the two of a `pair` alone, and the two are one element of origin."""
    times = sum(map((pair[0] & pair[1]).issubset, origin))
    alike = (sum(map((made & one).issubset, side)) for one, side in zip(pair, sides, strict=True))
    return made <= pair[0] | pair[1] and times in alike
