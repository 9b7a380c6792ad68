"""Aliases, anchors and merge keys: a change shows in one place, and no alias loses its anchor."""

from __future__ import annotations

from tests.krm.yamltree import tables

ALIASES = """\
=== an alias that is set becomes a value of its own
a: &x 1
b: *x # c
>>> set b 2
a: &x 1
b: 2 # c

=== an alias that is set to what it shows stays one
a: &x
  k: 1 # of k
b: *x
>>> set b {"k": 1}
a: &x
  k: 1 # of k
b: *x

=== what an alias shows is changed in a copy
a: &x {k: 1, l: 'two'}
b: *x # c
>>> set b.k 2
a: &x {k: 1, l: 'two'}
b: # c
  k: 2
  l: 'two'

=== what an alias shows is changed in a copy, in a block
a: &x
  # of k
  k: 1
  l:
    - 'two'
b: *x # c
c: 1
>>> set b.l.0 2
>>> insert b.l.1 3
a: &x
  # of k
  k: 1
  l:
    - 'two'
b: # c
  k: 1
  l:
    - 2
    - 3
c: 1

=== what an alias in a list shows
- &x [1]
- *x
- - *x
>>> insert 1.1 2
>>> set 2.0.0 3
- &x [1]
- - 1
  - 2
- - - 3

=== an anchored node is changed; who shows it gets a copy first
a: &x {k: 1}
b: *x
c: [*x]
>>> set a.k 2
a: &x {k: 2}
b:
  k: 1
c: [{k: 1}]

=== an anchored node is replaced
a: &x 1
b: *x
>>> set a 2
a: 2
b: 1

=== an anchored node is deleted
a: &x 1
b: *x
>>> delete a
b: 1

=== a node around an anchor is deleted
a:
  k: &x 1
  l: *x
b: *x
>>> delete a
b: 1

=== an anchor on a key
&x a: 1
b: *x
>>> delete a
b: a

=== an alias that is a key cannot be given a copy
a: &x k
*x : 1
>>> set a 'l'
!!! line 2: this alias is a key, or is below one that is no scalar

=== an alias in a key cannot be given a copy
a: &x k
? [*x]
: 1
>>> rewrite a k 'l'
!!! line 2: this alias is a key, or is below one that is no scalar

=== a key that is an alias is a key like any other
&a a: &b b
*b : *a
c: 1
>>> set b 1
&a a: &b b
*b : 1
c: 1

=== a key that is an alias is deleted
&a a: &b b
*b : *a
c: 1
>>> delete b
&a a: &b b
c: 1

=== an anchor that is set twice
a: &x 1
b: &x 2
c: *x
>>> delete b
a: &x 1
c: 2

=== a merged key gets an entry of its own
a: &x {k: 1, l: 2}
b:
  <<: *x # c
  m: 3
>>> set b.k 4
a: &x {k: 1, l: 2}
b:
  <<: *x # c
  m: 3
  k: 4

=== a merged list with an alias gets an entry of its own
a: &x 1
b: &y
  k: [*x, 2]
c:
  <<: *y
>>> set c.k.1 3
a: &x 1
b: &y
  k: [*x, 2]
c:
  <<: *y
  k:
  - 1
  - 3

=== a merged mapping gets an entry of its own
a: &x
  k: {l: 1}
b:
  <<: *x
>>> set b.k.m 2
a: &x
  k: {l: 1}
b:
  <<: *x
  k:
    l: 1
    m: 2

=== a new key beside a merge key
a: &x {k: 1}
b:
  <<: *x
>>> set b.l 2
a: &x {k: 1}
b:
  <<: *x
  l: 2

=== what is merged in is changed
a: &x {k: 1}
b:
  <<: *x
c:
  <<: [*x, {l: 2}]
>>> set a.k 2
a: &x {k: 2}
b:
  <<:
    k: 1
c:
  <<: [{k: 1}, {l: 2}]

=== a mapping that is merged in where it stands
b:
  <<: {k: 1, l: {m: 2}}
>>> set b.k 3
>>> set b.l.m 4
b:
  <<: {k: 1, l: {m: 2}}
  k: 3
  l:
    m: 4

=== a merged key cannot be deleted
a: &x {k: 1}
b:
  <<: *x
>>> delete b.k
!!! line 3: `k` is merged in by `<<` and can only be deleted where it is written

=== an own key cannot be deleted where a merged one would show
a: &x {k: 1}
b:
  <<: *x
  k: 2
>>> delete b.k
!!! line 3: `k` is merged in by `<<` and can only be deleted where it is written

=== a key `<<` in quotes merges nothing in
a: &x {k: 1}
b:
  "<<": *x
>>> set b.k 2
a: &x {k: 1}
b:
  "<<": *x
  k: 2

=== a rewritten alias alone gets a copy
a: &x $(X)
b: *x
>>> rewrite b $(X) 'y'
a: &x $(X)
b: "y"

=== a rewritten node alone leaves copies
a: &x $(X)
b: *x
>>> rewrite a $(X) 'y'
a: &x "y"
b: $(X)

=== a rewritten merge
a: &x {k: $(X)}
b:
  <<: *x
>>> rewrite b.k $(X) 'y'
a: &x {k: $(X)}
b:
  <<: *x
  k: "y"

=== an alias whose anchor is elsewhere is no value
a: [*x]
>>> insert a.1 2
a: [*x, 2]

=== an alias whose anchor is elsewhere cannot be copied
? [a]
: 1
b: &y [*x]
c: *y
>>> insert c.1 2
!!! line 3: what an alias shows here has an alias whose anchor is elsewhere

=== a tag on what an alias shows
a: &x !t {k: 1}
b: *x
>>> set b.k 2
!!! line 1: what an alias shows here has a tag on a collection

=== a scalar of several lines with a tag
a: &x {k: !t "a
  b"}
b: *x
>>> set b.l 2
!!! line 1: what an alias shows here has a tag on a scalar of several lines

=== comments inside of what an alias shows are in the original alone
a: &x
  - 1 # one
b: *x
>>> insert b.1 2
a: &x
  - 1 # one
b:
  - 1
  - 2

=== a copy in brackets
a: &x
  k: "one, two"
  l: one, two
  m: |
    one
    two
b: [*x]
>>> set b.0.n 1
a: &x
  k: "one, two"
  l: one, two
  m: |
    one
    two
b: [{k: "one, two", l: "one, two", m: "one\\ntwo\\n", "n": 1}]

=== what is no mapping is not merged in
a: &x [1]
b:
  <<: *x
  c: 1
>>> set b.d 2
a: &x [1]
b:
  <<: *x
  c: 1
  d: 2

=== a merge list that an alias names
a: &x [{k: 1}, {l: 2}]
b:
  <<: *x
>>> set b.l 3
>>> set b.m 4
a: &x [{k: 1}, {l: 2}]
b:
  <<: *x
  l: 3
  m: 4

=== a merge list that an alias names is written out where the list changes
a: &x [{k: 1}, {l: 2}]
b:
  <<: *x # c
  m: 3
>>> set . {'a': [{'k': 1}, {'l': 5}], 'b': {'k': 1, 'l': 2, 'm': 4}}
a: &x [{k: 1}, {l: 5}]
b:
  <<: # c
  - k: 1
  - l: 2
  m: 4

=== what is merged in is written out where it gives way to a scalar
a: &x {k: 1}
b:
  <<: *x # c
  l: 2
>>> set . {'a': 5, 'b': {'k': 1, 'l': 3}}
a: 5
b:
  <<: # c
    k: 1
  l: 3

=== a key that is no scalar in what an alias shows
- &x {? [k] : 1}
- *x
>>> set 1.l 2
!!! line 1: what an alias shows here has a key that is no scalar
"""


@tables.every_case(ALIASES)
def test_aliases(case: tables.Case) -> None:
    assert case.after == tables.outcome(case)
