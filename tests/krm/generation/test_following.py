"""Generated fields that follow their templates: nobody has edited what still says what a template has given it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from expand_vars import pipeline
from krm.generation import mirror
from krm.generation.updates import Update
from krm.resource import Resource
from krm.yamltree.nodes import Scalar
from tests.expand_vars.expansion.running import indented

if TYPE_CHECKING:
    from collections.abc import Callable

    from krm.results import Output

CONFIG = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: shop
spec:
  variables:
  - {name: REGION, value: eu}
  - {name: COUNT, value: 2}
  templates:
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {region: $(REGION)}
spec:
  replicas: $(COUNT)
  template:
    spec:
      containers:
      - name: web
        image: web:1
        args: [--fast, "--region=$(REGION)"]
        env:
        - name: REGION_URL
          value: https://$(REGION).example.com
"""
COLORS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
data:
  color: blue
  site: site-$(REGION)
  lines: |
    region=$(REGION)
    pool=10
    note=$$5
"""
QUOTED = COLORS.partition("  lines")[0] + '  lines: "region=$(REGION)\\npool=10\\n"\n'


class Package(NamedTuple):
    """A functionConfig with templates, and the documents that a run in place has made, the state among them."""

    config: str
    items: str = ""

    def run(self) -> tuple[Package, Output]:
        """Return what the next run makes of it, and that run."""
        config = Resource(self.config, (0, len(self.config)), "functionConfig")
        output = pipeline.run(self.items, config, settle=lambda config: config.in_place())
        return self._replace(items=output.text), output

    def changed(self, old: str, new: str) -> Package:
        """Return it with another text in its items."""
        assert old in self.items
        return self._replace(items=self.items.replace(old, new))

    def configured(self, old: str, new: str) -> Package:
        """Return it with another text in its functionConfig."""
        assert old in self.config
        return self._replace(config=self.config.replace(old, new))

    def reformatted(self) -> Package:
        """Return it as a program writes it that knows data alone."""
        first, *others = self.items.split("---\n")
        return self._replace(items="---\n".join([yaml.safe_dump(yaml.safe_load(first)), *others]))

    @property
    def item(self) -> dict:
        """The first item as data."""
        return next(yaml.safe_load_all(self.items))


def rendered(template: str) -> Package:
    """Return what the first run makes of a template."""
    return Package(f"{CONFIG}  -{indented(template, 4)[3:]}").run()[0]


def told(output: Output) -> list[str]:
    return [
        f"{one.reason} {one.field}" for one in output.results if one.reason not in ("ValueChanged", "UnusedVariable")
    ]


US = "value: eu", "value: us"
LINES = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
data:
  color: blue
  site: site-$(REGION) # of the shop
  count: "$(COUNT)"
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("site: site-eu", "site: site-us", id="a value"),
        pytest.param("site: site-eu", "seat: site-eu", id="a key"),
        pytest.param("  color: blue\n", "", id="a line is gone"),
        pytest.param("color: blue", "color: {a: b, c: [d,\n    e]}", id="what takes a tree"),
        pytest.param("site-eu # of", "'site-eu' # of", id="the quotes"),
        pytest.param("expandvars.dev/generated-by", "generated-by", id="the mark"),
        pytest.param("data: {", "data: {x: abcdef, ", id="the state"),
    ],
)
def test_what_texts_tell_is_what_a_tree_tells(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    edited = rendered(LINES).changed(old, new)
    once, output = edited.run()
    monkeypatch.setattr(Update, "is_current", lambda *_: False)
    assert edited.run()[0] == once
    assert told(edited.run()[1]) == told(output)


def test_a_search_and_replace_of_a_value_beside_its_variable_is_noted_in_the_state() -> None:
    config = f"{CONFIG}  -{indented(LINES, 4)[3:]}".replace(*US)
    assert rendered(LINES).changed("-eu", "-us").configured(*US).run()[0] == Package(config).run()[0]


def test_what_a_template_gives_has_no_comment() -> None:
    assert "# expand:" not in rendered(WEB).items
    assert rendered(WEB).run()[0] == rendered(WEB)


def test_a_comment_that_says_what_the_template_says_takes_nothing_out_of_the_memory() -> None:
    package = rendered(COLORS)
    comment = " # expand: site-$(REGION)"
    commented = package.changed("site: site-eu", f"site: site-eu{comment}")
    assert commented.run()[0] == commented
    after, output = commented.run()[0].changed(comment, "").configured(*US).run()
    assert (after.item["data"]["site"], told(output)) == ("site-us", [])


DUMPED: dict[str, Callable[[object], str]] = {
    "in quotes": yaml.safe_dump,
    "in brackets": lambda item: yaml.safe_dump(item, default_flow_style=True),
    "as JSON": lambda item: f"{json.dumps(item, indent=2)}\n",
}


@pytest.mark.parametrize("dump", DUMPED.values(), ids=DUMPED)
@pytest.mark.parametrize("first", ["", "region=$(REGION)\n    "], ids=["no reference", "a reference"])
@pytest.mark.parametrize(
    "of_template", [str, lambda text: yaml.safe_dump(yaml.safe_load(text))], ids=["a block", "quotes"]
)
def test_an_edited_line_of_a_text_stays_in_whatever_form_the_text_is(
    of_template: Callable[[str], str], first: str, dump: Callable[[object], str]
) -> None:
    package = rendered(of_template(COLORS.replace("region=$(REGION)\n    ", first) + "    host=a\n"))
    item, *others = package.items.split("---\n")
    written = "---\n".join([dump(yaml.safe_load(item)), *others])
    edited = package._replace(items=written).changed("pool=10", "pool=90").configured("host=a", "host=b")
    after, output = edited.run()
    expected = first.replace("$(REGION)", "eu").strip(" ") + "pool=90\nnote=$5\nhost=b\n"
    assert after.item["data"]["lines"] == expected
    assert told(output) == ["LocalOverride data.lines"]
    assert after.run()[0] == after


FORMS: dict[str, Callable[[Package], Package]] = {
    "as it was written": lambda package: package,
    "written by a program": Package.reformatted,
    "in other quotes": lambda package: package.changed('"--region=eu"', "'--region=eu'"),
    "on lines of its own": lambda package: package.changed(
        'args: [--fast, "--region=eu"]', "args:\n        - --fast\n        - --region=eu"
    ),
    "the reference put back": lambda package: package.changed("--region=eu", "--region=$(REGION)"),
    "the reference of a number put back": lambda package: package.changed("replicas: 2", 'replicas: "$(COUNT)"'),
    "a comment of a run that wrote one": lambda package: package.changed(
        "value: https://eu.example.com", "value: https://eu.example.com # expand: https://$(REGION).example.com"
    ),
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_what_nobody_edited_follows_the_variable_in_whatever_form(form: Callable[[Package], Package]) -> None:
    package = form(rendered(WEB)).configured(*US)
    after, output = package.run()
    assert after.item == rendered(WEB.replace("$(REGION)", "us")).item
    assert ("# expand:" in after.items, told(output)) == (False, [])
    assert after.run()[0] == after


@pytest.mark.parametrize(("old", "new"), [("--a1=", "--z1="), ("--a11=", "--z11="), ("[", "[x, "), ("=$", "$")])
def test_elements_stand_by_their_numbers_in_a_state_that_a_program_has_sorted(old: str, new: str) -> None:
    arguments = ", ".join(f'"--a{number}=$(REGION)"' for number in range(12))
    template = f"apiVersion: e.com/v1\nkind: Thing\nmetadata: {{name: thing}}\nspec: {{args: [{arguments}]}}\n"
    first = rendered(template)
    ordered = first._replace(items=yaml.safe_dump_all(yaml.safe_load_all(first.items)))
    after, output = ordered.configured(*US).configured(old, new).run()
    assert (after.item, told(output)) == (first.configured(*US).configured(old, new).run()[0].item, [])


EDITS: dict[str, tuple[str, str, str, str]] = {
    "a value of what the kubelet expands": (WEB, "--region=eu", "--region=mine", "args"),
    "a value of what it does not": (COLORS, "site: site-eu", "site: mine", "data.site"),
    "a number": (WEB, "replicas: 2", "replicas: 5", "spec.replicas"),
    "a field that is gone": (COLORS, "  site: site-eu\n", "", "data.site"),
    "an argument that is gone": (WEB, ', "--region=eu"', "", "args"),
    "a line of a text": (COLORS, "pool=10", "pool=50", "data.lines"),
    "a line of a text in quotes": (QUOTED, "pool=10", "pool=50", "data.lines"),
}


KEYS = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: colors
  labels:
    in-$(REGION): "yes"
data:
  color: blue
  $(REGION).conf: a=1
  $(REGION).keep: "1"
  count: "$(COUNT)"
"""
EDITS |= {
    "a key with a variable that is gone": (KEYS, "  eu.conf: a=1\n", "", "data"),
    "a value below such a key": (KEYS, "eu.conf: a=1", "eu.conf: a=7", "data"),
    "a label": (KEYS, 'in-eu: "yes"', 'in-eu: "no"', "labels"),
    "a key with a comment": (KEYS, '  eu.keep: "1"\n', "  # mine\n  'eu.keep': two # too\n", "data"),
    "all of them": (KEYS, 'data:\n  color: blue\n  eu.conf: a=1\n  eu.keep: "1"\n  count: "2"\n', "", "data"),
}


@pytest.mark.parametrize(("template", "old", "new", "field"), EDITS.values(), ids=EDITS)
def test_a_variable_alone_takes_no_edit_back(template: str, old: str, new: str, field: str) -> None:
    after, output = rendered(template).changed(old, new).configured(*US).run()
    again, second = after.run()
    us = rendered(template.replace("$(REGION)", "us"))
    assert after.item == us.changed(old.replace("eu", "us"), new.replace("eu", "us")).item
    assert [one for one in told(output) if field not in one] == []
    assert {one.split()[0] for one in told(output)} == {"LocalOverride"}
    assert (again.items, told(second)) == (after.items, told(output))


NAMED = """\
apiVersion: e.com/v1
kind: Thing
metadata: {name: thing}
spec:
  # Of the region.
  at-$(REGION): {$(COUNT)-times: {a: 1}}  # here
  of: [{$(REGION): 1}]
"""


def test_a_key_with_a_variable_is_renamed_where_it_stands() -> None:
    package, output = rendered(NAMED).configured(*US).configured("value: 2", "value: 3").run()
    start = package.items.index("spec:")
    assert package.items[start : package.items.index("---")] == (
        "spec:\n  # Of the region.\n  at-us: {3-times: {a: 1}}  # here\n  of: [{us: 1}]\n"
    )
    assert (told(output), package.run()[0]) == ([], package)


WRITTEN = ["$(REGION).conf", "at-$(REGION)", "$(COUNT).x", "x.$(REGION).y", "plain"]


@given(
    st.dictionaries(st.sampled_from(WRITTEN), st.sampled_from(["nothing", "a value", "a deletion"]), min_size=1),
    st.sampled_from(["eu", "us", "a-b"]),
    st.sampled_from(["2", "3"]),
    st.booleans(),
)
def test_edits_below_keys_with_variables_stay(edits: dict[str, str], region: str, count: str, is_first: bool) -> None:  # noqa: FBT001 - a drawn case
    def named(key: str, *values: str) -> str:
        return key.replace("$(REGION)", values[0]).replace("$(COUNT)", values[1])

    template = COLORS.partition("  color")[0] + "".join(f"  {key}: v-$(REGION)\n" for key in edits)
    package = rendered(template)
    data = package.item["data"]
    for key, edit in edits.items():
        if edit != "nothing":
            del data[named(key, "eu", "2")]
        if edit == "a value":
            data[named(key, "eu", "2")] = "mine"
    first, *others = package.items.split("---\n")
    own = {"mine": "1"} if is_first else {}
    written = yaml.safe_dump({**yaml.safe_load(first), "data": {**own, **data}}, sort_keys=False)
    edited = package._replace(items="---\n".join([written, *others]))
    after, output = edited.configured("value: eu", f"value: {region}").configured("value: 2", f"value: {count}").run()
    kept = {key: "mine" if edit == "a value" else f"v-{region}" for key, edit in edits.items() if edit != "a deletion"}
    assert after.item["data"] == {**own, **{named(key, region, count): value for key, value in kept.items()}}
    assert {one.split()[0] for one in told(output)} <= {"LocalOverride"}
    assert after.run()[0] == after


@pytest.mark.parametrize(
    "local",
    [
        pytest.param("  in: {at-eu: {b: 1}, at-us: {b: 2}}\n", id="both names are there"),
        pytest.param("  own: &k {at-eu: {b: 1}}\n  in: *k\n", id="an alias of the mapping"),
    ],
)
def test_a_key_that_may_not_be_renamed(local: str) -> None:
    template = NAMED.partition("  # Of")[0] + "  in: {at-$(REGION): {b: 1}}\n"
    after, output = rendered(template).changed("  in: {at-eu: {b: 1}}\n", local).configured(*US).run()
    assert after.item["spec"]["in"]["at-us"] == {"b": 1}, told(output)
    assert after.run()[0] == after


@pytest.mark.parametrize("value", ["eu", "us"])
def test_a_template_that_changes_over_an_edit_is_a_conflict(value: str) -> None:
    edited = rendered(COLORS).changed("site: site-eu", "site: mine").configured("value: eu", f"value: {value}")
    after, output = edited.configured("site-$(REGION)", "at-$(REGION)").run()
    assert (after.item["data"]["site"], told(output)) == (f"at-{value}", ["Conflict data.site"])


def test_lines_of_a_template_and_an_edited_line_merge() -> None:
    """The variable, the template and the user each change a line of their own."""
    edited = rendered(COLORS).changed("    note=$5", "    mine=1")
    after, output = edited.configured(*US).configured("region=$(REGION)", "zone=$(REGION)").run()
    assert (after.item["data"]["lines"], told(output)) == (
        "zone=us\npool=10\nmine=1\n",
        ["LocalOverride data.lines"],
    )
    assert after.run()[0] == after


@pytest.mark.parametrize("written", ['"blue"', "'blue'", "blue"])
@pytest.mark.parametrize("template", ['"$(REGION)"', "'$(REGION)'", "$(REGION)"])
def test_a_field_with_other_quotes_follows_the_reference_that_comes_for_its_text(written: str, template: str) -> None:
    first = rendered(COLORS.replace("blue", '"blue"')).changed('color: "blue"', f"color: {written}")
    package, output = first.configured('color: "blue"', f"color: {template}").run()
    assert (package.item["data"]["color"], told(output)) == ("eu", [])
    assert package.configured("value: eu", "value: us").run()[0].item["data"]["color"] == "us"


@pytest.mark.parametrize("old", ["  lines: |\n    region=eu\n", "region=eu\n    note"])
def test_of_two_equal_lines_one_is_edited(old: str) -> None:
    template = COLORS.replace("pool=10", "region=$(REGION)")
    edited = rendered(template).changed(old, old.replace("region=eu", "mine"))
    after, output = edited.run()
    assert (after.items.partition("---\n")[0], told(output)) == (
        edited.items.partition("---\n")[0],
        ["LocalOverride data.lines"],
    )
    after, _ = after.configured(*US).run()
    lines = ["mine", "region=us"] if "lines" in old else ["region=us", "mine"]
    assert after.item["data"]["lines"].splitlines() == [*lines, "note=$5"]
    assert after.run()[0] == after


@pytest.mark.parametrize(
    ("template", "head", "tail"),
    [
        (COLORS, "", "note=$5\n"),
        (COLORS.replace("    region=", "    [main]\n    region=").replace("    note=$$5\n", ""), "[main]\n", ""),
    ],
    ids=["in the first line", "below a line without a reference"],
)
def test_a_value_of_several_lines(template: str, head: str, tail: str) -> None:
    package = rendered(template).configured("value: eu", 'value: "a\\nb"').run()[0]
    assert package.item["data"]["lines"] == f"{head}region=a\nb\npool=10\n{tail}"
    after, output = package.configured('value: "a\\nb"', "value: us").run()
    assert after.item == rendered(template.replace("$(REGION)", "us")).item
    assert told(output) == []
    edited, _ = package.changed("pool=10", "pool=50").configured('value: "a\\nb"', "value: us").run()
    assert edited.item["data"]["lines"] == f"{head}region=a\nb\npool=50\n{tail}"


@pytest.mark.parametrize("template", ["k=$(REGION)\nx", "k=$(REGION)", "x\nk=$(REGION)\nb"])
def test_a_second_run_adds_no_line_to_a_text_without_a_line_end(template: str) -> None:
    block = indented(template, 4)
    package = rendered(f"{COLORS.partition('  lines')[0]}  lines: |-\n{block}")
    several = package.configured("value: eu", 'value: "a\\nb"').run()[0]
    assert several.item["data"]["lines"] == template.replace("$(REGION)", "a\nb")
    assert several.run()[0] == several
    after = several.configured('value: "a\\nb"', "value: us").run()[0]
    assert after.item["data"]["lines"] == template.replace("$(REGION)", "us")


@pytest.mark.parametrize(
    "form", [">-\n      $(REGION) x\n      y\n", "|\n       $(REGION) x\n", "\n    - $(REGION)\n      x\n"]
)
def test_a_form_that_cannot_hold_a_value_comes_back_as_it_was(form: str) -> None:
    package = rendered(f"{COLORS.partition('  lines')[0]}  lines: {form}")
    assert f"  lines: {form.replace('$(REGION)', 'eu')}" in package.items
    odd = package.configured("value: eu", 'value: " \\n\\t"').run()[0]
    assert 'lines: "' in odd.items or '- "' in odd.items
    assert odd.configured('value: " \\n\\t"', "value: eu").run()[0].items == package.items


# The lines of a template, and the value that makes two of them alike for one run.
ALIKE = {
    "a line below": ("a=1\nlevel=$(REGION)\nb=1\nlevel=debug\n", "debug"),
    "a line above": ("x\n$(REGION)", "x"),
    "a blank line": ("[main]\n$(REGION)\n\n[other]\n", '""'),
    "the end of the text": ("[main]\na=1\n$(REGION)\n", '""'),
    "a line with another reference": ("a: 1\n$(REGION)\nb: 2\n$(COUNT)\n", '"2"'),
}


@pytest.mark.parametrize("case", ALIKE)
def test_a_line_that_was_like_another_follows_where_it_stands(case: str) -> None:
    lines, value = ALIKE[case]
    template = f"{COLORS.partition('  color')[0]}  lines: {json.dumps(lines)}\n"
    alike = rendered(template).configured("value: eu", f"value: {value}").run()[0]
    assert alike.run()[0] == alike
    after, output = alike.configured(f"value: {value}", "value: k=us").run()
    assert after.item["data"]["lines"] == lines.replace("$(REGION)", "k=us").replace("$(COUNT)", "2")
    assert told(output) == []
    changed, output = alike.configured(json.dumps(lines)[1:-1], json.dumps(f"new\n{lines}")[1:-1]).run()
    assert changed.item["data"]["lines"] == f"new\n{alike.item['data']['lines']}"
    assert told(output) == []


ARGUMENTS = WEB.partition("        args")[0]


@pytest.mark.parametrize(
    "arguments", [["b", "$(REGION)\nx"], ["$(REGION)\nx", "b"], ["b", "$(REGION)"], ["b", "b\n$(REGION)"]]
)
def test_a_text_of_one_line_takes_no_line_of_another_element_for_itself(arguments: list[str]) -> None:
    web = f"{ARGUMENTS}        args: {json.dumps(arguments)}\n"
    alike = rendered(web).configured("value: eu", "value: b").run()[0]
    assert alike.run()[0] == alike
    after, output = alike.configured("value: b", "value: x").run()
    container = after.item["spec"]["template"]["spec"]["containers"][0]
    assert container["args"] == [one.replace("$(REGION)", "x") for one in arguments]
    assert told(output) == []
    assert told(after.run()[1]) == []


def test_an_element_that_a_person_adds_moves_no_text_to_another_template() -> None:
    web = f'{ARGUMENTS}        args: ["$(REGION)", "$(COUNT)", "$(REGION)\\n2"]\n'
    alike = rendered(web).configured("value: eu", "value: 2").run()[0]
    added = alike.changed('["2", ', '["mine", "2", ').configured("REGION, value: 2", "REGION, value: us")
    container = added.run()[0].item["spec"]["template"]["spec"]["containers"][0]
    assert container["args"] == ["mine", "us", "2", "us\n2"]


THING = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n  texts: {}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(["$(REGION)\nx", "$(REGION)"], ["y", "$(REGION)"], id="a line of the text that goes stays"),
        pytest.param(["$(REGION)"], ["$(REGION)", "$(REGION)"], id="another one comes"),
        pytest.param(["x", "$(REGION)"], ["$(REGION)", "$(REGION)"], id="another one in front of it"),
        pytest.param(["$$(REGION)", "$(REGION)"], ["$$(REGION)", "$(REGION)"], id="one has the text of a template"),
        pytest.param(["x", "$(REGION)"], ["$$(REGION)", "$(REGION)"], id="one gets the text of a template"),
    ],
)
def test_a_text_that_one_template_can_have_given_takes_it_first(before: list[str], after: list[str]) -> None:
    package = rendered(THING.format(json.dumps(before)))
    changed = package.configured(json.dumps(before), json.dumps(after)) if after != before else package
    ran, output = changed.configured(*US).run()
    assert ran.item["spec"]["texts"] == [
        one.replace("$$", "\0").replace("$(REGION)", "us").replace("\0", "$") for one in after
    ]
    assert told(output) == told(ran.run()[1]) == []
    assert ran.run()[0] == ran


@pytest.mark.parametrize("left", [["$(REGION)"], ["x", "$(REGION)", "n-$(REGION)"]])
@pytest.mark.parametrize("value", ["eu", "us"])
def test_a_template_that_its_list_has_less_often_is_no_conflict(left: list[str], value: str) -> None:
    several = json.dumps(3 * ["$(REGION)"])
    changed = rendered(THING.format(several)).configured(several, json.dumps(left))
    ran, output = changed.configured("value: eu", f"value: {value}").run()
    assert (ran.item["spec"]["texts"], told(output)) == ([one.replace("$(REGION)", value) for one in left], [])
    assert ran.run()[0] == ran


@pytest.mark.parametrize("left", [[], ["b"], ["a", "$(REGION)-cache", "b"], ["a", "$(REGION)-data", "b"]])
@pytest.mark.parametrize("value", ["eu", "us"])
def test_an_element_whose_name_has_a_reference_goes_with_its_template(left: list[str], value: str) -> None:
    """With the list, or alone, or for one with another name. Nobody has edited it."""
    before = json.dumps([{"name": name} for name in ("a", "$(REGION)-data", "b")])
    after = json.dumps([{"name": name} for name in left])
    changed = rendered(THING.format(before)).configured(before, after).configured("value: eu", f"value: {value}")
    ran, output = changed.run()
    assert ran.item["spec"]["texts"] == [{"name": name.replace("$(REGION)", value)} for name in left]
    assert told(output) == []
    assert ran.run()[0] == ran


@pytest.mark.parametrize("value", ["", "# c", "2"])
def test_a_text_that_nobody_edited_is_replaced_whole(value: str) -> None:
    """The new text is equal to a line of the old one."""
    package = rendered(THING.format('{a: "k=$(REGION)\\n# c\\n", b: ["$(REGION)\\n2", z]}'))
    changed = package.configured('"k=$(REGION)\\n# c\\n"', '"$(REGION)"').configured('"$(REGION)\\n2"', '"$(REGION)"')
    ran, output = changed.configured("value: eu", f'value: "{value}"').run()
    assert (ran.item["spec"]["texts"], told(output)) == ({"a": value, "b": [value, "z"]}, [])
    assert ran.run()[0] == ran


def test_a_name_with_a_blank_does_not_change_the_form_of_the_state() -> None:
    """Its line in the state is read as any other. Else one run wrote a line for each key, and the next one did not."""
    before = '[{name: high load, "1.5": a}, {name: idle}]'
    package = rendered(THING.format(before))
    assert '          name=high load: {"1.5": ' in package.items
    ran, _ = package.configured(before, '[{of: high load, "1.5": a}, {of: idle}]').run()
    assert '          "0": {"1.5": ' in ran.items
    assert ran.run()[0] == ran


def test_two_fields_of_one_text_follow_their_own_templates() -> None:
    template = WEB.replace("--fast", "--count=$(COUNT)").replace('"--region', '"--count')
    package = rendered(template).configured("value: eu", "value: 2").run()[0]
    after, _ = package.configured("REGION, value: 2", "REGION, value: us").run()
    assert after.item["spec"]["template"]["spec"]["containers"][0]["args"] == ["--count=2", "--count=us"]


def test_a_sidecar_with_the_same_argument_keeps_it() -> None:
    """It is the user's, wherever it stands."""
    sidecar = "      - name: side\n        args: [--region=eu]\n      - name: web\n"
    after, _ = rendered(WEB).changed("      - name: web\n", sidecar).configured(*US).run()
    side, web = after.item["spec"]["template"]["spec"]["containers"]
    assert (side["args"], web["args"]) == (["--region=eu"], ["--fast", "--region=us"])


def test_a_variable_in_the_name_of_an_element() -> None:
    template = WEB.replace("- name: web\n", "- name: web-$(REGION)\n")
    after, output = rendered(template).changed("image: web:1", "image: mine:1").configured(*US).run()
    assert after.item == rendered(template.replace("$(REGION)", "us")).changed("image: web:1", "image: mine:1").item
    assert [one.split()[0] for one in told(output)] == ["LocalOverride"]


INIT = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  initContainers:
  - {name: fetch, image: "fetch:1"}
  - {name: check, image: "check:1"}
  - {name: start, image: "start:1"}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("check:1", "check:1", id="nobody touched it"),
        pytest.param("check:1", "check:mine", id="a value of a person"),
        pytest.param("start:1", 'start:1"}\n  - {name: own, image: "own', id="an element of a person"),
    ],
)
@pytest.mark.parametrize("order", ["check fetch start", "start check fetch", "fetch start check"])
def test_elements_with_names_get_the_order_of_their_template(order: str, old: str, new: str) -> None:
    """Init containers run in it, and it is all that the template has changed."""
    elements = {line.split()[2].strip(","): f"    {line}" for line in INIT.splitlines(keepends=True)[6:]}
    package = rendered(INIT).changed(old, new)
    template = "".join(elements[name] for name in order.split())
    after, output = package.configured("".join(elements.values()), template).run()
    names = [one["name"] for one in after.item["spec"]["initContainers"] if one["name"] != "own"]
    assert (names, new.rpartition(":")[2] in after.items) == (order.split(), True)
    assert (after.run()[0], {one.split()[0] for one in told(output)} - {"LocalOverride"}) == (after, set())


def test_what_a_person_added_to_an_empty_mapping_stays_when_the_template_drops_it() -> None:
    template = WEB.replace("labels: {region: $(REGION)}", "labels: {}")
    package = rendered(template).changed("labels: {}", "labels: {team: mine}")
    after, output = package.configured("      labels: {}\n", "").run()
    assert (after.item["metadata"]["labels"], told(output)) == ({"team": "mine"}, ["KeptAddition metadata.labels"])


def test_where_nobody_remembers_anything_todays_values_tell() -> None:
    """A pipe's own output is no conflict, and a state that is lost no reason to follow nothing any more."""
    package = rendered(WEB)
    lost = package._replace(items=package.items.partition("---\n# What ")[0])
    after, output = lost.run()
    assert (after.items, told(output)) == (package.items.replace("file: deployment_web.yaml", "adopted: true"), [])
    piped = package.items.partition("---\n# What ")[0].replace("  annotations:\n    expandvars.dev", "  x:\n    y.dev")
    config = Resource(package.config, (0, len(package.config)), "functionConfig")
    assert told(pipeline.run(piped, config)) == []


def test_a_reference_that_has_no_value_any_more_keeps_the_last_one() -> None:
    package = rendered(WEB).configured("  - {name: REGION, value: eu}\n", "")
    after, output = package.run()
    assert after.item == package.item
    assert [one.split()[0] for one in told(output)] == ["KeptLastValue"]


@pytest.mark.parametrize("header", ["|", "|-", "|+"])
@pytest.mark.parametrize("end", ["", "\n\n"])
def test_a_block_follows_beside_a_name_that_nobody_defines(header: str, end: str) -> None:
    package = rendered(f"{COLORS.partition('  lines')[0]}  lines: {header}\n    at=$(REGION)\n    now=$(date){end}\n")
    assert package.item["data"]["lines"].rstrip("\n") == "at=eu\nnow=$(date)"
    after, output = package.configured(*US).run()
    assert after.item["data"]["lines"] == package.item["data"]["lines"].replace("eu", "us")
    assert told(output) == ["UnresolvedReference data.lines"]


@pytest.mark.parametrize("line", ["pid=$$", "now=$(date)", "zone=$(REGION)", "text=$$(REGION) $5 $"])
def test_a_line_of_a_person_stays_as_it_is_written(line: str) -> None:
    package = rendered(COLORS).changed("pool=10", line)
    once, output = package.run()
    assert (once.items, told(output)) == (package.items, ["LocalOverride data.lines"])
    after, output = once.configured(*US).run()
    assert after.item["data"]["lines"] == f"region=us\n{line}\nnote=$5\n"
    assert told(output) == ["LocalOverride data.lines"]
    changed = after.configured("    region=", "    site=").run()[0]
    assert changed.items.replace("site=us", "region=us").partition("---\n")[0] == after.items.partition("---\n")[0]


def test_a_reference_of_a_person_in_what_the_kubelet_expands_follows_with_a_comment() -> None:
    script = WEB.replace(
        'args: [--fast, "--region=$(REGION)"]', "args:\n        - |\n          a=$(REGION)\n          b=1"
    )
    package = rendered(script).changed("b=1", "b=$(REGION)").run()[0]
    comment = ["# expand: - |", "#   a=$(REGION)", "#   b=$(REGION)"]
    for value in ("eu", "us"):
        package, output = package.configured("value: eu", f"value: {value}").run()
        assert indented("\n".join([*comment, "- |", f"  a={value}", f"  b={value}", ""]), 8) in package.items
        assert told(output) == ["LocalOverride spec.template.spec.containers[name=web].args"]


def test_a_conflict_about_a_mapping_names_the_field_that_the_person_changed() -> None:
    thing = "apiVersion: a.io/v1\nkind: Thing\nmetadata: {name: a}\nspec:\n  x: 1\n"
    sizes = "".join(f"    {key}: a value for {key} alone\n" for key in "abcdefgh")
    package = rendered(f"{thing}  sizes:\n{sizes}").changed("    c: a value", "    c: my value")
    told = package.configured(indented(f"  sizes:\n{sizes}", 4), "").run()[1]
    (conflict,) = [one.message.partition(": update's")[0] for one in told.results if one.reason == "Conflict"]
    update = "origin has another value, update deleted it"
    assert conflict == f"both sides changed this, {update}, local a mapping with `c: my value for c alone`"


LOGIN = """apiVersion: v1
kind: Secret
metadata:
  name: login
stringData:
  password: pw-$(REGION)
"""


def test_what_is_secret_keeps_its_comment_and_no_hash_of_its_value() -> None:
    package = rendered(LOGIN)
    assert "  password: pw-eu # expand: pw-$(REGION)\n" in package.items
    after, output = package.configured(*US).run()
    assert "  password: pw-us # expand: pw-$(REGION)\n" in after.items
    assert after.items.partition("---\n")[2] == package.items.partition("---\n")[2]
    assert told(output) == []


@pytest.mark.parametrize(
    "lines", ["z: $(REGION)", "z: $(REGION)\n[main]", "a\nz: $(REGION)\n[main]", "a\n$(REGION)\nx"]
)
@pytest.mark.parametrize("header", ["|", "|-", "|+"])
def test_a_block_of_a_secret_stays_while_its_value_has_several_lines(header: str, lines: str) -> None:
    """No comment could tell the further lines from a person's, and each run would write them once more."""
    login = f"{LOGIN.partition('  password')[0]}  password: {header}\n{indented(lines, 4)}\n"
    package = rendered(login)
    several, output = package.configured("value: eu", 'value: "a\\nb"').run()
    assert several.items == package.items
    assert told(output) == ["NoRoomForReference stringData.password"]
    assert [str(one) for one in several.run()[1].results] == [str(one) for one in output.results]
    after, output = several.configured('value: "a\\nb"', "value: us").run()
    assert after.items == package.items.replace("eu", "us")
    assert told(output) == []


@pytest.mark.parametrize("header", ["|", "|-", "|+"])
def test_a_block_of_a_secret_gets_a_reference(header: str) -> None:
    """Its lines are merged into a text in quotes if the block keeps the blank lines below it."""
    login = f"{LOGIN.partition('  password')[0]}  password: {header}\n    x\n\n"
    package = rendered(login)
    after, output = package.configured("        x\n", "        pw-$(REGION)\n").run()
    assert after.item["stringData"]["password"] == package.item["stringData"]["password"].replace("x", "pw-eu")
    assert "# expand: " in after.items
    assert (told(output), after.run()[0]) == ([], after)
    us, _ = after.configured(*US).run()
    assert us.items == after.items.replace("pw-eu", "pw-us")


@pytest.mark.parametrize("header", ["|", "|-", "|+"])
def test_a_text_of_a_secret_in_quotes_becomes_a_block(header: str) -> None:
    """The comment of the text in quotes goes: behind the header of a block it would be no template."""
    package = rendered(LOGIN.replace("pw-$(REGION)", '"pw-$(REGION)" # mine'))
    block = f"{header}\n        user\n        pw-$(REGION)\n"
    after, output = package.configured('"pw-$(REGION)" # mine\n', block).run()
    written = f"{header} # mine\n    user\n    pw-eu\n"
    comment = f"  # expand: password: {header}\n  #   pw-$(REGION)\n"
    assert after.items.partition("stringData:\n")[2].partition("---")[0] == f"{comment}  password: {written}"
    assert (told(output), after.run()[0]) == ([], after)


def test_a_secret_that_a_program_wrote_without_its_comment_is_told_in_each_run() -> None:
    """No hash says whether a person wrote it: it follows nothing, and no info that nobody sees is enough for that."""
    package = rendered(LOGIN).reformatted().configured(*US)
    after, output = package.run()
    assert (after, told(output)) == (package, ["NotFollowed stringData.password"])
    assert [one.severity for one in output.results if one.reason == "NotFollowed"] == ["warning"]


@pytest.mark.parametrize("written", ["pin-$(REGION)", "$(REGION)"])
def test_a_reference_over_a_secret_is_the_new_template_of_its_comment(written: str) -> None:
    """As in a Secret of their own: the comment says that the field is expanded. Without it a reference stays."""
    package = rendered(LOGIN).changed("pw-eu # expand", f"{written} # expand")
    after, output = package.run()
    said = written.replace("$(REGION)", "eu")
    assert f"  password: {said} # expand: {written}\n" in after.items
    assert told(output) == ["LocalOverride stringData.password"]
    assert after.run()[0] == after
    own = Package(
        CONFIG.removesuffix("  templates:\n"), LOGIN.replace("pw-$(REGION)", f"{written} # expand: pw-$(REGION)")
    )
    assert f"  password: {said} # expand: {written}\n" in own.run()[0].items
    bare = rendered(LOGIN).changed("pw-eu # expand: pw-$(REGION)", written)
    assert bare.run()[0] == bare


@pytest.mark.parametrize("written", ["pin-$(REGION)", "$(REGION)", "pw-us"])
def test_a_comment_of_a_secret_goes_with_what_gives_way(written: str) -> None:
    package = rendered(LOGIN).changed("pw-eu # expand", f"{written} # expand")
    after, _ = package.configured("pw-$(REGION)", "none").run()
    assert "  password: none\n" in after.items
    assert after.run()[0] == after


@pytest.mark.parametrize(("header", "end"), [("|", "\n"), ("|-", ""), ("|+", "\n\n")])
def test_a_text_in_quotes_becomes_a_block_with_the_line_that_it_has(header: str, end: str) -> None:
    package = rendered(THING.format("site-$(REGION)"))
    after, output = package.configured("site-$(REGION)\n", f"{header}\n        a\n        site-$(REGION)\n\n").run()
    assert after.item["spec"]["texts"] == f"a\nsite-eu{end}"
    assert (told(output), after.run()[0]) == ([], after)


def test_a_text_that_gets_a_line_beside_an_edited_one() -> None:
    """The lines that nobody edited follow, however many there are."""
    edited = rendered(COLORS).changed("pool=10", "pool=50").configured(*US)
    after, _ = edited.configured("        note=$$5\n", "        note=$$5\n        more=$(COUNT)\n").run()
    assert after.item["data"]["lines"] == "region=us\npool=50\nnote=$5\nmore=2\n"
    assert after.run()[0] == after


@pytest.mark.parametrize("beside", ["$(POD)", "$(REGION)", "at-$(REGION)"])
def test_what_stands_in_a_list_beside_a_file_with_a_secret_is_no_secret(beside: str) -> None:
    file = "{apiVersion: v1, kind: Secret, data: {a: Yg==}}"
    things = f"apiVersion: e.com/v1\nkind: Thing\nmetadata: {{name: a}}\nspec:\n  files:\n  - '{file}'\n  - {beside}\n"
    package, first = Package(CONFIG + indented(f"- {indented(things, 2)[2:]}", 2)).run()
    again, second = package.run()
    assert again == package
    assert [str(one) for one in first.results] == [str(one) for one in second.results]
    changed, _ = package.configured("value: eu", "value: us").run()
    assert changed.item["spec"]["files"] == [file, beside.replace("$(REGION)", "us")]
    assert "# expand:" not in package.items


DATABASE = """\
apiVersion: v1
kind: Secret
metadata:
  name: db
stringData:
  PW: hunter2
"""


def test_an_edit_beside_a_secret_stays_when_its_variable_changes() -> None:
    """Each element of a list is secret or not: the others have no comment, and the state has what was written."""
    reading = "  - {name: PW, valueFrom: {secretKeyRef: {name: db, key: PW, optional: true}}}\n  templates:\n"
    config = CONFIG.replace("  templates:\n", reading).replace("spec:\n", "spec:\n  inline: [Secrets, Variables]\n", 1)
    arguments = "".join(f"\n        - {one}" for one in ("--r=$(REGION)", "--pw=$(PW)", "--z=$(REGION)"))
    web = WEB.replace(' [--fast, "--region=$(REGION)"]', arguments)
    package = Package(f"{config}  -{indented(web, 4)[3:]}", DATABASE).run()[0]
    assert package.items.count("# expand:") == 1
    edited = package.changed("--z=eu", "--z=mine")
    after, output = edited.configured(*US).run()
    assert "- --r=us\n        - --pw=hunter2 # expand: --pw=$(PW)\n        - --z=mine\n" in after.items
    assert told(output) == ["LocalOverride spec.template.spec.containers[name=web].args"]
    assert after.run()[0] == after
    gone = after._replace(items=after.items.partition("---\n")[2]).run()[0]
    assert "--pw=hunter2" in gone.items
    assert mirror.plain(Scalar(0, 0, "--pw=hunter2", "", None, None)) not in gone.items


def test_the_comment_over_brackets_with_a_secret_says_what_the_template_says_now() -> None:
    reading = "  - {name: PW, valueFrom: {secretKeyRef: {name: db, key: PW, optional: true}}}\n  templates:\n"
    config = CONFIG.replace("  templates:\n", reading).replace("spec:\n", "spec:\n  inline: [Secrets, Variables]\n", 1)
    web = WEB.replace('[--fast, "--region=$(REGION)"]', '["--pw=$(PW)", --n=1]')
    package = Package(f"{config}  -{indented(web, 4)[3:]}", DATABASE).run()[0]
    written = '        # expand: args: ["--pw=$(PW)", {0}]\n        args: ["--pw=hunter2", {0}]\n'
    assert written.format("--n=1") in package.items
    # The template changes beside the secret, and then has it once more.
    after, output = package.configured("--n=1", "--n=2").run()
    assert (written.format("--n=2") in after.items, told(output)) == (True, [])
    twice, output = after.configured("--n=2", '--n=2, "--x=$(PW)"').run()
    shown = '["--pw={0}", --n=2, "--x={0}"]'
    assert f"# expand: args: {shown.format('$(PW)')}\n        args: {shown.format('hunter2')}\n" in twice.items
    follows, output = twice.changed("PW: hunter2", "PW: tuna").run()
    assert (follows.items.count("tuna"), follows.items.count("hunter2"), told(output)) == (3, 0, [])
    assert follows.run()[0] == follows


def test_an_entry_that_is_there_twice_by_a_name_with_a_reference_is_damage_and_no_error() -> None:
    package = Package(CONFIG + indented(f"- {indented(COLORS.replace('colors', 'at-$(REGION)'), 2)[2:]}", 2)).run()[0]
    entry = "    /ConfigMap//at-$(REGION):\n"
    assert entry in package.items
    again, output = package.changed(entry, 2 * entry).run()
    assert (again.items.count(entry), output.exit_code) == (1, 0)
    assert "DamagedState" in [one.reason for one in output.results]


def test_a_secret_that_is_gone_leaves_no_hash() -> None:
    source = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\nstringData:\n  REGION: horse\n"
    reading = "  - {name: REGION, valueFrom: {secretKeyRef: {name: db, key: REGION, optional: true}}}\n"
    config = rendered(COLORS).configured("  - {name: REGION, value: eu}\n", reading).config
    package = Package(config.replace("  variables:\n", "  inline: [Secrets, Variables]\n  variables:\n"), source).run()[
        0
    ]
    assert "  site: site-horse # expand: site-$(REGION)\n" in package.items
    gone, _ = package._replace(items=package.items.partition("---\n")[2]).run()
    assert "  site: site-horse # expand: site-$(REGION)\n" in gone.items
    assert mirror.plain(Scalar(0, 0, "site-horse", "", None, None)) not in gone.items


def test_a_template_that_becomes_the_value_it_had_is_a_change() -> None:
    gone = rendered(WEB).changed("  replicas: 2\n", "")
    after, output = gone.configured("replicas: $(COUNT)", "replicas: 2").run()
    assert (after.item["spec"]["replicas"], told(output)) == (2, ["Conflict spec.replicas"])


def test_a_value_of_several_lines_beside_an_edited_line() -> None:
    edited = rendered(COLORS).changed("pool=10", "pool=50")
    after, _ = edited.configured("value: eu", 'value: "a\\nb"').run()
    assert after.item["data"]["lines"] == "region=a\nb\npool=50\nnote=$5\n"
    assert after.run()[0] == after


def test_an_alias_of_what_follows() -> None:
    shared = rendered(COLORS).changed("color: blue\n", "color: &c blue\n  mine: *c\n")
    after, output = shared.configured(*US).run()
    assert (after.item["data"]["site"], after.item["data"]["mine"], told(output)) == ("site-us", "blue", [])


BESIDE = {
    "an argument in the line of another": ("[--fast, ", "[--slow, ", ["LocalOverride"]),
    "a comment in the line of a reference": ("region: eu}", "region: eu} # mine", []),
    "a line more": ("  replicas: 2\n", "  replicas: 2\n  paused: true\n", []),
    "another order of lines": ("name: web\n        image: web:1\n", "image: web:1\n        name: web\n", []),
}


@pytest.mark.parametrize(("old", "new", "reasons"), BESIDE.values(), ids=BESIDE)
def test_what_a_person_wrote_beside_a_reference_is_seen_in_each_run(old: str, new: str, reasons: list[str]) -> None:
    package = rendered(WEB).changed(old, new)
    for _ in range(2):
        after, output = package.run()
        assert after == package
        assert [one.partition(" ")[0] for one in told(output)] == reasons


def test_an_alias_in_the_place_of_a_reference_is_an_edit() -> None:
    """What it shows has another template there, so both stay as they are, and both are told."""
    package = rendered(WEB).changed("{region: eu}", "{region: &r eu}").changed("https://eu.example.com", "*r")
    after, output = package.run()
    assert (after, told(output)) == (
        package,
        [
            "NoRoomForReference metadata.labels.region",
            "LocalOverride spec.template.spec.containers[name=web].env[name=REGION_URL].value",
        ],
    )
