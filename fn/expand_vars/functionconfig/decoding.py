"""Decode a functionConfig: an ExpandVars, a ConfigMap or none becomes a `Config`, or all its mistakes are reported.

In a ConfigMap each key of `data` is a variable, and annotations set options (docs/reference/functionconfig.md,
"functionConfig").
"""

from __future__ import annotations

from expand_vars.functionconfig import ANNOTATIONS, API_VERSION, GROUP, KIND
from expand_vars.functionconfig.config import FIELDS, OBJECT, Config
from expand_vars.functionconfig.model import CONTAINER, SECRETS, SERVICES, Variable
from expand_vars.functionconfig.parts import MERGE, NAME, variable_name
from krm import declarations, fieldpath
from krm.declarations import A_MAPPING, Field, Kind, ListOf, MapOf, Mistake, Record, is_leaf, not_allowed
from krm.fieldpath import WILDCARD
from krm.resource import Resource
from krm.results import ERROR, FnError, Result
from krm.yamltree import scalars
from krm.yamltree.nodes import text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from krm.declarations import ConfigData

REASON = "InvalidFunctionConfig"
_OPTIONS = Record({key: field for key, field in FIELDS.items() if field.in_annotation})
_ANY = Field(Kind({}, "", lambda _: True))
_VALUES = MapOf(Kind({}, "a string", is_leaf), NAME)
_VALUES.takes_none = True
_CONFIG_MAP = Record(
    dict.fromkeys(("apiVersion", "kind", "metadata", "binaryData", "immutable"), _ANY) | {"data": Field(_VALUES)},
)

_OF_MERGE3 = "onConflict", "adopt", "fields", "mergeKeys", "inferListKeys"
"""The fields of `merge` that only the strategy Merge3 has."""

_TOO_DEEP = "`spec` is no field here: move it out of `metadata`"
_ORDER = (
    "`Services` cannot stand before `Container`: the kubelet lets what a container declares itself win over what it "
    "makes of Services"
)


def decode(resource: Resource | None) -> Config:
    """Return the Config of a functionConfig, or one with the defaults for None. FnError has every mistake."""
    if resource is None:
        return Config()
    if (resource.api_version, resource.kind) == ("v1", "ConfigMap"):
        return _config_map(resource)
    if (resource.api_version, resource.kind) == (API_VERSION, KIND):
        return _expand_vars(resource)
    message = f"a functionConfig is `ConfigMap` of `v1` or `{KIND}` of `{API_VERSION}`, found {_described(resource)}"
    raise FnError(resource.result(message, ERROR, REASON, ("kind",)))


def _refuse(resource: Resource, mistakes: Iterable[Mistake]) -> None:
    """Raise an FnError with all mistakes, if there are any."""
    results = [resource.result(one.sentence, ERROR, REASON, one.place) for one in mistakes]
    if results:
        raise FnError(*results)


def with_arguments(config: Config, arguments: Iterable[tuple[str, str]]) -> Config:
    """Give a Config arguments as literal variables that win over all others. FnError for an invalid name."""
    given = {name: Variable(name=name, text=text, literal=True) for name, text in arguments}
    try:
        for name in given:
            variable_name(name)
    except ValueError as error:
        raise FnError(Result(str(error), ERROR, "InvalidArgument")) from None
    # They come first, because a variable may refer only to variables above it.
    config.variables = (*given.values(), *(one for one in config.variables if one.name not in given))
    config.arguments = frozenset(given)
    return config


def _described(resource: Resource) -> str:
    if resource.root is None:
        return "nothing: there is no text"
    of_version = f"of `{resource.api_version}`" if resource.api_version else "without an `apiVersion`"
    return f"`{resource.kind}` {of_version}" if resource.kind else "no `kind`"


def _config_map(resource: Resource) -> Config:
    """Return the Config of a ConfigMap. FnError has every mistake."""
    found: list[Mistake] = []
    _CONFIG_MAP.read(declarations.read(resource.root), (), found)
    stated, wrong = dict(_options(resource.annotations)), list[Mistake]()
    options = _OPTIONS.read(stated, (), wrong)
    found += [Mistake(("metadata", "annotations", f"{GROUP}/{one.place[0]}"), one.sentence) for one in wrong]
    _refuse(resource, found)
    config, values = Config(resource), dict(resource.find(("data", WILDCARD)))
    config.variables = tuple(
        # The text is literal: a ConfigMap has no field that could give `$` a meaning.
        Variable(name=str(place[1]), text=text_at(node), literal=True, path=fieldpath.to_text(place))
        for place, node in values.items()
    )
    # kpt writes `on` without quotes, because its readers take `on` for a string.
    config.no_texts = tuple(str(place[1]) for place, node in values.items() if not isinstance(scalars.data(node), str))
    for option in stated:
        config.state(option, options[option])
    return config


def _options(annotations: dict[str, str]) -> Iterator[tuple[str, ConfigData]]:
    """Yield the name and the data of each option that an annotation sets. A list has commas between its words."""
    for key, text in annotations.items():
        prefix, _, option = key.rpartition("/")
        # Every other key of the group is an option, so a misspelt key is an error.
        if prefix == GROUP and option not in ANNOTATIONS:
            words = dict.fromkeys(filter(None, map(str.strip, text.split(","))))
            of_list: list[ConfigData] = [{"preset": word} if option == "targets" else word for word in words]
            of_one = {"true": True, "false": False}.get(text, text)
            yield option, of_list if isinstance(_OPTIONS.fields.get(option, _ANY).kind, ListOf) else of_one


def _expand_vars(resource: Resource) -> Config:
    """Return the Config of an ExpandVars. FnError has every mistake of one of three steps."""
    data: Any = declarations.read(resource.root)
    # Each step reads fields whose shape the step before has checked.
    found: list[Mistake] = []
    values = OBJECT.read(data, (), found)
    too_deep = (Mistake(place, _TOO_DEEP) for place, _ in resource.find(("metadata", "spec")))
    _refuse(resource, [*found, *too_deep, *_repeated_names(resource)])
    spec = data.get("spec", {})
    # In a Pod the `env` of a container wins.
    order = [step for step in spec.get("lookup", ()) if step in (CONTAINER, SERVICES)]
    out_of_order = [Mistake(("spec", "lookup"), _ORDER)] if order == [SERVICES, CONTAINER] else []
    _refuse(resource, [*out_of_order, *_of_templates(spec), *_beside_apply(spec.get("merge", {}))])
    config = Config(resource)
    for key in spec:
        config.state(key, values[key])
    # An empty list prunes all generated resources. Without the key no resource is pruned
    # (docs/reference/functionconfig.md, "Reference").
    if "templates" in spec:
        text, base = resource.editor, resource.base
        places = (place for place, _ in resource.find(("spec", "templates", WILDCARD)))
        config.templates = tuple(Resource.within(text, base + at, fieldpath.to_text(at)) for at in places)
    return config


def _of_templates(spec: dict[str, Any]) -> Iterator[Mistake]:
    """Yield a mistake for each field that a template must have and has not, or has with a wrong type."""
    for index, template in enumerate(spec.get("templates", ())):
        place = "spec", "templates", index
        metadata = {} if template.get("metadata") is None else template["metadata"]
        owners = {("apiVersion",): template, ("kind",): template, ("metadata", "name"): metadata}
        for path, owner in owners.items():
            if not isinstance(owner, dict):
                yield not_allowed((*place, "metadata"), owner, A_MAPPING)
                continue
            found = owner.get(path[-1])
            if found in (None, ""):
                hint = ", and with `generateName` no run would know it again" if "generateName" in owner else ""
                yield Mistake(place, f"`{'.'.join(path)}` is missing: a template is a whole resource{hint}")
            elif not isinstance(found, str):
                yield not_allowed((*place, *path), found, "a string")


def _beside_apply(merge: dict[str, Any]) -> Iterator[Mistake]:
    """Yield a mistake for each field of `merge` that `strategy: Apply` does not have."""
    for key in _OF_MERGE3 if merge.get("strategy") == "Apply" else ():
        # A field with its default value changes nothing, so it is no mistake.
        default = MERGE.fields[key].default_as_data
        if merge.get(key, default) != default:
            message = f"`strategy: Apply` does what kubectl does, which has no `{key}`: leave it out"
            yield Mistake(("spec", "merge", key), message)


def _repeated_names(resource: Resource) -> Iterator[Mistake]:
    """Yield a mistake for each name that a list of variables has twice: it would be unclear which one counts."""
    # This searches the tree and not the data, which may have any shape: the schema may have found mistakes in it.
    for key in ("variables", "kustomizeVars"):
        first: dict[str, str] = {}
        for place, node in resource.find(("spec", key, WILDCARD, "name")):
            name, path = text_at(node), fieldpath.to_text(place[:-1])
            if name is not None and first.setdefault(name, path) != path:
                yield Mistake(place, f"the name `{name}` is here again, first in `{first[name]}`")


def refuse_secrets_for_nobody(config: Config) -> None:
    """Raise an FnError if a variable reads a Secret, and the run may write values of Secrets nowhere."""
    resource = config.resource
    # `Secrets` in `inline`, a template with `stringData`, and a target that can lead into `stringData` allow them.
    if SECRETS in config.inline or any(target.may_lead_into_secret for target in config.targets):
        return
    if resource is None or resource.find(("spec", "templates", WILDCARD, "stringData")):
        return
    of_keys = resource.find(("spec", "variables", WILDCARD, "valueFrom", "secretKeyRef"))
    message = (
        "what a Secret holds may be written nowhere: "
        "add `Secrets` to `inline`, or a target or a template that writes the `stringData` of a Secret"
    )
    found = *of_keys, *resource.find(("spec", "variablesFrom", WILDCARD, "secretRef"))
    _refuse(resource, (Mistake(place, message) for place, _ in found))
