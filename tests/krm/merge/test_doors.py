"""Inputs for which each way to merge a file gives one answer: git's driver, `merge3` of files and of directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.git import cascade
from krm.git.line_merge import Labels, ThreeTexts
from krm.merge import trees
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import ON_CONFLICT, Policy
from tests import process

if TYPE_CHECKING:
    from pathlib import Path

    from krm.merge.policy import OnConflict

ELEMENTS = "l:/- a: m/  b: b/  s:/    i: d{}/- a: n/  b: {}/  s:/    i: d{}/"
PEERS = "apiVersion: v1/kind: PeerList/mode: {}/zone: z/items:{}"

# origin, update, local; what comes out. A `/` stands for the end of a line.
GROWN = "  e: {f: 1, g: 1, h: 1, i: 1, j: 1}"
CASES: dict[str, tuple[str, str, str, str]] = {
    "a version that both wrote": ('v: "7.1.0"/', "v: 7.2.0/", 'v: "7.2.0"/', 'v: "7.2.0"/'),
    "entries that both added below a heading": (
        "a: 1/# group/b: 1/",
        "a: 1/# group/n: 1/b: 1/",
        "a: 1/# group/n: 1/m: 1/b: 1/",
        "a: 1/# group/n: 1/m: 1/b: 1/",
    ),
    "entries of env that both added below a heading": (
        "kind: Pod/spec:/  containers:/  - name: a/    env:/    # group/    - name: B/",
        "kind: Pod/spec:/  containers:/  - name: a/    env:/    # group/    - name: N/    - name: B/",
        "kind: Pod/spec:/  containers:/  - name: a/    env:/    # group/    - name: N/    - name: M/    - name: B/",
        "kind: Pod/spec:/  containers:/  - name: a/    env:/    # group/    - name: N/    - name: M/    - name: B/",
    ),
    "a blank line that both sides added beside one": (
        "c: 1/a: 1//b: 2/",
        "c: 1/a: 1///b: 2/",
        "c: 2/a: 1///b: 2/",
        "c: 2/a: 1///b: 2/",
    ),
    "a sign of a comment in a text in quotes": (
        """a: {s: "a #b", t: 'it''s #b', k: 1, m: 2}/""",
        """a: {s: "a #b", t: 'it''s #b', k: 9, m: 2}/""",
        """a: {s: "a #b", t: 'it''s #b', k: 1, m: 3}/""",
        """a: {s: "a #b", t: 'it''s #b', k: 9, m: 3}/""",
    ),
    "the same in JSON": ('{"a":["x #y",1,2]}', '{"a":["x #y",3,2]}', '{"a":["x #y",1,4]}', '{"a":["x #y",3,4]}'),
    "elements that one side makes longer, and one between them": (
        "l:/- {}/- {}/".format(*(f"a: {x}/  b: 1/  c: 1/  d: 1" for x in "xy")),
        "l:/- {0}/{2}/- {1}/{2}/".format(*(f"a: {x}/  b: 1/  c: 1/  d: 1" for x in "xy"), GROWN),
        "l:/- {}/- {}/- {}/".format(*(f"a: {x}/  b: 1/  c: 1/  d: 1" for x in "xzy")),
        "l:/- {0}/{3}/- {1}/- {2}/{3}/".format(*(f"a: {x}/  b: 1/  c: 1/  d: 1" for x in "xzy"), GROWN),
    ),
    "a section above one that the other side took away": (
        "a: 1//# about old/old: 1/",
        "a: 1//# about new/new: 1//# about old/old: 1/",
        "a: 1/",
        "a: 1//# about new/new: 1/",
    ),
    "a list with an item that is no object": (
        PEERS.format("x", "/- peer: a/  port: 1/"),
        PEERS.format("x", "/- peer: a/  port: 1/- any/"),
        PEERS.format("y", "/- peer: a/  port: 1/"),
        PEERS.format("y", "/- peer: a/  port: 1/- any/"),
    ),
    "a list of objects in which another side has none": (
        PEERS.format("x", "/- kind: A/  a: 1/"),
        PEERS.format("x", "/- kind: A/  a: 1/- any/"),
        PEERS.format("y", "/- kind: A/  a: 1/"),
        PEERS.format("y", "/- kind: A/  a: 1/- any/"),
    ),
    "a list of objects that another side takes away": (
        PEERS.format("x", "/- kind: A/  a: 1/"),
        PEERS.format("x", " null/"),
        PEERS.format("y", "/- kind: A/  a: 1/"),
        PEERS.format("y", " null/"),
    ),
    # Ours sees a conflict of elements without keys, and git's clean lines have what both sides did.
    "elements that nothing names": (
        ELEMENTS.format("", "b", "/  w: 1"),
        ELEMENTS.format("/  z: 1", "b", ""),
        ELEMENTS.format("", "c", "/  w: 1"),
        ELEMENTS.format("/  z: 1", "c", ""),
    ),
    "a key with a new name, below which both sides took the same away": (
        "image:/  repository: web/  tag: v1/  pullPolicy: Always/replicas: 1/",
        "webImage:/  repository: web/  pullPolicy: Always/replicas: 1/",
        "image:/  repository: web/  pullPolicy: Always/replicas: 2/",
        "webImage:/  repository: web/  pullPolicy: Always/replicas: 2/",
    ),
    "a list with a new name, to which the other side adds": (
        "n: 1/imagePullSecrets:/- name: a/tag: v1/",
        "n: 1/pullSecrets:/- name: a/tag: v1/",
        "n: 1/imagePullSecrets:/- name: a/- name: mine/tag: v1/",
        "n: 1/pullSecrets:/- name: a/- name: mine/tag: v1/",
    ),
    "a mapping with a new name, to which the other side adds": (
        "n: 1/nodeSelector:/  a: b/tag: v1/",
        "n: 1/selector:/  a: b/tag: v1/",
        "n: 1/nodeSelector:/  a: b/  mine: c/tag: v1/",
        "n: 1/selector:/  a: b/  mine: c/tag: v1/",
    ),
    "a document behind a list stays one": (
        PEERS.format("x", "/- kind: A/  metadata: {name: c}/"),
        PEERS.format("x", "/- kind: A/  metadata: {name: c}/---/kind: B/metadata: {name: d}/"),
        PEERS.format("y", "/- kind: A/  metadata: {name: c}/"),
        PEERS.format("y", "/- kind: A/  metadata: {name: c}/---/kind: B/metadata: {name: d}/"),
    ),
    "a list with a key that is a list": (
        PEERS.format("x", "/- kind: A/  metadata: {name: e}/  x: 1/? [odd]/: 1/"),
        PEERS.format("y", "/- kind: A/  metadata: {name: e}/  x: 1/? [odd]/: 1/"),
        PEERS.format("x", "/- kind: A/  metadata: {name: e}/  x: 2/? [odd]/: 1/"),
        PEERS.format("y", "/- kind: A/  metadata: {name: e}/  x: 2/? [odd]/: 1/"),
    ),
    "a comment above the line that starts the same document": (
        "",
        "# alone/---/kind: A/metadata: {name: a}/x: 1/y: 2/",
        "kind: B/metadata: {name: b}/---/kind: A/metadata: {name: a}/x: 1/",
        "# alone/---/kind: B/metadata: {name: b}/---/kind: A/metadata: {name: a}/x: 1/y: 2/",
    ),
    "a Kptfile without a status": (
        "kind: Kptfile/metadata:/  name: a/",
        "kind: Kptfile/metadata:/  name: a/info:/  description: d/",
        "kind: Kptfile/metadata:/  name: b/",
        "kind: Kptfile/metadata:/  name: b/info:/  description: d/",
    ),
    "a licence above other first documents": (
        "# 2024//kind: A/---/kind: B/",
        "# 2024//kind: Y/---/kind: A/---/kind: B/",
        "# 2025//kind: Z/---/kind: A/---/kind: B/",
        "# 2025//kind: Z/---/kind: Y/---/kind: A/---/kind: B/",
    ),
    "a licence above documents in another order": (
        "# 2024//kind: A/a: 1/---/kind: B/b: 1/",
        "# 2024//kind: B/b: 1/---/kind: A/a: 2/",
        "# 2025//kind: A/a: 1/---/kind: B/b: 2/",
        "# 2025//kind: B/b: 2/---/kind: A/a: 2/",
    ),
    "a licence that a line starts from its documents": (
        "# 2024/---/kind: A/a: 1/---/kind: B/b: 1/",
        "# 2024/---/kind: B/b: 1/---/kind: A/a: 2/",
        "# 2025/---/kind: A/a: 1/---/kind: B/b: 2/",
        "# 2025/---/kind: B/b: 2/---/kind: A/a: 2/",
    ),
    "a key that is twice in a document that one side alone changed": (
        "apiVersion: v1/kind: A/metadata: {name: a}/x: 1/---/apiVersion: v1/kind: B/metadata: {name: b}/y: 1/",
        "apiVersion: v1/kind: A/metadata: {name: a}/x: 1/---/apiVersion: v1/kind: B/metadata: {name: b}/y: 2/",
        "apiVersion: v1/kind: A/metadata: {name: a}/x: 1/x: 2/---/apiVersion: v1/kind: B/metadata: {name: b}/y: 1/",
        "apiVersion: v1/kind: A/metadata: {name: a}/x: 1/x: 2/---/apiVersion: v1/kind: B/metadata: {name: b}/y: 2/",
    ),
    "a blank ahead of a comment that local took away": ("a: 1 # x/", "a: 1  # x/", "a: 2/", "a: 2/"),
    "another comment, and a blank ahead of it": ("a: 1 # x/", "a: 1  # x/", "a: 1 # y/", "a: 1 # y/"),
    "a line of blanks in a text that one side emptied": (
        "a: |/  x/  /  y/b: 1/",
        "a: |/  x/  /  z/b: 1/",
        "a: |/  x//  y/b: 2/",
        "a: |/  x//  z/b: 2/",
    ),
    "a line of more blanks than the indentation, which are data": (
        "a: |/  x/  /   /  w/  y/",
        "a: |/  x/  /   /  w/  z/",
        "a: |/  x//   /  w/  y/",
        "a: |/  x//   /  w/  z/",
    ),
    "a line of blanks that both sides keep": (
        "a: |/  x/  /  y/  q/  w/",
        "a: |/  x/  /  z/  q/  w/",
        "a: |/  x/  /  y/  q/  v/",
        "a: |/  x/  /  z/  q/  v/",
    ),
    "an entry that one side took by `<<`, and the other changed": (
        "x:/  k: [1]/  n: a/y:/  k: [1]/  n: b/",
        "x:/  k: [1]/  n: a/y:/  k: [1, 2, 3]/  n: b/",
        "x: &x/  k: [1]/  n: a/y:/  <<: *x/  n: b/",
        "x: &x/  k: [1]/  n: a/y:/  <<: *x/  k: [1, 2, 3]/  n: b/",
    ),
    "a list of maps that one side took by `<<`, and the other changed": (
        "- n: a/  k:/  - name: p/- n: b/  k:/  - name: p/",
        "- n: a/  k:/  - name: p/- n: b/  k:/  - name: p/  - name: q/",
        "- &x/  n: a/  k:/  - name: p/- <<: *x/  n: b/",
        "- &x/  n: a/  k:/  - name: p/- <<: *x/  n: b/  k:/  - name: p/  - name: q/",
    ),
    "an entry by `<<` that one side wrote and changed, and the other wrote": (
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  n: b/",
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  n: b/  k: 2/",
        "x: &x/  k: 1/  n: a/y:/  k: 1/  n: b/",
        "x: &x/  k: 1/  n: a/y:/  k: 2/  n: b/",
    ),
    "an entry by `<<` that one side changed, beside another one": (
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  d: 1/  n: b/  m: 1/",
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  k: 2/  n: b/  m: 1/",
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  n: b/  m: 2/",
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  k: 2/  n: b/  m: 2/",
    ),
    "a comment above an object ahead of which another one comes": (
        "kind: A/metadata: {name: a}/k: v/",
        "# head/kind: A/metadata: {name: a}/k: v/",
        "kind: B/metadata: {name: b}/---/kind: A/metadata: {name: a}/k: v/",
        "kind: B/metadata: {name: b}/---/# head/kind: A/metadata: {name: a}/k: v/",
    ),
    "brackets with one entry in a line": (
        '---/{/  kind: "A",/  x: "1",/  y: "1",/}/',
        '---/{/  kind: "A",/  x: "2",/  y: "1",/}/',
        '---/{/  kind: "A",/  x: "1",/  y: "2",/}/',
        '---/{/  kind: "A",/  x: "2",/  y: "2",/}/',
    ),
}


def sides(case: tuple[str, str, str, str]) -> list[str]:
    return [text.replace("/", "\n") for text in case]


def by_driver(origin: str, update: str, local: str) -> str:
    texts = ThreeTexts(origin.encode(), update.encode(), local.encode())
    return cascade.merge(texts, "a.yaml", Labels("HEAD", "origin", "update"), 7).text.decode()


def by_merge3(origin: str, update: str, local: str) -> str:
    before, new, own = (File(side, "a.yaml") for side in (origin, update, local))
    return composition.merge(before, new, own, BaseRule(Policy())).text


DOORS = {"driver": by_driver, "merge3": by_merge3}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_door_gives_the_same_merge(door: str, case: tuple[str, str, str, str]) -> None:
    origin, update, local, expected = sides(case)
    assert DOORS[door](origin, update, local) == expected
    assert trees.same_documents(DOORS[door](origin, local, update), expected)


UNENDED = "kind: Pod\nspec:\n  containers:\n{}    tty: true\n  hostname: web{}"
IMAGE = "  - image: {}\n"
MARKED = f"<<<<<<< HEAD\n{IMAGE.format(3)}=======\n{IMAGE.format(2)}>>>>>>> update\n"


@pytest.mark.parametrize(("door", "image"), [("merge3", IMAGE.format(2)), ("driver", MARKED)])
def test_a_conflict_above_a_last_line_without_an_end_and_a_new_document_below_it(door: str, image: str) -> None:
    origin, local = UNENDED.format(IMAGE.format(1), "\n"), UNENDED.format(IMAGE.format(3), "")
    update, expected = (UNENDED.format(text, "\n---\nkind: A") for text in (IMAGE.format(2), image))
    assert DOORS[door](origin, f"{update}\n", local) == expected


def test_directories(tmp_path: Path) -> None:
    for number, case in enumerate(CASES.values()):
        for side, text in zip("oul", sides(case), strict=False):
            (tmp_path / side / str(number)).mkdir(parents=True)
            (tmp_path / side / str(number) / "a.yaml").write_text(text)
    answer = process.krm("merge3", *(str(tmp_path / side) for side in "oul"), stdin=b"")
    assert answer.code == 0
    merged = {path.parent.name: path.read_text() for path in (tmp_path / "l").rglob("a.yaml")}
    assert merged == {str(number): sides(case)[3] for number, case in enumerate(CASES.values())}


ARGUMENTS = "args:/- --a/- b/- --c/"
# origin, update, local; what comes out with a policy, and what stays with `Error`.
# Elements without a key that differ in one line, of which one side moves some, and the other changes one.
ALIKE = {
    "tolerations": "kind: Pod/apiVersion: v1/metadata:/  name: p/spec:/  tolerations:{}/".format(
        "/  - key: {}/    operator: Exists/    effect: {}" * 2
    ),
    "rules": "kind: Role/metadata:/  name: r/rules:{}/".format(
        "/- apiGroups: [{}]/  resources: [pods]/  verbs: [{}]" * 2
    ),
}


@pytest.mark.parametrize("shape", ALIKE.values(), ids=ALIKE)
def test_a_change_of_an_element_that_the_other_side_moved_is_a_conflict(shape: str) -> None:
    origin, changed, moved = (shape.format(*values).replace("/", "\n") for values in ("axbx", "axby", "bxax"))
    for update, local in ((changed, moved), (moved, changed)):
        assert "<<<<<<<" in by_driver(origin, update, local)
        before, new, own = (File(side, "a.yaml") for side in (origin, update, local))
        output = composition.merge(before, new, own, BaseRule(Policy("Error")))
        assert [one.reason for one in output.results] == ["Conflict"]


def test_the_deletion_of_a_key_that_the_other_side_moved_and_changed_is_a_conflict() -> None:
    update, local = "a: 1\n", "b: 3\na: 1\n"
    for new, own in ((update, local), (local, update)):
        assert "<<<<<<<" in by_driver("a: 1\nb: 2\n", new, own)
        before, theirs, ours = (File(side, "a.yaml") for side in ("a: 1\nb: 2\n", new, own))
        output = composition.merge(before, theirs, ours, BaseRule(Policy("Error")))
        assert [(one.reason, one.field) for one in output.results] == [("Conflict", "b")]


VALUES = "image: x/{}:/  image: a/  size: 1/{}:/  image: a/  size: {}/"


def test_a_change_of_a_key_that_the_other_side_deleted_stays_with_it() -> None:
    """To lines, a key that comes ahead of two alike ones is three keys with other names."""
    origin, update, local = (
        VALUES.format(*values).replace("/", "\n")
        for values in (("web", "db", "1"), ("cache", "web", "1"), ("web", "db", "5"))
    )
    for new, own in ((update, local), (local, update)):
        assert "<<<<<<<" in by_driver(origin, new, own)
        before, *others = (File(side, "a.yaml") for side in (origin, new, own))
        output = composition.merge(before, *others, BaseRule(Policy("TakeUpdate")))  # type: ignore[call-arg, arg-type]
        assert [one.field for one in output.results if one.reason == "Conflict"] == ["db"]
        assert "web:\n  image: a\n  size: 1\n" in output.text


# Alerts that differ in one line: UPDATE changes B, and LOCAL puts a new one in front of it or in its place.
LED_ASTRAY = {
    "a new one in front": ("A5B1C5", "A5N5B7C5"),
    "one in its place": ("A5B1C5", "A5N5C5"),
    "one changed and moved, which the other side deleted": ("A5C5", "B7A5C5"),
}


@pytest.mark.parametrize(("update", "local"), LED_ASTRAY.values(), ids=LED_ASTRAY)
def test_no_change_lands_in_an_element_by_what_all_have_in_common(update: str, local: str) -> None:
    shape = "/- alert: {}/  expr: up/  for: {}m"
    written = (f"l:{shape * (len(side) // 2)}/".format(*side) for side in ("A5B5C5", update, local))
    origin, new, own = (side.replace("/", "\n") for side in written)
    assert "<<<<<<<" in by_driver(origin, new, own)
    before, theirs, ours = (File(side, "a.yaml") for side in (origin, new, own))
    output = composition.merge(before, theirs, ours, BaseRule(Policy("Error")))
    assert [one.reason for one in output.results] == ["Conflict"]


# A job that one side split in two, of which it renamed one: the other side's change of it belongs into both.
SPLIT = (
    "jobs:/  web:/    image: a/    uses: x/    size: 1/",
    "jobs:/  web:/    image: a/    uses: y/    size: 1/",
    "jobs:/  api:/    image: a/    uses: x/    size: 1/  job:/    uses: x/    image: c/",
)


def test_a_change_of_what_the_other_side_copied_is_a_conflict() -> None:
    origin, update, local = (side.replace("/", "\n") for side in SPLIT)
    for new, own in ((update, local), (local, update)):
        assert "<<<<<<<" in by_driver(origin, new, own)
        before, *others = (File(side, "a.yaml") for side in (origin, new, own))
        output = composition.merge(before, *others, BaseRule(Policy("Error")))  # type: ignore[call-arg, arg-type]
        assert [(one.reason, one.field) for one in output.results] == [("Conflict", "jobs.web")]


def test_alike_elements_that_one_side_changed_alike_may_have_moved() -> None:
    """To fields, UPDATE puts an element in front and deletes the last one. To lines it changes each key."""
    branch = "- branch: {}/  days: [1]{}/  labels: [x]/  limit: 1/"
    origin, update, local, both = (
        f"updates:/{branch * 3}".format(*values).replace("/", "\n")
        for values in (
            (3, "", 2, "", 1, ""),
            (4, "", 3, "", 2, ""),
            (3, "/  by: me", 2, "/  by: me", 1, "/  by: me"),
            (4, "/  by: me", 3, "/  by: me", 2, "/  by: me"),
        )
    )
    assert by_driver(origin, update, local) == both
    assert by_driver(origin, local, update) == both


# UPDATE renames elements and rewrites more than half of each, and LOCAL deletes them.
REWRITTEN = {
    "as many as before": "- name: B/  if: [tested, bot]/  do: merge/- name: D/  if: [bot]/  do: approve/",
    "one more": "- name: B/  if: [tested, bot]/  do: merge/- name: N/  if: [a]/- name: D/  if: [bot]/  do: approve/",
}


@pytest.mark.parametrize("rewritten", REWRITTEN.values(), ids=REWRITTEN)
def test_a_deletion_beside_a_new_element_in_its_place_is_a_conflict(rewritten: str) -> None:
    first, last = "rules:/- name: X/  if: [tested]/  do: merge/", "- name: Y/  if: [conflict]/  do: comment/"
    gone = "- name: A/  if: [tested, author]/  do: merge/- name: C/  if: [author]/  do: approve/"
    origin, update, local = (f"{first}{part}{last}".replace("/", "\n") for part in (gone, rewritten, ""))
    for new, own in ((update, local), (local, update)):
        assert "<<<<<<<" in by_driver(origin, new, own)
        before, *others = (File(side, "a.yaml") for side in (origin, new, own))
        output = composition.merge(before, *others, BaseRule(Policy("Error")))  # type: ignore[call-arg, arg-type]
        assert [one.reason for one in output.results if one.severity == "error"] == ["Conflict"] * 2


NEIGHBOURS = {
    "an argument and its value": (
        ARGUMENTS,
        "args:/- --a/- B/- --c/",
        "args:/- --A/- b/- --c/",
        "args:/- --A/- B/- --c/",
    ),
    "an argument behind one that changed": (
        ARGUMENTS,
        ARGUMENTS + "- u/",
        "args:/- --a/- b/- --C/",
        "args:/- --a/- b/- --C/- u/",
    ),
    "arguments in brackets": ("args: [--a, b]/", "args: [--a, B]/", "args: [--A, b]/", "args: [--A, B]/"),
    "lines of a text": ("f: |/  1/  2/", "f: |/  1/  2/  3/", "f: |/  1/  9/", "f: |/  1/  9/  3/"),
    "lines of a text without a last line end": (
        "f: |-/  1/  2/",
        "f: |-/  1/  2/  3/",
        "f: |-/  1/  9/",
        "f: |-/  1/  9/  3/",
    ),
}


@pytest.mark.parametrize("case", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_neighbours_are_both_kept_and_told(case: tuple[str, str, str, str]) -> None:
    origin, update, local, expected = sides(case)
    for on_conflict in ON_CONFLICT:
        for new, own in ((update, local), (local, update)):
            files = (File(side, "a.yaml") for side in (origin, new, own))
            output = composition.merge(*files, BaseRule(Policy(on_conflict)))  # type: ignore[call-arg, arg-type]
            (told,) = output.results
            is_left = on_conflict == "Error"
            assert output.text == (own if is_left else expected)
            assert (told.reason, told.severity) == ("Conflict", "error" if is_left else "warning")
            assert told.message.endswith(": these lie side by side, and both are kept") is not is_left
    assert "<<<<<<< HEAD" in by_driver(origin, update, local)


def test_a_change_that_equal_lines_could_lead_into_another_element_is_a_conflict() -> None:
    """Git is clean here, and puts the `w` of `c` into `a`."""
    element = "- e: g/  d: {}/  x: 1/"
    first, second, other = map(element.format, "cab")
    listed = ("l:/" + first + second, "l:/" + second + other, f"l:/{first}  w: 4/{second * 3}", "")
    files = [File(side, "a.yaml") for side in sides(listed)[:3]]
    origin, update, local = (file.text.encode() for file in files)
    merged = cascade.merge(ThreeTexts(origin, update, local), "a.yaml", Labels("HEAD", "origin", "update"), 7)
    silent = "which the merge by lines decides in silence, by one of several equal lines"
    assert merged.note == f"1 conflict of fields, {silent}: `l[0]`"
    assert b"<<<<<<< HEAD" in merged.text
    (told,) = composition.merge(*files, BaseRule(Policy("Error"))).results  # type: ignore[call-arg, arg-type]
    assert str(told) == (
        '[error] l[0]: both sides changed this, origin `{"e": "g", "d": "c", "x": 1}`, update deleted it, local '
        '`{"e": "g", "d": "c", "x": 1, "w": 4}`: local\'s stays, and you have to decide'
    )


STRATEGY = """\
apiVersion: apps/v1
kind: Deployment
spec:
  strategy:
    type: {}
    # 1
    # 2
    # 3
    # 4
"""
DECLARED = """\
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {{kind: A}}
  versions:
  - name: v1
    schema: {{openAPIV3Schema: {{properties: {{l: {{x-kubernetes-list-type: atomic}}}}}}}}
---
apiVersion: example.com/v1
kind: A
l:
- x: {}
- m: 1
- n: 1
- o: 1
- y: {}
"""


@pytest.mark.parametrize("door", DOORS)
def test_a_list_that_a_definition_declares_to_be_atomic_merges_like_others(door: str) -> None:
    assert DOORS[door](DECLARED.format(1, 1), DECLARED.format(2, 1), DECLARED.format(1, 2)) == DECLARED.format(2, 2)


KPTFILE = "kind: Kptfile\ninfo:\n  description: {}\nstatus:\n  conditions:\n  - type: Rendered\n    message: {}\n"


@pytest.mark.parametrize("door", DOORS)
def test_the_status_of_a_kptfile_stays_as_local_has_it(door: str) -> None:
    assert DOORS[door](KPTFILE.format(1, 1), KPTFILE.format(2, 2), KPTFILE.format(1, 3)) == KPTFILE.format(2, 3)


def test_fields_that_exclude_each_other_are_in_conflict_though_lines_are_clean() -> None:
    origin = STRATEGY.format("RollingUpdate")
    update, local = f"{origin}    rollingUpdate:\n      maxSurge: 2\n", STRATEGY.format("Recreate")
    files = (File(side, "a.yaml") for side in (origin, update, local))
    output = composition.merge(*files, BaseRule(Policy("Error")))  # type: ignore[call-arg, arg-type]
    assert (output.text, [told.reason for told in output.results]) == (local, ["Conflict"])
    assert "<<<<<<< HEAD" in by_driver(origin, update, local)


ROLLING = "    type: RollingUpdate\n\n    # why\n    rollingUpdate:\n      maxSurge: {}\n"


def test_fields_that_exclude_each_other_decide_about_no_other_file(tmp_path: Path) -> None:
    origin = STRATEGY.format("RollingUpdate")
    update, local = f"{origin}    rollingUpdate:\n      maxSurge: 2\n", STRATEGY.format("Recreate")
    *others, expected = sides(CASES["a key with a new name, below which both sides took the same away"])
    for side, strategy, other in zip("oul", (origin, update, local), others, strict=True):
        (tmp_path / side).mkdir()
        (tmp_path / side / "a.yaml").write_text(strategy)
        (tmp_path / side / "b.yaml").write_text(other)
    answer = process.krm("merge3", *(str(tmp_path / side) for side in "oul"), stdin=b"")
    assert (answer.code, (tmp_path / "l" / "b.yaml").read_text()) == (1, expected)


def test_the_lines_between_fields_that_exclude_each_other_stay_between_them() -> None:
    around = STRATEGY.partition("    type")[0] + "{}  \n  paused: false\n"
    origin, local, other = (
        around.format(own) for own in (ROLLING.format(1), ROLLING.format(2), "    type: Recreate\n")
    )
    policies: list[tuple[OnConflict, str, str, str]] = [
        ("Error", other, local, local),
        ("KeepLocal", other, local, local),
        ("TakeUpdate", other, local, other),
        ("TakeUpdate", local, other, local),
    ]
    for policy, update, own, expected in policies:
        sides = File(origin, "a.yaml"), File(update, "a.yaml"), File(own, "a.yaml")
        output = composition.merge(*sides, BaseRule(Policy(policy)))
        assert (output.text, [told.reason for told in output.results]) == (expected, ["Conflict"])
    hunk = f"<<<<<<< HEAD\n{ROLLING.format(2)}=======\n    type: Recreate\n>>>>>>> update\n"
    assert by_driver(origin, other, local) == around.format(hunk)


def test_lines_of_which_a_side_without_the_second_field_keeps_some_come_once() -> None:
    lines = "    # one\n\n    # two\n"
    around = STRATEGY.partition("    type")[0] + "    type: {}  paused: false\n"
    origin = around.format(f"RollingUpdate\n{lines}    rollingUpdate:\n      maxSurge: 1\n")
    local = around.format(f"RollingUpdate\n{lines}    rollingUpdate:\n      maxSurge: 2\n")
    update = around.format("Recreate\n    # one\n\n    # about paused\n")
    sides = File(origin, "a.yaml"), File(update, "a.yaml"), File(local, "a.yaml")
    merged = composition.merge(*sides, BaseRule(Policy("TakeUpdate"))).text
    assert merged == update


# Conflicts that the policy decides: update's comes.
DECIDED = {
    "two insertions at one point": (ARGUMENTS, ARGUMENTS + "- --u/", ARGUMENTS + "- --l/"),
    "one argument that both changed": (ARGUMENTS, "args:/- --u/- b/- --c/", "args:/- --l/- b/- --c/"),
    "a deletion beside a change": (ARGUMENTS, "args:/- --a/- --c/", "args:/- --A/- b/- --c/"),
    "an entry that one side deleted, and the other took by `<<`": (
        "x: &x/  k: 1/  n: a/y:/  k: 1/  n: b/",
        "x: &x/  k: 1/  n: a/y:/  n: b/",
        "x: &x/  k: 1/  n: a/y:/  <<: *x/  n: b/",
    ),
}


@pytest.mark.parametrize("case", DECIDED.values(), ids=DECIDED)
def test_what_is_more_than_side_by_side_goes_to_the_policy(case: tuple[str, str, str]) -> None:
    origin, update, local = (text.replace("/", "\n") for text in case)
    files = (File(side, "a.yaml") for side in (origin, update, local))
    output = composition.merge(*files, BaseRule(Policy()))  # type: ignore[call-arg, arg-type]
    assert output.text == update
    assert [told.message.rpartition(": ")[2] for told in output.results] == ["update's is taken"]
    assert "<<<<<<< HEAD" in by_driver(origin, update, local)
