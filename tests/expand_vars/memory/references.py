"""The law of references in place: whoever gives the values, and whatever the user makes of the fields."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from expand_vars.record import fields
from krm.resource import Resource
from tests.expand_vars.memory import branches, editor, model, orchestrator, steps
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.world import Doc

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.expand_vars.memory.model import Tree

PATH = "pod.yaml"
POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web # theirs
spec:
  containers:
  - name: web
    env:
    - name: HOST
      value: "host.$(REGION)"
    - name: SIZE
      value: big
    args:
    - --region=$(REGION)   # odd
    - '--tag=$(TAG)'
    - --quiet
    - "$(HOST)"
    - --all=$(REGION)-$(TAG)-$(SIZE)
  - name: side
    args:
    - "$(TAG)"
    - "at $(REGION)"
    - plain
"""
VALUES = {"REGION": ("eu", "us", "jp"), "TAG": ("1", "2")}
HEAD = "apiVersion: expandvars.dev/v1alpha1\nkind: ExpandVars\nmetadata:\n  name: it\nspec:\n"


def shown(pod: Tree, values: dict[str, str]) -> Tree:
    """Return a Pod as it stands in the file: a container's entries of `env` count ahead of the variables."""
    containers = model.Keyed()
    for name, container in pod["spec"]["containers"].items():
        known = dict(values)
        env = model.Keyed()
        for key, entry in container.get("env", {}).items():
            value = model.expanded(entry["value"], known)
            # What is known in part only stays a reference: the kubelet knows the rest.
            known[key] = f"$({key})" if model.REFERENCE.search(value) else value
            env[key] = entry | {"value": value}
        args = tuple(model.expanded(one, known) for one in container.get("args", ()))
        containers[name] = container | ({"env": env} if env else {}) | ({"args": args} if args else {})
    return model.put(pod, ("spec", "containers"), containers)


class References(RuleBasedStateMachine):
    """One file, run after run. `pristine` is what it would be if nothing had ever been expanded, None if unknown."""

    happened: ClassVar[Counter[str]] = Counter()

    def __init__(self) -> None:
        super().__init__()
        self.doc = Doc(POD, model.tree(POD))
        self.pristine: str | None = POD
        self.recorded: Counter[str] = Counter()
        self.number = 0
        self.repository = branches.Repository()

    def note(self, what: str, *, is_change: bool = True) -> None:
        self.happened[what] += is_change

    @initialize(data=st.data())
    def start(self, data: st.DataObject) -> None:
        self.run(data, {name: data.draw(st.sampled_from(values)) for name, values in VALUES.items()})

    @rule(data=st.data())
    def some_give_values(self, data: st.DataObject) -> None:
        """A name that nobody gives keeps its value."""
        names = data.draw(st.sets(st.sampled_from(sorted(VALUES))))
        self.run(data, {name: data.draw(st.sampled_from(VALUES[name])) for name in sorted(names)})

    def run(self, data: st.DataObject, values: dict[str, str]) -> None:
        by = data.draw(st.sampled_from([_by_arguments, _by_config_map, _by_expand_vars]))
        before = self.doc.text
        ran = by({PATH: before}, values)
        assert ran.code == 0, ran.results
        doc = self.doc = Doc(ran.files[PATH], self.doc.tree, self.doc.values | values)
        assert model.tree(doc.text) == shown(doc.tree, doc.values), f"{doc.tree} by {doc.values}: {doc.text}"
        lost = self.recorded - _references(doc.tree)
        assert not lost or any(one.reason == "EditedByHand" for one in ran.results), lost
        assert by({PATH: doc.text}, values).files == ran.files
        self.recorded = _references(doc.tree) - _references(model.tree(doc.text))
        doc.values = {name: value for name, value in doc.values.items() if name in model.names(doc.tree)}
        self.note(by.__name__, is_change=doc.text != before)

    @rule(data=st.data())
    def user_changes_an_element(self, data: st.DataObject) -> None:
        """Insert, delete or change one argument: all others stay what they are."""
        found = [place for place in editor.places(self.doc.text) if place[-2:-1] == ("args",)]
        if found:
            place = data.draw(st.sampled_from(found))
            at, index = steps.general(self.doc.text, place), int(place[-1])
            word = data.draw(st.sampled_from([self.unique(), "--mine=$(REGION)", "--mine=$(NOBODY)"]))
            change = data.draw(st.sampled_from(steps.EDITS))
            _, number = change(self.doc.text, place, word)
            before = model.at(self.doc.tree, at)
            after = (*before[:index], *([word] * (change is not steps.EDITS[1])), *before[index + number :])
            tree = model.put(self.doc.tree, at, after or NOWHERE)
            self.edit(lambda text: change(text, place, word)[0], tree, "user_changes_an_element")

    @rule(data=st.data())
    def user_changes_an_entry(self, data: st.DataObject) -> None:
        """What refers to an entry of `env` follows it."""
        name = data.draw(st.sampled_from(["HOST", "SIZE"]))
        value = data.draw(st.sampled_from([self.unique(), "at.$(REGION)", NOWHERE]))
        path = ("spec", "containers", "web", "env", name, *([] if value is NOWHERE else ["value"]))
        if model.at(self.doc.tree, path) is not NOWHERE:
            tree = model.put(self.doc.tree, path, value)
            self.edit(lambda text: steps.write(text, path, value), tree, "user_changes_an_entry")

    @rule(data=st.data())
    def user_comments(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(editor.places(self.doc.text)))
        word = self.unique()
        self.edit(lambda text: editor.comment_above(text, place, word), self.doc.tree, "user_comments")

    @rule(data=st.data())
    def user_adds_a_label(self, data: st.DataObject) -> None:
        path, word = ("metadata", "labels", data.draw(st.sampled_from(["a", "b"]))), self.unique()
        tree = model.put(self.doc.tree, path, word)
        self.edit(lambda text: steps.write(text, path, word), tree, "user_adds_a_label")

    def edit(self, change: Callable[[str], str], tree: Tree, what: str) -> None:
        """Let a user change the file, and what it would be without any run."""
        self.note(what)
        self.doc = Doc(change(self.doc.text), tree, self.doc.values)
        if self.pristine is not None:
            self.pristine = change(self.pristine)

    def unique(self) -> str:
        self.number += 1
        return f"--mine-{self.number}"

    @precondition(lambda self: self.pristine is not None)
    @rule(data=st.data())
    def branches_are_merged(self, data: st.DataObject) -> None:
        self.run(data, {})
        state = vars(self)
        names = ("doc", "pristine", "recorded")
        base, sides = {name: deepcopy(state[name]) for name in names}, []
        for _ in range(2):
            state |= deepcopy(base)
            for _ in range(data.draw(st.integers(1, 2))):
                getattr(self, data.draw(st.sampled_from(ON_A_BRANCH)))(data=data)
            self.run(data, {})
            sides.append({name: state[name] for name in names})
        ours, theirs = sides
        before, *texts = (side["doc"].text for side in (base, ours, theirs))
        files, unmerged = self.repository.merged({PATH: before}, *({PATH: text} for text in texts))
        doc = None if unmerged else _merged(files[PATH], base["doc"], ours["doc"], theirs["doc"])
        is_both = doc is not None and files[PATH] not in texts
        state |= theirs if files[PATH] == theirs["doc"].text else ours
        if doc is not None and is_both:
            self.doc, self.pristine = doc, None
            self.recorded = _references(doc.tree) - _references(model.tree(doc.text))
        self.note("branches_are_merged", is_change=is_both)
        self.run(data, {})

    @rule()
    def restored(self) -> None:
        """Put all references back: what nobody expanded, byte for byte, and the next run starts from there."""
        item = Resource(self.doc.text, (0, len(self.doc.text)), PATH)
        fields.restore(item)
        assert model.tree(item.text) == self.doc.tree
        assert self.pristine in (None, item.text), item.text
        self.note("restored", is_change=item.text != self.doc.text)
        self.doc, self.recorded = Doc(item.text, self.doc.tree), Counter()

    def teardown(self) -> None:
        self.repository.close()


ON_A_BRANCH = ("some_give_values", "user_changes_an_element", "user_changes_an_entry", "user_adds_a_label")


def _references(pod: Tree) -> Counter[str]:
    """Return the texts of a Pod that are references, each as often as it is there."""
    texts = [one for _, leaf in model.leaves(pod) for one in (leaf if isinstance(leaf, tuple) else (leaf,))]
    return Counter(text for text in texts if model.REFERENCE.search(text))


def _merged(text: str, base: Doc, ours: Doc, theirs: Doc) -> Doc | None:
    """Return what is known of a file that git has merged; None where a person would look, and take ours."""
    conflicts: list[Any] = []
    tree = model.merged(base.tree, ours.tree, theirs.tree, conflicts)
    values = model.merged(base.values, ours.values, theirs.values, conflicts)
    is_known = not conflicts and model.tree(text) == shown(tree, values)
    return Doc(text, tree, values) if is_known else None


def _by_arguments(files: dict[str, str], values: dict[str, str]) -> orchestrator.Ran:
    return orchestrator.run_with(files, None, values.items())


def _by_config_map(files: dict[str, str], values: dict[str, str]) -> orchestrator.Ran:
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: function-input\n"
    return orchestrator.run_with(files, _config(head + editor.dumped({"data": values})))


def _by_expand_vars(files: dict[str, str], values: dict[str, str]) -> orchestrator.Ran:
    variables = [{"name": name, "value": value} for name, value in values.items()]
    return orchestrator.run_with(files, _config(f"{HEAD}  variables: {editor.scalar(variables)}\n"))


def _config(text: str) -> Resource:
    return Resource(text, (0, len(text)), "the functionConfig")
