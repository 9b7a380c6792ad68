"""A software bill of materials of the image without a system, as CycloneDX: JSON on standard output.

It takes the names of that image's files on standard input, and is run by the Python of the image with a shell, which
has the same files and the lists of dpkg. It tells the Python, the distributions beside the function, and those packages
of the base of which a file is in the image.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

_FUNCTION = "/opt/expand-vars"
_DPKG = Path("/var/lib/dpkg")


def _component(name: str, version: str, purl: str, licence: str | None = None) -> dict[str, object]:
    found: dict[str, object] = {"type": "library", "name": name, "version": version, "purl": purl, "bom-ref": purl}
    return found | ({"licenses": [{"expression": licence}]} if licence else {})


def _of_python() -> dict[str, object]:
    version = ".".join(map(str, sys.version_info[:3]))
    return _component("python", version, f"pkg:generic/python@{version}", "PSF-2.0")


def _of_distribution(one: Distribution) -> dict[str, object]:
    name = re.sub("[-_.]+", "-", one.metadata["Name"]).lower()
    licence = one.metadata.json.get("license_expression")
    return _component(name, one.version, f"pkg:pypi/{name}@{one.version}", str(licence) if licence else None)


def _of_base(files: set[Path]) -> list[dict[str, object]]:
    """Return the packages that dpkg has installed and that own one of `files`, none where the base has no dpkg."""
    owners = {path.stem.partition(":")[0] for path in _DPKG.glob("info/*.list") if files & _real(path.read_text())}
    found = []
    for entry in (_DPKG / "status").read_text(encoding="utf-8").split("\n\n") if owners else ():
        fields = dict(re.findall(r"^(Package|Version|Architecture): (.*)$", entry, re.MULTILINE))
        if fields.get("Package") in owners:
            purl = f"pkg:deb/debian/{fields['Package']}@{fields['Version']}?arch={fields['Architecture']}"
            found.append(_component(fields["Package"], fields["Version"], purl))
    return found


def _real(names: str) -> set[Path]:
    """Return the files of a list: `/lib` is a link to `/usr/lib` in the one list, and written out in the other."""
    paths = [Path("/", name.removeprefix("/")) for name in names.splitlines()]
    return {path.parent.resolve() / path.name for path in paths if not path.is_dir()}


def main() -> None:
    """Print the bill."""
    of_python = [_of_python(), *map(_of_distribution, distributions(path=[_FUNCTION]))]
    components = sorted([*of_python, *_of_base(_real(sys.stdin.read()))], key=lambda one: str(one["purl"]))
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    json.dump(bill, sys.stdout, indent=2)
    sys.stdout.write("\n")


main()
