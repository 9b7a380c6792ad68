"""git's law: where `git merge-file` is clean and right, ours give the same data, and no comment less or twice.

The judge reads with PyYAML and compares by paths. It tells null from absent and knows nothing of our merges.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from random import Random
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from krm.file import File
from krm.git import cascade, line_merge
from krm.git.line_merge import Labels, ThreeTexts
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy

IS_NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
TIMES = 5000 if IS_NIGHTLY else 125
MANIFESTS = {
    "Deployment": """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels:
    app: web
    tier: front
spec:
  # one is enough at night
  replicas: 2
  paused: false
  strategy: {}
  template:
    spec:
      nodeSelector: null
      containers:
      - name: web
        image: web:1
        args: []
        # read by the start script
        env:
        - name: A
          value: a
        - name: B
          value: b
        ports:
        - containerPort: 80
          name: http
      - name: side
        image: side:1 # pinned
""",
    "values": """\
# Values of a chart.
defaults: &defaults
  size: 1
  zone: eu

# -- how many
replicas: 1
nodeSelector: {}
tolerations: []
prefix:
cache:
  <<: *defaults
  kind: memory
queue: *defaults

# -- what starts
command:
- run
- --port=80
- --log=info
script: |
  one
  two
  three
last: yes
""",
    "definition": """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  creationTimestamp: null
  name: widgets.example.com
spec:
  group: example.com
  names:
    kind: Widget
    plural: widgets
  versions:
  - name: v1
    served: true
    storage: true
  - name: v1beta1
    served: true
    storage: false
status:
  conditions: []
  storedVersions: []
""",
    "two documents": """\
apiVersion: v1
kind: Service
metadata:
  name: a
spec:
  # for the cluster
  type: ClusterIP
  selector:
    app: a
  ports:
  - port: 80
    name: http
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
data:
  host: db
  level: info

  # the pool
  size: "3"
  mode: x
""",
}
ENTRY = re.compile(r"(?P<start> *(?:- )?[\w.]+:)(?P<value> [^&*|<#]*)?$")
WORDS = " null", " {}", " []", " x", " 7", ' "7"', ""


class Side:
    """A text in lines, as one author edits it: each word that comes in is the author's own."""

    def __init__(self, rng: Random, text: str, author: str) -> None:
        self.lines = text.splitlines()
        self._rng = rng
        self._author = author
        self._count = 0

    def edited(self) -> str:
        for _ in range(self._rng.randint(1, 3)):
            self._rng.choice(
                (self._value, self._value, self._comment, self._blank, self._key, self._gone, self._word)
            )()
        return "".join(f"{line}\n" for line in self.lines)

    def _at(self) -> int:
        return self._rng.randrange(len(self.lines))

    def _named(self) -> str:
        self._count += 1
        return f"{self._author}{self._count}"

    def _value(self) -> None:
        at = self._at()
        match = ENTRY.match(self.lines[at])
        # A name that is a list or a number tells no element from another: that is a conflict, and the law of renames.
        if match and match["value"] and "- name:" not in self.lines[at]:
            self.lines[at] = match["start"] + self._rng.choice((*WORDS, f" {self._named()}"))

    def _word(self) -> None:
        at = self._at()
        self.lines[at] = re.sub(r"^( *- )[^:]*$", rf"\g<1>{self._named()}", self.lines[at])

    def _column(self, at: int) -> str:
        return re.match(" *", self.lines[at])[0]  # type: ignore[index]  # it matches nothing, too

    def _comment(self) -> None:
        at = self._at()
        self.lines.insert(at, f"{self._column(at)}# {self._named()}")

    def _blank(self) -> None:
        self.lines.insert(self._at(), "")

    def _key(self) -> None:
        at = self._at()
        self.lines.insert(at, f"{self._column(at)}{self._named()}:{self._rng.choice(WORDS)}")

    def _gone(self) -> None:
        del self.lines[self._at()]


class Loader(yaml.CSafeLoader):
    """A reader that refuses a key that is there twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:  # noqa: FBT001, FBT002
        keys = [key.value for key, _ in node.value]
        if len({*keys}) < len(keys):
            raise yaml.YAMLError
        return super().construct_mapping(node, deep)


def data(text: str | bytes) -> Any:
    """Return the documents of a text by their names, None if it is no YAML."""
    try:
        found = [*yaml.load_all(text, Loader)]
        return {str(one.get("metadata", number)): one for number, one in enumerate(found)}
    except (yaml.YAMLError, AttributeError, TypeError, ValueError):
        return None


class Clash(Exception):  # noqa: N818 - it is an answer
    """Both sides changed one value."""


GONE = object()


def by_path(origin: Any, update: Any, local: Any) -> Any:
    """Return the merge of three values, a list by the numbers of its elements. Clash where both sides changed one."""
    if same(update, local) or same(update, origin):
        return local
    if same(local, origin):
        return update
    if all(isinstance(side, dict) for side in (origin, update, local)):
        merged = {
            key: by_path(*(side.get(key, GONE) for side in (origin, update, local))) for key in origin | update | local
        }
        return {key: value for key, value in merged.items() if value is not GONE}
    if (
        all(isinstance(side, list) for side in (origin, update, local))
        and len({*map(len, (origin, update, local))}) == 1
    ):
        return [by_path(*elements) for elements in zip(origin, update, local, strict=True)]
    raise Clash


def same(one: Any, other: Any) -> bool:
    return one is other or (GONE not in (one, other) and repr(one) == repr(other))


def comments(text: str | bytes) -> Counter[str]:
    return Counter(re.findall(r"(?:^|\s)(#.*)", text if isinstance(text, str) else text.decode()))


@pytest.mark.parametrize("kind", MANIFESTS)
@given(seed=st.integers(0, 2**64))
@settings(max_examples=TIMES, derandomize=not IS_NIGHTLY)
def test_what_git_merges_right_is_merged_so(kind: str, seed: int) -> None:
    hold(kind, seed)


@pytest.mark.parametrize(("kind", "seed"), [("two documents", 215719487), ("values", 177906699)])
def test_a_comment_at_what_moved_or_has_another_name_stays_once(kind: str, seed: int) -> None:
    hold(kind, seed)


def hold(kind: str, seed: int) -> None:
    """Merge a manifest that both sides have edited at random, in two doors, and compare the answers with git's."""
    rng = Random(seed)  # noqa: S311 - for tests
    origin = MANIFESTS[kind]
    update, local = (Side(rng, origin, author).edited() for author in ("u", "l"))
    texts = ThreeTexts(origin.encode(), update.encode(), local.encode())
    git = line_merge.merge(texts, Labels(), line_merge.MARKER_SIZE)
    sides = [data(text) for text in (origin, update, local)]
    if git.conflicts or None in sides:
        return
    try:
        wanted = by_path(*sides)
    except Clash:
        return
    if data(git.text) != wanted:
        return
    driver = cascade.merge(texts, "a.yaml", Labels(), line_merge.MARKER_SIZE)
    assert (driver.conflicts, data(driver.text)) == (0, wanted)
    assert comments(driver.text) == comments(git.text)
    before, new, own = (File(text, "a.yaml") for text in (origin, update, local))
    output = composition.merge(before, new, own, BaseRule(Policy()))
    merged = "".join(output.pieces)
    assert data(merged) == wanted
    assert comments(merged) == comments(git.text)
