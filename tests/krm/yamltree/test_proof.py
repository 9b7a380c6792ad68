"""A change that is proven in its regions alone is one that the whole text proves, whatever stands in these."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm.yamltree import edits, parser, proof, sameness
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Collection, Mapping, Node, Sequence
from krm.yamltree.parser import ParseError
from krm.yamltree.target import AmendedMapping, AmendedSequence

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


def blocks(node: Node | None, path: tuple[int, ...] = ()) -> list[tuple[tuple[int, ...], Mapping | Sequence]]:
    """Return the block collections of a tree, each with the numbers of the kids that lead there."""
    found = [(path, node)] if isinstance(node, Mapping | Sequence) and not node.flow and node.kids else []
    for number, kid in enumerate(node.kids if isinstance(node, Collection) else ()):
        found += blocks(kid, (*path, number))
    return found


def region(text: str, block: Mapping | Sequence, depth: int) -> proof._Region:
    target = AmendedMapping(block, {}) if isinstance(block, Mapping) else AmendedSequence(block, [])
    return proof._Region(text, target, depth)  # noqa: SLF001 - to be tested


def random_changes(dice: random.Random) -> tuple[str, list[tuple[tuple[int, ...], proof._Region]]]:
    """Return a text and regions around edits that may break everything, each with the way to its block."""
    text = dice.choice(TEXTS)
    there = blocks(parser.parse(text).root)
    found, position = [], 0
    for path, block in sorted(dice.sample(there, min(dice.choice([1, 2, 3]), len(there)))):
        if block.start < position:
            continue
        part = region(text, block, len(path))
        start = block.start
        for _ in range(dice.randint(1, 2)):
            start = dice.randint(start, max(start, min(block.end + 3, len(text))))
            end = dice.choice([start, start, dice.randint(start, min(start + 12, len(text)))])
            part.changed.append(Edit(start, end, "".join(dice.choice(FRAGMENTS) for _ in range(dice.randint(0, 4)))))
            start = end
        found.append((path, part))
        position = block.end
    return text, found


def read_alone(part: proof._Region) -> list[Node]:
    """Return what is in a block after its edits, by its lines alone; nothing if they prove nothing."""
    try:
        read = parser.parse(part.framed(), levels=part.depth)
        inside = part.inside(read.root)
    except (ParseError, ValueError):
        return []
    block = part.collection
    found = [*block.kids[: part.nodes * part.first], *inside, *block.kids[part.nodes * part.last :]]
    keys = [kid.value for kid in found[::2]] if isinstance(block, Mapping) else []
    return found if inside and not read.shares and len(set(keys)) == len(keys) else []


def is_sound(seed: int) -> bool:
    """Make random changes. If their regions can be read alone, hold that against the whole; return whether they can."""
    text, found = random_changes(random.Random(seed))  # noqa: S311 - edits, no secrets
    before = parser.parse(text)
    if before.shares or not all(part.is_found() for _, part in found):
        return False
    if any(one.end > other.start for (_, one), (_, other) in pairwise(found)):
        return False
    kids = [read_alone(part) for _, part in found]
    if not all(kids):
        return False
    whole = parser.parse(edits.apply(text, [edit for _, part in found for edit in part.changed])).root
    for (path, part), expected in zip(found, kids, strict=True):
        now = whole
        for number in path:
            assert isinstance(now, Mapping | Sequence)
            now = now.kids[number]
        assert type(now) is type(part.collection)
        assert list(map(sameness.seen, now.kids)) == list(map(sameness.seen, expected))
        now.kids = part.collection.kids
        if isinstance(now, Mapping) and isinstance(part.collection, Mapping):
            now.entries = part.collection.entries
    assert sameness.same(whole, before.root)
    return True


@given(SEEDS)
@settings(deadline=None)
def test_what_is_read_in_regions_is_what_the_whole_text_says(seed: int) -> None:
    is_sound(seed)


PROVEN: dict[str, tuple[str, tuple[str | int, ...], bool]] = {
    "a new entry": ("a:\n  b: 1\n", ("a", "c"), True),
    "an entry behind a dash": ("- a: 1\n  b: 1\n", (0, "a"), True),
    "a value above others": ("a:\n  b: 1\n  c: 1\n", ("a", "b"), True),
    "the last line, without an end": ("a:\n  b: 1", ("a", "b"), True),
    "above blanks at the end": ("a:\n  b: 1\n  ", ("a", "b"), True),
    "an anchor that is shown elsewhere": ("a:\n  b: &x 1\nc: *x\n", ("a", "b"), False),
    "an explicit key": ("? a\n: 1\nb: 1\n", ("b",), True),
    "behind an explicit key": ("? a\n: 1\nb: 1\n", ("a",), False),
    "in brackets": ("a: {b: 1}\n", ("a", "b"), True),
    "in brackets alone": ("{b: 1}\n", ("b",), False),
    "in a tagged mapping": ("a: !t\n  b: 1\n", ("a", "b"), False),
    "an escape": ('a: "\\ud83d\\ude00"\nb: 1\n', ("a",), True),
    "beside an escape": ('a: "\\ud83d\\ude00"\nb: 1\n', ("c",), True),
    "an element": ("- 1\n- 2\n", (0,), True),
    "the last element": ("- 1\n- 2", (1,), True),
    "an element of a list within a list": ("- - 1\n  - 2\n- 3\n", (0, 0), True),
    "an element below its dash": ("-\n  1\n- 2\n", (1,), False),
    "a comment below": ("a:\n  b: |\n    x\n    # c\nd: 1\n", ("a", "b"), True),
}


@pytest.mark.parametrize("name", PROVEN)
def test_whether_the_region_is_enough(name: str) -> None:
    text, path, alone = PROVEN[name]
    editor = Editor(f"# {'long ' * 80}\n{text}")
    editor.set(path, "new")
    assert (editor.parsed is None) is alone
    node = editor.get(path)
    assert node is not None
    assert node.value == "new"


SEVERAL: dict[str, tuple[str, dict[tuple[str | int, ...], str], bool]] = {
    "two mappings": ("a:\n  b: 1\nc:\n  d: 1\n", {("a", "b"): "x", ("c", "d"): "y"}, True),
    "new entries where one mapping ends and the next begins": (
        "a:\n  b:\n    c: 1\n  d:\n    e: 1\n",
        {("a", "b", "n"): "x", ("a", "d", "n"): "y"},
        True,
    ),
    "elements": ("- a: 1\n- a: 1\n  b: 1\n- 1\n", {(0, "n"): "x", (1, "a"): "y"}, True),
    "one that is amended, and stays as it was": ("a:\n  b: 1\nc: [y]\n", {("a", "b"): "x", ("c", 0): "y"}, True),
    "an element itself": ("- a: 1\n- 1\n", {(0, "a"): "x", (1,): "y"}, True),
    "an element more": ("a: 1\nb:\n- c: 1\n", {("b", 0, "c"): "x", ("n",): "y"}, True),
    "one in brackets": ("a:\n  b: {c: 1}\n  d:\n    e: 1\n", {("a", "b", "c"): "x", ("a", "d", "e"): "y"}, True),
    "one in brackets in a list": ("- {a: 1}\n- a: 1\n", {(0, "a"): "x", (1, "a"): "y"}, True),
    "one behind an explicit key": ("a:\n  b: 1\n? c\n: d: 1\n", {("a", "b"): "x", ("c", "d"): "y"}, True),
    "around an escape": ('a: 1\nb: "\\ud83d\\ude00"\nc: 1\n', {("a",): "x", ("c",): "y"}, False),
    "around an odd line break": ('a: 1\nb: "x\u2028y"\nc: 1\n', {("a",): "x", ("c",): "y"}, False),
    "one at the end, without a line end": ("a:\n  b: 1\nc:\n  d: 1", {("a", "b"): "x", ("c", "d"): "y"}, True),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_the_regions_of_several_mappings_are_enough(name: str) -> None:
    text, wanted, alone = SEVERAL[name]
    editor = Editor(f"# {'long ' * 80}\n{text}")
    changes = editor.changes()
    for path, value in wanted.items():
        changes.set(path, value)
    editor.make(changes)
    assert (editor.parsed is None) is alone
    for path, value in wanted.items():
        node = editor.get(path)
        assert node is not None
        assert node.value == value


def test_a_region_that_goes_on_in_the_next_line_is_not_read_alone() -> None:
    text = "a:\n  b: 1\n  c: 2\nd: 1\n"
    [(path, block)] = blocks(parser.parse(text).root)[1:]
    part = region(text, block, len(path))
    part.changed.append(Edit(text.index("1"), text.index("  c"), "1"))
    assert part.is_found()
    assert not part.is_proven()


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
