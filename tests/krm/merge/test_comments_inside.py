"""Comments in brackets are merged with the lines of these; others between a key and its value are told."""

from __future__ import annotations

import pytest

from tests.krm.merge.sides import written

GIVES_WAY = "update's value comes, and a comment of local's is deleted"
KEPT = "update has another comment here: local's stays"
REPLACED = "update's value comes, and a comment of local's is deleted"
LOST = "this is deleted, and a comment of local's with it"

# Origin and update, then local and what comes of it, then what is told.
TRIPLES: dict[str, tuple[str, str, str, str, list[str]]] = {
    "one behind an element comes": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  x, # new\n  y\n]\n",
        "a: [\n  x,\n  y\n]\nz: 1\n", "a: [\n  x, # new\n  y\n]\nz: 1\n",
        [],
    ),
    "one above an entry goes": (
        "a: {\n  # old\n  x: 1,\n  y: 2\n}\n", "a: {\n  x: 1,\n  y: 2\n}\n",
        "a: {\n  # old\n  x: 1,\n  y: 2\n}\nz: 1\n", "a: {\n  x: 1,\n  y: 2\n}\nz: 1\n",
        [],
    ),
    "those of both sides, and what both changed": (
        "a: [\n  x,\n  y,\n  z\n]\n", "a: [\n  x, # new\n  y,\n  z\n]\n",
        "a: [\n  x,\n  y,\n  w, # mine\n  z\n]\n", "a: [\n  x, # new\n  y,\n  w, # mine\n  z\n]\n",
        [],
    ),
    "an element with one": (
        "a: [\n  x\n]\n", "a: [\n  x,\n  y # new\n]\n",
        "a: [\n  x\n]\nz: 1\n", "a: [\n  x,\n  y # new\n]\nz: 1\n",
        [],
    ),
    "in brackets of brackets": (
        "a: [\n  {x: [\n    1]}]\n", "a: [\n  {x: [ # new\n    1]}]\n",
        "a: [\n  {x: [\n    1]}]\nz: 1\n", "a: [\n  {x: [ # new\n    1]}]\nz: 1\n",
        [],
    ),
    "at another margin": (
        "l:\n- m: {x: 1,\n     y: 2}\n", "l:\n- m: {x: 1, # new\n     y: 2}\n",
        "l:\n  - m: {x: 1,\n       y: 2}\n  - z: 1\n", "l:\n  - m: {x: 1, # new\n       y: 2}\n  - z: 1\n",
        [],
    ),
    "in an element of a list": (
        "l:\n- [x,\n  y]\n- 1\n", "l:\n- [x, # new\n  y]\n- 1\n",
        "l:\n- [x,\n  y]\n- 1\n- 2\n", "l:\n- [x, # new\n  y]\n- 1\n- 2\n",
        [],
    ),
    "of a document in brackets": (
        "{x: 1,\n y: 2}\n", "{x: 1, # new\n y: 2}\n",
        "{x: 1,\n y: 2}\n# end\n", "{x: 1, # new\n y: 2}\n# end\n",
        [],
    ),
    "behind a document in brackets": ("{a: 1}\n", "{a: 1} # new\n", "{a: 1} # mine\n", "{a: 1} # mine\n", [f" {KEPT}"]),
    "behind a document in brackets, in the line of its start": (
        "--- {a: 1}\n", "--- {a: 1} # new\n", "--- {a: 1} # mine\n", "--- {a: 1} # mine\n", [f" {KEPT}"],
    ),
    "behind a text": ("a\n", "a # new\n", "a # mine\n", "a # mine\n", [f" {KEPT}"]),
    "behind JSON": ('{"a": 1}\n', '{"a": 1} # new\n', '{"a": 2}\n', '{"a": 2}\n', [f" {KEPT}"]),
    "with the one behind them": (
        "a: [x,\n  y]\n", "a: [x, # new\n  y] # of a\n",
        "a: [x,\n  y]\nz: 1\n", "a: [x, # new\n  y] # of a\nz: 1\n",
        [],
    ),
    "beside one of local's behind them": (
        "a: [x,\n  y]\n", "a: [x, # new\n  y]\n",
        "a: [x,\n  y] # mine\n", "a: [x, # new\n  y] # mine\n",
        [],
    ),
    "local's stays where update changes an element": (
        "a: [\n  x,\n  y,\n  z\n]\n", "a: [\n  v,\n  y,\n  z\n]\n",
        "a: [\n  x,\n  y,\n  z # mine\n]\n", "a: [\n  v,\n  y,\n  z # mine\n]\n",
        [],
    ),
    "both changed one": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  x, # new\n  y\n]\n",
        "a: [\n  x, # mine\n  y\n]\n", "a: [\n  x, # mine\n  y\n]\n",
        [f"a {KEPT}"],
    ),
    "local changed the lines": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  x, # new\n  y\n]\n",
        "a: [x, y]\n", "a: [x, y]\n",
        [f"a {KEPT}"],
    ),
    "local has another element there": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  x, # new\n  y\n]\n",
        "a: [\n  w,\n  y\n]\n", "a: [\n  w,\n  y\n]\n",
        [f"a {KEPT}"],
    ),
    "both changed an element, and local's has one": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  v,\n  y\n]\n",
        "a: [\n  w, # mine\n  y\n]\n", "a: [\n  v,\n  y\n]\n",
        [f"a {REPLACED}"],
    ),
    "both changed an element, and update's has one": (
        "a: [\n  x,\n  y\n]\n", "a: [\n  v, # new\n  y\n]\n",
        "a: [\n  w,\n  y\n]\n", "a: [\n  v, # new\n  y\n]\n",
        [],
    ),
    "lines that are no YAML together": (
        "a: [ 'x\n    m\n    n\n    y',\n  z\n]\n", 'a: [ "x\n    m\n    n\n    y",\n  z # new\n]\n',
        "a: [ 'w\n    m\n    n\n    y',\n  z\n]\n", "a: [ 'w\n    m\n    n\n    y',\n  z # new\n]\n",
        [],
    ),
    "local has them in lines": (
        "a: [\n  x\n]\n", "a: [\n  x # new\n]\n",
        "a:\n- x\n", "a:\n- x\n",
        [f"a {KEPT}"],
    ),
    "a scalar comes in their place": (
        "a: [x]\n", "a: 1\n",
        "a: [\n  x # mine\n]\n", "a: 1\n",
        [f"a {GIVES_WAY}"],
    ),
    "an anchor, which is written in one place": (
        "a: &x [x,\n  y]\nb: *x\n", "a: &x [x, # new\n  y]\nb: *x\n",
        "a: &x [x,\n  y]\nb: *x\nz: 1\n", "a: &x [x, # new\n  y]\nb: *x\nz: 1\n",
        [],
    ),
    "a line break that an editor does not take for one": (
        "a: ['x',\n  y]\n", "a: ['x', # new\n  y]\n",
        "a: ['x\u2028',\n  y]\n", "a: ['x\u2028',\n  y]\n",
        [f"a {KEPT}"],
    ),
    "brackets that are deleted": (
        "a:\n  k: [x,\n    y]\nb: 1\n", "b: 1\n",
        "a:\n  k: [x, # mine\n    y]\nb: 1\n", "b: 1\n",
        [f"a {LOST}"],
    ),
    "between a key and its value there is no place": (
        "a:\n  x\n", "a:\n  # new\n  x\n",
        "a:\n  x\nz: 1\n", "a:\n  # new\n  x\nz: 1\n",
        [],
    ),
    "one of local's is told where an explicit key makes one value of all": (
        "? a\n: 1\nb: 1\n", "? a\n: 2\nb: 1\n",
        "? a # mine\n: 1\nb: 1\n", "? a\n: 2\nb: 1\n",
        ["a update's value comes, and a comment of local's is deleted"],
    ),
    "one of local's stays beside an explicit key": (
        "b: 1\nz: 1\nc: {d: 1}\n? a\n: 1\n", "b: 1\nz: 1\nc: {d: 2}\n? a\n: 1\n",
        "b: 1 # mine\nz: 1\nc: {d: 1}\n? a\n: 1\n", "b: 1 # mine\nz: 1\nc: {d: 2}\n? a\n: 1\n",
        [],
    ),
    "nor where brackets stand below their key": (
        "a:\n  [x]\n", "a: # new\n  [x]\n",
        "a:\n  [x]\nz: 1\n", "a: # new\n  [x]\nz: 1\n",
        [],
    ),
    "nor behind a dash": (
        "- x\n- y\n", "- # new\n  x\n- y\n",
        "- x\n- y\n- z\n", "- # new\n  x\n- y\n- z\n",
        [],
    ),
    "nor at an explicit key": (
        "? a\n: x: 1\nb: 1\n", "? a # new\n: x: 1 # of x\nb: 1\n",
        "? a\n: x: 1\nb: 1\nz: 1\n", "? a # new\n: x: 1 # of x\nb: 1\nz: 1\n",
        [],
    ),
    "one of local's there stays above a new value": (
        "a:\n  # old\n  x\n", "a:\n  # old\n  y\n",
        "a:\n  # mine\n  x\n", "a:\n  # mine\n  y\n",
        [],
    ),
    "and that of both sides above new brackets": (
        "a: # old\n  [x]\n", "a: # old\n  [y, z]\n",
        "a: # old\n  [x] # mine\n", "a: # old\n  [y, z] # mine\n",
        [],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TRIPLES.values(), ids=TRIPLES)
def test_comments_inside(origin: str, update: str, local: str, expected: str, told: list[str]) -> None:
    assert written(origin, update, local) == (expected, told)
