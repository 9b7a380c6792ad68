"""The tree of a YAML text: every node knows which characters it was read from.

Positions count code points of the text that was parsed. A node starts at its anchor or tag where it has one. A block
collection ends with its last leaf, so that comments and blank lines behind it are outside.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias, TypeGuard, TypeVar

    Place: TypeAlias = tuple[str | int, ...]
    """A place in a tree: the keys and the numbers of elements on the way from the root."""
    Scalars: TypeAlias = "dict[Place, Scalar]"
    C = TypeVar("C", "Mapping", "Sequence")

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
    """`*name`. `target` is the node anchored above it, None where that lies outside the text that was parsed.

    `value` is that of a scalar target: a key that is written as an alias is a key like any other.
    """

    __slots__ = ("end", "name", "start", "target", "value")

    anchor = None
    tag = None

    def __init__(self, start: int, end: int, name: str, target: Node | None) -> None:
        self.start = start
        self.end = end
        self.name = name
        self.target = target
        # Read once, as a key is looked up by it.
        self.value: str | None = None if target is None else target.value


class Collection:
    """A mapping or a sequence. `kids` of a mapping alternate key and value.

    `first` is where the first key, dash or, in flow style, the opening bracket stands, behind anchor and tag; `column`
    is its column.
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
    """Keys and values in the order of the text. `entries` has the value of each key by its text, None for no scalar."""

    __slots__ = ("entries",)

    entries: dict[str | None, Node]

    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Yield every key with its value, as written: `<<` is a key like any other here."""
        kids = iter(self.kids)
        return zip(kids, kids, strict=True)

    def own(self, key: str) -> Node | None:
        """Return the value that this mapping itself writes for `key`."""
        return self.entries.get(key)

    def get(self, key: str) -> Node | None:
        """Return the value of `key`, its own or, failing that, one that `<<` merges in."""
        found = self.entries.get(key)
        # An own entry wins over one that is merged in, whatever their order.
        if found is not None or "<<" not in self.entries:
            return found
        for merged in self.merged():
            found = merged.get(key)
            if found is not None:
                return found
        return None

    def merge_key(self) -> Node | None:
        """Return the value of the key `<<`: one in quotes merges nothing in, unless a tag says so."""
        for key, value in self.pairs() if "<<" in self.entries else ():
            if key.value == "<<" and isinstance(key, Scalar) and _merges(key):
                return value
        return None

    def sources(self) -> list[Node]:
        """Return what `<<` merges in, as written: the one that wins first."""
        written = self.merge_key()
        source = resolved(written)
        if isinstance(source, Sequence):
            return source.kids
        return [] if written is None else [written]

    def merged(self) -> Iterator[Mapping]:
        """Yield the mappings that `<<` merges in, the one that wins first."""
        for source in self.sources():
            mapping = resolved(source)
            if isinstance(mapping, Mapping):
                yield mapping

    def is_plain(self) -> bool:
        """True if `items` has every entry: all keys are scalars, and each mapping that `<<` names is there."""
        keys_are_scalars = all(key.value is not None for key, _ in self.pairs())
        return keys_are_scalars and all(isinstance(resolved(source), Mapping) for source in self.sources())

    def items(self) -> Iterator[tuple[str, Node]]:
        """Yield every key that is a scalar with its value, those of `<<` last and only where not overridden."""
        entries = self.entries
        # Most mappings: their entries are in a dict already, by the parser.
        if "<<" not in entries and None not in entries:
            return iter(entries.items())  # type: ignore[arg-type]  # no key is None
        return self._merged_items()

    def _merged_items(self) -> Iterator[tuple[str, Node]]:
        merge_key = self.merge_key()
        found = {key.value: value for key, value in self.pairs() if key.value is not None and value is not merge_key}
        # Of `<<: [*a, *b]` the first one that has a key wins, as in YAML 1.1's merge type.
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


def _merges(key: Scalar) -> bool:
    return key.tag == _MERGE_TAG or (key.tag is None and key.style == "")


Node: TypeAlias = "Scalar | Alias | Mapping | Sequence"


def resolved(node: Node | None) -> Scalar | Mapping | Sequence | None:
    """Return what `node` stands for: itself, or what its alias names."""
    return node.target if isinstance(node, Alias) else node  # type: ignore[return-value]  # an anchor is never on an alias


def leaves(node: Node | Collection) -> Iterator[Scalar | Alias]:
    """Yield the scalars and aliases below `node`, or `node` itself, in the order of the text."""
    if isinstance(node, Collection):
        for kid in node.kids:
            yield from leaves(kid)
    else:
        yield node


def placed(node: Node | None, place: Place) -> Iterator[tuple[Place, Scalar | Mapping | Sequence]]:
    """Yield what a node at a place stands for, and all below that, each behind its place: aliases are followed."""
    # No recursion: each level of generators would be entered for each node.
    waiting = [(place, node)]
    while waiting:
        at, waits = waiting.pop()
        found = resolved(waits)
        if found is None:
            continue  # an alias of what is elsewhere
        yield at, found
        if isinstance(found, Mapping):
            waiting += [((*at, key), kid) for key, kid in found.items()][::-1]
        elif isinstance(found, Sequence):
            waiting += [((*at, number), kid) for number, kid in enumerate(found.kids)][::-1]


def at(node: Node | None, *steps: str | int) -> Scalar | Mapping | Sequence | None:
    """Return the node below `node` at a place, aliases and merge keys followed; None where it ends early.

    Each step goes into a mapping or a list: `at(root, "metadata", "name")`. Without steps it is `resolved`. A node that
    is a null is a node, not None.
    """
    node = resolved(node)
    for step in steps:
        # Nearly all steps are keys, and to call a function for each costs more than all else here.
        if isinstance(step, str):
            node = resolved(node.get(step)) if isinstance(node, Mapping) else None
        else:
            node = resolved(kid(node, step))
    return node


def text_at(node: Node | None, *keys: str) -> str | None:
    """Return the text of the scalar that `at` finds, without its quotes; None where no scalar is.

    Text is not typed: `8080`, `"8080"` and `on` give their characters, `~` gives "~", and an empty value gives "".
    Where a number or a null must not pass for a name, take `scalars.string_at`.
    """
    found = at(node, *keys)
    return None if found is None else found.value


def mapping_at(node: Node | None, *keys: str) -> Mapping | None:
    """Return the mapping that `at` finds; None where no mapping is."""
    found = at(node, *keys)
    return found if isinstance(found, Mapping) else None


def kid(node: Node | None, step: str | int) -> Node | None:
    """Return what one step of a place leads to, merge keys followed but `node` itself not."""
    if isinstance(node, Mapping) and isinstance(step, str):
        return node.get(step)
    if isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.kids):
        return node.kids[step]
    return None


def written_at(root: Node | None, place: Place) -> Node | None:
    """Return the node that is written at `place`, no alias followed, None where there is none."""
    for step in place:
        root = kid(root, step)
    return root


def list_elements(node: Node | None) -> list[Node]:
    """Return the elements of the list that `node` stands for, none where it is no list."""
    found = resolved(node)
    return found.kids if isinstance(found, Sequence) else []


# A tree that shows other scalars at some places: a copy of the ways there, which shares all the rest with the tree.


def overlaid(node: Node | None, scalars: Scalars) -> Node:
    """Return `node` with `scalars` at their places below it. Each place has to lead to something.

    What is shown there by an alias or `<<` is another scalar there alone. KeyError for a place that leads nowhere.
    """
    if () in scalars:
        return scalars[()]
    below: dict[str | int, Scalars] = {}
    for (step, *rest), scalar in scalars.items():
        below.setdefault(step, {})[tuple(rest)] = scalar
    node = resolved(node)
    if isinstance(node, Mapping):
        return _mapping(node, below)
    if isinstance(node, Sequence):
        return _sequence(node, below)
    raise KeyError(*below)


def _mapping(mapping: Mapping, below: dict[str | int, Scalars]) -> Mapping:
    copy = _copy(mapping)
    copy.entries = dict(mapping.entries)
    # One pass: a search for each of thousands of keys would take the square of their number.
    positions = {id(kid): number for number, kid in enumerate(mapping.kids)}
    for step, scalars in below.items():
        key = str(step)
        own = mapping.own(key)
        node = overlaid(mapping.get(key), scalars)
        copy.entries[key] = node
        # It is merged in by `<<`: an entry of its own shows here alone, and not where the anchor is.
        if own is None:
            copy.kids += Scalar(node.start, node.start, key, "", None, None), node
        else:
            copy.kids[positions[id(own)]] = node
    return copy


def _sequence(sequence: Sequence, below: dict[str | int, Scalars]) -> Sequence:
    copy = _copy(sequence)
    for step, scalars in below.items():
        copy.kids[int(step)] = overlaid(sequence.kids[int(step)], scalars)
    return copy


def _copy(collection: C) -> C:
    copy = type(collection)(
        collection.start, collection.first, collection.column, collection.flow, collection.anchor, collection.tag
    )
    copy.end = collection.end
    copy.kids = list(collection.kids)
    return copy
