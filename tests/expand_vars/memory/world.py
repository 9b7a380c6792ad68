"""A package and its history as a person knows it.

Beside the text of each resource stands what nobody can read from it: which functionConfig generated it, from which
template, and which fields are references still. `entries` is what the states have. No annotation and no state of ours
is ever read.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tests.expand_vars.memory import editor, model

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.expand_vars.memory.model import Path, Tree

    Name = tuple[str, str]  # that of a functionConfig, and a template of it as it is written

SUB = "sub/"
STATE = ".generated.yaml"
BETWEEN = "---\n"
SKIP = "expandvars.dev/skip"
HEAD = """\
apiVersion: expandvars.dev/v1alpha1
kind: ExpandVars
metadata:
  name: {}
  annotations:
    config.kubernetes.io/local-config: "true"
"""
KPTFILE = """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
  annotations:
    config.kubernetes.io/local-config: "true"
"""
PIN = "hunter-1"
PINS = """\
apiVersion: v1
kind: Secret
metadata:
  name: pins
stringData:
  pin: {}
"""


@dataclass
class Config:
    """A functionConfig. Its templates are whole resources."""

    name: str
    values: dict[str, str]
    templates: list[Tree] = field(default_factory=list)
    policy: str = "TakeUpdate"

    @property
    def text(self) -> str:
        variables: list[dict] = [{"name": name, "value": value} for name, value in self.values.items() if name != "PIN"]
        # What nobody may write cannot be declared.
        if any(one["kind"] == "Secret" for one in self.templates):
            variables.append({"name": "PIN", "valueFrom": {"secretKeyRef": {"name": "pins", "key": "pin"}}})
        templates = [model.data(one) for one in self.templates]
        spec = {"variables": variables, "templates": templates, "merge": {"onConflict": self.policy}}
        return HEAD.format(self.name) + editor.dumped({"spec": spec})

    def updates(self) -> dict[str, Tree]:
        """Return what the templates generate, by what each template is called as it is written."""
        return {model.written(one): model.filled(one, self.values) for one in self.templates}


@dataclass(frozen=True)
class Entry:
    """What was generated from a template the last time, the file that it has, and what was written there."""

    origin: Tree
    home: str
    written: Tree


@dataclass
class Doc:
    """A resource in a file, with the functionConfig and the template that its mark names.

    `tree` has its templates, which stand in the text with these values.
    """

    text: str
    tree: Tree
    values: dict[str, str] = field(default_factory=dict)
    owner: Name | None = None
    comments: dict[str, Path] = field(default_factory=dict)

    @property
    def is_closed(self) -> bool:
        """True if its user lets no run of ours touch it."""
        return f"{SKIP}: " in self.text

    def edited(self, text: str) -> Doc:
        """Return it with a text that a user made of it: a reference stays where its field still has the same text."""
        tree = model.followed(model.tree(text), model.tree(self.text), self.tree)
        return replace(self.as_left(text), tree=tree)

    def as_left(self, text: str) -> Doc:
        """Return it with the text that a run left of it: the comments at what went are forgotten."""
        comments = {comment: at for comment, at in self.comments.items() if comment in text}
        return replace(self, text=text, comments=comments)


def file_of(key: str) -> str:
    """Return the file in which a resource is."""
    return key.partition("#")[0]


def together(docs: Iterable[str], path: str) -> list[str]:
    """Return the resources of one file, in their order there."""
    return [key for key in docs if file_of(key) == path]


class World:
    """A package: its resources by their files, and its functionConfigs by theirs.

    Of several resources in one file each has a number behind the path: `apps/web.yaml#1`.
    """

    def __init__(self) -> None:
        self.docs: dict[str, Doc] = {}
        self.states: dict[str, str] = {}
        self.entries: dict[Name, Entry] = {}
        self.configs: dict[str, Config] = {}
        self.ahead: list[str] = []
        self.behind: list[str] = []
        self.pin = PIN

    @property
    def files(self) -> dict[str, str]:
        texts = {path: config.text for path, config in self.configs.items()}
        for key, doc in self.docs.items():
            path = file_of(key)
            texts[path] = f"{texts[path]}{BETWEEN}{doc.text}" if path in texts else doc.text
        texts |= self.states | {"Kptfile": KPTFILE, f"{SUB}Kptfile": KPTFILE, "pins.yaml": PINS.format(self.pin)}
        return dict(sorted(texts.items()))

    def set_pin(self, pin: str) -> None:
        """Let a Secret have another value, which all functionConfigs read."""
        self.pin = pin
        for config in self.configs.values():
            config.values = config.values | {"PIN": pin}

    def copy(self) -> World:
        return deepcopy(self)
