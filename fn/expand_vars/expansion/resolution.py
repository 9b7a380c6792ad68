"""What a name is to one field, and what of that may be written down: the functionConfig's `inline` (decision 25)."""

from __future__ import annotations

from expand_vars.expansion import secrets, syntax
from expand_vars.expansion.findings import SECRET_REFERENCE
from expand_vars.expansion.values import KNOWN, SECRETS, UNKNOWN, VARIABLES, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from expand_vars.expansion.variables import Variables

LEFT = "left"
FORWARD = "forward"
UNDEFINED = "undefined"


class Resolution:
    """What a name is at one point of a container, with the value that the winner has for it.

    `text` is the EnvVar text to insert for one that is known, None for any other.
    """

    __slots__ = ("state", "text", "value")

    def __init__(self, state: str, value: Value, text: str | None = None) -> None:
        self.state = state
        self.value = value
        self.text = text


def of_value(value: Value, inline: Collection[str]) -> Resolution:
    """Return what a name with a literal value is: known, if that is and may be written down."""
    if value.state == KNOWN and _may_write(value, inline):
        return Resolution(KNOWN, value, syntax.doubled(value.text))
    return Resolution(LEFT, value)


def of_variable(
    name: str, variables: Variables, inline: Collection[str], resolve: Callable[[str], Resolution]
) -> Resolution:
    """Return what a variable is where `resolve` tells what the names in its text are: known, if it may be written."""
    value, text = variable(name, variables, resolve)
    if _may_write(value, inline):
        variables.use(name)
        return Resolution(KNOWN, value, text)
    if value.is_secret and SECRETS not in inline:
        value = Value(UNKNOWN, VARIABLES, secrets.refusal(name), finding=SECRET_REFERENCE)
    return Resolution(LEFT, value)


def variable(name: str, variables: Variables, resolve: Callable[[str], Resolution]) -> tuple[Value, str]:
    """Return the value and the EnvVar text of a variable: its references are read where it is inserted."""
    text, of_config = variables.text(name), f"variable `{name}` of the functionConfig"
    if "$" not in text:
        return Value(KNOWN, VARIABLES, of_config, text, is_secret=variables.is_secret(name)), text
    met = {one: resolve(one) for one in dict.fromkeys(syntax.names(text))}
    text = syntax.commute(text, lambda one: met[one].text)
    is_secret = variables.is_secret(name) or any(one.text and one.value.is_secret for one in met.values())
    live = syntax.names(text)
    reason = f"variable `{name}` refers to `{live[0]}`" if live else of_config
    return Value(UNKNOWN if live else KNOWN, VARIABLES, reason, syntax.value(text), is_secret=is_secret), text


def withheld(name: str) -> Resolution:
    """Return what a variable is whose secret value this run does not have (`Variables.is_withheld`)."""
    return Resolution(LEFT, Value(UNKNOWN, VARIABLES, f"variable `{name}` has no value today"))


def _may_write(value: Value, inline: Collection[str]) -> bool:
    return value.source in inline and (SECRETS in inline or not value.is_secret)
