"""Fields of a Resource that are edited: what differs changes, and no comment goes in silence."""

from __future__ import annotations

import time
from datetime import date
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import krm
from tests.bench import workloads
from tests.calls import counted, parsed
from tests.krm.function import texts
from tests.krm.function.texts import CONTAINERS, DEPLOYMENT, edited

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.function.fields import Part
    from krm.yamltree.field_comments import Where

WEB = DEPLOYMENT[DEPLOYMENT.index("      # the shop") : DEPLOYMENT.index("      # the cache")]
CACHE = DEPLOYMENT[DEPLOYMENT.index("      # the cache") :]
ID = "    internal.config.kubernetes.io/id: '1'\n"
SIDECAR = {"name": "sidecar", "image": "fluentd"}
SIDECAR_TEXT = "      - name: sidecar\n        image: fluentd\n"
WITHOUT_ID = DEPLOYMENT.replace(ID, "")

EDITS: dict[str, tuple[Callable[[krm.Resource], Any], str]] = {
    "set a list with an element in front": (
        lambda item: item.set(CONTAINERS, [SIDECAR, *item.get(CONTAINERS)]),
        WITHOUT_ID.replace(WEB, SIDECAR_TEXT + WEB),
    ),
    "set a list with an element behind": (
        lambda item: item.set(CONTAINERS, [*item.get(CONTAINERS), SIDECAR]),
        DEPLOYMENT + SIDECAR_TEXT,
    ),
    "set a list with equal elements": (
        lambda item: item.set(f"{CONTAINERS}[name=web].args", ["--a", "--b", "--a"]),
        DEPLOYMENT.replace("'--b'", "'--b', --a"),
    ),
    "set a list in reverse": (
        lambda item: item.set(CONTAINERS, item.get(CONTAINERS)[::-1]),
        WITHOUT_ID.replace(WEB + CACHE, CACHE + WEB),
    ),
    "set a list, an element changed": (
        lambda item: item.set(CONTAINERS, [item.get(CONTAINERS)[0], {"name": "cache", "image": "redis:8"}]),
        DEPLOYMENT.replace("image: redis #", "image: redis:8 #"),
    ),
    "set a list of scalars": (
        lambda item: item.set(f"{CONTAINERS}[name=web].args", ["--a", "--c"]),
        DEPLOYMENT.replace("'--b'", "'--c'"),
    ),
    "set a mapping": (
        lambda item: item.set("metadata.labels", {**item.labels, "tier": "front"}),
        DEPLOYMENT.replace("# ab\n", "# ab\n    tier: front\n"),
    ),
    "set the object": (
        lambda item: item.set("", {**item.get(), "immutable": True}),
        DEPLOYMENT + "immutable: true\n",
    ),
    "set a scalar to what it is": (lambda item: item.set("spec.replicas", 3), DEPLOYMENT),
    "set a mapping to what it is": (lambda item: item.set("metadata", item.get("metadata")), DEPLOYMENT),
    "append": (lambda item: item.append(CONTAINERS, SIDECAR), DEPLOYMENT + SIDECAR_TEXT),
    "append to nothing": (
        lambda item: item.append("spec.template.spec.volumes", {"name": "tmp"}),
        DEPLOYMENT + "      volumes:\n      - name: tmp\n",
    ),
    "insert": (
        lambda item: item.insert(CONTAINERS, 1, SIDECAR),
        WITHOUT_ID.replace(CACHE, SIDECAR_TEXT + CACHE),
    ),
    "move": (lambda item: item.move(f"{CONTAINERS}[name=cache]", 0), WITHOUT_ID.replace(WEB + CACHE, CACHE + WEB)),
    "move to where it is": (lambda item: item.move(f"{CONTAINERS}[name=cache]", 1), DEPLOYMENT),
    "delete the first": (lambda item: item.delete(f"{CONTAINERS}[name=web]"), WITHOUT_ID.replace(WEB, "")),
    "delete the last": (lambda item: item.delete(f"{CONTAINERS}[1]"), DEPLOYMENT.replace(CACHE, "")),
    "delete a field": (
        lambda item: item.delete("spec.replicas"),
        DEPLOYMENT.replace("  replicas: 3 # two for each zone\n", ""),
    ),
    "delete what is absent": (lambda item: item.delete("spec.paused"), DEPLOYMENT),
    "an element that is absent": (
        lambda item: item.set(f"{CONTAINERS}[name=sidecar].image", "fluentd"),
        DEPLOYMENT + SIDECAR_TEXT,
    ),
    "an element of a list that is absent": (
        lambda item: item.set("spec.template.spec.volumes[name=tmp].emptyDir", {}),
        DEPLOYMENT + "      volumes:\n      - name: tmp\n        emptyDir: {}\n",
    ),
    "every element": (
        lambda item: item.set(f"{CONTAINERS}[*].image", "same"),
        DEPLOYMENT.replace("nginx:1.27", "same").replace("image: redis", "image: same"),
    ),
    "several fields": (
        lambda item: item.update({"spec.replicas": 4, "metadata.labels.tier": "front"}),
        DEPLOYMENT.replace("replicas: 3", "replicas: 4").replace("# ab\n", "# ab\n    tier: front\n"),
    ),
    "text of a number": (
        lambda item: item.set_text("spec.replicas", "5"),
        DEPLOYMENT.replace("replicas: 3", "replicas: 5"),
    ),
    "text of a string": (
        lambda item: item.set_text("metadata.name", "5"),
        DEPLOYMENT.replace("name: web # the", 'name: "5" # the'),
    ),
    "text of nothing": (lambda item: item.set_text("spec.paused", "true"), DEPLOYMENT + "  paused: true\n"),
    "an annotation": (
        lambda item: item.set_annotation("a/b", "true"),
        DEPLOYMENT.replace(ID, ID + '    a/b: "true"\n'),
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_what_differs(name: str) -> None:
    change, expected = EDITS[name]
    assert edited(change) == expected


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_in_a_batch_is_the_same_edit(name: str) -> None:
    change, expected = EDITS[name]

    def batch(item: krm.Resource) -> None:
        with item.edit():
            item.set("kind", "Job")
            change(item)
            item.set("kind", "Deployment")

    assert edited(batch) == expected


IDENTITY: dict[str, tuple[str, str, object]] = {
    "api_version": ("apiVersion", "batch/v2", "batch/v2"),
    "group": ("apiVersion", "batch/v2", "batch"),
    "version": ("apiVersion", "batch/v2", "v2"),
    "kind": ("kind", "Job", "Job"),
    "name": ("metadata.name", "other", "other"),
    "namespace": ("metadata.namespace", "other", "other"),
    "labels": ("metadata.labels.app", "other", {"app": "other"}),
}


@pytest.mark.parametrize("name", IDENTITY)
def test_the_identity_that_is_read_in_a_batch_has_its_edits(name: str) -> None:
    path, value, expected = IDENTITY[name]
    item = texts.resource()
    with item.edit():
        item.set(path, value)
        assert getattr(item, name) == expected


def test_all_containers_are_those_of_the_three_lists() -> None:
    ephemeral = "      ephemeralContainers: [{name: debug}]\n      initContainers: [{name: init}]\n"
    spec = texts.resource(DEPLOYMENT.replace("      containers:\n", f"{ephemeral}      containers:\n")).pod_spec
    assert spec is not None
    assert [container.name for container in spec.all_containers] == ["init", "web", "cache", "debug"]


def test_containers_are_edited_as_they_are_met() -> None:
    def change(item: krm.Resource) -> None:
        spec = item.pod_spec
        assert spec is not None
        for container in spec.all_containers:
            if container.name == "web":
                item.insert(CONTAINERS, 0, SIDECAR)
            container.set("image", container.get_str("image") + "-fips")

    assert edited(change) == WITHOUT_ID.replace(WEB, SIDECAR_TEXT + WEB).replace("1.27", "1.27-fips").replace(
        "image: redis", "image: redis-fips"
    )


def test_a_part_follows_its_element() -> None:
    item = texts.resource()
    web, cache = item.parts(CONTAINERS)
    item.set(CONTAINERS, [SIDECAR, *item.get(CONTAINERS)[::-1]])
    assert (web.path, cache.path) == (f"{CONTAINERS}[name=web]", f"{CONTAINERS}[name=cache]")
    assert repr(web) == f"<Part {CONTAINERS}[name=web] of apps/v1/Deployment/shop/web>"
    item.move(f"{CONTAINERS}[name=web]", 0)
    assert (web.get_str("image"), cache.get_str("image")) == ("nginx:1.27", "redis")
    cache.delete()
    assert (web.name, cache.name, cache.get("image", "gone")) == ("web", "", "gone")
    with pytest.raises(ValueError, match=r"^the field was deleted or replaced, it cannot be edited: ask for it again$"):
        cache.set("image", "redis:8")


def test_every_element_can_be_deleted_on_the_way() -> None:
    def change(item: krm.Resource) -> None:
        for container in item.parts(CONTAINERS):
            container.delete()

    assert edited(change) == WITHOUT_ID.replace(f":\n{WEB}{CACHE}", ": []\n")


def test_a_batch_that_fails_changes_nothing() -> None:
    item = texts.resource()
    web, _ = item.parts(CONTAINERS)

    def fails() -> None:
        with item.edit():
            item.insert(CONTAINERS, 0, SIDECAR)
            raise KeyError("theirs")

    with pytest.raises(KeyError, match="theirs"):
        fails()
    assert (item.text, web.name) == (DEPLOYMENT, "web")


def test_a_batch_that_fails_changes_nothing_even_if_it_read_its_edits() -> None:
    item = texts.resource()

    def fails() -> None:
        with item.edit():
            item.set("spec.replicas", 4)
            assert item.get("spec.replicas") == 4
            raise KeyError("theirs")

    with pytest.raises(KeyError, match="theirs"):
        fails()
    assert (item.text, item.get("spec.replicas")) == (DEPLOYMENT, 3)


def test_an_edit_that_is_refused_leaves_the_others_of_a_batch() -> None:
    item = texts.resource()
    with item.edit():
        item.set("spec.replicas", 4)
        with pytest.raises(krm.FnError):
            item.set("metadata.name.first", "x")
    assert item.text == DEPLOYMENT.replace("replicas: 3", "replicas: 4")


def test_reading_in_a_batch_sees_its_edits() -> None:
    item = texts.resource()
    with item.edit():
        item.set("spec.replicas", 4)
        item.append(CONTAINERS, SIDECAR)
        assert (item.get("spec.replicas"), item.get(f"{CONTAINERS}[2].name")) == (4, "sidecar")
        item.set(f"{CONTAINERS}[name=sidecar].image", "fluentd:2")
    assert item.text == DEPLOYMENT.replace("replicas: 3", "replicas: 4") + SIDECAR_TEXT.replace("fluentd", "fluentd:2")


def test_edits_that_a_read_in_a_batch_could_not_make_are_not_forgotten() -> None:
    item = texts.resource("kind: Pod\nlist: [1, [x] : 2]\nspec: {}\n")

    def block() -> None:
        with item.edit():
            item.set("list[1].b", 3)
            with pytest.raises(krm.FnError, match="it is a single pair"):
                item.get("list[1].b")
            item.set("spec.a", 1)

    with pytest.raises(krm.FnError, match="it is a single pair"):
        block()
    assert item.text == "kind: Pod\nlist: [1, [x] : 2]\nspec: {}\n"
    item.set("spec.a", 1)
    assert item.get("spec.a") == 1


def all_of(item: krm.Resource, paths: list[str]) -> list[object]:
    """Return what an author can read of an object: its identity, and the fields at these paths."""
    identity = [item.ref.as_data(), item.group, item.version, item.labels, item.annotations, item.is_local_config]
    return [*identity, [(item.get(path), [part.get() for part in item.parts(path)]) for path in paths]]


@pytest.mark.parametrize("name", EDITS)
def test_all_that_is_read_in_a_batch_is_as_its_edits_leave_it(name: str) -> None:
    outside, inside = texts.resource(), texts.resource()
    EDITS[name][0](outside)
    outside.set("metadata.namespace", "other")
    paths = ["", "metadata", "spec", "spec.template", *(leaf.path for leaf in texts.resource().walk(leaves=True))]
    for read in (lambda item: [item.name], lambda item: all_of(item, paths)):
        with inside.edit():
            EDITS[name][0](inside)
            inside.set("metadata.namespace", "other")
            assert read(inside) == read(outside)
        assert inside.text == outside.text
        inside = texts.resource()


def label(item: krm.Resource, count: int) -> None:
    """Set labels in three places of a Deployment, and ask for others on the way."""
    with item.edit():
        for path in ("metadata", "spec.template.metadata"):
            for part in item.parts(path):
                part.update({f"labels.l{number}": "x" for number in range(count)})
        assert (item.kind, item.is_namespaced) == ("Deployment", True)
        if item.part("spec.selector.matchLabels"):
            item.update({f"spec.selector.matchLabels.l{number}": "x" for number in range(count)})
        assert item.pod_spec is not None
        assert [container.name for container in item.pod_spec.containers] == ["web"]


@pytest.mark.pure
@pytest.mark.parametrize("count", [1, 6])
def test_labels_in_three_places_take_trees_of_their_own_lines(count: int) -> None:
    item = texts.resource(next(iter(workloads.deployments(1, 0))))
    # The lines of each place, before and after, and the containers: together not as much as the text.
    assert parsed(lambda: label(item, count)) < len(item.text)
    assert item.text.count("l0: x") == 3
    assert item.text.count("\n") == workloads.DEPLOYMENT.count("\n") + 3 * count


LOST = "would be lost: delete the field that it belongs to, or set another comment"
REFUSED: dict[str, tuple[Callable[[krm.Resource], Any], str]] = {
    "an element that goes": (
        lambda item: item.set(CONTAINERS, item.get(CONTAINERS)[1:]),
        f"the field cannot be changed: line 17: the comment `# the shop itself` {LOST}",
    ),
    "a key that goes": (
        lambda item: item.set("metadata.labels", {"tier": "front"}),
        f"the field cannot be changed: line 7: the comment `# ab` {LOST}",
    ),
    "a list in place of a mapping": (
        lambda item: item.set("metadata.labels", ["front"]),
        f"the field cannot be changed: line 7: the comment `# ab` {LOST}",
    ),
    "below a scalar": (
        lambda item: item.set("metadata.name.first", "x"),
        ("the field cannot be changed: at `metadata.name` there is `web`, and neither a mapping nor a list"),
    ),
    "behind the end": (
        lambda item: item.set(f"{CONTAINERS}[2]", {}),
        f"the field cannot be changed: at `{CONTAINERS}` there is a list of 2 elements",
    ),
    "inserted behind the end": (
        lambda item: item.insert(CONTAINERS, 3, {}),
        "the field cannot be changed: the list has 2 elements, and no place 3",
    ),
    "moved behind the end": (
        lambda item: item.move(f"{CONTAINERS}[0]", 2),
        "the field cannot be changed: the list has 2 elements, and no place 2",
    ),
    "moved in no list": (
        lambda item: item.move("spec", 0),
        "the field cannot be changed: it leads to no element of a list, or to several",
    ),
    "inserted into a scalar": (
        lambda item: item.insert("spec.replicas", 0, 1),
        "the field cannot be changed: there is a scalar and no list",
    ),
    "inserted behind the end of nothing": (
        lambda item: item.insert("spec.volumes", 1, {}),
        "the field cannot be changed: there is no list",
    ),
    "inserted into a mapping": (
        lambda item: item.append("spec", 1),
        "the field cannot be changed: there is a mapping and no list",
    ),
    "every element of nothing": (
        lambda item: item.set("spec.volumes[*].name", "x"),
        ("the field cannot be changed: it leads to no field, and only a path of keys and indexes can add one"),
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_an_edit_that_is_refused(name: str) -> None:
    change, message = REFUSED[name]
    item = texts.resource()
    with pytest.raises(krm.FnError) as error:
        change(item)
    assert [result.message for result in error.value.results] == [message]
    assert item.text == DEPLOYMENT


def test_a_value_that_yaml_does_not_have() -> None:
    item = texts.resource()
    message = r"^YAML has no values of type `date`: write it as a str$"
    with pytest.raises(TypeError, match=message):
        item.set("data", date(2026, 1, 2))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^YAML has no values of type `Part`: give what its `get\(\)` returns$"):
        item.append("data", item.part("spec"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^a key of a mapping is a str, found 1 of type `int`$"):
        item.set("data", {1: "x"})  # type: ignore[dict-item]
    with pytest.raises(TypeError, match=r"^the value of `a` in `annotations` is a str, found None$"):
        item.set_annotation("a", None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^the value of `a` in `stringData` is a str, found a value of type `int`$"):
        texts.resource("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n").set("stringData.a", 70123)
    with pytest.raises(ValueError, match=r"^`a..b` is no field path from character 2 on"):
        item.set("a..b", 1)
    with pytest.raises(ValueError, match=r"^an object is removed by `ResourceList.remove`, not by `delete`$"):
        item.delete()
    assert item.text == DEPLOYMENT


class Size(StrEnum):
    SMALL = "small"


class Count(IntEnum):
    TWO = 2


@pytest.mark.parametrize("path", ["spec.new", "spec.template"])
@pytest.mark.parametrize(("value", "text"), [(Size.SMALL, "small"), (Count.TWO, "2"), ([Size.SMALL], "[small]")])
def test_a_member_of_an_enum_is_what_it_stands_for(path: str, value: Any, text: str) -> None:
    given = "kind: A\nspec:\n  template: 1\n"
    output = krm.transform(given, lambda resource_list: resource_list.items[0].set(path, value))
    assert not output.results
    written = yaml.safe_load(output.text)["spec"][path.removeprefix("spec.")]
    assert written == yaml.safe_load(text)


def test_what_a_method_returns_is_nothing_that_a_function_would_lose() -> None:
    for change in (lambda found: found.items[0].delete("spec"), lambda found: found.add("kind: B\n")):
        assert krm.transform("kind: A\nspec: 1\n", change).results == []


def test_values_are_covariant() -> None:
    labels: dict[str, str] = {"a": "b"}
    ports: tuple[int, ...] = (80, 443)
    assert edited(lambda item: item.update({"labels": labels, "ports": ports}), "kind: Pod\n") == (
        "kind: Pod\nlabels:\n  a: b\nports:\n- 80\n- 443\n"
    )


SHARED = "kind: Pod\na: &a\n  x: 1 # one\nb: *a\nc:\n  <<: *a\n  y: 2\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda item: item.set("b.x", 3), SHARED.replace("b: *a", "b:\n  x: 3")),
        (lambda item: item.set("c.x", 3), SHARED.replace("y: 2\n", "y: 2\n  x: 3\n")),
        (lambda item: item.set("c", {"x": 1, "y": 3}), SHARED.replace("y: 2", "y: 3")),
        (lambda item: item.set("b", {"x": 1}), SHARED),
        (lambda item: item.delete("c.y"), SHARED.replace("\n  y: 2", "")),
    ],
)
def test_an_alias_is_replaced_by_its_edited_copy(change: Callable[[krm.Resource], Any], expected: str) -> None:
    assert edited(change, SHARED) == expected


@pytest.mark.parametrize("change", [lambda item: item.delete("c.x"), lambda item: item.set("c", {"y": 2})])
def test_what_is_merged_in_is_deleted_where_it_is_written(change: Callable[[krm.Resource], Any]) -> None:
    item = texts.resource(SHARED)
    with pytest.raises(krm.FnError, match="`x` is merged in by `<<` and can only be deleted where it is written"):  # noqa: PT012 - at the call or at the first read
        change(item)
        item.get()


def test_a_merge_key_is_no_field_to_delete() -> None:
    item = krm.load("a: &x {p: 1}\nb:\n  <<: *x\n  q: 2\n").items[0]
    with pytest.raises(krm.FnError) as error:
        item.delete("b['<<']")
    assert str(error.value) == "[error] b['<<']: the field cannot be changed: `<<` is no field"
    assert item.text == "a: &x {p: 1}\nb:\n  <<: *x\n  q: 2\n"


SCALARS = st.none() | st.booleans() | st.integers(-9, 9) | st.sampled_from(["a", "b", "1.10", "yes", "", "# no"])
ELEMENTS = st.fixed_dictionaries({"name": st.sampled_from(["web", "cache", "x", "y"])}, optional={"image": SCALARS})
VALUES = (
    st.lists(ELEMENTS, max_size=4) | st.lists(SCALARS, max_size=4) | st.dictionaries(st.sampled_from("abc"), SCALARS)
)


@given(VALUES, VALUES)
def test_set_gives_the_value_or_names_a_comment(first: Any, second: Any) -> None:
    """The law of `set`: it reads as the value, keeps every comment, or changes nothing and says why."""
    item = texts.resource(DEPLOYMENT)
    try:
        item.set(CONTAINERS, first)
    except krm.FnError as error:
        assert LOST in str(error)  # noqa: PT017 - one of two outcomes
        assert item.text == DEPLOYMENT
        return
    assert yaml.safe_load(item.text)["spec"]["template"]["spec"]["containers"] == first
    before = item.text
    try:
        item.set(CONTAINERS, second)
    except krm.FnError as error:
        assert LOST in str(error)  # noqa: PT017 - as above
        assert item.text == before
        return
    assert yaml.safe_load(item.text)["spec"]["template"]["spec"]["containers"] == second
    assert all(comment in item.text for comment in ("# the shop itself", "# pinned, see INC-42", "# kpt-set: ${redis}"))


COMMENTS = [
    ("metadata.name", "behind", "the shop"),
    (f"{CONTAINERS}[name=web]", "above", "the shop itself"),
    (f"{CONTAINERS}[name=web].args", "behind", "both needed"),
    ("metadata.labels", "behind", ""),
    ("metadata.labels", "above", ""),
    ("metadata.labels", "below", ""),
    ("spec.paused", "behind", ""),
    ("", "behind", ""),
]


@pytest.mark.parametrize(("path", "where", "text"), COMMENTS)
def test_comments_are_read(path: str, where: Any, text: str) -> None:
    assert texts.resource().comment(path, where) == text


SET_COMMENTS: dict[str, tuple[Callable[[krm.Resource], Any], str]] = {
    "behind a scalar": (
        lambda item: item.set_comment("spec.replicas", "kpt-set: ${n}"),
        DEPLOYMENT.replace("two for each zone", "kpt-set: ${n}"),
    ),
    "behind a key": (
        lambda item: item.set_comment("metadata.labels", "by us"),
        DEPLOYMENT.replace("labels:", "labels: # by us"),
    ),
    "behind a flow list": (
        lambda item: item.set_comment(f"{CONTAINERS}[0].args", ""),
        DEPLOYMENT.replace(" # both needed", ""),
    ),
    "above": (
        lambda item: item.set_comment("spec", "one\n\ntwo", "above"),
        DEPLOYMENT.replace("\nspec:", "\n# one\n#\n# two\nspec:"),
    ),
    "above an element": (
        lambda item: item.set_comment(f"{CONTAINERS}[1]", "", "above"),
        DEPLOYMENT.replace("      # the cache\n", ""),
    ),
    "below": (
        lambda item: item.set_comment("metadata.labels", "one\ntwo", "below"),
        DEPLOYMENT.replace("# ab\n", "# ab\n    # one\n    # two\n"),
    ),
}


@pytest.mark.parametrize("name", SET_COMMENTS)
def test_comments_are_written(name: str) -> None:
    change, expected = SET_COMMENTS[name]
    assert edited(change) == expected


def test_a_comment_below_is_read_again_and_needs_no_last_line_end() -> None:
    item = texts.resource("a:\n  b: 1")
    item.set_comment("a", "one\ntwo", "below")
    assert (item.comment("a", "below"), item.text) == ("one\ntwo", "a:\n  b: 1\n  # one\n  # two")
    item.set_comment("a", "", "below")
    assert item.text == "a:\n  b: 1\n"


def test_a_comment_of_what_was_edited_in_a_block_is_not_lost_either() -> None:
    item = texts.resource()

    def replace() -> None:
        with item.edit():
            item.set(f"{CONTAINERS}[name=web].image", "nginx:2")
            item.set(CONTAINERS, "none")

    with pytest.raises(krm.FnError, match=LOST):
        replace()
    assert item.text == DEPLOYMENT


def test_a_mapping_that_is_set_twice_in_a_block_has_the_second_value() -> None:
    item = texts.resource("kind: Pod\n")
    with item.edit():
        item.set("spec", {"a": 1, "b": {"c": [1]}})
        item.set("spec", {"b": {"d": [2]}})
        item.set("spec.b.d", [3, 2])
    assert item.text == "kind: Pod\nspec:\n  b:\n    d:\n    - 3\n    - 2\n"


MANY: dict[str, Callable[[krm.Resource, int], Any]] = {
    "scalars": lambda item, number: item.set(("spec", "map", f"k{number}"), number),
    "mappings": lambda item, number: item.set(("spec", "map", f"k{number}"), {"a": number}),
    "elements": lambda item, number: item.insert("spec.list", number, {"name": f"n{number}"}),
    "elements at the end": lambda item, number: item.append("spec.list", f"n{number}"),
    "elements that are set": lambda item, number: item.set(("spec", "there", number), "x"),
}


@pytest.mark.parametrize("edit", MANY.values(), ids=MANY)
def test_one_edit_more_in_a_block_costs_few_calls_however_many_there_are(
    edit: Callable[[krm.Resource, int], Any],
) -> None:
    costs = {count: calls(edit, count) for count in (100, 200, 800)}
    assert (costs[200] - costs[100]) / 100 < 320
    assert (costs[800] - costs[200]) / 600 < 320


def test_mappings_that_come_ahead_of_others_are_gathered() -> None:
    item = texts.resource("kind: Pod\nspec:\n  list:\n  - name: a\n")

    def insert() -> None:
        for number in range(20):
            item.insert("spec.list", 0, {"name": f"n{number}"})

    assert parsed(insert) < 100
    assert [part.name for part in item.parts("spec.list")] == [f"n{number}" for number in reversed(range(20))] + ["a"]


def test_fields_that_are_set_by_the_names_of_their_elements_are_gathered() -> None:
    item = texts.resource("kind: Pod\nspec:\n  list:\n" + "".join(f"  - name: n{n}\n    a: 1\n" for n in range(20)))

    def edit() -> None:
        for number in range(20):
            item.set(f"spec.list[name=n{number}].a", 2)

    assert parsed(edit) < 2 * len(item.text)
    assert item.get("spec.list[name=n19].a") == 2


def calls(edit: Callable[[krm.Resource, int], Any], count: int) -> int:
    """Return how many functions are called by so many edits in one block."""
    item = texts.resource("kind: Pod\nspec:\n  list: []\n  there:\n" + "  - a\n" * 800)

    def block() -> None:
        with item.edit():
            for number in range(count):
                edit(item, number)

    return counted(block)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: |\n  x\n", "a: |\n  x\n # y\n"),
        ("a: |+\n  x\n\n\nb: 1\n", "a: |+\n  x\n\n\n # y\nb: 1\n"),
    ],
)
def test_a_comment_below_a_block_is_no_text_of_it(text: str, expected: str) -> None:
    item = texts.resource(text)
    item.set_comment("a", "y", "below")
    assert item.text == expected
    assert item.comment("a", "below") == "y"


def comment_and_fail(item: krm.Resource) -> None:
    item.set_comment("a", "x")
    item.set("b", 3)
    raise ValueError("boom")


def test_a_block_that_fails_takes_its_comments_back() -> None:
    item = texts.resource("a: 1\nb: 2\n")
    with pytest.raises(ValueError, match="boom"), item.edit():
        comment_and_fail(item)
    assert item.text == "a: 1\nb: 2\n"


def test_comments_of_block_scalars_and_in_brackets() -> None:
    item = texts.resource("a: | # one\n  x\nb: [1, # two\n  2]\nc:\n- - d\n")
    assert (item.comment("a"), item.comment("b[0]"), item.comment("c[0]"), item.comment("b[0]", "above")) == (
        "one", "two", "", "",
    )  # fmt: skip
    item.set_comment("a", "three")
    item.set_comment("b[0]", "four")
    assert item.text == "a: | # three\n  x\nb: [1, # four\n  2]\nc:\n- - d\n"


NO_PLACE: dict[str, tuple[str, Callable[[krm.Resource], Any], str]] = {
    "JSON": ('{"a": 1}', lambda item: item.set_comment("a", "x"), "1 behind"),
    "in brackets": ("a: [1, 2]\n", lambda item: item.set_comment("a[0]", "x"), "1 behind"),
    "above in brackets": ("a: [1, 2]\n", lambda item: item.set_comment("a[0]", "x", "above"), "1 above"),
    "behind a dash": ("a:\n- b: 1\n", lambda item: item.set_comment("a[0].b", "x", "above"), "2 above"),
    "an element": ("a:\n- b: 1\n", lambda item: item.set_comment("a[0]", "x"), "2 behind"),
}


@pytest.mark.parametrize(
    ("comment", "where", "message"),
    [
        ("x\ny", "behind", "a comment behind a field has one line: one `above` or `below` it may have several"),
        ("x\0y", "behind", "the character U+0000 is not allowed in a comment"),
        ("x\ny\u2028z", "above", "the character U+2028 is not allowed in a comment"),
    ],
)
def test_a_text_that_is_no_comment(comment: str, where: Where, message: str) -> None:
    item = texts.resource("kind: Pod\na: 1\n")
    with pytest.raises(krm.FnError) as error:
        item.set_comment("a", comment, where)
    assert [result.message for result in error.value.results] == [f"the field cannot be changed: line 2: {message}"]
    assert item.text == "kind: Pod\na: 1\n"


def test_a_comment_that_is_no_text() -> None:
    item = texts.resource("kind: Pod\n")
    with pytest.raises(TypeError, match=r"^a comment is a str, found 3$"):
        item.set_comment("kind", 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", NO_PLACE)
def test_a_comment_without_a_place(name: str) -> None:
    text, change, where = NO_PLACE[name]
    line, side = where.split()
    message = f"line {line}: there is no place for a comment {side} this field"
    item = texts.resource(text)
    with pytest.raises(krm.FnError) as error:  # noqa: PT012 - at the call or at the first read
        change(item)
        item.get()
    assert [result.message for result in error.value.results] == [f"the field cannot be changed: {message}"]
    assert item.text == text


def test_a_comment_of_nothing() -> None:
    item = texts.resource()
    with pytest.raises(krm.FnError, match=r"the field cannot be changed: it is absent"):
        item.set_comment("spec.paused", "x")
    with pytest.raises(krm.FnError, match="an object has no comment of its own, give the path of a field"):
        item.set_comment("", "x")
    with pytest.raises(krm.FnError, match="an alias or `<<` shows it: it is written elsewhere"):
        texts.resource(SHARED).set_comment("b.x", "x")
    assert texts.resource(SHARED).comment("b.x") == ""
    with pytest.raises(ValueError, match=r"^a comment is `above`, `behind` or `below` a field, found `over`$"):
        item.comment("spec", "over")  # type: ignore[arg-type]


OTHER_TEXTS: dict[str, tuple[str, Callable[[krm.Resource], Any], str]] = {
    "an anchor that others use": (
        "a: &x {k: 1}\nb: *x\n", lambda item: item.set("a", 1), "a: 1\nb:\n  k: 1\n",
    ),
    "an anchor in place, for all that show it": (
        "a: &q\n  b: 1\n  d: 3\nc: *q\n",
        lambda item: item.update({"a.b": 2, "c.b": 2}),
        "a: &q\n  b: 2\n  d: 3\nc: *q\n",
    ),
    "an element by an aliased name": (
        "a: &n q\nl:\n- name: *n\n", lambda item: item.set("l[name=q].x", 1), "a: &n q\nl:\n- name: *n\n  x: 1\n",
    ),
    "an element by its index": (
        "a:\n- b: 1 # one\n- c: 2\n", lambda item: item.set("a[0]", {"b": 3}), "a:\n- b: 3 # one\n- c: 2\n",
    ),
    "every value of a mapping": (
        "a: {b: {c: 1}, d: {}}\n", lambda item: item.set("a[*].c", 2), "a: {b: {c: 2}, d: {}}\n",
    ),
    "a collection in place of a scalar": ("a: 1 # one\n", lambda item: item.set("a", [2]), "a: # one\n- 2\n"),
    "a scalar in place of a collection": (
        "a: {b: 1} # end\nc: 1\n", lambda item: item.set("a", 5), "a: 5 # end\nc: 1\n",
    ),
    "a mapping in place of a template's key": (
        "a: {{ .x }}\nb: 1\n", lambda item: item.set("a", {}), "a: {}\nb: 1\n",
    ),
    "an alias that names nothing": ("a: *b\nc: 1\n", lambda item: [*item.walk()], "a: *b\nc: 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHER_TEXTS)
def test_an_edit_of_another_form_of_text(name: str) -> None:
    text, change, expected = OTHER_TEXTS[name]
    assert edited(change, text) == expected


def test_a_null_that_was_set_can_be_deleted_in_its_batch() -> None:
    item = texts.resource("a: 1\nb: {c: 2}\n")
    with item.edit():
        item.set("b", None)
        item.set("d", None)
        item.set("e", None)
        assert item.delete("b")
        assert item.delete("e")
    assert item.text == "a: 1\nd: null\n"


def test_elements_are_met_by_name_before_they_are_written() -> None:
    item = texts.resource("a:\n- name: k\n")
    with item.edit():
        for name in (5, "q", [5]):
            item.append("a", {"name": name})
        item.append("a", {"n": 5})
        item.set("a[name=5].x", 1)
        item.set("a[name=q].x", 2)
        item.set("z.y.x", 3)
        item.set("z[*].x", 4)
    assert item.text == (
        'a:\n- name: k\n- name: 5\n  x: 1\n- name: q\n  x: 2\n- name:\n  - 5\n- "n": 5\nz:\n  "y":\n    x: 4\n'
    )


REFUSED_TEXTS: dict[str, tuple[str, Callable[[krm.Resource], Any], str]] = {
    "a comment in brackets": ("a: [1, 2 # c\n  ]\n", lambda item: item.set("a", [1]), "1"),
    "a comment behind a comma": ("a: [1, # c\n  2]\n", lambda item: item.set("a", [2]), "1"),
    "a comment of a text": ("a: | # c\n  x\nb: 2\n", lambda item: item.set("", {"b": 2}), "1"),
    "a comment below": ("a:\n  b: 1\n  # c\nc: 1\n", lambda item: item.set("a", 5), "3"),
    "a comment behind a dash": (
        "a:\n- # c\n  b: 1\n- x: 2\n",
        lambda item: item.set("a", [{"x": 2}]),
        "2",
    ),
    "an explicit key": (
        "? a\n: 1 # c\nb: 2\n",
        lambda item: item.set("", {"b": 2}),
        "line 1: its key is written with `?`: change it by hand",
    ),
    "a key that is an alias": (
        "a: &k x\nb: {*k : 2}\n",
        lambda item: item.set("a", 1),
        "line 2: this alias is a key, or is below one that is no scalar",
    ),
    "an alias of a custom tag": (
        "a: &x !t {}\nb: [*x]\n",
        lambda item: item.to_yaml("b"),
        "line 1: what an alias shows here has a tag on a collection",
    ),
}


@pytest.mark.parametrize("name", REFUSED_TEXTS)
def test_an_edit_of_another_text_that_is_refused(name: str) -> None:
    text, change, problem = REFUSED_TEXTS[name]
    message = f"line {problem}: the comment `# c` {LOST}" if problem.isdecimal() else problem
    item = texts.resource(text)
    with pytest.raises(krm.FnError) as error:  # noqa: PT012 - at the call or at the first read
        change(item)
        item.get()
    assert [result.message for result in error.value.results] == [f"the field cannot be changed: {message}"]
    assert item.text == text


MERGED = """\
x: &x
  l: # of l
  - a # of a
b:
  <<: *x
"""


@pytest.mark.parametrize("path", ["b.l", "b.l[0]"])
@pytest.mark.parametrize("where", ["above", "behind", "below"])
def test_what_a_merge_key_shows_has_no_comment(path: str, where: Where) -> None:
    item = texts.resource(MERGED)
    assert item.comment(path, where) == ""
    with pytest.raises(krm.FnError) as error:
        item.set_comment(path, "x", where)
    problem = "an alias or `<<` shows it: it is written elsewhere"
    assert str(error.value) == f"[error] {path}: the field cannot be changed: {problem}"
    assert item.text == MERGED


def test_an_error_of_a_part_names_the_whole_path_and_the_line() -> None:
    text = "kind: List\napiVersion: v1\nitems:\n- kind: Pod\n  apiVersion: v1\n- kind: Pod\n  apiVersion: v1\n"
    resource_list = krm.load(f"{text}  spec:\n    containers:\n    - name: a\n    - name: b\n      tty: 1\n")
    pod = resource_list.items[1]
    assert pod.pod_spec is not None
    part = pod.pod_spec.containers[1]
    where = "v1/Pod items[1].spec.containers[name=b]"
    no_list = ".a[0]: the field cannot be changed: at `spec.containers[1].a` there is neither a mapping nor a list"
    no_field = (
        ".**.a: the field cannot be changed: it leads to no field, and only a path of keys and indexes can add one"
    )
    calls: list[tuple[Callable[[Part], object], int, str]] = [
        (lambda part: part.set_comment("image", "x"), 11, ".image: the field cannot be changed: it is absent"),
        (lambda part: part.append("", "x"), 11, ": the field cannot be changed: there is a mapping and no list"),
        (lambda part: part.get_bool("tty"), 12, ".tty: it is `1`, and must be true or false"),
        (lambda part: part.set("a[0]", "x"), 11, no_list),
        (lambda part: part.set("**.a", "x"), 12, no_field),
    ]
    for call, line, words in calls:
        with pytest.raises(krm.FnError) as error:
            call(part)
        assert str(error.value) == f"[error] {where}{words}"
        assert error.value.results[0].line() == line
    resource_list.warning("is absent", part, "image")
    assert [(str(one), one.line()) for one in resource_list.results] == [(f"[warning] {where}.image: is absent", 11)]


def test_a_path_that_ends_on_the_way() -> None:
    for text, path, problem in (
        ("a: [1]\n", "a[5].b", "at `a` there is a list of 1 element"),
        ("a: {b: 1}\n", "a[name=x].c", "there is a mapping and no list"),
        ("a: {b: 1}\n", "a[0]", "at `a` there is a mapping and no list"),
    ):
        with pytest.raises(krm.FnError) as error:
            texts.resource(text).update({"x": 1, path: 2})
        assert str(error.value).endswith(f"{path}: the field cannot be changed: {problem}")


SERVICE = "apiVersion: v1\nkind: Service\nspec:\n  ports:\n"
ADDED: dict[str, tuple[str, tuple[Any, ...], str]] = {
    "the key of a list of Kubernetes, where the list is absent": (
        "apiVersion: v1\nkind: Pod\nspec:\n",
        ("spec.containers[name=web].image", "nginx"),
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: web\n    image: nginx\n",
    ),
    "a number beside numbers": (
        f"{SERVICE}  - port: 80\n",
        ("spec.ports[port=9090].name", "m"),
        f"{SERVICE}  - port: 80\n  - port: 9090\n    name: m\n",
    ),
    "a number in an empty list of Kubernetes": (
        SERVICE,
        ("spec.ports[port=9090].name", "m"),
        f"{SERVICE}  - port: 9090\n    name: m\n",
    ),
    "a text beside texts": (
        f'{SERVICE}  - port: "80"\n',
        ("spec.ports[port=9090].name", "m"),
        f'{SERVICE}  - port: "80"\n  - port: "9090"\n    name: m\n',
    ),
    "a word beside numbers": (
        f"{SERVICE}  - port: 80\n",
        ("spec.ports[port=http].name", "m"),
        f"{SERVICE}  - port: 80\n  - port: http\n    name: m\n",
    ),
    "a key that all elements of an unknown list have": (
        "a:\n- {host: a, x: 1}\n- {host: b, x: 1}\n",
        ("a[host=c].x", 2),
        "a:\n- {host: a, x: 1}\n- {host: b, x: 1}\n- host: c\n  x: 2\n",
    ),
    "a name in an empty list": ("a: []\n", ("a[name=c].x", 2), "a:\n- name: c\n  x: 2\n"),
    "one that was set before": (
        "a: [{host: a}]\n",
        ("b", [{"host": "b"}], "b[host=c].x", 2),
        "a: [{host: a}]\nb:\n- host: b\n- host: c\n  x: 2\n",
    ),
}
NOT_ADDED = {
    "another key than that of Kubernetes": (
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - {name: web, image: a}\n",
        "spec.containers[image=b].x",
        "at `spec.containers` no element has `image: b`, and elements are added by `name`",
    ),
    "a key that an element lacks": (
        "a: [{host: a}, {x: 1}]\n",
        "a[host=c].x",
        "at `a` no element has `host: c`, and elements are added by a key that all have, no two the same",
    ),
    "a key that two elements share": (
        "a: [{host: a}, {host: a}]\n",
        "a[host=c].x",
        "at `a` no element has `host: c`, and elements are added by a key that all have, no two the same",
    ),
    "any key in an empty list": (
        "a: []\n",
        "a[host=c].x",
        "at `a` no element has `host: c`, and elements are added by `name`",
    ),
}


@pytest.mark.parametrize("name", ADDED)
def test_a_path_adds_an_element_by_the_key_that_tells_elements_apart(name: str) -> None:
    text, given, expected = ADDED[name]
    item = texts.resource(text)
    with item.edit():
        for path, value in zip(given[::2], given[1::2], strict=True):
            item.set(path, value)
    assert item.text == expected


@pytest.mark.parametrize("name", NOT_ADDED)
def test_a_path_adds_no_element_by_another_key(name: str) -> None:
    text, path, problem = NOT_ADDED[name]
    item = texts.resource(text)
    with pytest.raises(krm.FnError) as error:
        item.set(path, 2)
    assert str(error.value).endswith(f"{path}: the field cannot be changed: {problem}")
    assert item.text == text


def test_many_edits_take_linear_time() -> None:
    """The processor time of four times as many edits, of keys in a batch and of a list in reverse, is not 16 times."""
    few, many = (min(seconds(count) for _ in range(3)) for count in (500, 2000))
    assert many < 9 * few


def seconds(count: int) -> float:
    keys = "".join(f"  k{number}: v # c\n" for number in range(count))
    elements = "".join(f"- e{number} # c{number}\n" for number in range(count))
    item = texts.resource(f"kind: A\ndata:\n{keys}l:\n{elements}")
    start = time.process_time()
    with item.edit():
        for number in range(count):
            item.set(f"data.k{number}", "new")
    item.set("l", item.get("l")[::-1])
    taken = time.process_time() - start
    assert item.text.startswith("kind: A\ndata:\n  k0: new # c\n")
    assert item.text.endswith("- e1 # c1\n- e0 # c0\n")
    return taken


def test_a_list_around_an_object_whose_elements_moved_is_not_found_again_either() -> None:
    pod = """\
    - kind: Pod
      spec:
        containers:
        - name: web # the web
"""
    ids = "  metadata:\n    annotations: {config.k8s.io/id: '1', internal.config.kubernetes.io/id: '1', a: b}\n"
    given = f"kind: ResourceList\napiVersion: config.kubernetes.io/v1\nitems:\n- kind: List\n  apiVersion: v1\n{ids}"
    output = krm.transform(
        f"{given}  items:\n{pod}",
        lambda resource_list: resource_list.where("Pod")[0].insert("spec.containers", 0, {"name": "proxy"}),
    )
    assert "config.k8s.io/id" not in output.text
    assert "kubernetes.io/id" not in output.text
    assert "        - name: proxy\n        - name: web # the web\n" in output.text
