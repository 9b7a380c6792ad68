"""A functionConfig as environment variables, for the COMMAND of `wrap` (docs/guides/wrap.md, "Wrap any program").

Each field of `metadata` and of `spec` is a variable, and so is each key of `data`, except in a Secret. Its name is in
upper case; a scalar is its text, anything else JSON. Of two with one name the later wins. The author of COMMAND lists
the names with `--export`: no other field is a variable. Two further variables hold the functionConfig as a whole.
"""

from __future__ import annotations

import os
import re

from krm import secrets
from krm.yamltree import extracting, scalars, style
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Scalar, resolved
from krm.yamltree.style import Layout
from krm.yamltree.target import value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.yamltree.nodes import Node

NOT_EXPORTED = "NotExported"
FIELD_NOT_EXPORTED = "FieldNotExported"
FUNCTION_CONFIG = ("KRM_FUNCTION_CONFIG", "KUST_FUNCTION_CONFIG")
"""The variables with the whole functionConfig: ours, and the one that programs for `config run wrap` read."""

EVERY_FIELD = "*"
"""The word of `--export` for all fields."""

_SECTIONS = ("metadata", "spec")
_IDENTIFIER = re.compile("[A-Za-z_][A-Za-z0-9_]*")
# By these names programs load code, find files, trust hosts or pick a proxy. The functionConfig is data of a package:
# who may write it must not thereby run code in COMMAND's place.
_PROTECTED = re.compile(
    "PATH|HOME|IFS|ENV|PS4|SHELLOPTS|BASHOPTS|CDPATH|GLOBIGNORE|TMPDIR|CLASSPATH|KUBECONFIG|GCONV_PATH|LOCPATH|.*_PROXY"
    "|(?:LD|DYLD|BASH|NODE|JAVA|JDK|GIT|GLIBC|MALLOC|SSL|CURL|DOCKER|SSH|NPM|PIP|LUA|KRM)_.*"
    "|(?:PYTHON|PERL|RUBY|PHP|GO|_).*|KUST_FUNCTION_CONFIG"
)
# The most that Linux takes for one variable, with its name, the equals sign and a final NUL.
_LONGEST = 1 << 17

_NOT_ITS_NAME = "a variable's name has letters, digits and `_` alone, and no digit first"
_NOT_THAT_NAME = "by that name programs load code, find files or hosts, or it is set already"
_NOT_ITS_VALUE = "a variable holds less than 128 KiB, and neither NUL nor a tag"
_NOT_AS_A_WHOLE = "as a whole it has 128 KiB or more, or no form that can stand alone"


def allowed(names: str) -> frozenset[str] | None:
    """Return the names of an allow-list, `NAME,...`, None for `*`. ValueError for a name that nobody may set."""
    if names.strip() == EVERY_FIELD:
        return None
    found = frozenset(name.strip().upper() for name in names.split(","))
    for name in sorted(found):
        if not _IDENTIFIER.fullmatch(name):
            raise ValueError(f"`{name}`: {_NOT_ITS_NAME}")
        if _PROTECTED.fullmatch(name):
            raise ValueError(f"`{name}`: by that name programs load code, find files or hosts")
    return found


def environment(
    function_config: Resource | None, names: frozenset[str] | None = frozenset()
) -> tuple[dict[bytes, bytes], list[Result]]:
    """Return the environment of this process with the functionConfig in it, and results about fields left out.

    `names` are those that COMMAND wants, None for all. A field that COMMAND does not want is left out without a result.
    """
    exported = dict.fromkeys(FUNCTION_CONFIG, "")
    if function_config is None:
        return _with(exported), []
    left_out: dict[str, list[Place]] = {}
    # Of the two variables with the whole functionConfig none is ever left out: scripts read them to see what they got.
    for name, place, value in _variables(function_config):
        if place and names is not None and name not in names:
            continue
        problem = _problem(name, place, value)
        if problem is None:
            exported[name] = str(value)
        else:
            left_out.setdefault(problem, []).append(place)
    return _with(exported), [
        function_config.notice(
            f"not in the environment of COMMAND: {problem}",
            FIELD_NOT_EXPORTED if problem == _NOT_THAT_NAME else NOT_EXPORTED,
            *places,
        )
        for problem, places in left_out.items()
    ]


def wanted(function_config: Resource) -> str:
    """Return the `--export` option that gives COMMAND the scalars of a functionConfig, empty if it has none of its own.

    A name alone is none of its own: every functionConfig has one.
    """
    names: dict[str, bool] = {}
    for place, node in _fields(function_config):
        name = str(place[-1]).upper()
        if isinstance(resolved(node), Scalar) and _problem(name, place, _text(node, function_config)) is None:
            names[name] = names.get(name, False) or place[0] != "metadata"
    return f"--export {','.join(names)}" if any(names.values()) else ""


def _variables(function_config: Resource) -> Iterator[tuple[str, Place, str | None]]:
    """Yield the name, the place and the value of each variable. The value is None if JSON or YAML cannot express it."""
    for place, node in _fields(function_config):
        yield str(place[-1]).upper(), place, _text(node, function_config)
    whole = _whole(function_config)
    yield from ((name, (), whole) for name in FUNCTION_CONFIG)


def _with(exported: dict[str, str]) -> dict[bytes, bytes]:
    """Return the environment of this process with these variables, in UTF-8 under any locale."""
    return {**os.environb, **{name.encode(): value.encode() for name, value in exported.items()}}


def _fields(function_config: Resource) -> Iterator[tuple[Place, Node]]:
    """Yield the fields that become variables. Of two with one name the later wins."""
    # kustomize gives its arguments as `data` of any kind that they name.
    for section in _SECTIONS if function_config.kind == secrets.KIND else (*_SECTIONS, "data"):
        for place, node in function_config.find((section,)):
            mapping = resolved(node)
            if isinstance(mapping, Mapping):
                yield from (((*place, key), value) for key, value in mapping.items())


def _text(node: Node, function_config: Resource) -> str | None:
    """Return the text of a scalar, "" for null, and JSON for the rest; None if JSON cannot express it."""
    value = resolved(node)
    if isinstance(value, Scalar):
        return "" if scalars.typed(value) is None else value.value
    try:
        return style.inline(value_of(node, function_config.text, json=True), Layout(style.JSON))
    except ValueError:
        return None


def _whole(function_config: Resource) -> str | None:
    """Return the text of a functionConfig as a document, None if it has none."""
    try:
        return extracting.document(function_config.editor, function_config.base)
    except EditError:
        return None


def _problem(name: str, place: Place, value: str | None) -> str | None:
    """Return why the field at `place` cannot be a variable, None if it can."""
    fits = value is not None and "\0" not in value and len(f"{name}={value}\0".encode()) <= _LONGEST
    if not place:
        return None if fits else _NOT_AS_A_WHOLE
    if not _IDENTIFIER.fullmatch(str(place[-1])):
        return _NOT_ITS_NAME
    if _PROTECTED.fullmatch(name) or name.encode() in os.environb:
        return _NOT_THAT_NAME
    return None if fits else _NOT_ITS_VALUE
