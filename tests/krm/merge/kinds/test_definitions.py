"""The schemas in CustomResourceDefinitions."""

from __future__ import annotations

import pytest

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds import schema
from krm.merge.kinds.schema import Definitions
from krm.merge.policy import Policy
from krm.resource import Resource
from krm.yamltree.nodes import Mapping, text_at
from krm.yamltree.parser import parse

WIDGETS = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              parts: {title: parts, items: {properties: {tags: {title: tags of v1}}}}
              sizes: {title: sizes, additionalProperties: {title: a size}}
              "null": null
  - name: v2
    schema: {openAPIV3Schema: {properties: {spec: {properties: {parts: {title: parts of v2}}}}}}
  - name: v3
  - odd
"""
OLD = """\
spec:
  group: example.com
  names: {kind: Gadget}
  validation: {openAPIV3Schema: {properties: {spec: {title: spec of all}}}}
  versions: [{name: v1}, {name: v2, schema: {openAPIV3Schema: {properties: {spec: {title: spec of v2}}}}}]
"""

FOUND = {
    "a field": ("Widget", "v1", ("spec", "parts"), "parts"),
    "a field of an element": ("Widget", "v1", ("spec", "parts", 0, "tags"), "tags of v1"),
    "of another version": ("Widget", "v2", ("spec", "parts"), "parts of v2"),
    "a map": ("Widget", "v1", ("spec", "sizes"), "sizes"),
    "any key of a map": ("Widget", "v1", ("spec", "sizes", "x"), "a size"),
    "nothing is said of it": ("Widget", "v1", ("spec", "others", 0, "x"), None),
    "its schema is null": ("Widget", "v1", ("spec", "null"), None),
    "an element of what has none": ("Widget", "v1", ("spec", 0), None),
    "a version without schema": ("Widget", "v3", ("spec",), None),
    "a version that is not there": ("Widget", "v4", ("spec",), None),
    "a kind that is not there": ("Gizmo", "v1", ("spec",), None),
    "one schema for all versions": ("Gadget", "v1", ("spec",), "spec of all"),
    "and one of its own": ("Gadget", "v2", ("spec",), "spec of v2"),
}


def defined(*texts: str) -> Definitions:
    return Definitions(Resource(text, (0, len(text)), "crd.yaml") for text in texts)


@pytest.mark.parametrize(("kind", "version", "place", "title"), FOUND.values(), ids=FOUND)
def test_the_schema_of_a_field(kind: str, version: str, place: tuple[str | int, ...], title: str | None) -> None:
    found = defined(WIDGETS, OLD).schema("example.com", version, kind, place)
    assert text_at(found, "title") == title


def test_a_later_definition_wins() -> None:
    later = OLD.replace("spec of all", "later")
    found = defined(OLD, later).schema("example.com", "v1", "Gadget", ("spec",))
    assert text_at(found, "title") == "later"


@pytest.mark.parametrize(
    "text", ["", "a", "spec:", "spec: {versions: x}", "spec: [x]", "spec: {versions: [{name: v1}]}"]
)
def test_what_is_no_definition_defines_nothing(text: str) -> None:
    assert defined(text).schema("", "v1", "", ()) is None


def test_texts_of_a_list() -> None:
    root = parse("l: [x, &b 1, *b, [y]]\ns: x\n").root
    assert isinstance(root, Mapping)
    assert schema.texts(root, "l") == ("x", "1", "1")
    assert schema.texts(root, "s") == ()
    assert schema.texts(root, "absent") == ()
    assert schema.texts(None, "l") == ()


def test_a_definition_that_cannot_be_read_defines_nothing() -> None:
    assert defined("spec: {group: example.com, names: {kind: A}, [\n").schema("example.com", "v1", "A", ()) is None


DECLARED = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  names: {{kind: Widget}}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          slots: {{type: array{keys}}}
"""
WITH_KEYS = DECLARED.format(keys=", x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [slot]")
OF_NO_KEYS = DECLARED.format(keys="")
WIDGET = "---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {{name: a}}\nslots:\n- {{slot: a, size: 1}}\n{added}"
ADDED = {"update": "- {slot: b, size: 2}\n", "local": "- {slot: b, color: red}\n"}


@pytest.mark.parametrize(
    ("origin", "update", "local", "has_keys"),
    [
        (OF_NO_KEYS, WITH_KEYS, OF_NO_KEYS, True),
        (OF_NO_KEYS, OF_NO_KEYS, WITH_KEYS, True),
        (WITH_KEYS, OF_NO_KEYS, WITH_KEYS, False),
        (WITH_KEYS, WITH_KEYS, OF_NO_KEYS, False),
        ("", WITH_KEYS, OF_NO_KEYS, False),
        ("", OF_NO_KEYS, WITH_KEYS, True),
    ],
)
def test_the_definition_counts_that_a_side_changed_and_locals_if_both_did(
    origin: str,
    update: str,
    local: str,
    has_keys: bool,  # noqa: FBT001 - a column of the table
) -> None:
    sides = {
        side: f"{text}{WIDGET.format(added=ADDED.get(side, ''))}"
        for side, text in zip(SIDES, (origin, update, local), strict=True)
    }
    before, new, own = (File(text, side) for side, text in sides.items())
    output = composition.merge(before, new, own, BaseRule(Policy("KeepLocal")))
    added = "- {slot: b, color: red, size: 2}\n" if has_keys else ADDED["local"]
    assert output.text.endswith(WIDGET.format(added=added))
    assert [result.field for result in output.results] == ([] if has_keys else ["slots"])
