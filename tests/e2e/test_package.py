"""`krm source` and `sink` beside `kpt fn source` and `kpt fn sink`, on real packages."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from tests.krm.package.directories import config, contents, write
from tests.process import ROOT, krm

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.e2e

PACKAGES = [path.parent for path in sorted((ROOT / "examples").rglob("Kptfile"))]
PACKAGES += [ROOT / "examples", ROOT / "tests" / "e2e" / "package"]
assert len(PACKAGES) > 2, "no packages under examples"

every_package = pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))

KEYS = {f"{prefix}config.kubernetes.io/{key}" for prefix in ("", "internal.") for key in ("path", "index", "seqindent")}
REPLICAS = """\
import sys, yaml
listed = yaml.safe_load(sys.stdin)
for item in listed["items"]:
    if item.get("kind") == "Deployment":
        item["spec"]["replicas"] = 5
yaml.safe_dump(listed, sys.stdout, sort_keys=False)
"""


def kpt_fn(*arguments: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(["kpt", "fn", *arguments], input=stdin, capture_output=True, check=True).stdout


def source(directory: Path, *arguments: str) -> bytes:
    answer = krm("source", str(directory), *arguments, stdin=b"")
    assert answer.code == 0
    return answer.stdout


def resources(listed: bytes) -> list[tuple[object, object, Any]]:
    """Return path, index and data of each resource of a list: kpt lists documents too that are none."""
    items = yaml.load(listed, yaml.BaseLoader)["items"]  # noqa: S506 - texts are all that it makes
    found = []
    for item in filter({"apiVersion", "kind"}.issubset, items):
        annotations = item["metadata"].pop("annotations")
        path, index = (annotations[f"config.kubernetes.io/{key}"] for key in ("path", "index"))
        assert [annotations[f"internal.config.kubernetes.io/{key}"] for key in ("path", "index")] == [path, index]
        own = {key: value for key, value in annotations.items() if key not in KEYS}
        item["metadata"] |= {"annotations": own} if own else {}
        found.append((path, index, item if item["metadata"] else {**item, "metadata": None}))
    return found


@every_package
@pytest.mark.usefixtures("kpt")
def test_both_list_the_same_resources(package: Path) -> None:
    assert resources(source(package)) == resources(kpt_fn("source", str(package)))


@pytest.mark.usefixtures("kpt")
def test_both_read_the_same_files(tmp_path: Path) -> None:
    """Order, hidden directories, subpackages and what `.krmignore` leaves out."""
    names = ["b.yaml", "a.yaml", "a/z.yml", ".h/x.yaml", "Kptfile", "in/Kptfile", "in/a.yaml", "in/b.yaml"]
    names += ["in/x/b.yaml", "no/Kptfile", "no/a.yaml", "plain/no.yaml", "plain/a.yaml", "l/k.yaml", "out/n/x.yaml"]
    several = f"# top\n\n---\n{config('a')}---\n# nothing\n---\nvalues: 1\n--- # b\n{config('b')}"
    json = '{"kind":"A","apiVersion":"v1","metadata":{"name":"j"}}'
    write(tmp_path, dict.fromkeys(names, config("x")) | {"several.yaml": several, "h/x.json": json, "c.txt": "c"})
    write(tmp_path, {".krmignore": "no\nplain/no.yaml\n/l/\n*/n\n!x\n", "in/.krmignore": "# c\nb.yaml\n"})
    assert resources(source(tmp_path)) == resources(kpt_fn("source", str(tmp_path)))


@every_package
@pytest.mark.usefixtures("kpt")
def test_both_write_the_same_resources_to_a_new_directory(package: Path, tmp_path: Path) -> None:
    kpt_fn("sink", str(tmp_path / "theirs"), stdin=kpt_fn("source", str(package)))
    assert krm("sink", str(tmp_path / "ours"), stdin=source(package)).code == 0
    ours, theirs = (resources(kpt_fn("source", str(tmp_path / name))) for name in ("ours", "theirs"))
    assert ours == theirs


@pytest.mark.usefixtures("kpt")
def test_both_name_the_files_of_new_resources_alike(tmp_path: Path) -> None:
    path = "annotations: {config.kubernetes.io/path: x/y.yaml}"
    metadata = ("{name: A.b}", "{name: c, namespace: n}", f"{{name: d, {path}}}")
    items = "".join(f"- {{apiVersion: v1, kind: ConfigMap, metadata: {one}}}\n" for one in metadata)
    listed = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n{items}".encode()
    kpt_fn("sink", str(tmp_path / "theirs"), stdin=listed)
    assert krm("sink", str(tmp_path / "ours"), stdin=listed).code == 0
    assert [*contents(tmp_path / "ours")] == [*contents(tmp_path / "theirs")]


@pytest.mark.usefixtures("kpt")
def test_what_kpt_and_a_program_print_anew_changes_only_the_data(tmp_path: Path) -> None:
    """A pipe of kpt's source, a program that knows no comments, and our sink."""
    deployment = "kind:   Deployment # c\napiVersion: apps/v1\nmetadata: {name:  m}\nspec:\n    replicas: 1   # few\n"
    before = {
        "a.yaml": f"# licence\n\n---\n{deployment}---\nx:  1\n",
        "b.yaml": config("b").replace("k: 1", "k:  1 # c"),
    }
    package = write(tmp_path / "package", before)
    listed = kpt_fn("source", str(package))
    assert krm("sink", str(package), stdin=listed) == (b"", "", 0)
    assert contents(package) == before
    program = [sys.executable, "-c", REPLICAS]
    changed = subprocess.run(program, input=listed, capture_output=True, check=True).stdout
    assert krm("sink", str(package), stdin=changed) == (b"", "", 0)
    assert contents(package) == before | {"a.yaml": before["a.yaml"].replace("replicas: 1", "replicas: 5")}
