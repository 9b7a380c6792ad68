"""The values of names in fields that the kubelet does not expand, and the type of the result.

A target gets them in the plain form, a template in the final form (docs/reference/expansion.md, "The three forms",
"Types").
"""

from __future__ import annotations

from expand_vars.expansion import findings, left_alone, resolution
from expand_vars.functionconfig.model import SECRETS, VARIABLES
from krm import fieldpath, secrets, syntax
from krm.results import ERROR, WARNING, FnError
from krm.validation import expected, grammar, is_kubernetes_own, is_number
from krm.vocabulary import quoted
from krm.workloads import STRING_MAPS
from krm.yamltree import embedded
from krm.yamltree.edits import EditError
from krm.yamltree.parser import ParseError
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from expand_vars.expansion.run import Run
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.template_comments.memory import Memory
    from krm.yamltree.edits import Edit
    from krm.yamltree.embedded import Content, Make
    from krm.yamltree.nodes import Scalar

_NUMBERS = frozenset(("boolean", "percentage", "port-or-name", "share", "target-port"))
_UNREADABLE = "this file could be read, and with these values it cannot: {}: mend the values, or the text around them"
_NO_NAME = "a reference is `$(NAME)`, without blanks and without a default"


def takes_secrets(resource: Resource, place: Place) -> bool:
    """True if a secret may be written into a field even without `Secrets` in `inline`: `stringData` of a Secret.

    `data` has base64, and a text with a reference is no base64.
    """
    return (resource.group, resource.kind) == ("", secrets.KIND) and place[0] == "stringData"


class TargetValues:
    """The values of names in the fields of one resource.

    `secrets` are the fields that get a secret value. `unresolved` has each field with a reference that stays, and the
    first name that stays there.
    """

    def __init__(self, resource: Resource, memory: Memory, run: Run) -> None:
        self.secrets: set[Place] = set()
        self.unresolved: dict[Place, str] = {}
        self._resource = resource
        self._memory = memory
        self._run = run
        self._finder: Callable[[Place], bool] | None = None

    def value(self, name: str, place: Place) -> str | None:
        """Return the value of a name in the field at `place`, None if the reference stays as written."""
        run = self._run
        kept = self._memory.present_text(place, name)
        # The old text stays for a name without a value, or with a value that may not be written.
        if kept is not None and name in run.variables:
            needed = SECRETS if run.variables.is_secret(name) else VARIABLES
            is_written = needed in run.config.inline or (needed == SECRETS and takes_secrets(self._resource, place))
            kept = None if is_written or "inline" in run.config.stated else kept
        if kept is not None:
            return kept
        text = self._text(name, place)
        if text is None:
            self.unresolved.setdefault(place, name)
            return None
        # No kubelet expands this field later, so the references in the text of a variable are expanded now.
        inner = {one: self.value(one, place) for one in dict.fromkeys(syntax.names(text))}
        whole = self._memory.present_text(place, name) if None in inner.values() else None
        return syntax.expand(text, inner.get) if whole is None else whole

    def _text(self, name: str, place: Place) -> str | None:
        """Return the text of a variable that may be inserted. Its references are not expanded. None for other names."""
        run, variables, resource = self._run, self._run.variables, self._resource
        if name not in variables:
            is_grammar = grammar(resource, place, run.pod_specs) != ""
            # A text such as `$(a b)` is no reference of Kubernetes, and is ignored in a field that may have it. In a
            # field with a grammar it is reported, unless it has the name of a variable: that is another syntax.
            is_meant = syntax.is_name(name) or (is_grammar and not any(one in name for one in variables.names))
            if is_meant and not self._is_of_others(name, place):
                # In a Secret `$(...)` may be a part of the secret, and no message may show it.
                about, called, hint = "", "a name in here", ""
                if not self.is_hidden(place):
                    about, called, is_own = name, f"`$({name})`", not is_grammar or id(resource) in run.generated
                    hint = why_undefined(name, run, lambda one: run.findings.near(one, variables.names), is_own=is_own)
                hint = hint or "it stays as it is written, until `variables` or an argument declares it"
                message = f"no variable defines {called}: {hint if syntax.is_name(name) else _NO_NAME}"
                reason = findings.UNRESOLVED_REFERENCE
                run.findings.add(resource, reason, about, message, place, is_certain=is_grammar)
            return None
        # A variable counts as used even if the reference must stay.
        variables.mention(name)
        if variables.is_secret(name):
            if SECRETS not in run.config.inline and not takes_secrets(resource, place):
                run.findings.add(resource, findings.SECRET_REFERENCE, name, findings.of_a_secret(name), place)
                return None
            self.secrets.add(place)
        elif VARIABLES not in run.config.inline:
            return None
        return variables.use(name)

    def _is_of_others(self, name: str, place: Place) -> bool:
        """True if a name without a value is expected: by kustomize, by `runtimeNames`, or as a command of a script."""
        run, resource = self._run, self._resource
        if run.leave_to_kustomize(name, resource, place) or resolution.of_runtime_names(run.config, name) is not None:
            return True
        # `$(date)` is a command in a script, as behind `sh -c` in a container.
        texts = (string(node) or "" for _, node in resource.find(place)) if name.islower() else ()
        return any(left_alone.is_script(str(place[-1]), text) for text in texts)

    def unreadable(self, place: Place, error: EditError | ParseError) -> FnError:
        """Return the error about the file in a field, which could be read before, and cannot with its values."""
        # The message may quote a repeated key, and the key may be a secret value.
        found = f"line {error.line}" if self.is_hidden(place) else str(error)
        return FnError(self._resource.result(_UNREADABLE.format(found), ERROR, findings.UNFIT_VALUE, place))

    def is_hidden(self, place: Place) -> bool:
        """True if no message may quote the field at `place`."""
        if self._finder is None:
            self._finder = secrets.finder(self._resource)
        return place in self.secrets or self._finder(place)

    def misfits(self, place: Place, text: str, names: Collection[str]) -> Iterator[Result]:
        """Yield the result about a text with values of `names` that does not fit, and has no `$(` or `${` any more."""
        what = expected(grammar(self._resource, place, self._run.pod_specs), text)
        if what and not ("$(" in text or "${" in text):
            shown = "this" if self.is_hidden(place) else f"`{text}`" if text else "an empty text"
            is_own = is_kubernetes_own(self._resource, place, self._run.pod_specs)
            severity, reason = (ERROR, findings.UNFIT_VALUE) if is_own else (WARNING, findings.ODD_VALUE)
            message = f"{shown} cannot stand here: it has to be {what}: mend the value of {quoted(names)}"
            yield self._resource.result(message, severity, reason, place)


def why_undefined(name: str, run: Run, near: Callable[[str], str | None], *, is_own: bool) -> str:
    """Return what to do about an undefined name, in a field that `is_own` if this functionConfig alone expands it.

    Empty if that is unknown. `near` takes time, so it comes last.
    """
    if giver := run.declaring(name):
        own = "which does not count here: declare it in this functionConfig too"
        return f"`{giver}` declares it, {own if is_own else 'and expands it here when it runs'}"
    if name in (circular := run.variables.circular):
        several = f"{quoted(circular, 'and')} lead back to themselves: mend their values"
        return several if len(circular) > 1 else f"`{name}` leads back to itself: mend its value"
    return f"did you mean `{meant}`?" if (meant := near(name)) else ""


def is_open(place: Place, scalar: Scalar, made: list[Edit], held: str) -> bool:
    """True if a changed field takes the type of its new text, because it may be a number.

        replicas: "1$(N)"   becomes   replicas: 13
        size: $(N)          becomes   size: 3, in an unknown field without quotes
        image: web:$(N)     becomes   image: web:3, a string, as every text that is more than one reference

    `held` is the grammar of the field. The API refuses a number if the grammar is that of a string, and in a map of
    strings.
    """
    if held:
        return is_number(held) or held in _NUMBERS or (held == "quantity" and scalar.style == "")
    in_string_map = len(place) > 1 and place[-2] in STRING_MAPS
    return embedded.takes_type(scalar, made) and not in_string_map


class FieldText:
    """A text of a resource, its `names`, and the `edits` that put in their values.

    In a file, a value is written as the language of the file needs it (docs/reference/expansion.md, "Files in a
    field"). With `paths` only the texts at these paths of the file are expanded, and the texts that are expanded in
    `there`, the present file.
    """

    def __init__(
        self, values: TargetValues, place: Place, text: str, paths: Sequence[FieldPath] = (), there: str | None = None
    ) -> None:
        self._values = values
        self._place = place
        self._content = embedded.content(place[-1], text)
        if paths:
            nodes = [node for root in self._content.roots for path in paths for _, node in fieldpath.find(root, path)]
            self._content = self._content.only([*nodes, *self._expanded(there)])
        self.names = _names(self._content)

    def _expanded(self, there: str | None) -> list[Scalar]:
        """Return the scalars of a template that have another text in the present file."""
        here = self._content.scalars
        texts = [] if there is None else embedded.content(self._place[-1], there).parts
        return [one for one, text in zip(here, texts, strict=False) if one.value != text]

    def edits(self, make: Make) -> list[Edit]:
        """Return the edits of all parts of the text. FnError if the edited file could not be read."""
        try:
            return syntax.bounded(self._content.edits(make))
        except (EditError, ParseError) as error:
            raise self._values.unreadable(self._place, error) from None


def names_in(place: Place, text: str) -> list[str]:
    """Return the names that a text refers to. Comments in a file do not count."""
    return _names(embedded.content(place[-1], text))


def _names(content: Content) -> list[str]:
    return [*dict.fromkeys(name for part in content.parts for name in syntax.names(part))]
