"""The public names of `krm`: what an editor offers."""

import krm


def test_only_public_names_are_listed() -> None:
    assert dir(krm) == sorted(krm.__all__)
