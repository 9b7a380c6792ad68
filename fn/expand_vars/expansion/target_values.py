"""The final form of fields that the kubelet does not expand: what a name becomes in them, and the type of the result.

Targets are in this form, and all of a template but the fields that the kubelet expands (docs/reference/expansion.md,
"Types").
"""

from __future__ import annotations

from expand_vars.expansion import findings, left_alone, resolution
from expand_vars.functionconfig.model import SECRETS, VARIABLES
from krm import fieldpath, secrets, syntax
from krm.validation import is_number
from krm.workloads import STRING_MAPS
from krm.yamltree import embedded
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from expand_vars.expansion.run import Run
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.yamltree.edits import Edit
    from krm.yamltree.embedded import Content, Make
    from krm.yamltree.nodes import Scalar

_NUMBERS = frozenset(("boolean", "percentage", "port-or-name", "share", "target-port"))
_UNREADABLE = "this file could be read, and with these values it cannot: {}: mend the values, or the text around them"
_NO_NAME = "a reference is `$(NAME)`, without blanks and without a default"


def may_be_secret(resource: Resource, place: Place) -> bool:
    """True if a secret may be written into a field whatever `inline` says.

    `data` is not such a field: it is base64, and a text with a reference is not.
    """
    return (resource.group, resource.kind) == ("", secrets.KIND) and place[0] == "stringData"


class TargetValues:
    """The values of names in the fields of one resource.

    `secrets` are the fields that receive something secret; `left` maps each field in which a reference stays to the
    first name that stays there.
    """

    def __init__(self, resource: Resource, run: Run) -> None:
        self.secrets: set[Place] = set()
        self.left: dict[Place, str] = {}
        self._resource = resource
        self._run = run
        self._finder: Callable[[Place], bool] | None = None

    def value(self, name: str, place: Place) -> str | None:
        """Return the value of a name in the field at `place`, None where the reference stays as written."""
        kept = self._kept(name, place)
        if kept is not None:
            return kept
        text = self._text(name, place)
        if text is None:
            self.left.setdefault(place, name)
            return None
        # No kubelet comes behind us here, so what a variable refers to is inserted now or never.
        inner = {one: self.value(one, place) for one in dict.fromkeys(syntax.names(text))}
        whole = self._run.kept(place, name) if None in inner.values() else None
        return syntax.expand(text, inner.get) if whole is None else whole

    def _kept(self, name: str, place: Place) -> str | None:
        """Return the text that stays for a name that has no value, or none that may be written."""
        run = self._run
        kept = run.kept(place, name)
        if kept is None or name not in run.variables:
            return kept
        needed = SECRETS if run.variables.is_secret(name) else VARIABLES
        is_written = needed in run.config.inline or (needed == SECRETS and may_be_secret(self._resource, place))
        return None if is_written or "inline" in run.config.stated else kept

    def _text(self, name: str, place: Place) -> str | None:
        """Return the text of a variable that may be inserted, with live references; None for any other name."""
        run, variables, resource = self._run, self._run.variables, self._resource
        if name not in variables:
            is_grammar = run.grammar(resource, place) != ""
            # Any other text between the brackets was never a variable in Kubernetes: `$(a b)` is somebody's own, where
            # that may stand. With the name of a variable in it, it is told as another syntax.
            is_meant = syntax.is_name(name) or (is_grammar and not any(one in name for one in variables.names))
            if is_meant and not self._is_of_others(name, place):
                # In a Secret `$(...)` may be part of the secret, and must not be shown.
                is_secret = self.is_hidden(place)
                about, called = ("", "a name in here") if is_secret else (name, f"`$({name})`")
                hint = "" if is_secret else why_undefined(name, run, lambda: run.findings.near(name, variables.names))
                hint = hint or "it stays as it is written, until `variables` or an argument declares it"
                message = f"no variable defines {called}: {hint if syntax.is_name(name) else _NO_NAME}"
                reason = findings.UNRESOLVED_REFERENCE
                run.findings.add(resource, reason, about, message, place, is_certain=is_grammar)
            return None
        # Also a reference that must stay shows that the variable is not unused.
        variables.mention(name)
        if variables.is_secret(name):
            if SECRETS not in run.config.inline and not may_be_secret(resource, place):
                run.findings.add(resource, findings.SECRET_REFERENCE, name, findings.of_a_secret(name), place)
                return None
            self.secrets.add(place)
        elif VARIABLES not in run.config.inline:
            return None
        return variables.use(name)

    def _is_of_others(self, name: str, place: Place) -> bool:
        """True if a name without a value is known: to kustomize, to `runtimeNames`, or as a command of a script."""
        run, resource = self._run, self._resource
        if run.is_of_kustomize(name, resource, place) or resolution.of_config(run.config, name) is not None:
            return True
        # `$(date)` in a script is a command, as it is behind `sh -c` in a container.
        texts = (string(node) or "" for _, node in resource.find(place)) if name.islower() else ()
        return any(left_alone.is_script(str(place[-1]), text) for text in texts)

    def is_hidden(self, place: Place) -> bool:
        """True if no message may quote the field at `place`."""
        if self._finder is None:
            self._finder = secrets.finder(self._resource)
        return place in self.secrets or self._finder(place)


def why_undefined(name: str, run: Run, near: Callable[[], str | None]) -> str:
    """Return what to do about a name that nothing defines, empty where nobody can tell. `near` is asked last."""
    if giver := run.declaring(name):
        return f"`{giver}` declares it, which does not count here: declare it in this functionConfig too"
    if name in run.variables.circular:
        listed = ", ".join(f"`{one}`" for one in run.variables.circular)
        several = f"{listed} lead back to themselves: mend their values"
        return several if len(run.variables.circular) > 1 else f"{listed} leads back to itself: mend its value"
    return f"did you mean `{meant}`?" if (meant := near()) else ""


def is_open(place: Place, scalar: Scalar, made: list[Edit], held: str) -> bool:
    """True if a changed field takes the type of its new text, where a number may stand.

        replicas: "1$(N)"   becomes   replicas: 13
        size: $(N)          becomes   size: 3, a field of which nothing is known, without quotes
        image: web:$(N)     becomes   image: web:3, a string like every text with more than one reference

    `held` is the grammar of the field. Where that is a string's, or in a map that holds strings alone, the API refuses
    a number.
    """
    if held:
        return is_number(held) or held in _NUMBERS or (held == "quantity" and scalar.style == "")
    in_string_map = len(place) > 1 and place[-2] in STRING_MAPS
    return embedded.takes_type(scalar, made) and not in_string_map


class FieldText:
    """A text of a resource with its `names`, and the `edits` that make its values of them.

    A value goes into a file as the language of that spells it (docs/reference/expansion.md, "Files in a field"). Where
    `paths` lead into the file, the texts at these alone are expanded, and those that are already in the text that is
    `there`.
    """

    __slots__ = ("_content", "_form", "_place", "names")

    def __init__(
        self, form: TargetValues, place: Place, text: str, paths: Sequence[FieldPath] = (), there: str | None = None
    ) -> None:
        self._form = form
        self._place = place
        self._content = embedded.content(place[-1], text)
        if paths:
            nodes = [node for root in self._content.roots for path in paths for _, node in fieldpath.find(root, path)]
            self._content = self._content.only([*nodes, *self._expanded(there)])
        self.names = _names(self._content)

    def _expanded(self, there: str | None) -> list[Scalar]:
        """Return the scalars of a template that stand in a file with other texts."""
        here = self._content.scalars
        texts = [] if there is None else embedded.content(self._place[-1], there).parts
        return [one for one, text in zip(here, texts, strict=False) if one.value != text]

    def edits(self, make: Make) -> list[Edit]:
        """Return the edits of the text that make those of each part. UnreadableError where it is a file no more."""
        try:
            return syntax.bounded(self._content.edits(make))
        except ParseError as error:
            # The key that is there twice may be a value.
            found = f"line {error.line}" if self._form.is_hidden(self._place) else str(error)
            raise UnreadableError(_UNREADABLE.format(found)) from None


def names_in(place: Place, text: str) -> list[str]:
    """Return the names that a text refers to: a comment in a file refers to none."""
    return _names(embedded.content(place[-1], text))


def _names(content: Content) -> list[str]:
    return [*dict.fromkeys(name for part in content.parts for name in syntax.names(part))]


class UnreadableError(ValueError):
    """The file in a field could be read, and cannot be read with its values. The message says why."""
