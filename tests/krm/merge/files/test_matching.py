"""Which objects of several files are one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from krm.file import File
from krm.merge.files import matching, renames

if TYPE_CHECKING:
    from collections.abc import Sequence

    from krm.file import Object
    from krm.merge.files.matching import Side

SIDES: tuple[Side, ...] = ("origin", "update", "local")


def config_map(name: str, value: int = 1) -> str:
    return f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata: {{k: '{value}', l: x}}\n"


JOB = "apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: job-}\nspec: {a: 1}\n"
X_CALLED_Y, Y_CALLED_X = (
    config_map(name, 3).replace("metadata: {", f"metadata: # kpt-merge: /{noted}\n  {{")
    for name, noted in (("y", "x"), ("x", "y"))
)
VALUES = "replicas: 1\nimage: a\n"
ACROSS = {
    "moved upstream": (
        {"a": config_map("x")},
        {"b": config_map("x", 2)},
        {"a": config_map("x", 3)},
        ["a b a"],
    ),
    "of a name that its base has, too": (
        {"base": config_map("x"), "over": config_map("x", 5)},
        {"base": config_map("x", 2), "over": config_map("x", 6)},
        {"base": config_map("x", 3), "over": config_map("x", 7)},
        ["base base base", "over over over"],
    ),
    "one of two is left": (
        {"a": config_map("x")},
        {"b": config_map("x", 2)},
        {"a": config_map("x", 3), "c": config_map("x", 4)},
        ["a b a", "- - c"],
    ),
    "two are left": (
        {"a": config_map("x")},
        {"a": config_map("x", 2)},
        {"b": config_map("x", 3), "c": config_map("x", 4)},
        ["- - b", "- - c", "a a -"],
    ),
    "renamed by both": (
        *({"a": f"{config_map(name)}---\n{JOB}"} for name in ("x", "y", "z")),
        ["a a a", "a a a"],
    ),
    "without a name across files": ({"a": VALUES}, {"b": VALUES}, {"a": VALUES}, ["a - a", "- b -"]),
    "without a name in a file": ({"a": VALUES}, {"a": VALUES + "x: 1\n"}, {"a": VALUES + "y: 1\n"}, ["a a a"]),
    "with a generated name": ({"a": JOB}, {"b": JOB.replace("1", "2")}, {"a": JOB.replace("1", "3")}, ["a b a"]),
    "of names that kpt noted": (
        {"a": config_map("x"), "b": config_map("y")},
        {"a": config_map("x", 2), "b": config_map("y", 2)},
        {"c": Y_CALLED_X, "d": X_CALLED_Y},
        ["b b c", "a a d"],
    ),
    "renamed in another file": (
        {"a": config_map("x"), "b": config_map("y")},
        {"c": config_map("z"), "b": config_map("y")},
        {"a": config_map("x"), "b": config_map("y")},
        ["a c a", "b b b"],
    ),
}


@pytest.mark.parametrize(("origin", "update", "local", "expected"), ACROSS.values(), ids=ACROSS)
def test_objects_are_matched_across_files(
    origin: dict[str, str], update: dict[str, str], local: dict[str, str], expected: list[str]
) -> None:
    objects: dict[Side, Sequence[Object]] = {
        side: [found for path, text in files.items() for found in File(text, path, path).objects]
        for side, files in zip(SIDES, (origin, update, local), strict=True)
    }
    matches = matching.matched(objects, matching.STEPS, {})
    places = [
        [(match.objects[side].document.file.path or "") if side in match.objects else "-" for side in SIDES]
        for match in matches
    ]
    assert [" ".join(place) for place in places] == expected


def test_of_very_many_files_only_the_names_are_compared() -> None:
    def of(name: str) -> dict[str, str]:
        return {f"{name}{number}.yaml": "kind: A\nx: 1\n" for number in range(101)}

    texts: dict[Side, dict[str, str]] = {"origin": of("a"), "update": of("b"), "local": of("a")}
    ways = renames.of_one_name, renames.similar
    assert renames.origin_paths(texts, *ways) == {}
    few = {side: dict([*paths.items()][:2]) for side, paths in texts.items()}
    assert renames.origin_paths(few, *ways).keys() == {("update", "b0.yaml"), ("update", "b1.yaml")}
    moved = {f"c/{path}": text for path, text in of("a").items()}
    assert renames.origin_paths(texts | {"update": moved}, *ways) == {("update", f"c/{path}"): path for path in of("a")}
