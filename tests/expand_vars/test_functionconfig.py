"""What a functionConfig says, and every mistake in one."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from expand_vars.functionconfig import model
from expand_vars.functionconfig.config import Config, schema_text
from expand_vars.functionconfig.decoding import decode, refuse_secrets_for_nobody, with_arguments
from krm import declarations, fieldpath
from krm.generation.settings import KEEP, PRUNE, PRUNE_ALL
from krm.merge.policy import MergeOptions
from krm.resource import Resource
from krm.results import FnError
from krm.selector import Selector

if TYPE_CHECKING:
    from collections.abc import Iterator

SCHEMA = json.loads(schema_text())
SPEC = SCHEMA["properties"]["spec"]["properties"]

EVERYTHING = """\
variables:
- {name: REGION, value: eu-west-1}
- {name: URL, value: "http://$(REGION):$$(PORT)"}
- {name: REPLICAS, value: 3}
- {name: DEBUG, value: true}
- name: PORT
  valueFrom:
    objectFieldRef: {group: "", version: v1, kind: Service, name: api, namespace: shop, fieldPath: "spec.ports[0].port"}
- name: HOST
  valueFrom: {objectFieldRef: {kind: Ingress, name: api, fieldPath: "spec.rules[*].host", optional: true}}
- name: TIER
  valueFrom: {configMapKeyRef: {name: settings, namespace: shop, key: tier, optional: true}}
- name: ZONE
  valueFrom: {configMapKeyRef: {name: settings, key: zone}}
- name: PASSWORD
  valueFrom: {secretKeyRef: {name: db, namespace: shop, key: password, optional: true}}
- name: USER
  valueFrom: {secretKeyRef: {name: db, key: user}}
variablesFrom:
- configMapRef: {name: settings}
- configMapRef: {name: more, namespace: shop, optional: true}
  prefix: APP_
- secretRef: {name: tokens}
kustomizeVars:
- name: NAME
  objref: {apiVersion: apps/v1, kind: Deployment, name: web}
- name: DATA
  objref: {apiVersion: v1, group: "", kind: ConfigMap, name: settings, namespace: shop}
  fieldref: {fieldpath: data.tier}
- name: OTHER
  objref: {group: apps, version: v1, kind: Deployment, name: web}
  fieldref: {fieldPath: spec.replicas}
lookup: [Variables, Container]
inline: [Variables, Secrets]
podTemplates:
- {group: example.com, kind: Fleet, fieldPath: "spec['pod.template']"}
- {group: "", kind: Stack, fieldPath: template}
- {group: "", kind: Stack, container: driver}
selectors: {kind: Deployment}
exclude:
- {name: web}
- {namespace: shop, labelSelector: app=web}
targets:
- preset: All
- select: {kind: Ingress}
  reject: [{name: old}, {annotationSelector: keep}]
  fieldPaths: ["spec.rules[*].host", "metadata.labels['a.b/c']"]
  required: true
unresolved: Error
escapes: Unescape
record: Never
merge:
  onConflict: KeepLocal
  fields:
  - {select: {kind: Deployment}, fieldPath: spec.replicas, onConflict: Error}
  - {fieldPath: "metadata.labels['a.b/c']", enforce: true}
  mergeKeys:
  - {group: example.com, kind: Widget, fieldPath: "spec.groups[*].parts", keys: [id, side]}
  - {kind: Gadget, fieldPath: spec.parts, keys: [id]}
  inferListKeys: false
  duplicates: Later
prune: All
"""

TEXTS_OF_VALUES = {
    "text": "text",
    "8080": "8080",
    "-1": "-1",
    "0": "0",
    "true": "true",
    "false": "false",
    '"1.10"': "1.10",
    "'yes'": "yes",
    '""': "",
    "!!str 1.10": "1.10",
    "1.2.3": "1.2.3",
    "10.0.0.1": "10.0.0.1",
    "|\n    two\n    lines\n": "two\nlines\n",
}

RETYPED = [
    "1.10", "1.0", "0777", "1e3", "0x1F", "0o7", "+5", "-0", "1_000", "12:30:00", "2024-01-01", ".inf", "on", "yes",
    "n", "True", "FALSE", "!custom x",
]  # fmt: skip

INLINE = "`Literals`, `Variables`, `Services`, `ConfigMaps`, `Downward`, `Resources` or `Secrets`"
SECRETS = """\
variables: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}, {name: B, value: b}]
variablesFrom: [{configMapRef: {name: a}}, {secretRef: {name: a, optional: true}}]"""
PLACES_OF_SECRETS = "spec.variables[name=A].valueFrom.secretKeyRef", "spec.variablesFrom[1].secretRef"
FOR_NOBODY = (
    "what a Secret holds may be written nowhere: "
    "add `Secrets` to `inline`, or a target or a template that writes the `stringData` of a Secret"
)

NO_ORDER = (
    "`Services` cannot stand before `Container`: the kubelet lets what a container declares itself win over what it "
    "makes of Services"
)
A_DASH = "found a mapping, but only a list is allowed here: write each entry behind a dash"
MISTAKES: dict[str, dict[str, str]] = {
    "variables: {A: x}": {"spec.variables": f"{A_DASH}, `- name: A`"},
    "variables: {name: A}": {"spec.variables": f"{A_DASH}, `- name: ...`"},
    "inline: {Secrets: true}": {"spec.inline": f"{A_DASH}, `- Secrets`"},
    "templates: {kind: Job}": {"spec.templates": f"{A_DASH}, `- kind: ...`"},
    "variables: [x]": {"spec.variables[0]": "found `x`, but only a mapping is allowed here"},
    "variables:": {"spec.variables": "found `null`, but only a list is allowed here"},
    "variables: [{name: A, value: ~}]": {
        "spec.variables[name=A].value":
            'found `null`, but only a string, an integer, true or false is allowed here: write `""` for an empty text',
    },
    "variables: [{name: A, value: {password: hidden}}]": {
        "spec.variables[name=A].value":
            "found a mapping, but only a string, an integer, true or false is allowed here",
    },
    "variables: [{name: A, value: x, valueFrom: {configMapKeyRef: {name: a, key: b}}}]": {
        "spec.variables[name=A]": "exactly one of `value` and `valueFrom` is needed, found `value` and `valueFrom`",
    },
    "variables: [{name: A}, {value: x}]": {
        "spec.variables[name=A]": "exactly one of `value` and `valueFrom` is needed, found none",
        "spec.variables[1]": "`name` is missing",
    },
    "variables: [{name: A, value: x}, {name: B, value: x}, {name: A, value: z}]": {
        "spec.variables[2].name": "the name `A` is here again, first in `spec.variables[0]`",
    },
    "kustomizeVars: [&a {name: A, objref: {kind: Pod, name: a}}, *a]": {
        "spec.kustomizeVars[1].name": "the name `A` is here again, first in `spec.kustomizeVars[0]`",
    },
    "variables: [{name: a)b, value: x}, {name: a=b, value: x}, {name: '', value: x}, {name: 8, value: x}]": {
        "spec.variables[name='a)b'].name":
            "`a)b` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`",
        "spec.variables[name='a=b'].name":
            "`a=b` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`",
        "spec.variables[name=''].name":
            "a variable without a name, to which nothing can refer: write `NAME=VALUE`, or add its name",
        "spec.variables[name=8].name": "found `8`, but only a string is allowed here: write it in quotes",
    },
    "variablesFrom: [{configMapRef: {name: a}, prefix: A)}, {configMapRef: {name: a}, prefix: ''}]": {
        "spec.variablesFrom[0].prefix":
            "`A)` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`",
    },
    "variables: [{name: A, valueFrom: {secretRef: {name: a, key: b}}}, {name: B, valueFrom: {fieldRef: {}}}]": {
        "spec.variables[name=A].valueFrom.secretRef": "unknown key `secretRef`; did you mean `secretKeyRef`?",
        "spec.variables[name=B].valueFrom.fieldRef": "unknown key `fieldRef`; did you mean `objectFieldRef`?",
    },
    "variables: [{name: A, valueFrom: {secretKeyRef: {nam: a, namespace: 1, optional: x}, configMapKeyRef: {}}}]": {
        "spec.variables[name=A].valueFrom":
            "exactly one of `objectFieldRef`, `configMapKeyRef` and `secretKeyRef` is needed, "
            "found `configMapKeyRef` and `secretKeyRef`",
        "spec.variables[name=A].valueFrom.configMapKeyRef": "`name` is missing; `key` is missing",
        "spec.variables[name=A].valueFrom.secretKeyRef": "`name` is missing; `key` is missing",
        "spec.variables[name=A].valueFrom.secretKeyRef.nam": "unknown key `nam`; did you mean `name`?",
        "spec.variables[name=A].valueFrom.secretKeyRef.namespace":
            "found `1`, but only a string is allowed here: write it in quotes",
        "spec.variables[name=A].valueFrom.secretKeyRef.optional": "found `x`, but only true or false is allowed here",
    },
    "variables: [{name: A, valueFrom: {objectFieldRef: {fieldPath: a..b, optional: yes}}}]": {
        "spec.variables[name=A].valueFrom.objectFieldRef": "`kind` is missing; `name` is missing",
        "spec.variables[name=A].valueFrom.objectFieldRef.fieldPath":
            "`a..b` is no field path from character 2 on: one looks like `spec.rules[*].host`, `args[0]`, "
            "`containers[name=web].image` or `annotations['a.b/c']`",
        "spec.variables[name=A].valueFrom.objectFieldRef.optional":
            "found `yes`, but only true or false is allowed here",
    },
    "variablesFrom: [{configMapRef: {name: [a]}}, {prefix: A_}]": {
        "spec.variablesFrom[0].configMapRef.name": "found a list, but only a string is allowed here",
        "spec.variablesFrom[1]": "exactly one of `configMapRef` and `secretRef` is needed, found none",
    },
    "variablesFrom: [{configMapRef: {name: a}, secretRef: {key: a}}]": {
        "spec.variablesFrom[0]":
            "exactly one of `configMapRef` and `secretRef` is needed, found `configMapRef` and `secretRef`",
        "spec.variablesFrom[0].secretRef": "`name` is missing",
        "spec.variablesFrom[0].secretRef.key":
            "unknown key `key`: the keys here are `name`, `namespace` and `optional`",
    },
    "podTemplates: [{group: a.io, kid: App}, {group: 1, kind: [], fieldPath: 'spec.templates[0]'}, App]": {
        "spec.podTemplates[0]":
            "`kind` is missing; exactly one of `fieldPath` and `container` is needed, found none",
        "spec.podTemplates[0].kid": "unknown key `kid`; did you mean `kind`?",
        "spec.podTemplates[1].group": "found `1`, but only a string is allowed here: write it in quotes",
        "spec.podTemplates[1].kind": "found a list, but only a string is allowed here",
        "spec.podTemplates[1].fieldPath":
            "`spec.templates[0]` has more than keys and `[*]`: write a path such as "
            "`spec.jobs[*].template`",
        "spec.podTemplates[2]": "found `App`, but only a mapping is allowed here",
    },
    "podTemplates: [{group: '', kind: A, fieldPath: a}, {group: b, kind: A, fieldPath: a}, "
    "{group: '', kind: A, fieldPath: b}, {group: '', kind: A, fieldPath: a}]": {
        "spec.podTemplates[3]": "this is here again, first in element 0",
    },
    SECRETS: dict.fromkeys(PLACES_OF_SECRETS, FOR_NOBODY),
    f"{SECRETS}\ntargets: [{{preset: All, select: {{kind: Pod}}}}, {{fieldPaths: [data.a]}}]":
        dict.fromkeys(PLACES_OF_SECRETS, FOR_NOBODY),
    f"{SECRETS}\ntargets: [{{fieldPaths: [stringData.a], select: [{{kind: Pod, name: a}}, {{kind: Secrets}}]}}]":
        dict.fromkeys(PLACES_OF_SECRETS, FOR_NOBODY),
    "varables: []": {"spec.varables": "unknown key `varables`; did you mean `variables`?"},
    "nothing: []": {
        "spec.nothing":
            "unknown key `nothing`: the keys here are `variables`, `variablesFrom`, `kustomizeVars`, `lookup`, "
            "`inline`, `selectors`, `exclude`, `podTemplates`, `targets`, `runtimeNames`, `unresolved`, "
            "`strict`, `escapes`, "
            "`record`, `templates`, `merge` and `prune`",
    },
    "lookup: [Container, Service, Container]": {
        "spec.lookup[1]": "found `Service`, but only `Container`, `Variables` or `Services` is allowed here",
        "spec.lookup[2]": "this is here again, first in element 0",
    },
    "lookup: []": {"spec.lookup": "at least one element is needed"},
    "lookup: [Services, Variables, Container]": {"spec.lookup": NO_ORDER},
    "lookup: [Services, Container]": {"spec.lookup": NO_ORDER},
    "inline: Variables": {"spec.inline": "found `Variables`, but only a list is allowed here"},
    "inline: [Secret, {a: b}]": {
        "spec.inline[0]": f"found `Secret`, but only {INLINE} is allowed here",
        "spec.inline[1]": f"found a mapping, but only {INLINE} is allowed here",
    },
    "selectors: {kind: (, labelSelector: 'a=', nam: x}\nexclude: [1, {kind: Pod, version: 1}]": {
        "spec.selectors.kind":
            "`(` is no regular expression of RE2: missing ): (",
        "spec.selectors.nam": "unknown key `nam`; did you mean `name`?",
        "spec.exclude[0]": "found `1`, but only a mapping is allowed here",
        "spec.exclude[1].version": "found `1`, but only a string is allowed here: write it in quotes",
    },
    "selectors: {annotationSelector: 'a b'}": {
        "spec.selectors.annotationSelector":
            "`a b` is no label selector from character 1 on: one looks like "
            "`app=web,tier!=db,env in (test, prod),critical,!legacy`",
    },
    "targets: [{preset: Al}, {fieldPaths: []}, {select: {kind: Pod}}, {preset: All, fieldPaths: [a]}]": {
        "spec.targets[0].preset":
            "found `Al`, but only `All` is allowed here",
        "spec.targets[1].fieldPaths": "at least one element is needed",
        "spec.targets[2]": "exactly one of `preset` and `fieldPaths` is needed, found none",
        "spec.targets[3]": "exactly one of `preset` and `fieldPaths` is needed, found `preset` and `fieldPaths`",
    },
    "unresolved: Wran\nescapes: on": {
        "spec.unresolved": "found `Wran`, but only `Ignore`, `Warn` or `Error` is allowed here",
        "spec.escapes": "found `on`, but only `Keep` or `Unescape` is allowed here",
    },
    "merge: {strategy: apply, onConflict: Fail, duplicates: Earlier, inferListKeys: 1}": {
        "spec.merge.strategy": "found `apply`, but only `Merge3` or `Apply` is allowed here",
        "spec.merge.onConflict": "found `Fail`, but only `TakeUpdate`, `KeepLocal` or `Error` is allowed here",
        "spec.merge.inferListKeys": "found `1`, but only true or false is allowed here",
        "spec.merge.duplicates": "found `Earlier`, but only `Keep` or `Later` is allowed here",
    },
    "merge: {fields: [{}, {fieldPath: a, onConflict: Error, enforce: true}, {fieldPath: a..b, enforce: x}]}": {
        "spec.merge.fields[0]":
            "`fieldPath` is missing; exactly one of `onConflict` and `enforce` is needed, found none",
        "spec.merge.fields[1]": "exactly one of `onConflict` and `enforce` is needed, found `onConflict` and `enforce`",
        "spec.merge.fields[2].fieldPath":
            "`a..b` is no field path from character 2 on: one looks like `spec.rules[*].host`, `args[0]`, "
            "`containers[name=web].image` or `annotations['a.b/c']`",
        "spec.merge.fields[2].enforce": "found `x`, but only true or false is allowed here",
    },
    "merge: {mergeKeys: [{kind: Widget, fieldPath: spec.parts, keys: []}, {keys: [1]}]}": {
        "spec.merge.mergeKeys[0].keys": "at least one element is needed",
        "spec.merge.mergeKeys[1]": "`kind` is missing; `fieldPath` is missing",
        "spec.merge.mergeKeys[1].keys[0]": "found `1`, but only a string is allowed here: write it in quotes",
    },
    "merge:\n  strategy: Apply\n  onConflict: Error\n  inferListKeys: false\n  mergeKeys: []\n"
    "  fields: [{fieldPath: spec.replicas, enforce: true}]": {
        "spec.merge.onConflict": "`strategy: Apply` does what kubectl does, which has no `onConflict`: leave it out",
        "spec.merge.fields": "`strategy: Apply` does what kubectl does, which has no `fields`: leave it out",
        "spec.merge.inferListKeys":
            "`strategy: Apply` does what kubectl does, which has no `inferListKeys`: leave it out",
    },
    "templates: {}\nprune: yes": {
        "spec.templates": "found a mapping, but only a list is allowed here",
        "spec.prune": "found `yes`, but only `true`, `false` or `All` is allowed here",
    },
    "templates: [x, ~, {}]": {
        "spec.templates[0]": "found `x`, but only a mapping is allowed here",
        "spec.templates[1]": "found `null`, but only a mapping is allowed here",
    },
    "templates: [{}, {apiVersion: 1, kind: '', metadata: a}, {apiVersion: v1, kind: [], metadata: {name: 1.10}}]": {
        "spec.templates[0]": "; ".join(
            f"`{field}` is missing: a template is a whole resource" for field in ("apiVersion", "kind", "metadata.name")
        ),
        "spec.templates[1].apiVersion": "found `1`, but only a string is allowed here: write it in quotes",
        "spec.templates[1]": "`kind` is missing: a template is a whole resource",
        "spec.templates[1].metadata": "found `a`, but only a mapping is allowed here",
        "spec.templates[2].kind": "found a list, but only a string is allowed here",
        "spec.templates[2].metadata.name": "`1.10` is not the same text to every reader of YAML: write it in quotes",
    },
    "templates: [{apiVersion: v1, kind: A, metadata: {generateName: a-}}]": {
        "spec.templates[0]":
            "`metadata.name` is missing: a template is a whole resource, and with `generateName` no run would know it "
            "again",
    },
    "unresolved: an endless text of which nobody wants to read it all": {
        "spec.unresolved":
            "found `an endless text of which nobody wants to...`, but only `Ignore`, `Warn` or `Error` is allowed here",
    },
}  # fmt: skip

MISTAKES_OF_CONFIG_MAPS = {
    "dta: {A: x}": {"dta": "unknown key `dta`; did you mean `data`?"},
    "data: [A]": {"data": "found a list, but only a mapping is allowed here"},
    "data: {A: , B: [x], C: {secret: hidden}, a)b: x}": {
        "data.A": 'found `null`, but only a string is allowed here: write `""` for an empty text',
        "data.B": "found a list, but only a string is allowed here",
        "data.C": "found a mapping, but only a string is allowed here",
        "data['a)b']": "`a)b` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`",
    },
    """\
metadata:
  annotations:
    expandvars.dev/unresolved: Warn,Error
    expandvars.dev/escapes: keep
    expandvars.dev/inline: Literals, Services, Secret
    expandvars.dev/inlin: Literals
    expandvars.dev/record: never
    expandvars.dev/templates: no
    expandvars.dev/skip: "true"
    expandvars.dev/generated-by: ExpandVars/fn""": {
        "metadata.annotations['expandvars.dev/unresolved']":
            "found `Warn,Error`, but only `Ignore`, `Warn` or `Error` is allowed here",
        "metadata.annotations['expandvars.dev/escapes']":
            "found `keep`, but only `Keep` or `Unescape` is allowed here",
        "metadata.annotations['expandvars.dev/inline']":
            f"found `Secret`, but only {INLINE} is allowed here",
        "metadata.annotations['expandvars.dev/inlin']":
            "unknown key `inlin`; did you mean `inline`?",
        "metadata.annotations['expandvars.dev/record']":
            "found `never`, but only `Auto`, `Always` or `Never` is allowed here",
        "metadata.annotations['expandvars.dev/templates']":
            "unknown key `templates`: the keys here are `inline`, `targets`, `unresolved`, `strict`, "
            "`escapes` and `record`",
    },
}  # fmt: skip


def _resource(text: str) -> Resource:
    return Resource(text, (0, len(text)), "functionConfig")


def _expand_vars(spec: str) -> Resource:
    lines = "".join(f"  {line}\n" for line in spec.splitlines())
    return _resource(f"apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nspec:\n{lines}")


def _config_map(rest: str) -> Resource:
    return _resource(f"apiVersion: v1\nkind: ConfigMap\n{rest}\n")


def _mistakes(resource: Resource) -> dict[str, str]:
    """Return the message, or messages, of each field that decoding the resource complains of."""
    with pytest.raises(FnError) as caught:
        refuse_secrets_for_nobody(decode(resource))
    told: dict[str, list[str]] = {}
    for result in caught.value.results:
        assert (result.severity, result.reason) == ("error", "InvalidFunctionConfig")
        assert str(result.ref) == str(resource.ref)
        told.setdefault(result.field or "", []).append(result.message)
    return {field: "; ".join(messages) for field, messages in told.items()}


def _fields(value: Any, *unset: str) -> dict[str, Any]:
    """Return the fields of an object of ours but those in `unset`, which must say nothing."""
    assert not any(getattr(value, field) for field in unset)
    slots = [field for one in type(value).__mro__ for field in getattr(one, "__slots__", ())]
    fields = slots or [*dict.fromkeys((*type(value).__annotations__, *vars(value)))]
    return {field: getattr(value, field) for field in fields if field not in unset}


def _merge(config: Config) -> MergeOptions:
    return config.merge or MergeOptions()


def _whole(config: Config) -> dict[str, Any]:
    """Return the fields of a Config without templates."""
    pod_specs = config.pod_templates
    of_pods = {"pod_templates": [pod_specs.pod_templates, pod_specs.containers]}
    return {**_fields(config, "templates"), "merge": _fields(_merge(config)), **of_pods}


def test_a_spec_that_is_a_level_too_deep_is_told() -> None:
    given = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: a\n  spec: {variables: []}\n"
    assert _mistakes(_resource(given)) == {"metadata.spec": "`spec` is no field here: move it out of `metadata`"}


def test_everything_in_a_functionconfig_is_decoded() -> None:
    config = decode(_expand_vars(EVERYTHING))
    assert str(config.ref) == "expandvars.dev/v1alpha1/ExpandVars"
    assert (config.lookup, config.inline) == (("Variables", "Container"), frozenset({"Variables", "Secrets"}))
    assert (config.unresolved, config.escapes, config.record) == ("Error", "Unescape", "Never")
    assert [variable.name for variable in config.kustomize_vars] == ["NAME", "DATA", "OTHER"]


def test_values_are_texts_in_which_references_are_live() -> None:
    written = [one for one in decode(_expand_vars(EVERYTHING)).variables if one.text]
    texts = {"REGION": "eu-west-1", "URL": "http://$(REGION):$$(PORT)", "REPLICAS": "3", "DEBUG": "true"}
    assert [_fields(one, "source") for one in written] == [
        {"name": name, "text": text, "literal": False, "path": f"spec.variables[name={name}]"}
        for name, text in texts.items()
    ]


WHOLE = {"field_path": (), "group": "", "key": "", "regex": None, "version": None}
ONE = {"key": "", "prefix": "", "path": ""}
KEY = WHOLE | ONE


def test_sources_are_literal() -> None:
    sources = {one.name: one for one in decode(_expand_vars(EVERYTHING)).variables if one.source}
    assert all(one.literal and one.text is None for one in sources.values())
    assert {name: _fields(one.source) for name, one in sources.items()} == {
        "PORT": {
            "group": "", "version": "v1", "kind": "Service", "name": "api", "namespace": "shop",
            "field_path": ("spec", "ports", 0, "port"), "optional": False, "regex": None, **ONE,
        },
        "HOST": {
            "group": None, "version": None, "kind": "Ingress", "name": "api", "namespace": None,
            "field_path": ("spec", "rules", fieldpath.WILDCARD, "host"), "optional": True, "regex": None, **ONE,
        },
        "TIER": {**KEY, "kind": "ConfigMap", "name": "settings", "namespace": "shop", "key": "tier", "optional": True},
        "ZONE": {**KEY, "kind": "ConfigMap", "name": "settings", "namespace": None, "key": "zone", "optional": False},
        "PASSWORD": {**KEY, "kind": "Secret", "name": "db", "namespace": "shop", "key": "password", "optional": True},
        "USER": {**KEY, "kind": "Secret", "name": "db", "namespace": None, "key": "user", "optional": False},
    }  # fmt: skip


def test_variables_from_have_their_prefix() -> None:
    first, second, third = decode(_expand_vars(EVERYTHING)).variables_from
    assert _fields(first, "namespace", "prefix", "optional") == {
        **WHOLE, "kind": "ConfigMap", "name": "settings", "path": "spec.variablesFrom[0]",
    }  # fmt: skip
    assert _fields(second) == {
        **WHOLE, "kind": "ConfigMap", "name": "more", "namespace": "shop", "optional": True, "prefix": "APP_",
        "path": "spec.variablesFrom[1]",
    }  # fmt: skip
    assert _fields(third, "namespace", "prefix", "optional") == {
        **WHOLE, "kind": "Secret", "name": "tokens", "path": "spec.variablesFrom[2]",
    }  # fmt: skip


def test_pod_templates_are_found_by_group_and_kind() -> None:
    found = decode(_expand_vars(EVERYTHING)).pod_templates
    assert found.pod_templates == {
        ("example.com", "Fleet"): [("spec", "pod.template")],
        ("", "Stack"): [("template",)],
    }
    assert found.containers == {("", "Stack"): [("driver",)]}


@pytest.mark.parametrize(
    "allowed",
    [
        "inline: [Secrets]",
        "targets: [{fieldPaths: [data.a, 'stringData[*]']}]",
        "targets: [{preset: All}]",
        "targets: [{fieldPaths: ['stringData.a'], select: [{kind: Pod}, {kind: Secret|Pod, name: a}]}]",
        "targets: [{fieldPaths: ['[*].a'], select: {namespace: a}}]",
        "templates: [{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {a: $(A)}}]",
    ],
)
def test_a_secret_may_be_read_where_something_may_hold_it(allowed: str) -> None:
    assert len(decode(_expand_vars(f"{SECRETS}\n{allowed}")).variables) == 2


def test_vars_of_a_kustomization_are_read_as_kustomize_reads_them() -> None:
    variables = decode(_expand_vars(EVERYTHING)).kustomize_vars
    assert [one.path for one in variables] == [f"spec.kustomizeVars[name={one.name}]" for one in variables]
    assert all(one.literal and one.text is None for one in variables)
    web = {"group": "apps", "version": "v1", "kind": "Deployment", "name": "web", "namespace": None, "optional": False}
    web |= ONE
    data = {**web, "group": None, "kind": "ConfigMap", "name": "settings", "namespace": "shop"}
    assert [_fields(one.source) for one in variables] == [
        {**web, "regex": None, "field_path": ("metadata", "name")},
        {**data, "regex": None, "field_path": ("data", "tier")},
        {**web, "regex": None, "field_path": ("spec", "replicas")},
    ]


def test_one_selector_stands_for_a_list_of_one() -> None:
    config = decode(_expand_vars(EVERYTHING))
    images, hosts = config.targets
    counts = [len(one) for one in (config.selectors, config.exclude, hosts.select, hosts.reject)]
    assert counts == [1, 2, 1, 2]
    assert all(isinstance(one, Selector) for one in (*config.selectors, *config.exclude))
    assert _fields(images, "select", "reject", "field_paths", "required") == {
        "preset": "All", "path": "spec.targets[0]",
    }  # fmt: skip
    assert (hosts.preset, hosts.required, hosts.path) == (None, True, "spec.targets[1]")
    assert [fieldpath.to_text(path) for path in hosts.field_paths] == [
        "spec.rules[*].host", "metadata.labels['a.b/c']",
    ]  # fmt: skip


TEMPLATES = {
    """\
templates:
# Above.
- apiVersion: v1   # Behind.
  kind: ConfigMap

  # Between.
  metadata: {name: $(NAME)}
  data:
    number: 1.10
    nothing: ~
    $(KEY): |+
      two

        lines
    # Below.

- # In the line of the dash.
  kind: "Secret"
  apiVersion: v1
  metadata:
    name: b
""": [
        """\
# Above.
apiVersion: v1   # Behind.
kind: ConfigMap

# Between.
metadata: {name: $(NAME)}
data:
  number: 1.10
  nothing: ~
  $(KEY): |+
    two

      lines
  # Below.
""",
        '# In the line of the dash.\nkind: "Secret"\napiVersion: v1\nmetadata:\n  name: b\n',
    ],
}


@pytest.mark.parametrize("written", TEMPLATES)
def test_templates_are_documents_of_their_own(written: str) -> None:
    templates = decode(_expand_vars(written)).templates or ()
    assert [template.editor.alone(template.base) for template in templates] == TEMPLATES[written]
    assert [template.label for template in templates] == [f"spec.templates[{n}]" for n in range(len(templates))]


def test_no_templates_are_another_thing_than_templates_that_are_none() -> None:
    assert (decode(_expand_vars("templates: []")).templates, decode(_expand_vars("{}")).templates) == ((), None)


def test_how_to_merge() -> None:
    config = decode(_expand_vars(EVERYTHING))
    merge = _merge(config)
    replicas, label = merge.fields
    assert (merge.strategy, merge.on_conflict) == ("Merge3", "KeepLocal")
    assert (merge.infer_list_keys, merge.duplicates, config.prune) == (False, "Later", "All")
    assert (len(replicas.select), replicas.on_conflict, replicas.enforce) == (1, "Error", False)
    assert (len(label.select), label.on_conflict, label.enforce) == (0, None, True)
    assert [fieldpath.to_text(field.path) for field in merge.fields] == [
        "spec.replicas", "metadata.labels['a.b/c']",
    ]  # fmt: skip
    assert [_fields(keys) for keys in merge.merge_keys] == [
        {
            "group": "example.com", "kind": "Widget", "keys": ("id", "side"),
            "field_path": ("spec", "groups", fieldpath.WILDCARD, "parts"),
        },
        {"group": None, "kind": "Gadget", "keys": ("id",), "field_path": ("spec", "parts")},
    ]  # fmt: skip


def test_apply_takes_the_defaults_of_merge3() -> None:
    spec = "merge: {strategy: Apply, onConflict: TakeUpdate, fields: [], mergeKeys: [], inferListKeys: true}"
    assert _merge(decode(_expand_vars(spec))).strategy == "Apply"


def test_without_a_functionconfig_everything_has_its_default() -> None:
    assert _whole(decode(None)) == _whole(Config())


@pytest.mark.parametrize("resource", [_expand_vars("{}"), _config_map("")], ids=["ExpandVars", "ConfigMap"])
def test_an_empty_functionconfig_says_no_more_than_none(resource: Resource) -> None:
    config = decode(resource)
    assert str(config.ref) == str(resource.ref)
    assert _whole(config) == {**_whole(Config()), "resource": config.resource, "ref": config.ref}


@pytest.mark.parametrize("key", [key for key, entry in SPEC.items() if "default" in entry])
def test_a_default_that_is_written_out_means_what_an_absent_field_means(key: str) -> None:
    written = _whole(decode(_expand_vars(json.dumps({key: SPEC[key]["default"]}))))
    assert written == {
        **_whole(Config()),
        "resource": written["resource"],
        "ref": written["ref"],
        "stated": frozenset({key}),
    }


def test_the_words_of_prune_are_those_of_the_merge() -> None:
    assert [declarations.written(word) for word in SPEC["prune"]["enum"]] == [PRUNE, KEEP, PRUNE_ALL]


def test_each_vocabulary_is_its_literal() -> None:
    """The Literals that mypy reads, and the tuples that a run reads, hold the same words in the same order."""
    source = Path(model.__file__).read_text()
    names: dict[str, Any] = {"__name__": "model"}
    literals_alone = re.sub("^    from krm.*\n", "", source, flags=re.MULTILINE)
    exec(literals_alone.replace("CHECKING = False", "CHECKING = True"), names)  # noqa: S102 - our own module
    literals = {
        "LOOKUP": "LookupStep", "INLINE": "Inline", "UNRESOLVED": "Unresolved",
        "ESCAPES": "Escapes", "RECORD": "RecordWord", "PRESETS": "Preset",
    }  # fmt: skip
    assert {name: (*names[name],) for name in literals} == {
        name: get_args(names[literal]) for name, literal in literals.items()
    }


def test_defaults_of_a_merge_are_those_of_the_schema() -> None:
    names = {"onConflict": "on_conflict", "mergeKeys": "merge_keys", "inferListKeys": "infer_list_keys"}
    defaults = {names.get(key, key): entry.get("default") for key, entry in SPEC["merge"]["properties"].items()}
    assert _fields(_merge(Config())) == {
        key: tuple(default) if isinstance(default, list) else default for key, default in defaults.items()
    }


@pytest.mark.parametrize("written", TEXTS_OF_VALUES)
def test_a_value_is_its_text(written: str) -> None:
    config = decode(_expand_vars(f"variables:\n- name: A\n  value: {written}"))
    assert [one.text for one in config.variables] == [TEXTS_OF_VALUES[written]]


@pytest.mark.parametrize("written", RETYPED)
def test_a_value_that_yaml_tools_would_change_must_be_quoted(written: str) -> None:
    text = written.removeprefix("!custom ")
    assert _mistakes(_expand_vars(f"variables:\n- {{name: A, value: {written}}}")) == {
        "spec.variables[name=A].value":
            f"`{text}` is not the same text to every reader of YAML: write it in quotes",
    }  # fmt: skip


@pytest.mark.parametrize("spec", MISTAKES)
def test_every_mistake_is_told_with_its_place(spec: str) -> None:
    assert _mistakes(_expand_vars(spec)) == MISTAKES[spec]


def test_a_key_beside_spec_is_a_mistake() -> None:
    resource = _resource("apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nvariables: []\nsepc: {}\nother: 1")
    assert _mistakes(resource) == {
        "variables": "unknown key `variables`: it belongs below `spec`",
        "other": "unknown key `other`: the keys here are `apiVersion`, `kind`, `metadata` and `spec`",
        "sepc": "unknown key `sepc`; did you mean `spec`?",
    }


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("apiVersion: v1\nkind: Secret\nstringData: {a: hidden}", "`Secret` of `v1`"),
        ("apiVersion: expandvars.dev/v1\nkind: ExpandVars", "`ExpandVars` of `expandvars.dev/v1`"),
        ("kind: ConfigMap", "`ConfigMap` without an `apiVersion`"),
        ("a: b", "no `kind`"),
    ],
)
def test_a_functionconfig_of_another_kind_is_refused_with_both_that_are_accepted(written: str, found: str) -> None:
    assert _mistakes(_resource(written)) == {
        "kind": f"a functionConfig is `ConfigMap` of `v1` or `ExpandVars` of `expandvars.dev/v1alpha1`, found {found}",
    }


def test_a_functionconfig_without_text_is_refused() -> None:
    kinds = "`ConfigMap` of `v1` or `ExpandVars` of `expandvars.dev/v1alpha1`"
    problem = f"a functionConfig is {kinds}, found nothing: there is no text"
    assert _mistakes(_resource("# nothing yet")) == {"kind": problem}


def test_every_key_of_a_configmap_is_a_literal_variable_with_its_text_as_written() -> None:
    resource = _config_map("data: {A: 1.10, B: 'it''s', C: yes, d.e: $(A), F: &f 0777, G: *f, H: ''}")
    assert [_fields(one, "source") for one in decode(resource).variables] == [
        {"name": name, "text": text, "literal": True, "path": path}
        for name, text, path in [
            ("A", "1.10", "data.A"), ("B", "it's", "data.B"), ("C", "yes", "data.C"), ("d.e", "$(A)", "data['d.e']"),
            ("F", "0777", "data.F"), ("G", "0777", "data.G"), ("H", "", "data.H"),
        ]
    ]  # fmt: skip


@pytest.mark.parametrize("rest", ["data:", "data: {}", "metadata: {name: function-input}", "binaryData: {A: eA==}"])
def test_a_configmap_without_data_has_no_variables(rest: str) -> None:
    assert decode(_config_map(rest)).variables == ()


def test_options_of_a_configmap_are_its_annotations() -> None:
    annotations = {
        "config.kubernetes.io/index": "0",
        "expandvars.dev/unresolved": "Error",
        "expandvars.dev/escapes": "Unescape",
        "expandvars.dev/inline": " Variables , ",
        "expandvars.dev/skip": "true",
        "unresolved": "of no concern to us",
    }
    config = decode(_config_map(f"metadata: {{annotations: {json.dumps(annotations)}}}"))
    assert (config.unresolved, config.escapes, config.inline) == ("Error", "Unescape", frozenset({"Variables"}))


@pytest.mark.parametrize("rest", MISTAKES_OF_CONFIG_MAPS)
def test_every_mistake_in_a_configmap_is_told_with_its_place(rest: str) -> None:
    assert _mistakes(_config_map(rest)) == MISTAKES_OF_CONFIG_MAPS[rest]


def test_aliases_and_merged_keys_are_seen_through() -> None:
    first = "&region {name: REGION, value: &eu eu-west-1}"
    config = decode(_expand_vars(f"variables: [{first}, {{<<: *region, name: ZONE}}, {{name: CITY, value: *eu}}]"))
    assert [(one.name, one.text) for one in config.variables] == [
        ("REGION", "eu-west-1"), ("ZONE", "eu-west-1"), ("CITY", "eu-west-1"),
    ]  # fmt: skip


def test_an_alias_whose_anchor_is_elsewhere_has_no_value() -> None:
    assert _mistakes(_expand_vars("variables: *elsewhere")) == {
        "spec.variables": "found `null`, but only a list is allowed here",
    }


def test_a_mistake_is_told_with_the_file_it_is_in() -> None:
    annotations = "{internal.config.kubernetes.io/path: fn.yaml, internal.config.kubernetes.io/index: '1'}"
    with pytest.raises(FnError) as caught:
        decode(_config_map(f"metadata: {{name: settings, annotations: {annotations}}}\ndata: []"))
    assert str(caught.value) == (
        "[error] fn.yaml: v1/ConfigMap/settings data: found a list, but only a mapping is allowed here"
    )


def test_arguments_come_first_and_win() -> None:
    config = decode(_expand_vars("variables: [{name: A, value: a}, {name: B, value: $(A)}]\nunresolved: Error"))
    changed = with_arguments(config, [("A", "1"), ("C", "$x"), ("C", "$y")])
    assert [(one.name, one.text, one.literal) for one in changed.variables] == [
        ("A", "1", True), ("C", "$y", True), ("B", "$(A)", False),
    ]  # fmt: skip
    assert changed.variables[0].path is None
    assert _fields(changed)["unresolved"] == "Error"


def test_an_argument_that_cannot_be_referred_to_is_refused() -> None:
    with pytest.raises(FnError) as caught:
        with_arguments(Config(), [("A", "x"), ("a)b", "x")])
    assert str(caught.value) == (
        "[error] `a)b` is no name of a variable: in `$(NAME)` it is printable ASCII without `=` and `)`"
    )


def test_a_configmap_is_decoded_without_what_takes_long_to_import() -> None:
    """The start of the filter is part of the product."""
    script = """\
import sys; before = {*sys.modules}
from expand_vars.functionconfig import decoding
from krm.resource import Resource
text = "{apiVersion: v1, kind: ConfigMap, data: {A: x}}"
assert decoding.decode(Resource(text, (0, len(text)), "functionConfig")).variables
print(*{*sys.modules} - before)
"""
    run = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    slow = {"jsonschema", "json", "typing", "dataclasses", "argparse", "pathlib", "difflib", "copy"}
    assert not slow & {*run.stdout.split()}


def _schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield every schema within `schema`, but the alternatives of `oneOf`."""
    yield schema
    below = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    below += [schema[key] for key in ("items", "if", "then", "else") if key in schema]
    for one in below:
        yield from _schemas(one)


def test_the_schema_is_one_and_closed() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for part in _schemas(SCHEMA):
        assert "properties" not in part or part["additionalProperties"] is False


def test_every_keyword_of_the_schema_that_can_fail_has_a_sentence() -> None:
    structure = {"$schema", "$id", "$defs", "$ref", "title", "description", "default", "properties", "items"}
    conditions = {"if", "then", "else"}
    keywords = {keyword for part in _schemas(SCHEMA) for keyword in part} - structure - conditions
    assert keywords == {
        "additionalProperties", "required", "oneOf", "enum", "type", "format", "minItems", "uniqueItems",
    }  # fmt: skip


def test_every_field_is_described_to_users() -> None:
    definitions = SCHEMA["$defs"]
    for part in _schemas({"$defs": definitions, "properties": SPEC}):
        for name, field in part.get("properties", {}).items():
            referred = definitions.get(field.get("$ref", "").removeprefix("#/$defs/"), {})
            assert field.get("description") or referred.get("description"), name


words = st.sampled_from([
    *SPEC, "name", "value", "valueFrom", "objectFieldRef", "configMapKeyRef", "configMapRef", "secretKeyRef",
    "secretRef", "key", "group", "fieldPath", "objref", "kind", "fieldref", "fieldpath", "preset", "fieldPaths",
    "select", "required", "optional", "prefix", "All", "Secrets", "Warn", "1.10", "yes", "a[", "(", "", "é",
])  # fmt: skip
data = st.recursive(
    st.one_of(words, st.none(), st.booleans(), st.integers(), st.floats()),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(words, below, max_size=3)),
)


@given(st.dictionaries(st.sampled_from([*SPEC]), data))
def test_any_spec_is_decoded_or_refused(spec: dict[str, Any]) -> None:
    with suppress(FnError):
        assert isinstance(decode(_expand_vars(json.dumps(spec))), Config)


@pytest.mark.parametrize("word", ["true", "false"])
def test_a_configmap_says_strict_in_an_annotation(word: str) -> None:
    found = decode(
        _config_map(f"metadata: {{name: a, annotations: {{expandvars.dev/strict: '{word}'}}}}\ndata: {{A: b}}")
    )
    assert found.strict is (word == "true")
