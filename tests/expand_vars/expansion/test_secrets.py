"""Secrets: what is in them, and where it may be written."""

from __future__ import annotations

import pytest

from expand_vars.expansion import target_values
from krm import secrets
from krm.resource import Resource
from tests.expand_vars.expansion.running import pod, run

# What a Secret holds, and the texts in it.
TEXTS: dict[str, dict[str, str | None]] = {
    "data: {a: eA==}": {"a": "x"},
    "data: {a: ''}": {"a": ""},
    "data: {a: w6k=}": {"a": "é"},
    "data:\n  a: |\n    aGlk\n    ZGVu\n": {"a": "hidden"},
    "data: {a: eA}": {"a": None},
    "data: {a: e===}": {"a": None},
    "data: {a: eA==eA==}": {"a": None},
    "data: {a: 'e A=='}": {"a": None},
    "data: {a: é}": {"a": None},
    "data: {a: gIGC}": {"a": None},
    "data: {a: [eA==]}": {"a": None},
    "data: {a: 1234}": {"a": None},
    "data: {a: }": {"a": None},
    "stringData: {a: eA==, b: 080, c: , d: {}}": {"a": "eA==", "b": "080", "c": None, "d": None},
    "data: {a: eA==, b: eQ==}\nstringData: {b: own}": {"a": "x", "b": "own"},
    "data: {a: eA==}\nstringData: {a: }": {"a": None},
    "data: [eA==]": {},
    "stringData: text": {},
    "": {},
}


def _resource(kind: str, rest: str) -> Resource:
    text = f"{kind}\nmetadata: {{name: s}}\n{rest}\n"
    return Resource(text, (0, len(text)), "items[0]")


@pytest.mark.parametrize("rest", TEXTS)
def test_what_a_secret_holds(rest: str) -> None:
    assert secrets.texts(_resource("apiVersion: v1\nkind: Secret", rest)) == TEXTS[rest]


@pytest.mark.parametrize(
    ("kind", "place", "may_hold"),
    [
        ("apiVersion: v1\nkind: Secret", ("stringData", "a"), True),
        ("apiVersion: v1\nkind: Secret", ("data", "a"), False),
        ("apiVersion: v1\nkind: Secret", ("metadata", "annotations", "stringData"), False),
        ("apiVersion: a.io/v1\nkind: Secret", ("stringData", "a"), False),
        ("apiVersion: v1\nkind: ConfigMap", ("stringData", "a"), False),
    ],
)
def test_where_a_secret_may_be_written_whatever_inline_says(kind: str, place: tuple[str, ...], may_hold: bool) -> None:  # noqa: FBT001
    assert target_values.takes_secrets(_resource(kind, ""), place) is may_hold


OPAQUE = "apiVersion: v1\nkind: Secret\nmetadata: {name: db}\ndata: {a: aHVudGVyMg==, b: MTIzNA==}\n"
TARGET = """\
variables: [{name: X, valueFrom: {secretKeyRef: {name: db, key: KEY}}}]
targets: [{fieldPaths: [stringData.a]}]
"""
HELD = "apiVersion: v1\nkind: Secret\nmetadata: {name: url}\nstringData: {a: $(X)}\n"


@pytest.mark.parametrize(("key", "expected"), [("a", "hunter2"), ("b", '"1234"')])
def test_a_secret_may_be_written_into_another_which_holds_strings(key: str, expected: str) -> None:
    ran = run(HELD, OPAQUE, spec=TARGET.replace("KEY", key))
    assert (ran.text, ran.told) == (f"{HELD.replace('$(X)', expected)}---\n{OPAQUE}", [])


NAMED = "stringData: {a: $(X), b: $(hidden)}"


def test_what_looks_like_a_reference_in_a_secret_is_not_quoted() -> None:
    ran = run(HELD.replace("stringData: {a: $(X)}", NAMED), spec="targets: [{fieldPaths: ['stringData[*]']}]")
    message = (
        "no variable defines a name in here: it stays as it is written, until `variables` or an argument declares it"
    )
    assert ran.told == [f"warning UnresolvedReference stringData.a, stringData.b: {message}"]


# How a container uses a variable that is secret, where that is told, and what becomes of it.
IN_CONTAINERS = {
    "an argument": ("args: [$(X)]", "args[0]", "args: [$(X)]"),
    "a value": ("env: [{name: E, value: $(X)-}]", "env[name=E].value", "env: [{name: E, value: $(X)-}]"),
    "a probe": ("startupProbe: {exec: {command: [$(X)]}}", "startupProbe.exec.command[0]", "command: [$(X)]"),
    "its own": ("args: [$(X)]\nenv: [{name: X, value: own}]", "", "args: [own]"),
}


@pytest.mark.parametrize(("written", "place", "expected"), IN_CONTAINERS.values(), ids=IN_CONTAINERS)
def test_a_secret_variable_is_not_written_into_a_container(written: str, place: str, expected: str) -> None:
    ran = run(pod(written), HELD, OPAQUE, spec=TARGET.replace("KEY", "a"))
    assert expected in ran.text
    reason = "variable `X` is secret: it is written only into `stringData` of a Secret, or with `Secrets` in `inline`"
    reason += "; a container reads it by `secretKeyRef`"
    message = f"warning SecretReference spec.containers[name=app].{place}: `$(X)` in container `app`: {reason}"
    assert [line for line in ran.told if "Shadowed" not in line] == ([message] if place else [])


def test_of_a_secret_variable_the_word_secrets_is_enough() -> None:
    spec = "variables: [{name: PW, valueFrom: {secretKeyRef: {name: db, key: b}}}]\ninline: [Secrets]"
    ran = run(pod("args: [$(PW)]"), OPAQUE, spec=spec)
    assert ran.container["args"] == ["1234"]
