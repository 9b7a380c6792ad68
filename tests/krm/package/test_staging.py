"""Edits of other programs while files are replaced: none is lost, and all that a file is stays."""

from __future__ import annotations

import ctypes
import errno
import os
import random
import struct
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from krm.package import folder, transaction
from krm.package.file_changes import FileChange
from krm.package.folder import Folder
from krm.package.paths import STAGED
from krm.results import FnError
from tests.krm.package.directories import NOBODY, config, contents, in_memory, staged, tries, write

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["in_memory"]

OLD, NEW, THEIRS = config("a", "1"), config("a", "2"), config("a", "theirs")
FILES = 100


def replaced(package: Path, **files: str | None) -> str:
    """Give files of a package another content, None for none, and return what is said."""
    changes = []
    for name, after in files.items():
        path = package / f"{name}.yaml"
        before, state = (path.read_bytes(), path.stat()) if path.exists() else (None, None)
        changes.append(FileChange(path.name, before, None if after is None else after.encode(), state))
    with Folder(str(package)) as opened, transaction.locked([opened]):
        try:
            transaction.commit(opened, changes)
        except FnError as error:
            return str(error)
    return ""


def cleaned(package: Path) -> list[str]:
    """Return what a later run says of staged files."""
    with Folder(str(package)) as opened:
        leftovers = [path for path in contents(package) if path.endswith(STAGED)]
        return [str(result) for result in transaction.clean(opened, leftovers)]


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Ask the C library again in each test."""
    yield
    folder.renameat2.cache_clear()


def without_ctypes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ctypes", None)
    folder.renameat2.cache_clear()


def without_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> int:
        ctypes.set_errno(errno.EINVAL)
        return -1

    monkeypatch.setattr(folder, "renameat2", lambda: refuse)


SYSTEMS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {
    "Linux": lambda _: None,
    "a Python without ctypes": without_ctypes,
    "a file system that exchanges nothing": without_the_call,
}


@pytest.mark.parametrize("system", SYSTEMS)
def test_files_come_change_and_go_on_each_system(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write(tmp_path, {"a.yaml": OLD, "b.yaml": OLD})
    SYSTEMS[system](monkeypatch)
    assert replaced(package, a=NEW, b=None, c=NEW) == ""
    assert contents(package) == {"a.yaml": NEW, "c.yaml": NEW}


def meanwhile(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, edit: Callable[[], object]) -> None:
    """Let another program do something right before a call, once."""
    real = getattr(place, name)
    edits = [edit]

    def call(*arguments: Any, **options: Any) -> Any:
        if edits:
            edits.pop()()
        return real(*arguments, **options)

    monkeypatch.setattr(place, name, call)


def test_an_edit_right_before_the_exchange_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write(
        tmp_path, {"a.yaml": OLD, "b.yaml": OLD, "c.yaml": OLD, "a.yaml.theirs": "x", "a.yaml.theirs-2": "x"}
    )
    meanwhile(monkeypatch, folder, "exchange", lambda: write(package, {"a.yaml": THEIRS}))
    assert replaced(package, a=NEW, b=NEW, c=None) == (
        "[error] a.yaml: it was changed while this ran, and what was there is `a.yaml.theirs-3` beside it now: "
        "1 of 3 files are written, each as a whole; run this again"
    )
    assert contents(package) == {
        "a.yaml": NEW,
        "a.yaml.theirs": "x",
        "a.yaml.theirs-2": "x",
        "a.yaml.theirs-3": THEIRS,
        "b.yaml": OLD,
        "c.yaml": OLD,
    }


def test_an_edit_right_before_the_deletion_is_kept_and_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write(tmp_path, {"a.yaml": OLD})
    meanwhile(monkeypatch, os, "rename", lambda: write(package, {"a.yaml": THEIRS}))
    assert "`a.yaml.theirs` beside it now: 1 of 1 files are written" in replaced(package, a=None)
    assert contents(package) == {"a.yaml.theirs": THEIRS}


def test_an_edit_right_before_the_comparison_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write(tmp_path, {"a.yaml": OLD, "b.yaml": OLD})
    real = transaction.Staged.replace

    def replace(one: transaction.Staged) -> None:
        if one.path == "b.yaml":
            write(package, {"b.yaml": THEIRS})
        real(one)

    monkeypatch.setattr(transaction.Staged, "replace", replace)
    assert replaced(package, a=NEW, b=NEW) == (
        "[error] b.yaml: it was changed while this ran: 1 of 2 files are written, each as a whole; run this again"
    )
    assert contents(package) == {"a.yaml": NEW, "b.yaml": THEIRS}
    write(package, {"b.yaml": OLD})
    assert (
        replaced(package, b=NEW) == "[error] b.yaml: it was changed while this ran: nothing is written; run this again"
    )


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_new_file_takes_nobodys_place(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    SYSTEMS[system](monkeypatch)
    meanwhile(monkeypatch, folder, "take", lambda: write(tmp_path, {"a.yaml": THEIRS}))
    assert replaced(tmp_path, a=NEW) == "[error] a.yaml: File exists: nothing is written; run this again"
    assert contents(tmp_path) == {"a.yaml": THEIRS}


def test_a_link_that_came_into_the_place_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = write(tmp_path, {"a.yaml": OLD, "target": THEIRS})

    def link() -> None:
        (package / "a.yaml").unlink()
        (package / "a.yaml").symlink_to("target")

    meanwhile(monkeypatch, folder, "exchange", link)
    assert "it is a symbolic link, and links are not followed, and what was there is `a.yaml.theirs`" in replaced(
        package, a=NEW
    )
    assert (package / "a.yaml.theirs").readlink() == Path("target")


def test_what_cannot_be_given_a_name_is_kept_under_the_one_that_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a disk that is full at that moment. A later run names it, and does not remove it."""
    package = write(tmp_path, {"a.yaml": OLD})
    meanwhile(monkeypatch, folder, "exchange", lambda: write(package, {"a.yaml": THEIRS}))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(folder, "take", full)
    said = replaced(package, a=NEW)
    [kept] = [path for path in contents(package) if path != "a.yaml"]
    assert f"what was there is `{kept}` beside it now" in said
    [warning] = cleaned(package)
    assert warning == (
        f"[warning] {kept}: left alone: a run that was cut short left it here, and it is neither all of what that run "
        "wrote nor what it replaced: look into it, then delete it"
    )
    assert contents(package) == {"a.yaml": NEW, kept: THEIRS}


def test_only_staged_files_with_a_content_of_ours_are_removed(tmp_path: Path) -> None:
    """Whole, replaced already, and empty, as a run that was killed leaves them. The others stay, and are told."""
    ours = {staged(NEW, OLD, 0): NEW, staged(NEW, OLD, 1): OLD, staged(NEW, OLD, 2): ""}
    odd = {staged(NEW, OLD, 3): THEIRS}
    write(tmp_path, ours | odd)
    (tmp_path / staged(NEW, OLD, 4)).symlink_to("a")
    with Folder(str(tmp_path)) as opened:
        stayed = transaction.clean(opened, [*ours, *odd, staged(NEW, OLD, 4), staged(NEW, OLD, 5)])
    assert [result.file for result in stayed] == [*odd, staged(NEW, OLD, 4)]
    assert contents(tmp_path) == odd


def test_no_edit_of_another_program_is_lost(in_memory: Path) -> None:
    """While 100 files are replaced, another program replaces one of them at a random moment, as editors do."""
    chance = random.Random(9)  # noqa: S311 - moments, no secrets
    outcomes = {"edited before": 0, "edited while files were replaced": 0, "kept beside": 0, "edited behind": 0}
    duration = 0.05
    for number in range(tries(50, nightly=500)):
        package = write(in_memory / str(number), {f"{each}.yaml": OLD for each in range(FILES)})
        target, mine = f"{chance.randrange(FILES)}.yaml", config("mine", str(number))
        began = time.monotonic()
        reads, child = writer(package)
        time.sleep(chance.uniform(0, duration))
        write(in_memory, {"new": mine})
        (in_memory / "new").rename(package / target)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        duration = max(time.monotonic() - began, 0.02) if code == 0 else duration
        with os.fdopen(reads) as pipe:
            said = pipe.read()
        files = contents(package)
        outcomes[outcome(files, target, mine, said)] += 1
        assert bool(said) == (code == 1)
        assert mine in (files[target], files.get(f"{target}.theirs")), "an edit is lost"
        assert {each for path, each in files.items() if path != target and ".theirs" not in path} <= {OLD, NEW}
    sys.stdout.write(f"{outcomes}\n")
    assert sum(outcomes.values()) == tries(50, nightly=500)


def writer(package: Path) -> tuple[int, int]:
    """Replace all files in a process of its own; return where that says what, and its id."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        changes = [FileChange(f"{number}.yaml", OLD.encode(), NEW.encode(), None) for number in range(FILES)]
        code = 0
        with Folder(str(package)) as opened, transaction.locked([opened]):
            try:
                transaction.commit(opened, changes)
            except FnError as error:
                os.write(writes, str(error).encode())
                code = 1
        os._exit(code)
    os.close(writes)
    return reads, child


def outcome(files: dict[str, str], target: str, mine: str, said: str) -> str:
    if files.get(f"{target}.theirs") == mine:
        assert f"`{target}.theirs`" in said
        return "kept beside"
    if "nothing is written" in said:
        return "edited before"
    return "edited while files were replaced" if said else "edited behind"


def acl(*entries: tuple[int, int, int]) -> bytes:
    """Return an access control list as the kernel takes it: tag, permissions and id of each entry."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


NONE = 0xFFFFFFFF
LIST = acl((1, 6, NONE), (2, 4, 1000), (4, 4, NONE), (16, 6, NONE), (32, 0, NONE))


def test_attributes_access_control_lists_owner_and_mode_stay(tmp_path: Path) -> None:
    file = write(tmp_path, {"a.yaml": OLD}) / "a.yaml"
    os.setxattr(file, "user.note", b"mine")
    file.chmod(0o604)
    os.setxattr(file, "system.posix_acl_access", LIST)
    if os.geteuid() == 0:
        os.chown(file, NOBODY, NOBODY)
    before = file.stat()
    assert replaced(tmp_path, a=NEW) == ""
    after = file.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert {key: os.getxattr(file, key) for key in os.listxattr(file)} == {
        "user.note": b"mine",
        "system.posix_acl_access": LIST,
    }


def test_a_list_that_new_files_get_of_their_directory_is_none_of_a_file_that_has_none(tmp_path: Path) -> None:
    file = write(tmp_path, {"a.yaml": OLD}) / "a.yaml"
    os.setxattr(tmp_path, "system.posix_acl_default", LIST)
    assert replaced(tmp_path, a=NEW) == ""
    assert os.listxattr(file) == []


@pytest.mark.parametrize("number", [errno.ENOTSUP, errno.EIO])
def test_a_file_system_without_attributes(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> None:
        raise OSError(number, os.strerror(number))

    write(tmp_path, {"a.yaml": OLD})
    monkeypatch.setattr(os, "listxattr", refuse)
    said = {errno.ENOTSUP: "", errno.EIO: "[error] a.yaml: Input/output error"}[number]
    assert replaced(tmp_path, a=NEW) == said
    assert contents(tmp_path) == {"a.yaml": NEW if said == "" else OLD}


def test_a_system_without_attributes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"a.yaml": OLD})
    monkeypatch.delattr(os, "listxattr")
    assert replaced(tmp_path, a=NEW) == ""
    assert contents(tmp_path) == {"a.yaml": NEW}


@pytest.mark.parametrize("prepare", [lambda _: None, without_ctypes], ids=["exchange", "no exchange"])
def test_a_mode_that_somebody_gives_a_file_meanwhile_stays(
    prepare: Callable[[pytest.MonkeyPatch], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(monkeypatch)
    path = tmp_path / "a.yaml"
    path.write_text(OLD)
    path.chmod(0o644)
    change = FileChange("a.yaml", OLD.encode(), NEW.encode(), path.stat())
    path.chmod(0o600)
    with Folder(str(tmp_path)) as opened, transaction.locked([opened]):
        transaction.commit(opened, [change])
    assert (path.read_text(), path.stat().st_mode & 0o777) == (NEW, 0o600)
