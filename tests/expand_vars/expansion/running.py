"""Run the function on items in a few lines, and read what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from expand_vars import pipeline
from expand_vars.expansion.explanation import Explanation
from expand_vars.functionconfig import decoding
from krm.resource import Resource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.resourcelist import ResourceList
    from krm.results import Output, Result

FUNCTION_CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: fn}
spec:
"""


def indented(text: str, by: int) -> str:
    """Return a YAML text as it stands `by` columns further to the right."""
    return "".join(f"{' ' * by}{line}\n" for line in text.splitlines())


def run(*items: str, spec: str = "{}", arguments: Iterable[tuple[str, str]] = ()) -> Ran:
    """Run on documents with the functionConfig of that spec."""
    return Ran(pipeline.run("---\n".join(items), config(FUNCTION_CONFIG + indented(spec, 2)), arguments))


def explained(
    listed: ResourceList, function_config: Resource | None, arguments: Iterable[tuple[str, str]] = ()
) -> Explanation:
    """Return the explanation of a list, which gets all other results."""
    config = decoding.with_arguments(decoding.decode(function_config), arguments)
    explanation = Explanation(config)
    pipeline.expand(listed, config, explanation=explanation)
    return explanation


def config(text: str) -> Resource:
    return Resource(text, (0, len(text)), "functionConfig")


def pod(container: str, head: str = "") -> str:
    """Return a Pod with a container of which only the fields in question are said."""
    return f"""\
apiVersion: v1
kind: Pod
metadata:
  name: web
{indented(head, 2)}spec:
  containers:
  - name: app
{indented(container, 4)}"""


def config_map(name: str, data: str, head: str = "") -> str:
    """Return a ConfigMap, its data in flow style."""
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{indented(head, 2)}data: {data}\n"


class Ran:
    """What a run gave."""

    def __init__(self, output: Output) -> None:
        self.text = output.text
        self.results = output.results

    @property
    def items(self) -> list[Any]:
        """The items that came out, loaded."""
        return list(yaml.safe_load_all(self.text))

    @property
    def container(self) -> Any:
        """The first container of the first item."""
        assert self.text, self.told
        return self.items[0]["spec"]["containers"][0]

    @property
    def reasons(self) -> list[str]:
        """The reason of each result."""
        return [result.reason for result in self.results]

    @property
    def told(self) -> list[str]:
        """Each result in a line: severity, reason, field, message."""
        return [f"{one.severity} {one.reason} {fields(one)}: {one.message}" for one in self.results]

    def of(self, reason: str) -> list[Result]:
        """Return the results with a reason."""
        return [result for result in self.results if result.reason == reason]


def fields(result: Result) -> str | None:
    """Return the paths of all fields that a result is about, None for none."""
    return ", ".join([result.field, *(path for path, _ in result.further)]) if result.field else None
