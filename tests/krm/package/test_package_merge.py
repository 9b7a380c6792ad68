"""Directories merged: what becomes of each file of local, and what is reported."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

import pytest

from krm.commands import merge
from krm.file import File
from krm.package import folder
from tests.calls import counted
from tests.krm.package import directories

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Files = Mapping[str, str | bytes]

SIDES = ("origin", "update", "local")


def config_map(name: str, value: object = 1, mine: object = 1, *, comment: str = "") -> str:
    return (
        f"{comment}apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  k: '{value}'\n  m: '{mine}'\n"
    )


def documents(*texts: str) -> str:
    return "---\n".join(texts)


def texts(files: Files) -> dict[str, str]:
    return {path: data if isinstance(data, str) else data.decode(errors="replace") for path, data in files.items()}


class Answer(NamedTuple):
    """What a merge of directories leaves in local, and what it says."""

    files: dict[str, str]
    told: str
    code: int


class Merger:
    """Three directories, merged by the command line."""

    def __init__(self, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capfd = capfd

    def write(self, *sides: Files) -> None:
        for name, files in zip(SIDES, sides, strict=True):
            directories.write(self.folder / name, files)

    def run(self, *arguments: str) -> Answer:
        code = merge.main(["merge3", *(str(self.folder / side) for side in SIDES), *arguments])
        out, err = self._capfd.readouterr()
        self.out = out.replace(f"{self.folder}/", "")
        return Answer(directories.contents(self.folder / "local"), err.replace(f"{self.folder}/", ""), code)


@pytest.fixture
def merger(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Merger:
    return Merger(tmp_path, capfd)


LICENCE = "# Licence of us.\n\n"
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {}\n"
LISTED = (
    "apiVersion: v1\nkind: List\nmetadata: {{labels: {{team: {}}}}}\nitems:\n"
    "- {{apiVersion: v1, kind: Secret, metadata: {{name: s}}, type: t{}}}\n"
)
A, B, C = (config_map(name) for name in "abc")
A2, B2 = config_map("a", 2), config_map("b", 2)
MY_A, MY_B = config_map("a", 1, "mine"), config_map("b", 1, "mine")
TWO_MARKS = '\ufeff\ufeff{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}}\n'
TEMPLATE = "{{ if .Values.on }}\none\ntwo\nthree\n{{ end }}\n"
NAMES = ("x.yaml", "y.yaml")

MERGED: dict[str, tuple[Files, Files, Files, Files]] = {
    "what nobody changed stays": (
        {"x.yaml": A},
        {"x.yaml": A},
        {"x.yaml": A, "mine.txt": "m"},
        {"x.yaml": A, "mine.txt": "m"},
    ),
    "an object is merged field by field": (
        {"x.yaml": A},
        {"x.yaml": A2},
        {"x.yaml": MY_A},
        {"x.yaml": config_map("a", 2, "mine")},
    ),
    "an object that upstream moved is followed": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": A, "y.yaml": B2},
        {"x.yaml": documents(A, MY_B)},
        {"x.yaml": A, "y.yaml": config_map("b", 2, "mine")},
    ),
    "into a file that is there, behind its neighbour": (
        {"x.yaml": documents(A, B), "y.yaml": documents(C, config_map("e"))},
        {"x.yaml": A, "y.yaml": documents(C, B, config_map("e"))},
        {"x.yaml": documents(A, MY_B), "y.yaml": documents(C, config_map("d"), config_map("e"))},
        {"x.yaml": A, "y.yaml": documents(C, config_map("d"), MY_B, config_map("e"))},
    ),
    "an object that local moved stays where it is": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": documents(A, B2)},
        {"x.yaml": A, "mine.yaml": MY_B},
        {"x.yaml": A, "mine.yaml": config_map("b", 2, "mine")},
    ),
    "a file that upstream renamed keeps what local wrote": (
        {"x.yaml": LICENCE + documents(A, B)},
        {"sub/y.yaml": LICENCE + documents(A2, B)},
        {"x.yaml": "# mine\n" + LICENCE + documents(A, MY_B, C)[:-1]},
        {"sub/y.yaml": "# mine\n" + LICENCE + documents(A2, MY_B, C)[:-1]},
    ),
    "a file that upstream renamed, sorted anew and gave other line ends": (
        {"x.yaml": documents(A, B, C)},
        {"sub/y.yaml": documents(C, B, A).replace("\n", "\r\n")},
        {"x.yaml": documents(A, B)},
        {"sub/y.yaml": documents(B, A).replace("\n", "\r\n")},
    ),
    "a file that local renamed, and upstream gave other line ends": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": documents(A2, B).replace("\n", "\r\n")},
        {"sub/x.yaml": "# mine\n" + documents(A, MY_B, C)},
        {"sub/x.yaml": ("# mine\n" + documents(A2, MY_B, C)).replace("\n", "\r\n")},
    ),
    "a file that local renamed, and a new one of upstream's with that name": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": documents(A2, B), "y.yaml": C},
        {"y.yaml": documents(A, MY_B)},
        {"y.yaml": documents(A2, MY_B, C)},
    ),
    "a template that local renamed gets what upstream changed": (
        {"t/a.yaml": TEMPLATE},
        {"t/a.yaml": TEMPLATE.replace("one", "1")},
        {"t/b.yaml": TEMPLATE.replace("three", "mine")},
        {"t/b.yaml": TEMPLATE.replace("one", "1").replace("three", "mine")},
    ),
    "a template that upstream renamed takes along what local wrote": (
        {"t/a.yaml": TEMPLATE},
        {"t/b.yaml": TEMPLATE},
        {"t/a.yaml": TEMPLATE.replace("three", "mine")},
        {"t/b.yaml": TEMPLATE.replace("three", "mine")},
    ),
    "a template that upstream renamed, and local deleted": (
        {"t/a.yaml": TEMPLATE, "x.yaml": A},
        {"t/b.yaml": TEMPLATE, "x.yaml": A},
        {"x.yaml": A},
        {"x.yaml": A},
    ),
    "a file that upstream renamed comes whole": (
        {"x.yaml": documents(A, B)},
        {"sub/y.yaml": documents(A2, B)},
        {"x.yaml": LICENCE + documents(A, MY_B)},
        {"sub/y.yaml": LICENCE + documents(A2, MY_B)},
    ),
    "a file that upstream renamed keeps the comments that local wrote, and took away": (
        {"x.yaml": documents(A, config_map("b", comment="# b\n"))},
        {"y.yaml": documents(A, config_map("b", comment="# b\n"))},
        {"x.yaml": documents(A.replace("'1'\n", "'1' # mine\n", 1), B)},
        {"y.yaml": documents(A.replace("'1'\n", "'1' # mine\n", 1), B)},
    ),
    "a file that local renamed gets the comments that upstream wrote": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": documents(A, B.replace("'1'\n", "'1' # new\n", 1))},
        {"y.yaml": documents(A, B)},
        {"y.yaml": documents(A, B.replace("'1'\n", "'1' # new\n", 1))},
    ),
    "a file that local renamed gets what upstream added to it": (
        {"x.yaml": LICENCE + documents(A, B)},
        {"x.yaml": "# theirs\n" + LICENCE + documents(A, C, B)},
        {"sub/x.yaml": LICENCE + documents(MY_A, B)},
        {"sub/x.yaml": "# theirs\n" + LICENCE + documents(MY_A, C, B)},
    ),
    "the same head that both sides wrote, in a file that local renamed": (
        {"x.yaml": "# one\n" + A},
        {"x.yaml": LICENCE + "# one\n" + A2},
        {"sub/x.yaml": LICENCE + "# one\n" + A},
        {"sub/x.yaml": LICENCE + "# one\n" + A2},
    ),
    "a file that local renamed gets what upstream moved into it": (
        {"x.yaml": LICENCE + documents(A, B), "z.yaml": C},
        {"x.yaml": LICENCE + documents(A, B, C)},
        {"sub/x.yaml": LICENCE + documents(MY_A, B), "z.yaml": C},
        {"sub/x.yaml": LICENCE + documents(MY_A, B, C)},
    ),
    "an object that upstream moved keeps the comments that local wrote": (
        {"x.yaml": documents(A, B), "y.yaml": C},
        {"x.yaml": A, "y.yaml": documents(C, B)},
        {"x.yaml": documents(A, B.replace("'1'\n", "'1' # mine\n", 1)), "y.yaml": C},
        {"x.yaml": A, "y.yaml": documents(C, B.replace("'1'\n", "'1' # mine\n", 1))},
    ),
    "a new file comes as it is written": (
        {"x.yaml": A},
        {"x.yaml": A, "new/y.yaml": LICENCE + documents(B, C)},
        {"x.yaml": MY_A},
        {"x.yaml": MY_A, "new/y.yaml": LICENCE + documents(B, C)},
    ),
    "a new document comes next to its neighbour": (
        {"x.yaml": documents(A, C)},
        {"x.yaml": documents(A, B, C)},
        {"x.yaml": documents(A, C, config_map("mine"))},
        {"x.yaml": documents(A, B, C, config_map("mine"))},
    ),
    "a deleted file goes": ({"x.yaml": A, "y.yaml": B}, {"x.yaml": A}, {"x.yaml": MY_A, "y.yaml": B}, {"x.yaml": MY_A}),
    "a deleted document goes": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": A},
        {"x.yaml": documents(MY_A, B)},
        {"x.yaml": MY_A},
    ),
    "a file that local deleted stays away": (
        {"x.yaml": A, "y.yaml": B},
        {"x.yaml": A2, "y.yaml": B},
        {"x.yaml": A},
        {"x.yaml": A2},
    ),
    "an overlay has objects of its base": (
        {"base/x.yaml": A, "over/x.yaml": config_map("a", 5)},
        {"base/x.yaml": A2, "over/x.yaml": config_map("a", 6)},
        {"base/x.yaml": MY_A, "over/x.yaml": config_map("a", 5, "mine")},
        {"base/x.yaml": config_map("a", 2, "mine"), "over/x.yaml": config_map("a", 6, "mine")},
    ),
    "what has no name is known by its file": (
        {"x.yaml": "a: 1\nb: 1\n"},
        {"x.yaml": "a: 2\nb: 1\n", "y.yaml": "a: 1\nb: 1\n"},
        {"x.yaml": "a: 1\nb: 1\nc: mine\n"},
        {"x.yaml": "a: 2\nb: 1\nc: mine\n", "y.yaml": "a: 1\nb: 1\n"},
    ),
    "a text is merged line by line": (
        {"README.md": "1\n2\n3\n4\n"},
        {"README.md": "one\n2\n3\n4\n"},
        {"README.md": "1\n2\n3\nfour\n"},
        {"README.md": "one\n2\n3\nfour\n"},
    ),
    "a template of Helm is text": (
        {"x.yaml": "a: {{ .a }}\nb: 1\nc: 1\n"},
        {"x.yaml": "a: {{ .b }}\nb: 1\nc: 1\n"},
        {"x.yaml": "a: {{ .a }}\nb: 1\nc: 2\n"},
        {"x.yaml": "a: {{ .b }}\nb: 1\nc: 2\n"},
    ),
    "a patch is text": (
        {"x.yaml": "a: 1\nb: 1\nc: {$patch: delete}\n"},
        {"x.yaml": "a: 2\nb: 1\nc: {$patch: delete}\n"},
        {"x.yaml": "a: 1\nb: 1\nc: {$patch: replace}\n"},
        {"x.yaml": "a: 2\nb: 1\nc: {$patch: replace}\n"},
    ),
    "what is no YAML is text": (
        {"x.yaml": "a: [\n\n1\n"},
        {"x.yaml": "a: [\n\n2\n"},
        {"x.yaml": "b: [\n\n1\n"},
        {"x.yaml": "b: [\n\n2\n"},
    ),
    "what is no YAML, with another line end on one side": (
        {"x.yaml": "a: [\n\n1\n"},
        {"x.yaml": "a: [\r\n\r\n2\r\n"},
        {"x.yaml": "b: [\n\n1\n"},
        {"x.yaml": "b: [\r\n\r\n2\r\n"},
    ),
    "documents without names, and nothing tells which is which": (
        {"x.yaml": "a: 1\nb: 1\nc: 1\n---\nd: 1\ne: 1\nf: 1\n"},
        {"x.yaml": "u: 1\nv: 1\na: 2\nb: 1\nc: 1\n---\nu: 1\nv: 1\nd: 2\ne: 1\nf: 1\n"},
        {"x.yaml": "a: 1\nb: 1\nc: 2\nw: 1\nx: 1\n---\nd: 1\ne: 1\nf: 2\nw: 1\nx: 1\n"},
        {"x.yaml": "u: 1\nv: 1\na: 2\nb: 1\nc: 2\nw: 1\nx: 1\n---\nu: 1\nv: 1\nd: 2\ne: 1\nf: 2\nw: 1\nx: 1\n"},
    ),
    "braces in a text are no template": (
        {"x.yaml": config_map("a", "{{ x }}")},
        {"x.yaml": config_map("a", "{{ y }}")},
        {"x.yaml": config_map("a", "{{ x }}", "mine")},
        {"x.yaml": config_map("a", "{{ y }}", "mine")},
    ),
    "comments alone are text": ({"x.yaml": "# a\n"}, {"x.yaml": "# b\n"}, {"x.yaml": "# a\n"}, {"x.yaml": "# b\n"}),
    "a binary that update changed": ({"x.png": b"\0a"}, {"x.png": b"\0b"}, {"x.png": b"\0a"}, {"x.png": b"\0b"}),
    "a byte order mark stays": (
        {"x.yaml": "\ufeff" + A},
        {"x.yaml": "\ufeff" + A2},
        {"x.yaml": "\ufeff" + MY_A},
        {"x.yaml": "\ufeff" + config_map("a", 2, "mine")},
    ),
    "a byte order mark that update took away goes": (
        {"x.yaml": "\ufeff" + A},
        {"x.yaml": A2},
        {"x.yaml": "\ufeff" + MY_A},
        {"x.yaml": config_map("a", 2, "mine")},
    ),
    "what local leaves out is nobody's": (
        {"x.yaml": A, "y.yaml": B},
        {"x.yaml": A2},
        {".krmignore": "y.yaml\nz\n", "x.yaml": A, "y.yaml": B, "z/x.yaml": C},
        {".krmignore": "y.yaml\nz\n", "x.yaml": A2, "y.yaml": B, "z/x.yaml": C},
    ),
    "what update leaves out from now on stays": (
        {"x.yaml": A, "y/z.yaml": B},
        {".krmignore": "y\n", "x.yaml": A},
        {"x.yaml": A, "y/z.yaml": MY_B},
        {".krmignore": "y\n", "x.yaml": A, "y/z.yaml": MY_B},
    ),
    "a Kptfile keeps its name and its upstream": (
        {"Kptfile": KPTFILE.format("shop")},
        {"Kptfile": KPTFILE.format("shop") + "info:\n  description: d\n"},
        {"Kptfile": KPTFILE.format("mine") + "upstream: {type: git}\n"},
        {"Kptfile": KPTFILE.format("mine") + "upstream: {type: git}\ninfo:\n  description: d\n"},
    ),
    "objects of two packages are two": (
        {"p/Kptfile": KPTFILE.format("p"), "p/x.yaml": A, "q/Kptfile": KPTFILE.format("q")},
        {"p/Kptfile": KPTFILE.format("p"), "q/Kptfile": KPTFILE.format("q"), "q/x.yaml": A2},
        {"p/Kptfile": KPTFILE.format("p"), "p/x.yaml": A, "q/Kptfile": KPTFILE.format("q")},
        {"p/Kptfile": KPTFILE.format("p"), "q/Kptfile": KPTFILE.format("q"), "q/x.yaml": A2},
    ),
    "what local deleted stays away from a renamed file": (
        {"x.yaml": documents(A, B)},
        {"y.yaml": documents(A2, B)},
        {"x.yaml": documents(MY_A, config_map("c", 8, 9))},
        {"y.yaml": documents(config_map("a", 2, "mine"), config_map("c", 8, 9))},
    ),
    "a new package": (
        {"x.yaml": A},
        {"x.yaml": A, "p/Kptfile": KPTFILE.format("p"), "p/x.yaml": A},
        {"x.yaml": MY_A},
        {"x.yaml": MY_A, "p/Kptfile": KPTFILE.format("p"), "p/x.yaml": A},
    ),
    "documents of comments alone, in a file that is renamed too": (
        {"x.yaml": documents(A, "# one\n"), "y.yaml": documents(config_map("b"), "# one\n")},
        {"x.yaml": documents(A, "# two\n"), "z.yaml": documents(config_map("b"), "# two\n")},
        {"x.yaml": documents(MY_A, "# one\n"), "y.yaml": documents(config_map("b"), "# one\n")},
        {"x.yaml": documents(MY_A, "# two\n"), "z.yaml": documents(config_map("b"), "# two\n")},
    ),
    "what stands between documents, in a file that an object comes into": (
        {"x.yaml": documents(A, B), "y.yaml": C},
        {"x.yaml": A, "y.yaml": "---\n" + documents("# new\n", B2, "", C)},
        {"x.yaml": documents(A, MY_B), "y.yaml": documents(C, "# mine\n")},
        {"x.yaml": A, "y.yaml": "---\n" + documents("# new\n", config_map("b", 2, "mine"), "", C, "# mine\n")},
    ),
    "line ends that update changed": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": documents(A, B2).replace("\n", "\r\n")},
        {"x.yaml": documents(MY_A, B)},
        {"x.yaml": documents(MY_A, B2).replace("\n", "\r\n")},
    ),
    "the fields of a list beside its elements": (
        {"x.yaml": LISTED.format("blue", 1), "y.yaml": A},
        {"x.yaml": LISTED.format("green", 2), "y.yaml": A2},
        {"x.yaml": LISTED.format("blue, mine: 'yes'", 1), "y.yaml": MY_A, "z.yaml": LISTED.format("red", 1)},
        {
            "x.yaml": LISTED.format("green, mine: 'yes'", 2),
            "y.yaml": config_map("a", 2, "mine"),
            "z.yaml": LISTED.format("red", 1),
        },
    ),
    "objects of one name in files that moved": (
        {"p/x.yaml": A, "p/y.yaml": config_map("a", 5)},
        {"x.yaml": A2, "y.yaml": config_map("a", 6)},
        {"p/x.yaml": MY_A, "p/y.yaml": config_map("a", 5)},
        {"x.yaml": config_map("a", 2, "mine"), "y.yaml": config_map("a", 6)},
    ),
    "objects of one name in files that are called otherwise": (
        {"x.yaml": documents(A, B), "y.yaml": documents(config_map("a", 5), config_map("c", 7))},
        {"v.yaml": documents(A2, B), "w.yaml": documents(config_map("a", 6), config_map("c", 7))},
        {"x.yaml": documents(MY_A, B), "y.yaml": documents(config_map("a", 5), config_map("c", 7))},
        {
            "v.yaml": documents(config_map("a", 2, "mine"), B),
            "w.yaml": documents(config_map("a", 6), config_map("c", 7)),
        },
    ),
    "an object that local moved into a file, and update deleted": (
        {"a.yaml": A, "x.yaml": B},
        {"a.yaml": A},
        {"a.yaml": documents(A, B)},
        {"a.yaml": A},
    ),
    "an object that local moved into a new file, and update deleted": (
        {"a.yaml": A, "x.yaml": documents(B, C)},
        {"a.yaml": A, "x.yaml": C},
        {"a.yaml": A, "x.yaml": C, "new.yaml": B},
        {"a.yaml": A, "x.yaml": C},
    ),
    "a file that local renamed, and update deleted": (
        {"a.yaml": A, "x.yaml": B},
        {"a.yaml": A},
        {"a.yaml": A, "new.yaml": B},
        {"a.yaml": A},
    ),
    "files that one side alone changed, whatever is in them": (
        {"x.yaml": A + B, "y.yaml": C, "z.json": TWO_MARKS.encode(), "k.yaml": A2},
        {"x.yaml": documents(A, B), "y.yaml": C, "z.json": TWO_MARKS[1:].encode(), "k.yaml": documents(A2, B2)},
        {"x.yaml": A + B, "y.yaml": C + C, "z.json": TWO_MARKS.encode(), "k.yaml": A2 + "# mine\n"},
        {
            "x.yaml": documents(A, B),
            "y.yaml": C + C,
            "z.json": TWO_MARKS[1:].encode(),
            "k.yaml": documents(A2 + "# mine\n", B2),
        },
    ),
    "a definition in a file that nobody changed": (
        {"crd.yaml": "CRD", "x.yaml": "LIST1"},
        {"crd.yaml": "CRD", "x.yaml": "LIST2"},
        {"crd.yaml": "CRD", "x.yaml": "LIST3"},
        {"crd.yaml": "CRD", "x.yaml": "LIST4"},
    ),
}
WIDGET = "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\nspec:\n  l:\n"
MERGED["a definition in a file that nobody changed"] = tuple(  # type: ignore[assignment]  # four sides
    {
        "crd.yaml": "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: w}\n"
        "spec: {group: example.com, names: {kind: Widget}, versions: [{name: v1, schema: {openAPIV3Schema: "
        "{properties: {spec: {properties: {l: {type: array, x-kubernetes-list-type: map, "
        "x-kubernetes-list-map-keys: [id]}}}}}}}]}\n",
        "x.yaml": WIDGET + elements,
    }
    for elements in (
        "  - {id: a, v: 1}\n  - {id: b, v: 1}\n",
        "  - {id: a, v: 2}\n  - {id: b, v: 1}\n",
        "  - {id: a, v: 1}\n  - {id: b, v: 3}\n",
        "  - {id: a, v: 2}\n  - {id: b, v: 3}\n",
    )
)


@pytest.mark.parametrize(("origin", "update", "local", "expected"), MERGED.values(), ids=MERGED)
def test_directories_are_merged(origin: Files, update: Files, local: Files, expected: Files, merger: Merger) -> None:
    merger.write(origin, update, local)
    answer = merger.run()
    assert answer.files == texts(expected)
    assert (answer.told, answer.code) == ("", 0)
    # What was the update is the origin now, and nothing is left to do.
    directories.write(merger.folder / "update", {})
    (merger.folder / "origin").rename(merger.folder / "before")
    (merger.folder / "update").rename(merger.folder / "origin")
    directories.write(merger.folder / "update", directories.contents(merger.folder / "origin"))
    assert merger.run() == (answer.files, "", 0)
    assert merger.out == "nothing changes\n"


@pytest.mark.pure
def test_a_definition_that_nobody_changed_is_read_once(merger: Merger) -> None:
    # The one of local says how the others merge: it is the same on each side.
    origin, update, local, _ = MERGED["a definition in a file that nobody changed"]
    merger.write(origin, update, local)
    assert counted(merger.run, of=File.__init__.__code__) == len(SIDES) * (len(origin) - 1) + 1


def test_a_definition_that_cannot_be_read_says_nothing(merger: Merger) -> None:
    broken = {"crd.yaml": "kind: CustomResourceDefinition\na: [\n"}
    merger.write(broken | {"x.yaml": A}, broken | {"x.yaml": A2}, broken | {"x.yaml": A})
    assert merger.run() == (broken | {"x.yaml": A2}, "", 0)


P, Q = "p/Kptfile", "q/Kptfile"
TOLD: dict[str, tuple[Files, Files, Files, Files, str]] = {
    "a field": (
        {"x.yaml": A},
        {"x.yaml": A2},
        {"x.yaml": config_map("a", 3)},
        {"x.yaml": A2},
        (
            "[warning] local/x.yaml:6: v1/ConfigMap/a data.k: both sides changed this, origin `1`, update `2`, "
            "local `3`: update's is taken"
        ),
    ),
    "lines of a text": (
        {"a": "1\n2\n"},
        {"a": "1\nu\n"},
        {"a": "1\nl\n"},
        {"a": "1\nu\n"},
        "[warning] local/a: line 2: both sides changed these lines: update's is taken",
    ),
    "a text that both added": (
        {},
        {"a": "u\n"},
        {"a": "l\n"},
        {"a": "u\n"},
        "[warning] local/a: line 1: both sides changed these lines: update's is taken",
    ),
    "what is no text": (
        {"a": b"\0o"},
        {"a": b"\0u"},
        {"a": b"\0l"},
        {"a": b"\0u"},
        "[warning] local/a: both sides changed this file, which is no text: update's is taken",
    ),
    "what is not UTF-8": (
        {"a": b"\xffo"},
        {"a": b"\xffu"},
        {"a": b"\xffl"},
        {"a": b"\xffu"},
        "[warning] local/a: both sides changed this file, which is no text: update's is taken",
    ),
    "a text that update deleted": (
        {"a": "o"},
        {},
        {"a": "l"},
        {},
        "[warning] local/a: update deleted this file, and local changed it: update's is taken",
    ),
    "a text that local deleted": (
        {"a": "o"},
        {"a": "u"},
        {},
        {"a": "u"},
        "[warning] local/a: local deleted this file, and update changed it: update's is taken",
    ),
    "an object that update moved and changed, and local deleted": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": A, "y.yaml": B2},
        {"x.yaml": MY_A},
        {"x.yaml": MY_A, "y.yaml": B2},
        (
            "[warning] update/y.yaml:1: v1/ConfigMap/b: both sides changed this, origin a mapping with `data.k: 1`, "
            "update a mapping with `data.k: 2`, local deleted it: update's is taken"
        ),
    ),
    "a place": (
        {"x.yaml": documents(A, B)},
        {"x.yaml": A, "y.yaml": B},
        {"x.yaml": A, "z.yaml": B},
        {"x.yaml": A, "y.yaml": B},
        (
            "[warning] local/z.yaml: v1/ConfigMap/b: both sides moved this, update to `y.yaml`, local to `z.yaml`: "
            "update's is taken"
        ),
    ),
    "the name of a file that local joined with more": (
        {"x.yaml": B},
        {"u.yaml": B},
        {"l.yaml": documents(C, config_map("d", 7, 8), config_map("e", 9, 9), B)},
        {"u.yaml": documents(C, config_map("d", 7, 8), config_map("e", 9, 9), B)},
        (
            "[warning] local/l.yaml: both sides renamed `x.yaml`, update to `u.yaml`, local to `l.yaml`: "
            "update's is taken"
        ),
    ),
    "a template that local renamed, and a new one of update's with that name": (
        {"a.tpl": TEMPLATE},
        {"a.tpl": TEMPLATE, "b.tpl": "{{ new }}\n"},
        {"b.tpl": TEMPLATE},
        {"b.tpl": "{{ new }}\n"},
        "[warning] local/b.tpl: line 1: both sides changed these lines: update's is taken",
    ),
    "the name of a template": (
        {"t/a.yaml": TEMPLATE},
        {"t/u.yaml": TEMPLATE},
        {"t/l.yaml": TEMPLATE},
        {"t/u.yaml": TEMPLATE},
        (
            "[warning] local/t/l.yaml: both sides renamed `t/a.yaml`, update to `t/u.yaml`, local to `t/l.yaml`: "
            "update's is taken"
        ),
    ),
    "the name of a file": (
        {"x.yaml": documents(A, B)},
        {"u/x.yaml": documents(A, B)},
        {"l/x.yaml": documents(MY_A, B, C)},
        {"u/x.yaml": documents(MY_A, B, C)},
        (
            "[warning] local/l/x.yaml: both sides renamed `x.yaml`, update to `u/x.yaml`, local to `l/x.yaml`: "
            "update's is taken"
        ),
    ),
    "a field of a list": (
        {"x.yaml": LISTED.format("blue", 1)},
        {"x.yaml": LISTED.format("green", 1)},
        {"x.yaml": LISTED.format("red", 1)},
        {"x.yaml": LISTED.format("green", 1)},
        (
            "[warning] local/x.yaml:3: v1/List metadata.labels.team: both sides changed this, origin `blue`, "
            "update `green`, local `red`: update's is taken"
        ),
    ),
    "a package that update deleted": (
        {P: KPTFILE.format("p"), "p/x.yaml": A},
        {},
        {P: KPTFILE.format("p"), "p/x.yaml": MY_A},
        {P: KPTFILE.format("p"), "p/x.yaml": MY_A},
        "[warning] local/p: update deleted this package, and it was changed here: it stays",
    ),
    "an object that local moved into a new file and changed, and update deleted": (
        {"a.yaml": A, "x.yaml": B},
        {"a.yaml": A},
        {"a.yaml": A, "new.yaml": MY_B},
        {"a.yaml": A},
        (
            "[warning] local/new.yaml:1: v1/ConfigMap/b: both sides changed this, origin a mapping with "
            "`data.m: 1`, update deleted it, local a mapping with `data.m: mine`: update's is taken"
        ),
    ),
    "a package that local deleted": (
        {P: KPTFILE.format("p"), "p/x.yaml": A},
        {P: KPTFILE.format("p"), "p/x.yaml": A2},
        {},
        {},
        "[warning] local/p: this package was deleted here, and update changed it: it stays deleted",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), TOLD.values(), ids=TOLD)
def test_what_both_sides_changed_is_told(  # noqa: PLR0913 - the columns of the table
    origin: Files, update: Files, local: Files, expected: Files, told: str, merger: Merger
) -> None:
    for side in SIDES:
        (merger.folder / side).mkdir()
    merger.write(origin, update, local)
    answer = merger.run("--on-conflict", "TakeUpdate")
    assert answer.told == f"{told} (Conflict)\n"
    assert answer.files == {
        path: data if isinstance(data, str) else data.decode(errors="replace") for path, data in expected.items()
    }
    assert answer.code == 0


@pytest.mark.parametrize(("origin", "update", "local", "_", "told"), TOLD.values(), ids=TOLD)
def test_with_error_local_stays_and_the_run_fails(
    origin: Files, update: Files, local: Files, _: Files, told: str, merger: Merger
) -> None:
    for side in SIDES:
        (merger.folder / side).mkdir()
    merger.write(origin, update, local)
    before = directories.contents(merger.folder / "local")
    answer = merger.run("--on-conflict", "Error")
    decided = told.replace("update's is taken", "local's stays, and you have to decide")
    assert answer == (before, decided.replace("[warning]", "[error]") + " (Conflict)\n", 1)


def test_neighbouring_lines_of_a_text_are_told_by_their_place_in_what_comes_out(merger: Merger) -> None:
    merger.write({"a": "1\n2\n3\n"}, {"a": "new\n1\nu\n3\n"}, {"a": "1\n2\nl\n"})
    told = "[warning] local/a: line 3: both sides changed these lines: these lie side by side, and both are kept"
    assert merger.run("--on-conflict", "TakeUpdate") == ({"a": "new\n1\nu\nl\n"}, f"{told} (Conflict)\n", 0)


def test_what_both_sides_moved_comes_out_once(merger: Merger) -> None:
    merger.write({"y.yaml": documents(A, B)}, {"z1.yaml": A, "z2.yaml": B}, {"x.yaml": documents(A, B) + "# mine\n"})
    assert merger.run("--on-conflict", "TakeUpdate").files == {"z1.yaml": A, "z2.yaml": B + "# mine\n"}


def test_a_package_that_nobody_changed_goes_and_one_that_was_updated_by_itself_stays(merger: Merger) -> None:
    p, q = KPTFILE.format("p"), KPTFILE.format("q")
    merger.write(
        {P: p, Q: q, "q/x.yaml": A, "r/Kptfile": b"\xff"},
        {Q: q, "q/x.yaml": A2, "r/Kptfile": b"\xff"},
        {P: p, Q: q + "upstream: {type: git}\n", "q/x.yaml": MY_A, "r/Kptfile": b"\xff"},
    )
    results = merger.folder / "results.yaml"
    answer = merger.run("--results", str(results))
    assert answer.files == {Q: q + "upstream: {type: git}\n", "q/x.yaml": MY_A, "r/Kptfile": "\ufffd"}
    assert (answer.told, answer.code) == ("1 note not shown (--results FILE has them)\n", 0)
    assert "this package was updated by itself: it stays as it is" in results.read_text()


def test_of_two_files_with_one_object_each_stays_what_it_is(merger: Merger) -> None:
    merger.write({}, {"x.yaml": A2}, {"y.yaml": MY_A, "z.yaml": A})
    answer = merger.run()
    assert answer.files == texts({"x.yaml": A2, "y.yaml": MY_A, "z.yaml": A})
    told = "[warning] local/y.yaml: v1/ConfigMap/a: local has this object in `y.yaml` and `z.yaml`, and nothing tells "
    told += "which of them the other directories have: each stays what it is there (DuplicateKeys)\n"
    assert (answer.told, answer.code) == (told, 0)


def test_a_comment_that_goes_with_the_last_object_of_a_file_is_told(merger: Merger) -> None:
    mine = {"x.yaml": f"# mine\n---\n{A}", "y.yaml": f"# old\n---\n{B}k: 1\n", "z.yaml": f"{C}k: 1\n"}
    merger.write({"x.yaml": A, "y.yaml": f"# old\n---\n{B}", "z.yaml": C}, {"z.yaml": "# new\n"}, mine)
    results = merger.folder / "results.yaml"
    assert merger.run("--on-conflict", "TakeUpdate", "--results", str(results)).files == {}
    assert [line[2:] for line in results.read_text().splitlines() if "a comment of" in line] == [
        "message: the objects of this file are gone or elsewhere now, and a comment of local's goes with them",
        "message: the objects of this file are gone or elsewhere now, and a comment of update's goes with them",
    ]


@pytest.mark.parametrize(
    "local", [{"y.yaml": documents(B, A)}, {"y.yaml": B}], ids=["local moved its object", "local deleted its object"]
)
def test_a_comment_that_update_wrote_in_a_file_that_local_has_no_more_is_told(local: Files, merger: Merger) -> None:
    merger.write({"x.yaml": A, "y.yaml": B}, {"x.yaml": LICENCE + A, "y.yaml": B}, local)
    told = "[warning] update/x.yaml: the objects of this file are gone or elsewhere now, and a comment of update's goes"
    assert merger.run() == (local, f"{told} with them (CommentKept)\n", 0)


def test_what_local_moved_and_commented_goes_where_update_deleted_it(merger: Merger) -> None:
    """The lines of the file that it is in now hold no deletion."""
    mine = "# mine\n" + B
    merger.write(
        {"x.yaml": documents(A, B), "y.yaml": C},
        {"x.yaml": A, "y.yaml": C},
        {"x.yaml": A, "y.yaml": documents(C, mine)},
    )
    told = "[warning] local/y.yaml:10: v1/ConfigMap/b: this is deleted, and a comment of local's with it (CommentGone)"
    assert merger.run() == ({"x.yaml": A, "y.yaml": C}, f"{told}\n", 0)


def test_a_directory_that_becomes_empty_goes(merger: Merger) -> None:
    merger.write({"a/b/x.yaml": A, "c/y.yaml": B}, {"x.yaml": A2, "c/y.yaml": B}, {"a/b/x.yaml": A, "c/y.yaml": B})
    assert merger.run().files == texts({"x.yaml": A2, "c/y.yaml": B})
    assert sorted(path.name for path in (merger.folder / "local").iterdir()) == ["c", "x.yaml"]


REFUSED: dict[str, tuple[Files, Files, Files, str]] = {
    "a directory in the place of a file": (
        {"x.yaml": A},
        {"x.yaml": A, "y/z.yaml": B},
        {"x.yaml": A2, "y": "mine"},
        (
            "local/y: this path is a directory as well, by `y/z.yaml`: rename one of the two, then merge "
            "again (InvalidPath)"
        ),
    ),
    "a directory that takes the place of a file": (
        {"y": "a"},
        {"y/z.yaml": B},
        {"y": "a"},
        (
            "local/y: this path is a directory as well, by `y/z.yaml`: rename one of the two, then merge "
            "again (InvalidPath)"
        ),
    ),
    "a file in the place of a directory": (
        {"f": "a"},
        {"f": "b"},
        {"f/mine.yaml": A},
        (
            "local/f: this path is a directory as well, by `f/mine.yaml`: rename one of the two, then merge "
            "again (InvalidPath)"
        ),
    ),
    "names that differ in case alone": (
        {"x.yaml": A},
        {"x.yaml": A, "X.yaml": B},
        {"x.yaml": A2},
        (
            "local/X.yaml: this path differs from `x.yaml` in case alone, and some systems have one file for both: "
            "rename one of the two, then merge again (InvalidPath)"
        ),
    ),
    "files of one side that were joined": (
        {"x.yaml": A},
        {"x.yaml": A2 + B},
        {"x.yaml": MY_A},
        (
            "update/x.yaml: line 8, column 1: the key `apiVersion` is here again (or files were joined without a line "
            "`---` between them), first in line 1 (InvalidInput)"
        ),
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "told"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_merged_is_refused_and_nothing_is_written(
    origin: Files, update: Files, local: Files, told: str, merger: Merger
) -> None:
    merger.write(origin, update, local)
    before = directories.contents(merger.folder / "local")
    answer = merger.run("--on-conflict", "TakeUpdate")
    assert answer == (before, f"[error] {told}\n", 1)


def test_a_file_of_text_where_update_has_objects_is_text(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A + "b: [\n"})
    assert merger.run().files == {"x.yaml": A2 + "b: [\n"}


def test_what_comes_out_is_written_elsewhere(merger: Merger) -> None:
    merger.write({"x.yaml": A, "a": "1"}, {"x.yaml": A2, "b": "2"}, {"x.yaml": MY_A, "a": "1", "c": "3"})
    before = directories.contents(merger.folder / "local")
    answer = merger.run("--output", str(merger.folder / "out"), "--diff")
    assert answer == (before, "", 0)
    assert directories.contents(merger.folder / "out") == {"x.yaml": config_map("a", 2, "mine"), "b": "2", "c": "3"}
    assert merger.out.endswith(
        "deleted  out/a  -1\nnew      out/b  +1\nchanged  out/x.yaml  +1 -1\n1 deleted, 1 new, 1 changed\n"
    )
    assert "--- a/out/x.yaml\n+++ b/out/x.yaml\n" in merger.out
    again = merger.run("--output", str(merger.folder / "out"))
    assert again == (before, "[error] out: it is not empty: --output takes a new directory (InvalidInput)\n", 1)


def test_a_binary_has_no_diff(merger: Merger) -> None:
    merger.write({"a": b"\0o"}, {"a": b"\0u"}, {"a": b"\0o"})
    merger.run("--diff")
    assert merger.out == "Binary files a/local/a and b/local/a differ\nchanged  local/a  \n1 changed\n"


def test_a_name_is_shown_with_escapes_and_is_no_command_to_anything(merger: Merger) -> None:
    """A name may come from elsewhere: no line of the log begins with it, and a terminal obeys nothing in it."""
    names = ("\x1b[31m", "a\n::error::", "\udcff")
    merger.write(*({f"{name}.yaml": text for name in names} for text in (A, A2, MY_A)))
    assert merger.run("--diff").code == 0
    shown = [f"local/{name}.yaml" for name in ("\\x1b[31m", "a\\n::error::", "\\udcff")]
    assert [line for line in merger.out.split("\n") if "local" in line] == [
        *(line for name in shown for line in (f"--- a/{name}", f"+++ b/{name}")),
        *(f"changed  {name}  +1 -1" for name in shown),
    ]


def test_a_link_of_local_stays_and_one_of_update_is_refused(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A})
    (merger.folder / "local" / "link").symlink_to("/etc")
    assert merger.run() == ({"x.yaml": A2}, f"[warning] local/link: left alone: {folder.IS_LINK} (LeftAlone)\n", 0)
    (merger.folder / "update" / "out.yaml").symlink_to("/etc/passwd")
    refused = "it is a symbolic link to `/etc/passwd`, and links are not followed: put a file in its place"
    assert merger.run() == ({"x.yaml": A2}, f"[error] update/out.yaml: {refused} (InvalidPath)\n", 1)
    (merger.folder / "origin" / "out.yaml").symlink_to("/etc/passwd")
    assert merger.run().code == 0


def test_what_is_too_deep_on_any_side_is_told(merger: Merger) -> None:
    deep = "/".join(["d"] * 50)
    merger.write({"x.yaml": A}, {"x.yaml": A2, f"{deep}/y.yaml": B}, {"x.yaml": A})
    reason = "left alone: a path in it has 51 steps, and more than 50 are not read (LeftAlone)"
    assert merger.run() == ({"x.yaml": A2}, f"[warning] update/{deep}: {reason}\n", 0)


def test_a_name_of_which_the_case_alone_changes(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"X.yaml": A2}, {"x.yaml": A})
    assert merger.run() == ({"X.yaml": A2}, "", 0)


def test_a_file_in_the_place_of_the_output_is_an_error(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A})
    (merger.folder / "out").write_text("mine")
    answer = merger.run("--output", str(merger.folder / "out"))
    refused = "this is a file, and a directory is to be written: name another place (InvalidPath)"
    assert (answer.told, answer.code) == (f"[error] out: {refused}\n", 1)
    assert (merger.folder / "out").read_text() == "mine"


def test_nothing_is_written_through_a_link(merger: Merger) -> None:
    merger.write({}, {"sub/x.yaml": A}, {"y.yaml": B})
    (merger.folder / "outside").mkdir()
    (merger.folder / "local" / "sub").symlink_to(merger.folder / "outside")
    answer = merger.run()
    assert (
        answer.told == "[error] local/sub/x.yaml: `sub` is a symbolic link, and links are not followed (InvalidPath)\n"
    )
    assert directories.contents(merger.folder / "outside") == {}
    assert answer.code == 1


def test_a_file_that_cannot_be_read_stops_the_merge(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A})
    os.mkfifo(merger.folder / "local" / "pipe")
    assert merger.run().told == "[error] local/pipe: it is no regular file (InvalidInput)\n"
    assert (merger.folder / "local" / "x.yaml").read_text() == A


def test_a_file_that_cannot_be_read_is_named_as_the_user_calls_it(
    merger: Merger, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A})
    monkeypatch.chdir(merger.folder)
    for side in SIDES:
        os.mkfifo(merger.folder / side / "pipe")
        code = merge.main(["merge3", *SIDES])
        assert (code, capfd.readouterr().err) == (1, f"[error] {side}/pipe: it is no regular file (InvalidInput)\n")
        (merger.folder / side / "pipe").unlink()


def test_a_directory_that_may_not_be_written_to_stays_as_it_is(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2, "y.yaml": B}, {"x.yaml": A})
    (merger.folder / "local").chmod(0o555)
    with directories.nobody(merger.folder):
        answer = merger.run()
    assert answer == ({"x.yaml": A}, "[error] local/y.yaml: Permission denied (InvalidInput)\n", 1)


def test_a_file_that_may_not_be_read_stops_the_merge(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2, "y.yaml": B}, {"x.yaml": A})
    (merger.folder / "update" / "y.yaml").chmod(0)
    with directories.nobody(merger.folder):
        answer = merger.run()
    assert answer == ({"x.yaml": A}, "[error] update/y.yaml: Permission denied (InvalidInput)\n", 1)


def test_who_may_execute_a_file_follows_the_base_rule(merger: Merger) -> None:
    scripts = {"changed.sh": "1", "mine.sh": "1", "new.sh": "1"}
    merger.write({"changed.sh": "1", "mine.sh": "1"}, scripts, {"changed.sh": "1", "mine.sh": "1"})
    (merger.folder / "update" / "changed.sh").chmod(0o755)
    (merger.folder / "update" / "new.sh").chmod(0o750)
    (merger.folder / "local" / "mine.sh").chmod(0o700)
    merger.run()
    modes = {name: (merger.folder / "local" / name).stat().st_mode & 0o777 for name in scripts}
    assert modes == {"changed.sh": 0o755, "mine.sh": 0o700, "new.sh": 0o750}


def test_patterns_that_are_no_text_are_told(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A, ".krmignore": b"\xff"})
    assert merger.run().told == "[warning] local/.krmignore: left alone: it is not UTF-8 (LeftAlone)\n"


def test_what_a_killed_run_left_behind_is_removed(merger: Merger) -> None:
    merger.write(
        {"x.yaml": A}, {"x.yaml": A2}, {"x.yaml": A, directories.staged(A2, A): A2, directories.staged("", A, 1): ""}
    )
    assert merger.run().files == {"x.yaml": A2}


def test_kubectls_rules_hold_for_directories(merger: Merger) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A}, {"x.yaml": config_map("a", 5)})
    assert merger.run("--strategy", "Apply").files == {"x.yaml": A}


USAGE = {
    "a directory and files": (
        ("origin", "update/x.yaml", "local/x.yaml"),
        "`{}/origin` is a directory and `{}/update/x.yaml` is none: give three files, or three directories",
    ),
    "a file and directories": (
        ("origin/x.yaml", "update", "local"),
        "`{}/update` is a directory and `{}/origin/x.yaml` is none: give three files, or three directories",
    ),
    "standard output": (
        ("origin", "update", "local", "--output", "-"),
        "directories are not written to standard output: --output takes a directory",
    ),
    "a diff of files": (
        ("origin/x.yaml", "update/x.yaml", "local/x.yaml", "--diff"),
        "--diff is for directories: `diff` shows how two files differ",
    ),
}


@pytest.mark.parametrize(("words", "message"), USAGE.values(), ids=USAGE)
def test_wrong_usage(words: tuple[str, ...], message: str, merger: Merger, capfd: pytest.CaptureFixture[str]) -> None:
    merger.write({"x.yaml": A}, {"x.yaml": A}, {"x.yaml": A})
    with pytest.raises(SystemExit) as caught:
        merge.main(["merge3", *(word if word.startswith("-") else str(merger.folder / word) for word in words)])
    assert caught.value.code == 2
    assert f"error: {message.replace('{}', str(merger.folder))}\n" in capfd.readouterr().err


def test_an_overlay_is_a_file(merger: Merger, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        merge.main(["merge2", str(merger.folder), str(merger.folder)])
    assert "error: merge2 takes two files, and no directory\n" in capfd.readouterr().err
