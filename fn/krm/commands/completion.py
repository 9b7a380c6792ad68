"""The command `completion` of a program: the words that a shell completes, made of the table of its options."""

from __future__ import annotations

from krm import stdio
from krm.commands.options import COMPLETION, Parser
from krm.commands.table import PROGRAM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.commands.options import Option, Program

_DESCRIPTION = "Print what lets a shell complete commands and options: `source <({} completion bash)`."

_BASH = """\
_{function}() {{
  local command="${{COMP_WORDS[1]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" options= words=
  case "$command" in
{options}  esac
  case "$command $previous" in
{words}  esac
  [ "$COMP_CWORD" != 1 ] || options="$options {commands}"
  mapfile -t COMPREPLY < <(compgen -W "${{words:-$options}}" -- "${{COMP_WORDS[COMP_CWORD]}}")
}}
complete -o default -F _{function} {name}
"""


def main(given: Sequence[str], program: Program = PROGRAM) -> int:
    """Run the command and return its exit code. SystemExit for help and wrong usage."""
    parser = Parser(program, COMPLETION.name, _DESCRIPTION.format(program.name), "")
    shell = parser.parsed(given[1:]).shell
    if shell not in SHELLS:
        parser.error(f"`{shell}` is none of {', '.join(SHELLS)}")
    return int(not stdio.write((SHELLS[shell](program),)))


def bash(program: Program) -> str:
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


def zsh(program: Program) -> str:
    """Return the script for zsh, which runs that of bash."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash(program)}"


def fish(program: Program) -> str:
    """Return the script for fish, whose menus show the sentences."""
    lines = [
        f"complete -c {program.name} -n __fish_use_subcommand -a {one.name} -d {_quoted(one.sentence)}\n"
        for one in program.commands.values()
        if one.name
    ]
    return "".join([*lines, *(_of_fish(program, option) for option in program.options)])


def _of_fish(program: Program, option: Option) -> str:
    seen = [f"__fish_seen_subcommand_from {name}" if name else "__fish_use_subcommand" for name in option.commands]
    values = f" -a {_quoted(' '.join(option.words))} -x" if option.words else " -r" if option.value else ""
    when = _quoted("; or ".join(seen))
    return (
        f"complete -c {program.name} -n {when} -l {option.name.removeprefix('--')}{values} "
        f"-d {_quoted(option.sentence)}\n"
    )


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
"""What makes the script of each shell."""
