"""The mirror of a resource: its fields, each with a short hash in the place of its value.

The state has the mirror of each generated resource (docs/reference/generated-resources.md, "The state"): a key for
each key and for each element of a list, sorted. So git merges a mirror as it merges the resource.

    replicas: 2                 containers:
    containers:                   name=web: {image: plhkfi, name: gmdcno}
    - name: web                 replicas: nehdfj
      image: nginx
"""

from __future__ import annotations

import re
from functools import lru_cache

from krm import fieldpath
from krm.fieldpath import WILDCARD, Match
from krm.generation.settings import is_of_tools
from krm.merge import trees
from krm.resource import PERSONS
from krm.yamltree import parser, scalars
from krm.yamltree.nodes import Mapping, Scalar, Sequence, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Literal, TypeAlias

    from krm.fieldpath import FieldPath, Place, Segment, Sign
    from krm.generation.settings import Identity
    from krm.yamltree.nodes import Node

    TemplateChange: TypeAlias = Literal["other", "gone", "unknown"]
    Mirror: TypeAlias = "dict[str, str | Mirror]"
    MirroredField: TypeAlias = tuple[str, str | Sign, Node]
    HashedLeaf: TypeAlias = tuple[tuple[str, ...], str]
    TemplateLeaf: TypeAlias = tuple[Place, Mirror, str, FieldPath, Scalar]

# YAML takes no simple key of more than 1,024 characters: such a field has no origin.
_LONGEST_KEY = 1000
_LONGEST_NAME = 253
# The state has these fields in clear text.
_IDENTITY: dict[FieldPath, tuple[str, ...]] = {(): ("apiVersion", "kind"), ("metadata",): ("name", "namespace")}
PARTLY_MIRRORED: tuple[FieldPath, ...] = ((), trees.ANNOTATIONS[:1], trees.ANNOTATIONS)
"""The paths of the mappings that also have fields outside of the mirror."""
# Letters alone: no reader takes a hash for a number. In capitals it is one of a secret.
_PLAIN, _SECRET = (str.maketrans("0123456789abcdef", letters) for letters in ("abcdefghijklmnop", "ABCDEFGHIJKLMNOP"))
_LENGTH = 6
_HASHES = "[A-Za-z]+(?:[ /][A-Za-z]+)*"
_REFERENCE = re.compile(r"\$\([^)]*\)")
_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^']|'')*'"""
_HOLDS_MORE = re.compile(r" *[^ #]")
_HEAD = re.compile(rf"(?:  )*({_QUOTED}|[^\"'\s].*?):(?: |$)")
_PAIR = re.compile(rf"({_QUOTED}|[^\"'\s,:{{}}][^,:{{}}]*): ({_HASHES})(?:, |$)")


_key = lru_cache(8192)(scalars.leaf)

GENERATED = "generated"
"""The key of the identity in an entry of the state, beside the fields of the resource."""


class Mirrored:
    """The mirror of a resource: its `fields`. `named` are the paths of the elements with names.

    `references` are the texts with a reference, in order: the place of each, the mirror around it, its key there, and
    its path.
    """

    def __init__(self) -> None:
        self.fields: Mirror = {}
        self.references: list[TemplateLeaf] = []
        self.named: set[FieldPath] = set()


class Mirroring:
    """The maker of the mirror of one resource. What it has at a place `is_secret` or not."""

    def __init__(self, identity: Identity, is_secret: Callable[[FieldPath], bool] = lambda _: False) -> None:
        self._identity = "/".join(identity)
        self.is_secret = is_secret

    def of(self, root: Node | None, like: Mirror | None = None) -> Mirrored:
        """Return the mirror of a resource; one that is `like` another has the same secrets."""
        mirrored = Mirrored()
        mirrored.fields = self._fields(mirrored, self.parts(root, ()), (), (), like)
        return mirrored

    def _fields(
        self, whole: Mirrored, parts: list[MirroredField], place: Place, path: FieldPath, like: Mirror | None
    ) -> Mirror:
        made: Mirror = {}
        for number, (key, step, kid) in enumerate(parts):
            at, segment = (step, step) if isinstance(step, str) else (number, element(key))
            here, named = (*place, at), (*path, segment)
            if isinstance(segment, Match):
                whole.named.add(named)
            parts_below = [] if isinstance(kid, Scalar) else self.parts(kid, here)
            if parts_below:
                made[key] = self._fields(whole, parts_below, here, named, None if like is None else below(like, key))
            else:
                hides = self.is_secret(here) if like is None else is_secret(like.get(key, {}))
                made[key] = self.secret(kid, named) if hides else plain(kid)
            if isinstance(kid, Scalar) and "$" in kid.value:
                whole.references.append((here, made, key, named, kid))
        return made

    def parts(self, node: Node | None, path: FieldPath) -> list[MirroredField]:
        """Return what is in a collection: its key in the mirror, the step to it, and its node; [] for a leaf."""
        node = resolved(node)
        if isinstance(node, Sequence) and node.tag is None:
            return [(key, WILDCARD, kid) for key, kid in zip(self._keys(node.kids, path), node.kids, strict=True)]
        if not isinstance(node, Mapping) or node.tag is not None:
            return []
        entries = sorted(trees.entries(node).items())
        if path in PARTLY_MIRRORED:
            entries = [(key, kid) for key, kid in entries if self._is_mirrored(key, kid, path)]
        return [(called, key, kid) for key, kid in entries if (called := of_key(key)) is not None]

    def secret(self, node: Node | None, path: FieldPath) -> str:
        """Return the hash of a leaf that is secret."""
        # Over the identity too, so that two Secrets with one password do not show it.
        general = fieldpath.to_text(fieldpath.general(path))
        return _hash("\0".join((self._identity, general, _of_leaf(node)))).translate(_SECRET)

    def _is_mirrored(self, key: str, node: Node, path: FieldPath) -> bool:
        if key in _IDENTITY.get(path, ()) or (path == trees.ANNOTATIONS and is_of_tools(key)):
            return False
        # What says nothing but the identity, or annotations of tools, is no field that somebody generates.
        return (*path, key) not in PARTLY_MIRRORED or bool(self.parts(node, (*path, key)))

    def _keys(self, kids: list[Node], path: FieldPath) -> list[str]:
        """Return what the elements of a list are called: by their names where each has one, else by their numbers."""
        names = [scalars.string_at(kid, "name") or "" for kid in kids if not isinstance(kid, Scalar)]
        is_named = len({*names}) == len(kids) and all(0 < len(name) <= _LONGEST_NAME for name in names)
        if not is_named or self.is_secret((*path, WILDCARD, "name")):
            return [str(number) for number in range(len(kids))]
        return [f"name={name}" for name in names]


def is_list(fields: Mirror) -> bool:
    """True if what is mirrored is a list."""
    return all(map(_is_element, fields))


def step(key: str) -> str:
    """Return the key in a mapping that a key of its mirror stands for."""
    return key[1:] if key.startswith(".") and _is_element(key.lstrip(".")) else key


def written(mirror: Mirror) -> str:
    """Return the text of a mirror, a line for each field of the resource, empty if it has none."""
    return "\n".join(_block(mirror, ""))


def of_node(node: Node | None) -> str | Mirror:
    """Return a node as a mirror. It is not checked."""
    if isinstance(node, Mapping):
        return {key: of_node(value) for key, value in trees.entries(node).items()}
    return node.value if isinstance(node, Scalar) else ""


@lru_cache(1)  # a merge asks several times, and changes nothing of it
def read(text: str) -> tuple[Mirror, bool]:
    """Return the mirror of a text by `written`, and True if a part of the text is damaged.

    A field that cannot be read, or is there twice, counts as a person's: nobody knows what was generated.
    """
    made: Mirror = {}
    parents: tuple[str, ...] = ()
    is_damaged = False
    empty: set[tuple[str, ...]] = set()  # keys with nothing below them
    for line in filter(_HOLDS_MORE.match, text.split("\n")):
        level, key, leaves = _of_line(line)
        if level > len(parents):
            key = leaves = None
        parents = parents[:level]
        path = parents if key is None else (*parents, key)
        empty -= {path, path[:-1]}
        if leaves == [] and not line.endswith("}"):
            parents = path
            empty.add(path)
        for below, leaf in [((), PERSONS)] if leaves is None else leaves:
            is_damaged |= not _put(made, (*path, *below), leaf)
        is_damaged |= leaves is None
    for path in empty:
        _put(made, path, PERSONS)
    return made, is_damaged or bool(empty)


def _put(made: Mirror, path: tuple[str, ...], leaf: str) -> bool:
    """Put a leaf into a mirror. False if another leaf is there, or above, or below: nobody knows which is right."""
    for number, key in enumerate(path, start=1):
        is_last = number == len(path)
        if is_last and key not in made:
            made[key] = leaf
            return True
        below = PERSONS if is_last else made.setdefault(key, {})
        if isinstance(below, str):
            made[key] = PERSONS
            break
        made = below
    return False


@lru_cache(8192)  # most lines of a thousand mirrors are the same
def _of_line(line: str) -> tuple[int, str | None, list[HashedLeaf] | None]:
    """Return the level of a line, its key, and its leaves: none if they are in the lines below, or behind `{}`.

    The key is None for a line of another form. The leaves are None if they cannot be read.
    """
    level = (len(line) - len(line.lstrip(" "))) // 2
    head = _HEAD.match(line)
    if head is None or head[1] == GENERATED:
        return level, None, None
    behind = line[head.end() :]
    if not behind:
        return level, _unquoted(head[1]), []
    if re.fullmatch(_HASHES, behind):
        return level, _unquoted(head[1]), [((), behind)]
    leaves: list[HashedLeaf] = []
    position, stop = 1, len(behind) - 1
    while behind[0] == "{" and behind[-1] == "}" and position < stop:
        pair = _PAIR.match(behind, position, stop)
        if pair is None:
            return level, _unquoted(head[1]), None
        leaves.append(((_unquoted(pair[1]),), pair[2]))
        position = pair.end()
    return level, _unquoted(head[1]), leaves if leaves or behind == "{}" else None


def _unquoted(key: str) -> str:
    return str(scalars.data(parser.parse(key).root)) if key[0] in "\"'" else key


def is_secret(leaf: str | Mirror) -> bool:
    """True for the hash of a secret."""
    return isinstance(leaf, str) and template_of(leaf).isupper()


def pair(written: Node, template: Node) -> str:
    """Return the hashes of the text that was written into a leaf, and of its template if it differs, line by line.

    If a value has several lines, the first line has the hash of the whole written text.
    """
    ones, others = plain(written).split(" "), plain(template).split(" ")
    if len(ones) != len(others):
        ones = [whole(written), *others[1:]]
    return " ".join(one if one == other else f"{one}/{other}" for one, other in zip(ones, others, strict=True))


def units(leaf: str) -> list[tuple[str, str]]:
    """Return the two hashes of each line of a leaf: of the written text, and of the template."""
    return [(unit.partition("/")[0], unit.rpartition("/")[2]) for unit in leaf.split(" ")]


def template_of(leaf: str) -> str:
    """Return the hash of the template of a leaf."""
    return " ".join(own for _, own in units(leaf)) if "/" in leaf else leaf


def templates(mirrored: str | Mirror) -> str | Mirror:
    """Return a leaf, or a mirror, with the hashes of templates alone."""
    if isinstance(mirrored, str):
        return template_of(mirrored)
    return {key: templates(value) for key, value in mirrored.items()}


def has_persons(fields: str | Mirror) -> bool:
    """True if a leaf is a person's: nobody knows that it was generated."""
    return fields.startswith(PERSONS) if isinstance(fields, str) else any(map(has_persons, fields.values()))


def mark_persons(fields: Mirror, known: Mirror, local: Mirror) -> None:
    """Mark each field of a mirror as a person's in which local differs, if it is a person's in the `known` mirror.

    A field that is equal in local is known as generated from then on.
    """
    for key, value in fields.items():
        now, was = local.get(key), known.get(key, {})
        if isinstance(value, dict) and isinstance(now, dict) and not is_one_value(now, value):
            is_whole = has_persons(was) and is_one_value(was, value)
            mark_persons(value, with_persons({}, now) if is_whole else below(known, key), now)
        elif has_persons(was) and now not in (None, value):
            fields[key] = _of_a_person(value)


def with_persons(known: Mirror, local: Mirror) -> Mirror:
    """Return the `known` mirror with all that is a person's in local: that, too, which nobody has generated."""
    marked = {**known}
    for key, now in local.items():
        was = known.get(key)
        if isinstance(was, dict) and isinstance(now, dict) and not is_one_value(was, now):
            marked[key] = with_persons(was, now)
        elif was is None or has_persons(was):
            marked[key] = _of_a_person(now)
    return marked


def changed_for_persons(
    fields: Mirror, known: Mirror, update: Mirror, path: FieldPath = ()
) -> Iterator[tuple[FieldPath, TemplateChange]]:
    """Yield the paths of `fields` that are a person's, and have another template now, with the kind of the change.

    `known` is the mirror of the fields with all that is a person's.
    """
    for here, key, was in _with_paths(fields, path):
        now, owner = update.get(key), known.get(key, PERSONS)
        if isinstance(was, dict) and now is not None and not is_one_value(was, now):
            yield from changed_for_persons(was, below(known, key), below(update, key), here)
        elif has_persons(owner) and (now is None or templates(was) != templates(now)):
            # A damaged leaf does not have the hash of its old template.
            is_damaged = has_persons(templates(was))
            yield here, "unknown" if is_damaged else "gone" if now is None else "other"


def is_one_value(known: str | Mirror, update: str | Mirror | None) -> bool:
    """True if a field is a person's only as a whole: a leaf, a list without names, or one with another form now."""
    if isinstance(known, str) or isinstance(update, str):
        return True
    # The elements of a list have numbers where they have no names.
    is_numbered = any(map(str.isdecimal, (*known, *(update or ()))))
    return is_numbered or (bool(update) and is_list(known) != is_list(update or {}))


def _of_a_person(mirrored: str | Mirror) -> str | Mirror:
    if isinstance(mirrored, dict):
        return {key: _of_a_person(value) for key, value in mirrored.items()}
    return " ".join(f"{PERSONS}/{unit}" for unit in mirrored.split(" "))


def below(fields: Mirror, key: str) -> Mirror:
    """Return what a mirror has below a key, nothing if that is no collection."""
    found = fields.get(key)
    return found if isinstance(found, dict) else {}


def leaves(fields: Mirror, path: FieldPath = ()) -> Iterator[tuple[FieldPath, str]]:
    """Yield the leaves behind their paths. An element of a list has its name there, or a wildcard."""
    for here, _, value in _with_paths(fields, path):
        if isinstance(value, dict):
            yield from leaves(value, here)
        else:
            yield here, value


def _with_paths(fields: Mirror, path: FieldPath) -> Iterator[tuple[FieldPath, str, str | Mirror]]:
    step_of = element if is_list(fields) else step
    return (((*path, step_of(key)), key, value) for key, value in fields.items())


def element(key: str) -> Segment:
    """Return the step to the element of a key of a mirror: a wildcard if it has no name, or a variable in it."""
    return Match("name", key.removeprefix("name=")) if key.startswith("name=") and "$" not in key else WILDCARD


def _block(mirror: Mirror, margin: str) -> list[str]:
    """Return the lines of a mirror. A mapping of hashes is on the line of its key."""
    lines: list[str] = []
    for key, value in mirror.items():
        head = f"{margin}{_key(key, flow=False)}:"
        if isinstance(value, str):
            lines.append(f"{head} {value}")
        elif dict in map(type, value.values()):
            lines += [head, *_block(value, f"{margin}  ")]
        else:
            lines.append(f"{head} {{{', '.join([f'{_key(one, flow=True)}: {leaf}' for one, leaf in value.items()])}}}")
    return lines


def plain(node: Node | None) -> str:
    """Return the hash of a leaf that is no secret."""
    return _plain(_of_leaf(node))


def whole(node: Node | None) -> str:
    """Return the hash of a leaf that is no secret, as if it were one line."""
    return _plain(_of_leaf(node).replace("\n", "\0"))


def _of_leaf(node: Node | None) -> str:
    """Return the text that is hashed for a leaf: a scalar, or a collection that is empty or has a tag."""
    node = resolved(node)
    if isinstance(node, Scalar):
        return _of_scalar(node.value, node.style, node.tag)
    inside = "" if node is None else f"{node.tag}{[*map(_of_leaf, node.kids)]}"
    return f"\0{type(node).__name__}\0{inside}"


@lru_cache(8192)  # most values of a thousand resources are the same
def _of_scalar(value: str, style: str, tag: str | None) -> str:
    """Return the text that is hashed for a scalar, line by line."""
    kind, data = scalars.typed_by_1_1(Scalar(0, 0, value, style, None, tag))
    # Without quotes a reference takes the type of its value.
    if style == "" and tag is None and _REFERENCE.fullmatch(value):
        kind = "reference"
    # Any other value than a text is hashed as one line: only lines of a text are merged one by one.
    return value if kind is str else f"\0{kind}\0{data}".replace("\n", "\0")


@lru_cache(4096)
def of_key(key: str) -> str | None:
    """Return the key of an entry in a mirror, None for one that is too long."""
    if len(key) > _LONGEST_KEY:
        return None
    return f".{key}" if _is_element(key.lstrip(".")) else key


def _is_element(key: str) -> bool:
    """True if a key looks like that of an element. Such a key of a mapping gets a dot in front."""
    return key.isdecimal() or key.startswith("name=") or key == GENERATED


@lru_cache(8192)  # most values of a thousand resources are the same
def _plain(text: str) -> str:
    """Return the hashes of the lines of a text."""
    return " ".join(_hash(line).translate(_PLAIN) for line in text.split("\n"))


def _hash(text: str) -> str:
    from hashlib import sha256  # noqa: PLC0415 - most runs need none

    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:_LENGTH]
