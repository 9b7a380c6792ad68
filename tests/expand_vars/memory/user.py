"""What the user does to the files of a package."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.expand_vars.memory import editor, model, steps
from tests.expand_vars.memory.model import NOWHERE
from tests.expand_vars.memory.state import State
from tests.expand_vars.memory.world import SKIP, SUB, file_of, together

if TYPE_CHECKING:
    from tests.expand_vars.memory.model import Path, Tree


class User(State):
    """The user, who edits, renames, moves, copies and deletes."""

    def change(self, path: str, at: Path, value: Tree, what: str) -> None:
        """Change a field. A text of the shape of a template in a comment, as a secret has, follows the variable.

        So does another reference that is written over such a text.
        docs/reference/runs-in-place.md says so ("What a name gets").
        """
        doc = self.world.docs[path]
        template, text = model.at(doc.tree, at), model.at(model.tree(doc.text), at)
        # A run that was refused has left the comment of the text before.
        commented = re.search(rf"^  {at[-1]}: .* # expand: (.*)$", doc.text, re.MULTILINE)
        template = commented[1] if commented is not None else template
        self.edit(path, steps.write(doc.text, at, value), what)
        is_shown = isinstance(template, str) and text != template and "$(PIN)" in template
        if is_shown and isinstance(value, str) and "$(PIN)" in value:
            self.world.docs[path].tree = model.put(self.world.docs[path].tree, at, str(value))
        elif is_shown and isinstance(value, str) and model.REFERENCE.fullmatch(template) and not model.names(value):
            self.world.docs[path].tree = model.put(self.world.docs[path].tree, at, template)

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_changes_a_field(self, data: st.DataObject) -> None:
        path = self.doc(data)
        doc = self.world.docs[path]
        at, value = data.draw(steps.changes(model.shown(doc.tree, doc.values)))
        self.change(path, at, value, "user_changes_a_field")

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
    def user_changes_a_namespace(self, data: st.DataObject) -> None:
        path, namespace = self.doc(data), data.draw(st.sampled_from(steps.NAMESPACES))
        text = steps.write(self.world.docs[path].text, ("metadata", "namespace"), namespace)
        self.edit(path, text, "user_changes_a_namespace")

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

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_puts_resources_together(self, data: st.DataObject) -> None:
        """Into one file: one of them comes behind all others there."""
        docs = self.world.docs
        path, second = file_of(data.draw(st.sampled_from(sorted(docs)))), self.doc(data)
        there = [docs.pop(key) for key in together([*docs], path) if key != second]
        moved = [*there, docs.pop(second)]
        docs |= {f"{path}#{number}": doc for number, doc in enumerate(moved)}
        self.world.docs = dict(sorted(docs.items()))
        self.note("user_puts_resources_together")

    @precondition(lambda self: self.world.docs)
    @rule(data=st.data())
    def user_deletes_a_resource(self, data: st.DataObject) -> None:
        if len(self.world.docs) > 2:
            del self.world.docs[self.doc(data)]
            self.note("user_deletes_a_resource")
