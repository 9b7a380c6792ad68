"""Templates of a functionConfig, made into whole resources (docs/reference/generated-resources.md, "Templates").

All of a template gets the final form, its keys too, except the fields that the kubelet expands: they stay as written,
and are expanded after the merge, as in any other item.
"""

from __future__ import annotations

import re

from expand_vars.expansion import containers, findings, target_values
from expand_vars.expansion.sources import SourceItems
from expand_vars.expansion.target_values import FieldText, TargetValues
from expand_vars.functionconfig import GROUP
from expand_vars.functionconfig.decoding import REASON
from expand_vars.functionconfig.model import SECRETS
from krm import fieldpath, syntax
from krm.generation import updates
from krm.generation.settings import identity, is_of_tools
from krm.generation.updates import Update
from krm.merge import trees
from krm.resource import KPTFILE, Resource
from krm.results import ERROR, FnError, Result
from krm.template_comments import reading
from krm.template_comments.memory import Memory
from krm.yamltree import cuts, edits, scalars, splices
from krm.yamltree.editor import EditError
from krm.yamltree.nodes import Mapping, Scalar, placed
from krm.yamltree.target import Rewritten

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from expand_vars.expansion.run import Run
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.generation.settings import Identity
    from krm.yamltree.edits import Edit

_IDENTITY: tuple[Place, ...] = (("apiVersion",), ("kind",), ("metadata", "name"), ("metadata", "namespace"))
_NAMESPACE = _IDENTITY[-1]
_IN_A_KEY = re.compile(r"\$[^\n$?\\]*:|[?\\]")


def expand(run: Run) -> list[Update]:
    """Return the resources of the templates of a run's functionConfig. FnError names every mistake in them."""
    expanded = [_Expanded(template, run) for template in run.config.templates or ()]
    for one in expanded:
        one.expand()
    whole = [one for one in expanded if not one.mistakes]
    mistakes = [result for one in expanded for result in one.mistakes]
    mistakes += [*_generated_twice(whole), *_generated_sources(whole, run.config)]
    if mistakes:
        raise FnError(*mistakes)
    return [
        Update(
            updates.generated(one.resource.text, one.path, one.secrets),
            template_name=one.template_name,
            keys=one.keys,
            shown=one.shown,
        )
        for one in whole
    ]


def untakable(run: Run) -> list[Result]:
    """Return the mistakes in templates that no value of a variable mends: a run without all values tells these."""
    return [result for template in run.config.templates or () for result in _Expanded(template, run).mistakes]


class _Expanded:
    """A template with its references expanded. `mistakes` are those in it, `secrets` the places of something secret.

    `resource` has its text. `shown` has the same tree: most templates change nothing before the merge, and have that of
    the functionConfig already. `keys` are the places of the keys with a reference, each with the key as it is written.
    """

    def __init__(self, template: Resource, run: Run) -> None:
        """Take the template out of the functionConfig."""
        self.path = template.label
        self.shown = self.resource = template
        self.template_name = "/".join(identity(template))
        self.mistakes: list[Result] = []
        self.secrets: set[Place] = set()
        self.keys: dict[Place, str] = {}
        self._run = run
        try:
            text = template.editor.alone(template.base)
            self.resource = Resource.alone(text, self.path, json=cuts.is_json(text))
            self._refuse_comments()
            for name in syntax.names(text):
                run.variables.mention(name)
        except EditError as error:
            self._refuse(f"this cannot be taken out of the functionConfig: line {error.line}: {error.problem}")

    def expand(self) -> None:
        """Expand the keys, then the identity of the resource, which decides what its fields are, then the fields."""
        if self.resource is self.shown:  # it was not taken out
            return
        try:
            # In this order: a path of an error shows final keys, and the kind says which fields the kubelet expands.
            self._expand_keys()
            self._expand_identity()
            # The annotations with the place of the resource, before it has a file.
            nodes = self.shown.find(trees.ANNOTATIONS)
            notes = ((*trees.ANNOTATIONS, key) for _, node in nodes for key in trees.entries(node) if is_of_tools(key))
            self._rewrite({place: changes for _, place, _, changes in self._expanded(notes) if changes})
            self._mention()
        except syntax.TooLongError as error:
            self._refuse(f"a field is too long: {error}")
        except FnError as error:
            self.mistakes += error.results

    def refusal(self, message: str, *place: str | int) -> Result:
        """Return the error about a place of the template."""
        root = self.shown.root
        below = () if root is None else fieldpath.named(root, place)
        field = fieldpath.to_text((*fieldpath.parse(self.path), *below))
        return Result(message, ERROR, REASON, ref=self._run.config.ref, field=field)

    def _refuse(self, message: str, *place: str | int) -> None:
        self.mistakes.append(self.refusal(message, *place))

    def _refuse_comments(self) -> None:
        """Refuse comments that are templates of fields: a generated field keeps no comment."""
        found = [reading.templates(one.text, one.root) for one in reading.marked([self.resource])]
        for place in (place for one in found for place in (*one.templates, *(at for at, *_ in one.unplaced))):
            self._refuse(f"a comment `{reading.MARK}` has no effect in a template: write the reference itself", *place)

    def _expand_keys(self) -> None:
        """Expand every key. It must not become secret: the state of a resource shows its keys."""
        values = TargetValues(self.resource, Memory(), self._run)
        made: list[Edit] = []
        names: dict[Place, str] = {}
        # A reference in a key is in front of a colon. Most texts have none there, and need no walk.
        root = self.resource.root if _IN_A_KEY.search(self.resource.text) else None
        found = ((at, one) for at, one in placed(root, ()) if isinstance(one, Mapping))
        for place, mapping in ((at, one) for at, one in found if any("$" in (key or "") for key in one.entries)):
            first: dict[str, str] = {}
            for key in (key for key in mapping.kids[::2] if isinstance(key, Scalar)):
                here = (*place, key.value)
                changes = _changes(values, here, key)
                name = edits.apply(key.value, changes)
                if here in values.secrets:
                    self._refuse("a key cannot hold what is secret", *here)
                elif first.setdefault(name, key.value) != key.value:
                    self._refuse(f"this key becomes `{name}`, and so does `{first[name]}`", *here)
                elif changes:
                    made += splices.spelled(self.resource.text, Rewritten(key, changes), flow=mapping.flow)
                    names[here] = name
                    self.keys[tuple(names.get(here[: end + 1], step) for end, step in enumerate(here))] = key.value
        if made and not self.mistakes:
            text = edits.apply(self.resource.text, made)
            self.shown = self.resource = Resource.alone(text, self.path, json=cuts.is_json(text))

    def _expand_identity(self) -> None:
        """Expand the identity of the resource. Each name in it has a value, and the result is a string."""
        made: dict[Place, list[Edit]] = {}
        names: dict[Place, dict[str, None]] = {}
        # A reference that stays would be the name of an object, which no later run would find.
        for values, place, scalar, changes in self._expanded(_IDENTITY):
            if place in values.unresolved:
                self._refuse(f"`$({values.unresolved[place]})` has no value here, and it must have one", *place)
            elif place in values.secrets:
                self._refuse(findings.IN_A_NAME, *place)
            elif changes and place != _NAMESPACE and edits.apply(scalar.value, changes) == "":
                self._refuse("this becomes an empty text", *place)
            elif changes:
                made[place], names[place] = changes, dict.fromkeys(syntax.names(scalar.value))
        self._rewrite(made)
        for values, place, scalar, _ in self._expanded(made):
            self._run.results += values.misfits(place, scalar.value, names[place])
        if self.shown.group == GROUP or self.shown.kind == KPTFILE:
            what = f"`{self.shown.kind}` of `{self.shown.api_version}`"
            self._refuse(f"{what} is there for tools to read, and is not generated", "kind")

    def _rewrite(self, changes: dict[Place, list[Edit]]) -> None:
        if changes:
            self.resource.rewrite(changes)
            self.shown = self.resource

    def _expanded(self, places: Iterable[Place]) -> Iterator[tuple[TargetValues, Place, Scalar, list[Edit]]]:
        """Yield the scalars at some places with the edits that expand them, and with what is known of their names."""
        values = TargetValues(self.shown, Memory(), self._run)
        found = (one for place in places for one in self.shown.find(place))
        scalars = ((place, node) for place, node in found if isinstance(node, Scalar))
        yield from ((values, place, scalar, _changes(values, place, scalar)) for place, scalar in scalars)

    def _mention(self) -> None:
        """Note the variables in the fields, and the fields that get something secret."""
        config, variables = self._run.config, self._run.variables
        for place, scalar in containers.referring(self.shown):
            for name in target_values.names_in(place, scalar.value):
                variables.mention(name)
                is_inserted = SECRETS in config.inline or target_values.takes_secrets(self.shown, place)
                if is_inserted and variables.is_secret(name):
                    self.secrets.add(place)


def _changes(values: TargetValues, place: Place, scalar: Scalar) -> list[Edit]:
    """Return the edits that make the final form of a field."""
    text = scalars.string(scalar)
    if text is None or "$" not in text:
        return []
    field = FieldText(values, place, text)
    known = {name: values.value(name, place) for name in field.names}
    return field.edits(lambda part: syntax.final_edits(part, known.get))


def _generated_twice(expanded: Iterable[_Expanded]) -> Iterator[Result]:
    """Yield an error for each resource that a template before has generated."""
    first: dict[Identity, str] = {}
    for one in expanded:
        path = first.setdefault(identity(one.shown), one.path)
        if path != one.path:
            yield one.refusal(f"this is {one.shown.kind} `{one.shown.name}` again, which `{path}` generates")


def _generated_sources(expanded: Iterable[_Expanded], config: Config) -> Iterator[Result]:
    """Yield an error for each variable that is read from something generated."""
    paths = {one.shown: one.path for one in expanded}
    items = SourceItems([*paths])
    for source, path in config.sources:
        for resource in items.matching(source):
            what = f"{resource.kind} `{resource.name}`"
            message = f"{what} is what `{paths[resource]}` generates: variables are read before that"
            yield Result(message, ERROR, "InvalidSource", ref=config.ref, field=path)
