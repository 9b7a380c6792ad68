"""Every public name is explained, with an example that runs."""

from __future__ import annotations

import doctest
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

import krm
from krm import testing
from tests.krm.function import texts

if TYPE_CHECKING:
    from collections.abc import Iterator

WITHOUT_EXAMPLE = {"ERROR", "INFO", "WARNING"}
"""Words, which need no example."""


TYPES = {"Path", "Process", "Value"}
"""They stand in signatures."""


def public() -> Iterator[tuple[str, Any]]:
    """Yield every public name, and the public methods and properties of the classes."""
    yield "testing.golden", testing.golden
    for name in sorted({*krm.__all__} - TYPES):
        found = getattr(krm, name)
        yield name, found
        if inspect.isclass(found):
            for member, value in inspect.getmembers(found):
                is_ours = inspect.isroutine(value) or isinstance(value, property)
                if not member.startswith("_") and is_ours and "krm" in str(getattr(value, "__module__", "krm")):
                    yield f"{name}.{member}", value


NAMES = {name: found for name, found in public() if not issubclass(type(found), str)}


@dataclass
class Setters:
    """The dataclass of the example of `decode`."""

    tag: str
    replicas: int = 1


def globs() -> dict[str, Any]:
    resource_list = texts.read()
    deployment, config_map = resource_list.items
    # `open` is the built-in in every example but its own.
    every = {name: getattr(krm, name) for name in krm.__all__ if name != "open"}
    items = {"resource_list": resource_list, "deployment": deployment, "config_map": config_map}
    return {**every, "krm": krm, "Setters": Setters, **items}


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_a_docstring(name: str) -> None:
    assert inspect.getdoc(NAMES[name]), name


EXAMPLES = [
    example
    for name, found in NAMES.items()
    for example in doctest.DocTestFinder(recurse=False).find(found, name, module=False, globs={})
]


def test_every_public_function_has_an_example() -> None:
    shown = {example.name for example in EXAMPLES if example.examples}
    functions = {name for name, found in NAMES.items() if inspect.isroutine(found) or isinstance(found, property)}
    inherited = {"FnError"}
    assert {name for name in functions - shown if name.partition(".")[0] not in inherited} == set()


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.examples], ids=lambda one: one.name)
def test_examples_do_what_they_show(example: doctest.DocTest, capsys: pytest.CaptureFixture[str]) -> None:
    example.globs = {**globs(), **getattr(inspect.getmodule(NAMES[example.name]), "__dict__", {})} | globs()
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example).failed
    assert not failed, capsys.readouterr().out
