"""Paths that lead into a file of JSON or YAML in a field: read and set, with all else of the file as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import krm
from tests.krm.function import texts

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  app.yaml: |
    # why
    log: {level: info, ratio: 1.0} # kept
    hosts:
    - name: 'one' # first
      url: a
  app.json: '{"b": {"c": 1.0}, "a": [1]}'
  two.yaml: |
    a: 1
    ---
    a: 2
  run.sh: echo
"""


def test_a_value_of_a_file_is_read() -> None:
    item = texts.resource(FILES)
    assert item.get_str("data['app.yaml']::log.level") == "info"
    assert item.get("data['app.json']::b") == {"c": 1.0}
    assert item.get_list("data['app.json']::a") == [1]
    assert item.get("data['app.yaml']::hosts[name=one].url") == "a"
    assert item.get("data['two.yaml']::a") == 1
    assert (item.get("data['app.yaml']::log.none"), item.get("data['run.sh']::a"), item.get("data.none::a")) == (
        None,
    ) * 3
    assert ("data['app.yaml']::log" in item, "data['app.yaml']::x" in item) == (True, False)
    with pytest.raises(krm.FnError, match=r"it is a mapping, and must be a text"):
        item.get_str("data['app.yaml']::log")


SET: list[tuple[str, Any, str, str]] = [
    ("data['app.yaml']::log.level", "say: x", "level: info", 'level: "say: x"'),
    ("data['app.yaml']::log.level", 3, "level: info", "level: 3"),
    ("data['app.yaml']::hosts[name=one].url", "b", "url: a", "url: b"),
    ("data['app.yaml']::hosts[*].name", "yes", "name: 'one' # first", "name: 'yes' # first"),
    ("data['app.yaml']::hosts[0].port", 80, "      url: a\n", "      url: a\n      port: 80\n"),
    ("data['app.json']::b.c", "x", '{"c": 1.0}', '{"c": "x"}'),
    ("data['app.json']::b.d", True, '{"c": 1.0}', '{"c": 1.0, "d": true}'),
]


@pytest.mark.parametrize(("path", "value", "old", "new"), SET)
def test_a_value_of_a_file_is_set_and_all_else_stays(path: str, value: Any, old: str, new: str) -> None:
    item = texts.resource(FILES)
    item.set(path, value)
    assert item.get(path) == value
    assert item.to_yaml() == FILES.replace(old, new)


def test_several_values_are_set_as_one_change() -> None:
    item = texts.resource(FILES)
    item.update({"data['app.yaml']::log.level": "x", "data['app.yaml']::log.ratio": 2, "metadata.name": "d"})
    expected = FILES.replace("level: info, ratio: 1.0", "level: x, ratio: 2").replace("name: c", "name: d")
    assert item.to_yaml() == expected


NOT_SET = [
    ("data['run.sh']::a", "no file of one document in JSON or YAML is there"),
    ("data['two.yaml']::a", "no file of one document in JSON or YAML is there"),
    ("data::a", "no file of one document in JSON or YAML is there"),
    ("data.none::a", "its file is absent"),
    ("data['app.yaml']::hosts[7].a", "there is a list of 1 element"),
    ("data['app.yaml']::none[*]", "it leads to no field, and only a path of keys and indexes can add one"),
]


@pytest.mark.parametrize(("path", "problem"), NOT_SET)
def test_what_cannot_be_set_is_refused(path: str, problem: str) -> None:
    item = texts.resource(FILES)
    with pytest.raises(krm.FnError) as refused:
        item.set(path, "x")
    assert str(refused.value).endswith(f"{path}: the field cannot be changed: {problem}")
    assert item.to_yaml() == FILES


def test_what_would_be_lost_in_a_file_is_refused() -> None:
    item = texts.resource(FILES.replace("url: a", "url: !mine a"))
    with pytest.raises(
        krm.FnError, match=r"data\['app.yaml'\]::hosts\[0\].url: the field cannot be changed: its tag `!mine` would"
    ):
        item.set("data['app.yaml']::hosts[0].url", {"a": 1})


OTHERS: list[Callable[[krm.Resource, str], object]] = [
    lambda item, path: item.delete(path),
    lambda item, path: item.set_text(path, "x"),
    lambda item, path: item.append(path, "x"),
    lambda item, path: item.part(path),
    lambda item, path: item.comment(path),
    lambda item, path: [*item.walk(path)],
]


@pytest.mark.parametrize("other", OTHERS)
def test_no_other_call_leads_into_a_file(other: Callable[[krm.Resource, str], object]) -> None:
    item = texts.resource(FILES)
    with pytest.raises(
        ValueError, match=r"^`data\['app.json'\]::a` leads into a file: only `set` does, and what reads one"
    ):
        other(item, "data['app.json']::a")
    assert item.to_yaml() == FILES
