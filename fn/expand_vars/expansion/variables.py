"""The variables that a functionConfig declares, with the texts that they have (decisions 12 to 15).

All texts are EnvVar text: what the kubelet, expanding it, turns into the value. A literal value has its `$` doubled.
One that was read from a Secret, or built from one that was, is secret (decision 25).
"""

from __future__ import annotations

from expand_vars.expansion import syntax
from expand_vars.expansion.findings import (
    FORWARD_REFERENCE,
    LITERAL_REFERENCE,
    NAME_NOT_FINAL,
    SHADOWED,
    UNUSED_VARIABLE,
    severity,
)
from expand_vars.expansion.sources import AbsentError, NotFinalError, SourceError, Sources, is_secret
from krm.results import ERROR, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from expand_vars.functionconfig.model import Config, Variable, VariablesFrom
    from krm.resource import Resource


_LONGEST_CHAIN = 10


class Variables:
    """The texts of the variables that have one, and which of them were used.

    A reference in a text is live: it is read where the text is inserted, by whoever has the name there.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._secrets: set[str] = set()
        self._withheld: frozenset[str] = frozenset()
        self._used: set[str] = set()
        self._used_by_any = self._used
        self._mentioned: set[str] = set()

    def __contains__(self, name: str) -> bool:
        """Say whether a variable has a text."""
        return name in self._texts

    @property
    def names(self) -> Collection[str]:
        """The names of the variables that have a text."""
        return self._texts.keys()

    def use(self, name: str) -> str:
        """Return the text of a variable, and remember that it was used."""
        self._used.add(name)
        self._used_by_any.add(name)
        return self._texts[name]

    def text(self, name: str) -> str:
        """Return the text of a variable that is not inserted."""
        return self._texts[name]

    def is_secret(self, name: str) -> bool:
        """Say whether the text of a variable is secret. One with a live reference to a secret one is not."""
        return name in self._secrets

    def is_withheld(self, name: str) -> bool:
        """Say whether a variable has a secret value, which no one has given today: what it was used in stays."""
        return name in self._withheld

    def mention(self, name: str) -> None:
        """Remember that something refers to a name, which may be that of a variable."""
        self._mentioned.add(name)

    def get(self, name: str) -> str | None:
        """Return the text of a variable that another one refers to, None where it has none."""
        return self.use(name) if name in self._texts else None

    def may_be_in(self, text: str) -> bool:
        """Say whether YAML text may refer to a variable that has a text: an escape can hide anything."""
        return "\\" in text or any(f"$({name})" in text for name in self._texts)

    def has_other(self, name: str, value: str) -> bool:
        """Say whether a variable has another value, which is literal."""
        return self._literals.get(name, value) != value

    @property
    def used(self) -> frozenset[str]:
        """The names of the variables that were used."""
        return frozenset(self._used)

    def seen_by(self, kept: dict[str, str | None]) -> Variables:
        """Return these variables as one object sees them, which keeps the texts of some. Its uses are uses of these.

        A kept text that is None was secret: the object does not have it, and must not be given another.
        """
        seen = Variables()
        seen._texts, seen._secrets = self._texts, self._secrets
        seen._mentioned, seen._used_by_any = self._mentioned, self._used_by_any
        if kept:
            texts = self._texts | kept
            seen._texts = {name: text for name, text in texts.items() if text is not None}
            seen._secrets = self._secrets - kept.keys()
            seen._withheld = frozenset(texts.keys() - seen._texts.keys())
            seen.settle()
        return seen

    def withheld_in(self, text: str) -> set[str]:
        """Return the withheld variables that a text refers to, by way of others too."""
        found, names = set(), {*syntax.names(text)}
        while names:
            found |= names
            names = {inner for name in names & self._texts.keys() for inner in syntax.names(self._texts[name])} - found
        return found & self._withheld

    def add(self, name: str, text: str, *, is_secret: bool = False) -> None:
        """Add a variable by its EnvVar text."""
        self._add(name, syntax.closed(text), is_secret=is_secret)
        self._literals.pop(name, None)

    def add_literal(self, name: str, value: str, *, is_secret: bool = False) -> None:
        """Add a variable by its value, in which nothing is a reference."""
        self._add(name, syntax.doubled(value), is_secret=is_secret)
        self._literals[name] = value

    def _add(self, name: str, text: str, *, is_secret: bool) -> None:
        self._texts[name] = text
        self._secrets.discard(name)
        if is_secret:
            self._secrets.add(name)

    def settle(self) -> None:
        """Take their texts from the variables that lead back to themselves: each run would insert one more turn of it.

        A chain of live references longer than `_LONGEST_CHAIN` is taken for a circle too.
        """
        live = {name: self._texts.keys() & syntax.names(text) for name, text in self._texts.items()}
        settled: set[str] = set()
        for _ in range(_LONGEST_CHAIN):
            before = settled
            settled = {name for name, inner in live.items() if inner <= before}
            if settled == before:
                break
        self._texts = {name: text for name, text in self._texts.items() if name in settled}

    def results(self, config: Config) -> Iterator[Result]:
        """Yield what there is to tell once all references are expanded."""
        for name in sorted(self._used & self._literals.keys()):
            inner = dict.fromkeys(syntax.names(self._literals[name]))
            if inner:
                held = "`$(`" if name in self._secrets else _listed(f"$({one})" for one in inner)
                message = f"the value of `{name}` is literal: {held} in it is inserted as text, not as a reference"
                yield from _result(config, message, LITERAL_REFERENCE)
        unused = self._texts.keys() - self._used - self._mentioned
        named = [one.name for one in (*config.kustomize_vars, *config.variables) if one.name in unused]
        if named:
            message = f"declared, but nothing that may be changed refers to it: {_listed(dict.fromkeys(named))}"
            yield from _result(config, message, UNUSED_VARIABLE)


def resolve(config: Config, items: Sequence[Resource]) -> tuple[Variables, list[Result]]:
    """Return the variables of a functionConfig and what was found on the way, errors of their sources included."""
    resolver = _Resolver(config, items)
    for source in config.variables_from:
        resolver.add_all(source)
    for variable in (*config.kustomize_vars, *config.variables):
        resolver.add(variable)
    resolver.variables.settle()
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
        """Add a variable for each key of a ConfigMap or Secret."""
        try:
            texts = self._sources.data(source)
        except SourceError as error:
            self._tell_source(error, source.path, optional=source.optional)
            return
        for key, text in texts.items():
            name = source.prefix + key
            if self.variables.has_other(name, text):
                self._tell(f"`{name}` replaces that of an earlier entry", SHADOWED, source.path)
            self.variables.add_literal(name, text, is_secret=is_secret(source))

    def add(self, variable: Variable) -> None:
        """Add one variable, its text read from its source if it has one."""
        if variable.source is not None:
            try:
                text = self._sources.text(variable.source)
            except SourceError as error:
                self._tell_source(error, variable.path, optional=variable.source.optional)
                return
            self.variables.add_literal(variable.name, text, is_secret=is_secret(variable.source))
        elif variable.literal:
            self.variables.add_literal(variable.name, variable.text or "")
        else:
            self._add_reference_text(variable, variable.text or "")

    def _add_reference_text(self, variable: Variable, text: str) -> None:
        """Add a variable whose text may refer to those above it; every other reference in it stays live."""
        is_secret = any(map(self.variables.is_secret, syntax.names(text)))
        try:
            text = syntax.commute(text, self.variables.get)
        except syntax.TooLongError as error:
            message = f"`{variable.name}` is too long: {error}"
            self.results.append(Result(message, ERROR, "TooLong", ref=self._config.ref, field=variable.path))
            return
        below = self._names[self._names.index(variable.name) :]
        for name in dict.fromkeys(syntax.names(text)):
            if name == variable.name:
                message = f"`{name}` leads back to itself: every `$({name})` stays a reference"
                self._tell(message, FORWARD_REFERENCE, variable.path)
            elif name in below and name not in self.variables:
                message = (
                    f"`{name}` is declared further down: `$({name})` stays a reference in the text of `{variable.name}`"
                )
                self._tell(message, FORWARD_REFERENCE, variable.path)
        self.variables.add(variable.name, text, is_secret=is_secret)

    def _tell_source(self, error: SourceError, path: str | None, *, optional: bool) -> None:
        if isinstance(error, NotFinalError):
            self._tell(str(error), NAME_NOT_FINAL, path)
        elif not (optional and isinstance(error, AbsentError)):
            self.results.append(Result(str(error), ERROR, "InvalidSource", ref=self._config.ref, field=path))

    def _tell(self, message: str, reason: str, path: str | None) -> None:
        self.results += _result(self._config, message, reason, path)


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _result(config: Config, message: str, reason: str, path: str | None = None) -> list[Result]:
    """Return a finding about the functionConfig; none where it asked not to hear of it."""
    grade = severity(reason, config.unresolved)
    return [] if grade is None else [Result(message, grade, reason, ref=config.ref, field=path)]
