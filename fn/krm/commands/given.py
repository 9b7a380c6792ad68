"""Where files show what a Secret gave: fields outside of Secrets, of which a diff shows no text.

A run knows into which fields it put what is secret. Of all others the files tell: a comment `# expand:` has the name of
what stands in its field, and the state has the hashes of secrets in capitals.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from glob import glob

from krm import fieldpath, syntax
from krm.file import File
from krm.generation import DOMAIN, GENERATED_BY
from krm.generation.state import State
from krm.lists import opened
from krm.package.paths import KPTFILE, is_resource_file
from krm.references import memory as references
from krm.resource import STATE
from krm.secrets import NamesOfSecrets
from krm.yamltree import nodes
from krm.yamltree.nodes import Scalar, Sequence, at, placed, resolved, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    Given: TypeAlias = "dict[tuple[str, str], set[FieldPath]]"

_GENERATED_BY = f"{DOMAIN}/{GENERATED_BY}"
# A text without these tells nothing of what a Secret gave. An escape can hide the letters of a word.
_HINTS = ("ecret", "\\", "$(", STATE)


def fields(texts: Iterable[str], items: Iterable[Resource] = (), *, of_any: bool = False) -> Given:
    """Return the fields that show what a Secret gave, by kind and name of their object.

    `texts` are those of the files before and after a run, or on the sides of a merge, and of what is beside them;
    `items` are what the run knew. With `of_any` what is found in an element of a list is told of all of them: a merge
    moves elements.
    """
    found: Given = defaultdict(set)
    there = [item for item in items if item.is_readable]
    written = _read(texts)
    for item in there:
        for one in (item, item.written) if item.secrets else ():
            # A merge may have moved the elements of a list.
            is_generated = item.annotation(_GENERATED_BY) is not None
            found[one.kind, one.name] |= {*map(fieldpath.general, item.secrets)} if is_generated else item.secrets
    for item in (item for item in (*there, *written) if item.is_state):
        for entry in State("", item).entries.values():
            _, kind, _, name = entry.called
            found[kind, name] |= entry.secrets
    of_secrets = NamesOfSecrets([*there, *written])
    for item in (item for item in written if of_secrets and item.may_contain("$(")):
        found[item.kind, item.name] |= {*_told(item, of_secrets)}
    return {key: {*map(fieldpath.general, paths)} if of_any else paths for key, paths in found.items() if paths}


def parts(node: Node | None, of_secrets: Given, place: Place = ()) -> Iterator[tuple[Place, Node]]:
    """Yield the fields of an object, or of the elements of a List, that show what a Secret gave."""
    root = resolved(node)
    for path in of_secrets.get((text_at(root, "kind") or "", text_at(root, "metadata", "name") or ""), ()):
        found = ((here, resolved(one)) for here, one in fieldpath.find(root, path)) if root is not None else ()
        yield from (((*place, *here), one) for here, one in found if one is not None)
    listed = resolved(at(root, "items"))
    if isinstance(listed, Sequence):
        for number, kid in enumerate(listed.kids):
            yield from parts(kid, of_secrets, (*place, "items", number))


def beside(read: Iterable[str]) -> Iterator[str]:
    """Yield the texts of what stands beside the files that are read, and above these and directories in their package.

    What a Secret gives to a file that is read alone may be declared there.
    """
    own = {path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.realpath, read)}
    for directory in sorted({above for one in own for above in _package(one)}):
        named = filter(is_resource_file, glob("*", root_dir=directory))
        for path in filter(os.path.isfile, (os.path.join(directory, name) for name in named)):
            # What nobody may read declares nothing. One file of that kind does not hide the others.
            with suppress(OSError), open(path, "rb") as file:
                yield file.read().decode(errors="replace")


def _package(directory: str) -> list[str]:
    """Return a directory and those above it up to the one of its package or repository, itself alone without one."""
    found = [directory]
    while not any(os.path.exists(os.path.join(found[-1], name)) for name in (KPTFILE, ".git")):
        above = os.path.dirname(found[-1])
        if above == found[-1]:
            return [directory]
        found.append(above)
    return found


def names(texts: Iterable[str]) -> NamesOfSecrets:
    """Return the names that a Secret gives by what files declare."""
    return NamesOfSecrets(_read(texts))


def _told(item: Resource, names: NamesOfSecrets) -> Iterator[FieldPath]:
    """Yield the fields that refer to what a Secret gives: in a comment, or with a text that has no value yet.

    Another side of a merge, or the same file after a run, has the value there.
    """
    memory = references.read(item, lambda _: False)
    left = {} if memory is None else {place: field.names for place, field in memory.fields.items()}
    for place, node in placed(item.root, ()):
        if isinstance(node, Scalar) and (referred := syntax.names(node.value)):
            left[place] = [*left.get(place, ()), *referred]
    while of_secrets := [place for place, referred in left.items() if any(name in names for name in referred)]:
        for place in of_secrets:
            del left[place]
            yield place
            # Whatever refers to this entry of `env` has the secret from here.
            if place[-3:-2] == ("env",) and (name := text_at(nodes.at(item.root, *place[:-1]), "name")):
                names.add(name)


def _read(texts: Iterable[str]) -> list[Resource]:
    return [item for text in texts if any(hint in text for hint in _HINTS) for item in _items(text)]


def _items(text: str) -> tuple[Resource, ...]:
    """Return the objects in the text of a file, none of one that is not YAML: a diff shows it, or hides all of it."""
    try:
        parts = File(text, "").parts
    except ParseError:
        return ()
    return tuple(item for item in opened(tuple(part.resource for part in parts)) if item.is_readable)
