"""A KRM function as a program: `run` answers standard input, `transform` a text, `generate` merges resources."""

from __future__ import annotations

import sys

from krm import resourcelist, stdio
from krm.results import FnError
from krm.yamltree import style
from krm.yamltree.style import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import NoReturn

    from krm.resourcelist import Output, ResourceList
    from krm.yamltree.style import Value


def run(process: Callable[[ResourceList], object]) -> NoReturn:
    """Read a ResourceList from standard input, have `process` change it, write it to standard output, and exit.

    `process` changes items in place, adds and removes some, and appends to `results`. If it raises FnError, or adds an
    error, the items come back byte for byte and the exit code is 1. What it prints goes to standard error.
    """
    sys.exit(stdio.serve(lambda text: transform(text, process)))


def transform(text: str, process: Callable[[ResourceList], object]) -> Output:
    """Return what `process` makes of a text: `run` without standard input and output, for tests."""
    resource_list = resourcelist.read(text)
    try:
        process(resource_list)
    except FnError as error:
        resource_list.results += error.results
    return resource_list.emit()


def generate(
    resource_list: ResourceList,
    resources: Iterable[str | dict[str, Value]],
    *,
    on_conflict: str = "TakeUpdate",
    prune: bool = True,
) -> None:
    """Make these the resources that the function generates: merged with those that are there, the new ones added.

    Each is the text of one or several YAML documents, whose comments and order a new resource keeps, or a dict. What
    the user changed since the last time stays; `on_conflict` (`TakeUpdate`, `KeepLocal`, `Error`) says who wins a field
    that both changed. What is generated no longer goes, if `prune`, but never all at once. That is known by the
    functionConfig, which needs a name. Whatever there is to tell is added to the results.
    """
    from krm.generation import generating, reading  # noqa: PLC0415 - a function that generates nothing does without
    from krm.generation.model import KEEP, PRUNE, Settings  # noqa: PLC0415 - as above
    from krm.merge.options import MergeOptions  # noqa: PLC0415 - as above

    texts = [one if isinstance(one, str) else "\n".join(style.block(one, Layout())) for one in resources]
    generated = [one for number, text in enumerate(texts) for one in reading.read(text, f"resources[{number}]")]
    merge = MergeOptions(on_conflict=on_conflict)
    settings = Settings(resource_list.function_config, merge=merge, prune=PRUNE if prune else KEEP)
    resource_list.results += generating.generate(resource_list, generated, settings)
