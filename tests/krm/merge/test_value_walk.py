"""The rules of the 3-way merge, on data (docs/reference/merge.md)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from krm import fieldpath
from krm.merge.kinds.schema import Schema
from krm.merge.policy import ON_CONFLICT, FieldPolicy, Policy, of_fields
from krm.merge.value_walk import merge_values
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft
from tests.krm.merge.sides import CUSTOM, DEPLOYMENT, data, merged, places, tree

if TYPE_CHECKING:
    from krm.merge.outcome import Merged
    from krm.merge.policy import OnConflict
    from krm.yamltree.target import Target

SERVICE = Schema("", "v1", "Service")

ONE_SIDED = {
    "only local changed": ("a: 1", "a: 1", "a: 5", "a: 5"),
    "only update changed": ("a: 1", "a: 2", "a: 1", "a: 2"),
    "each changed another field": ("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 1, b: 2}", "{a: 2, b: 2}"),
    "update added": ("{}", "a: 1", "b: 1", "{b: 1, a: 1}"),
    "local added": ("{}", "{}", "a: 1", "a: 1"),
    "update deleted": ("{a: 1, b: 1}", "b: 1", "{a: 1, b: 1}", "b: 1"),
    "both deleted": ("{a: 1, b: 1}", "b: 1", "b: 1", "b: 1"),
    "no husk of a map": ("{p: {h: {a: 1}}}", "{q: 1}", "{p: {h: {a: 1}}}", "{q: 1}"),
    "no husk of a list": ("{l: [{name: a}]}", "{q: 1}", "{l: [{name: a}]}", "{q: 1}"),
    "an empty map that update wrote": ("{p: {a: 1}}", "{p: {}}", "{p: {a: 1}}", "{p: {}}"),
    "an empty list that update wrote": ("{l: [{name: a}]}", "{l: []}", "{l: [{name: a}]}", "{l: []}"),
    "what both have stays": ("{p: {a: 1, b: 1}}", "{p: {a: 1}}", "{p: {b: 1}}", "{p: {}}"),
    "an empty map that local wrote": ("{labels: {a: 1}}", "{}", "{labels: {}}", "{labels: {}}"),
    "an empty list that local wrote": ("{l: [{name: a}]}", "{}", "{l: []}", "{l: []}"),
    "a local deletion stays": ("{r: {l: {c: 1}}}", "{r: {l: {c: 1}}}", "{}", "{}"),
    "what local added to a string map": (
        "{labels: {a: b}, x: 1}",
        "{x: 1}",
        "{labels: {a: b, mine: x}, x: 1}",
        "{labels: {mine: x}, x: 1}",
    ),
    "what local added to a keyed list": (
        "{l: [{name: v}]}",
        "{}",
        "{l: [{name: v}, {name: m}]}",
        "{l: [{name: m}]}",
    ),
    "metadata in which nothing is left": (
        "{metadata: {annotations: {a: b}}}",
        "{}",
        "{metadata: {name: x, annotations: {a: b, c: d}}}",
        "{metadata: {name: x, annotations: {c: d}}}",
    ),
    "what update added to one that is gone": (
        "{l: [{name: v}]}",
        "{l: [{name: v}, {name: u}]}",
        "{}",
        "{l: [{name: u}]}",
    ),
    "an element deleted": (
        "{l: [{name: a}, {name: b}]}",
        "{l: [{name: b}]}",
        "{l: [{name: a}, {name: b}]}",
        "{l: [{name: b}]}",
    ),
    "what update added to a string map that is gone": (
        "{labels: {a: 1}}",
        "{labels: {a: 1, b: 2}}",
        "{}",
        "{labels: {b: 2}}",
    ),
    "became null": ("{a: 1, b: 1}", "{a: null, b: 1}", "{a: 1, b: 1}", "{a: null, b: 1}"),
    "null all along": ("a: null", "a: null", "a: true", "a: true"),
    "a null of local's own": ("a: 1", "a: 1", "a: null", "a: null"),
    "a null that update deleted": ("{a: null}", "{}", "{a: null}", "{}"),
    "no longer null": ("a: null", "a: 1", "a: null", "a: 1"),
    "a new null": ("{}", "{a: null}", "{}", "{a: null}"),
    "a map that became null": ("{p: {h: {a: 1}}}", "{p: {h: null}}", "{p: {h: {a: 1}}}", "{p: {h: null}}"),
    "a null in what is new": ("{}", "{a: {b: null}}", "{}", "{a: {b: null}}"),
    "another kind on one side": ("a: 1", "a: {x: y}", "a: 1", "a: {x: y}"),
    "both became a map": ("a: 1", "a: {x: 1}", "a: {y: 1}", "a: {y: 1, x: 1}"),
    "a string became a number": ("a: '1'", "a: 2", "a: '1'", "a: 2"),
    "the same number": ("a: 0x10", "a: 16", "a: 0x10", "a: 0x10"),
    "only the quotes changed": ("args: [a, b]", "args: ['a', \"b\"]", "args: [a, b, mine]", "args: [a, b, mine]"),
    "an atomic list changed on one side": ("args: [a, b]", "args: [b, c, a]", "args: [a, b]", "args: [b, c, a]"),
    "a value of it": (
        "r: [{h: x, p: {a: 1, b: [1]}}]",
        "r: [{h: x, p: {c: 1, a: 2, b: [1]}}, 1]",
        "r: [{h: x, p: {a: 1, b: [1]}}]",
        "r: [{h: x, p: {c: 1, a: 2, b: [1]}}, 1]",
    ),
    "emptied": ("r: [1]", "r: []", "r: [1]", "r: []"),
    "duplicates by occurrence": (
        "l: [{name: a, v: 1}, {name: a, v: 2}]",
        "l: [{name: a, v: 1}, {name: a, v: 3}]",
        "l: [{name: a, v: 1}, {name: a, v: 2}]",
        "l: [{name: a, v: 1}, {name: a, v: 3}]",
    ),
    "both added the same": ("{}", "a: true", "a: true", "a: true"),
    "fields of the only mapping": (
        "l: [{a: 1, b: 1, c: 1}]",
        "l: [{a: 2, b: 1, c: 1}]",
        "l: [{a: 1, b: 2, c: 1}]",
        "l: [{a: 2, b: 2, c: 1}]",
    ),
    "an alias": ("{x: 1, y: 1}", "{x: 1, y: 1}", "{x: &v 1, y: *v}", "{x: 1, y: 1}"),
    "an alias that stays while what it names changes": (
        "{a: &a {x: 1}, b: *a}",
        "{a: &a {x: 2}, b: *a}",
        "{a: {x: 1}, b: {x: 3}}",
        "{a: {x: 2}, b: {x: 3}}",
    ),
    "a value from <<": (
        "{x: {a: 1}, y: {a: 1}}",
        "{x: {a: 1}, y: {a: 1, b: 1}}",
        "{x: &x {a: 1}, y: {<<: *x}}",
        "{x: {a: 1}, y: {a: 1, b: 1}}",
    ),
    "a value from update's <<": (
        "{x: {a: 1}, y: {c: 1}}",
        "{x: &x {a: 1}, y: {<<: *x, c: 1}}",
        "{x: {a: 1}, y: {c: 1}}",
        "{x: {a: 1}, y: {c: 1, a: 1}}",
    ),
    "bookkeeping is no data": (
        "metadata: {annotations: {config.kubernetes.io/path: o, a: 1, b: 1}}",
        "metadata: {annotations: {config.kubernetes.io/path: u, a: 1}}",
        "metadata: {annotations: {config.kubernetes.io/path: l, a: 1, b: 1}}",
        "metadata: {annotations: {config.kubernetes.io/path: l, a: 1}}",
    ),
    "update's does not come": (
        "metadata: {name: a}",
        "metadata: {name: a, annotations: {config.kubernetes.io/path: u, a: 1}}",
        "metadata: {name: a}",
        "metadata: {name: a, annotations: {a: 1}}",
    ),
    "nothing else comes": (
        "metadata: {name: a}",
        "metadata: {name: a, annotations: {config.kubernetes.io/path: u}}",
        "metadata: {name: a}",
        "metadata: {name: a}",
    ),
    "local's stays": (
        "metadata: {name: a, annotations: {a: 1}}",
        "metadata: {name: a}",
        "metadata: {name: a, annotations: {a: 1, config.kubernetes.io/path: l}}",
        "metadata: {name: a, annotations: {config.kubernetes.io/path: l}}",
    ),
    "keys that are no scalars change as one": ("a: {[k]: 1}", "a: {[k]: 1, b: 2}", "a: {[k]: 1}", "a: {[k]: 1, b: 2}"),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), ONE_SIDED.values(), ids=ONE_SIDED)
def test_what_one_side_changed_is_taken(origin: str, update: str, local: str, expected: str) -> None:
    result = merged(origin, update, local)
    assert data(result.target) == data(tree(expected).root)
    assert result.conflicts == []


CONFLICTS = {
    "a scalar": ("a: 1", "a: 2", "a: 3", "a"),
    "one of two fields": ("m: {a: 1, b: 1}", "m: {a: 2, b: 1}", "m: {a: 3, b: 2}", "m.a"),
    "a map deleted in update": ("{p: {a: 1}}", "{}", "{p: {a: 1, b: 2}}", "p"),
    "a map deleted in local": ("{p: {a: 1}}", "{p: {a: 2}}", "{}", "p"),
    "a value of a string map": ("{labels: {a: 1}}", "{}", "{labels: {a: 2}}", "labels.a"),
    "a map of string maps and others": (
        "{selector: {matchLabels: {a: 1}, matchExpressions: [1]}}",
        "{}",
        "{selector: {matchLabels: {a: 1, b: 1}, matchExpressions: [1]}}",
        "selector",
    ),
    "an element deleted in update": ("{l: [{name: a, v: 1}]}", "{l: []}", "{l: [{name: a, v: 2}]}", "l[name=a]"),
    "an element deleted in local": ("{l: [{name: a, v: 1}]}", "{l: [{name: a, v: 2}]}", "{l: []}", "l[name=a]"),
    "null in update": ("a: 1", "a: null", "a: 2", "a"),
    "null in local": ("a: 1", "a: 2", "a: null", "a"),
    "null and gone": ("{a: 1}", "{a: null}", "{}", "a"),
    "gone and null": ("{a: 1}", "{}", "{a: null}", "a"),
    "a map and a scalar": ("a: 1", "a: {x: 1}", "a: 2", "a"),
    "a list and a map": ("a: 1", "a: [1]", "a: {x: 1}", "a"),
    "a scalar that became a list": ("a: 1", "a: [{name: x}]", "{}", "a"),
    "an atomic list": ("args: [a]", "args: [a, up]", "args: [a, mine]", "args"),
    "an atomic list deleted": ("{args: [a]}", "{}", "{args: [a, mine]}", "args"),
    "both added": ("{}", "a: 1", "a: 2", "a"),
    "both added an element": ("l: []", "l: [{name: a, v: 1}]", "l: [{name: a, v: 2}]", "l[name=a].v"),
    "the document itself": ("a", "b", "c", ""),
}


@pytest.mark.parametrize(("origin", "update", "local", "place"), CONFLICTS.values(), ids=CONFLICTS)
def test_what_both_changed_goes_by_the_policy(origin: str, update: str, local: str, place: str) -> None:
    for on_conflict in ON_CONFLICT:
        result = merged(origin, update, local, policy=Policy(on_conflict))
        assert places(result) == [place]
        assert [conflict.resolution for conflict in result.conflicts] == [on_conflict]
        winner = tree(update if on_conflict == "TakeUpdate" else local).root
        kept, won = (value_at(side, place) for side in (data(result.target), data(winner)))
        assert kept == won


def value_at(value: Any, place: str) -> Any:
    """Return what is at a place of data, None for what is not there or null."""
    for step in fieldpath.parse(place) if place else ():
        if value is None:
            return None
        if isinstance(step, fieldpath.Match):
            value = next((element for element in value if element["name"] == step.value), None)
        else:
            value = value.get(step)
    return value


def test_a_conflict_has_the_three_values() -> None:
    (conflict,) = merged("a: 1", "a: 2", "b: 1").conflicts
    assert [data(side) for side in (conflict.origin, conflict.update)] == [1, 2]
    assert conflict.local is None


WHOLE = {
    "added in update": (None, "a: 1", None, "a: 1", 0),
    "added in local": (None, None, "a: 1", "a: 1", 0),
    "added in both": (None, "a: 1", "b: 1", "{b: 1, a: 1}", 0),
    "deleted in update": ("a: 1", None, "a: 1", None, 0),
    "deleted in local": ("a: 1", "a: 1", None, None, 0),
    "deleted in both": ("a: 1", None, None, None, 0),
    "deleted in update, changed in local": ("a: 1", None, "a: 2", None, 1),
    "deleted in local, changed in update": ("a: 1", "a: 2", None, "a: 2", 1),
    "deleted in update, with bookkeeping in local": (
        "metadata: {name: a}",
        None,
        "metadata: {name: a, annotations: {config.kubernetes.io/path: x}}",
        None,
        0,
    ),
    "nowhere": (None, None, None, None, 0),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected", "conflicts"), WHOLE.values(), ids=WHOLE)
def test_whole_resources(
    origin: str | None, update: str | None, local: str | None, expected: str | None, conflicts: int
) -> None:
    result = merged(origin, update, local)
    assert data(result.target) == data(tree(expected).root)
    assert places(result) == [""] * conflicts


def pods(env: str = "", **fields: str) -> str:
    """Return a Deployment with one container that has these fields, `env` short for entries."""
    container = {"name": "web"} | ({"env": env} if env else {}) | fields
    written = ", ".join(f"{key}: {value}" for key, value in container.items())
    return f"{{spec: {{template: {{spec: {{containers: [{{{written}}}]}}}}}}}}"


BUILT_IN = {
    "the protocol counts": (
        pods(ports="[{containerPort: 53, name: dns}]"),
        pods(ports="[{containerPort: 53, name: tcp}, {containerPort: 53, name: udp, protocol: UDP}]"),
        pods(ports="[{containerPort: 53, name: dns, protocol: TCP}]"),
        pods(ports="[{containerPort: 53, name: tcp, protocol: TCP}, {containerPort: 53, name: udp, protocol: UDP}]"),
    ),
    "behind what is local's alone": (
        pods("[{name: B}]"),
        pods("[{name: A}, {name: B}, {name: C}]"),
        pods("[{name: B}, {name: L}]"),
        pods("[{name: A}, {name: B}, {name: L}, {name: C}]"),
    ),
    "an element without a key": (
        pods("[{name: A}, {value: n}]"),
        pods("[{name: A, value: a}, {value: n}]"),
        pods("[{name: A}, {value: n}, {name: L}]"),
        pods("[{name: A, value: a}, {value: n}, {name: L}]"),
    ),
    "the members of a union": (
        pods("[{name: A, value: a}]"),
        pods("[{name: A, valueFrom: {fieldRef: {fieldPath: x}}}]"),
        pods("[{name: A, value: a}, {name: L}]"),
        pods("[{name: A, valueFrom: {fieldRef: {fieldPath: x}}}, {name: L}]"),
    ),
    "a definition stays above its user": (
        pods("[{name: A, value: a}, {name: B, value: b}]"),
        pods("[{name: A, value: a}, {name: B, value: $(A)}]"),
        pods("[{name: B, value: b}, {name: A, value: a}]"),
        pods("[{name: A, value: a}, {name: B, value: $(A)}]"),
    ),
    "an order in which nothing refers to anything": (
        pods("[{name: A, value: a}, {name: B, value: b}]"),
        pods("[{name: A, value: a}, {name: B, value: c}]"),
        pods("[{name: B, value: b}, {name: A, value: a}]"),
        pods("[{name: B, value: c}, {name: A, value: a}]"),
    ),
}


def deployments(origin: str, update: str, local: str, policy: Policy | None = None) -> Merged:
    return merge_values(tree(origin), tree(update), tree(local), DEPLOYMENT, policy or Policy())


@pytest.mark.parametrize(("origin", "update", "local", "expected"), BUILT_IN.values(), ids=BUILT_IN)
def test_built_in_lists(origin: str, update: str, local: str, expected: str) -> None:
    result = deployments(origin, update, local)
    assert data(result.target) == data(tree(expected).root)
    assert result.conflicts == []


def rolling(strategy: str) -> str:
    return f"{{spec: {{strategy: {strategy}, replicas: 1}}}}"


def test_a_union_that_both_changed_is_one_conflict() -> None:
    origin, update, local = (
        rolling("{type: RollingUpdate, rollingUpdate: {maxSurge: 1}}"),
        rolling("{type: Recreate}"),
        rolling("{type: RollingUpdate, rollingUpdate: {maxSurge: 2}}"),
    )
    for policy, expected in ((Policy(), update), (Policy("KeepLocal"), local)):
        result = deployments(origin, update, local, policy)
        assert data(result.target) == data(tree(expected).root)
        assert len(result.conflicts) == 1


def test_a_union_goes_by_the_policy_of_its_field() -> None:
    fields = [FieldPolicy(fieldpath.parse("spec.strategy"), on_conflict="KeepLocal")]
    local = rolling("{type: RollingUpdate, rollingUpdate: {maxSurge: 2}}")
    origin, update = rolling("{type: RollingUpdate, rollingUpdate: {maxSurge: 1}}"), rolling("{type: Recreate}")
    assert data(deployments(origin, update, local, of_fields(fields=fields)).target) == data(tree(local).root)


def service(kind: str, port: str = "{port: 80}", **fields: str) -> str:
    written = ", ".join(f"{key}: {value}" for key, value in ({"type": kind, "ports": f"[{port}]"} | fields).items())
    return f"{{spec: {{{written}}}}}"


def test_what_goes_with_a_type_comes_from_the_side_that_wins_the_type() -> None:
    update = service("NodePort", "{port: 80, nodePort: 30000}")
    local = service("ExternalName", externalName="example.com")
    keep = [FieldPolicy(fieldpath.parse("spec.type"), on_conflict="KeepLocal")]
    for fields, expected in (([], service("NodePort", "{port: 80, nodePort: 30000}")), (keep, local)):
        result = merged(service("ClusterIP"), update, local, schema=SERVICE, policy=of_fields(fields=fields))
        assert data(result.target) == data(tree(expected).root)
        assert places(result) == ["spec.type"]


NODE_PORT, TWO_PORTS = "{port: 80}, {port: 81, nodePort: 30001}", "{port: 80}, {port: 81}"
EXTERNAL = "{spec: {type: ExternalName, externalName: db}}"

# origin, update, local of a Service in which one side has a port of its own; what becomes of it where update wins
# a conflict, and where local does.
PORTS_OF_ONE_SIDE = {
    "added by local": (
        service("NodePort"),
        service("ClusterIP"),
        service("NodePort", NODE_PORT),
        service("ClusterIP", TWO_PORTS),
        service("ClusterIP", TWO_PORTS),
    ),
    "added by update": (
        service("NodePort"),
        service("NodePort", NODE_PORT),
        service("ClusterIP"),
        service("ClusterIP", TWO_PORTS),
        service("ClusterIP", TWO_PORTS),
    ),
    "added by update, both changed the type": (
        service("ClusterIP"),
        service("NodePort", NODE_PORT),
        "{spec: {type: ExternalName, externalName: db, ports: [{port: 80}]}}",
        service("NodePort", NODE_PORT),
        f"{{spec: {{type: ExternalName, externalName: db, ports: [{TWO_PORTS}]}}}}",
    ),
    "the rest of a list that update drops": (
        service("NodePort"),
        EXTERNAL,
        service("NodePort", NODE_PORT),
        "{spec: {type: ExternalName, ports: [{port: 81}], externalName: db}}",
        "{spec: {type: ExternalName, ports: [{port: 81}], externalName: db}}",
    ),
    "a list of local alone": (
        "{spec: {}}",
        EXTERNAL,
        service("NodePort", NODE_PORT),
        f"{{spec: {{type: ExternalName, ports: [{TWO_PORTS}], externalName: db}}}}",
        f"{{spec: {{type: NodePort, ports: [{NODE_PORT}]}}}}",
    ),
    "a list of update alone": (
        "{spec: {}}",
        service("NodePort", NODE_PORT),
        EXTERNAL,
        f"{{spec: {{type: NodePort, ports: [{NODE_PORT}]}}}}",
        f"{{spec: {{type: ExternalName, ports: [{TWO_PORTS}], externalName: db}}}}",
    ),
    "changed by local, gone in update": (
        service("NodePort", NODE_PORT),
        service("ClusterIP"),
        service("NodePort", "{port: 80}, {port: 81, nodePort: 30001, name: a}"),
        service("ClusterIP"),
        service("ClusterIP", "{port: 80}, {port: 81, name: a}"),
    ),
    "changed by update, gone in local": (
        service("NodePort", NODE_PORT),
        service("NodePort", "{port: 80}, {port: 81, nodePort: 30001, name: a}"),
        service("ClusterIP"),
        service("ClusterIP", "{port: 80}, {port: 81, name: a}"),
        service("ClusterIP"),
    ),
}


@pytest.mark.parametrize(
    ("origin", "update", "local", "updated", "kept"), PORTS_OF_ONE_SIDE.values(), ids=PORTS_OF_ONE_SIDE
)
def test_a_port_of_one_side_has_no_node_port_under_the_type_of_the_other(
    origin: str, update: str, local: str, updated: str, kept: str
) -> None:
    cases: list[tuple[OnConflict, str]] = [("TakeUpdate", updated), ("KeepLocal", kept)]
    for on_conflict, expected in cases:
        result = merged(origin, update, local, schema=SERVICE, policy=Policy(on_conflict))
        assert data(result.target) == data(tree(expected).root)


def test_a_list_of_which_nothing_stays_goes_with_its_elements() -> None:
    text = "{{a: [{{name: x, v: {}}}], b: 1}}"
    result = merged(text.format(1), "{b: 1}", text.format(2))
    assert (data(result.target), places(result)) == ({"b": 1}, ["a[name=x]"])


def test_an_empty_list_that_local_deleted_stays_away() -> None:
    sides = "{spec: {ports: [], type: ClusterIP}}", "{spec: {ports: [], type: NodePort}}", "{spec: {type: ClusterIP}}"
    result = merged(*sides, schema=SERVICE)
    assert (data(result.target), places(result)) == ({"spec": {"type": "NodePort"}}, [])


def test_a_list_that_origin_never_had_is_not_told_as_one_that_is_gone() -> None:
    assert merged("{spec: {}}", EXTERNAL, service("NodePort", NODE_PORT), schema=SERVICE).notes == []


FIELDS = {
    "the field and all below": (["a KeepLocal"], "{a: {b: 3, c: 3}, d: 2}"),
    "the longest wins": (["a.b TakeUpdate", "a KeepLocal"], "{a: {b: 2, c: 3}, d: 2}"),
    "the later of two that are as long": (["a.b KeepLocal", "a[*] TakeUpdate"], "{a: {b: 2, c: 2}, d: 2}"),
    "another field": (["e KeepLocal"], "{a: {b: 2, c: 2}, d: 2}"),
    "what is said of all": (["a.b -"], "{a: {b: 2, c: 2}, d: 2}"),
    "what is said of all that is called so": (["**.b KeepLocal"], "{a: {b: 3, c: 2}, d: 2}"),
    "what is said of all below": (["a.** KeepLocal", "**.d KeepLocal"], "{a: {b: 3, c: 3}, d: 3}"),
    "what is said of the field above": (["a KeepLocal", "a.b -"], "{a: {b: 3, c: 3}, d: 2}"),
}


@pytest.mark.parametrize(("fields", "expected"), FIELDS.values(), ids=FIELDS)
def test_policies_of_fields(fields: list[str], expected: str) -> None:
    policy = of_fields(fields=[policy_of(*field.split()) for field in fields])
    result = merged("{a: {b: 1, c: 1}, d: 1}", "{a: {b: 2, c: 2}, d: 2}", "{a: {b: 3, c: 3}, d: 3}", policy=policy)
    assert data(result.target) == data(tree(expected).root)


def policy_of(path: str, word: str) -> FieldPolicy:
    on_conflict = next((known for known in ON_CONFLICT if known == word), None)
    return FieldPolicy(fieldpath.parse(path), on_conflict=on_conflict)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("l[name=b].v", [2, 3]),
        ("l[0].v", [3, 2]),
        ("l[*]", [3, 3]),
        ("l.1", [2, 3]),
        ("l[v=3]", [3, 3]),
        ("l[x=3]", [2, 2]),
        ("**", [3, 3]),
        ("**.v", [3, 3]),
        ("l.**[name=b].v", [2, 3]),
    ],
)
def test_policies_of_elements(path: str, expected: list[int]) -> None:
    sides = (f"l: [{{name: a, v: {value}}}, {{name: b, v: {value}}}]" for value in (1, 2, 3))
    result = merged(*sides, policy=of_fields(fields=[policy_of(path, "KeepLocal")]))
    assert [element["v"] for element in data(result.target)["l"]] == expected


ENFORCED = {
    "what only local changed": ("a: 1", "a: 1", "a: 2", "a: 1"),
    "what both changed": ("a: 1", "a: 2", "a: 3", "a: 2"),
    "what local deleted": ("{a: 1}", "{a: 1}", "{}", "{a: 1}"),
    "what update deleted": ("{a: 1}", "{}", "{a: 2}", "{}"),
    "what is null": ("{a: 1}", "{a: null}", "{a: 2}", "{a: null}"),
    "what was null all along": ("{a: null}", "{a: null}", "{a: 2}", "{a: null}"),
    "what is local's alone": ("{}", "{}", "{a: 2}", "{a: 2}"),
    "what is below": ("a: {b: 1, c: 1}", "a: {b: 1}", "a: {b: 2, c: 2, d: 2}", "a: {b: 1, d: 2}"),
    "a keyed list": (
        "a: [{name: x, v: 1}]",
        "a: [{name: x, v: 1}]",
        "a: [{name: x, v: 2}, {name: y}]",
        "a: [{name: x, v: 1}, {name: y}]",
    ),
    "an atomic list": ("a: [1]", "a: [1]", "a: [1, 2]", "a: [1]"),
    "what is as it should be": ("a: 1", "a: 2", "a: 2", "a: 2"),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), ENFORCED.values(), ids=ENFORCED)
def test_an_enforced_field_follows_update(origin: str, update: str, local: str, expected: str) -> None:
    policy = of_fields(fields=[FieldPolicy(("a",), enforce=True)])
    result = merged(origin, update, local, policy=policy)
    assert data(result.target) == data(tree(expected).root)
    assert result.conflicts == []


def test_a_field_below_one_that_is_enforced_need_not_be() -> None:
    fields = [FieldPolicy(("a",), enforce=True), FieldPolicy(("a", "b"))]
    result = merged("a: {b: 1, c: 1}", "a: {b: 1, c: 1}", "a: {b: 2, c: 2}", policy=of_fields(fields=fields))
    assert data(result.target) == {"a": {"b": 2, "c": 1}}


def test_an_enforced_field_that_is_not_there_changes_nothing() -> None:
    sides = [tree(text) for text in ("{a: 1}", "{a: 1}", "{a: 2}")]
    policy = of_fields(fields=[FieldPolicy(("a", "b"), enforce=True)])
    assert merge_values(sides[0], sides[1], sides[2], CUSTOM, policy).target is sides[2].root


NOTES = {
    "4.3": (
        "{labels: {a: 1}}",
        "{}",
        "{labels: {a: 1, m: x, n: y}}",
        "labels: KeptAddition update no longer has this, but what local added to it stays: `m`, `n`",
    ),
    "local": (
        "{labels: {a: 1}}",
        "{labels: {a: 1, m: x}}",
        "{}",
        "labels: KeptAddition local no longer has this, but what update added to it stays: `m`",
    ),
    "a map of string maps": (
        "{selector: {matchLabels: {a: 1}}}",
        "{}",
        "{selector: {matchLabels: {a: 1, m: x}}}",
        "selector.matchLabels: KeptAddition update no longer has this, but what local added to it stays: `m`",
    ),
    "annotations, one of which is no text": (
        "{metadata: {annotations: {a: 1}}}",
        "{metadata: {}}",
        "{metadata: {annotations: {a: 1, m: {b: 1}}}}",
        "metadata.annotations: KeptAddition update no longer has this, but what local added to it stays: `m`",
    ),
    "4.4": (
        "{l: [{name: a}]}",
        "{}",
        "{l: [{name: a}, {name: m}]}",
        "l: KeptElements update no longer has this, but what local added to it stays: `m`",
    ),
    "texts of a set": (
        "{metadata: {finalizers: [a]}}",
        "{metadata: {}}",
        "{metadata: {finalizers: [a, m]}}",
        "metadata.finalizers: KeptElements update no longer has this, but what local added to it stays: `m`",
    ),
    "an element without its key": (
        "{metadata: {ownerReferences: [{uid: a}]}}",
        "{metadata: {}}",
        "{metadata: {ownerReferences: [{uid: a}, {name: m}]}}",
        "metadata.ownerReferences: KeptElements update no longer has this, but what local added to it stays: `{...}`",
    ),
    "nothing was added": ("{l: [{name: a}]}", "{}", "{l: [{name: a}]}", None),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), NOTES.values(), ids=NOTES)
def test_notes(origin: str, update: str, local: str, expected: str | None) -> None:
    assert told(merged(origin, update, local)) == ([] if expected is None else [expected])


def told(result: Merged) -> list[str]:
    return [f"{fieldpath.to_text(note.path)}: {note.reason} {note.detail}" for note in result.notes]


def test_notes_of_an_env() -> None:
    place = "spec.template.spec.containers[name=web].env"
    result = deployments(
        pods("[{name: A, value: a}, {name: B, value: b}]"),
        pods("[{name: A, value: a}, {name: B, value: $(A)}]"),
        pods("[{name: B, value: b}, {name: A, value: a}, {name: L, value: $(L2)}, {name: L2}, {name: A}]"),
    )
    assert told(result) == [
        f"{place}: DuplicateKeys local has several elements `A`",
        f"{place}: EnvReordered `A` was moved ahead of what refers to it",
        f"{place}: ForwardReference `L` refers to an entry below it",
    ]


@pytest.mark.parametrize(("style", "conflicts"), [("|", 0), (">", 1)])
def test_of_a_folded_text_lines_are_no_parts(style: str, conflicts: int) -> None:
    origin, update = (f"t: {style}\n  a: {a}\n\n  b\n\n  c: {c}\n" for a, c in ((1, 1), (2, 1)))
    result = merged(origin, update, 't: "a: 1\\n\\nb\\n\\nc: 2\\n"', policy=Policy("KeepLocal"))
    assert len(result.conflicts) == conflicts


@pytest.mark.parametrize(("kind", "conflicts"), [("StorageClass", []), ("", ["parameters"])])
def test_a_file_of_no_kind_may_mean_anything_by_parameters(kind: str, conflicts: list[str]) -> None:
    # In a pipeline of Azure they are what the template needs, and of no use one by one.
    sides = "parameters: {release: 1}", "parameters: {release: 1, kafka: 2}", "{}"
    result = merged(*sides, schema=Schema("", "v1" if kind else "", kind), policy=Policy("KeepLocal"))
    assert [fieldpath.to_text(conflict.path) for conflict in result.conflicts] == conflicts
    assert data(result.target) == ({} if conflicts else {"parameters": {"kafka": 2}})


def test_what_is_kept_is_no_addition_if_origin_had_it() -> None:
    sides = "{l: [{name: a, v: 1}]}", "{}", "{l: [{name: a, v: 2}, {name: m}]}"
    result = merged(*sides, policy=Policy("KeepLocal"))
    assert data(result.target) == data(tree(sides[2]).root)
    assert told(result) == ["l: KeptElements update no longer has this, but what local added to it stays: `m`"]


def test_an_env_that_is_none_of_a_container_may_have_any_order() -> None:
    sides = (
        "env: [{name: A, v: 1}, {name: B, value: b}]",
        "env: [{name: A, v: 1}, {name: B, value: $(A)}]",
        "env: [{name: B, value: b}, {name: A, v: 1}]",
    )
    origin, update, local = map(tree, sides)
    result = merge_values(origin, update, local, CUSTOM, Policy())
    assert [element["name"] for element in data(result.target)["env"]] == ["B", "A"]


DIRECTIVES = {
    "in update": ("l: [{name: a}]", "l: [{name: a, $patch: delete}]", "l: [{name: a}, {name: b}]"),
    "in origin": ("l: [{name: a}, {name: b}]\n$retainKeys: [l]", "l: [{name: a, $patch: delete}, {name: b}]", None),
    "in local": ("l: [{name: a}]", None, "l: [{name: a, $patch: delete}, {name: b}]"),
}


@pytest.mark.parametrize(("origin", "update", "local"), DIRECTIVES.values(), ids=DIRECTIVES)
def test_directives_are_data(origin: str, update: str | None, local: str | None) -> None:
    wanted = merged(origin, update or origin, local or origin).target
    assert data(wanted) == {"l": [{"name": "a", "$patch": "delete"}, {"name": "b"}]}


def shape(wanted: Target) -> str:
    """Return where each part of what is wanted comes from: `l` local's own node, `u` update's, with amended parts."""
    if isinstance(wanted, Graft):
        return "u" if wanted.amended is None else f"u{shape(wanted.amended)}"
    if isinstance(wanted, AmendedMapping):
        return "{" + " ".join(f"{key}:{shape(value)}" for key, value in wanted.entries.items()) + "}"
    if isinstance(wanted, AmendedSequence):
        return "[" + " ".join(map(shape, wanted.elements)) + "]"
    return "l"


SHAPES = {
    "nothing changes": ("a: 1", "a: 1", "a: 1", "l"),
    "one field": ("{a: 1, b: 1}", "{a: 2, b: 1}", "{a: 1, b: 1}", "{a:u b:l}"),
    "a new key stands where update has it": (
        "{a: 1, c: 1}",
        "{a: 1, b: 1, c: 1}",
        "{a: 1, c: 1}",
        "{a:l b:u c:l}",
    ),
    "an element": (
        "l: [{name: a}, {name: b}]",
        "l: [{name: a}, {name: b, v: 1}]",
        "l: [{name: a}, {name: b}]",
        "{l:[l {name:l v:u}]}",
    ),
    "an element of an atomic list": ("l: [1, 2]", "l: [2, 3]", "l: [1, 2]", "{l:[l u]}"),
    "a field in it": ("l: [{a: 1, b: 1}, 1]", "l: [{a: 1, b: 2}, 1]", "l: [{a: 1, b: 1}, 1]", "{l:[{a:l b:u} l]}"),
    "a field behind it": ("l: [1, {a: 1, b: 1}]", "l: [1, {a: 1, b: 2}]", "l: [1, {a: 1, b: 1}]", "{l:[l {a:l b:u}]}"),
    "a list that was empty": ("l: []", "l: [1]", "l: []", "{l:u}"),
    "a list that is empty": ("l: [1]", "l: []", "l: [1]", "{l:u}"),
    "a whole value": ("{}", "{a: {b: 1}}", "{}", "{a:u}"),
    "a part of a value": ("{labels: {a: 1}}", "{labels: {a: 1, b: 1}}", "{}", "{labels:u{b:l}}"),
    "a part of a list": ("{l: [{name: a}]}", "{l: [{name: a}, {name: b}]}", "{}", "{l:u[l]}"),
    "a new resource": (None, "a: 1", None, "u"),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), SHAPES.values(), ids=SHAPES)
def test_what_stays_are_locals_own_nodes(
    origin: str | None, update: str | None, local: str | None, expected: str
) -> None:
    assert shape(merged(origin, update, local).target) == expected


def test_a_deep_resource_is_merged() -> None:
    sides = ("{a: " * 199 + value + "}" * 199 for value in "123")
    assert places(merged(*sides)) == [".".join("a" * 199)]
