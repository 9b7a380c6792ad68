"""docs/gitops.md: the plugin of Argo CD in its image, as the sidecar runs it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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
