"""`.krmignore`: the patterns of one file, and which file holds for which directory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.package import wire
from krm.package.folder import Folder
from krm.package.listing import Patterns
from tests.krm.package.directories import config, staged, write

if TYPE_CHECKING:
    from pathlib import Path

FILE, FOLDER = False, True


@pytest.mark.parametrize(
    ("patterns", "path", "is_folder", "is_left_out"),
    [
        ("a.yaml", "a.yaml", FILE, True),
        ("a.yaml", "b/c/a.yaml", FILE, True),
        ("a.yaml", "ba.yaml", FILE, False),
        ("*.yaml", "b/a.yaml", FILE, True),
        ("b/*.yaml", "b/a.yaml", FILE, True),
        ("b/*.yaml", "c/b/a.yaml", FILE, True),
        ("b/*.yaml", "a.yaml", FILE, False),
        ("*", "b/a.yaml", FILE, True),
        ("/*", "b/a.yaml", FILE, True),
        ("b?c", "bac", FILE, True),
        ("b?c", "b/c", FILE, False),
        ("[a-c].yaml", "b.yaml", FILE, True),
        ("[^a-c].yaml", "b.yaml", FILE, False),
        ("[^a-c].yaml", "d.yaml", FILE, True),
        (r"[\]].yaml", "].yaml", FILE, True),
        ("[z-a].yaml", "b.yaml", FILE, False),
        ("[^z-a].yaml", "b.yaml", FILE, True),
        ("[z-ab-].yaml", "b.yaml", FILE, True),
        ("[&&~~].yaml", "&.yaml", FILE, True),
        (r"\*.yaml", "a.yaml", FILE, False),
        (r"\*.yaml", "*.yaml", FILE, True),
        ("[a", "[a", FILE, True),
        ("b", "b", FOLDER, True),
        ("b/", "b", FOLDER, True),
        ("b/", "b", FILE, False),
        ("/b/", "b", FOLDER, True),
        ("/b/", "b/c", FOLDER, False),
        ("/a.yaml", "a.yaml", FILE, True),
        ("/a.yaml", "b/a.yaml", FILE, False),
        ("/b/a.yaml", "b/a.yaml", FILE, True),
        ("*.yaml\n!a.yaml", "a.yaml", FILE, False),
        ("!a.yaml\n*.yaml", "a.yaml", FILE, False),
        ("# a.yaml", "# a.yaml", FILE, False),
        (r"\#a.yaml", "#a.yaml", FILE, True),
        (" a.yaml \r\n\n", "a.yaml", FILE, True),
        ("/", "a.yaml", FILE, False),
        ("!\n!/\n*", "a.yaml", FILE, True),
        ("a\nb", "b", FILE, True),
    ],
)
def test_a_pattern(patterns: str, path: str, *, is_folder: bool, is_left_out: bool) -> None:
    assert Patterns(patterns).leave_out(path, is_folder=is_folder) == is_left_out


def read(directory: Path) -> list[str]:
    with Folder(str(directory)) as opened:
        package = wire.read(opened)
    return [*package.files, *map(str, package.left_alone)]


def test_a_package_has_patterns_of_its_own(tmp_path: Path) -> None:
    """Those of the directory around it leave out the package as a whole, or nothing of it."""
    paths = ("a.yaml", "in/a.yaml", "in/b.yaml", "in/deep/b.yaml", "in2/b.yaml", "no/a.yaml", "plain/a.yaml")
    files = dict.fromkeys(paths, config("x")) | dict.fromkeys(("in/Kptfile", "no/Kptfile"), config("k"))
    write(tmp_path, files | {".krmignore": "/a.yaml\nplain/a.yaml\nno\n", "in/.krmignore": "b.yaml\n"})
    assert read(tmp_path) == ["in/Kptfile", "in/a.yaml", "in2/b.yaml"]


def test_no_pattern_hides_what_a_killed_run_has_left(tmp_path: Path) -> None:
    left = f"in/{staged('new', '')}"
    write(tmp_path, {"in/a.yaml": config("a"), left: "new", ".krmignore": ".*\n"})
    with Folder(str(tmp_path)) as opened:
        assert wire.read(opened).leftovers == [left]


def test_patterns_that_cannot_be_read_leave_nothing_out(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a"), ".krmignore": b"a.yaml\n\xff\n"})
    assert read(tmp_path) == ["a.yaml", "[warning] .krmignore: left alone: it is not UTF-8"]
