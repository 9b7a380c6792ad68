"""Nothing is lost: whatever fails, and whenever a run is killed, each file is whole, and the same run again is right.

What fails here is the system: its calls raise, disks are full, directories may not be written to, processes are killed.
"""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from krm import resourcelist
from krm.package import file_changes, folder, transaction, wire
from krm.package.file_changes import FileChange
from krm.package.folder import Folder
from krm.package.paths import STAGED
from krm.results import FnError
from tests.krm.package.directories import config, contents, in_memory, nobody, sunk, text, tries, write
from tests.process import ROOT, krm

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.resource import Resource

__all__ = ["in_memory"]

KILLS = tries(20, nightly=500)
FILES = 300
PROGRAM = (sys.executable, "-m", "krm", "sink")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """Return a package of five files, one of which has two resources."""
    files = {f"{name}.yaml": config(name) for name in "abc"} | {"in/d.yaml": config("d"), "e.yaml": config("e")}
    return write(tmp_path / "package", files | {"a.yaml": f"{config('a')}---\n{config('z')}"})


def items(package: Path) -> tuple[Resource, ...]:
    """Return a list that changes three files, adds two in a new directory, and takes one away."""
    listed = resourcelist.read(text(package))
    for item in listed.items[:3]:
        item.set(("data", "k"), "2")
    listed.remove(listed.items[-1])
    for name in "xy":
        added = listed.add(config(name))
        added.set_annotations({"config.kubernetes.io/path": f"new/deep/{name}.yaml"})
    return resourcelist.read(listed.emit().text).items


class Failing:
    """A call of the system that fails when it is called for the n-th time."""

    def __init__(self, call: Callable[..., Any], number: int, error: int = errno.ENOSPC) -> None:
        self.calls = 0
        self._call = call
        self._number = number
        self._error = OSError(error, os.strerror(error))

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        self.calls += 1
        if self.calls == self._number:
            raise self._error
        return self._call(*arguments, **options)


@pytest.mark.parametrize("name", ["open", "write", "fsync", "rename", "unlink", "mkdir", "fchmod"])
def test_each_call_fails_in_turn(name: str, package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is old or new, nothing staged stays, a message says how far it got, and a second run is right."""
    wanted = items(package)
    before = contents(package)
    undisturbed = write(tmp_path / "undisturbed", before)
    sunk(undisturbed, wanted)
    after = contents(undisturbed)
    number, failed = 0, True
    while failed:
        number += 1
        directory = write(tmp_path / str(number), before)
        with monkeypatch.context() as patch, Folder(str(directory)) as opened:
            found = file_changes.of_list(wire.read(opened), wanted)
            failing = Failing(getattr(os, name), number)
            patch.setattr(os, name, failing)
            try:
                transaction.commit(opened, found)
            except FnError as error:
                [result] = error.results
                files = contents(directory)
                is_partial = "run this again" in result.message
                assert result.message.startswith("No space left on device")
                take_kept(directory, files, before)
                assert is_partial or files == before
                assert all(files[path] in (before.get(path), after.get(path)) for path in files)
            failed = failing.calls >= number
        sunk(directory, wanted)
        assert contents(directory) == after
    assert number > 1, "nothing was called"


def take_kept(directory: Path, files: dict[str, str], before: dict[str, str]) -> None:
    """Take away what could not be compared, and was kept beside its file for that: it is as it was before."""
    for path in [path for path in files if path.endswith(".theirs")]:
        assert files.pop(path) == before[path.removesuffix(".theirs")]
        (directory / path).unlink()


def test_how_far_a_run_got_is_told(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "exchange", Failing(folder.exchange, 2))
    with pytest.raises(FnError) as caught:
        sunk(package, items(package))
    assert str(caught.value) == (
        "[error] b.yaml: No space left on device: 3 of 5 files are written, each as a whole; run this again"
    )


def test_a_directory_that_cannot_be_synced_is_told(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, 5))
    with pytest.raises(FnError, match="No space left on device: 5 of 5 files are written"):
        sunk(package, items(package))


def test_a_file_system_that_never_syncs_directories_is_no_failure(
    package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "fsync", Failing(os.fsync, 5, errno.EINVAL))
    assert len(sunk(package, items(package))) == 5


def test_a_full_disk(package: Path) -> None:
    """A file system of 200 KiB, which this process alone sees, where it may make one."""
    script = (
        f"mount -t tmpfs -o size=200k tmpfs {package} && cd {ROOT} && "
        f'{sys.executable} -c \'import sys; sys.path.insert(0, "fn"); sys.path.insert(0, "."); '
        f'from tests.krm.package import test_transaction; test_transaction.fill_the_disk("{package}")\''
    )
    done = subprocess.run(
        ["unshare", "--map-root-user", "--mount", "sh", "-c", script], capture_output=True, check=False
    )
    if b"unshare" in done.stderr or b"mount:" in done.stderr:
        pytest.skip("this machine lets nobody mount a file system")
    assert (done.stderr.decode(), done.stdout.decode()) == ("", "done")


def fill_the_disk(package: str) -> None:
    """Fill the disk while files are staged; then make room, and do it again."""
    directory = write(Path(package), {f"{name}.yaml": config(name, "x" * 30000) for name in "ab"})
    listed = resourcelist.read(text(directory))
    for item in listed.items:
        item.set(("data", "more"), "y" * 40000)
    wanted = resourcelist.read(listed.emit().text).items
    before = contents(directory)
    with pytest.raises(FnError) as caught:
        sunk(directory, wanted)
    assert str(caught.value) == "[error] b.yaml: No space left on device"
    assert contents(directory) == before
    sunk(directory, wanted[:1])
    assert [*contents(directory)] == ["a.yaml"]
    sys.stdout.write("done")


@pytest.mark.parametrize("protected", [".", "in"])
def test_a_directory_that_may_not_be_written_to(protected: str, package: Path) -> None:
    listed = resourcelist.read(text(package))
    for item in listed.items:
        item.set(("data", "k"), "2")
    before = contents(package)
    (package / protected).chmod(0o555)
    with nobody(package), pytest.raises(FnError) as caught:
        sunk(package, resourcelist.read(listed.emit().text).items)
    path = "a.yaml" if protected == "." else "in/d.yaml"
    assert str(caught.value) == f"[error] {path}: Permission denied"
    assert contents(package) == before


def test_a_directory_that_may_not_be_read(package: Path) -> None:
    (package / "in").chmod(0o300)
    with nobody(package), pytest.raises(FnError) as caught:
        text(package)
    assert str(caught.value) == "[error] in: Permission denied"


def test_a_file_that_may_not_be_read_is_left_alone(package: Path) -> None:
    (package / "a.yaml").chmod(0)
    with nobody(package), Folder(str(package)) as opened:
        left_alone = wire.read(opened).left_alone
    assert [*map(str, left_alone)] == ["[warning] a.yaml: left alone: Permission denied"]


def test_a_file_that_somebody_changed_meanwhile_is_not_overwritten(package: Path) -> None:
    wanted = items(package)
    for path, content in (("b.yaml", config("b", "3")), ("new/deep/x.yaml", config("x", "3")), ("in/d.yaml", "")):
        with Folder(str(package)) as opened:
            found = file_changes.of_list(wire.read(opened), wanted)
            before = contents(write(package, {path: content}))
            with pytest.raises(FnError) as caught:
                transaction.commit(opened, found)
        assert str(caught.value) == f"[error] {path}: it was changed while this ran: nothing is written"
        assert contents(package) == before
        (package / path).unlink()


def vanish(file: Path) -> None:
    file.unlink()


def grow(file: Path) -> None:
    with file.open("a") as opened:
        opened.write("# mine\n")


def become_a_directory(file: Path) -> None:
    file.unlink()
    file.mkdir()


def vanish_with_its_directory(file: Path) -> None:
    file.unlink()
    file.parent.rmdir()


MEANWHILE: dict[Callable[[Path], None], str] = {
    vanish: "No such file or directory",
    grow: "it was changed while this ran: nothing is written",
    become_a_directory: "it is a directory",
    vanish_with_its_directory: "No such file or directory",
}


@pytest.mark.parametrize("happens", MEANWHILE, ids=lambda happens: happens.__name__)
def test_what_happens_to_a_file_meanwhile_is_told_and_nothing_is_written(
    happens: Callable[[Path], None], package: Path
) -> None:
    wanted = resourcelist.read(text(package).replace("name: d", "name: other").replace("k: 1", "k: 5")).items
    with Folder(str(package)) as opened:
        found = file_changes.of_list(wire.read(opened), wanted)
        happens(package / "in" / "d.yaml")
        before = contents(package)
        with pytest.raises(FnError) as caught:
            transaction.commit(opened, found)
    assert str(caught.value) == f"[error] in/d.yaml: {MEANWHILE[happens]}"
    assert contents(package) == before


def test_one_of_two_writers_waits(package: Path) -> None:
    wanted = items(package)
    with Folder(str(package)) as opened, transaction.locked([opened]):
        with pytest.raises(FnError) as caught:
            sunk(package, wanted)
        waiting = threading.Thread(target=wait_and_write, args=(package, wanted))
        waiting.start()
        time.sleep(0.2)
        assert "new/deep/x.yaml" not in contents(package)
    waiting.join()
    assert "new/deep/x.yaml" in contents(package)
    busy = "another program is writing to this directory, or to one in it, and has not finished: try again later"
    assert str(caught.value) == f"[error] {package}: {busy}"


@pytest.mark.parametrize(("one", "other"), [("p", "p/sub"), ("p/sub", "p"), ("p", "p/sub/deep"), ("p", "p")])
def test_a_writer_above_or_below_waits(tmp_path: Path, one: str, other: str) -> None:
    (tmp_path / "p" / "sub" / "deep").mkdir(parents=True)
    busy = "another program is writing to this directory, or to one in it, and has not finished: try again later"
    with (
        Folder(str(tmp_path / one)) as first,
        Folder(str(tmp_path / other)) as second,
        transaction.locked([first]),
        pytest.raises(FnError) as caught,
        transaction.locked([second], 0),
    ):
        pass
    # What cannot be locked is the directory that both are in.
    assert str(caught.value.results[0]) == f"[error] {tmp_path / 'p'}: {busy}"


def test_writers_side_by_side_do_not_wait(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / "p" / name).mkdir(parents=True)
    with Folder(f"{tmp_path}/p/a") as first, Folder(f"{tmp_path}/p/b") as second:
        with transaction.locked([first]), transaction.locked([second], 0):
            pass
        with Folder(f"{tmp_path}/p") as around, transaction.locked([around, second, first], 0):
            pass


def test_a_directory_around_that_nobody_may_look_into_is_nobodys_to_write_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Root may look into all: the system's answer is given here."""
    real = os.open

    def refuse(path: str, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        if path == str(tmp_path):
            raise PermissionError(13, "Permission denied")
        return real(path, flags, mode, dir_fd=dir_fd)

    (tmp_path / "p").mkdir()
    with Folder(f"{tmp_path}/p") as opened, Folder(str(tmp_path)) as around:
        monkeypatch.setattr(os, "open", refuse)
        with transaction.locked([opened], 0):
            pass
        with pytest.raises(FnError) as caught, transaction.locked([around], 0):
            pass
    assert str(caught.value.results[0]) == f"[error] {tmp_path}: Permission denied"


def wait_and_write(package: Path, wanted: tuple[Resource, ...]) -> None:
    with Folder(str(package)) as opened, transaction.locked([opened], 60):
        transaction.commit(opened, file_changes.of_list(wire.read(opened), wanted))


def test_two_writers_at_once_leave_what_one_of_them_wrote(package: Path) -> None:
    given = [text(package).replace("k: 1", f"k: {value}").encode() for value in (2, 3)]
    started = [start(package) for _ in given]
    for process, stdin in zip(started, given, strict=True):
        assert process.stdin is not None
        process.stdin.write(stdin)
        process.stdin.close()
    assert [process.wait() for process in started] == [0, 0]
    written = {line for content in contents(package).values() for line in content.splitlines() if "k: " in line}
    assert written in ({"  k: 2"}, {"  k: 3"})


def start(package: Path) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "fn")}
    return subprocess.Popen([*PROGRAM, str(package)], stdin=subprocess.PIPE, env=environment)


def test_a_process_that_is_killed_while_it_writes(in_memory: Path) -> None:
    """A package of 300 files is written again and again, and each run but the last is killed at a random moment."""
    chance = random.Random(7)  # noqa: S311 - moments, no secrets
    paths = [f"{number % 7}/{number}.yaml" for number in range(FILES)]
    package = write(in_memory / "package", dict.fromkeys(paths, config("a", "0")))
    versions = [config("a", str(number)) for number in range(KILLS + 1)]
    duration, killed = 0.0, 0
    for number, version in enumerate(versions[1:], start=1):
        began = time.monotonic()
        if is_killed(chance.uniform(0, duration) if number > 1 else None, package, version):
            killed += 1
        else:
            # The first one may have met a busy machine: later ones would then be over before they are killed.
            duration = min(duration or FILES, time.monotonic() - began)
        found = {path: content for path, content in contents(package).items() if not path.endswith(STAGED)}
        assert sorted(found) == sorted(paths)
        assert set(found.values()) <= set(versions[: number + 1]), "a file is neither old nor new"
    sys.stdout.write(f"{killed} of {KILLS} runs were killed\n")
    assert killed > KILLS // 3
    listed = text(package).encode()
    for value in range(KILLS):
        listed = listed.replace(f"k: {value}\n".encode(), f"k: {KILLS}\n".encode())
    assert krm("sink", str(package), stdin=listed) == (b"", "", 0)
    assert contents(package) == dict.fromkeys(paths, versions[-1])


def is_killed(seconds: float | None, package: Path, version: str) -> bool:
    """Write a version of all files in a process of its own, and kill that after so many seconds."""
    child = os.fork()
    if child == 0:
        with Folder(str(package)) as opened, transaction.locked([opened]):
            transaction.clean(opened, [path for path in contents(package) if path.endswith(STAGED)])
            before = {path: (package / path).read_bytes() for path in contents(package)}
            transaction.commit(opened, [FileChange(path, before[path], version.encode(), None) for path in before])
        os._exit(0)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_the_whole_program_is_killed_at_any_moment(in_memory: Path) -> None:
    """From its start to its end: each run writes the other one of two versions."""
    chance = random.Random(8)  # noqa: S311 - moments, no secrets
    versions = (config("a", "0"), config("a", "1"))
    package = write(in_memory / "package", {f"{number}.yaml": versions[0] for number in range(20)})
    lists = [text(package).replace("k: 0", f"k: {number}").encode() for number in range(2)]
    duration, killed = 0.0, 0
    for number in range(1 + tries(20, nightly=100)):
        began = time.monotonic()
        process = start(package)
        assert process.stdin is not None
        process.stdin.write(lists[(number + 1) % 2])
        process.stdin.close()
        if number:
            time.sleep(chance.uniform(0, duration))
            process.kill()
        killed += process.wait() == -signal.SIGKILL
        duration = duration or time.monotonic() - began
        found = {content for path, content in contents(package).items() if not path.endswith(STAGED)}
        assert found <= {*versions}
    sys.stdout.write(f"{killed} runs of the program were killed\n")
    assert krm("sink", str(package), stdin=lists[0]) == (b"", "", 0)
    assert contents(package) == {f"{number}.yaml": versions[0] for number in range(20)}
