"""The law as a state machine: whatever happens to a package between two runs, the next one keeps the promises."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.expand_vars.memory import branches, checks, expected, model, orchestrator
from tests.expand_vars.memory.author import Author
from tests.expand_vars.memory.world import PIN, Config, Doc

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

ON_A_BRANCH = (
    "author_changes_a_template",
    "author_changes_variables",
    "user_changes_a_field",
    "user_changes_an_argument",
    "user_comments",
    "user_moves_a_file",
    "user_puts_resources_together",
)


class Package(Author):
    """A package with templates, whose author, user and functions do as they please."""

    @initialize(data=st.data(), paths=st.sampled_from([("a.yaml",), ("a.yaml", "b.yaml")]))
    def start(self, data: st.DataObject, paths: tuple[str, ...]) -> None:
        for path in paths:
            self.world.configs[path] = Config(path[0], {"REGION": "eu", "COUNT": "1", "PIN": PIN})
            for _ in range(data.draw(st.integers(1, 2))):
                self.add_template(data, path)
        self.world.docs["own.yaml"] = Doc(OWN, model.tree(OWN))
        self.render()

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def branches_are_merged(self, data: st.DataObject) -> None:
        """Let two branches go on from a package that was rendered, render each, and merge them."""
        self.render()
        base, sides, self.focus = self.world, [], self.doc(data)
        for _ in range(2):
            self.world = base.copy()
            for _ in range(data.draw(st.integers(1, 3))):
                getattr(self, data.draw(st.sampled_from(ON_A_BRANCH)))(data=data)
            self.render()
            sides.append(self.world)
        self.focus = ""
        self.world = branches.merged(self.repository, base, *sides)
        is_both = all(self.world.files != side.files for side in sides)
        self.note("branches_are_merged", is_change=is_both)
        self.render()

    # What other functions do, and ours.

    @rule(data=st.data())
    def functions_change(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(orchestrator.FUNCTIONS)))
        functions = self.world.ahead if data.draw(st.booleans()) else self.world.behind
        functions.remove(name) if name in functions else functions.append(name)
        self.note("functions_change")

    @rule(data=st.data())
    def render_by_the_command_line(self, data: st.DataObject) -> None:
        """Now and then, since a process takes its time."""
        if data.draw(st.booleans()):
            self.pipeline(orchestrator.run_on_disk)
            self.note("render_by_the_command_line")

    @rule()
    def render(self) -> None:
        """Run the pipeline, and once more: then nothing changes."""
        # What ours adds is there for a function ahead of it in the next run alone.
        first = self.pipeline() if self.world.ahead else []
        first += self.pipeline()
        # A later function renames what is closed to ours, of which no name is noted. If its template is called
        # otherwise as well, nobody knows it any more, and the template is made anew.
        if self.world.behind and any(doc.is_closed for doc in self.world.docs.values()):
            first += self.pipeline()
        files = self.world.files
        second = self.pipeline()
        assert self.world.files == files, {*self.world.files.items()} ^ {*files.items()}
        # A name that another function set is another than the generated one, and an earlier functionConfig of the
        # pipeline meets for the first time what a later one has added: both are told by the next run.
        is_alone = len(self.world.configs) == 1 and not self.world.behind
        quiet = set() if is_alone else {"LocalOverride", "UnusedVariable", "ValueNotTaken"}
        # No entry is left of the copies of what was pruned or handed over. Those that are closed are not named as such.
        told = {one.reason for one in first}
        is_closed = any(doc.is_closed for doc in self.world.docs.values())
        if "Copied" in told or (is_closed and not told.isdisjoint({"HandedOver", "TakenOver"})):
            quiet |= {"AmbiguousCopies", "KeptChanged", "NotPruned", "Orphaned"}
        # While the next functionConfig may take one over, the first says nothing of it.
        if len(self.world.configs) > 1:
            quiet |= {"KeptChanged", "NotPruned"}
        # Where no state knew what was generated, the first run names the fields that differ, and writes a state.
        unknown = {(one.name, one.field) for one in first if one.reason == "MissingState"}
        later = [one for one in second if one.reason != "LocalOverride" or (one.name, one.field) not in unknown]
        news = {one.reason for one in later} - {one.reason for one in first} - quiet
        assert not news, [one for one in later if one.reason in news]
        self.note("render")

    def pipeline(self, run: Callable[..., orchestrator.Ran] = orchestrator.run) -> list[orchestrator.Told]:
        told = []
        self.run_functions(self.world.ahead)
        for path in sorted(self.world.configs):
            outcome = expected.outcome(self.world, path)
            ran = run(self.world.files, path)
            self.note("refused", is_change=outcome.is_refused)
            checks.check(self.world, outcome, ran)
            told += ran.results
        if not any(one.severity == "error" for one in told):  # which ends a pipeline
            self.run_functions(self.world.behind)
        return told

    def run_functions(self, names: Iterable[str]) -> None:
        for path in self.world.docs:
            for name in names:
                doc = self.world.docs[path]
                self.world.docs[path] = doc.edited(orchestrator.FUNCTIONS[name](doc.text))

    def teardown(self) -> None:
        self.repository.close()
        if self.world.docs:
            self.render()


OWN = """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: own # nobody's business
data:
  a: "blue"   # odd
  b:   green
"""
