"""The table of kinds with Pods beside their own CRDs and Go types, as `make kinds` has read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from krm import fieldpath
from krm.workloads import KINDS, facts_of

FOUND: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("kinds.json").read_text(encoding="utf-8"))


def test_each_kind_was_looked_up() -> None:
    assert sorted(FOUND) == sorted("/".join(filter(None, kind)) for kind in KINDS)


@pytest.mark.parametrize("kind", KINDS, ids="/".join)
def test_a_kind_has_its_pod_specs_where_its_own_schema_has_them(kind: tuple[str, str]) -> None:
    found, row = FOUND["/".join(filter(None, kind))], facts_of(*kind)
    paths = sorted(map(fieldpath.to_text, row.pod_specs))
    # Some CRDs say of a template no more than that it is an object.
    said = [path for path in paths if path in found["podSpecs"]]
    unsaid = [path for path in paths if any(path.startswith(f"{one.removesuffix('?')}.") for one in found["open"])]
    assert (sorted([*said, *unsaid]), len(paths)) == (paths, len(found["podSpecs"]) + len(found["open"]))
    assert row.scales == found["scales"]
