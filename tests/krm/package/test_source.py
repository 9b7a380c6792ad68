"""A directory becomes a list: which files are read, in what order, and what of them the list has."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest
import yaml

from krm import resourcelist
from krm.package import folder, wire
from krm.package.folder import Folder
from krm.results import FnError
from tests.krm.package.directories import changed, config, contents, nobody, staged, sunk, text, write
from tests.process import ROOT

if TYPE_CHECKING:
    from pathlib import Path

NO_VALUE = "a value is missing here, or a bracket above is not closed"


def places(directory: Path) -> list[tuple[str | None, int | None, str]]:
    return [(item.file, item.index, item.name) for item in resourcelist.read(text(directory)).items]


def left_alone(directory: Path) -> list[str]:
    with Folder(str(directory)) as opened:
        return [str(result) for result in wire.read(opened).left_alone]


def test_a_document_is_an_element_with_its_place_among_its_annotations(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "a.yaml": "# licence\n---\n# about a\napiVersion: v1\nkind: ConfigMap\nmetadata: # m\n  # n\n  name: a\n",
            "b.yaml": "apiVersion: v1\nkind: A\nmetadata:\n  annotations:\n    # x\n    x: y\n  name: b\n\n",
        },
    )
    assert text(tmp_path) == (
        "apiVersion: config.kubernetes.io/v1\n"
        "kind: ResourceList\n"
        "items:\n"
        "- # about a\n"
        "  apiVersion: v1\n"
        "  kind: ConfigMap\n"
        "  metadata: # m\n"
        "    # n\n"
        "    name: a\n"
        "    annotations:\n"
        "      config.kubernetes.io/index: '0'\n"
        "      config.kubernetes.io/path: 'a.yaml'\n"
        "      internal.config.kubernetes.io/index: '0'\n"
        "      internal.config.kubernetes.io/path: 'a.yaml'\n"
        "      internal.config.kubernetes.io/seqindent: 'compact'\n"
        "- apiVersion: v1\n"
        "  kind: A\n"
        "  metadata:\n"
        "    annotations:\n"
        "      config.kubernetes.io/index: '0'\n"
        "      config.kubernetes.io/path: 'b.yaml'\n"
        "      internal.config.kubernetes.io/index: '0'\n"
        "      internal.config.kubernetes.io/path: 'b.yaml'\n"
        "      internal.config.kubernetes.io/seqindent: 'compact'\n"
        "      # x\n"
        "      x: y\n"
        "    name: b\n"
        "\n"
    )


@pytest.mark.parametrize(
    "written",
    [
        "{apiVersion: v1, kind: A, metadata: {name: a}}\n",
        '{"apiVersion":"v1","kind":"A"}',
        "kind: A\napiVersion: v1\n",
        "kind: A\napiVersion: v1\nmetadata: {name: a}\n",
        "kind: A\napiVersion: v1\nmetadata:\n  annotations: {a: b}\n",
        "kind: A\napiVersion: v1\nmetadata:\n  annotations:\n    config.kubernetes.io/index: '7'\n",
        "kind: A\r\napiVersion: v1\r\nmetadata:\r\n  name: a\r\n",
        "kind: A\napiVersion: v1\nmetadata:\n  name: a\ndata: |\n  x",
        "kind: A\napiVersion: v1\nmetadata:\n  name: a\ndata: 'x\n\n  y\nz'",
        "  kind: A\n  apiVersion: v1\n",
        "--- {apiVersion: v1, kind: A}\n",
        "--- # c\nkind: A\napiVersion: v1\n...\n",
        "&a kind: A\napiVersion: v1\n",
        "&a\nkind: A\napiVersion: v1\nmetadata:\n  name: a\n",
        "\n\nkind: A\napiVersion: v1\nmetadata: {name: a}\n",
        "? kind\n: A\n? apiVersion\n: v1\n? metadata\n: name: a\n",
        "kind: A\napiVersion: v1\nmetadata:\n  name: it's\n",
    ],
)
def test_however_it_is_written_an_element_has_the_data_of_its_document(written: str, tmp_path: Path) -> None:
    path = "it's a.yaml"
    write(tmp_path, {path: written})
    [item] = yaml.safe_load(text(tmp_path))["items"]
    annotations = item.setdefault("metadata", {}).setdefault("annotations", {})
    for prefix in ("config.kubernetes.io", "internal.config.kubernetes.io"):
        assert (annotations.pop(f"{prefix}/path"), annotations.pop(f"{prefix}/index")) == (path, "0")
    assert annotations.pop("internal.config.kubernetes.io/seqindent") == "compact"
    expected = yaml.safe_load(written)
    expected.setdefault("metadata", {}).setdefault("annotations", {}).pop("config.kubernetes.io/index", None)
    assert item == expected
    assert sunk(tmp_path, resourcelist.read(text(tmp_path)).items) == []
    assert contents(tmp_path) == {path: written}


@pytest.mark.parametrize("folder", ["examples", "testdata/expand_vars", "testdata/krm"])
def test_a_list_as_it_was_read_changes_no_file(folder: str, tmp_path: Path) -> None:
    package = shutil.copytree(ROOT / folder, tmp_path / "package", symlinks=True)
    listed = resourcelist.read(text(package))
    assert len(listed.items) > 5
    assert sunk(package, listed.entries) == []
    assert contents(package) == contents(ROOT / folder)


def test_files_come_in_the_order_of_kpt_directories_among_them(tmp_path: Path) -> None:
    write(tmp_path, dict.fromkeys(("b.yaml", "a/z.yml", "a.yaml", ".h/x.json", "Kptfile", "a/b/c.yaml"), config("x")))
    found = [path for path, _, _ in places(tmp_path)]
    assert found == [".h/x.json", "Kptfile", "a/b/c.yaml", "a/z.yml", "a.yaml", "b.yaml"]


def test_documents_that_are_no_resource_count_and_are_no_item(tmp_path: Path) -> None:
    several = f"# nothing\n---\nvalues: 1\n---\n{config('a')}---\n# nothing\n---\n- 1\n---\n{config('b')}"
    write(tmp_path, {"a.yaml": several, "values.yaml": "kind: 1\n"})
    assert places(tmp_path) == [("a.yaml", 1, "a"), ("a.yaml", 3, "b")]


def test_a_file_that_vanishes_while_the_others_are_read_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"a.yaml": config("a"), "b.yaml": config("b")})
    real = folder.read

    def read(name: str, at: int) -> tuple[bytes, os.stat_result]:
        (tmp_path / "b.yaml").unlink(missing_ok=True)
        return real(name, at)

    monkeypatch.setattr(folder, "read", read)
    with Folder(str(tmp_path)) as opened:
        package = wire.read(opened)
    assert [*map(str, package.left_alone)] == ["[warning] b.yaml: left alone: No such file or directory"]
    assert [item.name for item in package.items] == ["a"]


def test_what_is_no_resource_file_is_not_looked_at(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": config("a"), ".git/b.yaml": config("b"), "c.yaml.bak": config("c")})
    assert (places(tmp_path), left_alone(tmp_path)) == ([], [])
    assert text(tmp_path) == "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: []\n"


def test_what_cannot_be_read_is_left_alone_and_named(tmp_path: Path) -> None:
    """The whole messages, in the order of the files."""
    outside = write(tmp_path / "outside", {"o.yaml": config("o")})
    package = write(
        tmp_path / "package",
        {
            "a.yaml": config("a"),
            "broken.yaml": "a: [\n",
            "chart/a.yaml": "{{- if .Values.a }}\nkind: A\napiVersion: v1\n{{- end }}\n",
            "chart/b.yaml": "kind: A\napiVersion: v1\nmetadata:\n  name: {{ .Values.name }}\n",
            "jinja.yaml": "kind: A\n{% if a %}\napiVersion: v1\n{% else %}\napiVersion: v2\n{% endif %}\n",
            "latin.yaml": "# one\nname: h\xe9\n".encode("latin-1"),
            "new\nline.yaml": config("n"),
            "n\u200bl.yaml": config("n"),
            "twice.yaml": "kind: A\napiVersion: v1\nkind: B\n",
            "tagged.yaml": "%YAML 1.1\n---\nkind: A\napiVersion: v1\n",
        },
    )
    (package / "link.yaml").symlink_to(outside / "o.yaml")
    (package / "linked").symlink_to(outside)
    (package / "folder.yaml").mkdir()
    os.mkfifo(package / "pipe.yaml")
    assert places(package) == [("a.yaml", 0, "a")]
    assert left_alone(package) == [
        f"[warning] broken.yaml: left alone: it is not YAML: line 2, column 1: {NO_VALUE}",
        "[warning] chart/a.yaml: left alone: it is a template of Helm",
        "[warning] chart/b.yaml: left alone: it is a template of Helm",
        "[warning] jinja.yaml: left alone: it is a template of another tool",
        "[warning] latin.yaml: left alone: it is not UTF-8: byte 0xe9 in line 2; convert it to UTF-8",
        "[warning] link.yaml: left alone: it is a symbolic link, and links are not followed",
        "[warning] linked: left alone: it is a symbolic link, and links are not followed",
        r"[warning] n\u200bl.yaml: left alone: its name has control characters",
        r"[warning] new\nline.yaml: left alone: its name has control characters",
        "[warning] pipe.yaml: left alone: it is no regular file",
        "[warning] tagged.yaml: left alone: it cannot be added: it must have no directives",
        (
            "[error] twice.yaml: document 1: line 3, column 1: the key `kind` is here again "
            "(or files were joined without a line `---` between them), first in line 1"
        ),
    ]


def test_links_are_named_that_lead_to_a_directory_and_no_others(tmp_path: Path) -> None:
    package = write(tmp_path / "package", {"a.yaml": config("a"), "in/b.txt": ""})
    for name, target in {"loop": "loop", "gone": "none", "in/text": "b.txt", "in/up": ".."}.items():
        (package / name).symlink_to(target)
    assert left_alone(package) == [
        "[warning] in/up: left alone: it is a symbolic link, and links are not followed",
    ]


def test_a_directory_that_is_too_deep_is_named_and_not_walked(tmp_path: Path) -> None:
    deep = "/".join("d" * 50)
    write(tmp_path, {f"{deep}/a.yaml": config("a"), f"{deep}/e/b.yaml": config("b")})
    assert left_alone(tmp_path) == [
        f"[warning] {deep}: left alone: a path in it has 51 steps, and more than 50 are not read"
    ]


def test_files_of_the_user_that_are_named_like_staged_ones_are_nobodys_to_remove(tmp_path: Path) -> None:
    own = {"notes.krm-staged": "mine", ".1-0.krm-staged": "mine", f"{staged('', '')}/x": "mine"}
    write(tmp_path, own | {"a.yaml": config("a")})
    assert changed(tmp_path, lambda listed: listed.items[0].set(("data", "k"), "2")) == ["a.yaml"]
    assert contents(tmp_path) == own | {"a.yaml": config("a", '"2"')}


@pytest.mark.parametrize("name", ["in", "in/.krmignore"])
def test_what_may_not_be_looked_into_is_an_error_with_its_own_path(name: str, tmp_path: Path) -> None:
    package = write(tmp_path / "package", {"in/Kptfile": config("k"), "in/.krmignore": ""})
    (package / name).chmod(0)
    with nobody(package), pytest.raises(FnError) as caught:
        text(package)
    assert str(caught.value) == f"[error] {name}: Permission denied"


def test_a_directory_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FnError, match=r"^\[error\] .*/none: No such file or directory$"):
        Folder(str(tmp_path / "none"))


def test_only_the_files_that_are_named_are_read(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": config("a"), "b.yaml": config("b")})
    with Folder(str(tmp_path)) as opened:
        assert [*wire.read(opened, ["b.yaml"]).files] == ["b.yaml"]


def test_a_byte_order_mark_is_no_part_of_a_resource(tmp_path: Path) -> None:
    write(tmp_path, {"a.yaml": "\ufeff" + config("a")})
    assert places(tmp_path) == [("a.yaml", 0, "a")]
    assert "\ufeff" not in text(tmp_path)
