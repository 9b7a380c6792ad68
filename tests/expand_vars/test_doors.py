"""One text by each door: only files that are edited where they are keep references to a container's own names."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from expand_vars import __main__ as cli
from tests.process import run

NAMES = ("REGION", "OWN", "BELOW", "DB_SERVICE_HOST", "NOBODY")
WORDS = st.lists(st.sampled_from([*(f"$({name})" for name in NAMES), "$$(REGION)", "x", "a $(OWN)-$(REGION)"]))
SERVICE = "---\napiVersion: v1\nkind: Service\nmetadata: {name: db}\nspec: {clusterIP: 10.0.0.9, ports: [{port: 1}]}\n"


def pod(args: list[str], own: str) -> str:
    listed = "".join(f"\n    - '{word}'" for word in args) or " []"
    env = f"[{{name: OWN, value: '{own}'}}, {{name: X, value: $(BELOW)}}, {{name: BELOW, value: b}}]"
    return (
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: web}}\nspec:\n  containers:\n  - env: {env}\n    args:{listed}\n"
    )


def rendered(text: str, *arguments: str) -> str:
    """Return what `eval --output` writes."""
    with TemporaryDirectory() as folder:
        given, made = (str(Path(folder, name)) for name in ("given.yaml", "made.yaml"))
        Path(given).write_text(text)
        assert cli.run(["eval", given, "--output", made, *arguments]) == 0
        return Path(made).read_text()


def by_door(text: str, *arguments: str) -> dict[str, str]:
    """Return what each door makes of a text."""
    with TemporaryDirectory() as folder:
        Path(folder, "a.yaml").write_text(text)
        listed = run(*arguments, stdin=text.encode())
        return {
            "pipe": listed.stdout.decode(),
            "eval -": run("eval", "-", *arguments, stdin=text.encode()).stdout.decode(),
            "--stdout": run("eval", "a.yaml", "--stdout", *arguments, stdin=b"", folder=Path(folder)).stdout.decode(),
            "--output": rendered(text, *arguments),
        }


@settings(max_examples=15)
@given(WORDS, st.sampled_from(["own", "$(REGION)", "$$(REGION)"]), st.booleans(), st.booleans())
def test_each_door_writes_one_text(args: list[str], own: str, has_service: bool, is_inlined: bool) -> None:  # noqa: FBT001 - drawn
    text = pod(args, own) + (SERVICE if has_service else "")
    found = by_door(text, "REGION=eu", *(["--inline", "ConfigMaps"] if is_inlined else []))
    assert {*found.values()} == {found["pipe"]}, found


def test_references_to_a_container_s_own_names_stay_in_place_alone(tmp_path: Path) -> None:
    text = pod(["$(OWN)", "$(REGION)"], "own")
    made = text.replace("'$(OWN)'", "'own'").replace("'$(REGION)'", "'eu'")
    assert {*by_door(text, "REGION=eu").values()} == {made}
    (tmp_path / "a.yaml").write_text(text)
    assert run("eval", ".", "REGION=eu", stdin=b"", folder=tmp_path).code == 0
    commented = text.replace("'$(REGION)'", "'eu' # expand: '$(REGION)'")
    assert (tmp_path / "a.yaml").read_text() == commented
    # What an earlier run has left in comments is part of the text to all of them, and stays in none.
    assert {*by_door(commented, "--record", "Never", "REGION=us").values()} == {made.replace("eu", "us")}


def test_a_list_of_a_build_is_not_in_place_though_its_items_have_files() -> None:
    # `kustomize build` gives a file to each item that a function has returned, and sends it to the next one.
    place = "config.kubernetes.io/path: pod_web.yaml, internal.config.kubernetes.io/id: '1'"
    text = (
        "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n- apiVersion: v1\n  kind: Pod\n"
        f"  metadata: {{name: web, annotations: {{{place}, kustomize.config.k8s.io/id: web}}}}\n"
        "  spec: {containers: [{name: web, args: [$(OWN)], env: [{name: OWN, value: own}]}]}\n"
    )
    assert run(stdin=text.encode()) == (text.replace("$(OWN)", "own").encode(), "", 0)
    of_files = text.replace(", kustomize.config.k8s.io/id: web", "")
    assert run(stdin=of_files.encode()) == (of_files.encode(), "", 0)


def test_a_list_is_printed_without_what_is_for_tools_alone(tmp_path: Path) -> None:
    pod = "# of p\n- apiVersion: v1\n  kind: Pod\n  metadata: {name: $(X)} # end\n"
    local = "annotations: {config.kubernetes.io/local-config: 'true'}"
    (tmp_path / "a.yaml").write_text(
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: expandvars.dev/v1alpha1, kind: ExpandVars, spec: {variables: [{name: X, value: p}]}}\n"
        f"- {{apiVersion: v1, kind: ConfigMap, metadata: {{name: c, {local}}}}}\n{pod}---\n"
        f"apiVersion: v1\nkind: List\nmetadata: {{{local}}}\nitems: [{{apiVersion: v1, kind: Pod}}]\n"
    )
    answer = run("eval", ".", "--stdout", stdin=b"", folder=tmp_path)
    printed = "apiVersion: v1\nkind: List\nitems:\n" + pod.replace("$(X)", "p")
    assert answer == (printed.encode(), "", 0)
