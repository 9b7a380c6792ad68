"""The commands of `expand-vars` and their options, each in one row (docs/reference/command-line.md)."""

from __future__ import annotations

from expand_vars.functionconfig.model import INLINE, PRESETS, RECORD
from krm import stdio
from krm.commands import table
from krm.commands.options import COMPLETION, STDIN, VARIABLE, Command, Option, Parser, Program, complete, of_results
from krm.merge.policy import ON_CONFLICT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

FILTER = ""
"""The command without a name: standard input to standard output."""

_RUNS = (FILTER, "eval", "explain")
_OF_FILES = (STDIN, "--stdout"), "is about files"
_OF_PACKAGES = (STDIN, "--stdout"), "makes each package a run of its own"

COMMANDS = (
    Command(FILTER, "[NAME=VALUE...] < INPUT > OUTPUT", "expand standard input", f"{VARIABLE}..."),
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

_OF_EXPANSION = ("--env", "--env-file", "--fn-config", "--target", "--inline", "--record", "--adopt", "--strict")

OPTIONS = (
    Option("--version", "print the version", FILTER),
    Option("--definition", "print the KRMFunctionDefinition instead", "schema"),
    # What a run of the function is told.
    Option("--fn-config", "use this functionConfig in the place of any other", *_RUNS, value="FILE[#NAME]"),
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
    Option("--adopt", "who wins in a resource that was there before a template made it", "eval", words=ON_CONFLICT),
    Option("--strict", "fail if a reference stays that should not, or on a typo", *_RUNS),
    # What `eval` does with files, and what it shows of that.
    Option(
        "--output",
        "write the files there, expanded; those of several PATHs below DIR/PATH",
        "eval",
        value="DIR",
        excludes=((STDIN, "--stdout", "--restore"), "writes the files of PATH"),
    ),
    Option("--diff", "show the changes as a unified diff", "eval", excludes=_OF_FILES),
    Option("--show-secrets", "do not mask the values of Secrets", "eval", needs="--diff"),
    Option("--check", "write nothing; exit code 3 if something would change", "eval", excludes=_OF_FILES),
    Option("--stdout", "write the resources to standard output, and no file", "eval"),
    Option(
        "--restore",
        "put references back: the undo of all runs",
        "eval",
        excludes=((STDIN, VARIABLE, *_OF_EXPANSION), "expands nothing"),
    ),
    Option(
        "--shard",
        "only the packages of shard I of N, from 0 on, each by itself",
        "eval",
        value="I/N",
        excludes=_OF_PACKAGES,
    ),
    Option(
        "--changed-since",
        "only the packages in which git sees a change since then",
        "eval",
        value="COMMIT",
        excludes=_OF_PACKAGES,
    ),
    Option("--verbose", "name what is left alone, and tell infos too", "eval"),
    Option("--no-color", "no colours, as where NO_COLOR is set", "eval"),
    *of_results("eval", excludes=(STDIN,)),
    # What `explain` and `migrate` print.
    Option("--output", "the form of the answer", "explain", words=("table", "json", "yaml"), default="table"),
    Option(
        "--suggest",
        "print what to add to the functionConfig, so that all is expanded",
        "explain",
        excludes=(("--output",), "prints YAML"),
    ),
    Option("--comments", "write the values into the files, with a comment `# expand:` beside each", "migrate"),
    Option(
        "--from-setters",
        "change a package: comments `# kpt-set:` become `# expand:`",
        "migrate",
        excludes=(("--comments",), "writes comments in any case"),
    ),
)

HABITS = {
    "`expand-vars --version` prints the version, and `expand-vars eval --verbose` tells infos too": "-V -v version",
    "`expand-vars eval PATH` changes files in place": (
        "-f -i -w --in-place --inplace --write --file --filename --input apply replace sed evaluate fn"
    ),
    "`expand-vars migrate KUSTOMIZATION --comments` writes into the files": (
        "migrate:-i migrate:-w migrate:--in-place migrate:--inplace migrate:--write migrate:--apply"
    ),
    "a variable is `NAME=VALUE` alone": (
        "set --set --set-string --set-value --var --variable --vars --define --param --arg --build-arg -e -D -d -p"
    ),
    "`--env-file FILE` reads variables": (
        "--values --value-file --values-file --var-file --vars-file --envfile --from-env"
    ),
    "`expand-vars eval PATH --output DIR` writes the files, expanded, to another place": (
        "--out-dir --outdir --output-dir --output-directory --output-file --dest --destination "
        "build render template generate kustomize package"
    ),
    "`eval PATH --output DIR` writes files to another place, `explain PATH --output json` prints data": "-o",
    "`expand-vars eval PATH --check --diff` shows what would change, and writes nothing": (
        "--dry-run --dryrun --preview --plan --noop diff plan preview show"
    ),
    "`expand-vars eval PATH --check --strict` fails of what is not expanded": "check lint validate verify vet test",
    "`expand-vars NAME=VALUE < FILE` prints a file, expanded": (
        "run pipe expand substitute envsubst subst filter cat -"
    ),
    "nothing has to be set up: `expand-vars eval PATH NAME=VALUE`": "init new create install setup",
    "`expand-vars eval PATH --restore` puts the references back": "undo revert restore rollback reset clean",
    "`expand-vars explain PATH` shows every reference": "get list ls vars variables describe inspect search grep",
    "`--target All` also expands free text": "--preset --presets --all --targets --everything -A",
    "`--fn-config FILE` names the functionConfig": "--config --function-config --fn-path --functionconfig -c",
    "directories are read whole": "-R -r --recursive --recurse",
    "`selectors` of a functionConfig say which objects": (
        "--namespace --selector --label --labels --kind --name --context --kubeconfig -n -l"
    ),
    "what is told goes to standard error, which `2> /dev/null` drops": "-q --quiet --silent",
}
"""What to do, each with the words that kubectl, kustomize, kpt, Helm, envsubst, sed and others have for it."""

PROGRAM = Program("expand-vars", COMMANDS, OPTIONS, dict.fromkeys(table.PROGRAM.commands, "krm"), HABITS)


def main(argv: Sequence[str]) -> int:
    """Run `schema` or `completion` and return its exit code. SystemExit for help and wrong usage."""
    if argv[0] == COMPLETION.name:
        return complete(argv, PROGRAM)
    from expand_vars.functionconfig import config  # noqa: PLC0415 - no other command prints it

    options = Parser(PROGRAM, "schema", "Print the JSON Schema of kind ExpandVars.", "").parsed(argv[1:])
    return int(not stdio.write((config.definition() if options.definition else config.schema_text(),)))
