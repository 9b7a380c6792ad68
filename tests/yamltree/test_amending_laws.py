"""What holds for every two texts: one amended to say what the other does says that, and keeps all else."""

from __future__ import annotations

import re

from hypothesis import event, given

from fn.yamltree.editor import EditError
from tests.yamltree import amendments, model
from tests.yamltree.test_laws import law, texts


@law
@given(texts, texts)
def test_an_amended_text_says_what_was_wanted(local: str, update: str) -> None:
    try:
        text = amendments.amended(local, update)
    except EditError as error:
        event(f"refused: {re.sub('`[^`]*`', '`...`', error.problem)}")
        return
    assert model.tree(text) == model.tree(update)
    assert amendments.amended(text, update) == text


@law
@given(texts)
def test_to_want_what_is_there_changes_nothing(text: str) -> None:
    assert amendments.amended(text, text) == text
