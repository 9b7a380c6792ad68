"""The context of one run: what all steps of an expansion share."""

from __future__ import annotations

from expand_vars.expansion import left_alone
from expand_vars.expansion.cluster import Cluster
from expand_vars.expansion.findings import OF_KUSTOMIZE, Findings
from expand_vars.expansion.history import History, declarations
from expand_vars.functionconfig import GROUP, is_config
from expand_vars.functionconfig.model import SECRETS
from krm import validation
from krm.results import FnError
from krm.secrets import NamesOfSecrets
from krm.textslice import holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from expand_vars.expansion.current import Current
    from expand_vars.expansion.explanation import Explanation
    from expand_vars.expansion.kustomize import Kustomize
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.config import Config
    from krm.fieldpath import Place
    from krm.resource import Resource
    from krm.results import Result
    from krm.template_comments.memory import Memory


class Run:
    """A functionConfig, its variables, the items, and the findings about them.

    `memories` are the templates in the comments of the items, by the `id()` of the item, `ours` the items that have
    annotations of ours or are functionConfigs. `findings` are about references and are joined field by field; `results`
    are all others. `generated` are the items that this run generates, by `id()`, `templates` the names of what each
    template makes, in their order. `current` are the items that show its values already, None where nobody asked.
    `history` has the texts of names that stay, and those that change. `explanation` is None unless somebody wants one.
    """

    def __init__(
        self, config: Config, variables: Variables, kustomize: Kustomize, explanation: Explanation | None = None
    ) -> None:
        self.config = config
        self.variables = variables
        self.kustomize = kustomize
        self.explanation = explanation
        # `explain` and a run share one collector, so that both find the same.
        self.findings: Findings = explanation or Findings(config.unresolved)
        self.pod_specs = config.pod_templates
        self.results: list[Result] = []
        self.generated: Collection[int] = frozenset()
        self.templates: list[str] = []
        self.current: Current | None = None
        self.take((), {})

    def take(self, items: Sequence[Resource], memories: dict[int, Memory], ours: Sequence[Resource] = ()) -> None:
        """Take the present items: the generation adds and removes some."""
        self.items = items
        self.ours = ours
        self.memories = memories
        if self.explanation is not None:
            self.explanation.of_secrets = NamesOfSecrets(items)
        self._declaring: dict[str, str] | None = None
        self.history = History(self.config.ref, items)
        self.cluster = Cluster(items, reads_secrets=SECRETS in self.config.inline)

    @property
    def bare(self) -> list[Resource]:
        """The kustomizations that say no `kind`: nothing is expanded in them."""
        found = self.kustomize.bare(self.items) if self.variables.names else []
        return [one for one in found if not left_alone.why(one, self.config)]

    def declaring(self, name: str) -> str:
        """Return another functionConfig among the items that declares a variable, empty where none does."""
        if self._declaring is None:
            from krm.generation.packages import owner_text  # noqa: PLC0415 - most runs leave no reference

            others = [one for one in function_configs(self.ours) if not left_alone.is_run_config(one, self.config)]
            givers = ((owner_text(one), declarations(one)) for one in reversed(others))
            self._declaring = {name: giver for giver, declared in givers for name, _ in declared}
        return self._declaring.get(name, "")

    def leave_to_kustomize(self, name: str, resource: Resource, place: Place) -> bool:
        """Leave a name to kustomize, with a finding, if that expands it when it builds an item. True if it does."""
        why = self.kustomize.expands(name, resource, place)
        if why:
            self.findings.add(resource, OF_KUSTOMIZE, name, f"`$({name})` stays: {why}", place)
        return bool(why)

    def is_text(self, resource: Resource, place: Place) -> bool:
        """True for a free text that is never a number: one of Kubernetes' own, and of kustomize's all but `count`."""
        is_of_kustomize = left_alone.is_kustomization(resource) and place[-1] != "count"
        return is_of_kustomize or validation.is_text(resource, place, self.pod_specs)


def function_configs(items: Iterable[Resource]) -> Iterator[Resource]:
    """Yield the items of kind ExpandVars."""
    # Annotations of ours have no version.
    return (item for item in holding(items, f"{GROUP}/v") if holds(item, is_config))


def holds(item: Resource, asked: Callable[[Resource], bool]) -> bool:
    """True if something holds for an item, which is read for this alone."""
    try:
        return asked(item)
    except FnError:  # the item is reported where it is expanded, or nobody needs it
        return False
    finally:
        item.release()
