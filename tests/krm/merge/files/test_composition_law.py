"""The laws of files that are put together, for random documents in random places.

If one side changed nothing, the bytes of the other come out. No object is lost, and none is there twice.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from random import Random
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from krm.file import File
from krm.git import cascade
from krm.merge.files import composition
from krm.merge.files.directories import MergedDirectory
from krm.merge.files.matching import SIDES
from krm.merge.files.object_merge import BaseRule
from krm.merge.outcome import Merged
from krm.merge.policy import Policy
from krm.merge.text_merge import Hunk
from krm.results import FnError, Result

IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
TIMES = 5000 if IS_NIGHTLY else 100

# The only objects of three files are one, whatever they are called.
LAST = "kind: Z\nmetadata: {name: z}\nspec: |\n  1\n"
REMARKS = "# x\n", "# x\n# y\n", "# z\n", "", "\n"


def random_text(rng: Random, parts: list[str]) -> str:
    """Return documents as a text, with a start or without, and with an end of its last line or without."""
    text = "---\n".join([*parts, LAST])
    text = rng.choice(("---\n", "") if text.startswith("kind") else ("---\n",)) + text
    text = text.removesuffix("\n") if rng.random() < 0.2 else text
    return text.replace("\n", "\r\n") if rng.random() < 0.1 else text


def written(name: str) -> str:
    # Nothing in common: else one that is new would be another one that got its name.
    return f"kind: A\nmetadata: {{name: {name}}}\nspec: |\n  {name}\n"


def edited(rng: Random, parts: list[str], author: str) -> list[str]:
    """Return documents of which some are gone, moved, changed or new."""
    found = [*parts]
    for number in range(rng.randint(0, 4)):
        place = rng.randint(0, len(found))
        there = found[place:]
        match rng.choice(("gone", "moved", "new", "remark", "field")):
            case "gone":
                del found[place : place + 1]
            case "moved" if there:
                found.insert(rng.randint(0, len(found) - 1), found.pop(place))
            case "new":
                found.insert(place, written(f"{author}{number}"))
            case "remark":
                found.insert(place, rng.choice(REMARKS))
            case _ if there and there[0].startswith("kind"):
                found[place] = found[place].replace("spec", f"{author}{number}: 1\nspec")
    return found


def sides_of(seed: int) -> tuple[Random, list[list[str]]]:
    rng = Random(seed)  # noqa: S311 - for tests
    names = [written(name) for name in "abcd"[: rng.randint(1, 4)]]
    origin = edited(rng, names, "o")
    return rng, [origin, edited(rng, origin, "u"), edited(rng, origin, "l")]


def merged(origin: str, update: str, local: str) -> str:
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    return composition.merge(before, new, own, BaseRule(Policy())).text


def by_driver(origin: str, update: str, local: str) -> str:
    files = {"origin": File(origin, "a.yaml"), "update": File(update, "a.yaml"), "local": File(local, "a.yaml")}
    pieces = cascade.by_fields(files)[0]  # type: ignore[arg-type]  # its keys are sides
    return "".join(piece.local if isinstance(piece, Hunk) else piece for piece in pieces)


def names_in(text: str) -> Counter[str]:
    return Counter(re.findall(r"name: (\w+)", text))


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_a_side_that_changed_nothing_leaves_the_bytes_of_the_other(seed: int) -> None:
    rng, (before, after, _) = sides_of(seed)
    origin, side = random_text(rng, before), random_text(rng, after)
    assert merged(origin, origin, side) == side
    assert merged(origin, side, origin) == side


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_no_object_is_lost_or_there_twice(seed: int) -> None:
    rng, parts = sides_of(seed)
    origin, update, local = (random_text(rng, side) for side in parts)
    before, new, own = map(names_in, (origin, update, local))
    # What a side changed, and the other deleted, may come and may go: update's is taken.
    wanted = (new & own) + (new - before) + (own - before)
    for merge in (merged, by_driver):
        found = names_in(merge(origin, update, local))
        assert max(found.values(), default=1) == 1
        assert wanted <= found <= wanted + (new & before) + (own & before)


def in_lists(rng: Random, parts: list[str]) -> list[str]:
    """Return documents of which some are elements of lists."""
    found: list[str] = []
    waiting: list[str] = []
    for part in [*parts, ""]:
        if part.startswith("kind") and len(waiting) < rng.randint(0, 3):
            waiting.append("- " + part.replace("\n", "\n  ").rstrip(" "))
        elif waiting:
            found += [f"kind: {rng.choice(('List', 'PodList'))}\nitems:\n{''.join(waiting)}", part]
            waiting = []
        else:
            found.append(part)
    return found[:-1]


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_no_object_in_a_list_is_lost_or_there_twice(seed: int) -> None:
    rng, parts = sides_of(seed)
    origin, update, local = (random_text(rng, in_lists(rng, side)) for side in parts)
    before, new, own = map(names_in, (origin, update, local))
    wanted = (new & own) + (new - before) + (own - before)
    assert merged(origin, origin, local) == local
    # What cannot be told is left to lines.
    for merge in (merged, by_driver):
        with contextlib.suppress(FnError):
            found = names_in(merge(origin, update, local))
            assert max(found.values(), default=1) == 1
            assert wanted <= found <= wanted + (new & before) + (own & before)


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_what_an_overlay_and_kubectl_leave_alone_keeps_its_bytes(seed: int) -> None:
    rng, (before, new, own) = sides_of(seed)
    there = [part for part in new if part in own or not part.startswith("kind")]
    origin, update, local = (random_text(rng, parts) for parts in (before, there, own))
    for applied in ("", origin):
        before_it, new_one, live = (File(text, "a.yaml") for text in (applied, update, local))
        output = composition.merge(before_it, new_one, live, lambda _, __, tree, ___: Merged(tree.root, [], []))
        assert output.text == local


Folder: TypeAlias = "dict[str, list[str]]"


def edited_folder(rng: Random, folder: Folder, author: str) -> Folder:
    """Return files of which some are edited, some have another name, and of which documents are in other files."""
    found = {path: [*edited(rng, parts[:-1], f"{author}{path[0]}"), parts[-1]] for path, parts in folder.items()}
    for _ in range(rng.randint(0, 2)):
        path, other = (rng.choice([*found]) for _ in range(2))
        if len(found[path]) > 1:
            part = found[path].pop(rng.randrange(len(found[path]) - 1))
            found[other].insert(rng.randint(0, len(found[other]) - 1), part)
    path = rng.choice([*found])
    found[rng.choice((path, path, f"{author}.yaml"))] = found.pop(path)
    return found


def heads(folder: dict[str, bytes]) -> Counter[bytes]:
    return Counter(re.findall(rb"# of .*", b"".join(folder.values())))


def folders_of(seed: int) -> list[dict[str, bytes]]:
    rng = Random(seed)  # noqa: S311 - for tests
    # The last of each file stays: the only objects of three files are one, whatever they are called.
    names = {path: [*(f"{path}{number}" for number in range(rng.randint(0, 2))), f"{path}9"] for path in "xyz"}
    origin = {f"{path}.yaml": [written(name) for name in found] for path, found in names.items()}
    sides = [origin, edited_folder(rng, origin, "u"), edited_folder(rng, origin, "l")]
    return [{path: ("---\n" + "---\n".join(parts)).encode() for path, parts in side.items()} for side in sides]


def merged_folders(*sides: dict[str, bytes]) -> dict[str, bytes]:
    return folder_and_results(*sides)[0]


def folder_and_results(*sides: dict[str, bytes]) -> tuple[dict[str, bytes], list[Result]]:
    merged = MergedDirectory(
        dict(zip(SIDES, sides, strict=True)),
        BaseRule(Policy()),
        "TakeUpdate",
        package_of=lambda _: "",
        named=lambda side, path: f"{side}/{path}",
    )
    merged.merge()
    found = {path: data for path, data in (sides[-1] | merged.contents).items() if data is not None}
    return found, merged.results


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_a_folder_in_which_nothing_changed_leaves_the_bytes_of_the_other(seed: int) -> None:
    origin, side, _ = folders_of(seed)
    assert merged_folders(origin, origin, side) == side
    assert merged_folders(origin, side, origin) == side


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_no_object_of_a_folder_is_lost_or_there_twice(seed: int) -> None:
    sides = folders_of(seed)
    before, new, own, found = (
        sum((names_in(data.decode()) for data in side.values()), Counter()) for side in (*sides, merged_folders(*sides))
    )
    assert max(found.values(), default=1) == 1
    wanted = (new & own) + (new - before) + (own - before)
    assert wanted <= found <= wanted + (new & before) + (own & before)


@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_each_comment_at_a_head_of_a_folder_is_there_once_or_told(seed: int) -> None:
    rng, (origin, *sides) = Random(seed), folders_of(seed)  # noqa: S311 - for tests
    for author, side in zip("ul", sides, strict=True):
        for path in [path for path in side if rng.random() < 0.5]:
            side[path] = f"# of {author} in {path}\n\n".encode() + side[path]
    written = heads(sides[0]) + heads(sides[1])
    for update, local in (sides, sides[::-1]):
        found, results = folder_and_results(origin, update, local)
        assert heads(found) <= written
        assert heads(found) == written or results
