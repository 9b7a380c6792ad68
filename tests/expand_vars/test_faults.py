"""A fault that nobody foresaw is a sentence: it says that it is ours, names the item, and quotes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from expand_vars.expansion import kubelet_fields
from krm import results, stdio
from tests.expand_vars.expansion.running import pod, run

if TYPE_CHECKING:
    import pytest


def failing(*_: object) -> None:
    text = "a secret"
    raise KeyError(text)


SENTENCE = (
    "this is a fault of the program and not of your text: KeyError in failing, line {} of expand_vars/test_faults.py; "
    "nothing is written; please report it with the text that shows it"
)
LINE = failing.__code__.co_firstlineno + 2


def test_a_fault_in_an_item_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kubelet_fields, "expand", failing)
    ran = run(pod("args: [$(A)]"), arguments=[("A", "1")])
    found = [one for one in ran.results if one.reason == results.FAULT]
    assert [one.message for one in found] == [SENTENCE.format(LINE)]
    assert str(found[0].ref) == "v1/Pod/web"
    assert ran.text == ""


def test_a_fault_anywhere_else_ends_the_run_with_a_sentence(capfd: pytest.CaptureFixture[str]) -> None:
    assert stdio.attempt(failing) == 1  # type: ignore[arg-type]  # it returns nothing, as it fails
    assert capfd.readouterr().err == f"[error] {SENTENCE.format(LINE)} (Fault)\n"


def test_a_run_without_memory_is_told_as_such(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def starving(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(kubelet_fields, "expand", starving)
    assert stdio.attempt(lambda: len(run(pod("args: [$(A)]"), arguments=[("A", "1")]).text)) == 1
    assert capfd.readouterr().err == "[error] there is not enough memory for this input (InvalidInput)\n"


def test_a_fault_without_a_trace_has_no_place() -> None:
    assert results.fault(ValueError("x")).startswith(
        "this is a fault of the program and not of your text: ValueError; nothing is written"
    )
