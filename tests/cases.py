"""Where the case of a failing table test stands: its file and line, or its folder.

A table knows nothing of this. It is a list or a dict, or a text with a line `=== name` above each case. The search
starts at the decorators of the test, and goes on with the statements that they name, in other modules of the tests too.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from _pytest.mark import ParameterSet

from tests.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


class Source(NamedTuple):
    """A part of a file of Python."""

    path: Path
    node: ast.AST


class Case(NamedTuple):
    """A case of a table: the arguments of its test, the size of the table, and its own position, values and name."""

    arguments: object
    size: int
    position: int
    values: tuple[object, ...]
    name: object

    def line(self, source: Source) -> int | None:
        """Return the line in which the case stands in a part of a file."""
        if _arguments(source.node) not in (None, self.arguments):
            return None
        rows = _rows(source.node)
        if len(rows) == self.size:
            return rows[self.position].lineno
        title = f"=== {self.name}"
        for node in ast.walk(source.node):
            if isinstance(node, ast.expr) and _literal(node) in (self.name, self.values):
                return node.lineno
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and f"{title}\n" in node.value:
                return source.path.read_text().splitlines().index(title, node.lineno - 1) + 1
        return None


def places(item: pytest.Item) -> list[str]:
    """Return where each of the cases stands that a test runs with, of those that are written by hand."""
    found = (_place(item, case) for case in _cases(item))
    return [place for place in found if place]


def _cases(item: pytest.Item) -> Iterator[Case]:
    call: Any = getattr(item, "callspec", None)
    for mark in item.iter_markers("parametrize") if call else ():
        arguments, names = mark.args[0], mark.kwargs.get("ids")
        keys = [arguments] if isinstance(arguments, str) else arguments
        values = tuple(call.params[key] for key in keys)
        rows = [ParameterSet.extract_from(row, force_tuple=len(keys) == 1).values for row in mark.args[1]]
        named = [*names] if isinstance(names, Collection) else [row[0] for row in rows]
        same = [index for index, row in enumerate(rows) if all(map(operator.is_, row, values))]
        # Rows that are equal may be one object: then the name tells which.
        for position in sorted(same, key=lambda index: str(named[index]) not in call.id)[:1]:
            yield Case(arguments, len(rows), position, values, named[position])


def _place(item: pytest.Item, case: Case) -> str | None:
    for value in case.values:
        folder = getattr(value, "folder", value)
        if isinstance(folder, Path):
            return _shown(folder)
    found = ((source.path, case.line(source)) for source in _sources(item))
    return next((f"{_shown(path)}:{line}" for path, line in found if line), None)


def _shown(path: Path) -> str:
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


def _sources(item: pytest.Item) -> Iterator[Source]:
    """Yield the decorators of a test, then the statements that they name, and so on."""
    name = getattr(item, "originalname", item.name)
    tests = [node for node in ast.walk(_tree(item.path)) if isinstance(node, ast.FunctionDef) and node.name == name]
    found = [Source(item.path, decorator) for test in tests for decorator in test.decorator_list]
    for source in found:
        yield source
        names = [node.id for node in ast.walk(source.node) if isinstance(node, ast.Name)]
        found += [named for name in names for named in _statements(source.path).get(name, ()) if named not in found]


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_bytes())


@functools.cache
def _statements(path: Path) -> dict[str, list[Source]]:
    """Return the statements of a module by the names that they give."""
    found: dict[str, list[Source]] = {}
    for node in _tree(path).body:
        if isinstance(node, ast.ImportFrom):
            module = ROOT.joinpath(*(node.module or "").split("."))
            found |= {alias.name: _imported(module, alias.name) for alias in node.names if not alias.asname}
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = [Source(path, node)]
        else:
            stored = [one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)]
            for name in stored:
                found.setdefault(name, []).append(Source(path, node))
    return found


def _imported(module: Path, name: str) -> list[Source]:
    """Return the statements of `name` in a module of the tests, or all of `name` if that is a module."""
    if (below := module / f"{name}.py").is_file():
        return [Source(below, node) for node in _tree(below).body]
    path = module.with_suffix(".py")
    return _statements(path).get(name, []) if path.is_file() else []


def _arguments(node: ast.AST) -> object:
    """Return the arguments of the test that a decorator gives cases to, None for all other nodes."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".parametrize"):
        return _literal(node.args[0])
    return None


def _rows(node: ast.AST) -> list[ast.expr]:
    """Return the elements of the list, or the keys of the dict, that an assignment or `parametrize` is given."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else node
    table = value.args[1] if isinstance(value, ast.Call) and len(value.args) > 1 else value
    rows = table.elts if isinstance(table, ast.List | ast.Tuple) else table.keys if isinstance(table, ast.Dict) else []
    return [row for row in rows if row is not None and not isinstance(row, ast.Starred)]


def _literal(node: ast.expr) -> object:
    """Return the value of a literal, and of anything else what equals nothing."""
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return object()
