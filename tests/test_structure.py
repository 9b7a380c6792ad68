"""How the house is built: no circle of imports, tests where the code is, a name of a type for one thing."""

from __future__ import annotations

import ast
import re
from collections import Counter
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import grimp

from scripts import size
from tests.pages import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCE = ROOT / "fn"
# An author's object and list of objects, each around the one that was read: the SDK has them by the field's own words.
TWINS = {"Resource", "ResourceList"}


def modules() -> list[Path]:
    return sorted(path for path in SOURCE.rglob("*.py") if path.is_file())


def test_no_imports_go_in_a_circle() -> None:
    """Imports in functions count: a circle of these is one that the start-up does not show."""
    graph = grimp.build_graph("expand_vars", "krm", exclude_type_checking_imports=True)
    found = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    TopologicalSorter({name: {one for one in names if one.count(".")} for name, names in found.items()}).prepare()


def names(module: Path) -> Iterator[str]:
    """Yield the public classes and aliases of types of a module, but for an alias of another one of its name."""
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation) == "TypeAlias":
            name = ast.unparse(node.target)
            if not ast.unparse(node.value or node.target).endswith(f".{name}"):
                yield name


def test_no_two_public_types_have_one_name() -> None:
    count = Counter(name for module in modules() for name in names(module) if not name.startswith("_"))
    assert {name for name, times in count.items() if times > 1} == TWINS


def test_no_two_modules_have_one_name() -> None:
    """But for what each package or program has."""
    count = Counter(path.stem for path in modules())
    assert {name for name, times in count.items() if times > 1} == {"__init__", "__main__", "table"}


def test_a_module_says_first_what_is_in_it() -> None:
    """A docstring that opens with a question or a verb has no subject."""
    questions = "What|Which|Who|Whose|Why|How|Where|When|Whether"
    verbs = "Adds?|Change|Checks?|Decides?|Finds?|Makes?|Reads?|Returns?|Says?|Tells?|Writes?"
    opening = re.compile(rf"(?:{questions}|{verbs})\b")
    docstrings = {str(path): ast.get_docstring(ast.parse(path.read_text())) or "" for path in modules()}
    assert [name for name, text in docstrings.items() if opening.match(text)] == []


def test_tests_stand_where_the_code_is() -> None:
    """A folder of test modules is a room of the source, of the same name."""
    rooms = {path.parent.relative_to(SOURCE) for path in modules()}
    folders = {
        path.parent.relative_to(ROOT / "tests")
        for program in ("expand_vars", "krm")
        for path in (ROOT / "tests" / program).rglob("test_*.py")
    }
    assert folders - rooms == set()


def test_a_package_names_the_modules_that_it_has() -> None:
    """The docstring of a package has a table of its modules and packages, or names each of them in a sentence."""
    differences = {}
    for package in (path.parent for path in SOURCE.glob("*/**/__init__.py")):
        modules = {one.stem for one in package.iterdir() if one.suffix == ".py" or (one / "__init__.py").exists()}
        text = ast.get_docstring(ast.parse((package / "__init__.py").read_text())) or ""
        table = {*re.findall(r"^ *([a-z_0-9]+)  +\S", text, re.MULTILINE)}
        named = table or modules.intersection(re.findall(r"`([a-z_0-9]+)[`.]", text))
        # The two programs say how they work, and a command is a module.
        if package.parent != SOURCE and package.name != "commands":
            differences[package.name] = named ^ (modules - {"__init__"})
    assert {name: difference for name, difference in differences.items() if difference} == {}


def test_the_size_counts_code_alone() -> None:
    text = '"""Module.\n\nMore."""\n\n# why\ndef f() -> str:\n    """Return it."""\n    return """a\n\nb"""\n'
    assert size.code(text) == 3
