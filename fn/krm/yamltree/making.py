"""What is made of the events of PyYAML: a node, or the position where one ends.

A scalar becomes its node, and so does the start of a collection, as yet without kids. The end of a collection becomes
an int: where its bracket ends, or where the next token starts. Documents and aliases stay events.

libyaml's binding makes an object of a class of PyYAML for each event. In a program that has its process to itself it
calls functions of this module instead (`take_over`), so that no event is made only to be copied into a node. Elsewhere
`of` makes the same of an event.
"""

from __future__ import annotations

from yaml import events
from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from krm.yamltree.nodes import Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Event: TypeAlias = Any  # the stubs do not say what each kind of event has
    Mark: TypeAlias = Any


# As the binding calls the classes of events: with all that a class takes, by position.


def _scalar(  # noqa: PLR0913
    anchor: str | None, tag: str | None, _implicit: object, value: str, start: Mark, end: Mark, style: str | None
) -> Scalar:
    return Scalar(start.index, end.index, value, style or "", anchor, tag)


def _mapping(
    anchor: str | None, tag: str | None, _implicit: object, start: Mark, inside: Mark, flow: object
) -> Mapping:
    # The mark stands behind a bracket; a block mapping has none, and its mark is at the first key.
    behind = 1 if flow else 0
    return Mapping(start.index, inside.index - behind, inside.column - behind, bool(flow), anchor, tag)


def _sequence(
    anchor: str | None, tag: str | None, _implicit: object, start: Mark, inside: Mark, flow: object
) -> Sequence:
    """Return a sequence whose `first` may be behind the first dash: only the text tells."""
    behind = 1 if flow else 0
    return Sequence(start.index, inside.index - behind, inside.column - behind, bool(flow), anchor, tag)


def _end(_start: Mark, behind: Mark) -> int:
    position: int = behind.index
    return position


def _of_scalar(event: Event) -> Scalar:
    # Not by `_scalar`: two of three events are scalars, and a call costs as much as the node.
    return Scalar(event.start_mark.index, event.end_mark.index, event.value, event.style or "", event.anchor, event.tag)


def _of_mapping(event: Event) -> Mapping:
    return _mapping(event.anchor, event.tag, None, event.start_mark, event.end_mark, event.flow_style)


def _of_sequence(event: Event) -> Sequence:
    return _sequence(event.anchor, event.tag, None, event.start_mark, event.end_mark, event.flow_style)


def _of_end(event: Event) -> int:
    return _end(event.start_mark, event.end_mark)


OF: dict[type, Callable[[Event], object]] = {
    ScalarEvent: _of_scalar,
    MappingStartEvent: _of_mapping,
    SequenceStartEvent: _of_sequence,
    MappingEndEvent: _of_end,
    SequenceEndEvent: _of_end,
}
"""What makes a node or a position of an event, by its class."""
_INSTEAD: dict[str, Callable[..., object]] = {
    "ScalarEvent": _scalar,
    "MappingStartEvent": _mapping,
    "SequenceStartEvent": _sequence,
    "MappingEndEvent": _end,
    "SequenceEndEvent": _end,
}


def of(event: Event) -> Event:
    """Return what is made of an event; what the binding has made already, and any other event, stays as it is."""
    make = OF.get(type(event))
    return event if make is None else make(event)


def take_over() -> None:
    """Have the binding make nodes and positions, for all of this process. Does nothing without the binding."""
    _replace(_INSTEAD)


def give_back() -> None:
    """Have the binding make PyYAML's events again, for somebody who wants them."""
    _replace({name: getattr(events, name) for name in _INSTEAD})


def _replace(made: dict[str, Callable[..., object]]) -> None:
    try:
        import yaml._yaml as binding  # noqa: PLC0415
    except ImportError:
        return
    for name, make in made.items():
        setattr(binding, name, make)
