"""What the real kpt and kubectl make of the cases in `testdata/krm/merge3`, beside what ours makes of them.

Where that is another thing the folder has it: in `kyaml.yaml` what `kpt pkg update` gives, which merges as kyaml does,
in `kubectl.yaml` what `kubectl apply` gives, to which origin is what was applied last and local what is live. Where
they refuse the case, `kyaml.txt` and `kubectl.txt` say why. `UPDATE=1 pytest` writes these files anew; to say that a
case is one of those that are refused, make that file first, with anything in it.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import yaml

from tests.krm.merge import kpt as real_kpt
from tests.krm.merge import kubectl as real_kubectl
from tests.krm.merge.kpt import Triple
from tests.krm.merge.kubectl import LAST_APPLIED

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[3] / "testdata" / "krm" / "merge3"
# Neither of them knows another policy than TakeUpdate.
CASES = {path.name: path for path in sorted(ROOT.iterdir()) if not re.search("-(KeepLocal|Error)$", path.name)}
assert CASES, f"no cases under {ROOT}"
TRIPLES = {
    name: Triple(*((case / f"{side}.yaml").read_text() for side in Triple._fields)) for name, case in CASES.items()
}


def recorded(tool: str, extension: str) -> dict[str, str]:
    """Return the files of a tool by their case."""
    paths = {name: case / f"{tool}.{extension}" for name, case in CASES.items()}
    return {name: path.read_text() for name, path in paths.items() if path.exists()}


def expect(tool: str, extension: str, answers: dict[str, str]) -> None:
    """Compare answers, only those that are not ours, with the files in the folders."""
    if "UPDATE" in os.environ:
        for name, case in CASES.items():
            path = case / f"{tool}.{extension}"
            path.write_text(answers[name]) if name in answers else path.unlink(missing_ok=True)
    assert recorded(tool, extension) == answers


def ours(name: str) -> str:
    return (CASES[name] / "expected.yaml").read_text()


def in_form(text: str) -> str:
    """Return a text as kpt writes it: with one space in front of comments, and here without what it notes."""
    return real_kpt.without_notes(re.sub(r"(?<=\S)  +#", " #", text))


def test_what_kpt_gives_is_in_the_folder_where_it_is_another_thing(kpt: str, tmp_path: Path) -> None:
    assert kpt
    refused = recorded("kyaml", "txt")
    answers = real_kpt.updated({name: one for name, one in TRIPLES.items() if name not in refused}, tmp_path / "all")
    expect("kyaml", "yaml", {name: text for name, text in answers.items() if text != in_form(ours(name))})
    expect("kyaml", "txt", {name: real_kpt.refusal(TRIPLES[name], tmp_path / name) for name in refused})


def identity(one: dict) -> tuple[str | None, ...]:
    """Return by what kubectl knows an object, each one on its own where it has no name."""
    metadata = one.get("metadata", {})
    group = one.get("apiVersion", "").rpartition("/")[0]
    return (group, one.get("kind"), metadata.get("name") or str(id(one)), metadata.get("namespace", "default"))


def as_asked(triple: Triple, name: str) -> real_kubectl.Triple | None:
    """Return what kubectl is asked, by a name of its own. None where they are not one object on each side."""
    sides = [[*yaml.load_all(text, yaml.CSafeLoader)] for text in triple]
    if any(len(side) != 1 for side in sides) or len({identity(one) for (one,) in sides}) != 1:
        return None
    own = {"name": name, "namespace": name}
    return real_kubectl.Triple(*({**one, "metadata": {**one["metadata"], **own}} for (one,) in sides))


def as_answered(answer: dict, name: str) -> dict:
    """Return an object by its name in the case, without what kubectl notes in it."""
    given = yaml.load(TRIPLES[name].local, yaml.CSafeLoader)["metadata"]
    annotations = {key: text for key, text in answer["metadata"]["annotations"].items() if key != LAST_APPLIED}
    noted = {"annotations": annotations} if annotations else {}
    names = {key: given[key] for key in ("name", "namespace") if key in given}
    kept = {key: value for key, value in answer["metadata"].items() if key not in ("annotations", "name", "namespace")}
    return {**answer, "metadata": {**names, **kept, **noted}}


def test_what_kubectl_gives_is_in_the_folder_where_it_is_another_thing(kubectl: str) -> None:
    assert kubectl
    asked = {name: one for name, triple in TRIPLES.items() if (one := as_asked(triple, name))}
    refused = {name: asked.pop(name) for name in recorded("kubectl", "txt")}
    answers = dict(zip(asked, real_kubectl.applied([*asked.values()]), strict=True))
    shown = {name: as_answered(answer, name) for name, answer in answers.items()}
    others = {name: one for name, one in shown.items() if one != yaml.load(ours(name), yaml.CSafeLoader)}
    expect("kubectl", "yaml", {name: yaml.safe_dump(one, sort_keys=False) for name, one in others.items()})
    expect(
        "kubectl",
        "txt",
        {name: re.split("for::? ", real_kubectl.refusal(triple))[-1] for name, triple in refused.items()},
    )
