"""A software bill of materials of the image, as CycloneDX: run by the image's own Python, it prints JSON.

It lists what is installed there: the Python, the distributions beside the function, and the packages of the base.
"""

from __future__ import annotations

import json
import re
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path

_FUNCTION = "/opt/expand-vars"
_STATUS = Path("/var/lib/dpkg/status")


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


def _of_base() -> list[dict[str, object]]:
    """Return the packages that dpkg has installed, none where the base has no dpkg."""
    found = []
    for entry in _STATUS.read_text(encoding="utf-8").split("\n\n") if _STATUS.exists() else ():
        fields = dict(re.findall(r"^(Package|Version|Architecture|Status): (.*)$", entry, re.MULTILINE))
        if fields.get("Status", "").endswith(" installed"):
            purl = f"pkg:deb/debian/{fields['Package']}@{fields['Version']}?arch={fields['Architecture']}"
            found.append(_component(fields["Package"], fields["Version"], purl))
    return found


def main() -> None:
    """Print the bill."""
    of_python = [_of_python(), *map(_of_distribution, distributions(path=[_FUNCTION]))]
    components = sorted([*of_python, *_of_base()], key=lambda one: str(one["purl"]))
    bill = {"bomFormat": "CycloneDX", "specVersion": "1.6", "version": 1, "components": components}
    json.dump(bill, sys.stdout, indent=2)
    sys.stdout.write("\n")


main()
