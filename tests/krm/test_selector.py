"""Selectors: which resources they match, and what is no selector."""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from krm.selector import Selector, first_group, fullmatch, is_selected, requirements
from tests import process

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.pure


def _resource(**fields: Any) -> Any:
    """Return what a selector asks of a resource: a Deployment that was `web` before kustomize renamed it."""
    return SimpleNamespace(
        group="apps", version="v1", kind="Deployment", identities=(("shop", "pre-web"), ("", "web")), **fields
    )


def _selector(fields: dict[str, str]) -> Selector:
    """Return a selector with the fields that a functionConfig has."""
    patterns = {key: fullmatch(text) for key, text in fields.items() if not key.endswith("Selector")}
    return Selector(patterns, *(requirements(fields.get(f"{of}Selector", "")) for of in ("label", "annotation")))


WEB = _resource(labels={"app": "web", "tier": ""}, annotations={"example.com/owner": "team/a"})


MATCHING: list[dict[str, str]] = [
    {},
    {"kind": "Deployment"},
    {"kind": "Deploy.*|StatefulSet", "group": "apps", "version": "v[12]"},
    {"name": "pre-web"},
    {"name": "web"},
    {"name": "pre-web", "namespace": "shop"},
    {"name": "web", "namespace": ""},
    {"namespace": "sh.*"},
    {"labelSelector": "app=web,tier"},
    {"annotationSelector": "example.com/owner=team/a", "labelSelector": "!other"},
    {"labelSelector": " "},
]

OTHER: list[dict[str, str]] = [
    {"kind": "Deploy"},
    {"kind": "deployment"},
    {"group": ""},
    {"kind": "Deployment", "version": "v2"},
    {"name": "we"},
    {"name": "web", "namespace": "shop"},
    {"namespace": "other"},
    {"kind": "Deployment", "labelSelector": "app=db"},
    {"annotationSelector": "app"},
]

REQUIRED = {
    "app": True,
    "other": False,
    "!app": False,
    "! other": True,
    "app=web": True,
    "app==web": True,
    "app = web": True,
    "app=": False,
    "tier=": True,
    "app!=db": True,
    "app!=web": False,
    "other!=web": True,
    "app in (db,web)": True,
    "app in (db)": False,
    "app in(web)": True,
    "tier in (a,)": True,
    "other in (web)": False,
    "app notin ( db , web )": False,
    "app notin (db)": True,
    "other notin (web)": True,
    "in in (in)": False,
    "tier,app in (a, web),app!=c , !other": True,
}

NO_LABEL_SELECTOR = {
    "app=web,": 9,
    ",app": 1,
    "app=web=db": 1,
    "a,b c": 3,
    "app in ()": 1,
    "app in (a": 1,
    "app > 1": 1,
    "!app=web": 1,
    "=web": 1,
    "app: web": 1,
}

keys = st.sampled_from(["a", "b", "example.com/c"])
values = st.sampled_from(["", "x", "y-1"])


@st.composite
def written_requirements(draw: st.DrawFn) -> tuple[str, Any]:
    """Return a requirement as text and as the function of labels that Kubernetes says it is."""
    key, listed = draw(keys), draw(st.lists(values, min_size=2, max_size=3))
    value, among = listed[0], f"({', '.join(listed)})"
    return draw(
        st.sampled_from(
            [
                (key, lambda labels: key in labels),
                (f"!{key}", lambda labels: key not in labels),
                (f"{key}={value}", lambda labels: labels.get(key) == value),
                (f"{key} == {value}", lambda labels: labels.get(key) == value),
                (f"{key}!={value}", lambda labels: labels.get(key) != value),
                (f"{key} in {among}", lambda labels: labels.get(key) in listed),
                (f"{key} notin {among}", lambda labels: labels.get(key) not in listed),
            ]
        )
    )


@pytest.mark.parametrize("fields", MATCHING, ids=str)
def test_a_selector_matches_when_all_of_its_fields_do(fields: dict[str, str]) -> None:
    assert _selector(fields).matches(WEB)


@pytest.mark.parametrize("fields", OTHER, ids=str)
def test_a_selector_does_not_match_when_one_field_does_not(fields: dict[str, str]) -> None:
    assert not _selector(fields).matches(WEB)


def test_one_of_several_selectors_is_enough() -> None:
    pod, web = _selector({"kind": "Pod"}), _selector({"name": "web"})
    assert is_selected(WEB, [pod, web], [pod])
    assert not is_selected(WEB, [pod], [])
    assert not is_selected(WEB, [], [pod, web])
    assert is_selected(WEB, [], [])


@pytest.mark.parametrize("fields", [{"kind": "Deployment", "name": "web"}, {}], ids=str)
def test_labels_and_annotations_are_read_only_where_they_are_selected_by(fields: dict[str, str]) -> None:
    without_labels_and_annotations = _resource()
    assert _selector(fields).matches(without_labels_and_annotations)


@pytest.mark.parametrize("text", REQUIRED)
def test_label_selectors_mean_what_they_mean_to_kubernetes(text: str) -> None:
    assert _selector({"labelSelector": text}).matches(WEB) is REQUIRED[text]


@given(st.lists(written_requirements(), min_size=1), st.dictionaries(keys, values))
def test_every_requirement_of_a_label_selector_must_hold(written: list[Any], labels: dict[str, str]) -> None:
    read = requirements(",".join(text for text, _ in written))
    assert all(one(labels) for one in read) is all(holds(labels) for _, holds in written)


@pytest.mark.parametrize("text", NO_LABEL_SELECTOR)
def test_what_is_no_label_selector_is_shown_with_its_first_wrong_part(text: str) -> None:
    with pytest.raises(ValueError, match="`") as caught:
        requirements(text)
    assert str(caught.value) == (
        f"`{text}` is no label selector from character {NO_LABEL_SELECTOR[text]} on: one looks like "
        "`app=web,tier!=db,env in (test, prod),critical,!legacy`"
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("web-(a|b", "missing ): web-(a|b"),
        ("*", "no argument for repetition operator: *; `.*` is one, where `.*` is any text"),
        ("a{1001}", "invalid repetition size: {1001}"),
        ("(?=web)", "invalid perl operator: (?="),
        (r"(a)\1", r"invalid escape sequence: \1"),
    ],
)
def test_what_is_no_regular_expression_is_shown(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match="`") as caught:
        fullmatch(text)
    assert str(caught.value) == f"`{text}` is no regular expression of RE2: {problem}"


PATTERNS = st.lists(st.sampled_from(["a", "b", "-", "é", "\n", ".", ".*", "|", "\\.", "\\|", "\\\\", "\\*"])).map(
    "".join
)


@given(PATTERNS, st.text("ab.-é|*\\\n", max_size=8))
def test_a_pattern_that_needs_no_engine_means_what_it_means_to_re2(pattern: str, text: str) -> None:
    assert bool(fullmatch(pattern)(text)) is (re2.fullmatch(pattern, text) is not None)


@given(st.text("ab.-/_\\*+?()|[]{}^$:", max_size=6), st.text("ab.-/_\\\n", max_size=6))
def test_any_text_as_a_pattern_means_what_it_means_to_re2(pattern: str, text: str) -> None:
    options = re2.Options()
    options.log_errors = False
    try:
        expected = re2.compile(pattern, options).fullmatch(text) is not None
    except re2.error:
        with pytest.raises(ValueError, match="`"):
            fullmatch(pattern)
    else:
        assert bool(fullmatch(pattern)(text)) is expected


@pytest.mark.parametrize("pattern", ["web-.*", "Deploy.*|StatefulSet", "a.c", r"a\.b", "", "|", "größe: 1"])
def test_what_needs_no_engine_is_read_without_re2(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    assert not fullmatch(pattern)("other")
    assert fullmatch(pattern)(pattern.partition("|")[0].replace(".*", "x").replace("\\", ""))


@pytest.mark.parametrize("pattern", ["v[12]", "(a|b)-c", "a+", "a.*?", "^a$", r"\d", "a{2}", "*"])
@pytest.mark.parametrize("read", [fullmatch, first_group])
def test_without_re2_any_other_pattern_is_one_sentence(
    read: Callable[[str], Any], pattern: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "re2", None)
    with pytest.raises(ValueError, match="`") as caught:
        read(pattern)
    assert str(caught.value) == (
        f"`{pattern}` needs RE2, which is not installed: `pip install 'krm-expand-vars[patterns]'`, or write a pattern "
        "of plain characters, `.`, `.*` and `|` alone"
    )


WORST = {".*a" * 20: "a" * 19 + "b", ".*a.*b" * 8: "ab" * 7 + "a", ".*a|" * 20 + ".*.*.*c": "a", "a.*" * 20 + "b": "a"}


@pytest.mark.parametrize("pattern", WORST)
def test_a_pattern_without_an_engine_takes_time_in_proportion_to_the_text(pattern: str) -> None:
    matches, text = fullmatch(pattern), WORST[pattern] * (200_000 // len(WORST[pattern])) + "-"
    began = time.process_time()
    assert not matches(text)
    assert time.process_time() - began < 1


def test_a_run_without_extras_does_the_main_job_and_names_the_one_that_it_lacks() -> None:
    """In a process of its own, where neither `re2` nor `rich` can be imported."""
    without = "import sys; sys.modules.update({'re2': None, 'rich': None})"
    command = (sys.executable, "-c", f"{without}; from expand_vars.__main__ import main; sys.exit(main())")
    pod = b"apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n  containers: [{name: c, args: [--r=$(R)]}]\n"
    assert process.run("R=eu", stdin=pod, command=command) == (pod.replace(b"$(R)", b"eu"), "", 0)
    config = (
        "kind: ResourceList\nitems: []\nfunctionConfig:\n  apiVersion: expandvars.dev/v1alpha1\n  kind: ExpandVars\n"
        "  metadata: {name: x}\n  spec: {exclude: [{kind: 'PATTERN'}]}\n"
    )
    assert process.run(stdin=config.replace("PATTERN", "P.*|Job").encode(), command=command).code == 0
    done = process.run(stdin=config.replace("PATTERN", "P+").encode(), command=command)
    assert done.code == 1
    assert "`P+` needs RE2, which is not installed: `pip install 'krm-expand-vars[patterns]'`" in done.stderr


def test_the_first_group_of_a_pattern_is_a_part_of_a_text() -> None:
    part = first_group("(?:.*/)?([^:]*)(:.*)?")
    assert [part(text) for text in ("a/web:1", "web", "")] == ["web", "web", ""]
    assert first_group("a(b)?")("a") == ""
    assert first_group("(a)")("b") is None
    with pytest.raises(ValueError, match="`a` has no group: put"):
        first_group("a")
