"""The list that a function processes: `ResourceList`, and `generate`, which merges resources into it."""

from __future__ import annotations

import re
from collections.abc import Callable

from krm.function.copies import note_written
from krm.function.edited_object import EditedObject
from krm.function.fields import Fields
from krm.function.objects import Resource
from krm.resource import DOMAIN, FORMS, IDS, PATH, PLACES, are_in_place
from krm.results import ERROR, INFO, WARNING, result_about
from krm.yamltree import style

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import TypeAlias, TypedDict, Unpack

    from krm.function.fields import Part, Path
    from krm.generation.generating import Generation
    from krm.merge.policy import OnConflict
    from krm.resource import Resource as Item
    from krm.resourcelist import ResourceList as Read
    from krm.results import Output, Result

    Processes: TypeAlias = "Process | Mapping[str, Process]"
    """A function, or several by the kind of their functionConfig."""

    class ResultFields(TypedDict, total=False):
        """What a result may have beside its message and its place."""

        reason: str
        current: str | None
        proposed: str | None
        tags: Mapping[str, str] | None


_REMOVED = "was removed from the list"


class ResourceList:
    """The items of a text, its functionConfig, and the results of this run.

    >>> len(resource_list.items)
    2
    """

    def __init__(self, read: Read) -> None:
        """Take a list that was read: `run` and `transform` make these."""
        self._read = read
        self._items = {id(item): Resource(item) for item in read.items}
        self._gone: list[Item] = []
        config = read.function_config
        self._function_config = None if config is None else Resource(config)
        if self._function_config is not None:
            self._function_config._object.closed = "is the functionConfig, which no orchestrator takes back"
        self._generations: dict[tuple[str, str], Generation] = {}

    def __repr__(self) -> str:
        return f"<ResourceList of {len(self._items)} items>"

    @property
    def items(self) -> tuple[Resource, ...]:
        """The items, in the order of the text. `add` and `remove` change them; so does an assignment.

        An assignment removes the items that are absent from it. ValueError if it changes the order of the others, or
        holds an item of another list.

        >>> resource_list.items = [item for item in resource_list.items if item.kind != "ConfigMap"]
        >>> resource_list.items
        (<Resource apps/v1/Deployment/shop/web>,)
        """
        return tuple(self._items.values())

    @items.setter
    def items(self, items: Iterable[Resource]) -> None:
        present = tuple(items)
        ids = {*map(id, present)}
        staying = [item for item in self.items if id(item) in ids]
        # The text of such an item is a slice of another input, which this list does not write.
        if len(staying) != len(ids):
            raise ValueError("an item of another list is added by `add`, which copies it")
        # kpt and kustomize sort what comes back by file and index, so another order would be lost.
        if [*map(id, present)] != [*map(id, staying)]:
            raise ValueError("items keep the order in which they were read, each once: orchestrators sort them by file")
        self.remove(*(item for item in self.items if id(item) not in ids))

    @property
    def function_config(self) -> Resource | None:
        """The functionConfig, None if the list has none. ValueError for an edit: orchestrators take none back.

        >>> resource_list.function_config.kind
        'ConfigMap'
        """
        return self._function_config

    @property
    def results(self) -> list[Result]:
        """The results of this run, in the order in which they were added. Those of earlier functions stay in the text.

        >>> resource_list.info("set two images")
        >>> print(resource_list.results[-1])
        [info] set two images
        """
        return self._read.results

    @results.setter
    def results(self, results: Iterable[Result]) -> None:
        self._read.results = [*results]

    def error(
        self, message: str, about: Part | Resource | None = None, path: Path = "", **more: Unpack[ResultFields]
    ) -> None:
        """Add an error to the results: the run fails, and items come out as they were read.

        `about` is the object or part that the message is about, and `path` the field there. `reason` is one CamelCase
        word to automate on. `current` and `proposed` are values of the field, and `tags` further words.

        >>> resource_list.error("runs on one node", deployment, "spec.replicas", current="1", proposed="3")
        >>> resource_list.emit().exit_code
        1
        """
        self.results.append(result_about(message, ERROR, about, path, **more))

    def warning(
        self, message: str, about: Part | Resource | None = None, path: Path = "", **more: Unpack[ResultFields]
    ) -> None:
        """Add a warning to the results, as `error` adds an error. The run goes on.

        >>> resource_list.warning("has no owner", deployment, reason="NoOwner")
        """
        self.results.append(result_about(message, WARNING, about, path, **more))

    def info(
        self, message: str, about: Part | Resource | None = None, path: Path = "", **more: Unpack[ResultFields]
    ) -> None:
        """Add an info to the results, as `error` adds an error. The run goes on.

        >>> resource_list.info("set two images", tags={"count": "2"})
        """
        self.results.append(result_about(message, INFO, about, path, **more))

    @property
    def kind(self) -> str:
        """The kind of the envelope, `ResourceList`, or `List` for one with a functionConfig; "" for plain documents.

        >>> resource_list.kind
        'ResourceList'
        """
        return self._read.kind

    def where(  # noqa: PLR0913 - what an object can be found by
        self,
        kind: str | Iterable[str] | None = None,
        name: str | None = None,
        *,
        namespace: str | None = None,
        group: str | None = None,
        version: str | None = None,
        label: str = "",
        test: Callable[[Resource], bool] | None = None,
    ) -> list[Resource]:
        """Return the items with this kind, or one of these, name, namespace, group and version; None matches any.

        `label` is a label selector in Kubernetes' syntax: `app=web,tier!=db`. `test` is what else must be true of an
        item. ValueError for another selector, and for a kind that starts with a small letter.

        >>> resource_list.where(["Deployment", "StatefulSet"], label="app=web")
        [<Resource apps/v1/Deployment/shop/web>]
        """
        if callable(kind):
            raise TypeError("a kind is a str, or several: a function is given as `test=`")
        if isinstance(kind, dict):
            raise TypeError(f"a kind is a str, or several, found {kind!r}")
        kinds = {kind} if kind is None or isinstance(kind, str) else {*kind}
        if wrong := next((one for one in kinds if one and one[0].islower()), None):
            raise ValueError(f"a kind starts with a capital letter, `Deployment`, found `{wrong}`")
        # An item whose text does not hold the words is not parsed.
        words = [word for word in (name, namespace) if word]
        return [
            item
            for item in self._items.values()
            if all(map(item._object.may_contain, words))
            and any((not one or item._object.may_contain(one)) and item.is_gvk(group, version, one) for one in kinds)
            and (name is None or name == item.name)
            and (namespace is None or namespace == item.namespace)
            and (not label or item.has_labels(label))
            and (test is None or test(item))
        ]

    def add(self, resource: str | Resource | Part | Mapping[str, object], *, file: str = "") -> Resource:
        """Add an item behind the others, and return it.

        It is a dict, a YAML document with its comments, order and quotes, or a Resource. Of that a copy is made,
        without the annotations that say where it was read. FnError if it is not exactly one mapping, or a cluster would
        refuse its name, a label or an annotation, TypeError for a number in the place of a text. An info says where
        JSON has no place for its comments. `file` is the path of its file, unless the orchestrator is to choose one.
        FnError for a path that leads out of the package, or to no file of resources.

        >>> shop = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
        >>> resource_list.add(shop, file="namespaces/shop.yaml").origin.file
        'namespaces/shop.yaml'
        """
        added = Resource(self._read.add(_document(resource)))
        self._items[id(added._object.item)] = added
        # A copy needs no check: a cluster took its source.
        if not isinstance(resource, Fields):
            added._object.require_fit((), added.get())
        else:
            with added.edit():
                # Two items at one place are an error to kpt, and one of them would be lost to kustomize.
                for key in (*IDS, *PLACES):
                    added.delete(("metadata", "annotations", key))
                if added.get("metadata.annotations") == {}:
                    added.delete("metadata.annotations")
        if file:
            from krm.package import paths  # noqa: PLC0415 - most resources go where the orchestrator puts them

            for form in reversed(FORMS):
                added.set_annotation(f"{form}{PATH}", file)
            paths.places([added._object.item_for(("metadata", "annotations"))])
        return added

    def remove(self, *items: Resource) -> None:
        """Remove items, each with the comments that belong to it. They refuse edits from then on.

        ValueError for an item of another list, or one that was removed before.

        >>> resource_list.remove(*resource_list.where("ConfigMap"))
        """
        given: tuple[object, ...] = items
        if wrong := [type(one).__name__ for one in given if not isinstance(one, Resource)]:
            raise TypeError(f"`remove` takes items, `remove(*found)`, found a value of type `{wrong[0]}`")
        if any(self._items.get(id(item._object.item)) is not item for item in items):
            raise ValueError("an item that is not in the list cannot be removed from it")
        for item in items:
            item._object.closed = _REMOVED
            if self._items.pop(id(item._object.item), None):
                self._gone.append(item._object.item)

    def _current(self) -> Read:
        """Return the list that was read, with all edits, and without the items that were removed."""
        for item in self._items.values():
            item._object.commit()
        # One call for all of them, as each call goes through the whole list.
        if self._gone:
            self._read.remove(*self._gone)
            self._gone = []
        return self._read

    def _follow(self, results: Iterable[Result]) -> None:
        """Take over the new items, the removals and the results of the list that was read."""
        known = self._items
        self._items = {
            id(item): known.pop(id(item)) if id(item) in known else Resource(item) for item in self._read.items
        }
        for item in known.values():
            item._object.closed = _REMOVED
        self._read.results += results

    def _finish(self) -> None:
        """Remove the removed items, and prune those that `generate` made in earlier runs and not in this one."""
        self._current()
        for generation in self._generations.values():
            self._follow([*generation.finish(), *generation.write()])
        self._generations = {}

    def emit(self) -> Output:
        """Return the text with every change, in the shape that it came in, and the results.

        >>> resource_list.emit().exit_code
        0
        """
        # A test may emit without `run`, and it has to see what is pruned.
        self._finish()
        return self._read.emit()


Process: TypeAlias = Callable[[ResourceList], None]
"""A function, which changes the list."""


def generate(  # noqa: PLR0913 - each is said by its name
    resource_list: ResourceList,
    resources: Iterable[str | Resource | Mapping[str, object]],
    *,
    on_conflict: OnConflict = "TakeUpdate",
    adopt: OnConflict | None = None,
    prune: bool = True,
    owner: str = "",
    domain: str = "",
) -> None:
    r"""Make these the resources that the function generates: merged with those that are there, new ones added.

    Each is a dict, a Resource, or the text of YAML documents, whose comments and order a new resource keeps. A dict is
    checked as by `add`. What a user changed since the last run stays. `on_conflict` says who wins a field that both
    sides changed. `adopt` says it of a resource that was there before, which in place keeps its values unless you say
    otherwise. With `prune`, what is no longer generated is removed, but never all at once. A second call in one run
    adds to the first; if one does not `prune`, nothing is removed. Resources are known again by the functionConfig, or
    by `owner`, a word such as `Quotas/all`: ValueError without either. `domain` is that of the mark and the state, else
    `expandvars.dev`. Conflicts, and what was pruned, are results. Ask again for a Part of a resource that changed.

    >>> generate(resource_list, ["apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"])
    >>> [item.name for item in resource_list.where("Namespace")]
    ['shop']
    """
    from krm.generation import packages, updates  # noqa: PLC0415 - a function that generates nothing
    from krm.generation.generating import Generation  # noqa: PLC0415 - imports none of these
    from krm.generation.settings import KEEP, PRUNE, Settings  # noqa: PLC0415 - as above
    from krm.merge.policy import ON_CONFLICT, MergeOptions  # noqa: PLC0415 - as above

    _require_types(resources, prune, owner, domain)
    for name, word in {"on_conflict": on_conflict, "adopt": adopt or on_conflict}.items():
        if word not in ON_CONFLICT:
            raise ValueError(f"`{name}` is one of {', '.join(ON_CONFLICT)}; found `{word}`")
    generated: list[updates.Update] = []
    for number, resource in enumerate(resources):
        made = updates.read(_document(resource), f"resources[{number}]")
        # A text, or a Resource, is what its author wrote. In a dict there are values.
        for one in () if isinstance(resource, str | Fields) else made:
            EditedObject(one.resource).require_fit((), style.plain(resource))
        generated += made
    read = resource_list._current()
    config = read.function_config
    if not re.fullmatch(r"[^\s$]*", owner) or not re.fullmatch(r"[a-z0-9.-]*", domain):
        raise ValueError(f"`owner` is one word, and `domain` a domain; found `{owner}` and `{domain}`")
    # Without an owner the next run would not know its own resources.
    if not owner and (config is None or not packages.owner_text(config)):
        raise ValueError("the functionConfig has no name to know the resources again by: give `owner`")
    settings = Settings(
        config,
        domain=domain or DOMAIN,
        owner=owner,
        merge=MergeOptions(on_conflict=on_conflict, adopt=adopt),
        prune=PRUNE if prune else KEEP,
        is_in_place=are_in_place(read.items, read.function_config),
    )
    generations = resource_list._generations
    # All calls for an owner share one: resources of the first call must not be pruned by the second.
    if (owner, domain) not in generations:
        generations[owner, domain] = Generation(read, settings)
    held = [(one._object, one._object.item.text) for one in resource_list.items if len(one._object.parts) > 1]
    resource_list._follow(generations[owner, domain].add(generated, settings))
    for there, text in held:
        # A merge does not return the new places of elements.
        for part in there.parts.values() if there.item.text != text else ():
            part._is_lost = part._is_lost or part._place != ()


def _require_types(resources: object, prune: object, owner: object, domain: object) -> None:
    """Raise TypeError for an argument of `generate` of another type."""
    if not isinstance(prune, bool):
        raise TypeError(f"`prune` is True or False; found {prune!r}")
    if not all(isinstance(word, str) for word in (owner, domain)):
        raise TypeError(f"`owner` and `domain` are str; found {owner!r} and {domain!r}")
    if isinstance(resources, str | Fields) or hasattr(resources, "keys"):
        raise TypeError(f"the resources are several, `[resource]`, found a value of type `{type(resources).__name__}`")


def _document(resource: str | Fields | Mapping[str, object]) -> str:
    """Return a resource as a YAML document. TypeError for a value of another type."""
    if isinstance(resource, str):
        return resource
    # The text of an object has its comments and quotes.
    if isinstance(resource, Fields):
        return resource.to_yaml()
    if not hasattr(resource, "keys"):
        raise TypeError(f"a resource is a text, a dict or a Resource, found {type(resource).__name__}")
    note_written(None, (), resource)
    return style.document(style.plain(resource))
