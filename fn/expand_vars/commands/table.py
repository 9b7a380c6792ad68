"""The commands of `expand-vars` and their options, each in one row (docs/command-line.md)."""

from __future__ import annotations

from expand_vars.functionconfig.model import INLINE, PRESETS, RECORD
from krm.commands import table
from krm.commands.options import COMPLETION, STDIN, VARIABLE, Command, Option, Program

FILTER = ""
"""The command without a name: standard input to standard output."""

_RUNS = (FILTER, "eval", "explain")
_FILES = "is about files"
_ALONE = "makes each package a run of its own"
_VARIABLES = f"{VARIABLE}..."

COMMANDS = (
    Command(FILTER, "[NAME=VALUE...] < INPUT > OUTPUT", "expand standard input", _VARIABLES),
    Command(
        "eval",
        "PATH... [NAME=VALUE...]",
        "expand files and directories in place: only what changes is written",
        "PATH...",
    ),
    Command(
        "explain", "PATH... [NAME=VALUE...]", "show every reference, its value, and where that comes from", "PATH..."
    ),
    Command("schema", "", "print the JSON Schema of kind ExpandVars, or the KRMFunctionDefinition"),
    Command("migrate", "KUSTOMIZATION", "print the ExpandVars in the place of kustomize's `vars`", "KUSTOMIZATION"),
    COMPLETION,
)

OPTIONS = (
    Option("--version", "print the version", FILTER),
    Option("--definition", "print the KRMFunctionDefinition instead", "schema"),
    # What a run of the function is told.
    Option("--fn-config", "use this functionConfig in the place of any other", *_RUNS, value="FILE"),
    Option("--env-file", "variables, a line NAME=VALUE for each, taken literally", *_RUNS, value="FILE"),
    Option(
        "--env",
        "variables from the environment, these alone: NAME[,NAME], or NAME=FROM",
        *_RUNS,
        value="NAME,...",
        is_list=True,
    ),
    Option(
        "--target",
        "`All`: also expand free text, such as annotations",
        *_RUNS,
        value="PRESET",
        words=PRESETS,
        is_list=True,
    ),
    Option("--inline", f"also write values of {', '.join(INLINE)}", *_RUNS, value="SOURCE", words=INLINE, is_list=True),
    Option("--record", "whether an expanded field keeps its reference in a comment", FILTER, "eval", words=RECORD),
    Option("--strict", "fail if a reference stays that should not, or on a typo", *_RUNS),
    # What `eval` does with files, and what it shows of that.
    Option(
        "--output",
        "write the files of the one PATH there, expanded",
        "eval",
        value="DIR",
        excludes=(STDIN, "--stdout", "--restore"),
        because="writes the files of one PATH",
    ),
    Option("--diff", "show the changes as a unified diff", "eval", excludes=(STDIN, "--stdout"), because=_FILES),
    Option("--show-secrets", "with --diff: do not mask the values of Secrets", "eval"),
    Option(
        "--check",
        "write nothing; exit code 3 if something would change",
        "eval",
        excludes=(STDIN, "--stdout"),
        because=_FILES,
    ),
    Option("--stdout", "write the resources to standard output, and no file", "eval"),
    Option(
        "--restore",
        "put the references back: the undo of all runs",
        "eval",
        excludes=(STDIN, VARIABLE, "--env", "--env-file", "--fn-config", "--target", "--inline", "--record"),
        because="expands nothing",
    ),
    Option(
        "--shard",
        "only the packages of shard I of N, from 0 on, each by itself",
        "eval",
        value="I/N",
        excludes=(STDIN, "--stdout"),
        because=_ALONE,
    ),
    Option(
        "--changed-since",
        "only the packages in which git sees a change since then",
        "eval",
        value="COMMIT",
        excludes=(STDIN, "--stdout"),
        because=_ALONE,
    ),
    Option("--verbose", "name what is left alone, and tell infos too", "eval"),
    Option("--no-color", "no colours, as where NO_COLOR is set", "eval"),
    Option(
        "--results",
        "write every finding here too, as a list of results",
        "eval",
        value="FILE",
        excludes=(STDIN,),
        because=_FILES,
    ),
    # What `explain` and `migrate` print.
    Option("--output", "the form of the answer", "explain", words=("table", "json", "yaml"), default="table"),
    Option("--suggest", "print what to add to the functionConfig, so that all variables are expanded", "explain"),
    Option("--comments", "write the values into the files, with a comment `# expand:` beside each", "migrate"),
    Option("--from-setters", "change the files of a package: comments `# kpt-set:` become `# expand:`", "migrate"),
)

PROGRAM = Program("expand-vars", COMMANDS, OPTIONS, beside=dict.fromkeys(table.PROGRAM.commands, "krm"))
