"""A law: whatever the layout of a Secret, no command says what it holds, on no stream, in no results and no comment."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests import process
from tests.expand_vars import test_given_by_secrets as given
from tests.expand_vars.test_secret_layouts import PLANTED, secret, shows
from tests.krm.package.directories import tries, write

if TYPE_CHECKING:
    from collections.abc import Iterator

# The Secret of a name of its own, that containers and variables read.
READ = "apiVersion: v1\nkind: Secret\nmetadata: {{name: read}}\nstringData: {{pw: {0}a, k: {0}b, j: '$({0}c)'}}\n"
# The planted Secret is `s`: with two of one name a run would end ahead of all that is looked at here.
POD, CONFIG = (text.replace("{name: s, key", "{name: read, key") for text in (given.POD, given.CONFIG))
GENERATED = """\
  - apiVersion: v1
    kind: {kind}
    metadata: {{name: made}}
    stringData: {{a: {0}{side}, b: "$(TOKEN)", c: "$(REGION) {0}{side}"}}
  - {{"apiVersion": "v1", "kind": "Secret", "metadata": {{"name": "too"}}, "stringData": {{"a": "{0}{side}"}}}}
"""
TARGETS = 'targets: [{select: {kind: Secret}, fieldPaths: ["stringData[*]"]}, '
KUSTOMIZATION = """\
resources: [a.yaml, p.yaml, s.yaml]
vars: [{name: TOKEN, objref: {kind: Secret, name: read, apiVersion: v1}, fieldref: {fieldpath: stringData.k}}]
"""
SAYS = [
    "eval p --check --diff --verbose --results r.yaml",
    "eval p --check --diff --inline Literals --verbose --results r.yaml REGION=us",
    "eval p --check --diff --strict --format json --results r.yaml",
    "eval p --target All --check --diff --verbose --results r.yaml",
    "eval p --restore --check --diff --verbose --results r.yaml",
    "eval p --output out --diff --check --results r.yaml",
    "explain p",
    "explain p --output json REGION=us",
    "explain p --output yaml --strict",
    "explain p --suggest",
    "explain p --fn-config none.yaml",
    "merge3 p update local --diff --results r.yaml --output merged",
    "merge3 p update local --diff --on-conflict KeepLocal --results r.yaml --output merged",
    "merge3 p/a.yaml update/a.yaml local/a.yaml --format github --output o.yaml --results r.yaml",
    "merge2 update/a.yaml local/a.yaml --output o.yaml --results r.yaml",
    "git-merge p/a.yaml driven.yaml update/a.yaml 7 a.yaml",
    "solve marked.yaml",
    "migrate p",
    "migrate p --comments",
    "sink p",
]
GIVES = [
    "REGION=us",
    "--strict --fn-config p/f.yaml",
    "eval p --stdout --verbose",
    "eval - --inline Secrets",
    "source p",
    "wrap -- cat",
    "wrap --on-conflict KeepLocal -- cat update/s.yaml",
]
_COMMENT = re.compile(r"(?:^|\s)#.*")


def run(arguments: list[str], stdin: Path) -> tuple[str, str]:
    """Run a command in this process, and return what it says on both streams."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as error, stdin.open("rb") as given:
        kept = [os.dup(number) for number in range(3)]
        try:
            for number, stream in enumerate((given, out, error)):
                os.dup2(stream.fileno(), number)
            code = process.main(arguments)
        except SystemExit as wrong:
            code = int(str(wrong.code))
        finally:
            for number, descriptor in enumerate(kept):
                os.dup2(descriptor, number)
                os.close(descriptor)
        texts = []
        for stream in (out, error):
            stream.seek(0)
            texts.append(stream.read().decode())
    assert code in (0, 1, 3, 129), (arguments, code, texts)
    assert "fault of expand-vars" not in texts[1]
    return texts[0], texts[1]


def side(seed: int, name: str) -> dict[str, str]:
    """Return the files of one side of a merge: all sides have one layout, and texts of their own."""
    chance, layout = Random(seed + 1), Random(seed)  # noqa: S311 - for tests
    planted = secret(chance, name, layout)
    record = layout.choice(["Always", "Auto", "Never"])
    kind = layout.choice(["Secret", '"\\x53ecret"'])
    config = CONFIG.replace("RECORD", record).replace("targets: [", TARGETS)
    config += GENERATED.format(PLANTED, kind=kind, side=name)
    return {
        "a.yaml": planted,
        "s.yaml": READ.format(f"{PLANTED}{name}"),
        "p.yaml": POD,
        "f.yaml": config,
        "kustomization.yaml": KUSTOMIZATION,
    }


@contextmanager
def folder(seed: int) -> Iterator[Path]:
    room = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112
    with tempfile.TemporaryDirectory(dir=room) as found:
        path, before = Path(found), Path.cwd()
        sides = {name: side(seed, name) for name in ("p", "update", "local")}
        for name, files in sides.items():
            write(path / name, files)
        texts = [sides[name]["a.yaml"] for name in ("local", "p", "update")]
        signs = ("<<<<<<< ours\n", "||||||| base\n", "=======\n")
        marked = "".join(f"{sign}{text}" for sign, text in zip(signs, texts, strict=True))
        write(path, {"marked.yaml": f"{marked}>>>>>>> theirs\n", "driven.yaml": texts[0], "none.yaml": NONE})
        write(path, {"items.yaml": "---\n".join([texts[0], READ.format(PLANTED), POD])})
        os.chdir(path)
        try:
            yield path
        finally:
            os.chdir(before)


NONE = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: n}\n"


def check(seed: int) -> int:
    """Try every command on what comes of a seed, before a run in place and behind it, and return how many ran."""
    ran = masked = 0
    with folder(seed) as path:
        # Without comments nothing tells a later run which text a Secret gave (docs/reference/packages.md, "Secrets").
        for _ in range(1 if "record: Never" in (path / "p/f.yaml").read_text() else 2):
            for command in (*SAYS, *GIVES):
                for name in ("r.yaml", "o.yaml"):
                    (path / name).unlink(missing_ok=True)
                shutil.rmtree(path / "merged", ignore_errors=True)
                out, error = run(command.split(), path / "items.yaml")
                results = path / "r.yaml"
                said = error + (results.read_text() if results.exists() else "")
                said += out if command in SAYS else ""
                masked += out.count("***") if "--diff" in command else 0
                assert not shows(said), (seed, command, said)
                ran += 1
            run(["eval", "p", "--results", "r.yaml"], path / "items.yaml")
            comments = _COMMENT.findall((path / "p/p.yaml").read_text())
            assert not any(map(shows, comments)), (seed, comments)
    assert masked > 0, "no diff came to a Secret"
    return ran


def test_no_command_says_what_a_secret_holds() -> None:
    for seed in range(tries(4, nightly=1000)):
        check(seed)
