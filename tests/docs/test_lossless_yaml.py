"""docs/reference/lossless-yaml.md: each example makes of the first text, by its lines of Python, the second one."""

from __future__ import annotations

import pytest

from krm.yamltree import comments, field_comments
from krm.yamltree.editor import Editor
from tests.pages import Page

PAGE = Page("lossless-yaml")
EXAMPLE = ["yaml", "python", "yaml"]
TESTED = {
    "One way to edit": "yaml python yaml",
    "What stays": "yaml python yaml yaml python yaml",
    "What goes": "yaml python yaml",
    "Which comment belongs to which node": "yaml python yaml",
    "Anchors, aliases and merge keys": "yaml python yaml",
}
EXAMPLES = [
    (heading, *(block.text for block in blocks[first : first + 3]))
    for heading in TESTED
    for blocks in [PAGE.blocks(heading)]
    for first in range(0, len(blocks), 3)
]


@pytest.mark.parametrize(("heading", "before", "code", "after"), EXAMPLES)
def test_the_examples_come_out_as_they_are_shown(heading: str, before: str, code: str, after: str) -> None:
    editor = Editor(before)
    exec(code, {"editor": editor, "comments": comments, "field_comments": field_comments})  # noqa: S102 - the lines of the page
    assert editor.text == after, heading
