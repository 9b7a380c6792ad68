"""What holds of every 3-way merge, whatever the three sides are: on data, and on the bytes that come of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from fn.krm import fieldpath
from fn.merge.merge3 import Rules, merge3
from fn.merge.policy import ERROR, KEEP_LOCAL, TAKE_UPDATE, Policy
from fn.yamltree import amending, parser, scalars
from fn.yamltree.editor import Editor
from tests.merge.sides import CUSTOM, data, merged, tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fn.merge.walk import Merged

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
policies = st.sampled_from([TAKE_UPDATE, KEEP_LOCAL, ERROR])


def text(resource: Any) -> str:
    return yaml.dump(resource, Dumper=yaml.CSafeDumper, sort_keys=False)


def merge(origin: Any, update: Any, local: Any, on_conflict: str = TAKE_UPDATE) -> Merged:
    return merged(text(origin), text(update), text(local), policy=Policy(on_conflict))


def written(origin: Any, update: Any, local: str, on_conflict: str) -> str:
    """Return the text that a merge makes of local's."""
    editor = Editor(local)
    sides = tree(text(origin)), tree(text(update)), tree(local)
    sides[2].root = editor.document.root
    result = merge3(*sides, Rules(CUSTOM, Policy(on_conflict)))
    amending.amend(editor, (), result.wanted)
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


@given(resources, resources, policies)
def test_what_update_did_not_change_stays_as_it_is(origin: Any, local: Any, on_conflict: str) -> None:
    sides = tree(text(origin)), tree(json.dumps(origin)), tree(text(local))
    result = merge3(*sides, Rules(CUSTOM, Policy(on_conflict)))
    assert result.wanted is sides[2].root
    assert (result.conflicts, result.notes) == ([], [])


@given(resources, resources, policies)
def test_what_local_did_not_change_becomes_update(origin: Any, update: Any, on_conflict: str) -> None:
    result = merge(origin, update, origin, on_conflict)
    assert data(result.wanted) == update
    assert result.conflicts == []


@given(resources, resources, policies)
def test_what_both_changed_alike_stays_as_it_is(origin: Any, update: Any, on_conflict: str) -> None:
    sides = tree(text(origin)), tree(json.dumps(update)), tree(text(update))
    result = merge3(*sides, Rules(CUSTOM, Policy(on_conflict)))
    assert result.wanted is sides[2].root
    assert result.conflicts == []


@given(resources, resources, resources, policies)
@example({"l": [{"name": "p"}, {"name": "q"}]}, {"l": [{"name": "q"}, {"name": "p"}]}, {"l": []}, TAKE_UPDATE)
def test_merging_once_more_changes_nothing(origin: Any, update: Any, local: Any, on_conflict: str) -> None:
    once = data(merge(origin, update, local, on_conflict).wanted)
    assert data(merge(origin, update, once, on_conflict).wanted) == once
    assert data(merge(update, update, once, on_conflict).wanted) == once


@given(resources, resources, resources, policies)
def test_nothing_is_empty_that_neither_side_left_empty(origin: Any, update: Any, local: Any, on_conflict: str) -> None:
    result = data(merge(origin, update, local, on_conflict).wanted)
    for path in husks(result):
        sides = at(update, path), at(local, path)
        assert {} in sides or [] in sides or ABSENT not in sides


@given(resources_of_maps, resources_of_maps, resources_of_maps, policies)
def test_a_conflict_is_the_smallest_thing_that_both_changed(
    origin: Any, update: Any, local: Any, on_conflict: str
) -> None:
    result = merge(origin, update, local, on_conflict)
    assert sorted(conflict.path for conflict in result.conflicts) == sorted(smallest((origin, update, local)))
    assert {conflict.resolution for conflict in result.conflicts} <= {on_conflict}


@given(resources, resources, resources, policies)
def test_the_order_of_keys_makes_no_difference(origin: Any, update: Any, local: Any, on_conflict: str) -> None:
    result = merge(origin, update, local, on_conflict)
    other = merge(shuffled(origin), shuffled(update), shuffled(local), on_conflict)
    assert data(other.wanted) == data(result.wanted)
    assert sorted(fieldpath.to_text(conflict.path) for conflict in other.conflicts) == sorted(
        fieldpath.to_text(conflict.path) for conflict in result.conflicts
    )


@given(resources, resources, resources, policies)
def test_the_text_says_what_is_wanted(origin: Any, update: Any, local: Any, on_conflict: str) -> None:
    wanted = data(merge(origin, update, local, on_conflict).wanted)
    assert scalars.data(parser.parse(written(origin, update, text(local), on_conflict)).root) == wanted


@given(resources, resources, policies)
def test_a_text_in_which_nothing_changes_stays_as_it_is(origin: Any, local: Any, on_conflict: str) -> None:
    commented = "# mine\n" + text(local).replace("\n", "  # too\n")
    assert written(origin, origin, commented, on_conflict) == commented
