"""The merge of a collection as lines: only an entry that both sides changed is merged by its parts."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial, reduce
from itertools import chain
from operator import or_

from krm.envelope import ITEMS
from krm.merge import trees, units
from krm.merge.lines import changed_entry
from krm.merge.lines.blocks import CollectionSides, NotByLinesError
from krm.merge.policy import changed_by, won
from krm.merge.text_merge import Hunk, answers, conflict, joined, text_of, written
from krm.merge.trees import FieldSides, Tree, Triple, bookkeeping
from krm.merge.units import Stretch
from krm.yamltree.nodes import Collection, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator
    from typing import Any, TypeAlias

    from krm.merge.decider import Decider
    from krm.merge.lines.blocks import Block, Entry, EntryKeys
    from krm.merge.lists.pairing import Elements
    from krm.merge.policy import Winner
    from krm.merge.text_merge import Piece
    from krm.merge.units import Fate
    from krm.yamltree.nodes import Node

    Entries: TypeAlias = list[Entry | None]

# In a text in quotes `#` starts no comment.
_QUOTED = r"""(?<![^\s\[{,:])(?:"(?:[^"\\\n]|\\.)*+"|'(?:[^'\n]|'')*+')"""
_COMMENT_OR_ANCHOR = rf"(?m){_QUOTED}|(?:^|\s)(#.*)|(?<=\s)(&\w\S*)"


class ListedObjects:
    """The objects in a list: their keys on each side. `decider` makes the decider of the object under a key."""

    def __init__(self, keys: list[EntryKeys], decider: Callable[[Any, Tree, Tree, Tree], Decider]) -> None:
        self.keys = keys
        self.decider: Callable[..., Decider] = decider


class LineWalk:
    """The merge of an object by the rules of a decider. A list of objects has `items`."""

    def __init__(self, decider: Decider, items: ListedObjects | None = None) -> None:
        self._decider = decider
        self._items = items
        self.odd_fields: list[Triple] = []
        """Fields that both sides changed, in forms that do not mix: one has it in brackets, say."""
        self.commented_fields: list[Triple] = []
        """Fields in conflict because the taken side lacks a comment of the other one."""

    def merged(self, blocks: list[Block | None]) -> list[Piece]:
        """Return the merge of three blocks: origin, update, local. NotByLinesError as in `Block.entries`."""
        roots = Triple(*(None if block is None else block.node for block in blocks))
        there = [block for block in blocks if block is not None]
        if len({block.form for block in there}) != 1:
            raise NotByLinesError
        column = changed_entry.merged_depth(*(None if block is None else block.column for block in blocks))
        for block in there:
            block.shift = column - block.column
        pieces = self._collection(blocks, FieldSides((), self._decider.policy, roots))
        # The sides may have deleted all entries together, or one in a conflict. A block in brackets still has these.
        if not there[0].is_in_brackets:
            brackets = "[]\n" if isinstance(roots.local, Sequence) else "{}\n"
            sides = (*answers(pieces), text_of(pieces))
            ends = [brackets if changed_entry.is_empty([side]) else "" for side in sides]
            if any(ends):
                return [*pieces, brackets if all(ends) else Hunk("", *ends)]
        # In a conflict a comment may come twice: the winner brings its own. Those of listed objects are unknown here.
        if not (self._items or self._decider.conflicts) and _doubles_comments(blocks, text_of(pieces)):
            raise NotByLinesError
        return pieces

    def _collection(self, blocks: list[Block | None], field: FieldSides) -> list[Piece]:
        items = self._items.keys if self._items is not None and field.path == ITEMS else None
        sides = CollectionSides(blocks, field, self._decider.schema, items)
        choices, contested = self._decider.decide_keys(field) if sides.elements is None else ({}, frozenset())
        fates = self._fates(sides, field, choices) | dict.fromkeys(contested, "together")
        origin, update, local = (side.units for side in sides)
        merged = units.merged(origin, update, local, sides.order, fates)
        if sides.elements is not None:
            merged = self._elements(merged, sides, sides.elements, field)
        pieces: list[Piece] = []
        there = next(filter(None, blocks))
        for piece in merged if there.is_in_brackets else _with_bare_lines(merged, sides, there.column + there.shift):
            if not isinstance(piece, Stretch):
                pieces.append(piece[1])
            elif isinstance(piece.key, frozenset):  # entries that are one value
                pieces.append(_of_one_side(piece, next(choices[key] for key in piece.key)))
            else:
                pieces += self._stretch(piece, sides, field)
        return [*joined(pieces)]

    def _fates(self, sides: CollectionSides, field: FieldSides, choices: dict[str, Winner]) -> dict[Hashable, Fate]:
        """Return the fate of each entry that the base rule does not decide, those of `choices` included."""
        found: dict[Hashable, Fate] = {}
        for key in sides.update.entries | sides.local.entries if self._decider.unions.reaches_below(field.path) else ():
            if self._decider.unions.reaches(*sides.field(field, key)):
                found[key] = "entered"
        if sides.elements is None:
            found.update(choices)
            if "<<" in sides.update.entries.keys() | sides.local.entries.keys():
                _check_deleted(sides, field)
            there = bookkeeping(field).keys() & (sides.update.entries.keys() | sides.local.entries.keys())
            of_both = (key for key in there if self._decider.changed_by(sides.field(field, key)) is None)
            found |= dict.fromkeys(of_both, "local")
        return found

    def _elements(
        self, merged: list[units.MergedUnit], sides: CollectionSides, elements: Elements, field: FieldSides
    ) -> list[units.MergedUnit]:
        """Return the elements of a list. Those of an `env` are put in the order of their references, with comments."""
        kept: list[Any] = [key for piece in merged for key in units.keys(piece)]
        self._decider.tell_elements(field, elements, kept)
        if sides.order != "free" or not self._decider.is_env(field):
            return merged
        chunks: dict[Any, list[units.MergedUnit]] = {}
        waiting: list[units.MergedUnit] = []
        for piece in merged:
            waiting.append(piece)
            key = piece.key_of_both if isinstance(piece, Stretch) else piece[0]
            if key is not None:
                chunks[key], waiting = waiting, []
        coming = {key: self._coming(key, chunk[-1], sides, field) for key, chunk in chunks.items()}
        keys = self._decider.env_order(field, elements, coming)
        return [*chain.from_iterable(chunks[key] for key in keys), *waiting]

    def _coming(self, key: Hashable, piece: units.MergedUnit, sides: CollectionSides, field: FieldSides) -> Node:
        """Return the node of an `env` entry on the side whose value is taken."""
        if isinstance(piece, Stretch):
            below = sides.field(field, key)
            values = Triple(*(trees.entries(side).get("value") for side in below))
            value = FieldSides((*below.path, "value"), below.policy.below_key("value"), values)
            winner = self._decider.changed_by(value) or value.policy.winner
        else:
            winner = "update" if piece in sides.update.units or key not in sides.local.entries else "local"
        return won(winner, update=sides.update, local=sides.local).entries[key].node

    def _stretch(self, stretch: Stretch, sides: CollectionSides, field: FieldSides) -> list[Piece]:
        """Return the merge of a stretch: of one entry by its parts, of more than one as a conflict."""
        key = stretch.key
        entries = sides.entries(key)
        if not any(entries):
            return self._ordered_stretch(stretch, sides, field)
        below = sides.field(field, key)
        if self._items is None or field.path != ITEMS:
            return self._entry(stretch, sides, below)
        trees_below = (Tree(tree.text, node) for tree, node in zip(self._decider.trees, below, strict=True))
        decider = self._items.decider(key, *trees_below)
        walk = LineWalk(decider)
        walk.odd_fields, walk.commented_fields = self.odd_fields, self.commented_fields
        return walk._entry(stretch, sides, FieldSides((), decider.policy, below))

    def _entry(self, stretch: Stretch, sides: CollectionSides, below: FieldSides) -> list[Piece]:
        """Return the merge of an entry that both sides changed."""
        key = stretch.key
        entries = sides.entries(key)
        names = [None if entry is None else "" if entry.key is None else entry.key.value for entry in entries]
        is_renamed = len({*names} - {None}) > 1
        if is_renamed and changed_by(*names) is None:
            return [_of_one_side(stretch, self._decider.note_conflict(below))]
        is_deleted = below.update is None or below.local is None
        if is_deleted:
            kept = self._deleted(stretch, below)
            if kept is not None:
                return [kept]
        # A value and its template are one value.
        templates = {side.templates[key] for side in (sides.update, sides.local) if key in side.templates}
        if len(templates) > 1:
            return [_of_one_side(stretch, self._decider.decide_as_one(below)[0])]
        is_leaf = not isinstance(resolved(below.local), Collection)
        checkpoint = self._decider.checkpoint()
        found = self._inside(entries, below) if is_deleted else self._by_parts(entries, below)
        if found is None:
            self._decider.reset(checkpoint)
            found = self._as_one_value(entries, below, is_renamed=is_renamed)
        # A collection was asked for its comments entry by entry.
        elif (is_leaf or is_deleted or is_renamed) and Hunk not in map(type, found):
            found = [_with_comments(changed_entry.texts(entries), text_of(found))]
        if is_renamed:
            self._decider.tell_renamed(below, names)
        return [*templates, *found]

    def _ordered_stretch(self, stretch: Stretch, sides: CollectionSides, field: FieldSides) -> list[Piece]:
        """Return the merge of a stretch of comments alone, or of entries whose order is data."""
        if not units.keys(stretch):
            is_only_gone = not ((stretch.update and stretch.local) or loses_comments(map(written, stretch), ""))
            return [] if is_only_gone else [conflict(stretch, written(stretch.local))]
        data = [
            [(key, trees.frozen(side.entries[key].node)) for key, _ in units if key is not None]
            for units, side in zip(stretch, sides, strict=True)
        ]
        if data[1] == data[2] != []:
            # Both have put the same there, so that its order is no question.
            merged = units.merged(stretch.origin, stretch.update, stretch.local, "free")
            pieces = (self._stretch(one, sides, field) if isinstance(one, Stretch) else one[1:] for one in merged)
            return [*chain.from_iterable(pieces)]
        winner = changed_by(*data)
        if winner is None:
            both = units.side_by_side(stretch, sides.order)
            own = self._decider.resolve(
                field, written(stretch.update), written(stretch.local), None if both is None else written(both)
            )
            return [conflict(stretch, own)]
        found = _with_comments(map(written, stretch), written(won(winner, update=stretch.update, local=stretch.local)))
        self.commented_fields += [field] if isinstance(found, Hunk) else []
        return [found]

    def _deleted(self, stretch: Stretch, below: FieldSides) -> Piece | None:
        """Return the merge of an entry that one side deleted, None if it is merged by its parts."""
        checkpoint = self._decider.checkpoint()
        decision = self._decider.decide(below)
        if not isinstance(decision, str) or decision == "merge":
            return None
        found = _of_one_side(stretch, decision)
        # An alias in the place of an equal value is a change of the other side.
        values = {trees.frozen(side, by_name=True) for side in below if side is not None}
        is_shown = self._decider.checkpoint() != checkpoint or len(values) > 1
        return found if is_shown else _with_comments(map(written, stretch), found.result)

    def _by_parts(self, entries: Entries, below: FieldSides) -> list[Piece] | None:
        """Return the merge of an entry by its parts, None if lines cannot divide it."""
        # A value by `<<` has no lines.
        if None in entries[1:]:
            return None
        decide, take = partial(self._decider.decide_as_one, below), partial(self._decider.resolve, below)
        own = changed_entry.merged_leaf(entries, decide, take)
        if own is not None:
            return own
        is_whole = _is_of_two_kinds(below) or (_is_new_and_empty(below) and self._decider.by_elements(below) is None)
        return None if is_whole else self._inside(entries, below)

    def _inside(self, entries: Entries, below: FieldSides) -> list[Piece] | None:
        """Return an entry around the merge of its block, None if that is not written line by line."""
        inside = changed_entry.inner_blocks(entries)
        if inside is None and changed_entry.are_in_two_forms(entries):
            self.odd_fields.append(below)
        ends = None if inside is None else changed_entry.outer_lines(entries, inside)
        if inside is None or ends is None:
            return None
        try:
            return changed_entry.around_block(ends, self._collection(inside, below), inside)
        except NotByLinesError:
            return None

    def _as_one_value(self, entries: Entries, below: FieldSides, *, is_renamed: bool) -> list[Piece]:
        """Return an entry with the lines of the side that wins, or that alone changed it."""
        origin, update, local = changed_entry.texts(entries)
        winner, is_conflict = self._decider.decide_as_one(below)
        # A new name, an alias or `<<` is no data. It must not go without a conflict.
        if is_renamed or changed_by(*(trees.frozen(side, by_name=True) for side in below)) is None:
            winner, is_conflict = self._decider.note_conflict(below), True
        own = won(winner, update=update, local=local)
        found = _with_comments((origin, update, local), own)
        self.commented_fields += [below] if isinstance(found, Hunk) else []
        # Another field also decides about this one, so both sides are shown.
        is_shown = is_conflict or self._decider.unions.reaches(*below)
        return [Hunk(origin, update, local, own) if is_shown else found]


def _with_comments(sides: Iterable[str], found: str) -> Piece:
    """Return merged lines. They become a conflict if a comment of a side would be lost."""
    origin, update, local = sides
    return Hunk(origin, update, local, found) if loses_comments((origin, update, local), found) else found


def _with_bare_lines(merged: list[units.MergedUnit], sides: CollectionSides, column: int) -> Iterator[units.MergedUnit]:
    """Yield units without what would make a line between entries a line of the text above it.

    `column` is that of the entries. On no side has a blank line there these blanks, nor a comment below an entry, and
    none has a blank line below a text that takes it.
    """
    known = {pair for side in sides for pair in _behind(side.units) if pair[1][0] is None}  # type: ignore[index]  # no stretch
    is_below_entry = False
    for ahead, piece in _behind(merged):
        if isinstance(piece, Stretch) and is_below_entry and not units.keys(piece):
            yield Stretch(*([_at_column(unit[1], column) for unit in side] for side in piece))
        elif isinstance(piece, Stretch) or piece[0] is not None:
            is_below_entry = True
            yield piece
        elif piece[1].strip():
            yield _at_column(piece[1], column) if is_below_entry else piece
            is_below_entry = False
        else:
            keys = ahead if isinstance(ahead, frozenset) else (ahead,)
            if not (is_below_entry and any(side.takes_blank_lines(key) for side in sides for key in keys)):
                yield piece if any((key, piece) in known for key in keys) else _at_column(piece[1], 0)


def _at_column(line: str, column: int) -> units.Unit:
    """Return a line between entries with at most so many blanks ahead of it, none if it is blank."""
    bare = line.lstrip(" \t")
    return None, " " * min(len(line) - len(bare), column if bare.strip() else 0) + bare


def _behind(merged: Iterable[units.MergedUnit]) -> Iterator[tuple[Hashable, units.MergedUnit]]:
    """Yield units, each with the key of the entry ahead of it, None if more than blank lines is between the two."""
    ahead: Hashable = None
    for piece in merged:
        yield ahead, piece
        if isinstance(piece, Stretch):
            ahead = piece.key
        elif piece[0] is not None or piece[1].strip():
            ahead = piece[0]


def _of_one_side(stretch: Stretch, winner: Winner) -> Hunk:
    """Return a conflict from which the lines of the winner are taken."""
    return conflict(stretch, written(won(winner, update=stretch.update, local=stretch.local)))


def _is_of_two_kinds(field: FieldSides) -> bool:
    """True if both sides changed a value, to values of two kinds: a scalar, a mapping, a list."""
    if type(resolved(field.update)) is type(resolved(field.local)):
        return False
    return trees.frozen(field.origin) not in (trees.frozen(field.update), trees.frozen(field.local))


def _check_deleted(sides: CollectionSides, field: FieldSides) -> None:
    """Raise NotByLinesError if one side deleted an entry, and the other has it by `<<`: no edit deletes that."""
    for key in sides.origin.entries.keys() - sides.update.entries.keys() - sides.local.entries.keys():
        below = sides.field(field, key)
        if (below.update is None) != (below.local is None):
            raise NotByLinesError


def _is_new_and_empty(field: FieldSides) -> bool:
    """True if both sides added a list, and one of the two is empty: an empty list is a value of its own."""
    sides = [resolved(side) for side in (field.update, field.local)]
    is_new = not isinstance(resolved(field.origin), Sequence)
    return is_new and any(isinstance(side, Sequence) and not side.kids for side in sides)


def loses_comments(sides: Iterable[str], *answers: str) -> bool:
    """True if a comment that a side has added is in no answer: the lines of the merge if one side is taken."""
    origin, update, local = map(spelled_comments, sides)
    return bool(((update - origin) | (local - origin)) - reduce(or_, map(spelled_comments, answers)))


def _doubles_comments(blocks: Iterable[Block | None], merged: str) -> bool:
    """True if the merge has a comment more often than the sides together, or an anchor more often than each of them.

    Two collections have brought the comment. Of two anchors with one name all aliases below would mean the second one.
    """
    texts = ("" if block is None else block.text(block.first, block.end) for block in blocks)
    origin, update, local = map(spelled_comments, texts)
    both = Counter({each: times for each, times in (update + local - origin).items() if each[0]})
    return bool(spelled_comments(merged) - (origin | update | local | both))


def spelled_comments(lines: str) -> Counter[tuple[str, str]]:
    """Return how often each comment is in lines. An anchor counts as a comment: an alias elsewhere may need it."""
    # Most lines have neither, and are not searched.
    if "#" not in lines and "&" not in lines:
        return Counter()
    searched = "\n".join([line if "#" in line or "&" in line else "" for line in lines.split("\n")])
    found = re.findall(_COMMENT_OR_ANCHOR, searched)
    return Counter((comment.rstrip(), anchor) for comment, anchor in found if comment or anchor)
