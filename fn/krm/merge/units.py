"""The merge of three sequences of units: entries with a key, and lines of comments and blank lines without one.

Nothing here knows YAML. Entries that all sides have are anchors, and the parts between them are merged by the base
rule. A part that both sides changed is a `Stretch`: the caller merges it further, or makes a conflict of it.
"""

from __future__ import annotations

from collections import Counter
from functools import cmp_to_key, partial
from itertools import chain, combinations, pairwise
from operator import attrgetter

from krm.merge import diff
from krm.merge.policy import base_rule, changed_by, won
from krm.yamltree.target import ascending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Literal, TypeAlias

    Unit: TypeAlias = tuple[Hashable | None, Any]
    """A key, None for a comment or a blank line, and the content: a text, or the data of an element."""
    Units: TypeAlias = Sequence[Unit]
    Sides: TypeAlias = tuple[Units, Units, Units]
    """The units of origin, update and local."""
    MergedUnit: TypeAlias = "Unit | Stretch"
    Order: TypeAlias = Literal["free", "apart", "touching", "lines"]
    """`free`: the order is no data. Else changes side by side are two, are one if both are of entries, or are one."""
    Fate: TypeAlias = Literal["update", "local", "entered", "together"]
    """The entry is taken from a side, is merged by its parts, or is one value with all entries that are `together`."""

# The places of two sides among the three.
_UPDATE, _LOCAL = 1, 2


class Change:
    """A change: a side's `units` for those of origin from `start` to `end`. It `is_inside` if entries there stay."""

    def __init__(self, start: int, end: int, side: int, units: Units, *, is_inside: bool) -> None:
        self.start = start
        self.end = end
        self.side = side
        self.units = units
        self.is_inside = is_inside


class Stretch:
    """The units of origin, update and local in a part that both sides changed."""

    def __init__(self, origin: Units, update: Units, local: Units) -> None:
        self.origin = [*origin]
        self.update = [*update]
        self.local = [*local]

    def __iter__(self) -> Iterator[list[Unit]]:
        return iter((self.origin, self.update, self.local))

    @property
    def key(self) -> Hashable | None:
        """The key of an entry that is the only unit of each side that has one, else None."""
        keys = {key for side in self for key, _ in side}
        return keys.pop() if len(keys) == 1 and max(map(len, self)) == 1 else None

    @property
    def key_of_both(self) -> Hashable | None:
        """The key of an entry that is the only unit of both update and local, else None."""
        return self.key if self.update and self.local else None


def merged(
    origin: Units, update: Units, local: Units, order: Order, fates: Mapping[Hashable, Fate] | None = None
) -> list[MergedUnit]:
    """Return the merge of three sequences, in which no key is repeated. `fates` decide entries in free order."""
    alone = None if fates else base_rule(origin, update, local)
    if alone is not None:
        return [*alone]
    if order == "free":
        return _free_order(origin, update, local, fates or {})
    return _in_order([*parts(origin, update, local, order)])


def keys(piece: MergedUnit) -> set[Hashable]:
    """Return the keys of all entries in a piece."""
    return _keys([*chain.from_iterable(piece)] if isinstance(piece, Stretch) else [piece])


def parts(origin: Units, update: Units, local: Units, order: Order) -> Iterator[Sides]:
    """Yield all units in parts, unchanged and changed ones by turns. Overlapping changes are in one part."""
    edits = [edit for number, side in enumerate((update, local)) for edit in _edits(origin, side, number)]
    groups: list[list[Change]] = []
    start = end = 0
    edge = None
    for edit in sorted(edits, key=attrgetter("start", "end", "is_inside", "side")):
        is_twin = bool(groups) and (edit.start, edit.end) == (groups[-1][-1].start, groups[-1][-1].end)
        is_alone = edit.is_inside if order == "touching" else order != "lines"
        is_one = edit.start == end and order != "lines" and bool(groups) and _is_one(groups[-1], edit, order, origin)
        if is_twin or edit.start < end or (edit.start == edge and not is_alone) or is_one:
            groups[-1].append(edit)
        else:
            groups.append([edit])
        end = max(end, edit.end)
        edge = edge if is_alone else edit.end
    for group in groups:
        first, last = group[0].start, max(edit.end for edit in group)
        yield (origin[start:first],) * 3
        new, own = (_edited(origin, first, last, group, side) for side in (0, 1))
        # A comment that both sides bring comes once.
        head = _alike(new, own) if order != "lines" else 0
        tail = _alike(new[head:][::-1], own[head:][::-1]) if order != "lines" else 0
        if head:
            yield [], new[:head], own[:head]
        yield origin[first:last], new[head : len(new) - tail], own[head : len(own) - tail]
        if tail:
            yield [], new[-tail:], own[-tail:]
        start = last
    yield (origin[start:],) * 3


def _is_one(group: list[Change], edit: Change, order: Order, origin: Units) -> bool:
    """True if the change beside a group is of the other side, and both bring a comment, or new entries at one point.

    In order a comment has to come in one place, too. Entries come at one point if no entry of origin is between them,
    unless each of the two replaces a comment of origin: then these tell the order.
    """
    end, start = (None, None) if order == "free" else (-1, 1)
    beside = [each for each in group if each.side != edit.side and each.end == edit.start]
    there = [unit for each in beside for unit in each.units[end:]]
    held = [origin[each.start : each.end] for each in (*beside, edit)]
    is_one_point = order != "free" and not all(held) and not any(map(_keys, held))
    if is_one_point and _keys(there) and _keys(edit.units[:start]):
        return True
    return any(key is None and text.strip() and (key, text) in there for key, text in edit.units[:start])


def _alike(one: Units, other: Units) -> int:
    """Return how many comments two sides have in common at the start, with the blank lines between them."""
    found = 0
    for number, (here, there) in enumerate(zip(one, other, strict=False), start=1):
        if here != there or here[0] is not None:
            break
        found = number if here[1].strip() else found
    return found


def side_by_side(sides: Iterable[Units], order: Order = "touching") -> list[Unit] | None:
    """Return a part with the changes of both sides, None if these are more than neighbours in a list of options.

    Two insertions at one point are more, and a deletion beside a change (docs/reference/merge.md, "Neighbours").
    """
    if order != "touching":
        return None
    found: list[Unit] = []
    origin, update, local = sides
    for before, new, own in parts(origin, update, local, "apart"):
        one = base_rule(before, new, own)
        if one is None or (before and not one):
            return None
        found += one
    keys = Counter(key for key, _ in found if key is not None)
    is_whole = (_keys(update) & _keys(local)) <= keys.keys() and max(keys.values(), default=0) <= 1
    return found if is_whole else None


# Moved entries.


def _at_final_positions(origin: Units, update: Units, local: Units, entries: _MergedEntries) -> list[Units]:
    """Return the sides. An entry that one moved, or that both added, is in each only where the merge has it."""
    by_update, by_local = _moved(origin, update), _moved(origin, local)
    if by_update and by_local:
        local = _in_order_of_both(origin, update, local)
        by_local = _moved(origin, local) | (by_update & _keys(local))
    by_local |= (_keys(local) & _keys(update)) - _keys(origin)
    by_update -= by_local
    sides = [origin, update, local]
    for mover, moved in ((_LOCAL, by_local), (_UPDATE, by_update)):
        if moved:
            sides = _only_where_moved(sides, mover, moved, entries)
    return sides


def _only_where_moved(sides: list[Units], mover: int, moved: set[Hashable], entries: _MergedEntries) -> list[Units]:
    """Return the sides. The entries that one of them moved, and the comments above them, are in this one alone.

    These comments follow the base rule.
    """
    before, update, local = map(_comments_above, sides)
    new, own = (update, local) if mover == _LOCAL else (local, update)
    there = {*sides[0]}
    of_moved = {comment for key in before.keys() & moved for comment in before[key]}
    # Another comment of origin, below which an entry was moved or added, stays.
    kept = there - of_moved
    found: list[Unit] = []
    for unit in sides[mover]:
        key = unit[0]
        if key in moved and key in before and (key in new or not any(entries.of(unit))):
            was, first = before[key], len(found) - len(before[key])
            theirs, mine = ([each for each in side.get(key, ()) if each not in kept] for side in (new, own))
            if found[first:] == was:
                found[first:] = [each for each in theirs if each in was or each not in mine]
            elif key in new and theirs not in (was, mine):
                entries.above[key] = [Stretch(was, *((theirs, mine) if mover == _LOCAL else (mine, theirs)))]
                found[len(found) - len(own[key]) :] = [each for each in own[key] if each in kept]
            own[key] = own[key] + (theirs if theirs != was else [])
        found.append(unit)
    lost = of_moved - {*sides[mover]}
    gone = {key: {*own[key], *lost} - (kept if key in before else there) for key in moved}
    blanks = _blanks_above(sides[0])
    return [found if number == mover else _without(side, gone, blanks) for number, side in enumerate(sides)]


def _moved(origin: Units, side: Units) -> set[Hashable]:
    """Return the keys of the fewest entries whose move explains the order of a side."""
    positions = {key: number for number, (key, _) in enumerate(origin) if key is not None}
    there = [positions[key] for key, _ in side if key in positions]
    stays = {*ascending(there)}
    return {origin[number][0] for number in there if number not in stays}


def _in_order_of_both(origin: Units, update: Units, local: Units) -> list[Unit]:
    """Return local in the order of both sides: of two entries a side that moved one past the other decides.

    Each entry brings the comments above it. If three moves contradict each other, the order is one in between.
    """
    places = [{key: number for number, (key, _) in enumerate(side)} for side in (origin, update, local)]
    common = _keys(origin) & _keys(update)
    due = iter(sorted((key for key, _ in local if key in common), key=cmp_to_key(partial(_compared, places))))
    above, contents = _comments_above(local), dict(local)
    found: list[Unit] = []
    for unit in local:
        if unit[0] in common:
            key = next(due)
            found[len(found) - len(above[unit[0]]) :] = [*above[key], (key, contents[key])]
        else:
            found.append(unit)
    return found


def _without(units: Units, gone: Mapping[Hashable, Collection[Unit]], blanks: Mapping[Hashable, int]) -> list[Unit]:
    """Return units without some entries, each of them with the comments above it that are `gone`.

    Of the two blank lines around such an entry one goes, too, unless origin has two: `blanks` has their number there.
    """
    above = _comments_above(units)
    found: list[Unit] = []
    is_apart = False
    for number, unit in enumerate(units):
        if unit[0] is None or unit[0] not in gone:
            is_one = is_apart and _is_blank(unit)
            below = next((key for key, _ in units[number:] if key is not None), None) if is_one else None
            found += [] if is_one and blanks.get(below, 0) <= 1 else [unit]
            is_apart = False
        else:
            comments = above[unit[0]]
            found[len(found) - len(comments) :] = [each for each in comments if each not in gone[unit[0]]]
            is_apart = any(map(_is_blank, found[-1:]))
    return found


def _blanks_above(units: Units) -> dict[Hashable, int]:
    runs = pairwise(_with_lines_below(units))
    return {following[0]: sum(map(_is_blank, below)) for (_, below), (following, _) in runs}


def _is_blank(unit: Unit) -> bool:
    return unit[0] is None and not unit[1].strip()


def _comments_above(units: Units) -> dict[Hashable, list[Unit]]:
    found: dict[Hashable, list[Unit]] = {}
    above: list[Unit] = []
    for unit in units:
        if unit[0] is not None:
            found[unit[0]] = above
        above = [*above, unit] if unit[0] is None and unit[1].strip() else []
    return found


# Changes.


def _edited(origin: Units, first: int, last: int, edits: list[Change], side: int) -> Units:
    """Return the units that a side has for the units of origin from `first` to `last`."""
    found: list[Unit] = []
    for edit in (edit for edit in edits if edit.side == side):
        found += [*origin[first : edit.start], *edit.units]
        first = edit.end
    return [*found, *origin[first:last]]


def _edits(origin: Units, side: Units, of_side: int) -> Iterator[Change]:
    """Yield the changes of a side. A deletion is a change for each deleted entry."""
    start = there = 0
    for number, other in [*_aligned(origin, side), (len(origin), len(side))]:
        if other > there:
            units = side[there:other]
            yield Change(start, number, of_side, units, is_inside=_keys(units) == _keys(origin[start:number]))
        elif number > start:
            for first, last in _cut(origin, start, number):
                yield Change(first, last, of_side, [], is_inside=not _keys(origin[first:last]))
        if number < len(origin) and origin[number] != side[other]:
            yield Change(number, number + 1, of_side, [side[other]], is_inside=True)
        start, there = number + 1, other + 1


def _cut(units: Units, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of deleted units: each is an entry with the comments above it."""
    for number in range(start, end):
        if units[number][0] is not None or number == end - 1:
            yield start, number + 1
            start = number + 1


def _aligned(origin: Units, side: Units) -> list[tuple[int, int]]:
    """Return the pairs of equal units of origin and a side: entries by their keys, lines between them by their text."""
    found: list[tuple[int, int]] = []
    for start, end, first, last in diff.gaps([key for key, _ in origin], [key for key, _ in side]):
        between = origin[start:end], side[first:last]
        # Nearly everywhere one entry follows another one.
        there, here = (_lines(between[0], "origin"), _lines(between[1], "side")) if all(between) else ([], [])
        if there and any(map(_keys, between)):
            # From below, so that an entry comes or goes with the comments above it, and not with equal ones below it.
            pairs = diff.matches(there[::-1], here[::-1]).items()
            found += sorted([(end - 1 - one, last - 1 - other) for one, other in pairs])
        elif there:
            found += sorted([(start + one, first + other) for one, other in diff.matches(there, here).items()])
        found += [(end, last)] if end < len(origin) else []
    return found


def _lines(units: Units, side: str) -> list[Hashable]:
    # An entry between anchors has no partner. The side in its key makes it different from every entry of the other.
    return [text if key is None else (side, key) for key, text in units]


# The merge of parts, in an order that is data and in one that is not.


def _free_order(origin: Units, update: Units, local: Units, fates: Mapping[Hashable, Fate]) -> list[MergedUnit]:
    """Return the merge of a collection whose order is no data. Each entry is merged alone."""
    together = frozenset(key for key, fate in fates.items() if fate == "together")
    if together:
        origin, update, local = _as_one(together, origin, update, local)
        fates = {**fates, together: "together"}
    entries = _MergedEntries(origin, update, local, fates)
    local, update = (entries.without_comments_above_new(origin, side) for side in (local, update))
    origin, update, local = _at_final_positions(origin, update, local, entries)
    return [piece for sides in parts(origin, update, local, "free") for piece in _free(*sides, entries)]


def _as_one(keys: frozenset[Hashable], *sides: Units) -> Iterator[Units]:
    """Yield the sides, each with one unit for its entries of some keys, in the place of the first. `keys` are its key.

    The lines between two of these entries belong to it. If a side has one of the two alone, so do the comments below it
    that are there, too.
    """
    runs = [[*_with_lines_below(side)] for side in sides]
    between: list[Units] = []
    for run in runs:
        between += [below for (entry, below), (following, _) in pairwise(run) if {entry[0], following[0]} <= keys]
    for run in runs:
        found: list[Unit] = []
        texts: list[str] = []
        place = 0
        for (entry, below), (following, _) in pairwise([*run, ((None, ""), [])]):
            if entry[0] not in keys:
                found += below if entry[0] is None else [entry, *below]
                continue
            taken = len(below) if following[0] in keys else max((_alike(one, below) for one in between), default=0)
            place = place if texts else len(found)
            texts += [text for _, text in (entry, *below[:taken])]
            found += below[taken:]
        yield [*found[:place], *([(keys, "".join(texts))] if texts else []), *found[place:]]


def _with_lines_below(units: Units) -> Iterator[tuple[Unit, Units]]:
    """Yield each entry with the lines below it, behind those above the first one, which are below no entry."""
    entry: Unit = None, ""
    below: list[Unit] = []
    for unit in units:
        if unit[0] is None:
            below.append(unit)
        else:
            yield entry, below
            entry, below = unit, []
    yield entry, below


def _in_order(sides: list[Sides]) -> list[MergedUnit]:
    """Return the merge of a list whose order is data, given its parts.

    An entry that a side moved, or that the sides added at different points, is in two parts. If the merge had it twice,
    or not at all, or in an order that no side wants, the two parts and all between them become one.
    """
    pieces = [piece for part in sides for piece in _ordered(*part)]
    spans = _spans(sides, pieces)
    return _in_order(_joined(sides, spans)) if spans else pieces


def _spans(sides: list[Sides], pieces: list[MergedUnit]) -> list[tuple[int, int]]:
    """Return the first and the last part of each entry that is in several parts and not taken exactly once.

    If there is none, return those of two moves that cross.
    """
    parts_of: dict[Hashable, list[int]] = {}
    for number, part in enumerate(sides):
        for key in {key for side in part for key in _keys(side)}:
            parts_of.setdefault(key, []).append(number)
    taken = Counter(piece[0] for piece in pieces if not isinstance(piece, Stretch))
    contested = {key for piece in pieces if isinstance(piece, Stretch) for key in _keys(piece.update + piece.local)}
    origin, update, local = ([unit for part in sides for unit in part[side]] for side in range(3))
    agreed = (_keys(update) & _keys(local)) - contested
    moved = {key: numbers for key, numbers in parts_of.items() if len(numbers) > 1}
    settled = {key for key in moved if taken[key] == 1 and key in agreed}
    spans = [(numbers[0], numbers[-1]) for key, numbers in moved.items() if key not in settled]
    return spans or [*_crossed(moved, settled & _keys(origin), origin, update, local, pieces)]


def _crossed(
    parts_of: Mapping[Hashable, list[int]], moved: set[Hashable], *orders: Sequence[Any]
) -> Iterator[tuple[int, int]]:
    """Yield the span of two moved entries that the merge, the last of the `orders`, has in another order than is due.

    ```
    origin [a, b, c]    update [c, b]    local [b, a, c]    merged [b, c]
    ```
    """
    *sides, found = (
        {one[0]: number for number, one in enumerate(each) if not isinstance(one, Stretch)} for each in orders
    )
    for one, other in combinations(moved, 2):
        if (found[one] < found[other]) != (_compared(sides, one, other) < 0):
            numbers = parts_of[one] + parts_of[other]
            yield min(numbers), max(numbers)


def _compared(places: Sequence[Mapping[Hashable, int]], one: Hashable, other: Hashable) -> int:
    """Return less than 0 if an entry is due ahead of another: the side that moved one past the other decides."""
    before, *after = (place[one] - place[other] for place in places)
    return next((each for each in after if (each < 0) != (before < 0)), before)


def _joined(sides: list[Sides], spans: list[tuple[int, int]]) -> list[Sides]:
    """Return the parts, with those of each span joined to one."""
    ends: dict[int, int] = {}
    for first, last in spans:
        ends[first] = max(last, ends.get(first, last))
    found: list[tuple[list[Unit], list[Unit], list[Unit]]] = []
    reached = -1
    for number, part in enumerate(sides):
        if number > reached:
            found.append(([], [], []))
        for whole, side in zip(found[-1], part, strict=True):
            whole.extend(side)
        reached = max(reached, ends.get(number, number))
    return [*found]


def _ordered(origin: Units, update: Units, local: Units) -> Iterator[MergedUnit]:
    """Yield the merge of a part of a list whose order is data."""
    alone = base_rule(origin, update, local)
    if alone is not None:
        yield from alone
    elif _is_cut(origin, update) and _is_cut(origin, local):
        stays = {*local}
        yield from (unit for unit in update if unit in stays)
    else:
        left = base_rule(_without_deleted(origin, update, local), update, local)
        yield from [Stretch(origin, update, local)] if left is None else left


def _without_deleted(origin: Units, update: Units, local: Units) -> Units:
    """Return origin without what both sides deleted; all of it if there is a new entry, which may be a renamed one."""
    gone, new = {*origin} - {*update, *local}, {*update, *local} - {*origin}
    return origin if _keys([*gone]) and _keys([*new]) else [unit for unit in origin if unit not in gone]


def _is_cut(origin: Units, side: Units) -> bool:
    """True if a side only deleted units of origin."""
    left = {*side}
    return [unit for unit in origin if unit in left] == [*side]


def _free(origin: Units, update: Units, local: Units, entries: _MergedEntries) -> Iterator[MergedUnit]:
    """Yield the merge of a part in which the order of entries is no data. Each entry is merged alone."""
    if origin == update == local and not entries.fates:
        yield from local
        return
    before, new, own = (_unkeyed(side) for side in (origin, update, local))
    if _are_contested(before, new, own, {*_keys(update), *_keys(local)}):
        yield Stretch([*before], [*new], [*own])
        origin, update, local = ([unit for unit in side if unit[0] is not None] for side in (origin, update, local))
        before = new = own = []
    base, other = (update, local) if own == before != new else (local, update)
    gone = {*before} - {*_unkeyed(other)}
    for unit in base:
        yield from entries.of(unit) if unit[0] is not None else [unit] if unit not in gone else []
    # Of two new entries with the same comment above them the first gets it (docs/reference/merge.md, "Comments").
    keys = _keys(base)
    known = {*base, *chain.from_iterable(entries.above.get(key, ()) for key in keys)}
    old = known.union(before)
    waiting: list[Unit] = []
    for unit in other:
        if unit[0] is None and unit not in old:
            waiting.append(unit)
        elif unit[0] is not None and unit[0] not in keys:
            yield from (*waiting, *entries.of(unit, known))
            waiting = []
    yield from waiting


def _unkeyed(units: Units) -> list[Unit]:
    return [unit for unit in units if unit[0] is None]


def _are_contested(before: Units, new: Units, own: Units, keys: set[Hashable]) -> bool:
    """True if both sides changed the comments, and at least one edited a comment or both added comments alone."""
    before, new, own = ([unit for unit in side if unit[1].strip()] for side in (before, new, own))
    if before in (new, own) or new == own or {*new, *own} <= {*before}:
        return False
    if not {*before} <= {*new} & {*own}:
        return True
    return not (keys or {*new} <= {*own} or {*own} <= {*new})


def _keys(units: Units) -> set[Hashable]:
    return {key for key, _ in units if key is not None}


class _MergedEntries:
    """The merge of each entry, in any part: by its fate in `fates`, else by the base rule.

    `above` has the comments directly above new entries, and above moved ones if both sides changed these.
    """

    def __init__(self, origin: Units, update: Units, local: Units, fates: Mapping[Hashable, Fate]) -> None:
        self._sides = [{key: text for key, text in side if key is not None} for side in (origin, update, local)]
        self.above: dict[Hashable, list[MergedUnit]] = {}
        self.fates = fates

    def without_comments_above_new(self, origin: Units, side: Units) -> Units:
        """Return a side without the comments directly above its new entries, and keep these for `of`."""
        # Most sides have no new entry, and most collections no comment.
        if _keys(side) <= self._sides[0].keys() or None not in dict(side):
            return side
        known = {number for _, number in _aligned(origin, side)}
        found: list[Unit] = []
        first = 0
        for number, unit in enumerate(side):
            if unit[0] is not None and unit[0] not in self._sides[0]:
                above = self.above.setdefault(unit[0], [*found[first:]])
                above += [comment for comment in found[first:] if comment not in above]
                del found[first:]
            found.append(unit)
            if number in known or unit[0] is not None or not unit[1].strip():
                first = len(found)
        return found

    def of(self, unit: Unit, known: Container[MergedUnit] = ()) -> Iterator[MergedUnit]:
        """Yield the merged entry, behind the comments above it if it is new. Nothing for a deleted one."""
        key = unit[0]
        yield from (comment for comment in self.above.get(key, ()) if comment not in known)
        origin, update, local = ([(key, side[key])] if key in side else [] for side in self._sides)
        fate = self.fates.get(key)
        side = fate if fate in ("update", "local") else changed_by(None if fate else origin, update, local)
        yield from [Stretch(origin, update, local)] if side is None else won(side, update=update, local=local)
