"""Arguments that several commands take: variables, the file of a functionConfig, policies, a file of results."""

from __future__ import annotations

import argparse
import os
import re

from expand_vars.functionconfig.model import INLINE, PRESETS
from krm import results, stdio
from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY, ON_CONFLICT, STRATEGIES
from krm.resource import Resource
from krm.resourcelist import MOST_OF_A_REASON
from krm.yamltree import style
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Collection, Iterable, Sequence
    from typing import Any

    from krm.results import Result

DIFFERS = 3
"""The exit code of a check that finds a difference: 1 would say that the check failed, 2 that it was called wrongly."""

_EVAL = "`expand-vars eval {}` changes it in place"
_OPTION = re.compile(r"^ +(--[\w-]+)", re.MULTILINE)
_EXPORT = "export "
_VERSION = "`expand-vars --version` prints the version"
_IN_PLACE = "`expand-vars eval FILE` changes a file in place"
_OF_EVAL = "it is one of `expand-vars eval FILE`"
_HABITS = {
    **dict.fromkeys(("-V", "version"), _VERSION),
    **dict.fromkeys(("-f", "-i"), _IN_PLACE),
    "--set": "a variable is `NAME=VALUE` alone",
    "-o": "the result is standard output, and `expand-vars eval FILE --output FILE` writes a file",
}
"""What other tools call it, each with what to do; for the filter alone."""

_SEVERAL: dict[str, Any] = {"action": "append", "default": []}
_SHARED: dict[str, dict[str, Any]] = {
    "--env": {
        "metavar": "NAME",
        "help": "variables from the environment, these alone: NAME[,NAME], or NAME=FROM",
        **_SEVERAL,
    },
    "--inline": {
        "metavar": "SOURCE",
        "choices": INLINE,
        "help": f"also write values of {', '.join(INLINE)}",
        **_SEVERAL,
    },
    "--on-conflict": {"choices": ON_CONFLICT, "default": DEFAULT_ON_CONFLICT, "help": "who wins a conflict"},
    "--results": {"metavar": "FILE", "help": "write every finding here too, as a list of results"},
    "--show-secrets": {"action": "store_true", "help": "with --diff: do not mask the values of Secrets"},
    "--strategy": {"choices": STRATEGIES, "default": DEFAULT_STRATEGY, "help": "Apply: what kubectl apply would do"},
    "--strict": {"action": "store_true", "help": "fail if a reference stays that should not, or on a typo"},
    "--target": {
        "metavar": "PRESET",
        "choices": PRESETS,
        "help": f"also expand {', '.join(PRESETS)}",
        **_SEVERAL,
    },
}
"""The options that several commands have."""


def parser(command: str, usage: str, description: str, epilog: str) -> ArgumentParser:
    """Return a parser for the arguments of a command. `usage` is what stands behind the command's name.

    Options cannot be shortened: a script that uses a prefix of one would break when another option gets that prefix.
    """
    return argparse.ArgumentParser(
        prog=f"expand-vars {command}".rstrip(),
        usage=f"%(prog)s {usage}",
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def parsed(parser: ArgumentParser, given: Sequence[str]) -> Namespace:
    """Return the options, which may stand between the other arguments. SystemExit for help and wrong usage."""
    options, unknown = parser.parse_known_intermixed_args(given)
    for word in unknown:
        # argparse names all that stands behind an option it does not know, too.
        if word.startswith("-"):
            name = word.partition("=")[0]
            hint = _hint(name, _options(parser), f"`{parser.prog} --help` lists the options")
            hint = hint if " " in parser.prog else _habit(name) or hint
            parser.error(f"`{name}` is no option of `{parser.prog}`; {hint}")
    if unknown:
        parser.error(f"`{unknown[0]}` is one argument too many")
    _check_outputs(options, parser)
    return options


def _check_outputs(options: Namespace, parser: ArgumentParser) -> None:
    """Refuse to write over a file that is read, or over one of the user's own. SystemExit."""
    results_file, output = getattr(options, "results", None), getattr(options, "output", None)
    if results_file and not _may_be_replaced(results_file):
        parser.error(f"--results {results_file}: this file is there, and holds no results: name another one")
    # `merge3` may write its output over LOCAL.
    inputs = [getattr(options, name, None) for name in ("fn_config", "env_file", "origin", "update")]
    given = [*filter(None, inputs), *getattr(options, "mixed", ())]
    if output and os.path.isfile(output) and any(_is_file(output, one) for one in given):
        parser.error(f"--output {output}: this file is read, too: name another one")


def _is_file(path: str, other: str) -> bool:
    """True if two names lead to one file, by links too."""
    return os.path.exists(other) and os.path.samefile(path, other)


def _may_be_replaced(path: str) -> bool:
    """True if no file is there, or one of results. A pipe and a device take what they get."""
    # Whoever writes says why a file that cannot be read cannot be written.
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return True
    with open(path, "rb") as file:
        start = file.read(len(b"packages:"))
    return not start or start.startswith((b"results:", b"packages:"))


def add(parser: ArgumentParser, *options: str) -> None:
    """Add options that several commands have."""
    for option in options:
        parser.add_argument(option, **_SHARED[option])


def check_policies(options: Namespace, parser: ArgumentParser) -> None:
    """Refuse policies that do not go together. SystemExit."""
    if options.strategy == "Apply" and options.on_conflict != DEFAULT_ON_CONFLICT:
        parser.error("with --strategy Apply update always wins: --on-conflict cannot be given")


def of_environment(given: Iterable[str], parser: ArgumentParser) -> list[tuple[str, str]]:
    """Return the variables that `--env` names. SystemExit for one that is not set."""
    pairs = [one.partition("=") for option in given for one in ([option] if "=" in option else option.split(","))]
    found = []
    for name, equals, source in pairs:
        value = os.environ.get(source if equals else name)
        if value is None:
            parser.error(f"--env {name}{equals}{source}: `{source or name}` is not set in the environment")
        found.append(variable(f"{name}={value}", parser))
    return found


def write_results(found: Iterable[Result], path: str | None) -> bool:
    """Write results to the file of `--results`, if it is given. False if that failed; standard error says why."""
    return write_data({"results": [result.as_data() for result in results.capped(found, MOST_OF_A_REASON)]}, path)


def write_data(data: dict[str, Any], path: str | None) -> bool:
    """Write data to the file of `--results`, as `write_results` does."""
    return path is None or stdio.write_file(path, (f"{line}\n" for line in style.block(data, Layout())))


def variable(argument: str, parser: ArgumentParser, commands: Collection[str] = ()) -> tuple[str, str]:
    """Return the name and the value of a NAME=VALUE argument. SystemExit for any other, which may be a command."""
    name, equals, value = argument.partition("=")
    if not equals and os.path.isdir(argument):
        parser.error(f"`{argument}` is a directory: {_EVAL.format(argument)}")
    if not equals and os.path.exists(argument):
        parser.error(f"`{argument}` is a file: `expand-vars < {argument}` prints it expanded, {_EVAL.format(argument)}")
    if not equals:
        hint = _HABITS.get(argument) or _hint(argument, commands, "`expand-vars --help` lists the commands")
        parser.error(f"`{argument}` is neither NAME=VALUE nor a command; {hint}")
    try:
        argument.encode()
    except UnicodeEncodeError:
        parser.error(f"the value of `{name}` is not UTF-8")
    return name, value


def _options(parser: ArgumentParser) -> list[str]:
    return _OPTION.findall(parser.format_help())


def _habit(name: str) -> str | None:
    """Return what to do with an option that other tools have, or `eval`; None for any other."""
    from expand_vars.commands import eval_options  # noqa: PLC0415 - only a mistake needs it

    return _OF_EVAL if name in _options(eval_options.parser()) else _HABITS.get(name)


def _hint(word: str, known: Collection[str], otherwise: str) -> str:
    """Return the advice for a word that is not known: the nearest one that is, or what to do `otherwise`."""
    from difflib import get_close_matches  # noqa: PLC0415 - as above

    near = [one for one in known if one.startswith(word)] or get_close_matches(word, known, n=1)
    return f"did you mean `{near[0]}`?" if near else otherwise


def separate(options: Namespace, parser: ArgumentParser) -> None:
    """Make `paths` and `variables` of what is `mixed`, and of `--env`. What has a `/` before its `=` is a path."""
    is_path = {one: "=" not in one or "/" in one.partition("=")[0] for one in options.mixed}
    options.paths = [one for one in options.mixed if is_path[one]]
    given = [variable(one, parser) for one in options.mixed if not is_path[one]]
    options.variables = [*of_environment(options.env, parser), *given]


def real(path: str) -> str:
    """Return a path without symbolic links. InputError where there is nothing."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        raise stdio.InputError(f"{path}: {error.strerror}") from None


def env_file(path: str | None) -> list[tuple[str, str]]:
    """Return the variables of an env file: a line NAME=VALUE for each, taken literally, and comments. InputError."""
    found = []
    # Not splitlines(): a value may hold what is a line break to Python alone, such as U+2028.
    for number, line in enumerate([] if path is None else stdio.read_file(path).split("\n"), start=1):
        name, equals, value = line.removesuffix("\r").partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if not equals:
            raise stdio.InputError(f"{path}:{number}: this is not NAME=VALUE; a comment starts with `#`")
        # A shell would set NAME. Taken literally, the variable would be called `export NAME`, and nothing would say so.
        if name.lstrip().startswith(_EXPORT):
            plain = name.lstrip().removeprefix(_EXPORT).strip()
            raise stdio.InputError(f"{path}:{number}: `export` is a word of shells: write `{plain}=...` alone")
        found.append((name.strip(), value))
    return found


def function_config(path: str | None, base: str = "") -> Resource | None:
    """Return the functionConfig in a file, None for no path. InputError if the file cannot be read.

    Results name the file as it is called from a directory `base`.
    """
    if path is None:
        return None
    text = stdio.read_file(path)
    config = Resource(text, (0, len(text)), path, has_lines=True)
    config.path = os.path.relpath(path, base) if base else path
    return config
