"""Mistakes that authors make: each is one sentence with the line of the function, and the items stay as they were."""

from __future__ import annotations

import re
from typing import Any

import pytest

import krm
from krm.function import running
from tests.krm.function.texts import DEPLOYMENT, read

ITEM = "web.yaml: apps/v1/Deployment/shop/new"
TWO = "the list has 2 elements, and no place"
LINE = "in function.py line 6"
LIKE = "`spec.rules[*].host`, `args[0]`, `containers[name=web].image` or `annotations['a.b/c']`"
RETURNED = "TypeError: a function changes its list and returns nothing"

MISTAKES = {
    "a returned list": (
        "return [item]",
        f"{RETURNED}, found a value of type `list`: assign to `items` or edit it",
    ),
    "an async function": (
        "async def inner(): pass\nreturn inner()",
        f"{RETURNED}, found a value of type `coroutine`: assign to `items` or edit it",
    ),
    "a generator": (
        "yield item",
        f"{RETURNED}, found a value of type `generator`: assign to `items` or edit it",
    ),
    "a word for a result": (
        "resource_list.results.append('no')",
        "TypeError: each of `results` is a `krm.Result`, found 'no'",
    ),
    "a label in the copy": (
        "item.labels['a'] = 'b'",
        "TypeError: 'mappingproxy' object does not support item assignment, in function.py line 6",
    ),
    "a list in the place of an object": (
        "item.set('', [])",
        "TypeError: an object is a mapping, found [], in function.py line 6",
    ),
    "a text in the place of an object": (
        "item.set_text((), 'a')",
        "TypeError: an object is a mapping, found 'a', in function.py line 6",
    ),
    "a kind in small letters": (
        "resource_list.where('deployment')",
        "ValueError: a kind starts with a capital letter, `Deployment`, found `deployment`, in function.py line 6",
    ),
    "a field below a scalar": (
        "item.set('spec.replicas.x', 1)",
        (
            f"{ITEM} spec.replicas.x: the field cannot be changed: "
            "at `spec.replicas` there is `3`, and neither a mapping nor a list"
        ),
    ),
    "an index behind the end": (
        "item.set('spec.template.spec.containers[5].image', 'x')",
        (
            f"{ITEM} spec.template.spec.containers[5].image: the field cannot be changed: "
            "at `spec.template.spec.containers` there is a list of 2 elements"
        ),
    ),
    "an index into nothing": (
        "item.set('spec.a.b[0].c', 'x')",
        (f"{ITEM} spec.a.b[0].c: the field cannot be changed: at `spec.a.b` there is neither a mapping nor a list"),
    ),
    "a dotted label": (
        "item.set('metadata.annotations.example.com/owner', 'x')",
        (
            "ValueError: `metadata.annotations.example.com/owner` is no field path: "
            "write `metadata.annotations['example.com/owner']`, in function.py line 6"
        ),
    ),
    "a dotted label of a Pod": (
        "item.set('spec.template.metadata.labels.example.owner', 'x')",
        (
            f"{ITEM} spec.template.metadata.labels.example.owner: the field cannot be "
            "changed: at `spec.template.metadata.labels` there are texts by keys, and the key `example.owner` is "
            "written `labels['example.owner']`"
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
        (f"ValueError: `/spec/replicas` is no field path: write `spec.replicas`, {LINE}"),
    ),
    "a path of JSONPath": (
        "item.set('$.spec.x', 1)",
        (f"ValueError: `$.spec.x` is no field path: write `spec.x`, {LINE}"),
    ),
    "slashes for dots": (
        "item.set('spec/replicas', 5)",
        (f"ValueError: `spec/replicas` is no field path: write `spec.replicas`, {LINE}"),
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
        f"TypeError: a result is about an object, or a part of one, found 3, {LINE}",
    ),
    "an error that is added": (
        "resource_list.error('bad', item, 'spec.replicas', reason='Bad')",
        f"{ITEM} spec.replicas: bad",
    ),
    "a part that is no mapping": (
        "list(item.part('spec.replicas'))",
        f"{ITEM} spec.replicas: it is `3`, and must be a mapping",
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
    "None for a result": (
        "resource_list.results.append(None)",
        "TypeError: each of `results` is a `krm.Result`, found None",
    ),
    "a dict for a result": (
        "resource_list.results.append({'message': 'no'})",
        "TypeError: each of `results` is a `krm.Result`, found {'message': 'no'}",
    ),
    "a result that is no text": (
        "resource_list.error(3)",
        "TypeError: the message and the reason of a result are str, found 3 and '', in function.py line 6",
    ),
    "a reason that is no text": (
        "resource_list.error('no', reason=3)",
        "TypeError: the message and the reason of a result are str, found 'no' and 3, in function.py line 6",
    ),
    "a path where an object belongs": (
        "resource_list.error('no', 'spec.replicas')",
        "TypeError: a result is about an object, or a part of one, found 'spec.replicas', in function.py line 6",
    ),
    "an object where a sentence belongs": (
        "resource_list.warning(item, 'no')",
        "TypeError: a result is about an object, or a part of one, found 'no', in function.py line 6",
    ),
    "another severity": (
        "krm.Result('no', 'fatal')",
        "ValueError: a severity is `error`, `warning` or `info`, found `fatal`, in function.py line 6",
    ),
    "a result without a severity": (
        "krm.Result('no')",
        "TypeError: Result.__init__() missing 1 required positional argument: 'severity', in function.py line 6",
    ),
    "a wrong word of a result": (
        "krm.Result('no', krm.INFO, path='spec')",
        "TypeError: Result.__init__() got an unexpected keyword argument 'path', in function.py line 6",
    ),
    "a list where a path belongs": (
        "item.set(['spec', 'replicas'], 5)",
        "TypeError: a path is a str, or a tuple of keys and indexes, found ['spec', 'replicas'], in function.py line 6",
    ),
    "a number where a path belongs": (
        "item.set(3, 5)",
        "TypeError: a path is a str, or a tuple of keys and indexes, found 3, in function.py line 6",
    ),
    "no path at all": (
        "item.get(None)",
        "TypeError: a path is a str, or a tuple of keys and indexes, found None, in function.py line 6",
    ),
    "None in a path": (
        "item.get(('spec', None))",
        "TypeError: a path is a str, or a tuple of keys and indexes, found ('spec', None), in function.py line 6",
    ),
    "a path with two dots": (
        "item.set('spec..replicas', 5)",
        f"ValueError: `spec..replicas` is no field path from character 5 on: one looks like {LIKE}, {LINE}",
    ),
    "a bracket that is open": (
        "item.get('spec.containers[name=web')",
        (
            "ValueError: `spec.containers[name=web` is no field path from character 16 on: one looks like "
            f"{LIKE}, {LINE}"
        ),
    ),
    "an index from the end": (
        "item.get('spec.template.spec.containers[-1]')",
        (
            "ValueError: `spec.template.spec.containers[-1]` is no field path from character 30 on: one "
            f"looks like {LIKE}, {LINE}"
        ),
    ),
    "a name where an index belongs": (
        "item.set('spec.template.spec.containers.web.image', 'x')",
        (
            f"{ITEM} spec.template.spec.containers.web.image: the field cannot be changed: at "
            "`spec.template.spec.containers` there is a list of 2 elements"
        ),
    ),
    "every element of nothing": (
        "item.set('spec.nothing[*].image', 'x')",
        (
            f"{ITEM} spec.nothing[*].image: the field cannot be changed: it leads to no field, and only a path "
            "of keys and indexes can add one"
        ),
    ),
    "a path without a value": (
        "item.set('spec.replicas')",
        "TypeError: Fields.set() missing 1 required positional argument: 'value', in function.py line 6",
    ),
    "a name that is a number": (
        "item.name = 3",
        "TypeError: the value of `name` in `metadata` is a str, found 3, in function.py line 6",
    ),
    "a namespace that is nothing": (
        "item.namespace = None",
        "TypeError: the value of `namespace` in `metadata` is a str, found None, in function.py line 6",
    ),
    "a kind that is assigned": (
        "item.kind = 'Job'",
        "AttributeError: property 'kind' of 'Resource' object has no setter, in function.py line 6",
    ),
    "a label of no value": (
        "item.set_label('team', None)",
        "TypeError: the value of `team` in `labels` is a str, found None, in function.py line 6",
    ),
    "an annotation that is a flag": (
        "item.set_annotation('paused', True)",
        "TypeError: the value of `paused` in `annotations` is a str, found True, in function.py line 6",
    ),
    "a label of the copy, by update": (
        "item.labels.update(a='b')",
        "AttributeError: 'mappingproxy' object has no attribute 'update', in function.py line 6",
    ),
    "a field as an attribute": (
        "item.spec.replicas",
        "AttributeError: 'Resource' object has no attribute 'spec', in function.py line 6",
    ),
    "a field in brackets that is assigned": (
        "item['spec'] = {}",
        "TypeError: 'Resource' object does not support item assignment, in function.py line 6",
    ),
    "a field in brackets that is deleted": (
        "del item['spec']",
        "TypeError: 'Resource' object does not support item deletion, in function.py line 6",
    ),
    "keys as objects": (
        "for key in item: key.name",
        "AttributeError: 'str' object has no attribute 'name', in function.py line 6",
    ),
    "an edit of what `get` returned": (
        "item.get('spec.template').set('x', 1)",
        "AttributeError: 'dict' object has no attribute 'set', in function.py line 6",
    ),
    "an edit of an absent part": (
        "item.part('spec.nothing').set('x', 1)",
        "AttributeError: 'NoneType' object has no attribute 'set', in function.py line 6",
    ),
    "a set of values": (
        "item.set('spec.x', {1})",
        "TypeError: YAML has no values of type `set`: write it as a str, in function.py line 6",
    ),
    "bytes": (
        "item.set('spec.x', b'x')",
        "TypeError: YAML has no values of type `bytes`: write it as a str, in function.py line 6",
    ),
    "a key that is zero": (
        "item.set('spec.x', {0: 2})",
        "TypeError: a key of a mapping is a str, found 0 of type `int`, in function.py line 6",
    ),
    "a key that is a number": (
        "item.set('spec.x', {1: 2})",
        "TypeError: a key of a mapping is a str, found 1 of type `int`, in function.py line 6",
    ),
    "a text that is a number": (
        "item.set_text('spec.replicas', 5)",
        "TypeError: the text of a scalar is a str, found a value of type `int`, in function.py line 6",
    ),
    "an element of no list": (
        "item.append('spec.template.spec', 1)",
        f"{ITEM} spec.template.spec: the field cannot be changed: there is a mapping and no list",
    ),
    "an element far behind the end": (
        "item.insert('spec.template.spec.containers', 9, {'name': 'x'})",
        f"{ITEM} spec.template.spec.containers: the field cannot be changed: {TWO} 9",
    ),
    "a move to behind the end": (
        "item.move('spec.template.spec.containers[name=web]', 9)",
        f"{ITEM} spec.template.spec.containers[name=web]: the field cannot be changed: {TWO} 9",
    ),
    "an element ahead of the first": (
        "item.insert('spec.template.spec.containers', -1, {'name': 'x'})",
        f"{ITEM} spec.template.spec.containers: the field cannot be changed: {TWO} -1",
    ),
    "an index that is a text": (
        "item.insert('spec.template.spec.containers', '0', {'name': 'x'})",
        f"{ITEM} spec.template.spec.containers: the field cannot be changed: {TWO} '0'",
    ),
    "a move to nowhere": (
        "item.move('spec.template.spec.containers[name=web]', None)",
        f"{ITEM} spec.template.spec.containers[name=web]: the field cannot be changed: {TWO} None",
    ),
    "a list that holds itself": (
        "several = [1]; several.append({'again': several}); item.set('spec.x', several)",
        f"ValueError: a value has more than 200 levels of nesting, or holds itself, {LINE}",
    ),
    "a text that no file can hold": (
        "item.set('spec.new', 'secret' + chr(0xD800))",
        f"ValueError: '\\ud800' is no text that UTF-8 can write, {LINE}",
    ),
    "a text that no file can hold, in a field that is there": (
        "item.set('spec.replicas', [chr(0xD800)])",
        f"ValueError: '\\ud800' is no text that UTF-8 can write, {LINE}",
    ),
    "a number that Python does not print": (
        "item.set('spec.replicas', 10**5000)",
        f"ValueError: a whole number of more than 14000 bits is no value that programs read: write a text, {LINE}",
    ),
    "a mapping for a kind": (
        "resource_list.where({'kind': 'Deployment'})",
        f"TypeError: a kind is a str, or several, found {{'kind': 'Deployment'}}, {LINE}",
    ),
    "a move of nothing": (
        "item.move('spec.template.spec.containers[name=no]', 0)",
        (
            f"{ITEM} spec.template.spec.containers[name=no]: the field cannot be changed: it leads to no "
            "element of a list, or to several"
        ),
    ),
    "an object that deletes itself": (
        "item.delete()",
        "ValueError: an object is removed by `ResourceList.remove`, not by `delete`, in function.py line 6",
    ),
    "an object that is removed twice": (
        "resource_list.remove(item); resource_list.remove(item)",
        "ValueError: an item that is not in the list cannot be removed from it, in function.py line 6",
    ),
    "an edit of what was removed": (
        "resource_list.remove(item); item.set('spec.replicas', 5)",
        "ValueError: apps/v1/Deployment/shop/new was removed from the list: it cannot be edited, in function.py line 6",
    ),
    "an edit of an element that was deleted": (
        "web = item.pod_spec.containers[0]; web.delete(); web.set('image', 'x')",
        "ValueError: the field was deleted or replaced, it cannot be edited: ask for it again, in function.py line 6",
    ),
    "a list of items to remove": (
        "resource_list.remove([item])",
        "TypeError: `remove` takes items, `remove(*found)`, found a value of type `list`, in function.py line 6",
    ),
    "an item that is appended": (
        "resource_list.items.append(item)",
        "AttributeError: 'tuple' object has no attribute 'append', in function.py line 6",
    ),
    "an item twice": (
        "resource_list.items = [item, item]",
        (
            "ValueError: items keep the order in which they were read, each once: orchestrators sort them by "
            f"file, {LINE}"
        ),
    ),
    "an item of one's own": (
        "resource_list.items = [{'kind': 'X'}]",
        "ValueError: an item of another list is added by `add`, which copies it, in function.py line 6",
    ),
    "no items": (
        "resource_list.items = None",
        "TypeError: 'NoneType' object is not iterable, in function.py line 6",
    ),
    "a word that is no resource": (
        "resource_list.add('nonsense')",
        "the new item 2 cannot be added: it must be a mapping",
    ),
    "two documents for one resource": (
        "resource_list.add('a: 1\\n---\\nb: 2')",
        "the new item 2 cannot be added: line 2, column 1: a second document starts here, where there may be only one",
    ),
    "several resources for one": (
        "resource_list.add([{'kind': 'X'}])",
        "TypeError: a resource is a text, a dict or a Resource, found list, in function.py line 6",
    ),
    "a function for a kind": (
        "resource_list.where(lambda item: True)",
        "TypeError: a kind is a str, or several: a function is given as `test=`, in function.py line 6",
    ),
    "a kind in small letters among several": (
        "resource_list.where(['Job', 'deployment'])",
        "ValueError: a kind starts with a capital letter, `Deployment`, found `deployment`, in function.py line 6",
    ),
    "a selector that is none": (
        "resource_list.where(label='app=(')",
        (
            "ValueError: `app=(` is no label selector from character 1 on: one looks like "
            f"`app=web,tier!=db,env in (test, prod),critical,!legacy`, {LINE}"
        ),
    ),
    "a mapping for a number": (
        "item.get_int('spec.template')",
        "web.yaml: apps/v1/Deployment/shop/new spec.template: it is a mapping, and must be a whole number",
    ),
    "a word for a number": (
        "item.get_int('metadata.name')",
        "web.yaml: apps/v1/Deployment/shop/new metadata.name: it is `new`, and must be a whole number",
    ),
    "a number for a flag": (
        "item.get_bool('spec.replicas')",
        "web.yaml: apps/v1/Deployment/shop/new spec.replicas: it is `3`, and must be true or false",
    ),
    "a mapping for a text": (
        "item.get_str('spec')",
        "web.yaml: apps/v1/Deployment/shop/new spec: it is a mapping, and must be a text",
    ),
    "a mapping for a list": (
        "item.get_list('spec')",
        "web.yaml: apps/v1/Deployment/shop/new spec: it is a mapping, and must be a list",
    ),
    "a comment of nothing": (
        "item.set_comment('spec.nothing', 'x')",
        "web.yaml: apps/v1/Deployment/shop/new spec.nothing: the field cannot be changed: it is absent",
    ),
    "a comment at no side": (
        "item.set_comment('spec.replicas', 'x', 'left')",
        "ValueError: a comment is `above`, `behind` or `below` a field, found `left`, in function.py line 6",
    ),
    "a functionConfig that is absent": (
        "resource_list.function_config.get('data.x')",
        "AttributeError: 'NoneType' object has no attribute 'get', in function.py line 6",
    ),
    "a dict that is decoded": (
        "krm.decode(item.get('spec'), Config)",
        "TypeError: `decode` reads an object, or a part of one, found a value of type `dict`, in function.py line 6",
    ),
    "a config that is no dataclass": (
        "krm.decode(item, dict)",
        "TypeError: a functionConfig decodes into a dataclass, found `dict`, in function.py line 6",
    ),
    "a config that is absent": (
        "krm.decode(resource_list.function_config, Config)",
        (
            "there is no functionConfig, and `replicas` is missing in `data`: a ResourceList has one, and "
            "KEY=VALUE makes one (behind `--` for kpt)"
        ),
    ),
    "a resource for several": (
        "krm.generate(resource_list, 'kind: X')",
        "TypeError: the resources are several, `[resource]`, found a value of type `str`, in function.py line 6",
    ),
    "an object for several": (
        "krm.generate(resource_list, item)",
        "TypeError: the resources are several, `[resource]`, found a value of type `Resource`, in function.py line 6",
    ),
    "a generator without an owner": (
        "krm.generate(resource_list, [])",
        f"ValueError: the functionConfig has no name to know the resources again by: give `owner`, {LINE}",
    ),
    "something else than a function": (
        "krm.transform('kind: X', 3)",
        "TypeError: a function is run, or several by the kind of their functionConfig, found 3, in function.py line 6",
    ),
    "no function": (
        "krm.transform('kind: X', {})",
        "TypeError: a function is run, or several by the kind of their functionConfig, found {}, in function.py line 6",
    ),
    "something else for a kind": (
        "krm.transform('kind: ResourceList\\nfunctionConfig: {kind: A}', {'A': 3})",
        "TypeError: a function is run, or several by the kind of their functionConfig, found 3, in function.py line 6",
    ),
    "no text": (
        "krm.load(None)",
        "TypeError: the text to read is a str, found a value of type `NoneType`, in function.py line 6",
    ),
    "bytes for a text": (
        "krm.transform(b'kind: X', print)",
        "TypeError: the text to read is a str, found a value of type `bytes`, in function.py line 6",
    ),
    "a chain of something else": (
        "krm.chain(3)(resource_list)",
        "TypeError: a function is run, or several by the kind of their functionConfig, found 3, in function.py line 6",
    ),
    "an assertion": (
        "assert item.name == 'web', 'another name'",
        "AssertionError: another name, in function.py line 6",
    ),
    "a name that is nowhere": (
        "undefined",
        "NameError: name 'undefined' is not defined, in function.py line 6",
    ),
}
FUNCTION = """\
import copy, dataclasses, json, krm, pickle, sys
Config = dataclasses.make_dataclass("Config", [("replicas", int)])
def function(resource_list):
    item = resource_list.items[0]
    item.set("metadata.name", "new")
    {}
"""
GIVEN = f"# Copyright 2026\n# Licensed\n{DEPLOYMENT}"


COMPILED = (
    "a result that is no text",
    "a reason that is no text",
    "a result without a severity",
    "a wrong word of a result",
)
"""Calls that compiled code refuses in words of its own."""


@pytest.mark.parametrize(
    ("code", "message"),
    [
        pytest.param(*row, id=name, marks=[pytest.mark.pure] if name in COMPILED else [])
        for name, row in MISTAKES.items()
    ],
)
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
