"""What a parser refuses is told in words that the author of the text can use, each with what to do."""

from __future__ import annotations

import pytest

from krm.yamltree import parser
from krm.yamltree.parser import ParseError

INDENTATION = "a `:` may not stand here: put the text in quotes, or mend the indentation"
KEY = "a key should start here: mend the indentation, or a quote above; the mapping starts in line 1"
VALUE = "a value is missing here, or a bracket above is not closed"
VERSION = "no reader knows this version of YAML: write `%YAML 1.2`, or delete the line"
NAME = "a name is missing behind `&` or `*`: put a text that starts with one of them in quotes"
TAB = "a tab is no indentation: use spaces"
MARKER = "this is the marker of a conflict: solve the conflict first"
TOLD = {
    "a: [1\nb: 2\n": "line 2, column 2: `,` or `]` is missing: the list starts in line 1",
    "a: {b: 1\nc: 2\n": "line 2, column 2: `,` or `}` is missing: the mapping starts in line 1",
    "a: [\n": f"line 2, column 1: {VALUE}",
    "a: ]\n": f"line 1, column 4: {VALUE}",
    "a: 'it's'\n": f"line 1, column 8: {KEY}",
    "a:\n  b: 1\n c: 2\n": f"line 3, column 2: {KEY}",
    "- a\nb: 1\n": "line 2, column 1: a `-` should start here: mend the indentation; the list starts in line 1",
    "b: c\na: >\n x\ny\n": "line 5, column 1: `:` is missing: the key starts in line 4",
    "b: c\na: 'x\n\n": "line 4, column 1: a quote is missing: the text in quotes starts in line 2",
    "a: 'x\n---\nb: 1\n": "line 2, column 1: a quote is missing: the text in quotes starts in line 1",
    "a: b: c\n": f"line 1, column 5: {INDENTATION}",
    "a: 1\n  b: 2\n": f"line 2, column 4: {INDENTATION}",
    "a: - b\n": "line 1, column 4: a list may not start here: put it below its key",
    'a: "\\d"\n': "line 1, column 5: this `\\` starts no escape: write `\\\\`, or use single quotes",
    'a: "\\u12"\n': "line 1, column 7: a hexadecimal digit is missing in this escape",
    "host: *.example.com\n": f"line 1, column 8: {NAME}",
    "a: |\n\tx\n": f"line 2, column 1: {TAB}",
    "a:\n\tb: 1\n": f"line 2, column 1: {TAB}",
    "a: |x\n  b\n": "line 1, column 5: the text of `|` and `>` starts in the next line: move it there",
    "a: x\n...\nb: 1\n": "line 3, column 1: a document starts here: put a line `---` above it",
    "a: !x!y z\n": "line 1, column 4: no `%TAG` declares this tag: put a text that starts with `!` in quotes",
    "a: @x\n": "line 1, column 4: a text may not start with `@`: put it in quotes",
    "a: `x`\n": "line 1, column 4: a text may not start with a backtick: put it in quotes",
    "%YAML 3.0\n---\na\n": f"line 1, column 1: {VERSION}",
    "%FOO 3.0\n---\na\n": "line 1, column 5: a line may start with `%` for `%YAML` and `%TAG` alone: delete it",
    "a: 1\u2028b: 'x\n\x85c: 1\n": "line 3, column 1: a quote is missing: the text in quotes starts in line 1",
    "a: 1\n<<<<<<< ours\nb: 1\n=======\nb: 2\n>>>>>>> theirs\n": f"line 2, column 1: {MARKER}",
    "a: 1\nb: 2\n>>>>>>> theirs\n": f"line 3, column 1: {MARKER}",
}


@pytest.mark.parametrize(("text", "told"), TOLD.items(), ids=map(repr, TOLD))
def test_a_text_that_is_no_yaml(text: str, told: str) -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse(text)
    assert str(caught.value) == told


def test_the_line_of_the_start_moves_with_the_text_around() -> None:
    with pytest.raises(ParseError) as caught:
        parser.parse("a: [1\n")
    assert str(caught.value.moved(10)) == "line 12, column 1: `,` or `]` is missing: the list starts in line 11"


def test_a_marker_in_a_text_that_is_yaml_is_text() -> None:
    assert parser.parse("a: |\n  <<<<<<< ours\n").root is not None
    with pytest.raises(ParseError) as caught:
        parser.parse("a: |\n  b\n<<<<<<< ours\n")
    assert str(caught.value) == f"line 3, column 1: {MARKER}"
