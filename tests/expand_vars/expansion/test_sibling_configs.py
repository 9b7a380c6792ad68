"""Items of another functionConfig, whose values are not this run's: told for what is in the final form as well."""

from __future__ import annotations

from textwrap import dedent

import pytest

from krm.generation.packages import Packages
from krm.resource import Resource
from tests.calls import counted
from tests.expand_vars.memory import orchestrator
from tests.expand_vars.memory.machine import OWN

HEAD = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: {}\nspec:\n  variables:\n"
EU = HEAD.format("ours") + "  - {name: REGION, value: eu}\n  - {name: COUNT, value: 2}\n"
US = HEAD.format("theirs") + "  - {name: REGION, value: us}\n  - {name: COUNT, value: 2}\n"
COLORS = """\
  templates:
  - apiVersion: v1
    kind: ConfigMap
    metadata: {name: colors}
    data: {region: $(REGION), count: $(COUNT)}
"""
POD = """\
  - apiVersion: v1
    kind: Pod
    metadata: {name: web}
    spec:
      containers:
      - name: web
        args: [$(REGION)]
"""
GENERATED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
  annotations:
    expandvars.dev/generated-by: ExpandVars/theirs /ConfigMap//colors
data: {region: us, count: "2"}
"""
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: shop\n"


def told(theirs: str, ours: str = EU, path: str = "sub/theirs.yaml") -> list[str]:
    """Return what our run says of the items that another functionConfig has generated."""
    files = {"ours.yaml": ours, path: theirs, "Kptfile": KPTFILE, "sub/Kptfile": KPTFILE, "own.yaml": OWN}
    ran = orchestrator.run(files, path)
    assert ran.code == 0, ran.results
    once = ran.files
    ran = orchestrator.run(once, "ours.yaml")
    assert (ran.code, ran.files) == (0, once)
    return [f"{one.severity} {one.name}: {one.message}" for one in ran.results if one.reason == "ValueNotTaken"]


def not_taken(name: str) -> str:
    return f"warning {name}: `REGION` is `us` here, and not `eu`: ExpandVars/theirs generates this, so change it there"


def test_a_field_in_the_final_form() -> None:
    assert told(US + COLORS) == [not_taken("colors")]


def test_a_field_that_the_kubelet_expands_is_told_once() -> None:
    assert told(US + COLORS + POD) == [not_taken("colors"), not_taken("web")]


def test_a_name_that_a_container_declares_is_its_own() -> None:
    own = "        env: [{name: REGION, value: mine}]\n"
    assert told(US + COLORS.replace("region: $(REGION), ", "") + POD + own) == []


@pytest.mark.parametrize("name", ["[a]", "{of: a}", "1", "null"])
def test_an_env_of_something_else_than_a_container(name: str) -> None:
    custom = "  - apiVersion: example.com/v1\n    kind: Runner\n    metadata: {name: runner}\n    spec:\n"
    env = f"      region: $(REGION)\n      env: [{{name: {name}}}, 1]\n"
    assert told(US + COLORS + custom + env) == [not_taken("colors"), not_taken("runner")]


@pytest.mark.parametrize(
    "declared",
    ["{name: REGION, value: eu}", "{name: REGION, value: '$(COUNT)'}", "{name: OTHER, value: us}"],
    ids=["equal", "that refers to another", "of another name"],
)
def test_a_value_that_is_no_other(declared: str) -> None:
    text = (US + COLORS).replace("{name: REGION, value: us}", declared)
    assert told(text) == []


def test_a_value_that_is_read_from_an_object() -> None:
    """Nobody knows it without that functionConfig's run."""
    source = "{name: REGION, valueFrom: {objectFieldRef: {kind: ConfigMap, name: own, fieldPath: data.a}}}"
    assert told((US + COLORS).replace("{name: REGION, value: us}", source)) == []


def test_a_functionconfig_without_variables() -> None:
    head = US.partition("  variables:\n")[0]
    assert told(head + COLORS.replace("$(REGION)", "us").replace("$(COUNT)", "2")) == []


def test_of_two_functionconfigs_in_one_package_each_has_its_own_values() -> None:
    assert told(US + COLORS, path="theirs.yaml") == []


def test_a_namesake_in_another_package() -> None:
    """As a subpackage has it that is a copy of the package around it."""
    (message,) = told((US + COLORS).replace("name: theirs", "name: ours"))
    assert message == (
        "warning colors: `REGION` is `us` here, and not `eu`: the ExpandVars/ours of its own package generates this, "
        "so change it there"
    )


def test_a_functionconfig_alone_is_compared_with_none() -> None:
    """Nobody has to know which items are in which package then, which takes a look at each of them."""
    files = {"ours.yaml": EU, "Kptfile": KPTFILE, "own.yaml": OWN}
    assert counted(lambda: orchestrator.run(files, "ours.yaml"), of=Packages.__init__.__code__) == 0


@pytest.mark.pure
def test_each_generated_item_is_asked_for_its_generator_once() -> None:
    """However many packages have a functionConfig of their own."""
    assert asked_of_items(40) - asked_of_items(20) == 2 * (asked_of_items(20) - asked_of_items(10))


def asked_of_items(packages: int) -> int:
    """Return how often items are asked for an annotation in a run over so many packages, each with its own values."""
    files = {"ours.yaml": EU, "Kptfile": KPTFILE}
    for number in range(packages):
        files[f"sub{number}/Kptfile"] = KPTFILE
        files[f"sub{number}/theirs.yaml"] = US + COLORS
        files[f"sub{number}/colors.yaml"] = GENERATED
    return counted(lambda: orchestrator.run(files, "ours.yaml"), of=Resource.annotation.__code__)


def test_what_the_templates_of_others_hold_is_no_concern_of_ours() -> None:
    """A mistake in a functionConfig is told by its own run."""
    broken = HEAD.format("theirs") + "  - 1\n  - {name: REGION, value: [us]}\n  templates: [1, {kind: ConfigMap}]\n"
    ran = orchestrator.run({"ours.yaml": EU, "theirs.yaml": broken}, "ours.yaml")
    assert (ran.code, ran.results) == (0, [])


def test_without_a_functionconfig_of_our_own() -> None:
    files = orchestrator.run({"theirs.yaml": US + COLORS}, "theirs.yaml").files
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\ndata: {REGION: eu}\n"
    ran = orchestrator.run_with(files, Resource(text, (0, len(text)), "the functionConfig"))
    assert not_taken("colors").removeprefix("warning colors: ") in [one.message for one in ran.results]


THEIRS = HEAD.format("theirs") + "  - {name: COLOR, value: blue}\n"
OTHERS = HEAD.format("zz") + "  - {name: COLOR, value: red}\n"
PLAIN = dedent(POD.replace("  - api", "    api", 1)).replace("REGION", "COLOR")
REMEDY = "`ExpandVars/theirs` declares it, which does not count here: declare it in this functionConfig too"


def unresolved(spec: str, theirs: str = THEIRS, **files: str) -> list[str]:
    """Return what a run says of the names that have no value in it."""
    named = {f"{name}.yaml": text for name, text in files.items()}
    ran = orchestrator.run({"ours.yaml": EU + spec, "theirs.yaml": theirs, "own.yaml": OWN} | named, "ours.yaml")
    assert ran.code == 0, ran.results
    return [f"{one.name} {one.field}: {one.message}" for one in ran.results if one.reason == "UnresolvedReference"]


def test_a_name_in_a_template_that_another_functionconfig_declares() -> None:
    """Its value never comes here, in no later render either: a generated resource has one giver of values."""
    made = COLORS.replace("COUNT", "COLOR") + POD.replace("REGION", "COLOR")
    assert unresolved(made) == [
        f"colors data.count: no variable defines `$(COLOR)`: {REMEDY}",
        f"web spec.containers[name=web].args[0]: nothing defines `$(COLOR)` in container `web`, so it stays: {REMEDY}",
    ]


def test_a_name_in_a_field_that_the_other_functionconfig_expands() -> None:
    said = "nothing defines `$(COLOR)` in container `web`, so it stays"
    hint = "`ExpandVars/theirs` declares it, and expands it here when it runs"
    assert unresolved("", web=PLAIN) == [f"web spec.containers[name=web].args[0]: {said}: {hint}"]
    # So it does in a field that cannot hold a reference. A target is of one functionConfig.
    image = PLAIN.replace("args: [$(COLOR)]", "image: web:$(COLOR)")
    assert unresolved("", web=image) == [f"web spec.containers[name=web].image: no variable defines `$(COLOR)`: {hint}"]
    target = "  targets: [{fieldPaths: [metadata.annotations.a]}]\n"
    free = "apiVersion: v1\nkind: Pod\nmetadata: {name: web, annotations: {a: $(COLOR)}}\n"
    assert unresolved(target, web=free) == [f"web metadata.annotations.a: no variable defines `$(COLOR)`: {REMEDY}"]


@pytest.mark.parametrize(
    "theirs",
    [
        EU.replace("ours", "theirs"),
        HEAD.format("theirs") + "  - COLOR\n",
        THEIRS.replace("name: theirs", "name: ''"),
    ],
    ids=["other names", "nothing that is one", "no name"],
)
def test_a_name_that_no_other_functionconfig_declares(theirs: str) -> None:
    (said,) = unresolved(COLORS.replace("COUNT", "COLOR"), theirs)
    hint = "it stays as it is written, until `variables` or an argument declares it"
    assert said == f"colors data.count: no variable defines `$(COLOR)`: {hint}"


def test_of_two_functionconfigs_that_declare_a_name_the_first_is_named() -> None:
    (said,) = unresolved(COLORS.replace("COUNT", "COLOR"), zz=OTHERS)
    assert said.endswith(REMEDY)


def test_a_name_in_a_secret_is_not_compared_with_those_of_others() -> None:
    """It may be part of the secret."""
    secret = COLORS.replace("ConfigMap", "Secret").replace("COUNT", "COLOR").replace(" data:", " stringData:")
    (said,) = unresolved(secret)
    hint = "it stays as it is written, until `variables` or an argument declares it"
    assert said == f"colors stringData.count: no variable defines a name in here: {hint}"
