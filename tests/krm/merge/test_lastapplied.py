"""What `kubectl apply` remembers, read and written. test_kubectl.py compares the bytes with the real one's."""

from __future__ import annotations

import json
from typing import Any

import pytest

from krm import fieldpath
from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds.schema import Schema
from krm.merge.kubectl import godata
from krm.merge.kubectl.apply import apply
from krm.merge.outcome import Refused
from krm.merge.policy import Policy
from krm.resource import LAST_APPLIED
from krm.results import FnError
from krm.yamltree import parser, scalars
from tests.krm.merge import sides
from tests.krm.merge.sides import CUSTOM


def live(record: str) -> str:
    return f"metadata:\n  name: x\n  annotations:\n    {LAST_APPLIED}: {record}\n"


def test_it_is_read_where_it_is() -> None:
    assert sides.data(godata.last_applied(sides.tree(live("'{\"a\":[1]}'"))).root) == {"a": [1]}


@pytest.mark.parametrize(
    "text", [None, "a: 1", "[a]", "metadata: 1", "metadata: {annotations: null}", "metadata: {annotations: {a: b}}"]
)
def test_where_it_is_not_there_is_no_origin(text: str | None) -> None:
    assert godata.last_applied(sides.tree(text)).root is None


@pytest.mark.parametrize("record", ["'{'", "'[1]'", "''", "{a: 1}", "'a: 1\n\n    b'"])
def test_a_damaged_one_is_refused(record: str) -> None:
    with pytest.raises(Refused) as refused:
        godata.last_applied(sides.tree(live(record)))
    assert fieldpath.to_text(refused.value.path) == f"metadata.annotations['{LAST_APPLIED}']"
    assert str(refused.value) == "this is no JSON object: take the annotation away, or apply the object again"


@pytest.mark.parametrize(
    ("update", "before", "local", "expected"),
    [
        ("metadata: {name: x}", "{}", "", '{"metadata":{"annotations":{},"name":"x"}}\n'),
        ("{name: b, a: null}", "{}", "", '{"a":null,"metadata":{"annotations":{}},"name":"b"}\n'),
        ("metadata: {annotations: {a: b}}", "{}", "", '{"metadata":{"annotations":{"a":"b"}}}\n'),
        ("metadata: {annotations: {a: null}}", "{}", "", '{"metadata":{"annotations":{"a":""}}}\n'),
        ("{}", '{"metadata":{"namespace":"shop"}}', "", '{"metadata":{"annotations":{},"namespace":"shop"}}\n'),
        ("{}", "{}", "  namespace: live\n", '{"metadata":{"annotations":{},"namespace":"live"}}\n'),
        ("metadata: {namespace: own}", "{}", "", '{"metadata":{"annotations":{},"namespace":"own"}}\n'),
        ("metadata: {annotations: {config.kubernetes.io/path: a}}", "{}", "", '{"metadata":{"annotations":{}}}\n'),
    ],
)
def test_it_is_kept_up_to_date_where_it_is(update: str, before: str, local: str, expected: str) -> None:
    text = f"{live(repr(before))}{local}"
    merged = apply(sides.tree(None), sides.tree(update), sides.tree(text), CUSTOM)
    assert merged.target is not None
    assert sides.data(merged.target)["metadata"]["annotations"][LAST_APPLIED] == expected


@pytest.mark.parametrize(
    ("record", "update", "expected"),
    [
        ('{"metadata":{"annotations":{},"name":"x","namespace":"a"}}', "metadata: {name: x}", {"name": "x"}),
        ('{"metadata":{"annotations":{"a":"b"}}}', "{}", {"annotations": {"a": "b"}}),
        ('{"metadata":{"namespace":"a"}}', "metadata: {namespace: b}", {"namespace": "a"}),
        ('{"metadata":1}', "{}", 1),
    ],
)
def test_what_kubectl_adds_no_author_took_away(record: str, update: str, expected: object) -> None:
    origin = godata.authored(sides.tree(record), sides.tree(update))
    assert sides.data(origin.root) == {"metadata": expected}


def test_it_is_not_added() -> None:
    merged = apply(sides.tree(None), sides.tree("a: 1"), sides.tree("metadata: {name: x}\na: 2"), CUSTOM)
    assert merged.target is not None
    assert sides.data(merged.target) == {"metadata": {"name": "x"}, "a": 1}


def test_one_that_says_the_same_stays_as_it_is_written() -> None:
    update = sides.tree("metadata: {name: x}\na: 1")
    local = sides.tree(live('|\n      {"a":1,"metadata":{"annotations":{},"name":"x"}}') + "a: 1\n")
    assert apply(sides.tree(None), update, local, CUSTOM).target is local.root


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1.0", "1"),
        ("1e16", "10000000000000000"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"),
        ("1e-5", "0.00001"),
        ("1e-7", "1e-7"),
        ("0.1", "0.1"),
        ("-0.0", "0"),
        ("1e400", '"1e400"'),
        ("9223372036854775807", "9223372036854775807"),
        ("9223372036854775808", "9223372036854776000"),
        ("-0x1F", "-31"),
        ("0o17", "15"),
        ("0777", "511"),
        ("08", "8"),
        ("1_000", "1000"),
        ("_1", '"_1"'),
        ("1:20", '"1:20"'),
        ("2001-01-01", '"2001-01-01"'),
        ("yes", "true"),
        ("N", "false"),
        ("nULL", '"nULL"'),
        ("~", "null"),
        ("!!str 1", '"1"'),
        ("!!int '1'", "1"),
        ("'1'", '"1"'),
        ('"a<b>&\\u2028\\n\\x01\\x7f"', '"a\\u003cb\\u003e\\u0026\\u2028\\n\\u0001\x7f"'),
        ("{b: 1, a: [x, null]}", '{"a":["x",null],"b":1}'),
    ],
)
def test_data_is_written_as_go_does(written: str, expected: str) -> None:
    assert godata.json(godata.data(sides.tree(written).root)) == expected


def test_what_is_not_there_is_null() -> None:
    assert godata.data(None) is None


def test_each_deletion_that_follows_from_it_is_told() -> None:
    was = {
        "metadata": {"labels": {"a": "b", "c": "d"}},
        "spec": {"containers": [{"name": "x", "image": "i"}, {"name": "z"}], "args": [1]},
    }
    local = sides.tree(
        f"metadata:\n  labels: {{a: b}}\n  annotations:\n    {LAST_APPLIED}: {godata.json(was)!r}\n"
        "spec:\n  containers:\n  - name: x\n    image: i\n  - name: z\n  - name: mine\n  args: [1, 2]\n"
    )
    update = sides.tree("metadata: {labels: {c: d}}\nspec: {containers: [{name: x}]}\n")
    notes = apply(sides.tree(None), update, local, Schema("", "v1", "Pod")).notes
    told = sorted((note.reason, fieldpath.to_text(note.path), note.detail) for note in notes)
    detail = "kubectl applied this last, and update no longer has it: it is deleted"
    assert told == [
        ("NoLongerApplied", "metadata.labels.a", detail),
        ("NoLongerApplied", "spec.args", detail),
        ("NoLongerApplied", "spec.containers[name=x].image", detail),
        ("NoLongerApplied", "spec.containers[name=z]", detail),
    ]
    given = sides.tree(godata.json(was))
    assert apply(given, update, local, Schema("", "v1", "Pod")).notes == []


TAKEN_AWAY = "kubectl applied this last, and update no longer has it: it is deleted"
OBJECT = "apiVersion: example.com/v1\nkind: Widget\n"
NAMED = f"{OBJECT}metadata: {{name: x}}\n"
ONE_FIELD = live("'{\"gone\":1}'")
REMEMBERED = '{"a":1,"gone":1,"metadata":{"annotations":{},"name":"x","namespace":"shop"},"parts":[{"name":"p"}]}'


def merged(origin: str, update: str, local: str) -> tuple[Any, list[tuple[str | None, str, str]]]:
    """Return the data that a merge of files makes of local, and what it tells."""
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    told = [(result.field, result.reason, result.message) for result in output.results]
    return scalars.data(parser.parse(output.text).root), told


def test_it_is_the_origin_of_a_3_way_merge_where_that_has_none() -> None:
    local = f"{OBJECT}{live(repr(REMEMBERED))}  namespace: shop\na: 1\ngone: 1\nmine: 1\nparts:\n- name: p\n- name: q\n"
    found, told = merged("", f"{OBJECT}metadata: {{name: x, namespace: shop}}\na: 2\nparts: []\n", local)
    expected = {"a": 2, "mine": 1, "parts": [{"name": "q"}]}
    assert {key: found[key] for key in found if key not in ("apiVersion", "kind", "metadata")} == expected
    assert found["metadata"]["namespace"] == "shop"
    reason = "NoLongerApplied"
    assert told == [("gone", reason, TAKEN_AWAY), ("parts[name=p]", reason, TAKEN_AWAY)]


@pytest.mark.parametrize(
    ("update", "local", "expected"),
    [
        ("gone: null", "gone: 1", []),  # a value like others
        ("gone: 1", "gone: 1", []),
        ("", "gone: 2", [("gone", "Conflict")]),  # which is told as such
        ("", "b: 1", []),
    ],
)
def test_what_follows_from_it_is_told(update: str, local: str, expected: list[tuple[str, str]]) -> None:
    _, told = merged("", f"{NAMED}{update}\n", f"{OBJECT}{ONE_FIELD}{local}\n")
    assert [(field, reason) for field, reason, _ in told] == expected


def test_what_gives_way_to_a_field_that_excludes_it_is_told() -> None:
    deployment = "apiVersion: apps/v1\nkind: Deployment\n"
    env = "spec: {{template: {{spec: {{containers: [{{name: web, env: [{{name: A, {}}}]}}]}}}}}}\n"
    remembered = godata.json(godata.data(sides.tree(env.format("value: a")).root))
    update = f"{deployment}metadata: {{name: x}}\n{env.format('valueFrom: {fieldRef: {fieldPath: metadata.name}}')}"
    _, told = merged("", update, deployment + live(repr(remembered)) + env.format("value: a"))
    path = "spec.template.spec.containers[name=web].env[name=A].value"
    assert told == [(path, "NoLongerApplied", TAKEN_AWAY)]


SERVICE = "apiVersion: v1\nkind: Service\n"
PORTS = {name: {"name": name, "port": 53, "protocol": name.upper()} for name in ("tcp", "udp")}


def service(*names: str) -> str:
    return f"spec: {json.dumps({'ports': [PORTS[name] for name in names]})}\n"


def test_a_port_that_goes_is_told_where_another_protocol_stays() -> None:
    remembered = godata.json(godata.data(sides.tree(service("tcp", "udp")).root))
    local, update = live(repr(remembered)) + service("tcp", "udp"), f"metadata: {{name: x}}\n{service('tcp')}"
    found, told = merged("", SERVICE + update, SERVICE + local)
    assert found["spec"] == {"ports": [PORTS["tcp"]]}
    assert told == [("spec.ports[name=udp]", "NoLongerApplied", TAKEN_AWAY)]
    # Both are one to kubectl.
    result = apply(sides.tree(None), sides.tree(update), sides.tree(local), Schema("", "v1", "Service"))
    assert sides.data(result.target)["spec"] == {"ports": []}
    assert sorted((fieldpath.to_text(note.path), note.reason, note.detail) for note in result.notes) == [
        (
            "spec.ports[name=tcp]",
            "NoLongerApplied",
            "update has this, but kubectl deletes it with another element of the same key",
        ),
        ("spec.ports[name=udp]", "NoLongerApplied", TAKEN_AWAY),
    ]


def test_a_damaged_one_refuses_the_merge_of_files() -> None:
    with pytest.raises(FnError) as caught:
        merged("", f"{NAMED}a: 1\n", f"{OBJECT}{live('x')}a: 2\n")
    assert str(caught.value) == (
        f"[error] a.yaml: example.com/v1/Widget/x metadata.annotations['{LAST_APPLIED}']: this is no JSON object: take "
        "the annotation away, or apply the object again"
    )


def test_its_name_alone_says_nothing() -> None:
    found, told = merged("", f"{NAMED}a: 1\n", f"{NAMED}a: 1\nb: 2 # see {LAST_APPLIED}\n")
    assert (found["b"], told) == (2, [])


@pytest.mark.parametrize("origin", [NAMED, ""])
def test_no_whole_object_goes_since_it_was_applied_once(origin: str) -> None:
    """Nor does it count where the merge has an origin, that is to say where it has been merged before."""
    found, told = merged(origin, origin, f"{OBJECT}{ONE_FIELD}gone: 1\n")
    assert found["gone"] == 1
    assert not told
