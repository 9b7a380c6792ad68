"""What was said and had no effect: variables that nothing uses, selectors and pod templates that match nothing.

docs/results.md, "Strict runs".
"""

from __future__ import annotations

import re

from expand_vars.expansion import left_alone
from expand_vars.expansion.findings import (
    NEAR_NAME,
    NO_EFFECT,
    REFUSED_VALUE,
    SHADOWED,
    UNTARGETED_REFERENCE,
    UNUSED_ARGUMENT,
    UNUSED_VARIABLE,
    severity,
)
from expand_vars.expansion.run import holds
from expand_vars.functionconfig import GROUP, mistakes
from krm import fieldpath
from krm.resource import FUNCTION_INPUT, IDS, PACKAGE, Resource
from krm.results import Result, notice
from krm.textslice import holding
from krm.vocabulary import is_misspelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from expand_vars.expansion.run import Run
    from krm.selector import Selector

# As texts: most runs have no name that nothing uses and no annotation of ours, and compile neither.
_REFERENCE = r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)"
_ANNOTATION = rf"{re.escape(GROUP)}/([\w.-]+)[\"']?:"


def results(run: Run) -> Iterator[Result]:
    """Yield the results of a run that has expanded its items."""
    config = run.config
    # Without an item nothing could have an effect, and whoever reads files says so itself.
    if not all(holds(item, _is_ours) for item in run.items):
        yield from _of_variables(run)
        yield from _of_shadowed(run)
        yield from _of_generators(run)
        yield from _of_config_map(run)
        yield from _of_annotations(run)
        yield from _of_selectors(run, "selectors", config.selectors)
        yield from _of_selectors(run, "exclude", config.exclude)
        yield from _of_pod_templates(run)


def _is_ours(item: Resource) -> bool:
    """True if an item is a functionConfig or a state: nothing in it is ever changed."""
    # The text is searched first, as parsing costs more than all else. An escape in it may hide the group.
    return item.may_contain(f"{GROUP}/v") and item.group == GROUP


def _of_variables(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that nothing uses, and the other variables that nothing uses in one info.

    Where the name of a variable is written otherwise, that is a warning, too.
    """
    from expand_vars.expansion.misspelt import Search  # noqa: PLC0415 - a run without variables searches for none

    config, quiet, are_arguments, told = run.config, [], _are_arguments(run), []
    unused = run.variables.unused(config)
    search = Search(run, unused)
    near = _Near(run) if unused else None
    for name in unused:
        is_argument = are_arguments or (name in config.arguments and not config.is_part)
        # A variable that is declared may well be a script's.
        first = one if (one := search.first(name)) is not None and (is_argument or one.is_told) else None
        hint = first.message if first is not None else near.hint(name) if near else ""
        given = f"`{name}` is {'given' if is_argument else 'declared'}, and nothing that may be changed refers to it"
        if not (is_argument or hint):
            quiet.append(f"`{name}`")
        elif first is None:
            message = f"{given}: {hint or 'mend the name, or leave it out'}"
            reason, ref = (UNUSED_ARGUMENT, None) if is_argument else (NEAR_NAME, config.ref)
            yield notice(message, reason, ref=ref)
        else:
            told.append(first)
            reason = UNUSED_ARGUMENT if is_argument else first.reason
            yield first.item.notice(f"{given}: {hint}", reason, *first.place)
    if quiet:
        listed = ", ".join(quiet)
        message = f"declared, but nothing that may be changed refers to it: {listed}; mend the name, or remove it"
        yield notice(message, UNUSED_VARIABLE, ref=config.ref)
    yield from search.results(told)


def _of_shadowed(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that wins nowhere, since all that refer to it declare the name themselves."""
    given = set() if run.config.is_part else {*run.config.arguments}
    shadowed = (one for one in run.findings.found() if one.reason == SHADOWED and not run.variables.is_used(one.name))
    first = {one.name: one for one in reversed([*shadowed]) if one.name in given}
    for name, one in sorted(first.items()):
        message = f"`{name}` is given, and the container's own `{name}` wins wherever something refers to it"
        remedy = "set it there, or leave the argument out"
        yield one.resource.notice(f"{message}: {remedy}", UNUSED_ARGUMENT, *one.places)


def _of_generators(run: Run) -> Iterator[Result]:
    """Yield what is told of the files that the generators of kustomizations name."""
    grade = severity(UNTARGETED_REFERENCE, run.config.unresolved)
    if run.kustomize is not None and run.variables.names and grade is not None:
        yield from run.kustomize.left(run.variables.names, grade)


def _of_config_map(run: Run) -> Iterator[Result]:
    for name in run.config.no_texts:
        message = f"the value of `{name}` is no text, which the API refuses in a ConfigMap: write it in quotes"
        path = fieldpath.to_text(("data", name))
        yield notice(message, REFUSED_VALUE, ref=run.config.ref, field=path)


def _of_annotations(run: Run) -> Iterator[Result]:
    """Yield a warning for each annotation of our group that says nothing."""
    texts = {id(item.whole): item.whole for item in run.items}.values()
    keys = {key for text in texts for key in re.findall(_ANNOTATION, text)}
    for key in sorted(keys.difference(left_alone.ANNOTATIONS)):
        annotation = f"{GROUP}/{key}"

        def has_it(item: Resource, annotation: str = annotation) -> bool:
            # A ConfigMap may be the functionConfig of another run, with options.
            return (item.group, item.kind) != ("", "ConfigMap") and item.annotation(annotation) is not None

        for item in holding(run.items, annotation):
            if holds(item, has_it):
                message = mistakes.unknown(key, left_alone.ANNOTATIONS)
                yield item.notice(message, NO_EFFECT, ("metadata", "annotations", annotation))


def _are_arguments(run: Run) -> bool:
    """True if all variables are arguments of `kpt fn eval`, of which kpt makes a ConfigMap."""
    # `kpt fn render` makes one of the `configMap` of a Kptfile, and notes the package of each item.
    if run.config.ref is None or run.config.ref.name != FUNCTION_INPUT:
        return False
    is_of_kpt, is_render = (any(item.spells(key) for item in holding(run.items, key)) for key in (IDS[0], PACKAGE))
    return is_of_kpt and not is_render


class _Near:
    """The names that are referred to and declared by nobody: one of them may be meant by a name that nothing uses."""

    def __init__(self, run: Run) -> None:
        referred = {name for item in holding(run.items, "$(") for name in re.findall(_REFERENCE, item.source)}
        self._near: dict[str, list[str]] = {}
        for name in sorted(referred - {*run.variables.names}):
            for form in _forms(name):
                self._near.setdefault(form, []).append(name)

    def hint(self, name: str) -> str:
        """Return what may have been meant by a name, empty where nothing is like it."""
        like = {other for form in _forms(name) for other in self._near.get(form, ())}
        near = next((one for one in sorted(like) if is_misspelt(name, one)), None)
        return f"did you mean `{near}`?" if near else ""


def _forms(name: str) -> set[str]:
    """Return a name, and what is left of it without one letter: of two that are one letter off these meet."""
    name = name.casefold()
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}


def _of_selectors(run: Run, key: str, selectors: Sequence[Selector]) -> Iterator[Result]:
    templates = [Resource(one.text, (0, len(one.text)), one.path) for one in run.config.templates or () if selectors]
    for index, selector in enumerate(selectors):
        if not (_any(run, selector.matches) or any(map(selector.matches, templates))):
            path = f"spec.{key}[{index}]" if len(selectors) > 1 else f"spec.{key}"
            message = "this selector matches no item, so it has no effect: mend it, or remove it"
            yield notice(message, NO_EFFECT, ref=run.config.ref, field=path)


def _of_pod_templates(run: Run) -> Iterator[Result]:
    for (group, kind), paths in run.config.pod_templates.items():

        def is_there(item: Resource, group: str = group, kind: str = kind) -> bool:
            return (item.group, item.kind) == (group, kind) and any(map(item.find, run.pod_specs.paths_of(item)))

        if not _any(run, is_there):
            of_group = f"of group `{group}`" if group else "of the core group"
            where = "this path" if len(paths) == 1 else "any of these paths"
            message = f"no `{kind}` {of_group} has a pod template at {where}"
            remedy = "mend `group`, `kind` or `fieldPath`, or remove the entry"
            yield notice(f"{message}: {remedy}", NO_EFFECT, ref=run.config.ref, field="spec.podTemplates")


def _any(run: Run, asked: Callable[[Resource], bool]) -> bool:
    return any(holds(item, asked) for item in run.items)
