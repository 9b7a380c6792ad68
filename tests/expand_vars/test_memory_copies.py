"""What the law of generated resources has found of copies, each in its shortest form."""

from __future__ import annotations

from tests.expand_vars.memory import model
from tests.expand_vars.memory.small import COLORS, behind_a_namespace, generated, kept, run
from tests.expand_vars.memory.world import Config, Doc


def test_copies_of_what_a_functionconfig_of_another_name_generated() -> None:
    """The state knows the name and the file, and none of them has either: the template is made anew."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    world.configs["a.yaml"].name = "b"
    told = run(world)
    assert sorted(world.docs) == ["configmap_colors.yaml", "one.yaml", "two.yaml"]
    assert [one.reason for one in told if one.severity == "warning"] == ["TakenOver", "Copied"]


def test_a_copy_is_not_taken_for_the_original_that_was_deleted() -> None:
    """It stays as it is, also when the template goes, and every run names it."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    copy = text.replace("name: colors\n", "name: canary\n").replace("sky: blue", "sky: red")
    world.docs["canary.yaml"] = Doc(copy, {})
    world.configs["a.yaml"].templates = [COLORS | {"data": {"sky": "green"}}]
    for _ in range(2):
        assert [(one.reason, one.name) for one in run(world)] == [("Copied", "canary")]
    assert model.tree(world.docs["configmap_colors.yaml"].text)["data"] == {"sky": "green"}
    del world.docs["configmap_colors.yaml"]
    world.configs["a.yaml"].templates = [COLORS | {"metadata": {"name": "other"}}]
    for _ in range(3):
        assert [(one.reason, one.name) for one in run(world)] == [("Copied", "canary")]
    assert sorted(world.docs) == ["canary.yaml", "configmap_other.yaml"]
    assert world.docs["canary.yaml"].text == copy


def test_copies_of_which_no_state_knows_whose_template_goes() -> None:
    """Either may be the original: both stay, and that is told."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    world.states.clear()
    world.configs["a.yaml"].templates = [COLORS | {"metadata": {"name": "other"}}]
    told = [one for one in run(world) if one.severity == "warning"]
    assert [one.reason for one in told] == ["AmbiguousCopies"]
    assert told[0].message == (
        "several items may be what was generated as this, and nobody can tell which: `one` in `one.yaml`, `two` in "
        "`two.yaml`. Each stays as it is: delete the annotation `expandvars.dev/generated-by` of the others, or give "
        "each its own name"
    )
    assert sorted(world.docs) == ["configmap_other.yaml", "one.yaml", "two.yaml"]


def test_a_copy_by_search_and_replace() -> None:
    """Its file sorts first: the generated name decides."""
    world = generated()
    text = world.docs["configmap_colors.yaml"].text
    copy = text.replace("name: colors\n", "name: canary\n").replace("sky: blue", "sky: red")
    world.docs["canary.yaml"] = Doc(copy, {})
    world.configs["a.yaml"].templates = [COLORS | {"data": {"sky": "green"}}]
    assert [(one.reason, one.name) for one in run(world)] == [("Copied", "canary")]
    assert model.tree(world.docs["canary.yaml"].text)["data"] == {"sky": "red"}
    assert model.tree(world.docs["configmap_colors.yaml"].text)["data"] == {"sky": "green"}


def test_copies_by_search_and_replace_of_what_has_another_name() -> None:
    """Neither has the generated name, or its file: both are copies."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors\n", f"name: {name}\n"), {})
    before = {path: doc.text for path, doc in world.docs.items()}
    assert [(one.reason, one.name) for one in run(world)] == [("Copied", "one")]
    assert {path: doc.text for path, doc in world.docs.items()} == {**before, "configmap_colors.yaml": text}


def test_copies_without_the_original_whose_template_goes() -> None:
    """None of them is pruned, and that is told: they would stay for ever in silence."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    world.configs["a.yaml"].templates = [COLORS | {"metadata": {"name": "other"}}]
    for _ in range(2):
        (told,) = run(world)
        assert (told.reason, told.severity) == ("Copied", "warning")
        assert told.message == (
            "these are copies of generated resources, and stay as they are: `one` in `one.yaml`, `two` in `two.yaml`. "
            "Delete their annotation `expandvars.dev/generated-by`, and they are yours"
        )
    assert sorted(world.docs) == ["configmap_other.yaml", "one.yaml", "two.yaml"]


def test_copies_without_the_original_beside_one_that_has_its_name() -> None:
    """That one is the original from now on: the others are copies, which is told until they lose their marks."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    for name in ("one", "two"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    world.docs["own.yaml"] = Doc("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\ndata:\n  sky: blue\n", {})
    told = [(one.reason, one.name) for one in run(world)]
    assert sorted(told) == [("Adopted", "colors"), ("Copied", "one")]
    assert [one.reason for one in run(world)] == ["Copied"]


def test_copies_that_are_closed_to_functions_beside_the_original() -> None:
    """Nothing is unclear: they keep what they say, since nobody may touch them."""
    world = generated()
    text = world.docs["configmap_colors.yaml"].text
    for name in ("one", "two"):
        copy = text.replace("name: colors", f"name: {name}", 1)
        copy = copy.replace("  annotations:\n", '  annotations:\n    expandvars.dev/skip: "true"\n', 1)
        world.docs[f"{name}.yaml"] = Doc(copy, {})
    before = {path: doc.text for path, doc in world.docs.items()}
    assert run(world) == []
    assert {path: doc.text for path, doc in world.docs.items()} == before


def test_copies_behind_a_namespace() -> None:
    """One by hand, the other by search and replace: the original is known by its name alone, wherever it sorts."""
    world = behind_a_namespace()
    text = world.docs["colors.yaml"].text
    world.docs["a-copy.yaml"] = Doc(text.replace("name: colors", "name: one", 1), {})
    world.docs["z-copy.yaml"] = Doc(text.replace("name: colors\n", "name: two\n"), {})
    world.configs["a.yaml"].templates = [COLORS | {"data": {"sky": "green"}}]
    assert [(one.reason, one.name) for one in run(world)] == [("Copied", "one")]
    skies = {path: model.tree(doc.text)["data"]["sky"] for path, doc in world.docs.items()}
    assert skies == {"a-copy.yaml": "blue", "colors.yaml": "green", "z-copy.yaml": "blue"}
    assert [one.reason for one in run(world)] == ["Copied"]


def test_copies_behind_a_namespace_in_others() -> None:
    """Which of the namespaces a function has set, nobody knows."""
    world = behind_a_namespace()
    text = world.docs["colors.yaml"].text
    world.docs["test.yaml"] = Doc(text.replace("namespace: prod", "namespace: test"), {})
    before = {path: doc.text for path, doc in world.docs.items()}
    assert [(one.reason, one.name) for one in run(world)] == [("AmbiguousCopies", "colors")]
    assert {path: doc.text for path, doc in world.docs.items()} == before


def test_a_template_in_a_namespace_has_an_original_in_that_alone() -> None:
    """Else a copy in another namespace would be taken for it."""
    world = behind_a_namespace("shop")
    text = world.docs.pop("colors.yaml").text
    for name in ("one", "colors"):
        world.docs[f"{name}.yaml"] = Doc(text.replace("name: colors", f"name: {name}", 1), {})
    assert [(one.reason, one.name) for one in run(world)] == [("Copied", "colors")]


def test_a_template_moves_to_another_functionconfig_beside_a_copy_of_its_name() -> None:
    """The generated item is handed over, and not the copy adopted, though its file sorts first."""
    world = kept(COLORS)
    text = world.docs["configmap_colors.yaml"].text
    world.docs["a-copy.yaml"] = Doc(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\ndata:\n  mine: 1\n", {}
    )
    world.configs = {"a.yaml": Config("a", {}), "b.yaml": Config("b", {}, [COLORS])}
    assert [one.reason for one in run(world, "b.yaml")] == ["HandedOver"]
    assert "expandvars.dev" not in world.docs["a-copy.yaml"].text
    assert world.docs["configmap_colors.yaml"].text == text.replace("ExpandVars/a", "ExpandVars/b")
