"""A directory with packages that the real kpt renders."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
KPTFILE = "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\n"


class Shop:
    """A directory with packages, and the function beside it."""

    def __init__(self, directory: Path) -> None:
        self.function = self.program(directory / "function", "-m expand_vars")
        self.path = directory / "shop"

    def program(self, path: Path, arguments: str) -> Path:
        """Make a program of Python with these arguments, which has our modules."""
        path.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT / "fn"}" exec "{sys.executable}" {arguments}\n')
        path.chmod(0o755)
        return path

    def package(self, name: str, *configs: str, behind: tuple[Path, ...] = ()) -> None:
        """Make a package whose pipeline runs these functionConfigs, and other functions behind them."""
        pipeline = [{"exec": str(self.function), "configPath": config} for config in configs]
        pipeline += [{"exec": str(path)} for path in behind]
        (self.path / name).mkdir(parents=True, exist_ok=True)
        self.write(f"{name}/Kptfile", KPTFILE + (f"pipeline: {{mutators: {pipeline}}}\n" if pipeline else ""))

    def config(self, path: str, name: str, region: str, more: str = "") -> None:
        self.write(
            path,
            f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: {name}\n"
            '  annotations: {config.kubernetes.io/local-config: "true"}\n'
            f"spec:\n  variables: [{{name: REGION, value: {region}}}]\n{more}",
        )

    def write(self, path: str, text: str) -> None:
        (self.path / path).parent.mkdir(parents=True, exist_ok=True)
        (self.path / path).write_text(text)

    def text(self, path: str) -> str:
        return (self.path / path).read_text()

    def read(self, path: str) -> dict:
        return yaml.safe_load(self.text(path))

    def run(self, *command: str) -> str:
        """Run kpt, and return what it tells."""
        done = subprocess.run(["kpt", "fn", *command], cwd=self.path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stderr

    def files(self) -> dict[str, bytes]:
        return {str(path.relative_to(self.path)): path.read_bytes() for path in self.path.rglob("*.yaml")}
