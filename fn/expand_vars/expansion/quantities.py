"""Kubernetes quantities, `500m`, `1.5Gi`, `2e3`, as exact numbers (spec/expansion.md, 2.4).

Kubernetes keeps nothing finer than a billionth and rounds away from zero to it, so a quantity is an integer here: its
count of billionths.
"""

from __future__ import annotations

import re

_ONE = 10**9
_MILLI = 10**6
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}

# More digits than any quantity needs are refused: numbers of any length would cost any time.
_QUANTITY = re.compile(
    r"(?P<sign>[-+]?)(?=\.?[0-9])(?P<whole>[0-9]{0,40})(?:\.(?P<part>[0-9]{0,40}))?"
    r"(?:[eE](?P<exponent>[-+]?[0-9]{1,2})|(?P<suffix>[numkMGTPE]?|[KMGTPE]i))"
)
_LARGEST = (2**63 - 1) * _ONE

_CPU_DIVISORS = frozenset((_ONE, _MILLI))
_DIVISORS = frozenset(
    (*(_ONE * 10**power for power in _DECIMAL.values() if power >= 0), *(_ONE << power for power in _BINARY.values()))
)
_LARGEST_FLOAT = 2**53


def parse(text: str) -> int | None:
    """Return a quantity in billionths, None for what is none or is too large for Kubernetes to count."""
    match = _QUANTITY.fullmatch(text)
    if match is None:
        return None
    part = match["part"] or ""
    digits = int(match["whole"] + part)
    power = _power(match) - len(part) + 9
    amount = digits << _BINARY.get(match["suffix"], 0)
    billionths = amount * 10**power if power >= 0 else _divided(amount, 10**-power)
    if billionths > _LARGEST:
        return None
    return -billionths if match["sign"] == "-" else billionths


def ceiling(quantity: str, divisor: str, *, of_cpu: bool) -> str | None:
    """Return `quantity` divided by `divisor`, rounded up, as `resourceFieldRef` gives it: decimal, without a suffix.

    A divisor of zero counts as one. None where either is no quantity, the divisor is not allowed, or the number is one
    that the kubelet, which counts thousandths of cpu and ones of anything else in floats, may round.
    """
    amount = parse(quantity)
    by = parse(divisor)
    if by == 0:
        by = _ONE
    if amount is None or by is None or by not in (_CPU_DIVISORS if of_cpu else _DIVISORS):
        return None
    if abs(amount) > _LARGEST_FLOAT * (_MILLI if of_cpu else _ONE):
        return None
    return str(_divided(amount, by))


def _power(match: re.Match[str]) -> int:
    if match["exponent"]:
        return int(match["exponent"])
    return _DECIMAL.get(match["suffix"], 0)


def _divided(amount: int, by: int) -> int:
    """Return `amount / by`, rounded up."""
    return -(-amount // by)
