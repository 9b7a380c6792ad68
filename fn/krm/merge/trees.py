"""Trees: one side of a merge, and the comparison of two sides (docs/reference/merge.md, "What is data").

Two nodes are the same if a reader of YAML 1.1 gets the same from both: `"1"` is not `1`, while comments, quotes, the
order of keys, and whether an alias or `<<` brings a value in, are no data.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from krm.resource import LAST_APPLIED
from krm.yamltree import cuts, parser, scalars
from krm.yamltree.nodes import Alias, Collection, Mapping, Scalar, resolved
from krm.yamltree.parser import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator
    from typing import Any

    from krm.yamltree.nodes import Node

ANNOTATIONS = ("metadata", "annotations")

UPSTREAM = "internal.kpt.dev/upstream-identifier"
"""The annotation in which kpt notes what a resource is called upstream."""

# The annotations in which orchestrators and kubectl keep notes for themselves, and nothing that an author writes.
_INTERNAL = "internal.config.kubernetes.io/"
_OF_CONFIG = ("index", "merge-source", "package-path", "path")
_OF_BUILDS = ("annotations-migration-resource-id", "buildAnnotations", "prefixes", "refBy", "seqindent", "suffixes")
_BOOKKEEPING = frozenset(
    (
        *(LAST_APPLIED, "config.k8s.io/id", "internal.config.k8s.io/kpt-resource-id", "kustomize.config.k8s.io/id"),
        *(f"config.kubernetes.io/{name}" for name in _OF_CONFIG),
        *(f"{_INTERNAL}{name}" for name in (*_OF_BUILDS, "id", "index", "kpt-resource-id", "package-path", "path")),
    )
)

HASHED = "!sha256"
"""The tag of a scalar of which only a hash is known: it is no data that another side has."""

UNKNOWN = "\0"
"""What the text of such a scalar begins with, unless some of its lines are known: no file has it."""

_STRING_TAGS = frozenset(("tag:yaml.org,2002:str", "!"))
WORDS_OF_1_1: dict[str, bool | None] = {
    spelled: value
    for value, words in ((None, ("", "~", "null")), (True, ("true", "yes", "on")), (False, ("false", "no", "off")))
    for word in words
    for spelled in (word, word.upper(), word.capitalize())
}
"""What YAML 1.1 reads in a word. It has three spellings of each: `yes`, `YES` and `Yes`, while `yEs` is a string."""


class Tree:
    """A resource in its text: `root` is where it stands there, None where there is no resource."""

    __slots__ = ("root", "text")

    def __init__(self, text: str, root: Node | None) -> None:
        self.text = text
        self.root = root


class Triple:
    """The three sides of a merge at one place: the node that each has there, None where it has nothing."""

    __slots__ = ("local", "origin", "update")

    def __init__(self, origin: Node | None, update: Node | None, local: Node | None) -> None:
        self.origin = origin
        self.update = update
        self.local = local

    def __iter__(self) -> Iterator[Node | None]:
        return iter((self.origin, self.update, self.local))


def alike(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """Return True if two nodes are written alike, which is quick to see: they are the same then, else they may be."""
    if a is None or b is None or a is b:
        return a is b
    kind = type(a)
    # `*a` on two sides may stand for two things.
    if kind is Alias or kind is not type(b):
        return False
    if kind is Scalar:
        return a.value == b.value and a.style == b.style and a.tag == b.tag  # type: ignore[union-attr]  # see `kind`
    return _written_alike(one.text, a, other.text, b)  # type: ignore[arg-type]  # see `kind`


def same(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """Return True if a node of one tree and a node of the other are the same data; None is absent."""
    if alike(one, a, other, b):
        return True
    ones, others = resolved(a), resolved(b)
    if not isinstance(ones, Collection) or type(ones) is not type(others) or ones.tag != others.tag:
        return frozen(a) == frozen(b)
    # Part by part: most of them are written alike.
    parts, there = _parts(ones), _parts(others)
    return parts.keys() == there.keys() and all(same(one, part, other, there[key]) for key, part in parts.items())


def same_by_name(one: Tree, a: Node | None, other: Tree, b: Node | None) -> bool:
    """Return True if two nodes are the same, or are so where an alias is no more than its name.

    Whoever writes `*a` says "as there", whatever becomes of that.
    """
    if same(one, a, other, b):
        return True
    return "*" in one.text and "*" in other.text and frozen(a, by_name=True) == frozen(b, by_name=True)


def same_resource(one: Tree, a: Node | None, other: Tree, b: Node | None, *others: str) -> bool:
    """Return True if whole resources are the same but for bookkeeping, and for the annotations that `others` names."""
    return same(one, a, other, b) or (None not in (a, b) and _without_books(a, *others) == _without_books(b, *others))


def is_bookkeeping(key: str) -> bool:
    """Return True if an annotation is an orchestrator's own note, which is no data in any merge."""
    return key in _BOOKKEEPING or key.startswith(f"{_INTERNAL}previous")


def frozen(node: Node | None, *, by_name: bool = False) -> Hashable:
    """Return the data of `node` as a value that equals that of another node if and only if the two are the same.

    With `by_name` an alias is its name, and a `<<` an entry like others.
    """
    found = node if by_name else resolved(node)
    if isinstance(found, Scalar):
        return typed(found)
    if isinstance(found, Mapping) and (None not in found.entries if by_name else is_plain(found)):
        below = found.entries.items() if by_name else found.items()
        return found.tag, frozenset((key, frozen(value, by_name=by_name)) for key, value in below)
    if isinstance(found, Collection):
        return (type(found), found.tag, *(frozen(kid, by_name=by_name) for kid in found.kids))
    return None if node is None else (Alias, node.name)  # type: ignore[union-attr]  # an alias, of nothing or by name


def leaves(node: Node | None, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Hashable]]:
    """Yield each scalar below a node with its path, in which elements of lists are alike; of a text each line.

    Of a folded text each word: where its lines end is layout.
    """
    found = resolved(node)
    if isinstance(found, Scalar):
        parts = found.value.split() if found.style == ">" else found.value.splitlines() if "\n" in found.value else ()
        yield from ((path, part) for part in parts) if parts else [(path, typed(found))]
    elif isinstance(found, Mapping):
        for key, value in found.items():
            yield from leaves(value, (*path, key))
    elif isinstance(found, Collection):
        for kid in found.kids:
            yield from leaves(kid, (*path, "[]"))


def same_documents(one: str, other: str) -> bool:
    """Return True if a reader gets the same documents from two texts.

    Comments, layout, the order of documents, and a document without anything in it are no data.
    """
    ones, others = (Counter(text[slice(*span)] for span in cuts.document_spans(text)) for text in (one, other))
    # Most are written alike, and need not be parsed.
    return _data(ones - others) == _data(others - ones)


def _data(documents: Counter[str]) -> Counter[Hashable]:
    """Return how often documents say what they say; one that is no YAML says its text."""
    found: Counter[Hashable] = Counter()
    for text, times in documents.items():
        said = [root and frozen(root) for root in roots(text)] or [text]
        found.update({each: times for each in said if each is not None})
    return found


def roots(text: str) -> list[Node | None]:
    """Return the documents of a text, none if a merge of lines made something else of YAML."""
    try:
        return [document.root for document in parser.parse_all(text)]
    except ParseError:
        return []


def holder(parent: Collection, node: Node) -> Collection:
    """Return the collection that `node` is written in: `parent`, or a mapping that `parent` merges in by `<<`."""
    if not isinstance(parent, Mapping) or "<<" not in parent.entries or any(kid is node for kid in parent.kids):
        return parent
    return next(holder(source, node) for source in parent.merged() if any(kid is node for _, kid in source.items()))


def entries(node: Node | None) -> dict[str, Node]:
    """Return the values of a mapping by key, those that `<<` merges in as well; none for another node."""
    mapping = resolved(node)
    if not isinstance(mapping, Mapping):
        return {}
    own = mapping.entries
    # The parser's own dict where it will do: this is asked for each mapping of each side.
    return dict(mapping.items()) if "<<" in own or None in own else own  # type: ignore[return-value]  # no key is None


def is_plain(mapping: Mapping) -> bool:
    """Return True if `mapping.items()` tells all of it, which only odd keys prevent."""
    entries = mapping.entries
    return (None not in entries and "<<" not in entries) or mapping.is_plain()


def plain_mapping(node: Node | None) -> Mapping | None:
    """Return the mapping that `node` is, None for another node, or where odd keys let no path lead in."""
    mapping = resolved(node)
    return mapping if isinstance(mapping, Mapping) and is_plain(mapping) else None


def _parts(node: Collection) -> dict[Any, Node]:
    """Return the values of a mapping by their keys, other kids by their numbers."""
    return entries(node) if isinstance(node, Mapping) and is_plain(node) else dict(enumerate(node.kids))


def _written_alike(text: str, a: Collection, other: str, b: Collection) -> bool:
    """Compare what stands in the two texts, but for how far all of it is indented. An alias may name another thing."""
    shift = 0 if a.flow else b.column - a.column
    if shift < 0:
        return _written_alike(other, b, text, a)
    # The lengths first: they spare most comparisons the copy of a text.
    longer = b.end - b.start - (a.end - a.start)
    if longer < 0 or (longer and not shift):
        return False
    written, there = text[a.start : a.end], other[b.start : b.end]
    if shift:
        # What counts from a column, as the lines of a block scalar do, counts from one that is shifted as well.
        there = there.replace("\n" + " " * shift, "\n")
    return written == there and "*" not in written


def _without_books(node: Node | None, *others: str, path: tuple[str, ...] = ()) -> Hashable:
    """Return the data of what stands at `path` of a resource without bookkeeping and `others`: None for nothing."""
    mapping = resolved(node)
    if path != ANNOTATIONS[: len(path)] or not isinstance(mapping, Mapping) or not is_plain(mapping):
        return frozen(node)
    keys = [key for key, _ in mapping.items() if path != ANNOTATIONS or not (is_bookkeeping(key) or key in others)]
    below = ((key, _without_books(entries(mapping)[key], *others, path=(*path, key))) for key in keys)
    return frozenset(entry for entry in below if entry[1] is not None) or None


def typed(node: Scalar) -> tuple[object, object]:
    """Return the type and the value that YAML 1.1 reads in a scalar."""
    text = node.value
    if node.tag is not None:
        return (str if node.tag in _STRING_TAGS else node.tag), text
    if node.style or not scalars.is_typed(text):
        return str, text
    if text in WORDS_OF_1_1:
        return bool, WORDS_OF_1_1[text]
    number = _number(text)
    # What is neither: a date, what counts in sixties, a word that readers differ about.
    return (None, text) if number is None else (type(number), number)


def _number(text: str) -> int | float | None:
    """Return the number that readers of YAML 1.1 agree on, None where there is none."""
    # YAML 1.1 allows `_` between digits, and reads `010` as 8.
    match = _written_number().fullmatch(text.replace("_", ""))
    if match is None:
        return None
    sign = -1 if match["sign"] == "-" else 1
    digits = match["digits"]
    if match["real"]:
        return sign * float(digits)
    return sign * int(digits, 8 if match["octal"] else 0)


# Compiled where it is needed: of scalars that are written alike nobody asks for the number.
@cache
def _written_number() -> re.Pattern[str]:
    return re.compile(
        r"""(?P<sign> [-+]? )
            (?P<digits> (?P<octal> 0[0-7]+ ) | 0[xX][0-9a-fA-F]+ | 0[bB][01]+ | 0 | [1-9][0-9]*
                      | (?P<real> (?:[0-9]+\.[0-9]* | \.[0-9]+)(?:[eE][-+]?[0-9]+)? | [0-9]+[eE][-+]?[0-9]+ ) )""",
        re.VERBOSE,
    )
