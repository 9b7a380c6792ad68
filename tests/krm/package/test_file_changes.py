"""A package whose items are changed where they stand: what becomes of its files, and what is never taken apart."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from krm.package import file_changes, files, transaction
from krm.package.folder import Folder
from krm.results import FnError
from tests.calls import parsed
from tests.krm.package import test_sink
from tests.krm.package.directories import config, contents, write
from tests.krm.package.test_sink import A, B, C, at

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from krm.package.files import Package
    from krm.resourcelist import ResourceList

    Case = tuple[dict[str, str], Callable[[ResourceList], object], dict[str, str]]

ELSEWHERE = (
    "resources change places, and others stay",  # only who prints a list moves what is there
    "a resource moves to a file that is not there",
    "annotations that are empty now go",  # those that held places alone
)
CASES = {name: case for name, case in test_sink.CASES.items() if name not in ELSEWHERE}


def changed(directory: Path, change: Callable[[ResourceList], object]) -> list[str]:
    """Change the items of a package, and return the paths of the files that are written."""
    with Folder(str(directory)) as opened:
        package = files.read(opened)
        change(cast("ResourceList", package))
        found = file_changes.of(package)
        transaction.commit(opened, found)
    return [one.path for one in found]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_a_change_of_the_items_makes_of_the_files(case: Case, tmp_path: Path) -> None:
    """The same as if the items had gone out and come back as a list."""
    before, change, after = case
    write(tmp_path, before)
    changed(tmp_path, change)
    assert contents(tmp_path) == after
    assert changed(tmp_path, lambda _: None) == []


def test_a_resource_that_comes_in_the_place_of_one_that_goes(tmp_path: Path) -> None:
    def change(listed: ResourceList) -> None:
        at("a.yaml", "0")(listed)
        listed.remove(listed.items[0])

    write(tmp_path, {"a.yaml": f"{A}---\n{B}"})
    changed(tmp_path, change)
    assert contents(tmp_path) == {"a.yaml": f"# new\n{C}---\n{B}"}


def test_what_takes_the_place_of_an_object_in_a_json_file_is_json(tmp_path: Path) -> None:
    def change(listed: ResourceList) -> None:
        at("a.json", "0")(listed)
        listed.remove(listed.items[0])

    write(tmp_path, {"a.json": '{"kind": "A", "apiVersion": "v1", "metadata": {"name": "a"}}\n'})
    changed(tmp_path, change)
    assert json.loads(contents(tmp_path)["a.json"])["metadata"]["name"] == "c"


REFUSED: dict[str, tuple[dict[str, str], Callable[[ResourceList], object], str]] = {
    "an index that is taken": (
        {"a.yaml": A},
        at("a.yaml", "0"),
        (
            "[error] v1/ConfigMap/c: it cannot be written: index 0 of `a.yaml` is also that of v1/ConfigMap/a: give it "
            "another"
        ),
    ),
    "a file that was not read": (
        {"a.yaml": A, "b.yaml": "a: [\n"},
        at("b.yaml"),
        (
            "[error] b.yaml: it was left alone: it is not YAML: line 2, column 1: a value is missing here, or a "
            "bracket above is not closed; so it is not written: mend it, delete it, or choose another path"
        ),
    ),
    "a file in conflict": (
        {"a.yaml": A, "b.yaml": "<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n"},
        at("b.yaml"),
        "[error] b.yaml: it has a conflict in line 1, so it was not read: resolve or delete it, and run again",
    ),
    "a second object in a JSON file": (
        {"a.json": '{"kind": "A", "apiVersion": "v1", "metadata": {"name": "a"}}'},
        at("a.json"),
        "[error] a.json: a JSON file holds one object, and several have this path: give each a path of its own",
    ),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_written_is_refused_and_nothing_changes(
    case: tuple[dict[str, str], Callable[[ResourceList], object], str], tmp_path: Path
) -> None:
    before, change, message = case
    write(tmp_path, before)
    with pytest.raises(FnError) as refused:
        changed(tmp_path, change)
    assert str(refused.value) == message
    assert contents(tmp_path) == before


@pytest.mark.pure
def test_what_nobody_asks_for_is_not_parsed(tmp_path: Path) -> None:
    write(tmp_path, {f"{number}.yaml": f"# c\n---\n{config(str(number))}---\n{config('x')}" for number in range(10)})
    assert parsed(lambda: changed(tmp_path, lambda _: None)) == 0


SPELLED = {
    "at the margin": ("kind: A\napiVersion: v1\n", 1),
    "below comments and a start": ("# c\n\n--- # c\n# d\nkind: A\napiVersion: v1\n", 1),
    "with CRLF": ("kind: A\r\napiVersion: v1\r\n", 1),
    "in quotes": ("'kind': 'A'\n'apiVersion': \"v1\"\n", 1),
    "in brackets": ("{kind: A, apiVersion: v1}\n", 1),
    "further right": ("  kind: A\n  apiVersion: v1\n", 1),
    "with a template of another tool in a text": ("kind: A\napiVersion: v1\nx: '{{ y }}'\n", 1),
    "with nothing": ("kind: null\napiVersion: v1\n", 0),
    "below another key": ("x:\n  kind: A\n  apiVersion: v1\n", 0),
    "in a text": ("x: |\n  kind: A\n  apiVersion: v1\n", 0),
    "one of the two": ("kind: A\nx: {apiVersion: v1}\n", 0),
    "in a list": ("- kind: A\n  apiVersion: v1\n", 0),
}


@pytest.mark.parametrize(("text", "count"), SPELLED.values(), ids=SPELLED)
def test_a_resource_is_a_document_with_a_kind_and_an_api_version(text: str, count: int, tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": text})
    assert len(read(tmp_path).items) == count


def read(directory: Path) -> Package:
    with Folder(str(directory)) as opened:
        return files.read(opened)


def test_an_item_knows_its_file_and_its_index_whatever_it_says_itself(tmp_path: Path) -> None:
    odd = A.replace(
        "name: a", "name: a\n  annotations: {config.kubernetes.io/path: b.yaml, config.kubernetes.io/index: '7'}"
    )
    write(tmp_path, {"a.yaml": f"x: 1\n---\n{odd}"})
    [item] = read(tmp_path).items
    assert (item.file, item.index) == ("a.yaml", 1)


def test_an_error_of_an_item_that_is_no_yaml_names_its_file(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": f"{A}---\n{B.replace('k: 1', 'k: 1' + chr(10) + '  k: 2')}"})
    _, item = read(tmp_path).items
    with pytest.raises(FnError, match=r"^\[error\] a.yaml: document 2: line 14, column 3: the key `k` is here again"):
        _ = item.root
    assert [*read(tmp_path).unreadable(["a.yaml", "none.yaml", None])] == ["a.yaml"]


def test_a_file_that_is_no_yaml_where_it_is_asked_for_its_kind_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "{kind: A, apiVersion: v1, a: 1, a: 2}\n"})
    twice = "document 1: line 1, column 33: the key `a` is here again, first in line 1"
    assert [str(one) for one in read(tmp_path).left_alone] == [f"[warning] a.yaml: left alone: {twice}"]
