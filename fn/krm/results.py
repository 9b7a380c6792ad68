"""Results: what a function reports to its caller, as `results` of the KRM functions specification has it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

ERROR = "error"
WARNING = "warning"
INFO = "info"

_RANK = {ERROR: 0, WARNING: 1, INFO: 2}


class ResourceRef:
    """The object that a result is about."""

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
        """Return the `resourceRef` of a result."""
        keys = {"apiVersion": self.api_version, "kind": self.kind, "namespace": self.namespace, "name": self.name}
        return {key: value for key, value in keys.items() if value}


class Result:
    """One finding of a run, about an object and a field of it.

    The severity is always set, because orchestrators disagree on what an absent one means. `reason` is one CamelCase
    word to automate on. In a conflict `current` is local's value, `proposed` update's, `origin` the one both had.
    """

    __slots__ = ("current", "field", "file", "index", "message", "origin", "proposed", "reason", "ref", "severity")

    def __init__(  # noqa: PLR0913 - the fields of the specification
        self,
        message: str,
        severity: str,
        reason: str,
        *,
        ref: ResourceRef | None = None,
        field: str | None = None,
        current: str | None = None,
        proposed: str | None = None,
        origin: str | None = None,
        file: str | None = None,
        index: int | None = None,
    ) -> None:
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

    def __str__(self) -> str:
        """Return the line for standard error: `[severity] file: object field: message`."""
        place = " ".join(str(part) for part in (self.ref, self.field) if part)
        return f"[{self.severity}] " + ": ".join(part for part in (self.file, place, self.message) if part)

    def __repr__(self) -> str:
        return f"<Result {self.reason} {self}>"

    def order(self) -> tuple[str, int, str]:
        """Return the key by which results are sorted: file, severity, text."""
        return self.file or "", _RANK[self.severity], str(self)

    def as_data(self) -> dict[str, object]:
        """Return the element of `results`, with its keys in the order of the specification."""
        data: dict[str, object] = {"message": self.message, "severity": self.severity}
        if self.ref is not None:
            data["resourceRef"] = self.ref.as_data()
        if self.field is not None:
            values = {"path": self.field, "currentValue": self.current, "proposedValue": self.proposed}
            data["field"] = {key: value for key, value in values.items() if value is not None}
        if self.file is not None:
            data["file"] = {"path": self.file} | ({} if self.index is None else {"index": self.index})
        data["tags"] = {"reason": self.reason} | ({} if self.origin is None else {"origin": self.origin})
        return data


class FnError(Exception):
    """The function cannot go on. `results` say why, and at least one is an error; items come out as they were read."""

    def __init__(self, *results: Result) -> None:
        super().__init__("\n".join(str(result) for result in results))
        self.results = results


def failed(results: Iterable[Result]) -> bool:
    """True if any result is an error, which means exit code 1."""
    return any(result.severity == ERROR for result in results)
