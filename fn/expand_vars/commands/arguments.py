"""The arguments of commands: their variables, their paths, and the file of a functionConfig."""

from __future__ import annotations

import os
import re

from expand_vars.functionconfig.parts import TARGET
from krm import stdio
from krm.commands.options import STDIN, is_path
from krm.encoding import visible
from krm.merge.policy import MergeOptions
from krm.package import folder
from krm.resource import KPTFILE, Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import cuts
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Collection, Iterable

    from expand_vars.functionconfig.config import Config
    from krm.commands.options import Parser

_EVAL = "`expand-vars eval {}` changes it in place"
_EXPORT = "export "


def variables(options: Namespace, parser: Parser) -> list[tuple[str, str]]:
    """Return the variables that options and arguments give. SystemExit for a wrong one, InputError for a wrong file."""
    words = [_variable(word, parser) for word in options.words if not is_path(word)]
    return [*_env_file(options.env_file), *_of_environment(options.env, parser), *words]


def with_options(config: Config, options: Namespace) -> Config:
    """Give a Config the options of a run, and return it. FnError for one that its strategy does not have."""
    config.targets += tuple(TARGET.read({"preset": preset}, (), []) for preset in options.target)
    config.strict = config.strict or options.strict
    # An env file may have variables for other runs, too.
    named = (*_environment_names(options.env), *(word for word in options.words if not is_path(word)))
    config.arguments = frozenset(one.partition("=")[0] for one in named)
    if getattr(options, "record", None):
        config.record = options.record
    if getattr(options, "adopt", None):
        config.merge = MergeOptions() if config.merge is None else config.merge
        if config.merge.strategy == "Apply":
            message = "`strategy: Apply` does what kubectl does, which has no `adopt`: leave `--adopt` out"
            raise FnError(Result(message, ERROR, "InvalidArgument", ref=config.ref))
        config.merge.adopt = options.adopt
    if options.inline:
        config.state("inline", config.inline.union(options.inline))
    return config


def refuse(word: str, parser: Parser) -> None:
    """Refuse an argument of the filter, which has variables alone. SystemExit."""
    if os.path.isdir(word):
        parser.error(f"`{word}` is a directory: {_EVAL.format(word)}")
    if os.path.exists(word):
        parser.error(f"`{word}` is a file: `expand-vars < {word}` prints it expanded, {_EVAL.format(word)}")
    hint = parser.program.hint(word, [name for name in parser.program.commands if name])
    parser.error(f"`{word}` is neither NAME=VALUE nor a command; {hint or '`expand-vars --help` lists the commands'}")


def find_paths(options: Namespace, parser: Parser, purpose: str) -> None:
    """Find the paths among the words. SystemExit where there is none, or another one beside standard input."""
    options.paths = [*dict.fromkeys(filter(is_path, options.words))]
    if not options.paths:
        parser.error(f"say what to {purpose}")
    if STDIN in options.paths and len(options.paths) > 1:
        parser.error(f"`{STDIN}` is standard input: no other path goes with it")


def _of_environment(given: Iterable[str], parser: Parser) -> list[tuple[str, str]]:
    """Return the variables that `--env` names. SystemExit for one that is not set."""
    found = []
    for name, equals, source in (one.partition("=") for one in _environment_names(given)):
        value = os.environ.get(source if equals else name)
        if value is None:
            bare = (source or name).strip("${}")
            hint = f": write `--env {f'{name}=' if equals else ''}{bare}`, without `$`" if bare in os.environ else ""
            parser.error(f"--env {name}{equals}{source}: `{source or name}` is not set in the environment{hint}")
        found.append(_variable(f"{name}={value}", parser))
    return found


def _environment_names(given: Iterable[str]) -> list[str]:
    """Return what `--env` names, option by option: NAME, or NAME=SOURCE for a variable with another name."""
    return [one for option in given for one in ([option] if "=" in option else option.split(","))]


def _variable(argument: str, parser: Parser) -> tuple[str, str]:
    """Return the name and the value of a NAME=VALUE argument. SystemExit for a text that is not UTF-8."""
    name, _, value = argument.partition("=")
    try:
        argument.encode()
    except UnicodeEncodeError:
        parser.error(f"the value of `{name}` is not UTF-8")
    return name, value


def real(path: str) -> str:
    """Return a path without symbolic links. InputError where there is nothing."""
    try:
        return os.path.realpath(path, strict=True)
    except OSError as error:
        name = re.match(r"[A-Z_][A-Z0-9_]*(?=:|\Z)", path)
        remedy = f"a variable is `{name[0]}=VALUE`" if name else "name a path that is there, such as `.`"
        raise stdio.unread(path, error, remedy) from None


class InputPaths:
    """The paths that are given, in the directory `base` that holds all of these. InputError where there is nothing.

    `below` are the paths in there, `tops` those of directories, `folders` the directories that files are read from.
    """

    def __init__(self, given: Iterable[str]) -> None:
        found = [*map(real, given)]
        self.folders = sorted({path if os.path.isdir(path) else os.path.dirname(path) for path in found})
        # One list of all: a ConfigMap in one directory may be the source of a variable in another.
        self.base, self.below = folder.around(found)
        self.tops = [below for below, path in zip(self.below, found, strict=True) if path in self.folders]

    def asks_for(self, path: str) -> bool:
        """True for a file that was named, and for a Kptfile: to go on without it would be another run."""
        named = (*self.below, *map(visible, self.below))
        return path in named or path.rpartition("/")[2] == KPTFILE

    def graded(self, left_alone: Result) -> Result:
        """Return a result about a file that is left alone: an error if it was asked for."""
        if self.asks_for(left_alone.file or ""):
            left_alone.severity = ERROR
        return left_alone


def _env_file(path: str | None) -> list[tuple[str, str]]:
    """Return the variables of an env file: a line NAME=VALUE for each, taken literally, and comments. InputError."""
    found: dict[str, str] = {}
    # Not splitlines(): a value may hold what is a line break to Python alone, such as U+2028.
    for number, line in enumerate([] if path is None else stdio.read_file(path).split("\n"), start=1):
        name, equals, value = line.removesuffix("\r").partition("=")
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        is_pair = equals and name.strip()
        problem = _problem(name, value, found) if is_pair else "this is not NAME=VALUE; a comment starts with `#`"
        if problem:
            raise stdio.InputError(f"{path}:{number}: {problem}")
        found[name.strip()] = value
    return [*found.items()]


def _problem(name: str, value: str, above: Collection[str]) -> str:
    """Return the sentence about a line that other readers of env files take otherwise, "" if there is none."""
    plain = name.lstrip().removeprefix(_EXPORT).strip()
    if name.lstrip().startswith(_EXPORT):
        return f"`export` is a word of shells: write `{plain}=...` alone"
    if name != name.rstrip():
        return f"a value begins right behind `=`: write `{plain}=...`, without blanks"
    if re.fullmatch(r"([\"']).*\1", value):
        return f"quotes are a part of the value here: write `{plain}=...` without them"
    if " # " in value:
        return "a comment behind a value is a part of it here: write it in a line of its own"
    return f"`{plain}` is given twice: leave one out" if plain in above else ""


def function_config(path: str | None, base: str = "") -> Resource | None:
    """Return the functionConfig in a file, None for no path. InputError if the file cannot be read.

    Of a file with several documents, `FILE#NAME` is the one that is called so.
    Results name the file as it is called from a directory `base`.
    """
    if path is None:
        return None
    file, _, name = (path, "", "") if "#" not in path or os.path.exists(path) else path.rpartition("#")
    text = stdio.read_file(file)
    if re.match(r"(?:#.*+\n|\s)*+\w++=", text):
        raise stdio.InputError(f"{path}: this is an env file, and no functionConfig: write `--env-file {path}`")
    try:
        documents = [Resource(text, span, file, has_lines=True) for span in cuts.document_spans(text)]
    except ParseError as error:
        raise stdio.InputError(f"{file}: {error}") from None
    whole = documents if len(documents) == 1 else [one for one in documents if one.root is not None]
    chosen = [one for one in documents if one.name == name] if name else whole
    if len(chosen) != 1:
        names = ", ".join(f"`{file}#{one.name}`" for one in documents if one.name)
        called = f" called `{name}`" if name else ""
        remedy = f"name {names}" if names else "a functionConfig has a `metadata.name`"
        raise stdio.InputError(f"{file} has {len(chosen) or 'no'} documents{called}: {remedy}")
    chosen[0].path = os.path.relpath(file, base) if base else file
    return chosen[0]
