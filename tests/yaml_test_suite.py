"""The public YAML test suite, passed through the filter and the cut: what libyaml takes comes out byte for byte.

    python -m tests.yaml_test_suite CLONE

CLONE is one of https://github.com/yaml/yaml-test-suite: its branch `main`, with the cases in `src`. Prints how many
texts passed and how many were refused, and each that was treated otherwise; exit code 1 where one was.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

from expand_vars import pipeline
from krm.yamltree.parser import ParseError

# The suite writes what nobody sees with visible characters.
SHOWN = {"␣": " ", "»": "\t", "—": "", "←": "\r", "⇔": "\ufeff", "↵": "", "∎\n": ""}
REFERENCE = "\n# $(NAME)\n"


def texts(clone: Path) -> list[tuple[str, str]]:
    """Return the cases of a clone, each with its name."""
    found = []
    for path in sorted((clone / "src").glob("*.yaml")):
        cases: list[dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))
        last: str = ""
        for number, case in enumerate(cases):
            last = text = str(case.get("yaml", last))
            for shown, meant in SHOWN.items():
                text = text.replace(shown, meant)
            found.append((f"{path.stem}/{number}", text))
    return found


def is_read(text: str) -> bool:
    """Say whether libyaml, the parser beneath, takes a text."""
    try:
        [*yaml.parse(text, yaml.CSafeLoader)]
    except (yaml.YAMLError, ValueError):
        return False
    return True


def treated(text: str) -> str:
    """Return what became of a text: it passed, it was refused, or anything else."""
    try:
        output = pipeline.run(text, None, [("NAME", "value")])
    except ParseError:
        return "refused"
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        return f"{type(error).__name__}: {error}"
    if output.text == text:
        return "passed"
    return "refused" if output.exit_code and not output.text else f"changed to {output.text!r}"


def main(words: list[str]) -> int:
    """Pass all cases through, each also with a comment that has a reference, and return the exit code."""
    cases, counts = texts(Path(words[0])), Counter[str]()
    for name, text in cases:
        for given in (text, text.rstrip("\n") + REFERENCE):
            became = treated(given)
            if became == "passed" or (became == "refused" and not is_read(given)):
                counts[became] += 1
            else:
                counts["wrong"] += 1
                sys.stdout.write(f"{name}: {became}\n")
    sys.stdout.write(f"{', '.join(f'{count} {became}' for became, count in sorted(counts.items()))}\n")
    return int(not cases or counts["wrong"] > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
