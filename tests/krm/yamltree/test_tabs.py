"""Tabs between tokens, and a comment glued to a header: libyaml reads them, PyYAML's own parser refuses them."""

from __future__ import annotations

from tests.krm.yamltree import tables

TABS = """\
=== an empty value behind a tab
a:\t# c
>>> set a 1
a: 1\t# c

=== a comment that is glued to a block's header
a: >#c
  text
b: 1
>>> set a 1
a: 1 #c
b: 1

=== tabs and blanks between everything
a:\t1\t# c
b :  2
>>> set a 3
>>> set b 4
a:\t3\t# c
b :  4

=== a line of blanks and a tab
a: 1
 \t
b: 2
>>> set a 3
>>> set c 4
a: 3
 \t
b: 2
c: 4

=== a tab cannot stand behind a dash
a:
   - b	# c
   - &d 	# e
     f
>>> set a.0 ["x"]
>>> set a.1 ["z"]
a:
   - # c
     - x
   -  # e
     - z

=== tabs in brackets
{\ta:\t1,\tb:\t[2\t]\t}\t# c
>>> set a 3
>>> insert b.1 4
>>> delete a
{\tb:\t[2, 4\t]\t}\t# c
"""


@tables.every_case(TABS)
def test_tabs(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)
