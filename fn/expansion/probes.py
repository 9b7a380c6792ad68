"""What the exec probes of a container see (spec/expansion.md 2.5 and 4, decision 26).

That is the values of `env` as they are written, the last of each name: neither expanded nor unescaped, empty for an
entry with `valueFrom`. `envFrom` and Services are not there at all. A variable of the functionConfig is there for all
that the container does not declare, as in every other field.
"""

from __future__ import annotations

from fn.expansion import syntax
from fn.expansion.environment import LEFT, UNDEFINED, Resolution
from fn.expansion.values import ABSENT, CONTAINER, KNOWN, LITERALS, SECRETS, UNKNOWN, VARIABLES, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fn.expansion.variables import Variables
    from fn.functionconfig.model import Config


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
        Where the probe sees another text than the container gets, it is left for its author to decide.
        """
        raw = self._raw.get(name)
        for source in self._config.lookup:
            if source == VARIABLES and name in self._variables and self._may_write(name):
                return self._of_variable(name)
            if source == VARIABLES and self._variables.is_withheld(name):
                return Resolution(LEFT, Value(UNKNOWN, VARIABLES, f"variable `{name}` has no value today"))
            if source == CONTAINER and raw is not None:
                break
        if raw is None:
            return Resolution(UNDEFINED, Value(ABSENT, LITERALS, "a probe sees no more than the values in `env`"))
        return self._of_raw(name, raw)

    def raw_of(self, name: str, resolution: Resolution) -> Raw | None:
        """Return the raw value that a name is resolved to, None for one that is something else."""
        return None if resolution.value.source == VARIABLES else self._raw.get(name)

    def _of_raw(self, name: str, raw: Raw) -> Resolution:
        value = Value(KNOWN, LITERALS, f"entry `{name}` of `env`, as it is written", raw.text or "")
        may_write = LITERALS in self._config.inline and CONTAINER in self._config.lookup
        if raw.is_rewritten or (may_write and not raw.is_expanded):
            return Resolution(KNOWN, value, syntax.doubled(value.text))
        return Resolution(LEFT, value)

    def _of_variable(self, name: str) -> Resolution:
        text = self._variables.use(name)
        met = {one: self.resolve(one) for one in syntax.names(text)}
        text = syntax.commute(text, lambda one: met[one].text)
        is_secret = self._variables.is_secret(name) or any(one.value.is_secret for one in met.values())
        state = UNKNOWN if syntax.names(text) else KNOWN
        reason = f"variable `{name}` of the functionConfig"
        value = Value(state, VARIABLES, reason, syntax.value(text), is_secret=is_secret)
        return Resolution(KNOWN, value, text)

    def _may_write(self, name: str) -> bool:
        inline = self._config.inline
        return VARIABLES in inline and (SECRETS in inline or not self._variables.is_secret(name))
