"""`strategy: Apply` against the real `kubectl apply`: on random triples, and in corners that these seldom meet.

In two things ours is another on purpose (docs/reference/merge.md, "As kubectl apply does"): in an element that comes in
new, nulls and what a patch deletes are left out, and directives in what is applied are refused. Where a cluster would
write the annotation for the first time, ours does not: it keeps it up to date only.
"""

from __future__ import annotations

import os
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from krm import fieldpath
from krm.merge.kinds.schema import Schema
from krm.merge.kubectl import godata, strategic
from krm.merge.kubectl.apply import apply, json_patch
from krm.merge.outcome import Refused
from krm.merge.trees import Tree
from krm.yamltree.editor import Editor
from tests.krm.merge import kubectl as real
from tests.krm.merge import sides, triples
from tests.krm.merge.kubectl import LAST_APPLIED, WITH_HISTORY, Triple

if TYPE_CHECKING:
    from collections.abc import Sequence

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kubectl")]

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
TIMES = 20 if NIGHTLY else 1
OTHERS = tuple(kind for kind in triples.SPECS if kind not in (*WITH_HISTORY, "Widget"))
NOBODY = {"name": "a", "namespace": "a"}


def drawn(seed: int, kinds: Sequence[str], number: int, twins: float = 0) -> list[Triple]:
    rng = Random(seed)  # noqa: S311 - for tests
    return [triples.triple(rng, kinds[index % len(kinds)], f"c{index}", twins) for index in range(number * TIMES)]


def schema(of: dict) -> Schema:
    group, _, version = of["apiVersion"].rpartition("/")
    return Schema(group, version, of["kind"])


def applied(triple: Triple) -> Any:
    """Return what ours makes of local, read from the text that it leaves."""
    editor = Editor(triples.text(triple.live))
    local = Tree(editor.text, editor.document.root)
    wanted = apply(sides.tree(None), sides.tree(triples.text(triple.update)), local, schema(triple.local)).target
    assert wanted is not None
    editor.amend((), wanted)
    return godata.data(editor.document.root)


def with_record_as_before(answer: dict, triple: Triple) -> dict:
    """Return an answer without the annotation that kubectl adds where there was none."""
    if triple.origin is None:
        annotations = answer["metadata"]["annotations"]
        del annotations[LAST_APPLIED]
        if not annotations and triple.local["metadata"].get("annotations") != {}:
            del answer["metadata"]["annotations"]
    return answer


def test_the_patch_is_the_one_that_kubectl_sends() -> None:
    cases = drawn(1, tuple(triples.SPECS), 3000)
    for triple, sent in zip(cases, real.patches(cases), strict=True):
        assert sent is not None
        before, now = configured(triple.origin or {}), configured(triple.update)
        record = sent.content["metadata"]["annotations"][LAST_APPLIED]
        if triple.origin is not None:
            assert godata.noted(now, now) == record
        now["metadata"]["annotations"][LAST_APPLIED] = record
        before = before if triple.origin else {}
        if sent.type == "merge":
            assert without_nulls_in_lists(json_patch(before, now, triple.live)) == sent.content, triple
        else:
            assert strategic.patch(before, now, triple.live, schema(triple.local).fact) == sent.content, triple


def without_nulls_in_lists(patch: dict) -> dict:
    """Return a JSON merge patch without nulls that say nothing: the server, too, takes a list as a whole."""
    return {
        key: without_nulls_in_lists(value) if isinstance(value, dict) else strategic.without_nulls(value)
        for key, value in patch.items()
    }


def configured(config: dict) -> dict:
    """Return what kubectl takes from a file: with annotations, of which one that is null is the empty text."""
    metadata = config.get("metadata", {})
    annotations = {key: value or "" for key, value in (metadata.get("annotations") or {}).items()}
    return {**config, "metadata": {**metadata, "annotations": annotations}}


def test_the_result_is_what_a_cluster_reads_after_the_patch() -> None:
    cases = [triple for triple in drawn(2, WITH_HISTORY, 600) if triple.origin]
    live = [triple.live for triple in cases]
    sent = [patch.content if patch else {} for patch in real.patches(cases)]
    mended = [without_leftovers(patch, triple.live) for patch, triple in zip(sent, cases, strict=True)]
    ours = [{"$patch": "replace", **applied(triple)} for triple in cases]
    for triple, (answer, its) in zip(cases, real.read(live, [*zip(mended, ours, strict=True)]), strict=True):
        assert its == answer, triple


def _without_leftovers(element: dict, live: dict | None) -> dict:
    if "$patch" in element:
        return element
    return strategic.without_nulls(element) if live is None else without_leftovers(element, live)


def without_leftovers(patch: dict, live: dict) -> dict:
    """Return a patch without the nulls and deletions in elements that are not in live: kubectl leaves them there."""
    found: dict[str, Any] = {}
    for name, value in patch.items():
        there = live.get(name)
        order = patch.get(f"$setElementOrder/{name}")
        if isinstance(value, dict) and isinstance(there, dict):
            found[name] = without_leftovers(value, there)
        elif order and isinstance(order[0], dict) and name in patch:
            (key,) = order[0]
            known = {element[key]: element for element in there or ()}
            found[name] = [_without_leftovers(element, known.get(element[key])) for element in value]
        elif there == [] and isinstance(value, list) and isinstance(value[0], dict):  # all new: kubectl gives no order
            found[name] = [_without_leftovers(element, None) for element in value]
        else:
            found[name] = value
    return found


def test_the_result_is_the_one_of_kubectl_patch() -> None:
    cases = drawn(3, OTHERS, 100)
    for triple, answer in zip(cases, real.applied(cases), strict=True):
        expected = with_record_as_before(strategic.without_nulls(answer), triple)
        assert applied(triple) == expected, triple


def test_the_result_of_a_json_merge_is_the_one_of_kubectl_patch() -> None:
    cases = drawn(4, ("Widget",), 1000)
    for triple, answer in zip(cases, real.applied(cases), strict=True):
        assert applied(triple) == with_record_as_before(answer, triple), triple


def test_lists_in_which_elements_are_twice_are_patched_and_refused_as_by_kubectl() -> None:
    cases = drawn(5, (*WITH_HISTORY, *OTHERS), 100, twins=0.15)
    refused = 0
    for triple, answer in zip(cases, real.answers(cases), strict=True):
        if answer is None:
            refused += 1
            with pytest.raises(Refused):
                applied(triple)
        else:
            expected = with_record_as_before(strategic.without_nulls(answer), triple)
            assert applied(triple) == expected, triple
    assert refused


def service(*ports: dict) -> dict:
    return {"apiVersion": "v1", "kind": "Service", "metadata": NOBODY, "spec": {"ports": [*ports]}}


def pod(**spec: Any) -> dict:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": NOBODY, "spec": spec}


def finalized(*finalizers: str) -> dict:
    return {**pod(), "metadata": {**NOBODY, "finalizers": [*finalizers]}}


def widget(**fields: Any) -> dict:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": NOBODY, **fields}


DNS = {"port": 53, "name": "dns"}
TCP = {"port": 53, "name": "dns-tcp", "protocol": "TCP"}
UDP = {"port": 53, "name": "dns-udp", "protocol": "UDP"}
WEB = {"port": 80, "name": "web"}
A, B, C, D, E = ({"name": name} for name in "abcde")
KEYS, OTHER_KEYS = ({"configMap": {"items": [{"key": key, "path": "p"}]}} for key in "kl")

CORNERS = {
    "two protocols, one port": Triple(service(DNS), service(TCP, UDP), service(DNS)),
    "two protocols, as before": Triple(service(TCP, UDP), service(TCP, UDP), service(TCP, UDP)),
    "the second of two protocols changes": Triple(
        service(TCP, UDP), service(TCP, {**UDP, "name": "x"}), service(TCP, UDP)
    ),
    "the first of two protocols goes": Triple(service(TCP, UDP), service(UDP), service(TCP, UDP)),
    "two protocols, nothing there": Triple(service(TCP), service(TCP, UDP), service()),
    "two protocols and a third port": Triple(service(WEB, UDP), service(TCP, WEB, UDP), service(UDP, TCP, WEB)),
    "three times one port": Triple(service(TCP, UDP), service(DNS, TCP, UDP), service(UDP, WEB, DNS)),
    "new elements come behind live ones after a deletion": Triple(
        pod(volumes=[A, B]), pod(volumes=[A, C]), pod(volumes=[A, B, D])
    ),
    "new elements come before live ones without one": Triple(
        pod(volumes=[A]), pod(volumes=[A, C]), pod(volumes=[A, D])
    ),
    "more is deleted than comes": Triple(pod(volumes=[A, B]), pod(volumes=[C]), pod(volumes=[D, A, E, B])),
    "an order alone": Triple(pod(volumes=[A, B]), pod(volumes=[B, A]), pod(volumes=[A, D, B, C])),
    "an empty list deletes what was applied": Triple(pod(volumes=[A]), pod(volumes=[]), pod(volumes=[A, B])),
    "no list deletes all": Triple(pod(volumes=[A]), pod(), pod(volumes=[A, B])),
    "one name twice, each with a list that is replaced": Triple(
        pod(volumes=[A, C]), pod(volumes=[{**A, **KEYS}, {**A, **OTHER_KEYS}]), pod(volumes=[A, A, C])
    ),
    "a map for a list": Triple(None, pod(nodeSelector={"a": "b"}), pod(nodeSelector=["a"])),
    "a null in a map": Triple(None, pod(nodeSelector={"a": None}), pod(nodeSelector={"a": "b", "c": "d"})),
    # Of `x-kubernetes-map-type` the patch knows nothing: what is atomic for a server is merged by its keys.
    "an atomic map": Triple(
        pod(nodeSelector={"a": "1", "b": "1"}),
        pod(nodeSelector={"a": "2", "b": "1"}),
        pod(nodeSelector={"a": "1", "b": "1", "c": "1"}),
    ),
    "an atomic struct": Triple(
        pod(containers=[{**A, "env": [{**A, "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}]}]),
        pod(containers=[{**A, "env": [{**A, "valueFrom": {"secretKeyRef": {"name": "t", "key": "k"}}}]}]),
        pod(containers=[{**A, "env": [{**A, "valueFrom": {"secretKeyRef": {"name": "s", "optional": True}}}]}]),
    ),
    "live null stays": Triple(None, pod(), pod(hostname=None)),
    "a null annotation is the empty text": Triple(
        None,
        {**pod(), "metadata": {**NOBODY, "annotations": {"a": "1", "b": None}}},
        {**pod(), "metadata": {**NOBODY, "annotations": {"b": "2"}}},
    ),
    "an empty list gets its first element": Triple(None, pod(containers=[A]), pod(containers=[])),
    "a list is emptied that was empty before": Triple(pod(volumes=[]), pod(volumes=[]), pod(volumes=[A])),
    "an element is twice in live": Triple(pod(volumes=[A, B]), pod(volumes=[A]), pod(volumes=[A, B, A])),
    "a finalizer is twice in live": Triple(
        finalized("a.io/x", "b.io/x"), finalized("b.io/x"), finalized("c.io/x", "b.io/x", "c.io/x")
    ),
    "two finalizers are twice in live": Triple(
        finalized(), finalized("d.io/x"), finalized("a.io/x", "b.io/x", "b.io/x", "a.io/x", "c.io/x")
    ),
    "json: a null in a map over a scalar": Triple(widget(a={"b": None}), widget(a={"b": None}), widget(a=1)),
    "json: the same, applied for the first time": Triple(widget(), widget(a={"b": None}), widget(a=1)),
    "json: an explicit empty map": Triple(widget(), widget(a={}), widget(a=1)),
    "json: a null that was applied before deletes nothing": Triple(widget(a=None), widget(a=None), widget(a=1)),
    "json: a null in a list stays, one in its maps goes": Triple(widget(), widget(a=[None, {"b": None}]), widget()),
}  # fmt: skip


def test_corners_are_kubectls() -> None:
    cases = [_named(triple, f"c{index}") for index, triple in enumerate(CORNERS.values())]
    for name, triple, answer in zip(CORNERS, cases, real.applied(cases), strict=True):
        assert applied(triple) == with_record_as_before(answer, triple), name


def _named(triple: Triple, name: str) -> Triple:
    def renamed(of: dict) -> dict:
        return {**of, "metadata": {**of["metadata"], "name": name, "namespace": name}}

    return Triple(triple.origin and renamed(triple.origin), renamed(triple.update), renamed(triple.local))


def test_kubectl_leaves_nulls_and_deletions_in_new_elements_and_ours_does_not() -> None:
    def containers(*of: dict) -> dict:
        return pod(containers=[*of])

    web = {"name": "web", "image": None, "env": [{"name": "A", "value": "1"}]}
    origin = containers({"name": "web", "env": [{"name": "A"}, {"name": "B"}]})
    triple = Triple(origin, containers(web), containers({"name": "mine"}))
    (answer,) = real.applied([triple])
    (theirs, _), (ours, _) = answer["spec"]["containers"], applied(triple)["spec"]["containers"]
    left = {
        "$setElementOrder/env": [{"name": "A"}],
        "env": [{"name": "A", "value": "1"}, {"name": "B", "$patch": "delete"}],
        "image": None,
    }
    assert theirs == {"name": "web", **left}
    assert ours == {"name": "web", "env": [{"name": "A", "value": "1"}]}


@pytest.mark.parametrize(
    ("triple", "theirs", "place", "ours"),
    [
        (
            Triple(finalized("d.io/x"), finalized("a.io/x", "b.io/x", "a.io/x"), finalized("c.io/x")),
            "The order in patch list:\n[a.io/x a.io/x b.io/x]\n doesn't match $setElementOrder list",
            "metadata.finalizers",
            "an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once",
        ),
        (
            Triple(None, pod(volumes=[A]), pod(volumes=[{"emptyDir": {}}])),
            "map: map[emptyDir:map[]] does not contain declared merge key: name",
            "spec.volumes[0]",
            "this element needs a `name`: kubectl tells the elements of the list apart by it",
        ),
        (
            Triple(None, pod(volumes=[A]), pod(volumes=[B, "c"])),
            "list element types are not identical",
            "spec.volumes",
            "this list must have mappings alone, or scalars alone: kubectl merges no other",
        ),
    ],
)
def test_what_kubectl_refuses_is_refused(triple: Triple, theirs: str, place: str, ours: str) -> None:
    assert theirs in real.refusal(triple)
    with pytest.raises(Refused) as refused:
        applied(triple)
    assert (fieldpath.to_text(refused.value.path), str(refused.value)) == (place, ours)


def test_what_a_cluster_refuses_is_refused() -> None:
    """kubectl sends an element without its key where live has none; the cluster then refuses the patch."""
    triple = Triple(None, pod(containers=[{"image": "x"}]), pod(containers=[]))
    with pytest.raises(AssertionError, match="does not contain declared merge key: name"):
        real.applied([triple])
    with pytest.raises(Refused, match="needs a `name`: kubectl tells"):
        applied(triple)


PLAIN = """
1 1.0 1e16 1e-5 1e-7 1.5e-7 1e20 1e21 1.5 0.1 1. .5 123456.789e3 0.0000012 5e-324 1.7976931348623157e308 1e400 -0.0
9223372036854775807 9223372036854775808 18446744073709551616 -9223372036854775809 100000000000000000000.5 1e-6
0777 08 0o17 0o8 0x1F -0x1F 0b11 1_000 1_0.5 1__0 _1 +1 -0 1E5 1e+5 1:20 190:20:30 12345678.9 1e15 123e-20
~ null Null NULL nULL TRUE True yes no on off y n Y N = 2001-01-01 2001-01-01T00:00:00Z
"""
TAGGED = ("!!str 1", "!!int '1'", "!!float 1", "!!bool 'yes'", "! 1", "'1'", '"true"')
ESCAPED = ("'a<b>&c'", r'"\b\f\n\t\u2028\u2029\x7f\x01\U0001F600\e\"\\ \u00e9"')


def test_scalars_are_written_as_kubectl_writes_them() -> None:
    scalars = [*PLAIN.split(), *TAGGED, *ESCAPED]
    config = f"{triples.text(widget())}v: [{', '.join(scalars)}]\n'k<': 1\n"
    now = configured(godata.data(sides.tree(config).root))
    assert godata.noted(now, now) == real.remembered(config, widget())
