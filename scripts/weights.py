"""The weight of what generated resources remember, on real manifests: `make weights MANIFESTS="DIRECTORY..."`.

Each manifest in the YAML files below the directories is generated once by itself, as from a template. Then one of its
fields changes in the template, and it is generated again. It prints a table, whose figures are those of
docs/reference/generated-resources.md, "The state".
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from krm import resourcelist
from krm.generation import generating, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.results import FnError, failed
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from krm.yamltree.nodes import Node

OWNER = "ExpandVars/store"
LONG = 200
START = "---\n# What "
HEAD = 10  # the lines above the first entry, of a state for many resources
_IDENTITY = ("apiVersion", "kind", "metadata")


class Weight(NamedTuple):
    """What one manifest weighs: its bytes and lines, those that come with it in itself and in the state, and so on.

    `longest` is the longest line of all that comes, `changed` the number of lines of a changed field.
    """

    size: int
    lines: int
    added_size: int
    added_lines: int
    state_size: int
    state_lines: int
    longest: int
    changed: int


def documents(directories: Iterable[Path]) -> Iterator[str]:
    """Yield the manifests in the YAML files below some directories, each by itself; what is none is left out."""
    for directory in directories:
        for path in sorted((*directory.rglob("*.yaml"), *directory.rglob("*.yml"))):
            try:
                listed = resourcelist.read(path.read_text())
                yield from [item.text for item in listed.items if item.api_version and item.kind and item.name]
            except (FnError, ParseError, UnicodeDecodeError, OSError):
                continue  # a chart of Helm, or no text


def generated(text: str, there: str = "") -> str | None:
    """Return a manifest as it is generated, into what is there already; None where it cannot be generated."""
    listed = resourcelist.read(there)
    found = generating.generate(
        listed, [Update(updates.generated(text, "the template"))], Settings(owner=OWNER, is_in_place=True)
    )
    return None if failed(found) else listed.emit().text


def changed(text: str) -> str:
    """Return a manifest in which one field has another value: the last one whose value is in one line."""
    (item,) = resourcelist.read(text).items
    entries = item.root.items() if isinstance(item.root, Mapping) else ()
    fields = [value for key, value in entries if key not in _IDENTITY]
    of_one_line = [one for one in _scalars(*fields) if "\n" not in text[one.start : one.end]]
    if not of_one_line:
        return text
    return f"{text[: of_one_line[-1].start]}changed{text[of_one_line[-1].end :]}"


def _scalars(*nodes: Node) -> Iterator[Scalar]:
    for node in nodes:
        if isinstance(node, Mapping):
            yield from _scalars(*(value for _, value in node.items()))
        elif isinstance(node, Sequence):
            yield from _scalars(*node.kids)
        elif isinstance(node, Scalar) and node.start < node.end:
            yield node


def weigh(text: str) -> Weight | None:
    """Return what a manifest weighs, None where it cannot be generated."""
    once = generated(text)
    again = None if once is None else generated(changed(text), once)
    if once is None or again is None:
        return None
    item, _, state = once.rpartition(START)
    lines, before, after = (Counter(one.splitlines()) for one in (text, once, again))
    return Weight(
        len(text.encode()),
        len(text.splitlines()),
        len(item.encode()) - len(text.encode()),
        len(item.splitlines()) - len(text.splitlines()),
        len(state.encode()),
        len(state.splitlines()) - HEAD,
        max(map(len, before - lines)),
        (after - before).total(),
    )


def table(weights: list[Weight]) -> list[tuple[str, str]]:
    """Return the rows of the table."""
    size, lines = sum(one.size for one in weights), sum(one.lines for one in weights)
    of_state = sum(one.state_size for one in weights), sum(one.state_lines for one in weights)
    longest = [one.longest for one in weights]
    long = sum(one > LONG for one in longest)
    changes = [one.changed for one in weights if one.changed]
    added = [one.added_lines for one in weights]
    return [
        ("manifests, their bytes, their lines", f"{len(weights)}, {size:,}, {lines:,}"),
        ("lines added to a manifest", f"{median(added):.0f} (most {max(added)})"),
        ("bytes of the state", f"{of_state[0]:,} ({100 * of_state[0] / size:.0f}%)"),
        ("lines of the state", f"{of_state[1]:,} ({100 * of_state[1] / lines:.0f}%)"),
        ("longest line, in characters", f"{max(longest)} (median {median(longest):.0f}; over {LONG}: {long})"),
        ("lines that differ after one field has changed", f"{median(changes):.0f} (most {max(changes)})"),
    ]


def main() -> None:
    """Print the table."""
    found = list(filter(None, map(weigh, documents(map(Path, sys.argv[1:])))))
    print("| of each manifest, generated by itself | |\n| --- | --- |")
    print("\n".join(f"| {title} | {figure} |" for title, figure in table(found)))


if __name__ == "__main__":
    main()
