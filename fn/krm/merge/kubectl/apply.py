"""`strategy: Apply`: the merge of `kubectl apply`, of what was applied last, what is applied now, and what is live.

kubectl does not decide field by field. It makes a patch of two differences, which a server applies. If several elements
have one key, a change of one may get to another. `strategic`, or a JSON merge patch (RFC 7386) for kinds whose types
kubectl does not know, computes the merged data, and these are laid on the nodes of local and update.
"""

from __future__ import annotations

from krm import fieldpath
from krm.merge import trees
from krm.merge.kinds import facts
from krm.merge.kinds.schema import ListRule
from krm.merge.kubectl import godata, strategic
from krm.merge.kubectl.strategic import DIRECTIVES
from krm.merge.outcome import NO_LONGER_APPLIED, Merged, Note, Refused
from krm.merge.replacing import Replacing
from krm.resource import LAST_APPLIED, is_bookkeeping
from krm.yamltree import scalars
from krm.yamltree.nodes import Mapping, Sequence, at, placed, resolved

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from krm.fieldpath import FieldPath, Place
    from krm.merge.kinds.schema import Schema
    from krm.merge.kubectl.godata import Data, GoMap
    from krm.merge.replacing import Amended
    from krm.merge.trees import Tree
    from krm.yamltree.nodes import Node

_NOT_THERE = "kubectl applied this last, and update no longer has it: it is deleted"
_SAME_KEY = "update has this, but kubectl deletes it with another element of the same key"


def apply(origin: Tree, update: Tree, local: Tree, schema: Schema) -> Merged:
    """Return the merge. Without an origin, it is taken from the annotation of kubectl in local.

    An object that local lacks is created. One that update lacks stays. Refused if kubectl would refuse it, or if a side
    has directives of a patch.
    """
    remembered = godata.last_applied(local) if origin.root is None else None
    origin = remembered or origin
    for tree in (origin, update, local):
        _refuse_directives(tree)
        if not isinstance(resolved(tree.root), Mapping | None):
            raise Refused((), "this is no object, and kubectl applies only objects", tree)
    _refuse_odd_metadata(update)
    if update.root is None:
        return Merged(local.root, [], [])
    try:
        answer = _applied(origin, update, local, schema)
        wanted = _Laying(update, local).laid(None, answer, update.root, local.root)
    except Refused as reason:
        raise _located(reason, (update, local, origin), schema) from None
    gone = [] if remembered is None else no_longer_applied(remembered, local, answer, schema, godata.data(update.root))
    return Merged(wanted, [], [*gone])


def no_longer_applied(origin: Tree, local: Tree, answer: Data, schema: Schema, update: Data = None) -> Iterator[Note]:
    """Yield a note for each deletion that follows from what was applied last.

    By kubectl's rules an element that `update` has is deleted with another one of the same key.
    """
    live = godata.data(local.root)
    there = {*_deleted_places(update, live, answer, (), schema)}
    for place in _deleted_places(godata.data(origin.root), live, answer, (), schema):
        is_there = place in there and isinstance(place[-1], int)
        yield Note(NO_LONGER_APPLIED, fieldpath.named(local.root, place), _SAME_KEY if is_there else _NOT_THERE)


def _refuse_directives(tree: Tree) -> None:
    """Raise Refused if a key is a directive of a patch: a 3-way merge would write it as data."""
    if tree.root is None or "$" not in tree.text or not any(directive in tree.text for directive in DIRECTIVES):
        return
    for place, node in placed(tree.root, ()):
        for key, _ in node.items() if isinstance(node, Mapping) else ():
            if key.startswith(DIRECTIVES):
                path = (*fieldpath.named(tree.root, place), key)
                message = "is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches"
                raise Refused(path, f"`{key}` {message}", tree)


def _refuse_odd_metadata(update: Tree) -> None:
    """Raise Refused for metadata of update that kubectl cannot read."""
    for path in (trees.ANNOTATIONS[:1], trees.ANNOTATIONS):
        node = at(update.root, *path)
        if not isinstance(node, Mapping | None) and not scalars.is_null(node):
            raise Refused(path, "this must be a mapping: kubectl cannot read the object otherwise", update)


def _applied(origin: Tree, update: Tree, local: Tree, schema: Schema) -> Data:
    if local.root is None:
        return strategic.without_nulls(godata.data(update.root))
    live = godata.data(local.root)
    before, now = (_config(tree, live) for tree in (origin, update))
    # For a kind whose types are not compiled into it, kubectl sends a JSON merge patch.
    if facts.is_registered(schema.group):
        answer = strategic.patched(live, strategic.patch(before, now, live, schema.fact), schema.fact)
    else:
        answer = strategic.patched(live, json_patch(before, now, live), _without_facts)
    metadata = answer["metadata"]
    # The annotation is updated, but never added (docs/reference/merge.md, "As kubectl apply does").
    if LAST_APPLIED in metadata["annotations"]:
        metadata["annotations"][LAST_APPLIED] = godata.noted(now, before)
    # Empty annotations are those that kubectl would have filled with its own.
    if not metadata["annotations"] and _fields(live.get("metadata")).get("annotations") != {}:
        del metadata["annotations"]
    if not metadata and "metadata" not in live:
        del answer["metadata"]
    return answer


def _config(tree: Tree, live: GoMap) -> GoMap:
    """Return an applied object as kubectl completes it: with annotations, and with the namespace of the live object.

    kubectl takes a null annotation for an empty text, and drops all annotations if one is no string. Bookkeeping of
    orchestrators is not applied.
    """
    config = _fields(godata.data(tree.root))
    metadata = _fields(config.get("metadata"))
    annotations = {key: "" if value is None else value for key, value in _fields(metadata.get("annotations")).items()}
    if not all(isinstance(value, str) for value in annotations.values()):
        annotations = {}
    annotations = {key: value for key, value in annotations.items() if not is_bookkeeping(key)}
    namespace = {key: value for key, value in _fields(live.get("metadata")).items() if key == "namespace"}
    return {**config, "metadata": {**namespace, **metadata, "annotations": annotations}}


def _deleted_places(before: Data, live: Data, answer: Data, place: Place, schema: Schema) -> Iterator[Place]:
    """Yield the places in local of the fields that `before` and `live` have, and the answer has not."""
    if isinstance(before, list) and isinstance(live, list) and isinstance(answer, list):
        # By all keys, since one of 53/TCP and 53/UDP may be deleted, though they are one port to kubectl.
        rule = ListRule(schema.fact(place).keys or ("name",))  # by which most elements of other kinds are known, too
        places = {_known_by(rule, element): index for index, element in enumerate(live)}
        before, live, answer = (
            {_known_by(rule, element): element for element in side} for side in (before, live, answer)
        )
        before.pop(None, None)
    elif isinstance(before, dict) and isinstance(live, dict) and isinstance(answer, dict):
        places = {key: key for key in live}
    else:
        return
    for key in before.keys() & live.keys():
        if key in answer:
            yield from _deleted_places(before[key], live[key], answer[key], (*place, places[key]), schema)
        else:
            yield (*place, places[key])


def _known_by(rule: ListRule, element: Data) -> tuple[str, ...] | None:
    """Return the keys of an element, None if it lacks one of them."""
    found = [element.get(key, rule.defaults.get(key)) if isinstance(element, dict) else None for key in rule.keys]
    return None if None in found else tuple(map(str, found))


def _fields(value: Data) -> GoMap:
    return value if isinstance(value, dict) else {}


def _located(reason: Refused, sides: tuple[Tree, ...], schema: Schema) -> Refused:
    """Return a refusal with its side: the first one with something odd on the way to the place."""
    # The refused data may be a difference of two sides, or may be merged already: so the sides are searched again.
    odd = (side for side in sides if side.root is not None and _is_odd_on_the_way(side.root, reason.path, schema))
    return Refused(reason.path, str(reason), reason.tree or next(odd, None))


def _is_odd_on_the_way(root: Node, path: FieldPath, schema: Schema) -> bool:
    # Only the fields on the way: the fact of an element is that of its list.
    ways = (path[: length + 1] for length, segment in enumerate(path) if isinstance(segment, str))
    return any(_is_odd(node, schema, way) for way in ways for _, node in fieldpath.find(root, way))


def _is_odd(node: Node, schema: Schema, path: FieldPath) -> bool:
    """True for a node that kubectl cannot read or cannot merge, such as a list with an element that is there twice."""
    found = resolved(node)
    if isinstance(found, Mapping) and not found.is_plain():
        return True
    fact = schema.fact(path)
    if not fact.merges or scalars.is_null(found):
        return False
    key = fact.patch_key
    if not isinstance(found, Sequence):
        return bool(key)
    elements = [godata.data(kid) for kid in found.kids]
    known = [element.get(key) if isinstance(element, dict) else None for element in elements] if key else elements
    kinds, texts = {*map(type, elements)}, {(type(each), str(each)) for each in known}
    return None in known or list in kinds or len(kinds) > 1 or len(texts) < len(known)


class _Laying(Replacing):
    """Lays the data that kubectl writes on nodes: Go decides whether a node has them already."""

    def is_same(self, wanted: Data, tree: Tree, node: Node) -> bool:  # noqa: ARG002 - the side
        """True if Go reads the wanted data in a node."""
        return strategic.equal(wanted, godata.data(node))

    def amended(self, wanted: Data, update: Node | None, local: Node | None) -> Amended | None:
        """Return a collection with the wanted parts. Refused if Go cannot read one of its keys, which would go."""
        there = resolved(local)
        if isinstance(wanted, dict) and isinstance(there, Mapping) and not there.is_plain():
            roots = (self._local.root, self._update.root)
            place = next(place for root in roots for place, node in placed(root, ()) if node is there)
            raise Refused(place, "each key here must be a scalar: kubectl cannot read it otherwise")
        return super().amended(wanted, update, local)


def json_patch(origin: GoMap, update: GoMap, local: GoMap) -> GoMap:
    """Return the JSON merge patch for local: update's fields, and the deletion of fields that only origin has."""
    return strategic.patch(*_without_nulls(origin, update), local, _without_facts)


def _without_nulls(origin: GoMap, update: GoMap) -> tuple[GoMap, GoMap]:
    """Return origin and update of a JSON merge patch without nulls.

    A null of update's deletes a field, unless origin has it too: then it says nothing.
    """
    before, now = {**origin}, {**update}
    for key, value in update.items():
        if isinstance(value, dict):
            known = origin[key] if isinstance(origin.get(key), dict) else {}
            below, now[key] = _without_nulls(known, value)
            if known or below:
                before[key] = below
            if known and not (below or now[key]):
                del before[key], now[key]
        elif value is None:
            del now[key]
            # Any other value than null: update has deleted it.
            before[key] = True
            if key in origin and origin[key] is None:
                del before[key]
    return before, now


def _without_facts(_: FieldPath) -> facts.Fact:
    """Return the fact of any field for a JSON merge patch: mappings are merged, and nothing else is."""
    return facts.UNKNOWN
