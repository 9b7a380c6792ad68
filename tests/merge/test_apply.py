"""`strategy: Apply` on text: golden folders and tables. What it makes of data, test_kubectl.py compares with kubectl."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fn.krm import fieldpath
from fn.merge.apply import apply
from fn.merge.conflicts import Refused
from fn.merge.schema import Schema
from fn.merge.trees import Tree
from fn.yamltree.amending import amend
from fn.yamltree.editor import Editor
from tests.merge import sides
from tests.merge.sides import CUSTOM, DEPLOYMENT

if TYPE_CHECKING:
    from collections.abc import Mapping

POD = Schema("", "v1", "Pod")
FOLDERS = sorted(Path(__file__).parents[2].glob("testdata/apply/*"))
assert FOLDERS, "no folders under testdata/apply"


def applied(origin: str | None, update: str, local: str, schema: Schema = CUSTOM) -> str:
    """Return local's text after update was applied to it."""
    editor = Editor(local)
    trees = sides.tree(origin), sides.tree(update), Tree(local, editor.document.root)
    wanted = apply(*trees, schema).wanted
    assert wanted is not None
    amend(editor, (), wanted)
    return editor.text


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_golden(folder: Path) -> None:
    update, local = ((folder / f"{side}.yaml").read_bytes().decode() for side in ("update", "local"))
    actual = applied(None, update, local, DEPLOYMENT).encode()
    if "UPDATE" in os.environ:
        (folder / "expected.yaml").write_bytes(actual)
    assert actual == (folder / "expected.yaml").read_bytes()
    assert applied(None, update, actual.decode(), DEPLOYMENT).encode() == actual


def of(spec: str, metadata: str = "  name: x\n") -> str:
    return f"metadata:\n{metadata}{spec}"
