"""Annotations of ours that are not as we wrote them: what still says something counts, and every field stays."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from expand_vars.record import KEY
from tests.expand_vars.expansion.running import config_map, indented, pod, run

VALUES = "record: Always\nvariables: [{name: A, value: VALUE}]\n"
EU, US = VALUES.replace("VALUE", "eu"), VALUES.replace("VALUE", "us")
POD = pod("args: ['$(A)', '--at=$(A)']", "annotations:\n  mine: m")
ONCE = run(POD, spec=EU).text
RECORD = yaml.safe_load(ONCE)["metadata"]["annotations"][KEY]
REMEDY = "bring back what it was, or delete it and write the references again"


def with_record(written: str) -> str:
    """Return the Pod with another text as its record."""
    start, end = ONCE.index(f"    {KEY}"), ONCE.index("spec:\n")
    return f"{ONCE[:start]}    {KEY}: {written}\n{ONCE[end:]}"


def lines(*numbers: int) -> str:
    listed = ", ".join(map(str, numbers))
    return f"the annotation `{KEY}` is damaged, and these of its lines are ignored: {listed}; {REMEDY}"


def no_text(key: str, shape: str) -> str:
    return (
        f"the annotation `{key}` is a {shape}, and must be a text: this stays as it is until you write `|` behind that "
        "key and its text on the lines below, or delete the annotation"
    )


SAME = {
    "quoted into one line, as some printers of YAML do": json.dumps(RECORD),
    "folded": yaml.safe_dump(RECORD, default_style=">", width=1000).replace("\n", "\n    ").rstrip(),
    "folded, and printed by kpt": ">\n" + indented(re.sub(r"\n(?=  )", "\n\n", RECORD), 6).rstrip(),
    "with other line ends": json.dumps(RECORD.replace("\n", "\r\n")),
    "without the last line end": "|-\n" + indented(RECORD, 6).rstrip(),
}


@pytest.mark.parametrize("written", SAME.values(), ids=SAME)
def test_a_record_that_is_written_in_another_style_is_the_same(written: str) -> None:
    ran = run(with_record(written), spec=US)
    assert (ran.container["args"], ran.reasons) == (["us", "--at=us"], [])


COUNT = len(RECORD.splitlines())
BROKEN = {
    "no list of entries": ("hello", [1]),
    "a number": ("1", [1]),
    "all in one line": (json.dumps(RECORD.replace("\n", " ")), [1]),
    "indented": (json.dumps("  " + RECORD.replace("\n", "\n  ")), [*range(1, COUNT + 1)]),
    "not indented": (json.dumps(RECORD.replace("\n  ", "\n")), [*range(1, COUNT + 1)]),
    "JSON, as before the first release": (json.dumps('{"path": "a", "rendered": ["eu"]}'), [1]),
    "an entry of a newer form": (json.dumps("version: 2\n" + RECORD), [1]),
}


@pytest.mark.parametrize(("written", "damaged"), BROKEN.values(), ids=BROKEN)
def test_lines_that_say_nothing_are_named_and_the_others_count(written: str, damaged: list[int]) -> None:
    ran = run(with_record(written), spec=US)
    assert ran.container["args"] == (["us", "--at=us"] if "version" in written else ["eu", "--at=eu"])
    assert [result.message for result in ran.of("DamagedRecord")] == [lines(*damaged)]
    assert run(ran.text, spec=US).of("DamagedRecord") == []


def test_an_annotation_that_is_null_is_none() -> None:
    """An API server refuses it. It goes with the next record."""
    ran = run(with_record("null"), spec=US)
    assert ran.container["args"] == ["eu", "--at=eu"]
    typed = run(ran.text.replace("'eu'", "'$(A)'"), spec=US)
    assert typed.container["args"] == ["us", "--at=eu"]
    assert isinstance(typed.items[0]["metadata"]["annotations"][KEY], str)


PARSED = {
    "a mapping": ("{a: b}", "mapping"),
    "a list": ("[a]", "list"),
    "its own lines, without the bar": ("\n" + indented(RECORD, 6).rstrip(), "mapping"),
}


@pytest.mark.parametrize("reference", ["eu", "$(A)"], ids=["nothing to expand", "something to expand"])
@pytest.mark.parametrize(("written", "shape"), PARSED.values(), ids=PARSED)
def test_a_record_that_is_no_text_stays_and_so_does_all_else(written: str, shape: str, reference: str) -> None:
    text = with_record(written).replace("'eu'", f"'{reference}'")
    ran = run(text, spec=US)
    assert ran.text == text
    assert [(one.severity, one.message) for one in ran.of("DamagedRecord")] == [("warning", no_text(KEY, shape))]


def test_a_record_that_becomes_a_text_again_is_read_again() -> None:
    text = with_record("\n" + indented(RECORD, 6).rstrip())
    assert run(text.replace(f"{KEY}: \n", f"{KEY}: |\n"), spec=US).container["args"] == ["us", "--at=us"]


def test_an_entry_that_somebody_edited_is_named_and_the_others_hold() -> None:
    ran = run(ONCE.replace('"--at=\\u0024(A)"', "--at=$(A)"), spec=US)
    assert ran.container["args"][1] == "--at=eu"
    assert [result.message for result in ran.of("DamagedRecord")] == [lines(3, 4)]


def test_markers_of_a_merge_leave_what_both_sides_say() -> None:
    key, value = "spec.containers[name=app].args[0]:\n", RECORD.splitlines(keepends=True)[1]
    conflict = f'{key}<<<<<<< HEAD\n{value}=======\n  0123456789 "\\u0024(B)"\n>>>>>>> theirs\n'
    text = RECORD.replace(f"{key}{value}", conflict)
    assert text != RECORD
    ran = run(with_record("|\n" + indented(text, 6).rstrip()), spec=US)
    assert [result.message for result in ran.of("DamagedRecord")] == [lines(1, 2, 3, 4, 5, 6)]
    assert ran.container["args"][0] == "eu"


ORIGIN = "expandvars.dev/last-generated"
TEMPLATES = f"templates:\n- {indented(config_map('settings', '{color: COLOR, size: big}'), 2).lstrip()}"
BLUE, GREEN = (TEMPLATES.replace("COLOR", color) for color in ("blue", "green"))
MADE = run(pod("args: []"), spec=BLUE).text
MINE = MADE.replace("color: blue, size: big}", "color: blue, size: mine} # mine")
WRITTEN = yaml.safe_load(MADE.partition("---\n")[2])["metadata"]["annotations"][ORIGIN]
DAMAGED = {
    "markers of a merge": WRITTEN.replace("data:\n", "<<<<<<< HEAD\ndata:\n=======\ndata: {}\n>>>>>>> theirs\n"),
    "no mapping": "hello",
    "a list": "- a\n",
    "a newer form": "version: 2\norigin:\n  " + WRITTEN.replace("\n", "\n  "),
    "all in one line": WRITTEN.replace("\n", " "),
    "an alias that somebody added": WRITTEN.replace("color: blue", "color: *a"),
    "without what it was called": "data:\n  color: blue\n",
    "nothing": "",
}


def with_origin(text: str, origin: str) -> str:
    start = text.index(f"    {ORIGIN}")
    return f"{text[:start]}    {ORIGIN}: {json.dumps(origin)}\n{text[text.index('data: ', start) :]}"


@pytest.mark.parametrize("origin", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_origin_keeps_what_the_user_has_everywhere(origin: str) -> None:
    ran = run(with_origin(MINE, origin), spec=GREEN)
    assert "\ndata: {color: blue, size: mine} # mine\n" in ran.text
    assert ran.reasons == ["DamagedOrigin"]
    again = run(ran.text, spec=GREEN)
    assert again.reasons == ["LocalOverride"]
    assert "size: mine} # mine" in again.text


@pytest.mark.parametrize("style", [json.dumps(WRITTEN), ">\n" + indented(WRITTEN.replace("\n", "\n\n"), 6).rstrip()])
def test_an_origin_in_another_style_is_the_same(style: str) -> None:
    text = with_origin(MINE, "HERE").replace('"HERE"', style)
    assert run(text, spec=GREEN).items[1]["data"] == {"color": "green", "size": "mine"}


def test_what_is_pasted_into_a_template_with_what_it_remembers() -> None:
    """The annotations tell of another resource: they go, and so does `annotations:` if nothing else is in it."""
    for pasted in (ONCE, MADE.partition("---\n")[2]):
        spec = f"{US}templates:\n- {indented(pasted.replace('name: ', 'name: copy-', 1), 2).lstrip()}"
        ran = run(pod("args: []").replace("web", "z"), spec=spec)
        annotations = ran.items[1]["metadata"]["annotations"]
        assert KEY not in annotations
        assert annotations["expandvars.dev/generated-by"].endswith(f"//copy-{'web' if pasted is ONCE else 'settings'}")
        assert "expandvars.dev" not in annotations[ORIGIN]
        again = run(ran.text, spec=spec)
        assert (again.text, again.of("Conflict")) == (ran.text, [])


OWNER = "expandvars.dev/generated-by"
PARSED_BY_A_TOOL = {
    "the origin, a mapping": (ORIGIN, "{data: {color: blue}}", "mapping"),
    "the origin, a list": (ORIGIN, "[data]", "list"),
    "the owner, a mapping": (OWNER, "{ExpandVars: it}", "mapping"),
}


@pytest.mark.parametrize(("key", "written", "shape"), PARSED_BY_A_TOOL.values(), ids=PARSED_BY_A_TOOL)
def test_an_annotation_of_a_generated_item_that_is_no_text(key: str, written: str, shape: str) -> None:
    """Nothing is merged over it, and no second one is made."""
    start = MINE.index(f"    {key}: ")
    end = MINE.index("    expandvars.dev/last-generated" if key != ORIGIN else "data: ", start)
    text = f"{MINE[:start]}    {key}: {written}\n{MINE[end:]}"
    ran = run(text, spec=GREEN)
    assert ran.text == text
    assert [(one.severity, one.message) for one in ran.of("DamagedOrigin")] == [("warning", no_text(key, shape))]


OTHER = TEMPLATES.replace("settings", "other")


@pytest.mark.parametrize(("written", "shape"), [("{ExpandVars: it}", "mapping"), ("[it]", "list")])
@pytest.mark.parametrize("prune", ["", "prune: false\n"], ids=["pruned", "never pruned"])
def test_an_owner_that_is_no_text_where_the_template_is_gone(written: str, shape: str, prune: str) -> None:
    """Nobody knows who generated it: it is not pruned, and that is told."""
    text = re.sub(f"{OWNER}: .*", f"{OWNER}: {written}", MADE)
    assert text != MADE
    ran = run(text, spec=f"{prune}{OTHER}")
    assert ran.text.startswith(text)
    assert [(one.severity, one.message) for one in ran.of("DamagedOrigin")] == [("warning", no_text(OWNER, shape))]
    assert ran.of("Pruned") == []


def test_an_owner_that_is_no_text_where_the_resource_is_closed_to_functions() -> None:
    text = re.sub(f"{OWNER}: .*", f'expandvars.dev/skip: "true"\n    {OWNER}: [a]', MADE)
    assert text != MADE
    assert run(text, spec=OTHER).of("DamagedOrigin") == []


def test_an_annotation_of_ours_that_is_no_text_in_a_template() -> None:
    """Copied and pasted from a resource, it says nothing about the one that is generated."""
    pasted = GREEN.replace("name: settings\n", f"name: settings\n    annotations: {{{ORIGIN}: {{a: b}}}}\n")
    assert pasted != GREEN
    assert run(pod("args: []"), spec=pasted).text == run(pod("args: []"), spec=GREEN).text
