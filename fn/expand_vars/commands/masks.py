"""Masks over the values of Secrets, for whatever shows files to people (docs/packages.md, "Secrets").

    stringData: # swordfish is the old one      stringData: # ***
      token: tuna                                 token: *** (before)
      user: shop                                  user: ***

As with `kubectl diff`, a value that both sides have, and not the same, shows which side it is on.
"""

from __future__ import annotations

import re

from krm.yamltree import parser
from krm.yamltree.nodes import Collection, Mapping, Scalar, leaves, resolved, text_at
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.yamltree.nodes import Node

    Key: TypeAlias = tuple[str, ...]
    Mask: TypeAlias = tuple[int, int, Key]

_MASK = "***"
_SECTIONS = ("data", "stringData")
_MAY_HOLD = re.compile(r"\bSecret(?:List)?\b")
# kubectl keeps a copy of a whole Secret in an annotation, and templates are texts.
_WHOLE = re.compile(r"""\bkind["']?\s*:\s*["']?Secret(?:List)?\b""")
_COMMENT = re.compile(r"(?<!\S)#[^\n]*")
_COMMENTS_BEHIND = re.compile(r"[ \t\r]*(?:#[^\n]*)?(?:\n[ \t\r]*(?:#[^\n]*)?(?=\n|\Z))*")
_OF_NO_VALUE: tuple[str, ...] = ()


class HiddenError(Exception):
    """A text may hold a Secret, and nobody can say where its values are: it is not YAML."""


def masked(before: str, after: str) -> tuple[str, str]:
    """Return the text of a file before and after, with masks over the values of Secrets. HiddenError."""
    masks = [[*_masks(text)] for text in (before, after)]
    old = {key: before[start:end] for start, end, key in masks[0]}
    new = {key: after[start:end] for start, end, key in masks[1]}
    changed = {key for key in old.keys() & new.keys() if key and old[key] != new[key]}
    return _covered(before, masks[0], changed, "before"), _covered(after, masks[1], changed, "after")


def _covered(text: str, masks: list[Mask], changed: set[Key], side: str) -> str:
    pieces, done = [], 0
    for start, end, key in sorted(masks):
        # A comment inside of a value is covered already, and so is a value that several aliases name.
        if start >= done:
            mask = f"{_MASK} ({side})" if key in changed else _MASK
            pieces += [text[done:start], mask if key else f"# {_MASK}"]
            done = end
    return "".join([*pieces, text[done:]])


def _masks(text: str) -> Iterator[Mask]:
    """Yield what is to be covered in a text: values with a key that is the same on both sides, and comments."""
    if not _MAY_HOLD.search(text):
        return
    try:
        # A byte order mark is nothing to the parser, and positions must stay.
        documents = parser.parse_all(text.replace("\ufeff", "\n", 1) if text.startswith("\ufeff") else text)
    except ParseError:
        raise HiddenError from None
    for number, document in enumerate(documents):
        if document.root is not None:
            for secret in _secrets(document.root):
                yield from _of_secret(text, secret, str(number))
            yield from _copies(text, document.root, str(number))


def _secrets(node: Node, *, is_one: bool = False) -> Iterator[Mapping]:
    """Yield the Secrets in a tree, wherever they stand: in a list, say, or in a template."""
    if not isinstance(node, Collection):
        return
    listed = None
    if isinstance(node, Mapping):
        kind = text_at(node, "kind")
        listed = node.own("items") if kind == "SecretList" else None
        if is_one or kind == "Secret":
            yield node
    for kid in node.kids:
        # The API server gives them without their kind.
        for each in kid.kids if kid is listed and isinstance(kid, Collection) else (kid,):
            yield from _secrets(each, is_one=kid is listed)


def _of_secret(text: str, secret: Mapping, document: str) -> Iterator[Mask]:
    name = (document, text_at(secret, "metadata", "namespace") or "", text_at(secret, "metadata", "name") or "")
    for key, start, section in _sections(secret):
        end = section.end
        if isinstance(section, Mapping) and section.is_plain():
            for entry, value in section.items():
                yield from _value(text, resolved(value), (*name, key, entry))
        else:
            yield from _value(text, section, (*name, key))
        behind = _COMMENTS_BEHIND.match(text, end)
        for comment in _COMMENT.finditer(text, start, behind.end() if behind else end):
            yield comment.start(), comment.end(), _OF_NO_VALUE


def _sections(secret: Mapping) -> Iterator[tuple[str, int, Node]]:
    """Yield the data of a Secret, and of what it merges in: key, where comments may begin, node."""
    for key, value in secret.pairs():
        section = resolved(value)
        if key.value in _SECTIONS and section is not None:
            yield key.value, key.end if section is value else section.start, section
    for mapping in secret.merged():
        yield from _sections(mapping)


def _copies(text: str, root: Node, document: str) -> Iterator[Mask]:
    """Yield the texts in a document that are Secrets themselves."""
    for number, leaf in enumerate(leaves(root)):
        if isinstance(leaf, Scalar) and _WHOLE.search(leaf.value):
            yield from _value(text, leaf, (document, str(number)))


def _value(text: str, node: Node | None, key: Key) -> Iterator[Mask]:
    if node is not None and node.start < node.end:
        # The line end behind a block is no part of its value.
        yield node.start, node.start + len(text[node.start : node.end].rstrip()), key
