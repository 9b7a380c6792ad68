"""Print fn/krm/fieldtypes.py: the fields of Kubernetes' own kinds, and what each may hold.

    python -m scripts.fields KUBERNETES ORACLE > fn/krm/fieldtypes.py      (`make fields` does it)

KUBERNETES is the directory of a release's Go module. The published schema in it has the names and the types. ORACLE is
tests/validation_oracle, the API server's own validation: it is asked of each text field whether it takes a text with
a reference, and its objection says which grammar the field has; and of each number which range it has.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import deque
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Schema: TypeAlias = dict[str, Any]

KINDS = {
    "": (
        "ConfigMap LimitRange Namespace PersistentVolume PersistentVolumeClaim Pod PodTemplate ReplicationController "
        "ResourceQuota Secret Service ServiceAccount"
    ),
    "apps": "DaemonSet Deployment ReplicaSet StatefulSet",
    "autoscaling": "HorizontalPodAutoscaler",
    "batch": "CronJob Job",
    "networking.k8s.io": "Ingress IngressClass NetworkPolicy",
    "policy": "PodDisruptionBudget",
    "rbac.authorization.k8s.io": "ClusterRole ClusterRoleBinding Role RoleBinding",
    "scheduling.k8s.io": "PriorityClass",
    "storage.k8s.io": "StorageClass",
}
"""The kinds that people write, and that ORACLE knows."""

SCALARS = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "int-or-string",
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "token",
}
SIGNS = str.maketrans("{[", "*-")
TYPES = {"integer": "integer", "number": "integer", "boolean": "boolean"}

# The API server lets some of these pass, and asks others where more is said than one field. Nothing that they can name
# has a `$(`: an image, an object, a label, a host, or a word of a short list. Others may be more than their objection
# says: a host with a wildcard, an empty class of storage. The names of variables are relaxed: they may hold a `$`.
NAMED = {
    "ObjectMeta": "name:subdomain namespace:label generateName:token",
    "Container": "image:image restartPolicy:Always|OnFailure|Never",
    "EphemeralContainer": "image:image",
    "ImageVolumeSource": "reference:image",
    "ConfigMapProjection": "name:subdomain",
    "ConfigMapVolumeSource": "name:subdomain",
    "CrossVersionObjectReference": "name:subdomain",
    "EmptyDirVolumeSource": "medium:token",
    "EnvFromSource": "prefix:",
    "EnvVar": "name:",
    "HTTPGetAction": "host:host",
    "HostPathVolumeSource": "type:DirectoryOrCreate|Directory|FileOrCreate|File|Socket|CharDevice|BlockDevice",
    "IngressClassParametersReference": "name:subdomain namespace:label",
    "IngressRule": "host:host",
    "IngressTLS": "hosts:host",
    "LocalObjectReference": "name:subdomain",
    "NetworkPolicyPort": "endPort:1..65535",
    "NFSVolumeSource": "server:host",
    "NodeSelectorRequirement": "values:token",
    "ObjectReference": "name:subdomain namespace:label",
    "PersistentVolumeClaimSpec": "volumeName:subdomain storageClassName:token",
    "PersistentVolumeSpec": "storageClassName:token",
    "PersistentVolumeClaimVolumeSource": "claimName:subdomain",
    "PodDNSConfig": "searches:token",
    "PodSpec": "schedulerName:subdomain",
    "ReplicationControllerSpec": "selector:label-value",
    "RoleRef": "kind:Role|ClusterRole name:name",
    "SecretProjection": "name:subdomain",
    "SecretReference": "name:subdomain namespace:label",
    "SecretVolumeSource": "secretName:subdomain",
    "ServicePort": "nodePort:0..65535 targetPort:target-port",
    "ServiceSpec": "clusterIP:host externalName:host healthCheckNodePort:0..65535 loadBalancerIP:host",
    "Subject": "name:name namespace:label",
    "TCPSocketAction": "host:host",
    "TopologySpreadConstraint": "topologyKey:label-key",
    "TypedLocalObjectReference": "name:subdomain",
    "TypedObjectReference": "name:subdomain namespace:label",
}
# What an objection of the API server says, and the grammar that it speaks of.
OBJECTIONS = {
    r"RFC 1123 subdomain": "subdomain",
    r"RFC 1123 label|RFC 1035 label": "label",
    r"a valid label must be": "label-value",
    r"name part must consist": "label-key",
    r"alpha-numeric characters \(a-z, 0-9\), and hyphens": "port-name",
    r"valid environment variable name": "env-name",
    r"a valid config key must consist": "data-key",
    r"illegal base64": "base64",
    r"valid IP address": "host",
}
# What an objection to a number says, and its range. One that is too large is told of the end alone.
RANGES = {
    r"between (\d+) and (\d+)|in the range (\d+)-(\d+)": r"\1\3..\2\4",
    r"greater than or equal to (?:0|zero)": "0..",
    r"greater than or equal to 1|greater than (?:0|zero)": "1..",
    r"less than or equal to (\d+)": r"..\1",
}
# Each is a number that fields with a range refuse, but for 0.
NUMBERS = (-1, 0, 2**31 - 1)
# Each is refused by fields for numbers and percentages: the second by those that stand for a share of what there is.
SHARES = ("a", "101%")

# Each is a form of a text with a reference. A field that takes one of them can hold a reference.
TEXTS = ("a$(B)", "$(B)", "/a$(B)", "a.b/c$(B)", "https://a.b/$(B)")


class Field(NamedTuple):
    """A field with a text, and the way to it from a kind: each step is a key, and what stands around its value."""

    group: str
    version: str
    kind: str
    way: tuple[tuple[str, str], ...]

    def holding(self, text: str | int) -> str:
        """Return an object whose one field is this, as JSON."""
        value: object = text
        for key, around in reversed(self.way):
            for one in reversed(around):
                value = [value] if one == "[" else {"k": value}
            value = {key: value}
        assert isinstance(value, dict)
        head = {"apiVersion": f"{self.group}/{self.version}".lstrip("/"), "kind": self.kind}
        return json.dumps({**head, "metadata": {"name": "a"}, **value})


class Table:
    """The types that are reached from KINDS, and their fields."""

    def __init__(self, definitions: dict[str, Schema]) -> None:
        self.types: dict[str, dict[str, str]] = {}
        self.texts: dict[tuple[str, str], Field] = {}
        self.numbers: dict[tuple[str, str], Field] = {}
        self._definitions = definitions
        self._queue = deque(self._kinds())
        while self._queue:
            name, field = self._queue.popleft()
            if short(name) not in self.types:
                self._read(name, field)

    def _kinds(self) -> list[tuple[str, Field]]:
        """Return the newest version of each kind. Pods come first: their fields are reached from them."""
        newest: dict[tuple[str, str], tuple[str, str]] = {}
        for name, schema in self._definitions.items():
            for one in schema.get("x-kubernetes-group-version-kind", ()):
                group, kind, version = one["group"], one["kind"], one["version"]
                if kind in KINDS.get(group, "").split() and re.fullmatch(r"v\d+", version):
                    newest[group, kind] = max(newest.get((group, kind), ("", "")), (version, name))
        found = [(name, Field(group, version, kind, ())) for (group, kind), (version, name) in newest.items()]
        return sorted(found, key=lambda one: (one[1].kind != "Pod", one[0]))

    def _read(self, name: str, field: Field) -> None:
        fields = self.types[short(name)] = {}
        for key, schema in sorted(self._definitions[name].get("properties", {}).items()):
            if key in {"status", "managedFields"} or (not field.way and key in {"apiVersion", "kind"}):
                continue
            around, kind = shape(schema)
            there = field._replace(way=(*field.way, (key, around)))
            if kind in self._definitions and kind not in SCALARS:
                fields[key] = around.translate(SIGNS) + short(kind)
                self._queue.append((kind, there))
                continue
            fields[key] = around.translate(SIGNS) + SCALARS.get(kind, TYPES.get(kind, ""))
            if kind in {"string", "string/byte"}:
                self.texts[short(name), key] = there
            elif fields[key].endswith(("integer", "int-or-string")):
                self.numbers[short(name), key] = there

    def ask(self, oracle: str) -> None:
        """Let the API server say which grammars the texts have."""
        of_texts = answers(oracle, (field.holding(text) for field in self.texts.values() for text in TEXTS))
        for name, key in self.texts:
            says = [objection(next(of_texts), text) for text in TEXTS]
            self.types[name][key] += grammar(says[0]) if all(says) else ""
        asked = (*NUMBERS, *SHARES)
        of_numbers = answers(oracle, (field.holding(one) for field in self.numbers.values() for one in asked))
        for name, key in self.numbers:
            self.types[name][key] = numbers(
                self.types[name][key], [refusal(next(of_numbers), key, one) for one in asked]
            )
        for name, fields in NAMED.items():
            for key, word in (one.split(":") for one in fields.split()):
                signs = re.match("[*-]*", self.types[name][key])
                self.types[name][key] = f"{signs and signs[0]}{word}"


def read(kubernetes: str) -> Table:
    """Return the table of a release of Kubernetes, by the directory of its Go module."""
    schema = Path(kubernetes, "api", "openapi-spec", "swagger.json")
    return Table(json.loads(schema.read_text(encoding="utf-8"))["definitions"])


def short(name: str) -> str:
    """Return the name of a type without its package."""
    return name.rpartition(".")[2]


def shape(schema: Schema) -> tuple[str, str]:
    """Return the lists and maps around a value, `[` and `{`, and its type."""
    if schema.get("type") == "array":
        around, kind = shape(schema["items"])
        return f"[{around}", kind
    if isinstance(schema.get("additionalProperties"), dict):
        around, kind = shape(schema["additionalProperties"])
        return "{" + around, kind
    if "$ref" in schema:
        return "", schema["$ref"].removeprefix("#/definitions/")
    kind = schema.get("type", "")
    return "", f"{kind}/byte" if schema.get("format") == "byte" else kind


def objection(found: list[dict[str, str]], text: str) -> str:
    """Return the objection to a text, empty where there is none. The path of what cannot be decoded is empty."""
    return next((one["says"] for one in found if not one["field"] or text in one["says"]), "")


def answers(oracle: str, asked: Iterable[str]) -> Iterator[list[dict[str, str]]]:
    """Return what the API server objects to each object."""
    ran = subprocess.run([oracle], input="\n".join((*asked, "")), capture_output=True, text=True, check=True)
    return iter([json.loads(line) for line in ran.stdout.splitlines()])


def refusal(found: list[dict[str, str]], key: str, value: str | int) -> str:
    """Return the objection to a value of a field, empty where there is none."""
    # A number that is 0 is not there.
    starts = f"Invalid value: {json.dumps(value)}: ", "Required value"
    named = (one["says"] for one in found if re.search(rf"\b{key}(\[\d+\])?$", one["field"]))
    return next((says for says in named if says.startswith(starts)), "")


def numbers(held: str, says: list[str]) -> str:
    """Return what a field with numbers holds: a range, or the name of a grammar."""
    below, of_zero, above, of_word, of_share = says
    if held == "int-or-string":
        return ("share" if of_share else "percentage") if of_word else "port-or-name"
    low, _, high = spread(below).partition("..")
    high = high or spread(above).partition("..")[2]
    if not low:
        return held
    # Where 0 is not refused it says that there is none.
    low = low if of_zero else "0"
    octal = "octal" in below
    return f"{held.removesuffix('integer')}{low}..{int(high, 8) if octal else high}"


def spread(says: str) -> str:
    """Return the range that an objection speaks of, empty if it speaks of none."""
    found = ((re.search(pattern, says), form) for pattern, form in RANGES.items())
    return next((match.expand(form) for match, form in found if match), "")


def grammar(says: str) -> str:
    """Return the grammar that an objection speaks of: the words that a field may hold, or the name of a grammar."""
    if "supported values: " in says:
        words = re.findall(r'"([\w./-]+)"', says.partition("supported values: ")[2])
        return "|".join(words)
    return next((word for pattern, word in OBJECTIONS.items() if re.search(pattern, says)), "token")


HEAD = '''\
"""The fields of Kubernetes' own kinds, and what each may hold. Printed by scripts/fields.py.

TYPES   the fields of each type. Behind a colon stands what a field holds: a type, the name of a grammar, or the words
        that it may be, or the range of a whole number. A field with nothing there holds free text. `*` is a mapping of
        any keys to such values, and `-` a list of them. Types with the same fields share a row.
KINDS   the kinds of each group. Each is a type of that name.
"""

from __future__ import annotations

'''
_TYPES = """\
# A kind that has no row has its own Spec beside its metadata.
TYPES = {one: f"metadata:ObjectMeta spec:{one}Spec" for kinds in KINDS.values() for one in kinds.split()}
_rows = (row.split(" ", 1) for row in _TABLE.replace("\\n  ", " ").splitlines())
TYPES |= {name: fields for names, fields in _rows for name in names.split(",")}
"""


def printed(table: Table) -> str:
    """Return the module."""
    lines = [HEAD, '_TABLE = """\\\n']
    names: dict[str, list[str]] = {}
    for name, fields in sorted(table.types.items()):
        row = " ".join(f"{key}:{held}" if held else key for key, held in fields.items())
        if row != f"metadata:ObjectMeta spec:{name}Spec":
            names.setdefault(row, []).append(name)
    for row in (f"{','.join(alike)} {row}" for row, alike in names.items()):
        # A row that is too long for a line goes on in the next one, behind two blanks.
        lines += [f"{line}\n" for line in wrap(row, 120, subsequent_indent="  ", break_on_hyphens=False)]
    lines += ['"""\n', "KINDS = {\n"]
    for group, kinds in KINDS.items():
        lines += [f'    "{group}": (\n', *(f'        "{part}"\n' for part in parts(kinds)), "    ),\n"]
    return "".join([*lines, "}\n", _TYPES])


def parts(text: str) -> list[str]:
    """Return a text in parts that fit into lines."""
    found = wrap(text, 100)
    return [*(f"{part} " for part in found[:-1]), found[-1]]


if __name__ == "__main__":
    table = read(sys.argv[1])
    table.ask(sys.argv[2])
    sys.stdout.write(printed(table))
