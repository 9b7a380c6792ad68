"""docs/guides/gitops.md: the plugin of Argo CD in its image, as the sidecar runs it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.docs.test_gitops import APPLICATION, HYDRATED, PLUGIN, SIDECAR
from tests.e2e import container
from tests.expand_vars.commands.test_fleet import POD
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from pathlib import Path

    import docker

pytestmark = [pytest.mark.e2e]

KUSTOMIZATION = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: shop, namespace: flux-system}
spec: {interval: 10m, prune: true, path: ./rendered, sourceRef: {kind: OCIRepository, name: shop}}
"""


@pytest.mark.usefixtures("image")
def test_the_plugin_in_the_image(tmp_path: Path, engine: docker.DockerClient) -> None:
    [variable] = APPLICATION["source"]["plugin"]["env"]
    done = container.run(
        engine,
        SIDECAR["image"],
        entrypoint=PLUGIN["spec"]["generate"]["command"],
        command=PLUGIN["spec"]["generate"]["args"],
        environment={f"ARGOCD_ENV_{variable['name']}": variable["value"]},
        working_dir="/sources/shop",
        volumes={str(write(tmp_path / "shop", {"pod.yaml": POD})): {"bind": "/sources/shop", "mode": "ro"}},
        user=str(SIDECAR["securityContext"]["runAsUser"]),
    )
    assert done == (0, POD.replace("$(REGION)", "eu-west-1").encode(), b"")


def test_argo_cd_reads_the_plugin(manifest_oracle: str, tmp_path: Path) -> None:
    (tmp_path / "plugin.yaml").write_text(yaml.safe_dump(PLUGIN))
    subprocess.run([manifest_oracle, "plugin", tmp_path / "plugin.yaml"], check=True)
    (tmp_path / "plugin.yaml").write_text(yaml.safe_dump({**PLUGIN, "spec": {"generates": {}}}))
    command = [manifest_oracle, "plugin", str(tmp_path / "plugin.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert 'unknown field "generates"' in done.stderr


def test_argo_cd_takes_the_application_with_a_hydrator(manifest_oracle: str, tmp_path: Path) -> None:
    file = tmp_path / "application.yaml"
    command = [manifest_oracle, "application", str(file)]
    file.write_text(yaml.safe_dump(HYDRATED))
    subprocess.run(command, check=True)
    file.write_text(yaml.safe_dump(HYDRATED).replace("plugin:", "plugins:"))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == 'unknown field "spec.sourceHydrator.drySource.plugins"\n'


def test_flux_builds_a_rendered_kustomization(manifest_oracle: str, tmp_path: Path) -> None:
    """What `flux push artifact` packs and what a branch has is the same directory."""
    files = {"shop/pod.yaml": POD, "shop/kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: eu-\n"}
    write(tmp_path, {**files, "flux.yml": KUSTOMIZATION})
    render = ["expand-vars", "eval", "shop", "--output", "rendered", "REGION=eu-west-1"]
    subprocess.run(render, cwd=tmp_path, check=True, capture_output=True)
    command = [manifest_oracle, "flux", str(tmp_path / "rendered"), str(tmp_path / "flux.yml")]
    [pod] = yaml.safe_load_all(subprocess.run(command, check=True, capture_output=True).stdout)
    assert pod["metadata"]["name"] == "eu-p"
    assert pod["spec"]["containers"][0]["args"] == ["eu-west-1"]
