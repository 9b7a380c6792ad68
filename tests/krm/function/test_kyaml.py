"""KYAML stays KYAML: whatever an edit puts into it stands there as Kubernetes' own encoder writes it."""

from __future__ import annotations

import copy
import json
import subprocess
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import krm
from krm import fieldpath
from tests.krm.package.directories import tries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from krm.fieldpath import Place

TEXT = """\
---
{
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "web",
    labels: {
      app: "web",
    },
    annotations: {},
  },
  spec: {
    replicas: 1, # by hand
    template: {
      spec: {
        containers: [{
          name: "c",
          args: [
            "a", # the first
          ],
          ports: [],
        }],
        hosts: ["x", "y"],
      },
    },
  },
}
"""
C = "spec.template.spec.containers[name=c]"
SET: dict[str, tuple[str, Any, str, str]] = {
    "a label": ("metadata.labels['a.b/c']", "x", '      app: "web",\n', '      app: "web",\n      a.b/c: "x",\n'),
    "a key that is no word": (
        "metadata['-x']",
        "on",
        "    annotations: {},\n",
        '    annotations: {},\n    "-x": "on",\n',
    ),
    "a key that Go takes for true": (
        "spec.t",
        1,
        "      },\n    },\n  },\n}",
        '      },\n    },\n    "t": 1,\n  },\n}',
    ),
    "the first entry": (
        "metadata.annotations.a",
        "b",
        "    annotations: {},\n",
        '    annotations: {\n      a: "b",\n    },\n',
    ),
    "the first element": (
        f"{C}.ports",
        [{"containerPort": 80}],
        "ports: [],\n",
        "ports: [{\n            containerPort: 80,\n          }],\n",
    ),
    "the first scalar": (f"{C}.ports", [80], "ports: [],\n", "ports: [\n            80,\n          ],\n"),
    "an element": (f"{C}.args", ["a", "b"], '"a", # the first\n', '"a", # the first\n            "b",\n'),
    "an element of a list in one line": ("spec.template.spec.hosts", ["x", "y", "z"], '["x", "y"]', '["x", "y", "z"]'),
    "an object in a list": (
        "spec.template.spec.containers[name=d].image",
        "i",
        "        }],\n",
        '        }, {\n          name: "d",\n          image: "i",\n        }],\n',
    ),
    "a text": ("spec.replicas", "two", "replicas: 1,", 'replicas: "two",'),
    "a mapping": (
        "spec.replicas",
        {"a": {"b": None, "c": []}},
        "replicas: 1,",
        "replicas: {\n      a: {\n        b: null,\n        c: [],\n      },\n    },",
    ),
    "lines": (
        "metadata.uid",
        "a\n  b\n\nc",
        "annotations: {},",
        'annotations: {},\n    uid: "\\\n       a\\n\\\n      \\  b\\n\\\n       \\n\\\n       c\\\n      ",',
    ),
    "a list of lists": (
        "spec.replicas",
        [[1], ["a", {}]],
        "replicas: 1,",
        'replicas: [[\n      1,\n    ], [\n      "a",\n      {},\n    ]],',
    ),
}


@pytest.mark.parametrize("case", SET)
def test_what_comes_in_is_kyaml(case: str) -> None:
    path, value, before, after = SET[case]

    def change(resources: krm.ResourceList) -> None:
        resources.items[0].set(path, value)

    assert TEXT.count(before) == 1
    assert krm.transform(TEXT, change).text == TEXT.replace(before, after)


def test_an_object_behind_another_one_is_kyaml() -> None:
    def change(resources: krm.ResourceList) -> None:
        resources.add({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "m"}, "data": {"mode": "0644"}})

    new = '  apiVersion: "v1",\n  kind: "ConfigMap",\n  metadata: {\n    name: "m",\n  },\n'
    new += '  data: {\n    mode: "0644",\n  },\n'
    assert krm.transform(TEXT, change).text == f"{TEXT}---\n{{\n{new}}}\n"


def test_quotes_of_an_object_become_those_of_kyaml() -> None:
    def change(resources: krm.ResourceList) -> None:
        resources.add("kind: A\nx: ['it''s', \"a\", b, 1, !!str 2]\n")

    listed = '    "it\'s",\n    "a",\n    "b",\n    1,\n    "2",\n'
    assert krm.transform(TEXT, change).text == f'{TEXT}---\n{{\n  kind: "A",\n  x: [\n{listed}  ],\n}}\n'


@pytest.mark.parametrize("item", ["# why\napiVersion: v1\nkind: A\n", "apiVersion: v1\nkind: A\nspec: !mine {a: 1}\n"])
def test_what_brackets_cannot_hold_stays_as_it_is_written(item: str) -> None:
    def change(resources: krm.ResourceList) -> None:
        resources.add(item)

    assert krm.transform(TEXT, change).text == f"{TEXT}---\n{item}"


@pytest.mark.parametrize("text", ["a: {b: x}\n", "a: {\n  b: x,\n}\n", 'a: {\n  "b": "x"\n}\n', '{a: {b: "x"}}\n'])
def test_other_brackets_keep_their_own_form(text: str) -> None:
    def change(resources: krm.ResourceList) -> None:
        resources.items[0].set("a.c", ["z"])

    after = krm.transform(text, change).text
    assert "c: [z]" in after


# A law on random trees.

KEYS = [
    "app",
    "a.b/c",
    "-x",
    "yes",
    "1",
    "t",
    "a b",
    "",
    "é",
    "x:y",
    "a#b",
    "x-",
    "_",
    "1.5",
    "null",
    "2024-01-01",
    "k" * 130,
]
TEXTS = [
    "x",
    "",
    "8080",
    "on",
    "~",
    "a: b",
    " # c",
    "it's",
    '"',
    "\\n",
    "a\nb",
    "a\n",
    "\n a\n\n  b",
    "é",
    "{x}",
    "0644",
    "$(A)",
]


def value(chance: Random, depth: int) -> Any:
    kind = chance.choice(["text", "text", "other", "mapping", "objects", "scalars"][: 3 if depth > 3 else 6])
    if kind == "mapping":
        return {key: value(chance, depth + 1) for key in chance.sample(KEYS, chance.randint(0, 3))}
    if kind == "objects":
        return [{"name": str(n), "v": value(chance, depth + 1)} for n in range(chance.randint(0, 3))]
    if kind == "scalars":
        return [chance.choice(TEXTS) for _ in range(chance.randint(0, 3))]
    return chance.choice(TEXTS) if kind == "text" else chance.choice([1, -5, 1.5, True, None])


def mappings(node: Any, place: Place = ()) -> Iterator[tuple[Place, Any]]:
    if isinstance(node, dict):
        yield place, node
    for step, kid in node.items() if isinstance(node, dict) else enumerate(node if isinstance(node, list) else ()):
        yield from mappings(kid, (*place, step))


def edited(chance: Random, data: Any, item: krm.Resource, gone: set[Place]) -> None:
    """Change an object and its data in the same way."""
    place, found = chance.choice([*mappings(data)])
    key = chance.choice([*found, *KEYS]) if place else chance.choice(KEYS)
    path = fieldpath.to_text((*place, key))
    if key in found and chance.random() < 0.3:
        item.delete(path)
        del found[key]
        gone.add((*place, key))
    elif (*place, key) in gone:
        pass  # an entry that comes back stays where it was
    elif isinstance(found.get(key), list) and chance.random() < 0.7:
        is_objects = any(isinstance(one, dict) for one in found[key])
        new = {"name": "new", "v": value(chance, 2)} if is_objects or not found[key] else chance.choice(TEXTS)
        found[key].insert(chance.randint(0, len(found[key])), new)
        item.set(path, found[key])
    else:
        found[key] = value(chance, len(place))
        item.set(path, found[key])


def test_edits_of_kyaml_give_what_its_own_encoder_writes(manifest_oracle: str, tmp_path: Path) -> None:
    def encoded(trees: list[Any]) -> list[str]:
        given = tmp_path / "trees.yaml"
        given.write_text("".join(f"---\n{json.dumps(tree)}\n" for tree in trees))
        done = subprocess.run([manifest_oracle, "kyaml", given], capture_output=True, text=True, check=True)
        return [f"---\n{{{one}" for one in done.stdout.split("---\n{")[1:]]

    chances = [Random(seed) for seed in range(tries(300, nightly=20_000))]  # noqa: S311 - for tests
    trees = [{"apiVersion": "v1", "kind": "T", "spec": value(chance, 0)} for chance in chances]
    wanted, made = [], []
    for chance, tree, text in zip(chances, trees, encoded(trees), strict=True):
        data = copy.deepcopy(tree)

        def change(resources: krm.ResourceList, data: Any = data, chance: Random = chance) -> None:
            gone: set[Place] = set()
            for _ in range(3):
                edited(chance, data, resources.items[0], gone)

        made.append(krm.transform(text, change).text)
        wanted.append(data)
    for after, expected in zip(made, encoded(wanted), strict=True):
        assert after == expected
