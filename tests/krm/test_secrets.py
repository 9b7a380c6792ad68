"""What is secret: odd objects, which no generator of layouts writes."""

from __future__ import annotations

from krm import secrets
from krm.yamltree import parser


def test_an_alias_of_nothing_hides_nothing() -> None:
    root = parser.parse("kind: Secret\ndata: *a\nstringData: {b: c}\n").root
    assert [place for place, _ in secrets.parts(root)] == [("stringData",)]
