"""krm: write KRM functions in Python that change only what they mean to change.

An executable file with these lines is a function, for `kpt fn eval --exec` and every other orchestrator:

```python
#!/usr/bin/env python3
import krm

def label(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        if item.kind == "Deployment":
            item.set("metadata.labels.team", "storefront")

krm.run(label)
```

The names in `__all__` are public. Each is imported when it is first used, so that a program pays only for what it uses.
Every module below this package is internal: its names and places may change in any release.
"""

import atexit
import sys

_NAMES = {
    "krm.function.configs": ("decode", "definition", "schema"),
    "krm.function.fields": ("Part", "Path", "Value"),
    "krm.function.object_list": ("Process", "ResourceList", "generate"),
    "krm.function.objects": ("Origin", "PodSpec", "Resource"),
    "krm.function.running": ("chain", "load", "open", "run", "transform"),
    "krm.results": ("ERROR", "INFO", "WARNING", "FnError", "Output", "ResourceRef", "Result"),
}
"""The public names, by the module that defines them."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # With `as`, a type checker takes each for a public name.
    # isort: off
    from krm.function.configs import decode as decode, definition as definition, schema as schema
    from krm.function.fields import Part as Part, Path as Path, Value as Value
    from krm.function.object_list import Process as Process, ResourceList as ResourceList, generate as generate
    from krm.function.objects import Origin as Origin, PodSpec as PodSpec, Resource as Resource
    from krm.function.running import chain as chain, load as load, run as run, transform as transform
    from krm.function.running import open as open  # noqa: A004 - a name of this package
    from krm.results import ERROR as ERROR, INFO as INFO, WARNING as WARNING
    from krm.results import FnError as FnError, Output as Output, ResourceRef as ResourceRef, Result as Result
    # isort: on

_every = (name for names in _NAMES.values() for name in names)
# Constants, classes and functions.
__all__ = sorted(_every, key=lambda name: (not name.isupper(), name[0].islower(), name))  # noqa: PLE0605 - a list


# A type checker that sees it takes every misspelt name for a public one.
if not TYPE_CHECKING:  # pragma: no branch - checkers alone take the other one

    def __getattr__(name: str) -> object:
        """Import a public name on its first use (PEP 562)."""
        home = next((module for module, names in _NAMES.items() if name in names), None)
        if home is None:
            raise AttributeError(f"module 'krm' has no attribute {name!r}")
        from importlib import import_module  # noqa: PLC0415 - the filter uses no name of this package

        found: object = getattr(import_module(home), name)
        globals()[name] = found
        return found


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)


def _tell_that_nothing_ran() -> None:
    """End with 1 where a function was defined, and never run: kpt takes no output for a list without items.

    It would delete every file of the package.
    """
    names = vars(sys.modules["__main__"]).values()
    here = sys.modules[__name__]
    # Classes and functions, compiled ones too.
    kinds = type, type(_tell_that_nothing_ran), type(len)
    is_function = any(one is here or (isinstance(one, kinds) and one.__module__ in _NAMES) for one in names)
    # Python has told of an exception. Whatever reads a list takes this function from those that Python calls.
    if is_function and not hasattr(sys, "last_value"):
        from krm import process, stdio  # noqa: PLC0415 - nearly no program ends so

        if stdio.has_unread():
            process.end(stdio.fail("standard input is not read: the program ends without `krm.run(function)`"))


atexit.register(_tell_that_nothing_ran)
