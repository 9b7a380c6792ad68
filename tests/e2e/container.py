"""Run a container the strictest way an orchestrator may: no network, no writes, no privileges to be had."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import docker


class Exit(NamedTuple):
    """What a container left."""

    code: int
    stdout: bytes
    stderr: bytes


def run(engine: docker.DockerClient, image: str, stdin: bytes = b"", **options: Any) -> Exit:
    """Run `image` as `docker run -i` does; `options` are those of the Docker SDK's `containers.create`."""
    strict = {
        "network_mode": "none",
        "read_only": True,
        "security_opt": ["no-new-privileges"],
        "user": "nobody",
        "stdin_open": True,
    }
    container = engine.containers.create(image, **(strict | options))
    try:
        attached = container.attach_socket(params={"stdin": 1, "stream": 1})
        container.start()
        # The SDK's wrapper can only read and closes nothing. The container waits for our half of the socket inside
        # to be shut, and what stays open is a warning, which is an error here.
        with attached._sock as pipe:  # noqa: SLF001
            pipe.sendall(stdin)
            pipe.shutdown(socket.SHUT_WR)
            code = container.wait()["StatusCode"]
            attached._response.close()  # noqa: SLF001
        return Exit(code, container.logs(stderr=False), container.logs(stdout=False))
    finally:
        container.remove(force=True)
