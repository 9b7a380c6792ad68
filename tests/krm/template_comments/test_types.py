"""A run edits a field for a new value alone, and a plain scalar stays plain where its readers see the same type."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.expand_vars.expansion.running import run

HEAD = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n"

# What stands in the field, another value, and what stands there then.
FOLLOWED = [
    ("0644", "0640", "0640"),
    ("0x1F", "0x2F", "0x2F"),
    ("1_000", "2_000", "2_000"),
    ("012", "013", "013"),
    ("on", "off", "off"),
    ("4.4.0", "4.5.0", "4.5.0"),
    ("10.0.0.1", "10.0.0.2", "10.0.0.2"),
    ("2024-01-01", "2024-01-02", "2024-01-02"),
    ("1:30", "2:40", "2:40"),
    ("3", "4", "4"),
    ("web", "0644", '"0644"'),
    ("0644", "web", "web"),
    ("0644", "0888", '"0888"'),
    ("0644", "0x1F", '"0x1F"'),
    ('"0644"', "0640", '"0640"'),
    ("4.4.0", "4.5", "4.5"),
]


@pytest.mark.parametrize(("there", "value", "after"), FOLLOWED)
def test_a_plain_scalar_keeps_its_type(there: str, value: str, after: str) -> None:
    ran = run(f"{HEAD}  v: {there} # expand: $(V)\n", spec="record: Always", arguments=[("V", value)])
    assert ran.text == f"{HEAD}  v: {after} # expand: $(V)\n"


SCALARS = [*(there for there, _, _ in FOLLOWED), *("~", "null", "1e3", "0o17", ".5", "+1", "0b1", "y", "!!str 0644")]
scalars = st.sampled_from(SCALARS)
templates = st.sampled_from(["$(V)", '"$(V)"', "'$(V)'"])


@given(st.lists(st.tuples(scalars, templates), min_size=1, max_size=8), st.sampled_from([[], [("UNRELATED", "1")]]))
def test_no_value_no_edit(fields: list[tuple[str, str]], arguments: list[tuple[str, str]]) -> None:
    lines = [f"  k{number}: {there} # expand: {template}\n" for number, (there, template) in enumerate(fields)]
    text = HEAD + "".join(lines)
    assert run(text, spec="record: Always", arguments=arguments).text == text
