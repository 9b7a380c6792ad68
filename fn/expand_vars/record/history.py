"""History of the values that earlier runs gave: those that a run keeps or changes, once for each variable."""

from __future__ import annotations

from krm.generation import DOMAIN, GENERATED_BY
from krm.results import INFO, WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from expand_vars.record.entries import Given
    from krm.generation.packages import Packages
    from krm.resource import Resource
    from krm.results import ResourceRef

KEPT_LAST_VALUE = "KeptLastValue"
VALUE_CHANGED = "ValueChanged"
VALUE_NOT_TAKEN = "ValueNotTaken"

_GENERATED_BY = f"{DOMAIN}/{GENERATED_BY}"


class _Change:
    """The items in which a variable has another value than before, and the values that it had there."""

    def __init__(self, now: str | None) -> None:
        self.now = now
        self.before: dict[str, None] = {}
        self.items: list[Resource] = []


class History:
    """The variables that keep a recorded value, and those that get another, while the items are expanded."""

    def __init__(self, ref: ResourceRef | None, function_config: Resource | None, items: Sequence[Resource]) -> None:
        self._ref = ref
        self._function_config = function_config
        self._items = items
        self._packages: Packages | None = None
        self._home: str | None = None
        self._kept: dict[str, list[Resource]] = {}
        self._kept_options: dict[str, list[Resource]] = {}
        self._changed: dict[str, _Change] = {}
        self._refused: dict[tuple[int, str], Result] = {}

    def keep(self, name: str, item: Resource) -> None:
        """Note that an item keeps the recorded value of a variable, which this run does not declare."""
        self._kept.setdefault(name, []).append(item)

    def keep_option(self, name: str, item: Resource) -> None:
        """Note that an item keeps an option of an earlier run, which this run does not give."""
        self._kept_options.setdefault(name, []).append(item)

    def change(self, name: str, item: Resource, before: Given, now: Given) -> None:
        """Note the value of a variable that this run declares, where it is another than the recorded one."""
        if (before.text, before.digest) != (now.text, now.digest):
            change = self._changed.setdefault(name, _Change(now.text))
            change.items.append(item)
            if before.text is not None:
                change.before[before.text] = None

    def refuse(self, name: str, item: Resource, kept: str, declared: str) -> None:
        """Note that an item, which another functionConfig generates, keeps the value that it has from there."""
        # What its own functionConfig no longer generates keeps its values: that is told as KeptChanged.
        giver = item.annotations.get(_GENERATED_BY, "").partition(" ")[0]
        is_namesake = giver == self._owner()
        if kept != declared and not (is_namesake and self._is_at_home(item)):
            # A subpackage that is a copy of this package brings a functionConfig of the same name.
            where = f"the {giver} of its own package" if is_namesake else giver
            message = f"`{name}` is `{kept}` here, and not `{declared}`: {where} generates this, so change it there"
            self._refused.setdefault((id(item), name), item.result(message, WARNING, VALUE_NOT_TAKEN))

    def results(self) -> Iterator[Result]:
        """Yield what became of the recorded values."""
        for name, items in sorted(self._kept.items()):
            message = f"this run does not declare `{name}`: what it was expanded to before stays in {_count(items)}"
            yield Result(message, INFO, KEPT_LAST_VALUE, ref=self._ref)
        for name, items in sorted(self._kept_options.items()):
            message = f"this run does not give `{name}`: what an earlier run gave stays in {_count(items)}"
            yield Result(message, INFO, KEPT_LAST_VALUE, ref=self._ref)
        yield from self._refused.values()
        if self._changed:
            yield from self._changes()

    @property
    def packages(self) -> Packages:
        """The packages of the items."""
        if self._packages is None:
            from krm.generation.packages import Packages  # noqa: PLC0415 - most runs change no value

            self._packages = Packages(self._items)
        return self._packages

    @property
    def home(self) -> str:
        """The package of this run's functionConfig."""
        if self._home is None:
            self._home = self.packages.of_config(self._function_config, self._items)
        return self._home

    def _owner(self) -> str:
        """Return the name by which this run's functionConfig owns what it generates."""
        from krm.generation.packages import owner_text  # noqa: PLC0415 - as above

        return "" if self._ref is None else owner_text(self._ref)

    def _is_at_home(self, item: Resource) -> bool:
        return self.packages.of(item) == self.home

    def _changes(self) -> Iterator[Result]:
        """Yield the values that this run changes in the items of other packages than the functionConfig's own."""
        # In the own package a value changes because somebody changed it there: nobody has to be told.
        for name, change in sorted(self._changed.items()):
            items = [item for item in change.items if not self._is_at_home(item)]
            if items:
                yield self._changed_result(name, change, items)

    def _changed_result(self, name: str, change: _Change, items: list[Resource]) -> Result:
        message = f"`{name}` has another value than an earlier run gave it in {_count(items)}"
        if change.now is not None and change.before:
            before = ", ".join(f"`{text}`" for text in change.before)
            message = f"`{name}` is `{change.now}` now in {_count(items)}, where an earlier run made it {before}"
        declaring = _declaring(name, self._items, {self.packages.of(item) for item in items}, self.packages)
        if declaring:
            message += f": the package has it from {declaring}, and this run comes later"
        result = Result(message, WARNING if declaring else INFO, VALUE_CHANGED, ref=self._ref)
        result.file = items[0].file
        return result


def _declaring(name: str, items: Iterable[Resource], of: set[str], packages: Packages) -> str:
    """Return the functionConfig among the items that declares a variable for one of these packages, empty for none."""
    for item in items:
        is_config = item.may_contain("ExpandVars") and item.kind == "ExpandVars" and packages.of(item) in of
        if is_config and any(declared == name for declared, _ in declarations(item)):
            return f"{item.kind}/{item.name}"
    return ""


def declarations(function_config: Resource) -> Iterator[tuple[str, Any]]:
    """Yield the variables that an ExpandVars among the items declares, right or not, with the value of each."""
    spec = function_config.get("spec")
    lists = (spec.get(key) for key in ("kustomizeVars", "variables")) if isinstance(spec, dict) else ()
    for entry in (entry for entries in lists if isinstance(entries, list) for entry in entries):
        if isinstance(entry, dict):
            yield str(entry.get("name")), entry.get("value")


def _count(items: Sequence[Resource]) -> str:
    return "1 resource" if len(items) == 1 else f"{len(items)} resources"
