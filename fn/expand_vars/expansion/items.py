"""Expand one item after the other, each from the templates that it remembers, and let it remember what was done."""

from __future__ import annotations

from expand_vars.expansion import findings, syntax
from expand_vars.expansion.cluster import Cluster
from expand_vars.expansion.references import References
from expand_vars.expansion.targets import Targets
from expand_vars.expansion.values import DOWNWARD, RESOURCES, SECRETS
from expand_vars.record import KEY
from expand_vars.record import fields as records
from expand_vars.record.entries import Given, Template
from krm.results import INFO, WARNING
from krm.workloads import PodSpecs
from krm.yamltree import edits
from krm.yamltree.nodes import Scalar, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import TypeAlias

    from expand_vars.expansion.explaining import Explanation
    from expand_vars.expansion.findings import Findings
    from expand_vars.expansion.targets import Fields
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from expand_vars.record.fields import Memory
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.edits import Edit

    Changes: TypeAlias = dict[Place, list[Edit]]


def put_back(item: Resource, memory: Memory) -> None:
    """Show the templates that an item remembers in the place of what was rendered of them: its text stays."""
    item.show(_shown_of(memory))


class Expansion:
    """What the items of a run are expanded with; `is_recorded` says which of them shall remember it."""

    def __init__(  # noqa: PLR0913 - all that a run has
        self,
        config: Config,
        variables: Variables,
        items: Sequence[Resource],
        found: Findings,
        *,
        is_recorded: Callable[[Resource], bool],
        explanation: Explanation | None = None,
    ) -> None:
        cluster = Cluster(items, reads_secrets=SECRETS in config.inline)
        self._pod_specs = PodSpecs(config.pod_templates)
        self._references = References(config, cluster, found, explanation)
        self.targets = Targets(config, variables, self._pod_specs, found)
        self.told: list[Result] = []
        self._variables = variables
        self._is_recorded = is_recorded
        self._reads_pods = not config.inline.isdisjoint((DOWNWARD, RESOURCES))
        self._explanation = explanation
        ref = config.ref
        self._giver = "" if ref is None else "/".join(filter(None, (ref.kind, ref.namespace, ref.name)))

    def expand(self, item: Resource, memory: Memory) -> None:
        """Expand the fields of an item that shows the templates of its memory, and write its record."""
        kept = {name: given for name, given in memory.values.items() if self._keeps(name, given)}
        seen = self._variables.seen_by({name: given.text for name, given in kept.items()})
        fields = self.targets.expand(item, seen)
        if fields.changes and self._reads_pods:
            _show_targets(item, memory, fields)
        if self._explanation is not None:
            self._explanation.remember(item, kept)
        pod_spec = self._pod_specs.path_of(item)
        changes, secret = ({}, set()) if pod_spec is None else self._references.expand(item, pod_spec, seen)
        if self._explanation is not None:
            self._explanation.meet_targets(fields)
        withheld = _withheld(item, memory, seen)
        carried = {place for place in withheld if withheld[place] or not self._is_expanded(item, place, fields)}
        expanded = _Expanded(item, memory, carried, changes | fields.changes, fields)
        values = {name: kept.get(name) or self._given(name, seen) for name in seen.used}
        secret |= fields.secrets | memory.secrets
        record = expanded.record(values, secret) if self._is_recorded(item) else ""
        expanded.write()
        records.write(item, record)
        self.told += _told(item, memory, sorted((seen.used & kept.keys()).union(*withheld.values())))
        self.targets.tell_untargeted(item, fields)

    def _is_expanded(self, item: Resource, place: Place, fields: Fields) -> bool:
        """Say whether this functionConfig expands a field: any other is left to the one that does."""
        return place in fields.places or self._pod_specs.is_expanded(item, place)

    def _given(self, name: str, seen: Variables) -> Given:
        """Return what is to be remembered of a variable: of a secret one not its text."""
        return Given(None if seen.is_secret(name) else seen.text(name), self._giver)

    def _keeps(self, name: str, given: Given) -> bool:
        """Say whether a variable keeps the value that an item remembers: who gave it has not given another."""
        return name not in self._variables or given.giver != self._giver


class _Expanded:
    """What came of the fields of one item, which shows the templates of its memory until then.

    `carried` are those that stay as they are, with their templates: they are left to another functionConfig, or to a
    run that has the secret which they need.
    """

    def __init__(
        self, item: Resource, memory: Memory, carried: Collection[Place], changes: Changes, fields: Fields
    ) -> None:
        self._item = item
        self._memory = memory
        self._carried = carried
        self._changes = changes
        self._fields = fields
        item.show({})

    def record(self, values: dict[str, Given], secret: Collection[Place]) -> str:
        """Return what the item is to remember: all fields that are no longer what their templates are."""
        new = {place: self._template(place) for place in self._changes}
        templates = new | self._memory.templates
        texts = {place: self._text(place, template) for place, template in templates.items()}
        self._item.show({place: _shown(text) for place, text in texts.items()})
        record = records.text(
            self._item,
            {place: template for place, template in templates.items() if texts[place] != template.text},
            self._memory.values | values if self._carried else values,
            secret,
        )
        self._item.show({})
        return record

    def write(self) -> None:
        """Make the fields say what they are to say, with the smallest changes."""
        found = self._memory.templates.items()
        made = self._changes | {
            place: edits.difference(_value(self._item, place), self._text(place, one)) for place, one in found
        }
        made = {place: of_place for place, of_place in made.items() if of_place and place not in self._fields.retyped}
        if made:
            self._item.rewrite(made)
        for place, value in self._fields.retyped.items():
            self._item.set(place, value)

    def _template(self, place: Place) -> Template:
        """Return the template of a field that had none: what it says."""
        return Template(_value(self._item, place), is_open=place in self._fields.open)

    def _text(self, place: Place, template: Template) -> str:
        """Return what a field is to say."""
        if place in self._carried:
            return _value(self._item, place)
        return edits.apply(template.text, self._changes.get(place, ()))


def _withheld(item: Resource, memory: Memory, seen: Variables) -> dict[Place, set[str]]:
    """Return the withheld variables that each remembered field needs, by way of its container's `env` too."""
    needed = {place: seen.withheld_in(template.text) for place, template in memory.templates.items()}
    for entry in sorted(place for place in needed if place[-3:-2] == ("env",)):
        name = item.get((*entry[:-1], "name"))
        for place, template in memory.templates.items():
            if needed[entry] and place[: len(entry) - 3] == entry[:-3] and name in syntax.names(template.text):
                needed[place] |= needed[entry]
    return needed


def _told(item: Resource, memory: Memory, kept: list[str]) -> Iterator[Result]:
    """Yield what there is to tell about what an item remembers."""
    if memory.damaged:
        lines = ", ".join(map(str, memory.damaged))
        message = f"the annotation `{KEY}` is damaged: of its lines these say nothing and are ignored: {lines}"
        yield item.result(message, WARNING, findings.DAMAGED_RECORD)
    if memory.lost:
        message = (
            "this is gone, or no longer what its references were expanded to: it stays as it is, and they are forgotten"
        )
        result = item.result(message, INFO, findings.EDITED_BY_HAND)
        result.field = ", ".join(memory.lost)
        yield result
    for name in kept:
        giver = memory.values[name].giver or "the command line"
        if memory.values[name].text is None:
            message = f"`{name}` is secret, and {giver}, which alone can give it a value, has not: what holds it stays"
        else:
            message = f"`{name}` keeps the value that {giver} gave it, which alone can give it another"
        yield item.result(message, INFO, findings.KEPT_LAST_VALUE)


def _show_targets(item: Resource, memory: Memory, fields: Fields) -> None:
    """Let the containers of an item read its targets as they will leave: a label of the pod template, say."""
    texts = {place: edits.apply(_value(item, place), made) for place, made in fields.changes.items()}
    leaving = {place: _shown(text, is_open=place in fields.open) for place, text in texts.items()}
    item.show(_shown_of(memory) | leaving)


def _shown_of(memory: Memory) -> dict[Place, Scalar]:
    return {place: _shown(one.text, is_open=one.is_open) for place, one in memory.templates.items()}


def _value(item: Resource, place: Place) -> str:
    return next((scalar.value for _, node in item.find(place) if isinstance(scalar := resolved(node), Scalar)), "")


def _shown(text: str, *, is_open: bool = False) -> Scalar:
    """Return a scalar to be shown: one whose type is not open is a string."""
    return Scalar(0, 0, text, "" if is_open else '"', None, None)
