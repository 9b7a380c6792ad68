"""A program as a process: it imports what it needs, and ends as soon as its product is written.

`import yaml` executes PyYAML's own reader, scanner, resolver, constructor and representer with their regular
expressions: half of what a small run takes. The binding of libyaml, `yaml._yaml`, asks the package for no more than the
classes of tokens, events and nodes, and for exceptions. So the package is put in its place without being executed. It
executes itself at the first use of any other name, and is then the same package as ever.

One difference stays: a mistake that libyaml finds is a `MarkedYAMLError`, not PyYAML's `ScannerError`. So no library
does this, but only a command, which has its process to itself.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from typing import Any

__version__ = "0.1.0"
"""The version of the distribution, and so of both programs."""

_NOT_ON_WINDOWS = "`{} {}` does not run on Windows: use WSL, or the image in a container"
_WITH_ERRORS = ("reader", "scanner", "parser", "composer", "constructor", "emitter", "serializer", "representer")
"""The modules of PyYAML that the binding asks for an exception each: `ReaderError` of the first."""


def start() -> None:
    """Prepare the imports of a process that is for one run of a program."""
    gc.disable()  # trees are short-lived and have no cycles, and imports create nothing to collect
    postpone_yaml()


def postpone_yaml() -> None:
    """Put the package `yaml` in its place without executing it. Does nothing if it is imported or cannot be found."""
    if "yaml" not in sys.modules:
        spec = next(filter(None, (finder.find_spec("yaml", None) for finder in sys.meta_path)), None)
        if spec is not None and spec.loader is not None:
            _put(spec, spec.loader)


def _put(spec: ModuleSpec, loader: Loader) -> None:
    package: Any = type(sys)("yaml")
    package.__spec__ = spec
    package.__loader__ = loader
    package.__file__ = spec.origin
    package.__path__ = spec.submodule_search_locations
    package.__getattr__ = lambda name: _execute(package, loader, name)
    sys.modules["yaml"] = package
    # Each submodule becomes an attribute of the package, where the binding looks for it.
    import yaml.events  # noqa: PLC0415
    import yaml.nodes  # noqa: F401, PLC0415
    from yaml.error import MarkedYAMLError, YAMLError  # noqa: PLC0415

    class CharacterError(YAMLError):
        """The exception that the binding raises for a character that YAML does not allow."""

        def __init__(self, name: str, position: int, character: int, encoding: str, reason: str) -> None:
            super().__init__(name, position, character, encoding, reason)
            self.character = character

    for module in _WITH_ERRORS:
        stand_in: Any = type(sys)(f"yaml.{module}")
        error = f"{module.capitalize()}Error"
        setattr(stand_in, error, type(error, (CharacterError if module == "reader" else MarkedYAMLError,), {}))
        setattr(package, module, stand_in)
    package.tokens = type(sys)("yaml.tokens")
    package.tokens.__getattr__ = _token


def _token(name: str) -> Callable[..., object]:
    """Return what makes a token. The module with the classes is imported for the first one: a parser makes events."""
    return lambda *values: getattr(__import__("yaml.tokens", fromlist=[name]), name)(*values)  # noqa: PLW0108 - later


def _execute(package: Any, loader: Loader, name: str) -> object:  # noqa: ANN401 - the attributes of a module are any
    """Execute the package at the first use of `name`, and return that."""
    del package.__getattr__
    for module in (*_WITH_ERRORS, "tokens"):
        delattr(package, module)
    loader.exec_module(package)
    return getattr(package, name)


def end(code: int) -> None:
    """End the process with an exit code."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)  # Python's own clean-up would take a tenth of a small run


def with_help_option(arguments: Sequence[str]) -> Sequence[str]:
    """Return the arguments with `--help` in the place of `help`, which many programs have as a command."""
    return [*arguments[1:2], "--help"] if arguments[:1] == ["help"] else arguments


def run_command(program: str, modules: Mapping[str, str], on_windows: Collection[str], arguments: Sequence[str]) -> int:
    """Run the command that the first argument names, and return its exit code. Only its module is imported.

    SystemExit for help and wrong usage.
    """
    command = arguments[0]
    if sys.platform == "win32" and command not in on_windows:
        from krm import stdio  # noqa: PLC0415 - a command imports what it needs

        return stdio.fail(_NOT_ON_WINDOWS.format(program, command))
    package, _, name = modules[command].rpartition(".")
    # The built-in, since `importlib` would be one of the dearest imports of the git driver.
    main: Callable[[Sequence[str]], int] = getattr(__import__(package, fromlist=[name]), name).main
    return main(arguments)


def version(program: str) -> str:
    """Return the version of a program, and which of the two wheels is installed: the compiled one is faster."""
    files = os.listdir(os.path.dirname(__file__))
    is_compiled = any(name.startswith("resource.") and name.endswith(".so") for name in files)
    return f"{program} {__version__} ({'compiled' if is_compiled else 'pure'})\n"
