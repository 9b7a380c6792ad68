"""A functionConfig that is a ConfigMap: every key of its data is a variable, options are annotations (decision 13).

It is checked without a schema: importing jsonschema takes longer than the whole of a small run.
"""

from __future__ import annotations

from expand_vars.functionconfig import ESCAPES, GROUP, INLINE, INLINE_UNLESS_SAID, RECORD, UNRESOLVED, mistakes, values
from expand_vars.functionconfig.mistakes import not_allowed, quoted
from expand_vars.functionconfig.model import Config, Variable, variable_name
from krm import fieldpath
from krm.fieldpath import WILDCARD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from expand_vars.functionconfig.mistakes import Mistake
    from expand_vars.functionconfig.values import Data
    from krm.resource import Resource

_OPTIONS = {"unresolved": UNRESOLVED, "escapes": ESCAPES, "inline": INLINE, "record": RECORD}
_OF_ITEMS = ("skip", "references")
_KEYS = ("apiVersion", "kind", "metadata", "data", "binaryData", "immutable")


def decode(resource: Resource) -> Config:
    """Return what a ConfigMap says. FnError tells all that is wrong with it."""
    data: Any = values.data(resource.root)
    options = dict(_options(resource.annotations))
    mistakes.refuse(resource, [*_mistakes(data), *_option_mistakes(options)])
    return Config(
        resource.ref,
        variables=tuple(
            Variable(str(place[1]), text=values.text(node), literal=True, path=fieldpath.to_text(place))
            for place, node in resource.find(("data", WILDCARD))
        ),
        inline=frozenset(options.get("inline", INLINE_UNLESS_SAID)),
        unresolved=options.get("unresolved", ["Warn"])[0],
        escapes=options.get("escapes", ["Keep"])[0],
        record=options.get("record", ["Auto"])[0],
    )


def _options(annotations: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield every option that is set by an annotation, with its words: one, but for `inline`."""
    for key, text in annotations.items():
        prefix, _, option = key.rpartition("/")
        if prefix == GROUP and option == "inline":
            yield option, [word.strip() for word in text.split(",") if word.strip()]
        elif prefix == GROUP and option not in _OF_ITEMS:
            yield option, [text]


def _option_mistakes(options: dict[str, list[str]]) -> Iterator[Mistake]:
    for option, words in options.items():
        place = "metadata", "annotations", f"{GROUP}/{option}"
        if option not in _OPTIONS:
            yield place, mistakes.unknown(option, _OPTIONS)
            continue
        allowed = _OPTIONS[option]
        yield from ((place, not_allowed(word, quoted(allowed))) for word in words if word not in allowed)


def _mistakes(config_map: dict[str, Any]) -> Iterator[Mistake]:
    unknown = [key for key in config_map if key not in _KEYS]
    yield from (((key,), mistakes.unknown(key, _KEYS)) for key in unknown)
    texts = config_map.get("data")
    if isinstance(texts, dict):
        for name, text in texts.items():
            yield from ((("data", name), message) for message in _variable_mistakes(name, text))
    elif texts is not None:
        yield ("data",), not_allowed(texts, mistakes.A_MAPPING)


def _variable_mistakes(name: str, value: Data) -> Iterator[str]:
    """Yield what is wrong with a key of a ConfigMap's data and with its value."""
    try:
        variable_name(name)
    except ValueError as error:
        yield str(error)
    if isinstance(value, dict | list | None):
        yield not_allowed(value, "a string")
