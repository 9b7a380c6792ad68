"""Where a run is in place, which fields still say what was rendered, and what goes with the last entry."""

from __future__ import annotations

import pytest

from expand_vars.record import KEY, fields
from krm.hashes import of_text
from krm.resource import Resource
from tests.expand_vars.expansion.running import indented, pod, run

IN_PLACE = {
    "internal.config.kubernetes.io/path: a.yaml, internal.config.kubernetes.io/id: '1'": True,
    "config.kubernetes.io/path: a.yaml, config.k8s.io/id: '1'": True,
    "config.kubernetes.io/path: a.yaml": False,
    "config.k8s.io/id: '1'": False,
    "kustomize.config.k8s.io/id: x": False,
    "config.kubernetes.io/path: a.yaml, kustomize.config.k8s.io/id: x": False,
    "config.kubernetes.io/path: a.yaml, note: 'no config.k8s.io/id: here'": False,
    "config.k8s.io/id: '1', note: 'no config.kubernetes.io/path: here'": False,
    "": False,
}
VARIABLES = "variables: [{name: A, value: x}]\n"
ALWAYS = f"{VARIABLES}record: Always\n"
RECORD = rf"""
annotations:
  {KEY}: |
    spec.containers[name=app].args[0]:
      {of_text("old")} "\u0024(A)"
""".lstrip()


def item(annotations: str) -> Resource:
    text = f"apiVersion: v1\nkind: Pod\nmetadata: {{annotations: {{{annotations}}}}}\n"
    return Resource(text, (0, len(text)), "items[0]")


@pytest.mark.parametrize("annotations", IN_PLACE)
def test_where_a_run_is_in_place(annotations: str) -> None:
    assert fields.is_in_place([item(""), item(annotations)]) is IN_PLACE[annotations]


@pytest.mark.parametrize("record", ["Auto", "Never"])
def test_items_from_nowhere_get_no_annotation(record: str) -> None:
    given = pod("args: [$(A)]")
    assert run(given, spec=f"{VARIABLES}record: {record}\n").text == given.replace("$(A)", "x")


def test_the_annotation_goes_and_what_it_was_alone_in() -> None:
    plain = pod("args: [old]")
    assert run(pod("args: [old]", RECORD), spec=VARIABLES).text == plain.replace("old]", "x]")
    assert run(pod("args: [own]", RECORD), spec=VARIABLES).text == plain.replace("old]", "own]")


def test_other_annotations_stay_with_their_comments() -> None:
    other = "annotations:\n  # Mine.\n  note: mine # as well\n"
    given = pod("args: [old]", other + RECORD.partition("\n")[2])
    assert run(given, spec=VARIABLES).text == pod("args: [x]", other)


def test_a_record_elsewhere_is_none() -> None:
    given = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{indented(RECORD, 2)}"
    assert run(given, spec=VARIABLES).text == given


@pytest.mark.parametrize("written", ["[old]", '["old"]', "[!!str old]", "\n- >-\n  old\n"])
def test_a_text_is_the_same_however_it_is_written(written: str) -> None:
    ran = run(pod(f"args: {written}", RECORD), spec=ALWAYS)
    assert ran.container["args"] == ["x"]


@pytest.mark.parametrize("written", ["[[old]]", "[]", "old", "{a: old}", "[{old: old}]"])
def test_a_list_of_another_shape_is_the_users(written: str) -> None:
    ran = run(pod(f"args: {written}", RECORD), spec=VARIABLES)
    assert (ran.text, ran.reasons) == (pod(f"args: {written}"), ["UnusedVariable", "EditedByHand"])


@pytest.mark.parametrize("written", ["[8080]", "[null]", "[1.10]", "[yes]"])
def test_what_is_no_string_is_not_what_was_rendered_as_one(written: str) -> None:
    value = written.strip("[]")
    given = pod(f"args: {written}", RECORD.replace(of_text("old"), of_text(value)))
    ran = run(given, spec=ALWAYS)
    assert f"args: {written}" in ran.text
    assert ran.reasons == ["UnusedVariable", "EditedByHand"]


def test_a_merged_in_field_has_its_record_where_it_is_shown() -> None:
    shared = "- name: base\n    args: &args [$(A)]\n  - name: app\n    args: *args\n"
    given = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  {shared}"
    once = run(given, spec=ALWAYS).text
    assert "&args [x]" in once
    assert once.count(of_text("x")) == 2
    assert run(once, spec=ALWAYS).text == once
    again = run(once, spec=ALWAYS.replace("x", "z")).text
    assert "&args [z]" in again
    assert "args: *args" in again


def test_json_stays_json() -> None:
    given = '{"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "app", "args": ["$(A)"]}]}}'
    once = run(given, spec=ALWAYS).text
    assert '"args": ["x"]' in once
    assert run(once, spec=ALWAYS.replace("x", "z")).container["args"] == ["z"]


RESTORED = pod("args: [$(A), own, '--at=$(A)'] # mine", "labels: {tier: $(B)}")


def test_all_templates_can_be_put_back() -> None:
    spec = "variables: [{name: A, value: x}, {name: B, value: two}]\ntargets: [{preset: Labels}]\nrecord: Always\n"
    once = run(RESTORED, spec=spec).text
    item = Resource(once, (0, len(once)), "it")
    assert fields.restore(item) == []
    assert item.text == RESTORED
    assert fields.restore(item) == []


def test_a_reference_whose_value_needed_quotes_keeps_them() -> None:
    """Nobody remembers whether it had them: the text is the same to every reader."""
    spec = "variables: [{name: A, value: '1'}]\nrecord: Always\n"
    written = {style: pod(f"args: [{style.format('$(A)')}]") for style in ("{}", "'{}'", '"{}"')}
    back = {}
    for style, text in written.items():
        once = run(text, spec=spec).text
        item = Resource(once, (0, len(once)), "it")
        fields.restore(item)
        back[style] = item.text
    assert back == written | {"{}": written['"{}"']}


def test_what_was_changed_by_hand_stays_when_templates_are_put_back() -> None:
    text = run(pod("args: [$(A), '--at=$(A)']"), spec=ALWAYS).text.replace("[x,", "[mine,")
    item = Resource(text, (0, len(text)), "it")
    assert [entry.path[-1] for entry in fields.restore(item)] == [0]
    assert item.text == pod("args: [mine, '--at=$(A)']")


def test_a_generated_resource_has_the_options_of_its_own_functionconfig_alone() -> None:
    """That one says all about it: an option that it no longer gives has its default again."""
    template = pod("args: ['$$(HOME) in $(REGION)']")
    spec = f"variables: [{{name: REGION, value: eu}}]\ntemplates:\n- {indented(template, 2).lstrip()}"
    first = run(pod("args: []").replace("web", "z"), spec=f"{spec}escapes: Unescape\n").text
    assert "args: ['$(HOME) in eu']" in first
    second = run(first, spec=spec).text
    assert "args: ['$$(HOME) in eu']" in second
    assert "option" not in first + second


@pytest.mark.parametrize("is_in_place", [False, True])
def test_record_never_leaves_a_run_in_place_what_it_knows_of_its_own_resources(*, is_in_place: bool) -> None:
    """In a pipe nothing is to be left; in place the next run has to find, merge and prune what it generated."""
    path = "annotations: {config.kubernetes.io/path: z.yaml, internal.config.kubernetes.io/id: '1'}"
    other = pod("args: []", path if is_in_place else "").replace("web", "z")
    generated = indented(pod("args: [$(REGION)]"), 2).lstrip()
    spec = f"record: RECORD\nvariables: [{{name: REGION, value: eu}}]\ntemplates:\n- {generated}"
    remembered = run(other, spec=spec.replace("RECORD", "Always")).text
    assert "expandvars.dev/references" in remembered
    text = run(remembered, spec=spec.replace("RECORD", "Never")).text
    assert "expandvars.dev/references" not in text
    assert ("expandvars.dev/last-generated" in text, "expandvars.dev/generated-by" in text) == (is_in_place,) * 2


EMPTY = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n  annotations: {}\nspec: {containers: [{args: ['$(X)']}]}\n"
EXPANDED = EMPTY.replace("$(X)", "1")
ANNOTATED = EXPANDED.replace("annotations: {}", "annotations:\n    a: b")
ALONE = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {containers: [{args: ['$(X)']}]}\n"


@pytest.mark.parametrize(
    ("text", "change", "left"),
    [
        (EMPTY, ("", ""), EXPANDED),
        (ALONE, ("", ""), ALONE.replace("$(X)", "1")),
        (EMPTY, ("  annotations:\n", "  annotations:\n    a: b\n"), ANNOTATED),
        (EMPTY, ("  annotations:\n", "  annotations:\n    a:\n"), ANNOTATED.replace(" b", "")),
        (EMPTY, ("metadata.annotations", "metadata.labels"), ALONE.replace("$(X)", "1")),
    ],
)
def test_annotations_that_were_there_before_the_record_stay(text: str, change: tuple[str, str], left: str) -> None:
    spec = "variables: [{name: X, value: '1'}]\nrecord: "
    once = run(text, spec=f"{spec}Always").text
    twice = run(once, spec=f"{spec}Always").text
    assert twice == once
    assert run(once.replace(*change) if all(change) else once, spec=f"{spec}Never").text == left
