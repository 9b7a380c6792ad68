"""`strategy: Apply` on text: golden folders and tables. test_kubectl.py compares the data with kubectl's."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from krm import fieldpath
from krm.merge.kinds.schema import Schema
from krm.merge.kubectl.apply import apply
from krm.merge.outcome import Refused
from krm.merge.trees import Tree
from krm.yamltree.editor import Editor
from tests.krm.merge import sides, triples
from tests.krm.merge.sides import CUSTOM, DEPLOYMENT

POD = Schema("", "v1", "Pod")
FOLDERS = sorted(Path(__file__).parents[3].glob("testdata/krm/apply/*"))
assert FOLDERS, "no folders under testdata/krm/apply"


def applied(origin: str | None, update: str, local: str, schema: Schema = CUSTOM) -> str:
    """Return local's text after update was applied to it."""
    editor = Editor(local)
    trees = sides.tree(origin), sides.tree(update), Tree(local, editor.document.root)
    wanted = apply(*trees, schema).target
    assert wanted is not None
    editor.amend((), wanted)
    return editor.text


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_apply_gives_what_the_golden_folder_has(folder: Path) -> None:
    update, local = ((folder / f"{side}.yaml").read_bytes().decode() for side in ("update", "local"))
    actual = applied(None, update, local, DEPLOYMENT).encode()
    if "UPDATE" in os.environ:
        (folder / "expected.yaml").write_bytes(actual)
    assert actual == (folder / "expected.yaml").read_bytes()
    assert applied(None, update, actual.decode(), DEPLOYMENT).encode() == actual


class Case(NamedTuple):
    """The fields of a spec on each side, and the answer; None where nothing was applied before."""

    origin: str | None
    update: str
    local: str
    expected: str


# The examples of the document on `kubectl apply`.
DOCUMENTED = {
    "the config's value": Case(None, "paused: true", "paused: false # mine", "paused: true # mine"),
    "a field that only live has": Case("a: 1", "a: 1", "a: 1\nreplicas: 5", "a: 1\nreplicas: 5"),
    "a field no longer applied": Case("minReadySeconds: 5", "{}", "minReadySeconds: 5\nb: 1", "b: 1"),
    "a field changed by hand": Case("replicas: 1", "replicas: 1", "replicas: 5", "replicas: 1"),
    "a field deleted by hand": Case("replicas: 1", "replicas: 1", "a: 1", "a: 1\nreplicas: 1"),
    "a list is replaced": Case("a: [a, b]", "a: [a, c]", "a: [a, b, d]", "a: [a, c]"),
    "elements": Case(
        "template: {spec: {containers: [{name: nginx}, {name: a}, {name: b}]}}",
        "template: {spec: {containers: [{name: nginx}, {name: b}, {name: c}]}}",
        "template:\n  spec:\n    containers:\n    - name: nginx\n    - name: a\n    - name: b\n"
        "      run: 1 # kept\n    - name: d",
        "template:\n  spec:\n    containers:\n    - name: nginx\n    - name: b\n      run: 1 # kept\n"
        "    - name: d\n    - name: c",
    ),
    "what is no longer valid is cleared": Case(
        "{}",
        "strategy: {type: Recreate}",
        "strategy:\n  type: RollingUpdate\n  rollingUpdate:\n    maxSurge: 1",
        "strategy:\n  type: Recreate",
    ),
}
RULES = {
    "the same number": Case(None, "replicas: 1.0", "replicas: 1", "replicas: 1"),
    "true is not 1": Case(None, "paused: 1", "paused: true", "paused: 1"),
    "another kind": Case(None, "a: {b: 1, c: null}", "a: [1]", "a: {b: 1}"),
    "a map that is new, without nulls": Case(None, "a: {b: 1, c: null}", "d: 1", "d: 1\na: {b: 1}"),
    "null deletes": Case(None, "a: null", "a: 1\nb: 1", "b: 1"),
    "a map no longer applied": Case("a: {b: 1}", "{}", "a: {b: 1, c: 1}\nd: 1", "d: 1"),
    "a live null": Case(None, "{}", "a: null", "a: null"),
    "nothing of what may be retained": Case(
        "strategy: {type: A}", "strategy: {}", "strategy: {x: 1, type: A}", "strategy: {x: 1}"
    ),
    "a source of a volume": Case(
        None,
        "template: {spec: {volumes: [{name: v, configMap: {name: c}}]}}",
        "template:\n  spec:\n    volumes:\n    - name: v # mine\n      emptyDir: {}",
        "template:\n  spec:\n    volumes:\n    - name: v # mine\n      configMap:\n        name: c",
    ),
    "an order alone": Case(
        None,
        "template: {spec: {volumes: [{name: b}, {name: a}]}}",
        "template: {spec: {volumes: [{name: a}, {name: d}, {name: b}]}}",
        "template: {spec: {volumes: [{name: d}, {name: b}, {name: a}]}}",
    ),
    "an empty list": Case(
        "template: {spec: {volumes: [{name: a}]}}",
        "template: {spec: {volumes: []}}",
        "template: {spec: {volumes: [{name: a}, {name: b}]}}",
        "template: {spec: {volumes: [{name: b}]}}",
    ),
    "both lists are empty": Case(
        None,
        "template: {spec: {volumes: []}}",
        "template: {spec: {volumes: [], a: b}}",
        "template: {spec: {volumes: [], a: b}}",
    ),
    "a list into an empty one": Case(
        None,
        "template: {spec: {volumes: [{name: a, b: null}]}}",
        "template: {spec: {volumes: []}}",
        "template: {spec: {volumes: [{name: a}]}}",
    ),
    "what was applied to what is gone": Case(
        "template: {spec: {volumes: [{name: a, emptyDir: {x: 1}}, {name: b}]}}",
        "template: {spec: {volumes: [{name: a, emptyDir: {}}]}}",
        "a: 1",
        "a: 1\ntemplate: {spec: {volumes: [{name: a, emptyDir: {}}]}}",
    ),
    "what was applied to an element that is gone": Case(
        "template: {spec: {volumes: [{name: a, emptyDir: {x: 1}}, {name: b}]}}",
        "template: {spec: {volumes: [{name: a, emptyDir: {}}]}}",
        "template: {spec: {volumes: [{name: c}]}}",
        "template: {spec: {volumes: [{name: a, emptyDir: {}}, {name: c}]}}",
    ),
    "a list that is gone, of which all was applied": Case(
        "template: {spec: {volumes: [{name: a, x: 1}]}}",
        "template: {spec: {volumes: [{name: a}]}}",
        "template: {spec: {a: 1}}",
        "template: {spec: {a: 1, volumes: [{name: a}]}}",
    ),
}


@pytest.mark.parametrize("case", [*DOCUMENTED.values(), *RULES.values()], ids=[*DOCUMENTED, *RULES])
def test_apply_merges_a_deployment(case: Case) -> None:
    origin, update, local, expected = (side and _object(side) for side in case)
    assert applied(origin, update or "", local or "", DEPLOYMENT) == expected


def _object(spec: str) -> str:
    lines = "".join(f"  {line}\n" for line in spec.split("\n"))
    return f"metadata:\n  name: x\nspec:\n{lines}"


JSON_MERGE = {
    "what stays of a changed element": Case(
        None,
        "a:\n- b: 2\n  c: 'y'\n- b: 3",
        "a:\n- b: 1 # mine\n  c: 'y' # and this\n- b: 3",
        "a:\n- b: 2 # mine\n  c: 'y' # and this\n- b: 3",
    ),
    "a new element as it is written": Case(
        None, "a:\n- {b: 0x10, c: 1}", "a:\n- {c: 1, d: 2}", "a:\n- {b: 0x10, c: 1}"
    ),
    "a list is one value": Case(None, "a: [{name: x}]", "a: [{name: y}, {name: x}]", "a: [{name: x}]"),
    "deleted": Case("a: {b: 1}", "a: {}", "a: {b: 1, c: 2}", "a: {c: 2}"),
    "a null deletes the first time": Case("{}", "a: {b: null}", "a: {b: 1, c: 2}", "a: {c: 2}"),
    "and not again": Case("a: {b: null}", "a: {b: null}", "a: {b: 1, c: 2}", "a: {b: 1, c: 2}"),
    "a map of nulls makes none": Case("a: {b: null}", "a: {b: null}", "a: 1", "a: 1"),
    "an empty map does": Case(None, "a: {}", "a: 1", "a: {}"),
    "nulls in lists": Case(None, "a: [null, {b: null, c: 1}]", "d: 1", "d: 1\na: [null, {c: 1}]"),
    "both at once": Case("a: {b: 1, c: 1}", "a: {c: 2}", "a: {b: 1, c: 1}", "a: {c: 2}"),
}


@pytest.mark.parametrize("case", JSON_MERGE.values(), ids=JSON_MERGE)
def test_a_custom_resource(case: Case) -> None:
    origin, update, local, expected = (side and _object(side) for side in case)
    assert applied(origin, update or "", local or "") == expected


def test_the_fields_of_two_elements_with_one_key_keep_their_order() -> None:
    fields = "hbdfaceg"
    head = "spec:\n  template:\n    spec:\n      containers:"
    update = f"{head}\n      - name: web\n        x: 2\n      - name: web\n" + "".join(
        f"        {field}: 1\n" for field in fields
    )
    made = applied(None, update, f"{head} []\n", DEPLOYMENT)
    assert "".join(line.strip()[0] for line in made.splitlines() if line.endswith(": 1")) == fields


def test_finalizers_are_a_set() -> None:
    def of(*finalizers: str) -> str:
        return f"metadata: {{finalizers: [{', '.join(finalizers)}]}}\n"

    assert applied(of("a", "b"), of("c", "b"), of("d", "a", "b"), POD) == of("c", "d", "b")
    assert applied(of(), of("a", "b"), of("b", "a"), POD) == of("b", "a")
    assert applied(of("a"), of("b"), "metadata: {name: x}\n", POD) == "metadata: {name: x, finalizers: [b]}\n"


# One number, two protocols: kubectl knows the number alone. Ours is the answer of test_kubectl.py.
def test_ports_of_one_number() -> None:
    def of(*names: str) -> str:
        ports = ", ".join(f"{{port: 53, name: {name}}}" for name in names)
        return f"metadata: {{name: x}}\nspec: {{ports: [{ports}]}}\n"

    assert applied(of("a"), of("tcp", "udp"), of("a"), Schema("", "v1", "Service")) == of("tcp")


ANNOTATED = "metadata:\n  name: x\n  annotations:\n"


def test_annotations_are_there_even_where_none_is_applied() -> None:
    mine = f"{ANNOTATED}    mine: a\n"
    assert applied(f"{ANNOTATED}    was: b\n", "metadata: {name: x}", f"{mine}    was: b\n") == mine
    assert applied(None, "metadata: {name: x}", "metadata: {name: x}\n") == "metadata: {name: x}\n"
    assert (
        applied(f"{ANNOTATED}    was: b\n", "metadata: {name: x}", f"{ANNOTATED}    was: b\n")
        == "metadata:\n  name: x\n"
    )
    assert applied(None, "a: 1", "a: 2\n") == "a: 1\n"
    assert applied(None, "a: 1", "metadata: {annotations: {}}\n") == "metadata: {annotations: {}}\na: 1\n"


def test_bookkeeping_is_no_data() -> None:
    local = f"{ANNOTATED}    config.kubernetes.io/path: a.yaml\n    internal.config.kubernetes.io/index: '0'\n"
    update = f"{ANNOTATED}    config.kubernetes.io/path: b.yaml\n"
    assert applied(update, update, local) == local


def test_a_null_annotation_is_the_empty_text() -> None:
    update, local = f"{ANNOTATED}    a: new\n    b: null\n", f"{ANNOTATED}    a: old\n    c: d\n"
    assert applied(f"{ANNOTATED}    a: old\n", update, local) == f'{ANNOTATED}    a: new\n    c: d\n    b: ""\n'


def test_one_annotation_that_is_no_string_and_all_are_forgotten() -> None:
    update = f"{ANNOTATED}    a: new\n    b: 1\n"
    assert applied(f"{ANNOTATED}    a: old\n", update, f"{ANNOTATED}    a: old\n    c: d\n") == f"{ANNOTATED}    c: d\n"


def test_the_namespace_is_that_of_what_is_live() -> None:
    local = "metadata:\n  name: x\n  namespace: shop\n"
    assert applied(local, "metadata: {name: x}", local) == local


def test_apply_with_a_side_that_is_absent() -> None:
    nothing, there = sides.tree(None), sides.tree("metadata: {name: x}\na: {b: null, c: 1}\nd: 1\n")
    assert apply(there, nothing, there, CUSTOM).target is there.root
    assert apply(there, nothing, nothing, CUSTOM).target is None
    created = apply(nothing, there, nothing, CUSTOM).target
    assert created is not None
    assert sides.data(created) == {"metadata": {"name": "x"}, "a": {"c": 1}, "d": 1}


@pytest.mark.parametrize(
    ("update", "local", "place", "message"),
    [
        (
            "spec: {volumes: [{name: x}]}",
            "spec: {volumes: [{name: x}, {a: 1}]}",
            "spec.volumes[1]",
            "this element needs a `name`: kubectl tells the elements of the list apart by it",
        ),
        (
            "spec: {volumes: [x]}",
            "spec: {volumes: [{name: x}]}",
            "spec.volumes",
            "this list must have mappings alone, or scalars alone: kubectl merges no other",
        ),
        (
            "spec: {volumes: [[x]]}",
            "spec: {volumes: [[y]]}",
            "spec.volumes",
            "this list must have mappings alone, or scalars alone: kubectl merges no other",
        ),
        (
            "spec: {a: {$patch: delete}}",
            "spec: {}",
            "spec.a.$patch",
            "`$patch` is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches",
        ),
        (
            "spec: {a: [$patch, {name: x, $retainKeys: []}]}",
            "spec: {}",
            "spec.a[name=x].$retainKeys",
            "`$retainKeys` is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches",
        ),
        ("[a]", "spec: {}", "", "this is no object, and kubectl applies only objects"),
        ("spec: {}", "[a]", "", "this is no object, and kubectl applies only objects"),
        ("metadata: []", "spec: {}", "metadata", "this must be a mapping: kubectl cannot read the object otherwise"),
        (
            "metadata: {annotations: [a]}",
            "spec: {}",
            "metadata.annotations",
            "this must be a mapping: kubectl cannot read the object otherwise",
        ),
        ("a: {b: 1}", "a: {? [x] : 1}", "a", "each key here must be a scalar: kubectl cannot read it otherwise"),
    ],
)
def test_what_is_refused(update: str, local: str, place: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        applied(None, update, local, POD)
    assert refused.value.tree is not None
    found = fieldpath.to_text(refused.value.path).replace("['$", ".$").replace("']", "")
    assert (found, str(refused.value)) == (place, message)


def test_a_word_like_a_directive_is_no_directive() -> None:
    assert applied(None, "a: [$patch]", "a: [b]\n") == "a: [$patch]\n"


@pytest.mark.parametrize("kind", triples.SPECS)
def test_what_is_applied_again_changes_nothing(kind: str) -> None:
    rng = Random(kind)  # noqa: S311 - for tests
    for triple in (triples.triple(rng, kind, "x") for _ in range(20)):
        group, _, version = triple.local["apiVersion"].rpartition("/")
        schema = Schema(group, version, kind)
        update, local = map(triples.text, (triple.update, triple.live))
        once = applied(None, update, local, schema)
        assert applied(None, update, once, schema) == once, triple


@pytest.mark.parametrize("odd", ["metadata: x", "metadata: {annotations: [x]}", "metadata: [x]", "{}"])
def test_odd_metadata_do_not_stop_apply(odd: str) -> None:
    assert applied(odd, "a: 1", "metadata: {name: x}\na: 2\n") == "metadata: {name: x}\na: 1\n"
    assert applied(None, "metadata: {name: x}", f"{odd}\n") == "metadata: {name: x}\n"


BY_NAME = "each element of this list needs a `{}`: kubectl tells them apart by it"
# What kubectl refuses, in a list of containers.
REFUSED = {
    "live has an empty list": ("[{image: x}]", "[]", "spec.containers", BY_NAME.format("name")),
    "live has an empty list in an element": (
        "[{name: c, ports: [{port: 80}]}]",
        "[{name: c, ports: []}]",
        "spec.containers[name=c].ports",
        BY_NAME.format("containerPort"),
    ),
}


@pytest.mark.parametrize(("update", "local", "place", "message"), REFUSED.values(), ids=REFUSED)
def test_a_list_that_kubectl_refuses(update: str, local: str, place: str, message: str) -> None:
    new, live = (f"metadata: {{name: p}}\nspec: {{containers: {side}}}\n" for side in (update, local))
    with pytest.raises(Refused) as refused:
        applied(None, new, live, POD)
    assert (fieldpath.to_text(refused.value.path), str(refused.value)) == (place, message)


TWICE = "an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once"
# What kubectl or the cluster refuses, in a pod: what was applied, what is applied, what is live.
REFUSED_PODS = {
    "the elements of one name in another order": (
        "",
        "volumes: [{name: v}, {name: w}, {name: v, emptyDir: {}}]",
        "volumes: [{name: x}]",
        "spec.volumes",
        TWICE,
    ),
    "a list of one, a null of the other": (
        "containers: [{name: c}, {name: c, ports: [{containerPort: 80}, {containerPort: 81}]}]",
        "containers: [{name: c, ports: null}, {name: c, ports: [{containerPort: 81}]}]",
        "containers: [{name: c, ports: [{containerPort: 81}]}]",
        "spec.containers[name=c].ports",
        TWICE,
    ),
    "keys to retain of one, others of the other": (
        "volumes: [{name: v, secret: {}, configMap: {}}]",
        "volumes: [{name: v, emptyDir: {}}, {name: v, configMap: {}}]",
        "volumes: [{name: v, secret: {}}, {name: v, configMap: {}}]",
        "spec.volumes[name=v]",
        TWICE,
    ),
    "keys to retain of one, fields of the other": (
        "volumes: [{name: v, secret: {}, configMap: {}}]",
        "volumes: [{name: v, emptyDir: {}}, {name: v, configMap: {}}]",
        "volumes: [{name: v, configMap: {}}]",
        "spec.volumes[name=v]",
        TWICE,
    ),
    "an order of one, an empty list of the other": (
        "",
        "containers: [{name: c, env: []}, {name: c, env: [{name: B}, {name: A}]}]",
        "containers: [{name: c, env: []}, {name: c, env: [{name: A}, {name: B}]}]",
        "spec.containers[name=c].env",
        TWICE,
    ),
    "a deletion of one, an order of the other": (
        "containers: [{name: c, volumeDevices: []}]",
        "containers: [{name: c, volumeDevices: [{devicePath: /b}]}, {name: c}]",
        "containers: [{name: c, volumeDevices: [{devicePath: /a}]}, {name: c}]",
        "spec.containers[name=c].volumeDevices",
        TWICE,
    ),
    "live is no list": (
        "containers: [{name: a}, {name: b}]",
        "containers: [{name: a}]",
        "containers: {}",
        "spec.containers",
        "what is live is no list here, and kubectl merges lists: write one, or none",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "place", "message"), REFUSED_PODS.values(), ids=REFUSED_PODS)
def test_a_pod_that_kubectl_refuses(origin: str, update: str, local: str, place: str, message: str) -> None:
    sides = [f"metadata: {{name: p}}\nspec: {{{side}}}\n" for side in (origin, update, local)]
    with pytest.raises(Refused) as refused:
        applied(sides[0], sides[1], sides[2], POD)
    assert (fieldpath.to_text(refused.value.path), str(refused.value)) == (place, message)


def test_a_name_that_is_twice_in_what_was_applied_before() -> None:
    update = "[{name: r, volumeMounts: []}, {name: r, volumeMounts: [{mountPath: /a}]}]"

    def of(containers: str) -> str:
        return f"metadata: {{name: p}}\nspec: {{containers: {containers}}}\n"

    merged = "[{name: r, volumeMounts: [{mountPath: /a}]}]"
    assert applied(of("[{name: p}]"), of(update), of("[]"), POD) == of(merged)


def test_a_finalizer_that_is_applied_twice_is_refused() -> None:
    with pytest.raises(
        Refused,
        match="an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once",
    ):
        applied(None, "metadata: {finalizers: [a, b, a]}", "metadata: {finalizers: [c]}", POD)


def test_a_finalizer_that_is_live_twice_stays() -> None:
    local = "metadata: {finalizers: [c, b, c]}\n"
    origin, update = "metadata: {finalizers: [a, b]}", "metadata: {finalizers: [b]}"
    assert applied(origin, update, local, POD) == "metadata: {finalizers: [c, c, b]}\n"


# What was applied, what is applied, what is live, and what comes of it: kubectl's answers, in lists with duplicates.
FINALIZERS = {
    "one of two goes, and both do": ("[a, a]", "[a]", "[a, c]", "[c]"),
    "one of two comes": ("[]", "[a, a]", "[a]", "[a]"),
    "a new one ends that another is twice": ("[]", "[d]", "[c, b, c]", "[c, b, d]"),
    "the same of a list that has no room": ("[]", "[d]", "[c, c]", "[d, c]"),
    "one of them is between the other two": ("[]", "[d]", "[a, b, b, a, c]", "[a, b, c, d]"),
    "nothing comes": ("[a]", "[]", "[a, c, c]", "[c, c]"),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), FINALIZERS.values(), ids=FINALIZERS)
def test_finalizers_that_are_twice(origin: str, update: str, local: str, expected: str) -> None:
    sides = [f"metadata: {{finalizers: {side}}}" for side in (origin, update, local, expected)]
    assert applied(sides[0], sides[1], sides[2] + "\n", POD) == sides[3] + "\n"


def test_an_order_for_a_list_that_is_not_live() -> None:
    def of(env: str) -> str:
        return f"metadata: {{name: p}}\nspec: {{containers: [{{name: c{env}}}]}}\n"

    origin, update = of(", env: [{name: A}, {name: B}]"), of(", env: [{name: C}, {name: A}]")
    assert applied(origin, update, of(""), POD) == update
