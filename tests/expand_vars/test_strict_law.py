"""A law: a strict run in place that succeeds leaves no reference to a variable that it was given.

Whatever stands beside a reference (comments of other tools, brackets, aliases, keys, odd spellings), the run fails, or
the reference is gone. Odd spellings in free text are warnings alone: another tool may read them.
"""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from expand_vars import __main__ as cli
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pytest

FORMS = ["$(A)", "x-$(A)", '"$(A)"', "'y$(B)'", "$(A)$(B)", "$( A )", "${A}", "$(A:-x)", "plain", "$(C)"]
BEHIND = ["", "", "", " # mine", ' # {"$imagepolicy": "n:x"}', " # kpt-set: ${a}", " # expand: $(B)", " # Expand: $(A)"]
FIELDS = [
    "    args: [&a x, *a, {}]\n",
    "    args:\n    - {}\n    - b\n",
    "    command: [{}]\n",
    "    image: {}\n",
    "    env: [{{name: E, value: {}}}]\n",
    "    env:\n    - name: E\n      value: {}\n",
    "    workingDir: {}\n",
    "    resources: {{limits: {{cpu: {}}}}}\n",
    "    args:\n    - |-\n      a\n      {}\n",
]
METADATA = ["", "  labels: {{l: {}}}\n", "  annotations:\n    a: {}\n", "  annotations: {{'{}': x}}\n"]


def _manifest(chance: Random) -> str:
    def form() -> str:
        return chance.choice(FORMS)

    def line(text: str) -> str:
        written = text.format(form()) if "'{}'" not in text else text.format(form().strip("'\""))
        return re.sub(r"\n$", lambda _: f"{chance.choice(BEHIND)}\n", written)

    head = f"apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\n{line(chance.choice(METADATA)) or ''}"
    fields = chance.sample(FIELDS, chance.randint(1, 3))
    keys = [re.findall(r"    (\w+):", field)[0] for field in fields]
    chosen = dict(zip(keys, fields, strict=True))
    return f"{head.rstrip()}\nspec:\n  containers:\n  - name: c\n{''.join(map(line, chosen.values()))}"


def _texts(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from _texts(value)
    elif isinstance(data, list):
        for one in data:
            yield from _texts(one)
    else:
        yield str(data)


def test_a_strict_run_that_succeeds_leaves_no_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    codes: list[int] = []

    @settings(max_examples=max(200, settings().max_examples), deadline=None)
    @given(st.integers(0, 2**63))
    def law(number: int) -> None:
        text = _manifest(Random(number))  # noqa: S311 - a test has no secrets
        write(tmp_path, {"pod.yaml": text.encode()})
        codes.append(cli.run(["eval", ".", "--strict", "--target", "All", "A=1", "B=2"]))
        said = capfd.readouterr().err
        if codes[-1] == 0:
            made = yaml.safe_load((tmp_path / "pod.yaml").read_text())
            left = [one for one in _texts(made) if re.search(r"\$\([AB]\)", one)]
            (container,) = made["spec"]["containers"]
            container.pop("workingDir", None)
            left += [one for one in _texts(container) if re.search(r"\$[({][ (]*[AB]\b", one)]
            assert not left, f"{text}\n{said}"

    law()
    assert {0, 1} <= {*codes}
