"""Whatever two branches do to manifests, the driver is never worse than git, and what it calls merged is merged.

The model knows nothing of the merge: manifests are lines, and what each side wants of a field is known from the edits
that were drawn. A field that both sides edit, differently, is in conflict.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm.git import cascade, line_merge
from krm.git.line_merge import Labels, ThreeTexts

FIELDS = ("replicas", "paused", "minReadySeconds", "revisionHistoryLimit")
ENV = ("A", "B", "C", "D")
NEW = ("X", "Y")
PLACES = (*(("spec", field) for field in FIELDS), *(("env", name) for name in (*ENV, *NEW)), ("label", "tier"))

# What a side does to a place: another value, none at all, or the same value with a comment behind it.
edits = st.dictionaries(st.sampled_from(PLACES), st.sampled_from(["2", "3", None, "# why"]), min_size=1, max_size=3)


def start() -> dict[tuple[str, str], str]:
    return {place: "1" for place in PLACES if place[1] not in NEW}


def value(edited: dict[tuple[str, str], str | None], place: tuple[str, str]) -> str | None:
    """Return the value that a side gives to a place: a comment is none."""
    wanted = edited.get(place, start().get(place))
    return start().get(place, "1") if wanted == "# why" else wanted


def manifest(edited: dict[tuple[str, str], str | None]) -> str:
    """Return a Deployment after the edits of one side."""

    def line(written: str, place: tuple[str, str]) -> str:
        found = value(edited, place)
        comment = f" # why {place[1]}" if edited.get(place) == "# why" else ""
        return "" if found is None else f"{written} {found}{comment}\n"

    labels = line("    tier:", ("label", "tier"))
    env = "".join(
        f"        - name: {name}\n{line('          value:', ('env', name))}"
        for name in (*ENV, *NEW)
        if value(edited, ("env", name)) is not None
    )
    return (
        f"apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  labels:\n    app: web\n{labels}spec:\n"
        f"{''.join(line(f'  {field}:', ('spec', field)) for field in FIELDS)}"
        f"  template:\n    spec:\n      containers:\n      - name: c\n        image: web:1\n        env:\n"
        f"        - name: FIRST\n          value: f\n{env}"
    )


def read(text: bytes) -> dict[tuple[str, str], str]:
    """Return the places of a manifest with their values."""
    spec: Any = yaml.safe_load(text)
    labels, container = spec["metadata"]["labels"], spec["spec"]["template"]["spec"]["containers"][0]
    found = {("spec", field): str(spec["spec"][field]) for field in FIELDS if field in spec["spec"]}
    found |= {("label", "tier"): str(labels["tier"])} if "tier" in labels else {}
    return found | {("env", one["name"]): str(one["value"]) for one in container["env"] if one["name"] != "FIRST"}


def comments(text: bytes) -> Counter[bytes]:
    return Counter(re.findall(rb"#.*", text))


@given(edits, edits)
def test_the_driver_is_never_worse_than_git(
    mine: dict[tuple[str, str], str | None], others: dict[tuple[str, str], str | None]
) -> None:
    sides = {"local": mine, "update": others}
    wants = {side: {place: value(edited, place) for place in PLACES} for side, edited in sides.items()}
    wanted: dict[tuple[str, str], str] = {}
    is_conflict = False
    for place in PLACES:
        before, own, new = start().get(place), wants["local"][place], wants["update"][place]
        is_conflict = is_conflict or (before not in (own, new) and own != new)
        merged = new if own == before else own
        wanted |= {} if merged is None else {place: merged}
    origin, update, local = (manifest(edited).encode() for edited in ({}, others, mine))
    texts = ThreeTexts(origin, update, local)
    git = line_merge.merge(texts, Labels(), line_merge.MARKER_SIZE)
    ours = cascade.merge(texts, "web.yaml", Labels(), line_merge.MARKER_SIZE)
    if is_conflict:
        assert ours.conflicts
        return
    if not git.conflicts and read(git.text) == wanted:
        assert not ours.conflicts
    if not ours.conflicts:
        assert read(ours.text) == wanted
    if not git.conflicts and not ours.conflicts:
        assert comments(git.text) <= comments(ours.text)
