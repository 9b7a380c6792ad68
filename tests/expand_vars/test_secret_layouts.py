"""A law: whatever the layout of a Secret, no diff, no message of a merge and no explanation shows what it holds."""

from __future__ import annotations

import base64
import json
from random import Random
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from krm.commands import masks
from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import ON_CONFLICT, Policy
from krm.results import FnError, Result
from krm.yamltree.parser import ParseError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.merge.policy import OnConflict

PLANTED = "S3CR3T"
KINDS = ["Secret", '"Secret"', "'Secret'", '"\\x53ecret"', '"Se\\u0063ret"', "!!str Secret"]
ENDS = ["", "---\n", "...\n", "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: z}\n# of z\ndata: {a: b}\n"]


def indented(text: str, by: int) -> str:
    return "".join(f"{' ' * by}{line}" if line.strip() else line for line in text.splitlines(keepends=True))


def data(chance: Random, side: str) -> str:
    """Return the sections of a Secret with planted texts in a random layout, and random comments."""
    value = f"{PLANTED}-{side}"
    encoded = base64.b64encode(value.encode()).decode()
    comment = chance.choice(["", f" # {value}", f" # expand: {value}$(A)"])
    above = chance.choice(["", f"# {value}\n", f"# expand: stringData: {{k: {value}}}\n", "# kept\n"])
    sections = [
        f"stringData: {{k: {value}, j: 'x {value}'}}{comment}\n",
        f"stringData:{comment}\n  k: {value}{comment}\n  j: |{comment}\n    a\n    {value}\n",
        f"stringData:\n{indented(above, 2)}  k: >-\n    a\n\n    {value}\n",
        f'stringData: {{\n  "k": "{value}",{comment}\n}}\n',
        f"data:\n  k: {encoded}{comment}\n",
        f"? stringData\n: k: {value}\n",
        f"x-note: {value}\nstringData: {{k: {value}}}\n",
        f"stringData: &s\n  k: {value}\ndata: {{<<: *s}}\n",
    ]
    return above + chance.choice(sections)


def secret(chance: Random, side: str, layout: Random) -> str:
    """Return a text with a Secret in it: alone, in a list, as kubectl's copy, or as a file of a ConfigMap."""
    kind, body = layout.choice(KINDS), data(layout, side)
    alone = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: s}}\n{body}"
    listed = f"metadata: {{name: s}}\n{body}"
    copy = json.dumps({"kind": "Secret", "stringData": {"k": f"{PLANTED}-{side}"}})
    copy = copy.replace("Secret", layout.choice(["Secret", "\\u0053ecret"]))
    note = f"metadata:\n  name: s\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{copy}'\n"
    kyaml = (
        f'---\n{{\n  apiVersion: "v1",\n  kind: {kind},  # {PLANTED}\n  metadata: {{\n    name: "s",\n  }},\n'
        f'  # {PLANTED}{side}\n  stringData: {{\n    k: "{PLANTED}{side}",\n  }},\n}}\n'
    )
    texts = [
        alone,
        body + f"kind: {kind}\napiVersion: v1\nmetadata: {{name: s}}\n",
        f"apiVersion: v1\nkind: List\nitems:\n-\n{indented(alone, 2)}",
        f"apiVersion: v1\nkind: SecretList\nitems:\n-\n{indented(listed, 2)}",
        f"apiVersion: v1\nkind: {kind}\n{note}{body}",
        f"apiVersion: apps/v1\nkind: Deployment\n{note}",
        f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: s}}\ndata:\n  s.yaml: |\n{indented(alone, 4)}",
        f"apiVersion: e.com/v1\nkind: Template\nmetadata: {{name: s}}\nspec:\n  objects:\n  -\n{indented(alone, 4)}",
        json.dumps(
            {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "s"}, "stringData": {"k": PLANTED + side}}
        )
        + "\n",
        kyaml,
    ]
    return layout.choice(texts) + layout.choice(ENDS) + f"{chance.choice(['', '# end'])}\n"


def three(seed: int) -> list[str]:
    return [secret(Random(seed + 1), side, Random(seed)) for side in ("origin", "update", "local")]  # noqa: S311 - for tests


def shows(text: str) -> bool:
    return PLANTED in text or base64.b64encode(PLANTED.encode()).decode()[:8] in text


@given(st.integers(0, 2**32))
def test_no_diff_shows_a_secret(seed: int) -> None:
    before, after, _ = three(seed)
    try:
        masked = masks.masked(before, after, {})
    except ParseError:
        return
    assert not shows("".join(masked)), masked


@given(st.integers(0, 2**32), st.sampled_from(ON_CONFLICT))
def test_no_message_of_a_merge_shows_it(seed: int, on_conflict: OnConflict) -> None:
    told: Sequence[Result]
    try:
        origin, update, local = (File(text, "a.yaml") for text in three(seed))
        told = composition.merge(origin, update, local, BaseRule(Policy(on_conflict))).results
    except (FnError, ParseError) as error:
        told = error.results if isinstance(error, FnError) else (Result(str(error), "error", "NotYaml"),)
    assert not any(shows(json.dumps(result.as_data())) for result in told)
