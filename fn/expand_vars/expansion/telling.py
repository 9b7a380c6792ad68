"""What there is to tell of the references of one container, in sentences (spec/expansion.md, 6)."""

from __future__ import annotations

from expand_vars.expansion import containers, findings, names, syntax
from expand_vars.expansion.resolution import FORWARD, UNDEFINED
from expand_vars.expansion.values import LITERALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.environment import Environment
    from expand_vars.expansion.findings import Findings
    from expand_vars.expansion.probes import ProbeEnvironment
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from krm.fieldpath import Place

_STAYS = "it stays as it is written"


class Teller:
    """Tells of the references of one container, at the point that its environment has come to."""

    def __init__(
        self, container: Container, environment: Environment, variables: Variables, config: Config, found: Findings
    ) -> None:
        self._container = container
        self._environment = environment
        self._variables = variables
        self._config = config
        self._found = found
        self._in = f"container `{container.name}`"

    def tell_met(self, met: Iterable[str], place: Place) -> None:
        """Tell of variables over which the container's own declaration wins."""
        for name in met:
            self._variables.mention(name)
            if self._environment.shadows(name):
                message = f"{self._in} declares `{name}` itself, which wins over the variable"
                self._tell(findings.SHADOWED, name, message, place)

    def tell_left(self, text: str, place: Place) -> None:
        """Tell of the references in an expanded text that the kubelet will leave as they are, as far as is known."""
        for name in dict.fromkeys(syntax.names(text)):
            here = self._environment.resolve(name)
            if here.value.finding:
                self._tell_value(name, here, place)
            elif here.state == FORWARD:
                self._tell_forward(name, place)
            elif here.state == UNDEFINED and _is_meant(name, self._words()):
                self._tell_undefined(name, here, place)

    def tell_empty(self, name: str, place: Place) -> None:
        """Tell of an empty value that is not inserted in a `subPathExpr`, where the kubelet refuses it."""
        message = f"`{name}` is empty, and {self._in} does not start with an empty variable in here: {_STAYS}"
        self._tell(findings.EMPTY_SUB_PATH, name, message, place)

    def tell_escapes(self, text: str, place: Place) -> None:
        """Tell of `$$(NAME)` that is kept, where NAME is a variable: who wrote that may have wanted its value."""
        for name in syntax.escaped_names(text):
            if name in self._variables and self._config.escapes == "Keep":
                message = f"`$$({name})` is an escape: {self._in} gets the text `$({name})`"
                self._tell(findings.ESCAPE_KEPT, name, message, place)

    def tell_probe(self, met: dict[str, Resolution], seen: ProbeEnvironment, place: Place, words: list[str]) -> None:
        """Tell of what an exec probe sees otherwise than its container."""
        for name, here in met.items():
            self._variables.mention(name)
            raw = seen.raw_of(name, here)
            if here.value.finding:
                self._tell_value(name, here, place)
            elif raw is not None and raw.text is None:
                self._tell_raw(name, f"sees an empty `{name}`: it does not know `valueFrom`", place)
            elif raw is not None and raw.is_rewritten:
                self._tell_raw(name, f"sees `{name}` as it was written, so it keeps that text", place)
            elif raw is not None and raw.is_expanded:
                self._tell_raw(name, f"sees `{name}` as it is written: nothing in it is expanded there", place)
            elif here.state == UNDEFINED and _is_meant(name, words):
                self._tell_unseen(name, here, place)

    def tell_unexpanded(self) -> None:
        """Tell of references to what the container declares in fields that the kubelet does not expand."""
        for place, text in self._container.unexpanded():
            for name in dict.fromkeys(syntax.names(text)):
                if name not in self._variables and self._environment.is_own(name):
                    message = f"`$({name})` stays: the kubelet does not expand this field of {self._in}"
                    self._tell(findings.UNEXPANDED_REFERENCE, name, message, place)

    def _tell_value(self, name: str, here: Resolution, place: Place) -> None:
        self._tell(here.value.finding, name, f"`$({name})` in {self._in}: {here.value.reason}", place)

    def _tell_raw(self, name: str, message: str, place: Place) -> None:
        self._tell(findings.PROBE_USES_RAW_VALUE, name, f"an exec probe of {self._in} {message}", place)

    def _tell_unseen(self, name: str, here: Resolution, place: Place) -> None:
        """Tell of a name that an exec probe does not see, though its container may."""
        if self._environment.resolve(name).state == UNDEFINED:
            self._tell_undefined(name, here, place)
        else:
            self._tell_raw(name, f"does not see `{name}`: it knows the values in `env` alone", place)

    def _tell_undefined(self, name: str, here: Resolution, place: Place) -> None:
        near = self._environment.near(name)
        hint = f"; did you mean `{near}`?" if near else ""
        skipped = "" if here.value.source == LITERALS else f", since {here.value.reason}"
        message = f"nothing defines `$({name})` in {self._in}{skipped}: {_STAYS}{hint}"
        self._tell(findings.UNRESOLVED_REFERENCE, name, message, place)

    def _tell_forward(self, name: str, place: Place) -> None:
        entry = next(entry for index, entry, _ in self._container.entries if index == place[-2])
        if entry == name:
            message = f"`$({name})` refers to itself, and nothing above it in {self._in} declares it"
        else:
            message = f"{self._in} declares `{name}` below `{entry}`: move `{name}` above it"
        self._tell(findings.FORWARD_REFERENCE, name, f"{message}; the kubelet leaves it as it is written", place)

    def _words(self) -> Iterator[str]:
        return (word for _, word in self._container.words())

    def _tell(self, reason: str, name: str, message: str, place: Place) -> None:
        self._found.add(self._container.pod.workload, reason, name, message, place, container=self._container.name)


def _is_meant(name: str, words: Iterable[str]) -> bool:
    """Say whether `$(name)` is meant as a reference: no other syntax, and no command of a shell (decision 27)."""
    return names.is_name(name) and not (name.islower() and containers.starts_shell(words))
