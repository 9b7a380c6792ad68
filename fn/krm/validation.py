"""Validation: what a field may hold, by Kubernetes' own rules (docs/reference/expansion.md, "Which fields").

A field has a grammar, holds free text, or is unknown here. A field with a grammar cannot hold `$(NAME)`: the API
server, or the runtime of an image, refuses that text.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from krm.fieldpath import WILDCARD, leads
from krm.fieldtypes import KINDS, TYPES
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.style import PlainData

# The first characters of the type of a mapping with any keys, of a list, and of a value that may be either.
_AROUND = ("*", "-", "?")
_RBAC = "rbac.authorization.k8s.io"
_WORD = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"(?=.{{1,253}}\Z){_WORD}(?:\.{_WORD})*"
_PORT = r"0*(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])"
_PORT_NAME = rf"(?=.{{1,15}}\Z)(?=.*[a-z])(?!.*--){_WORD}"
_NAME = r"(?=.{1,63}\Z)[A-Za-z0-9](?:[-\w.]*[A-Za-z0-9])?"
_GRAMMARS = {
    "base64": ("", "base64, such as `dmFsdWU=`; plain text belongs into `stringData`"),
    "boolean": (r"true|false", "`true` or `false`"),
    "data-key": (
        r"(?!\.\.|\.\Z)[-\w.]{1,253}",
        "a key of at most 253 letters, digits, `-`, `_` and `.`, such as `app.yaml`",
    ),
    "env-name": (r"[ -<>-~]*", "the name of a variable, such as `REGION`"),
    "host": (
        rf"|None|(?:\*\.)?{_SUBDOMAIN}|(?=.*:.*:)[0-9A-Fa-f:.]+",
        "a host or an address, such as `shop.example.com`",
    ),
    "image": (
        (
            r"(?:[A-Za-z0-9][-.A-Za-z0-9]*(?::\d+)?/|\[[0-9A-Fa-f:]+\](?::\d+)?/)?"
            r"[a-z0-9][-._a-z0-9]*(?:/[a-z0-9][-._a-z0-9]*)*(?::\w[-.\w]{0,127})?(?:@[A-Za-z0-9+._-]+:[0-9A-Fa-f]{32,})?"
        ),
        "the reference of an image, such as `nginx:1.27`",
    ),
    "integer": (r"[-+]?\d+", "a whole number, such as `3`"),
    "label": (rf"(?=.{{1,63}}\Z){_WORD}", "a name of at most 63 lower-case letters, digits and `-`, such as `web-1`"),
    "label-key": (
        rf"(?:(?=[^/]{{1,253}}/){_WORD}(?:\.{_WORD})*/)?{_NAME}",
        "the key of a label, such as `example.com/tier`",
    ),
    "label-value": (rf"|{_NAME}", "the value of a label: at most 63 letters, digits, `-`, `_` and `.`, such as `v1.2`"),
    "name": (r"(?!\.{1,2}\Z)[^/%]+", "a name without `/` and `%`, such as `web`"),
    "percentage": (r"\d+%?", "a number or a percentage, such as `25%`"),
    "port-name": (_PORT_NAME, "the name of a port: at most 15 lower-case letters, digits and `-`, such as `http`"),
    "port-or-name": (rf"{_PORT}|{_PORT_NAME}", "a port from 1 to 65535, or the name of one, such as `http`"),
    "quantity": (
        r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[KMGTPE]i|[numkMGTPE]|[eE][-+]?\d+)?",
        "a quantity, such as `500m` or `1Gi`",
    ),
    "share": (r"\d+|(?:100|\d?\d)%", "a number, or a percentage up to `100%`, such as `25%`"),
    "subdomain": (_SUBDOMAIN, "a name of lower-case letters, digits, `-` and `.`, such as `web-1`"),
    "target-port": (rf"0|{_PORT}|{_PORT_NAME}", "a port from 1 to 65535, or the name of one, such as `http`"),
}
"""The pattern of each grammar, and what it takes in words. base64 is decoded."""

_DIGITS = 20

_STRING_MAPS = (("metadata", "labels"), ("metadata", "annotations"))
SELECTORS = (("selector",), ("matchLabels",), ("nodeSelector",))
NAMES = (("metadata", "name"), ("metadata", "namespace"))
_DATA = {"ConfigMap": ("data", "binaryData"), "Secret": ("data", "stringData")}
"""The fields of a ConfigMap and a Secret that map keys to texts."""
DATAS = frozenset(("data", "binaryData", "stringData"))


def grammar(resource: Resource, place: Place, pod_specs: PodSpecs) -> str:
    """Return the grammar of a field, or the words that it may hold with `|` between them; empty for free text.

    spec.template.spec.containers[0].image      image
    spec.replicas                               0.., a whole number from 0 on
    spec.type of a Service                      ClusterIP|ExternalName|LoadBalancer|NodePort
    data.url of a ConfigMap                     empty, as it is for each field of which nothing is known
    """
    if place == ("metadata", "name") and resource.group == _RBAC:
        return "name"
    held = _held(resource, place, pod_specs) or ""
    return "" if held[:1] in _AROUND or held in TYPES else held


def is_text(resource: Resource, place: Place, pod_specs: PodSpecs) -> bool:
    """True for a free text of one of Kubernetes' own kinds, or of a pod spec: the API refuses a number there."""
    return is_kubernetes_own(resource, place, pod_specs) and _held(resource, place, pod_specs) == ""


def is_kubernetes_own(resource: Resource, place: Place, pod_specs: PodSpecs) -> bool:
    """True for a field of one of Kubernetes' own kinds, or of a pod spec: its grammar has no exceptions."""
    return _is_own(resource) or _of_pod(resource, place, pod_specs) is not None


def _of_pod(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[Place, str] | None:
    """Return the place of a field within its pod spec or its container, and the type of that: PodSpec or Container.

    None for a field of neither. Some kinds have fields of their own beside those of a pod spec, such as
    `spec.predictor.model` of KServe.
    """
    # A pod spec may be within another one, as `workerSpec` of KServe is.
    specs = sorted((len(path) for path in pod_specs.paths_of(resource) if leads(path, place)), reverse=True)
    for length in specs:
        if of_type("PodSpec").keys() >= {*place[length:][:1]}:
            return place[length:], "PodSpec"
    container = pod_specs.container_above(resource, place)
    rest = () if container is None else place[len(container) :]
    return (rest, "Container") if rest and rest[0] in of_type("Container") else None


def _is_own(resource: Resource) -> bool:
    return resource.kind in KINDS.get(resource.group, "").split()


def expected(held: str, text: str) -> str | None:
    """Return a description of what a field with the grammar `held` takes, None if it takes `text`.

    >>> from krm import validation
    >>> validation.expected("integer", "two")
    'a whole number, such as `3`'
    >>> validation.expected("image", "nginx:1.27") is None
    True
    """
    low, is_range, high = held.partition("..")
    if is_range and not _checks("integer")(text):
        return _GRAMMARS["integer"][1]
    if is_range:
        # `0644` is an octal number in YAML. No range has a number of more than twenty digits.
        number = int(text, 8 if re.fullmatch("[-+]?0[0-7]+", text) else 10) if len(text) <= _DIGITS else -1
        is_within = int(low) <= number and (not high or number <= int(high))
        return None if is_within else f"a whole number from {low} {f'to {high}' if high else 'on'}"
    if "|" in held:
        words = held.split("|")
        return None if text in words else f"one of `{'`, `'.join(words)}`"
    return _GRAMMARS[held][1] if held in _GRAMMARS and not _checks(held)(text) else None


def is_number(held: str) -> bool:
    """True if a field with the grammar `held` is a whole number: `integer`, or a range such as `1..65535`."""
    return held == "integer" or ".." in held


@cache
def of_type(held: str) -> dict[str, str]:
    """Return the fields of a type, and the type of each. A type that is no mapping has none."""
    return {key: below for key, _, below in (one.partition(":") for one in TYPES.get(held, "").split())}


def types_along(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[Place, list[str]]:
    """Return the end of a place whose type is unknown, empty if there is none, and the types of the fields above it.

    The type of the innermost field is the last one.
    """
    below, held = _typed(resource, place, pod_specs)
    found = [held]
    for index, step in enumerate(below):
        held = found[-1]
        if isinstance(step, str) and held in TYPES:
            below_it = of_type(held).get(step)
        else:
            below_it = held[1:] if held[:1] == ("*" if isinstance(step, str) else "-") else None
        if below_it is None:
            return below[index:], found
        found.append(below_it)
    return (), found


def _held(resource: Resource, place: Place, pod_specs: PodSpecs) -> str | None:
    """Return the type of a field, empty for an unknown type, None for a field that its type does not have."""
    rest, found = types_along(resource, place, pod_specs)
    return None if rest else found[-1]


def _typed(resource: Resource, place: Place, pod_specs: PodSpecs) -> tuple[Place, str]:  # noqa: PLR0911 - one for each
    """Return the place of a field within the outermost value whose type is known, and that type."""
    if _is_own(resource):
        return place, resource.kind
    if (of_pod := _of_pod(resource, place, pod_specs)) is not None:
        return of_pod
    for path in pod_specs.paths_of(resource):
        if leads((*path[:-1], "metadata"), place):
            return place[len(path) - 1 :], "PodTemplateSpec"
        if len(place) < len(path) and leads(path[: len(place)], place):
            return (), "?" if path[len(place)] == WILDCARD else "*"
    if place[0] == "metadata":
        return place, "PodTemplateSpec"
    if pod_specs.of(resource) is not None and place[:2] == ("spec", "selector"):
        return place[2:], "LabelSelector"
    return ((), "0..") if place == ("spec", "replicas") and pod_specs.scales(resource) else ((), "")


@cache
def _checks(held: str) -> Callable[[str], object]:
    if held == "base64":
        return lambda text: decoded(text) is not None
    return re.compile(_GRAMMARS[held][0], re.ASCII).fullmatch


def decoded(text: str) -> bytes | None:
    """Return the bytes of a base64 text, None if it is none. As in Go, line breaks are ignored."""
    from base64 import b64decode  # noqa: PLC0415 - few runs read or write the data of a Secret

    try:
        return b64decode(text.replace("\r", "").replace("\n", ""), validate=True)
    except ValueError:  # for letters outside ASCII, and for every other error
        return None


def size_of_string_map(resource: Resource, place: Place) -> int:
    """Return how many steps of a place lead to the map of strings that it is, or is in; 0 if it is in none."""
    if place and place[0] in DATAS and place[0] in _DATA.get(resource.kind, ()):
        return 1
    # Most places are in none, and one look shows that.
    if "metadata" not in place:
        return 0
    if place in NAMES:
        return 1
    end = place.index("metadata") + 2
    return end if place[end - 2 : end] in _STRING_MAPS else 0


def unfit(resource: Resource, place: Place, value: PlainData) -> Iterator[tuple[Place, PlainData, str | TypeError]]:
    """Yield each part of a value that a cluster would refuse at a place: its own place, the part, and the reason.

    That is a TypeError for a part in the place of a text.
    """
    size = size_of_string_map(resource, place)
    is_text = size > 0 and len(place) == size + 1
    if is_text and not isinstance(value, str):
        # A message must not show a secret.
        found = f"a value of type `{type(value).__name__}`" if place[0] in DATAS else repr(value)
        yield place, value, TypeError(f"the value of `{place[-1]}` in `{place[-2]}` is a str, found {found}")
    elif isinstance(value, dict | list):
        for step, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from unfit(resource, (*place, step), one)
    elif isinstance(value, float) and value - value != 0:  # infinity, or not a number
        yield place, value, f"`{value}` cannot stand there, JSON has no such number"
    elif isinstance(value, str):
        if "\0" in value:
            yield place, value, "a text with a NUL character cannot stand there, no program reads it"
        elif (is_text or place[-2:-1] in SELECTORS) and (problem := _unfit_text(resource, place, value)):
            yield place, value, problem


def _unfit_text(resource: Resource, place: Place, text: str) -> str | None:
    """Return why a cluster would refuse a name, or an entry of a map of strings or labels; None if it would not."""
    is_data = place[0] in DATAS
    wants = None
    # All of them but data take a DNS label. This check comes first: to find the grammar takes longer than the edit.
    if is_data or _expected("label", text):
        # All entries of a map have one grammar.
        wants = _expected(grammar(resource, place if place in NAMES else (*place[:-1], ""), PodSpecs({})), text)
    # A message must not show a secret.
    found = "this" if is_data else f"`{text}`"
    if not wants and place[-3:-1] in _STRING_MAPS:
        key = str(place[-1])
        found = f"the key `{key}`"
        # The domain in the key of an annotation may have capital letters.
        wants = _expected("label-key", key.lower() if place[-2] == "annotations" else key)
    return f"{found} cannot stand there, it has to be {wants}" if wants else None


@lru_cache(4096)  # a function writes a few texts into every item
def _expected(held: str, text: str) -> str | None:
    """Return a description of what a grammar takes, None if it takes a text, or the text has references."""
    return None if "$(" in text else expected(held, text)
