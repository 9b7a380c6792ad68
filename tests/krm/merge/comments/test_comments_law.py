"""The law of comments in a merge: node by node, they follow the base rule as values do.

The texts are drawn, written and read here, line by line: nothing of the code under test tells which comment is whose.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from krm.merge.merge3 import Rules, merge3
from krm.merge.outcome import COMMENT_KEPT
from krm.merge.trees import Tree
from krm.yamltree.editor import Editor
from tests.krm.merge.sides import CUSTOM, tree

if TYPE_CHECKING:
    from collections.abc import Iterable

WORDS = ["# one", "# two", "# kpt-set: ${x}"]
HALF, KEPT = 0.5, 0.8


class Comments(NamedTuple):
    """What is said of a node: lines above it, a comment behind it, lines below it, and lines between blank ones."""

    above: tuple[str, ...] = ()
    behind: str = ""
    below: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


class Node(NamedTuple):
    """A scalar, the entries of a mapping by key, or the elements of a list by name; and its comments."""

    value: Any
    comments: Comments
    is_list: bool = False


def sometimes(rng: Random) -> bool:
    return rng.random() < HALF


def comments(rng: Random) -> Comments:
    above, below = (tuple(rng.choices(WORDS, k=rng.choice((0, 0, 1, 2)))) for _ in range(2))
    apart = rng.choice([(), (), (), ("# A",), ("# B", "# C"), ("# A", "", "# B")])
    return Comments(above, rng.choice(["", *WORDS]), below, apart)


def scalar(rng: Random) -> Node:
    return Node(rng.choice("xyz"), comments(rng))


def node(rng: Random, depth: int) -> Node:
    """Return a scalar, a mapping, or a list of mappings that have a name."""
    kind = rng.randrange(3) if depth else 0
    if kind == 0:
        return scalar(rng)
    if kind == 1:
        below = {key: node(rng, depth - 1) for key in rng.sample("abcd", rng.randint(1, 3))}
        return Node(below, comments(rng))
    elements = {
        name: Node({key: scalar(rng) for key in rng.sample("abcd", rng.randrange(3))}, comments(rng))
        for name in rng.sample("pqr", rng.randint(1, 3))
    }
    return Node(elements, comments(rng), is_list=True)


def varied(rng: Random, of: Node) -> Node:
    """Return what somebody may have made of a node: new comments, other values, entries that come, go and move."""
    said = comments(rng) if sometimes(rng) else of.comments
    if isinstance(of.value, str):
        return Node(rng.choice((of.value, "x")), said)
    kept = {key: varied(rng, entry) for key, entry in of.value.items() if rng.random() < KEPT}
    below = kept or of.value
    if of.is_list and sometimes(rng):
        below = dict(rng.sample([*below.items()], len(below)))
    if sometimes(rng) and not of.is_list:
        new = rng.randrange(len(below) + 1)
        entries = [*below.items()]
        below = dict([*entries[:new], ("new", scalar(rng)), *entries[new:]])
    return Node(below, said, of.is_list)


def triple(seed: int) -> tuple[Node, Node, Node]:
    rng = Random(seed)  # noqa: S311 - for tests
    root = Node({key: node(rng, 2) for key in rng.sample("abcd", rng.randint(1, 3))}, Comments())
    sides = root, varied(rng, root), varied(rng, root)
    return tuple(Node({"kind": Node("X", Comments()), **side.value}, Comments()) for side in sides)  # type: ignore[return-value]


def written(node: Node, column: int = 0) -> list[str]:
    """Return the lines of a mapping, or of a list two columns deeper than its key."""
    found: list[str] = []
    for key, entry in node.value.items():
        margin = " " * column
        above, behind, below, apart = entry.comments
        found += ["", *(margin + line if line else "" for line in apart), ""] if apart else []
        found += [margin + line for line in above]
        if node.is_list:
            # The comment behind an element is the one behind its name: an element has no line of its own.
            found.append(f"{margin}- name: {key}")
            found += written(entry, column + 2)
            found += [margin + " " * 2 + line for line in below]
        else:
            value = f" {entry.value}" if isinstance(entry.value, str) else ""
            found.append(f"{margin}{key}:{value} {behind}".rstrip())
            found += [] if value else written(entry, column + 2)
            found += [margin + " " * 2 + line for line in below]
    return found


def text(root: Node) -> str:
    return "".join(f"{line}\n" for line in written(root))


def read(text: str) -> dict[tuple[str, ...], Comments]:
    """Return the comments in a text, by the keys and names that lead to each node."""
    found: dict[tuple[str, ...], Comments] = {}
    at: list[tuple[int, tuple[str, ...]]] = []  # the nodes that are open, each with its column
    waiting: list[tuple[int, str]] = []
    for line in [*text.splitlines(), "end:"]:
        column = len(line) - len(line.lstrip())
        body = line.lstrip()
        if body.startswith("#") or not body:
            waiting.append((column, body))
            continue
        above: list[str] = []
        while waiting and waiting[-1][1] and waiting[-1][0] == column:
            above.insert(0, waiting.pop()[1])
        # Below the last line of what ends here stand comments that are deeper than it.
        is_below = bool(at) and at[-1][0] >= column
        apart: list[str] = []
        for margin, comment in waiting:
            if comment and margin > column and is_below:
                path = [path for of, path in at if of < margin][-1]
                found[path] = found[path]._replace(below=(*found[path].below, comment))
            elif comment or apart:
                is_below = False
                apart.append(comment)
        while apart and not apart[-1]:
            apart.pop()
        waiting = []
        if body.startswith("- "):
            name, _, behind = body.removeprefix("- name: ").partition(" ")
            key = name
        else:
            key, _, rest = body.partition(":")
            behind = rest[rest.index("#") :] if "#" in rest else ""
        at = [entry for entry in at if entry[0] < column]
        path = (*(at[-1][1] if at else ()), key)
        at.append((column, path))
        found[path] = Comments(tuple(above), behind, (), tuple(apart))
    del found["end",]
    return found


def wanted(origin: Comments, update: Comments, local: Comments) -> Comments:
    """Return the base rule, part by part."""
    parts: Any = zip(origin, update, local, strict=True)
    return Comments(*(new if own == before else own for before, new, own in parts))


def conflicts(origin: Comments, update: Comments, local: Comments) -> set[str]:
    """Return the places of a node that both sides changed, differently."""
    parts = zip(Comments._fields, origin, update, local, strict=True)
    return {name for name, before, new, own in parts if new not in (before, own) and own != before}


def over(comments: Comments) -> Counter[str]:
    """Return the lines over a node, however they are parted."""
    return Counter(filter(None, comments.apart + comments.above))


def is_as_wanted(after: Comments, origin: Comments, update: Comments, local: Comments, *, is_told: bool) -> bool:
    """Return True if each place follows the base rule, or has the changes of both sides line by line."""
    both = conflicts(origin, update, local)
    expected = wanted(origin, update, local)
    if "behind" not in both and after.behind != expected.behind:
        return False
    if after.below != expected.below and not (
        "below" in both and is_sum(*(Counter(one.below) for one in (after, origin, update, local)))
    ):
        return False
    if (after.above, after.apart) == (expected.above, expected.apart):
        return True
    lines = map(over, (after, origin, update, local))
    return bool(both & {"above", "apart"}) and (is_sum(*lines) or (is_told and after[::3] == local[::3]))


def is_sum(after: Counter[str], origin: Counter[str], update: Counter[str], local: Counter[str]) -> bool:
    """Return True if each line is there as often as the changes of both sides ask for."""
    return all(
        after[line] == update[line] + local[line] - origin[line] or update[line] == local[line]
        for line in update + local + origin
    )


def groups(comments: Comments) -> set[tuple[str, ...]]:
    """Return the lines over a node, in the groups that blank lines make of them."""
    apart = "\n".join(comments.apart).split("\n\n")
    return {comments.above, *(tuple(group.splitlines()) for group in apart)} - {()}


def taken(
    origin: dict[tuple[str, ...], Comments], update: Iterable[tuple[str, ...]], local: dict[tuple[str, ...], Comments]
) -> dict[tuple[str, ...], set[tuple[str, ...]]]:
    """Return by collections what stood over something in origin and stands over something of local's own instead."""
    found: dict[tuple[str, ...], set[tuple[str, ...]]] = {}
    for path in local.keys() - origin.keys() - set(update):
        siblings = [other for other in origin if other[:-1] == path[:-1]]
        left = [groups(origin[other]) - groups(local.get(other, Comments())) for other in siblings]
        found.setdefault(path[:-1], set()).update(groups(local[path]) & set().union(*left))
    return found


@given(st.integers(0, 2**64))
@settings(max_examples=max(500, settings().max_examples))
def test_each_comment_follows_the_base_rule(seed: int) -> None:
    """The triples are drawn from a seed: drawn one by one, a hundred of them take as long as a thousand this way."""
    origin, update, local = map(text, triple(seed))
    editor = Editor(local)
    merged = merge3(tree(origin), tree(update), Tree(local, editor.document.root), Rules(CUSTOM))
    assert merged.wanted is not None
    editor.amend((), merged.wanted)
    assume(": {}" not in editor.text and ": []" not in editor.text)  # what is emptied has no lines for a comment
    sides = read(origin), read(update), read(local)
    after = read(editor.text)
    # What local wrote apart from something that goes stays, and nobody knows whose it is then.
    assume(
        not any(
            own.apart not in ((), sides[0].get(path, own).apart) for path, own in sides[2].items() if path not in after
        )
    )
    told = [note for note in merged.notes if note.reason == COMMENT_KEPT]
    has_conflict = False
    moved = taken(*sides)
    for path, comments in after.items():
        before, new, own = (side.get(path) for side in sides)
        # A comment that local's own entry has taken does not come a second time.
        if new is not None and groups(new) & moved.get(path[:-1], set()):
            has_conflict = True  # or not: that is not what this law is about
            continue
        if own is None:
            assert comments == new
        elif new is None:
            assert comments == own
        else:
            assert is_as_wanted(comments, before or Comments(), new, own, is_told=bool(told))
            has_conflict = has_conflict or bool(conflicts(before or Comments(), new, own))
    assert has_conflict or not [note for note in told if "both sides" in note.detail]
