"""The life of a package under the real kpt: ten renders, with other functions behind and edits by hand between."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.e2e.shop import Shop

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("kpt")]

BEHIND = """\
import krm

def change(resource_list: krm.ResourceList) -> None:
    for item in resource_list.items:
        if item.kind in ("Deployment", "ConfigMap"):
            CHANGE

krm.run(change)
"""
CHANGES = {
    "prefix": 'item.set("metadata.name", "pre-" + item.name.removeprefix("pre-"))',
    "namespace": 'item.set("metadata.namespace", "prod")',
    "labels": 'item.set("metadata.labels.env", "prod")',
}
WEB = """\
  - apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: web-$(REGION)
    spec:
      replicas: 2
      template:
        spec:
          containers:
          - name: web
            image: web:1
            args:
            - --region=$(REGION)
            - --quiet
"""
SETTINGS = """\
  - apiVersion: v1
    kind: ConfigMap
    metadata:
      name: settings
    data:
      color: blue
      region: $(REGION)
"""
COLORS = SETTINGS.replace("settings", "colors")
POD = (
    "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n  - name: c\n    args:\n    - $(REGION)\n"
)


class Life:
    """A package around another one."""

    def __init__(self, directory: Path) -> None:
        self.shop = shop = Shop(directory)
        self.name, self.region = "store", "eu"
        behind = []
        for name, change in CHANGES.items():
            (directory / f"{name}.py").write_text(BEHIND.replace("CHANGE", change))
            behind.append(shop.program(directory / name, str(directory / f"{name}.py")))
        shop.package(".", "ev.yaml", behind=tuple(behind))
        shop.package("child", "ev.yaml")
        shop.write("child/pod.yaml", POD)

    def templates(self, *templates: str) -> None:
        self.shop.config("ev.yaml", self.name, self.region, "  templates:\n" + "".join(templates))

    def child(self, *templates: str) -> None:
        self.shop.config("child/ev.yaml", "child", "us", "  templates:\n" + "".join(templates))

    def edit(self, path: str, old: str, new: str) -> None:
        """Change a text once, at the start of a line."""
        text = self.shop.text(path)
        assert f"\n{old}" in text, text
        self.shop.write(path, text.replace(f"\n{old}", f"\n{new}", 1))

    def render(self) -> str:
        """Render, and once more, which changes nothing; return what the first tells."""
        told = self.shop.run("render", "--allow-exec")
        once = self.shop.files()
        self.shop.run("render", "--allow-exec")
        assert self.shop.files() == once
        return told

    def resources(self) -> list[str]:
        return sorted(
            path for path in self.shop.files() if path.rpartition("/")[2] not in ("ev.yaml", "ev.generated.yaml")
        )

    def args(self, path: str) -> list[str]:
        spec = self.shop.read(path)["spec"]
        containers = spec.get("containers") or spec["template"]["spec"]["containers"]
        return containers[0]["args"]


def test_the_life_of_a_package(tmp_path: Path) -> None:  # noqa: PLR0915 - a life is told from its start to its end
    life = Life(tmp_path)
    shop = life.shop
    web, settings, colors = "deployment_web-eu.yaml", "configmap_settings.yaml", "child/configmap_colors.yaml"

    # 1. All is generated: each functionConfig's own has its value, and the pod follows the package around it.
    life.templates(WEB, SETTINGS)
    life.child(COLORS, COLORS.replace("colors", "more"))
    told = life.render()
    assert life.resources() == [colors, "child/configmap_more.yaml", "child/pod.yaml", settings, web]
    assert shop.read(web)["metadata"] | {"annotations": 0} == {
        "name": "pre-web-eu",
        "namespace": "prod",
        "labels": {"env": "prod"},
        "annotations": 0,
    }
    assert shop.read(colors)["data"] == {"color": "blue", "region": "us"}
    assert life.args("child/pod.yaml") == ["eu"]
    assert "`REGION` is `eu` now, and was `us`, in 1 field" in told

    # 2. The template has another image; the user has another number, a comment and a label.
    life.edit(web, "  replicas: 2", "  replicas: 5 # for the sale")
    life.edit(web, "  labels:\n", "  labels:\n    team: b\n")
    life.templates(WEB.replace("web:1", "web:2"), SETTINGS)
    life.render()
    assert "\n  replicas: 5 # for the sale\n" in shop.text(web)
    assert "\n        image: web:2\n" in shop.text(web)
    assert shop.read(web)["metadata"]["labels"] == {"env": "prod", "team": "b"}

    # 3. A variable in the name changes: the resource goes along, with all that is the user's.
    life.region = "jp"
    life.templates(WEB.replace("web:1", "web:2"), SETTINGS)
    life.render()
    assert shop.read(web)["metadata"]["name"] == "pre-web-jp"
    assert "\n  replicas: 5 # for the sale\n" in shop.text(web)
    assert (life.args(web), life.args("child/pod.yaml")) == (["--region=jp", "--quiet"], ["jp"])
    assert shop.read(settings)["data"]["region"] == "jp"

    # 4. The template gets a field. The file stays where it is: moved, with a prefix, it could be a copy of any other.
    deployment = WEB.replace("web:1", "web:2").replace("      replicas: 2\n", "      replicas: 2\n      paused: true\n")
    life.templates(deployment, SETTINGS)
    life.render()
    assert shop.read(web)["spec"]["paused"] is True
    assert life.resources() == [colors, "child/configmap_more.yaml", "child/pod.yaml", settings, web]

    # 5. A copy: the state knows the file of the original, whatever the prefix makes of its name.
    shop.write("canary.yaml", shop.text(settings).replace("name: pre-settings", "name: canary"))
    life.templates(deployment, SETTINGS.replace("blue", "green"))
    assert "these are copies of generated resources, and stay as they are: `canary` in `canary.yaml`" in life.render()
    assert (shop.read(settings)["data"]["color"], shop.read("canary.yaml")["data"]["color"]) == ("green", "blue")

    # 6. The user says that it is a copy: it is theirs from now on.
    life.templates(deployment, SETTINGS.replace("blue", "red"))
    head, _, rest = shop.text("canary.yaml").partition("    expandvars.dev/generated-by: ")
    shop.write("canary.yaml", head + rest.partition("\n")[2])
    canary = shop.read("canary.yaml")["data"]
    life.render()
    assert (shop.read(settings)["data"]["color"], shop.read("canary.yaml")["data"]) == ("red", canary)

    # 7. A template goes whose resource the user has changed: it stays, and takes no more values.
    life.edit(settings, "  color: red", "  color: mine")
    life.templates(deployment)
    life.region = "eu"
    life.templates(deployment)
    before = shop.text(settings)
    assert "this is no longer generated, but was changed here since: it stays until you delete it" in life.render()
    assert shop.text(settings) == before
    assert life.args(web) == ["--region=eu", "--quiet"]

    # 8. It comes back, and is merged as before.
    life.templates(deployment, SETTINGS + "      size: big\n")
    life.render()
    assert shop.read(settings)["data"] == {"color": "blue", "region": "eu", "size": "big"}

    # 9. The functionConfig gets another name, the user an argument of their own, and the value changes.
    life.edit(web, "        args:\n", "        args:\n        - --mine\n")
    life.name, life.region = "shop", "us"
    life.templates(deployment, SETTINGS + "      size: big\n")
    assert (
        "ExpandVars/store, which generated this, is not among the items: ExpandVars/shop takes it over" in life.render()
    )
    assert life.args(web) == ["--mine", "--region=us", "--quiet"]
    assert "\n  replicas: 5 # for the sale\n" in shop.text(web)

    # 10. The child drops a template that nobody touched.
    life.child(COLORS.replace("colors", "more"))
    life.render()
    assert life.resources() == ["canary.yaml", "child/configmap_more.yaml", "child/pod.yaml", settings, web]
