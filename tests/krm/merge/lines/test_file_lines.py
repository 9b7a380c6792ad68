"""Lines within structure: what becomes of three files, with the conflicts that are left."""

from __future__ import annotations

import pytest

from krm.file import File
from krm.git import cascade
from krm.merge.files import line_judge
from krm.merge.text_merge import Hunk, refined
from krm.results import FnError
from tests.krm.merge import sides


def merged(origin: str, update: str, local: str) -> str:
    """Return the merge of three texts, each conflict as `<local|origin|update>`."""
    files = {"origin": File(origin, "a.yaml"), "update": File(update, "a.yaml"), "local": File(local, "a.yaml")}
    return "".join(map(shown, cascade.by_fields(files)[0]))  # type: ignore[arg-type]  # its keys are sides


def shown(piece: object) -> str:
    return f"<{piece.local}|{piece.origin}|{piece.update}>" if isinstance(piece, Hunk) else str(piece)


PROBE = "kind: Pod/spec:/  containers:/  - name: a/    livenessProbe:/"
SERVICE = "kind: Service/apiVersion: v1/spec:/  type: {}/  ports:/    - port: 80/{}"

# origin, update, local; what comes out. A `/` stands for the end of a line.
CASES = {
    "one value": ("a: 1/b: 1/", "a: 2/b: 1/", "a: 3/b: 2/", "<a: 3/|a: 1/|a: 2/>b: 2/"),
    "key, value and comment are parts of a line": ("a: 1 # x/", "a: 2 # x/", "a: 1 # y/", "a: 2 # y/"),
    "one value in other quotes": ("a: 1 # x/", "a: 'b'/", 'a: "b" # x/', 'a: "b"/'),
    "an alias for the same value": (
        "a: &x b/c: b/d: 1/", "a: &x b/c: 'b'/d: 1/", "a: &x b/c: *x/d: 2/", "a: &x b/c: *x/d: 2/",
    ),
    "update's value beside other quotes": ("a: 'b' # x/", "a: 'c' # x/", "a: b # y/", "a: 'c' # y/"),
    "comments below a value": ("a: 1/", "a: 2/", "a: 1/  # why/", "a: 2/  # why/"),
    "a value that comes": ("a:/b: 1/", "a: 1/b: 1/", "a: # why/b: 1/", "a: 1 # why/b: 1/"),
    "a text of several lines is one value": (
        'a: "x/  y"/', 'a: "x/  z"/', 'a: "w/  y"/', '<a: "w/  y"/|a: "x/  y"/|a: "x/  z"/>',
    ),
    "a text that all sides wrapped otherwise": (
        "a: b c/  d e/  f/", "a: b c d/  e f/", "a: b/  c d e f/", "a: b/  c d e f/",
    ),
    "a text that update only wrapped otherwise": (
        "a: b c/  d e/  f/", "a: b c d/  e f/", "a: b c/  D e/  f/", "a: b c/  D e/  f/",
    ),
    "a text with a number sign that all sides wrapped otherwise": (
        "a: 'b c/  d x#y/  f'", "a: 'b c d/  x#y f'", "a: 'b/  c d x#y f'", "a: 'b/  c d x#y f'",
    ),
    "a folded text that local only wrapped otherwise": (
        "a: >-/  b c/  d e/", "a: >-/  b c/  D e/", "a: >-/  b/  c d e/", "a: >-/  b c/  D e/",
    ),
    "a comment of a list that update emptied, and local edited": (
        "s:/  a:/  # c/  - x/  b: 1/", "s:/  a:/  # c/  b: 1/", "s:/  a:/  # d/  - x/  b: 1/", "s:/  a:/  # d/  b: 1/",
    ),
    "a comment beside empty brackets, in the place of which local has a list": (
        "a: {}/", "a: {} # c/", "a: [/  x/]/", "<a: [/  x/]/|a: {}/|a: {} # c/>",
    ),
    "a comment that both edited, of a list that update emptied": (
        "a:/# c/- x: {}/", "a:/# d/", "a:/# d/- x: {}/", "a:/# d/",
    ),
    "a comment below a key without a value, to which update gives a list": (
        "a:/# c/b: 1/", "a:/# c/- x/b: 1/", "a:/# d/b: 1/", "a:/# d/- x/b: 1/",
    ),
    "lines of a text": (
        "a: |/  1/  2/  3/", "a: |/  1/  2/  4/", "a: |/    0/    2/    3/", "a: |/    0/    2/    4/",
    ),
    "a text that keeps the blank lines below it, at the end of what it is in": (
        "a:/  b: |+/    1/    2//", "a:/  c: 3/  b: |+/    1/    2//", "a:/  b: |+/    2//",
        "a:/  c: 3/  b: |+/    2//",
    ),
    "a text of which update leaves blank lines": (
        "a: |+/  1//b: 1/", "a: |+//b: 2/", "a: |+/  3//b: 1/", "a: |+/<  3/|  1/|>/b: 2/",
    ),
    "a text of blank lines": ("a: |+//b: 1/", "a: |+///b: 1/", "a: |+////b: 2/", "a: |+//<//||/>b: 2/"),
    "one line of a text": ("a: |/  1/b: 1/", "a: |/  2/b: 1/", "a: |/  3/b: 1/", "a: |/<  3/|  1/|  2/>b: 1/"),
    "a text that says its depth": (
        "a: |2/  1/  2/  3/", "a: |2/  0/  2/  3/", "a: |2/  1/  2/  4/",
        "a: |2/  0/  2/  4/",
    ),
    "a text with a break that is no line end here": (
        "a: |/  1/b: 1/", "a: |/  2/b: 1/", "a: |/\x85  3/b: 1/", "<a: |/\x85  3/|a: |/  1/|a: |/  2/>b: 1/",
    ),
    "a wrapped text that one side put into other quotes, and changed": (
        "k: 'a/  b/  c'/z: 1/", 'k: "A/  b/  c"/z: 1/', "k: 'a/  b/  d'/z: 1/",
        "<k: 'a/  b/  d'/|k: 'a/  b/  c'/|k: \"A/  b/  c\"/>z: 1/",
    ),
    "a wrapped text that one side put into other quotes": (
        "k: 'a/  b/  c'/z: 1/", 'k: "a/  b/  c"/z: 1/', "k: 'a/  b/  d'/z: 1/", "k: 'a/  b/  d'/z: 1/",
    ),
    "a comment that both wrote, and an entry above it that one deleted": (
        "a: 1/b: 1/c: 1/", "a: 1/# x/b: 1/c: 1/", "# x/b: 1/c: 1/", "# x/b: 1/c: 1/",
    ),
    "a comment that both wrote, and an entry above it that one renamed": (
        "a: 1/b: 1/c: 1/", "a: 1/# x/b: 1/c: 1/", "A: 1/# x/b: 1/c: 1/", "A: 1/# x/b: 1/c: 1/",
    ),
    "a comment that both wrote, and an entry below it that one deleted": (
        "a: 1/b: 1/c: 1/", "a: 1/# x/b: 1/c: 1/", "a: 1/# x/c: 1/", "a: 1/# x/c: 1/",
    ),
    "a move by both, below the heading of the first entry": (
        "# h/a: 1/b: 1/c: 1/", "# h/b: 1/a: 1/c: 1/", "# h/b: 1/a: 1/c: 2/", "# h/b: 1/a: 1/c: 2/",
    ),
    "a new entry of both between two blank lines of origin": (
        "a: 1///b: 1/z: 1/", "a: 1//p: 1//b: 1/z: 2/", "a: 1//p: 1//b: 1/z: 1/c: 1/", "a: 1//p: 1//b: 1/z: 2/c: 1/",
    ),
    "one comment above two elements": (
        "i:/- a: 1/- b: 2/", "i:/# x/- a: 1/- b: 2/", "i:/- a: 3/# x/- b: 2/", "i:/# x/- a: 3/# x/- b: 2/",
    ),
    "a comment behind an argument that both added": (
        "a:/- 1/", "a:/- 1/- 2 # c/- 3/", "a:/- 1/- 2/- 3 # d/", "a:/- 1/- 2 # c/- 3 # d/",
    ),
    "a comment above an argument that both added": ("a:/- 1/", "a:/- 1/# c/- 2/", "a:/- 1/- 2/", "a:/- 1/# c/- 2/"),
    "a comment above an argument that both put in the place of another": (
        "a:/- 1/# b/- 2/", "a:/- 1/# c/- 3/", "a:/- 1/# b/- 3/", "a:/- 1/# c/- 3/",
    ),
    "a comment behind a field that both added": ("a: 1/", "a: 1/b: 2 # c/", "a: 1/b: 2/", "a: 1/b: 2 # c/"),
    "an entry that both moved to two places": (
        "a: 1/k: 1/area: s/", "area: C/a: 1/k: 1/", "a: 1/area: D/k: 1/", "<area: D/|area: s/|area: C/>a: 1/k: 1/",
    ),
    "a comment that both wrote above an element that one changed": (
        "a:/- 1/", "a:/# x/- 1/", "a:/# x/- 2/", "a:/# x/- 2/",
    ),
    "brackets with a value over lines": (
        "a: {p: 1,/  q: 2}/", "a: {p: !t 3/  4,/  q: 2}/", "a: {p: 1,/  q: 5}/",
        "a: {p: !t 3/  4,/  q: 5}/",
    ),
    "brackets with an anchor that moves": (
        "a: {r: [&n {k: 1}, [1, 2], x/ ]/ }/b: [*n]/",
        "a: {r: [[1, 2], x, &n {k: 1}/ ]/ }/b: [*n]/",
        "a: {r: [&n {k: 1},  [1, 2],  x/ ]/ }/b: [*n]/",
        "a: {r: [[1, 2],  x, &n {k: 1}/ ]/ }/b: [*n]/",
    ),
    "brackets with an anchor between equal elements": (
        "a: {r: [!t 4, &n 3, !t 4/ ]/ }/b: [*n]/",
        "a: {r: [7, &n 3, !t 4/ ]/ }/b: [*n]/",
        "a: {r: [!t 4,  &n 3,  !t 4/ ]/ }/b: [*n]/",
        "a: {r: [7,  &n 3,  !t 4/ ]/ }/b: [*n]/",
    ),
    "an empty text": ("a: |/b: 1/", "a: |/  x/b: 1/", "a: |/  y/b: 1/", "<a: |/  y/|a: |/|a: |/  x/>b: 1/"),
    "a text that keeps its last lines": (
        "a: |+/  1/  2//b: 1/", "a: |+/  0/  2//b: 1/", "a: |+/  1/  2///b: 1/", "a: |+/  0/  2///b: 1/",
    ),
    "gone beside other quotes": ("a: b/c: d/", "a: 'b'/c: d/", "c: d/", "c: d/"),
    "gone beside a copy of it": (
        "a: &x b/c: b/d: 1/", "a: &x b/c: *x/d: 1/", "a: &x b/d: 1/", "a: &x b/<|c: b/|c: *x/>d: 1/",
    ),
    "another element beside other quotes": ("x:/- a/- b/", "x:/- a/- 'b'/", "x:/- a/- c/", "x:/- a/- c/"),
    "another element beside a new comment": (
        "x:/- a/- b/", "x:/- a/- b # why/", "x:/- a/- c/", "x:/- a/<- c/|- b/|- b # why/>",
    ),
    "an element that both took away, one for a comment": ("x:/- a/- b/", "x:/- a/", "x:/- a/# - b/", "x:/- a/# - b/"),
    "a comment that both took away, one for an element": (
        "x:/- a/# - b/", "x:/- a/- b/", "x:/- c/- a/", "x:/- c/- a/- b/",
    ),
    "an element in other quotes": ("x:/- a/- b/", "x:/- a # why/- b/", "x:/- 'a'/- b/", "x:/- 'a' # why/- b/"),
    "a document in brackets": ("{a: 1, b: 1}/", "{a: 2, b: 1}/", "{a: 1, b: 3}/", "{a: 2, b: 3}/"),
    "brackets": (
        "a: {x: 1, y: 1}/b: [p, q, r]/", "a: {x: 1, y: 2}/b: [p, q, s]/", "a: {x: 2, y: 1, z}/b: [o, q, r]/",
        "a: {x: 2, y: 2, z}/b: [o, q, s]/",
    ),
    "empty brackets": ("a: {x: 1}/", "a: {}/", "a: { x: 1 } # why/", "a: {} # why/"),
    "brackets that both emptied": ("a: [x, y, z]/", "a: [y, z]/", "a: []/", "a: []/"),
    "brackets in conflict": ("a: [x]/", "a: [y]/", "a: [z]/", "<a: [z]/|a: [x]/|a: [y]/>"),
    "an anchor ahead of a mapping": (
        "a: &x/  b: 1/  c: 1/d: *x/", "a: &x/  b: 2/  c: 1/d: *x/", "a: &x/  b: 1/  c: 2/d: *x/",
        "a: &x/  b: 2/  c: 2/d: *x/",
    ),
    "an anchor ahead of a mapping that each emptied of a half": (
        "a: &x # y/  b: 1/  c: 1/", "a: &x # y/  b: 1/", "a: &x # y/  c: 1/", "a: &x {} # y/",
    ),
    "an anchor ahead of an element": (
        "- &x/  b: 1/  c: 1/", "- &x/  b: 2/  c: 1/", "- &x/  b: 1/  c: 2/", "- &x/  b: 2/  c: 2/",
    ),
    "an anchor ahead of brackets": (
        "a: &x {b: 1}/c: &y []/", "a: &x {b: 2}/c: &y [u]/", "a: &x {b: 1, d: 1}/c: &y [] # z/",
        "a: &x {b: 2, d: 1}/c: &y [u] # z/",
    ),
    "another anchor ahead of brackets": (
        "a: {b: 1}/", "a: &x {b: 2}/", "a: {c: 1}/", "<a: &x {c: 1}/|a: &x {c: 1, b: 1}/|a: &x {c: 1, b: 2}/>",
    ),
    "another kind of value": ("a: [x]/", "a: {y: 1}/", "a: z/", "<a: z/|a: [x]/|a: {y: 1}/>"),
    "what both added is one": ("a: 1/", "a: 1/b:/  x: 1/", "a: 1/b:/  y: 1/", "a: 1/b:/  y: 1/  x: 1/"),
    "columns": ("a:/  b: 1/  c: 1/", "a:/    b: 1/    c: 2/", "a:/  b: 2/  c: 1/", "a:/    b: 2/    c: 2/"),
    "what each emptied of a half": ("a: # x/  b: 1/  c: 1/", "a: # x/  b: 1/", "a: # x/  c: 1/", "a: {} # x/"),
    "a list that each emptied of a half": ("a:/- 1/- 2/", "a:/- 1/", "a:/- 2/", "a: []/"),
    "an element that each emptied of a half": (
        "a:/- b: 1/  c: 1/- d: 1/", "a:/- b: 1/- d: 1/", "a:/- c: 1/- d: 1/",
        "a:/- {}/- d: 1/",
    ),
    "a collection of comments": (
        "a:/  # none/b: 1/", "a:/  # none/  c: 1/b: 1/", "a:/  # none yet/b: 1/", "a:/  # none yet/  c: 1/b: 1/",
    ),
    "emptied with brackets, and edited": ("a:/  b: 1/", "a: {}/", "a:/  b: 2/", "<a:/  b: 2/|a:/  b: 1/|a: {}/>"),
    "emptied, and edited": ("a:/  b: 1/", "a:/", "a:/  b: 2/", "<a:/  b: 2/|a:/  b: 1/|a:/>"),
    "the line ahead of a collection": (
        "a: &x/  b: 1/", "a: &y/  b: 2/", "a: &z/  b: 1/", "<a: &z/  b: 1/|a: &x/  b: 1/|a: &y/  b: 2/>",
    ),
    "an anchor in a line of its own": (
        "a:/  &x/  b: 1/  c: 1/", "a:/  &x/  b: 2/  c: 1/", "a:/  &x/  b: 1/  c: 2/",
        "<a:/  &x/  b: 1/  c: 2/|a:/  &x/  b: 1/  c: 1/|a:/  &x/  b: 2/  c: 1/>",
    ),
    "elements": (
        "kind: Pod/spec:/  containers:/  - name: a/    image: x/  - name: b/    image: y/",
        "kind: Pod/spec:/  containers:/  - image: x/    name: a/    tty: true/  - name: b/    image: z/",
        "kind: Pod/spec:/  containers:/  - name: a/    image: w/  # the other/  - name: b/    image: y/",
        "kind: Pod/spec:/  containers:/  - image: w/    name: a/    tty: true/  # the other/  - name: b/    image: z/",
    ),
    "a conflict behind a dash": (
        "kind: Pod/spec:/  containers:/  - image: x/    name: a/",
        "kind: Pod/spec:/  containers:/  - image: y/    name: a/",
        "kind: Pod/spec:/  containers:/  - image: z/    name: a/",
        "kind: Pod/spec:/  containers:/<  - image: z/|  - image: x/|  - image: y/>    name: a/",
    ),
    "a conflict behind a dash, one side of which is empty": (
        "kind: Pod/spec:/  containers:/  - image: x/    name: a/", "kind: Pod/spec:/  containers:/  - name: a/",
        "kind: Pod/spec:/  containers:/  - image: z/    name: a/",
        "kind: Pod/spec:/  containers:/<  - image: z/    name: a/|  - image: x/    name: a/|  - name: a/>",
    ),
    "nothing else behind such a dash": (
        "a:/- b: 1/  c: 1/- d: 1/", "a:/- c: 1/- d: 1/", "a:/- b: 2/- d: 1/",
        "a:/<- b: 2/|- b: 1/  c: 1/|- c: 1/>- d: 1/",
    ),
    "no room for a dash": (
        "a:/- name: x/  b: 1/- name: y/  b: 1/", "a:/- name: x/  b: 2/- name: y/  b: 1/",
        "a:/-/  name: x/  b: 1/  c: 1/- name: y/  b: 1/",
        "a:/-/  name: x/  b: 2/  c: 1/- name: y/  b: 1/",
    ),
    "a dash by itself": (
        "a:/-/  name: x/  b: 1/", "a:/-/  name: x/  b: 2/", "a:/-/  name: x/  b: 1/  c: 1/",
        "a:/-/  name: x/  b: 2/  c: 1/",
    ),
    "a comment that has no room behind a dash": (
        "x:/- a: 1/  b: 1/  d: 1/", "x:/- b: 1/  d: 1/", "x:/- a: 1/# l/  b: 1/  d: 1/",
        "x:/-/# l/  b: 1/  d: 1/",
    ),
    "a conflict alone behind a dash": (
        "kind: Pod/spec:/  containers:/  - name: a/  - image: x/    tty: true/",
        "kind: Pod/spec:/  containers:/  - name: a/  - tty: true/",
        "kind: Pod/spec:/  containers:/  - name: a/  - image: y/",
        "kind: Pod/spec:/  containers:/  - name: a/<  - image: y/|  - image: x/    tty: true/|  - tty: true/>",
    ),
    "lines of a text in double quotes": (
        r'a: "x\ny\\n\nz\n" # c/', r'a: "x\ny\\n\nu\n" # c/', r'a: &t "w\nx\ny\\n\nz\n"/', r'a: &t "w\nx\ny\\n\nu\n"/'
    ),
    "one line of a text in double quotes": (
        r'a: "x\ny\n"/b: 1/', r'a: "x1\ny\n"/b: 1/', r'a: "x2\ny\n"/b: 2/',
        r'<a: "x2\ny\n"/|a: "x\ny\n"/|a: "x1\ny\n"/>b: 2/',
    ),
    "lines of a text in JSON": (
        r'{"a": "x\ny\nz\u0041", "b": 1}/', r'{"a": "x\ny\nz\u0041\n", "b": 1}/', r'{"a": "w\ny\nz\u0041", "b": 2}/',
        r'{"a": "w\ny\nz\u0041\n", "b": 2}/',
    ),
    "lists in lists": (
        "a:/- - x: 1/    y: 1/  - z: 1/", "a:/- - x: 1/    y: 2/  - z: 1/", "a:/- - x: 2/    y: 1/  - z: 1/",
        "a:/- - x: 2/    y: 2/  - z: 1/",
    ),
    "one more of an element, apart": (
        "x:/- a/- b/- c/", "x:/- a/- b/- a/- c/", "x:/- a/- b/- c/- a/", "x:/- a/- b/- a/- c/- a/",
    ),
    "one more of an element, in one place": (
        "x:/- a/- b/- c/", "x:/- a/- b/- a/- c/- u/", "x:/- l/- a/- b/- a/- c/", "x:/- l/- a/- b/- a/- c/- u/",
    ),
    "elements without a key that are alike": (
        "a:/- b: 1/  c: 1/  d: 1/- e: 1/", "a:/- b: 2/  c: 1/  d: 1/- e: 1/", "a:/- b: 1/  c: 1/  d: 2/- e: 1/",
        "a:/- b: 2/  c: 1/  d: 2/- e: 1/",
    ),
    "an element with another text, in its place": (
        "a:/- uses: get@v1/- e: 1/", "a:/- uses: get@v1/  with: 2/- e: 1/", "a:/- uses: get@v2/- e: 1/",
        "a:/- uses: get@v2/  with: 2/- e: 1/",
    ),
    "an element with another text, and one more": (
        "a:/- uses: get@v1/- e: 1/", "a:/- uses: get@v1/  with: 2/- e: 1/", "a:/- run: x/- uses: get@v2/- e: 1/",
        "a:/- run: x/- uses: get@v2/  with: 2/- e: 1/",
    ),
    "elements that are alike, and have only grown": (
        "a:/- b: 1/- c: 0/- b: 1/", "a:/- b: 1/  d: 2/- c: 0/- b: 1/  d: 2/", "a:/- b: 1/- c: 0/- b: 1/  e: 3/",
        "a:/- b: 1/  d: 2/- c: 0/- b: 1/  e: 3/  d: 2/",
    ),
    "another element in its place": (
        "a:/- uses: get@v1/- e: 1/", "a:/- uses: get@v1/  with: 2/- e: 1/", "a:/- uses: set@v2/- e: 1/",
        "a:/<- uses: set@v2/|- uses: get@v1/|- uses: get@v1/  with: 2/>- e: 1/",
    ),
    "a text with another key, and another head": (
        "a: |/  1/  2/  3/  4/z: 1/", "a: |-/  1/  2/  3/  5/z: 1/", "b: |/  1/  2/  3/  4/z: 1/",
        "<b: |/  1/  2/  3/  4/|a: |/  1/  2/  3/  4/|a: |-/  1/  2/  3/  5/>z: 1/",
    ),
    "a renamed key": (
        "a:/  b: 1/  c: 1/  d: 1/  e: 1/", "x:/  b: 1/  c: 1/  d: 1/  e: 1/", "a:/  b: 1/  c: 1/  d: 1/  e: 2/",
        "x:/  b: 1/  c: 1/  d: 1/  e: 2/",
    ),
    "several that are alike, in their order": (
        "a:/- b: 1/  c: 1/- b: 2/  c: 2/- e: 3/", "a:/- b: 1/  c: 9/- b: 2/  c: 8/- e: 3/",
        "a:/- f: 0/- b: 1/  c: 1/- b: 2/  c: 2/- e: 3/", "a:/- f: 0/- b: 1/  c: 9/- b: 2/  c: 8/- e: 3/",
    ),
    "a list that is one value": (
        "kind: Pod/spec:/  containers:/  - name: a/    envFrom:/    - prefix: x/",
        "kind: Pod/spec:/  containers:/  - name: a/    envFrom:/    - prefix: y/",
        "kind: Pod/spec:/  containers:/  - name: a/    envFrom:/    - prefix: z/",
        "kind: Pod/spec:/  containers:/  - name: a/    envFrom:/<    - prefix: z/|    - prefix: x/|    - prefix: y/>",
    ),
    "a selector": (
        "apiVersion: v1/kind: Service/spec:/  selector:/    a: b/    c: d/",
        "apiVersion: v1/kind: Service/spec:/  selector:/    a: x/    c: d/",
        "apiVersion: v1/kind: Service/spec:/  selector:/    a: b/    c: y/",
        "apiVersion: v1/kind: Service/spec:/  selector:/    a: x/    c: y/",
    ),
    "an explicit key": (
        "x:/  ? a/  : 1/  b: 1/", "x:/  ? a/  : 1/  b: 2/", "x:/  ? a/  : 2/  b: 1/",
        "<x:/  ? a/  : 2/  b: 1/|x:/  ? a/  : 1/  b: 1/|x:/  ? a/  : 1/  b: 2/>",
    ),
    "a key that is no scalar": (
        "x:/  {a: b}: 1/  b: 1/", "x:/  {a: b}: 1/  b: 2/", "x:/  {a: b}: 2/  b: 1/",
        "<x:/  {a: b}: 2/  b: 1/|x:/  {a: b}: 1/  b: 1/|x:/  {a: b}: 1/  b: 2/>",
    ),
    "fields of which one side exchanged some": (
        f"{PROBE}      exec: 1/      periodSeconds: 1/", f"{PROBE}      httpGet: 1/      periodSeconds: 2/",
        f"{PROBE}      # why/      exec: 1/      periodSeconds: 1/",
        f"{PROBE}      # why/      httpGet: 1/      periodSeconds: 2/",
    ),
    "fields that both exchanged": (
        f"{PROBE}      exec: 1/      periodSeconds: 1/", f"{PROBE}      httpGet: 1/      periodSeconds: 2/",
        f"{PROBE}      # why/      tcpSocket: 1/      periodSeconds: 1/",
        f"{PROBE}      # why/<      tcpSocket: 1/|      exec: 1/|      httpGet: 1/>      periodSeconds: 2/",
    ),
    "ports, if their type is in conflict": (
        SERVICE.format("NodePort", "      nodePort: 1/"), SERVICE.format("ClusterIP", ""),
        SERVICE.format("LoadBalancer", "      nodePort: 1/    - port: 90/      nodePort: 2/"),
        SERVICE.format("LoadBalancer/|  type: NodePort/|  type: ClusterIP/>", "").replace("  type", "<  type", 1)
        .replace("/>/", "/>") + "<      nodePort: 1/|      nodePort: 1/|>    - port: 90/<      nodePort: 2/||>",
    ),
    "labels that one side deleted, and the other added to": (
        "metadata:/  labels:/    a: 1/b: 1/", "b: 2/", "metadata:/  labels: # mine/    a: 1/    # why/    c: 1/b: 1/",
        "metadata:/  labels: # mine/    # why/    c: 1/b: 2/",
    ),
    "labels in brackets of a side, that the other deleted": (
        "metadata:/  n: 1/  labels: {a: 1}/b: 1/", "metadata:/  n: 1/b: 2/",
        "metadata:/  n: 1/  labels: {a: 1, c: 1}/b: 1/", "metadata:/  n: 1/  labels: {c: 1}/b: 2/",
    ),
    "labels in brackets that local deleted": (
        "metadata:/  n: 1/  labels: {a: 1}/b: 1/", "metadata:/  n: 1/  labels: {a: 1, c: 1}/b: 1/",
        "metadata:/  n: 1/b: 2/", "metadata:/  n: 1/  labels: {c: 1}/b: 2/",
    ),
    "a key that one side renamed, and the other put in its place": (
        "a:/  b: 1/  c: 1/  d: 1/  e: 1/", "x:/  b: 1/  c: 1/  d: 1/  e: 1/", "x: 1/",
        "<x: 1/|a:/  b: 1/  c: 1/  d: 1/  e: 1/|x:/  b: 1/  c: 1/  d: 1/  e: 1/>",
    ),
    "a key that one side renamed, and the other deleted": (
        "n: 1/a:/  b: 1/  c: 1/  d: 1/  e: 1/", "n: 1/x:/  b: 1/  c: 1/  d: 1/  e: 1/", "n: 1/",
        "n: 1/<|a:/  b: 1/  c: 1/  d: 1/  e: 1/|x:/  b: 1/  c: 1/  d: 1/  e: 1/>",
    ),
    "labels in brackets of which a deleted one was changed": (
        "metadata:/  n: 1/  labels: {a: 1}/b: 1/", "metadata:/  n: 1/b: 2/", "metadata:/  n: 1/  labels: {a: 2}/b: 1/",
        "metadata:/  n: 1/<  labels: {a: 2}/|  labels: {a: 1}/|>b: 2/",
    ),
    "arguments that one side wrote in other quotes": (
        "a:/- --x/- v/- z/", "a:/- '--x'/- 'v'/- z/", "a:/- --x/- w/- z/", "a:/- '--x'/- w/- z/",
    ),
    "an argument that one side explained": (
        "a:/- --x/- v/- z/", "a:/- --x # why/- v # why/- z/", "a:/- --x/- w/- z/",
        "a:/- --x # why/<- w/|- v/|- v # why/>- z/",
    ),
    "a key that both renamed": (
        "a:/  b: 1/  c: 1/  d: 1/  e: 1/", "x:/  b: 1/  c: 1/  d: 1/  e: 1/", "y:/  b: 1/  c: 1/  d: 1/  e: 1/",
        ("<y:/  b: 1/  c: 1/  d: 1/  e: 1/|a:/  b: 1/  c: 1/  d: 1/  e: 1/|x:/  b: 1/  c: 1/  d: 1/  e: 1/>"),
    ),
    "a comment in a mapping that one side deleted, and of which the other deleted an entry, too": (
        "labels:/  a: 1/  b: 2/z: 1/", "z: 1/", "labels:/  # why/  b: 2/z: 1/",
        "<labels:/  # why/  b: 2/|labels:/  a: 1/  b: 2/|>z: 1/",
    ),
    "a comment that both wrote, and that one side took away elsewhere": (
        "a: 1 # x/b: 1 # y/c: 1/", "a: 2 # z/b: 2 # x/c: 1/", "a: 1 # x/b: 2 # x/c: 1/", "a: 2 # z/b: 2 # x/c: 1/",
    ),
    "blanks in a line behind what the other side changed": (
        "a: 1//b: 1/", "a: 2//b: 1/", "a: 1/  /b: 1/c: 1/", "a: 2/  /b: 1/c: 1/",
    ),
    "blanks in a line that comes behind a new text": (
        "l:/- a: 1//- b: 1/", "l:/- a: 1//- r: |/    x//- b: 1/", "l:/- a: 1/        /- b: 1/",
        "l:/- a: 1//- r: |/    x//- b: 1/",
    ),
    "a key that both added between blank lines": (
        "a: 1//b: 1/", "a: 1//n: 1//b: 1/", "a: 1//n: 2//b: 1/", "a: 1//<n: 2/||n: 1/>/b: 1/",
    ),
    "keys that both renamed alike, of which one side rewrote a value": (
        "a:/  b: 1/  c: 1/  d: 1/  e: 1/f:/  b: 2/  c: 2/  d: 2/  e: 2/",
        "x:/  b: 1/  c: 1/  d: 1/  e: 1/y:/  b: 2/  c: 2/  d: 2/  e: 3/",
        "x:/  b: 3/  c: 1/  d: 1/  e: 1/y:/  b: 2/  z: 2/",
        "x:/  b: 3/  c: 1/  d: 1/  e: 1/y:/  b: 2/  z: 2/<|  e: 2/|  e: 3/>",
    ),
    "a comment ahead of what both changed": (
        "a: # x/  b: 1/  c: 1/", "a: # y/  b: 2/  c: 1/", "a: # z/  b: 1/  c: 2/",
        "<a: # z/|a: # x/|a: # y/>  b: 2/  c: 2/",
    ),
    "a comment that both changed behind another value": (
        "a: 1 # x/", "a: 2 # y/", "a: 1 # z/", "<a: 2 # z/|a: 2 # x/|a: 2 # y/>",
    ),
    "brackets in brackets": (
        "a: {x: 1, y: {z: [p, q]}}/b: 1/", "a: {x: 1, y: {z: [p, r]}}/b: 1/", "a: {x: 1, y: {z: [p, q], w: 1}}/b: 2/",
        "a: {x: 1, y: {z: [p, r], w: 1}}/b: 2/",
    ),
    "brackets with an anchor of what is elsewhere": (
        "a: [&x 1, 2]/b: *x/", "a: [&x 3, 2]/b: *x/", "a: [&x 1, 2, 4]/b: *x/c: 1/",
        "a: [&x 3, 2, 4]/b: *x/c: 1/",
    ),
    "brackets in several lines, and a comment": (
        "a: [1,/  2]/", "a: [0, 1,/  2]/", "a: [1,/  2, # two/  3]/", "a: [0, 1,/  2, # two/  3]/",
    ),
    "brackets in several lines with two comments": (
        "a: [1,/  2]/", "a: [0, # zero/  1, 2]/", "a: [1, 2, # two/  3]/",
        "a: [0, # zero/  1, 2, # two/  3]/",
    ),
    "brackets, and a list of lines": ("a: [1, 2]/", "a: [1, 3]/", "a:/- 4/- 2/", "a:/- 4/- 3/"),
    "brackets in one line, and over lines": (
        "a: [1, 2]/", "a: [1, 3]/", "a: [/  4,/  2,/]/", "a: [/  4,/  3,/]/",
    ),
    "a conflict of an element in a line": (
        "a: [1, 2, {b: 3}]/", "a: [1, 2, {b: 4}]/", "a: [0, 1, 2, {b: 5}]/",
        "<a: [0, 1, 2, {b: 5}]/|a: [0, 1, 2, {b: 3}]/|a: [0, 1, 2, {b: 4}]/>",
    ),
    "two conflicts in a line": (
        "a: {x: 1, y: 1, z: 1}/", "a: {x: 2, y: 1, z: 2}/", "a: {x: 3, y: 1, z: 3}/",
        "<a: {x: 3, y: 1, z: 3}/|a: {x: 1, y: 1, z: 1}/|a: {x: 2, y: 1, z: 2}/>",
    ),
    "a conflict of the last entry of JSON": (
        '{/  "a": 1,/  "b": 1/}/', '{/  "a": 2,/  "b": 2/}/', '{/  "a": 1,/  "b": 3/}/',
        '{/  "a": 2,/<  "b": 3/|  "b": 1/|  "b": 2/>}/',
    ),
    "a last entry of JSON that one side deleted": (
        '{/  "a": 1,/  "b": 1/}/', '{/  "a": 2/}/', '{/  "a": 1,/  "b": 3/}/',
        '{/<  "a": 2,/  "b": 3/}/|  "a": 2,/  "b": 1/}/|  "a": 2/}/>',
    ),
    "entries at the end of JSON, of both sides": (
        '{/  "a": 1/}/', '{/  "a": 1,/  "b": 1/}/', '{/  "a": 1,/  "c": 1/}/', '{/  "a": 1,/  "c": 1,/  "b": 1/}/',
    ),
    "an entry at the end of JSON that goes": (
        '{/  "a": 1,/  "b": 1/}/', '{/  "a": 1/}/', '{/  "a": 2,/  "b": 1/}/', '{/  "a": 2/}/',
    ),
    "a last comma that one side wrote": (
        "{/  a: 1,/  b: 1/}/", "{/  a: 1,/  b: 1,/}/", "{/  a: 2,/  b: 1/}/", "{/  a: 2,/  b: 1,/}/",
    ),
    "elements of KYAML": (
        "{/  l: [{/    name: a,/    v: 1,/  }, {/    name: b,/    v: 1,/  }],/}/",
        "{/  l: [{/    name: a,/    v: 2,/  }, {/    name: b,/    v: 2,/  }],/}/",
        "{/  l: [{/    name: b,/    v: 1,/    w: 1,/  }, {/    name: c,/    v: 1,/  }],/}/",
        (
            "{/<  l: [{/|  l: [{/    name: a,/    v: 1,/  }, {/|  l: [{/    name: a,/    v: 2,/  }, {/>"
            "    name: b,/    v: 2,/    w: 1,/  }, {/    name: c,/    v: 1,/  }],/}/"
        ),
    ),
    "an element of KYAML that goes": (
        "{/  l: [{/    name: a,/  }, {/    name: b,/  }],/}/", "{/  l: [{/    name: b,/  }],/}/",
        "{/  l: [{/    name: a,/  }, {/    name: b,/    v: 1,/  }],/}/", "{/  l: [{/    name: b,/    v: 1,/  }],/}/",
    ),
    "KYAML that one side emptied": (
        "{/  a: {/    x: 1,/  },/}/", "{/  a: {},/}/", "{/  a: {/    x: 2,/  },/}/",
        "{/<  a: {/    x: 2,/  },/|  a: {/    x: 1,/  },/|  a: {/  },/>}/",
    ),
    "what both sides add to empty brackets": (
        "a: []/b: {}/", "a: [1]/b: {x: 1}/", "a: [1, 2]/b: {y: 1}/", "<a: [1, 2]/|a: []/|a: [1]/>b: {y: 1, x: 1}/",
    ),
    "a line break of one side in brackets": (
        "x:/  y: {a: 1, s: 1}/", "x:/  y: {a: 2,/    s: 1}/", "x:/  y: {a: 1, k: 2, s: 1}/",
        "x:/  y: {a: 2, k: 2,/    s: 1}/",
    ),
    "a line break of one side in a list": (
        "x:/  y: [a, s]/", "x:/  y: [b,/    s]/", "x:/  y: [a, k, s]/", "x:/  y: [b, k,/    s]/",
    ),
    "a line break of one side behind what both added": (
        "{a: 1, s: 1}/", "{a: 1, k: 2,/  s: 1}/", "{a: 1, k: 2, s: 1, e: 3}/", "{a: 1, k: 2,/  s: 1, e: 3}/",
    ),
    "line breaks of both sides": (
        "{a: 1, s: 1}/", "{a: 1,/  k: 2,/  s: 1}/", "{a: 1, k: 2,/    s: 1}/", "{a: 1, k: 2,/    s: 1}/",
    ),
    "a line break beside a conflict": (
        "{a: 1, s: 1}/", "{a: 3,/  s: 1}/", "{a: 2, s: 1}/", "<{a: 2,/|{a: 1,/|{a: 3,/>  s: 1}/",
    ),
    "an entry behind a comment of the other side": (
        "x: {a: 1,/  s: 1}/", "x: {a: 1, # c/  s: 1}/", "x: {a: 1, k: 2,/  s: 1}/",
        "x: {a: 1, # c/  k: 2,/  s: 1}/",
    ),
    "an entry behind a blank line of the other side": (
        "x: {a: 1,/  s: 1}/", "x: {a: 1,//  s: 1}/", "x: {a: 1, k: 2,/  s: 1}/", "x: {a: 1,//  k: 2,/  s: 1}/",
    ),
    "an entry behind the opening bracket's comment": (
        "x: { # c/  a: 1}/", "x: { # c/  a: 2}/", "x: {k: 1, # c/  a: 1}/", "x: {k: 1, # c/  a: 2}/",
    ),
    "a blank inside the brackets": ("x: [ a, b ]/", "x: [ a ]/", "x: [ b ]/", "x: [ ]/"),
    "brackets without blanks": ("a: [1,2,3]/", "a: [1,2,4]/", "a: [0,1,2,3]/", "a: [0,1,2,4]/"),
    "brackets with a comma at their end": ("a: [1, 2,]/", "a: [1, 3,]/", "a: [0, 1, 2,]/", "a: [0, 1, 3,]/"),
    "a key without a value in brackets": ("a: {x: 1, y}/", "a: {x: 2, y}/", "a: {x: 1, y, z}/", "a: {x: 2, y, z}/"),
    "a pair among elements": ("a: [x: 1, 2]/", "a: [x: 1, 3]/", "a: [0, x: 1, 2]/", "a: [0, x: 1, 3]/"),
    "a pair with brackets among elements": (
        "a: [x: [1], 2]/", "a: [x: [1], 3]/", "a: [0, x: [1], 2]/", "a: [0, x: [1], 3]/",
    ),
    "brackets in brackets, in one line and over lines": (
        "{/  a: [1, 2],/  b: 1,/}/", "{/  a: [1, 3],/  b: 1,/}/", "{/  a: [/    4,/    2,/  ],/  b: 1,/}/",
        "{/  a: [/    4,/    3,/  ],/  b: 1,/}/",
    ),
    "a document in brackets of which nothing is left": ('{"a": 1, "b": 2}/', '{"a": 1}/', '{"b": 2}/', "{}/"),
    "one over lines": ('{/  "a": 1,/  "b": 2/}/', '{/  "a": 1/}/', '{/  "b": 2/}/', "{/}/"),
    "a list of which nothing is left": ("[1, 2]/", "[1]/", "[2]/", "[]/"),
    "JSON in one line and over lines": (
        '{"a": {"b": 1, "c": 2}}/', '{"a": {"b": 3, "c": 2}}/', '{/  "a": {/    "b": 1,/    "c": 4/  }/}/',
        '{/  "a": {/    "b": 3,/    "c": 4/  }/}/',
    ),
    "JSON of another indentation, with a new entry": (
        '{/    "a": {"b": 1}/}/', '{/    "a": {/        "b": 1,/        "c": "yes"/    }/}/', '{/  "a": {"b": 2}/}/',
        '{/  "a": {"b": 2, "c": "yes"}/}/',
    ),
    "brackets that local emptied and update deleted": (
        '{/  "a": [1],/  "b": 1/}/', '{/  "b": 1/}/', '{/  "a": [],/  "b": 1/}/',
        '{/<  "a": [],/|  "a": [1],/|>  "b": 1/}/',
    ),
    "a mapping that local deleted, and update wrote in brackets": (
        "a:/  b: 1/  c: 1/d: 1/", "a: {b: 2, c: 1}/d: 1/", "d: 1/", "<|a:/  b: 1/  c: 1/|a: {b: 2, c: 1}/>d: 1/",
    ),
    "a list that both made a mapping, one an empty one": (
        "a:/- x/", "a:/  b: 1/", "a: {}/c: 1/", "a:/  b: 1/c: 1/",
    ),
    "brackets and none, that both added": ("b: 1/", "b: 1/a: [x]/", "b: 1/a:/- y/", "b: 1/a:/<- y/||- x/>"),
    "brackets of update, and none of local, with a comment": (
        "a: [x, y]/b: 1/", "a: [x, # new/ z]/b: 1/", "a:/- w/- y/b: 1/",
        "<a:/- w/- y/b: 1/|a: [x, y]/b: 1/|a: [x, # new/ z]/b: 1/>",
    ),
    "brackets of update, and none of local": (
        "kind: Pod/spec: {containers: [{name: a, image: x, tty: true}]}/",
        "kind: Pod/spec: {containers: [{name: a, image: y, tty: true}]}/",
        "kind: Pod/spec:/  containers:/  - name: a/    image: x/",
        "kind: Pod/spec:/  containers:/  - name: a/    image: y/",
    ),
    "labels with a question mark that go": (
        "metadata:/  n: 1/  labels: {? a : 1}/", "metadata:/  n: 1/", "metadata:/  n: 1/  labels: {? a: 1}/",
        "metadata:/  n: 1/",
    ),
    "a question mark, where one side only wrote it otherwise": (
        "a: {? r : [&n {k: 1}, [1, 2], x/ ]/ }/b: [*n]/",
        "a: {? r : [[1, 2], x, &n {k: 1}/ ]/ }/b: [*n]/",
        "a: {? r : [&n {k: 1},  [1, 2],  x/ ]/ }/b: [*n]/",
        "a: {? r : [[1, 2], x, &n {k: 1}/ ]/ }/b: [*n]/",
    ),
    "a key with a question mark in brackets": (
        "a: {? x : 1, y: 1}/", "a: {? x : 2, y: 1}/", "a: {? x : 1, y: 2}/",
        "<a: {? x : 1, y: 2}/|a: {? x : 1, y: 1}/|a: {? x : 2, y: 1}/>",
    ),
    "a deletion beside quotes": ("a: 1/b: x/", "a: 1/", 'a: 1/b: "x"/', "a: 1/"),
    "a deletion beside another value": ("a: 1/b: x/", "a: 1/", "a: 1/b: y/", "a: 1/<b: y/|b: x/|>"),
    "a deletion beside a new comment": ("a: 1/b: x/", "a: 1/b: x # why/", "a: 1/", "a: 1/<|b: x/|b: x # why/>"),
    "what both added otherwise, next to what one took away": (
        "a:/- x/- y/", "a:/- u/- y/", "a:/- l/", "a:/<- l/|- x/- y/|- u/- y/>",
    ),
    "documents": (
        "kind: A/a: 1/---/kind: B/a: 1/b: 1/", "kind: A/a: 2/---/kind: B/a: 2/b: 1/",
        "---/kind: B/a: 1/b: 2/---/kind: A/a: 1/", "---/kind: B/a: 2/b: 2/---/kind: A/a: 2/",
    ),
    "a first entry of a document, which one side deleted": (
        "kind: A/---/a: 1/kind: B/", "kind: A/---/a: 2/kind: B/", "kind: A/---/kind: B/",
        "kind: A/---/<|a: 1/|a: 2/>kind: B/",
    ),
    "a key goes with all that is in it, also in a conflict": (
        "data:/  a: 1/b: 1/", "b: 1/", "data:/  a: 2/b: 1/", "<data:/  a: 2/|data:/  a: 1/|>b: 1/",
    ),
    "a list goes with its elements, also in a conflict": (
        "kind: Service/spec:/  ports:/  - port: 80/    name: a/  type: A/",
        "kind: Service/spec:/  ports:/  - port: 80/    name: b/  type: A/", "kind: Service/spec:/  type: A/",
        "kind: Service/spec:/<|  ports:/  - port: 80/    name: a/|  ports:/  - port: 80/    name: b/>  type: A/",
    ),
    "an entry in conflict, and no other is left": (
        "data:/  a: 1/  b: 1/", "data:/  a: 2/", "data:/  b: 1/", "<data: {}/|data:/  a: 1/|data:/  a: 2/>",
    ),
    "a document that goes": (
        "kind: A/---/kind: B/a: 1/", "kind: A/", "kind: A/---/kind: B/a: 2/",
        "kind: A/<---/kind: B/a: 2/|---/kind: B/a: 1/|>",
    ),
    "a start with a comment": ("--- # x/a: 1/", "--- # x/a: 2/", "--- # y/a: 1/", "--- # y/a: 2/"),
    "two starts": ("--- # x/a: 1/", "--- # y/a: 1/", "--- # z/a: 1/", "<--- # z/|--- # x/|--- # y/>a: 1/"),
    "a list as a document": (
        "---/- a: 1/  b: 1/  c: 1/", "---/- a: 2/  b: 1/  c: 1/", "---/- a: 1/  b: 1/  c: 2/",
        "---/- a: 2/  b: 1/  c: 2/",
    ),
    "files that both added": ("", "a: 1/", "a: 2/", "<a: 2/||a: 1/>"),
    "the end of the last line": ("a: 1/b: 1", "a: 2/b: 1", "a: 1/b: 2", "a: 2/b: 2"),
    "documents of comments": (
        "# a/---/a: 1/---/# b/", "# a/---/a: 2/---/# b/", "# a/---/a: 3/---/# b/---/# b/",
        "# a/---/<a: 3/|a: 1/|a: 2/>---/# b/---/# b/",
    ),
    "documents of comments that both changed": (
        "# a/---/a: 1/---/# b/# c/", "# a/---/a: 1/---/# u/# c/", "# a/---/a: 1/---/# l/# c/",
        "# a/---/a: 1/---/<# l/|# b/|# u/># c/",
    ),
    "a file of comments that one side emptied": ("# a/", "", "# b/", "<# b/|# a/|>"),
    "objects in a list": (
        "kind: List/items:/- kind: A/  a: 1/- kind: B/  a: 1/",
        "kind: List/items:/- kind: B/  a: 2/- kind: A/  a: 1/",
        "kind: List/items:/- kind: A/  a: 3/- kind: B/  a: 1/",
        "kind: List/items:/- kind: B/  a: 2/- kind: A/  a: 3/",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("update", "local", "expected"), [("u", "l", "l"), ("u", "o", "u"), ("o", "l", "l")])
def test_a_note_of_an_orchestrator_is_never_in_conflict(update: str, local: str, expected: str) -> None:
    text = "metadata:\n  annotations:\n    config.kubernetes.io/path: {}\n    a: {}\n    b: {}\n"
    made = merged(text.format("o", 1, 1), text.format(update, 2, 1), text.format(local, 1, 2))
    assert made == text.format(expected, 2, 2)


@pytest.mark.parametrize("case", CASES)
def test_lines_are_merged_within_structure(case: str) -> None:
    origin, update, local, expected = (text.replace("/", "\n") for text in CASES[case])
    assert merged(origin, update, local) == expected


def test_where_only_blank_lines_differ_they_are_as_git_has_them() -> None:
    origin, update, local = "a: 1\n\nb: 2\n", "\nb: 2\n", "a: 1\n\nl: 1\n\nb: 2\n"
    assert merged(origin, update, local) == sides.written(origin, update, local)[0] == "\nl: 1\n\nb: 2\n"


def test_blank_lines_of_a_text_are_data() -> None:
    """Git takes the blank line for one between the keys, which it deletes."""
    assert (
        line_judge.is_right(
            "t: |\n  a\n\n  b\n", ["t: |\n  a\n  b\n"], ("", "", ""), has_one_value=False, is_split=False
        )
        is False
    )


def test_equal_lines_part_a_conflict_where_they_are_more_than_three() -> None:
    update, local = "a\nsame\nb\n1\n2\n3\n4\nc\n", "x\nsame\ny\n1\n2\n3\n4\nz\n"
    pieces = ["0\n", *refined([Hunk("", update, local, "")])]
    assert "".join(map(shown, pieces)) == "0\n<x\nsame\ny\n||a\nsame\nb\n>1\n2\n3\n4\n<z\n||c\n>"


@pytest.mark.parametrize("text", ["{}", "{{? a : {}}}", "? a\n: {}\n"])
def test_a_document_that_is_not_written_line_by_line_is_a_conflict_as_a_whole(text: str) -> None:
    origin, update, local = (text.format(value) for value in "123")
    assert merged(origin, update, local) == f"<{local}|{origin}|{update}>"


def test_a_list_with_a_key_that_is_no_line_is_a_conflict_as_a_whole() -> None:
    text = "kind: List\n? team\n: {}\nitems:\n- kind: A\n  metadata:\n    name: a\n"
    origin, update, local = (text.format(value) for value in "123")
    assert merged(origin, update, local) == f"<{local}|{origin}|{update}>"


def test_a_list_that_loses_comments_where_it_is_written_as_local_has_it_is_a_conflict_as_a_whole() -> None:
    text = "kind: List\nmine: {}\nitems:\n- kind: A\n  metadata:\n    name: a\n    labels: {{a: {}}}\n"
    origin, update, local = (text.format(*each) for each in (("[1, 2]", 1), ("[1, # new\n  3]", 1), ("\n- 4\n- 2", 1)))
    assert merged(origin, update, local) == f"<{local}|{origin}|{update}>"


def test_a_kustomization_is_known_by_its_name() -> None:
    sides = "resources:/- a/- b/", "resources:/- a/- b/- c/", "resources:/- c/- a/- b/"
    texts = [side.replace("/", "\n") for side in sides]
    for name, is_clean in (("overlay/kustomization.yml", True), ("a.yaml", False)):
        origin, update, local = (File(text, name) for text in texts)
        pieces = cascade.by_fields({"origin": origin, "update": update, "local": local})[0]
        assert (pieces == [texts[2]]) is is_clean


IN_LISTS = {
    "a document that one side put into a list, and the other changed": (
        "kind: A/metadata: {name: a}/a: 1/", "kind: List/items:/- kind: A/  metadata: {name: a}/  a: 1/",
        "kind: A/metadata: {name: a}/a: 2/",
    ),
    "an object that each side put into another list": (
        "kind: A/metadata: {name: a}/", "kind: List/items:/- kind: A/  metadata: {name: a}/",
        "kind: PodList/items:/- kind: A/  metadata: {name: a}/",
    ),
    "an object that one side took out of a list": (
        "kind: List/items:/- kind: A/  metadata: {name: a}/- kind: B/",
        "kind: List/items:/- kind: B/---/kind: A/metadata: {name: a}/",
        "# mine/kind: List/items:/- kind: A/  metadata: {name: a}/- kind: B/",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", IN_LISTS)
def test_where_an_object_is_to_be_in_a_list_is_left_to_lines(case: str) -> None:
    with pytest.raises(
        FnError, match="one side put this object into a list, or took it out of one, and only lines show"
    ):
        merged(*(text.replace("/", "\n") for text in IN_LISTS[case]))
