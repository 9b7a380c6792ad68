"""A law of comments: after any gathered edits each comment is with the node that it belongs to, and none is lost.

The model is a tree that knows its own comments and writes them where docs/reference/lossless-yaml.md, "Which comment
belongs to which node", says. Every comment is a text of its own, so that the whole set of them can be compared.
"""

from __future__ import annotations

import random
import re
from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from krm.yamltree import scalars
from krm.yamltree.editor import EditError, Editor
from tests.krm.yamltree.commented import Comments, give, read
from tests.krm.yamltree.tables import insert, move

COMMENT = re.compile(r"# c\d+")
SEEDS = st.integers(0, 2**32)


class Model:
    """A node: a scalar's text, or a mapping's or list's nodes by step, with its comments."""

    def __init__(self, value: str | dict[str, Model] | list[Model]) -> None:
        self.value = value
        self.above: tuple[str, ...] = ()
        self.behind = ""
        self.below: tuple[str, ...] = ()

    def data(self) -> Any:
        """Return what the node says."""
        if isinstance(self.value, dict):
            return {key: kid.data() for key, kid in self.value.items()}
        return [kid.data() for kid in self.value] if isinstance(self.value, list) else self.value

    def kids(self) -> list[tuple[str | int, Model]]:
        """Return the nodes below, each with its step."""
        if isinstance(self.value, dict):
            return [*self.value.items()]
        return [*enumerate(self.value)] if isinstance(self.value, list) else []

    def walk(self, path: tuple[str | int, ...] = ()) -> list[tuple[tuple[str | int, ...], Model]]:
        """Return the node and all below it, each with its path."""
        return [(path, self), *(found for step, kid in self.kids() for found in kid.walk((*path, step)))]

    def at(self, path: tuple[str | int, ...]) -> Model:
        """Return the node at a path."""
        return dict(self.walk())[path]

    def comments(self) -> list[str]:
        """Return all comments of the node and of those below it."""
        return [one for _, node in self.walk() for one in (*node.above, node.behind, *node.below) if one]


class Dice:
    """Random trees, and random edits of an editor's text and of its model."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)  # noqa: S311 - edits, no secrets
        self._count = 0

    def count(self) -> int:
        """Return how many edits are made."""
        return self._dice.randint(1, 4)

    def tree(self, depth: int = 3, *, behind_dash: bool = False) -> Model:
        """Return a mapping or a list, or a scalar where that is deep enough."""
        kind = self._dice.choice(["mapping", "list", "scalar"]) if depth < 3 else "mapping"
        if kind == "scalar" or not depth:
            return Model(f"x{self._dice.randint(0, 9)}")
        count = self._dice.randint(1, 3)
        kids = [self._commented(depth, kind, follows_dash=behind_dash and not number) for number in range(count)]
        return Model({f"k{number}": kid for number, kid in enumerate(kids)} if kind == "mapping" else kids)

    def _commented(self, depth: int, kind: str, *, follows_dash: bool) -> Model:
        node = self.tree(depth - 1, behind_dash=kind == "list")
        # Above what follows a dash, and behind a dash that a collection follows, there is no place.
        if not follows_dash:
            node.above = self._some()
        if kind == "mapping" or isinstance(node.value, str):
            node.behind = self._one() if self._dice.random() < 0.4 else ""
        node.below = self._some()
        return node

    def _some(self) -> tuple[str, ...]:
        return tuple(self._one() for _ in range(self._dice.choice([0, 0, 1, 2])))

    def _one(self) -> str:
        self._count += 1
        return f"# c{self._count}"

    def edit(self, editor: Any, model: Model) -> None:
        """Make a random edit of both."""
        path, node = self._dice.choice(model.walk()[1:] or model.walk())
        verb = self._dice.choice(["set", "add", "delete", "move", "comment", "comment"])
        if verb == "delete" and len(path) == 1 and len(model.kids()) == 1:
            return  # what stands above and below the last entry of a document is of the document then
        if verb == "set" and isinstance(node.value, str):
            node.value = f"new{self._dice.randint(0, 9)}"
            editor.set(path, node.value)
        elif verb == "add" and isinstance(node.value, dict):
            editor.set((*path, "added"), "y")
            old = node.value.get("added")
            node.value["added"] = old or Model("y")
            node.value["added"].value = "y"
        elif verb == "add" and isinstance(node.value, list):
            index = self._dice.randint(0, len(node.value))
            insert(editor, path, index, {"n": "y"})
            node.value.insert(index, Model({"n": Model("y")}))
        elif verb == "delete" and path:
            parent: Any = model.at(path[:-1]).value
            editor.delete(path)
            del parent[path[-1]]
        elif verb == "move" and path and isinstance(path[-1], int):
            siblings: Any = model.at(path[:-1]).value
            index = self._dice.randrange(len(siblings))
            move(editor, path, index)
            siblings.insert(index, siblings.pop(path[-1]))
        elif verb == "comment" and path:
            self._comment(editor, path, node)

    def _comment(self, editor: Any, path: tuple[str | int, ...], node: Model) -> None:
        side = self._dice.choice(["above", "behind", "below"])
        new = self._one() if side == "behind" else self._some()
        setattr(node, side, new)
        give(editor, path, **{side: new})


def written(node: Model, column: int) -> list[str]:
    """Return the lines of a collection; the first one starts behind its margin."""
    found: list[str] = []
    margin = " " * column
    for step, kid in node.kids():
        head = f"{step}:" if isinstance(step, str) else "-"
        comment = f" {kid.behind}" if kid.behind else ""
        found += [margin + line for line in kid.above]
        if isinstance(kid.value, str):
            found.append(f"{margin}{head} {kid.value}{comment}")
        elif isinstance(step, str):
            found += [f"{margin}{head}{comment}", *written(kid, column + 2)]
        else:
            first, *others = written(kid, column + 2)
            found += [f"{margin}- {first[column + 2 :]}", *others]
        found += [f"{margin} {line}" for line in kid.below]
    return found


def holds(seed: int) -> str:
    """Make random edits of a random text, and assert that each comment is where it belongs. Return how it ended."""
    dice = Dice(seed)
    model = dice.tree()
    editor = Editor("".join(f"{line}\n" for line in written(model, 0)))
    assert_same(editor, model)
    for _ in range(dice.count()):
        before = editor.text
        try:
            dice.edit(editor, model)
        except EditError:
            assert editor.text == before
            return "refused"
    assert_same(editor, model)
    return "made"


def assert_same(editor: Editor, model: Model) -> None:
    """Assert that a text says what a model says, in its data and in the comments of each node."""
    assert scalars.data(editor.document.root) == model.data(), editor.text
    for path, node in model.walk()[1:]:
        assert (path, read(editor, path)) == (path, Comments(node.above, node.behind, node.below)), editor.text
    assert sorted(COMMENT.findall(editor.text)) == sorted(model.comments()), editor.text


@given(SEEDS)
@example(14007755)
@settings(deadline=None)
def test_a_comment_stays_with_its_node(seed: int) -> None:
    holds(seed)
