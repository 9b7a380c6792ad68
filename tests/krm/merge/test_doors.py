"""Inputs for which each way to merge a file gives one answer: git's driver, `merge3` of files and of directories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars.git import cascade
from expand_vars.git.labels import Labels
from expand_vars.git.line_merge import Texts
from krm.file import File
from krm.merge import trees
from krm.merge.files import documents
from krm.merge.policy import Policy
from tests import process

if TYPE_CHECKING:
    from pathlib import Path

PEERS = "apiVersion: v1/kind: PeerList/mode: {}/zone: z/items:{}"

# origin, update, local; what comes out. A `/` stands for the end of a line.
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
}


def sides(case: tuple[str, str, str, str]) -> list[str]:
    return [text.replace("/", "\n") for text in case]


def by_driver(origin: str, update: str, local: str) -> str:
    texts = Texts(origin.encode(), update.encode(), local.encode())
    return cascade.merge(texts, "a.yaml", Labels("HEAD", "origin", "update"), 7).text.decode()


def by_merge3(origin: str, update: str, local: str) -> str:
    before, new, own = (File(side, "a.yaml") for side in (origin, update, local))
    return documents.merge(before, new, own, documents.by_fields(Policy())).text


DOORS = {"driver": by_driver, "merge3": by_merge3}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_each_door(door: str, case: tuple[str, str, str, str]) -> None:
    origin, update, local, expected = sides(case)
    assert DOORS[door](origin, update, local) == expected
    assert trees.same_documents(DOORS[door](origin, local, update), expected)


def test_directories(tmp_path: Path) -> None:
    for number, case in enumerate(CASES.values()):
        for side, text in zip("oul", sides(case), strict=False):
            (tmp_path / side / str(number)).mkdir(parents=True)
            (tmp_path / side / str(number) / "a.yaml").write_text(text)
    answer = process.run("merge3", *(str(tmp_path / side) for side in "oul"), stdin=b"")
    assert answer.code == 0
    merged = {path.parent.name: path.read_text() for path in (tmp_path / "l").rglob("a.yaml")}
    assert merged == {str(number): sides(case)[3] for number, case in enumerate(CASES.values())}
