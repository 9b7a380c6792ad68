"""A file that is written oddly stops no other one: it is expanded as well, or stays byte for byte and is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli

if TYPE_CHECKING:
    from pathlib import Path

HEAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n"
ARGS = "    args:\n    - $(A)\n"
EXPANDED = '    - "1" # expand: $(A)\n'
HEALTHY = HEAD.replace("{name: p}", "{name: healthy}") + ARGS
UTF_16 = "it is UTF-16 or UTF-32: convert it to UTF-8 (BrokenManifest)"
NO_ROOM = (
    "no comment can keep the reference of this field, which stays as it is: {}; or expand it with `record: Never` "
    "(NoRoomForReference)"
)
OF_AN_ALIAS = NO_ROOM.format("an alias shows its value elsewhere, so it would be written out")
IN_BRACKETS = NO_ROOM.format(
    "brackets with an alias, an anchor, a tag, `<<` or a `$(` in a key cannot stand in a comment"
)
VERSION = "no reader knows this version of YAML: write `%YAML 1.2`, or delete the line"
DOUBLED = "document 1: line {}, column {}: the key `{}` is here again, first in line {} (BrokenManifest)"
PIPED = (
    "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n" + f"- {HEAD}{ARGS}".replace("\n", "\n  ")[:-2]
)
OF_A_PIPE = "left alone: it is a ResourceList, which a pipe reads: give it to the program on standard input (LeftAlone)"
LISTED = "apiVersion: v1\nkind: List\nx: &a" + f"\n{HEAD}{ARGS}".rstrip().replace("\n", "\n  ")

READ = {
    "a key that is an alias": f"{HEAD}    env: [{{name: &k X}}]\n    *k : 1\n{ARGS}",
    "a key that is a mapping": f"{HEAD}    ? {{a: b}}\n    : 1\n{ARGS}",
    "a key that is a list": f"{HEAD}    ? [a]\n    : 1\n{ARGS}",
    "a key that is no text": f"{HEAD}    1: x\n    ? \n    : 1\n{ARGS}",
    "a key behind `?`": f"{HEAD}    ? args\n    : - $(A)\n",
    "an alias of nothing": f"{HEAD}    command: *a\n{ARGS}",
    "an anchor twice": f"{HEAD}    command: [&a x, &a y, *a]\n{ARGS}",
    "a tag of its own": f"{HEAD}    command: !foo [x]\n{ARGS}",
    "a tag that says nothing": f"{HEAD}    args:\n    - ! $(A)\n",
    "`<<` of a text": f"{HEAD}    <<: x\n{ARGS}",
    "`<<` of nothing": f"{HEAD}    <<: [*a, x]\n{ARGS}",
    "`%YAML`": f"%YAML 1.2\n---\n{HEAD}{ARGS}",
    "a byte order mark": f"\ufeff{HEAD}{ARGS}",
    "line ends CR": f"{HEAD}{ARGS}".replace("\n", "\r"),
    "a dash behind CR": f"{HEAD}    args:\n    - plain\r    - $(A)\n",
    "line ends of two kinds": HEAD.replace("\n", "\r\n") + ARGS,
    "many brackets": f"{HEAD}    x: {'[' * 100}{']' * 100}\n{ARGS}",
}
"""Texts that are expanded."""

TOLD: dict[str, tuple[str | bytes, str]] = {
    "a key twice": (f"{HEAD}{ARGS}{ARGS}", f"left alone: {DOUBLED.format(9, 5, 'args', 7)}"),
    "a key twice in what was generated": (
        (
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {expandvars.dev/generated-by: A/b c}}\n"
            "data:\n  a: x\n  a: y\n"
        ),
        f"left alone: {DOUBLED.format(6, 3, 'a', 5)}",
    ),
    "a key of JSON twice": (
        '{"apiVersion": "v1", "kind": "Pod", "kind": "Pod"}\n',
        f"left alone: {DOUBLED.format(1, 37, 'kind', 1)}",
    ),
    "`%YAML` that nobody reads": (
        f"%YAML 2.0\n---\n{HEAD}{ARGS}",
        f"left alone: it is not YAML: line 1, column 1: {VERSION} (BrokenManifest)",
    ),
    "no `---` behind `%YAML`": (
        f"%YAML 1.1\n{HEAD}{ARGS}",
        (
            "left alone: it is not YAML: line 2, column 1: a document starts here: put a line `---` above it "
            "(BrokenManifest)"
        ),
    ),
    "a line break that is none": (
        f"{HEAD}    args:\n    - a\u2028$(A)\n",
        ("left alone: it is not YAML: line 9, column 1: `:` is missing: the key starts in line 8 (BrokenManifest)"),
    ),
    "a character that YAML has not": (
        f"{HEAD}    # \0\n{ARGS}",
        ("left alone: it is not YAML: line 7, column 7: the character U+0000 is not allowed in YAML (BrokenManifest)"),
    ),
    "more brackets than anybody means": (
        f"{HEAD}    x: {'[' * 500}{']' * 500}\n{ARGS}",
        "left alone: document 1: line 7, column 204: more than 200 levels of nesting (BrokenManifest)",
    ),
    "a value in itself": (
        f"{HEAD}    args: &a [*a, $(A)]\n",
        (
            "left alone: document 1: line 7, column 15: this alias names what it stands in: write the value out "
            "(BrokenManifest)"
        ),
    ),
    "no `apiVersion`": (
        f"{HEAD}{ARGS}".replace("apiVersion: v1\n", ""),
        "left alone: line 1: this resource has no `apiVersion`: add it (BrokenManifest)",
    ),
    "no `kind`": (
        f"{HEAD}{ARGS}---\n{HEAD}{ARGS}".replace(f"---\n{HEAD}", f"---\n{HEAD}".replace("kind: Pod\n", "")),
        "left alone: line 10: this resource has no `kind`: add it (BrokenManifest)",
    ),
    "no `kind`, but that of its owner": (
        f"{HEAD}{ARGS}".replace("kind: Pod\n", "").replace("spec:", "owners: [{kind: Node}]\nspec:"),
        "left alone: line 1: this resource has no `kind`: add it (BrokenManifest)",
    ),
    "a kind that is a list": (
        f"{HEAD}{ARGS}".replace("kind: Pod", "kind: [Pod]"),
        "left alone: line 2: `kind` is a list: write a text (BrokenManifest)",
    ),
    "a kind that is empty": (
        f"# web\n{HEAD}{ARGS}".replace("kind: Pod", "kind:"),
        "left alone: line 3: `kind` is empty: write a text (BrokenManifest)",
    ),
    "a version that is a mapping": (
        f"a: 1\n---\n{HEAD}{ARGS}".replace("apiVersion: v1", "apiVersion: {v: 1}"),
        "left alone: line 3: `apiVersion` is a mapping: write a text (BrokenManifest)",
    ),
    "a kind that is an alias of an empty text": (
        f"kind: &k ''\n{HEAD}{ARGS}".replace("kind: Pod\n", ""),
        "left alone: line 1: `kind` is empty: write a text (BrokenManifest)",
    ),
    "Latin-1": (
        f"{HEAD}{ARGS}# caf\xe9\n".encode("latin-1"),
        "left alone: it is not UTF-8: byte 0xe9 in line 9; convert it to UTF-8 (BrokenManifest)",
    ),
    "UTF-16": (f"{HEAD}{ARGS}".encode("utf-16"), f"left alone: {UTF_16}"),
    "UTF-32 without a mark": (f"{HEAD}{ARGS}".encode("utf-32-be"), f"left alone: {UTF_16}"),
    "a mark without a template": (
        f"{HEAD}    args:\n    - $(A) # expand: x\n",
        (
            "v1/Pod/p spec.containers[name=c].args[0]: "
            + NO_ROOM.format("the comment `# expand:` behind it is no template: mend or delete it")
        ),
    ),
    "an item that is an alias": (
        f"{LISTED}\nitems:\n- *a\n",
        f"v1/Pod/p items[0].spec.containers[name=c].args[0]: {OF_AN_ALIAS}",
    ),
    "a value in brackets that an alias shows": (
        f"{HEAD}    args: &a [$(A)]\n    command: *a\n",
        f"v1/Pod/p spec.containers[name=c].args[0] and 1 more: {IN_BRACKETS}",
    ),
}
"""Texts that stay, and what is told."""


def expanded(tmp_path: Path, odd: bytes, capfd: pytest.CaptureFixture[str]) -> tuple[bytes, list[str]]:
    """Expand a directory with an odd file and a healthy one. Return the odd one and what is told."""
    (tmp_path / "odd.yaml").write_bytes(odd)
    (tmp_path / "healthy.yaml").write_text(HEALTHY)
    code = cli.run(["eval", str(tmp_path), "A=1"])
    assert (code, (tmp_path / "healthy.yaml").read_text()) == (0, HEALTHY.replace("    - $(A)\n", EXPANDED))
    return (tmp_path / "odd.yaml").read_bytes(), [line for line in capfd.readouterr().err.splitlines() if "odd" in line]


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_an_odd_file_is_expanded(text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    after, told = expanded(tmp_path, text.encode(), capfd)
    assert (after, told) == (text.replace("$(A)", '"1" # expand: $(A)').encode(), [])


@pytest.mark.parametrize(("text", "told"), TOLD.values(), ids=TOLD)
def test_an_odd_file_that_stays_is_told(
    text: str | bytes, told: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = text if isinstance(text, bytes) else text.encode()
    after, messages = expanded(tmp_path, before, capfd)
    assert after == before
    (message,) = messages
    assert message.partition("odd.yaml")[2].partition(": ")[2] == told


@pytest.mark.parametrize("text", [PIPED, f"{PIPED}---\n{PIPED}"])
def test_a_file_with_the_text_of_a_pipe_stays_and_is_counted(
    text: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert expanded(tmp_path, text.encode(), capfd) == (text.encode(), [])
    assert cli.run(["eval", str(tmp_path / "odd.yaml"), "A=1"]) == 1
    found = capfd.readouterr().err.splitlines()
    assert [line.partition("odd.yaml")[2] for line in found if "odd.yaml" in line][-1] == f": {OF_A_PIPE}"
