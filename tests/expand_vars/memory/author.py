"""What the author of the functionConfigs does."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.expand_vars.memory import model, steps
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.user import User
from tests.expand_vars.memory.world import Config

KINDS = [*steps.SLOTS]
NAMES = {"a.yaml": ("shop", "cart-$(REGION)", "pay", "log"), "b.yaml": ("bar", "db-$(REGION)", "tap")}
POLICIES = ("TakeUpdate", "KeepLocal", "Error")


class Author(User):
    """The author of templates and variables, who at times changes what the user changed."""

    def add_template(self, data: st.DataObject, path: str) -> None:
        config = self.world.configs[path]
        everywhere = (one for config in self.world.configs.values() for one in config.templates)
        taken = {(one["kind"], one["metadata"]["name"]) for one in everywhere}
        free = [(kind, name) for kind in KINDS for name in NAMES[path] if (kind, name) not in taken]
        config.templates.append(data.draw(steps.templates(*data.draw(st.sampled_from(free)))))

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

    @rule(data=st.data())
    def author_changes_what_the_user_changes(self, data: st.DataObject) -> None:
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
            template = config.templates[number]
            # A text beside a template that stays is one that follows it (docs/reference/runs-in-place.md).
            at, value = data.draw(steps.changes(template).filter(lambda one: steps.changed(template, *one) != template))
            _, other = data.draw(
                steps.changes(model.shown(doc.tree, doc.values), at).filter(lambda one: one[1] != value)
            )
            config.policy = data.draw(st.sampled_from([*POLICIES, "Error"]))
            config.templates[number] = steps.changed(config.templates[number], at, value)
            self.change(path, at, other, "author_changes_what_the_user_changes")
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

    @rule(data=st.data())
    def author_changes_a_secret(self, data: st.DataObject) -> None:
        self.world.set_pin(self.unique(data.draw(st.sampled_from(["hunter", "hunter's"]))))
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
    def author_changes_a_namespace(self, data: st.DataObject) -> None:
        """What is in another namespace is another resource."""
        config = self.config(data)
        if config.templates:
            number = data.draw(st.integers(0, len(config.templates) - 1))
            before = config.templates[number]
            namespace = data.draw(st.sampled_from([NOWHERE, *steps.NAMESPACES]))
            config.templates[number] = model.put(before, ("metadata", "namespace"), namespace)
            self.note("author_changes_a_namespace", is_change=config.templates[number] != before)

    @rule(data=st.data())
    def author_renames_a_functionconfig(self, data: st.DataObject) -> None:
        self.config(data).name = self.unique("shop")
        self.note("author_renames_a_functionconfig")
