"""The script that weighs the annotations, on a manifest whose figures can be counted by hand, and on our examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts import weights
from scripts.weights import START, Weight, weigh

ROOT = Path(__file__).parents[3]
SETTINGS = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  b: c\n  d: e\n"
ADDED = "  annotations:\n    expandvars.dev/generated-by: ExpandVars/store /ConfigMap//a\n"
STATE = """\
# What ExpandVars/store has generated, for its next merge. Written by a program: commit it, do not edit it.
apiVersion: expandvars.dev/v1alpha1
kind: GeneratedResources
metadata:
  name: store
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  generatedBy: ExpandVars/store
  resources:
    /ConfigMap//a:
      generated: {apiVersion: v1, kind: ConfigMap, name: a, file: configmap_a.yaml}
      data: {b: cohncm, d: dphjll}
"""


OF_STATE = f"---\n{STATE}".removeprefix(START)


def test_the_weight_of_a_manifest() -> None:
    made = SETTINGS.replace("  name: a\n", f"  name: a\n{ADDED}") + f"---\n{STATE}"
    assert weights.generated(SETTINGS) == made
    assert weights.changed(SETTINGS) == SETTINGS.replace("d: e", "d: changed")
    assert weigh(SETTINGS) == Weight(len(SETTINGS), 7, len(ADDED), 2, len(OF_STATE), 3, 107, 2)


@pytest.mark.parametrize("text", ["apiVersion: v1\nkind: A\nmetadata: {name: b}\n", f"{SETTINGS[:-7]}  d: |\n    e\n"])
def test_a_manifest_without_a_field_of_one_line_that_could_change(text: str) -> None:
    changed = weights.changed(text)
    assert changed == text.replace("b: c", "b: changed")
    assert (weigh(text) or Weight(*[0] * 8)).changed == (0 if changed == text else 2)


def test_what_cannot_be_generated_has_no_weight() -> None:
    assert weigh(SETTINGS.replace("  b: c\n", "  b: c\n  b: d\n")) is None


def test_the_table_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    for name in ("a.yaml", "b.yml"):
        (tmp_path / name).write_text(SETTINGS)
    (tmp_path / "chart.yml").write_text("{{ if .Values.a }}\na: [\n")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "values.yaml").write_text("a: b\n")
    monkeypatch.setattr("sys.argv", ["weights", str(tmp_path)])
    weights.main()
    _, _, *rows = ([cell.strip() for cell in line.split("|")[1:3]] for line in capsys.readouterr().out.splitlines())
    assert [figure for _, figure in rows] == [
        f"2, {2 * len(SETTINGS)}, 14",
        "2 (most 2)",
        f"{2 * len(OF_STATE)} ({100 * len(OF_STATE) / len(SETTINGS):.0f}%)",
        "6 (43%)",
        "107 (median 107; over 200: 0)",
        "2 (most 2)",
    ]


def test_what_our_examples_weigh() -> None:
    """The aims: one line of mark on a resource, and one line of the state beside a field that changes.

    What stands in brackets has no line for the mark, or gets one for each key.
    """
    in_brackets = ("annotations: {", "metadata: {")
    listed = (text for text in weights.documents([ROOT / "examples"]) if not any(one in text for one in in_brackets))
    weighed = list(filter(None, map(weigh, listed)))
    assert len(weighed) > 20
    assert max(one.added_lines for one in weighed) <= 2
    assert {one.changed for one in weighed} <= {0, 2}
