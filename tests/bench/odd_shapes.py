"""Odd shapes: items that grow in one direction, and lists that are written in an unusual way.

Each shape is a text of any size, with what nobody writes by hand but a generator may. Processor time should grow in
proportion to the size, an exponent of 1; a list should take no longer for the way in which it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: c\n    image: i\n"
EXPAND_VARS = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
functionConfig:
  apiVersion: expandvars.dev/v1alpha1
  kind: ExpandVars
  metadata: {name: f}
  spec:
    variables:
"""
HEAD = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n"
DEPLOYMENT = """\
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web-NUMBER}
  spec:
    replicas: 2
    selector: {matchLabels: {app: web-NUMBER}}
    template:
      metadata: {labels: {app: web-NUMBER}}
      spec:
        containers:
        - name: web
          image: nginx:1.27
          ports:
          - {name: http, containerPort: 8080}
"""


def _lines(line: str, count: int) -> str:
    return "".join(f"{line.replace('NUMBER', str(number))}\n" for number in range(count))


def _undefined(count: int) -> str:
    env = _lines("    - {name: ENUMBER, value: '$(UNMBERNUMBER)'}", count)
    return f"{POD}    env:\n{env}    args:\n{_lines('    - --x=$(NOPENUMBER)', count)}"


def _variables(count: int) -> str:
    source = "configMapKeyRef: {name: cNUMBER, key: k}"
    variables = _lines(f"    - {{name: VNUMBER, valueFrom: {{{source}}}}}", count)
    items = _lines("- {apiVersion: v1, kind: ConfigMap, metadata: {name: cNUMBER}, data: {k: x}}", count)
    return f"{EXPAND_VARS}{variables}items:\n{items}"


def _findings(count: int) -> str:
    pod = "{apiVersion: v1, kind: Pod, metadata: {name: pNUMBER}, spec: {containers: [{name: c, args: ['$(NOPE)']}]}}"
    return HEAD + _lines(f"- {pod}", count)


GROWING: dict[str, tuple[int, Callable[[int], str]]] = {
    "undefined names": (1_000, _undefined),
    "lines of a literal block": (1_000, lambda n: f"{POD}    args:\n    - |\n{_lines('      x $(A)', n)}"),
    "lines of a folded block": (1_000, lambda n: f"{POD}    args:\n    - >\n{_lines('      x $(A)', n)}"),
    "lines of a quoted scalar": (1_000, lambda n: f"{POD}    args:\n    - \"\n{_lines('      x $(A)', n)}      \"\n"),
    "aliases in a list": (
        100, lambda n: f"{POD}    args:\n    - &a $(A)\n{_lines('    - *a', n)}",
    ),
    "entries that refer upwards": (
        1_000,
        lambda n: f"{POD}    env:\n    - {{name: E, value: x}}\n{_lines('    - {name: ENUMBER, value: $(E)}', n)}",
    ),
    "entries that refer to a chain": (
        1_000,
        lambda n: POD + "    env:\n" + "".join(f"    - {{name: E{i}, value: '$(E{i + 1})'}}\n" for i in range(n)),
    ),
    "entries to be quoted": (1_000, lambda n: f"{POD}    env:\n{_lines('    - {name: ENUMBER, value: $(A)}', n)}"),
    "escapes in a string": (10_000, lambda n: f"{POD}    args:\n    - '{'$$(A)' * n}'\n"),
    "unclosed references in a string": (10_000, lambda n: f"{POD}    args:\n    - '$(A) {'$(' * n}'\n"),
    "variables from as many items": (1_000, _variables),
    "findings": (1_000, _findings),
}  # fmt: skip
"""Each shape by name: how many parts a small one has, and the text with that many."""


def _plain(count: int) -> str:
    return HEAD + "".join(DEPLOYMENT.replace("NUMBER", str(number)) for number in range(count))


def _aliased(count: int) -> str:
    return _plain(count).replace("metadata: {name: web-0}", "metadata: &m {name: web-0}") + "- *m\n"


def _indented(count: int) -> str:
    listed = _plain(count).removeprefix(HEAD)
    return HEAD + "".join(f"    {line}" for line in listed.splitlines(keepends=True))


WRITTEN: dict[str, Callable[[int], str]] = {
    "as usual": _plain,
    "without a final newline": lambda n: _plain(n).removesuffix("\n"),
    "with CRLF": lambda n: _plain(n).replace("\n", "\r\n"),
    "with a comment behind `items:`": lambda n: _plain(n).replace("items:\n", "items: # all\n"),
    "with `-` alone on its line": lambda n: _plain(n).replace("- apiVersion: apps", "-\n  apiVersion: apps"),
    "with an alias across items": _aliased,
    "with deeper items": _indented,
}
"""A list of as many Deployments, written in different ways."""
