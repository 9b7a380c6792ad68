"""The start of images beside each other: `docker run` of a list with one Pod, in turns, as a ratio to the first image.

python -m scripts.container_start IMAGE...
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time

LIST = b"""\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items:
- {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: i, args: [$(tag)]}]}}
functionConfig: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {tag: x}}
"""
TURNS = 15


def seconds(image: str) -> float:
    """Return how long one container takes."""
    began = time.monotonic()
    command = ["docker", "run", "--rm", "--interactive", "--network", "none", image]
    subprocess.run(command, input=LIST, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - began


def main(*images: str) -> None:
    """Print the median of the ratios of each image."""
    turns = [[seconds(image) for image in images] for _ in range(TURNS)]
    for number, image in enumerate(images):
        print(f"{statistics.median(turn[number] / turn[0] for turn in turns):.2f}  {image}")


main(*sys.argv[1:])
