"""docs/reference/expansion.md, "Files in a field": a value goes into a file as the language of the file spells it."""

from __future__ import annotations

import json

import pytest

from tests.expand_vars.expansion.running import Ran, config_map, run

SPEC = """\
record: Never
targets: [{fieldPaths: ["data[*]", "stringData[*]", "spec[*]"]}]
variables:
- {name: NOTE, value: 'say "hi": yes'}
- {name: PORT, value: "80"}
- {name: IS, value: "true"}
- {name: TAG, value: "1.10"}
- {name: VERSION, value: "1.2.3"}
- {name: LINES, value: "a\\nb"}
- {name: EMPTY, value: ""}
- {name: KEY, value: b}
"""


def expanded(key: str, text: str) -> Ran:
    return run(config_map("c", json.dumps({key: text})), spec=SPEC)


SPELLED = [
    ("a.yaml", "note: $(NOTE)\n", 'note: "say \\"hi\\": yes"\n'),
    ("a.yml", "note: 'x $(NOTE)' # $(NOTE)\n", "note: 'x say \"hi\": yes' # $(NOTE)\n"),
    ("a.yaml", 'note: "\\u00e9 $(NOTE)"\n', 'note: "\\u00e9 say \\"hi\\": yes"\n'),
    ("a.yaml", "# $(NOTE)\na: 1.0\n$(KEY): 0x1F\n", "# $(NOTE)\na: 1.0\nb: 0x1F\n"),
    ("a.yaml", "port: $(PORT)\non: $(IS)\nt: $(TAG)\n", "port: 80\non: true\nt: 1.10\n"),
    ("a.yaml", "p: '$(PORT)'\nv: $(VERSION)\nx: v$(PORT)\n", "p: '80'\nv: \"1.2.3\"\nx: v80\n"),
    ("a.yaml", "p: !!str $(PORT)\nq: !x $(NOTE)\n", 'p: !!str "80"\nq: !x "say \\"hi\\": yes"\n'),
    ("a.yaml", "a: &x $(NOTE)\nb: *x\n", 'a: &x "say \\"hi\\": yes"\nb: *x\n'),
    ("a.yaml", "[$(PORT), {k: $(NOTE)}, a$(PORT)]", '[80, {k: "say \\"hi\\": yes"}, a80]'),
    ("a.yaml", "a: |\n  $(LINES)\n", "a: |\n  a\n  b\n"),
    ("a.yaml", "a: >\n  $(LINES)\n  x\nb: 1\n", 'a: "a\\nb x\\n"\nb: 1\n'),
    ("a.yaml", "a: $(EMPTY)\nb: $(NO)\n", 'a: ""\nb: $(NO)\n'),
    ("a.yaml", "a: $(PORT)\n---\nb: $(NOTE)\n---\n", 'a: 80\n---\nb: "say \\"hi\\": yes"\n---\n'),
    ("a.yaml", "a: $$(PORT)-$$-${PORT}\n", "a: $(PORT)-$$-${PORT}\n"),
    ("a.yaml", "a: $(PORT)\r\nb: $(NOTE)\r\n", 'a: 80\r\nb: "say \\"hi\\": yes"\r\n'),
    ("a.json", '{"b": "$(NOTE)", "a": $(PORT),"n":1.0 }', '{"b": "say \\"hi\\": yes", "a": 80,"n":1.0 }'),
    ("a.json", '[$(NOTE), $(IS), $(VERSION), "$(PORT)"]\n', '["say \\"hi\\": yes", true, "1.2.3", "80"]\n'),
    ("a.json", '{"$(KEY)": "$(LINES)"}', '{"b": "a\\nb"}'),
    # No file of that language, or one that holds one text: plain text.
    ("a.json", "{'b': $(NOTE)}", "{'b': say \"hi\": yes}"),
    ("a.json", '{"b": x$(NOTE)}', '{"b": xsay "hi": yes}'),
    ("a.json", '"$(NOTE)"', '"say "hi": yes"'),
    ("a.yaml", "a: [\nb: $(NOTE)\n", 'a: [\nb: say "hi": yes\n'),
    ("a.yaml", "$(NOTE)\n", 'say "hi": yes\n'),
    ("a.yaml", "a: $(NOTE)\n---\n$(NOTE)\n", 'a: say "hi": yes\n---\nsay "hi": yes\n'),
    ("a.yaml", "a: {{ .x }}\nb: {{ $(NOTE)\n", 'a: {{ .x }}\nb: {{ say "hi": yes\n'),
    ("a.sh", "note: $(NOTE)\n", 'note: say "hi": yes\n'),
    ("yaml", "note: $(NOTE)\n", 'note: say "hi": yes\n'),
]


@pytest.mark.parametrize(("key", "text", "expected"), SPELLED)
def test_a_value_is_spelled_as_the_language_of_the_file_does(key: str, text: str, expected: str) -> None:
    ran = expanded(key, text)
    assert ran.items[0]["data"] == {key: expected}


def test_a_deep_text_is_plain() -> None:
    deep = '{"a": ' + "[" * 100_000 + "$(PORT)"
    assert expanded("a.json", deep).items[0]["data"] == {"a.json": deep.replace("$(PORT)", "80")}


def test_the_file_of_a_secret_and_of_any_kind_is_one() -> None:
    held = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a.yaml: 'note: $(NOTE)'\n"
    thing = "apiVersion: e.com/v1\nkind: Thing\nmetadata: {name: t}\nspec:\n  a.yaml: 'note: $(NOTE)'\n"
    ran = run(held, thing, spec=SPEC)
    assert [one.get("stringData", one.get("spec")) for one in ran.items] == 2 * [
        {"a.yaml": 'note: "say \\"hi\\": yes"'}
    ]


TWICE = "line {}: the key `b` is here again, first in line 1"
UNREADABLE = "this file could be read, and with these values it cannot: {}: mend the values, or the text around them"


@pytest.mark.parametrize(("key", "text"), [("a.yaml", "b: 1\n$(KEY): 2\n"), ("a.json", '{"b": 1,\n"$(KEY)": 2}')])
def test_a_file_that_reads_no_longer_is_an_error(key: str, text: str) -> None:
    ran = expanded(key, text)
    told = f"error UnfitValue data['{key}']: {UNREADABLE.format(TWICE.format('2, column 1'))}"
    assert [one for one in ran.told if one.startswith("error")] == [told]
    assert ran.text == ""


def test_an_error_about_the_file_of_a_secret_quotes_nothing() -> None:
    text = "  a.yaml: |\n    b: 1\n    $(KEY): 2\n"
    secret = f"apiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData:\n{text}"
    assert run(secret, spec=SPEC).told[0] == f"error UnfitValue stringData['a.yaml']: {UNREADABLE.format('line 2')}"
    spec = f"{SPEC}templates:\n- {secret.replace(chr(10), chr(10) + '  ')}"
    told = run(spec=spec.rstrip(" ")).told
    assert told[0] == f"error UnfitValue stringData['a.yaml']: {UNREADABLE.format('line 2')}"


def test_a_file_in_a_template_is_expanded_in_its_language() -> None:
    spec = SPEC + "templates:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata: {name: c}\n  data:\n    a.yaml: "
    (made,) = run(spec=spec + "|\n      note: $(NOTE)\n      $(KEY): $$x\n").items
    assert made["data"] == {"a.yaml": 'note: "say \\"hi\\": yes"\nb: $x\n'}
    ran = run(spec=spec + "'{b: 1, $(KEY): 2}'\n")
    assert ran.told[0] == f"error UnfitValue data['a.yaml']: {UNREADABLE.format(TWICE.format('1, column 8'))}"


def test_names_in_comments_of_a_file_are_none() -> None:
    ran = expanded("a.yaml", "# $(NOBODY)\na: 1\n")
    assert ran.of("UnresolvedReference") == []
    assert expanded("a.yaml", "a: $(NOBODY)\n").of("UnresolvedReference") != []


TOO_LONG = (
    "error TooLong data['a.yaml']: this is too long: its references expand to more than 1 MiB, which is more than a "
)


def test_a_text_is_bounded_as_a_whole() -> None:
    value = "x" * (1 << 19)
    source = config_map("c", json.dumps({"a.yaml": "- $(X)\n- $(X)\n- $(X)\n"}))
    ran = run(source, spec=SPEC, arguments=[("X", value)])
    assert [one[: len(TOO_LONG)] for one in ran.told if "TooLong" in one] == [TOO_LONG]


# In place.

IN_PLACE = SPEC.replace("Never", "Always").partition("variables:")[0]
FILE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n"


def test_who_wrote_a_value_in_other_quotes_keeps_them_until_it_changes() -> None:
    block = "  # expand: a.yaml: |\n  #   a: $(A)\n  #   b: $(B)\n  a.yaml: |\n    a: {}\n    b: {}\n"
    line = "  a.json: '{{\"a\": {}}}' # expand: '{{\"a\": $(A)}}'\n"
    source = FILE + block.format("'80'", "x") + line.format('"80"')
    ran = run(source, spec=IN_PLACE, arguments=[("A", "80"), ("B", "z")])
    assert ran.text == FILE + block.format("'80'", "z") + line.format('"80"')
    ran = run(source, spec=IN_PLACE, arguments=[("A", "81")])
    assert ran.text == FILE + block.format("81", "x") + line.format("81")
    assert "info ValueChanged data['a.yaml']: `A` is `81` now, and was `80`, in 2 fields" in ran.told


def test_two_names_of_a_text_keep_their_values_where_a_third_gets_one() -> None:
    block = "  # expand: run.sh: |\n  #   a $(A)\n  #   b $(B)\n{}  run.sh: |\n    a x\n    b y\n    c {}\n"
    source = FILE + block.format("", "$(C)")
    ran = run(source, spec=IN_PLACE, arguments=[("C", "z")])
    assert ran.text == FILE + block.format("  #   c $(C)\n", "z")


def test_what_was_edited_by_hand_into_no_file_is_a_text() -> None:
    source = FILE + "  # expand: a.yaml: |\n  #   a: $(A)\n  a.yaml: |\n    a: x\n    b: [\n"
    ran = run(source, spec=IN_PLACE, arguments=[("A", "y: z")])
    assert ran.text == source.replace("a: x", "a: y: z")


EDITED = [
    "a: x\n    c: y",  # another key
    "a: x # c\n    b: y",
    "b: y\n    a: x",
]


@pytest.mark.parametrize("text", EDITED)
def test_what_is_not_of_the_shape_of_the_file_stays(text: str) -> None:
    source = FILE + f"  # expand: a.yaml: |\n  #   a: $(A)\n  #   b: $(B)\n  a.yaml: |\n    {text}\n"
    ran = run(source, spec=IN_PLACE, arguments=[("A", "x"), ("B", "z")])
    assert (ran.text, ran.reasons[0]) == (source, "EditedByHand")


def test_a_text_in_quotes_over_lines_has_no_room() -> None:
    source = FILE + '  a.yaml: |\n    a: "x\n      $(A)"\n    b: $(A)\n'
    ran = run(source, spec=IN_PLACE, arguments=[("A", '"')])
    assert (ran.text, ran.reasons) == (source, ["NoRoomForReference"])


def test_json_on_a_line_of_its_template_is_no_comment_of_flux() -> None:
    source = FILE + '  a.json: |\n    {"a": "$(A)"}\n'
    once = run(source, spec=IN_PLACE, arguments=[("A", "x")])
    again = run(once.text, spec=IN_PLACE, arguments=[("A", "y")])
    assert again.text == FILE + '  # expand: a.json: |\n  #   {"a": "$(A)"}\n  a.json: |\n    {"a": "y"}\n'


# `::` leads inside.

CONFIG = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  app.yaml: |
    log: {level: $(A), name: $(B)}
    hosts:
    - {name: one, url: "$(A)"} # of $(A)
    - {name: two, url: "$(A)"}
  app.json: '{"log": {"level": $(A), "name": "$(B)"}}'
  run.sh: echo $(A)
"""
INSIDE = [
    ("data['app.yaml']::log.level", {"level: $(A), name": "level: x, name"}),
    ("data['app.yaml']::hosts[name=two].url", {'two, url: "$(A)"': 'two, url: "x"'}),
    ("data['app.yaml']::hosts[*].url", {'one, url: "$(A)"': 'one, url: "x"', 'two, url: "$(A)"': 'two, url: "x"'}),
    ("data['app.json']::log.level", {'"level": $(A)': '"level": "x"'}),
    ("data[*]::log.level", {'"level": $(A)': '"level": "x"', "level: $(A), name": "level: x, name"}),
    ("data['app.json']::**", {'"level": $(A)': '"level": "x"', '"name": "$(B)"': '"name": "z"'}),
]


@pytest.mark.parametrize(("path", "changed"), INSIDE)
def test_a_path_leads_into_a_file(path: str, changed: dict[str, str]) -> None:
    expected = CONFIG
    for old, new in changed.items():
        assert old in CONFIG
        expected = expected.replace(old, new)
    always = f'record: Always\ntargets: [{{fieldPaths: ["{path}"]}}]\n'
    never = always.replace("Always", "Never")
    values = [("A", "x"), ("B", "z")]
    assert run(CONFIG, spec=never, arguments=values).text == expected
    once = run(CONFIG, spec=always, arguments=values).text
    # The comment says which texts follow: the others of the file are none of it.
    assert run(once, spec=always, arguments=values).text == once
    assert run(once, spec=never, arguments=[("A", "x2"), ("B", "z")]).text == expected.replace("x", "x2")


NOWHERE = [
    ("data['run.sh']::a", "leads to no field of any item", "mend its path or its selector"),
    ("data['app.yaml']::log.x", "leads to no field of any item", "mend its path or its selector"),
    (
        "data['app.yaml']::log",
        "leads to a mapping or a list, and no text",
        "put `[*]` behind its path for the texts in ",
    ),
]


@pytest.mark.parametrize(("path", "found", "remedy"), NOWHERE)
def test_a_path_that_leads_to_no_text_of_a_file_is_told(path: str, found: str, remedy: str) -> None:
    ran = run(CONFIG, spec=f'targets: [{{fieldPaths: ["{path}"]}}]\n', arguments=[("A", "x"), ("B", "z")])
    assert ran.text == CONFIG
    (told,) = ran.of("NoEffect")
    assert told.message.startswith(f"this target {found}, so it has no effect: {remedy}")


def test_a_file_that_another_target_names_is_expanded_as_a_whole() -> None:
    spec = "targets: [{fieldPaths: [\"data['app.json']::log.level\", \"data['app.json']\"]}]\n"
    made = run(CONFIG, spec=spec, arguments=[("A", "x"), ("B", "z")]).items[0]["data"]["app.json"]
    assert made == '{"log": {"level": "x", "name": "z"}}'


def test_a_variable_is_read_from_a_file() -> None:
    source = CONFIG.replace("$(A)", "debug")
    from_file = "objectFieldRef: {kind: ConfigMap, name: c, fieldPath: \"data['app.yaml']::log.level\"}"
    spec = f"variables: [{{name: LEVEL, valueFrom: {{{from_file}}}}}]\n"
    ran = run(
        source,
        config_map("d", "{}", "annotations: {a: x}"),
        "apiVersion: v1\nkind: Pod\nmetadata: {name: $(LEVEL)}\n",
        spec=spec,
    )
    assert ran.items[2]["metadata"]["name"] == "debug"


def test_a_merge_is_no_matter_of_the_inside_of_a_file() -> None:
    fields = "fields: [{fieldPath: \"data['a.yaml']::b\", enforce: true}]"
    ran = run(CONFIG, spec=f"templates: []\nmerge: {{{fields}}}\n")
    what = "leads into a file, which is merged line by line"
    told = f"spec.merge.fields[0].fieldPath: `data['a.yaml']::b` {what}: write `data['a.yaml']`"
    assert ran.told == [f"error InvalidFunctionConfig {told}"]


def test_a_value_of_several_lines_in_a_block_that_is_no_file() -> None:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a.yaml: |\n    {{ x }\n    $(LINES)\n"
    assert run(text, spec=SPEC).text == text.replace("$(LINES)", "a\n    b")
