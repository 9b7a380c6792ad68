"""The table of a program's options, with the parsers, the help and the completion that are made of it.

An option is one row (docs/reference/command-line.md). Usage, help, completion and the table of that page read it.
"""

from __future__ import annotations

import argparse
import os
from itertools import pairwise

from krm import stdio
from krm.vocabulary import is_misspelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Collection, Mapping, Sequence
    from typing import Any, NoReturn

_FORMS = ("diff", "json", "text", "yaml")
_COMPLETION = "Print what lets a shell complete commands and options: `source <({} completion bash)`."
_BASH = """\
_{function}() {{
  local command="${{COMP_WORDS[1]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" options= words=
  case "$command" in
{options}  esac
  case "$command $previous" in
{words}  esac
  [ "$COMP_CWORD" != 1 ] || options="$options {commands}"
  COMPREPLY=($(compgen -W "${{words:-$options}}" -- "${{COMP_WORDS[COMP_CWORD]}}"))
}}
complete -o default -F _{function} {name}
"""

STDIN = "-"
"""The word for standard input, in the place of a path."""

VARIABLE = "NAME=VALUE"
"""The word for all arguments that are variables."""


class Option:
    """A row of the table. Commands may have different options of one name, each a row.

    `value` is the name of its value, and `words` are the only values that it takes; a flag has neither. With `is_list`
    it may be given several times. It cannot be given with what it `excludes`, and why not: that completes "which ...".
    Without another option that it `needs` it has no effect, and cannot be given either.
    """

    def __init__(  # noqa: PLR0913 - the columns of the table
        self,
        name: str,
        sentence: str,
        *commands: str,
        value: str = "",
        words: Sequence[str] = (),
        default: object = None,
        is_list: bool = False,
        excludes: tuple[Collection[str], str] = ((), ""),
        needs: str = "",
    ) -> None:
        self.name = name
        self.sentence = sentence
        self.commands = commands
        self.value = value or "|".join(words)
        self.words = words
        self.default = default
        self.is_list = is_list
        self.excludes, self.because = excludes
        self.needs = needs

    @property
    def attribute(self) -> str:
        """The attribute of the parsed options."""
        return self.name.removeprefix("--").replace("-", "_")

    @property
    def help(self) -> str:
        """The sentence, with the default where that is not nothing."""
        return self.sentence if self.default is None else f"{self.sentence} ({self.default}, unless said)"


def of_results(*commands: str, excludes: Collection[str] = ()) -> tuple[Option, Option]:
    """Return the rows for the results of commands: the file that gets all of them, and the form of standard error."""
    written, why = "write all results here too, as a list", "is about files"
    told = "how standard error tells results: `json` is an object for each field, `github` an annotation"
    forms = "text", "json", "github"
    return (
        Option("--results", written, *commands, value="FILE", excludes=(excludes, why)),
        Option("--format", told, *commands, words=forms, default="text", excludes=(excludes, why)),
    )


class Command:
    """A command: the words of its usage behind the options, one sentence, and the arguments that are no options.

    The name of an argument ends in `...` if there may be several; the parsed options have these as `words`.
    """

    def __init__(self, name: str, usage: str, sentence: str, *arguments: str) -> None:
        self.name = name
        self.usage = usage
        self.sentence = sentence
        self.arguments = arguments


COMPLETION = Command("completion", "bash|zsh|fish", "print the completion for a shell", "SHELL")
"""The command that each program has."""


class Program:
    """A program: its commands, of which the first has no name, and its table of options.

    `beside` are the commands of other programs, each with its program: somebody may give one of them to this one.
    `habits` are hints, each with the words of other programs that it is for. A command and `:` may be in front.
    """

    def __init__(
        self,
        name: str,
        commands: Sequence[Command],
        options: Sequence[Option],
        beside: Mapping[str, str],
        habits: Mapping[str, str],
    ) -> None:
        self.name = name
        self.beside = beside
        self.habits = {word: advice for advice, words in habits.items() for word in words.split()}
        self.commands = {command.name: command for command in commands}
        self.options = options

    def of(self, command: str) -> list[Option]:
        """Return the options of a command."""
        return [option for option in self.options if command in option.commands]

    def hint(self, word: str, known: Collection[str]) -> str:
        """Return a hint about a word: that of a habit, or the one known word that it misspells or starts, else ""."""
        # Words that are merely alike may do the opposite.
        near = [one for one in known if is_misspelt(word, one)] or [one for one in known if one.startswith(word)]
        return self.habits.get(word) or (f"did you mean `{near[0]}`?" if len(near) == 1 else "")

    def called(self, command: str) -> str:
        """Return how a command is called."""
        return f"{self.name} {command}".rstrip()

    def usage(self, command: str) -> str:
        """Return the line that says how a command is used."""
        words = self.commands[command].usage
        is_short = any(option.name not in words for option in self.of(command))
        return f"{self.called(command)}{' [OPTION]...' if is_short else ''} {words}".rstrip()

    def summary(self) -> str:
        """Return the lines of the help that name the commands."""
        named = [command for command in self.commands.values() if command.name]
        width = max(len(f"{command.name} {command.usage}") for command in named)
        return "".join(f"  {f'{one.name} {one.usage}'.ljust(width)}  {one.sentence}\n" for one in named)


class _Once(argparse.Action):
    """The value of an option that is given once: of two nobody could tell which one counts."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: Namespace, values: object, option_string: str | None = None
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            parser.error(f"`{option_string}` is given twice: leave one out")
        setattr(namespace, self.dest, values)


class Parser(argparse.ArgumentParser):
    """The parser of one command, made of the table.

    Options cannot be shortened: a script that uses a prefix of one would break when another option gets that prefix.
    """

    def __init__(
        self, program: Program, command: str, description: str, epilog: str, **readers: Callable[[str], Any]
    ) -> None:
        """Take what the help says around the options. One of which not every text is a value has one of `readers`."""
        super().__init__(
            prog=program.called(command),
            usage=program.usage(command).replace("%", "%%"),
            description=description,
            epilog=epilog,
            formatter_class=lambda prog: argparse.RawDescriptionHelpFormatter(prog, max_help_position=34, width=120),
            allow_abbrev=False,
        )
        self.program = program
        self._command = command
        self._table = program.of(command)
        for option in self._table:
            self._add(option, readers.get(option.attribute, str))
        for name in program.commands[command].arguments:
            if name.endswith("..."):
                self.add_argument("words", metavar=name.removesuffix("..."), nargs="*", help=argparse.SUPPRESS)
            else:
                self.add_argument(name.lower(), metavar=name, help=argparse.SUPPRESS)

    def _add(self, option: Option, reader: Callable[[str], Any]) -> None:
        if not option.value:
            self.add_argument(option.name, action="store_true", help=option.help)
            return
        self.add_argument(
            option.name,
            metavar=option.value,
            choices=option.words or None,
            action="append" if option.is_list else _Once,
            type=reader,
            help=option.help,
        )

    def parsed(self, argv: Sequence[str]) -> Namespace:
        """Return the options, which may stand between the other arguments. SystemExit for help and wrong usage."""
        if any(not word or (word.startswith("--") and word.endswith("=")) for word in argv):
            self.error("an argument is empty, as where a variable of the shell is unset: `.` is this directory")
        # The command of another program, and which.
        if not self._command and argv and (other := self.program.beside.get(argv[0])):
            self.exit(2, f"{self.prog}: error: `{argv[0]}` is a command of `{other}`: `{other} {argv[0]}`\n")
        # argparse takes `-x.yaml` for an option even there.
        end = argv.index("--") if "--" in argv else len(argv)
        behind = (f"./{word}" if word.startswith("-") and word != STDIN else word for word in argv[end + 1 :])
        options, unknown = self.parse_known_intermixed_args([*argv[:end], *behind])
        for word in unknown:
            # argparse names all that stands behind an option it does not know, too.
            if word.startswith("-"):
                name, _, value = word.partition("=")
                hint = self._hint(name) or (f"a variable is `{word.lstrip('-')}`, without dashes" if value else "")
                hint = f"a file is `./{word}`" if os.path.exists(word) else hint
                self.error(f"`{name}` is no option of `{self.prog}`{'; ' * bool(hint)}{hint}")
        if unknown:
            self.error(f"`{unknown[0]}` is one argument too many")
        given = [word.partition("=")[0] for word in getattr(options, "words", ()) if not is_path(word)]
        if twice := [name for name, other in pairwise(sorted(given)) if name == other]:
            self.error(f"`{twice[0]}` is given twice: leave one out")
        self._refuse_what_does_not_go_together(options)
        for option in self._table:
            if getattr(options, option.attribute) is None:
                setattr(options, option.attribute, [] if option.is_list else option.default)
        self._check_outputs(options)
        return options

    def error(self, message: str) -> NoReturn:
        """End the process with the usage, a sentence, and where the options are."""
        text = f"{self.prog}: error: {message}\n`{self.prog} --help` lists the options\n"
        self.exit(2, f"{self.format_usage()}{text}")

    def _hint(self, name: str) -> str:
        """Return a hint about an option that this command does not have."""
        others = (one for option in self.program.options if option.name == name for one in option.commands)
        other = next(others, None)
        if other is not None:
            return f"it is one of `{self.program.called(other)}`"
        of_command = self.program.habits.get(f"{self._command}:{name}")
        return of_command or self.program.hint(name, [option.name for option in self._table])

    def _refuse_what_does_not_go_together(self, options: Namespace) -> None:
        for option in self._table:
            value = getattr(options, option.attribute)
            if not value or value == option.default:
                continue
            if option.needs and not _is_given(options, option.needs):
                self.error(f"{option.name} has no effect without {option.needs}: give both")
            for other in option.excludes:
                if _is_given(options, other):
                    named = f"`{other}`" if other == STDIN else other
                    chosen = f"{option.name} {value}" if option.words else option.name
                    self.error(f"{named} cannot be given with {chosen}, which {option.because}")

    def _check_outputs(self, options: Namespace) -> None:
        """Refuse to write over a file that is read, or over one of the user's own. SystemExit."""
        results_file, output = getattr(options, "results", None), getattr(options, "output", None)
        if results_file and (problem := _why_not_written(results_file, output)):
            self.error(f"--results {results_file}: {problem}")
        # `merge3` may write its output over LOCAL.
        inputs = [getattr(options, name, None) for name in ("fn_config", "env_file", "origin", "update")]
        given = [*filter(None, inputs), *getattr(options, "words", ())]
        # `explain` has forms, and the places of the other commands are named like files.
        if output in _FORMS and not any(option.words for option in self._table if option.name == "--output"):
            self.error(f"--output {output}: it names a place, and no form: write `./{output}` if it is one")
        # By links, too.
        there = filter(os.path.exists, given)
        if output and os.path.isfile(output) and any(os.path.samefile(output, one) for one in there):
            self.error(f"--output {output}: this file is read, too: name another one")


def is_path(word: str) -> bool:
    """True for an argument that is a path, and no NAME=VALUE.

    A value such as an image may have a `/`, so only one in front of the `=` makes a path: ./a=b.yaml
    """
    return "=" not in word or "/" in word.partition("=")[0]


def _is_given(options: Namespace, name: str) -> bool:
    if name == STDIN:
        return STDIN in getattr(options, "words", ())
    if name == VARIABLE:
        return not all(map(is_path, options.words))
    return bool(getattr(options, Option(name, "").attribute, None))


def _why_not_written(path: str, output: str | None) -> str:
    """Return why a path cannot have results, "" if it can: no file is there, or one of results, a pipe or a device.

    The run makes the directory `output`.
    """
    above = path if os.path.exists(path) else os.path.dirname(path) or os.curdir
    if output and not os.path.exists(above) and os.path.abspath(above) == os.path.abspath(output):
        return ""
    if os.path.isdir(path) or not os.access(above, os.W_OK):
        return "this is no file that you may write: name one in a directory that is there"
    if not os.path.isfile(path) or not os.access(path, os.R_OK):
        return ""
    with open(path, "rb") as file:
        start = file.read(len(b"packages:"))
    is_ours = not start or start.startswith((b"results:", b"packages:"))
    return "" if is_ours else "this file is there, and holds no results: name another one"


def complete(argv: Sequence[str], program: Program) -> int:
    """Run the command `completion` and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(program, COMPLETION.name, _COMPLETION.format(program.name), "")
    shell = parser.parsed(argv[1:]).shell
    if shell not in _SHELLS:
        parser.error(f"`{shell}` is none of {', '.join(_SHELLS)}")
    return int(not stdio.write((_SHELLS[shell](program),)))


def _bash(program: Program) -> str:
    """Return the script for bash. The options of the command without a name are those of any other first word."""
    named = {name or "*": program.of(name) for name in sorted(program.commands, reverse=True)}
    options = [f"    {name}) options='{' '.join(one.name for one in table)}' ;;\n" for name, table in named.items()]
    words = [
        f"    {name}' {one.name}') words='{' '.join(one.words)}' ;;\n"
        for name, table in named.items()
        for one in table
        if one.words
    ]
    return _BASH.format(
        function=program.name.replace("-", "_"),
        name=program.name,
        options="".join(options),
        words="".join(words),
        commands=" ".join(filter(None, program.commands)),
    )


def _fish(program: Program) -> str:
    """Return the script for fish, whose menus show the sentences."""
    lines = [
        f"complete -c {program.name} -n __fish_use_subcommand -a {one.name} -d {_quoted(one.sentence)}\n"
        for one in program.commands.values()
        if one.name
    ]
    for one in program.options:
        seen = [f"__fish_seen_subcommand_from {name}" if name else "__fish_use_subcommand" for name in one.commands]
        values = f" -a {_quoted(' '.join(one.words))} -x" if one.words else " -r" if one.value else ""
        name, when = one.name.removeprefix("--"), _quoted("; or ".join(seen))
        lines.append(f"complete -c {program.name} -n {when} -l {name}{values} -d {_quoted(one.sentence)}\n")
    return "".join(lines)


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


_ZSH = """\
(( $+functions[compdef] )) || { autoload -U compinit && compinit -i; }
autoload -U bashcompinit && bashcompinit
"""
"""What lets zsh take the script for bash. A `.zshrc` with nothing else has no `compinit`."""

_SHELLS: dict[str, Callable[[Program], str]] = {
    "bash": _bash,
    "zsh": lambda program: _ZSH + _bash(program),
    "fish": _fish,
}
"""What makes the script of each shell."""
