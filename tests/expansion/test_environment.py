"""Who has a name at one point of a container, and what of it may be written down (decision 16)."""

from __future__ import annotations

from typing import Any

import pytest

from fn.expansion import names
from tests.expansion.running import pod, run

VARIABLES = "variables:\n- {name: A, value: of-config}\n- {name: B, value: b-of-config}\n"
FIELD = "valueFrom: {fieldRef: {fieldPath: metadata.name}}"
OPTIONAL = "valueFrom: {configMapKeyRef: {name: c, key: k, optional: true}}"

# What the reference `$(A)` becomes in <X>, an entry of env, and in args.
ENVIRONMENTS = {
    "not declared": ("env: [<X>]", "of-config", "of-config"),
    "declared above": ("env: [{name: A, value: own}, <X>]", "own", "own"),
    "declared below": ("env: [<X>, {name: A, value: own}]", "$(A)", "own"),
    "declared above and below": ("env: [{name: A, value: 1st}, <X>, {name: A, value: 2nd}]", "1st", "2nd"),
    "declared twice above": ("env: [{name: A, value: 1st}, {name: A, value: 2nd}, <X>]", "2nd", "2nd"),
    "built up": ("env: [{name: A, value: a}, {name: A, value: '$(A)b'}, <X>]", "ab", "ab"),
    "built on the variable": ("env: [{name: A, value: '$(A)+own'}, <X>]", "of-config+own", "of-config+own"),
    "of a source": (f"env: [{{name: A, {FIELD}}}, <X>]", "$(A)", "$(A)"),
    "of a source, then literal": (f"env: [{{name: A, {FIELD}}}, {{name: A, value: own}}, <X>]", "own", "own"),
    "literal, then of a source": (f"env: [{{name: A, value: own}}, {{name: A, {FIELD}}}, <X>]", "$(A)", "$(A)"),
    "literal, then optional": (f"env: [{{name: A, value: own}}, {{name: A, {OPTIONAL}}}, <X>]", "$(A)", "$(A)"),
    "a value and a source, which the API refuses": (f"env: [{{name: A, value: own, {FIELD}}}, <X>]", "$(A)", "$(A)"),
    "a value and no source": ("env: [{name: A, value: own, valueFrom: ~}, <X>]", "own", "own"),
    "an empty value and a source": (f"env: [{{name: A, value: '', {FIELD}}}, <X>]", "$(A)", "$(A)"),
    "no value and a source": (f"env: [{{name: A, value: , {FIELD}}}, <X>]", "$(A)", "$(A)"),
    "an empty value": ("env: [{name: A, value: ''}, <X>]", "", ""),
    "null": ("env: [{name: A, value: ~}, <X>]", "", ""),
    "no value": ("env: [{name: A}, <X>]", "", ""),
    "a number, which the API refuses": ("env: [{name: A, value: 80}, <X>]", "$(A)", "$(A)"),
    "a mapping, which the API refuses": ("env: [{name: A, value: {b: c}}, <X>]", "$(A)", "$(A)"),
    "unreadable envFrom": ("envFrom: [{configMapRef: {name: c}}]\nenv: [<X>]", "of-config", "of-config"),
    "empty envFrom": ("envFrom: []\nenv: [<X>]", "of-config", "of-config"),
    "another name": ("env: [{name: a, value: own}, <X>]", "of-config", "of-config"),
    "known in part": ("env: [{name: A, value: 'x$(NOPE)'}, <X>]", "$(A)", "$(A)"),
    "escaped": ("env: [{name: A, value: '$$(B)'}, <X>]", "$$(B)", "$$(B)"),
    "dollars": ("env: [{name: A, value: 'a$b$'}, <X>]", "a$$b$$", "a$$b$$"),
    "no entries": ("env: [text, [], <X>, {value: own}, {name: 80, value: own}]", "of-config", "of-config"),
    "an alias": ("env: [&a {name: A, value: own}, <X>, *a]", "own", "own"),
    "merged in": ("env: [&a {name: Z, value: own}, {<<: *a, name: A}, <X>]", "own", "own"),
}

RESOLVED_ENTRIES = {
    "a reference to oneself is taken from Variables": ("env: [{name: A, value: $(A)}]", "of-config"),
    "but not where one is declared below again": ("env: [{name: A, value: $(A)}, {name: A, value: x}]", "$(A)"),
    "from what stands above first": ("env: [{name: A, value: own}, {name: A, value: $(A)}]", "own"),
}


def _container(env: str, spec: str = VARIABLES, written: str = "$(A)") -> Any:
    fields = env.replace("<X>", f"{{name: X, value: {written}}}") + f"\nargs: ['{written}']"
    return run(pod(fields), spec=spec).container


def _of_x(container: Any) -> str:
    return next(entry["value"] for entry in container["env"] if isinstance(entry, dict) and entry.get("name") == "X")


@pytest.mark.parametrize("case", ENVIRONMENTS)
def test_a_name_is_what_stands_above_it(case: str) -> None:
    env, in_entry, in_args = ENVIRONMENTS[case]
    container = _container(env)
    assert (_of_x(container), container["args"]) == (in_entry, [in_args])


@pytest.mark.parametrize("case", RESOLVED_ENTRIES)
def test_an_entry_that_refers_to_itself(case: str) -> None:
    env, expected = RESOLVED_ENTRIES[case]
    entry = [one for one in run(pod(env), spec=VARIABLES).container["env"] if one["name"] == "A"][
        -1 if "above" in case else 0
    ]
    assert entry["value"] == expected


@pytest.mark.parametrize(
    ("lookup", "inline", "own", "declared_below", "other"),
    [
        ("Container, Variables", "Literals, Variables", "own", "$(A)", "b-of-config"),
        ("Variables, Container", "Literals, Variables", "of-config", "of-config", "b-of-config"),
        ("Container", "Literals, Variables", "own", "$(A)", "$(B)"),
        ("Variables", "Literals, Variables", "of-config", "of-config", "b-of-config"),
        ("Container, Variables", "Literals", "own", "$(A)", "$(B)"),
        ("Container, Variables", "Variables", "$(A)", "$(A)", "b-of-config"),
        ("Container, Variables", "", "$(A)", "$(A)", "$(B)"),
        ("Variables, Container", "Literals", "$(A)", "$(A)", "$(B)"),
        ("Variables, Container", "Variables", "of-config", "of-config", "b-of-config"),
    ],
)
def test_lookup_says_who_wins_a_name_and_inline_what_may_be_written(
    lookup: str, inline: str, own: str, declared_below: str, other: str
) -> None:
    spec = f"{VARIABLES}lookup: [{lookup}]\ninline: [{inline}]\n"
    assert _of_x(_container("env: [{name: A, value: own}, <X>]", spec)) == own
    assert _of_x(_container("env: [<X>, {name: A, value: own}]", spec)) == declared_below
    assert _of_x(_container("env: [{name: A, value: own}, <X>]", spec, "$(B)")) == other


def test_a_live_reference_of_a_variable_is_the_containers_where_it_is_inserted() -> None:
    spec = "variables:\n- {name: REGION, value: eu}\n- {name: URL, value: 'http://$(HOST)/$(REGION)/$$(HOST)'}\n"
    env = "env:\n- {name: HOST, value: db}\n- {name: REGION, value: us}\n- {name: LOG, value: $(URL)}\nargs: [$(URL)]"
    container = run(pod(env), spec=spec).container
    assert (container["env"][2]["value"], container["args"]) == ("http://db/eu/$$(HOST)", ["http://db/eu/$$(HOST)"])


@pytest.mark.parametrize(
    "env",
    ["", f"env: [{{name: HOST, {FIELD}}}]", "envFrom: [{secretRef: {name: s}}]", "env: [{name: HOST, value: $(X)}]"],
)
def test_a_live_reference_that_only_the_kubelet_can_resolve_stays_live(env: str) -> None:
    spec = "variables: [{name: URL, value: 'http://$(HOST):$$'}]"
    assert run(pod(f"{env}\nargs: [$(URL)]"), spec=spec).container["args"] == ["http://$(HOST):$$"]


@pytest.mark.parametrize(
    ("words", "starts_one"),
    [
        ('command: [sh, -c, "$(date)"]', True),
        ('command: [/bin/bash]\nargs: [-euo, pipefail, -ec, "$(date)"]', True),
        ('command: [env, A=b, zsh, -lc, "$(date)"]', True),
        ('args: [-c, "$(date)"]', True),
        ('command: [sh, script.sh, "$(date)"]', False),
        ('command: [python, -c, "$(date)"]', False),
        ('args: ["$(date)", -c]', False),
        ('command: text\nargs: [80, "$(date)"]', False),
        ("{}", False),
    ],
)
def test_a_lower_case_name_is_for_the_shell_that_a_container_starts(words: str, starts_one: bool) -> None:  # noqa: FBT001 - a column of the table
    ran = run(pod(words)) if words != "{}" else run(pod('env: [{name: X, value: "$(date)"}]'))
    assert ran.reasons == ([] if starts_one else ["UnresolvedReference"])


QUIET = [
    "$(date +%s)", "$()", "$(1ST)", "$(a b)", "$(echo)", "$(A$(B))", "$(cat <f)", "$$(X)", "$X", "${X}",
    "$(API_SERVICE_HOST)", "$(API_SERVICE_PORT)", "$(API_SERVICE_PORT_HTTP)", "$(API_PORT)", "$(API_PORT_80_TCP)",
    "$(API_PORT_80_TCP_ADDR)", "$(KUBERNETES_SERVICE_HOST)", "$(JOB_COMPLETION_INDEX)",
]  # fmt: skip


@pytest.mark.parametrize("written", QUIET)
def test_a_reference_that_may_be_another_thing_is_left_without_a_word(written: str) -> None:
    ran = run(pod(f"command: [sh, -c, '{written}']"))
    assert (ran.container["command"][2], ran.told) == (written, [])


@pytest.mark.parametrize("name", ["REGION", "region.eu", "_x", "A-b", "API_SERVICE_HOSTS", "PORT", "-a"])
def test_a_name_that_nothing_could_define_is_told(name: str) -> None:
    (told,) = run(pod(f"args: [$({name})]")).told
    message = f"nothing defines `$({name})` in container `app`: it stays as it is written"
    assert told == f"warning UnresolvedReference spec.containers[name=app].args[0]: {message}"


@pytest.mark.parametrize("name", ["a", "A.b-c", "_1", ".", "-"])
def test_names_of_variables(name: str) -> None:
    assert names.is_name(name)


@pytest.mark.parametrize("text", ["", "1a", "a b", "a(", "é", "a\n"])
def test_texts_that_are_no_names(text: str) -> None:
    assert not names.is_name(text)
