"""Masks over the values of Secrets, for whatever shows files to people (docs/reference/packages.md, "Secrets").

    stringData: # swordfish is the old one      stringData: # ***
      token: tuna                                 token: *** (before)
      user: shop                                  user: ***

As with `kubectl diff`, a value that both sides have, and not the same, shows which side it is on.
"""

from __future__ import annotations

import re

from krm import secrets
from krm.commands import given
from krm.yamltree import parser
from krm.yamltree.nodes import Mapping, leaves, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from krm.commands.given import Given
    from krm.yamltree.nodes import Node

    Key: TypeAlias = tuple[str | int, ...]
    Mask: TypeAlias = tuple[int, int, Key]

_MASK = "***"
_COMMENT = re.compile(r"(?<!\S)#[^\r\n]*")
_OF_NO_VALUE: Key = ()


class HiddenError(Exception):
    """A text may hold a Secret, and nobody can say where its values are: it is not YAML."""


def masked(before: str, after: str, of_secrets: Given) -> tuple[str, str]:
    """Return the text of a file before and after, with masks over the values of Secrets. HiddenError.

    `of_secrets` are the fields of other objects that show what a Secret gave.
    """
    masks = [[*_masks(text, of_secrets)] for text in (before, after)]
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


def _masks(text: str, of_secrets: Given) -> Iterator[Mask]:
    """Yield what is to be covered in a text: values with a key that is the same on both sides, and comments."""
    # Without these there is no kind `Secret`: an escape could hide its letters.
    if not of_secrets and "ecret" not in text and "\\" not in text:
        return
    try:
        # A byte order mark is nothing to the parser, and positions must stay.
        documents = parser.parse_all(text.replace("\ufeff", "\n", 1) if text.startswith("\ufeff") else text)
    except ParseError:
        raise HiddenError from None
    end = 0
    for number, document in enumerate(documents):
        root = document.root
        found = [*secrets.parts(root), *given.parts(root, of_secrets)]
        for place, node in found:
            yield from _values(text, node, (number, *place))
        # What an author wrote beside a secret may be one: so no comment of the document is shown.
        if found and root is not None:
            yield from _comments(text, root, max(end, text.rfind("\n---", end, root.start)))
        end = end if root is None else root.end


def _comments(text: str, root: Node, position: int) -> Iterator[Mask]:
    """Yield the comments of a document, from a position ahead of it on."""
    for leaf in sorted(leaves(root), key=lambda one: one.start):
        yield from ((*found.span(), _OF_NO_VALUE) for found in _COMMENT.finditer(text, position, leaf.start))
        # Behind the sign of a block there may be one, too.
        head = text.find("\n", leaf.start, leaf.end)
        if text[leaf.start : leaf.start + 1] in ("|", ">") and head >= 0:
            yield from ((*found.span(), _OF_NO_VALUE) for found in _COMMENT.finditer(text, leaf.start, head))
        position = max(position, leaf.end)
    behind = text.find("\n---", position)
    end = len(text) if behind < 0 else behind
    yield from ((*found.span(), _OF_NO_VALUE) for found in _COMMENT.finditer(text, position, end))


def _values(text: str, node: Node, key: Key) -> Iterator[Mask]:
    """Yield what is covered of a secret node: of a mapping the values, so that a reader sees which of them changed."""
    if isinstance(node, Mapping) and node.is_plain() and node.kids:
        for entry, value in node.items():
            yield from _value(text, resolved(value), (*key, entry))
    else:
        yield from _value(text, node, key)


def _value(text: str, node: Node | None, key: Key) -> Iterator[Mask]:
    if node is not None and node.start < node.end:
        # The line end behind a block is no part of its value.
        yield node.start, node.start + len(text[node.start : node.end].rstrip()), key
