"""The fields that this run expands and the kubelet does not: targets, and fields that cannot hold a reference.

docs/reference/expansion.md, "Further fields: targets".
"""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import chain

from expand_vars.expansion import containers, findings, left_alone, target_values
from expand_vars.expansion.run import holds
from expand_vars.expansion.target_values import FieldText, TargetValues
from krm import syntax
from krm.fieldpath import BELOW, parted
from krm.results import ERROR, FnError, Result, notice
from krm.selector import is_selected
from krm.syntax import TooLongError
from krm.validation import NAMES, grammar, is_number
from krm.workloads import has_own_syntax
from krm.yamltree import edits
from krm.yamltree.nodes import Scalar, resolved
from krm.yamltree.scalars import string

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from expand_vars.expansion.explanation import MetTarget
    from expand_vars.expansion.run import Run
    from expand_vars.functionconfig.model import FieldsToExpand
    from krm.fieldpath import FieldPath, Place
    from krm.resource import Resource
    from krm.template_comments.memory import Memory, TemplateField
    from krm.yamltree.edits import EditsByPlace
    from krm.yamltree.nodes import Node

_EXPANDED_ANYWAY = "the kubelet expands this, so it is expanded anyway and is no target"
_NO_FIELD = "leads to no field of any item", "mend its path or its selector"
_NO_TEXT = (
    "leads to a mapping or a list, and no text",
    "put `[*]` behind its path for the texts in that, or `.**` for all that are below",
)


class TargetFields:
    """The targets in one resource, and their edits. `memory` has the templates in its comments.

    `met` are the fields with references. `taken` are the free texts that `All` takes, and `free` are those that no
    target selects. `open` are the fields that take the type of their value, True for a number. `inside` has the paths
    inside a file if targets lead only to parts of that file.
    """

    def __init__(self, resource: Resource, memory: Memory) -> None:
        self.resource = resource
        self.memory = memory
        self.edits: EditsByPlace = {}
        self.met: list[MetTarget] = []
        self.open: dict[Place, bool] = {}
        self.free: list[tuple[Place, str]] = []
        self.taken: set[Place] = set()
        self.inside: dict[Place, list[FieldPath]] = {}


class Targets:
    """The targets of a functionConfig, and which of them have led to a field."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._reached: dict[str, bool] = {}
        self._taken: Counter[str] = Counter()

    def expand(self, resource: Resource, memory: Memory) -> TargetFields:
        """Return the fields of a resource that this run expands and the kubelet does not.

        These are the fields that cannot hold a reference, the fields with a template in a comment, and the targets. A
        text without a known name never changes.
        """
        fields = TargetFields(resource, memory)
        values = TargetValues(resource, memory, self._run)
        for place, scalar in self._found(resource, fields).items():
            # A number, a boolean and null have no reference.
            if "$" in (string(scalar) or ""):
                try:
                    self._expand_field(fields, values, place, scalar)
                except TooLongError as error:
                    raise findings.too_long(resource, place, error) from None
        if self._run.explanation is None:  # an explanation writes nothing
            resource.secrets |= values.secrets
        return fields

    def _expand_field(self, fields: TargetFields, values: TargetValues, place: Place, scalar: Scalar) -> None:
        """Collect the change of one field."""
        text = scalar.value
        paths = fields.inside.get(place, ())
        shown = fields.memory.fields.get(place)
        field = FieldText(values, place, text, paths, None if shown is None or not paths else shown.text)
        # `All` expands declared names only. Any other `$(name)` in a free text belongs to its author.
        is_taken = place in fields.taken
        asked = [name for name in field.names if not is_taken or self._is_ours(name, fields, place)]
        known = {name: None if self._is_refused(fields, place, name) else values.value(name, place) for name in asked}
        given = {name: value for name, value in known.items() if value is not None}
        if not fields.memory.note(place, given):
            return
        fields.met.append((place, text, known, place in values.secrets))
        is_unescaped = partial(self._is_unescaped, shown)
        try:
            # In a template of the functionConfig every `$` is for this run.
            if place in fields.memory.followed:
                made = field.edits(lambda part: syntax.final_edits(part, known.get))
            else:
                made = field.edits(lambda part: syntax.plain_edits(part, known.get, is_unescaped))
        except FnError as error:
            self._run.results += error.results
            return
        self._run.results += self._run.kustomize.broken_entries(str(fields.resource.file), text, given)
        if made:
            fields.edits[place] = made
            held = grammar(fields.resource, place, self._run.pod_specs)
            is_open = target_values.is_open(place, scalar, made, held)
            if is_open and (held or not self._run.is_text(fields.resource, place)):
                fields.open[place] = is_number(held)
            if held:
                self._run.results += values.misfits(place, edits.apply(text, made), given)

    def _is_refused(self, fields: TargetFields, place: Place, name: str) -> bool:
        """Report a secret variable in the name of a resource, which every message shows. True if there is one."""
        variables = self._run.variables
        if place not in NAMES or name not in variables or not variables.is_secret(name):
            return False
        variables.mention(name)
        self._run.findings.add(fields.resource, findings.SECRET_REFERENCE, name, findings.IN_A_NAME, place)
        return True

    def _found(self, resource: Resource, fields: TargetFields) -> dict[Place, Scalar]:
        """Return the scalars that this run expands, and note the others with a reference as free text."""
        found, shown = self._named(resource, fields), self._in_comments(fields)
        fields.taken |= {at for at, one in shown.items() if at not in found and self._is_taken(fields, at, one.value)}
        found |= shown
        for place, scalar in self._left_by_the_kubelet(resource):
            if place in found:
                continue
            if not has_own_syntax(resource) and grammar(resource, place, self._run.pod_specs):
                found[place] = scalar
            elif self._is_taken(fields, place, scalar.value):
                found[place] = scalar
                fields.taken.add(place)
                self._taken[resource.kind] += 1
            else:
                fields.free.append((place, scalar.value))
        return found

    def _is_taken(self, fields: TargetFields, place: Place, text: str) -> bool:
        """True if `All` takes a free text. The text must refer to a variable."""
        is_of_all = left_alone.is_of_all(fields.resource, self._run.config)
        if not is_of_all or not left_alone.is_taken(fields.resource, place, self._run.pod_specs):
            return False
        return any(self._is_ours(name, fields, place) for name in target_values.names_in(place, text))

    def _is_ours(self, name: str, fields: TargetFields, place: Place) -> bool:
        """True if a name in a free text is, or was, a variable that kustomize does not expand there."""
        is_variable = name in self._run.variables or fields.memory.present_text(place, name) is not None
        return is_variable and not self._run.leave_to_kustomize(name, fields.resource, place)

    def _left_by_the_kubelet(self, resource: Resource) -> Iterator[tuple[Place, Scalar]]:
        """Yield the scalars with a reference that the kubelet does not expand, without the bookkeeping of tools."""
        # Most items have none, and then there is no walk through their scalars.
        if "$(" not in resource.own_text and "\\" not in resource.own_text:
            return
        for place, scalar in containers.referring(resource):
            if not (left_alone.is_note_of_tools(place) or self._run.pod_specs.is_expanded(resource, place)):
                yield place, scalar

    def _is_unescaped(self, field: TemplateField | None, name: str) -> bool:
        """True if `$$(NAME)` becomes `$(NAME)` in a field: the name is declared, or the field has `$(NAME)` already."""
        if name in self._run.variables:
            self._run.variables.mention(name)
        return name in self._run.variables or (field is not None and name in field.unescaped)

    def results(self) -> Iterator[Result]:
        """Yield the results of the targets after all items: the texts that `All` took, and targets without a text."""
        ref = self._run.config.ref
        taken = sorted((kind, count) for kind, count in self._taken.items() if count)
        if taken:
            kinds = ", ".join(f"{count} of {kind}" for kind, count in taken)
            yield notice(f"`All` takes texts with references: {kinds}", findings.TAKEN, ref=ref)
        for target in (target for target in self._run.config.targets if not (target.preset or self._reaches(target))):
            led, remedy = _NO_TEXT if target.path in self._reached else _NO_FIELD
            if target.required:
                message = f"this target is required, and {led}: {remedy}"
                yield Result(message, ERROR, "RequiredTarget", ref=ref, field=target.path)
            else:
                message = f"this target {led}, so it has no effect: {remedy}"
                yield notice(message, findings.NO_EFFECT, ref=ref, field=target.path)

    def report_bare(self, resource: Resource) -> None:
        """Report references to variables in a document that is no item, because they are not expanded."""
        left = self._left_by_the_kubelet(resource)
        self.report_untargeted(resource, ((place, scalar.value) for place, scalar in left))

    def report_untargeted(self, resource: Resource, free: Iterable[tuple[Place, str]]) -> None:
        """Report references to variables in fields that are neither targets nor expanded by the kubelet."""
        places: dict[tuple[str, str], list[Place]] = {}
        variables = self._run.variables
        for place, text in free:
            owner = left_alone.owner(resource, place)
            for name in filter(variables.__contains__, target_values.names_in(place, text)):
                is_of_kustomize = self._run.leave_to_kustomize(name, resource, place)
                if is_of_kustomize or owner or not left_alone.explained(resource, place, text):
                    variables.mention(name)
                    if not (is_of_kustomize or left_alone.declares(resource, place, name)):
                        places.setdefault((name, owner), []).append(place)
        for (name, owner), found in places.items():
            if owner:
                why = f"`$(...)` is syntax of {owner} itself, and the variable `{name}` is not inserted there"
                reason = findings.OWN_SYNTAX
            else:
                reason = findings.UNTARGETED_REFERENCE
                why = left_alone.advice(resource, found, self._run.pod_specs, self._run.config.ref)
            self._run.findings.add(resource, reason, name, f"`$({name})` stays: {why}", *found)

    def _named(self, resource: Resource, fields: TargetFields) -> dict[Place, Scalar]:
        """Return the scalars that targets lead to or into, without the bookkeeping of tools in annotations."""
        found: dict[Place, Scalar] = {}
        files: dict[Place, Scalar] = {}
        for target in self._run.config.targets:
            led = self._follow(target, resource)
            refused = [at for at, _ in chain(*led.values()) if self._run.pod_specs.is_expanded(resource, at)]
            # A field cannot have both forms: the kubelet would expand every `$$` once more.
            if refused:
                message = f"{_EXPANDED_ANYWAY}: remove it from `{target.path}`"
                self._run.results.append(resource.result(message, ERROR, "InvalidTarget", *refused))
            for path, nodes in led.items():
                outside, inside = parted(path)
                of_path = _expandable(nodes)
                if inside is None:
                    found |= of_path
                    continue
                files |= {place: one for place, one in _expandable(resource.find(outside)).items() if place in of_path}
                for place in of_path:
                    fields.inside.setdefault(place, []).append(inside)
        fields.inside = {place: paths for place, paths in fields.inside.items() if place not in found}
        if self._run.config.kustomize_vars:
            paths = left_alone.of_kustomize(resource, self._run.pod_specs)
            found |= _expandable(node for path in paths for node in resource.find(path))
        return files | found

    def _in_comments(self, fields: TargetFields) -> dict[Place, Scalar]:
        """Return the scalars with a template in a comment, without those that the kubelet expands."""
        resource, pod_specs = fields.resource, self._run.pod_specs
        found = (place for place in fields.memory.fields if not pod_specs.is_expanded(resource, place))
        return _expandable(node for place in found for node in resource.find(place))

    def _follow(self, target: FieldsToExpand, resource: Resource) -> dict[FieldPath, list[tuple[Place, Node]]]:
        """Follow the paths of a target in a resource: return the nodes by path, and note whether one is a text."""
        if not is_selected(resource, target.select, target.reject):
            return {}
        found = {path: resource.find(path) for path in target.field_paths}
        # With `**` these are the texts that `All` takes.
        for path in (path for path in found if BELOW in path):
            texts = (one for one in found[path] if isinstance(resolved(one[1]), Scalar))
            found[path] = [one for one in texts if left_alone.is_taken(resource, one[0], self._run.pod_specs)]
        # A field that is refused counts, too: the path is not misspelt.
        for _, node in chain.from_iterable(found.values()):
            is_text = isinstance(resolved(node), Scalar)
            self._reached[target.path] = self._reached.get(target.path, False) or is_text
        return found

    def _reaches(self, target: FieldsToExpand) -> bool:
        """True if a target leads to a text. An item that had nothing to expand is read for this alone."""
        waiting = iter(self._run.items)
        while not self._reached.get(target.path) and (item := next(waiting, None)) is not None:
            holds(item, lambda one: bool(self._follow(target, one)))
        return self._reached.get(target.path, False)


def _expandable(nodes: Iterable[tuple[Place, Node]]) -> dict[Place, Scalar]:
    """Return the nodes that are scalars, without the bookkeeping of tools in annotations."""
    scalars = ((place, one) for place, node in nodes if isinstance(one := resolved(node), Scalar))
    return {place: one for place, one in scalars if not left_alone.is_note_of_tools(place)}
