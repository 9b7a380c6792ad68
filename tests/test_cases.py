"""A failing test shows where its case stands, whatever form its table has."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.krm.merge import triples
from tests.pages import ROOT

# A test fails with the case above `here` alone.
TESTS = '''\
from pathlib import Path

import pytest

from tests.krm.merge import triples
from tests.krm.yamltree.tables import every_case

ROWS = [
    ("a", f"{1}"),
    ("b", f"{2}"),  # here
]
NAMED = {
    "one": (1, 1),
    "two": (1, 1),  # here
    **{},
}
OTHERS = {
    "three": (
        1,
        1,
    ),
    "four": (1, 2),  # here
}
TEXT = """\\
=== five
a: 1
>>> set a 1
a: 1

=== six
a: 2
>>> set a 1
a: 1
"""


@pytest.mark.parametrize(("one", "other"), ROWS)
def test_a_list(one, other):
    assert one != "b"


every_one = pytest.mark.parametrize(("one", "other"), NAMED.values(), ids=NAMED)


@every_one
def test_a_dict(request, one, other):
    assert "two" not in request.node.name


@pytest.mark.parametrize(("one", "other"), [*NAMED.values(), *OTHERS.values()], ids=[*NAMED, *OTHERS])
def test_two_dicts(one, other):
    assert other == 1


@pytest.mark.parametrize("one", [
    {"k": 1},
    pytest.param({"k": 2}, id="x"),  # here
])
@pytest.mark.parametrize("other", [
    1,
    2,  # here
])
def test_two_lists(one, other):
    assert (one["k"], other) != (2, 2)


@every_case(TEXT)
def test_a_text(case):
    assert case.before == case.after


@pytest.mark.parametrize("one", triples.SPECS)
def test_another_module(one):
    assert one != "Service"


@pytest.mark.parametrize("path", [Path("testdata/a"), Path("testdata/b")])
def test_folders(path):
    assert path.name == "a"


def test_no_table():
    raise AssertionError


@pytest.mark.parametrize("one", [*map(str, range(1))])
def test_rows_that_are_made(one):
    raise AssertionError
'''


def test_the_case_of_each_failure_is_shown(tmp_path: Path) -> None:
    path = tmp_path / "test_tables.py"
    path.write_text(TESTS)
    options = ("-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml"))
    command = [sys.executable, "-m", "pytest", *options, str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert "\n9 failed, " in done.stdout
    shown = re.findall(r"^-+ case: (.*?) -+$", done.stdout, re.MULTILINE)
    places = [f"{path}:{line}" for line in lines(TESTS, r".*# here$|=== six$")]
    (line,) = lines(Path(triples.__file__).read_text(), r'    "Service": Fields')
    places += [f"tests/krm/merge/triples.py:{line}", "testdata/b"]
    assert sorted(shown) == sorted(places)


def lines(text: str, pattern: str) -> list[int]:
    """Return the numbers of the lines that match a pattern."""
    return [number for number, line in enumerate(text.splitlines(), 1) if re.match(pattern, line)]
