"""docs/gitops.md: the plugin of Argo CD in its image, as the sidecar runs it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
import yaml

from tests.docs.test_gitops import APPLICATION, PLUGIN, SIDECAR
from tests.e2e import container
from tests.expand_vars.commands.test_fleet import POD
from tests.krm.package.directories import write

if TYPE_CHECKING:
    from pathlib import Path

    import docker

pytestmark = [pytest.mark.e2e]


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
