"""A functionConfig as the environment of a program: what is a variable, with which value, and what is none."""

from __future__ import annotations

import json
import os

import pytest

from krm import resourcelist
from krm.commands import wrap

HEAD = "kind: ResourceList\nitems: []\nfunctionConfig:\n"
NGINX = "apiVersion: example.com/v1beta1\nkind: Nginx\nmetadata:\n  name: my-instance\n"
WHOLE = ("KRM_FUNCTION_CONFIG", "KUST_FUNCTION_CONFIG")


def exported(
    function_config: str, names: frozenset[str] | None = wrap.allowed("*")
) -> tuple[dict[str, str], list[str]]:
    """Return what a functionConfig adds to the environment, but for itself, and what there is to tell."""
    given = resourcelist.read(HEAD + "".join(f"  {line}\n" for line in function_config.splitlines())).function_config
    environment, told = wrap.environment(given, names)
    added = {name.decode(): value.decode() for name, value in environment.items() if os.environb.get(name) != value}
    return {name: value for name, value in added.items() if name not in WHOLE}, [
        str(result).replace(f" and {len(result.further)} more", "".join(f", {path}" for path, _ in result.further))
        for result in told
    ]


@pytest.mark.parametrize(
    ("spec", "variables"),
    [
        ("replicas: 5", {"REPLICAS": "5"}),
        ("tag: 1.10", {"TAG": "1.10"}),
        ("tag: '1.10'", {"TAG": "1.10"}),
        ("paused: True", {"PAUSED": "True"}),
        ("camelCase: a", {"CAMELCASE": "a"}),
        ("x_1: a", {"X_1": "a"}),
        ("text: |\n    a\n    b", {"TEXT": "a\nb\n"}),
        ("none: null", {"NONE": ""}),
        ("none:", {"NONE": ""}),
        ("greeting: größe", {"GREETING": "größe"}),
        ("args: [a, 1.10, 'on', null, true]", {"ARGS": '["a", 1.10, "on", null, true]'}),
        ("resources:\n    cpu: 100m  # enough", {"RESOURCES": '{"cpu": "100m"}'}),
        ("empty: {}", {"EMPTY": "{}"}),
        ("a: &a {b: c}\n  d: *a", {"A": '{"b": "c"}', "D": '{"b": "c"}'}),
        ("name: mine", {"NAME": "mine"}),
        ("A: 1\n  a: 2", {"A": "2"}),
    ],
)
def test_fields_of_spec(spec: str, variables: dict[str, str]) -> None:
    assert exported(f"{NGINX}spec:\n  {spec}\n") == ({"NAME": "my-instance"} | variables, [])


def test_nested_values_are_json() -> None:
    variables, _ = exported(f"{NGINX}spec:\n  ports:\n  - name: http\n    port: 80\n")
    assert json.loads(variables["PORTS"]) == [{"name": "http", "port": 80}]


def test_metadata_are_exported() -> None:
    config = "kind: Nginx\nmetadata:\n  name: a\n  namespace: shop\n  annotations:\n    x/y: 'true'\n"
    assert exported(config) == ({"NAME": "a", "NAMESPACE": "shop", "ANNOTATIONS": '{"x/y": "true"}'}, [])


@pytest.mark.parametrize("kind", ["ConfigMap", "Nginx"])
def test_data_of_a_configmap_are_exported(kind: str) -> None:
    config = f"apiVersion: v1\nkind: {kind}\nmetadata: {{name: function-input}}\ndata: {{replicas: '5', tag: 1.10}}\n"
    assert exported(config) == ({"NAME": "function-input", "REPLICAS": "5", "TAG": "1.10"}, [])


def test_the_data_of_a_secret_is_in_the_whole_alone() -> None:
    assert exported("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\ndata: {password: aHVudGVyMg==}\n") == (
        {"NAME": "a"},
        [],
    )


IDENTIFIER = "a variable's name has letters, digits and `_` alone, and no digit first"
PROTECTED = "by that name programs load code, find files or hosts, or it is set already"
VALUE = "a variable holds less than 128 KiB, and neither NUL nor a tag"
WHOLE_TOO = "as a whole it has 128 KiB or more, or no form that can stand alone"


@pytest.mark.parametrize(
    ("spec", "fields", "problem"),
    [
        ("a-b: 1\n  c.d: 1\n  1e: 1", "spec.a-b, spec['c.d'], spec.1e", IDENTIFIER),
        ("größe: 1", "spec['größe']", IDENTIFIER),
        ("path: /bin\n  Home: /", "spec.path, spec.Home", PROTECTED),
        ("ld_preload: evil.so\n  LD_X: 1", "spec.ld_preload, spec.LD_X", PROTECTED),
        ("krm_function_config: 1", "spec.krm_function_config", PROTECTED),
        ("kust_function_config: 1", "spec.kust_function_config", PROTECTED),
        ("bash_env: $(touch x)\n  ENV: x", "spec.bash_env, spec.ENV", PROTECTED),
        ("pythonPath: /x\n  perl5opt: -Mx", "spec.pythonPath, spec.perl5opt", PROTECTED),
        ("node_options: -r x\n  git_ssh_command: x", "spec.node_options, spec.git_ssh_command", PROTECTED),
        ("https_proxy: evil\n  tmpdir: /x\n  ifs: x", "spec.https_proxy, spec.tmpdir, spec.ifs", PROTECTED),
        ("goflags: x\n  glibc_tunables: x", "spec.goflags, spec.glibc_tunables", PROTECTED),
        (r'a: "\0"', "spec.a", VALUE),
        ("a: !odd {}", "spec.a", VALUE),
    ],
)
def test_what_is_no_variable(spec: str, fields: str, problem: str) -> None:
    variables, told = exported(f"{NGINX}spec:\n  {spec}\n")
    assert variables == {"NAME": "my-instance"}
    severity = "warning" if problem == PROTECTED else "info"
    assert told == [
        f"[{severity}] example.com/v1beta1/Nginx/my-instance {fields}: not in the environment of COMMAND: {problem}"
    ]


def test_a_long_value_is_left_out_and_with_it_the_whole() -> None:
    limit = 1 << 17
    fits = limit - len("A=\0")
    variables, told = exported(f"kind: Nginx\nspec:\n  a: {'x' * fits}\n")
    assert len(variables["A"]) == fits
    assert told == [f"[info] Nginx: not in the environment of COMMAND: {WHOLE_TOO}"]
    variables, told = exported(f"kind: Nginx\nspec:\n  a: {'x' * (fits + 1)}\n")
    assert variables == {}
    assert told == [
        f"[info] Nginx spec.a: not in the environment of COMMAND: {VALUE}",
        f"[info] Nginx: not in the environment of COMMAND: {WHOLE_TOO}",
    ]


def test_the_whole_is_as_it_is_written() -> None:
    text = f"# the shop's\n{NGINX}spec:\n  tag: 1.10 # of the day\n  on: [a,  b]\n"
    given = resourcelist.read(HEAD + "".join(f"  {line}\n" for line in text.splitlines())).function_config
    environment, _ = wrap.environment(given)
    assert {environment[name.encode()].decode() for name in WHOLE} == {text}


def test_a_section_that_is_no_mapping() -> None:
    assert exported("kind: Nginx\nmetadata: {name: a}\nspec: text\n") == ({"NAME": "a"}, [])


def test_without_a_function_config_they_are_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUST_FUNCTION_CONFIG", "of another")
    environment, told = wrap.environment(None)
    assert ([environment[name.encode()] for name in WHOLE], told) == ([b"", b""], [])


def test_a_function_config_that_is_no_document() -> None:
    variables, told = exported("kind: Nginx\nx: &x !odd {}\ny: *x\n")
    assert (variables, told) == ({}, [f"[info] Nginx: not in the environment of COMMAND: {WHOLE_TOO}"])


def test_what_is_set_already_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGION", "eu")
    variables, told = exported(f"{NGINX}spec:\n  region: us\n")
    assert variables == {"NAME": "my-instance"}
    assert told == [
        f"[warning] example.com/v1beta1/Nginx/my-instance spec.region: not in the environment of COMMAND: {PROTECTED}"
    ]


def test_an_allow_list_lets_no_other_field_in() -> None:
    given = "spec: {replicas: 3, bash_env: x, 1st: y, name: z}"
    assert exported(given, wrap.allowed("replicas, NAME")) == ({"REPLICAS": "3", "NAME": "z"}, [])


def test_no_field_is_a_variable_unless_it_is_asked_for() -> None:
    assert exported("spec: {replicas: 3, bash_env: x}", frozenset()) == ({}, [])
