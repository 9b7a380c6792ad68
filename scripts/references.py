"""Prove on real manifests what runs in place change: `make references MANIFESTS="DIRECTORY..."`.

Words of every resource that parses are made references, in fields that the kubelet expands and, with a comment, in any
others. Then four laws are proven, byte for byte (docs/reference/runs-in-place.md, "The comment"):

1. A first run changes the lines that it expands, and puts lines of templates above texts.
2. A second run with the same values changes nothing.
3. A run with another value changes the lines of its fields, and gives what a first run with that value gives.
4. `--restore` gives the source back.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

from expand_vars import pipeline
from krm import resourcelist
from krm.resource import Resource
from krm.results import ERROR, FnError
from krm.template_comments import reading, writing
from krm.yamltree import edits, nodes
from krm.yamltree.edits import Edit
from krm.yamltree.nodes import Mapping, Scalar, Sequence
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: law}
spec:
  record: Always
  inline: [Variables, Services]
  unresolved: Ignore
  targets:
  - fieldPaths: ["spec.template.spec.containers[*].image", "data[*]", "spec.replicas", "metadata.labels[*]"]
"""

_SHARE = 0.4
"""The part of the values that becomes references."""


def main(paths: list[str]) -> int:
    """Prove the laws on the files in these directories, and return the exit code."""
    files = sorted({file for path in paths for file in Path(path).rglob("*.y*ml") if file.is_file()})
    broken = proven = fields = 0
    for file in files:
        try:
            text = file.read_bytes().decode()
        except UnicodeDecodeError:
            continue
        # The results in one differ from run to run.
        if "kind: ResourceList" in text or reading.MARK in text:
            continue
        source, count = _with_references(text, random.Random(str(file)))  # noqa: S311 - no secret is made of it
        if not count:
            continue
        problem = _problem(source)
        if problem is None:
            continue
        proven += 1
        fields += count
        if problem:
            broken += 1
            print(f"{file}: {problem}")
    print(f"{len(files)} files, {proven} with references, {fields} fields, {broken} broken")
    return 1 if broken else 0


def _with_references(text: str, chance: random.Random) -> tuple[str, int]:
    """Return a text in which words of some scalars are references, and how many scalars."""
    try:
        items = resourcelist.read(text).items
    except (FnError, ParseError):
        return text, 0
    made: list[Edit] = []
    for item in items:
        try:
            root = item.root
        except FnError:
            return text, 0
        start = item.span[0]
        for scalar in _values(root):
            found = item.source[scalar.start : scalar.end]
            word = next((word for word in found.split() if word.isalnum() and len(word) > 1), "")
            at = found.find(word)
            if word and "$" not in found and chance.random() < _SHARE:
                first = start + scalar.start + at
                made.append(Edit(first, first + len(word), f"$({chance.choice('ABC')})"))
    return edits.apply(text, made), len(made)


def _values(node: nodes.Node | None) -> Iterator[Scalar]:
    if isinstance(node, Scalar) and node.tag is None:
        yield node
    elif isinstance(node, Mapping):
        for key, value in node.pairs():
            if key.value not in ("apiVersion", "kind", "name", "namespace", "annotations"):
                yield from _values(value)
    elif isinstance(node, Sequence):
        for kid in node.kids:
            yield from _values(kid)


def _problem(source: str) -> str | None:
    """Return which law a source breaks, an empty text for none, None for a source that is no input."""
    one, other = {"A": "eu", "B": "1.10", "C": "x y"}, {"A": "us-1", "B": "8080", "C": "z"}
    first = _run(source, one)
    if first is None:
        return None
    if _run(first, one) != first:
        return "a second run changes something"
    changed = _run(first, other)
    if changed != _run(source, other):
        return "a changed value gives another text than a first run with it"
    if _restored(first) != source or _restored(changed or "") != source:
        return "restoring does not give the source back"
    return _lines_changed(source, first)


def _lines_changed(source: str, expanded: str) -> str:
    """Return which line changed that has no reference, an empty text for none."""
    above: list[Edit] = []
    for item in resourcelist.read(expanded).items:
        found = reading.templates(item.source, item.root).templates.values() if item.spells(reading.MARK) else ()
        spans = ((one.start, one.end) for one in found if one.start < one.node.start)
        above += [Edit(item.span[0] + start, item.span[0] + end, "") for start, end in spans]
    before, after = source.split("\n"), edits.apply(expanded, above).split("\n")
    pairs = enumerate(zip(before, after, strict=False), start=1)
    number = next((number for number, (old, new) in pairs if old != new and "$(" not in old), 0)
    if number:
        return f"line {number} has no reference, and changes"
    return "" if len(before) == len(after) else "lines come or go"


def _run(text: str, values: dict[str, str]) -> str | None:
    config = Resource(_CONFIG, (0, len(_CONFIG)), "config")
    output = pipeline.run(text, config, values.items())
    return None if any(result.severity == ERROR for result in output.results) else output.text


def _restored(text: str) -> str:
    read = resourcelist.read(text)
    for _ in writing.restore(read.items, lambda *_: None):
        pass
    return read.emit().text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
