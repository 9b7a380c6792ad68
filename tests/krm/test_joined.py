"""Files that were joined without `---`: several objects in one document, which no reader sees as they were meant."""

from __future__ import annotations

import pytest

from krm import resourcelist

A = "apiVersion: v1\nkind: A\nmetadata: {name: a}\n"
AGAIN = "the key `{}` is here again (or files were joined without a line `---` between them), first in line {}"


def indented(text: str) -> str:
    return text.replace("\n", "\n  ").removesuffix("  ")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (A + A, f"document 1: line 4, column 1: {AGAIN.format('apiVersion', 1)}"),
        (f"a: 1\n---\n# b\n{A}kind: B\n", f"document 2: line 7, column 1: {AGAIN.format('kind', 5)}"),
        (f"{A}metadata:\r\n  x: y\r\n", f"document 1: line 4, column 1: {AGAIN.format('metadata', 3)}"),
        (
            f"kind: ResourceList\nitems:\n- a: 1\n- {indented(A + A)}",
            f"items[1]: line 7, column 3: {AGAIN.format('apiVersion', 4)}",
        ),
        (
            f"kind: ResourceList\nitems:\n-\n  {indented(A)}- b: 1\n  {indented(A)}  kind: B\n",
            f"items[1]: line 11, column 3: {AGAIN.format('kind', 9)}",
        ),
    ],
)
def test_they_are_an_error_also_where_nothing_is_parsed(text: str, said: str) -> None:
    listed = resourcelist.read(text)
    assert [str(result) for result in listed.results] == [f"[error] {said}"]
    assert listed.emit().exit_code == 1


@pytest.mark.parametrize(
    "text",
    [
        f'{A}text: "\nkind: B\n"\n',
        f"{A}spec: |\n  kind: A\n  kind: B\n",
        f"{A}---\n{A}",
        f"{A}spec:\n- kind: B\n- kind: C\n",
        f"{A}spec: {{kind: B}}\nkinds: [1]\n",
        f"kind: ResourceList\nitems:\n-\n  {indented(A)}- {indented(A)}",
    ],
)
def test_what_only_looks_like_it_passes(text: str) -> None:
    listed = resourcelist.read(text)
    assert (listed.results, listed.emit().text) == ([], text)
    assert not any(item.is_parsed for item in listed.items)
