"""Generating into lists of every shape, and what is told about it."""

from __future__ import annotations

import json
import tracemalloc
from typing import TYPE_CHECKING

import pytest
import yaml

from krm import resourcelist
from krm.generation import generating, updates
from krm.generation.settings import PRUNE, Settings
from krm.generation.updates import Update
from krm.merge.policy import MergeOptions
from krm.resource import Resource
from krm.results import FnError
from tests.bench import workloads

if TYPE_CHECKING:
    from krm.merge.policy import OnConflict, Strategy
    from krm.results import Output

CONFIG = "apiVersion: example.com/v1\nkind: Maker\nmetadata:\n  name: shop\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: colors\ndata:\n  sky: blue\n"
MISSING = "(or files were joined without a line `---` between them)"
LOGIN = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\nstringData:\n  user: admin\n"
JOB = """\
apiVersion: batch/v1
kind: Job
metadata:
  name: copy
spec:
  template:
    spec:
      containers:
      - name: copy
        args: [a, b]
"""
MARK = "    expandvars.dev/generated-by: Maker/shop /ConfigMap//colors\n"
STATE = """\
# What Maker/shop has generated, for its next merge. Written by a program: commit it, do not edit it.
apiVersion: expandvars.dev/v1alpha1
kind: GeneratedResources
metadata:
  name: shop
  annotations:
    config.kubernetes.io/local-config: "true"
spec:
  generatedBy: Maker/shop
  resources:
    /ConfigMap//colors:
      generated: {apiVersion: v1, kind: ConfigMap, name: colors, file: configmap_colors.yaml}
      data: {sky: bgehhg}
"""
GREY = "ghpmdg"
GENERATED = CONFIG_MAP.replace("\ndata:", f"\n  annotations:\n{MARK}data:")
BOTH = f"{GENERATED}---\n{STATE}"


def resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "it")


def generate(  # noqa: PLR0913 - all that one can say
    items: str,
    *texts: str,
    config: str = CONFIG,
    folder: str | None = None,
    prune: str = PRUNE,
    strategy: Strategy = "Merge3",
    duplicates: str = "Keep",
    adopt: OnConflict | None = None,
    is_in_place: bool = True,
) -> Output:
    """Generate texts into items, as the functionConfig `config` would."""
    resource_list = resourcelist.read(items)
    generated = [Update(updates.generated(text, f"template {number}"), folder) for number, text in enumerate(texts)]
    merge = MergeOptions(strategy=strategy, duplicates=duplicates, adopt=adopt)
    settings = Settings(resource(config) if config else None, merge=merge, prune=prune, is_in_place=is_in_place)
    resource_list.results += generating.generate(resource_list, generated, settings)
    resource_list.sort_results()
    return resource_list.emit()


def told(output: Output) -> list[str]:
    return [str(result) for result in output.results]


MISTAKES = {
    "a field is missing": (
        ["kind: A\nmetadata: {name: ''}\n"],
        ["[error] template 0 is no resource: it has no `apiVersion`, `metadata.name`"],
    ),
    "a name that a cluster would make": (
        ["apiVersion: v1\nkind: A\nmetadata: {generateName: a-}\n"],
        [
            ("[error] template 0 is no resource: it has no `metadata.name`, "
            "and with `generateName` no run would know it again"),
        ],
    ),
    "a name is no string": (
        ["apiVersion: v1\nkind: [A]\nmetadata: {name: on, namespace: {}}\n"],
        ["[error] template 0 is no resource: it has no string as `kind`, `metadata.name`, `metadata.namespace`"],
    ),
    "one is there twice": (
        [CONFIG_MAP, LOGIN, CONFIG_MAP.replace("v1", "v2")],
        ["[error] v2/ConfigMap/colors: template 0 and template 2 are the same resource: only one can be generated"],
    ),
    "a List": (
        ["apiVersion: v1\nkind: List\nmetadata: {name: all}\nitems: []\n"],
        ["[error] v1/List/all: each element of a List is a resource of its own: generate its elements instead"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_what_is_no_resource_is_an_error(texts: list[str], expected: list[str]) -> None:
    output = generate("", *texts)
    assert (output.text, told(output)) == ("", expected)


def test_what_cannot_be_read_is_no_update() -> None:
    with pytest.raises(FnError) as raised:
        Update(updates.generated(f"{LOGIN}kind: Secret\n", "template 0"))
    (error,) = raised.value.results
    problem = f"the key `kind` is here again {MISSING}, first in line 2"
    assert str(error) == f"[error] template 0: line 7, column 1: {problem}"


def test_a_patch_cannot_be_applied() -> None:
    output = generate(CONFIG_MAP, CONFIG_MAP.replace("sky: blue", "$patch: delete"), strategy="Apply")
    message = "`$patch` is a directive of a patch: a 3-way merge takes whole resources, and `merge2` takes patches"
    assert told(output) == [f"[error] v1/ConfigMap/colors data['$patch']: {message}"]


def test_a_template_may_be_a_patch() -> None:
    patch = CONFIG_MAP.replace("sky: blue", "sky: blue\n  $patch: delete")
    first = generate("", CONFIG_MAP)
    assert "\n  $patch: delete\n" in generate(first.text, patch).text


def grey(state: str) -> str:
    return state.replace("sky: blue", "sky: grey").replace("bgehhg", GREY)


def test_a_resource_is_generated_into_documents_and_merged_there() -> None:
    """The first run, and the next with another colour."""
    first = generate(f"# mine\n{LOGIN}", CONFIG_MAP)
    assert (first.text, told(first)) == (f"# mine\n{LOGIN}---\n{BOTH}", [])
    second = generate(f"# mine\n{LOGIN}---\n{BOTH}", CONFIG_MAP.replace("blue", "grey"))
    assert (second.text, told(second)) == (f"# mine\n{LOGIN}---\n{grey(BOTH)}", [])


def test_outside_of_runs_in_place_nothing_is_remembered() -> None:
    """But what is remembered already counts, and is brought up to date."""
    first = generate("", CONFIG_MAP, is_in_place=False)
    assert (first.text, told(first)) == (CONFIG_MAP, [])
    second = generate(BOTH, CONFIG_MAP.replace("blue", "grey"), is_in_place=False)
    assert (second.text, told(second)) == (grey(BOTH), [])
    assert generate(BOTH, LOGIN, is_in_place=False).text.count("generated-by") == 1


# What `kpt pkg get` writes into a resource, and kpt's id in a run, which would bring old comments back.
NOTES = "    internal.kpt.dev/upstream-identifier: a|b|c|d\n"
IDS = "    internal.config.kubernetes.io/id: '1'\n    config.k8s.io/id: '1'\n"


def noted(state: str, notes: str) -> str:
    return state.replace("metadata:\n", "metadata: # kpt-merge: /shop\n").replace("spec:\n", f"{notes}spec:\n")


def listed(*texts: str) -> str:
    """Return documents as a ResourceList, each behind a dash."""
    items = ("- " + text.replace("\n", "\n  ").rstrip(" ") for text in texts)
    return "kind: ResourceList\nitems:\n" + "".join(items)


def test_what_stands_above_the_entries_of_a_state_stays() -> None:
    update = CONFIG_MAP.replace("blue", "grey")
    before, after = noted(STATE, NOTES), noted(grey(STATE), NOTES)
    assert generate(f"{GENERATED}---\n{before}", update).text == f"{grey(GENERATED)}---\n{after}"
    output = generate(listed(GENERATED, noted(STATE, NOTES + IDS)), update)
    assert output.text == listed(grey(GENERATED), after)


def test_a_resource_is_generated_into_json_and_merged_there() -> None:
    given = json.dumps(
        {"kind": "ResourceList", "items": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}}]}
    )
    first = generate(given, CONFIG_MAP)
    (_, item, _) = json.loads(first.text)["items"]
    assert item["metadata"]["annotations"]["expandvars.dev/generated-by"] == "Maker/shop /ConfigMap//colors"
    second = generate(first.text, CONFIG_MAP.replace("blue", "grey"))
    (_, item, _) = json.loads(second.text)["items"]
    assert item["data"] == {"sky": "grey"}


def test_items_that_share_anchors() -> None:
    """They are parsed as one, and an anchor is never edited through."""
    items = (
        "kind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  data: &shared {sky: blue}\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: colors\n  data: *shared\n"
    )
    output = generate(items, CONFIG_MAP.replace("blue", "grey"), adopt="TakeUpdate")
    assert output.text.partition("---\n# What")[0] == (
        "kind: List\nitems:\n- apiVersion: v1\n  kind: Secret\n  metadata: {name: a}\n  data: &shared {sky: blue}\n"
        "- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n    name: colors\n"
        f"    annotations:\n  {MARK}  data:\n    sky: grey\n"
    )  # fmt: skip


def test_a_collection_with_a_tag_is_one_value() -> None:
    """The new one stands at the same place of its text, and has as many characters."""
    text = "apiVersion: v1\nkind: ConfigMap\nspec: !x {a: 1, b: 2}\nmetadata:\n  name: colors\n"
    changed = generate(generate("", text).text, text.replace("!x {a: 1, b: 2}", "!x {a: 7, b: 1}"))
    assert told(changed) == []
    assert changed.text.startswith("apiVersion: v1\nkind: ConfigMap\nspec: !x {a: 7, b: 1}\n")


def test_what_cannot_be_edited_is_an_error() -> None:
    item = GENERATED.replace("\ndata:", "\ndata: !mine &shared") + "more: *shared\n"
    output = generate(f"{item}---\n{STATE}", CONFIG_MAP.replace("blue", "grey"))
    assert told(output) == [
        "[error] v1/ConfigMap/colors: it cannot be merged: line 7: what an alias shows here has a tag on a collection"
    ]


FILES = {
    "no item has one": ("", [CONFIG_MAP], None, []),
    "orchestrators name it": ("config.kubernetes.io/path: a.yaml", [CONFIG_MAP, LOGIN], None, []),
    "one of each form": (
        "config.kubernetes.io/path: a.yaml",
        [CONFIG_MAP, CONFIG_MAP.replace("v1", "a.b/v1")],
        None,
        ["config.kubernetes.io/path: configmap_colors.yaml", 'config.kubernetes.io/index: "0"',
         "config.kubernetes.io/path: configmap_colors.yaml", 'config.kubernetes.io/index: "1"'],
    ),
    "one of each form, in a file with an object": (
        'config.kubernetes.io/path: configmap_colors.yaml, config.kubernetes.io/index: "2"',
        [CONFIG_MAP, CONFIG_MAP.replace("v1", "a.b/v1")],
        None,
        ["config.kubernetes.io/path: configmap_colors.yaml", 'config.kubernetes.io/index: "3"',
         "config.kubernetes.io/path: configmap_colors.yaml", 'config.kubernetes.io/index: "4"'],
    ),
    "a folder": (
        "internal.config.kubernetes.io/path: a.yaml",
        [CONFIG_MAP],
        "shop/config",
        ["internal.config.kubernetes.io/path: shop/config/colors_configmap.yaml"],
    ),
    "the uppermost folder": (
        "internal.config.kubernetes.io/path: a.yaml",
        [CONFIG_MAP],
        "",
        ["internal.config.kubernetes.io/path: colors_configmap.yaml"],
    ),
    "a folder, and a file of its own": (
        "config.kubernetes.io/path: a.yaml",
        [CONFIG_MAP.replace("\ndata:", "\n  annotations:\n    config.kubernetes.io/path: mine.yaml\ndata:")],
        "shop/config",
        ["config.kubernetes.io/path: mine.yaml"],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("annotation", "texts", "folder", "expected"), FILES.values(), ids=FILES)
def test_the_file_of_a_new_resource(annotation: str, texts: list[str], folder: str | None, expected: list[str]) -> None:
    item = LOGIN.replace("login", "a").replace("stringData", f"  annotations: {{{annotation}}}\nstringData")
    _, *new, _ = generate(item, *texts, folder=folder).text.split("---\n")
    lines = [line.strip() for text in new for line in text.splitlines()]
    assert [line for line in lines if "config.kubernetes.io" in line] == expected


def field_told(reason: str, output: Output) -> list[str | None]:
    return [result.field for result in output.results if result.reason == reason]


OVERRIDES = {
    "a value": ("args: [a, b]", "image: c", "image: d", "containers[name=copy].image"),
    "a list that is one value": ("image", "image", "image", None),
    "an argument": ("args: [a, b]", "args: [a, b]", "args: [a]", "containers[name=copy].args"),
    "an element": ("- name: copy", "- name: copy", "- name: other", "containers[name=copy]"),
    "nothing but an addition": ("args: [a, b]", "args: [a, b]", "args: [a, b]\n        image: mine", None),
    "what is generated as null": ("args: [a, b]", "args: null", "image: mine", None),
}


@pytest.mark.parametrize(("old", "generated", "kept", "field"), OVERRIDES.values(), ids=OVERRIDES)
def test_where_local_keeps_something_else(old: str, generated: str, kept: str, field: str | None) -> None:
    update = JOB.replace(old, generated)
    first = generate("", update).text
    output = generate(kept.join(first.split(generated, 1)), update)
    assert field_told("LocalOverride", output) == ([] if field is None else [f"spec.template.spec.{field}"])


def test_an_element_whose_key_both_sides_changed_is_named_by_its_index() -> None:
    """Of the key that it had the state knows a hash, which tells a person nothing."""
    service = (
        "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec:\n  ports: [{port: 80}, {port: 443, name: tls}]\n"
    )
    there = generate("", service).text.replace("443", "444")
    output = generate(there, service.replace("443", "8443"))
    assert [(result.reason, result.field) for result in output.results] == [("Conflict", "spec.ports[1].port")]


def test_an_item_in_a_namespace_is_adopted() -> None:
    """What it is called is agreed: only the rest can differ."""
    here = CONFIG_MAP.replace("  name: colors\n", "  name: colors\n  namespace: shop\n")
    output = generate(here.replace("blue", "grey"), here)
    assert [(result.reason, result.field) for result in output.results] == [("Adopted", "data.sky")]


NO_ANNOTATIONS = {
    "null": "metadata:\n  name: colors\n  annotations: null\n",
    "a tilde": "metadata:\n  name: colors\n  annotations: ~ # none\n",
    "nothing": "metadata:\n  annotations:\n  name: colors\n",
    "brackets": "metadata: {name: colors, annotations: }\n",
}


@pytest.mark.parametrize("metadata", NO_ANNOTATIONS.values(), ids=NO_ANNOTATIONS)
def test_annotations_that_are_null_in_a_template_are_none(metadata: str) -> None:
    """As `helm template` prints them. The mark and the user's annotations stay, and nothing is a conflict."""
    template = CONFIG_MAP.replace("metadata:\n  name: colors\n", metadata)
    there = generate("", template).text.replace(MARK, f"    team: mine\n{MARK}")
    output = generate(there, template.replace("blue", "grey"))
    assert (told(output), f"    team: mine\n{MARK}" in output.text) == ([], True)
    assert generate(output.text, template.replace("blue", "grey")).text == output.text


CONFIGS = {
    "nobody": "",
    "one without a name": "apiVersion: example.com/v1\nkind: Maker\n",
    "one with blanks in its name": "apiVersion: example.com/v1\nkind: Maker\nmetadata: {name: the shop}\n",
    "what kpt sends": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: function-input}\n",
}


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_who_owns_nothing(config: str) -> None:
    """And remembers nothing, which is told: each run takes over what is there."""
    first = generate("", CONFIG_MAP, LOGIN, config=config).text
    assert first == f"{CONFIG_MAP}---\n{LOGIN}"
    second = generate(first, CONFIG_MAP.replace("blue", "grey"), config=config, prune="All")
    assert second.text == first.replace("blue", "grey")
    assert {result.reason for result in second.results} == {"NotRemembered", "Conflict"}


def test_a_config_map_never_prunes() -> None:
    config = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine}\n"
    first = generate("", CONFIG_MAP, LOGIN, config=config).text
    assert "generated-by: ConfigMap/mine" in first
    assert generate(first, LOGIN, config=config, prune="All").text == first


ON_ONE_LINE = {
    "a name": ("metadata: {name: a}", "  name: a\n"),
    "a key without a value": ("metadata: {name: a, labels}", "  name: a\n  labels:\n"),
    "a key in quotes": ('metadata: {"name":"a"}', '  "name": "a"\n'),
    "a comment": ("metadata: {name: a, labels: {b: c}} # mine", "  name: a\n  labels: {b: c} # mine\n"),
}


@pytest.mark.parametrize(("written", "lines"), ON_ONE_LINE.values(), ids=ON_ONE_LINE)
def test_new_metadata_in_brackets_get_lines_of_their_own_for_notes(written: str, lines: str) -> None:
    head = "apiVersion: v1\nkind: ConfigMap\n"
    mark = "  annotations:\n    expandvars.dev/generated-by: Maker/shop /ConfigMap//a\n"
    made, state = generate("", f"{head}{written}\ndata: {{}}\n").text.split("---\n")
    assert made == f"{head}metadata:\n{lines}{mark}data: {{}}\n"
    assert generate(f"{made}---\n{state}", f"{head}{written}\ndata: {{}}\n").text == f"{made}---\n{state}"
    assert generate("", f"{head}{written}\n", is_in_place=False).text == f"{head}{written}\n"


METADATA = {
    "more than one line": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a,\n  labels: {}}\n",
    "an anchor of its own": "apiVersion: v1\nkind: ConfigMap\nmetadata: &m {name: a}\n",
    "all in brackets": "{apiVersion: v1, kind: ConfigMap,\nmetadata: {name: a}}",
    "JSON": '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}',
}


@pytest.mark.parametrize("written", METADATA.values(), ids=METADATA)
def test_metadata_in_brackets_gets_the_mark_in_there(written: str) -> None:
    text = generate(CONFIG, written).text
    assert list(yaml.safe_load_all(text))[1]["metadata"]["name"] == "a"
    assert "annotations: {expandvars.dev" in text or '"annotations": {"expandvars.dev' in text


SECRET_WITH_COMMENTS = LOGIN.replace("kind: Secret\n", "kind: Secret # hunter2\n")


@pytest.mark.parametrize(("user", "comments"), [("admin", "1 comment"), ("admin # or root", "2 comments")])
def test_comments_of_a_secret_are_counted_and_not_shown(user: str, comments: str) -> None:
    text = SECRET_WITH_COMMENTS.replace("user: admin\n", f"user: {user}\n")
    once = generate(CONFIG, text, CONFIG_MAP).text
    assert "hunter2" in once
    hidden = f"it had {comments}, not shown as it holds a secret"
    assert told(generate(once, CONFIG_MAP)) == [
        f"[warning] v1/Secret/login: this is no longer generated, and is deleted; {hidden}",
    ]


def test_of_many_comments_that_go_some_are_told() -> None:
    lines = "".join(f"  k{number}: v # {str(number) * 80}\n" for number in range(7))
    once = generate(CONFIG, f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a}}\ndata:\n{lines}", CONFIG_MAP).text
    quoted = ", ".join(f"`# {str(number) * 58}`" for number in range(5))
    message = f"this is no longer generated, and is deleted; its comments were {quoted} and 2 more"
    assert told(generate(once, CONFIG_MAP)) == [f"[warning] v1/ConfigMap/a: {message}"]


TWO = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: '1'\n  y: '2'\n"
GONE = "[warning] v1/ConfigMap/a {}: comments here are deleted with what was there"
WRITTEN_COMMENTS = {
    "above a field and behind it": ("  # mine\n  y: '2' # behind\n", "", [GONE.format("data.y")]),
    "at a value that has none in the template": ("  # mine\n  y: '2' # behind\n", "  y: '3'\n", []),
    "at a value that has one": ("  y: '2' # mine\n", "  y: '3' # its own\n", [GONE.format("data.y")]),
    "the text of a field": ("  # '2' # one\n  y: '2'\n", "  y: '2 # one'\n", []),
    "at a value that both changed": (
        "  y: '4' # mine\n",
        "",
        [
            (
                "[warning] v1/ConfigMap/a data.y: both sides changed this, origin has another value, update "
                "deleted it, local `4`: update's is taken"
            )
        ],
    ),
    "two alike, one of which stays": ("  # mine\n  y: '2'\n", "", [GONE.format("data.y")]),
}


@pytest.mark.parametrize("stream", ["", "kind: ResourceList\nitems: []\n"], ids=["documents", "a list"])
@pytest.mark.parametrize(("local", "update", "expected"), WRITTEN_COMMENTS.values(), ids=WRITTEN_COMMENTS)
def test_comments_that_go_with_what_was_there(stream: str, local: str, update: str, expected: list[str]) -> None:
    once = generate(stream or CONFIG, TWO).text
    margin = "  " if stream else ""
    lines = "".join(f"{margin}{line}" for line in ("  x: '1' # mine\n" + local).splitlines(keepends=True))
    edited = once.replace(f"{margin}  x: '1'\n{margin}  y: '2'\n", lines)
    assert edited != once
    after = generate(edited, TWO.replace("  y: '2'\n", update))
    assert told(after) == expected
    assert told(generate(after.text, TWO.replace("  y: '2'\n", update))) == []


def test_a_template_that_changed_for_one_element_is_told_of_no_other() -> None:
    two = JOB.replace("args: [a, b]", "image: one") + "      - name: other\n        image: one\n"
    adopted = generate(f"{CONFIG}---\n{two.replace('one', 'mine')}", two).text
    output = generate(adopted, two.replace("image: one", "image: two", 1))
    containers = "spec.template.spec.containers"
    assert field_told("TemplateNotTaken", output) == [f"{containers}[name=copy].image"]
    assert field_told("LocalOverride", output) == [f"{containers}[name=other].image"]
    assert [result.further for result in output.results] == [(), ()]


def test_what_the_user_and_the_template_both_deleted_is_not_told() -> None:
    adopted = generate(CONFIG + "---\n" + TWO.replace("'2'", "mine\n  z: '3'"), TWO).text
    assert told(generate(adopted.replace("  y: mine\n", ""), TWO.replace("  y: '2'\n", ""))) == []


@pytest.mark.parametrize(("update", "reason"), [([TWO], "LocalOverride"), ([CONFIG_MAP], "KeptChanged")])
def test_a_result_about_a_field_has_its_line(update: list[str], reason: str) -> None:
    edited = generate(CONFIG, TWO).text.replace("'2'", "mine")
    (result,) = generate(edited, *update).results
    assert (result.reason, result.field) == (reason, "data.y")
    assert edited.splitlines()[(result.line() or 0) - 1] == "  y: mine"


def test_a_conflict_in_a_list_has_its_line() -> None:
    config, item, state = generate(CONFIG, TWO).text.split("---\n")
    item = item.replace("'2'", "mine").replace("\n", "\n  ").rstrip(" ")
    edited = f"{config}---\napiVersion: v1\nkind: List\nitems:\n- {item}---\n{state}"
    (result,) = generate(edited, TWO.replace("'2'", "'3'")).results
    assert (result.reason, edited.splitlines()[(result.line() or 0) - 1]) == ("Conflict", "    y: mine")


def test_of_two_comments_alike_the_one_that_goes_is_told() -> None:
    edited = generate(CONFIG, TWO).text.replace("'1'", "'1' # mine").replace("'2'", "'2' # mine")
    assert told(generate(edited, TWO.replace("  x: '1'\n", ""))) == [GONE.format("data.x")]


def test_apply_tells_what_it_overwrites_of_an_item_that_nobody_applied() -> None:
    assert told(generate(CONFIG_MAP.replace("blue", "red"), CONFIG_MAP, strategy="Apply")) == [
        (
            "[warning] v1/ConfigMap/colors data.sky: this was there before it was generated: these fields get the "
            "generated values"
        )
    ]


def test_a_template_that_was_pasted_with_its_annotations_forgets_them() -> None:
    output = generate("", GENERATED)
    assert (output.text, told(output)) == (BOTH, [])
    note = "    example.com/note: mine\n"
    own = CONFIG_MAP.replace("\ndata:", f"\n  annotations:\n{note}data:")
    assert generate("", own.replace(note, note + MARK)).text == generate("", own).text


def test_an_owner_with_a_reference_for_a_name_knows_its_items_again() -> None:
    config = CONFIG.replace("shop", "shop-$(ENV)")
    first = generate("", CONFIG_MAP, config=config)
    again = generate(first.text, CONFIG_MAP, config=config)
    assert (again.text, [*map(str, again.results)]) == (first.text, [])


def test_another_owner_that_is_there() -> None:
    output = generate(f"{CONFIG}---\n{GENERATED}", CONFIG_MAP, config="")
    assert told(output) == [
        "[error] v1/ConfigMap/colors: this function generates this, and so does Maker/shop: take it out of one of them"
    ]


def test_what_is_no_template_generates_nothing() -> None:
    """So the functionConfig that has it there hands over what it once generated."""
    head = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: other\n"
    other = f"{head}spec:\n  templates:\n  - colors\n  - kind: ConfigMap\n    metadata: colors\n"
    output = generate(f"{other}---\n{GENERATED.replace('Maker/shop', 'ExpandVars/other')}", CONFIG_MAP)
    assert output.text == f"{other}---\n{GENERATED}---\n{STATE}".replace("file: configmap_colors.yaml", "adopted: true")
    assert told(output) == [
        "[info] v1/ConfigMap/colors: ExpandVars/other no longer generates this, and Maker/shop does: it is handed over"
    ]


NOT_SELECTED = {
    "a new resource": (
        "",
        "[info] v1/ConfigMap/colors: a template has this, but `selectors` or `exclude` leave it out: it is not made",
    ),
    "an item": (
        CONFIG_MAP.replace("blue", "red"),
        (
            "[info] v1/ConfigMap/colors: this is generated, but `selectors`, `exclude` or its `skip` leave it out: it "
            "stays as it is"
        ),
    ),
}


@pytest.mark.parametrize(("items", "expected"), NOT_SELECTED.values(), ids=NOT_SELECTED)
def test_what_is_not_selected_is_neither_added_nor_merged(items: str, expected: str) -> None:
    resource_list = resourcelist.read(items)
    settings = Settings(resource(CONFIG), is_selected=lambda item: item.kind != "ConfigMap")
    results = generating.generate(resource_list, [Update(updates.generated(CONFIG_MAP, "template 0"))], settings)
    assert resource_list.emit().text == items
    assert [str(result) for result in results] == [expected]


def test_copies_that_are_not_selected_stay_untold() -> None:
    """Nobody can tell which of them was generated, and their author has closed both to functions."""
    copies = [GENERATED.replace("  name: colors", f"  name: {name}", 1) for name in ("a", "b")]
    resource_list = resourcelist.read("---\n".join([*copies, STATE]))
    settings = Settings(resource(CONFIG), is_selected=lambda item: item.kind != "ConfigMap")
    results = generating.generate(resource_list, [Update(updates.generated(LOGIN, "template 0"))], settings)
    assert [str(result) for result in results] == []


def test_a_template_that_swaps_names_with_another() -> None:
    """Each is merged with what it was generated as, or else is new: never two with the same item."""
    renamed = GENERATED.replace("  name: colors\n", "  name: shades\n", 1)
    output = generate(f"{renamed}---\n{STATE}", CONFIG_MAP.replace("colors", "shades"), CONFIG_MAP)
    merged, _, new = output.text.split("---\n")
    assert merged == renamed
    assert new == GENERATED.replace("colors", "shades")


def test_three_renders_of_a_pipeline() -> None:
    """A generator, then set-namespace, set-labels and a name prefix: no second copy, and pruning still works."""

    def rendered(items: str, *texts: str) -> str:
        resource_list = resourcelist.read(generate(items, *texts).text)
        for item in (one for one in resource_list.items if one.kind != "GeneratedResources"):
            item.set(("metadata", "namespace"), "prod")
            item.set(("metadata", "labels", "env"), "prod")
            item.set(("metadata", "name"), "eu-" + item.name.removeprefix("eu-"))
        return resource_list.emit().text

    once = rendered("", CONFIG_MAP, JOB)
    assert [line for line in once.splitlines() if line.startswith("  name") and "shop" not in line] == [
        "  name: eu-colors", "  namespace: prod", "  name: eu-copy", "  namespace: prod",
    ]  # fmt: skip
    assert rendered(once, CONFIG_MAP, JOB) == once
    changed = rendered(once, CONFIG_MAP.replace("blue", "grey"), JOB)
    assert changed == grey(once)
    assert "kind: ConfigMap" not in rendered(changed, JOB)


def test_apply_takes_what_is_generated() -> None:
    output = generate(BOTH.replace("sky: blue", "sky: red\n  sea: green"), CONFIG_MAP, strategy="Apply")
    assert output.text == BOTH.replace("sky: blue", "sky: blue\n  sea: green")


def test_three_of_one_name_behind_another_generator() -> None:
    texts = [CONFIG_MAP.replace("blue", color) for color in ("red", "blue", "grey")]
    output = generate("---\n".join(texts), duplicates="Later", config="")
    assert output.text == CONFIG_MAP.replace("blue", "grey")


def test_a_duplicate_of_what_another_functionconfig_has_generated() -> None:
    """It has no state here that could say what it was generated as: all of it stays."""
    later = CONFIG_MAP.replace("blue", "grey")
    output = generate(f"{GENERATED}---\n{later}", duplicates="Later", config=CONFIG.replace("shop", "cart"))
    assert output.text == GENERATED


def test_a_duplicate_that_cannot_be_merged_is_an_error() -> None:
    first = CONFIG_MAP.replace("\ndata:", "\ndata: !mine &shared") + "more: *shared\n"
    output = generate(f"{first}---\n{CONFIG_MAP.replace('blue', 'grey')}", duplicates="Later")
    assert told(output)[0] == (
        "[error] v1/ConfigMap/colors: it cannot be merged: line 5: what an alias shows here has a tag on a collection"
    )


def test_duplicates_of_which_one_has_no_file_yet() -> None:
    """What a generator appends is in the package of what it is called like, unless that is in another for sure."""
    kptfile = "kind: Kptfile\nmetadata:\n  name: a\n  annotations: {config.kubernetes.io/path: Kptfile}\n"
    here = CONFIG_MAP.replace("\ndata:", "\n  annotations: {config.kubernetes.io/path: a.yaml}\ndata:")
    output = generate("---\n".join([kptfile, here, CONFIG_MAP.replace("blue", "grey")]), duplicates="Later")
    assert field_told("Conflict", output) == ["data.sky"]


def test_many_resources_are_merged_into_the_items_that_have_their_names() -> None:
    """Past a number of names nobody looks for each of them in the text of each item."""
    texts = [CONFIG_MAP.replace("colors", f"colors-{number:03}") for number in range(150)]
    items = "".join(f"---\n{text}" for text in reversed(texts))
    once = generate(items.replace("sky: blue", "sea: grey"), *texts)
    assert once.text.count("\n  sea: grey\n  sky: blue\n") == 150
    assert len(resourcelist.read(once.text).items) == 151
    assert generate(once.text, *texts).text == once.text


def test_thousands_of_resources_take_less_than_ten_times_their_memory() -> None:
    """The trees of all of them at once would take more."""
    texts = [workloads.named(workloads.ORIGIN, number) for number in range(200)]
    there = generate("", *texts).text
    tracemalloc.start()
    try:
        generate(there, *texts)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 * len(there + "".join(texts))


def test_json_stays_json() -> None:
    text = '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "colors"}}'
    made = generate("", f"{text}\n").text.partition("---\n")[0]
    mark = '"expandvars.dev/generated-by": "Maker/shop /ConfigMap//colors"'
    assert made == text.replace('"colors"}', f'"colors", "annotations": {{{mark}}}}}') + "\n"
