"""Packages in packages under the real kpt: whose value counts, and who may merge and prune what."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.e2e.shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kpt")]

POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: c, args: [$(REGION)]}]}\n"
TEMPLATES = """\
  templates:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: colors}, data: {region: $(REGION)}}
  - apiVersion: v1
    kind: Pod
    metadata: {name: made}
    spec: {containers: [{name: c, args: [$(REGION)]}]}
"""


@pytest.fixture
def shop(tmp_path: Path) -> Shop:
    return Shop(tmp_path)


@pytest.mark.parametrize("name", ["store", "child-store"])
def test_the_parent_gives_the_value_whatever_its_functionconfig_is_called(shop: Shop, name: str) -> None:
    shop.package(".", "ev.yaml")
    shop.package("child", "ev.yaml")
    shop.config("ev.yaml", "store", "eu")
    shop.config("child/ev.yaml", name, "us")
    shop.write("child/pod.yaml", POD)
    told = shop.run("render", "--allow-exec")
    assert shop.read("child/pod.yaml")["spec"]["containers"][0]["args"] == ["eu"]
    assert "`REGION` is `eu` now, and was `us`, in 1 field" in told
    once = shop.files()
    shop.run("render", "--allow-exec")
    assert shop.files() == once


@pytest.mark.parametrize("name", ["store", "child-store"])
def test_what_a_child_generates_has_the_childs_value_in_all_its_fields(shop: Shop, name: str) -> None:
    shop.package(".", "ev.yaml")
    shop.package("child", "ev.yaml")
    shop.config("ev.yaml", "store", "eu")
    shop.config("child/ev.yaml", name, "us", TEMPLATES)
    for _ in range(2):
        told = shop.run("render", "--allow-exec")
        assert shop.read("child/configmap_colors.yaml")["data"] == {"region": "us"}
        assert shop.read("child/pod_made.yaml")["spec"]["containers"][0]["args"] == ["us"]
        giver = "ExpandVars/child-store" if name != "store" else "the ExpandVars/store of its own package"
        for made in ("v1/ConfigMap/colors", "v1/Pod/made"):
            assert f"{made}: `REGION` is `us` here, and not `eu`: {giver} generates this, so change it there" in told


def test_a_functionconfig_from_outside_deletes_no_instance(shop: Shop) -> None:
    for package in (".", "a", "b"):
        shop.package(package)
    config = shop.path.parent / "store.yaml"
    shop.config("../store.yaml", "store", "eu", TEMPLATES)
    for package in ("a", "b", "."):
        shop.run("eval", package, "--exec", str(shop.function), "--fn-config", str(config))
    names = ("configmap_colors.yaml", "pod_made.yaml", "store.generated.yaml")
    made = [f"{package}/{name}" for package in "ab" for name in names]
    assert sorted(shop.files()) == made


@pytest.mark.parametrize("order", [("a.yaml", "b.yaml"), ("b.yaml", "a.yaml")])
def test_a_template_moves_from_one_functionconfig_to_another(shop: Shop, order: tuple[str, str]) -> None:
    """What the user added, and the file that he moved it to, go with it."""
    other = TEMPLATES.replace("colors", "other").replace("made", "more")
    third = other.replace("other", "third").replace("more", "fourth")
    shop.package(".", *order)
    shop.config("a.yaml", "a", "eu", TEMPLATES + other.partition("\n")[2])
    shop.config("b.yaml", "b", "eu", third)
    shop.run("render", "--allow-exec")
    (shop.path / "apps").mkdir()
    moved = shop.read("configmap_colors.yaml")
    moved["metadata"]["labels"] = {"owner": "team-b"}
    shop.write("apps/colors.yaml", yaml.safe_dump(moved))
    (shop.path / "configmap_colors.yaml").unlink()
    shop.config("a.yaml", "a", "eu", other)
    shop.config("b.yaml", "b", "eu", TEMPLATES + third.partition("\n")[2])
    for _ in range(2):
        shop.run("render", "--allow-exec")
        metadata = shop.read("apps/colors.yaml")["metadata"]
        assert metadata["labels"] == {"owner": "team-b"}
        assert metadata["annotations"]["expandvars.dev/generated-by"].startswith("ExpandVars/b ")
        assert not (shop.path / "configmap_colors.yaml").exists()


def test_a_functionconfig_of_a_child_makes_new_files_in_the_child(shop: Shop) -> None:
    for package in (".", "child"):
        shop.package(package)
    shop.config("child/ev.yaml", "store", "eu", TEMPLATES)
    for _ in range(2):
        shop.run("eval", ".", "--exec", str(shop.function), "--fn-config", "child/ev.yaml")
        made = ["child/configmap_colors.yaml", "child/ev.generated.yaml", "child/pod_made.yaml"]
        assert sorted(shop.files()) == sorted([*made, "child/ev.yaml"])


def test_selectors_of_kpt_that_hide_items_are_an_error(shop: Shop) -> None:
    """Else what the selectors hide would be generated once more, in a second file."""
    shop.package(".", "ev.yaml")
    shop.config("ev.yaml", "store", "eu", TEMPLATES)
    shop.run("render", "--allow-exec")
    before = shop.files()
    kptfile = (shop.path / "Kptfile").read_text()
    shop.write(
        "Kptfile", kptfile.replace("'configPath': 'ev.yaml'", "'configPath': 'ev.yaml', selectors: [{kind: Pod}]")
    )
    for command in (["render", "--allow-exec"], ["eval", "--exec", str(shop.function), "--match-kind", "Pod"]):
        options = ["--fn-config", "ev.yaml"] if command[0] == "eval" else []
        done = subprocess.run(
            ["kpt", "fn", *command, *options], cwd=shop.path, capture_output=True, text=True, check=False
        )
        assert done.returncode != 0
        assert "kpt's `selectors` hide items from this function" in done.stderr
        assert shop.files() == before


@pytest.mark.parametrize("name", ["store", "child-store"])
def test_the_package_that_is_rendered_last_gives_the_value(shop: Shop, name: str) -> None:
    """With `kpt.dev/bfs-rendering`, that is the child, if kpt knows it: 1.0.0-beta.56 does not."""
    for package, of, region in ((".", "store", "eu"), ("child", name, "us")):
        shop.package(package, "ev.yaml")
        shop.config(f"{package}/ev.yaml", of, region)
    kptfile = (shop.path / "Kptfile").read_text()
    assert "{name: shop}" in kptfile
    bfs = 'metadata: {name: shop, annotations: {kpt.dev/bfs-rendering: "true"}}'
    shop.write("Kptfile", kptfile.replace("metadata: {name: shop}", bfs))
    shop.write("child/pod.yaml", POD)
    told = shop.run("render", "--allow-exec")
    last = re.findall(r'Package "([^"]*)"', told)[-1]
    regions = {"shop": "eu", "shop/child": "us"}
    assert shop.read("child/pod.yaml")["spec"]["containers"][0]["args"] == [regions[last]]
