"""Standard input, standard output and standard error: the one module that reads and writes them.

Standard output is for the product alone. A stray `print` of a function, or the output of a program that it starts,
would destroy it. So file descriptor 1 is led to standard error, and the product is written once, at the end.
"""

from __future__ import annotations

import gc
import os
import re

from krm import encoding, results
from krm.encoding import NotUtf8Error, visible
from krm.results import FnError, Result, as_line, is_printed
from krm.vocabulary import counted, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from krm.results import Output, ReportForm

INTERRUPTED, TERMINATED = 130, 143
"""The exit codes after SIGINT and SIGTERM, as a shell has them: 128 and the number of the signal."""

_STDIN, _STDOUT, _STDERR = 0, 1, 2
_BUFFER = 1 << 20
_SOON = 0.5  # seconds
_MOST_OF_A_REASON = 20
# Docker connects no standard input unless it is asked to: the commonest first mistake with an image.
_EMPTY = "standard input is empty; with docker run, give -i"
# GitHub obeys `##[` anywhere in a line, Azure Pipelines `##vso[`, TeamCity `##teamcity[`. A lone CR ends a line there.
_ORDER = r"(?i)#(?=#[a-z]{0,16}\[)|\r(?!\n)|\x1b"


class InputError(Exception):
    """The input cannot be read. The message is one sentence for standard error."""


def serve(run: Callable[[str], Output]) -> int:
    """Answer standard input with `run`, write warnings and errors to standard error, and return the exit code.

    A process does this last: from here on everything else that it writes to standard output goes to standard error.
    """
    # Trees of nodes are short-lived and have no cycles. Garbage collection would take half of the time to build them.
    gc.disable()
    # This comes before all code of the function: a module may print while it is imported.
    _hold_closed_streams()
    product = os.dup(_STDOUT)
    os.dup2(_STDERR, _STDOUT)

    def answer() -> int:
        output = run(read())
        if not output.is_shown:
            report(filter(is_printed, output.results))
        return output.exit_code if write(output.pieces, product) else 1

    return attempt(answer)


def attempt(run: Callable[[], int]) -> int:
    """Return the exit code of `run`. Bad input, an interrupt and a fault of ours end it with sentences."""
    _hold_closed_streams()
    try:
        return run()
    except MemoryError:
        pass  # the error drops the data that fills the memory, so that there is room for a message
    except FnError as error:
        report(error.results)
        return 1
    except Exception as error:  # noqa: BLE001 - the last net, for what nobody foresaw
        from krm.yamltree.parser import ParseError  # noqa: PLC0415 - `--version` does without it

        is_bad_input = isinstance(error, InputError | ParseError)
        return fail(str(error)) if is_bad_input else fail(results.fault(error), results.FAULT)
    except KeyboardInterrupt:
        return INTERRUPTED
    return fail("there is not enough memory for this input")


def clean_up_when_terminated() -> None:
    """Let SIGTERM end this process by an exception, so that staged files go and started programs end."""
    import signal  # noqa: PLC0415 - the filter has nothing to clean up, and starts faster without `enum`
    import sys  # noqa: PLC0415 - as above

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))


def read(empty: str = _EMPTY) -> str:
    """Return standard input as text. InputError if it is not UTF-8, or if it is empty: `empty` is the sentence then."""
    try:
        with open(_STDIN, "rb", closefd=False) as stdin:
            text = decoded(stdin.read(), "standard input")
    except OSError as error:
        raise InputError(f"standard input: {error.strerror}") from None
    if not encoding.split_bom(text)[1].strip():
        raise InputError(empty)
    return text


def has_unread() -> bool:
    """True if a program sends a text on standard input that nobody has read."""
    import select  # noqa: PLC0415 - a run reads its input

    try:
        # Who sends it may be a little slower. People at a terminal send nothing.
        return not os.isatty(_STDIN) and bool(select.select([_STDIN], [], [], _SOON)[0] and os.read(_STDIN, 1))
    except OSError:
        return False  # it is closed, or Windows cannot tell


def read_file(path: str) -> str:
    """Return a file as text without a byte order mark. InputError if it cannot be read or is not UTF-8."""
    return encoding.split_bom(read_marked(path))[1]


def read_marked(path: str) -> str:
    """Return a file as text, with the byte order mark that it may have. InputError as above."""
    try:
        with open(path, "rb") as file:
            return decoded(file.read(), path)
    except OSError as error:
        raise unread(path, error) from None


def unread(path: str, error: OSError, remedy: str = "name a file that is there") -> InputError:
    """Return the error about a path that cannot be read, with a similar path or a remedy."""
    remedies = {PermissionError: "let your user read it", IsADirectoryError: "name a file in it"}
    hint = (_similar(path) or remedy) if isinstance(error, FileNotFoundError) else remedies.get(type(error), "")
    return InputError(f"{path}: {error.strerror}{hint and f'; {hint}'}")


def _similar(path: str) -> str:
    """Return a hint at the path that somebody meant: a like name beside it, or the same name one directory lower."""
    if os.path.islink(path):
        return "it is a link that leads nowhere"
    folder, base = os.path.split(os.path.normpath(path))
    names = sorted(os.listdir(folder or os.curdir)) if os.path.isdir(folder or os.curdir) else []
    lower = (os.path.join(one, base) for one in names if os.path.exists(os.path.join(folder, one, base)))
    near = nearest(base, names, 0.8) or next(lower, "")
    return f"did you mean `{os.path.join(folder, near)}`?" if near else ""


def decoded(data: bytes, label: str) -> str:
    """Return bytes as text. InputError, which calls them `label`, if they are not UTF-8."""
    try:
        return encoding.decoded(data)
    except NotUtf8Error as error:
        raise InputError(f"{label} {error}") from None


def write(pieces: Iterable[str], file: int | str = _STDOUT) -> bool:
    """Write a text to a descriptor or a file. False if that failed; standard error says why."""
    try:
        with open(file, "wb", buffering=_BUFFER, closefd=isinstance(file, str)) as stream:
            stream.writelines(piece.encode() for piece in pieces)
    except BrokenPipeError:
        # The reader stopped, as `head` does, and knows it.
        return False
    except OSError as error:
        fail(f"{file if isinstance(file, str) else 'standard output'}: {error.strerror}")
        return False
    return True


def report(found: Iterable[Result], form: ReportForm = "text") -> None:
    """Write results to standard error, a line each. Of a reason that many have, people get only the first ones."""
    if form != "text":
        for line in for_programs(found, form):
            pass_on(f"{visible(line)}\n")
        return
    for result in results.by_line(results.capped(found, _MOST_OF_A_REASON)):
        tell(as_line(result))


def for_programs(found: Iterable[Result], form: ReportForm) -> Iterator[str]:
    """Yield the lines of results for a program: an object of JSON for each field, or an annotation of GitHub.

    >>> [*for_programs([Result("100% wrong", "error", "InvalidInput", file="a.yaml")], "github")]
    ['::error file=a.yaml,title=InvalidInput::100%25 wrong']
    """
    from json import dumps  # noqa: PLC0415 - people read text

    for result in found:
        for data in results.by_field(result):
            yield dumps(data) if form == "json" else _annotation(result, data)


def _annotation(result: Result, data: Mapping[str, Any]) -> str:
    tags = data.get("tags", {})
    where = {"file": result.file, "line": tags.get("line"), "col": tags.get("column"), "title": result.reason}
    properties = ",".join(f"{key}={_escaped(text, ':,')}" for key, text in where.items() if text)
    about = " ".join(filter(None, (str(result.ref or ""), data.get("field", {}).get("path"))))
    message = ": ".join(filter(None, (about, result.message)))
    return f"::{'notice' if result.severity == results.INFO else result.severity} {properties}::{_escaped(message)}"


def _escaped(text: str, also: str = "") -> str:
    """Return a text in which nothing ends an annotation, or a part of one."""
    return "".join(f"%{ord(one):02X}" if one in f"%\r\n{also}" else one for one in text)


def fail(problem: str, reason: str = "InvalidInput") -> int:
    """Write an error about no object, and return the exit code."""
    report([Result(problem, results.ERROR, reason)])
    return 1


def tell_rest(found: Iterable[Result], where: str) -> None:
    """Write the one line that counts the infos that `report` was not given. `where` says what shows them."""
    count = sum(not is_printed(result) for result in found)
    if count:
        tell(f"{counted(count, 'note')} not shown ({where})")


def tell(*lines: str) -> None:
    """Write lines to standard error. One that cannot be written to is no reason to fail.

    Control characters are escaped: a name with a line break in it could start a line that a CI system obeys, and an
    escape sequence would be obeyed by a terminal.
    """
    for line in lines:
        pass_on(f"{inert(visible(line))}\n")


def inert(line: str) -> str:
    """Return a line that is no command to the log of a CI system. All else stays, as `patch` needs it."""
    # GitHub obeys `::` behind blanks. A line of a diff that comes or goes has its sign there.
    bare = line.lstrip()
    if bare.startswith("::"):
        line = f"{line[: -len(bare)]}\\x3a{bare[1:]}"
    return re.sub(_ORDER, lambda found: f"\\x{ord(found[0]):02x}", line)


def pass_on(text: str) -> None:
    """Write a text to standard error as it is, as `tell` does a line."""
    try:
        os.write(_STDERR, text.encode())
    except OSError:
        return


def _hold_closed_streams() -> None:
    """Open the descriptors of closed streams, so that no other file gets one of them and is written to."""
    for descriptor in (_STDIN, _STDOUT, _STDERR):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDONLY)
