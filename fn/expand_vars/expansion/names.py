"""What names look like: those that variables have, those that only a running cluster gives, and those that are near."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_OF_A_SERVICE = re.compile(r"[A-Z0-9_]+_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_[A-Z]+(?:_[A-Z]+)?)?)")
_OF_THE_API_SERVER = re.compile(r"KUBERNETES_(?:SERVICE_HOST|(?:SERVICE_)?PORT(?:_.*)?)")
_SET_BY_CONTROLLERS = frozenset(("JOB_COMPLETION_INDEX",))
_NEAR = 0.7


def is_name(text: str) -> bool:
    """Say whether a variable would have that name, as Kubernetes has always had them: no spaces, no shell syntax."""
    return _NAME.fullmatch(text) is not None


def may_be_of_service(name: str) -> bool:
    """Say whether a Service could give that name to a container."""
    return _OF_A_SERVICE.fullmatch(name) is not None


def is_of_api_server(name: str) -> bool:
    """Say whether it is the API server's own Service that gives that name: it does so to every container."""
    return _OF_THE_API_SERVER.fullmatch(name) is not None


def is_set_by_controllers(name: str) -> bool:
    """Say whether a controller adds a variable of that name to the pods that it makes."""
    return name in _SET_BY_CONTROLLERS


def near(name: str, known: Collection[str]) -> str | None:
    """Return the name that somebody may have meant who wrote `name`, in any case; None where none is near enough."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    folded = {one.casefold(): one for one in sorted(known)}
    return next((folded[one] for one in get_close_matches(name.casefold(), folded, n=1, cutoff=_NEAR)), None)
