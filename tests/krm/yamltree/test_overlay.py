"""A tree with other scalars shown at some places: read as if they stood there, and the tree itself left as it is."""

from __future__ import annotations

import pytest

from krm.yamltree import overlay, parser
from krm.yamltree.nodes import Scalar
from krm.yamltree.scalars import data

TEXT = """\
base: &base {image: a, tag: b}
own: {<<: *base, tag: c}
list: [a, {b: c}, &d d]
alias: *d
whole: *base
"""
SHOWN = {
    "a value": (("base", "tag"), {"base": {"image": "a", "tag": "X"}}),
    "an element": (("list", 0), {"list": ["X", {"b": "c"}, "d"]}),
    "a value in an element": (("list", 1, "b"), {"list": ["a", {"b": "X"}, "d"]}),
    "an anchored scalar": (("list", 2), {"list": ["a", {"b": "c"}, "X"]}),
    "an alias": (("alias",), {"alias": "X"}),
    "a value behind an alias": (("whole", "tag"), {"whole": {"image": "a", "tag": "X"}}),
    "a value that is merged in": (("own", "image"), {"own": {"tag": "c", "image": "X"}}),
    "a value that overrides one that is merged in": (("own", "tag"), {"own": {"tag": "X", "image": "a"}}),
    "a whole list": (("list",), {"list": "X"}),
}


def shown() -> Scalar:
    return Scalar(0, 0, "X", '"', None, None)


@pytest.mark.parametrize(("place", "changed"), SHOWN.values(), ids=SHOWN)
def test_a_scalar_is_shown_at_its_place_alone(place: tuple[str | int, ...], changed: dict) -> None:
    root = parser.parse(TEXT).root
    before = data(root)
    assert data(overlay.overlaid(root, {place: shown()})) == before | changed
    assert data(root) == before


def test_several_at_once() -> None:
    places: list[tuple[str | int, ...]] = [("list", 0), ("list", 1, "b"), ("own", "tag"), ("own", "image")]
    tree = data(overlay.overlaid(parser.parse(TEXT).root, {place: shown() for place in places}))
    assert (tree["list"], tree["own"]) == (["X", {"b": "X"}, "d"], {"tag": "X", "image": "X"})


def test_a_place_that_is_not_there() -> None:
    with pytest.raises(KeyError):
        overlay.overlaid(parser.parse(TEXT).root, {("list", 0, "a"): shown()})
