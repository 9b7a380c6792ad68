"""History: the earlier texts of names, those that a run keeps and those that it changes, once for each name.

A generated field in the final form has no comment (docs/reference/generated-resources.md, "Templates"). Only the
template, in a functionConfig among the items, has the variables of such a field.
"""

from __future__ import annotations

from functools import cached_property

from krm import secrets, syntax
from krm.declarations import written
from krm.resource import GENERATED_MARK
from krm.results import VALUE_CHANGED
from krm.vocabulary import counted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from krm.fieldpath import Place
    from krm.generation.packages import Packages
    from krm.resource import Resource
    from krm.results import ResourceRef, Result

KEPT_LAST_VALUE = "KeptLastValue"
VALUE_NOT_TAKEN = "ValueNotTaken"
VALUES_DIFFERED = "ValuesDiffered"


class History:
    """The names that keep the text that stands for them, and those that get another, while the items are expanded.

    `_changed` has the fields of a name and its present text, by their earlier text. `_hidden` are those pairs of which
    one field is secret.
    """

    def __init__(self, ref: ResourceRef | None, items: Sequence[Resource]) -> None:
        self._ref = ref
        self._items = items
        self._of_secrets: secrets.NamesOfSecrets | None = None
        self._kept: dict[str, list[tuple[Resource, Place]]] = {}
        self._changed: dict[tuple[str, str], dict[str, list[tuple[Resource, Place]]]] = {}
        self._hidden: set[tuple[str, str]] = set()
        self._refused: list[Result] = []

    def keep(self, name: str, item: Resource, place: Place) -> None:
        """Note that a field keeps its text for a name that has no value in this run."""
        self._kept.setdefault(name, []).append((item, place))

    def change(self, name: str, item: Resource, place: Place, before: str, now: str, *, is_secret: bool) -> None:  # noqa: PLR0913 - all that is told
        """Note the earlier and the present text of a name in a field."""
        # A container may have a value of its own.
        self._changed.setdefault((name, now), {}).setdefault(before, []).append((item, place))
        self._hidden.update([(name, now)] if is_secret else ())

    def refuse(self, name: str, item: Resource, kept: str, declared: str) -> None:
        """Note that an item keeps the value of the functionConfig that generates it."""
        from krm.generation.packages import owner_text  # noqa: PLC0415 - as below

        giver = item.annotations.get(GENERATED_MARK, "").partition(" ")[0]
        is_namesake = self._ref is not None and giver == owner_text(self._ref)
        # A subpackage that is a copy of this package brings a functionConfig of the same name.
        where = f"the {giver} of its own package" if is_namesake else giver
        message = f"`{name}` is `{kept}` here, and not `{declared}`: {where} generates this, so change it there"
        self._refused.append(item.notice(message, VALUE_NOT_TAKEN))

    def results(self) -> Iterator[Result]:
        """Yield the results about the earlier texts of the fields."""
        for name, fields in sorted(self._kept.items()):
            item, place = fields[0]
            stays = counted(len(fields), "field")
            message = f"this run has no value for `{name}`: what stands there for it stays in {stays}"
            yield item.notice(message, KEPT_LAST_VALUE, place)
        yield from self._refused
        for name, now in sorted(self._changed):
            yield from self._changes(name, now, self._changed[name, now])

    @cached_property
    def packages(self) -> Packages:
        """The packages of the items."""
        from krm.generation.packages import Packages  # noqa: PLC0415 - most runs change no value

        return Packages(self._items)

    def _changes(self, name: str, now: str, changed: dict[str, list[tuple[Resource, Place]]]) -> Iterator[Result]:
        """Yield the result about a variable with another value, and one for each field that differed from most."""
        others = {text: fields for text, fields in changed.items() if text != now}
        if not others:
            return
        if self._of_secrets is None:
            self._of_secrets = secrets.NamesOfSecrets(self._items)
        is_secret = (name, now) in self._hidden or name in self._of_secrets
        listed = ", ".join(f"`{text}`" for text in others)
        is_back = now == f"$({name})"
        became = "has another value" if is_secret and not is_back else f"is `{now}` now"
        became += "" if is_secret else f", and was {listed}"
        message = f"`{name}` {became}, in {counted(sum(map(len, others.values())), 'field')}"
        item, place = next(iter(others.values()))[0]
        yield item.notice(message, VALUE_CHANGED, place)
        of_package: dict[str, dict[str, list[tuple[Resource, Place]]]] = {}
        for text, fields in changed.items() if len(changed) > 1 else ():
            for field in fields:
                of_package.setdefault(self.packages.of(field[0]), {}).setdefault(text, []).append(field)
        for texts in of_package.values():
            most = max(texts, key=lambda text: len(texts[text]))
            for text in (text for text in texts if text not in (most, now)):
                shown = "another text" if is_secret else f"`{text}` here, and `{most}` in most fields"
                for item, place in texts[text]:
                    # A generated or restored field has no comment.
                    is_bare = item.annotation(GENERATED_MARK) is not None or is_back
                    outcome = "one reference stands for both now" if is_back else "it follows the variable"
                    remedy = "write the value here again" if is_bare else "delete the comment"
                    message = f"`{name}` was {shown}: {outcome}; {remedy} if it is to differ"
                    yield item.notice(message, VALUES_DIFFERED, place)


def declarations(function_config: Resource) -> Iterator[tuple[str, Any]]:
    """Yield the variables that an ExpandVars among the items declares, right or not, with the value of each."""
    spec = function_config.get("spec")
    lists = (spec.get(key) for key in ("kustomizeVars", "variables")) if isinstance(spec, dict) else ()
    for entry in (entry for entries in lists if isinstance(entries, list) for entry in entries):
        if isinstance(entry, dict):
            yield str(entry.get("name")), entry.get("value")


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
    from krm.generation import ownership  # noqa: PLC0415 - most packages have one functionConfig
    from krm.generation.packages import owner_text  # noqa: PLC0415 - as above
    from krm.generation.settings import Tracking  # noqa: PLC0415 - as above

    given: dict[tuple[str, str, str], dict[str, str]] = {}
    # In one package each has its own values on purpose, in each render of it, such as one for each region.
    for config in (one for one in configs if packages.of(one) != package):
        owner, of = owner_text(config), packages.of(config)
        # Its own run reports its mistakes. A value with a reference, or from another object, is unknown here.
        declared = {name: written(one) for name, one in declarations(config) if isinstance(one, str | int)}
        texts = {name: text for name, text in declared.items() if "$" not in text and value(name) not in (None, text)}
        for identity, template in ownership.templates(config):
            names = sorted(texts.keys() & _referred(template))
            given[owner, of, identity] = {name: texts[name] for name in names}
    tracking = Tracking()
    # Each item is asked once: a root may have as many subpackages with a functionConfig as items.
    for item in items if any(given.values()) else ():
        owner, template_name = tracking.mark(item)
        texts = given.get((owner, packages.of(item), template_name), {}) if owner else {}
        for name, text in texts.items():
            yield item, name, text


def _referred(template: Any) -> set[str]:  # noqa: ANN401 - what YAML holds
    """Return the names that a template refers to, but for those that an `env` of it declares."""
    if isinstance(template, str):
        return set(syntax.names(template))
    if isinstance(template, list):
        return {name for one in template for name in _referred(one)}
    if not isinstance(template, dict):
        return set()
    found = {name for key, one in template.items() for name in _referred(key) | _referred(one)}
    # Of a custom resource, `env` may be anything.
    env = template.get("env")
    declared = [one.get("name") for one in env if isinstance(one, dict)] if isinstance(env, list) else []
    return {name for name in found if name not in declared}
