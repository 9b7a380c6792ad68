"""Words for what a YAML parser refuses: what is wrong for the author of the text, and what to do.

A parser names what it looked for, as in "did not find expected node content". Who wrote the text looks for a bracket,
a quote or an indentation. The words are for problems that libyaml tells; any other is passed on as it is.
"""

from __future__ import annotations

import re

_SINCE = {
    "did not find expected ',' or ']'": "`,` or `]` is missing: the list starts",
    "did not find expected ',' or '}'": "`,` or `}` is missing: the mapping starts",
    "did not find expected key": "a key should start here: mend the indentation, or a quote above; the mapping starts",
    "did not find expected '-' indicator": "a `-` should start here: mend the indentation; the list starts",
    "could not find expected ':'": "`:` is missing: the key starts",
    "found unexpected end of stream": "a quote is missing: the text in quotes starts",
    "found unexpected document indicator": "a quote is missing: the text in quotes starts",
}
"""Words that the line follows in which the node starts: the mistake may be anywhere between the two places."""

_COLON = "a `:` may not stand here: put the text in quotes, or mend the indentation"
_DASH = "a list may not start here: put it below its key"
_ALONE = {
    "did not find expected node content": "a value is missing here, or a bracket above is not closed",
    "mapping values are not allowed in this context": _COLON,
    "block sequence entries are not allowed in this context": _DASH,
    # PyYAML's own parser reads where libyaml is missing, and has other words for these two.
    "mapping values are not allowed here": _COLON,
    "sequence entries are not allowed here": _DASH,
    "found unknown escape character": "this `\\` starts no escape: write `\\\\`, or use single quotes",
    "did not find expected hexdecimal number": "a hexadecimal digit is missing in this escape",
    "did not find expected alphabetic or numeric character": "a name is missing behind `&` or `*`: put a text that "
    "starts with one of them in quotes",
    "found a tab character where an indentation space is expected": "a tab is no indentation: use spaces",
    "did not find expected comment or line break": "the text of `|` and `>` starts in the next line: move it there",
    "did not find expected <document start>": "a document starts here: put a line `---` above it",
    "found incompatible YAML document": "no reader knows this version of YAML: write `%YAML 1.2`, or delete the line",
    "found unknown directive name": "a line may start with `%` for `%YAML` and `%TAG` alone: delete it",
    "found undefined tag handle": "no `%TAG` declares this tag: put a text that starts with `!` in quotes",
}
_NO_START = "found character that cannot start any token"
_MARKER = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)
CONFLICT = "this is the marker of a conflict: solve the conflict first"


def words(problem: str, character: str) -> tuple[str, bool]:
    """Return what a problem is in words, and True if these are to be followed by the line in which the node starts.

    `character` is the one at which the parser stopped.
    """
    if problem == _NO_START:
        # A tab shows as spaces in an editor, so that its author sees nothing wrong.
        shown = "a backtick" if character == "`" else f"`{character}`"
        tab = "a tab is no indentation: use spaces"
        return tab if character == "\t" else f"a text may not start with {shown}: put it in quotes", False
    if problem in _SINCE:
        return _SINCE[problem], True
    return _ALONE.get(problem, problem), False


def conflict(text: str) -> int | None:
    """Return where a text has the first marker that git leaves around a conflict, None if it has none.

    A text that is YAML may have one, in a block scalar. So only one that is no YAML is asked.
    """
    found = _MARKER.search(text)
    return None if found is None else found.start()
