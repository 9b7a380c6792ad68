"""Whose value counts, in a package and in one below it: this function beside kpt's `apply-setters`, by the real kpt.

    PYTHONPATH=. .venv/bin/python -m scripts.setters .tools/peers/apply-setters

prints the table of docs/runs-in-place.md, "What a name gets". `tests/tools/catalog` builds apply-setters from the
sources of its catalog, for which it needs Go. The column of this function is tested with all else.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import yaml

FUNCTION = "expand-vars"
FIELDS = {FUNCTION: "$(REGION)", "apply-setters": "unset # kpt-set: ${REGION}"}
NAMES = {"the same": ("store", "store"), "two": ("store", "store-below")}


class Case(NamedTuple):
    """The regions that the packages declare, None for no such variable, in each of the renders one after the other."""

    renders: tuple[tuple[str | None, str | None], ...]


CASES = {
    "both packages declare it": Case((("eu", "us"),)),
    "only the package around declares it": Case((("eu", None),)),
    "only the package below declares it": Case(((None, "us"),)),
    "both did, and the package around declares it no longer": Case((("eu", "us"), (None, "us"))),
    "both did, and the package below declares it no longer": Case((("eu", "us"), ("eu", None))),
}


def rendered(folder: Path, program: str, names: tuple[str, str], case: Case) -> str:
    """Return the field of the package below after the renders of a case."""
    kind = Path(program).name
    below = folder / "below"
    below.mkdir(parents=True)
    pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "web"}}
    text = yaml.safe_dump(pod) + f"spec:\n  containers:\n  - name: web\n    args:\n    - {FIELDS[kind]}\n"
    (below / "pod.yaml").write_text(text)
    for package in (folder, below):
        pipeline = {"mutators": [{"exec": program, "configPath": "values.yaml"}]}
        kptfile = {"apiVersion": "kpt.dev/v1", "kind": "Kptfile", "metadata": {"name": "shop"}, "pipeline": pipeline}
        (package / "Kptfile").write_text(yaml.safe_dump(kptfile))
    for regions in case.renders:
        for package, name, region in zip((folder, below), names, regions, strict=True):
            (package / "values.yaml").write_text(_config(kind, name, region))
        subprocess.run(["kpt", "fn", "render", str(folder), "--allow-exec"], capture_output=True, check=True)
    return str(yaml.safe_load((below / "pod.yaml").read_text())["spec"]["containers"][0]["args"][0])


def _config(kind: str, name: str, region: str | None) -> str:
    """Return the functionConfig of a package, which always declares something."""
    values = {"OTHER": "x"} | ({} if region is None else {"REGION": region})
    config: dict[str, object] = {"apiVersion": "v1", "kind": "ConfigMap", "data": values}
    if kind == FUNCTION:
        variables = [{"name": key, "value": value} for key, value in values.items()]
        config = {"apiVersion": "expandvars.dev/v1alpha1", "kind": "ExpandVars", "spec": {"variables": variables}}
    annotations = {"config.kubernetes.io/local-config": "true"}
    return yaml.safe_dump(config | {"metadata": {"name": name, "annotations": annotations}})


def rows(program: str, folder: Path) -> dict[str, str]:
    """Return the field of the package below in each case: once for each pair of names where these matter."""
    found = {}
    for number, (title, case) in enumerate(CASES.items()):
        values = {rendered(folder / f"{number}{pair[1]}", program, pair, case) for pair in NAMES.values()}
        found[title] = ", ".join(f"`{value}`" for value in sorted(values))
    return found


def main() -> None:
    """Print the table."""
    programs = [shutil.which(FUNCTION) or FUNCTION, *(str(Path(name).resolve()) for name in sys.argv[1:])]
    with TemporaryDirectory() as folder:
        columns = [rows(program, Path(folder) / str(number)) for number, program in enumerate(programs)]
    heads = ["`REGION`, `eu` around and `us` below", *(Path(program).name for program in programs)]
    lines = [heads, ["---"] * len(heads), *([title, *(column[title] for column in columns)] for title in CASES)]
    print("\n".join(f"| {' | '.join(line)} |" for line in lines))


if __name__ == "__main__":
    main()
