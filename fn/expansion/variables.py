"""The variables that a functionConfig declares, with the texts that they have (decisions 12 to 15).

All texts are EnvVar text: what the kubelet, expanding it, turns into the value. A literal value has its `$` doubled.
"""

from __future__ import annotations

from fn.expansion import syntax
from fn.expansion.findings import (
    FORWARD_REFERENCE,
    LITERAL_REFERENCE,
    NAME_NOT_FINAL,
    SHADOWED,
    UNUSED_VARIABLE,
    severity,
)
from fn.expansion.sources import AbsentError, NotFinalError, SourceError, Sources
from fn.krm.results import ERROR, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fn.functionconfig.model import Config, Variable, VariablesFrom
    from fn.krm.resource import Resource


class Variables:
    """The texts of the variables that have one. `used` grows as they are asked for."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._used: set[str] = set()

    def __contains__(self, name: str) -> bool:
        """Say whether a variable has a text."""
        return name in self._texts

    def use(self, name: str) -> str:
        """Return the text of a variable, and remember that it was used."""
        self._used.add(name)
        return self._texts[name]

    def get(self, name: str) -> str | None:
        """Return the text of a variable that another one refers to, None where it has none."""
        return self.use(name) if name in self._texts else None

    def may_be_in(self, text: str) -> bool:
        """Say whether YAML text may refer to a variable that has a text, without parsing: an escape can hide anything."""
        return "\\" in text or any(f"$({name})" in text for name in self._texts)

    def add(self, name: str, text: str) -> None:
        """Add a variable by its EnvVar text."""
        self._texts[name] = syntax.closed(text)
        self._literals.pop(name, None)

    def add_literal(self, name: str, value: str) -> None:
        """Add a variable by its value, in which nothing is a reference."""
        self._texts[name] = syntax.doubled(value)
        self._literals[name] = value

    def results(self, config: Config) -> Iterator[Result]:
        """Yield what there is to tell once all references are expanded."""
        for name in sorted(self._used & self._literals.keys()):
            for inner in dict.fromkeys(syntax.names(self._literals[name])):
                message = f"the value of `{name}` is literal: `$({inner})` in it is inserted as text, not as a reference"
                yield from _result(config, message, LITERAL_REFERENCE)
        unused = [variable.name for variable in config.variables if variable.name in self._texts.keys() - self._used]
        if unused:
            names = ", ".join(f"`{name}`" for name in unused)
            yield from _result(config, f"declared, but nowhere referred to: {names}", UNUSED_VARIABLE)


def resolve(config: Config, items: Sequence[Resource]) -> tuple[Variables, list[Result]]:
    """Return the variables of a functionConfig and what was found on the way, errors of their sources included."""
    resolver = _Resolver(config, items)
    for source in config.variables_from:
        resolver.add_all(source)
    for variable in (*config.kustomize_vars, *config.variables):
        resolver.add(variable)
    return resolver.variables, resolver.results


class _Resolver:
    """Adds the variables in their order: a later one of the same name wins (decision 12)."""

    def __init__(self, config: Config, items: Sequence[Resource]) -> None:
        self.variables = Variables()
        self.results: list[Result] = []
        self._config = config
        self._sources = Sources(items)
        self._names = [variable.name for variable in config.variables]

    def add_all(self, source: VariablesFrom) -> None:
        """Add a variable for each key of a ConfigMap."""
        try:
            texts = self._sources.data(source)
        except SourceError as error:
            self._tell_source(error, source.path, optional=source.optional)
            return
        for key, text in texts.items():
            name = source.prefix + key
            if name in self.variables:
                self._tell(f"`{name}` replaces that of an earlier entry", SHADOWED, source.path)
            self.variables.add_literal(name, text)

    def add(self, variable: Variable) -> None:
        """Add one variable, its text read from its source if it has one."""
        if variable.source is not None:
            try:
                self.variables.add_literal(variable.name, self._sources.text(variable.source))
            except SourceError as error:
                self._tell_source(error, variable.path, optional=variable.source.optional)
        elif variable.text is not None and variable.literal:
            self.variables.add_literal(variable.name, variable.text)
        elif variable.text is not None:
            self._add_reference_text(variable, variable.text)

    def _add_reference_text(self, variable: Variable, text: str) -> None:
        """Add a variable whose text may refer to those above it; every other reference in it stays live."""
        below = self._names[self._names.index(variable.name) :]
        for name in syntax.names(text):
            if name in below and name not in self.variables:
                where = "itself" if name == variable.name else "a variable further down"
                self._tell(f"`$({name})` refers to {where}: it stays a reference", FORWARD_REFERENCE, variable.path)
        self.variables.add(variable.name, syntax.commute(text, self.variables.get))

    def _tell_source(self, error: SourceError, path: str | None, *, optional: bool) -> None:
        if isinstance(error, NotFinalError):
            self._tell(str(error), NAME_NOT_FINAL, path)
        elif not (optional and isinstance(error, AbsentError)):
            self.results.append(Result(str(error), ERROR, "InvalidSource", ref=self._config.ref, field=path))

    def _tell(self, message: str, reason: str, path: str | None) -> None:
        self.results += _result(self._config, message, reason, path)


def _result(config: Config, message: str, reason: str, path: str | None = None) -> list[Result]:
    """Return a finding about the functionConfig; none where it asked not to hear of it."""
    grade = severity(reason, config.unresolved)
    return [] if grade is None else [Result(message, grade, reason, ref=config.ref, field=path)]
