r"""Field paths, such as `spec.containers[name=web].args[2]` (docs/reference/functionconfig.md, "Field paths").

    path    = within { "::" within }
    within  = ( word | "**" | bracket ) { "." word | ".**" | [ "." ] bracket }
    bracket = "[" n "]" | "[*]" | "[" word "=" value "]" | "[" text "]"

A word has letters, digits, `_` and `-`, a value `.` and `/` too. All else is a text in quotes, 'a.b/c' or "a.b/c", in
which a backslash takes the next character as it is. `::` leads into a text that is a file: data['app.yaml']::log.level.
Three forms are kustomize's and read only: `args.0`, and
`containers.[name=web]`, and `annotations.a\.b/c`.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache, lru_cache

from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import TypeAlias, TypeVar

    from krm.yamltree import nodes
    from krm.yamltree.nodes import Node

    Segment: TypeAlias = "str | int | Match | Sign"
    FieldPath: TypeAlias = tuple[Segment, ...]
    Place: TypeAlias = nodes.Place

    _Tree = TypeVar("_Tree")
    Steps: TypeAlias = "Callable[[_Tree, Segment], Iterable[tuple[str | int, _Tree]]]"


class Sign:
    """A segment that is neither key, number nor match, by the `text` that stands for it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Sign({self.text!r})"


WILDCARD = Sign("[*]")
"""Every element of a list, or every value of a mapping."""
BELOW = Sign(".**")
"""A node, and all nodes below it."""
INSIDE = Sign("::")
"""The tree of a text that is a file of JSON or YAML, by the ending of its key."""

_SIGNS = {"every": WILDCARD, "each": WILDCARD, "below": BELOW, "inside": INSIDE}


class Match:
    """`[name=web]`: the elements of a list that are mappings with this text under this key."""

    def __init__(self, key: str, value: str) -> None:
        self.key = key
        self.value = value

    def __repr__(self) -> str:
        return f"Match({self.key!r}, {self.value!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Match) and (self.key, self.value) == (other.key, other.value)

    def __hash__(self) -> int:
        return hash((self.key, self.value))


_LETTER = r"[A-Za-z0-9_-]"
_WORD = rf"{_LETTER}+"
_VALUE = r"[A-Za-z0-9_./-]+"
# The keys below these have their domain in front, whose dots are their own.
_QUALIFIED = ("annotations", "labels", "matchLabels", "nodeSelector")
_QUALIFIED_NAME = r"\.(?P<key>[\w.-]+/[\w.-]+)"
_LOOKS = "one looks like `spec.rules[*].host`, `args[0]`, `containers[name=web].image` or `annotations['a.b/c']`"


@lru_cache(4096)  # a function asks every item for the same few paths
def parse(text: str) -> FieldPath:
    """Return the path that `text` spells. ValueError if it spells none.

    The text that `to_text` returns for a path is parsed as that path.
    """
    path: list[Segment] = []
    # With a dot in front the first segment is written like the others.
    dotted = f".{text}"
    position = 0
    while position < len(dotted):
        match = _written_segment().match(dotted, position)
        if match is None:
            raise ValueError(_no_path(text, max(position, 1)))
        path.append(_segment(match))
        position = match.end()
    return tuple(path)


def to_text(path: FieldPath) -> str:
    """Return a path as text. Each path has one spelling."""
    parts = [_printed(segment) for segment in path]
    above = [INSIDE, *path[:-1]]
    return "".join(part.removeprefix(".") if one is INSIDE else part for one, part in zip(above, parts, strict=False))


def find(root: Node, path: FieldPath) -> Iterator[tuple[Place, Node]]:
    """Yield every node below `root` that `path` leads to, with its place: keys and indexes from the root.

    Aliases and `<<` on the way are followed. A node that is itself an alias is yielded as an alias. A path that leads
    nowhere yields nothing. One that leads into a file yields nodes of that, each with the place of the file.
    """
    outside, rest = parted(path)
    for place, node in follow(root, outside, _steps):
        yield from ((place, node),) if rest is None else ((place, kid) for kid in inside(place[-1], node, rest))


def parted(path: FieldPath) -> tuple[FieldPath, FieldPath | None]:
    """Return a path up to the first `::`, and the path behind that, None where there is no `::`."""
    if INSIDE not in path:
        return path, None
    depth = path.index(INSIDE)
    return path[:depth], path[depth + 1 :]


def inside(key: str | int, node: Node | None, path: FieldPath) -> list[Node]:
    """Return the nodes that a path leads to in the text under a key; none if that is no file."""
    from krm.yamltree import embedded  # noqa: PLC0415 - few paths lead into a file

    found = resolved(node)
    roots = embedded.content(key, found.value).roots if isinstance(found, Scalar) else []
    return [kid for root in roots for _, kid in find(root, path)]


def follow(root: _Tree, path: FieldPath, steps: Steps[_Tree]) -> list[tuple[Place, _Tree]]:
    """Return the nodes that a path leads to in a tree. `steps` returns those that one segment leads to."""
    found: list[tuple[Place, _Tree]] = [((), root)]
    for segment in path:
        if segment is BELOW:
            # Two segments `**` may lead to the same place.
            found = [*{place: kid for above in found for place, kid in _and_below(*above, steps)}.items()]
        else:
            found = [((*place, step), kid) for place, node in found for step, kid in steps(node, segment)]
    return found


def named(root: Node | None, place: FieldPath) -> FieldPath:
    """Return a place as a path, with a Match for an element whose name is unique in its list.

    The steps of a place to a field that is absent stay as they are.
    """
    path: list[Segment] = []
    node = root
    for step in place:
        name, sequence = None, resolved(node)
        if isinstance(step, int) and isinstance(sequence, Sequence) and step < len(sequence.kids):
            name = text_at(sequence.kids[step], "name")
            name = name if name is not None and name in _unique_names(sequence) else None
        path.append(step if name is None else Match("name", name))
        node = next((kid for _, kid in follow(node, (step,), _steps)), None)
    return tuple(path)


def leads(path: FieldPath, place: FieldPath) -> bool:
    """Return True if `path`, of keys and `[*]`, leads to a place, or to something above it."""
    if WILDCARD not in path:
        return place[: len(path)] == path
    return len(path) <= len(place) and all(
        step is WILDCARD or step == other for step, other in zip(path, place, strict=False)
    )


def general(path: FieldPath) -> FieldPath:
    """Return the path to all elements of the lists on the way: `args[2]` and `args[name=a]` become `args[*]`."""
    return tuple(WILDCARD if isinstance(step, int | Match) else step for step in path)


def is_place(path: FieldPath) -> bool:
    """True if a path has keys and indexes alone: it leads to one place at most."""
    return all(isinstance(step, str | int) for step in path)


def as_index(segment: Segment) -> int:
    """Return the index that a segment is in a list: `0`, `12`; -1 for others, such as `012` and `1_2`."""
    if not isinstance(segment, str):
        return segment if isinstance(segment, int) else -1
    is_index = segment.isascii() and segment.isdigit() and (segment == "0" or segment[0] != "0")
    return int(segment) if is_index else -1


def _segment(match: re.Match[str]) -> Segment:
    if match.lastgroup == "index":
        return int(match["index"])
    if match.lastgroup in _SIGNS:
        return _SIGNS[match.lastgroup]
    if match.lastgroup == "value":
        return Match(_token(match["by"]), _token(match["value"]))
    return _token(match["key"] or match["quoted"])


def _token(written: str) -> str:
    """Return the text of a word, in quotes or not."""
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        written = written[1:-1]
    return re.sub(r"\\(.)", r"\1", written, flags=re.DOTALL) if "\\" in written else written


def _no_path(text: str, position: int) -> str:
    """Return the sentence about a text that is no path, with the right spelling if that is certain."""
    meant = _other_spelling(text)
    if meant is None:
        return f"`{text}` is no field path from character {position} on: {_LOOKS}"
    # In `containers[web]`, `web` may be a key or the name of an element.
    named = re.sub(r"\[([A-Za-z_-][\w-]*)\]", r"[name=\1]", text)
    element = f", or `{named}` for an element of a list" if named != text and not re.search(r"['\"/${]", text) else ""
    return f"`{text}` is no field path: write `{to_text(meant)}`{element}"


def _other_spelling(text: str) -> FieldPath | None:
    """Return the path of a text in JSONPath, in JSON Patch, or without quotes; None if that would be a guess."""
    if re.match(r"[^.[\\'\"]*/", text):
        if re.search(r"[.[\\'\"]", text):
            return None
        text = re.sub(r"/(\d+)(?![^/])", r"[\1]", text).replace("/", ".")
    dotted = "." + re.sub(r"^[$@]?\.?", "", text.strip("{} "))
    path: list[Segment] = []
    position = 0
    while position < len(dotted):
        is_qualified = path[-1:] and path[-1] in _QUALIFIED
        match = is_qualified and re.compile(_QUALIFIED_NAME).match(dotted, position)
        match = match or _written_segment().match(dotted, position)
        if not match or dotted[match.end() : match.end() + 1] not in ("", ".", "["):
            match = _loose_segment().match(dotted, position)
        if match is None:
            return None
        path.append(_segment(match))
        position = match.end()
    return tuple(path)


def _printed(segment: Segment) -> str:
    if isinstance(segment, int):
        return f"[{segment}]"
    if isinstance(segment, Sign):
        return segment.text
    if isinstance(segment, Match):
        return f"[{_written(segment.key, _WORD)}={_written(segment.value, _VALUE)}]"
    return f".{segment}" if re.fullmatch(_WORD, segment) else f"[{_written(segment, '')}]"


def _written(text: str, word: str) -> str:
    """Return a word as it is, and any other text in quotes."""
    if word and re.fullmatch(word, text):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _steps(node: Node | None, segment: Segment) -> Iterable[tuple[str | int, Node]]:
    """Return the children of `node` that `segment` leads to, each with its key or index."""
    node = resolved(node)
    if isinstance(node, Mapping):
        # A key that `<<` merges in is a field like any other: readers see no difference.
        value = node.get(segment) if isinstance(segment, str) else None
        return node.items() if segment is WILDCARD else () if value is None else ((str(segment), value),)
    if not isinstance(node, Sequence):
        return ()
    if segment is WILDCARD:
        return enumerate(node.kids)
    if isinstance(segment, Match):
        return ((n, kid) for n, kid in enumerate(node.kids) if text_at(kid, segment.key) == segment.value)
    # kustomize writes `args.0`, and a mapping may have the key "0": the node decides.
    index = as_index(segment)
    return ((index, node.kids[index]),) if 0 <= index < len(node.kids) else ()


def _and_below(place: Place, node: _Tree, steps: Steps[_Tree]) -> Iterator[tuple[Place, _Tree]]:
    """Yield the node at a place, and all nodes below."""
    # Recursive generators would pass each node up through all levels.
    waiting = [(place, node)]
    while waiting:
        place, node = waiting.pop()
        yield place, node
        waiting += [((*place, step), kid) for step, kid in steps(node, WILDCARD)][::-1]


# Many places are printed list by list. To collect the names for each place would take quadratic time.
@lru_cache(8)  # findings come item by item, and an item has few nested lists
def _unique_names(sequence: Sequence) -> Collection[str]:
    """Return the names that only one element of a list has."""
    counts = Counter(text_at(element, "name") for element in sequence.kids)
    return frozenset(name for name, count in counts.items() if name is not None and count == 1)


@cache
def _written_segment() -> re.Pattern[str]:
    return _segments(
        r"""(?: \. | (?<= :: ) ) (?P<key> (?= [^]['"\\.:\s]*+ \\ ) (?: [^]['"\\.:\s] | \\. )++ | WORD++ )
          | (?: \. | (?<= :: ) ) (?P<below> \*\* )
          | (?P<inside> :: ) (?= WORD | [*[] )
          | \.? \[ (?: (?P<index> [0-9]{1,9} )
                    | (?P<every> \* )
                    | (?P<quoted> QUOTED )
                    | (?P<by> WORD++ | QUOTED ) = (?P<value> [A-Za-z0-9_./-]++ | QUOTED )
                   ) \]"""
    )


@cache
def _loose_segment() -> re.Pattern[str]:
    """Return the pattern of a segment whose author left out quotes, or wrote it as JSONPath does."""
    return _segments(
        r"""\. (?P<every> \* ) (?= [.[] | \Z )
          | \. (?P<key> [^]['"\\.*]++ )
          | \.? \[ (?: (?P<each> (?: WORD++ = \* )? (?= \] ) )
                    | (?P<quoted> [A-Za-z] [A-Za-z0-9_./-]*+ )
                    | (?: \? \( @\. )? \s*+ (?P<by> WORD++ | QUOTED ) \s*+ (?: ==?+ | : ) \s*+
                      (?P<value> [^]['",*=\s()]*+ | QUOTED ) \s*+ \)?
                   ) \]"""
    )


def _segments(pattern: str) -> re.Pattern[str]:
    quoted = r"""'(?:[^'\\]|\\.)*+' | "(?:[^"\\]|\\.)*+\""""
    return re.compile(pattern.replace("QUOTED", quoted).replace("WORD", _LETTER), re.VERBOSE | re.DOTALL)
