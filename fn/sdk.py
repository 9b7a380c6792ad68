"""For KRM functions of one's own: `run` answers standard input with what a function makes of its ResourceList.

An executable file with these lines is one, for `kpt fn eval --exec` and every other orchestrator:

```python
#!/usr/bin/env python3
from fn import sdk

def label(resource_list: sdk.ResourceList) -> None:
    for item in resource_list.items:
        if item.kind == "Deployment":
            item.set("metadata.labels.team", "storefront")

sdk.run(label)
```
"""

from __future__ import annotations

import sys

from fn import stdio
from fn.krm import resourcelist
from fn.krm.resource import Resource
from fn.krm.resourcelist import Output, ResourceList
from fn.krm.results import ERROR, INFO, WARNING, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["ERROR", "INFO", "WARNING", "FnError", "Resource", "ResourceList", "Result", "run", "transform"]


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
