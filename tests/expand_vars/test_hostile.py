"""Text that is made to take all memory or time is refused in a sentence, within 200 MB and 5 seconds."""

from __future__ import annotations

import re
import resource
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.process import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LAUGHS = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
)
DEPTH = 100_000
DEEP = {
    "brackets": "[" * DEPTH,
    "closed brackets": "[" * DEPTH + "]" * DEPTH,
    "braces": "{a: " * DEPTH,
    "JSON objects": '{"a":' * DEPTH,
    "JSON arrays": '{"a":' + "[" * DEPTH + "]" * DEPTH + "}",
    "dashes": "- " * DEPTH,
    "question marks": "? " * DEPTH + "$(A)",
}


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (200_000_000, 200_000_000))
    resource.setrlimit(resource.RLIMIT_CPU, (5, 5))


def in_item(text: str) -> str:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return f"kind: ResourceList\nitems:\n- kind: Pod\n  metadata: {{name: $(A)}}\n  spec:\n{lines}"


def in_function_config(text: str) -> str:
    lines = "".join(f"    {line}\n" for line in text.splitlines())
    return f"kind: ResourceList\nitems: []\nfunctionConfig:\n  apiVersion: v1\n  kind: ConfigMap\n  data:\n{lines}"


def as_document(text: str) -> str:
    return text + "\n"


everywhere = pytest.mark.parametrize("place", [in_item, in_function_config, as_document])


@everywhere
@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_deep_nesting_is_refused(place: Callable[[str], str], text: str) -> None:
    refused(place(text), "more than 200 levels of nesting")


@everywhere
def test_a_billion_laughs_are_refused(place: Callable[[str], str]) -> None:
    refused(place(f"b: $(B)\n{LAUGHS}"), "the aliases of this document stand for more than 10000 nodes")


def refused(text: str, problem: str) -> None:
    """Make sure that one sentence says what is wrong, and that nothing comes out but the text with that sentence."""
    stdout, stderr, code = run(stdin=text.encode(), limit=limited)
    line = rf"line \d+, column \d+: {problem}"
    assert re.fullmatch(rf"\[error\] ((items\[0\]|document 1): )?{line} \(InvalidInput\)\n", stderr)
    assert not stdout or stdout.startswith(f"{text}results:\n- message: ".encode())
    assert code == 1


@pytest.mark.parametrize(
    "given",
    [
        b"kind: ResourceList\nitems:\n- " + b"[]," * 100_000,
        b"a: " + b"&a " * 100_000,
        b'"' + b"\\u0041" * 100_000,
        b"%TAG ! a\n" * 100_000,
        b"- " + b"*a " * 100_000,
        b"---\n" * 100_000 + b"}",
        b"a" * 5_000_000 + b": b: c",
    ],
    ids=["commas", "anchors", "escapes", "directives", "aliases", "documents", "one word"],
)
def test_other_long_nonsense_is_refused(given: bytes) -> None:
    stdout, stderr, code = run(stdin=given, limit=limited)
    assert (stdout, code) == (b"", 1)
    assert stderr.startswith("[error] line ")
    assert stderr.count("\n") == 1


@pytest.mark.parametrize("text", ["a: " + "!" * DEPTH, "\ufeff" * DEPTH])
def test_what_nobody_has_to_look_into_passes_through(text: str) -> None:
    assert run(stdin=text.encode(), limit=limited) == (text.encode(), "", 0)


def test_what_is_too_much_for_the_memory_there_is_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    # What measures coverage has no memory then, either, and has been seen to try again for ever.
    for name in ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"):
        monkeypatch.delenv(name, raising=False)
    given = b"a: [" + b"b, " * 2_000_000 + b"$(A)]\n"
    limit = partial(resource.setrlimit, resource.RLIMIT_AS, (200_000_000, 200_000_000))
    assert run(stdin=given, limit=limit) == (
        b"",
        "[error] there is not enough memory for this input (InvalidInput)\n",
        1,
    )


@pytest.mark.parametrize("pattern", ["(a+)+", "(a|a)*", "a*" * 50, "((a?){30}){30}"])
def test_a_selector_takes_time_in_proportion_to_a_name(pattern: str, tmp_path: Path) -> None:
    """Python's own `re` takes longer than a day for each of these."""
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata: {name: f}\n"
    (tmp_path / "f.yaml").write_text(f"{head}spec: {{selectors: [{{name: '{pattern}'}}]}}\n")
    pod = b"apiVersion: v1\nkind: Pod\nmetadata: {name: %b-}\nspec: {containers: [{args: [$(A)]}]}\n" % (b"a" * 5000)
    answer = run("--fn-config", "f.yaml", "A=1", stdin=pod, limit=limited, folder=tmp_path)
    assert (answer.stdout, answer.code) == (pod, 0)
    assert "this selector matches no item, so it has no effect" in answer.stderr
