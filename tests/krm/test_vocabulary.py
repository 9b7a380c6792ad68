"""Exhaustive matches."""

from __future__ import annotations

import pytest

from krm.vocabulary import assert_never


def test_a_word_that_no_case_knows() -> None:
    with pytest.raises(AssertionError, match=r"^`Other` is no word of its vocabulary$"):
        assert_never("Other")  # type: ignore[arg-type]  # which is how mypy names a match that lacks a case
