"""What holds for every two texts: one amended to say what the other does says that, and keeps all else."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from krm.yamltree.editor import EditError, Editor
from tests.krm.yamltree import amendments, model
from tests.krm.yamltree.test_laws import Change, comments, law, made, texts

if TYPE_CHECKING:
    from tests.krm.yamltree.model import Tree


def amended(editor: Editor, update: str) -> bool:
    """Amend a text and say whether that was done; one that was refused must be as before."""
    before = editor.text
    try:
        editor.amend((), amendments.difference(editor.document.root, update))
    except EditError as error:
        event(f"refused: {re.sub('`[^`]*`', '`...`', error.problem)}")
        assert editor.text == before
        return False
    return True


@st.composite
def pairs(draw: st.DrawFn) -> tuple[str, str]:
    """Return two texts of which one is the other after some changes."""
    text = draw(texts)
    editor = Editor(text)
    for _ in range(draw(st.integers(1, 4))):
        made(Change(draw, model.tree(editor.text)), editor)
    return (text, editor.text) if draw(st.booleans()) else (editor.text, text)


@law
@given(pairs() | st.tuples(texts, texts))
def test_an_amended_text_says_what_was_wanted(pair: tuple[str, str]) -> None:
    local, update = pair
    editor = Editor(local)
    if amended(editor, update):
        assert model.tree(editor.text) == model.tree(update)
        assert amendments.amended(editor.text, update) == editor.text


@law
@given(texts)
def test_to_want_what_is_there_changes_nothing(text: str) -> None:
    assert amendments.amended(text, text) == text


def without_chomping(text: str) -> str:
    """Return a text without `+` and `-` in the headers of its blocks."""
    return re.sub(r"(?m)([|>][0-9]?)[+-](?=[ \t]*\r?$|[ \t]+#)", r"\1", text)


@law
@given(pairs())
@example(("-\n- |\n  x", "- x\n-\n- |\n  x"))
def test_what_is_to_stay_is_there_as_it_was_written(pair: tuple[str, str]) -> None:
    local, update = pair
    editor = Editor(local)
    assume(not editor.document.shares)
    nodes = list(amendments.kept(amendments.difference(editor.document.root, update)))
    if amended(editor, update):
        written = Counter(local[node.start : node.end].rstrip() for node in nodes if node.end < len(local))
        assert all(editor.text.count(text) >= count for text, count in written.items())
        # A block at the end of a text may have no line end. Where it gets one, it gets a `-` in its header.
        last = [without_chomping(local[node.start :].rstrip()) for node in nodes if node.end == len(local)]
        assert all(text in without_chomping(editor.text) for text in last)


def shown(tree: Tree) -> str:
    """Return a tree on one line, without comments."""
    if isinstance(tree, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {shown(value)}" for key, value in tree.items()) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(shown, tree)) + "]"
    return json.dumps(tree.text) if tree.kind == "string" else tree.text or "null"


@law
@given(st.data())
def test_amendments_of_scalars_lose_no_comment(data: st.DataObject) -> None:
    local = data.draw(texts)
    editor = Editor(local)
    assume(not editor.document.shares)
    tree = model.tree(local)
    assume(any(isinstance(model.find(tree, path), dict) for path in model.paths(tree)))
    for _ in range(data.draw(st.integers(1, 4))):
        mappings = {path: there for path in model.paths(tree) if isinstance(there := model.find(tree, path), dict)}
        entries = [
            (*path, key) for path, there in mappings.items() for key in there if isinstance(there[key], model.Leaf)
        ]
        path: Any = data.draw(
            st.sampled_from(entries + [(*path, name) for path in mappings for name in ("new", "more")])
        )
        tree = model.after_set(tree, path, data.draw(st.sampled_from(["x", "a b", 1, None, "a\nb\n"])))
    if amended(editor, shown(tree)):
        assert Counter(comments(editor.text)) == Counter(comments(local))
