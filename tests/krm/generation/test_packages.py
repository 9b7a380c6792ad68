"""Packages: what a function sees of them, and where new resources go."""

from __future__ import annotations

import pytest
import yaml

from krm import resourcelist
from krm.generation import generating, packages, updates
from krm.generation.settings import Settings
from krm.generation.updates import Update
from krm.resource import Resource

CONFIG = "apiVersion: example.com/v1\nkind: Maker\nmetadata:\n  name: shop\n"
COLORS = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\n"
NEW = "internal.config.kubernetes.io/kpt-resource-id"
OLD = "internal.config.k8s.io/kpt-resource-id"


def resource(text: str, **annotations: str) -> Resource:
    item = Resource(text, (0, len(text)), "it")
    for key, value in annotations.items():
        item.set_annotations({{"path": "config.kubernetes.io/path", "old": OLD, "new": NEW}[key]: value})
    return item


def numbered(key: str, *numbers: str) -> list[Resource]:
    return [resource(COLORS.replace("colors", f"c{number}"), **{key: number}) for number in numbers]


FROM_A_FILE = resource(CONFIG, path="ev.yaml")
HIDDEN = {
    "nothing": ([], None, False),
    "no numbers": ([resource(COLORS)], FROM_A_FILE, False),
    "numbers in the old form": (numbered("old", "0", "1"), None, True),
    "numbers in the new form": (numbered("new", "1", "0"), None, True),
    "a number of the functionConfig alone": ([], resource(CONFIG, old="0"), True),
}


@pytest.mark.parametrize(("items", "config", "hides"), HIDDEN.values(), ids=HIDDEN)
def test_the_signs_of_hidden_items(items: list[Resource], config: Resource | None, *, hides: bool) -> None:
    assert packages.hides_items(items, config) is hides


def test_where_items_are_hidden_nothing_is_generated_or_pruned() -> None:
    text = "---\n".join(item.text for item in numbered("old", "0", "2"))
    resource_list = resourcelist.read(text)
    (error,) = generating.generate(
        resource_list, [Update(updates.generated(COLORS, "template"))], Settings(resource(CONFIG))
    )
    assert str(error) == (
        "[error] example.com/v1/Maker/shop: kpt's `selectors` may hide items from this function, so it cannot know "
        "what is generated already: leave them out of the Kptfile or of the command line, and give `selectors` in the "
        "functionConfig instead"
    )
    assert resource_list.emit().text == text


def test_a_package_in_the_directory_of_a_run_is_not_the_root_package() -> None:
    """Though it is the only one with a Kptfile: what is beside it is no part of it."""
    text = "---\n".join(
        [KPTFILES[1], resource(CONFIG, path="ev.yaml").text, resource(COLORS, path="child/a.yaml").text]
    )
    resource_list = resourcelist.read(text)
    (warning,) = generating.generate(
        resource_list, [Update(updates.generated(COLORS, "template"))], Settings(resource(CONFIG))
    )
    assert warning.message == "other packages have this as well, in `child/a.yaml`: this one is added to them"


KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: k\n"
KPTFILES = [resource(KPTFILE, path=path).text for path in ("Kptfile", "child/Kptfile")]


@pytest.mark.parametrize(("file", "expected"), [("child/ev.yaml", "child/configmap_colors.yaml"), ("ev.yaml", None)])
def test_new_resources_go_into_the_package_of_the_functionconfig(file: str, expected: str | None) -> None:
    """As `kpt fn eval` passes it, without its file: it is known by the item that is called the same."""
    text = "---\n".join([*KPTFILES, resource(CONFIG, path=file).text])
    resource_list = resourcelist.read(text)
    assert (
        generating.generate(resource_list, [Update(updates.generated(COLORS, "template"))], Settings(resource(CONFIG)))
        == []
    )
    added = list(yaml.safe_load_all(resource_list.emit().text))[-1]
    assert added["metadata"]["name"] == "colors"
    assert added["metadata"].get("annotations", {}).get("config.kubernetes.io/path") == expected
