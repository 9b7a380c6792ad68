"""The completion in a real zsh and a real fish, which read the line that docs/reference/command-line.md has.

For bash tests/expand_vars/test_options.py asks the function: bash is on each machine.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.pages import Page

pytestmark = pytest.mark.e2e

OF_ZSH, OF_FISH = "source <(expand-vars completion zsh)", "expand-vars completion fish | source"
# As zsh completes behind a Tab, in a shell that has read no other settings. Who completes interactively has `compadd`.
ZSH = f"""\
{OF_ZSH}
words=("$@")
CURRENT=$#
compadd() {{ print -rl -- $matches }}
${{=_comps[expand-vars]}}
"""
LINES = {
    ("expand-vars", "ev"): ["eval"],
    ("expand-vars", "eval", ".", "--ch"): ["--changed-since", "--check"],
    ("expand-vars", "explain", "--output", "j"): ["json"],
    ("expand-vars", "--record", "N"): ["Never"],
}


def test_the_page_has_both_lines() -> None:
    text = " ".join(Page("command-line").path.read_text().split())
    assert f"`{OF_ZSH}`" in text
    assert f"`{OF_FISH}`" in text


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_zsh(zsh: str, words: tuple[str, ...]) -> None:
    assert completed(zsh, "-f", "-c", ZSH, "zsh", *words, word=words[-1]) == LINES[words]


@pytest.mark.parametrize("words", LINES, ids=" ".join)
def test_fish(fish: str, words: tuple[str, ...]) -> None:
    asked = f"{OF_FISH}; complete --do-complete '{' '.join(words)}'"
    assert completed(fish, "--no-config", "--command", asked, word=words[-1]) == LINES[words]


def completed(*command: str, word: str) -> list[str]:
    """Return what a shell offers for a word, without what a line says behind it."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return sorted({line.partition("\t")[0] for line in done.stdout.splitlines() if line.startswith(word)})
