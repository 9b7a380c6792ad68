"""What `get` returns, set again, changes no byte: at every path of a document, whatever its style."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import krm
from tests.krm.function.texts import edited, paths
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

KEPT = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: a
  labels:
    app.kubernetes.io/version: 1.16.1
    since: 2026-01-02
  annotations: {on: off, "quoted": 'single', ratio: 1.10, none: null, empty: } # of ours
spec: &spec
  address: 10.16.64.0
  octal: 0777
  hex: 0x1F
  time: 12:30
  exponent: 1e3
  infinite: .inf
  custom: !Sub ${AWS::Region}
  text: !!str 8080
  words: [y, n, on, "on", ~, Null, TRUE]
  list:
  - x
  - y # kpt-set: ${y}
  - z
  block: |
    a
      b
  folded: >-
    c

    d
again: *spec
merged:
  <<: *spec
  octal: 1
? [complex]
: value
"""


def all_set_again(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        before = item.text
        for path in paths(item.get()):
            item.set(path, item.get(path))
            assert item.text == before, path


def test_what_is_set_again_changes_no_byte() -> None:
    assert krm.transform(KEPT, all_set_again).text == KEPT


def test_texts_that_are_set_again_change_no_byte() -> None:
    def texts_again(resource_list: krm.ResourceList) -> None:
        for item in resource_list.items:
            for leaf in item.walk(leaves=True):
                leaf.text = leaf.text

    text = KEPT.partition("again:")[0]
    assert krm.transform(text, texts_again).text == text


MANIFESTS = [*sorted((ROOT / "examples").rglob("*.yaml")), *sorted((ROOT / "testdata").rglob("input.yaml"))[::7]]


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_real_documents_that_are_set_again(path: Path) -> None:
    text = path.read_bytes().decode()
    try:
        output = krm.transform(text, all_set_again)
    except krm.FnError:
        pytest.skip("no YAML")
    # A few are no YAML in an item, or have a mapping where Kubernetes takes texts alone.
    reasons = {str(result.reason) for result in output.results}
    assert output.text == text or (reasons and reasons <= {"InvalidInput", "NotEditable"})


EDITS = {
    "a neighbour in a mapping": (
        lambda item: item.set("metadata.labels", {**item.get("metadata.labels"), "team": "shop"}),
        "    since: 2026-01-02\n",
        "    since: 2026-01-02\n    team: shop\n",
    ),
    "the order of a list": (
        lambda item: item.set("spec.list", ["x", "z", "y"]),
        "  - y # kpt-set: ${y}\n  - z\n",
        "  - z\n  - y # kpt-set: ${y}\n",
    ),
    "a text that differs": (
        lambda item: item.set("spec.time", "12:31"),
        "time: 12:30",
        'time: "12:31"',
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_what_is_not_changed_stays(name: str) -> None:
    change, before, after = EDITS[name]
    text = KEPT.partition("again:")[0]
    assert edited(change, text) == text.replace(before, after)
