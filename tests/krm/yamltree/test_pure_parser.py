"""Without libyaml PyYAML's own parser reads: the tables have to come out the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
TABLES = ("aliases", "amending", "delete", "insert", "json", "lines", "parser", "rewrite", "set")
WITHOUT_LIBYAML = """
import sys
sys.modules["yaml._yaml"] = None
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""


def test_without_libyaml_the_tables_come_out_the_same() -> None:
    modules = [str(HERE / f"test_{name}.py") for name in TABLES]
    command = [sys.executable, "-c", WITHOUT_LIBYAML, "-q", "-p", "no:cacheprovider", *modules]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=HERE.parents[2])
    assert run.returncode == 0, run.stdout
