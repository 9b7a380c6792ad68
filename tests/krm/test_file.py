"""Files: the objects in them, found with as little parsing as that takes."""

from __future__ import annotations

import pytest

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy
from krm.results import FnError
from krm.yamltree import parser

NO_VALUE = "a value is missing here, or a bracket above is not closed"

DOCUMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  namespace: shop\nspec: {a: 1}\n"
NO_HEAD = {
    "an indented mapping": "  " + DOCUMENT.strip().replace("\n", "\n  ") + "\n",
    "a quote that ends further down": DOCUMENT.replace("namespace: shop", "namespace: 'shop\nspec: '"),
    "no kind": DOCUMENT.replace("kind: Deployment\n", ""),
    "a mapping in brackets": "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web}}\n",
    "a list": "- kind: Deployment\n- metadata: {}\n",
}
HEADS = {
    "block style": DOCUMENT,
    "comments at the margin": f"# one\n{DOCUMENT.replace('spec', '# two: three' + chr(10) + 'spec')}",
    "a start with a comment": f"--- # first\n{DOCUMENT}",
    "elements at the margin": f"{DOCUMENT}rules:\n- a: 1\n-\n  b: 1\n",
    "a key in brackets further down": DOCUMENT.replace("spec: {a: 1}", "spec: {\nkind: Other}"),
    "a key in quotes": DOCUMENT.replace("kind", '"kind"'),
    "an alias": DOCUMENT.replace("metadata:", "metadata: &m").replace("name: web", "name: &n web\n  labels: {app: *n}"),
    "CRLF": DOCUMENT.replace("\n", "\r\n"),
    "no line end": "kind: Deployment\napiVersion: apps/v1\nmetadata: {name: web, namespace: shop}",
}


def head(text: str) -> str:
    """Return the head of the first of two documents."""
    return File(f"{text}\n---\na: 1\n", "a.yaml").objects[0].head.source


@pytest.mark.parametrize("text", HEADS.values(), ids=HEADS)
def test_the_head_of_an_object_is_parsed_alone(text: str) -> None:
    found = File(f"{text}\n---\na: 1\n", "a.yaml").objects[0].head
    assert (found.kind, found.group, found.namespace, found.name) == ("Deployment", "apps", "shop", "web")
    assert "spec" not in found.source


@pytest.mark.parametrize("text", NO_HEAD.values(), ids=NO_HEAD)
def test_a_head_that_is_not_plain_to_see_is_the_document(text: str) -> None:
    assert head(text).strip() == text.strip()


def test_a_file_of_one_document_has_a_head_too() -> None:
    assert File(DOCUMENT, "a.yaml").objects[0].head.source == DOCUMENT.removesuffix("spec: {a: 1}\n")


ALIKE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: b}\ndata: {k: [}\n"


def test_a_document_that_all_sides_have_alike_is_not_parsed() -> None:
    """Not even one that is no YAML: what need not be touched need not be judged."""
    origin, update, local = (
        File(f"{DOCUMENT.replace('a: 1', data)}---\n{ALIKE}", name)
        for name, data in (("o", "a: 1"), ("u", "a: 2"), ("l", "a: 1, b: 1"))
    )
    output = composition.merge(origin, update, local, BaseRule(Policy("Error")))
    assert output.text == f"{DOCUMENT.replace('a: 1', 'a: 2, b: 1')}---\n{ALIKE}"


def test_of_a_document_that_differs_it_is_told_that_it_is_not_yaml() -> None:
    origin, update, local = (File(ALIKE.replace("k:", f"{name}:"), f"{name}.yaml") for name in ("o", "u", "l"))
    with pytest.raises(FnError) as caught:
        composition.merge(origin, update, local, BaseRule(Policy("Error")))
    assert str(caught.value.results[0]) == f"[error] o.yaml: line 4, column 12: {NO_VALUE}"


def test_trees_are_dropped_pair_by_pair() -> None:
    """What keeps no tree of a document that is merged takes memory for its texts alone."""
    names = [f"web-{number}" for number in range(3)]
    origin, update, local = (
        File("---\n".join(DOCUMENT.replace("web", name).replace("a: 1", data) for name in names), side)
        for side, data in (("o", "a: 1"), ("u", "a: 2"), ("l", "a: 1, b: 1"))
    )
    composition.merge(origin, update, local, BaseRule(Policy("Error")))
    assert [found.resource._editor for file in (origin, update, local) for found in file.objects] == [None] * 9  # noqa: SLF001 - nothing else tells


def test_a_document_that_is_several_is_refused_although_all_sides_have_it_alike() -> None:
    origin, update, local = (File(DOCUMENT + DOCUMENT, f"{name}.yaml") for name in ("o", "u", "l"))
    with pytest.raises(FnError) as caught:
        composition.merge(origin, update, local, BaseRule(Policy("Error")))
    assert str(caught.value.results[0]) == (
        "[error] o.yaml: line 7, column 1: the key `apiVersion` is here again (or files were joined without a line "
        "`---` between them), first in line 1"
    )


def test_an_alias_that_names_nothing_is_told_at_once() -> None:
    with pytest.raises(FnError) as caught:
        _ = File("a: *b\n", "a.yaml").objects
    assert str(caught.value.results[0]) == "[error] a.yaml: line 1: the alias `*b` names nothing above it"
    assert parser.parse("a: &b 1\nc: *b\n").root is not None
    assert len(File("a: &b 1\nc: *b\n", "a.yaml").objects) == 1


def test_what_is_called_a_list_and_has_no_items_is_an_object() -> None:
    (part,) = File("kind: PodList\nitems: [1]\n", "a.yaml").documents
    part.open()
    assert (part.elements(), len(part.objects)) == (None, 1)
