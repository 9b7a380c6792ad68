"""JSON: all that is written into it is JSON."""

from __future__ import annotations

import math

import pytest

from krm.yamltree.editor import EditError, Editor
from tests.krm.yamltree import tables

JSON = """\
=== a value
{"a": "x", "b": [1, 2]}
>>> set a 'on'
>>> set b.0 'x'
{"a": "on", "b": ["x", 2]}

=== new entries, at any depth, in JSON
{"a": {"b": 1}}
>>> set a.c {'k': ['v', None, True, 1.5]}
>>> set x.z 'é"\\\\\\n\\u2028😀'
{"a": {"b": 1, "c": {"k": ["v", null, true, 1.5]}}, "x": {"z": "é\\"\\\\\\n\\u2028😀"}}

=== strings are always in quotes, keys too
{"a": 1}
>>> set on 'x'
>>> set a 'x'
{"a": "x", "on": "x"}

=== over several lines
{
  "a": [
    1,
    2
  ],
  "b": {}
}
>>> insert a.2 {'k': 1}
>>> insert a.0 0
>>> set c 'x'
>>> set b.d 1
>>> delete a.1
{
  "a": [
    0,
    2,
    {"k": 1}
  ],
  "b": {"d": 1},
  "c": "x"
}

=== the last entry leaves no comma
{
  "a": 1,
  "b": 2
}
>>> delete b
{
  "a": 1
}

=== the only entry
{"a": {"b": 1}}
>>> delete a.b
{"a": {}}

=== without blanks
{"a":1,"b":[],"c":{"d":"x"}}
>>> set a 2
>>> insert b.0 'x'
>>> set c.e 1
>>> delete c.d
{"a":2,"b":["x"],"c":{"e": 1}}

=== surrogate pairs are read and stay
{"a": "\\ud83d\\ude00 $(X)", "b": "\\uD83D\\uDE00"}
>>> rewrite a $(X) 'y'
>>> set c 1
{"a": "\\ud83d\\ude00 y", "b": "\\uD83D\\uDE00", "c": 1}

=== a string that a surrogate pair writes is equal to itself
{"a": "\\ud83d\\ude00"}
>>> set a '😀'
{"a": "\\ud83d\\ude00"}

=== what looks like a pair and is none
{"a": "\\\\ud83d\\\\ude00", "b": "\\ud83d\\ude00"}
>>> set a '\\\\ud83d\\\\ude00'
>>> set b '\\\\ud83d\\\\ude00'
{"a": "\\\\ud83d\\\\ude00", "b": "\\\\ud83d\\\\ude00"}

=== characters that YAML takes for line breaks are read; where their value changes, as escapes
{"a": "x\u2028y \\u00e9", "b": "\x85$(X)", "c": 1}
>>> set a 'x\u2028y é'
>>> rewrite b $(X) 'z'
>>> set c 2
{"a": "x\u2028y \\u00e9", "b": "\\u0085z", "c": 2}

=== a value of several lines
{"a": "x"}
>>> set a 'one\\ntwo\\n'
{"a": "one\\ntwo\\n"}

=== escapes beside what looks like a pair
{"a": "\\\\ \\n \\ud83d\\ude00", "b": '\\n \\ud83d\\ude00'}
>>> set b 'x'
{"a": "\\\\ \\n \\ud83d\\ude00", "b": "x"}
"""


@tables.every_case(JSON)
def test_json(case: tables.Case) -> None:
    assert case.after == tables.outcome(case, json=True)


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_json_has_no_such_number(number: float) -> None:
    editor = Editor('{"a": 1}', json=True)
    with pytest.raises(EditError, match=r"^line 1: what comes in here has a number that JSON does not have$"):
        editor.set(("a",), number)
    assert editor.text == '{"a": 1}'
