"""The base rule by bytes: a file that one side alone changed is that side's file in every door, whatever it ends in."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.git import cascade, line_merge
from krm.git.line_merge import Labels, ThreeTexts
from krm.merge.files import composition
from krm.merge.files.directories import MergedDirectory
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy
from krm.results import FnError
from krm.yamltree.parser import ParseError

if TYPE_CHECKING:
    from collections.abc import Callable

A, B = (f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  k: |\n    x" for name in "ab")
BODIES = {
    "an object": A,
    "two objects": f"{A}\n---\n{B}",
    "a list": f"apiVersion: v1\nkind: List\nitems:\n- {A}".replace("\n", "\n  ").replace("\n  kind: L", "\nkind: L"),
    "comments": "# a\n# b",
    "values": "a: 1\n\n# old\nb: 2",
    "JSON": '{"kind": "X"}',
    "nothing": "",
}
HEADS = ["", "\ufeff", "%YAML 1.2\n---\n", "%YAML 1.2\n---\n---\n# head\n---\n", "---\n---\n", "# head\n\n"]
TAILS = ["", "\n", "\n    ", "\n\n\n", "\n...\n", "\n---\n", "\n---\n---\n# end", "\r\n", "\n# end"]


def is_read(text: str) -> bool:
    """True for what is YAML: a merge of files says what is wrong with any other text."""
    try:
        return all(part.objects == [] or part.resource.root is not None for part in File(text, "a").documents)
    except (FnError, ParseError):
        return False


def of_files(origin: str, update: str, local: str) -> str:
    before, new, own = (File(text, name) for text, name in ((origin, "o"), (update, "u"), (local, "l")))
    return composition.merge(before, new, own, BaseRule(Policy("Error"))).text


def of_directories(origin: str, update: str, local: str) -> str:
    sides = {side: {"a.yaml": text.encode()} for side, text in zip(SIDES, (origin, update, local), strict=True)}
    decide = BaseRule(Policy("Error"))
    merged = MergedDirectory(sides, decide, "Error", package_of=lambda _: "", named=lambda _, path: path)
    merged.merge()
    data = merged.contents.get("a.yaml", local.encode())
    return "" if data is None else data.decode()


def of_git(origin: str, update: str, local: str) -> str:
    texts = ThreeTexts(origin.encode(), update.encode(), local.encode())
    return cascade.merge(texts, "a.yaml", Labels(), line_merge.MARKER_SIZE).text.decode()


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("door", [of_files, of_directories, of_git])
def test_what_one_side_changed_comes_byte_for_byte(door: Callable[[str, str, str], str], body: str) -> None:
    texts = [*filter(is_read, (f"{head}{body}{tail}" for head, tail in product(HEADS, TAILS)))]
    for one, other in zip(texts, [*texts[7:], *texts[:7]], strict=True):
        changed = other.replace("x", "y").replace(": 1", ": 3").replace("# ", "#  ")
        assert door(one, changed, one) == changed
        assert door(one, one, changed) == changed
        assert door(one, changed, changed) == changed
        assert door(one, one, one) == one


ODD = "k: {}\nz: 5\nq: {}\nf: |\n  a\r"


def test_a_text_whose_lines_end_oddly_is_merged_by_lines_or_refused() -> None:
    """An editor of lines would lose the last character, which to YAML ends a line."""
    sides = ODD.format(1, 1), ODD.format(2, 1), ODD.format(1, 3)
    assert [of_directories(*sides), of_git(*sides)] == [ODD.format(2, 3)] * 2
    with pytest.raises(FnError) as caught:
        of_files(*sides)
    told = "line 5: this line ends in another way than LF and CRLF: convert the line ends of the text first"
    assert str(caught.value) == f"[error] o: {told}"
    origin, update, local = (side.encode() for side in sides)
    texts = ThreeTexts(origin, update, local)
    assert cascade.merge(texts, "a.yaml", Labels(), line_merge.MARKER_SIZE).obstacle == f"origin:./a.yaml: {told}"


def test_such_a_character_in_a_quoted_text_is_part_of_it() -> None:
    sides = (
        'a: "x\\u2028"\nb: "\u2028"\nc: 1\n'.replace(old, new) for old, new in (("", ""), ("c: 1", "c: 2"), ("x", "y"))
    )
    assert of_files(*sides) == 'a: "y\\u2028"\nb: "\u2028"\nc: 2\n'
