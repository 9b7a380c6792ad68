"""Where tables that fit and colours are written: on a terminal, with `rich`. What a summary counts."""

from __future__ import annotations

import difflib
import os
import sys
from argparse import Namespace

import pytest
from hypothesis import given, strategies

from expand_vars.commands import explain
from krm.commands import printing
from krm.package.file_changes import FileChange


def test_without_rich_a_terminal_is_written_to_as_a_pipe_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "isatty", lambda _: True)
    assert printing.is_terminal()
    monkeypatch.setitem(sys.modules, "rich", None)
    assert not printing.is_terminal()


COUNTS = {
    "a line that changes": ("a: 1\n", "a: 2\n", "changed  f  +1 -1"),
    "a document that goes": ("a: 1\n---\nb: 1\n", "a: 1\n", "changed  f  -2"),
    "documents that come": ("a: 1\n", "--- # first\na: 1\n---\nb: 1\n", "changed  f  +3"),
    "lines that look like the head of a diff": ("a: |\n  x\n", "a: |\n  x\n++ y\n", "changed  f  +1"),
    "a new file": (None, "a: 1\nb: 1", "new      f  +2"),
    "a file that goes": ("a: 1\n", None, "deleted  f  -1"),
    "a binary file": ("a\0", "b\0", "changed  f  "),
}


@pytest.mark.parametrize(("before", "after", "line"), COUNTS.values(), ids=COUNTS)
def test_the_summary_counts_lines_that_come_and_go(before: str | None, after: str | None, line: str) -> None:
    old, new = (None if text is None else text.encode() for text in (before, after))
    assert next(printing.summary([FileChange("f", old, new, None)], str, is_done=True)) == f"{line}\n"


def test_ten_thousand_documents_are_compared_line_by_line() -> None:
    before = "".join(f"---\nname: {number}\nimage: $(TAG)\n" for number in range(10_000))
    change = FileChange("f", before.encode(), before.replace("$(TAG)", "1.27").encode(), None)
    assert next(printing.summary([change], str, is_done=True)) == "changed  f  +10000 -10000\n"


def texts(documents: list[list[str]]) -> str:
    return "---\n".join("".join(f"{line}\n" for line in lines) for lines in documents)


ANY_TEXT = strategies.builds(texts, strategies.lists(strategies.lists(strategies.sampled_from("abc"), max_size=9)))


@given(ANY_TEXT, ANY_TEXT, strategies.booleans())
def test_the_hunks_lead_from_one_file_to_the_other(before: str, after: str, is_ended: bool) -> None:  # noqa: FBT001
    """As `patch` reads them: what is above and below a hunk is the same in both."""
    after = after if is_ended else after.removesuffix("\n")
    old, made, position = before.splitlines(keepends=True), [], 0
    lines = [*printing.unified(before, after)]
    for line in "".join(lines).replace("\n\\ No newline at end of file", "\\").splitlines(keepends=True):
        sign, text = line[0], line[1:].replace("\\\n", "")
        if sign == "@":
            start, count = (int(one) for one in f"{line.split()[1][1:]},1".split(",")[:2])
            above = start - 1 if count else start
            made += old[position:above]
            position = above
        if sign in " +":
            made.append(text)
        if sign in " -":
            assert old[position] == text
            position += 1
    assert "".join(made + old[position:]) == after


@given(strategies.lists(strategies.sampled_from("abc")), strategies.lists(strategies.sampled_from("abc")))
def test_no_more_lines_change_than_difflib_finds(before: list[str], after: list[str]) -> None:
    """As many lines as can stay do: no other program shows less of a change."""
    old, new = ([f"{line}\n" for line in lines] for lines in (before, after))
    blocks = difflib.SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    kept = sum(block.size for block in blocks)
    assert sum(printing.counts("".join(old), "".join(new))) <= len(old) + len(new) - 2 * kept


def test_a_hunk_has_three_lines_around_each_change() -> None:
    before = [f"{number}\n" for number in range(30)]
    after = [*before[:10], "x\n", *before[11:25]]
    assert "".join(printing.unified("".join(before), "".join(after))) == (
        "@@ -8,7 +8,7 @@\n 7\n 8\n 9\n-10\n+x\n 11\n 12\n 13\n"
        "@@ -23,8 +23,3 @@\n 22\n 23\n 24\n-25\n-26\n-27\n-28\n-29\n"
    )


def test_a_long_document_is_compared_between_the_lines_that_it_has_once() -> None:
    """The state of a package is one document, whose hashes are often the same: as a whole it took minutes."""
    before = "".join(f"web-{number}:\n  replicas: abc\n  image: abc\n  name: xyz\n" for number in range(400))
    after = before.replace("image: abc", "image: klm").replace("web-7:", "other:")
    assert printing.counts(before, after) == (401, 401)
    assert [line for line in printing.unified(before, after) if line.startswith("-")] == [
        line for number in range(400) for line in ["-web-7:\n"] * (number == 7) + ["-  image: abc\n"]
    ]


COMMANDS = {
    "of GitHub": ("::error file=x::pwn", r" \x3a:error file=x::pwn"),
    "of GitHub behind blanks": ("  \t::error::pwn", " " + "  \t" + r"\x3a:error::pwn"),
    "of GitHub behind a lone CR": ("a\r::error::pwn", r" a\x0d::error::pwn"),
    "of GitHub's first form": ("a: b # ##[error]pwn", r" a: b # \x23#[error]pwn"),
    "of Azure Pipelines": ("a ###vso[task.x]", r" a #\x23#vso[task.x]"),
    "of GitLab": ("section_start:1:x\r\x1b[0K", r" section_start:1:x\x0d\x1b[0K"),
    "none: a heading": ("## a [b]", " ## a [b]"),
    "none: colons in a line": ("a: b::c", " a: b::c"),
    "none: CRLF": ("a: b\r", " a: b\r"),
}


@pytest.mark.parametrize(("line", "shown"), COMMANDS.values(), ids=COMMANDS)
def test_no_line_of_a_diff_is_a_command_to_a_ci_system(line: str, shown: str) -> None:
    old, new = (f"{line}\n{end}\n".encode() for end in ("x: 1", "x: 2"))
    options = Namespace(diff=True, show_secrets=True)
    found = printing.asked_diff([FileChange("f", old, new, None)], str, dict, options)
    assert found == f"--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n{shown}\n-x: 1\n+x: 2\n"


def test_no_summary_and_no_table_is_a_command_to_a_ci_system() -> None:
    assert (
        next(printing.summary([FileChange("##[x]", b"", b"a", None)], str, is_done=True)) == "changed  \\x23#[x]  +1\n"
    )
    assert explain.table(["A", "B", "C"], [["::error::x", "y", "z"]], 2) == "    C\n\\x3a:error::x\n  y\n    z\n"
