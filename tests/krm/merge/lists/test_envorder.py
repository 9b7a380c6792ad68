"""The order of a merged `env`: what an entry refers to stays above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.kinds.schema import ListRule
from krm.merge.lists import envorder, pairing
from krm.merge.policy import Policy
from krm.yamltree.nodes import Mapping, Sequence
from krm.yamltree.parser import parse
from krm.yamltree.target import AmendedMapping, Graft

if TYPE_CHECKING:
    from krm.merge.lists.pairing import Key
    from krm.merge.policy import OnConflict
    from krm.yamltree.target import Target

RULE = ListRule(("name",))


def env(entries: str) -> pairing.Keyed:
    """Return the list that `A B=A` stands for: an entry A, and an entry B whose value refers to A."""
    written = (entry.partition("=") for entry in entries.split())
    lines = (f"- {{name: {name}, value: '{''.join(f'$({used})' for used in value)}'}}\n" for name, _, value in written)
    root = parse("".join(lines) or "[]").root
    assert isinstance(root, Sequence)
    return pairing.keyed(RULE, root.kids)


def ordered(merged: pairing.Keyed, update: str, local: str) -> tuple[list[Key], list[str], list[str]]:
    return envorder.ordered(dict(merged), env(update), env(local))


def named(keys: list[Key]) -> str:
    return "".join(str(texts[0]) for texts, _, _ in keys if texts is not None)


# The merged list, update, local; the order that comes out, what was moved, what refers to an entry below it.
CASES = {
    "in order": ("A B=A", "A B=A", "", "AB", "", ""),
    "no references": ("B A", "A B", "A B", "BA", "", ""),
    "a definition goes ahead of its user": ("B=A A", "A B=A", "", "AB", "A", ""),
    "as it was in local": ("B=A A", "", "A B=A", "AB", "A", ""),
    "where update has another order": ("B=A A", "B=A A", "A B=A", "AB", "A", ""),
    "all else stays": ("X B=A Y A Z C=A", "A B=A C=A", "X Y Z", "XABYZC", "A", ""),
    "just ahead of the first of two users": ("B=A X C=A A", "A B=A C=A", "X", "ABXC", "A", ""),
    "with what that needs": ("C=B B=A A", "A B=A C=B", "", "ABC", "AB", ""),
    "two that one needs, in their order": ("C=BA A B", "B A C=BA", "", "ABC", "AB", ""),
    "needed by two, one of which goes ahead itself": ("C=BA B=A A", "A B=A C=BA", "", "ABC", "AB", ""),
    "a forward reference of before stays": ("B=A A", "B=A A", "B=A A", "BA", "", "B"),
    "a new reference to what the other side has": ("B=A A", "B=A", "A", "BA", "", "B"),
    "a cycle stays": ("A=B B=A", "A=B B=A", "B=A A=B", "AB", "", "A"),
    "a user of a cycle does not": ("C=A A=B B=A", "A=B B=A C=A", "B=A A=B", "ACB", "A", "A"),
    "what a cycle needs does not": ("A=BC B=A C", "C A=BC B=A", "C B=A A=BC", "CAB", "C", "A"),
    "a reference to itself": ("B A=A", "A=A B", "A=A B", "BA", "", ""),
    "a name that is not in the list": ("B=U A", "A B=U", "A B=U", "BA", "", ""),
    "of duplicates those that stood above": ("U=P P P=P", "P U=P P=P", "", "PUP", "P", ""),
    "duplicates are known by their number": ("P=P P", "P P=P", "P P=P", "PP", "", "P"),
}


@pytest.mark.parametrize(("merged", "update", "local", "order", "moved", "unresolved"), CASES.values(), ids=CASES)
def test_entries_follow_those_that_they_refer_to(  # noqa: PLR0913 - a row of the table
    merged: str, update: str, local: str, order: str, moved: str, unresolved: str
) -> None:
    keys, *names = ordered(env(merged), update, local)
    assert named(keys) == order
    assert [*map("".join, names)] == [moved, unresolved]


def test_entries_are_read_through_grafts_and_amendments() -> None:
    text = "- {name: B, value: b}\n- {name: &a A, value: $(A)}\n- *a\n- {name: *a, value: a}\n"
    root = parse(text).root
    assert isinstance(root, Sequence)
    first, second, scalar, third = root.kids
    assert isinstance(first, Mapping)
    assert isinstance(second, Mapping)
    user = AmendedMapping(first, {"name": first.kids[1], "value": Graft(text, second, second.kids[3])})
    merged: dict[Key, Target] = {
        (("B",), None, 0): Graft(text, root, first, user),
        (None, None, 0): scalar,
        (("A",), None, 0): Graft(text, root, third),
    }
    keys, moved, _ = envorder.ordered(merged, env("A B=A"), {})
    assert named(keys) == "AB"
    assert moved == ["A"]


def test_an_entry_without_a_name_or_a_value_refers_to_nothing() -> None:
    text = "- {name: B, value: $(A)}\n- {name: A, valueFrom: {fieldRef: {fieldPath: metadata.name}}}\n- {value: $(A)}\n"
    root = parse(text).root
    assert isinstance(root, Sequence)
    user, definition, nameless = root.kids
    assert isinstance(definition, Mapping)
    merged: dict[Key, Target] = {
        (("B",), None, 0): user,
        (None, None, 0): nameless,
        (("A",), None, 0): AmendedMapping(definition, {"name": definition.kids[1]}),
    }
    assert envorder.ordered(merged, env("A B=A"), {}) == (
        [(("A",), None, 0), (("B",), None, 0), (None, None, 0)],
        ["A"],
        [],
    )


def test_a_long_chain_upside_down_is_put_right() -> None:
    root = parse("".join(f"- {{name: V{number}, value: $(V{number - 1})}}\n" for number in range(3000))).root
    assert isinstance(root, Sequence)
    upright, merged = pairing.keyed(RULE, root.kids), pairing.keyed(RULE, root.kids[::-1])
    assert envorder.ordered(dict(merged), upright, {})[0] == list(upright)


ENTRIES = st.lists(st.tuples(st.sampled_from("ABCDE"), st.text("ABCDE", max_size=2)), unique_by=lambda entry: entry[0])


def texts(entries: list[tuple[str, str]]) -> str:
    return " ".join(f"{name}={used}" for name, used in entries)


@given(ENTRIES.flatmap(lambda entries: st.tuples(st.just(entries), st.permutations(entries))))
def test_what_stood_above_an_entry_that_needs_it_stays_above(lists: tuple[list[tuple[str, str]], ...]) -> None:
    entries, merged = lists
    found = named(ordered(env(texts(merged)), texts(entries), "")[0])
    position = {name: index for index, (name, _) in enumerate(entries)}
    assert sorted(found) == sorted(position)
    for name, used in entries:
        for each in used:
            if each in position and position[each] < position[name]:
                assert found.index(each) < found.index(name)


POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers:\n  - name: web\n    env:\n"
OF_ENV = "spec.containers[name=web].env"

# The policy, and origin, update and local as `A=1 B=$(A)`; the order that comes out, and what is told of it.
VALUES: dict[str, tuple[OnConflict, str, str, str, str, list[str]]] = {
    "update's value comes": (
        "TakeUpdate", "A=1 C=x", "A=1 B=b C=$(B)", "C=y A=1", "B=b C=$(B) A=1",
        ["`B` was moved ahead of what refers to it"],
    ),
    "update's value does not come": ("KeepLocal", "A=1 C=x", "A=1 B=b C=$(B)", "C=y A=1", "C=y A=1 B=b", []),
    "local's reference is gone": (
        "TakeUpdate", "A=1", "A=1 B=b C=$(B)", "C=$(A) A=1", "B=b C=$(B) A=1",
        ["`B` was moved ahead of what refers to it"],
    ),
    "local has another comment": (
        "KeepLocal", "A=1 C=x", "A=1 B=b C=$(B)", "C=x#why A=1", "B=b C=$(B)#why A=1",
        ["`B` was moved ahead of what refers to it"],
    ),
}  # fmt: skip


def pod(entries: str) -> str:
    """Return a Pod with the entries that `A=1 C=x#why` stands for; what is behind `#` is a comment of the value."""
    parts = (entry.replace("#", "  # ").partition("=") for entry in entries.split())
    return POD + "".join(f"    - name: {name}\n      value: {value}\n" for name, _, value in parts)


@pytest.mark.parametrize("case", VALUES)
def test_the_order_is_that_of_the_values_that_come_out(case: str) -> None:
    on_conflict, origin, update, local, expected, told = VALUES[case]
    before, new, own = (File(pod(entries), "a.yaml") for entries in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy(on_conflict)))
    assert output.text == pod(expected)
    assert [each.message for each in output.results if each.field == OF_ENV] == told
