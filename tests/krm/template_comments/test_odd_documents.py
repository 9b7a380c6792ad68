"""Value and comment are one edit in objects with aliases, odd line breaks and odd keys, or the field stays, told."""

from __future__ import annotations

import pytest

from krm.template_comments.reading import FieldEntry
from krm.yamltree.edits import Edit
from tests.expand_vars.expansion.running import run
from tests.process import run as process

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  initContainers:
  - {name: c, image: i, env: &e [{name: A, value: q}]}
  containers:
  - name: d
    image: i
    env: *e
    args:
    - $(CERT)
"""
RAY = """\
apiVersion: ray.io/v1
kind: RayCluster
metadata: {name: r, namespace: shop}
spec:
  headGroupSpec:
    template:
      spec:
        enableServiceLinks: false
        containers: &c
        - name: c
          args: ["$(R)", "$(DB_SERVICE_HOST)"]
  workerGroupSpecs:
  - groupName: g
    template:
      spec:
        containers: *c
---
apiVersion: v1
kind: Service
metadata: {name: db, namespace: shop}
spec: {clusterIP: 10.0.0.9, ports: [{port: 5432}]}
"""
SHARED = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  initContainers:
  - name: c
    args: &a
    - $(CERT)
  containers:
  - name: d
    args: *a
"""
ALWAYS = "record: Always\nunresolved: Ignore\n"


def expanded(text: str, **values: str) -> tuple[str, list[str]]:
    ran = run(text, spec=ALWAYS, arguments=[*values.items()])
    return ran.text, ran.reasons


def test_a_template_on_one_line_has_a_value_on_one_line_beside_an_alias() -> None:
    first, _ = expanded(POD, CERT="BEGIN\nabc\nEND")
    assert first == POD.replace("- $(CERT)", r'- "BEGIN\nabc\nEND" # expand: $(CERT)')
    second, _ = expanded(first, CERT="x\ty\n")
    assert second == POD.replace("- $(CERT)", r'- "x\ty\n" # expand: $(CERT)')
    third, _ = expanded(second, CERT="plain")
    assert third == POD.replace("- $(CERT)", "- plain # expand: $(CERT)")


def test_what_an_alias_shows_elsewhere_stays_where_its_comment_would_have_no_place() -> None:
    after, reasons = expanded(RAY, R="1")
    assert (after, [reason for reason in reasons if reason == "NoRoomForReference"]) == (RAY, ["NoRoomForReference"])


def test_a_field_that_stays_gets_no_comment_beside_one_that_is_expanded() -> None:
    init = "        initContainers:\n        - name: i\n          command:\n          - {}\n"
    text = RAY.replace("        containers: &c\n", init.format("$(R)") + "        containers: &c\n")
    after, reasons = expanded(text, R="1")
    assert after == text.replace(init.format("$(R)"), init.format('"1" # expand: $(R)'))
    assert reasons == ["NoRoomForReference"]


@pytest.mark.parametrize(("value", "written"), [("a", "a"), ("a\nb", r'"a\nb"')])
def test_what_an_alias_shows_with_one_text_is_written_once(value: str, written: str) -> None:
    after, reasons = expanded(SHARED, CERT=value)
    assert (after, reasons) == (SHARED.replace("- $(CERT)", f"- {written} # expand: $(CERT)"), [])


FIRST = 'spec: {containers: [{name: a, image: "a:$(R)"}]}\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\n'


@pytest.mark.parametrize("head", ["", "# a remark\n\n", "---\n"])
def test_a_template_may_stand_above_the_first_entry_of_an_object(head: str) -> None:
    first, reasons = expanded(head + FIRST, R="1")
    line = FIRST.partition("\n")[0]
    assert (first, reasons) == (f"{head}# expand: {line}\n{FIRST.replace('$(R)', '1')}", [])
    assert expanded(first, R="2") == (first.replace("a:1", "a:2"), ["ValueChanged"])


THING = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: d\n    args:"


@pytest.mark.parametrize(("sign", "escape"), [("\u2028", r"\L"), ("\u2029", r"\P")])
def test_a_line_break_of_another_kind_is_escaped_in_a_template(sign: str, escape: str) -> None:
    first, _ = expanded(f'{THING}\n    - "see{sign}$(R)"\n', R="1")
    assert first == f'{THING}\n    - "see{sign}1" # expand: "see{escape}$(R)"\n'
    second, reasons = expanded(first, R="2")
    assert reasons == ["ValueChanged"]
    assert second == f'{THING}\n    - "see{escape}2" # expand: "see{escape}$(R)"\n'


@pytest.mark.parametrize("args", ['\n    - "see\x85$(R)"\n', ' ["a\u2028$(R)"]\n'])
def test_a_line_break_that_no_escape_stands_for_leaves_no_room_for_a_template(args: str) -> None:
    assert expanded(THING + args, R="1") == (THING + args, ["NoRoomForReference"])


NO_PATH = "no path leads to this field: it has a key that is an alias, or is no text"


def test_a_comment_at_a_key_that_no_path_names_is_no_template() -> None:
    text = "apiVersion: v1\nkind: Thing\n*e: x:1 # expand: x$(A)\n"
    answer = process("A=2", stdin=text.encode())
    assert (answer.stdout.decode(), answer.code) == (text, 0)
    assert NO_PATH in answer.stderr


@pytest.mark.parametrize(
    "head", ["- apiVersion", '- "apiVersion"', "- kind: List\n  items:\n  - apiVersion", "-\n  'apiVersion'"]
)
def test_a_comment_behind_the_last_value_is_its_object_s_however_a_list_is_written(head: str) -> None:
    margin = " " * (len(head.rpartition("\n")[2]) - len(head.rpartition("\n")[2].lstrip(" -")))
    entries = ["kind: Thing", "metadata: {name: a}", "f: one # expand: $(R)"]
    item = "".join(f"\n{margin}{entry}" for entry in entries)
    text = f"apiVersion: v1\nkind: List\nitems:\n{head}: e.com/v1{item}"
    for end in ("", "\n"):
        assert expanded(text + end, R="two") == (text.replace("one", "two") + end, ["ValueChanged"])


@pytest.mark.parametrize(
    "kind",
    [
        "kind : List",
        "kind:\tList",
        "'kind'  : 'ThingList'",
        "kind: >-\n  List",
        "kind:\n  List",
    ],
)
def test_a_list_is_opened_however_its_kind_is_written(kind: str) -> None:
    item = "{apiVersion: e.com/v1, kind: Thing, metadata: {name: $(R)}}"
    for text in (f"apiVersion: v1\n{kind}\nitems:\n- {item}\n", f'{{"kind" : "List", "items" : [ {item} ]}}'):
        assert run(text, arguments=[("R", "two")]).text == text.replace("$(R)", "two")


def test_an_item_that_is_an_alias_of_nothing() -> None:
    answer = process("A=1", stdin=b"kind: ResourceList\nitems: [*a]\n")
    message = "[error] line 2, column 9: this is an alias, and nothing above it has its anchor (InvalidInput)\n"
    assert answer == (b"", message, 1)


def test_an_anchor_that_a_key_shows_stays() -> None:
    text = f'{THING} [&x "$(R)"]\n  nodeSelector:\n    *x : a\n'
    ran = run(text, spec="record: Never", arguments=[("R", "1")])
    message = "the field cannot be changed: line 9: this alias is a key, or is below one that is no scalar"
    assert (ran.text, [result.message for result in ran.results]) == ("", [message])


@pytest.mark.pure
def test_a_template_that_is_not_read_as_it_was_written_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(FieldEntry, "commented", lambda *_: [Edit(0, 0, "# expand: $(R)\n")])
    ran = run(f"{THING} [$(R)]\n", spec=ALWAYS, arguments=[("R", "1")])
    assert [result.message for result in ran.results if "RuntimeError" in result.message] != []
    assert ran.text == ""
