"""An object whose text is cut into sections is edited as one that is parsed whole: the same bytes and refusals."""

from __future__ import annotations

import re
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import krm
from krm import fieldpath
from tests.calls import parsed
from tests.krm.function import texts
from tests.krm.function.texts import paths
from tests.process import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

COMMENTED = """\
# a licence

apiVersion: apps/v1 # of Kubernetes
kind: Deployment
# all about it
metadata:
  name: web
  # of the shop

  labels: {app: web}
  annotations:
    # why
    a: "1"
    # below

    b: '2'
# of the spec
spec:
    replicas: 3

    template:
        spec:
            containers:
              - name: web
                args: [a, "b"]
              # last
              - name: cache
            volumes:
    # odd
    list:
    - |
      # text
      x
    - y
data:
  script: |
    # no comment
    echo "x

  words: a
    b
status: {}
# the end
"""
BRACKETS = """\
apiVersion: v1
kind: Service
metadata: {name: 'web', namespace: shop} # the shop
spec:
  selector: { app: web, "tier": x, version: "1" }
  ports:
  - {name: http, port: 80, on: yes}
  -   {name: web, port: 0x50,}
  - {name: odd, at: {x: y}, list: [a]}
  empty: {}
  blank: { }
  last: {url: http://x, key: a b, null: ~}
"""
DOCUMENTS = [
    BRACKETS,
    COMMENTED,
    texts.DEPLOYMENT,
    texts.CONFIG_MAP,
    *sorted(
        document
        for path in (ROOT / "examples").rglob("*.yaml")
        for document in re.split(r"^---\n", path.read_text(), flags=re.MULTILINE)
        if re.match(r"apiVersion: .*\nkind: (?!ResourceList)", document) and document.count("\n") < 60
    )[::7],
]
VALUES: list[Any] = [
    *("x", "1.10", "", "# no", "'q", " lead", "two\nlines\n", "two\nlines\n\n", 3, True, None),
    *({}, [], {"a": "b"}, {"a": {"b": ["c"]}}, ["p", "q"], [{"name": "n", "image": "i"}]),
]


def each(value: Any, parts: list[krm.Part]) -> None:
    for part in parts:
        part.set("", value)


def set_and_read(item: krm.Resource, path: Any, value: Any) -> list[object]:
    # A node that changed its kind among edits that wait did not change it in the text.
    item.set("kind" if path[:2] == ("metadata", "name") else "metadata.name", "api")
    item.set(path, value)
    return [item.get(path[:1]), item.get(path[:-1]), item.name, *map(repr, item.walk("metadata"))]


def twice(item: krm.Resource, path: Any, value: Any) -> None:
    for key, one in (("new", "first"), ("more", value), ("new", "second"), (path[-1], "y"), ("new", "last")):
        item.set((*path[:-1], key), one)


EDITS: dict[str, Callable[[krm.Resource, Any, Any], Any]] = {
    "set": lambda item, path, value: item.set(path, value),
    "set what is absent": lambda item, path, value: item.set((*path[:-1], "new", "x"), value),
    "set a mapping": lambda item, path, value: item.set(path, {**(item.get(path[:-1]) or {}), "new": value}),
    "twice": twice,
    "delete": lambda item, path, _: item.delete(path),
    "append": lambda item, path, value: item.append(path, value),
    "insert": lambda item, path, value: item.insert(path[:-1], 0, value),
    "move": lambda item, path, _: item.move(path, 0),
    "label": lambda item, *_: item.set_label("team", "shop"),
    "parts": lambda item, path, value: each(value, item.parts(path)),
    "by name": lambda item, path, value: item.set(f"{fieldpath.to_text(path[:-1])}[name=web].image", value),
    "several": lambda item, path, value: item.update({"apiVersion": "x", fieldpath.to_text(path): value}),
    "set and read": set_and_read,
    "comment": lambda item, path, _: item.set_comment(path, "why", "above"),
}


def outcome(text: str, edit: Callable[[krm.Resource], Any], *, is_whole: bool) -> object:
    """Return what an edit leaves of a text, or its refusal."""
    resource_list = texts.read(text)
    item = resource_list.items[0]
    if is_whole:
        item.get()  # the tree of the whole text is there
    try:
        found = edit(item)
        return found, resource_list.emit().text, item.ref.as_data(), dict(item.labels), dict(item.annotations)
    except (krm.FnError, ValueError, TypeError) as error:
        return str(error)


@settings(max_examples=1000)
@given(st.sampled_from(DOCUMENTS), st.sampled_from([*EDITS]), st.randoms(use_true_random=False))
def test_an_edit_of_a_section_is_one_of_the_whole_text(text: str, name: str, dice: Any) -> None:
    path = dice.choice(paths(texts.resource(text).get()))
    value = dice.choice(VALUES)
    if dice.random() < 0.3:
        text = f"items:\n- {text}".replace("\n", "\n  ").replace("items:\n  -", "items:\n-").rstrip() + "\n"
        text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n" + text

    def edit(item: krm.Resource) -> object:
        return EDITS[name](item, path, value)

    assert outcome(text, edit, is_whole=False) == outcome(text, edit, is_whole=True)


PLACES = ("metadata.name", "metadata.labels.app", "metadata.labels.b", "spec.replicas", "spec.new", "spec.a.b", "kind")
STEPS = st.tuples(st.sampled_from(("set", "get", "delete")), st.sampled_from(PLACES))
TEXTS = st.sampled_from(("web", "8080", "", "a: b", "it's", "x\ny\n", "null", 8080, True, 1))


@settings(max_examples=300)
@given(st.sampled_from(DOCUMENTS), st.lists(st.tuples(STEPS, TEXTS), max_size=6), st.booleans())
def test_edits_and_reads_one_after_the_other_are_those_of_the_whole_text(
    text: str,
    steps: list[tuple[tuple[str, str], str]],
    is_block: bool,  # noqa: FBT001 - a parameter of hypothesis
) -> None:
    def edit(item: krm.Resource) -> None:
        with item.edit() if is_block else nullcontext():
            for (name, path), value in steps:
                item.set(path, value) if name == "set" else getattr(item, name)(path)

    assert outcome(text, edit, is_whole=False) == outcome(text, edit, is_whole=True)


def six_labels(item: krm.Resource) -> None:
    for number in range(6):
        item.set(f"metadata.labels.l{number}", "x")


@pytest.mark.pure
def test_edits_are_made_at_the_first_read_of_what_they_touch() -> None:
    item, other = texts.resource(), texts.resource()
    # The lines of the labels, once as they are.
    before = parsed(lambda: six_labels(item))
    assert parsed(lambda: item.get("spec.replicas")) < 0.1 * len(texts.DEPLOYMENT)
    assert item.name == "web"
    # And once as they become.
    made = parsed(lambda: item.labels)
    assert item.labels == {"app": "web", **{f"l{number}": "x" for number in range(6)}}

    def in_a_block() -> None:
        with other.edit():
            six_labels(other)

    assert parsed(in_a_block) < before + made < 0.9 * len(texts.DEPLOYMENT)
    assert item.text == other.text


@pytest.mark.pure
def test_a_word_is_read_and_replaced_without_a_parser() -> None:
    item = texts.resource()

    def change() -> None:
        for container in item.pod_spec.containers if item.pod_spec else ():
            container.set("image", container.get_str("image").replace("nginx:1.27", "nginx:1.28"))
        item.name = f"{item.name}-2"
        item.set("spec.template.spec.containers[name=cache].image", "redis:8")
        item.set("spec.replicas", 7)

    assert parsed(change) == 0
    changed = {"nginx:1.27": "nginx:1.28", "name: web # the shop": "name: web-2 # the shop", "redis #": "redis:8 #"}
    changed["replicas: 3"] = "replicas: 7"
    wanted = texts.DEPLOYMENT
    for old, new in changed.items():
        wanted = wanted.replace(old, new)
    assert item.get("spec.template.spec.containers[1].image") == "redis:8"
    assert item.text == wanted


def test_an_item_is_found_by_the_name_that_it_has_now() -> None:
    resource_list = texts.read(texts.CONFIG_MAP)
    item = resource_list.items[0]
    item.name = "fresh"
    assert resource_list.where("ConfigMap", "fresh") == [item]
    item.set("metadata.labels", {"app": "other"})
    item.namespace = "elsewhere"
    assert resource_list.where(name="fresh", namespace="elsewhere") == [item]


@pytest.mark.parametrize("labels", ["\n    a: b\n", " {a: b}\n", " { a: 'b' } # why\n"])
def test_a_text_that_was_added_gets_another_one(labels: str) -> None:
    def change(item: krm.Resource) -> None:
        item.set_label("new", "first")
        item.set_label("new", "second")
        item.set_label("more", "x")

    new = re.sub(r"( \{ ?a: '?b'?)", r"\1, new: second, more: x", labels)
    new = re.sub(r"\n( +)a: b\n", r"\n\1a: b\n\1new: second\n\1more: x\n", new)
    assert texts.edited(change, f"kind: Pod\nmetadata:\n  labels:{labels}") == f"kind: Pod\nmetadata:\n  labels:{new}"


@pytest.mark.parametrize(
    ("path", "text", "edited"),
    [
        ("kind", "kind: Pod # x\n", 'kind: "Pods" # x\n'),
        ("kind", "kind: 'Pod' # x\n", "kind: 'Pods' # x\n"),
        ("spec.a", "kind: X\nspec: { a: Pod }\n", 'kind: X\nspec: { a: "Pods" }\n'),
    ],
)
@pytest.mark.parametrize("look", [krm.Resource.get, id], ids=["parsed whole", "in sections"])
def test_an_edit_is_of_the_value_that_is_there_by_then(
    path: str, text: str, edited: str, look: Callable[[krm.Resource], object]
) -> None:
    """As two functions, of which the first one had to write `"1.10"`."""

    def change(item: krm.Resource) -> None:
        look(item)
        for value in ("1.10", "Pods"):
            item.set(path, value)

    assert texts.edited(change, text) == edited


@pytest.mark.parametrize("look", [krm.Resource.get, id], ids=["read in between", "at once"])
def test_what_is_deleted_and_set_again_is_new(look: Callable[[krm.Resource], object]) -> None:
    def change(item: krm.Resource) -> None:
        item.delete("spec.a")
        look(item)
        item.set("spec.a", "x y")

    text = "kind: X\nspec:\n  # above\n  a: '1' # behind\n  b: 2\n"
    assert texts.edited(change, text) == "kind: X\nspec:\n  b: 2\n  a: x y\n"


def test_words_of_a_block_that_fails_are_taken_back() -> None:
    item = texts.resource()

    def block() -> None:
        with item.edit():
            item.name = "other"
            raise ValueError

    with pytest.raises(ValueError):  # noqa: PT011 - without a message
        block()
    assert (item.name, item.text) == ("web", texts.DEPLOYMENT)


def test_no_word_is_set_below_the_texts_of_a_map() -> None:
    item = texts.resource("apiVersion: v1\nkind: ConfigMap\ndata:\n  deep:\n    host: a\n")
    with pytest.raises(krm.FnError, match=r"is written `data\['deep.host'\]`"):
        item.set("data.deep.host", "b")


@pytest.mark.parametrize("kinds", [["a b"], ["a b", "ConfigMap"], ["ConfigMap", "a b", "Secret"], ["Secret"]])
def test_a_kind_that_was_set_says_what_its_fields_hold(kinds: list[str]) -> None:
    item = texts.resource("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n")
    for kind in kinds:
        item.set("kind", kind)
    has_texts = kinds[-1] != "a b"
    with pytest.raises(TypeError) if has_texts else nullcontext():
        item.set("data.a", 5)
    assert item.get("data.a") == ("b" if has_texts else 5)


def test_a_word_is_made_before_the_whole_text_is_edited() -> None:
    item = texts.resource()
    item.name = "api"
    item.set("status.x", 1)
    assert item.text == texts.DEPLOYMENT.replace("name: web # the shop", "name: api # the shop") + "status:\n  x: 1\n"


def test_an_element_is_found_by_its_name_among_gathered_edits() -> None:
    item = texts.resource()
    item.append("spec.template.spec.containers", {"name": "sidecar"})
    assert [part.name for part in item.parts("spec.template.spec.containers[*]")] == ["web", "cache", "sidecar"]
    item.set("spec.template.spec.containers[name=sidecar].image", "fluentd")
    assert item.text.endswith("      - name: sidecar\n        image: fluentd\n")


@pytest.mark.parametrize("is_set", [True, False])
def test_single_edits_take_linear_time(is_set: bool) -> None:  # noqa: FBT001 - a parameter of pytest
    """The processor time of four times as many is not 16 times."""
    few, many = (min(seconds(count, is_set=is_set) for _ in range(2)) for count in (400, 1600))
    assert many < 9 * few


def seconds(count: int, *, is_set: bool) -> float:
    keys = "".join(f"  k{number}: v # c\n" for number in range(count))
    item = texts.resource(f"kind: ConfigMap\ndata:\n{keys}  last: v\n")
    start = time.process_time()
    for number in range(count):
        if is_set:
            item.set(f"data.k{number}", "new")
            item.set(f"data.n{number}", "new")
        else:
            item.delete(f"data.k{number}")
    assert len(item.string_map("data")) == (2 * count + 1 if is_set else 1)
    return time.process_time() - start


def test_an_edit_above_a_comment_is_made_behind_those_in_the_lines_around_it() -> None:
    item = texts.resource("kind: X\nmetadata:\n  labels:\n    a: b\n  annotations:\n    a: b\n    # c\nspec: {}\n")
    assert (item.delete("metadata.labels.a"), item.delete("metadata.annotations.a")) == (True, True)
    assert item.text == "kind: X\nmetadata:\n  labels: {}\n  annotations: {}\n    # c\nspec: {}\n"


def test_an_edit_around_others_is_made_behind_them() -> None:
    item = texts.resource()
    item.set("metadata.labels.app", "api")
    item.set("metadata.finalizers", ["a"])
    assert item.get("metadata.labels.app.x") is None
    assert item.get("metadata.labels") == {"app": "api"}
    assert item.get("metadata.finalizers") == ["a"]
    item.set("spec.template.spec.nodeName", "n")
    item.set("spec.strategy.type", "Recreate")
    assert (item.get("spec.template.spec.nodeName"), item.get("spec.strategy")) == ("n", {"type": "Recreate"})


def test_edits_that_cannot_be_made_fail_the_run() -> None:
    """They are refused where they are made, which may be the end of the run."""

    def change(resource_list: krm.ResourceList) -> None:
        resource_list.items[0].set("c", {"y": 2})

    text = "a: &a\n  x: 1\nc:\n  <<: *a\n  y: 2\n"
    output = krm.transform(text, change)
    assert (output.exit_code, output.text) == (1, "")


TWICE = "kind: X\nspec:\n  a: 1\n  a: 2\nmetadata:\n  labels:\n    b: '1'\n    b: '2'\n"


@pytest.mark.parametrize(
    ("use", "line"),
    [
        (lambda item: item.get("spec.a"), "line 4, column 3: the key `a` is here again, first in line 3"),
        (lambda item: item.set("spec.b", 1), "line 4, column 3: the key `a` is here again, first in line 3"),
        (lambda item: item.labels, "line 4, column 3: the key `a` is here again, first in line 3"),
    ],
)
def test_a_section_that_cannot_be_read_is_told_by_its_line(use: Callable[[krm.Resource], Any], line: str) -> None:
    item = texts.resource(TWICE)
    assert item.kind == "X"
    with pytest.raises(krm.FnError) as error:
        use(item)
    assert [result.message for result in error.value.results] == [f"document 1: {line}"]


@pytest.mark.parametrize(
    "read",
    [
        lambda item: item.get("spec.a"),
        lambda item: item.comment("metadata.name"),
        lambda item: item.set_comment("metadata.name", "x"),
        lambda item: item.to_yaml("metadata"),
        lambda item: item.append("metadata.finalizers", "x"),
    ],
)
def test_what_cannot_be_read_behind_an_edit_is_told_by_the_line_in_which_it_was_read(
    read: Callable[[krm.Resource], Any],
) -> None:
    item = texts.resource("kind: X\nmetadata:\n  name: a\nspec:\n  a: 1\n  a: 2\n")
    item.set("metadata.name", "b")
    with pytest.raises(krm.FnError) as error:
        read(item)
    told = "document 1: line 6, column 3: the key `a` is here again, first in line 5"
    assert [result.message for result in error.value.results] == [told]


def test_an_edit_above_a_comment_is_made_behind_one_in_a_part_of_the_lines_around_it() -> None:
    text = "spec:\n  x:\n    a:\n      k: [1]\n      # whose?\n    b:\n      l: [1]\nz: 1\n"

    def change(item: krm.Resource) -> None:
        item.append("spec.x.b.l", 2)
        item.append("spec.x.a.k", 2)

    assert texts.edited(change, f"kind: X\n{text}") == f"kind: X\n{text.replace('[1]', '[1, 2]')}"


def test_a_key_in_brackets_that_another_reader_takes_for_no_text_gets_quotes() -> None:
    def change(item: krm.Resource) -> None:
        item.set_label("a", "b")
        item.set_label("on", "x")

    given = "kind: X\nmetadata:\n  labels: {a: b}\n"
    assert texts.edited(change, given) == given.replace("b}", 'b, "on": x}')
