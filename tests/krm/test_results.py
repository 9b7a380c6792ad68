"""What a function tells: as data for orchestrators, as lines for people."""

from __future__ import annotations

from krm import results
from krm.results import ERROR, INFO, WARNING, FnError, ResourceRef, Result, sort_key

REF = ResourceRef("apps/v1", "Deployment", "shop", "web")
FULL = Result(
    "must be even",
    ERROR,
    "Odd",
    ref=REF,
    field="spec.replicas",
    current="3",
    proposed="4",
    file="web.yaml",
    index=0,
)
BARE = Result("nothing to do", INFO, "Idle")


def test_data_has_the_keys_of_the_specification_in_its_order() -> None:
    data = {
        "message": "must be even",
        "severity": "error",
        "resourceRef": {"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"},
        "field": {"path": "spec.replicas", "currentValue": "3", "proposedValue": "4"},
        "file": {"path": "web.yaml", "index": 0},
        "tags": {"reason": "Odd"},
    }
    assert FULL.as_data() == data
    assert list(FULL.as_data()) == list(data)


def test_data_leaves_out_what_is_not_known() -> None:
    assert BARE.as_data() == {"message": "nothing to do", "severity": "info", "tags": {"reason": "Idle"}}
    assert Result("a", INFO, "B", file="f", field="c").as_data()["file"] == {"path": "f"}


def test_a_line_says_where_before_what() -> None:
    assert str(FULL) == "[error] web.yaml: apps/v1/Deployment/shop/web spec.replicas: must be even"
    assert str(BARE) == "[info] nothing to do"
    assert repr(FULL) == f"<Result Odd {FULL}>"


def test_order_is_file_severity_text() -> None:
    ordered = (
        Result("z", ERROR, "R"),
        Result("a", WARNING, "R"),
        Result("b", WARNING, "R"),
        Result("a", INFO, "R"),
        Result("z", ERROR, "R", file="a.yaml"),
        Result("a", INFO, "R", file="a.yaml"),
        Result("a", ERROR, "R", file="b.yaml"),
    )
    mixed = (*ordered[3:], *ordered[:3])
    assert tuple(sorted(mixed, key=sort_key)) == ordered


def test_an_error_fails() -> None:
    assert results.failed([BARE, FULL])
    assert not results.failed([BARE, Result("a", WARNING, "R")])
    assert not results.failed([])


def test_an_exception_reads_as_its_results() -> None:
    assert str(FnError(FULL, BARE)) == f"{FULL}\n{BARE}"
