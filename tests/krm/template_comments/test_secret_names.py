"""`ValueChanged` shows no text of a name that a Secret may give, to any container of any object."""

from __future__ import annotations

import pytest

from tests.expand_vars.expansion.running import run

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: p}
spec:
  containers:
  - name: c
    args:
    - --pw=old # expand: --pw=$(PW)
"""
OTHER = "---\napiVersion: v1\nkind: Pod\nmetadata: {name: q}\nspec:\n  initContainers:\n  - name: d\n    {}\n"
WITH_KEY = "---\napiVersion: v1\nkind: Secret\nmetadata: {{name: s}}\nstringData: {{{}: x}}\n"

GIVEN = {
    "a key in another object": OTHER.replace("{}", "env: [{name: PW, valueFrom: {secretKeyRef: {name: s, key: k}}}]"),
    "a key with an escape": OTHER.replace(
        "{}", 'env: [{name: "\\x50W", valueFrom: {secretKeyRef: {name: s, key: k}}}]'
    ),
    "all keys of a Secret that is not here": OTHER.replace("{}", "envFrom: [{secretRef: {name: s}}]"),
    "all keys of a Secret with a prefix": (
        OTHER.replace("{}", "envFrom: [{prefix: P, secretRef: {name: s}}]") + WITH_KEY.format("W")
    ),
}
NOT_GIVEN = {
    "nothing": "",
    "a key of another name": OTHER.replace("{}", "env: [{name: PX, valueFrom: {secretKeyRef: {name: s, key: PW}}}]"),
    "another prefix": OTHER.replace("{}", "envFrom: [{prefix: X, secretRef: {name: s}}]"),
    "a Secret that has no such key": OTHER.replace("{}", "envFrom: [{secretRef: {name: s}}]") + WITH_KEY.format("PX"),
    "a ConfigMap": OTHER.replace("{}", "env: [{name: PW, valueFrom: {configMapKeyRef: {name: s, key: k}}}]"),
}


def told(more: str) -> str:
    ran = run(POD + more, spec="record: Always\nunresolved: Ignore\n", arguments=[("PW", "new")])
    return next(result.message for result in ran.results if result.reason == "ValueChanged")


@pytest.mark.parametrize("more", GIVEN.values(), ids=GIVEN)
def test_a_text_that_a_secret_may_give_is_not_told(more: str) -> None:
    assert told(more) == "`PW` has another value, in 1 field"


@pytest.mark.parametrize("more", NOT_GIVEN.values(), ids=NOT_GIVEN)
def test_any_other_text_is_told(more: str) -> None:
    assert told(more) == "`PW` is `new` now, and was `old`, in 1 field"


IN_THE_OPEN = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata:\n  a: old # expand: $(PW)\n"
HIDDEN = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData:\n  a: hush # expand: $(PW)\n"


@pytest.mark.parametrize("items", [(IN_THE_OPEN, HIDDEN), (HIDDEN, IN_THE_OPEN)])
def test_a_text_of_a_secret_is_not_told_whatever_field_comes_first(items: tuple[str, str]) -> None:
    spec = "record: Always\ntargets: [{preset: All}]\n"
    ran = run("---\n".join(items), spec=spec, arguments=[("PW", "new")])
    assert [(result.reason, result.message) for result in ran.results] == [
        ("ValuesDiffered", "`PW` was another text: it follows the variable; delete the comment if it is to differ"),
        ("ValueChanged", "`PW` has another value, in 2 fields"),
    ]
