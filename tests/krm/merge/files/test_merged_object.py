"""The merge of an object by lines, if it says what that by fields says (docs/reference/merge.md, "Lines first")."""

from __future__ import annotations

import pytest

from krm.file import File
from krm.merge import policy
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy
from krm.results import CONFLICT, FnError

A, B, C, D = (f"{key}: 1\n" for key in "abcd")
GROUPS = "x:\n  # --- group one\n  a: 1\n{}\n  # --- group two\n{}  b: 1\n"
ANCHOR = "defaults: &d\n  a: 1\nz: 1\n"
MINE = "mine:\n  <<: *d\n  b: 1\n"
HELM = "# -- prefix of the driver\nprefix:\n"
SIZE = "r:\n  # three at least\n"
LISTED = "apiVersion: v1\nkind: List\nitems:\n{}- apiVersion: v1\n  kind: A\n  metadata: {{name: a}}\n  m:{}\n"
SHARED = "a: &x\n  y: {}\n  z: {}\nb: *x\nc:\n  <<: *x\n"

# origin, update, local; what comes out.
MERGED = {
    "a key without a value": (A + B + C + D, A + HELM + B + C + D, A + B + C + "d: 2\n", A + HELM + B + C + "d: 2\n"),
    "a mapping of which a comment is left": (
        f"{SIZE}  size: 3\n{A}{B}{C}", f"{SIZE}{A}{B}{C}", f"{SIZE}  size: 3\n{A}{B}c: 2\n", f"{SIZE}{A}{B}c: 2\n"
    ),
    "two groups": (
        GROUPS.format("", ""),
        GROUPS.format("  u: 1\n", ""),
        GROUPS.format("", "  l: 1\n"),
        GROUPS.format("  u: 1\n", "  l: 1\n"),
    ),
    "an alias of a mapping that both changed": (
        SHARED.format(1, 1), SHARED.format(2, 1), SHARED.format(1, "1\n  w: 1"), SHARED.format(2, "1\n  w: 1")
    ),
    "an alias and a merge key": (
        ANCHOR, ANCHOR.replace("1", "2", 1), f"{ANCHOR}{MINE}w: *d\n", f"{ANCHOR.replace('1', '2', 1)}{MINE}w: *d\n"
    ),
    "a key and a comment between it and its value": (
        f"a: x\n{B}{C}", f"a: # new\n  x\n{B}{C}", f"a: x\n{B}c: 2\n", f"a: # new\n  x\n{B}c: 2\n"
    ),
    "a list in an element, which one side renamed and the other changed": (
        "g:\n- l:\n  - A=1\n  - B=2\n  - C=3\n", "g:\n- mine:\n  - A=1\n  - B=2\n  - C=3\n",
        "g:\n- l:\n  - A=1\n  - B=5\n  - C=3\n", "g:\n- mine:\n  - A=1\n  - B=5\n  - C=3\n",
    ),
    "a mapping in an element, which one side changed and the other renamed": (
        "g:\n- l:\n    a: 1\n    b: 1\n", "g:\n- l:\n    a: 1\n    b: 2\n",
        "g:\n- mine:\n    a: 1\n    b: 1\n", "g:\n- mine:\n    a: 1\n    b: 2\n",
    ),
    "quotes": ("a: 'x'\nb: 1\nc: 1\n", "a: x\nb: 1\nc: 1\n", "a: 'x'\nb: 1\nc: 2\n", "a: x\nb: 1\nc: 2\n"),
    "lines of a text, and a list": (
        "t: |\n  a\n  b\n  c\nl:\n- 1\n- 2\n- 3\n",
        "t: |\n  A\n  b\n  c\nl:\n- 0\n- 1\n- 2\n- 3\n",
        "t: |\n  a\n  b\n  C\nl:\n- 1\n- 2\n- 4\n",
        "t: |\n  A\n  b\n  C\nl:\n- 0\n- 1\n- 2\n- 4\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    "head", ["", "- apiVersion: v1\n  kind: A\n  metadata: {name: b}\n"], ids=["at one place", "at two"]
)
def test_an_element_of_a_list_is_written_as_local_has_it(head: str) -> None:
    origin, update, local = (
        LISTED.format(*written)
        for written in (("", " {x: 1, y: 1}"), (head, " {x: 2, y: 1}"), ("", "\n    x: 1  # mine\n    y: 2"))
    )
    found, problems = merged(origin, update, local)
    assert "    x: 2  # mine\n    y: 2\n" in found
    assert not problems


LIST = "- a\n- b\n- c\n- d\n- e\n"
# origin; local in blocks, the other side in brackets; what comes out in blocks and in brackets.
IN_TWO_FORMS = {
    "one side renamed it": (
        f"r:\n{LIST}", f"mine:\n{LIST}", "r: [a, b, c, d, e]\n", f"mine:\n{LIST}", "mine: [a, b, c, d, e]\n"
    ),
    "one side renamed it, and both changed it": (
        f"r:\n{LIST}", f"mine:\n{LIST.replace('a', 'x')}", "r: [a, b, c, d, e, f]\n",
        f"mine:\n{LIST.replace('a', 'x')}- f\n", "mine: [x, b, c, d, e, f]\n",
    ),
    "one side renamed what is around it": (
        "r:\n  a: 1\n  b: 1\n  c: 1\n  l:\n  - x: 1\n    y: 1\n",
        "mine:\n  a: 1\n  b: 1\n  c: 1\n  l:\n  - x: 1\n    y: 2\n",
        "r:\n  a: 1\n  b: 1\n  c: 1\n  l: [{x: 1, y: 1, z: 1}]\n",
        "mine:\n  a: 1\n  b: 1\n  c: 1\n  l:\n  - x: 1\n    y: 2\n    z: 1\n",
        "mine:\n  a: 1\n  b: 1\n  c: 1\n  l: [{x: 1, y: 2, z: 1}]\n",
    ),
    "an element behind one that one side added": (
        "l:\n- a: 1\n  b: 1\n  c: 1\n  d: 1\n", "l:\n- new\n- a: 1\n  b: 1\n  c: 1\n  d: 2\n",
        "l:\n- {a: 2, b: 1, c: 1, d: 1} # why\n", "l:\n- new\n- a: 2 # why\n  b: 1\n  c: 1\n  d: 2\n",
        "l:\n- new\n- {a: 2, b: 1, c: 1, d: 2} # why\n",
    ),
    "an element in which one side renamed a key": (
        "l:\n- a: 1\n  c:\n    d: 1\n", "l:\n- a: 1\n  c:\n    d: 2\n", "l:\n- {mine: 1, c: {d: 1}}\n",
        "l:\n- mine: 1\n  c:\n    d: 2\n", "l:\n- {mine: 1, c: {d: 2}}\n",
    ),
}  # fmt: skip
FOLLOWED = "one side renamed it, and both changed it", "one side renamed what is around it"


@pytest.mark.parametrize("case", IN_TWO_FORMS)
def test_whichever_side_has_brackets_both_changes_come(case: str) -> None:
    origin, blocks, brackets, of_blocks, of_brackets = IN_TWO_FORMS[case]
    told = ["`r` and `mine` are one entry: one side renamed it, the other changed it"] if case in FOLLOWED else []
    assert merged(origin, brackets, blocks) == (of_blocks, told)
    assert merged(origin, blocks, brackets) == (of_brackets, told)


def test_a_note_says_that_both_sides_renamed_an_entry() -> None:
    origin = "r:\n  a: 1\n  b: 1\n  c: 1\n"
    update, local = ("both:" + origin.removeprefix("r:").replace(f"{key}: 1", f"{key}: 2") for key in "ab")
    told = ["`r` and `both` are one entry: both sides renamed it"]
    assert merged(origin, update, local) == ("both:\n  a: 2\n  b: 2\n  c: 1\n", told)


def test_a_small_value_that_neither_side_kept_has_no_new_name() -> None:
    origin, update, local = ("a:\n  x: 1\n", "b:\n  x: 1\n  y: 1\n", "b:\n  x: 1\n  z: 1\n")
    assert merged(origin, update, local) == ("b:\n  x: 1\n  z: 1\n  y: 1\n", [])


@pytest.mark.parametrize(
    "ends", [("\n", "\n", "\r\n"), ("\r\n", "\r\n", "\n"), ("\n", "\r\n", "\n"), ("\r\n", "\n", "\n")]
)
def test_line_ends_are_those_of_local_unless_update_alone_changed_them(ends: tuple[str, str, str]) -> None:
    sides = [A + B + C, A + "# new\n" + B.replace("1", "2") + C, A + B + "c: 2 # mine\n"]
    origin, update, local = (side.replace("\n", end) for side, end in zip(sides, ends, strict=True))
    end = ends[1] if ends[0] == ends[2] else ends[2]
    expected = f"{A}# new\nb: 2\nc: 2 # mine\n".replace("\n", end)
    assert merged(origin, update, local) == (expected, [])


# Here the merge by lines says something else, or is none: fields decide.
BY_FIELDS = {
    "a key that both added": (A + B + C, f"x: 1\n{A}{B}{C}", f"{A}{B}{C}x: 1\n", f"{A}{B}{C}x: 1\n"),
    "elements that lines put in another order": (
        "l:\n- name: a\n- name: b\n- name: c\n- name: d\n",
        "l:\n- name: b\n- name: c\n- name: d\n- name: a\n",
        "l:\n- name: a\n- name: b\n- name: c\n- name: d\nm: 1\n",
        "l:\n- name: b\n- name: c\n- name: d\n- name: a\nm: 1\n",
    ),
    "a bookkeeping annotation that both changed": (
        f"{A}metadata:\n  annotations:\n    config.kubernetes.io/path: o\n    x: y\n{B}",
        f"{A}metadata:\n  annotations:\n    config.kubernetes.io/path: u\n    x: z\n{B}",
        f"{A}metadata:\n  annotations:\n    config.kubernetes.io/path: l\n    x: y\n{B}{C}",
        f"{A}metadata:\n  annotations:\n    config.kubernetes.io/path: l\n    x: z\n{B}{C}",
    ),
    "another list": (
        "l: [1, {a: 1}]\n",
        "l: [1, {a: 1}]\nb: 1\n",
        "c: 1\nl: [1, {a: 1}]\n",
        "c: 1\nl: [1, {a: 1}]\nb: 1\n",
    ),
    "lines that make no YAML": (
        "a:\n  b: 1\n  c: 1\n  d: 1\n",
        "a:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n",
        "a:\n    b: 1\n    c: 1\n    d: 1\n",
        "a:\n    b: 1\n    c: 1\n    d: 1\n    e: 1\n",
    ),
    "other line ends": (A + B + C, A + B + "c: 2\n", f"{A}{B}{C}".replace("\n", "\r\n"), "a: 1\r\nb: 1\r\nc: 2\r\n"),
}


def merged(origin: str, update: str, local: str) -> tuple[str, list[str]]:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    return "".join(output.pieces), [result.message for result in output.results]


@pytest.mark.parametrize(("origin", "update", "local", "expected"), MERGED.values(), ids=MERGED)
def test_lines_come_as_both_sides_wrote_them(origin: str, update: str, local: str, expected: str) -> None:
    assert merged(origin, update, local) == (expected, [])
    assert merged(origin, local, update) == (expected, [])


@pytest.mark.parametrize(("origin", "update", "local", "expected"), BY_FIELDS.values(), ids=BY_FIELDS)
def test_fields_decide_where_lines_say_something_else(origin: str, update: str, local: str, expected: str) -> None:
    assert merged(origin, update, local) == (expected, [])


KEPT = "update has another comment here: local's stays"
LIST = "kind: List\nitems:\n- kind: A\n  metadata: {{name: a}}\n  x: &x\n    k: {}\n  y: *x\n{}"
MOVED = "m:\n  n: 1\n{}d: 1\ne: {}\n"
# What the fields decide is edited into the lines; where that cannot be, local's lines stay. Also what is told.
EDITED = {
    "a conflict beside a comment": (
        "a: 1\nb: 1\n", "a: 2\n# new\nb: 1\n", "a: 3 # mine\nb: 1\n", "a: 2 # mine\n# new\nb: 1\n", []
    ),
    "a conflict beside a star": (
        "a: 1\nb: '*'\n", "a: 2\nb: '*'\n", "a: 3 # mine\nb: '*'\n", "a: 2 # mine\nb: '*'\n", []
    ),
    "without an end of the last line": ("a: 1\nb: 1", "a: 2\nb: 1", "a: 3\nb: 1", "a: 2\nb: 1", []),
    "an alias of what both changed": (
        "a: &x 1\nb: *x\n", "a: &x 2\nb: *x\n", "a: &x 3\nb: *x\n", "a: &x 2\nb: *x\n", []
    ),
    "an alias of a mapping in which both changed something": (
        SHARED.format(1, 1), SHARED.format(2, 4), SHARED.format(3, 1), SHARED.format(2, 4), []
    ),
    "another kind of document": ("a: 1\n", "- 1 # new\n", "a: 2\n", "- 1 # new\n", []),
    "a comment that lines would write twice": (
        MOVED.format("\n  # o\n", 1),
        MOVED.format("\n# u\n\n  # o\n", 1),
        MOVED.format("\n  # l\n  # o\n", 2),
        MOVED.format("\n  # l\n  # o\n", 2),
        [KEPT],
    ),
    "aliases in an object of a list": (
        LIST.format(1, ""),
        LIST.format("1 # new", ""),
        LIST.format(1, "  z: 1\n"),
        LIST.format("1 # new", "  z: 1\n"),
        [],
    ),
    "a template beside what a side has not got": (
        "a: 1\nb: 1\n", "a: 1\n", "a: 2\nb: 1 # expand: $(B)\n", "a: 2\n",
        ["this is deleted, and a comment of local's with it"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), EDITED.values(), ids=EDITED)
def test_what_fields_decide_is_edited_into_lines(
    origin: str, update: str, local: str, expected: str, told: list[str]
) -> None:
    made, messages = merged(origin, update, local)
    assert (made, [message for message in messages if "comment" in message]) == (expected, told)


def test_what_wins_a_conflict_brings_a_comment_that_the_other_side_has_elsewhere() -> None:
    origin = f"a:\n  # c\n  x: 1\n  y: 1\n{B}z: 'x'\n{D}"
    update = f"n:\n  # c\n  q: 5\n  r: 6\n{B}z: x\n{D}"
    kept = "a:\n  # c\n  x: 2\n  y: 1\n"
    before, new, own = (File(text, "x.yaml") for text in (origin, update, f"{kept}{B}z: 'x'\nd: 2\n"))
    made = composition.merge(before, new, own, BaseRule(policy.of_fields("KeepLocal")))
    assert made.text == f"{kept}n:\n  # c\n  q: 5\n  r: 6\n{B}z: x\nd: 2\n"


# Also where the conflicts are.
DECIDED = {
    "what each side left of the other": ("a: 1\nb: 1\n", "a: 1\n", "b: 1\n", "{}\n", []),
    "a label that the other side deleted with all": (
        "metadata:\n  labels:\n    a: 1\nb: 1\n", "b: 1\n", "metadata:\n  labels:\n    a: 2\nb: 2\n", "b: 2\n",
        ["metadata.labels.a"],
    ),
    "two places of one text": (
        "t: |\n  1\n  2\n  3\n", "t: |\n  u\n  2\n  u\n", "t: |\n  l\n  2\n  l\n", "t: |\n  u\n  2\n  u\n", ["t"]
    ),
    "two places of one list": (
        "l:\n- a\n- b\n- c\n", "l:\n- u\n- b\n- v\n", "l:\n- x\n- b\n- z\n", "l:\n- u\n- b\n- v\n", ["l"]
    ),
    "an alias that lost its anchor": (
        "a: &x 1\nb: 1\n", "b: 1\n", "a: &x 1\nb: *x\n", "b: 1\n", []
    ),
    "an anchor in brackets of which a side changed the value": (
        "a: {p: &x 1, q: 2}\nb: *x\n",
        "a: {p: &x 5, q: 3}\nb: *x\n",
        "a: {p: &x 1, q: 2, r: 5}\nb: *x\n",
        "a: {p: &x 5, q: 3, r: 5}\nb: *x\n",
        [],
    ),
    "an anchor in brackets of which no side changed the value": (
        "a: [&x 1, 2]\nb: *x\n", "a: [&x 1, 2, 3]\nb: *x\n", "a: [&x 1]\nb: *x\n", "a: [&x 1, 3]\nb: *x\n", []
    ),
    "a label in brackets that goes with all": (
        "metadata:\n  n: 1\n  labels: {a: 1}\n", "metadata:\n  n: 2\n", "metadata:\n  n: 1\n  labels: {a: 2}\n",
        "metadata:\n  n: 2\n", ["metadata.labels.a"],
    ),
    "a label with a question mark that goes with all": (
        "metadata:\n  n: 1\n  labels: {? a : 1}\n", "metadata:\n  n: 2\n",
        "metadata:\n  n: 1\n  labels: {? a : 2}\n", "metadata:\n  n: 2\n", ["metadata.labels"],
    ),
    "a label in brackets that is added to deleted ones": (
        "metadata:\n  n: 1\n  labels: {a: 1}\n", "metadata:\n  n: 1\n  labels: {a: 1, c: 1}\n", "metadata:\n  n: 2\n",
        "metadata:\n  n: 2\n  labels: {c: 1}\n", [],
    ),
    "a value and two comments": ("a: 1 # o\n", "a: 2 # u\n", "a: 3 # l\n", "a: 2 # l\n", ["a"]),
    "a template that both have": (
        "a: 1\n", "# expand: $(A)\na: 2\n", "# expand: $(B)\na: 3\n", "# expand: $(A)\na: 2\n", ["a"]
    ),
    "a key that both renamed": (
        "o:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n", "u:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n",
        "l:\n  b: 1\n  c: 1\n  d: 1\n  e: 2\n", "u:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n", ["l"],
    ),
    "a key that one side renamed": (
        "o:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n", "u:\n  b: 1\n  c: 1\n  d: 1\n  e: 1\n",
        "o:\n  b: 1\n  c: 1\n  d: 1\n  e: 2\n", "u:\n  b: 1\n  c: 1\n  d: 1\n  e: 2\n", [],
    ),
    "an alias that local wrote of an anchor that update deleted": (
        "a: &x 1\nb: 1\n", "b: 1\n", "a: &x 1\nb: 1\nd: *x\n", "b: 1\n", [None]
    ),
    "lists that both added, one empty": ("b: 1\n", "b: 1\na: [1]\n", "b: 1\na: []\n", "b: 1\na: [1]\n", ["a"]),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "conflicts"), DECIDED.values(), ids=DECIDED)
def test_a_conflict_is_told_once_and_decided(
    origin: str, update: str, local: str, expected: str, conflicts: list[str]
) -> None:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    assert (output.text, [each.field for each in output.results if each.reason == CONFLICT]) == (expected, conflicts)


def test_what_cannot_be_written_is_refused() -> None:
    with pytest.raises(FnError, match="what comes in here has a tag on a collection"):
        merged("{}\n", "a: !x {b: 1}\n", '{"c": 1}\n')


def test_a_comment_that_lines_keep_is_not_told_as_lost() -> None:
    text = "a:\n  b: 1\n  c: 1\n{}d: 1\n"
    made = merged(text.format(""), text.format("").replace("d: 1", "d: 2"), text.format("  # why\n"))
    assert made == (text.format("  # why\n").replace("d: 1", "d: 2"), [])


def test_an_object_that_stays_against_its_deletion_keeps_its_lines() -> None:
    origin, update, local = (File(text, "a.yaml") for text in (A + B, "", f"{A}b: 2 # mine\n"))
    output = composition.merge(origin, update, local, BaseRule(policy.of_fields("KeepLocal")))
    assert output.text == f"{A}b: 2 # mine\n"
