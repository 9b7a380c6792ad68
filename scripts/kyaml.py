"""The cases of kyaml's own tests of its merge, merged by `merge3`: which of them have other data here.

    python -m scripts.kyaml CLONE

CLONE is one of kustomize, in which kyaml is. docs/reference/merge.md, "Where kyaml gives another answer", says by which
rules they differ.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = ("scalar", "list", "map", "element", "kustomization")
SIDES = ("origin", "update", "local")
_FIELD = re.compile(r"\b(description|origin|update|local|expected):\s*`([^`]*)`")


def cases(clone: str) -> Iterator[dict[str, str]]:
    """Yield the fields of each case."""
    for table in TABLES:
        name = f"HEAD:kyaml/yaml/merge3/{table}_test.go"
        source = subprocess.run(["git", "-C", clone, "show", name], capture_output=True, check=True, text=True).stdout
        for fields in re.split(r"(?=\bdescription:)", source)[1:]:
            yield dict(_FIELD.findall(fields))


def merged(case: dict[str, str]) -> str:
    """Return what `merge3` makes of a case."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, side) for side in SIDES]
        for side, file in zip(SIDES, files, strict=True):
            file.write_text(case[side], encoding="utf-8")
        command = [
            str(Path(sys.executable).with_name("expand-vars")),
            "merge3",
            "--on-conflict",
            "TakeUpdate",
            *map(str, files),
        ]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout


def data(text: str) -> list[Any]:
    """Return the documents that hold something."""
    return [document for document in yaml.load_all(text, yaml.CSafeLoader) if document is not None]


def main(clone: str) -> None:
    """Print the cases that differ, and how many there are."""
    found = [*cases(clone)]
    others = [case["description"] for case in found if data(merged(case)) != data(case["expected"])]
    print(*others, f"{len(found) - len(others)} of {len(found)} have kyaml's data", sep="\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
