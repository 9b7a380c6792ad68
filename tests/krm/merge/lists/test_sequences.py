"""Lists without keys merge by the stretches between equal elements (docs/merge.md, "Lists without keys")."""

from __future__ import annotations

import subprocess
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge.kinds.schema import Schema
from krm.merge.merge3 import Rules, merge3
from krm.merge.policy import Policy
from krm.yamltree.editor import Editor
from tests.krm.merge.sides import CUSTOM, DEPLOYMENT, data, declared, merged, places, tree

if TYPE_CHECKING:
    from pathlib import Path

# Origin, update, local; what comes out if update's is taken, and if local's stays; whether there is a conflict.
LISTS: dict[str, tuple[str, str, str, str, str, bool]] = {
    "each changed another element": ("[a, b, c]", "[A, b, c]", "[a, b, C]", "[A, b, C]", "[A, b, C]", False),
    "each added one": ("[a, b]", "[u, a, b]", "[a, b, l]", "[u, a, b, l]", "[u, a, b, l]", False),
    "each took one away": ("[a, b, c]", "[b, c]", "[a, b]", "[b]", "[b]", False),
    "each took neighbours away": ("[a, b, c]", "[c]", "[a]", "[c]", "[a]", True),
    "both added at one place": ("[a]", "[a, u]", "[a, l]", "[a, u]", "[a, l]", True),
    "both added the same": ("[a, b]", "[a, x, b, u]", "[a, x, b]", "[a, x, b, u]", "[a, x, b, u]", False),
    "both changed one": ("[a, b, c, d]", "[A, b, c, d]", "[l, b, c, D]", "[A, b, c, D]", "[l, b, c, D]", True),
    "neighbours": ("[a, b]", "[A, b]", "[a, B]", "[A, b]", "[a, B]", True),
    "neighbours that are mappings": (
        "[{a: 1}, {b: 1}]",
        "[{a: 2}, {b: 1}]",
        "[{a: 1}, {b: 2}]",
        "[{a: 2}, {b: 2}]",
        "[{a: 2}, {b: 2}]",
        False,
    ),
    "both changed one of neighbours that are mappings": (
        "[{a: 1}, {b: 1}, {c: 1}]",
        "[{a: 2}, {b: 2}, {c: 1}]",
        "[{a: 1}, {b: 3}, {c: 2}]",
        "[{a: 2}, {b: 2}, {c: 2}]",
        "[{a: 2}, {b: 3}, {c: 2}]",
        True,
    ),
    "neighbours that are mappings, one moved": (
        "[{a: 1}, {b: 1}]",
        "[{b: 1}, {a: 1}]",
        "[{a: 1}, {b: 2}]",
        "[{b: 1}, {a: 1}]",
        "[{a: 1}, {b: 2}]",
        True,
    ),
    "neighbours that are mappings, one more": (
        "[{a: 1}, {b: 1}]",
        "[{a: 2}, {c: 1}, {b: 1}]",
        "[{a: 1}, {b: 2}]",
        "[{a: 2}, {c: 1}, {b: 1}]",
        "[{a: 1}, {b: 2}]",
        True,
    ),
    "one that is twice": ("[a, b, a]", "[u, a, b, a]", "[a, b, a, l]", "[u, a, b, a]", "[a, b, a, l]", True),
    "both added one in two places": ("[a, b]", "[x, a, b]", "[a, b, x]", "[x, a, b]", "[a, b, x]", True),
    "update moved what local took away": ("[a, b, c]", "[b, c, a]", "[b, c]", "[b, c, a]", "[b, c]", True),
    "update moved one, local changed another": (
        "[a, b, c, d]",
        "[b, c, d, a]",
        "[a, b, C, d]",
        "[b, C, d, a]",
        "[b, C, d, a]",
        False,
    ),
    "a move into a conflict": ("[a, b, c]", "[b, A, c, x]", "[x, a, b, l, c]", "[b, A, c, x]", "[x, a, b, l, c]", True),
    "mappings": ("[{a: 1}, {b: 1}]", "[{a: 2}, {b: 1}]", "[{a: 1}, {b: 1}, 3]", "[{a: 2}, {b: 1}, 3]", "", False),
    "no list before": ("x", "[a, u]", "[a, l]", "[a, u]", "[a, l]", True),
}


@pytest.mark.parametrize("case", LISTS.values(), ids=LISTS)
def test_lists(case: tuple[str, str, str, str, str, bool]) -> None:
    origin, update, local, taken, kept, is_conflict = case
    sides = [f"l: {side}" for side in (origin, update, local)]
    for on_conflict, expected in (("TakeUpdate", taken), ("KeepLocal", kept or taken)):
        result = merged(*sides, policy=Policy(on_conflict))  # type: ignore[arg-type]  # one of the three
        assert data(result.wanted) == data(tree(f"l: {expected}").root)
        assert places(result) == (["l"] if is_conflict else [])


DEFINITIONS = declared("{whole: {x-kubernetes-list-type: atomic}, silent: {type: array}}\n")
DEFINED = Schema("example.com", "v1", "Widget", definitions=DEFINITIONS)
NOT_INFERRED = Schema("example.com", "v1", "Widget", infer=False)


@pytest.mark.parametrize(
    ("schema", "field", "is_whole"),
    [
        (DEFINED, "whole", True),
        (DEFINED, "silent", False),
        (DEFINED, "other", False),
        (NOT_INFERRED, "other", True),
        (Schema("", "v1", "ServiceAccount"), "automountServiceAccountToken", False),
        (Schema("rbac.authorization.k8s.io", "v1", "Role"), "rules", False),
    ],
)
def test_a_list_that_is_declared_atomic_stays_whole(schema: Schema, field: str, is_whole: bool) -> None:  # noqa: FBT001
    sides = [f"{field}: [{elements}]" for elements in ("a, b, c", "A, b, c", "a, b, C")]
    result = merged(*sides, schema=schema)
    assert data(result.wanted) == {field: ["A", "b", "c" if is_whole else "C"]}
    assert places(result) == ([field] if is_whole else [])


def written(origin: str, update: str, local: str) -> str:
    """Return the text that a merge makes of local's."""
    editor = Editor(local)
    sides = tree(origin), tree(update), tree(local)
    sides[2].root = editor.document.root
    editor.amend((), merge3(*sides, Rules(CUSTOM)).wanted)
    return editor.text


def test_the_text_and_the_comments_of_the_others_stay() -> None:
    origin = "rules:\n- get: [pods]\n  to: a\n- get: [nodes]\n- get: [jobs]\n"
    update = "rules:\n- get: [pods]\n  to: b # by update\n- get: [nodes]\n- get: [jobs]\n"
    local = "rules:\n- get: ['pods'] # of shop\n  to: a\n- get: [nodes]\n# mine\n- get: [jobs, cronjobs]\n"
    assert written(origin, update, local) == (
        "rules:\n- get: ['pods'] # of shop\n  to: b # by update\n- get: [nodes]\n# mine\n- get: [jobs, cronjobs]\n"
    )


def test_a_comment_of_update_comes_to_an_element_that_stays() -> None:
    origin, update, local = "l:\n- a\n- b\n- c\n", "l:\n- A\n- b # why\n- c\n", "l:\n- a\n- b\n- C\n"
    assert written(origin, update, local) == "l:\n- A\n- b # why\n- C\n"


def test_args_of_a_container() -> None:
    def of(args: str) -> str:
        return f"spec: {{template: {{spec: {{containers: [{{name: web, args: {args}}}]}}}}}}"

    result = merged(of("[--a=1, --b=1, --c=1]"), of("[--a=2, --b=1, --c=1]"), of("[--a=1, --b=1]"), schema=DEPLOYMENT)
    assert data(result.wanted) == data(tree(of("[--a=2, --b=1]")).root)
    assert result.conflicts == []


ORIGIN = [*"abcdef"]
edits = st.lists(st.sampled_from(["keep", "keep", "drop", "change", "add"]), min_size=6, max_size=6)


def edited(changes: list[str], new: str) -> list[str]:
    """Return ORIGIN after one change for each element; no element is moved."""
    made = {"keep": "{0}", "drop": "", "change": new + "{0}", "add": "{0} " + new + "{0}"}
    return [*chain.from_iterable(made[change].format(old).split() for change, old in zip(changes, ORIGIN, strict=True))]


@given(edits, edits, st.booleans())
def test_a_merge_is_that_of_git_with_a_line_for_each_element(
    tmp_path_factory: pytest.TempPathFactory,
    updates: list[str],
    changes: list[str],
    is_alike: bool,  # noqa: FBT001
) -> None:
    sides: dict[str, Any] = {
        "local": edited(changes, "L"),
        "origin": ORIGIN,
        "update": edited(updates, "L" if is_alike else "U"),
    }
    folder: Path = tmp_path_factory.getbasetemp()
    for name, elements in sides.items():
        (folder / name).write_text("".join(f"{element}\n" for element in elements))
    done = subprocess.run(["git", "merge-file", "-p", *sides], cwd=folder, capture_output=True, text=True, check=False)
    result = merged(*(f"l: {[*sides[name]]}" for name in ("origin", "update", "local")))
    assert bool(result.conflicts) == bool(done.returncode)
    assert result.conflicts or data(result.wanted)["l"] == done.stdout.split()
