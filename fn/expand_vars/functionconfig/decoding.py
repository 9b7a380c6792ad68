"""A functionConfig of either kind, decoded."""

from __future__ import annotations

from expand_vars.functionconfig import API_VERSION, KIND, configmap, expandvars
from expand_vars.functionconfig.mistakes import REASON
from expand_vars.functionconfig.model import Config, Variable, variable_name
from krm.results import ERROR, FnError, Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from krm.resource import Resource


def decode(resource: Resource | None) -> Config:
    """Return what a functionConfig says, the defaults for none. FnError tells all that is wrong with it."""
    if resource is None:
        return Config()
    if (resource.api_version, resource.kind) == ("v1", "ConfigMap"):
        return configmap.decode(resource)
    if (resource.api_version, resource.kind) == (API_VERSION, KIND):
        return expandvars.decode(resource)
    found = f"`{resource.kind}` of `{resource.api_version}`"
    message = f"a functionConfig is `ConfigMap` of `v1` or `{KIND}` of `{API_VERSION}`, found {found}"
    raise FnError(resource.result(message, ERROR, REASON, ("kind",)))


def with_arguments(config: Config, arguments: Iterable[tuple[str, str]]) -> Config:
    """Return `config` with literal variables that win over all others. FnError for a name that cannot be one."""
    given = {name: Variable(name, text=text, literal=True, path=None) for name, text in arguments}
    try:
        for name in given:
            variable_name(name)
    except ValueError as error:
        raise FnError(Result(str(error), ERROR, "InvalidArgument")) from None
    fields = {field: getattr(config, field) for field in Config.__slots__}
    others = (variable for variable in config.variables if variable.name not in given)
    return Config(**{**fields, "variables": (*given.values(), *others)})
