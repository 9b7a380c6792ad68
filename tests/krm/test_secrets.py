"""What is secret: odd objects, which no generator of layouts writes."""

from __future__ import annotations

import pytest

from krm import fieldpath, secrets
from krm.resource import Resource
from krm.yamltree import parser

HEAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: *k, b: x, c: *s}}\n"
SECRET = "stringData: &s {k: &k hidden}\n" + HEAD
LISTED = "spec: {objects: [{name: a, kind: Secret, data: {k: x}}, {name: b, kind: Pod, data: {k: x}}]}"
OBJECTS = f"apiVersion: e.com/v1\nkind: T\nmetadata: {{name: t}}\n{LISTED}\n"
AT = {
    "a field of it": (SECRET, "stringData.k", True),
    "one that it lacks": (SECRET, "data.other", True),
    "what is above": (SECRET, "metadata", True),
    "an alias of a value": (SECRET, "metadata.labels.a", True),
    "an alias of a section": (SECRET, "metadata.labels.c", True),
    "what is beside": (SECRET, "metadata.labels.b", False),
    "an inner object": (OBJECTS, "spec.objects[0].data.k", True),
    "the object beside": (OBJECTS, "spec.objects[1].data.k", False),
    "one of any": (OBJECTS, "spec.objects[*].data.k", True),
    "one by its name": (OBJECTS, "spec.objects[name=b].data.k", True),
    "no secret": (OBJECTS, "metadata.name", False),
    "no secret at all": (OBJECTS.replace("Secret", "Pod"), "spec.objects[0].data.k", False),
}


@pytest.mark.parametrize(("text", "path", "expected"), AT.values(), ids=AT)
def test_where_an_object_is_secret(text: str, path: str, expected: bool) -> None:  # noqa: FBT001 - one of a table
    item = Resource(text, (0, len(text)), "it")
    assert secrets.finder(item)(fieldpath.parse(path)) is expected


WITHIN = {
    "a text that is its own": ("c:\\temp", False),
    "a text in a text": ("a: |\n  b: |\n    kind: Secret\n    data: {a: b}", True),
    "JSON in JSON": ('{"a": "{\\"kind\\": \\"Secret\\", \\"data\\": {}}"}', True),
    "deeper than anybody looks": (
        "".join(f"{' ' * level}a: |\n" for level in range(9)) + " " * 9 + "kind: Secret",
        True,
    ),
    "no Secret deep down": ("".join(f"{' ' * level}a: |\n" for level in range(9)) + " " * 9 + "a: secret", False),
}


@pytest.mark.parametrize(("text", "expected"), WITHIN.values(), ids=WITHIN)
def test_a_text_may_stand_in_others(text: str, expected: bool) -> None:  # noqa: FBT001 - one of a table
    assert secrets.holds_secret(text) is expected


def test_an_alias_of_nothing_hides_nothing() -> None:
    root = parser.parse("kind: Secret\ndata: *a\nstringData: {b: c}\n").root
    assert [place for place, _ in secrets.parts(root)] == [("stringData",)]
