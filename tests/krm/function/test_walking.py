"""What `walk` yields follows its element: programs that edit while they walk, beside the same edits of plain nodes."""

from __future__ import annotations

import json
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import krm
from tests.krm.function import texts
from tests.krm.function.texts import CONTAINERS, DEPLOYMENT, edited
from tests.pages import as_list

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Node:
    """A node of plain data that knows where it stands."""

    def __init__(self, value: Any, above: Node | None = None) -> None:
        self.above = above
        self.kids: dict[str, Node] | list[Node] | None = None
        self.put(value)

    def put(self, value: Any) -> None:
        for kid in self.below():
            kid.above = None
        self.value = value
        if isinstance(value, dict):
            self.kids = {key: Node(one, self) for key, one in value.items()}
        else:
            self.kids = [Node(one, self) for one in value] if isinstance(value, list) else None

    def below(self) -> list[Node]:
        return [*self.kids.values()] if isinstance(self.kids, dict) else self.kids or []

    def walk(self) -> Iterator[Node]:
        for kid in self.below():
            yield kid
            yield from kid.walk()

    def stands(self, root: Node) -> bool:
        return self is root or (self.above is not None and self.above.stands(root))

    def index(self) -> int:
        assert self.above is not None
        assert isinstance(self.above.kids, list)
        return next(index for index, kid in enumerate(self.above.kids) if kid is self)

    def delete(self) -> None:
        assert self.above is not None
        kids, self.above = self.above.kids, None
        if isinstance(kids, dict):
            del kids[next(key for key, kid in kids.items() if kid is self)]
        else:
            assert kids is not None
            kids[:] = [kid for kid in kids if kid is not self]

    def data(self) -> Any:
        if isinstance(self.kids, dict):
            return {key: kid.data() for key, kid in self.kids.items()}
        return self.value if self.kids is None else [kid.data() for kid in self.kids]


def delete(part: krm.Part, node: Node, _number: int) -> None:
    part.delete()
    node.delete()


def insert(part: krm.Part, node: Node, number: int) -> None:
    """Insert an element before the one that is met."""
    if node.above and part.parent and isinstance(node.above.kids, list):
        index = node.index()
        part.parent.insert("", index, number)
        node.above.kids.insert(index, Node(number, node.above))


def append(part: krm.Part, node: Node, number: int) -> None:
    """Append an element to a list that is met."""
    if isinstance(node.kids, list):
        part.append("", {"n": number})
        node.kids.append(Node({"n": number}, node))


def move(part: krm.Part, node: Node, number: int) -> None:
    """Move the element that is met."""
    if node.above and part.parent and isinstance(node.above.kids, list):
        index = number % len(node.above.kids)
        part.parent.move((node.index(),), index)
        above = node.above
        node.delete()
        node.above = above
        assert isinstance(above.kids, list)
        above.kids.insert(index, node)


def put(part: krm.Part, node: Node, value: Any) -> None:
    part.set("", value)
    node.put(value)


EDITS: list[Callable[[krm.Part, Node, int], None]] = [
    lambda _part, _node, _number: None,
    delete,
    put,
    lambda part, node, _number: put(part, node, []),
    lambda part, node, number: put(part, node, {"new": number}) if not isinstance(node.kids, dict) else None,
    insert,
    append,
    move,
]
SCALARS = st.integers(0, 9) | st.sampled_from(["x", "y"])
DATA = st.dictionaries(
    st.sampled_from("abc"),
    st.recursive(SCALARS, lambda kids: st.lists(kids, max_size=4) | st.dictionaries(st.sampled_from("klm"), kids)),
    min_size=1,
)
STEPS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, len(EDITS) - 1)), min_size=1, max_size=12)


@given(DATA, STEPS, st.sets(st.sampled_from(["flow", "batch", "reads"])))
def test_a_walk_with_edits_is_that_of_plain_nodes(
    data: dict[str, Any], steps: list[tuple[int, int]], ways: set[str]
) -> None:
    text = json.dumps(data) if "flow" in ways else yaml.safe_dump(data, sort_keys=False)
    item, root = texts.resource(text), Node(data)
    nodes = [*root.walk()]
    with item.edit() if "batch" in ways else nullcontext():
        parts = [*item.walk()]
        assert len(parts) == len(nodes)
        met = iter(item.walk())
        for turn, node in enumerate(nodes):
            if not node.stands(root):
                continue
            part = next(met)
            assert part == parts[turn]
            ahead, edit = steps[turn % len(steps)]
            # A program edits what it meets, or what it met before, or what it is about to meet.
            other = (turn + ahead) % len(nodes)
            if nodes[other].stands(root):
                EDITS[edit](parts[other], nodes[other], 100 + turn)
            if "reads" in ways:
                assert part.get() == (node.data() if node.stands(root) else None)
        assert [*met] == []
    assert item.get() == root.data()
    assert yaml.safe_load(item.text) == root.data()
    for part, node in zip(parts, nodes, strict=True):
        if node.stands(root):
            assert part.get() == node.data()
        else:
            with pytest.raises(ValueError, match=r"^the field was deleted or replaced, it cannot be edited"):
                part.set("", 1)


ARGS = "a:\n- --x\n- --drop1\n- --y\n- --drop2 # gone\n- --drop3\n- --z\n"


def drop(item: krm.Resource) -> None:
    for part in item.walk("a", leaves=True):
        if "drop" in part.text:
            part.delete()


def rename(item: krm.Resource) -> None:
    for part in item.walk(CONTAINERS):
        if part.place[-1] == "name":
            part.text = f"shop-{part.text}"
        elif part.place[-1] == "image":
            part.text = part.text.removesuffix(":1.27") + ":2"


def test_arguments_are_deleted_while_they_are_walked() -> None:
    assert edited(drop, ARGS) == "a:\n- --x\n- --y\n- --z\n"


def test_containers_are_renamed_while_they_are_walked() -> None:
    renamed = DEPLOYMENT.replace("- name: ", "- name: shop-").replace(":1.27 #", ":2 #")
    assert edited(rename) == renamed.replace("image: redis #", "image: redis:2 #")


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n"
CONFIG = "functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: c}}\n"


def pod(*names: str) -> str:
    return POD + "".join(f"  - name: {name}\n    image: x\n" for name in names)


def test_parts_of_what_is_generated_again_are_lost() -> None:
    notes = "annotations: {config.kubernetes.io/path: a.yaml, config.k8s.io/id: '1'}"
    given = as_list(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, {notes}}}\n") + CONFIG
    made = krm.transform(given, lambda resource_list: krm.generate(resource_list, [pod("a", "b", "c")])).text
    same, other = krm.load(made), krm.load(made)
    kept, lost = (one.where("Pod")[0].parts("spec.containers")[1] for one in (same, other))
    krm.generate(same, [pod("a", "b", "c")])
    kept.set("image", "y")
    krm.generate(other, [pod("b", "c")])
    with pytest.raises(ValueError, match=r"^the field was deleted or replaced, it cannot be edited"):
        lost.set("image", "x")
    assert other.where("Pod")[0].get("spec.containers") == [{"name": name, "image": "x"} for name in "bc"]
    other.where("Pod")[0].set("metadata.labels.a", "b")
