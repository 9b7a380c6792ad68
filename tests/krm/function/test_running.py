"""Functions of one's own as programs: only the product reaches standard output, and every failure shows."""

from __future__ import annotations

import re
import subprocess
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, Any

import pytest
import yaml

import krm
from tests.process import SOURCE_ROOT, Answer, run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from krm.results import Output

NO_VALUE = "a value is missing here, or a bracket above is not closed"


GIVEN = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: # the shop
    name: web
- apiVersion: v1
  kind: Service
  metadata: {name: web}
"""
LABELLED = GIVEN.replace("    name: web\n", "    name: web\n    labels:\n      team: storefront\n")


def example() -> str:
    """Return the function in the docstring of `krm`."""
    found = re.search(r"```python\n(.*)```", krm.__doc__ or "", re.DOTALL)
    assert found
    return found[1]


def started(code: str, stdin: str = GIVEN) -> Answer:
    return run(stdin=stdin.encode(), command=(sys.executable, "-c", dedent(code)))


def test_the_example_works() -> None:
    assert started(example()) == (LABELLED.encode(), "", 0)


@pytest.mark.e2e
def test_the_example_works_under_kpt(kpt: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function = tmp_path / "label"
    function.write_text(example().replace("/usr/bin/env python3", sys.executable))
    function.chmod(0o755)
    monkeypatch.setenv("PYTHONPATH", str(SOURCE_ROOT))
    package = tmp_path / "package"
    package.mkdir()
    deployment = package / "web.yaml"
    deployment.write_text("apiVersion: apps/v1\nkind: Deployment\nmetadata: # the shop\n  name: web\n")
    subprocess.run([kpt, "fn", "eval", package, "--exec", function], check=True, capture_output=True)
    assert deployment.read_text() == (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: # the shop\n  name: web\n  labels:\n    team: storefront\n"
    )


PACKED = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: init # the first
        image: init:1 # of init
      - name: web
        image: web:1
      # the last
      - name: side
        image: side:1 # of side
"""
SETTINGS = """\
# for web
apiVersion: v1
kind: ConfigMap # of ours
metadata:
  name: settings
data:
  b: '1'
  # the other
  a: x
"""


def program(directory: Path, *lines: str) -> Path:
    """Write an executable function with these lines for its body."""
    path = directory / "function"
    body = "\n".join(f"    {line}" for line in lines)
    found = f"import sys\nsys.path.insert(0, {str(SOURCE_ROOT)!r})\nimport krm\n"
    path.write_text(f"#!{sys.executable}\n{found}\ndef process(resource_list):\n{body}\n\nkrm.run(process)\n")
    path.chmod(0o755)
    return path


@pytest.mark.e2e
def test_comments_stay_where_they_belong_under_kpt(kpt: str, tmp_path: Path) -> None:
    """What kpt copies by position it would put on the wrong elements, were it to find the item again."""
    function = program(
        tmp_path,
        "for item in resource_list.items:",
        '    item.delete("spec.template.spec.containers[name=init]")',
        f"resource_list.add({SETTINGS!r})",
    )
    package = tmp_path / "package"
    package.mkdir()
    (package / "web.yaml").write_text(PACKED)
    subprocess.run([kpt, "fn", "eval", package, "--exec", function], check=True, capture_output=True)
    assert {path.name: path.read_text() for path in package.iterdir()} == {
        "web.yaml": PACKED.replace("      - name: init # the first\n        image: init:1 # of init\n", ""),
        "configmap_settings.yaml": SETTINGS,
    }


WEB_TEXT = PACKED[PACKED.index("      - name: web") : PACKED.index("      # the last")]
INIT_TEXT = PACKED[PACKED.index("      - name: init") : PACKED.index("      - name: web")]
SIDE_TEXT = PACKED[PACKED.index("      # the last") :]
PROXY_TEXT = "      - name: proxy\n        image: envoy:1.31\n"
ON_LISTS = {
    "prepend": ("item.set(path, [proxy, *item.get(path)])", PROXY_TEXT + INIT_TEXT + WEB_TEXT + SIDE_TEXT),
    "append": ("item.append(path, proxy)", INIT_TEXT + WEB_TEXT + SIDE_TEXT + PROXY_TEXT),
    "reverse": ("item.set(path, item.get(path)[::-1])", SIDE_TEXT + WEB_TEXT + INIT_TEXT),
    "delete and edit": (
        "item.delete(path + '[0]'); item.set(path + '[name=side].image', 'side:2')",
        WEB_TEXT + SIDE_TEXT.replace("side:1", "side:2"),
    ),
}


@pytest.mark.e2e
@pytest.mark.parametrize("name", ON_LISTS)
def test_lists_are_edited_exactly_under_kpt(kpt: str, tmp_path: Path, name: str) -> None:
    """kpt copies comments by position: `# kpt-set:` would stand on another element, were it to find the item again."""
    edit, containers = ON_LISTS[name]
    function = program(
        tmp_path,
        "proxy = {'name': 'proxy', 'image': 'envoy:1.31'}",
        "path = 'spec.template.spec.containers'",
        "for item in resource_list.items:",
        f"    {edit}",
    )
    package = tmp_path / "package"
    package.mkdir()
    setters = {"# of init": "# kpt-set: ${init}", "# of side": "# kpt-set: ${side}"}
    given, expected = PACKED, PACKED[: PACKED.index("      - name: init")] + containers
    for comment, setter in setters.items():
        given, expected = given.replace(comment, setter), expected.replace(comment, setter)
    (package / "web.yaml").write_text(given)
    subprocess.run([kpt, "fn", "eval", package, "--exec", function], check=True, capture_output=True)
    assert (package / "web.yaml").read_text() == expected


@pytest.mark.e2e
def test_an_exception_is_seen_under_kpt(kpt: str, tmp_path: Path) -> None:
    function = program(tmp_path, 'raise ValueError("boom")')
    package = tmp_path / "package"
    package.mkdir()
    (package / "web.yaml").write_text(PACKED)
    done = subprocess.run([kpt, "fn", "eval", package, "--exec", function], capture_output=True, text=True, check=False)
    assert (done.returncode, (package / "web.yaml").read_text()) == (1, PACKED)
    assert done.stderr.count("[error]: ValueError: boom, in function line 7") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.e2e
def test_a_generator_of_kustomize(kustomize: str, tmp_path: Path) -> None:
    program(tmp_path, "resource_list.remove(*resource_list.items)", f"resource_list.add({SETTINGS!r})")
    (tmp_path / "kustomization.yaml").write_text("generators:\n- generator.yaml\n")
    (tmp_path / "generator.yaml").write_text(
        "apiVersion: example.org/v1\nkind: Settings\nmetadata:\n  name: settings\n  annotations:\n"
        "    config.kubernetes.io/function: |\n      exec: {path: ./function}\n"
    )
    build = (kustomize, "build", "--enable-alpha-plugins", "--enable-exec", str(tmp_path))
    built = subprocess.run(build, check=True, capture_output=True, text=True).stdout
    assert built == 'apiVersion: v1\ndata:\n  a: x\n  b: "1"\nkind: ConfigMap\nmetadata:\n  name: settings\n'


def test_whatever_a_function_prints_goes_to_stderr() -> None:
    stdout, stderr, code = started("""
        import os, subprocess, sys
        from sys import stdout
        import krm

        def process(resource_list):
            print("print")
            sys.stdout.write("sys.stdout\\n")
            stdout.write("stdout\\n")
            os.write(1, b"descriptor\\n")
            subprocess.run(["echo", "program"])

        krm.run(process)
    """)
    assert (stdout, code) == (GIVEN.encode(), 0)
    assert sorted(stderr.splitlines()) == ["descriptor", "print", "program", "stdout", "sys.stdout"]


RAISING = """\
import sys
import krm

def process(resource_list):
    resource_list.items[0].set("metadata.name", "api")
    fail()

def fail():
    raise {error}

krm.run(process)
"""


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ('ValueError("boom")', "ValueError: boom, in function.py line 9"),
        ("KeyError", "KeyError, in function.py line 9"),
        ('OSError("no\\nthing")', "OSError: no thing, in function.py line 9"),
    ],
)
def test_an_exception_is_a_line_and_a_result(tmp_path: Path, error: str, message: str) -> None:
    function = tmp_path / "function.py"
    function.write_text(RAISING.format(error=error))
    stdout, stderr, code = run(stdin=GIVEN.encode(), command=(sys.executable, str(function)))
    assert (stderr, code) == (f"[error] {message} (Fault)\n", 1)
    assert stdout.decode().startswith(f"{GIVEN}results:\n- message: ")
    assert yaml.safe_load(stdout)["results"] == [{"message": message, "severity": "error", "tags": {"reason": "Fault"}}]


def test_a_mistake_in_a_call_is_told_with_its_line(tmp_path: Path) -> None:
    function = tmp_path / "function.py"
    function.write_text(RAISING.format(error="None").replace('"metadata.name"', '"metadata..name"'))
    _, stderr, code = run(stdin=GIVEN.encode(), command=(sys.executable, str(function)))
    assert stderr.startswith("[error] ValueError: `metadata..name` is no field path from character 9 on: ")
    assert stderr.endswith(", in function.py line 5 (Fault)\n")
    assert code == 1


@pytest.mark.parametrize("arguments", [(), ("web.yaml",)])
def test_what_is_no_result_is_told_and_changes_nothing(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    function = tmp_path / "function.py"
    function.write_text("import krm\nkrm.run(lambda resource_list: resource_list.results.append('oops'))\n")
    (tmp_path / "web.yaml").write_text("kind: Pod\n")
    command = (sys.executable, str(function), *arguments)
    stdout, stderr, code = run(stdin=b"kind: Pod\n", command=command, folder=tmp_path)
    message = "TypeError: each of `results` is a `krm.Result`, found 'oops'"
    assert (stdout, stderr, code) == (b"", f"[error] {message} (Fault)\n", 1)


def test_debug_shows_the_traceback_behind_the_line(tmp_path: Path) -> None:
    function = tmp_path / "function.py"
    function.write_text(RAISING.format(error='ValueError("boom")'))
    _, stderr, _ = run(stdin=GIVEN.encode(), command=(sys.executable, str(function), "--debug"))
    assert stderr.startswith("[error] ValueError: boom, in function.py line 9 (Fault)\nTraceback (most recent call")
    assert stderr.endswith("ValueError: boom\n")


def test_logging_goes_to_stderr() -> None:
    stdout, stderr, code = started("""
        import logging
        import krm

        def process(resource_list):
            logging.info("one")
            logging.debug("two")

        krm.run(process)
    """)
    assert (stdout, stderr, code) == (GIVEN.encode(), "[INFO] one\n", 0)


SEVERAL = """
    import krm

    def label(resource_list):
        for item in resource_list.items:
            item.set("metadata.labels.team", "storefront")

    krm.run({"Label": label, "Nothing": print})
"""


def test_the_kind_of_the_function_config_chooses_the_function() -> None:
    config = "functionConfig: {apiVersion: example.com/v1, kind: Label}\n"
    assert started(SEVERAL, GIVEN + config)[0].decode().count("team: storefront") == 2
    assert started(SEVERAL, GIVEN + config.replace("Label", "Other"))[1] == (
        "[error] the functionConfig must be of kind `Label`, `Nothing`; found `Other` (InvalidFunctionConfig)\n"
    )
    assert started(SEVERAL)[1:] == (
        "[error] the functionConfig must be of kind `Label`, `Nothing`; found none (InvalidFunctionConfig)\n",
        1,
    )


FAILING = """
    import krm

    def process(resource_list):
        item = resource_list.items[0]
        item.set("metadata.name", "api")
        {fail}

    krm.run(process)
"""


@pytest.mark.parametrize(
    "fail",
    [
        'raise krm.FnError(krm.Result("no", krm.ERROR, "Never"))',
        'resource_list.results.append(krm.Result("no", krm.ERROR, "Never"))',
    ],
)
def test_an_error_gives_the_items_back_as_they_were(fail: str) -> None:
    results = 'results:\n- message: "no"\n  severity: error\n  tags:\n    reason: Never\n'
    assert started(FAILING.format(fail=fail)) == ((GIVEN + results).encode(), "[error] no (Never)\n", 1)


def test_an_error_in_the_other_shapes_lets_nothing_out() -> None:
    failing = FAILING.format(fail='raise krm.FnError(krm.Result("no", krm.ERROR, "Never"))')
    assert started(failing, "kind: Pod\nmetadata: {name: a}\n") == (b"", "[error] no (Never)\n", 1)


def test_transform_is_run_without_streams() -> None:
    def tell(resource_list: krm.ResourceList) -> None:
        for item in resource_list.items:
            resource_list.info(f"met {item.name}", item, "metadata.name", reason="Met")

    output = krm.transform(GIVEN, tell)
    assert output.exit_code == 0
    assert [str(result) for result in output.results] == [
        "[info] apps/v1/Deployment/web metadata.name: met web",
        "[info] v1/Service/web metadata.name: met web",
    ]
    assert output.text.startswith(f"{GIVEN}results:\n- message: met web\n  severity: info\n")


def test_all_that_is_offered_is_there() -> None:
    assert [name for name in krm.__all__ if not hasattr(krm, name)] == []
    assert dir(krm) == sorted(krm.__all__)
    with pytest.raises(AttributeError, match=r"^module 'krm' has no attribute 'sdk'$"):
        getattr(krm, "sdk")  # noqa: B009 - mypy knows that it is not there


CONFIG = """\
functionConfig:
  apiVersion: example.com/v1
  kind: Quotas
  metadata: {name: all}
"""
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata:\n  name: pods\nspec: # ask first\n  hard: {pods: 10}\n"


# A list that an orchestrator writes back.
IN_PLACE = GIVEN.replace(
    "    name: web\n",
    "    name: web\n    annotations: {config.kubernetes.io/path: web.yaml, config.k8s.io/id: '1'}\n",
)


def generated(text: str, *resources: str | dict[str, Any], **options: Any) -> Output:
    """Return what becomes of a text by a function that generates these resources."""
    return krm.transform(text, lambda resource_list: krm.generate(resource_list, resources, **options))


def items(text: str) -> str:
    """Return the items of a list, without the functionConfig and the results behind them."""
    return text.partition("functionConfig:")[0]


def test_what_a_function_generates_comes_with_its_comments() -> None:
    output = generated(GIVEN + CONFIG, QUOTA)
    assert output.results == []
    assert items(output.text) == GIVEN + (
        "- apiVersion: v1\n  kind: ResourceQuota\n  metadata:\n    name: pods\n"
        "  spec: # ask first\n    hard: {pods: 10}\n"
    )


def test_what_a_function_generates_in_place_is_remembered() -> None:
    output = generated(IN_PLACE + CONFIG, QUOTA)
    assert output.results == []
    item, state = items(output.text).removeprefix(IN_PLACE).split("- # What Quotas/all has generated")
    assert item == (
        "- apiVersion: v1\n  kind: ResourceQuota\n  metadata:\n    name: pods\n    annotations:\n"
        "      expandvars.dev/generated-by: Quotas/all /ResourceQuota//pods\n"
        "  spec: # ask first\n    hard: {pods: 10}\n"
    )
    assert "      config.kubernetes.io/path: all.generated.yaml\n" in state


def test_what_the_user_changed_stays_when_it_is_generated_again() -> None:
    first = generated(IN_PLACE + CONFIG, QUOTA).text
    by_hand = first.replace("hard: {pods: 10}", "hard: {pods: 10, secrets: 5}")
    again = generated(by_hand, QUOTA.replace("10", "20"))
    assert "hard: {pods: 20, secrets: 5}" in again.text
    assert generated(again.text, QUOTA.replace("10", "20")).text == again.text


@pytest.mark.parametrize(("policy", "pods", "code"), [("TakeUpdate", 20, 0), ("KeepLocal", 15, 0), ("Error", 15, 1)])
def test_who_wins_what_both_changed(policy: str, pods: int, code: int) -> None:
    by_hand = generated(GIVEN + CONFIG, QUOTA).text.replace("hard: {pods: 10}", "hard: {pods: 15}")
    output = generated(by_hand, QUOTA.replace("10", "20"), on_conflict=policy)
    assert f"hard: {{pods: {pods}}}" in output.text
    assert (output.results[0].reason, output.exit_code) == ("Conflict", code)


OTHER = QUOTA.replace("name: pods", "name: other")


@pytest.mark.parametrize(("options", "stays"), [({}, False), ({"prune": False}, True)])
def test_what_is_generated_no_longer(options: dict[str, bool], stays: bool) -> None:  # noqa: FBT001 - a row of the table
    text = generated(IN_PLACE + CONFIG, QUOTA, OTHER).text
    assert ("name: other" in items(generated(text, QUOTA, **options).text)) is stays


@pytest.mark.parametrize(("prunes", "stays"), [((True, True), False), ((False, True), True), ((True, False), True)])
def test_what_one_call_keeps_no_other_one_removes(prunes: tuple[bool, bool], stays: bool) -> None:  # noqa: FBT001 - a row of the table
    loaded = krm.load(generated(IN_PLACE + CONFIG, QUOTA, OTHER, OTHER.replace("other", "last")).text)
    for text, prune in zip((QUOTA, OTHER), prunes, strict=True):
        krm.generate(loaded, [text], prune=prune)
    assert ("name: last" in items(loaded.emit().text)) is stays


POD = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec:\n  hostname: "yes"\n'


@pytest.mark.parametrize(
    "resource",
    [
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {"hostname": "yes"}},
        POD,
        f"# none\n---\n{POD}---\n",
        "kind: List\nitems:\n- " + POD.replace("\n", "\n  "),
    ],
    ids=["a dict", "a text", "several documents", "a List"],
)
def test_the_forms_of_resources(resource: str | dict[str, Any]) -> None:
    text = generated(GIVEN + CONFIG, resource).text
    assert items(text).endswith('  spec:\n    hostname: "yes"\n')
    assert items(text).count("\n  kind: Pod\n") == 1


@pytest.mark.parametrize(
    ("resource", "message"),
    [
        ("a: [", f"resources[0] is not YAML: line 1, column 5: {NO_VALUE}"),
        ("a", "resources[0] is text, it must be a resource: a mapping"),
        ("[]", "resources[0] is a list, it must be a resource: a mapping"),
        ("a: 1\na: 1\n", "resources[0]: line 2, column 1: the key `a` is here again, first in line 1"),
        ({"kind": "Pod"}, "resources[0] is no resource: it has no `apiVersion`, `metadata.name`"),
        ("kind: List\nitems: [1]\n", "resources[0], items[0] is text, it must be a resource: a mapping"),
        (
            "kind: List\nitems: [&a !odd {}, *a]\n",
            "resources[0], items[1]: line 2: what an alias shows here has a tag on a collection",
        ),
        (
            "kind: ResourceList\nitems: []\n",
            "resources[0] is a ResourceList: give the generated resources alone",
        ),
    ],
)
def test_what_is_no_resource(resource: str | dict[str, Any], message: str) -> None:
    output = generated(GIVEN + CONFIG, resource)
    assert [str(result) for result in output.results] == [f"[error] {message}"]
    assert output.text.startswith(GIVEN + CONFIG)


def test_a_function_without_a_function_config_says_who_owns_what_it_generates() -> None:
    first = generated(IN_PLACE, QUOTA, OTHER, owner="Quotas/all").text
    assert first.count("expandvars.dev/generated-by: Quotas/all ") == 2
    assert generated(first, QUOTA, OTHER, owner="Quotas/all").text == first
    assert "name: other" not in items(generated(first, QUOTA, owner="Quotas/all").text.partition("results:")[0])
    with pytest.raises(ValueError, match="the functionConfig has no name to know the resources again by: give `owner`"):
        generated(IN_PLACE, QUOTA)


def test_annotations_are_under_the_domain_of_the_function() -> None:
    first = generated(IN_PLACE + CONFIG, QUOTA, domain="example.com").text
    assert "      example.com/generated-by: Quotas/all /ResourceQuota//pods\n" in first
    assert "  apiVersion: example.com/v1alpha1\n  kind: GeneratedResources\n" in first
    assert "expandvars.dev" not in first
    by_hand = first.replace("hard: {pods: 10}", "hard: {pods: 10, secrets: 5}")
    assert "hard: {pods: 20, secrets: 5}" in generated(by_hand, QUOTA.replace("10", "20"), domain="example.com").text


@pytest.mark.parametrize("options", [{"owner": "a b"}, {"owner": "$(A)"}, {"domain": "a/b"}])
def test_words_that_no_annotation_can_have(options: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="`owner` is one word, and `domain` a domain; found"):
        generated(GIVEN + CONFIG, QUOTA, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prune": "false"}, "`prune` is True or False; found 'false'"),
        ({"owner": 1}, "`owner` and `domain` are str; found 1 and ''"),
        ({"domain": None}, "`owner` and `domain` are str; found '' and None"),
    ],
)
def test_options_of_another_type(options: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=re.escape(message)):
        generated(GIVEN + CONFIG, QUOTA, **options)


def test_a_second_call_adds_to_the_first() -> None:
    def twice(resource_list: krm.ResourceList) -> None:
        krm.generate(resource_list, [QUOTA])
        krm.generate(resource_list, [OTHER], on_conflict="KeepLocal")

    first = krm.transform(IN_PLACE + CONFIG, twice)
    assert (first.text.count("generated-by:"), first.results) == (2, [])
    second = krm.transform(first.text, twice)
    assert (second.text, second.results) == (first.text, [])


def test_nothing_is_generated_twice_by_two_calls() -> None:
    def twice(resource_list: krm.ResourceList) -> None:
        krm.generate(resource_list, [QUOTA])
        krm.generate(resource_list, [QUOTA])

    output = krm.transform(GIVEN + CONFIG, twice)
    assert [result.reason for result in output.results] == ["GeneratedTwice"]


def test_help_is_the_docstring() -> None:
    function = """
        import krm

        def label(resource_list):
            "Label all."

        krm.run({process})
    """
    stdout, stderr, code = run(
        "--help", stdin=b"", command=(sys.executable, "-c", dedent(function.format(process="label")))
    )
    assert b"[PATH...] [--fn-config FILE] [KEY=VALUE ...] [--debug]\n\nLabel all.\n\noptions:\n" in stdout
    several = dedent(function.format(process='{"Label": label, "Other": lambda _: None}'))
    assert (
        b"\n\nLabel: Label all.\n\nOther: \n"
        in run("--help", stdin=b"", command=(sys.executable, "-c", several)).stdout
    )
    assert (stderr, code) == ("", 0)


FILES = {
    "web.yaml": "# ours\napiVersion: apps/v1\nkind: Deployment\nmetadata: # the shop\n  name: web\n",
    "deep/api.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: api\n---\n# none\n",
    "deep/other.yaml": "apiVersion: v1\nkind: Service\nmetadata: {name: api}\n",
}
TEAM = """
    import krm

    def label(resource_list):
        "Label all Deployments."
        for item in resource_list.where("Deployment"):
            item.set("metadata.labels.team", resource_list.function_config.get_str("data.team"))
            resource_list.info("labelled", item)

    krm.run(label)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def on_files(*arguments: str, code: str = TEAM) -> Answer:
    return run(*arguments, stdin=b"", command=(sys.executable, "-c", dedent(code)))


def texts_of(package: Path) -> dict[str, str]:
    return {name: (package / name).read_text() for name in FILES}


LABEL = "  labels:\n    team: shop\n"
WEB, API = FILES["web.yaml"] + LABEL, FILES["deep/api.yaml"].replace("---", f"{LABEL}---")


def test_a_directory_is_changed_in_place(package: Path) -> None:
    assert on_files(".", "team=shop") == (
        b"./deep/api.yaml\n./web.yaml\n",
        (
            "[info] deep/api.yaml:1: apps/v1/Deployment/api: labelled\n"
            "[info] web.yaml:2: apps/v1/Deployment/web: labelled\n"
        ),
        0,
    )
    assert texts_of(package) == {**FILES, "web.yaml": WEB, "deep/api.yaml": API}
    assert on_files(".", "team=shop", "--debug").stdout == b""


def test_a_value_may_hold_a_slash(package: Path) -> None:
    code = TEAM.replace("labels", "annotations")
    assert on_files("./web.yaml", "team=ghcr.io/shop/web:1=2", code=code).code == 0
    assert texts_of(package)["web.yaml"].endswith("  annotations:\n    team: ghcr.io/shop/web:1=2\n")


def test_files_are_changed_in_place(package: Path) -> None:
    (package / "team.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: {team: shop}\n")
    answer = on_files("deep/api.yaml", "deep/other.yaml", "--fn-config", "team.yaml")
    assert (answer.stdout, answer.code) == (b"deep/api.yaml\n", 0)
    assert texts_of(package) == {**FILES, "deep/api.yaml": API}
    assert on_files("web.yaml", "deep", "team=shop").stdout == b"./web.yaml\n"
    (package / "team.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\ndata: [team]\n")
    code = TEAM.replace('get_str("data.team")', 'string_map("data")["team"]')
    assert on_files("deep", "--fn-config", "team.yaml", code=code)[1:] == (
        "[error] team.yaml: v1/ConfigMap/c data: it is a list, and must be a mapping (InvalidInput)\n",
        1,
    )


def test_a_failure_changes_no_file(package: Path) -> None:
    answer = on_files(".", "--debug")
    assert answer.stderr.startswith(
        "[error] AttributeError: 'NoneType' object has no attribute 'get_str', in <string> line 7 (Fault)\nTraceback"
    )
    assert (answer.stdout, answer.code, texts_of(package)) == (b"", 1, FILES)
    assert on_files("nowhere", "team=shop").code == 1
    assert on_files("absent/a.yaml", "team=shop")[1:] == (
        "[error] absent: No such file or directory (InvalidInput)\n",
        1,
    )
    assert texts_of(package) == FILES


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("team=shop",), "say what to change: a directory, or files"),
        ((".", "team=a", "b=c", "team=a"), "`team` is given twice: leave one out"),
        ((".", "--fn-config", "a", "--fn-config", "a"), "`--fn-config` is given twice: leave one out"),
        (
            ("web.yaml", "", "team=shop"),
            "an argument is empty, as where a variable of the shell is unset: `.` is this directory",
        ),
        ((".", "team=shop", "--fn-config", "a.yaml"), "give either --fn-config or KEY=VALUE"),
        ((".", "team=shop", "--fnconfig", "a.yaml"), "`--fnconfig` is no option of `-c`; did you mean `--fn-config`?"),
    ],
)
def test_wrong_usage(package: Path, arguments: tuple[str, ...], message: str) -> None:
    answer = on_files(*arguments)
    assert (answer.stderr.splitlines()[-2:], answer.code) == (
        [f"-c: error: {message}", "`-c --help` lists the options"],
        2,
    )
    assert texts_of(package) == FILES


@pytest.mark.parametrize("process", ["{}", "3", "None"])
@pytest.mark.parametrize("arguments", [(), (".", "team=shop")])
def test_what_is_no_function_is_told(package: Path, process: str, arguments: tuple[str, ...]) -> None:
    answer = run(*arguments, stdin=GIVEN.encode(), command=(sys.executable, "-c", f"import krm\nkrm.run({process})\n"))
    expected = f"TypeError: a function is run, or several by the kind of their functionConfig, found {process}"
    assert (answer.stderr, answer.code) == (f"[error] {expected} (Fault)\n", 1)
    assert texts_of(package) == FILES


@pytest.mark.parametrize("items", ["[a]", "[[a]]", "a"])
@pytest.mark.parametrize("config", ["", "functionConfig: []\n"])
def test_a_function_is_not_run_on_what_is_no_list_of_objects(items: str, config: str) -> None:
    text = f"apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {items}\n{config}"
    wrong = 1 + bool(config)
    assert started(SEVERAL, text)[1].count("it must be a") == wrong
    assert started(FAILING.format(fail=""), text)[1].count("[error]") == wrong


def test_what_is_no_yaml_is_left_alone_and_named(package: Path) -> None:
    (package / "chart.yaml").write_text("kind: [\n")
    answer = on_files(".", "team=shop")
    assert (answer.stderr.splitlines()[0].partition(":")[0], answer.code) == ("[warning] chart.yaml", 0)
    assert on_files("chart.yaml", "web.yaml", "team=store").code == 1
    assert texts_of(package) == {**FILES, "web.yaml": WEB, "deep/api.yaml": API}


FORGETS = "import krm\n\ndef label(resource_list: krm.ResourceList) -> None:\n    pass\n"
NEVER_RUN = "[error] standard input is not read: the program ends without `krm.run(function)` (InvalidInput)\n"


@pytest.mark.parametrize(
    ("code", "stdin", "expected"),
    [
        (FORGETS, GIVEN, ("", NEVER_RUN, 1)),
        (f"{FORGETS}print('done')\n", GIVEN, ("done\n", NEVER_RUN, 1)),
        ("from krm import ResourceList\n", GIVEN, ("", NEVER_RUN, 1)),
        ("from krm import run\n", GIVEN, ("", NEVER_RUN, 1)),
        ("import krm\nkrm.load('kind: A')\n", GIVEN, ("", "", 0)),
        (FORGETS, "", ("", "", 0)),
        ("import sys\nimport krm\nsys.stdin.read()\n", GIVEN, ("", "", 0)),
        ("import os\nimport krm\nos.close(0)\n", GIVEN, ("", "", 0)),
        ("import krm\nkrm.transform('kind: A\\n', lambda resource_list: None)\n", GIVEN, ("", "", 0)),
        ("from krm import results\n", GIVEN, ("", "", 0)),
    ],
)
def test_a_function_that_is_never_run_is_told(code: str, stdin: str, expected: tuple[str, str, int]) -> None:
    answer = run(stdin=stdin.encode(), command=(sys.executable, "-c", code))
    assert (answer.stdout.decode(), answer.stderr, answer.code) == expected


def test_help_reads_no_text() -> None:
    code = "import krm\nkrm.run(lambda resource_list: None, ['--help'])\n"
    answer = run(stdin=GIVEN.encode(), command=(sys.executable, "-c", code))
    assert (answer.stdout[:7], answer.stderr, answer.code) == (b"usage: ", "", 0)


def test_an_exception_is_told_by_python_alone() -> None:
    answer = run(stdin=GIVEN.encode(), command=(sys.executable, "-c", "import krm\nraise ValueError('boom')\n"))
    assert answer.stderr.endswith("ValueError: boom\n")
    assert answer.code == 1


def test_a_new_resource_gets_a_file_in_a_package(package: Path) -> None:
    code = """
        import krm

        def add(resource_list):
            new = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
            resource_list.add(new, file="ns/shop.yaml")

        krm.run(add)
    """
    assert on_files(".", code=code) == (b"./ns/shop.yaml\n", "", 0)
    assert (package / "ns" / "shop.yaml").read_text() == "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n"


def test_files_are_opened_by_a_script(package: Path) -> None:
    with krm.open(package / "web.yaml", "deep") as resources:
        for item in resources.where("Deployment"):
            item.set("metadata.labels.team", "shop")
        resources.info("labelled", resources.items[0])
    assert texts_of(package) == {**FILES, "web.yaml": WEB, "deep/api.yaml": API}
    assert [str(one) for one in resources.results] == ["[info] web.yaml: apps/v1/Deployment/web: labelled"]


def test_a_script_that_fails_writes_nothing(package: Path) -> None:
    def crash() -> None:
        with krm.open(".") as resources:
            resources.items[0].set("metadata.labels.team", "shop")
            raise ValueError("boom")

    def refuse() -> None:
        with krm.open(".") as resources:
            resources.items[0].set("metadata.labels.team", "shop")
            resources.error("no", resources.items[0])

    def ask(*paths: str) -> None:
        with krm.open(*paths):
            raise AssertionError(paths)

    with pytest.raises(ValueError, match="boom"):
        crash()
    (package / "odd.yaml").write_text("a: [\n")
    failing: dict[str, Callable[[], None]] = {
        "[error] deep/api.yaml: apps/v1/Deployment/api: no": refuse,
        f"[error] odd.yaml: left alone: it is not YAML: line 2, column 1: {NO_VALUE}": lambda: ask("odd.yaml"),
        "[error] absent: No such file or directory": lambda: ask("absent"),
        "[error] deep/absent: No such file or directory": lambda: ask("deep/absent"),
    }
    for problem, fails in failing.items():
        with pytest.raises(krm.FnError) as error:
            fails()
        assert str(error.value) == problem
    with pytest.raises(TypeError, match=r"^say what to open: a directory, or files$"):
        ask()
    with pytest.raises(TypeError, match=r"^say what to open: a directory, or files$"):
        ask("web.yaml", "")
    assert texts_of(package) == FILES


def test_a_text_that_is_no_yaml_is_the_error_that_an_author_knows() -> None:
    with pytest.raises(krm.FnError) as raised:
        krm.load("kind: A\nspec: [\n")
    (result,) = raised.value.results
    assert result.message == "line 3, column 1: a value is missing here, or a bracket above is not closed"
    assert (result.severity, result.reason) == ("error", "InvalidInput")


def test_a_text_is_loaded() -> None:
    loaded = krm.load(LABELLED)
    loaded.items[0].delete("metadata.labels")
    assert loaded.emit().text == GIVEN
