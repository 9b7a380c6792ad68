"""Files as a whole: which objects are one, and where new ones come in."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kubectl.apply import apply
from krm.merge.merge2 import merge2
from krm.merge.policy import Policy
from krm.results import ERROR, INFO, WARNING, FnError, as_line
from tests.krm.merge import sides

if TYPE_CHECKING:
    from krm.merge.files.object_merge import Merge
    from krm.merge.policy import OnConflict
    from krm.results import Output

OLD = "extensions/v1beta1/Ingress/web"
OWNED = "metadata: {name: %s, annotations: {expandvars.dev/generated-by: ExpandVars/gen}}\n"


def merged(origin: str, update: str, local: str) -> Output:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    return composition.merge(before, new, own, BaseRule(Policy()))


def applied(update: str, live: str) -> str:
    return composition.merge(File("", ""), File(update, "a.yaml"), File(live, "a.yaml"), apply).text


def overlaid(update: str, local: str) -> str:
    output = composition.merge(
        File("", ""), File(update, "u"), File(local, "l"), lambda _, new, own, schema: merge2(new, own, schema)
    )
    return output.text


def config_map(name: str, data: str, *, indented: bool = False) -> str:
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {data}\n"
    return "- " + text.replace("\n", "\n  ").rstrip(" ") if indented else text


def listed(*elements: str) -> str:
    items = "".join(elements) or " []\n"
    return f"apiVersion: v1\nkind: List\nitems:{chr(10) if elements else ''}{items}"


NEW, KEPT = config_map("new", "{n: 1}"), config_map("kept", "{k: 1}")

MATCHED = {
    "moved": (
        "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec: {a: 1}\n",
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {a: 1}\n",
        "apiVersion: extensions/v1beta1\nkind: Ingress\nmetadata: {name: web}\nspec: {a: 2}\n",
        "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nspec: {a: 2}\n",
        f"its kind and its name: origin {OLD}, update networking.k8s.io/v1/Ingress/web, local {OLD}",
    ),
    "generated": (
        f"kind: A\n{OWNED % 'a'}---\nkind: B\n",
        f"kind: A\n{OWNED % 'b'}spec: 2\n---\nkind: B\n",
        f"kind: A\n{OWNED % 'a'}mine: 1\n---\nkind: B\n",
        f"kind: A\n{OWNED % 'b'}mine: 1\nspec: 2\n---\nkind: B\n",
        "its annotation `generated-by`: origin A/a, update A/b, local A/a",
    ),
    "generated name": (
        "kind: Job\nmetadata: {generateName: a-}\nspec: 1\n---\nkind: Job\nmetadata: {generateName: b-}\n",
        "kind: Job\nmetadata: {generateName: b-}\n---\nkind: Job\nmetadata: {generateName: a-}\nspec: 2\n",
        "kind: Job\nmetadata: {generateName: a-}\nspec: 1\nmine: 1\n---\nkind: Job\nmetadata: {generateName: b-}\n",
        "kind: Job\nmetadata: {generateName: b-}\n---\nkind: Job\nmetadata: {generateName: a-}\nspec: 2\nmine: 1\n",
        "its kind and its generateName: origin Job, update Job, local Job",
    ),
    "but name": (
        "kind: A\nmetadata: {name: a}\nspec: {x: [1, {y: 2}]}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: b}\nspec: {x: [1, {y: 2}]}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: a}\nspec: {x: [1, {y: 2}], z: 1}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: b}\nspec: {x: [1, {y: 2}], z: 1}\n---\nkind: B\n",
        "all but its name: origin A/a, update A/b, local A/a",
    ),
    "likeness": (
        "kind: A\nmetadata: {name: a}\nspec: {x: [1, {y: 2}]}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: b}\nspec: {x: [1, {y: 2}], w: 1}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: a}\nspec: {x: [1, {y: 2}], z: 1}\n---\nkind: B\n",
        "kind: A\nmetadata: {name: b}\nspec: {x: [1, {y: 2}], z: 1, w: 1}\n---\nkind: B\n",
        "its content: origin A/a, update A/b, local A/a",
    ),
    "a kind that is new": (
        "resources: [a]\n",
        "kind: K\nresources: [a]\n",
        "resources: [a]\nmine: 1\n",
        "kind: K\nresources: [a]\nmine: 1\n",
        "its content: origin one without a kind, update K, local one without a kind",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected", "message"), MATCHED.values(), ids=MATCHED)
def test_what_is_taken_for_one_object_is_reported(
    origin: str, update: str, local: str, expected: str, message: str
) -> None:
    output = merged(origin, update, local)
    assert output.text == expected
    # By its content alone, with a name that update gave and a field that local added, it is a guess.
    told = (
        (WARNING, "MatchedByContent")
        if message.startswith(("its content: origin A/a", "all but its name"))
        else (INFO, "Matched")
    )
    assert [(each.severity, each.reason, each.message) for each in output.results] == [
        (*told, f"taken for one object by {message}")
    ]


FLUX = "kind: K\nmetadata: {{name: {0}}}\nspec:\n  path: ./{0}\n  interval: 10m\n  prune: true\n  wait: {1}\n"
STAYS, OLD_ONE, NEW_ONE = (FLUX.format(name, "true") for name in ("a", "old", "new"))


def test_a_new_object_is_not_taken_for_a_deleted_one_by_what_all_of_its_kind_say() -> None:
    changed = FLUX.format("old", "false")
    output = merged(f"{STAYS}---\n{OLD_ONE}", f"{NEW_ONE}---\n{STAYS}", f"{STAYS}---\n{changed}")
    assert output.text == f"{NEW_ONE}---\n{STAYS}"
    assert [(each.severity, each.reason) for each in output.results] == [(WARNING, "Conflict")]


def test_objects_with_the_same_rules_are_renamed_ones_by_all_but_their_names() -> None:
    """ClusterRoles whose rules are each other's: nothing tells two of them apart but a label."""
    origin, update, local = (
        "---\n".join(
            f"kind: R\nmetadata: {{name: {name}-{to}, labels: {{{to}: ''}}}}\nrules: {rules}\n" for to in "abc"
        )
        for name, rules in (("old", 1), ("old", 2), ("new", 1))
    )
    output = merged(origin, update, local)
    assert output.text == update.replace("old", "new")
    assert [(each.severity, each.reason) for each in output.results] == [(WARNING, "MatchedByContent")] * 3


@pytest.mark.parametrize("is_in_place", [True, False])
def test_boilerplate_under_another_name_is_a_renamed_object_in_its_place_alone(*, is_in_place: bool) -> None:
    """As for git, which has a conflict of a deletion where the new one stands elsewhere."""
    old, changed, new = (
        f"kind: P\nmetadata: {{name: {name}}}\nspec: {n}\n" for name, n in (("o", 1), ("o", 2), ("n", 1))
    )
    other = new.replace("name: n", "name: x")
    local = [new, other] if is_in_place else [other, new]
    output = merged(f"{old}---\n{other}", f"{changed}---\n{other}", "---\n".join(local))
    renamed = new.replace("spec: 1", "spec: 2")
    assert output.text == "---\n".join([renamed, other] if is_in_place else [changed, other, new])
    assert [each.reason for each in output.results] == ["MatchedByContent" if is_in_place else "Conflict"]


def test_an_object_in_a_list_is_a_renamed_one_in_its_place() -> None:
    old, changed, new, other = (
        config_map(name, f"{{d: {n}}}", indented=True) for name, n in (("o", 1), ("o", 2), ("n", 1), ("x", 1))
    )
    output = merged(listed(old, other), listed(changed, other), listed(new, other))
    assert output.text == listed(new.replace("d: 1", "d: 2"), other)
    assert [each.reason for each in output.results] == ["MatchedByContent"]


def test_accounts_without_data_are_no_renamed_ones() -> None:
    account = "kind: ServiceAccount\nmetadata:\n  name: {}\n{}---\n"
    changed = account.format("a", "  labels: {l: u}\n")
    output = merged(account.format("a", "") + NEW, changed + NEW, account.format("b", "") + NEW)
    assert output.text == account.format("b", "") + changed + NEW
    assert [(each.severity, each.reason) for each in output.results] == [(WARNING, "Conflict")]


def test_what_tells_an_object_apart_shows_that_it_was_renamed() -> None:
    was, now, edited = (FLUX.format(*each) + "  own: 1\n  more: 2\n" for each in (("o", 1), ("n", 1), ("o", 2)))
    output = merged(f"{STAYS}---\n{was}", f"{STAYS}---\n{now}", f"{STAYS}---\n{edited}")
    assert output.text == f"{STAYS}---\n{now}".replace("wait: 1", "wait: 2")
    assert [(each.severity, each.reason) for each in output.results] == [(WARNING, "MatchedByContent")]


def test_objects_of_one_name_are_those_that_have_most_in_common_in_their_order() -> None:
    """Both sides' would come out otherwise, without a word: four where there are two."""
    names = [config_map("a", "\n  a: 1\n  b: 1\n  c: 1\n  z: 1"), config_map("a", "\n  b: 1\n  c: 1\n  d: 1\n  z: 1")]
    origin = "---\n".join(names)
    update, local = origin.replace("b: 1", "b: 2"), origin.replace("z: 1", "z: 3")
    expected = update.replace("z: 1", "z: 3")
    output = merged(origin, update, local)
    assert (output.text, output.results) == (expected, [])
    new = config_map("a", "\n  x: 1")
    assert merged(origin, update, f"{new}---\n{local}").text == f"{new}---\n{expected}"


def test_objects_of_a_kind_that_one_side_renamed_all_are_known_by_what_each_of_them_says() -> None:
    old, new = ([FLUX.format(f"{prefix}{name}", name) for name in "xyz"] for prefix in ("", "shop-"))
    old, new = ([f"{text}  own: {name}\n" for text, name in zip(each, "xyz", strict=True)] for each in (old, new))
    edited, came = (text.replace("10m", "5m") for text in (old[1], new[1]))
    output = merged("---\n".join(old), "---\n".join(new), "---\n".join((old[0], edited)))
    assert output.text == "---\n".join((new[0], came, new[2]))
    # Local deleted the third one, and update renamed it.
    assert [(each.reason, str(each.ref)) for each in output.results] == [
        ("Conflict", "K/shop-z"),
        ("MatchedByContent", "K/y"),
        ("Matched", "K/shop-z"),
        ("Matched", "K/x"),
    ]


def test_of_more_objects_than_anybody_compares_none_is_taken_for_another() -> None:
    origin, update, edited = (
        "---\n".join(f"kind: A\nmetadata: {{name: {side}{n}}}\nx: {n}\ny: {y}\n" for n in range(101))
        for side, y in (("a", 1), ("b", 3), ("a", 2))
    )
    output = merged(origin, update, edited)
    assert (output.text, len(output.results)) == (update, 101)
    assert {each.reason for each in output.results} == {"Conflict"}


def test_of_several_candidates_none_is_taken() -> None:
    job = "kind: Job\nmetadata: {generateName: a-}\nspec: %s\n"
    origin, update, local = ("---\n".join(job % number for number in side) for side in ((1, 2), (3, 4), (1, 2)))
    assert merged(origin, update, local).text == update


def test_a_document_that_stays_starts_with_its_own_line() -> None:
    first, second = config_map("p", "{a: v}"), config_map("q", "{a: v}")
    changed = second.replace("a: v", "a: mine")
    own = File(f"{first}---\n{changed}", "a.yaml")
    before, new = File(f"{first}--- # note\n{second}", "a.yaml"), File(first, "a.yaml")
    assert composition.merge(before, new, own, BaseRule(Policy("KeepLocal"))).text == own.text
    update = f"{first}--- # update\n{second}"
    output = merged(before.text, update, own.text)
    assert (output.text, [one.reason for one in output.results]) == (own.text, ["CommentKept"])


def test_what_both_sides_deleted_is_gone_without_a_result() -> None:
    output = merged(f"{NEW}---\n{KEPT}", KEPT, KEPT)
    assert (output.text, output.results) == (KEPT, [])


def test_what_origin_tells_apart_is_never_made_one() -> None:
    """Each side deleted the other of two objects with one name: both are gone, though what is left looks moved."""
    there = NEW.replace("name: new", "name: new, namespace: there")
    output = merged(f"{NEW}---\n{there}---\n{KEPT}", f"{NEW}---\n{KEPT}", f"{there}---\n{KEPT}")
    assert (output.text, output.results) == (KEPT, [])


def test_what_live_holds_in_a_list_is_applied_there() -> None:
    live = listed(config_map("a", '{k: "1"}', indented=True), config_map("b", '{k: "1"}', indented=True))
    assert applied(config_map("b", '{k: "2"}'), live) == live.replace('"1"}\n', '"2"}\n').replace('"2"', '"1"', 1)


PLACED = {
    "a document into a list": (
        listed(config_map("a", "{k: 1}", indented=True)),
        f"{config_map('a', '{k: 1}')}---\n{NEW}",
    ),
    "an element into a list": (
        listed(config_map("a", "{k: 1}", indented=True)),
        listed(config_map("a", "{k: 1}", indented=True), config_map("new", "{n: 1}", indented=True)),
    ),
    "an element among documents": (
        config_map("a", "{k: 1}"),
        listed(config_map("a", "{k: 1}", indented=True), config_map("new", "{n: 1}", indented=True)),
    ),
    "the first of a list": (
        listed(config_map("a", "{k: 1}", indented=True)),
        listed(config_map("new", "{n: 1}", indented=True), config_map("a", "{k: 1}", indented=True)),
    ),
    "the first document": (config_map("a", "{k: 1}"), f"{NEW}---\n{config_map('a', '{k: 1}')}"),
}


@pytest.mark.parametrize("name", PLACED)
def test_a_new_object_comes_where_the_one_before_it_is(name: str) -> None:
    origin, update = PLACED[name]
    local = origin.replace("{k: 1}", "{k: mine}")
    added = config_map("new", "{n: 1}", indented=True) if "List" in local else NEW
    is_first = "first" in name
    if "List" in local:
        expected = local.replace("items:\n", f"items:\n{added}") if is_first else local + added
    else:
        expected = f"{added}---\n{local}" if is_first else f"{local}---\n{added}"
    if origin.count("List") == update.count("List"):
        assert merged(origin, update, local).text == expected
    # kubectl and overlays act on what is in a list, whatever list it is in.
    assert overlaid(update, local) == expected.replace("{k: mine}", "{k: 1}")


def test_a_list_whose_objects_all_go_goes_unless_update_still_has_it() -> None:
    local = listed(config_map("a", "{k: 1}", indented=True))
    assert merged(local, "", local).text == ""
    assert merged(local, listed(), local).text == listed()


def labelled(team: str, *elements: str, kind: str = "List", more: str = "") -> str:
    """A list of objects with a field of its own."""
    return listed(*elements).replace("kind: List\n", f"kind: {kind}\nmetadata: {{labels: {{team: {team}}}}}\n{more}")


def test_a_list_has_fields_that_merge_also_where_its_objects_change() -> None:
    old, new = (config_map("a", f"{{k: {value}}}", indented=True) for value in (1, 2))
    added = config_map("new", "{n: 1}", indented=True)
    local = labelled("blue", old, more="mine: 1\n")
    output = merged(labelled("blue", old), labelled("green", new, added), local)
    assert (output.text, output.results) == (labelled("green", new, added, more="mine: 1\n"), [])


def test_what_both_sides_changed_of_a_list_is_a_conflict_in_its_line() -> None:
    one = config_map("a", "{k: 1}", indented=True)
    output = merged(labelled("blue", one), labelled("green", one), f"---\n{KEPT}---\n{labelled('red', one)}")
    (result,) = output.results
    assert output.text == f"---\n{KEPT}---\n{labelled('green', one)}"
    assert (str(result.ref), result.field, result.line()) == (
        "v1/List",
        "metadata.labels.team",
        9,
    )
    assert result.message == "both sides changed this, origin `blue`, update `green`, local `red`: update's is taken"


def test_a_list_that_update_deleted_leaves_no_empty_one() -> None:
    one, two = (listed(config_map(name, "{k: 1}", indented=True)) for name in "ab")
    changed = listed(config_map("a", "{k: 2}", indented=True))
    assert merged(f"{one}---\n{two}", one, f"{changed}---\n{two}").text == changed


def test_a_list_is_known_by_its_kind_and_not_by_its_place_or_a_note_in_it() -> None:
    """kpt notes the upstream of an element, which says nothing of the list."""
    mine = config_map("mine", "{k: 1}", indented=True)
    noted = mine.replace("metadata: {name: mine}", "metadata: # kpt-merge: /a\n      name: mine")
    first, second = labelled("blue", config_map("a", "{k: 1}", indented=True)), labelled("blue", kind="PodList")
    local = f"{labelled('blue', noted)}---\n{second}"
    update = f"{second.replace('blue', 'red')}---\n{first.replace('blue', 'green')}"
    expected = f"{second.replace('blue', 'red')}---\n{labelled('green', noted)}"
    assert merged(f"{first}---\n{second}", update, local).text == expected


def item(name: str, value: int = 1) -> str:
    return config_map(name, f"{{k: {value}}}", indented=True)


def joined(*documents: str) -> str:
    return "---\n".join(documents)


A, B, C, NEW_ITEM = map(item, ("a", "b", "c", "new"))
A_ALONE, B_ALONE = (config_map(name, "{k: 1}") for name in "ab")
BLUE_A, BLUE_B, GREEN_A, GREEN_B = (labelled(team, each) for team in ("blue", "green") for each in (A, B))
LISTS = {
    "by what is in them": (
        joined(BLUE_A, BLUE_B),
        joined(BLUE_B, GREEN_A),
        joined(BLUE_A, BLUE_B),
        joined(BLUE_B, GREEN_A),
    ),
    "the only one that is left": (
        joined(BLUE_A, labelled("blue")),
        joined(labelled("green"), BLUE_A),
        joined(BLUE_A, labelled("blue")),
        joined(labelled("green"), BLUE_A),
    ),
    "an object came into an empty one": (
        joined(BLUE_A, labelled("blue")),
        joined(BLUE_A, labelled("blue", NEW_ITEM)),
        joined(BLUE_A, labelled("blue")),
        joined(BLUE_A, labelled("blue", NEW_ITEM)),
    ),
    "an object came behind a document": (
        joined(KEPT, BLUE_A),
        joined(KEPT, labelled("blue", NEW_ITEM, C, A)),
        joined(KEPT, BLUE_A),
        joined(KEPT, labelled("blue", NEW_ITEM, C, A)),
    ),
    "the only one is empty": (listed(), listed(NEW_ITEM), listed(), listed(NEW_ITEM)),
    "a document beside an empty one": ("", NEW, listed(), joined(listed(), NEW)),
    "a new one behind a document": (
        KEPT,
        joined(KEPT, BLUE_A, NEW),
        joined(KEPT, config_map("mine", "{}")),
        joined(KEPT, config_map("mine", "{}"), BLUE_A, NEW),
    ),
    "a new one behind another": (
        BLUE_A,
        joined(BLUE_A, labelled("green", NEW_ITEM)),
        BLUE_A,
        joined(BLUE_A, labelled("green", NEW_ITEM)),
    ),
    "without a change": (
        joined(labelled("red", C), labelled("green", A, B), labelled("blue")),
        joined(labelled("red", C), labelled("green", A, B), labelled("blue")),
        joined(labelled("red", C), labelled("mine", A), labelled("mine", B)),
        joined(labelled("red", C), labelled("mine", A), labelled("mine", B)),
    ),
}


REMARKED = (
    "{0}kind: List\nitems:\n{1}- kind: A\n  metadata: {{name: a}}\n  d: {2}\n{3}- kind: A\n  metadata: {{name: b}}\n{4}"
)
FIRST = REMARKED.format("", "# first\n", 1, "", "")
OURS = "update has another comment here: local's stays"
LISTED = (
    "kind: List\n{}items:\n- kind: A\n  metadata: {{name: a}}\n  d: {}\n- kind: A\n  metadata: {{name: b}}\n  d: {}\n"
)
OWN = "metadata:\n  resourceVersion: '1'\n"
SHARED = "kind: List\nitems:\n- kind: A\n  metadata: {{name: a}}\n{0}- kind: B\n  metadata: {{name: b}}\n{1}"
ANCHOR, OTHER = "  k: &c {x: 1}\n", "  k: &c {x: 2}\n"
BRACKETS = (
    "{{kind: List, items: [{{kind: A, metadata: {{name: a}}, k: &c 1{}}}, "
    "{{kind: B, metadata: {{name: b}}, u: *c{}}}]}}\n"
)
# Aliases in lists: origin, update, local; what comes out.
ALIASES = {
    "update changed what local shows": (
        SHARED.format(ANCHOR, "  y: 1\n"), SHARED.format(OTHER, "  y: 1\n"),
        SHARED.format(ANCHOR, "  y: 1\n  u: *c\n"), SHARED.format(OTHER, "  y: 1\n  u: *c\n"),
    ),
    "update shows what local took away": (
        SHARED.format(ANCHOR, "  y: 1\n"), SHARED.format(ANCHOR, "  y: 1\n  u: *c\n"), SHARED.format("", "  y: 1\n"),
        SHARED.format("", "  y: 1\n  u:\n    x: 1\n"),
    ),
    "beside a conflict": (
        SHARED.format(ANCHOR, "  y: 1\n"), SHARED.format(ANCHOR, "  y: 2\n"),
        SHARED.format(ANCHOR, "  y: 3\n  u: *c\n"), SHARED.format(ANCHOR, "  y: 2\n  u: *c\n"),
    ),
    "whose anchor changed, beside a conflict": (
        SHARED.format(ANCHOR, "  u: *c\n  y: 1\n"), SHARED.format(OTHER, "  u: *c\n  y: 2\n"),
        SHARED.format(ANCHOR, "  u: *c\n  y: 3\n"), SHARED.format(OTHER, "  u: *c\n  y: 2\n"),
    ),
    "in brackets": (
        BRACKETS.format("", ""), BRACKETS.format(", v: 1", ""), BRACKETS.format("", ", w: 1"),
        BRACKETS.format(", v: 1", ", w: 1"),
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected"), ALIASES.values(), ids=ALIASES)
def test_an_alias_between_objects_of_a_list_shows_what_its_anchor_becomes(
    origin: str, update: str, local: str, expected: str
) -> None:
    assert sides.written(origin, update, local) == (expected, [])


# Comments beside the own fields of a list: origin, update, local; what comes out, and what is told.
BESIDE = {
    "above a field, beside an object that local changed": (
        LISTED.format(OWN, 1, 1), LISTED.format("# why\n" + OWN, 1, 1), LISTED.format(OWN, 2, 1),
        LISTED.format("# why\n" + OWN, 2, 1), [],
    ),
    "behind a field that comes": (
        LISTED.format(OWN, 1, 1), LISTED.format(OWN + "  labels: {x: y} # new\n", 1, 1), LISTED.format(OWN, 2, 1),
        LISTED.format(OWN + "  labels: {x: y} # new\n", 2, 1), [],
    ),
    "of both sides": (
        LISTED.format(OWN, 1, 1), LISTED.format("# why\n" + OWN, 1, 3), LISTED.format("# mine\n" + OWN, 2, 1),
        LISTED.format("# mine\n" + OWN, 2, 3), [f"metadata {OURS}"],
    ),
    "beside a conflict": (
        LISTED.format(OWN, 1, 1), LISTED.format("# why\n" + OWN, 3, 1), LISTED.format(OWN, 2, 1),
        LISTED.format("# why\n" + OWN, 3, 1), [],
    ),
    "of a list that local deleted": (
        LISTED.format(OWN, 1, 1), LISTED.format("# why\n" + OWN, 1, 1), "",
        "", [" update has another comment for this, which is gone"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), BESIDE.values(), ids=BESIDE)
def test_comments_beside_the_own_fields_of_a_list_come_or_are_told(
    origin: str, update: str, local: str, expected: str, told: list[str]
) -> None:
    assert sides.written(origin, update, local) == (expected, told)


# Comments between the objects of a list: origin, update, local; what comes out, and what is told.
BETWEEN = {
    "beside what local changed": (
        FIRST,
        REMARKED.format("", "# other\n", 1, "# new\n", ""),
        REMARKED.format("", "# first\n", 2, "", ""),
        REMARKED.format("", "# other\n", 2, "# new\n", ""),
        [],
    ),
    "beside a conflict": (
        REMARKED.format("", "", 1, "", ""),
        REMARKED.format("", "", 2, "# new\n", "# end\n"),
        REMARKED.format("", "", 3, "", ""),
        REMARKED.format("", "", 2, "# new\n", "# end\n"),
        [],
    ),
    "of both sides in one place": (
        FIRST,
        REMARKED.format("", "# first\n", 1, "# new\n", ""),
        REMARKED.format("", "# first\n", 1, "# mine\n", ""),
        REMARKED.format("", "# first\n", 1, "# mine\n", ""),
        [f"items[1] {OURS}"],
    ),
    "in brackets": (
        "kind: List\nitems: []\n", "kind: List\nitems: [] # new\n", "{kind: List, items: []}\n",
        "{kind: List, items: []}\n", [f"items {OURS}"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected", "told"), BETWEEN.values(), ids=BETWEEN)
def test_comments_between_the_objects_of_a_list_come_or_are_told(
    origin: str, update: str, local: str, expected: str, told: list[str]
) -> None:
    assert sides.written(origin, update, local) == (expected, told)


def test_the_mark_of_a_file_stays_where_its_lines_are_merged() -> None:
    update, local = REMARKED.format("", "# other\n", 1, "# new\n", ""), FIRST.replace("b}", "b, labels: {c: d}}")
    mark = "\ufeff"
    expected = mark + update.replace("b}", "b, labels: {c: d}}")
    assert sides.written(mark + FIRST, mark + update, mark + local) == (expected, [])


@pytest.mark.parametrize(("origin", "update", "local", "expected"), LISTS.values(), ids=LISTS)
def test_lists_of_one_kind_are_known_by_their_objects(origin: str, update: str, local: str, expected: str) -> None:
    output = merged(origin, update, local)
    assert (output.text, output.results) == (expected, [])


# Objects that a side put into a list, or took out of one: origin, update, local.
IN_ANOTHER_LIST = {
    "a document that update put into a list": (A_ALONE, joined(KEPT, listed(A)), joined(KEPT, A_ALONE)),
    "a document behind what local has in a list": (listed(A), joined(A_ALONE, NEW), listed(item("a", 2))),
    "an element that update took out": (
        labelled("blue", A, B), joined(labelled("green", A), B_ALONE), labelled("blue", A, item("b", 2))
    ),
    "a new list of which local has an object": (
        BLUE_A, joined(BLUE_A, labelled("green", NEW_ITEM, C)), joined(BLUE_A, config_map("c", "{k: 1}"))
    ),
    "into the list of another object": (
        joined(BLUE_A, BLUE_B), joined(labelled("green", A, B), labelled("blue")), joined(labelled("green", A), BLUE_B)
    ),
    "lists that nobody can tell apart": (
        joined(BLUE_A, labelled("red", B)), joined(BLUE_A, B_ALONE), joined(BLUE_A, labelled("red", B), KEPT)
    ),
    "of two lists each side deleted one": (joined(BLUE_A, BLUE_B), GREEN_B, BLUE_A),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local"), IN_ANOTHER_LIST.values(), ids=IN_ANOTHER_LIST)
def test_an_object_that_a_side_put_into_another_list_refuses_the_file(origin: str, update: str, local: str) -> None:
    with pytest.raises(FnError) as caught:
        merged(origin, update, local)
    (told,) = caught.value.results
    assert (told.severity, told.reason, told.file) == (ERROR, "NotMergeable", "a.yaml")
    assert told.message == (
        "one side put this object into a list, or took it out of one, and only lines show where it is to be"
    )


def test_a_list_with_odd_keys_is_one_object() -> None:
    local = labelled("blue", config_map("a", "{k: 1}", indented=True), more="? [odd]\n: 1\n")
    origin = local.replace("{k: 1}", "{k: 2}")
    assert merged(origin, origin.replace("blue", "green"), local).text == local.replace("blue", "green")


def test_a_patch_in_an_object_that_nobody_changed_does_not_refuse_the_list_around_it() -> None:
    local = labelled("blue", config_map("a", "{$patch: delete}", indented=True))
    update = local.replace("blue", "green")
    assert merged(local, update, local).text == update


def test_a_list_that_cannot_be_written_is_refused() -> None:
    update = "kind: List\nitems:\n- kind: A\n  metadata: {name: a}\n  spec: !x {b: 1}\n"
    with pytest.raises(FnError, match="what comes in here has a tag on a collection"):
        merged("kind: List\nitems: []\n", update, '{"kind": "List", "items": []}\n')


def test_an_element_that_cannot_be_a_document_is_merged_in_its_list() -> None:
    text = "x: &x !t {k: 1}\nkind: List\nitems:\n- kind: A\n  metadata: {name: a}\n  spec: *x\n  c: %s\n"
    output = merged(text % 1, text % 2, text % 3)
    assert output.text == text % 2
    assert [(result.reason, str(result.ref), result.field) for result in output.results] == [("Conflict", "A/a", "c")]


def test_a_list_with_an_alias_of_what_update_deleted_is_one_value() -> None:
    origin, update, local = (
        labelled("blue", config_map("a", "{k: 1}", indented=True), more=more)
        for more in ("a: &x 1\nc: 1\n", "c: 1\n", "a: &x 1\nc: 1\nd: *x\n")
    )
    output = merged(origin, update, local)
    assert output.text == update
    assert [(result.reason, str(result.ref), result.field) for result in output.results] == [
        ("Conflict", "v1/List", None)
    ]


def test_kubectl_says_nothing_of_lists_that_nobody_can_tell_apart() -> None:
    local = joined(labelled("blue", A), labelled("red", B))
    update = joined(labelled("blue", A, B), labelled("green"))
    assert composition.merge(File("", ""), File(update, "a"), File(local, "a"), apply).results == []


def test_an_overlay_that_deletes_the_last_object_of_a_list_deletes_the_list() -> None:
    gone = config_map("a", "{}") + "$patch: delete\n"
    assert overlaid(gone, joined(listed(A), KEPT)) == KEPT
    assert overlaid(gone, joined(listed(A, B), KEPT)) == joined(listed(B), KEPT)
    assert overlaid(gone, joined(listed(), A_ALONE)) == listed()


def test_kubectl_applies_what_is_in_a_list_and_not_its_fields() -> None:
    local = labelled("blue", config_map("a", "{k: '1'}", indented=True))
    update = local.replace("blue", "green").replace("'1'", "'2'")
    assert applied(update, local) == local.replace("'1'", "'2'")


def test_line_ends_of_a_new_document_are_those_of_the_file() -> None:
    origin = config_map("a", "{k: 1}")
    update = f"{origin}---\n{NEW}"
    assert merged(origin, update, origin.replace("\n", "\r\n")).text == update.replace("\n", "\r\n")


def test_line_ends_that_update_changed_are_those_of_the_file() -> None:
    origin = config_map("a", "{k: 1}")
    update, local = f"{origin}---\n{NEW}".replace("\n", "\r\n"), f"{origin}---\n{KEPT}"
    assert merged(origin, update, local).text == f"{local}---\n{NEW}".replace("\n", "\r\n")


def test_line_ends_that_differ_within_a_file_stay() -> None:
    origin = config_map("a", "{k: 1}").replace("v1\n", "v1\r\n")
    update = f"{origin}---\r\n{NEW}".replace("k: 1", "k: 2")
    mine = {"name: a}": "name: a, labels: {}}"}
    for old, new in mine.items():
        expected = update.replace("---\r\n", "---\n").replace(old, new)
        assert merged(origin, update, origin.replace(old, new)).text == expected


@pytest.mark.parametrize(
    ("update", "local", "expected"),
    [
        (f"\ufeff{NEW}", "", f"\ufeff{NEW}"),
        (f"\ufeff{NEW}", KEPT, f"{KEPT}---\n{NEW}"),
        (f"\ufeff{NEW}", f"\ufeff{KEPT}", f"\ufeff{KEPT}---\n{NEW}"),
        (NEW, f"\ufeff---\n{KEPT}", f"\ufeff---\n{KEPT}---\n{NEW}"),
        (NEW.rstrip("\n"), "\n", NEW.rstrip("\n")),
        (f"{NEW.rstrip()}", f"---\n{KEPT}", f"---\n{KEPT}---\n{NEW}"),
    ],
)
def test_a_new_document_starts_in_a_line_of_its_own(update: str, local: str, expected: str) -> None:
    """A byte order mark stands in front of a file, and nowhere else."""
    assert merged("", update, local).text == expected


# How a file starts and ends, and empty documents in it: origin, update, local; what comes out.
AROUND = {
    "update wrote a start": (KEPT, f"---\n{KEPT}", f"{KEPT}---\n{NEW}", f"---\n{KEPT}---\n{NEW}"),
    "update wrote a byte order mark": (
        KEPT, f"\ufeff{KEPT}x: 1\n", f"{KEPT}---\n{NEW}", f"\ufeff{KEPT}x: 1\n---\n{NEW}"
    ),
    "update took the mark away": (
        f"\ufeff{KEPT}", f"{KEPT}x: 1\n", f"\ufeff{KEPT}---\n{NEW}", f"{KEPT}x: 1\n---\n{NEW}"
    ),
    "local took the mark away": (
        f"\ufeff{KEPT}", f"\ufeff{KEPT}x: 1\n", f"{KEPT}---\n{NEW}", f"{KEPT}x: 1\n---\n{NEW}"
    ),
    "update took the start away": (f"---\n{KEPT}", KEPT, f"---\n{KEPT}x: 1\n", f"{KEPT}x: 1\n"),
    "local wrote a start": (KEPT, f"{KEPT}x: 1\n", f"---\n{KEPT}", f"---\n{KEPT}x: 1\n"),
    "update took the first document away": (
        f"{NEW}---\n{KEPT}", KEPT, f"{NEW}---\n{KEPT}x: 1\n", f"{KEPT}x: 1\n"
    ),
    "a start with a comment": (KEPT, f"{KEPT}x: 1\n", f"--- # mine\n{KEPT}", f"--- # mine\n{KEPT}x: 1\n"),
    "update wrote the end of the last line": (KEPT[:-1], KEPT, f"---\n{KEPT[:-1]}", f"---\n{KEPT}"),
    "a text without an end of its last line": (
        f"{KEPT}x: |\n  y", f"{KEPT}x: |\n  y".replace("k: 1", "k: 2"), f"---\n{KEPT}x: |\n  y",
        f"---\n{KEPT}x: |\n  y".replace("k: 1", "k: 2"),
    ),
    "a block below the line without an end": (
        f"{KEPT}x: 1\n", f"{KEPT}x: 2", f"{KEPT}x: 1\ny: |\n  z\n", f"{KEPT}x: 2\ny: |\n  z\n"
    ),
    "a block in a document below that line": (
        KEPT, f"{KEPT}x: 2", f"{KEPT}---\n{NEW}y: |\n  z\n", f"{KEPT}x: 2\n---\n{NEW}y: |\n  z\n"
    ),
    "a block without an end that no side changes": (
        f"{KEPT}x: |\n  y", f"{KEPT}x: |\n  y".replace("k: 1", "k: 2"), f"# mine\n{KEPT}x: |\n  y",
        f"# mine\n{KEPT}x: |\n  y".replace("k: 1", "k: 2"),
    ),
    "a block whose end local took away": (
        f"{KEPT}x: |\n  y\n", f"{KEPT}x: |\n  y\n".replace("k: 1", "k: 2"), f"# mine\n{KEPT}x: |\n  y",
        f"# mine\n{KEPT}x: |\n  y".replace("k: 1", "k: 2"),
    ),
    "such a text that no longer comes last": (
        f"{KEPT}x: |\n  y", f"{KEPT}x: |\n  y", f"{KEPT}x: |\n  y\n---\n{NEW}", f"{KEPT}x: |\n  y\n---\n{NEW}"
    ),
    "and is last in update": (
        f"{KEPT}x: |\n  y", f"{KEPT}x: |\n  y".replace("k: 1", "k: 2"), f"{KEPT}x: |\n  y\n---\n{NEW}",
        f"{KEPT}x: |\n  y\n---\n{NEW}".replace("k: 1", "k: 2"),
    ),
    "an empty document that update wrote": (
        f"{NEW}---\n{KEPT}", f"{NEW}---\n---\n{KEPT}", f"{NEW}---\n{KEPT}x: 1\n", f"{NEW}---\n---\n{KEPT}x: 1\n"
    ),
    "an empty document that update took away": (
        f"{NEW}---\n---\n{KEPT}", f"{NEW}---\n{KEPT}", f"{NEW}---\n---\n{KEPT}x: 1\n", f"{NEW}---\n{KEPT}x: 1\n"
    ),
    "an empty document that local wrote at the end": (
        KEPT, f"{KEPT}---\n{NEW}", f"{KEPT}---\n", f"{KEPT}---\n---\n{NEW}"
    ),
    "documents in another order": (
        f"{NEW}---\n{KEPT}", f"{KEPT}---\n{NEW}", f"{NEW}x: 1\n---\n{KEPT}", f"{KEPT}---\n{NEW}x: 1\n"
    ),
}  # fmt: skip


@pytest.mark.parametrize(("origin", "update", "local", "expected"), AROUND.values(), ids=AROUND)
def test_what_is_around_documents_goes_by_the_base_rule(origin: str, update: str, local: str, expected: str) -> None:
    assert sides.written(origin, update, local) == (expected, [])


def test_json_holds_one_object() -> None:
    kept = '{"kind": "A", "metadata": {"name": "a"}}\n'
    with pytest.raises(FnError) as refused:
        merged(kept, f"{kept}---\n{NEW}", kept.replace("}\n", ', "x": 1}\n'))
    assert [as_line(result) for result in refused.value.results] == [
        "[error] a.yaml is JSON, which holds one object: no other can be added to it (NotEditable)"
    ]


@pytest.mark.parametrize("decide", [BaseRule(Policy()), apply], ids=["Merge3", "Apply"])
def test_of_comments_that_say_the_same_the_one_that_goes_is_told(decide: Merge) -> None:
    commented = "kind: A\na:\n  # ...\n  x: 1\nc:\n  # ...\n  y: 1\n"
    bare = commented.replace("  # ...\n", "")
    files = (File(text, "") for text in (bare, bare.replace("a:\n  x: 1\n", ""), commented))
    output = composition.merge(*files, decide)  # type: ignore[call-arg, arg-type]  # three files
    assert output.text == commented.replace("a:\n  # ...\n  x: 1\n", "")
    assert [(told.field, told.reason) for told in output.results] == [("a", "CommentGone")]


def test_a_comment_that_has_no_place_in_its_object_may_have_one_in_the_file() -> None:
    origin = f"kind: A\nmetadata:\n  name: a\nspec:\n  x: 1\n  y: 1\n---\n{KEPT}"
    update, local = origin.replace("---", "# new\n---"), origin.replace("kind: A\n", "").replace("spec:\n", "")
    assert sides.written(origin, update, local) == (local.replace("---", "# new\n---"), [])


def test_of_a_file_whose_objects_all_go_no_byte_order_mark_stays() -> None:
    assert merged(f"\ufeff{KEPT}", "", f"\ufeff{KEPT}").text == ""


def test_documents_that_no_name_tells_apart_are_refused_if_both_sides_changed_them() -> None:
    origin, update, local = ("---\n".join(f"{key}: {value}\n" for key in "abc") for value in (1, 2, 3))
    with pytest.raises(FnError) as refused:
        merged(origin, update, local)
    (result,) = refused.value.results
    assert as_line(result) == (
        "[error] a.yaml:1: both sides changed documents without a kind or a name, and nothing tells which is which: "
        "merge this file by lines, with `git merge-file` (NotMergeable)"
    )
    # A single one that is left on each side is the same.
    update, local = origin.replace("a: 1\n", "a: 2\n"), origin.replace("a: 1\n", "a: 1\nl: 1\n")
    assert merged(origin, update, local).text == origin.replace("a: 1\n", "a: 2\nl: 1\n")


KPT = "apiVersion: v1\nkind: ConfigMap\nmetadata:{}\n  name: gone\n{}data:\n  k: {}\n"
NOTE = "  annotations:\n    internal.kpt.dev/upstream-identifier: '|ConfigMap|default|gone'\n"


@pytest.mark.parametrize(
    ("marker", "value", "on_conflict", "told"),
    [
        (" # kpt-merge: /gone", "v", "TakeUpdate", []),
        (" # kpt-merge: /gone", "v", "KeepLocal", []),
        (" # kpt-merge: /gone # mine", "v", "TakeUpdate", []),
        (" # mine", "v", "TakeUpdate", ["CommentGone"]),
        (" # kpt-merge: /gone", "mine", "TakeUpdate", ["Conflict"]),
    ],
)
def test_what_kpt_noted_is_no_edit_of_an_object_that_goes(
    marker: str, value: str, on_conflict: OnConflict, told: list[str]
) -> None:
    origin = File(KPT.format("", "", "v"), "a.yaml")
    local = File(KPT.format(marker, NOTE, value), "a.yaml")
    output = composition.merge(origin, File("", "a.yaml"), local, BaseRule(Policy(on_conflict)))
    assert "".join(output.pieces) == ""
    assert [result.reason for result in output.results] == told


def test_an_object_that_gets_another_kind_beside_others_is_one() -> None:
    name = "metadata: {{name: web}}\n"
    text = f"kind: {{}}\n{name}spec: {{{{replicas: {{}}, x: 1, y: 1}}}}\n---\nkind: Service\n{name}"
    before, new, own = (File(text.format(*side), "a.yaml") for side in (("D", 1), ("S", 1), ("D", 2)))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    assert "".join(output.pieces) == text.format("S", 2)
    assert [result.message for result in output.results] == [
        "taken for one object by its name and its content: origin D/web, update S/web, local D/web"
    ]


def test_an_object_that_loses_its_kind_and_its_name_beside_others_is_one() -> None:
    other = "---\nkind: Service\nmetadata: {name: web}\n"
    before = File(f"kind: D\nmetadata: {{name: a}}\n# why\nspec: {{x: 1, y: 1}}\n{other}", "a.yaml")
    new = File(f"kind: D\nmetadata: {{name: a}}\nspec: {{x: 1, y: 1}}\n{other}", "a.yaml")
    own = File(f"metadata: {{}}\n# why\nspec: {{x: 1, y: 1}}\n{other}", "a.yaml")
    output = composition.merge(before, new, own, BaseRule(Policy()))
    assert "".join(output.pieces) == f"metadata: {{}}\nspec: {{x: 1, y: 1}}\n{other}"


BINDING = "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\n"
OF_ROLE = "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: "

OF_ONE = {
    "a name is given": (
        "kind: D\n",
        "kind: D\na: 1\n",
        "kind: D\nmetadata: {name: x}\n",
        "kind: D\nmetadata: {name: x}\na: 1\n",
    ),
    "a kind is taken away and another one given": (
        "apiVersion: v1\nkind: D\n",
        "apiVersion: v1\nkind: S\n",
        "apiVersion: v1\nspec: {}\n",
        "apiVersion: v1\nspec: {}\nkind: S\n",
    ),
    "kind and name are given, and a field stays": (
        "kind: D\nmetadata: {name: a}\nx: 1\ny: 1\nz: 1\n",
        "kind: D\nmetadata: {name: a}\nx: 1\ny: 1\nz: 2\n",
        "kind: S\nmetadata: {name: b}\nx: 1\ny: 2\nz: 1\n",
        "kind: S\nmetadata: {name: b}\nx: 1\ny: 2\nz: 2\n",
    ),
    "kind and name are others, and all else": (
        "kind: D\nmetadata: {name: a}\nx: 1\n",
        "kind: D\nmetadata: {name: a}\nx: 1\n",
        "kind: S\nmetadata: {name: b}\ny: 2\n",
        "kind: S\nmetadata: {name: b}\ny: 2\n",
    ),
    "names are others, and both sides changed something": (
        "kind: D\nmetadata: {name: a}\nx: 1\nz: 1\n",
        "kind: D\nmetadata: {name: a}\nx: 1\nz: 2\n",
        "kind: D\nmetadata: {name: b}\ny: 2\nz: 1\n",
        "kind: D\nmetadata: {name: b}\ny: 2\nz: 2\n",
    ),
    "kind and name are others, and all else, where update changed something": (
        "kind: D\nmetadata: {name: a}\nx: 1\n",
        "kind: D\nmetadata: {name: a}\nx: 1\nz: 2\n",
        "kind: S\nmetadata: {name: b}\ny: 2\n",
        "kind: S\nmetadata: {name: b}\ny: 2\n---\nkind: D\nmetadata: {name: a}\nx: 1\nz: 2\n",
    ),
    "a binding of another role, where update changed something": (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: {name: r}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: {name: r}\nx: 1\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {name: s}\n",
        (
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {name: s}\n"
            "---\napiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\n"
            "roleRef: {name: r}\nx: 1\n"
        ),
    ),
    "a binding that update renamed with its role, and of which local changed something": (
        f"{BINDING}metadata: {{name: a, labels: {{v: 1}}}}\nsubjects: [{{kind: User, name: u}}]\n{OF_ROLE}r}}\n",
        f"{BINDING}metadata: {{name: b, labels: {{v: 1}}}}\nsubjects: [{{kind: User, name: u}}]\n{OF_ROLE}s}}\n",
        f"{BINDING}metadata: {{name: a, labels: {{v: 2}}}}\nsubjects: [{{kind: User, name: u}}]\n{OF_ROLE}r}}\n",
        f"{BINDING}metadata: {{name: b, labels: {{v: 2}}}}\nsubjects: [{{kind: User, name: u}}]\n{OF_ROLE}s}}\n",
    ),
    "a binding of another role": (
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: {name: r}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: a}\nroleRef: {name: r}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {name: s}\n",
        "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {name: s}\n",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), OF_ONE.values(), ids=OF_ONE)
def test_the_only_objects_of_three_files_are_one(origin: str, update: str, local: str, expected: str) -> None:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    assert "".join(output.pieces) == expected
