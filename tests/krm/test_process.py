"""What a program pays for PyYAML, and that PyYAML is whole for whoever wants all of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml

from krm import process
from tests.process import SOURCE_ROOT

POSTPONED = """
import sys
from krm import process
process.postpone_yaml()
"""
PARSED = """
from krm.yamltree import parser
def problem(text):
    try:
        parser.parse(text)
    except parser.ParseError as error:
        return str(error)
"""
COSTLY = {f"yaml.{name}" for name in ("constructor", "reader", "representer", "resolver", "scanner", "tokens")}


def printed(program: str) -> str:
    """Return what a program prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", program], cwd=SOURCE_ROOT, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.strip()


def test_libyaml_s_parser_needs_none_of_pyyaml_s_own() -> None:
    imported = printed(POSTPONED + PARSED + "parser.parse('a: 1'); print(*sys.modules)").split()
    assert "yaml._yaml" in imported
    assert not COSTLY & {*imported}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a: [", "line 1, column 5: a value is missing here, or a bracket above is not closed"),
        ("a: b: c", "line 1, column 5: a `:` may not stand here: put the text in quotes, or mend the indentation"),
        ("a: \x01", "line 1, column 4: the character U+0001 is not allowed in YAML"),
    ],
)
def test_mistakes_are_the_same(text: str, problem: str) -> None:
    assert printed(POSTPONED + PARSED + f"print(problem({text!r}))") == problem


def test_without_libyaml_pyyaml_s_own_parser_reads() -> None:
    program = "import sys; sys.modules['yaml._yaml'] = None" + POSTPONED + PARSED + "print(problem('a: ['))"
    assert printed(program).startswith("line 1, column 5: expected the node content")


@pytest.mark.parametrize("loader", ["SafeLoader", "CSafeLoader"])
def test_who_wants_more_gets_all_of_it(loader: str) -> None:
    program = f"import yaml; print(yaml.load('a: [1, x, 2001-01-01]', yaml.{loader}), yaml.safe_dump([1]))"
    assert printed(POSTPONED + PARSED + program) == printed(program)


@pytest.mark.parametrize("what", ["parse", "scan"])
def test_who_wants_events_or_tokens_gets_them(what: str) -> None:
    program = f"import yaml; print(*yaml.{what}('a: [1, {{}}]', yaml.CSafeLoader))"
    parsed = "parser.parse('a: [1, {}]'); "
    assert printed(POSTPONED + PARSED + parsed + program) == printed(program)


def test_what_it_has_not_got_is_missing_as_ever() -> None:
    program = "import yaml\ntry:\n    yaml.nothing\nexcept AttributeError as error:\n    print(error)"
    assert printed(POSTPONED + program) == printed(program) == "module 'yaml' has no attribute 'nothing'"


def test_an_imported_pyyaml_stays_as_it_is() -> None:
    process.postpone_yaml()
    assert sys.modules["yaml"] is yaml


def test_without_pyyaml_nothing_is_put_in_its_place() -> None:
    program = "import sys; from krm import process; sys.meta_path.clear(); process.postpone_yaml()"
    assert printed(program + "; print('yaml' in sys.modules)") == "False"
