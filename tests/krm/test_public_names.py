"""The public names of `krm`: what an editor offers."""

import pytest

import krm


def test_only_public_names_are_listed() -> None:
    assert dir(krm) == sorted(krm.__all__)


def test_a_misspelt_name_is_told_at_work_and_by_type_checkers() -> None:
    """Without an error here mypy fails: it tells of an ignored error that there is none."""
    with pytest.raises(AttributeError, match=r"^module 'krm' has no attribute 'Rezource'$"):
        krm.Rezource  # type: ignore[attr-defined]  # noqa: B018 - the test is that it fails


def test_what_a_signature_names_can_be_imported() -> None:
    """Mypy checks the types: bytes are no value of YAML."""

    def put(item: krm.Resource, path: krm.Path, value: krm.Value) -> None:
        item.set(path, value)

    process: krm.Process = lambda resource_list: put(resource_list.items[0], ("spec", "a"), ["x"])  # noqa: E731
    assert krm.transform("kind: A\n", process).text == "kind: A\nspec:\n  a:\n  - x\n"
    with pytest.raises(TypeError, match=r"^YAML has no values of type `bytes`: write it as a str$"):
        krm.transform("kind: A\n", lambda resource_list: put(resource_list.items[0], "a", b"x"))  # type: ignore[arg-type]
    assert all(hasattr(krm, name) for name in krm.__all__)
