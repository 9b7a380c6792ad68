"""What a KRM function asks of one object, and how it changes it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from krm import resourcelist
from krm.resource import Resource
from krm.results import ERROR, WARNING, FnError, as_line
from krm.yamltree.edits import Edit
from tests.calls import counted, parsed

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.fieldpath import Place

TEXT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop  # theirs
  labels: {app: web, "n": 1}
  annotations:
    config.kubernetes.io/path: 'web.yaml'
    config.kubernetes.io/index: '2'
    empty:
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: web
        image: web:1.10
        args: [a, b]
      - name: side
        image: side:2
"""


def resource(text: str = TEXT) -> Resource:
    return Resource(text, (0, len(text)), "items[0]")


def test_identity() -> None:
    web = resource()
    assert (web.api_version, web.group, web.version, web.kind) == ("apps/v1", "apps", "v1", "Deployment")
    assert (web.name, web.namespace) == ("web", "shop")
    assert str(web.ref) == "apps/v1/Deployment/shop/web"
    assert web.labels == {"app": "web", "n": "1"}
    assert web.annotations == {"config.kubernetes.io/path": "web.yaml", "config.kubernetes.io/index": "2"}
    assert (web.file, web.index) == ("web.yaml", 2)
    assert web.identities == (("shop", "web"),)
    assert not web.is_local_config


def test_the_core_group_has_no_name() -> None:
    assert (resource("apiVersion: v1\n").group, resource("apiVersion: v1\n").version) == ("", "v1")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# c\n",
        "text\n",
        "[]\n",
        "{}\n",
        "metadata:\n",
        "metadata: []\nkind: {}\n",
        "kind: null\nmetadata: {name: ~}\n",
    ],
)
def test_what_is_not_there_is_empty(text: str) -> None:
    empty = resource(text)
    assert {empty.api_version, empty.group, empty.version, empty.kind, empty.name, empty.namespace} == {""}
    assert (empty.labels, empty.annotations, empty.file, empty.index) == ({}, {}, None, None)
    assert (str(empty.ref), empty.ref.as_data()) == ("", {})
    assert empty.get("spec.replicas") is None
    assert empty.result("message", WARNING, "Reason", ("spec", 1)).field in ("spec[1]", None)


@pytest.mark.parametrize(
    ("annotations", "expected"),
    [
        ("{a/b: x}", "x"),
        ('{"a\\x2fb": x}', "x"),
        ("{a/b: 1}", "1"),
        ("{a/b: null}", None),
        ("{a/b: [x]}", None),
        ("{c: a/b}", None),
        ("a/b", None),
        ("{}", None),
    ],
)
def test_one_annotation_is_the_one_of_all(annotations: str, expected: str | None) -> None:
    item = resource(f"metadata: {{annotations: {annotations}}}\n")
    assert item.annotation("a/b") == expected == item.annotations.get("a/b")


def test_an_item_that_cannot_have_an_annotation_is_not_parsed_for_it() -> None:
    assert resource("{").annotation("a/b") is None


@pytest.mark.parametrize(
    ("annotations", "place"),
    [
        ("{internal.config.kubernetes.io/path: a.yaml, internal.config.kubernetes.io/index: '1'}", ("a.yaml", 1)),
        ("{config.kubernetes.io/path: a.yaml, internal.config.kubernetes.io/path: b.yaml}", ("b.yaml", None)),
        ("{config.kubernetes.io/index: first}", (None, None)),
        ("{config.kubernetes.io/index: -1}", (None, None)),
    ],
)
def test_file_and_index(annotations: str, place: tuple[str | None, int | None]) -> None:
    item = resource(f"metadata: {{annotations: {annotations}}}\n")
    assert (item.file, item.index) == place


def test_earlier_names_in_a_build_are_identities_too() -> None:
    before = "internal.config.kubernetes.io/previous"
    item = resource(
        "metadata:\n  name: c\n  namespace: z\n  annotations:\n"
        f"    {before}Names: a,b\n    {before}Namespaces: x,y\n    {before}Kinds: Service,Service\n"
    )
    assert item.identities == (("z", "c"), ("x", "a"), ("y", "b"))


@pytest.mark.parametrize(("value", "expected"), [('"true"', True), ("true", True), ('"false"', False), ("", False)])
def test_local_config(value: str, expected: bool) -> None:  # noqa: FBT001
    item = resource(f"metadata: {{annotations: {{config.kubernetes.io/local-config: {value}}}}}\n")
    assert item.is_local_config is expected


def test_get_reads_values_by_field_path() -> None:
    web = resource()
    assert web.get("spec.replicas") == 3
    assert web.get("spec.template.spec.containers[name=side]") == {"name": "side", "image": "side:2"}
    assert web.get("spec.template.spec.containers[*].image") == "web:1.10"
    assert web.get(("metadata", "annotations", "config.kubernetes.io/path")) == "web.yaml"
    assert web.get("metadata.annotations.empty") is None
    assert web.get("spec.paused") is None


def test_what_was_got_can_be_changed_without_effect() -> None:
    web = resource()
    web.get("metadata.labels")["app"] = "api"
    web.labels["app"] = web.annotations["empty"] = "api"
    assert not web.is_changed


CONTAINERS = ("spec", "template", "spec", "containers")


def test_set_changes_a_field() -> None:
    web = resource()
    for number in (0, 1):
        web.set((*CONTAINERS, number, "image"), "same:3")
    web.set(("spec", "replicas"), 5)
    assert web.text == TEXT.replace("web:1.10", "same:3").replace("side:2", "same:3").replace("3\n  temp", "5\n  temp")
    assert web.source == TEXT
    assert web.is_changed


def test_set_makes_what_is_missing() -> None:
    pod = resource("kind: Pod\n")
    pod.set(("metadata", "labels", "app"), "web")
    pod.set_annotations({"example.org/on": "on"})
    assert pod.text == 'kind: Pod\nmetadata:\n  labels:\n    app: web\n  annotations:\n    example.org/on: "on"\n'


def test_set_makes_what_is_missing_in_an_element() -> None:
    web = resource()
    web.set((*CONTAINERS, 1, "args"), ["c"])
    for number in (0, 1):
        web.set((*CONTAINERS, number, "args", 0), "d")
    web.set(("metadata", "labels", "0"), "z")
    args = "        args:\n        - d\n"
    assert web.text == TEXT.replace("[a, b]", "[d, b]").replace('"n": 1}', '"n": 1, "0": z}') + args


def test_set_to_what_is_there_changes_nothing() -> None:
    web = resource()
    web.set(("spec", "replicas"), 3)
    web.set((*CONTAINERS, 0, "args"), ["a", "b"])
    assert not web.is_changed


def test_delete_takes_what_several_paths_lead_to_in_one_change() -> None:
    item = resource("metadata: {labels: {a: b, c: d, e: f}}\nspec: [1, 2, 3]\n")
    assert item.delete("metadata.labels.a", "spec[0]", "spec[2]", "metadata.labels.none", "metadata.labels.e")
    assert item.text == "metadata: {labels: {c: d}}\nspec: [2]\n"
    assert not item.delete()


def test_delete_takes_every_field_that_a_path_leads_to() -> None:
    web = resource()
    assert web.delete("spec.template.spec.containers[*].image")
    assert web.delete("spec.template.spec.containers[name=web].args[0]")
    assert not web.delete("spec.paused")
    assert web.text == TEXT.replace("        image: web:1.10\n", "").replace("        image: side:2\n", "").replace(
        "a, ", ""
    )


IDS = "internal.config.kubernetes.io/id: '1'\n    config.k8s.io/id: '1'\n    "


@pytest.mark.parametrize(
    ("change", "stays"),
    [
        (lambda web: web.set(("spec", "replicas"), 5), True),
        (lambda web: web.set(("spec", "paused"), value=True), True),
        (lambda web: web.set(("metadata", "annotations", "empty"), {"a": "b"}), True),
        (lambda web: web.set((*CONTAINERS, 0, "args"), ["a", "b", "c"]), True),
        (lambda web: web.set((*CONTAINERS, 0, "args"), ["a"]), True),
        (lambda web: web.set((*CONTAINERS, 1, "args"), [{"a": 1}]), True),
        (lambda web: web.set(("metadata", "labels"), {"app": "api", "b": "c"}), True),
        (lambda web: web.delete("spec.template.spec.containers[0].args[1]"), True),
        (lambda web: web.delete("spec.template.spec.containers[*].args[*]"), True),
        (lambda web: web.delete("spec.template.spec.containers[0].image"), True),
        (lambda web: web.delete("spec.template.spec.containers[name=side]"), True),
        (lambda web: web.set(("spec", "replicas"), [5]), False),
        (lambda web: web.set(CONTAINERS, "none"), False),
        (lambda web: web.set(("metadata", "labels"), None), False),
        (lambda web: web.set((*CONTAINERS, 0, "args"), ["b", "a"]), False),
        (lambda web: web.set(("spec", "template"), {"spec": {"containers": [{"name": "side"}]}}), False),
        (lambda web: web.delete("spec.template.spec.containers[0].args[0]"), False),
        (lambda web: web.delete("spec.template.spec.containers[name=web]"), False),
    ],
)
def test_ids_go_where_elements_move_or_a_kind_changes(change: Callable[[Resource], object], *, stays: bool) -> None:
    web = resource(TEXT.replace("empty:", f"{IDS}empty:"))
    change(web)
    without = resource()
    change(without)
    assert web.text == (without.text.replace("empty:", f"{IDS}empty:") if stays else without.text)


def test_a_part_that_would_cost_a_tag_is_not_changed() -> None:
    pod = resource("kind: Pod\na: !Sub x\n")
    with pytest.raises(FnError, match=r"the field cannot be changed: its tag `!Sub` would be lost"):
        pod.rewrite({("a",): [Edit(0, 1, "y: z")]})


def test_edits_that_give_the_text_another_shape_are_refused() -> None:
    web = resource()
    second = web.text.index("\n") + 1
    with pytest.raises(FnError, match=r"the field cannot be changed: it cannot be changed in place"):
        web.splice([Edit(second, second, "more: 1\n")])
    assert not web.is_changed


def test_rewrite_changes_parts_of_scalars() -> None:
    web = resource()
    container = (*CONTAINERS, 0)
    web.rewrite({(*container, "image"): [Edit(4, 8, "2")], (*container, "args", 1): [Edit(0, 0, "x")]})
    assert web.text == TEXT.replace("1.10", "2").replace("a, b", "a, xb")


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (("spec", 1, "a"), "the field `spec[1].a` cannot be made: there is no such list or mapping"),
        ((*CONTAINERS, 2, "name"), "there is no such list or mapping"),
        (("spec", "replicas", "a"), "the field `spec.replicas.a` cannot be made: there is no such list or mapping"),
    ],
)
def test_a_field_that_cannot_be_made_is_an_error(place: Place, message: str) -> None:
    web = resource()
    with pytest.raises(FnError) as error:
        web.set(place, 1)
    (result,) = error.value.results
    assert result.message.endswith(message)
    assert (result.severity, result.reason) == (ERROR, "NotEditable")
    assert str(result.ref) == "apps/v1/Deployment/shop/web"
    assert not web.is_changed


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# a\n---\nkind: Pod\nmetadata: {name: web}\nargs: [1, # one\n  [x] : 2]\n", "line 6: "),
        ("items:\n- kind: Pod\n  metadata: {name: web}\n  args: [1,\n    [x] : 2]\nkind: ResourceList\n", ""),
    ],
)
def test_a_change_that_would_lose_something_is_an_error_with_the_users_line(text: str, line: str) -> None:
    """In a directory, a list with the objects is between its files and the function: it has other lines."""
    item = resourcelist.read(text).items[0]
    with pytest.raises(FnError) as error:
        item.set(("args", 1, "b"), 3)
    problem = "it is a single pair in a flow list: change it by hand"
    assert [one.message for one in error.value.results] == [f"the field cannot be changed: {line}{problem}"]
    assert not item.is_changed


def test_a_text_that_cannot_be_parsed_is_an_error_with_its_place() -> None:
    broken = f"# a\n{TEXT}  replicas: 3\n  replicas: 4\n".replace("  template", "  other")
    item = Resource(broken, (4, len(broken)), "items[7]")
    message = "web.yaml: items[7]: line 22, column 3: the key `replicas` is here again, first in line 13"
    with pytest.raises(FnError) as error:
        assert item.kind
    assert str(error.value) == f"[error] {message}"


@pytest.mark.pure
@pytest.mark.parametrize(
    "change",
    [
        lambda web: web.delete("spec.containers[*].image"),
        lambda web: web.set_annotations({"a": "1", "b": "2", "c": "3"}),
    ],
)
def test_a_path_to_several_places_is_one_change(change: Callable[[Resource], object]) -> None:
    for count in (2, 30):
        containers = "".join(f"  - name: c{number}\n    image: a\n" for number in range(count))
        web = resource(f"kind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n{containers}")
        assert web.root is not None
        assert parsed(partial(change, web)) <= 1.5 * len(web.text)


def test_a_change_of_several_places_is_made_in_all_or_in_none() -> None:
    text = "kind: Pod\nmetadata:\n  annotations: 1\n"
    web = resource(text)
    with pytest.raises(FnError, match=r"the field `metadata.annotations.b` cannot be made: there is no such list or"):
        web.set_annotations({"b": "2", "c": "3"})
    assert web.text == text


def test_may_contain_needs_no_parse() -> None:
    item = Resource("$(A) - a: [b, $(C)] $(D)", (5, 19), "items[0]")
    assert item.may_contain("$(C)")
    assert not item.may_contain("$(A)")
    assert not item.may_contain("$(D)")


@pytest.mark.parametrize(("text", "value"), [('"\\x24(A)"', "$(A)"), ("'it''s'", "it's"), ("a\n  b", "a b")])
def test_may_contain_knows_what_quotes_and_lines_hide(text: str, value: str) -> None:
    item = resource(f"a: {text}\n")
    assert item.get("a") == value
    assert item.may_contain(value)


def test_what_may_be_contained_is_what_a_change_has_left() -> None:
    item = resource("a: $(A)\nb: c\n")
    item.set(("a",), "$(B)")
    assert (item.may_contain("$(B)"), item.may_contain("$(A)")) == (True, False)
    item.set(("b",), "\t")
    assert item.may_contain("$(A)")


@pytest.mark.pure
def test_the_annotations_of_a_parsed_object_are_not_searched_for() -> None:
    web = resource()
    assert counted(lambda: web.file, of=Resource.spells.__code__) > 0
    assert counted(lambda: (web.file, web.annotation("absent")), of=Resource.spells.__code__) == 0


def test_release_forgets_the_tree_but_no_change() -> None:
    web = resource()
    web.release()
    assert web.name == "web"
    web.set(("metadata", "name"), "api")
    web.release()
    assert web.name == "api"


def test_a_result_names_fields_file_and_object() -> None:
    web = resource()
    container = (*CONTAINERS, 1)
    result = web.result(
        "message", WARNING, "Reason", (*container, "image"), (*container, "name"), (*container, "image")
    )
    side = "spec.template.spec.containers[name=side]"
    assert result.as_data() == {
        "message": "message",
        "severity": "warning",
        "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
        "field": {"path": f"{side}.image"},
        "file": {"path": "web.yaml", "index": 2},
        "tags": {"reason": "Reason", "fields": "2"},
    }
    assert result.further == ((f"{side}.name", (*container, "name")),)


TWO = "# head\n---\nkind: A\n---\nkind: B\na:\n- x: 1\n- x: 2\nb: &b\n  c: 3\nd: *b\n"
LINES = {
    "the object": ((), 5),
    "a field": (("a", 1, "x"), 8),
    "what an alias shows": (("d", "c"), 11),
    "an absent field": (("a", 1, "y"), 8),
    "an absent list": (("e", 0), 5),
}


@pytest.mark.parametrize("name", LINES)
def test_a_result_about_a_document_names_its_line(name: str) -> None:
    place, line = LINES[name]
    item = resourcelist.read(TWO).items[1]
    item.set(("a", 0, "x"), "several\nlines\n")
    result = item.result("odd", WARNING, "Odd", place)
    assert as_line(result) == str(result).replace("[warning] ", f"[warning] line {line}: ") + " (Odd)"


def test_a_result_about_an_item_of_a_resource_list_has_no_line() -> None:
    item = resourcelist.read("kind: ResourceList\nitems:\n- kind: A\n").items[0]
    result = item.result("odd", WARNING, "Odd")
    assert (str(result), as_line(result)) == ("[warning] A: odd", "[warning] A: odd (Odd)")


def test_an_empty_document_is_in_its_first_line() -> None:
    assert Resource("# a\n", (0, 4), "it").spot(("a",))[0] == 1


@pytest.mark.parametrize(
    ("text", "is_parsed"),
    [("x: 1\n", False), ('x: "1\nkind: B\n"\n', True), ("x: 1\nmetadata: {name: a}\n", False)],
    ids=["other fields", "a line of a text like a kind", "a whole object"],
)
def test_a_long_text_is_known_by_its_outline(text: str, *, is_parsed: bool) -> None:
    written = f"# why\napiVersion: example.com/v1\nkind: A\n{text}" + "# long\n" * 10_000
    resource = Resource(written, (0, len(written)), "a")
    assert (resource.group, resource.kind) == ("example.com", "A")
    assert resource.is_parsed is is_parsed
