"""Obedience: what a user does who follows the advice of a message, word by word, and what the API says then.

A package is data: no advice is about the form of a text. Advice that no row of `_MOVES` follows is a failure.
"""

from __future__ import annotations

import functools
import json
import re
from typing import TYPE_CHECKING, Any

import yaml
from jsonschema import Draft202012Validator
from kubernetes_validate import utils
from referencing import Registry, Resource

from expand_vars import pipeline
from expand_vars.functionconfig.parts import TARGET
from krm import fieldpath
from krm.results import INFO, location
from tests.expand_vars.expansion.running import config as as_config

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from expand_vars.functionconfig.config import Config
    from krm.results import Output, Result

    Object = dict[str, Any]
    Move = Callable[["Package", Result, re.Match[str]], None]

_SCHEMAS = "kubernetes-json-schema/v1.33.0-local-strict"
_EXPAND_VARS = {"apiVersion": "expandvars.dev/v1alpha1", "kind": "ExpandVars", "metadata": {"name": "vars"}}


class Package:
    """Items, the workload in front, and how the function is started: with arguments, and with a functionConfig or none.

    `head` says what the workload is meant to be.
    """

    def __init__(self, rng: Random, items: list[Object], config: Object | None, arguments: dict[str, str]) -> None:
        self.rng = rng
        self.items = items
        self.head: Object = {key: items[0][key] for key in ("apiVersion", "kind")}
        self.config = config
        self.arguments = arguments
        self.presets: list[str] = []

    def run(self) -> Output:
        """Run the function."""
        text = yaml.dump_all(self.items, Dumper=yaml.CSafeDumper)
        config = None if self.config is None else as_config(yaml.dump(self.config, Dumper=yaml.CSafeDumper))
        return pipeline.run(text, config, self.arguments.items(), self._settle)

    def _settle(self, config: Config) -> Config:
        config.targets += tuple(TARGET.read({"preset": preset}, (), []) for preset in self.presets)
        return config

    def declare(self, name: str, value: str) -> None:
        """Declare a variable where the others are."""
        if self.config is None:
            self.arguments[name] = value
        elif self.config["kind"] == "ConfigMap":
            self.config["data"][name] = value
        else:
            self.spec.setdefault("variables", []).append({"name": name, "value": value.replace("$", "$$")})

    @property
    def spec(self) -> Object:
        """The spec of the functionConfig, which becomes an ExpandVars if it is none."""
        if self.config is None or self.config["kind"] == "ConfigMap":
            data = {} if self.config is None else self.config["data"]
            self.config = {**_EXPAND_VARS, "spec": {}}
            for name, value in data.items():
                self.declare(name, value)
        spec: Object = self.config["spec"]
        return spec

    def at(self, place: tuple[Any, ...]) -> Any:
        """Return what stands at a place of the workload."""
        return functools.reduce(lambda node, key: node[key], place, self.items[0])

    def put(self, place: tuple[Any, ...], value: Any) -> None:
        """Write a value at a place of the workload."""
        self.at(place[:-1])[place[-1]] = value


def warnings(output: Output) -> list[Result]:
    """Return the results that ask for something."""
    return [result for result in output.results if result.severity != INFO]


def obey(package: Package, result: Result) -> None:
    """Do what a result asks for: any one of the ways that it names."""
    found = [(move, match) for pattern, move in _MOVES for match in [re.search(pattern, result.message)] if match]
    assert found, f"nobody knows how to obey this: {result}"
    move, match = package.rng.choice(found)
    move(package, result, match)


def faults(resource: Object) -> list[str]:
    """Return what the API says against a resource. Of a kind that it does not know it looks at the pod templates."""
    if "." in resource["apiVersion"]:
        pods = [{"apiVersion": "v1", "kind": "Pod", **member["template"]} for member in resource["spec"]["members"]]
        return [fault for pod in pods for fault in faults(pod)]
    known = _validator(resource["apiVersion"], resource["kind"])
    found = [f"{error.json_path}: {error.message}" for error in known.iter_errors(resource)]
    entries = [entry for container in _containers(resource) for entry in _entries(container.get("env", []))]
    return found + [f"{entry}" for entry in entries if entry.get("value") and entry.get("valueFrom")]


def _containers(node: Any) -> list[Object]:
    """Return all containers below a node that is valid so far."""
    if not isinstance(node, dict):
        return []
    own = [one for one in node.get("containers", ()) if isinstance(one, dict)]
    return [*own, *(found for one in node.values() for found in _containers(one))]


@functools.cache
def _validator(api_version: str, kind: str) -> Draft202012Validator:
    def schema(name: str) -> Resource[Any]:
        return Resource.from_contents(utils.schema_contents(f"{_SCHEMAS}/{name}.json", "1.33"))

    known: Registry[Any] = schema("_definitions") @ Registry()
    own = schema(f"{kind.lower()}-{api_version.replace('/', '-')}")
    return Draft202012Validator(own.contents, registry=own @ known)


def _rename(text: Any, old: str, new: str) -> Any:
    """Return a tree with another name in its references to one."""
    if isinstance(text, dict):
        return {key: _rename(value, old, new) for key, value in text.items()}
    if isinstance(text, list):
        return [_rename(one, old, new) for one in text]
    return text.replace(f"$({old})", f"$({new})") if isinstance(text, str) else text


def _name(result: Result, package: Package, place: tuple[Any, ...]) -> str:
    """Return the name in a message that the text at a place refers to."""
    text = str(package.at(place))
    return next(name for name in re.findall(r"`(?:\$\()?([A-Za-z0-9_]+)\)?`", result.message) if f"$({name})" in text)


def _places(package: Package, result: Result) -> list[tuple[Any, ...]]:
    """Return the places of all fields that a result names."""
    workload = as_config(yaml.dump(package.items[0], Dumper=yaml.CSafeDumper))
    return [
        place
        for path in [result.field or "", *(path for path, _ in result.further)]
        for place, _ in workload.find(fieldpath.parse(path))
    ]


def _edited(edit: Callable[[Package, str, str, re.Match[str]], str]) -> Move:
    """Return a move that edits the text of the field: `edit` gets it with the name in question."""

    def move(package: Package, result: Result, match: re.Match[str]) -> None:
        for place in _places(package, result):
            name, text = _name(result, package, place), package.at(place)
            package.put(place, edit(package, name, text, match))

    return move


def _quote(package: Package, result: Result, match: re.Match[str]) -> None:
    for place in _places(package, result):
        if match[1] in place and isinstance(package.at(path := place[: place.index(match[1]) + 2]), dict):
            ((key, value),) = package.at(path).items()
            package.put(path, f"{key}: {value}")


def _make_lists(package: Package, result: Result, match: re.Match[str]) -> None:
    for place in _places(package, result):
        if match[1] in place and not isinstance(package.at(path := place[: place.index(match[1]) + 1]), list):
            package.put(path, _as_list(match[1], package.at(path)))


def _as_list(key: str, there: Any) -> list[Any]:
    if isinstance(there, str):
        return [there]
    if key in ("args", "command"):
        return [f"{option}={value}" for option, value in there.items()]
    if key == "env":
        return [{"name": name, "value": value} for name, value in there.items()]
    return [{"name": name, **container} for name, container in there.items()]


def _write_value(package: Package, result: Result, match: re.Match[str]) -> None:
    for place in _places(package, result):
        if place[-1] == match[1]:
            entry = package.at(place[:-1])
            entry["value"] = entry.pop(match[1])


def _write_field(package: Package, result: Result, match: re.Match[str]) -> None:
    for place in _places(package, result):
        if match[1] in place:
            owner = package.at(place[: place.index(match[1])])
            owner[match[2]] = owner.pop(match[1], owner.get(match[2]))


def _write_entry(package: Package, result: Result, match: re.Match[str]) -> None:
    for place in _places(package, result):
        if place[-1] == match[1]:
            package.put(place[:-1], {"name": match[1], "value": package.at(place)})


def _make_entry(package: Package, result: Result, _: re.Match[str]) -> None:
    for place in _places(package, result):
        if place[-2] == "env" and isinstance(text := package.at(place), str):
            name, _equals, value = text.partition("=")
            package.put(place, {"name": name, "value": value})


def _quote_value(package: Package, result: Result, _: re.Match[str]) -> None:
    for place in _places(package, result):
        path = place[: place.index("value") + 1] if "value" in place else place
        if not isinstance(package.at(path), str):
            package.put(path, json.dumps(package.at(path)))


def _entries(env: list[Any]) -> list[Object]:
    """Return the entries of `env` that are mappings."""
    return [entry for entry in env if isinstance(entry, dict)]


def _move_above(package: Package, result: Result, match: re.Match[str]) -> None:
    env = package.at(location(result)[1][:-2])
    declared = next(entry for entry in reversed(_entries(env)) if entry.get("name") == match[1])
    env.remove(declared)
    env.insert(location(result)[1][-2], declared)


def _rename_entry(package: Package, result: Result, match: re.Match[str]) -> None:
    """Rename the entry: what it referred to is somebody else's, and declared."""
    package.at(location(result)[1][:-1])["name"] += "_OF_ITS_OWN"
    package.declare(match[1], "outer")


def _remove_one(package: Package, result: Result, _: re.Match[str]) -> None:
    del package.at(location(result)[1][:-1])[package.rng.choice(["value", "valueFrom"])]


def _with_target(package: Package, _: Result, match: re.Match[str]) -> None:
    package.presets += match[1].removeprefix("--target ").split(" --target ")


def _annotate(package: Package, _: Result, match: re.Match[str]) -> None:
    assert package.config is not None
    # What kpt makes of arguments and of `configMap` has no place for annotations.
    assert package.config["metadata"]["name"] != "function-input"
    annotations = package.config["metadata"].setdefault("annotations", {})
    annotations[match[1]] = ",".join(filter(None, (annotations.get(match[1]), match[2])))


def _add_to_config(package: Package, _: Result, match: re.Match[str]) -> None:
    for key, entries in yaml.safe_load(match[1]).items():
        assert key in ("targets", "podTemplates")
        package.spec.setdefault(key, []).extend(entries)


def _from_config(package: Package, result: Result) -> tuple[Any, Any]:
    """Return the collection around the field of the functionConfig that a result names, and its key there."""
    path = fieldpath.parse(result.field or "")
    return functools.reduce(lambda node, key: node[key], path[:-1], package.config), path[-1]


def _remove_from_config(package: Package, result: Result, _: re.Match[str]) -> None:
    above, key = _from_config(package, result)
    del above[key]


def _mend_target(package: Package, result: Result, _: re.Match[str]) -> None:
    """Let a target lead to a field that each item has. One that is removed would leave its place, and so its name."""
    above, key = _from_config(package, result)
    above[key] = {"fieldPaths": ["metadata.name"]}


def _start_shell(package: Package, result: Result, match: re.Match[str]) -> None:
    words = package.at(location(result)[1][:-1])
    text = " ".join(words).replace(f"$({match[1][1:]})", match[1])
    package.put(location(result)[1][:-1], ["sh", "-c", text])


def _give_value(package: Package, result: Result, match: re.Match[str]) -> None:
    container = package.at(location(result)[1][: location(result)[1].index("containers") + 2])
    entries = [entry for entry in _entries(container["env"]) if entry.get("name") == match[1]]
    if entries:
        entries[-1]["value"] = "full"
    else:
        package.declare(match[1], "full")


def _add_key(package: Package, _: Result, match: re.Match[str]) -> None:
    (config_map,) = (one for one in package.items if one["kind"] == "ConfigMap" and one["metadata"]["name"] == match[1])
    config_map["data"][match[2]] = "there now"


def _say_optional(package: Package, result: Result, match: re.Match[str]) -> None:
    container = package.at(location(result)[1][: location(result)[1].index("containers") + 2])
    for entry in _entries(container["env"]):
        reference = entry.get("valueFrom", {}).get("configMapKeyRef", {})
        if (reference.get("name"), reference.get("key")) == (match[1], match[2]):
            reference["optional"] = True


def _mean_key(package: Package, result: Result, match: re.Match[str]) -> None:
    container = package.at(location(result)[1][: location(result)[1].index("containers") + 2])
    for entry in _entries(container["env"]):
        reference = entry.get("valueFrom", {}).get("configMapKeyRef", {})
        if reference.get("key") == match[1]:
            reference["key"] = match[2]


def _rename_variable(package: Package, _: Result, match: re.Match[str]) -> None:
    old, new = match[1], match[2]
    if old in package.arguments:
        package.arguments[new] = package.arguments.pop(old)
    elif package.config is not None and package.config["kind"] == "ConfigMap":
        package.config["data"][new] = package.config["data"].pop(old)
    else:
        next(one for one in package.spec["variables"] if one["name"] == old)["name"] = new


def _leave_out(package: Package, _: Result, match: re.Match[str]) -> None:
    if package.arguments.pop(match[1], None) is None:
        assert package.config is not None
        del package.config["data"][match[1]]


def _as_reference(package: Package, _: Result, match: re.Match[str]) -> None:
    def mended(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: mended(value) for key, value in node.items()}
        if isinstance(node, list):
            return [*map(mended, node)]
        return node.replace(match[1], match[2]) if isinstance(node, str) else node

    package.items = mended(package.items)


def _rename_service(package: Package, _: Result, match: re.Match[str]) -> None:
    services = [one for one in package.items if one["kind"] == "Service" and one["metadata"]["name"] == match[1]]
    services[0]["metadata"]["name"] = "another"


def _with_head(package: Package, _: Result, match: re.Match[str]) -> None:
    package.items[0][match[1]] = package.head[match[1]]


_MOVES: list[tuple[str, Move]] = [
    (r"`(args|command)\[\d+\]` is a mapping, and must be a text: put the whole of it in quotes", _quote),
    (r"`(\w+)` is a (?:text|mapping), and must be a list, such as", _make_lists),
    (r"`(\w+)` is no field here: write `\{name: \w+, value: \.\.\.\}`", _write_entry),
    (r"`(\w+)` is no field here: did you mean `(\w+)`\?", _write_field),
    (r"`(env)\[\d+\]` is a text, and must be a mapping", _make_entry),
    (r"`value` is a mapping, and must be a text: put the whole of it in quotes", _quote_value),
    (r"the API refuses: put the whole value in quotes", _quote_value),
    (r"this has no `(kind|apiVersion)`, which says what the kubelet expands: add it", _with_head),
    (r"is of the group `\w+`, and not of this `(apiVersion)`: mend it", _with_head),
    (r"no `?(kind)`? `\w+` of this `apiVersion` has containers: did you mean `\w+`\?", _with_head),
    (r"move `(\w+)` above$", _move_above),
    (r"^`\$\((\w+)\)` refers to itself, .*: rename one of the two", _rename_entry),
    (r"remove one of the two$", _remove_one),
    (r'which the API refuses: write `value: "(.*)"`$', lambda p, r, m: p.put(location(r)[1], m[1])),
    (r"give `((?:--target \w+ ?)+)`", _with_target),
    (r"annotate the functionConfig with `(expandvars.dev/targets): ([\w,]+)`", _annotate),
    (r"(?:`ExpandVars` with|add) `((?:targets|podTemplates): \[.*?\])`(?:[;,]| to the|$)", _add_to_config),
    (r"no effect: mend its path or its selector$", _mend_target),
    (r"no effect: mend it, or remove it$", _remove_from_config),
    (r"or remove the entry$", _remove_from_config),
    (r"^nothing .*did you mean `(\w+)`\?$", _edited(lambda _, name, text, m: _rename(text, name, m[1]))),
    (r"^no variable .*did you mean `(\w+)`\?$", _edited(lambda _, name, text, m: _rename(text, name, m[1]))),
    (r": declare it, or write", lambda p, r, _: p.declare(_name(r, p, location(r)[1]), "declared")),
    (r"or an argument declares it$", lambda p, r, _: p.declare(_name(r, p, location(r)[1]), "declared")),
    (r"or write `\$(\$\(\w+\))` if it is text", _edited(lambda _, __, text, m: text.replace(m[1], f"${m[1]}"))),
    (r"a shell \(`sh -c`\) would read it as `(\$\w+)`$", _start_shell),
    (r"; write the value itself$", _edited(lambda _, name, text, __: text.replace(f"$({name})", "value"))),
    (r"or write the value$", _edited(lambda _, name, text, __: text.replace(f"$({name})", "value"))),
    (r"^Services? .*`([\w-]+)` both define it.*: rename one", _rename_service),
    (r": write its name, `([\w-]+)`, which", _edited(lambda _, name, text, m: text.replace(f"$({name})", m[1]))),
    (r"(?:^`|to which variable `\w+` refers, )?`?(\w+)`,? (?:to which|is empty).*: give it a value$", _give_value),
    (r"ConfigMap `(\w+)` has no key `(\w+)`.*: add it", _add_key),
    (r"ConfigMap `(\w+)` has no key `(\w+)`.*or say `optional: true`", _say_optional),
    (r"has no key `(\w+)`, without .*: did you mean `(\w+)`\?", _mean_key),
    (r"^`(\w+)` is (?:given|declared), .*did you mean `(\w+)`\?", _rename_variable),
    (r"^`(\w+)` is given, .*: (?:mend the name, or leave it|write that, or leave the argument) out", _leave_out),
    (r"`(\$\{\w+\})` is no reference: write `(\$\(\w+\))`", _as_reference),
]  # fmt: skip
"""The forms of advice, each with what a user does who follows it."""
