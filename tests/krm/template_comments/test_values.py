"""docs/reference/runs-in-place.md, "What a name gets" and "What becomes of your edit"."""

from __future__ import annotations

import pytest

from krm import resourcelist, syntax
from krm.template_comments import writing
from krm.template_comments.patterns import Pattern
from tests.expand_vars.expansion.running import config_map, pod, run
from tests.krm.template_comments.texts import HEAD, thing


def after(spec: str, *arguments: tuple[str, str], more: str = "") -> tuple[str, list[str]]:
    """Return the spec that comes out, and the warnings and infos but for unused variables."""
    ran = run(thing(spec), spec=f"record: Always\nunresolved: Ignore\n{more}", arguments=arguments)
    return ran.text.removeprefix(HEAD), [reason for reason in ran.reasons if reason != "UnusedArgument"]


FREE = """\
  a:
  # expand: - |
  #   x $(A)
  - |
    1
    x VALUE
  # expand: - |
  #   x $(A)
  - |
    2
    x VALUE
"""
TARGET = "targets: [{select: {kind: Thing}, fieldPaths: [spec.a]}]"
FOLLOWS = {
    "a declared value counts": ("  a: x-eu # expand: x-$(A)\n", "  a: x-us # expand: x-$(A)\n", ["ValueChanged"]),
    "another shape stays": ("  a: y-eu # expand: x-$(A)\n", None, ["EditedByHand"]),
    "brackets of another shape stay": ("  # expand: a: [x, $(A)]\n  a: [x, y, eu]\n", None, ["EditedByHand"]),
    "of brackets what is of the shape follows": (
        "  # expand: a: [$(A), x-$(B)]\n  a: [eu, z]\n",
        "  # expand: a: [$(A), x-$(B)]\n  a: [us, z]\n",
        ["ValueChanged"],
    ),
    "a new reference in brackets has no room beside another template": (
        "  # expand: a: [$(A), x-$(B)]\n  a: [eu, $(A)]\n",
        "  # expand: a: [$(A), x-$(B)]\n  a: [us, $(A)]\n",
        ["NoRoomForReference", "ValueChanged"],
    ),
    "a value of several lines changes no block that tells its lines apart": (
        "  # expand: a: |\n  #   x $(LINES)\n  a: |\n    x 0\n    y\n",
        None,
        ["NoRoomForReference"],
    ),
    "brackets with another text stay": ("  # expand: a: [x, $(A)]\n  a: [y, eu]\n", None, ["EditedByHand"]),
    "brackets with another key stay": ("  # expand: a: {x: $(A)}\n  a: {y: eu}\n", None, ["EditedByHand"]),
    "a text in the place of brackets is no field of a template": (
        "  # expand: a: [$(A)]\n  a: eu\n",
        None,
        ["UnplacedTemplate"],
    ),
    "a mapping in brackets that holds a list now": (
        "  # expand: a: {x: $(A)}\n  a: {x: [eu]}\n",
        None,
        ["EditedByHand"],
    ),
    "a new reference is a new template": (
        "  a: y-$(A) # expand: x-$(B)\n",
        "  a: y-us # expand: y-$(A)\n",
        [],
    ),
    "another name in the shape is a new template": (
        "  a: x-$(A) # expand: x-$(B)\n",
        "  a: x-us # expand: x-$(A)\n",
        [],
    ),
    "a new reference without a value leaves all": ("  a: y-$(Z) # expand: x-$(A)\n", None, ["EditedByHand"]),
    "another name in the shape without a value leaves all": ("  a: x-$(Z) # expand: x-$(A)\n", None, ["EditedByHand"]),
    "a new reference without a value leaves what has none either": (
        "  a: x-$(Z) # expand: x-$(B)\n",
        None,
        ["KeptLastValue"],
    ),
    "a kept text may have a reference": (
        "  a: $(Z)-eu # expand: $(B)-$(A)\n",
        "  a: $(Z)-us # expand: $(B)-$(A)\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "a name without a value stays": ("  a: eu-1 # expand: $(B)-$(N)\n", None, ["KeptLastValue", "KeptLastValue"]),
    "two names of which one has a value": (
        "  a: eu-1 # expand: $(A)-$(N)\n",
        "  a: us-1 # expand: $(A)-$(N)\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "a repeated name that has the literal in its text": (
        "  a: eu-west-b-eu-west # expand: $(A)-$(N)-$(A)\n",
        "  a: us-b-us # expand: $(A)-$(N)-$(A)\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "a repeated name with two readings": ("  a: 1-1-1-1-1 # expand: $(A)-$(N)-$(A)\n", None, ["AmbiguousText"]),
    "a value of this run tells about a repeated name": (
        "  a: ususy # expand: $(A)$(A)$(N)\n",
        None,
        ["KeptLastValue"],
    ),
    "a name that a line below alone tells": (
        "  # expand: a: |\n  #   $(A)-$(N)\n  #   $(A)\n  #   $(N)-x\n  a: |\n    a-b-c-d\n    a-b\n    c-d-x\n",
        "  # expand: a: |\n  #   $(A)-$(N)\n  #   $(A)\n  #   $(N)-x\n  a: |\n    us-c-d\n    us\n    c-d-x\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "an ambiguous text stays": ("  a: a-b-c # expand: $(A)-$(B)\n", None, ["AmbiguousText"]),
    "a text follows if what has no value stands there as its reference": (
        "  a: eu-eu-a-$(Z) # expand: $(A)-$(PI)-$(Z)\n",
        "  a: us-3.14-$(Z) # expand: $(A)-$(PI)-$(Z)\n",
        [],
    ),
    "a name in a line of a block that is not the template's does not count": (
        "  # expand: a: |\n  #   x $(A)-$(PI)\n  a: |\n    now=$(date)\n    x eu-eu-a\n",
        "  # expand: a: |\n  #   x $(A)-$(PI)\n  a: |\n    now=$(date)\n    x us-3.14\n",
        [],
    ),
    "an ambiguous text stays if one name has neither": (
        "  a: eu-eu-a-b-$(Z) # expand: $(A)-$(PI)-$(B)-$(Z)\n",
        None,
        ["AmbiguousText"],
    ),
    "an empty value tells nothing": ("  a: web-dev # expand: $(B)$(EMPTY)\n", None, ["AmbiguousText"]),
    "an empty value beside a value of this run": ("  a: us # expand: $(A)$(EMPTY)\n", None, []),
    "an empty value beside a name that another field tells": (
        "  a: web-dev # expand: $(B)$(EMPTY)\n  b: web # expand: $(B)\n",
        "  a: web # expand: $(B)$(EMPTY)\n  b: web # expand: $(B)\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "all readings have a name in one place": (
        "  a: r.io/b/c:eu # expand: $(X)/$(B):$(A)\n",
        "  a: r.io/b/c:us # expand: $(X)/$(B):$(A)\n",
        ["KeptLastValue", "KeptLastValue", "ValueChanged"],
    ),
    "all readings have a name in one place, though other fields say what none of them says": (
        "  a: r.io/b/c:eu # expand: $(X)/$(B):$(A)\n  b: x # expand: $(X)\n  c: y # expand: $(B)\n",
        "  a: r.io/b/c:us # expand: $(X)/$(B):$(A)\n  b: x # expand: $(X)\n  c: y # expand: $(B)\n",
        ["KeptLastValue", "KeptLastValue", "ValueChanged"],
    ),
    "a name has its text at two places": ("  a: x-eu-eu-y # expand: $(X)-$(A)-$(B)\n", None, ["AmbiguousText"]),
    "a repeated name beside two readings": (
        "  a: r/b/c:eu:eu # expand: $(X)/$(B):$(A):$(A)\n",
        None,
        ["AmbiguousText"],
    ),
    "an ambiguous text without a value is not told": ("  a: a-b-c # expand: $(X)-$(B)\n", None, []),
    "a value of this run tells": ("  a: us-b-c # expand: $(A)-$(B)\n", None, ["KeptLastValue"]),
    "a name that stands there itself tells": (
        "  a: $(B)-b-c # expand: $(B)-$(A)\n",
        "  a: $(B)-us # expand: $(B)-$(A)\n",
        ["ValueChanged"],
    ),
    "another field tells": (
        "  a: b-c-eu # expand: $(B)-$(A)\n  b: b-c # expand: $(B)\n",
        "  a: b-c-us # expand: $(B)-$(A)\n  b: b-c # expand: $(B)\n",
        ["KeptLastValue", "ValueChanged"],
    ),
    "other fields tell only if they tell all that has no value": (
        "  a: 1-b-c-d # expand: $(A)-$(B)-$(C)\n  b: b # expand: $(B)\n",
        None,
        ["AmbiguousText", "KeptLastValue"],
    ),
    "a value of this run and another field that tell different texts tell nothing": (
        "  a: xusy # expand: x$(A)$(B)y\n  b: us # expand: $(B)\n",
        None,
        ["AmbiguousText", "KeptLastValue"],
    ),
    "a value of this run and another field that tell the same": (
        "  a: xusuy # expand: x$(A)$(B)y\n  b: u # expand: $(B)\n",
        None,
        ["KeptLastValue"],
    ),
    "other fields that disagree tell nothing": (
        "  a: b-c-eu # expand: $(B)-$(A)\n  b: b-c # expand: $(B)\n  c: b # expand: $(B)\n",
        None,
        ["AmbiguousText", "KeptLastValue"],
    ),
    "a field that others tell about tells nothing itself": (
        "  a: b-c-eu # expand: $(B)-$(A)\n  b: b-c # expand: $(B)\n  c: b-c-eu-x # expand: $(B)-$(A)-$(C)\n",
        "  a: b-c-us # expand: $(B)-$(A)\n  b: b-c # expand: $(B)\n  c: b-c-eu-x # expand: $(B)-$(A)-$(C)\n",
        ["AmbiguousText", "KeptLastValue", "ValueChanged"],
    ),
    "a reference that stands for a name in another field tells nothing": (
        "  a: b-c-eu # expand: $(B)-$(A)\n  b: $(B) # expand: $(B)\n",
        None,
        ["AmbiguousText"],
    ),
    "a number that becomes text": (
        "  a: 2 # expand: $(A)\n",
        "  a: us # expand: $(A)\n",
        ["TypeChanged", "ValueChanged"],
    ),
    "text that becomes a number": (
        "  a: 3.13.2 # expand: $(PI)\n",
        "  a: 3.14 # expand: $(PI)\n",
        ["TypeChanged", "ValueChanged"],
    ),
    "text that stays text, in quotes": (
        '  a: 3.13.2 # expand: "$(PI)"\n',
        '  a: "3.14" # expand: "$(PI)"\n',
        ["ValueChanged"],
    ),
    "a number that another one follows": ("  a: 3 # expand: $(PI)\n", "  a: 3.14 # expand: $(PI)\n", ["ValueChanged"]),
    "a reference that somebody put back was of no type": (
        "  a: $(PI) # expand: $(PI)\n",
        "  a: 3.14 # expand: $(PI)\n",
        [],
    ),
    "a name twice has one text": (
        "  a: eu/eu # expand: $(A)/$(A)\n",
        "  a: us/us # expand: $(A)/$(A)\n",
        ["ValueChanged"],
    ),
    "a name twice with two texts is another shape": ("  a: eu/jp # expand: $(A)/$(A)\n", None, ["EditedByHand"]),
    "fields that differ are named": (
        "  a: eu # expand: $(A)\n  b: eu # expand: $(A)\n  c: jp # expand: $(A)\n",
        "  a: us # expand: $(A)\n  b: us # expand: $(A)\n  c: us # expand: $(A)\n",
        ["ValueChanged", "ValuesDiffered"],
    ),
    "a copied template goes to none if no text tells": (
        "  a:\n  - eu # expand: $(A)\n  - jp # expand: $(A)\n",
        None,
        ["TemplateDoubled"],
    ),
    "a copied template goes to the text that stands for the name elsewhere": (
        "  a:\n  - eu # expand: $(A)\n  - jp # expand: $(A)\n  b: eu # expand: $(A)\n",
        "  a:\n  - us # expand: $(A)\n  - jp # expand: $(A)\n  b: us # expand: $(A)\n",
        ["TemplateDoubled", "ValueChanged"],
    ),
    "a copied template goes to the value of this run": (
        "  a:\n  - us # expand: $(A)\n  - jp # expand: $(A)\n",
        None,
        ["TemplateDoubled"],
    ),
    "elements whose texts all stand for the name follow": (
        "  a:\n  - us # expand: $(A)\n  - jp # expand: $(A)\n  b: jp # expand: $(A)\n",
        "  a:\n  - us # expand: $(A)\n  - us # expand: $(A)\n  b: us # expand: $(A)\n",
        ["ValueChanged"],
    ),
    "the same template with the same text is no copy": (
        "  a:\n  - eu # expand: $(A)\n  - eu # expand: $(A)\n",
        "  a:\n  - us # expand: $(A)\n  - us # expand: $(A)\n",
        ["ValueChanged"],
    ),
    "a template that is put back beside its copy is expanded": (
        "  a:\n  - $(A) # expand: $(A)\n  - eu # expand: $(A)\n",
        "  a:\n  - us # expand: $(A)\n  - us # expand: $(A)\n",
        ["ValueChanged"],
    ),
    "a reference twice in the place of one is a new template": (
        "  a: x-$(A)-$(A) # expand: x-$(A)\n",
        "  a: x-us-us # expand: x-$(A)-$(A)\n",
        [],
    ),
    "blocks of one list with different templates are no copies": (
        "  a:\n  # expand: - |\n  #   x $(A)\n  - |\n    x eu\n  # expand: - |\n  #   y $(A)\n  - |\n    y jp\n",
        "  a:\n  # expand: - |\n  #   x $(A)\n  - |\n    x us\n  # expand: - |\n  #   y $(A)\n  - |\n    y us\n",
        ["ValueChanged", "ValuesDiffered"],
    ),
    "blocks of one list with different free lines are no copies": (
        FREE.replace("VALUE", "eu"),
        FREE.replace("VALUE", "us"),
        ["ValueChanged"],
    ),
    "a block whose lines are alike": (
        "  # expand: a: |\n  #   $(A) {\n  a: |\n    x {\n    y {\n",
        None,
        ["AmbiguousText"],
    ),
    "a block without the line": ("  # expand: a: |\n  #   $(A) {\n  a: |\n    x\n", None, ["EditedByHand"]),
    "a block with other lines": (
        "  # expand: a: |\n  #   $(A) {\n  #   $(A) }\n  a: |\n    z\n    eu {\n    y\n    eu }\n",
        "  # expand: a: |\n  #   $(A) {\n  #   $(A) }\n  a: |\n    z\n    us {\n    y\n    us }\n",
        ["ValueChanged"],
    ),
    "a block with two names in a line": (
        "  # expand: a: |\n  #   $(A)$(B)\n  a: |\n    eu1\n",
        None,
        ["AmbiguousText"],
    ),
    "a block whose last lines would be read otherwise": (
        "  # expand: a: |\n  #   x$(A)\n  #   y$(A)\n  a: |\n    x1\n    y1\n    y2\n",
        "  # expand: a: |\n  #   x$(A)\n  #   y$(A)\n  a: |\n    xus\n    yus\n    y2\n",
        ["ValueChanged"],
    ),
    "a block whose first lines would be read otherwise": (
        "  # expand: a: |\n  #   x$(A)\n  #   y$(A)\n  a: |\n    x2\n    x1\n    y1\n",
        "  # expand: a: |\n  #   x$(A)\n  #   y$(A)\n  a: |\n    x2\n    xus\n    yus\n",
        ["ValueChanged"],
    ),
    "a line with another reference is a new template of a block": (
        "  # expand: a: |\n  #   x$(A)\n  a: |\n    y$(A)\n",
        "  # expand: a: |\n  #   y$(A)\n  a: |\n    yus\n",
        [],
    ),
    "an address of a Service in another field tells nothing": (
        "  a: b-c-eu # expand: $(B_SERVICE_HOST)-$(A)\n  b: b-c # expand: $(B_SERVICE_HOST)\n",
        None,
        ["AmbiguousText", "KeptLastValue"],
    ),
    "an escape of a declared name alone": ("  a: $(A) $$5 # expand: $$(A) $$5\n", None, []),
    "an escape that another run made": (
        "  a: $(B) eu $$ # expand: $$(B) $(A) $$\n",
        "  a: $(B) us $$ # expand: $$(B) $(A) $$\n",
        ["ValueChanged"],
    ),
    "escapes of two names, one declared": (
        "  a: $(A) $$(B) eu # expand: $$(A) $$(B) $(A)\n",
        "  a: $(A) $$(B) us # expand: $$(A) $$(B) $(A)\n",
        ["ValueChanged"],
    ),
    "an escape": ("  a: $(B)-eu # expand: $$(B)-$(A)\n", "  a: $(B)-us # expand: $$(B)-$(A)\n", ["ValueChanged"]),
}


def test_a_value_with_a_reference_is_followed_by_another() -> None:
    """Whose value has a reference today may have had another one: that is no template of somebody's."""
    first, _ = after("  a: x-$(A)\n", ("A", "$(Z)-1"), more=TARGET)
    assert first == "  a: x-$(Z)-1 # expand: x-$(A)\n"
    assert after(first, ("A", "$(Z)-2"))[0] == "  a: x-$(Z)-2 # expand: x-$(A)\n"
    assert after(first, ("A", "$(Z)-1"))[0] == first
    assert after(first, ("A", "2")) == (first, ["EditedByHand"])


@pytest.mark.parametrize("case", FOLLOWS)
def test_what_a_field_gets(case: str) -> None:
    written, expected, reasons = FOLLOWS[case]
    text, told = after(written, ("A", "us"), ("PI", "3.14"), ("EMPTY", ""), ("LINES", "1\n2"))
    assert (text, sorted(told)) == (written if expected is None else expected, reasons)


def test_a_second_reference_of_a_block_is_added_to_its_comment() -> None:
    written = "  # expand: a: |\n  #   x $(A)\n  a: |\n    x eu\n    $(B)\n"
    text, _ = after(written, ("B", "1"))
    assert text == "  # expand: a: |\n  #   x $(A)\n  #   $(B)\n  a: |\n    x eu\n    1\n"


def test_a_comment_goes_where_the_template_stands_again() -> None:
    item = pod("args:\n- --a=x # expand: --a=$(A)")
    ran = run(item, spec="inline: [Literals]\nvariables: [{name: A, value: x}]\nrecord: Always")
    assert ran.text == pod("args:\n- --a=$(A)")
    assert run(item, spec="record: Never", arguments=[("A", "y")]).text == pod("args:\n- --a=y")


def test_references_without_a_value_stay_beside_an_escape() -> None:
    item = pod("args:\n- usus$(X)$$(A) # expand: $(A)$(A)$(X)$$(A)")
    assert run(item, spec="record: Always\nunresolved: Ignore", arguments=[("A", "us")]).text == item


def test_ids_go_with_a_comment() -> None:
    head = 'annotations: {config.kubernetes.io/path: a.yaml, config.k8s.io/id: "1"}'
    ran = run(pod("args:\n- --a=x # expand: --a=$(A)", head), spec="record: Never", arguments=[("A", "y")])
    assert "config.k8s.io/id" not in ran.text


OWN = "env:\n- name: A\n  value: new\nargs:\n- --a=old # expand: --a=$(A)"


def test_an_objects_own_declaration_is_brought_up_to_date() -> None:
    assert run(pod(OWN), spec="record: Always").text == pod(OWN.replace("=old", "=new"))
    unseen = OWN.replace("value: new", "valueFrom: {fieldRef: {fieldPath: spec.nodeName}}")
    assert run(pod(unseen), spec="record: Always").container["args"] == ["--a=$(A)"]
    below = "env:\n- name: B\n  value: b # expand: $(A)\n- name: A\n  value: x"
    assert run(pod(below), spec="record: Always").container["env"][0]["value"] == "$(A)"


def test_an_entry_that_refers_to_its_own_name_keeps_its_text() -> None:
    item = pod('env:\n- name: LEVEL\n  value: "1" # expand: "$(LEVEL)"\nargs:\n- "1" # expand: $(LEVEL)')
    ran = run(item, spec="record: Always")
    assert (ran.text, ran.reasons) == (item, ["KeptLastValue"])
    ran = run(item, spec="record: Always", arguments=[("LEVEL", "2")])
    assert ran.text == item.replace('"1"', '"2"')


@pytest.mark.parametrize(("spec", "text"), [("inline: [Variables]", "$(A)"), ("inline: [Services]", "$(V)")])
def test_whoever_writes_inline_gets_a_reference_back(spec: str, text: str) -> None:
    item = pod(OWN.replace("$(A)", text))
    assert run(item, spec=f"{spec}\nrecord: Always", arguments=[("V", "v")]).container["args"] == [f"--a={text}"]


def test_a_text_that_inline_leaves_out_stays() -> None:
    held = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: hunter3}\n"
    spec = (
        "variables: [{name: P, valueFrom: {secretKeyRef: {name: s, key: p}}}]\nrecord: Always\n"
        "targets: [{select: {kind: Secret}, fieldPaths: [stringData.x]}]"
    )
    item = pod("image: a:hunter2 # expand: a:$(P)\nargs:\n- hunter2 # expand: $(P)")
    ran = run(item, held, spec=spec)
    assert ran.text == f"{item}---\n{held}"
    assert "hunter" not in "".join(result.message for result in ran.results)
    stated = run(item, held, spec=f"{spec}\ninline: [Variables]").container
    assert (stated["image"], stated["args"]) == ("a:$(P)", ["$(P)"])


def test_a_probe_keeps_the_text_of_a_name_that_it_does_not_see() -> None:
    item = pod("livenessProbe:\n  exec:\n    command:\n    - --a=x # expand: --a=$(A)")
    ran = run(item, spec="record: Always")
    assert (ran.text, ran.reasons) == (item, ["KeptLastValue"])


def test_a_probe_keeps_the_text_of_an_entry_that_is_ambiguous_in_the_next_run() -> None:
    """An empty `B` leaves no text of its own in the entry, so nobody knows where it stands there."""
    container = "envFrom: [{configMapRef: {name: m}}]\nenv:\n- name: X\n  value: $(F)$(B)$(D)\n"
    source = pod(f"{container}startupProbe: {{exec: {{command: [$(X)]}}}}\n")
    known = config_map("m", '{B: "", D: "$(A)"}')
    spec = "record: Always\ninline: [ConfigMaps]\nunresolved: Ignore"
    once = run(source, known, spec=spec).text
    assert "value: $(F)$$(A) # expand: $(F)$(B)$(D)\n" in once
    assert "startupProbe: {exec: {command: [$$(F)$$(B)$$(D)]}}\n" in once
    assert run(once, spec=spec).text == once


def test_what_other_runs_wrote_in_the_final_form_stays_so() -> None:
    item = pod("args:\n- $x # expand: $$$(A)")
    assert run(item, spec="escapes: Unescape\nrecord: Always").text == item


def test_an_ambiguous_argument_stays() -> None:
    item = pod("env:\n- name: X\n  value: a-b-c # expand: $(A)-$(B)\nargs: [$(X)]")
    ran = run(item, spec="record: Always", arguments=[("A", "1")])
    assert ran.container["env"] == [{"name": "X", "value": "a-b-c"}]
    assert "AmbiguousText" in ran.reasons


def test_an_ambiguous_block_is_no_new_template_though_a_reference_stands_there() -> None:
    """The second line of the template may be either of the last two."""
    spec = "  # expand: a: |-\n  #   a$(B)$(A)\n  #   a\n  a: |-\n    a1$(A)\n    a\n    a\n"
    assert after(spec, ("A", "z"), more=TARGET) == (spec, ["AmbiguousText"])


MISFITS = {
    "  a: y-1 # expand: x-$(A)\n": "`y-1` is not what the template in its comment can become: it",
    '  # expand: a: [$(A)]\n  a: [""]\n': None,
    "  # expand: a: [x, $(A)]\n  a: []\n": "what stands here is not what the template in its comment can become: it",
    "  # expand: a: |\n  # x\n  # y $(A)\n  a: |\n    x\n      y 1\n": (
        "no line here can be what `y $(A)` of the template becomes, with the blanks ahead of it: it"
    ),
    "  # expand: a: |\n  # x $(A)\n  # y\n  a: |\n    y\n    x 1\n": (
        "no line here can be what `y` of the template becomes, with the blanks ahead of it: it"
    ),
}


@pytest.mark.parametrize("spec", MISFITS)
def test_what_is_not_of_the_shape_is_told_with_what_is_missing(spec: str) -> None:
    ran = run(thing(spec), spec="record: Always", arguments=[("A", "2")])
    told = [result.message for result in ran.results if result.reason == "EditedByHand"]
    rest = "stays as it is, and does not follow `$(A)`; write it as the template says, or delete the comment"
    assert told == ([f"{MISFITS[spec]} {rest}"] if MISFITS[spec] else [])


def test_no_line_of_a_secret_is_told() -> None:
    held = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n"
    ran = run(f"{held}  # expand: a: |\n  # hunter$(A)\n  a: |\n    x\n", spec="record: Always", arguments=[("A", "2")])
    assert {*ran.reasons} == {"EditedByHand", "UnusedArgument"}
    assert "hunter" not in "".join(result.message for result in ran.results)


EDITED = {
    "another shape": "  a: y # expand: x$(A)\n",
    "a block that holds no such line": "  # expand: a: |\n  #   x$(A)\n  a: |\n    y\n",
}


@pytest.mark.parametrize("case", EDITED)
def test_restoring_leaves_what_is_of_another_shape_and_tells_it(case: str) -> None:
    read = resourcelist.read(thing(EDITED[case]))
    told = [result.reason for result in writing.restore(read.items, lambda *_: None)]
    assert (read.emit().text, told) == (thing(EDITED[case]), ["EditedByHand"])


def test_restoring_a_block_that_stands_in_quotes() -> None:
    read = resourcelist.read(thing('  # expand: a: |2-\n  #    x$(A)\n  a: " one\\n x\\t1"\n'))
    assert list(writing.restore(read.items, lambda *_: None)) == []
    assert read.emit().text == thing("  a: |2-\n     one\n     x$(A)\n")


def test_restoring_an_empty_value() -> None:
    other = "---\n" + thing("  a: 1\n")
    read = resourcelist.read(thing("  a: # expand: $(A)\n") + other)
    assert (list(writing.restore(read.items, lambda *_: None)), read.emit().text) == ([], thing("  a: $(A)\n") + other)


READINGS = [
    ("$(A)", "x", [{"A": "x"}]),
    ("$(A)$(B)", "x", [{"A": "", "B": "x"}, {"A": "x", "B": ""}]),
    ("$(A)-$(B)-$(A)", "x-y-x", [{"A": "x", "B": "y"}]),
    ("$(A)-$(B)-$(A)", "x-y-z", []),
    ("$(A)-$(B)-$(A)", "x-y-1-x", [{"A": "x", "B": "y-1"}]),
    ("$(A)-$(B)-$(A)-$(C)", "x-y-1-x-z", [{"A": "x", "B": "y-1", "C": "z"}]),
    ("$(A)-$(B)/$(C)", "x/y", []),
    ("$(A)-$(A)-$(B)", "x-y-z", []),
    ("a$(A)b", "ab", [{"A": ""}]),
    ("ab$(A)ba", "aba", []),
    ("$(A)$(A)", "xyx", []),
    ("$(A)x$(A)", "", []),
    ("$(A)x$(B)", "y", []),
    ("x", "x", [{}]),
    ("x", "y", []),
]


@pytest.mark.parametrize(("template", "text", "expected"), READINGS)
def test_the_readings_of_a_text(template: str, text: str, expected: list[dict[str, str]]) -> None:
    assert Pattern.of(template, syntax.value).readings(text) == expected


def test_a_long_text_is_read_in_two_passes() -> None:
    names = [f"N{number}" for number in range(20)]
    template = "a".join(f"$({name})" for name in names)
    for text in ("a" * 10_000, "ab" * 5_000, "b" * 10_000):
        assert len(Pattern.of(template, syntax.value).readings(text)) in (0, 2)


STILL = (
    "[error] expandvars.dev/v1alpha1/ExpandVars/fn spec.variables[name=X]: `spec.a` of Thing `a` still holds a "
    "reference, so it is not yet the text that it will be: write that text as the `value` of a variable, where "
    "references are live"
)


def test_a_source_is_read_with_this_runs_values_though_one_of_them_refers_to_nothing() -> None:
    source = "valueFrom: {objectFieldRef: {kind: Thing, name: a, fieldPath: spec.a}}"
    variables = f"record: Always\nvariables: [{{name: A, value: '$(B)-x'}}, {{name: X, {source}}}]"
    ran = run(thing("  a: 1-x # expand: $(A)\n"), pod("args: [$(X)]"), spec=variables)
    assert [str(result) for result in ran.results] == [STILL]


def test_the_value_that_a_container_has_itself_is_no_value_of_the_variable() -> None:
    item = pod("env:\n- {name: A, value: own}\nimage: a:1 # expand: a:$(A)\nargs:\n- old # expand: $(A)")
    ran = run(item, spec="record: Always", arguments=[("A", "2")])
    told = [result.message for result in ran.results if result.reason == "ValueChanged"]
    assert ran.text == item.replace("- old", "- own").replace("a:1", "a:2")
    assert told == ["`A` has another value, in 1 field", "`A` is `2` now, and was `1`, in 1 field"]
    again = run(ran.text, spec="record: Always", arguments=[("A", "2")])
    assert (again.text, "ValueChanged" in again.reasons) == (ran.text, False)
    without = run(ran.text, spec="record: Always")
    assert (without.text, [one.field for one in without.results]) == (ran.text, ["spec.containers[name=app].image"])


def test_the_secret_that_a_container_has_itself_is_not_told() -> None:
    held = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {p: hunter3}\n"
    entry = "{name: P, valueFrom: {secretKeyRef: {name: s, key: p}}}"
    item = pod(f"env:\n- {entry}\nargs:\n- hunter2 # expand: $(P)")
    for arguments in ([], [("P", "x")]):
        ran = run(item, held, spec="record: Always\ninline: [Secrets, Variables]", arguments=arguments)
        assert ran.text == f"{item}---\n{held}".replace("hunter2", "hunter3")
        assert "hunter" not in "".join(result.message for result in ran.results)
        assert "`P` has another value, in 1 field" in [result.message for result in ran.results]


def test_a_text_that_would_take_too_long_may_have_more_readings() -> None:
    text = "x" * 2000 + "y"
    assert Pattern.of("$(A)$(B)$(A)").readings(text) == [{"A": "", "B": text}, {}]
