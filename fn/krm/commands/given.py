"""Where files show what a Secret gave: fields outside of Secrets, of which a diff shows no text.

A run knows into which fields it put what is secret. Of all others the files tell: a comment `# expand:` has the name of
what stands in its field, and the state has the hashes of secrets in capitals.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import chain

from krm import fieldpath
from krm.file import File
from krm.generation import DOMAIN, GENERATED_BY
from krm.generation.state import State
from krm.lists import opened
from krm.references import comments
from krm.references import memory as references
from krm.results import FnError
from krm.secrets import NamesOfSecrets
from krm.yamltree import aliases
from krm.yamltree.nodes import text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath
    from krm.resource import Resource

    Given: TypeAlias = "dict[tuple[str, str], set[FieldPath]]"

_GENERATED_BY = f"{DOMAIN}/{GENERATED_BY}"


def fields(texts: Iterable[tuple[str, str]], items: Iterable[Resource]) -> Given:
    """Return the fields that show what a Secret gave, by kind and name of their object.

    `texts` are those of files before and after a run, and `items` what it knew.
    """
    found: Given = defaultdict(set)
    there = [item for item in items if _is_read(item)]
    written = [item for text in chain.from_iterable(texts) for item in _items(text)]
    for item in there:
        for one in (item, item.written) if item.secrets else ():
            # A merge may have moved the elements of a list.
            is_generated = item.annotation(_GENERATED_BY) is not None
            found[one.kind, one.name] |= {*map(fieldpath.general, item.secrets)} if is_generated else item.secrets
    for item in filter(_is_state, (*there, *written)):
        for entry in State("", item).entries.values():
            found[entry.kind, entry.name] |= entry.secrets
    names = NamesOfSecrets([*there, *written])
    for item in comments.marked(written) if names else ():
        found[item.kind, item.name] |= {*_told(item, names)}
    return {key: paths for key, paths in found.items() if paths}


def finder(texts: Iterable[str]) -> Callable[[Resource], set[FieldPath]]:
    """Return a function that finds the fields of an object which show what a Secret gave, by their comments.

    `texts` are those of all files of a merge. They are read when an object is first asked for.
    """

    @cache
    def names() -> NamesOfSecrets:
        return NamesOfSecrets([item for text in texts if "ecret" in text for item in _items(text)])

    return lambda item: {fieldpath.general(place) for place in _told(item, names())} if names() else set()


def _told(item: Resource, names: NamesOfSecrets) -> Iterator[FieldPath]:
    """Yield the fields whose comments name what a Secret gives."""
    memory = references.read(item, lambda _: False)
    left = {} if memory is None else dict(memory.fields)
    while of_secrets := [place for place, field in left.items() if any(name in names for name in field.names)]:
        for place in of_secrets:
            del left[place]
            yield place
            # Whatever refers to this entry of `env` has the secret from here.
            if place[-3:-2] == ("env",) and (name := text_at(aliases.read(item.root, place[:-1]), "name")):
                names.add(name)


def _items(text: str) -> tuple[Resource, ...]:
    """Return the objects in the text of a file, none of one that is not YAML: a diff shows it, or hides all of it."""
    try:
        parts = File(text, "").parts
    except ParseError:
        return ()
    return tuple(item for item in opened(tuple(part.resource for part in parts)) if _is_read(item))


def _is_read(item: Resource) -> bool:
    try:
        return item.root is not None
    except FnError:
        return False


def _is_state(item: Resource) -> bool:
    return item.is_state
