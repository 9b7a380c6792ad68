"""A fleet of packages on this machine: shards two at a time, one of them killed in the middle, and tried again.

    python -m scripts.fleet PACKAGES SHARDS

It prints how long each of three tries took. It fails if a package is written twice, or is not what it has to be.
"""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

EVAL = (sys.executable, "-m", "expand_vars", "eval", "fleet", "REGION=eu-west-1", "--shard")
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: p\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec: {{containers: [{{name: c, args: [$(REGION), a{}]}}]}}\n"
DONE = "args: [eu-west-1, a"
KILLED = 1
"""The shard that is killed."""


def make(fleet: Path, packages: int) -> None:
    """Write the packages, in twenty regions."""
    for number in range(packages):
        package = fleet / f"region-{number % 20}" / f"web-{number:05}"
        package.mkdir(parents=True)
        (package / "Kptfile").write_text(KPTFILE)
        (package / "pod.yaml").write_text(POD.format(number))


def run(folder: Path, shard: str, kill_after: int = 0) -> tuple[int, int]:
    """Run a shard, killed after so many packages; return its exit code, and how many packages it says it changed."""
    changed = 0
    with subprocess.Popen([*EVAL, shard], cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            changed += line.startswith("changed  ")
            if changed == kill_after > 0:
                process.kill()
    return process.returncode, changed


def attempt(name: str, folder: Path, shards: int, kill_after: int = 0) -> tuple[list[int], int]:
    """Run all shards, two at a time, and print how that went."""
    began = time.monotonic()
    with ThreadPoolExecutor(2) as pool:
        started = [
            pool.submit(run, folder, f"{index}/{shards}", kill_after if index == KILLED else 0)
            for index in range(shards)
        ]
    codes, changed = [one.result()[0] for one in started], sum(one.result()[1] for one in started)
    print(f"{name}: {time.monotonic() - began:.0f} s, {changed} packages changed, exit codes {codes}")
    return codes, changed


def expanded(fleet: Path) -> dict[Path, int]:
    """Return the Pods that are what they have to be, and when each was written."""
    return {path: path.stat().st_mtime_ns for path in fleet.rglob("pod.yaml") if DONE in path.read_text()}


def main(packages: int, shards: int) -> None:
    """Try three times: with a shard that is killed, again, and once more."""
    with TemporaryDirectory() as made:
        folder = Path(made)
        fleet = folder / "fleet"
        make(fleet, packages)
        codes, _ = attempt("first", folder, shards, packages // shards // 2)
        assert [code < 0 for code in codes] == [index == KILLED for index in range(shards)]
        done = expanded(fleet)
        codes, _ = attempt("second", folder, shards)
        after = expanded(fleet)
        assert len(done) < len(after) == packages, "each package is expanded"
        assert done.items() <= after.items(), "none is written twice"
        assert (max(codes), attempt("third", folder, shards)) == (0, ([0] * shards, 0))
        files = [path for path in fleet.rglob("*") if path.is_file()]
        assert len(files) == 2 * packages, "nothing is left behind"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
