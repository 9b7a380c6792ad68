"""The texts that variables take from items: keys of ConfigMaps and Secrets, and fields of objects.

docs/reference/expansion.md, "Variables from items".
"""

from __future__ import annotations

import re

from expand_vars.expansion.findings import near_key
from krm import fieldpath, secrets, syntax
from krm.vocabulary import nearest
from krm.yamltree.nodes import Mapping, Scalar, mapping_at, resolved
from krm.yamltree.scalars import typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from expand_vars.functionconfig.model import Source
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.template_comments.memory import Memory
    from krm.yamltree.nodes import Node


_NEEDS_HASH = "internal.config.kubernetes.io/needsHashSuffix"
# For fewer names a search of each text is faster than an index of all of them.
_MANY = 20


class SourceError(Exception):
    """The source has no text. The message says why, and which text would do."""


class AbsentError(SourceError):
    """The object, key or field is not there. An optional source may be absent."""


class NotFinalError(SourceError):
    """The text is not yet the one that the cluster will have."""


def is_secret(source: Source) -> bool:
    """True if the text of a source is secret: it is a key of a Secret. The fields that may be read are not secret."""
    return not source.field_path and source.kind == secrets.KIND


class SourceItems:
    """The items that the sources describe. An item is parsed only if its text has the name of the source."""

    def __init__(self, items: Sequence[Resource], names: Collection[str] = ()) -> None:
        """Take the items. `names` are those of all sources: for many of them the items are indexed once."""
        self._items = items
        self._by_name = _indexed(items, {*names}) if len(names) > _MANY else {}

    def matching(self, source: Source) -> list[Resource]:
        """Return the items that a source describes. A group, version or namespace that it does not state may be any."""
        return [
            item
            for item in self._by_name.get(source.name, self._items)
            if item.may_contain(source.name)
            and item.kind == source.kind
            # Inside of a build a functionConfig may still say the name from before a prefix.
            and any(source.name == name and source.namespace in (None, of) for of, name in item.identities)
            and source.group in (None, item.group)
            and source.version in (None, item.version)
        ]

    def item_of(self, source: Source) -> Resource:
        """Return the one item that a source describes. Raises SourceError for none and for several."""
        items = self.matching(source)
        where = "" if source.namespace is None else f" in namespace `{source.namespace}`"
        what = f"{source.kind} `{source.name}`{where}"
        if not items:
            raise AbsentError(f"{what} is not among the items{self._hint(source)}")
        if len(items) > 1:
            listed = " and ".join(f"{item.ref}{f' ({item.file})' if item.file else ''}" for item in items)
            raise SourceError(f"{what} is {len(items)} items, and a variable has one source: {listed}")
        return items[0]

    def _hint(self, source: Source) -> str:
        """Return the name of an object of the same kind that may be meant: one that ends so, or one that is alike."""
        of_kind = (item for item in self._items if item.may_contain(source.kind) and item.kind == source.kind)
        names = dict.fromkeys(item.name for item in of_kind)
        if source.name in names:  # the name is right, and the namespace or the group is not
            there = [item for item in self._items if item.kind == source.kind and item.name == source.name]
            return f"; there is {there[0].ref}"
        longer = [name for name in names if name.endswith(f"-{source.name}") or name.startswith(f"{source.name}-")]
        near = longer[0] if longer else nearest(source.name, names)
        return f"; did you mean `{near}`?" if near else ": mend the name, or give its file to this run too"


class Sources:
    """The texts of the sources of variables, which are fields and keys of items.

    A field with a template in a comment shows that (docs/reference/runs-in-place.md): `memories` are these templates,
    by the `id()` of the item. `declared` are the names that this run declares one by one. `public_text` returns the
    EnvVar text that this run gives a name by now, None for a secret one.
    """

    def __init__(
        self,
        items: SourceItems,
        memories: dict[int, Memory],
        declared: Collection[str],
        public_text: Callable[[str], str | None],
    ) -> None:
        self._items = items
        self._memories = memories
        self._declared = frozenset(declared)
        self._public_text = public_text

    def text(self, source: Source) -> str:
        """Return the text of a source. Raises SourceError where there is none."""
        if source.field_path:
            return self._field(source)
        entries = self._entries(source)
        if source.key not in entries:
            message = f"{source.kind} `{source.name}` has no key `{source.key}`: {near_key(source.key, entries)}"
            raise AbsentError(message)
        return _text(entries[source.key], _called(source, source.key))

    def data(self, source: Source) -> dict[str, str]:
        """Return the texts of a ConfigMap or Secret by key. Raises SourceError for no object or no text."""
        return {key: _text(node, _called(source, key)) for key, node in self._entries(source).items()}

    def _entries(self, source: Source) -> dict[str, Node | str | None]:
        item = self._items.item_of(source)
        rendered = self._rendered_keys(item)
        if source.kind == secrets.KIND:
            return {**secrets.texts(item), **rendered}
        data = mapping_at(item.root, "data")
        return {**dict(() if data is None else data.items()), **rendered}

    def _field(self, source: Source) -> str:
        item = self._items.item_of(source)
        what = f"`{fieldpath.to_text(source.field_path)}` of {source.kind} `{source.name}`"
        nodes = item.find(source.field_path)
        if not nodes:
            raise AbsentError(f"{what} is not there: name another field, or say `optional: true`")
        # The first of several would change with the order of a list, which other tools change.
        if len(nodes) > 1:
            raise SourceError(
                f"{what} is {len(nodes)} fields, and a variable has one text: name one of them, as `[0]` does"
            )
        place, node = nodes[0]
        if secrets.is_secret(item, place):
            raise SourceError(f"{what} is secret, and what is secret is not read as a field: use `secretKeyRef`")
        # kustomize hashes names behind its transformers, so any answer now would be stale then.
        if place == ("metadata", "name") and _NEEDS_HASH in item.annotations:
            message = f"{what} gets a hash suffix after this function has run: expand what `kustomize build` prints"
            raise NotFinalError(message)
        text = self._final_text(item, place, _text(node, what))
        # A later function or the kubelet will expand it to another text.
        if "$(" in text:
            message = f"{what} still holds a reference, so it is not yet the text that it will be"
            raise SourceError(f"{message}: write that text as the `value` of a variable, where references are live")
        part = text if source.regex is None else source.regex(text)
        if part is None:
            raise SourceError(f"{what} is not matched by `regex`, which must match the whole text: mend the pattern")
        return part

    def _final_text(self, item: Resource, place: Place, text: str) -> str:
        """Return the final text of a field: its template with the values of this run."""
        memory = self._memories.get(id(item))
        field = None if memory is None else memory.fields.get(place)
        if field is None or field.substitute is None:
            return text
        if not any(map(self._is_declared, field.names)):
            return field.text
        return syntax.expand(text, lambda name: self._value(name, field.texts, ()))

    def _rendered_keys(self, item: Resource) -> dict[str, str]:
        """Return the texts of the keys of an item that another functionConfig expanded.

        Those that this one expands are read as in its first run, which read their templates: else its second run would
        give something else.
        """
        memory = self._memories.get(id(item))
        return {
            str(place[1]): field.text
            for place, field in (() if memory is None else memory.fields.items())
            if len(place) == 2 and not any(map(self._is_declared, field.names))  # noqa: PLR2004 - field and key
        }

    def _is_declared(self, name: str) -> bool:
        return name in self._declared or self._public_text(name) is not None

    def _value(self, name: str, own: dict[str, str], above: tuple[str, ...]) -> str | None:
        """Return the value of a variable, None where it has none, or leads back to itself."""
        if name in own and not self._is_declared(name):
            return own[name]
        text = self._public_text(name)
        if text is None or name in above:
            return None
        return syntax.expand(text, lambda inner: self._value(inner, {}, (*above, name)))


def _indexed(items: Iterable[Resource], names: set[str]) -> dict[str, list[Resource]]:
    """Return the items in which each name may stand. A name that is no plain word is not in the index."""
    words = re.compile(r"[\w.-]+")
    index: dict[str, list[Resource]] = {name: [] for name in names if words.fullmatch(name)}
    for item in items:
        # An escape may spell any name, so such an item stands under all of them.
        held = index.keys() if item.may_contain("\\") else index.keys() & words.findall(item.text)
        for name in held:
            index[name].append(item)
    return index


def _called(source: Source, key: str) -> str:
    return f"key `{key}` of {source.kind} `{source.name}`"


def _text(node: Node | str | None, what: str) -> str:
    """Return the text of a scalar as written: `080` is not turned into a number."""
    if isinstance(node, str):
        return node
    if node is None:
        raise SourceError(f"{what} is no text: `data` has to be UTF-8 in base64, `stringData` a string")
    scalar = resolved(node)
    if not isinstance(scalar, Scalar):
        raise SourceError(f"{what} is a {'mapping' if isinstance(scalar, Mapping) else 'list'}, it must be a scalar")
    if typed(scalar) is None:
        raise SourceError(f"{what} is null, it must be a string")
    return scalar.value
