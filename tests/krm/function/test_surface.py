"""What an object, a part of one and a list offer: typed reads, membership, equality, setters, results, chains."""

from __future__ import annotations

import pytest

import krm
from tests.krm.function import texts
from tests.krm.function.texts import CONTAINERS, edited
from tests.pages import as_list

TYPED = (
    "kind: X\nspec:\n  yes: true\n  no: 'false'\n  ratio: 1.5\n  count: '3'\n  list: [1, a]\n  none: null\n  word: a\n"
    "  nan: nan\n  thousand: 1_0.5\n  three: ٣\n"
)


def test_typed_reads() -> None:
    item = texts.resource(TYPED)
    assert (item.get_bool("spec.yes"), item.get_bool("spec.no", default=True), item.get_bool("spec.x")) == (
        True,
        False,
        False,
    )
    assert (item.get_float("spec.ratio"), item.get_float("spec.count"), item.get_float("spec.x", 0.5)) == (1.5, 3, 0.5)
    assert (item.get_list("spec.list"), item.get_list("spec.none"), item.get_list("spec.x")) == ([1, "a"], [], [])


@pytest.mark.parametrize(
    ("name", "path", "message"),
    [
        ("get_bool", "spec.word", "it is `a`, and must be true or false"),
        ("get_float", "spec.word", "it is `a`, and must be a number"),
        ("get_float", "spec.nan", "it is `nan`, and must be a number"),
        ("get_float", "spec.thousand", "it is `1_0.5`, and must be a number"),
        ("get_int", "spec.ratio", "it is `1.5`, and must be a whole number"),
        ("get_int", "spec.three", "it is `٣`, and must be a whole number"),
        ("get_list", "spec.word", "it is `a`, and must be a list"),
        ("get_list", "spec", "it is a mapping, and must be a list"),
    ],
)
def test_a_value_of_another_type(name: str, path: str, message: str) -> None:
    with pytest.raises(krm.FnError) as error:
        getattr(texts.resource(TYPED), name)(path)
    assert [one.message for one in error.value.results] == [message]


def test_parts_are_compared_by_their_place() -> None:
    item = texts.resource()
    web, cache = item.parts(CONTAINERS)
    assert web == item.part(f"{CONTAINERS}[name=web]")
    assert cache in item.parts(CONTAINERS)
    assert web not in (cache, item, "web")
    assert len({web, cache, item.part(f"{CONTAINERS}[0]")}) == 2
    item.move(f"{CONTAINERS}[name=web]", 1)
    assert (web.name, item.parts(CONTAINERS)[1] == web) == ("web", True)


def test_fields_are_found_by_in_and_keys_by_iteration() -> None:
    item = texts.resource()
    assert ("spec.replicas" in item, "spec.paused" in item) == (True, False)
    assert [*item] == ["apiVersion", "kind", "metadata", "spec"]
    assert [key for part in item.parts(CONTAINERS) for key in part] == ["name", "image", "args", "name", "image"]


def test_fields_are_read_by_brackets() -> None:
    item = texts.resource()
    assert (item["spec.replicas"], dict(item)) == (3, item.get())
    annotations = item.part("metadata.annotations")
    assert annotations is not None
    assert {key: annotations[key] for key in annotations} == dict(annotations) == annotations.get()
    assert item["metadata", "name"] == "web"
    with pytest.raises(KeyError, match=r"^'spec.paused'$"):
        item["spec.paused"]


MERGED = """\
kind: A
spec:
  replicas: 3 # by hand
  template: {a: 1} # stays
  args: [x]
  empty:
"""


@pytest.mark.parametrize(
    ("values", "before", "after"),
    [
        ({"spec": {"replicas": 5}}, "replicas: 3", "replicas: 5"),
        ({"spec": {"template": {"b.c/d": 2}, "args": ["z"]}}, "{a: 1} # stays\n  args: [x]",
         "{a: 1, b.c/d: 2} # stays\n  args: [z]"),
        ({"spec": {"template": {}}, "new": {}}, "  empty:\n", "  empty:\nnew: {}\n"),
        ({"spec": {"args": {}}}, "args: [x]", "args: {}"),
        ({"spec": {"empty": {"a": None}}}, "empty:\n", "empty:\n    a: null\n"),
        ({}, "", ""),
    ],
)  # fmt: skip
def test_values_are_merged_key_by_key(values: dict[str, krm.Value], before: str, after: str) -> None:
    assert edited(lambda item: item.merge(values), MERGED) == MERGED.replace(before, after)


def test_a_merge_goes_into_no_scalar_and_takes_mappings_alone() -> None:
    item = texts.resource(MERGED)
    with pytest.raises(krm.FnError, match=r"at `spec.replicas` there is `3`, and neither a mapping nor a list"):
        item.merge({"spec": {"args": ["y"], "replicas": {"a": 1}}})
    assert item.text == MERGED
    with pytest.raises(TypeError, match=r"^`merge` takes a mapping, found \[\]$"):
        item.merge([])  # type: ignore[arg-type]


def test_identity_is_written_by_assignment() -> None:
    def change(item: krm.Resource) -> None:
        item.name, item.namespace = "api", "store"
        item.set_label("team", "shop")

    changed = texts.DEPLOYMENT.replace(
        "name: web # the shop\n  namespace: shop", "name: api # the shop\n  namespace: store"
    )
    assert edited(change) == changed.replace("    app: web # ab\n", "    app: web # ab\n    team: shop\n")


def test_items_are_found_by_several_kinds_and_a_test() -> None:
    resource_list = texts.read()
    deployment, config_map = resource_list.items
    assert resource_list.where(["ConfigMap", "Deployment"]) == [deployment, config_map]
    assert resource_list.where(test=lambda item: "data" in item) == [config_map]


def test_results_come_out_as_they_were_added() -> None:
    def tell(resource_list: krm.ResourceList) -> None:
        resource_list.info("set two")
        resource_list.warning("no owner", resource_list.items[0], reason="NoOwner")
        resource_list.error("one node", resource_list.items[0], "spec.replicas")
        resource_list.info("again")

    output = krm.transform(texts.DEPLOYMENT, tell)
    assert [str(result) for result in output.results] == [
        "[info] set two",
        "[warning] web.yaml: apps/v1/Deployment/shop/web: no owner",
        "[error] web.yaml: apps/v1/Deployment/shop/web spec.replicas: one node",
        "[info] again",
    ]
    assert [result.reason for result in output.results] == ["", "NoOwner", "", ""]


def test_a_list_has_every_result_of_a_reason() -> None:
    def tell(resource_list: krm.ResourceList) -> None:
        for number in range(3000):
            resource_list.warning(f"step {number}", reason="Step")

    text = krm.transform(as_list("kind: A\n"), tell).text
    assert [line.split("step ")[1] for line in text.splitlines() if "step " in line] == [*map(str, range(3000))]


def test_a_chain_ends_with_the_first_error() -> None:
    def label(resource_list: krm.ResourceList) -> None:
        resource_list.items[0].set_label("a", "b")

    def refuse(resource_list: krm.ResourceList) -> None:
        resource_list.error("no")

    def crash(resource_list: krm.ResourceList) -> None:
        raise AssertionError(resource_list)

    assert krm.transform("kind: Pod\n", krm.chain(label)).text == "kind: Pod\nmetadata:\n  labels:\n    a: b\n"
    assert [str(one) for one in krm.transform("kind: Pod\n", krm.chain(refuse, crash)).results] == ["[error] no"]


HEADED = "# Copyright\n# Licensed\nkind: Pod\n#a\nspec: 1 # why\n"


@pytest.mark.parametrize(
    ("add", "before", "after"),
    [
        (lambda item: item.add_comment("kind", "ours", "above"), "Licensed\n", "Licensed\n# ours\n"),
        (lambda item: item.add_comment("kind", "Licensed", "above"), "", ""),
        (lambda item: item.add_comment("spec", "b", "above"), "#a\n", "#a\n# b\n"),
        (lambda item: item.add_comment("spec", "how", "behind"), "# why", "# why, how"),
        (lambda item: item.add_comment("kind", "how", "behind"), "kind: Pod", "kind: Pod # how"),
        (lambda item: item.set_comment("spec", "# x", "above"), "#a\n", "# x\n"),
        (lambda item: item.set_comment("spec", "a", "above"), "", ""),
        (lambda item: item.set_comment("spec", "", "above"), "#a\n", ""),
        (
            lambda item: item.set_comment("kind", "Copyright\nLicensed\nours", "above"),
            "Licensed\n",
            "Licensed\n# ours\n",
        ),
    ],
)
def test_comments_are_added_and_the_head_of_a_document_stays(add: object, before: str, after: str) -> None:
    assert callable(add)
    assert edited(add, HEADED) == HEADED.replace(before, after, 1)


def test_a_comment_of_the_first_field_apart_from_the_head_is_its_own() -> None:
    text = "# Copyright\n\n# mine\nkind: Pod\n"
    assert edited(lambda item: item.set_comment("kind", "ours", "above"), text) == text.replace("mine", "ours")
