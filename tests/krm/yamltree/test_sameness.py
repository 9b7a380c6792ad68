"""Whether two texts say the same to a reader: values, types, anchors and tags, but not comments and layout."""

from __future__ import annotations

import pytest

from krm.yamltree import parser, sameness

SAME = {
    "another layout": ("a: 1 # c\nb: [x]\n", "# d\na:   1\nb:\n- x\n", True),
    "nothing at all": ("", "# c\n", True),
    "nothing and something": ("# c\n", "a: 1\n", False),
    "another type": ("a: 1\n", "a: '1'\n", False),
    "another anchor": ("a: &x 1\n", "a: &y 1\n", False),
    "a copy for an alias": ("a: &x 1\nb: *x\n", "a: &x 1\nb: 1\n", False),
    "another tag": ("a: !x 1\n", "a: 1\n", False),
}


@pytest.mark.parametrize(("one", "other", "is_same"), SAME.values(), ids=SAME)
def test_texts_that_say_the_same(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001 - a column of the table
    assert sameness.same(parser.parse(one).root, parser.parse(other).root) is is_same


DATA = {
    "quotes and the order of keys": ("{a: 'x', b: 1}", "{b: 1, a: x}", True),
    "a copy for an alias": ("a: &x 1\nb: *x\n", "a: 1\nb: 1\n", True),
    "a key that is no scalar": ("{? [a] : 1, b: 2}", "{b: 2, ? [a] : 1}", True),
    "another value of a key that is no scalar": ("{? [a] : 1}", "{? [a] : 2}", False),
    "another key that is no scalar": ("{? [a] : 1}", "{? [b] : 1}", False),
    "one key more that is no scalar": ("{? [a] : 1, b: 2}", "{b: 2}", False),
    "an alias without an anchor": ("{<<: *x, a: 1}", "{<<: *x, a: 1}", False),
    "a string and a number": ("'1'", "1", False),
    "a word that is true to some readers": ("on", "'on'", False),
    "the tag of a number": ("!!int 1", "1", True),
    "the tag of another type": ("!!binary on", "on", False),
}


@pytest.mark.parametrize(("one", "other", "is_same"), DATA.values(), ids=DATA)
def test_texts_that_have_the_same_data(one: str, other: str, is_same: bool) -> None:  # noqa: FBT001 - a column
    assert sameness.same_data(parser.parse(one).root, parser.parse(other).root) is is_same
