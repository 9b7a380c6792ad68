"""`krm wrap`: the resources that a program prints are generated, and merged with the items (docs/guides/wrap.md).

COMMAND gets the functionConfig as environment variables. Each field of `metadata` and of `spec` is one, and so is each
key of `data`, except in a Secret. Its name is in upper case; a scalar is its text, anything else JSON. Of two with one
name the later wins. The author of COMMAND lists the names with `--export`: no other field is a variable. Two further
variables hold the functionConfig as a whole.
"""

from __future__ import annotations

import os
import posixpath
import re
from argparse import ArgumentTypeError
from contextlib import suppress

from krm import resourcelist, results, secrets, stdio
from krm.commands import masks, programs
from krm.commands.options import Parser
from krm.commands.table import PROGRAM
from krm.generation import generating, packages, updates
from krm.generation.ownership import Owner
from krm.generation.settings import KEEP, PRUNE, PRUNE_ALL, Settings
from krm.merge.policy import MergeOptions
from krm.resource import DOMAIN, Resource, are_in_place
from krm.results import FnError, Result, notice
from krm.stdio import InputError
from krm.yamltree import lines, scalars, style
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Scalar, leaves, resolved
from krm.yamltree.style import Layout
from krm.yamltree.target import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from krm.commands.masks import SecretFields
    from krm.fieldpath import Place
    from krm.generation.updates import Update
    from krm.resourcelist import ResourceList
    from krm.results import Output
    from krm.yamltree.nodes import Node

_DESCRIPTION = """\
Make a function of any program that prints YAML: read a ResourceList on standard input, run COMMAND, merge the resources
that it prints into the items, and write the list to standard output.

The merge has three sides: what COMMAND printed the last time, what it prints now, and the items as they are. What
you changed by hand stays, unless COMMAND changed it too. What COMMAND no longer prints is deleted.
"""
_EPILOG = """\
COMMAND finds the whole functionConfig in KRM_FUNCTION_CONFIG, those fields of its `metadata`, `spec` and `data`
that --export lists as variables of their own, in upper case, and the ResourceList on its standard input. New resources
go to the files config/NAME_KIND.yaml beside the functionConfig.

exit codes: 0 done, 1 failed (the results or standard error say why; the items are as they were), 2 wrong usage
"""
_OUTPUT = "COMMAND's output"
_FOLDER = "config"
_SECRET = "(secret)"  # noqa: S105 - what is shown in the place of one
_DAY = 24 * 60 * 60

NOT_EXPORTED = "NotExported"
FIELD_NOT_EXPORTED = "FieldNotExported"
FUNCTION_CONFIG = ("KRM_FUNCTION_CONFIG", "KUST_FUNCTION_CONFIG")
"""The variables with the whole functionConfig: ours, and the one that programs for `config run wrap` read."""

EVERY_FIELD = "*"
"""The word of `--export` for all fields."""

_SECTIONS = ("metadata", "spec")
_IDENTIFIER = re.compile("[A-Za-z_][A-Za-z0-9_]*")
# By these names programs load code, find files, trust hosts or pick a proxy. The functionConfig is data of a package:
# who may write it must not thereby run code in COMMAND's place.
_PROTECTED = re.compile(
    "PATH|HOME|IFS|ENV|PS4|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|TMPDIR|CLASSPATH|KUBECONFIG|GCONV_PATH|LOCPATH|.*_PROXY"
    "|(?:LD|DYLD|BASH|NODE|JAVA|JDK|GIT|GLIBC|MALLOC|SSL|CURL|DOCKER|SSH|NPM|PIP|LUA|KRM)_.*"
    "|(?:PYTHON|PERL|RUBY|PHP|GO|_).*|KUST_FUNCTION_CONFIG"
)
# The most that Linux takes for one variable, with its name, the equals sign and a final NUL.
_LONGEST = 1 << 17

_NOT_ITS_NAME = "a variable's name has letters, digits and `_` alone, and no digit first"
_NOT_THAT_NAME = "by that name programs load code, find files or hosts, or it is set already"
_NOT_ITS_VALUE = "a variable holds less than 128 KiB, and neither NUL nor a tag"
_NOT_AS_A_WHOLE = "as a whole it has 128 KiB or more, or no form that can stand alone"


def main(argv: Sequence[str]) -> int:
    """Run the command that the arguments name, and return the exit code. SystemExit for help and wrong usage."""
    options = _options(argv[1:])
    stdio.clean_up_when_terminated()  # COMMAND ends too
    return stdio.serve(lambda text: run(text, options))


def run(text: str, options: Namespace) -> Output:
    """Return the output for a text: its items, merged with the resources that COMMAND prints for it."""
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


def _options(argv: Sequence[str]) -> Namespace:
    # What stands behind the first `--` is COMMAND's, options with the names of ours included.
    end = argv.index("--") if "--" in argv else len(argv)
    parser = Parser(PROGRAM, "wrap", _DESCRIPTION, _EPILOG, timeout=seconds, max_output=mebibytes)
    options = parser.parsed(argv[:end])
    if options.words:
        parser.error(f"`{options.words[0]}` stands in front of `--`: COMMAND and its arguments stand behind it")
    options.command = argv[end + 1 :]
    if not options.command:
        parser.error("COMMAND is missing: it stands behind `--`")
    try:
        options.export = frozenset() if options.export is None else allowed(options.export)
    except ValueError as error:
        parser.error(f"argument --export: {error}")
    return options


def _generate(resource_list: ResourceList, text: str, options: Namespace) -> None:
    """Merge the resources that COMMAND prints into the items, and add the results."""
    variables, notices = environment(resource_list.function_config, options.export)
    outcome = programs.run(options.command, text.encode(), variables, options.timeout, options.max_output)
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
    resource_list.results += [*notices, *found]


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


def _resources(outcome: programs.ProgramOutcome, resource_list: ResourceList) -> list[Update]:
    """Return the resources that COMMAND printed. FnError where it failed, or printed anything else."""
    folder = _folder(resource_list)
    problem = outcome.problem
    if problem is None:
        try:
            printed = updates.read(stdio.decoded(outcome.stdout, _OUTPUT), _OUTPUT, folder)
            # The next run would read two functionConfigs, or two states.
            ours = next((one.resource.label for one in printed if one.resource.group == DOMAIN), None)
            if ours is None:
                return printed
            problem = f"{ours} is of group `{DOMAIN}`: a program generates no functionConfig and no state"
        except InputError as error:
            problem = str(error)
        except FnError as error:
            problem = error.results[0].message
    raise _failure(problem, outcome, resource_list)


def _owns(resource_list: ResourceList) -> bool:
    """True if an item is there that the functionConfig has generated."""
    owner = Owner(Settings(resource_list.function_config), resource_list.items)
    # The text is searched first, as parsing costs more than all else (docs/reference/architecture.md, "Pieces of a
    # text").
    marked = (item for item in resource_list.items if item.may_contain(owner.tracking.generated_by))
    return any(map(owner.owns, marked))


def _folder(resource_list: ResourceList) -> str:
    """Return the folder for new files, beside that of the functionConfig."""
    config = resource_list.function_config
    # kpt's `--fn-config` names no file.
    there = [] if config is None else [config, *packages.configs(resource_list.items, packages.owner_text(config))]
    files = [one.file for one in there]
    return posixpath.join(posixpath.dirname(next(filter(None, files), "")), _FOLDER)


def _failure(problem: str, outcome: programs.ProgramOutcome, resource_list: ResourceList) -> FnError:
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
    of_secrets = masks.secret_fields((), items)
    for item in items:
        yield from filter(None, (line.strip() for text in _texts(item, of_secrets) for line in text.split("\n")))


def _texts(item: Resource, of_secrets: SecretFields) -> Iterator[str]:
    """Yield what is secret in an object: as it is written, what that says, what it says in base64, and comments."""
    try:
        found = [node for _, node in (*secrets.secret_nodes(item), *masks.secret_parts(item.root, of_secrets))]
    except FnError:  # nobody can say where its values are
        yield item.source
        return
    yield from re.findall(lines.COMMENT, item.source) if found else ()
    for node in found:
        yield item.editor.text[node.start : node.end]
        for text in (leaf.value or "" for leaf in leaves(node)):
            yield from (text, secrets.decoded(text) or "")


def allowed(names: str) -> frozenset[str] | None:
    """Return the names of an allow-list, `NAME,...`, None for `*`. ValueError for a name that nobody may set."""
    if names.strip() == EVERY_FIELD:
        return None
    found = frozenset(name.strip().upper() for name in names.split(","))
    for name in sorted(found):
        if not _IDENTIFIER.fullmatch(name):
            raise ValueError(f"`{name}`: {_NOT_ITS_NAME}")
        if _PROTECTED.fullmatch(name):
            raise ValueError(f"`{name}`: by that name programs load code, find files or hosts")
    return found


def environment(
    function_config: Resource | None, names: frozenset[str] | None = frozenset()
) -> tuple[dict[bytes, bytes], list[Result]]:
    """Return the environment of this process with the functionConfig in it, and results about fields left out.

    `names` are those that COMMAND wants, None for all. A field that COMMAND does not want is left out without a result;
    where it wants none, standard error says so once.
    """
    exported = dict.fromkeys(FUNCTION_CONFIG, "")
    if function_config is None:
        return _with(exported), []
    if names == frozenset() and (option := wanted(function_config)):
        message = f"COMMAND gets no field of the functionConfig as a variable: `{option}` gives it these"
        stdio.report([notice(message, NOT_EXPORTED)])
    left_out: dict[str, list[Place]] = {}
    # Of the two variables with the whole functionConfig none is ever left out: scripts read them to see what they got.
    found = [(name, place, _text(node, function_config)) for name, place, node in _fields(function_config)]
    try:
        whole = function_config.editor.alone(function_config.base)
    except EditError:
        whole = None
    for name, place, value in (*found, *((name, (), whole) for name in FUNCTION_CONFIG)):
        if place and names is not None and name not in names:
            continue
        problem = _problem(name, place, value)
        if problem is None:
            exported[name] = str(value)
        else:
            left_out.setdefault(problem, []).append(place)
    return _with(exported), [
        function_config.notice(
            f"not in the environment of COMMAND: {problem}",
            FIELD_NOT_EXPORTED if problem == _NOT_THAT_NAME else NOT_EXPORTED,
            *places,
        )
        for problem, places in left_out.items()
    ]


def wanted(function_config: Resource) -> str:
    """Return the `--export` option that gives COMMAND the scalars of a functionConfig, empty if it has none of its own.

    A name alone is none of its own: every functionConfig has one.
    """
    names: dict[str, bool] = {}
    for name, place, node in _fields(function_config):
        if isinstance(resolved(node), Scalar) and _problem(name, place, _text(node, function_config)) is None:
            names[name] = names.get(name, False) or place[0] != "metadata"
    return f"--export {','.join(names)}" if any(names.values()) else ""


def _with(exported: dict[str, str]) -> dict[bytes, bytes]:
    """Return the environment of this process with these variables, in UTF-8 under any locale."""
    return {**os.environb, **{name.encode(): value.encode() for name, value in exported.items()}}


def _fields(function_config: Resource) -> Iterator[tuple[str, Place, Node]]:
    """Yield the fields that become variables, each with its name there. Of two with one name the later wins."""
    # kustomize gives its arguments as `data` of any kind that they name.
    for section in _SECTIONS if function_config.kind == secrets.KIND else (*_SECTIONS, "data"):
        for place, node in function_config.find((section,)):
            mapping = resolved(node)
            if isinstance(mapping, Mapping):
                yield from ((key.upper(), (*place, key), value) for key, value in mapping.items())


def _text(node: Node, function_config: Resource) -> str | None:
    """Return the text of a scalar, "" for null, and JSON for the rest; None if JSON cannot express it."""
    value = resolved(node)
    if isinstance(value, Scalar):
        return "" if scalars.typed(value) is None else value.value
    try:
        return style.inline(value_of(node, function_config.text, json=True), Layout(style.JSON))
    except ValueError:
        return None


def _problem(name: str, place: Place, value: str | None) -> str | None:
    """Return why the field at `place` cannot be a variable, None if it can."""
    fits = value is not None and "\0" not in value and len(f"{name}={value}\0".encode()) <= _LONGEST
    if not place:
        return None if fits else _NOT_AS_A_WHOLE
    if not _IDENTIFIER.fullmatch(str(place[-1])):
        return _NOT_ITS_NAME
    if _PROTECTED.fullmatch(name) or name.encode() in os.environb:
        return _NOT_THAT_NAME
    return None if fits else _NOT_ITS_VALUE
