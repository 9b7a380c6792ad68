"""Random merges of documents in brackets, beside a model that knows data alone (docs/guides/git.md, "The cascade")."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from random import Random
from typing import Any

import pytest
import yaml

from krm.file import File
from krm.git import cascade
from krm.git.line_merge import MARKER_SIZE, Labels, ThreeTexts
from krm.merge.files import composition
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy
from krm.merge.text_merge import answers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from krm.results import Output

KEYS, INNER = "abcd", "pqrst"
ABSENT = object()


class Contested(Exception):  # noqa: N818 - both sides changed one value
    """A value that both sides changed, differently."""


def document(random: Random) -> dict[str, Any]:
    values = (
        random.randint(1, 3) if random.random() < 0.5 else dict.fromkeys(random.sample(INNER, random.randint(1, 4)), 1)
        for _ in KEYS
    )
    return {"kind": "A", **dict(zip(KEYS, values, strict=True))}


def edited(random: Random, origin: dict[str, Any]) -> dict[str, Any]:
    found = deepcopy(origin)
    for _ in range(random.randint(1, 2)):
        key = random.choice(KEYS)
        value, inner = found.get(key), random.choice(INNER)
        if isinstance(value, dict) and random.random() < 0.3:
            value.pop(inner, None)
        elif isinstance(value, dict):
            value[inner] = random.randint(4, 6)
        elif random.random() < 0.2:
            found.pop(key, None)
        else:
            found[key] = random.randint(7, 9)
    return found


def expected(origin: Any, update: Any, local: Any) -> Any:
    if update in (origin, local):
        return local
    if local == origin:
        return update
    if not all(isinstance(side, dict) for side in (origin, update, local)):
        raise Contested
    sides = {key: [side.get(key, ABSENT) for side in (origin, update, local)] for key in local | update}
    merged = {key: expected(*values) for key, values in sides.items()}
    return {key: value for key, value in merged.items() if value is not ABSENT}


def kyaml(value: Any, margin: str = "") -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    lines = (f"{margin}  {key}: {kyaml(inner, f'{margin}  ')},\n" for key, inner in value.items())
    return f"{{\n{''.join(lines)}{margin}}}" if value else "{}"


STYLES = {
    "kyaml": lambda data: f"---\n{kyaml(data)}\n",
    "json": lambda data: f"{json.dumps(data, indent=2)}\n",
    "list": lambda data: json.dumps({"kind": "List", "items": [{"metadata": {"name": "a"}, **data}]}, indent=2) + "\n",
    "one line": lambda data: yaml.safe_dump(data, default_flow_style=True, width=10_000, sort_keys=False),
}


def of_lists(random: Random) -> dict[str, Any]:
    elements = [{"name": name, "v": random.randint(1, 3), "args": ["--x", "1"]} for name in random.sample(KEYS, 3)]
    return {"kind": "A", "elements": elements, "args": random.sample(INNER, 4), "none": []}


def edited_lists(random: Random, origin: dict[str, Any]) -> dict[str, Any]:
    found = deepcopy(origin)
    for _ in range(random.randint(1, 3)):
        listed = found[random.choice(("elements", "args", "none"))]
        number = random.randrange(len(listed) + 1)
        if number < len(listed) and random.random() < 0.5:
            del listed[number]
        elif listed is found["elements"] and number < len(listed):
            listed[number][random.choice(("v", "w"))] = random.randint(4, 6)
        elif listed is found["elements"]:
            listed.append({"name": random.choice("efg"), "v": random.randint(4, 6)})
        else:
            listed.insert(number, random.choice("vwxyz"))
    return found


def of_brackets(value: Any, margin: str = "") -> str:
    """Return a value as KYAML writes it, with the mappings of a list side by side."""
    if isinstance(value, list) and all(isinstance(element, dict) for element in value):
        return f"[{', '.join(of_brackets(element, margin) for element in value)}]"
    if isinstance(value, list):
        lines = (f"{margin}  {json.dumps(element)},\n" for element in value)
        return f"[\n{''.join(lines)}{margin}]"
    if isinstance(value, dict):
        lines = (f"{margin}  {key}: {of_brackets(inner, f'{margin}  ')},\n" for key, inner in value.items())
        return f"{{\n{''.join(lines)}{margin}}}"
    return json.dumps(value)


AS_BLOCKS = {
    "kyaml": lambda data: f"---\n{of_brackets(data)}\n",
    "json": lambda data: f"{json.dumps(data, indent=2)}\n",
    "one line": lambda data: "".join(f"{key}: {json.dumps(value)}\n" for key, value in data.items()),
}


@pytest.mark.parametrize("style", AS_BLOCKS)
def test_brackets_are_merged_as_blocks_are(style: str) -> None:
    """The same data in brackets give the same data, the same conflicts, and sides that can be read."""
    contested = 0
    for seed in range(60):
        random = Random(seed)  # noqa: S311 - a failure can be repeated
        origin = of_lists(random)
        sides = [origin, edited_lists(random, origin), edited_lists(random, origin)]
        blocks = merged_text([yaml.safe_dump(data, sort_keys=False) for data in sides])
        brackets = merged_text([AS_BLOCKS[style](data) for data in sides])
        read = json.loads if style == "json" else yaml.safe_load
        assert read(brackets.text) == yaml.safe_load(blocks.text), seed
        assert told(brackets) == told(blocks), seed
        contested += bool(told(blocks))
        pieces = cascade.by_fields(files([AS_BLOCKS[style](data) for data in sides]))[0]
        assert all(read(side) for side in answers(pieces)), seed
    assert 10 < contested < 50


def over_some_lines(random: Random, value: Any) -> str:
    """Return a value in brackets, in which a line of the text begins at some entries."""
    if not isinstance(value, dict):
        return str(value)
    entries = [f"{key}: {over_some_lines(random, inner)}" for key, inner in value.items()]
    gaps = [random.choice((blank, f"\n{' ' * random.randint(3, 8)}")) for blank in ["", *[" "] * len(entries)]]
    closing = gaps.pop().removeprefix(" ") if entries else ""
    return f"{{{','.join(map(str.__add__, gaps, entries))}{closing}}}"


def test_the_layout_of_brackets_is_no_conflict_and_stays_below_the_key() -> None:
    for seed in range(150):
        random = Random(seed)  # noqa: S311 - a failure can be repeated
        origin = document(random)
        sides = [origin, edited(random, origin), edited(random, origin)]
        try:
            wanted = expected(*sides)
        except Contested:
            continue
        texts = [f"x:\n  y: {over_some_lines(random, side)}\n" for side in sides]
        before, new, own = (text.encode() for text in texts)
        merged = cascade.merge(ThreeTexts(before, new, own), "a.yaml", Labels(), MARKER_SIZE)
        text = merged.text.decode()
        assert (merged.conflicts, yaml.safe_load(text)) == (0, {"x": {"y": wanted}}), seed
        assert not re.search(r"\n {0,2}[^ ]", text.removeprefix("x:\n  y")), seed
        assert not re.search(r"[^ \n] {2,}|,[^ \n]| $", text), seed
        assert merged_text(texts).text == text, seed


def files(texts: list[str]) -> Any:
    return {side: File(text, "a.yaml") for side, text in zip(SIDES, texts, strict=True)}


def merged_text(texts: list[str]) -> Output:
    origin, update, local = files(texts).values()
    return composition.merge(origin, update, local, BaseRule(Policy()))


def told(output: Output) -> list[tuple[str, str | None]]:
    return sorted((result.reason, result.field) for result in output.results)


@pytest.mark.parametrize("style", STYLES)
def test_brackets_are_merged_as_a_model_merges_their_data(style: str) -> None:
    contested = 0
    for seed in range(60):
        random = Random(seed)  # noqa: S311 - a failure can be repeated
        origin = document(random)
        update, local = edited(random, origin), edited(random, origin)
        before, new, own = (STYLES[style](data).encode() for data in (origin, update, local))
        merged = cascade.merge(ThreeTexts(before, new, own), "a.yaml", Labels(), MARKER_SIZE)
        try:
            wanted = expected(origin, update, local)
        except Contested:
            contested += 1
            assert merged.conflicts, seed
        else:
            there = yaml.safe_load(STYLES[style](wanted))
            assert (merged.conflicts, yaml.safe_load(merged.text)) == (0, there), seed
    assert 0 < contested < 30
