"""The patterns of a `.krmignore` file, as kpt reads them (docs/reference/packages.md, "What is read")."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

FILE = ".krmignore"
HIDDEN = ".*"
"""The pattern of the names that shells and most tools do not show."""


class Patterns:
    """The patterns of one `.krmignore`. Paths are relative to its directory.

    A pattern with `/` in front is compared with the first parts of a path, any other with the last ones, as many as
    the pattern has. A pattern with `/` at its end leaves out directories alone. What `!` lets in stays in, wherever
    that stands in the file: kpt asks for these first.
    """

    __slots__ = ("_left_out", "_let_in")

    def __init__(self, text: str = "") -> None:
        lines = [line.strip(" ") for line in text.splitlines()]
        written = [
            line.removeprefix("\\") if line.startswith("\\#") else line for line in lines if line[:1] not in ("", "#")
        ]
        self._let_in = [_Pattern(line[1:]) for line in written if line.startswith("!") and line.strip("!/")]
        self._left_out = [_Pattern(line) for line in written if not line.startswith("!") and line.strip("/")]

    def leave_out(self, path: str, *, is_folder: bool) -> bool:
        """True if a file, or a directory with all below it, is left out."""
        parts = path.split("/")
        # gitignore lets the last matching line decide. kpt does not, and a package must have the same files to both.
        if any(pattern.matches(parts, is_folder=is_folder) for pattern in self._let_in):
            return False
        return any(pattern.matches(parts, is_folder=is_folder) for pattern in self._left_out)


class _Pattern:
    __slots__ = ("_compiled", "_depth", "_is_rooted", "_only_folders")

    def __init__(self, written: str) -> None:
        bare = written.strip("/")
        self._is_rooted = written.startswith("/")
        self._only_folders = written.endswith("/")
        self._depth = bare.count("/") + 1
        self._compiled = re.compile("".join(_translated(bare)), re.DOTALL)

    def matches(self, parts: list[str], *, is_folder: bool) -> bool:
        if len(parts) < self._depth:
            return False
        compared = parts[: self._depth] if self._is_rooted else parts[-self._depth :]
        # Of a longer path the first parts name a directory: it has been asked about already, as one.
        is_folder = is_folder and (not self._is_rooted or len(parts) == self._depth)
        return (is_folder or not self._only_folders) and self._compiled.fullmatch("/".join(compared)) is not None


_TOKEN = re.compile(
    r"\\(?P<escaped>.)|(?P<star>\*+)|(?P<any>\?)|\[(?P<not>\^?)(?P<class>(?:\\.|[^\\\]]){1,255})\]|(?P<one>.)",
    re.DOTALL,
)


def _translated(pattern: str) -> Iterator[str]:
    """Yield the regular expressions of the parts of a pattern: no `*` goes across a `/`."""
    for token in _TOKEN.finditer(pattern):
        if token["star"]:
            # `**` is no more than `*` to kpt: it matches with Go's filepath.Match.
            yield "[^/]*"
        elif token["any"]:
            yield "[^/]"
        elif token["class"]:
            yield f"[{token['not']}{_class(token['class'])}]"
        else:
            yield re.escape(token["escaped"] or token["one"])


def _class(written: str) -> str:
    """Return the inside of a class of characters, `-` between two of them as a range."""
    return re.sub(r"\\(.)|([\[\]^&~|])", lambda match: re.escape(match[1] or match[2]), written)
