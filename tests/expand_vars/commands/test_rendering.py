"""`eval --output`: golden folders are testdata/expand_vars/eval/output*; here is what no folder can hold."""

from __future__ import annotations

import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from krm.package import folder
from tests.expand_vars.commands.test_eval import POD, evaluated
from tests.krm.package.directories import contents, nobody, staged, write
from tests.krm.package.test_transaction import Failing

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

RENDER = ("shop", "--output", "out", "REGION=eu")
DONE = POD.replace("$(REGION)", "eu")


@pytest.fixture
def render(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[str, str]]:
    """Return the command, which answers with what it writes to standard output, and with the rest."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "shop", {"web.yaml": POD})

    def render(*more: str) -> tuple[str, str]:
        said = evaluated(tmp_path, *RENDER, *more, capfd=capfd).partition("--- standard error\n")
        return said[0], said[2]

    return render


def test_links_and_odd_names_are_told_and_left_out(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    deep = "/".join(["d"] * 50)
    write(tmp_path / "shop", {"a\nb.txt": "a", f"{deep}/deep.txt": "a"})
    (tmp_path / "shop" / "link.txt").symlink_to("web.yaml")
    (tmp_path / "shop" / "linked").symlink_to(tmp_path)
    assert render()[1] == (
        "[warning] shop/a\\nb.txt: not rendered: its name has control characters (NotRendered)\n"
        f"[warning] shop/{deep}: not rendered: a path in it has 51 steps, and more than 50 are not read (NotRendered)\n"
        "[warning] shop/link.txt: not rendered: it is a symbolic link, and links are not followed (NotRendered)\n"
        "[warning] shop/linked: not rendered: it is a symbolic link, and links are not followed (NotRendered)\n"
        "left alone: 1 deep path, 1 link (--verbose names them)\n"
        "--- exit code 0\n"
    )
    assert contents(tmp_path / "out").keys() == {"web.yaml", ".expand-vars"}


def test_a_script_stays_one(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    write(tmp_path / "shop", {"run.sh": "#!/bin/sh\n"})
    (tmp_path / "shop" / "run.sh").chmod(0o755)
    render()
    assert stat.S_IMODE((tmp_path / "out" / "run.sh").stat().st_mode) == 0o755


def test_a_file_becomes_a_script_and_an_owner_keeps_the_other_permissions(
    render: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    script, rendered = write(tmp_path / "shop", {"run.sh": "#!/bin/sh\n"}) / "run.sh", tmp_path / "out" / "run.sh"
    render()
    rendered.chmod(0o640)
    script.chmod(0o755)
    assert render("--check") == ("changed  out/run.sh  \n1 changed; nothing is written\n", "--- exit code 3\n")
    assert render() == ("changed  out/run.sh  \n1 changed\n", "--- exit code 0\n")
    assert stat.S_IMODE(rendered.stat().st_mode) == 0o751
    rendered.chmod(0o700)
    assert render() == ("nothing changes\n", "--- exit code 0\n")
    script.chmod(0o644)
    script.write_text("")
    assert render()[1] == "--- exit code 0\n"
    assert stat.S_IMODE(rendered.stat().st_mode) == 0o600


FILE, FOLDER = {"a": "1\n"}, {"a/b/c": "2\n", "a/d": "3\n"}


def swapped(package: Path, files: dict[str, str]) -> None:
    """Put a directory in the place of a file, or a file in that of a directory."""
    shutil.rmtree(package)
    write(package, {"web.yaml": POD, **files})


@pytest.mark.parametrize(("before", "after"), [(FILE, FOLDER), (FOLDER, FILE)])
def test_a_file_gives_way_to_a_directory_and_the_reverse(
    before: dict[str, str], after: dict[str, str], render: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    swapped(tmp_path / "shop", before)
    render()
    if before is FOLDER:
        (tmp_path / "out" / "a" / "empty").mkdir()
    swapped(tmp_path / "shop", after)
    assert render("--check")[1] == "--- exit code 3\n"
    assert render()[1] == "--- exit code 0\n"
    assert render() == ("nothing changes\n", "--- exit code 0\n")
    assert contents(tmp_path / "out").keys() == {"web.yaml", ".expand-vars", *after}


@pytest.mark.parametrize(("before", "after"), [(FILE, FOLDER), (FOLDER, FILE)])
def test_a_run_that_was_killed_before_all_gave_way_is_run_again(
    before: dict[str, str], after: dict[str, str], render: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    swapped(tmp_path / "shop", before)
    render()
    inventory = (tmp_path / "out" / ".expand-vars").read_text()
    swapped(tmp_path / "shop", after)
    render()
    (tmp_path / "out" / ".expand-vars").write_text(inventory)
    assert render()[1] == "--- exit code 0\n"
    assert render() == ("nothing changes\n", "--- exit code 0\n")
    assert contents(tmp_path / "out").keys() == {"web.yaml", ".expand-vars", *after}


@pytest.mark.parametrize("theirs", ["a", "a/.hidden", "a/b/more", "a/link"])
def test_a_file_of_others_never_gives_way(theirs: str, render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    swapped(tmp_path / "shop", {} if theirs == "a" else FOLDER)
    render()
    if theirs == "a/link":
        (tmp_path / "out" / theirs).symlink_to(tmp_path / "shop")
    else:
        write(tmp_path / "out", {theirs: "theirs\n"})
    swapped(tmp_path / "shop", FOLDER if theirs == "a" else FILE)
    before = contents(tmp_path / "out")
    message = "this is there, and no run has rendered it: move it away, or choose another directory"
    for more in ((), ("--check",)):
        assert render(*more) == ("", f"[error] out/{theirs}: {message} (InvalidPath)\n--- exit code 1\n")
    assert contents(tmp_path / "out") == before


def test_what_a_killed_run_left_behind_goes(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    render()
    left = staged("new", DONE)
    write(tmp_path / "out", {left: "new"})
    assert render() == ("nothing changes\n", "--- exit code 0\n")
    assert contents(tmp_path / "out").keys() == {"web.yaml", ".expand-vars"}


def test_a_run_that_was_killed_before_it_wrote_the_list_is_run_again(
    render: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    write(tmp_path / "out", {"web.yaml": DONE})
    assert render() == ("new      out/.expand-vars  +2\n1 new\n", "--- exit code 0\n")


def test_a_disk_that_is_full_when_the_list_is_staged_leaves_nothing(
    render: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, 2))
    assert render() == ("", "[error] out/.expand-vars: No space left on device (InvalidInput)\n--- exit code 1\n")
    assert contents(tmp_path / "out") == {}


def test_a_file_that_cannot_be_read_stops_the_run(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "shop" / "pipe")
    assert render() == ("", "[error] shop/pipe: it is no regular file (InvalidInput)\n--- exit code 1\n")
    assert not (tmp_path / "out").exists()


def test_a_package_that_is_deleted_meanwhile_is_no_empty_one(
    render: Callable[..., tuple[str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "shop", {"a.txt": "a"})
    render()
    before = contents(tmp_path / "out")

    def gone(*_: object) -> object:
        raise FileNotFoundError(2, "No such file or directory")

    real = folder.read
    monkeypatch.setattr(folder, "read", lambda name, at: (gone if name == "a.txt" else real)(name, at))
    assert render() == ("", "[error] shop/a.txt: No such file or directory (InvalidInput)\n--- exit code 1\n")
    assert contents(tmp_path / "out") == before


def test_a_directory_that_cannot_be_read_stops_the_run(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    """What holds no resources is rendered, too: `.krmignore` hides it from the package alone."""
    write(tmp_path / "shop", {"a/closed/b.txt": "b", ".krmignore": "a\n"})
    (tmp_path / "shop" / "a" / "closed").chmod(0)
    with nobody(tmp_path):
        assert render() == ("", "[error] shop/a/closed: Permission denied (InvalidInput)\n--- exit code 1\n")
    (tmp_path / "shop" / "a" / "closed").chmod(0o755)
    render()
    assert contents(tmp_path / "out")["a/closed/b.txt"] == "b"


def test_a_link_in_the_output_is_not_followed(render: Callable[..., tuple[str, str]], tmp_path: Path) -> None:
    write(tmp_path / "elsewhere", {"web.yaml": "theirs\n"})
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "web.yaml").symlink_to("../elsewhere/web.yaml")
    message = "`web.yaml` is a symbolic link, and links are not followed"
    assert render() == ("", f"[error] out/web.yaml: {message} (InvalidPath)\n--- exit code 1\n")
    assert contents(tmp_path / "elsewhere") == {"web.yaml": "theirs\n"}


VARIABLES = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: all}
spec: {variables: [{name: REGION, value: eu}]}
"""


def test_several_paths_are_one_run_and_each_is_rendered_as_if_it_was_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """What one of the paths declares holds in the others, as it does in place."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path, {"shop/web.yaml": POD, "shop/a.txt": "a", "all/vars.yaml": VARIABLES, "all/b/b.txt": "b"})
    assert "exit code 0" in evaluated(tmp_path, "shop", "all", "--output", "out", capfd=capfd)
    assert "exit code 0" in evaluated(tmp_path, "shop", "--output", "alone/shop", "REGION=eu", capfd=capfd)
    assert "exit code 0" in evaluated(tmp_path, "all", "--output", "alone/all", capfd=capfd)
    assert contents(tmp_path / "out") == contents(tmp_path / "alone")
    assert contents(tmp_path / "out")["shop/web.yaml"] == DONE


def test_a_place_that_cannot_be_written_leaves_all_others(
    render: Callable[..., tuple[str, str]], tmp_path: Path
) -> None:
    write(tmp_path, {"more/web.yaml": POD.replace("name: p", "name: q"), "out/shop/web.yaml": "theirs\n"})
    message = "this is there, and no run has rendered it: move it away, or choose another directory"
    assert render("more") == ("", f"[error] out/shop/web.yaml: {message} (InvalidPath)\n--- exit code 1\n")
    assert contents(tmp_path / "out") == {"shop/web.yaml": "theirs\n"}
