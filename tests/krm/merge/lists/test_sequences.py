"""Lists without keys merge by the stretches between equal elements (docs/reference/merge.md, "Lists without keys")."""

from __future__ import annotations

import json
import subprocess
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.merge.kinds.schema import Schema
from krm.merge.policy import Policy
from tests.krm.merge.sides import DEPLOYMENT, data, declared, merged, places, tree, written

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# Origin, update, local; what comes out if update's is taken, and if local's stays; whether there is a conflict.
LISTS: dict[str, tuple[str, str, str, str, str, bool]] = {
    "each changed another element": ("[a, b, c]", "[A, b, c]", "[a, b, C]", "[A, b, C]", "[A, b, C]", False),
    "each added one": ("[a, b]", "[u, a, b]", "[a, b, l]", "[u, a, b, l]", "[u, a, b, l]", False),
    "each took one away": ("[a, b, c]", "[b, c]", "[a, b]", "[b]", "[b]", False),
    "each took neighbours away": ("[a, b, c]", "[c]", "[a]", "[]", "[]", False),
    "one took more away": ("[a, b, c, d]", "[c, d]", "[d]", "[d]", "[d]", False),
    "one took away what the other changed": ("[a, b, c]", "[c]", "[A, b, c]", "[c]", "[A, c]", True),
    "one took away, the other added beside it": ("[a, b]", "[a]", "[a, b, l]", "[a, l]", "", False),
    "of options, too": ("[a, -b]", "[a]", "[a, -b, l]", "[a]", "[a, -b, l]", True),
    "both added at one place": ("[a]", "[a, u]", "[a, l]", "[a, u]", "[a, l]", True),
    "both added the same": ("[a, b]", "[a, x, b, u]", "[a, x, b]", "[a, x, b, u]", "[a, x, b, u]", False),
    "both changed one": ("[a, b, c, d]", "[A, b, c, d]", "[l, b, c, D]", "[A, b, c, D]", "[l, b, c, D]", True),
    "neighbours": ("[a, b]", "[A, b]", "[a, B]", "[A, B]", "", False),
    "neighbours, an option and its value": ("[--a, b]", "[--A, b]", "[--a, B]", "[--A, B]", "[--A, B]", True),
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
        "[{a: 2}, {b: 2}, {c: 1}]",
        "[{a: 1}, {b: 3}, {c: 2}]",
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
        "[{a: 2}, {c: 1}, {b: 2}]",
        "[{a: 2}, {c: 1}, {b: 2}]",
        False,
    ),
    "a mapping beside one that changed": ("[{a: 1}]", "[{a: 1}, {u: 1}]", "[{a: 2}]", "[{a: 2}, {u: 1}]", "", False),
    "a mapping beside one that is gone": (
        "[{a: 1}, {b: 1}]",
        "[{a: 1}, {b: 1}, {u: 1}]",
        "[{a: 1}]",
        "[{a: 1}, {u: 1}]",
        "",
        False,
    ),
    "mappings in the place of one, beside one that changed": (
        "[{a: 1}, {b: 1}]",
        "[{u: 1}, {v: 1}, {b: 1}]",
        "[{a: 1}, {b: 2}]",
        "[{u: 1}, {v: 1}, {b: 2}]",
        "",
        False,
    ),
    "mappings in the place of one, and one more there": (
        "[{a: 1}]",
        "[{u: 1}, {v: 1}]",
        "[{a: 1}, {l: 1}]",
        "[{u: 1}, {v: 1}, {l: 1}]",
        "",
        False,
    ),
    "a mapping between two that changed": (
        "[{a: 1}, {b: 1}]",
        "[{a: 2}, {b: 2}]",
        "[{a: 1}, {l: 1}, {b: 1}]",
        "[{a: 2}, {b: 2}]",
        "[{a: 1}, {l: 1}, {b: 1}]",
        True,
    ),
    "mappings of which both put one at one place": (
        "[{a: 1}]",
        "[{u: 1}, {a: 1}]",
        "[{l: 1}, {a: 1}]",
        "[{u: 1}, {a: 1}]",
        "[{l: 1}, {a: 1}]",
        True,
    ),
    "a mapping that both took away, and one with another name there": (
        "[{name: a, x: 1}, {b: 1}]",
        "[{b: 1}]",
        "[{name: l}, {b: 1}]",
        "[{b: 1}]",
        "[{name: l}, {b: 1}]",
        True,
    ),
    "both added a mapping of one name in two places": (
        "[{a: 1}]",
        "[{name: n, v: 1}, {a: 1}]",
        "[{a: 1}, {name: n, v: 2}]",
        "[{name: n, v: 1}, {a: 1}]",
        "[{a: 1}, {name: n, v: 2}]",
        True,
    ),
    "one that is twice": ("[a, b, a]", "[u, a, b, a]", "[a, b, a, l]", "[u, a, b, a, l]", "", False),
    "each added one, update beside one that is twice": (
        "[g, h, e, e]",
        "[g, h, e, e, f]",
        "[b, e, g, h, e, e]",
        "[b, e, g, h, e, e, f]",
        "",
        False,
    ),
    "one that is twice, the first taken away": ("[a, b, a, c]", "[b, a, c]", "[a, b, a, C]", "[b, a, C]", "", False),
    "each put one there a second time": ("[a, b, c]", "[c, a, b, c]", "[a, b, c, b]", "[c, a, b, c, b]", "", False),
    "both added one in two places": ("[a, b]", "[x, a, b]", "[a, b, x]", "[x, a, b]", "[a, b, x]", True),
    "update moved what local took away": ("[a, b, c]", "[b, c, a]", "[b, c]", "[b, c, a]", "[b, c]", True),
    "two moves that cross": ("[a, b, 1]", "[1, b]", "[b, a, 1]", "[1, b]", "[b, a, 1]", True),
    "two moves that do not cross": ("[a, b, c, d]", "[b, a, c, d]", "[a, b, d, c]", "[b, a, d, c]", "", False),
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
def test_lists_without_keys_are_merged(case: tuple[str, str, str, str, str, bool]) -> None:
    origin, update, local, taken, kept, is_conflict = case
    sides = [f"l: {side}" for side in (origin, update, local)]
    for on_conflict, expected in (("TakeUpdate", taken), ("KeepLocal", kept or taken)):
        result = merged(*sides, policy=Policy(on_conflict))  # type: ignore[arg-type]  # one of the three
        assert data(result.target) == data(tree(f"l: {expected}").root)
        assert places(result) == (["l"] if is_conflict else [])


NAMED = "[{name: a, x: 1, y: 1, z: 1}, {name: b}, {b: 1}]"


@pytest.mark.parametrize(
    ("update", "local", "expected", "conflicts"),
    [
        ("{name: a, x: 2, y: 1, z: 1}", "{name: a, x: 1, z: 1}", {"name": "a", "x": 2, "z": 1}, []),
        (
            "{name: a, x: 2, y: 1, z: 2}",
            "{name: a, x: 3, y: 3, z: 1}",
            {"name": "a", "x": 2, "y": 3, "z": 2},
            ["l[0].x"],
        ),
        ("{name: u, x: 2, y: 1, z: 1}", "{name: a, x: 1, z: 1}", {"name": "u", "x": 2, "z": 1}, []),
        ("{name: b, x: 2, y: 1, z: 1}", "{name: b, x: 1, z: 1}", {"name": "b", "x": 2, "z": 1}, []),
    ],
    ids=["other fields", "one field", "renamed", "a name that is there twice"],
)
def test_a_mapping_with_a_name_of_its_own_merges_by_its_fields(
    update: str, local: str, expected: dict[str, Any], conflicts: list[str]
) -> None:
    sides = [NAMED, *(NAMED.replace("{name: a, x: 1, y: 1, z: 1}", side) for side in (update, local))]
    result = merged(*(f"l: {side}" for side in sides))
    assert data(result.target) == {"l": [expected, {"name": "b"}, {"b": 1}]}
    assert places(result) == conflicts


DEFINITIONS = declared("{whole: {x-kubernetes-list-type: atomic}, silent: {type: array}}\n")
DEFINED = Schema("example.com", "v1", "Widget", definitions=DEFINITIONS)
NOT_INFERRED = Schema("example.com", "v1", "Widget", infer=False)


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        (DEFINED, "whole"),
        (DEFINED, "silent"),
        (DEFINED, "other"),
        (NOT_INFERRED, "other"),
        (Schema("", "v1", "ServiceAccount"), "automountServiceAccountToken"),
        (Schema("rbac.authorization.k8s.io", "v1", "Role"), "rules"),
    ],
)
def test_no_declaration_makes_one_value_of_a_list(schema: Schema, field: str) -> None:
    sides = [f"{field}: [{elements}]" for elements in ("a, b, c", "A, b, c", "a, b, C")]
    result = merged(*sides, schema=schema)
    assert data(result.target) == {field: ["A", "b", "C"]}
    assert places(result) == []


def test_the_text_and_the_comments_of_the_others_stay() -> None:
    origin = "rules:\n- get: [pods]\n  to: a\n- get: [nodes]\n- get: [jobs]\n"
    update = "rules:\n- get: [pods]\n  to: b # by update\n- get: [nodes]\n- get: [jobs]\n"
    local = "rules:\n- get: ['pods'] # of shop\n  to: a\n- get: [nodes]\n# mine\n- get: [jobs, cronjobs]\n"
    text = "rules:\n- get: ['pods'] # of shop\n  to: b # by update\n- get: [nodes]\n# mine\n- get: [jobs, cronjobs]\n"
    assert written(origin, update, local) == (text, [])


def test_a_comment_of_update_comes_to_an_element_that_stays() -> None:
    origin, update, local = "l:\n- a\n- b\n- c\n", "l:\n- A\n- b # why\n- c\n", "l:\n- a\n- b\n- C\n"
    assert written(origin, update, local) == ("l:\n- A\n- b # why\n- C\n", [])


def test_comments_of_a_mapping_with_a_name_are_merged_with_it() -> None:
    origin = "l:\n# old\n- name: a # gone\n  v: 1\n  w: 1\n- last: 1\n"
    update = "l:\n# first\n- name: u\n# new\n- name: a\n  v: 2 # two\n  w: 1\n- last: 1\n"
    local = "l:\n# old\n- name: a # gone\n  v: 1\n  # mine\n  w: 2\n# second\n- name: l\n- last: 1\n"
    named = "- name: a\n  v: 2 # two\n  # mine\n  w: 2\n"
    text = f"l:\n# first\n- name: u\n# new\n{named}# second\n- name: l\n- last: 1\n"
    assert written(origin, update, local) == (text, [])


def test_args_of_a_container() -> None:
    def of(args: str) -> str:
        return f"spec: {{template: {{spec: {{containers: [{{name: web, args: {args}}}]}}}}}}"

    result = merged(of("[--a=1, --b=1, --c=1]"), of("[--a=2, --b=1, --c=1]"), of("[--a=1, --b=1]"), schema=DEPLOYMENT)
    assert data(result.target) == data(tree(of("[--a=2, --b=1]")).root)
    assert result.conflicts == []


ORIGIN = ["-a", *"bcdef"]
KINDS = ["keep", "keep", "drop", "change", "add"]
edits = st.lists(st.sampled_from(KINDS), min_size=6, max_size=6)


def edited(changes: list[str], new: str) -> list[str]:
    """Return ORIGIN after one change for each element; no element is moved."""
    made = {"keep": "{0}", "drop": "", "change": new + "{0}", "add": "{0} " + new + "_{0}"}
    return [*chain.from_iterable(made[change].format(old).split() for change, old in zip(changes, ORIGIN, strict=True))]


def by_git(sides: dict[str, list[str]], folder: Path) -> list[str] | None:
    """Return what git makes of the elements as lines, None for a conflict other than of deletions alone."""
    for name, elements in sides.items():
        (folder / name).write_text("".join(f"{element}\n" for element in elements))
    command = ["git", "merge-file", "-p", "--diff3", *sides]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found: list[str] = []
    hunk: list[list[str]] = []
    for line in done.stdout.splitlines():
        if line[:7] in ("<<<<<<<", "|||||||", "======="):
            hunk.append([])
        elif line.startswith(">>>>>>>"):
            local, origin, update = hunk
            if not {*local, *update} <= {*origin}:
                return None
            found += [one for one in local if one in update]
            hunk = []
        else:
            (hunk[-1] if hunk else found).append(line)
    return found


@given(edits, edits, st.booleans())
def test_a_merge_is_that_of_git_with_a_line_for_each_element(
    tmp_path_factory: pytest.TempPathFactory,
    updates: list[str],
    changes: list[str],
    is_alike: bool,  # noqa: FBT001
) -> None:
    sides = {
        "local": edited(changes, "L"),
        "origin": ORIGIN,
        "update": edited(updates, "L" if is_alike else "U"),
    }
    expected = by_git(sides, tmp_path_factory.getbasetemp())
    result = merged(*(f"l: [{', '.join(sides[name])}]" for name in ("origin", "update", "local")))
    assert bool(result.conflicts) == (expected is None)
    assert result.conflicts or data(result.target)["l"] == expected


@given(edits, edits)
def test_of_mappings_a_clean_merge_has_the_changes_of_both_sides(updates: list[str], changes: list[str]) -> None:
    update, local = edited(updates, "U"), edited(changes, "L")
    result = merged(*(f"l: [{', '.join(f'{{{one}: 1}}' for one in side)}]" for side in (ORIGIN, update, local)))
    # What one side changed, and the other changed or took away.
    is_contested = any(
        "change" in both and {*both} <= {"change", "drop"} for both in zip(updates, changes, strict=True)
    )
    assert result.conflicts or not is_contested
    if not result.conflicts:
        found = [next(iter(one)) for one in data(result.target)["l"]]
        wanted = {one for one in {*ORIGIN, *update, *local} if (one in update) + (one in local) > (one in ORIGIN)}
        assert sorted(found) == sorted(wanted)
        for side in (update, local):
            assert [one for one in found if one in side] == [one for one in side if one in found]


# Of an element that comes where another one goes nobody knows on which side of that it stands.
of_fields = st.lists(st.sampled_from([*KINDS, "x", "y"]), min_size=6, max_size=6).filter(
    lambda kinds: ("add", "drop") not in pairwise(kinds)
)
CHANGED = {"change": {"x", "y"}, "x": {"x"}, "y": {"y"}}


def named(changes: Iterable[tuple[str, str]]) -> list[dict[str, Any]]:
    """Return the elements after changes of update and of local, each told by whose it is; the last has no name."""
    found: list[dict[str, Any]] = []
    for name, pair in zip(ORIGIN, changes, strict=True):
        fields = {key: [side for side in (0, 1) if key in CHANGED.get(pair[side], ())] for key in ("x", "y")}
        found += [] if "drop" in pair else [{"name": name, **fields}]
        found += [{"name": f"{name}{side}"} for side in (0, 1) if pair[side] == "add"]
    return [*found, {"last": 1}]


@given(of_fields, of_fields)
def test_mappings_with_names_merge_each_by_itself(updates: list[str], changes: list[str]) -> None:
    pairs = [*zip(updates, changes, strict=True)]
    sides = [named(("keep", "keep") for _ in pairs), named((one, "keep") for one in updates)]
    sides.append(named(("keep", one) for one in changes))
    result = merged(*(json.dumps({"l": side}) for side in sides))
    are_both = [CHANGED.get(one, {one}) & CHANGED.get(other, {other}) & {"x", "y", "add"} for one, other in pairs]
    are_gone = ["drop" in pair and bool({*pair} & {*CHANGED}) for pair in pairs]
    assert bool(result.conflicts) == any([*are_both, *are_gone])
    if not result.conflicts:
        assert data(result.target)["l"] == named(pairs)
