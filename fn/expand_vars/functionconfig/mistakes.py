"""Mistakes in a functionConfig: the sentences that name what was found and what is allowed, all at once."""

from __future__ import annotations

from expand_vars.functionconfig.fields import Retyped, written
from krm.results import ERROR, FnError
from krm.vocabulary import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypeAlias

    from expand_vars.functionconfig.fields import Data
    from krm.fieldpath import Place
    from krm.resource import Resource

    Mistake: TypeAlias = tuple[Place, str]

REASON = "InvalidFunctionConfig"
A_LIST = "a list"
A_MAPPING = "a mapping"
_SHOWN = 40


def refuse(resource: Resource, mistakes: Iterable[Mistake]) -> None:
    """Raise an FnError with all mistakes, if there are any. The schema may report one of them twice."""
    # jsonschema reports a missing key of `oneOf` for each alternative: the same sentence several times.
    results = [resource.result(message, ERROR, REASON, place) for place, message in dict.fromkeys(mistakes)]
    if results:
        raise FnError(*results)


def unknown(key: str, known: Collection[str]) -> str:
    """Return the sentence for an unknown key, with the known one that is most like it."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    near = get_close_matches(key, known, n=1)
    hint = f"; did you mean `{near[0]}`?" if near else f": the keys here are {quoted(known, 'and')}"
    return f"unknown key `{key}`{hint}"


def not_allowed(found: Data, allowed: str) -> str:
    """Return the sentence for a wrong value. If a string would be right, it says how to write one."""
    quotable = "a string" in allowed and not isinstance(found, dict | list)
    if quotable and isinstance(found, Retyped):
        return f"{_shown(found)} is not the same text to every reader of YAML: write it in quotes"
    message = f"found {_shown(found)}, but only {allowed} is allowed here"
    if not quotable:
        return message
    return f'{message}: write `""` for an empty text' if found is None else f"{message}: write it in quotes"


def _shown(found: Data) -> str:
    """Return a value as it was written, shortened. A collection is not shown: it may hold a secret."""
    if isinstance(found, dict | list):
        return A_MAPPING if isinstance(found, dict) else A_LIST
    text = written(found)
    return f"`{text}`" if len(text) <= _SHOWN else f"`{text[:_SHOWN]}...`"
