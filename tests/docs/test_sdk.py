"""docs/guides/sdk.md is true: its functions are run, its tables counted, its names are made of the docstrings.

Its names stand in docs/reference/api.md: `UPDATE=1 pytest tests/docs/test_sdk.py` writes them.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
from textwrap import dedent, indent
from types import ModuleType
from typing import TYPE_CHECKING, Any

import krm
from krm.testing import golden
from tests import process
from tests.pages import ROOT, Page, as_list

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

PAGE = Page("sdk")
REFERENCE = Page("api")
MINUTES = "A function in ten minutes"
TESTED = {
    MINUTES: "python yaml yaml shell python python",
    "Lists, mappings and comments": "python python python",
    "Many changes at once": "python",
    "Items that come and go": "python",
    "Scripts, hooks and notebooks": "python",
    "Resources that are generated": "python",
    "Images": "dockerfile dockerfile",
}
EXAMPLES = ROOT / "examples" / "sdk"
LONG = 60
"""A signature with more characters stands once on the page."""


def block(section: str, number: int = 0) -> str:
    return PAGE.blocks(section)[number].text


def function(section: str, name: str, number: int = 0) -> Any:
    """Return a function of a block."""
    module = sys.modules["block"] = ModuleType("block")  # where a dataclass looks for itself
    module.__dict__["krm"] = krm
    exec(block(section, number), module.__dict__)  # noqa: S102 - our own page
    return getattr(module, name)


def test_a_function_in_ten_minutes(tmp_path: Path) -> None:
    (tmp_path / "replicate.py").write_text(block(MINUTES))
    program = (sys.executable, str(tmp_path / "replicate.py"))
    before, after = block(MINUTES, 1), block(MINUTES, 2)
    assert process.run(command=program, stdin=before.encode()) == (after.encode(), "", 0)
    answer = process.run(command=program, stdin=as_list(before).encode())
    assert answer.stdout.decode().startswith(as_list(after) + "results:\n- message: now runs twice\n")
    assert (answer.stderr, answer.code) == ("", 0)
    help_text = process.run("--help", command=program, stdin=b"").stdout
    assert b"Run every Deployment twice that does not say how often.\n" in help_text


def test_a_function_config_and_golden_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replicate = function(MINUTES, "replicate", 4)
    case = tmp_path / "testdata" / "one"
    case.mkdir(parents=True)
    (case / "input.yaml").write_text(block(MINUTES, 1))
    config = "apiVersion: v1\nkind: ConfigMap\ndata: {replicas: '3'}\n"
    (case / "function-config.yaml").write_text(config)
    (case / "expected.yaml").write_text(block(MINUTES, 2).replace("2", "3"))
    golden(replicate, tmp_path / "testdata")(case)
    (tmp_path / "replicate.py").write_text(block(MINUTES, 4))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    exec(block(MINUTES, 5), names)  # noqa: S102 - our own page
    names["test_replicate"](case)


CONTAINERS = """\
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      # the shop
      - name: web # do not rename
        image: nginx
"""


def test_lists_are_set_as_a_difference() -> None:
    inject = function("Lists, mappings and comments", "inject")
    pin = function("Lists, mappings and comments", "pin", 1)
    with_proxy = CONTAINERS.replace("      # the", "      - name: proxy\n        image: envoy:1.31\n      # the")
    assert krm.transform(CONTAINERS, inject).text == with_proxy
    assert krm.transform(with_proxy, pin).text == with_proxy.replace("nginx", "nginx:1.27")


def test_fields_are_edited_while_they_are_walked() -> None:
    mirror = function("Lists, mappings and comments", "pull_from_mirror", 2)
    text = CONTAINERS.replace("nginx", "docker.io/nginx")
    assert krm.transform(text, mirror).text == CONTAINERS.replace("nginx", "mirror.example.com/nginx")


def test_a_block_gathers_edits() -> None:
    label = function("Many changes at once", "label")
    labels = "metadata:\n  labels:\n    team: shop\n    tier: shop\n    stage: shop\n"
    assert krm.transform("kind: Pod\n", label).text == f"kind: Pod\n{labels}"


def test_items_that_come_and_go() -> None:
    service = as_list("kind: Service\nmetadata: {name: web, namespace: shop} # the shop\n")
    gone = "- kind: PodSecurityPolicy\n  metadata: {name: old}\n"
    policy = (
        "- apiVersion: networking.k8s.io/v1\n  kind: NetworkPolicy\n  metadata: {name: isolate, namespace: shop}\n"
        "  spec: {podSelector: {}, policyTypes: [Ingress]} # nothing comes in\n"
    )
    isolate = function("Items that come and go", "isolate")
    assert krm.transform(service + gone, isolate).text == service + policy


def test_a_script_without_a_function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "web.yaml").write_text(CONTAINERS)
    (tmp_path / "deploy" / "chart.yaml").write_text("a: {{ .Values }}: b\n")
    monkeypatch.chdir(tmp_path)
    exec(block("Scripts, hooks and notebooks"), {})  # noqa: S102 - our own page
    pulled = f"{CONTAINERS}        imagePullPolicy: IfNotPresent\n"
    assert (tmp_path / "deploy" / "web.yaml").read_text() == pulled


def test_a_generator_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "function.py").write_text(block("Resources that are generated"))
    program = (sys.executable, str(tmp_path / "function.py"))
    config = (
        "functionConfig:\n  apiVersion: example.com/v1\n  kind: Quotas\n  metadata: {name: all}\n  spec: {pods: 10}\n"
    )

    def answer(items: str, pods: int = 10) -> str:
        answer = process.run(command=program, stdin=(items + config.replace("10", str(pods))).encode())
        assert (answer.stderr, answer.code) == ("", 0)
        return answer.stdout.decode().partition("functionConfig:")[0]

    notes = "annotations: {config.kubernetes.io/path: a.yaml, config.k8s.io/id: '1'}"
    made = answer(as_list(f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: shop, {notes}}}\n"))
    assert 'pods: "10" # ask before you raise it\n' in made
    raised = made.replace('"10" #', '"50" #')
    assert answer(raised) == raised
    assert made.replace("10", "20").partition("- # What")[0] == answer(made, pods=20).partition("- # What")[0]


def test_the_recipes_of_images_are_those_of_the_examples() -> None:
    assert [block("Images", number) for number in (0, 1)] == [
        (EXAMPLES / name).read_text() for name in ("Dockerfile", "python.Dockerfile")
    ]


def test_the_functions_of_the_catalog_are_the_examples() -> None:
    lines = [len(path.read_text().splitlines()) for path in EXAMPLES.glob("*.py")]
    assert len(lines) == 11
    assert "has eleven functions" in PAGE.sections()["Functions of the catalog"]
    assert f", each in one typed file of {min(lines)} to {max(lines)} lines." in (EXAMPLES / "README.md").read_text()


def test_every_name_on_the_page_is_public() -> None:
    named = set(re.findall(r"\bkrm\.([A-Za-z]\w*)", PAGE.text)) - {"testing"}
    assert named <= set(krm.__all__)
    methods = set(re.findall(r"`(?:item\.)?(\w+)`(?= |,|;|\.)", PAGE.sections()["Lists, mappings and comments"]))
    assert {name for name in methods if not name[0].isdigit()} - {"name"} <= set(dir(krm.Resource))


def signature(name: str, found: Any) -> str:
    """Return a name with its types as they are written in the source."""
    if isinstance(found, property):
        shown = f": {inspect.signature(found.fget).return_annotation}" if found.fget else ""
    else:
        parameters = inspect.signature(found).parameters.values()
        own = [one for one in parameters if one.name != "self"]
        shown = re.sub("(: |-> )'([^']*)'", r"\1\2", str(inspect.signature(found).replace(parameters=own)))
    return f"{name}{shown}".replace("collections.abc.", "").removesuffix(" -> None")


def described(heading: str, found: Any) -> Iterator[str]:
    """Yield a heading and the docstring below it, its example as an indented block."""
    text = dedent(inspect.getdoc(found) or "")
    prose, prompt, example = text.partition("\n\n>>>")
    yield f"{heading}\n\n{prose}\n"
    if prompt:
        yield indent(f">>>{example}", "    ") + "\n"


def reference() -> str:
    """Return the reference of all public names."""
    severities = [name for name in krm.__all__ if isinstance(getattr(krm, name), str)]
    parts = [f"#### {', '.join(f'`krm.{name}`' for name in severities)}\n\nThe severities of a result.\n"]
    for name in krm.__all__:
        found = getattr(krm, name)
        if name in ALIASES:
            parts.append(f"#### `krm.{name}`\n\n{alias(name)}\n")
        elif name in severities:
            continue
        elif not inspect.isclass(found):
            parts += described(f"#### `krm.{signature(name, found)}`", found)
        else:
            parts += described(f"#### `krm.{name}`", found)
            shown: dict[str, str] = {}
            for member, value in members(found):
                whole = signature(member, value)
                first = shown.setdefault(whole.removeprefix(member), member)
                is_as_another = first != member and len(whole) > LONG
                parts += described(
                    f"**`{name}.{member}(...)`**, called as `{first}`" if is_as_another else f"**`{name}.{whole}`**",
                    value,
                )
    parts += described(f"#### `krm.testing.{signature('golden', golden)}`", golden)
    return "\n".join(parts)


ALIASES = {"Path": "krm.function.fields", "Process": "krm.function.object_list", "Value": "krm.function.fields"}


def alias(name: str) -> str:
    """Return the text below the definition of a type, with the definition."""
    module = sys.modules[ALIASES[name]]
    found = re.search(rf'^{name}: TypeAlias = (.*)\n"""(.*)"""$', inspect.getsource(module), re.MULTILINE)
    assert found is not None
    return f"{found[2]} `{found[1]}`"


def members(found: type) -> Iterator[tuple[str, Any]]:
    """Yield the public methods and properties of a class, those that Resource and Part share at Resource."""
    shared = vars(krm.Resource.__mro__[1]) if found is krm.Resource else {}
    for member, value in {**vars(found), **shared}.items():
        if (isinstance(value, property) or inspect.isfunction(value)) and not member.startswith("_"):
            yield member, value


def test_the_reference_is_made_of_the_docstrings() -> None:
    text = REFERENCE.text
    start, end = "<!-- reference -->\n", "<!-- end of reference -->\n"
    above, _, rest = text.partition(start)
    written, _, below = rest.partition(end)
    if "UPDATE" in os.environ:
        REFERENCE.path.write_text(f"{above}{start}{reference()}{end}{below}")
        written = reference()
    assert written == reference()


EXPORTED_BY_GO = """
AsMain Chain ChainFunctions ApplyFnBySelector CheckResourceDuplication ConfigFileResult ConfigObjectResult Context
ErrAttemptToTouchUpstreamIdentifier ErrInternalAnnotation ErrMissingFnConfig ErrorConfigFileResult
ErrorConfigObjectResult ErrorResult Execute Field File GeneralResult HasAnnotations HasLabels IsGVK IsLocalConfig
IsMetaResource IsName IsNamespace KubeObject KubeObjects Log Logf NewEmptyKubeObject NewFromTypedObject Not
ParseGroupVersion ParseKubeObject ParseResourceList ResourceIdentifier ResourceList ResourceListProcessor
ResourceListProcessorFunc ResourceRef Result Results Run Runner Severity SliceSubObjects SubObject
ExitCode GetRootKptfile Len Less Swap Where WhereNot LogResult Process ResultErr ResultErrAndDie ResultInfo ResultWarn
Sort ToYAML UpsertObjectToItems String ShortString IsEmpty
GetAPIVersion GetAnnotation GetAnnotations GetId GetKind GetLabel GetLabels GetName GetNamespace GetOriginId
HasNamespace HasUpstreamOrigin HeadComment IdAnnotation IndexAnnotation IsClusterScoped IsNamespaceScoped LineComment
PathAnnotation RemoveAnnotationsIfEmpty SetAPIVersion SetAnnotation SetHeadComment SetKind SetLabel SetLineComment
SetName SetNamespace As Get GetBool GetInt GetMap GetSlice GetString NestedBool NestedFloat64 NestedInt64 NestedSlice
NestedString NestedStringMap NestedStringSlice RemoveNestedField SetNestedBool SetNestedField SetNestedInt
SetNestedString SetNestedStringMap SetNestedStringSlice SetSlice UpsertMap
"""
"""The names of kpt-functions-sdk/go/fn at 970f3e4cbc5a, of August 2022, which the functions of the catalog use."""


def test_each_name_of_go_is_in_the_table() -> None:
    section = REFERENCE.text.partition("## For those who know Go's `fn`")[2].partition("\n## ")[0]
    named = {name for row in section.splitlines() for name in re.findall(r"`(?:rl\.)?(\w+)`", row.partition(" | ")[0])}
    assert {*EXPORTED_BY_GO.split()} - named == set()


def test_what_stands_beside_a_name_of_go_is_there() -> None:
    section = REFERENCE.text.partition("## For those who know Go's `fn`")[2].partition("\n## ")[0]
    named = [name for row in section.splitlines() for name in re.findall(r"`([\w.]+)`", row.rpartition(" | ")[2])]
    found = [name for name in named if name.removeprefix("krm.")[:1].isupper() or name.startswith("krm.")]
    assert len(found) > 40
    for name in found:
        there: Any = krm
        for step in name.removeprefix("krm.").split("."):
            there = getattr(there, step)
