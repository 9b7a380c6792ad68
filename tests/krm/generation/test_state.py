"""The state of what was generated: read as anybody may have written it, refused as a whole, and where it stands."""

from __future__ import annotations

import json
import re

import pytest
import yaml

from krm import resourcelist
from krm.generation.state import StateEntry
from tests.krm.generation.test_generating import (
    BOTH,
    CONFIG,
    CONFIG_MAP,
    GENERATED,
    GREY,
    LOGIN,
    STATE,
    generate,
    grey,
    told,
)

GREYER = CONFIG_MAP.replace("blue", "grey")
GREY_ITEM = grey(BOTH).partition("---\n")[0]
LABEL = "expandvars.dev/v1alpha1/GeneratedResources/shop"
WITHOUT = "this state lacks its `apiVersion`, its `generatedBy` or its `resources`"
TWO = "Maker/shop has two states, and nobody can tell which is right"
NOTE = "    config.kubernetes.io/"


def at(text: str, file: str, index: int | None = None) -> str:
    """Return an object as an orchestrator sends it: with its file, and its place in that."""
    notes = f"{NOTE}path: {file}\n" + ("" if index is None else f'{NOTE}index: "{index}"\n')
    head = "  annotations:\n"
    return text.replace(head, head + notes, 1) if head in text else text.replace("  name", f"{head}{notes}  name", 1)


LOST: dict[str, tuple[str, str]] = {
    "two of one functionConfig": (f"{BOTH}---\n{STATE}", TWO),
    "two, with files": (f"{GENERATED}---\n{at(STATE, 'a.yaml')}---\n{at(STATE, 'b.yaml')}", TWO),
    "nobody's": (BOTH.replace("  generatedBy: Maker/shop\n", ""), WITHOUT),
    "without entries": (BOTH.partition("  resources:")[0], WITHOUT),
    "entries in a text": (BOTH.partition("  resources:")[0] + "  resources: all\n", WITHOUT),
    "nothing but a head": (BOTH.partition("spec:")[0], WITHOUT),
    "without a version": (BOTH.replace("apiVersion: expandvars.dev/v1alpha1\n", ""), WITHOUT),
    "another version": (
        BOTH.replace("expandvars.dev/v1alpha1", "expandvars.dev/v2"),
        "this state is of `expandvars.dev/v2`, and this program reads `expandvars.dev/v1alpha1`",
    ),
}


@pytest.mark.parametrize(("items", "problem"), LOST.values(), ids=LOST)
def test_a_state_that_cannot_be_relied_on_counts_as_lost(items: str, problem: str) -> None:
    """It asks nobody: all of local stays, which is told, and a new state is written."""
    output = generate(items, GREYER)
    item, *_ = output.text.split("---\n")
    assert item == GENERATED
    assert {result.message for result in output.results if result.reason == "DamagedState"} == {
        f"{problem}, so it counts as lost: a new one is written, by what agrees with the templates now"
    }
    assert [result.field for result in output.results if result.reason == "MissingState"] == ["data.sky"]
    states = [one for one in resourcelist.read(output.text).items if one.kind == "GeneratedResources"]
    assert [(one.api_version, one.get("spec.generatedBy")) for one in states] == [
        ("expandvars.dev/v1alpha1", "Maker/shop")
    ]
    assert [result.reason for result in generate(output.text, GREYER).results] == ["LocalOverride"]


def test_a_state_of_somebody_else_that_cannot_be_read_is_theirs() -> None:
    other = STATE.replace("shop", "cart").replace("v1alpha1", "v2")
    output = generate(f"{BOTH}---\n{other}", GREYER)
    assert (output.text, told(output)) == (f"{grey(BOTH)}---\n{other}", [])


def test_in_a_pipe_a_state_that_is_lost_is_written_anew_too() -> None:
    output = generate(BOTH.replace("expandvars.dev/v1alpha1", "expandvars.dev/v2"), GREYER, is_in_place=False)
    assert ("expandvars.dev/v1alpha1" in output.text, f"yours/{GREY}" in output.text) == (True, True)


def written(state: str, **entry: object) -> str:
    """Return a state as data in brackets, as a formatter may write it; `entry` takes the place of its one."""
    data = yaml.safe_load(state)
    data["spec"]["resources"]["/ConfigMap//colors"] |= entry
    return yaml.safe_dump(data, default_flow_style=True, sort_keys=False, width=1000)


FORMS = {
    "as we write it": STATE,
    "in brackets": written(STATE),
    "JSON": json.dumps(yaml.safe_load(STATE)) + "\n",
    "its entries alone in brackets": re.sub(r"(?s)resources:.*", "resources: " + json.dumps(
        yaml.safe_load(STATE)["spec"]["resources"]), STATE) + "\n",
    "deeper, with comments and blank lines": re.sub(r"(?m)^    (?=/| )", "        ", STATE).replace(
        "        /", "\n        # mine\n\n        /"),
    "with a key behind the entries": f"{STATE}  comment: mine\n",
    "a bracket that ends at the margin": STATE.replace(", name: colors", ",\n    name: colors"),
    "a text that looks like the start of its entries": STATE.replace(
        "metadata:\n", 'metadata:\n  labels: {note: "\n  resources:\n    none"}\n'),
    "keys in another order": "spec:\n" + STATE.partition("spec:\n")[2] + STATE.partition("spec:\n")[0],
}  # fmt: skip


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("state", FORMS.values(), ids=FORMS)
def test_a_state_is_read_in_any_form(state: str, end: str) -> None:
    """And what is not of its entries stays as it is written, with its line ends."""
    output = generate(f"{GENERATED}---\n{state}".replace("\n", end), GREYER)
    item, _, after = output.text.replace(end, "\n").partition("---\n")
    assert (item, told(output)) == (GREY_ITEM, [])
    assert yaml.safe_load(after) == yaml.safe_load(grey(state))
    assert output.text.count("\n") == output.text.count(end)
    assert generate(output.text, GREYER).text == output.text


@pytest.mark.parametrize("indent", [None, 0, 2, "\t"])
def test_a_state_is_read_in_a_list_in_json_however_that_is_indented(indent: int | str | None) -> None:
    """The last line of an element may be indented there, as a line is at which a file was cut off."""
    items = [yaml.safe_load(GENERATED), yaml.safe_load(STATE)]
    given = json.dumps({"kind": "ResourceList", "items": items}, indent=indent)
    output = generate(given, GREYER)
    assert told(output) == []
    after = json.loads(output.text)
    assert after["items"] == [yaml.safe_load(GREY_ITEM), yaml.safe_load(grey(STATE))]
    assert generate(output.text, GREYER).text == output.text


def test_entries_are_written_in_their_place() -> None:
    around = STATE.replace("  resources:\n", "  resources:\n    # mine\n\n") + "  comment: mine\n"
    output = generate(f"{GENERATED}---\n{around}", GREYER)
    assert output.text == f"{GREY_ITEM}---\n{grey(around)}"


@pytest.mark.parametrize("comment", ["# mine, !important", "# as &all", "# see *all*", "# a\tb", "# |+"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
def test_the_entries_have_one_form_whatever_the_comments_of_a_state_say(comment: str, end: str) -> None:
    def added(above: str) -> str:
        state = STATE.replace("  resources:\n", f"  resources:\n    {above}\n")
        return generate(f"{GENERATED}---\n{state}".replace("\n", end), GREYER, LOGIN).text

    assert added(comment) == added("# mine").replace("# mine", comment)


def test_a_state_that_says_what_it_said_keeps_its_bytes() -> None:
    items = f"{GENERATED}---\n{STATE}# mine\n".replace("\n", "\r\n")
    output = generate(items, CONFIG_MAP)
    assert (output.text, told(output)) == (items, [])


@pytest.mark.parametrize("end", ["\n", ""], ids=["with a line end", "without"])
def test_a_state_in_a_list_is_written_there(end: str) -> None:
    items = "apiVersion: v1\nkind: List\nitems:\n" + "".join(
        "- " + text.replace("\n", "\n  ").rstrip(" ") for text in (GENERATED, STATE)
    )
    output = generate(items.removesuffix("\n") + end, GREYER)
    assert yaml.safe_load(output.text)["items"][1:] == [yaml.safe_load(grey(STATE))]
    assert told(output) == []


TWICE = {
    "an entry, as git joins two branches": STATE + STATE.partition("  resources:\n")[2],
    "an entry, three times": STATE + STATE.partition("  resources:\n")[2] * 2,
    "a field": f"{STATE}      data: {{sky: bgehhg}}\n",
    "a field in brackets": STATE.replace("sky: bgehhg", "sky: bgehhg, sky: bgehhg"),
    "a field of an entry with a comment": (
        STATE.replace("      generated", "      # mine\n      generated") + "      data: {sky: bgehhg}\n"
    ),
}


@pytest.mark.parametrize("state", TWICE.values(), ids=TWICE)
def test_a_key_that_is_there_twice_is_damage(state: str) -> None:
    output = generate(f"{GENERATED}---\n{state}", GREYER)
    damaged, kept, *_ = output.results
    assert (damaged.reason, kept.reason, kept.field) in (
        ("DamagedState", "MissingState", "data.sky"),
        ("DamagedState", "Conflict", "data.sky"),
    )
    assert output.text.startswith(GENERATED)
    assert output.text.count("data: {sky:") == 1
    assert [result.reason for result in generate(output.text, GREYER).results] == ["LocalOverride"]


GENERATED_AS = "{apiVersion: v1, kind: ConfigMap, name: colors, file: configmap_colors.yaml}"
WRITTEN_ANEW = "these entries are damaged, and written anew by what agrees with the templates now: `/ConfigMap//colors`"
DAMAGED = {
    "its name is gone": STATE.replace("name: colors, ", ""),
    "what it was generated as is a text": STATE.replace(GENERATED_AS, "colors"),
    "nothing of it is left": STATE.partition("      generated:")[0],
    "it was cut off": STATE.partition("{sky")[0] + "bge",
    "its mirror is a list": STATE.replace("{sky: bgehhg}", "[bgehhg]"),
    "its mirror has an alias": STATE.replace("bgehhg", "*sky"),
    "in brackets": written(STATE, generated="colors"),
    "a hash is a text": STATE.replace("bgehhg", "'a: b'"),
    "a hash is gone": STATE.replace("bgehhg", "''"),
    "its lines stand elsewhere": STATE.replace("data: {sky: bgehhg}", "data:\n          sky: bgehhg"),
    "a field is a leaf and a mapping": STATE.replace("data: {sky: bgehhg}", "data: bgehhg\n      data: {sky: bgehhg}"),
    "a field is a leaf and deeper": STATE.replace(
        "{sky: bgehhg}", "bgehhg\n      data:\n        sky:\n          a: bgehhg"
    ),
    "its head is there twice": STATE.replace("      data", f"      generated: {GENERATED_AS}\n      data").replace(
        "{sky: bgehhg}", "''"
    ),
    "its mirror has a merge key of nothing": STATE.replace("sky: bgehhg", "<<: *sky, a: *sky"),
}


@pytest.mark.parametrize("state", DAMAGED.values(), ids=DAMAGED)
def test_an_entry_that_somebody_damaged_is_told_and_written_anew(state: str) -> None:
    """All of local stays: nobody knows what the template has changed."""
    output = generate(f"{GENERATED}---\n{state}", GREYER)
    # Where nobody knows what was generated, it may have been there before.
    text = output.text.replace(", adopted: true", "").replace(", file: configmap_colors.yaml", "")
    item, _, after = text.partition("---\n")
    assert item == GENERATED
    assert yaml.safe_load(after) == yaml.safe_load(persons(grey(STATE)).replace(", file: configmap_colors.yaml", ""))
    damaged, kept, *_ = told(output)
    assert damaged == f"[warning] {LABEL}: {WRITTEN_ANEW}"
    assert kept in (NO_ENTRY, *map(NO_FIELD.format, ("has none", "has another value")))


def persons(state: str) -> str:
    """Return a state in which nobody knows that the one field was generated."""
    return re.sub(r"(?<=sky: )\w+", r"yours/\g<0>", state)


NO_ENTRY = (
    "[warning] v1/ConfigMap/colors data.sky: no state remembers what was generated here, and these fields have other "
    "values than are generated now: yours stay until you give them the generated ones"
)
NO_FIELD = (
    "[warning] v1/ConfigMap/colors data.sky: both sides changed this, origin {}, update `grey`, local `blue`: local's "
    "stays"
)


def test_a_hash_that_somebody_edited_is_a_value_that_both_sides_changed() -> None:
    """Where both agree nothing is told: nothing is lost."""
    edited = BOTH.replace("bgehhg", "edited")
    assert generate(edited, CONFIG_MAP).text == BOTH
    assert told(generate(edited, CONFIG_MAP)) == []
    assert told(generate(edited, GREYER)) == [
        (
            "[warning] v1/ConfigMap/colors data.sky: both sides changed this, origin has another value, update `grey`, "
            "local `blue`: update's is taken"
        ),
    ]


def test_an_entry_that_lost_its_fields_remembers_none() -> None:
    """So what both sides have and differs was added by both."""
    lost = BOTH.replace("      data: {sky: bgehhg}\n", "")
    assert generate(lost, CONFIG_MAP).text == BOTH
    assert told(generate(lost, CONFIG_MAP)) == []
    assert [result.reason for result in generate(lost, GREYER).results] == ["Conflict"]


def test_what_has_no_field_but_its_name_is_remembered_by_that() -> None:
    namespace = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n"
    first = generate("", namespace).text
    assert first.endswith(
        "  resources:\n    /Namespace//shop:\n      generated: {apiVersion: v1, kind: Namespace, name: shop, "
        "file: namespace_shop.yaml}\n"
    )
    output = generate(first, namespace)
    assert (output.text, told(output)) == (first, [])


def test_a_state_of_another_domain_is_an_object_like_any_other() -> None:
    other = STATE.replace("expandvars.dev", "example.org")
    output = generate(f"{other}---\n{BOTH}", GREYER)
    assert (output.text, told(output)) == (f"{other}---\n{grey(BOTH)}", [])


def test_an_object_that_only_speaks_of_states_is_none() -> None:
    speaking = CONFIG_MAP.replace("colors", "notes").replace("blue", "GeneratedResources")
    output = generate(f"{speaking}---\n{BOTH}", GREYER)
    assert (output.text, told(output)) == (f"{speaking}---\n{grey(BOTH)}", [])


CART = at(STATE.replace("shop", "cart").replace("colors", "shades"), "maker.generated.yaml", 0)
PLACES = {
    "beside its functionConfig": (at(CONFIG, "a/maker.yaml"), "a/maker.generated.yaml", 0),
    "by its name, without a file": (at(LOGIN, "a.yaml"), "shop.generated.yaml", 0),
    "behind that of another functionConfig of the file": (
        f"{at(CONFIG, 'maker.yaml')}---\n{at(CONFIG.replace('shop', 'cart'), 'maker.yaml', 1)}---\n{CART}",
        "maker.generated.yaml", 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("items", "file", "index"), PLACES.values(), ids=PLACES)
def test_the_place_of_a_new_state(items: str, file: str, index: int) -> None:
    output = generate(items, CONFIG_MAP)
    *_, state = resourcelist.read(output.text).items
    assert (state.kind, state.file, state.index, told(output)) == ("GeneratedResources", file, index, [])


def test_a_state_stays_where_its_author_has_moved_it() -> None:
    items = f"{at(CONFIG, 'maker.yaml')}---\n{at(GENERATED, 'configmap_colors.yaml')}---\n{at(STATE, 'old/b.yaml', 3)}"
    output = generate(items, GREYER)
    *_, state = resourcelist.read(output.text).items
    assert (state.file, state.index, told(output)) == ("old/b.yaml", 3, [])
    assert GREY in state.text


def test_the_file_of_another_object_is_no_place_for_a_state() -> None:
    items = f"{at(CONFIG, 'maker.yaml')}---\n{at(LOGIN, 'maker.generated.yaml')}"
    output = generate(items, CONFIG_MAP)
    assert (output.text, told(output)) == ("", [
        ("[error] maker.generated.yaml: v1/Secret/login: `maker.generated.yaml` is the file of the state of "
        "Maker/shop: move this to another file"),
    ])  # fmt: skip


def test_the_entry_of_what_its_author_has_deleted_goes_with_its_template() -> None:
    both = generate("", CONFIG_MAP, LOGIN).text
    _, login, state = both.split("---\n")
    output = generate(f"{login}---\n{state}", LOGIN)
    assert ("colors" in state, "colors" in output.text, told(output)) == (True, False, [])


def test_what_another_functionconfig_has_generated_by_that_name_is_not_what_was_dropped() -> None:
    own = at(GENERATED.replace("name: colors\n", "name: own\n", 1), "configmap_colors.yaml")
    other = GENERATED.replace("name: colors\n", "name: colors\n  namespace: a\n", 1)
    other = other.replace("Maker/shop /ConfigMap//", "Maker/cart /ConfigMap/a/")
    output = generate(f"{own}---\n{other}---\n{STATE}")
    assert [result.reason for result in output.results] == ["NotPruned"]
    assert STATE in output.text


def test_what_a_functionconfig_without_a_state_generated_is_taken_over_as_it_is() -> None:
    """Nobody knows what the template has changed since: all of local stays, and both are told."""
    output = generate(GENERATED.replace("shop", "old"), GREYER)
    assert output.text.startswith(GENERATED)
    assert [result.reason for result in output.results] == ["MissingState", "TakenOver"]


def test_of_two_functionconfigs_that_are_gone_one_gives_its_resource() -> None:
    """Both generated from one template, each under a name of its own: the other is named as an orphan."""
    first, second = (f"{GENERATED}---\n{STATE}".replace("shop", name) for name in ("old", "older"))
    second = second.replace("name: colors\n", "name: shades\n", 1).replace("name: colors,", "name: shades,")
    config = f"{CONFIG}---\n"
    output = generate(f"{config}{first}---\n{second}", GREYER)
    kinds = [item.kind for item in resourcelist.read(output.text).items]
    assert kinds == ["Maker", "ConfigMap", "ConfigMap", "GeneratedResources", "GeneratedResources"]
    assert "name: colors\n  annotations:\n    expandvars.dev/generated-by: Maker/shop " in output.text
    assert [result.reason for result in output.results] == ["TakenOver", "Orphaned"]


def test_a_state_whose_functionconfig_and_resources_are_gone_is_named_and_stays() -> None:
    state = STATE.replace("Maker/shop", "Maker/old").replace("name: shop\n", "name: old\n")
    output = generate(f"{CONFIG}---\n{state}", LOGIN)
    assert [(one.reason, str(one.ref)) for one in output.results] == [
        ("Orphaned", "expandvars.dev/v1alpha1/GeneratedResources/old")
    ]
    assert state in output.text


def test_a_state_without_entries_goes() -> None:
    output = generate(BOTH, prune="All")
    assert [str(one) for one in output.results] == [
        "[info] v1/ConfigMap/colors: this is no longer generated, and is deleted",
    ]
    assert output.text == ""


@pytest.mark.parametrize("leaf", ["ABCDEF", "yours/ABCDEF", "yours/ABCDEF yours/GHIJKL"])
def test_a_secret_is_one_whoever_wrote_it(leaf: str) -> None:
    entry = StateEntry(("v1", "ConfigMap", "", "colors"), "", f"data: {{sky: {leaf}, sea: bgehhg}}")
    assert entry.secrets == {("data", "sky")}
