"""The schemas in CustomResourceDefinitions."""

from __future__ import annotations

import pytest

from krm.merge.kinds import schema
from krm.merge.kinds.schema import Definitions
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
