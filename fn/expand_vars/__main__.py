"""`python -m expand_vars` is `expand-vars`."""

import sys

from krm import process


def main() -> None:
    """Run the command line and end the process with its exit code. SystemExit for help and wrong usage."""
    process.start()
    from expand_vars import cli  # noqa: PLC0415 - it imports PyYAML

    process.end(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
