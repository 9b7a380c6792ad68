"""Masks over secret values, for all commands that show files to people (docs/reference/packages.md, "Secrets").

    stringData: # swordfish is the old one      stringData: # ***
      token: tuna                                 token: *** (before)
      user: shop                                  user: ***

As with `kubectl diff`, a value that both sides have, and not the same, shows which side it is on.

Fields outside of Secrets may have a value of a Secret. A run knows the fields into which it put one. The files have
signs of all others: a comment `# expand:` has the name of the variable, and in the state hashes of secrets are in
capitals.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import suppress
from glob import glob
from operator import itemgetter

from krm import fieldpath, secrets, syntax
from krm.file import File
from krm.generation.state import State
from krm.lists import opened
from krm.package.paths import is_resource_file
from krm.resource import GENERATED_MARK, KPTFILE, STATE
from krm.secrets import NamesOfSecrets
from krm.template_comments.memory import Memory
from krm.yamltree import lines, nodes, parser
from krm.yamltree.nodes import Mapping, Scalar, Sequence, at, leaves, placed, resolved, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import TypeAlias

    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.nodes import Node

    SecretFields: TypeAlias = dict[tuple[str, str], set[FieldPath]]
    MaskKey: TypeAlias = tuple[str | int, ...]
    Mask: TypeAlias = tuple[int, int, MaskKey, set[str]]
    """The span that is covered, the place of its value, the same on both sides, and the texts in it."""

# A text without these has no sign of a Secret. An escape can hide the letters of a word.
_HINTS = ("ecret", "\\", "$(", STATE)
_MASK = "***"
_OF_NO_VALUE: MaskKey = ()


def secret_fields(texts: Iterable[str], items: Iterable[Resource] = (), *, of_any: bool = False) -> SecretFields:
    """Return the fields that have a value of a Secret, by kind and name of their object.

    `texts` are those of the files before and after a run, or on the sides of a merge, and of what is beside them;
    `items` are what the run knew. With `of_any` what is found in an element of a list is told of all of them: a merge
    moves elements.
    """
    fields: SecretFields = defaultdict(set)
    readable = [item for item in items if item.is_readable]
    written = _read(texts)
    for item in readable:
        for form in (item, item.written) if item.secrets else ():
            # A merge may have moved the elements of a list.
            is_generated = item.annotation(GENERATED_MARK) is not None
            fields[form.kind, form.name] |= {*map(fieldpath.general, item.secrets)} if is_generated else item.secrets
    for item in (item for item in (*readable, *written) if item.is_state):
        for entry in State("", item).entries.values():
            _, kind, _, name = entry.called
            fields[kind, name] |= entry.secrets
    for item, place in _of_secrets([*readable, *written], written)[1]:
        fields[item.kind, item.name].add(place)
    return {key: {*map(fieldpath.general, paths)} if of_any else paths for key, paths in fields.items() if paths}


def secret_parts(node: Node | None, of_secrets: SecretFields, place: Place = ()) -> Iterator[tuple[Place, Node]]:
    """Yield the fields of an object, or of the elements of a List, that show what a Secret gave."""
    root = resolved(node)
    for path in of_secrets.get((text_at(root, "kind") or "", text_at(root, "metadata", "name") or ""), ()):
        found = ((here, resolved(one)) for here, one in fieldpath.find(root, path)) if root is not None else ()
        yield from (((*place, *here), one) for here, one in found if one is not None)
    listed = resolved(at(root, "items"))
    if isinstance(listed, Sequence):
        for number, kid in enumerate(listed.kids):
            yield from secret_parts(kid, of_secrets, (*place, "items", number))


def texts_beside(read: Iterable[str]) -> Iterator[str]:
    """Yield the texts of what stands beside the files that are read, and above these and directories in their package.

    What a Secret gives to a file that is read alone may be declared there.
    """
    own = {path if os.path.isdir(path) else os.path.dirname(path) for path in map(os.path.realpath, read)}
    for directory in sorted({above for one in own for above in _package(one)}):
        named = filter(is_resource_file, glob("*", root_dir=directory))
        for path in filter(os.path.isfile, (os.path.join(directory, name) for name in named)):
            # A file that cannot be read declares nothing, and does not hide the others.
            with suppress(OSError), open(path, "rb") as file:
                yield file.read().decode(errors="replace")


def _package(directory: str) -> list[str]:
    """Return a directory and those above it up to the one of its package or repository, itself alone without one."""
    directories = [directory]
    while not any(os.path.exists(os.path.join(directories[-1], name)) for name in (KPTFILE, ".git")):
        above = os.path.dirname(directories[-1])
        if above == directories[-1]:
            return [directory]
        directories.append(above)
    return directories


def secret_names(texts: Iterable[str]) -> NamesOfSecrets:
    """Return the names that get a value of a Secret by the declarations, and by the template comments, in files."""
    found = _read(texts)
    return _of_secrets(found, found)[0]


def _of_secrets(
    declaring: Iterable[Resource], referring: Iterable[Resource]
) -> tuple[NamesOfSecrets, list[tuple[Resource, Place]]]:
    """Return the names that get a value of a Secret by the declarations in items, and the fields that refer to one."""
    names = NamesOfSecrets(declaring)
    found = [(item, _references(item)) for item in referring if names and item.may_contain("$(")]
    for item, references in found:
        for place, referred in references.items():
            # Whatever refers to this entry of `env` has what the entry refers to.
            if place[-3:-2] == ("env",) and (name := text_at(nodes.at(item.root, *place[:-1]), "name")):
                names.build(name, referred)
    every = ((item, *one) for item, references in found for one in references.items())
    return names, [(item, place) for item, place, referred in every if any(map(names.__contains__, referred))]


def _references(item: Resource) -> dict[Place, list[str]]:
    """Return the names that each field refers to: in a comment, or with a text that has no value yet.

    Another side of a merge, or the same file after a run, has the value there.
    """
    references = {place: [*field.names] for place, field in Memory.of(item).fields.items()}
    for place, node in placed(item.root, ()):
        if isinstance(node, Scalar) and (referred := syntax.names(node.value)):
            references.setdefault(place, []).extend(referred)
    return references


def _read(texts: Iterable[str]) -> list[Resource]:
    """Return the objects in the texts of files, none of one that is not YAML: a diff shows it, or hides all of it."""
    found: list[Resource] = []
    for text in (text for text in texts if any(hint in text for hint in _HINTS)):
        with suppress(ParseError):
            documents = tuple(part.resource for part in File(text, "").documents)
            found += (item for item in opened(documents) if item.is_readable)
    return found


def masked(before: str, after: str, of_secrets: SecretFields) -> tuple[str, str]:
    """Return the text of a file before and after, with masks over the values of Secrets.

    ParseError for a text that may hold a Secret, and is not YAML: nobody can say where its values are.
    `of_secrets` are the fields of other objects that show what a Secret gave. What only one side has at a place is
    covered wherever the other has it: that one may have lost the line of its kind.
    """
    masks = [[*_masks(text, of_secrets)] for text in (before, after)]
    places = [{key for *_, key, _ in side} for side in masks]
    moved = [{text for *_, key, held in masks[1 - side] if key not in places[side] for text in held} for side in (0, 1)]
    if any(moved):
        masks = [[*_masks(text, of_secrets, held)] for text, held in zip((before, after), moved, strict=True)]
    old = {key: before[start:end] for start, end, key, _ in masks[0]}
    new = {key: after[start:end] for start, end, key, _ in masks[1]}
    changed = {key for key in old.keys() & new.keys() if key and old[key] != new[key]}
    return _covered(before, masks[0], changed, "before"), _covered(after, masks[1], changed, "after")


def _covered(text: str, masks: list[Mask], changed: set[MaskKey], side: str) -> str:
    pieces, done = [], 0
    for start, end, key, _ in sorted(masks, key=itemgetter(0, 1)):
        # A comment inside of a value is covered already, and so is a value that several aliases name.
        if start >= done:
            mask = f"{_MASK} ({side})" if key in changed else _MASK
            pieces += [text[done:start], mask if key else f"# {_MASK}"]
            done = end
    return "".join([*pieces, text[done:]])


def _masks(text: str, of_secrets: SecretFields, held: Collection[str] = ()) -> Iterator[Mask]:
    """Yield what is to be covered in a text: values of Secrets, what another Secret `held`, and comments."""
    # Without these there is no kind `Secret`: an escape could hide its letters.
    if not (of_secrets or held) and "ecret" not in text and "\\" not in text:
        return
    # A byte order mark is nothing to the parser, and positions must stay.
    documents = parser.parse_all(text.replace("\ufeff", "\n", 1) if text.startswith("\ufeff") else text)
    end = 0
    for root in (document.root for document in documents):
        named = text_at(root, "kind") or "", text_at(root, "metadata", "name") or ""
        found = [*secrets.parts(root), *secret_parts(root, of_secrets)]
        if held:
            found += [one for one in placed(root, ()) if isinstance(one[1], Scalar) and one[1].value in held]
        for place, node in found:
            yield from _values(text, node, (*named, *place))
        # A comment beside a secret may have the secret in it, so no comment of the document is shown.
        if found and root is not None:
            above, last = text.rfind("\n---", end, root.start), max(leaf.end for leaf in leaves(root))
            below = text.find("\n---", last)
            beside = lines.loose_comments(text, max(end, above), len(text) if below < 0 else below, root)
            yield from ((start, start + len(comment), _OF_NO_VALUE, set()) for start, comment in beside)
        end = end if root is None else root.end


def _values(text: str, node: Node, key: MaskKey) -> Iterator[Mask]:
    """Yield what is covered of a secret node: of a mapping the values, so that a reader sees which of them changed."""
    parts: list[tuple[MaskKey, Node | None]] = [(key, node)]
    if isinstance(node, Mapping) and node.is_plain() and node.kids:
        parts = [((*key, entry), resolved(value)) for entry, value in node.items()]
    for of_part, part in parts:
        if part is not None and part.start < part.end:
            # The line end behind a block is no part of its value.
            texts = {leaf.value for leaf in leaves(part) if isinstance(leaf, Scalar) and leaf.value}
            yield part.start, part.start + len(text[part.start : part.end].rstrip()), of_part, texts
