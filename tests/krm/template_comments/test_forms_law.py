"""The law of references in every form, KYAML among them: each follows from run to run, and goes back byte for byte.

What a field says is read by PyYAML, which knows nothing of comments (docs/reference/runs-in-place.md, "The comment").
"""

from __future__ import annotations

import os
import re
from collections import Counter
from random import Random
from typing import Any

import yaml

from tests.expand_vars.expansion.running import run
from tests.krm.template_comments.texts import restored

TIMES = 20000 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 250
SPEC = """\
record: Always
unresolved: Ignore
targets: [{fieldPaths: ["spec[*]", "spec[*][*]", "spec[*][*][*]", "spec[*][*][*][*]", "spec[*][*][*][*][*]"]}]
"""
VALUES = [
    *("eu", "us-1", "a: b", "it's", 'say "x"', "# no", "one\ntwo", "{x}", "a, b", "\u00e9\u2028", "a\tb", "x\x85y"),
    *("- abc", "", "x\n", " x", "\a", "a b c"),
]
TEMPLATES = ["$(A)", "x-$(A)", "$(A)/$(B)", "$(B)"]


class Text:
    """A random object whose spec is in brackets, or in block style."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.comments = 0
        self.templates = 0
        self._anchors: list[str] = []
        if random.random() < 0.4:
            self.text = f"apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n{self._block(1, 4)}"
        elif random.random() < 0.5:
            spec = self._collection(1, 4)
            self.text = f"apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  a: {spec}\n"
        else:
            inside = self._collection(2, 4)
            head = 'apiVersion: "e.com/v1",\n  kind: "Thing",\n  metadata: {\n    name: "a",\n  },\n'
            self.text = f"---\n{{\n  {head}  spec: {{\n    a: {inside},\n  }},\n}}\n"

    def _collection(self, depth: int, most: int) -> str:
        is_map = self._random.random() < 0.5
        kids = [self._entry(is_map, number, depth + 1, most) for number in range(self._random.randint(1, 3))]
        text = "{" if is_map else "["
        for number, kid in enumerate(kids):
            text += self._gap(depth + 1, is_first=number == 0) + kid
            text += "," if number + 1 < len(kids) or self._random.random() < 0.4 else ""
        return f"{text}{self._gap(depth, is_first=True)}{'}' if is_map else ']'}"

    def _entry(self, is_map: bool, number: int, depth: int, most: int) -> str:  # noqa: FBT001 - of this class alone
        value = self._collection(depth, most) if depth < most and self._random.random() < 0.5 else self._scalar()
        return f"k{number}: {value}" if is_map else value

    def _block(self, depth: int, most: int) -> str:
        """Return the lines of a mapping or a list in block style."""
        is_map = depth == 1 or self._random.random() < 0.5
        margin, text = "  " * depth, ""
        for number in range(self._random.randint(1, 4)):
            head = f"{margin}k{number}:" if is_map else f"{margin}-"
            kind = self._random.random()
            if kind < 0.2 and depth < most:
                text += f"{head}\n{self._block(depth + 1, most)}"
            elif kind < 0.35:
                text += f"{head} {self._collection(depth + 1, most)}\n"
            elif kind < 0.45 and self._anchors:
                text += f"{head} *{self._random.choice(self._anchors)}\n"
            elif kind < 0.75:
                text += f"{head} {self._anchor()}{self._lines(margin)}\n"
            else:
                text += f"{head} {self._anchor()}{self._scalar()}{self._random.choice(['', '', ' # mine'])}\n"
        return text

    def _anchor(self) -> str:
        if self._random.random() < 0.8:
            return ""
        self._anchors.append(f"x{len(self._anchors)}")
        return f"&{self._anchors[-1]} "

    def _lines(self, margin: str) -> str:
        """Return a text over several lines, in any style."""
        self.templates += 1
        templates = [self._random.choice(TEMPLATES) for _ in range(2)]
        deeper = margin + self._random.choice(["  ", "    "])
        words = [self._random.choice(["1", f"{one} two", one, f"  {one}", "", f"a {one}"]) for one in templates]
        words = ["zero", *words, self._random.choice(["three", "$(B)!"])]
        style = self._random.choice(["|", "|-", "|+", ">", ">-", '"', "'", "", "|2"])
        if style.strip("'\"") == "":
            return style + f"\n{deeper}".join(word.strip() for word in words if word) + style
        if style == "|2":
            style = f"|{len(deeper) - len(margin)}"
        return "\n".join([style, *(deeper + word if word else "" for word in words)])

    def _gap(self, depth: int, *, is_first: bool) -> str:
        """Return what stands between two tokens: nothing, a blank, or a line end with a comment or without."""
        if self._random.random() < 0.4:
            return "" if is_first else " "
        comment = ""
        if self._random.random() < 0.15:
            self.comments += 1
            comment = f" # c{self.comments};"
        return f"{comment}\n{'  ' * depth}"

    def _scalar(self) -> str:
        if self._random.random() < 0.3:
            return self._random.choice(["x", '"y"', "1", "'z'"])
        self.templates += 1
        template = self._random.choice(TEMPLATES)
        return self._random.choice([template, f'"{template}"', f"'{template}'", f'"{template}"'])


def check(random: Random) -> str:
    source = Text(random)
    one, other = ([(name, random.choice(VALUES)) for name in "AB"] for _ in range(2))
    ran = run(source.text, spec=SPEC, arguments=one)
    once = ran.text
    no_room = [result for result in ran.results if result.reason == "NoRoomForReference"]
    stayed = [path for one in no_room for path in [one.field or "", *(path for path, _ in one.further)]]
    for name in (f"# c{number + 1};" for number in range(source.comments)):
        assert once.count(name) == source.text.count(name)
    assert yaml.safe_load(once)["spec"] == _said(yaml.safe_load(source.text)["spec"], dict(one), "spec", stayed)
    assert run(once, spec=SPEC, arguments=one).text == once
    back, told = restored(once)
    # Without values, words that stand between words are not always found. An alias that was written out stays so.
    is_written_out = once.count("*x") < source.text.count("*x")
    assert back == source.text or is_written_out or (told and any(re.search(r"\s", value) for _, value in one))
    assert yaml.safe_load(back) == yaml.safe_load(source.text) or told
    fresh = run(source.text, spec=SPEC, arguments=other)
    if stayed or told or "NoRoomForReference" in fresh.reasons:
        return "no room"
    assert once.count("# expand: ") <= source.templates
    assert run(once, spec=SPEC, arguments=other).text == fresh.text
    return "follows" if source.templates else "nothing"


def _said(data: Any, values: dict[str, str], path: str, stayed: list[str]) -> Any:
    """Return what an object says behind a run, but for the fields that have no room for a comment."""
    if isinstance(data, dict):
        return {key: _said(value, values, f"{path}.{key}", stayed) for key, value in data.items()}
    if isinstance(data, list):
        return [_said(value, values, f"{path}[{number}]", stayed) for number, value in enumerate(data)]
    if not isinstance(data, str) or path in stayed:
        return data
    return re.sub(r"\$\((\w)\)", lambda name: values[name[1]], data)


def test_references_in_brackets_follow_and_go_back() -> None:
    counts = Counter(check(Random(seed)) for seed in range(TIMES))  # noqa: S311 - no cryptography
    # A field inside of a line with a comment of its author's is the exception.
    assert counts["follows"] > 3 * counts["no room"]
