"""The law of files in fields through `eval`: three values one after the other, then `--restore`, byte for byte."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import __main__ as cli
from tests.krm.template_comments import test_files_law as law

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("seed", range(40))
def test_values_follow_each_other_in_the_files_of_a_directory_and_go_back(
    seed: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    random = Random(seed)  # noqa: S311 - texts, no secrets
    texts = {key: law.a_file(random, is_json=key.endswith(".json")) for key in ("a.json", "b.yaml", "c.yml")}
    data = "".join(law.in_a_field(random, key, text) for key, (text, _) in texts.items())
    source = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n{data}"
    (tmp_path / "c.yaml").write_bytes(source.encode())
    values, told = {name: f"$({name})" for name in law.NAMES}, ""
    for name in random.sample(law.NAMES, 3):
        values[name] = random.choice([*law.PLAIN, *law.ODD])
        assert cli.run(["eval", str(tmp_path), "--target", "All", f"{name}={values[name]}"]) == 0
        told += capfd.readouterr().err
    assert "by hand" not in told
    written = yaml.safe_load((tmp_path / "c.yaml").read_bytes())["data"]
    followed = [key for key in texts if f"data['{key}']: no comment" not in told and f"data['{key}']: `" not in told]
    for key in followed:
        assert law.comparable(yaml.safe_load(written[key])) == law.comparable(texts[key][1](values)), written[key]
    assert followed
    assert cli.run(["eval", str(tmp_path), "--restore"]) == 0
    assert (tmp_path / "c.yaml").read_bytes().decode() == source


WHOLE = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: c}
data:
  a.json: $(CONF)
  b.yaml: "$(CONF)" # mine
  c.yaml: |
    $(CONF)
  d.yml: "x $(CONF)"
  e.yaml: |
    # $(CONF)
    note: $(CONF)
"""
WHOLES = ['{"a": "b"}', "[1, 2]", "text", "a: b", '{"a": 1}']


def test_a_value_that_is_a_whole_file_is_followed_by_the_next_one(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """The template `$(CONF)` is plain text, so what it becomes is read as plain text, whatever it looks like."""
    path = tmp_path / "c.yaml"
    path.write_text(WHOLE)
    for value in WHOLES:
        run = ["eval", str(path), "--target", "All", f"CONF={value}"]
        assert cli.run(run) == 0
        text = path.read_text()
        written = yaml.safe_load(text)["data"]
        assert yaml.safe_load(written.pop("e.yaml")) == {"note": value}
        assert written == {"a.json": value, "b.yaml": value, "c.yaml": f"{value}\n", "d.yml": f"x {value}"}
        capfd.readouterr()
        assert (cli.run(run), path.read_text()) == (0, text)
        assert capfd.readouterr() == ("nothing changes\n", "")
    assert cli.run(["eval", str(path), "--restore"]) == 0
    assert path.read_text() == WHOLE
