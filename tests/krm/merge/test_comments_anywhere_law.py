"""The law of comments at any place of a manifest: none is lost in silence, none is doubled, none changes the data.

Each comment is a text of its own, put between or behind lines, at some column, with or without blank lines around it.
Nothing here knows which comment belongs to which node.
"""

from __future__ import annotations

from random import Random

import pytest
import yaml
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from krm.file import File
from krm.merge.files import composition
from krm.merge.files.object_merge import BaseRule
from krm.merge.policy import Policy

# A line that starts with `~` is the text of a block: no comment can stand above or behind it.
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
  replicas: 2
  template:
    spec:
      containers:
      - name: web
        image: web:1
        env:
        - name: A
          value: a
        - name: B
          value: b
        ports:
        - containerPort: 80
          name: http
      - name: side
        image: side:1
""",
    "ConfigMap": """\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
data:
  host: db
  file: |
~    one
~    two
  level: info
""",
    "PrometheusRule": """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: web
spec:
  groups:
  - name: web
    rules:
    - alert: Down
      expr: |
~        up == 0
      for: 15m
      labels:
        severity: critical
    - alert: Slow
      expr: slow
      for: 5m
""",
    "two documents": """\
---
apiVersion: v1
kind: Service
metadata:
  name: a
spec:
  type: ClusterIP
  ports:
  - port: 80
    name: http
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: b
spec:
  ingressClassName: nginx
  rules:
  - host: a.example
  - host: b.example
""",
}
KEPT = "name:", "kind:", "apiVersion:", "port:", "containerPort:", "alert:"


class Side:
    """A text in lines, each with whether it is the text of a block."""

    def __init__(self, rng: Random, lines: list[tuple[str, bool]], prefix: str) -> None:
        self.rng = rng
        self.lines = list(lines)
        self.prefix = prefix
        self.count = 0

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line, _ in self.lines)

    def comment(self) -> None:
        """Put a new comment somewhere."""
        self.count += 1
        comment = f"# {self.prefix}{self.count}."
        at = self.rng.choice([number for number, (_, is_text) in enumerate(self.lines) if not is_text])
        line = self.lines[at][0]
        if self.rng.choice((True, False, False)) and line.strip() and "#" not in line and "|" not in line:
            self.lines[at] = f"{line} {comment}", False
            return
        indented = len(line) - len(line.lstrip())
        column = self.rng.choice((indented, indented, 0, indented + 2, max(indented - 2, 0)))
        blank = [("", False)]
        above, below = (blank if self.rng.choice((True, False)) else [] for _ in range(2))
        # Right below a block a deeper line would be its text.
        above_it = [
            is_text for above, is_text in self.lines[:at] if above.strip() and not above.lstrip().startswith("#")
        ]
        column = 0 if above_it[-1:] == [True] else column
        self.lines[at:at] = [*above, (" " * column + comment, False), *below]

    def forget(self) -> None:
        """Take a comment away that has a line of its own."""
        there = [number for number, (line, _) in enumerate(self.lines) if line.lstrip().startswith("#")]
        if there:
            del self.lines[self.rng.choice(there)]

    def edit(self) -> None:
        """Change or remove a value of one line."""
        there = [
            number
            for number, (line, is_text) in enumerate(self.lines)
            if not is_text
            and ": " in line
            and "#" not in line
            and "|" not in line
            and not any(key in line for key in KEPT)
        ]
        if there:
            at = self.rng.choice(there)
            if self.rng.choice((True, False)) or self.lines[at][0].lstrip().startswith("- "):
                self.lines[at] = f"{self.lines[at][0]}x", False
            else:
                del self.lines[at]

    def changed(self) -> Side:
        for act in self.rng.choices((self.comment, self.comment, self.forget, self.edit), k=3):
            act()
        return self


def merged(*texts: str) -> tuple[str, set[str]]:
    """Return what comes of origin, update and local, and the reasons of what is told."""
    decide = BaseRule(Policy("KeepLocal"))
    origin, update, local = (File(text, "a.yaml") for text in texts)
    output = composition.merge(origin, update, local, decide)
    return "".join(output.pieces), {result.reason for result in output.results}


def without_comments(text: str) -> str:
    lines = (line.partition("#")[0].rstrip() for line in text.splitlines())
    return "".join(f"{line}\n" for line in lines if line)


@pytest.mark.parametrize("kind", MANIFESTS)
@given(seed=st.integers(0, 2**64))
@example(seed=180)  # of two documents: a comment behind the `---` of one side, one above it on the other
@settings(max_examples=max(60, settings().max_examples // 4))
def test_a_comment_anywhere_is_kept_or_told(kind: str, seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - for tests
    lines = [(line.lstrip("~"), line.startswith("~")) for line in MANIFESTS[kind].splitlines()]
    origin = Side(rng, lines, "o")
    for _ in range(rng.randrange(3)):
        origin.comment()
    update, local = (Side(rng, origin.lines, prefix).changed() for prefix in "ul")
    texts = origin.text, update.text, local.text
    # The line that kept a comment from being the text of a block may have gone.
    assume(all([*yaml.safe_load_all(text)] == [*yaml.safe_load_all(without_comments(text))] for text in texts))
    result, told = merged(*texts)
    words = [{word for word in text.split() if word[0] in "oul" and word[1:].rstrip(".").isdigit()} for text in texts]
    for word in words[2]:
        is_removed = word in words[0] and word not in words[1]
        assert word in result.split() or is_removed or told & {"CommentGone", "CommentKept", "Conflict"}
    for word in words[1] - words[0]:
        assert word in result.split() or told & {"CommentKept", "Conflict"}
    assert not [word for word in set.union(*words) if result.split().count(word) > 1 and not told]
    plain, told_of_plain = merged(*map(without_comments, texts))
    # What is a conflict side by side may be none where a comment and a blank line part the two.
    is_parted = "Conflict" in told_of_plain and "Conflict" not in told
    assert is_parted or [*yaml.safe_load_all(result)] == [*yaml.safe_load_all(plain)]
