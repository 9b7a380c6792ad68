"""What the law of generated resources has found, each in its shortest form."""

from __future__ import annotations

import pytest

from tests.expand_vars.memory import branches, model, orchestrator, steps
from tests.expand_vars.memory.machine import Package
from tests.expand_vars.memory.model import NOWHERE, Keyed
from tests.expand_vars.memory.small import COLORS, behind_a_namespace, generated, kept, run, run_by_the_law
from tests.expand_vars.memory.world import SKIP, Config, Doc, World


def test_a_template_with_a_variable_in_its_name_moves_to_where_that_has_another_value() -> None:
    """The resource goes with it, and all that the user added; it is not left behind beside a new one."""
    colors = COLORS | {"metadata": {"name": "$(REGION)-colors"}}
    other = COLORS | {"metadata": {"name": "other"}}
    for order in (("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")):
        world = World()
        world.configs = {
            "a.yaml": Config("a", {"REGION": "eu"}, [colors, other]),
            "b.yaml": Config("b", {"REGION": "us"}),
        }
        run(world, "a.yaml")
        text = world.docs["configmap_eu-colors.yaml"].text.replace("\ndata:\n", "\ndata:\n  mine: kept\n")
        world.docs["configmap_eu-colors.yaml"] = Doc(text, {})
        world.configs["b.yaml"].templates.append(world.configs["a.yaml"].templates.pop(0))
        told = [one.reason for config in order for one in run(world, config)]
        assert "HandedOver" in told
        assert sorted(world.docs) == ["configmap_eu-colors.yaml", "configmap_other.yaml"]
        assert "\n  name: us-colors\n" in world.docs["configmap_eu-colors.yaml"].text
        assert "\n  mine: kept\n" in world.docs["configmap_eu-colors.yaml"].text


def test_a_template_that_somebody_else_has_as_well_stays_where_it_is() -> None:
    """Each of the two generates one of its own: the names differ."""
    colors = COLORS | {"metadata": {"name": "$(REGION)-colors"}}
    world = World()
    world.configs = {path: Config(path[0], {"REGION": path[0]}, [colors]) for path in ("a.yaml", "b.yaml")}
    for config in (*world.configs, *world.configs):
        assert run(world, config) == []
    assert sorted(world.docs) == ["configmap_a-colors.yaml", "configmap_b-colors.yaml"]


def test_a_template_moves_behind_a_prefix_to_a_functionconfig_that_runs_later() -> None:
    """The former one knows the resource by what it generated: its name is the prefix's."""
    world = World()
    other = COLORS | {"metadata": {"name": "other"}}
    world.configs = {"a.yaml": Config("a", {}, [COLORS, other]), "b.yaml": Config("b", {})}
    run(world)
    path = "configmap_colors.yaml"
    text = orchestrator.prefix_names(orchestrator.set_labels(world.docs[path].text))
    world.docs[path] = Doc(text, {})
    world.configs["b.yaml"].templates.append(world.configs["a.yaml"].templates.pop(0))
    told = [one.reason for config in world.configs for one in run(world, config)]
    assert (sorted(world.docs), told) == ([path, "configmap_other.yaml"], ["HandedOver"])
    assert "\n  name: pre-colors\n" in world.docs[path].text
    assert "\n    env: prod\n" in world.docs[path].text


def test_two_functionconfigs_of_one_template_behind_a_prefix() -> None:
    """They would take it from each other in turn."""
    world = generated()
    world.docs["configmap_colors.yaml"] = Doc(orchestrator.prefix_names(world.docs["configmap_colors.yaml"].text), {})
    world.configs["b.yaml"] = Config("b", {}, [COLORS])
    ran = orchestrator.run(world.files, "b.yaml")
    assert (ran.code, [one.reason for one in ran.results]) == (1, ["TwoOwners"])


def test_a_template_with_a_variable_in_its_name_and_a_functionconfig_of_another_name() -> None:
    """Both change at once: the resource is known by its template."""
    world = World()
    world.configs["a.yaml"] = Config("a", {"REGION": "eu"}, [COLORS | {"metadata": {"name": "$(REGION)-colors"}}])
    run(world)
    world.configs["a.yaml"].name, world.configs["a.yaml"].values = "b", {"REGION": "us"}
    assert [one.reason for one in run(world)] == ["TakenOver", "Renamed"]
    assert [model.tree(one.text)["metadata"]["name"] for one in world.docs.values()] == ["us-colors"]


def test_a_search_and_replace_of_a_name_in_a_resource_and_its_state_is_taken_back_with_a_word() -> None:
    world = generated()
    (path,) = world.docs
    world.docs[path] = Doc(world.docs[path].text.replace("name: colors", "name: paints"), {})
    world.states = {one: text.replace("name: colors", "name: paints") for one, text in world.states.items()}
    assert [(one.reason, one.severity, one.message) for one in run(world)] == [
        (
            "Renamed",
            "warning",
            "this was `v1/ConfigMap/paints`, and is called now as it is generated: rename it in the template",
        )
    ]
    assert "name: colors" in world.docs[path].text


def test_one_of_two_functionconfigs_drops_the_template_that_both_have() -> None:
    """The other one has an item of its own already: it takes no second one."""
    colors, other = COLORS | {"metadata": {"name": "$(REGION)-colors"}}, COLORS | {"metadata": {"name": "other"}}
    world = World()
    world.configs = {path: Config(path[0], {"REGION": path[0]}, [colors]) for path in ("a.yaml", "b.yaml")}
    for config in world.configs:
        run(world, config)
    world.configs["a.yaml"].templates = [other]
    told = [(one.reason, one.name) for config in world.configs for one in run(world, config)]
    assert told == [("UnusedVariable", "a"), ("Pruned", "a-colors")]
    assert sorted(world.docs) == ["configmap_b-colors.yaml", "configmap_other.yaml"]


def test_an_item_gets_the_name_of_what_another_functionconfig_generated_and_is_handed_over() -> None:
    """Both know it, and the former one forgets it in the same run: the next one changes nothing."""
    world = World()
    shop, prod = (COLORS | {"metadata": {"name": "colors", "namespace": one}} for one in ("shop", "prod"))
    world.configs = {"a.yaml": Config("a", {}, [shop]), "b.yaml": Config("b", {}, [prod])}
    for config in world.configs:
        run(world, config)
    del world.docs["prod/configmap_colors.yaml"]
    path = "shop/configmap_colors.yaml"
    world.docs[path] = Doc(orchestrator.set_namespace(world.docs[path].text), {})
    world.configs["a.yaml"].templates = []
    assert [one.reason for config in world.configs for one in run(world, config)] == ["HandedOver"]
    assert sorted(world.states) == ["b.generated.yaml"]
    files = world.files
    assert [one.reason for config in world.configs for one in run(world, config)] == []
    assert world.files == files


BEHIND = {
    "a namespace": ("", "prod", "colors"),
    "another namespace than the template says": ("shop", "prod", "colors"),
    "a name prefix": ("", "prod", "eu-colors"),
    "a name prefix, in the namespace that the template says": ("shop", "shop", "eu-colors"),
    "a name suffix, in another namespace": ("shop", "prod", "colors-v2"),
}


@pytest.mark.parametrize(("stated", "namespace", "name"), BEHIND.values(), ids=BEHIND)
def test_a_file_behind_other_functions_is_moved_into_a_subpackage(stated: str, namespace: str, name: str) -> None:
    """It is generated again, and that is told once: namespace and name are another function's."""
    world = behind_a_namespace(stated)
    text = world.docs.pop("colors.yaml").text.replace("\n  name: colors\n", f"\n  name: {name}\n")
    world.docs["sub/colors.yaml"] = Doc(text.replace("namespace: prod", f"namespace: {namespace}"), {})
    (told,) = run(world)
    assert (told.reason, told.severity, told.name) == ("InOtherPackage", "warning", "colors")
    assert told.message == "other packages have this as well, in `sub/colors.yaml`: this one is added to them"
    new = f"{stated}/configmap_colors.yaml".removeprefix("/")
    assert sorted(world.docs) == sorted([new, "sub/colors.yaml"])
    assert run(world) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("generated-by: ExpandVars/a ", "generated-by: ExpandVars/b "), ("/ConfigMap//colors\n", "/ConfigMap//others\n")],
    ids=["another functionConfig's", "of another template"],
)
def test_what_a_subpackage_has_in_another_namespace_is_something_else(old: str, new: str) -> None:
    world = behind_a_namespace()
    text = world.docs.pop("colors.yaml").text
    assert old in text
    world.docs["sub/colors.yaml"] = Doc(text.replace(old, new, 1), {})
    assert run(world) == []
    assert sorted(world.docs) == ["configmap_colors.yaml", "sub/colors.yaml"]


@pytest.mark.parametrize(("stated", "told"), [("", ["InOtherPackage"]), ("shop", [])], ids=["no namespace", "another"])
def test_a_subpackage_is_an_instance_with_a_functionconfig_of_the_same_name(stated: str, told: list[str]) -> None:
    """Its own functionConfig generated what it has. That is told only where both may become one resource."""
    world = behind_a_namespace(stated)
    world.configs["sub/a.yaml"] = world.configs["a.yaml"]
    world.docs["sub/colors.yaml"] = world.docs.pop("colors.yaml")
    assert [one.reason for one in run(world)] == told


def test_one_of_two_has_the_namespace_of_its_template_which_is_none() -> None:
    """It is the original: who makes a copy for another namespace adds that line. To delete it looks just the same."""
    world = behind_a_namespace()
    text = world.docs.pop("colors.yaml").text
    world.docs["copy.yaml"] = Doc(text.replace("namespace: prod", "namespace: copy"), {})
    world.docs["without.yaml"] = Doc(text.replace("  namespace: prod\n", ""), {})
    (told,) = run(world)
    assert (told.reason, told.name) == ("Copied", "colors")
    assert "`colors` in `copy.yaml`" in told.message


LIMITS = (*steps.POD, "web", "resources", "limits")


@pytest.mark.parametrize(("entry", "told"), [("cpu", "Conflict"), ("memory", "KeptAddition")])
def test_a_limit_that_the_template_drops_and_the_user_sets(entry: str, told: str) -> None:
    """Each limit stands for itself, though the template has no `resources` any more."""
    template = model.put(steps.HEADS["Deployment"] | {"metadata": {"name": "web"}}, (*LIMITS, "cpu"), "1")
    world = kept(template)
    doc = world.docs["deployment_web.yaml"]
    world.docs["deployment_web.yaml"] = doc.edited(steps.write(doc.text, (*LIMITS, entry), "2"))
    world.configs["a.yaml"].templates = [steps.changed(template, (*LIMITS, "cpu"), NOWHERE)]
    assert told in run_by_the_law(world)


ENTRIES: list[tuple[model.Tree, model.Path]] = [
    (COLORS | {"data": {"a": "blue", "b": "red", "c": "green"}}, ("data",)),
    (
        {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "it"}}
        | {"spec": {"parts": Keyed(p={"name": "p", "a": "blue", "b": "red", "c": "green"})}},
        ("spec", "parts", "p"),
    ),
]


@pytest.mark.parametrize(("template", "at"), ENTRIES, ids=["of a mapping", "of an element"])
def test_an_entry_that_one_branch_writes_elsewhere_and_the_other_drops(template: model.Tree, at: model.Path) -> None:
    """git cannot merge the states, whose line both changed: by ours the entry was generated, and is taken away here."""
    base = kept(template)
    ours, theirs = base.copy(), base.copy()
    dropped = model.put(template, (*at, "a"), NOWHERE)
    ours.configs["a.yaml"].templates = [model.put(model.put(dropped, (*at, "a"), "blue"), (*at, "c"), "new")]
    theirs.configs["a.yaml"].templates = [dropped]
    for side in (ours, theirs):
        run_by_the_law(side)
    repository = branches.Repository()
    merged = branches.merged(repository, base, ours, theirs)
    repository.close()
    assert model.at(merged.configs["a.yaml"].templates[0], (*at, "a")) == "blue"
    (doc,) = merged.docs.values()
    assert model.at(doc.tree, (*at, "a")) is NOWHERE
    assert run_by_the_law(merged) == ["LocalOverride"]
    assert "a: blue" not in next(iter(merged.docs.values())).text


def test_keys_that_only_change_their_place_in_a_template() -> None:
    """The order of keys is no data: no byte changes, of the state either."""
    world = generated()
    world.configs["a.yaml"].templates = [COLORS | {"data": {"sky": "blue", "sea": "green"}}]
    run(world)
    before = world.docs["configmap_colors.yaml"].text, world.states
    world.configs["a.yaml"].templates = [COLORS | {"data": {"sea": "green", "sky": "blue"}}]
    assert run(world) == []
    assert (world.docs["configmap_colors.yaml"].text, world.states) == before


def test_all_comments_of_what_is_pruned_are_named() -> None:
    """kpt puts the first of them behind the dash of the item, and some stand in brackets."""
    world = kept(COLORS | {"data": {"sky": "blue"}})
    (path,) = world.docs
    text = f"# one\n# two\n{world.docs[path].text}".replace("\n  sky: blue\n", "\n  sky: blue # three\n")
    world.docs[path] = Doc(text.replace("\n  name: colors\n", "\n  name: colors\n  labels: { # four\n  }\n", 1), {})
    world.configs["a.yaml"].templates = [COLORS | {"metadata": {"name": "other"}}]
    (told,) = run(world)
    assert told.message == (
        "this is no longer generated, and is deleted; its comments were `# one`, `# two`, `# four`, `# three`"
    )


def test_of_two_states_in_a_file_the_first_goes() -> None:
    """One without entries. What parted them stays above the other one, which the next run reads."""
    world = generated()
    (state,) = world.states
    other = world.states[state].replace("ExpandVars/a", "ExpandVars/gone").replace("  name: a\n", "  name: gone\n")
    other = other.partition("  resources:\n")[0] + "  resources: {}\n"
    files = world.files | {state: f"{other}---\n{world.states[state]}"}
    for _ in range(2):
        ran = orchestrator.run_on_disk(files, "a.yaml")
        assert (ran.code, ran.results) == (0, [])
        assert ran.files == world.files | {state: f"---\n{world.states[state]}"}
        files = ran.files


def test_a_text_of_the_shape_of_its_template_is_an_edit_all_the_same() -> None:
    """Nobody but the user has written it."""
    at = (*steps.POD, "web", "env", "A")
    package = Package()
    package.repository.close()
    template = steps.HEADS["Deployment"] | {"metadata": {"name": "web"}}
    package.world.configs["a.yaml"] = Config(
        "a", {"REGION": "eu"}, [model.put(template, at, {"name": "A", "value": "$(REGION)"})]
    )
    run_by_the_law(package.world)
    package.change("deployment_web.yaml", (*at, "value"), "red", "user_changes_a_field")
    package.change("deployment_web.yaml", ("spec", "replicas"), 3, "user_changes_a_field")
    assert "LocalOverride" in run_by_the_law(package.world)
    assert "value: red\n" in package.world.docs["deployment_web.yaml"].text


@pytest.mark.parametrize(("is_closed", "told"), [(True, "NotSelected"), (False, "NotPruned")])
def test_what_is_moved_and_stays_is_known_by_its_file_when_a_later_function_renames_it(
    told: str, *, is_closed: bool
) -> None:
    """Whether its author closed it, so that nothing is made beside it, or nothing at all is generated any more."""
    world = generated()
    text = world.docs.pop("configmap_colors.yaml").text
    if is_closed:
        text = text.replace("\n  annotations:\n", f"\n  annotations:\n    {SKIP}: 'true'\n")
    else:
        world.configs["a.yaml"].templates.clear()
    world.docs["apps/colors.yaml"] = Doc(text, {})
    files = []
    for _ in range(3):
        assert [one.reason for one in run(world)] == [told]
        files.append(sorted(world.files))
        text = orchestrator.prefix_names(world.docs["apps/colors.yaml"].text)
        world.docs["apps/colors.yaml"] = Doc(text, {})
    assert files[1:] == [files[0], files[0]]
