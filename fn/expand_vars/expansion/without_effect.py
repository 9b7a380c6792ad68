"""Settings without effect: variables that nothing uses, selectors and pod templates that match nothing.

docs/reference/results.md, "Strict runs". The items are searched for the names of the variables, however these are
written, once for all names: `${NAME}`, `$( NAME )`, `$(NAME:-eu)` are no references (docs/reference/expansion.md, "What
is reported").
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cache, partial
from itertools import groupby

from expand_vars.expansion import containers, findings, left_alone
from expand_vars.expansion.findings import Finding
from expand_vars.expansion.run import holds
from expand_vars.functionconfig import ANNOTATIONS, GROUP, KIND
from krm import fieldpath, secrets, syntax
from krm.resource import FUNCTION_INPUT, GENERATED_BY, IDS, PACKAGE, Resource
from krm.results import Result, locate, notice
from krm.template_comments.reading import MARK, NEARLY
from krm.textslice import holding
from krm.validation import grammar
from krm.vocabulary import is_misspelt, unknown
from krm.workloads import has_own_syntax
from krm.yamltree import lines
from krm.yamltree.nodes import Mapping, placed
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from expand_vars.expansion.run import Run
    from krm.fieldpath import FieldPath, Place
    from krm.selector import Selector
    from krm.workloads import PodSpecs

# These patterns are compiled at their first use: most runs have no unused name and no annotation of ours.
_REFERENCE = r"\$\(([A-Za-z_][A-Za-z0-9_.-]*)\)"
_FLUX = "kustomize.toolkit.fluxcd.io"
_ANNOTATION = rf"{re.escape(GROUP)}/([\w.-]+)[\"']?:"


def results(run: Run) -> Iterator[Result]:
    """Yield the results of a run that has expanded its items."""
    config = run.config
    grade = findings.severity(findings.UNTARGETED_REFERENCE, config.unresolved)
    if run.variables.names and grade is not None:
        yield from run.kustomize.file_results(run.variables.names, grade)
    # Without an item nothing could have an effect. The reader of the files reports that.
    if any(item.may_contain(":") and not holds(item, _is_ours) for item in run.items):
        yield from _of_variables(run)
        yield from _of_shadowed(run)
        for name in config.no_texts:
            message = f"the value of `{name}` is no text, which the API refuses in a ConfigMap: write it in quotes"
            yield notice(message, findings.REFUSED_VALUE, ref=config.ref, field=fieldpath.to_text(("data", name)))
        yield from _of_ours(run)
        yield from _of_selectors(run, "selectors", config.selectors)
        yield from _of_selectors(run, "exclude", config.exclude)
        yield from _of_pod_templates(run)


def _is_ours(item: Resource) -> bool:
    """True if an item is a functionConfig or a state: nothing in it is ever changed."""
    # The text is searched first, as parsing costs more than all else. An escape in it may hide the group.
    return item.may_contain(f"{GROUP}/v") and item.group == GROUP


def _of_variables(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that nothing uses, and one info for all other unused variables.

    A name of a variable in another form than a reference is a warning, too.
    """
    config, quiet, told = run.config, [], []
    unused = run.variables.unused(config)
    are_arguments = _are_arguments(run)
    arguments = [one for one in unused if are_arguments or (one in config.arguments and not config.is_part)]
    near = _near(run, unused) if unused else {}
    spellings = [*_search(run, frozenset(unused), [name for name in arguments if name not in near])]
    # A bare word is the weakest sign of a mistake.
    ranked = sorted(spellings, key=lambda one: one.reason == findings.UNUSED_ARGUMENT)
    spelling_of = {one.name: one for one in reversed(ranked)}
    for name in unused:
        is_argument, spelling = name in arguments, spelling_of.get(name)
        # A variable that is declared may well be a script's.
        if spelling is not None and spelling.reason == findings.NEAR_NAME and not is_argument:
            spelling = None
        hint = near.get(name, "") if spelling is None else spelling.message
        message = f"`{name}` is {'given' if is_argument else 'declared'}, and nothing that may be changed refers to it"
        message = f"{message}: {hint or 'mend the name, or leave it out'}"
        if spelling is not None:
            told.append(spelling)
            # A comment that is nearly a template has a result of its own.
            if spelling.message:
                yield _result(spelling, message, findings.UNUSED_ARGUMENT if is_argument else spelling.reason)
        elif is_argument or hint:
            reason, ref = (findings.UNUSED_ARGUMENT, None) if is_argument else (findings.NEAR_NAME, config.ref)
            result = notice(message, reason, ref=ref)
            result.tags = {"name": name}
            yield result
        else:
            quiet.append(f"`{name}`")
    if quiet:
        listed = ", ".join(quiet)
        message = f"declared, but nothing that may be changed refers to it: {listed}; mend the name, or remove it"
        yield notice(message, findings.UNUSED_VARIABLE, ref=config.ref)
    odd = [one for one in spellings if one.severity and one.reason != findings.NEAR_NAME and one not in told]
    for _, alike in groupby(odd, lambda one: (id(one.resource), one.reason, one.message)):
        spelling, *others = alike
        spelling.places += [place for one in others for place in one.places]
        yield spelling.result()


def _result(found: Finding, message: str, reason: str) -> Result:
    """Return a result about a name, at the place where it was found."""
    item, at = found.resource, found.position
    result = item.notice(message, reason, *found.places)
    result.tags = {"name": found.name}
    if at is not None and item.document.has_lines:
        spot = lines.number(item.whole, at), lines.column(item.whole, at) + 1
        locate(result, lambda _: spot)
    return result


def _of_shadowed(run: Run) -> Iterator[Result]:
    """Yield a warning for each argument that wins nowhere, since all that refer to it declare the name themselves."""
    given = set() if run.config.is_part else {*run.config.arguments}
    shadowed = [one for one in run.findings.found.values() if one.reason == findings.SHADOWED and one.name in given]
    first = {one.name: one for one in reversed(shadowed) if one.name not in run.variables.used}
    for name, one in sorted(first.items()):
        message = f"`{name}` is given, and the container's own `{name}` wins wherever something refers to it"
        yield _result(one, f"{message}: set it there, or leave the argument out", findings.UNUSED_ARGUMENT)


def _of_ours(run: Run) -> Iterator[Result]:
    """Yield a warning for each annotation of our group that says nothing, and each object that is no functionConfig."""
    for item in run.ours:
        keys = sorted({*re.findall(_ANNOTATION, item.own_text)}.difference((GENERATED_BY,)))
        # By its text: what is generated has a mark of ours, and is not parsed for it. A functionConfig is long.
        is_odd = holds(item, lambda one: _is_ours(one) and not one.is_state and one.kind != KIND)
        if is_odd or (keys and not item.is_state and item.is_readable):
            if is_odd:
                message = f"`{GROUP}` has no kind `{item.kind}`, so this has no effect: its kind is `{KIND}`"
                yield item.notice(message, findings.NO_EFFECT, ("kind",))
            for key in keys:
                yield from (item.notice(message, findings.NO_EFFECT, at) for message, at in _mistakes(item, key))
            item.release()


def _mistakes(item: Resource, key: str) -> Iterator[tuple[str, Place]]:
    """Yield what is wrong with a key of our group in the metadata of an item, and where."""
    annotation = f"{GROUP}/{key}"
    text = item.annotation(annotation)
    if item.find(place := ("metadata", "labels", annotation)):
        yield "this is a label, and only an annotation has an effect: move it to `annotations`", place
    # A ConfigMap may be the functionConfig of another run, with options.
    place = "metadata", "annotations", annotation
    if text is not None and key not in ANNOTATIONS and item.kind != "ConfigMap":
        yield unknown(key, ANNOTATIONS), place
    elif annotation == left_alone.SKIP and text not in (None, "true", "false"):
        yield 'its value has no effect: write `"true"`, or remove it', place


def _are_arguments(run: Run) -> bool:
    """True if all variables are arguments of `kpt fn eval`, of which kpt makes a ConfigMap."""
    # `kpt fn render` makes one of the `configMap` of a Kptfile, and notes the package of each item.
    if run.config.ref is None or run.config.ref.name != FUNCTION_INPUT:
        return False
    is_of_kpt, is_render = (any(item.spells(key) for item in holding(run.items, key)) for key in (IDS[0], PACKAGE))
    return is_of_kpt and not is_render


def _near(run: Run, unused: Sequence[str]) -> dict[str, str]:
    """Return for unused names the similar names that are referred to and that nobody declares."""
    names = {name for item in holding(run.items, "$(") for name in re.findall(_REFERENCE, item.source)}
    referred = sorted(names.difference(run.variables.names))
    # Thousands of names beside thousands of others would take minutes to compare.
    is_soon = len(referred) * len(unused) <= findings.COMPARISONS
    near = {name: [one for one in referred if is_misspelt(name, one)] for name in unused} if is_soon else {}
    return {name: f"did you mean `{found[0]}`?" for name, found in near.items() if found}


def _of_selectors(run: Run, key: str, selectors: Sequence[Selector]) -> Iterator[Result]:
    for index, selector in enumerate(selectors):
        if not any(holds(item, selector.matches) for item in (*run.items, *(run.config.templates or ()))):
            path = f"spec.{key}[{index}]" if len(selectors) > 1 else f"spec.{key}"
            message = "this selector matches no item, so it has no effect: mend it, or remove it"
            yield notice(message, findings.NO_EFFECT, ref=run.config.ref, field=path)


def _of_pod_templates(run: Run) -> Iterator[Result]:
    named = {"fieldPath": run.pod_specs.pod_templates, "container": run.pod_specs.containers}
    for key, (group, kind), paths in ((key, *entry) for key, entries in named.items() for entry in entries.items()):
        is_there = partial(_has, run.pod_specs, (group, kind), paths if key == "container" else ())
        if not any(holds(item, is_there) for item in run.items):
            of_group = f"of group `{group}`" if group else "of the core group"
            message = f"no `{kind}` {of_group} has what `{key}` names: mend it, `group` or `kind`, or remove the entry"
            yield notice(message, findings.NO_EFFECT, ref=run.config.ref, field="spec.podTemplates")


def _has(pod_specs: PodSpecs, kind: tuple[str, str], paths: Collection[FieldPath], item: Resource) -> bool:
    return (item.group, item.kind) == kind and any(map(item.find, paths or pod_specs.paths_of(item)))


# What a text has where a reference may be written otherwise, stands in a key, or has a tag. Most have none, and are not
# parsed for it.
_ODD = re.compile(
    r"\$(?:\{|\((?![\w.-]+\)))|(?<![^\s\[,])![\w!<]"
    r"|\$\([\w.-]{1,253}+\)[^\s:$]{0,253}+:(?:\s|(?<=[\"']:))"
)
# As texts: most runs do not compile these.
_LIKE = r"\$(\(\(?|\{?)[ \t]*+([A-Za-z_][\w.-]*+)"
_DEFAULT = r"[ \t]*+[:=?+]"
# In an expression of Helm the name may be written in small letters.
_STANDS = r"(?<![\w-]){0}(?![\w-])|(?<=\.)(?i:{0})(?=[ |)}}])"
_OF_SHELLS = {"{": "${{{}}}", "": "${}", "((": "$(({}))"}

_OTHERWISE = "`{1}` is no reference: write `$({0})` if the variable is meant"
_WORD = "`{}` stands here, and a reference is `$({})`: write that, or leave the argument out"
_PLAIN = "`$({0})` stays here"
_IN_A_KEY = f"{_PLAIN}: no run changes a key of an object that is there"
_TAGGED = f"{_PLAIN}: only its readers know what the tag in front of the value means: remove the tag"
_COMMENT = "it stands in a comment, which is a template only behind `# expand: `"
_SETTER = "it stands in a comment of kpt's setters: `expand-vars migrate --from-setters` makes templates of these"


def _search(run: Run, unused: Collection[str], words: Iterable[str]) -> Iterator[Finding]:
    """Yield the places of names of variables that are no references, in the order of the items.

    They are `unused` ones in any form with a `$`, `words` alone, at their first place, and all names in an odd form:
    these alone have a severity.
    """
    # Flux fills in each `${NAME}` if one of the items is a Kustomization of it with `postBuild`. Of the text that was
    # read: to put a changed one together would take longer than all else here.
    built = [item for item in run.items if item.spells("postBuild")]
    of_flux = run.variables.names if any(holds(item, lambda one: one.group == _FLUX) for item in built) else ()
    patterns = {name: re.compile(_STANDS.format(re.escape(name))) for name in words}
    # Items in one pair of brackets have one text, and so have the elements of a List with an alias.
    is_met = cache(
        lambda whole, span: (
            any(pattern.search(whole, *span) for pattern in patterns.values())
            or _ODD.search(whole, *span) is not None
            or (bool(unused) and any(name in unused for _, name in re.findall(_LIKE, whole[slice(*span)])))
        )
    )
    items = (*run.items, *run.bare) if run.variables.names else ()
    for item in items if patterns else holding(items, "$"):
        if is_met(item.whole, item.span) and not (item.is_state or has_own_syntax(item)):
            in_fields = [*_in_fields(run, item, unused, patterns, of_flux)]
            yield from in_fields
            found = {one.name for one in in_fields}
            yield from (one for one in _in_comments(item, unused) if one.name not in found)
            item.release()


def _in_fields(
    run: Run, item: Resource, unused: Collection[str], words: dict[str, re.Pattern[str]], of_flux: Collection[str]
) -> Iterator[Finding]:
    """Yield the names in the fields of an item, in its order. Each word is found once."""
    why = left_alone.why(item, run.config)
    grade = findings.severity(findings.UNTARGETED_REFERENCE, run.config.unresolved)
    # The keys of a template were expanded with it: what they have is its author's text.
    nodes = () if why or id(item) in run.generated else placed(item.root, ())
    keys = ((place, key) for place, node in nodes if isinstance(node, Mapping) for key in node.entries)
    for place, key in ((place, key) for place, key in keys if key and "$(" in key):
        for name in filter(run.variables.names.__contains__, syntax.names(key)):
            yield Finding(item, findings.UNTARGETED_REFERENCE, name, _IN_A_KEY.format(name), grade, (*place, key))
    for place, scalar in containers.scalars(item.root):
        text = scalar.value
        if not place or left_alone.is_note_of_tools(place):
            continue  # an item that is a text is an error already
        whose = why or left_alone.explained(item, place, text)
        for name, shown, is_odd in _spellings(text, run.variables.names) if "$" in text else ():
            is_tagged = not shown and string(scalar) is None
            message = (_OTHERWISE if shown else _TAGGED if is_tagged else _PLAIN).format(name, shown)
            if whose:
                message = f"`{name}` stands here, and is left alone: {whose}"
            is_told = (is_odd or is_tagged) and not (whose or _is_read_so(run, item, place, name, shown, of_flux))
            reason = findings.NEAR_NAME
            if is_told:
                is_ours = run.pod_specs.is_expanded(item, place) or grammar(item, place, run.pod_specs)
                reason = findings.MISSPELT_REFERENCE if is_ours else findings.OTHER_SYNTAX
            if is_told or name in unused:
                yield Finding(item, reason, name, message, findings.severity(reason, run.config.unresolved), place)
        yield from () if why else _as_words(item, place, text, words)


def _as_words(item: Resource, place: Place, text: str, words: dict[str, re.Pattern[str]]) -> Iterator[Finding]:
    """Yield the names that a field has as words, and remove them from the words to find."""
    # An `env` that declares a name is no place for a reference to it.
    is_declared = place[-3:-2] == ("env",) and place[-1] == "name"
    for name, found in [(name, word.search(text)) for name, word in words.items()]:
        if found and not is_declared and not secrets.is_secret(item, place):
            del words[name]
            yield Finding(item, findings.UNUSED_ARGUMENT, name, _WORD.format(found[0], name), None, place)


def _is_read_so(run: Run, item: Resource, place: Place, name: str, shown: str, of_flux: Collection[str]) -> bool:  # noqa: PLR0913 - where, and in which form
    """True if `${NAME}` is Flux's, or that of a container that starts a shell, or declares the name itself."""
    if name in of_flux and shown == _OF_SHELLS["{"].format(name):
        return True
    is_of_shell = any(shown == form.format(name) for form in _OF_SHELLS.values())
    if not is_of_shell or not run.pod_specs.is_expanded(item, place):
        return False
    above = run.pod_specs.container_above(item, place)
    container = next(one for one in containers.of_workload(item, run.pod_specs) if one.place == above)
    declared = {name for _, name, _ in container.entries}
    return name in declared or containers.starts_shell(container.words())


def _spellings(text: str, declared: Collection[str]) -> Iterator[tuple[str, str, bool]]:
    """Yield the declared names in a text, each with the form in which it is no reference, and whether that is odd.

    A form is shown without what it holds beside the name, which may be secret. It is empty for a reference.
    """
    tokens = syntax.tokens(text)
    starts = [token.start for token in tokens]
    for match in re.finditer(_LIKE, text):
        opening, name = match.groups()
        around = tokens[at] if (at := bisect_right(starts, match.start()) - 1) >= 0 else None
        here = around if around is not None and match.start() < around.end else None
        if "(" not in opening and name not in declared:
            name = re.split(r"[.-]", name, maxsplit=1)[0]  # `${NAME-eu}` of a shell
        if name not in declared:
            continue
        if opening in _OF_SHELLS:
            yield name, _OF_SHELLS[opening].format(name), opening != ""
        elif here is None:
            yield name, match[0], True
        elif here.name is None or here.name == name:
            yield name, "" if here.name else f"$$({name})", False
        else:
            above, below = text[here.start : match.start()], text[match.end() : here.end - 1]
            if above or not below.strip() or re.match(_DEFAULT, f"{below})"):
                shown = f"{'$(' if above else ''}{_dotted(above[2:])}{match[0]}{_dotted(below)})"
                yield name, shown, True


def _dotted(text: str) -> str:
    """Return blanks and brackets as they stand, and dots for any other text."""
    return "..." if text.strip(" ()") else text


def _in_comments(item: Resource, unused: Collection[str]) -> Iterator[Finding]:
    """Yield the `unused` names in the comments of an item."""
    for comment in re.finditer("#[^\r\n]*", item.source):
        for name, shown, _ in _spellings(comment[0], unused):
            message = _SETTER if comment[0][1:].lstrip().startswith("kpt-set:") else _COMMENT
            if MARK in comment[0] or NEARLY.search(comment[0]) is not None:
                message = _OTHERWISE.format(name, shown) if shown else ""
            one = Finding(item, findings.NEAR_NAME, name, message, None)
            one.position = item.span[0] + comment.start()
            yield one
