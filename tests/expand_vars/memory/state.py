"""A package between two runs: its files and functionConfigs, and how those who change it get hold of them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine

from tests.expand_vars.memory import branches
from tests.expand_vars.memory.world import World

if TYPE_CHECKING:
    from tests.expand_vars.memory.world import Config


class State(RuleBasedStateMachine):
    """What all rules share: the package, and a count of what has happened to it."""

    happened: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        self.number = 0
        self.focus = ""
        self.repository = branches.Repository()

    def note(self, what: str, *, is_change: bool = True) -> None:
        """Count what really changed something."""
        self.happened[what] += is_change

    def unique(self, word: str) -> str:
        self.number += 1
        return f"{word}-{self.number}"

    def config(self, data: st.DataObject) -> Config:
        return self.world.configs[data.draw(st.sampled_from(sorted(self.world.configs)))]

    def doc(self, data: st.DataObject) -> str:
        return self.focus if self.focus in self.world.docs else data.draw(st.sampled_from(sorted(self.world.docs)))

    def edit(self, path: str, text: str, what: str) -> None:
        doc = self.world.docs[path]
        self.note(what, is_change=text != doc.text)
        self.world.docs[path] = doc.edited(text)

    def render(self) -> None:
        """Run the pipeline."""
        raise NotImplementedError
