"""Packages with edits of their user, brought up to date by the real `kpt pkg update` and by `merge3` of directories.

The table of docs/reference/merge.md, "Beside kpt pkg update", says what each keeps: it is computed here. All cases are
files of one package, so that they cost one run of each. It is as `kpt pkg get` makes it, with kpt's notes in each
object.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest

from krm.commands import merge
from tests.krm.merge import kpt
from tests.krm.package import directories
from tests.pages import Page

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Files = dict[str, str]

pytestmark = pytest.mark.e2e


def config_map(name: str, value: object = 1, mine: object = 1) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n  k: '{value}'\n  m: '{mine}'\n"


def documents(*texts: str) -> str:
    return "---\n".join(texts)


class Case(NamedTuple):
    """One row of the table: the files of the three sides, and what both sides' changes look like in the result."""

    origin: Files
    update: Files
    local: Files
    has_both: Callable[[Files], bool]


def has(path: str, *texts: str) -> Callable[[Files], bool]:
    return lambda files: all(text in files.get(path, "") for text in texts)


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: {}\n"
OWN_COMMENTS = "# mine\n\n" + config_map("b").replace("\ndata:", "\n\n# why\ndata:").replace("m: '1'", 'm: "1"   # m')
CASES: dict[str, Case] = {
    "you changed another field": Case(
        {"a.yaml": config_map("a")},
        {"a.yaml": config_map("a", 2)},
        {"a.yaml": config_map("a", 1, "mine")},
        has("a.yaml", "'2'", "mine"),
    ),
    "you wrote comments, quotes and blank lines of your own": Case(
        {"b.yaml": config_map("b")},
        {"b.yaml": config_map("b", 2)},
        {
            "b.yaml": "# mine\n\n"
            + config_map("b").replace("\ndata:", "\n\n# why\ndata:").replace("m: '1'", 'm: "1"   # m')
        },
        has("b.yaml", "# mine\n\n", "\n\n# why\ndata:\n  k: '2'\n", 'm: "1"   # m\n'),
    ),
    "upstream moved the object to another file": Case(
        {"c.yaml": documents(config_map("c1"), config_map("c2"))},
        {"c.yaml": config_map("c1"), "c2.yaml": config_map("c2", 2)},
        {"c.yaml": documents(config_map("c1"), config_map("c2", 1, "mine"))},
        lambda files: has("c2.yaml", "'2'", "mine")(files) and "c2" not in files["c.yaml"],
    ),
    "upstream renamed the file": Case(
        {"d.yaml": "# Licence.\n\n" + config_map("d")},
        {"new/d.yaml": "# Licence.\n\n" + config_map("d", 2)},
        {"d.yaml": "# Licence.\n\n" + config_map("d", 1, "mine")},
        lambda files: has("new/d.yaml", "# Licence", "'2'", "mine")(files) and "d.yaml" not in files,
    ),
    "you moved the object to another file": Case(
        {"e.yaml": documents(config_map("e1"), config_map("e2"))},
        {"e.yaml": documents(config_map("e1"), config_map("e2", 2))},
        {"e.yaml": config_map("e1"), "mine/e2.yaml": config_map("e2", 1, "mine")},
        lambda files: has("mine/e2.yaml", "'2'", "mine")(files) and "e2" not in files["e.yaml"],
    ),
    "upstream added an object between two others": Case(
        {"f.yaml": documents(config_map("f1"), config_map("f3"))},
        {"f.yaml": documents(config_map("f1"), config_map("f2"), config_map("f3"))},
        {"f.yaml": documents(config_map("f1"), config_map("f3", 1, "mine"))},
        lambda files: (
            files["f.yaml"].count("name: ") == 3
            and files["f.yaml"].index("f1") < files["f.yaml"].index("f2") < files["f.yaml"].index("f3")
        ),
    ),
    "upstream deleted a file that you left alone": Case(
        {"g.yaml": config_map("g")}, {}, {"g.yaml": config_map("g")}, lambda files: "g.yaml" not in files
    ),
    "both changed a text, other lines of it": Case(
        {"h.md": "one\ntwo\nthree\nfour\n"},
        {"h.md": "ONE\ntwo\nthree\nfour\n"},
        {"h.md": "one\ntwo\nthree\nFOUR\n"},
        has("h.md", "ONE\ntwo\nthree\nFOUR\n"),
    ),
    "values without a kind": Case(
        {"i.yaml": "a: 1\nb: 1\nc: 1\n"},
        {"i.yaml": "a: 2\nb: 1\nc: 1\n"},
        {"i.yaml": "a: 1\nb: 1\nc: mine\n"},
        has("i.yaml", "a: 2\n", "c: mine\n"),
    ),
    "you deleted a package": Case(
        {"j/Kptfile": KPTFILE.format("j"), "j/x.yaml": config_map("j")},
        {"j/Kptfile": KPTFILE.format("j"), "j/x.yaml": config_map("j", 2)},
        {},
        lambda files: not any(path.startswith("j/") for path in files),
    ),
    "upstream deleted a package that you changed": Case(
        {"l/Kptfile": KPTFILE.format("l"), "l/x.yaml": config_map("l")},
        {},
        {"l/Kptfile": KPTFILE.format("l"), "l/x.yaml": config_map("l", 1, "mine")},
        has("l/x.yaml", "mine"),
    ),
    "upstream deleted an object that you changed": Case(
        {"n.yaml": documents(config_map("n1"), config_map("n2"))},
        {"n.yaml": config_map("n1")},
        {"n.yaml": documents(config_map("n1"), config_map("n2", 1, "mine"))},
        has("n.yaml", "mine"),
    ),
}


def together(side: str) -> Files:
    """Return one side of all cases, with a Kptfile as kpt has it in each package."""
    files = {path: text for case in CASES.values() for path, text in getattr(case, side).items()}
    return {"Kptfile": KPTFILE.format("package"), **files}


def noted(files: Files) -> Files:
    """Return files with what kpt notes in each object when it gets a package."""
    noted = r"metadata: # kpt-merge: /\1\n  name: \1\n  annotations:\n"
    noted += r"    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|\1'\n"
    return {
        path: re.sub(r"(?<=kind: ConfigMap\n)metadata:\n  name: (\w+)\n", noted, text) for path, text in files.items()
    }


def got(folder: Path) -> Path:
    """Return a package as kpt gets it, with the user's edits, beside both versions of it."""
    upstream, package = folder / "upstream", folder / "local"
    for side in ("origin", "update"):
        for kept in (upstream / "package", folder / side):
            emptied(kept)
            directories.write(kept, together(side))
        kpt.commit(upstream)
        kpt.run("git", "tag", side, folder=upstream)
    kpt.run("kpt", "pkg", "get", f"file://{upstream}.git/package@origin", str(package), folder=folder)
    kptfile = {"Kptfile": (package / "Kptfile").read_text()}
    assert directories.contents(package) == noted(together("origin")) | kptfile
    emptied(package)
    directories.write(package, noted(together("local")) | kptfile)
    kpt.commit(folder)
    return package


def by_kpt(package: Path) -> Files:
    done = kpt.update(package)
    assert done.returncode == 0, done.stderr
    return directories.contents(package)


def by_merge3(folder: Path, package: Path) -> Files:
    sides = folder / "origin", folder / "update", package
    merge.main(["merge3", *map(str, sides)])
    return directories.contents(package)


def emptied(folder: Path) -> None:
    if folder.exists():
        subprocess.run(["find", folder, "-mindepth", "1", "-delete"], check=True)


def test_what_each_keeps(tmp_path: Path) -> None:
    """UPDATE=1 prints the list."""
    package = got(tmp_path)
    shutil.copytree(package, tmp_path / "ours" / "local")
    theirs, ours = by_kpt(package), by_merge3(tmp_path, tmp_path / "ours" / "local")
    assert [name for name, case in CASES.items() if not case.has_both(ours)] == []
    lost = [name for name, case in CASES.items() if not case.has_both(theirs)]
    if "UPDATE" in os.environ:
        print(*(f"- {name}" for name in lost), sep="\n")  # noqa: T201 - what it is asked for
    assert re.findall("^- (.*)$", Page("merge").sections()["Beside kpt pkg update"], re.MULTILINE) == lost
