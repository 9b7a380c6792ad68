"""Comments at fields under the real kpt and kustomize: other values, functions behind, packages that are updated."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.e2e.shop import Shop
from tests.expand_vars.expansion.running import run
from tests.krm.merge import kpt

if TYPE_CHECKING:
    from pathlib import Path

    from tests.expand_vars.expansion.running import Ran

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kpt", "kustomize")]

WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  template:
    spec:
      containers:
      - name: web
        command:
        - serve
        - --region=eu # expand: --region=$(REGION)
        env:
        - name: URL
          value: https://eu.example.com # expand: https://$(REGION).example.com
        - name: LEVEL
          value: "1" # expand: "$(LEVEL)"
"""
PLAIN = re.sub('(?:--region=eu|https.*com|"1") # expand: ', "", WEB)


def expanded(region: str, level: str = "1") -> str:
    return re.sub("(=|//)eu", rf"\1{region}", WEB).replace('"1"', f'"{level}"')


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


def evaluate(shop: Shop, *arguments: str) -> str:
    return shop.run("eval", "--exec", str(shop.function), "--", *arguments)


def test_a_second_run_of_kpt_has_another_value(shop: Shop) -> None:
    shop.write("web.yaml", PLAIN)
    evaluate(shop, "REGION=eu", "LEVEL=1")
    assert shop.text("web.yaml") == WEB
    told = evaluate(shop, "REGION=us")
    assert shop.text("web.yaml") == expanded("us")
    assert "`REGION` is `us` now, and was `eu`, in 2 fields" in told
    assert "this run has no value for `LEVEL`: what stands there for it stays in 1 field" in told
    evaluate(shop, "LEVEL=2")
    assert shop.text("web.yaml") == expanded("us", "2")


def test_a_second_run_of_kustomize_has_another_value(shop: Shop) -> None:
    shop.write("web.yaml", PLAIN)
    for region in ("eu", "us"):
        run = ["kustomize", "fn", "run", "--enable-exec", "--exec-path", str(shop.function), ".", "--", "ConfigMap"]
        subprocess.run([*run, f"REGION={region}", "LEVEL=1"], cwd=shop.path, capture_output=True, check=True)
        assert shop.text("web.yaml") == expanded(region)


KEEPS = """\
import krm

def change(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        item.set("metadata.labels", {"app": "web"})

krm.run(change)
"""
DROPS = """\
import sys
import yaml

listed = yaml.safe_load(sys.stdin)
for item in listed["items"]:
    if item["kind"] == "Deployment":
        containers = item["spec"]["template"]["spec"]["containers"]
        CHANGE
yaml.safe_dump(listed, sys.stdout, sort_keys=SORTS)
"""
INSERTS = """\
import krm

def change(resource_list: krm.ResourceList) -> None:
    for item in resource_list.where(kind="Deployment"):
        containers = item.get("spec.template.spec.containers")
        if len(containers) == 1:
            item.set("spec.template.spec.containers", [{"name": "proxy", "image": "proxy:1"}, *containers])

krm.run(change)
"""
BEHIND = {
    "keeps comments": KEEPS,
    "drops comments": DROPS.replace("CHANGE", "pass").replace("SORTS", "False"),
    "drops comments and sorts keys": DROPS.replace("CHANGE", "pass").replace("SORTS", "True"),
    "inserts in front": INSERTS,
}


@pytest.mark.parametrize("behind", BEHIND)
def test_references_outlive_a_function_behind_that(shop: Shop, behind: str) -> None:
    rendered(shop, BEHIND[behind], PLAIN)
    fields = {line.strip(" -") for line in shop.text("web.yaml").splitlines()}
    assert "value: https://us.example.com # expand: https://$(REGION).example.com" in fields
    assert "region=us # expand: --region=$(REGION)" in fields
    assert "eu" not in shop.text("web.yaml")


REFORMATS = """\
import sys
from ruamel.yaml import YAML

yaml = YAML()
yaml.indent(mapping=4, sequence=6, offset=4)
yaml.preserve_quotes = False
yaml.dump(yaml.load(sys.stdin), sys.stdout)
"""
SWAPS = DROPS.replace("CHANGE", "containers.reverse()").replace("SORTS", "False")
PROXY = """\
      - name: proxy
        image: proxy
        args:
        - --of=eu # expand: --of=$(REGION)
"""


@pytest.mark.parametrize("behind", [SWAPS, REFORMATS], ids=["swaps containers", "writes all lines in another way"])
def test_each_container_keeps_its_own_references(shop: Shop, behind: str) -> None:
    rendered(shop, behind, PLAIN + PROXY)
    text = shop.text("web.yaml")
    of_proxy = {line.strip(" -") for line in text.partition("name: proxy")[2].partition("name: web")[0].splitlines()}
    assert "of=us # expand: --of=$(REGION)" in of_proxy
    assert "region=us # expand: --region=$(REGION)" not in of_proxy
    fields = {line.strip(" -") for line in text.splitlines()}
    assert {"region=us # expand: --region=$(REGION)", "of=us # expand: --of=$(REGION)"} <= fields
    assert "value: https://us.example.com # expand: https://$(REGION).example.com" in fields


def test_brackets_that_a_function_writes_as_a_list_are_told(shop: Shop) -> None:
    """kpt puts the comment back, above a list that is none in brackets."""
    brackets = PLAIN.replace("\n        - serve\n        - --region=$(REGION)", " [serve, $(REGION)]")
    told = rendered(shop, BEHIND["drops comments"], brackets)
    assert (
        "        # expand: command: [serve, $(REGION)]\n        command:\n        - serve\n        - eu\n"
        in shop.text("web.yaml")
    )
    assert "is no template: it is a list in brackets, and the field is a list in block style; the field stays" in told


def test_the_references_of_a_list_are_lost_to_a_function_that_drops_comments_and_inserts(shop: Shop) -> None:
    """kpt puts comments back by position. Containers and entries of `env` have names, words have none."""
    inserts = '"env" in containers[0]["command"] or containers[0]["command"].insert(0, "env")'
    rendered(shop, DROPS.replace("CHANGE", inserts).replace("SORTS", "False"), PLAIN)
    command = shop.text("web.yaml").partition("command:\n")[2].partition("        env:")[0]
    assert command == "        - env\n        - serve\n        - --region=eu\n"
    assert "https://us.example.com # expand: " in shop.text("web.yaml")


def rendered(shop: Shop, behind: str, web: str) -> str:
    """Render a package with a function behind ours for two regions, and return what is told at the end."""
    path = shop.path.parent / "behind.py"
    path.write_text(behind)
    shop.package(".", "ev.yaml", behind=(shop.program(shop.path.parent / "behind", str(path)),))
    shop.write("web.yaml", web)
    told = ""
    for region in ("eu", "us"):
        shop.config("ev.yaml", "store", region)
        told = shop.run("render", "--allow-exec")
    return told


def test_the_package_around_another_one_gives_the_value(shop: Shop) -> None:
    for package, region in ((".", "eu"), ("below", "us")):
        shop.package(package, "ev.yaml")
        shop.config(f"{package}/ev.yaml", "store", region)
    shop.write("below/web.yaml", PLAIN.replace('"$(LEVEL)"', '"1"'))
    for region in ("eu", "ap"):
        shop.config("ev.yaml", "store", region)
        shop.run("render", "--allow-exec")
        assert shop.text("below/web.yaml") == expanded(region).replace('"1" # expand: "$(LEVEL)"', '"1"')


HEAD = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: urls\ndata:\n"
SPEC = "record: Always\ntargets: [{select: {kind: ConfigMap}, fieldPaths: ['data[*]']}]"
PUBLISHED = "  changed: https://$(REGION).com\n  left: $(REGION)\n"
FOLLOWS = "  changed: https://us.org # expand: https://$(REGION).org\n  left: us # expand: $(REGION)\n"


@pytest.mark.parametrize("publisher", [None, "ap"], ids=["as it is written", "rendered"])
def test_kpt_updates_a_package_that_is_published(tmp_path: Path, publisher: str | None) -> None:
    """docs/reference/runs-in-place.md, "Updates"."""
    origin, update = (HEAD + text for text in (PUBLISHED, PUBLISHED.replace(".com", ".org")))
    if publisher:
        origin, update = (ran(text, publisher).text for text in (origin, update))
    local = ran(origin, "eu").text
    updated = kpt.updated({"urls": kpt.Triple(origin, update, local)}, tmp_path)["urls"]
    again = ran(updated, "us")
    # The publisher's value, in the field that the update brought, is not the user's.
    differed = {"ValuesDiffered"} if publisher else set()
    assert (again.text, {*again.reasons}) == (HEAD + FOLLOWS, {"ValueChanged"} | differed)


def ran(text: str, region: str) -> Ran:
    return run(text, spec=SPEC, arguments=[("REGION", region)])


THING = "apiVersion: e.com/v1\nkind: Thing\nmetadata:\n  name: a\nspec:\n"
LINE, ABOVE = "  a: x-{} # expand: x-$(REGION)\n", "  # expand: a: [x-$(REGION)]\n  a: [x-{}]\n"
# Origin, update and local; what kpt makes of them, and what the next run does.
COMMENTS = {
    "another comment alone": (
        LINE.format("ap"),
        LINE.format("ap").replace("x-$", "y-$"),
        LINE.format("eu"),
        LINE.format("eu"),
        LINE.format("us"),
    ),
    "another comment alone, beside the same value": (
        LINE.format("ap"),
        LINE.format("ap").replace(": x-$", ": $"),
        LINE.format("ap"),
        LINE.format("ap").replace(": x-$", ": $"),
        "  a: us # expand: $(REGION)\n",
    ),
    "a text in the place of a reference": (
        "  a: x-$(REGION)\n",
        "  a: x-fixed\n",
        LINE.format("eu"),
        *["  a: x-fixed\n"] * 2,
    ),
    "a text in the place of a reference, below a comment": (
        "  a: [x-$(REGION)]\n",
        "  a: [x-fixed]\n",
        ABOVE.format("eu"),
        ABOVE.format("fixed"),
        ABOVE.format("us"),
    ),
    "more in brackets": (
        "  a: [x-$(REGION)]\n",
        "  a: [x-$(REGION), y]\n",
        ABOVE.format("eu"),
        "  # expand: a: [x-$(REGION)]\n  a: [x-$(REGION), y]\n",
        "  # expand: a: [x-$(REGION), y]\n  a: [x-us, y]\n",
    ),
}


def test_kpt_brings_the_comment_of_a_value_that_it_brings(tmp_path: Path) -> None:
    """docs/reference/runs-in-place.md, "Updates"."""
    triples = {case: kpt.Triple(*(THING + text for text in COMMENTS[case][:3])) for case in COMMENTS}
    for case, merged in kpt.updated(triples, tmp_path).items():
        assert merged == THING + COMMENTS[case][3]
        again = run(
            merged, spec='record: Always\ntargets: [{fieldPaths: [spec.a, "spec.a[*]"]}]', arguments=[("REGION", "us")]
        )
        assert again.text == THING + COMMENTS[case][4]
