"""What holds for every text and every edit: the model of the new text is the edited model of the old one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from krm.yamltree import edits, events, parser, positions
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.lines import is_first
from krm.yamltree.nodes import Collection, Mapping, Node, Scalar
from tests.krm.yamltree import model
from tests.krm.yamltree.documents import STRINGS, documents, is_read, values
from tests.krm.yamltree.tables import insert

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.krm.yamltree.model import Path, Tree

texts = documents().filter(is_read)
VERBS = ("set", "add", "insert", "delete", "rewrite")
law = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much])


class Change:
    """A random edit of a tree: done to an Editor, and to the model."""

    def __init__(
        self, draw: Callable[[st.SearchStrategy[Any]], Any], tree: Tree, verbs: tuple[str, ...] = VERBS
    ) -> None:
        self.draw = draw
        self.tree = tree
        self.verb = draw(st.sampled_from(verbs))
        self.value = draw(values)
        there = {path: model.find(tree, path) for path in model.paths(tree)}
        fitting = [path for path, node in there.items() if self.fits(path, node)]
        assume(fitting)
        self.path: Path = draw(st.sampled_from(fitting))
        if self.verb == "add":
            self.path = (*self.path, *draw(st.sampled_from([("new",), ("new", "on"), ("8080",), ("x\ny",), ("",)])))
            assume(self.path not in there)  # that would be a `set`
        elif self.verb == "insert":
            self.index = draw(st.integers(0, len(there[self.path] or ())))
        elif self.verb == "rewrite":
            equal = [path for path in fitting if there[path] == there[self.path]]
            self.changes = dict.fromkeys(equal if draw(st.booleans()) else [self.path], self.part())

    def fits(self, path: Path, node: Tree) -> bool:
        """Say whether the verb can do something at `path`."""
        if self.verb == "insert":
            return isinstance(node, list)
        if self.verb == "add":
            return isinstance(node, dict) or node == model.Leaf("null", "")
        if self.verb == "rewrite":
            return isinstance(node, model.Leaf) and node.kind == "string"
        return self.verb == "set" or path != ()

    def part(self) -> list[Edit]:
        """Return a change of a part of the string."""
        text = model.find(self.tree, self.path).text
        start = text.find("$(X)") if "$(X)" in text else self.draw(st.integers(0, len(text)))
        return [Edit(start, min(start + 4, len(text)), self.draw(st.sampled_from(STRINGS)))]

    def expected(self) -> Tree:
        """Return the tree that the change has to make. KeyError where it cannot be made."""
        if self.verb == "insert":
            return model.after_insert(self.tree, self.path, self.index, self.value)
        if self.verb == "delete":
            return model.after_delete(self.tree, self.path)
        if self.verb == "rewrite":
            tree = self.tree
            for path, wanted in self.changes.items():
                tree = model.after_set(tree, path, edits.apply(model.find(tree, path).text, wanted))
            return tree
        return model.after_set(self.tree, self.path, self.value)

    def make(self, editor: Editor) -> None:
        """Do it."""
        if self.verb == "insert":
            insert(editor, self.path, self.index, self.value)
        elif self.verb == "delete":
            editor.delete(self.path)
        elif self.verb == "rewrite":
            editor.rewrite(self.changes)
        else:
            editor.set(self.path, self.value)


def made(change: Change, editor: Editor) -> bool:
    """Make a change and say whether it was made; one that was refused must have changed nothing."""
    before = editor.text
    try:
        change.make(editor)
    except (EditError, KeyError) as error:
        event(f"refused: {type(error).__name__}: {re.sub('`[^`]*`', '`...`', getattr(error, 'problem', ''))}")
        assert editor.text == before
        return False
    return True


@law
@given(st.data())
def test_an_edit_of_the_text_is_that_edit_of_its_model(data: st.DataObject) -> None:
    editor = Editor(data.draw(texts))
    for _ in range(data.draw(st.integers(1, 5))):
        tree = model.tree(editor.text)
        change = Change(data.draw, tree)
        try:
            expected = change.expected()
        except KeyError:
            expected = tree
        if made(change, editor):
            assert model.tree(editor.text) == expected
            assert events.check(editor.text) == editor.document.events


def spanned(editor: Editor, path: Path) -> tuple[int, int]:
    """Return the first line of what a change at `path` may touch, and the one behind its last, counted from 0.

    A collection may be written anew with its only entry, or where it is in brackets.
    """
    parent = editor.get(path[:-1])
    while path and (not isinstance(parent, Collection) or parent.flow or len(parent.kids) < 3 or not editor.get(path)):
        path = path[:-1]
        parent = editor.get(path[:-1])
    node = editor.get(path)
    assert node is not None
    start, end = node.start, node.end
    if path and isinstance(parent, Mapping):
        start = parent.kids[parent.kids.index(node) - 1].start
    if path and isinstance(parent, Collection) and positions.index_of(parent, node) == 0:
        end = (
            end if is_first(editor.text, parent.first) else parent.end
        )  # of `- a: 1` the next one comes up to the dash
    lines = editor.text.split("\n")
    first, last = editor.text.count("\n", 0, start), editor.text.count("\n", 0, end) + 1
    while first and not lines[first - 1].strip(" \t\r-").partition("#")[0]:
        first -= 1
    while last < len(lines) and not lines[last].strip().partition("#")[0]:
        last += 1
    return first, last


@law
@given(st.data())
def test_lines_outside_of_the_edit_are_the_same_bytes(data: st.DataObject) -> None:
    editor = Editor(data.draw(texts))
    assume(not editor.document.shares)
    change = Change(data.draw, model.tree(editor.text), ("set", "add", "insert", "delete"))
    first, last = spanned(editor, change.path)
    before = editor.text.split("\n")
    if made(change, editor):
        after = editor.text.split("\n")
        assert after[:first] == before[:first]
        assert after[len(after) - len(before) + last :] == before[last:]


def comments(text: str) -> list[str]:
    """Return the comments of a text: what follows a `#` between its tokens, and in the header of a block."""
    found, position = [], 0
    for token in yaml.scan(text.replace(r"\ud83d\ude00", r"\ue83d\uee00"), Loader=yaml.CSafeLoader):
        found += re.findall("#.*", text[position : token.start_mark.index])
        position = max(position, token.end_mark.index)
        if isinstance(token, yaml.ScalarToken) and token.style in ("|", ">"):
            header = text[token.start_mark.index : position].partition("\n")[0]
            found += re.findall("#.*", header)
    return [comment.rstrip("\r") for comment in found + re.findall("#.*", text[position:])]


@law
@given(st.data())
def test_what_adds_or_sets_scalars_loses_no_comment(data: st.DataObject) -> None:
    text = data.draw(texts)
    editor = Editor(text)
    assume(not editor.document.shares)
    change = Change(data.draw, model.tree(text), ("set", "add", "insert", "rewrite"))
    # What a collection has inside goes with it. Of a scalar even the comment in its line stays.
    assume(change.verb != "set" or isinstance(editor.get(change.path), Scalar))
    if made(change, editor):
        assert sorted(comments(editor.text)) == sorted(comments(text))


@law
@given(st.data())
def test_to_set_what_is_there_changes_nothing(data: st.DataObject) -> None:
    editor = Editor(data.draw(texts))
    path = data.draw(st.sampled_from(list(model.paths(model.tree(editor.text)))))
    value = data.draw(values)
    try:
        editor.set(path, value)
    except (EditError, KeyError):
        return
    text = editor.text
    editor.set(path, value)
    assert editor.text == text


@law
@given(texts)
def test_every_node_spans_the_text_that_it_is_read_from(text: str) -> None:
    document = parser.parse(text)
    assert document.events == events.check(text)
    stack: list[tuple[Node, Tree]] = [(document.root, model.tree(text))] if document.root else []
    for node, tree in stack:
        if not isinstance(node, Collection):
            continue
        ends = [node.first, *(kid.end for kid in node.kids)]
        assert all(end <= kid.start <= kid.end <= node.end for end, kid in zip(ends, node.kids, strict=False))
        if not document.aliases and "\n" not in text[node.end :].strip("\r\n") + "\n":
            alone = " " * node.column + text[node.first : node.end] + "\n"
            assert model.tree(alone) == tree
        stack += [(kid, tree[key]) for key, kid in steps(node) if not isinstance(kid, Scalar)]


def steps(node: Collection) -> list[tuple[Any, Node]]:
    if isinstance(node, Mapping):
        return [(key.value, value) for key, value in node.pairs() if key.value != "<<"]
    return list(enumerate(node.kids))


@law
@given(texts)
def test_no_edit_is_no_change(text: str) -> None:
    editor = Editor(text)
    editor.rewrite({})
    assert editor.delete(("not", "there")) is False
    assert editor.text == text
