"""Whatever three objects say: by their lines and by their fields they become the same, and the same is told."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from krm import fieldpath
from krm.file import File
from krm.merge.files import documents
from krm.merge.kinds.schema import Schema
from krm.merge.merge3 import Rules, merge3
from krm.merge.outcome import ENV_REORDERED, FORWARD_REFERENCE
from krm.merge.policy import Policy
from krm.results import CONFLICT
from krm.yamltree import parser, scalars
from tests.krm.merge import triples
from tests.krm.merge.sides import data, tree

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict


OF_ORDER = (ENV_REORDERED, FORWARD_REFERENCE)


def in_one_order(value: Any) -> Any:
    """Return data without the order of keys and elements: of elements with keys lines keep more of it than fields."""
    if isinstance(value, dict):
        return {key: in_one_order(value[key]) for key in sorted(value)}
    return sorted(map(in_one_order, value), key=repr) if isinstance(value, list) else value


@pytest.mark.parametrize("kind", triples.SPECS)
@given(seed=st.integers(0, 2**32), on_conflict=st.sampled_from(["TakeUpdate", "KeepLocal"]))
@settings(max_examples=max(20, settings().max_examples // 5))
def test_lines_decide_as_fields_do(kind: str, seed: int, on_conflict: OnConflict) -> None:
    sides = triples.triple(Random(seed), kind, "x")  # noqa: S311 - for tests
    texts = [None if side is None else triples.text(side) for side in sides]
    group, _, version = sides.local["apiVersion"].rpartition("/")
    rules = Rules(Schema(group, version, kind), Policy(on_conflict))
    origin, update, local = map(tree, texts)
    by_fields = merge3(origin, update, local, rules)
    before, new, own = (File(text or "", "a.yaml") for text in texts)
    output = documents.merge(before, new, own, documents.by_fields(Policy(on_conflict)))
    made = scalars.data(parser.parse(output.text).root)
    assert in_one_order(made) == in_one_order(data(by_fields.wanted))
    told = [(CONFLICT, each.path) for each in by_fields.conflicts] + [
        (each.reason, each.path) for each in by_fields.notes if each.reason not in OF_ORDER
    ]
    expected = sorted((reason, fieldpath.to_text(path)) for reason, path in told)
    results = [each for each in output.results if each.reason not in OF_ORDER]
    assert sorted((each.reason, each.field or "") for each in results) == expected
