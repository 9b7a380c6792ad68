"""The commands of `krm` and their options, each in one row (docs/reference/command-line.md)."""

from __future__ import annotations

from krm.commands.options import COMPLETION, Command, Option, Program, complete, of_results
from krm.merge.policy import DEFAULT_ON_CONFLICT, DEFAULT_STRATEGY, ON_CONFLICT, STRATEGIES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OF_EXPAND_VARS = ("eval", "explain", "migrate", "schema")

COMMANDS = (
    Command("", "--version | COMMAND [ARGUMENT]...", "show the help"),
    Command("merge3", "ORIGIN UPDATE LOCAL", "bring what changed into LOCAL", "ORIGIN", "UPDATE", "LOCAL"),
    Command("git-merge", "--install [--local] | --uninstall", "let git merge YAML field by field in this repository"),
    Command("solve", "FILE... | --all", "merge again, field by field, what git left unmerged", "FILE..."),
    Command("merge2", "UPDATE LOCAL", "put the fields of UPDATE over those of LOCAL", "UPDATE", "LOCAL"),
    Command("wrap", "-- COMMAND [ARG...]", "merge what COMMAND prints into the items, as what it generates", "WORD..."),
    Command("source", "DIRECTORY > LIST", "print the resources of a directory as a ResourceList", "DIRECTORY"),
    Command("sink", "DIRECTORY < LIST", "write a ResourceList to a directory: only what changed", "DIRECTORY"),
    Command("new", "NAME", "make a function to start from, with its test and its image", "NAME"),
    COMPLETION,
)

OPTIONS = (
    Option("--version", "print the version", ""),
    # Merges.
    Option("--diff", "of directories: show the changes as a unified diff", "merge3"),
    Option("--show-secrets", "do not mask the values of Secrets", "merge3", needs="--diff"),
    Option(
        "--strategy",
        "Apply: what kubectl apply would do",
        "merge3",
        "wrap",
        words=STRATEGIES,
        default=DEFAULT_STRATEGY,
        excludes=(("--on-conflict", "--adopt"), "lets update win always"),
    ),
    # A function runs where nobody is: it goes on. Who merges files decides.
    Option("--on-conflict", "who wins a conflict", "merge3", words=ON_CONFLICT, default="Error"),
    Option("--on-conflict", "who wins a conflict", "wrap", words=ON_CONFLICT, default=DEFAULT_ON_CONFLICT),
    Option("--adopt", "who wins in a resource that was there before it was printed", "wrap", words=ON_CONFLICT),
    Option("--strict", "fail where LOCAL lacks what UPDATE is about", "merge2"),
    Option("--output", "write here, and not to standard output or to LOCAL", "merge3", "merge2", value="FILE"),
    Option("--install", "let git merge YAML with this program in this repository", "git-merge"),
    Option("--uninstall", "let it no longer", "git-merge"),
    Option("--local", "in this clone alone, by `.git/info/attributes`", "git-merge", needs="--install"),
    Option("--all", "every unmerged YAML file below this folder", "solve"),
    *of_results("merge3", "merge2"),
    # Packages, and programs that generate.
    Option("--fn-config", "the functionConfig of the list", "source", value="FILE"),
    Option("--export", "the fields that COMMAND gets as variables, `*` for all", "wrap", value="NAME,..."),
    Option("--no-prune", "keep what COMMAND prints no longer", "wrap"),
    Option("--allow-empty", "let COMMAND print nothing: then all of it is deleted", "wrap"),
    Option("--timeout", "end COMMAND, and fail, after that time", "wrap", value="SECONDS", default=600),
    Option("--max-output", "end COMMAND, and fail, when it prints more than that", "wrap", value="MIB", default=64),
)

HABITS = {
    "`krm --version` prints the version": "-V -v version",
    "`krm merge3 ORIGIN UPDATE LOCAL` merges files and directories": "merge update upgrade pull diff3 --merge",
    "`krm git-merge --install` lets git merge with this program": "install setup init config driver",
    "`krm solve FILE` merges again what git left unmerged": "resolve mergetool --continue --resolve rerere",
    "`krm wrap -- COMMAND` makes a function of a program": "fn run exec render build template generate",
    "`krm source DIRECTORY` prints the resources of a directory": "cat read list get",
    "`krm sink DIRECTORY` writes resources to a directory": "write apply put",
    "`krm merge3 DIRECTORY DIRECTORY DIRECTORY --diff` shows what changes": "diff --dry-run --preview",
    "`--on-conflict KeepLocal` keeps local's side": "--ours --keep -Xours",
    "`--on-conflict TakeUpdate` takes update's side": "--theirs --force --update -Xtheirs",
    "`--output FILE` writes to a file": "-o --stdout -p",
    "directories are read whole": "-R -r --recursive",
    "what is told goes to standard error, which `2> /dev/null` drops": "-q --quiet --silent",
}
"""What to do, each with the words that git, kpt, kustomize and others have for it."""

PROGRAM = Program("krm", COMMANDS, OPTIONS, dict.fromkeys(_OF_EXPAND_VARS, "expand-vars"), HABITS)


def main(argv: Sequence[str]) -> int:
    """Run `completion` and return its exit code. SystemExit for help and wrong usage."""
    return complete(argv, PROGRAM)
