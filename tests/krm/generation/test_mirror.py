"""What was generated: mirrored in hashes, and read back as a side of a merge."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from krm import fieldpath, secrets
from krm.generation import mirror, settings, sides
from krm.generation.mirror import Mirroring
from krm.generation.state import StateEntry
from krm.merge import trees
from krm.merge.trees import Tree
from krm.resource import Resource

HEAD = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n"
SECRET = HEAD.replace("apps/v1", "v1").replace("Deployment", "Secret")
HASH = re.compile(r"\b(?:[a-p]{6}|[A-P]{6})\b")


def resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "it")


def tree(item: Resource) -> Tree:
    return Tree(item.source, item.root)


def written(item: Resource, *given: str) -> str:
    """Return the text of the mirror of a resource; `given` are the fields that a run put something secret into."""
    item.secrets = frozenset(place for path in given for place, _ in item.find(fieldpath.parse(path)))
    return mirror.written(Mirroring(settings.identity(item), secrets.finder(item)).of(item.root).fields)


def origin_of(item: Resource, side: Resource, *others: Resource) -> Tree:
    """Return what is remembered of a resource, as the sides of a merge explain it."""
    entry = StateEntry((item.api_version, item.kind, item.namespace, item.name), "a.yaml", written(item))
    return sides.origin(
        entry, entry.fields, Mirroring(entry.identity).of(side.root).fields, *map(tree, (side, *others))
    )


def is_same(one: Tree, item: Resource) -> bool:
    return trees.same(one, one.root, tree(item), item.root)


WRITTEN = {
    "nothing but what it is called": ("", ""),
    "scalars take one line": ("data: {b: x, a: y}", "data: {a: #, b: #}"),
    "what holds more takes lines": ("spec: {b: {c: d}, a: 1}", "spec:\n  a: #\n  b: {c: #}"),
    "elements with names": ("spec: [{name: b, c: [d]}, {name: a}]",
                            'spec:\n  name=b:\n    c: {"0": #}\n    name: #\n  name=a: {name: #}'),
    "elements without": ("spec: [a, {name: b}]", 'spec:\n  "0": #\n  "1": {name: #}'),
    "elements of one name": ("spec: [{name: b}, {name: b}]", 'spec:\n  "0": {name: #}\n  "1": {name: #}'),
    "what is empty": ("spec: {a: [], b: {}, c: '', d: }", "spec: {a: #, b: #, c: #, d: #}"),
    "a tag": ("spec: {a: !mine [b], c: !mine {d: *e}, f: !mine b}", "spec: {a: #, c: #, f: #}"),
    "lines": ('data: {a: "b\\nc\\n"}', "data: {a: # # #}"),
    "aliases and merge keys": ("a: &a {b: 1}\nspec: {<<: *a, c: *a}", "a: {b: #}\nspec:\n  b: #\n  c: {b: #}"),
    "an alias of nothing": ("spec: [*a]", 'spec: {"0": #}'),
    "a key that is too long": (f"spec: {{? {'k' * 1001} : a, b: c}}", "spec: {b: #}"),
    "keys that look like those of elements": ("spec: {'0': a, .0: b, name=c: d, .e: f}",
                                              'spec: {"..0": #, .e: #, ".0": #, .name=c: #}'),
    "a key of the state": ("generated: {a: b}", ".generated: {a: #}"),
    "a value beside the fields": ("spec: a", "spec: #"),
    "keys that need quotes": ("spec: {'a: b': 1, '<<': 2, 'a, b': 3}",
                              'spec: {"<<": #, "a, b": #, "a: b": #}'),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), WRITTEN.values(), ids=WRITTEN)
def test_the_form_of_a_mirror(text: str, expected: str) -> None:
    assert HASH.sub("#", written(resource(f"{HEAD}{text}\n"))) == expected


def test_notes_and_what_a_resource_is_called_are_not_mirrored() -> None:
    annotations = {"config.kubernetes.io/path": "a.yaml", "expandvars.dev/skip": "true", "mine": "a"}
    update = resource(HEAD + f"  namespace: b\n  annotations: {json.dumps(annotations)}\n")
    assert HASH.sub("#", written(update)) == "metadata:\n  annotations: {mine: #}"
    assert written(resource(HEAD + "  annotations: {config.kubernetes.io/path: a.yaml}\n")) == ""


DIFFERENT = {
    "a text and a number": ("1", "'1'"),
    "a text and a word": ("yes", "'yes'"),
    "nothing and a text": ("null", "'null'"),
    "an empty list and an empty mapping": ("[]", "{}"),
    "two tags": ("!a [b]", "!c [b]"),
    "lists with a tag": ("!a [b, {c: d}]", "!a [b, {c: e}]"),
}


@pytest.mark.parametrize(("one", "other"), DIFFERENT.values(), ids=DIFFERENT)
def test_different_data_has_different_hashes(one: str, other: str) -> None:
    texts = {written(resource(f"{HEAD}spec: {{a: {value}}}\n")) for value in (one, other)}
    assert len(texts) == 2


def test_quotes_and_order_change_nothing() -> None:
    one, other = (resource(HEAD + text) for text in ("spec: {a: b, c: 16}\n", "spec:\n  c: 0x10\n  a: 'b'\n"))
    assert written(one) == written(other)


def test_equal_secrets_do_not_show() -> None:
    """Their hashes are over identity and path as well, and in capitals."""
    login = f"{SECRET}data: {{a: aGk=, b: aGk=}}\nstringData: {{c: aGk=}}\n"
    hashes = [one for name in ("web", "api") for one in HASH.findall(written(resource(login.replace("web", name))))]
    assert len({*hashes}) == 6
    assert all(map(str.isupper, hashes))


def test_what_holds_a_secret_is_secret() -> None:
    """Whatever the kind of the object: one function says what is secret."""
    inner = "kind: Secret\n    stringData: {a: b}\n"
    texts = (f"{SECRET}type: Opaque\nx: &a y\n", f"{HEAD}data:\n  x: y\n  s.yaml: |\n    {inner}")
    found = [HASH.sub(lambda found: "S" if found[0].isupper() else "#", written(resource(text))) for text in texts]
    assert found == ["type: S\nx: S", "data: {s.yaml: S, x: #}"]


def test_a_field_that_a_secret_was_inserted_into_is_secret() -> None:
    update = resource(f'{HEAD}spec: {{a: [{{name: b, args: ["c\\nd", e]}}], f: !mine [g]}}\n')
    text = written(update, "spec.a[0].args[0]", "spec.f[0]")
    assert HASH.sub(lambda found: "S" if found[0].isupper() else "#", text) == (
        'spec:\n  a:\n    name=b:\n      args: {"0": S, "1": #}\n      name: #\n  f: S'
    )
    assert '"0":' in written(update, "spec.a[0].name")


UNKNOWN = {
    "a value": ("a: b", "a: c"),
    "lines": ('a: "b\\nc"', 'a: "b\\nd"'),
    "a secret": ("a: b", "a: c"),
    "an element": ("a: [{name: b, c: 1}]", "a: [{name: b, c: 2}]"),
    "an element of a list without names": ("a: [b]", "a: [c]"),
}


@pytest.mark.parametrize(("before", "now"), UNKNOWN.values(), ids=UNKNOWN)
@pytest.mark.parametrize("head", [HEAD, SECRET])
def test_what_no_side_has_is_another_value_than_both_have(head: str, before: str, now: str) -> None:
    item, other = (resource(f"{head}data: {{{text}, same: x}}\n") for text in (before, now))
    assert is_same(origin_of(item, item, other), item)
    unknown = origin_of(item, other, other)
    assert not is_same(unknown, item)
    assert not is_same(unknown, other)


def test_a_text_keeps_the_lines_that_a_side_still_has() -> None:
    item, update, local = (
        resource(f"{HEAD}data:\n  a: |\n{text}") for text in ("    b\n    c\n", "    b\n", "    d\n")
    )
    (_, found), *_ = fieldpath.find(origin_of(item, update, local).root, ("data", "a"))  # type: ignore[arg-type]
    assert re.fullmatch("b\n[a-p]{6}\n", found.value or "")


def test_a_text_is_found_again_where_its_list_has_grown() -> None:
    item, local = resource(f"{HEAD}spec: [a, [b]]\n"), resource(f"{HEAD}spec: [new, c, a, [b]]\n")
    assert is_same(origin_of(item, local), item)


def test_a_list_in_the_place_of_a_mapping_is_another_value() -> None:
    item, local = resource(f"{HEAD}spec: [a]\n"), resource(f'{HEAD}spec: {{"0": b}}\n')
    assert not is_same(origin_of(item, local, local), local)


LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.just("y")
KEYS = st.text(max_size=5) | st.sampled_from(["<<", "a", "- a", "a: b", "name", "0", "name=a"])
VALUES = st.recursive(LEAVES, lambda some: st.lists(some, max_size=3) | st.dictionaries(KEYS, some, max_size=3))


@given(st.dictionaries(KEYS.filter(lambda key: key not in ("apiVersion", "kind", "metadata")), VALUES, max_size=3))
def test_what_is_remembered_is_what_was_generated(fields: dict[str, Any]) -> None:
    """As data, when a side still has it: the law on which every merge stands."""
    for kind in ("Secret", "ConfigMap"):
        head = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a", "namespace": "b"}}
        update = resource(yaml.safe_dump(head | fields, allow_unicode=True))
        assert is_same(origin_of(update, update), update)


def test_where_one_element_is_secret_the_others_are_not() -> None:
    item = resource("list: ['{apiVersion: v1, kind: Secret, data: {a: Yg==}}', plain]")
    assert list(map(str.isupper, re.findall(r": (\w{6})", written(item)))) == [True, False]
