"""What a run makes of the values that earlier runs gave, once for each variable."""

from __future__ import annotations

from krm.results import INFO, WARNING, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from expand_vars.record.entries import Given
    from krm.generation.packages import Packages
    from krm.resource import Resource
    from krm.results import ResourceRef

KEPT_LAST_VALUE = "KeptLastValue"
VALUE_CHANGED = "ValueChanged"


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
        self._kept: dict[str, list[Resource]] = {}
        self._changed: dict[str, _Change] = {}

    def keep(self, name: str, item: Resource) -> None:
        """Note that an item keeps the recorded value of a variable, which this run does not declare."""
        self._kept.setdefault(name, []).append(item)

    def change(self, name: str, item: Resource, before: Given, now: Given) -> None:
        """Note the value of a variable that this run declares, where it is another than the recorded one."""
        if (before.text, before.digest) != (now.text, now.digest):
            change = self._changed.setdefault(name, _Change(now.text))
            change.items.append(item)
            if before.text is not None:
                change.before[before.text] = None

    def results(self) -> Iterator[Result]:
        """Yield what became of the recorded values."""
        for name, items in sorted(self._kept.items()):
            message = f"this run does not declare `{name}`: what it was expanded to before stays in {_count(items)}"
            yield Result(message, INFO, KEPT_LAST_VALUE, ref=self._ref)
        if self._changed:
            yield from self._changes()

    def _changes(self) -> Iterator[Result]:
        """Yield the values that this run changes in the items of other packages than the functionConfig's own."""
        from krm.generation.packages import Packages  # noqa: PLC0415 - most runs change no value

        packages = Packages(self._items)
        own = packages.of_config(self._function_config, self._items)
        for name, change in sorted(self._changed.items()):
            items = [item for item in change.items if packages.of(item) != own]
            if items:
                yield self._changed_result(name, change, items, packages)

    def _changed_result(self, name: str, change: _Change, items: list[Resource], packages: Packages) -> Result:
        message = f"`{name}` has another value than an earlier run gave it in {_count(items)}"
        if change.now is not None and change.before:
            before = ", ".join(f"`{text}`" for text in change.before)
            message = f"`{name}` is `{change.now}` now in {_count(items)}, where an earlier run made it {before}"
        declaring = _declaring(name, self._items, {packages.of(item) for item in items}, packages)
        if declaring:
            message += f": the package has it from {declaring}, and this run comes later"
        result = Result(message, WARNING if declaring else INFO, VALUE_CHANGED, ref=self._ref)
        result.file = items[0].file
        return result


def _declaring(name: str, items: Iterable[Resource], of: set[str], packages: Packages) -> str:
    """Return the functionConfig among the items that declares a variable for one of these packages, empty for none."""
    for item in items:
        if item.may_contain("ExpandVars") and item.kind == "ExpandVars" and packages.of(item) in of:
            spec = item.get("spec")
            lists = (spec.get(key) for key in ("variables", "kustomizeVars")) if isinstance(spec, dict) else ()
            entries = (entry for entries in lists if isinstance(entries, list) for entry in entries)
            if any(isinstance(entry, dict) and entry.get("name") == name for entry in entries):
                return f"{item.kind}/{item.name}"
    return ""


def _count(items: Sequence[Resource]) -> str:
    return "1 resource" if len(items) == 1 else f"{len(items)} resources"
