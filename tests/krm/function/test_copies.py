"""A copy that an author changes and does not give back is told: the edit that was meant would be lost in silence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

import krm
from krm.testing import golden
from tests.calls import counted
from tests.krm.function.texts import DEPLOYMENT, LIST, read

if TYPE_CHECKING:
    from pathlib import Path

C = "spec.template.spec.containers"
Change: TypeAlias = Callable[[Any, Any], Any]


def each_image(item: krm.Resource, _: krm.ResourceList) -> None:
    for container in item.get(C):
        container["image"] = "x"


def given_in_part(item: krm.Resource, _: krm.ResourceList) -> None:
    spec = item.get("spec")
    spec["replicas"] = 5
    item.set("spec.replicas", spec["replicas"])


def given_rebuilt(item: krm.Resource, _: krm.ResourceList) -> None:
    labels = item.get("metadata.labels")
    labels["team"] = "shop"
    item.set("metadata.labels", {**labels})


def given_to_another(item: krm.Resource, resource_list: krm.ResourceList) -> None:
    labels = item.get("metadata.labels")
    labels["team"] = "shop"
    resource_list.add({"kind": "A", "metadata": {"labels": labels}})


def appended(item: krm.Resource, _: krm.ResourceList) -> None:
    web = item.get(f"{C}[name=web]")
    web["name"] = "web-2"
    item.append(C, web)


def deleted(item: krm.Resource, _: krm.ResourceList) -> None:
    item.get("spec").pop("replicas")
    item.delete("spec.replicas")


def removed(item: krm.Resource, resource_list: krm.ResourceList) -> None:
    item.get("spec").clear()
    resource_list.remove(item)


LOST: dict[str, tuple[Change, str]] = {
    "a value": (lambda item, _: item.get("spec").update(replicas=5), "spec"),
    "an element": (lambda item, _: item.get_list(C).append({"name": "x"}), C),
    "a field of each element": (each_image, C),
    "by brackets": (lambda item, _: item["metadata"].pop("name"), "metadata"),
    "a map of strings": (lambda item, _: item.string_map("metadata.labels").clear(), "metadata.labels"),
    "an element that is found": (lambda item, _: item.get(f"{C}[name=web]").pop("image"), f"{C}[name=web]"),
    "something else in it": (lambda item, _: item.get("spec").update(replicas=object()), "spec"),
    "after it was written": (
        lambda item, _: (item.set("spec.replicas", 5), item.get("spec").update(replicas=6)), "spec",
    ),
}  # fmt: skip
KEPT: dict[str, Change] = {
    "not changed": lambda item, _: sorted(item.get("spec")),
    "given in part": given_in_part,
    "given as another dict": given_rebuilt,
    "given to another object": given_to_another,
    "appended": appended,
    "deleted": deleted,
    "of what is removed": removed,
    "of the functionConfig": lambda _, resource_list: resource_list.function_config.get("data").clear(),
}


@pytest.mark.parametrize("name", LOST)
def test_a_copy_that_is_not_given_back_is_a_warning(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    change, path = LOST[name]
    output = krm.transform(DEPLOYMENT, lambda resource_list: change(resource_list.items[0], resource_list) and None)
    line = capfd.readouterr().err
    assert line.startswith("[warning] web.yaml:")
    assert f" apps/v1/Deployment/shop/web {path}: test_copies.py line " in line
    assert line.endswith(": the copy that it got was changed and is not written: give it back with `set`\n")
    assert output.results == []


@pytest.mark.parametrize("name", KEPT)
def test_a_copy_that_is_given_back_is_none(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    krm.transform(LIST, lambda resource_list: KEPT[name](resource_list.items[0], resource_list) and None)
    assert capfd.readouterr().err == ""


def test_a_golden_test_fails_for_it(tmp_path: Path) -> None:
    (tmp_path / "input.yaml").write_text(DEPLOYMENT)
    (tmp_path / "expected.yaml").write_text(DEPLOYMENT)
    test = golden(lambda resource_list: each_image(resource_list.items[0], resource_list), tmp_path)
    with pytest.raises(AssertionError, match=r"test_copies.py line \d+: the copy that it got was changed"):
        test(tmp_path)


def test_nothing_is_watched_outside_of_a_run() -> None:
    item = read().items[0]
    item.get("spec").clear()
    assert item.text == DEPLOYMENT


def test_a_script_is_told_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "web.yaml").write_text(DEPLOYMENT)
    with krm.open(tmp_path) as resources:
        resources.items[0].get("spec").clear()
    assert "test_copies.py line" in capfd.readouterr().err


def test_many_copies_cost_a_straight_line(capfd: pytest.CaptureFixture[str]) -> None:
    def change(resource_list: krm.ResourceList) -> None:
        for item in resource_list.items:
            item.get("spec")["a"] = 2
            item.set("b", 1)

    texts = ["---\n".join(["kind: A\nspec: {a: 1}\n"] * count) for count in (50, 100)]
    costs = [counted(lambda text=text: krm.transform(text, change)) for text in texts]  # type: ignore[misc]  # as named
    assert costs[1] < 2.2 * costs[0]
    assert capfd.readouterr().err.count("\n") > 20
