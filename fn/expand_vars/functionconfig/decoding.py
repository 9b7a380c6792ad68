"""The decoder of a functionConfig: a `Config` from an ExpandVars, a ConfigMap or nothing, or every mistake in it.

In a ConfigMap each key of `data` is a variable, and annotations set options (docs/reference/functionconfig.md,
"functionConfig"). It is checked without a JSON Schema: importing jsonschema takes longer than the whole of a small run.
"""

from __future__ import annotations

from expand_vars.functionconfig import API_VERSION, GROUP, KIND, mistakes, untyped
from expand_vars.functionconfig.config import FIELDS, Config
from expand_vars.functionconfig.fields import ListOf
from expand_vars.functionconfig.mistakes import A_MAPPING, REASON, not_allowed, quoted
from expand_vars.functionconfig.model import Variable
from expand_vars.functionconfig.parts import TARGET, variable_name
from krm import fieldpath
from krm.fieldpath import WILDCARD
from krm.results import ERROR, FnError, Result
from krm.yamltree import scalars
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from expand_vars.functionconfig.untyped import Data
    from krm.resource import Resource

_OPTIONS = {key: field.kind for key, field in FIELDS.items() if field.in_annotation}
# Annotations of the same group that any item may carry, this ConfigMap too: they are no options.
_OF_ITEMS = ("skip", "references")
_KEYS = ("apiVersion", "kind", "metadata", "data", "binaryData", "immutable")


def decode(resource: Resource | None) -> Config:
    """Return the Config of a functionConfig, that of defaults for None. FnError names every mistake."""
    if resource is None:
        return Config()
    if (resource.api_version, resource.kind) == ("v1", "ConfigMap"):
        return _config_map(resource)
    if (resource.api_version, resource.kind) == (API_VERSION, KIND):
        from expand_vars.functionconfig import expandvars  # noqa: PLC0415 - a ConfigMap does without its schema

        return expandvars.decode(resource)
    message = f"a functionConfig is `ConfigMap` of `v1` or `{KIND}` of `{API_VERSION}`, found {_described(resource)}"
    raise FnError(resource.result(message, ERROR, REASON, ("kind",)))


def with_arguments(config: Config, arguments: Iterable[tuple[str, str]]) -> Config:
    """Return `config` with arguments as literal variables that win over all others. FnError for a bad name."""
    given = {name: Variable(name, text=text, literal=True, path=None) for name, text in arguments}
    try:
        for name in given:
            variable_name(name)
    except ValueError as error:
        raise FnError(Result(str(error), ERROR, "InvalidArgument")) from None
    changed = config.with_variables(given)
    changed.arguments = frozenset(given)
    return changed


def with_command_line(config: Config, presets: Iterable[str], *, strict: bool) -> Config:
    """Return `config` with the fields of further presets as targets, and strict if it is to be."""
    added = tuple(TARGET.of_words([preset], "--target") for preset in presets)
    # Without variables it is a plain copy.
    changed = config.with_variables({})
    changed.targets = (*config.targets, *added)
    changed.strict = config.strict or strict
    return changed


def _described(resource: Resource) -> str:
    if resource.root is None:
        return "nothing: there is no text"
    of_version = f"of `{resource.api_version}`" if resource.api_version else "without an `apiVersion`"
    return f"`{resource.kind}` {of_version}" if resource.kind else "no `kind`"


def _config_map(resource: Resource) -> Config:
    """Return the Config of a ConfigMap. FnError names every mistake."""
    data: Any = untyped.read(resource.root)
    options: dict[str, Any] = dict(_options(resource.annotations))
    mistakes.refuse(resource, [*_mistakes(data), *_option_mistakes(options)])
    config, values = Config(resource.ref), dict(resource.find(("data", WILDCARD)))
    config.variables = tuple(
        # Literal, as a ConfigMap has no other field to say that a `$` means something.
        Variable(str(place[1]), text=text_at(node), literal=True, path=fieldpath.to_text(place))
        for place, node in values.items()
    )
    # kpt writes `on` without quotes: all readers that matter to it take that for a text.
    config.no_texts = tuple(str(place[1]) for place, node in values.items() if not isinstance(scalars.data(node), str))
    for option, words in options.items():
        path = f"metadata.annotations['{GROUP}/{option}']"
        config.state(option, _OPTIONS[option].of_words(words, path))
    return config


def _options(annotations: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield every option that an annotation sets, with its words: several where the option takes a list."""
    for key, text in annotations.items():
        prefix, _, option = key.rpartition("/")
        if prefix == GROUP and isinstance(_OPTIONS.get(option), ListOf):
            yield option, [word.strip() for word in text.split(",") if word.strip()]
        # Any other key of the group is an option, so that a mistyped one is an error, and no silence.
        elif prefix == GROUP and option not in _OF_ITEMS:
            yield option, [text]


def _option_mistakes(options: dict[str, list[str]]) -> Iterator[Mistake]:
    for option, words in options.items():
        place = "metadata", "annotations", f"{GROUP}/{option}"
        if option not in _OPTIONS:
            yield place, mistakes.unknown(option, _OPTIONS)
            continue
        allowed = [*map(str, _OPTIONS[option].words)]
        yield from ((place, not_allowed(word, quoted(allowed))) for word in words if word not in allowed)


def _mistakes(config_map: dict[str, Any]) -> Iterator[Mistake]:
    unknown = [key for key in config_map if key not in _KEYS]
    yield from (((key,), mistakes.unknown(key, _KEYS)) for key in unknown)
    texts = config_map.get("data")
    if isinstance(texts, dict):
        for name, text in texts.items():
            yield from ((("data", name), message) for message in _variable_mistakes(name, text))
    elif texts is not None:
        yield ("data",), not_allowed(texts, A_MAPPING)


def _variable_mistakes(name: str, value: Data) -> Iterator[str]:
    """Yield the mistakes in a key of `data` and in its value."""
    try:
        variable_name(name)
    except ValueError as error:
        yield str(error)
    if isinstance(value, dict | list | None):
        yield not_allowed(value, "a string")
