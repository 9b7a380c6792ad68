"""The judge of a merge by lines: it may be wrong though it has no conflict, and right where our merge has one.

Lines may keep two env entries of one name that were added at two places, or lose a comment of an object that moved to
another file. So beside a merge of ours without a conflict, that by lines must have the same data and comments.

Lines that a text has several times can lead a change into another element. So beside a conflict of ours, the merge by
lines must be the same from below, and have the changes of both sides, each in its own key and element. A conflict by a
rule of the kind stays: a mixture of both sides is wrong, such as a Deployment of type Recreate with a `rollingUpdate`.
"""

from __future__ import annotations

from collections import Counter
from itertools import product, zip_longest

from krm.file import holds_more
from krm.merge import text_merge, trees
from krm.merge.lines.line_walk import spelled_comments
from krm.merge.lists.pairing import MOST
from krm.yamltree.cuts import document_spans
from krm.yamltree.nodes import Mapping, placed, text_at
from krm.yamltree.nodes import Sequence as ListNode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from krm.merge.text_merge import Piece
    from krm.yamltree.nodes import Node


def is_right(by_lines: str, ours: Sequence[Piece], sides: Sequence[str], *, has_one_value: bool) -> bool:
    """True if the merge of three texts by lines is at least as good as `ours`, which has a conflict, say.

    `has_one_value` is true if a conflict is one by a rule of the kind.
    """
    local, update = answers = text_merge.answers(ours)
    if local == update:
        return by_lines == local or _says_all(by_lines, local, sides[0])
    return not has_one_value and by_lines == text_merge.from_below(sides) and _holds_both(by_lines, answers, sides)


def _says_all(there: str, wanted: str, origin: str) -> bool:
    """True if a text has the documents of `wanted`, each with all its comments that origin does not have."""
    known = spelled_comments(origin)
    sides = map(_comments, (wanted, there))
    are_there = (some <= others | known for some, others in zip_longest(*sides, fillvalue=Counter()))
    return all(are_there) and trees.same_documents(there, wanted)


def _comments(text: str) -> Iterator[Counter[tuple[str, str]]]:
    """Yield the comments of each document that has more than these, with those above it."""
    waiting: Counter[tuple[str, str]] = Counter()
    for span in document_spans(text):
        part = text[slice(*span)]
        waiting += spelled_comments(part)
        if holds_more(part):
            yield waiting
            waiting = Counter()
    yield waiting


def _holds_both(merged: str, answers: Sequence[str], sides: Sequence[str]) -> bool:
    """True if a text has the changes of both sides, even if our merge has a conflict.

    The count of each value must be that of our merge, or `update + local - origin`. This is so if git has joined the
    elements that both sides added to a list, or a rename by one side and a change by the other.
    """
    found, *ours = map(_values, (merged, *answers))
    origin, update, local = map(_values, sides)
    # The places of values do not count: git chooses the order of elements that both sides added.
    for value in found | origin | update | local:
        before, new, own = origin[value], update[value], local[value]
        if all(found[value] == answer[value] for answer in ours):
            continue
        # If both sides added a value, once or twice may be right.
        if min(new, own) > before or found[value] != new + own - before:
            return False
    return _is_as_agreed(merged, answers, sides[0]) and not _mixes_elements(merged, sides)


def _is_as_agreed(merged: str, answers: Sequence[str], origin: str) -> bool:
    """True if a text has each field of origin as our merge has it, where that has no conflict: keys are names.

    A key that origin lacks may be another one with a new name.
    """
    found, local, update = map(_fields, (merged, *answers))
    return all(found.get(at) == local[at] for at in _fields(origin) if local.get(at) == update.get(at) is not None)


def _fields(text: str) -> dict[Hashable, Hashable]:
    """Return the fields of a text by their keys, each list as a whole."""
    below = ((_named(root), place, node) for root in trees.roots(text) for place, node in placed(root, ()))
    named = ((name, place, node) for name, place, node in below if all(isinstance(key, str) for key in place))
    return {(name, place): trees.frozen(node) for name, place, node in named if not isinstance(node, Mapping)}


def _mixes_elements(merged: str, sides: Sequence[str]) -> bool:
    """True if an element of a list is mixed of two others: lines alone lead a change to where an element has been.

    An element that no side has must be made of one that update changed, and of one that local changed. Of very many
    elements nobody looks for these two.
    """
    found, origin, update, local = map(_elements, (merged, *sides))
    new, own = ([side[data] for data in side.keys() - origin.keys()] for side in (update, local))
    made = found.keys() - origin.keys() - update.keys() - local.keys()
    is_long = len(made) * len(new) * len(own) > MOST
    return is_long or not all(any(found[data] <= one | other for one, other in product(new, own)) for data in made)


def _elements(text: str) -> dict[Hashable, frozenset[Hashable]]:
    """Return the elements of all lists in a text, by their data, each with its leaves."""
    below = (node for root in trees.roots(text) for _, node in placed(root, ()) if isinstance(node, ListNode))
    return {trees.frozen(kid): frozenset(trees.leaves(kid)) for node in below for kid in node.kids}


def _values(text: str) -> Counter[Hashable]:
    """Return how often a text has each value, with its key and its object. A text value counts line by line."""
    found = ((_named(root), leaf) for root in trees.roots(text) for leaf in trees.leaves(root))
    # The lines of a text are counted without its key, which one side may have renamed.
    return Counter((name, leaf[1] if isinstance(leaf[1], str) else (leaf[0][-1:], leaf[1])) for name, leaf in found)


def _named(root: Node | None) -> Hashable:
    """Return kind, namespace and name of an object: a line means something else in another object."""
    return text_at(root, "kind"), text_at(root, "metadata", "namespace"), text_at(root, "metadata", "name")
