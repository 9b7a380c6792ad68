"""Judge the merge driver on the histories of git clones of manifests: `make histories REPOS="CLONE..."`.

With `--mergiraf PROGRAM` and `--kyaml PROGRAM` these are judged beside it: the command of mergiraf, and a program that
prints what kyaml's Merge3 makes of ORIGIN UPDATE LOCAL and fails where that refuses.

Three versions of a YAML file that follow each other make a triple: the middle one is origin, the first one is local, as
if somebody took the change back, and the last one is update. A true merge makes one of its base and its two parents,
beside what the person committed.
The judge is no part of the product: it reads YAML with PyYAML, compares leaves by their paths, tells null from absent,
and asks a model of a careful person (`threeway.py`) where lists have no names.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
from collections import Counter
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import yaml

from krm.git import cascade, line_merge
from krm.git.line_merge import Labels, ThreeTexts
from scripts import threeway

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator

    Leaves = Counter[tuple[Any, ...]]
    Places = Container[tuple[Any, ...]]
    Merger = Callable[[ThreeTexts, str], "Answer"]

_TWO_SIDES = "local.yaml", "update.yaml"
_COMMENT = re.compile(rb"(?:^|\s)(#.*)$", re.MULTILINE)
_HUNK = re.compile(rb"(?ms)^<<<<<<<.*?\n(.*?)^=======\n(.*?)^>>>>>>>")
_NAMES = ("name", "containerPort", "mountPath", "key")
_UNREADABLE = (yaml.YAMLError, ValueError, TypeError, RecursionError)
_ROWS = (
    "triples",
    "clean and right",
    "clean, wrong",
    "conflict",
    "conflict of comments alone",
    "conflict of nothing",
    "decided in silence",
    "not clean where git is clean and right",
    "comments fewer than git's",
    "hunks",
    "lines in hunks",
    "true merges",
    "true merges as the person",
    "true merges in conflict",
)


class Triple(NamedTuple):
    """Three versions of a file, and where they are from: `commit` made the last of them, or merged two of them.

    `merged` is what a person made of them, None where nobody did.
    """

    place: str
    commit: str
    origin: bytes
    update: bytes
    local: bytes
    merged: bytes | None = None


class Sides(NamedTuple):
    """The leaves of a triple. `nameless` has the lists with the fields that some side cannot name its elements by."""

    origin: Leaves
    update: Leaves
    local: Leaves
    nameless: Places


class Answer(NamedTuple):
    """What a merge makes of a triple, and whether it left conflicts, or could not be made."""

    text: bytes
    conflicts: int


def main() -> None:
    """Judge git and the driver on every triple, and print how often each did what."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clones", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=2000, help="triples of one clone")
    parser.add_argument("--show", action="store_true", help="print the place of each triple that is not right")
    parser.add_argument("--mergiraf", metavar="PROGRAM", help="judge mergiraf too")
    parser.add_argument("--kyaml", metavar="PROGRAM", help="judge kyaml's merge too")
    options = parser.parse_args()
    mergers = _mergers(options)
    counts = {name: Counter[str]() for name in mergers}
    seconds = dict.fromkeys(mergers, 0.0)
    for clone in options.clones:
        for triples in (_triples(clone), _merges(clone)):
            for triple in islice(triples, options.most):
                _judge(triple, mergers, counts, seconds, is_shown=options.show)
        if options.show:
            print(f"{clone.parent.name}: {counts['git']['triples']} triples until here", flush=True)
    print(f"| | {' | '.join(counts)} |\n| --- |{' --- |' * len(counts)}")
    for row in _ROWS:
        print(f"| {row} | {' | '.join(str(found[row]) for found in counts.values())} |")
    print(f"| seconds of processor time | {' | '.join(f'{seconds[name]:.1f}' for name in counts)} |")


def _mergers(options: argparse.Namespace) -> dict[str, Merger]:
    """Return what is judged, by its name. Git is the first: the others are compared with it."""
    found: dict[str, Merger] = {"git": _by_git, "expand-vars": _by_us}
    if options.mergiraf:
        found["mergiraf"] = lambda texts, _: _by_program(texts, options.mergiraf, "merge", "origin.yaml", *_TWO_SIDES)
    if options.kyaml:
        found["kyaml"] = lambda texts, _: _by_program(texts, options.kyaml, "origin.yaml", *reversed(_TWO_SIDES))
    return found


def _by_git(texts: ThreeTexts, _: str) -> Answer:
    merged = line_merge.merge(texts, Labels(), line_merge.MARKER_SIZE)
    return Answer(merged.text, merged.conflicts)


def _by_us(texts: ThreeTexts, place: str) -> Answer:
    merged = cascade.merge(texts, place, Labels(), line_merge.MARKER_SIZE)
    return Answer(merged.text, merged.conflicts)


def _by_program(texts: ThreeTexts, *command: str) -> Answer:
    """Return what a program prints. One that fails with 1 has left a conflict, with another code it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {"origin.yaml": texts.origin, "local.yaml": texts.local, "update.yaml": texts.update}.items():
            (Path(folder) / name).write_bytes(text)
        done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    return Answer(done.stdout, done.returncode)


def _triples(clone: Path) -> Iterator[Triple]:
    """Yield the triples of a clone in which both sides changed the file, and not alike."""
    for path in _git(clone, "ls-tree", "-r", "--name-only", "-z", "HEAD").decode().split("\0"):
        if path.endswith((".yaml", ".yml")):
            listed = _git(clone, "log", "--format=%H", "--no-merges", "HEAD", "--", path).decode().split()
            versions = [_blob(clone, commit, path) for commit in reversed(listed)]
            commits = [*reversed(listed)][2:]
            for local, origin, update, commit in zip(versions, versions[1:], versions[2:], commits, strict=False):
                if local and origin and update and len({local, origin, update}) == len("abc"):
                    yield Triple(f"{clone.parent.name}: {path}", commit, origin, update, local)


def _merges(clone: Path) -> Iterator[Triple]:
    """Yield the triples of true merges, of files that both sides changed, and not alike."""
    for line in _git(clone, "log", "--merges", "--format=%H %P", "HEAD").decode().splitlines():
        commit, *parents = line.split()
        base = _base(clone, parents) if len(parents) == len(_TWO_SIDES) else ""
        if base:
            local, update = (_changed(clone, base, parent) for parent in parents)
            for path in sorted(path for path in local & update if path.endswith((".yaml", ".yml"))):
                sides = [_blob(clone, each, path) for each in (base, parents[1], parents[0], commit)]
                if all(sides) and len({*sides[:3]}) == len("abc"):
                    yield Triple(f"{clone.parent.name}: {path}", commit, *sides)


def _base(clone: Path, parents: list[str]) -> str:
    """Return the commit that two others come from, nothing where a clone was joined with another history."""
    done = subprocess.run(["git", "-C", clone, "merge-base", *parents], capture_output=True, check=False)
    return done.stdout.decode().strip()


def _changed(clone: Path, base: str, commit: str) -> set[str]:
    """Return the files that are others in a commit than in its base."""
    listed = _git(clone, "diff-tree", "-r", "-z", "--name-only", "--no-renames", base, commit)
    return {*listed.decode(errors="replace").split("\0")}


def _blob(clone: Path, commit: str, path: str) -> bytes:
    """Return a file of a commit, nothing where it is not there, or is no file."""
    asked, answers = _reader(clone)
    asked.write(f"{commit}:{path}\n".encode())
    asked.flush()
    *_, kind, size = answers.readline().split()
    if not size.isdigit():  # `<what was asked> missing`
        return b""
    text = answers.read(int(size) + 1)[:-1]
    return text if kind == b"blob" else b""


@cache
def _reader(clone: Path) -> tuple[IO[bytes], IO[bytes]]:
    """Return where files of a clone are asked for, and where they are read: one process for thousands of them."""
    process = subprocess.Popen(
        ["git", "-C", clone, "cat-file", "--batch"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def _judge(
    triple: Triple,
    mergers: dict[str, Merger],
    counts: dict[str, Counter[str]],
    seconds: dict[str, float],
    *,
    is_shown: bool,
) -> None:
    if _sides(triple) is None:
        return
    git: Answer | None = None
    for name, merger in mergers.items():
        start = _seconds()
        answer = merger(ThreeTexts(triple.origin, triple.update, triple.local), triple.place)
        seconds[name] += _seconds() - start
        git = git or answer
        rows = _rows(answer, triple)
        is_git_right = "clean and right" in _rows(git, triple)
        if answer.conflicts and is_git_right:
            rows.add("not clean where git is clean and right")
        if not answer.conflicts and not git.conflicts and _comments(git.text) - _comments(answer.text):
            rows.add("comments fewer than git's")
        counts[name].update(rows)
        counts[name].update(_in_hunks(answer.text) if answer.conflicts else {})
        if is_shown and name == "expand-vars" and rows - {"triples", "clean and right", "conflict"}:
            print(f"{triple.place} {triple.commit[:10]}: {', '.join(sorted(rows))}")


def _seconds() -> float:
    """Return the processor time of this process and of the programs that it has run."""
    return sum(os.times()[:4])


def _rows(answer: Answer, triple: Triple) -> set[str]:
    """Return the rows of the table that an answer counts in."""
    sides = _sides(triple)
    assert sides is not None
    origin, update, local, nameless = sides
    leaves = origin | update | local
    is_conflict = {leaf for leaf in leaves if len({origin[leaf], update[leaf], local[leaf]}) == len("abc")}
    paths_in_conflict = _paths_changed_by_both(origin, update, local)
    rows = {"triples"}
    if triple.merged is not None:
        rows |= {"true merges", *_beside_person(answer, triple.merged)}
    if answer.conflicts:
        rows.add("conflict")
        if not (paths_in_conflict or is_conflict or _by_person(triple).clashes or _by_person(triple).meetings):
            rows.add(f"conflict of {'comments alone' if _is_of_comments(answer.text, triple.origin) else 'nothing'}")
    elif _is_merged_by_path(answer.text, triple) or _is_merged_by_person(answer.text, triple):
        rows.add("clean and right")
    elif (found := _leaves(answer.text, nameless)) is None or not _has_changes(
        found, origin, update, local, paths_in_conflict
    ):
        rows.add("clean, wrong")
    else:
        is_silent = paths_in_conflict or is_conflict or _by_person(triple).clashes
        rows.add("decided in silence" if is_silent else "clean and right")
    return rows


def _beside_person(answer: Answer, merged: bytes) -> Iterator[str]:
    """Yield the row of a true merge: null, empty and absent are three things, and the order of documents is no data."""
    if answer.conflicts:
        yield "true merges in conflict"
    elif answer.text == merged or _is_same_data(answer.text, merged):
        yield "true merges as the person"


def _is_same_data(one: bytes, other: bytes) -> bool:
    try:
        of_one, of_other = _data(one, other)
        return bool(of_one == of_other)
    except yaml.YAMLError:
        return False


def _in_hunks(text: bytes) -> Counter[str]:
    """Return how many conflicts a text has, and how many lines stand in them."""
    found = [*_hunks(text)]
    return Counter({"hunks": len(found), "lines in hunks": sum(side.count(b"\n") for sides in found for side in sides)})


def _hunks(text: bytes) -> Iterator[tuple[bytes, ...]]:
    """Yield the lines of local and of update in each conflict."""
    return (hunk.groups() for hunk in _HUNK.finditer(text))


def _is_merged_by_path(text: bytes, triple: Triple) -> bool:
    """Return True if an answer is what a merge by paths gives. Elements of lists as long as each other go by number.

    Without this an element without a name, of which each side changed another field, would count as wrong.
    """
    try:
        sides = [_documents(side) for side in (triple.origin, triple.update, triple.local)]
        return bool(_documents(text) == _by_path(*sides))
    except (_Clash, yaml.YAMLError):
        return False


@lru_cache(maxsize=1)
def _by_person(triple: Triple) -> threeway.Merge:
    """Return what a careful person makes of a triple."""
    origin, update, local = _data(triple.origin, triple.update, triple.local)
    return threeway.Merge(origin, update, local, name=triple.place.rpartition("/")[2])


def _is_merged_by_person(text: bytes, triple: Triple) -> bool:
    try:
        merged, found = _by_person(triple), _data(triple.origin, triple.update, triple.local, text)[-1]
    except yaml.YAMLError:
        return False
    return not merged.clashes and merged.is_in(found)


def _data(*texts: bytes) -> list[object]:
    """Return the data of each text: of its document; if one has several, of each document by what it is known by."""
    files = [_documents(text) for text in texts]
    if all(len(documents) == 1 for documents in files):
        return [documents[0] for documents in files]
    return [dict(_known(documents)) for documents in files]


def _known(documents: list[object]) -> Iterator[tuple[tuple[Any, ...], object]]:
    """Yield documents with what each is known by; those of one identity are told apart by their order."""
    times: Counter[tuple[Any, ...]] = Counter()
    for document in documents:
        identity = _identity(document)
        yield (*identity, times[identity]), document
        times[identity] += 1


def _is_of_comments(text: bytes, origin: bytes) -> bool:
    """Return True if in each conflict one side has a new comment, and no other new word that the other side lacks."""
    for sides in _hunks(text):
        one, other = map(_comments, sides)
        words, others = ({*_COMMENT.sub(b"", side).split()} for side in sides)
        is_new = bool((one - other | other - one) - _comments(origin))
        if not is_new or not words ^ others <= {*origin.split()}:
            return False
    return True


class _Clash(Exception):  # noqa: N818 - it is an answer
    """Both sides changed one value, or a list of another length."""


_GONE = object()


def _by_path(origin: object, update: object, local: object) -> object:
    """Return the merge of three values. _Clash where both sides changed one, differently."""
    if update in (origin, local):
        return local
    if local == origin:
        return update
    sides: Any = (origin, update, local)
    if isinstance(origin, dict) and isinstance(update, dict) and isinstance(local, dict):
        merged = {
            key: _by_path(*(side.get(key, _GONE) for side in (origin, update, local)))
            for key in origin | update | local
        }
        return {key: value for key, value in merged.items() if value is not _GONE}
    if all(isinstance(side, list) for side in sides) and len({len(side) for side in sides}) == 1:
        return [_by_path(*elements) for elements in zip(*sides, strict=True)]
    raise _Clash(sides)


def _paths_changed_by_both(origin: Leaves, update: Leaves, local: Leaves) -> set[tuple[Any, ...]]:
    """Return the paths of scalars that both sides changed, differently."""
    before, new, mine = (
        {leaf[:-1]: leaf[-1] for leaf in side if leaf[-2:-1] != ("[]",)} for side in (origin, update, local)
    )
    gone = object()
    return {
        path
        for path in before.keys() | new.keys() | mine.keys()
        if len({repr(side.get(path, gone)) for side in (before, new, mine)}) == len("abc")
    }


def _has_changes(
    answer: Leaves, origin: Leaves, update: Leaves, local: Leaves, paths_in_conflict: set[tuple[Any, ...]]
) -> bool:
    """Return True if an answer has what one side alone changed, and nothing that neither has."""
    for leaf in answer | origin | update | local:
        if leaf[:-1] in paths_in_conflict:
            continue
        sides = origin[leaf], update[leaf], local[leaf]
        wanted = sides[1] + sides[2] - sides[0] if sides[1] != sides[2] else sides[1]
        if answer[leaf] != wanted:
            return False
    return True


@lru_cache(maxsize=1)
def _sides(triple: Triple) -> Sides | None:
    """Return the leaves of a triple, None if a side cannot be read."""
    texts = triple.origin, triple.update, triple.local
    try:
        documents = [document for text in texts for document in _documents(text)]
        nameless = {place for document in documents for place in _nameless(document, _identity(document))}
    except _UNREADABLE:
        return None
    origin, update, local = (_leaves(text, nameless) for text in texts)
    return None if origin is None or update is None or local is None else Sides(origin, update, local, nameless)


def _leaves(text: bytes, nameless: Places) -> Leaves | None:
    """Return the leaves of all documents of a text with their paths, None if it cannot be read."""
    try:
        return Counter(leaf for each in _documents(text) for leaf in _below(each, _identity(each), nameless))
    except _UNREADABLE:
        return None


@lru_cache(maxsize=8)
def _documents(text: bytes) -> list[object]:
    return [*yaml.load_all(_as_written(text), Loader=yaml.CSafeLoader)]


def _as_written(text: bytes) -> str:
    """Return a text in which an alias is its name, and a folded text has its lines, also the end of the last one.

    Otherwise one change of an anchored value or of a line is one in each place that uses it, or in the whole text.
    """
    written = text.decode()
    written = written if written.endswith("\n") else f"{written}\n"
    tokens = [*yaml.scan(written, Loader=yaml.CSafeLoader)] if b"*" in text or b">" in text else []
    edits: list[tuple[int, int, str]] = []
    for number, token in enumerate(tokens):
        start, end = token.start_mark.index, token.end_mark.index
        if isinstance(token, yaml.AliasToken):
            edits.append((start, end, f"'*{token.value}'"))
        elif isinstance(token, yaml.ScalarToken) and token.style == ">":
            edits.append((start, start + 1, "|"))
        elif isinstance(token, yaml.ScalarToken) and token.plain and token.value == "<<":
            edits.append((start, end, f"'<< {getattr(tokens[number + 2], 'value', '')}'"))
    if edits:
        [*yaml.compose_all(text, Loader=yaml.CSafeLoader)]  # an alias without an anchor is an error
    for start, end, new in reversed(edits):
        written = written[:start] + new + written[end:]
    return written


def _identity(document: object) -> tuple[Any, ...]:
    if not isinstance(document, dict):
        return ("document",)
    metadata = document.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return (str(document.get("kind")), str(name))


def _below(value: object, path: tuple[Any, ...], nameless: Places) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _below(below, (*path, str(key)), nameless)
    elif isinstance(value, list) and value:
        key = next((name for name in _NAMES if (*path, name) not in nameless and _is_key(value, name)), None)
        for element in value:
            if key is not None:
                yield from _below(element, (*path, f"{key}={element[key]}"), nameless)
            else:
                yield (*path, "[]", repr(element))
    elif isinstance(value, str) and "\n" in value:
        yield from ((*path, "[]", line) for line in value.splitlines())
    else:
        yield (*path, repr(value))


def _nameless(value: object, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield the path of each list with each field that is no name of its elements: on no side then it is one."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield from _nameless(below, (*path, str(key)))
    elif isinstance(value, list) and value:
        for name in _NAMES:
            if not _is_key(value, name):
                yield (*path, name)
                continue
            for element in value:
                yield from _nameless(element, (*path, f"{name}={element[name]}"))


def _is_key(elements: Iterable[object], key: str) -> bool:
    names = [element.get(key) if isinstance(element, dict) else None for element in elements]
    return None not in names and len(set(map(str, names))) == len(names)


def _comments(text: bytes) -> Counter[bytes]:
    return Counter(comment.strip() for comment in _COMMENT.findall(text))


def _git(clone: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", "-C", clone, *arguments], capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
