"""A function at work: `run` answers standard input or a command line, `transform` a text. `load` and `open` need none.

Each exception of the function becomes a result.
"""

from __future__ import annotations

import atexit
import os
import sys
from contextlib import contextmanager

import krm
from krm import resourcelist, stdio
from krm.function.copies import HERE, watched
from krm.function.object_list import ResourceList
from krm.resource import FUNCTION_INPUT
from krm.results import ERROR, FAULT, FnError, Result, failed
from krm.yamltree import style
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType
    from typing import Any, NoReturn

    from krm.commands.options import Parser
    from krm.function.object_list import Process, Processes
    from krm.resourcelist import ResourceList as Read
    from krm.results import Output
    from krm.yamltree.style import PlainData

_DEBUG = "--debug"
_USAGE = "[PATH...] [--fn-config FILE] [KEY=VALUE ...] [--debug]"
_EPILOG = """\
with arguments: directories and files, which are changed in place
without arguments: a ResourceList, a List or YAML documents on standard input, the same on standard output
exit codes: 0 done, 1 failed (the results or standard error say why), 2 wrong usage
"""


def run(process: Processes, arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a function as a program, and exit: 0 done, 1 failed (the results or standard error say why), 2 wrong usage.

    Without arguments it reads a ResourceList on standard input, and writes what `process` makes of it to standard
    output. If `process` raises FnError, or adds an error, items come out byte for byte as they were read. Any other
    exception is one line on standard error and an error among the results; `--debug` adds its traceback. What it prints
    goes to standard error, and so do the records of `logging`.

    With arguments it changes files in place: `my-function PATH... [KEY=VALUE ...]`, with a ConfigMap of the values for
    functionConfig, or `--fn-config FILE`. Only files in which a resource changed are written. `--help` prints the
    docstring of `process`. With a mapping, the kind of the functionConfig chooses the function.

    >>> run(lambda resource_list: None, ["--help"])
    Traceback (most recent call last):
    ...
    SystemExit: 0
    """
    _note_that_it_runs()
    given = sys.argv[1:] if arguments is None else [*arguments]
    is_debug = _DEBUG in given
    # `--debug` may be the only argument, and then no parser runs.
    given = [argument for argument in given if argument != _DEBUG]
    # Standard output is for the product alone. A function that logs has imported `logging` already.
    if logging := sys.modules.get("logging"):
        level = logging.DEBUG if is_debug else logging.INFO
        logging.basicConfig(stream=sys.stderr, level=level, format="[%(levelname)s] %(message)s")
    raised: list[BaseException] = []

    def change(read: Read) -> None:
        raised.extend(attempt(ResourceList(read), process))

    def answer(text: str) -> Output:
        read = resourcelist.read(text)
        change(read)
        return read.emit()

    code = change_files(process, given, change) if given else stdio.serve(answer)
    if is_debug:
        import traceback  # noqa: PLC0415 - for those alone who look for a mistake

        traces = (line for error in raised for line in traceback.format_exception(error))
        stdio.tell(*"".join(traces).splitlines())
    sys.exit(code)


def _parser(process: Processes) -> Parser:
    """Return the parser of a function's command line. The docstring of the function is its `--help`."""
    import inspect  # noqa: PLC0415 - orchestrators give no arguments

    from krm.commands.options import Command, Option, Parser, Program  # noqa: PLC0415 - as above

    several: Any = process if hasattr(process, "keys") else {"": process}
    described = [f"{kind}{': ' * bool(kind)}{inspect.getdoc(one) or ''}" for kind, one in several.items()]
    config = Option("--fn-config", "the functionConfig; KEY=VALUE makes a ConfigMap", "", value="FILE")
    program = Program(os.path.basename(sys.argv[0]), [Command("", _USAGE, "", "PATH...")], [config], {}, {})
    return Parser(program, "", "\n\n".join(described), _EPILOG)


def change_files(process: Processes, arguments: Sequence[str], change: Callable[[Read], object]) -> int:
    """Change the files that the arguments name, and return the exit code. SystemExit for help and wrong usage.

    The names of those that changed go to standard output. `change` has the function change a list.
    """
    from krm.commands import package  # noqa: PLC0415 - orchestrators give no arguments
    from krm.commands.options import is_path  # noqa: PLC0415 - as above

    parser = _parser(process)
    options = parser.parsed(arguments)
    paths = [*filter(is_path, options.words)]
    data: dict[str, PlainData] = dict(one.partition("=")[::2] for one in options.words if not is_path(one))
    if not paths:
        parser.error("say what to change: a directory, or files")
    # Two functionConfigs: orchestrators send one.
    if data and options.fn_config:
        parser.error("give either --fn-config or KEY=VALUE")

    def changed() -> int:
        whole: PlainData = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": FUNCTION_INPUT}, "data": data}
        with package.opened(paths, style.document(whole) if data else "", options.fn_config) as (read, written):
            change(read)
        stdio.report(read.results)
        return int(not stdio.write(f"{path}\n" for path in written))

    return stdio.attempt(changed)


def transform(text: str, process: Processes) -> Output:
    r"""Return the output of a function for a text: `run` without standard input and output, for tests.

    An exception that is no FnError is raised.

    >>> transform("kind: Pod\n", lambda resource_list: resource_list.items[0].set("kind", "Job")).text
    'kind: Job\n'
    """
    resource_list = load(text)
    stdio.report(apply(resource_list, process))
    return resource_list.emit()


def load(text: str) -> ResourceList:
    r"""Return the resources of a text, YAML documents, a List or a ResourceList, to be read and edited.

    `ResourceList.emit().text` is the text with the edits. FnError if it is not YAML: of an item when that is read.

    >>> loaded = load("kind: Pod # ours\n")
    >>> loaded.items[0].set("kind", "Job")
    >>> loaded.emit().text
    'kind: Job # ours\n'
    """
    _note_that_it_runs()
    given: object = text
    if not isinstance(given, str):
        raise TypeError(f"the text to read is a str, found a value of type `{type(given).__name__}`")
    try:
        return ResourceList(resourcelist.read(text))
    except ParseError as error:
        raise FnError(Result(str(error), ERROR, "InvalidInput")) from None


@contextmanager
def open(*paths: str | os.PathLike[str]) -> Iterator[ResourceList]:  # noqa: A001 - it does what `open` does, for resources
    r"""Open directories and files of resources for a script, and write what changed at the end of the `with` block.

    Other writers wait meanwhile. Only files in which a resource changed are written, each as a whole. Nothing is
    written if the block ends with an exception, or with an FnError for an error among the results or a file that cannot
    be read. What is left alone, a template of Helm say, is named on standard error.

    >>> import pathlib, tempfile
    >>> deploy = tempfile.mkdtemp()
    >>> file = pathlib.Path(deploy, "web.yaml")
    >>> _ = file.write_text("apiVersion: v1\nkind: Pod # ours\nmetadata: {name: web}\n")
    >>> with krm.open(deploy) as resources:
    ...     for pod in resources.where("Pod"):
    ...         pod.name = "shop"
    >>> file.read_text().splitlines()[1:]
    ['kind: Pod # ours', 'metadata: {name: shop}']
    """
    from krm.commands import package  # noqa: PLC0415 - a run without arguments has no files

    _note_that_it_runs()
    names = [os.fspath(path) for path in paths]
    if not (names and all(names)):
        raise TypeError("say what to open: a directory, or files")
    with package.opened(names) as (read, _):
        resource_list = ResourceList(read)
        with watched() as copies:
            yield resource_list
        resource_list._finish()
        stdio.report(copies.lost())


def _note_that_it_runs() -> None:
    atexit.unregister(krm._tell_that_nothing_ran)


def chain(*functions: Processes) -> Process:
    r"""Return a function that runs several, one after the other, until one adds an error.

    >>> def label(resource_list):
    ...     resource_list.items[0].set_label("team", "shop")
    >>> def own(resource_list):
    ...     resource_list.items[0].set_annotation("example.com/owner", "shop")
    >>> transform("kind: Pod\\n", chain(label, own)).text.splitlines()[-1]
    '    example.com/owner: shop'
    """

    def chained(resource_list: ResourceList) -> None:
        for function in functions:
            if not failed(resource_list.results):
                _require_done(_chosen(function, resource_list)(resource_list), resource_list.results)

    return chained


def apply(resource_list: ResourceList, process: Processes) -> list[Result]:
    """Have a function change a list, and return warnings about copies that it changed and did not give back.

    An FnError becomes results; every other exception is raised.
    """
    lost: list[Result] = []
    try:
        with watched() as copies:
            chain(process)(resource_list)
            resource_list._finish()
            lost = copies.lost()
    # An error among the results undoes all that the function did.
    except FnError as error:
        resource_list.results.extend(error.results)
    finally:
        # A value that is no result cannot be written, even if there is another exception.
        found: list[object] = [*resource_list.results]
        resource_list.results = [one for one in found if isinstance(one, Result)]
    return lost


def attempt(resource_list: ResourceList, process: Processes) -> list[BaseException]:
    """Have a function change a list, and return its exception, which becomes a result."""
    try:
        stdio.report(apply(resource_list, process))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever the function raises becomes a result
        resource_list.results.append(failure(error))
        return [error]
    return []


def failure(error: BaseException) -> Result:
    """Return the result for an exception of a function: its type, its text, and the line of the function."""
    place = _line_of(error.__traceback__)
    kind = type(error).__name__
    # The message is one line, as kpt shows only the first lines.
    text = ": ".join(filter(None, (kind, " ".join(str(error).split()))))
    # A function that ends the program would leave its items unwritten.
    end = "; a function ends with `return`, or with `raise krm.FnError`" if isinstance(error, SystemExit) else ""
    return Result((f"{text}, in {place}" if place else text) + end, ERROR, FAULT)


def _require_done(returned: object, results: Sequence[object]) -> None:
    """Raise TypeError if a function returned items, or work to do, or added anything else than results to the results.

    What `delete` or `add` returned, as the value of a lambda, is nothing that would be lost.
    """
    # Functions of other SDKs return items, yield them, or are coroutines: here such a value would be lost.
    if isinstance(returned, list | tuple | ResourceList) or hasattr(returned, "send"):
        found = f"a value of type `{type(returned).__name__}`"
        raise TypeError(f"a function changes its list and returns nothing, found {found}: assign to `items` or edit it")
    if wrong := [one for one in results if not isinstance(one, Result)]:
        raise TypeError(f"each of `results` is a `krm.Result`, found {wrong[0]!r}")


def _chosen(process: Processes, resource_list: ResourceList) -> Process:
    """Return the function for the kind of the functionConfig. FnError if there is none."""
    if callable(process):
        return process
    if not (process and hasattr(process, "keys")):
        raise TypeError(f"a function is run, or several by the kind of their functionConfig, found {process!r}")
    config = resource_list.function_config
    kind = "" if config is None else config.kind
    # The message lists the kinds, as the commonest reason is a typo in `kind`.
    if kind not in process:
        kinds = ", ".join(f"`{one}`" for one in process)
        message = f"the functionConfig must be of kind {kinds}; found {f'`{kind}`' if kind else 'none'}"
        raise FnError(Result(message, ERROR, "InvalidFunctionConfig"))
    return _chosen(process[kind], resource_list)


def _line_of(traceback: TracebackType | None) -> str:
    """Return the file and line of the last frame that is in the folder of the function."""
    from traceback import walk_tb  # noqa: PLC0415 - for a function that fails

    frames = [(frame.f_code.co_filename, line) for frame, line in walk_tb(traceback)]
    # Most tracebacks end with frames of the SDK and of other packages, which are not the author's.
    folder = next((os.path.dirname(path) for path, _ in frames if not os.path.abspath(path).startswith(HERE)), None)
    own = [f"{os.path.basename(path)} line {line}" for path, line in frames if os.path.dirname(path) == folder]
    return own[-1] if own else ""
