"""What kubectl or JSON refuses: the sentence names the file and the line in which it stands, whatever side that is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.commands import merge

if TYPE_CHECKING:
    from pathlib import Path

POD = "a: 1\n---\napiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec:\n  {}\n"
TWICE = "an element is in this list twice, and one of the two changes: kubectl refuses that, leave it once"
BY_NAME = "each element of this list needs a `name`: kubectl tells them apart by it"
ONE_BY_NAME = "this element needs a `name`: kubectl tells the elements of the list apart by it"
NO_LIST = "what is live is no list here, and kubectl merges lists: write one, or none"
MIXED = "this list must have mappings alone, or scalars alone: kubectl merges no other"
NO_MAPPING = "this must be a mapping: kubectl cannot read the object otherwise"
# What was applied, what is applied, what is live, and what is said of it.
REFUSED = {
    "an element without its key comes": (
        "volumes: []",
        "volumes:\n  - {a: 1}",
        "volumes: []",
        f"update.yaml:8: v1/Pod/p spec.volumes: {BY_NAME}",
    ),
    "one was there": (
        "volumes:\n  - {a: 1}",
        "volumes:\n  - name: a",
        "volumes: [{name: b}]",
        f"origin.yaml:8: v1/Pod/p spec.volumes[0]: {ONE_BY_NAME}",
    ),
    "one is live": (
        "volumes: []",
        "volumes:\n  - name: a",
        "volumes:\n  - name: b\n  - {a: 1}",
        f"local.yaml:9: v1/Pod/p spec.volumes[1]: {ONE_BY_NAME}",
    ),
    "an element is applied twice": (
        "volumes: []",
        "volumes:\n  - {name: v}\n  - {name: w}\n  - {name: v, emptyDir: {}}",
        "volumes: [{name: x}]",
        f"update.yaml:8: v1/Pod/p spec.volumes: {TWICE}",
    ),
    "an element around it is there twice": (
        "containers: []",
        "containers:\n  - {name: c, env: []}\n  - {name: c, env: [{name: B}, {name: A}]}",
        "containers: [{name: c, env: []}, {name: c, env: [{name: A}, {name: B}]}]",
        f"update.yaml:9: v1/Pod/p spec.containers[name=c].env: {TWICE}",
    ),
    "live is no list": (
        "containers: [{name: a}, {name: b}]",
        "containers: [{name: a}]",
        "containers: {}",
        f"local.yaml:7: v1/Pod/p spec.containers: {NO_LIST}",
    ),
    "a list in a list": (
        "volumes: []",
        "volumes: [[x]]",
        "volumes: [[y]]",
        f"update.yaml:7: v1/Pod/p spec.volumes: {MIXED}",
    ),
    "a key that is no scalar": (
        "",
        "a: {b: 1}",
        "a: {? [x] : 1}",
        "local.yaml:7: v1/Pod/p spec.a: each key here must be a scalar: kubectl cannot read it otherwise",
    ),
    "metadata that kubectl cannot read": (
        "",
        "a: 1\nmetadata: {name: p, annotations: [a]}",
        "a: 1",
        f"update.yaml:7: v1/Pod/p metadata.annotations: {NO_MAPPING}",
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "message"), REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_the_side_that_is_odd(  # noqa: PLR0913 - a row of the table
    origin: str, update: str, local: str, message: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for name, text in {"origin": origin, "update": update, "local": local}.items():
        written = POD.format(text)
        is_own = "metadata: {name: p, " in text
        (tmp_path / f"{name}.yaml").write_text(written.replace("metadata: {name: p}\n", "", 1) if is_own else written)
    sides = [str(tmp_path / f"{name}.yaml") for name in ("origin", "update", "local")]
    assert merge.main(["merge3", "--strategy", "Apply", *sides]) == 1
    out, err = capfd.readouterr()
    assert (out, err.replace(f"{tmp_path}/", "")) == ("", f"[error] {message} (NotMergeable)\n")


def test_a_refusal_of_an_overlay_names_its_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    overlay = "spec: {containers: [{name: c, $patch: x}]}"
    head = POD.partition("spec:")[0].format()
    (tmp_path / "update.yaml").write_text(f"{head}\n\n{overlay}\n")
    (tmp_path / "local.yaml").write_text(f"{head}spec: {{containers: [{{name: c}}]}}\n")
    assert merge.main(["merge2", str(tmp_path / "update.yaml"), str(tmp_path / "local.yaml")]) == 1
    assert capfd.readouterr().err.replace(f"{tmp_path}/", "") == (
        "[error] update.yaml:8: v1/Pod/p spec.containers[name=c]['$patch']: `$patch` can be delete, replace, merge "
        "(NotMergeable)\n"
    )


def test_a_note_of_kubectl_that_is_no_json_is_in_a_line_of_local(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    note = "kubectl.kubernetes.io/last-applied-configuration"
    (tmp_path / "update.yaml").write_text(POD.format("a: 1"))
    (tmp_path / "local.yaml").write_text(
        POD.format("a: 1").replace("{name: p}", f"\n  name: p\n  annotations:\n    {note}: no")
    )
    sides = ["/dev/null", str(tmp_path / "update.yaml"), str(tmp_path / "local.yaml")]
    assert merge.main(["merge3", "--strategy", "Apply", *sides]) == 1
    assert capfd.readouterr().err.replace(f"{tmp_path}/", "") == (
        f"[error] local.yaml:8: v1/Pod/p metadata.annotations['{note}']: this is no JSON object: take the annotation "
        "away, or apply the object again (NotMergeable)\n"
    )


@pytest.mark.parametrize(
    ("origin", "update", "line"),
    [
        ("a: 1", "a: 1\n  b: NO", "update.yaml:8: v1/Pod/p spec.b"),
        ("a: y", "a: 1", "origin.yaml:7: v1/Pod/p spec.a"),
        ("a: 1", "a: 1\n  b: 1_000", "update.yaml:8: v1/Pod/p spec.b"),
        ("a: 1", "a: 1\n  b: 0o17", "update.yaml:8: v1/Pod/p spec.b"),
        ("a: 1", "a: 1\n  b: .inf", "update.yaml:8: v1/Pod/p spec.b"),
    ],
)
def test_what_no_json_can_say_is_in_a_line_of_the_side_that_says_it(
    origin: str, update: str, line: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    sides = {"origin": POD.format(origin), "update": POD.format(update)}
    sides["local"] = '{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"},\n "spec": {"a": "x"}}\n'
    for name, text in sides.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    assert merge.main(["merge3", *(str(tmp_path / f"{name}.yaml") for name in sides)]) == 1
    told = capfd.readouterr().err.replace(f"{tmp_path}/", "")
    assert told.startswith(
        f"[warning] {line}: merged line by line, since local is JSON, and this is a value that JSON cannot say as all "
        "readers of YAML take it: put a text in quotes, write a number in decimal (NotMergeable)\n[error] "
    )
