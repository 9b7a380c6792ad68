"""What the exec probes of a container see (spec/expansion.md 2.5 and 4, decision 26).

That is the values of `env` as they are written, the last of each name: neither expanded nor unescaped, empty for an
entry with `valueFrom`. `envFrom` and Services are not there at all. A variable of the functionConfig is there for all
that the container does not declare, as in every other field.
"""

from __future__ import annotations

from expand_vars.expansion import resolution, syntax
from expand_vars.expansion.resolution import LEFT, UNDEFINED, Resolution
from expand_vars.expansion.values import ABSENT, CONTAINER, KNOWN, LITERALS, VARIABLES, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config


class Raw:
    """A value of `env` as it is written, and whether it was written anew. `text` is None for one of a source."""

    __slots__ = ("is_rewritten", "text")

    def __init__(self, text: str | None, *, is_rewritten: bool) -> None:
        self.text = text
        self.is_rewritten = is_rewritten

    @property
    def is_expanded(self) -> bool:
        """Whether the container itself gets another text than the one that is written."""
        return self.text is None or any(syntax.tokens(self.text))


class ProbeEnvironment:
    """The names that exec probes see, by the last entry of `env` that declares each."""

    def __init__(self, raw: dict[str, Raw], variables: Variables, config: Config) -> None:
        self._raw = raw
        self._variables = variables
        self._config = config

    def resolve(self, name: str) -> Resolution:
        """Return what `name` is to a probe.

        What was written anew is pinned to what the probe would have seen, whatever may be written down elsewhere.
        """
        raw = self._raw.get(name)
        here = self._won(name, raw)
        if here.text is None and raw is not None and raw.is_rewritten:
            value = _value(name, raw)
            return Resolution(KNOWN, value, syntax.doubled(value.text))
        return here

    def raw_of(self, name: str, here: Resolution) -> Raw | None:
        """Return the raw value that a name is resolved to, None for one that is something else."""
        return None if here.value.source == VARIABLES else self._raw.get(name)

    def _won(self, name: str, raw: Raw | None) -> Resolution:
        """Return what a name is to him who comes first in `lookup` and has it.

        Where the probe sees another text than the container gets, it is left for its author to decide.
        """
        for source in self._config.lookup:
            if source == VARIABLES and name in self._variables:
                return resolution.of_variable(name, self._variables, self._config.inline, self.resolve)
            if source == VARIABLES and self._variables.is_withheld(name):
                return resolution.withheld(name)
            if source == CONTAINER and raw is not None and not raw.is_expanded:
                return resolution.of_value(_value(name, raw), self._config.inline)
            if source == CONTAINER and raw is not None:
                break
        if raw is None:
            return Resolution(UNDEFINED, Value(ABSENT, LITERALS, "a probe sees no more than the values in `env`"))
        return Resolution(LEFT, _value(name, raw))


def _value(name: str, raw: Raw) -> Value:
    return Value(KNOWN, LITERALS, f"entry `{name}` of `env`, as it is written", raw.text or "")
