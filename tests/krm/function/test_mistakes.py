"""Mistakes that authors make: each is one sentence with the line of the function, and the items stay as they were."""

from __future__ import annotations

import re
from typing import Any

import pytest

import krm
from krm.function import running
from tests.krm.function.texts import DEPLOYMENT, read

ITEM = "web.yaml: apps/v1/Deployment/shop/new"
LINE = "in function.py line 6"
LIKE = "`spec.rules[*].host`, `args[0]`, `containers[name=web].image` or `annotations['a.b/c']`"
RETURNED = "TypeError: a function changes its list and returns nothing"

MISTAKES = {
    "a returned list": (
        "return [item]",
        f"{RETURNED}, found a list: assign to `items` or edit it",
    ),
    "an async function": (
        "async def inner(): pass\nreturn inner()",
        f"{RETURNED}, found a coroutine: assign to `items` or edit it",
    ),
    "a generator": (
        "yield item",
        f"{RETURNED}, found a generator: assign to `items` or edit it",
    ),
    "a word for a result": (
        "resource_list.results.append('no')",
        "TypeError: `results` holds what `Resource.result` returns, found 'no'",
    ),
    "a label in the copy": (
        "item.labels['a'] = 'b'",
        "TypeError: 'mappingproxy' object does not support item assignment, in function.py line 6",
    ),
    "a kind in small letters": (
        "resource_list.where('deployment')",
        "ValueError: a kind starts with a capital letter, `Deployment`, found `deployment`, in function.py line 6",
    ),
    "a field below a scalar": (
        "item.set('spec.replicas.x', 1)",
        (
            f"{ITEM}: the field `spec.replicas.x` cannot be changed: "
            "at `spec.replicas` there is `3`, and neither a mapping nor a list"
        ),
    ),
    "an index behind the end": (
        "item.set('spec.template.spec.containers[5].image', 'x')",
        (
            f"{ITEM}: the field `spec.template.spec.containers[5].image` cannot be changed: "
            "at `spec.template.spec.containers` there is a list of 2 elements"
        ),
    ),
    "an index into nothing": (
        "item.set('spec.a.b[0].c', 'x')",
        (f"{ITEM}: the field `spec.a.b[0].c` cannot be changed: at `spec` there is a mapping and no list"),
    ),
    "a dotted label": (
        "item.set('metadata.annotations.example.com/owner', 'x')",
        (
            f"{ITEM}: the field `metadata.annotations.example.com/owner` cannot be changed: "
            "at `metadata.annotations` there are texts by keys, and the key `example.com/owner` is written "
            "`annotations['example.com/owner']`"
        ),
    ),
    "a dotted label of a Pod": (
        "item.set('spec.template.metadata.labels.example.com/owner', 'x')",
        (
            f"{ITEM}: the field `spec.template.metadata.labels.example.com/owner` cannot be "
            "changed: at `spec.template.metadata.labels` there are texts by keys, and the key `example.com/owner` is "
            "written `labels['example.com/owner']`"
        ),
    ),
    "a number for a label": (
        "item.set('metadata.labels.a', 3)",
        "TypeError: the value of `a` in `labels` is a str, found 3, in function.py line 6",
    ),
    "a number among labels": (
        "item.set('metadata.labels', {**item.labels, 'a': 3})",
        "TypeError: the value of `a` in `labels` is a str, found 3, in function.py line 6",
    ),
    "a path with slashes": (
        "item.get('/spec/replicas')",
        (
            "FieldPathError: `/spec/replicas` is no field path: `/` in its first key is written in quotes; "
            f"one looks like {LIKE}, {LINE}"
        ),
    ),
    "a path of JSONPath": (
        "item.set('$.spec.x', 1)",
        (
            "FieldPathError: `$.spec.x` is no field path: `$` in its first key is written in quotes; one looks like "
            f"{LIKE}, {LINE}"
        ),
    ),
    "slashes for dots": (
        "item.set('spec/replicas', 5)",
        (
            "FieldPathError: `spec/replicas` is no field path: `/` in its first key is written in quotes; "
            f"one looks like {LIKE}, {LINE}"
        ),
    ),
    "a value without its field": (
        "krm.Result('m', krm.INFO, current='x')",
        "ValueError: `current` and `proposed` are values of a field: give its path, in function.py line 6",
    ),
    "an exit": (
        "sys.exit(3)",
        "SystemExit: 3, in function.py line 6; a function ends with `return`, or with `raise krm.FnError`",
    ),
    "an exit that says nothing is wrong": (
        "sys.exit()",
        "SystemExit, in function.py line 6; a function ends with `return`, or with `raise krm.FnError`",
    ),
    "a pickle": (
        "pickle.dumps(item)",
        (
            "TypeError: an object cannot be copied or pickled: `text` has its YAML, and `ResourceList.add` copies it, "
            f"{LINE}"
        ),
    ),
    "a deep copy": (
        "copy.deepcopy(item)",
        (
            "TypeError: an object cannot be copied or pickled: `text` has its YAML, and `ResourceList.add` copies it, "
            f"{LINE}"
        ),
    ),
    "a mistake in a library": (
        "json.loads('{')",
        (f"JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1), {LINE}"),
    ),
    "an error without a word": ("raise krm.FnError()", "the function failed, and does not say why"),
    "an error of the class alone": ("raise krm.FnError", "the function failed, and does not say why"),
    "an error of a word": ("raise krm.FnError('bad')", "bad"),
    "an error of an object": (
        "raise krm.FnError('bad', item)",
        f"{ITEM}: bad",
    ),
    "an error of a field": (
        "raise krm.FnError('bad', item, 'spec.replicas')",
        f"{ITEM} spec.replicas: bad",
    ),
    "an error of a warning": ("raise krm.FnError(krm.Result('no', krm.WARNING))", "no"),
    "an error of something else": (
        "raise krm.FnError(3)",
        "TypeError: FnError takes a sentence, an object and a path, or results, found (3,), in function.py line 6",
    ),
    "an error of a word and something else": (
        "raise krm.FnError('bad', 3)",
        (f"TypeError: FnError takes a sentence, an object and a path, or results, found ('bad', 3), {LINE}"),
    ),
    "an error that is added": (
        "resource_list.error('bad', item, 'spec.replicas', reason='Bad')",
        f"{ITEM} spec.replicas: bad",
    ),
    "a part that is no mapping": (
        "list(item.part('spec.replicas'))",
        f"{ITEM}: `spec.replicas` is `3`, it must be a mapping",
    ),
    "the head of a document": (
        "item.set_comment('apiVersion', 'x', 'above')",
        (
            f"{ITEM} apiVersion: the field cannot be changed: line 3: the comment "
            "`# Copyright 2026` would be lost, which is the head of the document: `add_comment` adds to it"
        ),
    ),
    "the head of a document removed": (
        "item.set_comment('apiVersion', '', 'above')",
        (
            f"{ITEM} apiVersion: the field cannot be changed: line 3: the comment "
            "`# Copyright 2026` would be lost, which is the head of the document: `add_comment` adds to it"
        ),
    ),
}
FUNCTION = """\
import copy, json, krm, pickle, sys

def function(resource_list):
    item = resource_list.items[0]
    item.set("metadata.name", "new")
    {}
"""
GIVEN = f"# Copyright 2026\n# Licensed\n{DEPLOYMENT}"


@pytest.mark.parametrize(("code", "message"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.filterwarnings("ignore:coroutine 'function")
def test_a_mistake_is_one_sentence(code: str, message: str) -> None:
    names: dict[str, Any] = {}
    exec(compile(FUNCTION.format(code.replace("\n", "\n    ")), "function.py", "exec"), names)  # noqa: S102 - as a program
    resource_list = read(GIVEN)
    running.attempt(resource_list, names["function"])
    output = resource_list.emit()
    assert [str(result) for result in output.results] == [f"[error] {message}"]
    assert (output.text, output.exit_code) == ("", 1)


def test_an_error_gives_back_what_came_in() -> None:
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- {DEPLOYMENT}".replace("\n", "\n  ")
    text = re.sub("^  (kind: ResourceList|items:|- )", r"\1", text.removesuffix("  "), flags=re.MULTILINE)

    def half_made(resource_list: krm.ResourceList) -> None:
        resource_list.items[0].set("spec.replicas", 5)
        resource_list.results.append("junk")  # type: ignore[arg-type]  # a mistake
        raise krm.FnError("no", resource_list.items[0])

    output = krm.transform(text, half_made)
    assert output.text.startswith(f'{text}results:\n- message: "no"\n')
    assert [str(result) for result in output.results] == ["[error] web.yaml: apps/v1/Deployment/shop/web: no"]
