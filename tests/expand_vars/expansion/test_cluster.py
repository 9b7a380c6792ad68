"""The items that a container reads (docs/reference/expansion.md, "Which objects a container sees")."""

from __future__ import annotations

import pytest

from tests.calls import counted
from tests.expand_vars.expansion.running import config_map, pod, run

KEY = "valueFrom: {configMapKeyRef: {name: c, key: k}}"
SPEC = "inline: [ConfigMaps, Secrets, Services]"
PACKAGE_A = "annotations: {internal.config.kubernetes.io/package-path: a}"
PACKAGE_B = "annotations: {internal.config.kubernetes.io/package-path: a/b}"
NAMES = "internal.config.kubernetes.io/previousNames"
NAMESPACES = "internal.config.kubernetes.io/previousNamespaces"


def _read(*items: str, head: str = "") -> str:
    """Return what a container gets of key `k` of ConfigMap `c`: `$(X)` where that is not known."""
    ran = run(pod(f"env: [{{name: X, {KEY}}}]\nargs: [$(X)]", head), *items, spec=SPEC)
    assert ran.results == []
    return str(ran.container["args"][0])


# The head of the workload's metadata, the ConfigMaps `c` by the heads of theirs, and what is read.
OBJECTS = {
    "no such object": ("", {}, "$(X)"),
    "one": ("", {"": "x"}, "x"),
    "one in the same namespace": ("namespace: shop", {"namespace: shop": "x"}, "x"),
    "one in another namespace": ("namespace: shop", {"namespace: other": "x"}, "$(X)"),
    "one in no namespace": ("namespace: shop", {"": "x"}, "$(X)"),
    "one in some namespace": ("", {"namespace: shop": "x"}, "$(X)"),
    "the one of the same namespace": ("namespace: b", {"namespace: a": "x", "namespace: b": "own", "": "x"}, "own"),
    "two of one identity": ("", {"": "x", "labels: {}": "x"}, "$(X)"),
    "one that is never applied": ("", {"annotations: {config.kubernetes.io/local-config: 'true'}": "x"}, "$(X)"),
    "one that is skipped": ("", {"annotations: {expandvars.dev/skip: 'true'}": "x"}, "x"),
    "one in the same package": (PACKAGE_A, {PACKAGE_A: "x", PACKAGE_B: "other"}, "x"),
    "one in another package": (PACKAGE_A, {PACKAGE_B: "x"}, "$(X)"),
    "one in a package": ("", {PACKAGE_A: "x"}, "$(X)"),
}  # fmt: skip


@pytest.mark.parametrize("case", OBJECTS)
def test_which_object_is_read(case: str) -> None:
    head, objects, expected = OBJECTS[case]
    assert _read(*(config_map("c", f"{{k: {text}}}", own) for own, text in objects.items()), head=head) == expected


def test_an_object_that_kustomize_has_renamed_is_found_by_the_name_that_it_had() -> None:
    head = f"namespace: shop\nannotations: {{{NAMES}: 'c,mid-c', {NAMESPACES}: 'default,default'}}"
    renamed = config_map("pre-mid-c", "{k: renamed}", head)
    assert _read(renamed, head="namespace: shop") == "renamed"
    assert _read(renamed, config_map("c", "{k: present}", "namespace: shop"), head="namespace: shop") == "present"
    assert _read(renamed) == "$(X)"


@pytest.mark.parametrize(
    ("kind", "expected"),
    [("v1\nkind: ConfigMap", "x"), ("example.com/v1\nkind: ConfigMap", "$(X)"), ("v1\nkind: ConfigMapList", "$(X)")],
)
def test_the_kind_is_that_of_the_core_group(kind: str, expected: str) -> None:
    assert _read(config_map("c", "{k: x}").replace("v1\nkind: ConfigMap", kind)) == expected


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("{k: x}", "x"), ("{k: '80'}", "80"), ("{k: ''}", ""), ("{k: 'a$(b)$'}", "a$$(b)$$"), ("{k: $(X)}", "$$(X)"),
        ("{k: 80}", "$(X)"), ("{k: ~}", "$(X)"), ("{k: {}}", "$(X)"),
    ],
)  # fmt: skip
def test_the_text_of_a_key_is_a_string(data: str, expected: str) -> None:
    assert _read(config_map("c", data)) == expected


@pytest.mark.parametrize("data", ["{}", "[k]", "", "text"])
def test_a_configmap_without_the_key_is_told(data: str) -> None:
    ran = run(pod(f"env: [{{name: X, {KEY}}}]\nargs: [$(X)]"), config_map("c", data), spec=SPEC)
    message = "`$(X)` in container `app`: ConfigMap `c` has no key `k`, without which the container does not start: "
    message += "add it, or say `optional: true`"
    assert ran.told == [f"warning MissingKey spec.containers[name=app].args[0]: {message}"]


def test_a_configmap_that_is_a_target_itself_is_read_as_it_leaves() -> None:
    workload = pod(f"env: [{{name: X, {KEY}}}]\nargs: [$(X)]")
    spec = "variables: [{name: A, value: a$}]\ntargets: [{select: {kind: ConfigMap}, fieldPaths: ['data[*]']}]\n"
    ran = run(workload, config_map("c", "{k: x$(A)}"), spec=f"{spec}inline: [Variables, ConfigMaps]")
    assert (ran.container["args"], ran.items[1]["data"]) == (["xa$$"], {"k": "xa$"})


# Of lists in brackets, and in lists, the whole text is parsed, and all changes of it are made at the end.
SHAPES = {
    "documents": "{map}\n---\n{pod}\n",
    "a List": "apiVersion: v1\nkind: List\nitems: [{map}, {pod}]\n",
    "a List, its reader first": "apiVersion: v1\nkind: List\nitems: [{pod}, {map}]\n",
    "a ResourceList": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [{pod}, {map}]\n",
    "a List in a List": "kind: List\nitems:\n- kind: List\n  items: [{map}]\n- {pod}\n",
}
MAP = "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c}}, data: {{k: {}}}}}"
POD = "{{apiVersion: v1, kind: Pod, spec: {{containers: [{{name: app, env: [{{name: X, {}}}], args: [{}]}}]}}}}"


@pytest.mark.parametrize("written", ['"x$(A)"', "x$(A)", "$(A)"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_configmap_is_read_as_it_leaves_whatever_list_it_is_in(shape: str, written: str) -> None:
    spec = "variables: [{name: A, value: a$}]\ntargets: [{select: {kind: ConfigMap}, fieldPaths: ['data[*]']}]\n"
    given = shape.format(map=MAP.format(written), pod=POD.format(KEY, "$(X)"))
    ran = run(given, spec=f"{spec}inline: [Variables, ConfigMaps]")
    left = written.replace("$(A)", "a$")
    text = left.strip('"').replace("$", "$$")
    assert (ran.told, ran.text) == ([], shape.format(map=MAP.format(left), pod=POD.format(KEY, text)))


@pytest.mark.parametrize(
    "kind",
    [
        "kind:  ConfigMap",
        "kind: 'ConfigMap'",
        "kind : ConfigMap",
        '"kind" : "ConfigMap"',
        "kind: >-\n  ConfigMap",
    ],
)
def test_a_configmap_is_read_as_it_leaves_however_its_kind_is_written(kind: str) -> None:
    given = f"{pod('envFrom: [{configMapRef: {name: c}}]' + chr(10) + 'args: [$(K)]')}---\n"
    given += f"apiVersion: v1\n{kind}\nmetadata: {{name: c}}\ndata:\n  K: old # expand: $(A)\n"
    ran = run(given, spec="inline: [Variables, ConfigMaps]\nvariables: [{name: A, value: new}]\n")
    assert ran.text == given.replace("$(K)", "new").replace("old", "new")


def test_an_item_that_cannot_be_read_is_an_error_where_a_container_asks_for_its_kind() -> None:
    broken = config_map("other", "{k: x, k: y}")
    asks, asks_not = pod(f"env: [{{name: X, {KEY}}}]\nargs: [$(X)]"), pod("env: [{name: X, value: x}]\nargs: [$(X)]")
    assert run(asks, broken).reasons == ["InvalidInput"]
    assert run(asks_not, broken).text == asks_not.replace("$(X)", "x") + "---\n" + broken
    targets = "targets: [{select: {kind: Pod}, fieldPaths: [metadata.name]}]"
    assert run(asks_not, broken.replace("x,", "$(A),"), spec=targets).reasons == ["InvalidInput"]


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: api}\nspec: {ports: [{port: 80}]}\n"
UNKNOWN = ["UnknownServices", "UnknownService", "UnknownService"]
SERVICES = {
    "one": (SERVICE, "80", []),
    "of another group": (
        SERVICE.replace("v1", "serving.knative.dev/v1"), "$(API_SERVICE_PORT)", UNKNOWN,
    ),
    "in another namespace": (
        SERVICE.replace("{name: api}", "{name: api, namespace: shop}"), "$(API_SERVICE_PORT)", UNKNOWN,
    ),
    "two of one identity": (
        f"{SERVICE}---\n{SERVICE}", "$(API_SERVICE_PORT)", 2 * ["AmbiguousServiceVariable"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SERVICES)
def test_which_services_give_variables(case: str) -> None:
    services, expected, reasons = SERVICES[case]
    ran = run(pod("args: [$(API_SERVICE_PORT)]"), pod("args: [$(API_SERVICE_PORT)]"), services, spec=SPEC)
    assert [item["spec"]["containers"][0]["args"] for item in ran.items[:2]] == 2 * [[expected]]
    assert ran.reasons == reasons


def test_a_secret_is_read_only_where_it_may_be_written() -> None:
    item = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\ndata: {k: aHVudGVyMg==, b: /w==}\n"
    env = "env: [{name: X, valueFrom: {secretKeyRef: {name: s, key: k}}}]\nenvFrom: [{secretRef: {name: s}}]\n"
    workload = pod(f"{env}args: [$(X), $(k), $(b)]")
    assert run(workload, item, spec=SPEC).container["args"] == ["hunter2", "hunter2", "$(b)"]
    ran = run(workload, f"{item}type: Opaque\n")
    assert (ran.container["args"], ran.results) == (["$(X)", "$(k)", "$(b)"], [])


def test_a_config_map_is_read_once_for_all_containers() -> None:
    def read_by(pods: int) -> int:
        items = [config_map("m", f"{{{data}}}"), *[reader] * pods]
        return counted(lambda: run(*items, spec="inline: [ConfigMaps]"))

    data = ", ".join(f"k{number}: v" for number in range(1_000))
    reader = pod("envFrom: [{configMapRef: {name: m}}]\nargs: [$(k7)]")
    assert read_by(20) - read_by(10) < 10 * 1_000
