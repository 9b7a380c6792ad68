"""What holds of every 3-way merge, whatever the three sides are: on data, and on the bytes that come of it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, TypeAlias

import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm.merge.policy import Policy
from krm.merge.value_walk import merge_values
from krm.yamltree import parser, scalars
from krm.yamltree.editor import Editor
from tests.krm.merge.sides import CUSTOM, data, merged, places, tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.merge.outcome import Merged
    from krm.merge.policy import OnConflict

    Triple: TypeAlias = tuple[Any, Any, Any]

ABSENT = object()

leaves = st.sampled_from(["a", "b", "1", 1, 2, "", "x: y", "-"])
keys = st.sampled_from(["a", "b", "c", "d", "labels", "data"])
elements = st.fixed_dictionaries(
    {"name": st.sampled_from("pqrs")},
    optional={"v": leaves, "labels": st.dictionaries(keys, leaves, max_size=2), "l": st.lists(leaves, max_size=2)},
)
keyed = st.lists(elements, max_size=4, unique_by=lambda element: str(element["name"]))
atomic = st.lists(leaves, max_size=3)
fields = st.sampled_from(["a", "b", "c", "d"])
maps = st.recursive(leaves, lambda below: st.dictionaries(fields, below, max_size=4), max_leaves=8)
values = st.recursive(leaves | keyed | atomic, lambda below: st.dictionaries(keys, below, max_size=4), max_leaves=8)
resources = st.dictionaries(keys, values, max_size=4)
resources_of_maps = st.dictionaries(fields, maps, max_size=4)


def varied(value: Any) -> st.SearchStrategy[Any]:
    """Return what somebody may have made of a value: they left it, took from it, moved its elements, wrote another."""
    if isinstance(value, dict):
        below = {key: varied(of_key) for key, of_key in value.items()}
        return st.just(value) | st.fixed_dictionaries(below) | st.fixed_dictionaries({}, optional=below)
    if isinstance(value, list) and value:
        moved = st.permutations(value)
        return (
            st.just(value) | moved | moved.map(lambda elements: elements[1:]) | (keyed if is_keyed(value) else atomic)
        )
    return st.just(value) | leaves


def with_texts(value: Any, element: str = "") -> Any:
    """Return a value with a text in the place of each list without keys, and no word that two elements share."""
    if isinstance(value, dict) and (value or not element):
        element = value.get("name", element)
        return {key: below if key == "name" else with_texts(below, element) for key, below in value.items()}
    if isinstance(value, list) and (is_keyed(value) if value else not element):
        return [*map(with_texts, value)]
    if element:
        return element + re.sub(r"\W", "-", json.dumps(value))
    return json.dumps(value) if isinstance(value, list) else value


def unordered(value: Any) -> Any:
    """Return a value with the elements of each list in one order."""
    if isinstance(value, dict):
        return {key: unordered(below) for key, below in value.items()}
    return sorted(map(unordered, value), key=json.dumps) if isinstance(value, list) else value


def is_keyed(elements: list[Any]) -> bool:
    return isinstance(elements[0], dict)


def triples_of(origins: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, Any, Any]]:
    """Return origin, update and local: the two made of origin, or of nothing that it has."""
    made = origins.flatmap(lambda origin: st.tuples(st.just(origin), varied(origin), varied(origin)))
    return made | st.tuples(origins, origins, origins)


triples = triples_of(resources)
triples_of_maps = triples_of(resources_of_maps)
policies = st.sampled_from(["TakeUpdate", "KeepLocal", "Error"])


def text(resource: Any) -> str:
    return yaml.dump(resource, Dumper=yaml.CSafeDumper, sort_keys=False)


def merge(origin: Any, update: Any, local: Any, on_conflict: OnConflict = "TakeUpdate") -> Merged:
    return merged(text(origin), text(update), text(local), policy=Policy(on_conflict))


def written(origin: Any, update: Any, local: str, on_conflict: OnConflict) -> str:
    """Return the text that a merge makes of local's."""
    editor = Editor(local)
    sides = tree(text(origin)), tree(text(update)), tree(local)
    sides[2].root = editor.document.root
    result = merge_values(*sides, CUSTOM, Policy(on_conflict))
    editor.amend((), result.target)
    return editor.text


def kids(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield what is in a value, an element behind its name where it has one."""
    if isinstance(value, dict):
        yield from value.items()
    if isinstance(value, list):
        yield from ((element["name"] if isinstance(element, dict) else None, element) for element in value)


def at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = dict(kids(value)).get(step, ABSENT)
    return value


def husks(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield where a map or list is empty."""
    if value in ({}, []):
        yield path
    for step, below in kids(value):
        yield from husks(below, (*path, step))


def smallest(sides: tuple[Any, Any, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield where update and local both differ from origin and from each other, in maps of maps."""
    origin, update, local = sides
    if update == local or origin in (update, local):
        return
    if not (isinstance(update, dict) and isinstance(local, dict)):
        yield path
        return
    before = origin if isinstance(origin, dict) else {}
    for key in update | local:
        below = before.get(key, ABSENT), update.get(key, ABSENT), local.get(key, ABSENT)
        yield from smallest(below, (*path, key))


def shuffled(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: shuffled(below) for key, below in reversed(value.items())}
    return [shuffled(element) for element in value] if isinstance(value, list) else value


@given(triples, policies)
def test_what_update_did_not_change_stays_as_it_is(triple: Triple, on_conflict: OnConflict) -> None:
    origin, _, local = triple
    sides = tree(text(origin)), tree(json.dumps(origin)), tree(text(local))
    result = merge_values(*sides, CUSTOM, Policy(on_conflict))
    assert result.target is sides[2].root
    assert (result.conflicts, result.notes) == ([], [])


@given(triples, policies)
def test_what_local_did_not_change_becomes_update(triple: Triple, on_conflict: OnConflict) -> None:
    origin, update, _ = triple
    result = merge(origin, update, origin, on_conflict)
    assert data(result.target) == update
    assert result.conflicts == []


@given(triples, policies)
def test_what_both_changed_alike_stays_as_it_is(triple: Triple, on_conflict: OnConflict) -> None:
    origin, update, _ = triple
    sides = tree(text(origin)), tree(json.dumps(update)), tree(text(update))
    result = merge_values(*sides, CUSTOM, Policy(on_conflict))
    assert result.target is sides[2].root
    assert result.conflicts == []


@given(triples, policies)
def test_merging_once_more_changes_nothing(triple: Triple, on_conflict: OnConflict) -> None:
    # In a list without keys nobody can tell which element moved, nor an edit from a deletion beside an addition. Of
    # `[a, b, 1]`, `[1, b, a]` and `[b, 1]` comes `[1, b]`. Then update moved the `a` that local took away: a
    # conflict. So such lists are texts here, and the elements of the others may come in another order. Nor can anybody
    # tell a new element with a word of a deleted one from that under a new name.
    origin, update, local = map(with_texts, triple)
    once = data(merge(origin, update, local, on_conflict).target)
    again = data(merge(origin, update, once, on_conflict).target)
    assert unordered(again) == unordered(once)
    assert data(merge(update, update, once, on_conflict).target) == once


@given(triples, policies)
def test_nothing_is_empty_that_neither_side_left_empty(triple: Triple, on_conflict: OnConflict) -> None:
    _, update, local = triple
    for path in husks(data(merge(*triple, on_conflict).target)):
        sides = at(update, path), at(local, path)
        assert {} in sides or [] in sides or ABSENT not in sides


@given(triples_of_maps, policies)
def test_a_conflict_is_the_smallest_thing_that_both_changed(triple: Triple, on_conflict: OnConflict) -> None:
    result = merge(*triple, on_conflict)
    assert sorted(conflict.path for conflict in result.conflicts) == sorted(smallest(triple))
    assert {conflict.resolution for conflict in result.conflicts} <= {on_conflict}


@given(triples_of_maps)
def test_without_a_conflict_the_sides_can_change_places(triple: Triple) -> None:
    origin, update, local = triple
    result, other = merge(origin, update, local), merge(origin, local, update)
    assert bool(result.conflicts) == bool(other.conflicts)
    assert result.conflicts or data(result.target) == data(other.target)


@given(triples, policies)
def test_the_order_of_keys_makes_no_difference(triple: Triple, on_conflict: OnConflict) -> None:
    origin, update, local = map(shuffled, triple)
    result, other = merge(*triple, on_conflict), merge(origin, update, local, on_conflict)
    assert data(other.target) == data(result.target)
    assert sorted(places(other)) == sorted(places(result))


@given(triples, policies)
def test_the_text_says_what_is_wanted(triple: Triple, on_conflict: OnConflict) -> None:
    origin, update, local = triple
    wanted = data(merge(*triple, on_conflict).target)
    assert scalars.data(parser.parse(written(origin, update, text(local), on_conflict)).root) == wanted


@given(triples, policies)
def test_a_text_in_which_nothing_changes_stays_as_it_is(triple: Triple, on_conflict: OnConflict) -> None:
    origin, _, local = triple
    commented = "# mine\n" + text(local).replace("\n", "  # too\n")
    assert written(origin, origin, commented, on_conflict) == commented
