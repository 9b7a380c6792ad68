"""What a Resource tells of itself, never re-typed."""

from __future__ import annotations

from typing import Any

import pytest

import krm
from tests.krm.function import texts
from tests.krm.function.texts import CONTAINERS

ODD = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: f}
data: {tag: 1.10, mode: 0777, big: 1e3, nul: ~, port: "8080", on: yes}
list: [1, {a: 0x1F}]
"""


def test_texts_are_never_re_typed() -> None:
    item = texts.resource(ODD)
    assert item.string_map("data") == {"tag": "1.10", "mode": "0777", "big": "1e3", "port": "8080", "on": "yes"}
    assert [item.get_str(f"data.{key}", "none") for key in ("tag", "mode", "big", "nul", "port", "absent")] == [
        "1.10", "0777", "1e3", "none", "8080", "none",
    ]  # fmt: skip
    assert (item.get_int("data.port"), item.get_int("data.nul", 7), item.get_int("list[0]")) == (8080, 7, 1)
    assert (item.string_map("absent"), item.string_map("data.nul")) == ({}, {})


PLAIN = ["True", "FALSE", "true", "+5", "-0", "0x10", "0o17", "0017", "1.", "-.5", "1e3", ".inf", "yes", "nan", "1_0"]


@pytest.mark.parametrize("written", PLAIN)
def test_what_get_reads_as_a_type_is_read_as_this_type(written: str) -> None:
    item = texts.resource(f"kind: A\nplain: {written}\nquoted: '{written}'\n")
    found = item.get("plain")
    read = {bool: item.get_bool, int: item.get_int, float: item.get_float}
    for kind, reader in read.items():
        if type(found) is kind or (kind is float and type(found) is int):
            assert (reader("plain"), reader("quoted")) == (found, found)
        else:
            with pytest.raises(krm.FnError):
                reader("plain")


@pytest.mark.parametrize(("mode", "written"), [(256, "0400"), (400, "400")])
@pytest.mark.parametrize("form", ["mode: {}", "mode: [{}]"])
def test_an_octal_number_is_the_one_that_kubectl_reads(mode: int, written: str, form: str) -> None:
    item = texts.resource(f"kind: A\n{form.format('0400')}\n")
    place = "mode[0]" if "[" in form else "mode"
    assert (item.get(place), item.get_int(place)) == (256, 256)
    item.set(place, mode)
    assert item.text == f"kind: A\n{form.format(written)}\n"


WORDS = ["y", "no", "on", "12:30", "2020-01-01", "1_000", "0b1", "1.16.1", "tRue", "<<", "=", "a"]


@pytest.mark.parametrize("written", WORDS)
@pytest.mark.parametrize("text", ["1.17", "true", "null"])
def test_what_get_reads_as_a_string_stays_one(written: str, text: str) -> None:
    item = texts.resource(f"kind: A\nv: {written}\n")
    item.set_text("v", text)
    assert item.get("v") == text


def test_a_word_in_a_field_that_holds_a_boolean_is_one_to_kubernetes() -> None:
    item = texts.resource("apiVersion: batch/v1\nkind: Job\nspec: {suspend: no, parallelism: 1_0}\n")
    item.set_text("spec.suspend", "true")
    item.set_text("spec.parallelism", "5")
    assert (item.get("spec.suspend"), item.get("spec.parallelism")) == (True, 5)


def test_a_part_has_each_of_its_keys() -> None:
    item = texts.resource("kind: A\nm: {config.kubernetes.io/path: x.yaml, a.b: 1, a: {b: 2}}\n")
    part = item["m"], item.part("m")
    assert part[1] is not None
    assert [key in part[1] for key in part[1]] == [True, True, True]
    assert {key: part[1][key] for key in part[1]} == part[0]
    assert ("a.c" in part[1], ("a", "b") in part[1]) == (False, True)


def test_a_default_tells_absent_from_null() -> None:
    item = texts.resource(ODD)
    assert (item.get("data.nul", "absent"), item.get("data.none", "absent"), item.get("data.none")) == (
        None,
        "absent",
        None,
    )


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda item: item.get_str("data"), "it is a mapping, and must be a text"),
        (lambda item: item.get_str("list"), "it is a list, and must be a text"),
        (lambda item: item.get_int("data.tag"), "it is `1.10`, and must be a whole number"),
        (lambda item: item.get_int(("data", "big")), "it is `1e3`, and must be a whole number"),
        (lambda item: item.string_map("list"), "it is a list, and must be a mapping"),
        (lambda item: item.string_map("metadata.name"), "it is `f`, and must be a mapping"),
        (lambda item: item.string_map(""), "it is a mapping, and must be a text"),
        (lambda item: item.part("metadata").get_list(), "it is a mapping, and must be a list"),
        (lambda item: item.get_list(), "it is a mapping, and must be a list"),
        (lambda item: [*item.part("data.tag")], "it is `1.10`, and must be a mapping"),
        (lambda item: item.part("list").text, "it is a list, and must be a text"),
        (lambda item: item.to_yaml("kind"), "it is `ConfigMap`, and must be a mapping or a list"),
    ],
)
def test_a_field_of_another_type(read: Any, message: str) -> None:
    with pytest.raises(krm.FnError) as error:
        read(texts.resource(ODD))
    assert [(one.message, one.reason) for one in error.value.results] == [(message, "InvalidInput")]


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda secret: secret.get_int("stringData.pin"), "it is a scalar, and must be a whole number"),
        (lambda secret: secret.part("stringData").get_bool("pin"), "it is a scalar, and must be true or false"),
        (lambda secret: secret.string_map("stringData.pin"), "it is a scalar, and must be a mapping"),
        (lambda secret: secret.get_int("kind"), "it is `Secret`, and must be a whole number"),
    ],
)
def test_a_message_about_a_field_of_another_type_shows_no_secret(read: Any, message: str) -> None:
    with pytest.raises(krm.FnError) as error:
        read(texts.resource("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {pin: hush}\n"))
    assert [one.message for one in error.value.results] == [message]


def test_a_part_without_its_field_has_no_keys() -> None:
    item = texts.resource("kind: A\nm: {a: 1}\n")
    (part,) = item.parts("m")
    item.delete("m")
    with pytest.raises(krm.FnError, match="it is empty, and must be a mapping"):
        part.keys()


WALKED = "a: &a {b: 1.10}\nc: [*a, 'x']\nd.e:\n- name: f\n  g: ~\n"


def test_walk_meets_every_field() -> None:
    item = texts.resource(WALKED)
    assert [(leaf.path, leaf.text, isinstance(leaf.get(), str)) for leaf in item.walk(leaves=True)] == [
        ("a.b", "1.10", False), ("c[0].b", "1.10", False), ("c[1]", "x", True),
        ("['d.e'][name=f].name", "f", True), ("['d.e'][name=f].g", "~", False),
    ]  # fmt: skip
    assert [(part.place, isinstance(part.get(), str)) for part in item.walk()] == [
        (("a",), False), (("a", "b"), False), (("c",), False), (("c", 0), False), (("c", 0, "b"), False),
        (("c", 1), True), (("d.e",), False), (("d.e", 0), False), (("d.e", 0, "name"), True), (("d.e", 0, "g"), False),
    ]  # fmt: skip
    assert [part.path for part in item.walk("c")] == ["c", "c[0]", "c[0].b", "c[1]"]
    assert [part.path for part in item.parts("**.name")] == ["['d.e'][name=f].name"]
    assert [*texts.resource("{}\n").walk()] == []


def test_a_part_knows_what_it_is_in() -> None:
    item = texts.resource(WALKED)
    (name,) = item.parts("['d.e'][0].name")
    element = name.parent
    assert element is not None
    assert (element.place, element.parent) == (("d.e", 0), item.part("['d.e']"))
    assert [part.parent for part in item.parts("a")] == [None]
    with pytest.raises(krm.FnError) as error:
        _ = element.text
    assert [one.message for one in error.value.results] == ["it is a mapping, and must be a text"]
    element.delete()
    assert (name.text, [*name.walk()]) == ("", [])


def test_parts_are_the_elements_of_a_list() -> None:
    item = texts.resource()
    assert item.part("spec.absent") is None
    assert [part.path for part in item.parts("metadata.labels")] == ["metadata.labels"]
    labels = item.part("metadata.labels")
    assert labels is not None
    assert (labels.get("app"), labels.get(), [one.path for one in labels.walk(leaves=True)]) == (
        "web",
        {"app": "web"},
        ["metadata.labels.app"],
    )


@pytest.mark.parametrize("text", ["a: {b: [1, 2]}\n", "a:\n  b:\n  - 1\n  - 2\n"])
def test_a_part_of_a_list_is_the_list(text: str) -> None:
    item = texts.resource(text)
    for _ in range(2):
        whole = item.part("a.b")
        assert whole is not None
        assert (whole.path, whole.get()) == ("a.b", [1, 2])
        assert [part.path for part in item.parts("a.b")] == ["a.b[0]", "a.b[1]"]
        assert item.get() == {"a": {"b": [1, 2]}}  # the second time the text was parsed


def test_the_origin_of_an_object() -> None:
    annotations = (
        "{internal.config.kubernetes.io/package-path: a/b, config.kubernetes.io/path: a/b/c.yaml, "
        "config.kubernetes.io/index: '2', internal.kpt.dev/upstream-identifier: 'apps|Deployment|~C|web'}"
    )
    origin = texts.resource(f"kind: A\nmetadata: {{annotations: {annotations}}}\n").origin
    assert (origin.package, origin.file, origin.index) == ("a/b", "a/b/c.yaml", 2)
    assert origin.upstream == ("apps", "Deployment", "~C", "web")
    assert repr(origin) == "<Origin a/b/c.yaml 2>"
    none = texts.resource("kind: A\n").origin
    assert (none.package, none.file, none.index, none.upstream) == (None, None, None, None)


@pytest.mark.parametrize(
    ("api_version", "kind", "namespace", "expected"),
    [
        ("v1", "Service", "", True),
        ("v1", "Namespace", "", False),
        ("rbac.authorization.k8s.io/v1", "ClusterRole", "", False),
        ("rbac.authorization.k8s.io/v1", "Role", "", True),
        ("coordination.k8s.io/v1", "Lease", "", True),
        ("gateway.networking.k8s.io/v1", "GatewayClass", "", False),
        ("gateway.networking.k8s.io/v1", "Gateway", "shop", True),
        ("policy.networking.k8s.io/v1alpha1", "AdminNetworkPolicy", "", False),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshotClass", "", False),
        ("snapshot.storage.k8s.io/v1", "VolumeSnapshotContent", "", False),
        ("example.com/v1", "Widget", "", False),
        ("example.com/v1", "Widget", "shop", True),
    ],
)
def test_which_kinds_are_namespaced(api_version: str, kind: str, namespace: str, expected: bool) -> None:  # noqa: FBT001
    item = texts.resource(f"apiVersion: {api_version}\nkind: {kind}\nmetadata: {{namespace: '{namespace}'}}\n")
    assert item.is_namespaced is expected


def test_labels_and_kinds() -> None:
    item = texts.resource()
    assert item.is_gvk("apps", "v1", "Deployment")
    assert not item.is_gvk(kind="Service")
    assert item.has_labels("app=web,!legacy")
    assert not item.has_labels("app!=web")
    with pytest.raises(ValueError, match="is no label selector from character 1 on"):
        item.has_labels("=")


def test_a_pod_spec_is_that_of_a_workload() -> None:
    assert texts.resource("apiVersion: apps/v1\nkind: Deployment\n").pod_spec is None
    assert texts.resource("apiVersion: v1\nkind: Service\nspec: {}\n").pod_spec is None


def test_text_is_a_document() -> None:
    deployment, config_map = texts.read().items
    assert (deployment.text, config_map.text) == (texts.DEPLOYMENT, texts.CONFIG_MAP)
    assert texts.resource("a: *b\n").get("a") is None


def test_an_empty_document_has_no_fields() -> None:
    item = krm.Resource(texts.resource("a: 1\n")._object.item.__class__("", (0, 0), "it"))  # noqa: SLF001
    assert (item.get("a"), item.get(), [*item.walk()], item.text, item.part("a")) == (None, None, [], "", None)
    with pytest.raises(krm.FnError, match="an empty document has no fields"):
        item.set("a", 1)
    assert str(krm.FnError("x", item, "a")) == "[error] a: x"


def web(item: krm.Resource) -> krm.Part:
    assert item.pod_spec is not None
    return item.pod_spec.containers[0]


RESULTS = [
    (lambda item: (item, "spec.replicas"), {"current": "3", "proposed": "2"}, "spec.replicas"),
    (lambda item: (item, "spec.absent.there"), {}, "spec.absent.there"),
    (lambda item: (item, f"{CONTAINERS}[*].image"), {}, f"{CONTAINERS}[name=web].image"),
    (lambda item: (item, ("spec", "replicas")), {}, "spec.replicas"),
    (lambda item: (item,), {}, None),
    (lambda item: (web(item), "image"), {"current": "a"}, f"{CONTAINERS}[name=web].image"),
    (lambda item: (web(item), "resources.limits"), {}, f"{CONTAINERS}[name=web].resources.limits"),
    (lambda item: (web(item),), {}, f"{CONTAINERS}[name=web]"),
]


@pytest.mark.parametrize(("about", "details", "field"), RESULTS)
@pytest.mark.parametrize("severity", ["error", "warning", "info"])
def test_results_name_a_field(severity: str, about: Any, details: dict[str, str], field: str | None) -> None:
    resource_list = texts.read()
    getattr(resource_list, severity)("text", *about(resource_list.items[0]), **details)
    [result] = resource_list.results
    assert (result.field, result.current, result.proposed) == (field, details.get("current"), details.get("proposed"))
    assert (str(result.ref), result.file, result.index, result.severity) == (
        "apps/v1/Deployment/shop/web", "web.yaml", 0, severity,
    )  # fmt: skip


def test_tags_of_a_result() -> None:
    resource_list = texts.read()
    resource_list.info("text")
    resource_list.warning("text", reason="R", tags={"a": "b"})
    assert [one.as_data().get("tags") for one in resource_list.results] == [None, {"reason": "R", "a": "b"}]


def test_wrong_words_of_a_result_fail_at_once() -> None:
    resource_list = texts.read()
    with pytest.raises(ValueError, match=r"^`current` and `proposed` are values of a field: give its path$"):
        resource_list.info("text", current="1")
    with pytest.raises(ValueError, match="is no field path"):
        resource_list.info("text", resource_list.items[0], "a..b")
    assert resource_list.results == []
