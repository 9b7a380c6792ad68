"""What generated resources cost, in parses: counts, which are the same on every machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, SupportsIndex

import pytest

from expand_vars import __main__ as cli
from krm.generation.following import FollowedTemplate
from krm.generation.resource_merge import ItemMerge
from krm.generation.updates import text_of
from krm.yamltree import parser
from krm.yamltree.nodes import Scalar
from tests.bench import workloads
from tests.expand_vars.expansion.running import indented
from tests.krm.generation.test_following import Package
from tests.krm.generation.test_generating import CONFIG_MAP, generate, resource

if TYPE_CHECKING:
    from pathlib import Path
    from types import FrameType

FEW, MANY = 10, 40
VARIABLES = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata: {name: shop}
spec:
  variables: [{name: TAG, value: v}]
  templates:
"""


def templates(text: str) -> str:
    """Return the templates of a functionConfig, each with a name of its own."""
    return "".join(f"  -{indented(workloads.named(text, number), 4)[3:]}" for number in range(MANY))


def cost(monkeypatch: pytest.MonkeyPatch, items: str, texts: list[str]) -> tuple[str, int]:
    """Generate texts into items, and return the list and the number of characters that were parsed."""
    parse_all, parsed = parser.parse_all, []

    def counted(text: str, **given: bool) -> list[parser.Document]:
        parsed.append(len(text))
        return parse_all(text, **given)

    with monkeypatch.context() as patch:
        patch.setattr(parser, "parse_all", counted)
        return generate(items, *texts).text, sum(parsed)


@pytest.mark.pure
@pytest.mark.parametrize("stream", ["", "kind: ResourceList\nitems: []\n"], ids=["documents", "a list"])
def test_each_resource_is_parsed_once_and_a_change_of_it_is_proven_by_one_more_parse(
    stream: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [workloads.named(workloads.ORIGIN, number) for number in range(MANY)]
    changed = [text.replace("web:1.27", "web:1.28") for text in texts]
    there, first = cost(monkeypatch, stream, texts)
    same, again = cost(monkeypatch, there, texts)
    _, other = cost(monkeypatch, there, changed)
    length = len("".join(texts))
    assert same == there
    # At first it gets a mark. A changed one is read with its template, and is proven. Besides, a few lines of each.
    assert first < 2.1 * length
    assert again < 1.2 * length
    assert other < 3.4 * length


@pytest.mark.pure
def test_the_parses_of_a_package_grow_with_its_templates_in_a_straight_line(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = {}
    for count in (FEW, MANY):
        texts = [workloads.named(workloads.ORIGIN, number) for number in range(count)]
        there, first = cost(monkeypatch, "", texts)
        parsed[count] = first, cost(monkeypatch, there, texts)[1]
    for less, more in zip(parsed[FEW], parsed[MANY], strict=True):
        assert more < 1.01 * less * MANY / FEW


@pytest.mark.pure
def test_what_still_says_what_its_template_became_is_not_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that changes nothing parses the functionConfig once, and no template or generated item by itself."""
    text = workloads.ORIGIN.replace("web:1.27", "web:$(TAG)")
    assert text != workloads.ORIGIN
    package = Package(f"{VARIABLES}{templates(text)}").run()[0]
    parse_all, parsed = parser.parse_all, []

    def counted(text: str, **given: bool) -> list[parser.Document]:
        parsed.append(len(text))
        return parse_all(text, **given)

    monkeypatch.setattr(parser, "parse_all", counted)
    monkeypatch.setattr(ItemMerge, "merge", None)
    assert package.run()[0] == package
    # Besides, the heads of the entries in the state.
    assert sum(parsed) < 1.3 * len(text) * MANY


@pytest.mark.pure
def test_a_functionconfig_is_parsed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its head tells that it is one: with its templates it is the longest text of a package."""
    text = f"{VARIABLES}{templates(workloads.ORIGIN.replace('web:1.27', 'web:$(TAG)'))}"
    (tmp_path / "shop.yaml").write_text(text)
    parse_all, parsed = parser.parse_all, []

    def counted(text: str, **given: bool) -> list[parser.Document]:
        parsed.append(text)
        return parse_all(text, **given)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parser, "parse_all", counted)
    assert [cli.run(["eval", "."]), parsed.count(text)] == [0, 1]
    parsed.clear()
    # A run that changes nothing parses no item, and no template by itself: besides, a few lines of each.
    assert [cli.run(["eval", "."]), parsed.count(text)] == [0, 1]
    assert sum(map(len, parsed)) < 1.2 * len(text)


@pytest.mark.pure
def test_a_run_that_changes_nothing_is_cheap_beside_the_first() -> None:
    """Texts tell that an item, and its entry in the state, say what this run makes of a template."""
    package, first = calls(Package(f"{VARIABLES}{templates(workloads.ORIGIN.replace('web:1.27', 'web:$(TAG)'))}"))
    same, again = calls(package)
    assert same == package
    assert again < 0.52 * first, again / first


def calls(package: Package) -> tuple[Package, int]:
    """Return what a run makes of a package, and how many functions it calls."""
    count = 0

    def called(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    package.run()  # what is imported, or kept, is so by now
    sys.setprofile(called)
    try:
        made = package.run()[0]
    finally:
        sys.setprofile(None)
    return made, count


TEXTS = {
    "nothing but data": (CONFIG_MAP, CONFIG_MAP),
    "a mark": (
        CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    expandvars.dev/generated-by: a b\ndata:"),
        CONFIG_MAP,
    ),
    "a note of an orchestrator beside an annotation": (
        CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    a: b\n    config.kubernetes.io/path: a\ndata:"),
        CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    a: b\ndata:"),
    ),
    "a note of several lines": (
        CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    a: b\n    config.kubernetes.io/path: |\n      a\ndata:"),
        CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    a: b\n      a\ndata:"),
    ),
    "annotations in brackets": (CONFIG_MAP.replace("\ndata:", "\n  annotations: {a: b}\ndata:"),) * 2,
    "the start of a document": (f"---\n{CONFIG_MAP}", CONFIG_MAP),
    "an anchor": (CONFIG_MAP.replace("\ndata:", "\ndata: &a"), None),
    "brackets over lines": (CONFIG_MAP.replace("blue", "[\n  blue]"), None),
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_the_text_of_an_item_without_its_notes(text: str, expected: str | None) -> None:
    assert text_of(resource(text)) == expected
    element = resource(f"-{indented(text, 2)[1:]}")
    element.base = (0,)
    assert text_of(element) == (None if text.startswith("---") else expected)


class Text(str):
    """A text that counts how often it is split."""

    __slots__ = ()
    splits = 0

    def split(self, sep: str | None = None, maxsplit: SupportsIndex = -1) -> list[str]:
        """Split, and count."""
        Text.splits += 1
        return super().split(sep, maxsplit)


def test_a_template_is_split_once_for_all_lines_that_a_field_shows() -> None:
    text = Text("\n".join(f"{number}=$(TAG)" for number in range(MANY)))
    template = FollowedTemplate(((), {"d": "a"}, "d", (), Scalar(0, 0, text, "|", None, None)))
    Text.splits = 0
    assert template.has_all(Scalar(0, 0, str(text), "|", None, None))
    assert Text.splits == 1
