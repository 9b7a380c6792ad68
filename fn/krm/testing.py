"""Golden folders: the tests of a function, each a folder with what comes in and what shall come out.

    testdata/
      adds-labels/
        input.yaml              a ResourceList, or plain documents
        function-config.yaml    the functionConfig, where the input holds none
        expected.yaml           the items that come out, in the shape of the input; none where the function fails
        results.yaml            the results, where there are any

`UPDATE=1 pytest` writes the last two. Read the difference before you commit it.
"""

from __future__ import annotations

import os
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from krm import resourcelist
from krm.function import running
from krm.function.object_list import ResourceList
from krm.resource import Resource
from krm.results import Result, failed
from krm.yamltree import style

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from krm.function.object_list import Processes

_INPUT, _CONFIG, _EXPECTED, _RESULTS = "input.yaml", "function-config.yaml", "expected.yaml", "results.yaml"


def golden(process: Processes, folder: str | Path) -> Callable[[Path], None]:
    r"""Return a test for pytest with one case for each folder below `folder` that holds an `input.yaml`.

    A case compares the text that comes out, byte for byte, and the results. Then it runs the function on its output,
    which must not change. `UPDATE=1` writes the expected files instead. ValueError if there is no case.

    >>> import tempfile, os
    >>> folder = tempfile.mkdtemp()
    >>> os.mkdir(os.path.join(folder, "case"))
    >>> for name in ("input.yaml", "expected.yaml"):
    ...     with open(os.path.join(folder, "case", name), "w") as file:
    ...         _ = file.write("kind: Pod\n")
    >>> test_golden = golden(lambda resource_list: None, folder)
    >>> test_golden.pytestmark[0].args[0]
    'case'
    """
    cases = sorted(path.parent for path in Path(folder).rglob(_INPUT))
    if not cases:
        raise ValueError(f"no folder below `{folder}` holds an `{_INPUT}`")

    @pytest.mark.parametrize("case", cases, ids=lambda case: case.relative_to(folder).as_posix())
    def test_golden(case: Path) -> None:
        # Bytes, since text mode would read CRLF as LF and hide its loss.
        text, results = _run(process, case, (case / _INPUT).read_bytes().decode())
        _compare(case / _EXPECTED, text)
        found: Any = [result.as_data() for result in results]
        _compare(case / _RESULTS, style.document(found) if found else "")
        # Orchestrators run a function on its own output at every render.
        if text:
            assert _run(process, case, text)[0] == text, "a second run changes the output of the first"

    return test_golden


def _run(process: Processes, case: Path, text: str) -> tuple[str, list[Result]]:
    """Return the items that come out, without results, "" if one of them is an error; and the results."""
    read = resourcelist.read(text)
    config = case / _CONFIG
    if config.exists():
        read.function_config = Resource.alone(config.read_bytes().decode(), _CONFIG)
    lost = running.apply(ResourceList(read), process)
    assert not lost, "\n".join(map(str, lost))
    results, read.results = read.results, []
    # A ResourceList comes back as it was then: there is nothing new to compare.
    if failed(results):
        return "", results
    output = read.emit()
    return output.text, [*results, *output.results]


def _compare(path: Path, text: str) -> None:
    """Compare a text with the expected one in a file, or write it there; no file is an empty text."""
    if "UPDATE" in os.environ:
        path.write_bytes(text.encode())
        # No file is how a case says that nothing comes out.
        if not text:
            path.unlink()
    expected = path.read_bytes().decode() if path.exists() else ""
    # A difference says where: the lines with `@@` have the numbers of lines.
    lines = unified_diff(expected.splitlines(), text.splitlines(), path.name, "what comes out", n=1, lineterm="")
    assert text == expected, "\n".join([f"this is not what {path.name} holds", *lines])
