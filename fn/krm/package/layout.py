"""New data for a document of a file: the data changes, its comments, quotes and margins stay.

The programs between source and sink may print YAML again, with other quotes, margins and blank lines, and without
comments. None of that is a change of a resource (docs/packages.md, "What is written").
"""

from __future__ import annotations

import re

from krm.yamltree import lines, parser, sameness
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, Sequence, leaves, resolved
from krm.yamltree.target import AmendedMapping, AmendedSequence, Graft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from krm.resource import Resource
    from krm.yamltree.nodes import Node
    from krm.yamltree.target import Target

# In YAML a `#` starts a comment only behind white space: `a#b` is text.
_COMMENT = re.compile(r"(?:^|(?<=\s))#.*", re.MULTILINE)
_KEYS = ("name", "key", "containerPort", "port", "mountPath", "ip", "id")
"""What elements of a list are told apart by, where each has it, and each another one."""


def amend(document: Resource, update: Resource) -> None:
    """Make a document say what another one says, with as few changes of its text as that takes. EditError."""
    root: Any = document.root
    wanted: Any = update.root
    document.editor.amend((), _wanted(root, None, wanted, update.text))


def is_laid_out_alike(one: str, other: str) -> bool:
    """True if two texts of the same data differ in nothing but comments, quotes and blank lines.

    A text that has fewer comments than the other is not: many programs lose them, and few mean to.
    """
    (gaps, comments), (others, other_comments) = _gaps(one), _gaps(other)
    return gaps == others and comments >= other_comments


def _wanted(node: Node, parent: Collection | None, update: Node, text: str) -> Target:
    """Return the target that makes a node say the same as `update`, a node of `text`."""
    if sameness.same_data(node, update):
        return node
    if isinstance(node, Mapping) and isinstance(update, Mapping) and node.is_plain() and update.is_plain():
        own = dict(node.items())
        entries: dict[str, Target] = {
            key: _wanted(own[key], update, value, text) if key in own else Graft(text, update, value)
            for key, value in update.items()
        }
        return AmendedMapping(node, entries)
    if isinstance(node, Sequence) and isinstance(update, Sequence) and node.kids:
        pairs = zip(_paired(node.kids, update.kids), update.kids, strict=True)
        return AmendedSequence(
            node,
            [Graft(text, update, new) if old is None else _wanted(old, update, new, text) for old, new in pairs],
        )
    if isinstance(node, Alias) and isinstance(update, Alias) and node.target and update.target:
        return _wanted(node.target, parent, update.target, text)  # as it is wanted where the anchor is
    return Graft(text, parent, update)


def _paired(olds: list[Node], news: list[Node]) -> list[Node | None]:
    """Return the old element that each new one was, None for one that is new.

    Elements that are the same at the start and at the end of both lists are those. Between them names tell, or else
    the order in which they stand.
    """
    # Both ends first: most changes of a list are in one place, and its elements often have no names.
    start = _same_at_start(olds, news)
    end = _same_at_start(olds[start:][::-1], news[start:][::-1])
    old, new = olds[start : len(olds) - end], news[start : len(news) - end]
    return [*olds[:start], *_paired_by_name(old, new), *olds[len(olds) - end :]]


def _same_at_start(olds: list[Node], news: list[Node]) -> int:
    count = 0
    for old, new in zip(olds, news, strict=False):
        if not sameness.same_data(old, new):
            break
        count += 1
    return count


def _paired_by_name(olds: list[Node], news: list[Node]) -> list[Node | None]:
    # Not krm.merge's keys by kind: there is no origin here that would tell a renamed element from a new one.
    for key in _KEYS:
        names, others = _names(olds, key), _names(news, key)
        if names and others:
            return [names.get(name) for name in others]
    return [*olds[: len(news)], *[None] * (len(news) - len(olds))]


def _names(nodes: list[Node], key: str) -> dict[str, Node]:
    """Return elements by the value of a key: none unless each has it, and each another one."""
    found: dict[str, Node] = {}
    for node in nodes:
        mapping = resolved(node)
        name = mapping.own(key) if isinstance(mapping, Mapping) else None
        if isinstance(name, Scalar):
            found[name.value] = node
    return found if len(found) == len(nodes) else {}


def _gaps(text: str) -> tuple[list[str], int]:
    """Return what stands between the scalars of a text, without its comments, and how many of these there are."""
    root = parser.parse(text).root
    gaps, comments, position = [], 0, 0
    for leaf in [] if root is None else leaves(root):
        gaps.append(text[position : leaf.start])
        comments += isinstance(leaf, Scalar) and lines.comment_inside(text, leaf) != ""
        position = leaf.end
    gaps.append(text[position:])
    comments += sum(len(_COMMENT.findall(gap)) for gap in gaps)
    return [_without_blank_lines(_COMMENT.sub("", gap)) for gap in gaps], comments


def _without_blank_lines(text: str) -> str:
    """Return a text without the blanks ahead of line ends, and with one line end in the place of several."""
    *whole, last = text.split("\n")
    ends = (line.rstrip(" \t\r") for line in whole)
    return "\n".join([*(line for number, line in enumerate(ends) if line or not number), last])
