"""The grammar of references, read row by row from docs/reference/expansion.md, and worked examples of its forms."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Lookup = Callable[[str], str | None]

KNOWN = {"A": "x", "PW": "p$w", "V": "$(A)", "D": "$", "DD": "a$$b", "E": ""}
ONLY_AT_RUN_TIME = {"U": "run"}
AT_RUN_TIME = KNOWN | ONLY_AT_RUN_TIME

# As written; what the kubelet gives; what is written by `escapes: Keep`; by Unescape, and what the kubelet gives then.
EXAMPLES = [
    ("$(A)", "x", "x", "x", "x"),
    ("$$(A)", "$(A)", "$$(A)", "$(A)", "x"),
    ("$$$(A)", "$x", "$$x", "$x", "$x"),
    ("$(A)-$(U)", "x-run", "x-$(U)", "x-$(U)", "x-run"),
    ("$$(U)", "$(U)", "$$(U)", "$(U)", "run"),
    ("$(PW)", "p$w", "p$$w", "p$w", "p$w"),
    ("$(V)", "$(A)", "$$(A)", "$(A)", "x"),
    ("$(D)(A)", "$(A)", "$$(A)", "$(A)", "x"),
    ("$(DD)", "a$$b", "a$$$$b", "a$$b", "a$b"),
    ("[$(E)]", "[]", "[]", "[]", "[]"),
    ("echo $$ $(date)", "echo $ $(date)", "echo $$ $(date)", "echo $ $(date)", "echo $ $(date)"),
]


def expand(text: str, lookup: Lookup) -> str:
    """Expand as the table of the section "The grammar" says, row by row, character by character."""
    result, position = "", 0
    while position < len(text):
        rest = text[position:]
        if rest.startswith("$$"):
            result, position = result + "$", position + 2
        elif rest.startswith("$(") and ")" in rest:
            name = rest[2 : rest.index(")")]
            found = lookup(name)
            result += f"$({name})" if found is None else found
            position += len(name) + 3
        elif rest.startswith("$"):
            result, position = result + rest[:2], position + 2
        else:
            result, position = result + rest[0], position + 1
    return result
