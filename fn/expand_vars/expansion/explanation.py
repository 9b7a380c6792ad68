"""The references for `expand-vars explain`, kept while a run expands them (docs/reference/expansion.md, "Explain")."""

from __future__ import annotations

from itertools import chain

from expand_vars.expansion import findings
from expand_vars.expansion.findings import Findings
from expand_vars.expansion.resolution import KNOWN, LEFT, UNDEFINED
from expand_vars.functionconfig.model import LITERALS, VARIABLES
from krm import syntax
from krm.secrets import NamesOfSecrets, is_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import TypeAlias

    from expand_vars.expansion.containers import Container
    from expand_vars.expansion.resolution import Resolution
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.template_comments.memory import Memory

    Met: TypeAlias = tuple[Place, str, dict[str, Resolution]]
    """A field of a container, its text, and what the names in it are."""

    MetTarget: TypeAlias = tuple[Place, str, dict[str, str | None], bool]
    """A target, its text, the values of the names in it, and whether any of them is secret."""

# The states of a reference beside those of a `resolution.Resolution`.
ESCAPE = "escape"
SHELL = "shell"
UNEXPANDED = "unexpanded"

_NOT_INLINE = ": `{}` is not in `inline`"
_STANDS = "what stands there: this run has no value for it"


class ExplainedReference:
    """One reference to `name`, in the field at `place` of a resource whose text is `text`, and what becomes of it.

    `value` is None where there is none, or where it is secret; `text` is None in a field of a Secret's data.
    `explanation` says where the value comes from, or why there is none. `live` are the names that the value refers to.
    `messages` are those of the findings that the explanation quotes. `container` is the place of the container around
    the field, empty where there is none. A value that `is_written` is one of `env` in the manifest.
    """

    def __init__(self, resource: Resource, place: Place, text: str, name: str) -> None:
        self.resource = resource
        self.place = place
        self.text = None if is_secret(resource, place) else text
        self.name = name
        self.container: Place = ()
        self.state = UNEXPANDED
        self.value: str | None = None
        self.is_secret = False
        self.is_written = False
        self.live: list[str] = []
        self.explanation = ""
        self.messages: list[str] = []


class Explanation(Findings):
    """The references that a run meets, each explained by the findings about it."""

    def __init__(self, config: Config) -> None:
        super().__init__(config.unresolved)
        self.pod_specs = config.pod_templates
        # An argument has no path. A reader who looks for the value in the functionConfig would not find it there.
        self._arguments = {variable.name for variable in config.variables if variable.path is None}
        self.of_secrets = NamesOfSecrets(())
        self._sources = config.inline
        self._references: list[ExplainedReference] = []
        self._messages: dict[tuple[int, Place, str], dict[str, str]] = {}

    def meet(self, container: Container, met: Iterable[Met], memory: Memory) -> None:
        """Keep the references in the fields of a container, each field with its place, text and names."""
        for place, text, names in met:
            for name, here in names.items():
                reference = ExplainedReference(container.pod.workload, place, text, name)
                self._resolve(reference, here, memory)
                self._references.append(reference)
            self._add_escapes(container.pod.workload, place, text)

    def meet_targets(self, resource: Resource, met: Iterable[MetTarget], variables: Variables) -> None:
        """Keep the references in the targets of a resource. In the data of a Secret only variables are names."""
        for place, text, values, is_of_secret in met:
            of_secret = is_secret(resource, place)
            for name, value in values.items():
                # In a Secret's data `$(...)` may be part of a password, which must not be shown as a name.
                if name in variables or not of_secret:
                    reference = ExplainedReference(resource, place, text, name)
                    reference.is_secret = is_of_secret or of_secret or variables.is_secret(name)
                    self._resolve_target(reference, value, variables)
                    self._references.append(reference)
            if not of_secret:
                self._add_escapes(resource, place, text)

    def references(self, *elsewhere: NamesOfSecrets) -> list[ExplainedReference]:
        """Return all references with their explanations. An undefined name without a finding is text for a shell.

        A field that nobody expands is met by its finding alone. `elsewhere` are the names that Secrets give by what is
        declared elsewhere. Of these, and of those that Secrets of the items give, no text is shown that stands there.
        """
        # At the end, as a finding gathers the fields of a whole container, and later steps may still add some.
        for finding in self.found.values():
            for place in finding.places:
                # Nobody met these while expanding, so the finding is all that knows of them.
                if finding.reason in (findings.UNEXPANDED_REFERENCE, findings.UNTARGETED_REFERENCE):
                    text = next((node.value or "" for _, node in finding.resource.find(place)), "")
                    self._references.append(ExplainedReference(finding.resource, place, text, finding.name))
                of_name = self._messages.setdefault((id(finding.resource), place, finding.name), {})
                of_name[finding.reason] = finding.message
        for reference in self._references:
            names = reference.name, *syntax.names(reference.value or "")
            is_given, *others = (any(name in of for of in (self.of_secrets, *elsewhere)) for name in names)
            # A text of `env` that refers to a secret itself has not its value.
            is_written = reference.is_written and not any(others)
            if is_given and (is_written or reference.explanation == _STANDS):
                reference.value, reference.is_secret = None, True
            reference.container = self.pod_specs.container_above(reference.resource, reference.place) or ()
            messages = self._messages_of(reference, reference.name)
            reference.messages += messages.values()
            # The value is known and empty. It is not written, so that the kubelet can refuse the container.
            if findings.EMPTY_SUB_PATH in messages:
                reference.state = LEFT
            # A run reports every undefined name but those that a shell reads.
            if reference.state == UNDEFINED and not messages:
                reference.state, reference.explanation = SHELL, "nothing defines it: text for a shell"
            elif reference.state == KNOWN:
                of_live = (self._messages_of(reference, name).values() for name in reference.live)
                reference.messages += chain.from_iterable(of_live)
                every = (reference.explanation, *reference.messages)
                reference.explanation = "; ".join(dict.fromkeys(every))
            elif reference.state != ESCAPE:
                reference.explanation = "; ".join(messages.values()) or reference.explanation
        return self._references

    def untargeted(self) -> list[tuple[Resource, Place]]:
        """Return the fields that would be expanded if the functionConfig named them."""
        found = [one for one in self.found.values() if one.reason == findings.UNTARGETED_REFERENCE]
        return [(one.resource, place) for one in found for place in one.places]

    def _messages_of(self, reference: ExplainedReference, name: str) -> dict[str, str]:
        """Return the messages about a name in the field of a reference, by reason."""
        return self._messages.get((id(reference.resource), reference.place, name), {})

    def _add_escapes(self, resource: Resource, place: Place, text: str) -> None:
        """Keep each `$$(NAME)` of a field."""
        for name in dict.fromkeys(syntax.escaped_names(text)):
            reference = ExplainedReference(resource, place, text, name)
            reference.state = ESCAPE
            reference.explanation = f"`$$({name})` is an escape of the text `$({name})`"
            self._references.append(reference)

    def _resolve(self, reference: ExplainedReference, here: Resolution, memory: Memory) -> None:
        """Explain a name in a field of a container."""
        reference.state = here.state
        reference.is_secret = here.value.is_secret
        reference.live = syntax.names(here.text or "")
        is_known = here.value.state == KNOWN
        is_variable = is_known and here.value.source == VARIABLES
        reference.is_written = is_known and here.value.source == LITERALS
        reference.explanation = self._variable(reference) if is_variable else here.value.reason
        # A known value is left for two reasons: its source is not in `inline`, or a value that it is made of is left.
        if here.state == LEFT and is_known and here.value.source not in self._sources:
            reference.explanation += _NOT_INLINE.format(here.value.source)
        # The text that stays for a name without a value.
        kept = memory.present_text(reference.place, reference.name)
        is_kept = kept == memory.new_texts.get(reference.place, {}).get(reference.name)
        if kept is not None and is_kept and here.state != KNOWN:
            shown = None if reference.is_secret else kept
            reference.state, reference.value, reference.explanation = KNOWN, shown, _STANDS
        # Shown though it is not written: the question is what the container gets, and this output is no manifest.
        if not here.value.is_secret and (is_known or here.state == KNOWN):
            reference.value = here.value.text

    def _resolve_target(self, reference: ExplainedReference, value: str | None, variables: Variables) -> None:
        """Explain a name in a target: it is a variable, or nothing."""
        is_variable = reference.name in variables
        reference.explanation = self._variable(reference)
        if value is not None:
            reference.state = KNOWN
            reference.value = None if reference.is_secret else value
            reference.explanation = reference.explanation if is_variable else _STANDS
        elif is_variable:
            reference.explanation += _NOT_INLINE.format(VARIABLES)
        else:
            reference.state = UNDEFINED

    def _variable(self, reference: ExplainedReference) -> str:
        """Return which variable a reference means, and who gave it its value."""
        name, called = reference.name, f"variable `{reference.name}`"
        return f"{called} of the {'command line' if name in self._arguments else 'functionConfig'}"
