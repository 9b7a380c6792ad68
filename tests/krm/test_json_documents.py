"""JSON documents in a stream: behind `---`, and one behind the other, as `jq -c` prints them."""

from __future__ import annotations

import json

import pytest

from krm import resourcelist
from krm.yamltree.parser import ParseError

A, B = '{"kind": "A", "metadata": {"name": "a"}, "text": "$(X)"}', '{"kind":"B"}'
STREAMS = [f"{A}\n---\n{B}\n", f"---\n{A}\n---\n{B}", f"{A}\n{B}\n", f"{A}{B}", f"\n{A}\n\n{B}\n\n"]


@pytest.mark.parametrize("text", STREAMS)
def test_a_stream_of_json_stays_json(text: str) -> None:
    found = resourcelist.read(text)
    assert [item.kind for item in found.items] == ["A", "B"]
    found.items[0].set_annotations({"a/b": "c\nd"})
    written = '"metadata": {"name": "a", "annotations": {"a/b": "c\\nd"}}'
    assert found.emit().text == text.replace('"metadata": {"name": "a"}', written)


@pytest.mark.parametrize("text", STREAMS)
def test_items_come_and_go_as_json(text: str) -> None:
    found = resourcelist.read(text)
    found.remove(found.items[0])
    found.add("kind: C\n")
    values = [json.loads(line) for line in found.emit().text.splitlines() if line.strip(" -")]
    assert values == [{"kind": "B"}, {"kind": "C"}]
    assert ("---" in found.emit().text) == ("---" in text)


def test_yaml_and_json_each_stay_what_they_are() -> None:
    found = resourcelist.read(f"{B}\n---\nkind: C\n")
    for item in found.items:
        item.set(("more",), {"a": "b"})
    assert found.emit().text == '{"kind":"B", "more": {"a": "b"}}\n---\nkind: C\nmore:\n  a: b\n'
    found.add("kind: D # of C\n")
    assert found.emit().text.endswith("---\nkind: D # of C\n")


@pytest.mark.parametrize("text", [f"{A}\n[1]\n", f"{A} x\n", f"{A}\n{B[:-1]}\n"])
def test_what_is_no_json_is_yaml_or_nothing(text: str) -> None:
    with pytest.raises(ParseError):
        resourcelist.read(text)
