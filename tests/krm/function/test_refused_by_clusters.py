"""What a cluster refuses is refused where it is written: names, labels, keys of annotations, numbers without JSON."""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

import pytest

import krm
from tests.krm.function import texts
from tests.krm.function.texts import edited

if TYPE_CHECKING:
    from collections.abc import Callable

OBJECT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: Old Name
  labels:
    old label: old value
spec:
  ratio: .inf
  list: [.nan, a]
"""
WITH_DATA = "apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {a: dGV4dA==}\n"
NAME = "it has to be a name of lower-case letters, digits, `-` and `.`, such as `web-1`"
LABEL = "it has to be a name of at most 63 lower-case letters, digits and `-`, such as `web-1`"
VALUE = "it has to be the value of a label: at most 63 letters, digits, `-`, `_` and `.`, such as `v1.2`"
KEY = "it has to be the key of a label, such as `example.com/tier`"
REFUSED: dict[str, tuple[str, Callable[[krm.Resource], Any], str, str]] = {
    "a name with capitals": (
        OBJECT, lambda item: setattr(item, "name", "Has Caps"), "metadata.name",
        f"`Has Caps` cannot stand there, {NAME}",
    ),
    "no name": (OBJECT, lambda item: setattr(item, "name", ""), "metadata.name", f"`` cannot stand there, {NAME}"),
    "a namespace": (
        OBJECT, lambda item: setattr(item, "namespace", "a.b"), "metadata.namespace",
        f"`a.b` cannot stand there, {LABEL}",
    ),
    "a name of a role": (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nmetadata: {name: a:b}\n",
        lambda item: setattr(item, "name", "a/b"),
        "metadata.name",
        "`a/b` cannot stand there, it has to be a name without `/` and `%`, such as `web`",
    ),
    "the value of a label": (
        OBJECT, lambda item: item.set_label("a", "has space / slash"), "metadata.labels.a",
        f"`has space / slash` cannot stand there, {VALUE}",
    ),
    "the key of a label": (
        OBJECT, lambda item: item.set_label("a b", "x"), "metadata.labels['a b']",
        f"the key `a b` cannot stand there, {KEY}",
    ),
    "labels": (
        OBJECT, lambda item: item.set("metadata", {"name": "a", "labels": {"a": "b/c"}}), "metadata.labels.a",
        f"`b/c` cannot stand there, {VALUE}",
    ),
    "a label of a template": (
        OBJECT, lambda item: item.set("spec.template.metadata.labels.a", "b/c"), "spec.template.metadata.labels.a",
        f"`b/c` cannot stand there, {VALUE}",
    ),
    "a label in a selector": (
        "apiVersion: apps/v1\nkind: Deployment\n",
        lambda item: item.set("spec.selector.matchLabels.a", "b/c"), "spec.selector.matchLabels.a",
        f"`b/c` cannot stand there, {VALUE}",
    ),
    "a label of nodes": (
        "apiVersion: v1\nkind: Pod\n",
        lambda item: item.set("spec.nodeSelector.a", "b/c"), "spec.nodeSelector.a",
        f"`b/c` cannot stand there, {VALUE}",
    ),
    "labels in a selector": (
        "apiVersion: v1\nkind: Service\n",
        lambda item: item.set("spec", {"selector": {"a": "b/c"}}), "spec.selector.a",
        f"`b/c` cannot stand there, {VALUE}",
    ),
    "the key of an annotation": (
        OBJECT, lambda item: item.set_annotation("a//b", "x y"), "metadata.annotations['a//b']",
        f"the key `a//b` cannot stand there, {KEY}",
    ),
    "plain text in the data of a Secret": (
        WITH_DATA, lambda item: item.set("data.a", "hidden!"), "data.a",
        "this cannot stand there, it has to be base64, such as `dmFsdWU=`; plain text belongs into `stringData`",
    ),
    "a letter outside ASCII in the data of a Secret": (
        WITH_DATA, lambda item: item.set("data.a", "aGVsbG8=\u00e9"), "data.a",
        "this cannot stand there, it has to be base64, such as `dmFsdWU=`; plain text belongs into `stringData`",
    ),
    "a number that is none": (
        OBJECT, lambda item: item.set("spec.ratio", math.nan), "spec.ratio",
        "`nan` cannot stand there, JSON has no such number",
    ),
    "a number in a list": (
        OBJECT, lambda item: item.set("spec.other", [{"a": -math.inf}]), "spec.other[0].a",
        "`-inf` cannot stand there, JSON has no such number",
    ),
    "a number that is appended": (
        OBJECT, lambda item: item.append("spec.list", math.nan), "spec.list[2]",
        "`nan` cannot stand there, JSON has no such number",
    ),
    "NUL": (
        OBJECT, lambda item: item.set("spec.text", "a\0b"), "spec.text",
        "a text with a NUL character cannot stand there, no program reads it",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_cluster_refuses(name: str) -> None:
    text, change, path, problem = REFUSED[name]
    item = texts.resource(text)
    with pytest.raises(krm.FnError) as error:
        change(item)
    assert str(error.value).endswith(f"{path}: the field cannot be changed: {problem}")
    assert item.text == text


IN_THE_PLACE_OF_A_TEXT: dict[str, tuple[krm.Value, str]] = {
    "the name": ({"metadata": {"name": 1}}, "the value of `name` in `metadata` is a str, found 1"),
    "a label": ({"metadata": {"labels": {"a": 1.5}}}, "the value of `a` in `labels` is a str, found 1.5"),
    "an annotation": ({"metadata": {"annotations": {"a": []}}}, "the value of `a` in `annotations` is a str, found []"),
    "data": ({"data": {"a": 8080}}, "the value of `a` in `data` is a str, found a value of type `int`"),
}


@pytest.mark.parametrize("name", IN_THE_PLACE_OF_A_TEXT)
def test_a_number_in_the_place_of_a_text_is_refused_at_any_depth(name: str) -> None:
    value, problem = IN_THE_PLACE_OF_A_TEXT[name]
    assert isinstance(value, dict)
    new = {"apiVersion": "v1", "kind": "ConfigMap"} | value
    loaded = krm.load("apiVersion: v1\nkind: ConfigMap\n")
    for change in (
        lambda: loaded.items[0].set("", new),
        lambda: loaded.add(new),
        lambda: loaded.add(json.dumps(new)),
        lambda: krm.generate(loaded, [new], owner="f"),
    ):
        with pytest.raises(TypeError, match=f"^{re.escape(problem)}$"):
            change()
    # What is there already may stay.
    there = texts.resource(json.dumps(new))
    there.set("", {**new, "immutable": True})
    assert there.get() == {**new, "immutable": True}


def test_a_dict_that_is_generated_is_checked_and_a_text_is_not() -> None:
    loaded = krm.load("")
    new = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a_b"}}
    with pytest.raises(krm.FnError) as error:
        krm.generate(loaded, [new], owner="f")
    assert (
        str(error.value)
        == f"[error] v1/ConfigMap/a_b metadata.name: the field cannot be changed: `a_b` cannot stand there, {NAME}"
    )
    krm.generate(loaded, [json.dumps(new)], owner="f")
    assert [item.name for item in loaded.items] == ["a_b"]


def test_a_text_gets_no_elements() -> None:
    item = texts.resource("apiVersion: v1\nkind: Pod\nmetadata: {name: a, labels: {x: y}}\n")
    with pytest.raises(TypeError, match=r"^the value of `new` in `labels` is a str, found \[\]$"):
        item.append("metadata.labels.new", "q")


def test_a_null_in_a_new_item_is_an_empty_text() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a:\n"
    assert krm.load("").add(text).text == text


def test_what_is_added_is_refused_too() -> None:
    with pytest.raises(krm.FnError) as error:
        texts.read().add({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a_b"}})
    assert [one.message for one in error.value.results] == [
        f"the field cannot be changed: `a_b` cannot stand there, {NAME}"
    ]


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.set("", item.get()),
        lambda item: item.set("spec.list", item.get("spec.list")),
        lambda item: setattr(item, "name", "Old Name"),
        lambda item: item.set_label("old label", "old value"),
    ],
)
def test_what_is_there_may_stay(change: Callable[[krm.Resource], Any]) -> None:
    assert edited(change, OBJECT) == OBJECT


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("labels.a", "$(REGION)"),
        ("labels.a", ""),
        ("labels['a.b/C']", "V_1.2"),
        ("annotations['A.B/c']", "any text, /"),
        ("annotations.a", ""),
    ],
)
def test_what_a_cluster_takes_or_will_take_is_written(key: str, value: str) -> None:
    item = texts.resource(OBJECT)
    item.set(f"metadata.{key}", value)
    assert item.get(f"metadata.{key}") == value


@pytest.mark.parametrize("is_parsed", [False, True])
def test_the_kind_that_an_edit_made_decides_what_its_selectors_take(is_parsed: bool) -> None:  # noqa: FBT001 - a case
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n  selector: {matchLabels: {app: web}}\n"
    )
    item = krm.load(text).items[0]
    assert not is_parsed or item.get("**")
    item.set("apiVersion", "example.com/v1")
    item.set("spec.selector.matchLabels.app", "# no")
    assert item.get("spec.selector.matchLabels.app") == "# no"
