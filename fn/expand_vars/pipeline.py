"""The function itself, its steps in order (docs/architecture.md, "Architecture")."""

from __future__ import annotations

from expand_vars.expansion import cluster, items, variables
from expand_vars.expansion.findings import Findings
from expand_vars.expansion.items import Expansion
from expand_vars.expansion.syntax import TooLongError
from expand_vars.functionconfig import GROUP, decoding
from expand_vars.record import fields as records
from expand_vars.record.fields import Memory
from krm import resourcelist, results
from krm.generation import LAST_GENERATED
from krm.results import ERROR, FnError
from krm.selector import any_matches
from krm.yamltree.nodes import Mapping

SKIP = f"{GROUP}/skip"
"""The annotation of an item that is not to be touched."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from expand_vars.expansion.explaining import Explanation, Reference
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from krm.resource import Resource
    from krm.resourcelist import Output, ResourceList
    from krm.results import Result


def run(text: str, function_config: Resource | None = None, arguments: Iterable[tuple[str, str]] = ()) -> Output:
    """Run the function on a text and return what it becomes.

    `function_config` stands in for that of the list; `arguments` are variables that win over all others. ParseError
    where the text is not YAML; everything else that is wrong is among the results.
    """
    resource_list = resourcelist.read(text)
    try:
        function_config = function_config or resource_list.function_config
        config = decoding.with_arguments(decoding.decode(function_config), arguments)
        expand(resource_list, config, function_config)
    except FnError as error:
        resource_list.results += error.results
    return resource_list.emit()


def explain(
    listed: Sequence[Resource], function_config: Resource | None, arguments: Iterable[tuple[str, str]]
) -> tuple[list[Reference], list[Result]]:
    """Return what a run over these items makes of each reference, and what it has to tell beside that.

    The items are expanded on the way. FnError where something is wrong with the functionConfig.
    """
    from expand_vars.expansion.explaining import Explanation  # noqa: PLC0415 - the filter does without it

    config = decoding.with_arguments(decoding.decode(function_config), arguments)
    explanation = Explanation(config)
    memories = _put_back(listed, config)
    declared, told = variables.resolve(config, listed)
    if not results.failed(told):
        told += _expanded(listed, config, declared, memories, explanation, explanation)
    return explanation.references(), told


def expand(resource_list: ResourceList, config: Config, function_config: Resource | None) -> None:
    """Generate what the templates make, expand the items, and add what there is to tell to the results of a list."""
    findings = Findings(config.unresolved)
    memories = _put_back(resource_list.items, config)
    declared, told = variables.resolve(config, resource_list.items)
    generates = config.templates is not None or config.merge.duplicates == "Later"
    if generates and not results.failed(told):
        told += _generated(resource_list, function_config, config, declared, findings)
        memories = _put_back(resource_list.items, config)
    if not results.failed(told):
        told += _expanded(resource_list.items, config, declared, memories, findings)
    resource_list.results += told


def _generated(
    resource_list: ResourceList,
    function_config: Resource | None,
    config: Config,
    declared: Variables,
    findings: Findings,
) -> list[Result]:
    """Generate the templates of a functionConfig into a list, and return what there is to tell.

    Without the key `templates` nothing is pruned (decision 35).
    """
    from expand_vars import templates  # noqa: PLC0415 - most functionConfigs have no templates
    from krm.generation import generating  # noqa: PLC0415 - most functionConfigs have no templates
    from krm.generation.model import KEEP, Settings  # noqa: PLC0415 - as above

    def is_selected(item: Resource) -> bool:
        return _is_selected(item, config)

    prune = KEEP if config.templates is None else config.prune
    settings = Settings(function_config, merge=config.merge, prune=prune, is_selected=is_selected)
    return generating.generate(resource_list, templates.expand(config, declared, findings), settings)


def _expanded(  # noqa: PLR0913 - all that a run has
    listed: Sequence[Resource],
    config: Config,
    declared: Variables,
    memories: dict[int, Memory],
    findings: Findings,
    explanation: Explanation | None = None,
) -> list[Result]:
    """Expand items, and return what there is to tell."""
    told: list[Result] = []
    is_recorded = _recorded(listed, config)
    expansion = Expansion(config, declared, listed, findings, is_recorded=is_recorded, explanation=explanation)
    for item in _to_expand(listed, memories, config):
        memory = memories.get(id(item))
        try:
            if memory is not None or _is_chosen(item, config):
                expansion.expand(item, memory or Memory())
        except FnError as error:
            told += error.results
        except TooLongError as error:
            told.append(item.result(f"a field is too long: {error}", ERROR, "TooLong"))
        item.release()
    return [*told, *findings.results(), *expansion.told, *expansion.targets.errors(), *declared.results(config)]


def _put_back(listed: Iterable[Resource], config: Config) -> dict[int, Memory]:
    """Let the items show the templates that they remember, and return what each of those that have a record does."""
    memories: dict[int, Memory] = {}
    for item in listed:
        if records.has_record(item) and _is_chosen(item, config):
            item.show({})
            memories[id(item)] = memory = records.read(item)
            items.put_back(item, memory)
    return memories


def _to_expand(listed: Iterable[Resource], memories: dict[int, Memory], config: Config) -> list[Resource]:
    """Return the items that may hold something to expand; those first that containers read, as they will leave."""
    mark = _mark(config)
    found = [item for item in listed if id(item) in memories or item.may_contain(mark)]
    if config.targets or config.kustomize_vars or memories:
        return sorted(found, key=_is_no_source)
    return found


def _is_no_source(item: Resource) -> bool:
    try:
        return not cluster.is_source(item)
    except FnError:  # told when it is its turn
        return True


def _recorded(listed: Iterable[Resource], config: Config) -> Callable[[Resource], bool]:
    """Return what says of an item whether it shall remember its references.

    All do where the next run will get what this one gives. One that remembers what it was generated as always does:
    the next merge has to tell what was expanded in it from what a user has changed.
    """
    if config.record == "Auto" and not records.is_in_place(listed):
        return lambda item: LAST_GENERATED in item.annotations
    return lambda _: config.record != "Never"


def _mark(config: Config) -> str:
    """Return what an item has to hold if there is anything to do with it: most need not be parsed."""
    if any(target.required for target in config.targets):
        return ""
    return "$(" if config.escapes == "Keep" else "$"


def _is_chosen(item: Resource, config: Config) -> bool:
    """Say whether expansion may touch an item (decisions 19 and 20)."""
    if not isinstance(item.root, Mapping) or item.kind == "Kptfile" or item.group == GROUP:
        return False
    return not item.is_local_config and not _is_config(item, config) and _is_selected(item, config)


def _is_selected(item: Resource, config: Config) -> bool:
    """Say whether anything may touch an item (decision 19)."""
    if item.annotations.get(SKIP) == "true":
        return False
    is_selected = not config.selectors or any_matches(config.selectors, item)
    return is_selected and not any_matches(config.exclude, item)


def _is_config(item: Resource, config: Config) -> bool:
    return config.ref is not None and config.ref.kind == item.kind and config.ref.as_data() == item.ref.as_data()
