"""Texts that are made to cost much end in a ParseError that says where, within 200 MB and five seconds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

READ = """
import resource, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[2] == "pure":
    sys.modules["yaml._yaml"] = None
from krm.yamltree import parser
resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
resource.setrlimit(resource.RLIMIT_CPU, (5, 5))
try:
    getattr(parser, sys.argv[3])(eval(sys.argv[4]))
except parser.ParseError as error:
    print(error, end="")
else:
    print("read", end="")
"""
LAUGHS = """ "a0: &a0 [x, x, x, x, x, x, x, x, x]\\n" + "".join(
    f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 9) + "]\\n" for n in range(1, 10)) """
TOO_DEEP = "more than 200 levels of nesting"
HOSTILE = {
    "billion laughs": (LAUGHS, "line 10, column 50: the aliases of this document stand for more than 10000 nodes"),
    "laughs in a row": (
        "'- &a0 x\\n' + ''.join(f'- &a{n} [*a{n - 1}, *a{n - 1}]\\n' for n in range(1, 100000))",
        "line 5002, column 11: the aliases of this document stand for more than 10000 nodes",
    ),
    "laughs that merge": (
        "'a0: &a0 {k: x}\\n' + ''.join(f'a{n}: &a{n} {{<<: [*a{n - 1}, *a{n - 1}]}}\\n' for n in range(1, 60))",
        "line 60, column 23: the aliases of this document stand for more than 10000 nodes",
    ),
    "an alias fan-out": (
        "'a: &a x\\nb: [' + '*a, ' * 100000 + ']'",
        "line 2, column 40005: the aliases of this document stand for more than 10000 nodes",
    ),
    # More than 1,000 brackets in one line are refused by libyaml itself since 0.2.6, at the last of these.
    "brackets": ("'[' * 900", f"line 1, column 201: {TOO_DEEP}"),
    "braces": ("'{a: ' * 100000", f"line 1, column 801: {TOO_DEEP}"),
    "both": ("'[{a: ' * 100000", f"line 1, column 501: {TOO_DEEP}"),
    "a bracket a line": ("'[\\n' * 100000", f"line 201, column 1: {TOO_DEEP}"),
    "brackets behind many closed ones in strings": (
        "'- \"' + ']' * 100000 + '\"\\n- ' + '[' * 900",
        f"line 2, column 202: {TOO_DEEP}",
    ),
    "dashes": ("'- ' * 100000", f"line 1, column 401: {TOO_DEEP}"),
    "question marks": ("'? ' * 100000", f"line 1, column 401: {TOO_DEEP}"),
    "dashes and question marks": ("'- ? ' * 100000", f"line 1, column 401: {TOO_DEEP}"),
    "mappings": ("''.join(' ' * n + 'a:\\n' for n in range(1000))", f"line 201, column 201: {TOO_DEEP}"),
    "a huge key": ("'a: 1\\n' + 'k' * 5000000 + ': v\\n'", "line 2, column 1: a key of more than 1,024 characters"),
    "a huge key in quotes": (
        "'{\"' + 'k' * 5000000 + '\": 1}'",
        "line 1, column 2: a key of more than 1,024 characters",
    ),
    "control characters": ("'a: 1\\nb: ' + '\\x01' * 1000000", "line 2, column 4: the character U+0001 is not allowed"),
    "lone surrogates": ("'a: 1\\nb: ' + '\\ud800' * 1000000", "line 2, column 4: the character U+D800 is not allowed"),
    "NUL": ("'a: 1\\nb: ' + '\\x00' * 1000000", "line 2, column 4: the character U+0000 is not allowed in YAML"),
    "endless quotes": ("'a: \"' + 'x' * 5000000", "line 1, column 5000005: a quote is missing"),
    "one of many keys again": (
        "''.join(f'{n}: 1\\n' for n in range(100000)) + '0: 2\\n'",
        "line 100001, column 1: the key `0` is here again, first in line 1",
    ),
    "the same key": ("'a: 1\\n' * 100000", "line 2, column 1: the key `a` is here again, first in line 1"),
}


def read(how: str, verb: str, text: str) -> str:
    command = [sys.executable, "-c", READ, str(Path(__file__).parents[3] / "fn"), how, verb, text]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.parametrize(("text", "message"), HOSTILE.values(), ids=HOSTILE.keys())
def test_a_hostile_text_is_refused_with_its_place(text: str, message: str) -> None:
    assert read("libyaml", "parse", text)[: len(message)] == message
