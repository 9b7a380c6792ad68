"""Items that come, go and are selected."""

from __future__ import annotations

import time

import pytest

import krm
from tests.krm.function import texts
from tests.krm.function.texts import CONFIG_MAP, DEPLOYMENT, LIST

DOCUMENTS = f"{DEPLOYMENT}---\n{CONFIG_MAP}"


def test_where_selects_items() -> None:
    resource_list = texts.read()
    deployment, config_map = resource_list.items
    assert resource_list.where() == [deployment, config_map]
    assert resource_list.where("Deployment", "web") == [deployment]
    assert resource_list.where(group="apps", version="v1", namespace="shop", label="app in (web)") == [deployment]
    assert resource_list.where(name="setters") == [config_map]
    assert resource_list.where("Deployment", label="app!=web") == []
    with pytest.raises(ValueError, match="is no label selector"):
        resource_list.where(label="=")
    assert repr(resource_list) == "<ResourceList of 2 items>"
    assert repr(resource_list.items) == "(<Resource apps/v1/Deployment/shop/web>, <Resource v1/ConfigMap/setters>)"


def test_an_assignment_of_items_removes_the_others() -> None:
    resource_list = texts.read(DOCUMENTS)
    deployment, config_map = resource_list.items
    resource_list.items = [config_map]
    assert resource_list.emit().text == f"---\n{CONFIG_MAP}"
    with pytest.raises(
        ValueError, match=r"^apps/v1/Deployment/shop/web was removed from the list: it cannot be edited$"
    ):
        deployment.set("kind", "Job")
    with pytest.raises(ValueError, match="was removed from the list"):
        deployment.set_comment("kind", "x")
    with pytest.raises(ValueError, match=r"^an item that is not in the list cannot be removed from it$"):
        resource_list.remove(deployment)
    resource_list.items = resource_list.items
    assert resource_list.emit().text == f"---\n{CONFIG_MAP}"


@pytest.mark.parametrize("order", [(1, 0), (0, 0)])
def test_the_order_of_items_is_that_of_the_text(order: tuple[int, ...]) -> None:
    resource_list = texts.read()
    with pytest.raises(
        ValueError, match=r"^items keep the order in which they were read, each once: orchestrators sort them by file$"
    ):
        resource_list.items = [resource_list.items[number] for number in order]
    assert resource_list.emit().text == LIST


def test_an_item_of_another_list_is_added_as_a_copy() -> None:
    resource_list, other = texts.read("kind: Pod\n"), texts.read()
    with pytest.raises(ValueError, match=r"^an item of another list is added by `add`, which copies it$"):
        resource_list.items = other.items
    copy = resource_list.add(other.items[0])
    copy.set("metadata.name", "copy")
    places = DEPLOYMENT[DEPLOYMENT.index("  annotations:") : DEPLOYMENT.index("spec:")]
    copied = DEPLOYMENT.replace(places, "").replace("name: web # the", "name: copy # the")
    assert resource_list.emit().text == f"kind: Pod\n---\n{copied}"
    assert other.emit().text == LIST
    other.items[0].set_annotation("a", "b")
    assert resource_list.add(other.items[0]).annotations == {"a": "b"}


def test_an_item_is_added_as_text_or_dict() -> None:
    resource_list = texts.read("kind: Pod\n")
    assert resource_list.add("kind: A # a\n").kind == "A"
    assert resource_list.add({"kind": "B", "data": {"a": "1"}}).get("data") == {"a": "1"}
    assert resource_list.emit().text == 'kind: Pod\n---\nkind: A # a\n---\nkind: B\ndata:\n  a: "1"\n'
    with pytest.raises(TypeError, match=r"^a resource is a text, a dict or a Resource, found int$"):
        resource_list.add(1)  # type: ignore[arg-type]
    with pytest.raises(krm.FnError, match="the new item 4 cannot be added: it must be a mapping"):
        resource_list.add("- a\n")


@pytest.mark.parametrize(("name", "seen"), [("cfg", ["List"]), ("other", ["Namespace"])])
def test_a_list_that_is_the_function_config_stays_closed(name: str, seen: list[str]) -> None:
    """Its elements are what the function shall make, not what is there: kpt sends its file as well."""
    config = "{apiVersion: v1, kind: List, metadata: {name: cfg}, items: [{apiVersion: v1, kind: Namespace}]}"
    source = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {config.replace('cfg', name)}\n"
    resource_list = texts.read(f"{source}functionConfig: {config}\n")
    assert [item.kind for item in resource_list.items] == seen


def test_an_item_that_cannot_be_read_is_no_function_config() -> None:
    config = "{apiVersion: v1, kind: List, metadata: {name: cfg}, items: [{apiVersion: v1, kind: Namespace}]}"
    source = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- kind: A\n  kind: B\n- {config}\n"
    resource_list = texts.read(f"{source}functionConfig: {config}\n")
    assert [item.kind for item in resource_list.items[1:]] == ["List"]
    with pytest.raises(krm.FnError, match="the key `kind` is here again"):
        resource_list.items[0].get("a")


def test_an_item_is_not_added_behind_one_that_cannot_be_read() -> None:
    resource_list = krm.load('[{"kind": "A", "a": 1, "a": 2}]')
    resource_list.add({"kind": "B"})
    told = "an item cannot be added or removed: line 1, column 24: the key `a` is here again, first in line 1"
    assert [result.message for result in resource_list.emit().results] == [told]


def test_results_can_be_replaced() -> None:
    resource_list = texts.read()
    resource_list.info("none")
    resource_list.results = (krm.Result("one", krm.INFO),)
    assert [str(result) for result in resource_list.emit().results] == ["[info] one"]


def test_generated_items_are_items() -> None:
    own = "functionConfig: {apiVersion: example.com/v1, kind: Quotas, metadata: {name: all}}\n"
    resource_list = texts.read(LIST[: LIST.index("functionConfig:")] + own)
    quota = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": "pods"}}
    krm.generate(resource_list, [quota, "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"])
    assert [item.kind for item in resource_list.items] == ["Deployment", "ConfigMap", "ResourceQuota", "Namespace"]
    resource_list = texts.read(resource_list.emit().text)
    found = resource_list.where("Namespace")[0]
    krm.generate(resource_list, [quota])
    assert resource_list.where("Namespace") == [found]
    resource_list.emit()
    assert resource_list.where("Namespace") == []
    with pytest.raises(ValueError, match="was removed from the list"):
        found.set("kind", "A")
    with pytest.raises(ValueError, match=r"^`on_conflict` is one of TakeUpdate, KeepLocal, Error; found `Keep`$"):
        krm.generate(resource_list, [quota], on_conflict="Keep")  # type: ignore[arg-type]  # which is why mypy warns an author
    with pytest.raises(ValueError, match=r"^`adopt` is one of TakeUpdate, KeepLocal, Error; found `Keep`$"):
        krm.generate(resource_list, [quota], adopt="Keep")  # type: ignore[arg-type]  # as above


def test_items_that_are_removed_one_by_one_take_time_in_proportion() -> None:
    """A quarter of a second for thousands of them; by the square of their number it would be several seconds."""
    resource_list = texts.read("---\n".join("kind: Pod\n" for _ in range(6400)))
    start = time.process_time()
    for item in resource_list.items[1:]:
        resource_list.remove(item, item)
    assert time.process_time() - start < 1
    assert resource_list.emit().text == "kind: Pod\n"


def test_a_function_config_takes_no_edits() -> None:
    config = texts.read().function_config
    assert config is not None
    problem = "v1/ConfigMap/config is the functionConfig, which no orchestrator takes back: it cannot be edited"
    with pytest.raises(ValueError, match=f"^{problem}$"):
        config.set("data.tag", "1.11")


NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}


def test_what_is_added_goes_to_a_file() -> None:
    resource_list = texts.read()
    added = resource_list.add(NAMESPACE, file="namespaces/shop.yaml")
    assert dict(added.annotations) == {
        "config.kubernetes.io/path": "namespaces/shop.yaml",
        "internal.config.kubernetes.io/path": "namespaces/shop.yaml",
    }
    assert resource_list.add(resource_list.items[0], file="b.yaml").origin.file == "b.yaml"
    assert resource_list.add(NAMESPACE).origin.file is None


@pytest.mark.parametrize(
    ("file", "problem"),
    [
        ("../shop.yaml", "its path `../shop.yaml` has `..` in it"),
        ("/shop.yaml", "its path `/shop.yaml` is absolute"),
        ("shop.txt", "its path `shop.txt` must end with .yaml, .yml, .json, or be a Kptfile"),
    ],
)
def test_what_is_added_stays_in_the_package(file: str, problem: str) -> None:
    with pytest.raises(krm.FnError) as error:
        texts.read().add(NAMESPACE, file=file)
    assert [one.message for one in error.value.results] == [f"it cannot be written: {problem}"]
