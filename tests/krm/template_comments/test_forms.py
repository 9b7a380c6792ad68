"""docs/reference/runs-in-place.md, "The comment": each form, there and back again, byte for byte."""

from __future__ import annotations

import pytest

from krm import resourcelist
from krm.resource import Resource
from krm.template_comments import writing
from krm.template_comments.memory import Memory
from tests.expand_vars.expansion.running import run
from tests.krm.template_comments.texts import restored, thing

ONE = [("A", "eu"), ("N", "3"), ("E", ""), ("L", "a\nb"), ("W", "x y"), ("B", " a")]
OTHER = [("A", "us-1"), ("N", "x"), ("E", "e"), ("L", "c"), ("W", "z"), ("B", "z")]
SPEC = """\
record: Always
inline: [Variables]
unresolved: Ignore
targets: [{fieldPaths: ["spec[*]", "spec[*][*]", "spec[*][*][*]"]}]
"""


FORMS = {
    "plain": ("  a: x-$(A)\n", "  a: x-eu # expand: x-$(A)\n"),
    "quotes": ("  a: \"$(N)\"\n  b: '$(A)'\n", "  a: \"3\" # expand: \"$(N)\"\n  b: 'eu' # expand: '$(A)'\n"),
    "a number": ("  a: $(N)\n", "  a: 3 # expand: $(N)\n"),
    "a text that needs quotes": ("  a: v $(N)\n  b:\n  - $(N).0 #x\n", None),
    "an empty value": ("  a: $(E)\n", '  a: "" # expand: $(E)\n'),
    "a comment of the author's": ("  a: $(A)   # mine  \n", "  a: eu   # mine # expand: $(A)  \n"),
    "blanks at the end": ("  a: $(A) \t\n", "  a: eu # expand: $(A) \t\n"),
    "as many blanks as others": ("  b: 1  # one\n  a: $(A)\n", "  b: 1  # one\n  a: eu  # expand: $(A)\n"),
    "a tab before a comment": ("  b: 1\t# one\n  a: $(A)\n", "  b: 1\t# one\n  a: eu # expand: $(A)\n"),
    "escapes": ('  a: "\\u00e9 # $(A)"\n', '  a: "\\u00e9 # eu" # expand: "\\u00e9 # $(A)"\n'),
    "an anchor and a tag": ("  a: &x !!str $(A)\n", "  a: &x !!str eu # expand: $(A)\n"),
    "a value below its key": ("  a:\n    $(A)\n", "  a:\n    eu # expand: $(A)\n"),
    "a character at the end that nobody sees": (
        "  a: -$(A)\u00a0\n  b: $(A) # mine\u3000\n",
        '  a: "-eu\\u00a0" # expand: -$(A)\u00a0\n  b: eu # mine\u3000 # expand: $(A)\n',
    ),
    "an element": ("  a:\n  - $(A)\n  - - $(A)\n", "  a:\n  - eu # expand: $(A)\n  - - eu # expand: $(A)\n"),
    "brackets": ("  a: [x, $(A)] # c\n", "  # expand: a: [x, $(A)]\n  a: [x, eu] # c\n"),
    "an address in brackets": (
        "  a: [x, http://$(A)/y]\n",
        "  # expand: a: [x, http://$(A)/y]\n  a: [x, http://eu/y]\n",
    ),
    "brackets over lines": ("  a: [x,\n    $(A)\n  ]\n", "  a: [x,\n    eu # expand: $(A)\n  ]\n"),
    "a comma behind a value": (
        '  a: {\n    b: "$(A)", # mine\n    c: $(N) ,\n  }\n',
        '  a: {\n    b: "eu", # mine # expand: "$(A)"\n    c: 3 , # expand: $(N)\n  }\n',
    ),
    "the last of several in a line": (
        "  a: [{b: 1, c: $(A),\n    d: 2}]\n",
        "  a: [{b: 1, c: eu, # expand: $(A)\n    d: 2}]\n",
    ),
    "a value that begins its line": (
        '  a: {\n    b: "\\u00e9 $(A)", c: 1,\n  }\n',
        '  a: {\n    # expand: b: "\\u00e9 $(A)"\n    b: "\\u00e9 eu", c: 1,\n  }\n',
    ),
    "an element that begins its line": ("  a: [\n    $(A), b]\n", "  a: [\n    # expand: $(A)\n    eu, b]\n"),
    "brackets that begin a line in others": (
        "  a: {\n    b: [$(A), x], c: 1,\n    d: {e: $(N)}}\n",
        "  a: {\n    # expand: b: [$(A), x]\n    b: [eu, x], c: 1,\n    # expand: d: {e: $(N)}\n    d: {e: 3}}\n",
    ),
    "a value inside of a line": (
        "  a: [x, $(A), y,\n    $(N)]\n",
        "  # expand: a: [x, $(A), y,\n  #   $(N)]\n  a: [x, eu, y,\n    3]\n",
    ),
    "a text over lines in brackets": (
        '  a: [\n    "x\n    $(A)",\n  ]\n',
        '  a: [\n    # expand: "x\n    # $(A)"\n    "x\n    eu",\n  ]\n',
    ),
    "an alias of brackets": (
        "  a: &x [\n    $(A),\n  ]\n  b: *x\n",
        "  a: &x [\n    eu, # expand: $(A)\n  ]\n  b: *x\n",
    ),
    "an alias in brackets": (
        "  a: &x $(A)\n  b: {\n    c: *x,\n    d: $(N)}\n",
        "  a: &x eu # expand: $(A)\n  b: {\n    c: *x,\n    # expand: d: $(N)\n    d: 3}\n",
    ),
    "brackets below a key": ("  a:\n    {b: $(A)}\n", "  # expand: a:\n  #   {b: $(A)}\n  a:\n    {b: eu}\n"),
    "a block": (
        "  a: |\n    x $(A)\n\n    y\n",
        "  # expand: a: |\n  #   x $(A)\n  a: |\n    x eu\n\n    y\n",
    ),
    "a block below a dash": ("  a:\n  - |\n    $(A)\n    $(N)\n", None),
    "a block whose lines are alike": ("  a: |\n    x {\n    $(A) {\n    z {\n", None),
    "a block that begins with blanks": ("  a: |2\n     $(A)\n    x\n", None),
    "a block that an empty value leaves without text": (
        "  a: |+\n    $(E)\n\n  b:\n  - |-\n    $(E)\n  - >\n    $(E)\n",
        """\
  # expand: a: |+
  #   $(E)
  #\x20\x20\x20
  a: "\\n\\n"

  b:
  # expand: - |-
  #   $(E)
  - ""
  # expand: - >
  #   $(E)
  - "\\n"
""",
    ),
    "a block whose last line an empty value takes": ("  a: |+\n    x\n    $(E)\n\n  b: |\n    x\n    $(E)\n", None),
    "a block that is deeper than most": ("  a: |-\n      $(B)/x\n  b:\n  - |\n   $(B)\n   y\n", None),
    "a folded text": ("  a: >-\n    x\n    $(A)\n\n    y\n", None),
    "blanks at the end of a folded text": ("  a: >-\n    x\n    $(A) \n", None),
    "quotes over lines": ('  a: "x\n    $(A)\n\n    y"\n', None),
    "a plain text over lines": ("  a: x\n    $(A)\n    y\n", None),
    "words in a plain text over lines": ("  a:\n  - b: x $(W)\n      c\n\n      d\n", None),
    "words in quotes over lines": ('  a: "x\n    $(W)\n\n    y"\n', None),
    "words in a folded text": ("  a: >\n    x $(W)\n    y\n", None),
    "words on two lines of a folded text": ("  a: >\n    x $(W)\n    y $(W)\n", None),
    "words on two lines in quotes": ("  a: 'x $(W)\n    y $(W)'\n", None),
    "a bar at the end of the first line in quotes": ("  a: 'x $(W) |\n    y'\n  b: \"- |\n    $(W)\"\n", None),
    "a bar at the end of the first line": ("  a: x $(W) |\n    y\n", None),
    "a folded text that keeps the blank lines below it": ("  a: >+\n    x\n    $(A)\n\n\n  b: >+\n    $(A)\n", None),
    "words below a key": ("  a:\n    x $(W)\n    y\n", None),
    "CRLF": ("  a: $(A)\r\n  b: [$(A)]\r\n", "  a: eu # expand: $(A)\r\n  # expand: b: [$(A)]\r\n  b: [eu]\r\n"),
    "a folded text without a line end": ("  a: >\n    x\n    $(A)", None),
    "a folded text with `+` and without a line end": ("  a: >+\n    x $(W)", None),
    "quotes over lines without a line end": ("  a: 'x\n    $(A)'", None),
    "no line end": ("  a: $(A)", "  a: eu # expand: $(A)"),
    "aliases": ("  a: &x $(A)\n  b: *x\n  c: {d: 1}\n", "  a: &x eu # expand: $(A)\n  b: *x\n  c: {d: 1}\n"),
    "a merge key": ("  a: &x\n    b: $(A)\n  c:\n    <<: *x\n", None),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_form_there_and_back_again(form: str) -> None:
    written, expected = FORMS[form]
    source = thing(written)
    once = run(source, spec=SPEC, arguments=ONE).text
    if expected is not None:
        assert once == thing(expected)
    assert "# expand:" in once
    assert run(once, spec=SPEC, arguments=ONE).text == once
    changed = run(once, spec=SPEC, arguments=OTHER).text
    assert changed == run(source, spec=SPEC, arguments=OTHER).text
    assert run(once, spec=SPEC).text == once
    assert [restored(once), restored(changed)] == [(source, []), (source, [])]
    assert run(once, spec=SPEC.replace("Always", "Never"), arguments=ONE).text.count("# expand:") == 0


def test_a_number_stands_where_its_anchor_is() -> None:
    once = run(thing("  a: &x $(N)\n  b: *x\n"), spec=SPEC, arguments=ONE).text
    assert once == thing("  a: &x 3 # expand: $(N)\n  b: *x\n")
    assert run(once, spec=SPEC, arguments=[("N", "4")]).text == once.replace("3", "4")


FOLLOWING = {
    "a text over lines that stood on one": ("  a:\n    one\n    x $(A)\n", "a\tb"),
    "a folded text that stood on one": ("  a: >-\n    one\n    x $(A)\n", "a\tb"),
    "a block that stood in quotes": ("  a: |\n    one\n    x $(A)\n", "x\x85y"),
    "an address in brackets": ("  a: [x, http://$(A)]\n", "[a]"),
    "a port alone in brackets": ("  a: [x, $(A):80, {b: $(A)?}]\n", ""),
    "a port alone on its line": ("  a: {\n    b: $(A):80,\n  }\n", ""),
    "blanks at the end of a line in quotes": ("  a: 'x \n    $(A)'\n", "a\tb"),
    "a block with a comment": ("  a: | # why\n    one\n    x $(A)\n", "x\x85y"),
    "a folded text with a comment": ("  a: >- # why\n    one\n    x $(A)\n", "a\tb"),
    "a block with blanks behind its header": ("  a: | \t\n    one\n    x $(A)\n", "x\x85y"),
    "a folded text with blanks behind its header": ("  a: >-  \n    one\n    x $(A)\n", "a\tb"),
    "a block that ends in a blank that nobody sees": ("  a: |\n    x $(A)\n    \u00a0\n", "x\x85y"),
    "a block that begins with blanks": ("  a: |4-\n       $(A)\n", "x\x85y"),
    "a block that an alias shows": ("  a: &x |\n    one\n    x $(A)\n  b: *x\n", "- abc"),
}


@pytest.mark.parametrize("case", FOLLOWING)
def test_a_value_that_a_form_cannot_hold_stands_in_quotes_until_the_next(case: str) -> None:
    written, value = FOLLOWING[case]
    once = run(thing(written), spec=SPEC, arguments=[("A", value)]).text
    assert run(once, spec=SPEC, arguments=ONE).text == run(thing(written), spec=SPEC, arguments=ONE).text
    assert restored(once) == (thing(written), [])


def test_a_block_that_stands_in_quotes_gets_a_further_line_of_its_template() -> None:
    source = thing("  a: | # why\n    x $(A)\n    y $(N)\n")
    once = run(source, spec=SPEC, arguments=[("A", "x\x85y")]).text
    further = thing("  # expand: a: |\n  #   x $(A)\n  #   y $(N)\n  a: | # why\n    x eu\n    y 3\n")
    assert run(once, spec=SPEC, arguments=ONE).text == further
    assert [restored(once), restored(further)] == [(source, []), (source, [])]


@pytest.mark.parametrize("margin", ["      ", "   "])
def test_a_block_follows_that_a_formatter_moved(margin: str) -> None:
    once = run(thing("  a: |\n    if x\n      echo $(A)\n"), spec=SPEC, arguments=ONE).text
    moved = once.replace("    if x\n      echo eu", f"{margin}if x\n{margin}  echo eu")
    assert run(moved, spec=SPEC, arguments=OTHER).text == moved.replace("eu", "us-1")


BEHIND_A_DASH = """\
  a:
  - - # expand: b: |
      #   x $(A)
      b: |
        x eu
        y
"""
"""What a formatter makes of a dash that stood alone, above our comment."""


def test_a_comment_that_a_formatter_put_behind_a_dash_is_read_and_written_there() -> None:
    once = thing(BEHIND_A_DASH)
    assert run(once, spec=SPEC, arguments=OTHER).text == once.replace("eu", "us-1")
    # The template gets a line more, in the place of the comment that is there.
    again = run(once.replace("        y\n", "        y $(N)\n"), spec=SPEC, arguments=ONE).text
    longer = BEHIND_A_DASH.replace("$(A)\n", "$(A)\n      #   y $(N)\n")
    assert again == thing(longer.replace("y\n", "y 3\n"))
    written = "  a:\n  - - b: |\n        x $(A)\n        y\n"
    assert restored(once) == (thing(written), [])
    assert run(once, spec=SPEC.replace("Always", "Never"), arguments=ONE).text == thing(written.replace("$(A)", "eu"))


def test_a_comment_behind_a_dash_that_is_no_template_is_told() -> None:
    ran = run(thing("  a:\n  - # expand: b: |\n    #   x $(A)\n    c: 1\n"), spec=SPEC, arguments=ONE[:1])
    told = "it has to begin as the entry below it does, with `c:`; the field stays as it is"
    (result,) = (result for result in ran.results if result.reason == "UnplacedTemplate")
    assert (result.field, result.message) == ("spec.a[0]", f"this comment is no template: {told}")


def test_an_element_on_no_line_of_its_own_has_the_type_of_its_value() -> None:
    once = run(thing("  a: {\n    b, # expand: $(N)\n  }\n"), spec=SPEC, arguments=ONE).text
    assert once == thing("  a: {\n    b: 3, # expand: $(N)\n  }\n")


@pytest.mark.parametrize(
    ("before", "after", "anew"),
    [
        ('["$(X)-b", $(N), c]', "[a-b, 1, d]", '# expand: l: ["$(X)-b", $(N), d]\nl: ["a-b", 1, d]\n'),
        ('["$(X)-b", $(N), c]', "[a-b, 1, &d d]", 'l: ["a-b", 1, &d d]\n'),
    ],
    ids=["what stands beside the templates", "an anchor, which no comment repeats"],
)
def test_a_comment_over_brackets_is_written_anew(before: str, after: str, anew: str) -> None:
    known, item = (Resource.alone(f"# expand: l: {before}\nl: {now}\n", "a") for now in ("[a-b, 1, c]", after))
    fields = Memory.of(known).fields
    assert [*fields] == [("l", 0), ("l", 1)]
    writing.rewrite_comment(item, Memory.of(item).comments["l",], fields)
    assert item.text == anew


def test_a_number_that_an_alias_does_not_follow_is_written_out() -> None:
    ran = run(thing("  a: &x $(N)\n  b: *x\n"), spec="targets: [{fieldPaths: [spec.a]}]", arguments=ONE)
    assert ran.text == thing("  a: 3\n  b: $(N)\n")


def test_of_the_aliases_of_a_text_those_that_follow_get_its_anchor_and_the_comment_stands_there() -> None:
    spec = "record: Always\ninline: [Variables]\ntargets: [{fieldPaths: [spec.a, spec.b, spec.d]}]"
    ran = run(thing("  a: $(N)\n  b: &x x-$(A)\n  c: *x\n  d: *x\n"), spec=spec, arguments=ONE)
    assert ran.text == thing("  a: 3 # expand: $(N)\n  b: &x x-eu # expand: x-$(A)\n  c: x-$(A)\n  d: *x\n")


def test_values_of_several_lines_make_a_block_longer() -> None:
    ran = run(thing("  a: |\n    x $(L)\n    y $(L)\n"), spec=SPEC.replace("Always", "Never"), arguments=ONE)
    assert ran.text == thing("  a: |\n    x a\n    b\n    y a\n    b\n")


@pytest.mark.parametrize("header", ["|", "|-", "|+"])
def test_the_lines_around_the_last_line_of_a_block_tell_it_apart(header: str) -> None:
    """Behind the last line there is none, whether the block ends with a line break or not."""
    ran = run(thing(f"  a: {header}\n    $(A)\n    x\n    b: $(N)\n"), spec=SPEC, arguments=ONE)
    comment = f"  # expand: a: {header}\n  #   $(A)\n  #   x\n  #   b: $(N)\n"
    assert ran.text == thing(f"{comment}  a: {header}\n    eu\n    x\n    b: 3\n")


@pytest.mark.parametrize("below", ["", "\n", "\n\n", "\n  b: x\n"])
def test_a_text_in_quotes_becomes_a_block_that_keeps_its_own_blank_lines_alone(below: str) -> None:
    """A program that writes data has put the block in quotes, and others the blank lines below it."""
    comment = "  # expand: a: |+\n  #   $(A)\n  #   \n"
    ran = run(thing(f'{comment}  a: "x\\n\\n" # mine\n{below}'), spec=SPEC, arguments=ONE)
    written = "|+ # mine\n    eu\n" if below.startswith("\n") and below != "\n\n" else '"eu\\n\\n" # mine\n'
    assert ran.text == thing(f"{comment}  a: {written}{below}")


def test_a_text_that_a_block_cannot_hold_stands_in_quotes() -> None:
    spec = SPEC.replace("Always", "Never")
    ran = run(thing("  # expand: a: |\n  #   $(A)\n  a: |\n    x\n"), spec=spec, arguments=[("A", "\a")])
    assert ran.text == thing('  a: "\\u0007\\n"\n')


def test_a_repeated_name_is_read_at_no_first_and_no_last_position() -> None:
    """A is `"b` here. The first quote and the last one each give it another text, and neither stands twice."""
    listed = resourcelist.read(thing('  a: \'a"b""bx\' # expand: $(T)$(A)"$(A)x\n'))
    assert [*writing.restore(listed.items, lambda *_: None)] == []
    assert listed.emit().text == thing('  a: $(T)$(A)"$(A)x\n')


def test_what_cannot_be_read_beside_its_template_stays() -> None:
    (result,) = writing.restore(resourcelist.read(thing("  a: b # expand: x-$(A)\n")).items, lambda *_: None)
    told = "this cannot be read beside the template in its comment: it stays as it is, with its comment"
    assert (result.reason, result.message) == ("EditedByHand", told)


LEFT = {
    "JSON": (
        '{"apiVersion": "e.com/v1", "kind": "Thing", "metadata": {"name": "a"}, "spec": {"a": "$(A)"}}',
        "has no comments",
    ),
    "an alias in brackets": (thing("  b: &x 1\n  a: [*x, $(A)]\n"), "brackets with an alias"),
    "brackets behind `<<`": (thing("  a:\n    <<: {b: $(A), c: 1}\n"), "a tag, `<<` or a `$(` in a key cannot stand"),
    "a block below its key": (thing("  a:\n    |\n    $(A)\n"), "the block begins below the line of its key"),
    "a block behind a key with `?`": (thing("  ? a\n  : |\n    $(A)\n"), "the block begins below the line of its key"),
    "a line with a template in it": (thing("  a: |\n    # expand: $(A)\n"), "one of its lines has `# expand:`"),
    "a comment in brackets": (thing("  a: [$(A), x, # c\n    y]\n"), "a comment stands inside of it"),
    "one line": (
        "{apiVersion: e.com/v1, kind: Thing, metadata: {name: a}, spec: {a: $(A)}}\n",
        "its object begins on the same line: write its fields on lines of their own",
    ),
    "behind the dash of an object in a list": (
        "apiVersion: v1\nkind: List\nitems:\n- spec: {a: $(A)}\n  apiVersion: e.com/v1\n  kind: Thing\n",
        "its object begins on the same line: write its fields on lines of their own",
    ),
    "a value of lines in a block": (thing("  a: |-\n    x\n      $(L)\n    y\n"), "its lines cannot be told"),
    "a long text": (thing("  a: >\n" + "    x\n" * 20 + "    $(A)\n"), "it has more than 20 lines"),
    "an escape for a reference": (thing('  a: "\\u0024(A)"\n'), "write `$(` there"),
    "a reference over two lines": (thing('  a: "$\\\n    (A)"\n'), "write `$(` there"),
    "lines left of their key": (thing('  a: "x\n $(A)"\n'), "its lines are not indented"),
    "a file of JSON": (
        thing("  a: $(A)\n").replace("  name", "  annotations: {config.kubernetes.io/path: a.json}\n  name"),
        "JSON has no comments",
    ),
}


@pytest.mark.parametrize("form", LEFT)
def test_a_field_without_room_stays_and_is_told(form: str) -> None:
    source, why = LEFT[form]
    ran = run(source, spec=SPEC, arguments=ONE)
    assert (ran.text, {*ran.reasons}) == (source, {"NoRoomForReference", "UnusedArgument"})
    assert any(why in result.message for result in ran.results)
    assert "$(" not in run(source, spec=SPEC.replace("Always", "Never"), arguments=ONE).text


def test_brackets_with_a_reference_in_a_key_have_no_room_either() -> None:
    source = thing("  a: {$(A)k: x, b: $(A)}\n")
    ran = run(source, spec=SPEC, arguments=ONE)
    why = "brackets with an alias, an anchor, a tag, `<<` or a `$(` in a key cannot stand in a comment"
    (told,) = [one.message for one in ran.results if one.reason == "NoRoomForReference"]
    assert (ran.text, why in told) == (source, True)


OWNED = {
    "of kpt's setters": "  a: $(A) # kpt-set: ${a}\n",
    "of kpt's merge": "  a: $(A) # kpt-merge: a/b\n",
    "of Porch": "  a: $(A) # from-param: a\n",
    "of Flux": '  a: $(A) # {"$imagepolicy": "a"}\n',
    "behind brackets": "  a: [$(A)] # kpt-set: ${a}\n",
    "behind a block's header": '  a: | # {"$openapi": "a"}\n    $(A)\n',
    "behind a key": '  a: # {"$openapi": "a"}\n    $(A)\n',
    "above an entry": '  # {"$openapi": "a"}\n  a: $(A)\n',
    "above an element": '  a:\n  # { "$openapi": "a"}\n  # and more\n  - $(A)\n',
    "above brackets": '  # {"$openapi": "a"}\n  a: [$(A)]\n',
}


@pytest.mark.parametrize("where", OWNED)
def test_a_comment_of_another_tool_keeps_its_field(where: str) -> None:
    source = thing(OWNED[where] + "  b: $(A)\n")
    ran = run(source, spec=SPEC, arguments=ONE)
    assert ran.text == thing(OWNED[where] + "  b: eu # expand: $(A)\n")
    assert {*ran.reasons} == {"OwnedByOther", "UnusedArgument"}


@pytest.mark.parametrize(
    "both",
    [
        "  a: eu # kpt-set: ${a} # expand: $(A)\n",
        '  # {"$openapi": "a"}\n  a: eu # expand: $(A)\n',
        "  # expand: a: [$(A)]\n  a: [eu] # kpt-set: ${a}\n",
        '  # {"$openapi": "a"}\n  # expand: a: [$(A)]\n  a: [eu]\n',
    ],
)
def test_a_template_beside_the_comment_of_another_tool_is_not_obeyed(both: str) -> None:
    ran = run(thing(both), spec=SPEC, arguments=OTHER)
    assert (ran.text, {*ran.reasons}) == (thing(both), {"OwnedByOther", "UnusedArgument"})


@pytest.mark.parametrize(
    "remark", ["  # {{ if a }}\n  a: A\n", "  a: 'A # {\"'\n", "  # kpt-set: b\n\n  a: A\n", "  a: A # kpt-set\n"]
)
def test_a_remark_that_looks_like_the_comment_of_a_tool_is_one(remark: str) -> None:
    ran = run(thing(remark.replace("A", "$(A)")), spec=SPEC, arguments=ONE)
    assert "OwnedByOther" not in ran.reasons
    assert ran.text.count("# expand: ") == 1
