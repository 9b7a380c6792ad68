"""Texts to try laws on: the files of testdata and examples, and what random changes make of them."""

from __future__ import annotations

import random
import zlib
from pathlib import Path

from tests.fuzz.laws import BORDER, OF_THREE
from tests.process import ROOT

FOUND = Path(__file__).with_name("found")
LARGEST = 20_000
TOKENS = (
    *("$(A)", "$(B)", "$(X)", "$$(A)", "$(", ")", "$$", "*a", "&a ", "<<: *a", "!!str ", "!x ", "|\n", ">-\n", "|2-\n"),
    *(
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "\ufeff",
        "\r\n",
        "\r",
        "\t",
        "\x85",
        "\u2028",
        "\0",
        "\x1b",
        "\\",
        "\\ud83d",
        "😀",
    ),
    *(
        "{",
        "}",
        "[",
        "]",
        ", ",
        ": ",
        "? ",
        "- ",
        "#",
        " #",
        "'",
        '"',
        "''",
        '""',
        "~",
        "null",
        "0777",
        "1e3",
        "yes",
        "=",
    ),
    *(
        "apiVersion: v1\n",
        "kind: List\n",
        "items:\n",
        "metadata:\n",
        "  name: a\n",
        "annotations: {}\n",
        "generateName: b\n",
    ),
    *(
        "kind: ResourceList\n",
        "functionConfig:\n",
        "results: []\n",
        "spec: null\n",
        "$patch: delete\n",
        "valueFrom: {}\n",
    ),
)


def corpus(law: str) -> list[str]:
    """Return the texts from which cases of a law are made: those that were found first."""
    found = [path.read_bytes().decode() for path in sorted(FOUND.glob(f"{law}-*"))]
    if law in OF_THREE:
        folders = sorted({path.parent for path in ROOT.glob("testdata/krm/*/*/origin.yaml")})
        texts = [[folder / f"{side}.yaml" for side in ("origin", "update", "local")] for folder in folders]
        sides = [
            [path.read_bytes().decode(errors="ignore") if path.exists() else "" for path in paths] for paths in texts
        ]
        return [*found, *(BORDER.join(one) for one in sides if sum(map(len, one)) < LARGEST)]
    paths = [path for folder in ("testdata", "examples") for path in sorted((ROOT / folder).rglob("*.yaml"))]
    return [*found, *(path.read_bytes().decode(errors="ignore") for path in paths if path.stat().st_size < LARGEST)]


def changed(texts: list[str], dice: random.Random) -> str:
    """Return one of the texts after a few random changes; one time in twenty something in it comes very often."""
    text = dice.choice(texts)
    for _ in range(dice.choice((0, 1, 1, 2, 3, 5, 9))):
        text = dice.choice(CHANGES)(text, texts, dice)
    return repeated(text, dice) if dice.random() < 1 / 20 else text


def die(text: str) -> random.Random:
    """Return the die of a case: its throws depend on the text alone."""
    return random.Random(zlib.crc32(text.encode(errors="replace")))  # noqa: S311 - no secret is made of it


def span(text: str, dice: random.Random) -> tuple[int, int]:
    """Return a random span of a text: of characters, or of whole lines."""
    start = dice.randrange(len(text) + 1)
    if dice.random() < 0.5:
        start = text.rfind("\n", 0, start) + 1
        end = start
        for _ in range(dice.choice((1, 1, 2, 4))):
            end = text.find("\n", end) + 1 or len(text)
        return start, end
    return start, min(len(text), start + dice.choice((0, 1, 2, 5, 20)))


def inserted(text: str, _: list[str], dice: random.Random) -> str:
    """Put a token somewhere, or in the place of something."""
    start, end = span(text, dice)
    return text[:start] + dice.choice(TOKENS) + text[start if dice.random() < 0.5 else end :]


def deleted(text: str, _: list[str], dice: random.Random) -> str:
    """Take something out."""
    start, end = span(text, dice)
    return text[:start] + text[end:]


def copied(text: str, texts: list[str], dice: random.Random) -> str:
    """Bring something in from another text, or from this one."""
    source = dice.choice((text, dice.choice(texts)))
    start, end = span(source, dice)
    position, _ = span(text, dice)
    return text[:position] + source[start:end] + text[position:]


def shifted(text: str, _: list[str], dice: random.Random) -> str:
    """Give lines another margin."""
    start, end = span(text, dice)
    margin = dice.choice((" ", "  ", "\t", "- "))
    return text[:start] + "".join(f"{margin}{line}" for line in text[start:end].splitlines(keepends=True)) + text[end:]


def ended(text: str, _: list[str], dice: random.Random) -> str:
    """Give lines other ends, or the text another end."""
    return dice.choice((text.replace("\n", "\r\n"), text.rstrip("\n"), text + "\n\n", text.replace("\n", "\r", 1)))


def repeated(text: str, dice: random.Random) -> str:
    """Repeat something until the text has up to 200 kB."""
    start, end = span(text, dice)
    count = dice.choice((10, 100, 1000, 200_000)) // max(1, end - start) + 2
    return text[:start] + text[start:end] * count + text[end:]


CHANGES = (inserted, inserted, deleted, copied, shifted, ended)
