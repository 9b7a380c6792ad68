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

_HOMES = {
    "ERROR": "krm.results",
    "FnError": "krm.results",
    "INFO": "krm.results",
    "Resource": "krm.resource",
    "ResourceList": "krm.resourcelist",
    "Result": "krm.results",
    "WARNING": "krm.results",
    "generate": "krm.function",
    "run": "krm.function",
    "transform": "krm.function",
}
"""The module in which each public name is defined."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.function import generate, run, transform
    from krm.resource import Resource
    from krm.resourcelist import ResourceList
    from krm.results import ERROR, INFO, WARNING, FnError, Result

__all__ = ["ERROR", "INFO", "WARNING", "FnError", "Resource", "ResourceList", "Result", "generate", "run", "transform"]


def __getattr__(name: str) -> object:
    """Import a public name on its first use (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module 'krm' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - the filter uses no name of this package

    found: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
