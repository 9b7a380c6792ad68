"""The 2-way merge: tables of bytes, and beside them what kustomize makes of the same patches."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

from krm import fieldpath
from krm.merge.kinds.schema import Schema
from krm.merge.merge2 import merge2
from krm.merge.outcome import Refused
from krm.merge.trees import Tree
from krm.yamltree.editor import Editor
from tests.krm.merge import sides
from tests.krm.merge.sides import CUSTOM, DEPLOYMENT

if TYPE_CHECKING:
    from pathlib import Path

SERVICE = Schema("", "v1", "Service")


def put(update: str, local: str, schema: Schema = CUSTOM) -> str:
    """Return local with update over it."""
    editor = Editor(local)
    wanted = merge2(sides.tree(update), Tree(local, editor.document.root), schema).target
    if wanted is None:
        return ""
    editor.amend((), wanted)
    return editor.text


# The example of the Merge2 document.
UPDATE = """\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: nginx
        image: nginx:1.7
        command: ['new_run.sh', 'arg1']
      - name: sidecar2
        image: sidecar2:v1
"""
LOCAL = """\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 1 # tuned
  template:
    spec:
      containers:
      - name: nginx
        image: nginx:1.6
        command: ['old_run.sh', 'arg0']
      - name: sidecar1 # mine
        image: sidecar1:v1
"""
RESULT = """\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3 # tuned
  template:
    spec:
      containers:
      - name: nginx
        image: nginx:1.7
        command: ['new_run.sh', 'arg1']
      - name: sidecar1 # mine
        image: sidecar1:v1
      - name: sidecar2
        image: sidecar2:v1
"""


def test_the_example_of_the_document() -> None:
    assert put(UPDATE, LOCAL, DEPLOYMENT) == RESULT


class Case(NamedTuple):
    update: str
    local: str
    expected: str


RULES = {
    "a scalar": Case("a: 5", "a: 3", "a: 5"),
    "a scalar that is the same stays as written": Case("a: 'x'", "a: x # mine", "a: x # mine"),
    "what only local has": Case("{}", "a: 3\n", "a: 3\n"),
    "null takes a field away": Case("a: null", "a: 3\nb: 1\n", "b: 1\n"),
    "null of what is not there": Case("a: null", "b: 1\n", "b: 1\n"),
    "null takes a list away": Case("a: ~", "a: [1]\nb: 1\n", "b: 1\n"),
    "null takes a map away": Case("a:", "a:\n  c: 1\nb: 1\n", "b: 1\n"),
    "local null stays": Case("b: 2", "a: null\nb: 1\n", "a: null\nb: 2\n"),
    "nulls are not brought in": Case("a: {b: null, c: 1}", "d: 1\n", "d: 1\na: {c: 1}\n"),
    "nor in elements": Case("a: [{name: x, b: null}]", "a:\n- name: y\n", "a:\n- name: y\n- name: x\n"),
    "an empty map is brought in": Case("a: {}", "b: 1\n", "b: 1\na: {}\n"),
    "an atomic list": Case("a: [1, 2, 3]", "a: [a, b, c]", "a: [1, 2, 3]"),
    "an atomic list made empty": Case("a: []", "a: [1]\n", "a: []\n"),
    "maps": Case(
        "{key1: value1, key2: value2}",
        "key2: value0\nkey3: value3\n",
        "key1: value1\nkey2: value2\nkey3: value3\n",
    ),
    "another kind": Case("a: {b: 1}", "a: 1\n", "a: {b: 1}\n"),
    "another kind, less nulls": Case("a: {b: 1, c: null}", "a: [1]\n", "a: {b: 1}\n"),
    "a list where there was none": Case("a: [{name: x}]", "b: 1\n", "b: 1\na: [{name: x}]\n"),
    "elements are matched by key": Case(
        "a:\n- name: y\n  v: 2\n",
        "a:\n- name: x\n- name: y\n  v: 1 # one\n",
        "a:\n- name: x\n- name: y\n  v: 2 # one\n",
    ),
    "notes of orchestrators stay local's": Case(
        "metadata: {annotations: {a: b, config.kubernetes.io/path: p}}",
        "c: 1\n",
        "c: 1\nmetadata: {annotations: {a: b}}\n",
    ),
    "a new element comes behind the one before it": Case(
        "a: [{name: x}, {name: new}]", "a:\n- name: x\n- name: y\n", "a:\n- name: x\n- name: y\n- name: new\n"
    ),
}

DIRECTIVES = {
    "delete a map": Case("a: {$patch: delete}", "a:\n  b: 1\nc: 1\n", "c: 1\n"),
    "delete a map that is not there": Case("a: {$patch: delete}", "c: 1\n", "c: 1\n"),
    "replace a map": Case("a: {$patch: replace, b: {d: 2}}", "a:\n  b:\n    e: 1\n  c: 1\n", "a:\n  b:\n    d: 2\n"),
    "merge a map": Case("a: {$patch: merge, b: 2}", "a:\n  b: 1\n  c: 1\n", "a:\n  b: 2\n  c: 1\n"),
    "merge a map that is not there": Case("a: {$patch: merge, b: 2}", "c: 1\n", "c: 1\na: {b: 2}\n"),
    "delete an element": Case("a: [{name: x, $patch: delete}]", "a:\n- name: x\n- name: y\n", "a:\n- name: y\n"),
    "delete an element that is not there": Case("a: [{name: x, $patch: delete}]", "a:\n- name: y\n", "a:\n- name: y\n"),
    "replace an element": Case(
        "a: [{name: x, $patch: replace, v: 1}]",
        "a:\n- name: x\n  w: 1\n- name: y\n",
        "a:\n- name: x\n  v: 1\n- name: y\n",
    ),
    "merge an element": Case("a: [{name: x, $patch: merge, v: 1}]", "a:\n- name: x\n", "a:\n- name: x\n  v: 1\n"),
    "delete a list": Case("a: [{$patch: delete}]", "a:\n- name: x\nb: 1\n", "b: 1\n"),
    "replace a list": Case("a: [{$patch: replace}, {name: z}]", "a:\n- name: x\n- name: y\n", "a:\n- name: z\n"),
    "replace a list, the directive last": Case(
        "a: [{name: z}, {$patch: replace}]", "a:\n- name: x\n", "a:\n- name: z\n"
    ),
    "what is replaced keeps its layout and its comments": Case(
        "a: {$patch: replace, b: 2, c: [1], d: null}",
        "a:  # mine\n  # one\n  b: 1  # two\n\n  c: [ 1 ]\n  d: null\n",
        "a:  # mine\n  # one\n  b: 2  # two\n\n  c: [ 1 ]\n",
    ),
    "merge a list": Case("a: [{$patch: merge}, {name: z}]", "a:\n- name: x\n", "a:\n- name: x\n- name: z\n"),
    "replace an atomic list": Case("a: [{$patch: replace}, 1]", "a: [2]\n", "a: [1]\n"),
    "a directive for a list that is not there": Case(
        "a: [{$patch: replace}, {name: z}]", "b: 1\n", "b: 1\na: [{name: z}]\n"
    ),
    "delete the resource": Case("$patch: delete", "a: 1\n", ""),
    "local's own directives are its data": Case("b: 2", "a: {$patch: delete}\nb: 1\n", "a: {$patch: delete}\nb: 2\n"),
}


@pytest.mark.parametrize("case", [*RULES.values(), *DIRECTIVES.values()], ids=[*RULES, *DIRECTIVES])
def test_what_comes_of_an_overlay(case: Case) -> None:
    assert put(case.update, case.local) == case.expected


def test_ports_are_told_apart_by_protocol() -> None:
    update = "spec: {ports: [{port: 53, $patch: delete}]}"
    local = "spec:\n  ports:\n  - port: 53\n    protocol: UDP\n  - port: 53\n"
    assert put(update, local, SERVICE) == "spec:\n  ports:\n  - port: 53\n    protocol: UDP\n"


def test_what_is_not_there() -> None:
    nothing = sides.tree(None)
    local = sides.tree("a: 1\n")
    assert merge2(nothing, local, CUSTOM).target is local.root
    assert merge2(nothing, nothing, CUSTOM).target is None
    assert sides.data(merge2(sides.tree("a: {b: null, c: 1}"), nothing, CUSTOM).target) == {"a": {"c": 1}}
    noted = sides.tree("metadata: {annotations: {config.kubernetes.io/path: p}}")
    assert sides.data(merge2(noted, nothing, CUSTOM).target) == sides.data(noted.root)


def test_elements_of_one_key_are_told() -> None:
    update, local = "spec: {ports: [{port: 53, name: x}]}", "spec: {ports: [{port: 53}, {port: 53, protocol: TCP}]}"
    merged = merge2(sides.tree(update), sides.tree(local), SERVICE)
    assert sides.data(merged.target) == {
        "spec": {"ports": [{"port": 53, "name": "x"}, {"port": 53, "protocol": "TCP"}]}
    }
    told = [(note.reason, fieldpath.to_text(note.path), note.detail) for note in merged.notes]
    assert told == [("DuplicateKeys", "spec.ports", "local has several elements `53/TCP`")]


@pytest.mark.parametrize("directive", ["delete", "replace"])
@pytest.mark.parametrize("field", ["metadata", "annotations"])
def test_a_directive_about_notes_of_orchestrators_is_refused(field: str, directive: str) -> None:
    local = "metadata: {annotations: {mine: a, config.kubernetes.io/path: p}}\n"
    inside = f"{{$patch: {directive}, x: y}}"
    update = f"metadata: {{annotations: {inside}}}" if field == "annotations" else f"metadata: {inside}"
    with pytest.raises(Refused) as refused:
        put(update, local)
    message = "`$patch` would take notes of orchestrators away, and these stay: write `null` for each key that is to go"
    assert str(refused.value) == message
    assert refused.value.path[-2:] == (field, "$patch")


@pytest.mark.parametrize(
    ("update", "place", "message"),
    [
        ("a: {$patch: remove}", "a.$patch", "`$patch` can be delete, replace, merge"),
        ("a: {$patch: [delete]}", "a.$patch", "`$patch` can be delete, replace, merge"),
        ("a: [{$patch: remove}]", "a.$patch", "`$patch` can be delete, replace, merge"),
        (
            "a: {$patch: merge, $retainKeys: [b]}",
            "a.$retainKeys",
            "`$retainKeys` is for an API server: an overlay can say `$patch`",
        ),
        ("a: {$retainKeys: [b]}", "a.$retainKeys", "`$retainKeys` is for an API server: an overlay can say `$patch`"),
        ("a: [{v: 1, $patch: delete}]", "a[0].$patch", "`$patch` in an element needs a list whose elements have a key"),
    ],
)
def test_a_directive_that_says_nothing_is_refused(update: str, place: str, message: str) -> None:
    with pytest.raises(Refused) as refused:
        put(update, "b: 1\n")
    assert (fieldpath.to_text(refused.value.path).replace("['", ".").replace("']", ""), str(refused.value)) == (
        place,
        message,
    )


def test_a_directive_in_an_element_needs_its_key() -> None:
    update = "spec: {template: {spec: {containers: [{image: web, $patch: delete}]}}}"
    with pytest.raises(Refused, match=r"^`[$]patch` in an element needs the key `name`$"):
        put(update, LOCAL, DEPLOYMENT)


DEPLOYED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
"""


def kustomized(directory: Path, update: str, local: str) -> dict:
    """Return what `kubectl kustomize` makes of local with update as a patch."""
    (directory / "local.yaml").write_text(local)
    (directory / "update.yaml").write_text(update)
    (directory / "kustomization.yaml").write_text("resources: [local.yaml]\npatches: [{path: update.yaml}]\n")
    done = subprocess.run(["kubectl", "kustomize", directory], capture_output=True, check=True)
    return yaml.safe_load(done.stdout)


def pods(containers: str, **more: str) -> str:
    """Return a Deployment with these containers, in flow style."""
    others = "".join(f", {key}: {value}" for key, value in more.items())
    return f"{DEPLOYED}spec: {{template: {{spec: {{containers: {containers}{others}}}}}}}\n"


AGREED = {
    "delete a map": (
        DEPLOYED + "spec: {strategy: {$patch: delete}}\n",
        DEPLOYED + "spec: {strategy: {type: a}, replicas: 1}\n",
    ),
    "replace a map": (
        DEPLOYED + "spec: {strategy: {$patch: replace, type: b}}\n",
        DEPLOYED + "spec: {strategy: {type: a, rollingUpdate: {maxSurge: 1}}}\n",
    ),
    "null": (DEPLOYED + "spec: {replicas: null}\n", DEPLOYED + "spec: {replicas: 1, paused: true}\n"),
    "delete an element": (pods("[{name: a, $patch: delete}]"), pods("[{name: a}, {name: b}]")),
    "an atomic list": (pods("[{name: a, args: [c]}]"), pods("[{name: a, args: [a, b]}]")),
    "delete a list": (pods("[{name: a}]", volumes="[{$patch: delete}]"), pods("[{name: a}]", volumes="[{name: v}]")),
    "replace a list": (
        pods("[{name: a}]", volumes="[{$patch: replace}, {name: w}]"),
        pods("[{name: a}]", volumes="[{name: v}, {name: x}]"),
    ),
}

# Where kustomize makes something else of an overlay, and why ours does not.
DIFFERENT = {
    # It puts the elements of the overlay in front, and moves those that are there with them: the order of containers,
    # and of env, is meaning. Ours inserts behind the element before, as the example of the document has it.
    "order": (
        pods("[{name: b}, {name: new}]"),
        pods("[{name: a}, {name: b}]"),
        [{"name": "b"}, {"name": "new"}, {"name": "a"}],
        [{"name": "a"}, {"name": "b"}, {"name": "new"}],
    ),
    # It loses an element that is to be replaced (kustomize issue 5255).
    "replace an element": (
        pods("[{name: a, $patch: replace, image: web}]"),
        pods("[{name: a, args: [x]}, {name: b}]"),
        [{"name": "a", "args": ["x"]}, {"name": "b"}],
        [{"name": "a", "image": "web"}, {"name": "b"}],
    ),
    # It loses what the overlay says of a port that has its protocol written here and not there: the default is TCP
    "implicit protocol": (
        pods("[{name: a, ports: [{containerPort: 53, protocol: TCP, name: dns}]}]"),
        pods("[{name: a, ports: [{containerPort: 53}, {containerPort: 53, protocol: UDP}]}]"),
        [{"name": "a", "ports": [{"containerPort": 53}, {"containerPort": 53, "protocol": "UDP"}]}],
        [
            {
                "name": "a",
                "ports": [
                    {"containerPort": 53, "protocol": "TCP", "name": "dns"},
                    {"containerPort": 53, "protocol": "UDP"},
                ],
            }
        ],
    ),
}


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl")
@pytest.mark.parametrize(("update", "local"), AGREED.values(), ids=AGREED)
def test_kustomize_agrees(tmp_path: Path, update: str, local: str) -> None:
    assert yaml.safe_load(put(update, local, DEPLOYMENT)) == kustomized(tmp_path, update, local)


@pytest.mark.e2e
@pytest.mark.usefixtures("kubectl")
@pytest.mark.parametrize(("update", "local", "theirs", "ours"), DIFFERENT.values(), ids=DIFFERENT)
def test_kustomize_differs(tmp_path: Path, update: str, local: str, theirs: list, ours: list) -> None:
    def containers(of: dict) -> list:
        return of["spec"]["template"]["spec"]["containers"]

    assert containers(kustomized(tmp_path, update, local)) == theirs
    assert containers(yaml.safe_load(put(update, local, DEPLOYMENT))) == ours
