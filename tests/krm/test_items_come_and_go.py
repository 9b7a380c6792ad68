"""Items that are added and removed: the bytes of each shape, and what holds for all of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm import resourcelist
from krm.results import ERROR, Result
from krm.yamltree import parser
from krm.yamltree.scalars import data

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.results import Output

NEW = "# new\nkind: A # a\nx:\n- 'v'\n"
TWO = "- kind: Pod\n  name: a # a\n  # of a\n# of b\n- kind: Pod\n  name: b\n  # of b\n# behind\n"
ELEMENT = "- # new\n  kind: A # a\n  x:\n  - 'v'\n"
FLOW = "{kind: A, x: [v]}"
JSON = '{"kind": "A", "x": ["v"]}'
BOTH = '{"kind": "ResourceList", "items": [{"n": 1}, {"n": 2}]}'
LINES = '{\n  "kind": "ResourceList",\n  "items": [\n    {"n": 1},\n    {"n": 2}\n  ]\n}\n'


def indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


ADDED = {
    "block": (f"kind: ResourceList\nitems:\n{TWO}", f"kind: ResourceList\nitems:\n{TWO[:-9]}{ELEMENT}# behind\n"),
    "block, keys behind": (
        "kind: ResourceList\nitems:\n- a: |\n    b\n\n# c\nmetadata: {}\n",
        f"kind: ResourceList\nitems:\n- a: |\n    b\n{ELEMENT}\n# c\nmetadata: {{}}\n",
    ),
    "block, indented": (
        f"kind: ResourceList\nitems:\n{indented(TWO)}",
        f"kind: ResourceList\nitems:\n{indented(TWO)[:-11]}{indented(ELEMENT)}  # behind\n",
    ),
    "block, parsed whole": (
        f"items: # c\n{TWO}kind: ResourceList\n",
        f"items: # c\n{TWO[:-9]}{ELEMENT}# behind\nkind: ResourceList\n",
    ),
    "block, shared anchors": (
        "kind: ResourceList\nitems:\n- a: &a 1\n- b: *a\n",
        f"kind: ResourceList\nitems:\n- a: &a 1\n- b: *a\n{ELEMENT}",
    ),
    "block, open": (
        "kind: ResourceList\nitems: # c\n- a: |\n    b",
        f"kind: ResourceList\nitems: # c\n- a: |-\n    b\n{ELEMENT}",
    ),
    "block, shown by an alias": (
        "x: &x\n- a: 1\nkind: ResourceList\nitems: *x\n",
        "x: &x\n- a: 1\nkind: ResourceList\nitems:\n- a: 1\n- kind: A\n  x:\n  - v\n",
    ),
    "CRLF": (
        f"kind: ResourceList\nitems:\n{TWO}".replace("\n", "\r\n"),
        f"kind: ResourceList\nitems:\n{TWO[:-9]}{ELEMENT}# behind\n".replace("\n", "\r\n"),
    ),
    "flow": ("kind: ResourceList\nitems: [{n: 1}] # c\n", f"kind: ResourceList\nitems: [{{n: 1}}, {FLOW}] # c\n"),
    "all in brackets": ("{kind: ResourceList, items: []}\n", f"{{kind: ResourceList, items: [{FLOW}]}}\n"),
    "JSON": (BOTH, BOTH.replace("2}", f"2}}, {JSON}")),
    "JSON, in lines": (LINES, LINES.replace("2}", f"2}},\n    {JSON}")),
    "JSON, empty": ('{"kind": "ResourceList", "items": []}', f'{{"kind": "ResourceList", "items": [{JSON}]}}'),
    "JSON, null": (
        '{"kind": "ResourceList", "items": null, "functionConfig": {}}',
        f'{{"kind": "ResourceList", "items": [{JSON}], "functionConfig": {{}}}}',
    ),
    "JSON, absent": (
        '{"kind": "ResourceList", "functionConfig": {}}',
        f'{{"kind": "ResourceList", "functionConfig": {{}}, "items": [{JSON}]}}',
    ),
    "empty": ("kind: ResourceList\nitems: [] # c\n", f"kind: ResourceList\nitems: # c\n{ELEMENT}"),
    "empty, others wide": (
        "kind: ResourceList\nitems: []\nmetadata:\n  a:\n    - b\n",
        f"kind: ResourceList\nitems:\n{indented(ELEMENT)}metadata:\n  a:\n    - b\n",
    ),
    "null": (
        "kind: ResourceList\nitems:\nfunctionConfig: {}\n",
        f"kind: ResourceList\nitems:\n{ELEMENT}functionConfig: {{}}\n",
    ),
    "absent": (
        "kind: ResourceList\nfunctionConfig: {} # c\n",
        f"kind: ResourceList\nfunctionConfig: {{}} # c\nitems:\n{ELEMENT}",
    ),
    "between documents": (
        f"# c\n---\nkind: ResourceList\nitems: # d\n{TWO}---\n# e\n",
        f"# c\n---\nkind: ResourceList\nitems: # d\n{TWO[:-9]}{ELEMENT}# behind\n---\n# e\n",
    ),
    "documents": ("a: 1\n---\nb: 2 # c\n---\n# d\n", f"a: 1\n---\nb: 2 # c\n---\n# d\n---\n{NEW}"),
    "documents, CRLF": ("a: 1\r\n", f"a: 1\n---\n{NEW}".replace("\n", "\r\n")),
    "documents, open": ("a: 1 # c", f"a: 1 # c\n---\n{NEW}"),
    "documents, a block, open": ("---\na: |+\n  b", f"---\na: |-\n  b\n---\n{NEW}"),
    "documents, a comment, open": ("---\n# c", f"---\n# c\n---\n{NEW}"),
    "documents, none": ("", NEW),
    "JSON document": ('{"a": 1}', f'{{"a": 1}}\n---\n{JSON}\n'),
}
LOSES = {name for name in ADDED if name.startswith(("flow", "all in brackets", "block, shown by", "JSON"))}
REMOVED = {
    "block": (
        f"kind: ResourceList\nitems:\n{TWO}",
        "kind: ResourceList\nitems:\n# of b\n- kind: Pod\n  name: b\n  # of b\n# behind\n",
        "kind: ResourceList\nitems:\n- kind: Pod\n  name: a # a\n  # of a\n# behind\n",
        "kind: ResourceList\nitems: []\n# behind\n",
    ),
    "block, in quotes what looks like a comment": (
        'kind: ResourceList\nitems:\n- a: "b\n# c"\n- d: 1\n',
        "kind: ResourceList\nitems:\n- d: 1\n",
        'kind: ResourceList\nitems:\n- a: "b\n# c"\n',
        "kind: ResourceList\nitems: []\n",
    ),
    "block, blank lines": (
        "kind: ResourceList\nitems:\n- a: |\n    b\n\n# c\n\n- d: |+\n    e\n\nmetadata: {}\n",
        "kind: ResourceList\nitems:\n\n# c\n\n- d: |+\n    e\n\nmetadata: {}\n",
        "kind: ResourceList\nitems:\n- a: |\n    b\n\n# c\n\nmetadata: {}\n",
        "kind: ResourceList\nitems: []\n\n# c\n\nmetadata: {}\n",
    ),
    "block, parsed whole": (
        f"items: # c\n{TWO}kind: ResourceList\n",
        "items: # c\n# of b\n- kind: Pod\n  name: b\n  # of b\n# behind\nkind: ResourceList\n",
        "items: # c\n- kind: Pod\n  name: a # a\n  # of a\n# behind\nkind: ResourceList\n",
        "items: [] # c\n# behind\nkind: ResourceList\n",
    ),
    "block, shared anchors": (
        "kind: ResourceList\nitems:\n- a: &a 1\n- b: *a\n",
        "kind: ResourceList\nitems:\n- b: 1\n",
        "kind: ResourceList\nitems:\n- a: &a 1\n",
        "kind: ResourceList\nitems: []\n",
    ),
    "CRLF": (
        "kind: ResourceList\r\nitems:\r\n- a: 1\r\n# b\r\n- b: 2\r\n",
        "kind: ResourceList\r\nitems:\r\n# b\r\n- b: 2\r\n",
        "kind: ResourceList\r\nitems:\r\n- a: 1\r\n",
        "kind: ResourceList\r\nitems: []\r\n",
    ),
    "flow": (
        "kind: ResourceList\nitems: [{n: 1}, {n: 2}] # c\n",
        "kind: ResourceList\nitems: [{n: 2}] # c\n",
        "kind: ResourceList\nitems: [{n: 1}] # c\n",
        "kind: ResourceList\nitems: [] # c\n",
    ),
    "JSON": (
        BOTH,
        '{"kind": "ResourceList", "items": [{"n": 2}]}',
        '{"kind": "ResourceList", "items": [{"n": 1}]}',
        '{"kind": "ResourceList", "items": []}',
    ),
    "JSON, in lines": (
        LINES,
        LINES.replace('    {"n": 1},\n', ""),
        LINES.replace(',\n    {"n": 2}', ""),
        '{\n  "kind": "ResourceList",\n  "items": []\n}\n',
    ),
    "documents": (
        "# a\na: 1\n---\n# none\n--- # b\nb: 2\n",
        "---\n# none\n--- # b\nb: 2\n",
        "# a\na: 1\n---\n# none\n",
        "---\n# none\n",
    ),
}


def added(text: str, *new: str) -> Output:
    resource_list = resourcelist.read(text)
    for one in new:
        resource_list.add(one)
    return resource_list.emit()


@pytest.mark.parametrize("shape", ADDED)
def test_a_new_item_stands_behind_the_others(shape: str) -> None:
    text, expected = ADDED[shape]
    resource_list = resourcelist.read(text)
    resource_list.add(NEW)
    lost = ["[info] A: its comments are lost: the list has no place for them"]
    assert [str(result) for result in resource_list.results] == (lost if shape in LOSES else [])
    resource_list.results.clear()
    assert resource_list.emit().text == expected


@pytest.mark.parametrize("shape", ADDED)
def test_items_come_one_after_the_other_and_go_again(shape: str) -> None:
    text, expected = ADDED[shape]
    resource_list = resourcelist.read(text)
    first, second = resource_list.add("kind: B\n"), resource_list.add(NEW)
    assert [item.kind for item in resource_list.items[-2:]] == ["B", "A"]
    resource_list.remove(first)
    second.set(("x",), ["v"])
    resource_list.results.clear()
    assert resource_list.emit().text == expected
    resource_list = resourcelist.read(text)
    resource_list.remove(resource_list.add(NEW))
    resource_list.results.clear()
    assert resource_list.emit().text == text


@pytest.mark.parametrize("shape", REMOVED)
def test_an_item_goes_with_its_comments(shape: str) -> None:
    text, *expected = REMOVED[shape]
    for gone, left in zip((slice(0, 1), slice(1, 2), slice(0, 2)), expected, strict=True):
        resource_list = resourcelist.read(text)
        resource_list.remove(*resource_list.items[gone])
        assert resource_list.emit().text == left


@pytest.mark.parametrize("shape", REMOVED)
def test_changed_items_beside_those_that_come_and_go(shape: str) -> None:
    text, first_gone, *_ = REMOVED[shape]
    resource_list = resourcelist.read(text)
    first, second = resource_list.items
    first.set(("changed",), 1)
    resource_list.remove(first)
    second.set(("kind",), "Changed")
    alone = resourcelist.read(first_gone)
    alone.items[0].set(("kind",), "Changed")
    assert resource_list.emit().text == alone.emit().text


@pytest.mark.parametrize("shape", sorted(ADDED.keys() | REMOVED.keys()))
def test_an_error_gives_back_what_was_read(shape: str) -> None:
    text = (ADDED | REMOVED)[shape][0]
    resource_list = resourcelist.read(text)
    resource_list.remove(*resource_list.items[:1])
    resource_list.add("kind: B\n").set(("x",), 1)
    resource_list.results.append(Result("no", ERROR, "Never"))
    unchanged = resourcelist.read(text)
    unchanged.results.append(Result("no", ERROR, "Never"))
    assert (resource_list.emit().text, resource_list.emit().exit_code) == (unchanged.emit().text, 1)


@pytest.mark.parametrize("shape", ADDED)
def test_a_new_item_is_an_item_like_the_others(shape: str) -> None:
    resource_list = resourcelist.read(ADDED[shape][0])
    item = resource_list.add("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: new\ndata:\n  a: b # c\n")
    assert (str(item.ref), item.get("data.a"), len(item.find("data[*]"))) == ("v1/ConfigMap/new", "b", 1)
    item.set(("data", "a"), "c")
    item.set(("metadata", "labels", "x"), "y")
    item.delete("apiVersion")
    result = item.result("message", ERROR, "Reason", ("data", "a"))
    assert str(result) == "[error] ConfigMap/new data.a: message"
    emitted = resourcelist.read(resource_list.emit().text).items[-1]
    expected = {"kind": "ConfigMap", "metadata": {"name": "new", "labels": {"x": "y"}}, "data": {"a": "c"}}
    assert data(emitted.root) == expected


def test_what_is_not_there_cannot_go() -> None:
    resource_list = resourcelist.read(BOTH)
    first, second = resource_list.items
    resource_list.remove(first)
    for gone in ((first,), (second, first)):
        with pytest.raises(ValueError, match=r"^an item that is not in the list cannot be removed from it$"):
            resource_list.remove(*gone)
    assert resource_list.items == (second,)


def test_an_anchor_that_would_take_over_an_alias_behind_the_items_is_refused() -> None:
    text = "kind: ResourceList\nitems:\n- a: &a 1\n- b: *a\nfunctionConfig: {c: *a}\n"
    output = added(text, "kind: B\nx: &a 2\n")
    assert str(output.results[0]) == (
        "[error] an item cannot be added or removed: line 4: "
        "nothing can be put behind this: it cannot be changed in place"
    )
    assert output.text.startswith(f"{text}results:\n")


def test_a_blank_line_below_an_item_that_goes_is_no_text_of_the_item_above() -> None:
    kept = "- kind: A\n  x: |+\n    one\n"
    text = f"kind: ResourceList\nitems:\n{kept}- kind: B\n\n- kind: C\n\n- kind: D\n"
    resource_list = resourcelist.read(text)
    resource_list.remove(*resource_list.items[1:3])
    assert resource_list.emit().text == f"kind: ResourceList\nitems:\n{kept}- kind: D\n"


def test_an_item_beside_one_that_goes_has_to_be_yaml() -> None:
    resource_list = resourcelist.read("kind: ResourceList\nitems:\n- a: 1\n- a: 1\n  a: 2\n- b: 1\n")
    resource_list.remove(resource_list.items[2])
    (result,) = resource_list.emit().results
    assert str(result) == "[error] items[1]: line 5, column 3: the key `a` is here again, first in line 4"


def test_items_that_all_go_have_to_be_yaml() -> None:
    resource_list = resourcelist.read("kind: ResourceList\nitems:\n- a: 1\n- a: 1\n  a: 2\n")
    resource_list.remove(*resource_list.items)
    (result,) = resource_list.emit().results
    assert str(result) == "[error] items[0]: line 5, column 3: the key `a` is here again, first in line 4"


# What holds for every list.

PARTS = st.sampled_from(
    [
        "# a\nkind: A\n",
        "kind: B # b\nx: |\n  c\n\n  d\n",
        "kind: C\nx: |+\n  c\n\n",
        "kind: 'D'\nx:\n# y\n- y: {a: 1}\n  # z\n",
        "{kind: E, x: [a, 'b'],\n y: \"c\n\n  d\"}\n# e\n",
        "kind: F\nx: &x [1.10]\ny: *x\n",
    ]
)
PARTS_AND_CHANGES = st.lists(st.tuples(PARTS, st.sampled_from(["stays", "changes", "goes"])), max_size=5)


def block_list(parts: list[str], key: str = "items:") -> str:
    listed = "".join("- " + part.replace("\n", "\n  ").replace("\n  \n", "\n\n").removesuffix("  ") for part in parts)
    return f"kind: ResourceList\n{key}{'' if parts else ' []'}\n{listed}functionConfig: {{}}\n"


def changed(part: str) -> str:
    return re.sub("(?<=kind: )('?)[A-F]", r"\1Changed", part)


SHAPES_OF_PARTS: dict[str, Callable[[list[str]], str]] = {
    "block": block_list,
    "parsed whole": lambda parts: block_list(parts, "'items':"),
    "CRLF": lambda parts: block_list(parts).replace("\n", "\r\n"),
    "documents": "---\n".join,
}


@pytest.mark.parametrize("shape", SHAPES_OF_PARTS)
@given(read=PARTS_AND_CHANGES, new=st.lists(PARTS, max_size=3))
def test_the_text_is_that_of_the_items_that_are_there(shape: str, read: list[tuple[str, str]], new: list[str]) -> None:
    """Items that stay keep every byte, whatever comes, goes or changes beside them."""
    of = SHAPES_OF_PARTS[shape]
    resource_list = resourcelist.read(of([part for part, _ in read]))
    for item, (_, change) in zip(resource_list.items, read, strict=True):
        if change == "changes":
            item.set(("kind",), "Changed")
        elif change == "goes":
            resource_list.remove(item)
    for part in new:
        resource_list.add(part)
    stays = [part if change == "stays" else changed(part) for part, change in read if change != "goes"]
    # A document that was not the first one goes on starting with its mark.
    assert resource_list.emit().text.removeprefix("---\n") == of([*stays, *new])


@pytest.mark.parametrize("indent", [None, 2])
@given(read=st.lists(st.sampled_from(["stays", "changes", "goes"]), max_size=5), new=st.lists(PARTS, max_size=3))
def test_json_stays_json(indent: int | None, read: list[str], new: list[str]) -> None:
    items = [{"kind": f"K{number}"} for number in range(len(read))]
    resource_list = resourcelist.read(json.dumps({"kind": "ResourceList", "items": items}, indent=indent))
    for item, change in zip(resource_list.items, read, strict=True):
        if change == "changes":
            item.set(("x",), 1)
        elif change == "goes":
            resource_list.remove(item)
    for part in new:
        resource_list.add(part)
    stays = [
        item | ({"x": 1} if change == "changes" else {})
        for item, change in zip(items, read, strict=True)
        if change != "goes"
    ]
    expected = stays + [data(parser.parse(part).root) for part in new]
    resource_list.results.clear()
    assert json.loads(resource_list.emit().text) == {"kind": "ResourceList", "items": expected}
