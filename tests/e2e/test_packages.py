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
COLORS = """\
  templates:
  - apiVersion: v1
    kind: ConfigMap
    METADATA
    data:
      region: $(REGION)
      sea: green
      sky: SKY
"""
UPSTREAM = "internal.kpt.dev/upstream-identifier: 'expandvars.dev|GeneratedResources|default|store'"


def git(directory: Path, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", *who, *words], cwd=directory, check=True)


def kpt(directory: Path, *words: str) -> None:
    subprocess.run(["kpt", *words], cwd=directory, check=True)


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


def test_a_functionconfig_from_outside_has_its_state_in_the_package(shop: Shop) -> None:
    """So the next run knows what the user changed, and takes what is gone, wherever the functionConfig stands."""
    shop.package(".")
    shop.package("sub", "ev.yaml")
    shop.config("sub/ev.yaml", "store", "us", TEMPLATES)
    run = ("eval", ".", "--exec", str(shop.function), "--fn-config", str(shop.path.parent / "store.yaml"))
    shop.config("../store.yaml", "shop", "eu", TEMPLATES)
    shop.run(*run)
    assert sorted(shop.files()) == ["configmap_colors.yaml", "pod_made.yaml", "shop.generated.yaml", "sub/ev.yaml"]
    shop.write("pod_made.yaml", shop.text("pod_made.yaml").replace("{name: c, ", "{name: c, tty: true, "))
    shop.config("../store.yaml", "shop", "us", TEMPLATES.replace("colors", "paints"))
    shop.run(*run)
    assert sorted(shop.files()) == ["configmap_paints.yaml", "pod_made.yaml", "shop.generated.yaml", "sub/ev.yaml"]
    assert shop.read("pod_made.yaml")["spec"]["containers"] == [{"name": "c", "tty": True, "args": ["us"]}]


@pytest.mark.parametrize("metadata", ["metadata:\n      name: colors-$(REGION)", "metadata: {name: colors-$(REGION)}"])
def test_an_update_of_a_package_brings_the_state_along(tmp_path: Path, metadata: str) -> None:
    """Published is what was rendered. The package of the user has another region, and a value of their own."""
    colors = COLORS.replace("METADATA", metadata)
    shop = Shop(tmp_path)
    shop.package(".", "ev.yaml")
    git(shop.path, "init", "--quiet")
    for version, sky in (("v1", "blue"), ("v2", "grey")):
        shop.config("ev.yaml", "store", "eu", colors.replace("SKY", sky))
        shop.run("render", "--allow-exec")
        git(shop.path, "add", ".")
        git(shop.path, "commit", "--quiet", "--message", version)
        git(shop.path, "tag", version)
    published, shop.path = shop.path, tmp_path / "mine"
    shop.path.mkdir()
    git(shop.path, "init", "--quiet")
    kpt(shop.path, "pkg", "get", f"file://{published}/.git/@v1", "web")
    config = shop.text("web/ev.yaml")
    shop.write("web/ev.yaml", config.replace("value: eu", "value: us"))
    made = "web/configmap_colors-eu.yaml"
    shop.write(made, shop.text(made).replace("sea: green", "sea: mine"))
    shop.run("render", "--allow-exec", "web")
    assert UPSTREAM in shop.text("web/ev.generated.yaml")
    git(shop.path, "add", ".")
    git(shop.path, "commit", "--quiet", "--message", "mine")
    kpt(shop.path, "pkg", "update", "web@v2")
    assert shop.read(made)["data"] == {"region": "us", "sea": "mine", "sky": "grey"}
    updated = shop.files()
    shop.run("render", "--allow-exec", "web")
    assert shop.files() == updated


def test_an_empty_directory_gets_its_state_at_the_first_run(shop: Shop) -> None:
    shop.path.mkdir()
    shop.config("../store.yaml", "shop", "eu", TEMPLATES)
    run = ("eval", ".", "--exec", str(shop.function), "--fn-config", str(shop.path.parent / "store.yaml"))
    shop.run(*run)
    made = shop.files()
    assert sorted(made) == ["configmap_colors.yaml", "pod_made.yaml", "shop.generated.yaml"]
    shop.run(*run)
    assert shop.files() == made


def test_a_new_resource_whose_file_is_taken_is_known_there(shop: Shop) -> None:
    """It goes into the file of the other, by kpt's rules, and the state says so at once."""
    shop.package(".", "store.yaml")
    shop.config("store.yaml", "store", "eu", TEMPLATES)
    shop.write("pod_made.yaml", "apiVersion: v1\nkind: Secret\nmetadata: {name: mine}\n")
    shop.run("render", "--allow-exec")
    made = shop.files()
    assert "name: made, file: pod_made.yaml}" in shop.text("store.generated.yaml")
    assert made["pod_made.yaml"].count(b"\nkind: ") == 2
    shop.run("render", "--allow-exec")
    assert shop.files() == made


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
    evaluate = ["eval", "--exec", str(shop.function), "--fn-config"]
    outside = shop.path.parent / "ev.yaml"
    outside.write_text((shop.path / "ev.yaml").read_text())
    for command in (
        ["render", "--allow-exec"],
        [*evaluate, "ev.yaml", "--match-kind", "Pod"],
        [*evaluate, str(outside), "--match-name", "colors"],  # the first of all, so that no number lacks
    ):
        done = subprocess.run(["kpt", "fn", *command], cwd=shop.path, capture_output=True, text=True, check=False)
        assert done.returncode != 0
        assert "kpt's `selectors` may hide items from this function" in done.stderr
        assert shop.files() == before


@pytest.mark.parametrize("name", ["store", "child-store"])
def test_the_package_that_is_rendered_last_gives_the_value(shop: Shop, name: str) -> None:
    """With `kpt.dev/bfs-rendering`, that is the child."""
    for package, of, region in ((".", "store", "eu"), ("child", name, "us")):
        shop.package(package, "ev.yaml")
        shop.config(f"{package}/ev.yaml", of, region)
    kptfile = (shop.path / "Kptfile").read_text()
    assert "{name: shop}" in kptfile
    bfs = 'metadata: {name: shop, annotations: {kpt.dev/bfs-rendering: "true"}}'
    shop.write("Kptfile", kptfile.replace("metadata: {name: shop}", bfs))
    shop.write("child/pod.yaml", POD)
    told = shop.run("render", "--allow-exec")
    assert re.findall(r'Package: "([^"]*)"', told) == ["shop", "shop/child"]
    assert shop.read("child/pod.yaml")["spec"]["containers"][0]["args"] == ["us"]
