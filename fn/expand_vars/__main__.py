"""`python -m expand_vars` is `expand-vars`: a process that ends as soon as its product is written."""

import gc
import os
import sys

from krm.yamltree import pyyaml


def main() -> None:
    """Run the command line and end the process with its exit code. SystemExit for help and wrong usage."""
    gc.disable()  # trees are short-lived and have no cycles, and imports create nothing to collect
    pyyaml.postpone()
    from expand_vars import cli  # noqa: PLC0415 - it imports PyYAML

    code = cli.main(sys.argv[1:])
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)  # taking everything apart would take as long as a tenth of a small run


if __name__ == "__main__":
    main()
