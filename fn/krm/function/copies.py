"""Copies of fields that a function got: a run ends with a warning for each that was changed and never written back."""

from __future__ import annotations

import marshal
import os
import sys
from contextlib import contextmanager

from krm.results import WARNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from krm.fieldpath import Place
    from krm.function.edited_object import EditedObject
    from krm.results import Result

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_RUNS: list[Copies] = []


class Copies:
    """The copies of fields that a run of a function got, with their places, and what it wrote.

    An author who changes a copy and does not write it would not see that the field is unchanged.
    """

    def __init__(self) -> None:
        self.got: list[tuple[EditedObject, Place, Any, int | None, int, str]] = []
        self.written: list[tuple[EditedObject | None, Place, Any]] = []

    def lost(self) -> list[Result]:
        """Return a warning for each copy that was changed and not written back.

        It is written back if its field, or one above or below, is written afterwards, or if a written value holds it.
        """
        places: dict[int, list[tuple[int, Place]]] = {}
        values: dict[int, int] = {}
        for number, (writer, place, value) in enumerate(self.written):
            places.setdefault(id(writer), []).append((number, place))
            values |= dict.fromkeys(map(id, _collections(value)), number)
        warnings: list[Result] = []
        for owner, place, copy, digest, count, line in self.got:
            since = [written for number, written in places.get(id(owner), ()) if number >= count]
            is_written = any(place[: len(written)] == written[: len(place)] for written in since)
            is_given = any(values.get(id(one), -1) >= count for one in _collections(copy))
            if not (owner.closed or _digest(copy) == digest or is_written or is_given):
                message = f"{line}: the copy that it got was changed and is not written: give it back with `set`"
                warnings.append(owner.item.result(message, WARNING, "", *[place][: len(place)]))
        return warnings


@contextmanager
def watched() -> Iterator[Copies]:
    """Watch the copies that are got in a block."""
    _RUNS.append(Copies())
    try:
        yield _RUNS[-1]
    finally:
        _RUNS.pop()


def note_read(owner: EditedObject, place: Place, copy: object) -> None:
    """Note a copy that the author gets, its digest, and the author's line."""
    if _RUNS and isinstance(copy, dict | list):
        frame = sys._getframe(2)
        while frame.f_code.co_filename.startswith(HERE) and frame.f_back is not None:
            frame = frame.f_back
        line = f"{os.path.basename(frame.f_code.co_filename)} line {frame.f_lineno}"
        _RUNS[-1].got.append((owner, place, copy, _digest(copy), len(_RUNS[-1].written), line))


def note_written(owner: EditedObject | None, place: Place, value: object) -> None:
    """Note a value that is written to a place, or into a new object."""
    if _RUNS and _RUNS[-1].got:
        _RUNS[-1].written.append((owner, place, value))


def _collections(value: object) -> Iterator[object]:
    if isinstance(value, dict | list | tuple):
        yield value
        for kid in value.values() if isinstance(value, dict) else value:
            yield from _collections(kid)


def _digest(copy: Any) -> int | None:  # noqa: ANN401 - whatever the author makes of it
    """Return a number that differs after a change of the copy, None if it holds a value that no copy has."""
    try:
        return hash(marshal.dumps(copy, 2))  # in this form equal values are equal bytes
    except ValueError:
        return None
