"""A cut is the whole parse or it is not made."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from yaml import cyaml, events

from krm.yamltree import cuts, parser
from krm.yamltree import events as read_events
from krm.yamltree.parser import ParseError

TEXTS = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- apiVersion: v1
  a: |
    x
  b: [1,
    2]
- kind: Service
  c: 'it''s'
  # comment
functionConfig:
  kind: ConfigMap
  data: {a: b}
=====
kind: List
items:
  - a: "x
      y"
    b:
      - 1
      - - 2
  - a: &a
      c: 1
    d: *a

  - e
results:
- message: m
=====
# head
items:
- a: 1

- - b
  - c
- {d: 1,
  e: 2}
- f: >-
    folded

    text
# tail
kind: ResourceList
=====
kind: List
items: # all
-
  a: 1
- b
-
  - c
=====
---
items:
- ? a
  : b
- !!str c
- null
"""
LISTS = TEXTS.split("=====\n")
HAZARDS = [
    *('"', "'", "[", "]", "{", "}", "- ", "-", "-\n", "\n- ", "\n-\n", "\n  - ", "\n", " ", "  ", "\t", "#", " # c\n"),
    *("|\n", ">\n", "|2\n", "|+\n", ":", ": ", "? ", "&a ", "*a", "*b", "!t ", "!!map ", "---\n", "\n---\n", "...\n"),
    *("\nitems:\n", "items:\n- 0\n", "\nkind: x\n", "\nfunctionConfig: y\n", '"\nitems:\n- "', "%YAML 1.1\n", "\n%"),
    *("\r", "\r\n", "\x85", "\u2028", "\ufeff", "\\", "\U0001f600", "é", "<<: *a\n", "key", "\n \t\n", "\n# c\n", ","),
]
SEEDS = st.integers(0, 2**64).map(Random)


def mutated(text: str, random: Random) -> str:
    """Return a text with a few hazards in it, and a few parts of it gone, or again elsewhere."""
    for _ in range(random.choice((1, 1, 1, 2, 2, 3, 4))):
        position = random.randrange(len(text) + 1)
        if random.random() < 0.5:  # half of them where a line starts
            position = text.rfind("\n", 0, position) + 1
        other = random.randrange(len(text) + 1)
        end = min(position + random.choice((1, 1, 2, 5, 20)), len(text))
        change = random.randrange(4)
        if change == 0:
            text = text[:position] + text[end:]
        elif change == 1:
            text = text[:other] + text[position:end] + text[other:]
        else:
            text = text[:position] + random.choice(HAZARDS) + text[position:]
    return text


def seen(text: str) -> list[tuple[Any, ...]]:
    """Return the events of a text, without those of the stream and of documents."""
    without = events.StreamStartEvent, events.StreamEndEvent, events.DocumentStartEvent, events.DocumentEndEvent
    fields = "anchor", "tag", "value", "style", "implicit", "flow_style"
    return [
        (type(got).__name__, *(getattr(got, field, None) for field in fields))
        for got in iter(cyaml.CParser(text).get_event, None)  # type: ignore[attr-defined]
        if not isinstance(got, without)
    ]


def elements(events: list[tuple[Any, ...]]) -> list[list[tuple[Any, ...]]]:
    """Return the events of each element of the sequence that the first event starts."""
    assert events[0][0] == "SequenceStartEvent"
    found: list[list[tuple[Any, ...]]] = []
    depth = 0
    for got in events:
        starts, ends = got[0].endswith("StartEvent"), got[0].endswith("EndEvent")
        depth -= ends
        if depth == 0 and ends:
            return found
        if depth == 1 and not ends:
            found.append([])
        if depth:
            found[-1].append(got)
        depth += starts
    raise AssertionError("the sequence does not end")


def items_of(text: str) -> list[list[tuple[Any, ...]]]:
    """Return the events of each element of `items`, the one that the parser of the whole text finds."""
    events = seen(text)
    depth, is_key = 0, True
    for number, got in enumerate(events):
        starts, ends = got[0].endswith("StartEvent"), got[0].endswith("EndEvent")
        depth -= ends
        if depth == 1:
            if is_key and got[3] == "items":
                return elements(events[number + 1 :])
            is_key = is_key if ends else not is_key
        depth += starts
    raise AssertionError("there are no items")


def accepted(text: str) -> bool:
    """Say whether the text is cut, and if so make sure that the parts are the items."""
    cut = cuts.block_list(text, "items")
    if cut is None:
        return False
    parts = [text[slice(*span)] for span in cut.spans]
    found = [elements(seen(part)) for part in parts]
    assert found == [[item] for item in items_of(text)]
    assert "&" not in text or all(names_its_own(item) for (item,) in found)
    start, end = cut.spans[0][0], cut.spans[-1][1]
    assert "".join(parts) == text[start:end]
    assert cut.frame == f"{text[:start]}{parts[0].partition('-')[0]}- 0\n{text[end:]}"
    return True


def names_its_own(item: list[tuple[Any, ...]]) -> bool:
    """Say whether every alias of an item names an anchor above it in that item."""
    anchors: set[str] = set()
    for name, anchor, *_ in item:
        if name == "AliasEvent" and anchor not in anchors:
            return False
        anchors.add(anchor)
    return True


@given(st.sampled_from(LISTS), SEEDS)
def test_the_parts_of_a_list_are_its_elements(text: str, random: Random) -> None:
    event(f"cut: {accepted(mutated(text, random))}")


@pytest.mark.parametrize("text", LISTS)
def test_lists_as_they_are_written_are_cut(text: str) -> None:
    assert accepted(text)


@pytest.mark.parametrize(
    "text",
    [
        'a: "x\nitems:\n- y\nb: "\nitems:\n- 1\n',
        "items:\n- a: &x 1\n- b: *x\n",
        "items:\n- 1\nitems:\n- 2\n",
        "items:\n- 1\n? a\n: b\n",
        "items:\n- 1\n&x a: b\n",
        "items:\n- 1\n- 2: [\n- 3\n",
        "items:\n# c\n- 1\n",
        "items: [1]\n",
        "- items:\n",
        "items:\n-",
        "items:\n- 1\r\n",
        "items:\n- \x85\n",
        "a: [\nitems:\n- 1\n",
        "items:\n- 1\nb: *x\n",
        "{a: 1,\nitems:\n- 1\n}\n",
    ],
)
def test_what_cannot_be_shown_to_be_a_list_is_not_cut(text: str) -> None:
    assert cuts.block_list(text, "items") is None


@given(st.sampled_from(LISTS), st.sampled_from(LISTS), SEEDS)
def test_documents_are_those_of_the_whole_parse(first: str, second: str, random: Random) -> None:
    text = mutated(f"{first}---\n{second}", random)
    try:
        parts = cuts.documents(text)
    except ParseError:
        event("no YAML")
        return
    assert "".join(text[slice(*span)] for span, _ in parts) == text
    whole = seen(text)
    assert [got for span, _ in parts for got in seen(text[slice(*span)])] == whole
    starts = [got for got in whole if got[0] in ("MappingStartEvent", "SequenceStartEvent")]
    assert bool(starts) == any(holds_more for _, holds_more in parts)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a: 1\n", [True]),
        ("# c\n---\na: 1\n---\n[]\n", [True, True]),
        ("# c\n", [False]),
        ("", [False]),
        ("---\n---\nx\n---\n# c\n---\n{}", [False, False, False, True]),
        ("a: 1\n...\n# c\n---\nb: 1\n...\n", [True, True]),
        ("a: 1\r---\rb: 2\r", [True, True]),
        ("%YAML 1.1\n---\na: 1\n", [True]),
    ],
)
def test_documents_tell_whether_they_hold_more_than_a_scalar(text: str, kinds: list[bool]) -> None:
    assert [holds_more for _, holds_more in cuts.documents(text)] == kinds


@pytest.mark.pure
def test_many_brackets_that_each_line_closes_are_read_at_the_speed_of_c(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "items:\n- a:\n" + "  - {b: c}\n" * 2_001
    monkeypatch.setattr(read_events, "_STARTS", None)
    assert cuts.documents(text) == [((0, len(text)), True)]
    assert cuts.block_list(text, "items") is not None


def test_the_line_of_a_mistake_is_that_of_the_whole_text() -> None:
    with pytest.raises(ParseError, match=r"^line 4, column 5: "):
        cuts.documents("a: 1\n---\nb: 2\nc: d: e\n")


# A literal DEL is JSON, but not YAML: it is refused by name.
LEAVES = st.none() | st.integers() | st.text(st.characters(exclude_characters="\x7f", exclude_categories=["Cs"]))


@given(st.lists(st.recursive(LEAVES, st.lists, max_leaves=5)), st.sampled_from([None, 2]), SEEDS)
def test_the_parts_of_a_json_array_are_its_elements(values: list[Any], indent: int | None, random: Random) -> None:
    pairs = [("a", values), ("items", values), ("é", {"items": [1]})]
    random.shuffle(pairs)
    text = json.dumps(dict(pairs), indent=indent)
    cut = cuts.json_list(text, "items")
    assert cut is not None
    assert [json.loads(text[slice(*span)]) for span in cut.spans] == values
    assert json.loads(cut.frame)["items"] == ([0] if values else [])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"items": {}}',
        '{"items" [1]}',
        '{"items": [1,,2]}',
        '{"items": [1 2]}',
        '{"items": [1],}',
        '{"items": [1]} x',
        '{"items": [1]',
        "{items: [1]}",
        "{" * 5000,
        '{"items": [], "%s": 1}' % ("k" * 1025),
    ],
)
def test_what_is_no_json_list_is_not_cut(text: str) -> None:
    assert cuts.json_list(text, "items") is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [('{"a": 1}', True), (" [1]\n", True), ("{a: 1}", False), ("1", False), ("[" * 100_000, False), ("", False)],
)
def test_json_is_an_object_or_an_array(text: str, expected: bool) -> None:  # noqa: FBT001
    assert cuts.is_json(text) is expected


@given(
    st.lists(
        st.sampled_from([*"a -?:,[]{}'\"|>#!%\n\r\t\u2028\ufeff*", "*x", "&x", "---", "..."]),
        max_size=24,
    )
)
def test_an_alias_stands_where_one_may_start(words: list[str]) -> None:
    text = "".join(words)
    try:
        aliases = [alias for document in parser.parse_all(text) for alias in document.aliases]
    except ParseError:
        return
    event(f"{len(aliases)} aliases")
    assert cuts.may_have_alias(text) or not aliases


@pytest.mark.parametrize(
    ("text", "expected"),
    [("*a", True), ("k: \t*a", True), ("[b,*a]", True), ("k: 2 *a", False), ("**a**: * b", False), ("# see *a", False)],
)
def test_where_an_alias_may_start(text: str, *, expected: bool) -> None:
    assert cuts.may_have_alias(text) is expected
