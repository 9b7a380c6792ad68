"""What a person had made before it was generated (docs/reference/generated-resources.md, "What was there before")."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from expand_vars import __main__ as cli
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from pathlib import Path

STORE = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: store
spec:
  variables:
  - {name: REGION, value: eu}
  templates:
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: colors
    data:
      region: $(REGION)
      sea: green
      sky: blue
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: other
"""
OWN = """\
# mine
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
data:
  sky: "black" # at night
  moon: white
"""
STATE = "store.generated.yaml"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package in which a person has made what its functionConfig generates."""
    monkeypatch.chdir(write(tmp_path / "package", {"store.yaml": STORE, "own.yaml": OWN}))
    return tmp_path / "package"


def put(package: Path, path: str, old: str, new: str) -> None:
    """Replace a text in a file of the package."""
    text = (package / path).read_text()
    assert old in text
    (package / path).write_text(text.replace(old, new))


def test_a_lost_state_decides_nothing(package: Path) -> None:
    """Neither in this run nor in the next one, in which the template changes."""
    assert cli.run(["eval", "."]) == 0
    put(package, "own.yaml", "sea: green", "sea: deep")
    (package / STATE).unlink()
    put(package, "store.yaml", "sea: green", "sea: teal")
    before = (package / "own.yaml").read_text()
    for sea in ("teal", "dark"):
        put(package, "store.yaml", "sea: teal", f"sea: {sea}")
        assert cli.run(["eval", "."]) == 0
        assert (package / "own.yaml").read_text() == before
        put(package, "store.yaml", f"sea: {sea}", "sea: teal")


LISTS = {
    "an argument more": ("[--a, --c]", "[--a, --b, --c]"),
    "an argument fewer": ("[--a, --b]", "[--b]"),
    "all of it": ("[--a]", "[--x, --y]"),
    "none of them": ("[--a]", "[]"),
    "a mapping in its place": ("[--a]", "{a: b}"),
    "a text in its place": ("{a: {b: c}}", "text"),
}


@pytest.mark.parametrize(("own", "generated"), LISTS.values(), ids=LISTS)
def test_a_list_without_keys_stays_whatever_the_template_becomes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, own: str, generated: str
) -> None:
    head = "apiVersion: example.com/v1\nkind: Job\nmetadata:\n  name: a\nspec:\n  args: "
    made = "".join(f"    {line}\n" for line in f"{head}{generated}".splitlines()).replace("    api", "  - api", 1)
    monkeypatch.chdir(write(tmp_path, {"fn.yaml": STORE.partition("  templates:")[0] + f"  templates:\n{made}"}))
    write(tmp_path, {"a.yaml": f"{head}{own}\n"})
    for new in (generated, "[--new, --a]", "[--b]", generated):
        put(tmp_path, "fn.yaml", made.rstrip().rpartition("args: ")[2], new)
        made = f"args: {new}"
        assert cli.run(["eval", "."]) == 0
        assert (tmp_path / "a.yaml").read_text().endswith(f"\n  args: {own}\n")


def test_a_pipe_knows_an_item_by_its_name(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It writes no mark, so each run meets the item anew: the template's values come, unless somebody says so."""
    for adopt, sky in (("", "blue"), ("  merge: {adopt: KeepLocal}\n", "black")):
        text = STORE.replace("  templates:\n", f"{adopt}  templates:\n")
        (package / "in.yaml").write_text(f"{text}---\n{OWN}")
        capfd.readouterr()
        assert cli.run(["eval", "in.yaml", "--stdout"]) == 0
        assert f'sky: "{sky}" # at night' in capfd.readouterr().out


def test_what_kubectl_has_applied_is_no_difference(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Only what somebody changed since then is theirs, and nothing to refuse: the template is as it was."""
    applied = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"colors"},"data":{"sky":"blue"}}'
    noted = f"colors\n  annotations:\n    kubectl.kubernetes.io/last-applied-configuration: '{applied}'\n"
    write(package, {"own.yaml": OWN.replace("colors\n", noted)})
    assert cli.run(["eval", ".", "--adopt", "Error"]) == 0
    assert "data.sky: this was there before it was generated: these fields keep their values" in capfd.readouterr().err
    assert 'sky: "black" # at night' in (package / "own.yaml").read_text()


def test_what_a_template_drops_beside_a_persons_field_is_told(package: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A person's mapping stays as a whole, with what was generated into it."""
    write(package, {"own.yaml": OWN.replace('  sky: "black" # at night\n', "")})
    assert cli.run(["eval", "."]) == 0
    had = (package / "own.yaml").read_text()
    assert "  moon: white\n" in had
    assert "  sea: green\n" in had
    write(package, {"store.yaml": re.sub(r"    data:\n(?:      .*\n)*", "", STORE)})
    capfd.readouterr()
    assert cli.run(["eval", "."]) == 0
    assert (package / "own.yaml").read_text() == had
    said = capfd.readouterr().err
    assert "v1/ConfigMap/colors data: the template has changed in these fields, which are yours" in said
    assert "(TemplateNotTaken)" in said
    assert cli.run(["eval", "."]) == 0
    assert "TemplateNotTaken" not in capfd.readouterr().err
