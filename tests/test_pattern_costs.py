"""Cost is a law: no regular expression of the code takes more than 8 s of processor time for a megabyte of any text.

A straight one takes a tenth of a second, and a costly one takes minutes. Between the two there is room for a machine
that stands still for a moment.
"""

from __future__ import annotations

import os
import re
import signal

import pytest

from tests import patterns
from tests.patterns import Pattern, forbidden

EVERY = {pattern.name: pattern for pattern in patterns.of_the_code() if isinstance(pattern.compiled.pattern, str)}
SIZE = 1 << 16
SECONDS_FOR_A_MEGABYTE = 8
SECONDS_AT_LEAST = 3

# Where a pattern has one of the two shapes, why it costs no more than a straight line.
STRAIGHT = {
    "expand_vars.expansion.current._QUOTED": "what opens a text in quotes closes the one before it",
    "krm.file._IS_LIST": "each beginning needs `kind` behind a blank, a quote or a bracket, and a colon behind that",
    "krm.lists._OF_A_LIST": "each beginning needs `kind` and a colon behind it, which no repeat takes",
    "krm.merge.lines.line_walk._COMMENT_OR_ANCHOR": "what opens a text in quotes closes the one before it",
    "krm.merge.lines.changed_entry._ESCAPED_LINE": "a match begins where the one before it ended, and takes all it can",
    "krm.merge.lines.changed_entry._AHEAD": "behind a colon there are two properties at the most, and no blank in them",
    "krm.file._DETACHED": "a round ends with a line end: there is one way to part the lines",
    "krm.package.wire._HAS_ANNOTATIONS": "each line of the repeat is indented, and the beginning is not",
    "krm.package.files._STARTS_AS_MANIFEST": "a line is of the first repeat by its `%` or `<`, else of the second",
    "krm.yamltree.events._LIKE_HIDDEN": "each round of the repeat has a blank behind its `\\`, and no beginning has",
    "krm.yamltree.outline._REACHES": "the repeats take all that they can: no beginning is inside of them",
}


def test_all_patterns_are_found() -> None:
    names = {name.rpartition(".")[2] for name in EVERY}
    assert {"_OF_HELM", "_OF_STATE", "_COMMENT", "_JSON_NUMBER"} <= names
    assert len(EVERY) > 100


@pytest.mark.parametrize("name", EVERY)
def test_a_pattern_has_none_of_the_two_costly_shapes(name: str) -> None:
    pattern = EVERY[name]
    assert (forbidden(pattern.compiled, is_searched=pattern.is_searched) is not None) is (name in STRAIGHT)


def test_a_pattern_that_is_searched_begins_with_a_character() -> None:
    # What stands before it is asked behind it: without a first character the engine tries each place of a text, which
    # took a third of a run in which nothing changes.
    searched = {name: one.compiled.pattern for name, one in EVERY.items() if one.is_searched}
    assert [name for name, pattern in searched.items() if pattern.startswith("(?<")] == []


# As they were before anybody asked what they cost.
COSTLY = {
    "of Helm": (r"\{\{[^}]*?(?:\.(?:Values|Release)\b|\binclude |\btpl )", 0),
    "of blank lines": (r"(?:[ \t\r]*\n)+", 0),
    "of a state": (r"(?:---[^\n]*\n|[- ]*#[^\n]*\n)*[- ]*apiVersion: [^\n]*\n *kind: State\r?$", re.MULTILINE),
    "of a comment behind blanks": (r"[ \t]+#.*", 0),
    "of two repeats": (r"a\s*\s*b", 0),
}


@pytest.mark.parametrize(("text", "flags"), COSTLY.values(), ids=COSTLY)
def test_costly_shapes_are_found(text: str, flags: int) -> None:
    assert forbidden(re.compile(text, flags), is_searched=True) is not None


def takes_long(pattern: Pattern) -> bool:
    """Match the worst texts in a child with a limit of processor time, and return whether that ended it.

    Time of the system does not count: a child of a large process pays for its memory, and not for the pattern.
    """
    texts = patterns.worst_texts(pattern.compiled, SIZE)
    allowed = max(SECONDS_AT_LEAST, SECONDS_FOR_A_MEGABYTE * sum(map(len, texts)) >> 20)
    child = os.fork()
    if not child:
        signal.setitimer(signal.ITIMER_VIRTUAL, allowed)
        for text in texts:
            if pattern.is_searched:
                for _ in pattern.compiled.finditer(text):
                    pass
            else:
                pattern.compiled.match(text)
        os._exit(0)
    return os.waitpid(child, 0)[1] != 0


def test_no_pattern_takes_long() -> None:
    # A machine that stands still for a moment may count that as time of a process: what takes long does so later, too.
    slow = [name for name, pattern in EVERY.items() if takes_long(pattern)]
    assert [name for name in slow if takes_long(EVERY[name])] == []


def test_a_costly_pattern_takes_long() -> None:
    text, flags = COSTLY["of Helm"]
    assert takes_long(Pattern("of Helm", re.compile(text, flags), is_searched=True))
