"""Lists among the items: their elements are items, and whoever writes the List writes them."""

from __future__ import annotations

import gc

import pytest

from krm import resourcelist
from krm.results import WARNING, FnError, as_line
from krm.yamltree.edits import Edit

PODS = "- kind: Pod\n  metadata: {name: a}\n- kind: Pod\n  metadata: {name: b}  # b\n"
INDENTED = "".join(f"  {line}\n" for line in PODS.splitlines())
ANCHORS = "- kind: Pod\n  metadata: &m {name: a}\n- kind: Pod\n  metadata: {name: b}  # b\n- metadata: *m\n"
JSON = '{"kind": "List", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}'
FLOW = "{kind: List, items: [{metadata: {name: a}}, {metadata: {name: b}}]}"
LISTS = {
    "alone": f"kind: List\nitems:\n{PODS}",
    "of one kind": f"kind: PodList\nmetadata: {{}}\nitems:\n{PODS}",
    "behind a document": f"kind: X\n---\nkind: List\nitems:\n{PODS}",
    "before a document": f"kind: List\nitems:\n{PODS}---\nkind: X\n",
    "open": f"kind: X\n---\nkind: List\nitems:\n{PODS}- kind: Pod",
    "with shared anchors": f"kind: X\n---\nkind: List\nitems:\n{ANCHORS}",
    "in brackets": "kind: X\n---\nkind: List\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n",
    "JSON": JSON,
    "of a ResourceList": f"kind: ResourceList\nitems:\n- kind: List\n  items:\n{INDENTED}- kind: X\n",
    "of a ResourceList in JSON": f'{{"kind": "ResourceList", "items": [{JSON}, {{"kind": "X"}}]}}',
    "of a ResourceList in brackets": f"{{kind: ResourceList, items: [{FLOW}, {{kind: X}}]}}\n",
    "in a List": f"kind: List\nitems:\n- kind: List\n  items:\n{INDENTED}- kind: X\n",
    "in a List of a ResourceList": "kind: ResourceList\nitems:\n- kind: List\n  items:\n  - kind: X\n  - kind: List\n"
    "    items:\n    - metadata: {name: a}\n    - metadata: {name: b}\n",
}
every_list = pytest.mark.parametrize("text", LISTS.values(), ids=LISTS.keys())


@every_list
def test_the_elements_are_items(text: str) -> None:
    listed = resourcelist.read(text)
    assert [name for item in listed.items if (name := item.name)] >= ["a", "b"]
    assert [item.kind for item in listed.items].count("X") == text.count("X")
    assert not any(item.is_changed for item in (*listed.items, *listed.entries))
    assert listed.emit().text == text


@every_list
def test_what_changes_in_an_element_changes_in_the_text(text: str) -> None:
    for change in ("set", "rewrite"):
        listed = resourcelist.read(text)
        (item,) = (item for item in listed.items if item.name == "b")
        if change == "set":
            item.set(("metadata", "name"), "c")
        else:
            item.rewrite({("metadata", "name"): [Edit(0, 1, "c")]})
        assert any(entry.is_changed for entry in listed.entries)
        assert listed.emit().text == text.replace("name: b", "name: c").replace('"b"', '"c"')


def test_a_list_without_a_final_line_break_gets_none() -> None:
    resource_list = resourcelist.read("kind: List\nitems:\n- kind: X\n  a: 1")
    resource_list.items[0].set(("a",), "b")
    assert resource_list.emit().text == "kind: List\nitems:\n- kind: X\n  a: b"
    resource_list.items[0].set(("a",), "one\ntwo\n")
    assert resource_list.emit().text == 'kind: List\nitems:\n- kind: X\n  a: "one\\ntwo\\n"'


def test_a_line_at_the_margin_of_an_open_list_may_be_text() -> None:
    resource_list = resourcelist.read('kind: List\nitems:\n- kind: X\nmetadata: {x: "one\n]two"}')
    resource_list.items[0].set(("a",), "b")
    assert resource_list.emit().text == 'kind: List\nitems:\n- kind: X\n  a: b\nmetadata: {x: "one\n]two"}'


@every_list
def test_elements_go_and_the_list_stays(text: str) -> None:
    listed = resourcelist.read(text)
    (gone,) = (item for item in listed.items if item.name == "b")
    gone.rewrite({("metadata", "name"): [Edit(0, 1, "c")]})
    listed.remove(gone)
    names = [item.name for item in listed.items]
    left = resourcelist.read(listed.emit().text)
    assert [item.name for item in left.items] == names
    left.remove(*(item for item in left.items if item.outer is not None))
    emptied = left.emit().text
    assert "[]" in emptied
    assert [item.kind for item in resourcelist.read(emptied).items] in ([], ["X"])


def test_a_new_item_stands_behind_the_list_and_not_in_it() -> None:
    listed = resourcelist.read(LISTS["alone"])
    listed.add("kind: New\n")
    assert listed.emit().text == f"{LISTS['alone']}---\nkind: New\n"


def test_an_item_that_came_goes_again() -> None:
    listed = resourcelist.read(LISTS["alone"])
    listed.remove(listed.add("kind: New\n"))
    assert listed.emit().text == LISTS["alone"]


@pytest.mark.parametrize(
    "text",
    [
        "kind: List\nitems: {a: 1}\n",
        "kind: List\nitems: [1]\n",
        "kind: List\nitems:\n- 1\n- a: 1\n",
        "kind: List\nitems:\n  - &a a: 1\n  - *a : 1\n    *a : 2\n",
        "kind: Listed\nitems:\n- a: 1\n",
        "kind: A\nspec: {kind: List}\nitems:\n- a: 1\n",
        "kind: A\nspec: {kind: List}\nitems: [{a: 1}]\n",
    ],
)
def test_what_is_no_list_of_mappings_is_an_item(text: str) -> None:
    for given in (text, f"a: 1\n---\n{text}"):
        assert resourcelist.read(given).items[-1].outer is None


def test_an_element_that_cannot_be_parsed_is_an_error_of_its_own() -> None:
    a, b = resourcelist.read("kind: List\nitems:\n- a: 1\n- b: 1\n  b: 2\n").items
    assert a.get("a") == 1
    with pytest.raises(FnError, match=r"^\[error\] items\[1\]: line 5, column 3: the key `b` is here again"):
        b.get("b")


def test_a_result_names_the_element_in_its_document() -> None:
    text = f"kind: X\n---\nkind: List\nitems:\n- kind: List\n  items:\n{INDENTED}"
    listed = resourcelist.read(text)
    item = listed.items[-1]
    assert item.document.has_lines
    result = item.result("odd", WARNING, "Odd", ("metadata", "name"))
    assert as_line(result) == "[warning] line 10: Pod/b items[0].items[1].metadata.name: odd (Odd)"
    assert as_line(item.result("odd", WARNING, "Odd")) == "[warning] line 9: Pod/b: odd (Odd)"


def test_an_element_has_the_file_and_the_bookkeeping_of_its_list() -> None:
    annotations = (
        "{config.kubernetes.io/path: a.yaml, config.kubernetes.io/index: '2', config.k8s.io/id: '1', "
        "config.kubernetes.io/local-config: 'true'}"
    )
    head = f"kind: ResourceList\nitems:\n- kind: List\n  metadata: {{name: l, annotations: {annotations}}}\n"
    listed = resourcelist.read(f"{head}  items:\n{INDENTED}")
    first, last = listed.items
    assert [(item.file, item.index, item.is_local_config) for item in listed.items] == [("a.yaml", 2, True)] * 2
    listed.remove(last)
    assert "config.k8s.io/id" in listed.emit().text
    listed.remove(first)
    assert "config.k8s.io/id" in listed.emit().text


def test_ids_go_when_an_element_goes_above_another_one() -> None:
    head = (
        "kind: ResourceList\nitems:\n- kind: List\n  metadata: {name: l, annotations: {config.k8s.io/id: '1', a: b}}\n"
    )
    listed = resourcelist.read(f"{head}  items:\n{INDENTED}")
    listed.remove(listed.items[0])
    assert listed.emit().text == (
        "kind: ResourceList\nitems:\n- kind: List\n  metadata: {name: l, annotations: {a: b}}\n"
        "  items:\n  - kind: Pod\n    metadata: {name: b}  # b\n"
    )


def test_elements_of_a_list_of_one_kind_are_of_that_kind() -> None:
    text = "apiVersion: v1\nkind: PodList\nitems:\n- metadata: {name: a}\n- kind: Other\n  apiVersion: x/v2\n"
    assert [str(item.ref) for item in resourcelist.read(text).items] == ["v1/Pod/a", "x/v2/Other"]
    (item,) = resourcelist.read("apiVersion: v1\nkind: List\nitems:\n- metadata: {name: a}\n").items
    assert (item.api_version, item.kind) == ("", "")


@every_list
def test_lists_leave_nothing_to_collect(text: str) -> None:
    gc.collect()
    gc.disable()
    try:
        listed = resourcelist.read(text)
        for item in listed.items:
            item.set(("x",), item.name)
            item.release()
        listed.remove(listed.items[0])
        listed.emit()
        del listed, item
        assert gc.collect() == 0
    finally:
        gc.enable()
