"""A change that is proven by the lines of fields is one that the whole text proves, whatever stands in these."""

from __future__ import annotations

import random
from textwrap import indent
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm.yamltree import edits, nodes, parser, sameness
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Scalar, Sequence
from krm.yamltree.outline import Outline, outline

TEXTS = (
    "a: 1\nb:\n  c: x\n  d:\n  - e: 1\n    f: |\n      text\n\n  # below\n  g: >-\n    y\nh: 2\n",
    "- kind: x\n  metadata:\n    labels:\n      a: b # c\n\n    # free\n  s:\n    l:\n    - - 1\n      - {k: v}\n",
    '---\n# top\na:\n  q: "r"\n  t: [1, 2]\n\n  u:\n# left\n  v: |-\n    z\n\nw:\n- x:\n    y: 1\n  z:\n  - 1\n',
    "a:\n  b: |2\n     x\n    y\n\n\n  c: plain\n    goes on\n  d: ''\ne: 1\n   \n",
    "- a:\n    - b: 1\n      c: 2\n    -\n      # in\n      d: 1\n    - e\n  f: >\n    g\n\n     h\n  i: 1\n# end\n",
)
FRAGMENTS = (
    *("x", "y: 1", "\n", "\n\n", " ", "  ", "    ", "- ", "? ", ": ", "# c", " # c", "'", '"', "[", "]", "{", "}", ","),
    *(
        "|",
        ">",
        "|+\n",
        "|\n      ",
        "&x ",
        "*x",
        "!t ",
        "---\n",
        "...\n",
        "\n---",
        "%",
        "\t",
        "a: 2\n",
        "<<: ",
        "\\",
        "\r",
    ),
    *("\n  z: 1", "\n    z: 1\n", "\x85", "\u2028", "\ufeff", "é", "null", "~", "''"),
)
if TYPE_CHECKING:
    from krm.yamltree.nodes import Place

SEEDS = st.integers(0, 2**32)


def fields(found: Outline, place: Place = ()) -> list[Place]:
    """Return the places of all fields that an outline knows."""
    return [each for step in found.spans(place) or () for each in ((*place, step), *fields(found, (*place, step)))]


def random_edits(dice: random.Random, found: Outline, place: Place) -> list[Edit]:
    """Return edits behind the head of a field that may break everything."""
    made, start = [], found.head(place) + 1
    stop = found.span(place)[1]
    for _ in range(dice.randint(1, 2)):
        start = dice.randint(min(start, stop), stop)
        end = dice.choice([start, start, dice.randint(start, min(start + 12, stop))])
        made.append(Edit(start, end, "".join(dice.choice(FRAGMENTS) for _ in range(dice.randint(0, 4)))))
        start = end
    return made


def is_sound(seed: int) -> bool:
    """Make random edits of a field. If it can be read alone, hold that against the whole; return whether it can."""
    dice = random.Random(seed)  # noqa: S311 - edits, no secrets
    text = dice.choice(TEXTS)
    before = parser.parse(text).root
    is_element = isinstance(before, Sequence)
    found = outline(text, is_element=is_element)
    if found is None:
        return False
    place = dice.choice(fields(found))
    made = random_edits(dice, found, place)
    read = found.alone(place, made, is_element=is_element)
    if read is None:
        return False
    whole = parser.parse(edits.apply(text, made)).root
    place = (*(0,) * is_element, *place)
    now = nodes.written_at(whole, place)
    assert now is not None
    assert sameness.same(now, read[1])
    assert not isinstance(now, Collection) or now.flow or now.column == read[1].column  # type: ignore[union-attr]
    # All else is as it was.
    something = Scalar(0, 0, "", "", None, None)
    assert sameness.same(nodes.overlaid(whole, {place: something}), nodes.overlaid(before, {place: something}))
    return True


@given(SEEDS)
@settings(deadline=None)
def test_what_is_read_in_the_lines_of_a_field_is_what_the_whole_text_says(seed: int) -> None:
    is_sound(seed)


LONG = f"# {'long ' * 250}\n"

PROVEN: dict[str, tuple[str, dict[tuple[str | int, ...], str], bool]] = {
    "a new entry": ("a:\n  b: 1\n", {("a", "c"): "x"}, True),
    "a new entry of the root": ("a:\n  b: 1\n", {("c",): "x"}, False),
    "a value above others": ("a:\n  b: 1\n  c: 1\n", {("a", "b"): "x"}, True),
    "the last line, without an end": ("a:\n  b: 1", {("a", "b"): "x"}, False),
    "above blanks at the end": ("a:\n  b: 1\n  \n", {("a", "b"): "x"}, True),
    "an anchor that is shown elsewhere": ("a:\n  b: &x 1\nc: *x\n", {("a", "b"): "x"}, False),
    "a tag": ("a:\n  b: 1\nc: !t 1\n", {("a", "b"): "x"}, False),
    "an explicit key": ("? a\n: 1\nb: 1\n", {("b",): "x"}, False),
    "in brackets": ("a: {b: 1}\n", {("a", "b"): "x"}, True),
    "an escape of a character": ('a: "\\ud83d\\ude00"\nb: 1\n', {("a",): "x"}, True),
    "beside an escape": ('a: "\\ud83d\\ude00"\nb: 1\n', {("b",): "x"}, True),
    "around an escape": ('a:\n  b: "\\ud83d\\ude00"\n', {("a", "n"): "x"}, False),
    "around an odd line break": ('a: 1\nb: "x\u2028y"\nc: 1\n', {("a",): "x"}, False),
    "an element": ("a:\n- 1\n- 2\n", {("a", 0): "x"}, True),
    "an entry of an element": ("a:\n- b: 1\n", {("a", 0, "c"): "x"}, True),
    "an element of a list within a list": ("a:\n- - 1\n  - 2\n- 3\n", {("a", 0, 0): "x"}, True),
    "an element below its dash": ("a:\n-\n  1\n- 2\n", {("a", 1): "x"}, True),
    "a comment below": ("a:\n  b: |\n    x\n    # c\nd: 1\n", {("a", "b"): "x"}, True),
    "two mappings": ("a:\n  b: 1\nc:\n  d: 1\n", {("a", "b"): "x", ("c", "d"): "y"}, True),
    "new entries where one mapping ends and the next begins": (
        "a:\n  b:\n    c: 1\n  d:\n    e: 1\n",
        {("a", "b", "n"): "x", ("a", "d", "n"): "y"},
        True,
    ),
    "elements": ("a:\n- b: 1\n- b: 1\n  c: 1\n- 1\n", {("a", 0, "n"): "x", ("a", 1, "b"): "y"}, True),
    "one that is amended, and stays as it was": ("a:\n  b: 1\nc: [y]\n", {("a", "b"): "x", ("c", 0): "y"}, True),
    "an element itself": ("a:\n- b: 1\n- 1\n", {("a", 0, "b"): "x", ("a", 1): "y"}, True),
    "an entry more beside a change": ("a: 1\nb:\n- c: 1\n", {("b", 0, "c"): "x", ("n",): "y"}, False),
}


@pytest.mark.parametrize("name", PROVEN)
@pytest.mark.parametrize(("dash", "depth", "place"), [("", "", ()), ("- ", "  ", (0,))], ids=["root", "element"])
def test_whether_the_lines_of_fields_are_enough(name: str, dash: str, depth: str, place: tuple[int, ...]) -> None:
    text, wanted, alone = PROVEN[name]
    editor = Editor(dash + indent(f"z: 1\n{LONG}{text}", depth).removeprefix(depth))
    changes = editor.changes()
    for path, value in wanted.items():
        changes.set((*place, *path), value)
    editor.make(changes)
    assert (editor.parsed is None) is alone
    for path, value in wanted.items():
        node = editor.get((*place, *path))
        assert node is not None
        assert node.value == value


@pytest.mark.parametrize("text", [f"a: 1\nb: 22 {LONG}", f"{LONG}{{b: 1}}\n", f"{LONG}? a\n: 1\nb: 1\n"])
def test_what_is_half_of_a_text_or_has_no_lines_is_read_with_the_rest(text: str) -> None:
    editor = Editor(text)
    editor.set(("b",), 3)
    assert editor.parsed is not None


def test_nesting_is_counted_in_the_whole() -> None:
    text = "".join(f"{' ' * depth}a:\n" for depth in range(199)) + " " * 199 + "b: 1\n"
    editor = Editor(text)
    path = ("a",) * 199
    editor.set((*path, "c"), 1)
    assert editor.parsed is None
    with pytest.raises(EditError):
        editor.set((*path, "c"), {"d": {"e": 1}})
