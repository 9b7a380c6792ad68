"""A text read into items and emitted: the same bytes where nothing changed, the same shape where something did."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from krm import resourcelist
from krm.resource import IDS, Resource
from krm.results import ERROR, INFO, Result
from krm.textslice import holding
from krm.yamltree import parser
from krm.yamltree.editor import Editor
from krm.yamltree.edits import Edit
from krm.yamltree.parser import ParseError
from tests import process
from tests.expand_vars.test_pipeline import CASES, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from krm.results import Output

PODS = "- kind: Pod\n  metadata: {name: a}\n- kind: Pod\n  metadata: {name: b}  # b\n"
SHAPES = {
    "cut": f"kind: ResourceList\nitems:\n{PODS}",
    "cut List": f"kind: List\nitems:\n{PODS}",
    "cut JSON": '{"kind": "ResourceList", "items": [{"metadata": {"name": "a"}}, {"metadata": {"name": "b"}}]}',
    "whole": f"kind: ResourceList\nitems: # two\n{PODS}",
    "whole List": f"kind: List\nitems: # two\n{PODS}",
    "whole, flow": "{kind: ResourceList, items: [{metadata: {name: a}}, {metadata: {name: b}}]}",
    "documents": "metadata: {name: a}\n---\n# none\n---\nmetadata: {name: b} # b\n",
    "one document, JSON": '{"metadata": {"name": "b"}}',
}
every_shape = pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES.keys())
every_resource_list = pytest.mark.parametrize("name", ["cut", "cut JSON", "whole", "whole, flow"])
every_other_shape = pytest.mark.parametrize("name", ["cut List", "whole List", "documents", "one document, JSON"])
FOUND = Result("found", INFO, "Found")
NO = Result("no", ERROR, "Never")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_nothing_changed_is_the_same_text(case: Path) -> None:
    for text in {text_of(case / name) for name in ("input.yaml", "expected.yaml")} - {""}:
        try:
            resource_list = resourcelist.read(text)
        except ParseError:
            continue
        resource_list.results.clear()
        assert resource_list.emit().text == text


@every_shape
def test_one_item_changed_is_one_change_in_the_text(text: str) -> None:
    resource_list = resourcelist.read(text)
    resource_list.items[-1].set(("metadata", "name"), "c")
    output = resource_list.emit()
    assert output.text == text.replace("name: b", "name: c").replace('"b"', '"c"')
    assert (output.results, output.exit_code) == ([], 0)


def failed(text: str) -> Output:
    resource_list = resourcelist.read(text)
    resource_list.items[-1].set(("metadata", "name"), "c")
    resource_list.results.append(NO)
    return resource_list.emit()


@every_resource_list
def test_an_error_gives_a_resource_list_back(name: str) -> None:
    output = failed(SHAPES[name])
    assert output.exit_code == 1
    assert output.text.startswith(SHAPES[name].rstrip("}\n"))
    assert '"no"' in output.text


@every_other_shape
def test_an_error_gives_nothing_of_the_other_shapes_back(name: str) -> None:
    output = failed(SHAPES[name])
    assert (output.exit_code, output.text) == (1, "")


def found_twice(text: str) -> str:
    resource_list = resourcelist.read(text)
    resource_list.results += [FOUND, FOUND]
    return resource_list.emit().text


@every_resource_list
def test_results_stand_in_a_resource_list(name: str) -> None:
    assert found_twice(SHAPES[name]).count("found") == 2


@every_other_shape
def test_results_stand_in_no_other_shape(name: str) -> None:
    assert found_twice(SHAPES[name]) == SHAPES[name]


def test_json_with_results_is_json() -> None:
    assert len(json.loads(found_twice(SHAPES["cut JSON"]))["results"]) == 2


@every_shape
def test_items_come_and_go_by_their_methods_alone(text: str) -> None:
    """Where they could be put into a list of someone's own they would be lost without a word."""
    assert isinstance(resourcelist.read(text).items, tuple)


@pytest.mark.parametrize(
    ("text", "kind", "names", "config"),
    [
        ("kind: ResourceList\nitems: []\n", "ResourceList", [], None),
        ("kind: ResourceList\nfunctionConfig: {kind: A}\n", "ResourceList", [], "A"),
        ("kind: ResourceList\nitems:\nfunctionConfig:\n", "ResourceList", [], None),
        ("kind: ResourceList\nitems: [{kind: A}]\nfunctionConfig: null\n", "ResourceList", ["A"], None),
        ('{"kind": "List", "items": [], "functionConfig": {"kind": "A"}}', "List", [], "A"),
        ("kind: Other\nitems: [{kind: A}]\n", "", ["Other"], None),
        ("kind: ResourceList\n", "", ["ResourceList"], None),
        ("kind: List\nitems: []\n---\nkind: A\n", "", ["A"], None),
        ("# c\n---\nkind: List\nitems: [{kind: A}]\n---\n# d\n", "", ["A"], None),
        ("text\n---\nkind: A\n---\n[]\n", "", ["A", ""], None),
        ("# nothing\n", "", [], None),
        ("- items\n", "", [""], None),
    ],
)
def test_what_a_text_is(text: str, kind: str, names: list[str], config: str | None) -> None:
    resource_list = resourcelist.read(text)
    assert resource_list.kind == kind
    assert [item.kind for item in resource_list.items] == names
    function_config = resource_list.function_config
    assert (None if function_config is None else function_config.kind) == config
    assert resource_list.emit().text == text


def test_places_of_documents_count_the_empty_ones_too() -> None:
    resource_list = resourcelist.read("# c\n---\na: 1\n---\n---\nb: 1\n")
    assert [item.label for item in resource_list.items] == ["document 1", "document 3"]


@pytest.mark.pure
def test_many_results_behind_earlier_ones_are_one_edit(monkeypatch: pytest.MonkeyPatch) -> None:
    extend = Editor.extend
    extended: list[tuple[Any, ...]] = []

    def counted(*arguments: Any) -> None:
        extended.append(arguments)
        extend(*arguments)

    monkeypatch.setattr(Editor, "extend", counted)
    resource_list = resourcelist.read("kind: ResourceList\nitems: []\nresults:\n- message: earlier\n")
    resource_list.results += [FOUND] * 100
    assert resource_list.emit().text.count("message: found\n") == 100
    assert len(extended) == 1


@pytest.mark.pure
def test_no_item_searches_the_text_of_all_for_the_one_who_shows_results(monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []

    def may_contain(_: Resource, text: str) -> bool:
        searched.append(text)
        return True

    monkeypatch.setattr(Resource, "may_contain", may_contain)
    resource_list = resourcelist.read("kind: ResourceList\nitems:\n- a: 1\n- b: 1")
    resource_list.results.append(FOUND)
    assert resource_list.emit().is_shown is False
    assert searched == []


def test_what_could_not_be_changed_may_stay() -> None:
    text = 'kind: ResourceList\n"items":\n- a: &a x\n  *a : $(B)\n'
    assert resourcelist.read(text).emit().text == text


def test_what_cannot_be_emitted_is_an_error_and_the_items_come_back() -> None:
    text = 'kind: ResourceList\n"items":\n- a: &a x\n  *a : $(B)\n'
    resource_list = resourcelist.read(text)
    resource_list.items[0].rewrite({("a",): [Edit(0, 1, "y")]})
    output = resource_list.emit()
    assert output.exit_code == 1
    assert str(output.results[0]).startswith("[error] a field cannot be changed: line 4: ")
    assert output.text.startswith(f"{text}results:\n")


LISTED = "- a: 1 # x\n  b:\n  - c\n- d: &x 1\n"
WITHOUT_ITEMS = {
    "in brackets": ("items: [] # c\nresults: []\n", f"items: # c\n{LISTED}results: []\n"),
    "null": ("items:\n", f"items:\n{LISTED}"),
    "absent": ("functionConfig: {}\n", f"functionConfig: {{}}\nitems:\n{LISTED}"),
    "CRLF": ("items: []\r\nresults: []\r\n", f"items:\n{LISTED}results: []\n".replace("\n", "\r\n")),
    "no final line break": ("items: []", f"items:\n{LISTED}".removesuffix("\n")),
    "an alias": ("items: []\na: &x {}\nb: *x\n", f"items:\n{LISTED}a: &x {{}}\nb: *x\n"),
}


@pytest.mark.parametrize(("text", "expected"), WITHOUT_ITEMS.values(), ids=WITHOUT_ITEMS.keys())
def test_new_items_of_a_list_without_items(text: str, expected: str) -> None:
    kind = "kind: ResourceList\r\n" if "\r" in text else "kind: ResourceList\n"
    resource_list = resourcelist.read(kind + text)
    resource_list.add("a: 1 # x\nb:\n- c\n")
    resource_list.add("d: &x 1\n")
    assert resource_list.emit().text == kind + expected


def test_no_new_item_among_brackets_with_a_comment() -> None:
    resource_list = resourcelist.read("kind: ResourceList\nitems: [ # c\n]\n")
    resource_list.add("a: 1\n")
    assert resource_list.emit().exit_code == 1
    assert [result.message for result in resource_list.results] == [
        "an item cannot be added or removed: line 2: nothing can be put behind this: it cannot be changed in place"
    ]


@pytest.mark.pure
def test_many_new_items_are_never_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = []
    parse_all = parser.parse_all

    def measured(text: str, **how: bool) -> list[parser.Document]:
        longest.append(len(text))
        return parse_all(text, **how)

    monkeypatch.setattr(parser, "parse_all", measured)
    resource_list = resourcelist.read("kind: ResourceList\nitems: []\n")
    for number in range(100):
        resource_list.add(f"kind: A\nmetadata: {{name: a-{number}}}\n").release()
    assert resource_list.emit().text.count("kind: A\n") == 100
    assert max(longest) < 100


@pytest.mark.parametrize("text", ["a-", "$(A)", "\\", "it's", "", "name: b", "kind"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
@pytest.mark.parametrize("changed", [(), (0,), (-1,), (0, -1)])
def test_items_that_hold_a_text_are_those_that_may_contain_it(shape: str, text: str, changed: tuple[int, ...]) -> None:
    items = (*resourcelist.read(shape).items, *resourcelist.read('"a\\x2d": 1\n').items)
    for number in changed:
        items[number].rewrite({("metadata", "name") if number == 0 else ("a-",): [Edit(0, 1, "$(A)")]})
    assert [*holding(items, text)] == [item for item in items if item.may_contain(text)]


def test_items_that_share_a_text_are_not_each_compared_and_searched_as_long_as_it_is() -> None:
    items = resourcelist.read("kind: ResourceList\nitems: [{a: 1}, {a: 2}, {a: 3}]\n").items
    assert [item.own_text for item in items] == ["{a: 1}", "{a: 2}", "{a: 3}"]
    assert all(item.text is item.whole and not item.is_changed for item in items)
    alone = resourcelist.read("a: 1\n").items[0]
    alone.set(("a",), 2)
    assert alone.own_text == alone.text == "a: 2\n"


SEQINDENT, ID = "internal.config.kubernetes.io/seqindent: compact", 'internal.config.kubernetes.io/id: "1"'


@pytest.mark.parametrize(
    ("annotations", "found", "is_shown"),
    [
        (f"{SEQINDENT}, {ID}", [FOUND], True),
        (f"{SEQINDENT}, {ID}", [NO], True),
        (f"{SEQINDENT}, {ID}", [], False),
        (SEQINDENT, [FOUND], False),
        (ID, [FOUND], False),
        (f"{ID}, a: 'internal.config.kubernetes.io/seqindent: compact'", [FOUND], False),
    ],
)
def test_kpt_alone_shows_results(annotations: str, found: list[Result], *, is_shown: bool) -> None:
    """Without a result the question is not asked. `kpt fn source` writes no id, and kustomize no indentation."""
    pod = f"{{kind: Pod, metadata: {{name: a, annotations: {{{annotations}}}}}}}"
    resource_list = resourcelist.read(f"kind: ResourceList\nitems:\n- {pod}\n")
    resource_list.results += found
    assert resource_list.emit().is_shown is is_shown


class Searched(str):  # noqa: SLOT000 - it counts
    """A text that counts the searches of all of it."""

    times = 0

    def __contains__(self, part: object, /) -> bool:
        self.times += 1
        return super().__contains__(str(part))


@pytest.mark.pure
def test_a_long_text_is_searched_once_for_an_id_of_kpt() -> None:
    """Of 6,311 items in 9 MB each searched all of it: two minutes."""
    pod = f"- {{kind: Pod, metadata: {{name: a, annotations: {{{SEQINDENT}}}}}}}\n"
    resource_list = resourcelist.read(f"kind: ResourceList\nitems:\n{pod * 20}")
    whole = Searched(resource_list.items[0].whole)
    for item in resource_list.items:
        item.whole = whole
    resource_list.results.append(FOUND)
    resource_list.sort_results()
    assert whole.times == len(IDS)


@pytest.mark.parametrize(("annotations", "first"), [(f"{SEQINDENT}, {ID}", "b"), (ID, "a")])
def test_kpt_which_shows_four_results_gets_the_most_severe_first(annotations: str, first: str) -> None:
    pod = f"{{kind: Pod, metadata: {{name: a, annotations: {{{annotations}}}}}}}"
    resource_list = resourcelist.read(f"kind: ResourceList\nitems:\n- {pod}\n")
    resource_list.results += [Result("a", INFO, file="a.yaml"), Result("b", ERROR, file="b.yaml")]
    resource_list.sort_results()
    assert yaml.safe_load(resource_list.emit().text)["results"][0]["message"] == first


def test_what_kpt_shows_is_no_line_of_standard_error() -> None:
    pod = f"{{apiVersion: v1, kind: Pod, metadata: {{annotations: {{{SEQINDENT}, {ID}}}}}, spec: {{containers: "
    given = f"kind: ResourceList\nitems:\n- {pod}[{{args: [$(B)]}}]}}}}\n"
    answer = process.run(stdin=given.encode())
    assert (answer.stderr, answer.code) == ("", 0)
    assert b"nothing defines `$(B)` in container `0`" in answer.stdout
