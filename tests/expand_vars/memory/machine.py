"""The law as a state machine: whatever happens to a package between two runs, the next one keeps the promises."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.expand_vars.memory import branches, checks, editor, model, orchestrator, steps
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import PIN, SKIP, SUB, Config, Doc, World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

KINDS = [*steps.SLOTS]
NAMES = {"a.yaml": ("shop", "cart-$(REGION)", "pay", "log"), "b.yaml": ("bar", "db-$(REGION)", "tap")}
POLICIES = ("TakeUpdate", "KeepLocal", "Error")
ON_A_BRANCH = (
    "author_changes_a_template",
    "author_changes_variables",
    "user_changes_a_field",
    "user_changes_an_argument",
    "user_comments",
    "user_moves_a_file",
)


class Package(RuleBasedStateMachine):
    """A package with templates, whose author, user and functions do as they please."""

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

    @initialize(data=st.data(), paths=st.sampled_from([("a.yaml",), ("a.yaml", "b.yaml")]))
    def start(self, data: st.DataObject, paths: tuple[str, ...]) -> None:
        for path in paths:
            self.world.configs[path] = Config(path[0], {"REGION": "eu", "COUNT": "1", "PIN": PIN})
            for _ in range(data.draw(st.integers(1, 2))):
                self.add_template(data, path)
        self.world.docs["own.yaml"] = Doc(OWN, model.tree(OWN))
        self.render()

    def add_template(self, data: st.DataObject, path: str) -> None:
        config = self.world.configs[path]
        everywhere = (one for config in self.world.configs.values() for one in config.templates)
        taken = {(one["kind"], one["metadata"]["name"]) for one in everywhere}
        free = [(kind, name) for kind in KINDS for name in NAMES[path] if (kind, name) not in taken]
        config.templates.append(data.draw(steps.templates(*data.draw(st.sampled_from(free)))))

    # What the author of the functionConfigs does.

    def config(self, data: st.DataObject) -> Config:
        return self.world.configs[data.draw(st.sampled_from(sorted(self.world.configs)))]

    @rule(data=st.data())
    def author_adds_a_template(self, data: st.DataObject) -> None:
        path = data.draw(st.sampled_from(sorted(self.world.configs)))
        if len(self.world.configs[path].templates) < 4:
            self.add_template(data, path)
            self.note("author_adds_a_template")

    @rule(data=st.data())
    def author_drops_a_template(self, data: st.DataObject) -> None:
        config = self.config(data)
        if len(config.templates) > 1 or (config.templates and not data.draw(st.integers(0, 3))):
            config.templates.pop(data.draw(st.integers(0, len(config.templates) - 1)))
            self.note("author_drops_a_template")

    @rule(data=st.data())
    def author_drops_what_the_user_changed(self, data: st.DataObject) -> None:
        """Chance alone would seldom do both to one resource."""
        several = {one.name: one for one in self.world.configs.values() if len(one.templates) > 1}
        owners = ((path, doc.owner) for path, doc in self.world.docs.items() if doc.owner)
        found = [(path, *owner) for path, owner in owners if owner[0] in several]
        if found:
            self.focus, name, template = data.draw(st.sampled_from(found))
            self.user_changes_a_field(data=data)
            self.focus = ""
            before = several[name].templates
            several[name].templates = [one for one in before if model.written(one) != template]
            self.note("author_drops_what_the_user_changed", is_change=several[name].templates != before)

    @rule(data=st.data(), policy=st.sampled_from(POLICIES))
    def author_changes_what_the_user_changes(self, data: st.DataObject, policy: str) -> None:
        """Chance alone would seldom make a conflict, with each policy."""
        templates = {
            (config.name, model.written(one)): (config, number)
            for config in self.world.configs.values()
            for number, one in enumerate(config.templates)
        }
        docs = self.world.docs.items()
        found = [(path, templates[doc.owner]) for path, doc in docs if doc.owner and doc.owner in templates]
        if found:
            path, (config, number) = data.draw(st.sampled_from(found))
            doc = self.world.docs[path]
            at, value = data.draw(steps.changes(config.templates[number]))
            _, other = data.draw(steps.changes(model.shown(doc.tree, doc.values), at))
            config.policy = policy
            config.templates[number] = steps.changed(config.templates[number], at, value)
            self.edit(path, steps.write(doc.text, at, other), "author_changes_what_the_user_changes")
            self.render()

    @rule(data=st.data())
    def author_changes_a_template(self, data: st.DataObject) -> None:
        config = self.config(data)
        if config.templates:
            number = data.draw(st.integers(0, len(config.templates) - 1))
            before = config.templates[number]
            config.templates[number] = steps.changed(before, *data.draw(steps.changes(before)))
            self.note("author_changes_a_template", is_change=config.templates[number] != before)

    @rule(data=st.data())
    def author_changes_variables(self, data: st.DataObject) -> None:
        region, count = data.draw(st.sampled_from(steps.REGIONS)), data.draw(st.sampled_from(steps.COUNTS))
        config = self.config(data)
        before, config.values = config.values, {"REGION": region, "COUNT": count, "PIN": self.world.pin}
        self.note("author_changes_variables", is_change=config.values != before)

    @rule()
    def author_changes_a_secret(self) -> None:
        self.world.set_pin(self.unique("hunter"))
        self.note("author_changes_a_secret")

    @rule(data=st.data())
    def author_changes_the_policy(self, data: st.DataObject) -> None:
        config = self.config(data)
        before, config.policy = config.policy, data.draw(st.sampled_from(POLICIES))
        self.note("author_changes_the_policy", is_change=config.policy != before)

    @rule(data=st.data())
    def author_moves_a_template(self, data: st.DataObject) -> None:
        """To the other functionConfig, which may be a new one."""
        self.world.configs.setdefault("b.yaml", Config("b", self.world.configs["a.yaml"].values))
        giver = data.draw(
            st.sampled_from([path for path, one in self.world.configs.items() if one.templates] or ["a.yaml"])
        )
        (taker,) = self.world.configs.keys() - {giver}
        moved = self.world.configs[giver].templates[-1:]
        del self.world.configs[giver].templates[-1:]
        self.world.configs[taker].templates.extend(moved)
        self.note("author_moves_a_template", is_change=bool(moved))

    @rule(data=st.data())
    def author_renames_a_functionconfig(self, data: st.DataObject) -> None:
        self.config(data).name = self.unique("shop")
        self.note("author_renames_a_functionconfig")

    # What the user does to the files.

    def doc(self, data: st.DataObject) -> str:
        return self.focus if self.focus in self.world.docs else data.draw(st.sampled_from(sorted(self.world.docs)))

    def edit(self, path: str, text: str, what: str) -> None:
        doc = self.world.docs[path]
        self.note(what, is_change=text != doc.text)
        self.world.docs[path] = doc.edited(text)

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_changes_a_field(self, data: st.DataObject) -> None:
        path = self.doc(data)
        doc = self.world.docs[path]
        at, value = data.draw(steps.changes(model.shown(doc.tree, doc.values)))
        self.edit(path, steps.write(doc.text, at, value), "user_changes_a_field")

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_comments(self, data: st.DataObject) -> None:
        write = data.draw(st.sampled_from([editor.comment_above, editor.comment_behind]))
        path = self.doc(data)
        doc, comment = self.world.docs[path], self.unique("mine")
        place = data.draw(st.sampled_from(editor.places(doc.text)))
        text = write(doc.text, place, comment)
        if text != doc.text:
            self.edit(path, text, "user_comments")
            self.world.docs[path].comments[comment] = steps.general(text, place)

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_changes_an_argument(self, data: st.DataObject) -> None:
        """Change one element of a list without keys: the others stay what they are, references too."""
        change = data.draw(st.sampled_from(steps.EDITS))
        path = self.doc(data)
        doc = self.world.docs[path]
        found = [place for place in editor.places(doc.text) if isinstance(place[-1], int)]
        if not found:
            return
        place = data.draw(st.sampled_from(found))
        at, index = steps.general(doc.text, place), int(place[-1])
        word = self.unique("--mine")
        text, number = change(doc.text, place, word)
        self.edit(path, text, "user_changes_an_argument")
        before = model.at(doc.tree, at)
        after = (*before[:index], *([word] * (word in text)), *before[index + number :])
        edited = self.world.docs[path]
        edited.tree = model.put(edited.tree, at, after or NOWHERE)

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_renames_a_resource(self, data: st.DataObject) -> None:
        path = self.doc(data)
        text = editor.set_scalar(self.world.docs[path].text, ("metadata", "name"), self.unique("own"))
        self.edit(path, text, "user_renames_a_resource")

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_closes_a_resource_to_functions(self, data: st.DataObject) -> None:
        """Or opens it again."""
        path = self.doc(data)
        doc = self.world.docs[path]
        write = editor.delete_annotation if doc.is_closed else editor.add_annotation
        self.edit(path, write(doc.text, SKIP), "user_closes_a_resource_to_functions")

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_moves_a_file(self, data: st.DataObject) -> None:
        folder = data.draw(st.sampled_from(["apps/", SUB]))
        self.world.docs[f"{folder}{self.unique('file')}.yaml"] = self.world.docs.pop(self.doc(data))
        self.note("user_moves_a_file")

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_copies_a_file(self, data: st.DataObject) -> None:
        doc = self.world.docs[self.doc(data)]
        path, name = f"{self.unique('copy')}.yaml", self.unique("copied")
        # A copy can stand in front of its original.
        path = data.draw(st.sampled_from(["", "z-"])) + path
        self.world.docs[path] = replace(doc, comments={**doc.comments})
        self.edit(path, editor.set_scalar(doc.text, ("metadata", "name"), name), "user_copies_a_file")

    @precondition(lambda self: len(self.world.docs) > 2)
    @rule(data=st.data())
    def user_deletes_a_file(self, data: st.DataObject) -> None:
        del self.world.docs[self.doc(data)]
        self.note("user_deletes_a_file")

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

    @rule(name=st.sampled_from(sorted(orchestrator.FUNCTIONS)), is_ahead=st.booleans())
    def functions_change(self, name: str, *, is_ahead: bool) -> None:
        functions = self.world.ahead if is_ahead else self.world.behind
        functions.remove(name) if name in functions else functions.append(name)
        self.note("functions_change")

    @rule(data=st.data())
    def render_by_the_command_line(self, data: st.DataObject) -> None:
        """Now and then, since a process takes its time."""
        if not data.draw(st.integers(0, 2)):
            self.pipeline(orchestrator.run_on_disk)
            self.note("render_by_the_command_line")

    @rule()
    def render(self) -> None:
        """Run the pipeline, and once more: then nothing changes."""
        # What ours adds is there for a function ahead of it in the next run alone.
        told = self.pipeline() if self.world.ahead else []
        first = [*told, *self.pipeline()]
        files = self.world.files
        second = self.pipeline()
        assert self.world.files == files, {*self.world.files.items()} ^ {*files.items()}
        # A name that another function set is another than the generated one, and an earlier functionConfig of the
        # pipeline meets for the first time what a later one has added: both are told by the next run.
        is_alone = len(self.world.configs) == 1 and not self.world.behind
        quiet = set() if is_alone else {"LocalOverride", "UnusedVariable", "ValueNotTaken"}
        news = {one.reason for one in second} - {one.reason for one in first} - quiet
        assert not news, [one for one in second if one.reason in news]
        self.note("render")

    def pipeline(self, run: Callable[..., orchestrator.Ran] = orchestrator.run) -> list[orchestrator.Told]:
        told = []
        self.run_functions(self.world.ahead)
        for path in sorted(self.world.configs):
            outcome = self.world.expected(path)
            ran = run(self.world.files, path)
            self.note("refused", is_change=outcome.is_refused)
            checks.check(self.world, outcome, ran)
            told += ran.results
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
