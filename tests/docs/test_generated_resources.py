"""docs/reference/generated-resources.md is true: its example is run, also after each change that it names."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import pytest
import yaml

from expand_vars import __main__ as cli
from expand_vars import pipeline
from expand_vars.functionconfig.config import Config
from tests.docs.test_generate import ABOVE, CONFIG
from tests.krm.package.directories import contents, write
from tests.pages import Page, quoted, resource, resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import TypeAlias

    from krm.results import Result

    Files: TypeAlias = dict[str, str]
    Edit: TypeAlias = Callable[[Files], object]

PAGE = Page("generated-resources")
TESTED = {"The state": "yaml"}
HEAD, _, TEMPLATES = CONFIG.partition("  templates:\n")
HASH = re.compile(r"\b[a-p]{6}\b")
CONTAINER = "spec.template.spec.containers[name=web]"


def run(items: str = "", config: str = CONFIG) -> tuple[str, list[Result]]:
    """Return what comes of some documents, and what is told."""
    output = pipeline.run(items, resource(config), settle=Config.in_place)
    return output.text, output.results


def without_annotations(text: str) -> str:
    item = resources(text)[0]
    item.delete("metadata.annotations")
    return item.text


GENERATED = without_annotations(run()[0])


def test_the_first_run_adds_what_is_shown() -> None:
    text, told = run()
    assert (text.startswith(ABOVE), told) == (True, [])
    _, state = resources(text)
    template = re.sub("^    ", "", TEMPLATES.replace("  - apiV", "    apiV", 1), flags=re.MULTILINE)
    assert yaml.safe_load(GENERATED) == yaml.safe_load(
        template.replace("$(REGION)", "eu-west-1").replace("$(REPLICAS)", "2")
    )
    (block,) = PAGE.blocks("The state")
    assert HASH.sub("#", state.text.removeprefix("---\n")) == HASH.sub("#", block.text)


def test_the_next_run_brings_what_is_new_and_leaves_what_is_yours() -> None:
    item, state = resources(run()[0])
    item.set(("spec", "template", "spec", "containers", 0, "resources", "limits", "memory"), "1Gi")
    item.set(("metadata", "labels", "team"), "shop")
    proxy = "\n      - name: proxy\n        image: proxy:3\n      # Ours.\n      - name: web\n"
    edited = item.text.replace("\n      - name: web\n", proxy)
    assert "# Ours." in edited
    text, told = run(f"{edited}---\n{state.text}", CONFIG.replace("web:1.10", "web:1.11"))
    assert without_annotations(text) == without_annotations(edited).replace("web:1.10", "web:1.11")
    assert told == []


def test_one_that_is_there_already_is_taken_over() -> None:
    text, _ = run(GENERATED)
    assert without_annotations(text) == GENERATED
    assert "generated-by: ExpandVars/storefront" in text


def test_a_value_that_changes_comes_in_a_pipe_too() -> None:
    text, _ = run(run()[0], CONFIG.replace("value: eu-west-1", "value: us").replace("web-$(REGION)", "web-eu-west-1"))
    assert without_annotations(text) == GENERATED.replace("=eu-west-1", "=us")


MADE, STATE = "deployment_web-eu-west-1.yaml", "store.generated.yaml"
B = "  - {apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {a: $(REGION)}}\n"
OF_VALUES = ("UnusedVariable", "ValueChanged")
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: sub}\n"


def config(name: str, templates: str, more: str = "") -> str:
    return f"{HEAD.replace('storefront', name)}{more}  templates:\n{templates}"


def replace(path: str, old: str, new: str) -> Edit:
    """Return what replaces a text that is in a file."""

    def change(files: Files) -> None:
        assert old in files[path]
        files[path] = files[path].replace(old, new)

    return change


def copy(path: str, name: str = "web-eu-west-1") -> Edit:
    return lambda files: files.update({path: files[MADE].replace("name: web-eu-west-1\n", f"name: {name}\n")})


def put(**files: str) -> Edit:
    return lambda there: there.update({path.replace("_", "."): text for path, text in files.items()})


def delete(path: str) -> Edit:
    return lambda files: files.pop(path)


REMOVED, LOST = delete(MADE), delete(STATE)
MARK = "annotations:\n    expandvars.dev/generated-by: ExpandVars/storefront apps/Deployment//web-\\u0024(REGION)\n"
EXCLUDED = "  exclude: [{kind: Deployment}]\n"
WEB, MOVED = ["web-eu-west-1"], config("other", TEMPLATES)
FATES: dict[str, tuple[list[Edit], list[str]]] = {
    "its file is renamed or moved": ([copy("shop/web.yaml"), REMOVED], WEB),
    "you or a later function give it another name or namespace": (
        [replace(MADE, "name: web-eu-west-1\n", "name: a-web\n  namespace: a\n")], ["a-web"],
    ),
    "a variable in its name has another value": ([replace("store.yaml", "eu-west-1", "us")], ["web-us"]),
    "it is copied": ([copy("c.yaml", "c")], ["c", *WEB]),
    "it is renamed and moved at once, or copied and deleted": ([copy("c.yaml", "c"), REMOVED], ["c", *WEB]),
    "its mark is deleted": ([replace(MADE, f"  {MARK}", "")], WEB),
    'it is annotated `expandvars.dev/skip: "true"`': (
        [replace(MADE, MARK, f'{MARK}    expandvars.dev/skip: "true"\n')], WEB,
    ),
    "`exclude` names it": ([replace("store.yaml", "  templates:", f"{EXCLUDED}  templates:")], WEB),
    "it is deleted": ([REMOVED], WEB),
    "it is deleted, and `exclude` names it": (
        [REMOVED, replace("store.yaml", "  templates:", f"{EXCLUDED}  templates:")], [],
    ),
    "it is moved into another package": (
        [copy("sub/web.yaml"), REMOVED, lambda files: files.update({"sub/Kptfile": KPTFILE})], WEB * 2,
    ),
    "its template is called otherwise": ([replace("store.yaml", "web-$(REGION)", "shop")], ["shop"]),
    "its functionConfig is deleted": (
        [delete("store.yaml"), put(other_yaml=config("other", B.replace("name: b", "name: c")))], WEB,
    ),
}  # fmt: skip
RARE: dict[str, tuple[list[Edit], list[str], list[str]]] = {
    "a search and replace renames it, in the state too": (
        [copy(MADE, "shop"), replace(STATE, "name: web-eu-west-1,", "name: shop,")], WEB, ["Renamed"],
    ),
    "it is renamed, moved and copied, and the state is gone": (
        [copy("c.yaml", "c"), copy("d.yaml", "d"), REMOVED, LOST], ["c", "d"], ["AmbiguousCopies"],
    ),
    "a program writes it anew, without comments": (
        [lambda files: files.update({MADE: re.sub(" *# .*\n", "\n", files[MADE])})], WEB, [],
    ),
    "its template moves to another functionConfig": (
        [put(store_yaml=config("storefront", B), other_yaml=MOVED)], WEB, ["HandedOver"],
    ),
    "its functionConfig is called otherwise": ([replace("store.yaml", "storefront", "shop")], WEB, ["TakenOver"]),
    "another functionConfig has its template too": ([put(other_yaml=MOVED)], WEB, ["TwoOwners"]),
    "its functionConfig is deleted, and there is no other": ([delete("store.yaml")], WEB, ["Orphaned"]),
}  # fmt: skip
CHANGED, MINE = (
    replace("store.yaml", "replicas: $(REPLICAS)", "replicas: 4"),
    replace(MADE, "replicas: 2", "replicas: 5"),
)
VARIED, REPLICAS = replace("store.yaml", "value: 2}", "value: 4}"), "  replicas: 2 # not in quotes, so it is a number\n"
ENFORCED = "  merge: {fields: [{fieldPath: spec.replicas, enforce: true}]}\n"
NO_REPLICAS = re.sub("      replicas: .*\n", "", TEMPLATES)
NO_FIELD = replace(MADE, REPLICAS, "")
OWN = replace(MADE, "replicas: 2", "replicas: 1$(REPLICAS)")
BACK, DROPPED = replace(MADE, "replicas: 5", "replicas: 2"), put(store_yaml=config("storefront", NO_REPLICAS + B))
ENFORCES = replace("store.yaml", "  templates:\n", f"{ENFORCED}  templates:\n")


def had_it_before(files: Files) -> None:
    """Edit the state as an adoption writes it."""
    files[STATE] = re.sub("(replicas: )", r"\1yours/", files[STATE])


# Of each row the edits of a person, and the replicas that a person has then.
EDITS: dict[str, list[tuple[list[Edit], int | None]]] = {
    "leave the field, or put its value back": ([([], 2), ([MINE, BACK], 2)]),
    "change or delete it, or write a `$(NAME)` of your own": ([([MINE], 5), ([NO_FIELD], None), ([OWN], 12)]),
    "had it [before](#what-was-there-before) it was generated": ([([MINE, had_it_before], 5)]),
}
# Of each column the edits of a template, and the replicas that it generates then.
CHANGES: list[list[tuple[list[Edit], int | None]]] = [[([], 2)], [([VARIED], 4)], [([CHANGED], 4), ([DROPPED], None)]]
SETTINGS: dict[str, tuple[list[Edit], int | None, list[str]]] = {
    "enforce": ([MINE, ENFORCES], 2, ["Overwritten"]),
    "enforce, with another value of a variable": ([VARIED, MINE, ENFORCES], 4, ["Overwritten"]),
    "no state": ([LOST], 2, []),
    "no state, and your value": ([LOST, MINE], 5, ["MissingState"]),
    "no state, and another template": ([LOST, CHANGED], 2, ["MissingState"]),
}  # fmt: skip
GONE = put(store_yaml=config("storefront", B))
LABELLED = f"labels: {{team: shop}} # ours\n  {MARK}    a: b\n"
PRUNED: dict[str, tuple[list[Edit], bool]] = {
    "and the resource is as it was generated": ([put(store_yaml=CONFIG)], False),
    "and it has comments, labels, annotations or a name of yours": ([GONE, replace(MADE, MARK, LABELLED)], True),
    "and a generated field has a value of yours": ([GONE, MINE], False),
    "and no state remembers it": ([GONE, LOST], False),
    "with all others": ([put(store_yaml=f"{HEAD}  templates: []\n")], False),
    "with all others, and `prune: All`": ([put(store_yaml=f"{HEAD}  templates: []\n  prune: All\n")], True),
    "with `prune: false`": ([put(store_yaml=config("storefront", B, "  prune: false\n"))], False),
}


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a package in which the page's functionConfig, with one template more, has generated."""
    folder = write(tmp_path / "package", {"store.yaml": CONFIG + B})
    monkeypatch.chdir(folder)
    assert evaluated(folder, []) == []
    return folder


def edit(package: Path, edits: list[Edit]) -> str:
    """Edit the files of a package, and return the file of the functionConfig that is run then, if there is one."""
    before = contents(package)
    after = dict(before)
    for one in edits:
        one(after)
    for path in before.keys() - after.keys():
        (package / path).unlink()
    write(package, after)
    return next((path for path in ("other.yaml", "store.yaml") if path in after), "")


def reasons(told: list[dict]) -> list[str]:
    """Return the reasons of results, but for those of values."""
    found = dict.fromkeys(one["tags"]["reason"] for one in told)
    return [reason for reason in found if reason not in OF_VALUES]


def evaluated(package: Path, edits: list[Edit]) -> list[str]:
    """Edit a package, run, and return the reasons."""
    found = edit(package, edits)
    cli.run(["eval", ".", *(["--fn-config", found] if found else []), "--results", "../results.yaml"])
    return reasons(yaml.safe_load((package.parent / "results.yaml").read_text()).get("results", []))


def deployments(package: Path) -> list[dict]:
    texts = (text for path, text in contents(package).items() if path.endswith(".yaml"))
    found = (one for text in texts for one in yaml.safe_load_all(text))
    return sorted((one for one in found if one["kind"] == "Deployment"), key=lambda one: one["metadata"]["name"])


def rows(section: str) -> list[list[str]]:
    return PAGE.tables(section)[0]


@pytest.mark.parametrize("row", rows("Whose an item is"), ids=lambda row: row[0])
def test_what_happens_to_a_generated_resource(package: Path, row: list[str]) -> None:
    edits, names = FATES[row[0]]
    assert evaluated(package, edits) == quoted(row[2])
    assert [one["metadata"]["name"] for one in deployments(package)] == names


@pytest.mark.parametrize(("edits", "names", "told"), RARE.values(), ids=RARE)
def test_what_seldom_happens(package: Path, edits: list[Edit], names: list[str], told: list[str]) -> None:
    assert evaluated(package, edits) == told
    assert [one["metadata"]["name"] for one in deployments(package)] == names


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize("row", rows("Your edits"), ids=lambda row: row[0])
def test_what_a_merge_gives(package: Path, row: list[str], column: int) -> None:
    cell, before = row[column + 1], contents(package)
    for (edits, yours), (changes, generated) in product(EDITS[row[0]], CHANGES[column]):
        restore(package, before)
        told = evaluated(package, edits + changes)
        # The comment of the line goes with it.
        agree = yours is generated is None
        assert [reason for reason in told if reason != "CommentGone"] == ([] if agree else quoted(cell))
        wanted = yours if cell.startswith("yours") else generated
        # A reference of your own is expanded as in any other item.
        wanted = 14 if edits == [OWN] and changes == [VARIED] else wanted
        assert [one["spec"].get("replicas") for one in deployments(package)] == [wanted]


def restore(package: Path, before: dict[str, str]) -> None:
    for path in contents(package).keys() - before.keys():
        (package / path).unlink()
    write(package, before)


@pytest.mark.parametrize(("edits", "replicas", "told"), SETTINGS.values(), ids=SETTINGS)
def test_what_else_decides(package: Path, edits: list[Edit], replicas: int | None, told: list[str]) -> None:
    assert evaluated(package, edits) == told
    assert [one["spec"].get("replicas") for one in deployments(package)] == [replicas]


@pytest.mark.parametrize("row", rows("Pruning"), ids=lambda row: row[0])
def test_what_becomes_of_a_resource_whose_template_goes(package: Path, row: list[str]) -> None:
    edits, is_gone = PRUNED[row[0]]
    assert evaluated(package, edits) == quoted(row[2])
    assert (deployments(package) == []) is is_gone


def test_each_case_is_in_a_table_of_the_page() -> None:
    assert [row[0] for row in rows("Whose an item is")] == [*FATES]
    assert [row[0] for row in rows("Your edits")] == [*EDITS]
    assert [row[0] for row in rows("Pruning")] == [*PRUNED]


def test_a_value_for_what_nobody_generates_any_more_is_told_with_a_way_out(
    package: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    edit(package, [delete("store.yaml")])
    cli.run(["eval", ".", "REGION=us"])
    orphans = (
        "these were generated by functionConfigs that are not among the items of this run, and stay as they are: "
        "`v1/ConfigMap/b` of ExpandVars/storefront, `apps/v1/Deployment/web-eu-west-1` of ExpandVars/storefront. "
        "Run with the files of the functionConfigs, too. If they are gone, restore them, or delete the annotation "
        "`expandvars.dev/generated-by` of these and the state, and they are yours (Orphaned)\n"
    )
    assert orphans in capfd.readouterr().err
    edit(package, [LOST])
    cli.run(["eval", "."])
    assert orphans in capfd.readouterr().err
