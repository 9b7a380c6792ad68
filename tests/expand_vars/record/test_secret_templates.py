"""The record of a Secret shows neither the values that went into its data nor the text that stands around them."""

from __future__ import annotations

import json
import re

import yaml
from hypothesis import given
from hypothesis import strategies as st

from expand_vars.expansion import syntax
from expand_vars.record import fields
from krm.resource import Resource
from tests.expand_vars.expansion.running import run

LOGIN = "apiVersion: v1\nkind: Secret\nmetadata: {name: login, labels: {region: $(A)}}\nstringData: {url: %s}\n"
SPEC = """\
record: Always
targets:
- {preset: Labels}
- {select: {kind: Secret}, fieldPaths: [stringData.url]}
variables:
- {name: A, value: %s}
- {name: B, value: %s}
"""
texts = st.text("ab$()-é\n", max_size=6)
templates = st.lists(texts | st.sampled_from(["$(A)", "$(B)", "$(C)", "$$"]), max_size=6).map("".join)


def rendered(text: str, first: str, second: str) -> tuple[str, str]:
    """Return what a run with these values makes of a text, and of the field in it."""
    ran = run(text, spec=SPEC % (json.dumps(first.replace("$", "$$")), json.dumps(second.replace("$", "$$"))))
    return ran.text, ran.items[0]["stringData"]["url"]


@given(templates, st.tuples(texts, texts), st.tuples(texts, texts))
def test_a_later_run_gives_what_a_first_one_would_give(
    template: str, before: tuple[str, str], now: tuple[str, str]
) -> None:
    written = LOGIN % json.dumps(template)
    _, expected = rendered(written, *now)
    once, _ = rendered(written, *before)
    again, found = rendered(once, *now)
    if {"A", "B"} & {*syntax.names(template)} and "expandvars.dev" in once and "url" in once.partition("stringData")[0]:
        assert found == expected
    assert rendered(again, *now) == (again, found)


def test_what_stands_around_a_reference_is_not_shown() -> None:
    once, found = rendered(LOGIN % "'pg://admin:hunter2@$(A)/$(B)?x=$$1'", "db", "shop")
    assert found == "pg://admin:hunter2@db/shop?x=$1"
    record = yaml.safe_load(once)["metadata"]["annotations"]["expandvars.dev/references"]
    assert re.sub("[0-9a-f]{10}", "HASH", record) == (
        'metadata.labels.region:\n  secret HASH "\\u0024(A)"\n'
        'stringData.url:\n  secret HASH cut [19, ["A", 2], 1, "B", 5]\n'
        "variable A:\n  secret HASH\n"
        "variable B:\n  secret HASH\n"
        'secrets of:\n  "/Secret//login"\n'
    )


def test_the_undo_writes_a_template_that_means_the_same() -> None:
    once, _ = rendered(LOGIN % "'$$(HOME) $(A) $5'", "x", "y")
    item = Resource(once, (0, len(once)), "it")
    assert fields.restore(item) == []
    assert item.text == LOGIN.replace("$(A)", "$(A)", 1) % "'$$(HOME) $(A) $$5'"


def test_an_edit_by_hand_names_the_references_to_write_again() -> None:
    once, _ = rendered(LOGIN % "'pg://hunter2@$(A)'", "db", "")
    ran = run(once.replace("pg://", "pgsql://"), spec=SPEC % ("x", "z"))
    (edited,) = ran.of("EditedByHand")
    assert "`$(A)`" in edited.message
    assert "hunter2" not in edited.message
