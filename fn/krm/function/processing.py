"""A function at work: it changes a list, and each exception of it becomes a result."""

from __future__ import annotations

import os

from krm import stdio
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from krm.function.listing import Process, Processes, ResourceList

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def apply(resource_list: ResourceList, process: Processes) -> None:
    """Have a function change a list. An FnError becomes results; every other exception is raised."""
    try:
        _chosen(process, resource_list)(resource_list)
        resource_list.finish_generating()
    except FnError as error:
        resource_list.results.extend(error.results)


def attempt(resource_list: ResourceList, process: Processes) -> Exception | None:
    """Have a function change a list, and return its exception. Each one becomes a result."""
    try:
        apply(resource_list, process)
    except Exception as error:  # noqa: BLE001 - whatever the function raises becomes a result
        resource_list.results.append(failure(error))
        return error
    return None


def tell_traceback(error: Exception | None) -> None:
    """Write the traceback of an exception to standard error."""
    if error is not None:
        import traceback  # noqa: PLC0415 - for those alone who look for a mistake

        stdio.tell(*"".join(traceback.format_exception(error)).splitlines())


def failure(error: Exception) -> Result:
    """Return the result for an exception of a function: its type, its text, and the line of the function.

    >>> print(failure(ValueError("boom")))
    [error] ValueError: boom
    """
    place = _line_of(error.__traceback__)
    # One line, whatever the exception says: under kpt no more than the first lines are shown.
    text = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
    return Result(f"{text}, in {place}" if place else text, ERROR, type(error).__name__)


def _chosen(process: Processes, resource_list: ResourceList) -> Process:
    """Return the function for the kind of the functionConfig. FnError if there is none."""
    if callable(process):
        return process
    config = resource_list.function_config
    kind = "" if config is None else config.kind
    if kind not in process:
        kinds = ", ".join(f"`{one}`" for one in process)
        message = f"the functionConfig must be of kind {kinds}; found {f'`{kind}`' if kind else 'none'}"
        raise FnError(Result(message, ERROR, "InvalidFunctionConfig"))
    return process[kind]


def _line_of(traceback: TracebackType | None) -> str:
    """Return the file and line of the last frame that is not of the SDK."""
    place = ""
    while traceback is not None:
        path = traceback.tb_frame.f_code.co_filename
        if not os.path.abspath(path).startswith(f"{_HERE}{os.sep}"):
            place = f"{os.path.basename(path)} line {traceback.tb_lineno}"
        traceback = traceback.tb_next
    return place
