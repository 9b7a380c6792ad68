"""What is wrong with the input is told in a sentence, with exit code 1, and nothing of it is lost or half written.

A ResourceList comes back with its items byte for byte and the sentences as results; in every other shape, and where the
text cannot be read at all, standard output stays empty.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml

from tests.process import run

if TYPE_CHECKING:
    from pathlib import Path

LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata:
    name: web
  spec:
    template:
      spec:
        containers:
        - name: web
          args: [$(REGION), 0777]   # as it is
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - args: [$(REGION)]
"""
TWICE = """\
- apiVersion: v1
  kind: Pod
  metadata:
    annotations: {config.kubernetes.io/path: pod.yaml}
    name: a
    name: b $(REGION)
"""
SERVICES = """\
- {apiVersion: v1, kind: Service, metadata: {name: api, namespace: shop}}
- {apiVersion: v1, kind: Service, metadata: {name: api, namespace: blog}}
"""
CONFIG = """\
functionConfig:
  apiVersion: expandvars.dev/v1alpha1
  kind: ExpandVars
  metadata: {name: storefront}
  spec:
"""
LONG_KEY = "k" * 1025
CLUSTER_IP = "{name: A, valueFrom: {objectFieldRef: {kind: Service, name: api, fieldPath: spec.clusterIP}}}"
ARGS = '"spec.template.spec.containers[*].args[0]"'
KINDS = "`ConfigMap` of `v1` or `ExpandVars` of `expandvars.dev/v1alpha1`"
WEB = "apps/v1/Deployment/web spec.template.spec.containers[name=web]"
RETYPED = "`1.10` is not the same text to every reader of YAML: write it in quotes"
ESCAPED = '- "a": "\\u0024 config.kubernetes.io/path"\n  a: 2\n'
NO_TARGET = "the kubelet expands this, so it is expanded anyway and is no target: remove it from"
REQUIRED = "targets: [{fieldPaths: [spec.none], required: true}]"
OURS = "expandvars.dev/v1alpha1/ExpandVars/storefront "

UNREADABLE: dict[str, tuple[str | bytes, str]] = {
    "not YAML": ("a: [1\n", "line 2, column 1: `,` or `]` is missing: the list starts in line 1"),
    "not YAML, in the second document": (
        "a: 1\n---\nb: c: d\n",
        "line 3, column 5: a `:` may not stand here: put the text in quotes, or mend the indentation",
    ),
    "not YAML, in an item": (
        f"{LIST}- a: 'b\n",
        "line 15, column 1: a quote is missing: the text in quotes starts in line 14",
    ),
    "not UTF-8": (b"a: 1\nb: \xff\n", "standard input is not UTF-8: byte 0xff in line 2; convert it to UTF-8"),
    "UTF-16": ("a: 1\n".encode("utf-16"), "standard input is UTF-16 or UTF-32: convert it to UTF-8"),
    "UTF-16 without a mark": ("a: 1\n".encode("utf-16-be"), "standard input is UTF-16 or UTF-32: convert it to UTF-8"),
    "UTF-32 without a mark": ("a: 1\n".encode("utf-32-le"), "standard input is UTF-16 or UTF-32: convert it to UTF-8"),
    "a character that YAML has not": ("a: \x00\n", "line 1, column 4: the character U+0000 is not allowed in YAML"),
    "empty": ("", "standard input is empty; with docker run, give -i"),
    "blank": ("\ufeff \n\t\n", "standard input is empty; with docker run, give -i"),
    "a key twice around the items": (
        f"{LIST}kind: List\n",
        (
            "line 14, column 1: the key `kind` is here again (or files were joined without a line `---` between them), "
            "first in line 2"
        ),
    ),
    "a long key around the items, in JSON": (
        f'{{"items": [1],\n "{LONG_KEY}": 2}}',
        "line 2, column 2: a key of more than 1,024 characters",
    ),
    "a long key in JSON": (f'{{"{LONG_KEY}": "$(A)"}}', "line 1, column 2: a key of more than 1,024 characters"),
}


@pytest.mark.parametrize(("given", "sentence"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_a_text_that_cannot_be_read(given: str | bytes, sentence: str) -> None:
    stdin = given if isinstance(given, bytes) else given.encode()
    assert run(stdin=stdin) == (b"", f"[error] {sentence} (InvalidInput)\n", 1)


IN_A_LIST = {
    "items that are no list": (
        "kind: ResourceList\nitems:\n  a: 1\n",
        ["`items` is a mapping, it must be a list"],
    ),
    "items that are a scalar": (
        "kind: ResourceList\nitems: none\n",
        ["`items` is a scalar, it must be a list"],
    ),
    "items under another key": (
        "kind: ResourceList\nfunctionConfig:\nitem:\n- a: $(A)\n",
        ["`items` is not there, and `item` is a list: write `items`"],
    ),
    "a functionConfig under a misspelled key": (
        f"{LIST}functionConfg: {{}}\nstatus: {{}}\n",
        ["`functionConfig` is not there, and `functionConfg` is a mapping: write `functionConfig`"],
    ),
    "a functionConfig under a misspelled key, in a list that is parsed whole": (
        "kind: ResourceList\nitems: [{a: $(A)}]\nfunction-config: {}\n",
        ["`functionConfig` is not there, and `function-config` is a mapping: write `functionConfig`"],
    ),
    "an item that is no mapping": (
        f"{LIST}- text\n-\n- - list\n",
        [f"`items[{n}]` is {what}, it must be a mapping" for n, what in ((1, "a scalar"), (2, "empty"), (3, "a list"))],
    ),
    "a functionConfig that is no mapping": (
        f"{LIST}functionConfig: REGION=eu\n",
        ["`functionConfig` is a scalar, it must be a mapping"],
    ),
    "a key twice in an item that is parsed": (
        f"{LIST}{TWICE}",
        ["pod.yaml: items[1]: line 19, column 5: the key `name` is here again, first in line 18"],
    ),
    "a key twice in an item that is looked at to see what it is": (
        f"{LIST}- 'a': 1\n  a: 2\n",
        ["items[1]: line 15, column 3: the key `a` is here again, first in line 14"],
    ),
    "a key twice in an item whose escape may hide any text, and what else is wrong": (
        f"{LIST}{ESCAPED}{CONFIG}    variables: [{{name: A, value: b}}]\n    {REQUIRED}\n",
        [
            (
                f"{OURS}spec.targets[0]: this target is required, and leads to no field of any item: "
                "mend its path or its selector"
            ),
            "items[1]: line 15, column 3: the key `a` is here again, first in line 14",
        ],
    ),
    "an item that is a comment alone": (
        f"{LIST}- # a comment\nfunctionConfig:\n",
        ["`items[1]` is empty, it must be a mapping"],
    ),
    "a functionConfig of another kind": (
        f"{LIST}functionConfig: {{apiVersion: v1, kind: Secret, metadata: {{name: a}}}}\n",
        [f"v1/Secret/a kind: a functionConfig is {KINDS}, found `Secret` of `v1`"],
    ),
    "an unknown key": (
        f"{LIST}{CONFIG}    variabels: []\n",
        [f"{OURS}spec.variabels: unknown key `variabels`; did you mean `variables`?"],
    ),
    "a key of the spec outside of it": (
        f"{LIST}{CONFIG}    {{}}\n  variables: []\n",
        [f"{OURS}variables: unknown key `variables`: it belongs below `spec`"],
    ),
    "a preset that is no mapping": (
        f"{LIST}{CONFIG}    targets: [All]\n",
        [f"{OURS}spec.targets[0]: found `All`, but only a mapping is allowed here: write `{{preset: All}}`"],
    ),
    "a variable without a value": (
        f"{LIST}{CONFIG}    variables: [{{name: A, value: }}]\n",
        [
            (
                f"{OURS}spec.variables[name=A].value: found `null`, but only a string, an integer, true or false is "
                'allowed here: write `""` for an empty text'
            )
        ],
    ),
    "a wrong type": (
        f"{LIST}{CONFIG}    variables: {{}}\n",
        [f"{OURS}spec.variables: found a mapping, but only a list is allowed here"],
    ),
    "a number that must be in quotes": (
        f"{LIST}{CONFIG}    variables: [{{name: A, value: 1.10}}]\n",
        [f"{OURS}spec.variables[name=A].value: {RETYPED}"],
    ),
    "a variable twice": (
        f"{LIST}{CONFIG}    variables: [{{name: REGION, value: a}}, {{name: REGION, value: b}}]\n",
        [f"{OURS}spec.variables[1].name: the name `REGION` is here again, first in `spec.variables[0]`"],
    ),
    "an objectFieldRef that finds nothing": (
        f"{LIST}{CONFIG}    variables: [{CLUSTER_IP}]\n",
        [
            (
                f"{OURS}spec.variables[name=A]: Service `api` is not among the items: "
                "mend the name, or give its file to this run too"
            )
        ],
    ),
    "an objectFieldRef that finds several": (
        f"{LIST}{SERVICES}{CONFIG}    variables: [{CLUSTER_IP}]\n",
        [
            (
                f"{OURS}spec.variables[name=A]: Service `api` is 2 items, and a variable has one source: "
                "v1/Service/shop/api and v1/Service/blog/api"
            )
        ],
    ),
    "a target that the kubelet expands": (
        f"{LIST}{CONFIG}    targets: [{{fieldPaths: [{ARGS}]}}]\n",
        [
            f"{WEB}.args[0]: {NO_TARGET} `spec.targets[0]`",
        ],
    ),
}


@pytest.mark.parametrize(("given", "sentences"), IN_A_LIST.values(), ids=IN_A_LIST.keys())
def test_a_resource_list_comes_back_with_what_is_wrong(given: str, sentences: list[str]) -> None:
    stdout, stderr, code = run(stdin=given.encode())
    assert code == 1
    assert stdout.startswith(f"{given}results:\n- message: ".encode())
    found = [result for result in yaml.safe_load(stdout)["results"] if result["severity"] == "error"]
    assert all(sentence.endswith(one["message"]) for sentence, one in zip(sentences, found, strict=True))
    told = [f"[error] {sentence} ({one['tags']['reason']})" for sentence, one in zip(sentences, found, strict=True)]
    assert [line for line in stderr.splitlines() if line.startswith("[error]")] == told


def test_a_long_json_key_in_an_item_that_is_parsed() -> None:
    given = f'{{"kind": "ResourceList", "items": [{{"kind": "Pod", "data": "$(A)", "{LONG_KEY}": 1}}]}}'
    stdout, stderr, code = run(stdin=given.encode())
    assert (stderr, code) == (
        "[error] items[0]: line 1, column 68: a key of more than 1,024 characters (InvalidInput)\n",
        1,
    )
    assert stdout.startswith(given[:-1].encode() + b', "results": [{"message": "items[0]: line 1, ')


@pytest.mark.parametrize("value", ["on", "1_000", "2024-01-01", ".inf"])
def test_a_template_with_a_value_that_json_does_not_have(value: str, tmp_path: Path) -> None:
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\nspec:\n  templates:\n"
    config = tmp_path / "f.yaml"
    config.write_text(f"{head}  - apiVersion: v1\n    kind: Pod\n    metadata: {{name: a}}\n    spec: [{value}]\n")
    given = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "b"}}'
    assert run("--fn-config", str(config), stdin=given.encode()) == (
        b"",
        (
            f"[error] {config}:9: v1/Pod/a spec[0]: the new item 2 cannot be added: it has a value that JSON cannot "
            "say as all readers of YAML take it: put a text in quotes, write a number in decimal (InvalidInput)\n"
        ),
        1,
    )


@pytest.mark.parametrize(
    "given",
    [
        f"kind: List\nitems:\n{TWICE}",
        f"{POD}---\n{POD}metadata: {{}}\n",
        f"{POD}---\n- just\n- {{a: $(A), a: 1}}\n",
        '{"kind": "Pod", "a": "$(A)", "a": 2}',
        '{"kind": "List", "items": [{"kind": "Pod", "a": "$(A)", "a": 2}]}',
    ],
)
def test_nothing_comes_out_in_the_other_shapes(given: str) -> None:
    stdout, stderr, code = run("REGION=eu", stdin=given.encode())
    assert (stdout, code) == (b"", 1)
    assert "is here again" in stderr
    assert stderr.count("\n") == 1


@pytest.mark.parametrize(
    "given",
    [
        "kind: ResourceList\nitems: []\n",
        "kind: ResourceList\nitems:\n- {}\n- spec: {a: b}\n- kind: Pod\n",
        "kind: ResourceList\nfunctionConfig:\n",
        "kind: ResourceList\nfunctionConfig:\nother: text\nresults: []\n",
        "kind: ResourceList\nitems: []\nstatus: {}\nfunctionConfigs: text\n",
        "kind: ResourceList\nitems:\nothers: []\n",
        "# only a comment\n",
        "---\n---\n",
        "text\n",
        "- a\n- b\n",
        f"kind: ResourceList\nitems:\n{TWICE.replace('$(REGION)', '')}",
        f'{{"kind": "ResourceList", "items": [{{"{LONG_KEY}": 1}}]}}',
    ],
)
def test_what_is_no_mistake_passes_through(given: str) -> None:
    assert run(stdin=given.encode()) == (given.encode(), "", 0)


@pytest.mark.parametrize("value", ["$(A)", "$(B)"])
def test_a_variable_that_refers_to_itself_or_a_later_one_is_a_warning(value: str) -> None:
    given = f"{LIST}{CONFIG}    variables: [{{name: A, value: {value}}}, {{name: B, value: b}}]\n"
    stdout, stderr, code = run(stdin=given.encode())
    assert stdout.startswith(given.encode())
    assert f"[warning] {OURS}spec.variables[name=A]: " in stderr
    assert code == 0


ALONE = "a ResourceList stands here beside other documents: give each ResourceList by itself"
OTHER = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n"
BESIDE_OTHERS = {
    "behind a document": (f"{OTHER}---\n{LIST}", [5]),
    "ahead of a document": (f"{LIST}---\n{OTHER}", [1]),
    "two lists": (f"{LIST}---\n{LIST}", [1, 15]),
    "a kind with an escape": (LIST.replace("kind: ResourceList", 'kind: "\\x52esourceList"') + f"---\n{OTHER}", [1]),
    "in JSON": ('{"kind": "ResourceList", "items": []}\n{"kind": "ConfigMap"}\n', [1]),
}


@pytest.mark.parametrize(("given", "found"), BESIDE_OTHERS.values(), ids=BESIDE_OTHERS)
def test_a_resource_list_beside_other_documents_is_an_error(given: str, found: list[int]) -> None:
    answer = run(stdin=given.encode())
    assert (answer.stdout, answer.code) == (b"", 1)
    errors = [line for line in answer.stderr.splitlines() if line.endswith(f"{ALONE} (InvalidInput)")]
    assert [int(line.split()[2].strip(":")) for line in errors] == found


def test_a_document_that_nobody_reads_may_speak_of_a_resource_list() -> None:
    given = f"{OTHER}---\na: {{b: 1, b: 2}}\nnote: ResourceList\n".encode()
    assert run(stdin=given) == (given, "", 0)


POD_WITH_A_BACKSLASH = POD.replace("[$(REGION)]", '[$(REGION), "a\\n"]').encode()


def test_a_backslash_hides_no_argument_without_effect() -> None:
    message = "`TGA` is given, and nothing that may be changed refers to it: mend the name, or leave it out"
    answer = run("--strict", "REGION=eu", "TGA=1", stdin=POD_WITH_A_BACKSLASH)
    assert answer == (b"", f"[error] {message} (UnusedArgument)\n", 1)


def test_a_backslash_hides_no_selector_without_effect(tmp_path: Path) -> None:
    config = tmp_path / "f.yaml"
    config.write_text("apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nspec: {selectors: {name: other}}\n")
    answer = run("--strict", "--fn-config", str(config), stdin=POD_WITH_A_BACKSLASH)
    message = "this selector matches no item, so it has no effect: mend it, or remove it"
    assert (
        answer.stderr
        == f"[error] {config}:3: expandvars.dev/v1alpha1/ExpandVars spec.selectors: {message} (NoEffect)\n"
    )
    assert (answer.stdout, answer.code) == (b"", 1)
