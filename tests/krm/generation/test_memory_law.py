"""A memory of hashes is as good as the text of what was generated: the merge is the one of the three texts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import example, given

from krm import resourcelist
from krm.generation import generating, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.resource import Resource
from tests.krm.merge import test_laws as laws
from tests.krm.merge.sides import data

if TYPE_CHECKING:
    from krm.results import Output

CONFIG = "apiVersion: example.com/v1\nkind: Maker\nmetadata:\n  name: shop\n"


def widget(spec: Any) -> dict[str, Any]:
    return {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": spec}


def generate(items: str, spec: Any) -> Output:
    resource_list = resourcelist.read(items)
    config = Resource(CONFIG, (0, len(CONFIG)), "the functionConfig")
    settings = Settings(config, is_in_place=True)
    update = Update(updates.generated(laws.text(widget(spec)), "it"))
    resource_list.results += generating.generate(resource_list, [update], settings)
    return resource_list.emit()


# Local gave a field another name.
@example(({"data": {"a": "a"}}, {}, {"a": {}, "b": {}, "data": {"b": "a"}}))
@given(laws.triples)
def test_the_hashes_of_an_origin_merge_as_its_text(triple: laws.Triple) -> None:
    origin, update, local = triple
    item, state = yaml.safe_load_all(generate("", origin).text)
    output = generate(yaml.safe_dump_all([item | {"spec": local}, state], sort_keys=False), update)
    found = next(yaml.safe_load_all(output.text))
    expected = laws.merge(widget(origin), widget(update), widget(local))
    assert laws.unordered(found["spec"]) == laws.unordered(data(expected.target)["spec"])
    conflicts = [one for one in output.results if one.reason == "Conflict"]
    assert bool(conflicts) == bool(expected.conflicts)
