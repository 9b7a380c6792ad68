"""Generated items that show the values of a run already, by their texts alone."""

from __future__ import annotations

import pytest

from expand_vars import pipeline
from krm.references.local import unrendered
from krm.yamltree import parser
from tests.expand_vars.expansion.running import indented

UNRENDERED = {
    "an element": ("- --region=eu # expand: --region=$(REGION)", "- --region=$(REGION)"),
    "in quotes": ('- "eu" # expand: "$(REGION)"', '- "$(REGION)"'),
    "a field": ("  image: nginx:1.27   # expand: nginx:$(TAG)", "  image: nginx:$(TAG)"),
    "a field of an element": ("- image: nginx:1.27 # expand: nginx:$(TAG)", "- image: nginx:$(TAG)"),
    "two lines": ("- a # expand: $(A)\n- b\n- c # expand: $(C)", "- $(A)\n- b\n- $(C)"),
    "a comment of the author": ("- eu # where # expand: $(REGION)", None),
    "brackets": ("# expand: args: [$(A)]\nargs: [a]", None),
    "in a block of text": ("- |\n  echo: eu # expand: $(REGION)", None),
    "no comment": ("- eu # expanded", None),
}


@pytest.mark.parametrize(("text", "expected"), UNRENDERED.values(), ids=UNRENDERED)
def test_templates_that_stand_behind_their_values_go_back_into_the_fields(text: str, expected: str | None) -> None:
    assert unrendered(text) == (text if expected is None else expected)


TEMPLATE = """\
apiVersion: v1
kind: Pod
metadata:
  name: NAME
spec:
  containers:
  - name: c
    image: i
    args:
    - --region=$(REGION)
    - "$(REGION)"
"""


def package(value: str) -> str:
    """Return the functionConfig of many Pods, as a list without items."""
    templates = "".join(f"-{indented(TEMPLATE.replace('NAME', f'p-{number}'), 2)[1:]}" for number in range(20))
    spec = indented(f"variables:\n- {{name: REGION, value: {value}}}\ntemplates:\n{templates}", 2)
    config = f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: fn\nspec:\n{spec}"
    return f"apiVersion: v1\nkind: ResourceList\nitems: []\nfunctionConfig:\n{indented(config, 2)}"


def render(text: str) -> str:
    return pipeline.run(text, settle=lambda config: config.in_place()).text


def test_no_tree_is_made_of_a_generated_item_that_shows_the_values_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    once = render(package("eu"))
    parse_all, parsed = parser.parse_all, []

    def noted(text: str, *, levels: int = 0) -> list[parser.Document]:
        parsed.append(text)
        return parse_all(text, levels=levels)

    monkeypatch.setattr(parser, "parse_all", noted)
    assert render(once) == once
    assert [text for text in parsed if "# expand:" in text] == []


@pytest.mark.parametrize(
    ("old", "new"),
    [("value: eu", "value: us"), ("name: c\n          image: i", "name: c\n          image: j")],
    ids=["another value", "another template"],
)
def test_what_has_changed_is_rendered(old: str, new: str) -> None:
    once = render(package("eu"))
    assert old in once
    fresh = render(package("eu").replace(old, new))
    assert render(once.replace(old, new)).partition("results:")[0] == fresh
