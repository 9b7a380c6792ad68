"""`python -m fn` is `expand-vars`."""

import sys

from fn import cli


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(cli.main(sys.argv[1:]))


if __name__ == "__main__":
    main()
