"""`krm wrap`: what a program prints is generated, and merged with what is there (docs/guides/wrap.md)."""

from __future__ import annotations

import posixpath
import re
from argparse import ArgumentTypeError
from contextlib import suppress

from krm import resourcelist, results, secrets, stdio
from krm.commands import exports, given, programs
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.generation import DOMAIN, generating, packages, updates
from krm.generation.ownership import Owner
from krm.generation.settings import KEEP, PRUNE, PRUNE_ALL, Settings
from krm.merge.policy import MergeOptions
from krm.resource import Resource, are_in_place
from krm.results import FnError, Result, notice
from krm.stdio import InputError
from krm.yamltree.nodes import leaves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from krm.commands.given import Given
    from krm.generation.updates import Generated
    from krm.resourcelist import ResourceList
    from krm.results import Output

_DESCRIPTION = """\
Make a function of any program that prints YAML: read a ResourceList on standard input, run COMMAND, merge the resources
that it prints into the items, and write the list to standard output.

The merge has three sides: what COMMAND printed the last time, what it prints now, and the items as they are. So what
you changed by hand stays, and what COMMAND prints no longer goes.
"""
_EPILOG = """\
COMMAND finds the whole functionConfig in KRM_FUNCTION_CONFIG, those fields of its `metadata`, `spec` and `data`
that --export lists as variables of their own, in upper case, and the ResourceList on its standard input. New resources
go to the files config/NAME_KIND.yaml beside the functionConfig.

exit codes: 0 done, 1 failed (the results or standard error say why; the items are as they were), 2 wrong usage
"""
_OUTPUT = "COMMAND's output"
_FOLDER = "config"
_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")
_SECRET = "(secret)"  # noqa: S105 - what is shown in the place of one
_DAY = 24 * 60 * 60


def main(given: Sequence[str]) -> int:
    """Run the command that the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    options = _options(given[1:])
    stdio.clean_up_when_terminated()  # COMMAND ends too
    return stdio.serve(lambda text: run(text, options))


def run(text: str, options: Namespace) -> Output:
    """Return what a text becomes with what COMMAND makes of it."""
    resource_list = resourcelist.read(text)
    if not results.failed(resource_list.results):
        try:
            _generate(resource_list, text, options)
        except FnError as error:
            resource_list.results += error.results
    resource_list.sort_results()
    return resource_list.emit()


def seconds(word: str) -> float:
    """Return how long COMMAND may take. ArgumentTypeError for what is no such time."""
    with suppress(ValueError):
        if 0 < (number := float(word)) <= _DAY:
            return number
    raise ArgumentTypeError(f"`{word}` is no time: give a number of seconds, {_DAY} at most, such as 30 or 0.5")


def mebibytes(word: str) -> int:
    """Return how much COMMAND may print. ArgumentTypeError for what is no such number."""
    with suppress(ValueError):
        if (number := int(word)) >= 1:
            return number
    raise ArgumentTypeError(f"`{word}` is no size: give a whole number of MiB, such as 64")


def _options(given: Sequence[str]) -> Namespace:
    # What stands behind the first `--` is COMMAND's, options with the names of ours included.
    end = given.index("--") if "--" in given else len(given)
    parser = Parser(PROGRAM, "wrap", _DESCRIPTION, _EPILOG, timeout=seconds, max_output=mebibytes)
    options = parser.parsed(given[:end])
    if options.words:
        parser.error(f"`{options.words[0]}` stands in front of `--`: COMMAND and its arguments stand behind it")
    options.command = given[end + 1 :]
    if not options.command:
        parser.error("COMMAND is missing: it stands behind `--`")
    options.export = _names(options.export, parser)
    return options


def _names(words: str | None, parser: Parser) -> frozenset[str] | None:
    """Return the variables that COMMAND gets, None for all. SystemExit for a name that no variable may have."""
    try:
        return frozenset() if words is None else exports.allowed(words)
    except ValueError as error:
        parser.error(f"argument --export: {error}")


def _generate(resource_list: ResourceList, text: str, options: Namespace) -> None:
    """Merge the resources that COMMAND prints into the items, and add the results."""
    environment, told = _environment(resource_list.function_config, options)
    limits = programs.Limits(options.timeout, options.max_output)
    outcome = programs.run(options.command, text.encode(), environment, limits)
    printed = _resources(outcome, resource_list)
    # A script that fails without an exit code prints nothing, too: `curl` in a pipe without `pipefail`.
    if not printed and not options.allow_empty and _owns(resource_list):
        problem = f"`{options.command[0]}` printed nothing, which would take away all that it generated before"
        raise _failure(f"{problem}: --allow-empty lets it", outcome, resource_list)
    found = generating.generate(resource_list, printed, _settings(resource_list, options))
    # COMMAND is at fault, and not the functionConfig: the error quotes COMMAND's last lines, which may say why.
    mistakes = [result.message for result in found if result.reason == updates.NO_RESOURCE]
    if mistakes:
        raise _failure("; ".join(mistakes), outcome, resource_list)
    resource_list.results += [*told, *found]


def _environment(function_config: Resource | None, options: Namespace) -> tuple[dict[bytes, bytes], list[Result]]:
    """Return the environment of COMMAND, and the results about it. Fields that no option asks for are told of once."""
    wanted = exports.wanted(function_config) if function_config is not None and options.export == frozenset() else ""
    if wanted:
        message = f"COMMAND gets no field of the functionConfig as a variable: `{wanted}` gives it these"
        stdio.report([notice(message, exports.NOT_EXPORTED)])
    return exports.environment(function_config, options.export)


def _settings(resource_list: ResourceList, options: Namespace) -> Settings:
    prune = KEEP if options.no_prune else PRUNE_ALL if options.allow_empty else PRUNE
    merge = MergeOptions(strategy=options.strategy, on_conflict=options.on_conflict, adopt=options.adopt)
    return Settings(
        resource_list.function_config,
        merge=merge,
        prune=prune,
        is_secret=secrets.NamesOfSecrets(resource_list.items).__contains__,
        is_in_place=are_in_place(resource_list.items, resource_list.function_config),
    )


def _resources(outcome: programs.Outcome, resource_list: ResourceList) -> list[Generated]:
    """Return the resources that COMMAND printed. FnError where it failed, or printed anything else."""
    folder = _folder(resource_list)
    problem = outcome.problem
    if problem is None:
        try:
            return _without_ours(updates.read(stdio.decoded(outcome.stdout, _OUTPUT), _OUTPUT, folder))
        except InputError as error:
            problem = str(error)
        except FnError as error:
            problem = error.results[0].message
    raise _failure(problem, outcome, resource_list)


def _without_ours(printed: list[Generated]) -> list[Generated]:
    """Return what COMMAND printed. FnError for a functionConfig or a state: the next run would read two of them."""
    for one in printed:
        group = Resource(one.text, (0, len(one.text)), one.place).group
        if group == DOMAIN:
            message = f"{one.place} is of group `{DOMAIN}`: a program generates no functionConfig and no state"
            raise FnError(Result(message, results.ERROR, updates.NO_RESOURCE))
    return printed


def _owns(resource_list: ResourceList) -> bool:
    """True if an item is there that the functionConfig has generated."""
    owner = Owner(Settings(resource_list.function_config), resource_list.items)
    # The text is searched first, as parsing costs more than all else
    # (docs/reference/architecture.md, "Only what may hold a reference is parsed").
    marked = (item for item in resource_list.items if item.may_contain(owner.tracking.generated_by))
    return any(map(owner.owns, marked))


def _folder(resource_list: ResourceList) -> str:
    """Return the folder for new files, beside that of the functionConfig."""
    config = resource_list.function_config
    # kpt's `--fn-config` names no file.
    there = [] if config is None else [config, *packages.configs(resource_list.items, packages.owner_text(config))]
    files = [one.file for one in there]
    return posixpath.join(posixpath.dirname(next(filter(None, files), "")), _FOLDER)


def _failure(problem: str, outcome: programs.Outcome, resource_list: ResourceList) -> FnError:
    """Return an error of COMMAND with its last lines (docs/reference/architecture.md, "Secrets are never quoted")."""
    lines = "".join(f"\n{line}" for line in outcome.last_lines)
    # The longest first: a short secret may be a part of a long one, of which the rest would be shown.
    for held in sorted({*_held(resource_list)}, key=len, reverse=True):
        lines = lines.replace(held, _SECRET)
    message = f"{problem}; its last lines:{lines}" if lines else problem
    return FnError(Result(message, results.ERROR, "CommandFailed"))


def _held(resource_list: ResourceList) -> Iterator[str]:
    """Yield the lines of what is secret in what COMMAND got to read."""
    config = resource_list.function_config
    items = [*resource_list.items, *([] if config is None else [config])]
    of_secrets = given.fields((), items)
    for item in items:
        yield from filter(None, (line.strip() for text in _texts(item, of_secrets) for line in text.split("\n")))


def _texts(item: Resource, of_secrets: Given) -> Iterator[str]:
    """Yield what is secret in an object: as it is written, what that says, what it says in base64, and comments."""
    written = item.whole[slice(*item.span)]
    try:
        found = [node for _, node in (*secrets.held(item), *given.parts(item.root, of_secrets))]
    except FnError:  # nobody can say where its values are
        yield written
        return
    yield from _COMMENT.findall(written) if found else ()
    for node in found:
        yield item.editor.text[node.start : node.end]
        for text in (leaf.value or "" for leaf in leaves(node)):
            yield from (text, secrets.decoded(text) or "")
