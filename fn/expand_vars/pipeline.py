"""The function itself: its steps in order (docs/reference/architecture.md, "Flow")."""

from __future__ import annotations

from functools import partial

from expand_vars.expansion import cluster, left_alone, variables, without_effect
from expand_vars.expansion.findings import NO_EFFECT, STRICT, TYPE_CHANGED, UNUSED_FUNCTION_CONFIG
from expand_vars.expansion.history import disagreeing
from expand_vars.expansion.item import Expansion
from expand_vars.expansion.kustomize import Kustomize
from expand_vars.expansion.run import Run, function_configs
from expand_vars.functionconfig import GROUP, KIND, decoding
from krm import resourcelist, results
from krm.fieldpath import parse
from krm.resource import GENERATED_MARK, STATE, Resource, are_in_place
from krm.results import BROKEN_MANIFEST, CONFLICT, ERROR, WARNING, FnError, notice
from krm.template_comments import reading
from krm.template_comments.memory import Memory, RunMemories
from krm.textslice import holding
from krm.yamltree.nodes import Scalar, placed

_NO_RESOURCE = (
    "there is no resource, so nothing is expanded: each has an `apiVersion` and a `kind`, and kustomize gives them to "
    "`transformers`, not to `generators`"
)
_UNUSED = (
    "ExpandVars `{}` is among the items, but it is not the functionConfig of this run, which declares no variables: "
    "name it with `--fn-config FILE`, with `configPath` in a Kptfile, or with `transformers` in a kustomization"
)
_OURS = f"{GROUP}/"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from expand_vars.expansion.explanation import Explanation
    from expand_vars.expansion.kustomize import RunItems
    from expand_vars.functionconfig.config import Config
    from expand_vars.functionconfig.model import RecordWord
    from krm.generation.generating import Generation
    from krm.results import Output, Result


def run(
    text: str,
    function_config: Resource | None = None,
    arguments: Iterable[tuple[str, str]] = (),
    settle: Callable[[Config], Config] = lambda config: config,
) -> Output:
    """Run the function on a text, and return the new text with its results.

    `function_config` replaces that of the list, or the only ExpandVars among plain documents. `arguments` are variables
    that win over all others. `settle` adds the options of the caller to a Config. ParseError if the text is not YAML.
    All other mistakes are among the results.
    """
    resource_list = resourcelist.read(text)
    try:
        function_config = function_config or resource_list.function_config
        # Plain documents have no other place for it. Of several ExpandVars nobody can tell which is meant.
        found = [] if function_config or resource_list.kind else [*function_configs(resource_list.items)]
        lone = found[0] if len(found) == 1 else None
        config = decoding.with_arguments(decoding.decode(function_config or lone), arguments)
        if are_in_place(resource_list.items, config.resource):
            config = config.in_place()
        expand(resource_list, settle(config))
        # The configuration of this run is no manifest: `kubectl apply` behind the pipe knows no such kind.
        if lone is not None:
            resource_list.remove(lone)
    except FnError as error:
        resource_list.results += error.results
    resource_list.sort_results()
    return resource_list.emit()


def _without_items(read: RunItems, context: Run) -> list[Result]:
    """Return a warning about variables without any item."""
    config = context.config
    has_work = _generates(config) or config.is_part or results.failed(read.results)
    # A document without keys is no resource. A broken manifest counts as one.
    has_work = has_work or any(item.may_contain(":") for item in read.items)
    has_work = has_work or any(one.reason == BROKEN_MANIFEST for one in read.results)
    # Not every package uses an env file.
    is_said = any(one.path is not None or one.name in config.arguments for one in config.variables)
    if has_work or not is_said or context.kustomize.has_files:
        return []
    return [notice(_NO_RESOURCE, NO_EFFECT, ref=config.ref)]


def expand(
    resource_list: RunItems,
    config: Config,
    over: Callable[[list[Resource]], Iterable[Resource]] = iter,
    *,
    takes_files: bool = False,
    explanation: Explanation | None = None,
) -> list[Resource]:
    """Generate the templates' resources, expand the items, and add the results to those of the list.

    `over` yields the items that it gets, and may count them. A run that `takes_files` returns what the generators of
    kustomizations make of files, expanded, where `All` is a target. One with an `explanation` generates nothing.
    """
    decoding.refuse_secrets_for_nobody(config)
    context = _started(resource_list, config, explanation)
    context.results += _without_items(resource_list, context)
    generation = None
    if explanation is None and _generates(config) and not results.failed(context.results):
        generation = _generate(resource_list, context)
    elif explanation is None and config.is_in_place:
        context.results += _orphans(resource_list, context)
    made = context.kustomize.make(config) if takes_files else []
    untakable: list[Result] = []
    if explanation is not None and config.templates:
        from expand_vars import templates  # noqa: PLC0415 - most functionConfigs have no templates

        untakable = templates.untakable(context)
    if explanation is None or not results.failed(context.results):
        _expand_items(context, over)
    context.results += untakable
    # The state comes last, as it remembers what was written.
    if generation is not None and not results.failed(context.results):
        context.results += generation.write()
    resource_list.results += context.results
    tighten(resource_list.results, config)
    _rename(resource_list.results, context.items)
    _locate(resource_list.results, context)
    return made


def _rename(found: Iterable[Result], items: Iterable[Resource]) -> None:
    """Give each result the final name of its object: many are made before the name is expanded."""
    stale = [one for one in found if one.ref is not None and "$(" in str(one.ref)]
    changed = (one for one in items if one.is_changed) if stale else ()
    names = {(one.file, one.index, str(one.written.ref)): one.ref for one in changed}
    for result in stale:
        result.ref = names.get((result.file, result.index, str(result.ref)), result.ref)


def _orphans(resource_list: RunItems, context: Run) -> Iterator[Result]:
    """Yield the results about resources that nobody generates any more, in a run that generates nothing."""
    function_config = context.config.resource
    # Outside of the package there may be further functionConfigs.
    is_generated = any(item.may_contain(STATE) or item.may_contain(GENERATED_MARK) for item in context.ours)
    if is_generated and (function_config is None or function_config.file):
        from krm.generation.generating import Generation  # noqa: PLC0415 - most packages have nothing generated
        from krm.generation.settings import Settings  # noqa: PLC0415 - as above

        yield from Generation(resource_list, Settings(function_config)).orphans()


def _generates(config: Config) -> bool:
    return config.templates is not None or (config.merge is not None and config.merge.duplicates == "Later")


def _locate(found: Iterable[Result], context: Run) -> None:
    """Give the results about the functionConfig, and about new items of its templates, its file and the line there."""
    function_config = context.config.resource
    for result in found:
        spot_of, place = results.location(result)
        if function_config is None or result.file is not None or spot_of is not None:
            continue
        if result.ref is context.config.ref:
            path = parse(result.field) if result.field else ()
            whole = function_config.result("", result.severity, "", *(place for place, _ in function_config.find(path)))
            results.locate(result, *results.location(whole))
        # In a ResourceList nothing has lines, and an item of that name may be somebody else's.
        elif (name := str(result.ref)) in context.templates and (spot_of := function_config.document.spot_of):
            above = *function_config.place_in_document, "spec", "templates", context.templates.index(name)
            result.further = tuple((path, (*above, *there)) for path, there in result.further)
            results.locate(result, spot_of, (*above, *place))
        else:
            continue
        result.file, result.index = function_config.file, function_config.index


def _started(package: RunItems, config: Config, explanation: Explanation | None) -> Run:
    """Return the context of a run over the items of a package, with the variables read from them."""
    listed = package.items
    # Templates come first: a variable may be read from a field that an earlier run expanded.
    marked = [*reading.marked(listed)]
    # A variable may be read from a field that shows its template; all other items wait until it has its value.
    sources, others = variables.sources_among(config, marked)
    memories = _show(sources, config)
    declared, found = variables.resolve(config, listed, memories)
    context = Run(config, declared, Kustomize(package), explanation)
    if others and explanation is None and not _generates(config):
        from expand_vars.expansion.current import Current  # noqa: PLC0415 - most runs find no comment

        context.current = Current(config, declared)
        others = [item for item in others if not context.current.take(item, None if item.is_changed else item.source)]
    _take(context, listed, memories | _show(others, config))
    context.results += found
    is_configured = config.ref is not None and config.ref.kind == KIND
    if not (is_configured or config.declared or config.variables_from):
        # Somebody may take one of these for the functionConfig of the run.
        unused = (item for item in function_configs(listed) if not left_alone.is_run_config(item, config))
        context.results += (one.notice(_UNUSED.format(one.name), UNUSED_FUNCTION_CONFIG) for one in unused)
    return context


def _generate(resource_list: RunItems, context: Run) -> Generation:
    """Generate the templates' resources into a list."""
    from expand_vars import templates  # noqa: PLC0415 - most functionConfigs have no templates

    function_config, generation = context.config.resource, _generation(resource_list, context)
    try:
        updates = templates.expand(context)
        context.templates = [str(one.resource.ref) for one in updates]
        context.results += generation.add(updates)
    except FnError as error:
        _locate(error.results, context)
        raise
    if not results.failed(context.results):
        context.results += generation.finish()
    for result in context.results:
        if result.reason == CONFLICT:
            result.message += "; `onConflict` in `merge`, or for this field alone in `merge.fields`, decides who wins"
    memories = _show(resource_list.items, context.config, generation.items)
    _take(context, resource_list.items, memories)
    for item in generation.items.values():
        memory = memories.get(id(item), Memory())
        followed = generation.find_followed(item)
        item.secrets |= {place for place, (template, *_) in followed.items() if template.is_secret}
        has_lines = function_config is not None and function_config.document.spot_of is not None
        is_named = bool(followed) and has_lines and str(item.ref) in context.templates
        for place, (template, shown, source) in followed.items():
            if is_named and shown.value == template.node.value:
                context.findings.templates[item, place] = template.place
            memory.follow(item, place, shown, source, is_expanded=context.pod_specs.is_expanded(item, place))
            memory.followed[place] = place not in item.secrets and template.has_all(shown)
        if memory.followed:
            memories[id(item)] = memory
            item.show(memory.substitutes)
    context.generated = generation.items
    return generation


def _generation(resource_list: RunItems, context: Run) -> Generation:
    """Return the generation of a functionConfig. Without the key `templates` nothing is pruned."""
    from expand_vars.expansion.current import Current  # noqa: PLC0415 - most functionConfigs have no templates
    from krm.generation.generating import Generation  # noqa: PLC0415 - as above
    from krm.generation.settings import KEEP, Settings  # noqa: PLC0415 - as above

    config = context.config
    context.current = Current(config, context.variables)
    settings = Settings(
        config.resource,
        merge=config.merge,
        prune=KEEP if config.templates is None else config.prune,
        is_selected=lambda item: not left_alone.why_unselected(item, config),
        is_secret=context.variables.is_secret,
        rendered=lambda resource: _rendered(resource, context),
        current=context.current,
        pod_specs=context.pod_specs,
        is_in_place=config.is_in_place,
    )
    return Generation(resource_list, settings)


def _rendered(resource: Resource, context: Run) -> Resource:
    """Return what is generated with its references expanded, as if nothing were merged into it."""
    alone = Resource.alone(resource.source, resource.label)
    run = Run(context.config, context.variables, context.kustomize)
    run.take([*context.items, alone], {})
    memory = Memory()
    for place, node in placed(alone.root, ()):
        if isinstance(node, Scalar) and "$" in node.value:
            memory.follow(alone, place, node, alone.source, is_expanded=run.pod_specs.is_expanded(alone, place))
    Expansion(run, lambda _: "Never").expand(alone, memory)
    return alone


def _expand_items(context: Run, over: Callable[[list[Resource]], Iterable[Resource]]) -> None:
    """Expand the items of a run, and add all results. After an error of the variables only errors are certain."""
    before, is_failed = [*context.results], results.failed(context.results)
    made = context.kustomize.file_objects
    are_made = {*map(id, made)}
    expansion = Expansion(context, lambda item: "Never" if id(item) in are_made else _record(item, context.config))
    for item in over([*_to_expand(context), *made]):
        memory = context.memories.get(id(item))
        try:
            if context.current is not None and item in context.current:
                context.current.note(item, context.history)
            elif memory is not None or not (
                left_alone.is_anothers(item, context.generated) or left_alone.why(item, context.config)
            ):
                expansion.expand(item, memory or Memory())
        except FnError as error:
            context.results += error.results
        except MemoryError:
            raise
        # The name differs from those above, as a compiled name can hold only one type of error.
        except Exception as fault:  # noqa: BLE001 - the last net: a fault of ours names the item
            context.results.append(item.result(results.fault(fault), ERROR, results.FAULT))
        # Trees of thousands of items would not fit into memory. A tree that is needed again is parsed again.
        item.release()
    if is_failed:
        context.results = before + [one for one in context.results[len(before) :] if one.severity == ERROR]
        return
    for item in context.bare:
        expansion.targets.report_bare(item)
    _compare(context)
    context.results += context.findings.results()
    context.results += expansion.targets.results()
    # A run that fails writes nothing: no value changes, and no type.
    if results.failed(context.results):
        context.results = [one for one in context.results if one.reason != TYPE_CHANGED]
    else:
        context.results += context.history.results()
    context.results += context.variables.results(context.config)
    # This comes last: only now the unused variables are known. An item that could not be read may use them.
    if all(result.reason != "InvalidInput" for result in context.results):
        context.results += without_effect.results(context)


def tighten(found: Iterable[Result], config: Config) -> None:
    """Make errors of the warnings that fail a strict run, if the run is strict."""
    for result in found if config.strict else ():
        if result.severity == WARNING and result.reason in STRICT:
            result.severity = ERROR


def _compare(context: Run) -> None:
    """Note the items that other functionConfigs among the items generate with other values than this run's."""
    variables, history = context.variables, context.history
    listed = [*function_configs(context.ours)] if variables.names else []
    is_there = any(left_alone.is_run_config(one, context.config) for one in listed)
    if len(listed) > is_there:
        package = history.packages.of_config(context.config.resource, context.items) if is_there else None
        for item, name, kept in disagreeing(listed, context.ours, history.packages, package, variables.public_text):
            variables.mention(name)
            history.refuse(name, item, kept, variables.text(name))


def _show(listed: Iterable[Resource], config: Config, generated: Collection[int] = frozenset()) -> dict[int, Memory]:
    """Show the templates in the comments of the items that may change, and return these by the item's `id()`."""
    memories: dict[int, Memory] = {}
    # The text is searched first: nearly all items have no comment of ours, and need no tree.
    for item in reading.marked(listed):
        if not (left_alone.is_anothers(item, generated) or left_alone.why(item, config)):
            memory = Memory.of(item, partial(config.pod_templates.is_expanded, item))
            memories[id(item)] = memory
            item.show(memory.substitutes)
    return memories


def _take(context: Run, listed: Sequence[Resource], memories: dict[int, Memory]) -> None:
    """Give a run its items, after its values decide whether each field with a template follows it."""
    if memories:
        from krm.generation.packages import Packages  # noqa: PLC0415 - most runs find no comment

        RunMemories(listed, memories, Packages(listed).of).decide(context.variables)
    # Those with annotations of ours, and those of our own kinds. No other item is parsed for that.
    ours = [item for item in holding(listed, _OURS) if item.spells(_OURS)]
    context.take(listed, memories, ours)


def _to_expand(context: Run) -> list[Resource]:
    """Return the items that may have something to expand, first those that containers read."""
    # Every item has this text in which something may be expanded. Those without it are not parsed.
    mark = "$(" if context.config.escapes == "Keep" else "$"
    mark = "" if any(target.required for target in context.config.targets) else mark
    marked = {*map(id, holding(context.items, mark)), *context.memories}
    # What another functionConfig generates tells which values it has from there.
    marked |= {id(item) for item in context.ours if item.spells(reading.MARK)}
    # Containers see what they read as this run leaves it. Else a second run would know what the first one did not.
    current = context.current or ()
    found = [item for item in context.items if id(item) in marked or item in current]
    return sorted(found, key=cluster.may_be_source, reverse=True)


def _record(item: Resource, config: Config) -> RecordWord:
    """Return which comments an item gets: all that it needs if the next run reads this output, else those it has."""
    # No run reads this output again, so new comments have no use. But a generated item always gets them: the next merge
    # has to tell what was expanded in it from what a user changed.
    if config.record == "Auto" and not config.is_in_place and item.annotation(GENERATED_MARK) is None:
        return "Auto"
    return "Never" if config.record == "Never" else "Always"
