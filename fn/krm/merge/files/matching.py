"""Matching of objects: which objects of the three sides are the same, and are merged.

The steps are those of docs/reference/merge.md, "Documents". Each step takes the objects that are left. It pairs two
objects only if there is no second candidate, apart from several objects with one identity. The position in a file alone
never pairs two objects, unless their texts are equal.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import product

from krm.merge import outcome, trees
from krm.merge.lists.likeness import HALF, MOST, common, in_order, leaves_of
from krm.resource import GENERATED_MARK, KPTFILE, UPSTREAM
from krm.results import ERROR, FnError, locate
from krm.vocabulary import assert_never
from krm.yamltree.nodes import Mapping, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Container, Hashable, Iterable, Iterator, Sequence
    from typing import Literal, TypeAlias

    from krm.file import Object
    from krm.merge.lists.likeness import Leaves
    from krm.merge.policy import Winner

    Side: TypeAlias = Literal["origin", "update", "local"]
    ObjectsBySide: TypeAlias = abc.Mapping[Side, Sequence[Object]]
    OriginPaths: TypeAlias = abc.Mapping[tuple[Side, str], str]
    """The path in origin of each file of update and local that has another path there."""
    How: TypeAlias = Literal[
        "text", "identity", "moved", "generated", "generated name", "but name", "name", "likeness", "content"
    ]
    """What two objects have in common: all, their identity, kind and name, `generated-by`, `generateName`, or content.

    Their content is all but the name, or half of it with the name, with the kind, or with neither.
    """
    Matches: TypeAlias = "dict[int, MatchedObjects]"
    Pair: TypeAlias = "tuple[MatchedObjects, MatchedObjects]"

STEPS_BY_IDENTITY: tuple[How, ...] = ("text", "identity", "moved")
BY_CONTENT: tuple[How, ...] = ("but name", "name", "likeness", "content")
"""The steps that guess which objects are one."""

SIDES: tuple[Side, ...] = ("origin", "update", "local")
STEPS: tuple[How, ...] = (*STEPS_BY_IDENTITY, "generated", "generated name", *BY_CONTENT)

# Both sides are compared with origin first. They are compared with each other for objects that origin lacks.
_ROUTES: tuple[tuple[Side, Side], ...] = (("origin", "update"), ("origin", "local"), ("update", "local"))
_RBAC = "rbac.authorization.k8s.io"
_KPT_MERGE = r"(?m)^ *metadata: *# *kpt-merge: *([^/\s]*)/(\S+)"
# kpt's word for an unknown part, and the namespace of an object that names none.
_UNSAID = ("~C", "default")
_ANYTHING = ""
_NAMELESS = (
    "both sides changed documents without a kind or a name, and nothing tells which is which: merge this file by "
    "lines, with `git merge-file`"
)
_OTHER_LIST = "one side put this object into a list, or took it out of one, and only lines show where it is to be"
_SEVERAL_OF_A_NAME = (
    "update or local has this object several times, and nothing tells which of them are one: let each have it once"
)
_SEVERAL = 2 * len(SIDES) + 1  # two matches have six objects at most
_IDENTITY_FIELDS = ("apiVersion", "kind", "metadata")


class MatchedObjects:
    """One object on the three sides, and how its sides were matched. The sides `alike` have the same text."""

    def __init__(self, side: Side, found: Object) -> None:
        self.objects: dict[Side, Object] = {side: found}
        self.how: How = "text"
        self.alike = {side}

    def take(self, other: MatchedObjects, how: How) -> None:
        """Add the objects of another match, found by the step `how`. The weakest step of both matches is kept."""
        self.objects |= other.objects
        self.how = max(self.how, other.how, how, key=STEPS.index)
        self.alike = self.alike | other.alike if how == "text" else max(self.alike, other.alike, key=len)

    @property
    def changed_side(self) -> Winner | None:
        """The only side that changed the text of an object, local if none did; None if both did, or a side lacks it."""
        if len(self.objects) < len(SIDES) or len(self.alike) == 1:
            return None
        return "local" if "update" in self.alike else "update"

    @property
    def is_mixed(self) -> bool:
        """True if some sides are JSON, and others are not."""
        return len({found.document.file.is_json for found in self.objects.values()}) > 1

    @property
    def is_a_guess(self) -> bool:
        """True if both sides changed the object and have different names for it, so that only its content matches."""
        if self.how not in BY_CONTENT or len(self.objects) < len(SIDES):
            return False
        is_renamed = self.objects["update"].head.name != self.objects["local"].head.name
        return is_renamed and len({found.text for found in self.objects.values()}) == len(SIDES)

    @property
    def named(self) -> str:
        """The name of the object on each side, for messages."""
        refs = {side: str(self.objects[side].resource.ref) for side in SIDES if side in self.objects}
        return ", ".join(f"{side} {ref or 'one without a kind'}" for side, ref in refs.items())

    @property
    def first(self) -> Object:
        """Local's object, else update's, else origin's."""
        return next(self.objects[side] for side in reversed(SIDES) if side in self.objects)


def matched(objects: ObjectsBySide, steps: Iterable[How], paths: OriginPaths | None = None) -> list[MatchedObjects]:
    """Return the matches of all objects: local's first, in their order.

    With `paths` the objects of a side are in several files. Each step first compares objects of one file: an
    overlay has objects of the same names as its base. Objects without a name are compared only there.
    """
    matches: Matches = {id(found): MatchedObjects(side, found) for side, listed in objects.items() for found in listed}
    for step in _steps(objects, steps, paths, _Likeness(objects, matches)):
        for one, other in _ROUTES:
            ones, others = (
                [matches[id(each)] for each in objects[side] if lacking not in matches[id(each)].objects]
                for side, lacking in ((one, other), (other, one))
            )
            for match, found in step.pairs(one, other, ones, others):
                if match.objects.keys().isdisjoint(found.objects):
                    match.take(found, step.how)
                    matches |= {id(each): match for each in match.objects.values()}
    ordered = (matches[id(each)] for side in reversed(SIDES) for each in objects[side])
    return [*dict.fromkeys(ordered)]


def by_object(matches: Iterable[MatchedObjects]) -> dict[int, MatchedObjects]:
    """Return the match of each object, by the `id()` of the object."""
    return {id(found): match for match in matches for found in match.objects.values()}


def check(matches: list[MatchedObjects]) -> None:
    """Raise FnError if the base rule could put an object into a file twice, or nothing tells which objects are one."""
    documents = [(match, found) for match in matches for found in match.objects.values()]
    elements = [(id(match), each) for match, found in documents for each in found.document.elements() or ()]
    # The list that each object is in, None for a document of its own. A list is merged as one document.
    lists: dict[Hashable, int | None] = {identity(found): None for _, found in documents if elements}
    for own, each in elements:
        if is_named(each) and lists.setdefault(identity(each), own) != own:
            raise _refused(each, _OTHER_LIST)
    alone = {
        side: found
        for match in reversed(matches)
        if len(match.objects) == 1
        for side, found in match.objects.items()
        if not is_named(found)
    }
    # Origin's would be deleted, and update's and local's would both be in the file.
    if len(alone) == len(SIDES):
        raise _refused(alone["local"], _NAMELESS)


def check_overlay(matches: list[MatchedObjects]) -> None:
    """Raise FnError if local has an object of update's, but nothing tells which: by these rules no match is a guess."""
    known = {identity(match.objects["local"]) for match in matches if "local" in match.objects}
    for match in matches:
        if match.objects.keys() == {"update"} and match.first.head.name and identity(match.first) in known:
            raise _refused(match.first, _SEVERAL_OF_A_NAME)


def _refused(found: Object, problem: str) -> FnError:
    result = found.resource.result(problem, ERROR, outcome.REFUSED)
    result.file = found.document.file.name
    locate(result, found.lines())
    return FnError(result)


def _steps(
    objects: ObjectsBySide, steps: Iterable[How], paths: OriginPaths | None, likeness: _Likeness
) -> Iterator[_Step]:
    """Yield the steps. If there are several files, each step is first done in each file, and then across files."""
    places = {
        id(found): "" if paths is None else paths.get((side, path := found.document.file.path), path)
        for side, listed in objects.items()
        for found in listed
    }
    counts = Counter((side, places[id(found)]) for side, listed in objects.items() for found in listed)
    singles = {place for _, place in counts} - {place for (_, place), count in counts.items() if count > 1}
    # The file comes first, since an overlay has objects of the same names as its base. But the same name in another
    # file counts more than a likeness in one file. So each step is done within and across files before the next one.
    for step in steps:
        yield _Step(step, likeness, places, singles)
        if paths is not None and step != "text":
            yield _Step(step, likeness, {}, ())


class _Step:
    """A step of the matching, in each file by itself or among all objects."""

    def __init__(
        self, how: How, likeness: _Likeness, places: abc.Mapping[int, str], singles: Container[str | None]
    ) -> None:
        """Take a step. `places` are the files of the objects, by `id()`: none for a step across all files.

        `singles` are the files that have at most one object on each side.
        """
        self.how = how
        self._likeness = likeness
        self._singles = singles
        self._places = places

    def pairs(self, one: Side, other: Side, left: list[MatchedObjects], right: list[MatchedObjects]) -> Iterator[Pair]:
        """Yield the pairs of matches that become one: those with one key, if neither side has a second candidate.

        If both sides have equally many objects of one identity, those with most in common are paired, in their order.
        """
        ones, others = self._by_key(one, left), self._by_key(other, right)
        for key, these in ones.items():
            those = others.get(key, [])
            # Among equal texts it makes no difference which ones are paired.
            if self.how == "text":
                yield from zip(these, those, strict=False)
            elif self.how == "identity" and len(these) == len(those) > 1:
                this, that = (
                    [_leaves_of(match.objects[side]) for match in each] for side, each in ((one, these), (other, those))
                )
                yield from ((these[i], those[j]) for i, j in in_order(this, that, HALF))
            elif len(these) * len(those) <= MOST:
                agreed = [pair for pair in product(these, those) if self._agree(*pair, one, other)]
                times = Counter(id(match) for pair in agreed for match in pair)
                yield from (pair for pair in agreed if all(times[id(match)] == 1 for match in pair))

    def _agree(self, this: MatchedObjects, that: MatchedObjects, one: Side, other: Side) -> bool:
        """True if two objects with one key may be one.

        Without an origin nobody has moved or renamed an object. Then two objects differ, unless one of them only lacks
        its namespace: it may have been applied with `-n`.
        """
        a, b, has_origin = this.objects[one], that.objects[other], one == "origin"
        match self.how:
            case "text" | "identity" | "generated" | "generated name":
                return True
            case "moved":
                return has_origin or (a.head.group == b.head.group and "" in (a.head.namespace, b.head.namespace))
            case "but name":
                is_in_place = self._likeness.above(a, one, other) is self._likeness.above(b, other, one)
                return has_origin and is_in_place and bool(_leaves_of(a))  # a ServiceAccount often has nothing else
            case "name" | "content":
                return has_origin and self._likeness.of(a, b)
            case "likeness":
                return has_origin and (self._likeness.of(a, b) or (self._is_single(a) and _may_be_one(a, b)))
            case _:
                return assert_never(self.how)

    def _by_key(self, side: Side, matches: list[MatchedObjects]) -> dict[Hashable, list[MatchedObjects]]:
        found: dict[Hashable, list[MatchedObjects]] = {}
        for match in matches:
            key = self._key_and_place(match.objects[side])
            if key is not None:
                found.setdefault(key, []).append(match)
        return found

    def _key_and_place(self, found: Object) -> Hashable | None:
        key = _key(self.how, found)
        if key is None or (not self._places and not is_named(found)):
            return None
        return self._places.get(id(found)), "" if self.how == "likeness" and self._is_single(found) else key

    def _is_single(self, found: Object) -> bool:
        return self._places.get(id(found)) in self._singles


def is_named(found: Object) -> bool:
    """True if an object has a name. A kustomization often has none, and values of Helm never have one."""
    head = found.head
    return bool(head.kind and (head.name or text_at(head.root, "metadata", "generateName")))


def _key(step: How, found: Object) -> Hashable | None:  # noqa: PLR0911 - one for each step
    """Return the key of an object in a step, None if it has none."""
    if step == "text":  # of objects that are equal nothing has to be read
        return found.text
    head = found.head
    match step:
        case "identity":
            return identity(found)
        case "moved":
            return (head.kind, head.name) if head.name else None
        case "generated":
            return head.annotations.get(GENERATED_MARK)
        case "generated name":
            name = text_at(head.root, "metadata", "generateName")
            return (head.kind, name) if name and not head.name else None
        case "but name":
            return re.sub(rf"\bname\W+{re.escape(head.name)}\b", "", found.text, count=1) if head.name else None
        case "name":
            return (head.namespace, head.name) if head.name else None
        case "likeness":
            return head.kind
        case "content":
            return _ANYTHING
        case _:
            return assert_never(step)


def identity(found: Object) -> Hashable | None:
    """Return group, kind, namespace and name: those of the upstream if kpt has noted them."""
    resource = found.head
    if not isinstance(resource.root, Mapping):
        return ()
    if resource.kind == KPTFILE:  # a user gives a package another name
        return (KPTFILE,)
    # If the user renames a resource, kpt notes the upstream's name, by which it is still the same.
    upstream = resource.annotations.get(UPSTREAM)
    if upstream is not None:
        parts = upstream.split("|")
    else:
        noted = re.search(_KPT_MERGE, found.text) if found.resource.spells("kpt-merge") else None
        namespace, name = (resource.namespace, resource.name) if noted is None else noted.groups()
        if not name and text_at(resource.root, "metadata", "generateName"):
            return None
        parts = [resource.group, resource.kind, namespace, name]
    return tuple("" if part in _UNSAID else part for part in parts)


class _Likeness:
    """The likeness of objects: what two have in common, without what others of their kind in a file have, too."""

    def __init__(self, objects: ObjectsBySide, matches: Matches) -> None:
        """Take all objects, and their matches. The caller keeps these up to date."""
        self._objects = objects
        self._matches = matches
        self._holders: dict[Hashable, dict[Hashable, list[int]]] = {}

    def of(self, one: Object, other: Object) -> bool:
        """True if two objects are alike: half of all leaves outside of apiVersion, kind and metadata are equal.

        So are half of the leaves that no third object of their kind in their files has. Bindings need one `roleRef`.
        """
        ones, others = _leaves_of(one), _leaves_of(other)
        if not _have_one_role(one, other) or common(ones, others) < HALF:
            return False
        shared = frozenset(leaf for leaf in ones | others if self._has_third(leaf, one, other))
        return common(ones - shared, others - shared) >= HALF

    def above(self, found: Object, own: Side, other: Side) -> MatchedObjects | None:
        """Return the next object above in the file that the `other` side has, too, None if there is none."""
        objects = self._objects[own]
        above = (one for one in reversed(objects[: objects.index(found)]) if one.document.file is found.document.file)
        matches = (self._matches[id(each)] for each in above)
        return next((match for match in matches if other in match.objects), None)

    def _has_third(self, leaf: Hashable, one: Object, other: Object) -> bool:
        """True if a third object has a leaf. One of the remaining side may be the same, with its own new name."""
        pair = [self._matches[id(each)] for each in (one, other)]
        sides = {side for match in pair for side in match.objects}
        holders = (
            self._matches[holder]
            for place in {_place_and_kind(one), _place_and_kind(other)}
            for holder in self._holders_at(place).get(leaf, ())
        )
        return any(match not in pair and not sides.isdisjoint(match.objects) for match in holders)

    def _holders_at(self, place: Hashable) -> dict[Hashable, list[int]]:
        """Return the objects of a kind in a file that have each leaf: as many as are needed to find a third one."""
        if place not in self._holders:
            holders = self._holders[place] = {}
            for match in {id(match): match for match in self._matches.values()}.values():
                for found in match.objects.values():
                    for leaf in _leaves_of(found) if _place_and_kind(found) == place else ():
                        holders[leaf] = [*holders.get(leaf, ()), id(found)][:_SEVERAL]
        return self._holders[place]


def _place_and_kind(found: Object) -> tuple[str, str]:
    return found.document.file.path, found.head.kind


def _may_be_one(one: Object, other: Object) -> bool:
    """True if the only objects of two files may be one by kind, name or a leaf; of two roles, by half of all leaves."""
    has_one_role = _have_one_role(one, other)
    if has_one_role and (one.head.kind == other.head.kind or one.head.name == other.head.name):
        return True
    share = common(_leaves_of(one), _leaves_of(other))
    return share > 0 if has_one_role else share >= HALF


def _have_one_role(one: Object, other: Object) -> bool:
    """True unless two bindings have different roles: no API server allows to change the role of a binding."""
    roles = (trees.entries(each.resource.root).get("roleRef") for each in (one, other))
    return one.head.group != _RBAC or len({*map(trees.frozen, roles)}) == 1


def _leaves_of(found: Object) -> Leaves:
    return leaves_of(found.resource.root, but=_IDENTITY_FIELDS)
