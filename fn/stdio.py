"""From standard input to standard output: the one place that touches them (spec/wire.md, 5.1).

Standard output is the product. Nothing else goes there, not even a stray `print` of a function built on this: it is led
to standard error, and the product is written once, at the end.
"""

from __future__ import annotations

import gc
import sys

from fn.krm.results import INFO
from fn.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from fn.krm.resourcelist import Output


class InputError(Exception):
    """The input cannot be read at all: one sentence for standard error."""


def serve(run: Callable[[str], Output]) -> int:
    """Answer standard input with `run`, its warnings and errors told on standard error; return the exit code."""
    # Trees of nodes are short-lived and without cycles: collecting them would take half of the time to build them.
    gc.disable()
    product, sys.stdout = sys.stdout, sys.stderr
    try:
        output = run(read())
    except (InputError, ParseError) as error:
        print(f"[error] {error}", file=sys.stderr)
        return 1
    finally:
        sys.stdout = product
    for result in output.results:
        if result.severity != INFO:
            print(result, file=sys.stderr)
    sys.stdout.buffer.write(output.text.encode())
    sys.stdout.buffer.flush()
    return output.exit_code


def read() -> str:
    """Return standard input as text. InputError where there is none, or it is not UTF-8."""
    data = sys.stdin.buffer.read()
    if not data.strip():
        raise InputError("standard input is empty; with docker run, give -i")
    return _decoded(data, "standard input")


def read_file(path: str) -> str:
    """Return a file as text, without its byte order mark. InputError where it cannot be read, or is not UTF-8."""
    try:
        with open(path, "rb") as file:
            return _decoded(file.read(), path).removeprefix("\ufeff")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _decoded(data: bytes, place: str) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{place} is not UTF-8: byte 0x{data[error.start]:02x} in line {line}") from None
