"""A change that is proven in its region alone is one that the whole text proves, whatever stands in the region."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm.yamltree import edits, parser, region, sameness
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Mapping, Node, Sequence
from krm.yamltree.parser import ParseError

TEXTS = (
    "a: 1\nb:\n  c: x\n  d:\n  - e: 1\n    f: |\n      text\n\n  # below\n  g: >-\n    y\nh: 2\n",
    "- kind: x\n  metadata:\n    labels:\n      a: b # c\n\n    # free\n  s:\n    l:\n    - - 1\n      - {k: v}\n- y\n",
    "# top\n---\na:\n  'q': \"r\n    s\"\n  t: [1,\n2]\n\n  u:\n# left\n  v: |+\n    z\n\nw:\n- x:\n    y: 1\n...\n",
    "a: &x 1\n? b\n: c: 1\n  d: 2\ne:\r\n  f: 1\r\n  g: 2\r\n",
    "a:\n  b: |2\n     x\n    y\n\n\n  c: plain\n    goes on\n  d: ''\ne: 1",
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
    *("\n  z: 1", "\n    z: 1\n", "entry above the region: 0\n", "\x85", "\u2028", "\ufeff", "é", "null", "~", "''"),
)
SEEDS = st.integers(0, 2**32)


def mappings(node: Node | None, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Mapping]]:
    """Return the block mappings of a tree, each with the numbers of the kids that lead there."""
    found = [(path, node)] if isinstance(node, Mapping) and not node.flow and node.kids else []
    for number, kid in enumerate(node.kids if isinstance(node, Collection) else ()):
        found += mappings(kid, (*path, number))
    return found


def random_change(dice: random.Random) -> tuple[str, tuple[int, ...], Mapping, list[Edit]]:
    """Return a text, one of its mappings with the way there, and edits that may break everything."""
    text = dice.choice(TEXTS)
    path, mapping = dice.choice(mappings(parser.parse(text).root))
    made, position = [], mapping.start
    for _ in range(dice.randint(1, 2)):
        start = dice.randint(position, max(position, min(mapping.end + 3, len(text))))
        end = dice.choice([start, start, dice.randint(start, min(start + 12, len(text)))])
        made.append(Edit(start, end, "".join(dice.choice(FRAGMENTS) for _ in range(dice.randint(0, 4)))))
        position = end
    return text, path, mapping, made


def is_sound(seed: int) -> bool:
    """Make a random change. Where its region can be read alone, hold that against the whole; return whether it can."""
    text, path, mapping, made = random_change(random.Random(seed))  # noqa: S311 - edits, no secrets
    part = region._Region(text, mapping)  # noqa: SLF001 - what is proven with it is tested below
    if parser.parse(text).shares or not part.holds(made):
        return False
    try:
        read = parser.parse(part.framed(made), levels=len(path))
        inside = part.entries(read.root)
    except (ParseError, ValueError):
        return False
    above, below = mapping.kids[: 2 * part.first], mapping.kids[2 * part.last :]
    keys = [kid.value for kid in [*above[::2], *inside[::2], *below[::2]]]
    if read.shares or not inside or len(set(keys)) < len(keys):
        return False
    whole = parser.parse(edits.apply(text, made)).root
    now = whole
    for number in path:
        assert isinstance(now, Mapping | Sequence)
        now = now.kids[number]
    assert isinstance(now, Mapping)
    assert list(map(sameness.seen, now.kids)) == list(map(sameness.seen, [*above, *inside, *below]))
    now.kids, now.entries = mapping.kids, mapping.entries
    assert sameness.same(whole, parser.parse(text).root)
    return True


@given(SEEDS)
@settings(deadline=None)
def test_what_is_read_in_a_region_is_what_the_whole_text_says(seed: int) -> None:
    is_sound(seed)


PROVEN: dict[str, tuple[str, tuple[str | int, ...], bool]] = {
    "a new entry": ("a:\n  b: 1\n", ("a", "c"), True),
    "an entry behind a dash": ("- a: 1\n  b: 1\n", (0, "a"), True),
    "a value above others": ("a:\n  b: 1\n  c: 1\n", ("a", "b"), True),
    "the last line, without an end": ("a:\n  b: 1", ("a", "b"), False),
    "an anchor that is shown elsewhere": ("a:\n  b: &x 1\nc: *x\n", ("a", "b"), False),
    "an explicit key": ("? a\n: 1\nb: 1\n", ("b",), True),
    "behind an explicit key": ("? a\n: 1\nb: 1\n", ("a",), False),
    "in brackets": ("a: {b: 1}\n", ("a", "b"), True),
    "in brackets alone": ("{b: 1}\n", ("b",), False),
    "in a tagged mapping": ("a: !t\n  b: 1\n", ("a", "b"), False),
    "an escape": ('a: "\\ud83d\\ude00"\nb: 1\n', ("a",), True),
    "beside an escape": ('a: "\\ud83d\\ude00"\nb: 1\n', ("c",), True),
    "an element": ("- 1\n- 2\n", (0,), False),
    "a comment below": ("a:\n  b: |\n    x\n    # c\nd: 1\n", ("a", "b"), True),
}


@pytest.mark.parametrize("name", PROVEN)
def test_whether_the_region_is_enough(name: str) -> None:
    text, path, alone = PROVEN[name]
    editor = Editor(f"# {'long ' * 40}\n{text}")
    editor.set(path, "new")
    assert (editor.parsed is None) is alone
    node = editor.get(path)
    assert node is not None
    assert node.value == "new"


def test_half_of_a_text_is_read_with_the_rest() -> None:
    editor = Editor("a: 1\nb: 22\n")
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
