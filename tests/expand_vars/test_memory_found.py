"""What the law of generated resources has found, each in its shortest form."""

from __future__ import annotations

from tests.expand_vars.memory import orchestrator
from tests.expand_vars.memory.world import Config, Doc, World

COLORS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "colors"}, "data": {"sky": "blue"}}


def run(world: World, config: str = "a.yaml") -> list[orchestrator.Told]:
    """Run a functionConfig over a world, and let its files be what comes out."""
    ran = orchestrator.run(world.files, config)
    assert ran.code == 0, ran.results
    others = {*world.configs, "Kptfile", "sub/Kptfile"}
    world.docs = {path: Doc(text, {}) for path, text in ran.files.items() if path not in others}
    return ran.results


def generated() -> World:
    """Return a package in which a ConfigMap was generated."""
    world = World()
    world.configs["a.yaml"] = Config("a", {}, [COLORS])
    run(world)
    return world


def test_copies_of_what_a_functionconfig_of_another_name_generated() -> None:
    """Another copy would be the third of one resource."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    world.configs["a.yaml"].name = "b"
    told = run(world)
    assert sorted(world.docs) == ["one.yaml", "two.yaml"]
    assert [one.reason for one in told if one.severity == "warning"] == ["AmbiguousCopies"]
