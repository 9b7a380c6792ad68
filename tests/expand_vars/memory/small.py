"""Small packages, each with one resource that was generated."""

from __future__ import annotations

from tests.expand_vars.memory import checks, expected, model, orchestrator
from tests.expand_vars.memory.world import PIN, STATE, Config, Doc, World

COLORS = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "colors"}, "data": {"sky": "blue"}}


def run(world: World, config: str = "a.yaml") -> list[orchestrator.Told]:
    """Run a functionConfig over a world, and let its files be what comes out."""
    ran = orchestrator.run(world.files, config)
    assert ran.code == 0, ran.results
    others = world.files.keys() - world.docs.keys()
    world.states = {path: text for path, text in ran.files.items() if path.endswith(STATE)}
    others |= world.states.keys()
    world.docs = {path: Doc(text, {}) for path, text in ran.files.items() if path not in others}
    return ran.results


def generated() -> World:
    """Return a package in which a ConfigMap was generated."""
    world = World()
    world.configs["a.yaml"] = Config("a", {"PIN": PIN}, [COLORS])
    run(world)
    return world


def behind_a_namespace(namespace: str = "") -> World:
    """Return a package in which a ConfigMap was generated, and a later function has set its namespace."""
    world = World()
    stated = {"namespace": namespace} if namespace else {}
    world.configs["a.yaml"] = Config("a", {"PIN": PIN}, [COLORS | {"metadata": {"name": "colors"} | stated}])
    run(world)
    (path,) = world.docs
    world.docs = {"colors.yaml": Doc(orchestrator.set_namespace(world.docs[path].text), {})}
    return world


def kept(template: model.Tree) -> World:
    """Return a package in which a template was generated, and the law knows what of it is whose."""
    world = World()
    world.configs["a.yaml"] = Config("a", {"PIN": PIN}, [template])
    run_by_the_law(world)
    return world


def run_by_the_law(world: World) -> list[str]:
    """Run a functionConfig over a world, and hold the outcome against the promises."""
    ran = orchestrator.run(world.files, "a.yaml")
    checks.check(world, expected.outcome(world, "a.yaml"), ran)
    return [one.reason for one in ran.results]
