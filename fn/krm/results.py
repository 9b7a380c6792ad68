"""Results: what a function reports to its caller, in the form of `results` in the KRM functions specification."""

from __future__ import annotations

from collections import Counter
from itertools import groupby

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Final, Literal, TypeAlias

    Severity: TypeAlias = Literal["error", "warning", "info"]
    PlaceOrPath: TypeAlias = tuple[Any, ...]
    Spot: TypeAlias = tuple[int, int]
    """A line and a column, counted from 1; 0 if there is none."""
    SpotOf: TypeAlias = Callable[[PlaceOrPath], Spot]
    ReportForm: TypeAlias = Literal["text", "json", "github"]

ERROR: Final = "error"
WARNING: Final = "warning"
INFO: Final = "info"

CONFLICT = "Conflict"
VALUE_CHANGED = "ValueChanged"
BROKEN_MANIFEST = "BrokenManifest"
UNPLACED_TEMPLATE = "UnplacedTemplate"
DAMAGED_STATE = "DamagedState"

_INFOS = frozenset(
    (
        *("RuntimeName", "UnknownService", "Shadowed", "EscapeKept", "OwnSyntax", "UnusedVariable", "OfKustomize"),
        *(VALUE_CHANGED, "KeptLastValue", "CommentsLost", "NotExported", "Taken"),
        *("MarkedAgain", "LocalOverride", "Pruned", "HandedOver", "NotSelected"),
        *("Matched", "KeptAddition", "EnvReordered", "UpdatedByItself"),
    )
)

_RANK: dict[str, int] = {ERROR: 0, WARNING: 1, INFO: 2}


class ResourceRef:
    """The object that a result is about.

    >>> print(ResourceRef("apps/v1", "Deployment", "shop", "web"))
    apps/v1/Deployment/shop/web
    """

    __slots__ = ("api_version", "kind", "name", "namespace")

    def __init__(self, api_version: str | None, kind: str | None, namespace: str | None, name: str | None) -> None:
        self.api_version = api_version
        self.kind = kind
        self.namespace = namespace
        self.name = name

    def __str__(self) -> str:
        """Return `apps/v1/Deployment/shop/web`, as kpt prints it, without the parts that are not set."""
        return "/".join(part for part in (self.api_version, self.kind, self.namespace, self.name) if part)

    def as_data(self) -> dict[str, str]:
        """Return the `resourceRef` of a result.

        >>> ResourceRef("v1", "Namespace", None, "shop").as_data()
        {'apiVersion': 'v1', 'kind': 'Namespace', 'name': 'shop'}
        """
        keys = {"apiVersion": self.api_version, "kind": self.kind, "namespace": self.namespace, "name": self.name}
        return {key: value for key, value in keys.items() if value}


class Result:
    """What a run tells about an object and a field of it.

    `reason` is one CamelCase word, for programs. In a conflict `current` is the value of local, `proposed` that of
    update, and `origin` the value before both. `further` are the other fields that the message is about, with their
    places. ValueError for an unknown severity.

    >>> print(Result("there is no Service", ERROR))
    [error] there is no Service
    """

    __slots__ = (
        "_place",
        "_spot_of",
        "current",
        "field",
        "file",
        "further",
        "index",
        "message",
        "origin",
        "proposed",
        "reason",
        "ref",
        "severity",
        "tags",
    )

    def __init__(  # noqa: PLR0913 - the fields of the specification
        self,
        message: str,
        severity: str,
        reason: str = "",
        *,
        ref: ResourceRef | None = None,
        field: str | None = None,
        current: str | None = None,
        proposed: str | None = None,
        origin: str | None = None,
        file: str | None = None,
        index: int | None = None,
    ) -> None:
        if severity not in _RANK:
            raise ValueError(f"a severity is `error`, `warning` or `info`, found `{severity}`")
        given: tuple[object, ...] = message, reason
        if not all(isinstance(one, str) for one in given):
            raise TypeError(f"the message and the reason of a result are str, found {message!r} and {reason!r}")
        _require_field(field, current, proposed)
        self.message = message
        self.severity = severity
        self.reason = reason
        self.ref = ref
        self.field = field
        self.current = current
        self.proposed = proposed
        self.origin = origin
        self.file = file
        self.index = index
        self.tags: Mapping[str, str] = {}
        self.further: tuple[tuple[str, PlaceOrPath], ...] = ()
        self._place: PlaceOrPath = ()
        self._spot_of: SpotOf | None = None

    def __str__(self) -> str:
        """Return `[severity] file: object field: message`."""
        return _sentence(self, self.file)

    def line(self) -> int:
        """Return the line of the field in a text of the user, 0 if there is none. The text is parsed for this.

        >>> Result("there is no Service", ERROR).line()
        0
        """
        return 0 if self._spot_of is None else self._spot_of(self._place)[0]

    def __repr__(self) -> str:
        return f"<Result {' '.join(filter(None, (self.reason, str(self))))}>"

    def as_data(self) -> dict[str, object]:
        """Return the element of `results`, with its keys in the order of the specification.

        >>> Result("a", INFO, "Reason").as_data()
        {'message': 'a', 'severity': 'info', 'tags': {'reason': 'Reason'}}
        """
        return self._data(self.field, {"fields": str(1 + len(self.further))} if self.further else {})

    def _data(self, field: str | None, more: Mapping[str, str]) -> dict[str, object]:
        data: dict[str, object] = {"message": self.message, "severity": self.severity}
        if self.ref is not None:
            data["resourceRef"] = self.ref.as_data()
        if field is not None:
            values = {"path": field, "currentValue": self.current, "proposedValue": self.proposed}
            data["field"] = {key: value for key, value in values.items() if value is not None}
        if self.file is not None:
            data["file"] = {"path": self.file} | ({} if self.index is None else {"index": self.index})
        # kpt and kustomize have no fields for `reason` and `origin`, but tags reach the user unchanged.
        tags = {"reason": self.reason, "origin": self.origin, **more, **self.tags}
        if texts := {key: text for key, text in tags.items() if text}:
            data["tags"] = texts
        return data


def location(result: Result) -> tuple[SpotOf | None, PlaceOrPath]:
    """Return the function that finds fields in a text of the user, None without such a text, and the field's place."""
    return result._spot_of, result._place  # noqa: SLF001 - no name for authors of functions


def locate(result: Result, spot_of: SpotOf | None, place: PlaceOrPath | None = None) -> None:
    """Set the function that finds fields, and the place of the field if one is given."""
    result._spot_of, result._place = spot_of, result._place if place is None else place  # noqa: SLF001 - as above


def by_field(result: Result) -> Iterator[dict[str, object]]:
    """Yield the data of a result for programs, once for each field, with the line and column as tags."""
    spot_of, place = location(result)
    for path, there in ((result.field, place), *result.further):
        spot = {} if spot_of is None else dict(zip(("line", "column"), map(str, spot_of(there)), strict=True))
        yield result._data(path, spot)  # noqa: SLF001 - as above


def as_line(result: Result) -> str:
    """Return the line for standard error: with the line number in a text of the user, and with the reason at its end.

    >>> as_line(Result("there is no Service", ERROR, "InvalidInput", file="web.yaml"))
    '[error] web.yaml: there is no Service (InvalidInput)'
    """
    number = result.line()
    file = f"{result.file}:{number}" if result.file and number else f"line {number}" if number else result.file
    return _sentence(result, file) + (f" ({result.reason})" if result.reason else "")


def sort_key(result: Result) -> tuple[str, int, str]:
    """Return the key by which results are sorted: file, severity, text."""
    return result.file or "", _RANK[result.severity], str(result)


def _sentence(result: Result, location: str | None) -> str:
    more = f"and {len(result.further)} more" if result.further else ""
    place = " ".join(filter(None, (str(result.ref or ""), result.field, more)))
    return f"[{result.severity}] " + ": ".join(part for part in (location, place, result.message) if part)


def _require_field(field: str | None, current: str | None, proposed: str | None) -> None:
    """Raise ValueError for values without a field."""
    if field is None and (current is not None or proposed is not None):
        raise ValueError("`current` and `proposed` are values of a field: give its path")


FAULT = "Fault"
"""The reason of a result about a fault of this program."""


def fault(error: Exception) -> str:
    """Return the sentence for an unexpected exception, without its text, which may quote a secret."""
    trace, where = error.__traceback__, ""
    while trace is not None:
        code = trace.tb_frame.f_code
        file = "/".join(code.co_filename.replace("\\", "/").split("/")[-2:])
        where, trace = f" in {code.co_name}, line {trace.tb_lineno} of {file}", trace.tb_next
    return (
        f"this is a fault of the program and not of your text: {type(error).__name__}{where}; nothing is written; "
        "please report it with the text that shows it"
    )


class FnError(Exception):
    """The function cannot go on: the run fails, and the items are written as they were read.

    The arguments are a sentence, the object or part that it is about, and the path of a field there. Or they are
    results, which all become errors if none of them is one. `results` has the results.

    >>> raise FnError("runs on one node", deployment, "spec.replicas")
    Traceback (most recent call last):
    ...
    krm.results.FnError: [error] web.yaml: apps/v1/Deployment/shop/web spec.replicas: runs on one node
    """

    def __init__(self, *why: Any) -> None:  # noqa: ANN401 - either form
        message, *about = why or ("the function failed, and does not say why",)
        if isinstance(message, str):
            why = (result_about(message, ERROR, *about),)
        elif not all(isinstance(one, Result) for one in why):
            raise TypeError(f"FnError takes a sentence, an object and a path, or results, found {why!r}")
        # The run fails, so one result must be an error.
        for result in () if failed(why) else why:
            result.severity = ERROR
        self.results: tuple[Result, ...] = why

    def __str__(self) -> str:
        # The files of results get the names that the user knows when the error is on its way.
        return "\n".join(map(str, self.results))


def severity_of(reason: str) -> Literal["warning", "info"]:
    """Return the severity of a result with this reason that does not fail the run.

    A result is a warning if the run took, changed, deleted or renamed something of a person, or did not do something
    that was requested. Every other result is an info. docs/reference/results.md, "Results", has the same table.

    >>> severity_of("Renamed"), severity_of("Pruned")
    ('warning', 'info')
    """
    return "info" if reason in _INFOS else "warning"


def notice(
    message: str, reason: str, *, ref: ResourceRef | None = None, field: str | None = None, file: str | None = None
) -> Result:
    """Return a result that does not fail the run. Its reason decides the severity."""
    return Result(message, severity_of(reason), reason, ref=ref, field=field, file=file)


def is_printed(result: Result) -> bool:
    """True if standard error shows a result: an error, a warning, or the info about a changed value.

    A changed value is shown because a person may have written the text that it replaces.
    """
    return result.severity != INFO or result.reason == VALUE_CHANGED


def result_about(  # noqa: PLR0913 - the fields of a result
    message: str,
    severity: str,
    about: Any = None,  # noqa: ANN401 - of the SDK
    path: Any = "",  # noqa: ANN401 - as above
    reason: str = "",
    current: str | None = None,
    proposed: str | None = None,
    tags: Mapping[str, str] | None = None,
) -> Result:
    """Return a result about an object, about a part of one, or about neither. TypeError for any other `about`.

    ValueError for values without a field, because they would be lost.
    """
    if about is None:
        result = Result(message, severity, reason)
    elif hasattr(about, "_result"):
        result = about._result(message, path, severity, reason)  # noqa: SLF001 - no name for authors of functions
    else:
        raise TypeError(f"a result is about an object, or a part of one, found {about!r}")
    _require_field(result.field, current, proposed)
    result.current, result.proposed, result.tags = current, proposed, tags or {}
    return result


def failed(results: Iterable[Result]) -> bool:
    """True if any is an error (docs/reference/results.md, "Exit codes, and what a failure leaves")."""
    return any(result.severity == ERROR for result in results)


def by_line(results: Iterable[Result]) -> Iterator[Result]:
    """Yield results, those about one object or one text in the order of its lines. Texts are parsed to count lines."""
    # A result without a line, such as the count of results that are not shown, keeps its place.
    for _, together in groupby(results, key=lambda result: (result.file, result.index, location(result)[0] is None)):
        about_one = [*together]
        yield from about_one if len(about_one) == 1 else sorted(about_one, key=Result.line)


def capped(results: Iterable[Result], most: int) -> list[Result]:
    """Return at most `most` results of each severity and reason. The last results count the rest.

    >>> [str(one) for one in capped([Result("a", INFO, "R"), Result("b", INFO, "R"), Result("c", INFO, "R")], 1)]
    ['[info] a', '[info] and 2 more']
    """
    counts: Counter[tuple[str, str]] = Counter()
    kept = []
    for result in results:
        counts[result.severity, result.reason] += 1
        if counts[result.severity, result.reason] <= most:
            kept.append(result)
    beyond = ((key, count - most) for key, count in counts.items() if count > most)
    return [*kept, *(Result(f"and {count} more", *key) for key, count in beyond)]


class Output:
    """The answer of a run: the text for standard output, in pieces that can be read once, and every result.

    `is_shown`: the reader of the text shows its results, so standard error does not show them again.

    >>> resource_list.emit().results
    []
    """

    __slots__ = ("is_shown", "pieces", "results")

    def __init__(self, pieces: Iterable[str], results: list[Result], *, is_shown: bool = False) -> None:
        self.pieces = pieces
        self.results = results
        self.is_shown = is_shown

    @property
    def text(self) -> str:
        """The whole text. To write a long one, take the pieces.

        >>> resource_list.emit().text.partition(":")[0]
        'apiVersion'
        """
        self.pieces = ["".join(self.pieces)]
        return self.pieces[0]

    @property
    def exit_code(self) -> int:
        """1 if any result is an error, else 0.

        >>> resource_list.emit().exit_code
        0
        """
        return int(failed(self.results))
