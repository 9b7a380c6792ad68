"""What may happen to a package between two runs: the fields that change, and what they change to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from tests.expand_vars.memory import editor, model
from tests.expand_vars.memory.model import LISTS, NOWHERE, Keyed

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.expand_vars.memory.editor import Place
    from tests.expand_vars.memory.model import Path, Tree

NAMESPACES = ("shop", "default", "prod")
REGIONS, COUNTS = ("eu", "us", "jp"), ("1", "2", "3")
TEXT = "one\ntwo\nthree\nfour\nfive\n"
WORDS = ("blue", "green", "red", "$(REGION)", "at $(REGION)", TEXT, TEXT.replace("two", "2"), TEXT.replace("five", "5"))
ARGUMENTS = ("--fast", "--region=$(REGION)", "--at=$(REGION)-$(COUNT)", "--level=3", "--quiet")
POD: Path = ("spec", "template", "spec", "containers")
LABELS = [("metadata", "annotations", key) for key in ("team", "tier")]

some_words = st.sampled_from(WORDS)
some_lines = st.sampled_from([word for word in WORDS if "\n" not in word])
# In one order: where elements change places, docs/reference/merge.md leaves open which of them have moved.
some_arguments = st.sets(st.sampled_from(ARGUMENTS), min_size=1, max_size=4).map(
    lambda some: tuple(one for one in ARGUMENTS if one in some)
)


def _entry(name: str) -> st.SearchStrategy[Tree]:
    return st.builds(lambda value: {"name": name, "value": value}, some_lines)


def _part(name: str) -> st.SearchStrategy[Tree]:
    return st.builds(lambda v: {"name": name, "v": v}, st.integers(1, 4))


def _container(name: str) -> st.SearchStrategy[Tree]:
    return st.builds(
        lambda image, args: {"name": name, "image": image, "args": args},
        st.sampled_from(["web:1", "web:2"]),
        some_arguments,
    )


def _of_container(name: str) -> list[tuple[Path, st.SearchStrategy]]:
    at = (*POD, name)
    return [
        ((*at, "image"), st.sampled_from(["web:1", "web:2", "web:3", "web:$(REGION)"])),
        ((*at, "args"), some_arguments),
        *(((*at, "env", key), _entry(key)) for key in "AB"),
        *(((*at, "env", key, "value"), some_lines) for key in "AB"),
        ((*at, "ports", "80"), st.sampled_from([{"containerPort": 80}, {"containerPort": 80, "name": "http"}])),
        *(((*at, "resources", "limits", key), st.sampled_from(["1", "2"])) for key in ("cpu", "memory")),
    ]


SLOTS: dict[str, list[tuple[Path, st.SearchStrategy]]] = {
    "ConfigMap": [(("data", key), some_words) for key in "abc"],
    "Deployment": [
        (("spec", "replicas"), st.sampled_from([1, 2, 3, "$(COUNT)"])),
        (("spec", "paused"), st.booleans()),
        ((*POD, "side"), _container("side")),
        *_of_container("web"),
        *_of_container("side"),
    ],
    "Secret": [(("stringData", key), st.sampled_from(["$(PIN)", "pin=$(PIN)", "none", "some"])) for key in "ab"],
    "Widget": [
        (("spec", "size"), st.sampled_from([1, 2, 3, "$(COUNT)"])),
        (("spec", "mode"), some_words),
        *((("spec", "deep", key), some_lines) for key in "xy"),
        *((("spec", "parts", key), _part(key)) for key in "pq"),
        *((("spec", "parts", key, "v"), st.integers(1, 4)) for key in "pq"),
        (("spec", "words"), some_arguments),
    ],
}
for _slots in SLOTS.values():
    _slots += [(path, some_lines) for path in LABELS]

HEADS: dict[str, Tree] = {
    "ConfigMap": {"apiVersion": "v1", "kind": "ConfigMap", "data": {"a": "blue"}},
    "Deployment": {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {"template": {"spec": {"containers": Keyed(web={"name": "web", "image": "web:1", "args": ARGUMENTS})}}},
    },
    "Secret": {"apiVersion": "v1", "kind": "Secret", "stringData": {"a": "$(PIN)"}},
    "Widget": {"apiVersion": "example.com/v1", "kind": "Widget", "spec": {"mode": "red"}},
}


@st.composite
def changes(draw: st.DrawFn, resource: Tree, of: Path = ()) -> tuple[Path, Any]:
    """Draw a field that can change, or take that at a path, and draw what it becomes: NOWHERE if it goes."""
    slots = [slot for slot in SLOTS[resource["kind"]] if _is_open(resource, slot[0]) and of in ((), slot[0])]
    if not slots:
        return of, NOWHERE
    path, values = draw(st.sampled_from(slots))
    is_dropped = model.at(resource, path) is not NOWHERE and not draw(st.integers(0, 3))
    return path, NOWHERE if is_dropped else draw(values)


def _is_open(resource: Tree, path: Path) -> bool:
    """True if a field can be changed: the elements of lists on the way are there."""
    return all(
        model.at(resource, path[: number + 2]) is not NOWHERE for number, key in enumerate(path[:-2]) if key in LISTS
    )


@st.composite
def templates(draw: st.DrawFn, kind: str, name: str) -> Tree:
    head = HEADS[kind]
    resource = {"apiVersion": head["apiVersion"], "kind": kind, "metadata": {"name": name}}
    resource = model.put(resource, ("metadata", "namespace"), draw(st.sampled_from([NOWHERE, NOWHERE, *NAMESPACES])))
    resource |= {key: one for key, one in head.items() if key not in resource}
    for _ in range(draw(st.integers(1, 4))):
        path, value = draw(changes(resource))
        resource = changed(resource, path, value)
    return resource


def changed(resource: Tree, path: Path, value: Any) -> Tree:
    """Return a resource with a change, or as it was where nothing would be left of what it needs."""
    after = model.put(resource, path, value)
    return after if after.keys() >= {"metadata"} and len(after) > 3 else resource


def write(text: str, path: Path, value: Any) -> str:
    """Return the text of a file with a change as a user makes it."""
    place, rest = _place(text, path)
    if not rest:
        if value is NOWHERE:
            return editor.delete(text, place)
        if not isinstance(value, dict | tuple):
            return editor.set_scalar(text, place, value)
        text = editor.delete(text, place)
        place, rest = _place(text, path)
    return text if value is NOWHERE else _added(text, place, path, len(path) - len(rest), model.data(value))


def _added(text: str, place: Place, path: Path, known: int, value: Any) -> str:
    """Add what is missing of a path, from the step on that is not there."""
    for number in range(len(path) - 1, known, -1):
        value = [value] if path[number - 1] in LISTS else {path[number]: value}
    if known and path[known - 1] in LISTS:
        return editor.insert_element(text, place, 0, value)
    return editor.add_entry(text, place, path[known], value)


def _place(text: str, path: Path) -> tuple[Place, Path]:
    """Return where a path leads in a file as far as it is there, and what is left of it."""
    node = model.loaded(text)
    place: Place = ()
    for number, step in enumerate(path):
        if isinstance(node, list):
            key = LISTS[path[number - 1]]
            found = [index for index, one in enumerate(node) if str(one[key]) == step]
            if not found:
                return place, path[number:]
            node, place = node[found[0]], (*place, found[0])
        elif step in node:
            node, place = node[step], (*place, step)
        else:
            return place, path[number:]
    return place, ()


def _inserted(text: str, place: Place, word: str) -> tuple[str, int]:
    *above, index = place
    return editor.insert_element(text, tuple(above), int(index), word), 0


# What a user does to an element of a list, and how many of its elements that takes away.
EDITS: tuple[Callable[[str, Place, str], tuple[str, int]], ...] = (
    _inserted,
    lambda text, place, _: (editor.delete(text, place), 1),
    lambda text, place, word: (editor.set_scalar(text, place, word), 1),
)


def general(text: str, place: Place) -> Path:
    """Return the path of a place: an element of a list without keys is the list."""
    node = model.loaded(text)
    path: Path = ()
    for step in place:
        if isinstance(step, int):
            if path[-1] not in LISTS:
                return path
            path = (*path, str(node[step][LISTS[path[-1]]]))
        else:
            path = (*path, step)
        node = node[step]
    return path
