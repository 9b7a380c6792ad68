"""`python -m expand_vars` is `expand-vars`."""

import sys

from expand_vars import cli


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
