"""The context of one run: what all steps of an expansion share."""

from __future__ import annotations

from expand_vars.expansion.cluster import Cluster
from expand_vars.expansion.findings import Findings
from expand_vars.expansion.resolution import SECRETS
from krm.workloads import PodSpecs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from expand_vars.expansion.explanation import Explanation
    from expand_vars.expansion.variables import Variables
    from expand_vars.functionconfig.model import Config, Options
    from expand_vars.record.fields import Memory
    from krm.resource import Resource
    from krm.results import Result


class Run:
    """A functionConfig, its variables, the items, and the findings about them.

    `memories` are the records of the items that have one, by the item's `id()`, `ours` the items that have annotations
    of ours or are functionConfigs. `findings` are about references and are joined field by field; `results` are all
    others.
    `generated` are the items that this run generates, by `id()`. `explanation` is None unless somebody wants one.
    """

    __slots__ = (
        "cluster",
        "config",
        "explanation",
        "findings",
        "generated",
        "items",
        "memories",
        "ours",
        "pod_specs",
        "results",
        "variables",
    )

    def __init__(self, config: Config, variables: Variables, explanation: Explanation | None = None) -> None:
        self.config = config
        self.variables = variables
        self.explanation = explanation
        # One collector for both, so that `explain` and a run cannot differ in what they find.
        self.findings: Findings = explanation or Findings(config.unresolved)
        self.pod_specs = PodSpecs(config.pod_templates)
        self.results: list[Result] = []
        self.generated: Collection[int] = frozenset()
        self.take((), {})

    def take(self, items: Sequence[Resource], memories: dict[int, Memory], ours: Sequence[Resource] = ()) -> None:
        """Take the items as they now stand: generating adds some and removes others."""
        self.items = items
        self.ours = ours
        self.memories = memories
        self.cluster = Cluster(items, reads_secrets=SECRETS in self.config.inline)

    def seen_by(self, kept: dict[str, str | None], options: Options) -> Run:
        """Return this run as one item sees it, which keeps the texts of some variables (`Variables.seen_by`).

        The options with which an earlier run expanded it count where the functionConfig gives none.
        """
        # Not a new run: that would index all items again for each one that has a record.
        seen = Run.__new__(Run)
        for name in Run.__slots__:
            setattr(seen, name, getattr(self, name))
        seen.variables = self.variables.seen_by(kept)
        if options:
            seen.config = self.config.with_options(options)
            seen.cluster = self.cluster.seen_with(reads_secrets=SECRETS in seen.config.inline)
        return seen
