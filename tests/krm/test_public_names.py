"""The public names of `krm`: what an editor offers."""

import pytest

import krm


def test_only_public_names_are_listed() -> None:
    assert dir(krm) == sorted(krm.__all__)


def test_a_misspelt_name_is_told_at_work_and_by_type_checkers() -> None:
    """Without an error here mypy fails: it tells of an ignored error that there is none."""
    with pytest.raises(AttributeError, match=r"^module 'krm' has no attribute 'Rezource'$"):
        krm.Rezource  # type: ignore[attr-defined]  # noqa: B018 - the test is that it fails
