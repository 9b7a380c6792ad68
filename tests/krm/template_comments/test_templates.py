"""docs/reference/runs-in-place.md, "What is a template": each comment is a template, a remark, or told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from expand_vars.__main__ import run as main
from krm import resourcelist
from krm.template_comments.memory import Memory
from krm.yamltree.nodes import Scalar
from tests.expand_vars.expansion.running import run
from tests.krm.template_comments.texts import thing
from tests.pages import Page, quoted

if TYPE_CHECKING:
    from pathlib import Path

A = [("TAG", "1.28"), ("A", "eu")]

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers:
  - name: web
    command:
    - "-$(NAME)"
    args: ["-$(NAME)"]
"""


UNPLACED = {
    "image: nginx:1.27 # expand: [$(TAG)]": "it is a list in brackets, and the field is a text",
    "image: nginx:1.27 # expand: $(TAG) # pinned": "something stands behind the template",
    "image: nginx:1.27 # expand: $(TAG) # expand: $(A)": "something stands behind the template",
    "image: nginx:1.27 # expand: &a $(TAG)": "a template has no alias, anchor, tag or `<<`",
    "image: nginx:1.27 # expand: !!str $(TAG)": "a template has no alias, anchor, tag or `<<`",
    'image: nginx:1.27 # expand: "$(TAG)': "it cannot be read",
    "image: nginx:1.27 # expand: # $(TAG)": "it cannot be read: nothing stands there",
    "image: nginx:1.27 # expand:$(TAG)": "a blank is missing behind `# expand:`",
    "image: nginx:1.27 # expand: a: $(TAG)": "it is an entry, and the field is a text",
    "args: [a] # expand: [$(TAG)]": "it stands behind no value of one line",
    "a: # expand: $(TAG)\n    x": "it stands behind no value of one line",
    "a: &x 1\n  b: *x # expand: $(TAG)": "it stands behind no value of one line",
    "a: | # expand: $(TAG)\n    x": "it stands behind no value of one line",
    '# expand: b: ["$(TAG)"]\n  a: [x]': "it has to begin as the entry below it does, with `a:`",
    '# expand: - ["$(TAG)"]\n  a: [x]': "it has to begin as the entry below it does, with `a:`",
    '# expand: a: ["$(TAG)"]\n  a:\n  - [x]': "it is a list in brackets, and the field is a list in block style",
    '# expand: a: ["$(TAG)"]\n\n  a: [x]': "it stands above no entry",
    '# expand: a: ["$(TAG)"]\n    # deeper\n  a: [x]': "it cannot be read",
    "b: 1\n# expand: a: [$(TAG)]\n  a: [x]": "its `#` is at column 1, and the entry below it at column 3",
    "b:\n    # expand: - [$(TAG)]\n  - [x]": "its `#` is at column 5, and the entry below it at column 3",
    '# expand: a: ["$(TAG)"] # c\n  a: [x]': "something stands behind the template",
    "# expand: a: {$(TAG): x}\n  a: {b: x}": "a template has no alias, anchor, tag or `<<`, and no reference in a key",
    "# expand: a: {<<: $(TAG)}\n  a: {b: x}": "a template has no alias, anchor, tag or `<<`",
    "a: x\n  # expand: b: $(TAG)": "it stands above no entry",
    "# expand: a: $(TAG)\n  a: x # expand: $(A)": "this field has another template",
    "# expand: a: $(TAG)\n  # expand: a: $(A)\n  a: x": "it stands above no entry",
    "a: x\n# expand: $(TAG)\nb: x": "it has to begin as the entry below it does, with `b:`",
}


@pytest.mark.parametrize("written", UNPLACED)
def test_what_refers_to_a_name_and_is_no_template_is_told_and_its_field_stays(written: str) -> None:
    source = thing(f"  {written}\n")
    ran = run(source, arguments=A)
    told = [result for result in ran.results if result.reason == "UnplacedTemplate"]
    assert UNPLACED[written] in told[0].message
    assert told[0].message.startswith("this comment is no template: ")
    assert ran.text.replace("1.28", "x").replace("eu", "x") in (source, source.replace("a: x\n", "a: x\n"))


# A comment behind the last line of a field, and the field that is told.
BEHIND = {
    "a: 'x\n    y' # expand: $(TAG)\n  b: x": "spec.a",
    "b: x\n  a: 'x\n    y' # expand: $(TAG)": "spec.a",
    "a: [\n    x\n    ] # expand: [$(TAG)]\n  b: x": "spec.a",
    "a:\n  - [x,\n    y] # expand: [x, $(TAG)]\n  b: x": "spec.a[0][1]",
    "a: |\n    x\n  # expand: $(TAG)\n\n  b: x": "spec.b",
}


@pytest.mark.parametrize("written", BEHIND)
def test_the_field_that_ends_in_a_line_is_told(written: str) -> None:
    (told,) = run(thing(f"  {written}\n"), arguments=A).of("UnplacedTemplate")
    assert told.field == BEHIND[written]


NEARLY = (
    "#expand: ",
    "# Expand: ",
    "#  expand: ",
    "# expand : ",
    "# EXPAND: ",
    "# expand ",
    "#\texpand: ",
)
BESIDE = {
    "  a: x {}b$(TAG)\n": "spec.a",
    "  # one\n  {}a:-$(TAG)\n  a: x\n": "spec.a",
    "  a:\n  - x {}b$(TAG) \r\n": "spec.a[0]",
}


@pytest.mark.parametrize("mark", NEARLY)
def test_what_is_nearly_the_mark_is_told_wherever_it_stands(mark: str) -> None:
    for line, field in BESIDE.items():
        for other in ("", " # expand: $(TAG)"):
            written = line.format(mark)
            ran = run(thing(f"{written}  c: '1.27'{other}\n"), arguments=A)
            (told,) = ran.of("UnplacedTemplate")
            assert told.message == (
                "this comment is no template: it has to begin exactly with `# expand: `; the field stays as it is"
            )
            assert (told.field, written in ran.text) == (field, True)


def test_a_line_of_a_template_in_a_comment_may_be_nearly_the_mark() -> None:
    source = thing("  # expand: a: |\n  #   #Expand: $(TAG)\n  a: |\n    #Expand: 1.28\n")
    ran = run(source, arguments=[("TAG", "2")])
    assert (ran.text, "UnplacedTemplate" in ran.reasons) == (source.replace("1.28", "2"), False)


REMARKS = (
    "image: x # expand: later",
    "image: x # expand:",
    "image: x # expand the image of $(TAG)",
    "image: x # Expander: $(TAG)",
    "image: x # Expand: later",
    'image: "x #Expand: $(TAG)"',
    "image: x#Expand:$(TAG)",
    "a: |\n    #expand: $(TAG)",
    'image: "x # expand: $(TAG)"',
    "a: |\n    # expand: $(TAG)",
    "# expand: this later\n  a: x",
)


@pytest.mark.parametrize("written", REMARKS)
def test_what_refers_to_nothing_is_a_remark(written: str) -> None:
    ran = run(thing(f"  {written}\n"), arguments=A)
    assert ran.text == thing(f"  {written}\n")
    assert {*ran.reasons} <= {"UntargetedReference", "UnusedArgument"}


TEMPLATES = {
    "image: nginx:1.27 # expand: nginx:$(TAG)": "image: nginx:1.28 # expand: nginx:$(TAG)",
    "image: nginx:1.27 # in use # expand: nginx:$(TAG)": "image: nginx:1.28 # in use # expand: nginx:$(TAG)",
    'image:   # expand: "$(TAG)"': 'image: "1.28"   # expand: "$(TAG)"',
    "image: $(TAG) # expand: $(TAG)": "image: 1.28 # expand: $(TAG)",
    "# expand: a: x$(TAG)\n  a: x1": "# expand: a: x$(TAG)\n  a: x1.28",
    "a:\n  # expand: - b: {c: $(A)}\n  - b: {c: x}": "a:\n  # expand: - b: {c: $(A)}\n  - b: {c: eu}",
    "# expand: a: [$(A), {b: $(B)}]\n  a: [x, {b: $(B)}]": "# expand: a: [$(A), {b: $(B)}]\n  a: [eu, {b: $(B)}]",
    "# expand: a: |\n  #   $(A)\n  a: |\n    x": "# expand: a: |\n  #   $(A)\n  a: |\n    eu",
    '# expand: a: |\n  #   $(A)\n  a: "x\\n"': "# expand: a: |\n  #   $(A)\n  a: |\n    eu",
    'a: "x # expand: y" # expand: "$(A) # expand: y"': 'a: "eu # expand: y" # expand: "$(A) # expand: y"',
    "# expand: a: $(A)|\n  a: x|": "# expand: a: $(A)|\n  a: eu|",
    "# expand: a: $(TAG)\n  a: |-\n    x": "# expand: a: $(TAG)\n  a: 1.28",
    "# expand: a: >\n  #   $(A)\n  a: >\n    x": "# expand: a: >\n  #   $(A)\n  a: >\n    eu",
}


@pytest.mark.parametrize("written", TEMPLATES)
def test_an_author_may_write_a_template_on_any_field(written: str) -> None:
    ran = run(thing(f"  {written}\n"), arguments=A)
    assert ran.text == thing(f"  {TEMPLATES[written]}\n")
    assert {*ran.reasons} <= {"TypeChanged", "ValueChanged", "UnusedArgument", "UntargetedReference"}


@pytest.mark.parametrize("name", ["1A", "1.A", "A B", "date +%s", "a: b", "#", " #", "'", '\\"', "{", "- ", "$A", ","])
def test_each_name_that_a_variable_can_have_is_remembered(name: str, tmp_path: Path) -> None:
    source = POD.replace("NAME", name)
    made = tmp_path / "pod.yaml"
    made.write_text(source)
    given = name.replace("\\", "")
    assert main(["eval", str(made), f"{given}=x"]) == 0
    once = made.read_text()
    assert once.count('"-x"') == 2
    assert main(["eval", str(made), f"{given}=y"]) == 0
    assert made.read_text() == once.replace("-x", "-y")
    assert main(["eval", str(made), "--restore"]) == 0
    assert made.read_text() == source


def test_the_table_of_the_page() -> None:
    (rows,) = Page("runs-in-place").tables("What is a template")
    assert len(rows) == 6
    for written, meaning in rows:
        # Behind `so is` and `so are` are other comments of the same fate.
        others = [f"image: nginx:1.27 {one.strip()}" for one in quoted(meaning.partition("; so ")[2])]
        for each in (written.strip("`"), *others):
            told = run(thing(f"  {each}\n"), arguments=A).reasons
            assert ("UnplacedTemplate" in told) is (meaning not in ("a template behind a remark", "a remark")), each


def test_what_an_item_shows_in_the_place_of_its_texts_is_no_matter_of_its_comments() -> None:
    item = resourcelist.read("kind: Thing\na: eu # expand: $(REGION)\nb: us\n").items[0]
    item.show({("a",): Scalar(0, 0, "ap", "", None, None), ("b",): Scalar(0, 0, "ca", "", None, None)})
    memory = Memory.of(item)
    assert [(place, field.texts) for place, field in memory.fields.items()] == [(("a",), {"REGION": "eu"})]
    assert (item.get("a"), item.get("b")) == ("ap", "ca")
