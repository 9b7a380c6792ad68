"""docs/sdk.md is true: its functions are run."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from krm.resource import Resource
from tests import process
from tests.pages import Page, as_list, quoted

if TYPE_CHECKING:
    from pathlib import Path

PAGE = Page("sdk")
OWN = "A function of your own"
TESTED = {"A function of your own": "python python python"}


def test_a_function_of_ones_own(tmp_path: Path) -> None:
    block, *_ = PAGE.blocks(OWN)
    assert sum(map(bool, block.text.splitlines())) <= 10
    (tmp_path / "function.py").write_text(block.text)
    deployment = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web} # the shop\nspec:\n  paused: true\n"
    program = (sys.executable, str(tmp_path / "function.py"))
    answer = process.run(command=program, stdin=as_list(deployment).encode())
    expected = as_list(deployment + "  replicas: 2\n") + "results:\n- message: now runs twice\n"
    assert answer.stdout.decode().startswith(expected)
    assert (answer.stderr, answer.code) == ("", 0)


def test_items_that_come_and_go(tmp_path: Path) -> None:
    _, block, _ = PAGE.blocks(OWN)
    (tmp_path / "function.py").write_text(f"import krm\n\n{block.text}\nkrm.run(isolate)\n")
    service = as_list("kind: Service\nmetadata: {name: web, namespace: shop} # the shop\n")
    gone = "- kind: PodSecurityPolicy\n  metadata: {name: old}\n"
    policy = (
        "- apiVersion: networking.k8s.io/v1\n  kind: NetworkPolicy\n  metadata: {name: isolate, namespace: shop}\n"
        "  spec: {podSelector: {}, policyTypes: [Ingress]} # nothing comes in\n"
    )
    program = (sys.executable, str(tmp_path / "function.py"))
    answer = process.run(command=program, stdin=(service + gone).encode())
    assert (answer.stdout.decode(), answer.stderr, answer.code) == (service + policy, "", 0)


def test_a_generator_of_ones_own(tmp_path: Path) -> None:
    *_, block = PAGE.blocks(OWN)
    (tmp_path / "function.py").write_text(block.text)
    program = (sys.executable, str(tmp_path / "function.py"))
    config = (
        "functionConfig:\n  apiVersion: example.com/v1\n  kind: Quotas\n  metadata: {name: all}\n  spec: {pods: 10}\n"
    )

    def answer(items: str, pods: int = 10) -> str:
        answer = process.run(command=program, stdin=(items + config.replace("10", str(pods))).encode())
        assert (answer.stderr, answer.code) == ("", 0)
        return answer.stdout.decode().partition("functionConfig:")[0]

    made = answer(as_list("apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n"))
    assert 'pods: "10" # ask before you raise it\n' in made
    raised = made.replace('"10" #', '"50" #')
    assert answer(raised) == raised
    assert made.replace("10", "20") == answer(made, pods=20)


def test_what_an_item_has() -> None:
    told = PAGE.sections()[OWN].partition("An item has")[2].partition(". ")[0]
    assert [name for name in quoted(told) if not hasattr(Resource, name)] == []
