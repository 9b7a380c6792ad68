"""The merge of sequences of units: cases, and laws."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from krm.merge import units
from krm.merge.units import Stretch

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from krm.merge.units import MergedUnit, Order, Unit


def read(text: str) -> list[Unit]:
    """Return units: `a1` is an entry with key and value, `#x` a comment, `.` a blank line."""
    return [(None, word.strip(".")) if word[0] in "#." else (word[0], word) for word in text.split()]


def shown(pieces: list[MergedUnit]) -> str:
    def one(piece: MergedUnit) -> str:
        if not isinstance(piece, Stretch):
            return piece[1] or "."
        return "<{}|{}|{}>".format(
            *(",".join(text for _, text in side) for side in (piece.local, piece.origin, piece.update))
        )

    return " ".join(map(one, pieces))


# origin, update, local; in free order and in a list whose order is data.
CASES = {
    "a comment that both moved": ("a1 #x b1", "#x a1 b1", "a1 b1 #x", "#x a1 b1 #x", "#x a1 b1 #x"),
    "an entry goes with its comment, or that alone": ("#x a1 b1", "b1", "a1 b1", "b1", "b1"),
    "each changed another entry": ("a1 b1", "a2 b1", "a1 b2", "a2 b2", "a2 b2"),
    "both changed one": ("a1", "a2", "a3", "<a3|a1|a2>", "<a3|a1|a2>"),
    "both added one in one place": ("a1", "a1 u1", "a1 l1", "a1 l1 u1", "a1 <l1||u1>"),
    "both added one in one place, and one changed the comment below": (
        "a1 #x b1",
        "a1 u1 #y b1",
        "a1 l1 #x b1",
        "a1 l1 u1 #y b1",
        "a1 <l1,#x|#x|u1,#y> b1",
    ),
    "both added one, on either side of a comment that one changed": (
        "a1 #x b1",
        "a1 #y u1 b1",
        "a1 l1 #x b1",
        "a1 l1 #y u1 b1",
        "a1 l1 #y u1 b1",
    ),
    "each made an entry of another comment": (
        "a1 #x #y b1",
        "a1 u1 #y b1",
        "a1 #x l1 b1",
        "a1 u1 l1 b1",
        "a1 u1 l1 b1",
    ),
    "both brought one comment, and one changed that below": (
        "a1 #x b1",
        "a1 #z #y b1",
        "a1 #z #x b1",
        "a1 #z #y b1",
        "a1 #z #y b1",
    ),
    "touching": ("a1 b1", "a1 u1 b1", "a1 b2", "a1 u1 b2", "a1 u1 b2"),
    "each took one away": ("a1 b1 c1", "b1 c1", "a1 c1", "c1", "c1"),
    "deleted and changed": ("a1 b1", "b1", "a2 b1", "<a2|a1|> b1", "<a2|a1|> b1"),
    "a block deleted in which one changed": ("a1 b1 c1", "c1", "a1 b2 c1", "<b2|b1|> c1", "<b2|b1|> c1"),
    "an entry that both took away, one with a comment for it": (
        "a1 b1 c1",
        "a1 #x c1",
        "a1 c2",
        "a1 #x c2",
        "a1 #x c2",
    ),
    "a comment that both took away, one with an entry for it": ("a1 #x", "a1 u1", "l1 a1", "l1 a1 u1", "l1 a1 u1"),
    "an entry that one took away, and one with another for it": ("a1 b1", "a1 u1", "a1", "a1 u1", "a1 <|b1|u1>"),
    "moved and changed": ("a1 b1 c1", "b1 c1 a1", "a2 b1 c1", "b1 c1 a2", "<a2,b1,c1|a1,b1,c1|b1,c1,a1>"),
    "both added one below the last comment": ("a1 #t", "a1 #t x1", "a2 #t x1", "a2 #t x1", "a2 #t x1"),
    "both put one below another one's comment, in two places": (
        "#c a1 b1",
        "b1 #c s1",
        "#c s1 b1",
        "#c s1 b1",
        "<#c,s1,b1|#c,a1,b1|b1,#c,s1>",
    ),
    "both put one below the comment of a moved one": (
        "#c b1 a1 d1 e1",
        "#c x1 a1 d1 b1 e2",
        "#c x1 y1 a1 d1 b1 e1",
        "#c x1 y1 a1 d1 b1 e2",
        "#c <x1,y1|b1|x1> a1 d1 b1 e2",
    ),
    "both gave a comment to what one moved": (
        "a1 b1 #c c1",
        "a1 b1 #x #c c2",
        "#x #c c1 a1 b1",
        "#x #c c2 a1 b1",
        "<#x,#c,c1,a1,b1|a1,b1,#c,c1|a1,b1,#x,#c,c2>",
    ),
    "both added a comment, one with an entry and its comment below": (
        "a1",
        "a1 #c",
        "a1 #c #d x1",
        "a1 #c #d x1",
        "a1 #c #d x1",
    ),
    "each added an entry below one comment, one with another comment": (
        "a1",
        "a1 #c u1",
        "a1 #c #d x1",
        "a1 #c #d x1 u1",
        "a1 #c <#d,x1||u1>",
    ),
    "both added one and a comment below, one with another entry between": (
        "a1 b1",
        "a1 u1 s1 #c b1",
        "s1 #c b1",
        "s1 u1 #c b1",
        "<s1,#c|a1|a1,u1,s1,#c> b1",
    ),
    "both added one and a comment below, one with another comment": (
        "a1 b1",
        "s1 #f #g b1",
        "s1 #f a1 b1",
        "s1 #f #g b1",
        "<s1,#f,a1|a1|s1,#f,#g> b1",
    ),
    "moved with its comment": ("#x a1 b1", "b1 #x a1", "#x a2 b1", "b1 #x a2", "b1 #x a2"),
    "both added one key in two places": (
        "a1 b1",
        "x1 a1 b1",
        "a1 b1 x2",
        "a1 b1 <x2||x1>",
        "<a1,b1,x2|a1,b1|x1,a1,b1>",
    ),
    "a comment of each": ("a1 b1", "#u a1 b1", "a1 #l b1", "#u a1 #l b1", "#u a1 #l b1"),
    "one comment, two answers": ("#o a1", "#u a1", "#l a1", "<#l|#o|#u> a1", "<#l|#o|#u> a1"),
    "two groups": (
        "#g a1 . #h b1",
        "#g a1 u1 . #h b1",
        "#g a1 . #h l1 b1",
        "#g a1 u1 . #h l1 b1",
        "#g a1 u1 . #h l1 b1",
    ),
    "a comment goes with its entry": ("#a a1 b1", "b1", "#a a1 b2", "b2", "b2"),
    "a heading that all have, above what both added": (
        "a1 #g b1",
        "a1 #g n1 b1",
        "a1 #g n1 m1 b1",
        "a1 #g n1 m1 b1",
        "a1 #g <n1,m1||n1> b1",
    ),
    "a section above one that the other side took away": (
        "a1 . #old o1",
        "a1 . #new n1 . #old o1",
        "a1",
        "a1 . #new n1",
        "a1 . #new n1",
    ),
    "a section behind one that the other side took away": (
        "a1 . #old o1 . #z z1",
        "a1 . #old o1 . #new n1 . #z z1",
        "a1 . #z z1",
        "a1 . #new n1 . #z z1",
        "a1 . #new n1 . #z z1",
    ),
    "a section beside lines that come and go": (
        "a1 #y . #y b1",
        "a1 . n1 . #y #x b1",
        "a1 #y . #y b2",
        "a1 . n1 . #y #x b2",
        "a1 . n1 . #y #x b2",
    ),
    "a section in the place of another one": ("#old o1", "", "#new n1", "#new n1", "<#new,n1|#old,o1|>"),
    "a comment of each on what both added": ("a1", "#u n1 a1", "#l n1 a1", "#l #u n1 a1", "<#l,n1||#u,n1> a1"),
    "what both added below other comments, in two places": (
        "a1",
        "#u n1 a1",
        "a1 #l n1",
        "a1 #l #u n1",
        "<a1,#l,n1|a1|#u,n1,a1>",
    ),
    "moved between equal lines, with other words there": (
        "#r #a #r a1 #r #b #r b1 #r #c #r c1",
        "#r #a #r a1 #r #b #r b1 #r #c #r c2",
        "#r #x #r b1 #r #a #r a1 #r #c #r c1",
        "#r #x #r b1 #r #a #r a1 #r #c #r c2",
        "#r #x #r b1 #r #a #r a1 #r #c #r c2",
    ),
    "moved below words that the other changed": (
        "#a a1 #b b1 #c c1",
        "#a a1 #x b1 #c c1",
        "#b b1 #a a1 #c c1",
        "#x b1 #a a1 #c c1",
        "<#b,b1,#a,a1|#a,a1,#b,b1|#a,a1,#x,b1> #c c1",
    ),
    "moved with its comment, and deleted": (
        "#a a1 #b b1 #c c1",
        "#a a1 #c c1",
        "#b b1 #a a1 #c c1",
        "#a a1 #c c1",
        "<#b,b1,#a,a1|#a,a1,#b,b1|#a,a1> #c c1",
    ),
    "both moved one, and one with other words": (
        "#a a1 #b b1 #c c1 #d d1",
        "#a a1 #x d1 #b b1 #c c1",
        "#a a1 #c c1 #b b1 #d d1",
        "#a a1 #x d1 #c c1 #b b1",
        "#a a1 <#c,c1,#b,b1,#d,d1|#b,b1,#c,c1,#d,d1|#x,d1,#b,b1,#c,c1>",
    ),
    "moved, and the comment above it is of another entry": (
        "#g a1 b1 c1",
        "#g b1 c1",
        "#g a1 c1 b1",
        "#g c1 b1",
        "#g c1 b1",
    ),
    "both added the same comment": ("a1", "#x a1", "#x a1 l1", "#x a1 l1", "#x a1 l1"),
}


@pytest.mark.parametrize(("origin", "update", "local", "free", "ordered"), CASES.values(), ids=CASES)
def test_cases(origin: str, update: str, local: str, free: str, ordered: str) -> None:
    sides = read(origin), read(update), read(local)
    assert shown(units.merged(*sides, "free")) == free
    assert shown(units.merged(*sides, "apart")) == ordered


@st.composite
def sides(draw: st.DrawFn) -> list[list[Unit]]:
    """Return origin and what two sides made of it: entries changed, taken away, moved and added, comments too."""
    keys = draw(st.lists(st.sampled_from("abcde"), unique=True, max_size=4))
    origin = read(" ".join(draw(st.sampled_from([f"{key}1", f"#{key} {key}1"])) for key in keys))

    def edited(author: str) -> list[Unit]:
        found = [(key, f"{key}{draw(st.sampled_from('112'))}") if key else (key, text) for key, text in origin]
        for number in range(draw(st.integers(0, 2))):
            at = draw(st.integers(0, len(found)))
            what = draw(st.sampled_from(["comment", "entry", "shared", "gone", "moved"]))
            if what == "comment":
                found.insert(at, (None, f"#{author}{number}"))
            elif what in ("entry", "shared"):
                key = f"{author}{number}" if what == "entry" else "x"
                found = [unit for unit in found if unit[0] != key]
                found.insert(min(at, len(found)), (key, f"{key}1"))
            elif at < len(found):
                unit = found.pop(at)
                if what == "moved":
                    found.insert(draw(st.integers(0, len(found))), unit)
        return found

    return [origin, edited("u"), edited("l")]


def test_side_by_side_keeps_each_entry_once() -> None:
    origin, update, local = read("a1 b1"), read("b1 a1"), read("a1 b2")
    assert units.side_by_side((origin, update, local)) is None
    assert units.side_by_side((origin, read("a2 b1"), local)) == read("a2 b2")


orders = pytest.mark.parametrize("order", ["free", "apart", "touching"])


def wins_of(origin: Sequence[Hashable], *sides: Sequence[Hashable]) -> Counter[Hashable]:
    """Return ahead of how many others each entry is due: of two the side that moved one past the other decides."""
    found: Counter[Hashable] = Counter()
    for one, other in combinations(origin, 2):
        is_flipped = any(side.index(one) > side.index(other) for side in sides)
        found[other if is_flipped else one] += 1
    return found


def are_in_one_order(origin: Sequence[Hashable], wins: Counter[Hashable]) -> bool:
    """True unless three moves contradict each other."""
    return len({wins[key] for key in origin}) == len(origin)


def kept(pieces: list[MergedUnit]) -> Counter[Unit]:
    return Counter(piece for piece in pieces if not isinstance(piece, Stretch))


def chosen(pieces: list[MergedUnit], side: str) -> Counter[Unit]:
    """Return how often each unit is there once one side is chosen at each conflict."""
    return Counter(
        unit for piece in pieces for unit in (getattr(piece, side) if isinstance(piece, Stretch) else [piece])
    )


@orders
@given(sides())
def test_a_side_that_did_not_change_gives_way_to_the_other(order: Order, drawn: list[list[Unit]]) -> None:
    origin, one, _ = drawn
    assert units.merged(origin, one, origin, order) == one
    assert units.merged(origin, origin, one, order) == one
    assert units.merged(origin, one, one, order) == one


@orders
@given(sides())
def test_swapped_sides_give_the_same(order: Order, drawn: list[list[Unit]]) -> None:
    origin, update, local = drawn
    pieces, swapped = (units.merged(origin, *pair, order) for pair in ((update, local), (local, update)))
    entries, others = ({unit for unit in kept(each) if unit[0] is not None} for each in (pieces, swapped))
    assert entries == others


@orders
@given(sides())
@example([read("a1 b1 c1 d1"), read("#u1 b1 c1 a1 d1"), read("a1 c1 d1 b1")])
def test_entries_that_all_have_around_a_merge_stay_around_it(order: Order, drawn: list[list[Unit]]) -> None:
    first, last = read("#y y1 #z z1"), read("v1 #v w1 #w")
    origin, update, local = ([*first, *side, *last] for side in drawn)
    pieces = units.merged(origin, update, local, order)
    assert (pieces[: len(first)], pieces[-len(last) :]) == (first, last)
    origin, update, local = drawn
    keys = [[key for key, _ in side] for side in drawn]
    common = [key for key in keys[0] if key is not None and key in keys[1] and key in keys[2]]
    # What is around may decide where an entry stands of which three moves contradict each other.
    if order != "free" or are_in_one_order(common, wins_of(common, *keys[1:])):
        assert shown(pieces[len(first) : -len(last)]) == shown(units.merged(origin, update, local, order))


@given(sides())
def test_no_entry_is_there_more_often_than_both_sides_account_for(drawn: list[list[Unit]]) -> None:
    origin, update, local = drawn
    pieces = units.merged(origin, update, local, "free")
    for side in ("update", "local"):
        entries = {unit: times for unit, times in chosen(pieces, side).items() if unit[0] is not None}
        for unit, times in entries.items():
            of_origin, of_update, of_local = (Counter(each)[unit] for each in drawn)
            assert times <= max(of_origin, of_update, of_local, of_update + of_local - of_origin)
        assert all(times == 1 for times in Counter(key for key, _ in entries).values())


@given(st.permutations("abcde"), st.permutations("abcde"))
def test_of_two_entries_the_side_that_moved_one_past_the_other_decides(update: list[str], local: list[str]) -> None:
    origin = "abcde"
    wins = wins_of(origin, update, local)
    before, new, own = ([(key, key) for key in side] for side in (origin, update, local))
    found = [text for _, text in kept(units.merged(before, new, own, "free"))]
    assert sorted(found) == [*origin]
    # Else three moves contradict each other.
    if are_in_one_order(origin, wins):
        assert found == sorted(origin, key=wins.__getitem__, reverse=True)


@given(sides())
def test_each_entry_goes_by_the_base_rule(drawn: list[list[Unit]]) -> None:
    """Beside a merge by brute force: of each key, and of each comment that a side wrote, by itself."""
    origin, update, local = drawn
    pieces = units.merged(origin, update, local, "free")
    found = {key: text for key, text in kept(pieces) if key is not None}
    in_conflict = {
        key for piece in pieces if isinstance(piece, Stretch) for side in (piece.update, piece.local) for key, _ in side
    }
    maps = [{key: text for key, text in side if key is not None} for side in drawn]
    for key in {key for side in maps for key in side}:
        before, new, own = (side.get(key) for side in maps)
        if new != own and before not in (new, own):
            assert key in in_conflict
        else:
            assert found.get(key) == (new if own == before else own)
    written = {text for side in drawn[1:] for key, text in side if key is None} - {text for key, text in drawn[0]}
    assert written <= {text for side in ("update", "local") for _, text in chosen(pieces, side)}


@st.composite
def sections(draw: st.DrawFn) -> list[list[str]]:
    """Return origin and two sides that each took away and put in sections: an entry, with comments of its own above."""
    origin = [*draw(st.sampled_from(["", "a", "ab", "abcd"]))]

    def edited(author: str) -> list[str]:
        found = [key for key in origin if draw(st.integers(0, 2))]
        for key in (author, author.upper(), "x"):
            if draw(st.booleans()):
                found.insert(draw(st.integers(0, len(found))), key)
        return found

    return [origin, edited("u"), edited("l")]


@given(
    sections(), st.dictionaries(st.sampled_from("abcduUlLx"), st.sampled_from(["", ".", "#", ". #", ". # ##", "##"]))
)
def test_a_comment_comes_and_goes_with_the_entry_below_it(drawn: list[list[str]], above: dict[str, str]) -> None:
    written = {key: f"{above.get(key, '')} {key}1".replace("#", f"#{key}") for key in "abcduUlLx"}
    origin, update, local = ([unit for key in side for unit in read(written[key])] for side in drawn)
    pieces = units.merged(origin, update, local, "free")
    comments: list[str] = []
    found = {}
    for piece in pieces:
        assert not isinstance(piece, Stretch)
        if piece[0] is not None:
            found[piece[0]], comments = comments, []
        elif piece[1]:
            comments.append(piece[1])
    before, new, own = map(set, drawn)
    assert not comments
    assert found == {
        key: [word for word in written[key].split() if word[0] == "#"]
        for key in (new & own) | (new - before) | (own - before)
    }
