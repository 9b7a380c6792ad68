"""What was said and had no effect: variables that nothing uses, selectors and pod templates that match nothing.

docs/results.md, "Strict runs".
"""

from __future__ import annotations

import re

from expand_vars.expansion.findings import NEAR_NAME, NO_EFFECT, UNUSED_ARGUMENT, UNUSED_VARIABLE
from expand_vars.expansion.run import holds
from expand_vars.functionconfig import GROUP
from expand_vars.references.comments import MARK
from krm.resource import FUNCTION_INPUT, IDS, PACKAGE
from krm.results import Result, notice
from krm.textslice import holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from expand_vars.expansion.run import Run
    from krm.resource import Resource
    from krm.selector import Selector

# As texts: most runs have no name that nothing uses, and compile none of them.
_REFERENCE = r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)"
_OF_SHELL = r"\$\{([^}$\n]*)\}"
_NEARLY_A_TEMPLATE = r"#[ \t]*(?i:expand)[ \t]*:[^\r\n]*"
_OPENED = r"\$\(([A-Za-z_][A-Za-z0-9_.-]*+)"
_NEVER_CLOSED = rf"{_OPENED}(?!\))"


def results(run: Run) -> Iterator[Result]:
    """Yield the results of a run that has expanded its items."""
    config = run.config
    # Without an item nothing could have an effect, and whoever reads files says so itself.
    if not all(holds(item, _is_ours) for item in run.items):
        yield from _of_variables(run)
        yield from _of_selectors(run, "selectors", config.selectors)
        yield from _of_selectors(run, "exclude", config.exclude)
        yield from _of_pod_templates(run)


def _is_ours(item: Resource) -> bool:
    """True if an item is a functionConfig or a state: nothing in it is ever changed."""
    # The text is searched first, as parsing costs more than all else. An escape in it may hide the group.
    return item.may_contain(f"{GROUP}/v") and item.group == GROUP


def _of_variables(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that nothing uses, and the other variables that nothing uses in one info."""
    # A variable is a warning too where its name stands there in the form of a shell, or with another letter.
    config, quiet, are_arguments = run.config, [], _are_arguments(run)
    unused = run.variables.unused(config)
    hints = _Hints(run) if unused else None
    for name in unused:
        hint = hints.of(name) if hints else ""
        if are_arguments or (name in config.arguments and not config.is_part):
            message = f"`{name}` is given, and nothing that may be changed refers to it"
            yield notice(f"{message}: {hint or 'mend the name, or leave it out'}", UNUSED_ARGUMENT)
        elif hint:
            message = f"`{name}` is declared, and nothing that may be changed refers to it: {hint}"
            yield notice(message, NEAR_NAME, ref=config.ref)
        else:
            quiet.append(f"`{name}`")
    if quiet:
        listed = ", ".join(quiet)
        message = f"declared, but nothing that may be changed refers to it: {listed}; mend the name, or remove it"
        yield notice(message, UNUSED_VARIABLE, ref=config.ref)


def _are_arguments(run: Run) -> bool:
    """True if all variables are arguments of `kpt fn eval`, of which kpt makes a ConfigMap."""
    # `kpt fn render` makes one of the `configMap` of a Kptfile, and notes the package of each item.
    if run.config.ref is None or run.config.ref.name != FUNCTION_INPUT:
        return False
    is_of_kpt, is_render = (any(item.spells(key) for item in holding(run.items, key)) for key in (IDS[0], PACKAGE))
    return is_of_kpt and not is_render


class _Hints:
    """What may have been meant by names that nothing uses. The items are searched once, for thousands of names."""

    def __init__(self, run: Run) -> None:
        self._of_shell: dict[str, Resource] = {}
        for item in holding(run.items, "${"):
            for name in re.findall(_OF_SHELL, item.text):
                self._of_shell.setdefault(name, item)
        self._comments: dict[str, Resource] = {}
        for item in holding(run.items, "xpand"):
            for comment in re.findall(_NEARLY_A_TEMPLATE, item.text):
                for name in re.findall(_NEVER_CLOSED if comment.startswith(MARK) else _OPENED, comment):
                    self._comments.setdefault(name, item)
        referred = {name for item in holding(run.items, "$(") for name in re.findall(_REFERENCE, item.text)}
        self._near: dict[str, list[str]] = {}
        for name in sorted(referred - {*run.variables.names}):
            for form in _forms(name):
                self._near.setdefault(form, []).append(name)

    def of(self, name: str) -> str:
        """Return what may have been meant by a name, empty where nothing is like it."""
        found = self._of_shell.get(name)
        if found is not None:
            return f"`${{{name}}}` in {_where(found)} is not `$({name})`"
        if name in self._comments:
            of_it = f"a comment in {_where(self._comments[name])} that speaks of it"
            return f"{of_it} is no template: write `{MARK} `, and close each `$(`"
        like = {other for form in _forms(name) for other in self._near.get(form, ())}
        near = next((one for one in sorted(like) if _is_one_letter_off(name, one)), None)
        return f"did you mean `{near}`?" if near else ""


def _where(item: Resource) -> str:
    return item.file or f"{item.kind} `{item.name}`"


def _forms(name: str) -> set[str]:
    """Return a name, and what is left of it without one letter: of two that are one letter off these meet."""
    name = name.casefold()
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}


def _is_one_letter_off(name: str, other: str) -> bool:
    """True if two names differ in case alone, or by one letter that is another, missing, too much, or swapped."""
    name, other = name.casefold(), other.casefold()
    start = next((at for at, (one, two) in enumerate(zip(name, other, strict=False)) if one != two), -1)
    if start < 0:
        return abs(len(name) - len(other)) <= 1
    mine, yours = name[start:], other[start:]
    is_swapped = mine[:2] == yours[1::-1] and mine[2:] == yours[2:]
    return is_swapped or mine[1:] == yours[1:] or mine[1:] == yours or mine == yours[1:]


def _of_selectors(run: Run, key: str, selectors: Sequence[Selector]) -> Iterator[Result]:
    for index, selector in enumerate(selectors):
        if not _any(run, selector.matches):
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
