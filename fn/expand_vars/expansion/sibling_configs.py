"""The other functionConfigs among the items: what they declare, and where their templates use it.

What a template makes in the final form has no record (docs/reference/generated-resources.md, "Whose an item is"): only
the template itself, in the functionConfig that has it, still says which variables are in there.
"""

from __future__ import annotations

from expand_vars.expansion import history
from expand_vars.functionconfig import untyped
from krm import syntax
from krm.generation import ownership
from krm.generation.settings import Tracking

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from krm.generation.packages import Packages
    from krm.resource import Resource
    from krm.results import ResourceRef

_TRACKING = Tracking()


def declaring(configs: Iterable[Resource], but: ResourceRef | None) -> dict[str, str]:
    """Return the first of these functionConfigs that declares each variable, but for the one with this reference."""
    found: dict[str, str] = {}
    for config in configs:
        if but is None or config.ref.as_data() != but.as_data():
            for name, _ in history.declarations(config):
                found.setdefault(name, ownership.owner_text(config))
    return found


def disagreeing(
    configs: Iterable[Resource],
    items: Sequence[Resource],
    packages: Packages,
    package: str | None,
    value: Callable[[str], str | None],
) -> Iterator[tuple[Resource, str, str]]:
    """Yield each item that one of these functionConfigs generates with another value than this run's.

    With it come the variable's name and the text that it has there. `value` returns the text that a name has in this
    run, None for one that has none or must not be shown. FunctionConfigs of `package`, this run's own, are left out.
    """
    given: dict[tuple[str, str, str], dict[str, str]] = {}
    # In one package each has its own values on purpose, in each render of it, such as one for each region.
    for config in (one for one in configs if packages.of(one) != package):
        owner, of = ownership.owner_text(config), packages.of(config)
        texts = {name: text for name, text in _declared(config).items() if value(name) not in (None, text)}
        for written, template in ownership.templates(config):
            names = sorted(texts.keys() & _names(template))
            given[owner, of, written] = {name: texts[name] for name in names}
    # Each item is asked once: a root may have as many subpackages with a functionConfig as items.
    for item in items if any(given.values()) else ():
        owner, generated_from = _TRACKING.names(item)
        texts = given.get((owner, packages.of(item), generated_from), {}) if owner else {}
        for name, text in texts.items():
            yield item, name, text


def _declared(config: Resource) -> dict[str, str]:
    """Return the variables that a functionConfig declares with a text of their own, and these texts."""
    # Its own run tells what is wrong in it. What refers to another variable, or is read from elsewhere, is not known.
    values = history.declarations(config)
    texts = {name: untyped.written(value) for name, value in values if isinstance(value, str | int)}
    return {name: text for name, text in texts.items() if "$" not in text}


def _names(template: Any) -> set[str]:  # noqa: ANN401 - what YAML holds
    """Return the names that a template refers to, but for those that an `env` of it declares."""
    if isinstance(template, str):
        return set(syntax.names(template))
    if isinstance(template, list):
        return {name for one in template for name in _names(one)}
    if not isinstance(template, dict):
        return set()
    found = {name for key, one in template.items() for name in _names(key) | _names(one)}
    # Of a custom resource, `env` may be anything.
    env = template.get("env")
    declared = [one.get("name") for one in env if isinstance(one, dict)] if isinstance(env, list) else []
    return {name for name in found if name not in declared}
