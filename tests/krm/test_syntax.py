"""The grammar of references: the design document's table, the commuting form, and the laws of both."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from krm import syntax
from krm.syntax import closed, commute, doubled, expand, lookup_in, names, value
from krm.yamltree import edits
from krm.yamltree.edits import Edit
from tests import grammar
from tests.grammar import AT_RUN_TIME, EXAMPLES, KNOWN

if TYPE_CHECKING:
    from collections.abc import Callable

    Form = Callable[[str, syntax.Lookup], str]

CONTEXT = {"VAR_A": "A", "VAR_B": "B", "VAR_C": "C", "VAR_REF": "$(VAR_A)", "VAR_EMPTY": ""}

# The design document's table, row by row, as plain text: it prints some inputs, but no result, as Go writes strings.
TABLE = [
    ("$(VAR_A)", "A"),
    ("___$(VAR_B)___", "___B___"),
    ("___$(VAR_C)", "___C"),
    ("$(VAR_A)-$(VAR_A)", "A-A"),
    ("$(VAR_A)-1", "A-1"),
    ("$(VAR_A)_$(VAR_B)_$(VAR_C)", "A_B_C"),
    ("$$(VAR_B)_$(VAR_A)", "$(VAR_B)_A"),
    ("$$(VAR_A)_$$(VAR_B)", "$(VAR_A)_$(VAR_B)"),
    ("f000-$$VAR_A", "f000-$VAR_A"),
    (r"foo\$(VAR_C)bar", r"foo\Cbar"),
    (r"foo\\$(VAR_C)bar", r"foo\\Cbar"),
    (r"foo\\\\$(VAR_A)bar", r"foo\\\\Abar"),
    ("$(VAR_A$(VAR_B))", "$(VAR_A$(VAR_B))"),
    ("$(VAR_A$(VAR_B)", "$(VAR_A$(VAR_B)"),
    ("$(VAR_REF)", "$(VAR_A)"),
    ("%%$(VAR_REF)--$(VAR_REF)%%", "%%$(VAR_A)--$(VAR_A)%%"),
    ("foo$(VAR_EMPTY)bar", "foobar"),
    ("foo$(VAR_Awhoops!", "foo$(VAR_Awhoops!"),
    ("f00__(VAR_A)__", "f00__(VAR_A)__"),
    ("$?_boo_$!", "$?_boo_$!"),
    ("$VAR_A", "$VAR_A"),
    ("$(VAR_DNE)", "$(VAR_DNE)"),
    ("$$$$$$(BIG_MONEY)", "$$$(BIG_MONEY)"),
    ("$$$$$$(VAR_A)", "$$$(VAR_A)"),
    ("$$$$$$$(GOOD_ODDS)", "$$$$(GOOD_ODDS)"),
    ("$$$$$$$(VAR_A)", "$$$A"),
    ("$VAR_A)", "$VAR_A)"),
    ("${VAR_A}", "${VAR_A}"),
    ("$(VAR_B)_______$(A", "B_______$(A"),
    ("$(VAR_C)_______$(", "C_______$("),
    ("$(VAR_A)foobarzab$", "Afoobarzab$"),
    (r"foo-\$(VAR_A", r"foo-\$(VAR_A"),
    ("--$($($($($--", "--$($($($($--"),
    ("$($($($($--foo$(", "$($($($($--foo$("),
    ("foo0--$($($($(", "foo0--$($($($("),
    ("$(foo$$var)", "$(foo$$var)"),
]
assert len(TABLE) == 36

FURTHER = [
    ("", ""),
    ("\n", "\n"),
    ("$", "$"),
    ("$()", "$()"),
    ("$( VAR_A )", "$( VAR_A )"),
    ("$(var_a)", "$(var_a)"),
    ("$(VAR_A", "$(VAR_A"),
    ("$($$", "$($"),
    ("$é$$é$(VAR_A)é", "$é$éAé"),
    ("😀$(VAR_A)$$😀", "😀A$😀"),
    ("$$$(VAR_A)", "$A"),
]

PARTS = ["$", "$", "(", "(", ")", "$$", "$(", "$(A)", "$(B)", "$$(A)", "A", "B", "x", " ", "\\", "é", "😀", "\n"]
texts = st.one_of(st.lists(st.sampled_from(PARTS), max_size=12).map("".join), st.text(max_size=8))
maps = st.dictionaries(st.sampled_from(["A", "B", "", "A$(B", "x", " "]), texts)


def naive_expand(text: str, known: dict[str, str]) -> str:
    return grammar.expand(text, known.get)


def commuting(text: str, known: dict[str, str]) -> str:
    return commute(text, {name: doubled(of_name) for name, of_name in known.items()}.get)


@pytest.mark.parametrize(("written", "expected"), TABLE + FURTHER)
def test_the_design_documents_table(written: str, expected: str) -> None:
    assert expand(written, lookup_in(CONTEXT)) == expected
    assert naive_expand(written, CONTEXT) == expected


@pytest.mark.parametrize(("written", "expected"), TABLE)
def test_the_table_with_the_map_split_in_two(written: str, expected: str) -> None:
    first = {name: CONTEXT[name] for name in ("VAR_A", "VAR_REF")}
    second = {name: CONTEXT[name] for name in CONTEXT.keys() - first}
    assert expand(written, lookup_in(first, second)) == expected


def test_the_first_map_that_has_a_name_gives_its_value() -> None:
    assert expand("$(A)$(B)", lookup_in({"A": ""}, {"A": "second", "B": "b"})) == "b"


@pytest.mark.parametrize(("written", "kubelet", "commuted", "final", "kubelet_of_final"), EXAMPLES)
def test_the_forms_of_the_worked_examples(
    written: str, kubelet: str, commuted: str, final: str, kubelet_of_final: str
) -> None:
    assert naive_expand(written, AT_RUN_TIME) == kubelet
    assert commuting(written, KNOWN) == commuted
    assert naive_expand(commuted, AT_RUN_TIME) == kubelet
    assert expand(written, KNOWN.get) == final
    assert naive_expand(final, AT_RUN_TIME) == kubelet_of_final


@pytest.mark.parametrize(
    ("written", "referred", "escaped"),
    [
        ("$(A)$(B)$(A)", ["A", "B", "A"], []),
        ("$$(A)$$$(B)", ["B"], ["A"]),
        ("$$(A", [], []),
        ("$$A)$$", [], []),
        ("$$$$(A)$()", [""], ["A"]),
        ("$$(A)$$(B)", [], ["A", "B"]),
    ],
)
def test_names_that_are_referred_to_and_names_that_are_escaped(
    written: str, referred: list[str], escaped: list[str]
) -> None:
    assert (names(written), syntax.escaped_names(written)) == (referred, escaped)


def test_edits_are_only_those_of_references_that_are_known() -> None:
    assert syntax.commuting_edits("a$$$(A)$(B)", {"A": "x"}.get) == [Edit(3, 7, "x")]
    assert syntax.final_edits("a$$$(A)$(B)", {"A": "x"}.get) == [Edit(1, 3, "$"), Edit(3, 7, "x")]


@pytest.mark.parametrize("form", [expand, commute])
def test_more_than_a_cluster_can_store_is_refused(form: Form) -> None:
    known = {"A": "x" * (syntax.LONGEST // 2)}
    assert len(form("$(A)$(A)", known.get)) == syntax.LONGEST
    with pytest.raises(syntax.TooLongError, match="more than 1 MiB"):
        form("$(A)$(A)$(A)", known.get)


@given(texts, maps)
def test_expand_is_the_table(text: str, known: dict[str, str]) -> None:
    assert expand(text, known.get) == naive_expand(text, known)


@given(texts, maps, maps)
def test_a_second_expansion_gives_what_one_would_have_given(
    text: str, known: dict[str, str], others: dict[str, str]
) -> None:
    at_run_time = others | known
    assert naive_expand(commuting(text, known), at_run_time) == naive_expand(text, at_run_time)


@given(texts, maps)
def test_what_is_commuted_stays_as_it_is(text: str, known: dict[str, str]) -> None:
    once = commuting(text, known)
    assert commuting(once, known) == once


@given(texts, texts, texts, maps)
def test_a_closed_text_means_the_same_wherever_it_is_inserted(
    before: str, text: str, after: str, known: dict[str, str]
) -> None:
    """It may stand where a reference may: behind text in which no reference is open, and before any."""
    before = closed(before)
    joined = naive_expand(before + closed(text) + after, known)
    assert joined == naive_expand(before, known) + naive_expand(text, known) + naive_expand(after, known)


@given(texts)
def test_closing_a_text_changes_nothing_of_one_that_is_closed(text: str) -> None:
    assert closed(closed(text)) == closed(text)
    assert names(closed(text)) == names(text)


@given(texts)
def test_a_doubled_value_is_that_value_and_closed(text: str) -> None:
    assert naive_expand(doubled(text), {"A": "x", "B": "y"}) == text
    assert closed(doubled(text)) == doubled(text)
    assert value(doubled(text)) == text


@given(texts)
def test_tokens_are_all_that_means_something(text: str) -> None:
    """They follow each other, each is one of the grammar, and what lies between them is no token."""
    position = 0
    for token in syntax.tokens(text):
        assert position <= token.start < token.end <= len(text)
        written = text[token.start : token.end]
        assert written == ("$$" if token.name is None else f"$({token.name})")
        assert re.fullmatch(r"\$\$|\$\([^)]*\)", written, re.DOTALL)
        assert not _means_something(text[position : token.start])
        position = token.end
    assert not _means_something(text[position:])


def _means_something(text: str) -> bool:
    return re.search(r"\$\$|\$\([^)]*\)", text, re.DOTALL) is not None


PLAIN = [
    ("echo $$ > pid", "echo $$ > pid"),
    ("echo $$ > $(A)", "echo $$ > x"),
    ("$$(A)", "$(A)"),
    ("$$(A) $(A)", "$(A) x"),
    ("$$$(A)", "$$x"),
    ("$$$$(A)", "$$$(A)"),
    ("$$(B) $(B) ${A} $A $$A $(A", "$$(B) $(B) ${A} $A $$A $(A"),
    ("AS $$body$$ SELECT $(A) $$5", "AS $$body$$ SELECT x $$5"),
]


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_a_plain_text_keeps_each_dollar_that_is_not_of_a_declared_name(text: str, expected: str) -> None:
    assert edits.apply(text, syntax.plain_edits(text, {"A": "x"}.get, {"A"}.__contains__)) == expected


dollars = st.lists(st.sampled_from(["$", "$$", "(", ")", "$(A)", "$$(A)", "$(B)", "$$(B)", "${A}", "A", " "])).map(
    "".join
)


@given(dollars)
def test_outside_of_declared_names_a_plain_text_keeps_each_character(text: str) -> None:
    """Read by a regular expression, which knows no tokens: pairs of `$` first, as Kubernetes reads them."""
    expected = re.sub(
        r"\$\$(?:\((A)\))?|\$\(([^)]*)\)",
        lambda found: "$(A)" if found[1] else "x" if found[2] == "A" else found[0],
        text,
    )
    assert edits.apply(text, syntax.plain_edits(text, {"A": "x"}.get, {"A"}.__contains__)) == expected
