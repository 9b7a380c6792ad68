"""The variables that a functionConfig declares, with their texts (docs/reference/expansion.md, "Variables").

All texts are EnvVar text: the kubelet expands it to the value. So a literal value has its `$` doubled. A text from a
Secret is secret, and so is a text that was built from it.
"""

from __future__ import annotations

from expand_vars.expansion import findings
from expand_vars.expansion.sources import AbsentError, NotFinalError, SourceError, SourceItems, Sources, is_secret
from krm import syntax
from krm.results import ERROR, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from expand_vars.functionconfig.config import Config
    from expand_vars.functionconfig.model import Source, Variable
    from krm.resource import Resource
    from krm.template_comments.memory import Memory


# People write shorter chains, and a circle of this length takes no time.
_LONGEST_CHAIN = 10


class Variables:
    """The texts of the variables, and which of them were used.

    A reference in a text is live: it is resolved where the text is inserted. The `circular` variables refer back to
    themselves, and have no text. The text of a `used` one was written into a field, or another variable refers to it.
    """

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._literals: dict[str, str] = {}
        self._secrets: set[str] = set()
        self.used: set[str] = set()
        self._mentioned: set[str] = set()
        self.circular: list[str] = []

    def __contains__(self, name: str) -> bool:
        """True if a variable has a text."""
        return name in self._texts

    @property
    def names(self) -> Collection[str]:
        """The names of the variables that have a text."""
        return self._texts.keys()

    def use(self, name: str) -> str:
        """Return the text of a variable, and note that it is used."""
        self.used.add(name)
        return self._texts[name]

    def text(self, name: str) -> str:
        """Return the text of a variable. This does not count as a use."""
        return self._texts[name]

    def public_text(self, name: str) -> str | None:
        """Return the text of a variable, None if it has none or is secret."""
        return None if name in self._secrets else self._texts.get(name)

    def is_secret(self, name: str) -> bool:
        """True if the text of a variable is secret. A live reference to a secret variable does not count."""
        return name in self._secrets

    def may_be_secret(self, name: str) -> bool:
        """True if the text of a variable is secret, or has a reference that may have been a secret in another run."""
        return name in self._secrets or "$(" in self._texts.get(name, "")

    def shows(self, name: str, text: str) -> bool:
        """True if a text is the value of a variable that is no secret: another text may be a container's own secret."""
        own = self._texts.get(name, "")
        return name in self and not self.may_be_secret(name) and text in (own, syntax.value(own))

    def mention(self, name: str) -> None:
        """Note that a field refers to a name, which may be that of a variable."""
        self._mentioned.add(name)

    def has_other(self, name: str, value: str) -> bool:
        """True if a variable has a literal value other than `value`."""
        return self._literals.get(name, value) != value

    def add(self, name: str, text: str, *, is_literal: bool, is_secret: bool) -> None:
        """Add a variable with a literal value, in which nothing is a reference, or with an EnvVar text."""
        # A `$` at the end of an EnvVar text and a `(` behind the insertion would become a reference.
        self._texts[name] = syntax.doubled(text) if is_literal else syntax.closed(text)
        # Another variable of this name may have been there, secret or literal.
        self._secrets.discard(name)
        self._secrets.update([name] if is_secret else ())
        self._literals.pop(name, None)
        if is_literal:
            self._literals[name] = text

    def settle(self) -> None:
        """Remove the variables that refer back to themselves: each run would insert one more turn of the circle.

        A chain of more than `_LONGEST_CHAIN` live references counts as a circle, too.
        """
        live = {name: self._texts.keys() & syntax.names(text) for name, text in self._texts.items()}
        resolved: set[str] = set()
        for _ in range(_LONGEST_CHAIN):
            before = resolved
            resolved = {name for name, inner in live.items() if inner <= before}
            if resolved == before:
                break
        self.circular = sorted(self._texts.keys() - resolved)
        self._texts = {name: text for name, text in self._texts.items() if name in resolved}

    def results(self, config: Config) -> Iterator[Result]:
        """Yield the results about variables after all references are expanded."""
        paths = {one.name: one.path for one in config.declared}
        # Only a variable that was inserted can mislead a reader.
        for name in sorted(self.used & self._literals.keys()):
            inner = dict.fromkeys(syntax.names(self._literals[name]))
            if inner:
                held = "`$(`" if name in self._secrets else ", ".join(f"`$({one})`" for one in inner)
                message = (
                    f"the value of `{name}` is literal: {held} in it is inserted as text, not as a reference; "
                    "references are live in the `value` of a variable"
                )
                yield from _result(config, message, findings.LITERAL_REFERENCE, paths.get(name))

    def unused(self, config: Config) -> list[str]:
        """Return the names that are declared one by one, and that nothing refers to."""
        # A name in a reference that stays is not misspelt.
        unused = self._texts.keys() - self.used - self._mentioned
        # A variable without a path is an argument, or from an env file.
        listed = (one.name for one in config.declared if one.path is not None or one.name in config.arguments)
        return [name for name in dict.fromkeys(listed) if name in unused]


def resolve(config: Config, items: Sequence[Resource], memories: dict[int, Memory]) -> tuple[Variables, list[Result]]:
    """Return the variables of a functionConfig, and the results about them, with the errors of their sources.

    `memories` has the templates in the comments of items.
    """
    resolver = _Resolver(config, items, memories)
    # A variable that is declared by name wins over a key of a whole ConfigMap (docs/reference/expansion.md,
    # "Variables").
    for source in config.variables_from:
        resolver.add_all(source)
    for variable in config.declared:
        resolver.add(variable)
    resolver.variables.settle()
    return resolver.variables, resolver.results


def sources_among(config: Config, items: Iterable[Resource]) -> tuple[list[Resource], list[Resource]]:
    """Return the items that may be the source of a variable, and the other items."""
    kinds = {source.kind for source, _ in config.sources}
    found: tuple[list[Resource], list[Resource]] = [], []
    for item in items:
        found[not any(map(item.may_contain, kinds))].append(item)
    return found


class _Resolver:
    """Adds the variables in the order of docs/reference/expansion.md, "Variables". A later one wins."""

    def __init__(self, config: Config, items: Sequence[Resource], memories: dict[int, Memory]) -> None:
        self.variables = Variables()
        self.results: list[Result] = []
        self._config = config
        by_name = SourceItems(items, {source.name for source, _ in config.sources})
        declared = {variable.name for variable in config.declared}
        self._sources = Sources(by_name, memories, declared, self.variables.public_text)
        self._below = {variable.name for variable in config.variables}

    def add_all(self, source: Source) -> None:
        """Add a variable for each key of a ConfigMap or Secret."""
        try:
            texts = self._sources.data(source)
        except SourceError as error:
            self._report_source(error, source.path, optional=source.optional)
            return
        for key, text in texts.items():
            name = source.prefix + key
            if self.variables.has_other(name, text):
                message = (
                    f"`{name}` replaces that of an earlier entry: give one of the two a `prefix` if both are meant"
                )
                self._report(message, findings.SHADOWED, source.path)
            self.variables.add(name, text, is_literal=True, is_secret=is_secret(source))

    def add(self, variable: Variable) -> None:
        """Add one variable. Its text comes from its source if it has one."""
        self._below.discard(variable.name)
        source, text = variable.source, variable.text or ""
        if source is not None:
            try:
                text = self._sources.text(source)
            except SourceError as error:
                self._report_source(error, variable.path, optional=source.optional)
                return
        if variable.literal:
            of_secret = source is not None and is_secret(source)
            self.variables.add(variable.name, text, is_literal=True, is_secret=of_secret)
        else:
            self._add_reference_text(variable, text)

    def _add_reference_text(self, variable: Variable, text: str) -> None:
        """Add a variable whose text may refer to variables above it. Every other reference in it stays live."""
        # This is found before the text is expanded, because then its names are gone.
        is_secret = any(map(self.variables.is_secret, syntax.names(text)))
        try:
            text = syntax.commute(text, lambda one: self.variables.use(one) if one in self.variables else None)
        except syntax.TooLongError as error:
            message = f"`{variable.name}` is too long: {error}"
            self.results.append(Result(message, ERROR, "TooLong", ref=self._config.ref, field=variable.path))
            return
        for name in dict.fromkeys(syntax.names(text)):
            if name == variable.name:
                message = (
                    f"`{name}` leads back to itself: `$({name})` in it stays, and means the container's own `{name}`"
                )
                self._report(message, findings.FORWARD_REFERENCE, variable.path)
            # As in `env`, a reference cannot use a variable that is further down in the list.
            elif name in self._below and name not in self.variables:
                message = (
                    f"`{name}` is declared further down: `$({name})` stays a reference in the text of "
                    f"`{variable.name}`; move `{name}` above it"
                )
                self._report(message, findings.FORWARD_REFERENCE, variable.path)
        self.variables.add(variable.name, text, is_literal=False, is_secret=is_secret)

    def _report_source(self, error: SourceError, path: str | None, *, optional: bool) -> None:
        # kustomize adds the hash after this run. The manifests are right before that, so the run must not fail.
        if isinstance(error, NotFinalError):
            self._report(str(error), findings.NAME_NOT_FINAL, path)
        elif not (optional and isinstance(error, AbsentError)):
            self.results.append(Result(str(error), ERROR, "InvalidSource", ref=self._config.ref, field=path))

    def _report(self, message: str, reason: str, path: str | None) -> None:
        self.results += _result(self._config, message, reason, path)


def _result(config: Config, message: str, reason: str, path: str | None = None) -> list[Result]:
    """Return a result about the functionConfig, none if its `unresolved` ignores the reason."""
    grade = findings.severity(reason, config.unresolved)
    return [] if grade is None else [Result(message, grade, reason, ref=config.ref, field=path)]
