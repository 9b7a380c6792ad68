"""Tables of edits: a text, what is done to it, and the text that comes out, to the byte.

    === what the case shows
    a: 1  # c
    >>> set a 2
    a: 2  # c

An operation is a verb, a path whose steps are joined by dots (`.` is the root), and a Python literal; `insert` takes
the index as the last step, `rewrite` replaces a part of the value by another: `>>> rewrite a $(X) 'new'`. Several run
one after the other. `!!!` is the EditError that has to come instead. `<EOF>` ends a text that has no final line end.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

import pytest

from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit

if TYPE_CHECKING:
    from krm.yamltree.nodes import Place
    from krm.yamltree.style import PlainData


def insert(editor: Editor, place: Place, index: int, value: PlainData) -> None:
    """Insert an element into a list of a text."""
    changes = editor.changes()
    changes.insert(place, index, value)
    editor.make(changes)


def move(editor: Editor, place: Place, index: int) -> None:
    """Move an element of a list of a text."""
    changes = editor.changes()
    changes.move(place, index)
    editor.make(changes)


class Case(NamedTuple):
    """One entry of a table."""

    before: str
    operations: list[str]
    after: str


def read(table: str) -> dict[str, Case]:
    """Return the cases of a table by their names."""
    cases = {}
    for block in table.split("=== ")[1:]:
        name, _, rest = block.partition("\n")
        before, *operations, after = re.split(r"^>>> (.*)\n", rest, flags=re.MULTILINE)
        assert name not in cases, f"two cases are called {name!r}"
        assert not any(operations[1::2]), f"text between the operations of {name!r}"
        cases[name] = Case(
            _text(before), operations[::2], _text(after.removesuffix("\n") if after.endswith("\n\n") else after)
        )
    assert cases, "an empty table"
    return cases


def every_case(table: str) -> pytest.MarkDecorator:
    """Parametrize a test with the cases of a table."""
    cases = read(table)
    return pytest.mark.parametrize("case", cases.values(), ids=cases.keys())


def outcome(case: Case, *, json: bool = False) -> str:
    """Return the text that comes out of a case, or the error as a table shows it."""
    editor = Editor(case.before, json=json)
    try:
        for operation in case.operations:
            perform(editor, operation)
    except EditError as error:
        return f"!!! {error}\n" if editor.text == case.before else "a change was made, though not all of it"
    return editor.text


def perform(editor: Editor, operation: str) -> None:
    """Do what a line behind `>>>` says."""
    verb, _, rest = operation.partition(" ")
    steps, _, argument = rest.partition(" ")
    path = tuple(int(step) if step.isdecimal() else step for step in steps.split(".") if step)
    if verb == "set":
        editor.set(path, ast.literal_eval(argument))
    elif verb == "insert":
        *parent, index = path
        insert(editor, tuple(parent), int(index), ast.literal_eval(argument))
    elif verb == "delete":
        assert editor.delete(path)
    elif verb == "rewrite":
        old, _, new = argument.partition(" ")
        editor.rewrite({path: replacements(editor, path, old, ast.literal_eval(new))})
    else:
        raise ValueError(verb)


def replacements(editor: Editor, path: tuple[str | int, ...], old: str, new: str) -> list[Edit]:
    """Return the edits that replace every `old` in a value."""
    node = editor.get(path)
    assert node is not None
    assert node.value is not None
    return [Edit(found.start(), found.end(), new) for found in re.finditer(re.escape(old), node.value)]


def _text(shown: str) -> str:
    text, marker, _ = shown.partition("<EOF>\n")
    return text if marker else shown
