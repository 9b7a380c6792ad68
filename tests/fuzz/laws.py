"""Laws for any text at all: what the parser, the editor, the cut, the merges, `explain` and the filter never do.

Each takes the text of a case and a die whose throws depend on that text alone, so that a case is its text. A law raises
an AssertionError, or lets an exception through that is no sentence for a user. What the product does is done inside of
`timed`: it may take 2 seconds of processor time for each megabyte, and half a second in any case.
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from expand_vars import pipeline
from krm import resourcelist, stdio
from krm.file import File
from krm.merge import merge2
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kubectl import apply
from krm.merge.policy import Policy
from krm.resource import Resource
from krm.results import FnError
from krm.yamltree import cuts, events, parser
from krm.yamltree.editor import EditError, Editor
from krm.yamltree.nodes import Collection, leaves
from krm.yamltree.parser import ParseError
from tests.process import main

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

    from krm.yamltree.nodes import Node

BORDER = "\n=====\n"
"""What separates the texts of a merge in one case."""

SPEC = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: fuzz}
spec:
  variables: [{name: A, value: "1"}, {name: B, value: "b: #$(A)"}, {name: X, value: ""}]
  targets: [{preset: All}, {fieldPaths: ["spec.x", "data[*]"]}]
  record: Always
"""
CONFIG = Resource(SPEC, (0, len(SPEC)), "the functionConfig")
ARGUMENTS = (("REGION", "eu-west-1"), ("TAG", "1.4.2"))
SECONDS, SECONDS_OF_A_MEGABYTE = 0.5, 2.0
KILOBYTES, TIMES = 48_000, 10
SLOWER = 1.0
"""How much longer everything takes: a tool that watches each branch says so."""

SENTENCES = (ParseError, FnError, stdio.InputError)


class SlowError(AssertionError):
    """It took more time, or more memory, than the size of the text allows."""


@contextmanager
def timed(text: str) -> Iterator[None]:
    """Hold what is done to the limits of time and memory. SENTENCES are answers."""
    size = len(text.encode(errors="replace"))
    before, began = _kilobytes(), time.process_time()
    try:
        yield
    except SENTENCES:
        pass
    finally:
        took, grew = time.process_time() - began, _kilobytes() - before
    limit = SLOWER * (SECONDS + SECONDS_OF_A_MEGABYTE * size / 1e6)
    if took > limit:
        raise SlowError(f"{took:.2f} s for {size} bytes, and {limit:.2f} s are allowed")
    if grew > KILOBYTES + TIMES * size / 1000:
        raise SlowError(f"{grew} kB more memory for {size} bytes")


def _kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def parses(text: str) -> bool:
    """Say whether every document of a text can be parsed."""
    try:
        events.check(text)
    except ParseError:
        return False
    return True


def the_parser(text: str, _: random.Random) -> None:
    """Spans of leaves lie in the text, and follow each other."""
    with timed(text):
        root = parser.parse(text).root
        position = 0
        for leaf in leaves(root) if root is not None else ():
            assert position <= leaf.start <= leaf.end <= len(text)
            position = leaf.end


def the_cut(text: str, _: random.Random) -> None:
    """A list that nobody touches is written as it was read; documents are all of their text."""
    with timed(text):
        listed = resourcelist.read(text)
        if not listed.results:
            assert listed.emit().text == text
    with timed(text):
        spans = [span for span, _ in cuts.documents(text.removeprefix("\ufeff"))]
        assert "".join(text.removeprefix("\ufeff")[start:end] for start, end in spans) == text.removeprefix("\ufeff")


VALUES: tuple[Any, ...] = (
    "x",
    "on",
    "8080",
    "",
    "a: b",
    "a #b",
    "one\ntwo\n",
    " x",
    "*a",
    1,
    True,
    None,
    [],
    {},
    {"a": ["b"]},
)


def the_editor(text: str, dice: random.Random) -> None:
    """What is set is there, what is deleted is not, and nothing else changes."""
    try:
        editor = Editor(text)
        places = [*_places(editor.document.root)]
    except ParseError:
        return
    if editor.document.root is None:
        return
    path = dice.choice(places)
    value = dice.choice(VALUES)
    wanted = {place: at for place in places if not _touches(place, path) and (at := _shown(editor, place)) is not None}
    is_deleted = bool(path) and dice.random() < 0.3
    try:
        with timed(text):
            if is_deleted:
                editor.delete(path)
            else:
                editor.set(path, value)
    except EditError:
        assert editor.text == text
        return
    written = Editor(editor.text)
    if is_deleted and isinstance(path[-1], str):
        assert written.get(path) is None
    if not is_deleted:
        assert written.get(path) is not None
    for place, shown in wanted.items():
        assert _shown(written, place) == shown, f"{place} changed when {path} became {value!r}"


def _places(node: Node | None, at: tuple[Any, ...] = (), depth: int = 0) -> Iterator[tuple[Any, ...]]:
    yield at
    if not isinstance(node, Collection) or depth > 6:
        return
    below = node.items() if hasattr(node, "items") else enumerate(node.kids)
    for step, kid in below:
        yield from _places(kid, (*at, step), depth + 1)


def _touches(place: tuple[Any, ...], path: tuple[Any, ...]) -> bool:
    """Say whether an edit at a path may change what a place says: below it, around it, or further down its list."""
    common = min(len(place), len(path))
    if place[:common] == path[:common]:
        return True
    return any(isinstance(step, int) for step in path[:common]) and len(path) > 0 and isinstance(path[-1], int)


def _shown(editor: Editor, place: tuple[Any, ...]) -> str | None:
    node = editor.get(place)
    value = getattr(node, "value", None) if not isinstance(node, Collection) else None
    return "null" if value in ("", "~") else value


def the_filter(text: str, _: random.Random) -> None:
    """The output parses, each untouched item is the same bytes, and a second run changes no item."""
    first: Any = None
    with timed(text):
        first = pipeline.run(text, CONFIG, ARGUMENTS)
        written = first.text
    # Plain documents that fail give no output; the results are then on standard error alone.
    if first is None or (first.exit_code and not written):
        return
    assert not parses(text) or parses(written)
    ones, others = _written(text, written)
    # By the value in its kind a document may have become a list.
    assert len(ones) == len(others) or re.search(r"kind:.*\$\(.*List", text)
    for one, other in zip(ones, others, strict=len(ones) == len(others)):
        if first.exit_code or ("$(" not in one and "$$" not in one and "expandvars" not in one):
            assert one == other
    if not first.exit_code:
        again, others = _written(pipeline.run(written, CONFIG, ARGUMENTS).text, written)
        assert again == others


def _written(*texts: str) -> list[list[str]]:
    """Return the items of lists as they are written. `results` end an item's last line.

    In some lists items share a text, and are no lines of their own: then the data of all of them.
    """
    lists = [resourcelist.read(text).items for text in texts]
    is_data = any(len(item.base) > 1 for items in lists for item in items)
    # A reference may stand in a comment, which no data has. One in a result says nothing of the items.
    kept = [text.partition("results:")[0].rstrip("\r\n, }") for text in texts]
    rests = [text if "$(" in text else "" for text in kept]
    return [
        [f"{item.get(())!r}{rest}" if is_data else item.text.rstrip("\r\n") for item in items]
        for items, rest in zip(lists, rests, strict=True)
    ]


def explain(text: str, _: random.Random) -> None:
    """It answers in JSON, or in sentences, and with an exit code of its own."""
    with _files(text) as (file,), timed(text):
        code, written, _told = _command("explain", file, "--output", "json", "A=1")
        assert code in (0, 1)
        assert not written or json.loads(written)


def _sides(text: str) -> tuple[str, str, str]:
    origin, _, others = text.partition(BORDER)
    update, border, local = others.partition(BORDER)
    return origin, update, local if border else origin


def the_merge(text: str, dice: random.Random) -> None:
    """The result parses, and where update is origin, it is local to the byte."""
    origin, update, local = _sides(text)
    merge: Any = dice.choice([BaseRule(Policy()), apply.apply, _overlay])
    with timed(text):
        merged = composition.merge(File(origin, "o"), File(update, "u"), File(local, "l"), merge).text
        # A document that is not read passes as it is, also a broken one.
        assert parses(merged) or not all(map(parses, (origin, update, local)))
    if merge not in (apply.apply, _overlay):
        with timed(text):
            same = composition.merge(File(origin, "o"), File(origin, "u"), File(local, "l"), merge)
            assert same.text == local, "nothing came from update"


def _overlay(_: Any, update: Any, local: Any, schema: Any) -> Any:
    return merge2.merge2(update, local, schema)


def merge3(text: str, dice: random.Random) -> None:
    """The command has an exit code of its own. Of YAML it writes YAML, or says that it merged lines."""
    policy = dice.choice([(), ("--strategy", "Apply"), ("--on-conflict", "TakeUpdate"), ("--on-conflict", "KeepLocal")])
    sides = _sides(text)
    with _files(*sides) as files, timed(text):
        code, written, told = _command("merge3", *files, *policy)
        assert code in (0, 1)
        assert parses(written) or not all(map(parses, sides)) or "merged line by line" in told


@contextmanager
def _files(*texts: str) -> Iterator[list[str]]:
    """Write texts to files that are in memory, where the system has such."""
    room = "/dev/shm" if os.path.isdir("/dev/shm") else None  # noqa: S108, PTH112
    with tempfile.TemporaryDirectory(dir=room) as folder:
        paths = [Path(folder, f"{number}.yaml") for number in range(len(texts))]
        for path, text in zip(paths, texts, strict=True):
            path.write_bytes(text.encode())
        yield [str(path) for path in paths]


def _command(*arguments: str) -> tuple[int, str, str]:
    """Run a command in this process, and return its exit code, its standard output and its standard error."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as error:
        kept = [os.dup(1), os.dup(2)]
        try:
            os.dup2(output.fileno(), 1)
            os.dup2(error.fileno(), 2)
            code = main(arguments)
        finally:
            for number, descriptor in enumerate(kept, start=1):
                os.dup2(descriptor, number)
                os.close(descriptor)
        for stream in (output, error):
            stream.seek(0)
        return code, output.read().decode(), error.read().decode()


LAWS: dict[str, Callable[[str, random.Random], None]] = {
    "parser": the_parser,
    "cut": the_cut,
    "editor": the_editor,
    "filter": the_filter,
    "explain": explain,
    "merge": the_merge,
    "merge3": merge3,
}
OF_THREE = ("merge", "merge3")
assert sys.getrecursionlimit() >= 1000
