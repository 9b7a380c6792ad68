"""Who wins a name in a container, and what may be written (docs/reference/expansion.md, "Whose value")."""

from __future__ import annotations

from typing import Any

import pytest

from krm import syntax
from tests.expand_vars.expansion.running import config_map, pod, run

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
    "a variable gives the value": ("env: [{name: A, value: $(A)}]", ["of-config"]),
    "but not if the name is declared below": (
        "env: [{name: A, value: $(A)}, {name: A, value: x}]",
        ["$(A)", "x"],
    ),
    "the entry above wins": ("env: [{name: A, value: own}, {name: A, value: $(A)}]", ["own", "own"]),
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
    env, values = RESOLVED_ENTRIES[case]
    assert [entry["value"] for entry in run(pod(env), spec=VARIABLES).container["env"]] == values


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
    ("fields", "starts_one"),
    [
        ('command: [sh, -c, "$(date)"]', True),
        ('command: [/bin/bash]\nargs: [-euo, pipefail, -ec, "$(date)"]', True),
        ('command: [env, A=b, zsh, -lc, "$(date)"]', True),
        ('args: [-c, "$(date)"]', True),
        ('command: [sh, script.sh, "$(date)"]', False),
        ('command: [python, -c, "$(date)"]', False),
        ('args: ["$(date)", -c]', False),
        ('command: text\nargs: [80, "$(date)"]', False),
        ('env: [{name: X, value: "$(date)"}]', False),
    ],
)
def test_a_lower_case_name_is_for_the_shell_that_a_container_starts(fields: str, starts_one: bool) -> None:  # noqa: FBT001 - a column of the table
    assert run(pod(fields)).reasons == ([] if starts_one else ["UnresolvedReference"])


SETTINGS = config_map("c", "{A: of-c, LOG: $debug, 1ST: x, k: of-k}")
MORE = config_map("d", "{A: of-d}") + "binaryData: {BIN: AAEC}\n"
READS = "inline: [Literals, Variables, ConfigMaps, Downward, Resources, Services]\n"
C, D, UNREAD = "configMapRef: {name: c}", "configMapRef: {name: d}", "secretRef: {name: s}"
KEY = "valueFrom: {configMapKeyRef: {name: c, key: k}}"
ABSENT_KEY = "valueFrom: {configMapKeyRef: {name: c, key: absent, optional: true}}"
MEMORY = "valueFrom: {resourceFieldRef: {resource: limits.memory}}"
UNREAD_KEY = OPTIONAL.replace("{name: c", "{name: e")

# A container whose sources are among the items, and what the words of its args become.
SOURCES = {
    "envFrom": (f"envFrom: [{{{C}}}]\nargs: [$(A), $(LOG)]", ["of-c", "$$debug"]),
    "with a prefix": (f"envFrom: [{{{C}, prefix: P_}}]\nargs: [$(P_A), $(LOG)]", ["of-c", "$(LOG)"]),
    "a later source": (f"envFrom: [{{{C}}}, {{{D}}}]\nargs: [$(A), $(LOG)]", ["of-d", "$$debug"]),
    "an unread source above": (f"envFrom: [{{{UNREAD}}}, {{{C}}}]\nargs: [$(A), $(LOG)]", ["of-c", "$$debug"]),
    "an unread source below": (f"envFrom: [{{{C}}}, {{{UNREAD}}}]\nargs: [$(A), $(LOG)]", ["$(A)", "$(LOG)"]),
    "one with a prefix": (f"envFrom: [{{{C}}}, {{{UNREAD}, prefix: L}}]\nargs: [$(A), $(LOG)]", ["of-c", "$(LOG)"]),
    "one in between": (f"envFrom: [{{{C}}}, {{{UNREAD}}}, {{{D}}}]\nargs: [$(A), $(LOG)]", ["of-d", "$(LOG)"]),
    "an entry below": (f"envFrom: [{{{UNREAD}}}]\nenv: [{{name: A, value: own}}]\nargs: [$(A)]", ["own"]),
    "an unread optional one": ("envFrom: [{configMapRef: {name: e, optional: true}}]\nargs: [$(N)]", ["$(N)"]),
    "what is no source": ("envFrom: [text, {}, {configMapRef: c}, ~]\nargs: [$(V)]", ["of-config"]),
    "a name that is no identifier": (f"envFrom: [{{{C}}}]\nargs: [$(1ST)]", ["x"]),
    "beside a variable": (f"envFrom: [{{{C}, prefix: V}}]\nargs: [$(VA), $(V)]", ["of-c", "of-config"]),
    "in an entry": (f"envFrom: [{{{C}}}]\nenv: [{{name: X, value: $(A)-$(LOG)}}]\nargs: [$(X)]", ["of-c-$$debug"]),
    "binary data": (f"envFrom: [{{{D}}}]\nargs: [$(BIN)]", ["$(BIN)"]),
    "a key": (f"env: [{{name: A, {KEY}}}]\nargs: [$(A)]", ["of-k"]),
    "an absent optional key": (f"env: [{{name: A, {ABSENT_KEY}}}]\nargs: [$(A)]", ["$(A)"]),
    "behind an entry": (f"env: [{{name: A, value: own}}, {{name: A, {ABSENT_KEY}}}]\nargs: [$(A)]", ["own"]),
    "behind an entry, in a word of YAML 1.1": (
        f"env: [{{name: A, value: own}}, {{name: A, {ABSENT_KEY.replace('true', 'yes')}}}]\nargs: [$(A)]", ["own"],
    ),
    "behind a key": (f"env: [{{name: A, {KEY}}}, {{name: A, {ABSENT_KEY}}}]\nargs: [$(A)]", ["of-k"]),
    "behind envFrom": (f"envFrom: [{{{D}}}]\nenv: [{{name: A, {ABSENT_KEY}}}]\nargs: [$(A)]", ["of-d"]),
    "an unread optional key": (f"env: [{{name: A, value: own}}, {{name: A, {UNREAD_KEY}}}]\nargs: [$(A)]", ["$(A)"]),
    "a field": ("env: [{name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]\nargs: [$(A)]", ["web"]),
    "a resource": (f"env: [{{name: A, {MEMORY}}}]\nresources: {{limits: {{memory: 1Ki}}}}\nargs: [$(A)]", ["1024"]),
    "a file": ("env: [{name: A, valueFrom: {fileKeyRef: {key: k, path: p, volumeName: v}}}]\nargs: [$(A)]", ["$(A)"]),
    "a source that is none": ("env: [{name: A, valueFrom: text}]\nargs: [$(A)]", ["$(A)"]),
}  # fmt: skip


@pytest.mark.parametrize("case", SOURCES)
def test_what_sources_among_the_items_give(case: str) -> None:
    container, expected = SOURCES[case]
    ran = run(pod(container), SETTINGS, MORE, spec=f"{READS}variables: [{{name: V, value: of-config}}]")
    assert ran.container["args"] == expected


@pytest.mark.parametrize("case", SOURCES)
def test_what_may_not_be_written_is_left_to_the_kubelet(case: str) -> None:
    """But for what is made of literals: an entry that refers to a source is not, and neither is who refers to that."""
    container, expected = SOURCES[case]
    words = container.rpartition("args: [")[2].rstrip("]").split(", ")
    ran = run(pod(container), SETTINGS, MORE, spec="variables: [{name: V, value: of-config}]")
    assert ran.container["args"] == [
        new if new in ("own", "of-config") else old for old, new in zip(words, expected, strict=True)
    ]


def test_what_is_a_target_itself_is_read_as_it_leaves() -> None:
    """Else the second run would know what the first one did not."""
    fields = "env: [{name: A, valueFrom: {fieldRef: {fieldPath: \"metadata.labels['a']\"}}}]\nargs: [$(A)]"
    spec = READS + "variables: [{name: V, value: x}]"
    ran = run(pod(f"{fields}\nimage: $(V)", "labels: {a: $(V), b: '1'}"), spec=spec)
    assert (ran.container["args"], ran.items[0]["metadata"]["labels"]["a"]) == (["x"], "x")
    assert run(ran.text, spec=spec).text == ran.text


SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: api}\nspec: {ports: [{port: 80}]}\n"
NO_SERVICE = SERVICE.replace("{ports", "{clusterIP: None, ports")
PORT = "API_SERVICE_PORT"

# The lookup, the fields of the container, and what `$(API_SERVICE_PORT)` becomes in args.
SERVICES = {
    "by default": ("[Container, Variables, Services]", "", "80"),
    "not asked for": ("[Container]", "", f"$({PORT})"),
    "not over literals of the container": ("[Container, Services]", f"env: [{{name: {PORT}, value: own}}]", "own"),
    "not if a source may have the name": ("[Services]", f"envFrom: [{{{UNREAD}}}]", f"$({PORT})"),
    "if a source with another prefix has not": (
        "[Container, Services]", f"envFrom: [{{{UNREAD}, prefix: DB_}}]", "80",
    ),
    "in an entry": ("[Container, Services]", f"env: [{{name: X, value: $({PORT})}}]", "80"),
}  # fmt: skip
# The same with a variable of that name.
BESIDE_A_VARIABLE = {
    "over it": ("[Container, Services, Variables]", "", "80"),
    "below it": ("[Container, Variables, Services]", "", "of-config"),
    "over it, but not over the container": (
        "[Services, Variables]", f"env: [{{name: {PORT}, {FIELD}}}]", "of-config",
    ),
    "if a source may have the name": ("[Services, Variables]", f"envFrom: [{{{UNREAD}}}]", f"$({PORT})"),
    "if a source with a prefix may have the name": (
        "[Container, Services]", f"envFrom: [{{{UNREAD}, prefix: API_}}]", f"$({PORT})",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("lookup", "container", "expected"), SERVICES.values(), ids=SERVICES)
def test_where_service_variables_stand(lookup: str, container: str, expected: str) -> None:
    ran = run(pod(f"{container}\nargs: [$({PORT})]"), SERVICE, spec=f"unresolved: Ignore\nlookup: {lookup}")
    assert ran.container["args"] == [expected]


@pytest.mark.parametrize(("lookup", "container", "expected"), BESIDE_A_VARIABLE.values(), ids=BESIDE_A_VARIABLE)
def test_where_service_variables_stand_beside_a_variable(lookup: str, container: str, expected: str) -> None:
    spec = f"variables: [{{name: {PORT}, value: of-config}}]\nunresolved: Ignore\nlookup: {lookup}"
    assert run(pod(f"{container}\nargs: [$({PORT})]"), SERVICE, spec=spec).container["args"] == [expected]


def test_a_service_variable_stands_in_for_one_that_is_declared_below() -> None:
    env = f"env: [{{name: X, value: $({PORT})}}, {{name: {PORT}, value: own}}]"
    ran = run(pod(env), SERVICE, spec=f"variables: [{{name: {PORT}, value: of-config}}]")
    assert [entry["value"] for entry in ran.container["env"]] == ["80", "own"]


@pytest.mark.parametrize(
    ("links", "expected", "reasons"),
    [
        ("true", "80", []), ("Yes", "80", []), ("", "80", []), ("'no'", "80", []),
        *((word, f"$({PORT})", ["UnresolvedReference"]) for word in ("false", "no", "Off", "n", '!!bool "false"')),
    ],
)  # fmt: skip
def test_service_links(links: str, expected: str, reasons: list[str]) -> None:
    item = pod(f"args: [$({PORT}), $(KUBERNETES_PORT_443_TCP)]") + f"  enableServiceLinks: {links}\n"
    ran = run(item, SERVICE)
    assert ran.container["args"] == [expected, "$(KUBERNETES_PORT_443_TCP)"]
    assert ran.reasons == reasons


def test_a_service_whose_name_starts_like_that_of_the_api_server_needs_links() -> None:
    ran = run(pod("args: [$(KUBERNETES_DASHBOARD_PORT)]") + "  enableServiceLinks: false\n")
    assert ran.reasons == ["UnresolvedReference"]


def test_what_a_headless_service_does_not_give_a_source_may() -> None:
    item = pod(f"args: [$({PORT})]")
    assert run(item, NO_SERVICE).reasons == ["ServiceWithoutAddress"]
    assert run(item.replace("args", f"envFrom: [{{{UNREAD}}}]\n    args"), NO_SERVICE).results == []
    declared = run(item, NO_SERVICE, spec=f"variables: [{{name: {PORT}, value: of-config}}]")
    assert (declared.container["args"], declared.results) == (["of-config"], [])


def test_an_entry_made_of_what_lookup_leaves_out_is_not_known() -> None:
    env = f"env: [{{name: X, value: $({PORT})}}]\nargs: [$(X)]"
    assert run(pod(env), SERVICE, spec="lookup: [Container]").container["args"] == ["$(X)"]


QUIET = [
    "$(date +%s)", "$()", "$(1ST)", "$(a b)", "$(echo)", "$(A$(B))", "$(cat <f)", "$$(X)", "$X", "${X}",
    "$(KUBERNETES_SERVICE_HOST)",
]  # fmt: skip


@pytest.mark.parametrize("written", QUIET)
def test_a_reference_that_may_be_another_thing_is_left_without_a_word(written: str) -> None:
    ran = run(pod(f"command: [sh, -c, '{written}']"))
    assert (ran.container["command"][2], ran.told) == (written, [])


@pytest.mark.parametrize(
    "name",
    [
        "API_SERVICE_HOST",
        "API_SERVICE_PORT",
        "API_SERVICE_PORT_HTTP",
        "API_PORT",
        "API_PORT_80_TCP",
        "API_PORT_1_UDP_ADDR",
    ],
)
def test_a_name_that_a_service_elsewhere_could_define_is_told_in_passing(name: str) -> None:
    closing, result = run(pod(f"command: [sh, -c, '$({name})']")).results
    assert (result.severity, result.reason) == ("info", "UnknownService")
    assert closing.severity == "warning"


@pytest.mark.parametrize("name", ["REGION", "region.eu", "_x", "A-b", "API_SERVICE_HOSTS", "PORT", "-a"])
def test_a_name_that_nothing_could_define_is_told(name: str) -> None:
    (told,) = run(pod(f"args: [$({name})]")).told
    message = (
        f"nothing defines `$({name})` in container `app`, so it stays: declare it, or write `$$({name})` if it is text"
    )
    assert told == f"warning UnresolvedReference spec.containers[name=app].args[0]: {message}"


@pytest.mark.parametrize("name", ["a", "A.b-c", "_1", ".", "-"])
def test_names_of_variables(name: str) -> None:
    assert syntax.is_name(name)


@pytest.mark.parametrize("text", ["", "1a", "a b", "a(", "é", "a\n"])
def test_texts_that_are_no_names(text: str) -> None:
    assert not syntax.is_name(text)
