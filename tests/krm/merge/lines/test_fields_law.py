"""Whatever three objects say: by their lines and by their fields they become the same, and the same is told."""

from __future__ import annotations

import json
from itertools import product, starmap
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from krm import fieldpath
from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds.schema import Schema
from krm.merge.outcome import ENV_REORDERED, FORWARD_REFERENCE
from krm.merge.policy import Policy
from krm.merge.value_walk import merge_values
from krm.results import CONFLICT, FnError
from krm.yamltree import parser, scalars
from tests.krm.merge import triples
from tests.krm.merge.sides import data, tree

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict
    from krm.results import Output
    from tests.krm.merge.kubectl import Triple


OF_ORDER = (ENV_REORDERED, FORWARD_REFERENCE)


def in_one_order(value: Any) -> Any:
    """Return data without the order of keys and elements: of elements with keys lines keep more of it than fields."""
    if isinstance(value, dict):
        return {key: in_one_order(value[key]) for key in sorted(value)}
    return sorted(map(in_one_order, value), key=repr) if isinstance(value, list) else value


def parts(value: Any) -> set[str]:
    """Return the scalars below a collection, none for a scalar."""
    kids = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {repr(one) for kid in kids for one in ([kid] if isinstance(kid, str | int | None) else parts(kid))}


def may_be_renamed(origin: Any, side: Any) -> bool:
    """Say whether a part of what has lost its key is under a new one: lines may know it there, and fields do not."""
    if isinstance(origin, dict) and isinstance(side, dict):
        gone, new = ([parts(one[key]) for key in one.keys() - other] for one, other in ((origin, side), (side, origin)))
        pairs = [(origin[key], side[key]) for key in origin.keys() & side]
        return any(not one.isdisjoint(other) for one in gone for other in new) or any(starmap(may_be_renamed, pairs))
    are_lists = isinstance(origin, list) and isinstance(side, list)
    return are_lists and any(starmap(may_be_renamed, product(origin, side)))


def triple_without_renames(rng: Random, kind: str) -> Triple:
    sides = triples.triple(rng, kind, "x")
    assume(not any(may_be_renamed(sides.origin, side) for side in (sides.update, sides.local)))
    return sides


@pytest.mark.parametrize("kind", ["ConfigMap", "Deployment", "Service", "Widget"])
@given(seed=st.integers(0, 2**32), form=st.sampled_from(["YAML", "JSON", "each its own"]))
@settings(max_examples=max(20, settings().max_examples // 5))
def test_what_comes_out_without_a_conflict_says_what_fields_decide_in_any_form(kind: str, seed: int, form: str) -> None:
    rng = Random(seed)  # noqa: S311 - for tests
    objects = triple_without_renames(rng, kind)
    are_json = [form == "JSON" or (form == "each its own" and rng.random() < 0.5) for _ in objects]
    texts = ["" if one is None else written(rng, one, is_json) for one, is_json in zip(objects, are_json, strict=True)]
    group, _, version = objects.local["apiVersion"].rpartition("/")
    origin, update, local = (tree(text or None) for text in texts)
    by_fields = merge_values(origin, update, local, Schema(group, version, kind), Policy())
    before, new, own = (File(text, "a.yaml") for text in texts)
    output: Output | None
    try:
        output = composition.merge(before, new, own, BaseRule(Policy()))
    except FnError:
        output = None
    if output is None:  # a side that cannot be written as the other is refused
        assert form == "each its own"
        return
    made = json.loads(output.text) if are_json[2] else scalars.data(parser.parse(output.text).root)
    is_conflict = any(result.reason == CONFLICT for result in output.results)
    assert is_conflict or in_one_order(made) == in_one_order(data(by_fields.target))


def written(rng: Random, of: dict[str, Any], is_json: bool) -> str:  # noqa: FBT001 - one of two forms
    """Return an object in brackets or without, over few lines or many."""
    if is_json:
        return f"{json.dumps(of, indent=rng.choice([None, 2, 4]))}\n"
    flow, width, indent = rng.choice([False, None, True]), rng.choice([30, 1000]), rng.choice([2, 4])
    return str(yaml.safe_dump(of, sort_keys=False, default_flow_style=flow, width=width, indent=indent))


@pytest.mark.parametrize("kind", triples.SPECS)
@given(seed=st.integers(0, 2**32), on_conflict=st.sampled_from(["TakeUpdate", "KeepLocal"]))
@settings(max_examples=max(20, settings().max_examples // 5))
def test_lines_decide_as_fields_do(kind: str, seed: int, on_conflict: OnConflict) -> None:
    sides = triple_without_renames(Random(seed), kind)  # noqa: S311 - for tests
    texts = [None if side is None else triples.text(side) for side in sides]
    group, _, version = sides.local["apiVersion"].rpartition("/")
    origin, update, local = map(tree, texts)
    by_fields = merge_values(origin, update, local, Schema(group, version, kind), Policy(on_conflict))
    before, new, own = (File(text or "", "a.yaml") for text in texts)
    output = composition.merge(before, new, own, BaseRule(Policy(on_conflict)))
    made = scalars.data(parser.parse(output.text).root)
    assert in_one_order(made) == in_one_order(data(by_fields.target))
    told = [(CONFLICT, each.path) for each in by_fields.conflicts] + [
        (each.reason, each.path) for each in by_fields.notes if each.reason not in OF_ORDER
    ]
    expected = sorted((reason, fieldpath.to_text(path)) for reason, path in told)
    results = [each for each in output.results if each.reason not in OF_ORDER]
    assert sorted((each.reason, each.field or "") for each in results) == expected
