"""The final form of fields that the kubelet does not expand: what a name becomes in them, and their type (decision 23).

Targets are in it, and all of a template but what the kubelet expands.
"""

from __future__ import annotations

from expand_vars.expansion import findings, names, secrets, syntax
from expand_vars.expansion.values import SECRETS, VARIABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from expand_vars.expansion.findings import Findings
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.yamltree.edits import Edit
    from krm.yamltree.nodes import Scalar

_STRING_MAPS = frozenset(("annotations", "labels", "matchLabels", "nodeSelector", "selector"))


class FinalForm:
    """What names are in the fields of a resource.

    `secrets` are the fields that get something secret, `left` those in which a reference stays, with its name.
    """

    def __init__(self, resource: Resource, variables: Variables, config: Config, found: Findings) -> None:
        self.secrets: set[Place] = set()
        self.left: dict[Place, str] = {}
        self._resource = resource
        self._variables = variables
        self._config = config
        self._found = found

    def value(self, name: str, place: Place) -> str | None:
        """Return the value of a name in the field at `place`, None for one that stays as it is written."""
        text = self._text(name, place)
        if text is None:
            self.left.setdefault(place, name)
            return None
        return syntax.expand(text, lambda inner: self.value(inner, place))

    def _text(self, name: str, place: Place) -> str | None:
        """Return the text of a variable that may be inserted, in which references are live; None for any other name."""
        variables, resource = self._variables, self._resource
        if name not in variables:
            if names.is_name(name) and not variables.is_withheld(name):
                # A name in a Secret may be no name at all, but what the Secret holds.
                about, called = ("", "a name in here") if secrets.holds(resource, place) else (name, f"`$({name})`")
                message = f"no variable defines {called}: it stays as it is written"
                self._found.add(resource, findings.UNRESOLVED_REFERENCE, about, message, place)
            return None
        variables.mention(name)
        if variables.is_secret(name):
            if SECRETS not in self._config.inline and not secrets.may_hold(resource, place):
                self._found.add(resource, findings.SECRET_REFERENCE, name, secrets.refusal(name), place)
                return None
            self.secrets.add(place)
        elif VARIABLES not in self._config.inline:
            return None
        return variables.use(name)


def is_open(resource: Resource, place: Place, scalar: Scalar, made: list[Edit]) -> bool:
    """Say whether a field that is changed gets the type of its value: a plain scalar that is one reference does.

    Not one in a map that holds strings alone: the API refuses a number there.
    """
    is_one = len(made) == 1 and (made[0].start, made[0].end) == (0, len(scalar.value))
    of_config_map = (resource.group, resource.kind) == ("", "ConfigMap") and place[0] == "data"
    in_string_map = of_config_map or secrets.holds(resource, place) or (len(place) > 1 and place[-2] in _STRING_MAPS)
    return is_one and scalar.style == "" and scalar.tag is None and not in_string_map
