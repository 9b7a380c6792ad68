"""Print how large the source is: modules, lines, and lines of code alone. `make lint` ends with it."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "fn"
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def code(text: str) -> int:
    """Return the number of lines that are neither blank, nor a comment, nor part of a docstring."""
    documented = [node.body[0] for node in ast.walk(ast.parse(text)) if isinstance(node, _DOCUMENTED) and node.body]
    docstrings = {
        line
        for node in documented
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in range(node.lineno, (node.end_lineno or 0) + 1)
    }
    lines = enumerate(text.splitlines(), start=1)
    return sum(1 for number, line in lines if line.strip()[:1] not in ("", "#") and number not in docstrings)


def main() -> None:
    """Print the figures."""
    texts = [path.read_text() for path in sorted(SOURCE.rglob("*.py"))]
    lines = sum(text.count("\n") for text in texts)
    sys.stdout.write(f"fn: {len(texts)} modules, {lines:,} lines, {sum(map(code, texts)):,} of them code alone\n")


if __name__ == "__main__":
    main()
