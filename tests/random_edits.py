"""Random edits of YAML documents, checked by ruamel.yaml: what the text says after an edit is what its data says.

    python -m tests.random_edits --count 100000 FOLDER...

Each document is taken from the files in the folders, gets one to four random edits, and is read by ruamel.yaml, which
shares no code with the editor. Prints how many edits were made, refused and wrong; exit code 1 where one was wrong.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from krm.yamltree.editor import EditError, Editor
from krm.yamltree.parser import ParseError
from tests.krm.yamltree.tables import insert

STRINGS = ["x", "on", "8080", "", "a: b", "a #b", "it's", "one\ntwo\n", "*a", " x", "a, b", "1e3", "0777", "~"]
VALUES: list[Any] = [*STRINGS, 1, True, None, 1.5, [], {}, ["x", {"a": 1}], {"a": "x", "b": ["y"]}]
LARGEST = 100_000


def read(text: str) -> Any:
    """Return the data of a text as ruamel.yaml reads it: YAML 1.2, duplicate keys refused."""
    return YAML(typ="safe", pure=True).load(text)


def documents(folders: list[Path]) -> list[tuple[str, Any]]:
    """Return the documents of all files that both parsers read, each with its data."""
    found = []
    for path in sorted(path for folder in folders for path in folder.rglob("*.y*ml") if path.is_file()):
        try:
            text = path.read_bytes().decode()
            if len(text) < LARGEST:
                Editor(text).document  # noqa: B018 - to see that it can be parsed
                data = read(text)
                if isinstance(data, dict | list):
                    found.append((text, data))
        except (ParseError, YAMLError, ValueError, OSError, TypeError, NotImplementedError):
            continue
    return found


def paths(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything in the data that a path of the editor can lead to."""
    steps = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    found = [at]
    for step, below in steps:
        if isinstance(step, str | int) and (isinstance(data, list) or isinstance(step, str)):
            found += paths(below, (*at, step))
    return found


def at(data: Any, path: tuple[Any, ...]) -> Any:
    """Return what stands at a path."""
    for step in path:
        data = data[step]
    return data


def edited(editor: Editor, data: Any, dice: random.Random) -> tuple[str, Any]:
    """Make a random edit of the text, and return what it was, and the data as it should be."""
    data = copied(data)
    path = dice.choice(paths(data))
    there = at(data, path)
    value = copied(dice.choice(VALUES))
    verbs = ["set", "delete"] if path else []
    verbs += ["add"] if isinstance(there, dict) else ["insert", "change"] if isinstance(there, list) else []
    verb = dice.choice(verbs or ["none"])
    if verb == "set":
        editor.set(path, value)
        at(data, path[:-1])[path[-1]] = value
    elif verb == "delete":
        editor.delete(path)
        del at(data, path[:-1])[path[-1]]
    elif verb == "add":
        editor.set((*path, "new-key"), value)
        there["new-key"] = value
    elif verb == "insert":
        index = dice.randint(0, len(there))
        insert(editor, path, index, value)
        there.insert(index, value)
    elif verb == "change":
        dice.shuffle(there)
        there[dice.randint(0, len(there)) :] = [value]
        editor.set(path, plain(there))
    return f"{verb} {path} {value!r}", data


def copied(data: Any) -> Any:
    """Return a copy that shares nothing, not even where an alias shares a node: an edit shows in one place only."""
    if isinstance(data, dict):
        return {key: copied(value) for key, value in data.items()}
    return [copied(value) for value in data] if isinstance(data, list) else data


def plain(data: Any) -> Any:
    """Return data of dict, list and what YAML 1.2 and the editor agree on; ValueError for anything else."""
    if isinstance(data, dict):
        if not all(type(key) is str for key in data):
            raise ValueError(data)
        return {key: plain(value) for key, value in data.items()}
    if isinstance(data, list):
        return [plain(value) for value in data]
    if type(data) not in (str, int, float, bool, type(None)):
        raise ValueError(data)
    return data


def checked(text: str, data: Any, dice: random.Random, counts: Counter[str]) -> None:
    """Make some edits of a document, each of which has to come out as its data says."""
    editor = Editor(text)
    for _ in range(dice.randint(1, 4)):
        before = editor.text
        try:
            what, data = edited(editor, data, dice)
        except (EditError, KeyError, ValueError) as error:
            counts[f"refused: {type(error).__name__}"] += 1
            if editor.text != before:
                counts["wrong"] += 1
            return
        try:
            now = read(editor.text)
        except (YAMLError, ValueError) as error:
            now = error
        counts["made"] += 1
        if repr(now) != repr(data) and now != data:
            counts["wrong"] += 1
            sys.stderr.write(f"=== {what}\n{before}\n=== became\n{editor.text}\n")
            return


def main() -> int:
    """Run the check."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--largest", type=int, default=LARGEST)
    given = parser.parse_args()
    seed = random.randrange(10**6) if given.seed is None else given.seed  # noqa: S311 - edits, no secrets
    dice = random.Random(seed)  # noqa: S311 - as above
    found = [one for one in documents(given.folders) if len(one[0]) <= given.largest]
    counts: Counter[str] = Counter()
    while sum(counts.values()) < given.count:
        checked(*dice.choice(found), dice, counts)
    sys.stdout.write(f"seed {seed}, {len(found)} documents: {dict(counts)}\n")
    return min(counts["wrong"], 1)


if __name__ == "__main__":
    sys.exit(main())
