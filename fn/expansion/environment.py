"""A container's environment as the kubelet builds it, as far as configuration tells (spec/expansion.md, 2 and 3).

Lookup is by position (decision 16): at an entry of `env` the container has declared what stands above it. At each point
the state of a name is *known*, with the text to insert; *left* to the kubelet, which knows or may know it; *forward*,
declared only at or below that point, which the kubelet never resolves; or *undefined*.
"""

from __future__ import annotations

import re

from fn.expansion import syntax
from fn.yamltree.nodes import Mapping, Sequence, resolved
from fn.yamltree.scalars import data, string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from fn.expansion.variables import Variables
    from fn.functionconfig.model import Config
    from fn.yamltree.nodes import Node

KNOWN = "known"
LEFT = "left"
FORWARD = "forward"
UNDEFINED = "undefined"

CONTAINER = "Container"
VARIABLES = "Variables"

_SERVICE_VARIABLE = re.compile(r"[A-Z0-9_]+_(?:SERVICE_(?:HOST|PORT(?:_[A-Z0-9_]+)?)|PORT(?:_\d+_[A-Z]+(?:_[A-Z]+)?)?)")
_NAME = re.compile(r"[-._a-zA-Z][-._a-zA-Z0-9]*")
_SHELLS = frozenset(("sh", "ash", "bash", "dash", "ksh", "zsh"))
_SHELL_COMMAND = re.compile(r"-[a-z]*c")
_SET_BY_CONTROLLERS = frozenset(("JOB_COMPLETION_INDEX",))


class Resolution:
    """What a name is at one point of a container: `text` is the EnvVar text of one that is known, None of any other."""

    __slots__ = ("state", "text")

    def __init__(self, state: str, text: str | None = None) -> None:
        self.state = state
        self.text = text


class Environment:
    """The names of one container, at the point that `declare` has come to: at first above all of `env`."""

    def __init__(self, container: Mapping, variables: Variables, config: Config) -> None:
        self._variables = variables
        self._config = config
        self._has_env_from = bool(data(container.get("envFrom")))
        self._names = [string(resolved(entry.get("name"))) or "" for _, entry in entries(container)]
        self._declared: dict[str, str | None] = {}
        self._position = 0

    def declare(self, text: str | None) -> None:
        """Go below the next entry of `env`. `text` is its EnvVar text, None where only the kubelet will know it."""
        self._declared[self._names[self._position]] = text
        self._position += 1

    def resolve(self, name: str) -> Resolution:
        """Return what `name` is here: who comes first in the functionConfig's `lookup` and has it, wins."""
        for source in self._config.lookup:
            if source == VARIABLES and name in self._variables:
                return self._resolution("Variables", self._with_live(self._variables.use(name)))
            if source == CONTAINER and name in self._declared:
                return self._resolution("Literals", self._declared[name])
            if source == CONTAINER and name in self._names[self._position + 1 :]:
                break
        if name in self._declared or self._may_be_set_at_run_time(name):
            return Resolution(LEFT)
        return Resolution(FORWARD if name in self._names[self._position :] else UNDEFINED)

    def shadows(self, name: str) -> bool:
        """Say whether the container has declared the name of a variable, wins, and has or may have another value."""
        lookup = self._config.lookup
        if (
            name not in self._variables
            or name not in self._declared
            or lookup[0] != CONTAINER
            or VARIABLES not in lookup
        ):
            return False
        text = self._declared[name]
        return text is None or syntax.value(text) != syntax.value(self._with_live(self._variables.text(name)))

    def _resolution(self, source: str, text: str | None) -> Resolution:
        is_known = text is not None and source in self._config.inline
        return Resolution(KNOWN, text) if is_known else Resolution(LEFT)

    def _with_live(self, text: str) -> str:
        """Return the text of a variable with its live references expanded, as those of what it is inserted in are."""
        known = {name: self.resolve(name).text for name in syntax.names(text)}
        return syntax.commute(text, known.get)

    def _may_be_set_at_run_time(self, name: str) -> bool:
        """Say whether a source that is not read here may define the name: `envFrom`, a Service, a controller."""
        return self._has_env_from or name in _SET_BY_CONTROLLERS or _SERVICE_VARIABLE.fullmatch(name) is not None


def entries(container: Mapping) -> list[tuple[int, Mapping]]:
    """Return the entries of a container's `env`, each with its index."""
    env = resolved(container.get("env"))
    found = [resolved(entry) for entry in env.kids] if isinstance(env, Sequence) else []
    return [(index, entry) for index, entry in enumerate(found) if isinstance(entry, Mapping)]


def starts_shell(container: Mapping) -> bool:
    """Say whether the container starts a shell with `-c`: then `$(date)` is for that shell."""
    words = [word for key in ("command", "args") for word in _strings(container.get(key))]
    shells = [index for index, word in enumerate(words) if word.rpartition("/")[2] in _SHELLS]
    rest = words[shells[0] + 1 :] if shells else words[:1]
    return any(_SHELL_COMMAND.fullmatch(word) for word in rest)


def is_name(text: str) -> bool:
    """Say whether a variable would have that name, as Kubernetes has always had them: no spaces, no shell syntax."""
    return _NAME.fullmatch(text) is not None


def _strings(node: Node | None) -> list[str]:
    words = resolved(node)
    texts = [string(resolved(word)) for word in words.kids] if isinstance(words, Sequence) else []
    return [text for text in texts if text is not None]
