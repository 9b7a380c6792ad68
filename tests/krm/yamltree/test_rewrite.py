"""Parts of values that are replaced where they stand: the rest of the scalar stays as it was written."""

from __future__ import annotations

import pytest

from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit
from tests.krm.yamltree import tables

REWRITE = """\
=== a plain scalar
a: http://$(H):80  # c
>>> rewrite a $(H) 'web'
a: http://web:80  # c

=== a plain scalar that would read as a number gets quotes
a: $(P)  # c
b: $(P)
>>> rewrite a $(P) '8080'
>>> rewrite b $(P) 'true'
a: "8080"  # c
b: "true"

=== a plain scalar that would read as syntax gets quotes
a: x$(P)
b: x$(P)
c: $(P)x
>>> rewrite a $(P) ': y'
>>> rewrite b $(P) ' #y'
>>> rewrite c $(P) '*'
a: "x: y"
b: "x #y"
c: "*x"

=== a plain scalar in brackets
a: [x$(P), $(P)]
>>> rewrite a.0 $(P) ','
>>> rewrite a.1 $(P) 'y'
a: ["x,", "y"]

=== single quotes
a: 'it''s $(X)'  # c
>>> rewrite a $(X) "o'clock"
a: 'it''s o''clock'  # c

=== single quotes that cannot hold it
a: 'x $(X)'  # c
>>> rewrite a $(X) 'one\\ntwo'
a: "x one\\ntwo"  # c

=== double quotes keep the author's escapes
a: "\\u00e9 \\x41 $(X) \\"" # c
>>> rewrite a $(X) '"\\\\\\n'
a: "\\u00e9 \\x41 \\"\\\\\\n \\"" # c

=== a comment between the tag and the value stands in the way
a: {b: !!str # c
  $(X), d: 1}
>>> rewrite a.b $(X) '8'
!!! line 1: it cannot be changed in place: change it by hand

=== what an escape hides is written anew
a: "\\x24(X) é"
>>> rewrite a $(X) 'y'
a: "y é"

=== a name that an escape spells
a: "u00e9 \\u00e9"
>>> rewrite a u00e9 'y'
a: "y \\u00e9"

=== a name that an escape in front of it spells
a: "\\u00e9 u00e9"
>>> rewrite a u00e9 'y'
a: "é y"

=== a literal block keeps its lines
a: |  # c
  one $(X)
    two $(X)

  three
b: 1
>>> rewrite a $(X) 'y'
a: |  # c
  one y
    two y

  three
b: 1

=== a literal block takes lines in
a: |-
    one
     $(X)
    two
>>> rewrite a $(X) 'x\\ny'
a: |-
    one
     x
    y
    two

=== a literal block with an indicator
a: |2-  # c
    one $(X)
b: 1
>>> rewrite a $(X) 'y'
a: |2-  # c
    one y
b: 1

=== a literal block that keeps its blank lines
a: |+
  one $(X)

b: 1
>>> rewrite a $(X) 'y'
a: |+
  one y

b: 1

=== a literal block that would begin with a blank
a: |
  $(X)
  two
>>> rewrite a $(X) ' y'
a: " y\\ntwo\\n"

=== a folded block keeps its folds
a: >- # c
  one $(X)
  two

  three $(X)
b: 1
>>> rewrite a $(X) 'y'
a: >- # c
  one y
  two

  three y
b: 1

=== a folded block cannot take a line end in
a: >-
  one $(X)
  two
b: 1
>>> rewrite a $(X) 'x\\ny'
a: |-
  one x
  y two
b: 1

=== a plain scalar of several lines keeps them
a: one $(X)
  two $(X) # c
b: 1
>>> rewrite a $(X) 'y'
a: one y
  two y # c
b: 1

=== a quoted scalar of several lines keeps them
a: "one $(X)
  two \\
  $(X)"
b: 1
>>> rewrite a $(X) 'y'
a: "one y
  two \\
  y"
b: 1

=== several parts, some of them equal
a: $(A)$(B)$(A)-$(A)
>>> rewrite a $(A) 'x'
a: x$(B)x-x

=== parts that overlap with others
a: "1-01-01\\t"
>>> rewrite a -01 '-1'
a: "1-1-1\\t"

=== an anchor stays; a tag goes where quotes say the same
a: !!str $(X) # c
b: &x "$(X)"
>>> rewrite a $(X) '1'
>>> rewrite b $(X) '1'
a: "1" # c
b: &x "1"

=== nothing left
a: $(X)
b: "$(X)"
c: [$(X), x]
>>> rewrite a $(X) ''
>>> rewrite b $(X) ''
>>> rewrite c.0 $(X) ''
a: ""
b: ""
c: ["", x]

=== behind wide characters
😀: 😀 $(X) # 😀
>>> rewrite 😀 $(X) '😀'
😀: 😀 😀 # 😀

=== a byte order mark and control characters are escaped
a: "$(X)"
b: $(X)
>>> rewrite a $(X) '\\ufeff\\x7f'
>>> rewrite b $(X) '\\ufeff\\x7f'
a: "\\ufeff\\u007f"
b: "\\ufeff\\u007f"

=== the root
$(X)
>>> rewrite . $(X) '1'
"1"

=== an explicit key's value
? a
: $(X)
>>> rewrite a $(X) '1'
? a
: "1"

=== a value below its key
a:
  # why
  $(X)
>>> rewrite a $(X) '1'
a:
  # why
  "1"

=== a comment behind an anchor
a: &x # c
  $(X)
>>> rewrite a $(X) '1'
a: &x # c
  "1"

=== an anchored block
a: &x |  # c
  $(X)
b: 1
>>> rewrite a $(X) 'one\\n\\n'
a: &x "one\\n\\n\\n"  # c
b: 1
"""


@tables.every_case(REWRITE)
def test_rewrite(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)


PARTS = {
    "the second of two": ([Edit(7, 11, "x")], 'a: "\\u00e9 $(A) x"\n'),
    "both": ([Edit(2, 6, "x"), Edit(7, 11, "y")], 'a: "\\u00e9 x y"\n'),
    # The source is searched once, from its start to its end: what is asked for out of order is not found in it.
    "both, the second one first": ([Edit(7, 11, "y"), Edit(2, 6, "x")], 'a: "\u00e9 x y"\n'),
}


@pytest.mark.parametrize(("changes", "after"), PARTS.values(), ids=PARTS)
def test_equal_parts_are_told_by_their_number(changes: list[Edit], after: str) -> None:
    editor = Editor('a: "\\u00e9 $(A) $(A)"\n')
    editor.rewrite({("a",): changes})
    assert editor.text == after


@pytest.mark.parametrize("text", ["a: {b: c}\nd: e\n", "a: &x {b: c}\nd: e\nf: *x\n"], ids=["plain", "with an alias"])
@pytest.mark.parametrize("path", [("a",), ("x",), ("d", "x"), ()])
def test_nothing_is_rewritten_where_a_path_leads_to_no_scalar(text: str, path: tuple[str, ...]) -> None:
    editor = Editor(text)
    with pytest.raises(KeyError):
        editor.rewrite({("d",): [Edit(0, 1, "x")], path: [Edit(0, 0, "x")]})
    assert editor.text == text
