"""docs/reference/results.md, "Results": each example gives the reason beside it, and no other error or warning."""

from __future__ import annotations

import re
import shlex
import subprocess
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml

import krm
from expand_vars import pipeline
from expand_vars.functionconfig.config import Config
from tests import process
from tests.expand_vars.expansion.running import config, config_map, pod, run
from tests.krm.generation import test_generating
from tests.pages import ROOT, as_list, quoted, reason_rows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


EXAMPLES = {quoted(reason)[0]: example for _, reason, _, example, _ in reason_rows()}


def example(reason: str, number: int = 0) -> str:
    """Return a piece of code that the example of a reason shows."""
    return quoted(EXAMPLES[reason])[number]


class Given(NamedTuple):
    """What an example is run on. `container` is that of a Pod, which comes before the other items."""

    container: str = "args: []"
    spec: str = "{}"
    items: tuple[str, ...] = ()
    arguments: tuple[tuple[str, str], ...] = ()


REGION = "variables: [{name: REGION, value: eu}]"
TAG = "variables: [{name: TAG, value: '7'}]"
SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: %s}\nspec: {%sports: [{port: %d}]}\n"
SETTINGS = config_map("settings", "{present: x}")
HELD = "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {key: x}\n"
READ = """
variables: [{name: PASSWORD, valueFrom: {secretKeyRef: {name: s, key: key}}}]
targets: [{select: {kind: Secret}, fieldPaths: ["stringData[*]"]}]
"""
HASHED = config_map("settings", "{}", "annotations: {internal.config.kubernetes.io/needsHashSuffix: enabled}")
NUMBER = "internal.config.k8s.io/kpt-resource-id"
TEMPLATE = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: b}}"

SHOWN: dict[str, Given] = {
    "InvalidFunctionConfig": Given(spec=example("InvalidFunctionConfig")),
    "InvalidArgument": Given(arguments=(("A)", "1"),)),
    "InvalidSource": Given(spec=f"variables: [{{name: A, valueFrom: {{{example('InvalidSource')}}}}}]"),
    "InvalidTarget": Given("args: [$(REGION)]", f"{REGION}\ntargets: [{{{example('InvalidTarget')}}}]"),
    "RequiredTarget": Given(spec=f"targets: [{example('RequiredTarget')}]"),
    "UnresolvedReference": Given(example("UnresolvedReference")),
    "NoEffect": Given(spec=example("NoEffect")),
    "RefusedValue": Given(f"{example('RefusedValue')}\nargs: [$(PORT)]"),
    "ForwardReference": Given(example("ForwardReference")),
    "UntargetedReference": Given(example("UntargetedReference"), TAG),
    "UnexpandedReference": Given(f"env: [{{name: HOST, value: x}}]\nlifecycle: {{{example('UnexpandedReference')}}}"),
    "ProbeUsesRawValue": Given(
        f"{example('ProbeUsesRawValue')}\n{example('ProbeUsesRawValue', 1)}", "variables: [{name: A, value: x}]"
    ),
    "EmptySubPath": Given(
        f"env: [{{name: EMPTY, value: ''}}]\nvolumeMounts: [{{{example('EmptySubPath')}}}]",
    ),
    "MissingKey": Given(f"env: [{{name: A, valueFrom: {{{example('MissingKey')}}}}}]\nargs: [$(A)]", items=(SETTINGS,)),
    "ServiceWithoutAddress": Given(
        example("ServiceWithoutAddress"),
        items=(SERVICE % (example("ServiceWithoutAddress", 1), "clusterIP: None, ", 80),),
    ),
    "AmbiguousServiceVariable": Given(
        f"args: [{example('AmbiguousServiceVariable')}]",
        items=tuple(SERVICE % (example("AmbiguousServiceVariable", n), "", 80 + n) for n in (1, 2)),
    ),
    "SecretReference": Given(example("SecretReference"), READ, (HELD,)),
    "NameNotFinal": Given(
        spec="variables: [{name: A, valueFrom: {objectFieldRef: "
        f"{{kind: ConfigMap, name: settings, {example('NameNotFinal')}}}}}}}]",
        items=(HASHED,),
    ),
    "UnknownService": Given(example("UnknownService")),
    "UnknownServices": Given(example("UnknownServices")),
    "Shadowed": Given(f"{example('Shadowed')}\n{example('Shadowed', 1)}", "variables: [{name: A, value: x}]"),
    "EscapeKept": Given(example("EscapeKept"), REGION),
    "UnusedVariable": Given(spec=example("UnusedVariable")),
    "UnusedArgument": Given(arguments=(("REGOIN", "eu"),)),
    "NearName": Given(example("NearName"), items=(SERVICE % ("db", "clusterIP: 10.0.0.1, ", 80),)),
    "TooLong": Given(
        "args: [$(V30)]",
        "variables: [{name: V0, value: x}, "
        + ", ".join(f"{{name: V{n}, value: $(V{n - 1})$(V{n - 1})}}" for n in range(1, 31))
        + "]",
    ),
}
MENTIONED = {"UnusedVariable", "EscapeKept", "UnknownService", "UnknownServices"}
"""Reasons that come with others: a variable that is declared for the example is used by nothing."""


@pytest.mark.parametrize("reason", SHOWN)
def test_what_is_shown_gives_the_reason(reason: str) -> None:
    given = SHOWN[reason]
    ran = run(pod(given.container), *given.items, spec=given.spec, arguments=given.arguments)
    assert {*ran.reasons} - MENTIONED | {reason} == {reason}
    assert reason in ran.reasons


def literal(_: Path) -> list[str]:
    given = config(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: f}}\n{example('LiteralReference')}\n")
    return [one.reason for one in pipeline.run(pod("args: [$(URL)]"), given).results]


def joined(_: Path) -> list[str]:
    return run(pod("args: [$(A)]") + pod("args: [$(B)]")).reasons


def made(_: Path) -> list[str]:
    def process(resource_list: krm.ResourceList) -> None:
        (kind,) = re.findall(r"\[(\{.*\})\]", example("NoResource"))
        krm.generate(resource_list, [yaml.safe_load(kind)], owner="Test/a")

    return [one.reason for one in krm.transform("kind: List\nitems: []\n", process).results]


def generated(*names: str, more: str = "", hides: bool = False) -> Callable[[Path], list[str]]:
    """Return what the second of two runs gives, each with a functionConfig of its own that has one template.

    The orchestrator `hides` an item from it by its selectors.
    """

    def reasons(_: Path) -> list[str]:
        text = "kind: ResourceList\nitems: []\n"
        head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: %s}\nspec:\n"
        configs = [config(f"{head % name}  templates: [{TEMPLATE}]\n") for name in names]
        text = text.replace("[]", "\n" + "".join(f"- {as_item(one.text)}" for one in configs))
        first = pipeline.run(text, configs[0], settle=Config.in_place).text
        second = config(f"{configs[1].text}  {more}\n")
        if hides:
            first = first.replace("metadata: {name: one", f"metadata: {{annotations: {{{NUMBER}: '1'}}, name: one", 1)
        return [one.reason for one in pipeline.run(first, second, settle=Config.in_place).results]

    return reasons


def as_item(text: str) -> str:
    return text.replace("\n", "\n  ").rstrip(" ")


def wrapped(*command: str, head: str = "") -> Callable[[Path], list[str]]:
    """Return what `wrap` gives, with a functionConfig that says more."""
    given = (
        f"{as_list(pod('args: []'))}functionConfig:\n  apiVersion: a.io/v1\n  kind: A\n  metadata: {{name: a}}\n{head}"
    )

    def reasons(_: Path) -> list[str]:
        answer = process.krm("wrap", "--export", "*", "--", *command, stdin=given.encode())
        return [one["tags"]["reason"] for one in yaml.safe_load(answer.stdout).get("results", ())]

    return reasons


def evaluated(name: str, text: str) -> Callable[[Path], list[str]]:
    """Return what `eval` gives for a directory with one file."""

    def reasons(folder: Path) -> list[str]:
        (folder / name).write_text(text)
        process.run("eval", ".", "--results", "results.txt", stdin=b"", folder=folder)
        found = yaml.safe_load((folder / "results.txt").read_text())["results"]
        return [one["tags"]["reason"] for one in found]

    return reasons


def unmarked(folder: Path) -> list[str]:
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: a}\n"
    again = evaluated("store.yaml", f"{head}spec: {{templates: [{TEMPLATE}]}}\n")
    again(folder)
    made = folder / "configmap_a.yaml"
    made.write_text(re.sub(rf", annotations: {{\S+/{example('MarkedAgain')}: [^}}]*}}", "", made.read_text()))
    return again(folder)


def not_followed(_: Path) -> list[str]:
    text = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: $(A)}\n"
    rewritten = test_generating.generate("", text).text.replace("a: $(A)", "a: b")
    return [one.reason for one in test_generating.generate(rewritten, text).results]


def occupied(folder: Path) -> list[str]:
    (folder / "store.generated.yaml").write_text("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n")
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: a}\n"
    return evaluated("store.yaml", f"{head}spec: {{templates: [{TEMPLATE}]}}\n")(folder)


def scattered(folder: Path) -> list[str]:
    for name in ("dev", "prod"):
        (folder / name).mkdir()
        head = f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {{name: {name}}}\n"
        (folder / name / "store.yaml").write_text(head)
    return evaluated("base.yaml", "apiVersion: v1\nkind: A\nmetadata: {name: $(A)}\n")(folder)


def ignored(folder: Path) -> list[str]:
    subprocess.run(["git", "init", "--quiet"], cwd=folder, check=True)
    (folder / ".gitignore").write_text(example("IgnoredState"))
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: a}\n"
    return evaluated("store.yaml", f"{head}spec: {{templates: [{TEMPLATE}]}}\n")(folder)


def rendered(folder: Path) -> list[str]:
    (folder / "shop").mkdir()
    (folder / "shop" / "page.html").symlink_to("../page.html")
    (folder / "shop" / "web.yaml").write_text("a: b\n")
    render = ("eval", "shop", "--output", "out", "--results", "results.txt")
    process.run(*render, stdin=b"", folder=folder)
    (folder / "out" / "web.yaml").write_text("a: edited\n")
    process.run(*render, stdin=b"", folder=folder)
    return [one["tags"]["reason"] for one in yaml.safe_load((folder / "results.txt").read_text())["results"]]


def with_a_comment(_: Path) -> list[str]:
    items = example("CommentsLost").replace("items", '"items"')
    text = f'{{"apiVersion": "v1", "kind": "List", {items}}}'
    added = "apiVersion: v1 # a comment\nkind: Namespace\nmetadata: {name: a}\n"

    def add(listed: krm.ResourceList) -> None:
        listed.add(added)

    return [one.reason for one in krm.transform(text, add).results]


def commented(written: str, *more: str) -> Callable[[Path], list[str]]:
    """Return what a run in place tells of fields of an object."""
    fields = "".join(f"  {line}\n" for line in (written, *more))

    def reasons(_: Path) -> list[str]:
        item = f"apiVersion: e.com/v1\nkind: A\nmetadata: {{name: a}}\nspec:\n{fields}"
        spec = 'record: Always\ntargets: [{fieldPaths: ["spec[*]", "spec[*][*]"]}]'
        return run(item, spec=spec, arguments=[("A", "x"), ("TAG", "y"), ("REGION", "us"), ("TWO", "2")]).reasons

    return reasons


VALUES = (("a", "eu"), ("b", "de"), ("c", "de"))
TWICE = "echo 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}'"
DONE: dict[str, Callable[[Path], list[str]]] = {
    "InvalidInput": joined,
    "LiteralReference": literal,
    "NoResource": made,
    "CommandFailed": wrapped(*shlex.split(example("CommandFailed").partition("-- ")[2])),
    "GeneratedTwice": wrapped("sh", "-c", TWICE),
    "NotExported": wrapped("true", head=f"  spec: {{{example('NotExported')}: /bin}}\n"),
    "FieldNotExported": wrapped("true", head=f"  spec: {{{example('FieldNotExported')}: /bin}}\n"),
    "TwoOwners": generated("one", "two"),
    "NotSelected": generated("one", "one", more=example("NotSelected")),
    "LeftAlone": evaluated("chart.yaml", "apiVersion: v1\nkind: A\nmetadata: {name: {{ .Values.name }}}\n"),
    "IgnoredState": ignored,
    "NoFunctionConfig": scattered,
    "NotRendered": rendered,
    "OutputEdited": rendered,
    "CommentsLost": with_a_comment,
    "UnplacedTemplate": commented(example("UnplacedTemplate")),
    "OwnedByOther": commented(example("OwnedByOther")),
    "NoRoomForReference": commented("a: &a 1", example("NoRoomForReference")),
    "AmbiguousText": commented(f"a: {example('AmbiguousText').replace('$(B)', '$(Z)')}"),
    "TemplateDoubled": commented("images:", "- a # expand: $(A)", "- sidecar # expand: $(A)"),
    "TypeChanged": commented(example("TypeChanged")),
    "EditedByHand": commented(f"args: {example('EditedByHand')}"),
    "ValuesDiffered": commented(
        *(f"{key}{example('ValuesDiffered').replace('a: eu', f': {text}')}" for key, text in VALUES)
    ),
    "MarkedAgain": unmarked,
    "NotFollowed": not_followed,
    "InvalidState": occupied,
    "HiddenItems": generated("one", "one", hides=True),
}


@pytest.mark.parametrize("reason", DONE)
def test_what_is_done_gives_the_reason(reason: str, tmp_path: Path) -> None:
    assert reason in DONE[reason](tmp_path)


ELSEWHERE = {"InvalidPath", "Busy", "FileChanged", "Unfinished", "Fault"}
"""No run in a list gives these: tests/krm/package shows the ones of directories, and test_faults.py a fault."""


def test_all_other_examples_are_golden_folders() -> None:
    texts = [path.read_text(errors="replace") for path in (ROOT / "testdata").rglob("*.*") if path.is_file()]
    found = {word for text in texts for word in re.findall(r'reason"?: "?([A-Za-z]+)', text)}
    assert EXAMPLES.keys() - SHOWN.keys() - DONE.keys() - ELSEWHERE <= found
