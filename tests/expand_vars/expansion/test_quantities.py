"""Quantities, and what `resourceFieldRef` makes of them (docs/reference/expansion.md, "The downward API")."""

from __future__ import annotations

from decimal import ROUND_CEILING, Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.expansion import env_sources

# Each in billionths.
AMOUNTS = {
    "0": 0,
    "1": 10**9,
    "+1": 10**9,
    "-1": -(10**9),
    "1.": 10**9,
    ".5": 5 * 10**8,
    "0.5": 5 * 10**8,
    "00.50": 5 * 10**8,
    "1n": 1,
    "1u": 10**3,
    "500m": 5 * 10**8,
    "1k": 10**12,
    "1M": 10**15,
    "1G": 10**18,
    "1T": 10**21,
    "1P": 10**24,
    "1E": 10**27,
    "1Ki": 2**10 * 10**9,
    "1Mi": 2**20 * 10**9,
    "1Gi": 2**30 * 10**9,
    "1Ti": 2**40 * 10**9,
    "1Pi": 2**50 * 10**9,
    "1Ei": 2**60 * 10**9,
    "0.1Ki": 1024 * 10**8,
    "1e3": 10**12,
    "1E3": 10**12,
    "1e+3": 10**12,
    "1E-3": 10**6,
    "1.5e1": 15 * 10**9,
    # What is finer than a billionth is rounded away from zero to one.
    "0.1n": 1,
    "-0.1n": -1,
    "1e-20": 1,
    "1.0000000001": 10**9 + 1,
    # The largest that Kubernetes counts.
    "9223372036854775807": (2**63 - 1) * 10**9,
}
NO_QUANTITIES = [
    "", ".", "-", "+.", "m", "Ki", "e3", "1e", "1e+", "1i", "1mi", "1ki", "1K", "1KI", "1 Mi", " 1", "1 ", "1\n", "1,5",
    "1.2.3", "--1", "0x10", "1_000", "1e1.5", "1Ki3", "inf", "nan", "٣", "$(X)", "9223372036854775808", "8Ei", "1e99",
    "1" * 41, "1e100",
]  # fmt: skip


@pytest.mark.parametrize(("text", "billionths"), AMOUNTS.items())
def test_a_quantity_is_exact(text: str, billionths: int) -> None:
    assert env_sources.billionths(text) == billionths


@pytest.mark.parametrize("text", NO_QUANTITIES)
def test_what_is_no_quantity_has_no_amount(text: str) -> None:
    assert env_sources.billionths(text) is None


# Quantity, divisor, and what a container gets.
CPU = {
    ("1", "1"): "1",
    ("250m", "1"): "1",
    ("250m", "0"): "1",
    ("250m", "1m"): "250",
    ("250m", "0.001"): "250",
    ("0.5", "1000m"): "1",
    ("1500m", "1"): "2",
    ("1u", "1m"): "1",
    ("1.0001", "1m"): "1001",
    ("0", "1m"): "0",
    ("-1.5", "1"): "-1",
    ("9007199254740.992", "1m"): "9007199254740992",
    ("9007199254740.993", "1m"): None,
    ("1", "1k"): None,
    ("1", "2"): None,
    ("1", "1Ki"): None,
    ("1", ""): None,
    ("half", "1"): None,
}
BYTES = {
    ("64Mi", "1"): "67108864",
    ("64Mi", "0"): "67108864",
    ("64Mi", "1Mi"): "64",
    ("64Mi", "1Ki"): "65536",
    ("64Mi", "1M"): "68",
    ("64Mi", "1k"): "67109",
    ("64Mi", "1G"): "1",
    ("1Gi", "1Ti"): "1",
    ("1E", "1E"): None,
    ("8Pi", "1P"): "10",
    ("8Pi", "1"): "9007199254740992",
    ("9007199254740993", "1"): None,
    ("1", "1T"): "1",
    ("1", "1P"): "1",
    ("1", "1E"): "1",
    ("1", "1Pi"): "1",
    ("1", "1Ei"): "1",
    ("1.5", "1"): "2",
    ("100m", "1"): "1",
    ("1e3", "1k"): "1",
    ("0", "1Mi"): "0",
    ("1", "1m"): None,
    ("1", "2Mi"): None,
    ("1", "-1"): None,
    ("1", "Mi"): None,
}


@pytest.mark.parametrize(("given", "text"), CPU.items())
def test_cpu_counts_in_cores_or_thousandths(given: tuple[str, str], text: str | None) -> None:
    assert env_sources.ceiling(*given, of_cpu=True) == text


@pytest.mark.parametrize(("given", "text"), BYTES.items())
def test_anything_else_counts_in_bytes_and_their_multiples(given: tuple[str, str], text: str | None) -> None:
    assert env_sources.ceiling(*given, of_cpu=False) == text


MULTIPLES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30}


@given(
    st.decimals(min_value=0, max_value=10**6, places=3), st.sampled_from([*MULTIPLES]), st.sampled_from([*MULTIPLES])
)
def test_the_result_is_the_ceiling(number: Decimal, suffix: str, by: str) -> None:
    with localcontext() as context:
        context.prec = 60
        ratio = number * MULTIPLES[suffix] / MULTIPLES[by]
        expected = ratio.to_integral_value(ROUND_CEILING)
    assert env_sources.ceiling(f"{number:f}{suffix}", f"1{by}", of_cpu=False) == f"{expected:f}"
