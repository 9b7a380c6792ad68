"""The options of `expand-vars eval`, and which of them go together (docs/packages.md, "eval")."""

from __future__ import annotations

from expand_vars.commands import arguments
from expand_vars.commands.fleet import Shard

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

_USAGE = (
    "PATH...|- [--output DIR] [--fn-config FILE] [--env-file FILE] [--env NAME,...] [--target PRESET] "
    "[--inline SOURCE] [--strict] [--diff] [--show-secrets] [--check] [--stdout] [--restore] [--results FILE] "
    "[--shard I/N] [--changed-since COMMIT] [--verbose] [--no-color] [NAME=VALUE ...]"
)
_DESCRIPTION = """\
Expand $(VAR) references in files, and in all files of directories, in place: only what changes is written.

The functionConfig is that of --fn-config; else that which a Kptfile's pipeline, or a kustomization's transformers, give
to this function; else the one ExpandVars of the directory. Arguments win over its variables. `-` is standard input,
which is written, expanded, to standard output.
"""
_EPILOG = """\
Each expanded field keeps its reference in a comment, so that the next run can give another value.
A path that holds `=` needs a `/` in front of that: ./a=b.yaml

exit codes: 0 done, 1 failed (standard error says why), 2 wrong usage, 3 with --check: something would change
"""
STDIN = "-"


def parser() -> ArgumentParser:
    """Return the parser of the command."""
    parser = arguments.parser("eval", _USAGE, _DESCRIPTION, _EPILOG)
    parser.add_argument("--output", metavar="DIR", help="write the files of the one PATH there, expanded")
    parser.add_argument("--fn-config", metavar="FILE", help="use this functionConfig in the place of any other")
    parser.add_argument("--env-file", metavar="FILE", help="variables, a line NAME=VALUE for each, taken literally")
    arguments.add(parser, "--env", "--target", "--inline", "--strict")
    parser.add_argument("--diff", action="store_true", help="show the changes as a unified diff")
    arguments.add(parser, "--show-secrets")
    parser.add_argument("--check", action="store_true", help="write nothing; exit code 3 if something would change")
    parser.add_argument("--stdout", action="store_true", help="write the resources to standard output, and no file")
    parser.add_argument("--restore", action="store_true", help="put the references back: the undo of all runs")
    arguments.add(parser, "--results")
    parser.add_argument(
        "--shard", metavar="I/N", type=Shard, help="only the packages of shard I of N, from 0 on, each by itself"
    )
    parser.add_argument(
        "--changed-since", metavar="COMMIT", help="only the packages in which git sees a change since then"
    )
    parser.add_argument("--verbose", action="store_true", help="name what is left alone, and tell infos too")
    parser.add_argument("--no-color", action="store_true", help="no colours, as where NO_COLOR is set")
    # Paths and NAME=VALUE in any order, as in `kpt fn eval DIRECTORY -- NAME=VALUE` and in a shell's history.
    parser.add_argument("mixed", metavar="PATH", nargs="*", help="a file, a directory, or `-`; or NAME=VALUE")
    return parser


def parsed(given: Sequence[str]) -> Namespace:
    """Return the options; the paths and the variables among them. SystemExit for help and wrong usage."""
    of_eval = parser()
    options = arguments.parsed(of_eval, given)
    _sort(options, of_eval)
    return options


def _sort(options: Namespace, parser: ArgumentParser) -> None:
    """Separate the paths from the variables, and refuse what does not go together."""
    arguments.separate(options, parser)
    if not options.paths:
        parser.error("say what to expand: a file or a directory, such as `.`")
    options.is_fleet = options.shard is not None or options.changed_since is not None
    writes = any((options.output, options.diff, options.check, options.restore, options.results, options.is_fleet))
    if STDIN in options.paths and (writes or len(options.paths) > 1):
        parser.error("`-` is standard input, which is no file to change: no path and no option of files goes with it")
    if options.stdout and (options.check or options.diff):
        parser.error("--stdout shows the resources: neither --check nor --diff can be given with it")
    if options.output is not None and (len(options.paths) > 1 or options.stdout or options.restore):
        parser.error("--output is for one path: no other path, --stdout or --restore can be given with it")
    if options.is_fleet and options.stdout:
        parser.error(
            "with --shard or --changed-since each package is a run of its own: --stdout cannot be given with it"
        )
    stated = options.variables or options.env_file or options.fn_config or options.target or options.inline
    if options.restore and stated:
        parser.error("--restore expands nothing: variables, --fn-config, --target and --inline cannot be given with it")
