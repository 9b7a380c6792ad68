"""One law of edits: however a text is laid out and ends, an edit makes what was asked of the data and moves no line.

What a text says is read by PyYAML's events alone, and where an entry stands by its marks: nothing of ours judges.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import krm
from tests.krm.yamltree import model

if TYPE_CHECKING:
    from random import Random

    from tests.krm.yamltree.model import Path, Tree

TIMES = 20 * settings().max_examples
"""It takes a millisecond."""

REFUSALS = re.compile(
    "the field cannot be changed: (line [0-9]+: )?the comment `[^`]*` would be lost: "
    "delete the field that it belongs to, or set another comment"
)
"""What an edit may be refused with."""
ODD_LINES = re.compile(
    "the field cannot be changed: (line [0-9]+: )?this line ends in another way than LF and CRLF: "
    "convert the line ends of the text first"
)
"""What it may be refused with where the text has one of these."""
ODD_BREAKS = ["\r", "\x85", "\u2028", "\u2029"]

TEXTS = ["x", "8080", "", "one\ntwo", "a\n\n", "tab\t", "one\ntwo\n", " x", "# no"]
VALUES: list[Any] = [*TEXTS, 1, None, True, ["x"], {"k": "v"}, {"k": ["a\nb\n"]}]
PLAIN = ["x", "1", "", "'q: u'", '"d\\n"', "a\n  b", "{}", "[]", "{a: 1, b: {c: x}}", "[x, {a: 1}]", '"a\n\n  b"']
KYAML = ['{\n  a: "x",\n  b: [\n    "y",\n  ],\n}', '[{\n  a: "x",\n}, {\n  a: "y", # c\n}]', "{\n  a: 1 }"]
SHARED = ["x", "{a: x}", "|\n  one", "[1]", "\n  a: 1\n  b: 2"]
HEADERS = ["|", "|-", "|+", ">", ">-", ">+", "|2", ">2-", "|2+ # c"]
BLOCKS = [
    "one",
    "one\ntwo",
    "one\n\n  two",
    "one\n\n",
    "one\n  ",
    "  \none",
    "# one",
    "one  ",
    "- one",
    "\n\none\n \n  ",
]
ENDS = [
    "",
    "\n",
    "\n\n\n",
    "  ",
    "\n   ",
    "\n        ",
    "\n\n      \n    ",
    "\n# end",
    "\n    # end",
    "\n\n  # end\n   ",
]
CLOSED = ["", "\n...", "\n...\n", "\n... # c\n# d", "\n---", "\n---\n", "\n--- # e\n...\n", "\n---\n---\n# f"]
FRONTS = ["", "---\n", "# c\n\n", "# c\n--- # d\n", "---\n---\n", "%YAML 1.1\n---\n", "--- # e\n...\n---\n", "\n\n"]
RESOURCE_LIST = "apiVersion: config.kubernetes.io/v1"
LISTS = [
    f"{RESOURCE_LIST}\nkind: ResourceList\nitems:\n- kind: First",
    "apiVersion: v1\nkind: List\nitems:\n- kind: First\n  text: |+\n    one\n",
]
OTHER = "kind: ConfigMap\nmetadata:\n  name: other\ndata:\n  f: {}\n    one\n"


class Text:
    """A text that is drawn, with an object among others: in a document of its own, or at `base` of a list."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.anchors: list[str] = []
        body = ["kind: Edited", *self.entry("metadata", "{name: edited}"), *self.mapping(2, "spec", "data", "on")]
        body[1:1] = ["# long" * 40] if self.chance(50) else []
        end = self.one_of(ENDS)
        front, behind = "", self.one_of(CLOSED)
        self.base: Path = ()
        if self.chance(30):
            self.base = ("items", 1)
            first, *more = body
            body = [*self.one_of(LISTS).split("\n"), f"- {first}", *(f"  {line}" for line in more)]
            body += ["- kind: Last"] if self.chance(40) else []
        is_alone = body[0] == RESOURCE_LIST
        if not is_alone and self.chance(30):
            front, behind = OTHER.format(self.one_of(HEADERS[:6])) + self.one_of(ENDS[1:3]) + "---\n", ""
        if not is_alone and self.chance(30):
            behind = "\n---\n" + OTHER.format(self.one_of(HEADERS[:6])) + self.one_of(ENDS)
        text = self.one_of(FRONTS) + front + "\n".join(body) + end + behind
        if self.chance(25):
            text = text.replace("\n", "\r\n")
        self.is_odd = self.chance(15)
        if self.is_odd:
            place = self.one_of([found.start() for found in re.finditer("\n", text)])
            text = text[:place] + self.one_of(ODD_BREAKS) + text[place + 1 :]
        self.mark = "\ufeff" if self.chance(15) else ""
        self.text = text

    def one_of(self, options: list[Any]) -> Any:
        return self.random.choice(options)

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) >= 100 - percent

    def mapping(self, depth: int, *keys: str) -> list[str]:
        """Return the lines of the entries of a mapping."""
        keys = keys or ("a", "b", "c")
        return [line for key in keys[: self.random.randint(1, len(keys))] for line in self.of_key(key, depth)]

    def of_key(self, key: str, depth: int) -> list[str]:
        above = [self.one_of(["# of " + key, "", "", "      ", "        # deeper"])] if self.chance(25) else []
        return above + self.entry(key, self.value(depth))

    def entry(self, key: str, value: str) -> list[str]:
        """Return the lines of an entry. What starts with a line end stands below its key."""
        gap = "" if value.startswith("\n") else " "
        comment = " # c" if value[:1] not in ("|", ">", '"', "{", "[") and self.chance(15) else ""
        first, *more = f"{key}:{gap}{value}".split("\n")
        return [first.rstrip(" ") + comment if not more or not gap else first, *more]

    def value(self, depth: int) -> str:
        """Return the lines of a value as one text, those below its key without the margin of that."""
        kind = self.random.randrange(10)
        if kind < 3:
            return "\n  ".join([self.one_of(HEADERS), *self.one_of(BLOCKS).split("\n")])
        if kind == 3:
            return str(self.one_of(KYAML)).replace("\n", "\n  ")
        if kind == 4:
            return self.shared()
        if kind < 7 or not depth:
            return str(self.one_of(PLAIN))
        if kind == 7:
            return self.indented(self.elements(depth - 1), self.one_of(["", "  "]))
        return self.indented(self.mapping(depth - 1), "  ")

    def shared(self) -> str:
        """Return an alias, or a value with an anchor."""
        if self.anchors and self.chance(50):
            return f"*{self.one_of(self.anchors)}"
        self.anchors.append(f"x{len(self.anchors)}")
        return f"&{self.anchors[-1]} {self.one_of(SHARED)}"

    def elements(self, depth: int) -> list[str]:
        lines = []
        for _ in range(self.random.randint(1, 3)):
            if self.chance(50):
                first, *more = self.mapping(depth, "name", "b")
                if first.strip()[:1] in ("", "#"):
                    first, *more = more
            else:
                first, *more = self.value(0).split("\n")
            lines += [f"- {first}", *(f"  {line}" for line in more)]
        return lines

    def indented(self, lines: list[str], margin: str) -> str:
        more = [f"{margin}  # below"] if self.chance(10) else []
        return "".join(f"\n{margin}{line}" for line in lines + more)


class Edit(NamedTuple):
    """An edit, and what it makes of the data."""

    verb: str
    path: Path
    value: Any
    expected: Tree

    def make(self, item: krm.Resource) -> None:
        """Do it."""
        # A path of a tuple says each step.
        if self.verb == "append":
            item.append(self.path, self.value)
        elif self.verb == "delete":
            item.delete(self.path)
        elif self.verb == "rename":
            value = item.get(self.path)
            item.delete(self.path)
            item.set((*self.path[:-1], "renamed"), value)
        else:
            item.set(self.path, self.value)


def drawn_edit(random: Random, root: Tree) -> Edit | None:
    """Return an edit of the object that has this tree."""
    verb = random.choice(["set", "add", "append", "delete", "rename"])
    value = random.choice(VALUES)
    there = {path: model.find(root, path) for path in model.paths(root)}
    fitting = [path for path, node in there.items() if fits(verb, path, node)]
    if not fitting:
        return None
    path = random.choice(fitting)
    if verb == "append":
        return Edit(verb, path, value, model.after_insert(root, path, len(there[path]), value))
    if verb == "add":
        path = (*path, "added")
        return Edit(verb, path, value, model.after_set(root, path, value))
    if verb == "set":
        return Edit(verb, path, value, model.after_set(root, path, value))
    expected = model.after_delete(root, path)
    if verb == "rename":
        model.find(expected, path[:-1])["renamed"] = there[path]
    return Edit(verb, path, None, expected)


def fits(verb: str, path: Path, node: Tree) -> bool:
    """Say whether a verb can do something at a path. What makes the object the one that is edited stays."""
    if path[:1] in (("kind",), ("metadata",)):
        return verb == "add" and path == ("metadata",)
    if verb == "append":
        return isinstance(node, list)
    if verb == "add":
        return isinstance(node, dict)
    return bool(path) and (verb != "rename" or isinstance(path[-1], str))


def entries(node: yaml.Node) -> list[tuple[Any, yaml.Node, yaml.Node]]:
    """Return the entries or elements of a collection: key or number, the node that starts it, its value."""
    if isinstance(node, yaml.MappingNode):
        return [(key.value, key, value) for key, value in node.value]
    return [(number, kid, kid) for number, kid in enumerate(node.value)]


def found(root: yaml.Node, path: Path, end: int) -> tuple[yaml.Node, int, int]:
    """Return the node at a path with its first line and the line behind its last; of one in brackets those of these."""
    node, first, last = root, root.start_mark.line, end
    for step in path:
        number, start, kid = next((n, start, kid) for n, (key, start, kid) in enumerate(entries(node)) if key == step)
        if is_block(node):
            more = [start.start_mark.line for _, start, _ in entries(node)[number + 1 :]]
            first, last = start.start_mark.line, min([*more, last])
        node = kid
    return node, first, last


def is_block(node: yaml.Node, size: int = 1) -> bool:
    """True for a collection in lines with so many entries."""
    return isinstance(node, yaml.CollectionNode) and not node.flow_style and len(node.value) >= size


def span(edit: Edit, root: yaml.Node, lines: list[str], end: int) -> tuple[int, int]:
    """Return the first line that an edit may change, and the one behind the last. Comments above may come with it."""
    path = edit.path
    if edit.verb in ("add", "rename"):
        path = path[:-1]
    elif edit.verb == "delete":
        parent, _, _ = found(root, path[:-1], end)
        if not is_block(parent, 2) or entries(parent)[0][0] == path[-1]:
            path = path[:-1]
    _, first, last = found(root, path, end)
    while first and lines[first - 1].strip()[:1] in ("", "#"):
        first -= 1
    return first, last


def is_within(part: list[str], lines: list[str]) -> bool:
    """True if all lines of a part are among others in this order."""
    rest = iter(lines)
    return all(line in rest for line in part)


def lines_of(text: str, *, is_open: bool) -> list[str]:
    """Return the lines of a text. One that is open ends in no line end, and the header of a block may say so: `|-`."""
    lines = text.replace("\r\n", "\n").split("\n")
    return [re.sub(r"([|>]\d?)[+-]?( # c)?$", r"\1-\2", line) for line in lines] if is_open else lines


def check_lines(edit: Edit, number: int, before: str, after: str) -> None:
    """Hold the lines of a text against those that an edit may change."""
    root = [*yaml.compose_all(before, Loader=yaml.CSafeLoader)][number]
    is_open = not before.endswith("\n")
    old, new = lines_of(before, is_open=is_open), lines_of(after, is_open=is_open)
    starts = (n for n, line in enumerate(old) if n > root.start_mark.line and re.match(r"(---|\.\.\.)(\s|$)", line))
    end = next(starts, len(old))
    first, last = span(edit, root, old, end)
    assert new[:first] == old[:first]
    assert new[len(new) - len(old) + last :] == old[last:]
    above, _, _ = found(root, edit.path if edit.verb == "append" else edit.path[:-1], end)
    if edit.verb in ("add", "append") and is_block(above):
        assert is_within(old, new)
    if edit.verb == "delete" and is_block(above, 2) and entries(above)[0][0] != edit.path[-1]:
        assert is_within(new[:-1], old)


def is_edited(tree: Tree) -> bool:
    """True if this is the tree of the object that is edited."""
    return isinstance(tree, dict) and tree["kind"].text == "Edited"


def check(random: Random) -> str:
    """Make a random edit of a random text, and return what came of it."""
    text = Text(random)
    try:
        trees = model.trees(text.text)
    except yaml.YAMLError:
        return "no YAML"
    number = next(n for n, tree in enumerate(trees) if is_edited(model.find(tree, text.base)))
    edit = drawn_edit(random, model.find(trees[number], text.base))
    if edit is None:
        return "nothing to edit"

    refused: list[str] = []

    def make(resource_list: krm.ResourceList) -> None:
        (item,) = resource_list.where("Edited")
        try:
            with item.edit():
                edit.make(item)
        except krm.FnError as error:
            refused.extend(result.message for result in error.results)

    output = krm.transform(text.mark + text.text, make)
    if refused:
        (message,) = refused
        assert REFUSALS.fullmatch(message) or (text.is_odd and ODD_LINES.fullmatch(message)), message
        assert output.text == text.mark + text.text
        return f"{edit.verb}: refused"
    assert output.text.startswith(text.mark)
    after = output.text.removeprefix(text.mark)
    expected = model.after_put(trees[number], text.base, edit.expected)
    assert model.trees(after) == [*trees[:number], expected, *trees[number + 1 :]]
    if "\r\n" in text.text and not text.is_odd:
        assert after.count("\r\n") == after.count("\n")
    if "*" not in text.text and not text.is_odd:
        check_lines(edit._replace(path=(*text.base, *edit.path)), number, text.text, after)
    return edit.verb


@settings(max_examples=TIMES, suppress_health_check=[HealthCheck.too_slow])
@given(st.randoms())
def test_an_edit_makes_what_was_asked_and_moves_no_other_line(random: Random) -> None:
    event(check(random))
