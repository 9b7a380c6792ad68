"""The tree of a YAML text: every node knows the characters that it was read from.

A position counts the code points of the parsed text. A node starts at its anchor or tag if it has one. A block
collection ends with its last leaf, so comments and blank lines below it are outside.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias, TypeGuard

    Place: TypeAlias = tuple[str | int, ...]
    """A place in a tree: the keys and indices on the way from the root."""
    Scalars: TypeAlias = "dict[Place, Scalar]"

_MERGE_TAG = "tag:yaml.org,2002:merge"


class Scalar:
    """A leaf. `value` is its decoded text, never converted; `style` is "" (plain), `'`, `"`, `|` or `>`."""

    __slots__ = ("anchor", "end", "start", "style", "tag", "value")

    def __init__(self, start: int, end: int, value: str, style: str, anchor: str | None, tag: str | None) -> None:  # noqa: PLR0913 - the hot constructor of the parser
        self.start = start
        self.end = end
        self.value = value
        self.style = style
        self.anchor = anchor
        self.tag = tag


class Alias:
    """`*name`. `target` is the node of its anchor, None if the anchor is outside of the parsed text.

    `value` is that of a scalar target, since an alias can be a key.
    """

    __slots__ = ("end", "name", "start", "target", "value")

    anchor = None
    tag = None

    def __init__(self, start: int, end: int, name: str, target: Node | None) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.target = target
        # An attribute, as each search for a key reads it.
        self.value: str | None = None if target is None else target.value


class Collection:
    """A mapping or a sequence. `kids` of a mapping alternate key and value.

    `first` is the position of the first key or dash, or of the opening bracket, behind anchor and tag. `column` is its
    column.
    """

    __slots__ = ("anchor", "column", "end", "first", "flow", "kids", "start", "tag")

    value = None

    def __init__(self, start: int, first: int, column: int, flow: bool, anchor: str | None, tag: str | None) -> None:  # noqa: FBT001, PLR0913 - the hot constructor of the parser
        self.start = start
        self.end = start
        self.first = first
        self.column = column
        self.flow = flow
        self.anchor = anchor
        self.tag = tag
        self.kids: list[Node] = []


class Mapping(Collection):
    """Keys and values in the order of the text. `entries` has the values by key, under None those of no scalar."""

    __slots__ = ("entries",)

    entries: dict[str | None, Node]

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield every key with its value as written. `<<` is a key like any other here."""
        kids = iter(self.kids)
        return zip(kids, kids, strict=True)

    def get(self, key: str) -> Node | None:
        """Return the value of `key`, from an own entry or else from one that `<<` merges in."""
        value = self.entries.get(key)
        # An own entry wins over a merged one, in whatever order they are written.
        if value is not None or "<<" not in self.entries:
            return value
        for merged in self.merged():
            value = merged.get(key)
            if value is not None:
                return value
        return None

    def merge_key(self) -> Node | None:
        """Return the value of the merge key. `"<<"` in quotes is none, unless it has the tag of one."""
        for key, value in self.pairs() if "<<" in self.entries else ():
            is_plain = isinstance(key, Scalar) and key.style == "" and key.tag is None
            if key.value == "<<" and (is_plain or key.tag == _MERGE_TAG):
                return value
        return None

    def sources(self) -> list[Node]:
        """Return the nodes that `<<` merges in, as written. An earlier one wins."""
        written = self.merge_key()
        source = resolved(written)
        if isinstance(source, Sequence):
            return source.kids
        return [] if written is None else [written]

    def merged(self) -> Iterator[Mapping]:
        """Yield the mappings that `<<` merges in. An earlier one wins."""
        for source in self.sources():
            mapping = resolved(source)
            if isinstance(mapping, Mapping):
                yield mapping

    def is_plain(self) -> bool:
        """True if `items` has every entry: all keys are scalars, and `<<` names only mappings of this text."""
        if "<<" not in self.entries:
            return None not in self.entries
        return None not in self.entries and all(isinstance(resolved(source), Mapping) for source in self.sources())

    def items(self) -> Iterator[tuple[str, Node]]:
        """Yield every scalar key with its value: the own ones, then those of `<<` that no own one overrides."""
        entries = self.entries
        # Most mappings need no more than the dict of the parser.
        if "<<" not in entries and None not in entries:
            return iter(entries.items())  # type: ignore[arg-type]  # no key is None
        merge_key = self.merge_key()
        found = {key.value: value for key, value in self.pairs() if key.value is not None and value is not merge_key}
        # In `<<: [*a, *b]` the first mapping with a key wins, as in the merge type of YAML 1.1.
        for mapping in self.merged():
            for key, value in mapping.items():
                found.setdefault(key, value)
        return iter(found.items())


class Sequence(Collection):
    """Elements in the order of the text."""

    __slots__ = ()


def is_block_scalar(node: Node | Collection) -> TypeGuard[Scalar]:
    """True if `node` is a literal or folded block."""
    return isinstance(node, Scalar) and node.style in ("|", ">")


Node: TypeAlias = "Scalar | Alias | Mapping | Sequence"


def resolved(node: Node | None) -> Scalar | Mapping | Sequence | None:
    """Return the target of an alias, or any other node itself."""
    return node.target if isinstance(node, Alias) else node  # type: ignore[return-value]  # an anchor is never on an alias


def leaves(node: Node | Collection) -> Iterator[Scalar | Alias]:
    """Yield the scalars and aliases below `node`, or `node` itself, in the order of the text."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Collection):
            waiting += one.kids[::-1]
        else:
            yield one


def placed(node: Node | None, place: Place) -> Iterator[tuple[Place, Scalar | Mapping | Sequence]]:
    """Yield each node at or below a place, with its place. Aliases are followed."""
    # Recursive generators would pass each node up through all levels.
    waiting = [(place, node)]
    while waiting:
        at, waits = waiting.pop()
        found = resolved(waits)
        if found is None:
            continue  # an alias whose anchor is outside of the text
        yield at, found
        if isinstance(found, Mapping):
            waiting += [((*at, key), kid) for key, kid in found.items()][::-1]
        elif isinstance(found, Sequence):
            waiting += [((*at, number), kid) for number, kid in enumerate(found.kids)][::-1]


def at(node: Node | None, *steps: str | int) -> Scalar | Mapping | Sequence | None:
    """Return the node below `node` at a place, None if there is none. Aliases and merge keys are followed.

    Each step goes into a mapping or a list: `at(root, "metadata", "name")`. Without steps it is `resolved`. For a null
    it returns a node, not None.
    """
    node = resolved(node)
    for step in steps:
        # Nearly all steps are keys, and a call of `kid` would cost more than all else here.
        if isinstance(step, str):
            node = resolved(node.get(step)) if isinstance(node, Mapping) else None
        else:
            node = resolved(kid(node, step))
    return node


def text_at(node: Node | None, *keys: str) -> str | None:
    """Return the text of the scalar that `at` finds, without its quotes; None if there is no scalar.

    The text has no type: `8080`, `"8080"` and `on` give their characters, `~` gives "~", and an empty value gives "".
    Use `scalars.string_at` if a number or a null is no answer.
    """
    found = at(node, *keys)
    return None if found is None else found.value


def mapping_at(node: Node | None, *keys: str) -> Mapping | None:
    """Return the mapping that `at` finds; None if there is no mapping."""
    found = at(node, *keys)
    return found if isinstance(found, Mapping) else None


def kid(node: Node | None, step: str | int) -> Node | None:
    """Return the node at a key or an index of `node`. Merge keys are followed. An alias has no kids."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        return node.kids[step]
    return None


def written_at(root: Node | None, place: Place) -> Node | None:
    """Return the node that is written at `place`, None if there is none. Aliases and `<<` are not followed."""
    for step in place:
        is_merged = isinstance(root, Mapping) and step not in root.entries
        root = None if is_merged else kid(root, step)
    return root


def list_elements(node: Node | None) -> list[Node]:
    """Return the elements of a list, or of the list that an alias names; none for any other node."""
    found = resolved(node)
    return found.kids if isinstance(found, Sequence) else []


# A tree with other scalars at some places: the collections on the way there are copies, and all else is shared.


def overlaid(node: Node | None, scalars: Scalars) -> Node:
    """Return `node` with `scalars` at their places below it. KeyError for a place that leads nowhere.

    A place behind an alias or `<<` changes at that place alone.
    """
    if () in scalars:
        return scalars[()]
    below: dict[str | int, Scalars] = {}
    for (step, *rest), scalar in scalars.items():
        below.setdefault(step, {})[tuple(rest)] = scalar
    node = resolved(node)
    if not isinstance(node, Collection):
        raise KeyError(*below)
    made = {step: overlaid(kid(node, step), of_step) for step, of_step in below.items()}
    # By identity, as a search for each of thousands of keys would take quadratic time.
    instead = {id(kid(node, step)): one for step, one in made.items()}
    copy = type(node)(node.start, node.first, node.column, node.flow, node.anchor, node.tag)
    copy.end = node.end
    copy.kids = [instead.get(id(one), one) for one in node.kids]
    if isinstance(copy, Mapping) and isinstance(node, Mapping):
        copy.entries = dict(node.entries)
        for step, one in made.items():
            key = str(step)
            # `<<` merges it in. An own entry has no effect at the anchor.
            if key not in copy.entries:
                copy.kids += Scalar(one.start, one.start, key, "", None, None), one
            copy.entries[key] = one
    return copy
