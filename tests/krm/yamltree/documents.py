"""Random YAML as people write it, only messier: comments everywhere, every style, anchors, merges, CRLF."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import strategies as st

from tests.krm.yamltree import model

KEYS = ["a", "b", "name", "k-1", '"q"', "'s'", "on", "8080", "é", "😀", '"x: y"', "~"]
COMMENTS = ["# c", "#", "# a: b", "# - x", "#\ttab", "# 😀", "# 'q\"", "# $(X)"]
WORDS = ["x", "on", "8080", "1e3", "$(X)", "a $(X) b", "http://$(X):80", "é 😀", "~", "null", "x#y", "10.0.0.1"]
QUOTED = [
    "''",
    '""',
    "'it''s $(X)'",
    '"\\u00e9 \\x41 $(X)"',
    '"# no"',
    "'- x'",
    '"\\ud83d\\ude00"',
    '"a\\\\"',
    "'a: b'",
]
LINES = ["one", "  two $(X)", "", "# no comment", "- x", "k: v", "\ttab", "...x", "'", "trailing "]
STRINGS = [
    *("x", "a b", "on", "8080", "", "a: b", "a #b", "- x", "it's", '"', "\\", "*a", "😀", "a, b", "[x]", "a\tb"),
    *("one\ntwo\n", "one\ntwo", "one\n\n", " x\ny", "\n", "a\r\nb", "x \ny", "# x\ny", "\u2028", "\ufeff", "\x7f"),
]
values: st.SearchStrategy[Any] = st.recursive(
    st.sampled_from(STRINGS) | st.sampled_from([None, True, 0, -3, 1.5]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(STRINGS[:16]), inner, max_size=3),
    max_leaves=4,
)


class _Writer:
    """Writes one document. `anchors` are those of finished nodes, the names of mappings apart."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.lines: list[str] = []
        self.anchors: list[str] = []
        self.mappings: list[str] = []

    def one_of(self, *options: Any) -> Any:
        return self.draw(st.sampled_from(options))

    def chance(self, percent: int) -> bool:
        return bool(self.draw(st.integers(0, 99)) >= 100 - percent)

    def comment(self) -> str:
        return self.one_of(" ", "  ", "\t ") + self.one_of(*COMMENTS) if self.chance(20) else self.one_of("", "", " ")

    def between(self, column: int) -> None:
        """Write comment lines and blank ones."""
        while self.chance(25):
            column = max(0, column + self.one_of(0, 0, 0, 2, -2))
            self.lines.append(self.one_of(" " * column + self.one_of(*COMMENTS), "", "  "))

    def block(self, column: int, depth: int, opening: str = "") -> None:
        """Write the entries of a block collection, the first one behind `opening`, if that is in its line."""
        is_list = self.chance(40)
        keys = self.draw(st.lists(st.sampled_from(KEYS), min_size=1, max_size=4, unique=True))
        if not is_list and self.mappings and self.chance(30):
            keys.insert(self.draw(st.integers(0, len(keys))), "<<")
        for key in keys:
            if not opening:
                self.between(column)
            self.entry(opening or " " * column, "-" if is_list else f"{key}:", column, depth)
            opening = ""

    def entry(self, margin: str, head: str, column: int, depth: int) -> None:
        if head == "<<:":
            self.lines.append(f"{margin}<<: *{self.one_of(*self.mappings)}{self.comment()}")
        elif depth and self.chance(35):
            self.nested(margin, head, column, depth)
        elif self.chance(20):
            self.literal(f"{margin}{head} {self.anchor()}", column)
        else:
            value = self.inline(depth, flow=False)
            self.lines.append(f"{margin}{head} {value}".rstrip(" ") + self.comment())

    def nested(self, margin: str, head: str, column: int, depth: int) -> None:
        """Write a block collection below its key or dash, or in the line of the dash."""
        inner = column + self.one_of(1, 2, 2, 2, 4)
        if head == "-" and inner > column + 1 and self.chance(70):
            self.block(inner, depth - 1, f"{margin}-{' ' * (inner - column - 1)}")
            return
        anchor = f"m{len(self.anchors)}" if self.chance(20) else ""
        self.lines.append(f"{margin}{head}{f' &{anchor}' if anchor else ''}{self.comment()}")
        start = len(self.lines)
        self.block(inner, depth - 1)
        first = next(line.lstrip() for line in self.lines[start:] if line.strip() and not line.lstrip().startswith("#"))
        if anchor:
            self.anchors.append(anchor)
            self.mappings += [anchor] if not first.startswith("-") else []

    def literal(self, head: str, column: int) -> None:
        style = self.one_of("|", "|-", "|+", ">", ">-", "|2", ">2-")
        self.lines.append(f"{head}{style}{self.one_of('', '', ' # c')}")
        margin = " " * (column + 2)
        for line in ["x", *self.draw(st.lists(st.sampled_from(LINES), max_size=3))]:
            self.lines.append(margin + line if line else line)

    def anchor(self) -> str:
        if not self.chance(8):
            return ""
        self.anchors.append(f"s{len(self.anchors)}")
        return f"&{self.anchors[-1]} "

    def inline(self, depth: int, *, flow: bool) -> str:
        """Return a scalar, an alias or a flow collection, or nothing."""
        kind = self.draw(st.integers(0, 9))
        if kind == 0 and self.anchors:
            return f"*{self.one_of(*self.anchors)}" + (" " if flow else "")
        if kind <= 1 and not flow:
            return ""
        if kind <= 3 and depth:
            return self.flow(depth - 1)
        return self.anchor() + self.one_of(*WORDS, *QUOTED)

    def flow(self, depth: int) -> str:
        count = self.draw(st.integers(0, 3))
        gap = self.one_of(" ", " ", "", "  ")
        if self.chance(50):
            return "[" + f",{gap or ' '}".join(self.inline(depth, flow=True) for _ in range(count)) + "]"
        keys = self.draw(st.lists(st.sampled_from(KEYS), min_size=count, max_size=count, unique=True))
        pairs = [f"{key}: {self.inline(depth, flow=True)}" for key in keys]
        return "{" + gap + f",{gap or ' '}".join(pairs) + gap + "}"


@st.composite
def documents(draw: st.DrawFn) -> str:
    """Return the text of a document that PyYAML reads, of one block collection."""
    writer = _Writer(draw)
    writer.lines += draw(st.sampled_from([[], [], ["# top", ""], ["---"], ["--- # c"]]))
    writer.block(0, 3)
    writer.between(0)
    end = draw(st.sampled_from(["\n", "\n", "\n", "\r\n"]))
    return end.join(writer.lines) + draw(st.sampled_from([end, end, end, ""]))


def is_read(text: str) -> bool:
    """Say whether PyYAML reads a text, which a random one need not be."""
    try:
        model.trees(text)
    except yaml.YAMLError:
        return False
    return True
