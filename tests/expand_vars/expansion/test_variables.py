"""What the variables of a functionConfig are: their sources, which of them wins, and what refers to what."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from expand_vars.expansion.variables import resolve
from expand_vars.functionconfig.config import Config
from expand_vars.functionconfig.model import Variable
from tests.expand_vars.expansion.running import Ran, config, config_map, pod, run

SETTINGS = config_map(
    "settings",
    """
    A: from-settings
    B: "b$(A)$"
    number: 080
    yes: on
    empty: ""
    block: |
      two
      lines
    nothing:
    list: [x]""",
)
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: api, namespace: shop, labels: {tier: "1.0"}}
spec:
  ports: [{name: http, port: 8080}, {name: admin, port: 0x1F}]
  selector: {app: $(A)}
"""
OPAQUE = """\
apiVersion: v1
kind: Secret
metadata: {name: s, annotations: {kubectl.kubernetes.io/last-applied-configuration: hidden}}
data: {k: aGlkZGVu, noBase64: hidden!, noText: gIGC}
stringData: {list: [hidden]}
"""
SEALED = """\
apiVersion: e.com/v1
kind: Sealed
metadata: {name: l}
spec: {template: {kind: Secret, metadata: {name: s}, stringData: {k: hidden}}}
"""
KUSTOMIZED = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: pre-settings-abc
  annotations:
    internal.config.kubernetes.io/previousNames: settings,pre-settings
    internal.config.kubernetes.io/previousNamespaces: default,default
data: {A: renamed}
"""


def _args(*names: str) -> str:
    return pod("args: [" + ", ".join(f'"$({name})"' for name in names) + "]")


def _key(key: str, more: str = "") -> str:
    return f"variables: [{{name: X, valueFrom: {{configMapKeyRef: {{name: settings, key: {key}{more}}}}}}}]"


def _field(path: str, of: str = "kind: Service, name: api") -> str:
    return f"variables: [{{name: X, valueFrom: {{objectFieldRef: {{{of}, fieldPath: '{path}'}}}}}}]"


def _secret(key: str, more: str = "") -> str:
    source = f"secretKeyRef: {{name: s, key: {key}{more}}}"
    return f"variables: [{{name: X, valueFrom: {{{source}}}}}]\ninline: [Secrets]"


NO_FIELD = "of Secret `s` is secret, and what is secret is not read as a field: use `secretKeyRef`"
NOT_THERE = "is not among the items: mend the name, or give its file to this run too"
NO_TEXT = "is no text: `data` has to be UTF-8 in base64, `stringData` a string"
THIRD = "variablesFrom: [{configMapRef: {name: settings3}}]"
OPTIONAL = "valueFrom: {configMapKeyRef: {name: c, key: k, optional: true}}"

# What `$(X)` becomes by what is declared.
VALUES = {
    "a value": ("variables: [{name: X, value: x}]", "x"),
    "a number": ("variables: [{name: X, value: 8080}]", "8080"),
    "an open reference": ("variables: [{name: X, value: '$(OPEN'}]", "$$(OPEN"),
    "a last dollar": ("variables: [{name: X, value: 'x$'}]", "x$$"),
    "an escape": ("variables: [{name: X, value: '$$(A)$a'}]", "$$(A)$a"),
    "a reference above": ("variables: [{name: Z, value: z$$}, {name: X, value: x$(Z)$$(Z)}]", "xz$$$$(Z)"),
    "a key": (_key("A"), "from-settings"),
    "a key with dollars": (_key("B"), "b$$(A)$$"),
    "a key's text as it is written": (_key("number"), "080"),
    "a word that YAML 1.1 takes for a boolean": (_key("'yes'"), "on"),
    "an empty key": (_key("empty"), ""),
    "a block": (_key("block"), "two\nlines\n"),
    "a field": (_field("spec.ports[name=http].port"), "8080"),
    "a field as it is written": (_field("spec.ports[1].port"), "0x1F"),
    "a quoted field": (_field("metadata.labels.tier"), "1.0"),
    "a field of a group, version and namespace": (
        _field("metadata.name", "group: '', version: v1, kind: Service, name: api, namespace: shop"), "api",
    ),
    "an optional key that is not there": (_key("C", ", optional: true"), "$(X)"),
    "an optional ConfigMap that is not there": (_key("A", ", namespace: other, optional: true"), "$(X)"),
    "an optional field that is not there": (
        _field("spec.clusterIP", "kind: Service, name: api, optional: true"), "$(X)",
    ),
    "an optional one over another": (
        "variablesFrom: [{configMapRef: {name: settings2}, prefix: X}]\n" + _key("C", ", optional: true"), "default",
    ),
    "all keys of a ConfigMap": ("variablesFrom: [{configMapRef: {name: settings2}, prefix: X}]", "default"),
    "an optional one of all keys": ("variablesFrom: [{configMapRef: {name: other, optional: true}}]", "$(X)"),
    "of two, the later": (
        "variablesFrom: [{configMapRef: {name: settings2}, prefix: X}, {configMapRef: {name: settings3}}]", "third",
    ),
    "kustomizeVars over variablesFrom": (
        f"{THIRD}\nkustomizeVars: [{{name: X, objref: {{kind: Service, name: api}}}}]",
        "api",
    ),
    "variables over kustomizeVars": (
        "variables: [{name: X, value: $(X)+}]\nkustomizeVars: [{name: X, objref: {kind: Service, name: api}}]", "api+",
    ),
}  # fmt: skip

# What is wrong with a source.
MISTAKES = {
    _key("C"): "ConfigMap `settings` has no key `C`: add it, or say `optional: true`",
    _key("nothing"): "key `nothing` of ConfigMap `settings` is null, it must be a string",
    _key("list"): "key `list` of ConfigMap `settings` is a list, it must be a scalar",
    _key(
        "A", ", namespace: shop"
    ): "ConfigMap `settings` in namespace `shop` is not among the items; there is v1/ConfigMap/settings",
    "variablesFrom: [{configMapRef: {name: other}}]": f"ConfigMap `other` {NOT_THERE}",
    "variablesFrom: [{configMapRef: {name: settings, optional: true}}]": (
        "key `nothing` of ConfigMap `settings` is null, it must be a string"
    ),
    "variablesFrom: [{configMapRef: {name: twice}}]": (
        "ConfigMap `twice` is 2 items, and a variable has one source: "
        "v1/ConfigMap/a/twice (a.yaml) and v1/ConfigMap/b/twice"
    ),
    _field(
        "spec.clusterIP"
    ): "`spec.clusterIP` of Service `api` is not there: name another field, or say `optional: true`",
    _field("spec.ports"): "`spec.ports` of Service `api` is a list, it must be a scalar",
    _field("spec.selector"): "`spec.selector` of Service `api` is a mapping, it must be a scalar",
    _field("spec.ports[*].port"): (
        "`spec.ports[*].port` of Service `api` is 2 fields, and a variable has one text: "
        "name one of them, as `[0]` does"
    ),
    _field("spec.selector.app"): (
        "`spec.selector.app` of Service `api` still holds a reference, so it is not yet the text that it will be: "
        "write that text as the `value` of a variable, where references are live"
    ),
    _field("metadata.name", "kind: Service, name: ap"): "Service `ap` is not among the items; did you mean `api`?",
    _field(
        "metadata.name", "group: apps, kind: Service, name: api"
    ): "Service `api` is not among the items; there is v1/Service/shop/api",
    _field(
        "metadata.name", "version: v2, kind: Service, name: api"
    ): "Service `api` is not among the items; there is v1/Service/shop/api",
    _secret("none"): "Secret `s` has no key `none`: add it, or say `optional: true`",
    _secret("k", ", namespace: shop"): "Secret `s` in namespace `shop` is not among the items; there is v1/Secret/s",
    _secret("noBase64"): f"key `noBase64` of Secret `s` {NO_TEXT}",
    _secret("noText"): f"key `noText` of Secret `s` {NO_TEXT}",
    _secret("list"): f"key `list` of Secret `s` {NO_TEXT}",
    "variablesFrom: [{secretRef: {name: t}}]\ninline: [Secrets]": f"Secret `t` {NOT_THERE}",
    "variablesFrom: [{secretRef: {name: s}}]\ninline: [Secrets]": f"key `noBase64` of Secret `s` {NO_TEXT}",
    _field("data.k", "kind: Secret, name: s"): f"`data.k` {NO_FIELD}",
    _field("stringData[*]", "kind: Secret, name: s"): f"`stringData[*]` {NO_FIELD}",
    _field("metadata.annotations[*]", "kind: Secret, name: s"): f"`metadata.annotations[*]` {NO_FIELD}",
    _field("spec.template.stringData.k", "kind: Sealed, name: l"): (
        f"`spec.template.stringData.k` {NO_FIELD.replace('Secret `s`', 'Sealed `l`')}"
    ),
    _field(
        "data.file", "kind: ConfigMap, name: held"
    ): f"`data.file` {NO_FIELD.replace('Secret `s`', 'ConfigMap `held`')}",
}
ITEMS = [
    SETTINGS,
    SERVICE,
    config_map("settings2", '{"": default}'),
    config_map("settings3", "{X: third}", "namespace: anywhere"),
    config_map("twice", "{}", "namespace: a\nannotations: {config.kubernetes.io/path: a.yaml}"),
    config_map("twice", "{}", "namespace: b"),
    OPAQUE,
    SEALED,
    config_map("held", "{file: '{kind: Secret, stringData: {k: hidden}}'}"),
]


@pytest.mark.parametrize("case", VALUES)
def test_what_a_variable_is(case: str) -> None:
    spec, expected = VALUES[case]
    assert run(_args("X"), *ITEMS, spec=spec).container["args"] == [expected]


@pytest.mark.parametrize("spec", MISTAKES)
def test_a_source_that_gives_no_text_is_an_error(spec: str) -> None:
    ran = run(_args("X"), *ITEMS, spec=spec)
    place = "spec.variables[name=X]" if spec.startswith("variables:") else "spec.variablesFrom[0]"
    assert (ran.text, ran.told) == ("", [f"error InvalidSource {place}: {MISTAKES[spec]}"])
    assert "hidden" not in str(ran.results)


def test_all_mistakes_of_sources_are_told_at_once() -> None:
    spec = _key("C") + "\nvariablesFrom: [{configMapRef: {name: other}}]"
    assert run(*ITEMS, spec=spec).reasons == ["InvalidSource", "InvalidSource"]


def test_errors_of_items_are_told_beside_those_of_sources() -> None:
    """They need no second run. Nothing is told that only the missing values would decide: neither names nor targets."""
    deployment = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: $(N), x: $(ABSENT)$(X)}\n"
    )
    spec = _key("C").replace("variables: [", "variables: [{name: 'N', value: two}, {name: UNUSED, value: x}, ")
    targets = "\ntargets: [{fieldPaths: [spec.x, spec.template], required: true}]"
    ran = run(_args("X"), deployment, *ITEMS, spec=spec + targets)
    assert sorted(ran.reasons) == ["InvalidSource", "UnfitValue"]
    assert ran.text == ""


@pytest.mark.parametrize("data", ["", "data:", "data: []", "data: text"])
def test_a_configmap_without_data_has_no_keys(data: str) -> None:
    item = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: settings}}\n{data}\n"
    assert run(_args("X"), item, spec="variablesFrom: [{configMapRef: {name: settings}}]").container["args"] == ["$(X)"]
    assert run(_args("X"), item, spec=_key("A")).reasons == ["InvalidSource"]


@pytest.mark.parametrize("annotation", ["config.kubernetes.io/local-config: 'true'", "expandvars.dev/skip: 'true'"])
def test_what_is_not_touched_may_be_read(annotation: str) -> None:
    settings = config_map("settings", "{A: x}", f"annotations: {{{annotation}}}")
    assert run(_args("X"), settings, spec=_key("A") + "\nselectors: {kind: Pod}").container["args"] == ["x"]


@pytest.mark.parametrize("name", ["settings", "pre-settings", "pre-settings-abc"])
@pytest.mark.parametrize("namespace", ["", ", namespace: default"])
def test_a_source_is_found_by_every_name_it_had_in_this_build(name: str, namespace: str) -> None:
    spec = f"variables: [{{name: X, valueFrom: {{configMapKeyRef: {{name: {name}, key: A{namespace}}}}}}}]"
    ran = run(_args("X"), KUSTOMIZED, spec=spec)
    assert ran.reasons == (["InvalidSource"] if namespace and name.endswith("abc") else [])


def test_a_name_that_is_to_get_a_hash_is_not_known_yet() -> None:
    hashed = config_map("settings", "{A: x}", "annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}")
    ran = run(_args("X"), hashed, spec=_field("metadata.name", "kind: ConfigMap, name: settings"))
    assert (ran.container["args"], sorted(ran.reasons)) == (["$(X)"], ["NameNotFinal", "UnresolvedReference"])
    assert run(_args("X"), hashed, spec=_field("data.A", "kind: ConfigMap, name: settings")).container["args"] == ["x"]


def test_an_argument_wins_and_is_seen_by_the_variables() -> None:
    spec = "variables: [{name: A, value: a}, {name: B, value: $(A)$(C)}]"
    ran = run(_args("A", "B"), spec=spec, arguments=[("A", "x$(B)"), ("C", "c")])
    assert ran.container["args"] == ["x$$(B)", "x$$(B)c"]


def test_every_key_of_a_configmap_is_literal() -> None:
    function_config = config("apiVersion: v1\nkind: ConfigMap\ndata: {A: $(B)$$, B: 1.10, C: yes}\n")
    assert Ran(pipeline.run(_args("A", "B", "C"), function_config)).container["args"] == ["$$(B)$$$$", "1.10", "yes"]


# Variables that refer to others below them: what `$(A)` becomes, and what is told of the functionConfig.
CIRCLES = {
    "further down": ("{name: A, value: a$(B)}, {name: B, value: b}", "ab", ["A"]),
    "of itself": ("{name: A, value: $(A):a}", "$(A)", ["A"]),
    "of each other": ("{name: A, value: 1$(B)}, {name: B, value: 2$(A)}", "$(A)", ["A", "B"]),
    "of two below": (
        "{name: A, value: 1$(B)}, {name: B, value: 2$(C)}, {name: C, value: 3$(B)}", "$(A)", ["A", "B", "C"],
    ),
    "of one of these": ("{name: B, value: $(B)}, {name: A, value: a$(B)}", "$(A)", ["B"]),
    "of an absent one": (
        f"{{name: B, {OPTIONAL}}}, {{name: A, value: a$(B)}}", "a$(B)", [],
    ),
    "of none": ("{name: A, value: a$(POD)}", "a$(POD)", []),
}  # fmt: skip


@pytest.mark.parametrize("case", CIRCLES)
def test_a_reference_to_a_variable_below_is_live_unless_it_leads_back(case: str) -> None:
    variables, expected, told = CIRCLES[case]
    ran = run(_args("A"), spec=f"variables: [{variables}]")
    assert ran.container["args"] == [expected]
    assert [one.field for one in ran.of("ForwardReference")] == [f"spec.variables[name={name}]" for name in told]
    assert run(ran.text, spec=f"variables: [{variables}]").text == ran.text


def test_a_variable_below_that_another_source_defines_is_that_for_now() -> None:
    spec = f"{THIRD}\nvariables: [{{name: A, value: $(X)}}, {{name: X, value: x}}]"
    ran = run(_args("A", "X"), *ITEMS, spec=spec)
    assert (ran.container["args"], ran.of("ForwardReference")) == (["third", "x"], [])


def test_messages_about_references_between_variables() -> None:
    ran = run(_args("A"), spec="variables: [{name: A, value: $(B)}, {name: B, value: $(B)}]")
    assert [one.message for one in ran.of("ForwardReference")] == [
        "`B` is declared further down: `$(B)` stays a reference in the text of `A`; move `B` above it",
        "`B` leads back to itself: `$(B)` in it stays, and means the container's own `B`",
    ]


def test_a_variable_of_itself_leads_back_in_a_target() -> None:
    ran = run("apiVersion: v1\nkind: Pod\nmetadata: {name: $(A)}\n", spec="variables: [{name: A, value: $(A)}]")
    (message,) = [one.message for one in ran.of("UnresolvedReference")]
    assert message == "no variable defines `$(A)`: `A` leads back to itself: mend its value"


@pytest.mark.parametrize("length", [9, 12])
def test_a_long_chain_ends_as_a_circle_does(length: int) -> None:
    chain = ", ".join(f"{{name: V{number}, value: $(V{number + 1})}}" for number in range(length))
    ran = run(_args("V0"), spec=f"variables: [{chain}, {{name: V{length}, value: end}}]")
    assert ran.container["args"] == ["end" if length < 10 else "$(V0)"]


def test_a_value_of_values_ends_before_memory_does() -> None:
    lines = ", ".join(f"{{name: V{number}, value: $(V{number - 1})$(V{number - 1})}}" for number in range(1, 40))
    ran = run(_args("V9"), spec=f"variables: [{{name: V0, value: long}}, {lines}]")
    too_long = "too long: its references expand to more than 1 MiB, which is more than a cluster can store"
    assert ran.of("TooLong")[0].message == f"`V19` is {too_long}"
    assert ran.text == ""


class _Name(str):
    """A name that counts how often it is compared with another one."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        _Name.compared += 1
        return str.__eq__(self, other)

    def __hash__(self) -> int:
        return str.__hash__(self)


def test_variables_are_not_compared_with_each_other() -> None:
    def cost(count: int) -> int:
        _Name.compared = 0
        given = Config()
        names = [_Name(f"V{number}") for number in range(count)]
        given.variables = (*(Variable(name=name, text="$(X)", literal=False, path="") for name in names),)
        resolve(given, (), {})
        return _Name.compared

    assert cost(200) <= 4 * cost(50)


@pytest.mark.parametrize(
    ("there", "hint"),
    [
        ("capi-settings", "; did you mean `capi-settings`?"),
        ("settings-9f7c", "; did you mean `settings-9f7c`?"),
        ("settngs", "; did you mean `settngs`?"),
        ("other", ": mend the name, or give its file to this run too"),
    ],
)
def test_an_object_that_is_not_there_comes_with_the_one_that_may_be_meant(there: str, hint: str) -> None:
    spec = "variables: [{name: A, valueFrom: {configMapKeyRef: {name: settings, key: k}}}]"
    (result,) = run(pod("args: []"), config_map(there, "{k: v}"), spec=spec).results
    assert result.message == f"ConfigMap `settings` is not among the items{hint}"


def test_many_sources_are_found_as_a_few_are() -> None:
    names = [f"c{number}" for number in range(30)]
    variables = ", ".join(
        f"{{name: {name}, valueFrom: {{configMapKeyRef: {{name: {name}, key: k}}}}}}" for name in names
    )
    maps = [config_map(name, f"{{k: of-{name}}}") for name in names]
    maps[3] = maps[3].replace("name: c3\n", 'name: "c\\x33"\n')
    ran = run(pod("args: [" + ", ".join(f"$({name})" for name in names) + "]"), *maps, spec=f"variables: [{variables}]")
    assert ran.container["args"] == [f"of-{name}" for name in names]
