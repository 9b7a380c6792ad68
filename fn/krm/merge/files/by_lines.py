"""Is the merge by lines right? Clean lines are no proof, and what we would ask a person git may have decided well."""

from __future__ import annotations

from collections import Counter

from krm.merge import trees
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from krm.yamltree.nodes import Node


def is_right(merged: str, answers: Sequence[str], sides: Sequence[str], *, has_one_value: bool) -> bool:
    """Return True if git's clean merge of three `sides` is as good as ours, or better.

    `answers` are ours if local's lines are taken at each conflict, and if update's are. Without a conflict git's has to
    say the same: git joins two env entries of one name, added in two places, without a word. Where ours
    `has_one_value` in conflict, lines of both sides are no value: a Deployment of type Recreate with a `rollingUpdate`.
    """
    one, other = answers
    if one == other:
        return merged == one or trees.same_documents(merged, one)
    return not has_one_value and _holds_both(merged, answers, sides)


def _holds_both(merged: str, answers: Sequence[str], sides: Sequence[str]) -> bool:
    """Return True if a text holds the changes of both sides, also where our merge sees a conflict.

    Each value is there as often as our merge has it, or as the changes of both sides ask for: so it is where git put
    the elements that both added to a list, or where one side renamed what the other side changed.
    """
    found, *ours = map(_values, (merged, *answers))
    origin, update, local = map(_values, sides)
    # By numbers, not by places: git puts the elements that both sides added to a list in one order or the other.
    for value in found | origin | update | local:
        before, new, own = origin[value], update[value], local[value]
        if all(found[value] == answer[value] for answer in ours):
            continue
        # What both added may be one thing or two.
        if min(new, own) > before or found[value] != new + own - before:
            return False
    return True


def _values(text: str) -> Counter[Hashable]:
    """Return how often each value is there, with its key and its object; of a text each line."""
    found = ((_named(root), leaf) for root in trees.roots(text) for leaf in trees.leaves(root))
    # A line of a text by itself: one side may have renamed the key of the text.
    return Counter((name, leaf[1] if isinstance(leaf[1], str) else (leaf[0][-1:], leaf[1])) for name, leaf in found)


def _named(root: Node | None) -> Hashable:
    """Return what an object is called: lines that come to another one say something else there."""
    return text_at(root, "kind"), text_at(root, "metadata", "namespace"), text_at(root, "metadata", "name")
